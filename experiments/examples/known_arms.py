"""A sweep of alpha on arms whose distributions are known, with the exact gap and bounds that are proved.

Run: make python-deps; PYTHONPATH=sim/python /usr/bin/python3 experiments/examples/known_arms.py
"""
import os
import tempfile

import maxk

experiment = {
    "problem": {"arms": [{"family": "power", "a": 3, "s": 1.01}, {"family": "uniform", "lo": 0, "hi": 0.95}]},
    "policies": [{"name": "max_ucb", "alpha": [0.1, 0.5, 1]}],
    "horizons": [1000],
    "replications": 5000,
    "seed": 1,
}
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "known_arms.h5")
    result = maxk.run(experiment, output=path)
    certified = maxk.table("certify", path).query("arm == 1").set_index("policy")
    summary = result.summary().query("arm == 1")
print(f"gap of arm 1 at T = 1000: {result.gap[0, 0, 1]:.4f}")
for policy, pulls in zip(summary.policy, summary.mean_pulls):
    print(f"{policy}: {pulls:.0f} pulls of it, provably {certified.lower[policy]:.1f} to {certified.upper[policy]:.1f}")
