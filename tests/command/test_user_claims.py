"""`claims:` of an experiment file: values, verdicts, the tables and figures they join, and refusals."""
import glob
import math
import os
import re
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run, write

HEAD = """name: own
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0.1, hi: 0.5}]}
policies: [{name: max_ucb, alpha: [0.5, 1, 2], label: "a={alpha}"}, {name: uniform}]
horizons: [100, 1000]
replications: 200
claims:
"""
CLAIMS = """  - {name: log rate, of: pulls, at_most: 3 * alpha * log(T) / sqrt(gap_endpoint) + U ^ 2}
  - {name: share, of: pulls, at_least: T / K}
  - {name: proved, of: pulls, at_most: certified_upper}
  - {name: root, of: regret, at_most: "K * log(T) / sqrt(T) * b_max * L + 0 * best_max + min_gap", policy: a=1}
"""
MANY = """name: many
problem: {arms: [{family: uniform, lo: 0, hi: {uniform: [0.5, 0.9]}, label: "a{i}", repeat: 120}]}
policies: [max_ucb]
horizons: [1000]
replications: 5
"""
PLAIN = """name: plain
problem: {arms: [{family: pareto, shape: 2}, {family: pareto, shape: 3}]}
policies: [{name: uniform}]
horizons: [10, 100]
replications: 20
claims: [{name: halved, of: regret, at_most: best_max / 2}]
"""


def place(row):
    return row["policy"], row["horizon"], row["arm"]


def of_variant(table, name):
    return [r for r in table if r["variant"] == name]


def variants(table):
    return sorted({r["variant"] for r in table})


def formula(row):
    """The bound by hand. Uniform arms: E[M(T)] = lo + (hi - lo) T / (T + 1), L = 1 and U = 1 / (hi - lo)."""
    horizon = float(row["horizon"])
    best, others = horizon / (horizon + 1), [.8 * horizon / (horizon + 1), .1 + .4 * horizon / (horizon + 1)]
    if row["variant"] == "root":
        return 3 * math.log(horizon) / math.sqrt(horizon) + best - max(others)
    if row["variant"] == "share":
        return horizon / 3
    alpha = {"a=0.5": .5, "a=1": 1, "a=2": 2}.get(row["policy"], math.nan)
    gap, u = {"1": (.2, 1.25), "2": (.5, 2.5)}[row["arm"]]
    return 3 * alpha * math.log(horizon) / math.sqrt(gap) + u ** 2


def verdict(row, bound):
    low, high = float(row["ci_low"]), float(row["ci_high"])
    if row["variant"] == "share":
        return "violated" if high < bound else "holds" if low >= bound else "inconclusive"
    most = float(row["horizon"]) if row["arm"] else math.inf
    return "vacuous" if bound >= most else "violated" if low > bound else "holds" if high <= bound else "inconclusive"


def check_values(claims):
    check(len(claims) == 4 * 2 * 6 + 2 and all(r["policy"] == "a=1" and r["arm"] == "" for r in of_variant(claims, "root")),
          f"there are those of {len(claims)} rows, that of the regret for its policy alone")
    by_hand = [(r, formula(r)) for r in claims if r["variant"] != "proved"]
    wrong = [(r, want) for r, want in by_hand if (r["bound"] == "") != math.isnan(want)
             or r["bound"] and not abs(float(r["bound"]) - want) <= 1e-10 * want]
    check(not wrong, f"bounds agree with formulas evaluated independently of the program to 1e-10 {wrong[:2]}")
    wrong = [r for r, _ in by_hand
             if r["verdict"] != (verdict(r, float(r["bound"])) if r["bound"] else "not-applicable")
             or r["variant"] == "share" and r["regime"] != "at_least"]
    check(not wrong, f"verdicts agree with their definition {wrong[:2]}")
    found = {r["verdict"] for r in claims}
    check({"holds", "violated", "not-applicable"} <= found, f"several occur: {sorted(found)}")


def check_certified(everything, text):
    crossing = {place(r): r["bound"] for r in of_variant(everything, "crossing")}
    proved = {place(r): r["bound"] for r in of_variant(everything, "proved")}
    others = [proved[key] for key in proved if key not in crossing]
    check(len(crossing) == 12 and all(proved.get(key) == bound for key, bound in crossing.items()) and others == [""] * 4,
          "certified_upper is the bound of the variant crossing, and undefined for other policies")
    bound = {key: float(b) for key, b in proved.items() if b}
    seen = {}
    for words in map(str.split, text.splitlines()):
        if words[:1] == ["proved"] and words[-2] != "-":
            seen[words[1], words[3], words[words.index("arm") + 1]] = float(words[-2])
    check(seen.keys() == bound.keys() and all(bound[k] <= seen[k] <= bound[k] * (1 + 1e-5) for k in bound),
          f"a certified bound that people see is rounded up: {seen}, {bound}")
    check(any(seen[k] > float(f"{bound[k]:.6g}") for k in seen), "one of them would be rounded the other way to the nearest")


def in_figures(pattern, label):
    return any(re.search(f"^# curve .*: {label}", open(path).read(), re.M) for path in glob.glob(f"figures/{pattern}.dat"))


def late(name):
    """The points of the only curve of this claim."""
    [_, after] = open(f"figures/late_{name}.dat").read().split(": late\n")
    return [line.split() for line in after.split("\n\n")[0].splitlines() if not line.startswith("#")]


def check_summary(claims, before):
    text = run("summary", "own.h5", text="summary")
    check(text == before, "summary says the same after the figures")
    check(re.search("^share  *.*>=", text, re.M), "summary shows them")
    check(re.search("^Claims of the experiment", text, re.M), "under a heading")
    cells = {place(r): r for r in rows(run("summary", "own.h5", "--csv", text="summary --csv"))}
    pairs = [(r, cell) for r in claims for key, cell in cells.items()
             if key[:2] == (r["policy"], r["horizon"]) and r["arm"] in ("", key[2])]
    wrong = [r for r, cell in pairs
             if (cell[f"claim: {r['variant']}"], cell[f"verdict: {r['variant']}"]) != (r["bound"], r["verdict"])]
    check(len(pairs) > 20 and not wrong and list(next(iter(cells.values())))[15] == "proxy_regret",
          f"its further columns have the bounds and verdicts of maxk bounds {wrong[:2]}")


def check_own():
    write("own.yaml", HEAD + CLAIMS)
    run("run", "own.yaml", "-o", "own.h5", "-q", text="an experiment with claims runs")
    claims = rows(run("bounds", "own.h5", "--variant", "claims", "--csv", text="its claims are tabulated"))
    check_values(claims)
    everything = rows(run("bounds", "own.h5", "--csv", text="the table of everything"))
    check(variants(everything) == ["crossing", "endpoint", "explicit", "figure_e5", "log rate", "printed", "proved", "root",
                                   "share", "sum"], f"they follow the theorem in it: {variants(everything)}")
    summary = run("summary", "own.h5", text="summary as text")
    check_certified(everything, summary)
    alone = rows(run("bounds", "own.h5", "--variant", "sum", "--csv", text="one variant alone"))
    check(variants(alone) == ["sum"], f"is without them: {variants(alone)}")
    text = run("bounds", "own.h5", text="bounds as text")
    check("\n  share: N_i(T) >= T / K" in text, "the text says what they are")
    table = run("bounds", "own.h5", "--lu", "dkw", "--csv", text="bounds --lu dkw").splitlines()
    lengths = {line.count(",") + 1 for line in table}
    check(lengths == {25}, f"every row has its further columns: {lengths}")
    run("figures", "own.h5", "--out", "figures", text="figures")
    check(in_figures("own_bounds_*_arm1", "share"), "they are in the figures of pulls")
    check(in_figures("own_bound_alpha_arm1_T1000", "log rate"), "in those against alpha")
    check(in_figures("own_regret*", "root"), "in those of the regret")
    check_summary(claims, summary)


def check_many():
    write("many.yaml", MANY)
    run("run", "many.yaml", "-o", "many.h5", "-q", text="120 arms run")
    text = run("bounds", "many.h5", "--variant", "printed", text="their bounds as text")
    table = rows(run("bounds", "many.h5", "--variant", "printed", "--csv", text="as CSV"))
    count = len(re.findall("^max_ucb .* printed ", text, re.M)), len(of_variant(table, "printed"))
    check(count == (13, 119), f"people see the arms of rank 1 to 10, 20, 50, 100 and the last but the best: {count}")


def check_late():
    run("run", "own.yaml", "-s", "claims=[{name: late, of: pulls, at_most: T - 500}]", "-s", "name=late", "-o", "late.h5", "-q")
    run("figures", "late.h5", "--out", "figures", "--only", "bounds", "--only", "bound_alpha")
    points = late("bounds_a_1_arm1")
    check(points == [["100", "NaN"], ["1000", "500"]],
          f"a bound that is not above 0 is a gap in those against T, which have log axes: {points}")
    points = late("bound_alpha_arm1_T100")
    check(points == [["0.5", "NaN"], ["1", "NaN"], ["2", "NaN"]], f"and in those against alpha: {points}")


def check_plain():
    write("plain.yaml", PLAIN)
    run("run", "plain.yaml", "-o", "plain.h5", "-q", text="a claim of any policy on unbounded arms")
    run("figures", "plain.h5", "--out", "figures", text="its figures")
    check(in_figures("plain_regret", "halved"), "hold the claim")


def check_refusals():
    for claims, what in [("  - {name: a, of: pulls, at_most: 2 * beta}",
                          "bad.yaml:7:35: at_most: character 5: unknown quantity 'beta'"),
                         ("  - {name: a, of: regret, at_most: gap}", "at_most: character 1: unknown quantity 'gap'"),
                         ("  - {name: a, of: pulls}", "claims: expected a formula in exactly one of at_most and at_least"),
                         ("  - {name: a, of: pulls, at_most: 1, at_least: 0}",
                          "claims: expected a formula in exactly one of at_most and at_least"),
                         ("  - {name: a, of: rewards, at_most: 1}", "of: expected one of pulls, regret; got rewards"),
                         ("  - {of: pulls, at_most: 1}", "name: missing"),
                         ("  - {name: a, of: pulls, at_most: 1, policy: b}",
                          "policy: no policy of the experiment is labelled 'b'"),
                         ("  - {name: a, of: pulls, at_most: 1, extra: b}", "unknown key 'extra'"),
                         ("  - {name: a, of: pulls, at_most: 1}\n  - {name: a, of: pulls, at_most: 2}",
                          "name: two claims have the name 'a'"),
                         ("  - {name: a, of: pulls, at_most: (1}", "closing"), ("  name: a", "claims")]:
        write("bad.yaml", f"{HEAD}{claims}\n")
        refused("refused", what, "run", "bad.yaml", "-o", "bad.h5", "-q")
    check(not os.path.exists("bad.h5"), "none of them leaves a result")


with folder() as directory:
    os.chdir(directory)
    check_own()
    check_many()
    check_late()
    check_plain()
    check_refusals()
    os.chdir("/")
finish()
