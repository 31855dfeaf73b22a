"""Which policy is best on rewards that you have recorded: an array [instance, arm, repetition, iteration], replayed.

Run: make python-deps; PYTHONPATH=sim/python /usr/bin/python3 experiments/examples/replay.py
"""
import numpy as np

import maxk

# In the place of your records: 8 data sets, 3 algorithms, 20 repetitions of 50 random configurations.
rewards = np.random.default_rng(1).beta([[[[2]], [[5]], [[9]]]], 3, size=(8, 3, 20, 50))
result = maxk.run({"policies": ["max_ucb", "qomax_sda", "uniform"], "horizons": [10, 50]}, rewards=rewards,
                  arms=["svm", "knn", "boosting"])
ranks = result.rank(horizon=50)
for policy, rank in zip(ranks.policy, ranks["rank"]):
    print(f"{policy}: average rank {rank:.2f}")
