"""The best of 100 evaluations by Optuna's TPE and random search: tests/reference/best_optuna.csv.

Python 3 with Debian's python3-optuna (3.1.0), samplers with their defaults. One line per function and sampler: the best
reward of each of --seeds searches, with seeds 0, 1 …; tests compare them with maxk's own searches. The functions are
written here again, from their sources (Dixon & Szego 1978; Balef et al. 2024; Nguyen 2024, Figure 3.1): only their ranges
and signs are those of maxk.

    /usr/bin/python3 tests/reference/best_optuna.py > tests/reference/best_optuna.csv      (half an hour)
"""
import argparse
import math
import warnings

import optuna

EVALUATIONS = 100
HARTMANN = {
    3: ([[3, 10, 30], [.1, 10, 35], [3, 10, 30], [.1, 10, 35]],
        [[.3689, .1170, .2673], [.4699, .4387, .7470], [.1091, .8732, .5547], [.0381, .5743, .8828]]),
    6: ([[10, 3, 17, 3.5, 1.7, 8], [.05, 10, 17, .1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, .05, 10, .1, 14]],
        [[.1312, .1696, .5569, .0124, .8283, .5886], [.2329, .4135, .8307, .3736, .1004, .9991],
         [.2348, .1451, .3522, .2883, .3047, .6650], [.4047, .8828, .8732, .5743, .1091, .0381]]),
}


def real(t, name, low, high, log=False):
    return t.suggest_float(name, low, high, log=log)


def mccormick(t):
    x, y = real(t, "x", -1.5, 4), real(t, "y", -3, 3)
    return -(math.sin(x + y) + (x - y) ** 2 - 1.5 * x + 2.5 * y + 1)


def branin(t):
    x, y = real(t, "x", -5, 10), real(t, "y", 0, 15)
    return -((y - 5.1 * x ** 2 / (4 * math.pi ** 2) + 5 * x / math.pi - 6) ** 2
             + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10)


def hosaki(t):
    x, y = real(t, "x", 0, 5), real(t, "y", 0, 6)
    return -(1 - 8 * x + 7 * x ** 2 - 7 / 3 * x ** 3 + x ** 4 / 4) * y ** 2 * math.exp(-y)


def hartmann(t, d):
    x = [real(t, f"x{i + 1}", 0, 1) for i in range(d)]
    return sum(h * math.exp(-sum(a * (u - p) ** 2 for a, u, p in zip(w, x, c)))
               for h, w, c in zip((1, 1.2, 3, 3.2), *HARTMANN[d]))


def mixed(t):
    """Rosenbrock's function of four numbers: real, on a log scale, whole, one of a list."""
    x = [real(t, "x1", -5, 10), real(t, "x2", .01, 100, True), t.suggest_int("x3", -5, 10),
         t.suggest_categorical("x4", [0, 1, 4, 9])]
    return -sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


FUNCTIONS = {"mccormick": mccormick, "branin": branin, "hosaki": hosaki, "hartmann3": lambda t: hartmann(t, 3),
             "hartmann6": lambda t: hartmann(t, 6), "mixed": mixed}
SAMPLERS = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}


def rewards(function, sampler, seed, evaluations=EVALUATIONS):
    study = optuna.create_study(direction="maximize", sampler=SAMPLERS[sampler](seed=seed))
    study.optimize(FUNCTIONS[function], n_trials=evaluations)
    return [trial.value for trial in study.trials]


def best(function, sampler, seed):
    return max(rewards(function, sampler, seed))


warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seeds", type=int, default=200)
    p.add_argument("--first", type=int, default=0, help="the first seed")
    p.add_argument("--only", action="append", default=[], help="this function or sampler; may be repeated")
    o = p.parse_args()
    for sampler in [s for s in SAMPLERS if s in o.only] or SAMPLERS:
        for function in [f for f in FUNCTIONS if f in o.only] or FUNCTIONS:
            values = (best(function, sampler, seed) for seed in range(o.first, o.first + o.seeds))
            print(function, sampler, *(f"{v:.8g}" for v in values), sep=",", flush=True)
