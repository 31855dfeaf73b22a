"""Writes sim/python/maxk/_tables.py: the tables of the program with the options of each, typed, from its registries.

usage: signatures.py MAXK            writes it
       signatures.py MAXK --check    writes nothing, says when it is out of date; exit code 1 then"""
import csv
import keyword
import subprocess
import sys
import textwrap
from pathlib import Path

OUT = Path("sim/python/maxk/_tables.py")
TYPES = {"flag": "bool", "text": "Optional[Text]", "texts": "Union[Text, Sequence[Text], None]", "count": "Optional[int]",
         "real": "Optional[float]", "counts": "Union[int, Sequence[int], None]",
         "reals": "Union[float, Sequence[float], None]"}
FURTHER = "further: bool = False"
METHODS = {"gap": "gap_table"}  # Result.gap is an array
HEAD = '''\
"""The tables of the program and their options, written by `make docs` from `maxk list tables` and `maxk list options`."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Optional, Protocol, Union, overload

Text = Union[str, os.PathLike[str]]
'''


def listed(maxk, *what):
    return list(csv.DictReader(subprocess.run([maxk, "list", *what, "--csv"], check=True, capture_output=True,
                                              text=True).stdout.splitlines()))


def parameter(option):
    """Its name: with underscores, and one more where it is a word of Python."""
    name = option["option"].replace("-", "_")
    return name + "_" * keyword.iskeyword(name)


def parameters(options):
    """The options as parameters, several to a line."""
    found = []
    for o in options:
        words = ", ".join(f'"{word}"' for word in o["choices"].split("|"))
        kind = f"Optional[Literal[{words}]]" if o["kind"] == "choice" else TYPES[o["kind"]]
        found.append(f"{parameter(o)}: {kind} = {'False' if o['kind'] == 'flag' else 'None'}")
    return found


def function(head, parts, tail):
    """`head(parts) -> Any:tail`, wrapped."""
    indent = " " * (head.index("def ") + 4)
    lines = textwrap.wrap(", ".join(parts), 130 - len(indent) - 20, break_long_words=False, break_on_hyphens=False)
    return f"{head}(\n{indent}    " + f"\n{indent}    ".join(lines) + f") -> Any:{tail}\n"


def method(table, what, options):
    name = METHODS.get(table, table)
    lines = [f'"""`maxk {table}`: {what}.']
    lines.append("")
    for o in options:
        about = o["meaning"] + (f"; {o['range']}" if o["range"] else "")
        lines += textwrap.wrap(f"{parameter(o)}: {about}", 118, subsequent_indent="    ",
                               break_long_words=False, break_on_hyphens=False)
    lines.append("further: a list of this table and those that are printed with it")
    body = "\n".join("        " + line if line else "" for line in lines)
    parts = ["self", "*", *parameters(options), FURTHER]
    return function(f"    def {name}", parts, f'\n{body}\n        """')


def content(maxk):
    tables = listed(maxk, "tables")
    commands = {row["command"] for row in listed(maxk, "commands")}
    options = {row["table"]: listed(maxk, "options", row["table"]) for row in tables}
    text = HEAD + '\n\nclass ResultTables:\n    """Signatures of the tables of a result, which maxk.Result makes."""\n'
    of_results = {row["table"]: row["what it shows"] for row in tables if ".h5" in row["inputs"] and row["table"] in commands}
    for table, what in of_results.items():
        text += "\n" + method(table, what, options[table])
    text += "\n\nRESULT_TABLES = {\n" + "".join(
        f'    "{METHODS.get(table, table)}": "{table}",\n' for table in of_results) + "}\n"
    text += '\n\nclass Table(Protocol):\n    """maxk.table: a table by its name, inputs and options."""\n'
    for table in options:
        parts = ["self", f'command: Literal["{table}"]', "*operands: Text", *parameters(options[table]), FURTHER]
        text += "\n    @overload\n" + function("    def __call__", parts, " ...")
    return text


def main():
    maxk, check = sys.argv[1], "--check" in sys.argv
    text = content(maxk)
    if OUT.exists() and OUT.read_text() == text:
        return 0
    if check:
        print(f"{OUT} is out of date: run `make docs`")
        return 1
    OUT.write_text(text)
    print(f"  docs {OUT}")
    return 0


sys.exit(main())
