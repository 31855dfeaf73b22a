"""Recorded rewards from arrays: written as the CSV file that experiments read."""
from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Optional, Sequence

import numpy as np

from ._library import InputError
from ._text import yaml

DIMENSIONS = ("instance", "arm", "repetition", "iteration")


def _labels(rewards, given: Optional[Sequence[str]], axis: int) -> list[str]:
    """Names of an axis: as given, of the xarray coordinate, or numbers."""
    if given is None and hasattr(rewards, "coords") and DIMENSIONS[axis] in rewards.coords:
        given = rewards.coords[DIMENSIONS[axis]].values
    names = [str(name) for name in (range(rewards.shape[axis]) if given is None else given)]
    if len(names) != rewards.shape[axis] or len(set(names)) != len(names):
        raise InputError(f"{DIMENSIONS[axis]}s: expected {rewards.shape[axis]} distinct names, got {names}")
    return names


def _is_long(rewards) -> bool:
    """Whether these are columns, such as a DataFrame or a mapping, and no array."""
    return isinstance(rewards, Mapping) or hasattr(rewards, "iterrows")


def _write_long(columns, path: Path) -> str:
    """Writes columns instance, arm, repetition, iteration and reward or loss, and cost where there is one; without instance or
    repetition there is one of them, without iteration rows are in order."""
    have = [str(name) for name in columns]
    value = [name for name in ("reward", "loss") if name in have]
    if "arm" not in have or len(value) != 1:
        raise InputError(f"rewards: expected columns arm and one of reward and loss, got {', '.join(have)}")
    arms = np.asarray(columns["arm"]).tolist()
    place = [np.asarray(columns[name]).tolist() if name in have else [0] * len(arms) for name in ("instance", "repetition")]
    series: dict[tuple, int] = {}
    iterations = np.asarray(columns["iteration"]).tolist() if "iteration" in have else []
    for key in [] if iterations else zip(arms, *place):
        series[key] = series.get(key, 0) + 1
        iterations.append(series[key])
    names = ["instance", "arm", "repetition", "iteration", *value, *(["cost"] if "cost" in have else [])]
    numbers = [np.asarray(columns[name], dtype=float).tolist() for name in names[4:]]
    if any(len(x) != len(arms) for x in (*place, iterations, *numbers)):
        raise InputError("rewards: expected columns of one length")
    with open(path, "w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(names)
        rows.writerows(zip(place[0], arms, place[1], iterations, *([repr(x) for x in column] for column in numbers)))
    return "problem=" + yaml({"trajectories": str(path.absolute()), "arm_order": "file"})


def write(rewards, instances: Optional[Sequence[str]], arms: Optional[Sequence[str]], path: Path,
          holes: bool) -> str:
    """Writes rewards[instance, arm, repetition, iteration] to a CSV file; returns the override of an experiment that
    reads it. NaN and masked values are not there: at the end of a series it is shorter, within it there is a hole, all of it: the
    series is missing. Columns in long form bring their own names."""
    if _is_long(rewards):
        if instances is not None or arms is not None:
            raise InputError("instances, arms: they name the axes of an array; columns bring their own names")
        return _write_long(rewards, path)
    if hasattr(rewards, "dims"):
        if set(rewards.dims) != set(DIMENSIONS):
            raise InputError(f"rewards: expected the dimensions {', '.join(DIMENSIONS)}, got {', '.join(map(str, rewards.dims))}")
        rewards = rewards.transpose(*DIMENSIONS)
    elif np.ndim(rewards) != 4:
        raise InputError(f"rewards: expected the dimensions {', '.join(DIMENSIONS)}, got {np.ndim(rewards)} dimensions")
    else:
        rewards = np.ma.filled(np.ma.asarray(rewards, dtype=float), np.nan)
    names, labels = _labels(rewards, instances, 0), _labels(rewards, arms, 1)
    values = np.asarray(rewards, dtype=float)
    with open(path, "w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow((*DIMENSIONS, "reward"))
        for i, k, r in np.ndindex(values.shape[:3]):
            series = values[i, k, r]
            length = series.size - int(np.argmin(np.isnan(series[::-1]))) if not np.isnan(series).all() else 0
            series = series[:length]
            if np.isinf(series).any():
                raise InputError(f"rewards[{i}, {k}, {r}, {np.isinf(series).argmax()}]: expected a finite number, or NaN")
            if not holes and np.isnan(series).any():
                raise InputError(f"rewards[{i}, {k}, {r}, {np.isnan(series).argmax()}]: missing within a series; expected NaN "
                                 'only at its end, or a rule: overrides={"problem.holes": "close"} or "repeat"')
            rows.writerows((names[i], labels[k], r, n, repr(x)) for n, x in enumerate(series.tolist()) if x == x)
    return "problem=" + yaml({"trajectories": str(path.absolute()), "arm_order": "file", "instances": names})
