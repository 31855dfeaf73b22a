#!/bin/bash
# How much of the gap between MaxUCB and what is known in advance the runs of other instances give (notes/prior.md):
#   experiments/newest_prior.sh
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
base='{name: max_ucb, alpha: 0.5, scale: minmax}'
both='name: bayes_max, recorded: [instances, labels]'
primary="$base, {$both, label: '{recorded} left_out'}"
included="$base, {$both, own: [left_out, included], label: '{recorded} {own}'}"
floors="$base, {$both, floor: [0.01, 0.05, 0.2, 0.5, 1], label: '{recorded} floor {floor}'}"

# DATA HORIZON POLICIES: 6 comparisons: 1 - .05 / 6
compare() {
    "$maxk" recommend "experiments/data/$1.csv.gz" --horizon "$2" --ends-early hold --csv --confidence 0.9916667 \
        -s "policies=[$3]" --show kind,candidate,loss,difference,difference_low,difference_high,wins,ties,losses,units |
        sed "1s/^/data,T,/; 1!s/^/$1,$2,/"
}

for data in pmlb_rs_main yahpo_rbv2_surrogate_main sklearn_classification_random sklearn_regression_random; do
    for horizon in 50 100 200; do
        case $data$horizon in sklearn*00) continue ;; esac # their arms have 60 pulls
        list=$primary
        case $data in sklearn*) ;; *) list=$included ;; esac
        compare $data $horizon "$list" | grep -E '^data|,policy,'
        # the best of MaxUCB and the arms alone, known in advance for each instance
        compare $data $horizon "$base" | grep ,known,
    done
done | awk 'NR == 1 || !/^data,/'
compare pmlb_rs_main 50 "$floors" | grep floor
