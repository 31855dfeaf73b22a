"""Certified bounds on the pulls of MaxUCB against simulation, on random instances (tests/reference/certified.py)."""
import hashlib
import json
import os
import sys

from charts import share_chart
from jobs import Job
from rows import row

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import certified

SOURCE = "analysis/theory/certificates/certificate.h"
SCRIPT = "tests/reference/certified.py"
REPLICATIONS, REFINEMENT = 20000, 0.1
LEVELS = (.1, .25, .5, .75, .9, .99, 1)


class Cases:
    """Instances that are finished are kept in FOLDER/<case>.json, for the same program, script and settings."""

    def __init__(self, bench, replications):
        self.maxk, self.replications = bench.maxk, replications
        self.folder = os.path.join(bench.cache, "certificates")
        os.makedirs(self.folder, exist_ok=True)
        digest = hashlib.sha256(f"{replications} {REFINEMENT}".encode())
        for path in (bench.maxk, SCRIPT):
            with open(path, "rb") as f:
                digest.update(f.read())
        self.key = digest.hexdigest()

    def get(self, case):
        path = os.path.join(self.folder, f"{case}.json")
        if os.path.exists(path):
            with open(path) as f:
                kept = json.load(f)
            if kept["key"] == self.key:
                return kept["arms"], kept["text"]
        arms, text = certified.check(self.maxk, self.folder, case, self.replications, REFINEMENT)
        with open(path + ".tmp", "w") as f:
            json.dump(dict(key=self.key, arms=arms, text=text), f)
        os.replace(path + ".tmp", path)
        return arms, text


def arm_row(relation, bound, mean, error, where, verdict, note=""):
    return row(claim="certify", source=SOURCE, experiment=SCRIPT, where=where, quantity="mean pulls", relation=relation,
               expected=bound, observed=mean, ci_low=mean - 1.96 * error, ci_high=mean + 1.96 * error,
               verdict=verdict, note=note)


def ratios(arms, over, under, scaled=False):
    """(over / under, place, arm) of the suboptimal arms, ascending; of policies that scale rewards, or of all others."""
    def value(a, what):
        return certified.observed(a)[0] if what == "observed" else a[what]

    return sorted(((value(a, over) / value(a, under), where, a) for where, a in arms
                   if not a["best"] and a["scaled"] == scaled), key=lambda r: r[0])


def count_row(instances, arms, beyond, relation, name, *spreads):
    means, n = sum(1 + (a["rare_mean"] is not None) for _, a in arms), sum(r == relation for r in beyond)
    return row(claim="certify", source=SOURCE, experiment=SCRIPT, relation="=", expected=0, observed=n,
               where=f"{instances} instances, {len(arms)} arms, {means} means, {means - len(arms)} of them weighted",
               quantity=f"means beyond the {name} bound by 4.5 standard errors", verdict="violated" if n else "holds",
               note="; ".join(f"{title} over {len(values)} suboptimal arms: mean "
                              f"{sum(r[0] for r in values) / len(values):.3f}" for title, values in spreads if values))


def spread_rows(relation, bound, spread):
    """The arms at quantiles of a ratio."""
    for level in LEVELS:
        ratio, where, a = certified.quantile(spread[1], level)
        at = f"{level:.0%} quantile" if level < 1 else "largest value"
        yield arm_row(relation, a[bound], *certified.observed(a), f"{where}, T = {a['horizon']}: the {at} of {spread[0]}",
                      "holds", f"{spread[0]} = {ratio:.3f}")


def validate(bench, instances):
    cases, arms, wrong, beyond = Cases(bench, bench.o.replications or REPLICATIONS), [], [], []
    for case in range(instances):
        found, text = cases.get(case)
        for i, a in enumerate(found):
            where = f"instance {case}, arm {i}"
            arms.append((where, dict(a, scaled="scale: " in text.split("policies:")[1])))
            for relation, mean, error in certified.outside(a, cases.replications):
                beyond.append(relation)
                wrong.append(arm_row(relation, a["upper" if relation == "<=" else "lower"], mean, error, f"{where}: {text}",
                                     "violated"))
    above = ("upper/observed", ratios(arms, "upper", "observed"))
    below = ("observed/lower", ratios(arms, "observed", "lower"))
    scaled = ("upper/observed, scaled rewards", ratios(arms, "upper", "observed", True))
    rows = [count_row(instances, arms, beyond, "<=", "upper", above, scaled),
            count_row(instances, arms, beyond, ">=", "lower", below), *wrong, *spread_rows("<=", "upper", above),
            *spread_rows(">=", "lower", below)]
    path = bench.figure("certificates.svg")
    curves = [(name, [r[0] for r in values]) for name, values in (above, below, scaled) if values]
    return rows, [path] if share_chart(path, "Certified bounds on pulls of suboptimal arms, and simulation", "ratio",
                                       curves) else []


def jobs(bench):
    n = bench.o.instances
    return [Job("certificates", "Certified bounds on MaxUCB's pulls", SOURCE,
                f"{n} random instances: all families, 2 to 20 arms, alpha from .05 to 5, T from 20 to 10^6, burn-in, scaled "
                "rewards, and instances around experiments/theorem_fails.yaml; every simulated mean, plain and with weighted "
                "rare events, against the certified band, and how far the band is from them.",
                lambda: validate(bench, n), [SCRIPT, "tests/validate/certificates.py"])]
