"""numpy, which studies, policies and tables do without: what takes or returns arrays says that it is missing."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._library import Error, InputError

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


def numbers(name: str, values: Any) -> Array:
    """An array of them."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers, got {' '.join(repr(values).split()):.60}") from None
