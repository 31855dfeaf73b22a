#!/bin/bash
# The instances of test_certificate_exact, 2000 in place of 60.
MAXK_CERTIFICATES=2000 exec "$(dirname "${MAXK:-build/maxk}")/tests/unit/theory/test_certificate_exact"
