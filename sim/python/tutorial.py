#!/usr/bin/python3
"""A tutorial of the Python module maxk: `/usr/bin/python3 tutorial.py [FIGURE.png]` runs in a few seconds and draws one figure.

Which of five learning algorithms deserves the trials, when in the end only the best model counts?"""
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402: after the choice of the backend

import maxk  # noqa: E402

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"]

# ---- 1. Arms: reward distributions of which everything is known ----

arms = [maxk.Arm("power", a=a, s=s) for a, s in [(3, 1.01), (4, 1.01), (5, 1.01), (5, 1.1), (4, 1)]]
for k, arm in enumerate(arms):
    L, U = arm.constants()
    print(f"arm {k}: up to {arm.support()[1]:.4f}, E[M(100)] = {arm.expected_max(100):.4f}, L = {L:.3f}, U = {U:.3f}")

# ---- 2. An experiment: the same keys as in a YAML file; a list of values is a sweep ----

alphas = [0.05, 0.1, 0.2, 0.5, 1, 2]
result = maxk.run({
    "name": "tutorial",
    "problem": {"arms": [{"family": "power", "a": a, "s": s} for a, s in [(3, 1.01), (4, 1.01), (5, 1.01), (5, 1.1), (4, 1)]]},
    "policies": [{"name": "max_ucb", "alpha": alphas}, "qomax_sda", "uniform", "oracle"],
    "horizons": [50, 100, 200, 500, 1000, 2000],
    "replications": 300,
    "seed": 1,
})
data = result.to_xarray()
regret = data.expected_max.max("arm") - data.mean_max  # max_k E[M_k(T)] - mean of the largest reward
print(regret.sel(instance="tutorial", horizon=2000).to_series())

# ---- 3. Does the theorem of the MaxUCB paper hold here? ----

bounds = result.bounds(variant="sum")  # a pandas DataFrame, as `maxk bounds --csv`
print(bounds.groupby(["alpha", "verdict"]).size())

# ---- 4. Your own loop: ask for an arm, pull it, tell the reward ----

rng = np.random.default_rng(7)
policy = maxk.Policy("max_ucb", arms=len(arms), alpha=0.5)
best = []
for t in range(300):
    k = policy.select()
    reward = float(arms[k].isf(rng.random()))  # in place of training a model
    policy.update(k, reward)
    best.append(max(best[-1], reward) if best else reward)
pulled, rewards = policy.history()
print(f"{policy}: arm {np.bincount(pulled).argmax()} was pulled most, largest reward {rewards.max():.4f}")

# ---- 5. Figures ----

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
eps = np.geomspace(1e-3, 1, 200)
for k, arm in enumerate(arms):
    b = arm.support()[1]
    left.plot(eps, arm.sf(b - eps) / eps, color=COLOURS[k], label=f"arm {k}")
left.set(xscale="log", xlabel="ε", ylabel="G(b − ε) / ε", title="Between L and U")
left.legend()

share = data.mean_pulls.isel(instance=0, arm=4) / data.horizon
for colour, T in zip(COLOURS, [50, 200, 1000, 2000]):
    swept = share.sel(policy=[f"max_ucb alpha={alpha:g}" for alpha in alphas], horizon=T)
    middle.plot(alphas, swept, marker="o", markersize=4, color=colour, label=f"T = {T}")
middle.set(xscale="log", xlabel="α of MaxUCB", ylabel="share of pulls on the best arm", ylim=(0, 1), title="Sensitivity")
middle.legend()

for colour, name in zip(COLOURS, ["max_ucb alpha=0.5", "max_ucb alpha=1", "qomax_sda", "uniform"]):
    mean, error = regret.sel(policy=name).isel(instance=0), 1.96 * data.se_max.sel(policy=name).isel(instance=0)
    right.errorbar(data.horizon, mean, error, color=colour, marker="o", markersize=4, capsize=2, label=name)
right.set(xscale="log", yscale="log", xlabel="T", ylabel="regret R(T) ± 95 %", title="Against other policies")
right.legend()

path = sys.argv[1] if len(sys.argv) > 1 else "tutorial.png"
figure.savefig(path, dpi=150)
print("figure:", path)
