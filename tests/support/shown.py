"""Whether a document shows what a program printed: shown.py SHOWN PRINTED, two files. The lines are equal and in the same
order; a line … stands for lines that are not shown. Blanks at the ends of lines do not count. Where they differ, a message and
exit code 1."""
import re
import sys


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip() for line in f.read().strip("\n").split("\n")]


def difference(shown, printed):
    """None, or what differs, as a text."""
    pattern = "".join("(?:.*\n)*" if line == "…" else re.escape(line) + "\n" for line in shown)
    if re.fullmatch(pattern, "".join(line + "\n" for line in printed)):
        return None
    for line in shown:
        if line != "…" and line not in printed:
            return f"not printed: {line}"
    for line in printed:
        if line not in shown and "…" not in shown:
            return f"not shown: {line}"
    return "the lines shown are printed in another order, or with others between them"


if __name__ == "__main__":
    found = difference(lines(sys.argv[1]), lines(sys.argv[2]))
    if found:
        print(found)
    sys.exit(found is not None)
