"""Studies: a policy chooses among arms, the optimiser of the arm its configuration."""
from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from ._library import (MOST_SEED, SIZE_NONE, CError, Error, Handle, InputError, check, file_path, lib, make, one_at_a_time, real,
                       texts, whole)
from ._text import yaml
from .result import as_table, report
from .space import NO_SPACE, Space, described

Objective = Callable[["Trial"], Any]
_STATUS = ("running", "ok", "failed", "timed out")
DEFAULT_POLICY = {"name": "max_ucb", "alpha": 0.5, "scale": "minmax"}
_TRIES = 3  # of a trial whose worker is lost


class _Options(Structure):
    _fields_ = [("result", c_char_p), ("resume", c_int), ("force", c_int)]


class _Result(Structure):
    _fields_ = [("arm", c_char_p), ("configuration", c_char_p), ("value", c_double)]


class _Trial(Structure):
    _fields_ = [("arm", c_size_t), ("arm_label", c_char_p), ("configuration", c_char_p), ("seed", c_uint64),
                ("fidelity", c_double), ("status", c_int), ("added", c_int), ("value", c_double), ("seconds", c_double),
                ("why", c_char_p)]


@dataclass(frozen=True)
class Trial:
    """One evaluation. number: from 0; arm: the label; params: values of the hyperparameters that are active; seed: from 1 to
    2^31 - 2, for what is random in the evaluation; fidelity: how much of it is wanted, 0 < fidelity <= 1, below 1 for
    optimisers that evaluate in part (successive_halving, hyperband, bohb). Known once it has ended: value, status (running,
    ok, failed, timed out), seconds, why it failed. added: an earlier result."""

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


@dataclass(frozen=True)
class _Outcome:
    """What an objective gives: a value, or why there is none."""

    value: Optional[float]
    why: str
    seconds: float


def _evaluate(objective: Objective, trial: Trial) -> _Outcome:
    """Runs where the executor runs it. Whatever the objective raises is a failed trial."""
    start = time.perf_counter()
    value, why = None, ""
    try:
        given = objective(trial)
        value = float(given)
        if not math.isfinite(value):
            value, why = None, f"the objective returned {given!r}"
    except Exception as problem:  # not KeyboardInterrupt
        why = f"{type(problem).__name__}: {problem}"
    return _Outcome(value, why, time.perf_counter() - start)


def _optimizer(arm: str, optimizer: Any) -> Any:
    """Of one arm: "tpe", {"name": "tpe", …}, or such a thing for every label."""
    if isinstance(optimizer, Mapping) and "name" not in optimizer:
        if arm not in optimizer:
            raise InputError(f"optimizer: expected one for every arm or {{'name': …}}; there is none for {arm!r}")
        return optimizer[arm]
    return optimizer


class Study:
    """A search over arms (algorithms) and their hyperparameters, to maximise or minimise what an objective returns.

        study = maxk.Study(arms={"svc": {"C": maxk.Real(1e-3, 1e3, log=True)}, "knn": {"n_neighbors": maxk.Integer(1, 50)}})
        study.optimize(objective, n_trials=100)
        study.best_arm, study.best_params, study.best_value

    arms: for every label a dictionary of hyperparameters (Real, Integer, Categorical), which may be empty.
    policy: the one that chooses arms, "uniform" or {"name": "max_ucb", "alpha": 0.1} (maxk.policies()); None: MaxUCB with
        alpha 0.5 and scale minmax, as in the AutoML runs of Balef et al. 2025, which does not depend on the values' scale.
    optimizer: of all arms, "tpe" or {"name": "tpe", …}, or a dictionary with one for every label.
    combined: in place of policy, an optimiser that searches all arms at once.
    direction: "maximize" or "minimize".
    crash: what failed trials count as: "worst" (the worst result so far, of the arm if it has one), "ignore" (nothing, for the
        policy) or a value.
    seed, lag: trials depend on both. Up to lag trials may be without results when another one is asked for, and a trial depends
        on the results of those before the last lag; so trials are the same for any number of workers.
    n_trials: the budget, for which some policies and optimisers plan; None: that of the first call of optimize, or, of ask, 1000.
        It grows when more are asked for, unless they have planned.
    path: OUT.h5, beside which OUT.trials has the journal and OUT.csv, OUT.times.csv and OUT.best.yaml the results, as of `maxk
        tune`; None: in memory. resume: continue what the journal has, if there is one. force: start over, whatever is there.
    prior: recorded runs of other instances, such as the OUT.csv of other studies, from which the arms and the policy begin:
        a CSV file, or {"file": …, "portfolio": 5, "weight": 10} (`maxk list keys`).

    An exception, NaN or an infinite value of the objective is a failed trial; when the first ten trials fail, that is an Error.
    The methods may be called from several threads. A study belongs to its process; what is in a file can be continued in
    another one."""

    def __init__(self, arms: Mapping[str, Space], *, policy: Union[str, Mapping[str, Any], None] = None,
                 optimizer: Union[str, Mapping[str, Any]] = "tpe", combined: Union[str, Mapping[str, Any], None] = None,
                 direction: str = "maximize", crash: Union[str, float] = "worst", seed: int = 0, lag: int = 8,
                 n_trials: Optional[int] = None, path: Union[str, os.PathLike[str], None] = None, resume: bool = False,
                 force: bool = False, prior: Union[str, os.PathLike[str], Mapping[str, Any], None] = None):
        if direction not in ("maximize", "minimize"):
            raise InputError(f"direction: expected maximize or minimize, got {direction!r}")
        if not isinstance(arms, Mapping) or not arms:
            raise InputError(f"arms: expected a dictionary with a space for every label, got {arms!r}")
        if policy is not None and combined is not None:
            raise InputError("combined: expected either policy or combined")
        self.direction = direction
        self.path = None if path is None else file_path("path", os.fspath(path).removesuffix(".h5") + ".h5")
        self._spaces = {str(label): dict(space) if isinstance(space, Mapping) else space for label, space in arms.items()}
        self._budget = None if n_trials is None else whole("n_trials", n_trials, 1, 10 ** 6)
        self._planned = self._budget  # with which the study of the library is made
        self._options = _Options(None if self.path is None else os.fsencode(self.path), resume, force)
        lines: dict[str, Any] = {
            "name": "study" if self.path is None else self.path.stem, "metric": {"maximize": direction == "maximize"},
            "seed": whole("seed", seed, 0, 2 ** 53), "lag": whole("lag", lag, 1, 1024), "workers": 1,
            "crash": crash if isinstance(crash, str) else {"value": crash}}
        if combined is not None:
            lines["combined"] = {"optimizer": combined}
        else:
            lines["policy"] = policy or DEFAULT_POLICY
        if prior is not None:
            lines["prior"] = dict(prior) if isinstance(prior, Mapping) else os.fspath(prior)
        self._head = "".join(f"{key}: {yaml(value)}\n" for key, value in lines.items())
        self._arms = "arms:\n" + "".join(
            f"  - {yaml({'label': label, 'space': described(label, space), 'optimizer': _optimizer(label, optimizer)})}\n"
            for label, space in self._spaces.items())
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._made: Optional[Handle] = None
        self._target = 0
        self._stopped = False
        self._new(self._budget, _Options(None, 0, 0))  # what is wrong with the description is said at once

    # ---- the study of the library ----

    def _free(self, value: c_void_p) -> None:
        if os.getpid() == self._process:  # a forked process has a copy of the object, but neither journal nor lock
            lib.mk_study_free(value)

    def _new(self, budget: Optional[int], options: _Options) -> Handle:
        text = self._head + (f"budget: {{evaluations: {budget}}}\n" if budget else "") + self._arms
        try:
            return make(lib.mk_study_new, self._free, text.encode(), byref(options))
        except InputError as problem:
            line = str(problem).replace("--resume", "resume=True").replace("--force", "force=True")
            raise InputError(line, problem.code) from None

    def _handle(self, budget: Optional[int] = None) -> c_void_p:
        if os.getpid() != self._process:
            raise Error("the study belongs to the process that made it; give it a path, and resume it there")
        with self._lock:
            if self._made is None:
                self._planned = self._planned or budget
                self._made = self._new(self._planned, self._options)
            return self._made.value

    def _extend(self, trials: int) -> None:
        self._call(lib.mk_study_extend, trials)
        self._planned = trials

    def _call(self, function: Any, *arguments: Any) -> None:
        err = CError()
        with self._lock:
            check(function(self._handle(), *arguments, byref(err)), err)

    def _trial(self, number: int) -> Trial:
        found = _Trial()
        with self._lock:  # texts are those of the library until its next call
            self._call(lib.mk_study_trial, number, byref(found))
            arm, active = found.arm_label.decode(), json.loads(found.configuration)
            why = found.why.decode(errors="replace")
        space = self._spaces[arm]
        params = {name: space[name].value_of(value) for name, value in active.items() if name in space}
        return Trial(number, arm, params, found.seed, found.fidelity, found.value, _STATUS[found.status], found.seconds, why,
                     bool(found.added))

    def _count(self) -> int:
        """Trials of the budget that have been asked for."""
        with self._lock:
            return int(lib.mk_study_trials(self._handle()) - lib.mk_study_added(self._handle()))

    # ---- ask and tell ----

    def _ask(self) -> Optional[Trial]:
        """None: not before results are told."""
        number = c_size_t()
        with self._lock:
            if self._count() >= (budget := lib.mk_study_budget(self._handle())) and not lib.mk_study_waiting(self._handle()):
                if self._budget is not None:
                    raise InputError(f"all {budget} trials have been asked for; optimize(n_trials=…) asks for more")
                self._extend(2 * budget)
            self._call(lib.mk_study_ask, byref(number))
        return None if number.value == SIZE_NONE else self._trial(number.value)

    def ask(self) -> Trial:
        """The next trial to run. InputError: as many as lag are without results, or all of n_trials have been asked for."""
        with self._lock:
            trial = self._ask()
            if trial is None:
                lag = lib.mk_study_lag(self._handle())
                raise InputError(f"{lag} trials may be without results (lag); tell the earliest first")
            self._target = max(self._target, self._count())
        return trial

    def tell(self, trial: Union[Trial, int], value: Optional[float] = None, *, failed: bool = False, why: str = "",
             seconds: Optional[float] = None) -> None:
        """The result of a trial that ask has returned: what is to be maximised or minimised, or that it failed, and why. NaN and
        infinite values are failures. seconds: how long it took; None: since it was asked for."""
        number = whole("trial", trial.number if isinstance(trial, Trial) else trial, 0, SIZE_NONE - 1)
        if failed == (value is not None):
            raise InputError(f"tell: expected either a value or failed=True, got {value!r} and failed={failed}")
        number_of = math.nan if value is None else real("value", value)
        took = math.nan if seconds is None else real("seconds", seconds)
        if math.isfinite(number_of):
            self._call(lib.mk_study_tell, number, number_of, took)
        else:
            self._call(lib.mk_study_fail, number, (why or ("" if failed else f"the value is {value!r}")).encode(), took)

    def fail(self, trial: Union[Trial, int], why: str = "", *, seconds: Optional[float] = None) -> None:
        """A trial without a result, and why."""
        self.tell(trial, failed=True, why=why, seconds=seconds)

    def add_trials(self, trials: Any) -> None:
        """Earlier results, which do not count for n_trials, before the first trial: another study, Trials, dictionaries with arm,
        params and value, or what trials_dataframe returns. Those without a value are left out."""
        found = [one for one in _earlier(trials) if one[2] is not None and math.isfinite(one[2])]
        rows = (_Result * max(1, len(found)))()
        for row, (arm, params, value) in zip(rows, found):
            space = self._spaces.get(arm, {})
            words = {name: str(x) if hasattr(space.get(name), "words") else x for name, x in params.items()} or NO_SPACE
            row.arm, row.configuration, row.value = arm.encode(), yaml(words).encode(), value
        self._call(lib.mk_study_add, rows, len(found))

    # ---- optimisation ----

    def optimize(self, objective: Objective, n_trials: Optional[int] = None, timeout: Optional[float] = None,
                 executor: Optional[Executor] = None, callbacks: Sequence[Callable[["Study", Trial], None]] = (),
                 progress: bool = False) -> None:
        """Runs n_trials more trials; those of an earlier session that is resumed count for the first calls, so that a script
        that was interrupted can be run again as it is. None: to the end of the study's n_trials, or of the timeout in seconds,
        after which no trial is started and those that run are awaited.

        executor: where trials run, up to lag at a time: any of concurrent.futures, Dask's client.get_executor(),
            mpi4py.futures.MPIPoolExecutor; None: in this thread. With processes the objective has to be picklable. A trial whose
            worker is lost is run again.
        callbacks: called with the study and each trial that has ended, in the thread that called optimize; stop() ends the run.
        progress: a line on standard error.

        With a path the results are saved at the end. Trials that an exception or a signal interrupts are asked for again by the
        next call."""
        if n_trials is None and timeout is None and self._budget is None:
            raise InputError("optimize: expected n_trials or timeout")
        more = None if n_trials is None else whole("n_trials", n_trials, 1, 10 ** 6)
        end = math.inf if timeout is None else time.monotonic() + real("timeout", timeout)
        with self._lock:
            self._handle(more)
            self._target = self._budget or 10 ** 6 if more is None else self._target + more
            if more is not None and self._target > lib.mk_study_budget(self._handle()):
                self._extend(self._target)
        self._stopped = False
        shown = _Progress(self, min(self._target, lib.mk_study_budget(self._handle()))) if progress else None

        def seen(number: int, outcome: _Outcome) -> None:
            self.tell(number, outcome.value, failed=outcome.value is None, why=outcome.why, seconds=outcome.seconds)
            if shown:
                shown.show()
            for callback in callbacks:
                callback(self, self._trial(number))

        def following() -> Optional[Trial]:
            with self._lock:
                waiting = lib.mk_study_waiting(self._handle())
                if self._stopped or time.monotonic() >= end or (self._count() >= self._target and not waiting):
                    return None
                return self._ask()

        try:
            if executor is None:
                while (trial := following()) is not None:
                    seen(trial.number, _evaluate(objective, trial))
            else:
                _fly(executor, objective, following, seen)
            if self._stopped or time.monotonic() >= end:
                self._target = self._count()
        except BaseException:  # what is running is lost
            lib.mk_study_give_up(self._handle())
            self._target = self._count()
            raise
        finally:
            if shown:
                shown.end()
        if self.path is not None and lib.mk_study_best(self._handle()) != SIZE_NONE:
            self.save()

    def stop(self) -> None:
        """Ends optimize, from a callback or another thread; trials that run are awaited."""
        self._stopped = True

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
        """The first with the best value among whole evaluations. Error: no trial has succeeded."""
        with self._lock:
            best = lib.mk_study_best(self._handle())
            if best == SIZE_NONE:
                raise Error("no whole evaluation has succeeded")
            return self._trial(best)

    @property
    def best_arm(self) -> str:
        """The label of the best trial's arm."""
        return self.best_trial.arm

    @property
    def best_params(self) -> dict[str, Any]:
        """The hyperparameters of the best trial."""
        return self.best_trial.params

    @property
    def best_value(self) -> float:
        """The value of the best trial."""
        return self.best_trial.value

    def trials_dataframe(self) -> Any:
        """A row for each trial, in the order of their numbers: number, arm, value, status, params_NAME (NaN: not active), seed,
        fidelity, added, why and seconds (measured; all else is the same for any number of workers). Without pandas a
        dictionary of lists."""
        trials = self.trials
        names = list(dict.fromkeys(name for space in self._spaces.values() for name in space))
        columns: dict[str, list[Any]] = {key: [getattr(t, key) for t in trials] for key in ("number", "arm", "value", "status")}
        columns |= {f"params_{name}": [t.params.get(name, math.nan) for t in trials] for name in names}
        columns |= {key: [getattr(t, key) for t in trials] for key in ("seed", "fidelity", "added", "why", "seconds")}
        try:
            import pandas
        except ImportError:
            return columns
        return pandas.DataFrame(columns)

    def simulate(self, *policies: Union[str, Mapping[str, Any]]) -> Any:
        """What other policies would have done with the trials so far, a row each (`maxk tune --simulate`): how many of them a
        policy can be followed for, the best value that it would have reached, and that of the study after as many."""
        handle = Handle(lib.mk_table_free)
        wanted = texts([one if isinstance(one, str) else yaml(one) for one in policies])
        self._call(lib.mk_study_what_if, byref(handle.value), wanted, len(policies))
        return as_table(handle)

    def save(self, path: Union[str, os.PathLike[str], None] = None) -> Path:
        """Writes OUT.h5, OUT.csv, OUT.times.csv and OUT.best.yaml; path: OUT.h5, None: that of the study."""
        where = self.path if path is None else file_path("path", path)
        if where is None:
            raise InputError("save: the study is in memory; expected a path")
        with one_at_a_time:
            self._call(lib.mk_study_save, None if path is None else os.fsencode(where))
        return where

    def report(self, path: Union[str, os.PathLike[str]] = "report.html", title: Optional[str] = None) -> Path:
        """Writes the page of the study (`maxk report`): the best configuration, arms, failures, importance of hyperparameters,
        figures (gnuplot draws them). The study is saved, one in memory beside the page for as long as it takes."""
        if self.path is not None:
            return report([self.save()], path, title)
        with tempfile.TemporaryDirectory() as folder:
            return report([self.save(Path(folder, "study.h5"))], path, title or f"Study of {len(self._spaces)} arms")

    def close(self) -> None:
        """Gives the journal back, so that another process can continue the study; it is opened again by its next use."""
        with self._lock:
            if self._made is not None and self._options.result:
                self._made = None
                self._options.resume, self._options.force = 1, 0

    def plot(self, ax: Any = None) -> Any:
        """Values of the trials by arm, and the best so far, on matplotlib's axes (new ones if None), which are returned."""
        import matplotlib.pyplot
        ax = ax or matplotlib.pyplot.subplots()[1]
        trials, sign = [t for t in self.trials if t.status == "ok"], 1 if self.direction == "maximize" else -1
        for arm in self._spaces:
            of_arm = [t for t in trials if t.arm == arm]
            ax.plot([t.number for t in of_arm], [t.value for t in of_arm], "o", markersize=3, label=arm)
        best, steps = -math.inf, []
        for t in trials:
            best = max(best, sign * t.value) if t.fidelity == 1 else best
            steps.append(sign * best)
        ax.step([t.number for t in trials], steps, "k-", where="post", label="best so far")
        ax.set_xlabel("trial")
        ax.set_ylabel("value")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        trials = len(self)
        best = lib.mk_study_best(self._handle())
        shown = "" if best == SIZE_NONE else f", best {self._trial(best).value:.6g} by {self._trial(best).arm}"
        return f"<maxk.Study of {len(self._spaces)} arms: {trials} trials{shown}>"

    def _repr_html_(self) -> str:
        table = self.trials_dataframe()
        shown = table.tail(10).to_html(index=False) if hasattr(table, "to_html") else ""
        return f"<p>{repr(self)[1:-1]}</p>{shown}"

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


def _earlier(trials: Any) -> Iterable[tuple[str, dict[str, Any], Optional[float]]]:
    """Arm, hyperparameters and value of earlier results."""
    if isinstance(trials, Study):
        trials = trials.trials
    if hasattr(trials, "to_dict"):
        trials = trials.to_dict("records")
    for one in trials:
        if isinstance(one, Trial):
            yield one.arm, one.params, one.value if one.status == "ok" and one.fidelity == 1 else None
            continue
        if "params" in one:
            params = dict(one["params"])
        else:  # a row of trials_dataframe
            params = {name.removeprefix("params_"): x for name, x in one.items()
                      if name.startswith("params_") and x == x}
        whole_one = one.get("status", "ok") == "ok" and one.get("fidelity", 1) == 1
        yield str(one["arm"]), params, float(one["value"]) if whole_one and one.get("value") is not None else None


def _fly(executor: Executor, objective: Objective, following: Callable[[], Optional[Trial]],
         seen: Callable[[int, _Outcome], None]) -> None:
    """Gives trials to the executor and takes their outcomes, until no trial follows and none is running."""
    flying: dict[Future[_Outcome], tuple[Trial, int]] = {}

    def give(trial: Trial, tries: int) -> None:
        try:
            flying[executor.submit(_evaluate, objective, trial)] = (trial, tries)
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
                if lost is None:
                    seen(trial.number, future.result())
                elif tries == _TRIES:  # what objectives raise is caught where they run: the worker is gone
                    raise Error(f"trial {trial.number}: its worker was lost {tries} times: {lost!r}") from lost
                else:
                    give(trial, tries + 1)
    finally:
        for future in flying:
            future.cancel()


_HANDLE, _ERROR = c_void_p, POINTER(CError)
for _name, _result, _arguments in [
        ("mk_study_new", c_int, [POINTER(c_void_p), c_char_p, POINTER(_Options), _ERROR]),
        ("mk_study_free", None, [_HANDLE]),
        ("mk_study_ask", c_int, [_HANDLE, POINTER(c_size_t), _ERROR]),
        ("mk_study_give_up", None, [_HANDLE]),
        ("mk_study_tell", c_int, [_HANDLE, c_size_t, c_double, c_double, _ERROR]),
        ("mk_study_fail", c_int, [_HANDLE, c_size_t, c_char_p, c_double, _ERROR]),
        ("mk_study_add", c_int, [_HANDLE, POINTER(_Result), c_size_t, _ERROR]),
        ("mk_study_extend", c_int, [_HANDLE, c_uint64, _ERROR]),
        ("mk_study_trial", c_int, [_HANDLE, c_size_t, POINTER(_Trial), _ERROR]),
        ("mk_study_trials", c_size_t, [_HANDLE]),
        ("mk_study_added", c_size_t, [_HANDLE]),
        ("mk_study_results", c_size_t, [_HANDLE]),
        ("mk_study_waiting", c_size_t, [_HANDLE]),
        ("mk_study_budget", c_uint64, [_HANDLE]),
        ("mk_study_lag", c_uint64, [_HANDLE]),
        ("mk_study_best", c_size_t, [_HANDLE]),
        ("mk_study_save", c_int, [_HANDLE, c_char_p, _ERROR]),
        ("mk_study_what_if", c_int, [_HANDLE, POINTER(c_void_p), POINTER(c_char_p), c_size_t, _ERROR])]:
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments
