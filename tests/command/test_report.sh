#!/bin/bash
# maxk report: one page that needs nothing else, with what it promises; opened in Chromium where that is installed (the list
# DEPS_LONG). LaTeX tables through lacheck where that is.
. tests/support/lib.sh
cd "$dir" || exit 1

cat >known.yaml <<'END'
title: Two arms & "one" <policy>
problem:
  arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 5, s: 1.1}]
policies: [{name: max_ucb, alpha: [0.1, 0.5, 1]}, {name: oracle}]
horizons: [20, 100]
replications: 30
END
check "a run" "$maxk" run known.yaml -o known.h5 -q
awk 'BEGIN { print "instance,arm,repetition,iteration,reward"; srand(2)
    for (i = 0; i < 4; i++) for (k = 0; k < 3; k++) for (r = 0; r < 3; r++) for (t = 0; t < 10; t++)
        printf "i%d,k_%d,%d,%d,%.5f\n", i, k, r, t, rand() }' >runs.csv
cat >runs.yaml <<'END'
problem: {trajectories: runs.csv}
policies: [{name: max_ucb}, {name: uniform}, {name: oracle}]
horizons: [5, 10]
END
check "a run on recorded rewards" "$maxk" run runs.yaml -o runs.h5 -q
mkdir -p scratch
check "a page of both" env TMPDIR="$PWD/scratch" "$maxk" report known.h5 runs.h5 -o page.html
figures=$(($("$maxk" figures known.h5 --out f1 | wc -l) + $("$maxk" figures runs.h5 --out f2 | wc -l)))
check "every figure, inline" equal "$(grep -c '^<svg' page.html)" "$figures"
check "each with a caption" equal "$(grep -o '<figcaption>' page.html | wc -l)" "$figures"
check "texts stay text" has page.html '<h2 id="[a-z0-9-]*">Two arms &amp; &quot;one&quot; &lt;policy&gt;</h2>'
for part in 'Summary at the largest horizon' 'Ranks at the largest horizon' 'Verdicts' 'Friedman' 'violated' \
    'The experiment as it was run' 'family: power' 'revision'; do
    check "it has: $part" grep -q -- "$part" page.html
done
best=$("$maxk" rank runs.h5 --pairs --horizon 10 --without oracle --csv | awk -F, 'NR == 2 { print $2, ($12 < 0.05), $3 }')
check "what ranks say, without those that know the best arm" has page.html \
    "^<p>At T = 10 ${best%% *} has the best average rank; it is .*${best##* } .on 4 instances; Wilcoxon"
check "significant or not" eval \
    '[ "$(cut -d" " -f2 <<<"$best")" = 1 ] && has page.html "it is significantly" || has page.html "it is undecided"'

# The sentence of a bound names every verdict with its number.
verdicts() { # RESULT BOUND
    "$maxk" bounds "$1" --csv --show variant,verdict | awk -F, -v bound="$2" '$1 == bound { n[$2]++; all++ } END { printf \
        "of %d cases %d hold, %d violated, %d vacuous, %d inconclusive, %d not-applicable\\.", all, n["holds"], n["violated"],
        n["vacuous"], n["inconclusive"], n["not-applicable"] }'
}
check "what the verdicts say" has page.html "^<p>Theorem 4.2 as printed: $(verdicts known.h5 printed) The bound that is computed"
check "of what is proved, too" has page.html " .crossing., proved for independent rewards: $(verdicts known.h5 crossing)"
# The rewards of arm b are 0 for 50 pulls and 1 from then on: no independent draws, and MaxUCB never learns of them.
awk 'BEGIN { print "instance,arm,repetition,iteration,reward"
    for (r = 0; r < 3; r++) for (t = 0; t < 200; t++)
        printf "i,a,%d,%d,%.3f\ni,b,%d,%d,%d\n", r, t, .3 + .001 * (t + r), r, t, (t >= 50) }' \
    >late.csv
printf 'problem: {trajectories: late.csv}\npolicies: [{name: max_ucb, alpha: 0.1}]\nhorizons: [20, 200]\n' >late.yaml
check "rewards that are no independent draws" "$maxk" run late.yaml -o late.h5 -q
check "their page" "$maxk" report late.h5 -o late.html
crossing=$(verdicts late.h5 crossing)
check "what is proved for independent rewards is violated there" eval \
    'case "$crossing" in *" 0 violated"*) false ;; esac && has late.html " .crossing., proved for independent rewards: $crossing"'
check "and the page says why" has late.html "recorded rewards, replayed in their order, are not independent draws"
check "which it does not say without cause" not has page.html "replayed in their order"
check "notes flow, sentences stay apart" eval 'has page.html "figure_e5 uses gap in place of its root" &&
    has page.html "^Two steps of the published proof"'
fetched() { grep -Eo '(src|href)="[^"#]*"' page.html | grep -v 'data:,'; }
check "nothing is fetched" not fetched
twice() { grep -Eo " id=[\"'][^\"']*" page.html | sort | uniq -d | grep .; }
check "no name twice" not twice
headings() { grep -Eo '^<h[23] id="[^"]*">' "$1" | sed 's/.*id="//; s/">//' | sort; }
linked() { sed -n '/^<nav/,/^<.nav/p' "$1" | grep -Eo 'href="#[^"]*"' | sed 's/.*#//; s/"//' | sort; }
check "a navigation to every heading, of both results" eval \
    'equal "$(headings page.html)" "$(linked page.html)" && test "$(linked page.html | grep -c "^sfigures")" = 2'
check "a page of one result" "$maxk" report known.h5 -o one.html
check "has its title once, and no level of headings is left out" eval \
    'equal "$(grep -c "<h[1-6]" one.html)" "$(($(grep -c "^<h2 id" one.html) + 1))" && has one.html "^<h1>Two arms &amp; "'
check "a table has heads, numbers to the right, and the meaning of its columns" eval \
    'has page.html "^<tr><th scope=.col.>instance</th><th scope=.col. class=.n.>horizon</th>" &&
     has page.html "<td class=.n.>100</td>" && has page.html "<dt>expected_max</dt><dd>E.M.T.., .* .rewards.</dd>"'
check "the temporary folder is gone" rmdir scratch

# Every table of a result is on the page, or named with the command that prints it or with the reason why it does not apply.
"$maxk" list tables --csv | awk -F, '$2 ~ /[.]h5/ { print $1 }' | sort >tables.txt
rows_below() { # HEADING, PAGE: first columns of the tables from there up to the next heading
    awk -v at="id=\"$1\"" 'index($0, at) && /^<h/ { on = 1; next } /^<h/ { on = 0 } on' "$2" |
        sed -n 's/^<tr><th scope="row">\([a-z_]*\)<.*/\1/p'
}
shown="bounds certify gap lu summary"
check "every table is on the page or named there, once" equal \
    "$({ printf '%s\n' $shown; rows_below sfurther-tables one.html; } | sort | paste -sd ' ')" "$(paste -sd ' ' tables.txt)"
check "with the reason where it does not apply" has one.html '<th scope=.row.>rank</th><td>it has one instance</td>'
sed -n 's/.*<td>\(maxk [^<]*\)<.td><.tr>$/\1/p' one.html | sed 's/ X$/ 0.5/; s/ DIR$/ files/' | sort -u >commands.txt
maxk() { "$maxk" "$@" >printed.txt; }
while read -r command; do
    check "a command of the page: $command" eval "$command"
done <commands.txt
check "there were some, files of maxk export among them" eval 'grep -q "maxk exceed known.h5 --above 0.5" commands.txt &&
    grep -q "maxk export known.h5 --csv files" commands.txt && there files/pulls.csv'
certified=$("$maxk" certify known.h5 --horizons 100 --refinement 0.2 --csv | awk -F, 'NR == 2 { printf "%d", $7 }')
check "certified bounds" has one.html \
    "^<tr><th scope=.row.>max_ucb alpha=0.1</th><td>known</td><td class=.n.>0</td>.*>$certified[.<]"
check "exact L and U" has one.html "^<tr><th scope=.row.>known</th><td class=.n.>0</td><td>arm 0</td><td class=.n.>1.0303<"
awk 'BEGIN { printf "name: many\npolicies: [max_ucb]\nhorizons: [200]\nreplications: 2\nproblem: {arms: ["
    for (k = 1; k <= 101; k++) printf "{family: uniform, lo: 0, hi: %g}, ", 1 + k / 1000
    print "]}" }' >many.yaml
check "a page of many arms" eval '"$maxk" run many.yaml -q -o many.h5 && "$maxk" report many.h5 -o many.html'
check "names the bounds, whose cost grows with their square" eval \
    'has many.html "<td>maxk certify many.h5</td>" && not has many.html "id=.scertified-bounds"'
check "and L and U, which take as long for each of them" eval \
    'has many.html "<td>maxk lu many.h5</td>" && not has many.html "id=.sl-and-u"'
check "a page of recorded runs alone" "$maxk" report runs.h5 --policy max_ucb -o recorded.html
check "has what describes them" eval 'has recorded.html "id=.srecorded-rewards" && has recorded.html "<dt>U_low</dt>"'
check "the bounds that would take time are named" has recorded.html '<td>maxk certify runs.h5</td>'
check "and tables of all policies, of whichever the figures are" has recorded.html '<h2 id="sranks-at-the-largest-horizon"'
check "a name that a shell would read otherwise" eval "cp known.h5 'a b.h5' && \"\$maxk\" report 'a b.h5' -o blank.html &&
    has blank.html \"<td>maxk info 'a b.h5'</td>\""
check "and needs a place" \
    sh -c "TMPDIR=none '$maxk' report known.h5 -o other.html 2>&1 | grep -q '^none/maxk-report-.*: cannot be created: '"
cat >own.yaml <<'YAML'
parts:
  - {text: "Words of one's own, a < b."}
  - {table: [[job, verdict], [one, holds], [two, "<none>"]]}
  - {heading: one}
  - {pictures: [f1/known_regret.svg], folded: one picture}
YAML
"$maxk" figures known.h5 --only regret --format svg --out f1 >/dev/null
check "a document of one's own" "$maxk" report own.yaml known.h5 --title 'A & B' -o own.html
check "with its title" has own.html '<h1>A &amp; B</h1>'
check "text" has own.html "<p>Words of one's own, a &lt; b.</p>"
check "cells that link to headings, and verdicts" has own.html \
    '<th scope="row"><a href="#sone">one</a></th><td class="holds">holds</td>'
check "cells that do not" has own.html '<th scope="row">two</th><td>&lt;none&gt;</td>'
check "and the heading" has own.html '<h2 id="sone">one</h2>'
check "a picture under a fold" has own.html '<summary>one picture</summary>'
refused "a row that lacks a cell" '^short.yaml:1:.*: table: expected 2 cells as in its first row, got 1' \
    sh -c "echo 'parts: [{table: [[a, b], [c]]}]' >short.yaml; '$maxk' report short.yaml -o own.html"
refused "a part of another kind" '^bad.yaml:1:10: words: unknown key' \
    sh -c "echo 'parts: [{words: a}]' >bad.yaml; '$maxk' report bad.yaml -o own.html"
refused "an experiment" '^known.yaml:1:1: parts: missing; .* maxk run makes' "$maxk" report known.yaml -o own.html
cp page.html kept.html
mkfifo fifo.svg
endless() { ! timeout 20 "$maxk" report picture.yaml -o own.html 2>why && has why "cannot be read: not a regular file"; }
for picture in /dev/zero fifo.svg; do
    echo "{parts: [{pictures: [$picture]}]}" >picture.yaml
    check "$picture is no picture" endless
done
echo '{parts: [{pictures: [known.yaml]}]}' >picture.yaml
refused "a picture of another kind" '^known.yaml: not an SVG picture$' "$maxk" report picture.yaml -o own.html
refused "no such result" 'none.h5: cannot be read' "$maxk" report none.h5 -o page.html
check "an earlier page stays" cmp page.html kept.html

# A study: its best configuration first, in the name and the sign of its metric, and no theorem.
cat >study.py <<'END'
import sys
a = dict(w.split("=", 1) for w in sys.argv[1:])
x = float(a["--x"])
if x > 0.8:
    sys.exit("x is too large")
print('{"scores": {"accuracy": %r}}' % (0.5 + x / 4 - (0.3 if a["--kernel"] == "<b>" else 0)))
END
cat >study.yaml <<'END'
name: classifiers
title: Which "classifier"?
command: [python3, study.py, '{args}']
metric: {json: scores.accuracy, maximize: true}
policy: {name: max_ucb, alpha: 0.5}
budget: {evaluations: 24}
reevaluate: 2
seed: 3
arms:
  - {label: 'one & all', space: {x: {real: [0, 1]}, kernel: {categorical: [rbf, <b>]}}, optimizer: random}
  - {label: two, space: {x: {real: [0, 0.1]}, kernel: {categorical: [rbf, <b>]}}, optimizer: random}
END
check "a study" "$maxk" tune study.yaml -o study.h5 -q
check "its page" "$maxk" report study.h5 -o study.html
value=$(awk '/^metric:/ { printf "%.6g", $2 }' study.best.yaml)
trial=$(awk '/^trial:/ { print $2 }' study.best.yaml)
failed=$(awk -F, '$3 == "failed"' study.times.csv | wc -l)
check "some trials fail" test "$failed" -gt 0
check "first the best value, positive and by its name" has study.html \
    "^<p>Best accuracy: $value .larger is better., by one &amp; all in trial $trial; 24 trials, $failed of them failed.</p>"
line_of() { grep -n -m 1 -- "$1" study.html | cut -d: -f1; }
check "the title of the tune file, and its sections" eval 'has study.html "^<h1>Which &quot;classifier&quot;\?</h1>" &&
    equal "$(headings study.html)" "$(linked study.html)" && has study.html "^<h2 id=.strials.>Trials</h2>"'
check "without one the name" eval 'sed /^title/d study.yaml >plain.yaml &&
    "$maxk" tune plain.yaml -o plain.h5 -q -s name=classifiers -s budget.evaluations=4 -s reevaluate=0 &&
    "$maxk" report plain.h5 -o plain.html && has plain.html "^<h1>classifiers</h1>"'
check "the configuration before all figures" test "$(line_of 'Best configuration of one')" -lt "$(line_of '<svg')"
check "its command" has study.html '^<pre tabindex="0">python3 study.py --x='
check "re-evaluations" has study.html "^<p>Evaluated again with other seeds, 2 times: mean accuracy $value, standard error 0 "
check "the shares of arms" eval 'has study.html "scope=.row.>two</th><td class=.n.>$(grep -c ",two," study.times.csv)</td>"'
check "the importance of hyperparameters" has study.html '<th scope=.row.>one &amp; all</th><td>kernel</td><td class=.n.>'
"$maxk" importance study.h5 --csv >importance.csv
good=$(awk -F, '$2 == "one & all" && $3 == "ok"' study.times.csv | wc -l)
check "as of maxk importance" has importance.csv "^one & all,kernel,0\.[0-9]+,0\.[0-9]+,$good,alone,,$"
refused "importance of what is no study" 'expected a study of maxk tune; its trials, known.csv' "$maxk" importance known.h5
check "figures of a study" equal "$("$maxk" figures study.h5 --only tune --only slices --out f3 | wc -l)" 2
check "failures with their reason" has study.html \
    "<th scope=\"row\">exit code 1: x is too large</th><td>failed</td><td>one &amp; all</td><td class=\"n\">$failed</td>"
"$maxk" tune study.yaml -o study.h5 --simulate uniform --simulate greedy --csv >what.csv
in_page() { # policy trials at
    has study.html "^<tr><th scope=.row.>$1</th><td class=.n.>$2</td><td class=.n.>[^<]*</td><td class=.n.>$3</td>"
}
check "what other policies would have done, as tune --simulate says: two of them" equal "$(wc -l <what.csv)" 3
check "the first" in_page $(awk -F, 'NR == 2 { print $1, $2, $4 }' what.csv)
check "the second" in_page $(awk -F, 'NR == 3 { print $1, $2, $4 }' what.csv)
cat >down.yaml <<'END'
command: [awk, 'BEGIN { print 1 + {x} ^ 2 }']
metric: {last_number: true, maximize: false}
policy: {name: max_ucb, alpha: 0.5}
budget: {evaluations: 6}
arms: [{label: one, space: {x: {real: [0, 1]}}}, {label: two, space: {x: {real: [2, 3]}}}]
END
sed -i 's/{ print/{{ print/; s/ 2 }/ 2 }}/' down.yaml
check "a study that minimises" "$maxk" tune down.yaml -o down.h5 -q
least=$(awk '/^metric:/ { printf "%.6g", $2 }' down.best.yaml)
check "its page says how small a value can get" eval '"$maxk" report down.h5 -o down.html &&
    has down.html "no policy can get below $least here"'
# Noise that is known: the seed's last digit. Values up to the worse end of the interval of the winner's mean may be as good.
as_good_as_the_winner() { # maximize, the sign of the worse end, how values compare with it, in words
    sed "s/^metric:.*/metric: {last_number: true, maximize: $1}/; s/print 1/print {seed} % 10 \/ 5 + 1/
        s/evaluations: 6/evaluations: 30/
        \$a reevaluate: 5" down.yaml >noise.yaml
    "$maxk" tune noise.yaml -o noise.h5 -q && "$maxk" report noise.h5 -o noise.html || return 1
    local end=$(awk -F, 'NR > 1 { n++; s += $6; q += $6 * $6 } END { m = s / n
        printf "%.17g", m + '$2' * 1.959963984540054 * sqrt((q - n * m * m) / (n - 1) / n) }' noise.reevaluations.csv)
    local good=$(awk -F, 'NR > 1 && '$2' * $7 '$3' '$end noise.csv | wc -l)
    [ "$good" -gt 2 ] && has noise.html " $((good - 1)) values of other trials lie within this interval or $4 it"
}
check "trials that may be as good as the best, of a minimum" as_good_as_the_winner false 1 '<=' below
check "and of a maximum" as_good_as_the_winner true -1 '>=' above
check "no theorem, no regret, but for the names of further tables" not eval \
    "sed '/id=\"sfurther-tables\"/,/^<h/d' study.html | grep -qi 'theorem\\|regret\\|vacuous<'"
check "every other table is named" equal "$(rows_below sfurther-tables study.html | sort | paste -sd ' ')" \
    "$(grep -vx 'trials\|importance' tables.txt | paste -sd ' ')"
refused "a study whose tune file is broken" '^study.tune.yaml:1:1: arms: missing' \
    sh -c "cp study.tune.yaml kept.yaml; echo 'name: a' >study.tune.yaml; '$maxk' report study.h5 -o none.html; \
        code=\$?; mv kept.yaml study.tune.yaml; exit \$code"
check "a figure has a text for screen readers" has study.html '^<div role="img" aria-label="Best value so far'
check "every table has a caption" equal "$(grep -c '<caption' study.html)" "$(grep -c '^<table>' study.html)"

# A page while the study runs: whole at any time, of the results so far, with a box by which it is loaded again.
sed 's/^import sys/import sys, time\ntime.sleep(0.4)/' study.py >slow.py
sed 's/study.py/slow.py/; /reevaluate/d' study.yaml >live.yaml
"$maxk" tune live.yaml -o live.h5 --page live.html -q &
tuning=$!
for _ in $(seq 200); do
    [ -s live.html ] && break
    sleep 0.1
done
cp live.html early.html
kill -INT $tuning
wait $tuning
check "a page while the study runs" has early.html '<h1>classifiers: running, [0-9]+ of 24 trials, [0-9]+ s</h1>'
check "its best value" has early.html '^<p>Best accuracy: 0\.[0-9]+ .larger is better.'
check "a box to load it again" eval 'has early.html "load this page again every 5 seconds" && has early.html "^</html>"'
check "nothing is left of making it" test ! -e live.trials/page
sed -i 's/time.sleep(0.4)//' slow.py
check "resumed" "$maxk" tune live.yaml -o live.h5 --page live.html -q --resume
check "the page of the complete run is that of its result" eval \
    '"$maxk" report live.h5 -o after.html && cmp live.html after.html && lacks live.html "load this page again"'
refused "a page in a folder that is not there" 'none/a.html' "$maxk" tune live.yaml -o live.h5 --page none/a.html --resume

if command -v chromium >/dev/null; then
    for width in 390 1280; do
        timeout -k 10 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --enable-logging=stderr \
            --window-size=$width,2000 --screenshot="$dir/$width.png" "file://$dir/page.html" 2>browser.log
        check "Chromium, $width pixels" there $width.png
        check "without messages" not grep -q CONSOLE browser.log
    done
    timeout -k 10 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --enable-logging=stderr \
        --dump-dom "file://$dir/study.html" 2>browser.log >dom.html
    check "a study, without messages" eval 'has dom.html "<button type=.button.>" && not grep -q CONSOLE browser.log'
    # The page is no wider than the window (in a frame: windows of Chromium are at least 500 pixels wide), every picture
    # has a size, and a click on its head sorts a column by value, the second one the other way.
    cat >probe.js <<'END'
const large = b => b.width > 200 && b.height > 100, d = document;
const t = [...d.querySelectorAll(".table table")].find(x => x.tHead.textContent.includes("expected_max")), row = t.tHead.rows[0];
const at = [...row.cells].findIndex(c => c.textContent.includes("expected_max"));
const column = () => [...t.tBodies[0].rows].map(r => Number(r.cells[at].textContent));
const sorted = up => column().every((x, i, all) => !i || (up ? all[i - 1] <= x : all[i - 1] >= x));
const press = up => { row.cells[at].querySelector("button").click();
    return sorted(up) && row.cells[at].getAttribute("aria-sort") === (up ? "ascending" : "descending"); };
parent.document.title = [d.documentElement.scrollWidth <= innerWidth,
    [...d.querySelectorAll("figure svg")].every(s => large(s.getBoundingClientRect())),
    new Set(column()).size > 1 && press(true) && press(false)].join();
END
    # The page of a study: links lead to headings in the order of the page, nothing but tables and code scrolls sideways, and
    # that by keyboard; every panel of a figure is a picture that can be read.
    cat >study.js <<'END'
const d = document, at = [...d.querySelectorAll("nav a")].map(a => d.getElementById(a.hash.slice(1)).getBoundingClientRect().top);
const t = [...d.querySelectorAll(".table table")].find(x => x.tHead.textContent.includes("accuracy")), row = t.tHead.rows[0];
const k = [...row.cells].findIndex(c => c.textContent.includes("accuracy"));
const column = () => [...t.tBodies[0].rows].map(r => r.cells[k].textContent).filter(x => x !== "-" && x !== "").map(Number);
row.cells[k].querySelector("button").click();
parent.document.title = [d.documentElement.scrollWidth <= innerWidth && d.querySelectorAll("figure svg").length > 3 &&
        [...d.querySelectorAll("figure svg")].every(s => s.getBoundingClientRect().width > 250),
    at.length > 5 && at.every((y, i) => !i || at[i - 1] < y) && d.querySelectorAll("h1").length === 1,
    column().length > 9 && column().every((x, i, all) => !i || all[i - 1] <= x) &&
        row.cells[k].getAttribute("aria-sort") === "ascending" &&
        [...d.querySelectorAll("*")].every(e => e.scrollWidth <= e.clientWidth + 1 ||
            (e.tabIndex === 0 && e.matches(".table,pre")) ||
            !["auto", "scroll"].includes(getComputedStyle(e).overflowX))].join();
END
    { sed 's#</body>.*##' page.html; echo "<script>$(cat probe.js)</script></body></html>"; } >probe.html
    { sed 's#</body>.*##' study.html; echo "<script>$(cat study.js)</script></body></html>"; } >probe_study.html
    for width in 390 1280; do
        echo "<iframe src='probe_study.html' style='border:0;width:${width}px;height:2000px'></iframe>" >frame.html
        timeout -k 10 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --window-size=1400,2000 \
            --allow-file-access-from-files --dump-dom "file://$dir/frame.html" 2>/dev/null >dom.html
        check "a study fits $width pixels, its links lead on, its trials are sorted" \
            grep -q '<title>true,true,true</title>' dom.html
        echo "<iframe src='probe.html' style='border:0;width:${width}px;height:2000px'></iframe>" >frame.html
        timeout -k 10 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --window-size=1400,2000 \
            --allow-file-access-from-files --dump-dom "file://$dir/frame.html" 2>/dev/null >dom.html
        check "it fits $width pixels, pictures are drawn, tables are sorted" grep -q '<title>true,true,true</title>' dom.html
    done
else
    skip "Chromium is not installed"
fi

if command -v lacheck >/dev/null; then
    {
        printf '\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n'
        "$maxk" rank runs.h5 --format latex
        "$maxk" rank runs.h5 --format latex --pairs
        printf '\\end{document}\n'
    } >table.tex
    lacheck table.tex >lacheck.log 2>&1
    check "LaTeX of tables" equal "$(grep -c . lacheck.log)" 0
    bare() { grep -v '^%' table.tex | grep -nE '(^|[^\\])[_#$]' | grep -v 'pm'; }
    check "no character that needs a backslash" not bare
else
    skip "lacheck is not installed"
fi
# A signal in the middle: gnuplot here ends when its script is gone.
mkdir bin ended
printf '%s\n' '#!/bin/sh' ': >"$STARTED"' 'for i in $(seq 200); do [ -e "$2" ] || exit; sleep 0.02; done' >bin/gnuplot
chmod +x bin/gnuplot
cat >searches.yaml <<'END'
problem: {searches: [{objective: branin, optimizer: random}]}
horizons: [1000000]
replications: 1000
END
begun() { [ -n "$(find ended -mindepth 1)" ] && { [ "$1" = record ] || [ -e started ]; }; }
terminated() { # COMMAND…: ended by SIGTERM when it has begun, and nothing is left of it
    local pid code
    rm -f started
    PATH=$PWD/bin:$PATH STARTED=$PWD/started TMPDIR=$PWD/ended "$maxk" "$@" &
    pid=$!
    for _ in $(seq 500); do begun "$1" && break; sleep 0.01; done
    begun "$1" && kill -TERM $pid
    wait $pid
    code=$?
    equal "$code" 143 && equal "$(find ended -mindepth 1)" ""
}
check "SIGTERM ends a page without leaving anything" terminated report known.h5 -o ended/page.html
check "and figures" terminated figures known.h5 --out ended
check "and a recording" terminated record searches.yaml -o ended/runs.csv.gz
finish
