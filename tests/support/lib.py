"""What every Python test uses, after `sys.path.insert(0, "tests/support")`: checks like those of check.h, the program, rows of
its CSV tables. A test ends with finish(); an uncaught exception fails it."""
import csv
import functools
import io
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
LIMIT = 300  # seconds for a process that a test waits for, unless the test says otherwise
subprocess.run = functools.partial(subprocess.run, timeout=LIMIT)
MAXK = os.path.abspath(os.environ.get("MAXK", "build/maxk"))
failed = False


def check(condition, text):
    global failed
    failed |= not condition
    print("ok" if condition else "not ok", text, flush=True)
    return bool(condition)


def skip(text):
    print("skip", text, flush=True)


def finish():
    sys.exit(int(failed))


def sanitizers():
    """The libraries of the sanitizers that the shared library was built with."""
    needed = subprocess.run(["ldd", f"{os.path.dirname(MAXK)}/libmaxk.so"], capture_output=True, text=True).stdout.split()
    return [word for word in needed if word.startswith("/") and ("libasan" in word or "libubsan" in word)]


def ordinary_build_only(why):
    """Ends a test that says nothing more about a build with sanitizers."""
    if sanitizers():
        skip(f"in the ordinary build only: {why}")
        finish()


def run(*arguments, env=None, text=None):
    """Standard output of maxk, which must end with exit code 0: what comes after needs it. With a text, that is a check."""
    done = subprocess.run([MAXK, *arguments], capture_output=True, text=True, env=env)
    if done.returncode:
        what = text or f"maxk {' '.join(arguments)}"
        check(False, f"{what}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
        finish()
    if text:
        check(True, text)
    return done.stdout


def refused(text, what, *arguments):
    """Exit code 2, nothing on standard output, one line on standard error that holds `what`. Returns the line."""
    done = subprocess.run([MAXK, *arguments], capture_output=True, text=True)
    good = (done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1 and done.stderr.endswith("\n")
            and what in done.stderr)
    check(good, f"{text}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stderr


def raises(kind, text, what, function, *arguments, **options):
    """The call raises an exception of this kind, whose message holds `what`; those of maxk are one line. Returns it."""
    try:
        function(*arguments, **options)
    except Exception as problem:
        one_line = "\n" not in str(problem) or not kind.__module__.startswith("maxk")
        check(isinstance(problem, kind) and what in str(problem) and one_line, f"{text}: {type(problem).__name__}: {problem}")
        return problem
    check(False, f"{text}: nothing was raised")


def rows(text):
    """The rows of a CSV table as dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


def python_environment():
    """The environment in which Python can load the shared library that was built with the program: one with sanitizers needs
    theirs loaded first, and Python does not free everything at its end."""
    environment = {**os.environ, "MAXK_LIBRARY": f"{os.path.dirname(MAXK)}/libmaxk.so", "MAXK": MAXK}
    if first := sanitizers():
        environment["LD_PRELOAD"] = ":".join(first)
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return environment


def enter(environment):
    """Starts the test again in an environment of python_environment(), unless it runs there; the runner limits its time."""
    if "MAXK_LIBRARY" not in os.environ:
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment, timeout=None).returncode)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def folder():
    """with folder() as d: a folder of the test's own."""
    return tempfile.TemporaryDirectory(prefix="maxk-test-")


def close(a, b, tolerance=1e-12):
    """Equal (infinities too), or |a - b| <= tolerance max(1, |b|); numbers or their texts."""
    a, b = float(a), float(b)
    return a == b or abs(a - b) <= tolerance * max(1, abs(b))
