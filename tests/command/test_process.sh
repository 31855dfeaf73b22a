# Rising arms through the commands: the same results for any number of threads, what does not apply is refused with one
# line, every figure that applies is drawn, costs recorded pull by pull reach the policy.
set -u
maxk=${MAXK:-build/maxk}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }

for name in concave noisy break switch drift costs; do
    file=experiments/rising_$name.yaml
    for j in 1 3; do "$maxk" run "$file" -q -j $j -o "$dir/$j.h5" -s 'horizons=[50, 200]' -s replications=6 2>"$dir/err"; done
    check $? "$file runs $(cat "$dir/err")"
    if command -v h5diff >/dev/null; then
        h5diff --exclude-path /provenance/volatile "$dir/1.h5" "$dir/3.h5" >"$dir/log" 2>&1 && [ ! -s "$dir/log" ]
        check $? "$file: 3 threads equal 1"
    fi
done

refused() { # what the one line must hold, command…
    local pattern=$1; shift
    "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "$pattern" "$dir/err" && [ ! -s "$dir/out" ]
    check $? "${2} refuses processes: $(cat "$dir/err")"
}
"$maxk" run experiments/rising_noisy.yaml -q -o "$dir/r.h5" -s 'horizons=[50, 100]' -s replications=5
refused 'not applicable to processes' "$maxk" lu experiments/rising_noisy.yaml
refused 'not applicable to processes' "$maxk" survival experiments/rising_drift.yaml
refused 'not applicable to processes' "$maxk" bounds "$dir/r.h5"
refused 'engine record' "$maxk" run experiments/rising_noisy.yaml --engine record -o "$dir/x.h5"
"$maxk" run experiments/rising_noisy.yaml -q -o "$dir/x.h5" -s 'policies=[max_ucb]' -s 'horizons=[100000]' -s replications=1 \
    -s 'problem={processes: [{curve: power, rate: 1}]}' && "$maxk" info "$dir/x.h5" >"$dir/out" && ! grep -q 'engine.*record' "$dir/out"
check $? "long horizons play pull by pull"
"$maxk" gap experiments/rising_concave.yaml --csv --horizons 200,500 >"$dir/out" &&
    grep -q '^rising_concave,200,2,power,0.8505025253169416,1,0,0$' "$dir/out" && # .9 - .7 / sqrt(200)
    grep -q '^rising_concave,500,1,exponential slow,.*,1,0,0$' "$dir/out"
check $? "gap of processes"
"$maxk" figures "$dir/r.h5" -o "$dir/figures" -f svg >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ] &&
    grep -q regret "$dir/out" && ! grep -qE 'survival|bounds' "$dir/out"
check $? "figures of processes: those of the runs"
"$maxk" list curves | grep -q '^logistic .*low, high, rate, middle' && "$maxk" describe logistic | grep -q 'middle .* default 1'
check $? "curves are listed and described"

# Two arms that rise alike; what is dear gets fewer pulls before it is dropped than what is cheap.
{
    echo instance,arm,repetition,iteration,reward,cost
    for i in $(seq 0 99); do
        awk -v i="$i" 'BEGIN {printf "x,cheap,0,%d,%.6f,1\nx,dear,0,%d,%.6f,%d\n", i, 0.9 - 0.8 * exp(-0.03 * i), i, 0.9 - 0.8 * exp(-0.029 * i), 20 + i % 3}'
    done
} >"$dir/d.csv"
printf 'problem: {trajectories: %s}\npolicies: [{name: rising_bandit_cost, C: 1, scale: none, budget: 200}, {name: rising_bandit, C: 1, scale: none}]\nhorizons: [100]\nname: c\n' "$dir/d.csv" >"$dir/e.yaml"
"$maxk" run "$dir/e.yaml" -q -o "$dir/c.h5" && "$maxk" summary "$dir/c.h5" --csv >"$dir/out"
aware=$(awk -F, '$1 == "rising_bandit_cost" && $6 == "dear" {print $8}' "$dir/out")
blind=$(awk -F, '$1 == "rising_bandit" && $6 == "dear" {print $8}' "$dir/out")
awk -v a="$aware" -v b="$blind" 'BEGIN {exit !(a > 0 && a < b)}'
check $? "recorded costs: the dear arm gets $aware pulls instead of $blind"

# A budget ends the run with the pull that spends it: 500 is reached by the last pull and not before; without one, T pulls.
"$maxk" trace experiments/rising_costs.yaml --policy 'rising_bandit_cost budget=500' -t 1000 >"$dir/out"
awk -F, 'BEGIN {split("1 5 2 10", cost, " ")} NR > 1 {spent += cost[$2 + 1]; last = cost[$2 + 1]; n++; best = $4}
    END {print n, best; exit !(spent >= 500 && spent - last < 500)}' "$dir/out" >"$dir/rounds"
check $? "costs per arm: the budget is spent by the last pull ($(cat "$dir/rounds"))"
"$maxk" run experiments/rising_costs.yaml -q -o "$dir/b.h5" && "$maxk" summary "$dir/b.h5" --csv |
    awk -F, '$1 == "rising_bandit_cost budget=500" && $3 == 1000 {n += $8; best = $10} END {print n, best}' | cmp -s - "$dir/rounds"
check $? "the result has the pulls made and the largest reward among them"
"$maxk" trace "$dir/e.yaml" --policy rising_bandit_cost >"$dir/out"
awk -F, 'NR == FNR {if (FNR > 1) cost[$2 == "dear", $4] = $6; next}
    FNR > 1 {last = cost[$2 == 1, pulls[$2]++ + 0]; spent += last} END {exit !(spent >= 200 && spent - last < 200)}' \
    "$dir/d.csv" "$dir/out"
check $? "recorded costs: the budget is spent by the last pull"
test "$("$maxk" trace experiments/rising_costs.yaml --policy 'T times the mean cost' -t 200 | wc -l)" -eq 201
check $? "no budget: T pulls"
exit $bad
