#!/bin/sh
# Runs one fuzz target for a time, from its seeds and regressions; the findings are in build-fuzz/TARGET/default.
# usage: tests/fuzz/run.sh TARGET SECONDS
set -eu
cd "$(dirname "$0")/../.."
target=$1 seconds=$2
in=build-fuzz/$target.in
rm -rf "$in"
mkdir -p "$in"
cp build-fuzz/maxk-fuzz build-fuzz/$target.bin # a new build must not disturb a run
cp tests/fuzz/seeds/"$target"/* "$in"
cp tests/fuzz/regressions/"$target"/* "$in" 2>/dev/null || true
# Sizes in an input that are trusted show up as failing allocations.
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256
export OMP_NUM_THREADS=1 HDF5_USE_FILE_LOCKING=FALSE AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_NO_UI=1
export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
dictionary=tests/fuzz/$target.dict
MAXK_FUZZ_FOLDER=$(mktemp -d /dev/shm/maxk.XXXXXX) # processes that the fuzzer kills clean nothing up
export MAXK_FUZZ_FOLDER
clean() {
    rm -rf "$MAXK_FUZZ_FOLDER"
    # LLVM's OpenMP library leaves a file per process; those of killed processes remain.
    for note in /dev/shm/__KMP_REGISTERED_LIB_*_"$(id -u)"; do
        process=${note#*_LIB_}
        [ -e "/proc/${process%_*}" ] || rm -f "$note"
    done
}
trap clean EXIT
afl-fuzz -i "$in" -o build-fuzz/"$target" -V "$seconds" -t 2000 -m none -G 8192 \
    $([ -f "$dictionary" ] && echo -x "$dictionary") -- "build-fuzz/$target.bin" "$target"
