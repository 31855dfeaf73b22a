"""Reward distributions."""
from __future__ import annotations

import secrets
from ctypes import POINTER, byref, c_double
from typing import Any, Optional, Union

from ._library import ENOMEM, MOST_SIZE, CError, Error, InputError, check, lib, make, seed_of, shown, utf8, whole
from ._numpy import Array, np, numbers
from ._text import named_place, yaml


class Arm:
    """The reward distribution of an arm: a family with its parameters, as in experiment files.

        Arm("power", a=3, s=1.01)
        Arm("weibull", shape=2, scale=0.4, truncate=[0, 1])
        Arm("mixture", weights=[1, 3], components=[Arm("uniform", lo=0, hi=1), Arm("power", a=3, s=1.01)])

    An Arm may stand wherever an experiment describes an arm: {"problem": {"arms": [Arm("uniform", lo=0, hi=1)]}}.
    maxk.families() lists the families, and `maxk describe FAMILY` their parameters. truncate, clip, shift and factor change
    the distribution. InputError: no such family or parameter, or a value out of range."""

    def __init__(self, family: str, **parameters: Any):
        self._mapping = {"family": family, **parameters}
        text = yaml(self._mapping)
        try:
            self._handle = make(lib.mk_distribution_new, lib.mk_distribution_free, utf8("family", text))
        except InputError as problem:
            raise InputError(named_place("arm", text, str(problem), len("problem: {arms: [")), problem.code) from None

    @property
    def described(self) -> dict[str, Any]:
        """The family and its parameters, as in an experiment file."""
        return dict(self._mapping)

    def __repr__(self) -> str:
        family, *rest = self._mapping.items()
        return f"Arm({', '.join([repr(family[1])] + [f'{key}={value!r}' for key, value in rest])})"

    def __reduce__(self) -> tuple[Any, tuple[dict[str, Any]]]:
        return _arm, (self._mapping,)

    def _each(self, function: Any, name: str, x: Any) -> Any:
        x = numbers(name, x)
        if isinstance(x, float):
            return float(function(self._handle.value, x))
        values = np.fromiter((function(self._handle.value, v) for v in x.flat), float, x.size).reshape(x.shape)
        return values if x.ndim else float(values)

    def sf(self, x: Any) -> Any:
        """Returns the survival function G(x) = P(X >= x), for a number or an array x."""
        return self._each(lib.mk_distribution_survival, "x", x)

    def isf(self, p: Any) -> Any:
        """Returns the x with G(x) = p, the inverse of sf, for 0 <= p <= 1. It is more precise than ppf(1 - p) if p is small."""
        def one(handle: Any, probability: float) -> Any:
            if probability < 0 or probability > 1:
                raise InputError("p: expected a number from 0 to 1")
            return lib.mk_distribution_inverse_survival(handle, probability)
        return self._each(one, "p", p)

    def ppf(self, q: Any) -> Any:
        """Returns the q-quantile, for 0 <= q <= 1."""
        return self.isf(1 - numbers("q", q))

    def support(self) -> tuple[float, float]:
        """Returns the lower and the upper end point, which may be infinite."""
        a, b = c_double(), c_double()
        lib.mk_distribution_support(self._handle.value, byref(a), byref(b))
        return a.value, b.value

    def expected_max(self, n: Any) -> Any:
        """Returns the exact expected maximum E[M(n)] of n >= 1 draws, for a number or an array n. It may be infinite."""
        def one(handle: Any, draws: float) -> float:
            if draws < 1:
                raise InputError("n: expected a number >= 1")
            value, err = c_double(), CError()
            check(lib.mk_distribution_expected_max(handle, draws, byref(value), byref(err)), err)
            return value.value
        return self._each(one, "n", n)

    def constants(self) -> tuple[float, float]:
        """Returns the largest L and the smallest U with L eps <= G(b - eps) <= U eps, where b is the upper end point (Lemma 3.3
        of Balef et al. 2025). Their unit is 1 / reward. NaN if b is infinite."""
        L, U, err = c_double(), c_double(), CError()
        check(lib.mk_distribution_constants(self._handle.value, byref(L), byref(U), byref(err)), err)
        return L.value, U.value

    def sample(self, n: int, seed: Any = None, *, rng: Union[np.random.Generator, int, None] = None) -> Array:
        """Returns an array of n independent draws.

        seed: a whole number from 0 to 2^64 - 1; equal seeds give the same draws. None: other draws in every call. Arms with
            equal seeds share their random numbers, so that their draws are dependent.
        rng: a numpy.random.Generator, or a seed of one, in place of seed. The generator is advanced. It may also be given as
            seed."""
        if seed is not None and rng is not None:
            raise InputError("seed, rng: expected one of them")
        if rng is not None:
            try:
                seed = int(np.random.default_rng(rng).integers(2**64, dtype=np.uint64))
            except (TypeError, ValueError):
                raise InputError(f"rng: expected a generator of numpy or a seed of one, got {shown(rng)}") from None
        elif seed is None:
            seed = secrets.randbits(64)
        try:
            out = np.empty(whole("n", n, 0, MOST_SIZE // 8))
        except MemoryError:
            raise Error(f"n: not enough memory for {n} draws", ENOMEM) from None
        lib.mk_distribution_sample(self._handle.value, seed_of("seed", seed), out.size, out.ctypes.data_as(POINTER(c_double)))
        return out


def _arm(mapping: dict[str, Any]) -> Arm:
    return Arm(**mapping)
