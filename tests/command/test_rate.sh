#!/bin/bash
# maxk rate and the rare-event estimates on the command line: columns, files, threads, refusals.
. tests/support/lib.sh
need h5diff hdf5-tools
cd "$dir" || exit 1
yaml=$top/experiments/asymptotics.yaml

check "a run with rare events" "$maxk" run "$yaml" -q -o 1.h5 -j 1 -s replications=300 -s rare_events=3000
check "the same with three threads" "$maxk" run "$yaml" -q -o 3.h5 -j 3 -s replications=300 -s rare_events=3000
check "the same file" same 1.h5 3.h5
check "rate" into rate.txt "$maxk" rate 1.h5 --resamples 50
check "rate shows the claim of the first arm" has rate.txt 'max_ucb +0 +2\.91557 .*0\.706656 .*0\.293344'
check "typical pulls grow like log T" has rate.txt 'N of arm 0 +median +a log T'
check "mean pulls grow like a power" has rate.txt 'N of arm 0 +rare mean +a T\^c'
check "rate --csv" into 1.csv env OMP_NUM_THREADS=1 "$maxk" rate 1.h5 --resamples 50 --csv
check "with three threads" into 3.csv env OMP_NUM_THREADS=3 "$maxk" rate 1.h5 --resamples 50 --csv
check "the same bits for any number of threads" cmp 1.csv 3.csv
header=policy,instance,quantity,arm,statistic,model,chosen,points,a,a_low,a_high,c,c_low,c_high,aicc,interval
check "columns of --csv" equal "$(head -n 1 1.csv)" "$header,claim_slope,claim_exponent,claim_exponent_joint,aicc_margin"
check "one chosen model of three" awk -F, 'NR > 1 {n++; chosen += $7} END {exit !(n > 20 && n == 3 * chosen)}' 1.csv
# T^(1-c) is approached from above, since c(x) is smallest at a single x: the fit lies above 1 - c = .293 and below .45.
check "the exponent of the rare mean" awk -F, '$4 == 0 && $5 == "rare mean" && $6 == "a T^c" {
    n++; good = $12 > 0.293 && $12 < 0.45} END {exit !(n == 1 && good)}' 1.csv
check "an interval around every constant" awk -F, 'NR > 1 {n++; bad += !($10 <= $9 && $9 <= $11)} END {exit bad || n <= 20}' 1.csv
check "rate of some horizons" into part.csv "$maxk" rate 1.h5 --from 1e6 --to 1e9 --resamples 0 --csv
check "some horizons alone" awk -F, '$3 == "pulls" {n++; seven += $8 == 7} END {exit !(n > 20 && n == seven)}' part.csv
check "summary" into summary.txt "$maxk" summary 1.h5
check "summary shows the estimates" has summary.txt ' lock_out_share +lock_outs '
# One replication has no error; in this one no lock-out is seen at one of the horizons.
cat >once.yaml <<'YAML'
name: once
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.5}]}
policies: [max_ucb]
horizons: [10, 10000]
replications: 1
rare_events: 1
YAML
check "one weighted replication" "$maxk" run once.yaml -q -o once.h5
check "summary" into once.txt "$maxk" summary once.h5
check "of an instance by its name" into named.txt "$maxk" summary once.h5 --instance once
check "the same" has named.txt '^max_ucb .* none seen .* 0 '
check "where no lock-out was seen, it says so" has once.txt '^max_ucb .* none seen .* 0 '
check "what is undefined is shown as -" eval 'lacks once.txt "nan" && has once.txt " - +none seen"'
check "export writes them" "$maxk" export 1.h5 --csv csv
check "a row per horizon and arm" equal "$(wc -l <csv/rare.csv)" 106
# The arm on [0.9, 0.95] is best up to T = 16, that on [0, 1] at T = 100: claims take the last one, alpha / sqrt(1 - 0.5).
cat >switch.yaml <<'YAML'
name: switch
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0.9, hi: 0.95}, {family: uniform, lo: 0, hi: 0.5}]}
policies: [max_ucb]
horizons: [4, 6, 8, 10, 12, 14, 16, 100]
replications: 50
YAML
check "a run whose best arm changes at its last horizon" "$maxk" run switch.yaml -q -o switch.h5
check "rate" into switch.csv "$maxk" rate switch.h5 --resamples 0 --csv
check "claims are those of the last best arm" awk -F, '$3 == "pulls" && $4 == 2 {n++; bad += ($17 / sqrt(.5) - 1) ^ 2 > 1e-12}
    END {exit bad || !n}' switch.csv
check "figures of growth" "$maxk" figures 1.h5 --out fig --only growth --only lock_out --only regret
for name in growth_max_ucb_arm0 growth_max_ucb_arm3 lock_out_max_ucb; do
    check "figure $name" there "fig/asymptotics_$name.png" "fig/asymptotics_$name.gp"
done
regret=fig/asymptotics_regret
check "regret on a log axis" has $regret.gp '^set logscale y'
check "it says that points are left out" has $regret.gp 'significantly above 0 omitted'
check "those within their error of 0, of the plain mean alone" awk '/^# curve/ {rare = /rare events$/; curves++; next}
    /^#/ || NF < 4 {next} rare {n++; bad += !($3 > 0)} !rare {shown += $2 != "NaN"; bad += $2 != "NaN" && !($3 > 0)}
    END {exit !(curves == 2 && n == 21 && !bad && shown >= 2 && shown < 21)}' $regret.dat

# With a power: the line of Theorem 5 in growth, without Theorem 4.2 and T^(1-c); in lock_out exp(-c (log T)^power), c by a scan.
cat >power.yaml <<'YAML'
name: power
problem: {arms: [{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]}
policies: [{name: max_ucb, alpha: 0.1, power: 1.5}]
horizons: [100, 1000, 10000, 1e5, 1e6]
replications: 400
YAML
check "a run with a power" "$maxk" run power.yaml -q -o power.h5
check "its figures of growth" "$maxk" figures power.h5 --out fig --only growth --only lock_out
check "growth: the line of Theorem 5 alone" awk '
    /^# curve/ {theory = /α \(log T\)\^1.5/; other = /bound|rate/; next}
    /^#/ || !NF {next}
    other {bad += $2 != "NaN"}
    theory {n++; want = .1 * log($1) ^ 1.5 / sqrt(.1); bad += ($2 / want - 1) ^ 2 > 1e-12}
    END {exit bad || n != 5}' fig/power_growth_max_ucb_arm0.dat
check "lock_out: its rate" awk '/^# curve/ {rate = /rate exp/; next} /^#/ || !NF || !rate || $2 == "NaN" {next}
    n++ {c = log(last / $2) / (log($1) ^ 1.5 - x)} {last = $2; x = log($1) ^ 1.5}
    END {least = 9; for (y = 1e-5; y < .9; y += 1e-5) {v = -.1 * log(.9 - y) / sqrt(y); if (v < least) least = v}
         exit !(n >= 2 && (c / least - 1) ^ 2 < 1e-8)}' fig/power_lock_out_max_ucb.dat

check "without rare events and pulls" "$maxk" run "$yaml" -q -o 0.h5 -s replications=100 -s rare_events=0 -s keep=summary
check "rate of such a file" into plain.txt "$maxk" rate 0.h5
check "it says how intervals were found" has plain.txt 'as if the horizons were independent'
check "no rare mean" lacks plain.txt '  rare mean'
check "its summary" into plain.txt "$maxk" summary 0.h5
check "is without estimates" lacks plain.txt lock-out
check "too few horizons" "$maxk" run "$yaml" -q -o few.h5 -s 'horizons=[100, 200]' -s replications=5 -s rare_events=0
refused "they are refused" 'few.h5: .*got 2' "$maxk" rate few.h5
refused "another policy" 'rare_events: .*policy uniform' \
    "$maxk" run "$yaml" -q -o no.h5 -s 'policies=[uniform]'
refused "unbounded arms" 'rare_events: .*arm 0' \
    "$maxk" run "$top/experiments/e4_pareto.yaml" -q -o no.h5 -s rare_events=10 -s 'policies=[max_ucb]'
refused "a fraction" 'rare_events' "$maxk" run "$yaml" -q -o no.h5 -s rare_events=0.5
refused "an unknown policy" "no policy 'x'" "$maxk" rate 1.h5 --policy x
finish
