"""Evaluations in part and on instances: what was measured is in the files, and only whole evaluations say what a configuration is
worth, to every command that reads them; files of earlier versions; small spaces."""
import csv
import math
import os
import subprocess
import sys
import warnings

sys.path.insert(0, "tests/support")
from lib import MAXK, check, close, enter, finish, folder, python_environment, rows, run, write

enter(python_environment())
warnings.simplefilter("ignore")  # of configurations that come again
sys.path.insert(0, "sim/python")
from maxk import Integer, Real, Study

PARTIAL = """name: partial
command: [awk, "BEGIN {{print {x} - 0.3 * (1 - {fidelity})}}", "y={y}"]
metric: {last_number: true, maximize: true}
optimizer: {name: hyperband, R: 9}
arms: [{label: a, space: {x: {real: [0, 1]}, y: {real: [0, 1]}}}]
policy: uniform
budget: {evaluations: 100}
"""
OTHER = PARTIAL.replace("{name: hyperband, R: 9}", "random").replace("evaluations: 100", "evaluations: 3")
RACE = """name: race
command: [awk, "BEGIN {{split(\\"{kind}\\" == \\"good\\" ? \\"10 20 30 41\\" : \\"50 60 70 40\\", c, \\" \\");
  print c[int({fidelity} * 4 + .5)]}}", "{x}"]
metric: {irace: true}
optimizer: {name: irace, instances: 4, first: 2, B: 60}
arms: [{label: a, space: {kind: {categorical: [good, bad]}, x: {real: [0, 1]}}}]
policy: uniform
budget: {evaluations: 60}
reevaluate: 8
"""
SMALL = """name: small
command: [echo, "{x}{y}"]
metric: {last_number: true, maximize: false}
arms: [{label: a, space: {x: {integer: [1, 3]}, y: {categorical: [1, 2]}}}]
policy: uniform
budget: {evaluations: 30}
"""
NOTE = "no column fidelity"


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def said(*arguments):
    """What the program prints on both outputs."""
    done = subprocess.run([MAXK, *arguments], capture_output=True, text=True)
    check(not done.returncode, f"maxk {' '.join(arguments)}: exit code {done.returncode} {done.stderr[:200]}")
    return done.stdout + done.stderr


def in_part():
    run("tune", write("partial.yaml", PARTIAL), "-q", "-o", "partial.h5")
    trials = read("partial.csv")
    whole = [r for r in trials if r["fidelity"] == "1"]
    values = [float(r["value"]) for r in whole]
    x = [float(r["configuration"].split()[1].strip(",")) for r in trials]
    check(len(trials) == 100 and 10 < len(whole) < 40 and all(
        abs(float(r["value"]) - (x - 0.3 * (1 - float(r["fidelity"])))) < 2e-6 and r["loss"] == r["value"].removeprefix("-") or
        r["loss"] == "-" + r["value"] for r, x in zip(trials, x)), "value, loss and fidelity are those of the trial itself")
    one = rows(run("importance", "partial.h5", "--csv"))
    check(one[0]["hyperparameter"] == "x" and float(one[0]["importance"]) > 0.9 and int(one[0]["trials"]) == len(whole),
          f"importance of whole evaluations: {one}")
    for file in ("partial.csv", "partial.h5"):
        arm = rows(run("survey", file, "--csv"))[0]
        low = min(values)
        mean = sum((v - low) / (max(values) - low) for v in values) / len(values)
        check(int(arm["n"]) == len(whole) and close(arm["mean"], mean) and int(arm["ties"]) == 1, f"survey of {file}: {arm}")
    check("80 evaluations in part left out" in said("survey", "partial.csv"), "survey says what it leaves out")
    simulated = rows(run("tune", "partial.yaml", "-o", "partial.h5", "--simulate", "uniform", "--csv"))[0]
    check(close(simulated["best"], max(values)) and trials[int(simulated["best_at"]) - 1]["value"] == simulated["best"],
          "--simulate: the best whole evaluation")
    text = said("tune", write("other.yaml", OTHER), "-o", "other.h5", "--add", "partial.csv")
    check([r["value"] for r in read("other.csv")][:len(whole)] == [r["value"] for r in whole] and
          f"{100 - len(whole)} evaluations in part left out" in text, "--add takes whole evaluations")
    write("prior.yaml", OTHER.replace("name: partial", "name: other\nprior: {file: partial.csv, portfolio: 1}"))
    run("tune", "prior.yaml", "-q", "-o", "prior.h5")
    check(float(read("prior.csv")[0]["value"]) == max(values), "prior begins with the best whole evaluation")
    run("report", "partial.h5", "-o", "page.html")
    with open("page.html") as page:
        page = page.read()
    check(f"Best metric: {max(values):.6g}" in page and "Evaluated in part: 80" in page, "the page")
    return trials


def earlier_versions(trials):
    """Without the columns that they lack, which is said."""
    names = [n for n in trials[0] if n not in ("value", "fidelity", "loss_seen", "loss_shown")]
    with open("partial.csv", "w", newline="") as file:
        csv.DictWriter(file, names, extrasaction="ignore").writeheader()
        csv.DictWriter(file, names, extrasaction="ignore").writerows([r | {"loss": r["loss_seen"]} for r in trials])
    check(NOTE in said("survey", "partial.csv"), "survey says that an old file lacks the fidelity")
    check(NOTE in said("importance", "partial.h5"), "so does importance")
    check(NOTE in said("tune", "other.yaml", "-o", "other.h5", "--force", "--add", "partial.csv"), "so does --add")
    check(NOTE in said("tune", "prior.yaml", "-o", "prior.h5", "--force"), "so does prior")
    run("tune", "partial.yaml", "-o", "partial.h5", "--simulate", "uniform")
    run("tune", "partial.yaml", "-q", "-o", "partial.h5", "--resume")
    check(read("partial.csv") == trials and NOTE not in said("survey", "partial.csv"), "--resume writes the files again")


def on_instances():
    text = said("tune", write("race.yaml", RACE), "-o", "race.h5")
    trials = read("race.csv")
    cost = {"good": [10, 20, 30, 41], "bad": [50, 60, 70, 40]}
    check("best: 25.25 by a" in text and "mean 25.25" in text, "the best mean over the instances, and again")
    good = True
    for r in trials:
        kind, i = r["configuration"].split()[1].strip(","), int(r["race_instance"])
        good &= float(r["value"]) == cost[kind][i - 1] and float(r["fidelity"]) == i / 4
        good &= float(r["loss"]) == sum(cost[kind][:i]) / i
    check(good and {r["race_instance"] for r in trials} == set("1234"), "every run is on its instance, its loss the mean so far")
    again = [float(r["value"]) for r in read("race.reevaluations.csv")]
    check(again == cost["good"] * 2, f"re-evaluations go through the instances: {again}")
    irace = {"name": "irace", "instances": 3, "first": 2, "B": 40}
    study = Study({"a": {"x": Integer(1, 9)}}, direction="minimize", optimizer=irace)
    study.optimize(lambda trial: [5, -9, 1][trial.instance - 1] * trial.params["x"], 40)
    best = study.best_trial
    check(best.instance == 3 and best.value == best.params["x"] and study.best_value == -best.params["x"] and
          study.best_value == min(-t.params["x"] for t in study.trials if t.instance == 3), f"the same in Python: {best}")

    # On each instance alone the smallest x is the best; of means that jump between instances a race would learn the opposite.
    irace = {"name": "irace", "instances": 6, "first": 4, "B": 100}
    study = Study({"a": {"x": Real(0, 1)}}, direction="minimize", optimizer=irace, lag=1)
    study.optimize(lambda trial: trial.params["x"] * [1, 10][trial.instance % 2], 60)
    first = [t.instance for t in study.trials]
    first = first[:next(i for i in range(1, len(first)) if first[i] < first[i - 1])]
    check(first.count(4) >= 5 and first.count(5) <= first.count(4) / 2, f"the first race ends those that are worse: {first}")


def small_spaces():
    text = said("tune", write("small.yaml", SMALL), "-o", "small.h5")
    check("30 trials are more than the 6 configurations" in text and "24 trials repeat a configuration" in text, "a small space")
    text = said("tune", "small.yaml", "-o", "small.h5", "--force", "-s", "budget.evaluations=6")
    check("that the spaces have" not in text and "repeat" not in text, "one that is large enough")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Study({"a": {"x": Integer(1, 3)}, "b": {}}, lag=1).optimize(lambda trial: 1.0, 9)
    check(["repeat" in str(w.message) for w in caught] == [True], f"a warning in Python: {[str(w.message) for w in caught]}")


def recorded():
    write("search.yaml", """name: search
problem: {searches: [{objective: {name: kfold, arm: 0}, optimizer: {name: hyperband, R: 9}, label: a}]}
policies: [uniform]
horizons: [60]
replications: 1
""")
    run("record", "search.yaml", "-o", "search.csv")
    trials = read("search.csv")
    whole = [float(r["loss"]) for r in trials if r["fidelity"] == "1"]
    best = math.inf
    good = 5 < len(whole) < 30
    for r in trials:
        own = float(r["loss"])
        best = min(own, best) if r["fidelity"] == "1" else best
        good &= math.isinf(best) or float(r["loss_seen"]) == (own if r["fidelity"] == "1" else best)
    check(good and len({r["loss"] for r in trials}) > 50, "a recording has the losses of the evaluations, and what policies see")
    check(int(rows(run("survey", "search.csv", "--csv"))[0]["n"]) == len(whole), "survey reads whole evaluations")


with folder() as directory:
    os.chdir(directory)
    earlier_versions(in_part())
    on_instances()
    small_spaces()
    recorded()
    os.chdir("/")
finish()
