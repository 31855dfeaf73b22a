"""Studies in Python: the same trials for any executor and over sessions, and as `maxk tune` chooses; spaces, failures, warm
starts, budgets, threads, processes."""
import contextlib
import gc
import io
import logging
import math
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment, raises, refused, run, write

ENVIRONMENT = python_environment()
enter(ENVIRONMENT)

sys.path.insert(0, "sim/python")
import numpy as np
import pandas

import maxk
from maxk import Categorical, Integer, Real, Study

ARMS = {"svc": {"C": Real(1e-3, 1e3, log=True), "kernel": Categorical(["rbf", "poly"]),
                "degree": Integer(2, 5, when={"kernel": "poly"})},
        "knn": {"n": Integer(1, 50), "weights": Categorical([None, "distance", True, 2.5])},
        "dummy": {}}


def value_of(trial):
    """Smaller is better; a function of the trial alone."""
    p = trial.params
    if trial.arm == "svc":
        return (math.log10(p["C"]) - 1) ** 2 + 0.1 * p.get("degree", 0)
    return abs(p["n"] - 7) / 5 + (p["weights"] is None) if trial.arm == "knn" else 3.0


def objective(trial):
    if trial.seed % 9 == 0:
        raise ValueError("no luck,\nreally")
    return value_of(trial)


def slow(trial):
    """The later a trial starts, the sooner it ends."""
    time.sleep(0.002 * (5 - trial.number % 6))
    return objective(trial)


def table(study):
    return study.trials_dataframe().drop(columns="seconds")


def played(n=40, on=objective, executor=None, **options):
    study = Study(ARMS, direction="minimize", seed=3, **options)
    study.optimize(on, n, executor=executor)
    return study


def same_for_all_executors():
    first = played()
    frame = first.trials_dataframe()
    check(len(frame) == 40 and list(frame["number"]) == list(range(40)) and len(first) == 40, "a row for each trial")
    ok = frame[frame["status"] == "ok"]
    check(set(frame["status"]) == {"ok", "failed"} and frame["why"][frame["status"] == "failed"].str.contains("no luck").all()
          and (frame["seconds"] >= 0).all(), "failures with their reasons, seconds")
    check(first.best_value == ok["value"].min() and first.best_trial.number == ok["value"].idxmin()
          and first.best_arm == first.best_trial.arm and value_of(first.best_trial) == first.best_value,
          "the best is the smallest")
    kinds = {name: {type(t.params[name]) for t in first.trials if name in t.params} for name in ("C", "degree", "n", "weights")}
    check(kinds["C"] == {float} and kinds["degree"] <= {int} and kinds["n"] == {int}
          and kinds["weights"] <= {type(None), str, bool, float}, f"values have the types of their spaces: {kinds}")
    svc = [t for t in first.trials if t.arm == "svc"]
    check(all(("degree" in t.params) == (t.params["kernel"] == "poly") for t in svc) and {t.params["kernel"] for t in svc} ==
          {"rbf", "poly"}, "conditions hold")
    for name, make in {"one thread": lambda: ThreadPoolExecutor(1), "two threads": lambda: ThreadPoolExecutor(2),
                       "six threads": lambda: ThreadPoolExecutor(6), "two processes": lambda: ProcessPoolExecutor(2)}.items():
        with make() as executor:
            check(table(played(on=slow, executor=executor)).equals(table(first)), f"{name}: the same trials")
    return first


def other_order():
    """Asked and reported by hand, the last asked first."""
    study, flying = Study(ARMS, direction="minimize", seed=3, n_trials=40), []
    while len(study) < 40 or flying:
        try:
            flying.append(study.ask())
            continue
        except maxk.InputError as problem:
            whole = "8 trials may be without results" in str(problem) or "all 40 trials" in str(problem)
        check(whole, "no trial until one is reported") if not whole else None
        trial = flying.pop()
        if trial.seed % 9:
            study.tell(trial, value_of(trial), seconds=1)
        else:
            study.fail(trial, "ValueError: no luck,\nreally")
    return study


def as_the_program(directory):
    """`maxk tune` with a program of the same values."""
    script = write(f"{directory}/value.py", "import json, os, sys, math\n"
                   "p = json.load(open(os.environ['MAXK_CONFIG'])); arm = os.environ['MAXK_ARM']\n"
                   "if int(os.environ['MAXK_SEED']) % 9 == 0: sys.exit(1)\n"
                   "print((math.log10(p['C']) - 1) ** 2 if arm == 'svc' else abs(p['n'] - 7) / 5)\n")
    arms = {"svc": {"C": Real(1e-3, 1e3, log=True)}, "knn": {"n": Integer(1, 50)}}
    tune = write(f"{directory}/t.yaml", f"""name: t
command: [{sys.executable}, {script}]
metric: {{last_number: true, maximize: false}}
policy: {{name: max_ucb, alpha: 0.5}}
budget: {{evaluations: 25}}
seed: 3
lag: 4
arms:
  - {{label: svc, space: {{C: {{real: [0.001, 1000], log: true}}}}}}
  - {{label: knn, space: {{n: {{integer: [1, 50]}}}}}}
""")
    run("tune", tune, "-q", "-o", f"{directory}/program.h5")
    study = Study(arms, policy={"name": "max_ucb", "alpha": 0.5}, direction="minimize", seed=3, lag=4, path=f"{directory}/t")
    study.optimize(lambda t: 1 / 0 if t.seed % 9 == 0 else
                   (math.log10(t.params["C"]) - 1) ** 2 if t.arm == "svc" else abs(t.params["n"] - 7) / 5, 25)

    program, ours = (maxk.table("trials", f"{directory}/{name}.h5") for name in ("program", "t"))
    check(program.drop(columns=["seconds", "why"]).equals(ours.drop(columns=["seconds", "why"])) and len(ours) == 25 and
          open(f"{directory}/program.csv").read() == open(f"{directory}/t.csv").read(), "the trials and files of `maxk tune`")
    best = open(f"{directory}/t.best.yaml").read()
    check(f"arm: {study.best_arm}" in best and "command" not in best, "the best configuration in a file")


def exception_without_text():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    def value(trial):
        if trial.number:
            return 1.0
        raise Mute
    study = Study({"a": {}}, seed=1)
    study.optimize(value, 3)
    why = list(study.trials_dataframe().why)
    check(why == ["Mute", "", ""], f"an exception whose text cannot be made is a failed trial: {why}")


def both_ways(directory):
    """A study that is begun in Python is continued by a program, and the other way round, with the files of either."""
    script = write(f"{directory}/both.py", "import json, os, sys\np = json.load(open(os.environ['MAXK_CONFIG']))\n"
                   "if int(os.environ['MAXK_SEED']) % 9 == 0: sys.exit(1)\n"
                   "print((p['x'] - 0.3) ** 2 if os.environ['MAXK_ARM'] == 'real' else p['n'] / 50 + (p['k'] == 'None'))\n")
    arms = {"real": {"x": Real(0, 1)}, "other": {"n": Integer(1, 50), "k": Categorical([None, "a:b", 1])}}
    program = [f"command=[{sys.executable}, {script}]", "metric.last_number=true"]
    sets = [word for one in program for word in ("-s", one)]

    def value(trial):
        if trial.seed % 9 == 0:
            raise ValueError
        return (trial.params["x"] - 0.3) ** 2 if trial.arm == "real" else trial.params["n"] / 50 + (trial.params["k"] is None)

    def begun(name, **options):
        return Study(arms, policy={"name": "max_ucb", "alpha": 0.5}, direction="minimize", lag=4, seed=3, crash=2.5,
                     path=f"{directory}/{name}", resume=True, **options)
    study = begun("whole")
    study.optimize(value, 25)
    whole = maxk.table("trials", study.path).drop(columns=["seconds", "why", "instance"])
    study.close()

    def same(name):
        return maxk.table("trials", f"{directory}/{name}.h5").drop(columns=["seconds", "why", "instance"]).equals(whole)
    study = begun("ours")
    study.optimize(value, 7)
    study.optimize(value, 3)
    study.close()
    text = open(f"{directory}/ours.tune.yaml").read()
    check("\nbudget: {evaluations: 10}\n" in text and "\npolicy: {name: max_ucb, " in text and "command" not in text,
          f"the file of a study: {text[:300]!r}")
    ours = ["tune", f"{directory}/ours.tune.yaml", *sets, "-q", "-o", f"{directory}/ours.h5", "--resume"]
    run(*ours, "-s", "budget.evaluations=25")
    check(same("ours"), "begun in Python, continued by maxk tune: the trials of a whole study")
    text = open(f"{directory}/ours.tune.yaml").read()
    check(script in text and "evaluations: 25" in text, f"the file of maxk tune: {text[:300]!r}")
    run(*ours[:2], "-q", "-o", f"{directory}/again.h5")
    check(same("again"), "which maxk tune reads again")
    study = begun("ours")
    study.optimize(value, 25)
    check(len(study) == 25 and study.best_value == value(study.best_trial), "and Python has what the program has printed")
    study.close()
    spaces = ("real, space: {x: {real: [0, 1]}}", "other, space: {n: {integer: [1, 50]}, k: {categorical: [None, 'a:b', 1]}}")
    tune = write(f"{directory}/mine.yaml", f"""instance: heart
timeout: 60
limits: {{memory: 9e9}}
command: [{sys.executable}, {script}]
metric: {{last_number: true, maximize: false}}
crash: {{value: 2.5}}
policy: {{name: max_ucb, alpha: 0.5}}
budget: {{evaluations: 10}}
seed: 3
lag: 4
arms: [{", ".join(f"{{label: {space}}}" for space in spaces)}]
""")
    # Where maxk is built with sanitizers, this Python has theirs loaded, which need more address space than the limit.
    plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    run("tune", tune, "-q", "-o", f"{directory}/theirs.h5", env=plain)
    study = begun("theirs")
    check(len(study) == 10, "begun by maxk tune")
    study.optimize(value, 25)
    check(same("theirs"), "continued in Python: the trials of a whole study")
    study.close()
    for option, what in (("seed=4", "seed: 3"), ("lag=5", "lag: 4"), ("crash=worst", "crash: {value: 2.5}")):
        refused(f"another study, {what}", what, *ours, "-s", "budget.evaluations=30", "-s", option)
    study = Study(arms, policy="uniform", optimizer={"name": "hyperband", "R": 3}, path=f"{directory}/parts", n_trials=40)
    study.optimize(lambda trial: 1.0, 20)
    study.close()
    parts = ["tune", f"{directory}/parts.tune.yaml", "-q", "-o", f"{directory}/parts.h5", "--resume", "-s",
             "metric.regex=^(1)"]
    refused("a program that cannot evaluate in part", "has no {fidelity}", *parts, "-s", "command=[echo, 1]")
    run(*parts, "-s", "command=[echo, 1, '{fidelity}']")


def sessions(directory, first):
    """A script that is killed in the middle, and run again."""
    def begun():
        return Study(ARMS, direction="minimize", seed=3, path=f"{directory}/kill", resume=True)
    script = f"""import os, sys
sys.path[:0] = ["sim/python", "tests/command"]
import maxk
os.environ["MAXK_TEST_IMPORTED"] = "1"
import test_python_study as test
seen = []
def objective(trial):
    seen.append(trial)
    if len(seen) == 12: os._exit(9)
    return test.objective(trial)
maxk.Study(test.ARMS, direction="minimize", seed=3, path={f"{directory}/kill"!r}, resume=True).optimize(objective, 40)
"""
    codes = [subprocess.run([sys.executable, "-c", script]).returncode for _ in range(2)]
    check(codes == [9, 9], f"killed twice: {codes}")
    raises(maxk.InputError, "without resume nothing is destroyed", "resume=True", Study(
        ARMS, direction="minimize", seed=3, path=f"{directory}/kill").ask)
    study = begun()
    study.optimize(objective, 30)
    check(len(study) == 30, "n_trials counts the trials of earlier sessions")
    other = subprocess.run([sys.executable, "-c", f"""import sys
sys.path[:0] = ["sim/python", "tests/command"]
import maxk
import test_python_study as test
maxk.Study(test.ARMS, direction="minimize", seed=3, path={f"{directory}/kill"!r}, resume=True).ask()
"""], capture_output=True, text=True)
    check(other.returncode == 1 and "InputError" in other.stderr and "in use by another process" in other.stderr,
          f"two processes never share a folder: {other.stderr.strip().splitlines()[-1:]}")
    study.optimize(objective, 10)
    check(table(study).equals(table(first)), "over three sessions: the same trials")
    study.close()
    study = begun()
    study.optimize(objective, 40)
    check(len(study) == 40, "a complete study has nothing left to do")
    study.close()
    study = begun()
    for n in (25, 20):
        study.optimize(objective, n)
    check(len(study) == 45 and table(study)[:40].equals(table(first)), "a script of several calls: those before are done")
    study.close()
    other = Study(ARMS, direction="maximize", seed=3, path=f"{directory}/kill", resume=True)
    raises(maxk.InputError, "another study", "belongs to another run", other.ask)
    again = Study(ARMS, direction="minimize", seed=4, path=f"{directory}/kill")
    again.optimize(objective, 5)
    check(os.path.exists(f"{directory}/kill.h5.previous") and len(maxk.table("trials", again.path)) == 5,
          "a complete study is kept as .previous")
    check(len(maxk.open_result(again.path).arms) == 3, "the result opens")


def notebook(directory):
    """A cell that is run again in one process: nothing keeps the study of the first time but what holds it on purpose."""
    gc.disable()
    for n in (10, 20):
        study = Study(ARMS, direction="minimize", seed=3, path=f"{directory}/cell", resume=True)
        study.optimize(objective, n)
        check(len(study) == n, f"a cell that is run again: {n} trials")
    gc.enable()
    kept, running = study, threading.Event()
    again = Study(ARMS, direction="minimize", seed=3, path=f"{directory}/cell", resume=True)
    again.optimize(objective, 25)
    check(len(again) == 25, "a study that something holds, such as a traceback, gives the journal back")
    check(len(kept) == 25 and len(again) == 25, "each takes it when it is used")
    plain = Study(ARMS, direction="minimize", seed=3, path=f"{directory}/cell")
    raises(maxk.InputError, "one that does not resume takes nothing", "in use by another Study of this process", plain.ask)

    def waits(trial):
        running.set()
        time.sleep(0.3)
        return 1.0
    thread = threading.Thread(target=again.optimize, args=(waits, 1))
    thread.start()
    running.wait(30)
    raises(maxk.InputError, "optimize keeps it", "in use by another Study of this process", kept.ask)
    thread.join()
    again.close()


def first_calls():
    """Calls of few trials: fewer than arms, one by one."""
    study = Study(ARMS, direction="minimize", seed=3)
    for _ in range(40):
        study.optimize(objective, 1)
    check(table(study).equals(table(played())), "one trial at a time: the same trials")
    raises(maxk.InputError, "n_trials below the number of arms", "n_trials: expected at least the number of arms, 3, got 2",
           Study, ARMS, n_trials=2)
    planned = Study(ARMS, policy="max_ucb_remaining")
    planned.optimize(value_of, 5)
    raises(maxk.InputError, "a plan that was made for the first call", "plans for the budget, 5 trials so far", planned.optimize,
           value_of, 900)
    seconds = []
    for n in (300, 1500):
        study, begin = Study({"a": {"x": Real(0, 1)}, "b": {"x": Real(0, 1)}}, optimizer="random"), time.process_time()
        for _ in range(n):
            study.optimize(lambda trial: trial.params["x"], 1)
        seconds.append((time.process_time() - begin) / n)
    check(seconds[1] < 3 * seconds[0], f"the time of a call does not grow with the trials before it: {seconds}")


def values_out_of_range():
    strange = {1: 1e200, 2: -1e101, 3: math.nan, 4: 10 ** 400, 5: 1j, 6: None, 7: [1, 2], 8: "\ud800", 9: 1e100}
    study = Study(ARMS)
    study.optimize(lambda trial: strange.get(trial.number, 1.0), 12)
    failed = {t.number: t.why for t in study.trials if t.status == "failed"}
    check(len(study) == 12 and set(failed) == set(range(1, 9)) and all(failed.values()) and study.best_value == 1e100
          and "1e+200; expected a finite number up to 1e+100" in failed[1], f"values that are none are failed trials: {failed}")
    trial = study.ask()
    study.tell(trial, -1e200)
    check(study.trials[12].status == "failed" and "-1e+200; expected" in study.trials[12].why, "reported by tell, too")


def shared_by_threads():
    """An exception in one call of optimize leaves the trials of others alone."""
    def failing(trial):
        raise KeyboardInterrupt
    study = Study(ARMS, direction="minimize", seed=3)
    held = [study.ask() for _ in range(3)]
    begun, ready = threading.Event(), threading.Event()

    def slowly(trial):
        begun.set()
        ready.wait(30)
        return objective(trial)
    other = threading.Thread(target=study.optimize, args=(slowly, 10))
    other.start()
    begun.wait(30)
    try:
        study.optimize(failing, 5)
    except KeyboardInterrupt:
        pass
    mine = study.ask()
    check(mine.number == 4, f"the trial of the call that was interrupted comes again: {mine.number}")
    for trial in [*held, mine]:
        study.tell(trial, 2.0) if trial.seed % 9 else study.fail(trial)
    ready.set()
    other.join()
    check(len(study) == 14 and all(t.status != "running" for t in study.trials), f"the other call has its ten: {len(study)}")
    study = Study(ARMS, lag=4)
    held = [study.ask() for _ in range(4)]
    raises(maxk.InputError, "all of lag are held by hand", "optimize: 4 trials of ask() are without results", study.optimize,
           value_of, 5)
    study.tell(held[0], 1.0)
    threads = [threading.Thread(target=study.optimize, args=(lambda trial: time.sleep(0.001) or value_of(trial), 20))
               for _ in range(2)]
    for trial in held[1:]:
        study.tell(trial, 1.0)
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    check(len(study) == 44, f"two calls at a time: all trials of both: {len(study)}")


def exits(trial):
    sys.exit(3) if trial.number == 4 else None
    return 1.0


def programs_that_end():
    for executor in (None, ThreadPoolExecutor(2), ProcessPoolExecutor(1)):
        study = Study(ARMS)
        try:
            study.optimize(exits, 9, executor=executor)
            check(False, "nothing was raised")
        except SystemExit as end:
            status = [t.status for t in study.trials]
            check(end.code == 3 and status[4] == "running" and study.ask().number == status.index("running"),
                  f"sys.exit of an objective ends {executor}, and its trial comes again")


def interrupted():
    """Ctrl-C and errors of callbacks: what was running is asked for again."""
    study, calls = Study(ARMS, direction="minimize", seed=3), []

    def stopping(trial):
        calls.append(trial.number)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return objective(trial)
    try:
        study.optimize(stopping, 40)
    except KeyboardInterrupt:
        pass
    check(calls[-1] == 9 and study.ask().number == 9, "the trial that was interrupted comes again")
    first = played(n=40)
    study.tell(9, *([value_of(first.trials[9])] if first.trials[9].status == "ok" else []), failed=first.trials[9].status != "ok",
               why=first.trials[9].why)
    study.optimize(objective, 30)
    check(table(study).equals(table(first)), "and the study goes on as if nothing had happened")
    seen = []
    study = Study(ARMS, n_trials=12)
    study.optimize(objective, callbacks=[lambda s, t: seen.append((t.number, t.status)), lambda s, t: t.number < 6 or s.stop()])
    check(len(study) == 7 and [n for n, _ in seen] == list(range(7)), "callbacks see every trial, and stop the study")
    start = time.monotonic()
    study.optimize(lambda t: time.sleep(0.02) or 1.0, timeout=0.2)
    check(time.monotonic() - start < 5 and 7 <= len(study) <= 12, "a timeout ends it")
    with contextlib.redirect_stderr(io.StringIO()) as text:
        Study(ARMS).optimize(objective, 5, progress=True)
    check("5 of 5 trials, best " in text.getvalue(), f"progress: {text.getvalue()!r}")


class Losing(ThreadPoolExecutor):
    """Loses the worker of every fourth trial, of trial 5 for good."""

    def __init__(self, fatal):
        super().__init__(3)
        self.fatal, self.lost = fatal, set()

    def submit(self, function, *arguments):
        number = arguments[1].number
        if (number % 4 == 3 and number not in self.lost) or (self.fatal and number == 5):
            self.lost.add(number)
            lost = Future()
            lost.set_exception(ConnectionError("the worker is gone"))
            return lost
        return super().submit(function, *arguments)


def lost_workers(first):
    with Losing(False) as executor:
        check(table(played(executor=executor)).equals(table(first)), "trials of lost workers are run again: the same trials")
    study = Study(ARMS, direction="minimize", seed=3)
    with Losing(True) as executor:
        raises(maxk.Error, "a trial whose workers are lost again and again", "trial 5: its worker was lost 3 times",
               study.optimize, objective, 40, executor=executor)
    study.optimize(objective, 40 - len(study))
    check(len(study) == 40 and table(study).equals(table(first)), "nothing is lost")
    with ProcessPoolExecutor(2) as executor:
        raises(maxk.Error, "a process that dies", "worker was lost", Study(ARMS).optimize, dying, 9, executor=executor)


def dying(trial):
    os._exit(3) if trial.number == 4 else None
    return 1.0


def warm_starts(first):
    for text, old in {"a study": first, "its data frame": first.trials_dataframe(), "its trials": first.trials, "dictionaries": [
            {"arm": t.arm, "params": t.params, "value": t.value} for t in first.trials]}.items():
        study = Study(ARMS, direction="minimize", seed=8)
        study.add_trials(old)
        good = sum(t.status == "ok" for t in first.trials)
        check(len(study) == good and study.best_value == first.best_value and all(t.added for t in study.trials), f"from {text}")
        study.optimize(objective, 5)
        check(len(study) == good + 5 and study.trials[-1].number == good + 4, "and five trials more")
    raises(maxk.InputError, "after the first trial", "before the first one", Study.add_trials, played(3), first)
    fresh = Study(ARMS)
    raises(maxk.InputError, "of an arm that there is not", "'tree'", fresh.add_trials,
           [{"arm": "tree", "params": {}, "value": 1}])
    raises(maxk.InputError, "outside the space", "n", fresh.add_trials,
           [{"arm": "knn", "params": {"n": 51, "weights": None}, "value": 1}])


def warm_starts_with_metrics():
    """Earlier results bring the further metrics that the study has; those that violate a constraint are left out."""
    rows = [{"arm": "knn", "params": {"n": 5, "weights": None}, "value": 0.5, "metrics": {"memory": 50, "other": 1}},
            {"arm": "knn", "params": {"n": 6, "weights": None}, "value": 0.1, "metrics": {"memory": 80}},
            {"arm": "knn", "params": {"n": 7, "weights": None}, "value": 0.7}]
    everything = Study(ARMS, direction="minimize", metrics=["memory", "other"])
    everything.add_trials(rows)
    for old in (rows, everything, everything.trials_dataframe()):
        study = Study(ARMS, direction="minimize", metrics=["memory"], subject_to={"memory": {"at_most": 60}})
        study.add_trials(old)
        check([(t.value, t.metrics) for t in study.trials] == [(0.5, {"memory": 50}), (0.7, {})] and study.best_value == 0.5,
              f"metrics of earlier results: {[(t.value, t.metrics) for t in study.trials]}")
    raises(maxk.InputError, "metrics that are no numbers", "memory", Study(ARMS, metrics=["memory"]).add_trials,
           [{**rows[0], "metrics": {"memory": "much"}}])


def warm_starts_again(directory, first):
    """A script with earlier results is run again; results from a CSV file, where None is an empty cell."""
    frame = first.trials_dataframe()
    frame.to_csv(f"{directory}/old.csv", index=False)
    read = pandas.read_csv(f"{directory}/old.csv", float_precision="round_trip")
    columns = {name: list(frame[name]) for name in frame}
    found, results = [], [t for t in first.trials if t.status == "ok"]
    for session, old in enumerate((first, read, columns)):
        study = Study(ARMS, direction="minimize", seed=8, path=f"{directory}/warm", resume=True)
        study.add_trials(old)
        study.optimize(objective, 5 + 3 * session)
        found.append(table(study))
        if session == 2:
            raises(maxk.InputError, "other earlier results", "has trials", study.add_trials, results[:1])
        study.close()
    good = len(results)
    check([len(one) for one in found] == [good + 5, good + 8, good + 11] and found[2][:good + 8].equals(found[1]),
          f"a warm start that is run again adds nothing: {[len(one) for one in found]}")
    weights = [t.params["weights"] for t in first.trials if t.arm == "knn" and t.status == "ok"]
    check({type(w) for w in weights} >= {type(None), float} and found[0]["params_weights"].iloc[:good].equals(
        frame[frame["status"] == "ok"]["params_weights"].reset_index(drop=True)), "with the values None, True and 2.5")
    study = Study(ARMS, direction="minimize", seed=8, path=f"{directory}/warm", resume=True)
    raises(maxk.InputError, "not the earlier results of the journal", "other earlier results", study.add_trials, results[::-1])
    study.close()
    space = {"a": {"k": Categorical([None, "x"]), "m": Categorical([None, 1, 2], when={"k": "x"}), "n": Integer(1, 9),
                   "b": Categorical([None, "y"], when={"n": "> 4", "k": [None, "x"]})}}
    rows = pandas.DataFrame([{"arm": "a", "params_k": "x", "params_m": 1.0, "params_n": 3.0, "value": 1.0},
                             {"arm": "a", "params_k": None, "params_n": 7.0, "params_m": None, "params_b": None, "value": 2.0}])
    study = Study(space)
    study.add_trials(rows)
    check([t.params for t in study.trials] == [{"k": "x", "m": 1, "n": 3}, {"k": None, "n": 7, "b": None}],
          f"conditions tell what is not active from None: {[t.params for t in study.trials]}")


def prepared(directory):
    """Earlier results and a configuration that were given to a study which then ended, before its first result."""
    results = [{"arm": "dummy", "params": {}, "value": 0.1 * i} for i in range(1, 6)]
    options = {"direction": "minimize", "seed": 8, "path": f"{directory}/prepared"}
    knn = {"n": 7, "weights": None}
    with Study(ARMS, **options) as study:
        study.add_trials(results)
        study.enqueue(knn, "knn")
        study.ask()
    with Study.open(options["path"]) as study:
        study.optimize(objective, 3)
        check([t.value for t in study.trials[:5]] == [one["value"] for one in results] and len(study) == 8 and
              study.trials[5].params.items() >= knn.items(), "they are there in the next session")
    journal = f"{directory}/prepared.trials/journal"
    lines = open(journal).readlines()
    for left, then in ((3, results), (3, []), (5, results[:2])):
        adds = [i for i, line in enumerate(lines) if line.startswith("add ")]
        with open(journal, "w") as f:
            f.writelines(lines[:adds[0] + left])
        with Study(ARMS, **options, resume=True) as study:
            study.add_trials(then)
            found = [t.value for t in study.trials]
        check(found == [one["value"] for one in results][:max(left, len(then))],
              f"{left} of 5 are there when {len(then)} are added again: {found}")


def damaged_journals(directory):
    """A journal one of whose lines is damaged, or stands there twice, is continued from the lines before it."""
    options = {"direction": "minimize", "seed": 3, "optimizer": "random", "n_trials": 12, "path": f"{directory}/damaged.h5"}
    Study(ARMS, **options).optimize(objective)
    journal = f"{directory}/damaged.trials/journal"
    with open(journal) as f:
        lines = f.read().splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("ask "))
    wanted = Study(ARMS, **options, resume=True)
    frame, good, kept = table(wanted), 0, 0
    wanted.close()
    ends = [i for i, line in enumerate(lines) if line.startswith("end ")]
    twice = lines[:ends[7] + 1] + [lines[ends[2]]] + lines[ends[7] + 1:]  # as version 1.0 wrote when the disk was full
    unasked = lines[:ends[4] - 1] + lines[ends[4]:]
    cases = [(lines[:i] + [lines[i].replace(" ", " 7", 1)] + lines[i + 1:], i) for i in range(first, len(lines) - 1)]
    for n, (damaged, at) in enumerate([*cases, (twice, ends[7] + 1), (unasked, ends[4] - 1)]):
        before = sum(i < at for i in ends)
        write(journal, "".join(damaged))
        try:
            len(Study(ARMS, **options, resume=True))
        except maxk.InputError as problem:
            offered = f'continue from the {before} result{"s" * (before > 1)} before it with resume="repair"'
            good += f"journal:{at + 1}: " in str(problem) and (offered in str(problem) or not before)
        study = Study(ARMS, **options, resume="repair")
        ended = sum(trial.status != "running" for trial in study.trials)
        study.optimize(objective)
        good += ended == before and table(study).equals(frame)
        study.close()
        with open(f"{journal}.damaged{f'.{n + 1}' if n else ''}") as f:
            kept += f.read() == "".join(damaged)
    n = len(cases) + 2
    check(n > 24 and good == 2 * n, f"{n} damaged journals are continued from what is before the damage: {good} of {2 * n}")
    check(kept == n, "and kept as they were")
    study = Study(ARMS, **options, resume="repair")
    check(len(study) == 12 and not os.path.exists(f"{journal}.damaged.{n + 1}"), "one that is whole is resumed")
    raises(maxk.InputError, "another word", "resume", Study, ARMS, path=f"{directory}/damaged.h5", resume="mend")


def other_folder(directory):
    """The files of a study stay where they are when the current folder is another one."""
    here = os.getcwd()
    os.makedirs(f"{directory}/one")
    os.makedirs(f"{directory}/two")
    os.chdir(f"{directory}/one")
    try:
        study = Study(ARMS, path="moved", seed=3)
        study.optimize(value_of, 5)
        os.chdir(f"{directory}/two")
        study.optimize(value_of, 5)
        check(os.listdir(".") == [] and len(maxk.table("trials", study.path)) == 10 and study.path.is_absolute(),
              f"nothing in the new one: {os.listdir('.')}")
        study.close()
    finally:
        os.chdir(here)


def seeds():
    drawn = [Study(ARMS, seed=np.random.default_rng(9)) for _ in range(2)]
    rng = np.random.default_rng(9)
    drawn += [Study(ARMS, seed=rng), Study(ARMS, seed=rng)]
    first = [[study.ask().seed for _ in range(4)] for study in drawn]
    check(first[0] == first[1] == first[2] != first[3], "a generator of numpy draws the seed, and goes on")


def budgets():
    planned = Study(ARMS, policy="max_ucb_remaining", n_trials=20)
    planned.optimize(value_of)
    check(len(planned) == 20, "n_trials of the study is the default of optimize")
    raises(maxk.InputError, "a plan cannot be extended", "expected Study(n_trials=…)", planned.optimize, value_of, 980)
    raises(maxk.InputError, "all trials asked for", "all 20 trials", planned.ask)
    free = Study({"a": {"x": Real(0, 1)}}, optimizer="random")
    for _ in range(1001):
        free.tell(free.ask(), 0.5)
    check(len(free) == 1001, "without n_trials a study has no end")
    free.optimize(lambda t: t.params["x"], 100)
    check(len(free) == 1101 and free.best_value > 0.9, "trials asked by hand do not count for optimize")
    halving = Study({"a": {"x": Real(0, 1)}}, optimizer={"name": "successive_halving"}, n_trials=100)
    halving.optimize(lambda t: t.params["x"] * t.fidelity)
    check({t.fidelity < 1 for t in halving.trials} == {True, False} and halving.best_trial.fidelity == 1,
          "evaluations in part are not the best")
    combined = Study(ARMS, combined="random", direction="minimize")
    combined.optimize(value_of, 20)
    check(len({t.arm for t in combined.trials}) == 3, "a combined search")
    fewest = [Study(ARMS, n_trials=3), Study(ARMS, combined="random", n_trials=1)]
    for study in fewest:
        study.optimize(value_of)
    check([len(study) for study in fewest] == [3, 1], "a trial for each arm suffices, one of a combined search")
    raises(maxk.InputError, "which nothing can be simulated for", "combined", combined.simulate, "random")
    mixed = Study(ARMS, optimizer={"svc": "random", "knn": {"name": "tpe"}, "dummy": "random"})
    mixed.optimize(value_of, 4)


def told(directory):
    """The study has the results that tell and fail report; seconds that are not given are measured."""
    def value(trial):
        return trial.params["x"]

    for direction, best in (("maximize", -2.5), ("minimize", -3.5)):
        study = Study(ARMS, direction=direction, metrics=["memory"], n_trials=8)
        one, two, three, four, five = (study.ask() for _ in range(5))
        study.tell(one, -3.5, seconds=12.5, metrics={"memory": -8})
        study.tell(two, -2.5)
        study.tell(three, failed=True, why="no licence", seconds=0.25)
        study.tell(four, -math.inf)
        study.fail(five, "gone", seconds=4)
        found = study.trials
        check([t.status for t in found] == ["ok", "ok", "failed", "failed", "failed"] and study.best_value == best,
              f"{direction}: {[(t.status, t.value) for t in found]}")
        check([found[i].seconds for i in (0, 2, 4)] == [12.5, 0.25, 4] and 0 <= found[1].seconds < 100, "seconds")
        check([found[2].why, found[4].why] == ["no licence", "gone"] and found[3].why.startswith("the value is -inf; expected a"),
              f"why: {[t.why for t in found]}")
        check(found[0].metrics == {"memory": -8} and not any(t.metrics for t in found[1:]), "metrics that were reported")
        study.optimize(value_of, timeout=0)
        study.optimize(value_of, 2)
        check(len(study) == 7, "no time is enough for no trial, and trials asked for by hand are beside those of optimize")
    costly = Study({"a": {"x": Real(0, 1)}}, optimizer={"name": "gp", "per_cost": True}, metrics=["seconds"], cost="seconds")
    costly.optimize(lambda t: (t.params["x"], {"seconds": 7 + t.params["x"]}), 2)
    rows = maxk.table("trials", costly.save(f"{directory}/costly.h5"))
    check(list(rows["cost"]) == [t.metrics["seconds"] for t in costly.trials], "a metric that is called seconds is the cost")
    for cost in ({"metrics": ["price"], "cost": "price"}, {"cost": "seconds"}):
        costly = Study({"a": {"x": Real(0, 1)}}, optimizer={"name": "gp", "per_cost": True}, **cost)
        said = logged(lambda: costly.optimize(lambda t: (0.5, {"price": 2.0} if "metrics" in cost else {}), 2))
        check(said == [], f"the plan of a study with costs has them: {said}")
    held = Study(ARMS, lag=4)
    mine = held.ask()
    held.optimize(value_of, 3)
    held.tell(mine, 1.5)
    check(held.trials[0].value == 1.5 and len(held) == 4, "a trial of ask stays while optimize runs")
    stopped = Study({"a": {"x": Real(0, 1)}}, optimizer="random")
    stopped.optimize(value, 5, callbacks=lambda study, trial: study.stop() if trial.number == 1 else None)
    stopped.optimize(value, 3)
    check(len(stopped) == 5, "trials that a stopped call has not asked for are not owed by the next one")
    early = Study(ARMS, metrics=["memory"])
    early.add_trials([{"arm": "dummy", "params": {}, "value": x} for x in (math.inf, 2.0, math.nan, -math.inf)])
    early.add_trials([{"arm": "dummy", "params": {}, "value": 4.0, **more} for more in (
        {"status": "failed"}, {"status": "infeasible"}, {"fidelity": 0.5}, {"whole": 3.0}, {"status": "ok"})])
    check([(t.value, t.metrics) for t in early.trials] == [(2.0, {}), (3.0, {}), (4.0, {})],
          f"earlier results are finite, whole and of success, and lack metrics: {early.trials}")
    ordered = Study({"a": {"k": Categorical(["s", "m", "l"], ordered=True), "c": Categorical(["s", "m", "l"])}})
    ordered.optimize(lambda trial: 1.0, 2)
    with open(ordered.save(f"{directory}/ordered.h5").with_suffix(".tune.yaml")) as f:
        described = f.read()
    check(described.count("ordinal") == 1 and described.count("categorical") == 1, "values with an order")
    for choices, kinds in (([1, 2], "if"), ([1, 1.0], "O")):
        numbers = Study({"a": {"k": Categorical(choices)}})
        numbers.optimize(lambda trial: 1.0, 3)
        check(numbers.trials_dataframe()["params_k"].dtype.kind in kinds, f"a column of {choices}")


def wrong_use(directory):
    raises(maxk.InputError, "no arms", "arms: expected", Study, {})
    raises(maxk.InputError, "not a space", "svc: C: expected Real", Study, {"svc": {"C": (0, 1)}})
    raises(maxk.InputError, "a direction", "maximize or minimize", Study, ARMS, direction="up")
    raises(maxk.InputError, "a policy", "unknown policy", Study, ARMS, policy="max_ucbb")
    raises(maxk.InputError, "an optimiser", "optimizer", Study, ARMS, optimizer={"svc": "tpe"})
    raises(maxk.InputError, "a crash", "crash", Study, ARMS, crash="best")
    raises(maxk.InputError, "an instance without a text", "instances: expected distinct ones", Study, ARMS, instances=["u", ""])
    raises(maxk.InputError, "a range", "low <= high", Real, 1, 0)
    raises(maxk.InputError, "a log", "low > 0", Integer, 0, 5, log=True)
    raises(maxk.InputError, "a whole number", "whole number", Integer, 0.5, 5)
    for label in ("a\nb", "a\tb", " a", "a ", "", "a  b", "\u2028a"):
        raises(maxk.InputError, f"a label {label!r}", "expected labels without line breaks", Study, {label: {}, "b": {}})
    raises(maxk.InputError, "labels with one text", "two arms have the label '1'", Study, {1: {}, "1": {}})
    check(set(played_with({"ä ö": {}, "x:y, #z": {}, "'\"": {}})) == {"ä ö", "x:y, #z", "'\""}, "other labels are themselves")
    raises(maxk.InputError, "a set has no order", "whose order is kept", Categorical, {"u", "v"})
    raises(maxk.InputError, "nor has a number", "expected a list", Categorical, 3)
    raises(maxk.InputError, "a default", "default: expected one of ['u']", Categorical, ["u"], default="z")
    raises(maxk.InputError, "a condition that is none", "when: expected conditions", Real, 0, 1, when=3)
    raises(maxk.InputError, "a name that is none", "hyperparameters by name", Study, {"a": {3: Real(0, 1)}})
    raises(maxk.InputError, "values with one text", "texts differ", Categorical, [1, "1"])
    raises(maxk.InputError, "a word is no list", "list of values", Categorical, "abc")
    raises(maxk.InputError, "a condition", "unknown hyperparameter 'y'", Study, {"a": {"x": Real(0, 1, when={"y": 1})}})
    raises(maxk.InputError, "optimize without an end", "n_trials or timeout", Study(ARMS).optimize, objective)
    study = Study(ARMS)
    raises(maxk.Error, "no result yet", "no whole evaluation has succeeded", getattr, study, "best_value")
    raises(maxk.InputError, "save without a path", "in memory", study.save)
    trial = study.ask()
    raises(maxk.InputError, "nothing reported", "either a value or failed", study.tell, trial)
    raises(maxk.InputError, "another trial", "trial 7", study.tell, 7, 1.0)
    study.tell(trial, math.nan)
    check(study.trials[0].status == "failed" and "nan" in study.trials[0].why, "NaN is a failure")
    raises(maxk.InputError, "reported twice", "trial 0", study.tell, trial, 1.0)
    raises(maxk.Error, "ten failures", "the first 10 trials failed, the last one: ZeroDivisionError", Study(ARMS).optimize,
           lambda t: 1 / 0, 40)
    raises(maxk.Error, "a study does not travel", "cannot be pickled", pickle.dumps, study)
    strange = Study(ARMS)
    strange.optimize(lambda t: "abc" if t.number == 1 else math.inf if t.number == 2 else 1.0, 5)
    below = Study(ARMS)
    below.optimize(lambda t: -1e200 if t.number else -5.0, 3)
    check([t.status for t in below.trials] == ["ok", "failed", "failed"] and below.best_value == -5 and
          below.trials[2].why.startswith("the objective returned -1e+200; expected a finite number"), "nor is it too small")
    check([t.status for t in strange.trials] == ["ok", "failed", "failed", "ok", "ok"] and "ValueError" in strange.trials[1].why
          and "inf" in strange.trials[2].why, "what is no number is a failure")
    path = strange.save(f"{directory}/saved.h5")
    check(len(maxk.table("trials", path)) == 5 and "best" in repr(strange) and "<table" in strange._repr_html_(), "saved, shown")
    marked = Study({"<b>&": {}})
    marked.optimize(lambda trial: 1.0, 3)
    check("&lt;b&gt;&amp;" in marked._repr_html_() and "<b>" not in marked._repr_html_(), "labels are escaped")
    check(marked.best_trial.number == 0, "of equal values the first is the best")


def played_with(arms):
    study = Study(arms, policy="uniform")
    study.optimize(lambda trial: 1.0, 6)
    return [trial.arm for trial in study.trials]


def many_threads():
    study, told = Study(ARMS, lag=32), []

    def work():
        while len(told) < 300:
            try:
                trial = study.ask()
            except maxk.InputError:
                continue
            study.tell(trial, value_of(trial))
            told.append(trial.number)
    threads = [threading.Thread(target=work) for _ in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    check(sorted(told) == list(range(len(told))) and len(study) == len(told) >= 300, "six threads share a study")
    child = os.fork()
    if child == 0:
        try:
            study.ask()
        except maxk.Error as problem:
            os._exit(0 if "belongs to the process" in str(problem) else 1)
        os._exit(2)
    check(os.waitpid(child, 0)[1] == 0, "a forked process is refused")


def forks():
    """While other threads are in the middle of calls: the new process has whole objects, and waits for nobody."""
    study, policy, over = Study(ARMS, lag=64), maxk.Policy("max_ucb", arms=3), threading.Event()
    study.optimize(value_of, 60)
    for t in range(3000):
        policy.update(policy.select(), t % 7)

    def work(call):
        while not over.is_set():
            call()
    threads = [threading.Thread(target=work, args=(call,)) for call in (policy.to_text, lambda: study.trials, policy.copy)]
    [thread.start() for thread in threads]
    ends = []
    for _ in range(12):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            arm = policy.select()
            policy.update(arm, 0.5)
            good = policy.rounds == 3001 and policy.copy().rounds == 3001
            try:
                study.ask()
            except maxk.Error as problem:
                os._exit(0 if good and "belongs to the process" in str(problem) else 1)
            os._exit(2)
        ends.append(os.waitpid(child, 0)[1])
    over.set()
    [thread.join() for thread in threads]
    check(ends == [0] * 12 and policy.rounds == 3000, f"forked while threads use a policy and a study: {ends}")


def further_metrics(directory):
    def objective(trial):
        x = trial.params["x"]
        return (x - 0.7) ** 2, {"memory": 200 * x, "time": math.nan if x < 0.1 else 1 + x}

    def made(**more):
        arms = {"one": {"x": maxk.Real(0, 1)}, "two": {"x": maxk.Real(0.3, 1)}}
        return Study(arms, direction="minimize", optimizer="random", metrics=["memory", "time"], **more)

    study = made(subject_to={"memory": {"at_most": 100}}, path=f"{directory}/bounded.h5")
    study.optimize(objective, 30)
    trials = study.trials
    check({t.status for t in trials} == {"ok", "infeasible"} and all(
        (t.status == "infeasible") == (t.params["x"] > 0.5) and t.metrics["memory"] == 200 * t.params["x"]
        and ("time" in t.metrics) == (t.params["x"] >= 0.1) and t.value == (t.params["x"] - 0.7) ** 2 for t in trials),
        "further metrics of trials, which are infeasible where one violates its bound")
    check(study.best_value == min(t.value for t in trials if t.status == "ok"), "the best is feasible")
    check("memory is" in next(t.why for t in trials if t.status == "infeasible"), "why is said")
    frame = study.trials_dataframe()
    check(list(frame["metrics_memory"]) == [t.metrics["memory"] for t in trials] and frame["metrics_time"].isna().any() ==
          any(t.params["x"] < 0.1 for t in trials), "columns of the data frame")
    saved = pandas.read_csv(f"{directory}/bounded.csv", float_precision="round_trip")
    check(list(saved["metrics.memory"]) == list(frame["metrics_memory"]), "and of the files")
    study.close()
    resumed = made(subject_to={"memory": {"at_most": 100}}, path=f"{directory}/bounded.h5", resume=True)
    check([t.metrics for t in resumed.trials] == [t.metrics for t in trials], "a study that is resumed has them")
    resumed.close()
    cost = made(cost="time", policy="uniform")
    cost.tell(cost.ask(), 1, metrics={"time": 3})
    cost.tell(cost.ask(), 1)
    check([t.status for t in cost.trials] == ["ok", "failed"] and cost.trials[0].metrics == {"time": 3},
          "a trial without its cost has failed")
    raises(maxk.InputError, "a metric that is not known", "expected those of", cost.tell, cost.ask(), 1, metrics={"tim": 3})
    raises(maxk.InputError, "and one of an objective", "expected those of", made().optimize, lambda t: (1, {"tim": 3}), 1)
    raises(maxk.InputError, "a bound on what is not recorded", "unknown metric 'tim'", made, subject_to={"tim": {"at_most": 1}})


def main():
    here = folder()
    directory = here.name
    first = same_for_all_executors()
    by_hand = table(other_order())
    check(by_hand.drop(columns="why").equals(table(first).drop(columns="why")), "asked and reported by hand: the same trials")
    as_the_program(directory)
    both_ways(directory)
    sessions(directory, first)
    notebook(directory)
    first_calls()
    values_out_of_range()
    exception_without_text()
    further_metrics(directory)
    shared_by_threads()
    programs_that_end()
    interrupted()
    lost_workers(first)
    warm_starts(first)
    warm_starts_with_metrics()
    warm_starts_again(directory, first)
    prepared(directory)
    damaged_journals(directory)
    other_folder(directory)
    seeds()
    budgets()
    told(directory)
    wrong_use(directory)
    believed()
    many_threads()
    forks()
    page = first.report(f"{directory}/page.html").read_text()
    check("<title>Study of 3 arms</title>" in page and f"Best metric: {first.best_value:.6g} (smaller is better), by "
          f"{first.best_arm} in trial {first.best_trial.number + 1}" in page and page.count("<svg") >= 2, "the page of a study")
    raises(maxk.InputError, "a page that cannot be written", "cannot be written", first.report, f"{directory}/none/page.html")
    frame = played(lag=1).simulate("random", {"name": "max_ucb", "alpha": 0.5, "scale": "minmax"})
    check(isinstance(frame, pandas.DataFrame) and len(frame) == 2 and frame["trials"][1] == 40 and frame["trials"][0] < 40
          and frame["best"][1] == frame["run_best"][1], "other policies on the same trials, the study's own among them")
    finish()


def believed():
    """Study.acquisition is the model of the next trial of the arm, and changes nothing."""
    def play(look):
        study = Study({"a": {"x": Real(-5, 10)},
                       "b": {"x": Real(-5, 10), "n": Integer(1, 900, log=True)}, "c": {"x": Real(0, 1)}},
                      policy="uniform", seed=3, lag=1, n_trials=60,
                      optimizer={"a": {"name": "gp", "init": 4}, "b": {"name": "tpe", "init": 4}, "c": "random"})
        params, wrong, table = [], 0, None
        for i in range(60):
            tables = {k: study.acquisition(k, "x", points=9) for k in "ab"} if look and i > 20 else {}
            trial = study.ask()
            params.append(trial.params)
            if trial.arm in tables:
                table = tables[trial.arm]
                wrong += list(table["x"])[-1] != trial.params["x"] or table["kind"].tolist().count("trial") != len(
                    [t for t in study.trials[:-1] if t.arm == trial.arm])
            if i % 10 == 4:
                study.fail(trial, "no")
            else:
                study.tell(trial, -(trial.params["x"] - 2.5)**2)
        return study, params, wrong

    def pairs(look):
        """Two trials at a time; a look after the first result must not fit the model, which the search does after the second."""
        study = Study({"a": {"x": Real(-5, 10), "y": Real(0, 1)}}, optimizer={"name": "gp", "init": 4}, seed=4, n_trials=24,
                      order="finish", lag=2)
        found = []
        for i in range(12):
            both = [study.ask(), study.ask()]
            for trial in both:
                study.tell(trial, -(trial.params["x"] - 2.5)**2 - trial.params["y"])
                if look and i > 2:
                    study.acquisition("a", "x", points=5)
            found += [trial.params for trial in both]
        return found

    check(pairs(True) == pairs(False), "the acquisition between the results of two trials changes no later trial")
    study, params, wrong = play(True)
    check(not wrong and params == play(False)[1],
          f"the acquisition is that of the next trial, {wrong} are not, and changes nothing")
    table = study.acquisition("a")
    check(table["kind"].tolist().count("trial") == 20 and np.isfinite(table["mean"]).all(), "also when the budget is spent")
    table = study.acquisition("b", "n", points=41)
    points = table["value"][table["kind"] == "curve"].tolist()
    check(points == list(dict.fromkeys(points)) and points[0] == "1" and points[-1] == "900", f"no whole number twice: {points}")
    for text, options in (("arm: expected the label of an arm, got 'd'", {"arm": "d"}),
                          ("arm: missing; expected one of a, b, c", {}),
                          ("acquisition: hyperparameter: missing; those with several values are x, n", {"arm": "b"}),
                          ("random: it has no model", {"arm": "c"}), ("points: ", {"arm": "a", "points": 1}),
                          ("through: expected best or proposal", {"arm": "a", "through": "x"})):
        raises(maxk.InputError, f"acquisition of {options}", text, study.acquisition, **options)


def logged(function):
    """What maxk logs during a call."""
    said, handler = [], logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("maxk").addHandler(handler)
    function()
    logging.getLogger("maxk").removeHandler(handler)
    return said


if __name__ == "__main__":
    main()
