"""Certified bounds are kept next to the result: computed by the first command, read by the next, never stale or in the way."""
import csv, io, os, shutil, subprocess, sys, tempfile

maxk = os.path.abspath(os.environ.get("MAXK", "build/maxk"))
bad = 0
EXPERIMENT = """name: kept
problem:
  arms:
    - {family: power, a: %s, s: 1.01}
    - {family: power, a: 4, s: 1.05}
    - {family: power, a: 5, s: 1.1}
policies:
  - {name: max_ucb, alpha: [0.3, 0.5, 2.5], label: "alpha={alpha}"}
  - {name: ucb}
horizons: [50, 200]
replications: 20
seed: 1
claims:
  - {name: within, of: pulls, at_most: 2 * certified_upper}
"""


def check(condition, text):
    global bad
    bad += not condition
    print("ok" if condition else "not ok", text)


def run(*command, threads=2, noted=""):
    done = subprocess.run([maxk, *command], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    check(done.returncode == 0, f"maxk {' '.join(command)} {done.stderr[-200:]!r}")
    check(noted in done.stderr if noted else "certificates" not in done.stderr, f"what it notes: {done.stderr[-200:]!r}")
    return done.stdout


def simulate(a, result="kept.h5"):
    with open("kept.yaml", "w") as f:
        f.write(EXPERIMENT % a)
    run("run", "kept.yaml", "-o", result)


def content(path="kept.h5.certificates"):
    with open(path, "rb") as f:
        return f.read()


def mark(path="kept.h5.certificates"):
    status = os.stat(path)
    return status.st_ino, status.st_mtime_ns


def kept():
    lines = [l.split() for l in run("info", "kept.h5").splitlines() if l.startswith("certificates")]
    return int(lines[0][1].rstrip(",")) if lines else 0


def test_once():
    simulate(3)
    before = content("kept.h5")
    check(kept() == 0, "nothing is kept yet")
    first = run("bounds", "kept.h5", "--brief")
    written, at = content(), mark()
    check(kept() == 3 * 2 * 2, "an upper bound for every suboptimal arm, alpha and T")
    check(run("bounds", "kept.h5", "--brief") == first and mark() == at, "the second call writes nothing and says the same")
    run("summary", "kept.h5")
    check(mark() == at, "summary needs nothing else")
    table = run("bounds", "kept.h5", "--csv")
    check(mark() == at, "nor does the whole table")
    run("certify", "kept.h5")
    check(mark() != at and kept() > 12, "certify has another refinement")
    at = mark()
    run("certify", "kept.h5")
    check(mark() == at, "which is kept too")
    check(content("kept.h5") == before, "the result is not touched")
    os.remove("kept.h5.certificates")
    check(run("bounds", "kept.h5", "--brief", threads=1) == first and content() == written, "one thread: the same bytes")
    return first, table


def test_damage(first):
    good = content()
    for bytes_, what in ((good[:200] + bytes([good[200] ^ 1]) + good[201:], "a changed bit"), (good[:-8], "a short file"),
                         (b"", "an empty file"), (b"x" * 4096, "another file")):
        with open("kept.h5.certificates", "wb") as f:
            f.write(bytes_)
        check(run("bounds", "kept.h5", "--brief", noted="computed again") == first, what)
        check(content() == good, f"{what} is replaced")
    os.remove("kept.h5.certificates")
    os.mkdir("kept.h5.certificates")
    check(run("bounds", "kept.h5", "--brief", noted="not kept") == first, "a place that cannot be written")
    check(run("figures", "kept.h5", "--only", "bounds", noted="not kept").count(".png") > 0, "nor by figures")
    os.rmdir("kept.h5.certificates")


def test_stale(table):
    """Another problem under the same name: what was kept of the old one is not taken for it."""
    shutil.copy("kept.h5", "old.h5")
    run("bounds", "kept.h5", "--brief")
    simulate(3.5)
    changed = run("bounds", "kept.h5", "--csv")
    os.remove("kept.h5.certificates")
    check(changed == run("bounds", "kept.h5", "--csv") and changed != table, "another problem has bounds of its own")
    check(run("bounds", "old.h5", "--csv") == table, "and the old one those that it had")


def test_chosen_policy():
    """The band of a figure is that of the policy shown, also where others are left out."""
    rows = csv.DictReader(io.StringIO(run("certify", "kept.h5", "--csv", "--refinement", "0.2", "--policy", "alpha=2.5")))
    upper = [float(r["upper"]) for r in rows if r["arm"] == "1"]
    run("figures", "kept.h5", "--policy", "alpha=2.5", "--only", "bounds", "-o", "chosen")
    names = [n for n in os.listdir("chosen") if n.endswith("arm1.dat")]
    check(len(names) == 1, f"one figure of arm 1: {names}")
    with open(os.path.join("chosen", names[0])) as f:
        numbers = {float(w) for line in f if not line.startswith("#") for w in line.split() if w[0].isdigit()}
    for value in upper:
        check(any(abs(value - n) <= 1e-5 * value for n in numbers), f"the certified {value} is drawn")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    first, table = test_once()
    test_damage(first)
    test_stale(table)
    test_chosen_policy()
sys.exit(bad > 0)
