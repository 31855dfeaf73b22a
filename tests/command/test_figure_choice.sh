#!/bin/bash
# maxk figures with more policies than a legend can tell apart, and the options that choose policies, figures and sizes.
. tests/support/lib.sh
cd "$dir" || exit 1

awk 'BEGIN { print "dataset;model;seed;step;accuracy"; srand(1)
    for (d = 0; d < 5; d++) for (m = 0; m < 3; m++) for (s = 0; s < (d == 1 ? 2 : 4); s++) for (t = 0; t < 20; t++)
        printf "d%d;m%d;s%d;%d;%.6f\n", d, m, s, t, rand() }' >runs.txt
cat >many.yaml <<'END'
problem:
  trajectories: runs.txt
  columns: {instance: dataset, arm: model, repetition: seed, iteration: step, reward: accuracy}
policies:
  - {name: max_ucb, alpha: [0.001, 0.01, 0.1, 1, 10]}
  - {name: uniform}
  - {name: random}
  - {name: oracle}
  - {name: qomax_sda}
  - {name: max_median}
  - {name: ucb}
  - {name: r_sr}
  - {name: epsilon_greedy}
horizons: [5, 20]
END
check "a run of their own data" "$maxk" run many.yaml -o many.h5 -q
check "all figures" "$maxk" figures many.h5 --out all
cp log said
check "a line says that they are split" has said 'many.h5: 13 policies, .* alpha of max_ucb \(among others: max_ucb alpha='
check "the sweep is among the others" grep -q 'curve .*: max_ucb alpha=' all/many_best_share_others.dat
check "the oracle too" grep -q 'curve .*: oracle' all/many_best_share_others.dat
distance=$("$maxk" rank many.h5 --horizon 20 --csv --show critical_distance | tail -n 1)
check "the diagram of distances is that of all 13" grep -q "CD = $(printf %.3f "$distance")" all/many_distance.gp
check "with all of them" equal "$(grep -c ' at first .* \(left\|right\) ' all/many_distance.gp)" 13
check "a log scale for values spaced so" grep -q '^set logscale cb' all/many_best_share_max_ucb_alpha.gp
check "instances are named" grep -q "'d3'" all/many_tasks_rank.gp
check "uneven repetitions are said" grep -q '2 to 4 replications' all/many_best_share_others.dat

check "chosen policies" "$maxk" figures many.h5 --policy uniform --policy oracle --policy ucb --only rank --only regret --out few
check "only their figures" equal "$(ls few/*.png | tr '\n' ' ')" \
    "$(printf 'few/many_%s.png ' distance loss pulls_by_rank rank regret tasks_loss tasks_rank)"
check "with ranks among them" grep -q 'among 3 of 13 policies' few/many_distance.dat
ranked() { "$maxk" rank many.h5 --policy uniform --policy oracle --policy ucb --horizon 20 --csv | cut -d, -f 2; }
check "as maxk rank has them" equal "$(ranked | tail -n +2 | sort | tr '\n' ' ')" "oracle ucb uniform "
check "others left out" "$maxk" figures many.h5 --among max_ucb --without 'max_ucb alpha=10' --only best_share --out ucb
check "the four that are left" equal "$(grep -c '^# curve' ucb/many_best_share.dat)" 4
check "a size" "$maxk" figures many.h5 --only best_pulls --size 6x3 --out sized
check "is kept" equal "$(od -An -tu1 -j16 -N8 sized/many_best_pulls.png | tr -s ' ')" " 0 0 7 8 0 0 3 132"
refused "no such policy" "--policy: many.h5: no policy 'nobody'" "$maxk" figures many.h5 --policy nobody
refused "no such name" "--among: many.h5: no policy named 'nobody'" "$maxk" figures many.h5 --among nobody
refused "nothing left" 'no policy is left' "$maxk" figures many.h5 --policy ucb --without ucb
refused "no such figure" "--only: no figure 'nothing'" "$maxk" figures many.h5 --only nothing
check "a figure that a result has not, next to one that it has" \
    "$maxk" figures many.h5 --policy ucb --only regret --only growth -o some
cp log said
check "is named with what it needs" has said '^many\.h5: no figure growth, which needs max_ucb without scaling'
check "and the other is drawn" there some/many_regret.png
refused "nothing at all" \
    'nothing to draw: many\.h5: no figure growth, which needs .*; many\.h5: no figure lu, which needs an experiment or' \
    "$maxk" figures many.h5 --policy ucb --only growth --only lu --out none
refused "nothing of an experiment" 'nothing to draw: many\.yaml: no figure rank, which needs a result file$' \
    "$maxk" figures many.yaml --only rank --out none
check "a page too small for the letters" "$maxk" figures many.h5 --only best_pulls --size 2x1 --out small
check "has that size" equal "$(od -An -tu1 -j16 -N8 small/many_best_pulls.png | tr -s ' ')" " 0 0 2 88 0 0 1 44"
letters() { sed -n 's/.*fontscale \([0-9.]*\).*/\1/p' "$1/many_best_pulls.gp"; }
check "and smaller letters, to the same scale" awk -v a="$(letters small)" -v b="$(letters sized)" \
    'BEGIN {exit !(a < b / 2 && b == 3.125)}'
refused "no size" '--size: expected WIDTHxHEIGHT' "$maxk" figures many.h5 --size large
for size in x 1mmx5mm 7x3pt 7x3x2 cmx one; do
    refused "no size, $size" '--size: expected WIDTHxHEIGHT' "$maxk" figures many.h5 --size $size
done
page() { # SIZE: that of a picture in PDF
    "$maxk" figures many.h5 --only best_pulls -f pdf --size "$1" --out page >log 2>&1
    sed -n 's/.* size \([0-9.]*in,[0-9.]*in\) .*/\1/p' page/many_best_pulls.gp
}
check "inches" equal "$(page 5x2.5)" "5.000in,2.500in"
check "other units" equal "$(page 127mmx6.35cm)" "5.000in,2.500in"
check "one column" equal "$(page one-column | cut -d, -f 1)" 3.386in
check "two columns" equal "$(page two-columns | cut -d, -f 1)" 7.008in

# Titles, fonts, and LaTeX.
words() { # OPTION…: what is written in a picture, of many.h5 or $of
    "$maxk" figures "${of:-many.h5}" --only "${only:-best_pulls}" -f svg "$@" --out words >log 2>&1
    sed 's/<[^>]*>/ /g' words/*.svg >words.txt && rm words/*.svg
}
words
check "a title" has words.txt '^[[:space:]]*many *$'
check "and what is shown" has words.txt 'T = 20, over 5 instances'
words --title 'Mine: 5 % {a}'
check "a title of one's own" has words.txt 'Mine: 5 % \{a\}'
check "in place of both" lacks words.txt 'T = 20, over|^[[:space:]]*many *$'
words --title none
check "no title" lacks words.txt 'none|T = 20, over|^[[:space:]]*many *$'
high() { sed -n 's/.* size [0-9.]*in,\([0-9.]*\)in .*/\1/p' "$1/many_best_pulls.gp"; }
for title in none Mine; do
    check "a PDF, title $title" "$maxk" figures many.h5 --only best_pulls -f pdf --title $title --out $title
done
check "takes no room" awk -v a="$(high none)" -v b="$(high Mine)" \
    'BEGIN {d = b - a - 0.14; exit !(d > -0.006 && d < 0.006)}'
of=many.yaml only=shape words --title Mine
check "over panels" has words.txt Mine
check "those keep their own" has words.txt Skewness
check "a font" "$maxk" figures many.h5 --only best_pulls -f pdf --font 'Some Serif:Bold,10' --size one-column --out font
check "its letters as large as one column allows" has font/many_best_pulls.gp \
    "size 3.386in,.* font 'Some Serif:Bold,8' fontscale 0\.72"
check "larger letters alone" "$maxk" figures many.h5 --only best_pulls -f pdf --font ,10 --out font
check "in a larger picture" has font/many_best_pulls.gp "size 4.375in,.* font 'DejaVu Sans,8' fontscale 0\.9375 "
for font in "a'b" , a,b a,1 'a,' 'é' "$(printf 'a%.0s' {1..64})"; do
    refused "no font, $font" '--font: expected NAME, NAME,SIZE or ,SIZE' "$maxk" figures many.h5 --font "$font"
done
refused "that of the document" '--font: expected --format png, svg or pdf, got tex' \
    "$maxk" figures many.h5 -f tex --font Times
check "for LaTeX" into lines "$maxk" figures many.h5 --only best_pulls --only rank -f tex --out latex
check "the path of what LaTeX includes" has lines '^latex/many_best_pulls\.tex$'
check "four files" equal "$(ls latex | grep best_pulls | tr '\n' ' ')" "$(printf 'many_best_pulls.%s ' dat gp pdf tex)"
check "the lines, by name" has latex/many_best_pulls.tex '\\includegraphics\[.*\]\{many_best_pulls\}'
check "the texts" has latex/many_best_pulls.tex '\}max\\_ucb alpha=0\.001\}'
check "the title" has latex/many_best_pulls.tex '\}many\}'
check "without the subtitle" lacks latex/many_best_pulls.tex 'T = 20'
check "the font of the document" lacks latex/many_best_pulls.tex '\\fontfamily'
check "letters of 8 points" has latex/many_best_pulls.tex '\\fontsize\{8\}'
check "no picture is left open" equal "$(grep -c 'end{picture}' latex/many_tasks_rank.tex)" 1

cat >pareto.yaml <<'END'
problem:
  arms: [{family: pareto, shape: 2.1, scale: 1}, {family: pareto, shape: 3, scale: 1}]
END
check "unbounded arms before a run" "$maxk" figures pareto.yaml --out before
check "have survival functions and tails" equal "$(ls before/*.png)" before/pareto_survival.png

# More policies than one legend holds, without a sweep: small multiples with one axis, the oracle alike in each.
policies=$(printf '%s, ' uniform random ucb r_sr epsilon_greedy max_median qomax_sda threshold_ascent greedy softmax \
    thompson_bernoulli rising_bandit successive_halving max_ucb)
check "fourteen policies and the oracle" "$maxk" run many.yaml -s "policies=[${policies}oracle]" -s name=crowd -o crowd.h5 -q
check "in panels" "$maxk" figures crowd.h5 --only best_share --only rank -o crowd
check "one figure of each measure" equal "$(ls crowd/crowd_best_share*.png crowd/crowd_rank*.png | wc -l)" 2
check "with a panel for each kind" equal "$(grep -c '^set tmargin at screen' crowd/crowd_best_share.gp)" 3
check "and one range" equal "$(grep '^set yrange' crowd/crowd_best_share.gp | sort -u | wc -l)" 1
check "the oracle looks the same in each" equal \
    "$(grep -o "linespoints.*title 'oracle'" crowd/crowd_best_share.gp | sort | uniq -c | awk '{print $1}')" 3

# Recorded runs from the command line.
columns=instance=dataset,arm=model,repetition=seed,iteration=step,reward=accuracy
check "columns as an option" "$maxk" survey runs.txt --columns $columns --csv
"$maxk" survey runs.txt --columns $columns --csv >file.csv
check "standard input" equal "$("$maxk" survey - --columns $columns --csv <runs.txt)" "$(cat file.csv)"
check "a pipe, compressed" equal "$(gzip -c runs.txt | "$maxk" survey - --columns $columns --csv)" "$(cat file.csv)"
refused "what is missing, and what there is" \
    'no column for instance, arm, .*, reward; the file has dataset, model, seed, step, accuracy \(separator: semicolon\)' \
    "$maxk" survey runs.txt
refused "no name" '--columns: expected NAME=COLUMN' "$maxk" survey runs.txt --columns dataset
refused "no such role" "--columns: datum: unknown key 'datum'" "$maxk" survey runs.txt --columns datum=dataset
refused "repetitions that differ" 'lacks repetition s2' "$maxk" survey runs.txt --columns $columns --missing error
check "dropped everywhere" "$maxk" lu runs.txt --columns $columns --missing drop_repetition
check "is said, instance by instance" equal "$(grep -c '2 of 4 repetitions dropped (s2, s3)' log)" 4
finish
