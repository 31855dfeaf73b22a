"""Configurations that are tried first (`first`, `defaults`, Study.enqueue): order, optimisers, policies, instances, resuming,
files, page, messages; in tune files and in Python alike."""
import csv
import os
import signal
import subprocess
import sys

import yaml

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment, raises, refused, run, write

ENVIRONMENT = python_environment()
enter(ENVIRONMENT)
MODULE = os.path.abspath("sim/python")
sys.path.insert(0, MODULE)
from maxk import InputError, Integer, Real, Study

FILE = """name: first
metric: {last_number: true, maximize: false}
policy: {name: max_ucb, alpha: 0.5}
budget: {evaluations: 14}
shell: "awk 'BEGIN {{print ({x} - 0.3) ^ 2 + 0.01 * {k}}}'"
first: [{arm: b, x: 0.25}, {arm: a, x: 0.5, k: 3}, {arm: b, x: 0.25, k: 3}, {arm: b, x: 0.75, k: 1}]
arms:
  - {label: a, space: {x: {real: [0, 1]}, k: {integer: [1, 5], default: 2}}}
  - {label: b, space: {x: {real: [0, 1]}, k: {integer: [1, 5]}}}
"""
GIVEN = [("b", {"x": 0.25, "k": 3}), ("a", {"x": 0.5, "k": 3}), ("b", {"x": 0.75, "k": 1})]  # the third one is the first
ALL = [*GIVEN, ("a", {"x": 0.5, "k": 2})]
ARMS = {"a": {"x": Real(0, 1), "k": Integer(1, 5, default=2)}, "b": {"x": Real(0, 1), "k": Integer(1, 5)}}
FIRST = [{"arm": "b", "x": 0.25}, {"arm": "a", "params": {"x": 0.5, "k": 3}}, {"arm": "b", "x": 0.25, "k": 3},
         {"arm": "b", "k": 1, "x": 0.75}]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def configurations(rows):
    return [(r["arm"], yaml.safe_load(r["configuration"])) for r in rows]


def value_of(trial):
    return (trial.params["x"] - 0.3) ** 2 + 0.01 * trial.params["k"]


def tune_files():
    write("first.yaml", FILE)
    run("tune", "first.yaml", "-q", "-o", "first.h5", "-s", "workers=1")
    trials = read("first.csv")
    check(configurations(trials[:4]) == ALL and len(trials) == 14,
          f"first come those given, each once, with defaults for what is missing, then a stated default: {trials[:5]}")
    check([r["first"] for r in trials] == ["1"] * 4 + ["0"] * 10, "OUT.csv says which they are")
    for more in ("workers=4", "workers=8"):
        run("tune", "first.yaml", "-q", "-o", "more.h5", "-s", more)
        check(read("more.csv") == trials, f"the same trials with {more}")
    run("tune", "first.tune.yaml", "-q", "-o", "again.h5")
    check(configurations(read("again.csv")) == configurations(trials), "OUT.tune.yaml has them all, and adds no defaults")
    run("report", "first.h5", "-o", "first.html")
    with open("first.html") as file:
        page = file.read()
    check("Tried first, as given or as default: 4 trials, the best with metric 0.0325, by b in trial 1." in page,
          "the page says how many were tried first, and the best of them")
    study = Study(ARMS, policy={"name": "max_ucb", "alpha": 0.5}, direction="minimize", n_trials=14, seed=1, first=FIRST)
    study.optimize(value_of)
    own = [(t.arm, t.params) for t in study.trials]
    check(own[:4] == ALL and [t.first for t in study.trials] == [True] * 4 + [False] * 10, "maxk.Study does the same")
    check(own == configurations(trials), "and makes the same trials as maxk tune")
    check(list(study.trials_dataframe()["first"])[:5] == [True] * 4 + [False], "trials_dataframe has the column")


def forms():
    """Lists, files of two kinds, data frames and Trials are the same."""
    write("wide.csv", "arm,k,x\nb,,0.25\na,3,0.5\nb,1,0.75\n")
    write("long.csv", 'arm,configuration\nb,{x: 0.25}\na,"{""k"": 3, ""x"": 0.5}"\nb,"{x: 0.75, k: 1}"\n')
    for name in ("wide.csv", "long.csv"):
        run("tune", "first.yaml", "-q", "-o", "form.h5", "-s", f"first={name}", "-s", "defaults=no")
        check(configurations(read("form.csv")[:3]) == GIVEN, f"{name}: the same configurations")
    import pandas
    frame = pandas.DataFrame({"arm": ["b", "a", "b"], "x": [0.25, 0.5, 0.75], "k": [float("nan"), 3, 1]})
    trials = [Study(ARMS, first=FIRST, defaults=False).ask()]
    for what, first, n in (("a data frame", frame, 3), ("a file", "wide.csv", 3), ("Trials", trials, 1)):
        study = Study(ARMS, first=first, defaults=False)
        asked = [study.ask() for _ in range(4)]
        check([(t.arm, t.params) for t in asked[:n]] == GIVEN[:n] and not asked[n].first, f"{what}: the same configurations")
    for defaults, expected in ((False, []), ("stated", ["a"]), (True, ["a", "b"])):
        study = Study(ARMS, defaults=defaults)
        check([t.arm for t in (study.ask() for _ in range(3)) if t.first] == expected, f"defaults={defaults!r}: {expected}")
    combined = Study(ARMS, combined="random", first=FIRST)
    check([(t.arm, t.params) for t in (combined.ask() for _ in range(4))] == ALL, "a combined search begins with them, too")


def optimisers():
    """Every optimiser proposes them, and takes their results as its own."""
    space = {"a": {"x": Real(0, 1), "y": Real(0, 1), "z": Real(0, 1)}}
    first = [{"x": 0.125, "y": 0.25, "z": 0.75}, {"x": 0.5, "y": 0.5, "z": 0.125}]
    for name in ("random", "grid", "tpe", "rf", "gp", "cma_es", "evolution", "successive_halving", "hyperband", "asha", "bohb",
                 "irace"):
        study = Study(space, optimizer=name, first=first)
        trials = [study.ask() for _ in range(3)]
        parts = {t.fidelity for t in trials}
        check([t.params for t in trials[:2]] == first and trials[2].params not in first and len(parts) == 1,
              f"{name}: {trials}")
    study = Study(space, optimizer={"name": "evolution", "population": 2, "sample": 20}, first=first, n_trials=40, lag=1)
    for _ in range(2):
        study.tell(trial := study.ask(), trial.params["x"])
    child = study.ask().params
    check(sum(child[name] != first[1][name] for name in child) == 1, f"evolution mutates the better one of them: {child}")
    study = Study(space, optimizer={"name": "successive_halving", "n": 9, "R": 9, "eta": 3}, first=first, n_trials=20)
    for _ in range(13):
        trial = study.ask()
        study.tell(trial, 10 if trial.params in first else trial.params["x"])
    seen = [t.fidelity for t in study.trials if t.params == first[0]]
    check(seen == [1 / 9, 1 / 3] or seen == [1 / 9, 1 / 3, 1], f"a schedule promotes them as its own: {seen}")
    grid = Study({"a": {"k": Integer(1, 4)}}, optimizer={"name": "grid", "order": "shuffled"}, first=[{"k": 3}], n_trials=5)
    check(sorted(grid.ask().params["k"] for _ in range(5)) == [1, 2, 3, 3, 4], "a grid has all its points besides")


def policies():
    """Their results are pulls of the policy: it uses them when it selects the arm."""
    study = Study(ARMS, policy="uniform", lag=1, defaults=False, first=[{"arm": "a", "x": x} for x in (0.1, 0.2, 0.3)])
    for _ in range(8):
        study.tell(trial := study.ask(), value_of(trial))
    check([t.arm for t in study.trials] == list("aaabbbab"), f"uniform makes up for them: {[t.arm for t in study.trials]}")


def instances():
    given = [{"x": 0.1}, {"x": 0.2}]
    space = {"a": {"x": Real(0, 1)}}
    study = Study(space, instances=list("pqr"), first=given, n_trials=12)
    trials = [study.ask() for _ in range(7)]
    check([t.params["x"] for t in trials[:6]] == [0.1] * 3 + [0.2] * 3 and [t.run for t in trials[:6]] == [1, 2, 3] * 2,
          "of an optimiser that does not race each runs on all instances")
    check([t.first for t in trials] == [True] * 6 + [False], "and all of its runs are marked")
    race = Study(space, instances=list("pqrstuvw"), optimizer="irace", first=given, n_trials=100)
    race.optimize(lambda trial: trial.params["x"] + 0.001 * trial.seed % 7)
    check([t.params["x"] for t in race.trials[:2]] == [0.1, 0.2] and {t.run for t in race.trials if t.first} >= {1, 2, 3, 4, 5},
          "irace takes them as initial configurations: they are in the first race, on its instances")


SCRIPT = """
import os, sys
sys.path.insert(0, "{module}")
from maxk import Integer, Real, Study
ARMS = {{"a": {{"x": Real(0, 1), "k": Integer(1, 5, default=2)}}, "b": {{"x": Real(0, 1), "k": Integer(1, 5)}}}}
end = int(sys.argv[2])
study = Study(ARMS, direction="minimize", path=sys.argv[1], resume=True, lag=3, first=[{{"arm": "b", "x": 0.25}}])
while len(study.trials) < 20 or any(t.status == "running" for t in study.trials):
    if len(study.trials) == 5:
        study.enqueue({{"x": 0.9, "k": 5}}, arm="a")
        study.enqueue({{"x": 0.8, "k": 4}}, arm="b")
    trial = study.ask()
    if trial.number == end:
        os.kill(os.getpid(), 9)
    study.tell(trial, (trial.params["x"] - 0.3) ** 2 + 0.01 * trial.params["k"])
print([(t.arm, t.params, t.first) for t in study.trials])
print(study.enqueue({{"x": 0.9, "k": 5}}, arm="a"), study.enqueue({{"x": 0.91, "k": 5}}, arm="a"))
"""


def resuming():
    write("script.py", SCRIPT.format(module=MODULE))

    def session(path, end):
        return subprocess.run([sys.executable, "script.py", path, str(end)], capture_output=True, text=True, check=False)

    whole = session("whole.h5", 99)
    check(whole.returncode == 0 and "'k': 5}, True" in whole.stdout, f"a study with enqueued trials: {whole.stderr}")
    for end in (0, 4, 5, 6, 9):
        killed = session(f"killed{end}.h5", end)
        check(killed.returncode == -signal.SIGKILL, f"killed at trial {end}: {killed.stderr}")
        again = session(f"killed{end}.h5", 99)
        check(again.stdout == whole.stdout, f"killed at trial {end} and resumed: the same trials{again.stderr}")
    check(whole.stdout.endswith("False True\n"), "what has been tried is not enqueued again, something else is")
    study = Study(ARMS, n_trials=10, lag=8, defaults=False)
    study.enqueue({"x": 0.75}, arm="b")
    study.optimize(value_of)
    check(study.trials[0].params == {"x": 0.75, "k": 3} and study.trials[0].first, "enqueue takes defaults, too")


def messages():
    def said(what, *sets):
        refused(what, what, "tune", "first.yaml", "-q", "-o", "bad.h5", *(w for one in sets for w in ("-s", one)))

    said("arm: missing; expected the label of an arm", "first=[{x: 0.5}]")
    said("arm: expected the label of an arm, got c", "first=[{arm: c}]")
    said("z: unknown hyperparameter 'z'", "first=[{arm: a, z: 1}]")
    said("x: expected a number from 0 to 1, got 2", "first=[{arm: a, x: 2}]")
    said("first: expected a mapping such as {arm: LABEL, NAME: value}, got a", "first=[a]")
    said("first: expected a list of configurations", "first={arm: a}")
    said("none.csv", "first=none.csv")
    said("first: 4 configurations take at least 4 trials; expected budget: evaluations: of as many, got 3",
         "budget.evaluations=3")
    said("defaults: expected one of stated, no, yes", "defaults=some")
    said("this configuration is forbidden", "arms.1.space.forbid=[{k: 3, x: 0.25}]")
    write("bad.csv", "arm,x,q\nb,0.5,1\n")
    said("bad.csv:1: q: is no hyperparameter of any arm", "first=bad.csv")
    write("bad.csv", "arm,x\nb,0.5\nb,7\n")
    said("bad.csv:3:3: x: expected a number from 0 to 1, got 7", "first=bad.csv")
    for call, text in (
            (lambda: Study(ARMS, first=[{"x": 1}]), "first: 0: arm: expected one of a, b, got None"),
            (lambda: Study(ARMS, first=[{"arm": "a", "q": 1}]), "unknown hyperparameter 'q'"),
            (lambda: Study(ARMS, first=[1]), "first: 0: expected a dictionary"),
            (lambda: Study(ARMS, defaults="some"), "defaults: expected 'stated', True or False"),
            (lambda: Study(ARMS).enqueue({"x": 3}, arm="a"), "enqueue: a: x: expected a number from 0 to 1"),
            (lambda: Study(ARMS).enqueue({"x": 0.5}), "enqueue: arm: expected one of a, b, got None"),
            (lambda: Study(ARMS).add_trials([{"arm": "a", "params": {"x": 0.5, "k": 1}, "value": None},
                                             {"arm": "a", "params": {"x": 0.5, "k": 1}, "value": 1},
                                             {"arm": "b", "params": {"x": 9, "k": 1}, "value": 1}]),
             "add_trials: result 2: b: x: expected a number from 0 to 1, got 9"),
            (lambda: Study(ARMS).add_trials([{"arm": "a", "params": {"x": 0.5}, "value": 1}]),
             "add_trials: result 0: a: k: missing")):
        raises(InputError, "refused", text, call)


with folder() as directory:
    os.chdir(directory)
    for part in (tune_files, forms, optimisers, policies, instances, resuming, messages):
        part()
    os.chdir("/")
finish()
