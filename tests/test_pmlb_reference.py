"""experiments/pmlb.yaml on the recorded runs, against the authors' own pull sequences (max_ucb with scale minmax)."""
import csv, gzip, io, os, subprocess, sys, tempfile

maxk = os.environ.get("MAXK", "build/maxk")
data, reference = "../shared/data/pmlb_rs_main.csv.gz", "../shared/data/reference_pulls_pmlb.csv.gz"
if not (os.path.exists(data) and os.path.exists(reference)):
    print("skip ../shared/data is not there")
    sys.exit(0)
try:
    import h5py
except ImportError:
    print("skip python3-h5py is not installed")
    sys.exit(0)

labels = {"max_ucb": "max_ucb", "max_ucb_alpha_0.1": "max_ucb_alpha_0.1", "max_ucb_alpha_1": "max_ucb_alpha_1"}
want = {}
with io.TextIOWrapper(gzip.open(reference)) as f:
    for r in csv.DictReader(f):
        if r["policy"] in labels:
            want[r["policy"], r["instance"]] = r
bad = 0


def check(condition, text):
    global bad
    bad += not condition
    print("ok" if condition else "not ok", text)


with tempfile.TemporaryDirectory() as d:
    h5 = os.path.join(d, "pmlb.h5")
    subprocess.run([maxk, "run", "experiments/pmlb.yaml", "-o", h5, "-q"], check=True)
    with h5py.File(h5) as f:
        names = [n.decode() if isinstance(n, bytes) else n for n in f["coords/instance"][:]]
        horizons = list(f["coords/horizon"][:])
        check(len(names) == 96 and f["policies/max_ucb/pulls"].shape == (96, 3, 5, 6), "96 instances x 5 repetitions")
        for label in labels:
            pulls, best = f[f"policies/{label}/pulls"], f[f"policies/{label}/max_reward"]
            same = total = same_best = 0
            for (policy, instance), r in want.items():
                if policy != label:
                    continue
                i = names.index(instance)
                total += 1
                same += list(map(int, r["pulls_per_arm"].split())) == list(pulls[i, horizons.index(200), 0, :])
                same_best += all(abs(float(r[f"best_{t}"]) - best[i, horizons.index(t), 0]) < 5e-7 for t in (50, 100, 200))
            check(total == 96 and same == total, f"{label}: pulls per arm equal in {same} of {total} instances")
            check(same_best == total, f"{label}: best reward at 50, 100, 200 equal in {same_best} of {total} instances")
    instances = [names[0], names[17], names[60]]
    for instance in instances:
        text = subprocess.run([maxk, "trace", "experiments/pmlb.yaml", "--policy", "max_ucb", "--instance", instance],
                              check=True, capture_output=True, text=True).stdout
        arms = "".join(r["arm"] for r in csv.DictReader(text.splitlines()))
        check(arms == want["max_ucb", instance]["pulled_arms"], f"trace of max_ucb on {instance}: 200 pulls equal")
sys.exit(bad > 0)
