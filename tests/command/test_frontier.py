"""maxk frontier: pulls against lock-outs, with the bound of Theorem 12 computed again with scipy; on the problems of
Appendix E.4 of Balef et al. 2025 no policy is below it."""
import math
import os
import shutil
import sys

import h5py
from scipy.optimize import brentq
from scipy.stats import beta, t as student

sys.path.insert(0, "tests/support")
from lib import check, close, finish, folder, refused, rows, run

ROOT = os.getcwd()
POLICIES = ("[{name: max_ucb, alpha: [0.2, 1, 4]}, {name: max_median}, {name: threshold_ascent}, {name: qomax_sda}, "
            "{name: quantile_bayes_ucb}, {name: thompson_gaussian}, {name: successive_halving}, {name: r_sr}, {name: uniform}, "
            "{name: oracle}]")
# The arm that is made better, and what it becomes: with a small weight something better than the best arm.
E4 = {"power": (0, .1, "{family: power, a: 3, s: 1.01}", "{family: uniform, lo: 0.970590147927644, hi: 1.02940985207236}"),
      "pareto": (4, .1, "{family: pareto, shape: 1.9}", "{family: pareto, shape: 1.1, scale: 30}"),
      "exponential": (8, .05, "{family: exponential, mean: 2.6}", "{family: exponential, mean: 2.9, shift: 15}"),
      "gaussian": (17, .025, "{family: gaussian, mu: 1, sigma: 3.03}", "{family: gaussian, mu: 8, sigma: 3.35}")}
WEIGHT = .06


def kl(p, q):
    return (p * math.log(p / q) if p > 0 else 0) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0)


def least_pulls(divergence, lock_out, m):
    if lock_out >= 1:
        return 0
    return brentq(lambda n: n * divergence - kl(1 - n / (m + 1), lock_out), 0, (m + 1) * (1 - lock_out), xtol=1e-12)


def simulate(name, problem, replications, *more):
    run("run", f"{ROOT}/experiments/e4_{problem}.yaml", "-q", "-s", f"policies={POLICIES}", "-s", "horizons=[50, 400]",
        "-s", f"replications={replications}", "-s", "seed=5", *more, "-o", name)


def as_max_ucb(own, end, arms, horizon, alpha, power):
    """What no policy can stay below that locks out arm `own`, uniform on [0, own], as rarely as is proved of MaxUCB, whose other
    arms end at `end`: Theorem 12, with the sum of Theorem 1 for the lock-outs."""
    few, gap, best = (horizon - 1) // 2, end - own, 0
    m = math.ceil((horizon - few) / (arms - 1)) - 1
    for g in [gap * 2. ** k for k in range(-4, 5)]:
        weight = (gap + g) / own
        def cdf(x):
            return (min(max(x / own, 0), 1) + weight * min(max((x - own) / (gap + g), 0), 1)) / (1 + weight)
        q = 0
        for s in range(1, horizon - m - arms + 2):
            c = (alpha * math.log(s + m + arms - 1 if s < m else horizon) ** power) ** 2
            q += (arms - 1) * cdf(end + c / m ** 2 - c / s ** 2) ** s
        if q < 1:
            best = max(best, least_pulls(math.log(1 + weight), q, few))
    return best


with folder() as directory:
    os.chdir(directory)
    run("run", f"{ROOT}/experiments/printed_fails.yaml", "-q", "-s", "policies=[{name: max_ucb, alpha: [0.1, 0.5, 2]}, "
        "{name: max_ucb, alpha: 0.4, power: 1.5, label: power}, {name: max_ucb, alpha: 1, scale: minmax, label: scaled}]", "-s",
        "problem.arms=[{family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.9}]",
        "-s", "horizons=[20, 300]", "-s", "replications=200", "-o", "uniform.h5")
    found = rows(run("bounds", "uniform.h5", "--variant", "any_policy", "--csv"))
    check(len(found) == 20, f"any_policy: {len(found)} rows, of five policies, two horizons and two arms")
    for row in found:
        what = f"any_policy, {row['policy']}, T = {row['horizon']}, arm {row['arm']}"
        if row["policy"] == "scaled":
            check(row["verdict"] == "not-applicable" and not row["lower"], f"{what}: rewards that are scaled have other bonuses")
            continue
        want = as_max_ucb(.8 if row["arm"] == "0" else .9, 1, 3, int(row["horizon"]), float(row["alpha"]),
                          1.5 if row["policy"] == "power" else 1)
        got = float(row["lower"])
        check(want * (1 - 1e-5) - 1e-9 <= got <= want * (1 + 1e-12), f"{what}: {got}, expected {want}")
        check(row["verdict"] == ("vacuous" if got == 0 else "holds"), f"{what}: {row['verdict']}, {row['mean_pulls']} pulls")
    for problem, (arm, rarely, own, better) in E4.items():
        mixture = f"{{family: mixture, weights: [{1 - WEIGHT}, {WEIGHT}], components: [{own}, {better}]}}"
        simulate(f"{problem}.h5", problem, 400)
        simulate(f"{problem}_best.h5", problem, 300, "-s", f"problem.arms.{arm}={mixture}")
        found = rows(run("frontier", f"{problem}.h5", f"{problem}_best.h5", "--rarely", str(rarely), "--csv"))
        check(len(found) == 24, f"{problem}: {len(found)} rows, of twelve policies at two horizons")
        run("export", f"{problem}_best.h5", "--csv", "exported")
        with open("exported/pulls.csv", encoding="utf-8") as file:
            pulls = rows(file.read())
        for row in found:
            what = f"{problem}, {row['policy']}, T = {row['horizon']}"
            if row["policy"] == "oracle":
                check(row["verdict"] == "not-applicable" and row["bound"] == "", f"{what}: the oracle knows the arms")
                continue
            horizon, k = int(row["horizon"]), round(300 * float(row["lock_outs"]))
            m = math.ceil(rarely * horizon) - 1
            high = 1 if k == 300 else beta.ppf(.975, k + 1, 300 - k)
            bound = least_pulls(-math.log(1 - WEIGHT), high, m)
            check(close(row["lock_outs_high"], high, 1e-9) and close(row["divergence"], -math.log(1 - WEIGHT), 1e-12)
                  and abs(float(row["bound"]) - bound) <= 1e-6 * bound + 1e-9,
                  f"{what}: {row['lock_outs']} lock-outs, bound {row['bound']}, expected {bound}")
            check(row["verdict"] == "holds" and float(row["mean_pulls"]) >= bound, f"{what}: {row}")
            few = sum(int(p["pulls"]) <= m for p in pulls
                      if (p["policy"], p["horizon"], p["arm"]) == (row["policy"], row["horizon"], str(arm)))
            check(few == k, f"{what}: {few} of the replications have at most {m} pulls, {k} were counted")

    half = rows(run("frontier", "power.h5", "power_best.h5", "--csv"))
    simulate("summary.h5", "power", 300, "-s", "keep=summary", "-s", "problem.arms.0={family: mixture, weights: [0.94, 0.06], "
             f"components: [{E4['power'][2]}, {E4['power'][3]}]}}")
    check(rows(run("frontier", "power.h5", "summary.h5", "--csv")) == half, "the same of a result without single replications")
    refused("which has counted no others", "run with keep: pulls", "frontier", "power.h5", "summary.h5", "--rarely", "0.1")

    # A result that the theorem forbids is noticed.
    shutil.copy("power.h5", "forged.h5")
    with h5py.File("forged.h5", "r+") as file:
        cells = file["policies/uniform/summary/mean_pulls"]
        cells[...] = cells[...] * .01
    verdicts = {r["policy"]: r["verdict"] for r in rows(run("frontier", "forged.h5", "power_best.h5", "--rarely", ".1", "--csv"))}
    check(verdicts["uniform"] == "violated" and verdicts["r_sr"] == "holds", f"too few pulls are a violation: {verdicts}")

    run("frontier", "power.h5", "power_best.h5", "--rarely", ".1", "-o", "drawn", "--picture", "svg")
    with open("drawn/e4_power_frontier.svg", encoding="utf-8") as file:
        picture = file.read()
    check("no policy is below" in picture and "successive_halving" in picture and "oracle" not in picture,
          "the figure has the frontier and the policies")
    # Candidates that are the arms of the problem are knowledge of them; given ones are not.
    better = "{family: mixture, weights: [1, 1], components: [{family: bernoulli, p: 0.2}, {family: bernoulli, p: 0.9}]}"
    for name, arm in (("coin", "{family: bernoulli, p: 0.2}"), ("coin_best", better)):
        with open("coins.yaml", "w", encoding="utf-8") as file:
            file.write(f"problem: {{arms: [{arm}, {{family: bernoulli, p: 0.4}}]}}\nhorizons: [20]\n"
                       "replications: 40\npolicies: [{name: bayes_max, label: knows}, {name: bayes_max, label: is given, "
                       "candidates: [{family: bernoulli, p: 0.2}, {family: bernoulli, p: 0.7}]}]\n")
        run("run", "coins.yaml", "-o", f"{name}.h5", "-q")
    verdicts = {r["policy"]: r["verdict"] for r in rows(run("frontier", "coin.h5", "coin_best.h5", "--csv"))}
    check(verdicts == {"knows": "not-applicable", "is given": "holds"}, f"bayes_max: {verdicts}")
    refused("the same problem twice", "no arm differs", "frontier", "power.h5", "power.h5")
    simulate("costs.h5", "power", 5, "-s", "problem.arms.1.cost=2")
    refused("other costs, which policies may know", "an arm has another cost", "frontier", "power.h5", "costs.h5")
    refused("another problem", "another number of arms", "frontier", "power.h5", "gaussian.h5")
    refused("the other way round", "does not contain the other", "frontier", "power_best.h5", "power.h5")
    os.chdir("/")
finish()
