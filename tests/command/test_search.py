"""maxk search: finds what a grid finds, is a function of its seed, and what it writes reproduces what it reports."""
import os
import re
import sys

sys.path.insert(0, "tests/support")
from lib import check, close, finish, folder, refused, rows, run, write

TWO = """name: two
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3.8, s: 1.012}]}
policies: [{name: max_ucb, alpha: 0.5}]
horizons: [1000, 100000]
"""
# An upper bound, a lower bound and one on the regret.
OWN = """name: own
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3.8, s: 1.012}]}
policies: [{name: max_ucb, alpha: 0.5}, {name: ucb}]
horizons: [100, 300]
claims:
  - {name: upper, of: pulls, at_most: 3 * alpha * log(T) / sqrt(gap_endpoint), policy: max_ucb}
  - {name: lower, of: pulls, at_least: 0.9 * alpha * log(T) / sqrt(gap_endpoint), policy: max_ucb}
  - {name: rate, of: regret, at_most: 0.05 * log(T) / sqrt(T)}
"""
ALPHA = ("-v", "policies.0.alpha=0.05:2")


def search(text, *options):
    return run("search", "two.yaml", "--csv", "--evaluations", "40", "--replications", "200", "--confirm", "2000", *options,
               text=text)


def same_seed_and_grid():
    found = search("a search over alpha", *ALPHA, "-o", "worst.yaml")
    check(found.count("\n") == 3, "a header, what was searched and what was confirmed")
    check(search("on one thread", *ALPHA, "-o", "again.yaml", "-j", "1") == found, "the same numbers")
    check(open("worst.yaml").read() == open("again.yaml").read(), "the same experiment")
    # The same replications and seed on a grid of 60 alphas: the search must come within 2 % of its best.
    run("run", "two.yaml", "-o", "grid.h5", "-q", "--engine", "record", "-s", "replications=200", "-s", "seed=42", "-s",
        "policies=[{name: max_ucb, alpha: {from: 0.05, to: 2, step: 0.033}}]", text="a grid of alphas")
    bounds = rows(run("bounds", "grid.h5", "--variant", "sum", "--csv", text="its bounds"))
    best, grid = float(rows(found)[0]["observed/bound"]), max(float(r["mean_pulls"]) / float(r["bound"]) for r in bounds)
    check(best >= 0.98 * grid and grid > 0.5, f"no worse than a grid of 60 alphas: {best}, {grid}")
    run("run", "worst.yaml", "-o", "worst.h5", "-q", "--engine", "record", text="the experiment it writes runs")
    bounds = rows(run("bounds", "worst.h5", "--variant", "sum", "--csv", text="its bounds"))
    said = rows(found)[1]
    of = [r for r in bounds if r["horizon"] == said["horizon"] and r["arm"] == said["arm"]]
    check(len(of) == 1 and said["verdict"] == "violated" and all(
        of[0][k] == said[k] for k in ("alpha", "bound", "mean_pulls", "ci_low", "ci_high", "verdict")),
          "it gives the confirmed numbers, bit for bit: a violation")


def several():
    found = search("three dimensions", "-v", "policies.0.alpha=0.1:1", "-v", "problem.arms.1.a=2:6", "-v",
                   "problem.arms.1.s=1.005:1.1", "-o", "three.yaml")
    check(re.search("^confirmed,", found, re.M), "are confirmed")
    said = run("search", "two.yaml", "--evaluations", "20", "--replications", "100", "--confirm", "100", *ALPHA, "-o", "w.yaml",
               text="the text form")
    check(re.search(r"policies.0.alpha = .*\(0.05 to 2\)", said), "names what was varied")


def target(variant, column, *options):
    """VARIANT of maxk bounds, COLUMN of the ratio: the experiment that is written gives the confirmed row."""
    name = " ".join(options)
    for path in ("t.yaml", "t.h5"):
        if os.path.exists(path):
            os.remove(path)
    said = rows(run("search", "own.yaml", "--csv", "--evaluations", "15", "--replications", "100", "--confirm", "500", *ALPHA,
                    "-v", "problem.arms.1.a=2:8", "-o", "t.yaml", *options, text=f"a search for {name}"))[1]
    engine = re.search("--engine ([a-z]*)", open("t.yaml").read().splitlines()[1])[1]
    run("run", "t.yaml", "-o", "t.h5", "-q", "--engine", engine, text="its experiment")
    bounds = rows(run("bounds", "t.h5", "--variant", variant, "--csv", text="and bounds"))
    seen = said.get("mean_pulls") or said["regret"]
    equal = ("policy", "horizon", "arm", "bound", "ci_low", "ci_high", "verdict")
    found = any(r["mean_pulls"] == seen and all(r[k] == said[k] for k in equal) for r in bounds)
    ratio = float(seen) / float(said["bound"])
    check(found and close(float(said[column]) / (ratio if column == "observed/bound" else 1 / ratio), 1),
          f"worst case of {name}: reproduced")


def wrong_use():
    def search_refused(begin, part, *options):
        said = refused(f"refused: {part}", part, "search", "two.yaml", "--evaluations", "5", "-o", "no.yaml", *options)
        check(said.startswith(begin) and not os.path.exists("no.yaml"), "where it is, and nothing is written")
    vary = "maxk search: --vary: "
    search_refused(vary, "got 0")
    search_refused(vary, "KEY=LO:HI", "-v", "policies.0.alpha=2:1")
    search_refused(vary, "KEY=LO:HI", "-v", "policies.0.alpha")
    search_refused("", "beta", "-v", "policies.0.beta=1:2")
    search_refused("", "the bound is about max_ucb", "-v", "policies.0.epsilon=.1:.2", "-s",
                   "policies=[{name: epsilon_greedy}, {name: uniform}]")
    said = refused("a claim that is not there", "'mine'", "search", "two.yaml", "--evaluations", "5", "-o", "no.yaml", "-v",
                   "policies.0.alpha=1:2", "--claim", "mine")
    check(re.search("claims: .*'mine'", said) and not os.path.exists("no.yaml"), "it names the claims, and nothing is written")
    search_refused("", "does not apply to any arm", "-v", "policies.0.alpha=1:2", "-s",
                   "problem.arms.0={family: exponential, mean: 1}")


with folder() as d:
    os.chdir(d)
    write("two.yaml", TWO)
    write("own.yaml", OWN)
    same_seed_and_grid()
    several()
    target("proposition", "observed/bound", "--variant", "proposition")
    target("claims", "observed/bound", "--claim", "upper")
    target("claims", "bound/observed", "--claim", "lower")
    target("claims", "observed/bound", "--claim", "rate")
    target("crossing", "bound/observed", "--variant", "crossing", "--loosest", "-s", "policies=[{name: max_ucb, alpha: 0.5}]")
    wrong_use()
finish()
