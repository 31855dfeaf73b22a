"""ps_prior on arms drawn from its own priors, where it should beat what does not know them; in a study; and the family
skew_normal, the rewards of these arms below their ceiling, against SciPy. Its pulls against an independent implementation:
tests/unit/policies/test_policy_traces_cash.c."""
import os
import sys

sys.path[:0] = ["tests/support", "experiments", "sim/python"]
from lib import check, close, enter, finish, folder, ordinary_build_only, python_environment, rows, run, write

ordinary_build_only("the Python module is loaded into a process of its own")
enter({**python_environment(), "PYTHONPATH": "sim/python"})
import numpy as np
from prior_arms import SCALES, arm, skew_normal
from scipy import integrate, stats

import maxk

PROBLEMS, ARMS, T = 60, 4, 60
CASES = [(-35.3, .613, .117), (-99, .04, .19), (-21, .999, .003), (12, .3, .4), (0, .5, .3)]


def expected_max(shape, location, scale, n):
    """E[max of n] of the distribution truncated to [0, 1]."""
    law = stats.skewnorm(shape, location, scale)
    low, high = law.cdf([0, 1])
    inside = [location + scale * z for z in (-6, -3, -1, -.2, -.03, 0, .03, .2, 1, 3) if 0 < location + scale * z < 1]
    ends = [0, *inside, 1]
    return 1 - sum(integrate.quad(lambda x: ((law.cdf(x) - low) / (high - low))**n, a, b, epsabs=1e-13)[0]
                   for a, b in zip(ends, ends[1:]))


def check_family():
    arms = [{"family": "skew_normal", "shape": a, "location": l, "scale": s, "truncate": [0, 1]} for a, l, s in CASES]
    with folder() as d:
        problem = f"problem: {{arms: {arms}}}\npolicies: [uniform]\nhorizons: [200]\n".replace("'", "")
        path = write(os.path.join(d, "e.yaml"), problem)
        table = rows(run("gap", path, "--horizons", "1,7,200", "--csv"))
    for row in table:
        want, got = expected_max(*CASES[int(row["arm"])], int(row["horizon"])), row["expected_max"]
        check(close(got, want, 1e-9), f"E[M({row['horizon']})] of arm {row['arm']}: {got}, {want}")
    rng = np.random.default_rng(4)  # Kolmogorov-Smirnov, each false alarm 1e-6
    for a, l, s in CASES[:3]:
        law = stats.skewnorm(a, l, s)
        low, high = law.cdf([0, 1])
        p = stats.kstest(skew_normal(rng, a, l, s, 4000), lambda x: (law.cdf(x) - low) / (high - low)).pvalue
        check(p > 1e-6, f"the generator of arms has this distribution: p = {p:.2g}")


def check_drawn(prior):
    """The mean largest reward over problems at T; seeds are fixed."""
    rng, best = np.random.default_rng(11), {}
    for _ in range(PROBLEMS):
        rewards = [arm(rng, *SCALES[prior]) for _ in range(ARMS)]
        for name, more in (("ps_prior", dict(prior=prior, rewards="raw", likelihood="all", target="remaining", curves=500)),
                           ("max_ucb", dict(alpha=.5, scale="minmax")), ("uniform", {})):
            policy, n = maxk.Policy(name, ARMS, horizon=T, seed=1, **more), [0] * ARMS
            for _ in range(T):
                k = policy.select()
                policy.update(k, rewards[k][n[k]])
                n[k] += 1
            best.setdefault(name, []).append(policy.best)
    gain = np.array(best["ps_prior"]) - best["uniform"]
    error = gain.std() / PROBLEMS**.5
    check(gain.mean() > 0 and np.mean(best["ps_prior"]) >= np.mean(best["max_ucb"]) - 1e-3,
          f"{prior}: {gain.mean():.4f} ± {error:.4f} above uniform; "
          f"MaxUCB {np.mean(best['max_ucb']) - np.mean(best['uniform']):.4f}")


def check_study():
    study = maxk.Study(arms={"a": {"x": maxk.Real(0, 1)}, "b": {"x": maxk.Real(2, 3)}}, direction="minimize", seed=5, n_trials=40,
                       policy={"name": "ps_prior", "curves": 300, "target": "remaining"})
    study.optimize(lambda trial: (trial.params["x"] - .4)**2, n_trials=40)
    check(study.best_arm == "a" and study.best_value < .01, f"a study: {study.best_arm}, {study.best_value}")


check_family()
for prior in SCALES:
    check_drawn(prior)
check_study()
finish()
