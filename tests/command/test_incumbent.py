"""Values without noise of noisy searches: beside the largest reward in run, record, summary, export and rank. What they
have to be is worked out from recordings: random search asks for the same configurations with and without noise."""
import csv, os, sys

import h5py
import numpy as np

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, refused, rows, run

# KIND: the objective and its noise; an optimiser below.
EXPERIMENT = """problem:
  instances: 2
  searches:
    - {{repeat: 3, objective: {{{objective}, arm: "{{i}}"}}, optimizer: {optimizer}, label: "arm {{i}}"}}
combined: [{{optimizer: {optimizer}, label: joint}}]
policies: [{{name: max_ucb}}, {{name: uniform}}]
horizons: [5, 40]
replications: 3
"""


def experiment(path, objective, optimizer="random"):
    with open(path, "w") as f:
        f.write(EXPERIMENT.format(objective=objective, optimizer=optimizer))
    return path


def recording(path):
    with open(path) as f:
        return list(csv.DictReader(f))


def incumbents(table, h5):
    """[policy][instance, horizon, replication] from the recording and the pulls; the largest difference from the result."""
    series, far = {}, 0
    for r in table:
        at = (int(r["instance"]), int(r["repetition"]), int(r["arm_index"]))
        series.setdefault(at, []).append((-float(r["loss"]), -float(r["loss_noise_free"])))
    with h5py.File(h5) as f:
        for policy in f["policies"].values():
            pulls, got, most = policy["pulls"][:], policy["incumbent"][:], policy["max_reward"][:]
            is_joint = policy.name.endswith("joint")
            for at in np.ndindex(got.shape):
                i, h, r = at
                T = (5, 40)[h]
                seen = series[i, r, -1][:T] if is_joint else sum((series[i, r, k][:pulls[at][k]] for k in range(3)), [])
                reward, value = max(seen, key=lambda s: s[0])
                far = max(far, abs(reward - most[at]), abs(value - got[at]))
    return far


with folder() as d:
    for name, noise, none in (("cash", "name: cash, noise: 0.2", "name: cash"),
                              ("kfold", "name: kfold, sd: 0.3", "name: kfold, sd: 0")):
        noisy, clean = experiment(f"{d}/noisy.yaml", noise), experiment(f"{d}/clean.yaml", none)
        for file in ("noisy", "clean"):
            run("record", f"{d}/{file}.yaml", "-o", f"{d}/{file}.csv")
        a, b = recording(f"{d}/noisy.csv"), recording(f"{d}/clean.csv")
        check("loss_noise_free" not in b[0], f"{name}: no column without noise")
        check(list(a[0])[-1] == "loss_noise_free" and list(a[0])[:-1] == list(b[0]), f"{name}: the last column of a recording")
        check(len(a) == len(b) == 2 * 3 * 4 * 40 and all(x["configuration"] == y["configuration"] for x, y in zip(a, b)),
              f"{name}: random search asks for the same configurations")
        far = max(abs(float(x["loss_noise_free"]) - float(y["loss"])) for x, y in zip(a, b))
        check(far < 1e-15 and max(abs(float(x["loss"]) - float(y["loss"])) for x, y in zip(a, b)) > .1,
              f"{name}: values without noise are those of the objective without noise ({far:.2g})")
        for file in ("noisy", "clean"):
            run("run", f"{d}/{file}.yaml", "-o", f"{d}/{file}.h5", "-q", "--force")
        far = incumbents(a, f"{d}/noisy.h5")
        check(far < 1e-12, f"{name}: the result has that of the configuration with the largest reward ({far:.2g})")
        with h5py.File(f"{d}/clean.h5") as f:
            check(not any("incumbent" in p for p in f["policies"].values()), f"{name}: nothing is added without noise")

    # Evaluations in part: the reward is of an earlier, whole evaluation, and so is the value without noise.
    experiment(f"{d}/part.yaml", "name: kfold, sd: 0.3", "{name: hyperband, R: 10}")
    run("record", f"{d}/part.yaml", "-o", f"{d}/part.csv", "-s", "horizons=[5, 200]")
    table, of, wrong, parts = recording(f"{d}/part.csv"), {}, 0, 0
    for r in table:
        at = (r["instance"], r["repetition"], r["arm_index"])
        seen = of.setdefault(at, {})
        wrong += seen.setdefault(r["loss"], r["loss_noise_free"]) != r["loss_noise_free"]
        parts += float(r["cost"]) < .9
    check(wrong == 0 and parts > len(table) / 4, f"parts repeat a reward with its value ({wrong} of {parts} do not)")

    # Shards, and a summary, an export and ranks of them.
    h5, args = f"{d}/noisy.h5", ("run", noisy, "-q", "--force")
    for i in "12":
        run(*args, "--shard", f"{i}/2", "-o", f"{d}/{i}.part")
    run("merge", f"{d}/1.part", f"{d}/2.part", "-o", f"{d}/merged.h5")
    with h5py.File(h5) as f, h5py.File(f"{d}/merged.h5") as g:
        values = {k: p["incumbent"][:] for k, p in f["policies"].items()}
        check(all(np.array_equal(g["policies"][k]["incumbent"][:], v) for k, v in values.items()), "the same of two shards")
    told = rows(run("summary", h5, "--csv"))
    check(list(told[0])[-3:] == ["mean_incumbent", "se_incumbent", "optimism"], "the last columns of a summary")
    horizon = {"5": 0, "40": 1}
    cells = [(r, values[r["policy"]][int(r["instance"]), horizon[r["horizon"]]]) for r in told]
    check(all(abs(float(r["mean_incumbent"]) - v.mean()) < 1e-12 and
              abs(float(r["se_incumbent"]) - v.std(ddof=1) / 3 ** .5) < 1e-12 for r, v in cells), "their means and errors")
    check("incumbent" in run("summary", h5).split("\n")[0] and "incumbent" not in run("summary", f"{d}/clean.h5"),
          "a column of the table where there is noise")
    run("export", h5, "--csv", f"{d}/csv")
    check(len(recording(f"{d}/csv/incumbent.csv")) == 3 * 2 * 2 * 3, "a file of the export")
    table = rows(run("rank", h5, "--csv", "--score", "incumbent"))
    check(all(abs(float(r["mean_incumbent"]) - values[r["policy"]][:, horizon[r["horizon"]]].mean()) < 1e-12 for r in table)
          and len(table) == 6, "rank --score incumbent compares them")
    beside = rows(run("rank", h5, "--csv"))
    check([(r["policy"], r["horizon"], round(float(r["mean_incumbent"]), 12)) for r in beside]
          == [(r["policy"], r["horizon"], round(float(r["mean_incumbent"]), 12)) for r in table] and
          all(r["mean_max"] != r["mean_incumbent"] for r in beside) and
          "mean_incumbent" not in rows(run("rank", f"{d}/clean.h5", "--csv"))[0], "and rank has them beside the largest rewards")
    dearer = rows(run("rank", h5, "--csv", "--score", "incumbent", "--budget", "40"))
    check([r["rank"] for r in dearer] == [r["rank"] for r in table if r["horizon"] == "40"], "at equal cost too")
    check("--score incumbent" in run("rank", h5) and "--score incumbent" not in run("rank", f"{d}/clean.h5"),
          "the table of largest rewards says so")
    refused("values without noise of a result that has none", "has neither values without noise", "rank", f"{d}/clean.h5",
            "--score", "incumbent")
finish()
