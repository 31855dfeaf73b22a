"""maxk targets: running times, speed-ups, shares and areas, recomputed from the replications that the result holds."""
import itertools
import math
import random
import subprocess
import sys

import numpy
from scipy import stats

sys.path.insert(0, "tests/support")
from lib import MAXK, check, close, finish, folder, refused, rows, run

HORIZONS = [3, 5, 8, 16, 30]
LEVELS = 3
HOLD = folder()
WHERE = HOLD.name


def write_runs():
    """Four instances, one of them with fewer repetitions, pulls that differ in cost, an instance that is flat."""
    rng = random.Random(3)
    with open(f"{WHERE}/runs.csv", "w") as f:
        f.write("instance,arm,repetition,iteration,reward,cost\n")
        for i in range(4):
            for r in range(3 if i == 2 else 6):
                for k in range(3):
                    for t in range(30):
                        x = .5 if i == 3 else rng.random() ** (1 + (k + i) % 3)
                        f.write(f"i{i},k{k},{r},{t},{x},{rng.uniform(.5, 3)}\n")
    with open(f"{WHERE}/e.yaml", "w") as f:
        f.write("problem: {trajectories: runs.csv, missing: own}\n"
                f"policies: [random, max_ucb, {{name: greedy, label: 'g'}}, oracle]\nhorizons: {HORIZONS}\n")
    run("run", f"{WHERE}/e.yaml", "-o", f"{WHERE}/e.h5")


def values(table):
    """{(instance, policy): [replication][horizon]}"""
    found = {}
    run("export", f"{WHERE}/e.h5", "--csv", f"{WHERE}/x")
    for row in rows(open(f"{WHERE}/x/{table}.csv").read()):
        cell = found.setdefault((row["instance"], row["policy"]), {})
        cell.setdefault(int(row["replication"]), {})[int(row["horizon"])] = float(row[table])
    return {key: numpy.array([[cell[r][h] for h in HORIZONS] for r in sorted(cell)]) for key, cell in found.items()}


def costs():
    """What the pulls cost: the first ones of each arm's series."""
    series = {}
    for row in rows(open(f"{WHERE}/runs.csv").read()):
        series.setdefault((row["instance"], int(row["arm"][1:]), int(row["repetition"])), []).append(float(row["cost"]))
    found = {}
    for row in rows(open(f"{WHERE}/x/pulls.csv").read()):
        r, cell = int(row["replication"]), found.setdefault((row["instance"], row["policy"]), {})
        spent = sum(series[row["instance"], int(row["arm"]), r][:int(row["pulls"])])
        cell[r, int(row["horizon"])] = cell.get((r, int(row["horizon"])), 0) + spent
    return {key: numpy.array([[cell[r, h] for h in HORIZONS] for r in sorted({r for r, _ in cell})])
            for key, cell in found.items()}


def student(x):
    mean = numpy.mean(x) if len(x) else float("nan")
    half = stats.t.ppf(.975, len(x) - 1) * numpy.std(x, ddof=1) / math.sqrt(len(x)) if len(x) > 1 else float("nan")
    return mean, mean - half, mean + half


def same(text, number):
    return (text == "") if math.isnan(number) else close(text, number, 1e-9)


def holm(p):
    order, out, worst = sorted(range(len(p)), key=lambda i: p[i]), [0] * len(p), 0
    for rank, i in enumerate(order):
        worst = max(worst, min(1, (len(p) - rank) * p[i]))
        out[i] = worst
    return out


def all_times(reward, cost):
    """Times of the replications of each cell at the horizons: pulls, or what they cost."""
    return {key: cost[key] if cost else numpy.tile(HORIZONS, (len(x), 1)) for key, x in reward.items()}


def running_time(reward, time, target):
    hits = reward >= target
    when = [t[list(h).index(True)] if any(h) else t[-1] for h, t in zip(hits, time)]
    return sum(when) / sum(hits[:, -1]) if any(hits[:, -1]) else math.inf, numpy.mean(hits[:, -1])


def check_levels(reward, time, options, what):
    instances, policies = sorted({i for i, _ in reward}), ["random", "max_ucb", "g", "oracle"]
    targets = {}
    for i in instances:
        low, high = min(reward[i, p][:, 0].mean() for p in policies), max(reward[i, p][:, -1].mean() for p in policies)
        targets[i] = [low + (high - low) * ((n + 1) / LEVELS) if n + 1 < LEVELS else high for n in range(LEVELS)]
    want = []
    for p in policies:
        for n in range(LEVELS):
            its = [running_time(reward[i, p], time[i, p], targets[i][n]) for i in instances]
            base = [running_time(reward[i, "random"], time[i, "random"], targets[i][n]) for i in instances]
            finite = [math.log(e) for e, _ in its if e < math.inf]
            ratios = [math.log(b / e) for (e, _), (b, _) in zip(its, base) if max(e, b) < math.inf]
            wins, losses = (sum(f(e, b) for (e, _), (b, _) in zip(its, base)) for f in (float.__lt__, float.__gt__))
            mean, low, high = student(ratios)
            q = min(1, 2 * stats.binom.sf(max(wins, losses) - 1, wins + losses, .5)) if wins + losses else 1
            other = float("nan") if p == "random" else 1
            want.append({"reached": numpy.mean([s for _, s in its]), "never": len(its) - len(finite),
                         "ert": math.exp(numpy.mean(finite)) if finite else float("nan"), "compared": len(ratios),
                         "speed_up": other * math.exp(mean), "speed_up_low": other * math.exp(low),
                         "speed_up_high": other * math.exp(high), "faster": wins, "slower": losses, "p_untied": other * q})
    for row, adjusted in zip([w for w in want if not math.isnan(w["p_untied"])],
                             holm([w["p_untied"] for w in want if not math.isnan(w["p_untied"])])):
        row["p_holm"] = adjusted
    got = rows(run("targets", f"{WHERE}/e.h5", "--csv", "--levels", str(LEVELS), *options))
    wrong = [(g["policy"], g["level"], key) for g, w in zip(got, want) for key in w if not same(g[key], w[key])]
    check(len(got) == len(want) and not wrong, f"{what}: running times, speed-ups and tests of {len(got)} rows {wrong[:5]}")
    check(any(w["never"] for w in want) and any(w["faster"] and w["slower"] for w in want), f"{what}: some are never reached")
    # Shares of targets by a time, and their areas, which only text has: six digits.
    grid = [numpy.mean([time[key][:, h].mean() for key in reward]) for h in range(len(HORIZONS))]
    area, shares = {}, {}
    for p in policies:
        for i in instances:
            share = []
            for at in grid:
                spent = [sum(t <= at) for t in time[i, p]]
                best = [x[n - 1] if n else -math.inf for x, n in zip(reward[i, p], spent)]
                share.append(numpy.mean([b >= v for b in best for v in targets[i]]))
            shares[i, p] = share
            area[i, p] = sum(s * (b - a) for s, a, b in zip(share, grid, grid[1:])) / (grid[-1] - grid[0])
    text = run("targets", f"{WHERE}/e.h5", "--levels", str(LEVELS), *options).split("averaged over time:\n")[1]
    areas, over_time = ([line.split() for line in part.splitlines() if line][1:] for part in text.split("Share of all")[:2])
    good = all(close(line[1], numpy.mean([area[i, line[0]] for i in instances]), 1e-5) for line in areas)
    for line in areas:
        mean, low, high = student([area[i, line[0]] - area[i, "random"] for i in instances])
        of = zip(line[2:], (mean, low, high))
        good &= line[2] == "-" if line[0] == "random" else all(close(a, b, 1e-5) for a, b in of)
    check(len(areas) == 4 and good, f"{what}: areas {areas}")
    at = [(p, h) for p in policies for h in range(len(HORIZONS))]
    found = [line for line in over_time if line[0] in policies]
    check(len(found) == len(at) and all(line[0] == p and close(line[1], grid[h], 1e-5)
          and close(line[2], numpy.mean([shares[i, p][h] for i in instances]), 1e-5) for line, (p, h) in zip(found, at)),
          f"{what}: shares of targets by time")


write_runs()
reward, cost = values("max_reward"), costs()
check_levels(reward, all_times(reward, None), [], "pulls")
check_levels(reward, all_times(reward, cost), ["--cost"], "costs")

fixed = rows(run("targets", f"{WHERE}/e.h5", "--csv", "--target", ".8", "--baseline", "g"))
want = [numpy.mean([running_time(reward[i, p], all_times(reward, None)[i, p], .8)[1] for i in ("i0", "i1", "i2", "i3")])
        for p in ("random", "max_ucb", "g", "oracle")]
check([r["policy"] for r in fixed] == ["random", "max_ucb", "g", "oracle"] and fixed[2]["speed_up"] == "" != fixed[0]["speed_up"]
      and all(close(r["reached"], w) and r["never"] != "0" for r, w in zip(fixed, want)), "--target: one reward on all instances")

for options, time in (([], all_times(reward, None)), (["--cost"], all_times(reward, cost))):
    wrong = 0
    table = rows(run("targets", f"{WHERE}/e.h5", "--csv", "--speed-ups", *options))
    for r in table:
        pair = [(r["instance"], p) for p in (r["policy"], "random")]
        its, base = ((reward[key].mean(axis=0), time[key].mean(axis=0)) for key in pair)
        value = min(its[0][-1], base[0][-1])
        when = [t[list(m >= value - 1e-15).index(True)] for m, t in (its, base)]
        wrong += not (close(r["value"], value) and close(r["time"], when[0]) and close(r["baseline_time"], when[1])
                      and close(r["speed_up"], when[1] / when[0]))
    check(len(table) == 12 and not wrong, f"--speed-ups {options}: the means' times to the smaller of their last values")

# A combined search without values on one instance: that instance counts for nobody.
with open(f"{WHERE}/combined.csv", "w") as f:
    f.write("instance,arm_index,classifier,repetition,iteration,reward\n")
    for i, k, r, t in itertools.product(range(3), (0, 1, -1), range(2), range(30)):
        if (i, k) != (1, -1):
            f.write(f"i{i},{k},c,{r},{t},{random.Random(f'{i} {k} {r} {t}').random()}\n")
for instances, name in (("[i0, i2]", "both"), ("[i0, i1, i2]", "all")):
    with open(f"{WHERE}/{name}.yaml", "w") as f:
        f.write(f"problem: {{trajectories: combined.csv, instances: {instances}}}\npolicies: [max_ucb, random]\n"
                "horizons: [3, 9, 30]\n")
    run("run", f"{WHERE}/{name}.yaml", "-o", f"{WHERE}/{name}.h5")
both, all_three = (run("targets", f"{WHERE}/{name}.h5") for name in ("both", "all"))
check("1 of 3 instances are left out" in all_three and "left out" not in both, "an instance without a combined search is said")
without = [line for line in all_three.splitlines() if "left out" not in line]
check([line.split() for line in without if line] == [line.split() for line in both.splitlines() if line]
      and rows(run("targets", f"{WHERE}/all.h5", "--csv"))[0]["instances"] == "2", "and counts for no policy")


def changed_runs():
    """One cost, reward or row that differs from what the result was made of: all readers of these files refuse it."""
    with open(f"{WHERE}/runs.csv") as file:
        text = file.read()
    lines = text.splitlines(keepends=True)
    costlier = lines[7].rsplit(",", 1)[0] + ",2.5\n"
    better = lines[7].replace(lines[7].split(",")[4], "0.75")
    readers = (("rank", "--budget", "20"), ("targets", "--cost"), ("sample_size", "--budget", "20"), ("survey",), ("gap",))
    for what, now in (("cost", [*lines[:7], costlier, *lines[8:]]), ("reward", [*lines[:7], better, *lines[8:]])):
        with open(f"{WHERE}/runs.csv", "w") as file:
            file.write("".join(now))
        for reader in readers:
            refused(f"another {what}: {reader[0]}", "runs.csv: the recorded runs have changed since ", reader[0], f"{WHERE}/e.h5",
                    *reader[1:])
        check(len(rows(run("rank", f"{WHERE}/e.h5", "--csv"))) == 20, f"another {what}: what the result holds can be compared")
    with open(f"{WHERE}/runs.csv", "w") as file:
        file.write("".join([lines[0], *reversed(lines[1:])]))
    for reader in readers:
        run(reader[0], f"{WHERE}/e.h5", *reader[1:])
    with open(f"{WHERE}/runs.csv", "w") as file:
        file.write(text)


changed_runs()
refused("a target of speed-ups", "--speed-ups: cannot be combined with --target", "targets", f"{WHERE}/e.h5", "--speed-ups",
        "--target", ".8")
text = subprocess.run([MAXK, "rank", f"{WHERE}/e.h5", "--budget", "20,1000", "--resamples", "0"], capture_output=True,
                      text=True).stderr
check(text.count("budget 1000: ") == 4 and "budget 20: " not in text and all(
    f"{p} spends at most {most:.6g} up to the longest horizon" in text for p in ("random", "max_ucb", "g", "oracle")
    for most in [max(cost[i, p][:, -1].max() for i in ("i0", "i1", "i2", "i3"))]),
      f"budgets that no policy can spend: {text[:300]}")
refused("an unknown baseline", "--baseline", "targets", f"{WHERE}/e.h5", "--baseline", "nobody")
refused("a baseline that is left out", "is left out", "targets", f"{WHERE}/e.h5", "--baseline", "g", "--without", "g")
with open(f"{WHERE}/s.yaml", "w") as f:
    f.write(f"problem: {{trajectories: runs.csv}}\npolicies: [random, max_ucb]\nhorizons: {HORIZONS}\nkeep: summary\n")
run("run", f"{WHERE}/s.yaml", "-o", f"{WHERE}/s.h5")
refused("no single replications", "single replications", "targets", f"{WHERE}/s.h5")
finish()
