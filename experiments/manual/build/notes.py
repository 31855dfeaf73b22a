"""The tables of experiments/notes are made by commands, which stand in comments above them:

    <!-- table of experiments/x.yaml         `of`: the files that it rests on
    COMMAND…                                 bash; prints the rows of the table, in Markdown
    -->

    <!-- table of experiments/y.yaml in results/y_*.h5

The first is made from nothing, in a folder of its own, in which the blocks of commands below `<!-- run -->` have run; the second,
which takes too long for that, from results of this checkout, if they are there and newer than the files.
A table that quotes a publication, which published.md names, is recorded as it is, not made:

    <!-- table as printed in AUTHOR YEAR -->

A table without such a comment is an error.

A comment at the end of each page says what it was made from: a digest of each table with its commands, and of each file that
the page or a table names and that these files name, comments apart. That of a file is renewed when all tables that rest on
it have been made again; of quoted tables, when `make notes` is called.

    notes.py MAXK [PAGE…]         make the tables again (`make notes`)
    notes.py --check              write nothing, run nothing: name each page that is not as it was made
    notes.py --compare MAXK [PAGE…]  write nothing: name each table that is printed otherwise now
The exit code is 1 if there is such a page or table."""
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

FOLDER, BEGIN, END = "experiments/notes/", "<!-- made from\n", "-->\n"
LIST = FOLDER + "published.md"  # of commands: it has no results
NAMED = r"[\w./*-]+\.(?:yaml|csv\.gz|csv|sh|py|c)\b"


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def content(path):
    with open(path, "rb") as f:
        data = f.read()
    if not path.endswith((".yaml", ".sh", ".py")):
        return data
    lines = (re.sub(rb"(^|\s)#.*", b"", line).rstrip() for line in data.splitlines())
    return b"\n".join(line for line in lines if line)


def files(text, folder):
    """The files of experiments/ that a text names, by their path (from `folder`, or experiments/), or as a word."""
    names = {n.lstrip("/") for n in re.findall(NAMED, text)} | {n + ".yaml" for n in re.findall(r"\b[a-z]\w+\b", text)}
    return {os.path.normpath(p) for n in names for at in (folder, "experiments", ".") for p in glob.glob(os.path.join(at, n))
            if os.path.normpath(p).startswith("experiments/") and os.path.isfile(p)}


def closure(paths):
    """These files and those that they name: data, spaces, sources of plugins, experiments of a script."""
    found, new = set(), set(paths)
    while new:
        found |= new
        texts = ((p, content(p).decode()) for p in new if not p.endswith((".gz", ".csv")))
        new = {f for p, text in texts for f in files(text, os.path.dirname(p))} - found
    return found


class Table:
    def __init__(self, page, line, head, commands, rows):
        self.where, self.comment, self.commands, self.rows = f"{page}:{line}", head + "\n" + commands, commands, rows
        self.quoted = head.startswith("as printed in ")
        of, _, into = head.removeprefix("of ").partition(" in ")
        self.of, self.needs = ([], []) if self.quoted else (of.split(), into.split())
        self.sources = closure(self.of) if all(map(os.path.isfile, self.of)) else set()
        self.made = False

    def mark(self):
        return digest((self.comment + "\n" + self.rows).encode())

    def published(self):
        with open(LIST, encoding="utf-8") as f:
            source = re.escape(self.comment.strip().removeprefix("as printed in "))
            return re.search(rf"(?<!\w){source}(?!\w)", f.read())

    def malformed(self):
        if not self.comment.strip():
            return "expected a comment above the table that says how it is made"
        if self.quoted and not self.published():
            return f"expected a publication that {LIST} names, and no commands"
        if not self.quoted and not (self.sources and self.commands.strip()):
            return "expected `of`, files that are there, and commands"
        return None

    def problem(self):
        return self.malformed() or (None if self.rows.count("\n") > 2 else "no rows: `make notes`")


class Page:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.body, _, old = self.text.partition(BEGIN)
        self.old = dict(line.split()[::-1] for line in old.removesuffix(END).splitlines())
        self.steps = []  # blocks of commands (text) and tables, in their order
        pattern = (r"^<!-- run -->\n```\w*\n(.*?)^```$|^<!-- table (.*?)(?:\n(.*?))? ?-->\n\n?((?:\|[^\n]*\n)*)"
                   r"|^((?:\|[^\n]*\n)+)")
        for m in re.finditer(pattern, self.body, re.M | re.S):
            line = self.body.count("\n", 0, m.start()) + 1
            self.steps.append(m[1] or Table(path, line, (m[2] or "").strip(), m[3] or "", m[4] or m[5] or ""))
        self.tables = [s for s in self.steps if isinstance(s, Table)]

    def named(self):
        prose = re.sub(r"^<!--.*?-->$", "", self.body, flags=re.M | re.S)
        quoted = " ".join(re.findall(r"`[^`]*`", prose)) + " ".join(re.findall(r"^```.*?^```$", prose, re.M | re.S))
        return closure(files(quoted, "experiments"))

    def marks(self, renewed):
        """The comment's content, {what: digest}: `renewed` says whether that of a file, or of a table, is taken as it is now."""
        marks = {f"table-{i + 1}": t.mark() for i, t in enumerate(self.tables) if renewed(t) or t.mark() in self.old.values()}
        for path in sorted(self.named().union(*(t.sources for t in self.tables))):
            if all(renewed(t) for t in self.tables if path in t.sources):
                marks[path] = digest(content(path))
            elif path in self.old:
                marks[path] = self.old[path]
        return marks

    def stale(self):
        recorded = sum(w.startswith("table-") for w in self.old)
        now = self.marks(lambda t: True)
        marks = set(self.old.values())
        for table in self.tables:
            if table.problem() or table.mark() not in marks:
                yield f"{table.where}: {table.problem() or 'not the table that `make notes` wrote'}"
        changed = [p for p in sorted(now.keys() | self.old.keys())
                   if not p.startswith("table-") and now.get(p) != self.old.get(p)]
        if changed or not now:
            yield f"{self.path}: made from other versions of {', '.join(changed) or 'nothing'}: `make notes`"
        elif len(self.tables) != recorded:
            yield f"{self.path}: made with another number of tables: `make notes`"

    def make(self, maxk, rows_of):
        """Runs its steps; rows_of(table, rows) takes what was printed."""
        with tempfile.TemporaryDirectory() as own:
            for name in os.listdir("."):
                if name != "results" and not name.startswith("."):
                    os.symlink(os.path.abspath(name), f"{own}/{name}")
            os.makedirs(own + "/results")
            os.makedirs(own + "/.bin")
            os.symlink(os.path.abspath(maxk), own + "/.bin/maxk")
            environment = {**os.environ, "PATH": f"{own}/.bin:{os.environ['PATH']}", "MAXK": "maxk",
                           "PYTHONDONTWRITEBYTECODE": "1"}
            here = os.path.dirname(os.path.abspath(__file__))
            table_step = f'note_table() {{ /usr/bin/python3 "{here}/note_table.py" "$@"; }}\n'

            def run(commands, folder, where):
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", table_step + commands], cwd=folder, env=environment,
                                      capture_output=True, text=True)
                if done.returncode:
                    raise ValueError(f"{where}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
                return done.stdout

            for step in self.steps:
                if isinstance(step, str):
                    run(step, own, self.path)
                elif step.malformed():
                    raise ValueError(f"{step.where}: {step.malformed()}")
                elif not step.quoted and self.ready(step):
                    rows = run(step.commands, "." if step.needs else own, step.where)
                    if rows.count("\n") < 3 or not all(line.startswith("|") for line in rows.splitlines()):
                        raise ValueError(f"{step.where}: expected the rows of a table, got '{rows[:200]}'")
                    rows_of(step, rows)
                    step.made = True

    def ready(self, table):
        """Whether its results are all there, and none is older than a file that has changed since the table was made."""
        changed = [p for p in table.sources if digest(content(p)) != self.old.get(p)]
        for pattern in table.needs:
            found = glob.glob(pattern)
            old = [f for f in found if os.path.getmtime(f) < max(map(os.path.getmtime, changed), default=0)]
            if not found or old:
                why = f"{old[0]} is older than what it is made from" if old else f"{pattern} is not there"
                print(f"{table.where}: left as it is: {why}")
                return False
        return True

    def write(self, maxk):
        new = {}
        self.make(maxk, lambda table, rows: new.update({table: rows}))
        for table, rows in new.items():
            above = "table " + table.comment.rstrip("\n") + ("\n" if table.commands else " ") + "-->\n"
            if self.body.count(above) != 1:
                raise ValueError(f"{table.where}: the same comment twice")
            head, _, rest = self.body.partition(above)
            rest = rest.removeprefix("\n" + table.rows).lstrip("\n")
            self.body = head + above + "\n" + rows + "\n" + rest
            table.rows = rows
        marks = self.marks(lambda t: t.made or t.quoted)
        self.text = self.body + BEGIN + "".join(f"{d} {what}\n" for what, d in marks.items()) + END
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(self.text)
        print(f"  notes {self.path}: {len(new)} of {len(self.tables)} tables made")
        return False

    def compare(self, maxk):
        bad = []

        def rows_of(table, rows):
            lines = [(a, b) for a, b in zip(table.rows.splitlines() + [""], rows.splitlines() + [""]) if a != b]
            if rows != table.rows:
                bad.append(table)
                print(f"{table.where}: printed otherwise now: {lines[0][1] if lines else 'more rows'}")
        self.make(maxk, rows_of)
        return bool(bad)


def main(arguments):
    check, compare = "--check" in arguments, "--compare" in arguments
    maxk, *only = [a for a in arguments if not a.startswith("--")] or [""]
    pages = [p for p in sorted(glob.glob(FOLDER + "*.md")) if p != LIST and (not only or os.path.basename(p)[:-3] in only)]
    if len(pages) < len(only) or not pages:
        print(f"notes.py: no such page of {FOLDER}: {' '.join(only)}", file=sys.stderr)
        return 2
    bad = False
    for path in pages:
        try:
            page = Page(path)
            problems = list(page.stale()) if check else []
            bad |= bool(problems) or not check and (page.compare if compare else page.write)(maxk)
        except ValueError as problem:
            problems, bad = [str(problem)], True
        for problem in problems:
            print(problem, file=sys.stderr)
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
