"""Recorded rewards from arrays: written as the CSV file that experiments read."""
from __future__ import annotations

import csv
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


def write(rewards, instances: Optional[Sequence[str]], arms: Optional[Sequence[str]], path: Path,
          holes: bool) -> str:
    """Writes rewards[instance, arm, repetition, iteration] to a CSV file; returns the override of an experiment that
    reads it. NaN and masked values are not there: at the end of a series it is shorter, within it there is a hole, all of it: the
    series is missing."""
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
