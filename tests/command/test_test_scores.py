"""Test scores of recorded runs: chosen by validation, scored on test; recomputed from the pulls of every replication."""
import math
import random
import sys

import h5py
import numpy as np

sys.path.insert(0, "tests/support")
from lib import check, close, enter, finish, folder, python_environment, raises, refused, rows, run
from lib import write as write_text

enter(python_environment())
sys.path.insert(0, "sim/python")
import maxk

HOLD = folder()
WHERE = HOLD.name
HORIZONS = [4, 9, 30]
rng = random.Random(9)

# Rows in any order; some test scores are missing; a combined search with its own; one arm shorter than the horizon.
data = {}
for i in range(3):
    for arm, length in (("0", 30), ("1", 30), ("2", 12), ("-1", 40)):
        for r in range(4):
            data[i, arm, r] = [(rng.random(), math.nan if rng.random() < .03 else rng.random()) for _ in range(length)]


def write(name, columns, sign):
    lines = [f"{i},c{arm},{arm},{r},{t},{sign * x!r},{'' if math.isnan(y) else repr(sign * y)}\n"
             for (i, arm, r), s in data.items() for t, (x, y) in enumerate(s)]
    if name == "shuffled.csv":
        rng.shuffle(lines)
    with open(f"{WHERE}/{name}", "w") as f:
        f.write(f"instance,classifier,arm_index,repetition,iteration,{columns}\n")
        f.writelines(lines)


def result(name, *options):
    with open(f"{WHERE}/{name}.yaml", "w") as f:
        f.write(f"problem: {{trajectories: {name}, ends_early: hold}}\n"
                f"policies: [max_ucb, random, oracle]\nhorizons: {HORIZONS}\n")
    run("run", f"{WHERE}/{name}.yaml", "-o", f"{WHERE}/{name}.h5", *options)
    run("export", f"{WHERE}/{name}.h5", "--csv", f"{WHERE}/{name}.x")
    return {table: rows(open(f"{WHERE}/{name}.x/{table}.csv").read()) for table in ("incumbent", "pulls", "max_reward")}


write("plain.csv", "reward,test_reward", 1)
write("shuffled.csv", "reward,test_reward", 1)
write("losses.csv", "loss,test_loss", -1)
write("metrics.csv", "loss,metrics.test_loss", -1)
made = {name: result(name) for name in ("plain.csv", "shuffled.csv", "losses.csv", "metrics.csv")}
place = lambda row: (row["policy"], row["instance"], int(row["horizon"]), int(row["replication"]))
pulls = {}
for row in made["plain.csv"]["pulls"]:
    pulls.setdefault(place(row), {})[int(row["arm"])] = int(row["pulls"])
wrong = hidden = combined = 0
for row in made["plain.csv"]["incumbent"]:
    policy, instance, horizon, r = place(row)
    if "-1" in policy:
        seen, combined = data[int(instance), "-1", r][:horizon], combined + 1
    else:
        seen = [x for k in range(3) for x in data[int(instance), str(k), r][:pulls[place(row)][k]]]
    want = max(seen, key=lambda x: x[0])[1]
    hidden += math.isnan(want)
    wrong += (row["incumbent"] == "") != math.isnan(want) or not (math.isnan(want) or close(row["incumbent"], want))
check(not wrong and hidden and combined == 36, f"{len(made['plain.csv']['incumbent'])} test scores of what was chosen, {hidden} "
      f"of them unknown, {combined} of a combined search")
check(made["plain.csv"]["incumbent"] == made["shuffled.csv"]["incumbent"], "the same of rows in any order")
check(all(a["incumbent"] == b["incumbent"] or close(a["incumbent"], b["incumbent"], 1e-15) for a, b in
          zip(made["plain.csv"]["incumbent"], made["losses.csv"]["incumbent"])), "test_loss is -test_reward")
check(made["metrics.csv"]["incumbent"] == made["losses.csv"]["incumbent"], "a metric test_loss of maxk tune")

# The means of summary and rank; replications whose score is not known do not count in rank.
scores = {}
for row in made["plain.csv"]["incumbent"]:
    scores.setdefault(place(row)[:3], []).append(float(row["incumbent"] or "nan"))
known = {key: [x for x in of if not math.isnan(x)] for key, of in scores.items()}
table = rows(run("rank", f"{WHERE}/plain.csv.h5", "--score", "incumbent", "--layout", "tasks", "--csv"))
check(table and all(close(r["mean_incumbent"], sum(x) / len(x)) for r in table
      for x in [known[r["policy"], r["instance"], int(r["horizon"])]]), "rank --score incumbent: means of the test scores")
beside = rows(run("rank", f"{WHERE}/plain.csv.h5", "--csv", "--resamples", "0"))
means = {}
for (policy, instance, horizon), of in known.items():
    means.setdefault((policy, horizon), []).append(sum(of) / len(of) if of else math.nan)
check(hidden and all(close(r["mean_incumbent"], sum(of) / len(of)) for r in beside
      for of in [means[r["policy"], int(r["horizon"])]]),
      "rank: mean_incumbent is the mean over the instances of those that are known")
summary = rows(run("summary", f"{WHERE}/plain.csv.h5", "--csv"))
check(all(close(r["mean_incumbent"], sum(x) / 4) if not math.isnan(sum(x)) else r["mean_incumbent"] == "" for r in summary
          for x in [scores[r["policy"], r["instance"], int(r["horizon"])]]), "summary: means of the test scores")

check(all(close(r["optimism"], float(r["mean_max"]) - float(r["mean_incumbent"]), 1e-9) if r["mean_incumbent"] else
          r["optimism"] == "" for r in summary), "and how much lower they are")
page = f"{WHERE}/page.html"
run("report", f"{WHERE}/plain.csv.h5", "-o", page)
largest = {}
for row in made["plain.csv"]["max_reward"]:
    largest.setdefault(place(row)[:3], []).append(float(row["max_reward"]))
lower = {}
for (policy, instance, horizon), of in scores.items():
    if horizon == HORIZONS[-1] and not math.isnan(sum(of)):
        lower.setdefault(policy, []).append(sum(largest[policy, instance, horizon]) / 4 - sum(of) / 4)
lower = {policy: sum(of) / 3 for policy, of in lower.items() if len(of) == 3}  # known of every instance
ends = sorted(lower, key=lower.get)
say = f"by {lower[ends[0]]:.4g} under {ends[0]}"
if len(ends) > 1:
    say += f" (the smallest) to {lower[ends[-1]]:.4g} under {ends[-1]} (the largest)."
text = open(page).read()
check(f"The test scores of the configurations with the largest rewards are lower than these (optimism), in the mean over the "
      f"instances {say}" in text and ">optimism<" in text, f"the page: {say}")

unknown = {}
for (policy, instance, horizon), of in scores.items():
    unknown[policy, instance, horizon] = sum(map(math.isnan, of))
most = max(unknown.values())
for option in ((), ("--score", "incumbent")):
    said = next((x for x in run("rank", f"{WHERE}/plain.csv.h5", *option).split("\n") if "runs to a horizon" in x), "")
    check(f"of {4 * len(unknown)} runs to a horizon, {sum(unknown.values())} end" in said and f": {most} of 4 rep" in said and
          most, f"rank {' '.join(option)} says how many test scores are not known: {said}")

for part in "12":
    run("run", f"{WHERE}/plain.csv.yaml", "-o", f"{WHERE}/m{part}.h5", "--shard", f"{part}/2")
run("merge", f"{WHERE}/m1.h5", f"{WHERE}/m2.h5", "-o", f"{WHERE}/m.h5")
run("export", f"{WHERE}/m.h5", "--csv", f"{WHERE}/m.x")
check(rows(open(f"{WHERE}/m.x/incumbent.csv").read()) == made["plain.csv"]["incumbent"], "the same of two merged shards")
with open(f"{WHERE}/none.csv", "w") as f:
    f.write("instance,arm,repetition,iteration,reward\n")
    f.writelines(f"a,k{k},0,{t},{rng.random()}\n" for k in range(2) for t in range(9))
with open(f"{WHERE}/none.yaml", "w") as f:
    f.write("problem: {trajectories: none.csv}\npolicies: [max_ucb, random]\nhorizons: [4, 9]\n")
run("run", f"{WHERE}/none.yaml", "-o", f"{WHERE}/none.h5")
refused("results without test scores", "test scores", "rank", f"{WHERE}/none.h5", "--score", "incumbent")
with open(f"{WHERE}/bad.csv", "w") as f:
    f.write("instance,arm,repetition,iteration,reward,test_reward\na,k,0,0,.5,1e101\n")
refused("a test score out of range", "bad.csv:2:12: test_reward:", "survey", f"{WHERE}/bad.csv")

# ---- the same as arrays: of HDF5 files, and of Python ----
SHAPE = (3, 3, 4, 40)
value = np.full((2, *SHAPE), np.nan)
for (i, arm, r), s in data.items():
    if arm != "-1":
        value[:, i, int(arm), r, :len(s)] = np.array(s).T
spent = np.where(np.isnan(value[0]), np.nan, np.random.default_rng(3).uniform(.5, 2, SHAPE))
problem = {"ends_early": "hold"}


def array_file(name, **sets):
    with h5py.File(f"{WHERE}/{name}.h5", "w") as f:
        for key, of in sets.items():
            f[key] = of
    return {"problem": {"trajectories": f"{WHERE}/{name}.h5", **problem}, "policies": ["max_ucb", "random"], "horizons": HORIZONS}


def numbers_of(experiment, **options):
    result = maxk.run(experiment, overrides={"seed": 1}, **options)
    return result.incumbent


keep = {(row["policy"], int(row["instance"]), int(row["horizon"]), int(row["replication"])): float(row["incumbent"] or "nan")
        for row in made["plain.csv"]["incumbent"]}
want = np.array([[[[keep[p, i, h, r] for r in range(4)] for h in HORIZONS] for i in range(3)] for p in ("max_ucb", "random")])
same = lambda a, b: np.array_equal(a, b, equal_nan=True)
check(same(numbers_of(array_file("both", reward=value[0], test_reward=value[1])), want) and np.isnan(want).any(),
      "an array test_reward: the test scores of the rows")
check(same(numbers_of(array_file("losses", reward=value[0], test_loss=-value[1])), want), "an array test_loss")
arrays = {"policies": ["max_ucb", "random"], "horizons": HORIZONS, "problem": problem}
check(same(numbers_of(arrays, rewards=value[0], test_rewards=value[1]), want), "maxk.run(test_rewards=…), Result.incumbent")
at = [axis.ravel() for axis in np.indices(SHAPE)]
there = ~np.isnan(value[0].ravel())
columns = {name: axis[there] for name, axis in zip(("instance", "arm", "repetition", "iteration"), at)}
columns.update(reward=value[0].ravel()[there], test_loss=-value[1].ravel()[there])
check(same(numbers_of(arrays, rewards=columns), want), "columns with test_loss")
check(maxk.run(arrays, rewards=value[0]).incumbent is None, "without test scores there are none")
with open(f"{WHERE}/costs.csv", "w") as f:
    f.write("instance,arm,repetition,iteration,reward,test_reward,cost\n")
    f.writelines(f"{i},{k},{r},{t},{value[0, i, k, r, t]!r},{value[1, i, k, r, t]!r},{spent[i, k, r, t]!r}\n"
                 for i, k, r, t in zip(*at) if not np.isnan(value[0, i, k, r, t]))
maxk.run(arrays, rewards=value[0], costs=spent, test_rewards=value[1], output=f"{WHERE}/costs.h5")
files = [f"{WHERE}/costs.csv", write_text(f"{WHERE}/costs.yaml", f"problem: {{trajectories: {WHERE}/costs.h5.rewards.h5}}\n"),
         f"{WHERE}/costs.h5.rewards.h5"]
options = ("--horizon", "14", "--costs", "--ends-early", "hold", "--csv")
advised = [run("recommend", name, *options) for name in files]
check(advised[0] == advised[1] == advised[2] and "optimism" in advised[0], "costs=…: recommend has them as from rows")
for command in ("survey", "tails", "lu", "gap"):
    both = [run(command, name, "--ends-early", "hold", "--csv") for name in files[1:]]
    check(both[0] == both[1], f"{command} takes the array itself")
by_python = maxk.table("recommend", files[0], horizon=14, costs=True, ends_early="hold", score="incumbent")
printed = rows(run("recommend", files[0], *options, "--score", "incumbent"))
check([float(x) for x in by_python["loss"]] == [float(row["loss"]) for row in printed] != [float(row["loss"]) for row in
      rows(advised[0])], "maxk.table(\"recommend\", score=\"incumbent\")")
for what, part, options in (
        ("a shape of its own", "costs: expected an array of the shape of rewards, (3, 3, 4, 40), got (2, 3, 4, 40)",
         {"costs": spent[:2]}),
        ("a cost of 0", "cost[2, 1, 3, 5]: expected a number > 0, got 0", {"costs": np.where(
            (at[0] == 2) & (at[1] == 1) & (at[2] == 3) & (at[3] == 5), 0, np.nan_to_num(spent.ravel(), nan=1)).reshape(SHAPE)}),
        ("a missing cost", "cost[0, 0, 0, 0]: expected a number > 0, got nan", {"costs": value[0] * np.nan}),
        ("an infinite test score", "test_reward[0, 0, 0, 0]: expected a number from", {"test_rewards": value[0] + np.inf})):
    raises(maxk.InputError, what, part, maxk.run, arrays, rewards=value[0], **options)
raises(maxk.InputError, "costs beside columns", "costs, test_rewards: they belong to an array", maxk.run, arrays, rewards=columns,
       costs=spent)
raises(maxk.InputError, "costs of nothing", "they belong to `rewards`", maxk.run, arrays, costs=spent)
array_file("small", reward=value[0], test_reward=value[1, :2])
refused("an array of another size", "test_reward: expected as many instances", "survey",
        write_text(f"{WHERE}/small.yaml", f"problem: {{trajectories: {WHERE}/small.h5}}\n"))
finish()
