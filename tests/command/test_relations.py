"""Ranges that depend on other hyperparameters and relations that are forbidden: samples against a Python oracle, every optimiser,
grids, choices, defaults, resolved files, Python, messages."""
import csv
import itertools
import math
import os
import sys

import yaml

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment, raises, refused, run, write

enter(python_environment())
sys.path.insert(0, os.path.abspath("sim/python"))
from maxk import Categorical, InputError, Integer, Real, Study

OPTIMISERS = ("random", "grid", "tpe", "rf", "gp", "cma_es", "evolution", "successive_halving", "hyperband", "asha", "bohb",
              "irace")


def asked(space, n, optimizer="random", value=None, **more):
    """The configurations of n trials; value: of their parameters, in the order of asking."""
    study = Study({"a": space}, optimizer=optimizer, policy="uniform", **more)
    found = []
    for _ in range(n):
        found.append((trial := study.ask()).params)
        study.tell(trial, 0 if value is None else value(trial.params))
    return found


def chi_square(counts, expected):
    return sum((counts.get(cell, 0) - x) ** 2 / x for cell, x in expected.items())


def most(df):
    """What a chi-square of so many degrees of freedom exceeds with probability below 1e-5 (Wilson & Hilferty 1931)."""
    return df * (1 - 2 / (9 * df) + 4.265 * math.sqrt(2 / (9 * df))) ** 3


def samples():
    """Uniform on what is allowed: each count has its expectation by enumeration; false alarms have probability 1e-5 a space."""
    n = 6000
    spaces = {
        "a range that depends on another": (
            {"ants": Integer(1, 6), "rank": Integer(1, "ants")},
            [{"ants": a, "rank": r} for a in range(1, 7) for r in range(1, a + 1)]),
        "both ends, and a formula of two": (
            {"a": Integer(0, 5), "b": Integer("a", "2 * a + 1"), "c": Integer("min(a, b)", "max(a, b) / 2 + 1")},
            [{"a": a, "b": b, "c": c} for a in range(6) for b in range(a, 2 * a + 2)
             for c in range(0, 8) if min(a, b) <= c <= max(a, b) / 2 + 1]),
        "a relation": (
            {"lc": Integer(0, 4), "lp": Integer(0, 4), "forbid": "lc + lp > 4"},
            [{"lc": c, "lp": p} for c in range(5) for p in range(5) if c + p <= 4]),
        "words": (
            {"k": Categorical(["lin", "rbf", "poly"]), "s": Categorical([64, 128], ordered=True), "x": Integer(60, 70),
             "forbid": ["k == rbf and x > s", {"k": "lin", "x": "< 65"}, "k != lin and s == 128 and x^2 >= 4225"]},
            [{"k": k, "s": s, "x": x} for k in ("lin", "rbf", "poly") for s in (64, 128) for x in range(60, 71)
             if not (k == "rbf" and x > s) and not (k == "lin" and x < 65) and not (k != "lin" and s == 128 and x >= 65)]),
        "a conditional one": (
            {"k": Categorical(["u", "v"]), "n": Integer(1, 3, when={"k": "u"}), "m": Integer(1, "n + 1")},
            [{"k": "u", "n": n, "m": m} for n in range(1, 4) for m in range(1, n + 2)] +
             [{"k": "v", "m": m} for m in range(1, 5)])}
    for what, (space, allowed) in spaces.items():
        found = {}
        for params in asked(space, n, seed=7):
            key = tuple(sorted(params.items(), key=str))
            found[key] = found.get(key, 0) + 1
        keys = [tuple(sorted(one.items(), key=str)) for one in allowed]
        weight = {key: 1.0 for key in keys}
        if what == "a conditional one":  # a cell of n and m is a third of one of m alone
            weight = {key: 1 / 3 if len(key) == 3 else 1.0 for key in keys}
        total = sum(weight.values())
        x = chi_square(found, {key: n * w / total for key, w in weight.items()})
        check(set(found) <= set(keys) and x < most(len(keys) - 1),
              f"{what}: {len(set(found) - set(keys))} that are not allowed, chi-square {x:.1f} of {len(keys)} cells")
    # lp uniform below 1 - lc on a triangle: each coordinate has density 2 (1 - x), ten cells of equal probability
    found = {}
    for params in asked({"lc": Real(0, 1), "lp": Real(0, "1 - lc")}, n, seed=9):
        cell = tuple(min(9, int(10 * (1 - (1 - params[k]) ** 2))) for k in ("lc",))
        found[cell] = found.get(cell, 0) + 1
        if params["lc"] + params["lp"] > 1:
            found["bad"] = 1
    x = chi_square(found, {(i,): n / 10 for i in range(10)})
    check("bad" not in found and x < most(9), f"real numbers on a triangle: chi-square {x:.1f}")
    logs = asked({"hi": Real(1, 100, log=True), "lo": Real(1, "hi", log=True)}, n, seed=3)
    found = {}
    for p in logs:  # log hi / log 100 has density 2 x
        cell = min(9, int(10 * (math.log(p["hi"]) / math.log(100)) ** 2))
        found[cell] = found.get(cell, 0) + 1
    x = chi_square(found, {i: n / 10 for i in range(10)})
    check(all(p["lo"] <= p["hi"] for p in logs) and x < most(9), f"logarithmic scales: chi-square {x:.1f}")


def optimisers():
    space = {"a": Integer(2, 20), "b": Integer(1, "a"), "x": Real(0, 1), "y": Real(0, "1 - x"), "k": Categorical(["u", "v"]),
             "forbid": ["k == u and x < 0.2", "a == 2 * b"]}
    for name in OPTIMISERS:
        found = asked(space, 90, optimizer=name, value=lambda p: p["x"] + p["y"] + p["b"] / 20)
        bad = [p for p in found if p["b"] > p["a"] or p["x"] + p["y"] > 1 or (p["k"] == "u" and p["x"] < 0.2)
               or p["a"] == 2 * p["b"]]
        check(not bad, f"{name} tries what is allowed alone: {bad[:2]}")
    model = asked(space, 60, optimizer="tpe", value=lambda p: p["x"] + p["y"] + p["b"] / 20)
    best = [max(p["x"] + p["y"] + p["b"] / 20 for p in part) for part in (model[:10], model)]
    check(best[1] > best[0], f"and learns: {best}")
    pairs = [(a, b) for a in range(1, 5) for b in range(1, 6) if b <= a and a + b != 5]
    grid = asked({"a": Integer(1, 4, default=1), "b": Integer(1, "a"), "forbid": "a + b == 5"}, len(pairs), optimizer="grid",
                 defaults=False)
    check([(p["a"], p["b"]) for p in grid] == pairs, f"a grid has what is allowed, each once: {grid}")
    combined = Study({"p": space, "q": {"n": Integer(1, 9), "m": Integer("n", 9)}}, combined="tpe")
    for _ in range(60):
        combined.tell(trial := combined.ask(), trial.number % 7)
    check(all(p["b"] <= p["a"] if "b" in p else p["n"] <= p["m"] for p in (t.params for t in combined.trials)),
          "in a combined search, too")


FILE = """name: f
metric: {last_number: true, maximize: true}
policy: uniform
budget: {evaluations: 60}
shell: "echo 1"
optimizer: random
arms:
  - label: a
    space:
      n: {integer: [1, 9], default: 3}
      m: {integer: [1, "2 * n"]}
      alg:
        choice:
          svm: {c: {real: [0, 1]}, my-g: {real: [0, "c + n / 9"]}, forbid: "`my-g` > 2 * c and m > 4"}
          tree:
      w: {ordinal: [0.5, 2], default: 2}
      forbid:
        - alg.svm.c > w
        - m == n and w == 2
        - {n: 5}
"""


def files():
    write("f.yaml", FILE)
    run("tune", "f.yaml", "-q", "-o", "f.h5")
    with open("f.csv", newline="") as file:
        trials = [yaml.safe_load(r["configuration"]) for r in csv.DictReader(file)]
    check(trials[0] == {"n": 3, "m": 4, "alg": "svm", "alg.svm.c": 0.5, "alg.svm.my-g": 0.41666666666666663, "w": 2} or
          trials[0]["m"] in (3, 4), f"the default of a range that depends is in the middle of it: {trials[0]}")

    def bad(t):
        c, g = t.get("alg.svm.c", 0), t.get("alg.svm.my-g", 0)
        return (t["m"] > 2 * t["n"] or g > c + t["n"] / 9 or (g > 2 * c and t["m"] > 4) or c > t["w"]
                or (t["m"] == t["n"] and t["w"] == 2) or t["n"] == 5)

    check(not any(map(bad, trials)) and len({t["alg"] for t in trials}) == 2, "names within choices, and between them")
    run("tune", "f.tune.yaml", "-q", "-o", "g.h5")
    with open("f.csv") as f, open("g.csv") as g:
        check(f.read() == g.read(), "OUT.tune.yaml has them, and makes the same trials")
    with open("f.tune.yaml") as file:
        space = yaml.safe_load(file)["arms"][0]["space"]
    check(space["m"]["integer"] == [1, "2 * n"] and space["forbid"] == [
        "`alg.svm.my-g` > 2 * alg.svm.c and m > 4", "alg.svm.c > w", 'w == "2" and m == n', {"n": [5]}],
          f"written with the names of the whole space: {space}")
    only = ("{α: {real: [0, 1]}, x: {real: [0, α]}, k: {categorical: [a]}, n: {categorical: [k, and, b], default: b}, "
            "forbid: [k != a, k == a and x > 0.9, 'n == \"k\" and x > 0.5', 'n == \"and\" and x > 0.4']}")
    run("tune", "f.yaml", "-q", "-o", "h.h5", "-s", f"arms.0.space={only}")
    run("tune", "h.tune.yaml", "-q", "-o", "i.h5")
    with open("h.csv", newline="") as h, open("i.csv", newline="") as i:
        trials = [yaml.safe_load(r["configuration"]) for r in csv.DictReader(h)]
        check(all(t["x"] <= min(t["α"], {"k": 0.5, "and": 0.4, "b": 0.9}[t["n"]]) for t in trials) and
              trials == [yaml.safe_load(r["configuration"]) for r in csv.DictReader(i)],
              "a name of other letters, a word that differs from the only one, words that are names: OUT.tune.yaml has them")
    text = run("importance", "f.h5", "--format", "csv")
    check("m" in text and "alg.svm.my-g" in text, "importance takes them")


def reopening():
    space = {"n": Integer(1, 9), "m": Integer(1, "2 * n"), "x": Real(0, "n / m"), "forbid": ["x > 3", {"n": 7}]}
    study = Study({"a": space, "b": {"x": Real(0, 1)}}, path="again.h5", lag=1)
    study.optimize(lambda trial: trial.params["x"], n_trials=10)
    study.close()
    again = Study.open("again.h5")
    again.optimize(lambda trial: trial.params["x"], n_trials=20)
    whole = Study({"a": space, "b": {"x": Real(0, 1)}}, lag=1)
    whole.optimize(lambda trial: trial.params["x"], n_trials=20)
    check([t.params for t in again.trials] == [t.params for t in whole.trials], "Study.open has them, too")


def messages():
    def said(what, *sets):
        refused(what, what, "tune", "f.yaml", "-q", "-o", "bad.h5", *(w for one in sets for w in ("-s", one)))

    at = "arms.0.space."
    said("real: unknown hyperparameter 'zz'", at + "q={real: [0, zz]}")
    said("integer: character 4: expected a value", at + "m.integer=[1, \"n+\"]")
    said("integer: expected hyperparameters with numbers, but alg may be 'svm'", at + "m.integer=[1, alg]")
    said("its range depends on itself", at + "n.integer=[1, m]")
    said("integer: expected a formula that is finite", at + "m.integer=[1, 1 / (n - 5)]")
    said("integer: expected low < high, got 30 to 18", at + "m.integer=[30, 2 * n]")
    said("real: expected a range above 0 for a logarithmic scale, got -8 to 2", at + "q={real: [1 - n, 2], log: true}")
    said("integer: expected a whole number from 1 to 18 as default, got 40", at + "m.default=40")
    said("forbid: expected a comparison such as \"x + y > 4\", got 'n + m'", at + "forbid=n + m")
    said("forbid: expected a comparison such as \"x + y > 4\", got ''", at + "forbid=n == 4 &&")
    said("forbid: unknown hyperparameter 'zz'", at + "forbid=[zz > 1]")
    said("forbid: alg: expected one of svm, tree, got 'other'", at + "forbid=[alg == other]")
    said("forbid: the default configuration is forbidden", at + "forbid=n == 3")
    said("forbid: none of 1000 random configurations is allowed", at + "forbid=[alg.svm.c != 0.5, alg == tree]")
    for call, text in (
            (lambda: Study({"a": {"x": Real(0, "y")}}), "unknown hyperparameter 'y'"),
            (lambda: Study({"a": {"x": Real(0, 1), "forbid": 3}}), "arms: a: forbid: expected relations such as"),
            (lambda: Study({"a": {"x": Real(0, 1), "forbid": "x >"}}), "forbid"),
            (lambda: Study({"a": {"n": Integer(1, 4), "m": Integer(1, "n")}}).enqueue({"n": 1, "m": 3}), "forbidden")):
        raises(InputError, "refused", text, call)


with folder() as directory:
    os.chdir(directory)
    for part in (samples, optimisers, files, reopening, messages):
        part()
    os.chdir("/")
finish()
