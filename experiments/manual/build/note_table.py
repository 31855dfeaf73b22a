"""Rows of CSV as a table in Markdown, for experiments/notes: note_table.py [OPTION]… [FILE]…

    -k NAME=EXPRESSION   a column that names a row
    -c EXPRESSION        one column for each of its values, each with the cell -v
    -v [NAME=]EXPRESSION a cell; without -c one column NAME for each
    -w EXPRESSION        only the rows of the CSV for which it is true
    -o EXPRESSION        order of the rows (default: as they come)
    -r 'OLD: NEW'        NEW in place of OLD in names of rows and columns; columns of -c come in the order of these

Expressions are those of Python in the columns of the CSV, numbers where they are numbers, and `file`, the name of the file."""
import argparse
import csv
import math
import os
import sys

MINUS = "−"


def num(x, digits):
    """.0123 or −12.3: without a zero before the point, with the minus sign."""
    text = f"{abs(x):.{digits}f}"
    return (MINUS if x < 0 else "") + (text[1:] if text.startswith("0.") else text)


def signed(x, digits):
    return ("" if x < 0 else "+") + num(x, digits)


def sig(x, digits=3, rounding=round):
    """With so many significant digits, thousands apart: 0.0123, 12.3, 12,300. rounding: math.floor or math.ceil of bounds."""
    if not x:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(x)))
    rounded = rounding(x * 10.0**places)
    if abs(rounded) == 10**digits:
        places -= 1
        rounded //= 10
    return f"{rounded / 10.0**places:,.{max(places, 0)}f}".replace("-", MINUS)


def low(x, digits=4):
    return sig(x, digits, math.floor)


def high(x, digits=4):
    return sig(x, digits, math.ceil)


def mark(text, verdict):
    """Better in bold, worse in italics."""
    return {"better": f"**{text}**", "worse": f"*{text}*"}.get(verdict, text)


def power(x):
    """10^5, or 1000 as it is."""
    exponent = round(math.log10(x))
    return f"10^{exponent}" if x >= 1e4 and 10**exponent == x else f"{x:g}"


FUNCTIONS = {f.__name__: f for f in (num, signed, sig, low, high, mark, power)} | {"math": math}


def value(text):
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def rows(paths):
    for path in paths or ["-"]:
        with open(0 if path == "-" else path, newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                yield {"file": os.path.basename(path).rsplit(".", 1)[0], **{k: value(v) for k, v in row.items()}}


def main():
    parser = argparse.ArgumentParser()
    for option in "kvrw":
        parser.add_argument("-" + option, action="append", default=[])
    for option in "co":
        parser.add_argument("-" + option)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    keys = [k.split("=", 1) for k in options.k]
    cells = [["", v] for v in options.v] if options.c else [v.split("=", 1) for v in options.v]
    renamed = dict(r.split(": ", 1) for r in options.r)
    table, columns, order = {}, [], {}

    def of(expression, row):
        return eval(expression, {**FUNCTIONS, **row})

    def name(text):
        return renamed.get(str(text), str(text))

    for row in rows(options.files):
        if not all(of(w, row) for w in options.w):
            continue
        key = tuple(name(of(k, row)) for _, k in keys)
        line = table.setdefault(key, {})
        order.setdefault(key, of(options.o, row) if options.o else len(order))
        for heading, cell in cells:
            column = name(of(options.c, row)) if options.c else heading
            if column in line:
                sys.exit(f"note_table.py: two cells for {', '.join(key)}: {column}")
            if column not in columns:
                columns.append(column)
            line[column] = str(of(cell, row))
    if options.c:
        first = list(renamed.values())
        columns.sort(key=lambda c: first.index(c) if c in first else len(first))
    for line in [[k for k, _ in keys] + columns, ["---"] * (len(keys) + len(columns))] + [
            [*key, *(table[key].get(c, "–") for c in columns)] for key in sorted(table, key=order.get)]:
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
