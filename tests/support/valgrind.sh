#!/bin/sh
# Memcheck on C tests and on every main command: no invalid access, no uninitialised value, no leak.
# usage: valgrind.sh BUILD [TEST…]      (names of C tests; default: those that take seconds, except test_store, which
# starts itself and compares with long double, neither of which valgrind supports: files are written and read below)
set -u
build=$(realpath "$1"); shift
top=$PWD
[ $# -gt 0 ] || set -- test_csv test_yaml test_experiment test_expression test_table test_process test_facts test_gaps \
    test_statistics test_dist_build test_policy_blocks test_record_tape
export OMP_NUM_THREADS=1
bad=0
memcheck() {
    if valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
        --suppressions="$top/tests/valgrind.suppressions" --log-file="$dir/log" "$@" >"$dir/out" 2>&1; then echo "ok memcheck: $(basename "$1") $2"
    else echo "not ok memcheck: $*: $(head -n 4 "$dir/log" "$dir/out")"; bad=1; fi
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for t in "$@"; do memcheck "$build/tests/$t" ""; done
cd "$dir" || exit 1
ln -s "$top/experiments" experiments
printf 'instance,arm,repetition,iteration,reward\n' >t.csv
for k in x y; do for i in 0 1 2 3; do echo "d,$k,0,$i,0.$i" >>t.csv; done; done
run() { memcheck "$build/maxk" "$@"; }
run run experiments/e4_power.yaml -s replications=3 -s 'horizons=[20, 50]' -s 'policies=[{name: max_ucb}, {name: qomax_sda}, {name: oracle}]' -q -j 1 -o r.h5
run run experiments/e4_power.yaml -s replications=4 -s 'horizons=[20, 50]' -s 'policies=[{name: max_ucb}]' -q -j 1 --shard 1/2 -o 1.part
run run experiments/e4_power.yaml -s replications=4 -s 'horizons=[20, 50]' -s 'policies=[{name: max_ucb}]' -q -j 1 --shard 2/2 -o 2.part
run merge 1.part 2.part -o merged.h5
run summary r.h5
run bounds r.h5
run info r.h5
run export r.h5 --csv csv
run exceed r.h5 --above 0.5
run figures r.h5 -o figures
run gap experiments/e4_power.yaml --horizons 100
run lu experiments/e4_power.yaml --estimator exact
run survival experiments/e4_power.yaml --points 11
run survey t.csv
run lu t.csv
run trace experiments/e4_power.yaml --policy oracle --horizon 50
run list experiments
run describe beta
valgrind -q --error-exitcode=99 --log-file=log "$build/maxk" run nothing.yaml 2>/dev/null
[ $? -eq 2 ] && echo "ok memcheck: a file that is not there" || { echo "not ok memcheck: a file that is not there"; bad=1; }
exit $bad
