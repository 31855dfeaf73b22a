"""CASHSearchCV: scikit-learn's own checks of estimators, the same results for any n_jobs, scores against cross_val_score."""
import ast
import math
import sys
import unittest
import warnings

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, ordinary_build_only, python_environment, raises

ordinary_build_only("all of it is Python upon what test_python_study.py runs")
ENVIRONMENT = {**python_environment(), "PYTHONPATH": "sim/python"}  # of worker processes too
enter(ENVIRONMENT)

sys.path.insert(0, "sim/python")
import numpy as np
import pandas
import scipy.sparse
import sklearn.utils
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

import maxk.sklearn
from maxk import Categorical, Integer, Real
from maxk.sklearn import CASHSearchCV, _Chosen, _part

warnings.simplefilter("ignore")
X, y = load_iris(return_X_y=True)
SVM = make_pipeline(StandardScaler(), SVC())
CLASSIFIERS = {"svm": (SVM, {"svc__C": Real(1e-3, 1e3, log=True), "svc__kernel": Categorical(["rbf", "linear"])}),
               "knn": (KNeighborsClassifier(), {"n_neighbors": Integer(1, 30)}),
               "tree": (DecisionTreeClassifier(splitter="random"), {"max_depth": Integer(1, 5)})}


def passes(name, search):
    """All of scikit-learn's checks but those that it skips itself."""
    done, wrong = 0, []
    for estimator, one in check_estimator(search, generate_only=True):
        try:
            one(estimator)
        except unittest.SkipTest:
            continue
        except Exception as problem:
            wrong.append(f"{one}: {problem!r}"[:300])
        done += 1
    check(not wrong and done > 30, f"{name}: {done} checks of scikit-learn {wrong}")


class Counting(DecisionTreeClassifier):
    """Notes the samples that it is fitted to, in a column of the data that numbers them."""

    seen = []

    def fit(self, X, y, sample_weight=None):
        Counting.seen.append((X[:, -1].astype(int), y, sample_weight))
        return super().fit(X[:, :-1], y, sample_weight=sample_weight)

    def predict(self, X):
        Counting.seen.append(len(X))
        return super().predict(X[:, :-1])


def in_part():
    """Optimisers with a schedule: parts of the training folds, whole test folds, the best of whole evaluations."""
    data = np.column_stack([X, np.arange(len(X))])
    estimators = {"tree": (Counting(random_state=0), {"max_depth": Integer(1, 5)})}
    folds = {frozenset(train) for train, _ in StratifiedKFold(3).split(X, y)}
    for optimizer in ("hyperband", "successive_halving", "bohb"):
        Counting.seen = []
        search = CASHSearchCV(estimators, n_iter=40, cv=3, random_state=0, optimizer={"name": optimizer, "R": 9, "eta": 3},
                              policy="uniform").fit(data, y, sample_weight=np.arange(len(X)) + 1.0)
        fitted, tested = ([one for one in Counting.seen if isinstance(one, kind)] for kind in (tuple, int))
        asked = [trial.fidelity for trial in search.trials_ for _ in range(3)] + [1]
        counts = [[(labels == k).sum() for k in range(3)] for _, labels, _ in fitted]
        wanted = [[math.ceil(f * n) for n in whole] for f, whole in zip(asked, [[33, 33, 34], [33, 34, 33], [34, 33, 33]] * 40)]
        check(sorted(map(sorted, counts[:-1])) == sorted(map(sorted, wanted)) and len(set(asked)) == 3,
              f"{optimizer}: shares of every class, as the fidelity says")
        nested = all(any(set(part) <= fold for fold in folds) for part, _, _ in fitted[:-1])
        by_size = {}
        for part, _, _ in fitted[:-1]:
            by_size.setdefault(len(part), set()).add(tuple(part))
        small, large = ([set(p) for p in by_size[n]] for n in (min(by_size), max(by_size)))
        check(nested and all(len(parts) <= 3 for parts in by_size.values()) and all(any(s <= l for l in large) for s in small)
              and all((weights == part + 1).all() for part, _, weights in fitted) and set(tested) == {50},
              f"{optimizer}: the same part for every configuration, with its weights, nested; whole test folds")
        whole = [i for i, trial in enumerate(search.trials_) if trial.fidelity == 1]
        scores = search.cv_results_["mean_test_score"]
        check(search.best_index_ in whole and search.best_score_ == max(scores[i] for i in whole)
              and "fidelity" not in search.best_params_ and len(fitted[-1][1]) == 150
              and [p.get("fidelity", 1) for p in search.cv_results_["params"]] == asked[:-1:3],
              f"{optimizer}: the best is one of the whole evaluations")
    Counting.seen = []
    raises(maxk.InputError, "no whole evaluation", "n_iter: 3 configurations end before", CASHSearchCV(
        estimators, n_iter=3, cv=3, optimizer={"name": "successive_halving", "R": 27}).fit, data, y)
    check(not Counting.seen, "is said before anything is fitted")
    two = {label: CLASSIFIERS[label] for label in ("svm", "tree")}
    runs = [CASHSearchCV(two, n_iter=30, cv=2, random_state=np.random.default_rng(5), optimizer={"name": "hyperband", "R": 9},
                         n_jobs=n).fit(X, y) for n in (1, 2)]
    check(np.array_equal(*(one.cv_results_["mean_test_score"] for one in runs)), "n_jobs and a generator: the same results")
    part = _part(10, None, 0.25, 1)
    check(len(part) == 3 and list(part) == sorted(part) and set(part) <= set(_part(10, None, 0.5, 1))
          and list(part) != list(_part(10, None, 0.25, 2)), "without classes, a share of all")


def failing_batches():
    """Configurations that cannot be fitted are failed trials, in batches of any size; all of them are an error."""
    space = {"penalty": Categorical(["l1", "l2"]), "solver": Categorical(["lbfgs", "liblinear"]), "C": Real(0.1, 10)}

    def search(scoring=None, refit=True, lag=1, n_iter=14, space=space, seed=0):
        return CASHSearchCV({"lr": (LogisticRegression(max_iter=50), space)}, n_iter=n_iter, cv=3, lag=lag, scoring=scoring,
                            refit=refit, random_state=seed).fit(X, y)
    for lag in (1, 3, 8):
        for scoring, refit in ((None, True), (["accuracy", "f1_macro"], "f1_macro"), ("accuracy", "accuracy"),
                               (lambda e, X, y: {"a": e.score(X, y)}, "a"), (lambda e, X, y: e.score(X, y), True)):
            found = search(scoring, refit, lag)
            failed = [p["lr__penalty"] == "l1" and p["lr__solver"] == "lbfgs" for p in found.cv_results_["params"]]
            check(any(failed) and [t.status == "failed" for t in found.trials_] == failed and len(found.trials_) == 14 and
                  not failed[found.best_index_] and found.best_score_ > 0.9,
                  f"lag {lag}, refit {refit}: failures are failed trials")
    never = {"penalty": Categorical(["l1"]), "solver": Categorical(["lbfgs"]), "C": Real(0.1, 10)}
    raises(ValueError, "all fits fail", "fits failed", lambda: search(space=never, n_iter=13))
    first = {"penalty": Categorical(["l1", "l2"], default="l1"), "solver": Categorical(["lbfgs"]), "C": Real(0.1, 10)}
    for seed in range(3):
        late = search(lambda e, X, y: {"a": e.score(X, y)}, "a", 1, 12, first, seed)
        check(len(late.cv_results_["mean_test_a"]) == 12, "names of scores that are known later")


def nested_seeds():
    """random_state reaches what estimators are made of."""
    forest = RandomForestClassifier(3)
    for what, estimator, name in (("a pipeline", make_pipeline(StandardScaler(), forest), "randomforestclassifier__max_depth"),
                                  ("an ensemble", BaggingClassifier(CLASSIFIERS["tree"][0], 2), "n_estimators"),
                                  ("a value", Pipeline([("clf", KNeighborsClassifier())]), "clf")):
        space = {name: Categorical([forest, KNeighborsClassifier()]) if name == "clf" else Integer(1, 4)}
        runs = [CASHSearchCV({"e": (estimator, space)}, n_iter=8, lag=4, cv=3, random_state=0).fit(X, y) for _ in range(2)]
        scores = [run.cv_results_["mean_test_score"].tolist() for run in runs]
        check(scores[0] == scores[1] and any("random_state" in key for p in runs[0].cv_results_["params"] for key in p),
              f"random_state reaches {what}")
    fixed = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=5))
    depth = {"randomforestclassifier__max_depth": Integer(1, 4)}
    own = CASHSearchCV({"e": (fixed, depth)}, n_iter=2, cv=3, random_state=0).fit(X, y)
    check(all(len(p) == 2 for p in own.cv_results_["params"]), "one that is set stays")


def refused_scores():
    """Before any fit."""
    for refit in (lambda results: 0, False, True, "f1"):
        with_all = CASHSearchCV({"tree": CLASSIFIERS["tree"]}, n_iter=4, scoring={"accuracy": "accuracy", "f1_macro": "f1_macro"},
                                refit=refit, error_score="raise")
        raises(ValueError, f"several scores and refit {refit}", "refit", with_all.fit, X, y)
        check(not hasattr(with_all, "cv_results_"), "nothing was fitted")


def public_parts():
    """What of scikit-learn is imported, the tags of later versions, kernels of pairs, and samples of any kind."""
    with open(maxk.sklearn.__file__) as file:
        found = [f"{one.module}.{name.name}" for one in ast.walk(ast.parse(file.read())) if isinstance(one, ast.ImportFrom)
                 for name in one.names if (one.module or "").startswith("sklearn")]
    check(len(found) > 5 and not any(part.startswith("_") for one in found for part in one.split(".")),
          f"nothing private is imported: {found}")
    chosen = _Chosen([("tree", DecisionTreeClassifier()), ("ridge", Ridge())], "ridge")
    sklearn.utils.get_tags = own = getattr(sklearn.utils, "get_tags", type)
    check(own is not type or chosen.__sklearn_tags__() is Ridge, "its tags are those of the estimator that was chosen")
    if own is type:
        del sklearn.utils.get_tags
    chosen.set_params(tree=SVC(), tree__C=7, arm="tree", fidelity=0.5)
    copy = clone(chosen)
    found = copy.get_params()
    check(found["tree__C"] == 7 and found["ridge__alpha"] == 1.0 and copy.estimators is not chosen.estimators,
          "parameters of an estimator that is replaced")
    whole, kernel = SVC(kernel="linear"), SVC(kernel="precomputed")
    part = _part(len(y), y, 0.5, 3)
    expected = whole.fit(X[part], y[part]).support_
    for name, one, data, labels in [("an array", whole, X, y), ("lists", whole, X.tolist(), y.tolist()),
                                    ("a data frame", whole, pandas.DataFrame(X), pandas.Series(y)),
                                    ("a sparse matrix", whole, scipy.sparse.csr_matrix(X), y), ("a kernel", kernel, X @ X.T, y)]:
        fitted = _Chosen([("svc", one)], "svc", 0.5, 3).fit(data, labels)
        check(np.array_equal(fitted.estimator_.support_, expected), f"{name}: fitted to the same half of the samples")


def main():
    public_parts()
    failing_batches()
    nested_seeds()
    refused_scores()
    passes("classifiers", CASHSearchCV({"logistic": (LogisticRegression(), {"C": Real(0.1, 10, log=True)}), "tree": (
        DecisionTreeClassifier(random_state=0), {"max_depth": Integer(1, 5)})}, n_iter=3, cv=2, random_state=0))
    passes("regressors", CASHSearchCV({"ridge": (Ridge(), {"alpha": Real(0.1, 10, log=True)}), "tree": (
        DecisionTreeRegressor(random_state=0), {"max_depth": Integer(1, 5)})}, n_iter=3, cv=2, random_state=0))

    def searched(**options):
        return CASHSearchCV(CLASSIFIERS, n_iter=20, cv=3, random_state=0, **options).fit(X, y)
    search = searched()
    scores = search.cv_results_["mean_test_score"]
    check(len(scores) == 20 == len(search.trials_) and search.best_score_ == max(scores) == max(t.value for t in search.trials_),
          "twenty configurations, the best of them")
    arms = [params["arm"] for params in search.cv_results_["params"]]
    check(set(arms) == set(CLASSIFIERS) and arms == [t.arm for t in search.trials_], "of all estimators, as the study has chosen")
    check({"param_arm", "param_svm__svc__C", "param_knn__n_neighbors", "rank_test_score", "split2_test_score"} <=
          set(search.cv_results_), "the columns of scikit-learn's searches")
    again = []
    for params in search.cv_results_["params"]:
        own = {name.removeprefix(params["arm"] + "__"): value for name, value in params.items() if name != "arm"}
        again.append(cross_val_score(clone(CLASSIFIERS[params["arm"]][0]).set_params(**own), X, y, cv=3).mean())
    check(np.allclose(again, scores, rtol=0, atol=1e-12), "scores are those of cross_val_score")
    check(all("tree__random_state" in p for p in search.cv_results_["params"] if p["arm"] == "tree"),
          "a seed for what is random in an estimator")
    check(type(search.best_estimator_) is type(CLASSIFIERS[search.best_arm_][0]) and (search.predict(X) == y).mean() > 0.9
          and list(search.classes_) == [0, 1, 2] and search.n_features_in_ == 4, "the best estimator itself, fitted")
    other = searched(n_jobs=2)
    check(np.array_equal(other.cv_results_["mean_test_score"], scores) and other.best_params_ == search.best_params_,
          "n_jobs=2: the same results")
    in_part()
    several = searched(scoring=["accuracy", "neg_log_loss"], refit="accuracy", error_score=np.nan)
    check("mean_test_neg_log_loss" in several.cv_results_ and several.best_score_ > 0.9,
          "of several scores, one is maximised, also where another fails")
    raises(maxk.InputError, "several scores without refit", "refit", CASHSearchCV(
        CLASSIFIERS, n_iter=3, scoring=["accuracy", "f1_macro"], refit=False).fit, X, y)
    raises(maxk.InputError, "no space", "knn: expected (estimator, space)", CASHSearchCV(
        {"knn": KNeighborsClassifier()}).fit, X, y)
    raises(maxk.InputError, "a label", "without '__'", CASHSearchCV({"k__n": (KNeighborsClassifier(), {})}).fit, X, y)
    raises(maxk.InputError, "no estimators", "estimators: expected", CASHSearchCV({}).fit, X, y)
    finish()


if __name__ == "__main__":
    main()
