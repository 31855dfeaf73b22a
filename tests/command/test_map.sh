#!/bin/bash
# maxk map and maxk figures --paper: points, axes, figures by number, published numbers drawn over ours.
. tests/support/lib.sh
experiments=$PWD/experiments
cd "$dir" || exit 1

grid() {
    "$maxk" map "$experiments/map_alpha_l.yaml" -v policies.0.alpha=0.5:8 -v problem.arms.0.weights.0=0.5:8 --y L --columns 4 \
        --rows 3 --replications 50 -s 'horizons=[1000]' --csv -o fig "$@"
}
check "a map of 4 by 3 points" into a grid
check "a row for each, and a header" equal "$(wc -l <a)" 13
check "a figure" there fig/map_alpha_l_map.png
check "on one thread" into b grid -j 1
check "the same" cmp a b
# L of w/(1+w) of the mass uniform on [0, 1], the rest below .01, by hand: w / (1 + w)
check "L, p and ratio by hand; the boundary p = 1 is on the map" python - a fig/map_alpha_l_map.dat <<'PY'
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for r in rows:
    w = float(r["problem.arms.0.weights.0"])
    assert abs(float(r["L_opt"]) - w / (1 + w)) < 1e-9, r
    assert abs(float(r["p"]) - 2 * float(r["L_opt"]) * float(r["alpha"]) * math.sqrt(float(r["gap"]))) < 1e-9, r
    assert abs(float(r["ratio"]) - float(r["bound"]) / float(r["observed"])) < 1e-9 * float(r["ratio"]), r
want = sorted(math.log10(min(float(r["bound"]), 1000) / float(r["observed"])) for r in rows)
text = open(sys.argv[2]).read()
assert "p = 1" in text and sum("nan" not in l.lower() for l in text.splitlines() if l and l[0] != "#") >= len(want)
assert float(rows[0]["p"]) < 1 < float(rows[-1]["p"])
PY
refused "one range" '^maxk map: --vary: .*got 1' "$maxk" map "$experiments/map_alpha_l.yaml" -v policies.0.alpha=1:2
# The table comes first: L along a key is known only after it.
check "an axis on which L does not change: exit code 2" exits 2 "$maxk" map "$experiments/map_alpha_l.yaml" \
    -v policies.0.alpha=1:2 -v problem.arms.1.hi=0.5:0.8 --y L --columns 2 --rows 2 --replications 5 -s 'horizons=[10]' -o fig
check "and one line" one_line err '^maxk map: --y: .*rise or fall strictly'

paper() { "$maxk" figures --paper "$@" --experiments "$experiments" -o paper >out 2>err; }
check "figures of the paper by number, their experiments run where needed" paper C.2 E.5
check "they are there" there paper/figure_C.2_lu.png paper/figure_E.5_bound_arms_max_ucb.png results/figure_e5.h5
check "with their titles" has out '^Figure E.5: '
check "published numbers are next to the experiments" lacks err 'no published numbers'
check "it says what it runs" has err ' run in '
mkdir bare && cp "$experiments/table_c2.yaml" bare
paper_of_bare() { "$maxk" figures --paper C.2 --experiments bare -o paper >out 2>err; }
check "experiments without them are drawn too" paper_of_bare
check "with a note that there are none to draw" has err 'bare/data/reference_e4.csv.*no published numbers'
check "again" paper E.5
check "a result that is there is not made again" lacks err ' run in '
refused "an unknown figure" '--paper: 99: .*3_right, 5, C.2' "$maxk" figures --paper 99
refused "neither a file nor figures" '--paper' "$maxk" figures

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
check "a small experiment" "$maxk" run small.yaml -q
check "published numbers are read" "$maxk" figures results/small.h5 --published published.csv -o over
# share 25 / 100, and its band ± 1.96 * 5 / 100
published() { grep -A 5 'published runs' "over/small_$1.dat" | grep -q "$2"; }
check "and drawn in the figures of that experiment: share" published best_share '^100 0.25 0.15200[0-9]* 0.34799[0-9]*'
check "and proxy regret" published proxy_regret '^100 0.125'
printf 'experiment,policy,horizon\nsmall,max_ucb,100\n' >short.csv
refused "published numbers that lack a column" 'short.csv:1: mean_optimal_pulls' \
    "$maxk" figures results/small.h5 --published short.csv -o over
finish
