"""The time for a hundred thousand names: instances, arms and repetitions of recorded runs, labels, trials, configurations of
studies. With four times as many everything takes about four times as long; what is quadratic takes sixteen times as long."""
import os
import resource
import sqlite3
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, ordinary_build_only, python_environment, write
from optuna_tables import TABLES

ordinary_build_only("times")
FEW, MANY, MOST = 25000, 100000, 9  # MOST: times as long
HEAD = "instance,arm,repetition,iteration,loss\n"
RECORDED = {
    "instances": lambda n: "".join(f"d{i},{a},0,0,{i % 7}\n" for i in range(n) for a in "ab"),
    "arms": lambda n: "".join(f"d,a{i},0,0,{i % 7}\n" for i in range(n)),
    "repetitions": lambda n: "".join(f"d,{a},{i},0,{i % 7}\n" for i in range(n) for a in "ab"),
    "iterations": lambda n: "".join(f"d,{a},0,{i},{i % 7}\n" for i in range(n) for a in "ab")}
STUDY = """
import sys, time
sys.path.insert(0, "sim/python")
import maxk
n, path = int(sys.argv[1]), sys.argv[2]
begun = time.process_time()

def lap(what):
    global begun
    now = time.process_time()
    print(what, now - begun, sep=":", flush=True)
    begun = time.process_time()

def study(**options):
    return maxk.Study({arm: {"x": maxk.Real(0, 1)} for arm in "ab"}, n_trials=n, optimizer="random", path=path, **options)

one = study()
one.add_trials([{"arm": arm, "params": {"x": i / n}, "value": i} for arm in "ab" for i in range(n)])
lap("add_trials")
one.optimize(lambda trial: 0.5, n_trials=2)
lap("the first trials")
one.save()
lap("save")
len(one.trials), one.best_trial, one._repr_html_()
lap("trials")
one.close()
len(study(resume=True))
lap("resume")
with maxk.Study({"a": {"x": maxk.Real(0, 1)}}, n_trials=n, optimizer="random") as in_memory:
    in_memory.optimize(lambda trial: trial.params["x"])
lap("optimize")
arms = {f"arm {i}": {"x": maxk.Real(0, 1)} for i in range(n)}
with maxk.Study(arms, n_trials=n, optimizer="random", policy="uniform") as many:
    lap("a study of many arms")
    many.optimize(lambda trial: trial.params["x"])
    lap("trials of many arms")
"""


def optuna(path, n):
    """A database of n trials, with the names of a thousand hyperparameters."""
    base = sqlite3.connect(path)
    base.executescript(TABLES + "INSERT INTO studies VALUES (1, 's'); INSERT INTO study_directions VALUES (1, 'MINIMIZE', 1, 0);")
    arm = '{"name": "CategoricalDistribution", "attributes": {"choices": ["u", "v"]}}'
    real = '{"name": "FloatDistribution", "attributes": {"low": 0, "high": 1, "log": false, "step": null}}'
    base.executemany("INSERT INTO trials VALUES (?, ?, 1, 'COMPLETE', NULL, NULL)", ((i + 1, i) for i in range(n)))
    base.executemany("INSERT INTO trial_values VALUES (?, ?, 0, 0.5, 'FINITE')", ((i + 1, i + 1) for i in range(n)))
    base.executemany("INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?, ?, ?, ?)",
                     (row for i in range(n) for row in ((i + 1, "a", i % 2, arm), (i + 1, f"x{i % 999}", 0.5, real))))
    base.commit()
    base.close()
    return path


def seconds_of(*command):
    """Of processors, of a command that succeeds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        check(False, f"{command}: {done.stderr[-300:]}")
        finish()
    return after.ru_utime - before.ru_utime


def grows(what, few, many):
    check(many < MOST * max(few, 0.02), f"{what}: {few:.2f} s for {FEW}, {many:.2f} s for {MANY}")


with folder() as d:
    for what, lines in RECORDED.items():
        files = [write(f"{d}/{n}.csv", HEAD + lines(n)) for n in (FEW, MANY)]
        grows(f"import of {what}",
              *(seconds_of(MAXK, "import", file, "--from", "table", "-o", f"{file}.out.csv") for file in files))
        if what != "iterations":
            grows(f"survey of {what}", *(seconds_of(MAXK, "survey", f"{file}.out.csv", "--csv") for file in files))
    grows("import of trials of Optuna", *(seconds_of(MAXK, "import", optuna(f"{d}/{n}.db", n), "--arm", "a", "-o", f"{d}/o.csv")
                                          for n in (FEW, MANY)))
    script = write(f"{d}/study.py", STUDY)
    laps = [dict(line.split(":") for line in subprocess.run([sys.executable, script, str(n), f"{d}/s{n}.h5"], capture_output=True,
                                                            text=True, env=python_environment(),
                                                            timeout=1200).stdout.splitlines()) for n in (FEW, MANY)]
    check(len(laps[1]) == 8, f"a study reaches its end: {list(laps[1])}")
    for what in laps[1]:
        grows(what, float(laps[0][what]), float(laps[1][what]))
finish()
