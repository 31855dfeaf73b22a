"""Policies for your own loops: ask for an arm, pull it, tell the reward."""
from __future__ import annotations

import copy
import math
from ctypes import byref, c_char_p, c_double, c_size_t, c_void_p, cast
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Sequence

from ._library import (MOST_INT, MOST_REWARD, MOST_SEED, MOST_SIZE, CError, Handle, InputError, PolicyOptions, check, lib,
                       make, real, whole)
from ._numpy import Array, np
from ._text import yaml


class Pull(NamedTuple):
    """A pull that Policy.ask has chosen: `number` counts from 0, `arm` is what to pull."""
    number: int
    arm: int


@dataclass
class _Flight:
    """What Policy.ask has chosen and the policy of the library has not seen."""
    lag: int = 1
    horizon: Optional[int] = None
    waiting: list[Pull] = field(default_factory=list)  # in the order of asking
    rewards: dict[int, float] = field(default_factory=dict)  # of those, by number, as far as they are told
    best: dict[int, float] = field(default_factory=dict)  # of the results that may be known, by arm
    worst: float = 0.0  # of all of them


class Policy:
    """Any policy of maxk but the oracle, as the driver of your own search.

        policy = Policy("max_ucb", arms=5, alpha=0.5)
        while policy.rounds < 100:
            arm = policy.select()
            policy.update(arm, reward_of(arm))

    Several pulls may be in flight, up to `lag`, and end in any order; a pull depends on the results of those before the last
    `lag`, so that the same ones are chosen for any number of workers:

        policy = Policy("max_ucb", arms=5, lag=4)
        pulls = [policy.ask() for _ in range(4)]
        policy.tell(pulls[0], reward_of(pulls[0].arm))  # now one more may be asked for

    Rewards are maximised; arms count from 0. `horizon` is the number of rounds, which some policies must know in advance
    (`maxk describe NAME`); `seed` that of the policy's own random numbers; `cost` the mean cost of a pull for each arm; further
    keywords are the parameters of the policy. copy(), copy.copy, pickle and to_text keep everything, so that a loop can be
    continued in another process; the cost is that of all rounds so far. If `bounded`, rounds are not kept: memory, copies and
    texts do not grow with them, history() is an error, and a text can be read by this version of maxk on machines of this
    kind only (load no text that you would not run as a program). Threads may share a policy: each call is complete before
    the next begins, but another thread may come between select and update, whose arm then need not be the selected one."""

    def __init__(self, name: str, arms: int, *, horizon: Optional[int] = None, seed: int = 0,
                 cost: Optional[Sequence[float]] = None, bounded: bool = False, lag: int = 1, **parameters: Any):
        arms = whole("arms", arms, 1, MOST_SIZE)
        if cost is not None and len(cost) != arms:
            raise InputError(f"cost: expected {arms} numbers, got {len(cost)}")
        prices = None if cost is None else (c_double * arms)(*(real("cost", one) for one in cost))
        horizon = None if horizon is None else whole("horizon", horizon, 1, MOST_SIZE)
        options = PolicyOptions(horizon or 0, whole("seed", seed, 0, MOST_SEED), prices, int(bounded))
        self._begin(make(lib.mk_policy_new, lib.mk_policy_free, yaml({"name": name, **parameters}).encode(), arms,
                         byref(options)), _Flight(whole("lag", lag, 1, MOST_INT), horizon))

    def _begin(self, handle: Handle, flight: _Flight) -> None:
        self._handle, self._flight = handle, flight

    @classmethod
    def _of(cls, handle: Handle, flight: Optional[_Flight] = None) -> "Policy":
        policy = cls.__new__(cls)
        policy._begin(handle, flight or _Flight())
        return policy

    def select(self) -> int:
        """The arm to pull next; the same until update() receives its reward."""
        arm, err = c_size_t(), CError()
        with self._handle.lock:
            self._without_flight("select")
            check(lib.mk_policy_select(self._handle.value, byref(arm), byref(err)), err)
        return arm.value

    def _without_flight(self, what: str) -> None:
        if self._flight.waiting:
            raise InputError(f"{what}: {len(self._flight.waiting)} pulls of ask() are in flight")

    def update(self, arm: int, reward: float) -> None:
        """Tells the reward of the arm that select has returned. InputError for another arm, or a reward that is not finite."""
        err = CError()
        arm = whole("arm", arm, 0, self.arms - 1)
        reward = real("reward", reward)
        with self._handle.lock:
            check(lib.mk_policy_update(self._handle.value, arm, reward, byref(err)), err)

    def ask(self) -> Pull:
        """The next pull. InputError when one before the last `lag` is without a reward, or the horizon is reached."""
        with self._handle.lock:
            flight = self._flight
            number = int(lib.mk_policy_rounds(self._handle.value)) + len(flight.waiting)
            if number == flight.horizon:
                raise InputError(f"ask: all {number} pulls of its horizon have been asked for")
            known = number - flight.lag  # the last one whose result it depends on
            for pull in flight.waiting:
                if pull.number == known and known not in flight.rewards:
                    raise InputError(f"ask: pull {known} has no reward yet; expected all but the last {flight.lag} (lag)")
                if pull.number == known:
                    reward = flight.rewards[known]
                    flight.worst = min(flight.worst, reward) if flight.best else reward
                    flight.best[pull.arm] = max(flight.best.get(pull.arm, reward), reward)
            flight.waiting.append(Pull(number, self._ahead(known)))
            return flight.waiting[-1]

    def _ahead(self, known: int) -> int:
        """The arm that is chosen when the results of pulls 0 … known are known: the policy takes the results of its arms in
        their order, and where one is outstanding, a copy goes on with the arm's best so far (or the worst of all)."""
        flight, ahead, queue = self._flight, self._handle, list(self._flight.waiting)
        while True:
            arm, err = c_size_t(), CError()
            check(lib.mk_policy_select(ahead.value, byref(arm), byref(err)), err)
            pull = next((pull for pull in queue if pull.arm == arm.value), None)
            if pull is None:
                return arm.value
            if pull.number > known and ahead is self._handle:
                ahead = make(lib.mk_policy_copy, lib.mk_policy_free, ahead.value)
            reward = flight.rewards[pull.number] if pull.number <= known else flight.best.get(pull.arm, flight.worst)
            check(lib.mk_policy_update(ahead.value, arm, reward, byref(err)), err)
            queue.remove(pull)
            if ahead is self._handle:
                flight.waiting.remove(pull)
                del flight.rewards[pull.number]

    def tell(self, pull: Pull, reward: float) -> None:
        """Tells the reward of a pull. InputError for a pull that is not in flight, or a reward that is not finite."""
        reward = real("reward", reward)
        with self._handle.lock:
            if pull not in self._flight.waiting or pull.number in self._flight.rewards:
                raise InputError(f"tell: {pull!r} is not in flight")
            if not abs(reward) <= MOST_REWARD:
                raise InputError(f"tell: reward: expected a number within ±{MOST_REWARD:g}, got {reward!r}")
            self._flight.rewards[pull.number] = reward

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(lib.mk_policy_arms(self._handle.value))

    @property
    def rounds(self) -> int:
        """The number of rewards told."""
        with self._handle.lock:
            return int(lib.mk_policy_rounds(self._handle.value)) + len(self._flight.rewards)

    def history(self) -> tuple[Array, Array]:
        """The arms pulled so far, and their rewards, in the order in which the policy has taken them; those of ask() that it has
        not come last. InputError for a bounded policy, which keeps none."""
        with self._handle.lock:
            n = int(lib.mk_policy_rounds(self._handle.value))
            if n and math.isnan(lib.mk_policy_reward_of(self._handle.value, 0)):
                raise InputError("history: a bounded policy keeps no rounds; expected one without bounded=True")
            arms = np.fromiter((lib.mk_policy_arm_of(self._handle.value, i) for i in range(n)), np.intp, n)
            rewards = np.fromiter((lib.mk_policy_reward_of(self._handle.value, i) for i in range(n)), float, n)
            told = [pull for pull in self._flight.waiting if pull.number in self._flight.rewards]
        return (np.append(arms, np.array([pull.arm for pull in told], np.intp)),
                np.append(rewards, [self._flight.rewards[pull.number] for pull in told]))

    @property
    def best(self) -> float:
        """The largest reward so far, -inf at the start."""
        with self._handle.lock:
            return max([float(lib.mk_policy_best(self._handle.value)), *self._flight.rewards.values()])

    def copy(self) -> "Policy":
        """An independent policy that continues as this one would."""
        with self._handle.lock:
            return self._of(make(lib.mk_policy_copy, lib.mk_policy_free, self._handle.value), copy.deepcopy(self._flight))

    def to_text(self) -> str:
        """Everything as lines of text, for from_text. InputError when pulls of ask() are in flight; pickle takes them along."""
        with self._handle.lock:
            self._without_flight("to_text")
            return self._text()

    def _text(self) -> str:
        text, err = c_void_p(), CError()
        with self._handle.lock:
            check(lib.mk_policy_save(self._handle.value, byref(text), byref(err)), err)
        try:
            return (cast(text, c_char_p).value or b"").decode()
        finally:
            lib.mk_policy_free_text(text)

    @classmethod
    def from_text(cls, text: str) -> "Policy":
        """A policy that to_text has written. InputError when the text is damaged, or when this version of maxk would have
        selected other arms."""
        return cls._of(make(lib.mk_policy_load, lib.mk_policy_free, text.encode()))

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Policy":
        return self.copy()

    def __reduce__(self) -> tuple[Any, tuple[str, _Flight]]:
        with self._handle.lock:
            return _restored, (self._text(), copy.deepcopy(self._flight))

    def __repr__(self) -> str:
        return f"<maxk.Policy {lib.mk_policy_text(self._handle.value).decode()}, {self.arms} arms, {self.rounds} rounds>"


def _restored(text: str, flight: _Flight) -> Policy:
    return Policy._of(make(lib.mk_policy_load, lib.mk_policy_free, text.encode()), flight)
