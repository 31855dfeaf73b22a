"""Trees and forests of scikit-learn 1.2.1 for the tables of tests/unit/models/test_forest.c:

    /usr/bin/python3 tests/reference/forest_sklearn.py

40 points in three dimensions from Knuth's MMIX generator (seed 1), the third rounded to quarters so that values tie;
y = 4 (x0 - 1/2)^2 + x1 x2 + noise. A tree on all points whose leaves are large enough is deterministic (two samples are
parted equally well by every feature); of forests on bootstrap samples the mean and
the standard deviation over FORESTS of them are printed for the mean and the variance over trees at three points."""
import sys

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

FORESTS = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
state = 1


def uniform():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) * 2.0**-53


x = np.array([[uniform() for _ in range(3)] for _ in range(40)])
x[:, 2] = np.floor(4 * x[:, 2]) / 4
y = np.array([4 * (a - 0.5) ** 2 + b * c + 0.1 * uniform() for a, b, c in x])
points = np.array([[0.5, 0.5, 0.5], [0.1, 0.9, 0.75], [0.93, 0.31, 0.0]])
more = np.array([[uniform() for _ in range(3)] for _ in range(12)])


class Forest(RandomForestRegressor):
    """With random splits, or leaves log mean exp."""

    def __init__(self, splitter, logarithm, **options):
        super().__init__(10, **options)
        self.splitter, self.logarithm = splitter, logarithm

    def _make_estimator(self, append=True, random_state=None):
        tree = super()._make_estimator(append, random_state)
        tree.set_params(splitter=self.splitter)
        return tree

    def moments(self):
        self.fit(x, y)
        trees = []
        for tree in self.estimators_:
            if not self.logarithm:
                trees.append(tree.predict(points))
                continue
            sample = np.random.RandomState(tree.random_state).randint(0, 40, 40)  # as sklearn draws it
            leaf, value = tree.apply(x[sample]), {}
            for k in np.unique(leaf):
                value[k] = np.log(np.exp(y[sample][leaf == k]).mean())
            trees.append([value[k] for k in tree.apply(points)])
        return np.concatenate([np.mean(trees, 0), np.var(trees, 0)])


for leaf in (4, 6):
    tree = DecisionTreeRegressor(min_samples_leaf=leaf, random_state=0).fit(x, y)
    print("leaf", leaf, "nodes", tree.tree_.node_count, ", ".join("%.17g" % p for p in tree.predict(more)))
for name, splitter, logarithm, options in (
    ("exact", "best", False, {}),
    ("two features", "best", False, {"max_features": 2, "min_samples_leaf": 3, "min_samples_split": 8}),
    ("random", "random", False, {}),
    ("log", "best", True, {"min_samples_leaf": 4}),
):
    found = np.array([Forest(splitter, logarithm, random_state=i, **options).moments() for i in range(FORESTS)])
    print(name)
    print("   ", ", ".join("%.6g" % p for p in found.mean(0)))
    print("   ", ", ".join("%.6g" % p for p in found.std(0)))
