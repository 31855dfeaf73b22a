"""Studies: a policy chooses among arms, the optimiser of the arm its configuration."""
from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import math
import os
import pickle
import re
import selectors
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, \
    ThreadPoolExecutor, wait
from ctypes import POINTER, Structure, addressof, byref, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p, sizeof
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Optional, Union

from ._library import (EFAIL, MOST_REWARD, SIZE_NONE, CError, Error, Handle, InputError, check, file_path, flag, lib, make,
                       new_lock, one_at_a_time, real, seed_of, shown, stoppable, texts, utf8, whole)
from ._own import Own, class_of, is_own
from ._reopen import head_of, journal_of, recorded, space_of
from ._reports import Link, Listening
from ._text import named_place, yaml
from .result import as_table, axes, report
from .result import table as open_table
from .space import NO_SPACE, Space, collide, completed, described, is_given, named, word_of

Objective = Callable[["Trial"], Any]
Callback = Callable[["Study", "Trial"], Any]
_STATUS = ("running", "ok", "failed", "timed out", "infeasible", "pruned")
DEFAULT_POLICY = {"name": "max_ucb", "alpha": 0.5, "scale": "minmax"}
_NEW, _RESUMED, _REPAIRED, _OVER = range(4)  # enum mk_study_start
_TRIES = 3  # of a trial whose worker is lost
_log = logging.getLogger("maxk")
MOST_STEPS = 10 ** 9  # of trial.report
_WHOLE = f"expected a finite number up to {MOST_REWARD:g} in size"


class _Settings(Structure):
    _fields_ = [("size", c_size_t), ("result", c_char_p), ("start", c_int), ("own", c_void_p)]


def _settings(path: Optional[Path] = None, start: int = _NEW) -> _Settings:
    return _Settings(sizeof(_Settings), None if path is None else os.fsencode(path), start)


def _start(resume: Any, force: Any) -> int:
    """What a study does with the results of an earlier one in the same place."""
    resumed = _REPAIRED if resume == "repair" else _RESUMED if flag("resume", resume) else _NEW
    if flag("force", force) and resumed:
        raise InputError("study: resume: cannot be combined with force")
    return _OVER if force else resumed


class _Result(Structure):
    _fields_ = [("arm", c_char_p), ("configuration", c_char_p), ("value", c_double)]


class _Again(Structure):
    _fields_ = [("trial", c_size_t), ("instance", c_char_p), ("test", c_int), ("seed", c_uint64), ("fidelity", c_double),
                ("status", c_int), ("value", c_double), ("seconds", c_double), ("why", c_char_p)]


class _Trial(Structure):
    _fields_ = [("arm", c_size_t), ("arm_label", c_char_p), ("configuration", c_char_p), ("seed", c_uint64),
                ("fidelity", c_double), ("status", c_int), ("added", c_int), ("value", c_double), ("seconds", c_double),
                ("why", c_char_p)]


@dataclass(frozen=True)
class Trial:
    """One evaluation of one configuration.

    number: number of the trial, from 0; in files trials count from 1.
    arm: label of the arm.
    params: values of the active hyperparameters.
    seed: a seed from 1 to 2^31 - 2 for whatever is random in the evaluation.
    fidelity: the share of a whole evaluation that is wanted, 0 < fidelity <= 1. It is below 1 only with optimisers that
        evaluate in part (successive_halving, hyperband, asha, bohb).
    value: the result; NaN if there is none.
    status: "running", "ok", "failed", "timed out", "infeasible" or "pruned".
    seconds: how long the evaluation took; NaN while it is running.
    why: why the trial failed or is infeasible; "" if neither.
    added: whether it is an earlier result, from Study.add_trials.
    metrics: the further metrics that are known.
    instance: with Study(instances=…) the instance on which the trial runs. Otherwise its number, from 1, if the optimiser
        is irace, and 0 for other optimisers.
    whole: the value of the configuration: that of the trial or, after the last of several instances, the mean over all of
        them; NaN for a failed trial and for an evaluation in part.
    traceback: the traceback of the exception that made the trial fail, in the session in which it was raised.
    run: which of the runs of its configuration this is, from 1; 0 if the configuration has only one run.
    step: the last step that the trial has reported, 0 if none; the fidelity of a pruned trial is step / max_step.
    bound: seconds after which it is to be ended, with Study(bound=…); otherwise infinite.
    first: whether its configuration was to be tried first: one of Study(first=…), a default or an enqueued one."""

    number: int
    arm: str
    params: dict[str, Any]
    seed: int
    fidelity: float = 1.0
    value: float = math.nan
    status: str = "running"
    seconds: float = math.nan
    why: str = ""
    added: bool = False
    metrics: dict[str, float] = field(default_factory=dict)  # those that are known
    instance: Any = 0
    whole: float = math.nan
    traceback: str = field(default="", compare=False, repr=False)
    run: int = 0
    first: bool = False
    step: int = 0
    bound: float = math.inf
    _link: Optional[Link] = field(default=None, compare=False, repr=False)  # of a trial that Study(pruning=…) may end
    _folder: str = field(default="", compare=False, repr=False)

    @property
    def folder(self) -> Path:
        """A folder for what the trial saves. If the trial continues the same configuration at a higher fidelity (hyperband,
        successive_halving, asha, bohb), it finds there what the earlier trials have saved, and so does a trial that is run again.
        With Study(path=…) the folder is OUT.trials/N and remains; otherwise it is removed with the study."""
        if not self._folder:
            raise Error("folder: the trial is not one of a study")
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        return Path(self._folder)

    def report(self, value: float, step: int) -> None:
        """Reports an intermediate value of the objective at a step from 1 on, such as an epoch. It may be called in a process of
        an executor on this machine. In a study without pruning it has no effect."""
        number, at = real("value", value), whole("step", step, 1, MOST_STEPS)
        if not abs(number) <= MOST_REWARD:
            raise InputError(f"report: the value is {shown(value)}; {_WHOLE}")
        if self._link is not None:
            self._link.report(number, at)

    def should_stop(self) -> bool:
        """Whether the trial has to end with the value that it has reported last. It is then pruned, with this value, whatever the
        objective returns or raises."""
        return self._link is not None and self._link.stop


class _Raised(Exception):
    """An exception that an objective has raised, perhaps in another process: its traceback."""

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"


@dataclass(frozen=True)
class _Outcome:
    """What an objective gives: a value, or why there is none. The exception itself stays in its process."""

    value: Optional[float]
    why: str
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    traceback: str = ""
    problem: Optional[Exception] = None
    timed_out: bool = False

    def __reduce__(self) -> Any:
        return _Outcome, (self.value, self.why, self.seconds, dict(self.metrics), self.traceback, None, self.timed_out)

    def cause(self) -> Optional[Exception]:
        return self.problem or (_Raised(self.traceback) if self.traceback else None)


def _named(problem: Exception) -> str:
    """An exception in words; it may have none."""
    try:
        return f"{type(problem).__name__}: {problem}"
    except Exception:
        return type(problem).__name__


def _placed(what: str, name: str, given: str, problem: InputError) -> InputError:
    """A problem of a configuration that yaml() has written, with its name in place of a line and a column."""
    line = named_place(what, given, str(problem))
    return problem if line == str(problem) else InputError(line.replace(what, name, 1), problem.code)


def _evaluate(objective: Objective, trial: Trial) -> _Outcome:
    """Runs where the executor runs it. Whatever the objective raises is a failed trial."""
    start = time.perf_counter()
    value, why, metrics = None, "", {}
    trace, raised = "", None
    try:
        given = objective(trial)
        if given is None and trial._link is not None:
            given = trial._link.last
        if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
            given, metrics = given[0], {str(name): float(x) for name, x in given[1].items()}
        value = float(given)
        if not abs(value) <= MOST_REWARD:
            value, why = None, f"the objective returned {shown(given)}; {_WHOLE}"
    except Exception as problem:  # not KeyboardInterrupt
        why, raised = _named(problem), problem
        try:
            trace = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
        except Exception:  # its text cannot be made
            trace = why
    if trial.should_stop() and trial._link is not None:
        value, why, trace, raised = trial._link.last, "", "", None
    return _Outcome(value, why, time.perf_counter() - start, metrics, trace, raised)


def _child(objective: Objective, trial: Trial, to: int) -> None:
    """Evaluates in a process of its own, which writes the outcome."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with its parent
    try:
        outcome = _evaluate(objective, trial)
        with open(to, "wb") as file:
            pickle.dump(outcome, file)
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)


def _evaluate_within(limit: float, study: int, objective: Objective, trial: Trial) -> _Outcome:
    """_evaluate in a child of this process, which is killed after `limit` or trial.bound seconds, with the processes that it has
    started, whatever it does."""
    start, limit = time.perf_counter(), min(limit, trial.bound)
    with contextlib.suppress(Exception):
        sys.stdout.flush()  # or the child writes it again
        sys.stderr.flush()
    to_read, to_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(to_read)
        _child(objective, trial, to_write)
    os.close(to_write)
    said = b""
    try:
        with open(to_read, "rb", buffering=0) as file, selectors.DefaultSelector() as ready:
            ready.register(file, selectors.EVENT_READ)
            while (left := limit - (time.perf_counter() - start)) > 0:
                if not ready.select(min(left, 3600)):  # which takes no time that is infinite or of weeks
                    continue
                part = file.read(1 << 16)
                if not part:
                    break
                said += part
    finally:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(child, signal.SIGKILL)
        end = os.waitpid(child, 0)[1]
    try:
        return pickle.loads(said)  # type: ignore[no-any-return]
    except Exception:
        took = time.perf_counter() - start
    if took >= limit and trial.bound <= limit:
        return _Outcome(trial.bound, "", took)
    if took >= limit:
        return _Outcome(None, f"ended after {limit:g} s (trial_timeout)", took, timed_out=True)
    return _Outcome(None, f"its process has ended with {os.waitstatus_to_exitcode(end)}", took)


class _Evaluating(threading.local):
    """The studies one of whose trials this thread evaluates."""

    def __init__(self) -> None:
        self.studies: list[int] = []


_evaluating = _Evaluating()


def _evaluate_for(study: int, objective: Objective, trial: Trial) -> _Outcome:
    """_evaluate, in a thread that knows for which study."""
    _evaluating.studies.append(study)
    try:
        return _evaluate(objective, trial)
    finally:
        _evaluating.studies.pop()


def _optimizers(optimizer: Any, spaces: Mapping[str, Any]) -> dict[str, Any]:
    """By arm, of "tpe", {"name": "tpe", …}, an object, or such a thing for every label."""
    if not isinstance(optimizer, Mapping) or "name" in optimizer:
        if is_own(optimizer) and len(spaces) > 1:
            raise InputError(f"optimizer: {class_of(optimizer)} cannot choose for {len(spaces)} arms; expected a dictionary with "
                             "an object for every label")
        return {arm: _known("optimizer", optimizer) for arm in spaces}
    found = {str(label): one for label, one in optimizer.items()}
    for arm in spaces:
        if arm not in found:
            raise InputError(f"optimizer: expected one for every arm or {{'name': …}}; there is none for {arm!r}")
    for label in found:
        if label not in spaces:
            raise InputError(f"optimizer: {shown(label)} is no arm; expected one for each of {', '.join(spaces)}")
        _known(f"optimizer of {label}", found[label])
    return found


def _known(what: str, one: Any) -> Any:
    """A policy or an optimiser: its name, its description, or an object."""
    if isinstance(one, (str, Mapping)) or is_own(one):
        return one
    raise InputError(f"{what}: expected a name, a dictionary with a name, or an object with the methods ask and tell, got "
                     f"{shown(one)}")


def _bounds(subject_to: Any) -> dict[str, dict[str, Any]]:
    for name, bounds in subject_to.items() if isinstance(subject_to, Mapping) else [("", None)]:
        if not isinstance(bounds, Mapping):
            raise InputError("subject_to: expected bounds by metric, such as {'memory': {'at_most': 100}}, got "
                             f"{shown(subject_to)}")
    return {name: dict(bounds) for name, bounds in subject_to.items()}


def _instances(name: str, given: Sequence[Any]) -> dict[str, Any]:
    """By their names, which are their texts."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"{name}: expected a list, such as of files, data sets or seeds, got {shown(given)}")
    found: dict[str, Any] = {}
    for one in given:
        if str(one) in found or not str(one):
            raise InputError(f"{name}: expected distinct ones, with distinct texts, got {shown(one)} twice")
        found[str(one)] = one
    return found


def _drawn(path: Optional[Path], resume: bool) -> int:
    """A seed for a study without one: that of its journal, or one that is drawn."""
    if path is not None and resume and journal_of(path).is_file():
        for line in journal_of(path).read_text(errors="replace").splitlines():
            if line.startswith("= seed: "):
                return int(line.split()[2])
    return int.from_bytes(os.urandom(4), "little")


def _free(process: int, value: c_void_p) -> None:
    """Frees a study of this process; a forked one has a copy of the object, but neither journal nor lock. It does not refer to
    the Study, which is gone with its last reference."""
    if os.getpid() == process:
        lib.mk_study_free(value)


def _remove(process: int, folder: str) -> None:
    """Removes the folders of the trials of a study in memory."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


_open: weakref.WeakValueDictionary[str, Study] = weakref.WeakValueDictionary()  # that have a journal, by its path


class Study:
    """A search over several arms (algorithms) and their hyperparameters for the best value of an objective.

        study = maxk.Study(arms={"svc": {"C": maxk.Real(1e-3, 1e3, log=True)}, "knn": {"n_neighbors": maxk.Integer(1, 50)}})
        study.optimize(objective, n_trials=100)
        study.best_arm, study.best_params, study.best_value

    For each trial a policy chooses an arm, and the optimiser of that arm proposes a configuration.

    What is searched:

    arms: a dictionary with a search space for each label. A space is a dictionary of hyperparameters (Real, Integer,
        Categorical) and of constants, such as {"C": Real(0.1, 10), "max_iter": 500}; it may be empty. Its
        key "forbid" may have combinations that are not tried: a relation such as "x + y > 4" or "kernel == rbf and x < y", a
        dictionary such as {"kernel": "rbf", "x": "> 2"}, or a list of them.
    policy: the policy that chooses arms, such as "uniform" or {"name": "max_ucb", "alpha": 0.1}; maxk.policies() lists all.
        None: MaxUCB with alpha 0.5 and scale minmax. Its choices do not depend on the unit of the values. An object of your
        own chooses the arms with ask() and tell(), see below.
    optimizer: the optimiser of all arms, such as "tpe" or {"name": "tpe", …}, or a dictionary with one for each label. One of
        them may be an object of your own with ask() and tell(), see below.
    combined: an optimiser that searches all arms at once, in place of a policy.
    direction: "maximize" or "minimize".
    n_trials: the budget, for which some policies and optimisers plan. None: the n_trials of the first call of optimize, or
        1000 if ask comes first. The budget grows when more trials are asked for, unless something has planned for it.
    crash: what a failed trial counts as: "worst" (the worst result so far, of its arm if that has one), "ignore" (the
        policy does not see it) or a value.

    Reproducibility:

    seed: the trials depend on it. The default is 0, so that all studies have the same seed. A numpy.random.Generator draws
        one; with None the system draws one, which study.seed holds and a resumed study keeps.
    lag: up to `lag` trials may be without results when the next one is asked for. A trial depends on the results of all
        trials but the last `lag` before it. Trials are therefore the same for any number of workers.

    Policies and optimisers of your own:

    Any object with the methods ask and tell can be the policy, or the optimiser of an arm. ask() of a policy returns the label
    of the next arm, and tell(arm, reward) reports a result. ask() of an optimiser returns a dictionary of hyperparameters;
    those that are active and not given have their defaults. tell(params, reward) reports a result of the arm, whoever has
    proposed its configuration, such as `first` or add_trials. Rewards are maximised: the value, or its negative where it is
    minimised, and NaN for a trial that has failed or is infeasible, unless `crash` is a value. With `instances` an optimiser
    gets the mean over them. Up to `lag` configurations are without results when the next one is asked for.

        class RandomSearch:
            def __init__(self, seed):
                self.random = random.Random(seed)
            def ask(self):
                return {"C": 10 ** self.random.uniform(-3, 3)}
            def tell(self, params, reward):
                pass

        study = maxk.Study(arms={"svc": {"C": maxk.Real(1e-3, 1e3)}}, optimizer=RandomSearch(1))

    The journal and the files name the classes (own_policy, own_optimizer). A study is resumed with new objects that are made
    as those at its beginning, which must depend on nothing but their seed and the results they get: the journal is replayed
    through their ask and tell. If an object chooses otherwise than the journal says, that is logged, and the journal counts.
    An exception in an object is an InputError with this exception as its cause. A result whose tell has raised one counts
    for the study, but the object, which may have taken it in part, does not get it again; the new objects of a resumed
    study get every result. A study that begins again, which earlier results and a larger budget can make it do,
    uses copies of the objects as they were at first. What the objects share, their copies share, too.

    Files:

    path: OUT.h5. The journal is in the folder OUT.trials, and the results are in OUT.h5, OUT.csv, OUT.times.csv and
        OUT.best.yaml, as with `maxk tune`. None: the study is in memory only. If neither resume nor force is given, the
        files of a complete study are renamed to OUT.h5.previous and so on, and this is logged.
    resume: continue with the journal, if there is one. If another study of this process has the journal open, such as that
        of a notebook cell that is run again, it gives the journal back. "repair": continue even if the journal is damaged,
        with the results before its first damaged line; the damaged journal is kept as OUT.trials/journal.damaged.
    force: start over, and replace earlier results.
    prior: recorded runs of other instances, such as the OUT.csv of other studies, from which the optimisers and the policy
        start: a CSV file, or {"file": …, "portfolio": 5, "weight": 10} (`maxk list keys`).

    What is tried first:

    first: configurations that are tried before all others, in this order: a list such as [{"arm": "svc", "C": 10}] or
        [{"arm": "svc", "params": {"C": 10}}], a data frame, Trials, or the path of a CSV file. Active hyperparameters that are
        not given have their defaults. The optimiser of the arm learns from these results as from those of its own proposals;
        one with a schedule takes them in place of its first new configurations. They count for the budget. enqueue() adds
        more while the study runs.
    defaults: whether the default configuration of an arm is tried first as well: "stated" for an arm one of whose
        hyperparameters states a default, True for every arm, False for none.

    Further metrics:

    metrics: names of further metrics. The objective then returns a pair such as (value, {"memory": 80}). A metric that is
        missing or NaN is not known.
    subject_to: bounds on metrics, such as {"memory": {"at_most": 100}}. A trial that violates a bound, or lacks the metric,
        is infeasible: it is never the best one, and it counts as `crash` says.
    cost: the metric that holds the cost of a trial, or "seconds" for the time that it takes. It is used by policies and the
        optimiser gp with per_cost.
    max_cost: the cost that trials may have together: once those with results have cost as much, no trial begins, whatever
        n_trials, which is needed as well. A larger one continues a study that has a path, and Study.open has none.

    Several instances:

    instances: what each configuration is evaluated on, such as files, data sets or seeds; their names are their texts
        (str). A trial is then one run on one of them, trial.instance, with trial.seed. The order of the instances is drawn
        once, and all configurations run on them in this order, with the same seeds. The optimiser "irace" races
        configurations on the instances: of those that are left, the best one has the best mean over the instances on
        which all of them have run. Other optimisers run every configuration on all instances, and see the mean. best_value
        is a mean, too.
    instances_per_trial: the number of instances on which each configuration runs, in place of all.
    test_instances: instances on which no trial runs, for reevaluate().
    bound: the longest time that counts, in seconds, if the value is the time of a run, which is minimised. A trial that takes
        longer counts as this time. In a race of irace on instances a trial has to end earlier, after the time with which its
        configuration cannot survive, and has timed out then. The time of a trial is trial.bound: executors with processes end
        it after this time; without them the objective does, and returns the time that has gone by.

    Trials that are ended early:

    pruning: {"rule": "asha", "max_step": 81, "min_step": 1, "eta": 3} is asynchronous successive halving, {"rule": "median",
        "max_step": 81, "startup_trials": 5, "warmup_steps": 0} the median stopping rule. An objective calls
        trial.report(value, step) while it runs, and returns if trial.should_stop(). The trial is then pruned: its value is
        the one that it reported last, and it is never the best. An objective that returns None otherwise is worth what it
        reported last. Trials are compared with those of their arm, with "compare": "all" with those of all arms.
    order: "issue" or "finish". With "issue" the results count in the order of the trials, and a trial is compared with
        those up to the last `lag` before it: trials are the same for any number of workers. With "finish" results and
        reports count as they come. That is not reproducible, but a resumed study repeats what was decided.

    Small spaces:

    exhausted: what happens to an arm all of whose configurations have been tried, if they are finitely many. With "repeat" it
        is chosen as before, and its configurations are tried again. With "leave" the policy continues with the other arms, no
        configuration is tried twice, and the study ends when there is none left. Where there are
        conditions, forbidden combinations or ends of ranges that depend on others, configurations are counted if there are
        at most 100,000 combinations of values to look at; an arm with more does not leave.

    A trial fails if the objective raises an exception, or returns NaN or a value beyond 1e100. Each call of optimize logs
    the first failure with its traceback (logging.getLogger("maxk")). If the first ten trials fail, an Error is raised.

    The methods may be called from several threads. A study belongs to the process that made it; another process can
    continue one that has a path, and so can `maxk tune OUT.tune.yaml --resume` with the program that the file names."""

    def __init__(self, arms: Mapping[str, Space], *, policy: Any = None, optimizer: Any = "tpe",
                 combined: Union[str, Mapping[str, Any], None] = None,
                 direction: str = "maximize", crash: Union[str, float] = "worst", seed: Any = 0, lag: int = 8,
                 n_trials: Optional[int] = None, path: Union[str, os.PathLike[str], None] = None,
                 resume: Union[bool, str] = False,
                 force: bool = False, prior: Union[str, os.PathLike[str], Mapping[str, Any], None] = None,
                 metrics: Sequence[str] = (), subject_to: Optional[Mapping[str, Mapping[str, float]]] = None,
                 cost: Optional[str] = None, instances: Sequence[Any] = (), instances_per_trial: Optional[int] = None,
                 first: Any = (), defaults: Union[bool, str] = "stated",
                 pruning: Optional[Mapping[str, Any]] = None, order: str = "issue", test_instances: Sequence[Any] = (),
                 bound: Optional[float] = None, exhausted: str = "repeat", max_cost: Optional[float] = None):
        if not isinstance(direction, str) or direction not in ("maximize", "minimize"):
            raise InputError(f"direction: expected maximize or minimize, got {shown(direction)}")
        if not isinstance(arms, Mapping) or not arms:
            raise InputError(f"arms: expected a dictionary with a space for every label, got {shown(arms)}")
        if policy is not None and combined is not None:
            raise InputError("combined: expected either policy or combined")
        if isinstance(metrics, (str, set, frozenset)) or not all(isinstance(name, str) for name in metrics):
            raise InputError(f"metrics: expected a list of names, got {shown(metrics)}")
        self.direction = direction
        self._metrics = tuple(metrics)
        self.path = None if path is None else _h5(path).absolute()
        self._spaces = named(arms)
        self._least = 1 if combined is not None else len(self._spaces)  # trials for which a policy plans
        self._budget = None if n_trials is None else whole("n_trials", n_trials, 1, 10 ** 6)
        if self._budget is not None and self._budget < self._least:
            raise InputError(f"n_trials: expected at least the number of arms, {self._least}, got {n_trials}")
        self._max_cost = None if max_cost is None else real("max_cost", max_cost)
        if self._max_cost is not None and not 0 < self._max_cost <= 1e100:
            raise InputError(f"max_cost: expected a number > 0 and <= 1e+100, got {max_cost!r}")
        if self._max_cost is not None and (self._budget is None or cost is None):
            raise InputError("max_cost: expected cost and n_trials, too")
        self._planned = self._budget  # with which the study of the library is made
        self._settings = _settings(self.path, _start(resume, force))
        self.seed = _drawn(self.path, bool(resume)) if seed is None else seed_of("seed", seed, 2 ** 53)
        lines: dict[str, Any] = {
            "name": "study" if self.path is None else self.path.stem, "metric": {"maximize": direction == "maximize"},
            "seed": self.seed, "lag": whole("lag", lag, 1, 1024), "workers": 1,
            "crash": crash if isinstance(crash, str) else {"value": crash}}
        if combined is not None:
            lines["combined"] = {"optimizer": combined}
        else:
            lines["policy"] = "uniform" if is_own(policy) else DEFAULT_POLICY if policy is None else _known("policy", policy)
        if is_own(policy):
            lines["own_policy"] = class_of(policy)
        if prior is not None:
            lines["prior"] = dict(prior) if isinstance(prior, Mapping) else os.fspath(prior)
        if self._metrics:
            lines["metrics"] = {name: {} for name in self._metrics}
        if subject_to is not None:
            lines["subject_to"] = _bounds(subject_to)
        self._instances = _instances("instances", instances)
        self._tests = _instances("test_instances", test_instances)
        if self._instances:
            lines["instances"] = list(self._instances)
        if self._tests:
            lines["test_instances"] = list(self._tests)
        self._bound = math.inf if bound is None else real("bound", bound)
        if bound is not None:
            lines["bound"] = self._bound
        if instances_per_trial is not None:
            lines["instances_per_trial"] = whole("instances_per_trial", instances_per_trial, 1, 1000)
        self._finish = order == "finish"
        if order != "issue":
            lines["order"] = order
        self._leaves = exhausted == "leave"
        if self._leaves and (combined is not None or n_trials is None or self._instances or prior is not None):
            raise InputError("exhausted: leave: expected a policy, n_trials, no instances and no prior")
        if self._leaves and is_own(policy):
            raise InputError("exhausted: leave: the policy chooses all arms; expected repeat with a policy of your own")
        if exhausted != "repeat":
            lines["exhausted"] = exhausted
        self._prunes = pruning is not None
        if pruning is not None:
            if not isinstance(pruning, Mapping):
                raise InputError("pruning: expected a dictionary such as {'rule': 'asha', 'max_step': 81}, got "
                                 f"{shown(pruning)}")
            lines["pruning"] = dict(pruning)
        if cost is not None:
            lines["cost"] = {"seconds": "true"} if cost == "seconds" and cost not in self._metrics else cost
        self._head = "".join(f"{key}: {yaml(value)}\n" for key, value in lines.items())
        optimizers = _optimizers(optimizer, self._spaces)
        self._own = Own(self._spaces, policy, optimizers if combined is None else {})
        self._arms = "arms:\n" + "".join("  - " + yaml({
            "label": label, "space": described(label, space),
            **({"optimizer": "random", "own_optimizer": class_of(optimizers[label])} if is_own(optimizers[label]) else
               {"optimizer": optimizers[label]})}) + "\n" for label, space in self._spaces.items())
        self._first(first, defaults)
        self._alone: list[tuple[Mapping[str, Space], dict[str, Any], Optional[str]]] = [
            ({label: space}, {"policy": "uniform", "optimizer": "random" if is_own(one := optimizers[label]) else one}, cost)
            for label, space in self._spaces.items()
        ] if combined is None else [(self._spaces, {"combined": combined}, cost)]
        self._begin()
        self._new(self._budget, _settings())  # what is wrong with the description is said at once
        if self._budget is not None:
            self._check_plan(self._budget)

    def _begin(self) -> None:
        """What there is before the first use."""
        self._labels = tuple(self._spaces)
        self._folders = f"{self.path}"[:-3] + ".trials"
        if self.path is None:
            self._folders = os.path.join(tempfile.gettempdir(), f"maxk-{os.urandom(12).hex()}")
            weakref.finalize(self, _remove, os.getpid(), self._folders)
        self._lock = new_lock()
        self._told = threading.Condition(self._lock)
        self._process = os.getpid()
        self._made: Optional[Handle] = None
        self._early: list[tuple[Any, tuple[Any, ...]]] = []  # calls before the first trial, while there is no budget
        self._target = 0  # trials that have been asked for, by hand or of optimize
        self._held: set[int] = set()  # trials of ask that have no result
        self._optimizing = 0  # calls of optimize
        self._stops = 0  # calls of stop
        self._traces: dict[int, str] = {}  # of trials that have failed in this session
        self._listening: Optional[Listening] = None  # for reports of trials in other processes

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]], *, policy: Any = None, optimizer: Any = None) -> Study:
        """Opens a study that has a path, to look at it or to continue it. Its journal says what its arms and all other arguments
        were, so that the result is that of Study(…, path=path, resume=True) with these arguments.

        Values of hyperparameters have the types that they have in files: a value that was no number, text, None, True or False
        is a text, and a text such as "None" is None. Instances are texts. n_trials of optimize counts the trials that there are,
        as with resume=True.

        policy, optimizer: needed if the study has objects of your own, made as at its beginning; optimizer is the object of
            the only arm, or a dictionary with those of their labels."""
        study = cls.__new__(cls)
        study.path = _h5(path).absolute()
        keys = recorded(study.path)
        study._head, budget, study._arms = head_of(keys)
        study._spaces = {str(arm["label"]): space_of(arm) for arm in keys["arms"]}
        given = optimizer if isinstance(optimizer, Mapping) else dict.fromkeys(study._spaces, optimizer)
        study._own = Own(study._spaces, policy, given)
        study.direction = "maximize" if keys["metric"]["maximize"] == "true" else "minimize"
        study.seed = int(keys["seed"])
        study._metrics = tuple(map(str, keys.get("metrics", ())))
        study._instances = {str(one): str(one) for one in keys.get("instances", ())}
        study._tests = {str(one): str(one) for one in keys.get("test_instances", ())}
        study._bound = float(keys.get("bound", math.inf))
        study._least = 1 if "combined" in keys else len(study._spaces)
        study._prunes, study._finish = "pruning" in keys, keys.get("order") == "finish"
        study._leaves = keys.get("exhausted") == "leave"
        study._budget, study._planned, study._max_cost = None, budget, None
        study._settings = _settings(study.path, _RESUMED)
        study._alone = []
        study._begin()
        study._handle()
        return study

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    def _first(self, first: Any, defaults: Any) -> None:
        if defaults not in (True, False, "stated"):
            raise InputError(f"defaults: expected 'stated', True or False, got {shown(defaults)}")
        if isinstance(first, (str, os.PathLike)):
            self._head += f"first: {yaml(os.fspath(first))}\n"
        elif given := [self._given(f"first: {i}", one) for i, one in enumerate(_rows("first", first))]:
            self._head += "first: " + yaml([{"arm": arm, "configuration": words} for arm, words in given]) + "\n"
        if defaults != "stated":
            self._head += f"defaults: {'yes' if defaults else 'no'}\n"

    def _given(self, label: str, one: Any, arm: Optional[str] = None) -> tuple[str, dict[str, Any]]:
        """Arm and hyperparameters of a configuration, as in files."""
        if isinstance(one, Trial):
            one = {"arm": one.arm, "params": one.params}
        if not isinstance(one, Mapping):
            raise InputError(f"{label}: expected a dictionary such as {{'arm': label, name: value}}, got {shown(one)}")
        arm = one.get("arm", arm) if "params" in one or arm is None else arm
        arm = next(iter(self._spaces)) if arm is None and len(self._spaces) == 1 else arm
        if arm is None or str(arm) not in self._spaces:
            raise InputError(f"{label}: arm: expected one of {', '.join(self._spaces)}, got {shown(arm)}")
        space = self._spaces[str(arm)]
        params = one["params"] if "params" in one and "params" not in space else {
            name: value for name, value in one.items() if name != "arm" or "arm" in space}
        if not isinstance(params, Mapping):
            raise InputError(f"{label}: params: expected a dictionary, got {shown(params)}")
        return str(arm), {str(name): word_of(f"{label}: {name}", space.get(name), value) for name, value in params.items()
                          if is_given(space.get(name), value)}

    # ---- the study of the library ----

    def _new(self, budget: Optional[int], settings: _Settings) -> Handle:
        settings.own = addressof(self._own.functions) if self._own else None
        limit = "" if self._max_cost is None else f", cost: {self._max_cost!r}"
        text = self._head + (f"budget: {{evaluations: {budget}{limit}}}\n" if budget else "") + self._arms
        try:
            begin = partial(make, lib.mk_study_open, partial(_free, self._process), utf8("study", text), byref(settings),
                            warn=_log.warning)
            return stoppable(begin, contextlib.nullcontext()) if settings.start in (_RESUMED, _REPAIRED) else begin()
        except InputError as problem:
            if raised := self._own.raised():
                raise raised
            line = named_place("study", text, str(problem))
            for option, argument in (("--resume", "resume=True"), ("--repair", 'resume="repair"'), ("--force", "force=True")):
                line = line.replace(option, argument)
            raise InputError(line, problem.code) from None

    def _check_plan(self, budget: int) -> None:
        """Whether some arm has a trial that is evaluated in whole, if the budget were its own."""
        if self._instances:
            return
        for arms, optimizer, cost in self._alone:
            alone = Study(arms, metrics=self._metrics, cost=cost, **optimizer)
            alone._budget = alone._planned = budget
            for _ in range(budget):
                trial = alone.ask()
                if trial.fidelity == 1:
                    return
                alone.tell(trial, 0.0, seconds=1.0, metrics=dict.fromkeys(self._metrics, 1.0))
        raise InputError(f"n_trials: {budget} trials end before the first that is evaluated in whole; expected more, or an "
                         "optimizer with a smaller R")

    def _warn_of_plan(self, budget: int) -> None:
        """Of a budget that may grow."""
        try:
            self._check_plan(budget)
        except InputError as problem:
            _log.warning("%s", problem)

    def _handle(self, budget: Optional[int] = None) -> c_void_p:
        if os.getpid() != self._process:
            raise Error("the study belongs to the process that made it; give it a path, and resume it there")
        with self._lock:
            if self._made is None:
                resumed = self._settings.start in (_RESUMED, _REPAIRED)
                if not self._planned and budget and not resumed:
                    self._warn_of_plan(max(budget, self._least))
                if not self._planned and not budget and resumed and self.path is not None:
                    with contextlib.suppress(InputError, KeyError, ValueError):  # the library says what is wrong with a journal
                        budget = int(recorded(self.path).get("evaluations", 0))
                self._planned = self._planned or budget and max(budget, self._least)
                if self.path is not None:
                    self._take_journal(os.path.realpath(self.path))
                self._made = self._new(self._planned, self._settings)
            return self._made.value

    def _begin_again(self, budget: int) -> None:
        """A study that was used before it had a budget, as by enqueue, and has no trial: with this budget."""
        self._made, self._settings.start = None, _OVER
        self._handle(budget)
        for function, arguments in self._early:
            self._call(function, *arguments)

    def _call_early(self, function: Any, *arguments: Any) -> None:
        """Calls a function that may be called before the first trial."""
        with self._lock:
            self._call(function, *arguments)
            if self._planned is None:
                self._early.append((function, arguments))

    def _take_journal(self, path: str) -> None:
        """From another study of this process, which no thread uses."""
        other = _open.get(path)
        if other is not None and other is not self and other._made is not None and other._process == self._process:
            free = self._settings.start != _NEW and other._lock.acquire(blocking=False)
            try:
                if not free or other._optimizing:
                    raise InputError(f"{self.path}: in use by another Study of this process; close() gives it back")
                other.close()
            finally:
                if free:
                    other._lock.release()
        _open[path] = self

    def _extend(self, trials: int) -> None:
        try:
            self._call(lib.mk_study_extend, trials)
        except InputError as problem:
            if "plans for the budget" not in str(problem):
                raise
            raise InputError(f"n_trials: the policy or an optimiser plans for the budget, {self._planned} trials so far, and "
                             f"would have chosen otherwise for {trials}; expected Study(n_trials=…) of all trials") from None
        self._planned = trials

    def _call(self, function: Any, *arguments: Any) -> None:
        err = CError()
        with self._lock:
            code = function(self._handle(), *arguments, byref(err))
            if raised := self._own.raised():
                raise raised
            check(code, err)

    def _trial(self, number: int) -> Trial:
        found = _Trial()
        with self._lock:  # texts are those of the library until its next call
            self._call(lib.mk_study_trial, number, byref(found))
            arm, active = self._labels[found.arm], json.loads(found.configuration)
            why = found.why.decode(errors="replace")
            values = [lib.mk_study_metric(self._handle(), number, i) for i in range(len(self._metrics))]
            run, whole_value = lib.mk_study_instance(self._handle(), number), lib.mk_study_whole(self._handle(), number)
            name = lib.mk_study_instance_name(self._handle(), number)
            first = bool(lib.mk_study_is_first(self._handle(), number))
            bound = lib.mk_study_bound(self._handle(), number)
        space = self._spaces[arm]
        params = {name: space[name].value_of(value) for name, value in active.items() if name in space}
        further = {name: x for name, x in zip(self._metrics, values) if not math.isnan(x)}
        link = Link(self._take_report, number, self._listening) if self._prunes and found.status == 0 else None
        return Trial(number, arm, params, found.seed, found.fidelity, found.value, _STATUS[found.status], found.seconds, why,
                     bool(found.added), further, int(run) if name is None else self._instances[name.decode()], whole_value,
                     self._traces.get(number, ""), int(run), first, lib.mk_study_step(self._handle(), number), bound, link,
                     os.path.join(self._folders, str(lib.mk_study_origin(self._handle(), number) + 1)))

    def _take_report(self, number: int, value: float, step: int) -> bool:
        """Whether the trial has to end."""
        stop = c_int()
        self._call(lib.mk_study_report, number, step, value, byref(stop))
        return bool(stop.value)

    def reports(self, trial: Union[Trial, int]) -> list[tuple[int, float]]:
        """Steps and values that a trial has reported, in a study with pruning."""
        number = whole("trial", trial.number if isinstance(trial, Trial) else trial, 0, SIZE_NONE - 1)
        found: list[tuple[int, float]] = []
        step, value = c_uint64(), c_double()
        with self._lock:
            while lib.mk_study_reported(self._handle(), number, len(found), byref(step), byref(value)):
                found.append((step.value, value.value))
        return found

    def _count(self) -> int:
        """Trials of the budget that have been asked for."""
        with self._lock:
            return int(lib.mk_study_trials(self._handle()) - lib.mk_study_added(self._handle()))

    def _all(self) -> int:
        """The budget."""
        return int(lib.mk_study_budget(self._handle()))

    def _is_over(self) -> bool:
        """Whether all trials of the budget have been asked for. One that is not stated grows."""
        if self._count() >= (budget := self._all()) and self._budget is None:
            self._extend(2 * budget)
        return self._count() >= self._all()

    # ---- ask and tell ----

    def _ask(self) -> Optional[Trial]:
        """None: not before results are reported, or max_cost has just been reached."""
        number = c_size_t(SIZE_NONE)
        with self._lock:
            if not lib.mk_study_waiting(self._handle()) and self._is_over():
                rest = "" if self._leaves or self._max_cost is not None else "; optimize(n_trials=…) asks for more"
                raise InputError(f"all {self._all()} trials have been asked for{rest}")
            try:
                self._call(lib.mk_study_ask, byref(number))
            except InputError:
                if self._max_cost is None or not self._is_over():
                    raise
            if number.value == SIZE_NONE:
                return None
            try:
                trial = self._trial(number.value)
                origin = lib.mk_study_origin(self._handle(), number)
                if lib.mk_study_is_new(self._handle(), number) and origin == trial.number:
                    shutil.rmtree(trial._folder, ignore_errors=True)  # of an earlier run
                return trial
            except Error:  # nobody has it
                lib.mk_study_give_up_trial(self._handle(), number.value)
                raise

    def ask(self) -> Trial:
        """Returns the next trial to run. InputError: `lag` trials are without results, or all n_trials have been asked for."""
        with self._lock:
            trial = self._ask()
            if trial is None and self._is_over():
                trial = self._ask()  # says so
            if trial is None:
                lag = lib.mk_study_lag(self._handle())
                race = ", and a race waits for all of them at the end of a step" if self._instances else ""
                raise InputError(f"{lag} trials may be without results (lag){race}; tell the earliest first")
            self._target = max(self._target, self._count())
            self._held.add(trial.number)
        return trial

    def _further(self, metrics: Mapping[str, float]) -> Any:
        for name in metrics:
            if name not in self._metrics:
                raise InputError(f"metrics: expected those of Study(metrics=…), {shown(self._metrics)}, got {shown(name)}")
        return (c_double * max(1, len(self._metrics)))(*(real(name, metrics.get(name, math.nan)) for name in self._metrics))

    def tell(self, trial: Union[Trial, int], value: Optional[float] = None, *, failed: bool = False, why: str = "",
             seconds: Optional[float] = None, metrics: Optional[Mapping[str, float]] = None) -> None:
        """Reports the value of a trial that ask has returned, or that it failed and why. A value that is NaN, infinite or beyond
        1e100 is a failure. If neither is given, the value is the one that the trial reported last.

        seconds: how long the evaluation took. None: the time since the trial was asked for.
        metrics: the further metrics of the trial, by the names of Study(metrics=…)."""
        number = whole("trial", trial.number if isinstance(trial, Trial) else trial, 0, SIZE_NONE - 1)
        if value is None and not flag("failed", failed):
            reported = self.reports(number)
            value = reported[-1][1] if reported else None
        if flag("failed", failed) == (value is not None):
            raise InputError(f"tell: expected either a value or failed=True, got {shown(value)} and failed={failed}")
        if not isinstance(why, str):
            raise InputError(f"why: expected a text, got {shown(why)}")
        number_of = math.nan if value is None else real("value", value)
        took = math.nan if seconds is None else real("seconds", seconds)
        further = self._further(metrics or {})
        with self._lock:
            try:
                if abs(number_of) <= MOST_REWARD:
                    self._call(lib.mk_study_tell_metrics, number, number_of, further, took)
                else:
                    reason = why or ("" if failed else f"the value is {shown(value)}; {_WHOLE}")
                    self._call(lib.mk_study_fail, number, reason.encode(errors="backslashreplace").replace(b"\0", b" "), took)
                self._held.discard(number)
            finally:
                self._told.notify_all()

    def _time_out(self, number: int, why: str, seconds: float) -> None:
        with self._lock:
            try:
                self._call(lib.mk_study_time_out, number, why.encode(), seconds)
                self._held.discard(number)
            finally:
                self._told.notify_all()

    def fail(self, trial: Union[Trial, int], why: str = "", *, seconds: Optional[float] = None) -> None:
        """Reports that a trial has failed, and why."""
        self.tell(trial, failed=True, why=why, seconds=seconds)

    def add_trials(self, trials: Any) -> None:
        """Adds earlier results before the first trial is asked for. They do not count for n_trials.

        trials: another study, a list of Trials, a list of dictionaries with arm, params and value (and metrics), or what
            trials_dataframe returns, also after it has been written to a CSV file and read again.

        Results without a value, and those that violate subject_to, are left out, and so are metrics that this study does not
        have. A resumed study has its earlier results already and does not add them again, so that a script can be run again."""
        found = [one for one in _earlier(trials, self._spaces) if one[3] is not None and math.isfinite(one[3])]
        rows, n = (_Result * max(1, len(found)))(), len(self._metrics)
        further = (c_double * max(1, len(found) * n))()
        for i, (row, (label, arm, params, value, metrics)) in enumerate(zip(rows, found)):
            further[i * n:i * n + n] = [metrics.get(name, math.nan) for name in self._metrics]
            space = self._spaces.get(arm, {})
            words = {name: word_of(f"{label}: {name}", space.get(name), x) for name, x in params.items()} or NO_SPACE
            row.arm, row.configuration, row.value = utf8("arm", arm), utf8("params", yaml(words)), value
        try:
            self._call_early(lib.mk_study_add_metrics, rows, further, len(found))
        except InputError as problem:
            if not (at := re.match(r"result (\d+):", str(problem))):
                raise
            row, name = rows[int(at[1])], found[int(at[1])][0]
            raise _placed(at[0][:-1], f"{name}: {row.arm.decode()}", row.configuration.decode(), problem) from None

    def enqueue(self, params: Any, arm: Optional[str] = None) -> bool:
        """Enqueues a configuration, which is tried before any other is chosen, after those that were enqueued earlier. Returns
        False and does nothing if the study has tried or enqueued it before, also in an earlier session.

        params: a Trial, or a dictionary of hyperparameters. Active hyperparameters that are not given have their defaults.
        arm: label of the arm; it may be given in params instead, and a study of one arm does not need it."""
        label, words = self._given("enqueue", params, arm)
        enqueued, given = c_int(), yaml(words) if words else "{}"
        try:
            self._call_early(lib.mk_study_enqueue, utf8("arm", label), utf8("params", given), byref(enqueued))
        except InputError as problem:
            raise _placed("enqueue", f"enqueue: {label}", given, problem) from None
        return bool(enqueued.value)

    # ---- optimisation ----

    def optimize(self, objective: Objective, n_trials: Optional[int] = None, timeout: Optional[float] = None,
                 executor: Optional[Executor] = None, callbacks: Union[Callback, Sequence[Callback]] = (),
                 progress: bool = False, trial_timeout: Optional[float] = None) -> None:
        """Runs trials: calls the objective with a Trial, takes the value that it returns, and repeats this.

        n_trials: the number of trials to run. None: all that are left of the study's n_trials, or as many as the timeout allows.
            In a resumed study the trials of earlier sessions count for the first calls, so that an interrupted script can be
            run again as it is.
        timeout: seconds, after which no trial is started. Running trials are awaited.
        executor: where trials run, up to `lag` at the same time: an executor of concurrent.futures, Dask's
            client.get_executor() or mpi4py.futures.MPIPoolExecutor. None: in this thread. Executors with processes can only
            take objectives that pickle takes. If a worker is lost, its trial is run again.
        callbacks: a function or several, called with the study and each trial that has ended, in the thread that called
            optimize. stop() ends the run.
        progress: whether a line on standard error shows the progress.
        trial_timeout: seconds after which a trial is ended; it has then failed, with the status "timed out". It needs an executor
            with processes, in which every trial runs in a child process of its own.

        If the study has a path, the results are saved at the end. Trials of this call that were running when an exception or a
        signal interrupted it are run again by the next call. Trials of other threads and of ask() are not affected."""
        if n_trials is None and timeout is None and self._budget is None:
            raise InputError("optimize: expected n_trials or timeout")
        more = None if n_trials is None else whole("n_trials", n_trials, 1, 10 ** 6)
        seconds = math.inf if timeout is None else real("timeout", timeout)
        if not seconds >= 0:
            raise InputError(f"timeout: expected a number of seconds >= 0, got {timeout!r}")
        called = (callbacks,) if callable(callbacks) else tuple(callbacks) if isinstance(callbacks, Iterable) else (None,)
        if not all(callable(one) for one in called):
            raise InputError(f"callbacks: expected functions of a study and a trial, got {shown(callbacks)}")
        if not callable(objective):
            raise InputError(f"objective: expected a function of a trial, got {shown(objective)}")
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise InputError(f"executor: expected one of concurrent.futures, got {shown(executor)}")
        limit = None if trial_timeout is None else real("trial_timeout", trial_timeout)
        if limit is not None and not limit > 0:
            raise InputError(f"trial_timeout: expected a number of seconds > 0, got {trial_timeout!r}")
        if limit is not None and (executor is None or isinstance(executor, ThreadPoolExecutor)):
            raise InputError("trial_timeout: expected an executor with processes, such as ProcessPoolExecutor: a thread cannot "
                             "be ended")
        _Optimization(self, more, time.monotonic() + seconds, called, flag("progress", progress), limit).run(objective, executor)
        if self.path is not None and lib.mk_study_best(self._handle()) != SIZE_NONE:
            self.save()
        with self._lock:
            repeats = lib.mk_study_repeats(self._handle())
        if repeats:
            warnings.warn(f"{repeats} of {len(self)} trials repeat a configuration that had been evaluated before, as in spaces "
                          "that are exhausted: they tell nothing new of an objective without randomness", stacklevel=2)

    def reevaluate(self, objective: Objective, times: int = 0, executor: Optional[Executor] = None) -> list[Trial]:
        """Evaluates the best configuration again, and returns these evaluations as Trials: one on each of
        Study(test_instances=…), and then `times` more with other seeds, which go through the instances in order if there are
        any. The best of many noisy values is larger than the value of its configuration; the mean of such evaluations is not.

        They do not count for the budget, and no trial depends on them. Evaluations that have been made, also in an earlier
        session, are not repeated. With a path they are saved: OUT.best.yaml and report() have their mean and its standard error.

        times: 0 or more.
        objective, executor: as in optimize."""
        if not callable(objective):
            raise InputError(f"objective: expected a function of a trial, got {shown(objective)}")
        n, size = c_size_t(), len(self)
        self._call(lib.mk_study_reevaluate, whole("times", times, 0, 10 ** 6), byref(n))
        again = [t for t in map(self._again, range(n.value)) if t.status == "running"]
        for trial in again:
            shutil.rmtree(trial._folder, ignore_errors=True)
        waiting = iter(again)

        def seen(number: int, outcome: _Outcome) -> None:
            value = math.nan if outcome.value is None else outcome.value
            self._call(lib.mk_study_tell_again, number - size, value, outcome.why.encode(errors="backslashreplace"),
                       outcome.seconds)

        if executor is None:
            for trial in waiting:
                seen(trial.number, _evaluate_for(id(self), objective, trial))
        else:
            _fly(executor, self._evaluation(executor, None), objective, lambda: next(waiting, None), seen)
        if self.path is not None:
            self.save()
        return [self._again(i) for i in range(n.value)]

    def _evaluation(self, executor: Executor, limit: Optional[float]) -> Callable[[Objective, Trial], _Outcome]:
        """What the executor calls: an evaluation in a child process where a trial may have to be ended."""
        if limit is None and (math.isinf(self._bound) or isinstance(executor, ThreadPoolExecutor)):
            return partial(_evaluate_for, id(self))
        return partial(_evaluate_within, math.inf if limit is None else limit, id(self))

    def _again(self, i: int) -> Trial:
        found = _Again()
        with self._lock:
            self._call(lib.mk_study_again, i, byref(found))
            of, number, name = self._trial(found.trial), len(self) + i, found.instance
            instance = 0 if name is None else {**self._instances, **self._tests}[name.decode()]
            return Trial(number, of.arm, of.params, found.seed, found.fidelity, found.value, _STATUS[found.status], found.seconds,
                         found.why.decode(errors="replace"), instance=instance, whole=found.value, bound=self._bound,
                         _link=Link(None, number, None) if self._prunes else None,
                         _folder=os.path.join(self._folders, str(number + 1)))

    def stop(self) -> None:
        """Ends the running calls of optimize, from a callback or another thread. They wait for the trials that are running."""
        with self._lock:
            self._stops += 1
            self._told.notify_all()

    # ---- what there is ----

    def __len__(self) -> int:
        with self._lock:
            return int(lib.mk_study_trials(self._handle()))

    @property
    def trials(self) -> list[Trial]:
        """All trials, in the order of their numbers."""
        with self._lock:
            return [self._trial(number) for number in range(len(self))]

    @property
    def best_trial(self) -> Trial:
        """The trial with the best value among whole evaluations, the first of equal ones. Error: no trial has succeeded."""
        with self._lock:
            best = lib.mk_study_best(self._handle())
            if best == SIZE_NONE:
                raise Error("no whole evaluation has succeeded")
            return self._trial(best)

    @property
    def best_arm(self) -> str:
        """The label of the arm of the best trial."""
        return self.best_trial.arm

    @property
    def best_params(self) -> dict[str, Any]:
        """The hyperparameters of the best trial."""
        return self.best_trial.params

    @property
    def best_value(self) -> float:
        """The value of the best configuration: that of the best trial or, with several instances, the mean over the instances."""
        return self.best_trial.whole

    def trials_dataframe(self) -> Any:
        """The trials as a pandas data frame, one row for each, in the order of their numbers; without pandas a dictionary of
        lists. The columns are number, arm, value, status, params_NAME (NaN: not active), seed, fidelity, added, why, seconds,
        metrics_NAME, instance, whole, run, first and step; Trial explains them. All but seconds are the same for any number of
        workers."""
        trials = self.trials
        names = list(dict.fromkeys(name for space in self._spaces.values() for name in space))
        columns: dict[str, list[Any]] = {key: [getattr(t, key) for t in trials] for key in ("number", "arm", "value", "status")}
        columns |= {f"params_{name}": [t.params.get(name, math.nan) for t in trials] for name in names}
        columns |= {key: [getattr(t, key) for t in trials] for key in ("seed", "fidelity", "added", "why", "seconds")}
        columns |= {f"metrics_{name}": [t.metrics.get(name, math.nan) for t in trials] for name in self._metrics}
        columns |= {key: [getattr(t, key) for t in trials] for key in ("instance", "whole", "run", "first", "step")}
        try:
            import pandas
        except ImportError:
            return columns
        for name in names:  # 1 and 1.0 are one value of a column of numbers
            if any(collide(space[name]) for space in self._spaces.values() if name in space):
                columns[f"params_{name}"] = pandas.Series(columns[f"params_{name}"], dtype=object)
        return pandas.DataFrame(columns)

    def simulate(self, *policies: Union[str, Mapping[str, Any]]) -> Any:
        """A table of what other policies would have done with the trials so far, one row for each (`maxk tune --simulate`): for
        how many trials the policy can be followed, the best value that it would have reached with them, and the best value that
        the study itself had reached after as many trials."""
        handle = Handle(lib.mk_table_free)
        wanted = texts("policy", [one if isinstance(one, str) else yaml(one) for one in policies])
        self._call(lib.mk_study_what_if, byref(handle.value), wanted, len(policies))
        return as_table(handle)

    def acquisition(self, arm: Optional[str] = None, hyperparameter: Optional[str] = None, *, points: int = 201,
                    through: str = "best") -> Any:
        """A table of the model from which the optimiser of an arm makes its next proposal, along one hyperparameter: the columns
        and rows of `maxk acquisition`. Mean and sd are the posterior (gp, rf), good and others the densities of tpe; the other
        hyperparameters have the values of the best trial, or with through="proposal" those of the proposal. The study is
        unchanged. Arm and hyperparameter may be left out where there is only one."""
        ways = ("best", "proposal")
        if through not in ways:
            raise InputError(f"acquisition: through: expected best or proposal, got {shown(through)}")
        if arm is None and len(self._labels) != 1:
            raise InputError(f"acquisition: arm: missing; expected one of {', '.join(self._labels)}")
        handle = Handle(lib.mk_table_free)
        name = None if hyperparameter is None else utf8("hyperparameter", hyperparameter)
        with self._lock:
            self._call(lib.mk_study_acquisition, byref(handle.value), utf8("arm", self._labels[0] if arm is None else arm), name,
                       whole("points", points, 2, 10 ** 5), ways.index(through))
        return as_table(handle)

    def _saved(self, use: Callable[[Path], Any]) -> Any:
        """What `use` makes of the path of the study, which is saved first; one in memory is saved into a temporary folder."""
        if self.path is not None:
            return use(self.save())
        with tempfile.TemporaryDirectory() as folder:
            return use(self.save(Path(folder, "study.h5")))

    def importance(self, **options: Any) -> Any:
        """Returns the importance of the hyperparameters of each arm, alone and in pairs, as a data frame: the share of the
        variance of the values that they explain (fANOVA), as `maxk importance` prints it. Keywords are the options of that
        command. The study is saved first."""
        return self._saved(lambda path: open_table("importance", path, **options))

    def pareto(self, **metrics: str) -> list[Trial]:
        """Returns the trials that no other trial surpasses in the value and the given metrics, such as
        study.pareto(memory="minimize"). A trial surpasses another one if it is at least as good in all of these and better in
        one. The trials are only selected here; the search itself looks at the value alone.

        Trials that failed, are infeasible, were evaluated in part, or lack one of the metrics are left out. With several
        instances a trial stands for its configuration, and the means over its runs are compared."""
        for name, way in metrics.items():
            if name not in self._metrics:
                raise InputError(f"pareto: expected metrics of the study, {shown(self._metrics)}, got {shown(name)}")
            if way not in ("minimize", "maximize"):
                raise InputError(f"pareto: {name}: expected maximize or minimize, got {shown(way)}")
        ways = [self.direction, *metrics.values()]
        trials = self.trials
        ok = [t for t in trials if t.status == "ok" and not math.isnan(t.whole)]
        found: list[tuple[Trial, list[float]]] = []
        for t in ok:
            runs = [t] if not t.run else [u for u in trials if (u.arm, u.params) == (t.arm, t.params) and u.run <= t.run]
            means = [math.fsum(u.metrics.get(name, math.nan) for u in runs) / len(runs) for name in metrics]
            if not any(map(math.isnan, means)):
                found.append((t, [x if way == "minimize" else -x for x, way in zip([t.whole, *means], ways)]))
        return [t for t, x in found if not any(y != x and all(b <= a for a, b in zip(x, y)) for _, y in found)]

    def save(self, path: Union[str, os.PathLike[str], None] = None) -> Path:
        """Writes OUT.h5, OUT.csv, OUT.times.csv, OUT.tune.yaml and OUT.best.yaml, and returns the path OUT.h5.

        path: OUT.h5. None: the path of the study."""
        where = self.path if path is None else file_path("path", path).absolute()
        if where is None:
            raise InputError("save: the study is in memory; expected a path")
        with one_at_a_time:
            self._call(lib.mk_study_save, None if path is None else os.fsencode(where))
        return where

    def report(self, path: Union[str, os.PathLike[str]] = "report.html", title: Optional[str] = None) -> Path:
        """Writes the study as one HTML page (`maxk report`) and returns its path. The page has the best configuration, the arms,
        the failures, the importance of hyperparameters, and figures, which gnuplot draws. The study is saved first; one in
        memory is saved into a temporary folder."""
        name = title if self.path is not None else title or f"Study of {len(self._spaces)} arms"
        return self._saved(lambda saved: report([saved], path, name))  # type: ignore[no-any-return]

    def close(self) -> None:
        """Releases the journal, so that another process can continue the study. The next use of this object opens it again."""
        with self._lock:
            if self._made is not None and self._settings.result:
                self._made = None
                self._held.clear()
                self._settings.start = _RESUMED

    def plot(self, ax: Any = None) -> Any:
        """Plots the values of the trials by arm, and the best value so far, and returns the axes of matplotlib.

        ax: the axes to draw on. None: new ones."""
        ax = axes(ax)
        trials, sign = [t for t in self.trials if t.status == "ok"], 1 if self.direction == "maximize" else -1
        for arm in self._spaces:
            of_arm = [t for t in trials if t.arm == arm]
            ax.plot([t.number for t in of_arm], [t.value for t in of_arm], "o", markersize=3, label=arm)
        best, steps = -math.inf, []
        for t in trials:
            best = best if math.isnan(t.whole) else max(best, sign * t.whole)
            steps.append(sign * best)
        ax.step([t.number for t in trials], steps, "k-", where="post", label="best so far")
        ax.set_xlabel("trial")
        ax.set_ylabel("value")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        trials = len(self)
        best = lib.mk_study_best(self._handle())
        shown = "" if best == SIZE_NONE else f", best {self._trial(best).whole:.6g} by {self._trial(best).arm}"
        return f"<maxk.Study of {len(self._spaces)} arms: {trials} trials{shown}>"

    def _repr_html_(self) -> str:
        table = self.trials_dataframe()
        if hasattr(table, "to_html"):
            found = table.tail(10).to_html(index=False)
        else:  # without pandas
            rows = [table, *zip(*(column[-10:] for column in table.values()))]
            found = "<table>" + "".join("<tr>" + "".join(f"<td>{escape(str(x))}</td>" for x in row) + "</tr>"
                                        for row in rows) + "</table>"
        return f"<p>{escape(repr(self)[1:-1])}</p>{found}"

    def __reduce__(self) -> Any:
        raise Error("a study cannot be pickled: it belongs to its process; give it a path, and resume it elsewhere")


class _Progress:
    """A line on standard error, rewritten twice a second on a terminal, otherwise a line every ten seconds."""

    def __init__(self, study: Study, trials: int):
        self._study, self._trials = study, trials
        self._tty = sys.stderr.isatty()
        self._next = 0.0
        self._line = ""

    def show(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + (0.5 if self._tty else 10)
        done = lib.mk_study_results(self._study._handle())
        best = lib.mk_study_best(self._study._handle())
        text = "no result yet" if best == SIZE_NONE else f"best {self._study.best_value:.6g} by {self._study.best_arm}"
        self._line = f"{done} of {self._trials} trials, {text}"
        print(f"\r\033[K{self._line}" if self._tty else self._line, end="" if self._tty else "\n", file=sys.stderr, flush=True)

    def end(self) -> None:
        self._next = 0.0
        self.show()
        if self._tty:
            print(file=sys.stderr)


class _Optimization:
    """One call of Study.optimize."""

    def __init__(self, study: Study, more: Optional[int], end: float, callbacks: Sequence[Callback], progress: bool,
                 limit: Optional[float]):
        self._study, self._end, self._callbacks = study, end, callbacks
        self._limit = limit  # seconds of a trial
        self._own: set[int] = set()  # trials that it has asked for and that have no result
        self._stops = study._stops
        self._logged = False
        self._cause: Optional[Exception] = None  # of the newest failure
        if id(study) in _evaluating.studies:
            raise InputError("optimize: called within an objective of the same study, whose trial it would have to wait for; "
                             "expected another study, or further calls after this one")
        with study._lock:
            study._handle(more)
            asked = max(study._target, study._count())
            target = max(study._target, study._budget or 10 ** 6) if more is None else study._target + more
            if more is not None and study._planned is None and not study._count():
                study._begin_again(more)
            if more is not None and target > study._all():
                study._extend(target)
            self._left = max(0, target - asked)  # trials that it may still ask for
            study._target = target
            study._optimizing += 1
        self._progress = _Progress(study, min(target, study._all())) if progress else None

    def run(self, objective: Objective, executor: Optional[Executor]) -> None:
        study = self._study
        try:
            if executor is None:
                while (trial := self._following()) is not None:
                    self._seen(trial.number, _evaluate_for(id(study), objective, trial))
            else:
                with study._lock:
                    if study._prunes and study._listening is None:
                        study._listening = Listening(study._take_report)
                _fly(executor, study._evaluation(executor, self._limit), objective, self._following, self._seen)
        except Error as error:
            if error.code != EFAIL or self._cause is None:
                raise
            raise error from self._cause  # too many failures
        finally:
            with study._lock:
                study._optimizing -= 1
                study._target -= self._left
                if not (study._optimizing or study._held):
                    lib.mk_study_give_up(study._handle())
                for number in self._own:  # they are lost
                    lib.mk_study_give_up_trial(study._handle(), number)
                study._told.notify_all()
            if self._progress:
                self._progress.end()

    def _seen(self, number: int, outcome: _Outcome) -> None:
        self._study._further(outcome.metrics)  # a name that is not known ends the call, and the trial is asked for again
        if outcome.traceback:
            self._study._traces[number] = outcome.traceback
        if outcome.why and not self._logged:
            self._logged = True
            _log.warning("trial %d (in files %d) failed: %s; further ones of this call are not logged\n%s", number, number + 1,
                         outcome.why, outcome.traceback)
        self._cause = outcome.cause()
        # Or the trial is given up, where the journal cannot take it.
        if outcome.timed_out:
            self._study._time_out(number, outcome.why, outcome.seconds)
        else:
            self._study.tell(number, outcome.value, failed=outcome.value is None, why=outcome.why, seconds=outcome.seconds,
                             metrics=outcome.metrics)
        self._own.discard(number)
        if self._progress:
            self._progress.show()
        for callback in self._callbacks:
            callback(self._study, self._study._trial(number))

    def _following(self) -> Optional[Trial]:
        """The next trial; None: not before one of its own has ended, or none at all."""
        study = self._study
        with study._lock:
            while study._stops == self._stops and (left := self._end - time.monotonic()) > 0:
                again = lib.mk_study_waiting(study._handle()) > 0
                if study._finish and len(self._own) >= lib.mk_study_lag(study._handle()):
                    return None
                if not again and (not self._left or study._is_over()):
                    return None
                trial = study._ask()
                if trial is not None:
                    self._left -= not again
                    self._own.add(trial.number)
                if trial is not None or self._own or study._is_over():
                    return trial
                if study._optimizing == 1:
                    raise InputError(f"optimize: {lib.mk_study_lag(study._handle())} trials of ask() are without results (lag); "
                                     "tell the earliest first")
                study._told.wait(min(left, 1.0))
        return None


def _h5(path: Any) -> Path:
    """OUT.h5 of OUT or OUT.h5."""
    found = file_path("path", path)
    return found if found.name.endswith(".h5") else Path(f"{found}.h5")


_Row = tuple[str, str, dict[str, Any], Optional[float], Mapping[str, float]]


def _rows(name: str, trials: Any) -> list[Any]:
    """The rows of a study, of Trials or dictionaries, or of a data frame."""
    if isinstance(trials, Study):
        trials = trials.trials
    if hasattr(trials, "to_dict"):
        trials = trials.to_dict("records")
    elif isinstance(trials, Mapping) and all(isinstance(column, list) for column in trials.values()):
        trials = [dict(zip(trials, row)) for row in zip(*trials.values())]
    if isinstance(trials, (str, bytes, Mapping)) or not isinstance(trials, Iterable):
        raise InputError(f"{name}: expected a study, Trials, dictionaries or a data frame, got {shown(trials)}")
    return list(trials)


def _earlier(trials: Any, spaces: Mapping[str, Space]) -> Iterable[_Row]:
    """Name in messages, arm, hyperparameters, value and further metrics of earlier results."""
    trials = _rows("add_trials", trials)
    return [_earlier_one(f"add_trials: result {i}", one, spaces) for i, one in enumerate(trials)]


def _earlier_one(name: str, one: Any, spaces: Mapping[str, Space]) -> _Row:
    if isinstance(one, Trial):
        is_whole = one.status == "ok" and one.fidelity == 1 and not (one.run and math.isnan(one.whole))
        return name, one.arm, one.params, (one.value if math.isnan(one.whole) else one.whole) if is_whole else None, one.metrics
    if not isinstance(one, Mapping) or "arm" not in one:
        raise InputError(f"{name}: expected a Trial or a dictionary with arm, params and value, got {shown(one)}")
    arm, params = str(one["arm"]), one.get("params")
    if "params" not in one:  # a row of trials_dataframe
        params = completed(name, spaces.get(arm, {}), {str(key).removeprefix("params_"): x for key, x in one.items()
                                                 if str(key).startswith("params_")})
    if not isinstance(params, Mapping):
        raise InputError(f"{name}: params: expected a dictionary, got {shown(params)}")
    is_whole = one.get("status", "ok") == "ok" and one.get("fidelity", 1) == 1
    value, metrics = one.get("whole", one.get("value")), one.get("metrics")
    if metrics is None:
        metrics = {str(key).removeprefix("metrics_"): x for key, x in one.items() if str(key).startswith("metrics_")}
    if not isinstance(metrics, Mapping):
        raise InputError(f"{name}: metrics: expected a dictionary, got {shown(metrics)}")
    further = {str(key): real(f"{name}: {key}", x) for key, x in metrics.items() if x is not None}
    return name, arm, dict(params), real(f"{name}: value", value) if is_whole and value is not None else None, further


def _unsent(objective: Objective, trial: Trial, problem: BaseException) -> Optional[str]:
    """What of a trial cannot be sent to another process, in words."""
    if isinstance(problem, (BrokenExecutor, CancelledError)):
        return None
    for what, one in (("objective", objective), (f"trial {trial.number}: its params", trial)):
        try:
            pickle.dumps(one)
        except Exception as reason:
            return (f"{what}: cannot be sent to another process, which takes what pickle takes, such as functions of a module: "
                    f"{_named(reason)}")
    return None


def _fly(executor: Executor, evaluate: Callable[[Objective, Trial], _Outcome], objective: Objective,
         following: Callable[[], Optional[Trial]], seen: Callable[[int, _Outcome], None]) -> None:
    """Gives trials to the executor and takes their outcomes, until no trial follows and none is running."""
    flying: dict[Future[_Outcome], tuple[Trial, int]] = {}

    def give(trial: Trial, tries: int) -> None:
        try:
            flying[executor.submit(evaluate, objective, trial)] = (trial, tries)
        except Exception as problem:  # such as a pool of processes one of which has died
            raise Error(f"trial {trial.number}: its worker was lost: the executor takes no more: {problem!r}") from problem

    try:
        while True:
            while (trial := following()) is not None:
                give(trial, 1)
            if not flying:
                return
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                trial, tries = flying.pop(future)
                lost = CancelledError("the executor has cancelled the trial") if future.cancelled() else future.exception()
                if lost is not None and not isinstance(lost, Exception):
                    raise lost  # SystemExit and KeyboardInterrupt, as in this thread
                if lost is None:
                    seen(trial.number, future.result())
                elif (unsent := _unsent(objective, trial, lost)) is not None:
                    raise InputError(unsent) from lost
                elif tries == _TRIES:  # what objectives raise is caught where they run: the worker is gone
                    raise Error(f"trial {trial.number}: its worker was lost {tries} times: {lost!r}") from lost
                else:
                    give(trial, tries + 1)
    finally:
        cancelled = [future for future in flying if future.cancel()]
        if cancelled and isinstance(executor, ProcessPoolExecutor):
            # Before Python 3.11.3 a pool whose last work was cancelled may never end: its thread sees the end of the pool while
            # that work is there, removes it, and waits for a result. One more call has a result.
            with contextlib.suppress(RuntimeError):
                executor.submit(int)


_HANDLE, _ERROR = c_void_p, POINTER(CError)
for _name, _result, _arguments in [
        ("mk_study_open", c_int, [POINTER(c_void_p), c_char_p, POINTER(_Settings), _ERROR]),
        ("mk_study_free", None, [_HANDLE]),
        ("mk_study_ask", c_int, [_HANDLE, POINTER(c_size_t), _ERROR]),
        ("mk_study_give_up", None, [_HANDLE]),
        ("mk_study_give_up_trial", None, [_HANDLE, c_size_t]),
        ("mk_study_tell_metrics", c_int, [_HANDLE, c_size_t, c_double, POINTER(c_double), c_double, _ERROR]),
        ("mk_study_metric", c_double, [_HANDLE, c_size_t, c_size_t]),
        ("mk_study_report", c_int, [_HANDLE, c_size_t, c_uint64, c_double, POINTER(c_int), _ERROR]),
        ("mk_study_reported", c_int, [_HANDLE, c_size_t, c_size_t, POINTER(c_uint64), POINTER(c_double)]),
        ("mk_study_is_new", c_int, [_HANDLE, c_size_t]),
        ("mk_study_origin", c_size_t, [_HANDLE, c_size_t]),
        ("mk_study_step", c_uint64, [_HANDLE, c_size_t]),
        ("mk_study_fail", c_int, [_HANDLE, c_size_t, c_char_p, c_double, _ERROR]),
        ("mk_study_time_out", c_int, [_HANDLE, c_size_t, c_char_p, c_double, _ERROR]),
        ("mk_study_add_metrics", c_int, [_HANDLE, POINTER(_Result), POINTER(c_double), c_size_t, _ERROR]),
        ("mk_study_enqueue", c_int, [_HANDLE, c_char_p, c_char_p, POINTER(c_int), _ERROR]),
        ("mk_study_is_first", c_int, [_HANDLE, c_size_t]),
        ("mk_study_extend", c_int, [_HANDLE, c_uint64, _ERROR]),
        ("mk_study_trial", c_int, [_HANDLE, c_size_t, POINTER(_Trial), _ERROR]),
        ("mk_study_trials", c_size_t, [_HANDLE]),
        ("mk_study_added", c_size_t, [_HANDLE]),
        ("mk_study_results", c_size_t, [_HANDLE]),
        ("mk_study_waiting", c_size_t, [_HANDLE]),
        ("mk_study_budget", c_uint64, [_HANDLE]),
        ("mk_study_lag", c_uint64, [_HANDLE]),
        ("mk_study_best", c_size_t, [_HANDLE]),
        ("mk_study_repeats", c_size_t, [_HANDLE]),
        ("mk_study_whole", c_double, [_HANDLE, c_size_t]),
        ("mk_study_instance", c_size_t, [_HANDLE, c_size_t]),
        ("mk_study_instance_name", c_char_p, [_HANDLE, c_size_t]),
        ("mk_study_bound", c_double, [_HANDLE, c_size_t]),
        ("mk_study_reevaluate", c_int, [_HANDLE, c_size_t, POINTER(c_size_t), _ERROR]),
        ("mk_study_again", c_int, [_HANDLE, c_size_t, POINTER(_Again), _ERROR]),
        ("mk_study_tell_again", c_int, [_HANDLE, c_size_t, c_double, c_char_p, c_double, _ERROR]),
        ("mk_study_save", c_int, [_HANDLE, c_char_p, _ERROR]),
        ("mk_study_acquisition", c_int, [_HANDLE, POINTER(c_void_p), c_char_p, c_char_p, c_size_t, c_int, _ERROR]),
        ("mk_study_what_if", c_int, [_HANDLE, POINTER(c_void_p), POINTER(c_char_p), c_size_t, _ERROR])]:
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments
