"""numerics: rescan and the published variants of eliminating policies on rewards with few decimals, whose statistics
tie but for rounding: pull for pull against NumPy on the whole scaled history in every round, through `maxk trace`. The
papers' own forms against rational arithmetic, in which such means tie."""
from fractions import Fraction
import math, random, sys

import numpy as np

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, run

TAPES, ARMS, ROUNDS = 12, 6, 300


def scaled(seen, low=0, high=1):
    lo, hi = min(map(min, filter(len, seen))), max(map(max, filter(len, seen)))
    slope = (high - low) / (hi - lo if hi - lo > 2e-15 else 1)
    shift = low - lo * slope
    return [np.array(x) * slope + shift for x in seen]


def root(x, t, weight):
    return np.sqrt(weight * math.log(t) / len(x))


def er_ucb_s(x, t):
    y, psi = x - .6, root(x, t, 2)
    return 20 * np.mean(y) + np.sqrt(np.mean(y**2) / .01) + (psi + np.sqrt(1 / .01 * psi))


INDEX = {
    "ucb": lambda x, t: np.mean(x) + root(x, t, .5),
    "quantile_ucb": lambda x, t: np.quantile(x, .5) + root(x, t, .5),
    "er_ucb_s": er_ucb_s,
}


def by_index(name, tapes, rounds):
    seen, out = [[] for _ in tapes], []
    for t in range(1, rounds + 1):
        arm = t - 1 if t <= len(tapes) else int(np.argmax([INDEX[name](x, t) for x in scaled(seen)]))
        seen[arm].append(tapes[arm][len(seen[arm])])
        out.append(arm)
    return out


def halving(_, tapes, rounds):
    seen, out, left = [[] for _ in tapes], [], list(range(len(tapes)))
    for t in range(1, rounds + 1):
        arm = left[(t - 1) % len(left)] if left else 0
        seen[arm].append(tapes[arm][len(seen[arm])])
        out.append(arm)
        if len(left) > 1 and t % (rounds // (math.log2(len(tapes)) * len(left))) == 0:
            means = [np.mean(x) for x in scaled(seen)]
            order = sorted(range(len(tapes)), key=lambda i: (-means[i], i))
            left = [i for i in left if i in order[:math.ceil(len(left) / 2)]]
    return out


def mean(rewards):
    return sum(Fraction(repr(x)) for x in rewards) / len(rewards)


def halving_exact(_, tapes, rounds):
    """Karnin et al. 2013, Algorithm 3, means over all phases, ties to the lower index."""
    seen, out, left = [0] * len(tapes), [], list(range(len(tapes)))
    phases = math.ceil(math.log2(len(tapes)))
    while len(out) < rounds:
        each = rounds // (len(left) * phases) if len(left) > 1 else rounds
        for arm in (left * each)[:rounds - len(out)]:
            seen[arm] += 1
            out.append(arm)
        best = sorted(left, key=lambda i: (-mean(tapes[i][:seen[i]]), i))
        left = sorted(best[:math.ceil(len(left) / 2)])
    return out


def greedy_exact(_, tapes, rounds):
    """The largest mean, the lower index of several."""
    seen, out = [1] * len(tapes), list(range(len(tapes)))
    while len(out) < rounds:
        arm = max(range(len(tapes)), key=lambda i: (mean(tapes[i][:seen[i]]), -i))
        seen[arm] += 1
        out.append(arm)
    return out


def maximum(_, tapes, rounds):
    """The largest reward, however little it is larger."""
    best, out = [x[0] for x in tapes], list(range(len(tapes)))
    seen = [1] * len(tapes)
    while len(out) < rounds:
        arm = max(range(len(tapes)), key=lambda i: (best[i], -i))
        best[arm] = max(best[arm], tapes[arm][seen[arm]])
        seen[arm] += 1
        out.append(arm)
    return out


def rejects(_, tapes, rounds):
    K, seen, out, left, phase = len(tapes), [[] for _ in tapes], [], list(range(len(tapes))), 1
    logbar = .5 + sum(1 / i for i in range(2, K + 1))
    until = lambda j: math.ceil((rounds - K) / (logbar * (K + 1 - j)))
    length = lambda j: (until(j) - until(j - 1) + 1) * len(left)
    pulls = length(phase)
    for t in range(rounds):
        arm = left[(pulls - 1) % len(left)]
        seen[arm].append(tapes[arm][len(seen[arm])])
        out.append(arm)
        pulls -= 1
        if pulls == 0 and len(left) > 1:
            best = [np.maximum.accumulate(x) if len(x) else x for x in scaled(seen)]
            means = [np.mean(best[i][:-(len(best[i]) // 4 + 1)]) if len(best[i]) >= 4 else 0 for i in left]
            left.pop(int(np.argmin(means)))
            phase += 1
            pulls = length(phase)
    return out


def rising(_, tapes, rounds):
    seen, out, left, C = [[] for _ in tapes], [], list(range(len(tapes))), 7
    while len(out) < rounds:
        for arm in left[:rounds - len(out)]:
            seen[arm].append(tapes[arm][len(seen[arm])])
            out.append(arm)
        if len(left) > 1:
            best = [np.maximum.accumulate(x) if len(x) else x for x in scaled(seen, .01, .99)]
            y = {i: best[i][-1] for i in left}
            past = {i: best[i][-1 - C] if len(best[i]) > C else -1 for i in left}
            u = {i: min(1, y[i] + (y[i] - past[i]) / C * (rounds - len(out))) for i in left}
            for i in list(left):
                if i in left:
                    left = [j for j in left if j == i or y[i] < u[j]]
    return out


def play(d, tapes, settings, rounds):
    with open(f"{d}/d.csv", "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        for k, tape in enumerate(tapes):
            f.writelines(f"i,{k},0,{j},{x!r}\n" for j, x in enumerate(tape))
    with open(f"{d}/e.yaml", "w") as f:
        f.write(f"name: e\nproblem: {{trajectories: {d}/d.csv}}\nhorizons: [{rounds}]\n")
        f.write(f"policies: [{{{settings}}}]\n")
    return [int(line.split(",")[1]) for line in run("trace", f"{d}/e.yaml").splitlines()[1:]]


draw = random.Random(3)


def blocks():
    """Every arm has the same three rewards in pulls 1 to 3, 4 to 6, … each in a different order: means tie, or nearly."""
    rows = [[] for _ in range(ARMS)]
    for _ in range(ROUNDS // 3):
        three = [draw.randint(1, 99) / 100 for _ in range(3)]
        for row in rows:
            row += draw.sample(three, 3)
    return rows


def climb():
    """Rewards that sometimes rise by 1/70, with noise of up to 3/70."""
    level, row = draw.randint(0, 3), []
    for _ in range(ROUNDS):
        level = min(level + (draw.random() < .3), 40)
        row.append((level + draw.randint(0, 3)) / 70)
    return row


tapes = [blocks() for _ in range(TAPES)]
coarse = [[[draw.randint(1, 9) / 10 for _ in range(ROUNDS)] for _ in range(ARMS)] for _ in range(TAPES)]
rises = [[climb() for _ in range(ARMS)] for _ in range(5 * TAPES)]
close = [[[1 + draw.randrange(4) * 2.0**-51 for _ in range(60)] for _ in range(ARMS)] for _ in range(TAPES)]
CASES = [  # rounds, tapes
    ("successive_halving", "variant: paper", halving_exact, 270, tapes),
    ("greedy", "statistic: mean", greedy_exact, 60, [[row[:60] for row in tape] for tape in coarse]),
    ("greedy", "statistic: max", maximum, 60, close),
    ("max_ucb", "alpha: 0", maximum, 60, close),
    ("ucb", "scale: minmax, numerics: rescan", by_index, 300, tapes),
    ("quantile_ucb", "tau: 0.5, numerics: rescan", by_index, 300, coarse),
    ("er_ucb_s", "gamma_on: mean, scale: minmax, numerics: rescan", by_index, 300, tapes),
    ("successive_halving", "variant: published", halving, 300, tapes),
    ("r_sr", "variant: published", rejects, 137, rises),
    ("rising_bandit", "variant: published", rising, 60, rises),
]
with folder() as d:
    for name, more, reference, rounds, rows in CASES:
        same = sum(play(d, x, f"name: {name}, {more}", rounds) == reference(name, x, rounds) for x in rows)
        check(same == len(rows) > 0, f"{name}, {more}: {same} of {len(rows)} tapes pull for pull")
finish()
