"""Numbers and sentences of pages (maxk report), computed here from the CSV files and tables; every tag of a page is closed."""
import csv
import itertools
import math
import os
import re
import sys
from html.parser import HTMLParser

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, rows, run, write

EMPTY = {"meta", "link", "input", "br", "path", "use", "line", "rect", "circle", "polygon", "stop"}
NORMAL_95 = 1.959963984540054


class Page(HTMLParser):
    """headings: (level, text); paragraphs; tables: by caption, rows of texts, the head first; of the navigation the depths."""

    def __init__(self, path):
        super().__init__()
        self.open, self.wrong, self.text = [], [], ""
        self.headings, self.paragraphs, self.tables, self.wide, self.depths = [], [], {}, [], []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "figure":
            self.wide.append(("class", "wide") in attributes)
        if tag == "table":
            self.rows = []
        if tag == "tr":
            self.rows.append([])
        if tag == "li":
            self.depths.append(self.open.count("ul"))
        if tag not in ("code", "span", "a", "button"):
            self.text = ""

    def handle_endtag(self, tag):
        if tag not in EMPTY and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), self.text))
        if tag == "p":
            self.paragraphs.append(self.text)
        if tag == "caption":
            self.tables[self.text] = self.rows
        if tag in ("td", "th"):
            self.rows[-1].append(self.text)

    def handle_data(self, data):
        self.text += data


def page_of(*arguments):
    run("report", *arguments, "-o", "page.html")
    page = Page("page.html")
    check(not page.wrong, f"the page of {' '.join(arguments)} closes what it opens: {page.wrong}")
    return page


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def has(page, sentence):
    check(sentence in page.paragraphs, f"{sentence!r}" + ("" if sentence in page.paragraphs else f", not {page.paragraphs}"))


def mean_and_error(values):
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1) / len(values))


def ends(mean, error):
    return f"{mean - NORMAL_95 * error:.6g} to {mean + NORMAL_95 * error:.6g}"


BOUNDED = """name: bounded
command: [awk, 'BEGIN {{ x = {x}; if (x > 0.9) exit 3; print "memory=" 100 * x; print "size=" 7 - x;
  print "score=" x + {seed} % 10 / 100 }}']
metric: {regex: "score=([0-9.e+-]+)", maximize: true}
metrics: {memory: {regex: "memory=([0-9.e+-]+)"}, size: {regex: "size=([0-9.e+-]+)"}}
subject_to: {memory: {at_most: 60}, size: {at_least: 6.2}}
policy: {name: uniform}
optimizer: random
budget: {evaluations: 17}
reevaluate: 3
arms: [{label: a, space: {x: {real: [0.85, 1]}}}, {label: b, space: {x: {real: [0.2, 0.95]}}}]
"""


def constrained():
    """A study with further metrics, constraints, failures and re-evaluations."""
    write("bounded.yaml", BOUNDED)
    run("tune", "bounded.yaml", "-q", "-o", "bounded.h5")
    trials, times = read("bounded.csv"), read("bounded.times.csv")
    again = [float(r["value"]) for r in read("bounded.reevaluations.csv")]
    page = page_of("bounded.h5")
    with open("page.html") as file:
        heads = [re.findall("<th[^>]*>(.*?)</th>", one) for one in re.findall("<table.*?</table>", file.read(), re.S)]
    heads = [one for one in heads if "reevaluation" in one]
    check(len(heads) == 1 and heads[0].count("value") == 1, f"a column of the table of re-evaluations is shown once: {heads}")
    check([t for level, t in page.headings if level == 2] == [
        "Best configuration", "How sure the winner is", "Figures", "Importance of hyperparameters", "Arms",
        "What other policies would have done", "Failures and violated constraints", "Trials", "Further tables",
        "Settings and provenance"] and {level for level, _ in page.headings} == {1, 2}, f"headings: {page.headings}")
    best = max((r for r in trials if r["status"] == "ok"), key=lambda r: float(r["value"]))
    status = [r["status"] for r in trials]
    has(page, f"Best metric: {float(best['value']):.6g} (larger is better), by {best['arm']} in trial {best['trial']}; "
              f"17 trials, {status.count('failed')} of them failed.")
    has(page, f"Its further metrics: memory {float(best['metrics.memory']):.6g}, size {float(best['metrics.size']):.6g}.")
    has(page, f"Subject to memory at most 60, size at least 6.2: {status.count('infeasible')} of 17 trials violate this, and "
              "none of them can be the best.")
    mean, error = mean_and_error(again)
    worse = mean - NORMAL_95 * error
    good = sum(r["status"] == "ok" and r is not best and float(r["value"]) >= worse for r in trials)
    has(page, f"Evaluated again with other seeds, 3 times: mean metric {mean:.6g}, standard error {error:.2g} (95 % interval "
              f"{ends(mean, error)}; normal approximation); the study had measured {float(best['value']):.6g} once. "
              f"{good} value{'s' * (good != 1)} of other trials {'lies' if good == 1 else 'lie'} within this interval or above "
              "it.")
    seconds = {arm: sum(float(r["seconds"]) for r in times if r["arm"] == arm) for arm in "ab"}
    arms = [[arm, *(f"{x}" for x in (len(of), f"{len(of) / 17:.3f}")),
             max((f"{float(r['value']):.6g}" for r in of if r["status"] == "ok"), default="-"),
             *(f"{sum(r['status'] == word for r in of)}" for word in ("failed", "infeasible")), f"{seconds[arm]:.3g}"]
            for arm in "ab" if (of := [r for r in trials if r["arm"] == arm])]
    check(page.tables["Arms"][1:] == arms, f"arms: {page.tables['Arms'][1:]}, expected {arms}")
    # Failures of one arm with one status and one reason, of constraints without the value, with the first of them.
    found = {}
    for r, t in zip(trials, times):
        if r["status"] != "ok":
            found.setdefault((t["why"].split(" is ")[0], r["status"], r["arm"]), []).append(r)
    failures = [[*key, f"{len(of)}", f"{len(of) / sum(r['arm'] == key[2] for r in trials):.3f}", of[0]["trial"],
                 of[0]["configuration"]] for key, of in found.items()]
    check(page.tables["Failures"][1:] == failures and failures[0][5] == "1" and len(failures) > 2,
          f"failures: {page.tables['Failures'][1:]}, expected {failures}")
    head, *shown = page.tables["Trials"]
    of = [dict(zip(head, row)) for row in shown]
    check(head[:7] == ["trial", "arm", "metric", "seconds", "status", "configuration", "why"] and
          {"memory", "size"} <= set(head) and "fidelity" not in head and len(of) == 17 and all(
              [s["trial"], s["arm"], s["status"], s["configuration"], s["why"]] ==
              [r["trial"], r["arm"], r["status"], r["configuration"], t["why"]] and all(
                  s[name] == (f"{float(x):.6g}" if x else "-") for name, x in (
                      ("metric", r["value"]), ("memory", r["metrics.memory"]), ("size", r["metrics.size"]),
                      ("seconds", t["seconds"]))) for s, r, t in zip(of, trials, times)), f"trials: {head}, {of[:3]}")


def instances():
    """A study on instances, and on test instances one of which fails."""
    text = """name: on
command: [awk, 'BEGIN {{ i = index("abcxyz", "{instance}"); if (i == 6) exit 1; print 10 * i * i + {x} + {seed} % 10 }}']
metric: {last_number: true, maximize: false}
optimizer: random
instances: [a, b, c]
test_instances: [x, y, z]
reevaluate: 6
arms: [{label: a, space: {x: {real: [0, 1]}}}]
policy: uniform
budget: {evaluations: 12}
"""
    write("on.yaml", text)
    run("tune", "on.yaml", "-q", "-o", "on.h5")
    page, again = page_of("on.h5"), read("on.reevaluations.csv")
    of = {}
    for r in read("on.csv"):
        of.setdefault(r["configuration"], {})[r["instance_name"]] = float(r["value"])
    best = min(of.values(), key=lambda of: sum(of.values()))
    has(page, f"The best configuration has run on 3 instances, with a mean metric of {sum(best.values()) / 3:.6g}; as it was "
              "chosen by this, others will be worse in the mean.")
    tests = {r["instance_name"]: r["value"] for r in again if r["test"] == "1"}
    mean, error = mean_and_error([float(x) for x in tests.values() if x])
    has(page, f"On 2 test instances, which no trial has run on: mean metric {mean:.6g}, standard error {error:.2g} (95 % "
              f"interval of the mean over instances such as these {ends(mean, error)}; normal approximation).")
    has(page, "1 run on a test instance failed.")
    values = [[name, f"{x:.6g}", "no"] for name, x in best.items()]
    values += [[name, f"{float(x):.6g}", "yes"] for name, x in tests.items() if x]
    check(sorted(page.tables["On every instance"][1:]) == sorted(values),
          f"every instance: {page.tables['On every instance'][1:]}, expected {values}")
    mean, error = mean_and_error([float(r["value"]) for r in again if r["test"] == "0"])
    check(any(p.startswith(f"Evaluated again with other seeds, 6 times: mean metric {mean:.6g}, standard error {error:.2g} (95 % "
                           f"interval {ends(mean, error)}; ") for p in page.paragraphs), f"again: {mean}, {error}")
    write("few.yaml", text.replace("test_instances: [x, y, z]\nreevaluate: 6\n", "").replace("name: on", "name: few"))
    run("tune", "few.yaml", "-q", "-o", "few.h5")
    page = page_of("few.h5")
    has(page, "test_instances of the tune file would say what it is worth on others.")
    check(not any("failed." in p and "test instance" in p for p in page.paragraphs), "no run on test instances failed")


def ranks():
    """Which policy has the best average rank at the largest horizon, and from which others it differs: one that knows the best
    arm comes first in the file."""
    write("runs.csv", "instance,arm,repetition,iteration,reward\n" + "".join(
        f"i{i},{arm},{r},{t},{((i * 7 + r * 5 + t * 3) % 11 + 4 * arm + (t * arm * 3 % 7)) / 40}\n"
        for i, arm, r, t in itertools.product(range(14), range(4), range(2), range(1, 31))))
    write("runs.yaml", "problem: {trajectories: runs.csv}\npolicies: [oracle, max_ucb, uniform, greedy, random, "
          "{name: max_ucb, alpha: 0.6, label: near}, {name: max_ucb, alpha: 0.4, label: nearer}, qomax_sda]\n"
          "horizons: [10, 30]\n")
    run("run", "runs.yaml", "-q", "-o", "runs.h5")
    page = page_of("runs.h5")
    pairs = rows(run("rank", "runs.h5", "--pairs", "--horizon", "30", "--without", "oracle", "--csv"))
    first = pairs[0]["policy"]
    sides = [[r["against"] for r in pairs if r["policy"] == first and (float(r["p_holm"]) < 0.05) == yes]
             for yes in (True, False)]

    def named(names):
        if len(names) > 5:
            return ", ".join(names[:4]) + f" and {len(names) - 4} others"
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    better, open_ = sides
    check(len(better) > 1 and len(open_) > 1 and len(better) + len(open_) == 6,
          f"{first} is better than {better}, and perhaps than {open_}")
    text = (f"At T = 30 {first} has the best average rank; it is significantly better than {named(better)}, while it is "
            f"undecided whether it is better than {named(open_)}")
    has(page, f"{text} (on 14 instances; Wilcoxon's signed-rank test, adjusted by Holm for all pairs, level 0.05).")


def pictures():
    """A picture is wide from 432 units on; its file need not end with a line break."""
    picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} 100"><g><text>a</text></g></svg>'
    for width in (432, 434):
        write(f"{width}.svg", picture.format(width))
    write("own.yaml", "parts: [{heading: One, pictures: [432.svg, 434.svg]}, {heading: Two, text: b}]\n")
    page = page_of("own.yaml")
    check(page.wide == [False, True] and page.headings[1:] == [(2, "One"), (2, "Two")], f"{page.wide}, {page.headings}")
    check(page.depths == [1, 1], f"the headings of a level are in one list: {page.depths}")


with folder() as directory:
    os.chdir(directory)
    constrained()
    instances()
    ranks()
    pictures()
    os.chdir("/")
finish()
