"""Running times of a solver, and what adaptive capping and a first configuration gain in races on them.

    python3 experiments/solver_races.py record FOLDER    writes FOLDER/solver_times.csv
    python3 experiments/solver_races.py compare FOLDER   reads that of experiments/data, and writes FOLDER/solver_races.csv

The solver is a WalkSAT (Selman, Kautz & Cohen 1994) for random 3-SAT with 100 variables, its running time the number of flips,
which no machine changes, and at most 20,000. A row of the table has the times of one random configuration on all instances,
of which those that no configuration solves are left out.

`compare` lets irace of maxk race on the table: a configuration is a row of it, found by its parameters as the nearest one.
`uncapped` ends a run at 20,000 flips; `capped` (`bound`) ends it at the time with which its configuration cannot survive
(adaptive capping); `capped, first` also tries the default of the published program first (`enqueue`: noise 0.5, hardly any
restart). A seed draws 20 instances to train on; the outcome is the winner's mean time on all others, and the flips that the
search has made.

Fixed before the runs: 200 seeds, budgets of 200, 400 and 800 runs, and by the mean of the logarithms over the seeds, in pairs,
for 400 runs the ratios of `capped` to `uncapped` in flips made and in the winner's time, for 200 runs that of `capped, first`
to `capped` in the winner's time (the last one was added, and stated, when the others had been run; its first runs planned for
1000 trials, by a defect of enqueue, and were made again). All else is secondary."""
import csv
import gzip
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "sim", "python"))
BOUND, VARIABLES, INSTANCES, CONFIGURATIONS = 20_000, 100, 60, 240
SEEDS, BUDGETS = 200, (200, 400, 800)
NAMES = ["pick", "noise", "restart"]
PICKS = ["walksat", "novelty", "random"]
SEARCHES = {"capped": {"bound": BOUND}, "uncapped": {},
            "capped, first": {"bound": BOUND, "first": {"pick": "walksat", "noise": 0.5, "restart": 10_000}}}


# ---- times ----

def formula(draw):
    """Clauses of three literals, 3.6 to 4.2 for every variable."""
    return [[v if draw.random() < 0.5 else -v for v in draw.sample(range(1, VARIABLES + 1), 3)]
            for _ in range(round(VARIABLES * draw.uniform(3.6, 4.2)))]


def configuration(draw):
    return {"pick": draw.choice(PICKS), "noise": draw.random(), "restart": 10 ** draw.uniform(1.5, 4)}


def flips(clauses, own, draw):
    """Flips until all clauses hold, at most BOUND."""
    holding = [[] for _ in range(2 * VARIABLES + 1)]  # the clauses of a literal
    for c, clause in enumerate(clauses):
        for x in clause:
            holding[x].append(c)
    made = 0
    while made < BOUND:
        true = [False] + [draw.random() < 0.5 for _ in range(VARIABLES)]
        last = [-1] * (VARIABLES + 1)  # when a variable was flipped
        count = [sum(true[abs(x)] == (x > 0) for x in clause) for clause in clauses]
        broken = [c for c, n in enumerate(count) if n == 0]
        for _ in range(int(own["restart"])):
            if not broken or made == BOUND:
                break
            v = chosen(clauses[draw.choice(broken)], own, draw, count, holding, true, last)
            made += 1
            last[v] = made
            before = v if true[v] else -v
            true[v] = not true[v]
            for c in holding[before]:
                count[c] -= 1
                if count[c] == 0:
                    broken.append(c)
            for c in holding[-before]:
                count[c] += 1
                if count[c] == 1:
                    broken.remove(c)
        if not broken:
            break
    return max(made, 1)


def chosen(clause, own, draw, count, holding, true, last):
    """The variable of a broken clause that is flipped."""
    if own["pick"] == "random":
        return abs(draw.choice(clause)) if draw.random() < own["noise"] else abs(min(clause, key=lambda x: last[abs(x)]))
    breaks = {abs(x): sum(count[c] == 1 for c in holding[abs(x) if true[abs(x)] else -abs(x)]) for x in clause}
    best, second, _ = sorted(breaks, key=lambda v: (breaks[v], last[v]))
    if own["pick"] == "novelty":
        youngest = max(breaks, key=lambda v: last[v])
        return second if best == youngest and draw.random() < own["noise"] else best
    return best if breaks[best] == 0 or draw.random() >= own["noise"] else draw.choice(list(breaks))


def record(folder):
    draw = random.Random(1)
    problems = [formula(draw) for _ in range(INSTANCES)]
    found = [configuration(draw) for _ in range(CONFIGURATIONS)]
    times = [[flips(clauses, own, random.Random(f"{i} {k}")) for k, clauses in enumerate(problems)]
             for i, own in enumerate(found)]
    solved = [k for k in range(INSTANCES) if min(row[k] for row in times) < BOUND]
    with open(os.path.join(folder, "solver_times.csv"), "w", newline="") as to:
        out = csv.writer(to, lineterminator="\n")
        out.writerow([*NAMES, *(f"flips_{k}" for k in solved)])
        for own, row in zip(found, times):
            out.writerow([own["pick"], f"{own['noise']:.4f}", f"{own['restart']:.0f}", *(row[k] for k in solved)])


# ---- searches on them ----

def read(path):
    with gzip.open(path, "rt") as found:
        rows = list(csv.reader(found))[1:]
    return [(row[0], float(row[1]), math.log10(float(row[2])), [int(x) for x in row[3:]]) for row in rows]


def nearest(rows, p):
    """The times of the configuration of the table that is nearest to this one."""
    at = (p["noise"], math.log10(p["restart"]) / 2.5)
    return min((row for row in rows if row[0] == p["pick"]), key=lambda row: math.dist(at, (row[1], row[2] / 2.5)))[3]


def search(rows, train, budget, seed, first=None, **how):
    """The winner's times, and the flips made."""
    from maxk import Categorical, Real, Study
    made = 0

    def cost(trial):
        nonlocal made
        took = min(nearest(rows, trial.params)[train[trial.instance]], trial.bound)
        made += took
        return took

    space = {"solver": {"pick": Categorical(PICKS), "noise": Real(0, 1), "restart": Real(30, 10_000, log=True)}}
    study = Study(space, policy="uniform", optimizer="irace", direction="minimize", seed=seed, lag=1,
                  instances=range(len(train)), **how)
    if first:
        study.enqueue(first)
    study.optimize(cost, budget)
    return nearest(rows, study.best_params), made


def compare(folder):
    rows = read(os.path.join(HERE, "data", "solver_times.csv.gz"))
    every = range(len(rows[0][3]))
    with open(os.path.join(folder, "solver_races.csv"), "w", newline="") as to:
        out = csv.writer(to, lineterminator="\n")
        out.writerow(["runs", "search", "seed", "flips", "time_of_winner"])
        for seed in range(1, SEEDS + 1):
            train = random.Random(seed).sample(every, 20)
            tests = [k for k in every if k not in train]
            for budget in BUDGETS:
                for name, how in SEARCHES.items():
                    times, made = search(rows, train, budget, seed, **how)
                    out.writerow([budget, name, seed, f"{made:.0f}", f"{sum(times[k] for k in tests) / len(tests):.1f}"])
            to.flush()


if __name__ == "__main__":
    {"record": record, "compare": compare}[sys.argv[1]](sys.argv[2])
