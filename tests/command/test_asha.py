"""The optimiser asha: what it asks for, against a model of Algorithm 2 of Li et al. 2020 in Python that knows the results that
are there; with programs that continue in their folders, the same trials for any number of workers and after a kill."""
import csv
import os
import random
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, enter, finish, folder, python_environment, run, write

ENVIRONMENT = python_environment()
enter(ENVIRONMENT)
sys.path.insert(0, "sim/python")
from maxk import Real, Study


def shares(R, eta):
    """Of a whole evaluation, by rung."""
    rungs = 0
    while eta**(rungs + 1) <= R:
        rungs += 1
    return [max(1, R // eta**(rungs - k)) / R for k in range(rungs + 1)]


class Model:
    """Algorithm 2: the best 1 in eta of a rung, from the highest rung down; otherwise a new configuration."""

    def __init__(self, R, eta):
        self.share, self.eta, self.promoted = shares(R, eta), eta, set()

    def next(self, known):
        """The trial that is promoted and the share of an evaluation; None and that of the lowest rung: a new one."""
        for low, high in zip(self.share[-2::-1], self.share[:0:-1]):
            on = [t for t in known if abs(t.fidelity - low) < 1e-12]
            best = sorted((t for t in on if t.status == "ok"), key=lambda t: (t.value, t.number))
            for t in best[:len(on) // self.eta]:
                if t.number not in self.promoted:
                    self.promoted.add(t.number)
                    return t, high
        return None, self.share[0]


def trials(n, lag, fails, R, eta, seed):
    """Of a study whose results come in order, as late as they may."""
    study = Study({"a": {"x": Real(0, 1)}}, direction="minimize", optimizer={"name": "asha", "R": R, "eta": eta}, lag=lag,
                  seed=seed, n_trials=n)
    dice, running, asked = random.Random(seed), [], 0
    while asked < n or running:
        if asked < n and len(running) < lag:
            running.append(study.ask())
            asked += 1
            continue
        t = running.pop(0)
        if dice.random() < fails:
            study.fail(t, "as drawn")
        else:
            study.tell(t, round(t.params["x"] / t.fidelity**0.1 + 0.2 * dice.random(), 2))  # with ties
    return study.trials


def algorithm_2():
    for n, lag, fails, R, eta, seed in ((150, 1, 0, 27, 3, 1), (150, 4, 0.2, 27, 3, 2), (120, 3, 0.1, 20, 2, 3),
                                        (300, 8, 0, 81, 3, 4), (20, 2, 0, 2, 3, 5)):
        found, model, good = trials(n, lag, fails, R, eta, seed), Model(R, eta), True
        for j, t in enumerate(found):
            of, share = model.next(found[:max(0, j + 1 - lag)])
            good &= abs(t.fidelity - share) < 1e-12
            good &= t.params == of.params if of else all(t.params != earlier.params for earlier in found[:j])
        check(good and len(found) == n and (R == 2 or max(t.fidelity for t in found) == 1),
              f"Algorithm 2: R = {R}, eta = {eta}, lag {lag}, {fails:.0%} failures")


TUNE = """arms:
  - label: a
    command: [sh, step.sh, "{folder}", "{fidelity}", "{x}"]
    space: {x: {real: [0, 1]}}
optimizer: {name: asha, R: 9}
policy: uniform
metric: {last_number: true, maximize: false}
budget: {evaluations: 50}
lag: 3
"""
# Each step is made once, in the folder; the tenth program says that it is there. Values fall with the steps.
STEP = """mkdir -p "$1"
n=$(cat "$1/step" 2>/dev/null || echo 0)
want=$(awk "BEGIN {print int($2 * 9 + 0.5)}")
echo "$want $n" >>"$1/log"
echo "$want" >"$1/step"
if [ "$COUNT" ]; then
    echo x >>"$COUNT"
    [ "$(wc -l <"$COUNT")" -ne 10 ] || echo >"${COUNT%count}tenth"
fi
awk "BEGIN {print $3 + 1 / $want}"
"""


def steps(name):
    return sorted(open(f"{name}/{trial}/log").read() for trial in os.listdir(name) if os.path.exists(f"{name}/{trial}/log"))


def rows_of(name):
    """The trials, without what the clock says."""
    return [[v for k, v in r.items() if k not in ("seconds", "started", "ended")] for r in csv.DictReader(open(f"{name}.csv"))]


def programs():
    write("tune.yaml", TUNE)
    write("step.sh", STEP)
    for name, workers in (("one", "1"), ("three", "3")):
        run("tune", "tune.yaml", "-o", f"{name}.h5", "-s", f"workers={workers}", "-q", text=f"{workers} at a time")
    tables = [rows_of(name) for name in ("one", "three")]
    check(tables[0] == tables[1] and len(tables[0]) == 50, "the same trials")
    logs = steps("one.trials")
    check(logs == steps("three.trials") and set(logs) <= {"1 0\n", "1 0\n3 1\n", "1 0\n3 1\n9 3\n"} and "1 0\n3 1\n9 3\n" in logs,
          "a promoted configuration continues from the steps in its folder")
    os.mkfifo("tenth")
    tuning = subprocess.Popen([MAXK, "tune", "tune.yaml", "-o", "killed.h5", "-q"],
                              env={**os.environ, "COUNT": os.path.abspath("count")})
    open("tenth").close()  # when the tenth program opens it
    tuning.kill()
    check(tuning.wait() == -9 and 10 <= len(open("count").read().split()) < 50, "ended by SIGKILL")
    run("tune", "tune.yaml", "-o", "killed.h5", "--resume", "-q", text="resumed")
    check(rows_of("killed") == tables[0], "the same trials after a kill")


algorithm_2()
with folder() as d:
    os.chdir(d)
    programs()
finish()
