#!/bin/bash
# Labels, titles and file names with everything that shells, gnuplot, LaTeX, Markdown, XML and terminals care about: they
# come out as they went in, and nothing in them is run.
. tests/support/lib.sh
cd "$dir" || exit 1
cat >e.yaml <<'Y'
name: hostile
title: "`touch ran` $(touch ran) '; system(\"touch ran\") # @x \\ _^{} <b>&amp; \u05e9\u05dc\u05d5\u05dd %d"
source: "\"quoted\", 'single', | pipe"
problem:
  arms:
    - {family: uniform, lo: 0, hi: 1, label: "`touch ran`'\"$(touch ran)\\ @x _a^b {c} | & % # ~ < >"}
    - {family: beta, a: 2, b: 3, label: "'.system('touch ran').' \u05e9\u05dc\u05d5\u05dd \u00c4\u20ac, x"}
    - {family: uniform, lo: 0, hi: 0.9,
        label: "-n012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"}
policies:
  - {name: max_ucb, alpha: [0.1, 0.5, 1], label: "`touch ran`'\"$(touch ran)\\ @x_^ | & {alpha}"}
  - {name: uniform, label: "'; system('touch ran'); \u202ax"}
horizons: [10, 20, 40]
replications: 8
Y
refused "a label that turns the direction of writing" 'e.yaml:12:[0-9]+: label: ' "$maxk" run e.yaml -q -o r.h5
sed -i 's/ \\u202ax//' e.yaml
check "labels of every kind run" "$maxk" run e.yaml -q -o r.h5

# Names of outputs
named() { # FILE
    "$maxk" run e.yaml -q -o "$1" && [ -f "$1" ] && "$maxk" summary "$1" >/dev/null && "$maxk" info "$1" >/dev/null
}
for out in "a b'\"\$(touch ran).h5" ./-dash.h5 $'two\nlines.h5' 'per%cent;.h5'; do
    check "result named $(printf %q "$out")" named "$out"
done

folder='f g;touch ran'\''"$(touch ran)'
check "figures are drawn" "$maxk" figures r.h5 --out "$folder" --format svg
check "figures of the experiment" "$maxk" figures e.yaml --out "$folder" --format png
check "a table as LaTeX" into t.tex "$maxk" rank r.h5 --resamples 10 --format latex
check "as Markdown" into t.md "$maxk" rank r.h5 --resamples 10 --format markdown
# One table in every format.
for form in text csv json markdown latex html; do
    check "gaps as $form" into "gap.$form" "$maxk" gap e.yaml --show arm_label,gap --format $form
done
if command -v pdflatex >/dev/null; then
    {
        printf '\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n'
        LC_ALL=C grep -v '[^ -~]' gap.latex # the fonts of an article have no Hebrew
        printf '\\end{document}\n'
    } >document.tex
    check "LaTeX sets it" timeout -k 10 60 pdflatex -halt-on-error -interaction=batchmode document.tex
else
    skip "pdflatex is not installed"
fi
check "as CSV" into t.csv "$maxk" summary r.h5 --csv
check "bounds as CSV" into b.csv "$maxk" bounds r.h5 --csv
check "an export" "$maxk" export r.h5 --csv "$folder/csv"

cat >look.py <<'P'
import csv, glob, html, json, re, sys, xml.etree.ElementTree as tree
sys.path.insert(0, sys.argv[2])
from lib import check, finish
title = "`touch ran` $(touch ran) '; system(\"touch ran\") # @x \\ _^{} <b>&amp; שלום %d"
arm = "`touch ran`'\"$(touch ran)\\ @x _a^b {c} | & % # ~ < >"
policy = "`touch ran`'\"$(touch ran)\\ @x_^ | & 0.1"
svg = ["".join(tree.parse(f).getroot().itertext()) for f in glob.glob(sys.argv[1] + "/*.svg")]
squeeze = lambda t: re.sub(r"\s+", "", t)
check(svg and all(squeeze(title) in squeeze(t) for t in svg), f"{len(svg)} pictures are XML and show the title as it is")
check(any(squeeze(policy) in squeeze(t) for t in svg), "and a label")
rows = list(csv.DictReader(open("t.csv", newline="")))
check({r["policy"] for r in rows} >= {policy} and {r["arm_label"] for r in rows} >= {arm}, "CSV gives labels back")
check(all(None not in r and None not in r.values() for r in rows), "every row has the header's columns")
table = [l for l in open("t.md") if l.startswith("|")]
columns = {len(re.findall(r"(?<!\\)\|", l.replace("\\\\", ""))) for l in table}
check(len(table) > 3 and len(columns) == 1, "every row of the Markdown table has the same columns")
body = [l for l in open("t.tex") if "touch ran" in l]
bare = "".join(l.strip() + "\n" for l in body).replace("\\\\\n", "\n")
bare = re.sub(r"\\[&%$#_{}]|\\text[a-z]+\{\}|\\textbf|\\underline|\\\\$", "", bare)
check(body and not re.search(r"[%#_^~\\]", bare.replace("$\\pm$", "")), "LaTeX has no bare special character from a label")


def cells(form): # (label, gap) of every row, from documents by what they mean
    text = open(f"gap.{form}", newline="").read()
    if form == "text":
        return [tuple(re.split(" {2,}", l)) for l in text.split("\n\n")[0].splitlines()[1:]]
    if form == "csv":
        return [tuple(r) for r in csv.reader(open("gap.csv", newline=""))][1:]
    if form == "json":
        return [(r["arm_label"], repr(r["gap"])) for r in json.loads(text)]
    if form == "html":
        rows = re.findall('<tr><th scope="row">(.*)</th><td class="n">(.*)</td></tr>', text)
        return [(html.unescape(label), gap) for label, gap in rows]
    if form == "markdown":
        rows = [re.split(r"(?<!\\) ?\| ?", l)[1:3] for l in text.splitlines()[2:]]
        return [(re.sub(r"\\([!-/:-@[-`{-~])", r"\1", label), gap) for label, gap in rows]
    command = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">",
               "textbar": "|"}
    rows = [re.split(r" (?<!\\)& | \\\\", l)[:2] for l in text.splitlines() if "\\\\" in l][1:]
    return [(re.sub(r"\\(?:([&%$#_{}])|(text\w+)\{\})", lambda m: m[1] or command[m[2]], re.sub(r"^\{\}", "", label)), gap)
            for label, gap in rows]


programs, people = cells("csv"), cells("text")
check(len(programs) == 9 and programs[0][0] == arm and len({l for l, _ in programs}) == 3, "labels of a table for programs")
check([(l, float(g)) for l, g in cells("json")] == [(l, float(g)) for l, g in programs], "the same values as JSON and CSV")
check([(l, f"{float(g):.6g}") for l, g in programs] == people, "and, with six digits, for people")
for form in "markdown", "latex", "html":
    check(cells(form) == people, f"the same as {form}")
finish()
P
python look.py "$folder" "$top/tests/support" || bad=1
check "nothing in a label or a name was run" equal "$(find . -name 'ran*')" ""

# Terminals: escapes and line ends in file names and values do not come out of messages.
plain() { # FILE: no control characters, and UTF-8
    ! grep -P '[\x00-\x08\x0b-\x1f\x7f]' "$1" && iconv -f UTF-8 -t UTF-8 "$1"
}
refused "a file name with escapes in a message" 'red.*line' "$maxk" summary $'\e[31mred\nline\x80.h5'
check "is plain text" plain err
refused "bytes that are not UTF-8 in an override" 'name' "$maxk" run e.yaml -q -o x.h5 -s $'name=\x80\e[31m'
check "is plain text, too" plain err
finish
