#!/bin/bash
# The sweep of test_stress with 1000 values in place of 250.
MAXK_VALUES=1000 exec bash tests/command/test_stress.sh
