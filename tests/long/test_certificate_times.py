"""Certified bounds of a result, and its figures, take at most three times the run's own time and 35 s the first time, and 2 s the
next: four arms, 40 values of alpha, five horizons. Of processor time, which other programs on the machine change little; 35 s are
those of two cores, and so are the 2 s of the figures, which gnuplot draws."""
import os, resource, shutil, subprocess, sys, tempfile

maxk = os.path.abspath(os.environ.get("MAXK", "build/maxk"))
CORES = 2
bad = 0
EXPERIMENT = """problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: truncated_gaussian, mu: 0.5, sigma: 0.2, lo: 0, hi: 1}
    - {family: beta, a: 2, b: 3}
    - {family: uniform, lo: 0, hi: 0.95}
policies: [{name: max_ucb, alpha: {from: 0.1, to: 4, step: 0.1}}]
horizons: [100, 300, 1000, 3000, 10000]
replications: 200
"""


def check(condition, text):
    global bad
    bad += not condition
    print("ok" if condition else "not ok", text, flush=True)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(*command):
    start = processor_time()
    done = subprocess.run([maxk, *command], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(CORES), "OMP_WAIT_POLICY": "passive"}, timeout=600)
    took = processor_time() - start
    check(done.returncode == 0, f"maxk {' '.join(command)}: {took:.1f} s {done.stderr[-200:]!r}")
    return took, done.stdout


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("e.yaml", "w") as f:
        f.write(EXPERIMENT)
    run, _ = seconds("run", "e.yaml", "-q", "-o", "e.h5")
    first, text = seconds("bounds", "e.h5", "--brief")
    check(first <= 3 * run + 35 * CORES, f"the first time: at most {3 * run + 35 * CORES:.1f} s")
    second, again = seconds("bounds", "e.h5", "--brief")
    check(second <= 2, "the next time: at most 2 s")
    check(again == text and "crossing" in text, "which says the same")
    shutil.copy("e.h5", "other.h5")  # without the bounds that are kept beside it
    first, _ = seconds("figures", "other.h5", "-o", "drawn")
    check(first <= 3 * run + 35 * CORES and any("bound" in name for name in os.listdir("drawn")),
          f"figures, the first time: at most {3 * run + 35 * CORES:.1f} s")
    second, _ = seconds("figures", "other.h5", "-o", "drawn")
    check(second <= 2 * CORES, f"the next time: at most {2 * CORES} s")
sys.exit(bad > 0)
