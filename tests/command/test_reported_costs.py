"""Costs that are reported with results: policies with per_cost by ask and tell, in a study and by maxk tune select the arms of a
replay from the definitions; copies, texts, pickles, failures, resumption; what is refused."""
import csv, math, os, pickle, random, sys
from concurrent.futures import ThreadPoolExecutor

sys.path[:0] = ["tests/support", "sim/python"]
from lib import check, enter, finish, folder, python_environment, raises, refused, rows, run, write

enter(python_environment())
import maxk

ARMS, ROUNDS = 4, 120


def index(rule, name, had, paid, t):
    """The arm of round t: max_ucb or ucb, with per_cost as defined."""
    if t <= ARMS:
        return t - 1
    value = []
    for k in range(ARMS):
        n, u, spent = len(had[k]), t, sum(map(sum, paid))
        if rule == "root":
            n = math.sqrt(n * sum(paid[k]) / (spent / (t - 1)))
        elif rule == "ratio":
            u = 1 + spent / (sum(paid[k]) / n)
        value.append(max(had[k]) + (.5 * math.log(u) / n)**2 if name == "max_ucb" else
                     sum(had[k]) / len(had[k]) + math.sqrt(.5 * math.log(u) / n))
    return value.index(max(value))


def results(seed=3):
    """Reward and cost of pull n of arm k."""
    luck = random.Random(seed)
    dear = [math.exp(luck.gauss(0, 1)) for _ in range(ARMS)]
    return {(k, n): (luck.betavariate(3 + k, 3), dear[k] * math.exp(luck.gauss(0, .4)))
            for k in range(ARMS) for n in range(ROUNDS)}


def replay(rule, name, table, rounds=ROUNDS):
    had, paid, out = [[] for _ in range(ARMS)], [[] for _ in range(ARMS)], []
    for t in range(1, rounds + 1):
        k = index(rule, name, had, paid, t)
        x, c = table[k, len(had[k])]
        had[k].append(x)
        paid[k].append(c)
        out.append(k)
    return out


def played(policy, table, rounds, done=()):
    arms = list(done)
    while len(arms) < rounds:
        k = policy.select()
        x, c = table[k, arms.count(k)]
        policy.update(k, x, cost=c)
        arms.append(k)
    return arms


def with_failures(seed, added):
    """The rounds, up to 40, in which a study and a policy that has its results choose the same arm. Failures have no cost, trials
    that violate a bound have one; at first there are mostly failures."""
    luck, arms = random.Random(seed), "abc"
    study = maxk.Study({k: {"x": maxk.Real(0, 1)} for k in arms}, policy={"name": "max_ucb", "per_cost": "root"}, lag=1,
                       n_trials=40, optimizer="random", metrics=["c", "m"], cost="c", subject_to={"m": {"at_most": 1}})
    policy, text = maxk.Policy("max_ucb", arms=3, per_cost="root"), luck.randrange(40)
    for t in range(40):
        trial = study.ask()
        pull = maxk.Pull(t, policy.select()) if added else policy.ask()
        if arms[pull.arm] != trial.arm:
            return t
        x, c = luck.random(), luck.uniform(.5, 9)
        kind = luck.choices(["good", "failed", "dear"], [.7 if t > 6 else .2, .3, .2])[0]
        if kind == "failed":
            study.fail(trial)
        else:
            study.tell(trial, x, metrics={"c": c, "m": 0 if kind == "good" else 2})
        result = {"reward": x, "cost": c} if kind == "good" else {"failed": True, "cost": c if kind == "dear" else None}
        policy.add(pull.arm, **result) if added else policy.tell(pull, **result)
        if added and t == text:
            policy = maxk.Policy.from_text(policy.to_text())
    return 40


same = [with_failures(seed, added) for seed in range(25) for added in (False, True)]
check(same == [40] * 50, f"failures without a cost: policies and studies choose the same arms {same}")

def first_known(cost):
    """Arms after a failure of arm 0 with this cost, one of arm 1 with cost 9, and rewards."""
    policy = maxk.Policy("max_ucb", arms=3, per_cost="root", alpha=2)
    policy.add(0, failed=True, cost=cost)
    policy.add(1, failed=True, cost=9)
    out = []
    for x in (.5, .7, .6, .1, .2, .3) * 5:
        out.append(policy.select())
        policy.update(out[-1], x, cost=.5)
    return out


check(first_known(None) == first_known(9) != first_known(.5), f"the first cost that is reported: {first_known(None)}")
table = results()
for name in ("max_ucb", "ucb"):
    for rule in ("root", "ratio"):
        want = replay(rule, name, table)
        policy = maxk.Policy(name, ARMS, per_cost=rule)
        half = played(policy, table, 50)
        others = [policy.copy(), pickle.loads(pickle.dumps(policy)), maxk.Policy.from_text(policy.to_text())]
        check(played(policy, table, ROUNDS, half) == want, f"{name}, {rule}: the arms of {ROUNDS} rounds as in the replay")
        check(want != replay("none", name, table), f"{name}, {rule}: costs change them")
        check(all(played(p, table, ROUNDS, half) == want for p in others), f"{name}, {rule}: copy, pickle and text go on alike")

# lag: results wait until the policy selects their arm, and while pulls run a copy takes the largest reward of the arm and the
# largest cost for them
policy, used, queue = maxk.Policy("max_ucb", ARMS, per_cost="root", lag=2), [[] for _ in range(ARMS)], [[] for _ in range(ARMS)]
given, waiting, arms = [[] for _ in range(ARMS)], [], []


def turn(used, queue):
    """Uses the results that wait, as long as the policy selects their arms; the arm that it selects then."""
    while True:
        k = index("root", "max_ucb", [[x for x, _ in a] for a in used], [[c for _, c in a] for a in used],
                  sum(map(len, used)) + 1)
        if not queue[k]:
            return k
        used[k].append(queue[k].pop(0))


def expected(running):
    k, reported = turn(used, queue), given[running] or sum(given, [])
    if k != running:
        return k
    ahead = max(x for x, _ in reported) if given[running] else min((x for x, _ in reported), default=0)
    copies = [list(a) for a in used], [list(a) for a in queue]
    copies[1][running].append((ahead, max((c for _, c in reported), default=1)))
    return turn(*copies)


while len(arms) < 60:
    if len(waiting) == 2:  # the oldest pull ends, and is used before the next one is chosen
        done = waiting.pop(0)
        given[done.arm].append(table[done.arm, len(given[done.arm])])
        queue[done.arm].append(given[done.arm][-1])
        policy.tell(done, given[done.arm][-1][0], cost=given[done.arm][-1][1])
    waiting.append(policy.ask())
    arms.append((waiting[-1].arm, expected(waiting[0].arm) if len(waiting) > 1 else turn(used, queue)))
check(all(a == b for a, b in arms), f"lag: 2: {sum(a == b for a, b in arms)} of {len(arms)} arms as worked out")

# a failure whose cost is not known costs as much as the dearest pull of its arm
one, two = (maxk.Policy("max_ucb", 2, per_cost="root") for _ in range(2))
for k, x, c in ((0, .3, 2), (1, .4, 5), (0, .35, 3)):
    for policy in (one, two):
        policy.add(k, x, cost=c)
one.add(0, failed=True)
two.add(0, failed=True, cost=3)
check(one.to_text() == two.to_text(), "a failure without a cost has the largest one of its arm")
check("\n0 0.35 cost 3\n" in one.to_text(), "texts have costs that were reported")

# failures before any cost is known have the first one that is, which then is a cost of their arm for texts and without them
one = maxk.Policy("max_ucb", 2, per_cost="root")
one.add(0, failed=True)
one.add(1, .3, cost=1)
one.add(1, .2, cost=9)
two = maxk.Policy.from_text(one.to_text())
for policy in (one, two):
    policy.add(0, failed=True)
check(one.to_text() == two.to_text() and one.to_text().count("failed cost 1\n") == 2,
      "failures before the first cost have it, and so have later ones of the arm, after a text as well")

# where arms have costs, results without one cost that: failures before the first reward, and pulls that run
one, two = (maxk.Policy("max_ucb", 2, cost=[2, 1], per_cost="root") for _ in range(2))
one.add(0, failed=True)
two.add(0, failed=True, cost=2)
for policy in (one, two):
    policy.add(1, .3, cost=50)
    policy.add(0, .4)
    for _ in range(12):
        policy.add(0, .4)
        policy.add(1, .3)
same = []
for _ in range(20):
    same.append((one.select(), two.select()))
    for policy in (one, two):
        policy.update(same[-1][0], .35)
check(all(a == b for a, b in same), "a failure before the first reward has the cost of its arm, not that of another one's pull")
check("\n0 0.3 failed\n" in one.to_text(), "which is not taken for a reported one")

raises(maxk.InputError, "no cost", "per_cost: needs the costs of the arms, or of every pull",
       maxk.Policy("ucb", 2, per_cost="root").add, 0, .5)
raises(maxk.InputError, "cost 0", "cost: expected a number > 0", maxk.Policy("ucb", 2).add, 0, .5, cost=0)
raises(maxk.InputError, "bounded", "needs the costs of the arms where the policy is bounded",
       maxk.Policy, "max_ucb", 2, per_cost="root", bounded=True)
plain, costly = maxk.Policy("max_ucb", ARMS), maxk.Policy("max_ucb", ARMS)
for k in range(ARMS):
    plain.add(k, .1 * k)
    costly.add(k, .1 * k, cost=k + 1)
check(plain.to_text() == costly.to_text(), "a policy that does not count costs forgets them")

# a study in Python
for lag in (1, 6):
    counts = [0] * ARMS

    def objective(trial):
        k = int(trial.arm[1:])
        counts[k] += 1
        return table[k, counts[k] - 1][0], {"price": table[k, counts[k] - 1][1]}

    study = maxk.Study({f"a{k}": {"x": maxk.Real(0, 1)} for k in range(ARMS)}, policy={"name": "ucb", "per_cost": "ratio"},
                       optimizer="random", metrics=["price"], cost="price", lag=lag)
    study.optimize(objective, 40)
    got, policy = [int(t.arm[1:]) for t in study.trials], maxk.Policy("ucb", ARMS, per_cost="ratio", lag=lag)
    want, pulls = (replay("ratio", "ucb", table, 40) if lag == 1 else []), []
    while len(want) < 40:  # of more results that are outstanding the policy by ask and tell
        if len(pulls) == lag:
            k, n = pulls[0].arm, want[:len(want) - lag].count(pulls[0].arm)
            policy.tell(pulls.pop(0), table[k, n][0], cost=table[k, n][1])
        pulls.append(policy.ask())
        want.append(pulls[-1].arm)
    check(got == want, f"Study, lag {lag}: the arms of 40 trials ({sum(a == b for a, b in zip(got, want))} as expected)")
study = maxk.Study({f"a{k}": {"x": maxk.Real(0, 1)} for k in range(2)}, policy={"name": "ucb", "per_cost": "root"},
                   metrics=["price"], cost="price")
raises(maxk.InputError, "an earlier result without its cost", "per_cost: the first result needs its cost",
       study.add_trials, [{"arm": "a0", "params": {"x": .5}, "value": .3}])
raises(maxk.InputError, "a value for failures", "cannot be combined with prior or a value for `crash`", maxk.Study,
       {"a": {"x": maxk.Real(0, 1)}}, policy={"name": "ucb", "per_cost": "root"}, metrics=["price"], cost="price", crash=.5)
raises(maxk.InputError, "Study, no cost", "per_cost: all trials cost the same", maxk.Study, {"a": {"x": maxk.Real(0, 1)}},
       policy={"name": "ucb", "per_cost": "ratio"})



def spent(directory):
    """max_cost of a study: no trial begins once the results that are known have cost it; more of it continues."""
    def value(trial):
        return trial.params["x"], {"price": round(1 + 3 * trial.params["x"], 3)}

    def study(lag, most, **how):
        return maxk.Study({"a": {"x": maxk.Real(0, 1)}, "b": {"x": maxk.Real(0, 0.5)}}, metrics=["price"], cost="price",
                          n_trials=100, max_cost=most, lag=lag, seed=2, path=f"{directory}/spent{lag}", **how)

    for lag, threads in ((1, 0), (4, 3)):
        found = []
        for most in (40, 60):
            with study(lag, most, resume=most > 40) as one, ThreadPoolExecutor(max(1, threads)) as executor:
                one.optimize(value, executor=executor if threads else None)
                prices = [t.metrics["price"] for t in one.trials]
                raises(maxk.InputError, "spent", f"all {len(prices)} trials have been asked for", one.ask)
            known = (sum(prices[:max(0, j + 1 - lag)]) for j in range(100))
            want = next(j for j, price in enumerate(known) if price >= most)
            check(len(prices) == want and prices[:len(found)] == found, f"lag {lag}: {len(prices)} trials, not {want}")
            found = prices
    raises(maxk.InputError, "no cost", "max_cost: expected cost and n_trials", maxk.Study, {"a": {}}, max_cost=3)
    raises(maxk.InputError, "below 0", "max_cost: expected a number > 0", maxk.Study, {"a": {}}, max_cost=-1, n_trials=9)


with folder() as d:
    spent(d)
    # maxk tune: the program prints the next reward and cost of its arm
    data = os.path.join(d, "table.csv")
    with open(data, "w") as f:
        for (k, n), (x, c) in table.items():
            f.write(f"{k} {n} {x!r} {c!r}\n")
    program = write(os.path.join(d, "trial.sh"), f"""k=$1; n=$(cat {d}/n$k 2>/dev/null || echo 0); echo $((n + 1)) >{d}/n$k
awk -v k=$k -v n=$n '$1 == k && $2 == n {{ printf "score %s\\nprice %s\\n", $3, $4 }}' {data}
""")
    labels = ", ".join(f"{{label: a{k}, command: [sh, {program}, {k}], space: {{x: {{real: [0, 1]}}}}}}"
                       for k in range(ARMS))
    tune = write(os.path.join(d, "t.yaml"), f"""metric: {{regex: "score ([0-9.e-]+)", maximize: true}}
metrics: {{price: {{regex: "price ([0-9.e-]+)"}}}}

cost: price
arms: [{labels}]
optimizer: random
policy: {{name: max_ucb, per_cost: root}}
budget: {{evaluations: 60}}
lag: 1
workers: 1
""")
    out = os.path.join(d, "o.h5")
    run("tune", tune, "-o", out, "-q")
    got = [int(r["arm"][1:]) for r in csv.DictReader(open(out[:-2] + "csv"))]
    want = replay("root", "max_ucb", table, 60)
    check(got == want, f"maxk tune: the arms of 60 trials as in the replay ({sum(a == b for a, b in zip(got, want))} are)")
    for k in range(ARMS):
        os.remove(os.path.join(d, f"n{k}"))
    again = os.path.join(d, "again.h5")
    run("tune", tune, "-o", again, "-q", "-s", "budget.evaluations=25")
    run("tune", tune, "-o", again, "-q", "--resume")
    got = [int(r["arm"][1:]) for r in csv.DictReader(open(again[:-2] + "csv"))]
    check(got == want, "maxk tune: 25 trials, then resumed: the same arms")
    # a budget in cost: a trial begins as long as those that are known (up to `lag` before it) have cost less
    for lag, most in ((1, 40), (1, 1000), (5, 40)):
        for k in range(ARMS):
            if os.path.exists(os.path.join(d, f"n{k}")):
                os.remove(os.path.join(d, f"n{k}"))
        ended = os.path.join(d, f"cost{lag}_{most}.h5")
        run("tune", tune, "-o", ended, "-q", "-s", f"lag={lag}", "-s", f"budget={{evaluations: 60, cost: {most}}}")
        costs = [float(r["cost"]) for r in csv.DictReader(open(ended[:-2] + "csv"))]
        n = next((j for j in range(60) if sum(costs[:max(0, j + 1 - lag)]) >= most), 60)
        check(len(costs) == n and (most > sum(costs)) == (n == 60),
              f"budget: cost {most}, lag {lag}: {len(costs)} trials that cost {sum(costs):.2f}; {n} expected")
        if n < 60:
            more = ["-o", ended, "-q", "--resume", "-s", f"lag={lag}", "-s"]
            run("tune", tune, *more, f"budget={{evaluations: 60, cost: {most}}}")
            check(len(list(csv.DictReader(open(ended[:-2] + "csv")))) == n, "resumed when it is spent: no further trial")
            run("tune", tune, *more, "budget={evaluations: 60, cost: 60}")
            more = [float(r["cost"]) for r in csv.DictReader(open(ended[:-2] + "csv"))]
            m = next((j for j in range(60) if sum(more[:max(0, j + 1 - lag)]) >= 60), 60)
            check(len(more) == m > n and more[:n] == costs, f"resumed with a budget of 60: {len(more)} trials; {m} expected")
            file = ended[:-2] + "tune.yaml"
            run("tune", file, "-o", ended, "-q", "--resume")
            check("cost: 60" in open(file).read() and len(list(csv.DictReader(open(ended[:-2] + "csv")))) == m,
                  "no further trial by OUT.tune.yaml, which has the budget in cost")
    refused("a budget in cost alone", "cost: needs evaluations", "tune", tune, "-q", "-s", "budget={cost: 9}")
    text = open(tune).read()
    free = write(os.path.join(d, "free.yaml"), text.replace("cost: price\n", ""))
    refused("tune, no cost", "per_cost: all trials cost the same; expected `cost` of the tune file", "tune", free, "-q")
finish()
