#!/bin/sh
# Runs test programs and scripts, counts their `ok`, `not ok` and `skip` lines, and prints `N passed, N failed` last.
# A program that exits non-zero without a `not ok` line counts as one failure. usage: run.sh LOGDIR TEST…
set -u
logs=$1; shift
mkdir -p "$logs"
passed=0 failed=0 skipped=0
for test in "$@"; do
    name=$(basename "$test")
    log=$logs/$name.log
    start=$(date +%s)
    case $test in
    *.py) /usr/bin/python3 "$test" >"$log" 2>&1 ;;
    *.sh) bash "$test" >"$log" 2>&1 ;;
    *) "$test" >"$log" 2>&1 ;;
    esac
    code=$?
    p=$(grep -c '^ok ' "$log"); f=$(grep -c '^not ok ' "$log"); s=$(grep -c '^skip ' "$log")
    if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1; tail -n 20 "$log"; echo "not ok $name ended with exit code $code"
    elif [ $((p + f + s)) -eq 0 ]; then
        f=1; echo "not ok $name checked nothing"
    fi
    grep '^not ok ' "$log"; grep '^skip ' "$log"
    printf '  %-28s %5d passed, %d failed, %d skipped, %d s\n' "$name" "$p" "$f" "$s" $(($(date +%s) - start))
    passed=$((passed + p)); failed=$((failed + f)); skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
