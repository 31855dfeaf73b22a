"""What is on the disk before what comes after it: a preloaded library notes what is synced, renamed and removed, and which lines
a journal gets. The names of a folder of trials and of its journal are on the disk before the first trial; all files of a result
and their names before the journal says `done`, and that before the lock is released; a journal of a run is removed after its
result is on the disk."""
import os
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, ordinary_build_only, python_environment, write

ordinary_build_only("a library is loaded before everything else")
RECORDER = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *what, const char *path)
{
    char line[PATH_MAX + 40];
    const int n = snprintf(line, sizeof line, "%s %s\n", what, path);
    const int fd = open(getenv("RECORD"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (syscall(SYS_write, fd, line, n) != n) abort();
    close(fd);
}

static void note_file(const char *what, int fd)
{
    char link[40], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return;
    path[n] = 0;
    note(what, path);
}

int fsync(int fd)
{
    const int failed = syscall(SYS_fsync, fd);
    if (!failed) note_file("sync", fd);
    return failed;
}

int rename(const char *from, const char *to)
{
    const int failed = syscall(SYS_rename, from, to);
    if (!failed) note("rename", to);
    return failed;
}

int unlink(const char *path)
{
    const int failed = syscall(SYS_unlink, path);
    if (!failed) note("unlink", path);
    return failed;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    char word[8] = "";
    if (n >= 5) sscanf(bytes, "%7[a-z]", word);
    const ssize_t done = syscall(SYS_pwrite64, fd, bytes, n, at);
    if (*word) note_file(word, fd);
    return done;
}
"""
TUNE = """command: [echo, "0.{n}"]
metric: {last_number: true, maximize: true}
arms: [{label: a, optimizer: random, space: {n: {integer: [1, 9]}}}]
policy: uniform
budget: {evaluations: 3}
"""
STUDY = """import sys
sys.path.insert(0, "sim/python")
import maxk
study = maxk.Study({"a": {"n": maxk.Integer(1, 9)}}, n_trials=3, path=sys.argv[1], optimizer="random")
study.optimize(lambda trial: trial.params["n"])
study.close()
"""
RUN = """problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}]}
policies: [max_ucb]
horizons: [100]
replications: 4
"""


def events(command, record, environment):
    """What the command has done, in its order."""
    done = subprocess.run(command, capture_output=True, text=True, env={**environment, "RECORD": record})
    check(done.returncode == 0, f"{' '.join(command[:2])[:40]}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    with open(record) as f:
        return f.read().splitlines()


def in_order(text, found, *wanted):
    """The events happen, each after those before it."""
    at = 0
    for one in wanted:
        if one not in found[at:]:
            check(False, f"{text}: no '{one}' after {wanted[:wanted.index(one)]} in {found}")
            return
        at = found.index(one, at) + 1
    check(True, text)


def check_study(what, found, d):
    trials, journal = f"{d}/o.trials", f"{d}/o.trials/journal"
    first, last = found.index(f"ask {journal}"), len(found) - found[::-1].index(f"done {journal}") - 1
    in_order(f"{what}: the name of the folder is on the disk before the first trial", found[:first], f"sync {d}")
    in_order(f"{what}: so are the journal and its name", found[:first], f"sync {journal}", f"sync {trials}")
    for name in ("o.h5", "o.csv", "o.best.yaml", "o.tune.yaml", "o.times.csv"):
        before = found[:found.index(f"rename {d}/{name}")] if f"rename {d}/{name}" in found else []
        check(before and before[-1].startswith(f"sync {d}/{name}.tmp."), f"{what}: {name} is synced before it has its name")
        in_order(f"{what}: {name} is on the disk before the journal says that all is done", found[:last], f"rename {d}/{name}",
                 f"sync {d}")
    in_order(f"{what}: the lock is released after that", found[last:], f"done {journal}", f"sync {journal}",
             f"unlink {trials}.lock")
    check(f"unlink {trials}.lock" not in found[:last], f"{what}: and not before")


with folder() as made:
    d = os.path.realpath(made)
    library = os.path.join(d, "record.so")
    subprocess.run([*os.environ.get("CC", "gcc").split(), "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library,
                    write(f"{d}/record.c", RECORDER)], check=True)
    environment = {**python_environment(), "LD_PRELOAD": library}
    for name in ("tune", "study", "run"):
        os.mkdir(f"{d}/{name}")
    tune, run = write(f"{d}/tune.yaml", TUNE), write(f"{d}/run.yaml", RUN)
    check_study("tune", events([MAXK, "tune", tune, "-o", f"{d}/tune/o.h5"], f"{d}/1", environment), f"{d}/tune")
    check_study("Study", events([sys.executable, "-c", STUDY, f"{d}/study/o.h5"], f"{d}/2", environment), f"{d}/study")
    found, result = events([MAXK, "run", run, "-o", f"{d}/run/o.h5"], f"{d}/3", environment), f"{d}/run/o.h5"
    in_order("run: the journal and its name are on the disk before the result is", found,
             f"sync {result}.journal", f"sync {d}/run",
             f"rename {result}")
    in_order("run: the journal is removed after the result and its name are on the disk", found,
             f"rename {result}", f"sync {d}/run",
             f"unlink {result}.journal")
    check(f"unlink {result}.journal" not in found[:found.index(f"rename {result}")], "run: and not before")
finish()
