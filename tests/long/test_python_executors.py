"""Studies on Dask, of which a worker is killed in the middle, and on MPI: the same trials as in one thread."""
import os
import signal
import subprocess
import sys
import time

sys.path[:0] = ["tests/support", "tests/command"]
from lib import check, finish, folder, python_environment, write

ENVIRONMENT = {**python_environment(), "PYTHONPATH": "sim/python:tests/support:tests/command"}
if "MAXK_LIBRARY" not in os.environ:  # the library may need another one loaded first
    sys.exit(subprocess.run([sys.executable, *sys.argv], env=ENVIRONMENT).returncode)

sys.path.insert(0, "sim/python")
import test_python_study as study_test


def slow(trial):
    time.sleep(0.05)
    return study_test.objective(trial)


def dask(first):
    from distributed import Client, LocalCluster
    with (LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
          Client(cluster) as client):
        killed = []

        def kill(study, trial):
            if trial.number == 12:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)
        study = study_test.Study(study_test.ARMS, direction="minimize", seed=3)
        study.optimize(slow, 40, executor=client.get_executor(), callbacks=[kill])
        same = study_test.table(study).equals(study_test.table(first))
        check(killed and same, "Dask, a worker killed: the same trials, none lost")


def mpi(first, directory):
    script = write(f"{directory}/mpi.py", """import sys
import test_python_study as study_test
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        study = study_test.played(on=study_test.slow, executor=executor)
    study_test.table(study).to_csv(sys.argv[1], index=False)
""")
    expected, out = f"{directory}/expected.csv", f"{directory}/mpi.csv"
    study_test.table(first).to_csv(expected, index=False)
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures",
                           script, out], env=ENVIRONMENT, capture_output=True, text=True)
    same = done.returncode == 0 and open(out).read() == open(expected).read()
    check(same, f"MPI, three ranks: the same trials {done.stderr[-300:]}")


if __name__ == "__main__":
    FIRST = study_test.played()
    dask(FIRST)
    with folder() as d:
        mpi(FIRST, d)
    finish()
