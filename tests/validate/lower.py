"""The lower level against other programs: acquisition functions, Gaussian processes, Parzen estimators, forests, searches.

The program build/tests/support/lower_answers gives maxk's side; the others are mpmath, and Debian's scikit-learn 1.2 and
Optuna 3.1."""
import bisect
import csv
import importlib
import math
import os
import random
import subprocess
import sys

from jobs import Job
from rows import row

PROGRAM = "build/tests/support/lower_answers"
BEST = "tests/reference/best_optuna.csv"
MIXED = "tests/validate/mixed_space.yaml"  # of `mixed` in tests/reference/best_optuna.py


def need(module, package):
    try:
        return importlib.import_module(module)
    except ImportError:
        raise RuntimeError(f"{package} is not installed") from None


def reference(script):
    """A script of tests/reference as a module."""
    sys.path.insert(0, "tests/reference")
    return need(script, "python3-optuna")


class Answers:
    """maxk's answers to requests, one line of numbers each."""

    def __enter__(self):
        if not os.path.exists(PROGRAM):
            raise RuntimeError(f"{PROGRAM} is not built: make {PROGRAM}")
        self.program = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __call__(self, *request):
        def words(x):
            if isinstance(x, (list, tuple)):
                return " ".join(map(words, x))
            return x if isinstance(x, str) else repr(float(x))

        self.program.stdin.write(words(request) + "\n")
        self.program.stdin.flush()
        line = self.program.stdout.readline()
        if not line:
            raise RuntimeError(f"{PROGRAM} {request[0]}: no answer")
        return [float(x) for x in line.split()]

    def __exit__(self, *_):
        self.program.stdin.close()
        self.program.wait()


def error_row(claim, source, where, quantity, worst, most):
    return row(claim=claim, source=source, where=where, quantity=quantity, relation="<=", expected=most, observed=worst,
               verdict="holds" if worst <= most else "violated")


def off(got, want):
    return abs(got - want) / max(1, abs(want))


# ---- acquisition functions ----

def acquisition():
    """Inputs are multiples of 2^-20, so that their differences are exact: rounding mean - best alone moves EI by more."""
    mpmath = need("mpmath", "python3-mpmath")
    mp, draw = mpmath.mp, random.Random(1)
    mp.dps = 60
    worst = dict.fromkeys(("ei", "logei", "pi", "ucb", "quadrature"), 0.0)

    def closed(kind, mean, sd, best, xi):
        z = (mean - best - xi) / sd
        ei = sd * (mp.npdf(z) + z * mp.ncdf(z))
        return {"ei": ei, "logei": mp.log(ei), "pi": mp.ncdf(z), "ucb": mean + xi * sd}[kind]

    with Answers() as ask:
        for case in range(3000):
            sd = math.exp(draw.uniform(-5, 2))
            mean, xi, sd = (round(x * 2**20) / 2**20 for x in (draw.uniform(-2, 2), draw.choice((0, draw.random())), sd))
            best = round((mean - xi - sd * draw.uniform(-35, 10)) * 2**20) / 2**20
            exact = [mp.mpf(x) for x in (mean, sd, best, xi)]
            for kind in ("ei", "logei", "pi", "ucb"):
                got, want = ask("acquisition", kind, mean, sd, best, xi)[0], closed(kind, *exact)
                worst[kind] = max(worst[kind], float(abs(mp.mpf(got) - want) / abs(want)) if want else abs(got))
            if case % 30 == 0:
                m, s, b, x = exact
                got = ask("acquisition", "ei", mean, sd, best, xi)[0]
                z = (m - b - x) / s
                scale = s / max(1, -z)  # on which the integrand falls in the tail
                ends = sorted({b + x, *(e for e in (m - 4 * s, m, m + 4 * s) if e > b + x),
                               *(b + x + k * scale for k in (1, 4, 12, 30, 100)), max(m, b + x) + 100 * scale})
                size = mp.npdf(max(m, b + x), m, s)  # quad stops at an absolute error
                want = size * mp.quad(lambda y: (y - b - x) * (mp.npdf(y, m, s) / size), ends)
                worst["quadrature"] = max(worst["quadrature"], float(abs(mp.mpf(got) - want) / want))
    names = {"ei": "EI", "logei": "log EI", "pi": "PI", "ucb": "UCB", "quadrature": "EI against quadrature"}
    return [error_row("acquisition functions", "closed forms with 60 digits (mpmath)" if k != "quadrature" else
                      "integral of the improvement (mpmath)", "z from -35 to 10", f"{names[k]}: largest relative error", w,
                      1e-12) for k, w in worst.items()], []


# ---- Gaussian processes ----

def gaussian_process():
    sklearn = need("sklearn", "python3-sklearn")
    np = need("numpy", "python3-numpy")
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels
    draw = np.random.RandomState(1)
    worst = dict.fromkeys(("log likelihood", "its gradient", "posterior mean", "posterior variance"), 0.0)

    def take(name, got, want):
        worst[name] = max(worst[name], off(got, float(want)))

    with Answers() as ask:
        for _ in range(60):
            n, d, m, shape = draw.randint(5, 60), draw.randint(1, 6), 5, draw.choice(["matern", "se"])
            words = [int(draw.randint(2, 5)) if draw.rand() < .3 else 0 for _ in range(d)]
            x, p = (np.column_stack([draw.randint(w, size=k) if w else draw.rand(k) for w in words]).astype(float)
                    for k in (n, m))
            y, weight = draw.randn(n), np.exp(draw.uniform(-2, 2, d))
            scale, noise = math.exp(draw.uniform(-1, 1)), math.exp(draw.uniform(-5, -2))
            theta = [*np.log(weight), math.log(scale), math.log(noise)]
            got = ask("gp", str(shape), n, d, [float(w > 0) for w in words], theta, x.ravel().tolist(), y.tolist(), m,
                      p.ravel().tolist())
            # A word is one indicator for each value, divided by sqrt 2, so that two that differ have distance 1.
            owner = [i for i, w in enumerate(words) for _ in range(max(w, 1))]

            def expand(a):
                return np.column_stack([(a[:, [i]] == np.arange(w)) / math.sqrt(2) if w else a[:, [i]]
                                        for i, w in enumerate(words)])

            length = weight[owner] ** -.5
            part = kernels.Matern(length, nu=2.5) if shape == "matern" else kernels.RBF(length)
            level = noise + 1e-6
            kernel = kernels.ConstantKernel(scale) * part + kernels.WhiteKernel(level)
            gp = GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(expand(x), y)
            value, slope = gp.log_marginal_likelihood(kernel.theta, eval_gradient=True)
            take("log likelihood", got[0], value)
            slope = np.atleast_1d(slope)
            for i in range(d):
                take("its gradient", got[1 + i], -.5 * sum(s for s, o in zip(slope[1:-1], owner) if o == i))
            take("its gradient", got[1 + d], slope[0])
            take("its gradient", got[2 + d], slope[-1] * noise / level)
            latent = GaussianProcessRegressor(kernels.ConstantKernel(scale) * part, optimizer=None, alpha=level)
            latent.fit(expand(x), y)
            mean, covariance = latent.predict(expand(p), return_cov=True)
            for i in range(m):
                take("posterior mean", got[3 + d + 2 * i], mean[i])
                take("posterior variance", got[4 + d + 2 * i], covariance[i, i])
    return [error_row("Gaussian process", f"scikit-learn {sklearn.__version__}",
                      "60 random data sets, up to 60 points, numbers and words", f"{name}: largest error, relative above 1", w,
                      1e-9) for name, w in worst.items()], []


# ---- Parzen estimators ----

def parzen():
    optuna = need("optuna", "python3-optuna")
    module = reference("parzen_optuna")
    worst = {}
    with Answers() as ask:
        for seed in range(1001, 1201):
            case = module.History(seed)
            want = case.answers()

            def ratio(axes, bandwidth, normalise):
                density = []
                for part in case.parts():
                    u = [case.place(j, case.history[i][str(j)]) for i in part for j in axes]
                    density += ask("parzen", bandwidth, normalise, len(axes), [case.axis(j) for j in axes], len(part), u, 1,
                                   [case.place(j, case.x[str(j)]) for j in axes])
                return density[0] - density[1]

            all_axes = list(range(case.d))
            for k, normalise in enumerate(("no", "yes")):
                found = [sum(ratio([j], "gap", normalise) for j in all_axes), ratio(all_axes, "scott", normalise)]
                for i, name in enumerate(("axes one by one", "all axes at once")):
                    key = name, ("as in Optuna 3.1", "divided by their bandwidth (Optuna 3.5)")[k]
                    worst[key] = max(worst.get(key, 0), abs(found[i] - want[2 * k + i]))
    return [error_row("TPE, log l - log g", f"Optuna {optuna.__version__}", "200 random histories, others than make check's",
                      f"{name}, kernels {kernels}: largest error", w, 1e-10) for (name, kernels), w in worst.items()], []


# ---- BOHB and irace ----

def densities():
    sm = need("statsmodels.api", "python3-statsmodels")
    np = need("numpy", "python3-numpy")
    version = need("statsmodels", "python3-statsmodels").__version__
    draw, worst = np.random.RandomState(5), {"numbers": 0.0, "numbers and words": 0.0}
    with Answers() as ask:
        for case in range(200):
            d = draw.randint(1, 6)
            words = [case % 2 and draw.rand() < .4 for _ in range(d)]
            n = draw.randint(d + 2, 40)
            x = np.array([[draw.randint(4) if w else draw.rand() for w in words] for _ in range(n)])
            for j in range(d):
                if words[j]:
                    x[:4, j] = range(min(4, n))  # every word is seen: statsmodels divides by their number minus one
            p = np.array([[draw.randint(4) if w else draw.rand() for w in words] for _ in range(5)])
            kde = sm.nonparametric.KDEMultivariate(x, "".join("u" if w else "c" for w in words), bw="normal_reference")
            kde.bw = np.clip(kde.bw, 1e-3, None)
            got = ask("kde", 1e-3, d, list(map(int, words)), n, x.ravel().tolist(), 5, p.ravel().tolist())
            key = "numbers and words" if any(words) else "numbers"
            for ours, theirs in zip(got, np.atleast_1d(kde.pdf(p))):
                worst[key] = max(worst[key], off(ours, theirs))
    return [error_row("BOHB, kernel densities", f"statsmodels {version}", "200 random samples", f"{name}: largest error", w,
                      1e-10)
            for name, w in worst.items()], []


RACES = """suppressMessages(library(irace)); set.seed(11)
show <- function(...) cat(..., "\\n")
for (i in 1:50) {
  n <- sample(5:15, 1); k <- if (i %% 3 == 0) 2 else sample(3:20, 1)
  y <- round(matrix(rnorm(n * k), n, k) + rep(runif(1, 0, 2) * (1:k) / k, each = n), if (i %% 2) 6 else 1)
  r <- irace:::aux_friedman(y, rep(TRUE, k), 1:k, .95)
  show("race", n, k, t(y), .05, "|", r$best - 1, as.integer(r$alive))
}
for (i in 1:50) {
  N <- sample(1:60, 1); left <- sample(200:20000, 1); races <- floor(irace:::computeNbIterations(N)); j <- sample(races, 1)
  first <- sample(2:8, 1); each <- sample(1:3, 1); e <- if (j > 1) sample(1:8, 1) else 0
  old <- if (j > 1) sample(first:40, 1) else 0; add <- as.integer(j > 1)
  B <- irace:::computeComputationalBudget(left, j, races)
  show("plan", N, left, j, first, each, e, old, add, "|", races, B,
       irace:::computeNbConfigurations(B, j, first, each, e, old, add))
}
"""


def races():
    run = subprocess.run(["Rscript", "-e", RACES], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError("r-cran-irace is not installed")
    wrong, count = {"race": 0, "plan": 0}, {"race": 0, "plan": 0}
    with Answers() as ask:
        for line in run.stdout.splitlines():
            request, answer = line.split("|")
            kind, *numbers = request.split()
            count[kind] += 1
            wrong[kind] += ask(kind, list(map(float, numbers))) != [float(x) for x in answer.split()]
    texts = {"race": "random matrices: eliminations that differ", "plan": "random races: number of races, B_j or N_j that differ"}
    return [row(claim="irace", source="irace 3.5 (R)", where=f"{count[k]} {texts[k].split(':')[0]}",
                quantity=texts[k].split(": ")[1], relation="=", expected=0, observed=wrong[k],
                verdict="holds" if wrong[k] == 0 and count[k] == 50 else "violated")
            for k in texts], []


# ---- forests ----

def forest():
    sklearn = need("sklearn", "python3-sklearn")
    np, stats = need("numpy", "python3-numpy"), need("scipy.stats", "python3-scipy")
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
    draw, forests, trees = np.random.RandomState(2), 200, 10
    x = draw.rand(60, 4)
    x[:, 3] = np.floor(5 * x[:, 3])
    y = np.sin(6 * x[:, 0]) + x[:, 1] * x[:, 3] + .1 * draw.randn(60)
    points = draw.rand(4, 4)
    points[:, 3] = np.floor(5 * points[:, 3])
    cases = [("exact splits", RandomForestRegressor, 4, 2, 1),
             ("exact splits, two features, leaves of 3", RandomForestRegressor, 2, 6, 3),
             ("random splits", ExtraTreesRegressor, 4, 2, 1)]
    rows = []
    with Answers() as ask:
        for name, kind, features, split, leaf in cases:
            got = ask("forest", [trees, features, split, leaf, 1, kind is ExtraTreesRegressor], 60, 4, x.ravel().tolist(),
                      y.tolist(), 4, points.ravel().tolist(), forests)
            ours = np.array(got).reshape(forests, 4, 2)
            theirs = []
            for seed in range(forests):
                f = kind(trees, max_features=features, min_samples_split=split, min_samples_leaf=leaf, bootstrap=True,
                         random_state=seed).fit(x, y)
                each = np.array([t.predict(points) for t in f.estimators_])
                theirs.append(np.column_stack([each.mean(0), each.var(0)]))
            theirs = np.array(theirs)
            for k, moment in enumerate(("mean", "variance")):
                least = min(stats.ks_2samp(ours[:, i, k], theirs[:, i, k]).pvalue for i in range(4))
                rows.append(row(claim="forests", source=f"scikit-learn {sklearn.__version__}", where=name,
                                quantity=f"{moment} over the trees of {forests} forests at four points: smallest p of "
                                "Kolmogorov-Smirnov (false alarm 4e-4)", relation=">=", expected=1e-4, observed=least,
                                verdict="holds" if least >= 1e-4 else "violated"))
    return rows, []


# ---- searches ----

SEARCHES = {"mccormick": "mccormick", "branin": "branin", "hosaki": "hosaki", "hartmann3": "hartmann3",
            "hartmann6": "hartmann6", "mixed": "rosenbrock,dimensions=4"}
OPTIMIZERS = {"random": ["random", 0], "tpe": ["tpe", 3, "multivariate", "no", "normalise", "no", "repeat", "yes"]}
Z_90 = 1.6448536269514722


def mean_of(x):
    """Mean and its standard error."""
    mean = sum(x) / len(x)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in x) / (len(x) - 1) / len(x))


def effect(ours, theirs):
    """P(ours > theirs) + P(equal) / 2 and its standard error where both have the same distribution (Mann & Whitney)."""
    order = sorted(theirs)
    wins = sum(bisect.bisect_left(order, x) + bisect.bisect_right(order, x) for x in ours) / 2
    n, m = len(ours), len(theirs)
    return wins / (n * m), math.sqrt((n + m + 1) / (12 * n * m))


def best():
    """Equivalence by two one-sided tests at .05: the 90 % interval of the effect lies within .5 ± .1. With equal
    distributions one of the twelve fails with probability 3 %."""
    searches, rows, live = 2000, [], 2
    module = reference("best_optuna")
    with open(BEST, newline="") as f, Answers() as ask:
        for function, sampler, *values in csv.reader(f):
            theirs = [float(v) for v in values]
            again = [float(f"{module.best(function, sampler, seed):.8g}") for seed in range(live)]
            space = MIXED if function == "mixed" else "-"
            ours = ask("search", OPTIMIZERS[sampler], SEARCHES[function], space, module.EVALUATIONS, 0, searches)[::2]
            a, se = effect(ours, theirs)
            low, high = a - Z_90 * se, a + Z_90 * se
            within = .4 < low < high < .6
            note = "" if again == theirs[:live] else f"{BEST} is not what this Optuna gives for seeds 0 to {live - 1}"
            rows.append(row(claim=f"best of 100, {sampler}", source=f"Optuna 3.1 ({len(theirs)} searches)",
                            where=f"{function}, {sampler}",
                            quantity=f"probability that the best of ours ({searches} searches) is better: 90 % interval "
                            "within .4 … .6", relation="=", expected=.5, observed=a, ci_low=a - 1.96 * se,
                            ci_high=a + 1.96 * se, note=note,
                            verdict="holds" if within and not note else "violated"))
    return rows, []


# Ours, and the settings that they replaced; how many searches of each on every problem.
DEFAULTS = {"tpe": (["tpe", 0], ["tpe", 1, "multivariate", "no"], 100),
            "rf": (["rf", 0], ["rf", 1, "most_init", 1000000], 6)}
MEASURED = "experiments/data/measured_pmlb_main.csv.gz"
TABLES = [("breast", "svc"), ("cleve", "gradient_boosting"), ("diabetes", "random_forest"), ("flare", "decision_tree"),
          ("glass", "knn"), ("vehicle", "logistic_regression"), ("vowel", "svc"), ("yeast", "gradient_boosting")]
PROBLEMS = {
    "functions": [(o, "-") for o in (*list(SEARCHES.values())[:5], "ackley", "ackley,dimensions=5", SEARCHES["mixed"],
                                     *(f"cash,seed={seed}" for seed in range(1, 6)))] + [(SEARCHES["mixed"], MIXED)],
    "surrogates": [(f"surrogate,file={MEASURED},instance={i},arm={a}", "-") for i, a in TABLES],
    "tables": [(f"table,file={MEASURED},instance={i},arm={a}", "-") for i, a in TABLES],
}


def defaults():
    """Budget 200; the mean over the problems of the probability that the best so far is better than with the settings that
    the defaults replaced, and Student's 95 % interval. It holds where the defaults are not worse."""
    np, stats = need("numpy", "python3-numpy"), need("scipy.stats", "python3-scipy")
    rows, budget = [], 200
    with Answers() as ask:
        for name, (ours, before, searches) in DEFAULTS.items():
            for group, problems in PROBLEMS.items():
                if name == "tpe" and group == "tables":
                    continue  # of measured configurations it models hyperparameters one by one
                found = []
                for objective, space in problems:
                    a, b = (np.array(ask("course", setting, objective, space, budget, searches)).reshape(searches, 4)
                            for setting in (ours, before))
                    found.append([effect(a[:, k], b[:, k])[0] for k in range(4)])
                mean, half = np.mean(found, 0), stats.sem(found) * stats.t.ppf(.975, len(problems) - 1)
                for k, t in enumerate((25, 50, 100, 200)):
                    rows.append(row(claim="defaults", source=" ".join(map(str, before)), where=f"{name}, {len(problems)} "
                                    f"{group}, {searches} searches",
                                    quantity=f"probability that the best of {t} evaluations is better",
                                    relation=">=", expected=.5, observed=mean[k], ci_low=mean[k] - half[k],
                                    ci_high=mean[k] + half[k], verdict="holds" if mean[k] + half[k] >= .5 else "violated"))
    return rows, []


def mccormick():
    rows, name, f66 = [], "Figure 3.1 in numbers", "66 evaluations of McCormick's function"
    np = need("numpy", "python3-numpy")
    x, y = np.meshgrid(-1.5 + 5.5 * (np.arange(4000) + .5) / 4000, -3 + 6 * (np.arange(4000) + .5) / 4000)
    share = float((np.sin(x + y) + (x - y) ** 2 - 1.5 * x + 2.5 * y + 1 < 0).mean())
    with Answers() as ask:
        # 11 x 6 and 6 x 11 values: whole numbers have all of theirs on the grid.
        for width, height in ((11, 6), (6, 11)):
            space = f"tests/validate/mccormick_{width}x{height}.yaml"
            below = ask("search", "grid", 1, "levels", 11, "mccormick", space, 66, 0, 1)[1]
            rows.append(row(claim=name, source="Nguyen 2024, Figure 3.1", where=f"grid {width} x {height}, ends included",
                            quantity=f"{f66}: below 0", relation="=", expected=8, observed=below,
                            verdict="holds" if below == 8 else "violated"))
        for optimizer, searches, least, most in (("random", 10000, 66 * share - .1, 66 * share + .1), ("tpe", 200, 30, 66),
                                                 ("rf", 20, 30, 66), ("gp", 20, 30, 66)):
            counts = ask("search", optimizer, 0, "mccormick", "-", 66, 0, searches)[1::2]
            mean, se = mean_of(counts)
            rows.append(row(claim=name, source="share of the area" if optimizer == "random" else "Nguyen 2024, Figure 3.1",
                            where=f"{optimizer}, {searches} searches", quantity=f"{f66}: mean number below 0, "
                            f"from {least:.4g} to {most:.4g}", relation=">=", expected=least, observed=mean,
                            ci_low=mean - 2 * se, ci_high=mean + 2 * se,
                            verdict="holds" if least <= mean <= most else "violated"))
        counts = ask("search", OPTIMIZERS["tpe"], "mccormick", "-", 66, 0, 400)[1::2]
    optuna, module = need("optuna", "python3-optuna"), reference("best_optuna")
    theirs = [sum(v > 0 for v in module.rewards("mccormick", "tpe", seed, 66)) for seed in range(40)]
    (mean, se), (their_mean, their_se) = mean_of(counts), mean_of(theirs)
    low, high = mean - Z_90 * math.hypot(se, their_se), mean + Z_90 * math.hypot(se, their_se)
    rows.append(row(claim=name, source=f"Optuna {optuna.__version__} (40 searches)", where="tpe, normalise: no, 400 searches",
                    quantity=f"{f66}: mean number below 0, 90 % interval of the difference within 5", relation="=",
                    expected=their_mean, observed=mean, ci_low=low, ci_high=high,
                    verdict="holds" if their_mean - 5 < low < high < their_mean + 5 else "violated"))
    return rows, []


def jobs():
    def job(name, title, source, text, work, *inputs):
        return Job(name, title, source, text, work, [PROGRAM, *inputs], reproduces=True)

    return [
        job("lower_acquisition", "Acquisition functions", "Jones, Schonlau & Welch 1998; Nguyen 2024, eqs 3.3-3.5",
            "EI, log EI, PI and UCB at 3000 random points, far into the left tail, where EI itself underflows.", acquisition),
        job("lower_gp", "Gaussian processes", "Rasmussen & Williams 2006", "Likelihood, gradient and posterior.",
            gaussian_process),
        job("lower_parzen", "Parzen estimators of TPE", "Bergstra et al. 2011; Optuna", "log l(x) - log g(x) at a random x.",
            parzen, "tests/reference/parzen_optuna.py"),
        job("lower_densities", "Kernel densities of BOHB", "Falkner, Klein & Hutter 2018; statsmodels",
            "KDEMultivariate with the normal reference rule.", densities),
        job("lower_races", "Races of irace", "López-Ibáñez et al. 2016",
            "Friedman's and Conover's tests, Wilcoxon's for two; the number of races, their budgets and sizes.", races),
        job("lower_forest", "Forests", "Breiman 2001; Geurts, Ernst & Wehenkel 2006",
            "Mean and variance over ten trees, 200 forests of each program on the same 60 points.", forest),
        job("lower_best", "Searches as a whole", "Optuna 3.1", "The best of 100 evaluations. " + best.__doc__, best, BEST, MIXED,
            "tests/reference/best_optuna.py"),
        job("lower_defaults", "Default settings of searches", "own",
            "The defaults against those of Optuna and SMAC3. " + defaults.__doc__, defaults, MIXED, MEASURED),
        job("lower_mccormick", "McCormick's function", "Nguyen 2024, Figure 3.1",
            "Evaluations in the good region, f < 0, which is 13.3 % of the area.", mccormick),
    ]
