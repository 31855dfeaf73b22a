# maxk rate and the rare-event estimates on the command line: columns, files, threads, refusals.
set -u
maxk=$(realpath "${MAXK:-build/maxk}")
root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
check() { # check DESCRIPTION COMMAND…
    local what=$1; shift
    if "$@" >log 2>&1; then echo "ok $what"; else echo "not ok $what: $(head -n 2 log | tr '\n' ' ')"; bad=1; fi
}
refused() { # refused WHAT COMMAND…: exit code 2, one line of error that says WHAT
    local says=$1; shift
    "$@" >out 2>err
    [ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -- "$says" err
}
yaml=$root/experiments/asymptotics.yaml

check "a run with rare events" "$maxk" run "$yaml" -q -o 1.h5 -j 1 -s replications=300 -s rare_events=3000
check "the same with three threads" "$maxk" run "$yaml" -q -o 3.h5 -j 3 -s replications=300 -s rare_events=3000
if command -v h5diff >/dev/null; then
    check "the same file" h5diff --exclude-path /provenance/volatile 1.h5 3.h5
else
    echo "skip h5diff (package hdf5-tools) is not installed"
fi
check "rate" "$maxk" rate 1.h5 --resamples 50
cp log rate.txt
check "rate shows the claim of the first arm" grep -Eq 'max_ucb +0 +2\.91557 .*0\.706656 .*0\.293344' rate.txt
check "typical pulls grow like log T" grep -Eq 'N of arm 0 +median +a log T' rate.txt
check "mean pulls grow like a power" grep -Eq 'N of arm 0 +rare mean +a T\^c' rate.txt
"$maxk" rate 1.h5 --resamples 50 --csv >1.csv 2>&1
OMP_NUM_THREADS=3 "$maxk" rate 1.h5 --resamples 50 --csv >3.csv 2>&1
check "the same bits for any number of threads" cmp 1.csv 3.csv
header=policy,instance,quantity,arm,statistic,model,chosen,points,a,a_low,a_high,c,c_low,c_high,aicc,interval
check "columns of --csv" test "$(head -n 1 1.csv)" = "$header,claim_slope,claim_exponent,claim_exponent_joint"
check "one chosen model of three" awk -F, 'NR > 1 {n++; chosen += $7} END {exit !(n > 20 && n == 3 * chosen)}' 1.csv
# T^(1-c) is approached from above, since c(x) is least at one x alone: the fit lies above 1 - c = .293 and below .45.
check "the exponent of the rare mean" awk -F, '$4 == 0 && $5 == "rare mean" && $6 == "a T^c" {
    n++; good = $12 > 0.293 && $12 < 0.45} END {exit !(n == 1 && good)}' 1.csv
check "an interval around every constant" awk -F, 'NR > 1 && !($10 <= $9 && $9 <= $11) {exit 1}' 1.csv
"$maxk" rate 1.h5 --from 1e6 --to 1e9 --resamples 0 --csv >part.csv 2>&1
check "some horizons alone" awk -F, '$3 == "pulls" {n++; seven += $8 == 7} END {exit !(n > 20 && n == seven)}' part.csv
check "summary shows the estimates" sh -c "'$maxk' summary 1.h5 | grep -q 'effective lock-outs'"
check "export writes them" "$maxk" export 1.h5 --csv csv
check "a row per horizon and arm" test "$(wc -l <csv/rare.csv)" -eq 106
check "figures of growth" "$maxk" figures 1.h5 --out fig
for name in growth_max_ucb_arm0 growth_max_ucb_arm3 lock_out_max_ucb; do
    check "figure $name" test -s "fig/asymptotics_$name.png" -a -s "fig/asymptotics_$name.gp"
done
regret=fig/asymptotics_regret
check "regret on a log axis" grep -q '^set logscale y' $regret.gp
check "it says that points are left out" grep -q 'significantly above 0 omitted' $regret.gp
check "those within their error of 0, of the plain mean alone" awk '/^# curve/ {rare = /rare events$/; curves++; next}
    /^#/ || NF < 4 {next} rare {n++; bad += !($3 > 0)} !rare {shown += $2 != "NaN"; bad += $2 != "NaN" && !($3 > 0)}
    END {exit !(curves == 2 && n == 21 && !bad && shown >= 2 && shown < 21)}' $regret.dat

check "without rare events and pulls" "$maxk" run "$yaml" -q -o 0.h5 -s replications=100 -s rare_events=0 -s keep=summary
check "rate of such a file" "$maxk" rate 0.h5
cp log plain.txt
check "it says how intervals were found" grep -q 'as if the horizons were independent' plain.txt
check "no rare mean" sh -c "! grep -q '  rare mean' plain.txt"
check "summary without estimates" sh -c "! '$maxk' summary 0.h5 | grep -q lock-out"
check "too few horizons" "$maxk" run "$yaml" -q -o few.h5 -s 'horizons=[100, 200]' -s replications=5 -s rare_events=0
check "are refused" refused 'few.h5: .*got 2' "$maxk" rate few.h5
check "another policy is refused" refused 'rare_events: .*policy uniform' \
    "$maxk" run "$yaml" -q -o no.h5 -s 'policies=[uniform]'
check "unbounded arms are refused" refused 'rare_events: .*arm 0' \
    "$maxk" run "$root/experiments/e4_pareto.yaml" -q -o no.h5 -s rare_events=10 -s 'policies=[max_ucb]'
check "a fraction is refused" refused 'rare_events' "$maxk" run "$yaml" -q -o no.h5 -s rare_events=0.5
check "unknown policy" refused "no policy 'x'" "$maxk" rate 1.h5 --policy x
exit $bad
