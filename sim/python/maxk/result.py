"""Results of runs: arrays, xarray, and the tables of the program."""
from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from ctypes import POINTER, addressof, byref
from pathlib import Path
from typing import Any, Union

import numpy as np

from ._library import CError, InputError, Outcome, check, columns, lib, make, one_at_a_time, tables, texts


def _options(options: dict[str, Any]) -> list[str]:
    """Keywords as options: left_out=True → --left-out, horizon=[1, 2] → --horizon=1,2, without=["a", "b"] → one each."""
    arguments = []
    for key, value in options.items():
        name = "--" + key.replace("_", "-")
        if value is True:
            arguments.append(name)
        elif value is None or value is False:
            continue
        elif isinstance(value, (list, tuple, range, np.ndarray)):
            items = [str(item) for item in value]
            numbers = all(isinstance(item, (int, float, np.number)) for item in value)
            arguments += [f"{name}={','.join(items)}"] if numbers else [f"{name}={item}" for item in items]
        else:
            arguments.append(f"{name}={value}")
    return arguments


def _array(pointer, rows: int, owner) -> np.ndarray:
    """The values of a column of the library, which live as long as the array."""
    block = (pointer._type_ * rows).from_address(addressof(pointer.contents))
    block.owner = owner
    return np.ctypeslib.as_array(block)


def _values(handle, column: int, kind: int) -> np.ndarray:
    """A column as an array: numbers without a copy; where counts or flags are missing, numbers with NaN."""
    rows = lib.mk_table_rows(handle.value)
    if kind == 0:
        words = lib.mk_table_texts(handle.value, column)
        return np.array([None if words[i] is None else words[i].decode(errors="replace") for i in range(rows)], dtype=object)
    read = (lib.mk_table_counts, lib.mk_table_reals, lib.mk_table_flags)[kind - 1]
    values = _array(read(handle.value, column), rows, handle)
    missing = {1: 2 ** 64 - 1, 3: 255}.get(kind)
    if missing is not None and (absent := values == missing).any():
        return np.where(absent, np.nan, values)
    return values.view(bool) if kind == 3 else values


def _made(name: str, inputs: list[str], options: list[str]):
    """A table of the library."""
    with one_at_a_time:
        handle = make(lib.mk_table_make, lib.mk_table_free, name.encode(), texts(inputs), len(inputs), texts(options),
                      len(options))
    columns, at = {}, 0
    while column := lib.mk_table_column(handle.value, at):
        columns[column.contents.name.decode()] = _values(handle, at, column.contents.type)
        at += 1
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns, copy=False)


def table(command: str, *operands: Union[str, os.PathLike], **options: Any):
    """A table of the program, `maxk COMMAND OPERANDS --csv`, as a pandas DataFrame (without pandas a dictionary of numpy arrays,
    by column).

        maxk.table("survey", "runs.csv")
        maxk.table("rank", "result.h5", horizon=[50, 100], baseline="random")

    maxk.tables() names them. Keywords are the command's options (`maxk COMMAND --help`), with underscores for hyphens. No program
    is started; the numbers are arrays of the library without a copy, and maxk.columns(COMMAND) says what each column means.
    Tables of results by policy have a further column for every swept parameter: result.summary().query("alpha == 0.5")."""
    for form in ("csv", "json"):
        if form in options:
            raise InputError(f"{form}: the table comes as columns; `maxk {command} --{form}` prints text")
    if command in ("tune", "run", "record"):
        raise InputError(f"{command}: makes a result, which has tables; maxk.tables() names some")
    return _made(command, [os.fspath(operand) for operand in operands],
                 [option.removeprefix("--") for option in _options(options)])


class Folder:
    """A temporary folder, removed with the last reference."""

    _known: weakref.WeakValueDictionary[str, Folder] = weakref.WeakValueDictionary()

    def __init__(self, path: Union[str, None] = None):
        self.path = path or tempfile.mkdtemp(prefix="maxk-")
        weakref.finalize(self, self._remove, self.path, os.getpid())
        self._known[self.path] = self

    @staticmethod
    def _remove(path: str, process: int) -> None:
        if os.getpid() == process:  # a forked process has a copy of the object, but not the folder
            shutil.rmtree(path, ignore_errors=True)

    def content(self) -> dict[str, bytes]:
        """Its files, by name."""
        return {path.name: path.read_bytes() for path in Path(self.path).iterdir() if path.is_file()}

    @classmethod
    def restored(cls, path: str, content: dict[str, bytes]) -> Folder:
        """The folder of this path if this process has it; otherwise a new one with these files, of the same path where that is
        free: experiments name their files."""
        if path in cls._known:
            return cls._known[path]
        try:
            os.makedirs(path, 0o700)
            folder = cls(path)
        except OSError:
            folder = cls()
        for name, data in content.items():
            Path(folder.path, name).write_bytes(data)
        return folder


class Result:
    """The result of a run: a file, its arrays, its tables.

    path: the HDF5 file. policies, instances, arms: labels; horizons: ascending; replications: of every instance.
    mean_pulls, se_pulls: [policy, instance, horizon, arm], of the pulls N_i(T), with standard errors.
    mean_max, se_max: [policy, instance, horizon], of the largest reward.
    expected_max, gap: [instance, horizon, arm], exact E[M_i(T)] and Delta_i(T).
    pulls: [policy, instance, horizon, replication, arm] and max_reward: [policy, instance, horizon, replication]; None with
        keep: summary.
    NaN: undefined (an arm that the instance lacks).

    A pickled result takes its temporary file along, so that it can be sent to other processes.

    The methods named after commands return their tables (see maxk.table) and take their options as keywords."""

    def __init__(self, path: Union[str, os.PathLike], _folder=None):
        self.path = Path(path)
        self._folder = _folder
        outcome, err = POINTER(Outcome)(), CError()
        with one_at_a_time:
            check(lib.mk_outcome_read(byref(outcome), os.fsencode(self.path), byref(err)), err)
        try:
            self._copy(outcome.contents)
        finally:
            lib.mk_outcome_free(outcome)

    def _copy(self, o: Outcome) -> None:
        def labels(names, n):
            return [names[i].decode() for i in range(n)]

        def array(values, *shape):
            return np.ctypeslib.as_array(values, shape).copy() if values else None

        self.policies = labels(o.policy, o.policies)
        self.instances = labels(o.instance, o.instances)
        self.arms = labels(o.arm, o.arms)
        self.replications = o.replications
        self.horizons = array(o.horizon, o.horizons)
        cells, truth = (o.policies, o.instances, o.horizons), (o.instances, o.horizons, o.arms)
        self.mean_pulls, self.se_pulls = array(o.mean_pulls, *cells, o.arms), array(o.se_pulls, *cells, o.arms)
        self.mean_max, self.se_max = array(o.mean_max, *cells), array(o.se_max, *cells)
        self.expected_max, self.gap = array(o.expected_max, *truth), array(o.gap, *truth)
        self.pulls = array(o.pulls, *cells, o.replications, o.arms)
        self.max_reward = array(o.max_reward, *cells, o.replications)

    def __getstate__(self) -> dict[str, Any]:
        folder = self._folder
        return {**self.__dict__, "_folder": folder and (folder.path, folder.content())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_folder"]:
            self._folder = Folder.restored(*state["_folder"])
            self.path = Path(self._folder.path, self.path.name)

    def __repr__(self) -> str:
        sizes = {"policies": len(self.policies), "instances": len(self.instances), "horizons": len(self.horizons),
                 "arms": len(self.arms), "replications": self.replications}
        return f"<maxk.Result {self.path}: {', '.join(f'{name}: {n}' for name, n in sizes.items())}>"

    def to_xarray(self):
        """The arrays as an xarray.Dataset with the dimensions policy, instance, horizon, replication and arm. Swept parameters
        are coordinates along policy: data.where(data.alpha == 0.5, drop=True), data.swap_dims(policy="alpha")."""
        import xarray
        cells, truth = ("policy", "instance", "horizon"), ("instance", "horizon", "arm")
        variables = {
            "mean_pulls": (cells + ("arm",), self.mean_pulls), "se_pulls": (cells + ("arm",), self.se_pulls),
            "mean_max": (cells, self.mean_max), "se_max": (cells, self.se_max),
            "expected_max": (truth, self.expected_max), "gap": (truth, self.gap)}
        if self.pulls is not None:
            variables["pulls"] = (cells + ("replication", "arm"), self.pulls)
            variables["max_reward"] = (cells + ("replication",), self.max_reward)
        coordinates = {"policy": self.policies, "instance": self.instances, "horizon": self.horizons,
                       "replication": np.arange(self.replications), "arm": self.arms}
        described = table("policies", self.path)
        for name in described.keys():
            if name not in columns("policies"):  # a swept parameter
                coordinates[name if name not in coordinates else f"parameter_{name}"] = ("policy", np.asarray(described[name]))
        return xarray.Dataset(variables, coordinates)

    def summary(self, **options: Any):
        """`maxk summary`: mean pulls, largest rewards and regret, a row for every arm."""
        return table("summary", self.path, **options)

    def bounds(self, **options: Any):
        """`maxk bounds`: the bounds of Balef et al. 2025 against what was simulated, with verdicts."""
        return table("bounds", self.path, **options)

    def rank(self, **options: Any):
        """`maxk rank`: policies compared over instances, average ranks and tests."""
        return table("rank", self.path, **options)

    def rate(self, **options: Any):
        """`maxk rate`: the growth of pulls and regret in T."""
        return table("rate", self.path, **options)

    def lu(self, **options: Any):
        """`maxk lu`: the constants L and U of every arm."""
        return table("lu", self.path, **options)

    def gap_table(self, **options: Any):
        """`maxk gap`: expected maxima, best arms and gaps."""
        return table("gap", self.path, **options)

    def certify(self, **options: Any):
        """`maxk certify`: bounds on the pulls of MaxUCB that are proved to hold."""
        return table("certify", self.path, **options)


def _describe(function, name: str) -> None:
    """Appends the dictionary of columns of a table to the text of a function."""
    text = "".join(f"\n        {column}: {meaning}" for column, meaning in columns(name).items())
    if text:
        function.__doc__ = (function.__doc__ or "") + "\n\n        Columns:\n" + text


for _table in tables():
    if _function := getattr(Result, {"gap": "gap_table"}.get(_table, _table), None):
        _describe(_function, _table)


def open_result(path: Union[str, os.PathLike]) -> Result:
    """The result in a file that `maxk run` or maxk.run has written."""
    return Result(path)
