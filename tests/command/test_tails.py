"""maxk tails: fits against L-moments by their definition and scipy's distributions; coverage of intervals, and tests where the
truth is known."""
import csv
import itertools
import math
import random
import sys

import numpy
from scipy import optimize, special, stats

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

HOLD = folder()
WHERE = HOLD.name


def write(name, arms, repetitions):
    """A CSV file of recorded rewards: arms as functions of a random generator, 80 pulls in each repetition."""
    rng = random.Random(7)
    with open(f"{WHERE}/{name}", "w") as f:
        out = csv.writer(f)
        out.writerow(["instance", "arm", "repetition", "iteration", "reward"])
        for arm, draw in arms.items():
            for r, t in itertools.product(range(repetitions), range(80)):
                out.writerow(["x", arm, r, t + 1, repr(draw(rng))])
    values = {}
    for row in csv.DictReader(open(f"{WHERE}/{name}")):
        values.setdefault(row["arm"], []).append(float(row["reward"]))
    return values


def l_moments(x):
    """The first three, by their definition as means over all subsets, in closed form by order statistics."""
    x, n = numpy.sort(x), len(x)
    weight = lambda j, below, above: math.comb(j, below) * math.comb(n - 1 - j, above)
    first = numpy.mean(x)
    second = sum((weight(j, 1, 0) - weight(j, 0, 1)) * x[j] for j in range(n)) / math.comb(n, 2) / 2
    third = sum((weight(j, 2, 0) - 2 * weight(j, 1, 1) + weight(j, 0, 2)) * x[j] for j in range(n)) / math.comb(n, 3) / 3
    return first, second, third


def near(a, b):
    return abs(a - b) <= 1e-7 * max(1, abs(b))


arms = {"beta": lambda g: g.betavariate(2, 3), "normal": lambda g: g.gauss(0, 1), "pareto": lambda g: g.paretovariate(2)}
values = write("runs.csv", arms, 6)

for row in rows(run("tails", f"{WHERE}/runs.csv", "--exceedances", "60", "--csv")):
    x = numpy.sort(values[row["arm_label"]])
    y = x[-60:] - x[-61]
    first, second, _ = l_moments(y)
    shape = 2 - first / second
    same = (near(float(row["location"]), x[-61]) and near(float(row["shape"]), shape)
            and near(float(row["scale"]), first * (1 - shape)) and row["n"] == "480" and row["fitted"] == "60")
    likely = stats.genpareto.fit(y, floc=0)[0]
    check(same and float(row["shape_low"]) < likely < float(row["shape_high"]),
          f"Pareto fit of {row['arm_label']}: L-moments by definition {shape:.6f}, scipy's likelihood {likely:.3f}")
    # The Monte Carlo p-values again, from other draws.
    g = numpy.random.default_rng(1)
    ratios, misfits = [], []
    def misfit(sorted_y, c, scale):
        F = stats.genpareto.cdf(sorted_y, c, scale=scale)
        return sum((F - (numpy.arange(len(F)) + .5) / len(F)) ** 2) + 1 / (12 * len(F))
    for _ in range(1500):
        z = numpy.sort(g.exponential(size=60))
        w = numpy.sort(stats.genpareto.rvs(shape, size=60, random_state=g))
        b1 = numpy.sum(z * numpy.arange(60)) / (60 * 59)
        ratios.append((2 * b1 - z.mean()) / z.mean())
        m, b1 = w.mean(), numpy.sum(w * numpy.arange(60)) / (60 * 59)
        its = 2 - m / (2 * b1 - m)
        misfits.append(misfit(w, its, m * (1 - its)))
    ratios = numpy.array(ratios)
    p = 2 * min(numpy.mean(ratios <= second / first), numpy.mean(ratios >= second / first))
    q = numpy.mean(numpy.array(misfits) >= misfit(y, shape, first * (1 - shape)))
    check(abs(float(row["p_exponential"]) - p) < .06 and abs(float(row["p_fit"]) - q) < .08,
          f"p-values of {row['arm_label']} {row['p_exponential']} and {row['p_fit']}; other draws give {p:.4f} and {q:.4f}")

for row in rows(run("tails", f"{WHERE}/runs.csv", "--block", "8", "--csv")):
    x = numpy.array(values[row["arm_label"]]).reshape(-1, 8).max(axis=1)
    first, second, third = l_moments(x)
    shape = -optimize.brentq(lambda k: 2 * (1 - 3 ** -k) / (1 - 2 ** -k) - 3 - third / second, -.99, 5)
    scale = -second * shape / ((1 - 2 ** shape) * special.gamma(1 - shape))
    location = first - scale * (special.gamma(1 - shape) - 1) / shape
    fitted = stats.genextreme(-shape, loc=location, scale=scale)
    check(near(float(row["shape"]), shape) and near(float(row["scale"]), scale) and near(float(row["location"]), location)
          and row["fitted"] == "60" and near(fitted.mean(), first),
          f"extreme-value fit of {row['arm_label']}: {shape:.6f}, {scale:.6f}, {location:.6f}; the mean is that of scipy's")

# Coverage over 150 arms of one known shape. Binomial: a level of .95 gives fewer than 132 of 150 with probability 1e-4; a fit
# that is right is rejected at .05 more than 20 times with probability 4e-5.
for shape, block in [(-.7, 0), (0, 0), (.4, 0), (-.7, 2)]:
    family = "gev" if block else "generalized_pareto"
    with open(f"{WHERE}/known.yaml", "w") as f:
        f.write("problem: {arms: [" + ", ".join([f"{{family: {family}, shape: {shape}, location: 3, scale: 2}}"] * 150) + "]}\n"
                "policies: [{name: greedy}]\nhorizons: [200]\nreplications: 1\n")
    # The largest of two values of an extreme-value distribution has one with the same shape and end point.
    options = ["--block", "2", "--samples", "120"] if block else ["--exceedances", "60", "--samples", "100"]
    table = rows(run("tails", f"{WHERE}/known.yaml", "--csv", "--draws", "400", *options))
    inside = sum(float(r["shape_low"]) <= shape <= float(r["shape_high"]) for r in table)
    end = 3 - 2 / shape if shape < 0 else math.inf
    bounds = sum(float(r["end_low"]) <= end <= float(r["end_high"]) for r in table)
    rejected = sum(float(r["p_fit"]) < .05 for r in table)
    wrong = sum(float(r["p_exponential"]) < .05 for r in table)
    words = sum(r["tail"] == ("bounded" if shape < 0 else "heavy" if shape > 0 else "undecided") for r in table)
    check(len(table) == 150 and inside >= 132 and bounds >= 132 and rejected <= 20 and (wrong <= 20) == (shape == 0)
          and words >= (132 if shape <= 0 else 60),
          f"{family} of shape {shape}: {inside} shapes and {bounds} end points inside, {rejected} fits rejected, {wrong} not "
          f"exponential, {words} as they are")
    check(inside <= 149, f"{family} of shape {shape}: intervals of the shape miss it for some arm ({150 - inside})")

# Rewards that are equal, or too few.
write("ties.csv", {"coin": lambda g: float(g.random() < .3), "constant": lambda g: 1.0}, 2)
table = rows(run("tails", f"{WHERE}/ties.csv", "--csv"))
check([(r["fitted"], r["shape"], r["tail"]) for r in table] == [("0", "", "")] * 2 and table[1]["ties"] == "160",
      f"no fit of a coin and a constant: {table}")
refused("more blocks than rewards", "no repetition of arm", "tails", f"{WHERE}/ties.csv", "--block", "81")
refused("a number of maxima", "--exceedances", "tails", f"{WHERE}/ties.csv", "--block", "8", "--exceedances", "20")
finish()
