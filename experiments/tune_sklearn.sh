#!/bin/bash
# Decomposed MaxUCB, combined TPE and random search on equal budgets, by real training (experiments/README.md, "Tuning real
# programs"), and recorded runs of every classifier's own search:
#   experiments/tune_sklearn.sh compare [FOLDER]     7 repetitions of 100 evaluations on each of four data sets
#   experiments/tune_sklearn.sh table [FOLDER]       what they give
#   experiments/tune_sklearn.sh record [FOLDER]     experiments/data/tune_sklearn_{random,rf}.csv.gz: 50 each
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
    for ((r = 0; r < ${REPETITIONS:-7}; r++)); do
        for data in digits breast_cancer wine iris; do
            tune max_ucb-$data-$r $data $r
            tune combined_tpe-$data-$r $data $r -s policy= -s combined='{optimizer: tpe}'
            tune combined_random-$data-$r $data $r -s policy= -s combined='{optimizer: random}'
        done
    done
    ;;
table)
    /usr/bin/python3 - "$to" <<'PYTHON'
import csv, glob, re, sys

METHODS = ("max_ucb", "combined_tpe", "combined_random")
best = {}  # (method, data, repetition, T) -> largest accuracy of the first T trials
for path in glob.glob(sys.argv[1] + "/*-*-*.csv"):
    found = re.search(r"/(%s)-(\w+)-(\d+)\.csv$" % "|".join(METHODS), path)
    if found:
        value = [-float(row["loss"]) for row in csv.DictReader(open(path))]
        for T in (25, 50, 100):
            best[found[1], found[2], int(found[3]), T] = max(value[:T])
for T in (25, 50, 100):
    for data in ("digits", "breast_cancer", "wine", "iris"):
        runs = [r for r in range(100) if all((m, data, r, T) in best for m in METHODS)]
        error = [sum(1 - best[m, data, r, T] for r in runs) / len(runs) for m in METHODS]
        against = []
        for m in METHODS[1:]:
            gain = [best["max_ucb", data, r, T] - best[m, data, r, T] for r in runs]
            against.append(f"{sum(g > 0 for g in gain)} / {sum(g == 0 for g in gain)} / {sum(g < 0 for g in gain)}")
        print(f"| {T} | {data} | {len(runs)} |", " | ".join(f"{e:.4f}" for e in error), "|", " | ".join(against), "|")
PYTHON
    ;;
record)
    for ((r = 0; r < ${REPETITIONS:-1}; r++)); do
        for data in breast_cancer wine; do
            for optimizer in random rf; do
                set --
                for k in 0 1 2 3 4 5 6; do set -- "$@" -s arms.$k.optimizer=$optimizer; done
                tune record-$optimizer-$data-$r $data $r "$@" -s policy=uniform -s budget.evaluations=350
            done
        done
    done
    for optimizer in random rf; do
        awk 'NR == 1 || !/^instance,/' $(ls "$to"/record-$optimizer-*-[0-9].csv) |
            gzip -9n >experiments/data/tune_sklearn_$optimizer.csv.gz
    done
    ;;
esac
