#!/bin/bash
# Memcheck on C tests and on the main commands: no invalid access, no value used before it is set, no block lost.
# MAXK_VALGRIND: names of C tests (default: those that take seconds; not test_store, which starts itself and compares, nor
# test_text and test_number, which compare with long double, neither of which valgrind can do: files are written and read
# by the commands below).
. tests/support/lib.sh
need valgrind valgrind
if nm "$maxk" | grep -q __asan_init; then
    skip "AddressSanitizer and valgrind cannot run the same program"
    finish
fi
export OMP_NUM_THREADS=1
memcheck() { # TEXT COMMAND…
    local text=$1
    shift
    check "memcheck: $text" valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect --suppressions="$top/tests/support/valgrind.suppressions" "$@"
}
for t in ${MAXK_VALGRIND:-csv scratch_file yaml expression table process ground_truth gaps \
    statistics dist_build policy_blocks}; do
    memcheck "$t" "$(echo "$top/$build"/tests/unit/*/test_$t)"
done
cd "$dir" || exit 1
# One experiment of each kind: of the others, recorded runs of millions of rewards take the time.
mkdir experiments
cp "$top"/experiments/{e4_power,own_claims,rising_costs,many_arms,lower_mccormick,halving_arms,tune_heart}.yaml experiments
cat >experiments/recorded.yaml <<'YAML'
problem: {trajectories: ../t.csv.gz}
policies: [{name: max_ucb}]
horizons: [3]
YAML
printf 'instance,arm,repetition,iteration,reward\n' >t.csv
for cell in d,{x,y},0,{0,1,2,3}; do echo "$cell,0.${cell##*,}" >>t.csv; done
gzip -k t.csv
maxk() { memcheck "maxk $1 $2" "$maxk" "$@"; }
small() { maxk run experiments/e4_power.yaml -q -j 1 -s 'horizons=[20, 50]' -s "policies=[$1]" "${@:2}"; }
small '{name: max_ucb}, {name: qomax_sda}, {name: oracle}' -s replications=3 -o r.h5
small '{name: max_ucb}' -s replications=4 --shard 1/2 -o 1.part
small '{name: max_ucb}' -s replications=4 --shard 2/2 -o 2.part
maxk merge 1.part 2.part -o merged.h5
maxk summary r.h5
maxk rank r.h5 --resamples 5
maxk bounds r.h5
maxk info r.h5
maxk export r.h5 --csv csv
maxk exceed r.h5 --above 0.5
maxk figures r.h5 -o figures
maxk gap experiments/e4_power.yaml --horizons 100
maxk lu experiments/e4_power.yaml --estimator exact
maxk survival experiments/e4_power.yaml --points 11
maxk survey t.csv
maxk lu t.csv
maxk trace experiments/e4_power.yaml --policy oracle --horizon 50
maxk list experiments
check "which lists all eight" equal "$(wc -l <"$dir/log")" 8
maxk describe beta
refused "memcheck: a file that is not there" nothing.yaml valgrind -q --error-exitcode=99 "$maxk" run nothing.yaml
finish
