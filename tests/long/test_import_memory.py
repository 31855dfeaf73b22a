"""One allocation of any code fails while an Optuna database is imported: exit code 1 or 2 and one line, or the right file. A
database whose reading takes far more steps than that of a study of its size is given up."""
import filecmp
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, "tests/support")
import lib
from lib import check, finish, folder, ordinary_build_only, refused, run, write
from optuna_tables import TABLES

ordinary_build_only("allocations are those of the C library")

FAILING = """
#include <errno.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long n, at = -1;
static int fails(void)
{
    const char *text;
    if (at < 0) at = (text = getenv("FAIL_AT")) ? atol(text) : 0;
    if (++n != at) return 0;
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t size) { return fails() ? 0 : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? 0 : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails() ? 0 : __libc_realloc(block, size); }
"""
ONE_STUDY = TABLES + """
INSERT INTO studies VALUES (1, 's');
INSERT INTO study_directions VALUES (1, 'MINIMIZE', 1, 0);
"""
CHOICES = '{"name": "CategoricalDistribution", "attributes": {"choices": ["u", "v"]}}'
NUMBERS = '{"name": "FloatDistribution", "attributes": {"low": 0, "high": 2, "log": false, "step": null}}'


def database(path):
    with sqlite3.connect(path) as base:
        base.executescript(ONE_STUDY)
        for t in (1, 2):
            base.execute("INSERT INTO trials VALUES (?, ?, 1, 'COMPLETE', NULL, NULL)", (t, t - 1))
            base.execute("INSERT INTO trial_values VALUES (?, ?, 0, 0.5, 'FINITE')", (t, t))
            base.execute("INSERT INTO trial_params VALUES (?, ?, 'a', ?, ?)", (2 * t, t, t - 1, CHOICES))
            base.execute("INSERT INTO trial_params VALUES (?, ?, 'C', 1.5, ?)", (2 * t + 1, t, NUMBERS))
    return path


def endless(path):
    """Without keys every study has every direction: 81 million pairs."""
    with sqlite3.connect(path) as base:
        base.executescript(ONE_STUDY.replace("PRIMARY KEY", ""))
        base.executemany("INSERT INTO studies VALUES (1, NULL)", [()] * 9000)
        base.executemany("INSERT INTO study_directions VALUES (NULL, NULL, 1, NULL)", [()] * 9000)
    return path


with folder() as d:
    compiler = os.environ.get("CC", "gcc").split()
    subprocess.run([*compiler, "-O1", "-shared", "-fPIC", "-o", f"{d}/failing.so", write(f"{d}/failing.c", FAILING)], check=True)
    source = database(f"{d}/s.db")
    run("import", source, "-o", f"{d}/right.csv")
    failed, right, wrong = 0, 0, []
    while right < 50 or failed == 0:  # beyond the last allocation nothing fails
        at = failed + right + len(wrong) + 1
        done = subprocess.run([lib.MAXK, "import", source, "-o", f"{d}/o.csv"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "FAIL_AT": str(at), "LD_PRELOAD": f"{d}/failing.so"})
        there = os.path.exists(f"{d}/o.csv")
        same = there and filecmp.cmp(f"{d}/right.csv", f"{d}/o.csv", shallow=False)
        if done.returncode == 0 and same:
            right += 1
        elif done.returncode in (1, 2, 127) and (same or not there) and done.stderr.strip():  # not synced, or not written
            failed, right = failed + right + 1, 0
        else:
            wrong.append((at, done.returncode, done.stderr.strip()[:80]))
        if there:
            os.remove(f"{d}/o.csv")
    check(not wrong, f"{failed + len(wrong)} allocations fail, one at a time: {wrong[:5]}")
    refused("a query that takes hours", "takes more steps than a file of Optuna of its size", "import", endless(f"{d}/e.db"),
            "-o", f"{d}/o.csv")
    check(failed > 300, "the parsers of SQLite and JSON are among them")

finish()
