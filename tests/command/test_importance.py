"""maxk importance of studies whose shares are known exactly: categories without an order, an interaction, the remainder."""
import os
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import check, close, finish, folder, python_environment, rows, run

# 2 x + y^2 + x z + .5 where c is b, one of three: variances 25/48, 4/45, 1/48, 1/18 and, of x and z, 1/144.
STUDY = """
import sys; sys.path.insert(0, "sim/python")
import maxk
from maxk import Categorical, Real
names = ["a", "b", "c"]
arm = {"x": Real(0, 1), "y": Real(0, 1), "z": Real(0, 1), "c": Categorical(names)}
study = maxk.Study(arms={"one": arm}, policy="uniform", optimizer="random", direction="maximize", seed=1, path=sys.argv[1])
study.optimize(lambda t: 2 * t.params["x"] + t.params["y"]**2 + t.params["x"] * t.params["z"] + (t.params["c"] == "b") / 2,
               n_trials=600)
"""
EXACT = {"x": 0.7515, "y": 0.1283, "c": 0.0802, "z": 0.0301, "x:z": 0.0100}

with folder() as d:
    done = subprocess.run([sys.executable, "-c", STUDY, f"{d}/study"], capture_output=True, text=True, env=python_environment())
    check(done.returncode == 0, f"a study: {done.stderr[-300:]}")
    table = rows(run("importance", f"{d}/study.h5", "--csv"))
    kinds = [r["kind"] for r in table]
    check(kinds == ["alone"] * 4 + ["pair"] * 6 + ["rest"], f"hyperparameters, pairs, the rest: {kinds}")
    got = {r["hyperparameter"]: float(r["importance"]) for r in table}
    check(close(sum(got.values()), 1, 1e-12), "shares add up to 1")
    for name, share in EXACT.items():
        check(abs(got[name] - share) < 0.03, f"{name}: {got[name]:.4f}, exactly {share}")
    check(got["c"] > 0.045 and list(got)[:4] == ["x", "y", "c", "z"],
          f"a category in the middle of three counts: {got['c']:.4f}, in the order of the exact shares: {list(got)[:4]}")
    pairs = [r for r in table if r["kind"] == "pair"]
    check(all(r["hyperparameter"] == f"{r['first']}:{r['second']}" for r in pairs) and
          [float(r["importance"]) for r in pairs] == sorted((float(r["importance"]) for r in pairs), reverse=True),
          "pairs have both names, the largest share first")
    check(got[""] < 0.05, f"little is left: {got['']:.4f}")
finish()
