"""libmaxk.so through ctypes: the functions of maxk.h and policy.h, and their errors."""
from __future__ import annotations

import ctypes
import operator
import os
import shutil
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_ubyte, c_uint64,
                    c_void_p)
from pathlib import Path
from typing import Any, Optional, TypeVar, cast

T = TypeVar("T")
SONAME = "libmaxk.so.1"
OK, EINPUT, ENOMEM, ESTOPPED, EFAIL = 0, -1, -2, -5, -6
MOST_SEED, MOST_SIZE, MOST_INT = 2**64 - 1, 2**63 - 1, 2**31 - 1
MOST_REWARD = 1e100
SIZE_NONE = ctypes.c_size_t(-1).value


class Error(RuntimeError):
    """What went wrong, in one line of text. `code` is a negative mk_code of error.h."""

    __module__ = "maxk"

    def __init__(self, text: str, code: int = -6):
        super().__init__(text)
        self.code = code

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (str(self), self.code)


class InputError(Error, ValueError):
    """The input is wrong. The text is `file:line:column: key: the problem, what is allowed`."""

    __module__ = "maxk"

    def __init__(self, text: str, code: int = EINPUT):
        super().__init__(text, code)


class CError(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1024)]


PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)


class RunSettings(Structure):
    _fields_ = [("size", c_size_t), ("result", c_char_p), ("start_over", c_bool), ("threads", c_int), ("engine", c_char_p),
                ("progress", PROGRESS), ("context", c_void_p)]


class PolicyOptions(Structure):
    _fields_ = [("horizon", c_uint64), ("seed", c_uint64), ("cost", POINTER(c_double)), ("bounded", c_int)]


class ResultArrays(Structure):
    _fields_ = [(name, c_size_t) for name in ("policies", "instances", "horizons", "arms")] + [
        ("replications", c_uint64),
        *((name, POINTER(c_char_p)) for name in ("policy", "instance", "arm")),
        ("horizon", POINTER(c_uint64)),
        *((name, POINTER(c_double)) for name in ("mean_pulls", "se_pulls", "mean_max", "se_max", "expected_max", "gap")),
        ("pulls", POINTER(c_uint64)), ("max_reward", POINTER(c_double)), ("incumbent", POINTER(c_double)),
        ("cost_parts", c_double)]


class RecordedArrays(Structure):
    _fields_ = [(name, POINTER(c_double)) for name in ("reward", "cost", "test_reward")]


class Column(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("unit", c_char_p), ("about", c_char_p)]


HANDLE, OUT, ERROR = c_void_p, POINTER(c_void_p), POINTER(CError)
TEXTS, SIZE = POINTER(c_char_p), POINTER(c_size_t)

# name: (result, arguments)
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "mk_version": (c_char_p, []),
    "mk_revision": (c_char_p, []),
    "mk_policy_name": (c_char_p, [c_size_t]),
    "mk_policy_summary": (c_char_p, [c_size_t]),
    "mk_family_name": (c_char_p, [c_size_t]),
    "mk_family_summary": (c_char_p, [c_size_t]),
    "mk_experiment_load": (c_int, [OUT, c_char_p, TEXTS, c_size_t, ERROR]),
    "mk_experiment_from_text": (c_int, [OUT, c_char_p, TEXTS, c_size_t, ERROR]),
    "mk_experiment_name": (c_char_p, [HANDLE]),
    "mk_experiment_free": (None, [HANDLE]),
    "mk_run_experiment": (c_int, [POINTER(POINTER(ResultArrays)), HANDLE, POINTER(RunSettings), ERROR]),
    "mk_stop": (None, []),
    "mk_result_arrays_read": (c_int, [POINTER(POINTER(ResultArrays)), c_char_p, ERROR]),
    "mk_report_write": (c_int, [TEXTS, c_size_t, c_char_p, c_char_p, ERROR]),
    "mk_result_arrays_free": (None, [POINTER(ResultArrays)]),
    "mk_distribution_new": (c_int, [OUT, c_char_p, ERROR]),
    "mk_distribution_free": (None, [HANDLE]),
    "mk_distribution_sample": (None, [HANDLE, c_uint64, c_size_t, POINTER(c_double)]),
    "mk_distribution_survival": (c_double, [HANDLE, c_double]),
    "mk_distribution_inverse_survival": (c_double, [HANDLE, c_double]),
    "mk_distribution_support": (None, [HANDLE, POINTER(c_double), POINTER(c_double)]),
    "mk_distribution_expected_max": (c_int, [HANDLE, c_double, POINTER(c_double), ERROR]),
    "mk_distribution_constants": (c_int, [HANDLE, POINTER(c_double), POINTER(c_double), ERROR]),
    "mk_recorded_write": (c_int, [c_char_p, POINTER(RecordedArrays), SIZE, POINTER(c_char_p), POINTER(c_char_p), ERROR]),
    "mk_policy_new": (c_int, [OUT, c_char_p, c_size_t, POINTER(PolicyOptions), ERROR]),
    "mk_policy_free": (None, [HANDLE]),
    "mk_policy_select": (c_int, [HANDLE, SIZE, ERROR]),
    "mk_policy_update": (c_int, [HANDLE, c_size_t, c_double, ERROR]),
    "mk_policy_fail": (c_int, [HANDLE, c_size_t, ERROR]),
    "mk_policy_add": (c_int, [HANDLE, c_size_t, c_double, ERROR]),
    "mk_policy_add_cost": (c_int, [HANDLE, c_size_t, c_double, c_double, ERROR]),
    "mk_policy_update_cost": (c_int, [HANDLE, c_size_t, c_double, c_double, ERROR]),
    "mk_policy_select_while_running": (c_int, [HANDLE, SIZE, c_size_t, SIZE, ERROR]),
    "mk_policy_text": (c_char_p, [HANDLE]),
    "mk_policy_arms": (c_size_t, [HANDLE]),
    "mk_policy_rounds": (c_uint64, [HANDLE]),
    "mk_policy_best": (c_double, [HANDLE]),
    "mk_policy_round_arm": (c_size_t, [HANDLE, c_uint64]),
    "mk_policy_round_reward": (c_double, [HANDLE, c_uint64]),
    "mk_policy_copy": (c_int, [OUT, HANDLE, ERROR]),
    "mk_policy_save": (c_int, [HANDLE, POINTER(c_void_p), ERROR]),
    "mk_policy_free_text": (None, [c_void_p]),
    "mk_policy_load": (c_int, [OUT, c_char_p, ERROR]),
    "mk_table_make": (c_int, [OUT, c_char_p, TEXTS, c_size_t, TEXTS, c_size_t, ERROR]),
    "mk_table_free": (None, [HANDLE]),
    "mk_table_name": (c_char_p, [c_size_t]),
    "mk_table_summary": (c_char_p, [c_size_t]),
    "mk_table_columns_of": (POINTER(Column), [c_char_p, c_size_t, SIZE]),
    "mk_table_title_of": (c_char_p, [c_char_p, c_size_t]),
    "mk_table_rows": (c_size_t, [HANDLE]),
    "mk_table_column": (POINTER(Column), [HANDLE, c_size_t]),
    "mk_table_texts": (TEXTS, [HANDLE, c_size_t]),
    "mk_table_counts": (POINTER(c_uint64), [HANDLE, c_size_t]),
    "mk_table_reals": (POINTER(c_double), [HANDLE, c_size_t]),
    "mk_table_flags": (POINTER(c_ubyte), [HANDLE, c_size_t]),
    "mk_table_caption": (c_char_p, [HANDLE]),
    "mk_table_note": (c_char_p, [HANDLE, c_size_t]),
    "mk_table_warning": (c_char_p, [HANDLE, c_size_t]),
    "mk_table_title": (c_char_p, [HANDLE]),
    "mk_table_group_caption": (c_char_p, [HANDLE, c_size_t]),
    "mk_table_group_rows": (SIZE, [HANDLE, c_size_t, SIZE]),
    "mk_table_further": (c_void_p, [HANDLE]),
}


def _candidates() -> Iterator[str]:
    """Where the library may be: as MAXK_LIBRARY names it, next to the module (of a wheel), build/ of the checkout or lib/ of the
    prefix to which the module belongs, where the system looks. No other folder: anybody may have put a file into a parent of
    the checkout."""
    if "MAXK_LIBRARY" in os.environ:
        yield os.environ["MAXK_LIBRARY"]
        return
    module = Path(__file__).resolve().parent
    own = module / "lib" / SONAME
    if module.parts[-3:] == ("sim", "python", "maxk"):
        top = module.parents[2]
        if (top / "Makefile").is_file() and (top / "sim/api/maxk/maxk.h").is_file():
            own = top / "build" / SONAME
    elif not own.exists() and module.parent.name in ("dist-packages", "site-packages"):
        if module.parents[2].name.startswith("lib"):
            own = module.parents[2] / SONAME  # PREFIX/lib/python3/dist-packages/maxk
    if own.exists():
        yield str(own)
    yield SONAME


def _load() -> tuple[str, ctypes.CDLL]:
    tried = []
    for path in _candidates():
        try:
            return path, ctypes.CDLL(path)
        except OSError as problem:
            tried.append(str(problem))
    raise ImportError("maxk: libmaxk.so cannot be loaded (MAXK_LIBRARY names it): " + "; ".join(tried))


path, lib = _load()
for _name, (_result, _arguments) in FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

class Turns:
    """A lock for runs and result files, of which HDF5 allows one thread at a time. Its thread may come back: `progress` may open
    results. A forked process does not have the thread that was running, which would never release it: there the lock is new."""

    def __init__(self) -> None:
        self._new()
        os.register_at_fork(after_in_child=self._new)

    def _new(self) -> None:
        self._lock, self._depth = threading.RLock(), 0
        self._owner: Optional[int] = None

    def is_mine(self) -> bool:
        """Whether this thread has it."""
        return self._owner == threading.get_ident()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._owner, self._depth = threading.get_ident(), self._depth + 1

    def __exit__(self, *problem: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None
        self._lock.release()


one_at_a_time = Turns()


class _Call(threading.Thread):
    """A call of the library in a thread of its own, with a lock, so that the main thread sees signals."""

    def __init__(self, work: Callable[[], Any], lock: Any):
        super().__init__(daemon=True)
        self.work, self.lock, self.result = work, lock, None
        self.problem: Optional[BaseException] = None
        self.ended = threading.Event()
        self.begun = self.cancelled = False  # it may have to wait for another call

    def run(self) -> None:
        try:
            with self.lock:
                self.begun = True
                if not self.cancelled:
                    self.result = self.work()
        except BaseException as problem:
            self.problem = problem
        self.ended.set()


def stoppable(work: Callable[[], T], lock: Any = one_at_a_time) -> T:
    """work() with the lock. KeyboardInterrupt, or what else a signal raises in the main thread, asks the library to stop and
    ends the call within two seconds, even if the library, in its thread, needs longer for what it is doing."""
    if one_at_a_time.is_mine() or threading.current_thread() is not threading.main_thread():
        with lock:
            return work()
    call = _Call(work, lock)
    call.start()
    try:
        while not call.ended.wait(0.1):
            pass
    except BaseException:
        call.cancelled = True
        for _ in range(40):
            if not call.begun or call.ended.wait(0.05):
                break
            lib.mk_stop()
        raise
    if call.problem:
        raise call.problem
    return cast(T, call.result)

_locks: dict[int, Any] = {}
_forking = threading.Lock()
_held: list[Any] = []


def new_lock() -> Any:
    """A lock for one object, whose thread may come back. A thread that forks takes all of them before, so that no other one is
    in the middle of a call: the new process finds its objects whole, and their locks free."""
    lock = threading.RLock()
    key = id(lock)
    _locks[key] = weakref.ref(lock, lambda _: _locks.pop(key, None))
    return lock


def _before_fork() -> None:
    _forking.acquire()
    _held.extend(lock for lock in (reference() for reference in list(_locks.values())) if lock is not None)
    for lock in _held:
        lock.acquire()


def _after_fork() -> None:
    while _held:
        _held.pop().release()
    _forking.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def check(code: int, err: CError) -> None:
    """Raises what a function of the library reports."""
    if code == OK:
        return
    text = err.text.decode(errors="replace")
    raise (InputError if code == EINPUT else Error)(text, code)


def shown(value: Any) -> str:
    """A value in a message, which has one line."""
    return f"{' '.join(repr(value).split()):.100}"


def _is_bool(value: Any) -> bool:
    """True or False, also numpy's."""
    return type(value).__name__ in ("bool", "bool_")


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number as C takes it; ctypes would wrap it, int() truncate it. True is none."""
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        number = least - 1
    if _is_bool(value) or not least <= number <= most:
        raise InputError(f"{name}: expected a whole number from {least} to {most}, got {shown(value)}")
    return number


def seed_of(name: str, value: Any, most: int = MOST_SEED) -> int:
    """A seed: a whole number, or one that a numpy.random.Generator draws, which goes on, or the system (None)."""
    if value is None:
        return int.from_bytes(os.urandom(8), "little") % (most + 1)
    if not isinstance(value, int) and hasattr(value, "bit_generator"):
        return int.from_bytes(value.bytes(8), "little") % (most + 1)
    return whole(name, value, 0, most)


def real(name: str, value: Any) -> float:
    """A number, which may be infinite or NaN."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: expected a number, got {shown(value)}") from None


def flag(name: str, value: Any) -> bool:
    """True or False, also numpy's."""
    if not isinstance(value, int) and not _is_bool(value):
        raise InputError(f"{name}: expected True or False, got {shown(value)}")
    return bool(value)


def utf8(name: str, value: Any) -> bytes:
    """A text as C takes it."""
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a text, got {shown(value)}")
    try:
        found = value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name}: expected a text in UTF-8, got {shown(value)}") from None
    if 0 in found:
        raise InputError(f"{name}: expected a text without NUL, got {shown(value)}")
    return found


def file_path(name: str, value: Any) -> Path:
    """Where a file is or will be."""
    try:
        path = os.fsdecode(value)
        os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        raise InputError(f"{name}: expected the path of a file, got {shown(value)}") from None
    if "\0" in path:
        raise InputError(f"{name}: expected a path without NUL, got {shown(value)}")
    return Path(path)


class Handle:
    """An object of the library, freed with its last reference."""

    def __init__(self, free: Callable[[c_void_p], Any]):
        self.value = c_void_p()
        self._free = free

    def __del__(self) -> None:
        if self.value:
            self._free(self.value)


def make(create: Any, free: Callable[[c_void_p], Any], *arguments: Any, warn: Optional[Callable[[str], Any]] = None) -> Handle:
    """create(&out, …, &err) → the object; warn: is given what the function says of a success."""
    handle, err = Handle(free), CError()
    check(create(byref(handle.value), *arguments, byref(err)), err)
    if warn and err.text:
        warn(err.text.decode(errors="replace"))
    return handle


def texts(name: str, items: Sequence[str]) -> Any:
    """Texts as C takes them."""
    return (c_char_p * max(1, len(items)))(*(utf8(name, item) for item in items))


def program() -> str:
    """The program maxk that belongs to the library: MAXK, next to it, PREFIX/bin, or on the PATH."""
    here = Path(path).resolve().parent
    for found in (os.environ.get("MAXK"), here / "maxk", here.parent / "bin" / "maxk", shutil.which("maxk")):
        if found and os.path.isfile(found) and os.access(found, os.X_OK):
            return str(found)
    raise Error("the program maxk is not there; the environment variable MAXK names it")


def _registry(name: Any, summary: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    while word := name(len(found)):
        found[word.decode()] = summary(len(found)).decode()
    return found


def policies() -> dict[str, str]:
    """Returns the names of all policies, each with one line that describes it."""
    return _registry(lib.mk_policy_name, lib.mk_policy_summary)


def families() -> dict[str, str]:
    """Returns the names of all families of reward distributions, each with one line that describes it."""
    return _registry(lib.mk_family_name, lib.mk_family_summary)


def tables() -> dict[str, str]:
    """Returns the names of the tables that maxk.table makes, each with one line that describes it."""
    return _registry(lib.mk_table_name, lib.mk_table_summary)


def meaning(column: Column) -> tuple[str, str]:
    """Its name, and what it means, with its unit."""
    return column.name.decode(), column.about.decode() + (f" ({column.unit.decode()})" if column.unit else "")


def columns(table: str, number: int = 0) -> dict[str, str]:
    """Returns the columns of a table: for each name what it means, with its unit. {}: there is no such table.

    number: 0 is the table itself; 1, 2, … are the further tables and other forms that it can have (`maxk list columns
        TABLE`)."""
    n = c_size_t()
    found = lib.mk_table_columns_of(utf8("table", table), whole("number", number, 0, MOST_INT), byref(n))
    return dict(map(meaning, found[:n.value] if found else ()))


def version() -> str:
    """Returns the version of the library, such as "1.0.0"."""
    return str(lib.mk_version().decode())


def revision() -> str:
    """Returns the revision of the source from which the library was built."""
    return str(lib.mk_revision().decode())
