"""Policies and optimisers of one's own: objects with ask and tell, which choose within a study."""
from __future__ import annotations

import copy
import json
import logging
import math
from collections.abc import Mapping
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_size_t, c_void_p
from typing import Any, Callable, Optional

from ._library import SIZE_NONE, InputError, shown
from ._text import yaml
from .space import Space, is_given, word_of

_log = logging.getLogger("maxk")
_RESTART = CFUNCTYPE(c_int, c_void_p)
_ASK_ARM = CFUNCTYPE(c_int, c_void_p, c_size_t, POINTER(c_size_t))
_TELL_ARM = CFUNCTYPE(c_int, c_void_p, c_size_t, c_double)
_TELL = CFUNCTYPE(c_int, c_void_p, c_size_t, c_char_p, c_double)
_ASK = CFUNCTYPE(c_int, c_void_p, c_size_t, c_char_p, POINTER(c_char_p))


class OwnFunctions(Structure):
    _fields_ = [("context", c_void_p), ("restart", _RESTART), ("ask_arm", _ASK_ARM), ("tell_arm", _TELL_ARM), ("tell", _TELL),
                ("ask", _ASK)]


def is_own(one: Any) -> bool:
    """Whether it is a policy or an optimiser of one's own, not the name or the description of one of maxk."""
    return not isinstance(one, (str, Mapping, type)) and callable(getattr(one, "ask", None)) and \
        callable(getattr(one, "tell", None))


def class_of(one: Any) -> str:
    return f"{type(one).__module__}.{type(one).__qualname__}"


class _Chooser:
    """An object, and how it was at first, from which a study that begins again takes a copy."""

    def __init__(self, what: str, one: Any, copies: dict[int, Any]):
        self.what, self.one, self.used = what, one, False
        try:
            self.first: Any = copy.deepcopy(one, copies)
        except Exception:  # it is needed only where the study begins again
            self.first = None

    def restart(self, copies: dict[int, Any]) -> None:
        if self.first is None:
            raise InputError(f"{self.what}: {class_of(self.one)} cannot be copied, which a study needs that begins again with "
                             "another budget; expected Study(n_trials=…) of all trials")
        self.one, self.used = copy.deepcopy(self.first, copies), False

    def call(self, name: str, *arguments: Any) -> Any:
        self.used = True
        try:
            return getattr(self.one, name)(*arguments)
        except Exception as problem:
            what = f"{type(problem).__name__}: {problem}"
            raise InputError(f"{self.what}: {class_of(self.one)}.{name} has raised {what}") from problem


def _same(one: Any, other: Any) -> bool:
    """Of two values as in files; numbers may have been rounded to the steps of their hyperparameter."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9)
    return str(one) == str(other)


class Own:
    """What of a study objects choose, as the library calls it. The exceptions of these calls are kept for the caller of the
    library."""

    def __init__(self, spaces: Mapping[str, Space], policy: Any, optimizers: Mapping[str, Any]):
        self._spaces, self._labels = spaces, list(spaces)
        copies: dict[int, Any] = {}  # of all objects together, so that what they share is shared by their copies
        self._policy = _Chooser("policy", policy, copies) if is_own(policy) else None
        self._optimizers = {arm: _Chooser(f"optimizer of {arm}", one, copies) for arm, one in optimizers.items() if is_own(one)}
        self._warned = False
        self._text = b""  # that the library reads after the call
        self._problem: Optional[BaseException] = None
        self.functions = OwnFunctions(None, _RESTART(self._guard(self._restart)), _ASK_ARM(self._guard(self._ask_arm)),
                                      _TELL_ARM(self._guard(self._tell_arm)), _TELL(self._guard(self._tell)),
                                      _ASK(self._guard(self._ask)))

    def __bool__(self) -> bool:
        return self._policy is not None or bool(self._optimizers)

    def _guard(self, function: Callable[..., None]) -> Callable[..., int]:
        def called(_: Any, *arguments: Any) -> int:
            try:
                function(*arguments)
                return 0
            except BaseException as problem:  # also Ctrl-C: what ctypes ignores would be an answer for the library
                self._problem = problem
                return 1
        return called

    def raised(self) -> Optional[BaseException]:
        """The exception of the calls since the last time, if there was one."""
        problem, self._problem = self._problem, None
        return problem

    def _restart(self) -> None:
        all_ = ([self._policy] if self._policy else []) + list(self._optimizers.values())
        copies: dict[int, Any] = {}
        for one in all_ if any(one.used for one in all_) else []:
            one.restart(copies)

    def _differs(self, what: str, chosen: Any, known: Any) -> None:
        if not self._warned:
            _log.warning("%s: chooses %s where the journal has %s, which is used; expected one that is a function of its seed "
                         "and of the results it gets, and further differences of this study are not logged", what, shown(chosen),
                         shown(known))
        self._warned = True

    def _ask_arm(self, known: int, out: Any) -> None:
        assert self._policy is not None
        given = self._policy.call("ask")
        label = str(given)
        if known != SIZE_NONE:
            if label != self._labels[known]:
                self._differs("policy", given, self._labels[known])
            out[0] = known
            return
        if label not in self._spaces:
            raise InputError(f"policy: {class_of(self._policy.one)}.ask has returned {shown(given)}; expected one of "
                             f"{', '.join(self._labels)}")
        out[0] = self._labels.index(label)

    def _tell_arm(self, arm: int, reward: float) -> None:
        assert self._policy is not None
        self._policy.call("tell", self._labels[arm], reward)

    def _params(self, arm: int, text: bytes) -> dict[str, Any]:
        space = self._spaces[self._labels[arm]]
        return {name: space[name].value_of(value) for name, value in json.loads(text).items() if name in space}

    def _ask(self, arm: int, known: Optional[bytes], out: Any) -> None:
        label = self._labels[arm]
        space, chooser = self._spaces[label], self._optimizers[label]
        given = chooser.call("ask")
        if not isinstance(given, Mapping):
            raise InputError(f"{chooser.what}: {class_of(chooser.one)}.ask has returned {shown(given)}; expected a dictionary of "
                             "hyperparameters")
        for name, value in given.items():  # NaN is a default in data frames; of an optimiser it is a mistake
            one = space.get(name)
            if isinstance(value, float) and math.isnan(value) and not is_given(one, value) and not getattr(one, "when", None):
                raise InputError(f"{chooser.what}: {class_of(chooser.one)}.ask has returned {name}: nan; expected a value")
        words = {str(name): word_of(f"{chooser.what}: {name}", space.get(name), value) for name, value in given.items()
                 if is_given(space.get(name), value)}
        if known is not None:
            params = self._params(arm, known)
            if any(not _same(words.get(name), word_of(name, space.get(name), value)) for name, value in params.items()):
                self._differs(chooser.what, given, params)
            return
        self._text = (yaml(words) if words else "{}").encode()
        out[0] = self._text

    def _tell(self, arm: int, text: bytes, reward: float) -> None:
        self._optimizers[self._labels[arm]].call("tell", self._params(arm, text), reward if not math.isnan(reward) else math.nan)
