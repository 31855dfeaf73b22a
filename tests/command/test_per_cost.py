"""per_cost of index policies (not of the MaxUCB family: test_costs_and_labels.py) on recorded runs, pull for pull against
a replay that has whole histories and the rules as defined; equal costs change nothing; who has no such rule says why."""
import csv, math, os, random, statistics, sys

import h5py, numpy as np
from scipy import special, stats

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

INSTANCES, ARMS = 4, 4


def recorded(path, length, equal=False, heavy=False):
    luck, data = random.Random(11), {}
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["instance", "arm", "repetition", "iteration", "reward", "cost"])
        for i in range(INSTANCES):
            for k in range(ARMS):
                dear = math.exp(luck.gauss(0, 1))
                for n in range(length):
                    x = luck.paretovariate(3 - .3 * k) if heavy else luck.betavariate(3 + (k + i) % ARMS, 3) + .001 * n
                    c = dear * math.exp(luck.gauss(0, .3))
                    x, c = round(x, 7), 2.5 if equal else round(c, 6)
                    data.setdefault((i, k), []).append((x, c))
                    out.writerow([f"i{i}", f"a{k}", 0, n, x, c])
    return data


def best(x):
    return np.maximum.accumulate(x)


def er_ucb_n(x, p):
    n, w = len(x), [math.log((1 + v) / (1 - v)) / .025 for v in x]
    j, g = np.arange(1, n + 1), lambda y: math.tanh(.025 * y / 2)
    b1, b0 = np.polyfit(j - j.mean(), w, 1)
    b0 -= b1 * j.mean()
    s2 = statistics.fmean((v - g(b1 * m + b0))**2 for m, v in zip(j, x))
    A = float(((j - j.mean())**2).sum())
    D = lambda at: at * math.sqrt(s2 / A) + math.sqrt(s2) * math.sqrt(1 / n + j.mean()**2 / A)
    return (20 * (g(b1 * p["T"] + b0) + math.sqrt(s2 / .01)) + D(p["u"]) +
            math.sqrt((D(n) + 1) * math.sqrt(math.log(p["u"]) / (2 * p["n"]))))


def er_ucb_s(x, p):
    psi = math.sqrt(4 * math.log(p["u"]) / (2 * p["n"]))
    return 20 * (np.mean(x - .6) + math.sqrt(np.mean((x - .6)**2) / .01)) + psi + math.sqrt(psi / .01)


def bayes(x, p):
    n = len(x)
    d = [0] + [np.quantile(x[:j], .95) for j in range(1, n + 1)]
    y = [j * d[j] - (j - 1) * d[j - 1] for j in range(1, n + 1)]
    v = (.2 + .5 * p["n"] * sum((z - d[n])**2 for z in y) / n) / (1 + p["n"] / 2 - 1)
    return d[n] + v * statistics.NormalDist().inv_cdf(1 - 1 / p["u"])


def gaussian(x, p):
    n, a = len(x), 1 / p["u"]
    if n == 1:
        return math.inf
    var = np.var(x, ddof=1)
    mu, var = np.mean(x) + stats.t.ppf(1 - a / 2, n - 1) * math.sqrt(var / n), (n - 1) * var / stats.chi2.ppf(a / 2, n - 1)
    z = (np.max(x) - mu) / math.sqrt(2 * var)
    return math.sqrt(var / 2) * (math.exp(-z * z) / math.sqrt(math.pi) - z * special.erfc(z))


def subgaussian(x, p):
    beta = .27 * math.sqrt(math.log(p["u"]) / p["n"])
    g = 2 * math.sqrt(2) * beta - beta * beta
    if g > math.log(2):
        return math.inf
    v = np.var(x) / (2 * (math.log(2) - g))
    return math.sqrt(2 * math.pi * v) * special.erfc((np.max(x) - np.mean(x)) / math.sqrt(2 * v))


def threshold(x, p):
    top = sorted(p["all"])[-20] if len(p["all"]) >= 20 else -math.inf
    mu, a = np.mean(x >= top), math.log(2 * ARMS * p["horizon"] / .1)
    return mu + (a + math.sqrt(2 * p["n"] * mu * a + a * a)) / p["n"]


def heidari(x, p):
    y = best(x)
    w, left = y[-1] - y[-2], p["T"] - len(y)
    if y[-1] >= 1:
        q = 0
    else:
        q = math.floor((1 - y[-1]) / w) if w * left > 1 - y[-1] else left
    return y.sum() + q * y[-1] + w * q * (q + 1) / 2 + max(0, left - q)


def r_ucbe(x, p):
    n, h, y = len(x), len(x) // 4, [None] + list(best(x))
    if h == 0:
        return math.inf
    rise = sum((p["T"] - s) * (y[s] - y[s - h]) / h**2 for s in range(n - h + 1, n + 1))
    return np.mean(y[n - h + 1:]) + rise + .05 * (p["T"] - n + h - 1) * math.sqrt(57.12 / h**3)


def pareto(x, p):
    b, n = 1000, len(x)
    x = np.sort(np.maximum(x, 1))
    s = max(1, int(p["horizon"]**(-1 / (2 * b + 1)) * n))
    h = np.log(x[-s:] / x[-s]).mean()
    c = n**(1 / (2 * b + 1)) * (x >= n**(h / (2 * b + 1))).mean()
    b1 = 1e-4 * math.sqrt(math.log(10)) * n**(-b / (2 * b + 1))
    b2 = 1e-4 * math.sqrt(math.log(n / .1)) * math.log(n) * n**(-b / (2 * b + 1))
    return ((c + b2) * p["T"])**(h + b1) * special.gamma(1 - h - b1) if h + b1 < 1 else math.inf


# name, rules, index, first rounds of each arm, lo and hi of scale: minmax (None: none), horizon
POLICIES = [
    ("ucb", "root ratio", lambda x, p: np.mean(x) + math.sqrt(.5 * math.log(p["u"]) / p["n"]), 1, None, 70),
    ("quantile_ucb", "root ratio", lambda x, p: np.quantile(x, .95) + math.sqrt(.5 * math.log(p["u"]) / p["n"]), 1, (0, 1), 70),
    ("quantile_bayes_ucb", "root ratio", bayes, 1, (0, 1), 70), ("er_ucb_s", "root ratio", er_ucb_s, 1, None, 70),
    ("er_ucb_n", "root ratio", er_ucb_n, 2, (.01, .99), 70), ("max_search_subgaussian", "root ratio", subgaussian, 1, None, 70),
    ("max_search_gaussian", "ratio", gaussian, 1, None, 70), ("threshold_ascent", "root", threshold, 1, None, 70),
    ("heidari", "ratio", heidari, 2, (0, 1), 70), ("r_ucbe", "ratio", r_ucbe, 1, None, 70),
    ("extreme_hunter", "ratio", pareto, math.log(400)**2.001, None, 400),
    ("extreme_etc", "ratio", pareto, math.log(400)**2.001, None, 400)]


def replay(data, i, policy, rule):
    name, _, index, first, scale, T = policy
    had, out = [[] for _ in range(ARMS)], []
    for t in range(1, T + 1):
        every = [x for h in had for x, _ in h]
        if t <= math.ceil(first * ARMS):
            arm = (t - 1) % ARMS
        elif name == "extreme_etc" and t > math.ceil(first * ARMS) + 1:
            arm = out[-1]
        else:
            spent = [sum(c for _, c in h) for h in had]
            mean, value = sum(spent) / len(every), []
            for h, paid in zip(had, spent):
                x, n = np.array([v for v, _ in h]), len(h)
                if scale:
                    x = scale[0] + (scale[1] - scale[0]) * (x - min(every)) / (max(every) - min(every))
                p = {"u": t, "n": n, "T": T, "horizon": T, "all": every}
                if rule == "root":
                    p["n"] = math.sqrt(n * paid / mean)
                elif rule == "ratio":
                    p["u"], p["T"] = 1 + sum(spent) / (paid / n), max(n, T * mean / (paid / n))
                value.append(index(x, p))
            arm = next(k for k, v in enumerate(value) if v >= max(value) - 1e-13 * abs(max(value)) or v == max(value))
        had[arm].append(data[i, arm][len(had[arm])])
        out.append(arm)
    return out


def experiment(d, file, entries, name, horizon):
    items = ", ".join("{name: %s, label: %s_%s%s%s}" % (p, p, rule, ", b: 1000" if p[:7] == "extreme" else "",
                                                        f", per_cost: {rule}" if rule != "none" else "") for p, rule in entries)
    path = os.path.join(d, f"{name}.yaml")
    with open(path, "w") as f:
        f.write(f"problem: {{trajectories: {file}}}\npolicies: [{items}]\nhorizons: [{horizon}]\nseed: 3\n")
    return path


def pulls_of(h5, label):
    with h5py.File(h5) as f:
        return f[f"policies/{label}/pulls"][:, 0, 0].tolist()


with folder() as d:
    for T, heavy in ((70, False), (400, True)):
        mine = [p for p in POLICIES if p[5] == T]
        cases = [(p, rule) for p in mine for rule in ("none " + p[1]).split()]
        data = recorded(os.path.join(d, "runs.csv"), T, heavy=heavy)
        path, h5 = experiment(d, "runs.csv", [(p[0], rule) for p, rule in cases], "e", T), os.path.join(d, "r.h5")
        run("run", path, "-o", h5, "-q", "--threads", "2")
        for p, rule in cases:
            label, arms = f"{p[0]}_{rule}", [replay(data, i, p, rule) for i in range(INSTANCES)]
            traced = [int(r["arm"]) for r in rows(run("trace", path, "--policy", label, "--instance", "i2"))]
            same = [n == [a.count(k) for k in range(ARMS)] for n, a in zip(pulls_of(h5, label), arms)].count(True)
            check(traced == arms[2] and same == INSTANCES,
                  f"{label}: arms of all {T} rounds on i2, pulls on {same} of {INSTANCES} instances")
            if rule != "none":
                check(pulls_of(h5, label) != pulls_of(h5, f"{p[0]}_none"), f"{label}: costs change its pulls")
        recorded(os.path.join(d, "equal.csv"), T, True, heavy)
        run("run", experiment(d, "equal.csv", [(p[0], rule) for p, rule in cases], "equal", T), "-o", h5, "-q")
        other = [f"{p[0]}_{r}" for p, r in cases if pulls_of(h5, f"{p[0]}_{r}") != pulls_of(h5, f"{p[0]}_none")]
        check(not other, f"equal costs change the pulls of {other or 'none of them'}")
    names = [r["policy"] for r in rows(run("list", "policies", "--csv"))]
    have = {p[0] for p in POLICIES} | {"max_ucb", "max_ucb_burn_in", "max_ucb_remaining", "max_ucb_horizon", "ps_max"}
    for name in names:
        path = os.path.join(d, "one.yaml")
        with open(path, "w") as f:
            f.write(f"problem: {{trajectories: runs.csv}}\npolicies: [{{name: {name}, per_cost: rooot}}]\nhorizons: [9]\n")
        why = "per_cost: expected one of none" if name in have or name == "thompson_gaussian" else \
            f"the rule of {name} has costs in it" if name == "rising_bandit_cost" else f"{name} has no bonus in which costs"
        refused(f"{name}, per_cost: rooot", why, "run", path, "-q")
finish()
