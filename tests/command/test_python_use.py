"""Studies in Python as people use them: values that files and frames return, failures and their tracebacks, what is refused and
where the message points, workers that outlive their parent."""
import contextlib
import decimal
import io
import json
import logging
import math
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

sys.path.insert(0, "tests/support")
from lib import MAXK, check, enter, finish, folder, python_environment, raises, run, write

ENVIRONMENT = {**python_environment(), "PYTHONPATH": "sim/python"}
enter(ENVIRONMENT)

sys.path.insert(0, "sim/python")
import pandas

import maxk
from maxk import Arm, Categorical, Integer, Policy, Real, Study

ONE = {"a": {"x": Real(0, 1)}}


@contextlib.contextmanager
def logged():
    """The records of the logger "maxk"."""
    found = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())
    logger = logging.getLogger("maxk")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield found
    finally:
        logger.removeHandler(handler)
        logger.propagate = True


def x_of(trial):
    return trial.params.get("x", 0.5)


def helper(params):
    return params["depht"]


def misspelt(trial):
    return helper(trial.params)


# ---- values that come back ----

def same_choices():
    """Categories whose texts are the same number stay what they are."""
    for choices in (["1.1", "1.10"], ["-0", "0"], [1, 1.0], [10, "1e1"], ["1e3", "1000"], [True, 1],
                    ["1", "01", "1.0", 1.5], [0.1, "0.10"]):
        space = {"a": {"v": Categorical(choices), "w": Real(0, 1, when={"v": choices[1]})}}
        earlier = Study(space, optimizer="random", seed=3)
        earlier.optimize(lambda t: float(choices.index(t.params["v"])), n_trials=24)
        wanted = [repr(t.params) for t in earlier.trials]
        for what, given in (("a study", earlier), ("trials", earlier.trials), ("a frame", earlier.trials_dataframe()),
                            ("dictionaries", [{"arm": t.arm, "params": t.params, "value": t.value} for t in earlier.trials])):
            new = Study(space)
            new.add_trials(given)
            found = [repr(t.params) for t in new.trials]
            wrong = [pair for pair in zip(wanted, found) if pair[0] != pair[1]]
            check(len(found) == 24 and not wrong and len({t.params["v"] for t in earlier.trials}) >= 1,
                  f"{choices} from {what} are the same values {wrong[:1]}")
        active = {type(t.params["v"]).__name__ + str(t.params["v"]) for t in earlier.trials if "w" in t.params}
        check(active == {type(choices[1]).__name__ + str(choices[1])}, f"{choices}: a condition means one of them {active}")
    new = Study({"a": {"v": Categorical(["1.1", "1.10"])}})
    row = pandas.DataFrame({"arm": ["a"], "value": [1.0], "params_v": [1.1]})
    raises(maxk.InputError, "a number of a file", "result 0: v: 1.1 may be any of ['1.1', '1.10']", new.add_trials, row)
    new.add_trials(row.astype({"params_v": str}))
    check(new.trials[0].params == {"v": "1.1"}, "a text of a file")
    plain = Study({"a": {"v": Categorical([1, 2.5, True, None])}})
    plain.add_trials([{"arm": "a", "params": {"v": v}, "value": 0.0} for v in (1.0, "1", "2.5", "True", None, "None")])
    check([t.params["v"] for t in plain.trials] == [1, 1, 2.5, True, None, None], "types that change in files are found")
    raises(maxk.InputError, "no such choice", "", plain.__class__.add_trials, Study({"a": {"v": Categorical([1, 2])}}),
           [{"arm": "a", "params": {"v": 3}, "value": 0.0}])


def missing_words(directory):
    """Words that pandas reads as missing values."""
    space = {"a": {"k": Categorical(["NA", "b"]), "d": Categorical(["nan", 3], when={"k": "b"}), "x": Real(0, 1)}}
    earlier = Study(space, optimizer="random", seed=4)
    earlier.optimize(x_of, n_trials=30)
    path = f"{directory}/frame.csv"
    earlier.trials_dataframe().to_csv(path, index=False)
    new = Study(space)
    new.add_trials(pandas.read_csv(path, float_precision="round_trip"))
    check([t.params for t in new.trials] == [t.params for t in earlier.trials] and
          {t.params.get("d") for t in earlier.trials} == {None, "nan", 3}, "NA and nan are the words again")
    two = {"a": {"k": Categorical(["NA", "null"])}}
    raises(maxk.InputError, "a missing value that may be two words", "k: a missing value may be any of ['NA', 'null']",
           Study(two).add_trials, pandas.DataFrame({"arm": ["a"], "value": [1.0], "params_k": [math.nan]}))
    none = Study({"a": {"k": Categorical(["NA", None])}})
    none.add_trials(pandas.DataFrame({"arm": ["a"], "value": [1.0], "params_k": pandas.Series([None], dtype=object)}))
    check(none.trials[0].params == {"k": None}, "None itself is None")


def steps():
    """Values are those of decimal arithmetic, none beyond `high`."""
    for low, high, step in [("0", ".3", ".1"), (".1", ".7", ".1"), ("0", ".6", ".2"), ("-.3", ".3", ".1"),
                            ("1e-7", "1e-6", "1e-7"),
                            ("0.015", "2.5", "0.035"), ("100000", "100001", ".125")]:
        count = int((decimal.Decimal(high) - decimal.Decimal(low)) / decimal.Decimal(step)) + 1
        grid = [float(decimal.Decimal(low) + k * decimal.Decimal(step)) for k in range(count)]
        for optimizer in ("grid", "random", "evolution", "tpe"):
            study = Study({"a": {"x": Real(float(low), float(high), step=float(step))}}, optimizer=optimizer, seed=5)
            study.optimize(x_of, n_trials=90)
            found = {t.params["x"] for t in study.trials}
            check(found <= set(grid) and len(found) > 3 and (optimizer != "random" or count > 20 or grid[-1] in found),
                  f"{low} to {high} by {step}, {optimizer}: {sorted(found - set(grid))[:3]}")
    old = Study({"a": {"x": Real(0, 0.3, step=0.1)}})
    old.add_trials([{"arm": "a", "params": {"x": 0.1 + 0.2}, "value": 1.0}])
    check(old.best_params == {"x": 0.3}, "0.30000000000000004 of an earlier version is 0.3")
    third = Study({"a": {"x": Real(0, 1, step=1 / 3)}}, optimizer="grid")
    third.optimize(x_of, n_trials=4)
    check([t.params["x"] for t in third.trials] == [0, 1 / 3, 2 / 3, 1], "a step that is no decimal")


def single_values():
    """Arms and hyperparameters with one value."""
    for optimizer in ("tpe", "rf", "evolution", "random", "gp", "cma_es", {"name": "gp"}):
        fixed = {"r": Real(2, 2), "i": Integer(3, 3), "c": Categorical(["w"])}
        study = Study({"svc": {"C": Real(0, 1)}, "bayes": {}, "fixed": fixed}, optimizer=optimizer, lag=1)
        study.optimize(lambda t: t.params.get("C", 0.5), n_trials=15)
        of = {arm: [t.params for t in study.trials if t.arm == arm] for arm in ("svc", "bayes", "fixed")}
        one = of["fixed"][0]
        check(of["bayes"][0] == {} and repr(one) == "{'r': 2.0, 'i': 3, 'c': 'w'}" and
              len({t["C"] for t in of["svc"]}) > 2, f"{optimizer}: arms with one configuration")


def sets_in_conditions(directory):
    """A study with a set as condition is resumed by a process that hashes texts in another way."""
    code = """
import maxk, sys
from maxk import Categorical, Integer, Real
study = maxk.Study({"svc": {"k": Categorical(["rbf", "poly", "linear", "sigmoid"]), "n": Integer(1, 9),
                            "g": Real(0, 1, when={"k": {"rbf", "poly", "sigmoid"}}),
                            "h": Real(0, 1, when={"n": frozenset({3, 1, 8})})}}, path=sys.argv[1], resume=True)
study.optimize(lambda t: t.params.get("g", 0.5), n_trials=5)
print(len(study))
"""
    outputs = []
    for seed in range(4):
        done = subprocess.run([sys.executable, "-c", code, f"{directory}/sets"], env={**ENVIRONMENT, "PYTHONHASHSEED": str(seed)},
                              capture_output=True, text=True)
        outputs.append(done.stdout.strip() or done.stderr.strip()[-200:])
    check(outputs == ["5"] * 4, f"a set is the same condition in every process {outputs}")
    raises(maxk.InputError, "names in a set, which has no order", "metrics: expected a list", Study, ONE, metrics={"a", "b"})


def no_numpy():
    code = """
import sys
sys.modules["numpy"] = None
import maxk
r = maxk.run({"problem": {"arms": [{"family": "uniform", "lo": 0, "hi": 1}]}, "policies": ["uniform"], "horizons": [10],
              "replications": 5})
p = maxk.Policy("uniform", arms=2, lag=2)
p.update(p.select(), .5)
pull = p.ask()
p.tell(pull, .25)
print(r._repr_html_().startswith("<p>maxk.Result"), p.history() == ([0, pull.arm], [.5, .25]))
sizes = r.lu()["n"]
print(any(x != x for x in sizes), {type(x) for x in sizes if x == x} == {int})
"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    check(done.stdout == "True True\nTrue True\n", f"without numpy: {done.stdout} {done.stderr[-300:]}")


# ---- failures ----

def tracebacks():
    with logged() as lines:
        study = Study(ONE)
        study.optimize(lambda t: misspelt(t) if t.number % 2 else 1.0, n_trials=6)
    check("in helper" in study.trials[1].traceback and study.trials[1].why == "KeyError: 'depht'" and
          not study.trials[0].traceback, "a failed trial has its traceback")
    check(len(lines) == 1 and "trial 1 (in files 2) failed: KeyError: 'depht'" in lines[0] and "in helper" in lines[0],
          f"the first failure of a call is logged {lines}")
    with logged() as lines:
        study.optimize(x_of, n_trials=2)
    check(not lines, "a call without failures logs nothing")
    with logged() as lines:
        Study(ONE).optimize(lambda t: math.nan if t.number == 2 else 1.0, n_trials=4)
    check(len(lines) == 1 and "trial 2 (in files 3) failed: the objective returned nan" in lines[0] and
          "Traceback" not in lines[0],
          f"a value that is no number, too {lines}")
    with logged():
        problem = raises(maxk.Error, "ten failures", "first 10 trials failed", Study(ONE).optimize, misspelt, 20)
        check(isinstance(problem.__cause__, KeyError) and problem.__cause__.__traceback__ is not None,
              "they have the last as cause")
        with ProcessPoolExecutor(1) as executor:
            pooled = Study(ONE)
            problem = raises(maxk.Error, "also of another process", "first 10 trials failed", pooled.optimize, misspelt, 20, None,
                             executor)
        check("in helper" in str(problem.__cause__) and "in helper" in pooled.trials[0].traceback,
              "with the text of its traceback")
        told = Study(ONE)
        raises(maxk.Error, "and by hand", "first 10 trials failed", lambda: [told.fail(told.ask()) for _ in range(30)])


def within_an_objective():
    """optimize() of the same study inside an objective; another study is no problem, nor is a callback."""
    for executor in (None, ThreadPoolExecutor(2)):
        study, seen = Study(ONE, lag=1), []

        def nested(trial):
            if trial.number == 3:
                study.optimize(x_of, n_trials=2)
            inner = Study(ONE)
            inner.optimize(x_of, n_trials=2)
            return inner.best_value

        def outer():
            study.optimize(nested, n_trials=6, executor=executor)
            seen.append(True)
        with logged():
            thread = threading.Thread(target=outer, daemon=True)
            thread.start()
            thread.join(60)
        check(seen and len(study) == 6 and [t.number for t in study.trials if t.status == "failed"] == [3] and
              "within an objective of the same study" in study.trials[3].why, "a nested call is refused at once")
    study = Study(ONE, lag=1)
    study.optimize(x_of, n_trials=3, callbacks=lambda s, t: t.number == 1 and s.optimize(x_of, n_trials=2))
    check(len(study) == 5, "a callback may run more trials")


def not_picklable():
    with ProcessPoolExecutor(1) as executor:
        raises(maxk.InputError, "a lambda and processes", "objective: cannot be sent to another process", Study(ONE).optimize,
               lambda t: 1.0, 5, executor=executor)
        raises(maxk.InputError, "choices and processes", "its params: cannot be sent to another process",
               Study({"a": {"f": Categorical([lambda: 1])}}).optimize, x_of, 5, executor=executor)
        study = Study(ONE)
        study.optimize(x_of, 3, executor=executor)
        check(len(study) == 3, "a function of a module can be sent")


def orphans(directory):
    """Workers of a pool whose parent is killed do not keep its journal."""
    code = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
import maxk
def objective(t):
    os.write(1, b"runs\\n")
    time.sleep(600)
if __name__ == "__main__":
    study = maxk.Study({"a": {"x": maxk.Real(0, 1)}}, path=sys.argv[1], lag=2)
    for _ in range(3):
        study.tell(study.ask(), 1.0)
    with ProcessPoolExecutor(2) as executor:
        study.optimize(objective, n_trials=30, executor=executor)
"""
    parent = subprocess.Popen([sys.executable, write(f"{directory}/orphans.py", code), f"{directory}/orphans"], env=ENVIRONMENT,
                              stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        lines = [parent.stdout.readline(), parent.stdout.readline()]
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        study = Study(ONE, path=f"{directory}/orphans", resume=True, lag=2)
        check(lines == ["runs\n"] * 2 and len(study) >= 3, "a study whose parent was killed is resumed while its workers live")
        study.close()
        os.killpg(parent.pid, 0)  # there still is one
    finally:
        os.killpg(parent.pid, signal.SIGKILL)
        parent.stdout.close()
    held = Study(ONE, path=f"{directory}/held")
    held.tell(held.ask(), 1.0)
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    again = "import maxk, sys; len(maxk.Study({'a': {'x': maxk.Real(0, 1)}}, path=sys.argv[1], resume=True))"
    done = subprocess.run([sys.executable, "-c", again, f"{directory}/held"], env=ENVIRONMENT, capture_output=True, text=True)
    check("in use by another process" in done.stderr, "a process that was forked and has ended leaves its parent the lock")
    held.close()


# ---- what is said ----

def places():
    """Messages name the arm and the key, and no line of a text that nobody has written."""
    for what, function in [
            ("arms: a: space: x: the step 2.5 is wider", lambda: Study({"a": {"x": Real(0, 1, step=2.5)}})),
            ("arms: b c: space: x: when: k: unknown hyperparameter",
             lambda: Study({"a": {}, "b c": {"x": Real(0, 1, when={"k": 1})}})),
            ("arms: a: optimizer: multivariat: unknown key", lambda: Study(ONE, optimizer={"name": "tpe", "multivariat": "yes"})),
            ("policy: alpha: expected", lambda: Study(ONE, policy={"name": "max_ucb", "alpha": -1})),
            ("crash: expected one of", lambda: Study(ONE, crash="w")),
            ("policy: alpha: expected", lambda: Policy("max_ucb", arms=2, alpha=-0.5)),
            ("arm: a: expected a number > 0", lambda: Arm("power", a=-1, s=1)),
            ("arm: components: 1: hi: expected a number > lo",
             lambda: Arm("mixture", weights=[1, 2], components=[Arm("uniform", lo=0, hi=1),
                                                                {"family": "uniform", "lo": 3, "hi": 2}])),
            ("experiment: problem: arms: expected a list", lambda: maxk.run({"problem": {"arms": []}})),
            ("experiment: policies: 1: alpha: expected", lambda: maxk.run({
                "problem": {"arms": [Arm("uniform", lo=0, hi=1)]}, "horizons": [2],
                "policies": ["uniform", {"name": "max_ucb", "alpha": -3}]}))]:
        try:
            function()
            check(False, f"{what}: nothing was raised")
        except maxk.InputError as problem:
            check(str(problem).startswith(what), f"{what}: {problem}")
    arms = {"svc": {"x": Real(0, 1)}, "knn": {"y": Real(0, 1)}}
    raises(maxk.InputError, "a label that is no arm", "'forrest' is no arm; expected one for each of svc, knn", Study, arms,
           optimizer={"svc": "tpe", "knn": "tpe", "forrest": "rf"})
    raises(maxk.InputError, "an arm without", "there is none for 'knn'", Study, arms, optimizer={"svc": "tpe"})
    check(len(Study({1: {"x": Real(0, 1)}}, optimizer={1: "rf"})) == 0, "labels may be numbers")
    for wrong in ({"m": 3}, {"m": None}, 3, ["m"]):
        raises(maxk.InputError, f"subject_to {wrong}", "subject_to: expected bounds by metric", Study, ONE,
               metrics=["m"], subject_to=wrong)


def options():
    """True and False where files say yes and no."""
    for name, value in (("multivariate", False), ("defaults", True)):
        trials = []
        for given in (value, "yes" if value else "no"):
            study = Study(ONE, optimizer={"name": "tpe", name: given})
            study.optimize(x_of, n_trials=20)
            trials.append([t.params for t in study.trials])
        check(trials[0] == trials[1], f"{name}: {value}")
    raises(maxk.InputError, "a text is no boolean", "expected one of no, yes", Study, ONE,
           optimizer={"name": "tpe", "defaults": "true"})


def plans():
    both = {"a": {"x": Real(0, 1)}, "b": {"x": Real(0, 1)}}
    what = "trials end before the first that is evaluated in whole"
    for optimizer in ("hyperband", "successive_halving", "asha", "bohb"):
        raises(maxk.InputError, f"too few trials for {optimizer}", f"n_trials: 20 {what}", Study, both,
               optimizer=optimizer, n_trials=20)
    with logged() as lines:
        Study(both, optimizer="hyperband").optimize(x_of, 20)
    check(len(lines) == 1 and lines[0].startswith(f"n_trials: 20 {what}"), f"of an open budget it is logged {lines}")
    raises(maxk.InputError, "combined", f"n_trials: 20 {what}", Study, both, combined="hyperband", n_trials=20)
    study = Study(both, optimizer={"name": "hyperband", "R": 9}, n_trials=60)
    study.optimize(x_of)
    check(any(t.fidelity == 1 for t in study.trials) and len(study) == 60, "a smaller R fits")
    mixed = Study(both, optimizer={"a": "hyperband", "b": "tpe"}, n_trials=20)
    check(len(mixed) == 0, "one arm with whole evaluations is enough")


def kept(directory):
    said = []
    for i in range(3):
        with logged() as lines:
            study = Study(ONE, path=f"{directory}/cash")
            study.optimize(x_of, n_trials=5)
            study.close()
        said.append([line.replace(directory, "") for line in lines])
    check(said == [[], ["/cash.h5: an earlier result; kept as /cash.h5.previous"],
                   ["/cash.h5: an earlier result; kept as /cash.h5.previous.2"]],
          f"earlier results that are renamed are logged {said}")
    with logged() as lines:
        Study(ONE, path=f"{directory}/cash", resume=True).close()
    check(not lines, "a study that is resumed says nothing")


def seeds(directory):
    a, b = Study(ONE, seed=None), Study(ONE, seed=None)
    same = Study(ONE, seed=a.seed)
    for study in (a, b, same):
        study.optimize(x_of, n_trials=5)
    points = [[t.params for t in study.trials] for study in (a, b, same)]
    check(a.seed != b.seed and points[0] != points[1] and points[0] == points[2], "seed=None is drawn, and known")
    check(Study(ONE).seed == 0 and Study(ONE, seed=7).seed == 7, "other seeds are known, too")
    first = Study(ONE, seed=None, path=f"{directory}/seed")
    first.optimize(x_of, n_trials=3)
    first.close()
    again = Study(ONE, seed=None, path=f"{directory}/seed", resume=True)
    check(again.seed == first.seed and len(again) == 3, "a study that is resumed keeps its seed")
    again.close()
    policies = {Policy("random", arms=1000, seed=None).select() for _ in range(4)}
    check(len(policies) > 1, "a policy's is drawn, too")


def opened_again(directory):
    """What close(), an interrupted call of optimize and partial evaluations leave."""
    forced = Study(ONE, path=f"{directory}/forced", force=True)
    forced.optimize(x_of, n_trials=4)
    forced.close()
    check(len(forced) == 4, "a study with force=True that is closed and used again continues")
    forced.close()
    memory = Study(ONE)
    memory.optimize(x_of, n_trials=4)
    memory.close()
    check(len(memory) == 4, "close() leaves a study in memory as it is")
    short = Study(ONE)
    short.optimize(x_of, n_trials=10, timeout=0)
    check(len(short) == 0, "no time, no trials")
    short.optimize(x_of, n_trials=3)
    check(len(short) == 3, "trials that a call has left over are not those of the next")
    short.optimize(x_of, n_trials=5, callbacks=lambda s, t: s.stop())
    short.optimize(x_of, n_trials=2)
    check(len(short) == 6, "nor those after stop()")
    partial = Study(ONE, optimizer={"name": "hyperband", "R": 9}, n_trials=22)
    partial.optimize(lambda t: math.nan if t.number == 20 else x_of(t))
    whole = [t for t in partial.trials if t.fidelity == 1 and t.status == "ok"]
    for given in (partial, partial.trials, partial.trials_dataframe()):
        new = Study(ONE)
        new.add_trials(given)
        check(0 < len(whole) < 22 and [(t.params, t.value) for t in new.trials] == [(t.params, t.value) for t in whole],
              "whole evaluations that have succeeded are earlier results, others are not")


# ---- programs that go on ----

def values_of_programs(directory):
    """Numbers, booleans and null arrive in programs as such, texts in quotes as texts; a study of Python is continued so."""
    seen, program = f"{directory}/seen", write(f"{directory}/worker.py", """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    with open(sys.argv[1], "a") as f:
        f.write(json.dumps(asked["config"]) + "\\n")
    print(json.dumps({"trial": asked["trial"], "value": asked["trial"]}), flush=True)
""")
    head = {"worker": [sys.executable, program, seen], "metric": {"maximize": True}, "policy": "uniform"}
    lines = """name: types
budget: {evaluations: 40}
arms:
  - {label: a, optimizer: random, space: {boot: {categorical: [false, true]}, trees: {ordinal: [10, 20.50, 1e3, .5, +3, 007]},
     c: {constant: 3}, none: {categorical: [null, ~, "true", "10", l2, "1.10", "", no]},
     n: {integer: [1, 5]}, python: {constant: True},
     w: {real: [0, 1], when: {none: "10"}}, choice: {choice: {svm: {}, "5": {}}}}}
"""
    path = write(f"{directory}/types.yaml", "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items()) + lines)
    run("tune", path, "--output", f"{directory}/types.h5")
    found = [json.loads(line) for line in open(seen)]
    values = {name: {repr(one[name]) for one in found if name in one} for name in found[0] | {"w": 0}}
    check(values["boot"] == {"False", "True"} and values["python"] == {"True"}, f"booleans {values['boot']}")
    check(values["trees"] == {"10", "20.5", "1000.0", "0.5", "3", "7"} and values["c"] == {"3"}, f"numbers {values['trees']}")
    check(values["none"] == {"None", "'true'", "'10'", "'l2'", "'1.10'", "''", "'no'"}, f"null and texts {values['none']}")
    check(values["n"] <= {"1", "2", "3", "4", "5"} and values["choice"] == {"'svm'", "'5'"}, f"others {values['choice']}")
    check(all(("w" in one) == (one["none"] == "10") for one in found), "conditions mean them")
    text = open(f"{directory}/types.tune.yaml").read()
    check("[10, 20.50, 1e3, .5, +3, 007]" in text and '"10"' in text and '"1.10"' in text, "the resolved file keeps them")
    os.remove(seen)
    run("tune", f"{directory}/types.tune.yaml", "--output", f"{directory}/again.h5")
    check([json.loads(line) for line in open(seen)] == found, "and asks for the same")
    os.remove(seen)
    study = Study({"a": {"b": Categorical([True, 1.0, 3, "4", None, 1e22])}}, path=f"{directory}/of_python",
                  optimizer="random", n_trials=30)
    study.optimize(lambda t: float(t.number), n_trials=6)
    study.close()
    known = study.trials
    study.close()
    resumed = f"{directory}/of_python.tune.yaml"
    program_lines = f"worker: {json.dumps(head['worker'])}\n"
    text = open(resumed).read()
    check({type(t.params["b"]) for t in known} <= {bool, float, int, str, type(None)}, "values in Python have their types")
    check("True, 1.0, 3, \"4\", None, 1e+22" in " ".join(text.split()),
          f"and so has the file: {text[text.find('categorical'):][:80]!r}")
    write(f"{directory}/go.yaml", text + program_lines)
    done = subprocess.run([MAXK, "tune", f"{directory}/go.yaml", "--output", f"{directory}/go.h5"], capture_output=True,
                          text=True)
    got = {repr(json.loads(line)["b"]) for line in open(seen)} if os.path.exists(seen) else set()
    check(done.returncode == 0 and got == {"True", "1.0", "3", "'4'", "'None'", "1e+22"},
          f"which programs receive {got} {done.stderr[-200:]}")


def main():
    with folder() as directory:
        same_choices()
        missing_words(directory)
        steps()
        single_values()
        sets_in_conditions(directory)
        no_numpy()
        tracebacks()
        within_an_objective()
        not_picklable()
        orphans(directory)
        places()
        options()
        plans()
        kept(directory)
        seeds(directory)
        opened_again(directory)
        values_of_programs(directory)
    finish()


if __name__ == "__main__":
    main()
