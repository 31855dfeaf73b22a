"""bayes_max over candidates with densities and point masses, pull for pull against an implementation with scipy: by ask and
tell, with copies and texts, in maxk.run, in studies and tune files; what is refused. Its exact values:
tests/command/test_optimum.py."""
import itertools
import json
import math
import os
import random
import sys

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, ordinary_build_only, python_environment, raises, refused, rows, run, write

ordinary_build_only("the Python module is loaded into a process of its own")
enter({**python_environment(), "PYTHONPATH": "sim/python"})
sys.path.insert(0, "sim/python")
import numpy as np
from scipy import integrate, stats

import maxk

HALF = {"family": "mixture", "weights": [1, 3],
        "components": [{"family": "dirac", "x": .5}, {"family": "uniform", "lo": 0, "hi": 1}]}
CANDIDATES = [{"family": "beta", "a": 2, "b": 3}, {"family": "uniform", "lo": .1, "hi": 1.2}, HALF,
              {"family": "gaussian", "mu": .3, "sigma": .3, "truncate": [-1, 1.5]}]
LAWS = [stats.beta(2, 3), stats.uniform(.1, 1.1), None, stats.truncnorm(-1.3 / .3, 4, loc=.3, scale=.3)]


def cdf(c, x):
    return LAWS[c].cdf(x) if LAWS[c] else min(max(.75 * x, 0), .75) + .25 * (x >= .5)


def likelihood(reward):
    """Probabilities where a candidate has the reward as a point mass."""
    if reward == .5:
        return [.25 if law is None else 0 for law in LAWS]
    return [law.pdf(reward) if law else .75 * (0 <= reward <= 1) for law in LAWS]


def gain(c, best, n):
    """E[(M_c(n) - best)^+]."""
    if best >= 1.5:
        return 0
    ends = [best, *(x for x in (0, .1, .5, 1, 1.2, 1.5) if x > best)]
    return sum(integrate.quad(lambda x: 1 - cdf(c, x) ** n, a, b, epsabs=1e-13)[0] for a, b in zip(ends, ends[1:]))


def chosen(rewards, prior, horizon):
    """The arm of the next round after rewards[arm], a list for each."""
    k, t = len(rewards), 1 + sum(map(len, rewards))
    best = max((x for own in rewards for x in own), default=None)
    if best is None:
        return 0
    alone = []
    for own in rewards:
        weight = [1.0] * len(LAWS)
        for x in own:
            after = [w * l for w, l in zip(weight, likelihood(x))]
            weight = [w / max(after) for w in after] if max(after) > 0 else weight
        alone.append(weight)
    if prior == "orders":
        joint = {o: math.prod(alone[i][c] for i, c in enumerate(o)) for o in itertools.permutations(range(len(LAWS)), k)}
        if sum(joint.values()) > 0:
            alone = [[sum(w for o, w in joint.items() if o[i] == c) for c in range(len(LAWS))] for i in range(k)]
    gains = [gain(c, best, horizon - t + 1) for c in range(len(LAWS))]
    index = [sum(w * g for w, g in zip(own, gains)) / sum(own) for own in alone]
    return next(i for i in range(k) if index[i] >= max(index) * (1 - 1e-9))


def draw(rng, c):
    if c == 2 and rng.random() < .25:
        return .5
    return rng.random() if c == 2 else float(LAWS[c].ppf(rng.random()))


ARMS, HORIZON = 3, 24
pulls_of = {}
for prior, seed in itertools.product(("independent", "orders"), (1, 2, 3)):
    rng = random.Random(seed)
    truth = rng.sample(range(len(LAWS)), ARMS)
    tape = [[draw(rng, c) for _ in range(HORIZON)] for c in truth]
    if seed == 3:
        tape[0][0], tape[0][1] = .5, 1.1  # no candidate has both
    policy = maxk.Policy("bayes_max", ARMS, horizon=HORIZON, candidates=CANDIDATES, prior=prior)
    bounded = maxk.Policy("bayes_max", ARMS, horizon=HORIZON, candidates=CANDIDATES, prior=prior, bounded=True)
    rewards, wrong = [[] for _ in range(ARMS)], []
    for t in range(HORIZON):
        want, got, other = chosen(rewards, prior, HORIZON), policy.select(), bounded.select()
        wrong += [(t, want, got, other)] * (not want == got == other)
        reward = tape[got][len(rewards[got])]
        rewards[got].append(reward)
        policy.update(got, reward)
        bounded.update(other, reward)
        if t == 9:
            policy, bounded = maxk.Policy.from_text(policy.copy().to_text()), maxk.Policy.from_text(bounded.to_text()).copy()
        if t > 9 and reward == max(map(max, filter(None, rewards))):
            policy.copy().select()
    pulls = [len(own) for own in rewards]
    check(not wrong and sum(n > 0 for n in pulls) > 1, f"{prior}, seed {seed}: pulls {pulls} are those of scipy{wrong or ''}")
    pulls_of[prior, seed] = pulls, tape

for prior in ("independent", "orders"):
    data = np.array([pulls_of[prior, seed][1] for seed in (1, 2, 3)]).transpose(1, 0, 2)
    found = maxk.run({"policies": [{"name": "bayes_max", "prior": prior, "candidates": CANDIDATES}], "horizons": [HORIZON],
                      "replications": 3}, rewards=data)
    want = [pulls_of[prior, seed][0] for seed in (1, 2, 3)]
    got = found.pulls.reshape(-1, ARMS).tolist()
    check(sorted(got) == sorted(want), f"{prior}: maxk.run has the same pulls of recorded rewards: {got}")

here = folder()
os.chdir(here.name)
LIST = "[{family: bernoulli, p: 0.1}, {family: bernoulli, p: 0.6}]"
path = write("e.yaml", f"""name: e
problem: {{arms: [{{family: bernoulli, p: 0.6}}, {{family: bernoulli, p: 0.1}}]}}
policies:
  - {{name: bayes_max, prior: [orders, independent], label: 'own {{prior}}'}}
  - {{name: bayes_max, candidates: {LIST}, label: given, prior: orders}}
horizons: [3, 30]
replications: 200
""")
run("run", path, "-o", "e.h5", "-q")
columns = ("--show", "policy,horizon,arm,mean_pulls,mean_max", "--csv")
first = rows(run("summary", "e.h5", *columns))
same = [[{k: v for k, v in r.items() if k != "policy"} for r in first if r["policy"] == p] for p in ("own orders", "given")]
check(len(first) == 12 and same[0] == same[1],
      "without candidates, they are the arms of the problem; their order does not matter")
write("again.yaml", run("info", "e.h5", "--experiment"))
run("run", "again.yaml", "-o", "again.h5", "-q")
check("candidates" in run("info", "e.h5") and rows(run("summary", "again.h5", *columns)) == first, "the result repeats itself")
write("many.yaml", json.dumps({"problem": {"arms": [{"family": "bernoulli", "p": p / 100} for p in range(1, 66)]},
                               "policies": ["bayes_max"], "horizons": [65]}))
refused("65 arms", "candidates: missing", "run", "many.yaml", "-o", "no.h5")
for what, problem, more in (
        ("more arms than candidates", "no more arms than candidates", f"prior: orders, candidates: {LIST}"),
        ("no list", "expected a list", "candidates: 3"),
        ("no family", "unknown family 'bernouli'", "candidates: [{family: bernouli, p: 1}]"),
        ("a parameter out of range", "p: expected", "candidates: [{family: bernoulli, p: 2}]"),
        ("an unknown key", "unknown key 'cost'", "candidates: [{family: bernoulli, p: .2, cost: 1}]"),
        ("a wrong range", "truncate: expected", "candidates: [{family: uniform, lo: 0, hi: 1, truncate: 3}]")):
    refused(what, problem, "run", "many.yaml", "-o", "no.h5", "-s", f"policies=[{{name: bayes_max, {more}}}]")
write("r.csv", "instance,arm,repetition,iteration,reward\n" + "".join(f"a,{k},0,{t},{t}\n" for k in "xy" for t in (1, 2)))
write("recorded.yaml", "problem: {trajectories: r.csv}\npolicies: [bayes_max]\nhorizons: [2]\n")
refused("recorded runs without candidates", "candidates: missing", "run", "recorded.yaml", "-o", "no.h5")
raises(maxk.InputError, "ask and tell without candidates", "candidates: missing", maxk.Policy, "bayes_max", 2, horizon=9)
raises(maxk.InputError, "a parameter of a candidate", "candidates", maxk.Policy, "bayes_max", 2, horizon=9,
       candidates=[{"family": "gaussian", "mu": 0}])
raises(maxk.InputError, "one that is no list", "expected", maxk.Policy, "bayes_max", 2, horizon=9, candidates=3)

GIVEN = {"name": "bayes_max", "candidates": [{"family": "beta", "a": 5, "b": 1}, {"family": "beta", "a": 1, "b": 5}]}
study = maxk.Study({"good": {"x": maxk.Real(0, 1)}, "bad": {"x": maxk.Real(0, 1)}}, policy=GIVEN, direction="maximize",
                   n_trials=30, seed=2)
luck = random.Random(5)
names = []
while len(names) < 30:
    trial = study.ask()
    names.append(trial.arm)
    study.tell(trial, luck.betavariate(5, 1) if trial.arm == "good" else luck.betavariate(1, 5))
check(names.count("good") > 20, f"a study: {names.count('good')} of 30 trials for the good arm")
finish()
