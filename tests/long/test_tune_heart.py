"""experiments/tune_heart.yaml, which trains real programs: 200 trials of seven classifiers within a minute, time-outs among them,
and the best of them again by the command line that is written for it."""
import csv
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, rows, run


def studies(d):
    done = subprocess.run(["timeout", "-k", "10", "60", MAXK, "tune", "experiments/tune_heart.yaml", "-o", f"{d}/heart.h5", "-s",
                           "workers=2"], capture_output=True, text=True)
    if not check(done.returncode == 0, f"runs: {done.stderr[:300]}"):
        return
    trials = list(csv.DictReader(open(f"{d}/heart.csv")))
    check(len(trials) == 200, "200 trials")
    survey = rows(run("survey", f"{d}/heart.csv", "--csv", text="as a recording of seven arms"))
    check(len(survey) == 7, "of which all were pulled")
    check(any(",timed out," in line for line in open(f"{d}/heart.csv")), "some were stopped by the time limit")
    best = open(f"{d}/heart.best.yaml").read()
    value = float(re.search("^metric: (.*)$", best, re.M)[1])
    out = subprocess.run(re.search("^command: (.*)$", best, re.M)[1], shell=True, capture_output=True, text=True).stdout
    check(value > 80 and float(re.findall("([0-9.]+)%", out)[-1]) == value,
          f"the best accuracy is that of its command line: {value}, {out[-200:]}")


missing = [name for name in ("svm-train", "liblinear-train") if not shutil.which(name)]
if not missing:
    with folder() as d:
        studies(d)
else:
    check(False, f"{' and '.join(missing)}: not there; packages libsvm-tools and liblinear-tools, which make deps-check installs")
finish()
