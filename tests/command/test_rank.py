"""maxk rank against SciPy and NumPy, computed only from the recorded CSV and the largest rewards of the result.

With arguments FILE.csv[.gz] EXPERIMENT.yaml: the comparison alone, on that file and experiment.
Deterministic figures must agree to 1e-12; the bootstrap's to five standard errors of a second bootstrap (fixed seeds:
3 statistics of some 30 policies, false-alarm rate about 1e-4)."""
import csv, gzip, os, re, shutil, sys, warnings

import h5py
import numpy as np
from scipy import stats

sys.path.insert(0, "tests/support")
from lib import check, close, finish, folder, refused, rows, run

os.environ["MALLOC_PERTURB_"] = "128"  # glibc: memory that nobody wrote reads as 1.4e306
warnings.simplefilter("ignore")  # of means of empty slices and small samples


def text(x):
    return x.decode() if isinstance(x, bytes) else x


def recorded(path):
    """instance -> repetition -> {arm: [rewards]} and {combined search: [rewards]}"""
    arms, searches = {}, {}
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as f:
        for r in csv.DictReader(f):
            reward = float(r["reward"]) if "reward" in r else 0 - float(r["loss"])
            arm = r.get("arm") or (r["classifier"] if int(r["arm_index"]) >= 0 else f'{r["optimizer"]} ({r["arm_index"]})')
            to = searches if int(r.get("arm_index") or 0) < 0 else arms
            to.setdefault((r["instance"], int(r["repetition"])), {}).setdefault(arm, []).append(reward)
    return arms, searches


def scores(h5, h):
    with h5py.File(h5) as f:
        labels = sorted(f["policies"], key=lambda n: f["policies"][n].attrs["index"])
        values = np.array([f["policies"][n]["max_reward"][:, h, :] for n in labels])
        return ([text(f["policies"][n].attrs["label"]) for n in labels], [text(n) for n in f["coords/instance"][:]], values,
                np.array([f["policies"][n]["max_reward"][:, -1, :] for n in labels]), list(f["coords/horizon"][:]))


def losses(kind, path, instances, longest, values, last):
    arms, searches = recorded(path)
    repetitions = sorted({r for _, r in arms})[:values.shape[2]]
    out = np.empty_like(values)
    for i, name in enumerate(instances):
        for j, r in enumerate(repetitions):
            mine = [s[:longest] for s in arms[name, r].values()]
            best = max(max(s) for s in mine + [s[:longest] for s in searches.get((name, r), {}).values()])
            top = np.nanmax(last[:, i, j]) if kind == "reached" else best
            base = min(min(s) for s in mine) if kind == "minmax" else np.median([s[0] for s in mine])
            out[:, i, j] = (top - values[:, i, j]) / max(1e-5, top - base)
    return out


def compare(name, csv_path, h5, baseline, kinds=("authors", "reached", "minmax")):
    tables = {}
    for k in kinds:
        tables[k] = rows(run("rank", h5, "--csv", "--loss", k, "--resamples", "1000" if k == "authors" else "0", *baseline))
    every_pair = rows(run("rank", h5, "--pairs", "--csv"))
    wrong, seen = [], 0
    for h in range(len(scores(h5, 0)[4])):
        labels, instances, values, last, horizons = scores(h5, h)
        mean = np.nanmean(values, axis=2)
        there = ~np.isnan(mean).any(axis=0)
        score = mean[:, there].T
        N, k = score.shape
        rank = stats.rankdata(-np.round(score, 9), axis=1)
        chi, p_ties = stats.friedmanchisquare(*rank.T)
        plain = 12 * N / (k * (k + 1)) * ((rank.mean(axis=0) ** 2).sum() - k * (k + 1) ** 2 / 4)
        f = (N - 1) * plain / (N * (k - 1) - plain)
        error = np.sqrt(k * (k + 1) / (6 * N))
        table = [r for r in tables["authors"] if int(r["horizon"]) == horizons[h]]
        base = labels.index(table[0]["baseline"])
        wanted, wilcoxon = [], []
        for at, label in enumerate(labels):
            d = np.round(score[:, at] - score[:, base], 9)  # differences that only rounding keeps apart are tied
            w, t, l = (d > 0).sum(), (d == 0).sum(), (d < 0).sum()
            sign = stats.binomtest(int(w + t // 2), int(w + l + t - t % 2), alternative="greater").pvalue if w + l + t > 1 else 1
            ties = len(set(abs(d))) < N or t
            p = 1 if at == base else stats.wilcoxon(d, zero_method="zsplit", alternative="greater",
                                                    mode="approx" if ties or N > 50 else "exact").pvalue
            wilcoxon.append(p)
            nemenyi = stats.studentized_range.sf(abs(rank[:, at].mean() - rank[:, base].mean()) / error * 2 ** .5, k, np.inf)
            untied = stats.binomtest(int(w), int(w + l), alternative="greater").pvalue if w + l else 1
            wanted.append(dict(p_untied=untied, p_untied_bonferroni=min(1, untied * (k - 1)), instances=N,
                               left_out=len(there) - N, rank=rank[:, at].mean(),
                               mean_max=score[:, at].mean(),
                               wins=w, ties=t, losses=l, p_sign=sign, p_sign_bonferroni=min(1, sign * (k - 1)), p_wilcoxon=p,
                               p_nemenyi=nemenyi))
        others = [i for i in range(k) if i != base]
        order = sorted(others, key=lambda i: wilcoxon[i])
        worst = 0
        for j, i in enumerate(order):
            worst = max(worst, min(1, wilcoxon[i] * (len(order) - j)))
            wanted[i]["p_wilcoxon_holm"] = worst
        common = dict(friedman_chi2=plain, friedman_p=stats.chi2.sf(plain, k - 1), friedman_chi2_ties=chi, friedman_p_ties=p_ties,
                      iman_davenport_f=f, iman_davenport_p=stats.f.sf(f, k - 1, (k - 1) * (N - 1)),
                      dunn_distance=stats.norm.isf(.05 / (2 * (k - 1))) * error)
        distance = stats.studentized_range.ppf(.95, k, np.inf) / 2 ** .5 * error
        # Every pair: the same tests two-sided, Holm over all pairs, and effects.
        pairs = [r for r in every_pair if int(r["horizon"]) == horizons[h]]
        assert len(pairs) == k * (k - 1) // 2
        ps = []
        for r in pairs:
            i, j = labels.index(r["policy"]), labels.index(r["against"])
            d = np.round(score[:, i] - score[:, j], 9)
            ties = len(set(abs(d))) < N or (d == 0).any()
            p = stats.wilcoxon(d, zero_method="zsplit", mode="approx" if ties or N > 50 else "exact").pvalue if d.any() else 1
            order_of = stats.rankdata(abs(d))
            plus = order_of[d > 0].sum() + order_of[d == 0].sum() / 2
            biserial = 2 * plus / order_of.sum() - 1
            apart = rank[:, j].mean() - rank[:, i].mean()
            nemenyi = stats.studentized_range.sf(abs(apart) / error * 2 ** .5, k, np.inf)
            ps.append(p)
            for key, value in dict(ranks_apart=apart, wins=(d > 0).sum(), ties=(d == 0).sum(), losses=(d < 0).sum(),
                                   share_won=((d > 0).sum() + (d == 0).sum() / 2) / N, rank_biserial=biserial, p_wilcoxon=p,
                                   p_nemenyi=nemenyi).items():
                seen += 1
                if not close(r[key], value, 1e-6):
                    wrong.append(("pair", horizons[h], r["policy"], r["against"], key, r[key], value))
        worst = 0
        for j, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
            worst = max(worst, min(1, ps[i] * (len(ps) - j)))
            if not close(pairs[i]["p_holm"], worst, 1e-6):
                wrong.append(("Holm", pairs[i]["p_holm"], worst))
        # One adjustment for the pairs of all horizons.
        worst, all_ps = 0, sorted((float(r["p_wilcoxon"]), float(r["p_holm_all"])) for r in every_pair)
        for j, (p, adjusted) in enumerate(all_ps):
            worst = max(worst, min(1, p * (len(all_ps) - j)))
            if not close(adjusted, worst, 1e-9):
                wrong.append(("Holm, all horizons", p, adjusted, worst))
        for at, r in enumerate(table):
            assert r["policy"] == labels[at]
            for key, value in {**wanted[at], **common}.items():
                if at == base and key in ("wins", "ties", "losses", "p_sign", "p_sign_bonferroni", "p_wilcoxon", "p_nemenyi",
                                         "p_untied", "p_untied_bonferroni"):
                    wrong += [(key, "baseline")] * (r[key] != "")
                    continue
                seen += 1
                # SciPy integrates the studentized range to about 1e-9 only; tests/unit/compare/test_significance.c has
                # mpmath's values.
                if not (abs(float(r[key]) - value) < 1e-8 if key == "p_nemenyi" else close(r[key], value)):
                    wrong.append((horizons[h], labels[at], key, r[key], value))
            if abs(float(r["critical_distance"]) / distance - 1) > 1e-6:
                wrong.append(("critical_distance", r["critical_distance"], distance))
        for kind in kinds:
            loss = np.nanmean(losses(kind, csv_path, instances, max(horizons), values, last), axis=2)[:, there].mean(axis=1)
            got = [float(r["loss"]) for r in tables[kind] if int(r["horizon"]) == horizons[h]]
            seen += k
            wrong += [(kind, labels[i], got[i], loss[i]) for i in range(k) if not close(got[i], loss[i])]
    check(not wrong, f"{name}: {seen} figures as SciPy and NumPy have them {wrong[:3] if wrong else ''}")
    return tables["authors"]


def posteriors(h5, region, draws=20000):
    """--bayes against NumPy's Dirichlet weights and sums over all pairs of differences; probabilities to five standard
    errors of both simulations (3 of some 100 pairs: false-alarm rate 2e-4)."""
    rng, wrong, table = np.random.default_rng(3), [], rows(run("rank", h5, "--pairs", "--csv", "--bayes", str(region)))
    labels, _, values, _, horizons = scores(h5, -1)
    mean = np.nanmean(values, axis=2)
    score = mean[:, ~np.isnan(mean).any(axis=0)]
    w = rng.dirichlet([.5] + [1] * score.shape[1], draws)
    last = [r for r in table if int(r["horizon"]) == horizons[-1]]
    for r in last:
        z = np.append(0, score[labels.index(r["policy"])] - score[labels.index(r["against"])])
        sums = z[:, None] + z
        parts = sums > 2 * region, abs(sums) <= 2 * region, sums < -2 * region
        share = np.array([((w @ part) * w).sum(axis=1) for part in parts])
        want = np.bincount(share.argmax(axis=0), minlength=3) / draws
        got = np.array([float(r[c]) for c in ("p_better", "p_equivalent", "p_worse")])
        if (abs(got - want) > 5 * np.sqrt(np.maximum(want * (1 - want), 1e-3) * (1 / draws + 1 / 50000))).any():
            wrong.append((r["policy"], r["against"], got, want))
    check(not wrong and len({r["p_better"] for r in last}) > 5, f"{len(last)} posteriors as NumPy has them {wrong[:2]}")
    return table


def best_sets(h5, by, labels, value):
    """The p-values of best_set by all sign flips: max_j sum_i d_ij / sqrt(sum_i d_ij^2) for each candidate."""
    n = len(value)
    signs = 1 - 2 * (np.arange(2 ** n)[:, None] >> np.arange(n) & 1)
    table = rows(run("best_set", h5, "--by", by, "--csv", "--horizon", "24", "--alpha", "0.1"))
    wrong = [] if [r["policy"] for r in table] == labels else ["the policies"]
    for c, row in enumerate(table):
        d = value[:, [c]] - np.delete(value, c, axis=1)
        scale = np.sqrt((d * d).sum(axis=0))
        at = (signs @ d[:, scale > 1e-8] / scale[scale > 1e-8]).max(axis=1)
        p = (at >= at[0] - 1e-7).mean()
        if not close(row["p_best"], p) or (row["may_be_best"] == "1") != (p >= .1):
            wrong.append(f"{row['policy']}: {row['p_best']} {row['may_be_best']}, not {p}")
    kept = sum(r["may_be_best"] == "1" for r in table)
    check(not wrong and 0 < kept < len(table), f"best_set --by {by}: {kept} of {len(table)}{'; '.join(['', *wrong])}")


def kept_apart(d):
    """compare --apart: the rows of each result, with one adjustment for the rows of all; names may be in several results."""
    rng = np.random.default_rng(8)
    paths = []
    for at, (instances, horizons) in enumerate(((9, "[4, 12]"), (12, "[6]"), (7, "[4, 8, 12]"))):
        with open(f"{d}/apart{at}.csv", "w") as f:
            f.write("instance,arm,repetition,iteration,reward\n")
            f.writelines(f"i{i},{k},{r},{t},{rng.random() ** (1 + 3 * k)}\n" for i in range(instances) for k in range(4)
                         for r in range(3) for t in range(12))
        with open(f"{d}/apart{at}.yaml", "w") as f:
            f.write(f"problem: {{trajectories: apart{at}.csv}}\npolicies: [random, max_ucb, oracle]\nhorizons: {horizons}\n")
        run("run", f"{d}/apart{at}.yaml", "-q", "-o", f"{d}/apart{at}.h5")
        paths.append(f"{d}/apart{at}.h5")
    table = rows(run("compare", *paths, "--apart", "--csv", "--equivalence", "0.01"))
    alone = [{**r, "result": p} for p in paths for r in rows(run("compare", p, "--csv", "--equivalence", "0.01"))]
    own = ("p_holm", "verdict", "p_untied_holm", "verdict_untied", "p_equivalence_holm", "equivalent")
    same = [{k: r[k] for k in alone[0] if k not in own} for r in table]
    check(same == [{k: r[k] for k in r if k not in own} for r in alone] and len(table) == 12,
          "compare --apart: the rows of every result, with its path")
    for p, holm in (("p_sign", "p_holm"), ("p_untied", "p_untied_holm"), ("p_equivalence", "p_equivalence_holm")):
        order, worst, wrong = sorted(range(12), key=lambda i: float(table[i][p])), 0, 0
        for j, i in enumerate(order):
            worst = max(worst, min(1, float(table[i][p]) * (12 - j)))
            wrong += not close(table[i][holm], worst)
        check(not wrong, f"compare --apart: {holm} counts the rows of all results")
    check(any(float(r["p_holm"]) > float(a["p_holm"]) for r, a in zip(table, alone)), "more than those of each alone do")
    refused("--pairs --apart", "--apart: cannot be combined with --pairs", "compare", *paths, "--apart", "--pairs")
    refused("the same names together", "both have the instance", "compare", paths[0], paths[2], "--horizon", "4")
    run("run", f"{d}/apart1.yaml", "-q", "-o", f"{d}/other.h5", "-s", "policies=[random, oracle]")
    refused("other policies apart", "expected the same policies", "compare", paths[0], f"{d}/other.h5", "--apart")


def verdicts(name, h5, what, score):
    """score(h): labels, horizons and one score of every policy (rows) and instance, NaN where there is none."""
    table, wrong, ps, alike, region = rows(run("rank", h5, "--layout", "verdicts", "--csv", *what)), [], [], [], .004
    for r in table:
        labels, horizons, scores = score(next(h for h in range(9) if int(r["horizon"]) == score(0)[1][h]))
        there = ~np.isnan(scores).any(axis=0)
        d = np.round(scores[labels.index(r["policy"])] - scores[labels.index(r["against"])], 9)[there]
        wins, n = int((d > 0).sum() + (d == 0).sum() // 2), len(d) - (d == 0).sum() % 2
        test = stats.binomtest(wins, int(n))
        share = test.proportion_ci(.95, "exact")
        mean = stats.t.interval(.95, len(d) - 1, d.mean(), stats.sem(d)) if d.any() else (0, 0)
        ps.append(test.pvalue)
        alike.append(max(stats.ttest_1samp(d, -region, alternative="greater").pvalue,
                         stats.ttest_1samp(d, region, alternative="less").pvalue) if d.any() else 0)
        want = dict(instances=len(d), share_won=wins / n, share_low=share.low, share_high=share.high, p_sign=test.pvalue,
                    difference=d.mean(), difference_low=mean[0], difference_high=mean[1])
        for key, value in want.items():
            # Rounded scores: 5e-10 each.
            if abs(float(r[key]) - value) > 2e-9:
                wrong.append((r["horizon"], r["policy"], key, r[key], value))
    untied = [stats.binomtest(int(r["wins"]), int(r["wins"]) + int(r["losses"])).pvalue if r["wins"] + r["losses"] != "00" else 1
              for r in table]
    for j, i in enumerate(sorted(range(len(ps)), key=lambda i: untied[i])):
        worst = max(worst if j else 0, min(1, untied[i] * (len(ps) - j)))
        r = table[i]
        word = "undecided" if worst >= .05 else "better" if int(r["wins"]) > int(r["losses"]) else "worse"
        if not close(r["p_untied"], untied[i]) or not close(r["p_untied_holm"], worst) or r["verdict_untied"] != word or \
                not close(r["share_tied"], int(r["ties"]) / int(r["instances"])):
            wrong.append((r["policy"], "p_untied", r["p_untied"], untied[i], r["p_untied_holm"], worst, r["verdict_untied"]))
    worst = 0
    for j, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        worst, r = max(worst, min(1, ps[i] * (len(ps) - j))), table[i]
        word = "undecided" if worst >= .05 else "better" if float(r["share_won"]) > .5 else "worse"
        if not close(r["p_holm"], worst) or r["verdict"] != word:
            wrong.append((r["horizon"], r["policy"], "p_holm", r["p_holm"], worst, r["verdict"]))
    again = rows(run("compare", h5, "--equivalence", str(region), "--csv", *what))
    for j, i in enumerate(sorted(range(len(ps)), key=lambda i: alike[i])):
        worst, r = max(worst if j else 0, min(1, alike[i] * (len(ps) - j))), again[i]
        if not close(r["p_equivalence"], alike[i], 1e-6) or not close(r["p_equivalence_holm"], worst, 1e-6) or \
                r["equivalent"] != ("yes" if worst < .05 else "undecided") or {**table[i], **r} != r:
            wrong.append((r["horizon"], r["policy"], "p_equivalence", r["p_equivalence"], alike[i], worst, r["equivalent"]))
    check(table and not wrong, f"{name}: {len(table)} verdicts as SciPy has them {wrong[:3] if wrong else ''}")
    return table


def shares(h5, best, h):
    """Share of pulls on arm best[instance], as `scores`."""
    with h5py.File(h5) as f:
        labels = sorted(f["policies"], key=lambda n: f["policies"][n].attrs["index"])
        T = list(f["coords/horizon"][:])
        pulls = np.array([f["policies"][n]["pulls"][:, h] for n in labels], float)
        labels = [text(f["policies"][n].attrs["label"]) for n in labels]
    return labels, T, np.array([[p[i, :, best[h][i]].mean() / T[h] for i in range(p.shape[0])] for p in pulls])


def bootstrap(name, h5, what, resamples=600):
    """what: the levels that are resampled, as --resample has them. Intervals lie about the average rank, wider than the
    quantiles of the resamples by what small samples ask for."""
    labels, instances, values, _, horizons = scores(h5, -1)
    last = rows(run("rank", h5, "--csv", "--horizon", str(horizons[-1]), "--resample", what))
    there = ~np.isnan(values).any(axis=(0, 2))
    values, R = values[:, there], values.shape[2]
    n = values.shape[1]
    rank = stats.rankdata(-np.round(values.mean(axis=2), 9), axis=0).mean(axis=1)
    rng = np.random.default_rng(7)
    mine = np.empty((resamples, len(labels)))
    for b in range(resamples):
        some = values if what == "repetitions" else values[:, rng.integers(0, n, n)]
        score = some.mean(axis=2)
        if what != "instances":
            score = np.take_along_axis(some, rng.integers(0, R, (n, R))[None], axis=2).mean(axis=2)
        mine[b] = stats.rankdata(-np.round(score, 9), axis=0).mean(axis=1)
    sd, mean = mine.std(axis=0, ddof=1), mine.mean(axis=0)
    noise = (1 / resamples + 1 / 1000) ** .5
    far = max(abs(float(r["rank_boot"]) - mean[i]) / (sd[i] * noise + 1e-12) for i, r in enumerate(last))
    check(far < 5, f"{name}, {what}: bootstrap means, largest z {far:.1f}")
    far = max(abs(float(r["rank_sd"]) / sd[i] - 1) / (noise * .5 ** .5) for i, r in enumerate(last) if sd[i] > 1e-9)
    check(far < 6, f"{name}, {what}: bootstrap standard deviations, largest z {far:.1f}")
    wider = ((R / (R - 1)) ** .5 if what == "repetitions" else
             stats.t.isf(.025, n - 1) / stats.norm.isf(.025) * (n / (n - 1)) ** .5)
    low, high = np.clip(rank + wider * (np.quantile(mine, [.025, .975], axis=0) - mean), 1, len(labels))
    # Standard error of a 2.5 % quantile of a normal sample: 2.67 sd / sqrt n.
    far = max(max(abs(float(r["rank_low"]) - low[i]), abs(float(r["rank_high"]) - high[i])) /
              (2.67 * wider * sd[i] * noise + 1e-12) for i, r in enumerate(last))
    check(far < 6, f"{name}, {what}: bootstrap intervals, largest z {far:.1f}")
    check(all(float(r["rank_low"]) <= float(r["rank"]) <= float(r["rank_high"]) for r in last),
          f"{name}, {what}: every average rank is within its interval")


LEVELS = ("instances", "repetitions", "both")

if len(sys.argv) == 3:
    with folder() as d:
        run("run", sys.argv[2], "-o", f"{d}/r.h5", "-q")
        compare(sys.argv[1], sys.argv[1], f"{d}/r.h5", ())
        for what in LEVELS:
            bootstrap(sys.argv[1], f"{d}/r.h5", what)
    finish()

POLICIES = ("policies: [{name: max_ucb, scale: minmax}, {name: max_ucb, alpha: 2, label: wide}, {name: greedy}, {name: r_sr},"
            " {name: uniform}, {name: random}, {name: oracle}]\n")

with folder() as d:
    # The authors' form: losses, two combined searches; one ends early in a repetition, and lacks an instance and a cell.
    rng = np.random.default_rng(1)
    series = {}
    for i in range(14):
        for k, name in ((0, "rf"), (1, "svm"), (2, "knn"), (-1, "smac"), (-2, "random")):
            for r in range(4):
                if k == -2 and (i == 3 or (i, r) == (5, 1)):
                    continue
                n = 12 if (i, k, r) == (7, -2, 2) else 24
                series[i, k, name, r] = np.round(rng.random(n) ** (1 + max(k, 0)), 2)

    def write(path, keep=lambda i, k, r, t: True):
        with open(path, "w") as f:
            f.write("instance,arm_index,repetition,iteration,loss,classifier,optimizer\n")
            for (i, k, name, r), s in series.items():
                for t, loss in enumerate(s):
                    if keep(i, k, r, t):
                        f.write(f"i{i},{k},{r},{t},{loss},{name if k >= 0 else 'all'},{name if k < 0 else 'RS'}\n")
        return path

    def experiment(path, more="", horizons="[6, 12, 24]"):
        with open(f"{d}/e.yaml", "w") as f:
            f.write(f"problem: {{trajectories: {path}{more}}}\n{POLICIES}horizons: {horizons}\nseed: 3\n")
        return f"{d}/e.yaml"

    data, h5 = write(f"{d}/data.csv"), f"{d}/r.h5"
    run("run", experiment(data), "-o", h5, "-q")
    table = compare("authors' form", data, h5, ())
    pairs = posteriors(h5, .02)
    plain = rows(run("rank", h5, "--pairs", "--csv"))
    check([{k: r[k] for k in p} for r, p in zip(pairs, plain)] == plain, "--bayes adds columns and changes none")
    check(pairs == rows(run("rank", h5, "--pairs", "--csv", "--bayes", "0.02", env={**os.environ, "OMP_NUM_THREADS": "1"})),
          "the same for any number of threads")
    refused("--bayes of a baseline", "only with --pairs", "rank", h5, "--bayes", "0.01")
    check(table[0]["baseline"] == "smac (-1)", "a combined search is the baseline by default")
    check(table[0]["left_out"] == "1", "the instance without the other search is left out")
    compare("baseline uniform", data, h5, ("--baseline", "uniform"), ("authors",))
    said = verdicts("verdicts", h5, (), lambda h: (scores(h5, h)[0], scores(h5, h)[4], np.nanmean(scores(h5, h)[2], axis=2)))
    check({"better", "undecided"} <= {r["verdict"] for r in said}, "some are better, some undecided")
    with h5py.File(h5) as f:
        best = f["problem/optimal_arm"][:].T
    only = ("--without", "smac (-1)", "--without", "random (-2)", "--baseline", "uniform", "--score", "best_share")
    said = verdicts("shares of pulls", h5, only, lambda h: shares(h5, best, h))
    check(any(r["policy"] == "oracle" and r["verdict"] == "better" and r["wins"] == "14" for r in said),
          "the oracle pulls nothing but the best arm")
    table = rows(run("rank", h5, "--csv", *only))
    check(all(r["loss"] == "" and 0 <= float(r["mean_share"]) <= 1 for r in table), "mean shares, without a loss")
    check(" mean_share " in run("rank", h5, *only), "shares for people")
    refused("shares of combined searches, which pull no arms", "no instance has values for all policies",
            "rank", h5, "--score", "best_share")
    refused("shares at a budget", "cannot be combined with --score", "rank", h5, "--score", "best_share", "--budget", "9")
    with h5py.File(h5) as f:
        search, names = f["policies/random (-2)"], [text(n) for n in f["coords/instance"][:]]
        want = np.full((14, 3, 4), np.nan)
        for (i, k, _, r), s in series.items():
            if k == -2:
                want[names.index(f"i{i}"), :, r] = [(0 - s[:T]).max() for T in (6, 12, 24)]
        check(np.array_equal(search["max_reward"][:], want, equal_nan=True), "its best rewards: gaps are NaN, an early end holds")
        check(not search["pulls"][:].any(), "it pulls no arms")
    two = [run("rank", h5, "--csv", env={**os.environ, "OMP_NUM_THREADS": n}) for n in "12"]
    check(two[0] == two[1], "the same bytes for one and two threads")
    check(two[0] != run("rank", h5, "--csv", "--seed", "7"), "another seed, other resamples")
    short = rows(run("rank", h5, "--csv", "--horizon", "24"))
    check([r["policy"] for r in short] == [r["policy"] for r in rows(two[0])][:9] and {r["horizon"] for r in short} == {"24"},
          "--horizon")
    fewer = rows(run("rank", h5, "--csv", "--horizon", "24", "--without", "random (-2)", "--without", "oracle"))
    check(len(fewer) == 7 and fewer[0]["left_out"] == "0", "--without, and the instance counts again")
    tasks = rows(run("rank", h5, "--layout", "tasks", "--csv", "--horizon", "24"))
    ranks = np.array([float(r["rank"]) for r in tasks]).reshape(13, 9)
    check(np.allclose(ranks.mean(axis=0), [float(r["rank"]) for r in short], atol=1e-12), "--layout tasks averages to the ranks")
    of_arms = ("--csv", "--without", "smac (-1)", "--without", "random (-2)")
    shares = rows(run("rank", h5, "--layout", "tasks", "--horizon", "24", "--score", "best_share", *of_arms))
    check("mean_share" in shares[0] and "mean_max" not in shares[0] and "mean_max" in tasks[0], "the name of the score")
    ones = [run("rank", h5, "--budget", "20", "--arm-cost", f"{arm}=1", *of_arms) for arm in ("rf", "knn")]
    check(ones[0] == ones[1], "an arm whose cost is not given costs 1")
    beside = rows(run("rank", h5, "--layout", "beside", "--csv", "--horizon", "24"))
    check([r["measure"] for r in beside] == ["p-value", "w/t/l", "loss", "p untied"] and all(
        beside[3][r["policy"]] == r["p_untied"] and
        beside[1][r["policy"]] == f'{r["wins"]}/{r["ties"]}/{r["losses"]}' and beside[0][r["policy"]] == r["p_sign"]
        for r in short if r["wins"]), "--layout beside has the same figures")
    check(set(run("rank", h5, "--layout", "beside", "--show", "horizon", "--horizon", "24").split()) == {"horizon", "24"},
          "--layout beside has the column horizon, as the others")
    latex, markdown = (run("rank", h5, "--layout", "beside", "--format", f, "--horizon", "24") for f in ("latex", "markdown"))
    check("oracle" in latex and "\\textbf{\\underline{0.0" in latex and latex.endswith("\\end{tabular}\n") and
          "max\\_ucb" in latex, "LaTeX")
    check("**<u>0.0" in markdown and markdown.count("\n") == 6 and
          markdown.startswith("| horizon | measure | max\\_ucb |"), "Markdown")
    check("Nemenyi" in run("rank", h5), "for people")
    check(run("rank", h5, "--format", "aligned") == run("rank", h5, "-f", "text") == run("rank", h5), "as text, by both names")
    named = [line.split() for line in run("rank", h5).splitlines() if line.startswith("policy ")]
    check(len(named) == 3 and set(named[0]) <= set(rows(run("rank", h5, "--csv"))[0]) and "p_sign_bonferroni" in named[0],
          "the headings that people see are columns of the CSV")
    check(run("rank", h5, "--show", "horizon,policy").splitlines()[3].split() == ["horizon", "policy"], "--show horizon")

    # Rules for runs with gaps.
    refused("a horizon beyond the series", "at least 30 iterations",
            "run", experiment(data, horizons="[30]"), "-o", f"{d}/x.h5", "-q")
    run("run", experiment(data, ", ends_early: hold", "[24, 60]"), "-o", f"{d}/hold.h5", "-q")
    run("run", experiment(data, ", ends_early: restart", "[24, 60]"), "-o", f"{d}/restart.h5", "-q")
    with h5py.File(f"{d}/hold.h5") as f, h5py.File(f"{d}/restart.h5") as g:
        check(np.array_equal(f["policies/oracle/max_reward"][:, 0], f["policies/oracle/max_reward"][:, 1]) and
              f["policies/uniform/pulls"][:, 1].sum() == 14 * 4 * 60, "hold: pulls are spent and gain nothing")
        check(np.array_equal(f["policies/uniform/max_reward"][:], g["policies/uniform/max_reward"][:]),
              "the best of a repeated series is the same")
    ragged = write(f"{d}/ragged.csv", lambda i, k, r, t: k < 0 or t < 24 - r)
    for rule in "hold", "restart":
        out = run("run", experiment(ragged, f", ends_early: {rule}", "[24, 60, 300, 100000]"), "-o", f"{d}/{rule}.h5")
        lengths, by_hand = recorded(ragged)[0], {}
        with h5py.File(f"{d}/{rule}.h5") as f:
            names, shares = [text(x) for x in f["coords/instance"][:]], []
            repetitions = sorted({r for _, r in lengths})
            labels = [text(x) for x in f["problem/arm_label"][:]]
            length = np.array([[[len(lengths[i, r].get(a, ())) for a in labels] for r in repetitions] for i in names])
            for p in f["policies"].values():
                past = np.maximum(0, p["pulls"][:].astype(float) - length[:, None, :p["pulls"].shape[2]]).sum(axis=3)
                by_hand[text(p.attrs["label"])] = past.mean(axis=2)
                same = p["summary/mean_repeated"][:]
                if "(-" in text(p.attrs["label"]):
                    check(np.isnan(same).all(), f"{rule}: a combined search repeats nothing of the arms")
                    del by_hand[text(p.attrs["label"])]
                else:
                    wrong = np.abs(same - past.mean(axis=2)).max()
                    check(wrong < 1e-9, f"{rule}: pulls past the recorded ends, counted by NumPy ({wrong})")
        share = sum(by_hand.values()).mean(axis=0) / len(by_hand) / np.array([24, 60, 300, 100000])
        check(0 < share[0] and 0.1 < share[1] < 0.5 < share[2], f"{rule}: shares {share} lie on both sides of a half")
        check(f"T = 100000: {100 * share[3]:.3g} % of the pulls lie past the recorded ends" in out and
              f"{100 * share[1]:.3g} % at T = 60" in run("info", f"{d}/{rule}.h5") and
              f"T = 100000: {100 * share[3]:.3g} % of" in run("summary", f"{d}/{rule}.h5"),
              f"{rule}: run, info and summary say so")
        left = rows(run("rank", f"{d}/{rule}.h5", "--csv"))
        check({int(r["horizon"]) for r in left} == {24, 60} and
              f"T = 60: {100 * share[1]:.3g} % of the pulls" in run("rank", f"{d}/{rule}.h5"),
              f"{rule}: rank leaves out the rest")
        refused(f"{rule}: a horizon at which most pulls repeat", f"T = 300: {100 * share[2]:.3g} % of the pulls lie past",
                "rank", f"{d}/{rule}.h5", "--horizon", "300")
    holes = write(f"{d}/holes.csv", lambda i, k, r, t: not (i == 2 and k == 1 and r == 3))
    refused("a missing cell", "instance i2, arm svm lacks repetition 3",
            "run", experiment(holes, ", missing: error"), "-o", f"{d}/x.h5", "-q")
    run("run", experiment(holes), "-o", f"{d}/own.h5", "-q")
    with h5py.File(h5) as all4, h5py.File(f"{d}/own.h5") as own:
        n = [text(x) for x in own["coords/instance"][:]]
        has = own["problem/replications"][:]
        check(list(has) == [3 if i == "i2" else 4 for i in n], "own: an instance keeps the repetitions that it has")
        same = True
        for p in ("uniform", "greedy", "max_ucb", "smac (-1)"):
            a, b = all4[f"policies/{p}/max_reward"][:], own[f"policies/{p}/max_reward"][:]
            pulls = own[f"policies/{p}/pulls"][:]
            for i, r in enumerate(has):
                same &= np.array_equal(a[i, :, :r], b[i, :, :r], equal_nan=True) and np.isnan(b[i, :, r:]).all()
                same &= not pulls[i, :, r:].any()
            mean, se = (own[f"policies/{p}/summary/{q}_max"][:] for q in ("mean", "se"))
            same &= np.allclose(mean, np.nanmean(b, axis=2), equal_nan=True)
            same &= np.allclose(se, np.nanstd(b, axis=2, ddof=1) / np.sqrt(has)[:, None], equal_nan=True)
            median = own[f"policies/{p}/summary/quantile_max"][:, :, 6]
            same &= np.allclose(median, np.nanmedian(b, axis=2), equal_nan=True)
        check(same, "own: the others are as before, and statistics are over each instance's own")
    table = rows(run("summary", f"{d}/own.h5", "--csv"))
    check({(r["instance"], r["replications"]) for r in table} == {(i, "3" if i == "i2" else "4") for i in n},
          "own: the numbers of replications in the summary")
    check("i2: 1 of 4 repetitions dropped (3)" in run("info", f"{d}/own.h5"), "own: the result says what was dropped")
    run("rank", f"{d}/own.h5", "--csv")
    run("run", experiment(holes, ", missing: drop_repetition"), "-o", f"{d}/three.h5", "-q")
    run("run", experiment(holes, ", missing: drop_arm"), "-o", f"{d}/arm.h5", "-q")
    with h5py.File(h5) as all4, h5py.File(f"{d}/three.h5") as three, h5py.File(f"{d}/arm.h5") as arm:
        same = all(np.array_equal(all4[f"policies/{p}/max_reward"][:, :, :3], three[f"policies/{p}/max_reward"][:],
                                  equal_nan=True) for p in ("uniform", "greedy", "smac (-1)", "random (-2)"))
        check(same, "drop_repetition: the other repetitions are as before")
        n = [text(x) for x in arm["coords/instance"][:]]
        used = arm["policies/uniform/pulls"][:].sum(axis=(1, 2)) > 0
        check(used.sum() == 3 * 14 - 1 and not used[n.index("i2"), [text(a) for a in arm["coords/arm"][:]].index("svm")],
              "drop_arm: that instance has two arms, others three")
    run("run", experiment(data, ", baselines: none"), "-o", f"{d}/none.h5", "-q")
    check(rows(run("rank", f"{d}/none.h5", "--csv", "--resamples", "0"))[0]["baseline"] == "random",
          "baselines: none; random is the baseline then")

    # Choosing from data, leaving one instance out.
    for by, column in (("rank", ranks), ("loss", np.array([float(r["loss"]) for r in tasks]).reshape(13, 9))):
        others = column.sum(axis=0) - column
        picked = others.argmin(axis=1)
        got = rows(run("rank", h5, "--layout", "choice", "--by", by, "--csv", "--horizon", "24", "--resamples", "0"))[0]
        labels = [r["policy"] for r in short]
        check(close(got[f"{by}_left_out"], column[np.arange(13), picked].mean()) and
              close(got[f"{by}_single"], column.min(axis=1).mean()) and
              close(got[f"{by}_fixed"], column[:, labels.index(got["fixed"])].mean()) and
              got["best_overall"] == labels[column.sum(axis=0).argmin()] and int(got["times"]) == np.bincount(picked).max(),
              f"--layout choice --by {by}: {got['chosen']} on {got['times']} of 13 instances")
        check(rows(run("best_set", h5, "--choice", "--by", by, "--csv", "--horizon", "24"))[0] == got,
              f"best_set --choice --by {by} is the same")
        best_sets(h5, by, labels, column)
    refused("losses of shares", "has no losses of these scores", "best_set", h5, "--by", "loss", "--score", "best_share",
            "--without", "smac (-1)", "--without", "random (-2)")
    for layout, command in (("verdicts", ()), ("pairs", ("--pairs", "--bayes", "0.02"))):
        was = run("rank", h5, "--layout", layout, "--csv", *command[1:])
        same = was == run("compare", h5, "--csv", *command)
        check(same, f"{' '.join(('maxk compare', *command))} is --layout {layout} of rank")
    kept_apart(d)
    refused("an option of compare", "maxk compare: --horizon: ", "compare", h5, "--horizon", "23")

    # Budgets: the longest affordable horizon, costs recorded or given per arm.
    cost = {key: 1 + (np.arange(len(s)) * 3 + key[0] + key[1]) % 4 / 2 for key, s in series.items()}
    paid, b5 = f"{d}/paid.csv", f"{d}/b.h5"
    with open(paid, "w") as f:
        f.write("instance,arm_index,repetition,iteration,loss,classifier,optimizer,cost\n")
        for (i, k, name, r), s in series.items():
            for t, loss in enumerate(s):
                names = f"{name},RS" if k >= 0 else f"all,{name}"
                f.write(f"i{i},{k},{r},{t},{loss},{names},{cost[i, k, name, r][t]}\n")
    run("run", experiment(paid, horizons="{from: 3, to: 24, step: 1}"), "-o", b5, "-q")
    with h5py.File(b5) as f:
        labels = sorted(f["policies"], key=lambda n: f["policies"][n].attrs["index"])
        arm_names, names = [text(n) for n in f["coords/arm"][:]], [text(n) for n in f["coords/instance"][:]]
        pulls = {n: f["policies"][n]["pulls"][:] for n in labels}
        best = {n: f["policies"][n]["max_reward"][:] for n in labels}
    index = {"rf": 0, "svm": 1, "knn": 2}

    def spent(label, i, h, r, per_arm):
        if "(" in label:
            k, name = int(label.split("(")[1][:-1]), label.split(" ")[0]
            return cost[i, k, name, r][:h + 3].sum() if (i, k, name, r) in cost else 0
        n = pulls[label][names.index(f"i{i}"), h, r]
        return sum(per_arm[a] * n[j] if per_arm else cost[i, index[a], a, r][:n[j]].sum() for j, a in enumerate(arm_names))

    def at_budget(B, labels, per_arm=None):
        out = np.full((len(labels), len(names), 4), np.nan)
        for p, label in enumerate(labels):
            for j, name in enumerate(names):
                for r in range(4):
                    for h in range(22):
                        if spent(label, int(name[1:]), h, r, per_arm) <= B:
                            out[p, j, r] = best[label][j, h, r]
        # The same repetitions for every policy: those that all of them have.
        out[:, np.isnan(out).any(axis=0)] = np.nan
        return np.nanmean(out, axis=2), np.isnan(out).all(axis=0).sum(axis=1)

    alone = [n for n in labels if "(" not in n]
    per_arm = ({"rf": 1, "svm": 2.5, "knn": 4}, ("--without", "smac (-1)", "--without", "random (-2)",
                                                 "--arm-cost", "svm=2.5", "--arm-cost", "knn=4"), alone)
    for given, extra, which, budgets in ((None, (), labels, (5.5, 12, 20.5, 30)), (*per_arm, (8.5, 12, 20.5, 30))):
        got = rows(run("rank", b5, "--csv", "--budget", ",".join(map(str, budgets)), "--resamples", "0", *extra))
        wrong = dropped = 0
        for B in budgets:
            mean, without = at_budget(B, which, given)
            there = ~np.isnan(mean).any(axis=0)
            rank = stats.rankdata(-np.round(mean[:, there], 9), axis=0).mean(axis=1)
            mine = [r for r in got if float(r["budget"]) == B]
            wrong += len(mine) != len(which) or not all(
                close(r["rank"], rank[i]) and close(r["mean_max"], mean[i, there].mean()) and int(r["instances"]) == there.sum()
                and int(r["repetitions_left_out"]) == without[there].sum() for i, r in enumerate(mine))
            dropped += without[there].sum()
        check(not wrong, f"ranks at equal cost, {'costs per arm' if given else 'recorded costs'}")
        check(dropped > 2, f"on the repetitions that all policies can afford, without {dropped} others")
    for arguments, what in ((("--budget", "0"), "--budget: "),
                            (("--budget", "9", "--arm-cost", "svm=2"), "combined search"),
                            (("--budget", "0.5"), "shortest horizon"), (("--budget", "9", "--horizon", "6"), "--horizon"),
                            (("--budget", "9", "--arm-cost", "x=2"), "--arm-cost: ")):
        refused(' '.join(arguments), what, "rank", b5, *arguments)
    unit = [run("rank", h5, "--csv", "--without", "random (-2)", "--resamples", "0", *a).replace("budget", "horizon")
            for a in (("--budget", "6,12,24"), ())]
    check(unit[0] == unit[1], "without costs a budget is a number of pulls")

    # The map of a sweep at equal cost has the numbers of the table.
    with open(f"{d}/sweep.yaml", "w") as f:
        f.write(f"name: sweep\nproblem: {{trajectories: {paid}}}\n"
                "policies: [{name: max_ucb, alpha: [0.1, 0.5, 2], label: 'a={alpha}'}, random]\n"
                "horizons: {from: 3, to: 24, step: 1}\nseed: 3\n")
    run("run", f"{d}/sweep.yaml", "-o", f"{d}/s.h5", "-q")
    table = rows(run("rank", f"{d}/s.h5", "--csv", "--among", "max_ucb", "--budget", "12,20.5", "--resamples", "0",
                     "-o", f"{d}/maps"))
    for m in ("rank", "loss"):
        with open(f"{d}/maps/sweep_map_{m}_budget_max_ucb_alpha.dat") as f:
            cells = [float(line.split()[-1]) for line in f if line.strip() and line[0] != "#"]
        want = [float(r[m]) for a in ("0.1", "0.5", "2") for B in (12, 20.5)
                for r in table if r["policy"] == f"a={a}" and float(r["budget"]) == B]
        check(len(want) == 6 and np.allclose(sorted(cells), sorted(want), atol=1e-9), f"map of {m} over alpha and budget")

    only = rows(run("rank", h5, "--csv", "--among", "max_ucb", "--horizon", "24", "--resamples", "0"))
    check([r["policy"] for r in only] == ["max_ucb", "wide"], "--among max_ucb")

    # The shift of Figure E.6, from its definition.
    want = []
    for name in names:
        i = int(name[1:])
        x = np.array([[-series[i, k, a, r][:24] for r in range(4)] for k, a in ((0, "rf"), (1, "svm"), (2, "knn"))])
        x = (x - x.min()) / (x.max() - x.min())
        best = x.max(axis=2)
        best = [max((2, 0, 1), key=lambda k: best[k, r]) for r in range(4)]  # knn, rf, svm: the sorted order decides ties
        m = np.array([np.mean([x[best[r], r, j] for r in range(4)]) for j in range(20)])
        want.append(max(0, ((m - m[0]) / m[0]).max()))
    with h5py.File(h5) as f:
        check(np.allclose(f["problem/shift"][:], want, rtol=1e-12), "the shift of every instance")

    # Bad requests.
    for arguments, what in ((("--baseline", "nobody"), "no policy 'nobody'"),
                            (("--without", "nobody"), "no policy 'nobody'"),
                            (("--horizon", "7"), "--horizon: "), (("--loss", "x"), "--loss")):
        refused(' '.join(arguments), what, "rank", h5, *arguments)
    for which in (slice(0, 1), slice(1, 2), slice(None)):
        shutil.copy(h5, f"{d}/cut.h5")
        with h5py.File(f"{d}/cut.h5", "a") as f:
            for label in sorted(f["policies"], key=lambda n: f["policies"][n].attrs["index"])[which]:
                del f["policies"][label]["pulls"]
        for command in ("rank", "figures", "summary", "info"):
            refused(f"a policy without its pulls: {command}", "pulls or max_reward", command, f"{d}/cut.h5")
    run("run", experiment(data), "-o", f"{d}/summary.h5", "-q", "-s", "keep=summary")
    refused("a result without single replications", "keep: summary", "rank", f"{d}/summary.h5")
    # Of two arms round robin gives each half of the pulls; instance b has one repetition of the two.
    with open(f"{d}/uneven.csv", "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n" + "".join(
            f"{i},{a},{r},{t},{r + t + (i + a in ('ay', 'bx'))}\n" for i, r in (("a", 0), ("a", 1), ("b", 0)) for a in "xy"
            for t in range(4)))
    with open(f"{d}/uneven.yaml", "w") as f:
        f.write(f"name: uneven\nproblem: {{trajectories: {d}/uneven.csv}}\npolicies: [uniform, oracle]\nhorizons: [4]\n")
    run("run", f"{d}/uneven.yaml", "-q", "-o", f"{d}/uneven.h5")
    shared = rows(run("rank", f"{d}/uneven.h5", "--score", "best_share", "--csv", "--resamples", "0"))
    check([(r["policy"], r["mean_share"]) for r in shared] == [("uniform", "0.5"), ("oracle", "1")],
          "shares of instances with one and two repetitions")
    with open(f"{d}/toy.yaml", "w") as f:
        f.write("problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.9}]}\n"
                f"{POLICIES}horizons: [20]\nreplications: 30\n")
    run("run", f"{d}/toy.yaml", "-o", f"{d}/toy.h5", "-q")
    toy = rows(run("rank", f"{d}/toy.h5", "--csv"))
    check(toy and all(r["loss"] == "" for r in toy), "a synthetic problem: ranks, no losses")
    for layout in ("rows", "beside", "pairs", "verdicts"):
        one = rows(run("rank", f"{d}/toy.h5", "--csv", "--layout", layout))
        told = [(k, v) for r in one for k, v in r.items() if v and not k.startswith("share") and
                (re.search("^p_|_p$|_chi2|_low|_high|distance|iman", k) or
                 r.get("measure", "").startswith("p") and k not in ("horizon", "measure"))]
        check(one and not told, f"one instance has no tests and no intervals: {layout} {told[:3]}")
    check(all(float(r["rank_low"]) <= float(r["rank"]) <= float(r["rank_high"])
              for r in rows(run("rank", f"{d}/toy.h5", "--csv", "--resample", "repetitions"))), "but of its repetitions")
    check("need more than one" in run("rank", f"{d}/toy.h5"), "and the table says so")

    fixture = os.path.abspath("experiments/data/pmlb_fixture.csv")
    run("run", experiment(fixture, horizons="[10, 25, 50]"), "-o", f"{d}/pmlb.h5", "-q")
    compare("pmlb_fixture", fixture, f"{d}/pmlb.h5", ())
    for what in LEVELS:
        bootstrap("pmlb_fixture", f"{d}/pmlb.h5", what)
    check(run("rank", f"{d}/pmlb.h5", "--csv") == run("rank", f"{d}/pmlb.h5", "--csv", "--resample", "instances"),
          "by default intervals are for new instances")
    refused("--resampling of instances", "only with --resample repetitions or --resample both",
            "rank", f"{d}/pmlb.h5", "--resampling", "shared")

    # --unit repetition: as if the file had an instance for every repetition.
    with open(fixture) as f, open(f"{d}/split.csv", "w") as to:
        to.write(f.readline())
        for line in f:
            instance, arm, repetition, rest = line.split(",", 3)
            to.write(f"{instance} ({repetition}),{arm},0,{rest}")
    fixed = "policies=[{name: uniform}, {name: max_ucb, ties: lowest, alpha: [0.1, 0.5, 2]}]"  # without luck of their own
    run("run", experiment(fixture, horizons="[10, 25, 50]"), "-o", f"{d}/whole.h5", "-q", "-s", fixed)
    run("run", experiment(f"{d}/split.csv", horizons="[10, 25, 50]"), "-o", f"{d}/split.h5", "-q", "-s", fixed)
    for layout in ("rows", "tasks", "pairs", "verdicts"):
        check(run("rank", f"{d}/whole.h5", "--csv", "--layout", layout, "--unit", "repetition") ==
              run("rank", f"{d}/split.h5", "--csv", "--layout", layout, "--resamples", "0"),
              f"every repetition as an instance: {layout}")
    refused("with budgets", "--unit repetition: cannot be combined with --budget",
            "rank", h5, "--unit", "repetition", "--budget", "9")

    # Several results: as one with the instances of all.
    names = [text(name) for name in h5py.File(f"{d}/whole.h5")["coords/instance"][:]]
    parts = [names[:1], names[1:3], names[3:]]
    for i, part in enumerate(parts):
        run("run", experiment(fixture, horizons="[10, 25, 50]"), "-o", f"{d}/part{i}.h5", "-q", "-s", fixed, "-s",
            f"problem.instances=[{', '.join(part)}]")
    files = [f"{d}/part{i}.h5" for i in range(len(parts))]
    for options in ([], ["--layout", "tasks"], ["--layout", "verdicts"], ["--layout", "choice"], ["--loss", "reached"],
                    ["--resample", "both"], ["--unit", "repetition"], ["--score", "best_share"], ["--budget", "12,30"],
                    ["--budget", "12,30", "--layout", "pairs"]):
        check(run("rank", f"{d}/whole.h5", "--csv", *options) == run("rank", *files, "--csv", *options),
              f"several results, as one of all instances: {' '.join(options)}")
    run("run", experiment(fixture, horizons="[10, 25, 50]"), "-o", f"{d}/few.h5", "-q", "-s", fixed, "-s", "replications=1", "-s",
        f"problem.instances=[{', '.join(parts[2])}]")
    few = [[r for r in rows(run("rank", *order, "--csv", "--layout", "tasks")) if r["instance"] == parts[0][0]]
           for order in ([*files[:2], f"{d}/few.h5"], [f"{d}/few.h5", *files[:2]], files)]
    check(few[0] and few[0] == few[1] == few[2], "with repetitions of their own")
    refused("the same instance twice", "both have the instance", "rank", *files, f"{d}/few.h5")
    refused("other policies", "expected the same policies", "rank", files[0], f"{d}/toy.h5")
    run("run", experiment(fixture, horizons="[10, 50]"), "-o", f"{d}/other.h5", "-q", "-s", fixed, "-s",
        f"problem.instances=[{', '.join(parts[2])}]")
    refused("other horizons", "--horizon chooses those that both have", "rank", files[0], f"{d}/other.h5")
    check(run("rank", files[0], f"{d}/other.h5", "--horizon", "50", "--csv") ==
          run("rank", files[0], files[2], "--horizon", "50", "--csv"), "but where they agree")
    refused("maps of several", "--out: expected one result", "rank", *files, "-o", f"{d}/maps")
finish()
