"""maxk tune: values that look like options or shell text, the same trials for any number of workers and after kills, earlier
results, programs that misbehave, scripts written for SMAC and irace, persistent programs, what other commands read."""
import csv
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import yaml

sys.path.insert(0, "tests/support")
import lib
from lib import LIMIT, MAXK, check, finish, folder, refused, rows, run, write

TOP = os.getcwd()


def tune(name, text, *options, output="o.h5", timeout=60):
    write(name, text)
    return subprocess.run([MAXK, "tune", name, "-o", output, *options], capture_output=True, text=True, timeout=timeout)


def good(done, text):
    return check(done.returncode == 0, text + ("" if done.returncode == 0 else f": {done.stderr.strip()[:300]}"))


def program(name, text):
    write(name, text)
    os.chmod(name, 0o755)


def table(path):
    return rows(open(path).read())


def file_md5(path):
    return open(path, "rb").read()


def leftovers(word):
    """Processes with this word in their command line; the word has to be this test's own."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if word.encode() in open(path, "rb").read() and int(path.split("/")[2]) != os.getpid():
                found.append(path)
        except OSError:
            pass
    return found


def gone(word):
    for _ in range(100):
        if not leftovers(word):
            return True
        time.sleep(0.05)
    return False


def hostile_values():
    program("echo.py", "#!/usr/bin/python3\nimport json, os, sys\n"
            "seen = open(os.environ['MAXK_DIRECTORY'] + '/seen', 'w')\n"
            "json.dump([sys.argv[1:], json.load(open(os.environ['MAXK_CONFIG']))], seen)\n"
            "print('result', 0.5)\n")
    values = ["it's", "$(touch bad)", "--option", "; touch bad #", 'say "so"', "`touch bad`", "a\\b", "*"]
    label = "l" * 100
    quoted = ", ".join(json.dumps(v) for v in values)
    base = f"""
metric: {{last_number: true, maximize: true}}
policy: uniform
budget: {{evaluations: {len(values)}}}
arms: [{{label: "{label}", optimizer: {{name: grid, levels: 10}}, space: {{q: {{categorical: [{quoted}]}}}}}}]
"""
    for way, command in (("argv", "command: [./echo.py, '{args}', '{{x}}', '{arm}', '{q}']"),
                         ("a shell", "shell: './echo.py {args} \"{{x}}\" {arm} {q}'"),
                         ("double quotes", "shell: |\n  # don't\n  ./echo.py \"{args}\" \"{{x}}\" \"{arm}\" \"\"\"{q}\""),
                         ("single quotes", "shell: |\n  ./echo.py '{args}' '{{x}}' ''{arm} '{q}'"),
                         ("substitutions",
                          "shell: |\n  ./echo.py {args} '{{x}}' \"$(printf %s \"$(printf %s {arm})\")\" \"`printf %s {q}`\"")):
        done = tune("hostile.yaml", command + base, "--force")
        seen = [json.load(open(f"o.trials/{i}/seen")) for i in range(1, len(values) + 1)] if not done.returncode else []
        check(sorted(s[1]["q"] for s in seen) == sorted(values) and
              all(s[0] == [f"--q={s[1]['q']}", "{x}", label, s[1]["q"]] for s in seen) and not os.path.exists("bad"),
              f"hostile values reach the program unchanged through {way} {done.stderr.strip()[:200]}")
    good(tune("hostile.yaml", "shell: |\n  # two\n\n  ./echo.py {q}\n" + base, "-q", "--force"), "a shell text of several lines")
    good(tune("hostile.yaml", "shell: |\n  # two\n\n  ./echo.py {q}\n" + base, "-q", "--resume"), "is resumed")


def names():
    """A study may have any name that a file can have; its result has the letters that an experiment's name may have."""
    text = """command: [awk, "BEGIN {{print {x}}}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, optimizer: random, space: {x: {real: [0, 1]}}}]
policy: uniform
budget: {evaluations: 3}
"""
    for name, setting, shown in (("my größe 1.yaml", "", "my_gr____e_1"), ("n.yaml", "name: a b.c\n", "a_b_c")):
        good(tune(name, setting + text, "-q", "--force", output="name.h5"), f"{name}: {setting.strip()[:20]}")
        check(f"name          {shown}\n" in run("info", "name.h5"), f"the name of its result is {shown}")


def optional_words():
    """Values that are empty and conditional hyperparameters: words that are absent, not empty."""
    program("argv.py", "#!/usr/bin/python3\nimport json, os, sys\n"
            "json.dump(sys.argv[1:], open(os.environ['MAXK_DIRECTORY'] + '/seen', 'w'))\n"
            "print(1)\n")
    text = """
COMMAND
args: ARGS
metric: {last_number: true, maximize: true}
policy: uniform
budget: {evaluations: 4}
arms: [{label: a, optimizer: {name: grid, levels: 2}, space: {flag: {categorical: ["", -O2]},
        way: {categorical: [luby, geo]}, way.geo.first: {constant: 7, when: {way: geo}}}}]
"""
    for way, command, args, expected in (
            ("a word", "command: [./argv.py, '{flag}', '{way.geo.first}']", "['{value}']",
             [[], ["-O2"], ["7"], ["-O2", "7"]]),
            ("a shell", "shell: ./argv.py {flag} {way.geo.first}", "['{value}']", [[], ["-O2"], ["7"], ["-O2", "7"]]),
            ("a shell with quotes", "shell: ./argv.py \"{flag}\" '{way.geo.first}'", "['{value}']",
             [["", ""], ["-O2", ""], ["", "7"], ["-O2", "7"]]),
            ("args of one word", "command: [./argv.py, '{args}']", "['{value}']",
             [["luby"], ["-O2", "luby"], ["geo", "7"], ["-O2", "geo", "7"]]),
            ("args within a shell text", "shell: ./argv.py {args}", "['{value}']",
             [["luby"], ["-O2", "luby"], ["geo", "7"], ["-O2", "geo", "7"]]),
            ("args of two words", "command: [./argv.py, '{args}']", "['--{last}', '{value}']",
             [["--flag", "", "--way", "luby"], ["--flag", "-O2", "--way", "luby"],
              ["--flag", "", "--way", "geo", "--first", "7"], ["--flag", "-O2", "--way", "geo", "--first", "7"]])):
        done = tune("words.yaml", text.replace("COMMAND", command).replace("ARGS", args), "-q", "--force")
        seen = [json.load(open(f"o.trials/{i}/seen")) for i in range(1, 5)] if not done.returncode else done.stderr
        check(not done.returncode and sorted(seen) == sorted(expected), f"{way}: {seen}")
    # A word is absent as a whole: it must not take the value of another hyperparameter with it.
    second = "when: {way: geo}}, way.geo.last: {constant: 9, when: {way: geo}}"
    more = text.replace("args: ARGS\n", "").replace("when: {way: geo}}", second)
    for word, first, second in (("{flag},{way.geo.first}", "flag", "way.geo.first"),
                                ("{way.geo.last}{way}", "way", "way.geo.last")):
        done = tune("words.yaml", more.replace("COMMAND", f"command: [./argv.py, '{word}']"), "--force")
        check(done.returncode == 2 and f"command: '{word}' would be dropped with the value of {first} where {second} is inactive"
              in done.stderr, f"{word} is refused: {done.stderr.strip()}")
    # What looks like a variable of the shell is not the value of a hyperparameter.
    for shell, said in (("./argv.py $way {flag}", "shell: '$way' is a variable of the shell; expected {way}, the value of way"),
                        ("./argv.py ${flag}", "shell: '${flag}' is a variable"), ("way=3; ./argv.py $way {flag}", None),
                        ("./argv.py {flag} $ways \\\\$way", None), ("./argv.py {way} $way", None)):
        done = tune("words.yaml", text.replace("args: ARGS\n", "").replace("COMMAND", f'shell: "{shell}"'), "-q", "--force")
        check(said in done.stderr and done.returncode == 2 if said else not done.returncode, f"{shell}: {done.stderr.strip()}")
    for command, lacks in (("{flag}", "way.geo.first"), ("{way.geo.first}", "flag"), ("{args}", None), ("{config}", None),
                           ("{way.geo.first}', '{flag}", None), ("5", "flag, way.geo.first"), ("MAXK_CONFIG", None)):
        of_it = text.replace("args: ARGS\n", "").replace("COMMAND", f"command: [./argv.py, '{command}']")
        done = tune("words.yaml", of_it, "--force")
        noted = re.findall(r"that of arm '\w+' has neither {args} nor {config}, nor a word for ([^:]+):", done.stderr)
        check(noted == [lacks] * (lacks is not None), f"a note on a hyperparameter that has no word in {command}: {done.stderr}")
    done = tune("words.yaml", more.replace("COMMAND", "command: [./argv.py, '{flag}', '{way.geo.first}:{way.geo.last}']"),
                "-q", "--force")
    seen = [json.load(open(f"o.trials/{i}/seen")) for i in range(1, 5)] if not done.returncode else done.stderr
    check(sorted(seen) == [[], ["-O2"], ["-O2", "7:9"], ["7:9"]], f"a word of hyperparameters with the same conditions: {seen}")


MISBEHAVE = """
import os, sys, time, signal, subprocess
way = sys.argv[1]
if way == "missing": print("no such thing")
if way == "nan": print("accuracy 0.9, loss nan")
if way == "infinite": print("-inf")
if way == "nothing": pass
if way == "crash": print("the reason", file=sys.stderr); sys.exit(3)
if way == "killed": os.kill(os.getpid(), signal.SIGSEGV)
if way == "huge": print("0.125 first"); [sys.stdout.write("x" * 99999 + "\\n") for i in range(105)]; print("last 0.25")
if way == "hidden": print("0.125"); [sys.stdout.write("x" * 99999 + "\\n") for i in range(105)]
if way == "ignores": signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)
if way == "closes": os.close(1); os.close(2); time.sleep(1000)
if way == "forks":
    for i in range(3): subprocess.Popen(["/bin/sh", "-c", "sleep MARK1"])
    subprocess.Popen(["sleep", "MARK2"], start_new_session=True)
    print(0.75)
if way == "good": print(0.5)
if way == "memory": bytearray(10**10)
if way == "cpu":
    while True: pass
"""
WHY = {"missing": "no number at the end of the output", "nan": "the metric is nan", "infinite": "the metric is infinite",
       "nothing": "the program printed nothing", "crash": "exit code 3: the reason",
           "killed": "ended by signal 11 (Segmentation fault)",
       "hidden": "no number at the end of the output", "ignores": "ended after 3 s (timeout)",
       "closes": "ended after 3 s (timeout)", "memory": "exit code 1: MemoryError",
           "start": "the program cannot be started: No such file or directory"}


def misbehaving_programs():
    write("mis.py", MISBEHAVE.replace("MARK", str(mark())))
    ways = ["good", "huge", "forks", *WHY]
    arms = "".join(f"  - {{label: {w}, space: {{x: {{real: [0, 1]}}}}, optimizer: random, "
                   f"command: [{'./none' if w == 'start' else '/usr/bin/python3, mis.py, ' + w}]}}\n" for w in ways)
    text = f"""
metric: {{last_number: true, maximize: true}}
timeout: 3
grace: 0.1
limits: {{memory: 4e9}}
arms:
{arms}policy: uniform
budget: {{evaluations: {len(ways)}}}
lag: 16
workers: 8
"""
    done = tune("mis.yaml", text, "--force")
    good(done, "programs that misbehave")
    times = {r["arm"]: r for r in table("o.times.csv")}
    for way in WHY:
        check(times[way]["why"] == WHY[way] and times[way]["status"] != "ok", f"{way}: {times[way]['why']}")
    check(times["huge"]["status"] == "ok" and os.path.getsize("o.trials/2/stdout") > 10**7, "10 MB of output before the metric")
    check(times["ignores"]["status"] == "timed out" and times["crash"]["status"] == "failed", "timeouts differ from crashes")
    penalty = {r["arm"]: float(r["loss"]) for r in table("o.csv")}
    check(penalty["nan"] == penalty["good"] * 0 - 0.25, f"a failure counts as the worst reward so far: {penalty['nan']}")
    check(gone(f"sleep\000{mark()}1") and gone(f"sleep\000{mark()}2"),
          "what a program leaves behind is ended, in other sessions too")
    check(sum(line.startswith("trial ") for line in done.stdout.splitlines()) == len(ways), "a line for every trial")
    done = tune("cpu.yaml", """
metric: {last_number: true, maximize: true}
limits: {cpu: 1}
arms:
  - {label: good, space: {x: {real: [0, 1]}}, command: [/usr/bin/python3, mis.py, good]}
  - {label: cpu, space: {x: {real: [0, 1]}}, command: [/usr/bin/python3, mis.py, cpu]}
policy: uniform
budget: {evaluations: 2}
""", "-q", output="cpu.h5")
    check(not done.returncode and table("cpu.times.csv")[1]["why"] == "ended after 1 s of processor time (limits: cpu)",
        "a limit of processor time")


def mark():
    """The seconds that programs of this process sleep, by which they are known."""
    return 1000000 + os.getpid()


SLOW = """
name: slow
command: [sh, -c, "(setsid sleep 4713 &); sleep 0.0{t}; echo {x}; test {trial} != 5"]
metric: {last_number: true, maximize: true}
timeout: 20
arms:
  - {label: one, space: {x: {real: [0, 1]}, t: {integer: [1, 9]}}}
  - {label: two, space: {x: {real: [0, 0.9]}, t: {integer: [1, 9]}}, optimizer: {name: rf, init: 4}}
  - {label: three, space: {x: {real: [0, 0.8]}, t: {integer: [1, 9]}}, optimizer: random}
policy: POLICY
budget: {evaluations: 30}
lag: 6
"""


def same_results():
    policies = ("{name: max_ucb, alpha: 0.5}", "successive_halving", "random", "rising_bandit")
    for policy in policies[:1] if lib.sanitizers() else policies:
        text, results = SLOW.replace("4713", str(mark())).replace("POLICY", policy), []
        for workers in (1, 2, 6):
            os.makedirs(f"w{workers}", exist_ok=True)
            os.chdir(f"w{workers}")
            good(tune("slow.yaml", text, "-q", "--force", "-s", f"workers={workers}"), f"{policy}, {workers} workers")
            results.append((file_md5("o.csv"), file_md5("o.best.yaml")))
            os.chdir("..")
        check(results[0] == results[1] == results[2], f"{policy}: the same trials for 1, 2, 6 workers")
        if policy.startswith("{"):
            for workers in (2, 6):
                same = subprocess.run(["h5diff", "--exclude-path", "/provenance/volatile", "w1/o.h5", f"w{workers}/o.h5"],
                                      capture_output=True, text=True)
                check(same.returncode == 0 and not same.stdout, f"the same result file for 1 and {workers} workers")


def kills(number, seed):
    """kill -9 at random moments: nothing that was reported is lost, no program is left, the end is the same."""
    import random
    dice, text = random.Random(seed), SLOW.replace("4713", str(mark())).replace("POLICY", "{name: max_ucb, alpha: 0.5}")
    whole = tune("slow.yaml", text, "-q", "--force", "-s", "workers=3", output="whole.h5")
    good(whole, "a run that is not killed")
    told, killed, lost, started = [], 0, 0, 0
    while killed < number and started < 10 * number:
        anew = started == 0 or child.returncode == 0  # a run that has come to its end
        child = subprocess.Popen([MAXK, "tune", "slow.yaml", "-q", "-o", "killed.h5", "-s", "workers=3",
                                  "--force" if anew else "--resume"])
        started += 1
        time.sleep(dice.uniform(0.05, 0.35))
        child.send_signal(signal.SIGKILL)
        killed += child.wait(LIMIT) == -signal.SIGKILL
        now = [line.rsplit(" ", 1)[0] for line in open("killed.trials/journal") if line.startswith("end ")
               and line.endswith("\n")] if os.path.exists("killed.trials/journal") else []
        lost += not anew and now[:len(told)] != told
        told = now
    check(killed == number and lost == 0, f"{killed} kills of {started} starts: no result is lost ({len(told)} of 30 at the end)")
    check(gone(f"sleep\000{mark()}"), "no program outlives maxk")
    good(tune("slow.yaml", text, "-q", "--resume", "-s", "workers=2", output="killed.h5"), "resumed")
    check(file_md5("whole.csv") == file_md5("killed.csv"), "the end is the same")
    done = tune("slow.yaml", text, "--resume", output="killed.h5")
    check("30 of them resumed" in done.stdout, "a complete run resumes to itself")


def sudden_ends():
    """Programs that would run for days end when maxk or the process that guards them is killed."""
    days = f"""
command: [sleep, "{mark()}"]
metric: {{last_number: true, maximize: true}}
arms: [{{label: a, space: {{x: {{real: [0, 1]}}}}}}]
policy: uniform
budget: {{evaluations: 2}}
"""
    write("days.yaml", days)
    for killed in ("maxk", "the guard", "maxk with all that has its name", "maxk, and its guard at the same time,"):
        child = subprocess.Popen([MAXK, "tune", "days.yaml", "-q", "-o", "days.h5", "--force"], stderr=subprocess.DEVNULL)
        while not leftovers(f"sleep\000{mark()}"):
            time.sleep(0.01)
        time.sleep(1.2)
        check(leftovers(f"sleep\000{mark()}"), "without a timeout a program takes its time")
        program = int(leftovers(f"sleep\000{mark()}")[0].split("/")[2])
        with open(f"/proc/{program}/stat") as f:
            guard = int(f.read().rsplit(")", 1)[1].split()[1])
        if killed == "maxk":
            child.send_signal(signal.SIGKILL)
        elif killed.endswith("name"):
            for pid in (child.pid, guard):
                if "maxk" in open(f"/proc/{pid}/comm").read():
                    os.kill(pid, signal.SIGKILL)
        elif killed.endswith("time,"):  # neither of them is there to end the program
            for sent in (signal.SIGSTOP, signal.SIGKILL):
                os.kill(guard, sent)
                child.send_signal(sent)
        else:
            os.kill(guard, signal.SIGKILL)
            for _ in range(100):
                if not os.path.exists(f"/proc/{program}") or not leftovers(f"sleep\000{mark()}"):
                    break
                time.sleep(0.05)
            check(str(program) not in {p.split("/")[2] for p in leftovers(f"sleep\000{mark()}")},
                  "a program ends when its guard is killed")
            child.send_signal(signal.SIGTERM)
        child.wait(LIMIT)
        check(gone(f"sleep\000{mark()}"), f"{killed} is killed: no program is left")
    for what in ("tune", "record"):
        kills_guard = days.replace(f'[sleep, "{mark()}"]', f"[sh, -c, '(setsid setsid sleep {mark()} &); setsid sleep {mark()} & "
                                   "test {trial} = 2 && exec sleep 1000; sleep 0.2; kill -KILL $PPID; sleep 1']") + "workers: 2\n"
        write("days.yaml", kills_guard)
        output = f"days-{what}." + ("h5" if what == "tune" else "csv")
        done = subprocess.run([MAXK, what, "days.yaml", "-o", output, "--force"], capture_output=True, text=True,
                              timeout=30)
        check(done.returncode == 1 and "the process that watches its program was killed" in done.stderr,
              f"{what}: a program that kills its guard: {done.stderr.strip()}")
        check(not leftovers(f"sleep\000{mark()}"), f"{what}: what it has started is ended")
    stops = days.replace(f'[sleep, "{mark()}"]', "[sh, -c, 'kill -STOP $PPID; echo {x}']")
    done = tune("days.yaml", stops, "-q", "--force", output="days.h5", timeout=30)
    good(done, "a program that stops its guard")


def nohup():
    """A run that ignores SIGHUP from its start, as nohup makes it, is completed; any other one stops."""
    write("hup.yaml", SLOW.replace("4713", str(mark())).replace("POLICY", "uniform").replace("sleep 0.0{t}", "sleep 0.05"))
    for code, before in ((0, ["nohup"]), (1, [])):
        child = subprocess.Popen([*before, MAXK, "tune", "hup.yaml", "-q", "-o", f"hup{code}.h5", "-s", "budget.evaluations=6"],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        journal = f"hup{code}.trials/journal"
        while not os.path.exists(journal) or "\nend 1 " not in open(journal).read():
            time.sleep(0.01)
        child.send_signal(signal.SIGHUP)
        said = child.communicate(timeout=LIMIT)[1]
        check(child.returncode == code, f"SIGHUP: {child.returncode}, wanted {code}: {said.strip()}")


def interruption():
    write("slow.yaml", SLOW.replace("4713", str(mark())).replace("POLICY", "uniform").replace("sleep 0.0{t}", "sleep 0.10{t}"))
    child = subprocess.Popen([MAXK, "tune", "slow.yaml", "-q", "-o", "int.h5", "--force"], stderr=subprocess.PIPE, text=True)
    while not os.path.exists("int.trials/journal") or "\nend 3 " not in open("int.trials/journal").read():
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=LIMIT)[1]
    counts = [int(x) for x in re.findall("results of ([0-9]+) of 30 trials .([0-9]+) of them failures. are kept in int.trials, "
                                         "continue with --resume", said)[0]]
    check(child.returncode == 1 and said.count("\n") == 1, f"Ctrl-C: {said.strip()}")
    check(gone(f"sleep\000{mark()}"), "Ctrl-C ends the programs")
    with open("int.trials/journal") as f:
        ends = [line.split()[2] for line in f if line.startswith("end ")]
    check(counts == [len(ends), sum(status != "0" for status in ends)], f"counts the journal's results: {counts}")
    refused("started again without --resume", f"contains {counts[0]} results ({counts[1]} of them failures) of an interrupted "
            "run; continue with --resume, or start over with --force", "tune", "slow.yaml", "-o", "int.h5")
    refused("resumed with another seed", "belongs to another run (seed: 1, not seed: 9)", "tune", "slow.yaml", "-o", "int.h5",
            "--resume", "-s", "seed=9")
    with open("int.trials/journal") as f:
        lines = f.read().splitlines(True)
    end = max(i for i, line in enumerate(lines) if line.startswith("end "))
    write("int.trials/journal", "".join(lines[:end]) + lines[end].replace("end ", "end 7", 1) + "".join(lines[end:]))
    refused("a damaged journal", f"int.trials/journal:{end + 1}: damaged; continue from the {len(ends) - 1} results before it "
            "with --repair, or start over with --force", "tune", "slow.yaml", "-o", "int.h5", "--resume")
    repaired = subprocess.run([MAXK, "tune", "slow.yaml", "-o", "int.h5", "--repair", "-s", "budget.seconds=1000"],
                              capture_output=True, text=True)
    check(repaired.returncode == 0 and f"30 trials, {len(ends) - 1} of them resumed" in repaired.stdout and repaired.stderr ==
          f"int.trials/journal: damaged in line {end + 1}; kept as int.trials/journal.damaged\n", f"repaired: {repaired.stderr}")
    begin = time.time()
    done = tune("slow.yaml", SLOW.replace("4713", str(mark())).replace("POLICY", "uniform").replace("sleep 0.0{t}",
        "sleep 0.2"), "-s",
                "budget.seconds=1", "--force", output="int.h5")
    check(done.returncode == 0 and "budget of seconds is used up" in done.stdout and time.time() - begin < 10,
          f"a budget of seconds: {done.stderr}")
    check(0 < len(table("int.csv")) < 30 and gone(f"sleep\000{mark()}"), f"its results: {len(table('int.csv'))} trials")


def earlier_results():
    text = """
command: [awk, "BEGIN {{print 1 - ({x} - 0.3) ^ 2}}"]
metric: {last_number: true, maximize: MAX}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: {name: tpe, init: 5}}, {label: b, space: {x: {real: [0.8, 1]}}}]
policy: max_ucb
budget: {evaluations: 12}
"""
    good(tune("add.yaml", text.replace("MAX", "true"), "-q", output="first.h5"), "a first run")
    good(tune("add.yaml", text.replace("MAX", "true"), "-q", "--add", "first.csv", output="second.h5"),
        "a second one starts from it")
    first, second = table("first.csv"), table("second.csv")
    check(len(second) == 24 and [(r["arm"], r["configuration"], r["loss"]) for r in first] ==
          [(r["arm"], r["configuration"], r["loss"]) for r in second[:12]], "earlier results come first")
    write("bad.csv", "arm,configuration,loss\na,{x: 7},1\n")
    refused("a configuration outside of the space", "bad.csv:2:3: configuration: ", "tune", "add.yaml", "--add", "bad.csv",
            "-o", "third.h5", "-s", "metric.maximize=true")
    write("bad.csv", "arm,configuration,loss\nz,{x: 0.7},1\n")
    refused("an arm that does not exist", "bad.csv:2:1: arm: expected the label of an arm, got 'z'", "tune", "add.yaml",
            "--add", "bad.csv", "-o", "third.h5")
    write("two.csv", "instance,arm,configuration,reward\ni,a,{x: 0.5},1\nj,a,{x: 0.25},2\nj,a,{x: 0.75},3\n")
    refused("results of two instances", "two.csv: instance: results of several, such as 'i' and 'j', are of several tasks",
            "tune", "add.yaml", "--add", "two.csv", "-o", "third.h5")
    good(tune("add.yaml", text.replace("MAX", "true"), "-q", "--add", "two.csv", "-s", "instance=j", output="third.h5"),
         "results of two instances, one of them that of the tune file")
    check([r["loss"] for r in table("third.csv")][:2] == ["-2", "-3"], "only its own count")
    write("e.yaml", "problem: {arms: [{family: dirac, x: 1}]}\npolicies: [uniform]\nhorizons: [5]\n")
    refused("an experiment", "e.yaml:1:1: problem: a key of experiments", "tune", "e.yaml")
    good(tune("add.yaml", text.replace("MAX", "false"), "-q", output="least.h5"), "a metric to be minimised")
    check(min(float(r["loss"]) for r in table("least.csv")) < 0.6 and "metric: 0." in open("least.best.yaml").read(),
        "its losses are the metric")


def foreign_scripts():
    # As a script for SMAC3's TargetFunctionScriptRunner and a target runner of irace would be written.
    program("smac.sh",
        "#!/bin/sh\nfor i in \"$@\"; do case $i in --x=*) x=${i#--x=} ;; --seed=*) s=${i#--seed=} ;; esac; done\n"
            "case $x in 0.0*) echo 'cost=0; runtime=1; status=CRASHED' ;; *) "
            "echo noise; echo \"cost=$x; runtime=0.1; status=SUCCESS; additional_info=seed $s\" ;; esac\n")
    program("target-runner",
        "#!/bin/sh\n[ $# -eq 6 ] || { echo \"$0: $#\" >&2; exit 1; }\n[ \"$5\" = --x ] && echo \"$6\" 0.5\n")
    arms = "arms: [{label: a, space: {x: {real: [0, 1]}}}]\npolicy: uniform\nbudget: {evaluations: 15}\n"
    done = tune("smac.yaml", "command: [./smac.sh, '--seed={seed}', '{args}']\nmetric: {smac: true}\n" + arms, "-q", "--force")
    good(done, "a script for SMAC")
    times, values = table("o.times.csv"), table("o.csv")
    check(all((r["why"] == "the program reports status=CRASHED") == ("{x: 0.0" in v["configuration"]) for r, v in zip(times,
        values))
          and any(r["why"] for r in times), "its status counts")
    check(all(v["loss"] in v["configuration"] for r, v in zip(times, values) if not r["why"]), "its cost is the loss")
    done = tune("irace.yaml",
        "command: [./target-runner, '{trial}', '1', '{seed}', instance, '{args}']\nargs: ['--{name}', '{value}']\n"
                "metric: {irace: true}\n" + arms, "-q", "--force")
    good(done, "a target runner of irace")
    check(all(v["loss"] in v["configuration"] for v in table("o.csv")) and len(table("o.csv")) == 15, "its cost is the loss")


def other_metrics():
    arms = "arms: [{label: a, space: {x: {real: [0, 1]}}}]\npolicy: uniform\nbudget: {evaluations: 1}\n"
    for text, metric, value in (
            ('{"val": {"acc": [0.1, 0.7]}}', "json: val.acc.1", 0.7), ('log\n{"acc": 1}\n{"acc": 0.25}\nbye', "json: acc",
                0.25),
            ('{\n "acc": 0.5\n}', "json: acc", 0.5), ("acc=0.1 (x)\nacc=0.9 (y)\n7", "regex: 'acc=([0-9.]+)'", 0.9),
            ("v1.2.3 ran\nscore: -1.5e-3", "last_number: true", -0.0015), ("Accuracy = 83.7037%", "last_number: true",
                83.7037),
            ("12 34.", "last_number: true", 34), ("took 3s, final 9", "last_number: true", 9)):
        write("text", text)
        done = tune("m.yaml", f"command: [cat, text]\nmetric: {{{metric}, maximize: true}}\n{arms}", "-q", "--force")
        found = [line for line in open("o.best.yaml") if line.startswith("metric:")] if not done.returncode else done.stderr
        check(found == [f"metric: {value:g}\n"] or not done.returncode and float(found[0].split()[1]) == value,
              f"{metric} of {text!r}: {found}")
    done = tune("m.yaml",
        "command: [sh, -c, 'echo 5; echo 0.5 >{directory}/score']\n"
         "metric: {last_number: true, file: score, maximize: true}\n" + arms,
                "-q", "--force")
    good(done, "the metric in a file")
    check("metric: 0.5\n" in open("o.best.yaml").read(), "is read from there")
    done = tune("m.yaml", "command: [sh, -c, 'sleep 1.2; echo 0.5']\nmetric: {last_number: true, maximize: true}\n" + arms,
                "-q", "--force")
    check(done.returncode == 0 and "metric: 0.5\n" in open("o.best.yaml").read(), "without `timeout` there is none")
    tune("m.yaml", "command: [sh, -c, 'test {trial} != 1 || sleep 60; echo 0.5']\n"
         "metric: {last_number: true, maximize: true}\ntimeout: 0.25\n" + arms,
         "-q", "--force", "-s", "budget.evaluations=2")
    why = [r["why"] for r in table("o.times.csv")]
    check(why == ["ended after 0.25 s (timeout)", ""], f"a timeout below one second: {why}")


def order_of_finish():
    """With `order: finish` a slow trial holds up nobody: the others go on, and every result is that of its own trial."""
    text = """
command: [sh, -c, "i={trial}; while [ $i = 1 -a ! -e end11 ]; do sleep 0.05; done; >end{trial}; echo {x}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}, {label: b, space: {x: {real: [2, 3]}}, optimizer: random}]
policy: uniform
budget: {evaluations: 12}
lag: 2
workers: 2
order: finish
timeout: 50
"""
    good(tune("order.yaml", text, "-q", "--force", output="order.h5"), "order: finish")
    found, ends = table("order.csv"), [os.stat(f"end{i}").st_mtime_ns for i in range(1, 13)]
    check(sum(e <= ends[0] for e in ends[1:]) >= 10, "others end before the slow trial does")
    reward = [abs(float(r["loss"])) for r in found]
    check(len(found) == 12 and sum(0 <= y <= 1 for y in reward) == 6 and sum(2 <= y <= 3 for y in reward) == 6 and
          len(set(reward)) == 12, f"every trial has a result of its own: {reward}")


def persistent_programs():
    name = f"worker-{mark()}.py"
    write(name, "import json, os, sys, time\nprint('loading')\nfor line in sys.stdin:\n"
          "    job = json.loads(line)\n    t, x = job['trial'], job['config']['x']\n"
          "    if t == 3: print('gone', file=sys.stderr); sys.exit(4)\n    if t == 5: time.sleep(1000)\n"
          "    if t == 6: os.close(1); time.sleep(1000)\n    if t == 8: print('{not json'); sys.stdout.flush(); continue\n"
          "    print('progress 1')\n    answer = {'error': 'out of luck'} if t == 7 else {'value': x}\n"
          "    print(json.dumps({'trial': t, **answer}), flush=True)\n")
    text = """
worker: [/usr/bin/python3, "{here}/NAME"]
metric: {maximize: true}
timeout: 2
grace: 0.1
arms: [{label: a, space: {x: {real: [0, 1]}}}, {label: b, space: {x: {real: [0, 0.5]}}}]
policy: max_ucb
budget: {evaluations: 16}
lag: 4
workers: WORKERS
"""
    results = []
    for workers in (1, 3):
        good(tune("worker.yaml", text.replace("WORKERS", str(workers)).replace("NAME", name), "-q", "--force"),
            f"a persistent program, {workers} workers")
        results.append(file_md5("o.csv"))
        why = {int(r["trial"]): r["why"] for r in table("o.times.csv") if r["why"]}
    check(results[0] == results[1], "the same trials for 1 and 3 workers")
    check(why.get(3) == "exit code 4: gone" and why.get(5) == "ended after 2 s (timeout)" and why.get(7) == '"out of luck"' or
          why.get(7) == "out of luck", f"its failures: {why}")
    check(why.get(6) == "the program closed its output" and len(why) == 5,
        f"its silence and its nonsense: {why.get(6)}, {why.get(8)}")
    check(gone(name), "it ends with the run")


def requests():
    """A request that a pipe does not hold arrives as a whole, at a program that reads it late. Where some arms have a command,
    the persistent program keeps its slot. A result begins with the first trial that may be the best."""
    program("late.py", "#!/usr/bin/python3\nimport json, sys, time\nprint('start', file=open('starts', 'a'))\ntime.sleep(0.1)\n"
            "for line in sys.stdin:\n    job = json.loads(line)\n    x = sum(map(len, job['config'].values()))\n"
            "    print(json.dumps({'trial': job['trial'], 'value': x}), flush=True)\n")
    base = "metric: {last_number: true, maximize: true}\npolicy: uniform\nlag: 2\nworkers: 2\nbudget: {evaluations: 6}\n"
    space = "".join(f"h{i}: {{categorical: [{'u' * 30000}, {'v' * 35000}]}}, " for i in range(3))
    served = "worker: ['{here}/late.py']\n"
    good(tune("l.yaml", f"{base}{served}arms: [{{label: a, space: {{{space}}}, optimizer: random}}]\n", "-q"), "large requests")
    found = table("o.csv")
    check([float(r["value"]) for r in found] == [30000 * (n := r["configuration"].count("u") // 30000) + 35000 * (3 - n)
                                                 for r in found] and len({r["value"] for r in found}) > 1, "arrive as they are")
    seconds = [float(r["seconds"]) for r in table("o.times.csv")]
    check(min(seconds) > 0 and 0.1 <= max(seconds) < 60, f"the time of their trials is measured: {seconds}")
    os.remove("starts")
    both = ("arms: [{label: a, space: {x: {categorical: [u, vv]}}}, "
            "{label: b, command: [echo, '3'], space: {x: {real: [0, 1]}}}]\n")
    good(tune("b.yaml", base + served + both, "-q", output="b.h5"), "a persistent program and commands")
    check(open("starts").read() == "start\n" and len(table("b.csv")) == 6, "it is started once")
    check(min(int(r["horizon"]) for r in rows(run("summary", "b.h5", "--csv"))) == 2, "horizons begin with a trial of each arm")
    good(tune("f.yaml", f"{base}command: [sh, -c, 'test {{trial}} -gt 3 && echo {{x}}']\n"
              "arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]\n", "-q", output="f.h5"), "three failures first")
    write("e.yaml", base + "command: [env]\narms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]\n")
    subprocess.run([MAXK, "tune", "e.yaml", "-q", "-o", "e.h5"], capture_output=True,
                   env={**os.environ, "LC_ALL": "C.UTF-8", "LANG": "C", "LC_TIME": "C"})
    locale = sorted(line for line in open("e.trials/1/stdout").read().splitlines() if line.startswith(("LANG=", "LC_")))
    check(locale == ["LANG=C.UTF-8", "LC_NUMERIC=C"], f"LC_ALL becomes LANG, and numbers have a point: {locale}")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    subprocess.run([MAXK, "tune", "e.yaml", "-q", "-o", "e.h5", "--force"], capture_output=True,
                   env={**kept, "LANG": "C.UTF-8", "LC_TIME": "C", "LC_NUMERIC": "C.UTF-8"})
    locale = sorted(line for line in open("e.trials/1/stdout").read().splitlines() if line.startswith(("LANG=", "LC_")))
    check(locale == ["LANG=C.UTF-8", "LC_NUMERIC=C", "LC_TIME=C"], f"without it the others are as they were: {locale}")
    best = [max(float(r["value"]) for r in table("f.csv")[3:n]) for n in (4, 5, 6)]
    shown = rows(run("summary", "f.h5", "--csv"))
    check([r["horizon"] for r in shown] == ["4", "5", "6"] and all(lib.close(r["mean_max"], x) for r, x in zip(shown, best)),
          f"horizons from the first success on: {shown}, best {best}")


def untrusted_programs():
    """A result is only what the program wrote as the answer to this trial."""
    base = "arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]\n"
    base += "policy: uniform\nbudget: {evaluations: 6}\nlag: 1\n"
    served = "worker: [/usr/bin/python3, '{here}/w.py']\nmetric: {maximize: true}\ntimeout: 5\n" + base
    loop = "import json, os, sys, time\nfor line in sys.stdin:\n    t = json.loads(line)['trial']\n"
    named = "    print('{\"trial\": %d, \"value\": %d}' % (t, t), flush=True)\n"
    plain = named.replace("    print", "    if t == 1: print") + "    else:\n    " + (
        named.replace('\"trial\": %d, ', "").replace("(t, t)", "t"))
    late = "    time.sleep(0.05)\n" + named.replace("(t, t)", "(t, 1000 + t)")
    ends = "    os.kill(os.getpid(), 11) if t == 4 else sys.exit(t % 3)\n"
    everything, unnamed = {t: float(t) for t in range(1, 7)}, "the answer has no \"trial\": expected that of the request, N"
    for text, what, want, why in (
            ("    if t == 2: print('{\"level\": 1}', flush=True); time.sleep(0.05)\n" + named, "a line of JSON too many", {2},
             unnamed),
            (named + named, "every answer twice", everything, ""),
            (named + late, "a second answer that comes late", everything, ""),
            (named.replace("(t, t)", "(t if t != 3 else 2, t)"), "an answer to another trial", {3}, "the answer is to trial 2"),
            (named + ends, "a program that ends after its answer, somehow", everything, ""),
            (named + "    time.sleep(0.05)\n" + ends, "a moment after it", everything, ""),
            ("    if t > 1: sys.exit(3)\n" + named, "a program that ends before its answer", {2, 3, 4, 5, 6}, "exit code 3"),
            (plain, "answers that name no trial", {2, 3, 4, 5, 6}, unnamed), (plain, "answers that need not", everything, ""),
            (named.replace("(t, t)", "(1, t)"), "answers that need not, but do", {2, 3, 4, 5, 6}, "the answer is to trial 1")):
        options = ["-s", "answers=unnamed"] if "need not" in what else []
        lost = want if isinstance(want, set) else set()
        write("w.py", loop + text)
        done = tune("w.yaml", served, "-q", "--force", *options)
        good(done, what)
        told = {int(r["trial"]): r["why"] for r in table("o.times.csv")}
        got = {i: -float(r["loss"]) for i, r in enumerate(table("o.csv"), 1) if not told[i]}
        right = all(told[t] == why.replace("N", str(t)) for t in lost)
        check(right and got == {t: float(t) for t in everything if t not in lost}, f"{what}: {got}, {told}")
    # What is left of a line after an answer, which is not an object, is dropped; the program stays.
    write("w.py", "open('starts', 'a').write('x')\n" + loop + "    time.sleep(0.02)\n" + named.replace("}'", "}\\n-{'")
          .replace("flush=True", "flush=True, end=''"))
    good(tune("w.yaml", served, "-q", "--force"), "a line that is begun")
    check({r["why"] for r in table("o.times.csv")} == {""} and len(open("starts").read()) == 1, "the program goes on")
    write("w.py", loop.replace("sys.stdin", "sys.stdin.buffer") +
          "    sys.stdout.buffer.write(b'{' + bytes(1) + b'x' * 100000 + b'\\n'); sys.stdout.buffer.flush()\n")
    done = tune("w.yaml", served, "-q", "--force")
    with open("o.trials/1/stdout", "rb") as f:
        kept = f.read()
    check(done.returncode == 1 and kept == b"{" + bytes(1) + b"x" * 100000 + b"\n",
          f"a byte 0 in an answer: {len(kept)} bytes kept")
    begin = time.time()
    done = tune("w.yaml", served.replace("/usr/bin/python3, '{here}/w.py'", "'yes', ''").replace("timeout: 5", "timeout: 1")
                .replace("evaluations: 6", "evaluations: 1"), "-q", "--force")
    check(done.returncode == 1 and time.time() - begin < 20, f"empty lines without end: {done.stderr.strip()}")
    if "de_DE.utf8" in subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split():
        comma = {"LC_ALL": "de_DE.UTF-8"}
    else:
        comma = {"LC_NUMERIC": "xx_XX.UTF-8"}  # is not handed on either
    write("l.yaml", "command: [sh, -c, 'echo $LC_ALL $LC_NUMERIC >{directory}/l; echo 0.5']\n"
          "metric: {last_number: true, maximize: true}\n" + base)
    refused("answers without a worker", "answers: only of a worker", "tune", "l.yaml", "-s", "answers=unnamed")
    done = subprocess.run([MAXK, "tune", "l.yaml", "-q", "--force", "-o", "o.h5"],
                          env={**os.environ, **comma}, capture_output=True, text=True)
    check(not done.returncode and open("o.trials/1/l").read() == "C\n", f"programs print numbers with a point {done.stderr}")


def machine_errors():
    """What fails for want of processes, descriptors or space is not a result."""
    base = "arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]\n"
    base += "policy: uniform\nbudget: {evaluations: 6}\nlag: 6\n"
    text = "command: [sh, -c, 'sleep 0.2; echo {x}']\nmetric: {last_number: true, maximize: true}\n" + base
    good(tune("whole.yaml", "name: m\n" + text, "-q", output="whole.h5"), "with room enough")
    write("m.yaml", "name: m\n" + text)
    done = subprocess.run(["prlimit", "--nofile=40", MAXK, "tune", "m.yaml", "-q", "-o", "m.h5", "-s", "workers=6"],
                          capture_output=True, text=True)
    check(done.returncode == 2 and "workers: 6 need 74 open files, the limit is 40" in done.stderr,
          f"few descriptors: {done.stderr}")
    # Then none is left; and as many as the start of a program takes, so that those of the process that watches it are missing.
    # The journal is the last one that is open between trials; what is above it belongs to a trial, and varies.
    for output, more, part in (("m", 2, "none is left"), ("n", 6, "none for the process that watches")):
        child = subprocess.Popen([MAXK, "tune", "m.yaml", "-q", "-o", f"{output}.h5", "-s", "workers=1"],
                                 stderr=subprocess.PIPE, text=True)
        journal = f"{output}.trials/journal"
        while not os.path.exists(journal) or "\nend 1 " not in open(journal).read():
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGSTOP)
        open_files = {os.readlink(entry.path): int(entry.name) for entry in os.scandir(f"/proc/{child.pid}/fd")}
        most = open_files[os.path.abspath(journal)] + more
        subprocess.run(["prlimit", f"--pid={child.pid}", f"--nofile={most}"])
        os.kill(child.pid, signal.SIGCONT)
        said = child.communicate(timeout=LIMIT)[1]
        check(child.returncode == 1 and "Too many open files" in said, f"descriptors: {part}: {said.strip()}")
        good(tune("m.yaml", "name: m\n" + text, "-q", "--resume", output=f"{output}.h5"), "resumed")
        check(file_md5(f"{output}.csv") == file_md5("whole.csv"), "nothing was counted")
    if os.geteuid() == 0:
        os.makedirs("few", mode=0o777)
        os.chmod("few", 0o777)
        os.chmod(".", 0o755)
        program = shutil.copy(MAXK, "few")  # which that user can run wherever the checkout is
        few = ["setpriv", "--reuid=54321", "--clear-groups", "prlimit", "--nproc=2"]
        done = subprocess.run([*few, program, "tune", "m.yaml", "-q", "-o", "few/m.h5"], capture_output=True, text=True)
        check(done.returncode == 1 and "Resource temporarily unavailable" in done.stderr,
              f"no processes are left: {done.stderr.strip()}")
    # A program that is still being written when it is started, for a moment.
    shutil.copy("/bin/echo", "late")
    written = open("late", "r+b")
    threading.Timer(0.3, written.close).start()
    good(tune("late.yaml", text.replace("[sh, -c, 'sleep 0.2; echo {x}']", "[./late, '{x}']"), "-q", output="late.h5"),
         "a program that is open for writing is tried again")
    closed = subprocess.run(["bash", "-c", f'"{MAXK}" tune m.yaml -q -o closed.h5 >&- <&-'], capture_output=True, text=True)
    check(not closed.returncode and file_md5("closed.csv") == file_md5("whole.csv"),
          f"standard streams are closed: {closed.stderr.strip()}")
    loud = subprocess.run(["bash", "-c", f'"{MAXK}" tune m.yaml -o loud.h5 >&-'], capture_output=True, text=True)
    with open("loud.trials/journal") as f:
        check(f.read(9) == "maxk tune", f"progress does not go into the journal: {loud.stderr.strip()}")


def two_tuners():
    text = """
command: [sh, -c, "sleep 0.25; echo {x}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]
policy: uniform
budget: {evaluations: 8}
"""
    good(tune("two.yaml", text, "-q", output="two.h5"), "a first run")
    command = [MAXK, "tune", "two.yaml", "-q", "-o", "two.h5"]
    both = refusals = 0
    for _ in range(3):
        pair = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [p.communicate(timeout=LIMIT)[1] for p in pair]
        both += all(p.returncode == 0 for p in pair)
        refusals += sum(p.returncode == 2 and "two.trials: in use by another process" in s for p, s in zip(pair, said))
    check(both == 0 and refusals == 3, f"two tuners at a time on one folder: {refusals} of 3 refused, {both} times both ran")
    check(not os.path.exists("two.trials.lock"), "no lock is left")


def best_command():
    """The command of OUT.best.yaml and those of the trials run as they stand, with the variables of their trial."""
    program("read.py", f"""#!{sys.executable}
import json, os
e = os.environ
print(e["MAXK_ARM"], json.load(open(e["MAXK_CONFIG"]))["x"], os.path.isdir(e["MAXK_DIRECTORY"]))
print(int(e["MAXK_SEED"]) % 997 / int(e["MAXK_TRIAL"]))
""")
    rest = """
metric: {last_number: true, maximize: true}
arms: [{label: "it's $a", space: {x: {real: [0, 1]}}, optimizer: random}]
policy: uniform
budget: {evaluations: 4}
"""
    for what, words in (("shell", "shell: 'echo \"$MAXK_ARM\" {x} >&2; ./read.py; echo $((MAXK_SEED % 997 * MAXK_TRIAL))'"),
                        ("command", "command: [./read.py]")):
        good(tune("best.yaml", words + rest, "-q", "--force"), f"a study with `{what}`")
        best = yaml.safe_load(open("o.best.yaml"))
        without = {k: v for k, v in os.environ.items() if not k.startswith("MAXK_")}
        again = subprocess.run(best["command"], shell=True, env=without, capture_output=True, text=True)
        first = open(f"o.trials/{best['trial']}/stdout").read()
        check(again.returncode == 0 and again.stdout == first and f"it's $a {best['configuration']['x']} True\n" in first and
              float(first.split()[-1]) == best["metric"], f"`{what}`: its command prints the same: {again}")
        of_trial = subprocess.run(["sh", "o.trials/2/command"], env=without, capture_output=True, text=True)
        check(of_trial.stdout == open("o.trials/2/stdout").read(), f"`{what}`: that of a trial, too: {of_trial}")


def spaces():
    """Ranges and spaces with one value, for every optimiser; what a comparison forbids is not tried."""
    text = """
command: [echo, "{r}", "{i}", "{w}", "{x}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {r: {real: [2.5, 2.5]}, i: {integer: [3, 3], log: true}, w: {categorical: [one]}, x: X}, optimizer: O}]
policy: uniform
budget: {evaluations: 7}
"""
    for optimizer in ("random", "tpe", "rf", "evolution", "gp", "cma_es", "grid"):
        for x, most in (("{constant: 4}", 1), ("{real: [0, 1]}", 7)):
            done = tune("one.yaml", text.replace("O}", optimizer + "}").replace("X", x), "-q", "--force")
            found = [open(f"o.trials/{n}/stdout").read().split() for n in range(1, 8)] if not done.returncode else done.stderr
            check(not done.returncode and all(words[:3] == ["2.5", "3", "one"] for words in found) and
                  len({words[3] for words in found}) == min(most, 5 if optimizer == "grid" else 7),
                  f"{optimizer}, x: {x}: {found}")
    forbid = ("x: {real: [0, 1]}, y: {integer: [1, 9]}, k: {categorical: [a, b]}, "
              'forbid: [{x: "> 0.5", k: a}, {y: [2, 3], k: b}, {y: ">= 7"}]')
    for optimizer in ("random", "tpe", "evolution"):
        good(tune("forbid.yaml", f"""
command: [echo, "{{x}}"]
metric: {{last_number: true, maximize: true}}
arms: [{{label: a, space: {{{forbid}}}, optimizer: {optimizer}}}]
policy: uniform
budget: {{evaluations: 60}}
""", "-q", "--force"), f"{optimizer}: combinations forbidden by comparisons")
        tried = [yaml.safe_load(open(f"o.trials/{n}/config.json")) for n in range(1, 61)]
        check(not [t for t in tried if t["x"] > 0.5 and t["k"] == "a" or t["y"] in (2, 3) and t["k"] == "b" or t["y"] >= 7] and
              any(t["x"] > 0.5 for t in tried) and any(t["x"] < 0.5 for t in tried), f"{optimizer}: none of them was tried")


LAUNCHED = """
command: [sh, -c, "echo $STAGE >>ran; awk 'BEGIN {{print 1 - ({x} - 0.3) ^ 2}}'"]
launcher: [env, "STAGE=a b"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}}]
policy: max_ucb
budget: {evaluations: 6}
"""


def launchers():
    """Words before every program: they get it whole, and no trial depends on them."""
    good(tune("l.yaml", LAUNCHED, "-q"), "a launcher")
    check(open("ran").read() == "a b\n" * 6, "has started every program")
    check("STAGE=" not in open("o.best.yaml").read(), "and is not part of its command")
    first = table("o.csv")
    good(tune("l.yaml", LAUNCHED.replace("6}", "9}").replace("a b", "c"), "-q", "--resume"), "another one for the rest")
    check(open("ran").read() == "a b\n" * 6 + "c\n" * 3 and table("o.csv")[:6] == first, "of the same run")
    worker = """import json, os, sys
for line in sys.stdin:
    print(json.dumps({"trial": json.loads(line)["trial"], "value": len(os.environ["STAGE"])}), flush=True)
"""
    write("worker.py", worker)
    good(tune("w.yaml", LAUNCHED.replace("""command: [sh, -c, "echo $STAGE >>ran; awk 'BEGIN {{print 1 - ({x} - 0.3) ^ 2}}'"]""",
                                         f"worker: [{sys.executable}, worker.py]").replace("{last_number: true, ", "{"), "-q",
              output="w.h5"), "a launcher of a persistent program")
    check(all(float(row["loss"]) == -3 for row in table("w.csv")), "has started it")
    write("bad.yaml", LAUNCHED.replace('[env, "STAGE=a b"]', "srun"))
    refused("no list", "launcher: expected", "tune", "bad.yaml", "-o", "bad.h5")


GROWING = """
command: [awk, "BEGIN {{print 1 - ({x} - 0.3) ^ 2}}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: {name: tpe, init: 5}},
       {label: b, space: {x: {real: [0.8, 1]}}}, {label: c, space: {x: {real: [0.9, 1]}}, optimizer: random}]
policy: POLICY
lag: 3
budget: {evaluations: N}
"""


def growing(n, policy="max_ucb"):
    return GROWING.replace("N}", f"{n}}}").replace("POLICY", policy)


def larger_budgets():
    """A run with a larger budget is the longer run from the start, trial by trial, complete or interrupted before."""
    good(tune("grow.yaml", growing(30), "-q", output="all.h5"), "a run of 30")
    good(tune("grow.yaml", growing(12), "-q", output="grown.h5"), "a run of 12")
    first = table("grown.csv")
    done = tune("grow.yaml", growing(20), "--resume", output="grown.h5")
    check(good(done, "extended to 20") and "20 trials, 12 of them resumed" in done.stdout, done.stdout[-200:])
    check(table("grown.csv")[:12] == first == table("all.csv")[:12], "has the same first trials")
    refused("fewer than it has", "grown.trials/journal: contains 20 trials; expected budget: evaluations: of at least as many",
            "tune", "grow.yaml", "-o", "grown.h5", "--resume", "-s", "budget.evaluations=19")
    child = subprocess.Popen([MAXK, "tune", "grow.yaml", "-q", "--resume", "-o", "grown.h5", "-s", "budget.evaluations=900"])
    while sum(line.startswith("end ") for line in open("grown.trials/journal")) < 24:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait(LIMIT)
    refused("an interrupted extension", "continue with --resume, or start over with --force", "tune", "grow.yaml", "-o",
            "grown.h5")
    asked = sum(line.startswith("ask ") for line in open("grown.trials/journal"))
    good(tune("grow.yaml", growing(asked + 5), "-q", "--resume", output="grown.h5"),
         "an interrupted extension, with another budget")
    os.mkdir("start")
    os.chdir("start")
    good(tune("grow.yaml", growing(asked + 5), "-q", output="grown.h5"), "the same from the start")
    os.chdir("..")
    same = subprocess.run(["h5diff", "--exclude-path", "/provenance/volatile", "start/grown.h5", "grown.h5"], capture_output=True,
                          text=True)
    check(file_md5("start/grown.csv") == file_md5("grown.csv") and same.returncode == 0 and
          file_md5("start/grown.best.yaml") == file_md5("grown.best.yaml"), f"are the run of this budget: {same.stdout[:200]}")
    done = tune("grow.yaml", growing(asked + 5), "--resume", output="grown.h5")
    check(f"{asked + 5} of them resumed" in done.stdout, "which is complete")
    good(tune("bare.yaml", growing(12), "-q", output="bare.h5"), "a file in which arm b has no optimizer")
    done = tune("bare.tune.yaml", open("bare.tune.yaml").read(), "--resume", output="bare.h5")
    check("12 of them resumed" in done.stdout, f"resumed by its resolved file: {done.stderr}")
    refused("another seed as well", "belongs to another run", "tune", "grow.yaml", "-o", "grown.h5", "--resume", "-s",
            "budget.evaluations=2000", "-s", "seed=3")
    good(tune("plans.yaml", growing(12, "successive_halving"), "-q", output="plans.h5"), "a policy that plans for its budget")
    refused("extended", "the policy or an optimiser plans for the budget", "tune", "plans.yaml", "-o", "plans.h5", "--resume",
            "-s", "budget.evaluations=90")


def earlier_files():
    """The files of a finished run are never overwritten silently."""
    endings = (".h5", ".csv", ".times.csv", ".best.yaml")
    kept = {}
    for n in range(1, 4):
        done = tune("keep.yaml", growing(4 + n), "-q", output="keep.h5")
        good(done, f"run {n}")
        ending = {1: "", 2: ".previous", 3: ".previous.2"}[n]
        check(done.stderr == (f"keep.h5: an earlier result; kept as keep.h5{ending}\n" if n > 1 else ""), done.stderr)
        check(n == 1 or [file_md5(f"keep{e}{ending}") for e in endings] == kept and
              os.path.exists(f"keep.trials{ending}/journal"), f"before run {n}")
        kept = [file_md5(f"keep{e}") for e in endings]
    good(tune("keep.yaml", growing(9), "-q", "--force", output="keep.h5"), "--force")
    check(not glob.glob("keep*.previous.3"), "keeps nothing")
    kept = file_md5("keep.csv")
    os.rename("keep.trials", "elsewhere")
    good(tune("keep.yaml", growing(5), "-q", output="keep.h5"), "a run whose folder is gone")
    check(file_md5("keep.csv.previous.3") == kept and not os.path.exists("keep.trials.previous.3"), "has its files kept")
    broken = growing(4).replace("print 1 - ({x} - 0.3) ^ 2", "print {x}; exit 3")
    done = tune("keep.yaml", broken, "-q", output="none.h5")
    check(done.returncode == 1 and "no trial succeeded, the last one: exit code 3" in done.stderr, done.stderr.strip())
    kept = file_md5("none.trials/journal")
    for n, option in enumerate(("-q", "--resume"), 1):
        done = tune("keep.yaml", broken, option, output="none.h5")
        ending = ".previous.2" if n == 2 else ".previous"
        check(done.returncode == 1 and f"an earlier result; kept as none.h5{ending}" in done.stderr and
              f"trials{ending}/4/stdout" in " ".join(glob.glob(f"none.trials{ending}/*/*")) and
              kept.count(b"end ") == 4 == file_md5(f"none.trials{ending}/journal").count(b"end "),
              f"a complete run without a success is kept, too ({option}): {done.stderr.strip()}")
    first_ten = broken.replace("evaluations: 4", "evaluations: 40")
    for _ in range(2):
        done = tune("keep.yaml", first_ten, "-q", output="ten.h5")
        check(done.returncode == 1 and done.stderr.count("\n") == 1 and "the first 10 trials failed" in done.stderr,
              f"one that has ended early is replaced: {done.stderr.strip()}")
    check(not glob.glob("ten*.previous"), "and not kept")


def plans():
    """What a budget cannot do is said before the first trial."""
    write("ran.sh", "touch ran; echo $1")
    text = """
command: [sh, ran.sh, "{x}", "{fidelity}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}}, {label: b, space: {x: {real: [0, 1]}}}]
optimizer: OPTIMIZER
policy: uniform
budget: {evaluations: N}
"""
    def plan(optimizer, n):
        return tune("plan.yaml", text.replace("OPTIMIZER", optimizer).replace("N}", f"{n}}}"), "--force")
    for optimizer, first in (("{name: hyperband, R: 9}", 13), ("{name: bohb, R: 9}", 13),
                             ("{name: successive_halving, R: 9, n: 9}", 13)):
        done, name = plan(optimizer, first - 1), optimizer[7:].split(",")[0]
        check(done.returncode == 2 and f"whole evaluation of {name}, at the earliest trial {first} of 'a'" in done.stderr and
              not os.path.exists("ran"), f"{optimizer}: {done.stderr.strip()}")
        os.path.exists("ran") and os.remove("ran")
        done = plan(optimizer, 2 * first - 1)
        check(good(done, f"{optimizer}: {2 * first - 1} trials") and
              f"in every arm, which takes at least {2 * first};" in done.stderr, done.stderr.strip())
        good(plan(optimizer, 2 * first), f"{optimizer}: {2 * first} trials")
        check(len({r["arm"] for r in table("o.csv")}) == 2, "both arms")
        os.remove("ran")
    races = "{name: irace, instances: 6, first: 3}"
    for n, whole in ((5, False), (150, True)):  # races are planned for the budget, whether B repeats it or not
        for optimizer in (races, races.replace("3}", f"3, B: {n}}}")):
            one = text.replace(", {label: b, space: {x: {real: [0, 1]}}}", "").replace("OPTIMIZER", optimizer)
            done = tune("plan.yaml", one.replace("N}", f"{n}}}"), "--force")
            check(done.returncode == (0 if whole else 2) and
                  (whole or "first whole evaluation of irace of 'a'; expected more trials, or fewer instances" in done.stderr),
                  f"{optimizer}, {n} trials: {done.stderr.strip()}")
    done = plan("{name: tpe, init: 4}", 8)
    check(good(done, "initial designs") and "8 trials are no more than the initial designs (init: 8 in all)" in done.stderr,
          done.stderr.strip())
    done = plan("{name: tpe, init: 4}", 9)
    check(good(done, "and one more") and done.stderr == "", done.stderr.strip())
    text = text.replace("{label: b", "{label: c, space: {x: {real: [0, 1]}}}, {label: d, space: {x: {real: [0, 1]}}}, {label: b")
    done = plan("rf", 16)
    check(good(done, "of rf") and "16 trials are no more than the initial designs (init: 16 in all)" in done.stderr,
          done.stderr.strip())
    done = plan("{name: rf, most_init: 3}", 16)
    check(good(done, "smaller ones") and done.stderr == "", done.stderr.strip())


def seconds_alone():
    """A budget of seconds without a number of trials; --resume continues it."""
    def text(seconds):
        return growing(1).replace("evaluations: 1", f"seconds: {seconds}")
    done = tune("time.yaml", text(0.6), output="time.h5")
    first = table("time.csv") if good(done, "seconds alone") else []
    check(first and "the budget of seconds is used up" in done.stdout, done.stdout[-200:])
    done = tune("time.yaml", text(1.2), "--resume", output="time.h5")
    check(good(done, "with more seconds") and f"{len(first)} of them resumed" in done.stdout, done.stdout[-200:])
    longer = table("time.csv")
    check(len(longer) > len(first) and longer[:len(first)] == first, f"{len(first)} trials, then {len(longer)}")
    worker = ("import json, sys\nfor line in sys.stdin:\n"
              " job = json.loads(line)\n print(json.dumps({'trial': job['trial'], 'value': job['config']['x']}), flush=True)\n")
    write("answer.py", worker)
    quick = text(2).replace(GROWING.splitlines()[1], "worker: [/usr/bin/python3, answer.py]").replace("max_ucb", "uniform")
    quick = quick.replace("{name: tpe, init: 5}", "random") + "optimizer: random\n"
    trials = 0
    for seconds in range(2, 100, 4):  # of a machine that is busy more are needed
        done = tune("many.yaml", quick, "-q", "--resume", "-s", f"budget.seconds={seconds}", output="many.h5")
        trials = len(table("many.csv")) if done.returncode == 0 else 0
        if done.returncode or trials > 1000:
            break
    check(good(done, "more trials than are planned for at first") and trials > 1000, f"{trials} trials")
    refused("neither", "evaluations: missing", "tune", "time.yaml", "-s", "budget={}")
    refused("a policy that plans", "successive_halving plans for the number of trials", "tune", "time.yaml", "-s",
            "policy=successive_halving")
    refused("a recording", "evaluations: missing; expected the number of trials to record", "record", "time.yaml", "-o", "t.csv")


def stale_files():
    """A file with the metric that an earlier attempt or an earlier run has written is not read."""
    text = """
command: [sh, -c, "test -e once && exit; touch once; echo 9 >{directory}/m; exit CODE"]
metric: {last_number: true, maximize: true, file: m}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]
policy: uniform
budget: {evaluations: 1}
retries: RETRIES
"""
    for code, retries, again in ((3, 1, "a second attempt"), (0, 0, "a second run")):
        one = text.replace("CODE", str(code)).replace("RETRIES", str(retries))
        if not code:
            os.remove("once")
            good(tune("m.yaml", one, "-q", "--force"), "a first run")
            check(float(table("o.csv")[0]["loss"]) == -9, "reads the file")
        done = tune("m.yaml", one, "--force")
        check(done.returncode == 1 and "o.trials/1/m: No such file or directory" in done.stdout + done.stderr,
              f"{again} that writes none: {done.stdout.strip()} {done.stderr.strip()}")
    os.remove("once")
    further = text.replace("CODE", "3").replace("RETRIES", "1") + "metrics: {n: {last_number: true, file: n}}\n"
    for old, new in (("test -e once", "echo 5 >{directory}/m; test -e once"), ("echo 9 >{directory}/m", "echo 7 >{directory}/n")):
        further = further.replace(old, new)
    good(tune("m.yaml", further, "-q", "--force"), "a second attempt that writes the metric, but no further one")
    found = table("o.csv")[0]
    check(found["status"] == "ok" and float(found["value"]) == 5 and found["metrics.n"] == "", f"knows none: {found}")


def one_rule_for_failures():
    """Crashes, timeouts and trials without a metric count alike: as the worst reward of the arm so far, or as a value."""
    write("fails.sh", "case $1 in 2) echo 5;; 3) echo 3;; 5|8) sleep 9;; 6) echo no;; 7) echo 1;; *) exit 3;; esac\n")
    text = """
command: [sh, fails.sh, "{trial}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]
policy: uniform
timeout: 0.3
lag: 1
budget: {evaluations: 8}
"""
    for rule, losses in (("worst", [-5, -5, -3, -3, -3, -3, -1, -1]), ("{value: -7}", [7, -5, -3, 7, 7, 7, -1, 7])):
        good(tune("fails.yaml", text + f"crash: {rule}\n", "-q", output="fails.h5"), rule)
        found = [float(r["loss"]) for r in table("fails.csv")]
        check(found == losses and "trial: 2\n" in open("fails.best.yaml").read(), f"{rule}: {found}")


def progress():
    """Every ten seconds a line on the whole run."""
    done = tune("long.yaml", """
name: long
command: [sh, -c, "sleep 3.5; test {trial} != 2 && echo {trial}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}, optimizer: random}]
policy: uniform
budget: {evaluations: 5}
""", output="long.h5")
    lines = [line for line in done.stdout.splitlines() if line.startswith("long: ")]
    check(good(done, "a run of 17 s") and len(lines) == 1 and
          re.fullmatch(r"long: ([34]) of 5 trials, 0 running, 1 failed \(\d+ %\), best \1 by a, \d+ s, left \d+ s", lines[0]),
          f"{lines}")


def failures_from_the_start():
    text = """
command: [sh, -c, "echo 'cannot open data.csv' >&2; exit 1"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {real: [0, 1]}}}, {label: b, space: {x: {real: [0, 1]}}}]
policy: max_ucb
budget: {evaluations: 500}
"""
    done = tune("fail.yaml", text, "-q", "--force", output="fail.h5")
    check(done.returncode == 1
        and done.stderr == "fail.yaml: the first 10 trials failed, the last one: exit code 1: cannot open data.csv\n"
          and len(glob.glob("fail.trials/*/stdout")) < 30, f"failures from the start end the run: {done.stderr.strip()}")
    done = tune("fail.yaml", text.replace("exit 1", "echo {x}").replace("500", "20"), "-q", output="fail.h5")
    good(done, "and nothing is in the way of the next")
    solver = """
command: [sh, -c, "echo {x}; exit {c}"]
metric: {last_number: true, maximize: true}
success_codes: [10, 20]
arms: [{label: a, space: {x: {constant: 1}, c: {ordinal: [0, 10, 20, 30]}}, optimizer: grid}]
policy: uniform
budget: {evaluations: 4}
"""
    good(tune("solver.yaml", solver, "-q", output="solver.h5"), "exit codes of success")
    status = {r["configuration"].split("c: ")[1].rstrip("}").strip("'"): r["status"] for r in table("solver.csv")}
    check(status == {"0": "failed", "10": "ok", "20": "ok", "30": "failed"}, f"are these alone: {status}")
    retry = """
command: [sh, -c, "echo >>{directory}/runs; test $(wc -l <{directory}/runs) -ge {n} && echo 1"]
metric: {last_number: true, maximize: true}
retries: RETRIES
arms: [{label: a, space: {n: {integer: [1, 4]}}, optimizer: {name: grid, levels: 4}}]
policy: uniform
budget: {evaluations: 4}
"""
    for retries in (0, 1, 2):
        good(tune("retry.yaml", retry.replace("RETRIES", str(retries)), "-q", output=f"r{retries}.h5"), f"{retries} retries")
        found = [(int(re.search("n: ([0-9])", r["configuration"])[1]), r["status"]) for r in table(f"r{retries}.csv")]
        runs = [open(f"r{retries}.trials/{i}/runs").read().count("\n") for i in range(1, 5)]
        check(sorted(n for n, _ in found) == [1, 2, 3, 4] and all((status == "ok") == (n <= retries + 1) for n, status in found)
              and runs == [min(n, retries + 1) for n, _ in found], f"are {retries}, and no more: {found}, runs {runs}")


def other_commands():
    good(tune("slow.yaml", SLOW.replace("4713", str(mark())).replace("POLICY", "{name: max_ucb, alpha: 0.5}"), "-q",
              "--force"), "a run")
    summary = rows(run("summary", "--csv", "o.h5"))
    csv_rows = table("o.csv")
    for arm in ("one", "two", "three"):
        pulls = [r for r in summary if r.get("arm_label", r.get("arm")) == arm and r["horizon"] == "30"]
        check(len(pulls) == 1 and float(pulls[0]["mean_pulls"]) == sum(r["arm"] == arm for r in csv_rows),
            f"summary counts the trials of {arm}")
    for command in ("survey", "lu"):
        check(len(rows(run(command, "--csv", "o.csv"))) >= 3, f"{command} reads the trials")
    check("max_ucb" in run("info", "o.h5"), "info reads the result")
    drawn = tune("slow.yaml", SLOW.replace("4713", str(mark())).replace("POLICY", "{name: max_ucb, alpha: 0.5}"), "--resume",
                 "--figures", "figures")
    check("figures/slow_tune.png" in drawn.stdout and os.path.getsize("figures/slow_tune.png") > 10000,
        "the figure of a complete run")
    # Without results outstanding the policy plays as in a simulation: it can be followed to the end.
    good(tune("one.yaml", SLOW.replace("4713", str(mark())).replace("POLICY", "{name: max_ucb, alpha: 0.5}").replace("lag: 6",
        "lag: 1"), "-q", output="one.h5"), "a lag of 1")
    what = rows(run("tune", "one.yaml", "-o", "one.h5", "--csv", "--simulate", "{name: max_ucb, alpha: 0.5}", "--simulate",
        "uniform"))
    counts = {arm: sum(r["arm"] == arm for r in table("one.csv")) for arm in ("one", "two", "three")}
    check(what[0]["trials"] == "30" and what[0]["used_up"] == "" and
          what[0]["pulls"] == ", ".join(f"{arm} {n}" for arm, n in counts.items()),
              f"simulated, it pulls the same: {what[0]['pulls']}")
    check(int(what[1]["trials"]) == 3 * min(counts.values()) + sum(counts[arm] > min(counts.values()) for arm in
          list(counts)[:list(counts.values()).index(min(counts.values()))]) and what[1]["used_up"],
          f"another policy until an arm has no more trials: {what[1]}")
    shown = run("tune", "one.yaml", "-o", "one.h5", "--simulate", "uniform").splitlines()
    check(len(shown) == 4 and not shown[2] and shown[3].startswith("30 trials were evaluated: a policy is followed until"),
          f"people see a note: {shown}")
    combined = SLOW.replace("4713", str(mark())).replace("policy: POLICY", "combined: {optimizer: tpe}")
    good(tune("c.yaml", combined, "-q", output="c.h5"), "a combined search")
    both = table("c.csv")
    own, of_arms = [r for r in both if r["arm_index"] == "-1"], [r for r in both if r["arm_index"] != "-1"]
    check(len(own) == len(of_arms) == 30 and len({r["arm"] for r in own}) > 1 and
          [r["trial"] for r in own] == [str(i) for i in range(1, 31)] and
          sorted((int(r["trial"]), r["arm"], r["loss"]) for r in of_arms) ==
          [(int(r["trial"]), r["arm"], r["loss"]) for r in own],
          "it searches all arms; its trials are those of the arms too")
    summary = [r for r in rows(run("summary", "--csv", "c.h5")) if r["horizon"] == "30"]
    check({r["policy"] for r in summary} == {"combined tpe (-1)"} and
          all(float(r["mean_pulls"]) == sum(t["arm"] == r["arm_label"] for t in own) for r in summary if r["arm_label"]) and
          float(summary[0]["mean_max"]) == -min(float(r["loss"]) for r in own), f"its result file: {summary[:1]}")
    run("export", "c.h5", "--csv", "exported", "--tables")
    trials, seconds = table("exported/trials.csv"), {r["trial"]: r["seconds"] for r in table("c.times.csv")}
    check([{k: v for k, v in r.items() if k not in ("seconds", "why")} for r in trials] == both and
          [r["seconds"] for r in trials] == [seconds[r["trial"]] for r in trials] and float(trials[0]["seconds"]) > 0,
          "the table of trials: its rows, with their seconds")
    run("report", "c.h5", "-o", "c.html")
    check("Every trial of the study" in (page := open("c.html").read()) and f"<td>{own[3]['arm']}</td>" in page and
          own[3]["configuration"].replace("&", "&amp;") in page, "and on the page")
    check("one" in run("survey", "c.csv") and "best_reward" in run("figures", "c.h5", "-o", "of_c"), "survey and figures read it")
    for command in (["bounds", "c.h5"], ["rate", "c.h5"], ["exceed", "c.h5", "--above", "0"]):
        refused(f"{command[0]} of a combined search", "c.h5: only combined searches; expected a result with a policy", *command)
    refused("a combined search, followed by a policy", "expected trials that a policy has chosen, got a combined search", "tune",
            "c.yaml", "-o", "c.h5", "--simulate", "random")
    good(tune("more.yaml", combined.replace("combined: {optimizer: tpe}", "policy: random"), "-q",
              "--add", "c.csv", output="more.h5"),
         "a policy starts from its trials")
    check(len(table("more.csv")) == 30 + sum(r["status"] == "ok" for r in own), "each of them once")
    drawn = tune("c.yaml", combined, "--resume", "--figures", "combined", output="c.h5")
    check("combined/slow_tune.png" in drawn.stdout and os.path.getsize("combined/slow_tune.png") > 10000, "its figure")


def mistakes():
    base = {"command": "[echo, '{x}']", "metric": "{last_number: true, maximize: true}",
        "arms": "[{label: a, space: {x: {real: [0, 1]}}}]",
            "policy": "max_ucb", "budget": "{evaluations: 5}"}
    for key, value, place, what in (
            ("command", "[echo, '{y}']", "1:10", "command: unknown placeholder 'y'; allowed: x, arm, trial"),
            ("command", "[awk, '{print 1 - {x}}']", "1:10",
                "fidelity, config, directory, folder, bound, instance, here, args; {{ and }} are braces"),
            ("command", "[echo, '{x']", "1:10", "command: expected {NAME}, or {{ and }} for braces"),
            ("command", "[echo, 'a{args}']", "1:10", "command: expected {args} as a word of its own"),
            ("command", "[echo, '{args}']\nargs: ['']", "2:7", "args: expected a word with {name}, {last} or {value}, got none"),
            ("command", "[echo, '{args}']\nargs: [['{value}']]", "2:8", "args: expected a word, got a list"),
            ("metric", "{last_number: true}", "2:9", "maximize: missing; expected true"),
            ("metric", "{regex: '(', maximize: true}", "2:17", "regex: expected a POSIX extended regular expression"),
            ("metric", "{json: a, smac: true, maximize: true}", "2:", "metric: expected one of json and smac"),
            ("arms", "[]", "3:7", "arms: expected a list of at least one arm"),
            ("arms", "[{label: a, space: {x: {real: [1, 0]}}}]", "3:", "x"),
            ("arms", "[{label: a, space: {x: {real: [0, 1]}}, optimizer: tpee}]", "3:", "did you mean 'tpe'?"),
            ("arms", "[{label: a, space: {x: {real: [0, 1]}}}, {label: a, space: {x: {real: [0, 1]}}}]", "3:",
                "two arms have the label 'a'"),
            ("policy", "{name: max_ucb, alpha: [1, 2]}", "4:", "expected one policy, got 2"),
            ("policy", "max_ucbb", "4:9", "unknown policy 'max_ucbb' (did you mean 'max_ucb'?)"),
            ("policy", "oracle", "4:9", "must know the best arm in advance"),
            ("policy", "\ncombined: {optimizer: tpe, label: " + 101 * "x" + "}", "5:35", "label: expected 1 to 100 bytes"),
            ("budget", "{}", "5:9", "evaluations: missing"),
            ("budget", "{evaluations: 5}\nsuccess_codes: [256]", "6:17", "success_codes: expected a whole number"),
            ("budget", "{evaluations: 5}\nworkers: 9", "6:10", "workers: expected at most as many as lag (8)"),
            ("budget", "{evaluations: 5}\ntimeuot: 9", "6:1",
                "unknown key 'timeuot' for a tune file (did you mean 'timeout'?)")):
        write("bad.yaml", "".join(f"{k}: {value if k == key else v}\n" for k, v in base.items()))
        refused(f"{key}: {value}", f"bad.yaml:{place}", "tune", "bad.yaml", "-o", "bad.h5")
        check(what in refused(f"{key}", what, "tune", "bad.yaml", "-o", "bad.h5"), what)
    check(not os.path.exists("bad.trials"), "nothing is left of them")


def reevaluations():
    """The best configuration evaluated again: other seeds, the same trials and values for any number of workers, more of them
    later, failures counted, none in the budget."""
    program("noisy.py", "#!/usr/bin/python3\nimport os, random, sys\n"
            "random.seed(int(os.environ['MAXK_SEED']))\nx, noise = float(sys.argv[1]), random.gauss(0, 0.3)\n"
            "if os.path.exists('fail') and int(os.environ['MAXK_TRIAL']) % 2: sys.exit(3)\n"
            "print(1 - (x - 0.3) ** 2 + noise)\n")
    text = """
command: [./noisy.py, "{x}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, optimizer: random, space: {x: {real: [0, 1]}}}, {label: b, optimizer: random, space: {x: {real: [0.5, 1]}}}]
policy: {name: max_ucb, alpha: 0.5}
budget: {evaluations: 20}
"""

    def again(*options, output):
        done = tune("again.yaml", text, *options, output=f"{output}.h5")
        good(done, f"runs {options}")
        return [{k: v for k, v in row.items() if k != "seconds"} for row in table(f"{output}.reevaluations.csv")], done.stdout
    good(tune("again.yaml", text, "-q", output="plain.h5"), "no re-evaluations")
    check(not os.path.exists("plain.reevaluations.csv") and "reevaluated" not in open("plain.best.yaml").read(), "leave no file")
    seven, printed = again("-s", "reevaluate=7", output="o1")
    values = [float(row["value"]) for row in seven]
    mean = sum(values) / 7
    se = (sum((v - mean) ** 2 for v in values) / 42) ** 0.5
    best = open("o1.best.yaml").read()
    trials = table("o1.csv")
    top = min(trials, key=lambda row: float(row["loss"]))
    check(len(seven) == 7 and f"evaluated again, 7 times: mean {mean:.6g}, standard error {se:.2g}\n" in printed and
          f"reevaluated: {{times: 7, failed: 0, mean: {mean!r}"[:60] in best, f"their mean and standard error: {best[-120:]}")
    check(len({row["seed"] for row in seven}) == 7 and {row["trial"] for row in seven} == {top["trial"]} and
          {row["arm"] for row in seven} == {top["arm"]} and len(set(values)) == 7, "of the best trial, each with its own seed")
    check(file_md5("o1.csv") == file_md5("plain.csv") and len(trials) == 20, "the trials are those without them")
    for workers in (2, 6):
        other, _ = again("-s", "reevaluate=7", "-s", f"workers={workers}", "-q", output=f"o{workers}")
        check(other == seven and file_md5(f"o{workers}.csv") == file_md5("o1.csv"), f"the same with {workers} workers")
    more, printed = again("-s", "reevaluate=9", "--resume", output="o1")
    check(more[:7] == seven and len(more) == 9 and printed.count(" again, ") == 3, "two more by --resume, the others are kept")
    child = subprocess.Popen([MAXK, "tune", "again.yaml", "-o", "cut.h5", "-s", "reevaluate=400"], text=True,
                             stdout=subprocess.PIPE)
    for line in child.stdout:
        if " again, " in line:
            child.send_signal(signal.SIGINT)
            break
    child.stdout.read()
    check(child.wait(30) == 1 and not os.path.exists("cut.h5"), f"stopped among them: {child.returncode}")
    resumed, _ = again("-s", "reevaluate=9", "--resume", "-q", output="cut")
    check(resumed[:9] == more and file_md5("cut.csv") == file_md5("o1.csv"), "resumed, they are those of a run in one go")
    write("fail", "")
    failing, printed = again("-s", "reevaluate=11", "--resume", output="o1")
    check([row["status"] for row in failing[9:]] == ["ok", "failed"] and ", 1 failed" in printed and
          "times: 11, failed: 1" in open("o1.best.yaml").read(), "those that fail are counted, and not in the mean")
    lone, printed = again("-s", "reevaluate=1", "--force", output="lone")
    check("nan" not in printed and ("1 time: 1 failed\n" in printed) == (lone[0]["status"] != "ok"), f"one: {printed[-80:]}")
    refused("less than none", "reevaluate: expected a whole number >= 0", "tune", "again.yaml", "-s", "reevaluate=-1")


def in_parallel(parts):
    """Each part is a process in a folder of its own; most of their time is waiting. Whether all succeeded."""
    waiting, children, fine = list(parts), {}, True
    while waiting or children:
        if waiting and len(children) < 4:
            part = waiting.pop(0)
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                with folder() as d:
                    os.chdir(d)
                    try:
                        part()
                    except Exception as problem:
                        check(False, f"{part.__name__}: {problem!r}")
                    os.chdir(TOP)
                sys.stdout.flush()
                os._exit(int(lib.failed))
            children[child] = part.__name__
            continue
        child, status = os.wait()
        name = children.pop(child)
        fine &= status == 0
    return fine


if len(sys.argv) == 3:  # tests/long
    parts = [lambda: kills(int(sys.argv[1]), int(sys.argv[2]))]
else:
    parts = [progress, misbehaving_programs, lambda: kills(5, 1), sudden_ends, untrusted_programs, machine_errors, two_tuners,
             nohup, interruption, same_results, persistent_programs, requests, hostile_values, names, optional_words,
             launchers, best_command, spaces, larger_budgets, earlier_files, plans, seconds_alone,
             one_rule_for_failures, stale_files, reevaluations, earlier_results, foreign_scripts, other_metrics, order_of_finish,
             failures_from_the_start, other_commands, mistakes]
check(in_parallel(parts), "all parts")
finish()
