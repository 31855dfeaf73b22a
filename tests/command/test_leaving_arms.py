"""ends_early: leave, and exhausted: leave of tune files. An arm whose recorded rewards have been pulled, or whose configurations
have all been tried, is no longer chosen: MaxUCB pull for pull against a replay from the definition, every policy within the
recorded lengths and, as long as no arm ends, as without the rule; the arms of the trials of a tune file, and of maxk.Study."""
import csv, itertools, math, os, random, subprocess, sys

import h5py

sys.path.insert(0, "tests/support")
from lib import MAXK, check, enter, finish, folder, python_environment, raises, refused, rows, run

enter(python_environment())
sys.path.insert(0, "sim/python")
import maxk

INSTANCES, ARMS, REPETITIONS, HORIZONS = 3, 4, 2, [12, 40, 90]
SHORT = (3, 9, 17, 40)  # 69 rewards in all: none is left at T = 90
NEEDED = {"bayes_max": ", candidates: [{family: beta, a: 2, b: 1}, {family: uniform, lo: 0, hi: 1}]"}


def recorded(path, costs=False):
    """Lengths differ by instance and repetition, and the best arm is a short one."""
    luck, data = random.Random(11), {}
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["instance", "arm", "repetition", "iteration", "reward"] + ["cost"] * costs)
        for i in range(INSTANCES):
            for k in range(ARMS):
                for r in range(REPETITIONS):
                    n = SHORT[(k + i + r) % ARMS]
                    data[i, k, r] = [round(luck.random() * (1 if n < 20 else .7), 6) for _ in range(n)]
                    for t, x in enumerate(data[i, k, r]):
                        out.writerow([f"i{i}", f"a{k}", r, t, x] + [k + 1] * costs)
    return data


def replay(series, T, alpha):
    """Arms that MaxUCB with scale minmax pulls: it starts again without an arm that it would pull beyond its end, and gets the
    earlier rewards of the others first."""
    left, pulls, out = list(range(ARMS)), [0] * ARMS, []
    while left and len(out) < T:
        used, t, gone = [0] * ARMS, 0, None
        while gone is None and len(out) < T:
            t += 1
            if t <= len(left):
                arm = left[t - 1]
            else:
                seen = [x for k in left for x in series[k][:used[k]]]
                R = (max(seen) - min(seen)) / .98 or 1
                index = [max(series[k][:used[k]]) + R * (alpha * math.log(t) / used[k])**2 for k in left]
                arm = left[index.index(max(index))]
            if used[arm] == len(series[arm]):
                gone = arm
            else:
                if used[arm] == pulls[arm]:
                    pulls[arm] += 1
                    out.append(arm)
                used[arm] += 1
        if gone is not None:
            left.remove(gone)
    return out


def experiment(d, file, policies, rule="leave", horizons=HORIZONS):
    path = os.path.join(d, f"{rule}.yaml")
    with open(path, "w") as f:
        f.write(f"problem: {{trajectories: {file}, ends_early: {rule}}}\npolicies: [{', '.join(policies)}]\n"
                f"horizons: {horizons}\nreplications: {REPETITIONS}\nseed: 5\n")
    return path


def play(path, h5, threads="2"):
    """{policy: ([instance][horizon][replication][arm] pulls, the largest rewards)}"""
    run("run", path, "-o", h5, "-q", "--force", "--threads", threads)
    with h5py.File(h5) as f:
        return {p: (f[f"policies/{p}/pulls"][:].tolist(), f[f"policies/{p}/max_reward"][:].tolist()) for p in f["policies"]}


with folder() as d:
    data, h5 = recorded(os.path.join(d, "runs.csv")), os.path.join(d, "r.h5")
    lengths = {(i, r): [len(data[i, k, r]) for k in range(ARMS)] for i in range(INSTANCES) for r in range(REPETITIONS)}
    own = [f"{{name: max_ucb, alpha: {a}, scale: minmax, label: own {n}}}" for n, a in enumerate((.5, 2))]
    names = [r["policy"] for r in rows(run("list", "policies", "--csv"))]
    every = [f"{{name: {p}{NEEDED.get(p, '')}}}" for p in names]
    path = experiment(d, "runs.csv", own + every)
    got = play(path, h5)
    check(play(path, h5, "1") == got, "the same for one thread and two")
    for n, alpha in enumerate((.5, 2)):
        pulls, best = got[f"own {n}"]
        same = total = 0
        for (i, r), _ in lengths.items():
            for h, T in enumerate(HORIZONS):
                arms = replay([data[i, k, r] for k in range(ARMS)], T, alpha)
                want = [arms.count(k) for k in range(ARMS)]
                top = max(x for k in range(ARMS) for x in data[i, k, r][:want[k]])
                same += pulls[i][h][r] == want and best[i][h][r] == top
                total += 1
        check(same == total, f"max_ucb, alpha {alpha}: pulls and largest rewards as in the replay in {same} of {total} cells")
    for p in names:
        cells = [(pulls, lengths[i, r], HORIZONS[h]) for i, a in enumerate(got[p][0]) for h, b in enumerate(a)
                 for r, pulls in enumerate(b)]
        good = all(sum(pulls) == min(T, sum(most)) and all(n <= m for n, m in zip(pulls, most)) for pulls, most, T in cells)
        check(good, f"{p}: no arm past its end, and all {len(cells)} cells have T pulls or all that there are")
    early = [12]
    with open(os.path.join(d, "long.csv"), "w") as f:
        for line in open(os.path.join(d, "runs.csv")):
            f.write(line)
        for k in range(ARMS):  # one long instance: the rule is in force, and no arm ends there
            f.writelines(f"long,a{k},{r},{t},{math.sin(99 * k + 7 * r + t * t)}\n" for r in range(REPETITIONS) for t in range(12))
    left, held = (play(experiment(d, "long.csv", every, rule, early), h5) for rule in ("leave", "hold"))
    check(all(left[p][0][-1] == held[p][0][-1] for p in names), "where no arm ends, every policy pulls as without the rule")
    traced = [int(r["arm"]) for r in rows(run("trace", experiment(d, "runs.csv", own), "--policy", "own 0"))]
    check(traced == replay([data[0, k, 0] for k in range(ARMS)], 90, .5), f"trace: {len(traced)} pulls as in the replay")
    recorded(os.path.join(d, "dear.csv"), costs=True)
    refused("a budget of its own", "leave: expected policies without a budget of their own", "run",
            experiment(d, "dear.csv", ["{name: rising_bandit_cost, budget: 20}"]), "-q")
    out = run("recommend", os.path.join(d, "dear.csv"), "--costs", "--horizon", "60", "--ends-early", "leave", "--csv")
    check(len(rows(out)) > 10, "recommend with costs on arms that leave")

TUNE = """command: [echo, "1"]
metric: {last_number: true, maximize: true}
arms: [{label: a, space: {x: {integer: [7, 9]}, y: {categorical: [u, v]}}}, {label: b, space: {z: {integer: [1, 3]}}},
  {label: c, space: {w: {real: [0, 5]}}}]
optimizer: random
policy: uniform
budget: {evaluations: 60}
"""


def tune(d, name, text, *options):
    """[(arm, configuration)] of the trials."""
    with open(os.path.join(d, f"{name}.yaml"), "w") as f:
        f.write(text)
    done = subprocess.run([MAXK, "tune", f"{name}.yaml", "-o", f"{name}.h5", *options], cwd=d, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    return [(r["arm"], r["configuration"]) for r in rows(open(os.path.join(d, f"{name}.csv")).read())]


def uniform(trials, sizes):
    """The arms that the policy `uniform` has chosen, if each leaves with its last untried configuration."""
    left, asked, out = list(sizes), {k: [] for k in sizes}, []
    own = {k: [v for arm, v in trials if arm == k] for k in sizes}
    while len(out) < len(trials):
        used, t, gone = {k: 0 for k in sizes}, 0, None
        while gone is None and len(out) < len(trials):
            k = left[t % len(left)]
            if used[k] == len(asked[k]) and len(set(asked[k])) == sizes[k]:
                gone = k
                continue
            if used[k] == len(asked[k]):
                if len(asked[k]) == len(own[k]):
                    return out + [k]
                asked[k].append(own[k][len(asked[k])])
                out.append(k)
            used[k] += 1
            t += 1
        if gone:
            left.remove(gone)
    return out


with folder() as d:
    leaving, sizes = TUNE + "exhausted: leave\n", {"a": 6, "b": 3, "c": math.inf}
    trials = tune(d, "one", leaving)
    check(len(trials) == 60 and [arm for arm, _ in trials] == uniform(trials, sizes),
          f"tune: {len(trials)} trials, their arms as in the replay: {[sum(arm == k for arm, _ in trials) for k in sizes]}")
    check(tune(d, "more", leaving, "-s", "workers=4") == trials, "tune: the same trials with four workers")
    same = tune(d, "repeat", TUNE)
    check([sum(arm == k for arm, _ in same) for k in sizes] == [20, 20, 20],
          "tune: without the key all arms are chosen to the end")
    finite = leaving.replace("{w: {real: [0, 5]}}", "{w: {integer: [0, 4]}}").replace("random", "grid")
    trials = tune(d, "finite", finite)
    check(len(trials) == len(set(trials)) == 6 + 3 + 5, "tune: no more trials than configurations, with a grid each once")
    for optimizer in ("random", "tpe", "evolution", "gp", "rf", "cma_es"):
        trials = tune(d, optimizer, finite.replace("grid", optimizer), "-s", "workers=2")
        check(len(trials) == len(set(trials)) == 6 + 3 + 5, f"tune: every configuration once with {optimizer}: {trials}")
    trials = tune(d, "first", finite.replace("grid", "random") + "first: [{arm: a, x: 8, y: v}]\n")
    check(len(trials) == len(set(trials)) == 6 + 3 + 5, f"tune: every configuration once after one tried first: {trials}")
    bare = leaving.replace("{z: {integer: [1, 3]}}", "{}")
    trials = tune(d, "bare", bare)
    check(len(trials) == 60 and [c for arm, c in trials if arm == "b"] == ["{default: true}"],
          f"tune: an arm without hyperparameters has one configuration: {trials if isinstance(trials, str) else trials[:4]}")
    text = tune(d, "joint", leaving.replace("policy: uniform", "combined: {optimizer: random}"))
    check("exhausted: leave: expected a policy" in text, f"tune: a combined search: {text}")

    # ---- conditions, forbidden combinations and ends that depend on others ----
    depends = leaving[:leaving.index("arms:")] + """arms:
  - {label: a, space: {x: {integer: [1, 4]}, y: {categorical: [u, v, w], when: {x: [2, 3]}}, z: {integer: [0, x]},
      forbid: [{y: v, z: 1}, {x: 4, z: [0, 2]}]}}
  - {label: b, space: {n: {ordinal: [1, 2, 4]}}}
optimizer: random
policy: uniform
budget: {evaluations: 90}
exhausted: leave
"""
    wanted = {("b", f"{{n: {n}}}") for n in (1, 2, 4)}
    for x, y, z in itertools.product(range(1, 5), "uvw", range(5)):
        if z <= x and not (x in (2, 3) and y == "v" and z == 1) and not (x == 4 and z in (0, 2)):
            wanted.add(("a", f"{{x: {x}, y: {y}, z: {z}}}" if x in (2, 3) else f"{{x: {x}, z: {z}}}"))
    for optimizer in ("random", "tpe", "gp", "evolution", "grid"):
        trials = tune(d, f"depends_{optimizer}", depends.replace("random", optimizer), "-s", "workers=3")
        check(len(trials) == len(wanted) and set(trials) == wanted,
              f"tune: every allowed configuration once with {optimizer}: {len(trials)}, {len(set(trials))} of {len(wanted)}")
    with open(os.path.join(d, "depends_grid.csv")) as f, open(os.path.join(d, "some.csv"), "w") as to:
        to.writelines(f.readlines()[:8])
    trials = tune(d, "added", depends, "--add", "some.csv")
    check(len(trials) == len(wanted) and set(trials) == wanted, f"tune: with seven of them added, the others: {len(trials)}")

    # ---- maxk.Study ----
    space = {"k": maxk.Categorical(["p", "q", "r"]), "n": maxk.Integer(1, 4, when={"k": ["p", "q"]})}
    configurations = {("p", n) for n in range(1, 5)} | {("q", n) for n in range(1, 5)} | {("r", None)}

    def study(**options):
        return maxk.Study({"a": space, "b": {"x": maxk.Integer(0, 2)}}, path=f"{d}/s.h5", optimizer="random", seed=2, n_trials=50,
                          **options)

    def tried(one):
        return [(t.arm, t.params.get("k", t.params.get("x")), t.params.get("n")) for t in one.trials]

    wanted = {("a", *one) for one in configurations} | {("b", x, None) for x in range(3)}
    one = study(exhausted="leave")
    one.optimize(lambda t: t.number % 5, n_trials=7)
    one.close()
    again = study(exhausted="leave", resume=True)
    again.optimize(lambda t: t.number % 5)
    again.optimize(lambda t: t.number % 5, n_trials=20)
    check(len(again) == 12 and set(tried(again)) == wanted, f"Study: every configuration once, in two sessions: {tried(again)}")
    raises(maxk.InputError, "Study: and then none", "all 12 trials have been asked for", again.ask)
    again.close()
    opened = maxk.Study.open(f"{d}/s.h5")
    opened.optimize(lambda t: 0, n_trials=20)
    check(len(opened) == 12, f"Study.open: nor after it is opened again: {len(opened)}")
    opened.close()
    added = study(exhausted="leave", force=True)
    added.add_trials([{"arm": "b", "params": {"x": x}, "value": x} for x in (0, 2)])
    added.optimize(lambda t: t.number % 5)
    check(len(added) == 12 and set(tried(added)) == wanted, f"Study: the others after two earlier results: {tried(added)}")
    added.close()
    with maxk.Study({"a": space}, optimizer="random", n_trials=30) as repeats:
        repeats.optimize(lambda t: 0)
        check(len(repeats) == 30, "Study: without the argument they repeat")
    raises(maxk.InputError, "Study: without a number of trials", "exhausted: leave: expected a policy, n_trials",
           maxk.Study, {"a": space}, exhausted="leave")
    raises(maxk.InputError, "Study: another word", "exhausted: expected one of repeat, leave", maxk.Study, {"a": space},
           n_trials=9, exhausted="stop")
finish()
