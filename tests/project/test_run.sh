#!/bin/bash
# The runner of the tests: a test that hangs is ended with all that it has started, and named as a failure with its log.
. tests/support/lib.sh
mkdir -p "$dir/tests"
cat >"$dir/tests/test_hangs.sh" <<'SH'
trap '' TERM INT
echo "ok before"
setsid sleep 1000 &
echo $! >"$(dirname "$0")/grandchild"
while :; do sleep 1000; done
SH
echo 'echo "ok it ends"' >"$dir/tests/test_ends.sh"
begin=$(date +%s)
TEST_LIMIT=2 TEST_GRACE=1 timeout -k 10 60 tests/support/run.sh "$dir/logs" "$dir/tests/test_hangs.sh" "$dir/tests/test_ends.sh" \
    >"$dir/out" 2>&1
code=$?
check "the runner ends with 1 after $(($(date +%s) - begin)) s" equal "$code $(($(date +%s) - begin < 30))" "1 1"
check "the test is named" has "$dir/out" '^not ok test_hangs.sh was ended after [0-9]+ s \(TEST_LIMIT: 2 s\)$'
check "its log is shown" has "$dir/out" '^ok before$'
check "the others are run" has "$dir/out" '^2 passed, 1 failed, 0 skipped$'
check "what it started, in a session of its own, is ended" not grep -qs sleep "/proc/$(cat "$dir/tests/grandchild")/cmdline"

TEST_BEGIN_BY=$(($(date +%s) - 1)) tests/support/run.sh "$dir/logs" "$dir/tests/test_ends.sh" >"$dir/out" 2>&1
check "a test that would begin too late is skipped" equal "$? $(tail -n 1 "$dir/out")" "0 0 passed, 0 failed, 1 skipped"
check "which is said" has "$dir/out" '^skip .*/test_ends.sh: no time is left$'
TEST_BEGIN_BY=$(($(date +%s) + 99)) tests/support/run.sh "$dir/logs" "$dir/tests/test_ends.sh" >"$dir/out" 2>&1
check "in time it is run" equal "$? $(tail -n 1 "$dir/out")" "0 1 passed, 0 failed, 0 skipped"

# What CI runs ends as well, whatever hangs: here every target does, in a tree of its own, so that no folder and no log of the
# tests that are running is touched.
mkdir -p "$dir/tree/.ci" "$dir/tree/tests/support"
cp .ci/run "$dir/tree/.ci"
cp tests/support/sweep.sh "$dir/tree/tests/support"
printf 'check check-long lint-quick:\n\t@sleep 1000\n' >"$dir/tree/Makefile"
env -u MAKEFLAGS -u MFLAGS CI_LIMIT=1 timeout -k 10 100 bash "$dir/tree/.ci/run" >"$dir/out" 2>&1
check ".ci/run ends when its time is up, as a failure" equal "$? $(tail -n 1 "$dir/out")" "1 0 passed, 2 failed"
check "the quick tests are run on every machine" \
    equal "$(grep '^== make ' "$dir/out" | xargs)" "== make WERROR=1 check == make WERROR=1 SAN=address,undefined check"
check "the rest where there is time" \
    equal "$(grep -c '^skip make .*: no time is left$' "$dir/out")" "$(grep -c '^in_time ' .ci/run)"
printf 'check check-long lint-quick:\n\t@echo 1 passed, 0 failed, 0 skipped\n' >"$dir/tree/Makefile"
env -u MAKEFLAGS -u MFLAGS timeout -k 10 100 bash "$dir/tree/.ci/run" >"$dir/out" 2>&1
check "as this one" equal "$? $(tail -n 1 "$dir/out")" "0 4 passed, 0 failed"
finish
