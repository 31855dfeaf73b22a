"""make validate: every claim and every published number against simulation, one row each.

Writes validation.md, validation.csv and validation.html (one self-contained page) into --out (default results/). The
work is divided into jobs; the results of a finished job are kept in OUT/validation/<job>.json together with a
fingerprint of its inputs (the program, this script, its experiment files), so that an interrupted run resumes where it
stopped and a changed program starts from the beginning. Exit status 1 when a reproduction of published runs (the jobs
marked `reproduces`) or a job itself fails; a violated claim is a finding, not a failure.

Needs only Python 3 and its standard library, and gnuplot for the figures; the audits NumPy, SciPy and mpmath."""
import argparse
import base64
import csv
import hashlib
import html
import json
import math
import os
import re
import subprocess
import sys
import time

COLUMNS = ["claim", "source", "experiment", "where", "quantity", "relation", "expected", "observed", "ci_low", "ci_high",
           "verdict", "figure", "note"]
VERDICTS = ["holds", "violated", "vacuous", "inconclusive", "not-applicable"]
REFERENCE_E4, REFERENCE_PULLS = "experiments/data/reference_e4.csv", "tests/reference/reference_pulls_pmlb.csv.gz"


class Skip(Exception):
    """The job cannot be run here; the reason is reported."""


class Job:
    def __init__(self, name, title, source, text, work, inputs=(), reproduces=False, again=""):
        self.name, self.title, self.source, self.text, self.work = name, title, source, text, work
        self.again = again or f"make validate VALIDATE='--only {name}'"  # the command that runs only this job
        self.inputs, self.reproduces = list(inputs), reproduces


def real(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def number(x, digits=4):
    x = real(x)
    if math.isnan(x):
        return ""
    return f"{x:.{digits}g}"


def row(**items):
    out = dict.fromkeys(COLUMNS, "")
    out.update(items)
    return out


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


# ---- figures of rows ----

COLOURS = {"holds": "#1b7837", "violated": "#c51b2b", "vacuous": "#8c8c8c", "inconclusive": "#b8860b",
           "not-applicable": "#bbbbbb"}


def dot_chart(path, title, label, items, reference, log):
    """items: (text, value, low, high, verdict); a dot with its interval per item, a line at `reference`."""
    def place(x):
        return math.log10(x) if log else x

    def usable(x):
        return math.isfinite(x) and (not log or x > 0)

    items = [i for i in items if usable(i[1])]
    if not items:
        return False
    ends = [place(reference)] + [place(x) for i in items for x in (i[1], i[2], i[3]) if usable(x)]
    if log:  # an interval that reaches to almost nothing must not squeeze everything else
        ends = [max(e, min(place(i[1]) for i in items) - 2) for e in ends]
    low, high = min(ends), max(ends)
    spread = (high - low) or 1
    low, high = low - 0.04 * spread, high + 0.04 * spread
    left, width, top, step = 470, 520, 46, 16
    height = top + step * len(items) + 44
    bottom = top + step * len(items) + 4

    def x_of(v):
        return left + width * (v - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 24}" height="{height}" '
           f'viewBox="0 0 {left + width + 24} {height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="8" y="18" font-size="13" font-weight="bold">{html.escape(title)}</text>']
    for tick in ticks(low, high, log):
        x = x_of(tick)
        name = f"{10 ** tick:.3g}" if log else f"{tick:.3g}"
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}" stroke="#e4e4e4"/>'
                   f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{name}</text>')
    x = x_of(place(reference))
    out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{bottom}" stroke="black"/>')
    for n, (text, value, lo, hi, verdict) in enumerate(items):
        y, colour = top + step * n + step / 2, COLOURS.get(verdict, "black")
        shown = text if len(text) <= 70 else text[:69] + "…"
        out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{html.escape(shown)}</text>')
        ends = [min(max(place(e) if usable(e) else (low if e is lo else high), low), high) for e in (lo, hi)]
        if not (math.isnan(lo) or math.isnan(hi)):
            out.append(f'<line x1="{x_of(ends[0]):.1f}" x2="{x_of(ends[1]):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                       f'stroke="{colour}" stroke-width="2"/>')
        out.append(f'<circle cx="{x_of(place(value)):.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')
    keys = [v for v in VERDICTS if any(i[4] == v for i in items)]
    for n, verdict in enumerate(keys):
        out.append(f'<circle cx="{left + 110 * n + 4}" cy="30" r="3.2" fill="{COLOURS[verdict]}"/>'
                   f'<text x="{left + 110 * n + 12}" y="34">{verdict}</text>')
    out.append(f'<text x="{left + width / 2}" y="{height - 8}" text-anchor="middle">{html.escape(label)}</text></svg>')
    with open(path, "w") as f:
        f.write("\n".join(out))
    return True


def ticks(low, high, log):
    if log and high - low >= 2:
        step = max(1, math.ceil((high - low) / 8))
        return range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    if log:
        values = [math.log10(m * 10 ** e) for e in range(math.floor(low) - 1, math.ceil(high) + 1)
                  for m in (1, 1.1, 1.2, 1.5, 2, 3, 5, 7)]
        values = [v for v in values if low <= v <= high]
        return [v for n, v in enumerate(values) if n == 0 or v - values[n - 1] > (high - low) / 14] or [0]
    step = 10 ** math.floor(math.log10((high - low) / 2))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 9)
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def ratio_chart(path, title, rows):
    items = []
    for r in rows:
        expected, observed = real(r["expected"]), real(r["observed"])
        if not (math.isfinite(expected) and math.isfinite(observed) and expected > 0 and observed > 0):
            continue
        ends = [max(real(r[end]), 0) / expected if r[end] != "" else math.nan for end in ("ci_low", "ci_high")]
        short = r["quantity"].split(":")[0]
        label = f"{short}: {r['where']}" if len(short) <= 12 and short != r["quantity"] or len(short) <= 2 else r["where"]
        items.append((label, observed / expected, ends[0], ends[1], r["verdict"]))
    return dot_chart(path, title, "observed / expected", items, 1, True)


# ---- jobs ----

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
        return row(claim=variant if own else f"Theorem 4.2, {variant}, {regime}", source=source, experiment=f"experiments/{experiment}.yaml",
                   where=place, quantity=("observed where it is furthest beyond the bound" if own else
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
                raise Skip((done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]])[-1])
            return rows, []

        return Job("pull_sequences", "The published programs, pull for pull", "Balef et al. 2025",
                   "Arms pulled on 96 recorded data sets by fifteen settings, against the published programs' own.", work,
                   [REFERENCE_PULLS, "experiments/reference_pulls.yaml", "experiments/pmlb.yaml", "tests/command/test_pmlb_reference.py"],
                   reproduces=True)

    # The program's numbers against recomputations in Python: a script that prints rows.
    def audit(self, name, title, source, text):
        def work():
            done = subprocess.run(["/usr/bin/python3", "tests/validate/audit.py", name], capture_output=True, text=True,
                                  env=dict(os.environ, MAXK=self.maxk))
            if done.returncode:
                raise RuntimeError(done.stderr.strip()[-400:])
            head = ["where", "quantity", "relation", "expected", "observed", "ci_low", "ci_high", "ok"]
            rows = [row(claim=name, source=source, experiment="tests/validate/audit.py",
                        verdict="holds" if r.pop("ok") == "1" else "violated", **r)
                    for r in csv.DictReader(done.stdout.splitlines(), head)]
            return rows, []

        return Job(name, title, source, text, work, ["tests/validate/audit.py"], reproduces=True)

    # Checks of a test, a row for every line that matches.
    def test_lines(self, name, title, source, text, script, pattern):
        def work():
            done = subprocess.run(["/usr/bin/python3", script], capture_output=True, text=True,
                                  env=dict(os.environ, MAXK=self.maxk))
            found = re.findall(rf"^(ok|not ok) (.*(?:{pattern}).*)$", done.stdout, re.M)
            if not found:
                raise RuntimeError((done.stdout + done.stderr).strip()[-400:])
            return [row(claim=name, source=source, experiment=script, where=what, quantity="checks that hold", relation="=",
                        expected=1, observed=int(ok == "ok"), verdict="holds" if ok == "ok" else "violated")
                    for ok, what in found], []

        return Job(name, title, source, text, work, [script], reproduces=True)

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
                        "`maxk bounds results/validation/alpha_sweep.h5` prints every row.", r"bounds|bound_alpha|sweep_best_share"),
            self.bounds("printed_fails", "Theorem 4.2 as printed, just above p = 1", "Balef et al. 2025, Theorem 4.2",
                        "Two uniform arms and alpha in steps of .0005 through p = 1: just above it the printed first term "
                        "T^(1-p)/(1-p) is a large negative number, and the bound falls below the observed value; the sum that it "
                        "approximates does not.", r"bound_alpha"),
            self.bounds("theorem_fails", "Theorem 4.2 at parameters where maxk search found it to fail", "Balef et al. 2025, Theorem 4.2",
                        "A uniform best arm next to a power arm that ends at .956: for p < 1 the observed mean exceeds every "
                        "form of the bound, by a factor that grows with T. Lock-outs of the best arm are more likely than the "
                        "proof accounts for, since it fixes numbers of pulls that are random.", r"bounds_alpha_0\.28|bound_alpha"),
            self.bounds("bound_map", "How loose Theorem 4.2 is, over alpha and the gap", "Balef et al. 2025, Theorem 4.2",
                        "Eleven uniform arms with gaps from .001 to .9 next to one on [0, 1], alpha from .05 to 18, "
                        "T = 10^5.", r"bound_map_T"),
            self.bounds("own_claims", "Claims of an experiment file", "experiments/own_claims.yaml",
                        "The typical number of pulls as a formula of the file (key `claims`) against the mean, which rare "
                        "lock-outs of the best arm dominate, and the rate of Corollary 4.3 divided by 100.",
                        r"bounds.*arm[03]|regret\.svg"),
            self.e4_cells(),
            self.sequences(),
            self.audit("expected_max", "E[M(n)] of every family against mpmath", "definition",
                       "Quadrature of P(M(n) > x) with 30 digits, distribution functions from the literature; n = 1 … 10^12."),
            self.audit("record_twin", "The record engine against MaxUCB by events", "Balef et al. 2025, Algorithm 1",
                       "A second implementation in Python, which leaps from record to record, up to T = 10^9: means and shares "
                       "within four standard errors, and the distributions of N_0(T) by Kolmogorov and Smirnov's test."),
            self.test_lines("rank_tests", "Ranks, tests and intervals against SciPy", "Demšar 2006",
                            "Friedman, Iman and Davenport, Nemenyi, Dunn, sign test, Wilcoxon, Holm, losses, at equal T and at "
                            "equal cost.", "tests/command/test_rank.py", "SciPy|bootstrap|equal cost|can afford"),
            self.test_lines("affine_invariance", "Rewards in another unit", "own",
                            "Multiplied by a power of two and shifted by what is exact in binary, rewards change neither the "
                            "pulls of policies that scale them nor any verdict.", "tests/command/test_units.py",
                            "the same pulls|verdicts are the same|changes neither"),
            *[self.figures_only(e, "conjectured growth of MaxUCB's pulls (claims growth_typical and growth_mean)",
                                r"growth|lock_out", "rate")
              for e in ("asymptotics", "asymptotics_uniform", "asymptotics_gaussian")],
            *[self.figures_only(e, f"Balef et al. 2025, Figure {f}", r"survival\.|best_share|proxy_regret")
              for e, f in (("e4_pareto", "E.8"), ("e4_exponential", "E.9"), ("e4_gaussian", "E.10"), ("e4_power", "E.11"))],
        ]

    def fingerprint(self, job):
        digest = hashlib.sha256(json.dumps([self.o.replications, self.o.e4_replications]).encode())
        for path in [self.maxk, __file__, *job.inputs]:
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
        start, found = time.time(), dict(key=key, rows=[], figures=[], skipped="", broken="")
        try:
            found["rows"], found["figures"] = job.work()
        except Skip as e:
            found["skipped"] = str(e)
        except (RuntimeError, OSError, ValueError, KeyError) as e:
            found["broken"] = str(e)
        found["seconds"] = round(time.time() - start, 1)
        if not found["broken"]:
            with open(path + ".tmp", "w") as f:
                json.dump(found, f)
            os.replace(path + ".tmp", path)
        return dict(found, cached=False)


# ---- reports ----

def counted(rows):
    return [sum(r["verdict"] == v for r in rows) for v in VERDICTS]


def write_csv(path, results):
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        for _, found in results:
            out.writerows(found["rows"])


def cells_of(r):
    interval = f"{number(r['ci_low'])} … {number(r['ci_high'])}" if str(r["ci_low"]) != "" else ""
    return [r["where"], r["quantity"], f"{r['relation']} {number(r['expected'])}".strip(), number(r["observed"]), interval,
            r["verdict"], os.path.basename(r["experiment"]), r["note"]]


HEAD = ["where", "quantity", "expected", "observed", "95 % interval", "verdict", "experiment", "note"]
MOST_ROWS = 40
ABOUT = ("A violated claim is a finding: the published statement does not hold as printed, and the note says where it fails. "
         "Reproductions must hold. The experiments of every row are files, in experiments/ or in validation/experiments/ "
         "next to this report.")


def write_md(path, results, facts):
    def table(head, body):
        yield "| " + " | ".join(head) + " |"
        yield "|" + "---|" * len(head)
        for line in body:
            yield "| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |"

    lines = ["# Validation", "", *facts, "", ABOUT, ""]
    lines += table(["claim or reproduction", "source", "rows", *VERDICTS, "seconds"],
                   [[f"[{j.name}](#{j.name})", j.source, len(f["rows"]) or f["skipped"] or f["broken"] or "figures only",
                     *counted(f["rows"]), f.get("seconds", "")] for j, f in results])
    for job, found in results:
        lines += ["", f"## {job.name}", "", f"{job.title}. {job.source}.", "", job.text, "", f"To run only this: `{job.again}`", ""]
        for figure in found["figures"]:
            lines += [f"![{os.path.basename(figure)}]({os.path.relpath(figure, os.path.dirname(path) or '.')})", ""]
        shown = found["rows"]
        if len(shown) > MOST_ROWS:
            shown = [r for r in shown if r["verdict"] != "holds"][:MOST_ROWS]
            lines += [f"{len(found['rows'])} rows, all in validation.csv; here those that do not hold.", ""]
        if shown:
            lines += table(HEAD, map(cells_of, shown))
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:1150px;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;font-size:13px;margin:.6em 0}td,th{border-bottom:1px solid #ddd;padding:.2em .6em;text-align:left;
vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}th{background:#f3f3f3;position:sticky;top:0}
img{max-width:100%;border:1px solid #ddd;margin:.4em 0}h2{margin-top:2em;border-top:2px solid #444;padding-top:.4em}
.holds{color:#1b7837}.violated{color:#c51b2b;font-weight:bold}.vacuous,.not-applicable{color:#777}.inconclusive{color:#8a6508}
summary{cursor:pointer;color:#234}a{color:#174ea6}"""


def data_uri(path):
    kind = {"svg": "image/svg+xml", "png": "image/png"}[path.rsplit(".", 1)[1]]
    with open(path, "rb") as f:
        return f"data:{kind};base64,{base64.b64encode(f.read()).decode()}"


def write_html(path, results, facts):
    e = html.escape
    out = ["<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>maxk: validation</title>"
           f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head><body><h1>Validation</h1>",
           *[f"<p>{e(f)}</p>" for f in facts],
           f"<p>{e(ABOUT)}</p>",
           "<table><tr><th>claim or reproduction</th><th>source</th><th>rows</th>",
           *[f"<th>{v}</th>" for v in VERDICTS], "</tr>"]
    for job, found in results:
        rows = len(found["rows"]) or found["skipped"] or found["broken"] or "figures only"
        out.append(f"<tr><td><a href='#{job.name}'>{e(job.name)}</a></td><td>{e(job.source)}</td><td class='n'>{e(str(rows))}"
                   "</td>" + "".join(f"<td class='n {v if n else ''}'>{n or ''}</td>"
                                     for v, n in zip(VERDICTS, counted(found["rows"]))) + "</tr>")
    out.append("</table>")
    for job, found in results:
        out.append(f"<h2 id='{job.name}'>{e(job.name)}</h2><p><b>{e(job.title)}</b>. {e(job.source)}.</p><p>{e(job.text)}</p>"
                   f"<p>To run only this: <code>{e(job.again)}</code></p>")
        if found["skipped"] or found["broken"]:
            out.append(f"<p class='inconclusive'>Not done: {e(found['skipped'] or found['broken'])}</p>")
        many = len(found["figures"]) > 4
        if many:
            out.append(f"<details><summary>{len(found['figures'])} figures</summary>")
        out += [f"<img alt='{e(os.path.basename(f))}' src='{data_uri(f)}'>" for f in found["figures"]]
        if many:
            out.append("</details>")
        if found["rows"]:
            out.append(f"<details{' open' if len(found['rows']) <= MOST_ROWS else ''}><summary>{len(found['rows'])} rows"
                       "</summary><table><tr>" + "".join(f"<th>{h}</th>" for h in HEAD) + "</tr>")
            for r in found["rows"]:
                cells = cells_of(r)
                out.append("<tr>" + "".join(
                    f"<td class='{c if n == 5 else 'n' if 2 <= n <= 4 else ''}'>{e(str(c))}</td>"
                    for n, c in enumerate(cells)) + "</tr>")
            out.append("</table></details>")
    out.append("</body></html>")
    with open(path, "w") as f:
        f.write("\n".join(out))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--maxk", default=os.environ.get("MAXK", "build/maxk"))
    p.add_argument("--out", default="results", help="folder of the reports")
    p.add_argument("--replications", type=int, default=0, help="of every simulation but E.4's (default: each one's own)")
    p.add_argument("--e4-replications", type=int, default=20000)
    p.add_argument("--only", action="append", help="this job only; may be repeated")
    o = p.parse_args()
    bench = Bench(o)
    start, results, failed = time.time(), [], 0
    for job in bench.jobs():
        if o.only and job.name not in o.only:
            continue
        found = bench.do(job)
        results.append((job, found))
        bad = found["broken"] or (job.reproduces and any(r["verdict"] == "violated" for r in found["rows"]))
        failed += bool(bad)
        what = found["broken"] or found["skipped"] or ", ".join(
            f"{n} {v}" for v, n in zip(VERDICTS, counted(found["rows"])) if n) or f"{len(found['figures'])} figures"
        print(f"{'FAILED ' if bad else ''}{job.name}: {what} ({'kept' if found['cached'] else str(found['seconds']) + ' s'})",
              flush=True)
    rows = [r for _, f in results for r in f["rows"]]
    facts = [f"{run([o.maxk, '--version']).strip()}, {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, "
             f"{sum(f.get('seconds', 0) for _, f in results):.0f} s of work.",
             f"{len(rows)} rows: " + ", ".join(f"{n} {v}" for v, n in zip(VERDICTS, counted(rows))) + "."]
    base = os.path.join(o.out, "validation")
    write_csv(base + ".csv", results)
    write_md(base + ".md", results, facts)
    write_html(base + ".html", results, facts)
    print(f"{facts[1]} {base}.md, .csv, .html ({time.time() - start:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
