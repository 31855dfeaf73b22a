"""make mutants can be run: every file that it covers has tests, all of them exist, and every equivalent is a mutant of the code
as it is. So is every mutant of the Python module that is placed by hand."""
import os
import subprocess
import sys

sys.path.insert(0, "tests/support")
sys.path.insert(0, "tests/mutants")
from lib import check, finish, skip

import mutants
import placed

if not os.path.exists(".git"):
    skip("make mutants needs a repository")
    finish()
done = subprocess.run(["/usr/bin/python3", "tests/mutants/mutants.py", "--list", "--number", "5"], capture_output=True, text=True)
check(done.returncode == 0 and len(done.stdout.splitlines()) == 6 and done.stdout.startswith("5 of "),
      f"five mutants are listed: {done.stderr.strip()[:200]}")
named = {test for tests in mutants.TESTS.values() for test in tests}
gone = [t for t in named if not os.path.exists(f"tests/unit/{t}.c" if "/" in t else mutants.COMMAND + t)]
check(not gone, f"the tests of all files exist: {', '.join(gone)}")
files = subprocess.run(["git", "ls-files", *mutants.ROOMS], capture_output=True, text=True).stdout.split()
idle = [p for p in [*mutants.TESTS, *mutants.NOT_COVERED] if not any(f.startswith(p) for f in files)]
check(not idle, f"what is named there begins the path of a file: {', '.join(idle)}")
listed = mutants.equivalents()
keys = {path: {m.key() for m in mutants.mutants_of(path)} for path in {path for path, _, _ in listed} if os.path.exists(path)}
stale = [f"{path}: {before}" for path, before, after in listed if (path, before, after) not in keys.get(path, ())]
check(len(listed) > 100 and not stale, f"{len(listed)} equivalents are mutants of lines that exist: {'; '.join(stale)[:500]}")
check(all(listed.values()), "each has a reason")
by_hand = placed.placed()
changed = [f"{name}: {before}" for name, before, after, _ in by_hand if not placed.place(name, before) or before == after]
check(len(by_hand) >= 60 and len(changed) <= 6,
      f"of {len(by_hand)} mutants of Python nearly all change a line that is there once: {'; '.join(changed)}")
gone = [t for t in {*sum(placed.TESTS.values(), placed.OTHER_TESTS)} if not os.path.exists("tests/command/" + t)]
check(not gone, f"their tests exist: {', '.join(gone)}")
source = ["/* x++; */", "static double f(double x)", "{", "    double y = 0;", "    y = g(x,", "          x + 1);",
          "    if (x < 2)", "        y += x;", "    free(p);", "    return y;", "}"]
with open("source.c", "w") as f:
    f.write("\n".join(source))
mine = mutants.mutants_of("source.c")
os.remove("source.c")
check([m.number for m in mine if m.after == ";"] == [8], "whole statements are deleted, but not those that release or return")
check(sorted((m.number, m.after.strip()) for m in mine if m.after != ";")
      == [(4, "double y = 1;"), (6, "x + 2);"), (6, "x - 1);"), (7, "if (!(x < 2))"), (7, "if (x < 3)"), (7, "if (x <= 2)"),
          (8, "y -= x;")], "operators, constants and conditions are changed")
finish()
