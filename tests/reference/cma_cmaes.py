"""Generations of CMA-ES as cmaes computes them, and evaluations that it needs: the table tests/unit/models/cma_answers.h.

Python 3 with Debian's python3-cmaes (0.9.1). The points of a generation are those of a generator that test_cma.c has too,
around the mean; their order is that of an ellipsoid. After every generation: sigma, then the mean, then the diagonal of C.
Evaluations: the mean number until a value of 1e-10 or less is found, from 0.5 in every coordinate, sigma 0.3, over 400 searches
(no bounds), and its standard error.

    /usr/bin/python3 tests/reference/cma_cmaes.py > tests/unit/models/cma_answers.h
"""
import numpy as np
from cmaes import CMA

DIMENSIONS, GENERATIONS, SEARCHES = 4, 25, 400


class Generator:
    """Knuth's MMIX generator, as in test_cma.c."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) * 2.0**-53


def sphere(x):
    return float(np.sum((x - 1) ** 2))


def ellipsoid(x):
    return float(np.sum(10 ** (6 * np.arange(len(x)) / (len(x) - 1)) * (x - 1) ** 2))


def rosenbrock(x):
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def generations():
    rng = Generator(1)
    cma = CMA(mean=np.full(DIMENSIONS, 0.5), sigma=0.3)
    for _ in range(GENERATIONS):
        solutions = []
        for _ in range(cma.population_size):
            x = cma._mean + cma._sigma * np.array([3 * (rng.uniform() - 0.5) for _ in range(DIMENSIONS)])
            solutions.append((x, ellipsoid(x)))
        cma.tell(solutions)
        yield [cma._sigma, *cma._mean, *np.diag(cma._C)]


def evaluations(function, dimensions, seed):
    cma = CMA(mean=np.full(dimensions, 0.5), sigma=0.3, seed=seed)
    n = 0
    while n < 100000:
        solutions = []
        for _ in range(cma.population_size):
            x = cma.ask()
            solutions.append((x, function(x)))
            n += 1
            if solutions[-1][1] <= 1e-10:
                return n
        cma.tell(solutions)
    return n


print("/* Written by tests/reference/cma_cmaes.py. */")
print(f"enum {{ DIMENSIONS = {DIMENSIONS}, GENERATIONS = {GENERATIONS} }};")
print("static const double generations[GENERATIONS][1 + 2 * DIMENSIONS] = {")
for row in generations():
    print("    {" + ", ".join(f"{x:.17g}" for x in row) + "},")
print("};")
print("static const struct {\n    const char *name;\n    int dimensions;\n    double mean, error;\n} evaluations[] = {")
for f, d in ((sphere, 10), (ellipsoid, 5), (rosenbrock, 4)):
    n = [evaluations(f, d, seed) for seed in range(1, SEARCHES + 1)]
    n = [k for k in n if k < 100000]
    print(f'    {{"{f.__name__}", {d}, {np.mean(n):.6g}, {np.std(n) / len(n) ** 0.5:.4g}}}, /* {len(n)} of {SEARCHES} */')
print("};")
