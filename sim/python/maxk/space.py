"""Search spaces: what a hyperparameter may be."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from ._library import InputError

Condition = Mapping[str, Any]


def _number(owner: str, name: str, value: Any, whole: bool) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__") or not math.isfinite(value):
        raise InputError(f"{owner}: {name}: expected a number, got {value!r}")
    if whole and float(value) != int(value):
        raise InputError(f"{owner}: {name}: expected a whole number, got {value!r}")
    return int(value) if whole else float(value)


class _Range:
    """A number between two others."""

    low: float
    high: float
    log: bool
    step: Optional[float]
    default: Optional[float]
    when: Optional[Condition]

    def _check(self, whole: bool) -> None:
        owner = type(self).__name__
        for name in ("low", "high", "step", "default"):
            value = getattr(self, name)
            if value is not None or name in ("low", "high"):
                object.__setattr__(self, name, _number(owner, name, value, whole))
        if not self.low <= self.high:
            raise InputError(f"{owner}: expected low <= high, got {self.low!r} and {self.high!r}")
        if self.log and self.low <= 0:
            raise InputError(f"{owner}: log: expected low > 0, got {self.low!r}")

    def _keys(self, kind: str) -> dict[str, Any]:
        keys: dict[str, Any] = {kind: [self.low, self.high]}
        if self.log:
            keys["log"] = True
        return keys | {name: value for name in ("step", "default") if (value := getattr(self, name)) is not None}

    def value_of(self, found: Any) -> Any:
        """The value in Python of one in JSON."""
        return found


@dataclass(frozen=True)
class Real(_Range):
    """A number in [low, high]; log: searched on a log scale, low > 0; step: low, low + step, …; default: with which some
    optimisers begin; when: conditions under which it is active, {"kernel": "rbf"}, {"kernel": ["rbf", "poly"]} or
    {"depth": "> 2"}, all of which have to hold."""

    low: float
    high: float
    log: bool = False
    step: Optional[float] = None
    default: Optional[float] = None
    when: Optional[Condition] = None

    def __post_init__(self) -> None:
        self._check(False)

    def described(self) -> dict[str, Any]:
        """Its keys in a tune file."""
        return self._keys("real")

    def value_of(self, found: Any) -> float:
        return float(found)


@dataclass(frozen=True)
class Integer(_Range):
    """A whole number in [low, high]; arguments as of Real."""

    low: int
    high: int
    log: bool = False
    step: Optional[int] = None
    default: Optional[int] = None
    when: Optional[Condition] = None

    def __post_init__(self) -> None:
        self._check(True)

    def described(self) -> dict[str, Any]:
        """Its keys in a tune file."""
        return self._keys("integer")

    def value_of(self, found: Any) -> int:
        return int(found)


@dataclass(frozen=True)
class Categorical:
    """One of several values of any kind, such as words, None or True; ordered: they have an order, from one to the next;
    default and when as of Real. In files a value is its str()."""

    choices: Sequence[Any]
    ordered: bool = False
    default: Any = None
    when: Optional[Condition] = None

    def __post_init__(self) -> None:
        if isinstance(self.choices, (str, bytes)):
            raise InputError(f"Categorical: expected a list of values, got {self.choices!r}")
        object.__setattr__(self, "choices", tuple(self.choices))
        words = self.words()
        if not words:
            raise InputError("Categorical: expected at least one value")
        if len(set(words)) < len(words):
            raise InputError(f"Categorical: expected values whose texts differ, got {list(self.choices)!r}")

    def words(self) -> list[str]:
        """The values as in files."""
        return [str(choice) for choice in self.choices]

    def described(self) -> dict[str, Any]:
        """Its keys in a tune file."""
        keys: dict[str, Any] = {"ordinal" if self.ordered else "categorical": self.words()}
        return keys if self.default is None else keys | {"default": str(self.default)}

    def value_of(self, found: Any) -> Any:
        """The value of a text."""
        return self.choices[self.words().index(str(found))]


Hyperparameter = Union[Real, Integer, Categorical]
Space = Mapping[str, Hyperparameter]
NO_SPACE = {"default": True}  # of an arm without hyperparameters, in files


def _condition(value: Any) -> Any:
    """A value of `when`: comparisons of numbers stay text, lists are lists."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_condition(item) for item in value]
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def described(arm: str, space: Any) -> dict[str, Any]:
    """A space as in tune files, which need a hyperparameter: an arm without any has a constant."""
    if not isinstance(space, Mapping):
        raise InputError(f"arms: {arm}: expected a dictionary of hyperparameters, got {space!r}")
    out: dict[str, Any] = {}
    for name, one in space.items():
        if not isinstance(one, (Real, Integer, Categorical)):
            raise InputError(f"arms: {arm}: {name}: expected Real, Integer or Categorical, got {one!r}")
        out[str(name)] = one.described()
        if one.when is not None:
            out[str(name)]["when"] = {key: _condition(value) for key, value in one.when.items()}
    return out or {name: {"constant": value} for name, value in NO_SPACE.items()}
