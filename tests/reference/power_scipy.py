"""Powers of Box-Cox and Yeo-Johnson transforms as scipy fits them: the table tests/unit/models/power_answers.h.

Python 3 with Debian's python3-scipy (1.10.1). Samples of 30 from the generator that test_power_transform.c has too: uniform,
exponential, logarithms of these (some negative), and fourth powers of uniform ones; then the power, and the first value
transformed.

    /usr/bin/python3 tests/reference/power_scipy.py > tests/unit/models/power_answers.h
"""
import numpy as np
from scipy import optimize, stats

N = 30


class Generator:
    """Knuth's MMIX generator, as in test_power_transform.c."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return ((self.state >> 11) + 0.5) * 2.0**-53


SHAPES = (lambda u: u, lambda u: -np.log(u), lambda u: np.log(-np.log(u)), lambda u: u**4)
print("/* Written by tests/reference/power_scipy.py. */")
print("static const struct {\n    int shape, box_cox;\n    double power, first;\n} powers[] = {")
for shape, transform in enumerate(SHAPES):
    for box_cox in (0, 1):
        rng = Generator(shape + 1)
        x = np.array([transform(rng.uniform()) for _ in range(N)])
        if box_cox and x.min() <= 0:
            continue
        f = stats.boxcox_llf if box_cox else stats.yeojohnson_llf
        power = optimize.brent(lambda l: -f(l, x), brack=(-2, 2), tol=1e-12)
        fitted = stats.boxcox(x)[1] if box_cox else stats.yeojohnson(x)[1]
        assert abs(power - fitted) < 1e-4
        first = (stats.boxcox if box_cox else stats.yeojohnson)(x, power)[0]
        print(f"    {{{shape}, {box_cox}, {power:.17g}, {first:.17g}}},")
print("};")
