"""horizon_unit: cost on recorded runs: what policies pull and reach up to each cost, E[M(T)], regret, shares, ranks and losses
against numbers worked out here from the file; threads, shards, keep: summary; arms that end; costs that are fractions; known
and moving arms with costs; what is refused."""
import csv, math, os, random, re, subprocess, sys

import h5py, numpy as np

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, refused, rows, run

PY = sys.executable
I, K, R, LENGTH, T = 3, 3, 4, 130, [14, 40, 95]


def recorded(path, length=lambda k: LENGTH, costs=True):
    luck, data = random.Random(5), {}
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["instance", "arm_index", "repetition", "iteration", "reward"] + ["cost"] * costs)
        for i in range(I):
            for k in range(-1, K):  # -1: a combined search
                dear = math.exp(luck.gauss(.6, .5))
                for r in range(R):
                    for n in range(length(k)):
                        x = round(luck.betavariate(3 + (k + i) % K, 3), 6), round(dear * math.exp(luck.gauss(0, .3)), 5)
                        data.setdefault((i, k, r), []).append(x)
                        out.writerow([f"i{i}", k, r, n, x[0]] + [x[1]] * costs)
    return data


def experiment(d, name, policies, file="runs.csv", more="horizon_unit: cost", problem="", horizons=T):
    path = os.path.join(d, f"{name}.yaml")
    with open(path, "w") as f:
        f.write(f"problem: {{trajectories: {file}{problem}}}\npolicies: [{policies}]\nhorizons: {horizons}\n{more}\n")
    return path


def within(series, cost):
    """The rewards of the first pulls that cost this at most."""
    spent, out = 0, []
    for x, c in series:
        spent += c
        if spent > cost:
            break
        out.append(x)
    return out


def expected(data, i, cost):
    return [sum(max(within(data[i, k, r], cost)) for r in range(R)) / R for k in range(K)]


def play(data, i, r, choose, cuts=T, leaves=False):
    """Pulls, largest reward and cost at each cut; the pull that would exceed a cut is the next one after it."""
    left, seen, had, out, spent, arm = list(range(K)), [[] for _ in range(K)], [0] * K, [], 0, None
    for cut in cuts:
        while left:
            if arm is None:
                arm = choose([seen[k] for k in left])
            k = left[arm]
            n = len(seen[k])
            if n == had[k] and leaves and n == len(data[i, k, r]):  # it leaves; the policy starts again
                left.remove(k)
                seen, arm = [[] for _ in range(K)], None
                continue
            x, c = data[i, k, r][n]
            if n == had[k]:
                if spent + c > cut:
                    break
                spent += c
                had[k] += 1
            seen[k].append((x, c))
            arm = None
        out.append((list(had), max(x for j in range(K) for x, _ in data[i, j, r][:had[j]]), spent))
    return out


def uniform(had):
    return sum(map(len, had)) % len(had)


def max_ucb(rule):
    def choose(had):
        t = sum(map(len, had)) + 1
        if t <= len(had):
            return t - 1
        paid = [sum(c for _, c in h) for h in had]
        value = []
        for h, p in zip(had, paid):
            n = math.sqrt(len(h) * p / (sum(paid) / (t - 1))) if rule == "root" else len(h)
            u = 1 + sum(paid) / (p / len(h)) if rule == "ratio" else t
            value.append(max(x for x, _ in h) + (.5 * math.log(u) / n)**2)
        return value.index(max(value))
    return choose


RULES = {"uniform": uniform, "none": max_ucb("none"), "root": max_ucb("root"), "ratio": max_ucb("ratio")}
POLICIES = "uniform, " + ", ".join("{name: max_ucb, label: %s, per_cost: %s}" % (p, p) for p in list(RULES)[1:])


def compare(data, h5, title, leaves=False, cuts=T):
    with h5py.File(h5) as f:
        units = f["coords/horizon"].attrs["units"]
        check((units if isinstance(units, str) else units.decode()) == "cost", f"{title}: the unit of the horizons is cost")
        for label, choose in RULES.items():
            g, same, worst = f[f"policies/{label}"], 0, 0
            for i in range(I):
                for r in range(R):
                    for h, (had, best, spent) in enumerate(play(data, i, r, choose, cuts, leaves)):
                        same += g["pulls"][i, h, r].tolist() == had and g["max_reward"][i, h, r] == best
                        worst = max(worst, abs(g["cost"][i, h, r] - spent) / spent)
            check(same == I * R * len(T) and worst < 1e-12,
                  f"{title}, {label}: pulls and largest rewards of {same} of {I * R * len(T)} runs, costs to {worst:.0e}")


def fractions(d):
    """Costs of an eighth: the same pulls up to an eighth of the horizons, and the horizons are what commands print and take."""
    data = {key: [(x, round(c / 8, 8)) for x, c in series] for key, series in recorded(os.path.join(d, "whole.csv")).items()}
    with open(os.path.join(d, "whole.csv")) as f, open(os.path.join(d, "eighth.csv"), "w") as out:
        out.write(next(f))
        out.writelines(",".join(row[:5] + [f"{float(row[5]) / 8:.8f}"]) + "\n" for row in csv.reader(f))
    cuts, h5 = [t / 8 for t in T], os.path.join(d, "eighth.h5")
    path = experiment(d, "eighth", POLICIES + ", oracle", "eighth.csv", horizons=cuts)
    run("run", path, "-o", h5, "-q")
    compare(data, h5, "costs of an eighth", cuts=cuts)
    with h5py.File(h5) as f:
        check(f["coords/horizon"][:].tolist() == cuts, f"the file has the horizons {f['coords/horizon'][:].tolist()}")
        truth = np.array([[expected(data, i, t) for t in cuts] for i in range(I)])
        check(np.abs(f["problem/expected_max"][:] - truth).max() < 1e-14, "E[M(T)] at fractions")
    parts = [os.path.join(d, f"e{n}.part") for n in (1, 2)]
    for n, part in enumerate(parts):
        run("run", path, "--shard", f"{n + 1}/2", "-o", part, "-q")
    run("merge", *parts, "-o", os.path.join(d, "em.h5"))
    with h5py.File(h5) as a, h5py.File(os.path.join(d, "em.h5")) as b:
        check(all((a[f"policies/{p}/pulls"][:] == b[f"policies/{p}/pulls"][:]).all() for p in a["policies"]) and
              b["coords/horizon"][:].tolist() == cuts, "shards, merged, at fractions")
    at = str(cuts[0])
    for command in ("summary", "rank", "compare", "sample_size", "best_set"):
        both = [{s["horizon"] for s in rows(run(command, h5, "--csv", *more))} for more in ([], ["--horizon", at])]
        check(both == [set(map(repr_of, cuts)), {at}], f"{command} prints and chooses horizons that are fractions: {both}")
    shown = [s for s in rows(run("gap", path, "--horizons", "3.3,1.75", "--csv"))]
    good = all(abs(float(s["expected_max"]) - expected(data, int(s["instance"][1]), float(s["horizon"]))[int(s["arm"])]) < 1e-12
               for s in shown)
    check(good and {s["horizon"] for s in shown} == {"1.75", "3.3"}, "gap at fractions that are no horizons of the file")
    traced = [int(s["arm"]) for s in rows(run("trace", path, "--policy", "root", "--instance", "i1", "--horizon", at))]
    check([traced.count(k) for k in range(K)] == play(data, 1, 0, RULES["root"], cuts)[0][0], "trace up to a fraction")
    level, ert = {}, {}
    for s in rows(run("targets", h5, "--csv", "--levels", "2")):
        level[s["level"]], ert[s["policy"], s["level"]] = s, float(s["ert"])
    check(min(ert.values()) >= cuts[0] and max(ert.values()) < 40, f"targets: times are costs: {sorted(ert.values())[:2]}")
    run("report", h5, "-o", os.path.join(d, "eighth.html"))
    with open(os.path.join(d, "eighth.html")) as f:
        page = f.read()
    check("horizon T (cost)" in page and "horizon T (pulls)" not in page and "T up to a cost of 11.875." in page and
          "At T = 11.875 " in page, "the report has the unit and the fractions")
    spent = rows(run("rank", h5, "--csv", "--budget", "5.5,11"))
    check({s["budget"] for s in spent} == {"5.5", "11"} and "horizon" not in spent[0], "rank --budget in the place of fractions")
    check(f"T = {cuts[-1]}" in run("rank", h5) and "11.875" in run("info", h5), "and so have rank and info")
    other = experiment(d, "spaced", POLICIES, "eighth.csv", horizons="{from: 1.5, to: 12, per_decade: 3}")
    run("run", other, "-o", h5, "-q", "--force")
    with h5py.File(h5) as f:
        check(f["coords/horizon"][:].tolist() == [1.5, 3.23, 6.96], f"per_decade: {f['coords/horizon'][:].tolist()}")
    said = subprocess.run([PY, "-c", "import sys, maxk\nr = maxk.Result(sys.argv[1])\n"
                           "first, *_, last = r.targets(levels=2, further=True)\n"
                           "of = lambda t, p, *names: [x for x in zip(t['policy'], *(t[n] for n in names)) if x[0] == p]\n"
                           "print([max(of(last, p, 'time', 'reached'))[1:] + (sum(x[1] for x in of(first, p, 'reached')) / 2,)"
                           " for p in ('uniform', 'none', 'root', 'ratio')])", h5], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": "sim/python"})
    shares = eval(said.stdout or "[]")
    check(len(shares) == 4 and all(abs(t - 6.96) < 1e-9 and abs(x - y) < 1e-12 for t, x, y in shares),
          f"targets reached by the last horizon, a decimal fraction: {shares}{said.stderr[-200:]}")
    refused("seven decimals", "expected costs with at most six decimals", "run",
            experiment(d, "fine", "uniform", "eighth.csv", horizons=[2.1234567]), "-q")
    refused("fractions of pulls", "horizons: expected a whole number", "run",
            experiment(d, "part", "uniform", "eighth.csv", more="", horizons=[2.5]), "-q")
    refused("a horizon beyond what was recorded", "expected iterations that cost at least 500.5", "gap", path, "--horizons",
            "500.5")
    refused("fractions of pulls in gap", "--horizons: expected whole numbers", "gap", "experiments/e4_power.yaml", "--horizons",
            "2.5")
    apart = run("compare", os.path.join(d, "r.h5"), os.path.join(d, "p.h5"), "--apart")
    check(f"{d}/r.h5: Horizons T are costs" in apart and f"{d}/p.h5: Horizons" not in apart,
          "compare --apart says which result has costs")
    said = subprocess.run([PY, "-c", "import sys, maxk\nr = maxk.Result(sys.argv[1])\nprint(r.horizons.tolist())\n"
                           "p = r.mean_pulls[r.policies.index('uniform')]\n"
                           "print(abs(r._best_share()[0] - [[x[e.argmax()] / x.sum() for x, e in zip(*one)] for one in "
                           "zip(p, r.expected_max)]).max() < 1e-12)", os.path.join(d, "em.h5")], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": "sim/python"})
    check(said.stdout == f"{cuts}\nTrue\n" and not said.stderr,
          f"Python has the costs, and shares of all pulls: {said.stdout}{said.stderr[-200:]}")


def repr_of(x):
    return f"{x:.15g}"


KNOWN = ("problem: {arms: [{family: uniform, lo: 0.4, hi: 0.9, cost: %s}, {family: beta, a: 1, b: 2, cost: %s}, "
         "{family: exponential, rate: 5, cost: %s}]}\n")


def known(d):
    """Known arms: exact E[M(T)] of the pulls that T pays for, the policies' choices by their rules, and equal costs as pulls."""
    def yaml(name, costs, horizons, unit, policies=POLICIES + ", oracle, thompson_gaussian, {name: ps_max, label: ps}"):
        path = os.path.join(d, f"{name}.yaml")
        with open(path, "w") as f:
            f.write("name: same\n" + KNOWN % costs + f"policies: [{policies}]\nhorizons: {horizons}\nreplications: 40\n"
                    f"horizon_unit: {unit}\n")
        return path

    one, other = os.path.join(d, "one.h5"), os.path.join(d, "two.h5")
    run("run", yaml("equal", (.1, .1, .1), [1.5, 20, 100.1], "cost"), "-o", one, "-q", "--force")
    run("run", yaml("count", (1, 1, 1), [15, 200, 1001], "pulls"), "-o", other, "-q", "--force")
    with h5py.File(one) as a, h5py.File(other) as b:
        for x in ("pulls", "max_reward"):
            check(all((a[f"policies/{p}/{x}"][:] == b[f"policies/{p}/{x}"][:]).all() for p in a["policies"]),
                  f"known arms that cost 0.1 a pull: {x} are those of T / 0.1 pulls")
        check((a["problem/expected_max"][:] == b["problem/expected_max"][:]).all(), "and E[M(T)]")
    costs, cuts = np.array([.7, .2, 1.3]), [2.5, 12, 100.25]
    path = yaml("dear", tuple(costs), cuts, "cost")
    run("run", path, "-o", one, "-q", "--force")
    n = np.floor(np.array(cuts)[:, None] / costs + 1e-9)
    harmonic = [sum(1 / np.arange(1, x + 1)) / 5 for x in n[:, 2]]
    beta = [1 - np.prod([2 * j / (2 * j + 1) for j in range(1, int(x) + 1)]) for x in n[:, 1]]  # 1 - integral of (1 - y^2)^n
    with h5py.File(one) as f:
        error = np.abs(f["problem/expected_max"][0] - np.c_[.4 + .5 * n[:, 0] / (n[:, 0] + 1), beta, harmonic]).max()
        check(error < 1e-13, f"E[M(T)] of the pulls that T pays, to {error:.0e}")
        best = f["problem/optimal_arm"][0].tolist()
        wrong = [(f["policies/oracle/pulls"][0, h, :, best[h]] != n[h, best[h]]).sum() for h in range(3)]
        check(best == [0, 1, 2] and not any(wrong), f"the oracle pulls the best arm per cost as often as T pays: {best}, {wrong}")
        paid = max(np.abs(g["cost"][0] - g["pulls"][0] @ costs).max() for g in f["policies"].values())
        over = any((g["cost"][0] > np.array(cuts)[:, None] * (1 + 1e-9)).any() for g in f["policies"].values())
        check(paid < 1e-9 and not over, f"what was paid, and never more than T: {paid:.0e}")
        counts = {p: f[f"policies/{p}/pulls"][0, :, 0].tolist() for p in RULES}
    for label, choose in RULES.items():
        for h, cut in enumerate(cuts[:2]):
            seen, wrong = [[] for _ in range(3)], 0
            for s in rows(run("trace", path, "--policy", label, "--horizon", str(cut))):
                wrong += choose(seen) != int(s["arm"])
                seen[int(s["arm"])].append((float(s["reward"]), costs[int(s["arm"])]))
            spent = sum(c for arm in seen for _, c in arm)
            left = cut - spent
            check(wrong == 0 and -1e-9 <= left < costs[choose(seen)] + 1e-9 and [len(x) for x in seen] == counts[label][h],
                  f"known arms, {label} at cost {cut}: {wrong} other choices, {left:.3g} left, no pull that T would have paid")
    for what, want, argv in (
        ("records", "engine record: expected horizons in pulls", ("run", path, "--engine", "record", "-q")),
        ("rare events", "rare_events: expected horizons in pulls", ("run", path, "-s", "rare_events=10", "-q")),
        ("too little", "expected horizons of at least 2.2, what one pull of every arm costs, got 2.125",
         ("run", path, "-s", "horizons=[2.125]", "-q")),
        ("rates", "rates are defined for horizons in pulls", ("rate", one)),
        ("an optimum", "optima are defined for horizons in pulls", ("optimum", path))):
        refused(f"known arms by cost: {what}", want, *argv)
    bounded = os.path.join(d, "known.yaml")
    with open(bounded, "w") as f:
        f.write("problem: {arms: [{family: uniform, lo: 0, hi: 1, cost: 0.5}, {family: uniform, lo: 0, hi: 0.9, cost: 0.3}]}\n"
                "policies: [{name: max_ucb, alpha: [0.1, 0.5, 2]}]\nhorizons: [2.5, 12.5]\nhorizon_unit: cost\nreplications: 5\n")
    run("run", bounded, "-o", one, "-q", "--force")
    drawn = [os.path.basename(x) for x in run("figures", one, "--out", os.path.join(d, "fig")).split()]
    check("known_best_reward.png" in drawn and not re.search("bound|band|certified", " ".join(drawn)),
          f"no figure has bounds, which are about pulls: {drawn}")
    page = os.path.join(d, "page.html")
    run("report", one, "-o", page)
    with open(page) as f:
        reason = re.sub("<[^>]*>", " ", re.search(r"<th[^>]*>certify</th>.*?</tr>", f.read(), re.DOTALL).group())
    check("horizons are costs, for which no bound is known" in reason, f"the page says why it has no certified bounds: {reason}")
    moving = os.path.join(d, "moving.yaml")
    with open(moving, "w") as f:
        f.write("problem: {processes: [{curve: power, low: 0, high: 1, rate: 0.5, noise: 0.1, cost: 0.5}, {start: {family: "
                "uniform, lo: 0, hi: 0.5}, end: {family: uniform, lo: 0.5, hi: 1}, over: 40, cost: 1.5}]}\n"
                "policies: [uniform, oracle]\nhorizons: [2.5, 30]\nhorizon_unit: cost\nreplications: 50\n")
    run("run", moving, "-o", one, "-q", "--force")
    with h5py.File(one) as a:
        exact = [[float(s["expected_max"]) for s in rows(run("gap", moving, "-s", "horizon_unit=pulls", "-s",
                                                             f"horizons=[2,{t}]", "--csv"))][k - 2] for t, k in
                 ((5, 0), (60, 0), (20, 1))]
        check(a["problem/expected_max"][0].ravel()[[0, 2, 3]].tolist() == exact,
              f"moving arms: E[M] of the pulls that T pays: {exact}")


with folder() as d:
    data = recorded(os.path.join(d, "runs.csv"))
    path, h5 = experiment(d, "e", POLICIES + ", oracle"), os.path.join(d, "r.h5")
    run("run", path, "-o", h5, "-q", "--threads", "2")
    compare(data, h5, "run")
    with h5py.File(h5) as f:
        truth = [[expected(data, i, t) for t in T] for i in range(I)]
        check(np.abs(f["problem/expected_max"][:] - truth).max() < 1e-14, "E[M(T)] is that of the pulls that T pays")
        best = [[row.index(max(row)) for row in by] for by in truth]
        check(f["problem/optimal_arm"][:].tolist() == best, "the best arm per cost")
        oracle = [[[max(within(data[i, best[i][h], r], t)) for r in range(R)] for h, t in enumerate(T)] for i in range(I)]
        check((f["policies/oracle/max_reward"][:] == oracle).all(), "oracle: all of the cost on the best arm per cost")
        searched = [[[max(within(data[i, -1, r], t)) for r in range(R)] for t in T] for i in range(I)]
        other = next(p for p in f["policies"] if p.startswith("a-1") or "(-1)" in p)
        check((f[f"policies/{other}/max_reward"][:] == searched).all(), "the combined search ends with the cost as well")
        pulls, largest = f["policies/root/pulls"][:], f["policies/root/max_reward"][:]
    zero = [s["regret"] for s in rows(run("summary", h5, "--csv", "--policy", "oracle"))]
    check(set(zero) == {"0"}, f"the oracle has regret 0, not that of the order of sums: {set(zero)}")
    wrong = 0
    for s in rows(run("summary", h5, "--csv", "--policy", "root")):
        i, h, k = int(s["instance"][1]), T.index(int(s["horizon"])), int(s["arm"])
        wrong += abs(float(s["regret"]) - (max(truth[i][h]) - largest[i, h].mean())) > 1e-12
        wrong += abs(float(s["share"]) - pulls[i, h, :, k].sum() / pulls[i, h].sum()) > 1e-12
    check(wrong == 0, f"summary: {wrong} regrets or shares that are not those of the runs")
    for s in rows(run("rank", h5, "--csv", "--resamples", "0", "--policy", "root", "--policy", "uniform")):
        if s["policy"] == "root":
            h, loss = T.index(int(s["horizon"])), []
            for i in range(I):
                for r in range(R):
                    top = max(x for k in range(-1, K) for x in within(data[i, k, r], T[-1]))
                    base = np.median([data[i, k, r][0][0] for k in range(K)])
                    loss.append((top - largest[i, h, r]) / (top - base))
            check(abs(float(s["loss"]) - np.mean(loss)) < 1e-12, f"rank: the loss at cost {T[h]} is {np.mean(loss):.4f}")
    ends = [subprocess.run([MAXK, "rank", h5, "--budget", str(t), "--resamples", "0"], capture_output=True, text=True).stderr
            for t in (T[-1], T[-1] + 1)]
    check(["spends at most" in x for x in ends] == [False, True], "a budget is short of the longest horizon only if it is larger")
    single = os.path.join(d, "single.h5")
    run("run", experiment(d, "single", "uniform", problem=", instances: [i0]"), "-o", single, "-q")
    run("exceed", single, "-a", "0.9", "-o", os.path.join(d, "fig"))
    with open(os.path.join(d, "fig", "single_exceed.gp")) as f:
        check("horizon T (sum of costs)" in f.read(), "figures of counts are against costs")
    said = run("rank", h5, "--resamples", "0")
    check("costs" in said and "costs" in run("summary", h5), "rank and summary say that horizons are costs")

    # the same numbers by another way: one horizon alone, threads, shards, keep: summary, rows of single replications
    drawn = POLICIES + ", random, {name: thompson_gaussian, per_cost: root}"
    run("run", experiment(d, "drawn", drawn), "-o", os.path.join(d, "d.h5"), "-q")
    for t in T:
        one = os.path.join(d, "one.h5")
        run("run", experiment(d, "one", drawn, horizons=[t]), "-o", one, "-q")
        with h5py.File(one) as a, h5py.File(os.path.join(d, "d.h5")) as b:
            check(all((a[f"policies/{p}/pulls"][:, 0] == b[f"policies/{p}/pulls"][:, T.index(t)]).all() for p in a["policies"]),
                  f"at cost {t} alone the pulls are those of the run to all costs, of policies that draw as well")
    parts = [os.path.join(d, f"{n}.part") for n in (1, 2)]
    for n, part in enumerate(parts):
        run("run", path, "--shard", f"{n + 1}/2", "-o", part, "-q")
    run("merge", *parts, "-o", os.path.join(d, "m.h5"))
    run("run", path, "-o", os.path.join(d, "k.h5"), "-q", "-s", "keep=summary")
    with h5py.File(h5) as a, h5py.File(os.path.join(d, "m.h5")) as b, h5py.File(os.path.join(d, "k.h5")) as c:
        check(all((a[f"policies/{p}/{x}"][:] == b[f"policies/{p}/{x}"][:]).all() for p in a["policies"]
                  for x in ("pulls", "max_reward", "cost")), "shards, merged: the same values")
        check(all((a[f"policies/{p}/summary/mean_pulls"][:] == c[f"policies/{p}/summary/mean_pulls"][:]).all() for p in RULES),
              "keep: summary: the same means")
    traced = [int(s["arm"]) for s in rows(run("trace", path, "--policy", "ratio", "--instance", "i1", "--horizon", str(T[1])))]
    check([traced.count(k) for k in range(K)] == play(data, 1, 0, RULES["ratio"])[1][0], "trace: the pulls up to a cost")

    # a policy with a budget of its own has that of the run
    cost = experiment(d, "budget", "{name: rising_bandit_cost, label: p}", horizons=[60])
    pulls = experiment(d, "pulls", "{name: rising_bandit_cost, label: p, budget: 60}", more="", horizons=[LENGTH])
    for i in range(I):
        of = [[int(s["arm"]) for s in rows(run("trace", e, "--policy", "p", "--instance", f"i{i}"))] for e in (cost, pulls)]
        check(of[0] and of[1][:len(of[0])] == of[0] and len(of[1]) - len(of[0]) <= 1,
              f"rising_bandit_cost on i{i}: {len(of[0])} pulls, of which a run with budget: 60 makes the last one too")

    # a policy that needs T plans for the cost over the mean cost of a pull, which it does not exceed, as in maxk recommend
    run("run", experiment(d, "plan", "{name: max_ucb_remaining, label: p}, uniform"), "-o", h5, "-q")
    every = [c for (i, k, r), x in data.items() if k >= 0 for _, c in x]
    planned, same, exact = [math.floor(t / (sum(every) / len(every))) for t in T], 0, 0
    with h5py.File(h5) as f:
        for h, t in enumerate(T):
            def remaining(had):
                n = sum(map(len, had))
                value = [max(x for x, _ in a) + (.5 * math.log(planned[h] - n) / len(a))**2 for a in had] if n >= K else []
                return value.index(max(value)) if value else n
            for i in range(I):
                for r in range(R):
                    arms, spent = [[] for _ in range(K)], 0
                    for _ in range(planned[h]):
                        k = remaining(arms)
                        spent += data[i, k, r][len(arms[k])][1]
                        if spent > t:
                            break
                        arms[k].append(data[i, k, r][len(arms[k])])
                    same += f["policies/p/pulls"][i, h, r].tolist() == list(map(len, arms))
                    exact += sum(map(len, arms)) == planned[h]
    check(same == I * R * len(T) and 0 < exact < same, f"max_ucb_remaining plans for {planned} pulls: {same} runs as worked out, "
          f"{exact} of which end with the pulls")

    # sums of equal costs are rounded; 0.1 is no binary fraction
    with open(os.path.join(d, "equal.csv"), "w") as f:
        f.write("instance,arm,repetition,iteration,reward,cost\n")
        f.writelines(f"i,a{k},{r},{n},{n * 7 % 31},0.1\n" for k in range(3) for r in range(3) for n in range(310))
    equal = experiment(d, "equal", "{name: max_ucb_remaining, label: p}, uniform", "equal.csv", horizons=[3, 7, 30])
    run("run", equal, "-o", h5, "-q")
    with h5py.File(h5) as f:
        made = [f[f"policies/{p}/pulls"][0].sum(axis=2).tolist() for p in ("p", "uniform")]
    check(made == [[[30] * 3, [70] * 3, [300] * 3]] * 2, f"with equal costs a policy plans for all that T pays: {made[0]}")
    tune = os.path.join(d, "tune.yaml")
    run("recommend", os.path.join(d, "equal.csv"), "--horizon", "30", "--costs", "--out", tune)
    with open(tune) as f:
        check("evaluations: 300" in f.read(), "and so does recommend --costs")

    # arms that end
    short = recorded(os.path.join(d, "short.csv"), lambda k: LENGTH if k < 0 else 6 + 2 * k)
    leave = experiment(d, "leave", POLICIES, "short.csv", problem=", ends_early: leave")
    run("run", leave, "-o", h5, "-q")
    compare(short, h5, "ends_early: leave", leaves=True)

    # what is refused
    recorded(os.path.join(d, "free.csv"), costs=False)
    for what, want, e in (
        ("no costs", "free.csv has no column cost", experiment(d, "x1", "uniform", "free.csv")),
        ("too few planned pulls", "needs a pull of every arm", experiment(d, "x2", "successive_halving", horizons=[3])),
        ("claims", "cost: cannot be combined with claims",
         experiment(d, "x8", "uniform", more="horizon_unit: cost\nclaims: [{name: c, of: pulls, at_most: T}]")),
        ("a second budget", "expected policies without a budget of their own, got rising_bandit_cost",
         experiment(d, "x3", "{name: rising_bandit_cost, budget: 9}")),
        ("less than the first pulls", "expected horizons of at least", experiment(d, "x4", "uniform", horizons=[1, 40])),
        ("more than was recorded", "the largest horizon", experiment(d, "x5", "uniform", horizons=[40, 100000])),
        ("another rule for ends", "expected ends_early: error or leave",
         experiment(d, "x6", "uniform", problem=", ends_early: hold")),
        ("a word", "horizon_unit: expected one of pulls, cost", experiment(d, "x7", "uniform", more="horizon_unit: seconds"))):
        refused(what, want, "run", e, "-q")
    run("run", path, "-o", h5, "-q")
    with open(os.path.join(d, "runs.csv")) as f, open(os.path.join(d, "other.csv"), "w") as out:
        out.write("".join("j" + x[1:] if n else x for n, x in enumerate(f)))
    other = os.path.join(d, "other.h5")
    run("run", experiment(d, "other", POLICIES + ", oracle", "other.csv", more=""), "-o", other, "-q")
    run("run", path, "-o", os.path.join(d, "p.h5"), "-q", "-s", "horizon_unit=pulls")
    refused("instances of results in pulls and in costs together",
            f"{other} and {h5}: expected horizons of the same unit, got pulls and costs", "rank", h5, other)
    refused("bounds of such a result", "bounds are defined for horizons in pulls", "bounds", h5)
    refused("certificates of such a result", "horizons are costs, for which no bound is known", "certify", h5)
    with open(os.path.join(d, "found.yaml"), "w") as f:
        f.write("problem: {searches: [{objective: branin, optimizer: random}]}\npolicies: [uniform]\nhorizons: [10]\n"
                "horizon_unit: cost\n")
    refused("searches", "cost: expected arms, processes or trajectories, got searches", "run", f.name, "-q")
    fractions(d)
    known(d)
finish()
