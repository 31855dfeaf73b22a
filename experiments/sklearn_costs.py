#!/usr/bin/env python3
"""Persistent program for maxk record: seven learners of scikit-learn, with test losses and processor seconds.

A line of JSON in, {"trial": N, "arm": …, "seed": …, "config": {…}}; a line out,
{"trial": N, "loss": of validation, "test_loss": of the same model on rows kept apart, "seconds": processor time of training and
validation}. A loss is the share of wrong classes, or the mean squared error over the variance of the training rows, at most 2.
Rows are divided at random into those for training (half, at most 400), for validation (a quarter, at most 200) and for the test
(the others, at most 1000); every repetition has a division of its own.

    sklearn_costs.py classification|regression DATASET REPETITION [FOLDER of CSV files that sklearn_costs.R has written]
"""
import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import warnings
import zlib

import numpy as np
import sklearn
from sklearn import datasets, ensemble, linear_model, neighbors, neural_network, svm, tree

warnings.filterwarnings("ignore")
sklearn.set_config(assume_finite=True)
kind, dataset, repetition = sys.argv[1], sys.argv[2], int(sys.argv[3])
classify = kind == "classification"


def network(c, seed):
    make = neural_network.MLPClassifier if classify else neural_network.MLPRegressor
    return make(hidden_layer_sizes=(c["units"],), alpha=c["alpha"], learning_rate_init=c["rate"], max_iter=c["epochs"],
                batch_size=min(64, len(x_train)), random_state=seed)


# The classes of both kinds differ in their names.
CLASSES = {
    "nearest neighbours": (neighbors.KNeighborsClassifier, neighbors.KNeighborsRegressor),
    "support vectors": (svm.SVC, svm.SVR),
    "tree": (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor),
    "forest": (ensemble.RandomForestClassifier, ensemble.RandomForestRegressor),
    "boosting": (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor),
}


def learner(arm, c, seed):
    if arm == "network":
        return network(c, seed)
    if arm == "linear" and classify:
        return linear_model.LogisticRegression(C=c["C"], tol=c["tol"], max_iter=300)
    if arm == "linear":
        return linear_model.ElasticNet(alpha=c["alpha"], l1_ratio=c["l1_ratio"], max_iter=300)
    make = CLASSES[arm][0 if classify else 1]
    return make(**c, random_state=seed) if "random_state" in make().get_params() else make(**c)


def load():
    """Inputs and targets; of a CSV file of sklearn_costs.R the target is the last column."""
    if hasattr(datasets, "load_" + dataset):
        return getattr(datasets, "load_" + dataset)(return_X_y=True)
    rows = np.loadtxt(f"{sys.argv[4]}/{dataset}.csv", delimiter=",", skiprows=1)
    return rows[:, :-1], rows[:, -1]


x, y = load()
order = np.random.RandomState(zlib.crc32(dataset.encode()) % 10**6 + repetition).permutation(len(y))
train, validation = min(400, len(y) // 2), min(200, len(y) // 4)
ends = (0, train, train + validation, min(len(y), train + validation + 1000))
parts = [order[a:b] for a, b in zip(ends, ends[1:])]
middle, spread = x[parts[0]].mean(axis=0), x[parts[0]].std(axis=0)
(x_train, y_train), (x_validation, y_validation), (x_test, y_test) = (
    ((x[p] - middle) / np.where(spread > 0, spread, 1), y[p]) for p in parts)
if not classify:
    middle, spread = y_train.mean(), y_train.std()
    y_train, y_validation, y_test = ((t - middle) / spread for t in (y_train, y_validation, y_test))


def loss(y, predicted):
    return float(np.mean(y != predicted) if classify else min(2, np.mean((y - predicted) ** 2)))


for line in sys.stdin:
    job = json.loads(line)
    try:
        begin = time.process_time()
        model = learner(job["arm"], job["config"], job["seed"]).fit(x_train, y_train)
        value = loss(y_validation, model.predict(x_validation))
        seconds = time.process_time() - begin
        answer = {"loss": value, "test_loss": loss(y_test, model.predict(x_test)), "seconds": round(seconds, 6)}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps({"trial": job["trial"], **answer}), flush=True)
