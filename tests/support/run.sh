#!/bin/sh
# Runs test programs and scripts, two at a time, counts their `ok`, `not ok` and `skip` lines, and prints
# `N passed, N failed` last. A program that exits non-zero without a `not ok` line counts as one failure.
# usage: run.sh LOGDIR TEST…      (run.sh --one LOG TEST runs one)
set -u
# A damaged file may make HDF5 request any amount of memory: malloc then returns NULL, and so it must under
# AddressSanitizer.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1}
if [ "$1" = --one ]; then
    start=$(date +%s)
    case $3 in
    *.py) /usr/bin/python3 "$3" ;;
    *.sh) bash "$3" ;;
    *) "$3" ;;
    esac >"$2" 2>&1 </dev/null
    echo "$? $(($(date +%s) - start))" >"$2.code"
    exit 0
fi
logs=$1; shift
rm -rf "$logs"
mkdir -p "$logs"
for test in "$@"; do printf '%s\n%s\n' "$logs/$(basename "$test").log" "$test"; done |
    xargs -n 2 -P "${TEST_JOBS:-2}" "$0" --one
passed=0 failed=0 skipped=0
for test in "$@"; do
    name=$(basename "$test")
    log=$logs/$name.log
    code=99 seconds=0
    [ -f "$log.code" ] && read -r code seconds <"$log.code"
    p=$(grep -c '^ok ' "$log"); f=$(grep -c '^not ok ' "$log"); s=$(grep -c '^skip ' "$log")
    if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1; tail -n 20 "$log"; echo "not ok $name ended with exit code $code"
    elif [ $((p + f + s)) -eq 0 ]; then
        f=1; echo "not ok $name checked nothing"
    fi
    grep '^not ok ' "$log"; grep '^skip ' "$log"
    printf '  %-28s %5d passed, %d failed, %d skipped, %d s\n' "$name" "$p" "$f" "$s" "$seconds"
    passed=$((passed + p)); failed=$((failed + f)); skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
