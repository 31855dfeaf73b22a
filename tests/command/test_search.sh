#!/bin/bash
# maxk search: finds what a grid finds, is a function of its seed, and what it writes reproduces what it reports.
. tests/support/lib.sh

cat >"$dir/two.yaml" <<'END'
name: two
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3.8, s: 1.012}]}
policies: [{name: max_ucb, alpha: 0.5}]
horizons: [1000, 100000]
END
search() { "$maxk" search "$dir/two.yaml" --csv --evaluations 40 --replications 200 --confirm 2000 "$@"; }

check "a search over alpha" into "$dir/a" search -v policies.0.alpha=0.05:2 -o "$dir/worst.yaml"
check "a header, what was searched and what was confirmed" equal "$(wc -l <"$dir/a")" 3
check "on one thread" into "$dir/b" search -v policies.0.alpha=0.05:2 -o "$dir/again.yaml" -j 1
check "the same numbers" cmp "$dir/a" "$dir/b"
check "the same experiment" cmp "$dir/worst.yaml" "$dir/again.yaml"

# The same replications and seed on a grid of 60 alphas: the search must come within 2 % of its best.
check "a grid of alphas" "$maxk" run "$dir/two.yaml" -o "$dir/grid.h5" -q --engine record -s replications=200 -s seed=42 \
    -s 'policies=[{name: max_ucb, alpha: {from: 0.05, to: 2, step: 0.033}}]'
check "its bounds" into "$dir/grid.csv" "$maxk" bounds "$dir/grid.h5" --variant sum --csv
check "no worse than a grid of 60 alphas" python - "$dir/a" "$dir/grid.csv" <<'PY'
import csv, sys
found = float(list(csv.DictReader(open(sys.argv[1])))[0]["observed/bound"])
grid = max(float(r["mean_pulls"]) / float(r["bound"]) for r in csv.DictReader(open(sys.argv[2])))
assert found >= 0.98 * grid and grid > 0.5, (found, grid)
PY

check "the experiment it writes runs" "$maxk" run "$dir/worst.yaml" -o "$dir/worst.h5" -q --engine record
check "its bounds" into "$dir/worst.csv" "$maxk" bounds "$dir/worst.h5" --variant sum --csv
check "it gives the confirmed numbers, bit for bit: a violation" python - "$dir/a" "$dir/worst.csv" <<'PY'
import csv, sys
said = list(csv.DictReader(open(sys.argv[1])))[1]
rows = [r for r in csv.DictReader(open(sys.argv[2])) if r["horizon"] == said["horizon"] and r["arm"] == said["arm"]]
assert len(rows) == 1 and all(rows[0][k] == said[k] for k in ("alpha", "bound", "mean_pulls", "ci_low", "ci_high", "verdict"))
assert said["verdict"] == "violated"
PY

check "three dimensions" into "$dir/c" \
    search -v policies.0.alpha=0.1:1 -v problem.arms.1.a=2:6 -v problem.arms.1.s=1.005:1.1 -o "$dir/three.yaml"
check "are confirmed" has "$dir/c" '^confirmed,'
check "the text form" into "$dir/c" \
    "$maxk" search "$dir/two.yaml" --evaluations 20 --replications 100 --confirm 100 -v policies.0.alpha=0.05:2 -o "$dir/w.yaml"
check "names what was varied" has "$dir/c" 'policies.0.alpha = .*\(0.05 to 2\)'

# Other targets: Proposition 4.1 and claims of the file, an upper bound, a lower bound and one on the regret.
cat >"$dir/own.yaml" <<'END'
name: own
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3.8, s: 1.012}]}
policies: [{name: max_ucb, alpha: 0.5}, {name: ucb}]
horizons: [100, 300]
claims:
  - {name: upper, of: pulls, at_most: 3 * alpha * log(T) / sqrt(gap_endpoint), policy: max_ucb}
  - {name: lower, of: pulls, at_least: 0.9 * alpha * log(T) / sqrt(gap_endpoint), policy: max_ucb}
  - {name: rate, of: regret, at_most: 0.05 * log(T) / sqrt(T)}
END
target() { # VARIANT of maxk bounds, COLUMN of the ratio, options…: the experiment written gives the confirmed row
    local variant=$1 column=$2
    shift 2
    rm -f "$dir"/t{,.yaml,.h5,.csv}
    check "a search for $*" into "$dir/t" "$maxk" search "$dir/own.yaml" --csv --evaluations 15 --replications 100 --confirm 500 \
        -v policies.0.alpha=0.05:2 -v problem.arms.1.a=2:8 -o "$dir/t.yaml" "$@"
    check "its experiment" "$maxk" run "$dir/t.yaml" -o "$dir/t.h5" -q \
        --engine "$(sed -n '2s/.*--engine \([a-z]*\).*/\1/p' "$dir/t.yaml")"
    check "and bounds" into "$dir/t.csv" "$maxk" bounds "$dir/t.h5" --variant "$variant" --csv
    check "worst case of $*: reproduced" python - "$dir/t" "$dir/t.csv" "$column" <<'PY'
import csv, sys
said = list(csv.DictReader(open(sys.argv[1])))[1]
seen = said.get("mean_pulls") or said["regret"]
assert any(r["policy"] == said["policy"] and r["horizon"] == said["horizon"] and r["arm"] == said["arm"] and
           r["mean_pulls"] == seen and all(r[k] == said[k] for k in ("bound", "ci_low", "ci_high", "verdict"))
           for r in csv.DictReader(open(sys.argv[2]))), said
ratio = float(seen) / float(said["bound"])
assert abs(float(said[sys.argv[3]]) / (ratio if sys.argv[3] == "observed/bound" else 1 / ratio) - 1) < 1e-12
PY
}
target proposition observed/bound --variant proposition
target claims observed/bound --claim upper
target claims bound/observed --claim lower
target claims observed/bound --claim rate
target crossing bound/observed --variant crossing --loosest -s 'policies=[{name: max_ucb, alpha: 0.5}]'

# Nothing is written then.
unharmed() { [ ! -e "$dir/no.yaml" ]; }
search_refused() { # PATTERN, options
    local pattern=$1
    shift
    refused "refused" "$pattern" "$maxk" search "$dir/two.yaml" --evaluations 5 -o "$dir/no.yaml" "$@"
}
search_refused '^maxk search: --vary: .*got 0'
search_refused '^maxk search: --vary: .*KEY=LO:HI' -v policies.0.alpha=2:1
search_refused '^maxk search: --vary: .*KEY=LO:HI' -v policies.0.alpha
search_refused 'beta' -v policies.0.beta=1:2
search_refused 'the bound is about max_ucb' -v policies.0.epsilon=.1:.2 -s 'policies=[{name: epsilon_greedy}, {name: uniform}]'
search_refused "claims: .*'mine'" -v policies.0.alpha=1:2 --claim mine
search_refused 'does not apply to any arm' -v policies.0.alpha=1:2 -s 'problem.arms.0={family: exponential, mean: 1}'
finish
