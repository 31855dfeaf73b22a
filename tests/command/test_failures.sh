# Every allocation site of the program and every call that opens, writes, syncs, cuts, renames, removes or closes a file
# fails once (tests/support/inject.c), in small runs and in every command: the answer is one line and exit code 1 or 2, or the right
# output; never a crash, never a lost block of memory, never a changed earlier file; and --resume then makes the right
# result. Quick form: every eighth call of a run and every sixteenth of another command, beginning with another one in every
# sweep; MAXK_INJECT_STEP=1 takes all.
set -u
maxk=${MAXK:-build/maxk}
# A sanitizer takes malloc for itself; what counts lines allocates at the end, without looking whether it got anything.
if ldd "$maxk" | grep -q asan || grep -q __gcov_exit "$maxk"; then echo "skip failures are injected in the ordinary build only"; exit 0; fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
step=${MAXK_INJECT_STEP:-8}
begin=0
${CC:-gcc} -D_GNU_SOURCE -O1 -shared -fPIC -o "$dir/inject.so" tests/support/inject.c -ldl || { echo "not ok tests/support/inject.c compiles"; exit 1; }
cat >"$dir/e.yaml" <<'YAML'
name: e
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: mixture, weights: [1, 1], components: [{family: dirac, x: 1}, {family: uniform, lo: 0, hi: 1}]}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5], label: "a={alpha}"}, {name: qomax_sda}, {name: oracle}]
horizons: {from: 10, to: 100, per_decade: 2}
replications: 20
YAML
printf 'instance,arm,repetition,iteration,reward\n' >"$dir/d.csv"
for k in x y; do for i in 0 1 2 3; do echo "d,$k,0,$i,0.$i" >>"$dir/d.csv"; done; done
printf 'name: t\nproblem: {trajectories: %s}\npolicies: [{name: max_ucb}]\nhorizons: [4]\n' "$dir/d.csv" >"$dir/t.yaml"
out=$dir/out.h5
nothing_lost() { # a message; reads the report of the last run
    local calls=0 lost=-1 from=
    [ -s "$dir/report" ] && read -r calls lost from <"$dir/report"
    rm -f "$dir/report"
    [ "$lost" -eq 0 ] || { echo "# $1: $lost blocks are not freed, the first of $(addr2line -e "$maxk" "$from" 2>/dev/null)"; return 1; }
}
summary() { "$maxk" summary "$1" --csv 2>/dev/null | md5sum; }
sweep() { # kind, name, options of run
    local kind=$1 name=$2 calls lost from tried=0 reference earlier wrong=0 refused=0; shift 2
    rm -f "$out"*
    "$maxk" run "$@" -q -j 1 -o "$dir/reference.h5" --force || { echo "not ok $name runs"; bad=1; return; }
    reference=$(summary "$dir/reference.h5")
    cp "$dir/reference.h5" "$out"
    earlier=$(md5sum <"$out")
    INJECT=$kind INJECT_REPORT=$dir/report LD_PRELOAD=$dir/inject.so "$maxk" run "$@" -q -j 1 -o "$dir/counted.h5" || wrong=1
    read -r calls lost from <"$dir/report"
    [ "$lost" -eq 0 ] || wrong=1
    begin=$((begin % step + 1))
    for at in $(seq $begin "$step" "$calls"); do
        tried=$((tried + 1))
        cp "$dir/reference.h5" "$out"
        timeout 60 env INJECT=$kind INJECT_AT=$at INJECT_REPORT="$dir/report" LD_PRELOAD="$dir/inject.so" "$maxk" run "$@" -q -j 1 -o "$out" >/dev/null 2>"$dir/err"
        code=$?
        nothing_lost "$name: call $at" || wrong=$((wrong + 1))
        if [ $code -ne 0 ]; then
            refused=$((refused + 1))
            { [ $code -le 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]; } ||
                { wrong=$((wrong + 1)); echo "# $name: call $at: exit $code: $(head -c 300 "$dir/err" | tr '\n' ' ')"; }
            # A failure behind the rename leaves the new file, whole; any other leaves the earlier one.
            [ "$(md5sum <"$out")" = "$earlier" ] || [ "$(summary "$out")" = "$reference" ] ||
                { wrong=$((wrong + 1)); echo "# $name: call $at: the earlier result is damaged"; }
        fi
        if [ $code -ne 0 ] || [ -e "$out.journal" ]; then
            "$maxk" run "$@" -q -j 1 -o "$out" --resume 2>"$dir/err" || { wrong=$((wrong + 1)); echo "# $name: call $at: resume: $(cat "$dir/err")"; }
        fi
        [ "$(summary "$out")" = "$reference" ] || { wrong=$((wrong + 1)); echo "# $name: call $at: wrong result"; }
        rm -f "$out".*
    done
    rm -f "$dir/counted.h5"
    if [ $wrong -eq 0 ] && [ "$calls" -gt 50 ] && [ $refused -gt $((tried / 3)) ]; then
        echo "ok $name: $tried of $calls $kind calls fail, one at a time ($refused runs ended with an error)"
    else
        echo "not ok $name: $wrong of $tried failing $kind calls ended badly ($refused with an error)"; bad=1
    fi
}
# Any other command, in the folder $dir/work: its output where it ends well is that without failures.
each() { # kind, command and its arguments
    local kind=$1 calls lost from tried=0 wrong=0 refused=0 code; shift
    (cd "$dir/work" && "$maxk" "$@") >"$dir/wanted" 2>"$dir/err" || { echo "not ok $* runs: $(head -n 1 "$dir/err")"; bad=1; return; }
    (cd "$dir/work" && INJECT=$kind INJECT_REPORT=$dir/report LD_PRELOAD=$dir/inject.so "$maxk" "$@") >"$dir/got" 2>/dev/null
    read -r calls lost from <"$dir/report"
    begin=$((begin % step + 1))
    for at in $(seq $begin $((step > 1 ? 2 * step : 1)) "$calls"); do
        tried=$((tried + 1))
        (cd "$dir/work" && exec timeout 60 env INJECT=$kind INJECT_AT=$at INJECT_REPORT="$dir/report" LD_PRELOAD="$dir/inject.so" "$maxk" "$@") \
            >"$dir/got" 2>"$dir/err"
        code=$?
        nothing_lost "$1: $kind call $at" || wrong=$((wrong + 1))
        if [ $code -eq 0 ]; then
            cmp -s "$dir/wanted" "$dir/got" || { wrong=$((wrong + 1)); echo "# $*: $kind call $at: exit 0 and other output"; }
        else
            refused=$((refused + 1))
            { [ $code -le 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]; } ||
                { wrong=$((wrong + 1)); echo "# $*: $kind call $at: exit $code: $(head -c 300 "$dir/err" | tr '\n' ' ')"; }
        fi
    done
    all_tried=$((all_tried + tried)) all_calls=$((all_calls + calls)) all_refused=$((all_refused + refused))
    [ $wrong -eq 0 ] && [ "$calls" -gt 0 ] || { echo "not ok $*: $wrong of $tried failing $kind calls ended badly"; bad=1; }
}
commands() { # kind
    all_tried=0 all_calls=0 all_refused=0
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
    each "$1" trace e.yaml --policy oracle
    each "$1" list experiments
    each "$1" claims lemma_3_3
    each "$1" search s.yaml -v policies.0.alpha=0.1:1 --evaluations 4 --replications 5 --confirm 5 -o found.yaml
    each "$1" merge 1.part 2.part -o merged.h5
    PATH=$dir/bin:$PATH each "$1" figures r.h5 -o pictures
    PATH=$dir/bin:$PATH each "$1" figures t.csv -o pictures
    if [ $all_tried -gt 0 ] && [ $all_refused -gt $((all_tried / 3)) ]; then
        echo "ok commands: $all_tried of $all_calls $1 calls fail, one at a time ($all_refused times with an error)"
    else echo "not ok commands: $all_tried of $all_calls $1 calls were tried, $all_refused ended with an error"; bad=1; fi
}
prepare_commands() {
    mkdir -p "$dir/work/experiments" "$dir/bin"
    cp "$dir/e.yaml" "$dir/work/e.yaml"
    cp "$dir/e.yaml" "$dir/work/experiments/e.yaml"
    cp "$dir/d.csv" "$dir/work/t.csv"
    printf 'name: s\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.8}]}\npolicies: [{name: max_ucb}]\nhorizons: [50]\n' >"$dir/work/s.yaml"
    # In place of gnuplot, which is not what fails here: makes the files that the script names.
    printf '%s\n' '#!/bin/sh' "sed -n \"s/^set output ['\\\"]\\(.*\\)['\\\"].*/\\1/p\" \"\$2\" | while read -r f; do echo drawn >\"\$f\"; done" >"$dir/bin/gnuplot"
    chmod +x "$dir/bin/gnuplot"
    (cd "$dir/work" && "$maxk" run e.yaml -q -o r.h5 && "$maxk" run e.yaml -s "horizons={from: 10, to: 100, per_decade: 6}" -q -o many.h5 && "$maxk" run ../t.yaml -s 'policies=[{name: max_ucb}, {name: random}]' -q -o t.h5 &&
        "$maxk" run e.yaml -q --shard 1/2 -o 1.part && "$maxk" run e.yaml -q --shard 2/2 -o 2.part) || { echo "not ok small runs"; exit 1; }
}
maxk=$(realpath "$maxk")
prepare_commands
before=$(cat "$dir/work"/*.h5 "$dir/work"/*.part "$dir/work"/*.yaml | md5sum)
sweep memory "keep: pulls" "$dir/e.yaml"
sweep memory "keep: summary" "$dir/e.yaml" -s keep=summary -s replications=5
sweep memory "recorded rewards" "$dir/t.yaml"
sweep storage "keep: pulls" "$dir/e.yaml"
rm -f "$dir/work/merged.h5" "$dir/work/found.yaml"
commands memory
commands storage
rm -f "$dir/work/merged.h5" "$dir/work/found.yaml"
if [ "$before" = "$(cat "$dir/work"/*.h5 "$dir/work"/*.part "$dir/work"/*.yaml | md5sum)" ]; then echo "ok what commands read is unchanged"
else echo "not ok a command has changed what it reads"; bad=1; fi
# libgomp ends the program where a thread cannot be started; the earlier result and the journal must not suffer.
cp "$dir/reference.h5" "$out"
earlier=$(md5sum <"$out")
env INJECT=thread INJECT_AT=1 LD_PRELOAD="$dir/inject.so" "$maxk" run "$dir/e.yaml" -q -j 2 -o "$out" >/dev/null 2>"$dir/err"
code=$?
if [ $code -eq 1 ] && [ "$(md5sum <"$out")" = "$earlier" ] && "$maxk" run "$dir/e.yaml" -q -j 2 -o "$out" --resume; then
    echo "ok a thread that cannot be started: exit code 1, the earlier result is whole"
else echo "not ok a thread that cannot be started: exit code $code: $(head -n 1 "$dir/err")"; bad=1; fi
exit $bad
