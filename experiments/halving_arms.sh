#!/bin/bash
# Does early stopping below help or hurt the bandit above? (halving_arms.yaml; experiments/README.md, "Budgets inside an
# evaluation")
#   experiments/halving_arms.sh run [FOLDER] [OPTION…]   one run for each optimiser (options of maxk run); two minutes of a core
#   experiments/halving_arms.sh table [FOLDER]           what they found at equal cost
# FOLDER is results/halving_arms unless given.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
what=$1
to=${2:-results/halving_arms}
shift; [ $# = 0 ] || shift
mkdir -p "$to"

# A pull of random search or TPE is a whole evaluation, and ten of one fold cost as much.
whole=(-s 'horizons={from: 6, to: 150, step: 6}')
run() { # NAME OPTIMISER OPTION…
    local name=$1 optimizer=$2
    shift 2
    "$maxk" run experiments/halving_arms.yaml -q --force -o "$to/$name.h5" -s problem.searches.0.optimizer="$optimizer" "$@"
}

case $what in
run)
    run random random "${whole[@]}" "$@"
    run tpe tpe "${whole[@]}" "$@"
    run successive_halving '{name: successive_halving, n: 27, R: 10}' "$@"
    run hyperband '{name: hyperband, R: 10}' "$@"
    run bohb '{name: bohb, R: 10}' "$@"
    run irace irace "$@"
    run irace_200 '{name: irace, B: 200}' "$@"
    ;;
table)
    for name in random tpe successive_halving hyperband bohb irace irace_200; do
        "$maxk" rank "$to/$name.h5" --budget 30,60,120 --layout tasks --csv --resamples 0 >"$to/$name.csv"
    done
    /usr/bin/python3 - "$to" <<'PYTHON'
import csv, math, statistics, sys

NAMES = ("random", "tpe", "successive_halving", "hyperband", "bohb", "irace", "irace_200")
best = {}  # (policy, budget, optimiser) -> mean largest reward of every instance
for name in NAMES:
    for row in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")):
        best.setdefault((row["policy"], int(row["budget"]), name), {})[row["instance"]] = float(row["mean_max"])


def sign_test(wins, losses):  # two-sided, without ties
    n, most = wins + losses, max(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n)


# Holm's adjustment over the other optimisers of a policy and a budget.
for policy in ("max_ucb", "uniform"):
    for budget in (30, 60, 120):
        base, rows = best[policy, budget, "random"], []
        for name in NAMES:
            mine = best[policy, budget, name]
            gain = [mine[i] - base[i] for i in base]
            wins, losses = sum(g > 1e-8 for g in gain), sum(g < -1e-8 for g in gain)
            error = statistics.stdev(gain) / math.sqrt(len(gain))
            rows.append((name, statistics.mean(mine.values()), statistics.mean(gain), error, wins, losses,
                         sign_test(wins, losses)))
        adjusted, least = {}, 0.0
        for rank, row in enumerate(sorted(rows[1:], key=lambda r: r[-1])):
            least = max(least, min(1.0, (len(rows) - 1 - rank) * row[-1]))
            adjusted[row[0]] = least
        for name, mean, gain, error, wins, losses, _ in rows:
            against = "–" if name == "random" else f"{gain:+.4f} ± {error:.4f} | {wins}/{losses} | {adjusted[name]:.2g}"
            print(f"| {policy} | {budget} | {name} | {mean:.4f} | {against} |")
PYTHON
    ;;
*)
    echo "halving_arms.sh: expected run or table, got '$what'" >&2
    exit 2
    ;;
esac
