#!/bin/bash
# Rising arms through the commands: the same results for any number of threads, what does not apply is rejected with one
# line, every applicable figure is drawn, costs recorded per pull reach the policy.
. tests/support/lib.sh
need h5diff hdf5-tools

for name in concave noisy break switch drift costs; do
    file=experiments/rising_$name.yaml
    for j in 1 3; do
        check "$file runs on $j threads" "$maxk" run "$file" -q -j $j -o "$dir/$j.h5" -s 'horizons=[50, 200]' -s replications=6
    done
    check "$file: 3 threads equal 1" same "$dir/1.h5" "$dir/3.h5"
done

check "processes run" "$maxk" run experiments/rising_noisy.yaml -q -o "$dir/r.h5" -s 'horizons=[50, 100]' -s replications=5
refused "lu of processes" 'not applicable to processes' "$maxk" lu experiments/rising_noisy.yaml
refused "survival of processes" 'not applicable to processes' "$maxk" survival experiments/rising_drift.yaml
refused "bounds of processes" 'not applicable to processes' "$maxk" bounds "$dir/r.h5"
refused "records of processes" 'engine record' "$maxk" run experiments/rising_noisy.yaml --engine record -o "$dir/x.h5"
check "long horizons run" "$maxk" run experiments/rising_noisy.yaml -q -o "$dir/x.h5" -s 'policies=[max_ucb]' \
    -s 'horizons=[100000]' -s replications=1 -s 'problem={processes: [{curve: power, rate: 1}]}'
check "the file says how" into "$dir/info" "$maxk" info "$dir/x.h5"
check "pull by pull" has "$dir/info" '^max_ucb +max_ucb +per-pull'
check "gap of processes" into "$dir/gap" "$maxk" gap experiments/rising_concave.yaml --csv --horizons 200,500
# .9 - .7 / sqrt(200)
check "the best one at 200" has "$dir/gap" '^rising_concave,200,2,power,0.8505025253169416,1,0,0$'
check "and at 500" has "$dir/gap" '^rising_concave,500,1,exponential slow,.*,1,0,0$'
check "figures of processes" exits 0 "$maxk" figures "$dir/r.h5" -o "$dir/figures" -f svg
check "nothing is said" equal "$(cat "$dir/err")" ""
check "those of the runs" has "$dir/out" regret
check "and no others" lacks "$dir/out" 'survival|bounds'
check "with the rewards of the arms" has "$dir/out" '_process\.svg$'
check "figures before a run" "$maxk" figures experiments/rising_concave.yaml -o "$dir/before" -f svg
# .95 - .85 exp(-.01 * 1999) is the second curve at pull 2000, its mean and its E[M(T)] alike
check "means and E[M(T)] of the slow arm" equal \
    "$(awk '/^# curve/ {slow = $3 == "1:"} slow && $1 == 2000 {printf "%.9f ", $2}' "$dir/before"/*_process.dat)" \
    "0.949999998 0.949999998 "
check "curves are listed" into "$dir/curves" "$maxk" list curves
check "with their parameters" has "$dir/curves" '^logistic .*low, high, rate, middle'
check "and described" into "$dir/logistic" "$maxk" describe logistic
check "with defaults" has "$dir/logistic" 'middle .* default 1'

# Two arms that rise equally; the expensive one gets fewer pulls before it is dropped than the cheap one.
{
    echo instance,arm,repetition,iteration,reward,cost
    for i in $(seq 0 99); do
        awk -v i="$i" 'BEGIN {printf "x,cheap,0,%d,%.6f,1\nx,dear,0,%d,%.6f,%d\n",
            i, 0.9 - 0.8 * exp(-0.03 * i), i, 0.9 - 0.8 * exp(-0.029 * i), 20 + i % 3}'
    done
} >"$dir/d.csv"
cat >"$dir/e.yaml" <<YAML
problem: {trajectories: $dir/d.csv}
policies: [{name: rising_bandit_cost, C: 1, scale: none, budget: 200}, {name: rising_bandit, C: 1, scale: none}]
horizons: [100]
name: c
YAML
check "recorded costs run" "$maxk" run "$dir/e.yaml" -q -o "$dir/c.h5"
check "and have a summary" into "$dir/out" "$maxk" summary "$dir/c.h5" --csv
aware=$(awk -F, '$1 == "rising_bandit_cost" && $6 == "dear" {print $8}' "$dir/out")
blind=$(awk -F, '$1 == "rising_bandit" && $6 == "dear" {print $8}' "$dir/out")
check "recorded costs: the dear arm gets $aware pulls instead of $blind" \
    awk -v a="$aware" -v b="$blind" 'BEGIN {exit !(a > 0 && a < b)}'

# A budget ends the run with the pull that spends it: 500 is reached by the last pull and not before; without one, T pulls.
check "a trace with a budget" into "$dir/trace" \
    "$maxk" trace experiments/rising_costs.yaml --policy 'rising_bandit_cost budget=500' -t 1000
check "costs per arm: the budget is spent by the last pull" into "$dir/rounds" awk -F, '
    BEGIN {split("1 5 2 10", cost, " ")} NR > 1 {spent += cost[$2 + 1]; last = cost[$2 + 1]; n++; best = $4}
    END {print n, best; exit !(spent >= 500 && spent - last < 500)}' "$dir/trace"
check "a result with that budget" "$maxk" run experiments/rising_costs.yaml -q -o "$dir/b.h5"
check "the result has the pulls made and the largest reward among them" equal "$("$maxk" summary "$dir/b.h5" --csv |
    awk -F, '$1 == "rising_bandit_cost budget=500" && $3 == 1000 {n += $8; best = $10} END {print n, best}')" \
    "$(cat "$dir/rounds")"
check "a trace with recorded costs" into "$dir/trace" "$maxk" trace "$dir/e.yaml" --policy rising_bandit_cost
check "recorded costs: the budget is spent by the last pull" awk -F, '
    NR == FNR {if (FNR > 1) cost[$2 == "dear", $4] = $6; next}
    FNR > 1 {last = cost[$2 == 1, pulls[$2]++ + 0]; spent += last} END {exit !(spent >= 200 && spent - last < 200)}' \
    "$dir/d.csv" "$dir/trace"
check "no budget: T pulls" equal \
    "$("$maxk" trace experiments/rising_costs.yaml --policy 'T times the mean cost' -t 200 | wc -l)" 201
finish
