"""maxk bench: sections can be chosen, the CSV has every cell, ratios are those of its rates."""
import glob
import os
import re
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, ordinary_build_only, refused, rows, run

HEADER = "section,item,value,unit,plain_loop,ratio,elsewhere,factor,target,met"
POLICIES = len(re.findall(r"^POLICY\(", open("policies/list.def").read(), re.M))
OPTIMIZERS = re.findall(r"^OPTIMIZER\((.*)\)", open("sim/search/optimizers/list.def").read(), re.M)


def bench(text, *sections, env=None):
    only = [word for name in sections for word in ("--only", name)]
    return run("bench", "--quick", "--seconds", "0.001", "--csv", *only, env=env, text=text)


def positive(row, *columns):
    return all(float(row[name]) > 0 for name in columns)


def two_sections():
    text = bench("two sections", "w1", "record")
    table = rows(text)
    check(text.splitlines()[0] == HEADER, "header")
    check({r["section"] for r in table} == {"record", "w1"}, "these sections alone")
    check(sum(bool(re.match('record,"*max_ucb.*rate', line)) for line in text.splitlines()) == 10,
          "T = 10^3 … 10^12 on the record engine")
    check(all(len(r) == 10 and None not in r and None not in r.values() for r in table) and any(r["met"] for r in table)
          and all(positive(r, "value", "plain_loop") for r in table if r["value"]), "positive rates")


def registries():
    check(sum(r["section"] == "policies" for r in rows(bench("every policy has a row", "policies"))) == POLICIES,
          "as many as the registry")
    table = rows(bench("the lower level", "lower"))
    check(len(OPTIMIZERS) >= 5 and all(any(r["item"].split(",")[0] == name and positive(r, "value") and r["unit"] in ("ms", "us")
                                           for r in table) for name in OPTIMIZERS), "takes a positive time for every optimiser")


def whole_runs():
    text = bench("whole runs, analysis, memory", "alpha", "threads", "analysis", "memory")
    check("2 threads against one, results byte-identical" in text, "all threads give the same bytes")
    check("DIFFER" not in text, "in every case")
    rates = [r for r in rows(text) if r["unit"].startswith("M ") or r["unit"].endswith("/s")]
    sections = [r["section"] for r in rates]
    alpha = [r for r in rates if r["section"] == "alpha"]
    check(sections.count("analysis") == 3 and set(sections) == {"alpha", "threads", "analysis"}
          and all(positive(r, "value", "plain_loop", "ratio") for r in rates)
          and all(abs(float(r["value"]) / float(r["plain_loop"]) / float(r["ratio"]) - 1) < 1e-3 for r in alpha),
          "what takes time has a rate, and its ratio to a plain loop")


def shards(d):
    os.mkdir(f"{d}/place")
    table = rows(bench("shards", "shards", env={**os.environ, "TMPDIR": f"{d}/place"}))
    value = {r["item"]: float(r["value"]) for r in table}
    check(all(value.get(name, 0) > 0 for name in (
        "1 shard: simulation", "1 shard: simulation and writing parts", "1 shard: merge", "merge, fixed",
        "merge, per cell of a replication")),
          "rates of one and more shards, and a merge that takes time")
    check(not os.listdir(f"{d}/place"), "nothing is left of them")


def scaling(d):
    table = rows(run("bench", "--quick", "--seconds", "0.001", "--csv", "--scaling", "--out", f"{d}/figures",
                     text="time per pull against T and K"))
    names = {r["policy"] for r in table}
    good = len(names) == POLICIES - 1 and all(positive(r, "ns_per_pull") for r in table)  # bayes_max needs candidates
    good &= len({r["horizon"] for r in table if r["arms"] == "5"}) >= 4
    for name in names:
        of = [r for r in table if r["policy"] == name and r["arms"] != "5"]
        good &= [r["arms"] for r in of] == ["10", "100", "1000"][:len(of)] and len(of) >= 2
        good &= all(int(r["horizon"]) == 4 * int(r["arms"]) for r in of)
    check(good and sum(r["arms"] == "1000" for r in table) >= POLICIES / 2, "of every policy, at several T and K")
    for pattern, text in (("bench_scaling_[!a]*.png", "three figures against T"),
                          ("bench_scaling_arms_*.png", "three against K")):
        check(sum(os.path.getsize(path) > 5120 for path in glob.glob(f"{d}/figures/{pattern}")) == 3, text)


ordinary_build_only("speeds")
with folder() as d:
    two_sections()
    registries()
    whole_runs()
    shards(d)
    scaling(d)
said = refused("an unknown section", "nothing", "bench", "--only", "nothing")
check(said.startswith("maxk bench: --only: "), "it names the option")
finish()
