"""Studies in Python: the same trials for any executor and over sessions, and as `maxk tune` chooses; spaces, failures, warm
starts, budgets, threads, processes."""
import contextlib
import io
import math
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, python_environment, run, write

ENVIRONMENT = python_environment()
if "MAXK_LIBRARY" not in os.environ:  # the library may need another one loaded first
    sys.exit(subprocess.run([sys.executable, *sys.argv], env=ENVIRONMENT).returncode)

sys.path.insert(0, "sim/python")
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


def raises(kind, text, what, function, *arguments, **options):
    try:
        function(*arguments, **options)
        check(False, f"{text}: nothing was raised")
    except Exception as problem:
        check(type(problem) is kind and what in str(problem), f"{text}: {type(problem).__name__}: {problem}")


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
    """Asked and told by hand, the last asked first."""
    study, flying = Study(ARMS, direction="minimize", seed=3, n_trials=40), []
    while len(study) < 40 or flying:
        try:
            flying.append(study.ask())
            continue
        except maxk.InputError as problem:
            whole = "8 trials may be without results" in str(problem) or "all 40 trials" in str(problem)
        check(whole, "no trial until one is told") if not whole else None
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
    raises(maxk.InputError, "two studies never share a folder", "in use", begun().ask)
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
        self.fatal, self.n = fatal, 0

    def submit(self, function, *arguments):
        self.n += 1
        if self.n % 4 == 0 or (self.fatal and arguments[1].number == 5):
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
    raises(maxk.InputError, "after the first trial", "before the first one", study.add_trials, first)
    fresh = Study(ARMS)
    raises(maxk.InputError, "of an arm that there is not", "'tree'", fresh.add_trials,
           [{"arm": "tree", "params": {}, "value": 1}])
    raises(maxk.InputError, "outside the space", "n", fresh.add_trials,
           [{"arm": "knn", "params": {"n": 51, "weights": None}, "value": 1}])


def budgets():
    planned = Study(ARMS, policy="max_ucb_remaining", n_trials=20)
    planned.optimize(value_of)
    check(len(planned) == 20, "n_trials of the study is the default of optimize")
    raises(maxk.InputError, "a plan cannot be extended", "plans for the budget", planned.optimize, value_of, 980)
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
    raises(maxk.InputError, "which nothing can be simulated for", "combined", combined.simulate, "random")
    mixed = Study(ARMS, optimizer={"svc": "random", "knn": {"name": "tpe"}, "dummy": "random"})
    mixed.optimize(value_of, 4)


def wrong_use(directory):
    raises(maxk.InputError, "no arms", "arms: expected", Study, {})
    raises(maxk.InputError, "not a space", "svc: C: expected Real", Study, {"svc": {"C": (0, 1)}})
    raises(maxk.InputError, "a direction", "maximize or minimize", Study, ARMS, direction="up")
    raises(maxk.InputError, "a policy", "unknown policy", Study, ARMS, policy="max_ucbb")
    raises(maxk.InputError, "an optimiser", "optimizer", Study, ARMS, optimizer={"svc": "tpe"})
    raises(maxk.InputError, "a crash", "crash", Study, ARMS, crash="best")
    raises(maxk.InputError, "a range", "low <= high", Real, 1, 0)
    raises(maxk.InputError, "a log", "low > 0", Integer, 0, 5, log=True)
    raises(maxk.InputError, "a whole number", "whole number", Integer, 0.5, 5)
    raises(maxk.InputError, "values with one text", "texts differ", Categorical, [1, "1"])
    raises(maxk.InputError, "a word is no list", "list of values", Categorical, "abc")
    raises(maxk.InputError, "a condition", "unknown hyperparameter 'y'", Study, {"a": {"x": Real(0, 1, when={"y": 1})}})
    raises(maxk.InputError, "optimize without an end", "n_trials or timeout", Study(ARMS).optimize, objective)
    study = Study(ARMS)
    raises(maxk.Error, "no result yet", "no whole evaluation has succeeded", getattr, study, "best_value")
    raises(maxk.InputError, "save without a path", "in memory", study.save)
    trial = study.ask()
    raises(maxk.InputError, "told nothing", "either a value or failed", study.tell, trial)
    raises(maxk.InputError, "another trial", "trial 7", study.tell, 7, 1.0)
    study.tell(trial, math.nan)
    check(study.trials[0].status == "failed" and "nan" in study.trials[0].why, "NaN is a failure")
    raises(maxk.InputError, "told twice", "trial 0", study.tell, trial, 1.0)
    raises(maxk.Error, "ten failures", "the first 10 trials failed, the last one: ZeroDivisionError", Study(ARMS).optimize,
           lambda t: 1 / 0, 40)
    raises(maxk.Error, "a study does not travel", "cannot be pickled", pickle.dumps, study)
    strange = Study(ARMS)
    strange.optimize(lambda t: "abc" if t.number == 1 else math.inf if t.number == 2 else 1.0, 5)
    check([t.status for t in strange.trials] == ["ok", "failed", "failed", "ok", "ok"] and "ValueError" in strange.trials[1].why
          and "inf" in strange.trials[2].why, "what is no number is a failure")
    path = strange.save(f"{directory}/saved.h5")
    check(len(maxk.table("trials", path)) == 5 and "best" in repr(strange) and "<table" in strange._repr_html_(), "saved, shown")


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


def main():
    here = folder()
    directory = here.name
    first = same_for_all_executors()
    by_hand = table(other_order())
    check(by_hand.drop(columns="why").equals(table(first).drop(columns="why")), "asked and told by hand: the same trials")
    as_the_program(directory)
    sessions(directory, first)
    interrupted()
    lost_workers(first)
    warm_starts(first)
    budgets()
    wrong_use(directory)
    many_threads()
    page = first.report(f"{directory}/page.html").read_text()
    check("<title>Study of 3 arms</title>" in page and f"Best metric: {first.best_value:.6g} (smaller is better), by "
          f"{first.best_arm} in trial {first.best_trial.number + 1}" in page and page.count("<svg") >= 2, "the page of a study")
    raises(maxk.InputError, "a page that cannot be written", "cannot be written", first.report, f"{directory}/none/page.html")
    frame = played(lag=1).simulate("random", {"name": "max_ucb", "alpha": 0.5, "scale": "minmax"})
    check(isinstance(frame, pandas.DataFrame) and len(frame) == 2 and frame["trials"][1] == 40 and frame["trials"][0] < 40
          and frame["best"][1] == frame["run_best"][1], "other policies on the same trials, the study's own among them")
    finish()


if __name__ == "__main__":
    main()
