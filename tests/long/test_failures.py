"""Every allocation site of the program and every call that opens, writes, syncs, truncates, renames, removes or closes a file
fails once (tests/support/inject.c), in small runs and in every command: the outcome is one line and exit code 1 or 2, or the
right output; never a crash, a leak or a changed earlier file; and --resume then produces the right result. Every 16th call of a
run and every 32nd of other commands, starting from a different one in every sweep; MAXK_INJECT_STEP=1 takes all, an hour."""
import filecmp
import glob
import os
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import lib
from failures import Injector, gnuplot_in_its_place
from lib import check, finish, folder, write

EXPERIMENT = """name: e
problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: mixture, weights: [1, 1], components: [{family: dirac, x: 1}, {family: uniform, lo: 0, hi: 1}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5], label: "a={alpha}"}, {name: qomax_sda}, {name: oracle}]
horizons: {from: 10, to: 100, per_decade: 2}
replications: 20
"""
RUNS = ["d,%s,0,%d,0.%d" % (arm, i, i) for arm in "xy" for i in range(4)]
COLUMNS = "instance,arm,repetition,iteration,reward"
HISTORY = ('{"data": [[1, "d", 0, null, 0.5, 1, 1, 0, 1, {}], [2, "d", 0, null, 0.7, 1, 1, 1, 2, {}]],'
           '"configs": {"1": {"model": "a", "x": 0.25}, "2": {"model": "b"}}}')
STUDY = """
CREATE TABLE studies (study_id, study_name); INSERT INTO studies VALUES (1, 's');
CREATE TABLE study_directions (direction, study_id, objective); INSERT INTO study_directions VALUES ('MAXIMIZE', 1, 0);
CREATE TABLE trials (trial_id, number, study_id, state, datetime_start, datetime_complete);
INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE', NULL, NULL), (2, 1, 1, 'COMPLETE', NULL, NULL);
CREATE TABLE trial_values (trial_id, objective, value, value_type);
INSERT INTO trial_values VALUES (1, 0, 0.5, 'FINITE'), (2, 0, 0.7, 'FINITE');
CREATE TABLE trial_params (param_id, trial_id, param_name, param_value, distribution_json);
INSERT INTO trial_params
SELECT 1, trial_id, 'model', trial_id - 1, '{"name": "C", "attributes": {"choices": ["a", "b"]}}' FROM trials;
"""
SEARCHED = """name: s
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.8}]}
policies: [{name: max_ucb}]
horizons: [50]
"""
COMMANDS = [
    ["summary", "r.h5", "--csv"],
    ["bounds", "r.h5"],
    ["rate", "many.h5", "--resamples", "20"],
    ["rank", "t.h5"],
    ["exceed", "r.h5", "--above", "0.5"],
    ["info", "r.h5"],
    ["export", "r.h5", "--csv", "csv"],
    ["gap", "e.yaml"],
    ["lu", "e.yaml", "--estimator", "plugin", "--samples", "50"],
    ["lu", "t.csv"],
    ["survival", "e.yaml", "--points", "5", "--samples", "20"],
    ["survey", "t.csv"],
    ["recommend", "t.csv", "--horizon", "3", "-o", "recommended.yaml"],
    ["recommend", "costs.csv", "--horizon", "4", "--costs"],
    ["import", "t.csv", "--from", "table", "--csv"],
    ["import", "runs.json", "-o", "runs.csv"],
    ["import", "study.db", "--arm", "model"],
    ["trace", "e.yaml", "--policy", "oracle"],
    ["list", "experiments"],
    ["claims", "lemma_3_3"],
    ["search", "s.yaml", "-v", "policies.0.alpha=0.1:1", "--evaluations", "4", "--replications", "5", "--confirm", "5", "-o",
     "found.yaml"],
    ["merge", "1.part", "2.part", "-o", "merged.h5"],
    ["figures", "r.h5", "-o", "pictures"],
    ["figures", "t.csv", "-o", "pictures"],
]


def prepare(d):
    """What runs and commands read: e.yaml and t.yaml in d, the rest in d/work."""
    work = f"{d}/work"
    os.makedirs(f"{work}/experiments")
    write(f"{d}/d.csv", "\n".join([COLUMNS, *RUNS, ""]))
    write(f"{d}/t.yaml", f"name: t\nproblem: {{trajectories: {d}/d.csv}}\npolicies: [{{name: max_ucb}}]\nhorizons: [4]\n")
    for path in (f"{d}/e.yaml", f"{work}/e.yaml", f"{work}/experiments/e.yaml"):
        write(path, EXPERIMENT)
    shutil.copy(f"{d}/d.csv", f"{work}/t.csv")
    write(f"{work}/costs.csv", "\n".join([COLUMNS + ",cost", *(row + ",1.5" for row in RUNS), ""]))
    write(f"{work}/runs.json", HISTORY)
    sqlite3.connect(f"{work}/study.db").executescript(STUDY)
    write(f"{work}/s.yaml", SEARCHED)
    for options in (["e.yaml", "-o", "r.h5"], ["e.yaml", "-s", "horizons={from: 10, to: 100, per_decade: 6}", "-o", "many.h5"],
                    ["../t.yaml", "-s", "policies=[{name: max_ucb}, {name: random}]", "-o", "t.h5"],
                    ["e.yaml", "--shard", "1/2", "-o", "1.part"], ["e.yaml", "--shard", "2/2", "-o", "2.part"]):
        subprocess.run([lib.MAXK, "run", *options, "-q"], cwd=work, check=True)
    return work


def summary(at, path):
    return at.program("summary", path, "--csv").stdout


def remove(pattern):
    for path in glob.glob(pattern):
        os.remove(path)


def fail_in_run(at, kind, number, name, options, reference, wanted):
    """One run over an earlier result that is equal to its own; whatever happens, --resume gives that result."""
    out, what = f"{at.at}/out.h5", f"{name}: call {number}"
    shutil.copy(reference, out)
    done = at.failing(kind, number, what, "run", *options, "-q", "-j", "1", "-o", out)
    # A failure after the rename leaves the new file, complete; any other leaves the earlier one.
    if done.returncode and not filecmp.cmp(out, reference, shallow=False) and summary(at, out) != wanted:
        at.wrong(what, "the earlier result is damaged")
    if done.returncode or os.path.exists(f"{out}.journal"):
        again = at.program("run", *options, "-q", "-j", "1", "-o", out, "--resume")
        if again.returncode:
            at.wrong(f"{what}: resume", again.stderr.decode()[:300])
    if summary(at, out) != wanted:
        at.wrong(what, "wrong result")
    remove(f"{out}.*")


def sweep_run(at, kind, name, *options):
    at.start()
    reference = f"{at.at}/reference.h5"
    done = at.program("run", *options, "-q", "-j", "1", "-o", reference, "--force")
    if not check(done.returncode == 0, f"{name} runs {done.stderr.decode()[:300]}"):
        return
    wanted = summary(at, reference)
    calls = at.counted(kind, name, "run", *options, "-q", "-j", "1", "-o", f"{at.at}/counted.h5")
    for number in at.chosen(calls):
        fail_in_run(at, kind, number, name, options, reference, wanted)
    remove(f"{at.at}/counted.h5")
    check(at.errors == 0 and calls > 50 and at.refused > at.tried // 3,
          f"{name}: {at.tried} of {calls} {kind} calls fail, one at a time ({at.refused} runs ended with an error)")


def sweep_commands(at, kind, work, path):
    at.start()
    for command in COMMANDS:
        at.each(kind, *command, cwd=work, path=path if command[0] == "figures" else None)
    check(at.errors == 0 and 0 < at.tried and at.refused > at.tried // 3,
          f"commands: {at.tried} of {at.all} {kind} calls fail, one at a time ({at.refused} times with an error)")


def content(work):
    """Of the files that commands read."""
    found = {}
    for path in sorted(glob.glob(f"{work}/*.h5") + glob.glob(f"{work}/*.part") + glob.glob(f"{work}/*.yaml")):
        with open(path, "rb") as f:
            found[path] = f.read()
    return found


def check_thread(at, experiment):
    """libgomp ends the program where a thread cannot be started; the earlier result and the journal must not suffer."""
    out, reference = f"{at.at}/out.h5", f"{at.at}/reference.h5"
    shutil.copy(reference, out)
    environment = {**os.environ, "INJECT": "thread", "INJECT_AT": "1", "LD_PRELOAD": at.library}
    done = subprocess.run([at.maxk, "run", experiment, "-q", "-j", "2", "-o", out], env=environment, capture_output=True)
    check(done.returncode == 1, f"a thread that cannot be started: exit code {done.returncode}")
    check(filecmp.cmp(out, reference, shallow=False), "the earlier result is whole")
    again = at.program("run", experiment, "-q", "-j", "2", "-o", out, "--resume")
    check(again.returncode == 0, f"and the run can be resumed {again.stderr.decode()[:300]}")


with folder() as d:
    at = Injector(d, step=16)
    work, path = prepare(d), gnuplot_in_its_place(f"{d}/bin")
    before = content(work)
    sweep_run(at, "memory", "keep: pulls", f"{d}/e.yaml")
    sweep_run(at, "memory", "keep: summary", f"{d}/e.yaml", "-s", "keep=summary", "-s", "replications=5")
    sweep_run(at, "memory", "recorded rewards", f"{d}/t.yaml")
    sweep_run(at, "storage", "keep: pulls", f"{d}/e.yaml")
    for kind in ("memory", "storage"):
        sweep_commands(at, kind, work, path)
        for made in ("merged.h5", "found.yaml", "recommended.yaml"):
            remove(f"{work}/{made}")
    check(content(work) == before, "what commands read is unchanged")
    check_thread(at, f"{d}/e.yaml")
finish()
