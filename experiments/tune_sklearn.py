#!/usr/bin/env python3
"""Persistent program for maxk tune: seven classifiers of scikit-learn on one of its own data sets.

A line of JSON in, {"trial": N, "arm": …, "seed": …, "config": {…}}; a line out, {"trial": N, "value": accuracy of 3-fold
cross-validation}. The
folds are the same for all configurations; `seed` is that of the classifier's own random numbers.

    tune_sklearn.py breast_cancer|digits|iris|wine
"""
import functools
import json
import os
import sys

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import warnings

import numpy as np
import sklearn
from sklearn import datasets
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

MAKE = {
    "svc": lambda c, seed: SVC(**c, random_state=seed),
    "knn": lambda c, seed: KNeighborsClassifier(**c, algorithm="brute"),
    "tree": lambda c, seed: DecisionTreeClassifier(**c, random_state=seed),
    "forest": lambda c, seed: RandomForestClassifier(**c, random_state=seed),
    "extra trees": lambda c, seed: ExtraTreesClassifier(**c, random_state=seed),
    "linear": lambda c, seed: SGDClassifier(**c, max_iter=100, random_state=seed),
    "naive bayes": lambda c, seed: GaussianNB(**c),
}
warnings.filterwarnings("ignore")
sklearn.set_config(assume_finite=True)
# What scikit-learn checks and looks up again for every tree takes longer than to grow it; the values are the same without.
BaseEstimator._validate_params = lambda self: None
BaseEstimator._get_param_names = classmethod(functools.lru_cache(None)(BaseEstimator._get_param_names.__func__))
data = getattr(datasets, "load_" + sys.argv[1])()
x, y = data.data[:500], data.target[:500]  # of digits and breast_cancer, the first 500
folds = []
for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(x, y):
    scaler = StandardScaler().fit(x[train])
    folds.append((scaler.transform(x[train]), y[train], scaler.transform(x[test]), y[test]))


def accuracy(arm, config, seed):
    return float(np.mean([np.mean(MAKE[arm](config, seed).fit(a, b).predict(c) == d) for a, b, c, d in folds]))


for line in sys.stdin:
    job = json.loads(line)
    try:
        answer = {"trial": job["trial"], "value": accuracy(job["arm"], job["config"], job["seed"])}
    except Exception as error:
        answer = {"trial": job["trial"], "error": str(error)}
    print(json.dumps(answer), flush=True)
