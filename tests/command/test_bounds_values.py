"""Every number of `maxk bounds` on power arms with random parameters, evaluated independently from closed forms:
E[M_k(n)] = s^-a a n / (a n + 1), b = s^-a, and for a >= 1 the ratio G(b - eps) / eps falls from a / b to 1 / b."""
import math
import random
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, ordinary_build_only, rows, run

ordinary_build_only("numbers that other tests compute as well")

random.seed(20)


def near(got, want):
    return got == want or abs(got - want) <= 1e-10 * max(abs(want), 1e-6)


def the_sum(p, c, T):
    """min over l of l + sum over t >= l of min(1, t^-p + c log^2 t / l), term by term"""
    power = [math.exp(-p * math.log(t)) for t in range(1, T + 1)]
    log2 = [math.log(t) ** 2 for t in range(1, T + 1)]
    return min(l + math.fsum(min(1, power[t] + c / l * log2[t]) for t in range(l - 1, T)) for l in range(1, T + 1))


def explicit(alpha, L, gap, T):
    """the right-hand side of analysis/theory/explicit_bound.h at the same integers n"""
    best, n = T, math.floor(alpha * math.log(T) / math.sqrt(gap)) + 1
    while n < best:
        delta = gap - (alpha * math.log(T) / n) ** 2
        q = 2 * L * alpha * math.sqrt(delta)
        B = 1 + (1 + math.sqrt(math.pi / 2 * q * math.log(T))) / (L * delta)
        integral = (T ** (1 - q) - (n + 1) ** (1 - q)) / (1 - q) if n + 1 < T else 0
        best = min(best, n + B * integral + math.exp(-L * delta * n) / (1 - math.exp(-L * delta)) ** 2)
        n = max(n + 1, math.floor(n * 1.02))
    return best


def value(variant, r, T):
    alpha, L, U, gap = (float(r[k]) for k in ("alpha", "L_opt", "U", "gap"))
    if variant == "explicit":
        return 2 * L * alpha * math.sqrt(gap), explicit(alpha, L, gap, T)
    p = 2 * L * alpha * (gap if variant == "figure_e5" else math.sqrt(gap))
    first = T ** (1 - p) / (1 - p)
    if variant == "printed":
        return p, first + 2 * alpha * math.sqrt(U * T) * math.log(T)
    return p, first if variant == "figure_e5" else the_sum(p, alpha * alpha * U, T)


def verdict(bound, T, low, high):
    return "vacuous" if bound >= T else "violated" if low > bound else "holds" if high <= bound else "inconclusive"


def one(d, n):
    arms = [(random.uniform(1.2, 8), random.uniform(0.8, 1.2)) for _ in range(3)]
    alpha, T = 10 ** random.uniform(-1.5, 1), random.choice([30, 90, 150])
    with open(f"{d}/{n}.yaml", "w") as f:
        f.write("name: powers\nproblem: {arms: [" + ", ".join(f"{{family: power, a: {a!r}, s: {s!r}}}" for a, s in arms) +
                f"]}}\npolicies: [{{name: max_ucb, alpha: {alpha!r}}}]\nhorizons: [{T}]\nreplications: 20\nseed: {n}\n")
    run("run", f"{d}/{n}.yaml", "-o", f"{d}/{n}.h5", "-q")
    top = [s ** -a for a, s in arms]
    mean = [b * a * T / (a * T + 1) for (a, _), b in zip(arms, top)]
    best = max(range(3), key=lambda k: mean[k])
    seen, good = 0, True
    certified = rows(run("certify", f"{d}/{n}.yaml", "--refinement", "0.2", "--csv"))
    for r in rows(run("bounds", f"{d}/{n}.h5", "--csv")):
        i, variant = int(r["arm"]), r["variant"]
        gap = top[best] - top[i] if variant in ("endpoint", "explicit") else mean[best] - mean[i]
        if variant == "crossing":  # `certify` also knows that all pulls are T together
            good &= r["lower"] == r["p"] == r["regime"] == "" and float(certified[i]["upper"]) <= float(r["bound"]) * (1 + 1e-12)
            good &= float(r["bound"]) <= float(certified[i]["upper"]) * 1.5
            good &= r["verdict"] == verdict(float(r["bound"]), T, float(r["ci_low"]), float(r["ci_high"]))
            continue
        if gap < 0:  # the best arm at T has the lower end: the form is not applicable
            good &= r["verdict"] == "not-applicable"
            continue
        p, bound = value(variant, r, T)
        good &= near(float(r["L_opt"]), 1 / top[best]) and near(float(r["U"]), arms[i][0] / top[i])
        good &= near(float(r["gap"]), gap) and near(float(r["p"]), p) and near(float(r["bound"]), bound)
        good &= near(float(r["ratio"]), bound / float(r["mean_pulls"])) and r["regime"] == ("p<1" if p < 1 else "p>1")
        good &= r["verdict"] == verdict(bound, T, float(r["ci_low"]), float(r["ci_high"]))
        seen += 1
    shown = [line.split() for line in run("bounds", f"{d}/{n}.h5", "--show", "variant,bound").splitlines()]
    exact = [(r["variant"], float(r["bound"])) for r in rows(run("bounds", f"{d}/{n}.h5", "--csv")) if r["bound"]]
    seen_by_people = [(line[0], float(line[1])) for line in shown if len(line) == 2 and line[0] in dict(exact) and line[1] != "-"]
    outwards = len(seen_by_people) == len(exact) and all(
        a == b and x <= y <= x + abs(x) * 2e-5 for (a, x), (b, y) in zip(exact, seen_by_people))
    return seen, good, outwards and any(x < y for (_, x), (_, y) in zip(exact, seen_by_people))


def two(d):
    """Of two arms, the band of `certify`; other variants have no lower bound."""
    with open(f"{d}/two.yaml", "w") as f:
        f.write("name: two\nproblem: {arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1}]}\n"
                "policies: [{name: max_ucb, alpha: 0.4}]\nhorizons: [60, 150]\nreplications: 400\nseed: 1\n")
    run("run", f"{d}/two.yaml", "-o", f"{d}/two.h5", "-q")
    bounds = [r for r in rows(run("bounds", f"{d}/two.h5", "--csv")) if r["lower"]]
    certified = rows(run("certify", f"{d}/two.yaml", "--refinement", "0.2", "--csv"))
    bands = [r for r in certified if r["arm"] == bounds[0]["arm"]]
    return len(bounds) == 2 and all(
        b["variant"] == "crossing" and (b["horizon"], b["lower"], b["bound"]) == (c["horizon"], c["lower"], c["upper"]) and
        1 < float(b["lower"]) < float(b["bound"]) and b["verdict"] in ("holds", "inconclusive") for b, c in zip(bounds, bands))


def late(d):
    """Recorded rewards that get better only after the pulls end: fewer pulls than independent draws of them would get."""
    with open(f"{d}/late.csv", "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        f.writelines(f"late,{arm},{r},{t},{reward}\n" for r in range(3) for t in range(60)
                     for arm, reward in (("a", .9 + .01 * ((7 * t + r) % 10)), ("b", .2 if t < 30 else .97)))
    with open(f"{d}/late.yaml", "w") as f:
        f.write("problem: {trajectories: late.csv}\npolicies: [{name: max_ucb, alpha: 0.3}]\nhorizons: [60]\n")
    run("run", f"{d}/late.yaml", "-o", f"{d}/late.h5", "-q")
    r, = rows(run("bounds", f"{d}/late.h5", "--variant", "crossing", "--csv"))
    return float(r["ci_high"]) < float(r["lower"]) < float(r["bound"]) < 60 and r["verdict"] == "violated"


with folder() as d:
    done = [one(d, n) for n in range(20)]
    band, below = two(d), late(d)
check(band, "bounds of two arms from both sides are those of `maxk certify`")
check(below, "a mean below the lower bound is a violation")
check(all(good for _, good, _ in done), "L, U, gap, p, bound, ratio and verdict of six forms on 20 random problems")
compared = sum(seen for seen, _, _ in done)
check(all(outwards for *_, outwards in done), "the digits that people see are rounded up")
check(compared > 120, f"{compared} rows compared")
finish()
