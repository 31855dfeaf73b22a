"""Two algorithms and their hyperparameters, tuned by one study. Needs nothing but Python.

Run: PYTHONPATH=sim/python /usr/bin/python3 experiments/examples/study.py
"""
import maxk
from maxk import Categorical, Integer, Real


def objective(trial):
    """In the place of your cross-validation: the accuracy of a configuration."""
    if trial.arm == "tree":
        return 0.9 - 0.01 * abs(trial.params["depth"] - 7)
    return 0.95 - (trial.params["C"] - 2) ** 2 - 0.1 * (trial.params["kernel"] == "poly")


study = maxk.Study(
    {"tree": {"depth": Integer(1, 30)},
     "svc": {"C": Real(1e-3, 1e3, log=True), "kernel": Categorical(["rbf", "poly"])}},
    policy="max_ucb", optimizer="tpe", direction="maximize", seed=1)
study.optimize(objective, n_trials=60)
print(study.best_arm, study.best_params, study.best_value)
