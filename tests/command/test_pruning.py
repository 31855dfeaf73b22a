"""Trials that are ended early (the key `pruning`): the decisions of both rules against a model of them in Python, on random
streams of reports; the same trials for any number of workers and executors, and after kills; programs and workers that report,
and that do not end; what the files, the page and earlier results say of pruned trials."""
import csv
import glob
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

sys.path.insert(0, "tests/support")
from lib import MAXK, check, enter, finish, folder, python_environment, raises, refused, rows, run, write

ENVIRONMENT = python_environment()
enter(ENVIRONMENT)
sys.path.insert(0, "sim/python")
import maxk
from maxk import Real, Study

MODULE = os.path.abspath("sim/python")


class Model:
    """Both rules, from all reports, without anything that is kept for them."""

    def __init__(self, rule, direction, lag, finish_order):
        self.rule, self.sign, self.lag, self.finish = rule, 1 if direction == "maximize" else -1, lag, finish_order
        self.trials = []

    def ask(self, arm):
        self.trials.append({"arm": arm, "reports": {}, "rungs": {}, "whole": False})

    def stops(self, number, step, value):
        own, value, rule = self.trials[number], self.sign * value, self.rule
        known = [t for i, t in enumerate(self.trials) if i != number and (self.finish or i < number + 1 - self.lag)
                 and (rule.get("compare") == "all" or t["arm"] == own["arm"])]
        before = max(own["reports"], default=0)
        own["reports"][step] = value
        if rule["rule"] == "median":
            whole = [t for t in known if t["whole"]]
            at = [t["reports"][step] for t in whole if step in t["reports"]]
            early = len(whole) < rule.get("startup_trials", 5) or step < rule.get("warmup_steps", 0) or not at
            return not early and step < rule["max_step"] and max(own["reports"].values()) < statistics.median(at)
        rung, eta = rule.get("min_step", 1), rule.get("eta", 3)
        while rung <= step and rung < rule["max_step"]:
            if rung > before:
                own["rungs"][rung] = value
                at = sorted((t["rungs"][rung] for t in [*known, own] if rung in t["rungs"]), reverse=True)
                if step < rule["max_step"] and value < at[max(1, len(at) // eta) - 1]:
                    return True
            rung *= eta
        return False


RULES = [{"rule": "asha", "max_step": 27}, {"rule": "asha", "max_step": 30, "min_step": 2, "eta": 2, "compare": "all"},
         {"rule": "median", "max_step": 20}, {"rule": "median", "max_step": 9, "startup_trials": 0, "warmup_steps": 3,
                                              "compare": "all"}]


def stream(rule, direction, order, seed):
    """Random trials that run at the same time: whether the study and the model decide alike; and how often the trials end."""
    rng = random.Random(seed)
    lag = (8, 1, 3, 8)[seed % 4]
    study = Study({"a": {"x": Real(0, 1)}, "b": {}}, policy="uniform", optimizer="random", direction=direction, lag=lag,
                  seed=seed, n_trials=80, pruning=rule, order=order, metrics=["m"], subject_to={"m": {"at_most": 1}})
    model, running, pruned, alike = Model(rule, direction, lag, order == "finish"), {}, set(), True
    while len(study) < 80 or running:
        if len(study) < 80 and len(running) < lag and (order == "finish" or min(running, default=len(study)) > len(study) - lag):
            trial = study.ask()
            model.ask(trial.arm)
            running[trial.number] = trial
            continue
        number = rng.choice(sorted(running))
        trial, value = running[number], rng.choice([rng.random(), rng.randrange(4) / 3])
        step = max(model.trials[number]["reports"], default=0) + rng.choice([1, 1, 2, 5])
        if rng.random() < 0.01:
            study.fail(trial, "bad luck")
        else:
            expected = model.stops(number, step, value)
            trial.report(value, step)
            alike &= trial.should_stop() == expected
            if not expected and step < rule["max_step"]:
                continue
            model.trials[number]["whole"] = not expected
            study.tell(trial, 0.5, metrics={"m": rng.choice([0, 0, 0, 2])})
            pruned.add(number) if expected else None
        del running[number]
    return alike and pruned == {t.number for t in study.trials if t.status == "pruned"}, len(pruned)


def decisions():
    for rule in RULES:
        for direction in ("maximize", "minimize"):
            for order in ("issue", "finish"):
                found = [stream(rule, direction, order, seed) for seed in range(4)]
                check(all(alike for alike, _ in found) and all(0 < n < 79 for _, n in found),
                      f"{rule}, {direction}, order {order}: decisions of the model; {[n for _, n in found]} of 80 trials end")


# ---- the study of Python ----

def curve(x, step):
    return 1 - (x - 0.3) ** 2 - 0.5 * 0.8 ** step


def objective(trial):
    for step in range(1, 28):
        trial.report(curve(trial.params["x"], step) + (trial.arm == "b") * 0.01, step)
        if trial.should_stop():
            raise ValueError("what happens now does not matter")


def slowly(trial):
    for step in range(1, 28):
        trial.report(curve(trial.params["x"], step), step)
        if trial.should_stop():
            return
        time.sleep(0.0005)


def returns(trial):
    for step in range(1, 28):
        trial.report(curve(trial.params["x"], step) + (trial.arm == "b") * 0.01, step)
        if trial.should_stop():
            return


def new_study(**options):
    return Study({"a": {"x": Real(0, 1)}, "b": {"x": Real(0, 1)}}, policy="uniform", seed=3,
                 **{"pruning": {"rule": "asha", "max_step": 27}, **options})


def table(study):
    return [(t.arm, t.params, t.status, t.value, t.fidelity, t.step, study.reports(t)) for t in study.trials]


def executors():
    for rule in RULES[:3]:
        alone = new_study(pruning={**rule, "max_step": 27})
        alone.optimize(objective, 40)
        pruned = [t for t in alone.trials if t.status == "pruned"]
        check(3 <= len(pruned) < 35 and all(t.value == alone.reports(t)[-1][1] and t.fidelity == t.step / 27 < 1 for t in pruned)
              and all(t.step == 27 and t.value == alone.reports(t)[-1][1] for t in alone.trials if t.status == "ok")
              and alone.best_trial.status == "ok",
              f"{rule['rule']}: {len(pruned)} of 40 trials have the value of their last report")
        for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
            with kind(3) as pool:
                other = new_study(pruning={**rule, "max_step": 27})
                other.optimize(objective, 40, executor=pool)
            check(table(other) == table(alone), f"{rule['rule']}: the same trials in {kind.__name__}")
    again = alone.reevaluate(returns, 2)
    whole = [t.status for t in again] == ["ok"] * 2
    check(whole and again[0].value == alone.best_value, "its best configuration runs to its end")
    seen = alone.simulate("uniform")
    check(len(seen) == 1, "other policies play on them")
    new = new_study()
    new.add_trials(alone)
    check(len(new) == 40 - len(pruned), "as earlier results whole evaluations count alone")


def by_hand():
    study = new_study(pruning={"rule": "asha", "max_step": 9}, lag=1)
    first, value = study.ask(), 0.9
    first.report(value, 1)
    study.tell(first)
    check(study.trials[0].status == "ok" and study.trials[0].value == value, "tell without a value: that of the last report")
    second = study.ask()
    while second.arm != first.arm:
        study.tell(second, 0.1)
        second = study.ask()
    second.report(0.5, 1)
    study.tell(second, 7.0)
    check(second.should_stop() and study.trials[-1].status == "pruned" and study.trials[-1].value == 0.5,
          "a trial that has to end is worth what it reported, whatever value it is given")
    check(study.best_value == 0.9, "and it is not the best")
    for text, what in (("report: the value is nan", lambda: study.ask().report(float("nan"), 1)),
                       ("step", lambda: first.report(1, 0))):
        raises(maxk.InputError, "refused", text, what)
    plain = Study({"a": {}}, lag=1)
    trial = plain.ask()
    trial.report(1.0, 1)
    check(not trial.should_stop() and trial.step == 0, "without pruning nothing ends")


# ---- folders of configurations that continue ----

def continued(trials):
    """Of (configuration, fidelity) the fidelity that a trial continues from, 0: none."""
    latest, found = {}, []
    for configuration, fidelity in trials:
        before = latest.get(configuration, 1)
        found.append(before if before < fidelity else 0)
        latest[configuration] = fidelity
    return found


def saving(trial):
    path = trial.folder / "fidelity"
    trial_found[trial.number] = float(path.read_text()) if path.exists() else 0
    path.write_text(f"{trial.fidelity:.17g}")
    return curve(trial.params["x"], 27 * trial.fidelity)


trial_found = {}


def folders():
    for name in ("successive_halving", "hyperband", "asha", "bohb"):
        study = new_study(pruning=None, optimizer={"name": name, "R": 9})
        trial_found.clear()
        study.optimize(saving, 60)
        expected = continued([((t.arm, t.params["x"]), t.fidelity) for t in study.trials])
        check([trial_found[i] for i in range(60)] == expected and sum(x > 0 for x in expected) > 5,
              f"{name}: {sum(x > 0 for x in expected)} of 60 trials find what their configuration has saved")
    folder = os.path.dirname(study.trials[0].folder)
    check(os.path.isdir(folder), "a study in memory has folders")
    del study
    check(not os.path.exists(folder), "which it removes")
    for resume in (False, True, None):
        trial_found.clear() if resume is not True else None
        study = Study({"a": {"x": Real(0, 1)}}, policy="uniform", optimizer={"name": "successive_halving", "R": 9}, path="f",
                      n_trials=40, resume=bool(resume), force=resume is None)
        study.optimize(saving, 20 if resume is False else 40)
        if resume is False:
            study.close()
            continue
        expected = continued([(t.params["x"], t.fidelity) for t in study.trials])
        check([trial_found[i] for i in range(40)] == expected and any(expected),
              f"{'resumed' if resume else 'started over'}: the same")
    study.close()
    check(Study.open("f").best_trial.folder.joinpath("fidelity").read_text() == "1", "Study.open knows the folders")


def folders_of_programs():
    text = TUNE.replace("pruning: RULE\n", "").replace("optimizer: random", "optimizer: {name: hyperband, R: 9}")
    for name, command in (
            ("a program", """command: [sh, -c, 'cat "$1/f" 2>/dev/null >{directory}/seen; echo $2 >"$1/f"; echo {x}', "",
                "{folder}", "{fidelity}"]"""),
            ("a variable",
             """shell: cat "$MAXK_FOLDER/f" 2>/dev/null >{directory}/seen; echo {fidelity} >"$MAXK_FOLDER/f"; echo {x}"""),
            ("a worker", "worker: [python3, '{here}/folder.py']")):
        write("folder.py", """import json, os, sys
for line in sys.stdin:
    r = json.loads(line)
    path = r["folder"] + "/f"
    open(r["directory"] + "/seen", "w").write(open(path).read() if os.path.exists(path) else "")
    open(path, "w").write(str(r["fidelity"]))
    print(json.dumps({"trial": r["trial"], "value": r["config"]["x"]}), flush=True)
""")
        write("f.yaml", text.replace("command: COMMAND", command).replace(
            "{last_number: true, maximize: true}", "{json: value, maximize: true}" if name == "a worker" else
            "{last_number: true, maximize: true}"))
        for options in (["workers=1"], ["workers=3", "-s", "reevaluate=2"]):
            done = subprocess.run([MAXK, "tune", "f.yaml", "-o", "g.h5", "-q", "--force", "-s", *options], capture_output=True,
                                  text=True)
            trials = [((r["arm"], r["configuration"]), float(r["fidelity"])) for r in rows(open("g.csv").read())]
            found = [float(open(f"g.trials/{i + 1}/seen").read() or 0) for i in range(len(trials))]
            check(done.returncode == 0 and all(abs(x - y) < 1e-9 for x, y in zip(found, continued(trials))) and sum(found) > 0,
                  f"{name}, {options[0]}: {sum(x > 0 for x in found)} of {len(trials)} trials continue {done.stderr[:200]}")
        check(all(not open(f"g.trials/{len(trials) + i}/seen").read() for i in (1, 2)), f"{name}: re-evaluations do not")


# ---- after kills ----

SESSION = """import sys
sys.path.insert(0, {module!r})
sys.path.insert(0, {here!r})
from concurrent.futures import ProcessPoolExecutor
import test_pruning as t
if __name__ == "__main__":
    with ProcessPoolExecutor(3) as pool:
        study = t.new_study(path={path!r}, resume=True, order={order!r}, n_trials=40, pruning={rule!r})
        study.optimize(t.slowly, 40, executor=pool)
"""


def journalled(path, rule, order):
    """Whether the decisions that a journal has follow from the order of its lines, and the results of pruned trials from them."""
    model, alike, stopped = Model(rule, "maximize", 8, order == "finish"), True, {}
    for line in open(path).read().splitlines():
        words = line.split()
        if words[0] == "ask":
            model.ask(words[1])
        elif words[0] == "report":
            number, step, value, stop = int(words[1]) - 1, int(words[2]), float(words[3]), words[4] == "1"
            alike &= number not in stopped and model.stops(number, step, value) == stop
            if stop:
                stopped[number] = value
        elif words[0] == "end":
            number = int(words[1]) - 1
            model.trials[number]["whole"] = words[2] == "0"
            alike &= (words[2] == "4") == (number in stopped) and stopped.get(number, float(words[3])) == float(words[3])
    return alike and len(model.trials) > 0


def reported(journal):
    """The reports in a journal, which need not be there."""
    return open(journal, "rb").read().count(b"\nreport ") if os.path.exists(journal) else 0


def kills(tests):
    """Sessions that are killed after different numbers of reports; the last one ends."""
    for rule, order in (({"rule": "asha", "max_step": 27}, "finish"), ({"rule": "median", "max_step": 27}, "finish"),
                        ({"rule": "asha", "max_step": 27}, "issue")):
        path = f"{rule['rule']}-{order}.h5"
        write("session.py", SESSION.format(module=MODULE, here=tests, path=path, order=order, rule=rule))
        journal, before, kept = path.replace(".h5", ".trials/journal"), b"", True
        for wanted in (10, 40, 70):
            child = subprocess.Popen([sys.executable, "session.py"], env={**ENVIRONMENT, "MAXK_TEST_SESSION": "1"},
                                     stderr=subprocess.PIPE, start_new_session=True)
            while child.poll() is None and reported(journal) < wanted:
                time.sleep(0.002)
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            else:
                check(False, f"{path}: killed after {wanted} reports")
            child.communicate()
            now = open(journal, "rb").read()
            now = now[:now.rfind(b"\n") + 1]
            kept &= now.startswith(before)
            before = now
        done = subprocess.run([sys.executable, "session.py"], env={**ENVIRONMENT, "MAXK_TEST_SESSION": "1"},
                              capture_output=True, text=True)
        check(done.returncode == 0 and kept and open(journal, "rb").read().startswith(before),
              f"{path}: three kills, and what was decided stays {done.stderr.strip()[-300:]}")
        check(journalled(journal, rule, order), f"{path}: all decisions follow from the order of the journal")
        first = open(path.replace(".h5", ".csv")).read()
        subprocess.run([sys.executable, "session.py"], env={**ENVIRONMENT, "MAXK_TEST_SESSION": "1"}, check=True)
        check(open(path.replace(".h5", ".csv")).read() == first and first.count(",pruned,") > 3,
              f"{path}: read again, the same file")
        if order == "issue":
            whole = new_study(path="whole.h5", n_trials=40, pruning=rule)
            whole.optimize(slowly, 40)
            check(re.sub("^whole,", f"{path[:-3]},", open("whole.csv").read(), flags=re.M) == first,
                  f"{path}: the file of a session that nobody killed")


# ---- programs ----

TUNE = """command: COMMAND
metric: {last_number: true, maximize: true}
policy: uniform
pruning: RULE
lag: 6
budget: {evaluations: 30}
arms:
  - {label: a, optimizer: random, space: {x: {real: [0, 1]}}}
  - {label: b, optimizer: random, space: {x: {real: [0, 1]}}}
"""
AWK = """[awk, "-vx={x}", 'BEGIN {{ print "reads 3 4 files"
    for (s = 1; s <= 9; s++) {{ WAIT; print " " s, 1 - (x - .3) ^ 2 - .5 * .8 ^ s "\\r" }}
    printf "9 0.1" }}']""".replace("\n    ", "; ")
SLOW, AWK = AWK.replace("WAIT", 'fflush(); system("sleep 0.003")'), AWK.replace("WAIT; ", "")


def tune(output, rule, command, *options):
    write("t.yaml", TUNE.replace("COMMAND", command).replace("RULE", rule))
    return subprocess.run([MAXK, "tune", "t.yaml", "-o", f"{output}.h5", *options], capture_output=True, text=True)


def programs():
    for rule in ("{rule: asha, max_step: 9}", "{rule: median, max_step: 9, startup_trials: 2}"):
        done = tune("one", rule, AWK, "--force")
        found = rows(open("one.csv").read())
        pruned = [r for r in found if r["status"] == "pruned"]
        good = all(abs(float(r["value"]) - curve(float(r["configuration"][4:-1]), int(r["step"]))) < 1e-5 and
                   float(r["fidelity"]) == int(r["step"]) / 9 and float(r["loss"]) == -float(r["value"]) for r in pruned)
        check(done.returncode == 0 and good and 3 < len(pruned) < 27 and f", {len(pruned)} pruned," in done.stdout
              and "pruned at step" in done.stdout, f"{rule}: {len(pruned)} pruned, with their values {done.stderr[:300]}")
        check(all(r["value"] == "0.1" and r["step"] == "9" for r in found if r["status"] == "ok"), "others have their metric")
        best = max(float(r["value"]) for r in found if r["status"] == "ok")

        def whole(r):
            """The best whole evaluation of the arm before."""
            values = [float(e["value"]) for e in found[:int(r["trial"]) - 1] if e["status"] == "ok" and e["arm"] == r["arm"]]
            return max(values, default=9)

        check(all(-float(r["loss_seen"]) == min(float(r["value"]), whole(r)) for r in pruned),
              "the policy sees their value, but no more than the best whole one of the arm")
        check(f"metric: {best:g}" in open("one.best.yaml").read(), "none of them is the best")
        tune("four", rule, AWK, "--force", "-s", "workers=4", "-q")
        check(open("one.csv").read() == open("four.csv").read(), "the same trials with four workers")
        shown = maxk.table("trials", "one.h5")
        check(list(shown["step"]) == [int(r["step"]) for r in found], "the table of trials has the steps")
        run("report", "one.h5", "-o", "page.html")
        after = 100 * sum(float(r["fidelity"]) for r in pruned) / len(pruned)
        said = f"Ended early (pruned): {len(pruned)} of the trials, in the mean after {after:.0f} % of"
        check(said in open("page.html").read(), f"the page counts them, and their steps: {after:.0f} %")
        add = tune("add", rule, AWK, "--force", "--add", "one.csv")
        check(add.returncode == 0 and len(rows(open("add.csv").read())) == 30 + len(found) - len(pruned), "--add leaves them out")


def endless():
    """Programs that report a bad value and then neither end nor heed SIGTERM."""
    program = """import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: open(os.environ["MAXK_DIRECTORY"] + "/asked", "w").close())
trial = int(os.environ["MAXK_TRIAL"])
print(1, 1 if trial < 3 else 0, flush=True)
while trial > 2:
    signal.pause()
print("metric 2")
"""
    write("endless.py", program)
    done = tune("endless", "{rule: asha, max_step: 9}", "[python3, '{here}/endless.py', '{x}']", "--force", "-s", "grace=0.2",
                "-s", "budget.evaluations=6", "-s", "lag=2", "-s", "workers=2")
    found = [r["status"] for r in rows(open("endless.csv").read())] if done.returncode == 0 else done.stderr
    check(found == ["ok"] * 2 + ["pruned"] * 4 and len(glob.glob("endless.trials/*/asked")) == 4,
          f"SIGTERM, and SIGKILL after the grace {found}")
    for line, why in (("0 0.5", "step 0"), ("3 nan", "nan"), ("99999999999 1", "step 99999999999")):
        done = tune("bad", "{rule: asha, max_step: 9}", f"[sh, -c, \"echo '{line}'; exec sleep 1000 # {{x}}\"]", "--force", "-s",
                    "budget.evaluations=2")
        check(done.returncode == 1 and why in done.stderr, f"{line}: {done.stderr.strip()[:200]}")


WORKER = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    x, answer = request["config"]["x"], {"stop": False}
    for step in range(1, 10):
        print(json.dumps({"trial": request["trial"], "step": step, "value": 1 - (x - .3) ** 2 - .5 * .8 ** step}), flush=True)
        answer = json.loads(sys.stdin.readline())
        assert answer["trial"] == request["trial"]
        if answer["stop"]:
            END
    print(json.dumps({"trial": request["trial"], "value": 0.1}), flush=True)
"""


def workers():
    expected = [(r["status"], r["step"], round(float(r["value"]), 5)) for r in rows(open("one.csv").read())]
    for end in ("break", "sys.stdin.read()"):
        write("worker.py", WORKER.replace("END", end))
        for n in (1, 3) if end == "break" else (2,):
            write("w.yaml", TUNE.replace("command: COMMAND", "worker: [python3, '{here}/worker.py']").replace(
                "metric: {last_number: true, maximize: true}", "metric: {json: value, maximize: true}").replace(
                "RULE", "{rule: median, max_step: 9, startup_trials: 2}"))
            done = subprocess.run([MAXK, "tune", "w.yaml", "-o", "w.h5", "--force", "-q", "-s", f"workers={n}", "-s",
                                   "grace=0.05", "-s", "reevaluate=3"], capture_output=True, text=True)
            found = [(r["status"], r["step"], round(float(r["value"]), 5)) for r in rows(open("w.csv").read())]
            check(done.returncode == 0 and found == expected, f"{n} workers that {end} when they are to stop {done.stderr[:200]}")
            again = [(r["status"], r["value"]) for r in rows(open("w.reevaluations.csv").read())]
            check(again == [("ok", "0.1")] * 3, f"{n} workers: re-evaluations that report run to their end {again}")


def tune_kills():
    """maxk tune killed while trials run: nothing that was decided is decided again."""
    for order in ("issue", "finish"):
        rule, output = "{rule: asha, max_step: 9}", f"kill-{order}"
        write("k.yaml", TUNE.replace("COMMAND", SLOW).replace("RULE", rule) + f"order: {order}\nworkers: 3\n")
        words = [MAXK, "tune", "k.yaml", "-o", f"{output}.h5", "-q", "--resume"]
        for wanted in (20, 60, 100):
            child = subprocess.Popen(words, start_new_session=True)
            journal = f"{output}.trials/journal"
            while child.poll() is None and reported(journal) < wanted:
                time.sleep(0.002)
            child.kill()
            child.wait()
        done = subprocess.run(words, capture_output=True, text=True)
        text = open(f"{output}.trials/journal").read()
        good = order == "issue" or journalled(f"{output}.trials/journal", {"rule": "asha", "max_step": 9}, order)
        check(done.returncode == 0 and good, f"order {order}: killed three times {done.stderr[:200]}")
        ended = sum(r["status"] == "pruned" for r in rows(open(f"{output}.csv").read()))
        check(len(re.findall(r"^report \d+ \d+ \S+ 1 ", text, re.M)) == ended > 3, "every trial that was to end did")
    tune("plain", rule, AWK, "--force", "-q")
    check(re.sub("^t,", "k,", open("plain.csv").read(), flags=re.M) == open("kill-issue.csv").read(),
          "order issue: as if nobody had killed it")


def example(experiments):
    done = subprocess.run([MAXK, "tune", f"{experiments}/tune_descent.yaml", "-o", "e.h5", "-s", "workers=2"],
                          capture_output=True, text=True)
    found = rows(open("e.csv").read())
    pruned = [r for r in found if r["status"] == "pruned"]
    steps = sum(float(r["fidelity"]) for r in found)
    check(done.returncode == 0 and len(pruned) > 20 and steps < 45,
          f"tune_descent: {len(pruned)} of 60 trials are ended early, and all take the steps of {steps:.0f} whole ones")


def refusals():
    for text, what in (("{rule: asha}", "max_step: missing"), ("{rule: hyperband, max_step: 9}", "rule"),
                       ("asha", "expected a mapping"),
                       ("{rule: asha, max_step: 9, startup_trials: 3}", "a key of the rule median alone"),
                       ("{rule: asha, max_step: 9, min_step: 9}", "expected less than max_step, 9")):
        write("r.yaml", TUNE.replace("COMMAND", "[true, '{x}']").replace("RULE", text))
        refused(f"pruning: {text}", what, "tune", "r.yaml")
    write("r.yaml", TUNE.replace("COMMAND", "[true, '{x}', '{fidelity}']").replace("RULE", "{rule: asha, max_step: 9}").replace(
        "optimizer: random", "optimizer: hyperband"))
    refused("an optimiser with a schedule", "hyperband evaluates in part", "tune", "r.yaml")
    write("r.yaml", TUNE.replace("COMMAND", "[echo, '{x}']").replace("RULE", "{rule: asha, max_step: 9}"))
    refused("a recording", "every evaluation is a whole one", "record", "r.yaml", "-o", "r.csv")
    run("record", "r.yaml", "-o", "r.csv", "-s", "pruning=", "-s", "budget.evaluations=2")
    check(len(rows(open("r.csv").read())) == 4, "recorded without it")
    write("r.yaml", TUNE.replace("COMMAND", "[true, '{x}', '{instance}']").replace("RULE", "{rule: asha, max_step: 9}") +
          "instances: [i, j]\n")
    refused("instances", "pruning: of a run on one of several", "tune", "r.yaml")


def second_reports():
    """A journal that has the last report of a trial again: the step is not later, and, a line on, the trial has ended."""
    study = new_study(path="second", lag=1)
    study.optimize(returns, 6)
    study.close()
    lines = open("second.trials/journal").read().splitlines(True)
    at = max(i for i, line in enumerate(lines) if line.startswith("report 3 "))
    for after in (1, 2):
        write("second.trials/journal", "".join(lines[:at + after] + [lines[at]] + lines[at + after:]))
        try:
            new_study(path="second", lag=1, resume=True).optimize(returns, 7)
            found = "is read"
        except maxk.InputError as problem:
            found = str(problem)
        check(f"journal:{at + after + 1}: report of trial 3, which has ended or reported a later step" in found, found)


if __name__ == "__main__" and not os.environ.get("MAXK_TEST_SESSION"):
    tests, experiments = os.path.abspath("tests/command"), os.path.abspath("experiments")
    os.environ["PYTHONPATH"] = os.pathsep.join([tests, os.path.abspath("tests/support"), MODULE])
    ENVIRONMENT["PYTHONPATH"] = os.environ["PYTHONPATH"]
    decisions()
    with folder() as d:
        os.chdir(d)
        executors()
        by_hand()
        folders()
        folders_of_programs()
        programs()
        endless()
        workers()
        kills(tests)
        tune_kills()
        example(experiments)
        refusals()
        second_reports()
    finish()
