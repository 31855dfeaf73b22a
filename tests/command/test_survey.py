"""maxk survey, lu, survival, gap and figures on recorded rewards, against computations of our own with numpy and scipy."""
import csv, os, resource, subprocess, sys

import numpy as np
from scipy import stats

sys.path.insert(0, "tests/support")
import lib
from lib import check, finish, folder, refused, run


def rows(*command):
    return lib.rows(run(*command, "--csv"))


def load(path):
    """{instance: {arm: [repetition] -> rewards}}, arms sorted by name as maxk numbers them."""
    data = {}
    with open(path) as f:
        for r in csv.DictReader(f):
            arm = data.setdefault(r["instance"], {}).setdefault(r["arm"], {})
            arm.setdefault(int(r["repetition"]), []).append((int(r["iteration"]), float(r["reward"])))
    return {i: {a: [np.array([x for _, x in sorted(reps[k])]) for k in sorted(reps)] for a, reps in sorted(arms.items())}
            for i, arms in data.items()}


def normalise(arms):
    out = {a: [] for a in arms}
    for rep in range(len(next(iter(arms.values())))):
        every = np.concatenate([s[rep] for s in arms.values()])
        low, high = every.min(), every.max()
        for a, s in arms.items():
            out[a].append((s[rep] - low) / (high - low) if high > low else np.ones_like(s[rep]))
    return out


def close(text, want, tolerance=1e-9):
    return bool(np.isnan(want)) if text == "" else lib.close(text, want, tolerance)


def shift(series):
    """Largest change of the mean over all repetitions between neighbouring blocks of 10 pulls."""
    blocks = min(len(s) for s in series) // 10
    means = [np.mean([s[10 * b:10 * b + 10] for s in series]) for b in range(blocks)]
    return max(abs(b - a) for a, b in zip(means, means[1:])) if blocks > 1 else float("nan")


def trend_of(series):
    """Rank correlation of rewards with time over all repetitions, and its p-value, by the variance over all orders."""
    kept = [(len(s) - 1, stats.spearmanr(s, np.arange(len(s)))[0]) for s in series if len(s) > 1 and np.ptp(s) > 0]
    total = sum(w for w, _ in kept)
    if not total:
        return float("nan"), float("nan")
    z = sum(w * rho for w, rho in kept)
    return z / total, 2 * stats.norm.sf(abs(z) / total ** .5)


def stationarity_of(series):
    """Pull of the largest sum of ranks, p-values of that sum and of halves (Kolmogorov's distribution), by definition."""
    kept = [s for s in series if len(s) > 1 and np.ptp(s) > 0]
    if not kept:
        return "", float("nan"), float("nan")
    longest, halves, sums = max(map(len, series)), [[], []], 0
    for s in kept:
        ranks = stats.rankdata(s)
        z = stats.zscore(ranks, ddof=1)
        at = [j * len(s) // longest for j in range(1, longest)]
        sums = sums + np.array([z[:n].sum() for n in at])
        share, half = (ranks - .5) / len(s), len(s) // 2
        halves[0].extend(share[:half])
        halves[1].extend(share[len(s) - half:])
    top = max(abs(sums))
    change = 1 + next(j for j, x in enumerate(abs(sums)) if x > top - 1e-9)
    return (str(change), stats.kstwobign.sf(top / sum(map(len, kept)) ** .5),
            stats.kstwobign.sf(stats.ks_2samp(*halves).statistic * (len(halves[0]) / 2) ** .5))


def lu_brute(values, tail, b, lo, hi):
    """Extrema of G(b - eps) / eps: both one-sided limits at every jump and at both ends of [lo, hi]."""
    order = np.argsort(values)
    v, g = values[order], tail[order]
    at = lambda x: g[np.searchsorted(v, x)] if x <= v[-1] else 0.0          # P(X >= x)
    past = lambda x: g[np.searchsorted(v, x, "right")] if x < v[-1] else 0.0  # P(X > x)
    L, U = np.inf, -np.inf
    if lo == 0:
        U = np.inf if at(b) > 0 else 0
    for x in set(v):
        eps = b - x
        if not lo <= eps <= hi or eps == 0:
            continue
        U = max(U, at(x) / eps)
        if eps > lo:
            L = min(L, past(x) / eps)
    for eps in (lo, hi):
        if eps > 0:
            L, U = min(L, at(b - eps) / eps), max(U, at(b - eps) / eps)
    return L, U


def check_file(path, name):
    data = load(path)
    norm = {i: normalise(arms) for i, arms in data.items()}
    got = {(r["instance"], r["arm_label"]): r for r in rows("survey", path)}
    check(len(got) == sum(map(len, norm.values())), f"{name}: one row per instance and arm")
    wrong = {k: 0 for k in ("rank", "best", "mean_best", "gap", "mean", "sd", "skewness", "shift", "ties", "n", "trend",
                            "p_trend", "change", "p_change", "p_halves")}
    left = 0
    for i, arms in norm.items():
        bests = {a: np.mean([s.max() for s in series]) for a, series in arms.items()}
        tops = {a: max(s.max() for s in series) for a, series in arms.items()}
        order = sorted(arms, key=lambda a: (-bests[a], -tops[a], list(arms).index(a)))
        for a, series in arms.items():
            r, x = got[i, a], np.concatenate(series)
            constant = x.min() == x.max()
            skew = float("nan") if constant else stats.skew(x)
            left += skew < 0
            # Ranks may differ if two means differ only by rounding.
            other = order[int(r["rank"]) - 1]
            wrong["rank"] += order.index(a) != int(r["rank"]) - 1 and abs(bests[a] - bests[other]) > 1e-12
            wrong["n"] += int(r["n"]) != len(x)
            trend, p = trend_of(series)
            wrong["trend"] += not close(r["trend"], trend)
            wrong["p_trend"] += not close(r["p_trend"], p)
            change, *p = stationarity_of(series)
            wrong["change"] += r["change"] != change
            wrong["p_change"] += not close(r["p_change"], p[0])
            wrong["p_halves"] += not close(r["p_halves"], p[1])
            wrong["ties"] += int(r["ties"]) != np.sum(x == x.max())
            for key, want in (("best", tops[a]), ("mean_best", bests[a]), ("gap", bests[order[0]] - bests[a]),
                              ("mean", x.mean()), ("sd", x.std()), ("skewness", skew), ("shift", shift(series))):
                wrong[key] += not close(r[key], want, 1e-8)
    for key, count in wrong.items():
        check(count == 0, f"{name}: {key} of every arm (scipy, numpy)")
    text = run("survey", path)
    check(f"\n{left} of {len(got)} arms are left-skewed." in text, f"{name}: {left} of {len(got)} arms left-skewed")
    return data, norm


def check_lu(path, norm, name):
    plugin = {(r["instance"], int(r["arm"])): r for r in
              rows("lu", path, "--estimator", "plugin", "--normalise", "--upper", "global")}
    labels = sorted({a for arms in norm.values() for a in arms})
    wrong = 0
    for i, arms in norm.items():
        b = max(s.max() for series in arms.values() for s in series)
        for a, series in arms.items():
            x = np.sort(np.concatenate(series))
            tail = 1 - np.searchsorted(x, x) / len(x)
            L, U = lu_brute(x, tail, b, b - np.quantile(x, .99), b - np.quantile(x, .01))
            r = plugin[i, labels.index(a)]
            wrong += not (close(r["L"], L, 1e-8) and close(r["U"], U, 1e-8))
    check(wrong == 0, f"{name}: L and U of every arm, normalised, b = 1 (numpy, every jump)")


def check_runs(path):
    """paper_c3 of known distributions: the mean over the runs, and one standard deviation on either side."""
    wrong = 0
    for r in rows("lu", path, "--estimator", "paper_c3", "--runs", "20"):
        for key in "LU":
            low, mean, high = (float(r[key + end]) for end in ("_low", "", "_high"))
            wrong += not (low < mean < high and close(high - mean, mean - low, 1e-9))
    check(wrong == 0, "intervals of paper_c3 over 20 runs: as far below as above the mean")


def check_averages(path, norm, name):
    """L and U of the survival functions averaged per rank, from the table of maxk survey (6 digits)."""
    lines = run("survey", path).split("\nBy rank")[1].splitlines()[3:]
    table = {int(l.split()[0]): l.split() for l in lines if l[:1] == " " and l.split()[0].isdigit()}
    ranked = {(r["instance"], int(r["rank"])): r["arm_label"] for r in rows("survey", path)}
    ranks = max(r for _, r in ranked)
    wrong = 0
    for rank in range(1, ranks + 1):
        samples = [np.concatenate(norm[i][ranked[i, rank]]) for i in norm if (i, rank) in ranked]
        x, weight = np.concatenate(samples), np.concatenate([np.full(len(s), 1 / len(s) / len(samples)) for s in samples])
        v = np.unique(x)
        tail = np.array([weight[x >= u].sum() for u in v])
        order = np.argsort(x)
        at = np.cumsum(np.concatenate([[0], weight[order][:-1]])) / (1 - weight[x == v[-1]].mean())
        quantile = lambda p: np.interp(p, at, x[order])  # type 7 with weights
        L, U = lu_brute(v, tail, v[-1], v[-1] - quantile(.99), v[-1] - quantile(.01))
        wrong += not (close(table[rank][-2], L, 2e-5) and close(table[rank][-1], U, 2e-5))
    check(len(table) == ranks and wrong == 0, f"{name}: L and U of the averages per rank (numpy)")


def write(path, data):
    with open(path, "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        for i, arms in data.items():
            for a, series in arms.items():
                for rep, s in enumerate(series):
                    f.writelines(f"{i},{a},{rep},{t},{float(x)!r}\n" for t, x in enumerate(s))


def generated(rng):
    """Ties at the top, constant and near-constant arms, drift, missing arms, unequal lengths, negative rewards."""
    power = lambda a, n: rng.random(n) ** (1 / a)
    return {
        "plain": {"a": [power(4, 60), power(4, 60)], "b": [power(.4, 60), power(.4, 60)],
                  "c": [power(1, 60) - .5, power(1, 60) - .5]},
        "ties": {"a": [np.round(power(3, 60), 1), np.round(power(3, 60), 1)], "b": [np.full(60, .7), np.full(60, .7)],
                 "c": [.5 + 1e-4 * power(1, 60), .5 + 1e-4 * power(1, 60)]},
        "drift": {"a": [power(2, 45) + np.arange(45) / 20, power(2, 43) + np.arange(43) / 20],
                  "b": [-power(2, 45), -power(2, 15)]},
        "flat": {"a": [np.full(20, 3.), np.full(20, 3.)], "c": [np.full(20, 3.), np.full(20, 3.)]},
    }


def is_png(path):
    with open(path, "rb") as f:
        return f.read(8) == b"\x89PNG\r\n\x1a\n" and os.path.getsize(path) > 20000


def check_figures(path, stem, names):
    with folder() as out:
        drawn = run("figures", path, "--out", out).split()
        want = [f"{out}/{stem}_{n}.png" for n in names]
        check(drawn == want and all(map(is_png, want)), f"figures of {stem}: {', '.join(names)}")
        check(sorted(os.listdir(out)) == sorted(f"{stem}_{n}.{e}" for n in names for e in ("dat", "gp", "png")),
              f"{stem}: data and script next to every figure")
        for n in names:
            os.remove(f"{out}/{stem}_{n}.png")
            done = subprocess.run(["gnuplot", f"{stem}_{n}.gp"], cwd=out, capture_output=True, text=True)
            check("no valid points" not in done.stderr, f"{stem}_{n}: every curve has points {done.stderr[:80]}")
        check(all(map(is_png, want)), f"{stem}: the scripts draw again by themselves")
        return {n: open(f"{out}/{stem}_{n}.dat").read() for n in names}


def check_stationarity(d):
    """One repetition without ties: R's ks.test, Pettitt's statistic; how often arms without a change have one, and others."""
    rng = np.random.default_rng(11)
    path = os.path.join(d, "one.csv")
    series = [rng.random(n) + (step if step else 0) * (np.arange(n) >= at) for n, at, step in
              ((7, 3, 0), (40, 25, .4), (41, 10, -.5), (200, 150, .25))]
    write(path, {f"i{k}": {"a": [s]} for k, s in enumerate(series)})
    found = {r["instance"]: r for r in rows("survey", path, "--raw")}
    halves = [f"c({','.join(map(repr, map(float, part)))})" for s in series for part in (s[:len(s) // 2], s[-(len(s) // 2):])]
    tests = "".join(f"cat(format(ks.test({x}, {y}, exact=FALSE)$p.value, digits=12), '\\n');"
                    for x, y in zip(halves[::2], halves[1::2]))
    done = subprocess.run(["Rscript", "-e", tests], capture_output=True, text=True, check=True)
    check(all(close(found[f"i{k}"]["p_halves"], float(p), 1e-6) for k, p in enumerate(done.stdout.split())),
          f"p_halves of one repetition: ks.test of R {done.stdout.split()}")
    wrong = 0
    for k, s in enumerate(series):
        n = len(s)
        u = [2 * stats.rankdata(s)[:j].sum() - j * (n + 1) for j in range(1, n)]  # Pettitt's U
        K = max(map(abs, u))
        r = found[f"i{k}"]
        wrong += int(r["change"]) != 1 + list(map(abs, u)).index(K)
        wrong += not close(r["p_change"], stats.kstwobign.sf(K / (n * n * (n + 1) / 3) ** .5))
    check(not wrong, "change and p_change of one repetition: Pettitt's statistic")

    # 400 arms of 3 repetitions of 60, with levels of their own: the asymptotic tests reject at most 5 % + 3.5 errors (7e-4).
    write(path, {f"i{k}": {"a": [rng.random(60) + 9 * rng.random() for _ in range(3)]} for k in range(400)})
    still = rows("survey", path, "--raw")
    shares = {key: np.mean([float(r[key]) < .05 for r in still]) for key in ("p_trend", "p_change", "p_halves")}
    check(all(.005 < x < .05 + 3.5 * (.05 * .95 / 400) ** .5 for x in shares.values()), f"no change: {shares} of arms below .05")
    # A step that goes back, which is no trend; a wider spread, which is no shift.
    back = lambda: rng.random(60) + .5 * ((np.arange(60) >= 20) & (np.arange(60) < 40))
    wider = lambda: rng.normal(size=60) * np.where(np.arange(60) < 30, 1, 3)
    write(path, {f"{kind}{k}": {"a": [draw() for _ in range(3)]} for k in range(60)
                 for kind, draw in (("b", back), ("w", wider))})
    moved = rows("survey", path, "--raw")
    power = {(kind, key): np.mean([float(r[key]) < .05 for r in moved if r["instance"][0] == kind])
             for kind in "bw" for key in ("p_trend", "p_change", "p_halves")}
    check(power["b", "p_trend"] < .2 < .8 < power["b", "p_change"], f"a step and back is a change: {power}")
    check(power["w", "p_trend"] < .2 < .9 < power["w", "p_halves"], "a wider spread is a difference of halves")
    write(path, {f"i{k}": {"a": [rng.random(60) + (k < 3) * np.arange(60) / 60 for _ in range(3)], "b": [np.ones(60)] * 3}
                 for k in range(20)})
    table = rows("survey", path, "--raw")
    counts = []
    for key in ("p_trend", "p_change", "p_halves"):
        p = np.sort([float(r[key]) for r in table if r[key]])
        counts.append(int(np.argmax(np.append(p * (len(p) - np.arange(len(p))) >= .05, True))))
    check(f"Of 20 arms that vary, {counts[0]} have a trend, {counts[1]} a change, and {counts[2]} halves that differ" in
          run("survey", path, "--raw") and counts[0] == 3, f"adjusted by Holm: {counts} of 20")


SURVEY = ["survey", "ratio", "lu", "shape"]
def check_printed(d):
    """What people see: some of many arms by rank, names of constants, errors that have no decimals; instances by number."""
    def write(name, text):
        with open(os.path.join(d, name), "w") as f:
            f.write(text)
        return os.path.join(d, name)

    ends = [37 * i % 130 for i in range(130)]
    path = write("many.yaml", "problem: {arms: [" + ", ".join(f"{{family: uniform, lo: 0, hi: {1 + x}}}" for x in ends) + "]}\n")
    shown = [int(line) for line in run("gap", path, "--horizons", "20", "--show", "arm").split("\n\n")[0].split()[1:]]
    check(shown == [ends.index(130 - rank) for rank in (*range(1, 11), 20, 50, 100, 130)], f"of 130 arms people see {shown}")
    check(len(rows("gap", path, "--horizons", "20")) == 130, "and programs all")
    path = write("lu.yaml", "problem: {arms: [{family: beta, a: 1, b: 2}, {family: power, a: 2, s: 1}]}\n")
    published = run("lu", path, "--runs", "3").split("Published values")[1].splitlines()[2:]
    check([line.split()[3:6] for line in published] == [["C.2", "L", "0.1"], ["C.2", "U", "0.9"], ["C.2", "L", "1.1"],
                                                        ["C.2", "U", "1.9"]], f"published constants: {published}")
    path = write("wide.yaml", "problem: {arms: [{family: uniform, lo: 0, hi: 90000}, {family: uniform, lo: 0, hi: 7}]}\n"
                 "policies: [uniform]\nhorizons: [4]\nreplications: 8\n")
    run("run", path, "-q", "-o", os.path.join(d, "wide.h5"))
    exact = rows("summary", os.path.join(d, "wide.h5"))[0]
    want = f"{float(exact['mean_max']):.0f} ± {float(exact['se_max']):.0f}"
    check(float(exact["se_max"]) > 100 and want in run("summary", os.path.join(d, "wide.h5")), f"an error above 100: {want}")
    write("two.csv", "instance,arm,repetition,iteration,reward\n" + "".join(
        f"{i},{arm},0,{t},{x}\n" for i, x in (("u", .5), ("v", .25)) for arm in "ab" for t in range(2)))
    path = write("two.yaml", "problem: {trajectories: two.csv}\npolicies: [uniform]\nhorizons: [2]\n")
    seen = [rows("trace", path, "--policy", "uniform", "--instance", word)[0]["reward"] for word in ("u", "1", "v", "0")]
    check(seen == ["0.5", "0.25", "0.25", "0.5"], f"instances by name and number: {seen}")
    for word in ("2", "w"):
        refused(f"instance {word}", "the name of an instance or a number from 0 to 1", "trace", path, "--policy", "uniform",
                "--instance", word)


with folder() as d:
    made = os.path.join(d, "made.csv")
    write(made, generated(np.random.default_rng(5)))
    for path, name in [(made, "made"), ("experiments/data/pmlb_fixture.csv", "pmlb_fixture")]:
        data, norm = check_file(path, name)
        check_lu(path, norm, name)
        check_averages(path, norm, name)
        dat = check_figures(path, name, SURVEY)
        instances = len(data)
        check(f"{instances} instances" in dat["survey"], f"{name}: the figure says how many instances")
    notes = run("lu", made, "--estimator", "plugin")
    for note in ("ties at the top", "constant", "near-constant"):
        check(any(line.rstrip().endswith(note) for line in notes.splitlines()), f"lu notes: {note}")
    two = os.path.join(d, "two.csv")
    content = "instance,arm,repetition,iteration,reward\n" + "".join(
        f"i,{arm},0,{t},{x}\n" for arm, top in (("a", (3, 3)), ("b", (3, 4))) for t, x in enumerate((1, 2, *top)))
    with open(two, "w", encoding="ascii") as f:
        f.write(content)
    noted = {r["label"]: r["note"] for r in rows("lu", two, "--estimator", "plugin")}
    check(noted == {"a": "2 ties at the top", "b": ""}, f"lu: two rewards tie, one does not: {noted}")
    check("2 repetitions have the same reward" in run("survey", made), "flat repetitions are reported")

    # Survival functions in the figure are those of the data: the mean over the instances of rank 1.
    norm = {i: normalise(arms) for i, arms in load(made).items()}
    ranked = {(r["instance"], int(r["rank"])): r["arm_label"] for r in rows("survey", made)}
    blocks = check_figures(made, "made", SURVEY)["survey"].split("\n\n\n")
    bold = next(b for b in blocks if ": rank 1\n" in b)
    points = np.array([[float(v) for v in l.split()] for l in bold.splitlines() if l and l[0] not in "#"])
    want = [np.mean([np.mean(np.concatenate(norm[i][ranked[i, 1]]) >= x) for i in norm]) for x in points[:, 0]]
    check(np.allclose(points[:, 1], want, atol=1e-9), "averaged survival function in the figure's data (numpy)")

    # The three kinds of file, and a separate horizon for a CSV.
    yaml, h5 = os.path.join(d, "e.yaml"), os.path.join(d, "e.h5")
    with open(yaml, "w") as f:
        f.write(f"name: e\nproblem: {{trajectories: {made}, instances: [plain, ties]}}\n"
                "policies: [{name: max_ucb}]\nhorizons: [20]\n")
    run("run", yaml, "-o", h5, "-q")
    for command in ("lu", "survival", "gap", "survey"):
        check(rows(command, yaml) == rows(command, h5) != [], f"{command}: a result file gives what its experiment does")
    with open(yaml) as f:
        longer = f.read().replace("name: e", "name: longer").replace("plain, ties]", "plain, ties], ends_early: hold")
    with open(longer_yaml := os.path.join(d, "longer.yaml"), "w") as f:
        f.write(longer.replace("[20]", "[20, 5000]"))
    for command in (["lu"], ["survival", "--points", "9"], ["survey"], ["survey", "--concave", "1"]):
        check(rows(*command, longer_yaml) == rows(*command, yaml) != [],
              f"{' '.join(command)}: what ends_early adds for pulls past the end is no observation")
    with open(concave := os.path.join(d, "concave.csv"), "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        f.writelines(f"i,k{k},{r},{t},{1 - (0.8 + 0.05 * k + 0.01 * r) ** t!r}\n" for k in range(3) for r in range(2)
                     for t in range(40))
    lines = run("survey", concave, "--concave", "4").split("exception.")[1].splitlines()
    check([line.split()[-1] for line in lines if line][1:] == ["holds"] * 5, "concave curves: every assumption holds")
    check({r["horizon"] for r in rows("gap", made)} == {"15"}, "gap of a CSV: up to the shortest series")
    synthetic = os.path.join(d, "s.yaml")
    with open(synthetic, "w") as f:
        f.write("name: s\nproblem: {arms: [{family: pareto, shape: 2, scale: 1}, {family: uniform, lo: 0, hi: 2}]}\n")
    refused("survey needs recorded rewards", "no recorded rewards", "survey", synthetic)
    check_figures(synthetic, "s", ["lu", "survival"])
    check_printed(d)
    check_stationarity(d)
    check_runs(synthetic)
    points = rows("survival", synthetic, "--points", "5")
    check([r["ratio"] for r in points if r["arm"] == "1"] == ["0.5", "0.5", "0.5", "0.5", ""] and
          {r["ratio"] for r in points if r["arm"] == "0"} == {""}, "ratio: 1 / (b - a) for a uniform arm, none without an end")
    many = os.path.join(d, "many.csv")
    with open(many, "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        f.writelines(f"i,a{k},0,0,{k % 997}\n" for k in range(60000))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ranked = run("lu", many, "--csv").count("\n")
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    check(ranked > 60000 and took < 5, f"lu of 60,000 arms: {took:.1f} s, where their square takes ten or more")
    check("no finite upper end" in run("lu", synthetic, "--samples", "50", "--runs", "5"), "lu says why there is no L")
finish()
