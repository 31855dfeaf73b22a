"""Recorded rewards from arrays and columns: written as the files that experiments read."""
from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping
from ctypes import POINTER, byref, c_double, c_size_t
from pathlib import Path
from typing import Any, Optional, Sequence

from ._library import CError, InputError, check, lib, one_at_a_time, shown, texts
from ._numpy import column, np, numbers
from ._text import yaml

RULES = ("missing", "ends_early", "holes")  # keys of uneven data
DIMENSIONS = ("instance", "arm", "repetition", "iteration")


def _labels(rewards: Any, given: Optional[Sequence[str]], axis: int) -> list[str]:
    """Names of an axis: as given, of the xarray coordinate, or numbers."""
    if given is None and hasattr(rewards, "coords") and DIMENSIONS[axis] in rewards.coords:
        given = rewards.coords[DIMENSIONS[axis]].values
    if isinstance(given, (str, bytes)) or given is not None and not isinstance(given, Iterable):
        raise InputError(f"{DIMENSIONS[axis]}s: expected {rewards.shape[axis]} distinct names, got {shown(given)}")
    names = [str(name) for name in (range(rewards.shape[axis]) if given is None else given)]
    if len(names) != rewards.shape[axis] or len(set(names)) != len(names):
        raise InputError(f"{DIMENSIONS[axis]}s: expected {rewards.shape[axis]} distinct names, got {names}")
    return names


def _is_long(rewards: Any) -> bool:
    """Whether these are columns, such as a DataFrame or a mapping, and no array."""
    return isinstance(rewards, Mapping) or hasattr(rewards, "iterrows")


def _write_long(columns: Any, path: Path) -> str:
    """Writes columns instance, arm, repetition, iteration and reward or loss, and cost where there is one; without instance or
    repetition there is one of them, without iteration rows are in order."""
    have = [str(name) for name in columns]
    value = [name for name in ("reward", "loss") if name in have]
    if "arm" not in have or len(value) != 1:
        raise InputError(f"rewards: expected columns arm and one of reward and loss, got {', '.join(have)}")
    arms = column("arm", columns["arm"])
    place = [column(name, columns[name]) if name in have else [0] * len(arms) for name in ("instance", "repetition")]
    series: dict[tuple[Any, ...], int] = {}
    iterations = column("iteration", columns["iteration"]) if "iteration" in have else []
    for key in [] if iterations else zip(arms, *place):
        series[key] = series.get(key, 0) + 1
        iterations.append(series[key])
    names = ["instance", "arm", "repetition", "iteration", *value, *(["cost"] if "cost" in have else [])]
    amounts = [column(name, numbers(name, columns[name])) for name in names[4:]]
    if any(len(x) != len(arms) for x in (*place, iterations, *amounts)):
        raise InputError("rewards: expected columns of one length")
    with open(path, "w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(names)
        rows.writerows(zip(place[0], arms, place[1], iterations, *([repr(x) for x in amount] for amount in amounts)))
    return "problem=" + yaml({"trajectories": str(path.absolute()), "arm_order": "file"})


def write(rewards: Any, instances: Optional[Sequence[str]], arms: Optional[Sequence[str]], stem: str,
          holes: bool) -> str:
    """Writes rewards[instance, arm, repetition, iteration] to the file stem + ".h5"; returns the override of an experiment that
    reads it. NaN and masked values are not there: at the end of a series it is shorter, within it there is a hole, all of it: the
    series is missing. Columns in long form bring their own names, and go to stem + ".csv"."""
    if _is_long(rewards):
        if instances is not None or arms is not None:
            raise InputError("instances, arms: they name the axes of an array; columns bring their own names")
        return _write_long(rewards, Path(stem + ".csv"))
    if hasattr(rewards, "dims"):
        if set(rewards.dims) != set(DIMENSIONS):
            raise InputError(f"rewards: expected the dimensions {', '.join(DIMENSIONS)}, got {', '.join(map(str, rewards.dims))}")
        rewards = rewards.transpose(*DIMENSIONS)
    else:
        masked: Any = np.ma
        hidden = masked.getmask(rewards)
        rewards = numbers("rewards", rewards.data if isinstance(rewards, masked.MaskedArray) else rewards)
        if rewards.ndim not in (2, 3, 4):
            raise InputError(f"rewards: expected the dimensions {', '.join(DIMENSIONS)}, got {rewards.ndim} dimensions")
        if hidden is not masked.nomask:
            rewards = np.where(hidden, np.nan, rewards)
        if rewards.ndim == 2:  # [arm, iteration]
            rewards = rewards[:, None]
        if rewards.ndim == 3:  # [arm, repetition, iteration]
            rewards = rewards[None]
    names, labels = _labels(rewards, instances, 0), _labels(rewards, arms, 1)
    values = np.ascontiguousarray(numbers("rewards", rewards))
    if not values.size:
        raise InputError(f"rewards: expected at least one along every dimension, got {values.shape}")
    if not np.isfinite(values).all():
        _check_gaps(values, holes)
    path, err = Path(stem + ".h5").absolute(), CError()
    with one_at_a_time:
        check(lib.mk_rewards_write(os.fsencode(path), values.ctypes.data_as(POINTER(c_double)), (c_size_t * 4)(*values.shape),
                                   texts("instances", names), texts("arms", labels), byref(err)), err)
    return "problem=" + yaml({"trajectories": str(path), "arm_order": "file", "instances": names})


def _check_gaps(values: Any, holes: bool) -> None:
    """Of rewards that are not all finite: none is infinite, and NaN comes only at the end of series without a rule for holes."""
    missing = np.isnan(values)
    later = np.logical_and(missing[..., :-1], ~missing[..., 1:])
    for what, wrong in (("expected a finite number, or NaN", np.isinf(values)), (
            'missing within a series; expected NaN only at its end, or a rule: overrides={"problem.holes": "close"} or "repeat"',
            later & (not holes))):
        if wrong.any():
            at = ", ".join(map(str, np.unravel_index(wrong.argmax(), wrong.shape)))
            raise InputError(f"rewards[{at}]: {what}")
