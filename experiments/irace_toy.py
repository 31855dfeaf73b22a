"""A function with the parameters of ACOTSP (ant colonies for the travelling salesman), instance effects and noise, tuned by
irace and by maxk with the same budgets: python3 experiments/irace_toy.py FOLDER [SEEDS] writes FOLDER/irace_toy.csv with a row
for each winner. irace_toy.R runs irace (r-cran-irace) on the same function; that both compute the same is checked.

The cost on instance i is size_i (1 + gap_i(configuration) + 0.05 N(0, 1)). A seed has 50 training instances of its own; winners
are judged by their mean gap, without noise, on the same 1000 test instances."""
import csv
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sim", "python"))
from maxk import Categorical, Integer, Real, Study

BUDGETS = 500, 1500
LOCAL = ["1", "2", "3"]
SPACE = {
    "algorithm": Categorical(["as", "mmas", "eas", "ras", "acs"]), "localsearch": Categorical(["0", "1", "2", "3"]),
    "alpha": Real(0, 5), "beta": Real(0, 10), "rho": Real(0.01, 1), "ants": Integer(5, 100, log=True),
    "q0": Real(0, 1, when={"algorithm": "acs"}), "rasrank": Integer(1, 100, when={"algorithm": "ras"}),
    "elitistants": Integer(1, 750, when={"algorithm": "eas"}), "nnls": Integer(5, 50, when={"localsearch": LOCAL}),
    "dlb": Categorical(["0", "1"], when={"localsearch": LOCAL})}
ALGORITHM = {"as": 0.12, "mmas": 0.03, "eas": 0.08, "ras": 0.05, "acs": 0.02}
SEARCH = {"0": 0.25, "1": 0.06, "2": 0.03, "3": 0.0}
NAMES = ["size", "alpha", "beta", "rho", "ants", "algorithm", "own"]


def instances(n, seed):
    """What is best depends on the instance: centres of the numbers, how much the algorithm matters, and its own number."""
    draw = random.Random(seed)
    return [[math.exp(draw.gauss(8, 1)), draw.gauss(1, 0.3), draw.gauss(3, 1), draw.gauss(-1.2, 0.4), draw.gauss(3.2, 0.4),
             math.exp(draw.gauss(0, 0.4)), draw.gauss(0.6, 0.15)] for _ in range(n)]


def gap(p, i):
    _, alpha, beta, rho, ants, algorithm, own = i
    found = ALGORITHM[p["algorithm"]] * algorithm + SEARCH[p["localsearch"]]
    found += 0.02 * (p["alpha"] - alpha) ** 2 + 0.003 * (p["beta"] - beta) ** 2
    found += 0.02 * (math.log(p["rho"]) - rho) ** 2 + 0.02 * (math.log(p["ants"]) - ants) ** 2
    for name, at_most in (("q0", 1), ("rasrank", 100), ("elitistants", 750)):
        if p.get(name) is not None:
            found += 0.15 * (p[name] / at_most - own) ** 2
    if p.get("nnls") is not None:
        found += 0.02 * abs(p["nnls"] - 20) / 30 + (0.02 if p["dlb"] == "0" else 0)
    return found


def quality(p, tests):
    return sum(gap(p, i) for i in tests) / len(tests)


def tune(budget, seed, train, **how):
    """The winner of a study."""
    def cost(trial):
        i = train[trial.instance]
        noise = random.Random(f"{trial.seed} {sorted(trial.params.items())}").gauss(0, 0.05)
        return i[0] * (1 + gap(trial.params, i) + noise)

    study = Study({"acotsp": SPACE}, policy="uniform", direction="minimize", seed=seed, lag=1, instances=range(len(train)), **how)
    study.optimize(cost, budget)
    return study.best_params


def configuration(row):
    """That of a row of R."""
    return {name: row[name] if isinstance(h, Categorical) else float(row[name]) for name, h in SPACE.items() if row[name] != "NA"}


def irace_winner(folder, budget, seed):
    """The winner of irace, read from what irace_toy.R writes."""
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run(["Rscript", f"{here}/irace_toy.R", folder, str(budget), str(seed)], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/winner.csv", newline="") as file:
        row = next(csv.DictReader(file))
    winner = configuration(row)
    with open(f"{folder}/check.csv", newline="") as file:
        train = instances(50, seed)
        for line in csv.DictReader(file):
            assert abs(gap(configuration(line), train[int(line["instance"])]) - float(line["gap"])) < 1e-9, "R and Python differ"
    return winner


def main(folder, seeds):
    os.makedirs(folder, exist_ok=True)
    tests = instances(1000, "test")
    tuners = {"maxk irace": {"optimizer": "irace"}, "maxk tpe": {"optimizer": "tpe", "instances_per_trial": 5},
              "maxk random": {"optimizer": "random", "instances_per_trial": 5}}
    with open(f"{folder}/irace_toy.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["budget", "seed", "tuner", "gap"])
        for budget in BUDGETS:
            for seed in seeds:
                train = instances(50, seed)
                with open(f"{folder}/instances.csv", "w", newline="") as to:
                    csv.writer(to).writerows([NAMES, *train])
                found = {"irace 3.5": irace_winner(folder, budget, seed)}
                found |= {name: tune(budget, seed, train, **how) for name, how in tuners.items()}
                rows.writerows([budget, seed, name, f"{quality(p, tests):.6f}"] for name, p in found.items())
                file.flush()


if __name__ == "__main__":
    main(sys.argv[1], range(1, int(sys.argv[2]) + 1 if len(sys.argv) > 2 else 31))
