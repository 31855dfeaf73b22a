#!/bin/bash
# The comparisons with published runs that make check does with few replications: the mean pulls of E.4 and Table 1 of
# Hu et al. 2019. Their heads state what a larger number of replications means for the comparison; make validate
# compares E.4 with 20000.
export MAXK_E4_REPLICATIONS=${MAXK_E4_REPLICATIONS:-8000} MAXK_HU_REPLICATIONS=${MAXK_HU_REPLICATIONS:-2000}
code=0
for test in tests/command/test_e4_reference.py tests/command/test_hu2019.py; do /usr/bin/python3 $test || code=1; done
exit $code
