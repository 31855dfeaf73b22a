#!/bin/bash
# The instances of test_certificate_exact, 1000 in place of 150.
MAXK_CERTIFICATES=1000 exec "$(dirname "${MAXK:-build/maxk}")/tests/unit/theory/test_certificate_exact"
