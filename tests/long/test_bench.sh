#!/bin/bash
# maxk bench: sections can be chosen, the CSV has every cell, ratios are those of its rates.
. tests/support/lib.sh
ordinary_build_only "speeds"
run() { "$maxk" bench --quick --seconds 0.001 --csv "$@" >"$dir/out.csv"; }
sections() { tail -n +2 "$dir/out.csv" | cut -d, -f1 | sort -u | xargs; }
policies=$(grep -c '^POLICY(' policies/list.def)

check "two sections" run --only w1 --only record
header=section,item,value,unit,plain_loop,ratio,elsewhere,factor,target,met
check "header" equal "$(head -n 1 "$dir/out.csv")" $header
check "these sections alone" equal "$(sections)" "record w1"
check "T = 10^3 … 10^12 on the record engine" equal "$(grep -c '^record,"*max_ucb.*rate' "$dir/out.csv")" 10
check "positive rates" python - "$dir/out.csv" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert all(len(r) == 10 and None not in r for r in rows)
assert all(float(r["value"]) > 0 and float(r["plain_loop"]) > 0 for r in rows if r["value"])
assert any(r["met"] for r in rows)
PY
check "every policy has a row" run --only policies
check "as many as the registry" equal "$(grep -c '^policies,' "$dir/out.csv")" "$policies"
check "the lower level" run --only lower
check "takes a positive time for every optimiser" python - "$dir/out.csv" <<'PY'
import csv, re, sys
rows = list(csv.DictReader(open(sys.argv[1])))
optimizers = re.findall(r"^OPTIMIZER\((.*)\)", open("sim/search/optimizers/list.def").read(), re.M)
assert len(optimizers) >= 5
for name in optimizers:
    assert any(r["item"].split(",")[0] == name and float(r["value"]) > 0 and r["unit"] in ("ms", "us") for r in rows), name
PY
check "whole runs, analysis, memory" run --only alpha --only threads --only analysis --only memory
check "all threads give the same bytes" has "$dir/out.csv" "2 threads against one, results byte-identical"
check "in every case" lacks "$dir/out.csv" DIFFER
check "what takes time has a rate, and its ratio to a plain loop" python - "$dir/out.csv" <<'PY'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["unit"].startswith("M ") or r["unit"].endswith("/s")]
assert [r["section"] for r in rows].count("analysis") == 3 and {r["section"] for r in rows} == {"alpha", "threads", "analysis"}
assert all(min(float(r[c]) for c in ("value", "plain_loop", "ratio")) > 0 for r in rows)
alpha = [r for r in rows if r["section"] == "alpha"]
assert all(abs(float(r["value"]) / float(r["plain_loop"]) / float(r["ratio"]) - 1) < 1e-3 for r in alpha)
PY
mkdir "$dir/place"
export TMPDIR=$dir/place
check "shards" run --only shards
check "rates of one and more shards, and a merge that takes time" python - "$dir/out.csv" <<'PY'
import csv, sys
rows = {r["item"]: float(r["value"]) for r in csv.DictReader(open(sys.argv[1]))}
assert rows["1 shard: simulation"] > 0 and rows["1 shard: simulation and writing parts"] > 0 and rows["1 shard: merge"] > 0
assert rows["merge, fixed"] > 0 and rows["merge, per cell of a replication"] > 0
PY
check "nothing is left of them" equal "$(ls -A "$dir/place")" ""
unset TMPDIR
check "time per pull against T and K" run --scaling --out "$dir/figures"
check "of every policy, at several T and K" python - "$dir/out.csv" "$policies" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len({r["policy"] for r in rows}) == int(sys.argv[2]) - 1, rows[0]  # bayes_max needs candidates
assert all(float(r["ns_per_pull"]) > 0 for r in rows)
assert len({r["horizon"] for r in rows if r["arms"] == "5"}) >= 4
for policy in {r["policy"] for r in rows}:
    of = [r for r in rows if r["policy"] == policy and r["arms"] != "5"]
    assert [r["arms"] for r in of] == ["10", "100", "1000"][: len(of)] and len(of) >= 2, of
    assert all(int(r["horizon"]) == 4 * int(r["arms"]) for r in of), of
assert sum(r["arms"] == "1000" for r in rows) >= int(sys.argv[2]) / 2
PY
check "three figures against T" equal "$(find "$dir/figures" -name "bench_scaling_[!a]*.png" -size +5k | wc -l)" 3
check "three against K" equal "$(find "$dir/figures" -name "bench_scaling_arms_*.png" -size +5k | wc -l)" 3
refused "an unknown section" "^maxk bench: --only: .*nothing" "$maxk" bench --only nothing
finish
