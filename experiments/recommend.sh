#!/bin/bash
# What a recommendation from recorded runs is worth on instances that it has not seen, for every set in experiments/data
# (notes/recommend.md):
#   experiments/recommend.sh
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
columns=kind,candidate,loss,loss_low,loss_high,difference,difference_low,difference_high,p_best,verdict,recommended,units
for data in pmlb_rs pmlb_pools openml100 nb201 yahpo_rbv2_surrogate yahpo_rbv2_evo \
    tune_sklearn_random tune_sklearn_rf tune_sklearn_compare; do
    for horizon in 50 100 200; do
        [ $data$horizon = tune_sklearn_compare200 ] && continue # the series are shorter
        echo "$data, T = $horizon"
        "$maxk" recommend experiments/data/$data*.csv.gz --horizon $horizon --ends-early hold --csv --show $columns
    done
done
