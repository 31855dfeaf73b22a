"""R-SR and R-UCBE of Mussi et al. 2024 in exact rational arithmetic, for the paper's variants: whole histories, no running
sums, no rounding (R-UCBE's square root apart). A reward may be a text: then its decimal value counts, not its nearest
double. Used by tests/command/test_rising_best_arm.py and tests/validate."""
from fractions import Fraction
import math


def running_best(rewards):
    out = []
    for x in rewards:
        out.append(max(x, out[-1]) if out else x)
    return out


def rounds(arms, horizon, phase):
    """N_phase, exact."""
    logbar = Fraction(1, 2) + sum(Fraction(1, i) for i in range(2, arms + 1))
    return math.ceil(Fraction(horizon - arms) / (logbar * (arms + 1 - phase))) if phase else 0


def published_rounds(arms, horizon, phase):
    """The same as the MaxUCB authors' program evaluates it, in doubles, for phase 0 too."""
    logbar = 0.5 + sum(1 / i for i in range(2, arms + 1))
    return math.ceil((1 / logbar) * (horizon - arms) / (arms + 1 - phase))


def r_sr(tape, horizon, epsilon=Fraction(1, 4)):
    """Arms in the order of the pulls; tape[arm] has at least `horizon` rewards."""
    x = [[Fraction(v) for v in series] for series in tape]
    arms, left, n, out = len(x), list(range(len(x))), [0] * len(x), []
    for phase in range(1, arms):
        each = rounds(arms, horizon, phase) - rounds(arms, horizon, phase - 1)
        if phase == 1:
            each = max(each, 1)
        for _ in range(each):
            for arm in left:
                out.append(arm)
                n[arm] += 1
        means = []
        for arm in left:
            h = max(1, math.floor(epsilon * n[arm]))
            means.append(sum(running_best(x[arm][:n[arm]])[-h:]) / h)
        left.pop(means.index(min(means)))
    out += left * horizon
    return out[:horizon]


def r_ucbe(tape, horizon, a=57.12, sigma=0.05, epsilon=Fraction(1, 4)):
    x = [[Fraction(v) for v in series] for series in tape]
    arms, n, out, index = len(x), [0] * len(x), [], [None] * len(x)
    for t in range(horizon):
        if t < arms:
            arm = t
        else:
            arm = next(i for i in range(arms) if all(index[i] >= v * (1 - Fraction(1, 10**13)) for v in index))
        out.append(arm)
        n[arm] += 1
        h = math.floor(epsilon * n[arm])
        if h == 0:
            index[arm] = Fraction(10) ** 400
            continue
        y = running_best(x[arm][:n[arm]])
        rise = sum((horizon - s) * (y[s - 1] - y[s - h - 1]) for s in range(n[arm] - h + 1, n[arm] + 1)) / Fraction(h * h)
        bonus = sigma * (horizon - n[arm] + h - 1) * math.sqrt(a / h**3)
        index[arm] = sum(y[-h:]) / h + rise + Fraction(bonus)
    return out
