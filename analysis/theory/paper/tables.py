"""What the paper has been measured: `tables.py MAXK OUT` runs the program and writes, into the folder OUT, the tables, the figure
and numbers.tex, the macros by which the text cites a number. Two minutes on two cores. What the text says of the numbers is
asserted here. Bounds are rounded outwards."""
import csv
import io
import math
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
EXPERIMENTS = os.path.join(TOP, "experiments")
ARMS = "[{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1}]"
BAND_RUNS, SMALL_RUNS, TWO_RUNS = 50000, 20000, 100000
macros = {}


class Program:
    def __init__(self, maxk, out):
        self.maxk, self.out = os.path.abspath(maxk), os.path.abspath(out)
        os.makedirs(out, exist_ok=True)

    def __call__(self, *arguments, text=None):
        """Standard output of `maxk ARGUMENTS`, run in OUT."""
        done = subprocess.run([self.maxk, *map(str, arguments)], input=text, capture_output=True, text=True, cwd=self.out)
        if done.returncode:
            sys.exit(f"maxk {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def rows(self, *arguments, text=None):
        return list(csv.DictReader(io.StringIO(self(*arguments, "--csv", text=text))))

    def write(self, name, text):
        with open(os.path.join(self.out, name), "w", encoding="utf-8") as file:
            file.write(text)

    def table(self, name, columns, heads, lines):
        """heads, lines: texts of cells; None as a line: a rule."""
        body = "".join("\\addlinespace\n" if line is None else " & ".join(line) + " \\\\\n" for line in lines)
        head = "".join(" & ".join(head) + " \\\\\n" if isinstance(head, list) else head + "\n" for head in heads)
        self.write(name, f"\\centering\\small\n\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{head}\\midrule\n{body}"
                         "\\bottomrule\n\\end{tabular}\n")


# ---- numbers as TeX ----

def rounded(x, digits, to):
    """x to so many digits; to: round, math.floor or math.ceil."""
    if x == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(x))) - digits + 1)
    near = round(x / unit)
    whole = near if abs(x / unit - near) < 1e-9 else to(x / unit)
    return whole * unit


def number(x, digits=3, to=round):
    """In mathematics mode."""
    x = rounded(x, digits, to)
    size = math.floor(math.log10(abs(x)) + 1e-12) if x else 0
    if size >= 6 or size < -3:
        mantissa = f"{x / 10.0 ** size:.{digits - 1}f}"
        return rf"10^{{{size}}}" if float(mantissa) == 1 else rf"{mantissa}\cdot10^{{{size}}}"
    text = f"{x:.{max(0, digits - 1 - size)}f}"
    whole, _, rest = text.partition(".")
    whole = re.sub(r"(?<=\d)(?=(\d{3})+$)", r"\\,", whole) if len(whole) > 4 else whole
    return whole + ("." + rest if rest else "")


def lower(x, digits=4):
    return f"${number(float(x), digits, math.floor)}$"


def upper(x, digits=4):
    return f"${number(float(x), digits, math.ceil)}$"


def mean(x, error):
    """mean ± standard error, to two digits of the error"""
    x, error = float(x), float(error)
    places = max(0, 1 - math.floor(math.log10(error)))
    whole = number(round(x), len(str(round(x)))) if places == 0 else f"{x:.{places}f}"
    return f"${whole}\\pm{error:.{places}f}$"


def count(n):
    return f"${number(int(n), len(n))}$"


def horizon(t):
    power = round(math.log10(float(t)))
    return f"$10^{{{power}}}$" if float(t) == 10.0 ** power and power > 3 else f"${float(t):.0f}$"


def formula(text):
    """For text and formulas alike."""
    return f"\\ensuremath{{{text.replace('$', '')}}}"


def say(**named):
    for name, text in named.items():
        macros[name] = str(text)


def only(rows, **want):
    found = [row for row in rows if all(row[k] == v if isinstance(v, str) else float(row[k]) == v for k, v in want.items())]
    return found


def the(rows, **want):
    found = only(rows, **want)
    assert len(found) == 1, (want, len(found))
    return found[0]


# ---- tables ----

def published_bound(maxk):
    """Theorem 4.2 against certified bounds on the arms of theorem_fails.yaml."""
    where = (f"{EXPERIMENTS}/theorem_fails.yaml", "-s", "policies.0.alpha=0.4", "-s", "policies.0.label=max_ucb")
    times = (1e4, 1e5, 1e6, 1e7, 1e8)
    horizons = ",".join(f"{t:.0f}" for t in times)
    maxk("run", *where, "-s", f"horizons=[{horizons}]", "-s", "replications=10", "-o", "fails.h5", "-q")
    bounds = only(maxk.rows("bounds", "fails.h5", "--variant", "printed"), arm=1)
    certified = only(maxk.rows("certify", *where, "--horizons", horizons, "--refinement", "0.05"), arm=1)
    lines = []
    for t in times:
        published, band = the(bounds, horizon=t), the(certified, horizon=t)
        assert float(published["p"]) < 1 and float(band["lower"]) > float(published["bound"]), (published, band)
        lines.append([horizon(t), f"${float(published['p']):.4f}$", f"${number(float(published['bound']), 4)}$",
                      lower(band["lower"]), upper(band["upper"])])
    maxk.table("table_fails.tex", "rrrrr", [["$T$", "$p$", "Theorem 4.2", "from below", "from above"]], lines)
    say(nFailsP=f"{float(published['p']):.2f}", nFailsT=horizon(t),
        nFailsRatio=number(float(band["lower"]) / float(published["bound"]), 2, math.floor))


def band(maxk):
    """Five power arms over decades of T, with two bonuses; the figure."""
    file = f"{EXPERIMENTS}/certified_band.yaml"
    maxk("run", file, "-s", f"replications={BAND_RUNS}", "-o", "band.h5", "-q")
    maxk("figures", "band.h5", "--only", "bands", "-f", "tex", "--title", "none", "--size", "13.4cmx8.4cm", "-o", ".")
    maxk.write("figure_band.tex", "\\input{certified_band_bands_arm0}\n")
    times = (1e2, 1e4, 1e7, 1e12)
    simulated = maxk.rows("summary", "band.h5")
    certified = maxk.rows("certify", file, "--horizons", ",".join(f"{t:.0f}" for t in times), "--refinement", "0.05")
    lines = []
    for policy, power in (("max_ucb", "1"), ("power 1.5", "1.5")):
        lines += [None] if lines else []
        for t in times:
            row = the(certified, policy=policy, horizon=t, arm=0)
            seen = only(simulated, policy=policy, horizon=t, arm=0)
            lines.append([power if t == times[0] else "", f"${float(row['alpha']):g}$" if t == times[0] else "", horizon(t),
                          mean(seen[0]["mean_pulls"], seen[0]["se_pulls"]) if seen else "", lower(row["lower"]),
                          upper(row["upper"]), count(row["q50"]), count(row["q99"]), upper(row["lock_out"], 2)])
            if seen:
                assert float(seen[0]["mean_pulls"]) - 4.5 * float(seen[0]["se_pulls"]) < float(row["upper"])
                assert float(seen[0]["mean_pulls"]) + 4.5 * float(seen[0]["se_pulls"]) > float(row["lower"])
    maxk.table("table_band.tex", "lrrrrrrrr",
               [["$\\beta$", "$\\alpha$", "$T$", "mean", "from below", "from above", "median", "99\\,\\%", "lock-out"]],
               lines)
    growth = [row for row in maxk.rows("rate", "band.h5") if row["policy"] == "max_ucb" and row["arm"] == "0"][0]
    rate = float(growth["claim_exponent_joint"])
    say(nExponent=f"{1 - rate:.3f}", nGrowth=f"{rate:.3f}", nBandRuns=number(BAND_RUNS, 5),
        nPowerUpper=number(float(the(certified, policy="power 1.5", horizon=1e12, arm=0)["upper"]), 3, math.ceil),
        nOneLower=number(float(the(certified, policy="max_ucb", horizon=1e12, arm=0)["lower"]), 3, math.floor))


def closed_forms(maxk):
    """All suboptimal power arms at one horizon: certified, simulated, in closed form."""
    where = (f"{EXPERIMENTS}/certified_band.yaml", "-s", "horizons=[2000]")
    maxk("run", *where, "-s", f"replications={SMALL_RUNS}", "-o", "small.h5", "-q")
    bounds = only(maxk.rows("bounds", "small.h5"), policy="max_ucb")
    simulated = only(maxk.rows("summary", "small.h5"), policy="max_ucb")
    certified = only(maxk.rows("certify", *where), policy="max_ucb")
    lines, ratios = [], []
    for arm in range(4):
        row, seen = the(certified, arm=arm), the(simulated, arm=arm)
        printed, explicit = (float(the(bounds, arm=arm, variant=v)["bound"]) for v in ("printed", "explicit"))
        ratios.append(printed / float(seen["mean_pulls"]))
        lines.append([str(arm + 1), lower(row["lower"]), mean(seen["mean_pulls"], seen["se_pulls"]), upper(row["upper"]),
                      f"${number(explicit, 4, math.ceil)}$" if explicit < 2000 else "$T$", f"${number(printed, 4)}$"])
    maxk.table("table_bounds.tex", "rrrrrr",
               [["arm", "from below", "mean", "from above", "Theorem~\\ref{thm:8}", "Theorem 4.2"]], lines)
    arms = open(where[0], encoding="utf-8").read()
    pairs = re.findall(r"family: power, a: ([0-9.]+), s: ([0-9.]+)", arms)
    assert len(pairs) == 5
    say(nLooseFrom=number(min(ratios), 2, math.floor), nLooseTo=number(max(ratios), 2, math.ceil),
        nSmallRuns=number(SMALL_RUNS, 5), nArms=", ".join(f"({a},{s})" for a, s in pairs))
    regret = [row for row in maxk.rows("certify", where[0], "--best-alpha", "--policy", "max_ucb", "--horizons", "2000")
              if row["best"] == "1"]
    say(nRegret=number(float(regret[0]["regret"]), 3, math.ceil), nRegretAlpha=number(float(regret[0]["alpha"]), 3),
        nRegretProposition=number(float(regret[0]["proposition_4_1"]), 2, math.ceil))


def price(maxk):
    """Pulls of all suboptimal power arms with power 1 and 1.5, by alpha."""
    alphas, times = (0.3, 0.5, 0.7, 1.0), (2e2, 1e6, 1e12)
    arms = re.search(r"problem:\n(?: .*\n)+", open(f"{EXPERIMENTS}/certified_band.yaml", encoding="utf-8").read())[0]
    policies = "".join(f"  - {{name: max_ucb, alpha: {a}, label: one {a}}}\n"
                       f"  - {{name: max_ucb, alpha: {a / math.sqrt(math.log(200)):.6f}, power: 1.5, label: more {a}}}\n"
                       for a in alphas)
    text = (f"name: price\n{arms}policies:\n{policies}horizons: [{', '.join(f'{t:.0f}' for t in times)}]\nreplications: 1\n")
    rows = [row for row in maxk.rows("certify", "-", "--refinement", "0.2", text=text) if row["arm"] != "4"]

    def band_of(label, t):
        own = only(rows, policy=label, horizon=t)
        assert len(own) == 4
        return [sum(float(row[side]) for row in own) for side in ("lower", "upper")]
    lines = []
    for a in alphas:
        line = [f"${a:.1f}$"]
        for t in times:
            one, more = band_of(f"one {a}", t), band_of(f"more {a}", t)
            line += [f"{lower(one[0], 3)}", upper(one[1], 3), lower(more[0], 3), upper(more[1], 3)]
        lines.append(line)
    heads = [["", *(f"\\multicolumn{{4}}{{c}}{{$T={horizon(t)[1:-1]}$}}" for t in times)],
             "\\cmidrule(lr){2-5}\\cmidrule(lr){6-9}\\cmidrule(l){10-13}",
             ["$\\alpha$", *(["\\multicolumn{2}{c}{$\\beta=1$}", "\\multicolumn{2}{c}{$\\beta=1.5$}"] * 3)]]
    maxk.table("table_price.tex", "r" + "rr@{\\hspace{9pt}}rr" * 3, heads, lines)
    assert a == 1 and t == 1e12
    say(nPriceLeast=number(more[0] / one[1], 2, math.floor), nPriceMost=number(more[1] / one[0], 2, math.ceil))


def two_arms(maxk):
    """The band of the walk by refinement, and simulated means; the two uniform arms of a remark."""
    text = f"name: two\nproblem: {{arms: {ARMS}}}\npolicies: [{{name: max_ucb, alpha: 0.4}}]\nhorizons: [2000, 100000]\n"
    maxk("run", "-", "-s", f"replications={TWO_RUNS}", "-o", "two.h5", "-q", text=text)
    simulated = only(maxk.rows("summary", "two.h5"), arm=0)
    lines = []
    for share in ("0.2", "0.1", "0.05", "0.02"):
        rows = only(maxk.rows("certify", "-", "--refinement", share, text=text), arm=0)
        line = [f"${100 * float(share):g}$\\,\\%"]
        for t in (2000, 100000):
            row, seen = the(rows, horizon=t), the(simulated, horizon=t)
            low, high = float(row["lower"]), float(row["upper"])
            assert low < float(seen["mean_pulls"]) < high
            line += [lower(low), upper(high), f"${high / low:.3f}$"]
        lines.append(line)
    heads = [["requested", "\\multicolumn{3}{c}{$T=2000$}", "\\multicolumn{3}{c}{$T=10^5$}"],
             "\\cmidrule(lr){2-4}\\cmidrule(l){5-7}",
             ["width", "from below", "from above", "ratio", "from below", "from above", "ratio"]]
    maxk.table("table_two.tex", "rrrrrrr", heads, lines)
    short, long = (mean(row["mean_pulls"], row["se_pulls"]) for row in (the(simulated, horizon=t) for t in (2000, 100000)))
    say(nTwoRuns=number(TWO_RUNS, 6), nTwoShort=short, nTwoLong=long)
    text = (f"name: range\nproblem: {{arms: {ARMS}}}\npolicies: [{{name: max_ucb, alpha: 0.4, scale: minmax}}]\n"
            "horizons: [2000, 100000]\n")
    maxk("run", "-", "-s", f"replications={TWO_RUNS}", "-o", "range.h5", "-q", text=text)
    rows, simulated = (only(maxk.rows(*words), arm=0) for words in (("certify", "range.h5"), ("summary", "range.h5")))
    short, long = (the(rows, horizon=t) for t in (2000, 100000))
    say(nRangeShortLow=lower(short["lower"]), nRangeShortHigh=upper(short["upper"]), nRangeLongLow=lower(long["lower"]),
        nRangeLongHigh=upper(long["upper"]))
    for row in (short, long):
        seen = the(simulated, horizon=int(float(row["horizon"])))
        assert float(row["lower"]) < float(seen["mean_pulls"]) < float(row["upper"])
        row["mean"] = mean(seen["mean_pulls"], seen["se_pulls"])
    say(nRangeShort=short["mean"], nRangeLong=long["mean"])
    text = ("name: uniform\nproblem: {arms: [{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]}\n"
            "policies: [{name: max_ucb, alpha: 0.1, power: [1.5, 2], label: 'power {power}'}]\nhorizons: [1e12]\n")
    rows = only(maxk.rows("certify", "-", "--refinement", "0.1", text=text), arm=0)
    slow, fast = (float(the(rows, power=power)["lower"]) / (0.1 / math.sqrt(0.1) * math.log(1e12) ** power) for power in (1.5, 2))
    say(nSlowRatio=number(slow, 2, math.floor), nFastRatio=number(fast, 2, math.floor))


def any_number(maxk):
    """Five power arms under a bonus without rounds, and with confidence under that of MaxUCB."""
    file = f"{EXPERIMENTS}/certified_band.yaml"
    where = (file, "-s", "policies=[{name: max_ucb_horizon, alpha: 0.5}]", "-s", "horizons=[100, 1000]")
    maxk("run", *where, "-s", f"replications={SMALL_RUNS}", "-o", "merge.h5", "-q")
    simulated, certified, lines = maxk.rows("summary", "merge.h5"), maxk.rows("certify", *where), []
    for arm in range(5):
        line = [str(arm + 1)]
        for t in (100, 1000):
            row, seen = the(certified, horizon=t, arm=arm), the(simulated, horizon=t, arm=arm)
            off = 4.5 * float(seen["se_pulls"])
            assert float(row["lower"]) - off < float(seen["mean_pulls"]) < float(row["upper"]) + off, (row, seen)
            assert arm == 4 or "theorem 13" in (row["lower_by"], row["upper_by"])
            line += [lower(row["lower"]), mean(seen["mean_pulls"], seen["se_pulls"]), upper(row["upper"])]
        lines.append(line)
    heads = [["", "\\multicolumn{3}{c}{$T=100$}", "\\multicolumn{3}{c}{$T=1000$}"], "\\cmidrule(lr){2-4}\\cmidrule(l){5-7}",
             ["arm", *(["from below", "mean", "from above"] * 2)]]
    maxk.table("table_merge.tex", "rrrrrrr", heads, lines)
    row, seen = the(certified, horizon=100, arm=0), the(simulated, horizon=100, arm=0)
    assert float(row["regret_lower"]) < float(seen["regret"]) < float(row["regret_upper"])
    say(nMergeRegretLower=number(float(row["regret_lower"]), 3, math.floor),
        nMergeRegretUpper=number(float(row["regret_upper"]), 3, math.ceil))
    row = the(maxk.rows("certify", file, "--policy", "max_ucb", "--horizons", "1000", "--samples", "300000", "--confidence",
                        "0.999999"), arm=0)
    say(nProvedLower=number(float(row["lower"]), 3, math.floor), nProvedUpper=number(float(row["upper"]), 3, math.ceil),
        nConfidentLower=number(float(row["confident_lower"]), 3, math.floor),
        nConfidentUpper=number(float(row["confident_upper"]), 3, math.ceil))


def three_arms(maxk):
    """The counterexample: the arms that the program pulls, with their indices."""
    first, lines, rows = {"low": 0.2, "high": 0.25}, [], {}
    tapes = {name: [[x] + [3.75] * 10, [4.75] * 11, [4.5] * 3 + [99] * 8] for name, x in first.items()}
    maxk.write("three.csv", "instance,arm,repetition,iteration,reward\n" + "".join(
        f"{name},{arm},0,{u},{x}\n" for name, tape in tapes.items() for arm, own in enumerate(tape) for u, x in enumerate(own)))
    text = "name: three\nproblem: {trajectories: three.csv}\npolicies: [{name: max_ucb, alpha: 1}]\nhorizons: [11]\n"
    maxk.write("three.yaml", text)
    for name, tape in tapes.items():
        trace = list(csv.DictReader(io.StringIO(maxk("trace", "three.yaml", "--instance", name))))
        n, rows[name] = [1, 1, 1], []
        for t in range(4, 12):
            index = [max(tape[j][:n[j]]) + (math.log(t) / n[j]) ** 2 for j in range(3)]
            arm = int(trace[t - 1]["arm"])
            assert int(trace[t - 1]["t"]) == t and index[arm] == max(index), (name, t)
            rows[name].append([f"$\\mathbf{{{v:.3f}}}$" if j == arm else f"${v:.3f}$" for j, v in enumerate(index)])
            n[arm] += 1
        say(**{f"n{name.title()}First": f"{first[name]:g}", f"n{name.title()}Pulls": n[0]})
    for k, t in enumerate(range(4, 12)):
        lines.append([str(t), *rows["low"][k], *rows["high"][k]])
    heads = [["", *(f"\\multicolumn{{3}}{{c}}{{$X_{{1,1}}={x:g}$}}" for x in first.values())],
             "\\cmidrule(lr){2-4}\\cmidrule(l){5-7}", ["$t$", *(["arm 1", "arm 2", "arm 3"] * 2)]]
    maxk.table("table_three.tex", "r" + "rrr" * 2, heads, lines)
    assert int(macros["nHighPulls"]) < int(macros["nLowPulls"])


def citation(maxk):
    """Date and version, of CITATION.cff."""
    text = open(os.path.join(TOP, "CITATION.cff"), encoding="utf-8").read()
    year, month, day = re.search(r"^date-released: (\d+)-(\d+)-(\d+)", text, re.M).groups()
    months = "January February March April May June July August September October November December".split()
    say(paperdate=f"{months[int(month) - 1]} {int(day)}, {year}", paperversion=re.search(r"^version: (\S+)", text, re.M)[1])


def main():
    maxk = Program(*sys.argv[1:])
    for part in (citation, published_bound, band, closed_forms, price, two_arms, any_number, three_arms):
        part(maxk)
    maxk.write("numbers.tex", "".join(f"\\newcommand{{\\{name}}}{{{text if name.startswith('paper') else formula(text)}}}\n"
                                      for name, text in macros.items()))


if __name__ == "__main__":
    main()
