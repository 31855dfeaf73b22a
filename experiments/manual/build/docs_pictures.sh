#!/bin/bash
# Runs the experiments of the documents and draws their pictures as experiments/figures/NAME.svg. usage: docs_pictures.sh MAXK
set -eu
maxk=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p experiments/figures
picture() { # NAME FIGURE FILE [OPTION]…
    "$maxk" figures "${@:3}" --format svg -o "$dir" >/dev/null
    cp "$dir/$2.svg" "experiments/figures/$1.svg"
    echo "  draw experiments/figures/$1.svg"
}
"$maxk" run experiments/alpha_sweep.yaml -o "$dir/alpha_sweep.h5" -q
"$maxk" run experiments/certified_band.yaml -o "$dir/certified_band.h5" -q
"$maxk" run experiments/pmlb_anytime.yaml -o "$dir/pmlb_anytime.h5" -q
"$maxk" run experiments/halving_arms.yaml -o "$dir/halving_arms.h5" -q -s 'horizons={from: 6, to: 600, step: 6}'
for arms in 10 100 1000 10000 100000; do
    for seed in 1 2 3 4 5; do
        "$maxk" run experiments/many_arms.yaml -q -s problem.arms.0.repeat=$arms -s problem.arms.0.seed=$seed \
            -s seed=$seed -s keep=summary -o "$dir/many_arms_${arms}_$seed.h5"
    done
done
"$maxk" figures --across "$dir"/many_arms_*_?.h5 --format svg -o "$dir" >/dev/null
cp "$dir/many_arms_across_sweep.svg" experiments/figures/many_arms.svg
picture certified_band certified_band_bounds_max_ucb_arm0 "$dir/certified_band.h5" --only bounds --size 5x4.2
picture arms e4_power_lu experiments/e4_power.yaml
picture alpha_sweep alpha_sweep_sweep_best_share_max_ucb_alpha "$dir/alpha_sweep.h5"
picture bound_alpha alpha_sweep_bound_alpha_arm1_T2000 "$dir/alpha_sweep.h5"
picture recorded_rank pmlb_anytime_rank "$dir/pmlb_anytime.h5"
picture halving_cost halving_arms_cost_loss "$dir/halving_arms.h5"
