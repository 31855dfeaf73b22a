#!/bin/bash
# `claims:` of an experiment file: values, verdicts, the tables and figures they join, and refusals.
set -u
maxk=${MAXK:-build/maxk}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }

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
  - {name: root, of: regret, at_most: "K * log(T) / sqrt(T) * b_max * L + 0 * best_max + min_gap", policy: a=1}
END
"$maxk" run "$dir/own.yaml" -o "$dir/own.h5" -q && "$maxk" bounds "$dir/own.h5" --variant claims --csv >"$dir/claims.csv"
check $? "an experiment with claims runs, and its claims are tabulated"
# Uniform arms: E[M(T)] = lo + (hi - lo) T / (T + 1), L = 1 and U = 1 / (hi - lo), by hand.
/usr/bin/python3 - "$dir/claims.csv" <<'PY'
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 4 * 2 * 4 + 2, len(rows)
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
check $? "bounds agree with formulas evaluated apart from the program to 1e-10, verdicts with their definition"
[ "$("$maxk" bounds "$dir/own.h5" --csv | cut -d, -f11 | sort -u | tr '\n' ' ')" = "endpoint figure_e5 log rate printed root share sum variant " ]
check $? "they follow the theorem in the table of everything"
"$maxk" bounds "$dir/own.h5" --variant sum --csv | grep -q ',share,'
[ $? -ne 0 ]
check $? "one variant alone is without them"
"$maxk" bounds "$dir/own.h5" | grep -qF '  share: N_i(T) >= T / K'
check $? "the text says what they are"
[ "$("$maxk" bounds "$dir/own.h5" --lu dkw --csv | awk -F, '{print NF}' | sort -u)" = 24 ]
check $? "with --lu dkw every row has its further columns"
"$maxk" figures "$dir/own.h5" --out "$dir/figures" >/dev/null && grep -q '^# curve .*: share' "$dir"/figures/own_bounds_*_arm1.dat &&
    grep -q '^# curve .*: log rate' "$dir"/figures/own_bound_alpha_arm1_T1000.dat && grep -q '^# curve .*: root' "$dir"/figures/own_regret*.dat
check $? "they are in the figures"

"$maxk" summary "$dir/own.h5" | grep -q '^share  *.*>=' && "$maxk" summary "$dir/own.h5" | grep -q '^Claims of the experiment'
check $? "summary shows them"
"$maxk" summary "$dir/own.h5" --csv >"$dir/summary.csv" && "$maxk" bounds "$dir/own.h5" --variant claims --csv >"$dir/claims.csv" &&
    /usr/bin/python3 - "$dir/summary.csv" "$dir/claims.csv" <<'PY'
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
check $? "its further columns have the bounds and verdicts of maxk bounds"
printf 'name: plain\nproblem: {arms: [{family: pareto, shape: 2}, {family: pareto, shape: 3}]}\npolicies: [{name: uniform}]\nhorizons: [10, 100]\nreplications: 20\nclaims: [{name: halved, of: regret, at_most: best_max / 2}]\n' >"$dir/plain.yaml"
"$maxk" run "$dir/plain.yaml" -o "$dir/plain.h5" -q && "$maxk" figures "$dir/plain.h5" --out "$dir/figures" >/dev/null &&
    grep -q '^# curve .*: halved' "$dir/figures/plain_regret.dat"
check $? "a claim of the regret of any policy on unbounded arms is in its figure"

refused() { # text of claims, pattern of the message
    printf '%s\nclaims:\n%s\n' "$head" "$1" >"$dir/bad.yaml"
    "$maxk" run "$dir/bad.yaml" -o "$dir/bad.h5" -q 2>"$dir/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qE "$2" "$dir/err"
    check $? "refused: $2"
}
refused '  - {name: a, of: pulls, at_most: 2 * beta}' "bad.yaml:7:35: at_most: character 5: .*'beta'"
refused '  - {name: a, of: regret, at_most: gap}' "at_most: character 1: .*'gap'"
refused '  - {name: a, of: pulls}' 'claims: .*at_most and at_least'
refused '  - {name: a, of: pulls, at_most: 1, at_least: 0}' 'claims: .*at_most and at_least'
refused '  - {name: a, of: rewards, at_most: 1}' 'of: .*got rewards'
refused '  - {of: pulls, at_most: 1}' 'name: missing'
refused '  - {name: a, of: pulls, at_most: 1, policy: b}' "policy: .*'b'"
refused '  - {name: a, of: pulls, at_most: 1, extra: b}' 'extra'
refused '  - {name: a, of: pulls, at_most: 1}
  - {name: a, of: pulls, at_most: 2}' 'name: duplicate'
refused '  - {name: a, of: pulls, at_most: (1}' 'closing'
refused '  name: a' 'claims'
exit $bad
