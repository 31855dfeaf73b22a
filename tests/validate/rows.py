"""Rows of the reports: one statement or number each, with its verdict."""
import math

COLUMNS = ["claim", "source", "experiment", "where", "quantity", "relation", "expected", "observed", "ci_low", "ci_high",
           "verdict", "figure", "note"]
VERDICTS = ["holds", "violated", "vacuous", "inconclusive", "not-applicable"]


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


def counted(rows):
    return [sum(r["verdict"] == v for r in rows) for v in VERDICTS]
