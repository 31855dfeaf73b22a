#!/bin/bash
# The newest policies against MaxUCB where pulls have costs, by largest rewards and by test scores (notes/costs.md):
#   experiments/newest_costs.sh
# The runs of sklearn_costs.sh, by random search and by rf, are repetitions of one data set; costs are in units of the mean
# cost of a pull of the data set, and so are budgets.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
base='{name: max_ucb, alpha: 0.5, scale: minmax}'
policies="$base, {name: ps_max, label: ps_max},
  {name: max_ucb_remaining, alpha: 0.5, scale: minmax, label: max_ucb_remaining},
  {name: max_ucb, alpha: 0.5, scale: minmax, label_prior: 0.5, label: label_prior}"

# Cells of a row without its configuration, which has commas: data set, arm, repetition, iteration, loss, cost, test loss.
for kind in classification regression; do
    for optimizer in random rf; do
        gzip -dc "experiments/data/sklearn_${kind}_$optimizer.csv.gz" | sed -E '1d; s/,"[^"]*"//' |
            awk -F, -v OFS=, -v after=$([ $optimizer = rf ] && echo 4 || echo 0) '{ print $1, $3, $5 + after, $6, $7, $8, $9 }'
    done >"$work/$kind"
done
cat "$work/classification" "$work/regression" >"$work/both"
for data in both classification regression; do
    awk -F, -v OFS=, 'FNR == NR { sum[$1] += $6; n[$1]++; next }
        FNR == 1 { print "instance,arm,repetition,iteration,loss,cost,test_loss" }
        { $6 = $6 / sum[$1] * n[$1]; print }' "$work/$data" "$work/$data" >"$work/$data.csv"
done

# DATA UNIT BUDGET SCORE OPTION…: a table; 36 comparisons: 1 - .05 / 36
compare() {
    local data=$1 unit=$2 budget=$3 score=$4
    shift 4
    "$maxk" recommend "$work/$data.csv" --horizon "$budget" --score "$score" --confidence 0.9986111 --csv "$@" \
        --show kind,candidate,loss,difference,difference_low,difference_high,p,wins,ties,losses,units,optimism |
        sed "1s/^/data,unit,budget,score,/; 1!s/^/$data,$unit,$budget,$score,/"
}

for data in both classification regression; do
    for budget in 17 33 50; do
        costly=", {name: ps_max, per_cost: lognormal, budget: $budget, label: ps_max lognormal},
          {name: max_ucb, alpha: 0.5, scale: minmax, per_cost: root, label: root},
          {name: max_ucb, alpha: 0.5, scale: minmax, per_cost: ratio, label: ratio}"
        for score in max incumbent; do
            compare $data pulls $budget $score -s "policies=[$policies]" | grep -E '^data|,policy,'
            compare $data cost $budget $score --costs --ends-early leave -s "policies=[$policies$costly]" | grep ,policy,
            # the best of MaxUCB and the arms alone, known in advance for each data set
            compare $data pulls $budget $score -s "policies=[$base]" | grep ,known,
            compare $data cost $budget $score --costs --ends-early leave -s "policies=[$base]" | grep ,known,
        done
    done
done | awk 'NR == 1 || !/^data,/'
