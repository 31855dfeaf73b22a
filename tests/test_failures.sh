# Every allocation site of the program and every storage call (write, pwrite, fsync, ftruncate, rename, unlink, close) in a
# small run fails once (tests/inject.c): the answer is one line and exit code 1 or 2, or the right result; never a crash,
# never a changed earlier file; and --resume then makes the right result. Quick form: every sixth call, beginning with
# another one in every sweep; MAXK_INJECT_STEP=1 takes all.
set -u
maxk=${MAXK:-build/maxk}
if ldd "$maxk" | grep -q asan; then echo "skip failures are injected in the ordinary build only"; exit 0; fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
step=${MAXK_INJECT_STEP:-6}
begin=0
${CC:-gcc} -D_GNU_SOURCE -O1 -shared -fPIC -o "$dir/inject.so" tests/inject.c -ldl || { echo "not ok tests/inject.c compiles"; exit 1; }
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
summary() { "$maxk" summary "$1" --csv 2>/dev/null | md5sum; }
sweep() { # kind, name, options of run
    local kind=$1 name=$2 calls tried=0 reference earlier wrong=0 refused=0; shift 2
    rm -f "$out"*
    "$maxk" run "$@" -q -j 1 -o "$dir/reference.h5" --force || { echo "not ok $name runs"; bad=1; return; }
    reference=$(summary "$dir/reference.h5")
    cp "$dir/reference.h5" "$out"
    earlier=$(md5sum <"$out")
    INJECT=$kind INJECT_COUNT=$dir/count LD_PRELOAD=$dir/inject.so "$maxk" run "$@" -q -j 1 -o "$dir/counted.h5" || wrong=1
    calls=$(cat "$dir/count")
    begin=$((begin % step + 1))
    for at in $(seq $begin "$step" "$calls"); do
        tried=$((tried + 1))
        cp "$dir/reference.h5" "$out"
        timeout 60 env INJECT=$kind INJECT_AT=$at LD_PRELOAD="$dir/inject.so" "$maxk" run "$@" -q -j 1 -o "$out" >/dev/null 2>"$dir/err"
        code=$?
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
sweep memory "keep: pulls" "$dir/e.yaml"
sweep memory "keep: summary" "$dir/e.yaml" -s keep=summary -s replications=5
sweep memory "recorded rewards" "$dir/t.yaml"
sweep storage "keep: pulls" "$dir/e.yaml"
exit $bad
