"""Independent re-implementations of the CASH and classic policies, straight from their formulas: whole histories, no
running sums; and of ps_max, whose rule is as in PS_Max.py of its authors. Prints the traces of
tests/unit/policies/test_policy_traces_cash.c. Pure Python; only the Beta variates of thompson_bernoulli and the gamma
variates of ps_max come from libgsl (through ctypes, on the generator below), and the skew-normal distributions of ps_prior,
which are not approximated here, from SciPy.

    /usr/bin/python3 tests/reference/cash_policies.py
"""
import ctypes, ctypes.util, math, statistics

M64, M128 = 2**64 - 1, 2**128 - 1


class Pcg64:
    """PCG64 XSL-RR 128/64 seeded by pcg64_srandom(state, stream); 53-bit uniforms in (0, 1); Lemire's bounded integers."""
    def __init__(self, state, stream):
        self.s, self.inc = 0, (stream << 1 | 1) & M128
        self.next()
        self.s = (self.s + state) & M128
        self.next()

    def next(self):
        self.s = (self.s * ((2549297995355413924 << 64) | 4865540595714422341) + self.inc) & M128
        x, rot = (self.s >> 64 ^ self.s) & M64, self.s >> 122
        return (x >> rot | x << (64 - rot)) & M64 if rot else x

    def uniform(self):
        return min((self.next() >> 11) * 2.0**-53 + 2.0**-54, 1 - 2.0**-53)

    def below(self, n):
        while True:
            m = self.next() * n
            if (m & M64) >= 2**64 % n:
                return m >> 64

    def variate(self, name, a, b):
        """gsl_ran_<name>(a, b) on this generator."""
        if not hasattr(self, "gsl"):
            Set = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ulong)
            Get = ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_void_p)
            Dbl = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)

            class Type(ctypes.Structure):
                _fields_ = [("name", ctypes.c_char_p), ("max", ctypes.c_ulong), ("min", ctypes.c_ulong),
                            ("size", ctypes.c_size_t), ("set", Set), ("get", Get), ("get_double", Dbl)]

            class Rng(ctypes.Structure):
                _fields_ = [("type", ctypes.POINTER(Type)), ("state", ctypes.c_void_p)]

            self.keep = Type(b"pcg64", 2**32 - 1, 0, 0, Set(lambda s, x: None), Get(lambda s: self.next() >> 32),
                             Dbl(lambda s: self.uniform()))
            self.gsl = Rng(ctypes.pointer(self.keep), None)
            ctypes.CDLL(ctypes.util.find_library("gslcblas"), mode=ctypes.RTLD_GLOBAL)
            self.lib = ctypes.CDLL(ctypes.util.find_library("gsl"))
        draw = getattr(self.lib, "gsl_ran_" + name)
        draw.restype = ctypes.c_double
        return draw(ctypes.byref(self.gsl), ctypes.c_double(a), ctypes.c_double(b))


def tape(kind, arms, length):
    """Arm k has its own LCG. In [0, 1], noise: means within .1 of each other, a width that grows with k; rising:
    saturating curves with noise. growing: noise, and .003 more with every pull."""
    rows = []
    for k in range(arms):
        x, row = 1000 * arms + k, []
        for n in range(1, length + 1):
            x = (x * 6364136223846793005 + 1442695040888963407) & M64
            u = (x >> 40) / 16777216.0
            if kind in ("noise", "growing"):
                row.append(0.45 + 0.1 * (7 * k % arms) / arms + 0.8 * (k + 2) / (arms + 1) * (u - 0.5) +
                           (0.003 * n if kind == "growing" else 0))
            else:
                row.append((k + 1) / arms * (1 - (k + 1) / (k + 1 + n)) + 0.05 * u)
        rows.append(row)
    return rows


def mean(x):
    return math.fsum(x) / len(x)


def best(x):
    out = []
    for v in x:
        out.append(max(v, out[-1]) if out else v)
    return out


def first_max(v):
    """the lowest of the arms that tie, up to rounding (a line through two points leaves residuals near 1e-17)"""
    top = max(v)
    return next(i for i, x in enumerate(v) if x >= top - (1e-13 * abs(top) if math.isfinite(top) else 0))


def quantile(x, tau):
    x = sorted(x)
    at = (len(x) - 1) * tau
    i = int(at)
    return x[i] + (at - i) * (x[i + 1] - x[i]) if i + 1 < len(x) else x[i]


class Policy:
    initial = 1
    defaults = {}

    def __init__(self, arms, horizon, rng, cost, **options):
        self.K, self.T, self.rng, self.cost = arms, horizon, rng, cost
        self.o = dict(self.defaults)
        self.o.update(options)
        self.h = [[] for _ in range(arms)]  # raw rewards of each arm
        self.start()

    def start(self):
        pass

    def scaled(self):
        how = self.o.get("scale", "none")
        if how == "none":
            return [list(a) for a in self.h]
        every = [x for a in self.h for x in a]
        if not every:
            return [[] for a in self.h]
        if how == "global_max":
            g = max(every)
            return [[x / g if g > 0 else x for x in a] for a in self.h]
        lo, hi, small, large = self.o["scale_lo"], self.o["scale_hi"], min(every), max(every)
        return [[lo + (hi - lo) * (x - small) / (large - small) if large > small else lo for x in a] for a in self.h]

    def stat(self, x):
        return max(x) if self.o["statistic"] == "max" else mean(x)

    def select(self, t):
        if t <= self.initial * self.K:
            return (t - 1) % self.K
        return self.choose(t)

    def choose(self, t):
        return first_max([self.index(t, x) for x in self.scaled()])

    def seen(self, t, arm):
        pass


class quantile_ucb(Policy):
    defaults = dict(alpha=.5, tau=.95, scale="minmax", scale_lo=0, scale_hi=1)

    def index(self, t, x):
        return quantile(x, self.o["tau"]) + math.sqrt(self.o["alpha"] * math.log(t) / len(x))


class quantile_bayes_ucb(Policy):
    defaults = dict(alpha_0=1, beta_0=.2, tau=.95, spread="variance_as_sd", scale="minmax", scale_lo=0, scale_hi=1)

    def index(self, t, x):
        n, o = len(x), self.o
        d = [0] + [quantile(x[:j], o["tau"]) for j in range(1, n + 1)]
        y = [j * d[j] - (j - 1) * d[j - 1] for j in range(1, n + 1)]
        v = (o["beta_0"] + .5 * math.fsum((z - d[n])**2 for z in y)) / (o["alpha_0"] + n / 2 - 1)
        return statistics.NormalDist(d[n], v if o["spread"] == "variance_as_sd" else math.sqrt(v)).inv_cdf(1 - 1 / t)


class er_ucb_s(Policy):
    defaults = dict(beta=.6, theta=.01, gamma=20, alpha=4, gamma_on="both", scale="none", scale_lo=0, scale_hi=1)

    def index(self, t, x):
        o = self.o
        y = [v - o["beta"] for v in x]
        z = [v * v for v in y]
        psi = math.sqrt(o["alpha"] * math.log(t) / (2 * len(x)))
        region = math.sqrt(mean(z) / o["theta"])
        exploit = o["gamma"] * (mean(y) + region) if o["gamma_on"] == "both" else o["gamma"] * mean(y) + region
        return exploit + psi + math.sqrt(psi / o["theta"])


class er_ucb_n(Policy):
    initial = 2
    defaults = dict(alpha=1, theta=.01, gamma=20, axis=.025, slope="fitted", scale="minmax", scale_lo=.01, scale_hi=.99)

    def index(self, t, x):
        o, n = self.o, len(x)
        g = lambda y: math.tanh(o["axis"] * y / 2)
        odds = lambda v: (1 + v) / abs(1 - v) if v != 1 else math.inf
        w = [math.log(min(max(odds(v), 2**-53), 2**53)) / o["axis"] for v in x]
        j = list(range(1, n + 1))
        A = sum((i - mean(j))**2 for i in j)
        b1 = sum((i - mean(j)) * (v - mean(w)) for i, v in zip(j, w)) / A if o["slope"] == "fitted" else 0
        b0 = mean(w) - b1 * mean(j)
        s2 = mean([(v - g(b1 * i + b0))**2 for i, v in zip(j, x)])
        D = lambda x: x * math.sqrt(s2 / A) + math.sqrt(s2) * math.sqrt(1 / n + mean(j)**2 / A)
        return (o["gamma"] * (g(b1 * self.T + b0) + math.sqrt(s2 / o["theta"])) + D(t) +
                math.sqrt((D(n) + 1) * math.sqrt(o["alpha"] * math.log(t) / (2 * n))))


class rising_bandit(Policy):
    defaults = dict(C=7, cap=1, variant="paper", scale="minmax", scale_lo=.01, scale_hi=.99)

    def start(self):
        self.S, self.queue, self.left = list(range(self.K)), list(range(self.K)), {}

    def select(self, t):
        return self.queue[0]

    def left_of(self, t, arm):
        return self.T - t

    def upper(self, y, left):
        o = self.o
        if len(y) <= o["C"]:
            if o["variant"] == "paper":
                return o["cap"]
            past = -1
        else:
            past = y[-1 - o["C"]]
        return min(o["cap"], y[-1] + (y[-1] - past) / o["C"] * left)

    def seen(self, t, arm):
        self.left[arm] = self.left_of(t, arm)
        self.queue.pop(0)
        if self.queue:
            return
        if self.o["variant"] == "published":
            self.left = {i: self.left_of(t, i) for i in self.S}
        y = [best(x) for x in self.scaled()]
        u = {i: self.upper(y[i], self.left[i]) for i in self.S}
        for i in range(self.K):
            for j in range(self.K):
                if i != j and i in self.S and j in self.S and y[i][-1] >= u[j]:
                    self.S.remove(j)
        self.queue = list(self.S)


class rising_bandit_cost(rising_bandit):
    defaults = dict(rising_bandit.defaults, budget=None)

    def left_of(self, t, arm):
        B = self.o["budget"] or self.T * mean(self.cost)
        spent = sum(self.cost[i] * len(x) for i, x in enumerate(self.h))
        return max(0, B - spent) / self.cost[arm]


class heidari(Policy):
    defaults = dict(C=1, cap=1, scale="minmax", scale_lo=0, scale_hi=1)

    def start(self):
        self.initial = self.o["C"] + 1

    def index(self, t, x):
        y, C = best(x), self.o["C"]
        w = (y[-1] - y[-1 - C]) / C
        return math.fsum(y) + math.fsum(min(self.o["cap"], y[-1] + w * (s - len(y))) for s in range(len(y) + 1, self.T + 1))


class successive_halving(Policy):
    defaults = dict(eta=2, statistic="mean", variant="paper", scale="minmax", scale_lo=0, scale_hi=1)

    def start(self):
        self.S, self.queue = list(range(self.K)), []

    def length(self):
        """published: rounds of a phase"""
        return max(1, math.floor(self.T / (math.log2(self.K) * len(self.S))))

    def select(self, t):
        if self.o["variant"] == "published":
            return self.S[(t - 1) % len(self.S)] if self.S else 0
        if not self.queue:
            phases = math.ceil(math.log2(self.K) / math.log2(self.o["eta"]))
            self.queue = self.S * max(1, math.floor(self.T / (len(self.S) * phases)))
        return self.queue[0]

    def seen(self, t, arm):
        keep = math.ceil(len(self.S) / self.o["eta"])
        if self.o["variant"] == "published":
            if len(self.S) > 1 and t % self.length() == 0:
                order = sorted(range(self.K), key=lambda i: -self.stat(self.scaled()[i]))
                self.S = [i for i in self.S if i in order[:keep]]
            return
        self.queue.pop(0)
        if not self.queue and len(self.S) > 1:
            self.S = sorted(sorted(self.S, key=lambda i: -self.stat(self.h[i]))[:keep])


class dacopt(Policy):
    """The contest of DACOpt's program; its tests by SciPy."""
    defaults = dict(n0=10, eta=3, compare="best", share="inclusive", digits=5, alpha=.05, ranks="standard")

    def start(self):
        self.S, self.rounds = list(range(self.K)), 0
        self.n0 = max(1, min(self.o["n0"], self.T // self.K))
        self.queue = [i for i in self.S for _ in range(self.n0)]

    def select(self, t):
        return self.queue[0]

    def races(self, k):
        n = 1
        while k > 1:
            k, n = min(math.ceil(k / self.o["eta"]), k - 1), n + 1
        return n

    def value(self, i):
        if self.o["compare"] == "rank":
            rows = zip(*(self.h[j] for j in self.S))
            at = self.S.index(i)
            return -mean([sum(y > row[at] for y in row) + 1 + (row.count(row[at]) - 1) / 2 for row in rows])
        return {"best": max, "mean": mean, "median": statistics.median}[self.o["compare"]](self.h[i])

    def highest(self):
        value = {i: self.value(i) for i in self.S}
        order = sorted(self.S, key=lambda i: -value[i])
        keep = min(math.ceil(len(self.S) / self.o["eta"]), len(self.S) - 1)
        near = {i: round(value[i], self.o["digits"]) for i in self.S}
        last = near[order[keep - 1]]
        joined = [i for i in order if near[i] >= last]
        if keep == 1 or len(set(near.values())) == 1:
            joined = order[:keep]
        elif len(joined) == len(self.S):
            joined = [i for i in order if near[i] > last]
        self.S = sorted(joined)

    def undefeated(self):
        from scipy import stats
        block = [[max(self.h[i][:self.n0])] + self.h[i][self.n0:] for i in self.S]
        p = stats.friedmanchisquare(*block).pvalue if len(self.S) > 2 else stats.wilcoxon(*block).pvalue
        if p > self.o["alpha"]:
            return
        k, n = len(self.S), len(block[0])
        rank = dict(zip(self.S, stats.rankdata([[-y for y in row] for row in zip(*block)], axis=1).mean(axis=0)))
        best = min(self.S, key=lambda i: rank[i])
        unit = math.sqrt(k * (k + 1) / (6 * n)) if self.o["ranks"] == "standard" else 1
        others = sorted((2 * stats.norm.sf((rank[i] - rank[best]) / unit), i) for i in self.S if i != best)
        least = 0
        for j, (q, i) in enumerate(others):
            least = max(least, min(1, (k - 1 - j) * q))
            if least < self.o["alpha"]:
                self.S.remove(i)

    def seen(self, t, arm):
        self.queue.pop(0)
        if self.queue or t == self.T:
            return
        if self.o["compare"] == "friedman":
            if self.rounds and len(self.S) > 1:
                self.undefeated()
            self.rounds += 1
            self.queue = self.S * 1 if len(self.S) > 1 else self.S * (self.T - t + 1)
        while not self.queue:
            races = self.races(len(self.S)) - (self.o["share"] == "remaining")
            self.highest()
            left = self.T - t
            n = max(left, 1) if len(self.S) == 1 else math.floor(left / races / len(self.S))
            self.queue = [i for i in self.S for _ in range(n)]


class r_sr(Policy):
    defaults = dict(epsilon=.25, variant="paper")

    def N(self, j):
        if j == 0 and self.o["variant"] == "paper":
            return 0
        logbar = .5 + sum(1 / i for i in range(2, self.K + 1))
        return math.ceil((self.T - self.K) / (logbar * (self.K + 1 - j)))

    def start(self):
        self.S, self.j = list(range(self.K)), 1
        self.fill()

    def fill(self):
        pub = self.o["variant"] == "published"
        rounds = self.N(self.j) - self.N(self.j - 1) + (1 if pub else 0)
        self.queue = (self.S[::-1] if pub else self.S) * rounds

    def select(self, t):
        return self.queue[0] if len(self.S) > 1 else self.S[0]

    def window(self, x):
        y, n = best(x), len(x)
        h = math.floor(self.o["epsilon"] * n)
        if self.o["variant"] == "paper":
            return mean(y[n - max(h, 1):])
        return mean(y[:n - h - 1]) if h and n - h - 1 else -math.inf

    def seen(self, t, arm):
        if len(self.S) == 1:
            return
        self.queue.pop(0)
        while not self.queue and len(self.S) > 1:
            self.S.remove(min(self.S, key=lambda i: (self.window(self.h[i]), i)))
            self.j += 1
            self.fill()


class r_ucbe(Policy):
    defaults = dict(a=57.12, sigma=.05, epsilon=.25, variant="paper", scale="none", scale_lo=0, scale_hi=1)

    def index(self, t, x):
        n, o = len(x), self.o
        h = math.floor(o["epsilon"] * n)
        y = [None] + best(x)  # 1-based
        paper = o["variant"] == "paper"
        if h == 0:
            return math.inf if paper else 0
        part = y[n - h + 1:] if paper else y[1:n - h]
        rise = math.fsum((self.T - s + (0 if paper else 2)) * (y[s] - y[s - h]) / h**2 for s in range(n - h + 1, n + 1))
        return (mean(part) if part else 0) + rise + o["sigma"] * (self.T - n + h - 1) * math.sqrt(o["a"] / h**3)


class ucb(Policy):
    defaults = dict(alpha=.5, scale="none", scale_lo=0, scale_hi=1)

    def index(self, t, x):
        return mean(x) + math.sqrt(self.o["alpha"] * math.log(t) / len(x))


class epsilon_greedy(Policy):
    defaults = dict(epsilon=.1, statistic="mean", ties="lowest")

    def choose(self, t):
        if self.rng.uniform() < self.o["epsilon"]:
            return self.rng.below(self.K)
        v = [self.stat(x) for x in self.h]
        ties = [i for i in range(self.K) if v[i] == max(v)]
        return ties[self.rng.below(len(ties))] if self.o["ties"] == "random" and len(ties) > 1 else ties[0]


class greedy(epsilon_greedy):
    defaults = dict(statistic="max", ties="lowest")

    def choose(self, t):
        return first_max([self.stat(x) for x in self.h])


def spin(p, u):
    total = 0
    for i, x in enumerate(p):
        total += x
        if u < total:
            return i
    return len(p) - 1


class softmax(Policy):
    defaults = dict(temperature=.1, statistic="mean", scale="none", scale_lo=0, scale_hi=1)

    def choose(self, t):
        w = [math.exp(self.stat(x) / self.o["temperature"]) for x in self.scaled()]
        return spin([x / sum(w) for x in w], self.rng.uniform())


class exp3(Policy):
    initial = 0
    defaults = dict(gamma=.1, scale="minmax", scale_lo=.01, scale_hi=.99)

    def start(self):
        self.p = [[] for _ in range(self.K)]  # probabilities that pulls were made with

    def choose(self, t):
        gamma, K = self.o["gamma"], self.K
        w = [math.exp(gamma / K * sum(x / p for x, p in zip(a, b))) for a, b in zip(self.scaled(), self.p)]
        self.now = [(1 - gamma) * x / sum(w) + gamma / K for x in w]
        if self.rng.uniform() < gamma:
            return self.rng.below(K)
        return spin([x / sum(w) for x in w], self.rng.uniform())

    def seen(self, t, arm):
        self.p[arm].append(self.now[arm])


class thompson_gaussian(Policy):
    defaults = dict(sigma=1, scale="none", scale_lo=0, scale_hi=1, per_cost="none")

    def choose(self, t):
        z, spent = statistics.NormalDist(), [c * len(x) for c, x in zip(self.cost, self.h)]
        n = [math.sqrt(len(x) * s / (sum(spent) / (t - 1))) if self.o["per_cost"] == "root" else len(x)
             for x, s in zip(self.h, spent)]
        return first_max([mean(x) + self.o["sigma"] / math.sqrt(m) * z.inv_cdf(self.rng.uniform())
                          for x, m in zip(self.scaled(), n)])


class thompson_bernoulli(Policy):
    defaults = dict(prior_a=1, prior_b=1, scale="minmax", scale_lo=0, scale_hi=1)

    def start(self):
        self.ab = [[self.o["prior_a"], self.o["prior_b"]] for _ in range(self.K)]

    def choose(self, t):
        return first_max([self.rng.variate("beta", a, b) for a, b in self.ab])

    def seen(self, t, arm):
        self.ab[arm][0 if self.rng.uniform() < self.scaled()[arm][-1] else 1] += 1


class ps_max(Policy):
    defaults = dict(update="published", target="current", per_cost="none", budget=math.inf)

    def choose(self, t):
        first = [x[0] for x in self.h]
        m, v = mean(first), statistics.pstdev(first)
        return first_max([self.index(t, arm, [1 / (1 + math.exp(-(x - m) / (v + 0.01))) for x in xs])
                          for arm, xs in enumerate(self.h)])

    def sampled_cost(self, arm):
        y = [math.log(self.cost[arm])] * len(self.h[arm])
        n, B, normal = len(y), self.o["budget"], statistics.NormalDist().inv_cdf
        b = (sum((v - mean(y))**2 for v in y) + n * mean(y)**2 / (1 + n)) / 2
        variance = b / self.rng.variate("gamma", 1 + n / 2, 1)
        centre = sum(y) / (1 + n) + math.sqrt(variance / (1 + n)) * normal(self.rng.uniform())
        return min(max(math.exp(centre + math.sqrt(variance) * normal(self.rng.uniform())), .1), B / 10)

    def draws(self, t, arm, n):
        if self.o["per_cost"] == "none":
            return t if self.o["target"] == "current" else n + self.T - t + 1
        cost, spent = self.sampled_cost(arm), sum(c * len(x) for c, x in zip(self.cost, self.h))
        B = self.T * spent / (t - 1) if self.o["budget"] == math.inf else self.o["budget"]
        return spent / cost if self.o["target"] == "current" else n + max(0, B - spent) / cost

    def index(self, t, arm, z):
        n, centre = len(z), mean(z)
        mu = (1 + n * centre) / (1 + n)
        prior = mu if self.o["update"] == "published" else 1
        b = sum((x - centre)**2 for x in z) / 2 + n * (centre - prior)**2 / (2 * (1 + n))
        variance = b / self.rng.variate("gamma", 1 + n / 2, 1)
        f = self.draws(t, arm, n)
        u = self.rng.uniform()**(1 / f)
        drawn = statistics.NormalDist(mu, math.sqrt(variance / (1 + n))).inv_cdf(u)
        return drawn if self.o["per_cost"] == "none" else min(1, max(0, drawn))


class ps_prior(Policy):
    """All weights anew in every round, from the formulas of distributions/parts/reward_prior.h without their approximation."""
    defaults = dict(prior="semi_flat", target="current", likelihood="maximum", rewards="shaped", floor=.01, curves=2000)

    def start(self):
        import numpy as np
        from scipy.special import ndtr, owens_t
        self.np, between = np, lambda lo, hi: lo + (hi - lo) * self.rng.uniform()
        self.skew = lambda a, z: ndtr(z) - 2 * owens_t(z, -a)
        self.ndtr, rows = ndtr, []
        for _ in range(self.o["curves"]):
            if self.o["prior"] == "tail":
                end, shape = self.rng.uniform(), math.exp(between(math.log(.3), math.log(5)))
                rows.append([end, shape, between(.005, .6), between(.05, 1)])
            else:
                s, q = dict(flat=(.1, .001), semi_flat=(.2, .01), curved=(.2, .1))[self.o["prior"]]
                a, b = between(20, 100), self.rng.uniform()
                rows.append([a, b, between(0, s), between(20, 100), between(q * (1 - b), q)])
        self.row = np.array(rows).T
        if self.o["prior"] != "tail":
            a, q = self.row[3:]
            lo, hi = np.full((8, a.size), -9.), np.zeros((8, a.size))
            for _ in range(60):
                z = (lo + hi) / 2
                low = self.skew(a, z) / self.skew(a, 0) < (25 * np.arange(8)[:, None] + 13) / 201
                lo, hi = np.where(low, z, lo), np.where(low, hi, z)
            self.ceiling = 1 + q * hi

    def cdf(self, n, x, v=slice(None)):
        np = self.np
        if self.o["prior"] == "tail":
            b, a, w, p = self.row[:, v]
            e = np.maximum(0, b - w)
            tail = 1 - p * (np.maximum(0, b - max(x, 0)) / w)**a
            below = 1 - p * (np.minimum(b, w) / w)**a
            f = np.where(x >= b, 1, np.where(x < e, below * x / np.where(e > 0, e, 1), tail))
        else:
            a, b, w = self.row[:3, v]
            y, start = np.minimum(1, x / self.ceiling[min((n - 1) // 25, 7), v]), self.skew(a, -b / w)
            f = np.where(y >= 1, 1, (self.skew(a, (y - b) / w) - start) / (self.skew(a, (1 - b) / w) - start))
        return np.clip(f * (x > 0), 0, 1)

    def density(self, n, x):
        np = self.np
        if self.o["prior"] == "tail":
            b, a, w, p = self.row
            e, inside = np.maximum(0, b - w), (0 <= x) & (x < b)
            start = (1 - p * (np.minimum(b, w) / w)**a) / np.where(e > 0, e, 1)
            f = np.where(x < e, start, p * a / w * (np.where(inside, b - x, 1) / w)**(a - 1))
            return inside * f
        a, b, w = self.row[:3]
        c = self.ceiling[min((n - 1) // 25, 7)]
        z = (x / c - b) / w
        mass = self.skew(a, (1 - b) / w) - self.skew(a, -b / w)
        return ((0 <= x) & (x <= c)) * 2 * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * self.ndtr(-a * z) / (w * mass * c)

    def weights(self, xs):
        total, top, eps = 0, -math.inf, self.o["floor"]
        for n, x in enumerate(xs, 1):
            if x > top or self.o["likelihood"] == "all":
                total = total + self.np.log((1 - eps) * self.density(n, x) + eps)
            else:
                total = total + self.np.log((1 - eps) * self.cdf(n, top) + eps * min(1, max(0, top)))
            top = max(top, x)
        return self.np.exp(total - max(total)), top

    def index(self, t, xs):
        weight, top = self.weights(xs)
        v = int(self.np.searchsorted(self.np.cumsum(weight), self.rng.uniform() * sum(weight), side="right"))
        log_u, n = math.log(self.rng.uniform()), len(xs)
        pulls = range(n + 1, (t if self.o["target"] == "current" else n + self.T - t + 1) + 1)
        log_below = lambda x: sum(self.np.log(max(float(self.cdf(m, x, v)), 1e-300)) for m in pulls)
        lo, hi = top, 1
        if log_below(top) >= log_u:
            return top
        lo = max(lo, 0)
        while hi - lo > 1e-13:
            middle = (lo + hi) / 2
            lo, hi = (middle, hi) if log_below(middle) < log_u else (lo, middle)
        return hi

    def choose(self, t):
        first = [x[0] for x in self.h]
        m, v = mean(first), statistics.pstdev(first)
        shaped = self.o["rewards"] == "shaped"
        return first_max([self.index(t, [1 / (1 + math.exp(-(x - m) / (v + 0.01))) for x in xs] if shaped else xs)
                          for xs in self.h])


COST = [1.0, 0.5, 2.0, 4.0, 1.5, 0.25]

# policy, options, tape, arms, rounds
CASES = [
    (quantile_ucb, "", "noise", 5, 80), (quantile_ucb, "alpha=0.25 tau=0.5 scale=none", "noise", 6, 80),
    (quantile_ucb, "alpha=1 tau=1", "rising", 4, 80),
    (quantile_bayes_ucb, "", "noise", 5, 80), (quantile_bayes_ucb, "spread=sd", "noise", 6, 80),
    (quantile_bayes_ucb, "tau=0.8 alpha_0=2 beta_0=1 scale=none", "noise", 4, 80),
    (er_ucb_s, "", "noise", 5, 80), (er_ucb_s, "gamma_on=mean scale=minmax", "noise", 6, 80),
    (er_ucb_s, "beta=0.3 theta=0.1 gamma=5 alpha=2.5 scale=global_max", "noise", 4, 80),
    (er_ucb_n, "", "rising", 5, 80), (er_ucb_n, "gamma=0.2 theta=1", "noise", 5, 80),
    (er_ucb_n, "slope=zero gamma=5", "noise", 6, 80),
    (er_ucb_n, "gamma=1 theta=0.5 alpha=20", "rising", 4, 80),
    (er_ucb_n, "gamma=1 theta=0.5 alpha=20 axis=1 scale=none", "rising", 6, 80),
    (rising_bandit, "", "rising", 6, 80), (rising_bandit, "variant=published", "rising", 6, 80),
    (rising_bandit, "C=1 scale=none", "rising", 5, 80), (rising_bandit, "C=3 variant=published", "noise", 5, 120),
    (rising_bandit_cost, "", "rising", 6, 80), (rising_bandit_cost, "budget=60 C=3", "rising", 6, 80),
    (rising_bandit_cost, "C=2 scale=none", "noise", 5, 80),
    (heidari, "", "noise", 5, 80), (heidari, "C=2 cap=2", "noise", 6, 120), (heidari, "C=3 scale=none", "rising", 6, 80),
    (heidari, "C=2 cap=0.7 scale_hi=0.9", "rising", 5, 80),
    (successive_halving, "", "noise", 5, 80), (successive_halving, "eta=3 statistic=max", "noise", 6, 80),
    (successive_halving, "variant=published", "noise", 6, 120), (successive_halving, "eta=1.5", "noise", 6, 80),
    (dacopt, "n0=5", "noise", 5, 80), (dacopt, "n0=4 eta=2 share=remaining", "noise", 6, 120),
    (dacopt, "n0=5 compare=rank eta=2", "noise", 5, 80), (dacopt, "n0=5 compare=mean digits=1", "noise", 6, 80),
    (dacopt, "n0=100 compare=median", "noise", 6, 120), (dacopt, "n0=2 compare=median eta=1.5 digits=0", "rising", 5, 80),
    (dacopt, "n0=3 compare=friedman", "rising", 5, 80), (dacopt, "n0=3 compare=friedman alpha=0.3", "noise", 6, 120),
    (dacopt, "n0=3 compare=friedman ranks=plain alpha=0.4", "rising", 3, 80),
    (r_sr, "", "noise", 5, 80), (r_sr, "variant=published", "noise", 6, 80), (r_sr, "epsilon=0.5", "rising", 4, 80),
    (r_sr, "", "noise", 5, 12), (r_sr, "", "noise", 6, 20), (r_sr, "", "noise", 4, 9), (r_sr, "", "noise", 6, 9),
    (r_sr, "epsilon=0.5", "rising", 5, 14), (r_sr, "", "noise", 5, 6),
    (r_ucbe, "", "noise", 5, 120),
    (r_ucbe, "variant=published sigma=0.001 scale=minmax scale_lo=-3 scale_hi=-2", "noise", 6, 120),
    (r_ucbe, "epsilon=0.5 a=0.5 scale=minmax", "rising", 4, 80),
    (r_ucbe, "epsilon=0.5 sigma=0 variant=published scale=minmax scale_lo=-2 scale_hi=-1", "rising", 4, 80),
    (ucb, "", "noise", 5, 80), (ucb, "alpha=2", "noise", 4, 80), (ucb, "alpha=0.1 scale=minmax", "noise", 6, 80),
    (ucb, "alpha=0.1 scale=global_max", "rising", 5, 80),
    (epsilon_greedy, "", "noise", 5, 80), (epsilon_greedy, "epsilon=0.3 statistic=max ties=random", "noise", 6, 80),
    (softmax, "", "noise", 5, 80), (softmax, "temperature=0.5 statistic=max scale=minmax", "noise", 6, 80),
    (exp3, "", "noise", 5, 80), (exp3, "gamma=0.5 scale=none", "noise", 6, 80),
    (thompson_gaussian, "", "noise", 5, 80), (thompson_gaussian, "sigma=0.2 scale=minmax", "noise", 6, 80),
    (thompson_gaussian, "sigma=0.2 per_cost=root", "noise", 6, 80),
    (thompson_bernoulli, "", "noise", 5, 80), (thompson_bernoulli, "prior_a=0.5 prior_b=0.5 scale=none", "noise", 6, 80),
    (greedy, "", "noise", 5, 80), (greedy, "statistic=mean", "noise", 6, 80),
    (ps_max, "", "noise", 5, 80), (ps_max, "target=remaining", "rising", 6, 80),
    (ps_max, "update=textbook", "growing", 6, 80), (ps_max, "update=textbook target=remaining", "noise", 4, 80),
    (ps_max, "per_cost=lognormal", "noise", 6, 80), (ps_max, "per_cost=lognormal budget=30", "rising", 6, 80),
    (ps_max, "per_cost=lognormal target=remaining", "noise", 6, 80),
    (ps_max, "per_cost=lognormal target=remaining budget=60", "growing", 6, 80),
    (ps_prior, "curves=300", "noise", 5, 80), (ps_prior, "curves=300 prior=flat rewards=raw likelihood=all", "noise", 4, 120),
    (ps_prior, "curves=300 prior=curved rewards=raw target=remaining", "rising", 3, 120),
    (ps_prior, "curves=300 prior=tail target=remaining likelihood=all", "rising", 5, 80),
    (ps_prior, "curves=300 prior=tail rewards=raw floor=0.1", "growing", 4, 120),
]


def run(policy, options, kind, arms, rounds):
    pairs = [o.split("=") for o in options.split()]
    value = lambda v: v if v[0].isalpha() else float(v) if "." in v else int(v)
    p = policy(arms, rounds, Pcg64(42, 54), COST[:arms], **{k: value(v) for k, v in pairs})
    r, out = tape(kind, arms, rounds), ""
    for t in range(1, rounds + 1):
        arm = p.select(t)
        p.h[arm].append(r[arm][len(p.h[arm])])
        p.seen(t, arm)
        out += str(arm)
    return out


if __name__ == "__main__":
    for policy, options, kind, arms, rounds in CASES:
        seq = run(policy, options, kind, arms, rounds)
        half = seq if rounds <= 80 else f'{seq[:80]}"\n     "{seq[80:]}'
        print(f'    {{"{policy.__name__}", "{options}", {kind.upper()}, {arms}, {rounds},\n     "{half}"}},')
