"""The best of 40 evaluations by Gaussian-process searches written with scikit-learn: tests/reference/best_sklearn.csv.

Python 3 with Debian's python3-sklearn (1.2.1) and python3-scipy (1.10.1). EI with a Matérn 5/2 kernel, ten random
configurations at first; rewards as they are, or transformed as in HEBO (Cowen-Rivers et al. 2022, section 4.2): divided by
their standard deviation, by Yeo & Johnson's transform, or by Box & Cox's of the losses where all are positive, of the rewards
where these are, with the power that scipy fits. One line per function and transform: the best reward of each of --seeds
searches, with seeds 0, 1 … The functions are written from their sources, as in best_optuna.py.

    /usr/bin/python3 tests/reference/best_sklearn.py > tests/reference/best_sklearn.csv      (ten minutes)
"""
import argparse
import math
import warnings

import numpy as np
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

EVALUATIONS, INITIAL = 40, 10
TRANSFORMS = ("none", "yeo_johnson", "box_cox")
HARTMANN = {
    3: ([[3, 10, 30], [.1, 10, 35], [3, 10, 30], [.1, 10, 35]],
        [[.3689, .1170, .2673], [.4699, .4387, .7470], [.1091, .8732, .5547], [.0381, .5743, .8828]]),
    6: ([[10, 3, 17, 3.5, 1.7, 8], [.05, 10, 17, .1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, .05, 10, .1, 14]],
        [[.1312, .1696, .5569, .0124, .8283, .5886], [.2329, .4135, .8307, .3736, .1004, .9991],
         [.2348, .1451, .3522, .2883, .3047, .6650], [.4047, .8828, .8732, .5743, .1091, .0381]]),
}


def mccormick(x):
    return -(math.sin(x[0] + x[1]) + (x[0] - x[1]) ** 2 - 1.5 * x[0] + 2.5 * x[1] + 1)


def branin(x):
    return -((x[1] - 5.1 * x[0] ** 2 / (4 * math.pi ** 2) + 5 * x[0] / math.pi - 6) ** 2
             + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x[0]) + 10)


def hosaki(x):
    return -(1 - 8 * x[0] + 7 * x[0] ** 2 - 7 / 3 * x[0] ** 3 + x[0] ** 4 / 4) * x[1] ** 2 * math.exp(-x[1])


def hartmann(x):
    return sum(h * math.exp(-sum(a * (u - p) ** 2 for a, u, p in zip(w, x, c)))
               for h, w, c in zip((1, 1.2, 3, 3.2), *HARTMANN[len(x)]))


def rosenbrock(x):
    return -sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def ackley(x):
    """Its best point, away from the middle, is that of maxk."""
    best = 32.768 * .8 * (2 * ((math.sqrt(5) - 1) / 2 * np.arange(1, len(x) + 1) % 1) - 1)
    z = x - best
    return 20 * math.exp(-math.sqrt((z * z).mean()) / 5) + math.exp(np.cos(2 * math.pi * z).mean()) - 20 - math.e


FUNCTIONS = {  # maxk's name: function and ranges
    "mccormick": (mccormick, [(-1.5, 4), (-3, 3)]),
    "branin": (branin, [(-5, 10), (0, 15)]),
    "hosaki": (hosaki, [(0, 5), (0, 6)]),
    "hartmann3": (hartmann, [(0, 1)] * 3),
    "hartmann6": (hartmann, [(0, 1)] * 6),
    **{f"ackley,dimensions={d}": (ackley, [(-32.768, 32.768)] * d) for d in (2, 3, 5)},
    **{f"rosenbrock,dimensions={d}": (rosenbrock, [(-5, 10)] * d) for d in (2, 4)},
}


def transformed(y, transform):
    """Standardised."""
    if transform != "none":
        y = y / y.std()
        sign = -1 if y.max() < 0 else 1
        z = None
        if transform == "box_cox" and (sign * y).min() > 0:
            z = sign * stats.boxcox(sign * y)[0]
        if z is None or not z.std() > 0:
            z = stats.yeojohnson(y)[0]
        y = z if z.std() > 1e-6 else y  # lost to rounding
    return (y - y.mean()) / y.std()


def best(function, transform, seed):
    reward, ranges = FUNCTIONS[function]
    low, high = np.array(ranges, float).T
    rng, d = np.random.default_rng(seed), len(ranges)
    x = rng.random((INITIAL, d))
    y = np.array([reward(low + u * (high - low)) for u in x])
    while len(y) < EVALUATIONS:
        z = transformed(y, transform)
        kernel = ConstantKernel(1) * Matern(np.ones(d), (.05, 20), nu=2.5) + WhiteKernel(1e-3, (1e-6, 1))
        model = GaussianProcessRegressor(kernel, random_state=0).fit(x, z)
        near = np.clip(x[y.argsort()[-3:]].repeat(200, 0) + rng.normal(0, .05, (600, d)), 0, 1)
        candidates = np.concatenate([rng.random((2000, d)), near])
        mean, sd = model.predict(candidates, return_std=True)
        sd = np.maximum(sd, 1e-9)
        u = (mean - z.max()) / sd
        x = np.vstack([x, candidates[(sd * (u * stats.norm.cdf(u) + stats.norm.pdf(u))).argmax()]])
        y = np.append(y, reward(low + x[-1] * (high - low)))
    return y.max()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seeds", type=int, default=20)
    seeds = range(p.parse_args().seeds)
    warnings.filterwarnings("ignore")
    for function in FUNCTIONS:
        for transform in TRANSFORMS:
            values = ",".join(f"{best(function, transform, s):.8g}" for s in seeds)
            print(f'"{function}",{transform},{values}', flush=True)


if __name__ == "__main__":
    main()
