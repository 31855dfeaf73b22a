"""A figure of every kind as LaTeX, at the widths of one and two columns: pdflatex compiles them without a warning, they are as
wide as the column, and the texts of each are on its page. KEEP=FOLDER keeps documents and pictures, to look at."""
import os
import re
import shutil
import sys
import unicodedata

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, rows, run, subprocess

top = os.getcwd()
STUDY = """
import sys
a = dict(w.split("=", 1) for w in sys.argv[1:])
print(0.5 + float(a["--x"]) / 4 - (0.3 if a["--kernel"] == "k_1" else 0))
"""
FILES = {
    "power.yaml": """name: power
title: 'Power arms: α ≤ 2.8 & 5 % of {x_1}, "T^2" ~ #1 \\ $ <é>'
problem:
  arms:
    - {family: power, a: 3, s: 1.01, label: 'a_1 & 5 % ε'}
    - {family: power, a: 5, s: 1.1}
    - {family: power, a: 4, s: 1}
policies: [{name: max_ucb, alpha: {from: 0, to: 2.8, step: 0.2}}, {name: uniform}, {name: oracle}]
horizons: [50, 100, 200, 500]
replications: 40
""",
    "pareto.yaml": """name: pareto
problem: {arms: [{family: pareto, shape: 2.1, scale: 1}, {family: pareto, shape: 1.5, scale: 1}]}
policies: [{name: max_ucb}, {name: uniform}]
horizons: [200]
replications: 20
""",
    "many.yaml": """name: many
problem: {arms: [{repeat: 150, family: power, a: {uniform: [1, 6]}, s: {uniform: [0.9, 1.1]}}]}
policies: [{name: max_ucb, alpha: 0.5}, {name: uniform}]
horizons: [600, 3000]
replications: 4
""",
    "cells.yaml": """name: cells
problem: {arms: [%s]}
policies: [{name: max_ucb, alpha: [0, 0.2, 1, 5]}]
horizons: [100]
replications: 10
""" % ", ".join("{family: uniform, lo: 0, hi: %s}" % hi for hi in (1, 0.99, 0.95, 0.9, 0.8, 0.6)),
    "study.yaml": """name: classifiers
command: [python3, study.py, '{args}']
metric: {last_number: true, maximize: true}
policy: {name: max_ucb, alpha: 0.5}
budget: {evaluations: 60}
arms:
  - {label: 'one & all', space: {x: {real: [0, 1]}, kernel: {categorical: [rbf, k_1]}}, optimizer: random}
  - {label: two, space: {x: {real: [0, 0.1]}, kernel: {categorical: [rbf, k_1]}}, optimizer: random}
""",
}
WIDTHS = {  # of --size: what sets the letters, and the width of the text
    "one-column": (r"\usepackage[T1]{fontenc}\usepackage{lmodern}", "8.6cm"),
    "two-columns": ("", "17.8cm"),
}
# Sizes that Computer Modern does not have are replaced by the next one.
COMMON = re.compile(r"LaTeX Font Warning: (Font shape `O\w+/cm\w+/\w+/\w+' in size|Size substitutions with)")


def make_results():
    """Small runs that together have every kind of figure; the files of results and of problems."""
    at = f"{top}/experiments"
    for name, text in {**FILES, "study.py": STUDY}.items():
        with open(name, "w") as file:
            file.write(text)
    few = ("-s", "replications=20")
    run("tune", "study.yaml", "-o", "study.h5", "-q")
    for name in ("power", "pareto", "many", "cells"):
        run("run", f"{name}.yaml", "-o", f"{name}.h5", "-q")
    run("run", f"{at}/certified_band.yaml", *few, "-s", "horizons=[100, 1000]", "-o", "band.h5", "-q")
    run("run", f"{at}/asymptotics.yaml", *few, "-s", "rare_events=100", "-o", "decades.h5", "-q")
    run("run", f"{at}/rising_concave.yaml", "-o", "rising.h5", "-q")
    run("run", f"{at}/pmlb.yaml", "-s", f"problem.trajectories={at}/data/pmlb_fixture.csv", "-s", "horizons=[10, 20, 50]",
        "-o", "recorded.h5", "-q")
    results = [f for f in sorted(os.listdir()) if f.endswith(".h5")]
    return results, ["power.yaml", "pareto.yaml", "many.yaml", f"{at}/rising_concave.yaml", f"{at}/data/pmlb_fixture.csv"]


def words(text):
    """What of a text stands on a page as it is: words of letters."""
    return set(re.findall(r"[A-Za-z]{4,}", unicodedata.normalize("NFKC", text)))


def draw(size, results, problems):
    """One picture of every kind: [(kind, path without suffix, words of its title and x axis)]."""
    found = []
    for row in rows(run("list", "figures", "--csv")):
        if row["of"] == "paper":
            continue
        files = results if row["of"] == "result" else problems
        to = f"{size}/{row['of']}_{row['figure']}"
        paths = run("figures", *files, "--only", row["figure"], "-f", "tex", "--size", size, "--out", to).split()
        if check(paths, f"{size}: {row['of']} {row['figure']} is drawn"):
            stem = paths[0].removesuffix(".tex")
            with open(stem + ".dat") as data:
                lines = data.read().split("\n")
            axes = [l[5:] for l in lines if l.startswith("# x: ")]
            found.append((to, stem, words(" ".join([lines[0], *axes]))))
    return found


def compile_document(size, found):
    preamble, width = WIDTHS[size]
    with open(f"{size}.tex", "w") as document:
        document.write("\\documentclass{article}\\usepackage[textwidth=%s,textheight=25cm]{geometry}\n"
                       "\\usepackage{graphicx,color}%s\n\\begin{document}\n" % (width, preamble))
        for to, stem, _ in found:
            document.write("\\graphicspath{{%s/}}\\noindent\\input{%s}\\clearpage\n" % (to, stem))
        document.write("\\end{document}\n")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{size}.tex"], stdout=subprocess.DEVNULL)
    with open(f"{size}.log", errors="replace") as log:
        lines = log.read().split("\n")
    wrong = [l for l in lines if re.match(r"!|Missing character|Overfull|.*[Ww]arning|.*[Uu]ndefined", l)
             and not COMMON.match(l)]
    check(done.returncode == 0 and not wrong, f"{size}: pdflatex has nothing to say {wrong[:3]}")


def check_pages(size, found):
    done = subprocess.run(["pdftotext", "-layout", f"{size}.pdf", "-"], capture_output=True, text=True)
    pages = done.stdout.split("\f")
    check(len(pages) == len(found) + 1, f"{size}: {len(found)} figures on {len(pages) - 1} pages")
    for (to, _, wanted), page in zip(found, pages):
        missing = wanted - words(page)
        check(wanted and not missing, f"{to}: {len(wanted)} words are on its page {missing or ''}")


if not all(shutil.which(c) for c in ("pdflatex", "pdftotext")):
    check(False, "pdflatex and pdftotext are not there (make check-long installs them)")
    finish()
with folder() as at:
    os.chdir(at)
    results, problems = make_results()
    for size in WIDTHS:
        found = draw(size, results, problems)
        compile_document(size, found)
        check_pages(size, found)
    if "KEEP" in os.environ:
        shutil.copytree(at, os.environ["KEEP"], dirs_exist_ok=True)
    os.chdir(top)
finish()
