#!/bin/bash
# Resumption with 25 kills in place of 10, at other moments.
MAXK_KILLS=${MAXK_KILLS:-25} MAXK_KILL_SEED=${MAXK_KILL_SEED:-11} exec bash tests/command/test_resume.sh
