#!/bin/bash
# maxk figures: every figure of small experiments exists, with the right kind and size; hostile texts stay text.
. tests/support/lib.sh
ordinary_build_only "most of the time is gnuplot's; test_figure_choice.sh and test_recorded_figures.py draw as well"
cd "$dir" || exit 1

is_png() { # signature, and a picture of at least 3.5 by 2.5 inches at 300 pixels an inch that has more than one colour
    [ "$(od -An -tx1 -N8 "$1" | tr -d ' \n')" = 89504e470d0a1a0a ] || return 1
    local b
    read -ra b <<<"$(od -An -tu1 -j16 -N8 "$1")"
    [ $((b[2] * 256 + b[3])) -ge 1050 ] && [ $((b[6] * 256 + b[7])) -ge 750 ] && [ "$(stat -c %s "$1")" -gt 10000 ]
}
is_svg() { grep -q '^<svg' "$1" && tail -n 3 "$1" | grep -q '</svg>'; }
is_pdf() { [ "$(head -c 5 "$1")" = %PDF- ] && tail -c 8 "$1" | grep -q EOF; }
is_figure() { is_png "$1.png" && [ -s "$1.gp" ] && [ -s "$1.dat" ]; }
same_set() { diff <(ls "$1" | sort) <(printf '%s\n' "${@:2}" | sort); }

cat >pareto.yaml <<'END'
name: pareto
problem:
  arms:
    - {family: pareto, shape: 2.1, scale: 1}
    - {family: pareto, shape: 1.5, scale: 1}
policies: [{name: max_ucb}, {name: uniform}]
horizons: [200]
replications: 20
seed: 1
END
check "one horizon, heavy tails" "$maxk" run pareto.yaml -o pareto.h5 -q
check "its figures" "$maxk" figures pareto.h5 --out one
check "rows and tails, no bounds, no sweep" same_set one \
    pareto_{survival,survival_tail,best_share,best_reward,regret}.{dat,gp,png}

cat >many.yaml <<'END'
name: many
problem: {arms: [{repeat: 120, family: power, a: {uniform: [1, 6]}, s: {uniform: [0.9, 1.1]}}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5, 1]}, {name: uniform}]
horizons: [600, 3000]
replications: 4
keep: summary
END
check "many arms" "$maxk" run many.yaml -o many.h5 -q
check "their figures" "$maxk" figures many.h5 many.yaml --out many --only top_arms --only survival --only bounds \
    --only bound_arms --only many_arms
check "share of the best arms" is_figure many/many_top_arms
check "survival functions: median with band, two quartiles, largest, best arm" \
    equal "$(grep -c "^# curve" many/many_survival.dat)" 5
check "bounds of five of 119 arms for each alpha" equal "$(ls many/many_bounds_*.png | wc -l)" 15
check "bounds by rank in groups" \
    awk '/^# curve 0/ {on = 1} /^# curve 1/ {on = 0} on && NF == 4 {n++} END {exit !(n > 15 && n < 40)}' \
    "$(ls many/many_bound_arms_*0.5*.dat)"
check "four panels of the problem" equal "$(cat many/*many_arms.dat | grep -c "^# curve")" 10
check "a third as many arms" "$maxk" run many.yaml -s problem.arms.0.repeat=40 -o few.h5 -q
check "two numbers of arms" "$maxk" figures --across many.h5 few.h5 --out across
check "regret against K and alpha" same_set across many_across_{arms,sweep}.{dat,gp,png}
first_curve() { awk '/^# curve 0/ {on = 1} /^# curve 1/ {on = 0} on && /^[0-9]/ {print $1}' "$1" | xargs; }
check "K ascending" equal "$(first_curve across/many_across_arms.dat)" "40 120"
refused "other policies" "^pareto.h5: --across: expected the policies" "$maxk" figures --across many.h5 pareto.h5

cat >power.yaml <<'END'
name: power
title: Toy experiment (power arms)
problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: power, a: 5, s: 1.1}
    - {family: power, a: 4, s: 1}
policies:
  - {name: max_ucb, alpha: {from: 0, to: 2.8, step: 0.2}}
  - {name: uniform}
  - {name: oracle}
horizons: [50, 100, 200, 500]
replications: 40
seed: 1
END
check "a sweep runs" "$maxk" run power.yaml -o power.h5 -q
check "its figures are drawn" "$maxk" figures power.h5 --out png
for f in survival best_share_max_ucb_alpha regret_max_ucb_alpha proxy_regret_max_ucb_alpha best_reward_max_ucb_alpha \
    sweep_best_share_max_ucb_alpha sweep_regret_max_ucb_alpha sweep_proxy_regret_max_ucb_alpha; do
    check "power_$f" is_figure png/power_$f
done
check "bounds of the two other arms, alpha nearest .5" equal "$(ls png | grep -c 'power_bounds_.*0\.4.*_arm[01]\.png$')" 2
check "Theorem 4.2 against alpha at the last horizon" equal "$(ls png/power_bound_alpha_arm*_T500.png | wc -l)" 2
check "its data: shade, certified band, mean, four bounds" \
    awk '/^# curve/ {k++} /^# curve 0: p > 1/ {s = 1} END {exit !(k == 7 && s)}' \
    png/power_bound_alpha_arm0_T500.dat
{
    echo 'name: map'
    echo 'problem: {arms: [{family: uniform, lo: 0, hi: 1}'
    for hi in 0.99 0.95 0.9 0.8 0.6; do echo "  , {family: uniform, lo: 0, hi: $hi}"; done
    echo ']}'
    echo 'policies: [{name: max_ucb, alpha: [0, 0.2, 1, 5]}]'
    echo 'horizons: [100]'
    echo 'replications: 10'
} >map.yaml
check "many arms run" "$maxk" run map.yaml -o map.h5 -q
check "their figures are drawn" "$maxk" figures map.h5 --out map
check "a map of 3 x 5 cells" equal "$(grep -c "^# curve" map/map_bound_map_T100.dat)" 16
check "in place of five figures" [ ! -e map/map_bound_alpha_arm1_T100.png ]
check "it is a picture" is_figure map/map_bound_map_T100
# L = 1: p = 2 alpha sqrt(gap) = 1 by hand.
check "its line is p = 1" awk '/^# curve 15/ {line = 1}
    line && !/^#/ && NF && $2 != "NaN" {n++; if ((4 * $1 * $1 * $2 - 1) ^ 2 > 1e-18) bad = 1}
    END {exit bad || n < 20}' map/map_bound_map_T100.dat
check "all three files of every figure, nothing else" equal \
    "$(ls -A png | sed 's/\.[a-z]*$//' | sort | uniq -c | awk '{print $1}' | sort -u)" 3
check "default folder" "$maxk" figures pareto.h5
check "default folder is results/figures" is_figure results/figures/pareto_survival
check "the script draws again by itself" bash -c 'cd png && rm power_survival.png && gnuplot power_survival.gp'
check "what it draws is a picture" is_png png/power_survival.png
check "share in the data file" awk '
    /^# curve/ {k++} !/^#/ && NF {n++; bad += !($2 >= 0 && $2 <= 1 && $3 <= $2 && $2 <= $4) || $1 < 50 || $1 > 500}
    END {exit !(k == 17 && n == 68 && !bad)}' png/power_best_share_max_ucb_alpha.dat
check "the oracle plays the best arm alone" awk '
    /^# curve/ {oracle = /oracle/} oracle && !/^#/ && NF {n++; bad += $2 != 1} END {exit bad || n != 4}' \
    png/power_best_share_max_ucb_alpha.dat
# G(x) = 1 - (x s^a)^a at the end of the support of arm 2 (a = 4, s = 1) is 0 and at 0 is 1: by hand.
check "exact survival function" awk '
    /^# curve 2/ {on = 1} on && !/^#/ && NF {d = $2 - (1 - $1 ^ 4); bad += d < -1e-12 || d > 1e-12; n++}
    END {exit bad || n < 100}' \
    png/power_survival.dat

check "svg" "$maxk" figures pareto.h5 --out svg --format svg
check "a whole svg" is_svg svg/pareto_regret.svg
check "pdf" "$maxk" figures pareto.h5 --out pdf --format pdf
check "a whole pdf" is_pdf pdf/pareto_regret.pdf

sed -e 's/^name: power/name: grid/' -e 's/alpha: {.*}}/alpha: [0.1, 0.5, 1], round_offset: [0, -1]}/' power.yaml >grid.yaml
check "a grid of two parameters" "$maxk" run grid.yaml -o grid.h5 -q
check "its figures" "$maxk" figures grid.h5 --out grid
check "one sweep" is_figure grid/grid_sweep_best_share_max_ucb_alpha
check "the other" is_figure grid/grid_sweep_best_share_max_ucb_alpha_2
check "every sweep has its three values" test "$(sed -n '/^# curve 0/,/^# curve 1/p' \
    grid/grid_sweep_best_share_max_ucb_alpha_2.dat | awk '!/^#/ && NF {print $1}' | xargs)" = "0.1 0.5 1"

cat >trajectories.csv <<'END'
instance,arm,repetition,iteration,reward
END
for i in a b; do for k in x y; do for r in 0 1 2; do for t in {1..12}; do
    echo "$i,$k,$r,$t,0.$((10 + (t * 7 + r * 13 + ${#i} + (t * r) % 5 + $([ $k = x ] && echo 40 || echo 0)) % 80))"
done; done; done; done >>trajectories.csv
cat >recorded.yaml <<'END'
name: recorded
problem: {trajectories: trajectories.csv}
policies: [{name: max_ucb}, {name: uniform}]
horizons: [4, 8, 12]
END
if check "recorded rewards" "$maxk" run recorded.yaml -o recorded.h5 -q && [ -e recorded.h5 ]; then
    check "their figures" "$maxk" figures recorded.h5 --out recorded
    check "share of pulls over instances" is_figure recorded/recorded_best_share
    check "best reward over instances" is_figure recorded/recorded_best_reward
    check "a row for each of two policies and the critical distance" test -s recorded/recorded_distance.png
    for f in rank loss tasks_rank tasks_loss pulls_by_rank; do
        check "recorded_$f" is_figure recorded/recorded_$f
    done
    check "ranks of two policies add up to three" awk '!/^#/ && NF {sum[$1] += $2}
        END {for (T in sum) bad += sum[T] < 2.999 || sum[T] > 3.001; exit bad || length(sum) != 3}' recorded/recorded_rank.dat
    check "a heat map has a cell for every policy and instance" test "$(grep -c '^[0-9]' recorded/recorded_tasks_rank.dat)" -eq 4
    sed -e 's/{name: max_ucb}/{name: max_ucb, alpha: [0.1, 0.5, 1]}/' -e 's/^name: recorded/name: alphas/' recorded.yaml \
        >alphas.yaml
    check "a sweep on recorded rewards" "$maxk" run alphas.yaml -o alphas.h5 -q
    check "its figures, as svg" "$maxk" figures alphas.h5 --out alphas --format svg
    for f in map_rank_max_ucb_alpha map_loss_max_ucb_alpha rank_max_ucb_alpha rank distance; do
        check "alphas_$f" is_svg alphas/alphas_$f.svg
    done
    check "values by horizons" test "$(grep -c '^[0-9]' alphas/alphas_map_loss_max_ucb_alpha.dat)" -eq 9
    check "the title says so" grep -q 'average over 2 instances' recorded/recorded_best_share.dat
    check "no figures of arms or bounds" test "$(ls recorded | grep -cE 'survival|bounds')" -eq 0
fi

cat >hostile.yaml <<'END'
name: hostile
title: "it's `touch pwned1` $(touch pwned2) $HOME @x {/Symbol a} \\ _a ^b \"q\" α≤∞"
problem:
  arms:
    - {family: uniform, lo: 0, hi: 1, label: "'; system('touch pwned3'); '"}
    - {family: uniform, lo: 0, hi: 0.9, label: "a_1^2 {/Symbol b} `touch pwned4` \\"}
policies:
  - {name: max_ucb, alpha: 0.5, label: "\"; system(\"touch pwned5\"); # é @x $(touch pwned6)"}
  - {name: uniform, label: "'`touch pwned7`'"}
horizons: [20, 100]
replications: 10
seed: 1
END
check "hostile texts run" "$maxk" run hostile.yaml -o hostile.h5 -q
check "hostile texts are drawn" "$maxk" figures hostile.h5 --out hostile --format svg
check "the title is shown as it is" grep -q 'it.*s `touch pwned1` $(touch pwned2)' hostile/hostile_best_share.svg
check "the label is shown as it is" grep -q "'\`touch pwned7\`'" hostile/hostile_best_share.svg
check "nothing was run" test -z "$(find . "$HOME" -maxdepth 2 -name 'pwned*' 2>/dev/null)"
check "their scripts hold file names of plain letters" test -z "$(ls hostile | grep -v '^[A-Za-z0-9._-]*$')"

cat >alike.yaml <<'END'
name: alike
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.9}]}
policies: [{name: max_ucb, alpha: 0.5, label: "a=1"}, {name: max_ucb, alpha: 1, label: "a:1"}]
horizons: [20, 100]
replications: 10
END
check "labels alike in file names" "$maxk" run alike.yaml -o alike.h5 -q
check "their figures" "$maxk" figures alike.h5 --out alike
check "one file each" test "$(ls alike | grep -c 'alike_bounds_.*png')" -eq 2

check "policies that differ in power run" "$maxk" run "$top/experiments/certified_band.yaml" -s replications=20 \
    -s 'horizons=[100, 1000]' -o power.h5 -q
check "their figures" "$maxk" figures power.h5 --out power
check "one picture of all for each arm" equal "$(ls power | grep -c 'band_bands_arm[0-3].png$')" 4
check "of power 1 what is certified, the mean and Theorem 4.2, of power 1.5 no theorem" equal \
    "$(grep '^# curve' power/certified_band_bands_arm0.dat | sed 's/.*: //' | paste -sd';')" \
    "certified;mean, 95 % band;Theorem 4.2 as printed;certified;mean, 95 % band"
check "the bands are what maxk certify proves" equal "$(awk '/^# curve/ {k++} k == 4 && $1 == 1000 {printf "%.6g", $2}' \
    power/certified_band_bands_arm0.dat)" "$("$maxk" certify "$top/experiments/certified_band.yaml" --policy 'power 1.5' \
    --horizons 1000 --refinement 0.2 --csv --show arm,upper | awk -F, '$1 == "0" {printf "%.6g", $2}')"
check "none without a power above 1" [ ! -e alike/alike_bands_arm1.png ]
# A power above 1 alone: certified bands, against T and against alpha, and no Theorem 4.2.
"$maxk" run "$top/experiments/certified_band.yaml" -s 'policies=[{name: max_ucb, power: 2, alpha: [0.05, 0.1, 0.2, 0.4]}]' \
    -s replications=20 -s 'horizons=[20, 100]' -q -o squared.h5
"$maxk" figures squared.h5 -o squared --format png >/dev/null 2>&1
squared() { sed -n 's/^# curve [0-9]*: \(..*\)/\1/p' "squared/$1" | paste -sd';'; }
check "pulls and certified bands against alpha" equal "$(squared certified_band_bound_alpha_arm0_T100.dat)" \
    "certified, from below and above;mean, 95 % band"
check "the regret too" equal "$(squared certified_band_certified_alpha.dat)" \
    "certified;mean, 95 % band;Proposition 4.1, certified pulls"
check "no figure of Theorem 4.2" [ -z "$(ls squared | grep -E '_(bounds|bound_map|bound_arms)_')" ]
"$maxk" run "$top/experiments/certified_band.yaml" -s 'policies=[{name: max_ucb, power: 2, alpha: 0.2}]' -s replications=20 \
    -s 'horizons=[20, 100]' -q -o one.h5
"$maxk" figures one.h5 -o one --only bands --format png >/dev/null 2>&1
check "the band of a single policy" equal "$(ls one | grep -c 'bands_arm[0-3].png$')" 4

cp pareto.h5 'other one.h5'
check "two files of one name" "$maxk" figures pareto.h5 pareto.h5 'other one.h5' --out both
check "do not overwrite each other" there both/{other_one,pareto,pareto_2}_survival.png

mkdir bin
check "no gnuplot: exit code 1" exits 1 env PATH="$dir/bin" "$maxk" figures pareto.h5 --out none
check "no gnuplot: one line" one_line err 'gnuplot: not found'
check "no gnuplot: no files left" equal "$(ls -A none)" ""
refused "unknown format" gif "$maxk" figures pareto.h5 --format gif
refused "no operand" 'file' "$maxk" figures
refused "missing file" nothing.h5 "$maxk" figures nothing.h5
head -c 3000 pareto.h5 >cut.h5
refused "damaged file" cut.h5 "$maxk" figures cut.h5
: >taken
refused "a file in the folder's place" taken "$maxk" figures pareto.h5 --out taken
check "help" "$maxk" figures --help
finish
