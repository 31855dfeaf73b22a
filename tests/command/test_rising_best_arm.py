"""r_sr and r_ucbe pull by pull against exact rational arithmetic (tests/reference/rising_best_arm.py), on rewards that
tie in decimals, on constants and after very bad first rewards. Fixed seed; nothing is left to chance."""
import csv, os, random, sys
from fractions import Fraction

sys.path += ["tests/support", "tests/reference"]
from lib import check, finish, folder, rows, run
import rising_best_arm as exact


def trace(yaml, policy):
    return [int(r["arm"]) for r in rows(run("trace", yaml, "--policy", policy))]


def compare(d, name, tape, horizon, epsilon, published=False):
    data, yaml = os.path.join(d, name + ".csv"), os.path.join(d, name + ".yaml")
    with open(data, "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        f.writelines(f"x,a{k},0,{t},{x}\n" for k, series in enumerate(tape) for t, x in enumerate(series))
    with open(yaml, "w") as f:
        f.write(f"name: x\nproblem: {{trajectories: {name}.csv}}\npolicies: [{{name: r_sr, epsilon: {epsilon}}}, "
                f"{{name: r_ucbe, epsilon: {epsilon}}}]\nhorizons: [{horizon}]\n")
    share = Fraction(str(epsilon))
    return [trace(yaml, "r_sr") == exact.r_sr(tape, horizon, share),
            trace(yaml, "r_ucbe") == exact.r_ucbe(tape, horizon, epsilon=share)]


def draw(rng, kind, arms, horizon):
    if kind == "tenths":
        return [[repr(rng.randrange(11) / 10) for _ in range(horizon)] for _ in range(arms)]
    if kind == "constant":
        return [["0.7"] * horizon for _ in range(arms)]
    if kind == "failure first":
        return [["-1e17"] + [repr(round(rng.random(), 6)) for _ in range(horizon - 1)] for _ in range(arms)]
    return [[repr(round((k + 1) / arms * (1 - (k + 1) / (k + 2 + n)), 9)) for n in range(horizon)] for k in range(arms)]


def recorded(path):
    tape = {}
    for r in csv.DictReader(open(path)):
        tape.setdefault(r["arm"], []).append(r["reward"])
    return [tape[k] for k in sorted(tape)]


rng = random.Random(5)
with folder() as d:
    for kind in ("tenths", "constant", "failure first", "rising"):
        same = []
        for i in range(8):
            arms = rng.choice([2, 3, 4, 5, 6])
            horizon = rng.randint(arms, 160)
            same += compare(d, f"{kind[0]}{i}", draw(rng, kind, arms, horizon), horizon, rng.choice([0.25, 0.5, 0.1, 0.4]))
        check(all(same), f"{kind}: {sum(same)} of {len(same)} sequences are those of exact arithmetic")
    for arms, horizon in ((6, 357), (5, 112)):
        same = compare(d, f"s{horizon}", draw(rng, "tenths", arms, horizon), horizon, 0.25)
        check(all(same), f"K = {arms}, T = {horizon}, where a quotient of the schedule is whole")
    for name, horizon in (("sep17", 150), ("tie", 60)):
        same = compare(d, name, recorded(f"tests/reference/audit/{name}.csv"), horizon, 0.25)
        check(all(same), f"{name}.csv")
    # The published variant at K = 4, T = 80 has N_1 = 13: phase 1 is 4 (13 - 10 + 1) pulls, in falling order.
    with open(os.path.join(d, "p.yaml"), "w") as f:
        f.write("name: p\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}, "
                "{family: uniform, lo: 0, hi: 3}, {family: uniform, lo: 0, hi: 4}]}\n"
                "policies: [{name: r_sr, variant: published}]\nhorizons: [80]\nreplications: 1\n")
    arms = trace(os.path.join(d, "p.yaml"), "r_sr")
    first = exact.published_rounds(4, 80, 1) - exact.published_rounds(4, 80, 0) + 1
    check(arms[:4 * first] == [3, 2, 1, 0] * first and len(set(arms[4 * first:])) == 3,
          f"published: {first} rounds of all arms first")
finish()
