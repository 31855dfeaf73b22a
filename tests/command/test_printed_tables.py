"""Tables are printed as they were when they were last checked: numbers to 9 digits, all other text unchanged. Oracles elsewhere
test what the numbers should be; here nothing may change unnoticed. tests/reference/tables.txt holds commands, each followed
by its output. A command begins with '$ ' and continues with '> '; they run in this order, in the same folder. `make golden`
writes the output anew (--write)."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/support")
from lib import LIMIT, MAXK, check, finish, ordinary_build_only

ordinary_build_only("the same numbers")
REFERENCE = os.path.abspath("tests/reference/tables.txt")
with open(REFERENCE, encoding="utf-8") as f:
    head, *blocks = re.split(r"^(?=\$ )", f.read(), flags=re.M)
commands = [re.match(r"\$ .*\n(?:>.*\n)*", b).group() for b in blocks]


def printed(command, folder):
    script = "\n".join(re.sub(r"^[$>] ?", "", line) for line in command.splitlines())
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", 'maxk() { "$MAXK" "$@"; }\n' + script], cwd=folder, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "MAXK": MAXK, "LC_ALL": "C.UTF-8"})
    return done.stdout + (f"exit code {done.returncode}\n" if done.returncode else "")


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


def same(a, b):
    x, y = number(a), number(b)
    return a == b or x is not None and y is not None and abs(x - y) <= 1e-9 * max(abs(x), abs(y))


def difference(was, now):
    """The first line that differs."""
    was, now = was.splitlines(), now.splitlines()
    for n, (a, b) in enumerate(zip(was + [""], now + [""])):
        words = [re.split(r"([\s,;=|()]+)", line) for line in (a, b)]
        if len(words[0]) != len(words[1]) or not all(map(same, *words)) or len(was) != len(now) and n >= len(now) - 1:
            return f"line {n + 1}: '{b[:300]}' instead of '{a[:300]}'"
    return None


with tempfile.TemporaryDirectory() as folder:
    if "--write" in sys.argv:
        now = [printed(command, folder) for command in commands]
        with open(REFERENCE, "w", encoding="utf-8") as f:
            f.write(head + "".join(map("".join, zip(commands, now))))
        sys.exit()
    others = 0
    for block, command in zip(blocks, commands):
        found = difference(block[len(command):], printed(command, folder))
        if command.startswith("$ maxk") or found:
            others += not check(not found, f"{command.splitlines()[0][2:]}{': ' + found if found else ''}")
        if others == 3:  # enough to see what has changed
            break
finish()
