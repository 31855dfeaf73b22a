#!/bin/bash
# Every call of the program that can fail, in place of every eighth or sixteenth.
MAXK_INJECT_STEP=1 exec bash tests/command/test_failures.sh
