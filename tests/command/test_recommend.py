"""maxk recommend: constructed recordings whose answer is known, losses, choices and tests recomputed from the CSV alone,
the tune file, costs, messages.

The recomputation knows uniform (round robin over the arms by name) and every arm alone, has all sign flips (7 instances:
128), and Student's intervals from SciPy."""
import csv
import itertools
import os
import subprocess
import sys

import numpy as np
from scipy import stats

sys.path.insert(0, "tests/support")
from lib import MAXK, check, close, finish, folder, python_environment, refused, rows, run, write

HEAD = "instance,arm,repetition,iteration,reward"
FIRST = "max_ucb alpha=0.5"


def recording(path, series, costs=None, tests=None):
    """series: (instance, arm, repetition) -> rewards; costs: the same -> costs; tests: the same -> test scores, NaN: none."""
    further = {name: of for name, of in (("cost", costs), ("test_reward", tests)) if of}
    with open(path, "w") as f:
        f.write(",".join([HEAD, *further]) + "\n")
        for key, rewards in series.items():
            for n, x in enumerate(rewards):
                cells = ["" if np.isnan(of[key][n]) else repr(float(of[key][n])) for of in further.values()]
                f.write(",".join(map(str, [*key, n, repr(float(x)), *cells])) + "\n")
    return path


def answer(path, *options):
    """Rows by (kind, candidate), and the sentences."""
    table = {(r["kind"], r["candidate"]): r for r in rows(run("recommend", path, "--csv", *options))}
    return table, run("recommend", path, *options).split("\n\n", 1)[1]


def rising(better, repetitions=2, length=30):
    """The arm `better` of every instance rises by every pull, the other one never leaves 0."""
    return {(f"i{i:02d}", arm, r): [(n + 1 + 0.01 * r) / length * (1 + 0.1 * i) if arm == k else 0 for n in range(length)]
            for i, k in enumerate(better) for arm in "ab" for r in range(repetitions)}


with folder() as d:
    # ---- one policy is the best: it finds the good arm of every instance, uniform never leaves the bad one alone ----
    path = recording(f"{d}/alternating.csv", rising("ab" * 6))
    policies = ("-s", "policies=[uniform, {name: greedy, label: best}, {name: random}]")
    table, text = answer(path, "--horizon", "20", *policies)
    best = table["policy", "best"]
    check(best["verdict"] == "use" and best["recommended"] == "1" and best["chosen"] == "12" and "use best: " in text,
          "a policy that is better everywhere is recommended")
    check(all(r["verdict"] == "worse" for (kind, _), r in table.items() if kind != "rule" and r is not best),
          "all others are worse")
    check(table["rule", "recommended"]["verdict"] == "better" and close(table["rule", "recommended"]["loss"], best["loss"]),
          "so it is on the instances left out")
    check("the best single arm, chosen in the same way" in text and ": worse\n" in text, "a single arm is worse")
    check("no combined search was recorded" in text, "whether a combined search would do as well cannot be told")

    # ---- all are equal ----
    path = recording(f"{d}/equal.csv", {(f"i{i}", arm, 0): [0.1, 0.1, 0.1] for i in range(8) for arm in "ab"})
    table, text = answer(path, "--horizon", "3")
    check(all(r["verdict"] == "undecided" and float(r["loss"]) == 0 for r in table.values()) and len(table) == 14 + 2 + 4,
          "where nothing differs, nothing is decided")
    check(table["policy", FIRST]["recommended"] == "1" and "undecided: " in text and
          f"use {FIRST}, which nothing is shown to improve on" in text, "and MaxUCB with alpha 0.5 is kept")
    check("the same: it would do as well" in text, "a single arm would do as well")

    # ---- one arm dominates ----
    path = recording(f"{d}/dominated.csv", rising("a" * 12))
    table, text = answer(path, "--horizon", "20")
    check(table["arm", "a"]["verdict"] == "use" and "use arm a alone: " in text and "the same: it would do as well" in text,
          "an arm that is the best one of every instance is recommended alone")
    tune = f"{d}/arm.yaml"
    run("recommend", path, "--horizon", "20", "-o", tune)
    check("label: \"a\"" in open(tune).read() and "label: \"b\"" not in open(tune).read(), "and stands alone in the tune file")

    # ---- few instances, and one ----
    path = recording(f"{d}/four.csv", rising("aaaa"))
    table, text = answer(path, "--horizon", "20")
    check(all(r["verdict"] == "undecided" for (kind, _), r in table.items() if kind != "rule") and
          "4 instances are too few to decide anything at this level" in text, "four instances decide nothing")
    path = recording(f"{d}/one.csv", rising("a", repetitions=9))
    table, text = answer(path, "--horizon", "20")
    check(table["arm", "a"]["verdict"] == "use" and table["arm", "a"]["unit"] == "repetition" and
          "nothing is said about others" in text, "one instance: repetitions, and a warning")
    table, text = answer(recording(f"{d}/single.csv", rising("a", repetitions=1)), "--horizon", "20")
    check(("rule", "recommended") not in table and table["arm", "a"]["loss_low"] == "" and
          "one repetition: nothing can be left out" in text and "undecided: " in text, "one repetition: no more than the losses")

    # ---- recomputed ----
    rng = np.random.default_rng(8)
    T, names, instances, repetitions = 9, ["k", "l", "m"], [f"i{i}" for i in range(7)], 3
    means = rng.uniform(0, 1, (7, 3)) + [0.8, 0, 0.2]
    series = {(n, arm, r): np.round(rng.normal(means[i, k], 0.4, 14), 4)
              for i, n in enumerate(instances) for k, arm in enumerate(names) for r in range(repetitions)}
    costs = {key: np.round(rng.uniform(0.5, 2, 14), 3) for key in series}
    tests = {key: np.where(rng.uniform(size=14) < 0.1, np.nan, np.round(x + rng.normal(-0.1, 0.3, 14), 4))
             for key, x in series.items()}
    path = recording(f"{d}/random.csv", series, costs)
    scored = recording(f"{d}/scored.csv", series, costs, tests)

    def seen(order, n, r, budget, paid):
        """Largest reward of arms pulled in this order, within a number of pulls or a cost; its test score; the largest one."""
        spent, pulls, rewards, scores = 0, dict.fromkeys(names, 0), [], []
        for arm in order:
            spent += costs[n, arm, r][pulls[arm]] if paid else 1
            if spent > budget:
                break
            rewards.append(series[n, arm, r][pulls[arm]])
            scores.append(tests[n, arm, r][pulls[arm]])
            pulls[arm] += 1
        return max(rewards), scores[int(np.argmax(rewards))], np.nanmax(scores)

    def unit_losses(budget, paid, of_tests=False):
        """[instance, candidate], and their optimism; means over the repetitions that have a test score."""
        out, optimism = np.zeros((7, 4, repetitions)), np.zeros((7, 4, repetitions))
        for i, n in enumerate(instances):
            for r in range(repetitions):
                got = np.array([seen(order, n, r, budget, paid)
                                for order in ([names[t % 3] for t in range(42)], *([arm] * 14 for arm in names))])
                top = max(got[1:, 2 if of_tests else 0])
                base = np.nanmedian([(tests if of_tests else series)[n, arm, r][0] for arm in names])
                out[i, :, r] = np.minimum(1, (top - got[:, 1 if of_tests else 0]) / max(1e-5, top - base))
                optimism[i, :, r] = got[:, 0] - got[:, 1]
        return np.nanmean(out, axis=2), np.nanmean(optimism, axis=2)

    def p_best(loss):
        """The share of sign flips whose largest statistic reaches the observed one, of every candidate."""
        n, k = loss.shape
        out = []
        for c in range(k):
            d = loss[:, [c]] - np.delete(loss, c, axis=1)
            scale = np.sqrt((d**2).sum(axis=0))
            flips = np.array(list(itertools.product([1, -1], repeat=n)))
            statistic = (flips @ d / scale).max(axis=1)
            out.append((statistic >= statistic[0] - 1e-9).mean())
        return np.array(out)

    def student(x):
        half = stats.t.ppf(0.975, len(x) - 1) * stats.sem(x)
        return x.mean(), x.mean() - half, x.mean() + half

    def consistent(row, freedom=6):
        """Test, interval and verdict of a rule are one: Student's, with no more degrees of freedom than seven units have."""
        d, low, high, p = (float(row[k]) for k in ("difference", "difference_low", "difference_high", "p"))
        error = (high - low) / 2 / stats.t.ppf(0.975, freedom)
        expected = 2 * stats.t.sf(abs(d) / error, freedom) if error > 0 else float(abs(d) < 1e-8)
        verdict = "undecided" if p >= 0.05 else "better" if d < 0 else "worse"
        return close(p, expected, 1e-9) and close(d, (low + high) / 2, 1e-12) and row["verdict"] == verdict

    def halves(what, loss, table):
        """Ten random divisions of the units into halves: their mean lies around that of all divisions."""
        n, wrong = len(loss), []
        of = {"least": [], "arm": []}
        for first in itertools.combinations(range(n), n // 2):
            sides = np.isin(range(n), first), ~np.isin(range(n), first)
            for name, begin in (("least", 0), ("arm", 1)):
                picks = [begin + loss[sides[k], begin:].mean(axis=0).argmin() for k in (0, 1)]
                of[name].append(np.mean([(loss[sides[1 - k], picks[k]] - loss[sides[1 - k], 0]).mean() for k in (0, 1)]))
        for name, means in of.items():  # |z| < 4 of three times two, false-alarm rate 4e-4
            z = (float(table["rule", name]["difference"]) - np.mean(means)) / (np.std(means) / 10**0.5)
            wrong += [(name, z)] if not abs(z) < 4 or not consistent(table["rule", name]) else []
        check(not wrong and close(table["rule", "recommended"]["difference"], 0), f"{what}: three units keep the first, "
              f"and the rules are evaluated on halves {wrong}")

    def compare(what, loss, table):
        n = len(loss)
        labels = [("policy", "uniform"), *(("arm", arm) for arm in names)]
        others = [np.delete(np.arange(n), i) for i in range(n)]
        least = [loss[rest].mean(axis=0).argmin() for rest in others]
        kept = [least[i] if p_best(loss[rest])[0] < 0.05 else 0 for i, rest in enumerate(others)]
        columns = {**{labels[c]: loss[:, c] for c in range(4)}, ("rule", "known"): loss.min(axis=1)}
        check(set(columns) | {("rule", name) for name in ("recommended", "least", "arm")} == set(table),
              f"{what}: the candidates and rules")
        halves(what, loss, table)
        wrong = []
        for key, x in columns.items():
            row, difference = table[key], x - loss[:, 0]
            mean, low, high = student(x)
            expected = {"loss": mean, "loss_low": max(0, low), "loss_high": min(1, high)}
            expected.update(zip(("difference", "difference_low", "difference_high"), student(difference)))
            if key != labels[0]:
                sides = [p_best(np.stack(pair, axis=1))[0] if difference.any() else 1
                         for pair in ((x, loss[:, 0]), (loss[:, 0], x))]
                expected["p"] = min(1, 2 * min(sides))
            wins = (difference < -1e-8).sum(), (abs(difference) <= 1e-8).sum(), (difference > 1e-8).sum()
            expected.update(zip(("wins", "ties", "losses"), wins))
            wrong += [(key, k, row[k], v) for k, v in expected.items() if not close(row[k], v, 1e-9)]
        p = p_best(loss)
        for c, key in enumerate(labels):
            chosen = sum(pick == c for pick in kept)
            wrong += [(key, row) for row in [table[key]]
                      if not close(row["p_best"], p[c], 1e-12) or int(row["chosen"]) != chosen or
                      (row["verdict"] == "worse") != (p[c] < 0.05)]
        check(not wrong, f"{what}: losses, intervals, choices and tests as recomputed {wrong[:3]}")
        recommended = 0 if p[0] >= 0.05 else loss.mean(axis=0).argmin()
        check(table[labels[recommended]]["recommended"] == "1", f"{what}: the recommendation")
        return kept, least

    only = ("-s", "policies=[uniform]")
    loss = unit_losses(T, False)[0]
    kept, least = compare("trials", loss, answer(path, "--horizon", str(T), *only)[0])
    check(any(kept) and not all(kept) and kept != least, "the two rules choose, and differ")
    for budget in (4.5, 9):
        compare(f"costs {budget}", unit_losses(budget, True)[0], answer(path, "--horizon", str(budget), "--costs", *only)[0])

    # ---- test scores: chosen by the reward, scored on test data ----
    labels = [("policy", "uniform"), *(("arm", arm) for arm in names)]
    for budget, options in ((T, ()), (4.5, ("--costs",))):
        of_tests, optimism = unit_losses(budget, bool(options), True)
        table, text = answer(scored, "--horizon", str(budget), *options, *only, "--score", "incumbent")
        compare(f"test scores, {budget}", of_tests, table)
        seen_by_reward, _ = answer(scored, "--horizon", str(budget), *options, *only)
        wrong = [(key, row["test_loss"], row["optimism"])
                 for c, key in enumerate(labels) for row in (table[key], seen_by_reward[key]) if
                 not close(row["test_loss"], of_tests[:, c].mean()) or not close(row["optimism"], optimism[:, c].mean())]
        check(not wrong and not np.allclose(of_tests, unit_losses(budget, bool(options))[0]),
              f"test_loss and optimism at {budget} beside either {wrong}")
        recommended = [key for key in labels if table[key]["recommended"] == "1"][0]
        more = f"{abs(optimism[:, labels.index(recommended)].mean()):.4g} less on test data (optimism)"
        check(more in text and ": loss (top - value) / (top - median of the arms' first test scores)" in
              run("recommend", scored, "--horizon", str(budget), *options, *only, "--score", "incumbent"), f"it says: {more}")
    plain, _ = answer(path, "--horizon", str(T), *only)
    hidden = {key: {k: v for k, v in row.items() if k not in ("test_loss", "optimism")}
              for key, row in answer(scored, "--horizon", str(T), *only)[0].items()}
    check(plain == hidden, "no candidate sees test scores, and without them there are no such columns")
    refused("no test scores", "random.csv: has no test scores (column test_reward or test_loss)", "recommend", path,
            "--horizon", str(T), "--score", "incumbent")

    # ---- two units: every division is the same one, so that all numbers are known ----
    two = recording(f"{d}/two.csv", {key: x for key, x in series.items() if key[0] in ("i0", "i1")})
    table, loss = answer(two, "--horizon", str(T), *only)[0], unit_losses(T, False)[0][:2]
    for name, begin in (("least", 0), ("arm", 1)):
        picks = [begin + loss[1 - i, begin:].argmin() for i in range(2)]
        values = np.tile([loss[i, picks[i]] - loss[i, 0] for i in range(2)], 10)
        half = stats.t.ppf(0.975, 1) * values.std(ddof=1) * (1 / 20 + 1) ** 0.5
        row, want = table["rule", name], (values.mean(), values.mean() - half, values.mean() + half)
        check(all(close(row[k], x, 1e-9) for k, x in zip(("difference", "difference_low", "difference_high"), want)) and
              row["verdict"] == "undecided", f"{name} of two units: {want}, got {row}")

    tune = f"{d}/costs.yaml"
    run("recommend", path, "--horizon", "9", "--costs", "-o", tune)
    planned = int(9 / np.mean(list(costs.values())))
    check(f"budget: {{evaluations: {planned}}}\n" in open(tune).read(), f"a cost of 9 is that of {planned} mean pulls")

    # ---- all candidates: where a pull costs 1, a budget of 9.2 is 9 trials, which policies plan for; a cheap first pull lets
    # other sequences be longer, which nobody can afford ----
    same = {key: [1] * 14 for key in series}
    same["i0", "k", 0] = [0.5] + [1] * 13
    path = recording(f"{d}/same.csv", series, same)
    by_trials, by_costs = (answer(path, "--horizon", *options)[0] for options in (["9"], ["9.2", "--costs"]))
    wrong = [key for key, row in by_costs.items() if not close(row["loss"], by_trials[key]["loss"])]
    check(len(by_costs) == 14 + 3 + 4 and not wrong, f"costs of 1: the losses are those of trials {wrong}")

    # ---- pulls past the recorded ends ----
    path = f"{d}/random.csv"
    _, text = answer(path, "--horizon", "12", "--ends-early", "hold")
    check("repeat earlier rewards" not in text, "within the recorded ends nothing repeats")
    for options in (["30"], ["34", "--costs"]):
        _, text = answer(path, "--horizon", *options, "--ends-early", "hold", *only)
        check("repeat earlier rewards" not in text, "nor with round robin over three arms of 14 pulls")
    for horizon in (46, 60):
        percent = f"{100 * (horizon - 42) / horizon:.3g} % of the policies' pulls lie past the recorded ends"
        for file, options in ((path, ()), (f"{d}/same.csv", ("--costs",))):
            _, text = answer(file, "--horizon", str(horizon), "--ends-early", "hold", *only, *options)
            check(percent in text, f"T = {horizon} {options}: {percent}")
    refused("mostly repeated", "random.csv: 58 % of the pulls lie past the recorded ends", "recommend", path, "--horizon", "100",
            "--ends-early", "hold", *only)

    # ---- the losses of policies are those of maxk rank, at most 1 ----
    result = f"{d}/fixture.h5"
    fixture = "experiments/data/pmlb_fixture.csv"
    experiment = write(f"{d}/fixture.yaml", f"problem: {{trajectories: {os.path.abspath(fixture)}}}\nhorizons: [30]\n"
                       "policies: [{name: max_ucb, alpha: 0.5, scale: minmax}, qomax_sda, successive_halving, "
                       "rising_bandit]\n")
    run("run", experiment, "-q", "-o", result)
    ranked = {r["policy"]: float(r["loss"]) for r in rows(run("rank", result, "--csv"))}
    table, text = answer(fixture, "--horizon", "30")
    same = {name: table["policy", FIRST if name == "max_ucb" else name]["loss"] for name in ranked}
    check(len(same) == 4 and all(close(same[name], ranked[name]) for name in same), f"as maxk rank {same} {ranked}")

    # ---- combined searches, which may end early or lack a repetition ----
    lines = ["instance,arm_index,classifier,optimizer,repetition,iteration,loss"]
    for i, index, r in itertools.product(range(6), (0, 1, -1, -2), range(2)):
        if index == -2 and i == 3:
            continue
        for n in range(10 if index == -1 else 12):
            x = n + 1 if index == -1 else (1 + index) * 0.01 * (n + i)
            lines.append(f"i{i},{index},c{index},rf,{r},{n},{-x}")
    path = write(f"{d}/combined.csv", "\n".join(lines) + "\n")
    tune = f"{d}/combined.yaml"
    table, text = answer(path, "--horizon", "12", "-o", tune)
    check(table["combined", "rf (-1)"]["verdict"] == "use" and "use rf (-1): " in text, "a combined search is recommended")
    check(("combined", "rf (-2)") not in table and "no candidates: rf (-2)" in text, "one without a value on an instance is none")
    check("the best combined search, chosen in the same way" in text and "combined: {optimizer: rf}" in open(tune).read(),
          "and named in the tune file")

    # ---- tune files ----
    path = f"{d}/alternating.csv"
    for name, text in (("policy", "policy: {name: max_ucb, alpha: 0.3"), ("arm", "policy: {name: uniform"),
                       ("combined", "combined: {optimizer: rf}")):
        tune = f"{d}/{name}.yaml"
        if name == "policy":
            run("recommend", path, "--horizon", "20", "-s", "policies=[{name: max_ucb, alpha: 0.3}]", "-o", tune)
        check(text in open(tune).read(), f"{name}: the choice is in the tune file")
        done = subprocess.run([MAXK, "tune", tune, "-o", f"{d}/{name}.h5", "-s", "command=[echo, '{arm} 0.5']"],
                              capture_output=True, text=True)
        check(done.returncode == 0 and os.path.exists(f"{d}/{name}.h5"), f"{name}: maxk tune reads it: {done.stderr[:200]}")
    done = subprocess.run([MAXK, "tune", f"{d}/policy.yaml", "-o", f"{d}/no.h5"], capture_output=True, text=True)
    check(done.returncode == 1 and "cannot be started" in done.stdout + done.stderr, "its program is to be replaced")

    # ---- tune files: the sign of the file, and spaces from configurations ----
    def recommended(path, *options):
        run("recommend", path, "--horizon", "4", "-o", f"{d}/spaces.yaml", *options)
        return open(f"{d}/spaces.yaml").read()

    def configurations(path, column, values, of_arm, head="arm", label="a"):
        """Four configurations of arm a in three instances, and rewards or losses."""
        with open(path, "w") as f:
            f.write(f"instance,{head},repetition,iteration,{column},configuration\n")
            for i, n in itertools.product(range(3), range(4)):
                f.write(f'i{i},{label},0,{n},{values[n]},"{of_arm[n]}"\n')
        return path

    yaml = ["{C: 0.0123, k: rbf, gamma: 1, depth: 3, t: one, auto: 5}",
            "{C: 1, k: rbf, gamma: 0.5, depth: 900, t: one, auto: all}",
            "{C: 0.02, k: poly, degree: 2, depth: 7, t: one, auto: 7}",
            "{C: 987.4, k: lin, depth: 20, t: one, odd: 1, auto: 5}"]
    space = ("C: {real: [0.012, 990], log: true}, k: {categorical: [rbf, poly, lin]}, gamma: {real: [0.5, 1], when: {k: [rbf]}}, "
             "depth: {integer: [3, 900], log: true}, t: {constant: one}, auto: {categorical: [5, all, 7]}, "
             "degree: {constant: 2, when: {k: [poly]}}, odd: {constant: 1, when: {k: [lin]}}")
    text = recommended(configurations(f"{d}/losses.csv", "loss", [3, 0.5, -1, 2], yaml))
    check(f'label: "a", space: {{{space}}}' in text, f"kinds, ranges and conditions are those of the configurations: {text}")
    check("maximize: false" in text and "YOUR-HYPERPARAMETER" not in text, "losses are minimised")
    done = subprocess.run([MAXK, "tune", f"{d}/spaces.yaml", "-o", f"{d}/spaces.h5", "--add", f"{d}/losses.csv",
                           "-s", "instance=i1", "-s", "command=[echo, '0.5']", "-s", "policy={name: uniform}"],
                          capture_output=True, text=True)
    added = [r for r in rows(open(f"{d}/spaces.csv").read()) if int(r["trial"]) <= 4]
    check(done.returncode == 0 and [float(r["loss"]) for r in added] == [3, 0.5, -1, 2],
          f"the space has the configurations, and losses keep their sign: {done.stderr[:300]}")
    check("maximize: true" in recommended(configurations(f"{d}/rewards.csv", "reward", [3, 0.5, -1, 2], yaml)),
          "rewards are maximised")
    check("maximize: false" in recommended(configurations(f"{d}/negatives.csv", "loss", [-3, -0.5, -1, -2], yaml)),
          "losses are minimised, also where all are negative")
    indexed = configurations(f"{d}/indexed.csv", "loss", [-3, -0.5, -1, -2], yaml, head="arm_index,classifier", label="0,a")
    check("maximize: false, or true where they are the negatives" in recommended(indexed),
          "losses of maxk tune alone do not say whether they are negatives")
    check(space in recommended(configurations(f"{d}/renamed.csv", "loss", [3, 0.5, -1, 2], yaml, head="who"), "--columns",
                               "arm=who"), "the column of the arm may have another name")
    json = [line.replace("{", '{""').replace(": ", '"": ').replace(", ", ', ""') for line in yaml]
    for word in ("rbf", "poly", "lin", "one", "all"):
        json = [line.replace(f": {word}", f': ""{word}""') for line in json]
    check("odd of a" not in recommended(configurations(f"{d}/json.csv", "loss", [3, 0.5, -1, 2], json)) and
          space in open(f"{d}/spaces.yaml").read(), "configurations may be JSON")
    lonely = ["{x: 1}", "{x: 2, y: 1}", "{x: 1, y: 2}", "{x: 2}"]
    text = recommended(configurations(f"{d}/lonely.csv", "loss", [3, 0.5, -1, 2], lonely))
    check("Left out: y of a (" in text and "space: {x: {integer: [1, 2]}}" in text, f"without a condition it is left out: {text}")
    refused("a configuration", "bad.csv:2:12: configuration: expected a mapping", "recommend",
            configurations(f"{d}/bad.csv", "loss", [3, 0.5, -1, 2], ["[1]", "{}", "{}", "{}"]), "--horizon", "4", "-o",
            f"{d}/no.yaml")

    # ---- of trials of maxk tune: their program, metric and spaces ----
    study = write(f"{d}/study.yaml", "command: [awk, 'BEGIN {{print 1 - {x}}}']\nmetric: {last_number: true, maximize: true}\n"
                  "arms: [{label: a, space: {x: {real: [-3, 3]}}}, {label: b, space: {x: {real: [0, 1]}, k: {constant: 1}}}]\n"
                  "policy: {name: uniform}\nbudget: {evaluations: 8}\n")
    run("tune", study, "-q", "-o", f"{d}/study.h5")
    text = recommended(f"{d}/study.csv")
    check("maximize: true" in text and "x: {real: [-3, 3]" in text and 'awk, "BEGIN {{print 1 - {x}}}"' in text,
          f"the tune file of the trials is taken over: {text}")
    run("tune", f"{d}/spaces.yaml", "-q", "-o", f"{d}/again.h5")
    check(len(rows(open(f"{d}/again.csv").read())) == 4, "and the file runs as it is")

    # ---- the same for any number of threads, and from Python ----
    outputs = {run("recommend", fixture, "--horizon", "50", "--csv", env={**os.environ, "OMP_NUM_THREADS": str(n)})
               for n in (1, 3)}
    check(len(outputs) == 1, "the same bytes for 1 and 3 threads")
    code = ("import sys; sys.path.insert(0, 'sim/python'); import maxk\n"
            f"t = maxk.table('recommend', {fixture!r}, horizon=50)\nprint(len(t), float(t['loss'][0]))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=python_environment())
    reader = list(csv.DictReader(outputs.pop().splitlines()))
    check(done.returncode == 0 and done.stdout.split() == [str(len(reader)), repr(float(reader[0]["loss"]))],
          f"maxk.table: {done.stdout} {done.stderr[-300:]}")

    # ---- messages ----
    path = f"{d}/random.csv"
    refused("no horizon", "maxk recommend: --horizon: missing", "recommend", path)
    refused("half a trial", "--horizon: expected a whole number of trials, got 2.5", "recommend", path, "--horizon", "2.5")
    refused("too long", "random.csv:15: instance i0, arm k, repetition 0: expected at least 15 iterations", "recommend", path,
            "--horizon", "15")
    refused("too dear", "random.csv:15: instance i0, arm k, repetition 0: expected iterations that cost at least 100 together",
            "recommend", path, "--horizon", "100", "--costs")
    refused("too cheap", "a budget of 0.1 does not pay for a single pull", "recommend", path, "--horizon", "0.1", "--costs")
    refused("no costs", "equal.csv: has no column cost, which --costs needs", "recommend", f"{d}/equal.csv", "--horizon", "2",
            "--costs")
    refused("the oracle", "oracle must know the best arm in advance", "recommend", path, "--horizon", "5", "-s",
            "policies=[oracle]")
    refused("no policies", "policies: expected at least one", "recommend", f"{d}/combined.csv", "--horizon", "5",
            "-s", "policies=[]")
    refused("a result", "got a result: see maxk rank", "recommend", result, "--horizon", "5")
    refused("known arms", "expected recorded runs (trajectories), got arms", "recommend",
            write(f"{d}/arms.yaml", "problem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n"), "--horizon", "5")
    refused("no folder", "cannot be written", "recommend", path, "--horizon", "5", "-o", f"{d}/no/where.yaml")
    for rule in ("hold", "restart"):
        run("recommend", path, "--horizon", "40", "--costs", "--ends-early", rule)
finish()
