"""maxk record of a tune file: every arm's search is the one that maxk tune makes, the same rows for any number of workers, after
kills and for more repetitions later, combined searches, rounded digits, what is kept, what is refused."""
import gzip
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, "tests/support")
from lib import LIMIT, MAXK, check, finish, folder, refused, rows, run, write

# A stand-in for a training program: its value depends on the instance, the configuration and the seed of its trial.
TUNE = """
name: t
command: [awk, "BEGIN {{srand({seed}); if ({x} > 0.97) exit 1;
  print 1 - ({x} - length(\\"{instance}\\") / 10) ^ 2 + rand() / 50}}"]
metric: {last_number: true, maximize: true}
arms:
  - {label: one, space: {x: {real: [0, 1]}}, optimizer: {name: rf, init: 4}}
  - {label: two, space: {x: {real: [0, 0.9]}}}
  - {label: three, space: {x: {real: [0, 0.8]}, k: {integer: [1, 9]}}, optimizer: random}
policy: max_ucb
budget: {evaluations: 6}
lag: 1
seed: 5
"""
COLUMNS = ["instance", "arm_index", "classifier", "optimizer", "repetition", "iteration", "loss", "arm", "configuration",
           "status", "value", "fidelity", "loss_seen"]


def record(*options, output="r.csv", file="t.yaml"):
    return run("record", file, "-o", output, *options)


def read(path):
    return rows(gzip.open(path, "rt").read() if path.endswith(".gz") else open(path).read())


def same_searches():
    said = record("--instances", "a,bcd", "--repetitions", "2")
    recorded = read("r.csv")
    check(said.startswith("r.csv: 3 searches, 2 instances, 2 repetitions") and list(recorded[0]) == COLUMNS,
          f"what is written: {said.strip()}")
    order = [(r["instance"], int(r["repetition"]), int(r["arm_index"]), int(r["iteration"])) for r in recorded]
    check(order == sorted(order) and len(order) == 2 * 2 * 3 * 6, "every search for the whole budget, in order")
    for instance, repetition, policy in (("a", 0, "max_ucb"), ("bcd", 1, "random")):
        run("tune", "t.yaml", "-q", "-o", "o.h5", "--force", "-s", f"instance={instance}", "-s", f"repetition={repetition}", "-s",
            f"seed={5 + repetition}", "-s", f"policy={policy}")
        tuned = [[r[c] for c in COLUMNS] for r in read("o.csv")]
        own = [[r[c] for c in COLUMNS] for r in recorded]
        check(len(tuned) == 6 and all(r in own for r in tuned if r[COLUMNS.index("status")] == "ok"),
              f"{policy} in maxk tune makes the evaluations recorded ({instance}, repetition {repetition})")
    check(len({r["loss"] for r in recorded}) > 50, "instances, repetitions and arms differ")
    check("one" in run("survey", "r.csv") and "one" in run("lu", "r.csv"), "survey and lu read it")


def same_rows():
    whole = open("r.csv").read()
    failed = sum(r["status"] != "ok" for r in read("r.csv"))
    said = record("--instances", "a,bcd", "--repetitions", "2", "-s", "workers=9", output="w.csv.gz")
    check(gzip.open("w.csv.gz", "rt").read() == whole, "the same rows with three workers, as many as there are arms")
    check(failed > 0 and f", {failed} failed evaluations" in said, f"failures are counted: {said.strip()}")
    record("--instances", "a", "--force", output="w.csv")
    record("--instances", "a,bcd", "--repetitions", "2", "--resume", output="w.csv")
    check(open("w.csv").read() == whole, "instances and repetitions can be added later")
    kept = [name for name in os.listdir("w.runs/a-0") if name.isdigit()]
    check(len(kept) == sum(r["status"] != "ok" for r in read("r.csv") if r["instance"] == "a" and r["repetition"] == "0"),
          f"of the trials, the failed ones keep their folders: {len(kept)}")
    record("--instances", "a", "-s", "budget={evaluations: 6, seconds: 1e-6}", output="s.csv")
    check(read("s.csv") == [r for r in read("r.csv") if r["instance"] == "a" and r["repetition"] == "0"],
          "searches that are recorded have no budget of seconds")
    record("--instances", "a", "--digits", "3", output="d.csv")
    exact, rounded = read("r.csv"), read("d.csv")
    check(len(rounded) == 18 and all(float(b["loss"]) == float(f"{float(a['loss']):.2e}") for a, b in zip(exact, rounded)) and
          max(len(r["configuration"]) for r in rounded if r["arm"] == "two") <= len("{x: 0.0000123}"), "three digits")


def has_children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return bool(f.read())


def kills():
    write("k.yaml", TUNE.replace("{{srand", '{{system(\\"sleep 0.05\\"); srand'))
    command = [MAXK, "record", "k.yaml", "-o", "k.csv", "--instances", "a,bcd", "--repetitions", "2", "-s",
               "workers=2", "--resume"]
    for after in (0.15, 0.25, 0.1, 0.3):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        child.wait(LIMIT)
    check(not os.path.exists("k.csv"), "killed four times: no half of a file")
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + LIMIT
    while not has_children(child.pid) and time.monotonic() < end:  # which it starts when signals are its own
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=LIMIT)[1]
    check(child.returncode == 1 and "are kept in k.runs/" in said and said.count("\n") == 1, f"Ctrl-C: {said.strip()}")
    check(subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0 and open("k.csv").read() == open("r.csv").read(),
          "resumed, the same rows")


def combined():
    write("c.yaml", TUNE.replace("policy: max_ucb", "combined: {optimizer: tpe}"))
    said = record(output="c.csv", file="c.yaml")
    recorded = read("c.csv")
    check(said.startswith("c.csv: 4 searches") and [r["arm_index"] for r in recorded[18:]] == ["-1"] * 6,
          "three arms, then the combined search")
    run("tune", "c.yaml", "-q", "-o", "o.h5", "--force")
    tuned = [[r[c] for c in COLUMNS] for r in read("o.csv") if r["arm_index"] == "-1"]
    check(tuned == [[r[c] for c in COLUMNS] for r in recorded[18:]], "it is the search of maxk tune")


def refusals():
    refused("an earlier recording", "continue with --resume, or start over with --force", "record", "t.yaml", "-o", "r.csv",
            "--instances", "a,bcd")
    refused("of another file", "belongs to another run", "record", "t.yaml", "-o", "r.csv", "--instances", "a", "--resume", "-s",
            "timeout=3")
    write("e.yaml", "problem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n")
    refused("an experiment without searches", "expected searches", "record", "e.yaml", "-o", "e.csv", "-s", "horizons=[1]")
    for option in (["--instances", "a"], ["--repetitions", "2"], ["--resume"], ["--force"]):
        refused(f"{option[0]} of an experiment", f"{option[0]}: expected a file of maxk tune", "record", "e.yaml",
                "-o", "e.csv", *option)
    refused("a mistake in the file", "budget: expected a mapping", "record", "t.yaml", "-o", "x.csv", "-s",
            "lag=2", "-s", "budget=3")


with folder() as d:
    os.chdir(d)
    write("t.yaml", TUNE)
    for part in (same_searches, same_rows, kills, combined, refusals):
        part()
    os.chdir("/")
finish()
