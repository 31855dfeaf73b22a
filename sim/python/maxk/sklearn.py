"""CASHSearchCV: a study over scikit-learn's estimators and their hyperparameters. It needs scikit-learn 1.2 or later."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

import numpy as np
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import _BaseComposition

from ._library import InputError
from .study import Study


class _Chosen(_BaseComposition):  # type: ignore[misc] # scikit-learn has no types
    """One of several estimators: the one called `arm`. Its parameters are arm, and LABEL__NAME of each estimator."""

    def __init__(self, estimators: list[tuple[str, Any]], arm: str):
        self.estimators = estimators
        self.arm = arm

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        found: dict[str, Any] = self._get_params("estimators", deep=deep)
        return found

    def set_params(self, **params: Any) -> "_Chosen":
        self._set_params("estimators", **params)
        return self

    def fit(self, X: Any, y: Any = None, **options: Any) -> "_Chosen":
        self.estimator_ = clone(dict(self.estimators)[self.arm])
        self.estimator_.fit(X, y, **options)
        return self

    def __getattr__(self, name: str) -> Any:
        """What the estimator can do: predict, score, classes_ and so on."""
        if name.startswith("_") and name != "_estimator_type" or "estimators" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__.get("estimator_", dict(self.estimators)[self.arm]), name)


class CASHSearchCV(BaseSearchCV):  # type: ignore[misc] # scikit-learn has no types
    """Search over algorithms and their hyperparameters (combined algorithm selection and hyperparameter optimisation) by
    cross-validation: a policy chooses the estimator, an optimiser its hyperparameters.

        search = CASHSearchCV({"svc": (SVC(), {"C": Real(1e-3, 1e3, log=True)}),
                               "knn": (KNeighborsClassifier(), {"n_neighbors": Integer(1, 50)})}, n_iter=50, random_state=0)
        search.fit(X, y).predict(X)

    estimators: for every label an estimator and the space of its parameters, names as of set_params ("svc__C" in a pipeline).
    n_iter: configurations tried, for which policies and optimisers plan. policy, optimizer, lag: as of maxk.Study; lag
        configurations are chosen and evaluated at a time, so that results do not depend on n_jobs.
    random_state: seed of the study and, where it is given, of every estimator whose own random_state is None, which then
        belongs to the parameters. scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score: as of
        scikit-learn's RandomizedSearchCV; of several scores, `refit` names the one that is maximised.

    After fit: best_estimator_ (the estimator itself), best_arm_ (its label), best_params_ (arm, and LABEL__NAME), best_score_,
    best_index_, cv_results_, n_splits_, refit_time_, trials_ (maxk.Trial of each configuration)."""

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
            raise InputError(f"estimators: expected a dictionary {{label: (estimator, space)}}, got {self.estimators!r}")
        for label, pair in self.estimators.items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and hasattr(pair[0], "fit") and isinstance(pair[1], Mapping)):
                raise InputError(f"estimators: {label}: expected (estimator, space), got {pair!r}")
            if not isinstance(label, str) or "__" in label or label in ("arm", "estimators"):
                raise InputError(f"estimators: expected labels without '__', other than arm and estimators, got {label!r}")
        return _Chosen([(label, pair[0]) for label, pair in self.estimators.items()], next(iter(self.estimators)))

    def _run_search(self, evaluate_candidates: Any) -> None:
        seed = int(check_random_state(self.random_state).randint(2 ** 31 - 1))
        study = Study({label: space for label, (_, space) in self.estimators.items()}, policy=self.policy,
                      optimizer=self.optimizer, seed=seed, lag=self.lag, n_trials=self.n_iter)
        score = f"mean_test_{self.refit}" if isinstance(self.refit, str) else "mean_test_score"
        while len(study) < self.n_iter:
            trials = [study.ask() for _ in range(min(self.lag, self.n_iter - len(study)))]
            results = evaluate_candidates([self._candidate(trial) for trial in trials])
            if score not in results:
                raise InputError(f"refit: expected the name of one of several scores, got {self.refit!r}")
            for trial, value in zip(trials, results[score][-len(trials):]):
                study.tell(trial, float(value))
        self.trials_ = study.trials

    def _candidate(self, trial: Any) -> dict[str, Any]:
        params = {f"{trial.arm}__{name}": value for name, value in trial.params.items()}
        own = self.estimators[trial.arm][0].get_params()
        if self.random_state is not None and own.get("random_state", 0) is None:
            params.setdefault(f"{trial.arm}__random_state", trial.seed)
        return {"arm": trial.arm, **params}

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **fit_params: Any) -> "CASHSearchCV":
        """Searches, and fits the best configuration to all of X and y; arguments as of RandomizedSearchCV."""
        super().fit(X, y, groups=groups, **fit_params)
        if self.refit:
            self.best_arm_ = self.best_params_["arm"]
            self.best_estimator_: Any = self.best_estimator_.estimator_
        return self


__all__ = ["CASHSearchCV"]
