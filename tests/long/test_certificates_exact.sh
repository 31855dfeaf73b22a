#!/bin/bash
# The instances of test_certificate_exact, 3000 in place of 300.
MAXK_CERTIFICATES=3000 exec "$(dirname "${MAXK:-build/maxk}")/tests/unit/theory/test_certificate_exact"
