"""bayes_max with the recorded runs of other instances as candidates, pull for pull against an implementation with numpy; and
where it is rejected."""
import csv
import itertools
import os
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run, write

import numpy as np

INSTANCES, ARMS, REPETITIONS, LENGTH, T = 6, 3, 2, 40, 40
ADDED = 4  # rewards that ends_early: hold adds to each arm of the last instance


def record(path):
    """Rewards [instance][arm][repetition][pull], with ties; the third arm is the best one on half of the instances."""
    luck, data = np.random.default_rng(4), {}
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["instance", "arm", "repetition", "iteration", "reward"])
        for i, k, r in itertools.product(range(INSTANCES), range(ARMS), range(REPETITIONS)):
            a, b = ((6, 2), (3, 1.5), (1, 1.2 if i % 2 else 4))[k]
            data[i, k, r] = np.round(luck.beta(a, b, LENGTH) + .05 * i, 2)
            for n, x in enumerate(data[i, k, r][:LENGTH - (ADDED if i == INSTANCES - 1 else 0)]):
                out.writerow([f"i{i}", f"a{k}", r, n, x])
    for k, r in itertools.product(range(ARMS), range(REPETITIONS)):
        data[INSTANCES - 1, k, r][LENGTH - ADDED:] = data[INSTANCES - 1, k, r][LENGTH - ADDED - 1]
    return data


def sample(data, c, k):
    own = np.concatenate([data[c, k, r][:LENGTH - (ADDED if c == INSTANCES - 1 else 0)] for r in range(REPETITIONS)])
    return np.sort(own)


def replay(data, i, r, o):
    """The arms of rounds 1 … T: the whole posterior from the whole history in every round."""
    bins, least = o.get("bins", 50), o.get("floor", .05)
    known = [c for c in range(INSTANCES) if c != i or o.get("own") == "included"]
    runs = {(c, k): sample(data, c, k) for c in known for k in range(ARMS)}
    low, high = min(x[0] for x in runs.values()), max(x[-1] for x in runs.values())
    place = lambda x: np.clip(np.floor((x - low) / (high - low) * bins), 0, bins - 1)
    share = {at: np.bincount(place(x).astype(int), minlength=bins) / len(x) for at, x in runs.items()}
    had, arms = [[] for _ in range(ARMS)], []
    for t in range(1, T + 1):
        fit = np.array([[sum(np.log((1 - least) * share[c, k][int(place(x))] + least / bins) for x in had[k])
                         for c in known] for k in range(ARMS)])
        if o["recorded"] == "instances":
            fit = np.tile(fit.sum(axis=0), (ARMS, 1))
        weight = np.exp(fit - fit.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        best, index = max((x for own in had for x in own), default=low), []
        for k in range(ARMS):
            gain = []
            for c in known:
                x, n = runs[c, k], len(runs[c, k])
                ranks = np.arange(n + 1) / n
                gain.append(np.diff(ranks**(T - t + 1)) @ np.maximum(x - best, 0))  # the largest is the j-th smallest
            index.append(weight[k] @ gain)
        arm = next(k for k in range(ARMS) if index[k] >= max(index) * (1 - 1e-9))
        had[arm].append(data[i, arm, r][len(had[arm])])
        arms.append(arm)
    return arms


CASES = [{"recorded": "instances"}, {"recorded": "labels"}, {"recorded": "instances", "floor": .5, "bins": 7},
         {"recorded": "labels", "floor": 1e-9, "bins": 300}, {"recorded": "labels", "floor": 1},
         {"recorded": "instances", "own": "included", "bins": 20}, {"recorded": "labels", "own": "included", "floor": .01}]


def experiment(name, policy, more="", file="runs.csv", horizon=T, n=REPETITIONS):
    return write(name, f"problem: {{trajectories: {file}{more}}}\npolicies: {policy}\nhorizons: [{horizon}]\n"
                       f"replications: {n}\nseed: 3\n")


with folder() as d:
    os.chdir(d)
    data = record("runs.csv")
    first, firsts = None, set()
    for o in CASES:
        path = experiment("e.yaml", [{"name": "bayes_max", "label": "p", **o}], ", ends_early: hold")
        want, got = [], []
        for i, r in itertools.product(range(INSTANCES), range(REPETITIONS)):
            want.append(replay(data, i, r, o))
            traced = rows(run("trace", path, "--policy", "p", "--instance", f"i{i}", "--replication", str(r)))
            got.append([int(row["arm"]) for row in traced])
        first = first or want
        firsts |= {arms[0] for arms in want}
        several = sum(len(set(arms)) > 1 for arms in want)
        check(got == want and several and (o is CASES[0] or want != first),
              f"{o}: {sum(g == w for g, w in zip(got, want))} of {len(want)} traces as with numpy, {several} of several arms")
    check(len(firsts) > 1, f"the prior decides on the first arm: {firsts}")
    both = "[{name: bayes_max, recorded: [instances, labels]}]"
    show = ("--show", "policy,instance,arm,mean_pulls,mean_max", "--csv")
    found = []
    for threads in ("1", "3"):
        run("run", experiment("b.yaml", both, ", ends_early: hold"), "-o", f"{threads}.h5", "-q", "--threads", threads)
        found.append(rows(run("summary", f"{threads}.h5", *show)))
    pulls = {(row["instance"], row["arm"]): float(row["mean_pulls"]) for row in found[0] if row["policy"].endswith("labels")}
    want = {(f"i{i}", str(k)): np.mean([replay(data, i, r, CASES[1]).count(k) for r in range(REPETITIONS)])
            for i in range(INSTANCES) for k in range(ARMS)}
    check(found[0] == found[1] and pulls == want, "maxk run has the same pulls, with one thread and with three")

    one = "instance,arm,repetition,iteration,reward\n" + "".join(f"a,{k},0,{t},{t}\n" for k in "xy" for t in (1, 2))
    write("one.csv", one)
    write("costs.csv", "".join(row + f",{c}\n" for row, c in zip(one.split(), ["cost", 1, 1, 1, 1])))
    write("lacks.csv", one + "b,x,0,1,1\nb,x,0,2,3\n")
    for what, message, path in (
            ("a single instance", "recorded: needs runs of other instances", experiment("e.yaml", both, "", "one.csv", 2, 1)),
            ("an arm that is lacking", "expected all 2 arms on every instance; b has 1",
             experiment("f.yaml", both, "", "lacks.csv", 2, 1)),
            ("arms that leave", "g.yaml:2:11: recorded: cannot be combined with ends_early: leave",
             experiment("g.yaml", both, ", ends_early: leave")),
            ("horizons in cost", "l.yaml:2:11: recorded: cannot be combined with horizon_unit: cost",
             experiment("l.yaml", both + "\nhorizon_unit: cost", "", "costs.csv", 2, 1)),
            ("candidates as well", "recorded: cannot be combined with candidates", experiment(
                "h.yaml", "[{name: bayes_max, recorded: labels, candidates: [{family: bernoulli, p: 0.1}]}]", "", "runs.csv", 9)),
            ("a floor of 0", "floor: expected", experiment("i.yaml", "[{name: bayes_max, recorded: labels, floor: 0}]")),
            ("known arms", "recorded: needs recorded runs of other instances; expected trajectories, got arms",
             write("k.yaml", f"problem: {{arms: [{{family: bernoulli, p: 0.1}}]}}\npolicies: {both}\nhorizons: [3]\n"))):
        refused(what, message, "run", path, "-o", "no.h5", "-q")
finish()
