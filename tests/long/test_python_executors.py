"""Studies on Dask, of which a worker is killed in the middle, and on MPI: the same trials as in one thread. The scripts of
experiments/manual/executors.md, as they are printed there."""
import os
import re
import signal
import subprocess
import sys
import time

sys.path[:0] = ["tests/support", "tests/command"]
from lib import check, enter, finish, folder, python_environment, write

ENVIRONMENT = {**python_environment(), "PYTHONPATH": "sim/python:tests/support:tests/command"}
enter(ENVIRONMENT)

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


def page_scripts(directory):
    """The programs of the page in a folder, and the command that runs the one for MPI."""
    with open("experiments/manual/executors.md") as page:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.M | re.S)
    for _, text in blocks:
        name = re.match(r"# (\w+\.py)\n", text)
        if name:
            write(f"{directory}/{name[1]}", text)
    return next(text.strip() for kind, text in blocks if kind == "sh" and text.startswith("mpirun"))


def page(directory):
    from distributed import LocalCluster
    command = page_scripts(directory)
    os.symlink("/usr/bin/python3", f"{directory}/python3")  # what the page calls python3, rather than one of the user's own
    environment = {**ENVIRONMENT, "PATH": f"{directory}:{os.environ['PATH']}", "PYTHONPATH": f"{os.getcwd()}/sim/python",
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}

    def printed(words, **options):
        done = subprocess.run(words, cwd=directory, env=environment, capture_output=True, text=True, timeout=600, **options)
        return done.stdout if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr[-300:]}"
    local = printed(["python3", "study.py"])
    check(re.match(r"parabola \{'x': 0\.\d+\}\n", local), f"the script of the page for one machine: {local.strip()}")
    check(printed(command, shell=True).startswith("parabola "), f"the one for MPI, by {command}")
    with LocalCluster(n_workers=2, processes=True, dashboard_address=None) as cluster:
        with open(f"{directory}/dask_study.py") as script:
            text = script.read()
        check("tcp://scheduler:8786" in text, "the page names the scheduler of Dask")
        write(f"{directory}/dask_study.py", text.replace("tcp://scheduler:8786", cluster.scheduler_address))
        same = printed(["python3", "dask_study.py"])
    check(same == local, f"the one for Dask has the result of the first: {same.strip()}")


if __name__ == "__main__":
    FIRST = study_test.played()
    dask(FIRST)
    with folder() as d:
        mpi(FIRST, d)
    with folder() as d:
        page(os.path.abspath(d))
    finish()
