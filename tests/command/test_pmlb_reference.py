"""experiments/reference_pulls.yaml and pmlb.yaml on the recorded runs, against the published programs' own pulls."""
import csv, gzip, io, os, sys

import h5py

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, rows, run

reference = "tests/reference/reference_pulls_pmlb.csv.gz"
want = {}
with io.TextIOWrapper(gzip.open(reference)) as f:
    for r in csv.DictReader(f):
        want.setdefault(r["policy"], {})[r["instance"]] = r


needs_horizon = {line.split()[0] for line in run("list", "policies").splitlines() if " needs T " in line}


def compare(f, label, names, horizons):
    # Policies that need T are run separately for every horizon; the reference reads its one run of T = 200 at 50 and
    # 100.
    name = f[f"policies/{label}"].attrs["name"]
    read = (200,) if (name.decode() if isinstance(name, bytes) else name) in needs_horizon else (50, 100, 200)
    pulls, best = f[f"policies/{label}/pulls"][:, horizons.index(200), 0, :], f[f"policies/{label}/max_reward"][:, :, 0]
    same = same_best = 0
    for instance, r in want[label].items():
        i = names.index(instance)
        same += list(map(int, r["pulls_per_arm"].split())) == list(pulls[i])
        same_best += all(abs(float(r[f"best_{t}"]) - best[i, horizons.index(t)]) < 5e-7 for t in read)
    total = len(want[label])
    check(total == 96 and same == total, f"{label}: pulls per arm equal in {same} of {total} instances")
    check(same_best == total, f"{label}: best reward at {read} equal in {same_best} of {total} instances")


with folder() as d:
    for experiment, labels in (("pmlb", ["max_ucb", "max_ucb_alpha_0.1", "max_ucb_alpha_1"]), ("reference_pulls", sorted(want))):
        h5 = os.path.join(d, "r.h5")
        run("run", f"experiments/{experiment}.yaml", "-o", h5, "-q", "--force")
        with h5py.File(h5) as f:
            names = [n.decode() if isinstance(n, bytes) else n for n in f["coords/instance"][:]]
            check(len(names) == 96 and f["policies/max_ucb/pulls"].shape == (96, 3, 5, 6),
                  f"{experiment}: 96 instances x 5 repetitions")
            for label in labels:
                compare(f, label, names, list(f["coords/horizon"][:]))
    for label, instance in (("max_ucb", names[0]), ("rising_bandit", names[17]), ("er_ucb_n", names[60])):
        traced = rows(run("trace", "experiments/reference_pulls.yaml", "--policy", label, "--instance", instance))
        arms = "".join(r["arm"] for r in traced)
        check(len(arms) == 200 and arms == want[label][instance]["pulled_arms"],
              f"trace of {label} on {instance}: 200 pulls equal")
finish()
