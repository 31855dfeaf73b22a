"""Neither the pulls of policies that scale rewards themselves nor the verdicts on them depend on the unit in which
rewards are written.

Recorded rewards are whole multiples of 2^-20; times a power of two and plus a constant that is exact in binary they are
the same problem in another unit. Nothing random: no false alarms."""
import os, random, sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, ordinary_build_only, refused, rows, run

ordinary_build_only("numbers that other tests compute as well")

audit = os.path.abspath("tests/reference/audit")


def close(a, b, relative=1e-9):
    if a == b:
        return True
    try:
        return abs(float(a) - float(b)) <= relative * max(abs(float(a)), abs(float(b)))
    except ValueError:
        return False


rng = random.Random(20240607)
GRID = [[[[rng.randrange(2**20) / 2**20 * (0.7 + 0.1 * arm) // 2**-20 * 2**-20 for _ in range(200)] for _ in range(4)]
         for arm in range(4)] for _ in range(2)]


def write_csv(path, factor, shift):
    with open(path, "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        for i, instance in enumerate(GRID):
            for k, arm in enumerate(instance):
                for r, series in enumerate(arm):
                    for t, x in enumerate(series):
                        f.write(f"i{i},a{k},{r},{t},{x * factor + shift!r}\n")


CLAIMS = """claims:
  - {name: share, of: pulls, at_most: 0.4 * T}
  - {name: shape, of: pulls, at_most: alpha * log(T) / sqrt(gap) + L * U * best_max}
  - {name: rate, of: regret, at_most: b_max * K * log(T) / sqrt(T)}
  - {name: level, of: regret, at_most: best_max / 20}
"""


def verdicts(d, name, factor, shift, policies):
    """Everything that judges a policy, as rows of texts; rewards in another unit."""
    data, yaml, h5 = (os.path.join(d, name + end) for end in (".csv", ".yaml", ".h5"))
    write_csv(data, factor, shift)
    with open(yaml, "w") as f:
        f.write(f"name: units\nproblem: {{trajectories: {name}.csv}}\npolicies: [{policies}]\nhorizons: [40, 200]\n{CLAIMS}")
    run("run", yaml, "-o", h5, "-q")
    out = []
    for options in (["--lu", "plugin"], ["--lu", "dkw"], ["--variant", "proposition"], ["--variant", "claims"]):
        for label in ("max_ucb", "quantile_ucb"):
            out += rows(run("bounds", h5, "--csv", "--policy", label, *options))
    return out, rows(run("summary", h5, "--csv"))


# L, U and gap are shown in the policy's unit; only the unit itself and the regret (rewards as written) change.
SAME = ["alpha", "L_opt", "U", "gap", "p", "regime", "variant", "verdict"]


def has_unit(row):
    """A certified bound from a confidence band of division by the largest reward: the band does not exclude rewards of 0 and
    less, and while no reward is positive the policy divides by 1 (R_t of certificate.h), a reward's unit."""
    return row["variant"] == "crossing" and "L_low" in row


def compare(one, other, factor, what):
    (a, summary_a), (b, summary_b) = one, other
    if what.startswith("global_max"):
        a, b = ([x for x in side if not has_unit(x)] for side in (a, b))
    check(len(a) == len(b) > 100, f"{what}: {len(a)} rows")
    check(all(x[c] == y[c] if c == "verdict" else close(x[c], y[c]) for x, y in zip(a, b) for c in SAME),
          f"{what}: p, constants in the policy's unit and verdicts are the same")
    check(all(close(float(x["unit"]) * factor, y["unit"]) for x, y in zip(a, b)), f"{what}: the unit alone changes")
    check(len({x["verdict"] for x in a}) >= 3, f"{what}: verdicts of several kinds")
    regret = [(x, y) for x, y in zip(a, b) if x["variant"] in ("proposition_4.1", "rate", "level")]
    check(all(close(float(x[c]) * factor, y[c], 1e-7) for x, y in regret for c in ("bound", "mean_pulls")),
          f"{what}: regrets and their bounds are in the unit of the rewards")
    check(len(summary_a) == len(summary_b) > 0 and all(x[c] == y[c] for x, y in zip(summary_a, summary_b) for c in x
          if c.startswith("verdict:") or c == "mean_pulls"), f"{what}: summary has the same pulls and verdicts")


# ---- pulls ----

# Everything that is scale free: by scaling, or by nature.
SCALED = ("max_ucb max_ucb_burn_in max_ucb_remaining max_ucb_horizon ucb quantile_ucb quantile_bayes_ucb er_ucb_s er_ucb_n exp3 "
          "heidari r_ucbe rising_bandit rising_bandit_cost softmax thompson_gaussian thompson_bernoulli "
          "max_search_gaussian").split()
BY_NATURE = ("r_sr max_search_gaussian max_search_subgaussian greedy epsilon_greedy successive_halving max_median qomax_etc "
             "qomax_sda threshold_ascent").split()
POLICIES = ([f"{{name: {p}, scale: minmax, label: {p} minmax}}" for p in SCALED] + [f"{{name: {p}}}" for p in BY_NATURE] +
            ["{name: greedy, statistic: mean, label: greedy on means}",
             "{name: ucb, scale: minmax, ties: random, label: ucb at random}"])


def few(kind, k):
    draw = {"fine": lambda: rng.randrange(2**20), "coarse": lambda: rng.randrange(8) << 17, "constant": lambda: k << 17}
    return draw[kind]() / 2**20


# Three kinds of rewards, and so many arms that they are not scanned one by one.
PLAYED = [[[few(kind, k) for _ in range(250)] for k in range(4)] for kind in ("fine", "coarse", "constant") * 4]
PLAYED.append([[few("fine" if k % 2 else "coarse", k) for _ in range(250)] for k in range(140)])


def pulls(d, name, change, policies):
    data, yaml, h5 = (os.path.join(d, name + end) for end in (".csv", ".yaml", ".h5"))
    with open(data, "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        f.writelines(f"i{i},a{k},0,{t},{change(x)!r}\n" for i, instance in enumerate(PLAYED) for k, series in enumerate(instance)
                     for t, x in enumerate(series))
    with open(yaml, "w") as f:
        f.write(f"name: p\nproblem: {{trajectories: {name}.csv}}\npolicies: [{', '.join(policies)}]\nhorizons: [140, 250]\n")
    run("run", yaml, "-o", h5, "-q", "--force")
    return [(r["policy"], r["instance"], r["horizon"], r["arm"], r["mean_pulls"]) for r in rows(run("summary", h5, "--csv"))]


def check_pulls(d):
    as_is = pulls(d, "p", lambda x: x, POLICIES)
    check(len({r[0] for r in as_is}) == len(POLICIES), f"{len(POLICIES)} scale-free policies")
    small, large = 2.0**-990, 2.0**330
    for what, change in (("x 2^7", lambda x: x * 128), ("x 2^-990", lambda x: x * small), ("x 2^330", lambda x: x * large),
                         ("- 1", lambda x: x - 1), ("+ 2^32", lambda x: x + 2.0**32),
                         ("x 2^-30 + 1 - 2^-30", lambda x: x * 2**-30 + (1 - 2**-30))):
        other = pulls(d, "q", change, POLICIES)
        differ = sorted({a[0] for a, b in zip(as_is, other) if a != b})
        check(not differ and len(as_is) == len(other), f"rewards {what}: the same pulls {differ}")
    scaled = [f"{{name: {p}, scale: global_max}}" for p in SCALED]
    check(pulls(d, "p", lambda x: x + 1, scaled) == pulls(d, "q", lambda x: (x + 1) * 2**-40, scaled),
          "scale global_max: the same pulls for rewards x 2^-40")
    # Dividing by a largest reward <= 0 would reverse the order: until one is positive the rewards stay as they are, and a
    # run that sees none pulls what it pulls without scaling.
    below, unscaled = (lambda x: x - 64), [f"{{name: {p}, scale: none}}" for p in SCALED]
    check(pulls(d, "p", below, scaled) == pulls(d, "q", below, unscaled),
          "scale global_max: as scale none while no reward is positive")


# ---- rewards whose differences would overflow ----

def check_extremes(d):
    h5, yaml = os.path.join(d, "e.h5"), os.path.join(d, "e.yaml")
    refused("a reward of -DBL_MAX is refused with its line",
            "dblmax.csv:202:10: reward: expected a number from -1e100 to 1e100, got -1.7976931348623157e+308",
            "run", os.path.join(audit, "dblmax.yaml"), "-o", h5)
    with open(os.path.join(audit, "dblmax.csv")) as f, open(os.path.join(d, "dblmax.csv"), "w") as to:
        to.write(f.read().replace("-1.7976931348623157e+308", "-1e100"))
    with open(os.path.join(audit, "dblmax.yaml")) as f, open(yaml, "w") as to:
        to.write(f.read())
    run("run", yaml, "-o", h5, "-q")
    got = {}
    for r in rows(run("summary", h5, "--csv")):
        got.setdefault(r["policy"], []).append(int(r["mean_pulls"]))
    # Worked out independently of the program, for -DBL_MAX in exact arithmetic: any number as low gives the same.
    check(got["max_ucb"] == [38, 38, 37, 37] and got["ucb"] == [40, 31, 40, 39], f"one of -1e100 is an ordinary reward: {got}")
    arm = "{family: uniform, lo: 0, hi: 1}"
    for problem, where, words in (
            ("arms: [%s, {family: uniform, lo: 0, hi: 1.0e101}]" % arm, "2:51: uniform", "reach 1e+101"),
            ("arms: [%s, {family: uniform, lo: 0, hi: 1, factor: 1.0e101}]" % arm, "2:51: affine", "reach 1e+101"),
            ("arms: [%s, {family: pareto, shape: 0.05}]" % arm, "2:51: pareto", "reach"),
            ("processes: [{curve: power, low: -1.0e101, high: 1, rate: 1}]", "2:23: curve", "reach 1e+101"),
            ("processes: [{start: %s, end: {family: uniform, lo: 0, hi: 1.0e101}, over: 5}]" % arm, "2:69: uniform",
             "reach 1e+101")):
        with open(yaml, "w") as f:
            f.write(f"name: x\nproblem: {{{problem}}}\npolicies: [{{name: greedy}}]\nhorizons: [10]\n")
        refused("refused with the place", f"e.yaml:{where}: expected rewards from -1e100 to 1e100, but they {words}",
                "run", yaml, "-o", h5)


with folder() as d:
    check_pulls(d)
    check_extremes(d)
    for scale, shifts in (("minmax", (0, 8, -1)), ("global_max", (0,))):
        policies = f"{{name: max_ucb, scale: {scale}, alpha: 0.3}}, {{name: quantile_ucb, scale: {scale}}}"
        base = verdicts(d, "base", 1, 0, policies)
        for shift in shifts:
            for factor in (2**7, 2**-7, 1):
                if factor != 1 or shift:
                    compare(base, verdicts(d, "other", factor, shift, policies), factor, f"{scale}, x {factor} + {shift}")

    # One problem in two units (random numbers differ): p, bounds and unit by hand. range = 1 (x .01), width .98.
    found = []
    for name in ("sc", "sc1"):
        h5 = os.path.join(d, name + ".h5")
        run("run", os.path.join(audit, name + ".yaml"), "-o", h5, "-q", "-s", "replications=200")
        found.append([r for r in rows(run("bounds", h5, "--csv")) if r["horizon"] == "100000"])
    check(all(x[c] == y[c] or close(x[c], y[c]) for x, y in zip(*found) for c in ("L_opt", "U", "gap", "p", "bound")) and
          len(found[0]) == 6, "known arms: a factor of 100 changes neither p nor bound")
    check(all(close(r["unit"], u / 0.98) and close(r["L_opt"], 1 / 0.98) for u, rs in zip((0.01, 1), found) for r in rs),
          "the unit is the range over scale_hi - scale_lo, L that of a uniform arm in it")

    # Without a limit of the map's range there is no unit, and no verdict.
    for scale, arms, want in (("minmax", "{family: negative_exponential, mean: 1}, {family: uniform, lo: -1, hi: 0}",
                               {"not-applicable"}),
                              ("global_max", "{family: uniform, lo: -2, hi: -1}, {family: uniform, lo: -3, hi: -1.5}",
                               {"holds", "vacuous", "inconclusive"})):
        yaml, h5 = os.path.join(d, "x.yaml"), os.path.join(d, "x.h5")
        with open(yaml, "w") as f:
            f.write(f"name: x\nproblem: {{arms: [{arms}]}}\npolicies: [{{name: max_ucb, scale: {scale}}}]\n"
                    f"horizons: [100]\nreplications: 50\n{CLAIMS}")
        run("run", yaml, "-o", h5, "-q", "--force")
        got = rows(run("bounds", h5, "--csv"))
        seen = {r["verdict"] for r in got if r["variant"] == "sum"}
        check(seen and seen <= want and {r["unit"] for r in got} == ({""} if "not-applicable" in want else {"1"}),
              f"{scale} without a limit of its map: {want}")

    # search and map use the same constants.
    for name in ("sc", "sc1"):
        yaml = os.path.join(audit, name + ".yaml")
        common = ["-v", "policies.0.alpha=0.2:0.6", "-s", "horizons=[1000]", "--replications", "20", "--csv"]
        got = rows(run("map", yaml, *common, "-v", "problem.arms.1.a=2:4", "--columns", "2", "--rows", "2",
                       "-o", os.path.join(d, "m")))
        got += rows(run("search", yaml, *common, "--evaluations", "6", "--confirm", "20", "-o", os.path.join(d, "w.yaml")))
        unit = (0.01 if name == "sc" else 1) / 0.98
        check(len(got) == 6 and all(close(r["unit"], unit) and 0.05 < float(r["gap"]) < 0.2 and
              close(r["p"], 2 / 0.98 * float(r["alpha"]) * float(r["gap"]) ** 0.5) for r in got),
              f"{name}: search and map measure gap and p in the policy's unit")
finish()
