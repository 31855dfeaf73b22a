"""per_cost and label_prior of max_ucb and its variants on recorded runs, pull for pull against a replay from their
definitions; and where they are rejected."""
import csv, math, os, random, sys

import h5py

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

INSTANCES, ARMS, REPETITIONS, LENGTH, HORIZONS = 5, 4, 2, 90, [7, 30, 90]


def recorded(path, costs=True):
    """Rewards and costs of every pull; on instance i the arm that is mostly the best one is 0 for four of five."""
    luck, data = random.Random(7), {}
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["instance", "arm", "repetition", "iteration", "reward"] + ["cost"] * costs)
        for i in range(INSTANCES):
            for k in range(ARMS):
                dear = math.exp(luck.gauss(0, 1))
                for r in range(REPETITIONS):
                    series = [(round(luck.betavariate(6 if k == (0 if i < 4 else 2) else 3, 3) + .01 * k, 6),
                               round(dear * math.exp(luck.gauss(0, .3)), 6)) for _ in range(LENGTH)]
                    data[i, k, r] = series
                    for n, (x, c) in enumerate(series):
                        out.writerow([f"i{i}", f"a{k}", r, n, x] + [c] * costs)
    return data


def factor(data, i, k):
    """K s_i of arm k on instance i."""
    won = 0
    for other in set(range(INSTANCES)) - {i}:
        for r in range(REPETITIONS):
            top = [max(x for x, _ in data[other, j, r]) for j in range(ARMS)]
            won += (top[k] == max(top)) / top.count(max(top)) / REPETITIONS
    return ARMS * (won + 2 / ARMS) / (INSTANCES - 1 + 2)


def replay(data, i, r, T, policy, o):
    """The arms of rounds 1 … T, whole histories."""
    alpha, forgotten = o.get("alpha", .5), o.get("burn_in", 0)
    weight = [factor(data, i, k)**o.get("label_prior", 0) for k in range(ARMS)]
    had, out = [[] for _ in range(ARMS)], []
    for t in range(1, T + 1):
        if t <= ARMS * (forgotten + 1):
            arm = (t - 1) % ARMS
        else:
            counted = [h[forgotten:] for h in had]
            xs = [x for h in counted for x, _ in h]
            R = (max(xs) - min(xs)) / .98 if o.get("scale") == "minmax" else 1
            n, spent = [len(h) for h in counted], [sum(c for _, c in h) for h in counted]
            index = []
            for k in range(ARMS):
                u = {"max_ucb": t, "max_ucb_burn_in": t, "max_ucb_remaining": T + 1 - t, "max_ucb_horizon": T / ARMS}[policy]
                pulls = n[k]
                if o.get("per_cost") == "root":
                    pulls = math.sqrt(n[k] * spent[k] / (sum(spent) / sum(n)))
                elif o.get("per_cost") == "ratio":
                    mean = sum(spent) / sum(n)
                    u = {"max_ucb_remaining": max(1, u * mean / (spent[k] / n[k])),
                         "max_ucb_horizon": max(n[k], T * mean / (spent[k] / n[k])) / ARMS}.get(
                             policy, 1 + sum(spent) / (spent[k] / n[k]) + o.get("round_offset", 0) +
                             (forgotten * ARMS if o.get("round") != "restart" else 0))
                bonus = alpha * math.log(max(1, u))**o.get("power", 1) / pulls
                index.append(max(x for x, _ in counted[k]) + R * bonus**2 * weight[k])
            arm = index.index(max(index))
        had[arm].append(data[i, arm, r][len(had[arm])])
        out.append(arm)
    return out


CASES = [("max_ucb", o) for o in (
    {}, {"per_cost": "root"}, {"per_cost": "ratio"}, {"label_prior": .5}, {"label_prior": 2, "scale": "minmax"},
    {"per_cost": "root", "scale": "minmax", "alpha": .3}, {"per_cost": "ratio", "scale": "minmax", "round_offset": 2},
    {"per_cost": "ratio", "power": 2, "alpha": .13}, {"per_cost": "root", "label_prior": 1})] + [
        ("max_ucb_remaining", {"per_cost": "root", "label_prior": .5}), ("max_ucb_horizon", {"per_cost": "root", "alpha": .2}),
        ("max_ucb_horizon", {"label_prior": 1}), ("max_ucb_burn_in", {"burn_in": 2, "per_cost": "root"}),
        ("max_ucb_burn_in", {"burn_in": 1, "label_prior": 1}), ("max_ucb_remaining", {"per_cost": "ratio"}),
        ("max_ucb_remaining", {"per_cost": "ratio", "power": 1.5, "scale": "minmax", "alpha": .3}),
        ("max_ucb_horizon", {"per_cost": "ratio"}), ("max_ucb_horizon", {"per_cost": "ratio", "label_prior": .5, "alpha": .2}),
        ("max_ucb_burn_in", {"burn_in": 2, "per_cost": "ratio"}),
        ("max_ucb_burn_in", {"burn_in": 1, "per_cost": "ratio", "round": "restart"})]


def experiment(d, file, entries, name="e"):
    items = ", ".join("{name: %s, label: p%d%s}" % (p, i, "".join(f", {k}: {v}" for k, v in o.items()))
                      for i, (p, o) in enumerate(entries))
    path = os.path.join(d, f"{name}.yaml")
    with open(path, "w") as f:
        f.write(f"problem: {{trajectories: {file}}}\npolicies: [{items}]\nhorizons: {HORIZONS}\n"
                f"replications: {REPETITIONS}\nseed: 3\n")
    return path


def pulls_of(h5, label):
    with h5py.File(h5) as f:
        return f[f"policies/{label}/pulls"][:].tolist()  # [instance][horizon][replication][arm]


with folder() as d:
    data = recorded(os.path.join(d, "runs.csv"))
    path, h5 = experiment(d, "runs.csv", CASES), os.path.join(d, "r.h5")
    run("run", path, "-o", h5, "-q", "--threads", "2")
    plain = pulls_of(h5, "p0")
    for at, (policy, o) in enumerate(CASES):
        got, same, total = pulls_of(h5, f"p{at}"), 0, 0
        for i in range(INSTANCES):
            for h, T in enumerate(HORIZONS):
                for r in range(REPETITIONS):
                    arms = replay(data, i, r, T, policy, o)
                    same += got[i][h][r] == [arms.count(k) for k in range(ARMS)]
                    total += 1
        check(same == total and (not o or got != plain), f"{policy} {o}: pulls as in the replay in {same} of {total} cells")
    for at in (1, 2, 3):
        traced = [int(r["arm"]) for r in rows(run("trace", path, "--policy", f"p{at}", "--instance", "i4"))]
        check(traced == replay(data, 4, 0, 90, *CASES[at]), f"{CASES[at]}: trace of instance i4")
    recorded(os.path.join(d, "free.csv"), costs=False)
    for entry in (("max_ucb", {"per_cost": "root"}), ("ps_max", {"per_cost": "lognormal"})):
        refused(f"{entry} without costs", "per_cost: ", "run", experiment(d, "free.csv", [entry], "free"), "-q")
    arms = ["experiments/e4_power.yaml", "-s", "policies=[{name: max_ucb, label_prior: 1}]"]
    refused("label_prior on arms", "label_prior: needs recorded runs of other instances; expected trajectories, got arms", "run",
            *arms, "-q")
    arms[2] = "policies=[{name: max_ucb, per_cost: root}]"
    refused("certify with per_cost", "per_cost and label_prior change the bonus", "certify", *arms)
finish()
