"""Every program of experiments/examples runs and prints what its README shows."""
import os, re, subprocess, sys, tempfile

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, ordinary_build_only

ordinary_build_only("the examples are run as users run them")
FOLDER = "experiments/examples"
BUILD = os.path.dirname(MAXK)
ENVIRONMENT = {**os.environ, "MAXK": MAXK, "PYTHONPATH": "sim/python", "MAXK_LIBRARY": f"{BUILD}/libmaxk.so",
               "PYTHONDONTWRITEBYTECODE": "1"}


def command(name, folder):
    """What runs an example; a C program is compiled first."""
    path = os.path.join(FOLDER, name)
    if name.endswith(".c"):
        program = os.path.join(folder, name[:-2])
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", program, path,
                        "-Isim/api/maxk", f"-L{BUILD}", "-lmaxk", f"-Wl,-rpath,{BUILD}"], check=True)
        return [program]
    return [{".py": "/usr/bin/python3", ".sh": "sh", ".R": "Rscript"}[os.path.splitext(name)[1]], path]


with open(f"{FOLDER}/README.md", encoding="utf-8") as f:
    rows = re.findall(r"^\| [^|]+ \| \[(\S+)\]\(\1\) \| `(.*)` \|$", f.read(), re.M)
files = sorted(set(os.listdir(FOLDER)) - {"README.md"})
check(sorted(name for name, _ in rows) == files and len(files) >= 10, f"the README lists all {len(files)} examples")
with tempfile.TemporaryDirectory() as folder:
    for name, shown in rows:
        done = subprocess.run(command(name, folder), capture_output=True, text=True, env=ENVIRONMENT)
        good = done.returncode == 0 and shown.replace(r"\|", "|") in done.stdout.splitlines()
        check(good, f"{name} prints '{shown}'" + ("" if good else f": {done.stdout[-300:]} {done.stderr[-300:]}"))
finish()
