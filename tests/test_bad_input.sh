# Bad input: one line with its place, exit code 2, and the earlier result stays as it was.
set -u
maxk=${MAXK:-build/maxk}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
good='name: g
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: gaussian, mu: 0, sigma: 1}]}
policies: [{name: max_ucb}]
horizons: [10]
replications: 5
'
printf '%s' "$good" >"$dir/good.yaml"
"$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5" || { echo "not ok the good experiment runs"; exit 1; }
before=$(md5sum <"$dir/r.h5")

refused() { # name, pattern that the one line must match, command…
    local name=$1 pattern=$2; shift 2
    "$@" >"$dir/out" 2>"$dir/err"
    local code=$?
    if [ "$code" -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qE -- "$pattern" "$dir/err" &&
        [ "$(md5sum <"$dir/r.h5")" = "$before" ] && [ -z "$(find "$dir" -name '*.tmp*')" ]; then
        echo "ok $name: $(sed "s#$dir/##g" "$dir/err")"
    else
        echo "not ok $name: exit $code, wanted 2 and one line like /$pattern/, got: $(cat "$dir/err")"; bad=1
    fi
}
run() { "$maxk" run "$dir/e.yaml" -q -o "$dir/r.h5"; }
yaml() { printf '%s\n' "$2" >"$dir/e.yaml"; refused "$1" "$3" run; }
arms='problem: {arms: [{family: uniform, lo: 0, hi: 1}]}'
tail='policies: [{name: max_ucb}]
horizons: [10]'

yaml "wrong key" "name: a
$arms
polices: [{name: max_ucb}]
horizons: [10]" '^[^ ]*e.yaml:3:1: polices: '
yaml "wrong key of an arm" "problem: {arms: [{family: uniform, lo: 0, hi: 1, mu: 3}]}
$tail" 'e.yaml:1:[0-9]+: .*mu: '
yaml "wrong key of a policy" "$arms
policies: [{name: max_ucb, alfa: 3}]
horizons: [10]" 'e.yaml:2:[0-9]+: .*alfa: .*alpha'
yaml "NaN" "problem: {arms: [{family: uniform, lo: .nan, hi: 1}]}
$tail" 'e.yaml:1:[0-9]+: .*lo: '
yaml "K = 0" "problem: {arms: []}
$tail" 'e.yaml:1:[0-9]+: .*arms: '
yaml "T < K" "problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}, {family: uniform, lo: 0, hi: 3}]}
policies: [{name: max_ucb}]
horizons: [2, 10]" 'e.yaml:3:[0-9]+: horizons: '
yaml "negative sigma" "problem: {arms: [{family: gaussian, mu: 0, sigma: -1}]}
$tail" 'e.yaml:1:[0-9]+: .*sigma: .*> 0'
yaml "unknown family" "problem: {arms: [{family: gaussain, mu: 0, sigma: 1}]}
$tail" 'e.yaml:1:[0-9]+: .*family: '
yaml "unknown policy" "$arms
policies: [{name: maxucb}]
horizons: [10]" 'e.yaml:2:[0-9]+: .*name: '
yaml "missing trajectory file" "problem: {trajectories: no_such.csv}
$tail" 'e.yaml:1:[0-9]+: .*trajectories: '
yaml "not YAML" "problem: {arms: [
$tail" 'e.yaml:[0-9]+:[0-9]+: '
yaml "a number that is none" "$arms
policies: [{name: max_ucb, alpha: much}]
horizons: [10]" 'e.yaml:2:[0-9]+: .*alpha: '
yaml "negative replications" "$arms
$tail
replications: -3" 'e.yaml:4:[0-9]+: replications: '
refused "missing experiment" 'no_such.yaml: ' "$maxk" run "$dir/no_such.yaml" -o "$dir/r.h5"
refused "bad override" 'replicatoins' "$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5" -s replicatoins=3
refused "bad override value" 'alpha' "$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5" -s policies.0.alpha=-1
refused "unwritable output" 'nowhere/r.h5: ' "$maxk" run "$dir/good.yaml" -q -o "$dir/nowhere/r.h5"
refused "more memory than there is" 'needs at least 8 TB of memory .*reward tapes.*-j' "$maxk" run "$dir/good.yaml" -q -j 1 \
    --engine per-pull -o "$dir/r.h5" -s horizons=[1000000000000]
refused "more rows than memory" 'needs at least .*PB of memory .*writer' "$maxk" run "$dir/good.yaml" -q -j 1 -o "$dir/r.h5" -s replications=1e15
refused "unknown option" '--thread' "$maxk" run "$dir/good.yaml" --thread
refused "unknown command" 'rnu' "$maxk" rnu
refused "not a result file" 'good.yaml: ' "$maxk" summary "$dir/good.yaml"

csv() { # name pattern: $dir/d.csv through an experiment with T = 4
    printf 'problem: {trajectories: %s}\npolicies: [{name: uniform}]\nhorizons: [4]\n' "$dir/${3:-d.csv}" >"$dir/e.yaml"
    refused "$1" "$2" run
}
rows() { echo "instance,arm,repetition,iteration,reward"; for a in x y; do for i in 0 1 2 3; do echo "d,$a,0,$i,0.$i"; done; done; }
rows >"$dir/d.csv"
"$maxk" run <(printf 'problem: {trajectories: %s}\npolicies: [{name: uniform}]\nhorizons: [4]\nname: t\n' "$dir/d.csv") -q -o "$dir/t.h5" &&
    echo "ok the good trajectory runs" || { echo "not ok the good trajectory runs"; bad=1; }
rows | sed '8s/0\.2$/abc/' >"$dir/d.csv"; csv "non-numeric cell" 'd.csv:8:9: reward: '
rows | sed '8s/0\.2$/nan/' >"$dir/d.csv"; csv "NaN cell" 'd.csv:8:9: reward: '
rows | sed '9d' >"$dir/d.csv"; csv "ragged trajectory" 'd.csv:8: '
rows | sed '7d' >"$dir/d.csv"; csv "hole in the iterations" 'd.csv:7'
rows | sed '3s/.*/d,x,0,0,0.5/' >"$dir/d.csv"; csv "iteration twice" 'd.csv:3'
rows | sed '1s/reward/rewrad/' >"$dir/d.csv"; csv "missing column" 'd.csv:1.*reward'
rows | sed '5s/,0\.3$//' >"$dir/d.csv"; csv "short row" 'd.csv:5'
for i in $(seq 1 3000); do echo "d,x,$i,0,0.$RANDOM"; done | cat <(rows) - | gzip >"$dir/whole.csv.gz"
head -c 5000 "$dir/whole.csv.gz" >"$dir/d.csv.gz"; csv "truncated gzip" 'd.csv.gz:[0-9]+' d.csv.gz
: >"$dir/d.csv"; csv "empty file" 'd.csv'
exit $bad
