#!/bin/bash
# maxk map and maxk figures --paper: points, axes, figures by number, published numbers drawn over ours.
set -u
maxk=$(realpath "${MAXK:-build/maxk}")
experiments=$PWD/experiments
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }
refused() { # pattern of the message, command…
    local want=$1
    shift
    "$@" >/dev/null 2>err
    [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE -- "$want" err
    check $? "refused: $want"
}

grid() {
    "$maxk" map "$experiments/map_alpha_l.yaml" -v policies.0.alpha=0.5:8 -v problem.arms.0.weights.0=0.5:8 --y L --columns 4 \
        --rows 3 --replications 50 -s 'horizons=[1000]' --csv -o fig "$@"
}
grid >a && [ "$(wc -l <a)" -eq 13 ] && [ -s fig/map_alpha_l_map.png ] && grid -j 1 >b && cmp -s a b
check $? "a map of 4 by 3 points, the same on one thread"
# L of w/(1+w) of the mass uniform on [0, 1], the rest below .01, by hand: w / (1 + w)
/usr/bin/python3 - a fig/map_alpha_l_map.dat <<'PY'
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for r in rows:
    w = float(r["second"])
    assert abs(float(r["L_opt"]) - w / (1 + w)) < 1e-9, r
    assert abs(float(r["p"]) - 2 * float(r["L_opt"]) * float(r["alpha"]) * math.sqrt(float(r["gap"]))) < 1e-9, r
    assert abs(float(r["ratio"]) - float(r["bound"]) / float(r["observed"])) < 1e-9 * float(r["ratio"]), r
want = sorted(math.log10(min(float(r["bound"]), 1000) / float(r["observed"])) for r in rows)
text = open(sys.argv[2]).read()
assert "p = 1" in text and sum("nan" not in l.lower() for l in text.splitlines() if l and l[0] != "#") >= len(want)
assert float(rows[0]["p"]) < 1 < float(rows[-1]["p"])
PY
check $? "L, p and ratio by hand; the boundary p = 1 is on the map"
refused '^maxk map: --vary: .*got 1' "$maxk" map "$experiments/map_alpha_l.yaml" -v policies.0.alpha=1:2
refused '^maxk map: --y: .*monotone' "$maxk" map "$experiments/map_alpha_l.yaml" -v policies.0.alpha=1:2 \
    -v problem.arms.1.hi=0.5:0.8 --y L --columns 2 --rows 2 --replications 5 -s 'horizons=[10]' -o fig

"$maxk" figures --paper C.2 E.5 --experiments "$experiments" -o paper >out 2>err && [ -s paper/figure_C.2_lu.png ] &&
    [ -s paper/figure_E.5_bound_arms_max_ucb.png ] && [ -s results/figure_e5.h5 ] && grep -q '^Figure E.5: ' out
check $? "figures of the paper by number, their experiments run where needed"
grep -q 'no published numbers' err
check $? "and a word that there are no published numbers to draw"
"$maxk" figures --paper E.5 --experiments "$experiments" -o paper 2>err >/dev/null && ! grep -q ' run in ' err
check $? "a result that is there is not made again"
refused '--paper: 99: .*3_right, 5, C.2' "$maxk" figures --paper 99
refused '--paper' "$maxk" figures

cat >small.yaml <<'END'
name: small
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.9}]}
policies: [{name: max_ucb}, {name: oracle}]
horizons: [50, 100]
replications: 20
END
cat >published.csv <<'END'
experiment,policy,horizon,mean_optimal_pulls,se_optimal_pulls,proxy_empirical_regret
small,max_ucb,100,25,5,0.125
other,max_ucb,50,1,1,1
END
"$maxk" run small.yaml -q && "$maxk" figures results/small.h5 --published published.csv -o over >/dev/null
check $? "published numbers are read"
# share 25 / 100, and its band 1.96 * 5 / 100 to both sides
grep -A 5 'published runs' over/small_best_share.dat | grep -q '^100 0.25 0.152 0.348' &&
    grep -A 5 'published runs' over/small_proxy_regret.dat | grep -q '^100 0.125'
check $? "and drawn in the figures of that experiment"
printf 'experiment,policy,horizon\nsmall,max_ucb,100\n' >short.csv
refused 'short.csv:1: mean_optimal_pulls' "$maxk" figures results/small.h5 --published short.csv -o over
exit $bad
