"""Processes in locales with a decimal comma; in tr_TR the letter i has other capitals, too. Those that are not installed are
built into a folder of the test's own."""
import os
import subprocess

from lib import LIMIT, check, write

NAMES = ("de_DE.UTF-8", "tr_TR.UTF-8")
# As GTK and Qt do; of the programs that a test starts only those that use the library.
_SETTER = """#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <string.h>
__attribute__((constructor)) static void set(void)
{
    const char *name = program_invocation_short_name;
    if (strncmp(name, "python", 6) == 0 || strncmp(name, "test_", 5) == 0) setlocale(LC_ALL, "");
}
"""


def environments(directory, environment):
    """By locale an environment whose programs have it from their start."""
    subprocess.run(["cc", "-shared", "-fPIC", "-o", f"{directory}/set.so", write(f"{directory}/set.c", _SETTER)], check=True)
    first = ":".join(filter(None, [environment.get("LD_PRELOAD"), f"{directory}/set.so"]))
    found = {}
    for name in NAMES:
        subprocess.run(["localedef", "-i", name.split(".")[0], "-f", "UTF-8", f"{directory}/{name}"], check=True)
        found[name] = {**environment, "LOCPATH": directory, "LC_ALL": name, "LANGUAGE": "", "LD_PRELOAD": first}
        point = subprocess.run(["/usr/bin/python3", "-c", "import locale; print(locale.localeconv()['decimal_point'])"],
                               env=found[name], capture_output=True, text=True).stdout.strip()
        check(point == ",", f"{name}: programs have its decimal comma: {point!r}")
    return found


def passes(name, command, environment, limit=LIMIT):
    """A test that runs in a locale checks something, and all of it holds."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
    lines = done.stdout.splitlines()
    wrong = [line for line in lines if line.startswith("not ok")]
    n = sum(line.startswith("ok ") for line in lines)
    return check(done.returncode == 0 and not wrong and n, f"{name}: {n} checks {wrong[:3]} {done.stderr.strip()[-300:]}")
