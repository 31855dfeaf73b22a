"""Hu, Qian & Yu 2019, Table 1 and Figure 1, from the command line: experiments/hu2019_*.yaml.

Share of pulls on the best arm at n = 1000: the recomputed numbers come from an independent script of the printed formulas
(three decimals and standard deviations of single runs). MAXK_HU_REPLICATIONS (default 300): an estimate is within
4.5 standard errors of ours plus the error of the recomputed number, a false-alarm rate of 7e-6 per row."""
import math, os, sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

replications = int(os.environ.get("MAXK_HU_REPLICATIONS", "300"))
# label: published mean, recomputed mean, error of the recomputed mean
expected = {
    "er_ucb": (".90 +- .01", .892, .01), "er_ucb_mean_gamma": (".90 +- .01", .127, .005),
    "c_ucb_mean_gamma": (".01 +- .01", .010, .003), "c_ucb_alpha_2": (".01 +- .01", .124, .003),
    "c_ucb_alpha_0.5": (".01 +- .01", .106, .003), "epsilon_greedy_mean": (".31 +- .42", .017, .004),
    "epsilon_greedy_max": (".31 +- .42", .47, .08), "softmax_mean": (".18 +- .01", .112, .004),
    "softmax_max": (".18 +- .01", .31, .02), "random": (".15 +- .01", .143, .001),
}

with folder() as d:
    h5 = os.path.join(d, "hu.h5")
    run("run", "experiments/hu2019_table1.yaml", "-o", h5, "-q", "-s", f"replications={replications}")
    best = {r["policy"]: r for r in rows(run("summary", h5, "--csv")) if r["horizon"] == "1000" and r["optimal"] == "1"}
    check(set(expected) <= set(best) and all(r["arm"] == "0" for r in best.values()), "arm 0 is the best at n = 1000")
    for label, (published, want, error) in expected.items():
        mean, se = float(best[label]["mean_pulls"]) / 1000, float(best[label]["se_pulls"]) / 1000
        check(abs(mean - want) < error + 4.5 * se, f"{label}: {mean:.4f} +- {se * math.sqrt(replications):.4f} "
              f"(recomputed {want}, published {published})")

    above = {(r["policy"], int(r["horizon"])): r for r in rows(run("exceed", h5, "--above", "1", "--csv"))}
    # The oracle plays N(.84, .07^2) alone: P(X > 1) = Q(16/7) = 0.0111354894796, scipy.stats.norm.sf(16 / 7).
    oracle = above["oracle", 1000]
    want, mean, se = 11.1354894796, float(oracle["mean_above"]), float(oracle["se_above"])
    check(abs(float(oracle["best_arm_expected"]) - want) < 1e-8, "expected events X > 1 of the best arm")
    check(abs(mean - want) < 4.5 * se, f"events X > 1 of the oracle at n = 1000: {mean:.2f} +- {se:.2f}")
    er = [float(above["er_ucb", n]["mean_above"]) for n in (100, 500, 1000)]
    check(er[0] < er[1] < er[2] and 0.8 * want < er[2] < want, f"ER-UCB's events X > 1 approach them: {er[2]:.2f}")

    # i_X* and max_i R_i of Table 1: of one replication, from its pulls and rewards one by one; of many, in distribution.
    pulls = {}
    run("export", h5, "--csv", os.path.join(d, "x"))
    for r in rows(open(os.path.join(d, "x/pulls.csv"), encoding="utf-8").read()):
        if r["horizon"] == "1000":
            pulls.setdefault((r["policy"], r["replication"]), {})[r["arm"]] = int(r["pulls"])
    for label in ("er_ucb", "epsilon_greedy_max", "softmax_max", "random"):
        most = [all(n < its["0"] for k, n in its.items() if k != "0") for (of, _), its in pulls.items() if of == label]
        check(abs(float(above[label, 1000]["most_pulls_best"]) - sum(most) / len(most)) < 1e-12 and len(most) == replications,
              f"{label}: most pulls for the best arm in {sum(most)} of {len(most)} runs")
    one = os.path.join(d, "one.h5")
    run("run", "experiments/hu2019_table1.yaml", "-o", one, "-q", "-s", "replications=1")
    found, wrong = rows(run("exceed", one, "--above", "1", "--csv")), 0
    shares = {(r["policy"], r["horizon"]): r["largest_from_best"] for r in found}
    for label in expected:
        steps = rows(run("trace", "experiments/hu2019_table1.yaml", "--policy", label, "--csv"))
        for T in (50, 300, 1000):
            wrong += int(max(steps[:T], key=lambda r: float(r["reward"]))["arm"] == "0") != int(shares[label, str(T)])
    check(not wrong and set(shares.values()) == {"0", "1"}, "the arm of the largest reward: maxk trace")

    # Figure 1 (a): the range of the best arm's share for some settings, from the figure and the text.
    for key, settings in (("theta", (0.0001, 0.5001)), ("gamma", (0, 20)), ("beta", (0, 0.855))):
        h5 = os.path.join(d, key + ".h5")
        run("run", f"experiments/hu2019_{key}.yaml", "-o", h5, "-q", "-s", "replications=20",
            "-s", f"policies.0.{key}=[{settings[0]}, {settings[1]}]")
        low, high = [float(r["mean_pulls"]) / 1000 for r in rows(run("summary", h5, "--csv")) if r["arm"] == "0"]
        good = {"theta": low > .9 and high < .35, "gamma": abs(low - 1 / 7) < .02 and high > .85,
                "beta": low < .05 and high > .9}[key]
        check(good, f"{key} = {settings[0]}: share {low:.3f}; {settings[1]}: {high:.3f}")

    run("run", "experiments/hu2019_table1.yaml", "-o", h5, "-q", "-s", "replications=3", "-s", "keep=summary")
    refused("a result without pulls", "keep: pulls", "exceed", h5, "--above", "1")
finish()
