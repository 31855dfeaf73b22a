#!/bin/bash
# Further metrics of maxk tune: recorded everywhere, bounded by subject_to, and the cost of a trial.
. tests/support/lib.sh
need h5ls hdf5-tools
cd "$dir" || exit 1

# The best x is .7, where memory is 140; time is missing below .1, and no metric at all above .9.
cat >program.sh <<'END2'
#!/bin/sh
awk -v x="${1#--x=}" 'BEGIN {
    if (x > .9) exit 3
    print "memory: " 200 * x > ENVIRON["MAXK_DIRECTORY"] "/memory.txt"
    printf "{\"loss\": %.9g%s}\n", (x - .7) ^ 2, x < .1 ? "" : ", \"time\": " 1 + 9 * x }'
END2
chmod +x program.sh
cat >plain.yaml <<'END2'
command: ["PROGRAM", '{args}']
metric: {json: loss, maximize: false}
metrics: {memory: {regex: "memory: (.*)", file: memory.txt}, time: {json: time}}
optimizer: random
policy: {name: max_ucb, alpha: 0.5}
budget: {evaluations: 30}
arms: [{label: one, space: {x: {real: [0, 1]}}}, {label: two, space: {x: {real: [0.3, 1]}}}]
END2
sed -i "s#PROGRAM#$PWD/program.sh#; /^optimizer/d; s/space:/optimizer: random, space:/g" plain.yaml
{ cat plain.yaml; echo 'subject_to: {memory: {at_most: 100}, time: {at_least: 1.5}}'; } >bounded.yaml

rows() { # FILE.csv: status value memory time loss, after the configuration, which has no comma
    awk -F, 'NR > 1 { print $11, $12, $13, $14, $7 }' "$1"
}
check "further metrics" "$maxk" tune plain.yaml -o plain.h5 -q
check "are columns" equal "$(head -1 plain.csv | cut -d, -f8-)" \
    "arm,configuration,trial,status,value,metrics.memory,metrics.time,fidelity,loss_seen"
check "that of a file, and one that may be missing" awk -F'[,{}]' 'NR > 1 && / ok,|,ok,/ {
    split($0, a, "x: "); x = a[2] + 0; n++
    time = $(NF - 2)
    if (($(NF - 3) - 200 * x) ^ 2 > 1e-6 || (time == "") != (x < .1) || (x >= .1 && (time - 1 - 9 * x) ^ 2 > 1e-6)) bad = 1 }
    END { exit bad || n < 10 }' plain.csv
check "a stale file of a failed trial is not read" awk -F, 'NR > 1 && $11 == "failed" { n++; bad += $13 != "" || $14 != "" }
    END { exit bad || !n }' plain.csv
check "no bound: x near .7 is the best" awk '$1 == "x:" { exit !($2 > .6 && $2 < .8) }' plain.best.yaml
check "the best has them" grep -q '^metrics: {memory: 1[0-9.]*, time: ' plain.best.yaml
check "HDF5 has them" eval 'h5ls plain.h5/trials >list && has list "^metrics.memory +Dataset .30."'

check "constraints" "$maxk" tune bounded.yaml -o bounded.h5
check "without a failure of the program no more trials fail" equal "$(grep -c failed bounded.csv)" \
    "$(awk -F'x: ' 'NR > 1 && $2 + 0 > .9' bounded.csv | wc -l)"
check "infeasible is what violates one or lacks the metric, with its value" eval 'rows bounded.csv | awk "{
      bad += (\$1 == \"infeasible\") != (\$1 != \"failed\" && (\$3 > 100 || NF < 5 || \$4 < 1.5))
      bad += \$1 == \"infeasible\" && \$2 == \"\"
      n[\$1]++ } END { exit bad || !n[\"infeasible\"] || !n[\"ok\"] }"'
check "the best is feasible, and the best of these" eval 'equal "$(awk "/^metric:/ { print \$2 }" bounded.best.yaml)" \
    "$(awk -F, "\$11 == \"ok\" { print \$12 }" bounded.csv | sort -g | head -1)" &&
    has bounded.best.yaml "memory: [0-9]{1,2}\.?[0-9]*,"'
# The rule of failures: the worst reward of the arm so far, of all arms as long as it has none.
check "an infeasible trial counts as the worst of its arm so far" awk -F, 'NR > 1 {
    if ($11 == "ok") { if (!($2 in w) || $7 > w[$2]) w[$2] = $7; if (all == "" || $7 > all) all = $7 }
    else if ($2 in w) { n++; bad += $7 != w[$2] } } END { exit bad || !n }' bounded.csv
check "why is said" has bounded.times.csv ',infeasible,[0-9.e-]+,.?subject_to: memory is 1[0-9.]+; expected at most 100'
check "a trial without the metric is infeasible" has bounded.times.csv ',infeasible,[0-9.e-]+,subject_to: time is missing$'
check "the trials begin as those without bounds" equal "$(sed -n 2,3p plain.csv | cut -d, -f9)" \
    "$(sed -n 2,3p bounded.csv | cut -d, -f9)"
cp bounded.csv whole.csv
for at in 5 17; do
    check "stopped after $at trials" eval '"$maxk" tune bounded.yaml -o bounded.h5 --force -q -s budget.evaluations=$at'
    check "and resumed: the same" eval '"$maxk" tune bounded.yaml -o bounded.h5 --resume -q && cmp bounded.csv whole.csv'
done
check "four workers: the same" eval '"$maxk" tune bounded.yaml -o four.h5 -q -s workers=4 -s name=bounded &&
    cmp four.csv whole.csv'
check "what OUT.tune.yaml says is the same run" eval '"$maxk" tune bounded.tune.yaml -o again.h5 -q && cmp again.csv whole.csv'
check "a crash value is that of infeasible trials too" eval '"$maxk" tune bounded.yaml -o value.h5 -q -s crash={value:\ 5} &&
    awk -F, "NR > 1 && \$11 != \"ok\" { n++; bad += \$7 != 5 } END { exit bad || !n }" value.csv'
check "--add takes metrics, and leaves out what violates a bound" eval '"$maxk" tune bounded.yaml -o added.h5 -q --add plain.csv \
    -s budget.evaluations=2 && rows added.csv | head -n -2 | awk "\$3 > 100 { exit 1 }" &&
    equal "$(tail -n +2 added.csv | wc -l)" \
    "$(($(awk -F, "NR > 1 && \$11 == \"ok\" && \$13 <= 100 && (\$14 == \"\" || \$14 >= 1.5)" \
        plain.csv | wc -l) + 2))"'
check "nothing is feasible: said, and not ended by ten failures" eval \
    '! "$maxk" tune bounded.yaml -o none.h5 -q -s subject_to.memory.at_most=-1 2>none.txt &&
     has none.txt "no trial satisfies subject_to .[0-9]+ violate it, [0-9]+ failed"'
check "its seconds are a metric" eval '"$maxk" tune plain.yaml -o seconds.h5 -q -s "metrics={took: {seconds: true}}" \
    -s budget.evaluations=4 &&
    awk -F, "NR == FNR { t[\$1] = \$4; next } FNR > 1 && t[\$10] != \$13 { exit 1 }" seconds.times.csv seconds.csv'
check "a worker answers with them" eval 'cat >worker.py <<END2
import json, sys
for line in sys.stdin:
    x = json.loads(line)
    print(json.dumps({"trial": x["trial"], "value": 1, "memory": 10 * x["trial"]}), flush=True)
END2
    sed "s/^command.*/worker: [python3, worker.py]/; s/^metric:.*/metric: {maximize: true}/
        s/^metrics.*/metrics: {memory: {}}/" \
        plain.yaml >worker.yaml &&
    "$maxk" tune worker.yaml -o worker.h5 -q -s subject_to={memory:\ {at_most:\ 25}} -s budget.evaluations=4 &&
    equal "$(rows worker.csv | cut -d" " -f1-3 | tr "\n" /)" "ok 1 10/ok 1 20/infeasible 1 30/infeasible 1 40/"'

# ---- cost ----
check "a cost" "$maxk" tune plain.yaml -o cost.h5 -q -s cost=memory
check "is a column" equal "$(head -1 cost.csv | cut -d, -f12-)" "value,cost,metrics.memory,metrics.time,fidelity,loss_seen"
check "the metric, and of a failure the largest of its arm so far" awk -F, 'NR > 1 {
    if ($11 == "ok") { bad += $13 != $14; if ($13 > most[$2]) most[$2] = $13 }
    else if (most[$2]) { n++; bad += $13 != most[$2] } } END { exit bad || !n }' cost.csv
check "without a cost > 0 a trial fails" eval '"$maxk" tune plain.yaml -o dear.h5 -q -s cost=time &&
    has dear.times.csv "failed,[0-9.e-]+,.?cost: expected a number > 0, got nan"'
gp() { # OUT MORE…: gp on one arm, whose cost rises steeply with x
    "$maxk" tune plain.yaml -o "$1.h5" -q -s "command=[awk, 'BEGIN {{ print 1; print \"cost: \" exp(6 * {x}) }}']" \
        -s 'metric={regex: "^(1)$", maximize: true}' -s 'metrics={cost: {regex: "cost: (.*)"}}' -s budget.evaluations=20 \
        -s "arms=[{label: one, space: {x: {real: [0, 1]}}, optimizer: {name: gp, init: 5, acquisition: ei$2}}]" "${@:3}"
}
total() { awk -F, 'NR > 1 { s += $(NF - 2) } END { print s }' "$1.csv"; }
check "gp without per_cost" gp even ''
check "gp per cost" gp cheap ', per_cost: yes' -s cost=cost
check "spends less" awk -v a="$(total cheap)" -v b="$(total even)" 'BEGIN { exit !(a > 0 && a < b / 2) }'

# ---- mistakes ----
bad() { # TEXT REGEX MORE…
    refused "$1" "$2" "$maxk" tune plain.yaml -o bad.h5 -q "${@:3}"
}
bad "a constraint on what is not recorded" "subject_to: unknown metric 'memori' .did you mean 'memory'.." \
    -s 'subject_to={memori: {at_most: 1}}'
bad "no bound" 'subject_to.*memory: missing; expected at_most, at_least or both' -s 'subject_to={memory: {}}'
bad "no value is both" 'no value is both at least 2 and at most 1' -s 'subject_to={memory: {at_least: 2, at_most: 1}}'
bad "a metric that is not a mapping" "metrics.*time: expected a mapping such as" -s metrics.time=seconds
bad "a metric without its place" 'time: missing; expected one of .*seconds: true' -s 'metrics={time: {}}'
bad "no such cost" "cost: unknown metric 'tim'" -s cost=tim
bad "per_cost where all trials cost the same" 'per_cost: all trials cost the same; expected .cost. of the tune file' \
    -s 'arms=[{label: one, space: {x: {real: [0, 1]}}, optimizer: {name: gp, acquisition: ei, per_cost: yes}}]'
finish
