"""Max-K-armed ("extreme") bandits: experiments, reward distributions, and policies for your own loops.

    import maxk

    result = maxk.run({
        "problem": {"arms": [{"family": "power", "a": 3, "s": 1.01}, {"family": "uniform", "lo": 0, "hi": 0.95}]},
        "policies": [{"name": "max_ucb", "alpha": [0.1, 0.5]}, "uniform"],
        "horizons": [100, 1000],
        "replications": 200,
    })
    result.to_xarray().max_reward.mean("replication")
    result.summary()

    arm = maxk.Arm("power", a=3, s=1.01)
    arm.expected_max(1000)

    policy = maxk.Policy("max_ucb", arms=5, alpha=0.5)
    while policy.rounds < 100:
        k = policy.select()
        policy.update(k, pull(k))

    study = maxk.Study(arms={"svc": {"C": maxk.Real(1e-3, 1e3, log=True)}, "knn": {"k": maxk.Integer(1, 50)}})
    study.optimize(objective, n_trials=100)

Arrays need numpy. Tables are pandas data frames if pandas is installed; `to_xarray` needs xarray, and `maxk.sklearn` needs
scikit-learn. The library, libmaxk.so, is part of a wheel, or it is found where `make install` has put it; the environment
variable MAXK_LIBRARY names another one. Everything that goes wrong raises a maxk.Error with one line of text."""
from ._library import Error, InputError, columns, families, policies, revision, tables, version
from .arm import Arm
from .experiment import run
from .imports import read_hpbandster, read_irace, read_mlflow, read_optuna, read_runs, read_smac, read_wide
from .policy import Policy, Pull
from .result import Result, open_result, table
from .space import Categorical, Integer, Real
from .study import Study, Trial

__version__ = version()
__all__ = ["Arm", "Categorical", "Error", "InputError", "Integer", "Policy", "Pull", "Real", "Result", "Study", "Trial",
           "columns", "families", "open_result", "policies", "read_hpbandster", "read_irace", "read_mlflow", "read_optuna",
           "read_runs", "read_smac", "read_wide", "revision", "run", "table", "tables", "version"]
