#!/bin/bash
# Evaluations in part differ in cost: a result holds what its pulls cost, regardless of threads and shards, the same as
# their recording; policies that know of costs see them; rank --budget compares at equal cost.
. tests/support/lib.sh
need h5diff hdf5-tools

cat >"$dir/c.yaml" <<'YAML'
name: c
problem:
  instances: 3
  searches:
    - {repeat: 3, objective: {name: kfold, arm: "{i}"}, optimizer: {name: hyperband, R: 10}, label: "arm {i}"}
    - {objective: {name: kfold, arm: 3}, optimizer: random, label: whole, cost: 2}
combined:
  - {optimizer: {name: successive_halving, n: 9, R: 10}, label: joint}
policies: [{name: max_ucb, alpha: 0.5}, uniform, {name: rising_bandit_cost, budget: 40}]
horizons: {from: 4, to: 120, step: 4}
replications: 3
YAML
run() { "$maxk" run "$dir/c.yaml" -q "$@"; }
for j in 1 3; do check "runs on $j threads" run -j $j -o "$dir/$j.h5"; done
check "3 threads equal 1" same "$dir/1.h5" "$dir/3.h5"
for i in 1 2; do check "shard $i of 2" run --shard $i/2 -j 1 -o "$dir/$i.part"; done
check "merged" "$maxk" merge "$dir/2.part" "$dir/1.part" -o "$dir/m.h5"
check "the parts make the same result" same "$dir/1.h5" "$dir/m.h5"
check "exported" "$maxk" export "$dir/1.h5" --csv "$dir/1"

# What 4 rounds of round robin and 120 evaluations of the joint search cost, by the recording.
check "recorded" "$maxk" record "$dir/c.yaml" -o "$dir/r.csv"
sum() { # FIRST PULLS: of the recorded searches, instance 1, repetition 2
    tr -d '"' <"$dir/r.csv" | awk -F, -v search="$1" -v n="$2" \
        '$1 == 1 && $5 == 2 && $6 < n && (search ? $2 == -1 : $2 >= 0) {s += $8} END {printf "%.9f", s}'
}
stored() { awk -F, -v p="$1" -v h="$2" '$1 == p && $2 == 1 && $3 == h && $4 == 2 {printf "%.9f", $5}' "$dir/1/cost.csv"; }
check "the cost of round robin" equal "$(stored uniform 16)" "$(sum 0 4)"
check "of all of it" equal "$(stored uniform 120)" "$(sum 0 30)"
check "of a combined search" equal "$(stored joint 120)" "$(sum 1 120)"
check "whole evaluations of the dear arm cost 2" has "$dir/r.csv" '^"0",3,"whole","random",0,5,[-0-9.e]+,2,'
# Its last pull, which costs 2 at most, may take longer than what is left.
check "a policy with a budget spends it" \
    awk -F, '/^rising/ && $3 == 120 {n++; if ($5 < 40 - 1e-9 || $5 >= 42) bad = 1} END {exit n != 9 || bad}' "$dir/1/cost.csv"

cat >"$dir/r.yaml" <<'YAML'
name: c
problem: {trajectories: r.csv, arm_order: file, columns: {loss: loss_seen}}
policies: [{name: max_ucb, alpha: 0.5}, uniform, {name: rising_bandit_cost, budget: 40}]
horizons: {from: 4, to: 120, step: 4}
YAML
check "the recording runs" "$maxk" run "$dir/r.yaml" -q -o "$dir/r.h5"
check "exported too" "$maxk" export "$dir/r.h5" --csv "$dir/r"
check "the replay pulls the same" equal "$(grep -v ^joint "$dir/1/pulls.csv" | md5sum)" \
    "$(grep -v ^joint "$dir/r/pulls.csv" | md5sum)"
rank() { "$maxk" rank "$1" --csv --budget 5,20.1,30 --loss reached | sed 's/joint (-1)/joint/g'; }
check "ranks at equal cost" into "$dir/live" rank "$dir/1.h5"
check "of the recording" into "$dir/replayed" rank "$dir/r.h5"
check "are the same" equal "$(cat "$dir/live")" "$(cat "$dir/replayed")"
check "and those of four entries at three budgets" equal "$(wc -l <"$dir/live")" 13
check "costs of arms in their place" into "$dir/own" "$maxk" rank "$dir/1.h5" --csv --budget 20 --arm-cost whole=1
# But for mean_incumbent, the last column.
check "a cost of 1 each: the horizon" equal "$(cut -d, -f3- "$dir/own" | tail -n +2 | sort)" \
    "$("$maxk" rank "$dir/1.h5" --csv --horizon 20 | cut -d, -f3- | tail -n +2 | sed 's/,[^,]*$//' | sort)"

# Without costs budgets would be numbers of pulls.
python - "$dir/3.h5" <<'PYTHON'
import h5py, sys
with h5py.File(sys.argv[1], "r+") as f:
    for policy in f["policies"].values():
        del policy["cost"]
PYTHON
refused "a result without costs" 'has no costs' "$maxk" rank "$dir/3.h5" --budget 20

# The curves of ranks have a version at equal cost; its last point is the largest cost that all reach.
check "figures" "$maxk" figures "$dir/1.h5" -o "$dir/figures" -f svg --only rank
check "ranks against cost" has "$dir/figures/c_cost_rank.gp" 'cost .whole evaluations.'
check "up to what all have spent" equal "$(awk '!/^#/ && NF {x = $1} END {printf "%.4f", x}' "$dir/figures/c_cost_rank.dat")" \
    "$(awk -F, '$3 == 120 {if (!n++ || $5 < least) least = $5} END {printf "%.4f", least}' "$dir/1/cost.csv")"

# Arms that are distributions have costs too.
cat >"$dir/a.yaml" <<'YAML'
name: a
problem: {arms: [{family: uniform, lo: 0, hi: 1, cost: 3}, {family: uniform, lo: 0, hi: 0.5}]}
policies: [uniform, random]
horizons: [10, 20, 30]
replications: 4
YAML
check "arms with costs run" "$maxk" run "$dir/a.yaml" -q -o "$dir/a.h5"
check "and are ranked at equal cost" into "$dir/arms" "$maxk" rank "$dir/a.h5" --csv --budget 40
check "as by costs of arms" equal "$(cat "$dir/arms")" \
    "$("$maxk" rank "$dir/a.h5" --csv --budget 40 --arm-cost 'arm 0=3')"
finish
