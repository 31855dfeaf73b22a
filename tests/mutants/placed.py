"""Mutants of the Python module, placed by hand in placed.txt: which of them do its tests not notice?

Each changes one line of sim/python/maxk in a copy of the sources (build/mutants/python) and runs the tests of that file with the
program and the library of build/ until one says `not ok`. Exit status 1 when fewer than 90 % of those that are not equivalents
are killed. build/maxk and build/libmaxk.so must be built.

With --pick N… only those with these numbers of the list."""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOM, TREE = "sim/python/maxk", "build/mutants/python"
STUDY_TESTS = ["test_python_study.py", "test_costs_and_labels.py", "test_python_use.py", "test_random_studies.py"]
TESTS = {"study.py": [*STUDY_TESTS, "test_python.py"], "space.py": [*STUDY_TESTS, "test_python.py"]}
OTHER_TESTS = ["test_python_use.py", "test_python.py", "test_python_study.py"]


def placed():
    """[file, line, changed line, reason or ""] of each."""
    with open(os.path.join(HERE, "placed.txt"), encoding="utf-8") as f:
        text = "".join(line for line in f if not line.startswith("#"))
    blocks = [block.strip("\n").split("\n") for block in re.split(r"\n\s*\n", text) if block.strip()]
    return [[part.strip() for part in (*block, "")[:4]] for block in blocks]


def place(name, line):
    """The number of the only line of a file that reads so; None: there is none, or another one."""
    with open(os.path.join(ROOM, name), encoding="utf-8") as f:
        found = [n for n, text in enumerate(f, 1) if text.strip() == line]
    return found[0] if len(found) == 1 else None


def notices(test, seconds):
    """What a test says first against the module of the copy, in a word or a line; "": nothing."""
    environment = {**os.environ, "MAXK": os.path.abspath("build/maxk")}
    p = subprocess.Popen([sys.executable, "tests/command/" + test], cwd=TREE, env=environment, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    timer = threading.Timer(seconds, os.killpg, [p.pid, signal.SIGKILL])
    timer.start()
    try:
        for line in p.stdout:
            if line.startswith("not ok"):
                return line.strip()[:120]
        return f"ends with {p.returncode}" if p.wait() else ""
    finally:
        timer.cancel()
        if p.poll() is None:
            os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        p.stdout.close()


def try_mutant(name, number, after, seconds):
    path = os.path.join(TREE, ROOM, name)
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    before = lines[number - 1]
    lines[number - 1] = before[:len(before) - len(before.lstrip())] + after
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    try:
        for test in TESTS.get(name, OTHER_TESTS):
            if said := notices(test, seconds):
                return f"killed by {test}: {said}"
        return "survived"
    finally:
        shutil.copy(os.path.join(ROOM, name), path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=300, help="for a test; one that takes longer has noticed the mutant")
    parser.add_argument("--pick", metavar="N", type=int, nargs="+", help="only those with these numbers of the list")
    parser.add_argument("--list", action="store_true", help="only list them")
    o = parser.parse_args()
    shutil.rmtree(TREE, ignore_errors=True)
    files = subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    for name in [] if o.list else filter(os.path.isfile, files):
        os.makedirs(os.path.dirname(os.path.join(TREE, name)), exist_ok=True)
        shutil.copy(name, os.path.join(TREE, name))
    tally = {"killed": 0, "survived": 0, "equivalent": 0}
    for n, (name, before, after, reason) in enumerate(placed(), 1):
        if o.pick and n not in o.pick:
            continue
        number, start = place(name, before), time.time()
        if not number:
            print(f"{n:4} {ROOM}/{name}: {before}: not there once", flush=True)
            continue
        print(f"{n:4} {ROOM}/{name}:{number}: {before}  ->  {after}", flush=True)
        if not o.list:
            result = f"equivalent: {reason}" if reason else try_mutant(name, number, after, o.seconds)
            tally[result.split()[0].rstrip(":")] += 1
            print(f"     {result} ({time.time() - start:.0f} s)", flush=True)
    tried = tally["killed"] + tally["survived"]
    print(f"{tally['killed']} of {tried} killed, {tally['survived']} survived, {tally['equivalent']} equivalents")
    return 0 if tally["killed"] >= 0.9 * tried else 1


if __name__ == "__main__":
    sys.exit(main())
