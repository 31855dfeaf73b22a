#!/bin/bash
# Results do not depend on the number of threads: h5diff of 1, 2 and 7 threads outside /provenance/volatile.
. tests/support/lib.sh
need h5diff hdf5-tools

run() { # FILE, replications and others as KEY=VALUE…
    local file=$1
    shift
    "$maxk" run "$experiment" -q -o "$dir/$file.h5" "$@"
}
threads() { # EXPERIMENT KEY=VALUE…
    local j
    experiment=experiments/$1.yaml
    shift
    for j in 1 2 7; do check "$experiment ($*) runs on $j threads" run $j -j $j "${@/#/--set=}"; done
    for j in 2 7; do check "$experiment ($*): $j threads equal 1" same "$dir/1.h5" "$dir/$j.h5"; done
}
threads e4_power replications=60
threads e4_pareto replications=12
threads alpha_sweep keep=summary policies.0.alpha=[0,0.1,0.5,2.9]
threads e4_gaussian replications=8

experiment=experiments/e4_power.yaml
check "a seed" run 42 -s replications=60
check "another seed" run 43 -s replications=60 -s seed=43
check "another seed gives another result" differ "$dir/42.h5" "$dir/43.h5"
finish
