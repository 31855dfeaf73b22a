"""maxk claims: the registry, both forms of output, refusals, the same rows for any number of threads."""
import csv
import glob
import io
import math
import os
import re
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

CLAIMS = "analysis/compare/claims"
HEADER = "claim,source,where,quantity,relation,expected,observed,ci_low,ci_high,verdict,note"
THREADED = ["proposition_4_1", "theorem_4_2", "corollary_4_3", "table_c3", "lu_coverage", "quantile_variance", "er_ucb",
            "hu_table_1", "successive_halving", "growth_typical", "growth_mean"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_registry():
    listed = re.findall(r"^CLAIM\(([a-z0-9_]*)", read(f"{CLAIMS}/claims.def"), re.M)
    defined = [name for path in glob.glob(f"{CLAIMS}/*.c")
               for name in re.findall(r"^const struct mk_claim mk_claim_([a-z0-9_]*) = ", read(path), re.M)]
    check(len(listed) > 10, f"there are {len(listed)} claims")
    check(sorted(defined) == sorted(listed), f"every claim is in claims.def and the reverse: {sorted({*defined} ^ {*listed})}")
    found = [r["claim"] for r in rows(run("claims", "--list", "--csv"))]
    check(found == listed, f"--list has them in that order: {found}")


def check_last_line(claim, text, want):
    last = run("claims", claim).splitlines()[-1]
    check(last == want + ", 0 vacuous, 0 inconclusive, 0 not-applicable", f"{text}: {last}")


def check_forms():
    # Nguyen 2024: what its plans have in common with their sources is a number of configurations and one of eliminations.
    check_last_line("thesis_plans", "slips of printed plans", "2 holds, 16 violated")
    check_last_line("table_c2", "the last line counts the verdicts", "8 holds, 0 violated")
    check_last_line("lemma_a1", "Lemma A.1 holds but at atoms, where the printed form lacks the strict survival function",
                    "101 holds, 5 violated")
    table = run("claims", "lemma_3_3", "--csv", text="a claim as CSV")
    check(table.splitlines()[0] == HEADER, f"its header: {table.splitlines()[0]}")
    lengths = {len(r) for r in csv.reader(io.StringIO(table))}
    check(lengths == {11}, f"every row has eleven columns: {lengths}")
    # 1 - (1 - eps)^4 over eps, for eps from 1e-6 to 1
    ratio = {r["quantity"][:5]: float(r["observed"]) for r in rows(table) if r["where"] == "power 4, 1"}
    check(ratio["least"] == 1 and abs(ratio["large"] - (4 - 6e-6)) < 1e-9, f"exact values of Lemma 3.3: {ratio}")


def check_growth():
    growth, slopes = (rows(run("claims", "corollary_4_3", "--csv", "--replications", n,
                               text=f"corollary_4_3, {n} replications")) for n in ("5", "500"))
    same = [r["where"].split(", ")[1] for r in growth if r["quantity"].startswith("the same")]
    check(same == ["T = 1e+08"] * 2, f"growth at the last horizon alone: {same}")
    slope = next(float(r["observed"]) for r in slopes if r["where"] == "two uniform arms, T from 10^4 on")
    later = []  # log T, log y and weight of what is certainly not 0
    for r in slopes:
        if r["where"].startswith("two uniform arms, T = 1") and r["quantity"].startswith("R(T)") and float(r["ci_low"]) > 0:
            horizon, y = float(r["where"].split("T = ")[1].split(",")[0]), float(r["observed"])
            if horizon >= 1e4:
                later.append((math.log(horizon), math.log(y), (y / (float(r["ci_high"]) - float(r["ci_low"]))) ** 2))
    mean = [sum(p[2] * p[i] for p in later) / sum(p[2] for p in later) for i in (0, 1)]
    fitted = (sum(w * (x - mean[0]) * (y - mean[1]) for x, y, w in later) / sum(w * (x - mean[0]) ** 2 for x, _, w in later))
    check(len(later) >= 3 and abs(slope - fitted) < 1e-9, f"a slope by hand: {slope}, {fitted}, {later}")
    return growth + slopes


def check_notes():
    notes = rows(run("claims", "theorem_4_2", "--csv", "--replications", "20", text="theorem_4_2"))
    # p = 2 alpha L sqrt(gap) = 1.00005: E[M(T)] = s^-a T / (T + 1/a) with a = 3, s = 1.01 and with a = 4, s = 1, where L = 1
    horizon = 1e4
    alpha = 1.00005 / (2 * math.sqrt(horizon / (horizon + 1 / 4) - 1.01 ** -3 * horizon / (horizon + 1 / 3)))
    critical = [r["where"] for r in notes if r["where"].startswith("power arms, printed, p>1: ")]
    check(f"alpha = {alpha:.6g}, T = 10000, arm 0;" in critical[0], f"the critical alpha by hand: {alpha}, {critical[0]}")
    lockouts = [r for r in notes if ", printed, p>1" not in r["where"] and "figure_e5" not in r["where"]]
    wrong = [r for r in lockouts if ("rare lock-outs" in r["note"]) != (r["verdict"] == "violated")]
    check({"violated", "holds"} <= {r["verdict"] for r in lockouts} and not wrong, f"notes on violated rows alone {wrong[:2]}")
    wrong = [r for r in notes if r["note"].startswith("not the theorem") != (", figure_e5" in r["where"])]
    check(not wrong, f"a note on what is not the theorem {wrong[:2]}")
    return notes


def check_drawn():
    typical = rows(run("claims", "growth_typical", "--csv", "--replications", "20", text="growth_typical"))
    verdicts = [r["verdict"] for r in typical]
    check(len(typical) == 28 and {*verdicts} <= {"holds", "inconclusive"}, f"none is violated: {verdicts}")
    hu = rows(run("claims", "hu_table_1", "--csv", "--replications", "5", text="hu_table_1"))
    shares = [float(r["observed"]) for r in hu]
    check(all(0 < share < 1 for share in shares) and abs(shares[0] - .9) < .03, f"shares of the best arm: {shares}")
    return typical + hu


def check_rising():
    rising = rows(run("claims", "rising_bandits", "--csv", "--experiments", "curves", text="rising_bandits"))
    # mpmath: gamma = 46 and 3 curves b (1 - exp(-n / s)), b = .9, .7, .5, s = 20, 10, 5; round robin of 3 arms: r(200) - r(67)
    first = {r["quantity"].split(":")[0]: float(r["expected"]) for r in rising
             if r["where"] == "three exponential arms, T = 200, C = 1, gamma = 46"}
    check(abs(first["Theorem 1"] - 0.0040240629115651648) < 1e-15 and abs(first["Corollary 1"] - 0.033153990724329769) < 1e-15,
          f"bounds of rising bandits: {first}")
    # "a best arm in steps of 20": 20 equal rewards each, with .9 (1 - exp(-n / 60)) at their first
    stairs = next(r["experiment"] for r in rising if r["where"].startswith("a best arm in steps of 20, T = 60,"))
    steps = [float(r["reward"]) for r in rows(read(stairs.replace(".yaml", ".csv"))) if r["arm"] == "arm 0"]
    check(len(steps) == 60 and all(len({*steps[n:n + 20]}) == 1 for n in (0, 20, 40))
          and all(abs(steps[n] - .9 * (1 - math.exp(-(n + 1) / 60))) < 1e-15 for n in (0, 20, 40)),
          f"an arm in steps of 20: {steps[::20]}")


def check_values():
    """Notes and rows that depend on a verdict or on the horizon."""
    drawn = check_growth() + check_notes() + check_drawn()
    check_rising()
    drawn = [r for r in drawn if r["ci_low"]]
    wrong = [r for r in drawn if not float(r["ci_low"]) <= float(r["observed"]) <= float(r["ci_high"])]
    check(drawn and not wrong, f"the intervals of {len(drawn)} rows hold what was observed {wrong[:2]}")


def check_threads():
    for claim in THREADED:
        one, three = (run("claims", claim, "--csv", "--replications", "5", "-j", threads) for threads in "13")
        check(one.count("\n") > 3 and one == three, f"{claim}: the same rows on 1 and 3 threads")


def check_files():
    """The experiments of a claim as files: every row names its file, which runs and gives the row's number."""
    table = rows(run("claims", "corollary_4_3", "--csv", "--replications", "50", "--experiments", "x",
                     text="a claim writes its experiments"))
    check(len(os.listdir("x")) == 14, f"14 of them: {sorted(os.listdir('x'))}")
    run("run", "x/corollary_4_3_1.yaml", "-o", "x.h5", "-q", "--engine", "record", text="one of them runs")
    regret = float(rows(run("summary", "x.h5", "--csv", text="its summary"))[0]["regret"])
    first = next(r for r in table if r["experiment"].endswith("_1.yaml"))
    check(all(os.path.exists(r["experiment"]) for r in table)
          and abs(float(first["observed"]) - regret / (5 * math.log(100) / 10)) < 1e-12,
          f"a row's experiment file gives its number: {first}, {regret}")


def check_files_without_runs():
    """Also those without a run: distributions for `maxk lu`, curves as recorded rewards."""
    c2 = rows(run("claims", "table_c2", "--csv", "--experiments", "x", text="table_c2"))
    lu = rows(run("lu", "x/table_c2_2.yaml", "--estimator", "exact", "--csv", text="its arms through maxk lu"))
    cover = rows(run("claims", "lu_coverage", "--csv", "--replications", "5", "--experiments", "x", text="lu_coverage"))
    rising = rows(run("claims", "rising_bandits", "--csv", "--experiments", "x", text="rising_bandits"))
    run("run", "x/rising_bandits_4.yaml", "-o", "rising.h5", "-q", text="its experiment runs")
    summary = rows(run("summary", "rising.h5", "--csv", text="and its summary"))
    files = [{r["experiment"] for r in table} for table in (c2, rising, cover)]
    check(all(map(os.path.exists, set.union(*files))) and [*map(len, files)] == [2, 21, 6],
          f"every row of claims on known distributions and curves has a file: {[*map(len, files)]}")
    known = [row for row in c2 if row["experiment"].endswith("_2.yaml") and "full range" in row["where"]]
    check(known and all(float(row["expected"]) == float(lu[0][row["quantity"][0]]) for row in known),
          f"that of distributions gives its numbers: {known}, {lu}")
    mine = [r for r in rising if r["experiment"].endswith("_4.yaml")]
    regret = {r["policy"]: float(r["regret"]) for r in summary}
    check(len(mine) == 3 and abs(float(mine[0]["observed"]) - regret["rising_bandit"]) < 1e-12
          and abs(float(mine[1]["expected"]) - regret["uniform"]) < 1e-12, f"so does that of curves: {mine}, {regret}")


check_registry()
with folder() as directory:
    os.chdir(directory)
    check_forms()
    check_values()
    check_threads()
    check_files()
    check_files_without_runs()
    refused("an unknown claim", "no_such_claim", "claims", "no_such_claim")
    os.chdir("/")
finish()
