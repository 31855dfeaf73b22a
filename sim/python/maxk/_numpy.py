"""numpy, which studies, policies, runs and tables do without: what takes or returns arrays says that it is missing."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._library import Error, InputError, shown

if TYPE_CHECKING:
    import numpy
    np = numpy
    Array = np.ndarray[Any, Any]
    has_numpy: bool
else:
    Array = Any
    try:
        import numpy as np
        has_numpy = True
    except ImportError:
        class _Missing:
            def __getattr__(self, name: str) -> Any:
                raise Error("numpy is not installed; arrays need it")

        np, has_numpy = _Missing(), False


def numbers(name: str, values: Any) -> Any:
    """An array of them; without numpy a number as itself."""
    try:
        if not has_numpy and isinstance(values, (int, float)):
            return float(values)
        found = np.asarray(values)
        if found.dtype.kind != "c":
            return found.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name}: expected numbers, got {shown(values)}")


def column(name: str, values: Any) -> list[Any]:
    """The items of a column."""
    try:
        found = np.asarray(values)
    except ValueError:
        found = np.asarray(None)
    if found.ndim != 1:
        raise InputError(f"{name}: expected a column, got {shown(values)}")
    items: list[Any] = found.tolist()
    return items
