"""A study that is interrupted and continued: run the same script again after a crash, and no finished trial is lost.

Run: PYTHONPATH=sim/python /usr/bin/python3 experiments/examples/resume.py
"""
import os
import tempfile

import maxk


def session(path, n_trials):
    """The whole script, which is run again as it is; here it may end early."""
    study = maxk.Study({"left": {"x": maxk.Real(0, 1)}, "right": {"x": maxk.Real(1, 2)}}, n_trials=30, path=path, resume=True,
                       direction="minimize", seed=1)
    study.optimize(lambda trial: (trial.params["x"] - 1.25) ** 2, n_trials)
    return study


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cash.h5")
    session(path, 10)  # ... and the power fails
    interrupted = session(path, 30)
    at_once = session(os.path.join(folder, "other.h5"), 30)
    print(len(interrupted), "trials, the same as without the interruption:", interrupted.best_value == at_once.best_value)
