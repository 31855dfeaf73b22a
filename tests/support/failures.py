"""One call of the program that can fail does (tests/support/inject.c): what tests/long/test_failures.py and
tests/long/test_failures_tune.py share. The outcome is to be one line and exit code 1 or 2, or the right output; never a crash
or a leak. Every STEP-th call fails (MAXK_INJECT_STEP), starting from a different one in every sweep."""
import os
import subprocess
import sys

import lib
from lib import check, finish, skip, write

# In place of gnuplot, which is not what fails here: makes the files that the script names.
GNUPLOT = """#!/bin/sh
sed -n "s/^set output ['\\"]\\(.*\\)['\\"].*/\\1/p" "$2" | while read -r f; do echo drawn >"$f"; done
"""


class Injector:
    """The program, any call of which can be made to fail, and what has been seen so far. Everything is in the folder `at`."""

    def __init__(self, at, step):
        linked = subprocess.run(["ldd", lib.MAXK], capture_output=True, text=True).stdout
        with open(lib.MAXK, "rb") as program:
            if "asan" in linked or b"__gcov_exit" in program.read():
                skip("failures are injected in the ordinary build only")  # these allocate in ways of their own
                finish()
        made = subprocess.run(["tests/support/make_same.sh", "-s", "maxk-shared"], capture_output=True, text=True)
        if not check(made.returncode == 0, f"make maxk-shared {made.stderr.strip()[:300]}"):
            finish()
        self.at, self.step, self.begin = at, int(os.environ.get("MAXK_INJECT_STEP", step)), 0
        self.maxk = os.path.join(os.path.dirname(lib.MAXK), "shared", "maxk")
        self.library, self.report = f"{at}/inject.so", f"{at}/report"
        compiler = os.environ.get("CC", "gcc").split()
        made = subprocess.run([*compiler, "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", self.library,
                               "tests/support/inject.c", "-ldl"], capture_output=True, text=True)
        if not check(made.returncode == 0, f"tests/support/inject.c compiles {made.stderr.strip()[:300]}"):
            finish()
        self.start()

    def start(self):
        """Begins to count: calls there are, calls that have failed, those that the program has reported, what is wrong."""
        self.all = self.tried = self.refused = self.errors = 0

    def wrong(self, what, how):
        print(f"# {what}: {how}", flush=True)
        self.errors += 1

    def program(self, *arguments, cwd=None, path=None):
        """The program, without a failure."""
        return self._run(arguments, cwd, path, {})

    def counted(self, kind, what, *arguments, cwd=None, path=None):
        """How many calls of a kind there are in a run, which fails none of them and frees everything."""
        done = self._run(arguments, cwd, path, {"INJECT": kind})
        if done.returncode:
            self.wrong(what, f"fails when calls are counted: {done.stderr.decode()[:300]}")
        calls, lost = self._reported(what)
        if lost:
            self.wrong(what, f"{lost} blocks are not freed")
        return calls

    def failing(self, kind, number, what, *arguments, cwd=None, path=None):
        """The program with one failing call: frees everything and, unless it succeeds, ends with one line and exit code 1 or
        2."""
        done = self._run(arguments, cwd, path, {"INJECT": kind, "INJECT_AT": str(number)})
        self.tried += 1
        self._reported(what)
        if done.returncode:
            self.refused += 1
            if done.returncode not in (1, 2) or done.stderr.count(b"\n") != 1:
                self.wrong(what, f"exit {done.returncode}: {done.stderr[:300]!r}")
        return done

    def chosen(self, calls, step=None):
        """The numbers of the calls that fail in the next sweep."""
        step = step or self.step
        self.begin = self.begin % self.step + 1
        return range(self.begin, calls + 1, step)

    def each(self, kind, *arguments, cwd, path=None, step=None):
        """A command: its output, if it succeeds, is that without failures."""
        what = " ".join(arguments)
        wanted = self.program(*arguments, cwd=cwd, path=path)
        if wanted.returncode:
            return check(False, f"{what} runs: {wanted.stderr.decode()[:300]}")
        calls = self.counted(kind, what, *arguments, cwd=cwd, path=path)
        if not calls:
            return check(False, f"{what} has {kind} calls")
        step = step or self.step
        for number in self.chosen(calls, 2 * step if step > 1 else 1):
            done = self.failing(kind, number, f"{what}: {kind} call {number}", *arguments, cwd=cwd, path=path)
            if done.returncode == 0 and done.stdout != wanted.stdout:
                self.wrong(f"{what}: {kind} call {number}", "exit 0 and other output")
        self.all += calls

    def _run(self, arguments, cwd, path, more):
        environment = {**os.environ, **more}
        if path:
            environment["PATH"] = f"{path}:{environment['PATH']}"
        if more:
            environment |= {"INJECT_REPORT": self.report, "LD_PRELOAD": self.library}
        try:
            return subprocess.run([self.maxk, *arguments], capture_output=True, cwd=cwd, env=environment, timeout=60)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(arguments, 124, b"", b"not over after 60 seconds")

    def _reported(self, what):
        """Calls, and blocks that are not freed, of the last run."""
        try:
            with open(self.report) as report:
                calls, lost, *where = report.read().split()
            os.remove(self.report)
        except (OSError, ValueError):
            self.wrong(what, "has ended without a report")
            return 0, 0
        if int(lost):
            found = subprocess.run(["addr2line", "-e", self.maxk, *where], capture_output=True, text=True).stdout.strip()
            self.wrong(what, f"{lost} blocks are not freed, the first of {found}")
        return int(calls), int(lost)


def gnuplot_in_its_place(folder):
    """A folder for the PATH."""
    os.makedirs(folder, exist_ok=True)
    os.chmod(write(f"{folder}/gnuplot", GNUPLOT), 0o755)
    return folder
