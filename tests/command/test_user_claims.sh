#!/bin/bash
# `claims:` of an experiment file: values, verdicts, the tables and figures they join, and refusals.
. tests/support/lib.sh

head='name: own
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0.1, hi: 0.5}]}
policies: [{name: max_ucb, alpha: [0.5, 1, 2], label: "a={alpha}"}, {name: uniform}]
horizons: [100, 1000]
replications: 200'
cat >"$dir/own.yaml" <<END
$head
claims:
  - {name: log rate, of: pulls, at_most: 3 * alpha * log(T) / sqrt(gap_endpoint) + U ^ 2}
  - {name: share, of: pulls, at_least: T / K}
  - {name: proved, of: pulls, at_most: certified_upper}
  - {name: root, of: regret, at_most: "K * log(T) / sqrt(T) * b_max * L + 0 * best_max + min_gap", policy: a=1}
END
check "an experiment with claims runs" "$maxk" run "$dir/own.yaml" -o "$dir/own.h5" -q
check "its claims are tabulated" into "$dir/claims.csv" "$maxk" bounds "$dir/own.h5" --variant claims --csv
# Uniform arms: E[M(T)] = lo + (hi - lo) T / (T + 1), L = 1 and U = 1 / (hi - lo), by hand.
check "bounds agree with formulas evaluated independently of the program to 1e-10, verdicts with their definition" \
    python - "$dir/claims.csv" <<'PY'
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 4 * 2 * 6 + 2, len(rows)
for r in rows:
    T = float(r["horizon"])
    best = T / (T + 1)
    means = {"1": 0.8 * T / (T + 1), "2": 0.1 + 0.4 * T / (T + 1)}
    alpha = {"a=0.5": 0.5, "a=1": 1, "a=2": 2}.get(r["policy"], math.nan)
    if r["variant"] == "root":
        want = 3 * math.log(T) / math.sqrt(T) + min(best - m for m in means.values())
        assert r["policy"] == "a=1" and r["arm"] == ""
    elif r["variant"] == "share":
        want = T / 3
    elif r["variant"] == "proved":
        continue
    else:
        want = 3 * alpha * math.log(T) / math.sqrt({"1": 0.2, "2": 0.5}[r["arm"]]) + {"1": 1.25, "2": 2.5}[r["arm"]] ** 2
    assert (r["bound"] == "") == math.isnan(want), r
    mean, low, high = (float(r[k]) for k in ("mean_pulls", "ci_low", "ci_high"))
    if r["bound"] == "":
        assert r["verdict"] == "not-applicable"
        continue
    bound = float(r["bound"])
    assert abs(bound - want) <= 1e-10 * want, (r, want)
    if r["variant"] == "share":
        assert r["regime"] == "at_least"
        verdict = "violated" if high < bound else "holds" if low >= bound else "inconclusive"
    else:
        most = T if r["arm"] else math.inf
        verdict = "vacuous" if bound >= most else "violated" if low > bound else "holds" if high <= bound else "inconclusive"
    assert r["verdict"] == verdict, r
assert {"holds", "violated", "not-applicable"} <= {r["verdict"] for r in rows}
PY
variants() { tail -n +2 "$1" | cut -d, -f11 | sort -u | tr '\n' ';'; }
check "the table of everything" into "$dir/all.csv" "$maxk" bounds "$dir/own.h5" --csv
check "they follow the theorem in it" equal "$(variants "$dir/all.csv")" \
    "crossing;endpoint;explicit;figure_e5;log rate;printed;proved;root;share;sum;"
check "certified_upper is the bound of the variant crossing, and undefined for other policies" python - "$dir/all.csv" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
place = lambda r: (r["policy"], r["horizon"], r["arm"])
crossing = {place(r): r["bound"] for r in rows if r["variant"] == "crossing"}
proved = {place(r): r["bound"] for r in rows if r["variant"] == "proved"}
assert len(crossing) == 12 and all(proved.pop(k) == v for k, v in crossing.items())
assert len(proved) == 4 and set(proved.values()) == {""}
PY
check "summary as text" into "$dir/summary.txt" "$maxk" summary "$dir/own.h5"
check "a certified bound that people see is rounded up" python - "$dir/all.csv" "$dir/summary.txt" <<'PY'
import csv, sys
bound = {(r["policy"], r["horizon"], r["arm"]): float(r["bound"])
         for r in csv.DictReader(open(sys.argv[1])) if r["variant"] == "proved" and r["bound"]}
seen = {}
for words in (line.split() for line in open(sys.argv[2])):
    if words[:1] == ["proved"] and words[-2] != "-":
        seen[words[1], words[3], words[words.index("arm") + 1]] = float(words[-2])
assert seen.keys() == bound.keys() and all(bound[k] <= seen[k] <= bound[k] * (1 + 1e-5) for k in bound), (seen, bound)
assert any(seen[k] > float(f"{bound[k]:.6g}") for k in bound), "none is rounded the other way to the nearest"
PY
check "one variant alone" into "$dir/sum.csv" "$maxk" bounds "$dir/own.h5" --variant sum --csv
check "is without them" equal "$(variants "$dir/sum.csv")" "sum;"
check "bounds as text" into "$dir/bounds.txt" "$maxk" bounds "$dir/own.h5"
check "the text says what they are" has "$dir/bounds.txt" '  share: N_i\(T\) >= T / K'
cat >"$dir/many.yaml" <<'END'
name: many
problem: {arms: [{family: uniform, lo: 0, hi: {uniform: [0.5, 0.9]}, label: "a{i}", repeat: 120}]}
policies: [max_ucb]
horizons: [1000]
replications: 5
END
check "120 arms run" "$maxk" run "$dir/many.yaml" -o "$dir/many.h5" -q
check "their bounds as text" into "$dir/many.txt" "$maxk" bounds "$dir/many.h5" --variant printed
check "as CSV" into "$dir/many.csv" "$maxk" bounds "$dir/many.h5" --variant printed --csv
check "people see the arms of rank 1 to 10, 20, 50, 100 and the last but the best" \
    equal "$(grep -c '^max_ucb .* printed ' "$dir/many.txt") $(grep -c ',printed,' "$dir/many.csv")" "13 119"
check "bounds --lu dkw" into "$dir/dkw.csv" "$maxk" bounds "$dir/own.h5" --lu dkw --csv
check "every row has its further columns" equal "$(awk -F, '{print NF}' "$dir/dkw.csv" | sort -u)" 25
check "figures" "$maxk" figures "$dir/own.h5" --out "$dir/figures"
in_figures() { # FILES LABEL
    cat "$dir"/figures/own_$1.dat | grep -q "^# curve .*: $2"
}
check "they are in the figures of pulls" in_figures 'bounds_*_arm1' share
check "in those against alpha" in_figures 'bound_alpha_arm1_T1000' 'log rate'
check "in those of the regret" in_figures 'regret*' root
"$maxk" run "$dir/own.yaml" -s 'claims=[{name: late, of: pulls, at_most: T - 500}]' -s name=late -o "$dir/late.h5" -q
"$maxk" figures "$dir/late.h5" --out "$dir/figures" --only bounds --only bound_alpha >"$dir/late.txt"
late() { sed -n '/: late$/,/^$/p' "$dir"/figures/late_$1.dat | grep -v '^#' | xargs; }
check "a bound that is not above 0 is a gap in those against T, which have log axes" equal \
    "$(late 'bounds_a_1_arm1')" "100 NaN 1000 500"
check "and in those against alpha" equal "$(late 'bound_alpha_arm1_T100')" "0.5 NaN 1 NaN 2 NaN"

check "summary" into "$dir/summary.txt" "$maxk" summary "$dir/own.h5"
check "summary shows them" has "$dir/summary.txt" '^share  *.*>='
check "under a heading" has "$dir/summary.txt" '^Claims of the experiment'
check "summary --csv" into "$dir/summary.csv" "$maxk" summary "$dir/own.h5" --csv
check "its further columns have the bounds and verdicts of maxk bounds" python - "$dir/summary.csv" "$dir/claims.csv" <<'PY'
import csv, sys
cells = {(r["policy"], r["horizon"], r["arm"]): r for r in csv.DictReader(open(sys.argv[1]))}
assert list(next(iter(cells.values())))[:16][-1] == "proxy_regret"
n = 0
for r in csv.DictReader(open(sys.argv[2])):
    for key, cell in cells.items():
        if key[:2] == (r["policy"], r["horizon"]) and r["arm"] in ("", key[2]):
            assert cell["claim: " + r["variant"]] == r["bound"] and cell["verdict: " + r["variant"]] == r["verdict"], r
            n += 1
assert n > 20
PY
cat >"$dir/plain.yaml" <<'YAML'
name: plain
problem: {arms: [{family: pareto, shape: 2}, {family: pareto, shape: 3}]}
policies: [{name: uniform}]
horizons: [10, 100]
replications: 20
claims: [{name: halved, of: regret, at_most: best_max / 2}]
YAML
check "a claim of any policy on unbounded arms" "$maxk" run "$dir/plain.yaml" -o "$dir/plain.h5" -q
check "its figures" "$maxk" figures "$dir/plain.h5" --out "$dir/figures"
check "hold the claim" has "$dir/figures/plain_regret.dat" '^# curve .*: halved'

claims_refused() { # text of claims, PATTERN
    printf '%s\nclaims:\n%s\n' "$head" "$1" >"$dir/bad.yaml"
    refused "refused" "$2" "$maxk" run "$dir/bad.yaml" -o "$dir/bad.h5" -q
}
unharmed() { [ ! -e "$dir/bad.h5" ]; }
claims_refused '  - {name: a, of: pulls, at_most: 2 * beta}' \
    "bad.yaml:7:35: at_most: character 5: .*'beta'"
claims_refused '  - {name: a, of: regret, at_most: gap}' \
    "at_most: character 1: .*'gap'"
claims_refused '  - {name: a, of: pulls}' 'claims: .*at_most and at_least'
claims_refused '  - {name: a, of: pulls, at_most: 1, at_least: 0}' 'claims: .*at_most and at_least'
claims_refused '  - {name: a, of: rewards, at_most: 1}' 'of: .*got rewards'
claims_refused '  - {of: pulls, at_most: 1}' 'name: missing'
claims_refused '  - {name: a, of: pulls, at_most: 1, policy: b}' "policy: .*'b'"
claims_refused '  - {name: a, of: pulls, at_most: 1, extra: b}' 'extra'
claims_refused '  - {name: a, of: pulls, at_most: 1}
  - {name: a, of: pulls, at_most: 2}' "name: two claims have the name 'a'"
claims_refused '  - {name: a, of: pulls, at_most: (1}' 'closing'
claims_refused '  name: a' 'claims'
finish
