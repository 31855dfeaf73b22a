#!/bin/bash
# As test_failures.sh, of what starts programs of the user's own and of commands that take long: tune, tune --resume and record
# end with one line and exit code 1 or 2 or with the right trials, and --resume then completes them; certify, map and report
# end like the commands there. Every 80th call.
. tests/support/lib.sh
: "${MAXK_INJECT_STEP:=80}"
. tests/support/failures.sh
mkdir -p "$dir/work" "$dir/bin"
cd "$dir/work" || exit 1
arms='arms: [{label: a, space: {x: {real: [0, 1]}, n: {integer: [1, 9]}}},
  {label: b, space: {x: {real: [0, 1]}, w: {categorical: [u, v]}}}]'
both="policy: max_ucb
budget: {evaluations: 6}
lag: 2
retries: 1
seed: 3
$arms"
cat >command.yaml <<YAML
command: [sh, -c, "echo 'loss: 0.5' >{directory}/m; echo 'loss: {x} (of {arm})' >>{directory}/m; test {trial} != 2"]
metric: {regex: "loss: ([^ ]+)", maximize: false, file: m}
optimizer: {name: tpe, init: 2}
timeout: 60
reevaluate: 2
$both
YAML
cat >words.yaml <<YAML
shell: 'test {arm} = a || exit 3; echo "the loss is" "{x}"'
metric: {last_number: true, maximize: false}
optimizer: random
crash: {value: 2}
$both
YAML
cat >served.yaml <<YAML
worker: [sh, "{here}/served.sh"]
metric: {json: loss.0, maximize: false}
combined: {optimizer: {name: rf, init: 2}}
limits: {cpu: 60}
budget: {evaluations: 6}
$arms
YAML
cat >served.sh <<'SH'
while read -r line; do
    number=${line#*: } x=${line##*\"x\": }
    [ "${number%%,*}" = 3 ] && exit 1
    echo "{\"trial\": ${number%%,*}, \"loss\": [${x%%[,\}]*}]}"
done
SH
cat >arms.yaml <<YAML
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3, s: 1.01}]}
policies: [{name: max_ucb, alpha: 0.5}, {name: random}]
horizons: [50]
replications: 5
YAML
gnuplot_in_its_place >"$dir/bin/gnuplot"
chmod +x "$dir/bin/gnuplot"
commands() { # kind
    local tried=0 all=0 refused=0 errors=0
    [ "$1" != storage ] || local step=$(((step + 9) / 10)) # of which these have few
    each "$1" certify arms.yaml
    each "$1" report arms.h5 -o page.html
    PATH=$dir/bin:$PATH each "$1" map arms.yaml -v policies.0.alpha=0.1:1 -v problem.arms.1.a=2:4 --columns 2 --rows 2 \
        --replications 5 -o pictures
    check "certify, report, map: $tried of $all $1 calls fail, one at a time ($refused times with an error)" \
        [ $errors -eq 0 -a $tried -gt 0 -a $refused -gt $((tried / 3)) ]
}
# Calls of `maxk COMMAND OPTIONS -o out.ENDING`, one run for each; the folder $dir/begin is what is there before.
begun() { rm -rf out.* && cp -r "$dir/begin/." .; }
sweep() { # kind, text, command, ending, options; those in $fresh do not go with --resume
    local kind=$1 text=$2 command=$3 ending=$4 calls lost from tried=0 refused=0 errors=0 code earlier
    shift 4
    begun
    check "$text runs" "$maxk" "$command" "$@" $fresh -o "out.$ending" || return
    cp out.csv wanted
    begun
    INJECT=$kind INJECT_REPORT=$dir/report LD_PRELOAD=$dir/inject.so "$maxk" "$command" "$@" $fresh -o "out.$ending" >/dev/null ||
        wrong "$text" "fails when calls are counted"
    read -r calls lost from <"$dir/report"
    [ "$lost" -eq 0 ] || wrong "$text" "$lost blocks are not freed"
    begin=$(((begin + 7) % step))
    for at in $(seq $((begin + 1)) $step "$calls"); do
        tried=$((tried + 1))
        begun
        earlier=$(cat out.h5 2>/dev/null | md5sum)
        failing $kind $at "$command" "$@" $fresh -o "out.$ending" >/dev/null
        code=$?
        nothing_lost "$text: call $at" || errors=$((errors + 1))
        if [ $code -ne 0 ]; then
            refused=$((refused + 1))
            told $code "$text: call $at" || errors=$((errors + 1))
            [ "$(cat out.h5 2>/dev/null | md5sum)" = "$earlier" ] || "$maxk" info out.h5 >/dev/null 2>&1 ||
                wrong "$text: call $at" "the earlier result is damaged"
            "$maxk" "$command" "$@" -o "out.$ending" --resume 2>"$dir/err2" >/dev/null ||
                wrong "$text: call $at: $(cat "$dir/err"): resume" "$(cat "$dir/err2")"
        fi
        cmp -s wanted out.csv || wrong "$text: call $at" "other trials, exit code $code: $(cat "$dir/err")"
    done
    check "$text: $tried of $calls $kind calls fail, one at a time ($refused with an error)" \
        [ $errors -eq 0 -a "$calls" -gt 50 ]
    all_tried=$((all_tried + tried)) all_refused=$((all_refused + refused))
}
check "a result for report" "$maxk" run arms.yaml -q -o arms.h5
mkdir "$dir/begin"
for kind in memory storage; do
    fresh= all_tried=0 all_refused=0
    for file in command words served; do
        sweep $kind "tune, $file.yaml" tune h5 $file.yaml -q
    done
    sweep $kind "record" record csv served.yaml
    rm -rf out.*
    check "a run to be extended" "$maxk" tune command.yaml -q -s budget.evaluations=2 -o out.h5
    cp -r out.* "$dir/begin"
    fresh=--resume
    sweep $kind "tune --resume" tune h5 command.yaml -q
    fresh=--force
    sweep $kind "tune --force" tune h5 command.yaml -q
    check "more than a quarter of $all_tried failing $kind calls end with an error ($all_refused)" \
        [ $all_refused -gt $((all_tried / 4)) ]
    rm -rf "$dir"/begin/*
    commands $kind
done
finish
