#!/bin/bash
# Every allocation site of the program and every call that opens, writes, syncs, truncates, renames, removes or closes a
# file fails once (tests/support/inject.c), in small runs and in every command: the outcome is one line and exit code 1
# or 2, or the right output; never a crash, a leak or a changed earlier file; and --resume then produces the right
# result. Every 16th call of a run and every 32nd of other commands, starting from a different one in every sweep;
# MAXK_INJECT_STEP=1 takes all, an hour.
. tests/support/lib.sh
. tests/support/failures.sh
cat >"$dir/e.yaml" <<'YAML'
name: e
problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: mixture, weights: [1, 1], components: [{family: dirac, x: 1}, {family: uniform, lo: 0, hi: 1}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5], label: "a={alpha}"}, {name: qomax_sda}, {name: oracle}]
horizons: {from: 10, to: 100, per_decade: 2}
replications: 20
YAML
printf 'instance,arm,repetition,iteration,reward\n' >"$dir/d.csv"
for k in x y; do for i in 0 1 2 3; do echo "d,$k,0,$i,0.$i" >>"$dir/d.csv"; done; done
printf 'name: t\nproblem: {trajectories: %s}\npolicies: [{name: max_ucb}]\nhorizons: [4]\n' "$dir/d.csv" >"$dir/t.yaml"
out=$dir/out.h5
summary() { "$maxk" summary "$1" --csv 2>/dev/null | md5sum; }
sweep() { # kind, name, options of run
    local kind=$1 name=$2 calls lost from tried=0 reference earlier refused=0 code
    shift 2
    errors=0
    rm -f "$out"*
    check "$name runs" "$maxk" run "$@" -q -j 1 -o "$dir/reference.h5" --force || return
    reference=$(summary "$dir/reference.h5")
    cp "$dir/reference.h5" "$out"
    earlier=$(md5sum <"$out")
    INJECT=$kind INJECT_REPORT=$dir/report LD_PRELOAD=$dir/inject.so "$maxk" run "$@" -q -j 1 -o "$dir/counted.h5" ||
        wrong "$name" "fails when calls are counted"
    read -r calls lost from <"$dir/report"
    [ "$lost" -eq 0 ] || wrong "$name" "$lost blocks are not freed"
    begin=$((begin % step + 1))
    for at in $(seq $begin "$step" "$calls"); do
        tried=$((tried + 1))
        cp "$dir/reference.h5" "$out"
        failing $kind $at run "$@" -q -j 1 -o "$out" >/dev/null
        code=$?
        nothing_lost "$name: call $at" || errors=$((errors + 1))
        if [ $code -ne 0 ]; then
            refused=$((refused + 1))
            told $code "$name: call $at" || errors=$((errors + 1))
            # A failure after the rename leaves the new file, complete; any other leaves the earlier one.
            [ "$(md5sum <"$out")" = "$earlier" ] || [ "$(summary "$out")" = "$reference" ] ||
                wrong "$name: call $at" "the earlier result is damaged"
        fi
        if [ $code -ne 0 ] || [ -e "$out.journal" ]; then
            "$maxk" run "$@" -q -j 1 -o "$out" --resume 2>"$dir/err" || wrong "$name: call $at: resume" "$(cat "$dir/err")"
        fi
        [ "$(summary "$out")" = "$reference" ] || wrong "$name: call $at" "wrong result"
        rm -f "$out".*
    done
    rm -f "$dir/counted.h5"
    check "$name: $tried of $calls $kind calls fail, one at a time ($refused runs ended with an error)" \
        [ $errors -eq 0 -a "$calls" -gt 50 -a $refused -gt $((tried / 3)) ]
}
commands() { # kind
    local tried=0 all=0 refused=0
    errors=0
    each "$1" summary r.h5 --csv
    each "$1" bounds r.h5
    each "$1" rate many.h5 --resamples 20
    each "$1" rank t.h5
    each "$1" exceed r.h5 --above 0.5
    each "$1" info r.h5
    each "$1" export r.h5 --csv csv
    each "$1" gap e.yaml
    each "$1" lu e.yaml --estimator plugin --samples 50
    each "$1" lu t.csv
    each "$1" survival e.yaml --points 5 --samples 20
    each "$1" survey t.csv
    each "$1" recommend t.csv --horizon 3 -o recommended.yaml
    each "$1" recommend costs.csv --horizon 4 --costs
    each "$1" import t.csv --from table --csv
    each "$1" import runs.json -o runs.csv
    each "$1" import study.db --arm model
    each "$1" trace e.yaml --policy oracle
    each "$1" list experiments
    each "$1" claims lemma_3_3
    each "$1" search s.yaml -v policies.0.alpha=0.1:1 --evaluations 4 --replications 5 --confirm 5 -o found.yaml
    each "$1" merge 1.part 2.part -o merged.h5
    PATH=$dir/bin:$PATH each "$1" figures r.h5 -o pictures
    PATH=$dir/bin:$PATH each "$1" figures t.csv -o pictures
    check "commands: $tried of $all $1 calls fail, one at a time ($refused times with an error)" \
        [ $errors -eq 0 -a $tried -gt 0 -a $refused -gt $((tried / 3)) ]
}
prepare_commands() {
    local horizons='horizons={from: 10, to: 100, per_decade: 6}' two='policies=[{name: max_ucb}, {name: random}]'
    mkdir -p "$dir/work/experiments" "$dir/bin"
    cp "$dir/e.yaml" "$dir/work/e.yaml"
    cp "$dir/e.yaml" "$dir/work/experiments/e.yaml"
    cp "$dir/d.csv" "$dir/work/t.csv"
    sed '1s/$/,cost/;2,$s/$/,1.5/' "$dir/d.csv" >"$dir/work/costs.csv"
    echo '{"data": [[1, "d", 0, null, 0.5, 1, 1, 0, 1, {}], [2, "d", 0, null, 0.7, 1, 1, 1, 2, {}]],' \
        '"configs": {"1": {"model": "a", "x": 0.25}, "2": {"model": "b"}}}' >"$dir/work/runs.json"
    /usr/bin/python3 - "$dir/work/study.db" <<'PYTHON'
import sqlite3, sys

sqlite3.connect(sys.argv[1]).executescript("""
CREATE TABLE studies (study_id, study_name); INSERT INTO studies VALUES (1, 's');
CREATE TABLE study_directions (direction, study_id, objective); INSERT INTO study_directions VALUES ('MAXIMIZE', 1, 0);
CREATE TABLE trials (trial_id, number, study_id, state, datetime_start, datetime_complete);
INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE', NULL, NULL), (2, 1, 1, 'COMPLETE', NULL, NULL);
CREATE TABLE trial_values (trial_id, value, value_type); INSERT INTO trial_values VALUES (1, 0.5, 'FINITE'), (2, 0.7, 'FINITE');
CREATE TABLE trial_params (param_id, trial_id, param_name, param_value, distribution_json);
INSERT INTO trial_params
SELECT 1, trial_id, 'model', trial_id - 1, '{"name": "C", "attributes": {"choices": ["a", "b"]}}' FROM trials;
""")
PYTHON
    printf '%s\n' 'name: s' 'problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.8}]}' \
        'policies: [{name: max_ucb}]' 'horizons: [50]' >"$dir/work/s.yaml"
    gnuplot_in_its_place >"$dir/bin/gnuplot"
    chmod +x "$dir/bin/gnuplot"
    (cd "$dir/work" && "$maxk" run e.yaml -q -o r.h5 && "$maxk" run e.yaml -s "$horizons" -q -o many.h5 &&
        "$maxk" run ../t.yaml -s "$two" -q -o t.h5 && "$maxk" run e.yaml -q --shard 1/2 -o 1.part &&
        "$maxk" run e.yaml -q --shard 2/2 -o 2.part)
}
inputs() { cat "$dir/work"/*.h5 "$dir/work"/*.part "$dir/work"/*.yaml | md5sum; }
check "small runs for the commands" prepare_commands
before=$(inputs)
sweep memory "keep: pulls" "$dir/e.yaml"
sweep memory "keep: summary" "$dir/e.yaml" -s keep=summary -s replications=5
sweep memory "recorded rewards" "$dir/t.yaml"
sweep storage "keep: pulls" "$dir/e.yaml"
rm -f "$dir/work/merged.h5" "$dir/work/found.yaml" "$dir/work/recommended.yaml"
commands memory
commands storage
rm -f "$dir/work/merged.h5" "$dir/work/found.yaml" "$dir/work/recommended.yaml"
check "what commands read is unchanged" equal "$(inputs)" "$before"
# libgomp ends the program where a thread cannot be started; the earlier result and the journal must not suffer.
cp "$dir/reference.h5" "$out"
earlier=$(md5sum <"$out")
check "a thread that cannot be started: exit code 1" \
    exits 1 env INJECT=thread INJECT_AT=1 LD_PRELOAD="$dir/inject.so" "$maxk" run "$dir/e.yaml" -q -j 2 -o "$out"
check "the earlier result is whole" equal "$(md5sum <"$out")" "$earlier"
check "and the run can be resumed" "$maxk" run "$dir/e.yaml" -q -j 2 -o "$out" --resume
finish
