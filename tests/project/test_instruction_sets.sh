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

tail="policies: [$("$maxk" list policies | awk '{printf "%s%s", s, $1; s = ", "}')]
horizons: [7, 9, 13, 21, 34, 55, 89, 144, 300]"
cat >"$dir/blocks.yaml" <<END
name: blocks
problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: gaussian, mu: 0.1, sigma: 0.2}
    - {family: pareto, shape: 2.5, scale: 0.1}
    - {family: exponential, rate: 3}
    - {family: uniform, lo: 0, hi: 1}
    - {family: lognormal, mu: -1, sigma: 0.5}
    - {family: bernoulli, p: 0.3}
$tail
END
cat >"$dir/others.yaml" <<END
name: others
problem:
  arms:
    - {family: truncated_gaussian, mu: 0.4, sigma: 0.3, lo: 0, hi: 1}
    - {family: negative_exponential, mean: 0.3}
    - {family: beta, a: 2, b: 0.7}
    - {family: generalized_normal, mu: 0, scale: 0.4, beta: 1.7}
    - {family: weibull, shape: 1.3, scale: 0.5}
    - {family: gev, location: 0, scale: 0.1, shape: -0.3}
    - {family: generalized_pareto, location: 0, scale: 0.1, shape: -0.2}
$tail
END
kinds="blocks others record"

# calculate NAME COMMAND...: results and tables of the program started by the command.
calculate() {
    local name=$1 kind; shift
    for kind in blocks others; do
        "$@" "$maxk" run "$dir/$kind.yaml" -q -o "$dir/$name.$kind.h5" -s replications=$replications &&
            "$@" "$maxk" lu "$dir/$kind.yaml" --runs 50 >"$dir/$name.$kind.lu" || return 1
    done
    "$@" "$maxk" run "$dir/others.yaml" --engine record -q -o "$dir/$name.record.h5" -s replications=$replications \
        -s policies=[max_ucb,greedy] -s horizons=[10,100,1000,10000,1000000000] &&
        "$@" "$maxk" bounds "$dir/$name.record.h5" --policy max_ucb --refinement 0.9 >"$dir/$name.bounds"
}
equal() {
    for kind in $kinds; do
        same "$dir/$1.$kind.h5" "$dir/$2.$kind.h5" || return
    done
    for kind in blocks.lu others.lu bounds; do
        [ -s "$dir/$1.$kind" ] && diff "$dir/$1.$kind" "$dir/$2.$kind" || return
    done
}
replications=60
check "results and tables" calculate here
check "the same without AVX2 and fused multiply-add" \
    calculate plain env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F
check "every family and policy: the C library's functions for other processors change nothing" equal here plain
if nm "$maxk" | grep -q __asan_init; then
    skip "the sanitized program cannot run on an emulated processor"
elif [ "$(uname -m)" != x86_64 ]; then
    skip "the emulated processors are those of x86_64"
else
    need qemu-x86_64 qemu-user
    replications=3
    check "small results" calculate small
    check "the same on an emulated processor" calculate nehalem qemu-x86_64 -cpu Nehalem
    check "every family and policy: an emulated processor without AVX and fused multiply-add changes nothing" equal small nehalem
fi
finish
