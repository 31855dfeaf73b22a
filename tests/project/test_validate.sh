#!/bin/bash
# tests/validate/validate.py with few replications: the three reports, resumption, what makes it start again or fail.
. tests/support/lib.sh
export MAXK=$maxk
validate() { python tests/validate/validate.py --out "$dir" --replications 20 --e4-replications 60 "$@" >"$dir/out" 2>&1; }
few=(--only table_c2 --only rising_bandits --only theorem_4_2)

check "three jobs run" validate "${few[@]}"
check "md, csv and html are there" there "$dir"/validation.{md,csv,html}
check "the CSV header" equal "$(head -n 1 "$dir/validation.csv")" \
    claim,source,experiment,where,quantity,relation,expected,observed,ci_low,ci_high,verdict,figure,note
check "rows of the three claims, with verdicts and figures that exist" python - "$dir/validation.csv" <<'PY'
import csv, os, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert {r["claim"] for r in rows} == {"table_c2", "rising_bandits", "theorem_4_2"}, rows
assert all(r["verdict"] in ("holds", "violated", "vacuous", "inconclusive", "not-applicable") for r in rows)
assert all(not r["figure"] or os.path.exists(r["figure"]) for r in rows) and any(r["figure"] for r in rows)
PY
check "the page holds its figures" has "$dir/validation.html" '^<svg'
check "and refers to nothing outside" lacks "$dir/validation.html" '(src|href)=.(http|/|\.\.)'
check "its tags are balanced" python - "$dir/validation.html" <<'PY'
import html.parser, sys
class Tags(html.parser.HTMLParser):
    open, seen = [], 0
    def handle_starttag(self, tag, attrs):
        self.seen += 1
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
t = Tags()
t.feed(open(sys.argv[1]).read())
assert t.seen > 100 and not t.open
PY

cp "$dir/validation.csv" "$dir/before.csv"
rm "$dir/validation/table_c2.json"
check "a second run" validate "${few[@]}"
check "does what is missing" has "$dir/out" '^table_c2: 8 holds \(.* s\)$'
check "keeps what is finished" equal "$(grep -c '(kept)$' "$dir/out")" 2
check "and reports the same" cmp "$dir/before.csv" "$dir/validation.csv"
check "other settings" validate "${few[@]}" --replications 21
check "start again" equal "$(grep -c '(kept)$' "$dir/out")" 0

cat >"$dir/broken" <<'SH'
#!/bin/sh
case "$*" in *table_c2*) echo "broken" >&2; exit 1;; *) exec "$MAXK" "$@";; esac
SH
chmod +x "$dir/broken"
validate --only table_c2 --maxk "$dir/broken"
code=$?
check "a job that breaks down: exit status 1" equal $code 1
check "it is reported" has "$dir/out" '^FAILED table_c2: .*broken'
check "and leaves nothing half done" [ ! -e "$dir/validation/table_c2.json.tmp" ]
finish
