"""log l(x) - log g(x) of Optuna's Parzen estimators on 200 random histories: the table tests/unit/models/parzen_answers.h.

Python 3 with Debian's python3-optuna (3.1.0). For every history four numbers: axes one by one, and all at once
(multivariate); both as Optuna 3.1 computes them and with the correction of its pull request 5110 (from 3.5 on), which
divides continuous kernels by their bandwidth. Equal means are sorted in the order of time.

    /usr/bin/python3 tests/reference/parzen_optuna.py > tests/unit/models/parzen_answers.h
"""
import math
import warnings

import numpy as np
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe import parzen_estimator as module
from optuna.samplers._tpe.sampler import default_gamma, default_weights

warnings.simplefilter("ignore")
HISTORIES = 200


class Generator:
    """Knuth's MMIX generator, as in test_parzen.c."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) * 2.0**-53

    def below(self, n):
        return int(self.uniform() * n)


class Stable:
    """numpy with a stable argsort."""

    def __getattr__(self, name):
        return (lambda x: np.argsort(x, kind="stable")) if name == "argsort" else getattr(np, name)


def corrected(x, a, b, loc=0, scale=1):
    return original(x, a, b, loc, scale) - np.log(scale)


module.np = Stable()
original = module.truncnorm.logpdf


def distribution(kind, levels):
    if kind == 0:
        return FloatDistribution(0, 1)
    if kind == 1:
        return IntDistribution(0, levels - 1)
    if kind == 2:
        return CategoricalDistribution(tuple(range(levels)))
    return IntDistribution(1, levels, log=True)


def value(kind, levels, u):
    return u if kind == 0 else int(u * levels) + (kind == 3)


def log_ratio(space, case, multivariate):
    parameters = module._ParzenEstimatorParameters(True, 1.0, True, False, default_weights, multivariate)
    pair = []
    for part in case.parts():
        observations = {name: np.array([case.history[i][name] for i in part], dtype=float) for name in space}
        estimator = module._ParzenEstimator(observations, space, parameters)
        pair.append(estimator.log_pdf({name: np.array([case.x[name]]) for name in space})[0])
    return pair[0] - pair[1]


class History:
    """The history that a seed stands for: {name: value} and a loss for every trial, and the point x."""

    def __init__(self, seed):
        g = Generator(seed)
        n, self.d = 10 + g.below(90), 1 + g.below(4)
        self.kinds = [(g.below(4), 2 + g.below(11)) for _ in range(self.d)]
        self.history = [{str(j): value(*kind, g.uniform()) for j, kind in enumerate(self.kinds)} for _ in range(n)]
        self.losses = [g.uniform() for _ in range(n)]
        self.x = {str(j): value(*kind, g.uniform()) for j, kind in enumerate(self.kinds)}

    def parts(self):
        """Numbers of the good trials and of the others, in the order of time."""
        n = len(self.history)
        below = sorted(np.argsort(self.losses, kind="stable")[: default_gamma(n)])
        return below, sorted(set(range(n)) - set(below))

    def axis(self, j):
        """Words and cell of sim/search/models/parzen.h."""
        kind, levels = self.kinds[j]
        return levels if kind == 2 else 0, 1 / levels if kind == 1 else 0

    def place(self, j, v):
        """The place of a value in the unit interval; words by their number."""
        kind, levels = self.kinds[j]
        if kind == 1:
            return (v + .5) / levels
        return math.log(v / .5) / math.log((levels + .5) / .5) if kind == 3 else v

    def answers(self):
        space = {str(j): distribution(*kind) for j, kind in enumerate(self.kinds)}
        found = []
        for module.truncnorm.logpdf in (original, corrected):
            found.append(sum(log_ratio({name: space[name]}, self, False) for name in space))
            found.append(log_ratio(space, self, True))
        return found


if __name__ == "__main__":
    print("/* Written by tests/reference/parzen_optuna.py: axes one by one, all at once, the two with kernels divided by "
          "sigma. */")
    print("static const double answers[][4] = {")
    for history in range(HISTORIES):
        print("    {%s}," % ", ".join("%.17g" % a for a in History(history + 1).answers()))
    print("};")
