"""Certified bounds on the pulls of MaxUCB against simulation, on random instances (tests/reference/certified.py)."""
import os
import random
import sys

from charts import ratio_chart
from jobs import Job
from rows import row

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import certified

SOURCE = "analysis/theory/certificate.h"
SCRIPT = "tests/reference/certified.py"
REPLICATIONS, REFINEMENT = 4000, 0.2


def arm_row(side, bound, arm, where, verdict):
    return row(claim="certify", source=SOURCE, experiment=SCRIPT, where=where, quantity="mean pulls", relation=side,
               expected=bound, observed=arm.mean, ci_low=arm.mean - certified.SIDES * arm.error,
               ci_high=arm.mean + certified.SIDES * arm.error, verdict=verdict,
               note=f"upper/observed = {arm.upper / arm.mean:.3f}")


def count_row(instances, side, beyond):
    return row(claim="certify", source=SOURCE, experiment=SCRIPT, where=f"{instances} instances", relation="=", expected=0,
               observed=beyond, quantity="arms beyond the bound by 4.5 standard errors", note=f"mean {side} bound",
               verdict="violated" if beyond else "holds")


def validate(bench, instances):
    rng, ratios, rows, beyond = random.Random(20253), [], [], {"<=": 0, ">=": 0}
    replications = bench.o.replications or REPLICATIONS
    for case in range(instances):
        arms, text = certified.check(bench.maxk, bench.cache, certified.draw(rng, case), case, replications, REFINEMENT)
        for i, a in enumerate(arms):
            where = f"instance {case}, arm {i}"
            if not a.best:
                ratios.append((a.upper / a.mean, where, a))
            for side, bound, wrong in (("<=", a.upper, a.too_high()), (">=", a.lower, a.too_low(replications))):
                beyond[side] += wrong
                if wrong:
                    rows.append(arm_row(side, bound, a, f"{where}: {text}", "violated"))
    rows += [count_row(instances, side, n) for side, n in beyond.items()]
    ratios.sort(key=lambda r: r[0])
    for level, (_, where, a) in certified.quantiles(ratios):
        rows.append(arm_row("<=", a.upper, a, f"{where}, T = {a.horizon}: the {level:g}-quantile of upper/observed over "
                            f"{len(ratios)} suboptimal arms", "holds"))
    path = bench.figure("certificates.svg")
    return rows, [path] if ratio_chart(path, "certify: observed / upper at quantiles", rows) else []


def jobs(bench):
    n = bench.o.instances
    return [Job("certificates", "Certified bounds on MaxUCB's pulls", SOURCE,
                f"{n} random instances: ten families, 2 to 20 arms, alpha from .05 to 5, T from 20 to 10^6, burn-in, scaled "
                "rewards, and instances around experiments/theorem_fails.yaml; every simulated mean against the certified band.",
                lambda: validate(bench, n), [SCRIPT, "tests/validate/certificates.py"])]
