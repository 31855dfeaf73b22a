"""A registry is one row of analysis/answers/tables/registries.def: lists, descriptions, help, the man page and completions
follow from it, and no other source enumerates registries."""
import glob
import re
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish

ROWS = "analysis/answers/tables/registries.def"


def document(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def run(*arguments):
    return subprocess.run([MAXK, *arguments], capture_output=True, text=True, check=True).stdout


rows = re.findall(r"^(DESCRIBED|LISTED|OF_TABLE|OF_PROGRAM)\((\w+), ?(.*?)\)$", document(ROWS), re.M | re.S)
names = [name for _, name, _ in rows]
described = {name: re.findall(r'"((?:[^"\\]|\\.)*)"', rest) for kind, name, rest in rows if kind == "DESCRIBED"}
check(len(names) > 15 and len(described) > 5, f"{len(names)} rows, {len(described)} with entries that can be described")

operands = "|".join(names)
usage, tables = run("list", "--help"), run("list", "tables", "--csv")
check(re.sub(r"\n +", "", usage).startswith(f"usage: maxk list {operands} "), "the usage of maxk list has them in this order")
check(all(re.search(rf"^  {name}\b", usage, re.M) for name in names), "and its help a line for each")
own = [name for kind, name, _ in rows if kind != "OF_PROGRAM"]
check(f'list,{"|".join(own)},' in tables, "the table `list` of the library has those that need no program")
completions = {shell: run(f"--help={shell}") for shell in ("bash", "zsh", "fish")}
for shell, script in completions.items():
    check(" ".join(names) in script, f"{shell} completes them")
check(all(run("list", name) for name in names if name not in ("options", "experiments")), "all can be listed")

page, of_describe, missing = run("--help=man"), run("describe", "--help"), []
for name, (one, heading, *_) in described.items():
    section = page.split(f"\n.SH {heading}\n")[1].split("\n.SH ")[0]
    entries = [line.split()[0] for line in run("list", name).splitlines()]
    on_page = re.findall(r"^\.TP\n\\fB(.*)\\fR$", section, re.M)
    missing += [f"{name}: {section[:60]!r}"] * (on_page != entries) + [one] * (one not in re.sub(r"\s+", " ", of_describe))
    missing += [entry for entry in (entries[0], entries[-1]) if not run("describe", entry).startswith(f"{entry}: ")]
    missing += [f"{shell}: {entry}" for shell in completions for entry in entries
                if not re.search(rf"\b{entry}\b", completions[shell].split("describe", 1)[1])]
check(not missing, f"described, on the man page and completed are the entries of every list{missing or ''}")

elsewhere = [path for folder in ("sim", "analysis") for path in glob.glob(f"{folder}/**/*.[ch]", recursive=True)
             for text in re.findall(r'"[^"\n]*"', document(path)) if len(set(re.split(r"\W+", text)) & {*names}) > 6]
check(not elsewhere, f"no other source enumerates registries{'; '.join(['', *elsewhere])}")
finish()
