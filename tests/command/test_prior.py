"""A prior from recorded runs: what trials begin with, that nothing else changes without it or where it says nothing, any number
of workers and threads, resuming, messages with their places, Python."""
import csv
import os
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, refused, rows, write

TUNE = """
command: [awk, "BEGIN {{print ({a} - 0.3) ^ 2}}"]
metric: {last_number: true, maximize: false}
arms:
  - {label: near, space: {a: {real: [0, 1]}}, command: [awk, "BEGIN {{print ({a} - 0.3) ^ 2}}"]}
  - {label: far, space: {a: {real: [0, 1]}}, command: [awk, "BEGIN {{print 1 + {a}}}"]}
  - {label: new, space: {a: {real: [0, 1]}}, command: [awk, "BEGIN {{print 2 - {a}}}"]}
optimizer: random
policy: max_ucb
budget: {evaluations: 40}
"""

# Of near .25 is best on both in the mean, then .5; far was behind in every instance, so that it has all of the weight.
RUNS = """instance,arm,configuration,loss,status
one,near,{a: 0.25},.1,ok
one,near,{a: 0.5},.2,ok
one,near,{a: 0.9},7,crashed
one,far,{a: 0},1,ok
one,far,{a: 1},2,ok
two,near,{a: 0.25},.2,ok
two,near,{a: 0.5},.1,ok
two,near,{a: 0.75},.9,ok
two,far,{a: 0},1,ok
two,far,{a: 1},2,ok
here,near,{a: 0.99},-9,ok
"""


def maxk(*options, timeout=120):
    return subprocess.run([MAXK, *options], capture_output=True, text=True, timeout=timeout)


def good(done, text):
    return check(done.returncode == 0, text + ("" if done.returncode == 0 else f": {done.stderr.strip()[:300]}"))


def tune(out, *options):
    return maxk("tune", "t.yaml", "-q", "-o", out + ".h5", "-s", "instance=here", *options)


def trials(out):
    """(arm, configuration) in the order of the trials."""
    table = sorted(rows(open(out + ".csv").read()), key=lambda r: int(r["trial"]))
    return [(r["arm"], r["configuration"], r["loss"]) for r in table]


def of_arm(out, arm):
    return [t[1] for t in trials(out) if t[0] == arm]


def programs():
    write("t.yaml", TUNE)
    write("runs.csv", RUNS)
    good(tune("none"), "a run without a prior")
    good(tune("both", "-s", "prior=runs.csv"), "with one")
    near, far = of_arm("both", "near"), of_arm("both", "far")
    check(near[:2] == ["{a: 0.25}", "{a: 0.5}"] and "{a: 0.99}" not in near and "{a: 0.9}" not in near,
          f"its search begins with the best of other instances: {near[:3]}")
    check(far[0] == "{a: 0}" and of_arm("both", "new")[0] == of_arm("none", "new")[0], "and so do those of other arms")
    good(tune("off", "-s", "prior={file: runs.csv, portfolio: 0, weight: 0}"), "one that says nothing")
    check(trials("off") == trials("none"), "is the run without")
    for weight in 0, 5, 30:
        good(tune(f"w{weight}", "-s", f"prior={{file: runs.csv, portfolio: 0, weight: {weight}}}", "-s",
                  "policy={name: max_ucb, alpha: 3}"), f"weight {weight}")
    pulls = [len(of_arm(f"w{weight}", "far")) for weight in (0, 5, 30)]
    check(pulls[0] > pulls[1] > pulls[2] >= 1, f"the more weight, the fewer pulls of an arm that used to be worse: {pulls}")
    for workers in "2", "5":
        good(tune("many", "-s", "prior=runs.csv", "-s", f"workers={workers}", "--force"), f"{workers} workers")
        check(trials("many") == trials("both"), "the same trials")


def resuming():
    good(tune("part", "-s", "prior=runs.csv", "-s", "budget.evaluations=9"), "a run of 9 trials")
    good(tune("part", "-s", "prior=runs.csv", "--resume"), "extended to 40")
    check(trials("part") == trials("both"), "it is the run of 40")
    good(tune("part", "-s", "prior=runs.csv", "-s", "budget.evaluations=9", "--force"), "again 9 trials")
    write("runs.csv", RUNS.replace("two,near,{a: 0.5},.1", "two,near,{a: 0.55},.05"))
    done = tune("part", "-s", "prior=runs.csv", "--resume")
    check(done.returncode == 2 and "belongs to another run" in done.stderr and "digest" in done.stderr,
          f"another content of the file is noticed: {done.stderr}")
    write("runs.csv", RUNS)


def messages():
    def no(text, message, *sets):
        refused(text, message, "tune", "t.yaml", "-s", "instance=here", *[x for s in sets for x in ("-s", s)], "-o", "no.h5")
    no("a file that is not there", "prior: ", "prior=nothing.csv")
    no("an unknown key", "unknown key 'size'", "prior={file: runs.csv, size: 3}")
    no("no file", "file: missing", "prior={portfolio: 3}")
    no("an instance that is not there", "without: runs.csv: expected an instance of the file, got three",
       "prior={file: runs.csv, without: [three]}")
    no("no other instance", "prior: runs.csv: expected results of the arms on instances other than here, got none",
       "prior={file: runs.csv, without: [one, two]}")
    no("a schedule", "prior: expected optimisers without a schedule, got hyperband for arm near", "prior=runs.csv",
       "optimizer=hyperband")
    no("a combined search", "prior: expected a policy, got a combined search", "prior=runs.csv", "policy=",
       "combined={optimizer: tpe}")
    write("bad.csv", RUNS.replace("{a: 0.25}", "{b: 0.25}").replace("{a: 0.5}", "{a: 7}").replace("{a: 0.75}", "{}"))
    no("no configuration in the space", "prior: bad.csv:2:10: configuration: none of arm near is in the space of the arm",
       "prior=bad.csv")
    write("bad.csv", RUNS.replace(",.9,ok", ",x,ok"))
    no("what is not a number", "bad.csv:9:", "prior=bad.csv")
    write("bad.csv", RUNS.replace("instance", "dataset"))
    no("no column of instances", "bad.csv:1: instance: expected one column of this name", "prior=bad.csv")


EXPERIMENT = """
problem:
  instances: [i, j, k]
  prior: {file: runs.csv}
  searches:
    - {objective: {name: table, file: table.csv, arm: a}, optimizer: random, label: a}
    - {objective: {name: table, file: table.csv, arm: b}, optimizer: random, label: b}
policies: [max_ucb, qomax_sda]
horizons: [5, 20]
replications: 3
"""


def experiments():
    """Each instance is left out of its own prior: whatever its rewards are, what it begins with is the same."""
    table = [(i, arm, x, str((7 * ord(i) + 3 * x + 5 * (arm == "a")) % 11 / 10))
             for i in "ijk" for arm in "ab" for x in range(25)]

    def record(changed, out):
        with open("table.csv", "w") as f:
            csv.writer(f).writerows([("instance", "arm", "x", "reward"), *table])
        with open("runs.csv", "w") as f:
            csv.writer(f).writerows([("instance", "arm", "x", "reward"),
                                     *((i, arm, x, -float(r) if i == changed else r) for i, arm, x, r in table)])
        write("e.yaml", EXPERIMENT)
        good(maxk("record", "e.yaml", "-o", out), "recorded searches")
        return {i: [r["configuration"] for r in rows(open(out).read()) if r["instance"] == i] for i in "ijk"}

    plain, other = record("", "plain.csv"), record("j", "other.csv")
    check(plain["j"] == other["j"], "an instance does not see itself")
    check(plain["i"] != other["i"] and plain["k"] != other["k"], "but the others")
    out = []
    for threads in "1", "3":
        good(maxk("run", "e.yaml", "-q", "--force", "-o", "e.h5", "--threads", threads), f"{threads} threads")
        out.append(maxk("summary", "e.h5", "--csv").stdout)
    check(out[0] == out[1], "the same numbers")
    table_of = rows(out[0])
    check(all(sum(float(r["mean_pulls"]) for r in table_of if (r["policy"], r["instance"], r["horizon"]) == (p, i, "20")) == 20
              for p in ("max_ucb", "qomax_sda") for i in "ijk"), "what a policy gets again is not a pull")
    refused("a budget of its own", "prior: expected policies without a budget of their own", "run", "e.yaml", "-s",
            "policies=[{name: rising_bandit_cost, budget: 9}]", "-o", "no.h5")
    refused("of known arms", "unknown key 'prior'", "run", "e.yaml", "-s",
            "problem={arms: [{family: dirac, x: 1}], prior: runs.csv}", "-o", "no.h5")


with folder() as d:
    os.chdir(d)
    programs()
    resuming()
    messages()
    experiments()
    os.chdir("/")
finish()
