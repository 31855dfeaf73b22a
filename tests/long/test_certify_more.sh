#!/bin/bash
# What test_certify leaves to this test: moving arms, the regret, and the best bonus.
MAXK_CERTIFY=more exec /usr/bin/python3 tests/command/test_certify.py
