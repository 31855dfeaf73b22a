"""Runs maxk on every bad input of tests/reference/bad_input.txt and prints the messages. `make golden` writes the
output to tests/reference/messages.txt; tests/command/test_messages.py compares it with that file."""
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = os.path.join(TOP, "tests/reference/bad_input.txt")
REFERENCE = os.path.join(TOP, "tests/reference/messages.txt")
ARMS = "problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}]}\n"
REST = "policies: [{name: max_ucb}]\nhorizons: [10]\nreplications: 3\n"
HEAD = "instance,arm,repetition,iteration,reward\n"
LOSS = "instance,arm_index,repetition,iteration,loss,classifier\n"
PROBLEM = {"arm": "problem:\n  arms:\n    - %s\n    - {family: uniform, lo: 0, hi: 1}\n" + REST,
           "process": "problem:\n  processes:\n    - %s\n" + REST, "problem": "problem: %s\n" + REST,
           "policy": ARMS + "policies:\n  - %s\nhorizons: [10]\n", "key": ARMS + REST + "%s\n", "file": "%s"}
TABLE = {"rows": HEAD + "%s", "loss": LOSS + "%s", "csv": "%s"}
SERIES = HEAD.replace("\n", ",cost\n") + "".join(
    f"{i},{a},{r},{t},{t / 10},2\n" for i in "ij" for a in "bc" for r in range(3) for t in range(6))


def texts(f):
    return f["provenance"].attrs["texts"].tobytes()


def set_texts(f, data):
    f["provenance"].attrs["texts"] = np.frombuffer(data, np.uint8)


def replace(f, name, data):
    del f[name]
    f.create_dataset(name, data=data)


def put(f, name, at, value):
    f[name][at] = value


POLICY = "policies/max_ucb"
DAMAGE = {
    "no attribute format": lambda f: f.attrs.__delitem__("format"),
    "a later format": lambda f: f.attrs.__setitem__("format_version", 99),
    "no texts": lambda f: f["provenance"].attrs.__delitem__("texts"),
    "texts without an end": lambda f: set_texts(f, texts(f)[:-1]),
    "garbage for an experiment": lambda f: set_texts(f, texts(f).replace(b"problem:", b"\xff\xfe\x01pro:")),
    "another experiment": lambda f: set_texts(f, texts(f).replace(b"horizons: [10]", b"horizons: [20]")),
    "no gaps": lambda f: f.__delitem__("problem/gap"),
    "no policies": lambda f: f.__delitem__("policies"),
    "a policy's summary is missing": lambda f: f.__delitem__(POLICY + "/summary"),
    "pulls of another shape": lambda f: replace(f, POLICY + "/pulls", f[POLICY + "/pulls"][...][:, :, :2]),
    "horizons that descend": lambda f: put(f, "coords/horizon", 0, 0),
    "a quantile above 1": lambda f: put(f, "coords/quantile", -1, 1.5),
    "a best arm that does not exist": lambda f: put(f, "problem/optimal_arm", (0, 0), 7),
    "a gap below 0": lambda f: put(f, "problem/gap", (0, 0, 0), -1),
    "two policies of one number": lambda f: f[POLICY].attrs.__setitem__("index", 1),
    "more pulls than the horizon": lambda f: put(f, POLICY + "/pulls", (0, 0, 0, 0), 2**60),
    "mean pulls that are NaN": lambda f: put(f, POLICY + "/summary/mean_pulls", (0, 0, 0), np.nan),
}
# The command that notices damage which `maxk summary` does not read.
COMMAND_OF = {"pulls of another shape": "maxk exceed bad.h5 --above 1",
              "more pulls than the horizon": "maxk exceed bad.h5 --above 1",
              "another experiment": "maxk bounds bad.h5"}


def write(path, text):
    with open(path, "wb") as f:
        f.write(text.encode() if isinstance(text, str) else text)


def prepare(maxk):
    """The files that commands are run on, in the working directory."""
    def run(*arguments):
        subprocess.run([maxk, "run", *arguments, "-q"], check=True)
    write("good.yaml", "name: good\n" + ARMS + REST)
    write("two.yaml", "name: two\n" + ARMS + REST.replace("}]", "}, {name: uniform}]"))
    write("arms.yaml", ARMS)
    write("rising.yaml", "name: rising\nproblem: {processes: [{curve: power, rate: 1, noise: 0.1}]}\n" + REST)
    write("d.csv", SERIES)
    write("recorded.yaml", "name: recorded\nproblem: {trajectories: d.csv}\n"
                           "policies: [{name: max_ucb}, {name: uniform}]\nhorizons: [4]\n")
    write("bad.csv", SERIES.replace(",2\n", ",0\n"))
    write("cost.yaml", "problem: {trajectories: bad.csv}\n" + REST)
    write("cut.csv.gz", gzip.compress((SERIES * 50).encode(), mtime=0)[:400])
    write("gz.yaml", "problem: {trajectories: cut.csv.gz}\n" + REST)
    run("two.yaml", "-o", "r.h5")
    run("good.yaml", "-o", "one.h5")
    run("good.yaml", "-o", "summary.h5", "-s", "keep=summary")
    run("good.yaml", "-o", "record.h5", "--engine", "record")
    run("rising.yaml", "-o", "rising.h5")
    run("recorded.yaml", "-o", "recorded.h5")
    for name, extra in (("p1", ["--shard", "1/2"]), ("p2", ["--shard", "2/2"]), ("third", ["--shard", "2/3"]),
                        ("foreign", ["--shard", "2/2", "-s", "seed=2"])):
        run("good.yaml", "-o", name + ".part", *extra)
    with open("p2.part", "rb") as f:
        part = f.read()
    write("cut.part", part[:-20])
    interrupt(maxk)
    with open("r.h5", "rb") as f:
        result = f.read()
    write("cut.h5", result[:len(result) // 2])
    write("text.h5", "x")
    write("empty.h5", "")
    write("blocked.h5.journal", "precious")
    os.mkdir("folder")
    os.mkfifo("fifo")


def interrupt(maxk):
    """stopped.h5.journal: the journal of a whole run, with one complete replication (its head contains the size of a
    block; a journal cut anywhere keeps its complete blocks)."""
    command = [maxk, "run", "good.yaml", "-q", "-o", "stopped.h5", "-j", "1", "-s", "replications=200000",
               "-s", "policies.0.name=qomax_sda", "-s", "horizons=[100000]"]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while running.poll() is None:
        done = subprocess.run([maxk, "info", "stopped.h5.journal"], capture_output=True, text=True).stdout
        found = re.search(r"^replications +(\d+)", done, re.M)
        if found and int(found[1]) > 0:
            break
    running.terminate()
    running.wait(60)


def shown(kind, text):
    """The command of a case; writes its files."""
    if kind == "command":
        return text
    if kind == "damage":
        shutil.copy("r.h5", "bad.h5")
        with h5py.File("bad.h5", "r+") as f:
            DAMAGE[text](f)
        return COMMAND_OF.get(text, "maxk summary bad.h5")
    if kind == "set":
        return "maxk run good.yaml -q -s " + shlex.quote(text)
    plain = re.sub(r"\\(n|t|x01|\\)", lambda m: {"n": "\n", "t": "\t", "x01": "\x01", "\\": "\\"}[m[1]], text)
    if kind in TABLE:
        write("t.csv", TABLE[kind] % plain)
        write("e.yaml", "problem: {trajectories: t.csv}\npolicies: [{name: uniform}]\nhorizons: [2]\n")
    else:
        write("e.yaml", PROBLEM[kind] % plain)
    return "maxk run e.yaml -q"


def answer(maxk, command):
    words = shlex.split(command)
    if words[0] == "env":
        done = subprocess.run([maxk] + words[3:], capture_output=True, text=True, errors="replace",
                              env=dict(os.environ, **dict([words[1].split("=", 1)])), stdin=subprocess.DEVNULL, timeout=60)
    else:
        done = subprocess.run([maxk] + words[1:], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=60)
    text = done.stderr.rstrip("\n").replace("\n", "\n    ")
    text = re.sub(r"\b\d+ of 200000 replications", "N of 200000 replications", text)
    return (text if done.returncode == 2 else f"exit {done.returncode}: {text}").strip()


def collect(maxk):
    """[(case, answer)], one for every line of bad_input.txt."""
    os.environ.update(LC_ALL="C", OMP_NUM_THREADS="1")
    with open(INPUTS) as f:
        lines = [line.rstrip("\n") for line in f if line.strip() and line[0] != "#"]
    here, found = os.getcwd(), []
    memory = "/dev/shm"  # the journal waits for the disk
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        os.chdir(folder)
        try:
            prepare(maxk)
            for line in lines:
                kind, _, text = line.partition(" ")
                found.append((line.strip(), answer(maxk, shown(kind, text))))
        finally:
            os.chdir(here)
    return found


def written(found):
    return "".join(f"{case}\n    {text}\n" for case, text in found)


if __name__ == "__main__":
    sys.stdout.write(written(collect(os.path.abspath(os.environ.get("MAXK", "build/maxk")))))
