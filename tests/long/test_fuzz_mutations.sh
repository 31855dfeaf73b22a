#!/bin/bash
# Fuzz targets on changed copies of their seeds, built with sanitizers: MAXK_FUZZ_INPUTS of each (up to 20 times as many
# of the fast ones), from MAXK_FUZZ_SEED.
. tests/support/lib.sh
inputs=${MAXK_FUZZ_INPUTS:-400}
# Sizes in an input that are believed show as allocations that fail. What is freed is kept for 16 MB, which several inputs
# free, in place of 256: filling new pages takes longer than the inputs do.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256:quarantine_size_mb=16 OMP_NUM_THREADS=1
check "maxk-mutate is built with sanitizers" tests/support/make_same.sh -s SAN=address,undefined build-san/maxk-mutate || finish
build-san/maxk-mutate "$inputs" "${MAXK_FUZZ_SEED:-1}" >"$dir/out" 2>"$dir/err" || bad=1
grep -v "failed to allocate" "$dir/err" | head -n 40
cat "$dir/out"
check "every target has run" equal "$(grep -cE '^(not )?ok ' "$dir/out")" 9
finish
