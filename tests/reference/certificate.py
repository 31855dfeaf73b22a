"""MaxUCB on arms with finitely many values, exactly: the distribution of its pulls, and the value of Theorem 1 of
analysis/theory/certificates/certificate.h, in 50 digits (mpmath) with rational probabilities.

An arm is [(value, probability), ...], values ascending. Everything follows the definitions alone: no grids, no blocks.
"""
import itertools

import mpmath

mpmath.mp.dps = 50


def bonus(alpha, t, shift=0, power=1):
    return (alpha * mpmath.log(t + shift) ** power) ** 2


def cdf(arm, x):
    """P(X <= x)"""
    return sum((p for v, p in arm if v <= x), mpmath.mpf(0))


def exact_pulls(arms, horizon, alpha, shift=0, power=1):
    """E[N_i(T)] of every arm, ties to the lowest index: all states (counts, largest rewards) with their probabilities."""
    arms = [[(mpmath.mpf(v), mpmath.mpf(p)) for v, p in arm] for arm in arms]
    k = len(arms)
    states = {((), ()): mpmath.mpf(1)}
    for arm in arms:  # rounds 1 … K
        states = {(n + (1,), best + (v,)): q * p for (n, best), q in states.items() for v, p in arm}
    for t in range(k + 1, horizon + 1):
        after = {}
        c = bonus(alpha, t, shift, power)
        for (n, best), q in states.items():
            index = [best[j] + c / n[j] ** 2 for j in range(k)]
            i = index.index(max(index))
            counts = n[:i] + (n[i] + 1,) + n[i + 1:]
            for v, p in arms[i]:
                key = (counts, best[:i] + (max(best[i], v),) + best[i + 1:])
                after[key] = after.get(key, 0) + q * p
        states = after
    return [sum(q * n[i] for (n, _), q in states.items()) for i in range(k)]


def passage(arm, barrier):
    """P(there is s with M(s) <= barrier[s - 1]): sum of d_s = F(g_s)^s - sum_{r<s} d_r F(g_s)^(s-r)."""
    masses = []
    for s, g in enumerate(barrier, 1):
        f = cdf(arm, g)
        masses.append(f ** s - sum(d * f ** (s - r) for r, d in enumerate(masses, 1)))
    return sum(masses)


def h(m, s, arms, horizon, alpha, shift=0, power=1):
    """h_m(s) of the lemma."""
    factor = mpmath.mpf(1) / m ** 2 - mpmath.mpf(1) / s ** 2
    t = s + m + arms - 1 if s < m or arms == 2 else horizon
    return bonus(alpha, t, shift, power) * factor


def theorem_1(arms, i, horizon, alpha, shift=0, power=1):
    """1 + sum over m of E[min over r <= m of Pi_r(M_i(r))], h_m replaced by its running maximum."""
    arms = [[(mpmath.mpf(v), mpmath.mpf(p)) for v, p in arm] for arm in arms]
    total, paths = mpmath.mpf(1), {(v, mpmath.mpf(1)): p for v, p in arms[i]}  # (M_i(m), least product) -> probability
    for m in range(1, horizon - len(arms) + 1):
        now = {}
        for (best, least), q in paths.items():
            barrier = [best + h(m, s, len(arms), horizon, alpha, shift, power)
                       for s in range(1, horizon - m - len(arms) + 2)]
            barrier = list(itertools.accumulate(barrier, max))
            product = mpmath.mpf(1)
            for j, arm in enumerate(arms):
                if j != i:
                    product *= passage(arm, barrier)
            now[(best, min(least, product))] = now.get((best, min(least, product)), 0) + q
        total += sum(least * q for (_, least), q in now.items())
        paths = {}
        for (best, least), q in now.items():
            for v, p in arms[i]:
                key = (max(best, v), least)
                paths[key] = paths.get(key, 0) + q * p
    return total


def first_passages(cdf_of, barrier):
    """P(s is the first count with M(s) <= barrier[s - 1]) for s = 1, 2, ..., cdf_of(y) = P(X <= y)."""
    masses = []
    for s, g in enumerate(barrier, 1):
        f = cdf_of(g)
        masses.append(f ** s - sum(d * f ** (s - r) for r, d in enumerate(masses, 1)))
    return masses


def survival(cdf_of, barrier):
    """P(M(s) > barrier[s - 1] for all s)."""
    return 1 - sum(first_passages(cdf_of, barrier))


def theorem_2_at(cdfs, i, m, alpha, windows, offsets, z):
    """P(Z > z) prod_k P(M_k(s) < z - o_k - C / s^2 for an s of its window): what Theorem 2 gives for one level z.
    cdfs: continuous distribution functions; windows[k] = (A_k, S_k)."""
    rivals = [k for k in range(len(cdfs)) if k != i]
    n = sum(windows[k][1] for k in rivals)
    last = bonus(alpha, m + n + 1)

    def phi(k, r):
        first, end = windows[k]
        later = bonus(alpha, r + n + 1)
        own = later if r >= end else bonus(alpha, r + first + len(cdfs) - 1)
        return offsets[k] + (last - later) / mpmath.mpf(end) ** 2 + own / mpmath.mpf(r) ** 2

    value = survival(cdfs[i], [z - min(phi(k, r) for k in rivals) for r in range(1, m + 1)])
    for k in rivals:
        first, end = windows[k]
        never = [-mpmath.inf] * (first - 1)
        value *= 1 - survival(cdfs[k], never + [z - offsets[k] - last / mpmath.mpf(s) ** 2 for s in range(first, end + 1)])
    return value


def theorem_2_of_lead(cdfs, i, m, alpha, windows, lead, lead_windows, z):
    """The same without offsets, the window of the rival `lead` split into several: the sum over them of
    P(Z > z for this window) P(the lead is stuck in it and in none before) prod of the other rivals."""
    rivals = [k for k in range(len(cdfs)) if k != i]
    n = sum(windows[k][1] for k in rivals)
    last = bonus(alpha, m + n + 1)

    def phi(window, r):
        first, end = window
        later = bonus(alpha, r + n + 1)
        own = later if r >= end else bonus(alpha, r + first + len(cdfs) - 1)
        return (last - later) / mpmath.mpf(end) ** 2 + own / mpmath.mpf(r) ** 2

    def stuck(k, first, end):
        levels = [z - last / mpmath.mpf(s) ** 2 for s in range(first, end + 1)]
        return first_passages(cdfs[k], [-mpmath.inf] * (first - 1) + levels)

    others = mpmath.mpf(1)
    for k in rivals:
        others *= 1 if k == lead else sum(stuck(k, *windows[k]))
    total = mpmath.mpf(0)
    for first, end in lead_windows:
        used = {**{k: windows[k] for k in rivals}, lead: (first, end)}
        levels = [z - min(phi(used[k], r) for k in rivals) for r in range(1, m + 1)]
        total += survival(cdfs[i], levels) * others * sum(stuck(lead, lead_windows[0][0], end)[first - 1:])
    return total


def theorem_3(cdfs, i, horizon, m, alpha, count, levels):
    """What Theorem 3 gives for one rival of K = 2 with S = count and uniform rewards on [0, 1], whose largest reward is
    split at these levels of its distribution."""
    first, last = bonus(alpha, horizon - m - count), bonus(alpha, horizon)
    total, before = mpmath.mpf(0), mpmath.mpf(0)
    for level in map(mpmath.mpf, levels):
        y = level ** (mpmath.mpf(1) / horizon)
        barrier = [y + (first if r < count else last) * (mpmath.mpf(1) / count ** 2 - mpmath.mpf(1) / r ** 2)
                   for r in range(1, m + 1)]
        total += (level - before) * survival(cdfs[i], barrier)
        before = level
    return total
