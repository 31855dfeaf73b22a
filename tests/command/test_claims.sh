#!/bin/bash
# maxk claims: the registry, both forms of output, refusals, the same rows for any number of threads.
set -u
maxk=${MAXK:-build/maxk}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }

listed=$(sed -n 's/^CLAIM(\([a-z0-9_]*\)).*/\1/p' analysis/claims/claims.def)
defined=$(sed -n 's/^const struct mk_claim mk_claim_\([a-z0-9_]*\) = .*/\1/p' analysis/*/*.c)
[ -n "$listed" ] && [ "$(sort <<<"$listed")" = "$(sort <<<"$defined")" ]
check $? "every claim is in claims.def and the reverse"
[ "$("$maxk" claims --list --csv | tail -n +2 | cut -d, -f1)" = "$listed" ]
check $? "--list has them in that order"

"$maxk" claims lemma_3_3 --csv >"$dir/a" && [ "$(head -n 1 "$dir/a")" = "claim,source,where,quantity,relation,expected,observed,ci_low,ci_high,verdict,note" ]
check $? "the CSV header"
[ "$(/usr/bin/python3 -c 'import csv, sys; print({len(r) for r in csv.reader(open(sys.argv[1]))})' "$dir/a")" = "{11}" ]
check $? "every row has eleven columns"
"$maxk" claims table_c2 | tail -n 1 | grep -qx '8 holds, 0 violated, 0 vacuous, 0 inconclusive, 0 not-applicable'
check $? "the last line counts the verdicts"
"$maxk" claims lemma_a1 | tail -n 1 | grep -qx "101 holds, 5 violated, 0 vacuous, 0 inconclusive, 0 not-applicable"
check $? "Lemma A.1 holds but at atoms, where the printed form lacks the strict survival function"

for claim in proposition_4_1 theorem_4_2 corollary_4_3 table_c3 lu_coverage quantile_variance er_ucb hu_table_1 \
    successive_halving growth_typical growth_mean; do
    "$maxk" claims $claim --csv --replications 5 -j 1 >"$dir/one" && "$maxk" claims $claim --csv --replications 5 -j 3 >"$dir/three" &&
        [ "$(wc -l <"$dir/one")" -gt 3 ] && cmp -s "$dir/one" "$dir/three"
    check $? "$claim: the same rows on 1 and 3 threads"
done

# The experiments of a claim as files: every row names its own, which runs and gives the row's number.
"$maxk" claims corollary_4_3 --csv --replications 50 --experiments "$dir/x" >"$dir/rows" && [ "$(ls "$dir/x" | wc -l)" -eq 14 ] &&
    "$maxk" run "$dir/x/corollary_4_3_1.yaml" -o "$dir/x.h5" -q --engine record && "$maxk" summary "$dir/x.h5" --csv >"$dir/sum" &&
    /usr/bin/python3 - "$dir/rows" "$dir/sum" <<'PY'
import csv, math, os, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert all(os.path.exists(r["experiment"]) for r in rows)
regret = float(next(csv.DictReader(open(sys.argv[2])))["regret"])
first = next(r for r in rows if r["experiment"].endswith("_1.yaml"))
assert abs(float(first["observed"]) - regret / (5 * math.log(100) / 10)) < 1e-12, (first, regret)
PY
check $? "a row's experiment file gives its number"


# Those that run nothing, too: laws for `maxk lu`, curves as recorded rewards.
"$maxk" claims table_c2 --csv --experiments "$dir/x" >"$dir/c2" && "$maxk" lu "$dir/x/table_c2_2.yaml" --estimator exact --csv >"$dir/lu" &&
    "$maxk" claims lu_coverage --csv --replications 5 --experiments "$dir/x" >"$dir/cover" &&
    "$maxk" claims rising_bandits --csv --experiments "$dir/x" >"$dir/rows" &&
    "$maxk" run "$dir/x/rising_bandits_4.yaml" -o "$dir/rising.h5" -q &&
    "$maxk" summary "$dir/rising.h5" --csv >"$dir/sum" && /usr/bin/python3 - "$dir/c2" "$dir/lu" "$dir/rows" "$dir/sum" "$dir/cover" <<'PY'
import csv, os, sys
c2, lu, rising, summary, cover = (list(csv.DictReader(open(f))) for f in sys.argv[1:])
assert all(os.path.exists(r["experiment"]) for r in c2 + rising + cover)
assert len({r["experiment"] for r in c2}) == 2 and len({r["experiment"] for r in rising}) == 21 and len({r["experiment"] for r in cover}) == 6
for row in c2:
    if row["experiment"].endswith("_2.yaml") and "full range" in row["where"]:
        assert float(row["expected"]) == float(lu[0][row["quantity"][0]]), (row, lu)
mine = [r for r in rising if r["experiment"].endswith("_4.yaml")]
regret = {r["policy"]: float(r["regret"]) for r in summary}
assert len(mine) == 3 and abs(float(mine[0]["observed"]) - regret["rising_bandit"]) < 1e-12, (mine, regret)
assert abs(float(mine[1]["expected"]) - regret["uniform"]) < 1e-12, (mine, regret)
PY
check $? "claims on known laws and curves: every row's file gives its numbers"

"$maxk" claims no_such_claim >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
check $? "an unknown claim: one line, exit code 2"
exit $bad
