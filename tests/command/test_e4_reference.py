"""The E.4 experiments against the published runs' statistics (experiments/data/reference_e4.csv), cell by cell.

Replications: MAXK_E4_REPLICATIONS (default 1500; `make validate` uses 20000). z = difference of the mean pulls of an
arm over the root of both squared standard errors; |z| < 4 has a false-alarm rate of 6e-5 per cell."""
import csv, math, os, subprocess, sys, tempfile

maxk = os.environ.get("MAXK", "build/maxk")
reference = "experiments/data/reference_e4.csv"
replications = int(os.environ.get("MAXK_E4_REPLICATIONS", "1500"))
table = os.environ.get("MAXK_E4_TABLE")

with open(reference) as f:
    rows = list(csv.DictReader(f))
out = csv.writer(open(table, "w")) if table else None
if out:
    out.writerow("experiment policy horizon arm reference se ours se_ours z".split())
bad = 0
with tempfile.TemporaryDirectory() as d:
    for experiment in sorted({r["experiment"] for r in rows}):
        h5 = os.path.join(d, experiment + ".h5")
        subprocess.run([maxk, "run", f"experiments/{experiment}.yaml", "-o", h5, "-q", "-s", f"replications={replications}"],
                       check=True)
        text = subprocess.run([maxk, "summary", h5, "--csv"], check=True, capture_output=True, text=True).stdout
        ours = {}
        for r in csv.DictReader(text.splitlines()):
            ours[r["policy"], int(r["horizon"]), int(r["arm"])] = r
        for policy in sorted({r["policy"] for r in rows if r["experiment"] == experiment}):
            cells = [r for r in rows if r["experiment"] == experiment and r["policy"] == policy]
            if not any(key[0] == policy for key in ours):
                print(f"skip {experiment} has no policy labelled {policy}")
                continue
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
            ok = worst < 4 and count > 0
            bad += not ok
            print(f"{'ok' if ok else 'not ok'} {experiment} {policy}: {count} cells, largest |z| {worst:.2f}, "
                  f"{replications} replications")
sys.exit(bad > 0)
