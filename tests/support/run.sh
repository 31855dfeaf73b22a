#!/bin/sh
# Runs test programs and scripts, TEST_JOBS (one more than there are processors, at most 8) at a time, counts their `ok`,
# `not ok` and `skip` lines, and prints `N passed, N failed, N skipped` last. A program that exits non-zero without a `not ok`
# line counts as one failure, and so does one that checks nothing. What each has printed is LOGDIR/<its path below tests/>.log.
# A test that has not ended after TEST_LIMIT seconds (900) is ended, and so is all that it has started; it is a failure.
# TEST_GRACE seconds (10) later it is killed. No test begins after TEST_BEGIN_BY (seconds since 1970; unset: always): it is
# skipped, which is said.
# usage: run.sh LOGDIR TEST…      (run.sh --one LOG TEST runs one)
set -u
# A damaged file may make HDF5 request any amount of memory: malloc then returns NULL, and so it must under
# AddressSanitizer. What is freed is kept from use for 16 MB, not for 256, which would be new pages for all that time.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:quarantine_size_mb=16}
# `python3` is Debian's, which has the packages; that of another installation may take half a second to start.
export PATH=/usr/bin:$PATH
# The tests that run at a time have more threads than there are cores: those that wait must not spin.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
limit=${TEST_LIMIT:-900}
if [ "$1" = --one ]; then
    start=$(date +%s)
    mkdir -p "$(dirname "$2")"
    if [ "$start" -gt "${TEST_BEGIN_BY:-$start}" ]; then
        echo "skip $3: no time is left" >"$2"
        echo "0 0 0" >"$2.code"
        exit 0
    fi
    case $3 in
    *.py) with=/usr/bin/python3 ;;
    *.sh) with=bash ;;
    *) with= ;;
    esac
    # Leaks are searched by the programs of tests/unit only, and by tests/long/test_valgrind.sh in the commands: the search takes
    # half of what a start with AddressSanitizer takes, and the scripts start the program some ten thousand times.
    [ -z "$with" ] || ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
    mark=MAXK_TEST=$$.$start
    env "$mark" timeout --foreground -k "${TEST_GRACE:-10}" "$limit" $with "$3" >"$2" 2>&1 </dev/null
    code=$?
    seconds=$(($(date +%s) - start))
    times >"$2.times" # of this shell, and of what it has started and waited for
    "$(dirname "$0")/sweep.sh" "$mark" >/dev/null
    echo "$code $seconds $(tail -n 1 "$2.times" | tr 'ms' '  ' | awk '{printf "%.1f", 60 * ($1 + $3) + $2 + $4}')" >"$2.code"
    rm -f "$2.times"
    exit 0
fi
logs=$1; shift
rm -rf "$logs"
begin=$(date +%s)
cores=$(nproc)
name_of() { echo "${1#*tests/}"; }
for test in "$@"; do printf '%s\n%s\n' "$logs/$(name_of "$test").log" "$test"; done |
    xargs -n 2 -P "${TEST_JOBS:-$((cores < 7 ? cores + 1 : 8))}" "$0" --one
passed=0 failed=0 skipped=0
for test in "$@"; do
    name=$(name_of "$test")
    log=$logs/$name.log
    code=99 seconds=0 processor=0
    [ -f "$log.code" ] && read -r code seconds processor <"$log.code"
    p=$(grep -c '^ok ' "$log"); f=$(grep -c '^not ok ' "$log"); s=$(grep -c '^skip ' "$log")
    if [ "$seconds" -ge "$limit" ] && { [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; }; then
        f=$((f + 1)); tail -n 20 "$log"; echo "not ok $name was ended after $seconds s (TEST_LIMIT: $limit s)"
    elif [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1; tail -n 20 "$log"; echo "not ok $name ended with exit code $code"
    elif [ $((p + f + s)) -eq 0 ]; then
        f=1; echo "not ok $name checked nothing"
    fi
    grep '^not ok ' "$log"; grep '^skip ' "$log"
    printf '  %-36s %5d passed, %d failed, %d skipped, %d s, %s s of processors\n' "$name" "$p" "$f" "$s" "$seconds" "$processor"
    passed=$((passed + p)); failed=$((failed + f)); skipped=$((skipped + s))
done
echo "$(($(date +%s) - begin)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
