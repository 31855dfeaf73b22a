"""CASHSearchCV: a study over scikit-learn's estimators and their hyperparameters. It needs scikit-learn 1.2 or later."""
from __future__ import annotations

import dataclasses
import math
import types
import warnings
from collections.abc import Mapping
from typing import Any, Union

import numpy as np
import sklearn.utils
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import RandomizedSearchCV
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target

from ._library import Error, InputError, seed_of, shown
from .study import Study

_OWN = ("arm", "estimators", "fidelity", "seed")  # parameters of _Chosen, which no label may have


def _part(n: int, y: Any, fidelity: float, seed: int) -> Any:
    """The places of a share of n samples, of every class of y (None: of all) and at least one: the first of a random order, so
    that a smaller part is in a larger one."""
    order = np.random.RandomState(seed).permutation(n)
    classes = np.zeros(n, int) if y is None else np.unique(np.asarray(y).ravel(), return_inverse=True)[1]
    of_class = [order[classes[order] == one] for one in range(classes.max() + 1)]
    return np.sort(np.concatenate([places[:math.ceil(fidelity * len(places))] for places in of_class]))


def _count(X: Any) -> int:
    """The number of samples."""
    return int(X.shape[0]) if getattr(X, "shape", None) else len(X)


def _taken(X: Any, part: Any) -> Any:
    """These samples of a data frame, an array, a sparse matrix or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[part]
    return X[part] if hasattr(X, "shape") else [X[i] for i in part]


def _is_pairwise(estimator: Any) -> bool:
    """Whether X holds a number for every pair of samples: by the tags of scikit-learn 1.6 and later, or those of before."""
    if hasattr(sklearn.utils, "get_tags"):
        return bool(sklearn.utils.get_tags(estimator).input_tags.pairwise)
    tags: Any = estimator._get_tags() if hasattr(estimator, "_get_tags") else {}
    return bool(tags.get("pairwise", False))


class _Chosen(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """One of several estimators: the one called `arm`, which is fitted to a share of the samples. Its parameters are these, and
    LABEL__NAME of each estimator."""

    def __init__(self, estimators: list[tuple[str, Any]], arm: str, fidelity: float = 1.0, seed: int = 0):
        self.estimators = estimators
        self.arm = arm
        self.fidelity = fidelity
        self.seed = seed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        found: dict[str, Any] = super().get_params(deep=False)
        for label, estimator in self.estimators if deep else []:
            found[label] = estimator
            found.update({f"{label}__{name}": value for name, value in estimator.get_params(deep=True).items()})
        return found

    def set_params(self, **params: Any) -> "_Chosen":
        self.estimators = params.pop("estimators", self.estimators)
        self.estimators = [(label, params.pop(label, estimator)) for label, estimator in self.estimators]
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:  # of scikit-learn 1.6 and later
        return sklearn.utils.get_tags(self.__dict__.get("estimator_", dict(self.estimators)[self.arm]))

    def fit(self, X: Any, y: Any = None, **options: Any) -> "_Chosen":
        self.estimator_ = clone(dict(self.estimators)[self.arm])
        if self.fidelity < 1:
            n, stratified = _count(X), y is not None and is_classifier(self.estimator_)
            stratified = stratified and type_of_target(y) in ("binary", "multiclass")
            part = _part(n, y if stratified else None, self.fidelity, self.seed)
            X = _taken(X, part) if not _is_pairwise(self.estimator_) else np.asarray(X)[np.ix_(part, part)]
            y = None if y is None else _taken(y, part)
            options = {name: _taken(value, part) if hasattr(value, "__len__") and _count(value) == n else value
                       for name, value in options.items()}
        self.estimator_.fit(X, y, **options)
        return self

    def __getattr__(self, name: str) -> Any:
        """What the estimator can do: predict, score, classes_ and so on."""
        if name.startswith("_") and name != "_estimator_type" or "estimators" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__.get("estimator_", dict(self.estimators)[self.arm]), name)


class _Batches:
    """scikit-learn's evaluation of candidates, in which a batch all of whose fits fail is no error unless all batches are such:
    it would end the search with what was found before. Its function is copied with other helpers, since it calls them itself.
    Where scores are what a callable returns, their names are known once a fit has succeeded."""

    def __init__(self, evaluate: Any):
        helpers = evaluate.__globals__
        self._all: list[dict[str, Any]] = []
        self.problem = ""  # what scikit-learn says of the last batch that has failed
        self._report, self._fill = (helpers.get(name) for name in ("_warn_or_raise_about_fit_failures", "_insert_error_scores"))
        self._evaluate = evaluate
        self.any_fitted = not (self._report and self._fill)  # a version without these helpers ends the search
        if self.any_fitted:
            return
        own = {**helpers, "_warn_or_raise_about_fit_failures": self._warn, "_insert_error_scores": self._insert}
        self._evaluate = types.FunctionType(evaluate.__code__, own, evaluate.__name__, evaluate.__defaults__,
                                            evaluate.__closure__)
        self._evaluate.__kwdefaults__ = evaluate.__kwdefaults__

    def _warn(self, results: Any, error_score: Any) -> None:
        self._all.extend(results)
        try:
            self._report(results, error_score)
            self.any_fitted = True
        except ValueError as problem:
            self.problem = str(problem)
            warnings.warn(self.problem, FitFailedWarning)

    def _insert(self, results: Any, error_score: Any) -> None:
        self._fill(self._all, error_score)

    def __call__(self, candidates: list[dict[str, Any]]) -> Any:
        return self._evaluate(candidates)


def _random_states(estimator: Any) -> list[str]:
    """Names of its parameters, and of those of what it is made of, that are seeds and not set."""
    return [name for name, value in estimator.get_params(deep=True).items()
            if value is None and (name == "random_state" or name.endswith("__random_state"))]


class CASHSearchCV(RandomizedSearchCV):  # type: ignore[misc] # scikit-learn has no types
    """Searches for the best estimator and its best hyperparameters (combined algorithm selection and hyperparameter
    optimisation) by cross-validation. For each configuration a policy chooses the estimator, and an optimiser chooses its
    hyperparameters. It is used as scikit-learn's RandomizedSearchCV is.

        search = CASHSearchCV({"svc": (SVC(), {"C": Real(1e-3, 1e3, log=True)}),
                               "knn": (KNeighborsClassifier(), {"n_neighbors": Integer(1, 50)})}, n_iter=50, random_state=0)
        search.fit(X, y).predict(X)

    estimators: for each label, an estimator and the space of its parameters, with the names of set_params ("svc__C" in a
        pipeline).
    n_iter: the number of configurations to try, for which policies and optimisers plan.
    policy, optimizer, lag: as in maxk.Study. `lag` configurations are chosen and evaluated at a time, so that results do not
        depend on n_jobs.
    random_state: seed of the study: an int, or a RandomState or Generator of numpy. If it is given, each estimator whose own
        random_state is None, also within a pipeline, gets a seed, which is then among the parameters.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score: as in RandomizedSearchCV. If there are
        several scores, `refit` names the one that is maximised.

    Optimisers that evaluate in part (asha, hyperband, successive_halving, bohb) ask for a fidelity below 1. The estimator is then
    fitted to this share of every training fold (for classifiers, of each class), while the test folds are whole. A smaller
    share is contained in a larger one. Such a configuration has `fidelity` among its parameters and is never the best one:
    best_score_ and the other attributes are about whole training folds.

    After fit there are best_estimator_ (the estimator itself), best_arm_ (its label), best_params_ (arm, and LABEL__NAME),
    best_score_, best_index_, cv_results_, n_splits_, refit_time_ and trials_ (a maxk.Trial for each configuration)."""

    def __init__(self, estimators: Mapping[str, tuple[Any, Mapping[str, Any]]], *, n_iter: int = 100,
                 policy: Union[str, Mapping[str, Any], None] = None, optimizer: Union[str, Mapping[str, Any]] = "tpe",
                 lag: int = 8, random_state: Any = None, scoring: Any = None, n_jobs: Any = None, refit: Any = True,
                 cv: Any = None, verbose: int = 0, pre_dispatch: Any = "2*n_jobs", error_score: Any = np.nan,
                 return_train_score: bool = False):
        self.estimators = estimators
        self.n_iter = n_iter
        self.policy = policy
        self.optimizer = optimizer
        self.lag = lag
        self.random_state = random_state
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.refit = refit
        self.cv = cv
        self.verbose = verbose
        self.pre_dispatch = pre_dispatch
        self.error_score = error_score
        self.return_train_score = return_train_score

    _parameter_constraints: dict[str, Any] = {}  # what is wrong with them is said by fit

    @property
    def estimator(self) -> _Chosen:
        """The estimators as one."""
        if not isinstance(self.estimators, Mapping) or not self.estimators:
            raise InputError(f"estimators: expected a dictionary {{label: (estimator, space)}}, got {shown(self.estimators)}")
        for label, pair in self.estimators.items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and hasattr(pair[0], "fit") and isinstance(pair[1], Mapping)):
                raise InputError(f"estimators: {label}: expected (estimator, space), got {shown(pair)}")
            if not isinstance(label, str) or "__" in label or label in _OWN:
                raise InputError(f"estimators: expected labels without '__', other than {', '.join(_OWN)}, got {shown(label)}")
        return _Chosen([(label, pair[0]) for label, pair in self.estimators.items()], next(iter(self.estimators)),
                       seed=getattr(self, "_seed", 0))

    def _run_search(self, evaluate_candidates: Any) -> None:
        spaces = {label: space for label, (_, space) in self.estimators.items()}
        if isinstance(self.scoring, (list, tuple, set, dict)) and self.refit not in list(self.scoring):
            raise InputError("refit: expected the name of one of several scores, which the search maximises, got "
                             f"{shown(self.refit)}")
        study = self._study(spaces, self._seed, self.n_iter)
        failed: list[Any] = []  # trials
        evaluate = _Batches(evaluate_candidates)
        while (left := self.n_iter - len(failed) - len(study)) > 0:
            try:
                trials = [study.ask() for _ in range(min(self.lag, left))]
            except InputError:
                raise
            except Error:  # the first ten trials failed, of which the study has learnt nothing: another one takes its place
                failed += [trial for trial in study.trials if trial.status != "running"]
                study = self._study(spaces, self._seed + len(failed), self.n_iter - len(failed))
                continue
            results = evaluate([self._candidate(trial) for trial in trials])
            named = f"mean_test_{self.refit}" if isinstance(self.refit, str) else ""
            score = named if named in results else "mean_test_score"
            if score not in results and evaluate.any_fitted:
                raise InputError(f"refit: expected the name of one of several scores, got {shown(self.refit)}")
            values = results[score][-len(trials):] if score in results else [math.nan] * len(trials)
            for trial, value in zip(trials, values):
                self._tell(study, trial, float(value))
        if not evaluate.any_fitted:
            raise ValueError(evaluate.problem)
        self.trials_ = [dataclasses.replace(trial, number=n) for n, trial in enumerate(failed + study.trials)]

    def _study(self, spaces: dict[str, Any], seed: int, n_trials: int) -> Study:
        try:
            return Study(spaces, policy=self.policy, optimizer=self.optimizer, seed=seed, lag=self.lag,
                         n_trials=max(n_trials, len(spaces)))
        except InputError as problem:
            text = str(problem).replace("n_trials: ", "n_iter: ").replace(" trials end", " configurations end")
            raise InputError(text) from None

    @staticmethod
    def _tell(study: Study, trial: Any, value: float) -> None:
        """A score that is no number is that of a failed fit, of which scikit-learn has said why."""
        try:
            study.tell(trial, value)
        except InputError:
            raise
        except Error:  # ten failures from the start: ask says so, too
            pass

    def _candidate(self, trial: Any) -> dict[str, Any]:
        params = {f"{trial.arm}__{name}": value for name, value in trial.params.items()}
        if self.random_state is not None:
            chosen = clone(self.estimators[trial.arm][0])
            try:
                chosen.set_params(**clone(trial.params, safe=False))
            except (TypeError, ValueError):  # the fit says so
                pass
            for name in _random_states(chosen):
                params.setdefault(f"{trial.arm}__{name}", trial.seed)
        return {"arm": trial.arm, **({} if trial.fidelity == 1 else {"fidelity": trial.fidelity}), **params}

    def _select_best_index(self, refit: Any, refit_metric: str, results: Any) -> int:
        """Among configurations that were evaluated in whole."""
        if callable(refit):
            return int(super()._select_best_index(refit, refit_metric, results))
        whole = np.array(["fidelity" not in params for params in results["params"]])
        if not whole.any():
            raise InputError(f"n_iter: none of {len(whole)} configurations was evaluated in whole; expected more of them")
        return int(np.where(whole, results[f"rank_test_{refit_metric}"], np.iinfo(np.int32).max).argmin())

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **fit_params: Any) -> "CASHSearchCV":
        """Searches, and fits the best configuration to all of X and y. The arguments are those of RandomizedSearchCV.fit."""
        if hasattr(self.random_state, "bit_generator"):
            self._seed = seed_of("random_state", self.random_state, 2 ** 31 - 2)
        else:
            self._seed = int(check_random_state(self.random_state).randint(2 ** 31 - 1))
        super().fit(X, y, groups=groups, **fit_params)
        if self.refit:
            self.best_arm_ = self.best_params_["arm"]
            self.best_estimator_: Any = self.best_estimator_.estimator_
        return self


__all__ = ["CASHSearchCV"]
