"""Random instances of MaxUCB, simulated and certified: what `make check` does with 40 and `make validate` with 1000.

Every instance is drawn from a seed of its own. The mean of every arm must not lie outside the certified band by more than
4.5 standard errors: the mean of plain replications, and that of weighted ones (key rare_events) where the arms allow them,
in which lock-outs of the better arms are frequent. By chance that happens to one side of one mean with probability 3e-6
(normal means) if the bound is attained: 6e-2 for all arms of 1000 instances, 2e-3 for 40, at most. Lock-outs rarer than
10 / replications are missed by many plain samples, which then fall short of the mean by up to 10 T / replications: their
lower side allows for that.

    certified.py FOLDER    the table of the manual, from what `make validate` keeps in results/validation/certificates
"""
import csv
import glob
import io
import json
import os
import random
import subprocess
import sys

SIDES = 4.5
# (weight, text of an arm); the first five have an upper end point and no point masses
FAMILIES = [
    (4, lambda u: f"family: power, a: {u(.5, 8):.3f}, s: {u(1, 1.08):.4f}"),
    (2, lambda u: f"family: uniform, lo: {u(0, .4):.3f}, hi: {u(.6, 1):.3f}"),
    (2, lambda u: f"family: beta, a: {u(.5, 6):.3f}, b: {u(.5, 4):.3f}"),
    (2, lambda u: f"family: truncated_gaussian, mu: {u(0, 1):.3f}, sigma: {u(.1, .5):.3f}, lo: 0, hi: 1"),
    (1, lambda u: f"family: negative_exponential, mean: {u(.05, .3):.3f}, shift: {u(.7, 1):.3f}"),
    (1, lambda u: f"family: gaussian, mu: {u(0, .8):.3f}, sigma: {u(.05, .4):.3f}"),
    (1, lambda u: f"family: pareto, shape: {u(1.1, 4):.3f}, scale: {u(.1, .5):.3f}"),
    (1, lambda u: f"family: exponential, mean: {u(.1, .4):.3f}"),
    (1, lambda u: f"family: lognormal, mu: {u(-2, -1):.3f}, sigma: {u(.1, .5):.3f}"),
    (1, lambda u: f"family: generalized_normal, beta: {u(1, 6):.3f}, mu: {u(.2, .6):.3f}, scale: {u(.1, .4):.3f}"),
    (1, lambda u: f"family: weibull, shape: {u(.8, 4):.3f}, scale: {u(.2, .6):.3f}"),
    (1, lambda u: f"family: gev, shape: {u(-.5, .2):.3f}, location: .4, scale: {u(.05, .3):.3f}"),
    (1, lambda u: f"family: generalized_pareto, shape: {u(-.8, .2):.3f}, location: 0, scale: {u(.1, .5):.3f}"),
    (1, lambda u: f"family: bernoulli, p: {10 ** u(-2.5, -.3):.4f}"),
    (1, lambda u: f"family: dirac, x: {u(0, .8):.3f}"),
    (1, lambda u: f"family: empirical, values: [{u(0, .4):.3f}, {u(0, .9):.3f}, {u(.4, 1):.3f}]"),
    (1, lambda u: f"family: mixture, weights: [1, 1], components: [{{family: dirac, x: {u(0, 1):.3f}}}, "
                  "{family: uniform, lo: 0, hi: 1}]"),
]
SMOOTH = 5


def random_arm(rng, smooth):
    weights, texts = zip(*(FAMILIES[:SMOOTH] if smooth else FAMILIES))
    return "{%s}" % rng.choices(texts, weights)[0](rng.uniform)


def policy(rng, alpha, variants):
    name = rng.choice(["max_ucb"] * 6 + ["max_ucb_burn_in, burn_in: 2"]) if variants else "max_ucb"
    extra = ""
    if name != "max_ucb":
        extra = rng.choice(["", ", round: restart"])
    elif variants:
        extra = rng.choice([""] * 5 + [", round_offset: -1", ", scale: global_max", ", scale: minmax"])
    return "{name: %s, alpha: %.4f%s%s}" % (name, alpha, ", ties: random" if variants else "", extra)


def small(rng):
    """Every variant of the policy, all pulls simulated."""
    k, horizon, alpha = rng.choice([2, 3, 4, 5]), int(10 ** rng.uniform(1.3, 2.6)), 10 ** rng.uniform(-1.3, .3)
    return [random_arm(rng, False) for _ in range(k)], policy(rng, alpha, True), max(horizon, 4 * k), False


def large(rng):
    """Up to 20 arms and T = 10^6, on the record engine; rare events on half of them."""
    k, smooth = rng.choice([2, 2, 3, 3, 4, 5, 6, 8, 12, 20]), rng.random() < .5
    horizon, alpha = int(10 ** rng.uniform(1.3, 6)), .05 * 100 ** rng.random()
    return [random_arm(rng, smooth) for _ in range(k)], policy(rng, alpha, False), max(horizon, 4 * k), smooth


def failing(rng):
    """Around experiments/theorem_fails.yaml, where every form of Theorem 4.2 fails: long lock-outs."""
    arms = ["{family: uniform, lo: 0, hi: 1}", f"{{family: power, a: {rng.uniform(2, 6):.3f}, s: {rng.uniform(1, 1.03):.4f}}}"]
    return arms, policy(rng, rng.uniform(.15, .6), False), int(10 ** rng.uniform(2, 6)), True


def draw(case):
    """Instance number `case`: its arms, policy, horizon, and whether rare events can be simulated."""
    return (failing if case % 10 == 9 else small if case % 10 < 5 else large)(random.Random(f"certified {case}"))


def run(maxk, *command):
    done = subprocess.run([maxk, *command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"maxk {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def table(maxk, *command):
    return list(csv.DictReader(io.StringIO(run(maxk, *command, "--csv"))))


def outside(arm, replications):
    """The sides of the band that a mean of the arm lies beyond: (relation, its mean, error)."""
    found = []
    for mean, error, unseen in ((arm["mean"], arm["error"], 10 / replications * arm["horizon"]),
                                (arm["rare_mean"], arm["rare_error"], 0)):
        if mean is None:
            continue
        if mean - SIDES * error - 1e-6 > arm["upper"]:
            found.append(("<=", mean, error))
        if mean + SIDES * error + unseen + 1e-6 < arm["lower"]:
            found.append((">=", mean, error))
    return found


def observed(arm):
    """The better of the two means, and its error."""
    weighted = arm["rare_mean"] is not None and arm["rare_error"] < arm["error"]
    return (arm["rare_mean"], arm["rare_error"]) if weighted else (arm["mean"], arm["error"])


def simulate(maxk, path, folder, entry, rare):
    """Means and errors of the pulls, plain and weighted (None without)."""
    result = os.path.join(folder, "random.h5")
    run(maxk, "run", path, "-o", result, "-q", "--force", *([] if "ties" in entry else ["--engine", "record"]))
    plain = table(maxk, "summary", result)
    weighted = [None] * len(plain)
    if rare:
        run(maxk, "export", result, "--csv", os.path.join(folder, "random"))
        with open(os.path.join(folder, "random", "rare.csv")) as f:
            weighted = list(csv.DictReader(f))
    os.remove(result)
    return [dict(mean=float(p["mean_pulls"]), error=float(p["se_pulls"]), rare_mean=r and float(r["mean_pulls"]),
                 rare_error=r and float(r["se_pulls"])) for p, r in zip(plain, weighted)]


def check(maxk, folder, case, replications, refinement):
    """Simulates and certifies an instance. Returns its arms as dictionaries, and the text of the experiment."""
    arms, entry, horizon, rare = draw(case)
    path = os.path.join(folder, "random.yaml")
    text = ("name: random\nproblem:\n  arms:\n" + "".join(f"    - {a}\n" for a in arms) +
            f"policies:\n  - {entry}\nhorizons: [{horizon}]\nreplications: {replications}\nseed: {case}\nkeep: summary\n" +
            (f"rare_events: {replications}\n" if rare else ""))
    with open(path, "w") as f:
        f.write(text)
    seen = simulate(maxk, path, folder, entry, rare)
    best = max(range(len(seen)), key=lambda i: observed(seen[i])[0])
    certified = table(maxk, "certify", path, "--refinement", str(refinement))
    return [dict(s, lower=float(c["lower"]), upper=float(c["upper"]), horizon=horizon, best=i == best)
            for i, (c, s) in enumerate(zip(certified, seen))], text


def quantile(ascending, q):
    return ascending[min(len(ascending) - 1, int(q * len(ascending)))]


def kept(folder):
    """Suboptimal arms of the instances that `make validate` keeps: {group: [arm]}; the number of instances, and of means."""
    groups = {"K = 2": [], "K from 3 to 20": [], "scaled rewards, any K": []}
    instances = means = 0
    for path in glob.glob(os.path.join(folder, "[0-9]*.json")):
        with open(path) as f:
            case = json.load(f)
        instances += 1
        means += sum(1 + (a["rare_mean"] is not None) for a in case["arms"])
        scaled = "scale: " in case["text"].split("policies:")[1]
        group = list(groups)[2 if scaled else len(case["arms"]) > 2]
        groups[group] += [a for a in case["arms"] if not a["best"]]
    return groups, instances, means


def main(folder):
    groups, instances, means = kept(folder)
    print(f"{means} means from {instances} instances\n\n| arms | how many | ratio | median | 90 % | 99 % | largest | mean |\n"
          "|---|---|---|---|---|---|---|---|")
    for group, arms in groups.items():
        for name, of in (("upper/observed", lambda a: a["upper"] / observed(a)[0]),
                         ("observed/lower", lambda a: observed(a)[0] / a["lower"])):
            ratios = sorted(map(of, arms))
            cells = [*(quantile(ratios, q) for q in (.5, .9, .99, 1)), sum(ratios) / len(ratios)]
            first = f"{group} | {len(arms)}" if name.startswith("upper") else " | "
            print(f"| {first} | {name} | " + " | ".join(f"{c:.3g}" if c >= 10 else f"{c:.2f}" for c in cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1])
