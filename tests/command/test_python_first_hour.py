"""What one reaches for in the first hour with studies in Python: opening one by its path, constants, seeds, time limits of
trials, importance and Pareto sets, and what is shown without numpy and pandas."""
import contextlib
import logging
import math
import os
import random
import re
import subprocess
import sys
import time
import warnings
import zlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment, raises

ENVIRONMENT = python_environment()
enter(ENVIRONMENT)

sys.path.insert(0, "sim/python")
import maxk
from maxk import Categorical, Integer, Real, Study
from maxk._text import Plain, parsed, yaml

WORDS = Categorical(["rbf", 'po"ly, x: [y]', None, True, 2, 2.5, "2.50", "it's"], default="rbf")
ARMS = {"svc 1": {"C": Real(1e-3, 1e3, log=True), "k": WORDS, "d": Integer(2, 8, step=2, when={"k": ["rbf", True]}),
                  "e": Real(0, 1, when={"d": "> 3"}), "o": Categorical(["s", "m"], ordered=True), "n": 5, "v": False, "z": None,
                  "text": "a: {b}, 'c'"},
        "dummy": {}, "ä, x": {"x": Real(0, 1)}}


def value_of(trial):
    p = trial.params
    return (p["C"] % 1 + p.get("e", 0) if trial.arm == "svc 1" else p.get("x", 0.3)), {"memory": trial.seed % 7}


def rows(study):
    return study.trials_dataframe().drop(columns="seconds").to_csv()


def flow_texts():
    for value in ({"a": ["x, y", {"b": "c: d"}], "it's": "\"q\"", "e": []}, ["", "[", " x "], "plain"):
        check(parsed(yaml(value)) == value, f"read as written: {yaml(value)}")
    found = parsed("{k: [rbf, 2.5, \"2.50\", 'it''s'], t: a:b}")
    check(found == {"k": ["rbf", "2.5", "2.50", "it's"], "t": "a:b"} and
          [isinstance(one, Plain) for one in found["k"]] == [True, True, False, False], f"words and quotes: {found}")
    for text in ("{a: [1", "[x"):
        try:
            parsed(text)
            check(False, f"{text}: nothing was raised")
        except ValueError:
            check(True, f"{text}: has no end")


def opened_by_its_path(directory):
    options = dict(metrics=["memory"], subject_to={"memory": {"at_most": 5}}, direction="minimize", crash=9.0, lag=3,
                   policy={"name": "max_ucb", "alpha": 0.3}, optimizer={"svc 1": "tpe", "dummy": "random", "ä, x": "gp"},
                   first=[{"arm": "ä, x", "x": 0.25}])
    whole = Study(ARMS, seed=5, n_trials=40, **options)
    whole.optimize(value_of, 40)
    with Study(ARMS, seed=5, n_trials=40, path=f"{directory}/one", **options) as study:
        study.optimize(value_of, 25)
        before = rows(study)
    again = Study.open(f"{directory}/one")
    check(rows(again) == before and again.direction == "minimize" and again.seed == 5 and len(again) == 25,
          "opened without its arms: the same trials with the same types")
    check(again.best_params == study.best_params and again.best_value == whole.trials[again.best_trial.number].value,
          "and the best one")
    again.optimize(value_of, 40)
    check(rows(again) == rows(whole), "continued: the trials of a whole study")
    again.close()
    on = dict(instances=["a", 3, "b c"], optimizer="irace", seed=2, path=f"{directory}/two")
    with Study({"x": {"x": Real(0, 1)}}, n_trials=60, **on) as study:
        study.optimize(lambda t: t.params["x"] + len(str(t.instance)), 30)
        with_names = [(t.params, t.value, str(t.instance)) for t in study.trials]
    with Study.open(f"{directory}/two.h5") as again:
        check([(t.params, t.value, t.instance) for t in again.trials] == with_names, "on instances, which are their texts")
    combined = Study({"a": {"x": Real(0, 1)}, "b": {}}, combined="tpe", path=f"{directory}/three")
    combined.optimize(lambda t: t.params.get("x", 0.1), 12)
    combined.close()
    check(len(Study.open(f"{directory}/three").trials) == 12, "a combined search, whose budget may grow")
    ranges = {"a": {"ants": Integer(2, 30), "k": Integer(1, "ants"), "x": Real(0, 1), "y": Real("x", 2),
                    "forbid": ["k + ants > 40", {"k": 2}]}}
    with Study(ranges, path=f"{directory}/four", seed=3) as study:
        study.optimize(lambda t: t.params["x"], 20)
        before = rows(study)
    again = Study.open(f"{directory}/four")
    again.optimize(lambda t: t.params["x"], 30)
    check(rows(again).startswith(before) and len(again) == 30 and all(
        t.params["k"] <= t.params["ants"] and t.params["k"] != 2 and t.params["x"] <= t.params["y"] for t in again.trials),
        "with ranges that depend on others, and what is forbidden")
    again.close()
    raises(maxk.InputError, "no study", "has no journal", Study.open, f"{directory}/none")
    held = os.path.exists(f"{directory}/one.trials.lock")
    check(not held, "with gives the journal back")


def constants():
    for optimizer in ("tpe", "gp", "cma_es", "random", "rf"):
        study = Study({"a": {"x": Real(0, 1), "n": 5, "v": True, "z": None, "w": "x: y", "q": 2.5}}, optimizer=optimizer)
        study.optimize(lambda t: t.params["x"], 3)
        params = study.trials[-1].params
        check({name: params[name] for name in params if name != "x"} == {"n": 5, "v": True, "z": None, "w": "x: y", "q": 2.5} and
              params["v"] is True and type(params["n"]) is int, f"{optimizer}: constants are themselves: {params}")
    yes = Study({"a": {"x": Real(0, 1)}}, optimizer={"name": "tpe", "multivariate": False})
    no = Study({"a": {"x": Real(0, 1)}}, optimizer={"name": "tpe", "multivariate": "no"})
    check(yes._arms != "" and [s.optimize(lambda t: t.params["x"], 15) for s in (yes, no)] == [None, None] and
          rows(yes) == rows(no), "True and False are yes and no")


def drawn_seeds(directory):
    seeds = [Study({"a": {"x": Real(0, 1)}}, seed=None).seed for _ in range(3)]
    check(len(set(seeds)) == 3, f"None draws a seed: {seeds}")
    with Study({"a": {"x": Real(0, 1)}}, seed=None, path=f"{directory}/drawn") as study:
        study.optimize(lambda t: t.params["x"], 5)
        seeds = [t.seed for t in study.trials]
    again = Study({"a": {"x": Real(0, 1)}}, seed=None, path=f"{directory}/drawn", resume=True)
    again.optimize(lambda t: t.params["x"], 8)
    check(again.seed == study.seed and [t.seed for t in again.trials[:5]] == seeds,
          "which a resumed study keeps")
    again.close()


def stuck(trial):
    if trial.number % 3 == 1:
        subprocess.run(["sleep", "100"]) if trial.number % 2 else sum(range(10 ** 12))  # in C, which no signal handler ends
    if trial.number == 3:
        os._exit(7)
    if trial.number == 5:
        raise KeyError("depth")
    return trial.params["x"]


def time_limits():
    study = Study({"a": {"x": Real(0, 1)}}, lag=3)
    start = time.monotonic()
    with ProcessPoolExecutor(2) as executor:
        study.optimize(stuck, 9, executor=executor, trial_timeout=0.5)
    found = [t.status for t in study.trials]
    check(found == ["ok", "timed out", "ok", "failed", "timed out", "failed", "ok", "timed out", "ok"] and
          time.monotonic() - start < 20, f"trials that take too long are ended: {found}")
    check("0.5 s" in study.trials[1].why and "ended with 7" in study.trials[3].why and "depth" in study.trials[5].why and
          "in stuck" in study.trials[5].traceback, f"why, and tracebacks: {[t.why for t in study.trials]}")
    check(study.trials[0].value == study.trials[0].params["x"], "and the others have their values")
    raises(maxk.InputError, "no processes", "expected an executor with processes", study.optimize, stuck, 12, trial_timeout=1)
    with ThreadPoolExecutor(1) as executor:
        raises(maxk.InputError, "threads", "expected an executor with processes", study.optimize, stuck, 12,
               executor=executor, trial_timeout=1)
    raises(maxk.InputError, "no time", "trial_timeout: expected a number", study.optimize, stuck, 12, trial_timeout=0)


def several_objectives(directory):
    study = Study({"a": {"x": Real(0, 1), "y": Real(0, 1)}}, metrics=["memory", "time"], direction="minimize", optimizer="random")
    study.optimize(lambda t: (t.params["x"], {"memory": t.params["y"], **({} if t.number == 4 else {"time": 1})}), 60)
    found = {t.number for t in study.pareto(memory="minimize")}
    points = {t.number: (t.params["x"], t.params["y"]) for t in study.trials}
    expected = {i for i, (x, y) in points.items() if not any(u <= x and v <= y and (u, v) != (x, y) for u, v in points.values())}
    check(found == expected and len(found) > 2, f"the Pareto set: {sorted(found)}")
    best = min(points, key=points.get)
    check([t.number for t in study.pareto()] == [best], "of the value alone the best trial")
    most = {t.number for t in study.pareto(memory="maximize", time="minimize")}
    expected = {i for i, (x, y) in points.items() if i != 4 and
                not any(j != 4 and u <= x and v >= y and (u, v) != (x, y) for j, (u, v) in points.items())}
    check(most == expected, "larger is better, and a missing metric leaves out")
    raises(maxk.InputError, "no metric", "pareto: expected metrics of the study", study.pareto, cost="minimize")
    raises(maxk.InputError, "no direction", "expected maximize or minimize", study.pareto, time="up")
    table = study.importance()
    alone = table[table["second"].isna() | (table["second"] == "")] if "second" in table else table
    shares = dict(zip(alone["hyperparameter"], alone["importance"]))
    check(shares["x"] > 0.8 > shares["y"], f"importance: {shares}")


def test_instances(directory):
    """Beside what `maxk tune` makes of the same values."""
    def value(trial):
        return trial.params["x"] + (len(trial.instance) if trial.instance else 0) + trial.seed % 100 / 1000

    options = dict(instances=["a", "bb", "ccc"], test_instances=["dddd", "eeeee"], optimizer="random", direction="minimize",
                   seed=4, lag=1)
    study = Study({"s": {"x": Real(0, 1)}}, path=f"{directory}/tested", **options)
    study.optimize(value, 15)
    with ThreadPoolExecutor(2) as executor:
        again = study.reevaluate(value, 4, executor)
    check([t.instance for t in again[:2]] == ["dddd", "eeeee"] and {t.instance for t in again[2:]} == {"a", "bb", "ccc"} and
          all(t.params == study.best_params and t.value == value(t) for t in again) and len({t.seed for t in again}) == 6,
          f"the best configuration on test instances, and again: {again}")
    best = open(f"{directory}/tested.best.yaml").read()
    mean = sum(t.value for t in again[:2]) / 2
    check(f"mean: {mean:.12g}"[:14] in best and "dddd:" in best and "reevaluated: {times: 4" in best,
          f"in OUT.best.yaml: {mean}")
    script = f"{directory}/value.py"
    with open(script, "w") as file:
        file.write("import json, os, sys\nx = json.load(open(os.environ['MAXK_CONFIG']))['x']\n"
                   "print(repr(x + len(sys.argv[1]) + int(os.environ['MAXK_SEED']) % 100 / 1000))\n")
    with open(f"{directory}/t.yaml", "w") as file:
        file.write(f"""name: t
command: [{sys.executable}, {script}, "{{instance}}"]
metric: {{last_number: true, maximize: false}}
policy: {{name: max_ucb, alpha: 0.5, scale: minmax}}
budget: {{evaluations: 15}}
reevaluate: 4
seed: 4
lag: 1
instances: [a, bb, ccc]
test_instances: [dddd, eeeee]
arms:
  - {{label: s, space: {{x: {{real: [0, 1]}}}}, optimizer: random}}
""")
    program = ENVIRONMENT.get("MAXK", "build/maxk")
    done = subprocess.run([program, "tune", f"{directory}/t.yaml", "-q", "-o", f"{directory}/t.h5"], capture_output=True,
                          text=True)
    theirs = open(f"{directory}/t.reevaluations.csv").read() if done.returncode == 0 else done.stderr
    ours = open(f"{directory}/tested.reevaluations.csv").read()
    values = [[(line.split(",")[3], line.split(",")[5]) for line in text.split("\n") if line[:1].isdigit()]
              for text in (ours, theirs)]
    check(values[0] == values[1] and len(values[0]) == 6, f"the values of `maxk tune`: {values}")
    study.close()
    more = Study.open(f"{directory}/tested")
    check([t.value for t in more.reevaluate(lambda t: 1 / 0, 4)] == [t.value for t in again], "none is made twice, also later")
    raises(maxk.InputError, "an instance of both kinds", "is among `instances`, too", Study, ARMS,
           **{**options, "test_instances": ["a"]})


def slow_runs(trial):
    time.sleep(trial.params["x"])
    return trial.params["x"]


def sleeps(trial):
    time.sleep(30)


def bounds():
    options = dict(direction="minimize", optimizer="random", bound=0.3, lag=2)
    study = Study({"a": {"x": Categorical([0.0, 0.1, 30.0])}}, **options)
    with ProcessPoolExecutor(2) as executor:
        study.optimize(slow_runs, 8, executor=executor)
        again = study.reevaluate(sleeps, 2, executor)
        unlimited = Study({"a": {"x": Categorical([0.0, 0.1])}})
        unlimited.optimize(slow_runs, 2, executor=executor, trial_timeout=math.inf)
    check([(t.status, t.value, t.bound) for t in again] == [("ok", 0.3, 0.3)] * 2, f"re-evaluations have this bound: {again}")
    check([t.status for t in unlimited.trials] == ["ok"] * 2, f"a timeout that is infinite: {unlimited.trials}")
    values = {t.params["x"]: t.value for t in study.trials}
    check(values[30.0] == 0.3 and values[0.1] == 0.1 and {t.bound for t in study.trials} == {0.3} and
          {t.status for t in study.trials} == {"ok"}, f"a run that takes longer counts as the bound: {values}")
    race = Study({"a": {"x": Real(0.1, 10, log=True)}}, direction="minimize", optimizer="irace", bound=20.0, seed=3,
                 instances=[f"i{k}" for k in range(6)])
    race.optimize(lambda t: t.params["x"] * (1 + t.seed % 7 / 10), 150)
    capped = [t for t in race.trials if t.bound < 20]
    late = {t.number for t in capped if t.params["x"] * (1 + t.seed % 7 / 10) >= t.bound}
    check(len(late) > 3 and len(capped) > len(late) and all(
        (t.status == "timed out" and "cannot survive" in t.why) == (t.number in late) for t in race.trials),
        f"with less time in a race, in which what takes longer has timed out: {len(late)} of {len(capped)}")
    raises(maxk.InputError, "of what is maximised", "bound: expected a metric that is minimised", Study, ARMS, bound=3.0)


def used_before_a_budget(directory):
    """A study that is used before optimize gives it a budget, for which irace plans, has the trials of one that knew it."""
    def value(trial):
        if len(study) > stop:
            raise KeyboardInterrupt
        return (trial.params["x"] - 0.3) ** 2 + trial.instance / 100

    def race(**options):
        return Study({"a": {"x": Real(0, 1)}}, optimizer="irace", direction="minimize", seed=3, lag=1, instances=range(10),
                     **options)

    stop, found = 10 ** 6, {}
    one = {"arm": "a", "params": {"x": 0.5}}
    for name, options, before in (
            ("plain", {}, lambda s: None), ("with n_trials", {"n_trials": 100}, lambda s: None), ("looked at", {}, len),
            ("listed", {}, lambda s: s.trials), ("first", {"first": [{"x": 0.5}]}, lambda s: None),
            ("enqueued", {}, lambda s: s.enqueue(one["params"])),
            ("enqueued and resumed", {"path": f"{directory}/early"}, lambda s: s.enqueue(one["params"]))):
        study = race(**options)
        before(study)
        if "path" in options:
            stop = 30
            with contextlib.suppress(KeyboardInterrupt):
                study.optimize(value, 100)
            study.close()
            stop, study = 10 ** 6, race(**options, resume=True)
            before(study)
        study.optimize(value, 100)
        found[name] = [(t.params["x"], t.instance) for t in study.trials]
        study.close()
    check(found["plain"] == found["with n_trials"] == found["looked at"] == found["listed"], "a later budget is planned for")
    check(found["first"] == found["enqueued"] == found["enqueued and resumed"], "with a configuration that is tried first, too")
    check(len({x for x, _ in found["plain"]}) > 10 and len({x for x, _ in found["first"]}) < 30, "a race of 100 runs, not 1000")
    plans = {"policy": {"name": "successive_halving"}, "optimizer": "random", "direction": "minimize"}
    both = []
    for n in (None, 40):
        study = Study(ARMS, **plans, n_trials=n, metrics=["memory"])
        study.add_trials([{"arm": "dummy", "params": {}, "value": 0.9}])
        study.optimize(value_of, 40)
        both.append(rows(study))
    check(both[0] == both[1], "with earlier results, too")


def page_of_a_study(directory):
    """The share of resamples in which the best arm stays ahead, beside resampling; an outlier; a picture for each panel."""
    values = {"a": [0.5, 0.9, 0.71, 0.8, 0.2], "b": [0.85, 0.4, 0.3, 0.72, 0.1], "c": [0.1, 0.2, 0.3, 0.15, 0.05]}
    study = Study({arm: {"x": Real(0, 1)} for arm in values}, policy="uniform", n_trials=15, path=f"{directory}/page", lag=1)
    left = {arm: list(one) for arm, one in values.items()}
    study.optimize(lambda t: left[t.arm].pop(0))
    text = re.sub("<[^>]+>", " ", open(study.report(f"{directory}/page.html")).read())
    said = r"Which algorithm: a\. In (\d+) % of resamples.*?It cannot be told from b \((\d+) %\)\."
    found = re.search(said, " ".join(text.split()))
    draw, ahead = random.Random(5), [0, 0]
    for _ in range(20000):
        best = {arm: max(draw.choice(one) for _ in one) for arm, one in values.items()}
        ahead[0] += best["a"] > max(best["b"], best["c"])
        ahead[1] += best["a"] > best["b"]
    check(found is not None and all(abs(int(share) + 0.5 - n / 200) < 1.5 for share, n in zip(found.groups(), ahead)),
          f"how sure the algorithm is: {found and found.groups()} {ahead}")
    study.close()
    far = Study({"a": {"x": Real(0, 1), "y": Real(0, 1)}, "b": {}}, policy="uniform", path=f"{directory}/far", seed=2,
                direction="minimize")
    far.optimize(lambda t: 1000 if t.number == 2 else t.params.get("x", 0.9), 40)
    page = open(far.report(f"{directory}/far.html")).read()
    text = re.sub("<[^>]+>", " ", page)
    check(len(re.findall("1 of 20 beyond the axis", " ".join(text.split()))) == 2,
          "an outlier does not flatten the plots, which say so")
    check(page.count("<svg") == 5, f"every panel is a picture of its own: {page.count('<svg')}")
    far.close()


def beside_other_tools():
    """Names in the column of maxk of the manual's comparison are those of keys, optimisers and methods."""
    program = ENVIRONMENT.get("MAXK", "build/maxk")
    known = set(dir(Study)) | set(Study.__init__.__kwdefaults__)
    for what in ("tunekeys", "spacekeys", "optimizers"):
        listed = subprocess.run([program, "list", what], capture_output=True, text=True).stdout
        known |= {line.split()[0] for line in listed.split("\n") if line.strip()}
    text = open("experiments/manual/tuning.md").read().split("## Beside other tools")[1]
    cells = [line.split("|")[2] for line in text.split("\n") if line.startswith("| ") and "need" not in line]
    names = [name.split(":")[0] for cell in cells for name in re.findall("`([^`]+)`", cell)]
    check(len(cells) == 11 and len(names) >= 18 and not set(names) - known, f"what is not there: {set(names) - known}")


def warned_with_numbers():
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("maxk").addHandler(handler)
    study = Study({"a": {"x": Real(0, 1)}})
    study.optimize(lambda t: 1 / 0 if t.number in (2, 4) else 1.0, 6)
    logging.getLogger("maxk").removeHandler(handler)
    check(len(lines) == 1 and "trial 2 (in files 3) failed: ZeroDivisionError" in lines[0] and "Traceback" in lines[0],
          f"the first failure is logged with both numbers: {lines}")
    try:
        Study({"a": {"x": Real(0, 1)}}).optimize(lambda t: {}["depth"], 20)
        check(False, "nothing was raised")
    except maxk.Error as problem:
        check(isinstance(problem.__cause__, KeyError), f"the cause of too many failures: {problem.__cause__!r}")


def old_journal(path):
    """A journal of before configurations were in it: questions have digests alone."""
    lines = []
    for line in open(path, "rb").read().split(b"\n")[:-1]:
        text = line[:-9]
        if text.startswith(b"ask "):
            text = b" ".join(text.split(b" ")[:3])
            line = text + b" %08x" % zlib.crc32(text)
        lines.append(line)
    with open(path, "wb") as file:
        file.write(b"\n".join(lines) + b"\n")


def repeated_from_the_journal(directory):
    """Of every optimiser: what is repeated from the configurations of the journal, or chosen again, goes on as if it had
    never ended."""
    arms = {"a": {"x": Real(0, 1), "n": Integer(1, 60, log=True), "w": Categorical(["u", "v"])}, "b": {"x": Real(0, 1)}}

    def value(trial):
        if trial.number % 11 == 7:
            raise ValueError("no luck")
        return math.sin(7 * trial.params["x"]) + trial.params.get("n", 3) / 60

    for name, first in (("tpe", 60), ("rf", 45), ("gp", 45), ("cma_es", 60), ("evolution", 60), ("random", 40), ("grid", 40),
                        ("bohb", 110), ("hyperband", 110), ("irace", 60), ("combined", 50)):
        options = dict(lag=3, seed=2)
        options |= dict(combined="tpe") if name == "combined" else dict(optimizer=name)
        if name == "irace":
            options["instances"] = ["i", "j", "k"]
        if name in ("bohb", "hyperband"):
            options["optimizer"] = {"name": name, "R": 9}
        whole = Study(arms, n_trials=first + 20, **options)
        whole.optimize(value, first + 20)
        for old in (False, True):
            path = f"{directory}/{name}{old}"
            with Study(arms, n_trials=first + 20, path=path, **options) as study:
                study.optimize(value, first)
            if old:
                old_journal(f"{path}.trials/journal")
            again = Study(arms, n_trials=first + 20, path=path, resume=True, **options)
            again.optimize(value, first + 20)
            check(rows(again) == rows(whole), f"{name}: continued from a journal {'without' if old else 'with'} configurations")
            again.close()


def another_version(directory):
    """A trial that would be another one now is noticed, among the first ones and again and again later."""
    arms = {"a": {"x": Real(0, 1)}}
    found = {}
    for number in (3, 30, 32):
        path = f"{directory}/version{number}"
        with Study(arms, path=path, lag=1, seed=1, n_trials=50) as study:
            study.optimize(lambda t: t.params["x"], 40)
        lines = open(f"{path}.trials/journal", "rb").read().split(b"\n")
        asks = [i for i, line in enumerate(lines) if line.startswith(b"ask ")]
        text = lines[asks[number + 1]][:-9]  # another configuration, with its digest
        lines[asks[number]] = text + b" %08x" % zlib.crc32(text)
        with open(f"{path}.trials/journal", "wb") as file:
            file.write(b"\n".join(lines))
        try:
            found[number] = len(Study.open(path).trials)
        except maxk.InputError as problem:
            found[number] = str(problem).split(": ", 1)[1].split(" was ")[0]
    check(found[3] == "trial 4" and found[32] == "trial 33" and found[30] == 40, f"what is checked: {found}")


def without_packages(directory):
    """numpy, pandas and xarray cannot be imported."""
    script = """import sys
for name in ("numpy", "pandas", "xarray"):
    sys.modules[name] = None
sys.path.insert(0, "sim/python")
import maxk
policy = maxk.Policy("max_ucb", arms=2)
for _ in range(4):
    policy.update(policy.select(), 1.0)
assert policy.history()[0] == [0, 1, 0, 0] or len(policy.history()[0]) == 4, policy.history()
study = maxk.Study({"<a>": {"x": maxk.Real(0, 1)}})
study.optimize(lambda t: t.params["x"], 12)
html = study._repr_html_()
assert html.count("<tr>") == 11 and "&lt;a&gt;" in html and "<a>" not in html, html
assert len(study.pareto()) == 1
result = maxk.run({"problem": {"arms": [{"family": "uniform", "lo": 0, "hi": 1}]}, "policies": ["uniform"], "horizons": [5]})
assert "<p>" in result._repr_html_()
"""
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True)
    check(done.returncode == 0, f"without numpy and pandas: {done.stderr[-500:]}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.getLogger("maxk").addHandler(logging.NullHandler())
    with folder() as scratch:
        flow_texts()
        opened_by_its_path(scratch)
        constants()
        drawn_seeds(scratch)
        time_limits()
        several_objectives(scratch)
        test_instances(scratch)
        bounds()
        used_before_a_budget(scratch)
        page_of_a_study(scratch)
        beside_other_tools()
        warned_with_numbers()
        repeated_from_the_journal(scratch)
        another_version(scratch)
        without_packages(scratch)
    finish()
