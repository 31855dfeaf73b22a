#!/bin/bash
# Every 16th call of the program that can fail, and every 32nd of commands that run nothing. All of them:
# MAXK_INJECT_STEP=1, an hour.
MAXK_INJECT_STEP=${MAXK_INJECT_STEP:-16} exec bash tests/command/test_failures.sh
