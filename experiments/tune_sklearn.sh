#!/bin/bash
# Real training with tune_sklearn.yaml (manual/tuning.md, notes/tuning.md), on four data sets of scikit-learn:
#   experiments/tune_sklearn.sh record [FOLDER]    every classifier's own search, 200 evaluations, random and rf:
#                                                  experiments/data/tune_sklearn_{random,rf}.csv.gz
#   experiments/tune_sklearn.sh compare [FOLDER]   MaxUCB, combined TPE and random search, 100 evaluations each:
#                                                  experiments/data/tune_sklearn_compare.csv.gz
# REPETITIONS says how many (20). What is complete in FOLDER (results/tune_sklearn) is not run again.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
to=${2:-results/tune_sklearn}
repetitions=${REPETITIONS:-20}
mkdir -p "$to"

# NAME DATASET REPETITION OPTION…: OUT.csv of NAME-DATASET-REPETITION
tune() {
    local name=$1-$2-$3 data=$2 repetition=$3
    shift 3
    [ ! -e "$to/$name.csv" ] || return 0
    "$maxk" tune experiments/tune_sklearn.yaml -q --resume -o "$to/$name.h5" -s name="$name" -s instance="$data" \
        -s repetition="$repetition" -s seed=$((repetition + 1)) -s workers=1 -s lag=1 "$@"
    rm -r "$to/$name.trials"
}

# INDEX NAME: the trials of NAME as those of a search over all arms; with INDEX -1 those of the arms as well
rows() {
    awk -F, -v OFS=, -v index_="$1" -v name="$2" 'FNR > 1 && ($2 >= 0) == (index_ == -1) {
        if ($2 >= 0) print $1, $2, $3, $4, $5, $6, $7
        print $1, index_, name, name, $5, $(NF - 1) - 1, $7 }' "$to/$2"-*[0-9].csv
}

case $1 in
record)
    for optimizer in random rf; do
        rule=$optimizer
        [ $rule = random ] || rule='{name: rf, most_init: 1000000}'
        "$maxk" record experiments/tune_sklearn.yaml -s optimizer="$rule" -s budget.evaluations=200 -s workers=2 \
            --repetitions "$repetitions" --instances digits,breast_cancer,wine,iris --digits 6 --resume \
            -o "$to/tune_sklearn_$optimizer.csv.gz"
        cp "$to/tune_sklearn_$optimizer.csv.gz" experiments/data
    done
    ;;
compare)
    for ((r = 0; r < repetitions; r++)); do
        for data in digits breast_cancer wine iris; do
            tune max_ucb $data $r
            tune combined_tpe $data $r -s policy= -s combined='{optimizer: tpe, multivariate: no}'
            tune combined_random $data $r -s policy= -s combined='{optimizer: random}'
        done
    done
    {
        echo instance,arm_index,classifier,optimizer,repetition,iteration,loss
        rows -1 max_ucb
        rows -2 combined_tpe
        rows -3 combined_random
    } | gzip -9n >experiments/data/tune_sklearn_compare.csv.gz
    ;;
esac
