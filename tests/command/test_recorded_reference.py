"""Policies on recorded runs (architecture search, evolutionary and random search; any repetition) with parameters drawn at
random, pull for pull against the independent re-implementations of tests/reference, through `maxk trace`."""
import csv, gzip, io, random, sys

sys.path += ["tests/support", "tests/reference"]
from lib import check, finish, folder, run
import cash_policies, extreme

data = "experiments/data/"
files = ["nb201_main", "yahpo_rbv2_evo_main", "pmlb_rs_main"]
draw = random.Random(7)
between, one_of = draw.uniform, draw.choice
MINMAX = ["none", "minmax"]
SETTINGS = {  # policies that play without random numbers
    "max_ucb": lambda: {"alpha": between(0, 2), "round_offset": one_of([-1, 0, 5]), "scale": one_of(MINMAX + ["global_max"])},
    "max_ucb_remaining": lambda: {"alpha": between(0, 2), "scale": one_of(MINMAX)},
    "max_ucb_burn_in": lambda: {"alpha": between(0, 2), "burn_in": draw.randint(0, 5), "round": one_of(["running", "restart"]),
                                "scale": one_of(MINMAX), "scale_from": one_of(["main", "start"])},
    "qomax_etc": lambda: {"q": between(0, 1), "batches": draw.randint(1, 5), "batch_size": draw.randint(1, 4)},
    "qomax_sda": lambda: {"q": between(0, 1), "gamma": between(.3, 1.2), "f_floor": one_of([0, 2, 5]), "ties": "lowest"},
    "max_median": lambda: {"epsilon": 0},
    "threshold_ascent": lambda: {"s": draw.randint(1, 60), "delta": between(.01, 1)},
    "max_search_gaussian": lambda: {"c": between(.3, 1.5), "round_offset": one_of([-1, 0])},
    "max_search_subgaussian": lambda: {"c": between(.1, .6)},
    "extreme_hunter": lambda: {"b": one_of([3, 10]), "steps": one_of([1, 7])},
    "extreme_etc": lambda: {"b": 10},
    "quantile_ucb": lambda: {"alpha": between(.05, 1.5), "tau": between(0, 1), "scale": one_of(MINMAX)},
    "quantile_bayes_ucb": lambda: {"tau": between(.5, 1), "alpha_0": between(.6, 3), "spread": one_of(["sd", "variance_as_sd"])},
    "er_ucb_s": lambda: {"beta": between(0, 1), "theta": between(.005, .5), "gamma": between(0, 30), "alpha": between(0, 5),
                         "gamma_on": one_of(["both", "mean"]), "scale": one_of(MINMAX)},
    "er_ucb_n": lambda: {"theta": between(.005, 1), "gamma": between(.1, 5), "alpha": between(0, 5),
                         "slope": one_of(["fitted", "zero"])},
    "rising_bandit": lambda: {"C": draw.randint(1, 9), "variant": one_of(["paper", "published"]), "scale": one_of(MINMAX)},
    "rising_bandit_cost": lambda: {"C": draw.randint(1, 9), "budget": between(20, 150), "scale": one_of(MINMAX)},
    "heidari": lambda: {"C": draw.randint(1, 4), "cap": one_of([1, 1.5]), "scale": one_of(MINMAX)},
    "successive_halving": lambda: {"eta": one_of([2, 3]), "statistic": one_of(["mean", "max"])},
    "r_sr": lambda: {"epsilon": between(.05, .5)},
    "r_ucbe": lambda: {"epsilon": between(.1, .5), "a": between(0, 60), "scale": one_of(MINMAX)},
    "ucb": lambda: {"alpha": between(0, 2), "scale": one_of(MINMAX + ["global_max"])},
    "greedy": lambda: {"statistic": one_of(["mean", "max"])},
}


def reference(name, options, tapes, rounds, cost):
    """The arms that the re-implementation plays, up to the pull that spends a budget."""
    left, out = options.get("budget", float("inf")), []
    if name in extreme.POLICIES:
        p = extreme.POLICIES[name](len(tapes), rounds, None if name != "max_median" else extreme.Pcg64(42, 54), **options)
    else:
        p = getattr(cash_policies, name)(len(tapes), rounds, None, cost, **options)
    n = [0] * len(tapes)
    for t in range(1, rounds + 1):
        if left <= 0:
            break
        arm = p.choose(t) if name in extreme.POLICIES else p.select(t)
        reward = tapes[arm][n[arm]]
        n[arm] += 1
        left -= cost[arm]
        if name in extreme.POLICIES:
            p.see(t, arm, reward)
        else:
            p.h[arm].append(reward)
            p.seen(t, arm)
        out.append(arm)
    return out


def read(name):
    """One instance and repetition: arms in sorted order -> rewards."""
    runs = {}
    with io.TextIOWrapper(gzip.open(f"{data}{name}.csv.gz")) as f:
        for r in csv.DictReader(f):
            arms = runs.setdefault((r["instance"], r["repetition"]), {})
            arms.setdefault(r["arm"], []).append((int(r["iteration"]), float(r["reward"])))
    at = one_of(sorted(key for key in runs if key[1] != "0"))
    return at, [[x for _, x in sorted(runs[at][arm])] for arm in sorted(runs[at])]


def er_ucb_n_on_rising_arms(d, rounds, slope):
    """Beyond the 256 pulls up to which the traces reach: the range of all rewards grows with most pulls of the leading arm.
    The index by whole-history sums on the rewards that were observed."""
    np = extreme.np
    with open(f"{d}/r.yaml", "w") as f:
        f.write(f"name: r\nhorizons: [{rounds}]\nreplications: 1\n"
                f"policies: [{{name: er_ucb_n, gamma: 2, alpha: 1e4, slope: {slope}}}]\nproblem:\n  processes:\n")
        for low, high, rate in ((.3, .8, .5), (.2, .9, .3), (.2, .85, .5)):
            f.write(f"    - {{curve: power, low: {low}, high: {high}, rate: {rate}}}\n")
    played = [(int(row[1]), float(row[2])) for row in (line.split(",") for line in run("trace", f"{d}/r.yaml").splitlines()[1:])]
    g, seen, lo, hi, same = lambda y: np.tanh(.0125 * y), [[], [], []], np.inf, -np.inf, 0
    for t, (arm, reward) in enumerate(played, 1):
        index = []
        for x in seen if t > 6 else []:
            y = .01 + .98 * (np.array(x) - lo) / (hi - lo)
            n, j, w = len(y), np.arange(1, len(y) + 1), 80 * np.arctanh(y)
            a = ((j - j.mean()) ** 2).sum()
            b1 = ((j - j.mean()) * w).sum() / a if slope == "fitted" else 0
            b0 = w.mean() - b1 * j.mean()
            sd = np.sqrt(np.mean((y - g(b1 * j + b0)) ** 2))
            still = sd * np.sqrt(1 / n + j.mean() ** 2 / a)
            index.append(2 * (g(b1 * rounds + b0) + 10 * sd) + t * sd / np.sqrt(a) + still +
                         np.sqrt((n * sd / np.sqrt(a) + still + 1) * 100 * np.sqrt(np.log(t) / (2 * n))))
        # Three lines through two points each are tied up to rounding.
        same += t <= 12 or arm == int(np.argmax(index))
        seen[arm].append(reward)
        lo, hi = min(lo, reward), max(hi, reward)
    return same, max(map(len, seen))


with folder() as d:
    for file in files:
        (instance, repetition), tapes = read(file)
        cost = [1 + k % 3 for k in range(len(tapes))]
        with open(f"{d}/d.csv", "w") as f:
            f.write("instance,arm,repetition,iteration,reward,cost\n")
            for k, tape in enumerate(tapes):
                f.writelines(f"i,{k:02d},0,{j},{x!r},{cost[k]}\n" for j, x in enumerate(tape))
        differ = []
        for name, setting in SETTINGS.items():
            options = {k: round(v, 3) if isinstance(v, float) else v for k, v in setting().items()}
            rounds = min(60 if name == "er_ucb_n" else 120, *map(len, tapes))
            with open(f"{d}/e.yaml", "w") as f:
                f.write(f"name: e\nproblem: {{trajectories: {d}/d.csv}}\nhorizons: [{rounds}]\npolicies:\n  - {{name: {name}")
                f.writelines(f", {k}: {v}" for k, v in options.items())
                f.write("}\n")
            got = [int(line.split(",")[1]) for line in run("trace", f"{d}/e.yaml").splitlines()[1:]]
            if got != reference(name, options, tapes, rounds, cost):
                differ.append(f"{name} {options}")
        check(not differ, f"{file}, {instance}, repetition {repetition}, {len(tapes)} arms: "
              f"{len(SETTINGS) - len(differ)} of {len(SETTINGS)} policies pull for pull {' '.join(differ)}")
    for slope in ("zero", "fitted"):
        same, most = er_ucb_n_on_rising_arms(d, 1200, slope)
        check(same == 1200 and most > 400,
              f"er_ucb_n, slope {slope}, on rising arms: {same} of 1200 pulls, up to {most} of one arm")
finish()
