# Runs ended at random moments (SIGKILL, SIGTERM, SIGINT) lose at most the current block: after every kill the journal
# holds at least what it held before, and the result of the last --resume is that of an uninterrupted run, for runs of
# five kinds. MAXK_KILLS: number of kills (default 10; the long form has 50), MAXK_KILL_SEED: their times.
set -u
maxk=${MAXK:-build/maxk}
kills=${MAXK_KILLS:-10}
command -v h5diff >/dev/null || { echo "skip h5diff (package hdf5-tools) is not installed"; exit 0; }
dir=$(mktemp -d)
trap 'umount "$dir/small" 2>/dev/null; rm -rf "$dir"' EXIT
bad=0
check() { # name, condition as a command
    local name=$1; shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; bad=1; fi
}
same() { h5diff --exclude-path /provenance/volatile "$1" "$2" >"$dir/diff" 2>&1 && [ ! -s "$dir/diff" ]; }
one_line() { [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qE -- "$1" "$dir/err"; }
kept() { "$maxk" info "$1" 2>/dev/null | awk '/^replications/ {print $2}'; }

# Runs of about a second of processor time in a few blocks; of few policies, as h5diff takes long for many datasets.
cat >"$dir/e.yaml" <<'YAML'
name: e
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3, s: 1.01}]}
policies: [{name: uniform}, {name: max_ucb}]
horizons: [1000, 200000]
replications: 200
YAML
cat >"$dir/rare.yaml" <<'YAML'
name: rare
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 1}]}
policies: [{name: max_ucb, alpha: [0.3, 0.5]}]
horizons: [100, 1000000]
replications: 3000
rare_events: 10000
YAML
awk 'BEGIN {srand(3); print "instance,arm,repetition,iteration,reward"
    for (d = 0; d < 4; d++) for (k = 0; k < 2; k++) for (r = 0; r < 120; r++) for (i = 0; i < 500; i++)
        printf "d%d,k%d,%d,%d,%.6f\n", d, k, r, i, rand()}' >"$dir/d.csv"
printf 'name: t\nproblem: {trajectories: %s}\npolicies: [{name: max_ucb_remaining, alpha: {from: 0.4, to: 2, step: 0.4}}]\nhorizons: {from: 100, to: 500, per_decade: 50}\n' \
    "$dir/d.csv" >"$dir/t.yaml"
run() { "$maxk" run "$dir/e.yaml" --engine per-pull -q -j 2 "$@" >"$dir/out" 2>"$dir/err"; }
run_kind() { # kind, options
    local kind=$1; shift
    case $kind in
    pulls) run "$@"; return ;;
    records) set -- "$dir/e.yaml" --engine record -s keep=summary -s horizons=[1000,1e9] -s replications=8000 "$@" ;;
    sweep) set -- "$dir/e.yaml" --engine per-pull -s horizons=[1000] -s 'policies.1.alpha={from: 0.1, to: 1, step: 0.1}' -s replications=3000 "$@" ;;
    recorded) set -- "$dir/t.yaml" "$@" ;;
    rare) set -- "$dir/rare.yaml" "$@" ;;
    esac
    "$maxk" run "$@" -q -j 2 >"$dir/out" 2>"$dir/err"
}

RANDOM=${MAXK_KILL_SEED:-7}
number=0
for kind in pulls records sweep recorded rare; do
    start=$(date +%s%N)
    run_kind $kind -o "$dir/$kind.h5" || echo "not ok the run $kind: $(cat "$dir/err")"
    length=$((($(date +%s%N) - start) / 1000000)) # milliseconds
    out=$dir/killed_$kind.h5 lost=0 ended=0 before=0 finished=0
    for i in $(seq $(((kills + 4) / 5))); do
        number=$((number + 1))
        signal=$(echo KILL KILL TERM KILL INT | cut -d " " -f $((number % 5 + 1)))
        run_kind $kind -o "$out" --resume &
        pid=$!
        sleep "$(awk -v r=$RANDOM -v l="$length" 'BEGIN {printf "%.3f", r / 32768 * l / 1000 * 0.7}')"
        child=$(pgrep -P $pid -x maxk)
        kill -$signal ${child:-$pid} 2>/dev/null
        wait $pid 2>/dev/null
        if [ -e "$out" ]; then
            finished=$((finished + 1))
            same "$out" "$dir/$kind.h5" || lost=1
            rm -f "$out" "$out".*; before=0
        else
            now=$(kept "$out.journal")
            [ "${now:-0}" -ge "$before" ] || lost=1
            [ "${now:-0}" -gt "$before" ] && ended=$((ended + 1))
            before=${now:-0}
        fi
    done
    check "$kind: $i kills, $finished after the end, $ended kept more than before, nothing lost" [ $lost -eq 0 ]
    run_kind $kind -o "$out" --resume
    check "$kind: the resumed result equals the uninterrupted one" same "$out" "$dir/$kind.h5"
    check "$kind: nothing but the result is left" [ -z "$(find "$dir" -name "killed_$kind.h5?*")" ]
done

# A replication that would take hours: with this alpha about 10^8 changes of the chosen arm. Stopped within seconds.
cat >"$dir/long.yaml" <<'END'
name: long
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1}]}
policies: [{name: max_ucb, alpha: 1.0e+6}]
horizons: [9007199254740992]
replications: 1
END
timeout -k 30 -s INT 1 "$maxk" run "$dir/long.yaml" -q -o "$dir/long.h5" 2>"$dir/err"
check "a signal ends a replication of many changes: $(cat "$dir/err")" one_line 'stopped on request; nothing was changed'

# A journal cut at any length is continued from its last complete block. The message after SIGINT says what is kept.
interrupt() {
    rm -f "$dir"/i.h5*
    "$maxk" run "$dir/e.yaml" --engine per-pull -q -j 2 -o "$dir/i.h5" 2>"$dir/err" &
    local pid=$! first= size
    for _ in $(seq 2000); do # until a block has been added to the journal
        size=$(stat -c %s "$dir/i.h5.journal" 2>/dev/null || echo 0)
        [ -z "$first" ] && [ "$size" -gt 0 ] && first=$size
        [ -n "$first" ] && [ "$size" -gt "$first" ] && break
        kill -0 $pid 2>/dev/null || break
        sleep 0.005
    done
    kill -TERM $pid
    wait $pid
    code=$?
}
interrupt
if [ -e "$dir/i.h5" ]; then
    echo "skip the run ended before the signal"
else
    check "a signal ends the run with exit code 1" [ $code -eq 1 ]
    check "the message says what is kept: $(sed "s#$dir/##g" "$dir/err")" \
        one_line 'stopped on request.*; [0-9]+ of 200 replications .*i.h5.journal.*--resume'
    run -o "$dir/i.h5"
    check "without --resume kept blocks are not dropped" one_line '[0-9]+ of 200 replications .*--resume.*--force'
    run -o "$dir/i.h5" --resume -s seed=9
    check "another seed is refused with the difference: $(sed "s#$dir/##g" "$dir/err")" one_line '\(seed: 1, not seed: 9\)'
    run -o "$dir/i.h5" --resume -s policies.1.alpha=0.25
    check "another experiment is refused with the difference" one_line 'alpha: 0.5.*alpha: 0.25'
    size=$(stat -c %s "$dir/i.h5.journal") lost=0
    cp "$dir/i.h5.journal" "$dir/whole.journal"
    resumed() { # what was done to the journal
        rm -f "$dir/i.h5"
        run -o "$dir/i.h5" --resume && same "$dir/i.h5" "$dir/pulls.h5" || { lost=1; echo "# $1: $(cat "$dir/err")"; }
    }
    for cut in $((size - 1)) 40 3 0; do
        head -c $cut "$dir/whole.journal" >"$dir/i.h5.journal"
        resumed "cut at $cut"
    done
    cp "$dir/whole.journal" "$dir/i.h5.journal"
    printf 'X' | dd of="$dir/i.h5.journal" bs=1 seek=$((size / 3)) conv=notrunc 2>/dev/null
    resumed "damaged in the middle"
    check "journals cut short or damaged: the result is the same" [ $lost -eq 0 ]
fi

# A result of another run is never lost without --force: it is renamed, and one line says so.
cp "$dir/pulls.h5" "$dir/kept.h5"
before=$(md5sum <"$dir/kept.h5")
run -o "$dir/kept.h5" -s seed=2
check "a result of another seed is set aside: $(sed "s#$dir/##g" "$dir/err")" \
    grep -qE 'kept.h5: .*\(seed: 1, not seed: 2\).*kept.h5.previous' "$dir/err"
check "and is unchanged" [ "$(md5sum <"$dir/kept.h5.previous")" = "$before" ]
check "the new one is there" [ "$(md5sum <"$dir/kept.h5")" != "$before" ]
mv "$dir/kept.h5.previous" "$dir/kept.h5"
echo precious >"$dir/notes"
run -o "$dir/notes"
check "a file that is not a result is refused" one_line 'notes: not an HDF5 file; .*--force'
check "both are as they were" [ "$(md5sum <"$dir/kept.h5") $(cat "$dir/notes")" = "$before precious" ]
run -o "$dir/kept.h5" --resume
check "--resume accepts the complete result" [ "$(md5sum <"$dir/kept.h5")" = "$before" ]
sed -i 's/replications: 200/replications: 20/' "$dir/e.yaml"
run -o "$dir/kept.h5" --force
check "--force replaces it" [ "$(md5sum <"$dir/kept.h5")" != "$before" ]
run -o "$dir/kept.h5"
check "the same run replaces it" [ $? -eq 0 ]

# Full disk and file-size limit: one line, exit code 1, finished blocks are kept and --resume completes the run.
sed -i 's/replications: 20$/replications: 20000/; s/200000/2000/' "$dir/e.yaml"
run -o "$dir/full.h5"; mv "$dir/full.h5" "$dir/whole.h5"
(ulimit -f 200; run -o "$dir/full.h5"; echo $? >"$dir/code")
check "file-size limit: $(sed "s#$dir/##g" "$dir/err")" one_line 'write failed: File too large; [0-9]+ of 20000 .*--resume'
check "exit code 1, no result" [ "$(cat "$dir/code")" -eq 1 -a ! -e "$dir/full.h5" ]
run -o "$dir/full.h5" --resume
check "after that --resume ends the run" same "$dir/full.h5" "$dir/whole.h5"
mkdir "$dir/small"
if mount -t tmpfs -o size=200k tmpfs "$dir/small" 2>/dev/null; then
    run -o "$dir/small/full.h5"; code=$?
    check "full disk: $(sed "s#$dir/##g" "$dir/err")" one_line 'No space left on device; [0-9]+ of 20000 .*--resume'
    check "full disk: exit code 1" [ $code -eq 1 ]
    mount -o remount,size=64m "$dir/small"
    run -o "$dir/small/full.h5" --resume
    check "with room again --resume ends the run" same "$dir/small/full.h5" "$dir/whole.h5"
    umount "$dir/small"
else
    echo "skip a full disk: tmpfs cannot be mounted here"
fi
exit $bad
