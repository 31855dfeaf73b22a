#!/bin/bash
# A result has the same bits on a processor without AVX and fused multiply-add as on this one.
. tests/support/lib.sh
need h5diff hdf5-tools
need qemu-x86_64 qemu-user
. tests/support/instruction_sets.sh

if nm "$maxk" | grep -q __asan_init; then
    skip "the sanitized program cannot run on an emulated processor"
elif [ "$(uname -m)" != x86_64 ]; then
    skip "the emulated processors are those of x86_64"
else
    replications=3
    check "small results" calculate small
    check "the same on an emulated processor" calculate nehalem qemu-x86_64 -cpu Nehalem
    check "every family and policy: an emulated processor without AVX and fused multiply-add changes nothing" \
        equal_results small nehalem
fi
finish
