"""Recorded rewards from arrays and columns: written as the files that experiments read."""
from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping
from ctypes import POINTER, byref, c_double, c_size_t
from pathlib import Path
from typing import Any, Optional, Sequence

from ._library import CError, InputError, RecordedArrays, check, lib, one_at_a_time, shown, texts
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
    """Writes columns instance, arm, repetition, iteration and reward or loss, and cost and test_reward or test_loss where there
    are such; without instance or repetition there is one of them, without iteration rows are in order."""
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
    names = ["instance", "arm", "repetition", "iteration", *value,
             *(name for name in ("cost", "test_reward", "test_loss") if name in have)]
    amounts = [column(name, numbers(name, columns[name])) for name in names[4:]]
    if any(len(x) != len(arms) for x in (*place, iterations, *amounts)):
        raise InputError("rewards: expected columns of one length")
    with open(path, "w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(names)
        rows.writerows(zip(place[0], arms, place[1], iterations, *([repr(x) for x in amount] for amount in amounts)))
    return "problem=" + yaml({"trajectories": str(path.absolute()), "arm_order": "file"})


def _array(name: str, values: Any) -> Any:
    """An array [instance, arm, repetition, iteration], or an xarray.DataArray of these dimensions; masked values are NaN."""
    if hasattr(values, "dims"):
        if set(values.dims) != set(DIMENSIONS):
            raise InputError(f"{name}: expected the dimensions {', '.join(DIMENSIONS)}, got {', '.join(map(str, values.dims))}")
        return values.transpose(*DIMENSIONS)
    masked: Any = np.ma
    hidden = masked.getmask(values)
    values = numbers(name, values.data if isinstance(values, masked.MaskedArray) else values)
    if values.ndim not in (2, 3, 4):
        raise InputError(f"{name}: expected the dimensions {', '.join(DIMENSIONS)}, got {values.ndim} dimensions")
    if hidden is not masked.nomask:
        values = np.where(hidden, np.nan, values)
    if values.ndim == 2:  # [arm, iteration]
        values = values[:, None]
    return values[None] if values.ndim == 3 else values  # [arm, repetition, iteration]


def write(rewards: Any, instances: Optional[Sequence[str]], arms: Optional[Sequence[str]], stem: str,
          holes: bool, further: Mapping[str, Any]) -> str:
    """Writes rewards[instance, arm, repetition, iteration] to the file stem + ".h5"; returns the override of an experiment that
    reads it. NaN and masked values are not there: at the end of a series it is shorter, within it there is a hole, all of it: the
    series is missing. further: costs and test_rewards, arrays of the same shape, or None. Columns in long form bring their own
    names, costs and test scores, and go to stem + ".csv"."""
    if _is_long(rewards):
        for what, given in (("instances, arms", instances is not None or arms is not None),
                            ("costs, test_rewards", any(of is not None for of in further.values()))):
            if given:
                raise InputError(f"{what}: they belong to an array; columns bring their own")
        return _write_long(rewards, Path(stem + ".csv"))
    rewards = _array("rewards", rewards)
    names, labels = _labels(rewards, instances, 0), _labels(rewards, arms, 1)
    values = np.ascontiguousarray(numbers("rewards", rewards))
    if not values.size:
        raise InputError(f"rewards: expected at least one along every dimension, got {values.shape}")
    if not np.isfinite(values).all():
        _check_gaps(values, holes)
    others = {name: np.ascontiguousarray(numbers(name, _array(name, of))) for name, of in further.items() if of is not None}
    for name, of in others.items():
        if of.shape != values.shape:
            raise InputError(f"{name}: expected an array of the shape of rewards, {values.shape}, got {of.shape}")
    path, err = Path(stem + ".h5").absolute(), CError()
    real = POINTER(c_double)
    written = RecordedArrays(*(of.ctypes.data_as(real) if of is not None else None
                               for of in (values, others.get("costs"), others.get("test_rewards"))))
    with one_at_a_time:
        check(lib.mk_recorded_write(os.fsencode(path), byref(written), (c_size_t * 4)(*values.shape),
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
