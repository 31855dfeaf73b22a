"""Running experiments."""
from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, sizeof
from pathlib import Path
from typing import Any, Optional, Union

from . import _rewards
from ._library import (ESTOPPED, MOST_INT, PROGRESS, CError, Error, Handle, InputError, RunSettings, check, file_path, flag,
                       lib, make, one_at_a_time, program, shown, texts, utf8, whole)
from ._text import named_place, yaml
from .result import Folder, Result


def _published(name: Any) -> Optional[Path]:
    """The file of an experiment of this name or path that was installed with the program; None: the name is that of a file."""
    text = str(name)
    if os.path.exists(name) or not (text.startswith("experiments/") or text.replace("_", "").isalnum()):
        return None
    try:
        prefix = Path(program()).resolve().parents[1]
    except Error:
        return None
    path = text if text.startswith("experiments/") else f"experiments/{text}.yaml"
    paths = (prefix / folder / path for folder in ("share/maxk", ""))
    return next((path for path in paths if path.exists()), None)


def _load(experiment: Any, overrides: list[str]) -> Handle:
    """An experiment from a path, a text or a mapping."""
    sets = texts("overrides", overrides)
    if isinstance(experiment, Mapping):
        text = yaml(experiment)
        try:
            return make(lib.mk_experiment_from_text, lib.mk_experiment_free, utf8("experiment", text), sets, len(overrides))
        except InputError as problem:
            raise InputError(named_place("experiment", text, str(problem)), problem.code) from None
    if not (isinstance(experiment, str) and ("\n" in experiment or "{" in experiment)):
        path = file_path("experiment", experiment)
        return make(lib.mk_experiment_load, lib.mk_experiment_free, os.fsencode(_published(path) or path), sets, len(overrides))
    return make(lib.mk_experiment_from_text, lib.mk_experiment_free, utf8("experiment", experiment), sets, len(overrides))


class _Run(threading.Thread):
    """A run in a thread of its own, so that the main thread sees signals."""

    def __init__(self, experiment: Handle, path: Path, threads: int, engine: str, force: bool,
                 progress: Optional[Callable[[int, int], Any]]):
        super().__init__(daemon=True)
        self.experiment, self.progress = experiment, progress
        self.problem: Optional[BaseException] = None
        self.ended = threading.Event()  # join, when interrupted, takes a running thread for ended (Python 3.11)
        self.code, self.err = 0, CError()
        self.begun = self.cancelled = False  # it may have to wait for another run
        report = PROGRESS(self.report) if progress else PROGRESS(0)
        self.settings = RunSettings(sizeof(RunSettings), os.fsencode(path), flag("force", force), threads, utf8("engine", engine),
                                    report, None)

    def report(self, context: Any, done: int, total: int) -> bool:
        try:
            if self.progress:
                self.progress(done, total)
        except BaseException as problem:  # raised again by run
            self.problem = problem
        return self.problem is None

    def run(self) -> None:
        with one_at_a_time:
            self.begun = True
            if self.cancelled:
                self.ended.set()
                return
            self.code = lib.mk_run_experiment(None, self.experiment.value, byref(self.settings), byref(self.err))
        self.ended.set()

    def finish(self) -> None:
        """Waits for the end; an exception in this thread, such as KeyboardInterrupt, stops the run."""
        if one_at_a_time.is_mine():  # within the progress function of another run, whose thread has the lock
            self.run()
        else:
            self.start()
        try:
            while not self.ended.wait(0.1):
                pass
        except BaseException:
            self.cancelled = True
            while self.begun and not self.ended.wait(0.05):  # repeated: a request before the simulation begins has no effect
                lib.mk_stop()
            raise
        if self.problem and self.code == ESTOPPED:
            raise self.problem
        check(self.code, self.err)


def run(experiment: Union[str, os.PathLike[str], Mapping[str, Any]], *, overrides: Optional[Mapping[str, Any]] = None,
        rewards: Any = None, costs: Any = None, test_rewards: Any = None,
        instances: Optional[Sequence[str]] = None, arms: Optional[Sequence[str]] = None,
        output: Union[str, os.PathLike[str], None] = None, threads: int = 0, engine: str = "auto", force: bool = False,
        progress: Optional[Callable[[int, int], Any]] = None) -> Result:
    """Runs an experiment and returns its result.

    experiment: what is simulated, in one of four forms: the path of an experiment file, the name of a published experiment
        ("e4_power"), the text of an experiment file (a string with a line break or a brace), or a mapping with its keys
        (`maxk list keys`). The seed of a mapping may be a numpy.random.Generator.
    overrides: values that replace those of the experiment, by dotted path, such as
        {"replications": 50, "policies.0.alpha": 0.3}.
    rewards: recorded rewards, in place of the key `problem`, in one of two forms.
        An array [instance, arm, repetition, iteration], or [arm, repetition, iteration] or [arm, iteration] for one
        instance. NaN (or masked) means that there is no reward, as after the end of a shorter series, or in all of a missing
        one. The axes of an xarray.DataArray with these dimensions are named by its coordinates.
        Columns, as a DataFrame or a mapping: arm, reward or loss, and instance, repetition, iteration, cost and test_reward or
        test_loss where these are known. maxk.read_runs and maxk.read_optuna and so on return such columns.
        Rules for uneven data are overrides, such as {"problem.ends_early": "hold", "problem.holes": "close"}, or keys of
        `problem` in a mapping.
    costs, test_rewards: arrays of the same shape as one of rewards: what the pulls cost, and what their configurations score on
        data kept apart (NaN: not known), which no policy sees (Result.incumbent, rank(score="incumbent")).
    instances, arms: names for the axes of an array. Without them they have numbers.
    output: path of the result file (HDF5). Rewards are stored next to it, as .rewards.h5 or, for columns, .rewards.csv. None:
        the files are temporary and exist as long as the result that is returned, or its path. An interrupted run is resumed
        if it is repeated with the same path. The result of another run at this path is kept as output.previous.
    threads: number of threads, 0 for all cores. The result does not depend on it.
    engine: "auto", "per-pull" or "record" (`maxk help run`).
    force: whether a result at `output` is replaced, whatever it contains.
    progress: a function that is called a few times a second with the number of finished replications and the number of all,
        in another thread. An exception in it stops the run. It may open results and run other experiments, which then have
        one thread.

    KeyboardInterrupt stops the run. InputError: the experiment is wrong; the message is file:line:column: key: the problem
    and what is allowed. While a run lasts, other threads must not use HDF5 (h5py, xarray)."""
    threads = whole("threads", threads, 0, MOST_INT)
    if overrides is not None and not isinstance(overrides, Mapping):
        raise InputError(f"overrides: expected a dictionary of values by dotted path, got {shown(overrides)}")
    if progress is not None and not callable(progress):
        raise InputError(f"progress: expected a function of two numbers, got {shown(progress)}")
    place = None if output is None else file_path("output", output).absolute()
    folder = None if place else Folder()
    sets = []
    if rewards is not None:
        problem = experiment.get("problem") if isinstance(experiment, Mapping) else None
        rules = {f"problem.{key}": value for key, value in (problem if isinstance(problem, Mapping) else {}).items()
                 if key in _rewards.RULES}
        overrides = {**rules, **(overrides or {})}
        stem = os.path.join(folder.path, "rewards") if folder else f"{place}.rewards"
        sets = [_rewards.write(rewards, instances, arms, stem, "problem.holes" in (overrides or {}),
                               {"costs": costs, "test_rewards": test_rewards})]
    elif any(of is not None for of in (instances, arms, costs, test_rewards)):
        raise InputError("instances, arms, costs, test_rewards: they belong to `rewards`, which is missing")
    sets += [f"{key}={yaml(value)}" for key, value in (overrides or {}).items()]
    with one_at_a_time:
        try:
            loaded = _load(experiment, sets)
        except Error as error:  # of a file that is gone when somebody reads this
            text = re.sub(re.escape(folder.path) + r"/(rewards)\.\w+", r"\1", str(error)) if folder else str(error)
            raise type(error)(text, error.code) from None
    path = place or Path(folder.path if folder else "", lib.mk_experiment_name(loaded.value).decode() + ".h5")
    _Run(loaded, path, threads, engine, force, progress).finish()
    return Result(path, folder)
