#!/bin/bash
# Searches as arms through the commands: the same results for any number of threads, shards, after a resumption and for
# any order of policies; a recording replayed gives the same pulls; what reads recorded runs reads searches.
. tests/support/lib.sh
need h5diff hdf5-tools

cat >"$dir/s.yaml" <<'YAML'
name: s
problem:
  instances: 2
  searches:
    - {repeat: 3, objective: {name: cash, arm: "{i}", noise: 0.01}, optimizer: {name: tpe, init: 4}, label: "arm {i}"}
    - {label: hosaki, objective: hosaki, optimizer: random}
combined:
  - {optimizer: tpe, init: 8, label: joint}
  - {optimizer: {name: random}}
policies: [{name: max_ucb, alpha: 0.5}, random, uniform]
horizons: [10, 25]
replications: 5
YAML
run() { "$maxk" run "$dir/s.yaml" -q "$@"; }
for j in 1 2 7; do check "runs on $j threads" run -j $j -o "$dir/$j.h5"; done
check "2 threads equal 1" same "$dir/1.h5" "$dir/2.h5"
check "7 threads equal 1" same "$dir/1.h5" "$dir/7.h5"
for i in 1 2 3; do check "shard $i of 3" run --shard $i/3 -j 1 -o "$dir/$i.part"; done
check "merged" "$maxk" merge "$dir/3.part" "$dir/1.part" "$dir/2.part" -o "$dir/m.h5"
check "the parts make the same result" same "$dir/1.h5" "$dir/m.h5"

# The arms' rewards depend on no policy.
check "policies in another order" run -o "$dir/o.h5" -s 'policies=[uniform, {name: max_ucb, alpha: 0.5}]'
summary() { "$maxk" summary --csv "$1" | grep "^$2,"; }
for policy in max_ucb uniform joint 'combined random'; do
    check "$policy does not depend on the order" equal "$(summary "$dir/1.h5" "$policy")" "$(summary "$dir/o.h5" "$policy")"
done
# Pulls of a combined search are those of its budget.
check "pulls of the combined search" equal "$(summary "$dir/1.h5" joint | awk -F, '$3 == 25 {n += $8} END {print n}')" 50

check "recorded" "$maxk" record "$dir/s.yaml" -o "$dir/r.csv.gz" -j 2
check "recorded on one thread" "$maxk" record "$dir/s.yaml" -o "$dir/r1.csv" -j 1
check "recordings are equal" equal "$(zcat "$dir/r.csv.gz" | md5sum)" "$(md5sum <"$dir/r1.csv")"
# 2 instances, 5 repetitions, 4 arms and 2 combined searches, 25 evaluations
check "with a row for every evaluation" equal "$(wc -l <"$dir/r1.csv")" 1501
check "and configurations" has "$dir/r1.csv" '^"0",0,"arm 0","tpe",0,0,[-+0-9.e]+,"arm 0","\{x1: .*mode: '
check "and combined searches" has "$dir/r1.csv" '^"1",-1,"joint","joint",4,24,[-+0-9.e]+,"(arm [012]|hosaki)",'
cat >"$dir/r.yaml" <<'YAML'
name: s
problem: {trajectories: r.csv.gz, arm_order: file}
policies: [{name: max_ucb, alpha: 0.5}, random, uniform]
horizons: [10, 25]
YAML
check "the recording runs" "$maxk" run "$dir/r.yaml" -q -o "$dir/r.h5"
for h5 in 1 r; do "$maxk" export "$dir/$h5.h5" --csv "$dir/$h5" || fail "export of $h5"; done
check "the replay pulls the same" equal "$(grep -v '^\(joint\|combined random\)' "$dir/1/pulls.csv" | md5sum)" \
    "$(grep -v '^\(joint\|combined random\)' "$dir/r/pulls.csv" | md5sum)"
check "for the same rewards" equal "$(sort "$dir/1/max_reward.csv" | md5sum)" \
    "$(sed 's/^\(joint\|combined random\) (-[12])/\1/' "$dir/r/max_reward.csv" | sort | md5sum)"
# Without family and parameters, which hold commas.
facts() { awk -F, 'NR > 1 {print $1, $2, $3, $4, $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1), $NF}' "$1"; }
check "the facts are the same" equal "$(facts "$dir/1/problem.csv" | md5sum)" "$(facts "$dir/r/problem.csv" | md5sum)"
for command in lu survey gap; do
    check "$command of searches" into "$dir/live" "$maxk" $command "$dir/s.yaml" --csv
    check "$command of their recording" into "$dir/replayed" "$maxk" $command "$dir/r.yaml" --csv
    check "$command agrees" equal "$(md5sum <"$dir/live")" "$(md5sum <"$dir/replayed")"
done
check "bounds of a result" into "$dir/live" "$maxk" bounds "$dir/1.h5" --csv
check "bounds of its replay" into "$dir/replayed" "$maxk" bounds "$dir/r.h5" --csv
# But for what is certified, which needs independent rewards: of a recording that is the user's word.
check "certified bounds are not of searches" equal "$(grep crossing "$dir/live" | grep -c not-applicable)" \
    "$(grep -c crossing "$dir/replayed")"
others() { grep -v crossing "$1" | md5sum; }
check "the other bounds agree" equal "$(others "$dir/live")" "$(others "$dir/replayed")"
check "rank has the combined search as the baseline" into "$dir/rank" "$maxk" rank "$dir/1.h5"
check "by default" has "$dir/rank" '^joint .* baseline'
check "figures" "$maxk" figures "$dir/1.h5" -o "$dir/figures" -f svg
check "figures of the problem" "$maxk" figures "$dir/s.yaml" -o "$dir/figures" -f svg
check "pull by pull" into "$dir/trace" "$maxk" trace "$dir/s.yaml" --policy uniform
check "the first reward is the first recorded" equal "-$(awk -F, 'NR == 2 {print $3}' "$dir/trace")" \
    "$(awk -F, 'NR == 2 {print $7}' "$dir/r1.csv")"

# One arm: the choice of the arm has one value, on which everything is conditional.
check "a joint space of one arm" "$maxk" record "$dir/s.yaml" -o "$dir/one.csv" -s 'horizons=[30]' -s replications=1 \
    -s 'problem={searches: [{objective: branin, optimizer: random}]}' \
    -s 'combined=[{optimizer: tpe}, {optimizer: rf, challengers: 50}]'
for c in -1 -2; do
    check "is searched throughout ($c)" equal "$(awk -F, -v c=$c '$2 == c' "$dir/one.csv" | cut -d, -f9- | sort -u | wc -l)" 30
done

joint() { # OPTIMIZER AND MORE: what a combined search of these words records
    "$maxk" record "$dir/s.yaml" -o "$dir/joint.csv" -s 'horizons=[20]' -s replications=1 -s "combined=[{label: joint, $1}]" &&
        grep '^"1",-1' "$dir/joint.csv" | md5sum
}
check "parameters of a combined search may stand within its optimiser" \
    equal "$(joint 'optimizer: {name: tpe, init: 3}')" "$(joint 'optimizer: tpe, init: 3')"
check "or next to it" equal "$(joint 'optimizer: {name: tpe}, init: 3')" "$(joint 'optimizer: tpe, init: 3')"
check "and are read there" [ "$(joint 'optimizer: {name: tpe}, init: 4')" != "$(joint 'optimizer: tpe, init: 3')" ]

# A pipeline is a space with several choices: an algorithm of each operator, and the hyperparameters of those chosen.
pipeline='problem:
  instances: [a]
  searches:
    - objective: {name: surrogate, file: p.csv, arm: pipeline}
      optimizer: random
      space:
        scaler: {choice: {none: {}, robust: {q: {real: [0.05, 0.45]}}}}
        classifier: {choice: {svm: {C: {real: [1e-3, 1e3], log: true}}, tree: {depth: {integer: [1, 10]}}}}
policies: [uniform]
horizons: [60]
replications: 1'
{
    echo "instance,arm,scaler,scaler.robust.q,classifier,classifier.svm.C,classifier.tree.depth,reward"
    for i in 1 2 3 4 5 6 7 8; do
        echo "a,pipeline,none,,svm,0.$i,,.6$i"
        echo "a,pipeline,robust,0.$((i % 4 + 1)),svm,$i,,.7$i"
        echo "a,pipeline,robust,0.3,tree,,$i,.8$i"
        echo "a,pipeline,none,,tree,,$i,.5$i"
    done
} >"$dir/p.csv"
echo "$pipeline" >"$dir/p.yaml"
for optimizer in random '{name: tpe, init: 5}' '{name: rf, init: 5, challengers: 50}' '{name: gp, init: 5}'; do
    check "a pipeline is searched by $optimizer" "$maxk" record "$dir/p.yaml" -o "$dir/p.out.csv" \
        -s "problem.searches.0.optimizer=$optimizer"
    # Hyperparameters of the algorithms chosen, and of no other.
    active='scaler: (none|robust, scaler.robust.q: [0-9.e-]+), '
    active+='classifier: (svm, classifier.svm.C|tree, classifier.tree.depth): [0-9.e-]+'
    check "every operator has one algorithm" equal "$(grep -cE "\\{$active\\}\"$" "$dir/p.out.csv")" 60
done
check "only measured pipelines of a table" "$maxk" record "$dir/p.yaml" -o "$dir/p.out.csv" -s 'horizons=[20]' \
    -s 'problem.searches.0.objective={name: table, file: p.csv, arm: pipeline}' -s 'problem.searches.0.optimizer=tpe'

# Interrupted after the first blocks, and resumed.
slow=(-j 1 -s replications=60 -s 'horizons=[25, 50]')
check "a long run" run "${slow[@]}" -o "$dir/whole.h5"
"$maxk" run "$dir/s.yaml" -q "${slow[@]}" -o "$dir/cut.h5" 2>"$dir/err" &
child=$!
for _ in $(seq 200); do
    [ -f "$dir/cut.h5.journal" ] && [ "$(stat -c %s "$dir/cut.h5.journal")" -gt 20000 ] && break
    sleep 0.02
done
kill -9 $child 2>/dev/null
wait $child 2>/dev/null
check "resumed" run "${slow[@]}" --resume -o "$dir/cut.h5"
check "the same result" same "$dir/whole.h5" "$dir/cut.h5"

refused "records of searches" 'engine record' run --engine record -o "$dir/x.h5"
refused "the oracle" 'needs the best arm, which is known only after' run -s 'policies=[oracle]' -o "$dir/x.h5"
refused "a trace of the joint search" 'combined search, which pulls no arms' "$maxk" trace "$dir/s.yaml" --policy joint
refused "a recording without a name" 'output: missing' "$maxk" record "$dir/s.yaml"
refused "a recording of arms" 'expected searches' "$maxk" record experiments/table_c2.yaml -o "$dir/x.csv"

# ---- bad input: one line with the place ----
printf 'instance,arm,c,reward\na,x,1,.5\na,x,2,.7\nb,y,1,.7\n' >"$dir/t.csv"
bad() { # TEXT PATTERN PROBLEM-AND-MORE
    printf '%b\npolicies: [uniform]\nhorizons: [20]\nreplications: 1\n' "$3" >"$dir/bad.yaml"
    refused "$1" "^$dir/bad.yaml:[0-9]+:[0-9]+: $2" "$maxk" run "$dir/bad.yaml" -q -o "$dir/bad.h5"
}
one() { printf 'problem: {searches: [%s]}' "$1"; }
space() { one "{objective: branin, space: {x: $1, y: $2}, optimizer: random}"; }
bad "a condition on an unknown hyperparameter" "z: unknown hyperparameter 'z'" \
    "$(space '{real: [-5, 10]}' '{real: [0, 15], when: {z: 1}}')"
bad "circular conditions" 'when: the conditions of x are circular' \
    "$(space '{real: [-5, 10], when: {y: "> 1"}}' '{real: [0, 15], when: {x: "> 1"}}')"
bad "an empty range" 'x: expected low < high, got 10 to -5' "$(space '{real: [10, -5]}' '{real: [0, 15]}')"
bad "the logarithm of 0" 'x: expected a range above 0' "$(space '{real: [0, 10], log: true}' '{real: [0, 15]}')"
bad "an input that is not always active" 'space: hyperparameter y of branin must always be active' \
    "$(space '{real: [0, 10]}' '{real: [0, 15], when: {x: "> 2"}}')"
bad "an input that is missing" 'space: branin needs a hyperparameter y' \
    "$(one '{objective: branin, space: {x: {real: [0, 10]}}, optimizer: random}')"
bad "a space for an objective with its own" 'space: cash has a space of its own' \
    "$(one '{objective: cash, space: {x: {real: [0, 10]}}, optimizer: random}')"
bad "a space whose default is forbidden" 'forbid: the default configuration is forbidden' \
    "$(one '{objective: branin, space: {x: {real: [0, 1]}, y: {real: [0, 1]}, forbid: [{x: ">= 0"}]}, optimizer: random}')"
bad "an unknown objective" "objective: unknown objective 'brannin' .did you mean 'branin'" \
    "$(one '{objective: brannin, optimizer: random}')"
bad "no optimiser" 'optimizer: missing; allowed: random, grid' "$(one '{objective: branin}')"
bad "an unknown parameter of an optimiser" "int: unknown key 'int' for tpe .did you mean 'init'" \
    "$(one '{objective: branin, optimizer: {name: tpe, int: 3}}')"
bad "negative noise" 'noise: expected a number >= 0' "$(one '{objective: {name: branin, noise: -1}, optimizer: tpe}')"
bad "an arm that is a word" 'searches: expected a mapping' "$(one branin)"
bad "two equal instances" 'instances: duplicate instance a' \
    'problem: {searches: [{objective: branin, optimizer: random}], instances: [a, a]}'
bad "combined searches of arms" 'combined: expected a problem with searches' \
    'problem: {arms: [{family: bernoulli, p: .5}]}\ncombined: [{optimizer: tpe}]'
bad "an unknown parameter of a combined search" "trees: unknown key 'trees' for tpe" \
    "$(one '{objective: branin, optimizer: random}')\ncombined: [{optimizer: tpe, trees: 3}]"
bad "a parameter of a combined search twice" "init: given twice; the other one is in optimizer" \
    "$(one '{objective: branin, optimizer: random}')\ncombined: [{optimizer: {name: tpe, init: 3}, init: 4}]"
bad "two combined searches with one label" "label: two combined searches have the label 'combined tpe'" \
    "$(one '{objective: branin, optimizer: random}')\ncombined: [{optimizer: tpe}, {optimizer: tpe, init: 3}]"
bad "a policy with the label of a combined search" "label: a policy has the label 'uniform' too" \
    "$(one '{objective: branin, optimizer: random}')\ncombined: [{optimizer: tpe, label: uniform}]"
table() { # INSTANCE ARM MORE
    printf 'problem: {instances: [%s], searches: [{objective: {name: table, file: t.csv, arm: %s}%s, optimizer: tpe}]}' "$@"
}
bad "a table without the arm" "table: [^ ]*t.csv: no arm 'z'; allowed: x, y" "$(table a z '')"
bad "a table without the instance" "table: [^ ]*t.csv: no instance 'q'; allowed: a, b" "$(table q x '')"
bad "a table without rows of both" 'table: [^ ]*t.csv: no row of instance b and arm x' "$(table b x '')"
bad "a table that lacks a configuration's column" 'table: [^ ]*t.csv: no column d' \
    "$(table a x ', space: {d: {integer: [0, 9]}}')"
bad "a table with rows outside of the space" 'table: [^ ]*t.csv: c: expected a whole number from 2 to 9, got 1' \
    "$(table a x ', space: {c: {integer: [2, 9]}}')"
bad "arms with and without rows in one joint space" 'combined: some arms have measured configurations only' \
    'problem: {instances: [a], searches: [{objective: branin, optimizer: random},
  {objective: {name: table, file: t.csv, arm: x}, optimizer: random}]}\ncombined: [{optimizer: tpe}]'
many=$(seq -f 'p%.0f: {real: [0, 1]}' -s ', ' 10000)
bad "10000 hyperparameters" 'more than 1000 keys in one mapping' \
    "$(one "{objective: branin, space: {$many}, optimizer: random}")"
finish
