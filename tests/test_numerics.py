"""numerics: rescan and the published variant of successive halving on rewards with few decimals, whose statistics tie
but for rounding: pull for pull against NumPy on the whole scaled history in every round, through `maxk trace`."""
import math, os, random, subprocess, sys, tempfile

maxk = os.environ.get("MAXK", "build/maxk")
try:
    import numpy as np
except ImportError:
    print("skip python3-numpy is not installed")
    sys.exit(0)
TAPES, ARMS, ROUNDS = 12, 6, 300


def scaled(seen):
    lo, hi = min(map(min, filter(len, seen))), max(map(max, filter(len, seen)))
    slope = 1 / (hi - lo if hi - lo > 2e-15 else 1)
    shift = 0 - lo * slope
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


def by_index(name, tapes):
    seen, out = [[] for _ in tapes], []
    for t in range(1, ROUNDS + 1):
        arm = t - 1 if t <= len(tapes) else int(np.argmax([INDEX[name](x, t) for x in scaled(seen)]))
        seen[arm].append(tapes[arm][len(seen[arm])])
        out.append(arm)
    return out


def halving(_, tapes):
    seen, out, left = [[] for _ in tapes], [], list(range(len(tapes)))
    for t in range(1, ROUNDS + 1):
        arm = left[(t - 1) % len(left)] if left else 0
        seen[arm].append(tapes[arm][len(seen[arm])])
        out.append(arm)
        if len(left) > 1 and t % (ROUNDS // (math.log2(len(tapes)) * len(left))) == 0:
            means = [np.mean(x) for x in scaled(seen)]
            order = sorted(range(len(tapes)), key=lambda i: (-means[i], i))
            left = [i for i in left if i in order[:math.ceil(len(left) / 2)]]
    return out


def play(folder, tapes, settings):
    with open(f"{folder}/d.csv", "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        for k, tape in enumerate(tapes):
            f.writelines(f"i,{k},0,{j},{x!r}\n" for j, x in enumerate(tape))
    with open(f"{folder}/e.yaml", "w") as f:
        f.write(f"name: e\nproblem: {{trajectories: {folder}/d.csv}}\nhorizons: [{ROUNDS}]\n")
        f.write(f"policies: [{{{settings}}}]\n")
    text = subprocess.run([maxk, "trace", f"{folder}/e.yaml"], check=True, capture_output=True, text=True).stdout
    return [int(line.split(",")[1]) for line in text.splitlines()[1:]]


draw, bad = random.Random(3), 0


def blocks():
    """Every arm has the same three rewards in pulls 1 to 3, 4 to 6, … in an order of its own: means tie, or nearly."""
    rows = [[] for _ in range(ARMS)]
    for _ in range(ROUNDS // 3):
        three = [draw.randint(1, 99) / 100 for _ in range(3)]
        for row in rows:
            row += draw.sample(three, 3)
    return rows


tapes = [blocks() for _ in range(TAPES)]
coarse = [[[draw.randint(1, 9) / 10 for _ in range(ROUNDS)] for _ in range(ARMS)] for _ in range(TAPES)]
with tempfile.TemporaryDirectory() as d:
    for name, more, reference in (("ucb", "scale: minmax, numerics: rescan", by_index),
                                  ("quantile_ucb", "tau: 0.5, numerics: rescan", by_index),
                                  ("er_ucb_s", "gamma_on: mean, scale: minmax, numerics: rescan", by_index),
                                  ("successive_halving", "variant: published", halving)):
        same = sum(play(d, tape, f"name: {name}, {more}") == reference(name, tape)
                   for tape in (coarse if name == "quantile_ucb" else tapes))
        bad += same != TAPES
        print("ok" if same == TAPES else "not ok", f"{name}, {more}: {same} of {TAPES} tapes pull for pull")
sys.exit(bad > 0)
