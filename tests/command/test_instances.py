"""Instances of tune files: what runs on them, in which order, what irace makes of them, test instances, files, page, messages."""
import csv
import json
import os
import subprocess
import sys

import yaml

sys.path.insert(0, "tests/support")
from lib import MAXK, check, close, enter, finish, folder, python_environment, refused, run, write

enter(python_environment())
sys.path.insert(0, "sim/python")
from maxk import Policy, Real, Study

NAMES = "abcdefgh"
COST = dict(zip(NAMES, [10, 20, 30, 41, 50, 22, 33, 80]))
FILE = """name: race
command: [awk, 'BEGIN {{split("10 20 30 41 50 22 33 80", c, " "); i = index("abcdefgh", "{instance}");
  srand({seed}); printf "%.9g", c[i] * (1 + {x}) + 5 * rand()}}']
metric: {irace: true}
optimizer: irace
instances: [a, b, c, d, e, f, g, h]
arms: [{label: a, space: {x: {real: [0, 1]}, y: {integer: [1, 100]}}}]
policy: uniform
budget: {evaluations: 120}
"""


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def runs_of(trials):
    """The values of every configuration by the number of the run."""
    found = {}
    for r in trials:
        found.setdefault(r["configuration"], {})[int(r["race_instance"])] = float(r["value"])
    check(sum(len(of) for of in found.values()) == len(trials), "no configuration runs on an instance twice")
    return found


def racing():
    write("race.yaml", FILE)
    text = run("tune", "race.yaml", "-o", "race.h5")
    trials, runs = read("race.csv"), {}
    order = {int(r["race_instance"]): r["instance_name"] for r in trials}
    check(sorted(order.values()) == list(NAMES) and all(order[int(r["race_instance"])] == r["instance_name"] for r in trials),
          f"all configurations run on the instances in one order: {order}")
    check([order[i] for i in range(1, 9)] != list(NAMES), "which is drawn")
    for r in trials:
        with open(f"race.trials/{r['trial']}/command") as file:
            seed = file.read().split("srand(")[1].split(")")[0]
        runs.setdefault(r["race_instance"], set()).add(seed)
    check(len(set().union(*runs.values())) == 8 and all(len(seeds) == 1 for seeds in runs.values()),
          "each instance has a seed of its own, the same for all configurations")
    values = runs_of(trials)
    depth = max(len(v) for v in values.values())
    with open("race.best.yaml") as file:
        best = yaml.safe_load(file)
    whole = {c: sum(v.values()) / depth for c, v in values.items() if len(v) == depth}
    check(depth == 8 and close(best["metric"], min(whole.values()), 1e-9) and "mean on 8 instances" in text,
          f"the best mean over the instances that are left: {best['metric']}, {whole}")
    winner = values[next(c for c, x in whole.items() if x == min(whole.values()))]
    check(best["instances"] == {order[i]: x for i, x in winner.items()}, "and its values on them")
    elites = [c for c, v in values.items() if len(v) == depth]
    check(4 < len([c for c, v in values.items() if len(v) == 5]) and len(elites) < len(values) / 3,
          "a race tests after five instances, and few go through all")
    for workers in (1, 4):
        write("other.yaml", FILE + f"workers: {workers}\n")
        run("tune", "other.yaml", "-q", "-o", "other.h5")
        check(read("other.csv") == trials, f"the same trials for {workers} workers")


    run("tune", "race.yaml", "-q", "-o", "lag.h5", "-s", "lag=1")
    check(read("lag.csv") == trials, "a race knows all results of a step before the next one, however many trials run at a time")


def elimination():
    """What a test has ended is not the best, whatever its mean: nine of ten instances say that x > 0.5 is worse."""
    def cost(trial):
        x = trial.params["x"]
        return 1 + 0.01 * x if x < 0.5 else -100 if trial.instance == 3 else 1.5 + x

    irace = {"name": "irace", "first": 10}
    study = Study({"a": {"x": Real(0, 1), "y": Real(0, 1)}}, policy="uniform", direction="minimize", optimizer=irace,
                  instances=range(10))
    study.optimize(cost, 120)
    means = {t.params["x"]: t.whole for t in study.trials if t.run == 10}
    check(min(means.values()) < -5 and 1 <= study.best_value < 1.01 and study.best_params["x"] < 0.5,
          f"best {study.best_trial}, means {sorted(means.values())[:3]}")
    check({t.instance for t in study.trials} == set(range(10)), "instances are what was given, not their names")


def earlier():
    """Earlier results are whole evaluations, which learn from no instance."""
    study = Study({"a": {"x": Real(0, 1)}}, direction="minimize", optimizer="random", instances=["u", "v"])
    study.add_trials([{"arm": "a", "params": {"x": 0.25}, "value": -3}])
    study.optimize(lambda trial: trial.params["x"], 10)
    study.save("earlier.h5")
    with open("earlier.best.yaml") as file:
        best = yaml.safe_load(file)
    check(study.best_value == -3 and study.best_trial.added and best["metric"] == -3 and best["trial"] == 1, f"{best}")
    run("report", "earlier.h5", "-o", "earlier.html")


def short():
    """A budget that does not suffice for all instances: the best is judged by those that are left have in common."""
    run("tune", "race.yaml", "-q", "-o", "short.h5", "-s", "budget.evaluations=16", "-s", "name=short")
    trials = read("short.csv")
    values = runs_of(trials)
    with open("short.best.yaml") as file:
        best = yaml.safe_load(file)
    depth = len(best["instances"])
    whole = {c: sum(v[i] for i in range(1, depth + 1)) / depth for c, v in values.items() if len(v) >= depth}
    check(3 <= depth < 8 and len(whole) > 1 and close(best["metric"], min(whole.values()), 1e-9),
          f"{depth} instances: {best['metric']}, {whole}")
    check(all((float(r["fidelity"]) == 1) == (int(r["race_instance"]) == depth) for r in trials), "fidelity says which are whole")


def small_space():
    """Of six configurations none runs on an instance twice, until all have run on all."""
    text = FILE.replace("{x: {real: [0, 1]}, y: {integer: [1, 100]}}", "{x: {ordinal: [0, 0.2, 0.4, 0.6, 0.8, 1]}}")
    write("small.yaml", text.replace("name: race", "name: small").replace("evaluations: 120", "evaluations: 48"))
    run("tune", "small.yaml", "-q", "-o", "small.h5")
    pairs = [(r["configuration"], r["race_instance"]) for r in read("small.csv")]
    check(len(set(pairs)) == 48, f"{len(set(pairs))} distinct runs of 48 in a space of 6 configurations on 8 instances")
    with open("small.best.yaml") as file:
        check(yaml.safe_load(file)["configuration"]["x"] == 0, "and the best is found")


def means():
    """Other optimisers learn the mean."""
    text = FILE.replace("optimizer: irace", "optimizer: cma_es\nlag: 1\ninstances_per_trial: 3")
    write("mean.yaml", text.replace("name: race", "name: mean"))
    said = run("tune", "mean.yaml", "-o", "mean.h5")
    trials = read("mean.csv")
    groups = [trials[i:i + 3] for i in range(0, 120, 3)]
    good = all(len({r["configuration"] for r in g}) == 1 and [r["race_instance"] for r in g] == ["1", "2", "3"] and
               close(float(g[2]["loss"]), sum(float(r["value"]) for r in g) / 3) for g in groups)
    check(good and "mean on 3 instances" in said, "a configuration has three runs, and counts with their mean")
    x = [float(g[0]["configuration"].split()[1].strip(",")) for g in groups]
    check(sum(x[-10:]) / 10 < 0.5 * sum(x[:10]) / 10, f"and the search learns from it: {x}")
    run("tune", "mean.yaml", "-q", "-o", "mean.h5", "--force", "-s", "instances_per_trial=11", "-s", "budget.evaluations=22")
    found = [(r["instance_name"], r["race_instance"]) for r in read("mean.csv")][:11]
    check(len({name for name, _ in found}) == 8 and found[8][0] == found[0][0], f"instances come again: {found}")


def learned():
    """An optimiser learns the mean: with the same value on both instances it chooses as without instances, next to earlier
    results, which are one value each."""
    earlier = [{"arm": "a", "params": {"x": i / 10}, "value": 1 + abs(i / 10 - 0.3)} for i in range(10)]

    def search(optimizer, runs, **options):
        study = Study({"a": {"x": Real(0, 1)}}, policy="uniform", direction="minimize", optimizer=optimizer, lag=1, n_trials=40,
                      **options)  # rf plans for its budget
        study.add_trials(earlier)
        study.optimize(lambda trial: 1 + abs(trial.params["x"] - 0.7), 20 * runs)
        return [t.params["x"] for t in study.trials if t.run in (0, runs)]

    for optimizer in ("tpe", "rf"):
        check(search(optimizer, 2, instances=["u", "v"]) == search(optimizer, 1), f"{optimizer} learns means")


def seen():
    """The policy sees means: it chooses the arms that a policy of its own chooses which is given them here."""
    def grouped(of, values):
        """The mean once there are three; before it the best of its arm, or what is no better than the worst so far."""
        mean = sum(values) / len(values)
        if len(values) == 3:
            of["whole"] = max(of.get("whole", mean), mean)
            return mean
        return of.get("whole", min(of.get("worst", mean), mean))

    def raced(of, values):
        """The best mean among configurations with the most runs, which have as many as the first test needs."""
        mean, n = sum(values) / len(values), len(values)
        if n >= 2:
            of["runs"], of["lead"] = max((of.get("runs", 0), of.get("lead", mean)), (n, mean))
        return of.get("lead", min(of.get("worst", mean), mean))

    for optimizer, rule, options in (("tpe", grouped, {"instances_per_trial": 3}), ({"name": "irace", "first": 2}, raced, {})):
        study = Study({arm: {"x": Real(0, 1)} for arm in "ab"}, policy={"name": "max_ucb", "alpha": 4}, optimizer=optimizer,
                      instances=range(5), lag=1, **options)
        study.optimize(lambda t: 1 + 0.02 * (t.arm == "b") + abs(t.params["x"] - 0.7) + 0.1 * t.run, 60)
        policy, runs, of, chosen, trials = Policy("max_ucb", arms=2, alpha=4), {}, {"a": {}, "b": {}}, "", study.trials
        for t in trials:
            values = runs.setdefault((t.arm, t.params["x"]), [])
            values.append(t.value)
            chosen += "ab"[policy.select()]
            if chosen[-1] == t.arm:
                reward = rule(of[t.arm], values)
                of[t.arm]["worst"] = min(of[t.arm].get("worst", reward), reward)
                policy.update("ab".index(t.arm), reward)
        arms = "".join(t.arm for t in trials)
        means = [sum(values) / 3 for values in runs.values() if len(values) == 3]
        check(optimizer != "tpe" or close(study.best_value, max(means)), f"the best mean of three runs: {study.best_value}")
        check(chosen == arms and 20 < arms.count("a") < 40, f"rewards of {rule.__name__} runs: {chosen}, the study chose {arms}")


def folders():
    """A folder next to the tune file, run from elsewhere, and test instances; then the files, the page, a resume."""
    os.makedirs("there/inst")
    for i in range(6):
        write(f"there/inst/{i}.cnf", f"{10 * i + 5}\n")
    write("there/inst/README", "none\n")
    for name, number in (("t1", 100), ("t2", 200), ("t3", 330)):
        write(f"there/{name}", f"{number}\n")
    write("there/files.yaml", """name: files
shell: awk -v x={x} '{{print $1 + x * x}}' {instance}; test "$MAXK_INSTANCE" = {instance}
metric: {irace: true}
optimizer: {name: irace, first: 2}
instances: {folder: inst, pattern: "*.cnf"}
test_instances: [t1, t2, t3]
reevaluate: 2
arms: [{label: a, space: {x: {real: [0, 10]}}}]
policy: uniform
budget: {evaluations: 40}
workers: 2
""")
    said = run("tune", "there/files.yaml", "-o", "files.h5")
    trials, again = read("files.csv"), read("files.reevaluations.csv")
    check({r["instance_name"] for r in trials} == {f"inst/{i}.cnf" for i in range(6)}, "the files that match the pattern")
    with open("files.best.yaml") as file:
        best = yaml.safe_load(file)
    square = best["configuration"]["x"] ** 2
    check(all(close(float(best["instances"][f"inst/{i}.cnf"]), 10 * i + 5 + square, 1e-5) for i in range(6)),
          "its value on every instance")
    check([(r["instance_name"], r["test"]) for r in again][:3] == [("t1", "1"), ("t2", "1"), ("t3", "1")] and
          [r["test"] for r in again[3:]] == ["0", "0"], f"test instances and re-evaluations: {again}")
    mean = 210 + square
    check(close(best["tested"]["mean"], mean, 1e-5) and f"on 3 test instances: mean {mean:.6g}" in said and
          close(best["test_instances"]["t3"], 330 + square, 1e-5), f"on test instances {best['tested']}")
    run("report", "files.h5", "-o", "page.html")
    with open("page.html") as file:
        page = file.read()
    check("On 3 test instances" in page and "inst/3.cnf" in page and "95 % interval" in page, "the page has them")
    done = run("tune", "there/files.yaml", "-o", "files.h5", "--resume")
    check("40 of them resumed" in done and read("files.csv") == trials, "resumed from its journal")
    write("there/inst/7.cnf", "1\n")
    refused("another instance", "instances", "tune", "there/files.yaml", "-o", "files.h5", "--resume")


def worker():
    write("worker.py", """import json, sys
for line in sys.stdin:
    r = json.loads(line)
    print(json.dumps({"trial": r["trial"], "value": len(r["instance"]) + r["config"]["x"]}), flush=True)
""")
    write("worker.yaml", """name: worker
worker: [python3, worker.py]
metric: {maximize: false}
optimizer: random
instances: [one, three, fourteen]
arms: [{label: a, space: {x: {real: [0, 0.5]}}}]
policy: uniform
budget: {evaluations: 12}
""")
    run("tune", "worker.yaml", "-q", "-o", "worker.h5")
    check(all(int(float(r["value"])) == len(r["instance_name"]) for r in read("worker.csv")), "a worker receives the instance")


CAPPED = """name: capped
command: [awk, 'BEGIN {{split("5 2 8 1 4 9 3 7", c, " "); t = 0.06 * c[index("abcdefgh", "{instance}")] * (0.2 + 3 * {x});
  if (t > {bound}) system("exec sleep 60"); print t}}', "{bound}"]
metric: {irace: true}
bound: 1
retries: 1
optimizer: {name: irace, first: 3}
instances: [a, b, c, d, e, f, g, h]
arms: [{label: a, space: {x: {real: [0, 1]}, y: {real: [0, 1]}}}]
policy: uniform
budget: {evaluations: 100}
lag: 3
workers: 3
"""


def capping():
    """A run ends at the time with which its configuration cannot be as good in the mean as the median of the elites."""
    write("capped.yaml", CAPPED)
    run("tune", "capped.yaml", "-q", "-o", "capped.h5")
    trials, times = read("capped.csv"), {r["trial"]: r for r in read("capped.times.csv")}
    values, totals, race, last, good, below = {}, {}, 0, 1, True, 0
    for r in trials:
        i = int(r["race_instance"])
        race, last = race + (i < last), i
        with open(f"capped.trials/{r['trial']}/command") as file:
            bound = float(file.read().strip().split()[-1].strip("'"))
        of = values.setdefault(r["configuration"], {})
        if bound < 1:
            below += 1
            if bound > 0.01:
                totals.setdefault((race, i), set()).add(round(bound + sum(of.values()), 9))
            elites = [sum(v[k] for k in range(1, i + 1)) for v in values.values() if len(v) > max(i, 3) - 1 and v is not of]
            good &= bound == 0.01 or bound + sum(of.values()) >= min(elites) - 1e-9
        if r["status"] == "timed out":
            good &= bound < 1 and "cannot survive (bound)" in times[r["trial"]]["why"]
            good &= bound <= float(times[r["trial"]]["seconds"]) < bound + 5
        else:
            good &= r["status"] == "ok" and float(r["value"]) <= bound + 1e-5
            of[i] = float(r["value"] or "nan")
    ended = sum(r["status"] == "timed out" for r in trials)
    check(good and below > 10 and ended > 3, f"{below} runs have a smaller bound than the largest, and {ended} end there")
    check(all(len(t) == 1 for t in totals.values()) and len(totals) > 3, f"it is the same for the sum of their times: {totals}")
    check(any(float(r["value"] or 0) == 1 and r["status"] == "ok" for r in trials),
          "a run that ends at the largest has this time")
    with open("capped.best.yaml") as file:
        best = yaml.safe_load(file)
    check(best["configuration"]["x"] < 0.2, f"and the best is found: {best['configuration']}")


def messages():
    def said(what, *sets):
        refused(what, what, "tune", "race.yaml", "-o", "bad.h5", *(w for s in sets for w in ("-s", s)))

    said("hyperband evaluates in part", "optimizer=hyperband")
    said("'a' is there twice", "instances=[a, b, a]")
    said("'c' is among `instances`, too", "test_instances=[x, c]")
    said("cannot be read", "instances={folder: nowhere}")
    said("found none", "instances={folder: ., pattern: '*.nothing'}")
    said("trials end before the first whole evaluation of tpe", "optimizer=tpe", "budget.evaluations=7")


with folder() as directory:
    os.chdir(directory)
    racing()
    elimination()
    earlier()
    short()
    small_space()
    means()
    learned()
    seen()
    folders()
    worker()
    capping()
    messages()
    os.chdir("/")
finish()
