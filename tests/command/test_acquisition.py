"""maxk acquisition: the model of the next proposal, recomputed with numpy and scipy from the trials of `maxk record` and the
numbers that the table has of the model; the proposal is the configuration that the search tries next."""
import csv
import json
import os
import re
import sys

import numpy as np
from scipy import special
from scipy.stats import norm

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

HOLD = folder()
WHERE = HOLD.name
FILE = f"{WHERE}/searches.yaml"
with open(FILE, "w") as f:
    f.write("""problem:
  searches:
    - {label: gp, objective: branin, optimizer: {name: gp, init: 5, acquisition: ei}}
    - {label: gp se, objective: branin, optimizer: {name: gp, init: 5, kernel: se, acquisition: ucb, xi: 1.5}}
    - {label: tpe, objective: branin, optimizer: {name: tpe, init: 6}}
    - {label: tpe apart, objective: branin, optimizer: {name: tpe, init: 6, multivariate: no}}
    - {label: rf, objective: branin, optimizer: {name: rf, init: 6}}
    - {label: words, objective: {name: cash, arm: 1, noise: 0.01}, optimizer: {name: gp, init: 6}}
    - {label: random, objective: branin, optimizer: random}
policies: [{name: uniform}]
horizons: [40]
replications: 2
seed: 5
""")
ARMS = ["gp", "gp se", "tpe", "tpe apart", "rf", "words", "random"]
run("record", FILE, "-o", f"{WHERE}/runs.csv")
RUNS = list(csv.DictReader(open(f"{WHERE}/runs.csv")))


def view(arm, n, *more, hyper="x"):
    return rows(run("acquisition", FILE, "--arm", arm, "--evaluations", str(n), "--hyperparameter", hyper, "--replication",
                    "1", "--points", "41", *more))


def column(table, name):
    return np.array([float(r[name] or "nan") for r in table])


def recorded(arm, n):
    return [r for r in RUNS if r["arm_index"] == str(ARMS.index(arm)) and r["repetition"] == "1"][:n]


def units(table):
    found = [dict(re.findall(r"(\w+): ([-+.\de]+)", r["configuration"])) for r in table]
    return np.array([[(float(c["x"]) + 5) / 15, float(c["y"]) / 15] for c in found])


def is_search(arm, n, table):
    """Trials and proposal are those of the search."""
    its = recorded(arm, n + 1)
    trials = [r for r in table if r["kind"] == "trial"]
    same = all(a["configuration"] == b["configuration"] and float(a["reward"]) == -float(b["loss"])
               for a, b in zip(trials, its)) and len(trials) == n
    check(same and "proposal" in table[-1]["kind"] and table[-1]["configuration"] == its[n]["configuration"],
          f"{arm}: {n} trials and the next proposal are those of maxk record, here {table[-1]['configuration']}")


def near(what, a, b, within=1e-9):
    a, b = np.asarray(a), np.asarray(b)
    away = np.max(np.abs(a - b) / np.maximum(1, np.abs(b)))
    check(away <= within, f"{what}: largest difference {away:.2g}")


for arm, n in (("gp", 9), ("gp", 30), ("gp se", 20)):
    table = view(arm, n, "--through", "proposal")
    is_search(arm, n, table)
    trial = np.array([r["kind"] == "trial" for r in table])
    u, reward = units(table), column(table, "reward")[trial]
    target = (reward - reward.mean()) / reward.std()
    length = np.array([float(table[0]["length_scale.x"]), float(table[0]["length_scale.y"])])
    scale, noise = float(table[0]["variance"]), float(table[0]["noise_variance"])

    def covariance(a, b):
        r2 = (((a[:, None] - b[None]) / length)**2).sum(2)
        q = np.sqrt(5 * r2)
        return scale * (np.exp(-r2 / 2) if arm == "gp se" else (1 + q + q * q / 3) * np.exp(-q))

    k, cross = covariance(u[trial], u[trial]) + noise * np.eye(n), covariance(u, u[trial])
    mean = cross @ np.linalg.solve(k, target)
    sd = np.sqrt(scale - np.einsum("ij,ji->i", cross, np.linalg.solve(k, cross.T)))
    near(f"{arm}, {n} evaluations: target", column(table, "target")[trial], target)
    near(f"{arm}, {n} evaluations: mean", column(table, "mean"), mean)
    near(f"{arm}, {n} evaluations: sd", column(table, "sd"), sd, 1e-8)
    z = (mean - target.max()) / sd
    value = mean + 1.5 * sd if arm == "gp se" else sd * (norm.pdf(z) + z * norm.cdf(z))
    near(f"{arm}, {n} evaluations: acquisition", column(table, "acquisition"), value)
    check(float(table[-1]["acquisition"]) >= column(table, "acquisition").max() - 1e-9,
          f"{arm}, {n} evaluations: no point of the curve has a larger acquisition than the proposal")


def parzen(u, x):
    """Mixture of truncated normal distributions, as the comment of sim/search/models/parzen.h has it."""
    n, d = u.shape
    mu, weight = np.vstack([u, np.full(d, .5)]), np.ones(n + 1)
    if n > 25:
        weight[:n - 25] = np.linspace(1 / n, 1, n - 25)
    log = np.log(weight / weight.sum())[None]
    for j in range(d):
        order = np.argsort(mu[:, j], kind="stable")
        gap = np.diff(mu[order, j])
        sigma = np.empty(n + 1)
        sigma[order] = np.clip(np.maximum(np.r_[gap[0], gap], np.r_[gap, gap[-1]]), 1 / min(100, 2 + n), 1)
        sigma[n] = 1
        inside = norm.cdf((1 - mu[:, j]) / sigma) - norm.cdf(-mu[:, j] / sigma)
        log = log + norm.logpdf(x[:, j][:, None], mu[:, j], sigma) - np.log(inside)
    return np.exp(special.logsumexp(log, axis=1))


for arm, n in (("tpe", 12), ("tpe", 39), ("tpe apart", 39)):
    table = view(arm, n)
    is_search(arm, n, table)
    trial = np.array([r["kind"] == "trial" for r in table])
    u, reward = units(table), column(table, "reward")[trial]
    good = np.zeros(n, bool)
    good[np.argsort(-reward, kind="stable")[:-(-n // 10)]] = True
    check(np.array_equal(good, column(table, "target")[trial] == 1), f"{arm}, {n} evaluations: {good.sum()} good trials")
    axes = [[0, 1]] if arm == "tpe" else [[0], [1]]
    density = [np.prod([parzen(u[trial][which][:, a], u[:, a]) for a in axes], axis=0) for which in (good, ~good)]
    near(f"{arm}, {n} evaluations: density of good trials", column(table, "good"), density[0])
    near(f"{arm}, {n} evaluations: density of the others", column(table, "others"), density[1])
    near(f"{arm}, {n} evaluations: acquisition", column(table, "acquisition"), np.log(density[0] / density[1]))

warned = 0
for n in range(10, 30):
    table = view("rf", n)
    drawn = table[-1]["kind"] == "random proposal"
    warned += drawn
    if table[-1]["configuration"] != recorded("rf", n + 1)[n]["configuration"]:
        check(False, f"rf: proposal after {n} evaluations is {table[-1]['configuration']}")
    mean, sd, best = -column(table, "mean"), column(table, "sd"), -float(table[0]["largest_mean"])
    z = (best - mean) / sd
    ei = np.exp(best) * norm.cdf(z) - np.exp(mean + sd**2 / 2) * norm.cdf(z - sd)
    seen = z > -2
    good = np.allclose(np.log(ei[seen]), column(table, "acquisition")[seen], rtol=0, atol=1e-8)
    trials = [r for r in table if r["kind"] == "trial"]
    good &= best == -max(float(r["mean"]) for r in trials)
    good &= drawn or float(table[-1]["acquisition"]) >= column(table, "acquisition").max()
    if not good:
        check(False, f"rf, {n} evaluations: acquisition from mean and sd")
is_search("rf", 29, view("rf", 29))
check(2 <= warned < 10, f"rf: {warned} of 20 proposals are said to be random ones, of which a fifth is expected")

table = view("words", 20, "--out", WHERE, hyper="mode")
check([r["value"] for r in table[:3]] == ["a", "b", "c"] and table[0]["x"] == "" and table[3]["kind"] == "trial",
      "a hyperparameter of words has one point for each")
check(os.path.exists(f"{WHERE}/words_mode_acquisition.png"), "and a figure")
check(all(float(r["x"]).is_integer() for r in view("words", 20, hyper="x3")), "whole numbers")
entry = json.loads(run("acquisition", FILE, "-a", "0", "-n", "9", "-x", "y", "--json"))
check(entry[0]["kind"] == "curve", "the arm by its number, and JSON")

for text, *arguments in (
        ("random: it has no model that can be shown; gp, rf and tpe have", "-a", "random", "-x", "x"),
        ("gp: it has no model yet, its next configuration is one of its initial design; expected at least 5 evaluations, got 3",
         "-a", "gp", "-x", "x", "-n", "3"),
        ("--hyperparameter: missing; those with several values are x, y", "-a", "gp"),
        ("--hyperparameter: the arm varies none named 'z'", "-a", "gp", "-x", "z"),
        ("--arm: missing; the labels are gp, gp se, tpe", "-x", "x"),
        ("--arm: no arm is labelled 'svm'", "-a", "svm"),
        ("--evaluations: expected at most the 40 evaluations", "-a", "gp", "-x", "x", "-n", "41"),
        ("--replication: expected a number below the 2 replications", "-a", "gp", "-x", "x", "-r", "2"),
        ("inactive in the configuration that the curve would go through", "-a", "words", "-x", "x4")):
    refused(" ".join(arguments), text, "acquisition", FILE, *arguments)
finish()
