"""maxk importance against Optuna's functional analysis of variance, an implementation of its own on scikit-learn's forests."""
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, rows, run, skip, write

# Words are cells of the unit interval here, and indicators of their own in Optuna, whose cube then has corners that are no word:
# it gets the word as a whole number.
OPTUNA = """
import json, optuna
from optuna.distributions import FloatDistribution, IntDistribution
optuna.logging.set_verbosity(optuna.logging.ERROR)
space = {"x": FloatDistribution(0, 1), "y": FloatDistribution(-2, 2), "k": IntDistribution(0, 1),
         "n": IntDistribution(1, 9), "z": FloatDistribution(0, 1)}
study = optuna.create_study(direction="maximize")
for p, value in json.load(open("trials.json")):
    study.add_trial(optuna.trial.create_trial(params=p, distributions=space, value=value))
got = []
for seed in range(4):
    e = optuna.importance.FanovaImportanceEvaluator(n_trees=64, seed=seed)
    e.evaluate(study)
    numbered = list(optuna.importance._base._get_distributions(study, params=None))
    got.append({name: e._evaluator.get_importance(i)[0] for i, name in enumerate(numbered)})
json.dump({name: sum(g[name] for g in got) / len(got) for name in space}, open("optuna.json", "w"))
"""
STUDY = """
name: known
command: [/usr/bin/python3, f.py, '{args}']
metric: {last_number: true, maximize: true}
policy: uniform
budget: {evaluations: 240}
seed: 5
workers: 2
arms:
  - label: one
    optimizer: random
    space: {x: {real: [0, 1]}, y: {real: [-2, 2]}, k: {categorical: [a, b]}, n: {integer: [1, 9]}, z: {real: [0, 1]}}
"""
FUNCTION = """
import sys
a = dict(w[2:].split("=", 1) for w in sys.argv[1:])
x, y, n = float(a["x"]), float(a["y"]), int(a["n"])
print(3 * x + y * y + (1.5 if a["k"] == "a" else 0) + 0.2 * n + 2 * (x > 0.5) * (y > 0))
"""

if subprocess.run(["/usr/bin/python3", "-c", "import optuna"], capture_output=True).returncode:
    skip("Optuna is not installed")
    finish()
with folder() as d:
    os.chdir(d)
    write("f.py", FUNCTION)
    write("t.yaml", STUDY)
    write("o.py", OPTUNA)
    run("tune", "t.yaml", "-o", "o.h5", "-q")
    trials = []
    for r in csv.DictReader(open("o.csv")):
        p = dict(w.split(": ", 1) for w in r["configuration"].strip("{}").split(", "))
        numbers = {name: float(p[name]) for name in "xyz"}
        trials.append(({**numbers, "k": int(p["k"] == "a"), "n": int(p["n"])}, -float(r["loss"])))
    json.dump(trials, open("trials.json", "w"))
    done = subprocess.run(["/usr/bin/python3", "o.py"], capture_output=True, text=True)
    check(done.returncode == 0, f"Optuna: {done.stderr[-300:]}")
    want = json.load(open("optuna.json"))
    got = {r["hyperparameter"]: r for r in rows(run("importance", "o.h5", "--csv")) if r["kind"] == "alone"}
    check(set(got) == set(want) and all(r["trials"] == "240" for r in got.values()), "the same hyperparameters")
    # Both are means over trees, 64 and 256, of one distribution: |z| < 4.5 in five places, false-alarm rate 4e-5.
    for name, share in want.items():
        mine, sd = float(got[name]["importance"]), float(got[name]["sd"])
        z = (mine - share) / (sd * (1 / 64 + 1 / 256) ** 0.5)
        check(abs(z) < 4.5, f"{name}: {mine:.4f}, Optuna {share:.4f}, z = {z:.1f}")
    check([r for r in got] == sorted(got, key=lambda k: -float(got[k]["importance"])), "the most important first")
    check(float(got["z"]["importance"]) < 0.02, "what does not matter")
finish()
