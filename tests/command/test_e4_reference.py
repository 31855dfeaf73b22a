"""The E.4 experiments against the published runs' statistics (experiments/data/reference_e4.csv), cell by cell.

Replications: MAXK_E4_REPLICATIONS (default 1000; `make validate` uses 20000). z = difference of the mean pulls of an
arm over the root of both squared standard errors; |z| < 4 has a false-alarm rate of 6e-5 per cell."""
import csv, math, os, sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, rows, run

reference = "experiments/data/reference_e4.csv"
replications = int(os.environ.get("MAXK_E4_REPLICATIONS", "1000"))
table = os.environ.get("MAXK_E4_TABLE")

with open(reference) as f:
    published = rows(f.read())
out = csv.writer(open(table, "w")) if table else None
if out:
    out.writerow("experiment policy horizon arm reference se ours se_ours z".split())
with folder() as d:
    for experiment in sorted({r["experiment"] for r in published}):
        h5 = os.path.join(d, experiment + ".h5")
        run("run", f"experiments/{experiment}.yaml", "-o", h5, "-q", "-s", f"replications={replications}")
        ours = {}
        for r in rows(run("summary", h5, "--csv")):
            ours[r["policy"], int(r["horizon"]), int(r["arm"])] = r
        for policy in sorted({r["policy"] for r in published if r["experiment"] == experiment}):
            cells = [r for r in published if r["experiment"] == experiment and r["policy"] == policy]
            worst, count = 0.0, 0
            for r in cells:
                mean = list(map(float, r["mean_pulls_per_arm"].split()))
                se = list(map(float, r["se_pulls_per_arm"].split()))
                for arm, (m, s) in enumerate(zip(mean, se)):
                    o = ours[policy, int(r["horizon"]), arm]
                    om, os_ = float(o["mean_pulls"]), float(o["se_pulls"])
                    both = math.hypot(s, os_)
                    # printed with 6 significant digits
                    z = 0.0 if abs(m - om) < 2e-5 * max(1.0, m) else (om - m) / both if both > 0 else math.inf
                    worst = max(worst, abs(z))
                    count += 1
                    if out:
                        out.writerow([experiment, policy, r["horizon"], arm, m, s, om, os_, f"{z:.2f}"])
                o = ours[policy, int(r["horizon"]), int(r["optimal_arm"])]
                if o["optimal"] != "1":
                    worst = math.inf
            check(worst < 4 and count > 0,
                  f"{experiment} {policy}: {count} cells, largest |z| {worst:.2f}, {replications} replications")
finish()
