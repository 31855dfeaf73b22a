"""Result files that are damaged or foreign in structure or content: every command that reads results ends with one
line that names the file, and exit code 2; nothing is allocated for sizes that the file cannot hold."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish

directory = tempfile.mkdtemp()
good, bad_file = directory + "/good.h5", directory + "/bad.h5"

EXPERIMENT = """problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.9}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5], label: "a={alpha}"}]
horizons: [10, 20, 40, 80, 160]
replications: 6
"""
COMMANDS = [["summary"], ["bounds"], ["rank"], ["rate"], ["figures", "--out", directory + "/figures"], ["info"],
            ["export", "--csv", directory + "/csv"], ["exceed", "--above", "0.5"]]


def less_memory():
    if "san" not in MAXK:  # AddressSanitizer reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def refused(command, path=bad_file):
    done = subprocess.run([MAXK, command[0], path] + command[1:], capture_output=True, text=True, timeout=60,
                          preexec_fn=less_memory)
    lines = done.stderr.splitlines()
    return done.returncode == 2 and len(lines) == 1 and path in lines[0], done.stderr.strip()[-150:]


def texts(f):
    return f["provenance"].attrs["texts"].tobytes()


def set_texts(f, data):
    f["provenance"].attrs["texts"] = np.frombuffer(data, np.uint8)


def put(f, name, data, **kind):
    del f[name]
    f.create_dataset(name, data=data, **kind)


def put_link(f, name, link):
    del f["problem"][name]
    f["problem"][name] = link


def put_value(f, name, at, value):
    f[name][at] = value


def no_replications(f, n):
    """This number of replications, none of them stored."""
    for name in ["coords/replication"] + [f"policies/{p}/{d}" for p in f["policies"] for d in ("pulls", "max_reward")]:
        shape = [n if a == "replication" else s for a, s in zip(axes(name), f[name].shape)]
        kind = f[name].dtype
        del f[name]
        f.create_dataset(name, shape=shape, dtype=kind, chunks=tuple(min(s, 64) for s in shape), compression=1)


def axes(name):
    return ["replication"] if "coords" in name else ["instance", "horizon", "replication", "arm"]


def other_alpha(text):
    for old, new in ((b"alpha: 0.1", b"alpha: 0.2"), (b'label: "a=0.1"', b"label: a=0.2"), (b"label: a=0.1", b"label: a=0.2")):
        text = text.replace(old, new)
    return text


POLICY = "policies/a=0.1"
DAMAGES = {
    "no attribute format": lambda f: f.attrs.__delitem__("format"),
    "a later format": lambda f: f.attrs.__setitem__("format_version", 99),
    "a format version in words": lambda f: f.attrs.__setitem__("format_version", "one"),
    "another program's format": lambda f: set_texts(f, b"other-results\0" + texts(f).split(b"\0", 1)[1]),
    "no texts": lambda f: f["provenance"].attrs.__delitem__("texts"),
    "texts as numbers": lambda f: f["provenance"].attrs.__setitem__("texts", np.zeros(10)),
    "texts without an end": lambda f: set_texts(f, texts(f)[:-1]),
    "texts cut short": lambda f: set_texts(f, texts(f)[:60] + b"\0"),
    "garbage for an experiment": lambda f: set_texts(f, texts(f).replace(b"problem:", b"\xff\xfe\x01pro:")),
    "escapes in a label": lambda f: set_texts(f, texts(f).replace(b"arm 0", b"\x1b[31m")),
    "no coordinates": lambda f: f.__delitem__("coords"),
    "no coordinate of arms": lambda f: f.__delitem__("coords/arm"),
    "no problem": lambda f: f.__delitem__("problem"),
    "no gaps": lambda f: f.__delitem__("problem/gap"),
    "no policies": lambda f: f.__delitem__("policies"),
    "no summary of a policy": lambda f: f.__delitem__(POLICY + "/summary"),
    "no mean pulls of a policy": lambda f: f.__delitem__(POLICY + "/summary/mean_pulls"),
    "no pulls of one policy": lambda f: f.__delitem__(POLICY + "/pulls"),
    "no rewards of one policy": lambda f: f.__delitem__(POLICY + "/max_reward"),
    "a dataset for a policy": lambda f: put(f, POLICY, [1.0]),
    "two policies of one number": lambda f: f[POLICY].attrs.__setitem__("index", 1),
    "pulls as real numbers": lambda f: put(f, POLICY + "/pulls", f[POLICY + "/pulls"][...].astype(float)),
    "pulls of another shape": lambda f: put(f, POLICY + "/pulls", f[POLICY + "/pulls"][...][:, :, :3]),
    "a text for gaps": lambda f: put(f, "problem/gap", "none"),
    "compound gaps": lambda f: put(f, "problem/gap", np.zeros(f["problem/gap"].shape, "f8,f8")),
    "horizons that descend": lambda f: put_value(f, "coords/horizon", 1, 5),
    "a horizon beyond 2^53": lambda f: put_value(f, "coords/horizon", 4, 2**53 + 2),
    "a level that is NaN": lambda f: put_value(f, "coords/quantile", 3, np.nan),
    "a best arm that is not there": lambda f: put_value(f, "problem/optimal_arm", (0, 0), 7),
    "a gap below 0": lambda f: put_value(f, "problem/gap", (0, 1, 1), -1),
    "a best arm without expectation": lambda f: put_value(f, "problem/expected_max", (0, 0, 0), np.nan),
    "a support that is NaN": lambda f: put_value(f, "problem/support_high", 0, np.nan),
    "10^12 replications, none stored": lambda f: no_replications(f, 10**12),
    "10^9 levels of quantiles": lambda f: put(f, "coords/quantile", None, shape=(10**9,), dtype="f8"),
    "a link to elsewhere": lambda f: put_link(f, "gap", h5py.SoftLink("/problem/expected_max")),
    "a link to another file": lambda f: put_link(f, "gap", h5py.ExternalLink(good, "/problem/gap")),
    "values in another file": lambda f: put(f, "problem/gap", None, shape=f["problem/gap"].shape, dtype="f8",
                                            external=[(good, 0, 80)]),
}
# Content that is noticed only by the commands that read it.
CONTENT = {
    "more pulls than the horizon": (lambda f: put_value(f, POLICY + "/pulls", (0, 0, 0, 0), 2**60), ["exceed", "--above", "0.5"]),
    "mean pulls that are NaN": (lambda f: put_value(f, POLICY + "/summary/mean_pulls", (0, 0, 0), np.nan), ["summary"]),
    "a share above 1": (lambda f: put_value(f, POLICY + "/summary/lock_out_share", (0, 0), 2),
                        ["figures", "--out", directory + "/figures"]),
    "an experiment of other arms": (lambda f: set_texts(f, texts(f).replace(b"label: arm 0", b"label: arm 9")), ["rate"]),
    "an experiment of other policies": (lambda f: set_texts(f, other_alpha(texts(f))), ["bounds"]),
}


def damage(change):
    shutil.copy(good, bad_file)
    with h5py.File(bad_file, "r+", libver="latest") as f:
        change(f)


with open(directory + "/e.yaml", "w") as f:
    f.write(EXPERIMENT)
subprocess.run([MAXK, "run", directory + "/e.yaml", "-q", "--engine", "per-pull", "-o", good], check=True)
wrong = [c[0] for c in COMMANDS if subprocess.run([MAXK, c[0], good] + c[1:], capture_output=True).returncode]
check(not wrong, f"every command reads the good file {wrong}")
for name, change in DAMAGES.items():
    damage(change)
    right, line = refused(["summary"])
    check(right, f"{name}: {line}")
for name, (change, command) in CONTENT.items():
    damage(change)
    right, line = refused(command)
    check(right, f"{name}: {command[0]}: {line}")
foreign = {"another program's file": lambda: h5py.File(bad_file, "w").create_dataset("x", data=[1]).file.close(),
           "half of a file": lambda: open(bad_file, "wb").write(open(good, "rb").read()[:os.path.getsize(good) // 2]),
           "a file without its end": lambda: open(bad_file, "wb").write(open(good, "rb").read()[:-1])}
for name, make in foreign.items():
    make()
    answers = [(c[0],) + refused(c) for c in COMMANDS + [["merge", "-o", directory + "/m.h5"]]]
    check(all(a[1] for a in answers), f"{name}, every command: {answers[0][2] if all(a[1] for a in answers) else answers}")
shutil.rmtree(directory)
finish()
