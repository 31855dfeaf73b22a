"""The time for a hundred thousand names: instances, arms and repetitions of recorded runs, labels, trials, configurations of
studies. With four times as many everything takes about four times as long; what is quadratic takes sixteen times as long."""
import os
import resource
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, ordinary_build_only, python_environment, write

ordinary_build_only("times")
FEW, MANY, MOST = 25000, 100000, 9  # MOST: times as long
HEAD = "instance,arm,repetition,iteration,loss\n"
RECORDED = {
    "instances": lambda n: "".join(f"d{i},{a},0,0,{i % 7}\n" for i in range(n) for a in "ab"),
    "arms": lambda n: "".join(f"d,a{i},0,0,{i % 7}\n" for i in range(n)),
    "repetitions": lambda n: "".join(f"d,{a},{i},0,{i % 7}\n" for i in range(n) for a in "ab"),
    "iterations": lambda n: "".join(f"d,{a},0,{i},{i % 7}\n" for i in range(n) for a in "ab"),
    "configurations": lambda n: "".join(f'd,"{{""n"": {i % 999}, ""x{i % 999}"": 1, ""a"": ""{i % 2}""}}",0,{i},1\n'
                                        for i in range(n))}
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
        files = [write(f"{d}/{n}.csv", HEAD.replace("arm", "configuration" if what == "configurations" else "arm") + lines(n))
                 for n in (FEW, MANY)]
        grows(f"import of {what}", *(seconds_of(MAXK, "import", file, "--from", "table", "--arm", "a" if what == "configurations" else
                                                "arm", "-o", f"{file}.out.csv") for file in files))
        if what in ("instances", "arms", "repetitions"):
            grows(f"survey of {what}", *(seconds_of(MAXK, "survey", f"{file}.out.csv", "--csv") for file in files))
    script = write(f"{d}/study.py", STUDY)
    laps = [dict(line.split(":") for line in subprocess.run([sys.executable, script, str(n), f"{d}/s{n}.h5"], capture_output=True,
                                                            text=True, env=python_environment(),
                                                            timeout=1200).stdout.splitlines()) for n in (FEW, MANY)]
    check(len(laps[1]) == 8, f"a study reaches its end: {list(laps[1])}")
    for what in laps[1]:
        grows(what, float(laps[0][what]), float(laps[1][what]))
finish()
