"""Search spaces: what a hyperparameter may be."""
from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from ._library import InputError, shown, utf8
from ._text import Plain

Condition = Mapping[str, Any]


def _number(owner: str, name: str, value: Any, whole: bool) -> float:
    try:
        good = not isinstance(value, (bool, str)) and math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise InputError(f"{owner}: {name}: expected a number, got {shown(value)}")
    if whole and float(value) != int(value):
        raise InputError(f"{owner}: {name}: expected a whole number, got {shown(value)}")
    return int(value) if whole else float(value)


def _check_when(owner: str, when: Any) -> None:
    if when is not None and not isinstance(when, Mapping):
        raise InputError(f"{owner}: when: expected conditions such as {{'kernel': 'rbf'}}, got {shown(when)}")


class _Range:
    """A number between two others."""

    low: Union[float, str]
    high: Union[float, str]
    log: bool
    step: Optional[float]
    default: Optional[float]
    when: Optional[Condition]

    def _check(self, whole: bool) -> None:
        owner = type(self).__name__
        for name in ("low", "high", "step", "default"):
            value = getattr(self, name)
            if isinstance(value, str) and value.strip() and name in ("low", "high"):
                continue  # a formula of other hyperparameters
            if value is not None or name in ("low", "high"):
                object.__setattr__(self, name, _number(owner, name, value, whole))
        low, high = (None if isinstance(end, str) else end for end in (self.low, self.high))
        if low is not None and high is not None and not low <= high:
            raise InputError(f"{owner}: expected low <= high, got {self.low!r} and {self.high!r}")
        if self.log and low is not None and low <= 0:
            raise InputError(f"{owner}: log: expected low > 0, got {self.low!r}")
        _check_when(owner, self.when)

    def _keys(self, kind: str) -> dict[str, Any]:
        if self.low == self.high:
            return {"constant": self.low}
        keys: dict[str, Any] = {kind: [self.low, self.high]}
        if self.log:
            keys["log"] = True
        return keys | {name: value for name in ("step", "default") if (value := getattr(self, name)) is not None}

    def value_of(self, found: Any) -> Any:
        """The value in Python of one in JSON."""
        return found


@dataclass(frozen=True)
class Real(_Range):
    """A hyperparameter that is a number in [low, high].

    low, high: numbers, or formulas of other hyperparameters of the arm, such as "2 * depth": values beyond these ends are not
        tried. Names that are not made of letters, digits, _ and dots are written between backquotes.
    log: whether it is searched on a logarithmic scale; low must then be above 0.
    step: only low, low + step, low + 2 step, … are allowed.
    default: the value with which some optimisers begin.
    when: conditions under which the hyperparameter is active, such as {"kernel": "rbf"}, {"kernel": ["rbf", "poly"]} or
        {"depth": "> 2"}. All of them have to hold."""

    low: Union[float, str]
    high: Union[float, str]
    log: bool = False
    step: Optional[float] = None
    default: Optional[float] = None
    when: Optional[Condition] = None

    def __post_init__(self) -> None:
        self._check(False)

    def described(self) -> dict[str, Any]:  # its keys in a tune file
        return self._keys("real")

    def value_of(self, found: Any) -> float:
        return float(found)


@dataclass(frozen=True)
class Integer(_Range):
    """A hyperparameter that is a whole number in [low, high]. The other arguments are those of Real."""

    low: Union[int, str]
    high: Union[int, str]
    log: bool = False
    step: Optional[int] = None
    default: Optional[int] = None
    when: Optional[Condition] = None

    def __post_init__(self) -> None:
        self._check(True)

    def described(self) -> dict[str, Any]:  # its keys in a tune file
        return self._keys("integer")

    def value_of(self, found: Any) -> int:
        return int(found)


@dataclass(frozen=True)
class Categorical:
    """A hyperparameter that is one of several values of any kind, such as words, None or True. In files a value is its str().

    ordered: whether the values have an order, that of the list, so that neighbours resemble each other.
    default, when: as for Real."""

    choices: Sequence[Any]
    ordered: bool = False
    default: Any = None
    when: Optional[Condition] = None

    def __post_init__(self) -> None:
        if isinstance(self.choices, (str, bytes, set, frozenset)) or not isinstance(self.choices, Iterable):
            raise InputError(f"Categorical: expected a list of values, whose order is kept, got {shown(self.choices)}")
        object.__setattr__(self, "choices", tuple(self.choices))
        words = self.words()
        if not words:
            raise InputError("Categorical: expected at least one value")
        if len(set(words)) < len(words):
            raise InputError(f"Categorical: expected values whose texts differ, got {shown(list(self.choices))}")
        if self.default is not None and str(self.default) not in words:
            raise InputError(f"Categorical: default: expected one of {shown(list(self.choices))}, got {shown(self.default)}")
        _check_when("Categorical", self.when)

    def words(self) -> list[str]:  # the values as in files
        return [str(choice) for choice in self.choices]

    def described(self) -> dict[str, Any]:  # its keys in a tune file, in which numbers are numbers
        words = [Plain(x) if type(x) in (bool, int) or type(x) is float and math.isfinite(x) else str(x) for x in self.choices]
        keys: dict[str, Any] = {"ordinal" if self.ordered else "categorical": words}
        return keys if self.default is None else keys | {"default": str(self.default)}

    def value_of(self, found: Any) -> Any:  # the value of a text
        return self.choices[self.words().index(str(found))]


class Constant(Categorical):
    """A hyperparameter with one value, which a space may give as such: {"max_iter": 500}."""

    def described(self) -> dict[str, Any]:  # its keys in a tune file
        one = self.choices[0]
        return {"constant": Plain(one) if type(one) in (bool, int) or type(one) is float and math.isfinite(one) else str(one)}


Hyperparameter = Union[Real, Integer, Categorical]
Space = Mapping[str, Hyperparameter]
NO_SPACE = {"default": True}  # of an arm without hyperparameters, in files


def _condition(value: Any) -> Any:
    """A value of `when`: comparisons of numbers stay text, lists are lists; a set in an order that is the same in every
    process."""
    if isinstance(value, (set, frozenset)):
        return sorted((_condition(item) for item in value), key=lambda item: (type(item).__name__, item))
    if isinstance(value, (list, tuple)):
        return [_condition(item) for item in value]
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _same(choice: Any, value: Any) -> bool:
    """Whether a value is meant, whose type may have changed in a file: 1 is 1.0, True is 'True'."""
    try:
        return str(choice) == str(value) or not isinstance(choice, bool) and float(choice) == float(value)
    except (TypeError, ValueError):
        return False


def _exact(choice: Any, value: Any) -> bool:
    """Whether it is the very value: '1.10' is not '1.1', and 1 is not 1.0."""
    return type(choice) is type(value) and str(choice) == str(value)


def meant(name: str, one: Categorical, value: Any) -> list[Any]:
    """The choice that a value stands for, in a list; []: none. InputError: it may be any of several, such as 1.1 from a file for
    '1.1' and '1.10'."""
    if hasattr(value, "dtype") and hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if exact := [choice for choice in one.choices if _exact(choice, value)]:
        return exact
    found = [choice for choice in one.choices if _same(choice, value)]
    if len(found) > 1 and isinstance(value, str):  # a text is that of one choice
        found = [choice for choice in found if str(choice) == value] or found
    if len(found) > 1:
        raise InputError(f"{name}: {shown(value)} may be any of {shown(found)}; expected the value itself, such as of a file "
                         "that is read with dtype=str")
    return found


def word_of(name: str, one: Optional[Hyperparameter], value: Any) -> Any:
    """A value as in files."""
    if not isinstance(one, Categorical):
        return value
    return next(map(str, meant(name, one, value)), str(value))


def is_given(one: Optional[Hyperparameter], value: Any) -> bool:
    """Whether a value is one: None and NaN, such as of a data frame, are none unless they are among the choices."""
    missing = value is None or isinstance(value, float) and math.isnan(value)
    return not missing or isinstance(one, Categorical) and bool(meant("", one, value))


_COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


def _holds(condition: Any, parent: Hyperparameter, value: Any) -> bool:
    """Whether a value meets one of the conditions of `when`."""
    if isinstance(condition, (list, tuple, set, frozenset)):
        return any(_holds(one, parent, value) for one in condition)
    compared = re.fullmatch(r"\s*([<>]=?)\s*(\S+)\s*", condition) if isinstance(condition, str) else None
    if compared is None and isinstance(parent, Categorical):
        return bool(word_of("when", parent, condition) == word_of("params", parent, value))
    if compared is None:
        return _same(condition, value)
    try:
        return bool(_COMPARISONS[compared[1]](float(value), float(compared[2])))
    except (TypeError, ValueError):
        return False


# Texts that pandas.read_csv takes for missing values.
_MISSING = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
            "NULL", "NaN", "None", "n/a", "nan", "null"}


def completed(label: str, space: Space, row: Mapping[str, Any]) -> dict[str, Any]:
    """The hyperparameters of a row in which NaN stands for those that are not active, and, after a file, for None and for words
    such as "NA". InputError: it may stand for several of them."""
    found = {name: value for name, value in row.items() if value is not None and value == value}

    def active(name: str) -> bool:
        return all(parent in space and active(parent) and _holds(condition, space[parent], found.get(parent))
                   for parent, condition in (space[name].when or {}).items())

    for name, one in space.items():
        if name not in row or name in found or not isinstance(one, Categorical):
            continue
        lost = [choice for choice in one.choices if str(choice) in _MISSING]
        if row[name] is None and None in lost:
            lost = [None]
        if lost and active(name):
            if len(lost) > 1:
                raise InputError(f"{label}: {name}: a missing value may be any of {shown(lost)}; expected a file that is read "
                                 "with keep_default_na=False")
            found[name] = lost[0]
    return found


def collide(one: Hyperparameter) -> bool:
    """Whether it has values that are the same number, such as 1 and 1.0, which a column of numbers does not tell apart."""
    choices = one.choices if isinstance(one, Categorical) else ()
    return any(_same(a, b) for i, a in enumerate(choices) for b in choices[:i])


def _hyperparameter(one: Any) -> Any:
    """A value in the place of a hyperparameter is a constant."""
    if hasattr(one, "dtype") and getattr(one, "shape", None) == ():
        one = one.item()
    return Constant((one,)) if one is None or isinstance(one, (bool, int, float, str)) else one


class Arm(dict[str, Any]):
    """The hyperparameters of an arm; forbid: what its key of this name has, unless that is one of them."""

    def __init__(self, space: Mapping[str, Any]):
        own = "forbid" in space and not isinstance(space["forbid"], (Real, Integer, Categorical))
        self.forbid = space["forbid"] if own else getattr(space, "forbid", None)
        super().__init__({name: _hyperparameter(one) for name, one in space.items() if not (own and name == "forbid")})


def _forbidden(arm: str, forbid: Any) -> Any:
    """Relations, and combinations of values, as in tune files."""
    if isinstance(forbid, (list, tuple)):
        return [_forbidden(arm, one) for one in forbid]
    if isinstance(forbid, Mapping):
        return {key: _condition(value) for key, value in forbid.items()}
    if not isinstance(forbid, str):
        raise InputError(f"arms: {arm}: forbid: expected relations such as 'x + y > 4', dictionaries such as {{'kernel': 'rbf'}} "
                         f"or a list of them, got {shown(forbid)}")
    return forbid


def named(arms: Mapping[Any, Any]) -> dict[str, Any]:
    """Spaces by label. A label is written to files, where it has to be the same text when it is read."""
    spaces: dict[str, Any] = {}
    for label, space in arms.items():
        name = str(label)
        if name != " ".join(name.split()) or not name:
            raise InputError(f"arms: expected labels without line breaks, tabs and needless blanks, got {shown(label)}")
        utf8("arms", name)
        if name in spaces:
            raise InputError(f"arms: two arms have the label {shown(name)}; expected distinct labels")
        spaces[name] = Arm(space) if isinstance(space, Mapping) else space
    return spaces


def described(arm: str, space: Any) -> dict[str, Any]:
    """A space as in tune files, which need a hyperparameter: an arm without any has a constant."""
    if not isinstance(space, Mapping):
        raise InputError(f"arms: {arm}: expected a dictionary of hyperparameters, got {shown(space)}")
    out: dict[str, Any] = {}
    for name, one in space.items():
        if not isinstance(name, str):
            raise InputError(f"arms: {arm}: expected hyperparameters by name, got {shown(name)}")
        if not isinstance(one, (Real, Integer, Categorical)):
            raise InputError(f"arms: {arm}: {name}: expected Real, Integer, Categorical or a constant, got {shown(one)}")
        out[name] = one.described()
        if one.when is not None:
            out[name]["when"] = {key: _condition(value) for key, value in one.when.items()}
    if out and (forbid := getattr(space, "forbid", None)):
        out["forbid"] = _forbidden(arm, [forbid] if isinstance(forbid, Mapping) else forbid)
    return out or {name: {"constant": value} for name, value in NO_SPACE.items()}
