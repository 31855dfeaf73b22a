#!/bin/bash
# Runs that are ended at random moments (SIGKILL, SIGTERM, SIGINT) lose at most the current block: after every kill the
# journal holds at least what it held before, and the result of the last --resume is that of an uninterrupted run, for
# runs of five kinds. MAXK_KILLS: how many kills (default 10; the long form has 25), MAXK_KILL_SEED: their moments.
. tests/support/lib.sh
in_place=
need h5diff hdf5-tools
kills=${MAXK_KILLS:-10}
clean_up() { umount "$dir/small" 2>/dev/null; }
said() { one_line "$dir/err" "$1"; }
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
cat >"$dir/t.yaml" <<YAML
name: t
problem: {trajectories: $dir/d.csv}
policies: [{name: max_ucb_remaining, alpha: {from: 0.4, to: 2, step: 0.4}}]
horizons: {from: 100, to: 500, per_decade: 50}
YAML
run() { $in_place "$maxk" run "$dir/e.yaml" --engine per-pull -q -j 2 "$@" >"$dir/out" 2>"$dir/err"; }
run_kind() { # kind, options; in_place=exec: the program takes the place of the shell, whose number is then its own
    local kind=$1; shift
    case $kind in
    pulls) run "$@"; return ;;
    records) set -- "$dir/e.yaml" --engine record -s keep=summary -s horizons=[1000,1e9] -s replications=8000 "$@" ;;
    sweep)
        set -- "$dir/e.yaml" --engine per-pull -s horizons=[1000] -s 'policies.1.alpha={from: 0.1, to: 1, step: 0.1}' \
            -s replications=3000 "$@"
        ;;
    recorded) set -- "$dir/t.yaml" "$@" ;;
    rare) set -- "$dir/rare.yaml" "$@" ;;
    esac
    $in_place "$maxk" run "$@" -q -j 2 >"$dir/out" 2>"$dir/err"
}

RANDOM=${MAXK_KILL_SEED:-7}
number=0 most=0
for kind in pulls records sweep recorded rare; do
    start=$(date +%s%N)
    check "the run $kind" run_kind $kind -o "$dir/$kind.h5" || cat "$dir/err"
    length=$((($(date +%s%N) - start) / 1000000)) # milliseconds
    out=$dir/killed_$kind.h5 lost=0 ended=0 before=0 finished=0
    for i in $(seq $(((kills + 4) / 5))); do
        number=$((number + 1))
        signal=$(echo KILL KILL TERM KILL INT | cut -d " " -f $((number % 5 + 1)))
        in_place=exec run_kind $kind -o "$out" --resume &
        pid=$!
        sleep "$(awk -v r=$RANDOM -v l="$length" 'BEGIN {printf "%.3f", r / 32768 * l / 1000 * 0.7}')"
        kill -$signal $pid 2>/dev/null
        wait $pid 2>/dev/null
        if [ -e "$out" ]; then
            finished=$((finished + 1))
            same "$out" "$dir/$kind.h5" >"$dir/log" || lost=1
            rm -f "$out" "$out".*; before=0
        else
            now=$(kept "$out.journal")
            [ "${now:-0}" -ge "$before" ] || lost=1
            [ "${now:-0}" -gt "$before" ] && ended=$((ended + 1))
            before=${now:-0}
        fi
    done
    most=$((most + ended))
    check "$kind: $i kills, $finished after the end, $ended kept more than before, nothing lost" [ $lost -eq 0 ]
    check "$kind: the run is resumed" run_kind $kind -o "$out" --resume || cat "$dir/err"
    check "$kind: the resumed result equals the uninterrupted one" same "$out" "$dir/$kind.h5"
    check "$kind: nothing but the result is left" equal "$(find "$dir" -name "killed_$kind.h5?*")" ""
done

check "$most of $number kills found a block finished since the one before" [ $most -gt 0 ]

# A replication of hours: random ties of close maxima have no closed form. Stopped within seconds.
cat >"$dir/long.yaml" <<'END'
name: long
problem: {arms: [{family: power, a: 3, s: 1.000000001}, {family: power, a: 3, s: 1}, {family: power, a: 3, s: 1.000000002}]}
policies: [{name: max_ucb, alpha: 1.0e+6, ties: random}]
horizons: [9007199254740992]
replications: 1
END
timeout -k 30 -s INT 1 "$maxk" run "$dir/long.yaml" -q -o "$dir/long.h5" 2>"$dir/err"
check "a signal ends a replication of many changes: $(cat "$dir/err")" said 'stopped on request; nothing was changed'

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
    [ ! -e "$dir/i.h5" ] && [ -s "$dir/i.h5.journal" ] # none: it ended before the first block, as its head grew in two steps
}
for replications in 200 200 2000 20000; do # more where processors are fast
    sed -i "s/^replications: .*/replications: $replications/" "$dir/e.yaml"
    interrupt && break
done
if check "a run is ended before it is done" [ ! -e "$dir/i.h5" ]; then
    check "a signal ends the run with exit code 1" equal $code 1
    kept="[0-9]+ of $replications replications"
    check "the message says what is kept: $(sed "s#$dir/##g" "$dir/err")" \
        said "stopped on request.*; $kept .*i.h5.journal.*--resume"
    run -o "$dir/i.h5"
    check "without --resume kept blocks are not dropped" said "$kept .*--resume.*--force"
    run -o "$dir/i.h5" --resume -s seed=9
    check "another seed is refused with the difference: $(sed "s#$dir/##g" "$dir/err")" said '\(seed: 1, not seed: 9\)'
    run -o "$dir/i.h5" --resume -s policies.1.alpha=0.25
    check "another experiment is refused with the difference" said 'alpha: 0.5.*alpha: 0.25'
    [ $replications -eq 200 ] || check "the run at once" run -o "$dir/pulls.h5" --force
    size=$(stat -c %s "$dir/i.h5.journal") lost=0
    cp "$dir/i.h5.journal" "$dir/whole.journal"
    resumed() { # what was done to the journal
        rm -f "$dir/i.h5"
        run -o "$dir/i.h5" --resume && same "$dir/i.h5" "$dir/pulls.h5" || lost=1
        [ $lost -eq 0 ] || echo "# $1: $(cat "$dir/err")"
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
    has "$dir/err" 'kept.h5: .*\(seed: 1, not seed: 2\).*kept.h5.previous'
check "and is as it was" equal "$(md5sum <"$dir/kept.h5.previous")" "$before"
check "the new one is there" differ "$dir/kept.h5" "$dir/kept.h5.previous"
mv "$dir/kept.h5.previous" "$dir/kept.h5"
echo precious >"$dir/notes"
run -o "$dir/notes"
check "a file that is no result is refused" said 'notes: not an HDF5 file; .*--force'
check "both are as they were" equal "$(md5sum <"$dir/kept.h5") $(cat "$dir/notes")" "$before precious"
check "--resume is content" run -o "$dir/kept.h5" --resume
check "with the complete result" equal "$(md5sum <"$dir/kept.h5")" "$before"
cp "$dir/kept.h5" "$dir/earlier.h5"
sed -i 's/^replications: .*/replications: 20/' "$dir/e.yaml"
check "--force" run -o "$dir/kept.h5" --force
check "replaces it" equal "$(kept "$dir/kept.h5") $(kept "$dir/earlier.h5")" "20 $replications"
check "the same run replaces it" run -o "$dir/kept.h5"

# Full disk and file-size limit: one line, exit code 1, finished blocks are kept and --resume completes the run.
sed -i 's/replications: 20$/replications: 20000/; s/200000/2000/' "$dir/e.yaml"
check "a run of 20000 replications" run -o "$dir/whole.h5"
(ulimit -f 200; run -o "$dir/full.h5"; echo $? >"$dir/code")
check "file-size limit: $(sed "s#$dir/##g" "$dir/err")" said 'write failed: File too large; [0-9]+ of 20000 .*--resume'
check "exit code 1, no result" equal "$(cat "$dir/code") $(ls "$dir/full.h5" 2>/dev/null)" "1 "
check "after that --resume" run -o "$dir/full.h5" --resume
check "ends the run" same "$dir/full.h5" "$dir/whole.h5"
mkdir "$dir/small"
if mount -t tmpfs -o size=200k tmpfs "$dir/small" 2>/dev/null; then
    run -o "$dir/small/full.h5"
    code=$?
    check "full disk: $(sed "s#$dir/##g" "$dir/err")" said 'No space left on device; [0-9]+ of 20000 .*--resume'
    check "full disk: exit code 1" equal $code 1
    mount -o remount,size=64m "$dir/small"
    check "with room again --resume" run -o "$dir/small/full.h5" --resume
    check "ends the run" same "$dir/small/full.h5" "$dir/whole.h5"
else
    skip "a full disk: tmpfs cannot be mounted here"
fi
finish
