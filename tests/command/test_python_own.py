"""Policies and optimisers of one's own in studies: what they are asked and get, resuming, failures, names in files."""
import logging
import math
import random
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment, raises

enter(python_environment())

sys.path.insert(0, "sim/python")
import maxk
from maxk import Categorical, InputError, Integer, Real, Study

SPACES = {"a": {"x": Real(-1, 1), "k": Integer(1, 9), "w": Categorical([True, None, 2.5])}, "b": {"x": Real(-1, 1)},
          "none": {}}


class Search:
    """Random numbers that depend on the results."""

    def __init__(self, seed):
        self.random, self.log, self.sum = random.Random(seed), [], 0.0

    def ask(self):
        params = {"x": self.random.uniform(-0.5, 0.5) + 0.5 * math.tanh(self.sum), "k": self.random.randint(1, 9)}
        self.log.append(("ask", params))
        return params

    def tell(self, params, reward):
        self.sum += 0 if math.isnan(reward) else 0.01 * reward
        self.log.append(("tell", params, reward))


class Arms:
    def __init__(self):
        self.log, self.pulls, self.best = [], {"a": 0, "b": 5, "none": 10}, ("a", -math.inf)

    def ask(self):
        arm = min(SPACES, key=lambda label: self.pulls[label] - 20 * (label == self.best[0]))
        self.pulls[arm] += 1
        self.log.append(arm)
        return arm

    def tell(self, arm, reward):
        if reward > self.best[1] - 0.001 * len(self.log):
            self.best = (arm, reward)
        self.log.append((arm, reward))


def value_of(trial):
    if trial.number % 7 == 3:
        raise ValueError("it fails")
    return (trial.params.get("x", 0.5) - 0.3) ** 2 + 0.01 * trial.params.get("k", 1)


def begun(path=None, **more):
    search, arms = Search(1), Arms()
    options = dict(policy=arms, optimizer={"a": search, "b": "tpe", "none": "random"}, direction="minimize", lag=4, n_trials=60,
                   seed=3)
    return Study(SPACES, path=path, **{**options, **more}), search, arms


def rows(study):
    return [(trial.arm, trial.params, repr(trial.value), trial.status, trial.seed) for trial in study.trials]


def asked_and_told(directory):
    study, search, arms = begun(f"{directory}/whole")
    study.optimize(value_of)
    trials = study.trials
    asked = [params for what, params, *_ in search.log if what == "ask"]
    of_a = [trial for trial in trials if trial.arm == "a"]
    check(len(of_a) > 5 and all(trial.params == {**params, "w": True} for trial, params in zip(of_a, asked)),
          f"{len(of_a)} configurations are those that were asked for, with defaults")
    told = [entry[1:] for entry in search.log if entry[0] == "tell"]
    expected = [(trial.params, math.nan if trial.status == "failed" else -trial.value) for trial in of_a]
    check(len(told) > 3 and repr(told) == repr(expected[:len(told)]) and any(math.isnan(reward) for _, reward in expected),
          "an optimiser gets configurations and rewards in their order, the negative of what is minimised")
    chosen = [one for one in arms.log if isinstance(one, str)]
    check(chosen == [trial.arm for trial in trials] and len(set(chosen)) == 3, "the arms are those of the policy")
    told = [one for one in arms.log if not isinstance(one, str)]
    expected = [(trial.arm, math.nan if trial.status == "failed" else -trial.value) for trial in trials]
    check(len(told) >= 55 and repr(told) == repr(expected[:len(told)]), "and it gets every trial")
    study.save()
    text = open(f"{directory}/whole.tune.yaml").read() + open(f"{directory}/whole.trials/journal").read()
    check(text.count("own_policy: __main__.Arms") == 2 and text.count("own_optimizer: __main__.Search") == 2,
          "the journal and the tune file name the classes")
    check(maxk.Result(f"{directory}/whole.h5").summary()["policy"][0] == "__main__.Arms" and
          ",__main__.Search," in open(f"{directory}/whole.csv").read(), "so do the result and its table")
    return rows(study), search.log, arms.log


def resumed(directory, whole):
    study, _, _ = begun(f"{directory}/parts")
    study.optimize(value_of, 13)
    left = study.ask()  # has no result
    study.close()
    study, search, arms = begun(f"{directory}/parts", resume=True)
    check(study.trials[left.number].status == "running" and len(study) == 14, "a trial without a result is kept")
    with ThreadPoolExecutor(3) as pool:
        study.optimize(value_of, executor=pool)
    check((rows(study), repr(search.log), repr(arms.log)) == (whole[0], repr(whole[1]), repr(whole[2])),
          "resumed, with several workers: the same trials, and new objects have been asked the same and got the same")
    study.close()
    with Study.open(f"{directory}/parts", policy=Arms(), optimizer={"a": Search(1)}) as opened:
        check(rows(opened) == whole[0], "opened by its path with objects: the same trials")
    raises(InputError, "without objects", "own_policy: the arms are chosen by __main__.Arms",
           lambda: Study.open(f"{directory}/parts"))
    logged = []
    handler = logging.Handler()
    handler.emit = lambda record: logged.append(record.getMessage())
    warnings.simplefilter("ignore")
    logging.getLogger("maxk").addHandler(handler)
    study, _, _ = begun(f"{directory}/parts", resume=True, n_trials=70,
                        optimizer={"a": Search(2), "b": "tpe", "none": "random"})
    check(rows(study) == whole[0] and sum("where the journal has" in one for one in logged) == 1,
          f"of another seed: the journal counts, and that is logged once: {logged}")
    logging.getLogger("maxk").removeHandler(handler)
    study.optimize(value_of)
    check(len(study) == 70 and rows(study)[:60] == whole[0], "and the study goes on")
    study.close()


def grown():
    study, search, _ = begun(n_trials=None)
    study.optimize(value_of, 40)
    study.optimize(value_of, 3000)
    whole, other, _ = begun(n_trials=3040)
    whole.optimize(value_of)
    check(rows(study) == rows(whole), "a study that grows has the trials of a whole one")


def on_instances():
    search = Search(4)
    study = Study({"a": SPACES["a"]}, optimizer=search, instances=[1, 2, 4], seed=2, lag=2)
    study.optimize(lambda trial: trial.params["x"] * trial.instance, 30)
    asked = [entry[1]["x"] for entry in search.log if entry[0] == "ask"]
    told = [entry[1:] for entry in search.log if entry[0] == "tell"]
    check(len(asked) == 10 and len(told) >= 9 and all(math.isclose(reward, params["x"] * 7 / 3) for params, reward in told),
          f"three runs of {len(asked)} configurations each, reported by their means")
    first = Search(5)
    study = Study({"a": SPACES["a"]}, optimizer=first, first=[{"x": 0.25}])
    study.optimize(lambda trial: 1.0, 3)
    check([trial.params["x"] for trial in study.trials][0] == 0.25 and [entry[0] for entry in first.log].count("ask") == 2,
          "what is tried first is not asked for")


class Shared:
    """A policy and the optimisers of all arms in one, whose arms depend on what the optimisers were asked for."""

    def __init__(self):
        self.asked = 0

    def arms(self):
        return Part(self, lambda of: "ab"[of.asked % 3 == 2])

    def params(self):
        return Part(self, lambda of: {"x": math.sin(of.asked)})


class Part:
    def __init__(self, of, value):
        self.of, self.value = of, value

    def ask(self):
        self.of.asked += not isinstance(self.value(self.of), str)
        return self.value(self.of)

    def tell(self, *what):
        pass


def shared():
    spaces = {label: {"x": Real(-1, 1)} for label in "ab"}
    found = []
    for n_trials in (12, None):  # without a number of trials the study begins again
        whole = Shared()
        study = Study(spaces, policy=whole.arms(), optimizer={"a": whole.params(), "b": whole.params()}, lag=1, n_trials=n_trials)
        study.add_trials([{"arm": "a", "params": {"x": 0.5}, "value": 1.0}])
        study.optimize(lambda trial: 1.0, 12)
        found.append([(trial.arm, trial.params) for trial in study.trials])
    check(found[0] == found[1] and len({arm for arm, _ in found[0]}) == 2 and len({str(one) for one in found[0]}) == 13,
          "objects that share something share it in a study that begins again")


def fails(cause, match, make, trials):
    study = make()
    try:
        study.optimize(lambda trial: 1.0, 12)
        check(False, f"{match}: nothing was raised")
    except InputError as problem:
        check(match in str(problem) and type(problem.__cause__) is cause and len(study) == trials,
              f"{problem}: the cause {problem.__cause__!r} after {len(study)} trials")


def failures():
    class Ask(Search):
        def ask(self):
            return super().ask() if len(self.log) < 3 else {}["no"]

    class Tell(Search):
        def tell(self, params, reward):
            raise RuntimeError("no")

    class Far(Search):
        def ask(self):
            return {"x": 5}

    class Fixed(Search):
        def ask(self):
            return {"x": math.nan}

    class Odd(Arms):
        def ask(self):
            return "c"

    class Stopped(Search):
        def ask(self):
            if len(self.log) == 2:
                self.log.append("stop")
                raise KeyboardInterrupt
            return super().ask()

    one = {"a": SPACES["a"]}
    study = Study(one, optimizer=Stopped(1), lag=8)
    try:
        study.optimize(lambda trial: 1.0, 12)
        check(False, "Ctrl-C within ask: nothing was raised")
    except KeyboardInterrupt:
        check(len(study) == 2, f"Ctrl-C within ask ends the call after {len(study)} trials")
    study.optimize(lambda trial: 1.0, 10)
    check(len(study) == 12, "and the study goes on")
    fails(KeyError, "optimizer of a: __main__.failures.<locals>.Ask.ask has raised KeyError: 'no'",
          lambda: Study(one, optimizer=Ask(1), lag=1), 2)
    fails(RuntimeError, "Tell.tell has raised RuntimeError: no", lambda: Study(one, optimizer=Tell(1), lag=2), 2)
    with folder() as d:
        class Once(Search):
            def tell(self, params, reward):
                super().tell(params, reward)
                if reward == 3 and raising:
                    raise RuntimeError("once")

        raising, first, new = [1], Once(1), Once(1)
        values = [iter(range(12))]
        study = Study(one, optimizer=first, lag=1, path=f"{d}/o.h5")
        try:
            study.optimize(lambda trial: float(next(values[0])), 8)
        except InputError:
            study.optimize(lambda trial: float(next(values[0])), 4)
        raising.clear()
        study.close()
        had = [entry[2] for entry in first.log if entry[0] == "tell"]
        study = Study(one, optimizer=new, lag=1, path=f"{d}/o.h5", resume=True)
        study.optimize(lambda trial: 20.0, 10)
        got = [entry[2] for entry in new.log if entry[0] == "tell"]
        check(had.count(3) == 1 and had == sorted(had) and got[:len(had)] == had and len(study) == 10 and study.best_value == 20,
              f"a result whose tell has raised counts, and comes again only to the object of a resumed study: {had}, {got}")
    fails(type(None), "x: expected a number from -1 to 1, got 5", lambda: Study(one, optimizer=Far(1)), 0)
    fails(type(None), "has returned x: nan; expected a value", lambda: Study(one, optimizer=Fixed(1)), 0)
    fails(type(None), "Odd.ask has returned 'c'; expected one of a", lambda: Study(SPACES, policy=Odd()), 0)
    raises(InputError, "one for several arms", "__main__.Search cannot choose for 3 arms",
           lambda: Study(SPACES, optimizer=Search(1)))
    raises(InputError, "a class", "an object with the methods ask and tell, got <class", lambda: Study(one, optimizer=Search))
    raises(InputError, "arms that leave", "expected repeat with a policy of your own",
           lambda: Study(SPACES, policy=Arms(), exhausted="leave", n_trials=9))
    raises(InputError, "a number", "policy: expected a name", lambda: Study(one, policy=3))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.getLogger("maxk").addHandler(logging.NullHandler())
    logging.getLogger("maxk").propagate = False
    with folder() as scratch:
        resumed(scratch, asked_and_told(scratch))
        grown()
        on_instances()
        shared()
        failures()
    finish()
