"""maxk sample_size: variance components with numpy, and the power that paired t-tests of the sizes have with scipy."""
import math
import random
import sys

import numpy
from scipy import stats

sys.path.insert(0, "tests/support")
from lib import check, close, finish, folder, rows, run

HOLD = folder()
WHERE = HOLD.name
REPETITIONS = [6, 3, 6, 4, 5, 6, 1, 6]

numpy.seterr(divide="ignore")  # of scipy's noncentral distribution
rng = random.Random(5)
with open(f"{WHERE}/runs.csv", "w") as f:
    f.write("instance,arm,repetition,iteration,reward\n")
    for i, repetitions in enumerate(REPETITIONS):
        for r in range(repetitions):
            for k in range(3):
                f.writelines(f"i{i},k{k},{r},{t},{rng.random() ** (.3 + k * i % 5)!r}\n" for t in range(20))
with open(f"{WHERE}/e.yaml", "w") as f:
    f.write("problem: {trajectories: runs.csv}\npolicies: [random, max_ucb, greedy]\nhorizons: [5, 20]\n")
run("run", f"{WHERE}/e.yaml", "-o", f"{WHERE}/e.h5")
run("export", f"{WHERE}/e.h5", "--csv", f"{WHERE}/x")
value = {}
for row in rows(open(f"{WHERE}/x/max_reward.csv").read()):
    cell = value.setdefault((row["policy"], int(row["horizon"])), {}).setdefault(row["instance"], {})
    cell[int(row["replication"])] = float(row["max_reward"])


def components(policy, horizon):
    """Differences by instance; their mean, error, and the two standard deviations, by sums of squares."""
    d = [numpy.array([value[policy, horizon][i][r] - value["random", horizon][i][r] for r in sorted(of)])
         for i, of in value[policy, horizon].items()]
    means = numpy.array([x.mean() for x in d])
    within = sum(((x - x.mean()) ** 2).sum() for x in d) / sum(len(x) - 1 for x in d)
    between = max(0, means.var(ddof=1) - within * numpy.mean([1 / len(x) for x in d]))
    return means.mean(), stats.sem(means), math.sqrt(between), math.sqrt(within), 1 / numpy.mean([1 / len(x) for x in d])


def power(n, deviation, effect):
    """Of a paired t-test of n instances: Student's distribution is noncentral then."""
    limit = stats.t.ppf(.975, n - 1)
    away = effect / deviation * math.sqrt(n)
    return stats.nct.sf(limit, n - 1, away) + stats.nct.cdf(-limit, n - 1, away)


table = rows(run("sample_size", f"{WHERE}/e.h5", "--csv"))
check([(r["policy"], r["horizon"]) for r in table] == [(p, h) for h in ("5", "20") for p in ("max_ucb", "greedy")], "rows")
for r in table:
    mean, error, between, within, repetitions = components(r["policy"], int(r["horizon"]))
    squared = between ** 2 + within ** 2 / repetitions
    check(r["instances"] == "8" and all(close(r[key], want, 1e-9) for key, want in [
        ("repetitions", repetitions), ("difference", mean), ("error", error), ("sd_instances", between),
        ("sd_repetitions", within), ("share_instances", between ** 2 / squared), ("effect", abs(mean))]),
          f"{r['policy']} at {r['horizon']}: components {between:.4f} between, {within:.4f} within")
for effect in (.02, .05, .2):
    for r in rows(run("sample_size", f"{WHERE}/e.h5", "--csv", "--effect", str(effect), "--horizon", "20")):
        _, _, between, within, repetitions = components(r["policy"], 20)
        sizes = [(int(float(r["need_instances"])), math.sqrt(between ** 2 + within ** 2 / repetitions))]
        if between > 0:
            sizes.append((int(float(r["need_instances_exact"])), between))
        # Guenther's correction is good to about one instance.
        check(all(power(n + 2, sd, effect) >= .8 and (n <= 4 or power(n - 2, sd, effect) <= .8) for n, sd in sizes),
              f"{r['policy']}: {sizes} find {effect} with a power of .8")
        many = float(r["need_repetitions"])
        sd = lambda m: math.sqrt(between ** 2 + within ** 2 / m)
        need = lambda m: max(2, math.ceil((1.959963984540054 + .8416212335729143) ** 2 * sd(m) ** 2 / effect ** 2 + 1.9207294))
        check(need(1e10) > 8 if many == math.inf else need(many) <= 8 and (many == 1 or need(many - 1) > 8),
              f"{r['policy']}: {many} repetitions on each of the 8 instances find {effect}")
finish()
