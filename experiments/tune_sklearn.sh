#!/bin/bash
# Decomposed MaxUCB, combined TPE and random search on equal budgets, by real training (experiments/README.md, "Tuning real
# programs"), and recorded runs of every classifier's own search:
#   experiments/tune_sklearn.sh compare [FOLDER]     10 repetitions of 100 evaluations on each of four data sets
#   experiments/tune_sklearn.sh record [FOLDER]      experiments/data/tune_sklearn_{random,rf}.csv.gz: 5 of 50 per classifier
# What is complete in FOLDER (results/tune_sklearn) is not run again.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
to=${2:-results/tune_sklearn}
mkdir -p "$to"

# NAME DATASET REPETITION OPTION…
tune() {
    local name=$1 data=$2 repetition=$3 start=--resume
    shift 3
    [ ! -e "$to/$name.csv" ] || return 0
    "$maxk" tune experiments/tune_sklearn.yaml -q $start -o "$to/$name.h5" -s name="$name" -s worker.2="$data" \
        -s instance="$data" -s repetition="$repetition" -s seed="$repetition" -s workers=1 -s lag=1 "$@"
    rm -r "$to/$name.trials"
}

case $1 in
compare)
    for r in 0 1 2 3 4 5 6 7 8 9; do
        for data in digits breast_cancer wine iris; do
            tune max_ucb-$data-$r $data $r
            tune combined_tpe-$data-$r $data $r -s policy= -s combined='{optimizer: tpe}'
            tune combined_random-$data-$r $data $r -s policy= -s combined='{optimizer: random}'
        done
    done
    ;;
record)
    for optimizer in random rf; do
        set --
        for k in 0 1 2 3 4 5 6; do set -- "$@" -s arms.$k.optimizer=$optimizer; done
        for r in 0 1 2 3 4; do
            for data in digits breast_cancer wine; do
                tune record-$optimizer-$data-$r $data $r "$@" -s policy=uniform -s budget.evaluations=350
            done
        done
        awk 'NR == 1 || !/^instance,/' $(ls "$to"/record-$optimizer-*.csv | grep -v times) |
            gzip -9n >experiments/data/tune_sklearn_$optimizer.csv.gz
    done
    ;;
esac
