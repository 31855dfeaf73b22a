"""Results of runs: arrays, xarray, and the tables of the program."""
from __future__ import annotations

import functools
import math
import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from ctypes import POINTER, addressof, byref, c_size_t
from html import escape
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Optional, Union, cast

from ._library import (CError, Handle, InputError, ResultArrays, check, columns, file_path, flag, lib, make, meaning,
                       one_at_a_time, shown, stoppable, texts, utf8)
from ._numpy import Array, has_numpy, np
from ._tables import RESULT_TABLES, ResultTables, Table


def _options(options: dict[str, Any]) -> list[str]:
    """Keywords as options: left_out=True → --left-out, horizon=[1, 2] → --horizon=1,2, without=["a", "b"] → one each;
    from_=9 → --from=9, as `from` is a word of Python."""
    arguments = []
    for key, value in options.items():
        name = "--" + key.removesuffix("_").replace("_", "-")
        if value is True:
            arguments.append(name)
        elif value is None or value is False:
            continue
        elif isinstance(value, (list, tuple, range)) or hasattr(value, "tolist") and hasattr(value, "__len__"):
            items = [str(item) for item in value]
            numbers = not any(isinstance(item, str) for item in value)
            arguments += [f"{name}={','.join(items)}"] if numbers else [f"{name}={item}" for item in items]
        else:
            arguments.append(f"{name}={value}")
    return arguments


def _array(pointer: Any, rows: int, owner: Handle) -> Array:
    """The values of a column of the library, which live as long as the array."""
    block = (pointer._type_ * rows).from_address(addressof(pointer.contents))
    block.owner = owner
    return np.ctypeslib.as_array(block)


def _values(table: Any, owner: Handle, column: int, kind: int) -> Any:
    """A column as an array: numbers without a copy; where counts or flags are missing, numbers with NaN. Without numpy a list."""
    rows = lib.mk_table_rows(table)
    if kind == 0:
        found = lib.mk_table_texts(table, column)
        words = [None if found[i] is None else found[i].decode(errors="replace") for i in range(rows)]
        return np.array(words, dtype=object) if has_numpy else words
    numbers = (lib.mk_table_counts, lib.mk_table_reals, lib.mk_table_flags)[kind - 1](table, column)
    missing = {1: 2 ** 64 - 1, 3: 255}.get(kind)
    if not has_numpy:
        return [math.nan if x == missing else bool(x) if kind == 3 else x for x in numbers[:rows]]
    values = _array(numbers, rows, owner)
    if missing is not None and (absent := values == missing).any():
        return np.where(absent, np.nan, values)
    return values.view(bool) if kind == 3 else values


def _lines(table: Any, line: Any) -> list[str]:
    """line(table, 0), line(table, 1), … up to the first one that is not there."""
    lines = (line(table, i) for i in count())
    return [text.decode(errors="replace") for text in takewhile(lambda text: text is not None, lines)]


def _rows_of(table: Any, group: int) -> list[int]:
    n = c_size_t()
    rows = lib.mk_table_group_rows(table, group, byref(n))
    return list(rows[:n.value]) if rows else []


class Columns(dict[str, Any]):
    """The columns of a table by name, where there is no pandas; `attrs` as of a DataFrame."""

    attrs: dict[str, Any]


def as_table(owner: Handle, table: Any = None) -> Any:
    """The columns of a table of the library, the one that is owned or a further one, which live as long as any of them."""
    table = table or owner.value
    described = list(takewhile(bool, (lib.mk_table_column(table, i) for i in count())))
    about = [found.contents for found in described]
    columns = Columns({c.name.decode(): _values(table, owner, i, c.type) for i, c in enumerate(about)})
    captions = _lines(table, lib.mk_table_group_caption)
    attrs = {"title": lib.mk_table_title(table).decode(), "caption": lib.mk_table_caption(table).decode(errors="replace"),
             "notes": _lines(table, lib.mk_table_note), "warnings": _lines(table, lib.mk_table_warning),
             "groups": [(caption, _rows_of(table, group)) for group, caption in enumerate(captions)],
             "columns": dict(map(meaning, about))}
    try:
        import pandas
    except ImportError:
        columns.attrs = attrs
        return columns
    frame = pandas.DataFrame(columns, copy=False)
    frame.attrs = attrs
    return frame


def _made(name: str, inputs: list[str], options: list[str], further: bool) -> Any:
    """A table of the library; further: a list of it and those that follow it."""
    owner = stoppable(lambda: make(lib.mk_table_make, lib.mk_table_free, utf8("table", name), texts("operand", inputs),
                                   len(inputs), texts("option", options), len(options)))
    if not further:
        return as_table(owner)
    found, table = [], owner.value.value
    while table:
        found.append(as_table(owner, table))
        table = lib.mk_table_further(table)
    return found


def _table(command: str, *operands: Union[str, os.PathLike[str]], further: bool = False, **options: Any) -> Any:
    """Makes a table of the program, as `maxk COMMAND OPERANDS --csv` prints it, as a pandas DataFrame. Without pandas it is a
    dictionary with a numpy array for each column.

        maxk.table("survey", "runs.csv")
        maxk.table("rank", "result.h5", horizon=[50, 100], baseline="random")

    command: the name of the table; maxk.tables() lists all.
    operands: paths, or results (maxk.Result), whose files are then taken.
    further: return a list of tables instead: this table, and those that the program prints with it, such as the counts of
        verdicts after the bounds, or L and U by rank. Rows that the program prints as a table of their own are in one
        whose title ends with "as printed".
    options: the options of the command (`maxk COMMAND --help`), with underscores in place of hyphens.

    The library makes the table in this process; no program is started. Tables with a row for each policy have a further
    column for each swept parameter: result.summary().query("alpha == 0.5"). What belongs to no single row is in `attrs` of
    the table:

    title: a few words, such as "L and U by rank".
    caption, notes: what is printed above and below the rows.
    groups: if the rows are printed as several tables, [(caption, rows), …]. table.iloc[rows] are the rows of one of them.
    warnings: what is to be said of the inputs.
    columns: what each column means, with its unit, as in maxk.columns(COMMAND); columns of swept parameters are included."""
    for form in ("csv", "json"):
        if form in options:
            raise InputError(f"{form}: the table comes as columns; `maxk {command} --{form}` prints text")
    if command in ("tune", "run", "record"):
        raise InputError(f"{command}: makes a result, which has tables; maxk.tables() names some")
    return _made(command, [os.fspath(file_path("operand", operand)) for operand in operands],
                 [option.removeprefix("--") for option in _options(options)], flag("further", further))


_table.__name__ = _table.__qualname__ = "table"
table = cast(Table, _table)


def report(results: Sequence[Union[str, os.PathLike[str]]], path: Union[str, os.PathLike[str]],
           title: Optional[str] = None) -> Path:
    """Writes result files as one HTML page (`maxk report`)."""
    page, err = file_path("path", path), CError()
    heading = None if title is None else utf8("title", title)
    operands = texts("results", [os.fspath(file_path("results", one)) for one in results])
    check(stoppable(lambda: int(lib.mk_report_write(operands, len(results), heading, os.fsencode(page), byref(err)))), err)
    return page


def _best(of: Array, values: Array) -> Array:
    """values[…, arm] of the arm for which `of` is largest; NaN where it is known of none."""
    known = np.where(np.isnan(of), -np.inf, of)
    chosen = np.take_along_axis(values, known.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return np.where(np.isneginf(known.max(axis=-1)), np.nan, chosen)


def _mean(values: Array) -> float:
    """The mean over instances; NaN where nothing is known."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan


def _html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    return (f"<table><caption>{escape(caption)}</caption><thead><tr>{names}</tr></thead><tbody>{cells}</tbody></table>")


class Folder:
    """A temporary folder, removed with the last reference."""

    _known: weakref.WeakValueDictionary[str, Folder] = weakref.WeakValueDictionary()

    def __init__(self, path: Optional[str] = None):
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


class _KeptPath(type(Path())):  # type: ignore[misc] # of this system
    """The path of a temporary file, which is there as long as its result or this path is."""

    folder: Optional[Folder] = None

    def __repr__(self) -> str:
        return f"Path({str(self)!r})"


def axes(ax: Any) -> Any:
    """matplotlib's axes, new ones if None."""
    import matplotlib.pyplot
    if ax is not None and not hasattr(ax, "plot"):
        raise InputError(f"ax: expected axes of matplotlib, got {shown(ax)}")
    return ax or matplotlib.pyplot.subplots()[1]


class Result(ResultTables):
    """The result of a run: a file, its arrays, and its tables.

    path: path of the HDF5 file. h5py, xarray and maxk.table take the result itself in place of a path. A temporary file
        exists as long as the result or its path.
    policies, instances, arms: the labels.
    horizons: the horizons, in ascending order; with horizon_unit: cost they are costs.
    replications: the number of replications of every instance.
    mean_pulls, se_pulls: [policy, instance, horizon, arm]: mean and standard error of the pulls N_i(T).
    mean_max, se_max: [policy, instance, horizon]: mean and standard error of the largest reward.
    expected_max, gap: [instance, horizon, arm]: the exact E[M_i(T)] and Delta_i(T).
    pulls: [policy, instance, horizon, replication, arm]; None if the experiment has keep: summary.
    max_reward: [policy, instance, horizon, replication]: the largest reward of each replication; None as for pulls.
    incumbent: the same of the test score of the configuration that has this reward, or of noisy searches of its value without
        noise; NaN where it is not known, None if neither was recorded.

    NaN means undefined, as for an arm that an instance lacks. Without numpy, the arrays are nested lists.

    Methods that are named after commands return the tables of these commands, with the options as keywords (see maxk.table).
    With further=True they return a list of all tables that the command prints.

    A pickled result contains its temporary file, so that it can be sent to other processes."""

    def __init__(self, path: Union[str, os.PathLike[str]], _folder: Optional[Folder] = None):
        self.path = file_path("path", path).absolute()
        self._keep(_folder)
        arrays, err = POINTER(ResultArrays)(), CError()
        with one_at_a_time:
            check(lib.mk_result_arrays_read(byref(arrays), os.fsencode(self.path), byref(err)), err)
        try:
            self._copy(arrays.contents)
        finally:
            lib.mk_result_arrays_free(arrays)

    def _keep(self, folder: Optional[Folder]) -> None:
        """The folder of a temporary file."""
        self._folder = folder
        if folder:
            self.path = _KeptPath(self.path)
            self.path.folder = folder

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def _copy(self, o: ResultArrays) -> None:
        def labels(names: Any, n: int) -> list[str]:
            return [names[i].decode() for i in range(n)]

        def array(values: Any, *shape: int) -> Any:
            if not values:
                return None
            if has_numpy:
                return np.ctypeslib.as_array(values, shape).copy()
            nested = values[:math.prod(shape)]
            for n in reversed(shape[1:]):
                nested = [nested[i:i + n] for i in range(0, len(nested), n)]
            return nested

        self.policies = labels(o.policy, o.policies)
        self.instances = labels(o.instance, o.instances)
        self.arms = labels(o.arm, o.arms)
        self.replications = o.replications
        self.horizons = array(o.horizon, o.horizons)
        self._by_cost = bool(o.cost_parts)
        if o.cost_parts > 1:
            self.horizons = self.horizons / o.cost_parts if has_numpy else [h / o.cost_parts for h in self.horizons]
        cells, truth = (o.policies, o.instances, o.horizons), (o.instances, o.horizons, o.arms)
        self.mean_pulls, self.se_pulls = array(o.mean_pulls, *cells, o.arms), array(o.se_pulls, *cells, o.arms)
        self.mean_max, self.se_max = array(o.mean_max, *cells), array(o.se_max, *cells)
        self.expected_max, self.gap = array(o.expected_max, *truth), array(o.gap, *truth)
        self.pulls = array(o.pulls, *cells, o.replications, o.arms)
        self.max_reward = array(o.max_reward, *cells, o.replications)
        self.incumbent = array(o.incumbent, *cells, o.replications)

    def __getstate__(self) -> dict[str, Any]:
        folder = self._folder
        return {**self.__dict__, "_folder": folder and (folder.path, folder.content())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_folder"]:
            folder = Folder.restored(*state["_folder"])
            self.path = Path(folder.path, self.path.name)
            self._keep(folder)

    def __repr__(self) -> str:
        sizes = {"policies": len(self.policies), "instances": len(self.instances), "horizons": len(self.horizons),
                 "arms": len(self.arms), "replications": self.replications}
        return f"<maxk.Result {self.path}: {', '.join(f'{name}: {n}' for name, n in sizes.items())}>"

    def _repr_html_(self) -> str:
        """For notebooks: largest rewards, regret and pulls of the best arm at the largest horizon, a row for each policy."""
        if not has_numpy:
            return f"<p>{escape(repr(self)[1:-1])}</p>"
        at, shown = len(self.horizons) - 1, self.policies[:20]
        regret, share = self._regret()[:, :, at], self._best_share()[:, :, at]
        cells = [[label, f"{_mean(self.mean_max[p, :, at]):.6g}", f"{_mean(regret[p]):.3g}", f"{_mean(share[p]):.3g}"]
                 for p, label in enumerate(shown)]
        more = f"<p>{len(self.policies) - len(shown)} more policies</p>" if len(shown) < len(self.policies) else ""
        over = f", means over {len(self.instances)} instances" if len(self.instances) > 1 else ""
        return (f"<p>{escape(repr(self)[1:-1])}</p>" + _html_table(
            f"T = {self.horizons[at]}{over}", ["policy", "mean largest reward", "regret", "share of pulls on the best arm"],
            cells) + more)

    def _regret(self) -> Array:
        """[policy, instance, horizon]: the largest E[M_i(T)] minus the mean of the largest reward."""
        return np.asarray(_best(self.expected_max, self.expected_max)[None] - self.mean_max)

    def _best_share(self) -> Array:
        """[policy, instance, horizon]: pulls of the arm with the largest E[M_i(T)], divided by T, of costs by all pulls."""
        best = np.broadcast_to(self.expected_max, self.mean_pulls.shape)
        made = np.nansum(self.mean_pulls, -1) if self._by_cost else self.horizons
        with np.errstate(invalid="ignore"):  # a combined search pulls no arm
            return np.asarray(_best(best, self.mean_pulls) / made)

    def plot(self, quantity: str = "regret", ax: Any = None) -> Any:
        """Plots a quantity against T, one curve for each policy, and returns the axes of matplotlib. Values are means over the
        instances.

        quantity: "regret", the largest E[M_i(T)] minus the mean of the largest reward; "mean_max", the mean of the largest
            reward, with its standard error if there is one instance; or "best_share", the share of pulls of the arm with the
            largest E[M_i(T)].
        ax: the axes to draw on. None: new ones."""
        values = {"regret": self._regret, "mean_max": lambda: self.mean_max, "best_share": self._best_share}
        if not isinstance(quantity, str) or quantity not in values:
            raise InputError(f"quantity: expected one of {', '.join(values)}, got {shown(quantity)}")
        ax = axes(ax)
        found = values[quantity]()
        for p, label in enumerate(self.policies):
            error = self.se_max[p, 0] if quantity == "mean_max" and len(self.instances) == 1 else None
            ax.errorbar(self.horizons, [_mean(x) for x in found[p].T], yerr=error, marker="o", markersize=3, label=label)
        ax.set_xscale("log")
        ax.set_xlabel("T")
        ax.set_ylabel(quantity.replace("_", " "))
        ax.legend()
        return ax

    def report(self, path: Union[str, os.PathLike[str]] = "report.html", title: Optional[str] = None) -> Path:
        """Writes the result as one HTML page (`maxk report`) and returns its path. gnuplot draws the figures of the page."""
        return report([self.path], path, title)

    def to_xarray(self) -> Any:
        """Returns the arrays as an xarray.Dataset with the dimensions policy, instance, horizon, replication and arm. Swept
        parameters are coordinates of policy: data.where(data.alpha == 0.5, drop=True), data.swap_dims(policy="alpha")."""
        import xarray
        cells, truth = ("policy", "instance", "horizon"), ("instance", "horizon", "arm")
        variables = {
            "mean_pulls": (cells + ("arm",), self.mean_pulls), "se_pulls": (cells + ("arm",), self.se_pulls),
            "mean_max": (cells, self.mean_max), "se_max": (cells, self.se_max),
            "expected_max": (truth, self.expected_max), "gap": (truth, self.gap)}
        if self.pulls is not None:
            variables["pulls"] = (cells + ("replication", "arm"), self.pulls)
            variables["max_reward"] = (cells + ("replication",), self.max_reward)
        if self.incumbent is not None:
            variables["incumbent"] = (cells + ("replication",), self.incumbent)
        coordinates = {"policy": self.policies, "instance": self.instances, "horizon": self.horizons,
                       "replication": np.arange(self.replications), "arm": self.arms}
        described = _table("policies", self.path)
        for name in described.keys():
            if name not in columns("policies"):  # a swept parameter
                coordinates[name if name not in coordinates else f"parameter_{name}"] = ("policy", np.asarray(described[name]))
        return xarray.Dataset(variables, coordinates)


def _describe(function: Any, name: str) -> None:
    """Appends the dictionary of columns of a table to the text of a function."""
    text = "".join(f"\n        {column}: {meaning}" for column, meaning in columns(name).items())
    if text:
        function.__doc__ = (function.__doc__ or "").rstrip() + "\n\n        Columns:\n" + text


def _method(name: str, command: str) -> None:
    """Result.name: the table of the command, with the typed signature of ResultTables; an option that there is not is an
    InputError."""
    typed = getattr(ResultTables, name)

    @functools.wraps(typed)
    def made(self: Result, **options: Any) -> Any:
        return _table(command, self.path, **options)

    _describe(made, command)
    setattr(Result, name, made)


for _name, _command in RESULT_TABLES.items():
    _method(_name, _command)


def open_result(path: Union[str, os.PathLike[str]]) -> Result:
    """Opens the result in a file that `maxk run` or maxk.run has written."""
    return Result(path)
