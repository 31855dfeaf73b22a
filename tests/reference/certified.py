"""Random instances of MaxUCB, simulated and certified: what `make check` does with 40 and `make validate` with 1000.

The simulated mean of every arm must not lie outside the certified band by more than 4.5 standard errors. By chance that
happens to a side of an arm with probability 3e-6 (normal means) if the bound is attained: 3e-2 for all arms of 1000
instances, 1e-3 for 40, at most. Lock-outs rarer than 10 / replications are missed by many samples, which then fall short
of the mean by up to 10 T / replications: the lower side allows for that.
"""
import csv
import io
import os
import subprocess

SIDES = 4.5


def random_arm(rng):
    family = rng.choice(["power", "power", "uniform", "beta", "truncated_gaussian", "exponential", "gaussian", "pareto",
                         "bernoulli", "mixture"])
    u = rng.uniform
    return "{family: %s, %s}" % (family, {
        "power": f"a: {u(.5, 8):.3f}, s: {u(1, 1.08):.4f}",
        "uniform": f"lo: {u(0, .4):.3f}, hi: {u(.6, 1):.3f}",
        "beta": f"a: {u(.5, 6):.3f}, b: {u(.5, 4):.3f}",
        "truncated_gaussian": f"mu: {u(0, 1):.3f}, sigma: {u(.1, .5):.3f}, lo: 0, hi: 1",
        "exponential": f"mean: {u(.1, .4):.3f}",
        "gaussian": f"mu: {u(0, .8):.3f}, sigma: {u(.05, .4):.3f}",
        "pareto": f"shape: {u(1.1, 4):.3f}, scale: {u(.1, .5):.3f}",
        "bernoulli": f"p: {10 ** u(-2.5, -.3):.4f}",
        "mixture": f"weights: [1, 1], components: [{{family: dirac, x: {u(0, 1):.3f}}}, {{family: uniform, lo: 0, hi: 1}}]",
    }[family])


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
    return [random_arm(rng) for _ in range(k)], policy(rng, alpha, True), max(horizon, 4 * k)


def large(rng):
    """Up to 20 arms and T = 10^6, on the record engine."""
    k = rng.choice([2, 2, 3, 3, 4, 5, 6, 8, 12, 20])
    horizon, alpha = int(10 ** rng.uniform(1.3, 6)), .05 * 100 ** rng.random()
    return [random_arm(rng) for _ in range(k)], policy(rng, alpha, False), max(horizon, 4 * k)


def failing(rng):
    """Around experiments/theorem_fails.yaml, where every form of Theorem 4.2 fails: long lock-outs."""
    arms = ["{family: uniform, lo: 0, hi: 1}", f"{{family: power, a: {rng.uniform(2, 6):.3f}, s: {rng.uniform(1, 1.03):.4f}}}"]
    return arms, policy(rng, rng.uniform(.15, .6), False), int(10 ** rng.uniform(2, 6))


def draw(rng, case):
    return (failing if case % 10 == 9 else small if case % 10 < 5 else large)(rng)


def table(maxk, *command):
    done = subprocess.run([maxk, *command, "--csv"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"maxk {' '.join(command)}: {done.stderr.strip()}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


class Arm:
    """One arm of an instance. upper and lower are the certified bounds, mean and error the simulated pulls."""

    def __init__(self, certified, seen, horizon, best):
        self.lower, self.upper = float(certified["lower"]), float(certified["upper"])
        self.mean, self.error = float(seen["mean_pulls"]), float(seen["se_pulls"])
        self.horizon, self.best = horizon, best

    def too_high(self):
        return self.mean - SIDES * self.error - 1e-6 > self.upper

    def too_low(self, replications):
        unseen = 10 / replications * self.horizon  # what lock-outs that are too rare for the sample could add
        return self.mean + SIDES * self.error + unseen + 1e-6 < self.lower


def check(maxk, folder, instance, seed, replications, refinement):
    """Simulates and certifies one instance. Returns its arms and the text of the experiment."""
    arms, entry, horizon = instance
    path, result = os.path.join(folder, "random.yaml"), os.path.join(folder, "random.h5")
    text = ("name: random\nproblem:\n  arms:\n" + "".join(f"    - {a}\n" for a in arms) +
            f"policies:\n  - {entry}\nhorizons: [{horizon}]\nreplications: {replications}\nseed: {seed}\n")
    with open(path, "w") as f:
        f.write(text)
    if os.path.exists(result):
        os.remove(result)
    engine = [] if "ties" in entry else ["--engine", "record"]
    done = subprocess.run([maxk, "run", path, "-o", result, "-q", *engine], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    seen = table(maxk, "summary", result)
    best = max(range(len(seen)), key=lambda i: float(seen[i]["mean_pulls"]))
    certified = table(maxk, "certify", path, "--refinement", str(refinement))
    return [Arm(c, s, horizon, i == best) for i, (c, s) in enumerate(zip(certified, seen))], text


def quantiles(values, levels=(0, .1, .25, .5, .75, .9, .99, 1)):
    values = sorted(values)
    return [(q, values[min(len(values) - 1, int(q * len(values)))]) for q in levels]
