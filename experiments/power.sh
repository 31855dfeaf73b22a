#!/bin/bash
# Which alpha and power of MaxUCB, and which shape of its bonus, when nothing is known of the arms? (power_sweep.yaml,
# plugin/power_shapes.yaml, power_recorded.yaml; experiments/notes/power.md)
#   experiments/power.sh run [FOLDER] [OPTION…]   one run for each problem of the class (options of maxk run)
#   experiments/power.sh table [FOLDER]           CSV: pulls of suboptimal arms against those of the best entry, the worst cases
#   experiments/power.sh shapes [FOLDER] [OPTION…]  as run, for shapes of the bonus; table then shows these
#   experiments/power.sh recorded [FOLDER]        recorded runs: a run for each data set, and the ranks of the pairs
# FOLDER is results/power unless given, of shapes results/power_shapes.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
what=$1
[ "$what" = shapes ] && to=results/power_shapes || to=results/power
shift
if [ $# != 0 ]; then to=$1; shift; fi
mkdir -p "$to"

case $what in
run | shapes)
    experiment=experiments/power_sweep.yaml
    if [ "$what" = shapes ]; then
        experiment=experiments/plugin/power_shapes.yaml
        "${CC:-gcc}" -O2 -shared -fPIC -I. experiments/plugin/bonus_shapes.c -o "$to/bonus_shapes.so"
        set -- --plugin "$to/bonus_shapes.so" "$@"
    fi
    # Experiments 5 and 6 of Baudry et al. are those of e4_exponential (in another unit and order) and e4_gaussian.
    for name in e4_pareto e4_exponential e4_gaussian e4_power baudry_1 baudry_2 baudry_4 baudry_7 baudry_8; do
        arms=$(sed -n '/^ *arms:/,/^[^ #]/{/^ *arms:/d;/^[^ ]/d;s/#.*//;s/^ *- //;p}' "experiments/$name.yaml" | paste -sd, -)
        "$maxk" run "$experiment" -q --force -o "$to/$name.h5" -s "problem.arms=[$arms]" "$@"
    done
    for seed in 1 2 3 4 5 6 7 8; do
        arms="{repeat: 5, family: power, a: {uniform: [1, 6]}, s: {uniform: [0.9, 1.1]}, label: 'arm {i}', seed: $seed}"
        "$maxk" run "$experiment" -q --force -o "$to/random_$seed.h5" "$@" -s seed=$seed -s "problem.arms=[$arms]"
    done
    ;;
table)
    for result in "$to"/*.h5; do
        "$maxk" summary "$result" --csv --show policy,horizon,optimal,mean_pulls,se_pulls >"${result%.h5}.csv"
    done
    /usr/bin/python3 - "$to" <<'PYTHON'
import csv, glob, math, os, statistics, sys

def entry(label):
    """(alpha, power) of the sweep, or (alpha, shape)."""
    alpha, kind = label.split(" ", 1)
    return float(alpha), float(kind) if kind.replace(".", "").isdigit() else kind


wrong = {}  # (problem, T) -> entry -> pulls of suboptimal arms, standard error
for path in sorted(glob.glob(f"{sys.argv[1]}/*.csv")):
    problem = os.path.basename(path)[:-4]
    for row in csv.DictReader(open(path)):
        if row["optimal"] == "1":
            pair, horizon = entry(row["policy"]), int(row["horizon"])
            wrong.setdefault((problem, horizon), {})[pair] = horizon - float(row["mean_pulls"]), float(row["se_pulls"])
pairs = sorted(next(iter(wrong.values())), key=lambda p: (p[1], p[0]))


def ratios(pair, keep):
    """(ratio to the best entry, its standard error, problem, T), the largest first."""
    found = []
    for (problem, horizon), mean in wrong.items():
        if keep(horizon):
            best, error = min(mean.values())
            spread = math.hypot(mean[pair][1] / best, mean[pair][0] * error / best**2)
            found.append((mean[pair][0] / best, spread, problem, horizon))
    return sorted(found, reverse=True)


average = {pair: math.exp(statistics.mean(math.log(r[0]) for r in ratios(pair, lambda t: True))) for pair in pairs}
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow("alpha shape short short_se short_problem short_T long long_se long_problem long_T mean place".split())
for pair in pairs:
    short, long = (ratios(pair, keep)[0] for keep in (lambda t: t <= 200, lambda t: t > 200))
    place = sum(average[p] <= average[pair] for p in pairs if p[1] == pair[1])  # by the mean, among those of its shape
    out.writerow([*pair, *short, *long, average[pair], place])
PYTHON
    ;;
recorded)
    mkdir -p "$to/recorded"
    for data in pmlb_rs_main pmlb_pools_main openml100_main nb201_main yahpo_rbv2_surrogate_main yahpo_rbv2_evo_main \
        tune_sklearn_random tune_sklearn_rf; do
        longest=() # the series of other files end at 200
        case $data in
        pmlb_pools_main | openml100_main) longest=(-s 'horizons=[50, 100, 200, 500]' -s problem.ends_early=hold) ;;
        nb201_main) longest=(-s 'horizons=[50, 100, 200, 1000]') ;;
        esac
        "$maxk" run experiments/power_recorded.yaml -q --force -o "$to/recorded/$data.h5" \
            -s problem.trajectories="experiments/data/$data.csv.gz" "${longest[@]}" "$@"
        "$maxk" rank "$to/recorded/$data.h5" --csv --show policy,horizon,rank,loss | grep -E '^(max_ucb|[0-9][^,]*),' |
            sed "s/^/$data,/"
        "$maxk" rank "$to/recorded/$data.h5" --layout verdicts --baseline max_ucb --csv \
            --show horizon,policy,wins,ties,losses,p_sign,p_untied |
            grep -E '^[0-9]+,([0-9]|max_ucb)' | sed "s/^/$data,/"
    done
    ;;
*)
    echo "power.sh: expected run, table, shapes or recorded, got '$what'" >&2
    exit 2
    ;;
esac
