"""Powers of Box-Cox and Yeo-Johnson transforms as scipy fits them: the table tests/unit/models/power_answers.h.

Python 3 with Debian's python3-scipy (1.10.1). Samples of 30 from the generator that test_power_transform.c has too: uniform,
exponential, logarithms of these (some negative), and fourth powers of uniform ones, then samples far from 0, in other units
and with an outlier, whose powers mpmath gives; the power, and the first value transformed.

    /usr/bin/python3 tests/reference/power_scipy.py > tests/unit/models/power_answers.h
"""
import numpy as np
from mpmath import mp
from scipy import optimize, stats

N = 30
mp.dps = 80


class Generator:
    """Knuth's MMIX generator, as in test_power_transform.c."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return ((self.state >> 11) + 0.5) * 2.0**-53


SHAPES = (lambda u: u, lambda u: -np.log(u), lambda u: np.log(-np.log(u)), lambda u: u**4)
# Far from 0, in other units, and with an outlier. scipy loses the first and the last but one to rounding.
OTHERS = (lambda u: -21 - np.log(u), lambda u: 1e4 * u**4, lambda u: .2 * np.log(u), lambda u: 50 + np.log(-np.log(u)),
          lambda u: np.log(-np.log(u)))
OUTLIER = -1000  # the first value of the last of them


def likeliest(x, box_cox):
    """The power by the likelihood as it is written, in 80 digits."""
    x = [mp.mpf(float(v)) for v in x]
    logs = mp.fsum(mp.log(v) if box_cox else mp.sign(v) * mp.log(1 + abs(v)) for v in x)

    def transformed(v, l):
        if box_cox:
            return (v**l - 1) / l
        return ((1 + v)**l - 1) / l if v >= 0 else -((1 - v)**(2 - l) - 1) / (2 - l)

    def minus(l):
        l = mp.mpf(l) + mp.mpf(10)**-40  # 0 and 2 are limits
        z = [transformed(v, l) for v in x]
        mean = mp.fsum(z) / N
        return N * mp.log(mp.fsum((v - mean)**2 for v in z) / N) / 2 - (l - 1) * logs

    start = min(np.arange(-20, 20.5, .5), key=minus)
    # Where the slope is 0: a minimum of doubles is known to half their digits.
    h = mp.mpf(10)**-12
    return optimize.brentq(lambda l: float(minus(mp.mpf(l) + h) - minus(mp.mpf(l) - h)), start - 1, start + 1, xtol=1e-12)


print("/* Written by tests/reference/power_scipy.py. */")
print("static const struct {\n    int shape, box_cox;\n    double power, first;\n} powers[] = {")
for shape, transform in enumerate(SHAPES + OTHERS):
    for box_cox in (0, 1):
        rng = Generator(shape + 1)
        x = np.array([transform(rng.uniform()) for _ in range(N)])
        if shape == len(SHAPES + OTHERS) - 1:
            x[0] = OUTLIER
        if box_cox and x.min() <= 0:
            continue
        power = likeliest(x, box_cox)
        if shape < len(SHAPES):
            f = stats.boxcox_llf if box_cox else stats.yeojohnson_llf
            power = optimize.brent(lambda l: -f(l, x), brack=(-2, 2), tol=1e-12)
            fitted = stats.boxcox(x)[1] if box_cox else stats.yeojohnson(x)[1]
            assert abs(power - fitted) < 1e-4 and abs(power - likeliest(x, box_cox)) < 1e-6
        first = (stats.boxcox if box_cox else stats.yeojohnson)(x, power)[0]
        print(f"    {{{shape}, {box_cox}, {power:.17g}, {first:.17g}}},")
print("};")
