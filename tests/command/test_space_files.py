"""maxk space: search spaces of irace, ConfigSpace and SMAC become those of tune files, and what has no form there is said."""
import csv
import json
import os
import subprocess
import sys

import yaml

sys.path.insert(0, "tests/support")
from lib import MAXK, check, enter, finish, folder, python_environment, refused, run, write

enter(python_environment())
TOP = os.getcwd()

IRACE = r"""### parameters
algorithm    "--algorithm="   c (as,mmas,eas,ras,"a, cs")
localsearch  "--localsearch=" c (0, 1, 2, 3)   # "0": none
alpha        "--alpha="       r (0.00, 5.00)
rho          "--rho="         r,log(0.01, 1.00)
ants         "--ants="        i,log (5, 100)
q0           '--q0='          r (0.0, 1.0)      | algorithm == "a, cs"
rasrank      "--rasrank="     i (1, "ants")     | algorithm %in% c("ras")
elitistants  "--elitistants=" i (1, 750)        | (algorithm == "eas") & (alpha > 1) && alpha <= 4
nnls         "--nnls="        i (5, 50)         | localsearch %in% c("1","2","3")
dlb          "--dlb="         c (0, 1)          | localsearch != "0"
odd          "--odd="         o (low, mid, high) | alpha > 1 | rho < 0.5
either       "--either="      c (u, v)        | localsearch == "1" | algorithm == "as"
not          "--not="         c (u, v)        | !(algorithm == "as")
fixed        "--fixed="       c (7)

[forbidden]
(alpha == 0) & (algorithm == "as")
(alpha + rho > 3) & q0 < rho
alpha + rho > 3 | q0 < rho
[global]
digits = 2
"""
EXPECTED = {
    "algorithm": {"categorical": ["as", "mmas", "eas", "ras", "a, cs"]}, "localsearch": {"categorical": [0, 1, 2, 3]},
    "alpha": {"real": [0, 5]}, "rho": {"real": [0.01, 1], "log": True}, "ants": {"integer": [5, 100], "log": True},
    "q0": {"real": [0, 1], "when": {"algorithm": "a, cs"}},
    "rasrank": {"integer": [1, "ants"], "when": {"algorithm": ["ras"]}},
    "elitistants": {"integer": [1, 750], "when": {"algorithm": "eas", "alpha": "> 1 and <= 4"}},
    "nnls": {"integer": [5, 50], "when": {"localsearch": [1, 2, 3]}},
    "dlb": {"categorical": [0, 1], "when": {"localsearch": [1, 2, 3]}}, "odd": {"ordinal": ["low", "mid", "high"]},
    "either": {"categorical": ["u", "v"]}, "not": {"categorical": ["u", "v"]},
    "fixed": {"constant": 7}, "forbid": [{"alpha": 0, "algorithm": "as"}, "alpha + rho > 3 and q0 < rho"]}


def read(path, *say):
    """The YAML of a file, and what is said of it."""
    done = subprocess.run([MAXK, "space", path], capture_output=True, text=True)
    check(not done.returncode and all(text in done.stderr for text in say) and done.stderr.count("\n") == len(say),
          f"maxk space {path}: exit code {done.returncode}: {done.stderr}")
    return yaml.safe_load(done.stdout)


def tuned(name, space):
    """The space is one that maxk tune takes."""
    head = "command: [echo, \"1\", \"{args}\"]\nmetric: {last_number: true, maximize: true}\npolicy: uniform\nbudget: 20\n"
    write(f"{name}.yaml", head.replace("budget: 20", "budget: {evaluations: 20}") + yaml.dump(
        {"optimizer": "random", "arms": [{"label": "a", "space": space}]}, sort_keys=False))
    run("tune", f"{name}.yaml", "-q", "-o", f"{name}.h5")


def of_irace():
    write("parameters.txt", IRACE)
    found = read("parameters.txt",
                 "parameters.txt:12: odd: the condition 'alpha > 1 | rho < 0.5' has no form here; it is always active",
                 "parameters.txt:13: either: the condition 'localsearch == \"1\" | algorithm == \"as\"' has no form here",
                 "parameters.txt:14: not: the condition '!(algorithm == \"as\")' has no form here",
                 "parameters.txt:20: 'alpha + rho > 3 | q0 < rho' has no form here", "'digits = 2' is left out")
    check(found["space"] == EXPECTED, f"parameters of irace: {found['space']}")
    check(found["args"] == ["--{name}={value}"], f"and their switches: {found['args']}")
    tuned("irace", found["space"])
    os.makedirs("there/inst")
    for i in range(3):
        write(f"there/inst/{i}.tsp", f"{i}\n")
    write("there/list.txt", "0.tsp\n2.tsp\n")
    write("there/parameters.txt", 'x "--x " r (0, 1)\nk "--k " c (u, v)\n')
    write("there/initial.txt", "x k\n0.25 v\n0.5 u\n")
    write("there/target-runner", "#!/bin/sh\nread instance <$4; echo \"$instance + $6\" | bc -l\n")
    os.chmod("there/target-runner", 0o755)
    write("there/scenario.txt", """# of irace
parameterFile = "./parameters.txt"
trainInstancesDir = "./inst"
trainInstancesFile = "list.txt"
testInstancesDir = "test"
testInstancesFile = ""
maxExperiments = 40
targetRunner = "./target-runner"
configurationsFile = "initial.txt"
deterministic = 0
""")
    found = read("there/scenario.txt", "deterministic = 0 is left out")
    check(found["instances"] == ["./inst/0.tsp", "./inst/2.tsp"] and found["test_instances"] == {"folder": "test"} and
          found["args"] == ["--{name}", "{value}"] and found["budget"] == {"evaluations": 40} and
          found["arms"] == [{"label": "target", "space": {"x": {"real": [0, 1]}, "k": {"categorical": ["u", "v"]}}}] and
          found["first"] == [{"arm": "target", "x": 0.25, "k": "v"}, {"arm": "target", "x": 0.5, "k": "u"}],
          f"a scenario of irace: {found}")
    run("space", "there/scenario.txt", "-o", "there/tune.yaml")
    os.makedirs("there/test")
    write("there/test/t.tsp", "100\n")
    text = run("tune", "there/tune.yaml", "-o", "scenario.h5")
    with open("scenario.csv") as file:
        check([line.split('"')[1] for line in file if '"' in line][:2] == ["{x: 0.25, k: v}", "{x: 0.5, k: u}"],
              "its initial configurations are tried first")
    check("on 1 test instance: mean 100" in text, f"is a tune file: {text[-200:]}")


def of_configspace():
    hyper = [{"name": "C", "type": "uniform_float", "lower": 0.1, "upper": 10.0, "default_value": 1.0, "log": True},
             {"name": "n", "type": "uniform_int", "lower": 1, "upper": 9, "default": 3, "log": False},
             {"name": "kernel", "type": "categorical", "choices": ["rbf", "po/ly", "lin"], "default": "po/ly", "weights": None},
             {"name": "size", "type": "ordinal", "sequence": ["s", "m", "l"], "default_value": "m"},
             {"name": "gamma", "type": "normal_float", "lower": 0.0, "upper": 1.0, "default_value": 0.5, "log": False},
             {"name": "degree", "type": "uniform_int", "lower": 2, "upper": 5, "default": 3, "log": False},
             {"name": "one", "type": "constant", "value": "single"},
             {"name": "coef", "type": "uniform_float", "lower": 0.0, "upper": 1.0, "default_value": 0.5, "log": False}]
    conditions = [{"child": "gamma", "parent": "kernel", "type": "IN", "values": ["rbf", "po/ly"]},
                  {"type": "AND", "child": "degree", "conditions": [
                      {"child": "degree", "parent": "kernel", "type": "EQ", "value": "po/ly"},
                      {"child": "degree", "parent": "n", "type": "GT", "value": 4}]},
                  {"child": "coef", "parent": "kernel", "type": "NEQ", "value": "po/ly"},
                  {"type": "OR", "child": "size", "conditions": []}]
    forbiddens = [{"type": "AND", "clauses": [{"name": "kernel", "type": "EQUALS", "value": "lin"},
                                              {"name": "n", "type": "IN", "values": [1, 2]}]},
                  {"left": "degree", "right": "n", "type": "RELATION", "lambda": "GREATER"},
                  {"type": "AND", "clauses": [{"name": "kernel", "type": "EQUALS", "value": "po/ly"},
                                              {"left": "C", "right": "gamma", "type": "RELATION", "lambda": "LESS"}]}]
    write("space.json", json.dumps({"name": "x", "hyperparameters": hyper, "conditions": conditions, "forbiddens": forbiddens}))
    hyper[4]["type"] = "uniform_float"
    write("space.json", json.dumps({"hyperparameters": hyper, "conditions": conditions[:3], "forbiddens": forbiddens}))
    found = read("space.json")["space"]
    check(found == {
        "C": {"real": [0.1, 10], "log": True, "default": 1}, "n": {"integer": [1, 9], "default": 3},
        "kernel": {"categorical": ["rbf", "po/ly", "lin"], "default": "po/ly"},
        "size": {"ordinal": ["s", "m", "l"], "default": "m"},
        "gamma": {"real": [0, 1], "default": 0.5, "when": {"kernel": ["rbf", "po/ly"]}},
        "degree": {"integer": [2, 5], "default": 3, "when": {"kernel": "po/ly", "n": "> 4"}}, "one": {"constant": "single"},
        "coef": {"real": [0, 1], "default": 0.5, "when": {"kernel": ["rbf", "lin"]}},
        "forbid": [{"kernel": "lin", "n": [1, 2]}, "degree > n", 'kernel == "po/ly" and C < gamma']}, f"ConfigSpace: {found}")
    tuned("configspace", found)
    hyper[4]["type"] = "normal_float"
    write("other.json", json.dumps({"hyperparameters": hyper, "conditions": [{"child": "n", "parent": "C", "type": "OR"}]}))
    read("other.json", "gamma: normal_float is taken as uniform", "n: the condition")


def of_smac():
    write("old.pcs", "# solver\nalg {a,b,c} [b]\nx [0.5, 8] [1]l\nn [1, 100] [10]il\ny [0,1] [0.5]\n\nConditionals:\n"
          "y | alg in {a,c}\nForbidden:\n{alg=c, n=1}\n")
    found = read("old.pcs", "'Conditionals:' is left out", "'Forbidden:' is left out")["space"]
    check(found == {"alg": {"categorical": ["a", "b", "c"], "default": "b"}, "x": {"real": [0.5, 8], "log": True, "default": 1},
                    "n": {"integer": [1, 100], "log": True, "default": 10},
                    "y": {"real": [0, 1], "default": 0.5, "when": {"alg": ["a", "c"]}}, "forbid": [{"alg": "c", "n": 1}]},
          f"PCS: {found}")
    tuned("old", found)
    write("new.pcs", "alg categorical {a, b} [b]\nsize ordinal {s, m, l} [m]\nx real [0.5, 8] [1] log\nn integer [1, 100] [10]\n"
          "x | alg == a && n > 5\n{alg==b, n==7}\n{x + n > 90 && alg == a}\n")
    found = read("new.pcs")["space"]
    check(found == {"alg": {"categorical": ["a", "b"], "default": "b"}, "size": {"ordinal": ["s", "m", "l"], "default": "m"},
                    "x": {"real": [0.5, 8], "log": True, "default": 1, "when": {"alg": "a", "n": "> 5"}},
                    "n": {"integer": [1, 100], "default": 10}, "forbid": [{"alg": "b", "n": 7}, "x + n > 90 and alg == a"]},
          f"new PCS: {found}")
    tuned("new", found)


def allowed(space, name, value):
    """Whether the published file allows it."""
    kind = next(k for k in ("real", "integer", "categorical") if k in space[name])
    if kind == "categorical":
        return value in space[name][kind]
    low, value, high = (float(x) for x in (space[name][kind][0], value, space[name][kind][1]))
    return low <= value <= high and (kind == "real" or value == int(value))


def of_papers():
    """The spaces of published tables, one of several in a file by its name: what is tried lies in them."""
    for table, models in (("d2", 6), ("d3", 7), ("d4", 4)):
        path = f"{TOP}/experiments/spaces/balef2025_{table}.yaml"
        with open(path) as file:
            spaces = yaml.safe_load(file)
        arms = [{"label": model, "space": f"{path}#{model}"} for model in spaces]
        write(f"{table}.yaml", yaml.dump({
            "command": ["echo", "1", "{args}"], "metric": {"last_number": True, "maximize": True}, "policy": "uniform",
            "budget": {"evaluations": 12 * models}, "optimizer": "random", "arms": arms}, sort_keys=False))
        run("tune", f"{table}.yaml", "-q", "-o", f"{table}.h5")
        with open(f"{table}.csv") as file:
            tried = [(row["arm"], yaml.safe_load(row["configuration"])) for row in csv.DictReader(file)]
        wrong, seen = [], {model: set() for model in spaces}
        for model, values in tried:
            space = spaces[model]
            active = {name for name, of in space.items()
                      if all(values.get(parent) in (want if isinstance(want, list) else [want])
                             for parent, want in of.get("when", {}).items())}
            wrong += [(model, name) for name in active ^ set(values)]
            wrong += [(model, name, value) for name, value in values.items() if not allowed(space, name, value)]
            seen[model] |= set(values)
        check(len(tried) == 12 * models and not wrong and all(seen[m] == set(spaces[m]) for m in spaces),
              f"Table {table.upper()}: {models} models; outside or inactive: {wrong[:3]}")
    with open("d4.yaml") as file:
        text = file.read()
    write("bad.yaml", text.replace("#catboost", "#cat"))
    refused("a space that the file does not have", "has no 'cat'; it has funnel_mlp, elastic_net, xgboost, catboost", "tune",
            "bad.yaml")
    write("one#of.yaml", "x: {real: [0, 1]}\n")
    write("objective.yaml", text.replace(text[text.index("arms:"):], "arms: [{label: a, space: 'one#of.yaml'}]\n"))
    run("tune", "objective.yaml", "-q", "-o", "objective.h5")


def messages():
    for text, what in (('x "" q (0, 1)\n', "bad.txt:1: x: expected the type c, o, i or r"),
                       ('x "" r (0\n', "bad.txt:1: expected name"),
                       ('x "" r (0, 1, 2)\n', "x: expected (low, high)"), ('x "" r (0, "2 * y")\n', "unknown hyperparameter 'y'"),
                       ('x "" r (0, 1)\nx "" r (0, 1)\n', "bad.txt:2: x: there twice"), ("{", "not JSON"),
                       ('{"a": 1}', "expected a configuration space"), ("\n", "no parameters"), ('x "" r (5, 1)\n', "bad.txt")):
        write("bad.txt", text)
        refused(f"{text!r}", what, "space", "bad.txt")


with folder() as directory:
    os.chdir(directory)
    of_irace()
    of_configspace()
    of_smac()
    of_papers()
    messages()
    os.chdir("/")
finish()
