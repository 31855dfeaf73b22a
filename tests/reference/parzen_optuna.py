"""log l(x) - log g(x) of Optuna's Parzen estimators on 200 random histories: the table tests/unit/model/parzen_answers.h.

Python 3 with Debian's python3-optuna (3.1.0). For every history four numbers: axes one by one, and all at once
(multivariate); both as Optuna 3.1 computes them and with the correction of its pull request 5110 (from 3.5 on), which
divides continuous kernels by their bandwidth. Equal means are sorted in the order of time.

    /usr/bin/python3 tests/reference/parzen_optuna.py > tests/unit/model/parzen_answers.h
"""
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


def log_ratio(space, history, below, x, multivariate):
    parameters = module._ParzenEstimatorParameters(True, 1.0, True, False, default_weights, multivariate)
    pair = []
    for part in (below, sorted(set(range(len(history))) - set(below))):
        observations = {name: np.array([history[i][name] for i in part], dtype=float) for name in space}
        estimator = module._ParzenEstimator(observations, space, parameters)
        pair.append(estimator.log_pdf({name: np.array([x[name]]) for name in space})[0])
    return pair[0] - pair[1]


def answers(seed):
    g = Generator(seed)
    n, d = 10 + g.below(90), 1 + g.below(4)
    kinds = [(g.below(4), 2 + g.below(11)) for _ in range(d)]
    space = {str(j): distribution(*kind) for j, kind in enumerate(kinds)}
    history = [{str(j): value(*kind, g.uniform()) for j, kind in enumerate(kinds)} for _ in range(n)]
    losses = [g.uniform() for _ in range(n)]
    x = {str(j): value(*kind, g.uniform()) for j, kind in enumerate(kinds)}
    below = sorted(np.argsort(losses, kind="stable")[: default_gamma(n)])
    found = []
    for module.truncnorm.logpdf in (original, corrected):
        found.append(sum(log_ratio({name: space[name]}, history, below, x, False) for name in space))
        found.append(log_ratio(space, history, below, x, True))
    return found


print("/* Written by tests/reference/parzen_optuna.py: axes one by one, all at once, the two with kernels divided by sigma. */")
print("static const double answers[][4] = {")
for history in range(HISTORIES):
    print("    {%s}," % ", ".join("%.17g" % a for a in answers(history + 1)))
print("};")
