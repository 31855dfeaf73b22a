"""Slow tier: published Tables C.2 and C.3 (Balef et al. 2025) beside what `maxk` computes.

Table C.3: paper_c3 with 1000 runs x 1000 draws: every published mean within 4 standard errors of the difference of two
such means (and the rounding to two digits), every deviation within 15 % (and the rounding): 24 numbers, a false alarm
about once in 600 seeds. Beside it the exact constants over the full and the trimmed range, to show how far apart they
are; they must agree with scipy to 1e-8. The table goes to MAXK_C3_TABLE, where set. Table C.2: the grid of eps."""
import csv, os, subprocess, sys
import numpy as np
from scipy import optimize, stats

maxk = os.environ.get("MAXK", "build/maxk")
PUBLISHED = {  # mean L, sd L, mean U, sd U by arm of experiments/table_c3.yaml
    (.25, .5): (.58, .06, 1.70, .48), (.50, .5): (.85, .07, 1.53, .34), (.75, .5): (1.01, .01, 1.64, .25),
    (.25, .2): (.34, .07, 1.54, .28), (.50, .2): (.44, .08, 1.36, .04), (.75, .2): (1.01, .00, 1.95, .04)}
RUNS = 1000
bad = 0


def check(condition, text):
    global bad
    bad += not condition
    print("ok" if condition else "not ok", text)


def rows(*command):
    text = subprocess.run([maxk, *command, "--csv"], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def extrema(mu, sigma, low, high):
    """Least and largest G(1 - eps) / eps over [low, high], by a dense grid and a bounded search around its best points."""
    law = stats.truncnorm((0 - mu) / sigma, (1 - mu) / sigma, mu, sigma)
    ratio = lambda eps: law.sf(1 - eps) / eps
    grid = np.linspace(low, high, 20001)
    values, found = ratio(grid), []
    for sign in (1, -1):
        at = int(np.argmin(sign * values))
        left, right = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
        best = optimize.minimize_scalar(lambda e: sign * ratio(e), bounds=(left, right), method="bounded",
                                        options={"xatol": 1e-12}).x
        found.append(sign * min(sign * ratio(best), sign * values[at]))
    return found


ours = rows("lu", "experiments/table_c3.yaml", "--runs", str(RUNS))
table = [["mu", "sigma", "constant", "published mean", "published sd", "our mean", "our sd", "exact", "trimmed"]]
for arm, ((mu, sigma), want) in enumerate(PUBLISHED.items()):
    by = {r["estimator"]: r for r in ours if int(r["arm"]) == arm}
    law = stats.truncnorm((0 - mu) / sigma, (1 - mu) / sigma, mu, sigma)
    exact = extrema(mu, sigma, 1 - law.ppf(.99), 1 - law.ppf(.01))
    for c, name in enumerate("LU"):
        mean, sd, trimmed = float(by["paper_c3"][name]), None, float(by["trimmed"][name])
        sd = float(by["paper_c3"][name + "_high"]) - mean
        table.append([mu, sigma, name, want[2 * c], want[2 * c + 1], mean, sd, float(by["exact"][name]), trimmed])
        check(abs(mean - want[2 * c]) <= 4 * sd * (2 / RUNS) ** .5 + .005, f"({mu}, {sigma}) mean {name}: {mean:.3f}, published {want[2 * c]}")
        check(abs(sd - want[2 * c + 1]) <= .15 * sd + .005, f"({mu}, {sigma}) sd of {name}: {sd:.3f}, published {want[2 * c + 1]}")
        check(abs(trimmed - exact[c]) <= 1e-8 * exact[c], f"({mu}, {sigma}) trimmed {name}: {trimmed:.10f}, scipy {exact[c]:.10f}")
if os.environ.get("MAXK_C3_TABLE"):
    with open(os.environ["MAXK_C3_TABLE"], "w") as f:
        csv.writer(f, lineterminator="\n").writerows(table)
for arm, want in enumerate(((1.90, 1.70, 1.50, 1.30, 1.10), (.10, .30, .50, .70, .90))):
    points = {round(float(r["x"]), 6): r for r in rows("survival", "experiments/table_c2.yaml", "--points", "11") if int(r["arm"]) == arm}
    got = [float(points[round(1 - eps, 6)]["ratio"]) for eps in (.1, .3, .5, .7, .9)]
    check(np.allclose(got, want, atol=1e-9), f"Table C.2, arm {arm}: {np.round(got, 6)}; L {min(got):.2f}, U {max(got):.2f}")
sys.exit(bad > 0)
