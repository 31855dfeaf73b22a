"""Runs a program in Python as if no more than some Debian packages were installed: few_packages.py 'PACKAGE…' FILE. Modules of
packages that these do not depend on are not found."""
import os
import re
import runpy
import subprocess
import sys
import tempfile

FOLDER = "/usr/lib/python3/dist-packages"


def with_dependencies(packages):
    """The packages and what they depend on, of those that are installed."""
    listed = subprocess.run(["dpkg-query", "-W", "-f", "${Package}\t${Depends}\t${Provides}\n"], capture_output=True, text=True,
                            check=True).stdout
    needs, providers = {}, {}
    for name, depends, provides in (line.split("\t") for line in listed.splitlines()):
        needs[name] = re.findall(r"(?:^|[,|]) *([a-z0-9][a-z0-9+.-]*)", depends)
        for other in re.findall(r"(?:^|,) *([a-z0-9][a-z0-9+.-]*)", provides):
            providers.setdefault(other, []).append(name)
    found, left = set(), list(packages)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += needs.get(name, []) + providers.get(name, [])
    return sorted(found & set(needs))


def entries(packages):
    """Their names in the folder of the modules."""
    files = subprocess.run(["dpkg-query", "-L", *packages], capture_output=True, text=True, check=True).stdout.splitlines()
    return {f[len(FOLDER) + 1:].split("/")[0] for f in files if f.startswith(FOLDER + "/")} - {""}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as few:
        for name in entries(with_dependencies(sys.argv[1].split())):
            os.symlink(f"{FOLDER}/{name}", f"{few}/{name}")
        sys.path[:] = [few if f == FOLDER else f for f in sys.path]
        sys.argv[:] = sys.argv[2:]
        runpy.run_path(sys.argv[0], run_name="__main__")
