"""tests/validate/validate.py with few replications: the three reports, resumption, what makes it start again or fail."""
import csv
import html.parser
import os
import re
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, write

FEW = ("--only", "table_c2", "--only", "rising_bandits", "--only", "theorem_4_2")
HEADER = "claim,source,experiment,where,quantity,relation,expected,observed,ci_low,ci_high,verdict,figure,note"
VERDICTS = ("holds", "violated", "vacuous", "inconclusive", "not-applicable")
BROKEN = '#!/bin/sh\ncase "$*" in *table_c2*) echo "broken" >&2; exit 1;; *) exec "$MAXK" "$@";; esac\n'


def validate(*options):
    """Exit code, and what it printed."""
    done = subprocess.run([sys.executable, "tests/validate/validate.py", "--out", d, "--replications", "20", "--e4-replications",
                           "60", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "MAXK": MAXK})
    return done.returncode, done.stdout


def runs(text, *options):
    code, said = validate(*options)
    check(code == 0, f"{text}: {said[-300:] if code else ''}")
    return said


class Tags(html.parser.HTMLParser):
    open, seen, balanced = [], 0, True

    def handle_starttag(self, tag, attrs):
        self.seen += 1
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.balanced &= bool(self.open) and self.open.pop() == tag


def reports():
    runs("three jobs run", *FEW)
    check(all(os.path.getsize(f"{d}/validation.{kind}") for kind in ("md", "csv", "html")), "md, csv and html are there")
    check(open(f"{d}/validation.csv").readline().rstrip("\n") == HEADER, "the CSV header")
    rows = list(csv.DictReader(open(f"{d}/validation.csv")))
    check({r["claim"] for r in rows} == {"table_c2", "rising_bandits", "theorem_4_2"}
          and all(r["verdict"] in VERDICTS for r in rows)
          and all(not r["figure"] or os.path.exists(r["figure"]) for r in rows) and any(r["figure"] for r in rows),
          "rows of the three claims, with verdicts and figures that exist")
    page = open(f"{d}/validation.html").read()
    check(re.search("^<svg", page, re.M), "the page holds its figures")
    check(not re.search(r"(src|href)=.(http|/|\.\.)", page), "and refers to nothing outside")
    tags = Tags()
    tags.feed(page)
    check(tags.balanced and tags.seen > 100 and not tags.open, "its tags are balanced")


def resumption():
    before = open(f"{d}/validation.csv").read()
    os.remove(f"{d}/validation/table_c2.json")
    said = runs("a second run", *FEW)
    check(re.search(r"^table_c2: 8 holds \(.* s\)$", said, re.M), "does what is missing")
    check(len(re.findall(r"\(kept\)$", said, re.M)) == 2, "keeps what is finished")
    check(open(f"{d}/validation.csv").read() == before, "and reports the same")
    said = runs("other settings", *FEW, "--replications", "21")
    check("(kept)" not in said, "start again")


def failure():
    write(f"{d}/broken", BROKEN)
    os.chmod(f"{d}/broken", 0o755)
    code, said = validate("--only", "table_c2", "--maxk", f"{d}/broken")
    check(code == 1, "a job that breaks down: exit status 1")
    check(re.search("^FAILED table_c2: .*broken", said, re.M), "it is reported")
    check(not os.path.exists(f"{d}/validation/table_c2.json.tmp"), "and leaves nothing half done")


with folder() as d:
    reports()
    resumption()
    failure()
finish()
