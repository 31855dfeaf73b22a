"""Includes and calls go down the rooms of tests/layers.txt only; every source file belongs to one of them."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish

FOLDERS = ("sim", "policies", "distributions", "analysis")


def layers():
    """[[prefix, …], …] from the lowest."""
    rows = [line.split("#")[0].split() for line in open("tests/layers.txt")]
    return [row for row in rows if row]


LAYERS = layers()


def layer(path):
    """Position of a file's layer; the longest prefix counts; None: it is in none."""
    found = [(len(prefix), i) for i, row in enumerate(LAYERS) for prefix in row if path.startswith(prefix)]
    return max(found)[1] if found else None


def rooms(folder):
    """The folders of a room that hold sources."""
    return sorted({os.path.relpath(os.path.dirname(p), folder).split("/")[0] for p in files if p.startswith(folder)} - {"."})


def circles(includes):
    """The files of {file: files that it includes} that include themselves, if by way of others."""
    left = dict(includes)
    while free := [path for path, names in left.items() if not names & left.keys()]:
        for path in free:
            del left[path]
    while spare := [path for path in left if not any(path in names for names in left.values())]:
        for path in spare:
            del left[path]
    return sorted(left)


def included(path):
    return set(re.findall(r'^\s*#\s*include\s+"((?:%s)/[^"]+)"' % "|".join(FOLDERS), open(path).read(), re.M))


def parts(includes):
    """{part: parts that it includes}. A source and the header of its name are a part; so is a private header of that part,
    which has no source of its own: it includes the part's header, and the part's source includes it."""
    part = {path: path[:-2] for path in includes}
    for path in includes:
        owners = [] if path[:-2] + ".c" in includes else [o for o in includes[path] if path in includes.get(o[:-2] + ".c", ())]
        part[path] = owners[0][:-2] if owners else path[:-2]
    found = {name: set() for name in part.values()}
    for path, names in includes.items():
        found[part[path]] |= {part[name] for name in names & part.keys()} - {part[path]}
    return found


def wrong_includes(path, text):
    """(line, include) of includes that go up."""
    own = layer(path)
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"((?:%s)/[^"]+)"' % "|".join(FOLDERS), line)
        if match and (layer(match[1]) is None or layer(match[1]) > own):
            yield number, match[1]


def symbols(build):
    """{source: (defined, undefined, defined functions)} of the program's objects."""
    objects = {}
    for path in (p for folder in FOLDERS for p in pathlib.Path(build, "obj", folder).rglob("*.o")):
        source = str(path.relative_to(pathlib.Path(build, "obj"))).replace("_mpi.o", ".o")[:-2] + ".c"
        if os.path.exists(source):
            objects[str(path)] = source
    table = {source: (set(), set(), set()) for source in objects.values()}
    for row in subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        path, symbol = row.split(":", 1)
        kind, name = symbol.split()[-2:]
        if kind == "U":
            table[objects[path]][1].add(name)
        elif kind in "TDRBV":
            table[objects[path]][0].add(name)
            if kind == "T":
                table[objects[path]][2].add(name)
    return table


files = sorted(str(p) for folder in FOLDERS for p in pathlib.Path(folder).rglob("*.[ch]"))
homeless = [path for path in files if layer(path) is None]
check(files and not homeless,
      f"each of {len(files)} files belongs to a layer of tests/layers.txt" + "".join(f" ({p} does not)" for p in homeless))
up = [f"{path}:{number} includes {name}" for path in files if layer(path) is not None
      for number, name in wrong_includes(path, open(path).read())]
for row in up:
    print("not ok an include that goes up the layers: " + row)
check(not up, "includes go down the layers")
UP = "sim/run/engine/run.h"
check(list(wrong_includes("sim/base/error.h", f'#include "{UP}"\n')) == [(1, UP)],
      "an include that goes up is noticed")

silent = [room for row in LAYERS for room in row if room != "sim/api/maxk/" and
          not (os.path.exists(room + "README.md") and
               re.search(r"Files here include", text := open(room + "README.md").read()) and
               all(f"`{name}/" in text for name in rooms(room)))]
check(len(LAYERS) == 12 and not silent, f"the README of each of {len(LAYERS)} rooms names its folders and what it may include" +
      "".join(f" ({room} does not)" for room in silent))
includes = {path: included(path) for path in files}
round_trips = circles({path: names for path, names in includes.items() if path.endswith(".h")})
check(not round_trips, "no header includes itself by way of others" + "".join(" " + p for p in round_trips))
check(circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}) == ["b", "c"], "a circle is noticed")
round_trips = circles(parts(includes))
check(not round_trips, "no two parts include each other, directly or through others" + "".join(" " + p for p in round_trips))
pair = {"a.c": {"a.h", "b.h"}, "a.h": set(), "b.h": {"a.h"}}
check(circles(parts({**pair, "b.c": {"b.h"}})) == ["a", "b"] and not circles(parts(pair)),
      "two such parts are noticed, a private header is none")

table = symbols(os.path.dirname(MAXK))
home = {name: path for path, (defined, _, _) in table.items() for name in defined}
calls = [(path, name, home[name]) for path, (_, undefined, _) in sorted(table.items())
         for name in sorted(undefined) if name in home]
climbs = [f"{path} uses {name} of {other}" for path, name, other in calls if layer(other) > layer(path)]
for row in climbs:
    print("not ok a symbol of a higher layer: " + row)
check(len(calls) > 1000 and not climbs, f"{len(calls)} uses of symbols go down the layers")
# An entry of a registry calls what the registry offers to all; that the registry has its address is no call. Most entries are
# structs; those of commands are functions.
called = {path: {other for user, name, other in calls if user == path and name in table[other][2] and not
                 name.startswith("mk_cmd_")} for path in table}
round_trips = circles(called)
check(sum(map(len, called.values())) > 1000 and not round_trips, "no two sources call each other, directly or through others" +
      "".join(" " + p for p in round_trips))

in_archive = subprocess.run(["ar", "t", os.path.join(os.path.dirname(MAXK), "libmaxk-objects.a")],
                            capture_output=True, text=True, check=True).stdout.split()
PROGRAM = ("sim/program/command/", "sim/program/bench/")
strangers = {pathlib.Path(p).stem + ".o" for p in files if p.startswith(PROGRAM)} & set(in_archive)
check(len(in_archive) > 0 and not strangers, "the library holds neither commands nor the benchmark")

direct = [str(p) for p in pathlib.Path("sim").glob("*.[ch]")] + [str(p) for p in pathlib.Path("analysis").glob("*.[ch]")]
check(not direct, "no source file is directly in sim/ or analysis/" + "".join(" " + p for p in direct))
TOP = {"Makefile", "README.md", "LICENSE", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "Containerfile", "experiments",
       "results", "tests", *FOLDERS}
listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True).stdout.split("\n")  # nothing in a tarball
extra = {name for p in listed if (name := p.split("/")[0]) and not name.startswith(".")} - TOP
check(not extra, "nothing else is at the top" + "".join(" " + name for name in sorted(extra)))
crowded = {folder: sum(os.path.dirname(p) == folder for p in files) for folder in {os.path.dirname(p) for p in files}}
check(max(crowded.values()) <= 45, f"no folder holds more than 45 source files (most: {max(crowded.values())})")
long = [f"{p} ({n} lines)" for p in files if (n := sum(1 for _ in open(p))) > 900]
check(not long, "no source file is longer than 900 lines" + "".join(" " + p for p in long))
# What kind of source a problem has is known where sources are made and read from files; everyone else asks for what it has.
MAKERS = ("sim/problem/", "sim/run/experiment/")
KIND = re.compile(r"\bmk_source_(?!type|series)\w+")
curious = [path for path in files if not path.startswith(MAKERS) and KIND.search(open(path).read())]
check(not curious and KIND.search(open("sim/run/experiment/experiment_arms.c").read()),
      "only sim/problem and sim/run/experiment name a kind of source" + "".join(f" ({path} does)" for path in curious))

finish()
