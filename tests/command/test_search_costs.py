"""Evaluations in part differ in cost: a result holds what its pulls cost, regardless of threads and shards, the same as their
recording; policies that know of costs see them; rank --budget compares at equal cost."""
import csv
import os
import re
import shutil
import subprocess
import sys

import h5py

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, run, write

LIVE = """name: c
problem:
  instances: 3
  searches:
    - {repeat: 3, objective: {name: kfold, arm: "{i}"}, optimizer: {name: hyperband, R: 10}, label: "arm {i}"}
    - {objective: {name: kfold, arm: 3}, optimizer: random, label: whole, cost: 2}
combined:
  - {optimizer: {name: successive_halving, n: 9, R: 10}, label: joint}
"""
REPLAY = "name: c\nproblem: {trajectories: r.csv, arm_order: file, columns: {loss: loss_seen}}\n"
POLICIES = """policies: [{name: max_ucb, alpha: 0.5}, uniform, {name: rising_bandit_cost, budget: 40}]
horizons: {from: 4, to: 120, step: 4}
"""
ARMS = """name: a
problem: {arms: [{family: uniform, lo: 0, hi: 1, cost: 3}, {family: uniform, lo: 0, hi: 0.5}]}
policies: [uniform, random]
horizons: [10, 20, 30]
replications: 4
"""


def table(path):
    with open(path) as f:
        return list(csv.reader(f))


def same(a, b):
    """Equal results but for what is volatile, and h5diff can compare all of them."""
    done = subprocess.run(["h5diff", "--exclude-path", "/provenance/volatile", a, b], capture_output=True, text=True)
    return os.path.getsize(a) > 0 and done.returncode == 0 and not done.stdout and not done.stderr


def live():
    for j in "13":
        run("run", "c.yaml", "-q", "-j", j, "-o", f"{j}.h5", text=f"runs on {j} threads")
    check(same("1.h5", "3.h5"), "3 threads equal 1")
    for i in "12":
        run("run", "c.yaml", "-q", "--shard", f"{i}/2", "-j", "1", "-o", f"{i}.part", text=f"shard {i} of 2")
    run("merge", "2.part", "1.part", "-o", "m.h5", text="merged")
    check(same("1.h5", "m.h5"), "the parts make the same result")
    run("export", "1.h5", "--csv", "1", text="exported")


def recorded():
    """What 4 rounds of round robin and 120 evaluations of the joint search cost, by the recording."""
    run("record", "c.yaml", "-o", "r.csv", text="recorded")
    record, cost = table("r.csv")[1:], table("1/cost.csv")[1:]

    def total(joint, pulls):  # of the recorded searches, instance 1, repetition 2
        return sum(float(r[7]) for r in record
                   if r[0] == "1" and r[4] == "2" and int(r[5]) < pulls and (r[1] == "-1" if joint else float(r[1]) >= 0))

    def stored(policy, horizon):
        return [f"{float(r[4]):.9f}" for r in cost if r[:4] == [policy, "1", str(horizon), "2"]]
    for text, policy, horizon, joint, pulls in (("the cost of round robin", "uniform", 16, False, 4),
                                                ("of all of it", "uniform", 120, False, 30),
                                                ("of a combined search", "joint", 120, True, 120)):
        check(stored(policy, horizon) == [f"{total(joint, pulls):.9f}"], text)
    check(any(re.match('"0",3,"whole","random",0,5,[-0-9.e]+,2,', line) for line in open("r.csv")),
          "whole evaluations of the dear arm cost 2")
    # Its last pull, which costs 2 at most, may take longer than what is left.
    spent = [float(r[4]) for r in cost if r[0].startswith("rising") and r[2] == "120"]
    check(len(spent) == 9 and all(40 - 1e-9 <= x < 42 for x in spent), f"a policy with a budget spends it: {spent}")


def replayed():
    run("run", "r.yaml", "-q", "-o", "r.h5", text="the recording runs")
    run("export", "r.h5", "--csv", "r", text="exported too")
    pulls = [[line for line in open(f"{name}/pulls.csv") if not line.startswith("joint")] for name in "1r"]
    check(pulls[0] == pulls[1] and len(pulls[0]) > 1, "the replay pulls the same")
    rank = [run("rank", f"{name}.h5", "--csv", "--budget", "5,20.1,30", "--loss", "reached", text=text).replace("joint (-1)",
                                                                                                            "joint")
            for name, text in (("1", "ranks at equal cost"), ("r", "of the recording"))]
    check(rank[0] == rank[1], "are the same")
    check(rank[0].count("\n") == 13, "and those of four entries at three budgets")
    own = run("rank", "1.h5", "--csv", "--budget", "20", "--arm-cost", "whole=1", text="costs of arms in their place")
    pulls = run("rank", "1.h5", "--csv", "--horizon", "20")
    # But for mean_incumbent, the last column.
    check(sorted(line.split(",")[2:] for line in own.splitlines()[1:]) ==
          sorted(line.split(",")[2:-1] for line in pulls.splitlines()[1:]), "a cost of 1 each: the horizon")


def at_equal_cost():
    shutil.copy("3.h5", "none.h5")
    with h5py.File("none.h5", "r+") as f:  # without costs budgets would be numbers of pulls
        for policy in f["policies"].values():
            del policy["cost"]
    refused("a result without costs", "has no costs", "rank", "none.h5", "--budget", "20")
    # The curves of ranks have a version at equal cost; its last point is the largest cost that all reach.
    run("figures", "1.h5", "-o", "figures", "-f", "svg", "--only", "rank", text="figures")
    check(re.search("cost .whole evaluations.", open("figures/c_cost_rank.gp").read()), "ranks against cost")
    x = [line.split()[0] for line in open("figures/c_cost_rank.dat") if line.strip() and line[0] != "#"]
    least = min(float(r[4]) for r in table("1/cost.csv")[1:] if r[2] == "120")
    check(f"{float(x[-1]):.4f}" == f"{least:.4f}", "up to what all have spent")


def arms():
    """Arms that are distributions have costs too."""
    run("run", "a.yaml", "-q", "-o", "a.h5", text="arms with costs run")
    at_cost = run("rank", "a.h5", "--csv", "--budget", "40", text="and are ranked at equal cost")
    check(at_cost == run("rank", "a.h5", "--csv", "--budget", "40", "--arm-cost", "arm 0=3"), "as by costs of arms")


with folder() as d:
    os.chdir(d)
    write("c.yaml", LIVE + POLICIES + "replications: 3\n")
    write("r.yaml", REPLAY + POLICIES)
    write("a.yaml", ARMS)
    live()
    recorded()
    replayed()
    at_equal_cost()
    arms()
finish()
