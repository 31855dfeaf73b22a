"""The jobs: what is compared with what. A job returns its rows and figures."""
import csv
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time

from charts import dot_chart, ratio_chart
from rows import COLUMNS, VERDICTS, real, row

PROGRAM = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.py")))
REFERENCE_E4, REFERENCE_PULLS = "experiments/data/reference_e4.csv", "tests/reference/reference_pulls_pmlb.csv.gz"


class Job:
    def __init__(self, name, title, source, text, work, inputs=(), reproduces=False, again=""):
        self.name, self.title, self.source, self.text, self.work = name, title, source, text, work
        self.again = again or f"make validate VALIDATE='--only {name}'"  # the command that runs only this job
        self.inputs, self.reproduces = list(inputs), reproduces


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


class Bench:
    """Paths and the jobs."""

    def __init__(self, options):
        self.o = options
        self.maxk = options.maxk
        self.cache = os.path.join(options.out, "validation")
        self.figures = os.path.join(self.cache, "figures")
        self.experiments = os.path.join(self.cache, "experiments")
        os.makedirs(self.figures, exist_ok=True)

    def figure(self, name):
        return os.path.join(self.figures, name)

    # A published statement or table: `maxk claims NAME`.
    def claim(self, listed):
        name = listed["claim"]

        def work():
            extra = ["--replications", str(self.o.replications)] if self.o.replications else []
            text = run([self.maxk, "claims", name, "--csv", "--experiments", self.experiments, *extra])
            rows = []
            for r in csv.DictReader(text.splitlines()):
                r["experiment"] = r["experiment"] or f"maxk claims {name}"
                rows.append(row(**{k: v for k, v in r.items() if k in COLUMNS}))
            path = self.figure(f"{name}.svg")
            figures = [path] if ratio_chart(path, f"{name}: {listed['source']}", rows) else []
            for r in rows:
                r["figure"] = figures[0] if figures else ""
            return rows, figures

        return Job(name, listed["claim"], listed["source"], f"{listed['statement']}. Checked: {listed['method']}.", work,
                   again=f"build/maxk claims {name} --experiments DIR")

    # Theorem 4.2 on the results of an experiment, counted by form of the bound and regime.
    def bounds(self, experiment, title, source, text, show):
        path = f"experiments/{experiment}.yaml"

        def work():
            h5 = os.path.join(self.cache, f"{experiment}.h5")
            sets = ["-s", f"replications={self.o.replications}"] if self.o.replications else []
            run([self.maxk, "run", path, "-o", h5, "-q", *sets])
            cells = {}
            for c in csv.DictReader(run([self.maxk, "bounds", h5, "--csv"]).splitlines()):
                cells.setdefault((c["variant"], c["regime"] or "none"), []).append(c)
            figures = self.draw(h5, experiment, show)
            rows = [self.bound_row(experiment, source, *key, group, figures) for key, group in cells.items()]
            return rows, figures

        return Job(experiment, title, source, text, work, [path],
                   again=f"build/maxk run {path} && build/maxk bounds results/{experiment}.h5")

    @staticmethod
    def bound_row(experiment, source, variant, regime, group, figures):
        counts = {v: sum(c["verdict"] == v for c in group) for v in VERDICTS}

        def excess(c):
            bound = real(c["bound"])
            return real(c["mean_pulls"]) / bound if bound > 0 else math.inf

        known = [c for c in group if c["bound"] != ""]
        worst = (min if regime == "at_least" else max)(known, key=excess) if known else None
        verdict = next((v for v in ("violated", "inconclusive", "holds", "vacuous") if counts[v]), "not-applicable")
        place = ", ".join(f"{n} {v}" for v, n in counts.items() if n)
        if worst:
            place += f"; worst: alpha = {worst['alpha']}, T = {worst['horizon']}, arm {worst['arm']}"
        own = regime in ("at_most", "at_least")
        alone = own or variant in ("crossing", "explicit")
        return row(claim=variant if alone else f"Theorem 4.2, {variant}, {regime}", source=source,
                   experiment=f"experiments/{experiment}.yaml", where=place,
                   quantity=("observed where it is furthest beyond the bound" if own else
                             "N_i(T) where observed/bound is largest"),
                   relation=">=" if regime == "at_least" else "<=",
                   expected=worst["bound"] if worst else "", observed=worst["mean_pulls"] if worst else "",
                   ci_low=worst["ci_low"] if worst else "", ci_high=worst["ci_high"] if worst else "", verdict=verdict,
                   figure=figures[0] if figures else "",
                   note="the printed first term is negative for p > 1" if (variant, regime) == ("printed", "p>1") else "")

    # Figures of a result file whose names match `show`.
    def draw(self, h5, experiment, show):
        try:
            text = run([self.maxk, "figures", h5, "--out", self.figures, "--format", "svg", "--published", REFERENCE_E4])
        except RuntimeError as e:
            print(f"  {e}")
            return []
        drawn = re.findall(r"(\S+\.svg)", text) or [os.path.join(self.figures, f) for f in sorted(os.listdir(self.figures))
                                                   if f.startswith(experiment) and f.endswith(".svg")]
        return [f for f in drawn if re.search(show, os.path.basename(f))]

    # Appendix E.4, cell by cell, by the test that compares them.
    def e4_cells(self):
        def work():
            table = os.path.join(self.cache, "e4_cells.csv")
            environment = dict(os.environ, MAXK=self.maxk, MAXK_E4_TABLE=table,
                               MAXK_E4_REPLICATIONS=str(self.o.e4_replications))
            done = subprocess.run([sys.executable, "tests/command/test_e4_reference.py"], env=environment, capture_output=True,
                                  text=True)
            if not os.path.exists(table):
                raise RuntimeError(done.stderr.strip()[-400:])
            path, rows, items = self.figure("e4_cells.svg"), [], []
            with open(table) as f:
                for c in csv.DictReader(f):
                    verdict = "holds" if abs(float(c["z"])) < 4 else "violated"
                    where = f"{c['experiment']}, {c['policy']}, T = {c['horizon']}, arm {c['arm']}"
                    se = math.hypot(float(c["se"]), float(c["se_ours"]))
                    rows.append(row(claim="E.4 cell", source="Balef et al. 2025, Figures E.8 and E.11",
                                    experiment=f"experiments/{c['experiment']}.yaml", where=where,
                                    quantity="mean pulls (z = difference / both standard errors)", relation="=",
                                    expected=c["reference"], observed=c["ours"], ci_low=float(c["ours"]) - 4 * se,
                                    ci_high=float(c["ours"]) + 4 * se, verdict=verdict, figure=path, note=f"z = {c['z']}"))
                    items.append((where, float(c["z"]), math.nan, math.nan, verdict))
            items.sort(key=lambda i: -abs(i[1]))
            figures = [path] if dot_chart(path, "The 60 cells of E.4 that differ most, in standard errors", "z",
                                          items[:60], 0, False) else []
            return rows, figures

        return Job("e4_cells", "Appendix E.4, every cell of reference_e4.csv", "Balef et al. 2025, Figures E.8 and E.11",
                   f"Mean pulls of every arm for ten policies at T = 50, 200, 1000 in {self.o.e4_replications} replications "
                   "of ours against the published 1000; a cell holds when |z| < 4 (false alarm 6e-5 each).",
                   work, [REFERENCE_E4, "experiments/e4_pareto.yaml", "experiments/e4_power.yaml",
                          "tests/command/test_e4_reference.py"], reproduces=True)

    # Pull for pull against the published programs.
    def sequences(self):
        def work():
            done = subprocess.run(["/usr/bin/python3", "tests/command/test_pmlb_reference.py"], capture_output=True, text=True,
                                  env=dict(os.environ, MAXK=self.maxk))
            rows = []
            for line in done.stdout.splitlines():
                found = re.match(r"(ok|not ok) (.*?): (.*) equal in (\d+) of (\d+) instances", line)
                if found:
                    rows.append(row(claim="pull sequences", source="Balef et al. 2025, programs and runs",
                                    experiment="experiments/reference_pulls.yaml", where=found[2], quantity=found[3] +
                                    " equal, instances", relation="=", expected=found[5], observed=found[4],
                                    verdict="holds" if found[1] == "ok" else "violated"))
                elif (found := re.match(r"(ok|not ok) (trace of .*)", line)):
                    rows.append(row(claim="pull sequences", source="Balef et al. 2025, programs and runs",
                                    experiment="maxk trace experiments/reference_pulls.yaml", where=found[2],
                                    quantity="sequence equal", relation="=", expected=1, observed=int(found[1] == "ok"),
                                    verdict="holds" if found[1] == "ok" else "violated"))
            if not rows:
                raise RuntimeError((done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]])[-1])
            return rows, []

        return Job("pull_sequences", "The published programs, pull for pull", "Balef et al. 2025",
                   "Arms pulled on 96 recorded data sets by fifteen settings, against the published programs' own.", work,
                   [REFERENCE_PULLS, "experiments/reference_pulls.yaml", "experiments/pmlb.yaml",
                    "tests/command/test_pmlb_reference.py"], reproduces=True)

    # Figures of an experiment whose numbers other jobs compare; no rows of their own.
    def figures_only(self, experiment, source, show, command="figures"):
        path = f"experiments/{experiment}.yaml"

        def work():
            h5 = os.path.join(self.cache, f"{experiment}.h5")
            sets = ["-s", f"replications={self.o.replications}"] if self.o.replications else []
            run([self.maxk, "run", path, "-o", h5, "-q", *sets])
            return [], self.draw(h5, experiment, show)

        return Job(experiment, f"Figures of {experiment}", source, "The experiment file run with its own settings.", work,
                   [path], again=f"build/maxk run {path} && build/maxk {command} results/{experiment}.h5")

    def jobs(self):
        listed = csv.DictReader(run([self.maxk, "claims", "--list", "--csv"]).splitlines())
        return [
            *[self.claim(c) for c in listed],
            self.bounds("alpha_sweep", "Theorem 4.2 over alpha, power arms", "Balef et al. 2025, Theorem 4.2",
                        "Every suboptimal arm, horizon and alpha = 0 … 2.9, counted by form of the bound and regime of p; "
                        "`maxk bounds results/validation/alpha_sweep.h5` prints every row.",
                        r"bounds|bound_alpha|sweep_best_share"),
            self.bounds("printed_fails", "Theorem 4.2 as printed, just above p = 1", "Balef et al. 2025, Theorem 4.2",
                        "Two uniform arms and alpha in steps of .0005 through p = 1: just above it the printed first term "
                        "T^(1-p)/(1-p) is a large negative number, and the bound falls below the observed value; the sum that it "
                        "approximates does not.", r"bound_alpha"),
            self.bounds("theorem_fails", "Theorem 4.2 at parameters where maxk search found it to fail",
                        "Balef et al. 2025, Theorem 4.2",
                        "A uniform best arm next to a power arm that ends at .956: for p < 1 the observed mean exceeds every "
                        "form of the bound, by a factor that grows with T. Lock-outs of the best arm are more likely than the "
                        "proof accounts for, since it fixes numbers of pulls that are random.",
                        r"bounds_alpha_0\.28|bound_alpha"),
            self.bounds("bound_map", "How loose Theorem 4.2 is, over alpha and the gap", "Balef et al. 2025, Theorem 4.2",
                        "Eleven uniform arms with gaps from .001 to .9 next to one on [0, 1], alpha from .05 to 18, "
                        "T = 10^5.", r"bound_map_T"),
            self.bounds("own_claims", "Claims of an experiment file", "experiments/own_claims.yaml",
                        "The typical number of pulls as a formula of the file (key `claims`) against the mean, which rare "
                        "lock-outs of the best arm dominate, and the rate of Corollary 4.3 divided by 100.",
                        r"bounds.*arm[03]|regret\.svg"),
            self.e4_cells(),
            self.sequences(),
            *[self.figures_only(e, "growth of MaxUCB's pulls (claims growth_typical and growth_mean)",
                                r"growth|lock_out", "rate")
              for e in ("asymptotics", "asymptotics_uniform", "asymptotics_gaussian")],
            *[self.figures_only(e, f"Balef et al. 2025, Figure {f}", r"survival\.|best_share|proxy_regret")
              for e, f in (("e4_pareto", "E.8"), ("e4_exponential", "E.9"), ("e4_gaussian", "E.10"), ("e4_power", "E.11"))],
        ]

    def fingerprint(self, job):
        digest = hashlib.sha256(json.dumps([self.o.replications, self.o.e4_replications, self.o.instances]).encode())
        for path in [self.maxk, *PROGRAM, *job.inputs]:
            with open(path, "rb") if os.path.exists(path) else open(os.devnull, "rb") as f:
                digest.update(f.read())
        return digest.hexdigest()

    def do(self, job):
        """The results of the job: from the cache, or by running it."""
        path, key = os.path.join(self.cache, job.name + ".json"), self.fingerprint(job)
        if os.path.exists(path):
            with open(path) as f:
                kept = json.load(f)
            if kept["key"] == key and all(os.path.exists(p) for p in kept["figures"]):
                return dict(kept, cached=True)
        start, found = time.time(), dict(key=key, rows=[], figures=[], broken="")
        try:
            found["rows"], found["figures"] = job.work()
        except (RuntimeError, OSError, ValueError, KeyError) as e:
            found["broken"] = str(e)
        found["seconds"] = round(time.time() - start, 1)
        if not found["broken"]:
            with open(path + ".tmp", "w") as f:
                json.dump(found, f)
            os.replace(path + ".tmp", path)
        return dict(found, cached=False)
