"""Random small studies against a model of them. The model keeps what was reported, and recomputes what there is to know of it:
the best trial, counts, what another policy would have done, and every row of the files. So what an objective returns is what the
study says, what is in OUT.csv and OUT.h5, and what comes back from there."""
import csv
import hashlib
import json
import math
import os
import random
import signal
import warnings

import h5py
import numpy as np
import yaml

import maxk
from lib import run
from maxk import Categorical, Integer, Real, Study

IN_PART = ["hyperband", "successive_halving", "bohb", "irace"]
WHOLE = ["random", "tpe", "rf", "cma_es", "evolution", "grid", "gp"]
POLICIES = ["uniform", "random", "greedy", {"name": "max_ucb", "alpha": 0.5, "scale": "minmax"},
            {"name": "ucb", "scale": "minmax"}]


class _Plain(yaml.SafeDumper):
    yaml_implicit_resolvers: dict = {}  # texts are written as they are


class Model:
    """What has been reported, in the order of the trials; signs are those of a metric that is maximised."""

    def __init__(self, sign, rows, depth=0, races=False):
        self.sign, self.rows, self.depth, self.races = sign, rows, depth, races
        runs = {}
        for row in rows:
            key = row["arm"], json.dumps(row["params"], sort_keys=True, default=str)
            ok, i = row["status"] == "ok", row["run"]
            past = runs.setdefault(key, {})
            if ok and i:
                past[i] = row["value"]
            elif i:
                past.pop(i, None)
            values = [past.get(j) for j in range(1, i + 1)] if i else [row["value"]]
            row["mean"] = math.nan if not ok or None in values else math.fsum(values) / len(values)
            ends = i == depth if depth and i else row["fidelity"] == 1  # on named instances the depth says what is whole
            row["whole"] = row["mean"] if ends else math.nan
            row["runs"] = next((j for j in range(i) if past.get(i - j) is None), i)

    def best(self, rows=None):
        known = [r for r in self.rows if not math.isnan(r["whole"])] if rows is None else rows
        return max(known, key=lambda r: self.sign * r["whole"], default=None)  # the first of equal ones

    def failed(self, status):
        return sum(r["status"] == status for r in self.rows)

    def best_curve(self):
        best = np.array([-math.inf if math.isnan(r["whole"]) else self.sign * r["whole"] for r in self.rows])
        return np.maximum.accumulate(best)

    def round_robin(self, arms):
        """How many trials round robin can be followed for, the best whole value, and its trial; None: none."""
        left = {arm: [r for r in self.rows if r["arm"] == arm] for arm in arms}
        played = []
        while len(played) < len(self.rows) and left[arm := arms[len(played) % len(arms)]]:
            played.append(left[arm].pop(0))
        known = [r for r in played if not math.isnan(r["whole"])]
        best = self.best(known)
        return len(played), best and best["whole"], best and played.index(best) + 1

    def seen(self, number):
        """The metric as the policy saw it; None: by the rule for failures, or before the first whole evaluation."""
        row = self.rows[number]
        if row["status"] != "ok" or self.races:
            return None
        if row["run"] == self.depth if self.depth else row["fidelity"] == 1:
            return row["mean"]
        known = [r for r in self.rows[:number] if r["arm"] == row["arm"] and not math.isnan(r["whole"])]
        best = self.best(known)
        return best and best["whole"]


# ---- random studies ----

def space(rng):
    found = {}
    for name in "abc"[:rng.randint(0, 3)]:
        kind = rng.choice(["real", "log", "integer", "category"])
        words = [Categorical(x) for x in (["u", "v"], [1, 2.5, "w"], [True, None, "x"])]
        found[name] = {"real": Real(-1, 2), "log": Real(1e-3, 10, log=True), "integer": Integer(1, rng.choice([3, 40])),
                       "category": rng.choice(words)}[kind]
        if name == "b" and isinstance(found["a"], Categorical) and rng.random() < 0.5:
            found[name] = Real(0, 1, when={"a": found["a"].choices[0]})
    return found


def optimizer(rng):
    name = rng.choice(IN_PART + WHOLE)
    return {"hyperband": {"name": name, "R": rng.choice([3, 9])}, "bohb": {"name": name, "R": 3},
            "successive_halving": {"name": name, "n": 4, "R": 4},
            "irace": {"name": name, "instances": rng.randint(2, 4), "first": 2, "B": rng.randint(20, 40)}}.get(name, name)


def settings(rng):
    arms = {f"arm {k}": space(rng) or {"a": Real(0, 1)} for k in range(rng.randint(1, 3))}
    some = {"direction": rng.choice(["maximize", "minimize"]), "seed": rng.randint(0, 99), "lag": rng.choice([1, 1, 2, 5]),
            "n_trials": rng.randint(30, 70), "crash": rng.choice(["worst", "worst", "ignore", -50.0])}
    if rng.random() < 0.25:
        some["combined"] = optimizer(rng)
    else:
        some |= {"policy": rng.choice(POLICIES), "optimizer": {label: optimizer(rng) for label in arms}}
    if rng.random() < 0.4:
        some |= {"metrics": ["size"], "subject_to": {"size": {"at_most": 0.8}}}
    return arms, some


def on_instances(rng, arms, some):
    """The same on named instances, on which optimisers race or of which they learn the means."""
    names = rng.sample(["u", 5, 0, "v w", 7.5, "x/y", "z"], rng.randint(1, 7))
    which = lambda: rng.choice(["irace", {"name": "irace", "first": 2, "instances": rng.randint(2, 9)}, *WHOLE])
    some["instances"] = names
    if "combined" in some:
        some["combined"] = which()
    else:
        some["optimizer"] = {label: which() for label in arms}
    if rng.random() < 0.5:
        some["instances_per_trial"] = rng.randint(1, 4)
    return some


def outcome(trial, further):
    """Value (None: a failure) and further metrics: a function of what the trial is."""
    text = json.dumps([trial.arm, trial.params, trial.fidelity, trial.instance, trial.seed % 3], default=str)
    draw = random.Random(int(hashlib.sha256(text.encode()).hexdigest(), 16))
    value = None if draw.random() < 0.1 else draw.gauss(0, 1) + 2 * (1 - trial.fidelity)  # parts are flattering
    return value, {"size": draw.random()} if further else {}


def tell(study, trial, further):
    value, metrics = outcome(trial, further)
    if value is None:
        study.fail(trial, "no luck")
    else:
        study.tell(trial, value, metrics=metrics)


def play(study, rng, further, until=math.inf, die=False):
    """Trials up to `until` results, as many as the lag running at once and reported in any order; die: the process is killed."""
    running, ended = [], sum(t.status != "running" for t in study.trials)
    while ended < until:
        try:
            while len(running) < 8:
                running.append(study.ask())
        except maxk.InputError:
            pass  # the lag, or the end of the budget
        if not running:
            return
        tell(study, running.pop(rng.randrange(len(running))), further)
        ended += 1
    if die:
        os.kill(os.getpid(), signal.SIGKILL)


def killed(arms, some, path, seed, until, cut):
    """A session in a process of its own that is killed in the middle, and of whose journal the last bytes may be missing."""
    child = os.fork()
    if not child:
        try:
            play(Study(arms, path=path, resume=True, **some), random.Random(seed), "metrics" in some, until, die=True)
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    journal = path[:-3] + ".trials/journal"
    if cut and os.path.exists(journal) and os.path.getsize(journal) > 1000:
        os.truncate(journal, os.path.getsize(journal) - cut)


# ---- checks; each gives the first thing that is wrong, or None ----

def same(a, b):
    return a == b or (a is None or math.isnan(a)) and (b is None or math.isnan(b))


def close(a, b):
    return same(a, b) or abs(a - b) <= 1e-12 * (abs(a) + abs(b))


def rows_of(study, further):
    """What was reported of every trial, computed anew."""
    found = []
    for trial in study.trials:
        value, metrics = (trial.value, {}) if trial.added else outcome(trial, further)
        status = "failed" if value is None else "infeasible" if metrics.get("size", 0) > 0.8 else "ok"
        found.append({"arm": trial.arm, "params": trial.params, "fidelity": trial.fidelity, "instance": trial.instance,
                      "run": trial.run, "value": value, "metrics": metrics, "status": status, "added": trial.added})
    return found


def wrong_study(study, model, arms, combined):
    for trial, row in zip(study.trials, model.rows):
        if not same(trial.value, row["value"]) or trial.status != row["status"] or not close(trial.whole, row["whole"]):
            return f"trial {trial.number}: {trial} for {row}"
    best = best_of(study, model)
    if (best is None) != (study_best(study) is None) or best and study.best_trial.number != model.rows.index(best):
        return f"best: {study_best(study)}, expected {best}"
    if model.depth and (bad := wrong_blocks(study, model)):
        return bad
    if best and not close(study.best_value, best["whole"]):
        return f"best value: {study.best_value}, expected {best['whole']}"
    if not combined:
        table, (n, value, at) = study.simulate("uniform"), model.round_robin(list(arms))
        found = {name: list(table[name])[0] for name in ("trials", "best", "best_at")}
        if found["trials"] != n or not close(found["best"], value) or value is not None and found["best_at"] != at:
            return f"simulate: {found}, expected {n}, {value}, {at}"
    return None


def best_of(study, model):
    """A race may have eliminated the configuration with the best mean: then the best is another whole evaluation."""
    found = study_best(study)
    if found and model.races and not math.isnan(model.rows[found.number]["whole"]):
        return model.rows[found.number]
    return model.best()


def wrong_blocks(study, model):
    """On named instances all configurations run on the same ones in the same order, with the same seeds."""
    blocks, seen = {}, set()
    for trial in study.trials:
        if blocks.setdefault(trial.run, (trial.instance, trial.seed)) != (trial.instance, trial.seed) or trial.fidelity != 1:
            return f"run {trial.run} is {trial}, expected {blocks[trial.run]}"
    names = [str(blocks[run][0]) for run in sorted(blocks)]
    if any(names[i] in names[:i] for i in range(min(len(names), len(study._instances)))):
        return f"instances {names}, expected each once before it comes again"
    if not all(isinstance(model.rows[0]["params"].get(name), float) for name in "a"):
        return None  # small spaces are exhausted
    for row in model.rows if model.races == "all" else []:
        key = row["arm"], json.dumps(row["params"], sort_keys=True, default=str), row["run"]
        if key in seen:
            return f"{row} ran on the instance before"
        seen.add(key)
    return None


def study_best(study):
    try:
        return study.best_trial
    except maxk.Error:
        return None


def wrong_row(row, told, model, number, arms):
    words_of = {"ok": "ok", "failed": "failed", "infeasible": "infeasible"}
    value = float(row["value"]) if row["value"] else math.nan
    where = f"row of trial {number + 1}: {row}, reported {told}: "
    if row["arm"] != told["arm"] or row["status"] != words_of[told["status"]] or not same(value, told["value"]):
        return where + "arm, status or value"
    part = told["run"] / model.depth if model.depth and told["run"] else told["fidelity"]
    if told["status"] == "ok" and not close(float(row["fidelity"]), part) and not math.isnan(told["mean"]):
        return where + "fidelity"
    name = str(told["instance"]) if model.depth else ""
    if int(row.get("race_instance", 0)) != told["run"] or row.get("instance_name", "") != name:
        return where + "instance"
    if not math.isnan(told["mean"]) and not close(float(row["loss"]), -model.sign * told["mean"]):
        return where + "loss"
    seen = model.seen(number)
    if seen is not None and not math.isnan(seen) and not close(float(row["loss_seen"]), -model.sign * seen):
        return where + f"loss_seen, expected {-model.sign * seen}"
    if any(not same(float(row[f"metrics.{name}"]), x) for name, x in told["metrics"].items() if row["status"] != "failed"):
        return where + "metrics"
    configuration = yaml.load(row["configuration"], yaml.BaseLoader) or {}
    for name, x in told["params"].items():
        if configuration.get(name) != str(x) and (isinstance(x, (str, bool)) or x is None or float(configuration[name]) != x):
            return where + f"{name}: {configuration[name]!r}, expected {x!r}"
    return None if set(configuration) == set(told["params"]) else where + "hyperparameters"


def wrong_files(path, model, arms, combined, best):
    stem = path[:-3]
    with open(stem + ".csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if combined:
        halves = [[r for r in rows if (r["arm_index"] == "-1") == own] for own in (True, False)]
        key = ["trial", "value", "fidelity", "loss", "loss_seen", "configuration"]
        if sorted([r[k] for k in key] for r in halves[0]) != sorted([r[k] for k in key] for r in halves[1]):
            return "the rows of the combined search are not those of the arms"
        rows = halves[0]
    if [int(r["trial"]) for r in rows] != list(range(1, len(model.rows) + 1)):
        return "trials of OUT.csv"
    for number, (row, told) in enumerate(zip(rows, model.rows)):
        if (bad := wrong_row(row, told, model, number, arms)):
            return bad
    with h5py.File(path) as file:
        stored = {name: file["trials"][name][:] for name in rows[0]}
    for i, row in enumerate(rows):
        for name, x in row.items():
            y = stored[name][i]
            y = y.decode() if isinstance(y, bytes) else y
            if not (x == y if isinstance(y, str) else same(float(x) if x else math.nan, float(y))):
                return f"/trials/{name} of trial {i + 1} in OUT.h5: {y}, in OUT.csv {x}"
    return wrong_commands(path, model, best)


def wrong_commands(path, model, best):
    """What the commands say of the files."""
    with open(path[:-3] + ".best.yaml", encoding="utf-8") as file:
        said = yaml.safe_load(file)
    if said["trial"] != model.rows.index(best) + 1 or not close(float(said["metric"]), best["whole"]):
        return f"OUT.best.yaml: {said}, expected {best}"
    curve = model.best_curve()
    for row in csv.DictReader(run("summary", path, "--csv", "--show", "horizon,mean_max").splitlines()):
        if not close(float(row["mean_max"]), curve[int(row["horizon"]) - 1]):
            return f"summary: {row}, expected {curve[int(row['horizon']) - 1]}"
    count = {}
    for row in model.rows:
        count[row["arm"]] = count.get(row["arm"], 0) + (row["status"] == "ok" and not math.isnan(row["whole"]))
    for row in csv.DictReader(run("importance", path, "--csv").splitlines()):
        if int(row["trials"]) != count[row["arm"]]:
            return f"importance: {row}, expected {count}"
    return None


def wrong_additions(study, model, arms, path, combined):
    """What another study takes over: from the study, from its table, and from OUT.csv by maxk tune's --add."""
    expected = [(r["arm"], r["whole"]) for r in model.rows if not math.isnan(r["whole"])]
    for earlier in (study, study.trials_dataframe()):
        other = Study(arms, optimizer="random", direction=study.direction, seed=1)
        other.add_trials(earlier)
        if [t.arm for t in other.trials] != [arm for arm, _ in expected] or not all(
                close(t.value, x) for t, (_, x) in zip(other.trials, expected)):
            return f"add_trials: {[(t.arm, t.value) for t in other.trials]}, expected {expected}"
    with open(path[:-3] + ".tune.yaml", encoding="utf-8") as file:
        tune = yaml.load(file, yaml.BaseLoader)  # texts as they are
    for key in ("combined", "metrics", "subject_to", "cost", "optimizer", "instances", "instances_per_trial"):
        tune.pop(key, None)
    tune |= {"name": "other", "policy": "uniform", "budget": {"evaluations": str(len(arms))},
             "metric": tune["metric"] | {"last_number": "true"}, "command": ["sh", "-c", "echo 0", "{args}"]}
    for arm in tune["arms"]:
        arm["optimizer"] = "random"
    with open("other.yaml", "w", encoding="utf-8") as file:
        yaml.dump(tune, file, _Plain, sort_keys=False)
    run("tune", "other.yaml", "-q", "--force", "--add", path[:-3] + ".csv", "-o", "other.h5")
    with open("other.csv", encoding="utf-8", newline="") as file:
        found = [(r["arm"], float(r["value"])) for r in csv.DictReader(file)][:len(expected)]
    if combined:  # OUT.csv has them by arm
        found, expected = sorted(found), sorted(expected)
    if [arm for arm, _ in found] != [arm for arm, _ in expected] or not all(
            close(x, y) for (_, x), (_, y) in zip(found, expected)):
        return f"--add: {found}, expected {expected}"
    return None


def wrong(seed, kills, instances):
    """What is wrong with the random study of this seed, or None. kills: how often a session of it is killed."""
    rng = random.Random(seed)
    arms, some = settings(rng)
    if instances:
        on_instances(rng, arms, some)
    combined, further = "combined" in some, "metrics" in some
    what = f"study {seed}, {some}, {arms}: "
    path = f"s{seed}.h5"
    try:
        whole = Study(arms, **some)
    except maxk.InputError as problem:  # a race that is longer than the budget, say
        return None if "end before the first that is evaluated in whole" in str(problem) else what + str(problem)
    try:
        play(whole, random.Random(seed), further)
        for i in range(kills):
            killed(arms, some, path, seed + i, rng.randint(1, some["n_trials"] - 1), rng.choice([0, 1, 30]))
        study = Study(arms, path=path, resume=True, **some)
        half = rng.randint(1, some["n_trials"])
        play(study, rng, further, half)
        study.close()  # and resumed by its next use
        play(study, rng, further)
    except maxk.Error as problem:
        return what + str(problem)
    if rows_key(study) != rows_key(whole):
        return what + "the trials are not those of a study that was not interrupted"
    depths = {t.run for t in study.trials if not math.isnan(t.whole)} if instances else set()
    if len(depths) > 1:
        return what + f"whole evaluations have {depths} runs"
    chosen = [some["combined"]] if combined else some["optimizer"].values()
    races = [one == "irace" or isinstance(one, dict) and one["name"] == "irace" for one in chosen]
    model = Model(1 if some["direction"] == "maximize" else -1, rows_of(study, further),
                  max(depths, default=instances and math.inf), bool(instances) and ("all" if all(races) else any(races)))
    bad = wrong_study(study, model, arms, combined)
    if not bad and model.best():
        study.save()
        bad = wrong_files(path, model, arms, combined, best_of(study, model)) or wrong_additions(study, model, arms, path,
                                                                                                 combined)
    return bad and what + bad


def rows_key(study):
    return [(t.arm, t.params, t.seed, t.fidelity, t.instance, t.run, t.status, str(t.value), str(t.whole)) for t in study.trials]


# ---- programs ----

PROGRAM = """name: p{seed}
command: [awk, 'BEGIN {{{{ x = "{{x}}"; if ((x * 1000 + 3) % 10 < 1) exit 1;
  printf "%.17g\\n", sin(7 * x) + 2 * (1 - {{fidelity}}) - ("{{k}}" == "v") }}}}']
metric: {{last_number: true, maximize: {maximize}}}
arms:
- {{label: one, space: {{x: {{real: [0, 1]}}, k: {{categorical: [u, v]}}}}, optimizer: {optimizer}}}
{arms}
{search}
lag: {lag}
budget: {{evaluations: 40}}
workers: 2
seed: {seed}
"""


def wrong_program(seed):
    """The same of a program: what it printed is what is written, and what is read."""
    rng = random.Random(seed)
    two = "- {label: two, space: {x: {real: [0, 2]}, k: {categorical: [u, w]}}, optimizer: random}"
    other = two if rng.random() < 0.7 else ""
    combined = rng.random() < 0.3
    text = PROGRAM.format(seed=seed, maximize=rng.choice(["true", "false"]), lag=rng.choice([2, 4]), arms=other,
                          optimizer=json.dumps(optimizer(rng)).replace('"', ""),
                          search="combined: {optimizer: {name: hyperband, R: 3}}" if combined else "policy: uniform")
    with open(f"p{seed}.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    run("tune", f"p{seed}.yaml", "-q", "-o", f"p{seed}.h5")
    with open(f"p{seed}.csv", encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["arm_index"] != "-1"]
    for row in rows:
        with open(f"p{seed}.trials/{row['trial']}/stdout", encoding="utf-8") as file:
            printed = file.read().split()
        if [float(x) for x in printed] != ([float(row["value"])] if row["status"] == "ok" else []):
            return f"{text}: trial {row['trial']} printed {printed}: {row}"
    ended = [r for r in rows if float(r["fidelity"]) == 1]
    for arm, n in csv.reader(run("survey", f"p{seed}.csv", "--csv", "--show", "arm_label,n").splitlines()[1:]):
        if int(n) != sum(r["arm"] == arm for r in ended):
            return f"{text}: survey has {n} of {arm}"
    whole = [float(r["value"]) for r in ended if r["status"] == "ok"]
    with open(f"p{seed}.best.yaml", encoding="utf-8") as file:
        best = yaml.safe_load(file)
    if whole and "race_instance" not in rows[0] and float(best["metric"]) != (max if "maximize: true" in text else min)(whole):
        return f"{text}: best {best}"
    return None


def check_programs(check, seeds):
    for seed in seeds:
        bad = wrong_program(seed)
        check(bad is None, bad or f"what program {seed} printed is what is written and read")


def check_studies(check, seeds, kills, instances=False):
    warnings.simplefilter("ignore")
    for seed in seeds:
        bad = wrong(seed, kills, instances)
        check(bad is None, bad or f"study {seed} is what was reported")
