"""maxk certify --samples: bounds with confidence against exact values, and against the formula of Theorem 14."""
import math
import os
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, ordinary_build_only, refused, rows, run, write

ordinary_build_only("numbers of many replications")
TOLERANCE = 1e-9


def table(*arguments):
    return rows(run(*map(str, arguments), "--csv"))


def experiment(name, arms, policies, horizons):
    text = "".join(f"    - {arm}\n" for arm in arms)
    lines = "".join(f"  - {policy}\n" for policy in policies)
    return write(name, f"name: g\nproblem:\n  arms:\n{text}policies:\n{lines}horizons: {horizons}\nreplications: 50\n")


def exact(arms, horizon, alpha):
    """E[N_i(T)] and E[V] of MaxUCB, arms [(value, probability), …]; ties to the first arm. All states."""
    k, states = len(arms), {((), ()): 1.0}
    for arm in arms:
        states = {(n + (1,), top + (v,)): q * p for (n, top), q in states.items() for v, p in arm}
    for t in range(k + 1, horizon + 1):
        after = {}
        for (n, top), q in states.items():
            index = [top[j] + (alpha * math.log(t) / n[j]) ** 2 for j in range(k)]
            i = index.index(max(index))
            for v, p in arms[i]:
                key = n[:i] + (n[i] + 1,) + n[i + 1:], top[:i] + (max(top[i], v),) + top[i + 1:]
                after[key] = after.get(key, 0) + q * p
        states = after
    pulls = [sum(q * n[i] for (n, _), q in states.items()) for i in range(k)]
    return pulls, sum(q * max(top) for (_, top), q in states.items())


def empirical(arm):
    """Probabilities are quarters."""
    return "{family: empirical, values: [%s]}" % ", ".join(str(v) for v, p in arm for _ in range(round(4 * p)))


ROW = ("lower", "upper", "mean_pulls", "confident_lower", "confident_upper", "confident_max_lower", "confident_max_upper",
       "confident_regret_lower", "confident_regret_upper")


def numbers(row):
    return [float(row[name] or "nan") for name in ROW]


here = folder()
os.chdir(here.name)

# Rewards of 0 and 1: the mean of the largest one says its variance, and the bounds are known.
path = experiment("coins.yaml", [f"{{family: bernoulli, p: {p}}}" for p in (.02, .1, .3)], ["{name: max_ucb, alpha: 0.3}"], [4])
for samples, confidence in ((40000, .999), (300, .6)):
    row = table("certify", path, "--samples", samples, "--confidence", confidence)[0]
    low, high, mean, proved_low, proved_high = (float(row[name]) for name in (
        "confident_max_lower", "confident_max_upper", "mean_max", "max_lower", "max_upper"))
    rate = math.log(3 * 4 / (1 - confidence))
    half = math.sqrt(2 * mean * (1 - mean) / (samples - 1) * rate) + 7 * rate / (3 * (samples - 1))
    check(abs(high - min(mean + half, proved_high)) < TOLERANCE and abs(low - max(mean - half, proved_low)) < TOLERANCE,
          f"R = {samples}: E[V] {low:.6f} to {high:.6f}, mean {mean:.5f} +- {half:.6f}")
    check(high < proved_high, "not only what is proved")

# Three arms, T = 12, over seeds: all four quantities hold at once, but with probability 0.3 at most. So more than 33 of 60
# seeds miss with probability 4e-5; none does.
GAME = [[(.11, .25), (.52, .5), (.93, .25)], [(.2, .5), (.61, .5)], [(.03, .75), (.97, .25)]]
path = experiment("game.yaml", map(empirical, GAME), ["{name: max_ucb, alpha: 0.3}"], [12])
truth, largest = exact(GAME, 12, .3)
SEEDS, SAMPLES = 60, 4000
missed, narrow, own, sides, inside = 0, 0, 0, set(), True
for seed in range(SEEDS):
    found = [numbers(row) for row in table("certify", path, "--samples", SAMPLES, "--confidence", .7, "-s", f"seed={seed}")]
    low, high = found[0][5], found[0][6]
    wrong = not low <= largest <= high
    for i, row in enumerate(found):
        wrong |= not row[3] <= truth[i] <= row[4]
        inside &= row[0] <= row[3] <= row[4] <= row[1]
        # What bounds of a tenth of the width would do.
        own += row[0] < row[3] and row[4] < row[1]
        narrow += not abs(row[2] - truth[i]) <= (row[4] - row[3]) / 20
        sides.add(row[2] > truth[i])
    missed += wrong
check(missed <= 33, f"{missed} of {SEEDS} seeds miss a truth")
check(narrow > 1.5 * SEEDS, f"a tenth of the width misses {narrow} of {3 * SEEDS}, which would be seen")
check(sides == {True, False}, "means lie on both sides of the truth")
check(own > 1.5 * SEEDS, f"{own} of {3 * SEEDS} pairs of bounds are narrower on both sides than those that are proved")
check(inside, "bounds with confidence lie within those that are proved")

# Equal arms: the largest reward is that of T independent ones, and the regret is 0; rewards without an end point.
path = experiment("equal.yaml", ["{family: gaussian, mu: 0, sigma: 1}"] * 3,
                  ["{name: max_ucb, alpha: 0.5}", "{name: greedy}", "{name: max_ucb_burn_in, burn_in: 3}"], [50, 300])
means = {row["horizon"]: float(row["expected_max"]) for row in table("gap", path)}
for row in table("certify", path, "--samples", 20000, "--refinement", .5):
    *_, low, high, regret_low, regret = numbers(row)
    mean = means[row["horizon"]]
    check(low < mean < high < low + .2 and regret_low <= 0 <= regret and abs(regret + low - mean) < 1e-6,
          f"{row['policy']}, T = {row['horizon']}: {low:.4f} < {mean:.4f} < {high:.4f}")

# Rare runs with many pulls are covered by what is proved, not by the replications.
path = experiment("rare.yaml", ["{family: power, a: 3, s: 1.01}", "{family: power, a: 4, s: 1}"],
                  ["{name: max_ucb, alpha: 1.5}"], [20000])
row = table("certify", path, "--samples", 300, "--refinement", .5)[0]
worst = 7 * 20000 * math.log(3 * 3 / .001) / (3 * 299)
check(float(row["confident_upper"]) - float(row["confident_lower"]) < worst / 2,
      f"narrower than {worst:.0f}, what the range T costs: {row['confident_lower']} to {row['confident_upper']}")

# More horizons, any number of threads, other seeds than those of maxk run.
MORE = ("certify", path, "--samples", "3000", "--horizons", "1,2,60,900", "--refinement", ".5", "--csv")
one, three = (run(*MORE, env={**os.environ, "OMP_NUM_THREADS": n}) for n in ("1", "3"))
check(one == three, "the same bits with 1 and 3 threads")
check(all(float(r["confident_lower"]) <= float(r["mean_pulls"]) <= float(r["confident_upper"]) for r in rows(one)),
      "T = 1 and T = K")
path = write("moving.yaml", "name: m\nproblem:\n  processes:\n    - {start: {family: uniform, lo: 0, hi: 1}, end: {family: "
             "uniform, lo: 0.5, hi: 1}, over: 20}\n    - {start: {family: uniform, lo: 0.2, hi: 1}, end: {family: uniform, "
             "lo: 0.2, hi: 0.9}, over: 9}\npolicies:\n  - {name: max_ucb}\nhorizons: [90]\nreplications: 50\n")
row = table("certify", path, "--samples", 3000, "--refinement", .5)[0]
check(0 < float(row["confident_upper"]) - float(row["confident_lower"]) < 60 and
      .8 < float(row["confident_max_lower"]) < float(row["confident_max_upper"]) <= 1,
      f"moving arms: {row['confident_lower']} to {row['confident_upper']}")
run("run", "equal.yaml", "-o", "equal.h5", "-q")
seen, own = ({(r["policy"], r["horizon"], r["arm"]): r["mean_pulls"] for r in found}
             for found in (table("summary", "equal.h5"), table("certify", "equal.yaml", "--samples", 50, "--refinement", 1)))
equal = sum(seen[key] == own[key] for key in own)
check(len(own) == 18 and equal < 4, f"{equal} of {len(own)} means are those of maxk run, which has other replications")
text = run("certify", path, "--samples", "3000", "--refinement", ".5")

# Figures and page: a band of its own, which says that it holds with confidence, within the certified one, with the numbers of
# the table for as many quantities.
ARMS = ["{family: power, a: 3, s: 1.01}", "{family: power, a: 4, s: 1}", "{family: uniform, lo: 0, hi: 0.9}"]
path = experiment("shown.yaml", ARMS,
                  ["{name: max_ucb, alpha: 0.5}", "{name: max_ucb, alpha: 0.4, power: 1.5, label: squared}"], [50, 300])
run("run", path, "-o", "shown.h5", "-q")
ASKED = ("--samples", "4000", "--confidence", "0.99")
for folder_name, asked in (("plain", ()), ("asked", ASKED)):
    run("figures", "shown.h5", "-o", folder_name, "-f", "svg", "--only", "bounds", "--only", "bands", *asked)
    pictures = {name: open(f"{folder_name}/{name}").read() for name in sorted(os.listdir(folder_name)) if name.endswith(".svg")}
    named = sum("with confidence 0.99" in picture for picture in pictures.values())
    check(len(pictures) >= 4 and named == len(pictures) * bool(asked),
          f"{folder_name}: {named} of {len(pictures)} pictures name a band with confidence")
    check(not any("proved" in picture for picture in pictures.values()), "no picture says that anything is proved by simulation")
    run("report", "shown.h5", "-o", f"{folder_name}.html", *asked)
page, plain = open("asked.html").read(), open("plain.html").read()
last = rows(run("certify", "shown.h5", "--horizons", "300", "--refinement", "0.2", *ASKED, "--csv"))
SHOWN = ("--show", "confident_lower,confident_upper")
printed = run("certify", "shown.h5", "--horizons", "300", "--refinement", "0.2", *ASKED, *SHOWN)
numbers_on_page = [word for line in printed.splitlines()[1:len(last) + 1] for word in line.split()]
check(len(numbers_on_page) == 12 and all(f">{word}<" in page for word in numbers_on_page), f"the page has {numbers_on_page}")
check("confident_lower" in page and "not proved: they hold with confidence 0.99" in page and "confident_lower" not in plain,
      "and says what they are; without --samples nothing")
refused("a confidence of what", "--samples", "figures", "shown.h5", "-o", "none", "--confidence", "0.9")
refused("a confidence of what, on the page", "--samples", "report", "shown.h5", "-o", "none.html", "--confidence", "0.9")
check("with confidence 0.999, not proved: from 3000 replications" in text and "all 3 intervals" in text, "what it says")
refused("of bonuses", "--samples: not together", "certify", path, "--samples", "10", "--best-alpha")
refused("confidence of known arms", "--confidence", "certify", path, "--confidence", "0.9")
write("recorded.csv", "instance,arm,repetition,iteration,reward\n" +
      "".join(f"a,{arm},{r},{t},{(t * 7 + r + k) % 10}\n" for k, arm in enumerate("xy") for r in range(2) for t in range(1, 9)))
recorded = write("recorded.yaml", "name: r\nproblem: {trajectories: recorded.csv}\npolicies: [{name: max_ucb}]\n"
                 "horizons: [8]\nreplications: 2\n")
refused("recorded rewards", "--samples: for arms and processes only", "certify", recorded, "--samples", "10")
finish()
