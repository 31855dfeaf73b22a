#!/bin/bash
# Every eighth call of the program that can fail, and every 16th of commands that run nothing. All of them:
# MAXK_INJECT_STEP=1, an hour.
MAXK_INJECT_STEP=${MAXK_INJECT_STEP:-8} exec bash tests/command/test_failures.sh
