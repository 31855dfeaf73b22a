#!/bin/bash
# What do warm starts from other data sets gain? (warm_starts_pmlb.yaml, warm_starts_openml.yaml; notes/warm_starts.md)
#   experiments/warm_starts.sh run [FOLDER] [OPTION…]   a run for each search, start and file (options of maxk run)
#   experiments/warm_starts.sh table [FOLDER]           the starts against each other: the primary comparison, then all
#   experiments/warm_starts.sh groups                   data sets of PMLB with nearly the same rewards
# FOLDER is results/warm_starts unless given.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
what=${1:-}
to=${2:-results/warm_starts}
shift; [ $# = 0 ] || shift


run() { # SEARCH OPTIMISER OPTION…
    local search=$1 optimizer=$2 start name portfolio weight data arms k
    shift 2
    for start in none:0:0 portfolio:5:0 prior:0:10 both:5:10; do
        IFS=: read -r name portfolio weight <<<"$start"
        for data in pmlb openml; do
            arms=()
            for k in $(seq 0 $(($(grep -c objective: experiments/warm_starts_$data.yaml) - 1))); do
                arms+=(-s "problem.searches.$k.optimizer=$optimizer")
            done
            "$maxk" run experiments/warm_starts_$data.yaml -q --force -o "$to/${search}_${name}_$data.h5" "${arms[@]}" \
                -s "problem.prior.portfolio=$portfolio" -s "problem.prior.weight=$weight" "$@"
        done
    done
}

# Every start as a recorded search of an experiment, for maxk rank; its best reward changes at the horizons alone.
collect() { # SEARCH HORIZONS
    local data start
    for data in pmlb openml; do
        for start in none portfolio prior both; do
            "$maxk" export "$to/${1}_${start}_$data.h5" --csv "$to/csv" >"$to/export.log"
            awk -F, -v start=$start 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
                {print $at["instance"] "," start "," $at["replication"] "," $at["horizon"] "," $at["max_reward"]}' \
                "$to/csv/max_reward.csv"
        done | sort -t, -k2,2 -k1,1 -k3,3n -k4,4n | awk -F, '
            BEGIN {
                print "instance,arm_index,classifier,optimizer,repetition,iteration,loss"
                index_of["none"] = -1; index_of["portfolio"] = -2; index_of["prior"] = -3; index_of["both"] = -4
            }
            {
                series = $1 "," $2 "," $3
                if (series != before) from = 0
                for (n = from; n < $4; n++) {
                    loss = n == $4 - 1 || !from ? -$5 : -last
                    print $1 "," index_of[$2] "," $2 "," $2 "," $3 "," n "," loss
                    if ($2 == "none") print $1 ",0,arm,arm," $3 "," n "," loss
                }
                before = series; from = $4; last = $5
            }' >"$to/${1}_$data.csv"
        "$maxk" run experiments/power_recorded.yaml -q --force -o "$to/${1}_$data.h5" \
            -s "problem.trajectories=$to/${1}_$data.csv" -s 'policies=[]' -s "horizons=$2"
    done
}

[ "$what" = groups ] || mkdir -p "$to"

case $what in
run)
    run tpe tpe "$@"
    run random random -s 'horizons=[25, 50, 100, 200]' -s replications=10 "$@"
    run tpe_200 tpe -s 'horizons=[100, 200]' -s replications=1 "$@"
    ;;
table)
    collect tpe '[25, 50]'
    collect random '[25, 50, 100, 200]'
    collect tpe_200 '[100, 200]'
    echo "The primary comparison"
    "$maxk" rank "$to/tpe_pmlb.h5" "$to/tpe_openml.h5" --layout pairs --horizon 50 --policy "none (-1)" --policy "both (-4)"
    for search in tpe tpe_200 random; do
        echo "$search"
        "$maxk" rank "$to/${search}_pmlb.h5" "$to/${search}_openml.h5" --layout verdicts --baseline "none (-1)"
    done
    ;;
groups)
    /usr/bin/python3 - <<'PYTHON'
import collections, csv, gzip, itertools

rewards = collections.defaultdict(dict)  # instance -> configuration -> reward
for row in csv.reader(gzip.open("experiments/data/measured_pmlb_main.csv.gz", "rt")):
    if row[0] != "instance":
        rewards[row[0]][tuple(row[1:2] + row[3:])] = float(row[2])
group = {name: {name} for name in rewards}
for a, b in itertools.combinations(sorted(rewards), 2):
    both = rewards[a].keys() & rewards[b].keys()
    if sum(abs(rewards[a][c] - rewards[b][c]) for c in both) <= .02 * len(both):
        group[a] |= group[b]
        for name in group[a]:
            group[name] = group[a]
for names in sorted({tuple(sorted(g)) for g in group.values() if len(g) > 1}):
    print(*names)
PYTHON
    ;;
*)
    echo "warm_starts.sh: expected run, table or groups, got '$what'" >&2
    exit 2
    ;;
esac
