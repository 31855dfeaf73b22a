"""The search box of the manual, in headless Chromium: what it finds first for questions that people ask, the further results, and
that Escape closes them."""
import html
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder

FOUND = {  # question: (a section that answers it, it is among this many first results)
    "how do I install": ("install.html#installation", 1),
    "how do I install it in Python?": ("install.html#installation", 1),
    "installing": ("install.html#installation", 1),
    "mk_policy_save": ("reference_c_api.html#mk_policy_save", 1),
    "maxk.Study": ("reference_python_api.html#maxkstudy", 1),
    "certified bounds": ("theorist.html#certified-bounds", 1),
    "certify": ("reference_commands.html#maxk-certify", 3),
    "tuning": ("tuning.html#tuning-real-programs", 1),
    "tune a program": ("practitioner.html#tune-a-program", 1),
    "what will not break": ("compatibility.html#what-will-not-break", 1),
    "which policy should I use for runs like mine": ("recorded_runs.html#which-policy-for-runs-like-these", 2),
    "Optuna": ("recorded_runs.html#runs-of-other-tools", 5),
    "figures for latex": ("theorist.html#figures-for-latex", 1),
    "theorem 6": ("reference_theorems.html#theorem-6-two-arms", 1),
    "Theorem 4.2": ("theorist.html#the-theorem-against-the-simulation", 10),
    "proofs": ("reference_theorems.html#theorems-of-the-paper", 3),
    "cite": ("index.html#how-to-cite-maxk", 1),
    "citation": ("index.html#how-to-cite-maxk", 1),
    "snapshot": ("reference_glossary.html#glossary", 2),
}
# What a newcomer of each of four kinds would type: a section that answers it is among the first three.
TYPED_BY = {
    "a theorist": {
        "does theorem 4.2 hold for my arms": "theorist.html#the-theorem-against-the-simulation",
        "what are L and U": "bounds.html#l-and-u",
        "bound on the number of suboptimal pulls": "theorist.html#certified-bounds",
        "regret of MaxUCB": "theorist.html#certified-bounds",
        "sweep alpha": "tour.html#sweep-a-parameter",
        "expected maximum of n draws": "tour.html#look-at-the-arms",
        "heavy tails Pareto arms": "distributions.html#reward-families",
        "how are ties broken": "sim.html#numbers",
        "simulate up to T = 10^12": "sim.html#two-engines",
        "check my own bound against simulation": "theorist.html#a-bound-of-your-own",
    },
    "a user of Python": {
        "tune hyperparameters in python": "python.html#tune-hyperparameters-as-well",
        "scikit-learn cross-validation search": "sim_python.html#studies-of-scikit-learn-estimators",
        "run trials in parallel processes": "executors.html#studies-on-many-cores-machines-and-clusters",
        "resume a study after a crash": "python.html#tune-hyperparameters-as-well",
        "failed trials": "tuning.html#keys",
        "numpy array of rewards": "python.html#find-out-which-policy-is-best-for-your-rewards",
        "pandas data frame of results": "python.html#experiment-files-and-results",
        "read results with xarray": "python.html#experiment-files-and-results",
        "install with pip": "install.html#packages",
        "early stopping hyperband": "sim_search_optimizers.html#optimisers",
    },
    "a practitioner": {
        "which policy should I use": "recorded_runs.html#which-policy-for-runs-like-these",
        "import Optuna study": "recorded_runs.html#runs-of-other-tools",
        "tune a command line program": "practitioner.html#tune-a-program",
        "timeout of a program": "tuning.html#keys",
        "minimise a loss": "tuning.html#keys",
        "csv file columns": "practitioner.html#describe-what-you-have",
        "recorded runs with missing values": "recorded_runs.html#uneven-data",
        "compare policies significance test": "comparing.html#comparing-policies",
        "importance of hyperparameters": "reference_tables.html#table-importance",
        "run on a Slurm cluster": "executors.html#dask-and-slurm-by-dask-jobqueue",
    },
    "a developer": {
        "add a new policy": "contributing.html#a-new-policy-two-files",
        "write a plugin": "developer.html#a-policy-of-your-own",
        "link against the C library": "developer.html#a-loop-of-your-own",
        "use from C++": "other_languages.html#policies-in-other-programs-and-languages",
        "ask and tell in C": "reference_c_api.html#mk_study_tell",
        "save the state of a policy": "other_languages.html#states-of-bounded-size",
        "format of the result file": "sim.html#result-files",
        "error codes": "reference_c_api.html#enum-mk_code",
        "thread safety": "reference_c_api.html#maxkh",
        "run the tests": "contributing.html#contributing",
    },
}
TYPED = """
function type(question) {
    box.value = question;
    box.dispatchEvent(new Event("input"));
}
const wait = setInterval(() => {
    if (typeof searchIndex === "undefined") return;
    clearInterval(wait);
    const answers = QUESTIONS.map(question => {
        type(question);
        return found.innerHTML;
    });
    document.body.dataset.answers = JSON.stringify(answers);
    type("policy");
    const heads = [found.querySelectorAll("a").length];
    while (found.querySelector("button")) {
        found.querySelector("button").click();
        heads.push(found.querySelectorAll("a").length);
    }
    document.body.dataset.heads = heads.join(" ");
    document.body.dataset.hidden = found.hidden;
    document.body.dataset.left = Math.abs(found.getBoundingClientRect().left - box.getBoundingClientRect().left);
    document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
    document.body.dataset.escaped = found.hidden;
}, 20);
"""


def dom(page, profile, wanted):
    """The page after its scripts, and what `wanted` finds there. Timers run in virtual time, which does not wait for the index
    to be read: where that takes too long, with more of it."""
    for budget in [5000, 50000, 500000]:
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--dump-dom", "--window-size=1200,900", f"--virtual-time-budget={budget}", f"file://{page}"],
                              capture_output=True, text=True, timeout=120)
        match = re.search(wanted, done.stdout, re.S)
        if match:
            break
    return done.stdout, match[1]


def found(box):
    """(the line above the results, [(where each leads, its heading, its excerpt)], the text of the button)."""
    links = re.findall(r'<a href="([^"]*)"><strong>(.*?)</strong>.*?<small>(.*?)</small></a>', box, re.S)
    button = re.search(r"<button[^>]*>(.*?)</button>", box)
    return re.search(r"<p>(.*?)</p>", box)[1], [tuple(map(html.unescape, link)) for link in links], button and button[1]


def results_of(page, profile):
    return dom(page, profile, r'<div id="found"[^>]*>(<p>.*?)</div>')[1]


if not shutil.which("chromium"):
    check(False, "chromium is not there (make check-long installs it)")
    finish()
with folder() as at:
    site = os.path.abspath(at) + "/site"
    made = subprocess.run([sys.executable, "experiments/manual/build/manual.py", MAXK, site], capture_output=True, text=True)
    check(made.returncode == 0, f"the manual is built {made.stderr[:300]}")
    count, links, button = found(results_of(f"{site}/theorist.html?q=policy", at))
    number = int(count.split()[0])
    check(number > 60 and len(links) == 20 and button == "Show 20 more", f"20 of {number} sections with 'policy': {button}")
    check(all("<mark>" in text for _, _, text in links[:5]), "the word is marked in the excerpts")
    with open(f"{site}/index.html") as page:
        text = page.read()
    newcomers = {question: place for asked in TYPED_BY.values() for question, place in asked.items()}
    questions = [*FOUND, *newcomers, "zzzyx"]
    with open(f"{site}/typed.html", "w") as page:
        page.write(text.replace("</body>", f"<script>const QUESTIONS = {json.dumps(questions)};{TYPED}</script></body>"))
    body, answers = dom(f"{site}/typed.html", at, r'data-answers="([^"]*)"')
    answers = json.loads(html.unescape(answers))
    check(len(answers) == len(questions), f"{len(answers)} questions are typed, one after another")
    for (question, (place, among)), answer in zip(FOUND.items(), answers):
        first = [link[0] for link in found(answer)[1][:among]]
        check(place in first, f"'{question}' leads to {place} {'' if place in first else first}")
    check(len(newcomers) == 40, "forty questions of newcomers")
    for (question, place), answer in zip(newcomers.items(), answers[len(FOUND):]):
        first = [link[0] for link in found(answer)[1][:3]]
        check(place in first, f"'{question}' leads to {place} {'' if place in first else first}")
    first = found(results_of(f"{site}/index.html?q=how+do+I+install", at))
    check(first == found(answers[0]), "a question in the address has the results of one that is typed")
    count, links, button = found(answers[-1])
    check((count, links, button) == ("No section has any of these words.", [], None), "a word that is nowhere finds nothing")
    heads = [int(n) for n in re.search(r'data-heads="([^"]*)"', body)[1].split()]
    check(heads[:2] == [20, 40] and heads[-1] == number, f"the button shows all of them in the end: {heads}")
    check('data-left="0"' in body, "the results begin where the box does")
    check('data-hidden="false"' in body and 'data-escaped="true"' in body, "Escape closes the results")
    finish()
