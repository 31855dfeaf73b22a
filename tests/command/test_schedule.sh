#!/bin/bash
# maxk schedule: tables, CSV, and what it refuses.
. tests/support/lib.sh
cd "$dir" || exit 1

rows() { "$maxk" schedule "$@" --csv | cut -d, -f1,3,4 | tail -n +2 | tr '\n' ' '; }
check "columns" equal "$("$maxk" schedule hyperband --csv | head -1)" bracket,round,configurations,budget
# Li et al. 2018: Table 1, and what its Algorithm 1 gives.
first() { "$maxk" schedule hyperband R=81 eta=3 "$@" --csv | awk -F, '$2 == 0 {printf "%s ", $3}'; }
check "Hyperband, rounded down" equal "$(first rounding=floor)" '81 27 9 6 5 '
check "and up" equal "$(first rounding=ceil)" '81 34 15 8 5 '
# The searches of hb_table.yaml are the brackets of the table: configurations by the share of an evaluation that each gets.
record() { "$maxk" record "$top/experiments/hb_table.yaml" -o hb.csv -s problem.instances=1 -s replications=1 -s "$1"; }
shares() { # POLICY ROWS: as "budget x configurations" in the order of the rounds
    tr -d '"' <hb.csv | awk -F, -v label="$1" -v rows="$2" '$3 == label && n++ < rows {
        b = sprintf("%.0f", 81 * $8); if (b != last) { if (last) printf "%sx%d ", last, c; c = 0; last = b } c++ }
        END {printf "%sx%d", last, c}'
}
planned() {
    "$maxk" schedule hyperband R=81 rounding=floor --csv | awk -F, -v s="$1" '$1 == s {printf "%s%sx%s", sep, $4, $3; sep = " "}'
}
check "the brackets of hb_table run" record 'horizons=[187]'
for s in 4 3 2 1 0; do
    n=$("$maxk" schedule hyperband R=81 rounding=floor --csv | awk -F, -v s=$s '$1 == s {n += $3} END {print n}')
    check "bracket $s is that of Table 1" equal "$(shares "bracket $s" "$n")" "$(planned $s)"
done
check "and Hyperband has all of them" equal "$(shares 'Hyperband (Table 1)' 187)" \
    "$(for s in 4 3 2 1 0; do planned $s; echo; done | tr '\n' ' ' | sed 's/ $//; s/81x2 81x5/81x7/')"
check "DACOpt" equal "$(rows dacopt K=10 T=500 n0=10)" '0,10,10 0,4,25 0,2,50 0,1,200 '
check "the table for people has sums" eval '"$maxk" schedule dacopt K=10 T=500 n0=10 | grep -qE "^ +0 +3 +1 +200 +285 +200 +500$"'
check "JSON" eval '"$maxk" schedule bohb R=9 --json | python -c "import json, sys; assert len(json.load(sys.stdin)) == 6"'
check "describe knows plans" eval '"$maxk" describe irace | grep -q "maxk schedule irace"'
for name in successive_halving hyperband bohb irace dacopt; do
    check "$name by its defaults" eval '"$maxk" schedule "$name" >out && [ "$(wc -l <out)" -gt 3 ]'
done

refused "a plan that is not there" \
    '^maxk schedule: halving: no such plan, allowed: successive_halving, .*dacopt$' "$maxk" schedule halving
refused "a parameter that is not there" '^maxk schedule: r=3: .*allowed parameters: R, eta, ' "$maxk" schedule hyperband r=3
refused "no value" '^maxk schedule: R: expected PARAMETER=VALUE' "$maxk" schedule hyperband R
refused "no number" "^maxk schedule: R: expected a number .*got 'many'" "$maxk" schedule hyperband R=many
refused "out of range" "^maxk schedule: eta: expected a number > 1.*got '1'" "$maxk" schedule hyperband eta=1
refused "no choice" "^maxk schedule: rounding: expected .*ceil.*got 'up'" "$maxk" schedule hyperband rounding=up
refused "too small a budget" '^maxk schedule: successive_halving: B: expected at least .* = 108 with s = 3, got 3$' \
    "$maxk" schedule successive_halving B=3
refused "a contest without room" '^maxk schedule: dacopt: .*K n0 <= T' "$maxk" schedule dacopt K=10 T=50 n0=10
refused "the printed form without a budget" '^maxk schedule: hyperband: .*expected B=' "$maxk" schedule hyperband reading=printed
finish
