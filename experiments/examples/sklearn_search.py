"""CASHSearchCV: which classifier and which hyperparameters, by cross-validation, in the manner of RandomizedSearchCV.

Run: make python-deps; PYTHONPATH=sim/python /usr/bin/python3 experiments/examples/sklearn_search.py
"""
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from maxk import Integer
from maxk.sklearn import CASHSearchCV

search = CASHSearchCV(
    {"knn": (KNeighborsClassifier(), {"n_neighbors": Integer(1, 50)}),
     "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": Integer(1, 10)})}, n_iter=20, cv=3, random_state=0)
search.fit(*load_iris(return_X_y=True))
print(search.best_arm_, search.best_params_, round(search.best_score_, 3))
