#!/bin/bash
# PS-Max, MaxUCB with its variants for the remaining rounds and for labels, against MaxUCB on recorded runs
# (notes/newest.md); all policies get the same rewards:
#   experiments/newest.sh
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
policies='[{name: max_ucb, alpha: 0.5, scale: minmax},
  {name: ps_max, label: ps_max current},
  {name: ps_max, target: remaining, label: ps_max remaining},
  {name: max_ucb_remaining, alpha: 0.5, scale: minmax},
  {name: max_ucb, alpha: 0.5, scale: minmax, label_prior: 0.5, label: label_prior}]'
for data in pmlb_rs yahpo_rbv2_surrogate pmlb_pools yahpo_rbv2_evo; do
    for horizon in 50 100 200; do
        # 12 comparisons: 1 - .05 / 12
        "$maxk" recommend experiments/data/${data}_main.csv.gz --horizon $horizon --ends-early hold --csv \
            --confidence 0.9958333 -s "policies=$policies" \
            --show kind,candidate,loss,difference,difference_low,difference_high,wins,ties,losses,units |
            sed "1s/^/data,T,/; 1!s/^/$data,$horizon,/" | grep -E '^data|,policy,'
    done
done | awk 'NR == 1 || !/^data,/'
