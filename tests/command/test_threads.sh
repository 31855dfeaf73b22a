# Results do not depend on the number of threads: h5diff of 1, 2 and 7 threads outside /provenance/volatile.
set -u
maxk=${MAXK:-build/maxk}
command -v h5diff >/dev/null || { echo "skip h5diff (package hdf5-tools) is not installed"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
for case in "e4_power replications=60" "e4_pareto replications=12" "alpha_sweep keep=summary policies.0.alpha=[0,0.1,0.5,2.9]" "e4_gaussian replications=8"; do
    set -- $case
    name=$1; shift
    for j in 1 2 7; do "$maxk" run "experiments/$name.yaml" -q -j $j -o "$dir/$j.h5" "${@/#/--set=}" || bad=1; done
    for j in 2 7; do
        if h5diff --exclude-path /provenance/volatile "$dir/1.h5" "$dir/$j.h5" >"$dir/log" 2>&1 && [ ! -s "$dir/log" ]; then
            echo "ok $name ($*): $j threads equal 1"
        else
            echo "not ok $name ($*): $j threads differ from 1: $(head -n 3 "$dir/log" | tr '\n' ' ')"; bad=1
        fi
    done
done
"$maxk" run experiments/e4_power.yaml -q -o "$dir/seed.h5" -s replications=60 -s seed=43
"$maxk" run experiments/e4_power.yaml -q -o "$dir/1.h5" -s replications=60
if h5diff --exclude-path /provenance "$dir/1.h5" "$dir/seed.h5" >/dev/null 2>&1; then
    echo "not ok another seed gives another result"; bad=1
else
    echo "ok another seed gives another result"
fi
exit $bad
