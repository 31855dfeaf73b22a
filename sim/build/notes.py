"""What the tables of experiments/notes were made from: at the end of each page, in a comment, the experiments, scripts and data
that it names, each with a digest of what it says, comments apart. `notes.py` writes them, when the tables have been made again
(`make notes`); `notes.py --check` writes nothing and names each page whose tables may be out of date, exit code 1 if there is
one. A change of the program is not seen."""
import glob
import hashlib
import os
import re
import sys

BEGIN, END = "<!-- made from\n", "-->\n"
LIST = "experiments/notes/published.md"  # of commands: it has no results


def sources(text):
    """The files of experiments/ that a page names: NAME.yaml, NAME.sh, NAME.csv.gz, or `NAME` of an experiment."""
    names = set(re.findall(r"\b\w+\.(?:yaml|sh|csv\.gz)\b", text)) | {n + ".yaml" for n in re.findall(r"`(\w+)`", text)}
    return sorted(p for n in names for p in (f"experiments/{n}", f"experiments/data/{n}") if os.path.isfile(p))


def digest(path):
    with open(path, "rb") as f:
        content = f.read()
    if not path.endswith(".gz"):
        lines = (re.sub(rb"(^|\s)#.*", b"", line).rstrip() for line in content.splitlines())
        content = b"\n".join(line for line in lines if line)
    return hashlib.sha256(content).hexdigest()[:16]


def main(check):
    bad = False
    for page in sorted(set(glob.glob("experiments/notes/*.md")) - {LIST}):
        with open(page, encoding="utf-8") as f:
            text = f.read()
        body, _, old = text.partition(BEGIN)
        made = [f"{digest(path)} {path}" for path in sources(body)]
        if not made:
            print(f"{page}: it names no experiment, script or data", file=sys.stderr)
            bad = True
        new = body + BEGIN + "".join(line + "\n" for line in made) + END
        if new == text or not made:
            continue
        if check:
            changed = sorted({line.split()[1] for line in set(made) ^ set(old.removesuffix(END).splitlines())})
            print(f"{page}: made from other versions of {', '.join(changed)}: make its tables again, then `make notes`",
                  file=sys.stderr)
            bad = True
        else:
            with open(page, "w", encoding="utf-8") as f:
                f.write(new)
            print(f"  notes {page}")
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
