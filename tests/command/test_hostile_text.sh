# Labels, titles and file names with everything that shells, gnuplot, LaTeX, Markdown, XML and terminals care about: they
# come out as they went in, and nothing in them is run.
set -u
maxk=$(readlink -f "${MAXK:-build/maxk}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
check() { # exit code of a condition, text
    if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi
}
cd "$dir" || exit 1
cat >e.yaml <<'Y'
name: hostile
title: "`touch ran` $(touch ran) '; system(\"touch ran\") # @x \\ _^{} <b>&amp; \u05e9\u05dc\u05d5\u05dd %d"
source: "\"quoted\", 'single', | pipe"
problem:
  arms:
    - {family: uniform, lo: 0, hi: 1, label: "`touch ran`'\"$(touch ran)\\ @x _a^b {c} | & % # ~ < >"}
    - {family: beta, a: 2, b: 3, label: "'.system('touch ran').' \u05e9\u05dc\u05d5\u05dd \u00c4\u20ac, x"}
    - {family: uniform, lo: 0, hi: 0.9, label: "-n012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"}
policies:
  - {name: max_ucb, alpha: [0.1, 0.5, 1], label: "`touch ran`'\"$(touch ran)\\ @x_^ | & {alpha}"}
  - {name: uniform, label: "'; system('touch ran'); \u202ax"}
horizons: [10, 20, 40]
replications: 8
Y
"$maxk" run e.yaml -q -o r.h5 2>err
[ $? -eq 2 ] && grep -q 'e.yaml:11:[0-9]*: label: ' err && [ "$(wc -l <err)" -eq 1 ]
check $? "a label that turns the direction of writing is refused: $(tail -c 100 err)"
sed -i 's/ \\u202ax//' e.yaml
"$maxk" run e.yaml -q -o r.h5; check $? "labels of every kind run"

# Names of outputs
for out in "a b'\"\$(touch ran).h5" ./-dash.h5 $'two\nlines.h5' 'per%cent;.h5'; do
    "$maxk" run e.yaml -q -o "$out" && [ -f "$out" ] && "$maxk" summary "$out" >/dev/null && "$maxk" info "$out" >/dev/null
    check $? "result named $(printf %q "$out")"
done

folder='f g;touch ran'\''"$(touch ran)'
"$maxk" figures r.h5 --out "$folder" --format svg >list 2>err; check $? "figures: $(wc -l <list) drawn $(cat err)"
"$maxk" figures e.yaml --out "$folder" --format png >list 2>err; check $? "figures of the experiment: $(wc -l <list) drawn $(cat err)"
"$maxk" rank r.h5 --resamples 10 --format latex >t.tex && "$maxk" rank r.h5 --resamples 10 --format markdown >t.md &&
    "$maxk" summary r.h5 --csv >t.csv && "$maxk" export r.h5 --csv "$folder/csv" >/dev/null && "$maxk" bounds r.h5 --csv >b.csv
check $? "tables as LaTeX, Markdown and CSV"

cat >look.py <<'P'
import csv, glob, re, sys, xml.etree.ElementTree as tree
title = "`touch ran` $(touch ran) '; system(\"touch ran\") # @x \\ _^{} <b>&amp; שלום %d"
arm = "`touch ran`'\"$(touch ran)\\ @x _a^b {c} | & % # ~ < >"
policy = "`touch ran`'\"$(touch ran)\\ @x_^ | & 0.1"
def check(good, text):
    print("ok" if good else "not ok", text)
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
bare = re.sub(r"\\[&%$#_{}]|\\text[a-z]+\{\}|\\textbf|\\underline|\\\\$", "", "".join(l.strip() + "\n" for l in body).replace("\\\\\n", "\n"))
check(body and not re.search(r"[%#_^~\\]", bare.replace("$\\pm$", "")), "LaTeX has no bare special character from a label")
P
/usr/bin/python3 look.py "$folder" >looked || bad=1
cat looked
grep -q '^not ok' looked && bad=1
[ -z "$(find . -name 'ran*')" ]; check $? "nothing in a label or a name was run"

# Terminals: escapes and line ends in file names and values do not come out of messages.
"$maxk" summary $'\e[31mred\nline\x80.h5' 2>err; [ "$(wc -l <err)" -eq 1 ] && ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' err && iconv -f UTF-8 err >/dev/null
check $? "a file name with escapes in a message: $(cat err)"
"$maxk" run e.yaml -q -o x.h5 -s $'name=\x80\e[31m' 2>err; [ $? -eq 2 ] && iconv -f UTF-8 err >/dev/null && ! grep -q $'\e' err
check $? "bytes that are not UTF-8 in an override: $(cat err)"
exit $bad
