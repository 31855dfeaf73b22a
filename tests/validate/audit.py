"""Recomputation of numbers that the program prints, apart from it: definitions from the literature in mpmath, and a
second engine. Rows of `make validate`; needs NumPy, SciPy and mpmath.

    audit.py expected_max       E[M(n)] of every family against mpmath, 30 digits, by quadrature of the definition
    audit.py record_twin        MaxUCB by events in Python against the record engine; 4 standard errors, or p < 1e-4

Prints CSV: where, quantity, relation, expected, observed, low, high, ok."""
import csv
import math
import os
import random
import re
import subprocess
import sys
import tempfile

from jobs import PROGRAM, Job
from rows import row

MAXK = os.environ.get("MAXK", "build/maxk")
out = csv.writer(sys.stdout, lineterminator="\n")


def maxk(*arguments):
    return subprocess.run([MAXK, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def rows(text):
    return list(csv.DictReader(text.splitlines()))


# ---- E[M(n)] ----

def families():
    """Arm as the experiment file writes it, its lower and upper end points, F and G = 1 - F without cancellation."""
    from mpmath import mp, mpf, exp, log, erfc, sqrt, inf, gammainc, betainc
    one, two = mpf(1), mpf(2)
    upper = lambda z: erfc(z / sqrt(two)) / 2
    normal = lambda mu, sigma: (lambda x: upper((mu - x) / sigma), lambda x: upper((x - mu) / sigma))
    phi, tail = normal(mpf("0.25"), mpf("0.5"))
    inside = phi(one) - phi(mpf(0))
    weibull = lambda k, scale: (lambda x: -mp.expm1(-(x / scale) ** k), lambda x: exp(-(x / scale) ** k))
    pareto = lambda shape: (lambda x: -mp.expm1(-shape * log(x)), lambda x: x ** -shape)

    def gpd(xi):
        g = lambda x: (1 + xi * x) ** (-1 / xi)
        return lambda x: 1 - g(x), g

    def gev(xi):
        t = lambda x: (1 + xi * x) ** (-1 / xi)
        return lambda x: exp(-t(x)), lambda x: -mp.expm1(-t(x))

    def generalized_normal(beta):
        half = lambda x: gammainc(1 / beta, abs(x) ** beta, inf, regularized=True) / 2
        return (lambda x: half(x) if x < 0 else 1 - half(x)), (lambda x: half(x) if x > 0 else 1 - half(x))

    top = mpf("1.01") ** -3
    power = lambda x: (x / top) ** 3
    third, shape = mpf(1) / 3, mpf("2.5")
    bernoulli = (lambda x: (one if x >= 1 else mpf("0.7")), lambda x: (mpf(0) if x >= 1 else mpf("0.3")))
    exponential = (lambda x: -mp.expm1(-2 * x), lambda x: exp(-2 * x))
    uniform = (lambda x: x, lambda x: 1 - x)
    beta = (lambda x: betainc(2, 5, 0, x, regularized=True), lambda x: betainc(2, 5, x, 1, regularized=True))
    lognormal = (lambda x: upper(-log(x)), lambda x: upper(log(x)))
    yield "{family: uniform, lo: 0, hi: 1}", 0, 1, *uniform
    yield "{family: power, a: 3, s: 1.01}", 0, top, power, lambda x: 1 - power(x)
    yield "{family: truncated_gaussian, mu: 0.25, sigma: 0.5, lo: 0, hi: 1}", 0, 1, \
        lambda x: (phi(x) - phi(mpf(0))) / inside, lambda x: (phi(one) - phi(x)) / inside
    yield "{family: gaussian, mu: 1, sigma: 2}", -inf, inf, *normal(one, two)
    yield "{family: pareto, shape: 2.5}", 1, inf, *pareto(shape)
    yield "{family: exponential, rate: 2}", 0, inf, *exponential
    yield "{family: negative_exponential, rate: 2}", -inf, 0, lambda x: exp(2 * x), lambda x: -mp.expm1(2 * x)
    yield "{family: beta, a: 2, b: 5}", 0, 1, *beta
    yield "{family: lognormal, mu: 0, sigma: 1}", 0, inf, *lognormal
    yield "{family: generalized_normal, beta: 1.5, mu: 0, scale: 1}", -inf, inf, *generalized_normal(mpf("1.5"))
    yield "{family: weibull, shape: 0.5, scale: 1}", 0, inf, *weibull(mpf("0.5"), 1)
    yield "{family: gev, shape: 0.25}", -4, inf, *gev(mpf("0.25"))
    yield "{family: gev, shape: -0.5}", -inf, 2, *gev(mpf("-0.5"))
    yield "{family: generalized_pareto, shape: 0.25}", 0, inf, *gpd(mpf("0.25"))
    yield "{family: generalized_pareto, shape: -0.5}", 0, 2, *gpd(mpf("-0.5"))
    yield "{family: bernoulli, p: 0.3}", 0, 1, *bernoulli
    yield "{family: dirac, x: 0.25}", 0, 1, lambda x: one * (x >= 0.25), lambda x: one * (x < 0.25)
    yield "{family: empirical, values: [0.25, 0.5, 0.75]}", 0, 1, lambda x: third * sum(x >= v for v in (.25, .5, .75)), \
        lambda x: third * sum(x < v for v in (.25, .5, .75))
    yield "{family: mixture, weights: [3, 1], components: [{family: uniform, lo: 0, hi: 1}, {family: bernoulli, p: 0.3}]}", \
        0, 1, lambda x: (3 * x + bernoulli[0](x)) / 4, lambda x: (3 * (1 - x) + bernoulli[1](x)) / 4
    yield "{family: exponential, rate: 2, truncate: [0, 1]}", 0, 1, lambda x: exponential[0](x) / exponential[0](one), \
        lambda x: (exponential[1](x) - exponential[1](one)) / exponential[0](one)
    yield "{family: exponential, rate: 2, clip: [0, 1]}", 0, 1, exponential[0], exponential[1]
    yield "{family: uniform, lo: 0, hi: 1, factor: -2, shift: 1}", -1, 1, lambda x: (x + 1) / 2, lambda x: (1 - x) / 2


def expected_max(lo, hi, F, G, n):
    """x0 + integral of P(M > x) above x0 - integral of P(M <= x) below, cut where n G(x) is 50, 10, …, 1e-40."""
    from mpmath import mp, mpf, inf, quad, expm1, log
    below = lambda x: (mp.exp(n * log(F(x))) if G(x) > 0.5 else mp.exp(n * mp.log1p(-G(x)))) if F(x) > 0 else mpf(0)
    above = lambda x: 1 - below(x) if G(x) > 0.5 else -expm1(n * mp.log1p(-G(x))) if G(x) < 1 else mpf(1)

    def place(level):
        """The largest x with G(x) >= level, by bisection."""
        a, b = mpf(lo if lo != -inf else -1), mpf(hi if hi != inf else 1)
        while lo == -inf and G(a) < level:
            a *= 2
        while hi == inf and G(b) >= level:
            b *= 2
        for _ in range(90):
            middle = (a + b) / 2
            a, b = (middle, b) if G(middle) >= level else (a, middle)
        return a

    levels = [mpf(50), 10, 3, 1, mpf("0.3")] + [mpf(10) ** -k for k in (1, 2, 3, 4, 6, 8, 11, 15, 20, 26, 33, 40)]
    cuts = [place(c / n) for c in levels if c < n]
    lows = [place(1 - mpf(10) ** -k) for k in (1, 2, 4, 8, 16, 30)] if n <= 100 else []
    atoms = [mpf(x) for x in (0, .25, .5, .75, 1) if lo <= x <= hi and abs(F(mpf(x)) - F(mpf(x) - mpf(10) ** -25)) > 1e-9]
    x0 = cuts[len(cuts) // 3] if cuts else place(mpf("0.5"))
    end = hi if hi != inf else inf
    up = sorted({c for c in cuts + atoms if x0 < c < end})
    start = lo if lo != -inf else place(1 - mpf(10) ** (-mpf(30) / n)) if n > 1 else place(1 - mpf(10) ** -30)
    down = sorted({c for c in cuts + lows + atoms if start < c < x0})
    return x0 + quad(above, [x0, *up, end]) - quad(below, [start, *down, x0])


def audit_expected_max():
    import mpmath
    mpmath.mp.dps = 30
    horizons = [1, 7, 1000, 10**6, 10**12]
    for arm, lo, hi, F, G in families():
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/a.yaml", "w") as f:
                f.write(f"name: a\nproblem:\n  arms:\n    - {arm}\n")
            found = {int(r["horizon"]): float(r["expected_max"]) for r in
                     rows(maxk("gap", f"{d}/a.yaml", "--csv", "--horizons", ",".join(map(str, horizons))))}
        for n in horizons:
            want, got = float(expected_max(lo, hi, F, G, n)), found[n]
            ok = abs(got - want) <= 1e-10 * max(abs(want), 1)
            out.writerow([f"{arm}, n = {n}", "E[M(n)]", "=", repr(want), repr(got), "", "", int(ok)])


# ---- the record engine's twin ----

def play_by_events(rng, ends, alpha, T):
    """N_0(T) of MaxUCB on two arms uniform on [0, ends[k]]: rounds one by one until t = 200, then from event to event. While
    the arm that leads is pulled, the other's index rises and its own falls, so that the first round of the other one is
    found by bisection; its rewards matter only as records, the number of pulls up to the next of which is geometric."""
    best = [e * rng.random() for e in ends]
    n = [1, 1]
    wait = [0, 0]

    def next_record(k):
        g = 1 - best[k] / ends[k]
        wait[k] = 1 + int(math.log1p(-rng.random()) / math.log1p(-g)) if g > 0 else T

    def index(k, t, pulls):
        return best[k] + (alpha * math.log(t) / pulls) ** 2

    def pull(k, times):
        n[k] += times
        wait[k] -= times
        if wait[k] == 0:
            best[k] += (ends[k] - best[k]) * rng.random()
            next_record(k)

    for k in (0, 1):
        next_record(k)
    t = 3
    while t <= T:
        arm = 0 if index(0, t, n[0]) >= index(1, t, n[1]) else 1
        other, most = 1 - arm, min(wait[arm], T - t + 1)
        if t < 200 or n[arm] < n[other]:
            times = 1
        else:
            stays = lambda j: (index(arm, t + j, n[arm] + j) > index(other, t + j, n[other])) or \
                (arm == 0 and index(0, t + j, n[0] + j) == index(1, t + j, n[1]))
            low, high = 0, most  # pulled in rounds t … t + low; not sure beyond
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if stays(middle) else (low, middle)
            times = low + 1 if low + 1 <= most and (most == 1 or low + 1 < most or stays(low)) else most
        pull(arm, times)
        t += times
    return n[0]


def audit_record_twin():
    import h5py
    import numpy as np
    from scipy import stats
    runs = int(os.environ.get("MAXK_TWIN_RUNS", "1000"))
    for case, (low, alpha, T) in enumerate(((0.9, 0.5, 10**4), (0.8, 0.5, 10**6), (0.7, 0.2, 10**9))):
        rng = random.Random(case)
        mine = np.array([play_by_events(rng, (low, 1.0), alpha, T) for _ in range(runs)], dtype=float)
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/a.yaml", "w") as f:
                f.write(f"name: a\nproblem:\n  arms:\n    - {{family: uniform, lo: 0, hi: {low}}}\n"
                        f"    - {{family: uniform, lo: 0, hi: 1}}\npolicies: [{{name: max_ucb, alpha: {alpha}}}]\n"
                        f"horizons: [{T}]\nreplications: {20 * runs}\n")
            maxk("run", f"{d}/a.yaml", "--engine", "record", "-q", "-o", f"{d}/a.h5")
            with h5py.File(f"{d}/a.h5") as f:
                theirs = f["policies/max_ucb/pulls"][0, 0, :, 0].astype(float)
        where = f"uniform to {low} and 1, alpha = {alpha}, T = {T:g}"
        error = math.hypot(mine.std(ddof=1) / runs ** .5, theirs.std(ddof=1) / len(theirs) ** .5)
        out.writerow([where, "mean of N_0(T)", "=", mine.mean(), theirs.mean(), theirs.mean() - 4 * error, theirs.mean() + 4 * error,
                      int(abs(mine.mean() - theirs.mean()) < 4 * error)])
        p = stats.ks_2samp(mine, theirs).pvalue
        out.writerow([where, "Kolmogorov-Smirnov p of N_0(T)", ">=", 1e-4, p, "", "", int(p >= 1e-4)])
        for what, share in (("N_0(T) >= T/2: a lock-out", lambda x: x >= T / 2), ("N_0(T) <= 20", lambda x: x <= 20)):
            p, q = share(mine).mean(), share(theirs).mean()
            error = math.sqrt(q * (1 - q) * (1 / len(mine) + 1 / len(theirs)))
            out.writerow([where, f"share of runs with {what}", "=", p, q, q - 4 * error, q + 4 * error, int(abs(p - q) < 4 * error)])


# ---- rows ----

def script(maxk, name, title, source, text):
    """What this file prints, as a program: rows."""
    def work():
        done = subprocess.run(["/usr/bin/python3", os.path.abspath(__file__), name], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=dict(os.environ, MAXK=maxk))
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-400:])
        head = ["where", "quantity", "relation", "expected", "observed", "ci_low", "ci_high", "ok"]
        found = csv.DictReader(done.stdout.splitlines(), head)
        return [row(claim=name, source=source, experiment="tests/validate/audit.py",
                    verdict="holds" if r.pop("ok") == "1" else "violated", **r) for r in found], []

    return Job(name, title, source, text, work, PROGRAM, reproduces=True)


def checks(maxk, name, title, source, text, test, pattern):
    """Checks of a test, a row for every line that matches."""
    def work():
        done = subprocess.run(["/usr/bin/python3", test], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, MAXK=maxk))
        found = re.findall(rf"^(ok|not ok) (.*(?:{pattern}).*)$", done.stdout, re.M)
        if not found:
            raise RuntimeError((done.stdout + done.stderr).strip()[-400:])
        return [row(claim=name, source=source, experiment=test, where=what, quantity="checks that hold", relation="=",
                    expected=1, observed=int(ok == "ok"), verdict="holds" if ok == "ok" else "violated")
                for ok, what in found], []

    return Job(name, title, source, text, work, [test], reproduces=True)


def jobs(maxk):
    return [
        script(maxk, "expected_max", "E[M(n)] of every family against mpmath", "definition",
               "Quadrature of P(M(n) > x) with 30 digits, distribution functions from the literature; n = 1 … 10^12."),
        script(maxk, "record_twin", "The record engine against MaxUCB by events", "Balef et al. 2025, Algorithm 1",
               "A second implementation in Python, which leaps from record to record, up to T = 10^9: means and shares "
               "within four standard errors, and the distributions of N_0(T) by Kolmogorov and Smirnov's test."),
        checks(maxk, "rank_tests", "Ranks, tests and intervals against SciPy", "Demšar 2006",
               "Friedman, Iman and Davenport, Nemenyi, Dunn, sign test, Wilcoxon, Holm, losses, at equal T and at equal cost.",
               "tests/command/test_rank.py", "SciPy|bootstrap|equal cost|can afford"),
        checks(maxk, "affine_invariance", "Rewards in another unit", "own",
               "Multiplied by a power of two and shifted by what is exact in binary, rewards change neither the pulls of "
               "policies that scale them nor any verdict.", "tests/command/test_units.py",
               "the same pulls|verdicts are the same|changes neither"),
    ]


if __name__ == "__main__":
    {"expected_max": audit_expected_max, "record_twin": audit_record_twin}[sys.argv[1]]()
