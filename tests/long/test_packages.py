"""make dist and make deb: the same bytes twice; the tarball builds; the packages satisfy lintian, can be installed on this system
as far as their dependencies go, and what they hold runs from where dpkg unpacks it."""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import lib
from lib import check, finish, folder, ordinary_build_only, write

TOP = os.getcwd()
BUILD = os.path.dirname(lib.MAXK)
COMPILER = os.environ.get("CC", "gcc").split()
# Pages of the manual that pandoc has made once are not made again.
PANDOC = """#!/bin/bash -e
set -o pipefail
page={pages}/$$
(echo "$*" && cat) >"$page"
kept={pages}/$(sha256sum "$page" | cut -c 1-64)
if [ ! -e "$kept" ]; then sed 1d "$page" | {pandoc} "$@" >"$page.html" && mv "$page.html" "$kept"; fi
cat "$kept"
"""
PYTHON_USE = """
import maxk
result = maxk.run('e4_power', overrides={{'replications': 3}})
assert len(result.summary()) == 330, result
assert maxk._library.program() == '{root}/usr/bin/maxk', maxk._library.program()
"""


def does(text, *command, cwd=None, **variables):
    """The command ends with exit code 0; a variable that is None is not set. Returns what it prints."""
    environment = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
    done = subprocess.run(command, cwd=cwd, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=1200)
    lines = " ".join(done.stdout.splitlines()[-3:])[:300] if done.returncode else ""
    check(done.returncode == 0, f"{text} {lines}".rstrip())
    return done.stdout


def there(text, *paths):
    missing = [path for path in paths if not os.path.exists(path) or not os.path.getsize(path)]
    check(not missing, f"{text} {' '.join(missing)}".rstrip())


def same_folders(a, b):
    names = sorted(os.listdir(a))
    return names == sorted(os.listdir(b)) and filecmp.cmpfiles(a, b, names, shallow=False)[0] == names


# ---- the tarball ----

def is_current(path, tree):
    """Whether a file that an object was made of is in the tarball as in the checkout."""
    if path.startswith(("/", "build/")):
        return True
    return os.path.exists(f"{tree}/{path}") and filecmp.cmp(f"{tree}/{path}", f"{TOP}/{path}", shallow=False)


def lend_objects(tree):
    """The objects that are there: make compiles what includes a file that is missing or another than in the checkout, and what
    has the revision."""
    os.mkdir(f"{tree}/build")
    shutil.copy(f"{BUILD}/flags", f"{tree}/build")
    for name in ("gen", "obj"):
        shutil.copytree(f"{BUILD}/{name}", f"{tree}/build/{name}")
    for rule in glob.glob(f"{tree}/build/obj/**/*.d", recursive=True):
        with open(rule) as made_of:
            names = made_of.read().replace("\\\n", " ").split("\n")[0].split(": ")[1].split()
        if not all(is_current(name, tree) for name in names):
            os.remove(rule[:-1] + "o")
    now = time.time()
    for at, folders, names in os.walk(f"{tree}/build"):
        for name in folders + names:
            os.utime(os.path.join(at, name), (now, now))


def check_tarball(d, version):
    name = f"maxk-{version}.tar.gz"
    does("make dist", "make", "--no-print-directory", f"BUILD={d}/a", "dist")
    subprocess.run(["git", "clone", "-q", ".", f"{d}/clone"], check=True)
    does("in a clone", "make", "--no-print-directory", "-C", f"{d}/clone", "dist")
    check(filecmp.cmp(f"{d}/a/{name}", f"{d}/clone/build/{name}", shallow=False), "is the same tarball")
    with tarfile.open(f"{d}/a/{name}") as tarball:
        tarball.extractall(d)
    tree = f"{d}/maxk-{version}"
    lend_objects(tree)
    does("it builds", "tests/support/make_same.sh", "-j2", "all", cwd=tree, MAXK=lib.MAXK)
    there("with the libraries", *(f"{tree}/build/libmaxk{part}.{end}" for part in ("", "-policy") for end in ("a", "so")))
    revision = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout[:12]
    told = subprocess.run([f"{tree}/build/maxk", "--version"], capture_output=True, text=True).stdout.strip()
    check(told == f"maxk {version} ({revision})", f"and knows its revision: {told}")


# ---- the packages ----

def make_packages(d, version):
    os.mkdir(f"{d}/bin")
    os.mkdir(f"{d}/pages")
    os.chmod(write(f"{d}/bin/pandoc", PANDOC.format(pages=f"{d}/pages", pandoc=shutil.which("pandoc"))), 0o755)
    for to in ("one", "two"):
        does(f"make deb, {to}", ".packaging/deb.sh", os.path.relpath(BUILD, TOP), version, f"{d}/{to}",
             PATH=f"{d}/bin:{os.environ['PATH']}", DPKG_DEB_COMPRESSOR_LEVEL="0", SOURCE_DATE_EPOCH="1700000000")
    packages = sorted(glob.glob(f"{d}/one/*.deb"))
    check(len(packages) == 6, f"six packages: {' '.join(map(os.path.basename, packages))}")
    check(same_folders(f"{d}/one", f"{d}/two"), "the same bytes twice")
    said = does("lintian finds no errors and no warnings", "lintian", "--allow-root", "--fail-on", "error,warning", *packages)
    check(not re.search(r"^[EW]:", said, re.M), "lintian has printed nothing")
    does("they can be installed on this system", "apt-get", "install", "--simulate", "-o", "Debug::NoLocking=1", *packages)
    return packages


def unpack(d, packages):
    root = f"{d}/root"
    for name in ("info", "updates", "triggers"):
        os.makedirs(f"{root}/var/lib/dpkg/{name}")
    write(f"{root}/var/lib/dpkg/status", "")
    does("dpkg unpacks them side by side", "dpkg", f"--root={root}", f"--log={d}/dpkg.log", "--force-depends",
         "--force-not-root", "--unpack", *packages)
    return root


def check_program(root, work):
    maxk = f"{root}/usr/bin/maxk"
    does("an experiment is found by name", maxk, "run", "e4_power", "-s", "replications=5", "-q", cwd=work)
    there("and gives its result", f"{work}/results/e4_power.h5")
    does("recorded runs are there too", maxk, "survey", f"{root}/usr/share/maxk/experiments/data/example.csv", cwd=work)
    does("figures of the paper", maxk, "figures", "--paper", "C.2", cwd=work)
    there("are drawn", f"{work}/results/figures/paper/figure_C.2_lu.png")
    listed = does("every experiment is listed with its data", maxk, "list", "experiments", cwd=work)
    check(not re.search(r"checkout|yaml +\(", listed), "without a complaint")


def check_python(d, root, work, libraries):
    found = {"MAXK": None, "LD_LIBRARY_PATH": libraries, "PATH": f"{root}/usr/bin:{os.environ['PATH']}",
             "PYTHONPATH": f"{root}/usr/lib/python3/dist-packages", "MPLCONFIGDIR": d}
    does("the Python module runs it", "/usr/bin/python3", "-c", PYTHON_USE.format(root=root), cwd=work, **found)
    does("its tutorial", "/usr/bin/python3", f"{root}/usr/share/doc/python3-maxk/examples/tutorial.py", cwd=work, **found)
    there("draws its figure", f"{work}/tutorial.png")


def check_c(root, work, libraries):
    for text, source, library, arguments in (
            ("a C program compiles against libmaxk-dev", "example_library.c", "libmaxk1", [work]),
            ("another against libmaxk-policy-dev", "example_policy.c", "libmaxk-policy1", [])):
        program = f"{work}/{source[:-2]}"
        does(text, *COMPILER, "-std=c11", "-o", program, f"{TOP}/tests/support/{source}", f"-I{root}/usr/include/maxk",
             f"-L{libraries}", f"-l{library[3:-1]}", "-lm", cwd=work)
        does(f"and runs with {library}", program, *arguments, cwd=work, LD_LIBRARY_PATH=libraries)


for command, package in (("lintian", "lintian"), ("dpkg-shlibdeps", "dpkg-dev"), ("pandoc", "pandoc")):
    if not shutil.which(command):
        check(False, f"{command} is not there: package {package}, which make deps-check installs")
        finish()
ordinary_build_only("packages")
with folder() as d:
    version = subprocess.run([lib.MAXK, "--version"], capture_output=True, text=True).stdout.split()[1]
    check_tarball(d, version)
    root, work = unpack(d, make_packages(d, version)), f"{d}/work"
    os.mkdir(work)
    machine = subprocess.run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], capture_output=True, text=True).stdout.strip()
    check_program(root, work)
    check_python(d, root, work, f"{root}/usr/lib/{machine}")
    check_c(root, work, f"{root}/usr/lib/{machine}")
finish()
