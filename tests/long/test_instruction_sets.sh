#!/bin/bash
# A result has the same bits on every processor: exp, log, pow and the like are the program's own (Makefile, MATH), not
# those of the C library, which has others for processors with fused multiply-add; the loops over blocks are the same
# IEEE operations with and without vectors.
. tests/support/lib.sh
need h5diff hdf5-tools

inexact='a?(cos|sin|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log10|log1p|log2|pow|hypot|cbrt|erfc?|[lt]gamma(_r)?'
functions() { nm -D "$@" | awk '{print $NF}' | sed 's/@.*//' | grep -xE "$inexact" | sort -u; }
functions --defined-only "$maxk" >"$dir/own"
check "the program has its own" has "$dir/own" '^exp$'
check "and takes none from the C library" equal "$(functions --undefined-only "$maxk")" ""
for library in $(ldd "$maxk" | awk '/libgsl\.so/ {print $3}'); do
    functions --undefined-only "$library" >"$dir/used"
    check "$(basename "$library") uses such functions" has "$dir/used" '^exp$'
    check "all of them the program's" equal "$(comm -23 "$dir/used" "$dir/own")" ""
done

. tests/support/instruction_sets.sh
replications=60
check "results and tables" calculate here
check "the same without AVX2 and fused multiply-add" \
    calculate plain env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F
check "every family and policy: the C library's functions for other processors change nothing" equal_results here plain
finish
