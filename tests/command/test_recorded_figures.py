"""The data of the figures of recorded runs against NumPy: pulls against theory (Figure E.5), pulls of the best arm, shift."""
import os, re, subprocess, sys

import h5py
import numpy as np

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, rows, run, write

I, K, R, N, T, ALPHA = 5, 4, 3, 60, 40, 0.7


def curves(path):
    """label -> [x, y, lo, hi] of every curve of a .dat file"""
    out, name = {}, ""
    for line in open(path):
        if line.startswith("# curve"):
            name = line.split(": ", 1)[1].strip() if ": " in line else line.split(":")[0]
            out[name] = []
        elif line.strip() and not line.startswith("#"):
            out[name].append([float(v) for v in line.split()])
    return {k: np.array(v) for k, v in out.items()}


with folder() as d:
    rng = np.random.default_rng(5)
    # Arms that end near each other, one that rises, so that gaps are small, large and zero.
    x = rng.beta(2, 1 + np.arange(K)[None, :, None, None], (I, K, R, N))
    x = np.round(x + 0.002 * np.arange(N) * (np.arange(I)[:, None, None, None] == 2), 4)
    with open(f"{d}/data.csv", "w") as f:
        f.write("instance,arm,repetition,iteration,reward\n")
        for i, k, r, n in np.ndindex(I, K, R, N):
            f.write(f"i{i},a{k},{r},{n},{x[i, k, r, n]}\n")
    with open(f"{d}/e.yaml", "w") as f:
        f.write(f"name: e\nproblem: {{trajectories: {d}/data.csv}}\n"
                f"policies: [{{name: max_ucb, alpha: {ALPHA}, scale: minmax}}, random, "
                f"{{name: max_ucb_burn_in, scale: minmax}}]\nhorizons: [{T}]\n")
    run("run", f"{d}/e.yaml", "-o", f"{d}/e.h5", "-q")
    run("figures", f"{d}/e.h5", "--out", f"{d}/fig")
    with h5py.File(f"{d}/e.h5") as f:
        pulls = {n: f[f"policies/{n}/pulls"][:, 0].astype(float) for n in f["policies"]}  # [instance][repetition][arm]

    # Figure E.5, L from `maxk lu`, which is tested elsewhere.
    low, high = x.min(axis=(1, 3), keepdims=True), x.max(axis=(1, 3), keepdims=True)
    unit = (x - low) / (high - low)
    best = unit[..., :T].max(axis=3).mean(axis=2)
    L = {(r["instance"], int(r["arm"])): float(r["L"])
         for r in rows(run("lu", f"{d}/data.csv", "--normalise", "--estimator", "plugin", "--csv"))}
    observed = [[] for _ in range(K)]
    theory = {name: [[] for _ in range(K)]
              for name in ("first term, root of gap", "first term as plotted, gap", "sum of t^-p, root of gap")}
    t = np.arange(1, T + 1.0)
    for i in range(I):
        order = sorted(range(K), key=lambda k: (-best[i, k], k))
        for rank, k in enumerate(order):
            observed[rank].append(pulls["max_ucb"][i, :, k].mean())
            if not rank:
                continue
            gap = best[i, order[0]] - best[i, k]
            p = [2 * L[f"i{i}", order[0]] * ALPHA * g for g in (gap ** 0.5, gap)]
            for name, q in zip(theory, p):
                if q < 1:
                    theory[name][rank].append(T ** (1 - q) / (1 - q))
            # min over l of l + the sum from l on; terms are at most 1, so that l = 1 is best
            theory["sum of t^-p, root of gap"][rank].append(1 + (t ** -p[0]).sum() if p[0] > 0 else T + 1)
    got = curves(f"{d}/fig/e_pulls_theory_max_ucb.dat")
    close = lambda a, b: np.allclose(a, b, rtol=1e-9)
    check(close(got["observed"][:, 1], [np.mean(v) for v in observed]), "pulls by rank")
    band = [1.959963984540054 * np.std(v, ddof=1) / I ** 0.5 for v in observed]
    check(close(got["observed"][:, 3] - got["observed"][:, 1], band), "their error")
    for name, want in theory.items():
        have = {int(row[0]): row[1] for row in got[name] if row[0] == row[0]}
        want = {k + 1: np.mean(v) for k, v in enumerate(want) if v}
        check(have.keys() == want.keys() and all(close(have[k], want[k]) for k in want), f"{name} {have} {want}")

    # Pulls of the best arm.
    raw = x[..., :T].max(axis=3).mean(axis=2).argmax(axis=1)
    values = {n: np.concatenate([p[i, :, raw[i]] for i in range(I)]) for n, p in pulls.items()}
    names = sorted(values, key=lambda n: -values[n].mean())
    got = list(curves(f"{d}/fig/e_best_pulls.dat").values())
    check(close(got[0][:, [0, 2, 3]], [np.quantile(values[n], [0.5, 0.25, 0.75]) for n in names]) and
          close(got[1][:, 0], [values[n].mean() for n in names]), f"pulls of the best arm, {names}")

    with h5py.File(f"{d}/e.h5") as f:
        shift = np.sort(f["problem/shift"][:])
    check(close(list(curves(f"{d}/fig/e_shift.dat").values())[0][:, 1], shift), "shift of every instance")

    # Repetitions that differ between instances, and an oracle, which some figures leave out.
    kept = [R, R - 1] + [R] * (I - 2)
    with open(f"{d}/data.csv") as f, open(f"{d}/fewer.csv", "w") as out:
        out.writelines(line for line in f if not line.startswith(f"i1,a2,{R - 1},"))
    write(f"{d}/u.yaml", f"name: u\nproblem: {{trajectories: {d}/fewer.csv}}\n"
                         f"policies: [uniform, oracle, random]\nhorizons: [10, {T}]\n")
    run("run", f"{d}/u.yaml", "-o", f"{d}/u.h5", "-q")
    found = {(r["policy"], r["instance"], int(r["horizon"])): r
             for r in rows(run("exceed", f"{d}/u.h5", "--above", "0.8", "--csv", "--out", f"{d}/fig"))}
    drawn, wrong = curves(f"{d}/fig/u_exceed.dat"), 0
    with h5py.File(f"{d}/u.h5") as f:
        for policy in f["policies"]:
            for h, horizon in enumerate((10, T)):
                count = [[sum((x[i, k, r, :int(f[f"policies/{policy}/pulls"][i, h, r, k])] > 0.8).sum() for k in range(K))
                          for r in range(kept[i])] for i in range(I)]
                mean, error = [np.mean(c) for c in count], [np.std(c, ddof=1) / len(c) ** 0.5 for c in count]
                for i in range(I):
                    row = found[policy, f"i{i}", horizon]
                    wrong += not (int(row["replications"]) == kept[i] and close(float(row["mean_above"]), mean[i]) and
                                  close(float(row["se_above"]), error[i]))
                half = 1.959963984540054 * np.sqrt(np.sum(np.square(error))) / I
                wrong += not close(drawn[policy][h], [horizon, np.mean(mean), np.mean(mean) - half, np.mean(mean) + half])
    check(not wrong, f"rewards above 0.8, of {kept} repetitions, and their mean over the instances: {wrong} wrong")
    run("figures", f"{d}/u.h5", "--only", "rank", "--out", f"{d}/fig")
    looks = [[re.search(r"rgb '(\S+)'", line).group(1) for line in open(f"{d}/fig/u_{name}.gp") if "title 'random'" in line]
             for name in ("rank", "pulls_by_rank")]
    check(looks[0] and looks[0] == looks[1], f"a policy keeps its colour where the oracle is left out: {looks}")

    # The rewards no longer exist: every other figure is drawn, and one line says why this one is not.
    os.remove(f"{d}/data.csv")
    p = subprocess.run([MAXK, "figures", f"{d}/e.h5", "--out", f"{d}/less"], capture_output=True, text=True)
    check(p.returncode == 0 and p.stderr.count("\n") == 1 and "data.csv" in p.stderr and "pulls_theory" not in p.stdout and
          "best_pulls" in p.stdout, "without the recorded rewards")
finish()
