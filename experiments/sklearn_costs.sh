#!/bin/bash
# Seven learners of scikit-learn with test losses and processor seconds (data/README.md, notes/costs.md), by one worker:
#   experiments/sklearn_costs.sh data            data sets of R packages: results/sklearn_costs/data
#   experiments/sklearn_costs.sh record KIND OPTIMIZER
#                                                each learner's own search, 60 evaluations, 4 repetitions:
#                                                experiments/data/sklearn_KIND_OPTIMIZER.csv.gz, where KIND is
#                                                classification or regression, OPTIMIZER random or rf
# What is complete in results/sklearn_costs is not run again. Seconds are those of the machine that records.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
to=results/sklearn_costs
classification=breast_cancer,digits,dna,glass,ionosphere,letter,pima,satellite,sonar,soybean,vehicle,votes,vowel
regression=attenuation,chicks,cpus,diabetes,earthquakes,mroz,nlschools,ozone,salaries,servo,slid,wong
mkdir -p "$to/data"

# KIND OPTIMIZER: the repetitions, each with a division of the rows of its own, one after another
record() {
    local kind=$1 optimizer=$2 rule=$2 r
    [ "$optimizer" = random ] || rule='{name: rf, most_init: 1000000}'
    for r in 0 1 2 3; do
        "$maxk" record "experiments/sklearn_costs_$kind.yaml" -s optimizer="$rule" -s repetition=$r -s seed=$((r + 1)) \
            -s "worker=[/usr/bin/python3, '{here}/sklearn_costs.py', $kind, '{instance}', '$r', $to/data]" \
            --instances "${!kind}" --digits 4 --resume -o "$to/$kind-$optimizer-$r.csv"
    done
    # The columns of recorded runs: without the status and what is there twice.
    {
        echo instance,arm_index,classifier,optimizer,repetition,iteration,loss,configuration,cost,test_loss
        awk -F '"' 'FNR > 1 {
            split($1, a, ",")
            split($3, b, ",")
            printf "%s,%s,%s,%s,%s,%s,%s,\"%s\",%s,%.4g\n", a[1], a[2], a[3], a[4], a[5], a[6], a[7], $2, b[4], b[5] }' \
            "$to/$kind-$optimizer"-[0-9].csv
    } | gzip -9n >"experiments/data/sklearn_${kind}_$optimizer.csv.gz"
}

case $1 in
data) Rscript experiments/sklearn_costs.R "$to/data" ;;
record) record "$2" "$3" ;;
esac
