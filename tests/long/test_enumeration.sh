#!/bin/bash
# Certified bounds against exact expectations, of 3000 small instances in place of 300.
exec "$(dirname "${MAXK:-build/maxk}")/tests/unit/theory/test_enumeration" 3000 2
