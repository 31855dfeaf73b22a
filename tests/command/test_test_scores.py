"""Test scores of recorded runs: chosen by validation, scored on test; recomputed from the pulls of every replication."""
import math
import random
import sys

sys.path.insert(0, "tests/support")
from lib import check, close, finish, folder, refused, rows, run

HOLD = folder()
WHERE = HOLD.name
HORIZONS = [4, 9, 30]
rng = random.Random(8)

# Rows in any order; some test scores are missing; a combined search with its own; one arm shorter than the horizon.
data = {}
for i in range(3):
    for arm, length in (("0", 30), ("1", 30), ("2", 12), ("-1", 40)):
        for r in range(4):
            data[i, arm, r] = [(rng.random(), math.nan if rng.random() < .05 else rng.random()) for _ in range(length)]


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
made = {name: result(name) for name in ("plain.csv", "shuffled.csv", "losses.csv")}
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

# The means of summary and rank; replications whose score is not known do not count in rank.
scores = {}
for row in made["plain.csv"]["incumbent"]:
    scores.setdefault(place(row)[:3], []).append(float(row["incumbent"] or "nan"))
known = {key: [x for x in of if not math.isnan(x)] for key, of in scores.items()}
table = rows(run("rank", f"{WHERE}/plain.csv.h5", "--score", "incumbent", "--layout", "tasks", "--csv"))
check(table and all(close(r["mean_incumbent"], sum(x) / len(x)) for r in table
      for x in [known[r["policy"], r["instance"], int(r["horizon"])]]), "rank --score incumbent: means of the test scores")
summary = rows(run("summary", f"{WHERE}/plain.csv.h5", "--csv"))
check(all(close(r["mean_incumbent"], sum(x) / 4) if not math.isnan(sum(x)) else r["mean_incumbent"] == "" for r in summary
          for x in [scores[r["policy"], r["instance"], int(r["horizon"])]]), "summary: means of the test scores")

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
finish()
