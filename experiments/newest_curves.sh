#!/bin/bash
# Posterior sampling under a prior over reward curves against MaxUCB on the recorded runs of newest.sh, and on arms drawn
# from the priors (notes/newest.md):
#   experiments/newest_curves.sh           recorded runs
#   experiments/newest_curves.sh drawn     arms from the priors, by prior_arms.py
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
max_ucb='{name: max_ucb, alpha: 0.5, scale: minmax}'

compare() { # name, file, horizon, level, policies
    "$maxk" recommend "$2" --horizon "$3" --ends-early hold --csv --confidence "$4" -s "policies=[$max_ucb, $5]" \
        --show kind,candidate,loss,difference,difference_low,difference_high,wins,ties,losses,units |
        sed "1s/^/data,T,/; 1!s/^/$1,$3,/" | grep -E '^data|,policy,'
}

recorded() {
    for data in pmlb_rs yahpo_rbv2_surrogate pmlb_pools yahpo_rbv2_evo; do
        for horizon in 50 100 200; do # 12 comparisons: 1 - .05 / 12
            compare $data experiments/data/${data}_main.csv.gz $horizon 0.9958333 \
                '{name: ps_prior, label: semi_flat}, {name: ps_prior, rewards: raw, label: semi_flat raw},
                 {name: ps_prior, prior: tail, label: tail}, {name: ps_prior, prior: tail, rewards: raw, label: tail raw}'
        done
    done
}

drawn() {
    local folder
    folder=$(mktemp -d)
    for prior in flat semi_flat curved; do
        /usr/bin/python3 experiments/prior_arms.py $prior >"$folder/$prior.csv"
        for horizon in 50 100 200; do # 9 comparisons: 1 - .05 / 9
            compare $prior "$folder/$prior.csv" $horizon 0.9944444 \
                "{name: ps_prior, prior: $prior, rewards: raw, likelihood: all, target: remaining, label: all remaining},
                 {name: ps_prior, prior: $prior, rewards: raw, label: maximum current},
                 {name: ps_prior, prior: $prior, label: shaped}, {name: ps_max}, {name: uniform}"
        done
    done
    rm -r "$folder"
}

"${1:-recorded}" | awk 'NR == 1 || !/^data,/'
