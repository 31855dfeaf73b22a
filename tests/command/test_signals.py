"""Every command ends soon after SIGINT or SIGTERM, whatever a single step costs, with what is finished kept."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, "tests/support")
import lib
from lib import check, finish, folder, python_environment, run, write

SOON = 10  # seconds; what is signalled here would otherwise take a minute or more
TICKS = os.sysconf("SC_CLK_TCK")
ARMS = "[" + ", ".join(f"{{family: power, a: {3 + k / 7}, s: {1.1 - k / 1000}}}" for k in range(60)) + "]"
KNOWN = f"problem: {{arms: {ARMS}}}\npolicies: [{{name: max_ucb}}]\nhorizons: [100000]\nreplications: 20\n"
SEARCHES = ("problem: {searches: [{repeat: 3, objective: {name: cash, arm: '{i}'}, optimizer: {name: gp, init: 4}}]}\n"
            "policies: [uniform]\nhorizons: [1900]\nreplications: 100\n")
MIXTURE = ("{{family: mixture, weights: [0.{}, 0.2], components: [{{family: gaussian, mu: 1, sigma: 1}}, "
           "{{family: beta, a: 1.3, b: 2.7}}]}}")
TRUTH = (f"problem: {{arms: [{', '.join(MIXTURE.format(100 + k) for k in range(500))}]}}\npolicies: [max_ucb]\n"
         f"horizons: {list(range(600, 2000))}\nreplications: 1\n")
ROWS = """BEGIN { print "instance,arm,repetition,iteration,loss"; for (i = 0;; i++) print "d,a,0," i ",1" }"""
PROGRAMS = """command: [sh, -c, "trap '' TERM INT; while :; do sleep 1; done"]
metric: {last_number: true, maximize: true}
arms: [{label: a, optimizer: random, space: {x: {real: [0, 1]}}}]
policy: max_ucb
budget: {evaluations: 10}
workers: 2
"""
PLUGIN = """#include <unistd.h>
#include "policies/plugin.h"

static size_t size_of(const struct mk_setup *s)
{
    (void)s;
    return 8;
}

static void init(void *state, const struct mk_setup *s)
{
    *(uint32_t *)state = (uint32_t)s->arms;
}

static size_t select_arm(void *state, uint64_t t)
{
    (void)state;
    if (t == 100) {
        (void)!write(STDERR_FILENO, "slow\\n", 5);
        for (;;) pause();
    }
    return t % 2;
}

static void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)state;
    (void)arm;
    (void)reward;
    (void)t;
}

static const struct mk_param params[] = {{.name = NULL}};
static const struct mk_policy_type endless = {
    .name = "endless", .summary = "a round without end", .formula = "t mod 2", .reference = "a test", .departures = "",
    .cost = "O(1)", .kind = MK_EXTREME, .params = params, .state_size = size_of, .init = init, .select = select_arm,
    .update = update};
MK_PLUGIN(&endless)
"""


def processor_time(pid):
    """Seconds that a process has computed."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def wait_for(condition, process):
    """Until it holds; false: the process has ended before."""
    limit = time.monotonic() + lib.LIMIT
    while process.poll() is None and time.monotonic() < limit:
        if condition(process):
            return True
        time.sleep(0.01)
    return False


def at_work(process):
    return processor_time(process.pid) > 0.3


def ends(what, command, number=signal.SIGTERM, started=at_work, kept=None, environment=None, given=None):
    """Starts a command, signals it when it has started, and checks that it ends soon: by the signal, or with exit code 1 and a
    message that holds `kept`. given: its standard input."""
    process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    begun = wait_for(started, process)
    at = time.monotonic()
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=4 * SOON)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    took = time.monotonic() - at
    how = process.returncode == 1 and kept in said if kept else process.returncode == -number
    check(begun and took < SOON and how, f"{what}: {took:.1f} s, exit code {process.returncode}: {said.strip()[-200:]}")
    return said


with folder() as d:
    known, searches = write(f"{d}/known.yaml", KNOWN), write(f"{d}/searches.yaml", SEARCHES)
    programs, truth = write(f"{d}/programs.yaml", PROGRAMS), write(f"{d}/truth.yaml", TRUTH)
    maxk = lib.MAXK

    # ---- commands that end at once ----
    for number in (signal.SIGINT, signal.SIGTERM):
        ends(f"certify, {number.name}", [maxk, "certify", known], number)
    vary = ["--vary", "policies.0.alpha=0.1:1"]
    ends("certify over alpha", [maxk, "certify", known, "--best-alpha"])
    ends("search", [maxk, "search", known, "-o", f"{d}/found.yaml", *vary, "--evaluations", "100000"])
    ends("survey of searches", [maxk, "survey", searches])
    ends("record of searches", [maxk, "record", searches, "-o", f"{d}/runs.csv"])
    ends("gap, whose exact values take minutes", [maxk, "gap", truth])
    ends("run, before its first round", [maxk, "run", truth, "-o", f"{d}/t.h5"], signal.SIGINT)
    rows = subprocess.Popen(["awk", ROWS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    ends("import without end", [maxk, "import", "/dev/stdin", "--from", "table", "-o", f"{d}/i.csv"], given=rows.stdout)
    rows.kill()
    rows.communicate()
    check(sorted(os.listdir(d)) == ["known.yaml", "programs.yaml", "searches.yaml", "truth.yaml"],
          f"nothing is left: {os.listdir(d)}")

    # ---- runs and studies, which say what they keep ----
    ends("run of searches", [maxk, "run", searches, "-o", f"{d}/s.h5"], kept="stopped on request")
    lib.write(f"{d}/plugin.c", PLUGIN)
    compiler = os.environ.get("CC", "gcc").split()
    subprocess.run([*compiler, "-std=gnu11", "-shared", "-fPIC", "-I.", "-Isim/api", "-o", f"{d}/plugin.so", f"{d}/plugin.c"],
                   check=True)
    slow = write(f"{d}/slow.yaml", "plugins: [plugin.so]\nproblem: {arms: [{family: uniform, lo: 0, hi: 1, repeat: 2}]}\n"
                 "policies: [endless]\nhorizons: [1000]\nreplications: 4\n")

    def in_a_round(process):
        return process.stderr.readline() == "slow\n"

    said = ends("run with a round without end", [maxk, "run", slow, "-o", f"{d}/p.h5"], started=in_a_round)
    check("stopped on request" in said, f"which says so: {said.strip()}")

    # ---- a replication that takes hours says so ----
    hours = write(f"{d}/hours.yaml", "problem: {arms: [{family: bernoulli, p: 0.5, repeat: 20}]}\nhorizons: [1e15]\n"
                  "policies: [{name: max_ucb_remaining, alpha: 9, ties: random}]\nreplications: 1\n")
    told = []

    def warns(process):
        told.append(process.stderr.readline())
        return True

    ends("run of hours", [maxk, "run", hours, "-o", f"{d}/h.h5"], started=warns, kept="stopped on request")
    check("max_ucb_remaining: " in told[0] and "at this pace it takes " in told[0], f"after some seconds: {told[0].strip()}")

    def has_workers(process):
        return os.path.exists(f"{d}/t.trials/2/stderr")

    ends("tune with programs that ignore signals", [maxk, "tune", programs, "-o", f"{d}/t.h5"], started=has_workers,
         kept="continue with --resume")

    # ---- certified bounds that are finished are in the file ----
    run("run", known, "-o", f"{d}/k.h5", "-q")
    certificates = f"{d}/k.h5.certificates"
    ends("certify of a result", [maxk, "certify", f"{d}/k.h5"], started=lambda process: os.path.exists(certificates))
    line = next((l for l in run("info", f"{d}/k.h5").splitlines() if l.startswith("certificates")), "")
    check(0 < int((line.split() + ["", "0"])[1].rstrip(",")) < 120, f"some of 120 bounds are finished and kept: {line}")

    # ---- Python ----
    interrupted = """
import os, signal, sys, threading, time
sys.path.insert(0, "sim/python")
import maxk
def interrupt():
    start = time.process_time()
    while time.process_time() < start + 0.3:
        time.sleep(0.01)
    print("at work", file=sys.stderr, flush=True)
for make in (lambda: maxk.table("certify", sys.argv[1]), lambda: maxk.table("survey", sys.argv[2])):
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        make()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
gap = maxk.table("gap", sys.argv[1])
print(len(gap["gap"]), "gaps after that", file=sys.stderr, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", interrupted, known, searches], stderr=subprocess.PIPE, text=True,
                               env=python_environment())
    for what in ("certify", "survey"):
        begun = process.stderr.readline()
        at = time.monotonic()
        process.send_signal(signal.SIGINT)
        ended = process.stderr.readline()
        took = time.monotonic() - at
        check(begun == "at work\n" and ended == "interrupted\n" and took < SOON,
              f"Python, {what}: {took:.1f} s: {begun.strip()}, {ended.strip()}")
    last = process.communicate(timeout=lib.LIMIT)[1]
    check("60 gaps after that" in last, f"the library goes on: {last.strip()}")

    # ---- a study of the Python module keeps what is finished ----
    studied = """
import signal, sys, time
sys.path.insert(0, "sim/python")
import maxk
def objective(trial):
    if trial.number == 5 and sys.argv[2] == "stops":
        print("at work", file=sys.stderr, flush=True)
        time.sleep(1000)
    return trial.params["x"]
signal.signal(signal.SIGINT, signal.default_int_handler)
study = maxk.Study({"a": {"x": maxk.Real(0, 1)}, "b": {"x": maxk.Real(0, 1)}}, n_trials=12, path=sys.argv[1], optimizer="random",
                   resume=sys.argv[2] == "resumes")
before = len(study.trials)
study.optimize(objective)
print(before, [t.value for t in study.trials], file=sys.stderr)
"""

    def study(path, way):
        return [sys.executable, "-c", studied, f"{d}/{path}.h5", way]

    environment = python_environment()
    said = ends("Study.optimize", study("study", "stops"), signal.SIGINT, started=lambda p: p.stderr.readline() == "at work\n",
                environment=environment)
    check(said.strip().endswith("KeyboardInterrupt"), f"by KeyboardInterrupt: {said.strip()[-40:]}")
    resumed, whole = (subprocess.run(study(*one), capture_output=True, text=True, env=environment).stderr.strip()
                      for one in (("study", "resumes"), ("whole", "begins")))
    check(resumed.startswith("6 [") and whole.startswith("0 [") and resumed[1:] == whole[1:],
          f"five results are kept, and the study ends as without a signal: {resumed[:60]}, {whole[:60]}")

finish()
