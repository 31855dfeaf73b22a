#!/bin/bash
# Resumption with 50 kills in place of 10, at other moments.
MAXK_KILLS=50 MAXK_KILL_SEED=11 exec bash tests/command/test_resume.sh
