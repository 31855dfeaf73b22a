"""What Python pays: rewards given as an array, results opened, a study's ask and tell, each as a ratio measured side by side. The
bounds are those of a user's patience, far from what is measured here (in parentheses), so that noise cannot cross them."""
import sys
import time

sys.path[:0] = ["tests/support"]
from lib import check, enter, finish, folder, python_environment

enter({**python_environment(), "PYTHONPATH": "sim/python"})

sys.path.insert(0, "sim/python")
import h5py
import numpy as np
import optuna

import maxk


def fastest(*calls, rounds=25):
    """Seconds of each call, all of them in every round; the fastest ones, since other programs only ever add to them."""
    seconds = [[] for _ in calls]
    for _ in range(rounds):
        for call, times in zip(calls, seconds):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
    return [min(times) for times in seconds]


def arrays(directory):
    rewards = np.random.default_rng(0).random((20, 10, 50, 100))  # 10^6
    experiment = {"policies": ["max_ucb"], "horizons": [100]}
    maxk.run(experiment, rewards=rewards, output=f"{directory}/kept.h5")
    again = {**experiment, "problem": {"trajectories": f"{directory}/kept.h5.rewards.h5", "arm_order": "file"}}
    copy, simulation, whole = fastest(rewards.copy, lambda: maxk.run(again), lambda: maxk.run(experiment, rewards=rewards))
    ratio = whole / (copy + simulation)
    check(ratio <= 3, f"10^6 rewards as an array: {ratio:.2f} times their copy and a run on their file (at most 3; 1.3 measured)")


def opening(directory):
    path = f"{directory}/e4.h5"
    maxk.run("e4_power", output=path)  # as in README.md

    def plain():
        with h5py.File(path) as file:
            values = [file[f"policies/{label}/{name}"][()] for label in file["policies"] for name in ("pulls", "max_reward")]
            values += [file[f"problem/{name}"][()] for name in ("expected_max", "gap")]
        return values + [(x.mean(2), x.std(2)) for x in values[:-2]]
    check(len(plain()) > 40, "values to read")
    ours, theirs = fastest(lambda: maxk.open_result(path), plain)
    check(ours <= 1.5 * theirs, f"open_result: {ours / theirs:.2f} times h5py and numpy for the same values (at most 1.5; "
          "0.9 measured)")


def asking():
    study = maxk.Study(arms={f"a{k}": {"x": maxk.Real(0, 1), "y": maxk.Real(0, 1)} for k in range(5)}, optimizer="tpe", seed=0)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    other = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))

    def ours():
        trial = study.ask()
        study.tell(trial, -(trial.params["x"] - 0.3) ** 2)

    def theirs():
        trial = other.ask()
        arm = trial.suggest_categorical("arm", list(range(5)))
        x, _ = trial.suggest_float(f"x{arm}", 0, 1), trial.suggest_float(f"y{arm}", 0, 1)
        other.tell(trial, -(x - 0.3) ** 2)

    seconds = []
    for one in (ours, theirs):
        start = time.perf_counter()
        for _ in range(1000):
            one()
        seconds.append(time.perf_counter() - start)
    check(20 * seconds[0] <= seconds[1], f"1000 trials of TPE over 5 arms: {seconds[1] / seconds[0]:.0f} times Optuna's rate "
          "(at least 20; 200 measured)")


with folder() as d:
    arrays(d)
    opening(d)
asking()
finish()
