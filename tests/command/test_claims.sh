#!/bin/bash
# maxk claims: the registry, both forms of output, refusals, the same rows for any number of threads.
. tests/support/lib.sh

listed=$(sed -n 's/^CLAIM(\([a-z0-9_]*\)).*/\1/p' analysis/compare/claims/claims.def)
defined=$(sed -n 's/^const struct mk_claim mk_claim_\([a-z0-9_]*\) = .*/\1/p' analysis/compare/claims/*.c)
check "there are claims" [ "$(wc -w <<<"$listed")" -gt 10 ]
check "every claim is in claims.def and the reverse" equal "$(sort <<<"$defined")" "$(sort <<<"$listed")"
check "--list has them in that order" equal "$("$maxk" claims --list --csv | tail -n +2 | cut -d, -f1)" "$listed"

# Nguyen 2024: what its plans have in common with their sources is a number of configurations and one of eliminations.
check "slips of printed plans" equal "$("$maxk" claims thesis_plans | tail -n 1)" \
    "2 holds, 16 violated, 0 vacuous, 0 inconclusive, 0 not-applicable"
check "a claim as CSV" into "$dir/a" "$maxk" claims lemma_3_3 --csv
check "its header" equal "$(head -n 1 "$dir/a")" \
    claim,source,where,quantity,relation,expected,observed,ci_low,ci_high,verdict,note
check "every row has eleven columns" python -c \
    'import csv, sys; assert {len(r) for r in csv.reader(open(sys.argv[1]))} == {11}' "$dir/a"
check "the last line counts the verdicts" equal "$("$maxk" claims table_c2 | tail -n 1)" \
    '8 holds, 0 violated, 0 vacuous, 0 inconclusive, 0 not-applicable'
check "Lemma A.1 holds but at atoms, where the printed form lacks the strict survival function" \
    equal "$("$maxk" claims lemma_a1 | tail -n 1)" "101 holds, 5 violated, 0 vacuous, 0 inconclusive, 0 not-applicable"

# Notes and rows that depend on a verdict or on the horizon.
check "corollary_4_3" into "$dir/growth" "$maxk" claims corollary_4_3 --csv --replications 5
check "corollary_4_3, 500 replications" into "$dir/slopes" "$maxk" claims corollary_4_3 --csv --replications 500
check "theorem_4_2" into "$dir/notes" "$maxk" claims theorem_4_2 --csv --replications 20
check "growth_typical" into "$dir/typical" "$maxk" claims growth_typical --csv --replications 20
check "hu_table_1" into "$dir/hu" "$maxk" claims hu_table_1 --csv --replications 5
check "rising_bandits" into "$dir/rising" "$maxk" claims rising_bandits --csv --experiments "$dir/curves"
check "its exact values; growth at the last horizon alone; a slope by hand; notes on violated rows alone" \
    python - "$dir/growth" "$dir/slopes" "$dir/notes" "$dir/rising" "$dir/typical" "$dir/hu" "$dir/a" <<'PY'
import csv, math, sys
growth, slopes, notes, rising, typical, hu, lemma = (list(csv.DictReader(open(f))) for f in sys.argv[1:])
for r in growth + slopes + notes + typical + hu:
    assert not r["ci_low"] or float(r["ci_low"]) <= float(r["observed"]) <= float(r["ci_high"]), r
assert len(typical) == 28 and all(r["verdict"] in ("holds", "inconclusive") for r in typical), typical
assert all(0 < float(r["observed"]) < 1 for r in hu) and abs(float(hu[0]["observed"]) - .9) < .03, hu
# 1 - (1 - eps)^4 over eps, for eps from 1e-6 to 1
ratio = {r["quantity"][:5]: float(r["observed"]) for r in lemma if r["where"] == "power 4, 1"}
assert ratio["least"] == 1 and abs(ratio["large"] - (4 - 6e-6)) < 1e-9, ratio
# p = 2 alpha L sqrt(gap) = 1.00005: E[M(T)] = s^-a T / (T + 1/a) with a = 3, s = 1.01 and with a = 4, s = 1, where L = 1
T = 1e4
alpha = 1.00005 / (2 * math.sqrt(T / (T + 1 / 4) - 1.01 ** -3 * T / (T + 1 / 3)))
critical = [r["where"] for r in notes if r["where"].startswith("power arms, printed, p>1: ")]
assert f"alpha = {alpha:.6g}, T = 10000, arm 0;" in critical[0], (alpha, critical)
slope = next(float(r["observed"]) for r in slopes if r["where"] == "two uniform arms, T from 10^4 on")
later = []  # log T, log y and weight of what is certainly not 0
for r in slopes:
    if r["where"].startswith("two uniform arms, T = 1") and r["quantity"].startswith("R(T)") and float(r["ci_low"]) > 0:
        T, y = float(r["where"].split("T = ")[1].split(",")[0]), float(r["observed"])
        later += [(math.log(T), math.log(y), (y / (float(r["ci_high"]) - float(r["ci_low"]))) ** 2)] if T >= 1e4 else []
mean = [sum(p[2] * p[i] for p in later) / sum(p[2] for p in later) for i in (0, 1)]
fitted = (sum(w * (x - mean[0]) * (y - mean[1]) for x, y, w in later) / sum(w * (x - mean[0]) ** 2 for x, _, w in later))
assert len(later) >= 3 and abs(slope - fitted) < 1e-9, (slope, fitted, later)
same = [r["where"].split(", ")[1] for r in growth if r["quantity"].startswith("the same")]
assert same == ["T = 1e+08"] * 2, same
lockouts = {r["verdict"]: 0 for r in notes}
for r in notes:
    if ", printed, p>1" not in r["where"] and "figure_e5" not in r["where"]:
        lockouts[r["verdict"]] += 1
        assert ("rare lock-outs" in r["note"]) == (r["verdict"] == "violated"), r
    assert r["note"].startswith("not the theorem") == (", figure_e5" in r["where"]), r
assert lockouts["violated"] and lockouts["holds"], lockouts
# mpmath: gamma = 46 and 3 curves b (1 - exp(-n / s)) with b = .9, .7, .5, s = 20, 10, 5; round robin of 3 arms: r(200) - r(67)
first = {r["quantity"].split(":")[0]: r for r in rising if r["where"] == "three exponential arms, T = 200, C = 1, gamma = 46"}
assert abs(float(first["Theorem 1"]["expected"]) - 0.0040240629115651648) < 1e-15, first
assert abs(float(first["Corollary 1"]["expected"]) - 0.033153990724329769) < 1e-15, first
# "a best arm in steps of 20": 20 equal rewards each, with .9 (1 - exp(-n / 60)) at their first
stairs = next(r["experiment"] for r in rising if r["where"].startswith("a best arm in steps of 20, T = 60,"))
steps = [float(r["reward"]) for r in csv.DictReader(open(stairs.replace(".yaml", ".csv"))) if r["arm"] == "arm 0"]
assert len(steps) == 60 and all(len(set(steps[n:n + 20])) == 1 for n in (0, 20, 40)), steps
assert all(abs(steps[n - 1] - .9 * (1 - math.exp(-n / 60))) < 1e-15 for n in (1, 21, 41)), steps
PY

same_on_threads() { # CLAIM
    "$maxk" claims "$1" --csv --replications 5 -j 1 >"$dir/one" &&
        "$maxk" claims "$1" --csv --replications 5 -j 3 >"$dir/three" &&
        [ "$(wc -l <"$dir/one")" -gt 3 ] && cmp "$dir/one" "$dir/three"
}
for claim in proposition_4_1 theorem_4_2 corollary_4_3 table_c3 lu_coverage quantile_variance er_ucb hu_table_1 \
    successive_halving growth_typical growth_mean; do
    check "$claim: the same rows on 1 and 3 threads" same_on_threads $claim
done

# The experiments of a claim as files: every row names its file, which runs and gives the row's number.
check "a claim writes its experiments" into "$dir/rows" \
    "$maxk" claims corollary_4_3 --csv --replications 50 --experiments "$dir/x"
check "14 of them" equal "$(ls "$dir/x" | wc -l)" 14
check "one of them runs" "$maxk" run "$dir/x/corollary_4_3_1.yaml" -o "$dir/x.h5" -q --engine record
check "its summary" into "$dir/sum" "$maxk" summary "$dir/x.h5" --csv
check "a row's experiment file gives its number" python - "$dir/rows" "$dir/sum" <<'PY'
import csv, math, os, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert all(os.path.exists(r["experiment"]) for r in rows)
regret = float(next(csv.DictReader(open(sys.argv[2])))["regret"])
first = next(r for r in rows if r["experiment"].endswith("_1.yaml"))
assert abs(float(first["observed"]) - regret / (5 * math.log(100) / 10)) < 1e-12, (first, regret)
PY

# Also those without a run: distributions for `maxk lu`, curves as recorded rewards.
check "table_c2" into "$dir/c2" "$maxk" claims table_c2 --csv --experiments "$dir/x"
check "its arms through maxk lu" into "$dir/lu" "$maxk" lu "$dir/x/table_c2_2.yaml" --estimator exact --csv
check "lu_coverage" into "$dir/cover" "$maxk" claims lu_coverage --csv --replications 5 --experiments "$dir/x"
check "rising_bandits" into "$dir/rows" "$maxk" claims rising_bandits --csv --experiments "$dir/x"
check "its experiment runs" "$maxk" run "$dir/x/rising_bandits_4.yaml" -o "$dir/rising.h5" -q
check "and its summary" into "$dir/sum" "$maxk" summary "$dir/rising.h5" --csv
check "claims on known distributions and curves: every row's file gives its numbers" \
    python - "$dir/c2" "$dir/lu" "$dir/rows" "$dir/sum" "$dir/cover" <<'PY'
import csv, os, sys
c2, lu, rising, summary, cover = (list(csv.DictReader(open(f))) for f in sys.argv[1:])
assert all(os.path.exists(r["experiment"]) for r in c2 + rising + cover)
assert [len({r["experiment"] for r in table}) for table in (c2, rising, cover)] == [2, 21, 6]
known = [row for row in c2 if row["experiment"].endswith("_2.yaml") and "full range" in row["where"]]
assert known and all(float(row["expected"]) == float(lu[0][row["quantity"][0]]) for row in known), (known, lu)
mine = [r for r in rising if r["experiment"].endswith("_4.yaml")]
regret = {r["policy"]: float(r["regret"]) for r in summary}
assert len(mine) == 3 and abs(float(mine[0]["observed"]) - regret["rising_bandit"]) < 1e-12, (mine, regret)
assert abs(float(mine[1]["expected"]) - regret["uniform"]) < 1e-12, (mine, regret)
PY

refused "an unknown claim" 'no_such_claim' "$maxk" claims no_such_claim
finish
