"""What other tools have recorded, as recorded runs."""
from __future__ import annotations

import os
from typing import Any, Optional, Union

from ._library import InputError, shown
from .result import table

Path = Union[str, "os.PathLike[str]"]


def read_runs(path: Path, kind: Optional[str] = None, *, arm: Optional[str] = None, instance: Optional[str] = None,
              repetition: Optional[str] = None, iteration: Optional[str] = None, value: Optional[str] = None,
              direction: Optional[str] = None, failed: Union[str, float, None] = None) -> Any:
    """Reads the evaluations that another tool has recorded (`maxk import`), so that they can be compared as recorded runs.

        maxk.run({"policies": ["max_ucb"], "horizons": [20]}, rewards=maxk.read_optuna("study.db", arm="classifier"))

    Returns a pandas DataFrame, or a dictionary of arrays, with one row for each evaluation and the columns instance, arm,
    repetition, iteration (from 1 in each series), loss or reward, cost (in seconds, if all evaluations have one), status (ok,
    failed, pruned, missing) and configuration (JSON).

    kind: optuna, smac, hpbandster, irace, mlflow, amlb, ray, wide or table. None: found out from the beginning of the file.
    arm: the hyperparameter that names the algorithm. None: the only one that is a word in every evaluation.
    instance, repetition, iteration, value: names of columns. For an Optuna file, instance is the only study to read.
    direction: "maximize" or "minimize". None: what the file says, else the convention of the tool.
    failed: what failed, pruned and missing evaluations count as: "worst" (the worst value of their instance, the default),
        "drop" (they are left out) or a number.

    InputError: the file is damaged or of none of these kinds, or it does not say which hyperparameter is the algorithm."""
    if direction is not None and (not isinstance(direction, str) or direction not in ("maximize", "minimize")):
        raise InputError(f"direction: expected maximize or minimize, got {shown(direction)}")
    given: dict[str, Any] = {"from": kind, "arm": arm, "instance": instance, "repetition": repetition, "iteration": iteration,
                             "value": value, "direction": direction, "failed": failed}
    return table("import", path, **{name: x for name, x in given.items() if x is not None})


def read_optuna(path: Path, **options: Any) -> Any:
    """Reads studies of Optuna, from the SQLite file or the CSV file of trials_dataframe(). The options are those of read_runs."""
    return read_runs(path, "optuna", **options)


def read_smac(path: Path, **options: Any) -> Any:
    """Reads the run history of SMAC3, runhistory.json. The options are those of read_runs."""
    return read_runs(path, "smac", **options)


def read_hpbandster(path: Path, **options: Any) -> Any:
    """Reads results of HpBandSter, results.json with configs.json next to it. The options are those of read_runs."""
    return read_runs(path, "hpbandster", **options)


def read_irace(path: Path, **options: Any) -> Any:
    """Reads experiments of irace, as experiments/data/irace_to_csv.R writes them. The options are those of read_runs."""
    return read_runs(path, "irace", **options)


def read_mlflow(path: Path, **options: Any) -> Any:
    """Reads runs of MLflow, the CSV file of search_runs(). The options are those of read_runs."""
    return read_runs(path, "mlflow", **options)


def read_wide(path: Path, **options: Any) -> Any:
    """Reads a CSV file with a column for each arm. The options are those of read_runs."""
    return read_runs(path, "wide", **options)
