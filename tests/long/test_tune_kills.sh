#!/bin/bash
# maxk tune with 50 kills at random moments.
exec /usr/bin/python3 tests/command/test_tune.py 50 11
