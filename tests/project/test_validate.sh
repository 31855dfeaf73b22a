#!/bin/bash
# tests/validate/validate.py with few replications: the three reports, resumption, and what makes it start over or fail.
set -u
export MAXK=${MAXK:-build/maxk}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }
validate() { /usr/bin/python3 tests/validate/validate.py --out "$dir" --replications 20 --e4-replications 60 "$@" >"$dir/log" 2>&1; }
few=(--only table_c2 --only rising_bandits --only theorem_4_2)

validate "${few[@]}"
check $? "three jobs run"
[ -s "$dir/validation.md" ] && [ -s "$dir/validation.csv" ] && [ -s "$dir/validation.html" ]
check $? "md, csv and html are there"
[ "$(head -n 1 "$dir/validation.csv")" = "claim,source,experiment,where,quantity,relation,expected,observed,ci_low,ci_high,verdict,figure,note" ]
check $? "the CSV header"
/usr/bin/python3 - "$dir/validation.csv" <<'PY'
import csv, os, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert {r["claim"] for r in rows} == {"table_c2", "rising_bandits", "theorem_4_2"}, rows
assert all(r["verdict"] in ("holds", "violated", "vacuous", "inconclusive", "not-applicable") for r in rows)
assert all(not r["figure"] or os.path.exists(r["figure"]) for r in rows) and any(r["figure"] for r in rows)
PY
check $? "rows of the three claims, with verdicts and figures that exist"
grep -q 'src=.data:image/svg+xml;base64,' "$dir/validation.html" && ! grep -qE '(src|href)=.(http|/|\.\.)' "$dir/validation.html"
check $? "the page holds its figures and refers to nothing outside"
/usr/bin/python3 - "$dir/validation.html" <<'PY'
import html.parser, sys
class Tags(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
t = Tags()
t.feed(open(sys.argv[1]).read())
assert not t.open
PY
check $? "its tags are balanced"

cp "$dir/validation.csv" "$dir/before.csv"
rm "$dir/validation/table_c2.json"
validate "${few[@]}" && grep -q '^table_c2: 8 holds (.* s)$' "$dir/log" && [ "$(grep -c '(kept)$' "$dir/log")" -eq 2 ] &&
    cmp -s "$dir/before.csv" "$dir/validation.csv"
check $? "a second run keeps what is finished, does what is missing, and reports the same"
validate "${few[@]}" --replications 21 && ! grep -q '(kept)$' "$dir/log"
check $? "other settings start anew"

cat >"$dir/broken" <<'SH'
#!/bin/sh
case "$*" in *table_c2*) echo "broken" >&2; exit 1;; *) exec "$MAXK" "$@";; esac
SH
chmod +x "$dir/broken"
validate --only table_c2 --maxk "$dir/broken"
[ $? -eq 1 ] && grep -q '^FAILED table_c2: .*broken' "$dir/log" && [ ! -e "$dir/validation/table_c2.json.tmp" ]
check $? "a job that breaks down is reported, and the exit status is 1"
exit $bad
