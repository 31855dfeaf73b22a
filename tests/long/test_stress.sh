#!/bin/bash
# Runs at the ends of what is allowed: T = 2^53 and one more, 10^5 arms, memory that does not grow with the replications of
# a summary, a sweep of 1000 values.
. tests/support/lib.sh
run() { "$maxk" run "$@" -q >"$dir/out" 2>"$dir/err"; code=$?; }
column() { # FILE NAME
    "$maxk" summary "$1" --csv |
        awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) c = i} NR > 1 {print $c}'
}

# Horizons.
cat >"$dir/far.yaml" <<'YAML'
name: far
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: gaussian, mu: 0, sigma: 1}]}
policies: [{name: uniform}, {name: max_ucb, alpha: [0, 1]}]
horizons: [9007199254740992]
replications: 5
YAML
run "$dir/far.yaml" -o "$dir/far.h5"
check "T = 2^53 runs" equal $code 0
check "T = 2^53: round robin gives both arms 2^52 pulls" \
    equal "$(column "$dir/far.h5" mean_pulls | head -n 2 | xargs)" "4503599627370496 4503599627370496"
for T in 9007199254740993 9007199254740994 1e16 0; do
    refused "T = $T" '<= 9007199254740992' "$maxk" run "$dir/far.yaml" -q -s "horizons=[$T]" -o "$dir/x.h5"
done
refused "a seed that no double holds" 'seed: .*got 9007199254740993' \
    "$maxk" run "$dir/far.yaml" -q -s seed=9007199254740993 -o "$dir/x.h5"
refused "per-pull at T = 2^53 says at once what it would need" '[0-9.]+ PB of memory' \
    "$maxk" run "$dir/far.yaml" -q --engine per-pull -o "$dir/x.h5"
check "gap" into "$dir/gap.csv" "$maxk" gap "$dir/far.yaml" --horizons 9007199254740992 --csv
# E[M(2^53)] of a standard Gaussian is 8.27721860907877 (mpmath, 40 digits)
check "gap at T = 2^53" has "$dir/gap.csv" '^far,9007199254740992,1,[^,]*,8\.277218609'
refused "gap at T = 2^53 + 1" '--horizons: expected a number from 1e-06 to 9007199254740992' \
    "$maxk" gap "$dir/far.yaml" --horizons 9007199254740993

# Means that two decimals do not show.
cat >"$dir/tiny.yaml" <<'YAML'
name: tiny
problem: {arms: [{family: dirac, x: 1e-300}, {family: dirac, x: 1e-300}]}
policies: [{name: greedy}]
horizons: [10]
replications: 3
YAML
run "$dir/tiny.yaml" -o "$dir/tiny.h5"
check "its summary" into "$dir/tiny.txt" "$maxk" summary "$dir/tiny.h5"
check "a constant largest reward of 1e-300 is shown" has "$dir/tiny.txt" '1e-300 ± 0'

# What takes long under a sanitizer is only run in the ordinary build.
if ldd "$maxk" | grep -q asan; then
    skip "10^5 arms, many values and memory are for the ordinary build"
    finish
fi

# 10^5 arms; every arm is pulled once and more, the last one is the best.
awk 'BEGIN {
    print "name: arms\nproblem:\n  arms:"
    for (k = 0; k < 100000; k++) printf "    - {family: uniform, lo: 0, hi: %.7f}\n", 0.5 + k / 250000
    print "policies: [{name: uniform}, {name: oracle}]\nhorizons: [200001]\nreplications: 1\nkeep: summary"
}' >"$dir/arms.yaml"
run "$dir/arms.yaml" -o "$dir/arms.h5"
check "10^5 arms run: $(cat "$dir/err")" equal $code 0
"$maxk" summary "$dir/arms.h5" --csv >"$dir/arms.csv"
check "10^5 arms: 200000 rows of pulls that add up to T twice, the best arm is the last" equal \
    "$(awk -F, 'NR > 1 {n++; sum += $8; if ($7) best = $5} END {print n, sum, best}' "$dir/arms.csv")" "200000 400002 99999"
check "10^5 arms: round robin has 2 pulls of every arm, 3 of the first" \
    equal "$(awk -F, '$1 == "uniform" {n[$8]++} END {print n[2], n[3]}' "$dir/arms.csv")" "99999 1"
# bounds --upper global looks at the arms a constant number of times: processor time of 10^5 arms against 10^4.
bounds_of() { # file -> processor time in ms; the rows are left in bounds.csv
    local TIMEFORMAT=%U
    { time "$maxk" bounds "$1" --policy uniform --upper global --lu dkw --samples 20 --variant sum --csv \
        >"$dir/bounds.csv"; } 2>&1 | awk '{printf "%d", 1000 * $1 + 1}'
}
sed -n '1,10003p' "$dir/arms.yaml" >"$dir/arms4.yaml"
printf 'policies: [{name: uniform}]\nhorizons: [20001]\nreplications: 1\nkeep: summary\n' >>"$dir/arms4.yaml"
run "$dir/arms4.yaml" -o "$dir/arms4.h5"
few=$(bounds_of "$dir/arms4.h5")
many=$(bounds_of "$dir/arms.h5")
check "10^5 arms: bounds --upper global has 99999 rows" equal "$(grep -c ',sum,' "$dir/bounds.csv")" 99999
check "and takes $many ms of processor time, 10^4 arms $few ms: less than 40 times" [ "$many" -lt $((40 * few)) ]

# Many values: each has a label, none is missing.
values=1000
cat >"$dir/sweep.yaml" <<YAML
name: sweep
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.9}]}
policies: [{name: max_ucb, alpha: {from: 0.001, to: $(awk -v n="$values" 'BEGIN {print n / 1000}'), step: 0.001}}]
horizons: [100]
replications: 2
keep: summary
YAML
run "$dir/sweep.yaml" -o "$dir/sweep.h5"
check "a sweep of $values values runs" equal $code 0
"$maxk" summary "$dir/sweep.h5" --csv >"$dir/sweep.csv"
check "it has $values labels, all different" \
    equal "$(awk -F, 'NR > 1 {print $1}' "$dir/sweep.csv" | sort -u | wc -l)" "$values"
check "pulls add up to T for each" equal \
    "$(awk -F, 'NR > 1 {s += $8; if (NR % 2) {n += s == 100; s = 0}} END {print n}' "$dir/sweep.csv")" "$values"

# Flat memory: twice the replications (80 MB of pulls if they were kept) take no more.
awk 'BEGIN {print "name: flat\nproblem:\n  arms:"
    for (k = 0; k < 100; k++) printf "    - {family: uniform, lo: 0, hi: 0.%d}\n", 10 + k % 90
    print "policies: [{name: uniform}]\nhorizons: [100]\nkeep: summary"}' >"$dir/flat.yaml"
used() { # COMMAND…: peak memory in kB and processor seconds
    python -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
r = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%d %.2f" % (r.ru_maxrss, r.ru_utime))' "$@"
}
flat() { used "$maxk" run "$dir/flat.yaml" -q -s "replications=$1" -o "$dir/flat$1.h5"; }
few=$(flat 50000) many=$(flat 100000)
few=${few% *} many=${many% *}
check "summary: $few kB for 50,000 replications, $many kB for 100,000" [ "$many" -gt 0 -a "$many" -lt $((few + few / 4)) ]

# Tied arms to T = 10^12: pull by pull this would take hours.
cat >"$dir/coins.yaml" <<YAML
name: coins
problem: {arms: [{family: bernoulli, p: 0.3}, {family: bernoulli, p: 0.2}, {family: bernoulli, p: 0.1}]}
policies: [{name: max_ucb}, {name: max_ucb, ties: random, label: random}]
horizons: {from: 1e3, to: 1e12, per_decade: 1}
replications: 10
YAML
coins=$(used "$maxk" run "$dir/coins.yaml" -q -j 1 -o "$dir/coins.h5")
check "three coins to T = 10^12: ${coins% *} kB, ${coins#* } s" \
    awk -v s="${coins#* }" -v kb="${coins% *}" -v few="$few" 'BEGIN {exit !(kb > 0 && s < 5 && kb < few + few / 4)}'
"$maxk" summary "$dir/coins.h5" --csv >"$dir/coins.csv"
check "their pulls add up" equal "$(awk -F, '$3 == 1e12 {s += $8} END {printf "%.0f", s}' "$dir/coins.csv")" 2000000000000
finish
