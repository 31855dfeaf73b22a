#!/bin/bash
# 10^6 outputs of PCG64 against the reference C++ library, for several seeds.
. tests/support/lib.sh
check "the oracle compiles (package libpcg-cpp-dev)" g++ -O1 -o "$dir/oracle" tests/reference/pcg64_oracle.cpp || finish
for seed in "42 54" "0 0" "18446744073709551615 1" "123456789 987654321"; do
    # shellcheck disable=SC2086
    "$dir/oracle" $seed 1000000 >"$dir/theirs"
    "$build/tests/unit/base/test_pcg64" dump $seed 1000000 >"$dir/ours"
    check "10^6 outputs for seed ($seed)" equal "$(stat -c %s "$dir/theirs")" 8000000
    check "are the C++ library's" cmp "$dir/ours" "$dir/theirs"
done
finish
