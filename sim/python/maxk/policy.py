"""Policies for your own loops: ask for an arm, pull it, tell the reward."""
from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_double, c_size_t, c_void_p, cast
from typing import Any, Optional, Sequence

import numpy as np

from ._library import MOST_SEED, MOST_SIZE, CError, Handle, InputError, PolicyOptions, check, lib, make, whole
from ._text import yaml


class Policy:
    """Any policy of maxk but the oracle, as the driver of your own search.

        policy = Policy("max_ucb", arms=5, alpha=0.5)
        while policy.rounds < 100:
            arm = policy.select()
            policy.update(arm, reward_of(arm))

    Rewards are maximised; arms count from 0. `horizon` is the number of rounds, which some policies must know in advance
    (`maxk describe NAME`); `seed` that of the policy's own random numbers; `cost` the mean cost of a pull for each arm; further
    keywords are the parameters of the policy. copy(), copy.copy, pickle and to_text keep everything, so that a loop can be
    continued in another process; the cost is that of all rounds so far. Threads may share a policy: each call is complete before
    the next begins, but another thread may come between select and update, whose arm then need not be the selected one."""

    def __init__(self, name: str, arms: int, *, horizon: Optional[int] = None, seed: int = 0,
                 cost: Optional[Sequence[float]] = None, **parameters: Any):
        arms = whole("arms", arms, 1, MOST_SIZE)
        prices = None if cost is None else np.ascontiguousarray(cost, dtype=float)
        if prices is not None and prices.shape != (arms,):
            raise InputError(f"cost: expected {arms} numbers, got {prices.shape}")
        options = PolicyOptions(0 if horizon is None else whole("horizon", horizon, 1, MOST_SIZE),
                                whole("seed", seed, 0, MOST_SEED),
                                prices.ctypes.data_as(POINTER(c_double)) if cost is not None else None)
        self._handle = make(lib.mk_policy_new, lib.mk_policy_free, yaml({"name": name, **parameters}).encode(), arms,
                            byref(options))

    @classmethod
    def _of(cls, handle: Handle) -> "Policy":
        policy = cls.__new__(cls)
        policy._handle = handle
        return policy

    def select(self) -> int:
        """The arm to pull next; the same until update() receives its reward."""
        arm, err = c_size_t(), CError()
        with self._handle.lock:
            check(lib.mk_policy_select(self._handle.value, byref(arm), byref(err)), err)
        return arm.value

    def update(self, arm: int, reward: float) -> None:
        """Tells the reward of the arm that select has returned. InputError for another arm, or a reward that is not finite."""
        err = CError()
        arm = whole("arm", arm, 0, self.arms - 1)
        reward = float(reward)
        with self._handle.lock:
            check(lib.mk_policy_update(self._handle.value, arm, reward, byref(err)), err)

    @property
    def arms(self) -> int:
        """The number of arms."""
        return lib.mk_policy_arms(self._handle.value)

    @property
    def rounds(self) -> int:
        """The number of rewards told."""
        with self._handle.lock:
            return lib.mk_policy_rounds(self._handle.value)

    def history(self) -> tuple[np.ndarray, np.ndarray]:
        """The arms pulled so far, and their rewards."""
        with self._handle.lock:
            n = self.rounds
            arms = np.fromiter((lib.mk_policy_arm_of(self._handle.value, i) for i in range(n)), np.intp, n)
            rewards = np.fromiter((lib.mk_policy_reward_of(self._handle.value, i) for i in range(n)), float, n)
        return arms, rewards

    @property
    def best(self) -> float:
        """The largest reward so far, -inf at the start."""
        return float(self.history()[1].max(initial=-np.inf))

    def copy(self) -> "Policy":
        """An independent policy that continues as this one would."""
        with self._handle.lock:
            return self._of(make(lib.mk_policy_copy, lib.mk_policy_free, self._handle.value))

    def to_text(self) -> str:
        """Everything as lines of text, for from_text."""
        text, err = c_void_p(), CError()
        with self._handle.lock:
            check(lib.mk_policy_save(self._handle.value, byref(text), byref(err)), err)
        try:
            return cast(text, c_char_p).value.decode()
        finally:
            lib.mk_policy_free_text(text)

    @classmethod
    def from_text(cls, text: str) -> "Policy":
        """A policy that to_text has written. InputError when the text is damaged, or when this version of maxk would have
        selected other arms."""
        return cls._of(make(lib.mk_policy_load, lib.mk_policy_free, text.encode()))

    __copy__ = copy

    def __deepcopy__(self, memo) -> "Policy":
        return self.copy()

    def __reduce__(self):
        return Policy.from_text, (self.to_text(),)

    def __repr__(self) -> str:
        return f"<maxk.Policy {lib.mk_policy_text(self._handle.value).decode()}, {self.arms} arms, {self.rounds} rounds>"
