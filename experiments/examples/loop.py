"""A loop of your own in which a policy says which algorithm is tried next. Needs nothing but Python.

Run: PYTHONPATH=sim/python /usr/bin/python3 experiments/examples/loop.py
"""
import random

import maxk

random.seed(1)


def train_and_validate(algorithm):
    """In the place of your training: algorithms 0, 1 and 2 with accuracies up to 0.9, 0.95 and 1."""
    return (0.9, 0.95, 1)[algorithm] * random.random() ** (0.2, 0.5, 1)[algorithm]


policy = maxk.Policy("max_ucb", arms=3, alpha=0.5)
best = 0
pulls = [0, 0, 0]
for trial in range(200):
    algorithm = policy.select()
    reward = train_and_validate(algorithm)
    policy.update(algorithm, reward)
    best = max(best, reward)
    pulls[algorithm] += 1
print(f"best {best:.4f}, trials of each algorithm {pulls}")
