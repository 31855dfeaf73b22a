"""A call that writes fails for a moment, as on a full disk, and the same process goes on: studies with earlier results, runs into
a file, recorded rewards. What failed says so and has changed nothing; tried again it works; the journal resumes, and files are
the same bits as those of a process that nothing happened to. Some of the calls; tests/long/test_failed_writes.py takes every
place that calls are made from, MAXK_INJECT_STEP=1 all calls."""
import contextlib
import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, ordinary_build_only, python_environment, write

ordinary_build_only("a library is loaded before everything else")
STEP = int(os.environ.get("MAXK_INJECT_STEP", 97))
if "MAXK_LIBRARY" not in os.environ:
    with folder() as d:
        library = os.path.join(d, "inject.so")
        subprocess.run([os.environ.get("CC", "gcc"), "-DINJECT_CALLED", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library,
                        "tests/support/inject.c", "-ldl"], check=True)
        enter({**python_environment(), "LD_PRELOAD": library})

inject = ctypes.CDLL(os.environ["LD_PRELOAD"])
inject.inject_stop.restype = ctypes.c_long
inject.inject_failed.restype = ctypes.c_char_p
inject.inject_place.restype = ctypes.c_ulong

sys.path.insert(0, "sim/python")
import numpy as np

import maxk
from maxk import Integer, Real, Study

FAILURES = [("a full disk", 1, errno.ENOSPC), ("an input/output error", 1, errno.EIO),
            ("a full disk, twice", 2, errno.ENOSPC)]  # so that cutting off what was written fails as well
TRIES = 4
ENDINGS = (".h5", ".csv", ".best.yaml", ".tune.yaml", ".times.csv")
EARLIER = [{"arm": "a", "params": {"x": i / 10}, "value": i / 100, "metrics": {"time": i}} for i in range(4)]


@contextlib.contextmanager
def unharmed():
    """What the test itself does meanwhile neither fails nor counts."""
    inject.inject_pause(1)
    yield
    inject.inject_pause(0)


# Another process reads result files: HDF5 crashes on files that it could not close.
READER = """
import hashlib, sys
import h5py, numpy as np

def values(x):
    return x.tobytes() if not x.dtype.hasobject else repr([str(one) for one in np.ravel(x)]).encode()

def look(name, of):
    if "volatile" in name:
        return
    whole.update(name.encode())
    for key in of.attrs:
        if key not in ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"):
            whole.update(key.encode() + values(np.asarray(of.attrs[key])))
    if isinstance(of, h5py.Dataset):
        whole.update(values(np.asarray(of[()])))

for path in map(str.strip, sys.stdin):
    whole = hashlib.sha256()
    try:
        with h5py.File(path) as f:
            f.visititems(look)
        print(whole.hexdigest(), flush=True)
    except Exception as problem:
        print(repr(problem).replace("\\n", " "), flush=True)
"""
reader = subprocess.Popen([sys.executable, "-c", READER], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"})


def contents(path):
    """A digest of a result file, but for how long it took."""
    print(path, file=reader.stdin, flush=True)
    return reader.stdout.readline().strip()


def held(stem):
    """What there is of a result that does not depend on time."""
    return {ending: contents(stem + ending) if ending == ".h5" else open(stem + ending, "rb").read()
            for ending in ENDINGS if ending != ".times.csv" and os.path.exists(stem + ending)}


def exactly(stem):
    """All its bytes."""
    return {ending: open(stem + ending, "rb").read() for ending in ENDINGS if os.path.exists(stem + ending)}


class Session:
    """Steps that are tried until they succeed, and what is wrong about the failures."""

    def __init__(self):
        self.failures, self.wrong = [], []

    def expect(self, condition, text):
        if not condition:
            self.wrong.append(text)

    def step(self, what, act, unchanged=lambda: None):
        for _ in range(TRIES):
            with unharmed():
                before = unchanged()
            try:
                return act()
            except maxk.Error as problem:
                self.failures.append(f"{what}: {problem}")
                with unharmed():
                    self.expect("\n" not in str(problem), f"several lines: {problem}")
                    self.expect(before == unchanged(), f"{what} failed and has changed something: {problem}")
        self.wrong.append(f"{what} does not succeed: {self.failures[-1]}")


def objective(trial):
    if trial.number % 5 == 3:
        raise ValueError("no")
    return trial.params["x"], {"time": trial.number}


def a_study(path, **options):
    return Study({"a": {"x": Real(0, 1)}, "b": {"x": Real(0, 1), "n": Integer(1, 3)}}, n_trials=20, path=path, seed=4,
                 optimizer="random", metrics=["time"], **options)


def studied(s, d):
    """A study in two sessions; the result of one trial is reported by tell, the same that optimize would report.
    Returns what its files hold."""
    stem = f"{d}/study"
    study = s.step("a study", lambda: a_study(f"{stem}.h5"))

    def ended():
        with unharmed():
            return sum(t.status != "running" for t in study.trials)

    def optimize(upto):
        if ended() < upto:
            study.optimize(objective, callbacks=lambda study, _: study.stop() if ended() >= upto else None)
        else:
            study.save()

    s.step("the start", lambda: len(study))
    s.step("add_trials", lambda: study.add_trials(EARLIER), lambda: [t.value for t in study.trials])
    s.expect(ended() == len(EARLIER), "earlier results are there once")
    s.step("optimize", lambda: optimize(11))
    trial = s.step("ask", study.ask)
    s.step("tell", lambda: study.tell(trial, 0.5, metrics={"time": 1.5}), lambda: len(study.trials))
    with unharmed():
        before, exactly_before = held(stem), exactly(stem)
    for _ in range(TRIES):
        try:
            study.save()
            break
        except maxk.Error as problem:
            s.failures.append(f"save: {problem}")
            with unharmed():
                s.expect(exactly(stem) == exactly_before or held(stem) == state["saved"],
                         f"save failed and the files are of both: {problem}")
    with unharmed():
        state.setdefault("saved", held(stem))
        s.expect(before != held(stem), "another save")
    study.close()
    calls = inject.inject_stop()
    again = a_study(f"{stem}.h5", resume=True)
    try:
        again.add_trials(EARLIER)
        again.optimize(objective)
        s.expect(len(again) == 24, f"{len(again)} trials")
        again.close()
    except maxk.Error as problem:
        s.wrong.append(f"cannot be resumed: {problem}")
    return calls, held(stem)


EXPERIMENT = """
name: e
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3, s: 1.01}]}
policies: [{name: max_ucb, alpha: 0.5}, {name: random}]
horizons: [50]
replications: 40
"""


def simulated(s, d):
    """A run into a file where another result is, which is kept."""
    path = f"{d}/run.h5"
    with unharmed():
        shutil.copy(state["begun"], path)
        before = open(path, "rb").read()
    for _ in range(TRIES):
        try:
            maxk.run(EXPERIMENT, output=path, threads=1)
            break
        except maxk.Error as problem:
            s.failures.append(f"run: {problem}")
            with unharmed():
                s.expect(open(path, "rb").read() == before or contents(path) == state["wanted"], f"the earlier result: {problem}")
    else:
        s.wrong.append(f"run does not succeed: {s.failures[-1]}")
    calls = inject.inject_stop()
    s.expect(open(path + ".previous", "rb").read() == before, "the earlier result is not kept")
    removed = inject.inject_failed() != b"unlink" and state["times"] == 1
    s.expect(not removed or not os.path.exists(path + ".journal"), "the journal is left")
    return calls, contents(path)


def recorded(s, d):
    """Rewards of an array, which are written next to the result."""
    values = np.arange(24.).reshape(2, 3, 4) % 7
    options = {"overrides": {"horizons": [4], "replications": 3}, "output": f"{d}/recorded.h5", "threads": 1}
    s.step("run", lambda: maxk.run("policies: [random]\nname: r\n", rewards=values, **options))
    calls = inject.inject_stop()
    return calls, [contents(f"{d}/recorded.h5"), contents(f"{d}/recorded.rewards.h5")]


state = {"times": 1}


def others(got, wanted):
    """Which parts differ."""
    if isinstance(wanted, dict):
        return [key for key in wanted if got.get(key) != wanted[key]]
    return got, wanted


def leftovers(d):
    return [name for name in os.listdir(d) if ".tmp." in name]


def emptied(d):
    """The same folder for all, since results name it."""
    shutil.rmtree(d, ignore_errors=True)
    os.mkdir(d)
    return d


def chosen(calls, at_once):
    """The calls that fail: every STEP-th; STEP 0: of those that are made from the same place, by the same functions all the way
    up, the first and the last, and of a full disk, once, the second as well. An input/output error takes the path of a full disk,
    since nothing asks which of them it is: the first."""
    if STEP:
        return range(1 + (5 * at_once) % STEP, calls + 1, STEP)
    places = {}
    for at in range(1, calls + 1):
        places.setdefault(inject.inject_place(at), []).append(at)
    parts = [slice(0, 2), slice(0, 1), slice(0, 1)][at_once]
    last = [] if FAILURES[at_once][2] == errno.EIO else [own[-1] for own in places.values()]
    return sorted({at for own in places.values() for at in own[parts]} | set(last))


def sweep(name, scenario, d):
    """The chosen calls of a scenario fail, one at a time."""
    emptied(d)
    s = Session()
    inject.inject_storage(0, 1, 0)
    calls, wanted = scenario(s, d)
    state["wanted"] = wanted
    check(calls > 10 and not s.failures and not s.wrong, f"{name}: {calls} calls, none fails {' '.join(s.failures + s.wrong)}")
    at_chosen = [chosen(calls, at_once) for at_once in range(len(FAILURES))]
    for at_once, (what, times, number) in enumerate(FAILURES):
        tried = told = errors = 0
        state["times"] = times
        for at in at_chosen[at_once]:
            emptied(d)
            s = Session()
            inject.inject_storage(at, times, number)
            try:
                _, got = scenario(s, d)
                s.expect(got == wanted, f"the files are others: {others(got, wanted)}")
            except Exception as problem:
                s.wrong.append(f"{type(problem).__name__}: {problem}")
            inject.inject_stop()
            failed = inject.inject_failed().decode()
            s.expect(failed == "unlink" or times > 1 or not leftovers(d), f"left over: {leftovers(d)}")
            tried += 1
            told += bool(s.failures)
            for text in s.wrong[:1]:
                errors += 1
                print(f"# {name}: {what} at call {at} ({failed}): {text[:300]} [{'; '.join(s.failures)[-200:]}]")
        check(tried and not errors and told, f"{name}, {what}: {tried} of {calls} calls, {told} of them reported")


with tempfile.TemporaryDirectory(prefix="maxk-test-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as top:
    state["begun"] = f"{top}/begun.h5"
    maxk.run(EXPERIMENT, overrides={"seed": 9}, output=state["begun"], threads=1)
    for name, scenario in (("a study", studied), ("a run", simulated), ("recorded rewards", recorded)):
        sweep(name, scenario, f"{top}/work")
reader.stdin.close()
reader.wait()
finish()
