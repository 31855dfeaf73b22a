"""What the parts of make validate share: jobs, and rows of the report."""
import math
import subprocess

COLUMNS = ["claim", "source", "experiment", "where", "quantity", "relation", "expected", "observed", "ci_low", "ci_high",
           "verdict", "figure", "note"]
VERDICTS = ["holds", "violated", "vacuous", "inconclusive", "not-applicable"]


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
