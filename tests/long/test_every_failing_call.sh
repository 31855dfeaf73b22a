#!/bin/bash
# Every call of the program that can fail, in place of every eighth or sixteenth; of tune and record every fifth.
MAXK_INJECT_STEP=1 bash tests/command/test_failures.sh
code=$?
MAXK_INJECT_STEP=5 bash tests/command/test_failures_tune.sh || code=1
exit $code
