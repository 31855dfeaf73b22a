#!/bin/bash
# Parts of a run, merged, are the run: the same bits for 1, 2, 3 and 7 shards; merge names what is missing, there twice,
# not complete or foreign, and writes nothing then.
. tests/support/lib.sh
need h5diff hdf5-tools
# Nothing is written when something is refused.
unharmed() { [ ! -e "$dir/x.h5" ]; }
shards() { # tag, number of shards, options: leaves $dir/<tag>.<i>.h5 and the list $parts, last one first
    local tag=$1 n=$2; shift 2
    parts=
    for i in $(seq "$n"); do
        "$maxk" run "$@" -q -j 1 --shard "$i/$n" -o "$dir/$tag.$i.h5" || fail "shard $i of $n of $tag"
        parts="$dir/$tag.$i.h5 $parts"
    done
}

cat >"$dir/e.yaml" <<'YAML'
name: e
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 1}, {family: beta, a: 2, b: 3}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5]}, {name: oracle}]
horizons: [10, 300]
replications: 500
seed: 42
YAML
RANDOM=1
{ echo instance,arm,repetition,iteration,reward
  for cell in {a,b},{x,y},{0,1,2},{0,1,2,3}; do echo "$cell,0.$((RANDOM % 1000))"; done
} >"$dir/d.csv"
printf 'name: t\nproblem: {trajectories: %s}\npolicies: [{name: max_ucb}, {name: oracle}]\nhorizons: [2, 4]\n' "$dir/d.csv" \
    >"$dir/t.yaml"
cat >"$dir/rare.yaml" <<'YAML'
name: rare
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 1}]}
policies: [{name: max_ucb, alpha: [0.3, 0.5]}]
horizons: [100, 100000]
replications: 50
rare_events: 400
YAML
case_of() {
    case $1 in
    pulls) set -- "$dir/e.yaml" ;;
    summary) set -- "$dir/e.yaml" -s keep=summary ;;
    records) set -- "$dir/e.yaml" -s horizons=[1000,1000000] ;;
    recorded) set -- "$dir/t.yaml" ;;
    rare) set -- "$dir/rare.yaml" ;;
    tiny) set -- "$dir/e.yaml" -s replications=7 -s horizons=[10] ;; # blocks that deflating makes no smaller
    esac
    options=("$@")
}
for case in pulls summary records recorded rare tiny; do
    case_of $case
    check "$case: one run" "$maxk" run "${options[@]}" -q -j 2 -o "$dir/$case.h5"
    for n in 1 2 3 7; do
        shards $case$n $n "${options[@]}"
        "$maxk" merge $parts -o "$dir/$case$n.h5" >/dev/null
        check "$case: $n shards equal one run" same "$dir/$case$n.h5" "$dir/$case.h5"
    done
done

# The scripts for clusters, with the environment that Slurm gives its tasks; a task that is queued again succeeds.
cluster=$PWD/experiments/cluster
mkdir -p "$dir/place/build" "$dir/place/results"
ln -s "$(realpath "$maxk")" "$dir/place/build/maxk"
task() { # NUMBER
    cd "$dir/place" && SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_COUNT=3 SLURM_CPUS_PER_TASK=1 \
        bash "$cluster/array.slurm" "$dir/e.yaml" -s horizons=[10,300]
}
for i in 3 1 2 1; do (task $i) >"$dir/task" 2>&1 || fail "array.slurm: task $i" "$(cat "$dir/task")"; done
check "array.slurm: a task again has nothing to do" has "$dir/task" 'nothing to do'
"$maxk" merge "$dir"/place/results/e.*-of-3.part -o "$dir/slurm.h5" >/dev/null
check "array.slurm: three tasks equal one run" same "$dir/slurm.h5" "$dir/pulls.h5"
need parallel parallel
(cd "$dir/place" && sh "$cluster/parallel.sh" 2 "$dir/e.yaml" -s horizons=[10,300]) >"$dir/log" 2>&1
"$maxk" merge "$dir"/place/results/e.*-of-2.part -o "$dir/parallel.h5" >/dev/null
check "parallel.sh: two jobs equal one run" same "$dir/parallel.h5" "$dir/pulls.h5"

case_of pulls
run() { "$maxk" run "${options[@]}" -q "$@"; }
run --shard 2/3 -s seed=5 -o "$dir/foreign.h5"
run --shard 2/3 --engine record -o "$dir/engine.h5"
head -c $(($(stat -c %s "$dir/pulls3.2.h5") - 1)) "$dir/pulls3.2.h5" >"$dir/cut.h5"
p=$dir/pulls3
cp "$p.1.h5" "$dir/copy.h5"
merge() { "$maxk" merge "$@" -o "$dir/x.h5"; }
refused "a missing shard" 'missing shards: 2/3$' merge "$p.3.h5" "$p.1.h5"
refused "several missing" 'missing shards: 1/7 3/7 4/7 5/7 6/7$' merge "$dir/pulls7.2.h5" "$dir/pulls7.7.h5"
refused "a shard twice" 'copy.h5: .*shard 1/3.*pulls3.1.h5' merge "$p.1.h5" "$p.2.h5" "$p.3.h5" "$dir/copy.h5"
refused "another seed" 'foreign.h5: .*\(seed: 5, not seed: 42\)' merge "$p.1.h5" "$dir/foreign.h5" "$p.3.h5"
refused "another engine" 'engine.h5: .*engine of [^,]*: record.*per-pull' merge "$p.1.h5" "$dir/engine.h5" "$p.3.h5"
refused "of another number of shards" 'pulls2.1.h5: .*shard 1 of 2, .*of 3' merge "$p.1.h5" "$dir/pulls2.1.h5" "$p.3.h5"
refused "a part that is cut short" 'cut.h5: shard 2/3 is incomplete' merge "$p.1.h5" "$dir/cut.h5" "$p.3.h5"
refused "a result in place of a part" 'pulls.h5: not a part' merge "$p.1.h5" "$dir/pulls.h5" "$p.3.h5"
refused "a file that is not there" 'none.h5: .*No such file' merge "$p.1.h5" "$dir/none.h5"
refused "without -o" '^maxk merge: --output: missing' "$maxk" merge "$p.1.h5"
refused "another result in the way" 'summary.h5: .*\(keep: summary, not keep: pulls\)' \
    "$maxk" merge "$p.1.h5" "$p.2.h5" "$p.3.h5" -o "$dir/summary.h5"
refused "a part where a result is wanted" 'pulls3.1.h5: a part or journal' "$maxk" summary "$p.1.h5"
for s in 0/3 4/3 1/0 3 a/b 1/3x -1/3; do
    refused "--shard $s" '^maxk run: --shard: .*I/N' run --shard=$s -o "$dir/x.h5"
done
"$maxk" merge "$p.1.h5" "$p.2.h5" "$p.3.h5" -o "$dir/summary.h5" --force >/dev/null
check "--force replaces" same "$dir/summary.h5" "$dir/pulls.h5"
check "info" into "$dir/info" "$maxk" info "$p.1.h5"
check "it names the shard" has "$dir/info" 'shard  *1 of 3'
sed -i '7s/0\..*/0.9999/' "$dir/d.csv"
parts="$dir/recorded2.1.h5 $dir/recorded2.2.h5"
refused "recorded data that has changed since" 'other data .*recorded rewards' merge $parts

# So has what else a run depends on or writes: costs, test scores, rewards of combined searches.
{ echo instance,arm_index,classifier,repetition,iteration,reward,cost,test_reward
  for cell in {0,1,-1},c,{0,1},{0,1,2,3}; do echo "a,$cell,0.$((RANDOM % 1000)),1.5,0.25"; done
} >"$dir/kept.csv"
printf 'problem: {trajectories: used.csv}\npolicies: [{name: max_ucb, per_cost: ratio}]\nhorizons: [2, 4]\n' >"$dir/used.yaml"
cp "$dir/kept.csv" "$dir/used.csv"
"$maxk" run "$dir/used.yaml" -q --shard 1/2 -o "$dir/used1.h5"
for change in '3s/,1.5,/,2.5,/' '3s/0.25$/0.75/' '/^a,-1,c,0,0,/s/,0\.[0-9]*,1.5/,0.5551,1.5/'; do
    sed "$change" "$dir/kept.csv" >"$dir/used.csv"
    "$maxk" run "$dir/used.yaml" -q --force --shard 2/2 -o "$dir/used2.h5"
    refused "recorded data changed by $change" 'another run .*recorded rewards' merge "$dir/used1.h5" "$dir/used2.h5"
done
cp "$dir/kept.csv" "$dir/used.csv"
"$maxk" run "$dir/used.yaml" -q --force --shard 2/2 -o "$dir/used2.h5"
check "unchanged, they are merged" into "$dir/out" "$maxk" merge "$dir/used1.h5" "$dir/used2.h5" -o "$dir/used.h5"
finish
