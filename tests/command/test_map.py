"""maxk map and maxk figures --paper: points, axes, figures by number, published numbers drawn over ours."""
import math
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, refused, rows, run, write

EXPERIMENTS = os.path.abspath("experiments")


def there(*paths):
    return all(os.path.exists(path) and os.path.getsize(path) for path in paths)


def grid(*more):
    return run("map", f"{EXPERIMENTS}/map_alpha_l.yaml", "-v", "policies.0.alpha=0.5:8", "-v", "problem.arms.0.weights.0=0.5:8",
               "--y", "L", "--columns", "4", "--rows", "3", "--replications", "50", "-s", "horizons=[1000]", "--csv", "-o", "fig",
               *more, text="a map of 4 by 3 points" + " on one thread" * bool(more))


def points():
    text = grid()
    table = rows(text)
    check(text.count("\n") == 13 and len(table) == 12, "a row for each, and a header")
    check(there("fig/map_alpha_l_map.png"), "a figure")
    check(grid("-j", "1") == text, "the same on one thread")
    # L of w/(1+w) of the mass uniform on [0, 1], the rest below .01, by hand: w / (1 + w)
    drawn = open("fig/map_alpha_l_map.dat").read()
    numbers = [line for line in drawn.splitlines() if line and line[0] != "#" and "nan" not in line.lower()]
    good = "p = 1" in drawn and len(numbers) >= len(table) and float(table[0]["p"]) < 1 < float(table[-1]["p"])
    for r in table:
        w, ratio = float(r["problem.arms.0.weights.0"]), float(r["ratio"])
        good &= abs(float(r["L_opt"]) - w / (1 + w)) < 1e-9
        good &= abs(float(r["p"]) - 2 * float(r["L_opt"]) * float(r["alpha"]) * math.sqrt(float(r["gap"]))) < 1e-9
        good &= abs(ratio - float(r["bound"]) / float(r["observed"])) < 1e-9 * ratio
    check(good, "L, p and ratio by hand; the boundary p = 1 is on the map")
    said = refused("one range", "maxk map: --vary: ", "map", f"{EXPERIMENTS}/map_alpha_l.yaml", "-v", "policies.0.alpha=1:2")
    check(said.startswith("maxk map: --vary: ") and "got 1" in said, "it says how many are given")
    # The table comes first: L along a key is known only after it.
    done = subprocess.run([MAXK, "map", f"{EXPERIMENTS}/map_alpha_l.yaml", "-v", "policies.0.alpha=1:2", "-v",
                           "problem.arms.1.hi=0.5:0.8", "--y", "L", "--columns", "2", "--rows", "2", "--replications", "5", "-s",
                           "horizons=[10]", "-o", "fig"], capture_output=True, text=True)
    check(done.returncode == 2, "an axis on which L does not change: exit code 2")
    check(re.fullmatch("maxk map: --y: .*rise or fall strictly.*\n", done.stderr), f"and one line: {done.stderr}")


def paper(text, *numbers, experiments=EXPERIMENTS):
    done = subprocess.run([MAXK, "figures", "--paper", *numbers, "--experiments", experiments, "-o", "paper"],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"{text}: {done.stderr[:300] if done.returncode else ''}")
    return done


def by_number():
    done = paper("figures of the paper by number, their experiments run where needed", "C.2", "E.5")
    check(there("paper/figure_C.2_lu.png", "paper/figure_E.5_bound_arms_max_ucb.png", "results/figure_e5.h5"), "they are there")
    check(re.search("^Figure E.5: ", done.stdout, re.M), "with their titles")
    check("no published numbers" not in done.stderr, "published numbers are next to the experiments")
    check(" run in " in done.stderr, "it says what it runs")
    os.mkdir("bare")
    shutil.copy(f"{EXPERIMENTS}/table_c2.yaml", "bare")
    done = paper("experiments without them are drawn too", "C.2", experiments="bare")
    check(re.search("bare/data/reference_e4.csv.*no published numbers", done.stderr), "with a note that there are none to draw")
    done = paper("again", "E.5")
    check(" run in " not in done.stderr, "a result that is there is not made again")
    said = refused("an unknown figure", "--paper: 99: ", "figures", "--paper", "99")
    check(re.search("--paper: 99: .*3_right, 5, C.2", said), "it names those that there are")
    refused("neither a file nor figures", "--paper", "figures")


def published():
    write("small.yaml", """name: small
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 0.9}]}
policies: [{name: max_ucb}, {name: oracle}]
horizons: [50, 100]
replications: 20
""")
    write("published.csv", "experiment,policy,horizon,mean_optimal_pulls,se_optimal_pulls,proxy_empirical_regret\n"
          "small,max_ucb,100,25,5,0.125\nother,max_ucb,50,1,1,1\n")
    run("run", "small.yaml", "-q", text="a small experiment")
    run("figures", "results/small.h5", "--published", "published.csv", "-o", "over", text="published numbers are read")
    # share 25 / 100, and its band ± 1.96 * 5 / 100
    for kind, what, line in (("best_share", "share", "100 0.25 0.15200[0-9]* 0.34799[0-9]*"),
                             ("proxy_regret", "proxy regret", "100 0.125")):
        lines = open(f"over/small_{kind}.dat").read().splitlines()
        after = [x for i, x in enumerate(lines) if any("published runs" in y for y in lines[max(0, i - 5):i + 1])]
        check(any(re.match(line, x) for x in after), f"and drawn in the figures of that experiment: {what}")
    write("short.csv", "experiment,policy,horizon\nsmall,max_ucb,100\n")
    refused("published numbers that lack a column", "short.csv:1: mean_optimal_pulls", "figures", "results/small.h5",
            "--published", "short.csv", "-o", "over")


with folder() as d:
    os.chdir(d)
    points()
    by_number()
    published()
finish()
