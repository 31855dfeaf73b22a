"""Policies for your own loops: ask for an arm, pull it, tell the reward."""
from __future__ import annotations

import copy
import math
from ctypes import byref, c_char_p, c_double, c_size_t, c_void_p, cast
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Sequence

from ._library import (MOST_INT, MOST_REWARD, MOST_SIZE, SIZE_NONE, CError, Handle, InputError, PolicyOptions, check,
                       flag, lib, make, new_lock, real, seed_of, shown, utf8, whole)
from ._numpy import Array, has_numpy, np
from ._text import named_place, yaml


class Pull(NamedTuple):
    """A pull that Policy.ask has chosen.

    number: number of the pull, from 0. Results that were added in between count, too.
    arm: the arm to pull, from 0."""
    number: int
    arm: int


@dataclass
class _Flight:
    """What Policy.ask has chosen and has not been reported to the policy of the library."""
    lag: int = 1
    horizon: Optional[int] = None
    waiting: list[Pull] = field(default_factory=list)  # in the order of asking
    rewards: dict[int, float] = field(default_factory=dict)  # reported so far, by pull number; NaN: failed
    costs: dict[int, float] = field(default_factory=dict)  # of the same; 0: not reported


class Policy:
    """A policy for your own loop: it says which arm to pull next, and you report the reward. Larger rewards are better.

        policy = Policy("max_ucb", arms=5, alpha=0.5)
        while policy.rounds < 100:
            arm = policy.select()
            policy.update(arm, reward_of(arm))

    name: any policy of maxk but the oracle; maxk.policies() lists them, and `maxk describe NAME` explains each.
    arms: the number of arms, which count from 0.
    horizon: the number of rounds, which some policies must know in advance.
    seed: seed of the policy's own random numbers, or a numpy.random.Generator that draws one.
    cost: the mean cost of a pull of each arm, for policies with the parameter per_cost. If it is not known in advance, report
        the cost of every pull by update(arm, reward, cost=seconds), add or tell.
    bounded: whether the rounds are forgotten, so that memory, copies and texts do not grow with them. history() is then an
        error, and to_text() is readable only by this version of maxk on machines of this kind. Load no such text from a
        source that you would not run a program from.
    lag: the number of pulls that may be in flight, see below.
    Further keywords are the parameters of the policy, such as alpha.

    Pulls at the same time: up to `lag` pulls may be in flight and end in any order. A pull depends on the results of all
    pulls but the last `lag` before it, so that the pulls are the same for any number of workers.

        policy = Policy("max_ucb", arms=5, lag=4)
        pulls = [policy.ask() for _ in range(4)]
        policy.tell(pulls[0], reward_of(pulls[0].arm))  # now one more may be asked for

    Failed pulls: report them by fail(arm) in place of update, or by tell(pull, failed=True). A failed pull counts as the
    worst reward so far of its arm, or of all arms if its arm has none. Failures before the first reward of all count as that
    reward; until it comes, the policy plays as if they were 0. This is the rule `crash: worst` of studies.

    Results that were not asked for, such as those of an earlier search: report them by add(arm, reward). The policy uses
    each of them once, when it selects that arm the next time.

    copy(), copy.copy, pickle and to_text() keep everything, so that a loop can continue in another process. A forked process
    has a policy of its own, which continues as the original would. Threads may share a policy: each call is complete before
    the next one begins. Another thread may come between select and update, though, whose arm then need not be the selected
    one."""

    def __init__(self, name: str, arms: int, *, horizon: Optional[int] = None, seed: Any = 0,
                 cost: Optional[Sequence[float]] = None, bounded: bool = False, lag: int = 1, **parameters: Any):
        arms = whole("arms", arms, 1, MOST_SIZE)
        prices = None if cost is None else _costs(cost, arms)
        horizon = None if horizon is None else whole("horizon", horizon, 1, MOST_SIZE)
        options = PolicyOptions(horizon or 0, seed_of("seed", seed), prices, flag("bounded", bounded))
        described = yaml({"name": name, **parameters})
        try:
            handle = make(lib.mk_policy_new, lib.mk_policy_free, utf8("name", described), arms, byref(options))
        except InputError as problem:
            raise InputError(named_place("policy", described, str(problem)), problem.code) from None
        self._begin(handle, _Flight(whole("lag", lag, 1, MOST_INT), horizon))

    def _begin(self, handle: Handle, flight: _Flight) -> None:
        self._handle, self._flight, self._lock = handle, flight, new_lock()

    @classmethod
    def _of(cls, handle: Handle, flight: Optional[_Flight] = None) -> "Policy":
        policy = cls.__new__(cls)
        policy._begin(handle, flight or _Flight())
        return policy

    def _call(self, function: Any, *arguments: Any) -> None:
        err = CError()
        with self._lock:
            check(function(self._handle.value, *arguments, byref(err)), err)

    def select(self) -> int:
        """Returns the next arm to pull. Further calls return the same arm until its result is reported."""
        arm = c_size_t()
        with self._lock:
            self._without_flight("select")
            self._call(lib.mk_policy_select, byref(arm))
        return arm.value

    def _without_flight(self, what: str) -> None:
        if self._flight.waiting:
            raise InputError(f"{what}: {len(self._flight.waiting)} pulls of ask() are in flight")

    def _arm(self, arm: int) -> int:
        return whole("arm", arm, 0, self.arms - 1)

    def update(self, arm: int, reward: float, *, cost: Optional[float] = None) -> None:
        """Reports the reward of the arm that select has returned, and what the pull has cost. InputError: another arm, or a
        reward that is not finite."""
        self._call(lib.mk_policy_update_cost, self._arm(arm), real("reward", reward), _cost(cost))

    def fail(self, arm: int) -> None:
        """Reports that the pull of the arm that select has returned has failed. Policy explains what it counts as."""
        self._call(lib.mk_policy_fail, self._arm(arm))

    def add(self, arm: int, reward: Optional[float] = None, *, failed: bool = False, cost: Optional[float] = None) -> None:
        """Reports a result of an arm that was not asked for, such as one of an earlier search, or that such a pull has failed.
        The policy uses the result when it selects the arm the next time, after the earlier results of the arm; it then counts
        as a round of the horizon. `rounds`, `best` and history() include it at once."""
        self._call(lib.mk_policy_add_cost, self._arm(arm), _result("add", reward, failed), _cost(cost))

    def ask(self) -> Pull:
        """Returns the next pull. InputError: the pull `lag` pulls ago has no result yet, or the horizon is reached."""
        arm = c_size_t()
        with self._lock:
            flight = self._flight
            number = int(lib.mk_policy_rounds(self._handle.value)) + len(flight.waiting)
            if number == flight.horizon:
                raise InputError(f"ask: all {number} pulls of its horizon have been asked for")
            if len(flight.waiting) >= flight.lag:
                oldest = flight.waiting[0]
                if oldest.number not in flight.rewards:
                    raise InputError(f"ask: pull {oldest.number} has no reward yet; expected all but the last {flight.lag} (lag)")
                self._call(lib.mk_policy_add_cost, oldest.arm, flight.rewards[oldest.number], flight.costs[oldest.number])
                del flight.waiting[0], flight.rewards[oldest.number], flight.costs[oldest.number]
            running = (c_size_t * len(flight.waiting))(*(pull.arm for pull in flight.waiting))
            self._call(lib.mk_policy_select_while_running, running, len(running), byref(arm))
            flight.waiting.append(Pull(number, arm.value))
            return flight.waiting[-1]

    def tell(self, pull: Pull, reward: Optional[float] = None, *, failed: bool = False, cost: Optional[float] = None) -> None:
        """Reports the reward of a pull, or that it has failed, and what it has cost. InputError: the pull is not in flight, or
        the reward is not finite."""
        value, paid = _result("tell", reward, failed), _cost(cost)
        with self._lock:
            if pull not in self._flight.waiting or Pull(*pull).number in self._flight.rewards:
                raise InputError(f"tell: {shown(pull)} is not in flight")
            self._flight.rewards[Pull(*pull).number] = value
            self._flight.costs[Pull(*pull).number] = paid

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(lib.mk_policy_arms(self._handle.value))

    @property
    def rounds(self) -> int:
        """The number of results so far: rewards, failures and results that were added."""
        with self._lock:
            return int(lib.mk_policy_rounds(self._handle.value)) + len(self._flight.rewards)

    def history(self) -> tuple[Array, Array]:
        """Returns the arms pulled so far and their rewards, as two arrays (without numpy, lists) in the order in which the policy
        has used the results. The reward of a failed pull is NaN. Results that the policy has not used yet come last.
        InputError: a bounded policy has no history."""
        with self._lock:
            n = int(lib.mk_policy_rounds(self._handle.value))
            if n and lib.mk_policy_round_arm(self._handle.value, 0) == SIZE_NONE:
                raise InputError("history: a bounded policy keeps no rounds; expected one without bounded=True")
            if not has_numpy:
                pulls = [(lib.mk_policy_round_arm(self._handle.value, i), lib.mk_policy_round_reward(self._handle.value, i))
                         for i in range(n)]
                pulls += [(pull.arm, self._flight.rewards[pull.number]) for pull in self._flight.waiting
                          if pull.number in self._flight.rewards]
                pulled: Any = [arm for arm, _ in pulls]
                seen: Any = [reward for _, reward in pulls]
                return pulled, seen
            arms = np.fromiter((lib.mk_policy_round_arm(self._handle.value, i) for i in range(n)), np.intp, n)
            rewards = np.fromiter((lib.mk_policy_round_reward(self._handle.value, i) for i in range(n)), float, n)
            known = [pull for pull in self._flight.waiting if pull.number in self._flight.rewards]
            return (np.append(arms, np.array([pull.arm for pull in known], np.intp)),
                    np.append(rewards, [self._flight.rewards[pull.number] for pull in known]))

    @property
    def best(self) -> float:
        """The largest reward so far; -inf at the start."""
        with self._lock:
            known = [x for x in self._flight.rewards.values() if not math.isnan(x)]
            return max([float(lib.mk_policy_best(self._handle.value)), *known])

    def copy(self) -> "Policy":
        """Returns an independent policy that continues as this one would."""
        with self._lock:
            return self._of(make(lib.mk_policy_copy, lib.mk_policy_free, self._handle.value), copy.deepcopy(self._flight))

    def to_text(self) -> str:
        """Returns the policy with all its rounds as lines of text, for from_text. InputError: pulls of ask() are in flight.
        pickle keeps these, too."""
        with self._lock:
            self._without_flight("to_text")
            return self._text()

    def _text(self) -> str:
        found = c_void_p()
        self._call(lib.mk_policy_save, byref(found))
        try:
            return (cast(found, c_char_p).value or b"").decode()
        finally:
            lib.mk_policy_free_text(found)

    @classmethod
    def from_text(cls, text: str) -> "Policy":
        """Returns the policy that to_text has written. InputError: the text is damaged, or this version of maxk would have
        selected other arms."""
        return cls._of(make(lib.mk_policy_load, lib.mk_policy_free, utf8("text", text)))

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Policy":
        return self.copy()

    def __reduce__(self) -> tuple[Any, tuple[str, _Flight]]:
        with self._lock:
            return _restored, (self._text(), copy.deepcopy(self._flight))

    def __repr__(self) -> str:
        return f"<maxk.Policy {lib.mk_policy_text(self._handle.value).decode()}, {self.arms} arms, {self.rounds} rounds>"


def _costs(cost: Any, arms: int) -> Any:
    """Costs as C takes them."""
    if isinstance(cost, str) or not hasattr(cost, "__len__") or not hasattr(cost, "__iter__"):
        raise InputError(f"cost: expected {arms} numbers, got {shown(cost)}")
    if len(cost) != arms:
        raise InputError(f"cost: expected {arms} numbers, got {len(cost)}")
    return (c_double * arms)(*(real("cost", one) for one in cost))


def _cost(cost: Any) -> float:
    """What a pull has cost; 0: not reported."""
    value = 0.0 if cost is None else real("cost", cost)
    if cost is not None and not 0 < value <= MOST_REWARD:
        raise InputError(f"cost: expected a number > 0, got {value!r}")
    return value


def _result(what: str, reward: Any, failed: bool) -> float:
    """A reward, NaN: the pull has failed."""
    if flag("failed", failed) == (reward is not None):
        raise InputError(f"{what}: expected either a reward or failed=True, got {shown(reward)} and failed={failed}")
    if reward is None:
        return math.nan
    value = real("reward", reward)
    if not abs(value) <= MOST_REWARD:
        raise InputError(f"{what}: reward: expected a number within ±{MOST_REWARD:g}, got {value!r}")
    return value


def _restored(text: str, flight: _Flight) -> Policy:
    return Policy._of(make(lib.mk_policy_load, lib.mk_policy_free, utf8("text", text)), flight)
