#!/usr/bin/python3
"""Max-K-armed policies straight from their formulas, over whole histories: no incremental statistics, no caches.

Independent of the C sources; prints the rows of the table in tests/unit/policies/test_policy_traces_extreme.c:
    /usr/bin/python3 tests/reference/extreme.py
Needs NumPy and SciPy. Random choices use the same generator and the same order of draws as the C policies
(PCG64 XSL-RR 128/64 seeded with (42, 54); 53-bit uniforms; Lemire's bounded integers)."""
import math

import numpy as np
from scipy import special, stats

M64, M128 = 2**64 - 1, 2**128 - 1


class Pcg64:
    MULT = 0x2360ED051FC65DA44385DF649FCCF645

    def __init__(self, state, seq):
        self.inc = (seq << 1 | 1) & M128
        self.state = 0
        self.next()
        self.state = (self.state + state) & M128
        self.next()

    def next(self):
        self.state = (self.state * self.MULT + self.inc) & M128
        x = (self.state >> 64) ^ (self.state & M64)
        rot = self.state >> 122
        return (x >> rot | x << (64 - rot)) & M64 if rot else x

    def uniform(self):
        return min((self.next() >> 11) * 2.0**-53 + 2.0**-54, 1 - 2.0**-53)

    def below(self, n):
        m = self.next() * n
        if m & M64 < n:
            threshold = 2**64 % n
            while m & M64 < threshold:
                m = self.next() * n
        return m >> 64


def tape(kind, arm, n):
    """n rewards of an arm; `kind` is unit, coarse (many ties) or heavy (Pareto)."""
    x, out = arm + 1, []
    for i in range(n + 3):
        x = (x * 6364136223846793005 + 1442695040888963407) & M64
        u = (x >> 11) * 2.0**-53
        if kind == "coarse":
            u = math.floor(u * 6) / 6
        if i >= 3:
            out.append((1 + 0.5 * arm) / (1 - u) if kind == "heavy" else u * (0.75 + 0.125 * ((3 * arm) % 5)))
    return out


class Policy:
    """self.rewards[k]: rewards of arm k so far; self.all: all rewards so far, in order."""

    def __init__(self, arms, horizon, rng, **par):
        self.K, self.T, self.rng, self.par = arms, horizon, rng, par
        self.rewards, self.all = [[] for _ in range(arms)], []

    def get(self, name, default):
        return self.par.get(name, default)

    def argmax(self, index, ties=None):
        index = list(index)
        top = max(index)
        at = [i for i, x in enumerate(index) if x == top]
        if (ties or self.get("ties", "lowest")) == "random" and len(at) > 1:
            return at[self.rng.below(len(at))]
        return at[0]

    def see(self, t, arm, reward):
        self.rewards[arm].append(reward)
        self.all.append(reward)


def scaled(values, history, scale, lo=0.01, hi=0.99):
    values = np.asarray(values, float)
    if scale == "global_max":
        return values / max(history) if max(history) > 0 else values
    if scale == "minmax":
        width = max(history) - min(history)
        slope = (hi - lo) / (width if width > 0 else 1)
        return values * slope + (lo - min(history) * slope)
    return values


class MaxUcb(Policy):
    def log_argument(self, t):
        return t + self.get("round_offset", 0)

    def choose(self, t):
        if t <= self.K:
            return t - 1
        maxima = scaled([max(r) for r in self.rewards], self.history(), self.get("scale", "none"))
        bonus = self.get("alpha", 0.5) * math.log(self.log_argument(t)) ** self.get("power", 1)
        return self.argmax(m + (bonus / len(r)) ** 2 for m, r in zip(maxima, self.rewards))

    def history(self):
        return self.all


class MaxUcbRemaining(MaxUcb):
    def log_argument(self, t):
        return self.T + 1 - t


class MaxUcbHorizon(MaxUcb):
    def log_argument(self, t):
        return self.T / self.K


class MaxUcbBurnIn(MaxUcb):
    def choose(self, t):
        self.burnt = self.get("burn_in", 6) * self.K
        if t <= self.burnt + self.K:
            return (t - 1) % self.K
        return super().choose(t)

    def log_argument(self, t):
        return t - self.burnt if self.get("round", "running") == "restart" else t

    def history(self):
        return self.all if self.get("scale_from", "main") == "start" else self.all[self.burnt:]

    def see(self, t, arm, reward):
        self.all.append(reward)
        if t > self.burnt:
            self.rewards[arm].append(reward)


class QomaxEtc(Policy):
    committed = None

    def choose(self, t):
        b, n = self.get("batches", 4), self.get("batch_size", 3)
        if self.get("size", "fixed") == "log":
            b, n = int(math.log(self.T) ** 2) + 1, int(math.log(self.T)) + 1
        if b * n * self.K > self.T or t <= b * n * self.K:
            return (t - 1) % self.K
        if self.committed is None:
            maxima = [np.array(r).reshape(b, n).max(axis=1) for r in self.rewards]
            self.committed = self.argmax(np.quantile(m, self.get("q", 0.5)) for m in maxima)
        return self.committed


class QomaxSda(Policy):
    """Batches are lists of (key, reward); the arms to draw next are planned one round ahead."""

    def __init__(self, *args, **par):
        super().__init__(*args, **par)
        self.batches, self.n = [[] for _ in range(self.K)], [0] * self.K
        self.value, self.before, self.r, self.plan = [math.inf] * self.K, [], 0, []

    def qomax(self, maxima):
        return np.quantile(maxima, self.get("q", 0.5))

    def full(self, k):
        return self.qomax([max(x for _, x in b) for b in self.batches[k]]) if self.batches[k] else math.inf

    def last(self, batch, after):
        inside = [x for key, x in batch if key > after]
        return max(inside) if inside else batch[-1][1]

    def round(self):
        self.r += 1
        gamma, queried = self.get("gamma", 2 / 3), self.get("qomax", "current") == "queried"
        f = max(self.get("f_floor", 0), math.log(self.r) ** (1 / gamma))
        most = max(self.n)
        values = self.value if queried else [self.full(k) for k in range(self.K)]
        tied = [values[k] if self.n[k] == most else -math.inf for k in range(self.K)]
        leader = self.argmax(tied, self.get("ties", "random"))
        chosen = []
        for k in range(self.K):
            if k == leader:
                continue
            if self.n[k] > f:
                if not queried or k in self.before or self.value[k] == math.inf:
                    self.value[k] = self.full(k)
                after = self.n[leader] - self.n[k]
                window = [self.last(b, after) for b in self.batches[leader][:len(self.batches[k])]]
                if self.qomax(window) > self.value[k]:
                    continue
            chosen.append(k)
        if self.n[leader] <= f or not chosen:
            chosen.append(leader)
        if self.get("order", "index") == "shuffled":
            for i in range(len(chosen), 1, -1):
                j = self.rng.below(i)
                chosen[i - 1], chosen[j] = chosen[j], chosen[i - 1]
        self.before = chosen
        count = [len(b) for b in self.batches]
        for k in chosen:
            self.n[k] += 1
            self.plan += [(k, i, self.n[k]) for i in range(count[k])]
            while count[k] == 0 or (self.n[k] ** gamma > count[k] and chosen != [leader]):
                self.new_batch(k, count)
        while count[leader] < max(count):
            self.new_batch(leader, count)

    def new_batch(self, k, count):
        first = 0 if self.get("window", "last") == "stored_key" else 1
        self.plan += [(k, count[k], first + i) for i in range(self.n[k])]
        count[k] += 1

    def choose(self, t):
        if not self.plan:
            self.round()
        return self.plan[0][0]

    def see(self, t, arm, reward):
        k, batch, key = self.plan.pop(0)
        if batch == len(self.batches[k]):
            self.batches[k].append([])
        self.batches[k][batch].append((key, reward))


class MaxMedian(Policy):
    """The round of the next exploration is drawn by inversion of P(none so far) = product of 1 - epsilon_t."""

    def __init__(self, *args, **par):
        super().__init__(*args, **par)
        self.none, self.until = 1.0, self.rng.uniform()

    def choose(self, t):
        if t <= self.K:
            return t - 1
        self.none *= 1 - self.get("epsilon", 1) / (t + self.get("round_offset", 0))
        if self.none < self.until:
            self.none, self.until = 1.0, self.rng.uniform()
            return self.rng.below(self.K)
        m = min(len(r) for r in self.rewards)
        return self.argmax(sorted(r)[-math.ceil(len(r) / m)] for r in self.rewards)


class ThresholdAscent(Policy):
    threshold, counts = None, None

    def choose(self, t):
        s, a = self.get("s", 20), math.log(2 * self.K * self.T / self.get("delta", 0.1))
        moved = self.get("refresh", "always") == "moved"
        if len(self.all) < s or (moved and len(self.all) == s):
            self.counts = [len(r) for r in self.rewards]
        else:
            threshold = sorted(self.all)[-s]
            if not moved or threshold != self.threshold:
                self.counts = [sum(x >= threshold for x in r) for r in self.rewards]
            self.threshold = threshold
        index = []
        for c, r in zip(self.counts, self.rewards):
            n = len(r)
            index.append(math.inf if n == 0 else (c + a + math.sqrt(2.0 * c * a + a * a)) / n)
        return self.argmax(index)


class MaxSearch(Policy):
    def choose(self, t):
        if t <= self.K:
            return t - 1
        log_t, index = math.log(t + self.get("round_offset", 0)), []
        for r in self.rewards:
            x = scaled(r, self.all, self.get("scale", "none"))
            with np.errstate(all="ignore"):
                value = self.index(x, log_t)
            if math.isnan(value):
                value = math.inf if self.get("nan", "zero") == "maximum" else 0.0
            elif math.isinf(value):
                value = np.finfo(float).max
            index.append(value)
        return self.argmax(index)


class MaxSearchGaussian(MaxSearch):
    def index(self, x, log_t):
        n, a = len(x), math.exp(-self.get("c", 1.0) ** 2 * log_t)
        if n == 1:
            return math.inf
        if self.get("numerics", "running") == "rescan":
            var = (np.sum(x**2) - n * np.mean(x) ** 2) / (n - 1)
        else:
            var = 0.0 if min(x) == max(x) else np.var(x, ddof=1)
        mu = np.mean(x) + stats.t.ppf(1 - a / 2, n - 1) * np.sqrt(var / n)
        var = np.float64((n - 1) * var / stats.chi2.ppf(a / 2, n - 1))
        z = (np.max(x) - mu) / np.sqrt(2 * var)
        return np.sqrt(var / 2) * (np.exp(-z * z) / np.sqrt(np.pi) - z * special.erfc(z))


class MaxSearchSubgaussian(MaxSearch):
    def index(self, x, log_t):
        beta = self.get("c", 0.27) * math.sqrt(log_t / len(x))
        g = 2 * math.sqrt(2) * beta - beta * beta
        if g > math.log(2):
            return math.inf
        if self.get("numerics", "running") == "rescan":
            var = np.mean(x**2) - np.mean(x) ** 2
        else:
            var = 0.0 if min(x) == max(x) else np.var(x)
        v = np.float64(var / (2 * (math.log(2) - g)))
        return np.sqrt(2 * np.pi * v) * special.erfc((np.max(x) - np.mean(x)) / np.sqrt(2 * v))


class ExtremeHunter(Policy):
    current, left = None, 0

    def explore(self):
        b = self.get("b", 1)
        rounds = self.K * max(1, math.log(self.T) ** ((2 * b + 1) / b))
        return math.ceil(rounds) if rounds <= self.T else self.T

    def bound(self, rewards):
        b, d, n = self.get("b", 1), self.get("delta", 0.1), len(rewards)
        x = np.sort(np.maximum(rewards, 1))
        s = max(1, int(self.T ** (-1 / (2 * b + 1)) * n))
        h = np.log(x[-s:] / x[-s]).mean()
        c = n ** (1 / (2 * b + 1)) * (x >= n ** (h / (2 * b + 1))).mean()
        b1 = self.get("D", 1e-4) * math.sqrt(math.log(1 / d)) * n ** (-b / (2 * b + 1))
        b2 = self.get("E", 1e-4) * math.sqrt(math.log(n / d)) * math.log(n) * n ** (-b / (2 * b + 1))
        if h + b1 >= 1:
            return math.inf
        return ((c + b2) * self.T) ** (h + b1) * special.gamma(1 - h - b1)

    def choose(self, t):
        if t <= self.explore():
            return (t - 1) % self.K
        if self.left == 0:
            self.current = self.argmax(self.bound(r) for r in self.rewards)
            self.left = self.get("steps", 1)
        self.left -= 1
        return self.current


class ExtremeEtc(ExtremeHunter):
    def __init__(self, *args, **par):
        super().__init__(*args, steps=args[1], **par)


POLICIES = {
    "max_ucb": MaxUcb, "max_ucb_burn_in": MaxUcbBurnIn, "max_ucb_remaining": MaxUcbRemaining,
    "max_ucb_horizon": MaxUcbHorizon, "qomax_etc": QomaxEtc,
    "qomax_sda": QomaxSda, "max_median": MaxMedian, "threshold_ascent": ThresholdAscent,
    "max_search_gaussian": MaxSearchGaussian, "max_search_subgaussian": MaxSearchSubgaussian,
    "extreme_hunter": ExtremeHunter, "extreme_etc": ExtremeEtc,
}


def number(word):
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def trace(name, settings, arms, horizon, kind):
    par = {k: number(v) for k, v in (item.split("=") for item in settings.split())}
    policy = POLICIES[name](arms, horizon, Pcg64(42, 54), **par)
    rewards, n, sequence = [tape(kind, k, horizon) for k in range(arms)], [0] * arms, []
    for t in range(1, horizon + 1):
        arm = policy.choose(t)
        policy.see(t, arm, rewards[arm][n[arm]])
        n[arm] += 1
        sequence.append(arm)
    return "".join(map(str, sequence))


CASES = [
    ("max_ucb", "", 5, 60, "unit"),
    ("max_ucb", "scale=global_max round_offset=-1 ties=random", 5, 60, "coarse"),
    ("max_ucb", "alpha=1.5 scale=minmax", 5, 60, "unit"),
    ("max_ucb", "alpha=0.3 power=1.5", 5, 60, "unit"),
    ("max_ucb_burn_in", "", 5, 100, "unit"),
    ("max_ucb_burn_in", "burn_in=3 round=restart scale=minmax", 5, 80, "unit"),
    ("max_ucb_burn_in", "burn_in=2 scale=minmax scale_from=start ties=random", 5, 80, "coarse"),
    ("max_ucb_burn_in", "burn_in=2 power=2", 5, 60, "unit"),
    ("max_ucb_remaining", "", 5, 60, "unit"),
    ("max_ucb_remaining", "power=1.5", 5, 60, "unit"),
    ("max_ucb_remaining", "alpha=2 scale=minmax ties=random", 5, 60, "coarse"),
    ("max_ucb_horizon", "", 5, 60, "unit"),
    ("max_ucb_horizon", "alpha=2 scale=minmax ties=random", 5, 60, "coarse"),
    ("qomax_etc", "", 5, 80, "unit"),
    ("qomax_etc", "q=0.9 batches=5 batch_size=2 ties=random", 6, 80, "coarse"),
    ("qomax_etc", "q=0.9 size=log", 5, 60, "unit"),
    ("qomax_sda", "", 5, 300, "unit"),
    ("qomax_sda", "q=0.9 f_floor=5 window=stored_key qomax=queried order=shuffled", 5, 400, "unit"),
    ("qomax_sda", "q=0.9 f_floor=2 window=stored_key gamma=0.5", 4, 400, "heavy"),
    ("qomax_sda", "qomax=queried order=shuffled", 5, 300, "coarse"),
    ("qomax_sda", "f_floor=3", 2, 100, "unit"),
    ("qomax_sda", "qomax=queried f_floor=3", 7, 200, "unit"),
    ("qomax_sda", "qomax=queried order=shuffled f_floor=6 gamma=0.5", 9, 500, "heavy"),
    ("max_median", "", 5, 100, "unit"),
    ("max_median", "round_offset=-1 ties=random", 5, 150, "coarse"),
    ("max_median", "epsilon=8", 4, 100, "heavy"),
    ("threshold_ascent", "", 5, 100, "unit"),
    ("threshold_ascent", "s=7 ties=random", 5, 150, "coarse"),
    ("threshold_ascent", "s=7 refresh=moved ties=random", 5, 150, "coarse"),
    ("threshold_ascent", "s=5 delta=0.01", 6, 150, "heavy"),
    ("max_search_gaussian", "", 5, 100, "unit"),
    ("max_search_gaussian", "c=0.6 round_offset=-1 ties=random nan=maximum", 5, 80, "coarse"),
    ("max_search_gaussian", "numerics=rescan scale=minmax", 5, 60, "unit"),
    ("max_search_subgaussian", "", 5, 100, "unit"),
    ("max_search_subgaussian", "c=0.1 round_offset=-1 ties=random nan=maximum", 5, 80, "coarse"),
    ("max_search_subgaussian", "numerics=rescan scale=minmax", 5, 60, "unit"),
    ("extreme_hunter", "b=10", 3, 150, "heavy"),
    ("extreme_hunter", "b=10 steps=7 ties=random D=0.1 E=0.1", 3, 150, "unit"),
    ("extreme_hunter", "", 5, 60, "heavy"),
    ("extreme_etc", "b=10", 3, 150, "heavy"),
]

if __name__ == "__main__":
    for case in CASES:
        name, settings, arms, horizon, kind = case
        sequence = trace(*case)
        print('    {"%s", "%s", %d, %d, %s,' % (name, settings, arms, horizon, kind.upper()))
        parts = [sequence[i:i + 100] for i in range(0, len(sequence), 100)]
        print("\n".join('     "%s"' % p for p in parts) + "},")
