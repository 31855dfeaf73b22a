#!/bin/bash
# Does early stopping below help or hurt the bandit above? (halving_arms.yaml; notes/budgets.md)
#   experiments/halving_arms.sh run [FOLDER] [OPTION…]   one run for each optimiser (options of maxk run); a minute of a core
#   experiments/halving_arms.sh table [FOLDER]           CSV: what they found at equal cost, values without noise
#   SCORE=max experiments/halving_arms.sh table          the largest rewards, noise included
# FOLDER is results/halving_arms unless given.
set -eu
cd "$(dirname "$0")/.."
maxk=${MAXK:-build/maxk}
what=$1
to=${2:-results/halving_arms}
shift; [ $# = 0 ] || shift
mkdir -p "$to"

# So many pulls cost more than 120 whole evaluations; arms are run to the largest horizon.
whole=(-s 'horizons={from: 6, to: 150, step: 6}')
brackets=(-s 'horizons={from: 6, to: 600, step: 6}')
run() { # NAME OPTIMISER OPTION…
    local name=$1 optimizer=$2
    shift 2
    "$maxk" run experiments/halving_arms.yaml -q --force -o "$to/$name.h5" -s problem.searches.0.optimizer="$optimizer" "$@"
}

case $what in
run)
    run random random "${whole[@]}" "$@"
    run tpe '{name: tpe, multivariate: no}' "${whole[@]}" "$@"
    run successive_halving '{name: successive_halving, n: 27, R: 10}' "$@"
    run hyperband '{name: hyperband, R: 10}' "${brackets[@]}" "$@"
    run bohb '{name: bohb, R: 10}' "${brackets[@]}" "$@"
    run irace '{name: irace, round: no}' "$@"
    run irace_200 '{name: irace, round: no, B: 200}' "$@"
    ;;
table)
    for name in random tpe successive_halving hyperband bohb irace irace_200; do
        "$maxk" rank "$to/$name.h5" --budget 30,60,120 --layout tasks --csv --resamples 0 \
            --score "${SCORE:=incumbent}" >"$to/$name.csv"
    done
    /usr/bin/python3 - "$to" "mean_$SCORE" <<'PYTHON'
import csv, math, statistics, sys

# Evaluations for each whole one: 39 / 3 of halving, 22 / 5 of Hyperband, 20 / 5 of BOHB (they round otherwise), ten folds.
# MaxUCB with the value of alpha nearest to 0.5 times as much counts whole evaluations instead of pulls, as far as it can.
SCALED = {"random": 0.5, "tpe": 0.5, "successive_halving": 8, "hyperband": 2, "bohb": 2, "irace": 4, "irace_200": 4}
best = {}  # (policy, budget, optimiser) -> score of every instance
for name in SCALED:
    for row in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")):
        best.setdefault((row["policy"], int(row["budget"]), name), {})[row["instance"]] = float(row[sys.argv[2]])


def sign_test(wins, losses):  # two-sided, without ties
    n, most = wins + losses, max(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(most, n + 1)) / 2**n)


def column(policy_of, budget):
    """Of every optimiser the mean, and against random search: instances won and lost, p adjusted by Holm."""
    base, found, order = best[policy_of("random"), budget, "random"], {}, []
    for name in SCALED:
        mine = best[policy_of(name), budget, name]
        gain = [mine[i] - base[i] for i in base]
        wins, losses = sum(g > 1e-8 for g in gain), sum(g < -1e-8 for g in gain)
        found[name] = [statistics.mean(mine.values()), wins, losses, sign_test(wins, losses)]
    adjusted = 0.0
    for rank, name in enumerate(sorted((n for n in SCALED if n != "random"), key=lambda n: found[n][3])):
        found[name][3] = adjusted = max(adjusted, min(1.0, (len(SCALED) - 1 - rank) * found[name][3]))
    return found


COLUMNS = {"MaxUCB": lambda name: "max_ucb alpha=0.5", "scaled": lambda name: f"max_ucb alpha={SCALED[name]}",
           "uniform": lambda name: "uniform"}
print("budget,optimizer,policy,mean,wins,losses,verdict")
for budget in (30, 60, 120):
    for policy, policy_of in COLUMNS.items():
        for name, (mean, wins, losses, p) in column(policy_of, budget).items():
            verdict = "undecided" if p >= 0.05 else "better" if wins > losses else "worse"
            print(budget, name, policy, mean, wins, losses, verdict, sep=",")
PYTHON
    ;;
*)
    echo "halving_arms.sh: expected run or table, got '$what'" >&2
    exit 2
    ;;
esac
