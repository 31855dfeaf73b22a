#!/bin/bash
# maxk bench: sections can be chosen, the CSV has every cell, ratios are those of its rates.
set -u
maxk=${MAXK:-build/maxk}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
check() { # check DESCRIPTION COMMAND…
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then echo "ok $what"; else echo "not ok $what"; head -n 3 "$work/log"; failed=1; fi
}
run() { "$maxk" bench --quick --seconds 0.001 --csv "$@" >"$work/out.csv"; }

check "two sections" run --only w1 --only record
check "header" grep -qx 'section,item,value,unit,plain_loop,ratio,elsewhere,factor,target,met' <(head -n 1 "$work/out.csv")
check "these sections alone" test "$(tail -n +2 "$work/out.csv" | cut -d, -f1 | sort -u | xargs)" = "record w1"
check "T = 10^3 … 10^12 on the record engine" test "$(grep -c '^record,"*max_ucb.*rate' "$work/out.csv")" -eq 10
check "positive rates" python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert all(len(r) == 10 and None not in r for r in rows)
assert all(float(r["value"]) > 0 and float(r["plain_loop"]) > 0 for r in rows if r["value"])
assert any(r["met"] for r in rows)' "$work/out.csv"
check "every policy has a row" run --only policies
check "as many as the registry" test "$(grep -c '^policies,' "$work/out.csv")" -eq "$(grep -c '^POLICY(' policies/list.def)"
check "whole runs, analysis, memory" run --only alpha --only threads --only analysis --only memory
check "all threads give the same bytes" bash -c 'grep -q "2 threads against one, results byte-identical" "$1" && ! grep -q DIFFER "$1"' - "$work/out.csv"
check "what takes time has a rate, and its ratio to a plain loop" python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["unit"].startswith("M ") or r["unit"].endswith("/s")]
assert [r["section"] for r in rows].count("analysis") == 3 and {r["section"] for r in rows} == {"alpha", "threads", "analysis"}
assert all(min(float(r[c]) for c in ("value", "plain_loop", "ratio")) > 0 for r in rows)
assert all(abs(float(r["value"]) / float(r["plain_loop"]) / float(r["ratio"]) - 1) < 1e-3 for r in rows if r["section"] == "alpha")' "$work/out.csv"
check "shards" run --only shards
check "rates of one and more shards, and a merge that takes time" python3 -c '
import csv, sys
rows = {r["item"]: float(r["value"]) for r in csv.DictReader(open(sys.argv[1]))}
assert rows["1 shard: simulation"] > 0 and rows["1 shard: simulation and writing parts"] > 0 and rows["1 shard: merge"] > 0
assert rows["merge, fixed"] > 0 and rows["merge, per cell of a replication"] > 0' "$work/out.csv"
check "nothing is left of them" test -z "$(find /tmp -maxdepth 1 -name "maxk-bench-*" -newer "$work/out.csv")"
check "time per pull against T" run --scaling --out "$work/figures"
check "of every policy, at several T" python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len({r["policy"] for r in rows}) == int(sys.argv[2]), rows[0]
assert len({r["horizon"] for r in rows}) >= 4 and all(float(r["ns_per_pull"]) > 0 for r in rows)' "$work/out.csv" "$(grep -c '^POLICY(' policies/list.def)"
check "three figures" test "$(find "$work/figures" -name "bench_scaling_*.png" -size +5k | wc -l)" -eq 3
check "an unknown section is refused" bash -c '"$1" bench --only nothing 2>&1 | grep -q "unknown section .nothing."; [ "${PIPESTATUS[0]}" -eq 2 ]' - "$maxk"
exit $failed
