#!/bin/bash
# Bad input: one line with its place, exit code 2, and the earlier result is unchanged.
. tests/support/lib.sh
good='name: g
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: gaussian, mu: 0, sigma: 1}]}
policies: [{name: max_ucb}]
horizons: [10]
replications: 5
'
printf '%s' "$good" >"$dir/good.yaml"
check "the good experiment runs" "$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5"
before=$(md5sum <"$dir/r.h5")
unharmed() { [ "$(md5sum <"$dir/r.h5")" = "$before" ] && [ -z "$(find "$dir" -name '*.tmp*')" ]; }

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
yaml "text for a number" "$arms
policies: [{name: max_ucb, alpha: much}]
horizons: [10]" 'e.yaml:2:[0-9]+: .*alpha: '
yaml "negative replications" "$arms
$tail
replications: -3" 'e.yaml:4:[0-9]+: replications: '
refused "missing experiment" 'no_such.yaml: ' "$maxk" run "$dir/no_such.yaml" -o "$dir/r.h5"
refused "bad override" 'replicatoins' "$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5" -s replicatoins=3
refused "bad override value" 'alpha' "$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5" -s policies.0.alpha=-1
refused "an alpha whose bonus is infinite" 'alpha.*<= 1e[+]150' \
    "$maxk" run "$dir/good.yaml" -q -o "$dir/r.h5" -s policies.0.alpha=1e200
refused "unwritable output" 'nowhere/r.h5: ' "$maxk" run "$dir/good.yaml" -q -o "$dir/nowhere/r.h5"
refused "more memory than there is" '[0-9.]+ TB of memory .*reward tapes.*-j' "$maxk" run "$dir/good.yaml" -q -j 1 \
    --engine per-pull -o "$dir/r.h5" -s horizons=[1000000000000]
refused "more rows than memory" 'PB of memory .*writer' \
    "$maxk" run "$dir/good.yaml" -q -j 1 -o "$dir/r.h5" -s replications=1e15
refused "unknown option" '--thread' "$maxk" run "$dir/good.yaml" --thread
refused "unknown command" 'rnu' "$maxk" rnu
refused "not a result file" 'good.yaml: ' "$maxk" summary "$dir/good.yaml"

# Numbers, characters and sizes that a file must not contain
number() { yaml "$1" "$arms
policies: [{name: max_ucb, alpha: 0.5}]
$2" "e.yaml:[0-9]+:[0-9]+: $3: "; }
for x in 1e400 .nan 0x10 1_000 "'7'" 7x 1e -0.5 9007199254740993 99999999999999999999 '[7]' ''; do
    number "replications: $x" "horizons: [10]
replications: $x" replications
done
for x in 0 -1 2.5 1e400 .inf 9007199254740993 1e17; do number "horizon $x" "horizons: [10, $x]" horizons; done
number "horizons in a text" "horizons: [ten]" horizons
number "10,001 horizons" "horizons: {from: 1, to: 10001, step: 1}" 'horizons|step'
number "seed below 0" "horizons: [10]
seed: -1" seed
yaml "10,001 policies" "$arms
policies: [{name: max_ucb, alpha: {from: 0, to: 1000, step: 0.1}}]
horizons: [10]" 'e.yaml:2:[0-9]+: .*10000'
yaml "policies of two sweeps" "$arms
policies: [{name: max_ucb, alpha: {from: 0, to: 10, step: 0.1}, round_offset: {from: 0, to: 100, step: 1}}]
horizons: [10]" 'e.yaml:2:[0-9]+: '
yaml "101 claims" "$arms
$tail
claims: [$(for i in $(seq 101); do printf '{name: c%d, of: pulls, at_most: T}, ' "$i"; done)]" \
    'e.yaml:4:[0-9]+: claims: .*101'
long=$(printf '%5000s' '' | tr ' ' x)
yaml "long title" "title: $long
$arms
$tail" 'e.yaml:1:[0-9]+: title: .*5000'
yaml "long label" "problem: {arms: [{family: uniform, lo: 0, hi: 1, label: ${long:0:101}}]}
$tail" 'e.yaml:1:[0-9]+: label: .*1 to 100 bytes'
yaml "long name" "name: ${long:0:101}
$arms
$tail" 'e.yaml:1:[0-9]+: name: '
yaml "nested 65 deep" "$(printf '%70s' '' | tr ' ' '[')" 'e.yaml:1:[0-9]+: .*64'
yaml "anchors and aliases" "a: &a [x, x, x]
b: &b [*a, *a, *a]
c: &c [*b, *b, *b]" 'e.yaml:1:[0-9]+: .*anchors'
yaml "tags" "name: !!binary aGFsbG8=
$arms
$tail" 'e.yaml:1:[0-9]+: .*tags'
yaml "a key twice" "$arms
seed: 1
seed: 2
$tail" 'e.yaml:3:1: seed: .*line 2'
yaml "a second document" "$arms
$tail
---
name: b" 'e.yaml:[0-9]+:[0-9]+: .*second document'
yaml "tabs for blanks" "problem:
	arms: []" 'e.yaml:2:[0-9]+: '
printf '%s' "$good" | tr '5' '\0' >"$dir/e.yaml"; refused "a NUL byte" 'e.yaml:5:[0-9]+: ' run
printf 'name: \xff\n%s' "$good" >"$dir/e.yaml"; refused "not UTF-8" 'e.yaml:1:[0-9]+: ' run
head -c 70000000 /dev/zero | tr '\0' '#' >"$dir/e.yaml"; refused "70 MB of YAML" 'e.yaml:.*64 MiB' run
refused "a folder as experiment" 'Is a directory' "$maxk" run "$dir" -q -o "$dir/r.h5"
printf '\xef\xbb\xbf%s' "$good" | sed 's/$/\r/' >"$dir/crlf.yaml"
check "a byte order mark and CRLF" "$maxk" run "$dir/crlf.yaml" -q -o "$dir/crlf.h5"
"$maxk" summary --csv "$dir/r.h5" >"$dir/r.csv"
"$maxk" summary --csv "$dir/crlf.h5" >"$dir/crlf.csv"
check "they change nothing" cmp "$dir/r.csv" "$dir/crlf.csv"
mkfifo "$dir/fifo"; printf '%s' "$good" >"$dir/fifo" &
check "an experiment from a FIFO" "$maxk" run "$dir/fifo" -q -o "$dir/fifo.h5"
for c in "summary $dir/r.h5" "summary $dir/r.h5 --csv" --help --version; do
    "$maxk" $c >/dev/full 2>"$dir/err"
    code=$?
    check "$c, a full device as output: exit code 1" equal $code 1
    check "and why" one_line "$dir/err" '^standard output: write failed: No space left on device$'
done
for c in "export $dir/r.h5 --csv" "export $dir/r.h5 --json" "figures $dir/r.h5 -o"; do
    said=$(ulimit -f 0; "$maxk" $c "$dir/full" 2>&1)
    check "$c, files that cannot grow: $said" equal "1 ${said#"$dir/full/"*: }" "$? write failed: File too large"
done
refused "a device as result" '/dev/full' "$maxk" run "$dir/good.yaml" -q -o /dev/full
refused "a folder as result" "$dir" "$maxk" run "$dir/good.yaml" -q -o "$dir"
refused "a FIFO as result file" 'not a regular file' timeout -k 10 10 "$maxk" summary "$dir/fifo"

csv() { # name pattern: $dir/d.csv through an experiment with T = 4
    printf 'problem: {trajectories: %s}\npolicies: [{name: uniform}]\nhorizons: [4]\n' "$dir/${3:-d.csv}" >"$dir/e.yaml"
    refused "$1" "$2" run
}
rows() {
    echo "instance,arm,repetition,iteration,reward"
    for a in x y; do for i in 0 1 2 3; do echo "d,$a,0,$i,0.$i"; done; done
}
rows >"$dir/d.csv"
printf 'problem: {trajectories: %s}\npolicies: [{name: uniform}]\nhorizons: [4]\nname: t\n' "$dir/d.csv" >"$dir/t.yaml"
check "the good trajectory runs" "$maxk" run "$dir/t.yaml" -q -o "$dir/t.h5"
rows | sed '8s/0\.2$/abc/' >"$dir/d.csv"; csv "non-numeric cell" 'd.csv:8:9: reward: '
rows | sed '8s/0\.2$/inf/' >"$dir/d.csv"; csv "infinite reward" 'd.csv:8:9: reward: '
rows | sed '8s/0\.2$/nan/' >"$dir/d.csv"; csv "hole for want of a reward" 'd.csv:9: iteration: '
rows | sed '9s/0\.3$//' >"$dir/d.csv"; csv "end for want of a reward" 'd.csv:.*ends'
rows | sed '9d' >"$dir/d.csv"; csv "ragged trajectory" 'd.csv:8: '
rows | sed '7d' >"$dir/d.csv"; csv "hole in the iterations" 'd.csv:7'
rows | sed '3s/.*/d,x,0,0,0.5/' >"$dir/d.csv"; csv "iteration twice" 'd.csv:3'
rows | sed '1s/reward/rewrad/' >"$dir/d.csv"; csv "missing column" 'd.csv:1.*reward'
rows | sed '5s/,0\.3$//' >"$dir/d.csv"; csv "short row" 'd.csv:5'
for i in $(seq 1 3000); do echo "d,x,$i,0,0.$RANDOM"; done | cat <(rows) - | gzip >"$dir/whole.csv.gz"
head -c 5000 "$dir/whole.csv.gz" >"$dir/d.csv.gz"; csv "truncated gzip" 'd.csv.gz:[0-9]+' d.csv.gz
: >"$dir/d.csv"; csv "empty file" 'd.csv'
rows | sed '5s/0\.3$/1e400/' >"$dir/d.csv"; csv "1e400" 'd.csv:5:9: reward: '
rows | sed '5s/0\.3$/0x1p3/' >"$dir/d.csv"; csv "hexadecimal" 'd.csv:5:9: reward: '
rows | sed '5s/,3,/,9007199254740993,/' >"$dir/d.csv"; csv "iteration beyond 2^53" 'd.csv:5:7: iteration: '
rows | sed '2s/x/a\x1bb/' >"$dir/d.csv"; csv "control character in a name" 'd.csv:2:[0-9]+: arm: '
rows | sed "3s/x/${long:0:101}/" >"$dir/d.csv"; csv "long name of an arm" 'd.csv:3:[0-9]+: arm: .*1 to 100 bytes'
{ rows; printf 'd,"x'; } >"$dir/d.csv"; csv "open quote" 'd.csv:10: .*quoted cell'
{ rows; head -c 1100000 /dev/zero | tr '\0' a; } >"$dir/d.csv"; csv "a row of 1 MB" 'd.csv:10: .*1048576 bytes'
{ printf 'x,%.0s' $(seq 4200); echo; } >"$dir/d.csv"; csv "4201 columns" 'd.csv:1: .*4096'
csv "a folder as recorded runs" 'Is a directory' .
# A series with costs, lengthened (its costs too), and one that cannot be
rows | sed '1s/$/,cost/; 2,$s/$/,2/' >"$dir/d.csv"
printf 'problem: {trajectories: %s, ends_early: hold}\npolicies: [{name: rising_bandit_cost}]\nhorizons: [40]\n' "$dir/d.csv" \
    >"$dir/e.yaml"
check "costs of a lengthened run" "$maxk" run "$dir/e.yaml" -q -o "$dir/held.h5"
refused "lengthened beyond memory" 'd.csv: .*T = 1000000000000 .*32 TB' \
    "$maxk" run "$dir/e.yaml" -q -o "$dir/r.h5" -s horizons=[1e12]
# Many arms: too many are refused for their number alone; the time for those that are allowed is proportional to their
# number (a quadratic algorithm would take 100 times as long for ten times as many; 25 leaves room for noise).
arms() { # number, YAML of each
    printf 'problem:\n  arms:\n'; yes "  - $2" | head -n "$1"; printf 'policies: [{name: uniform}]\nhorizons: [10]\n'
}
arms 1000001 '{}' >"$dir/e.yaml"
refused "10^6 + 1 arms" 'e.yaml:3:[0-9]+: arms: .*1000001' \
    bash -c "ulimit -t 20; exec '$maxk' run '$dir/e.yaml' -q -o '$dir/r.h5'"
TIMEFORMAT='%U %S'
took() { # number of arms; processor milliseconds
    arms "$1" '{family: dirac, x: 0}' >"$dir/e.yaml"
    { time run >/dev/null 2>"$dir/err"; } 2>&1 | awk '{print int(1000 * ($1 + $2)) + 1}'
}
few=$(took 10000) many=$(took 100000)
check "10^5 arms are read" has "$dir/err" 'horizons: .*100000'
check "in time like their number: at most 25 times that of 10^4 ($few ms, $many ms)" [ "$many" -lt $((25 * few)) ]
finish
