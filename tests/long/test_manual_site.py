"""`make manual`: the site of the manual. Its links, anchors and pictures; that reference pages have what the registries have; the
search index; that no page is wider than a telephone or a window of 1280 pixels. The commands of its tutorials run in
tests/long/test_documents.sh."""
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, run, write

TOP = os.getcwd()
BUILD = os.path.abspath("experiments/manual/build")
MEASURE = """
addEventListener("load", () => {
    const scrolls = element => /auto|scroll/.test(getComputedStyle(element).overflowX);
    const scrolling = element => element && (scrolls(element) || scrolling(element.parentElement));
    document.body.dataset.measured = JSON.stringify([...document.querySelectorAll("iframe")].map(frame => {
        const page = frame.contentDocument, width = page.documentElement.clientWidth;
        const outside = [...page.body.querySelectorAll("*")].filter(element => element.getClientRects().length
            && element.getBoundingClientRect().right > width + 1 && !scrolling(element.parentElement));
        const squeezed = [...page.querySelectorAll("td")].filter(cell => cell.offsetWidth && cell.textContent.trim().length > 24
            && cell.offsetWidth < 96);
        return {name: frame.title, width, wide: page.documentElement.scrollWidth - width,
            outside: outside.map(element => element.tagName + " " + element.textContent.slice(0, 40)),
            squeezed: squeezed.map(cell => cell.textContent.slice(0, 40))};
    }));
});
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def done(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def names(what):
    return [line.split()[0] for line in run("list", what).splitlines()]


def none(missing, text):
    """The check that nothing is missing or wrong; what is, is said."""
    check(not missing, f"{text} {' '.join(map(str, missing))[:300]}".rstrip())


def check_reference(page):
    """page: {name: HTML}. Reference pages have what the registries have."""
    def headings(name):
        return re.findall(r"^<h2[^>]*>(.*)</h2>$", page[f"reference_{name}"], re.M)

    wanted = {what: names(what) for what in ("policies", "families", "optimizers", "objectives", "curves")}
    wanted["commands"] = [f"maxk {name}" for name in names("commands")]
    wanted["tables"] = [f"Table {name}" for name in names("tables")]
    for what, titles in wanted.items():
        none(set(titles) - set(headings(what)), f"every one of the {len(titles)} {what} is described")
        check(titles, f"there are {what}")
    for what in ("figures", "claims", "imports"):
        listed = page[f"reference_{what}"]
        none([name for name in names(what) if f"<code>{name}</code>" not in listed], f"every one of the {what} is listed")


def check_functions(page, index):
    headers = "".join(read(path) for path in sorted(glob.glob("sim/api/maxk/*.h")))
    code = done(os.environ.get("CC", "gcc"), "-fpreprocessed", "-dD", "-E", "-P", "-", input=headers).stdout
    functions = sorted(set(re.findall(r"\b(mk_[a-z0-9_]+)\(", code)))
    check(len(functions) > 90, f"the library has {len(functions)} public functions")
    none([f for f in functions if f'<code id="{f}">' not in page["reference_c_api"]], "every one has an anchor")
    none([f for f in functions if f'["reference_c_api","{f}",' not in index], "which the search leads to")


def check_module(page):
    public = re.search(r"__all__ = \[(.*?)\]", read("sim/python/maxk/__init__.py"), re.S)[1]
    described = page["reference_python_api"]
    none([n for n in re.findall(r'"(\w+)"', public) if f">maxk.{n}</h2>" not in described], "every public name of the module")
    none([n for n in ("Real.described", "Categorical.words", "Integer.value_of") if n in described], "and no helper")
    check(">maxk.sklearn.CASHSearchCV</h2>" in described, "the class for scikit-learn")


def check_theorems(page):
    stated = sum(len(re.findall(r"^.begin\{theorem\}", read(path), re.M)) for path in glob.glob("analysis/theory/paper/*.tex"))
    sections = len(re.findall('^<h2 id="theorem-', page["reference_theorems"], re.M))
    check(stated == sections > 0, f"every theorem of the paper has a section: {stated}, {sections}")
    check(re.search("^<p>Let 1 = g_0 &lt; g_1 ", page["reference_theorems"], re.M), "with its statement")


def check_anchors(page):
    anchors = {name: re.findall(r' id="([^"]*)"', text) for name, text in page.items()}
    none([(name, a) for name, all_of_it in anchors.items() for a in set(all_of_it) if all_of_it.count(a) > 1],
         "no anchor is there twice")


def measured(site, width):
    """What Chromium says of every page in a window of this width, which those of its own cannot be as narrow as."""
    pages = sorted(glob.glob(f"{site}/*.html"))
    frames = "".join(f'<iframe title="{os.path.basename(p)}" src="{p}" width="{width}" height="800"></iframe>' for p in pages)
    sheet = write(f"{site}/../sheet.html", f"<body>{frames}<script>{MEASURE}</script></body>")
    dom = done("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
               f"--user-data-dir={site}/../profile", "--dump-dom", f"file://{os.path.abspath(sheet)}").stdout
    found = re.search(r'data-measured="([^"]*)"', dom)
    return json.loads(html.unescape(found[1])) if found else []


def check_widths(site, page):
    for width in (390, 1280):
        pages = measured(site, width)
        check(len(pages) == len(page) and all(p["width"] > width - 30 for p in pages), f"{len(pages)} pages at {width} pixels")
        none([(p["name"], p["wide"], p["outside"][:2]) for p in pages if p["wide"] > 0 or p["outside"]],
             f"{width} pixels: none is wider than its window but for tables and blocks of code, which scroll")
        none([(p["name"], p["squeezed"][:2]) for p in pages if p["squeezed"]], f"{width} pixels: no text is a column of words")
    write(f"{site}/wide.html", read(f"{site}/index.html").replace("<main>", '<main><p style="width: 400px">wide</p>'))
    found = {p["name"]: p for p in measured(site, 390)}
    os.remove(f"{site}/wide.html")
    check(found["wide.html"]["wide"] > 0 and found["wide.html"]["outside"] == ["P wide"], "a page that is wider is noticed")


# ---- tables of the notes ----

def compared(at):
    """notes.py --check in a folder."""
    return done(sys.executable, f"{BUILD}/notes.py", "--check", cwd=at)


def check_index():
    listed = set(re.findall(r"notes/[a-z0-9_]+\.md", read("experiments/README.md")))
    check(listed == {f"notes/{name}" for name in os.listdir("experiments/notes") if name.endswith(".md")},
          "the index names every page")
    named = "\n".join(read(path).split("<!-- made from")[0] for path in sorted(glob.glob("experiments/notes/*.md"))
                      if not path.endswith("/published.md"))
    files = [os.path.basename(path) for path in glob.glob("experiments/*.yaml") + glob.glob("experiments/*.sh")]
    none([f for f in files if not re.search(rf"\b{re.escape(f)}\b|`{re.escape(f.rpartition('.')[0])}`", named)],
         "every experiment has a page that names it")


def check_edits(at):
    """In a copy of the experiments at a folder, what is changed is named."""
    os.makedirs(f"{at}/tests")
    shutil.copytree("experiments", f"{at}/experiments")
    for name in ("reference", "validate"):
        os.symlink(f"{TOP}/tests/{name}", f"{at}/tests/{name}")
    experiment = f"{at}/experiments/many_arms.yaml"
    original = read(experiment)
    write(experiment, original + "# a comment\n")
    check(compared(at).returncode == 0, "a comment of an experiment changes no table")
    write(experiment, original + "# a comment\nseed: 2\n")
    other = compared(at)
    check(other.returncode == 1, "anything else does")
    check("notes/many_arms.md: made from other versions of experiments/many_arms.yaml: " in other.stderr,
          "and the pages are named")
    write(experiment, original)

    def edited(name, pattern, by, text):
        """Every line of a page is edited alike: it is named, and nothing else."""
        path = f"{at}/experiments/notes/{name}.md"
        page = read(path)
        write(path, re.sub(pattern, by, page, flags=re.M | re.S if pattern.startswith("^<!--") else re.M))
        said = compared(at)
        lines = said.stderr.splitlines()
        check(read(path) != page and said.returncode and lines and all(f"notes/{name}.md:" in line for line in lines),
              f"{text} is named")
        write(path, page)
        return said.stderr

    edited("many_arms", r"^(. .uniform.*?)\.00002", r"\1.00003", "an edited number of a table")
    edited("many_arms", r"^note_table ", "note_table -w True ", "an edited command of a table")
    edited("decomposed", r"^\| 25 \| \.8652", "| 25 | .8653", "an edited row of a table of two results")
    edited("budgets", r"^\| footnote 5", "| footnote 6", "an edited row of a table that is quoted")
    said = edited("many_arms", r"^<!-- table.*?-->\n", "", "a table without a comment")
    check("expected a comment above the table " in said, "which is what is expected")
    said = edited("budgets", r"(table as printed in Nguyen) 2024", r"\1 2034", "a quotation of what nobody has published")
    check("expected a publication that " in said, "and says so")


# ---- a site of two pages ----

TWO_PAGES = """
import sys
import manual
manual.GROUPS = [("Start", ["experiments/manual/index.md", "experiments/manual/theorist.md"])]
manual.notes = list
dead, pages = manual.build(*sys.argv[1:])
print(pages, *dead)
"""


def check_dead_links(at):
    shutil.copytree("experiments/manual", f"{at}/copy/experiments/manual")
    with open(f"{at}/copy/experiments/manual/index.md", "a") as page:
        page.write("[a](theorist.md#nowhere) [b](theorist.md#an-experiment)\n")

    def two_pages(paper):
        return done(sys.executable, "-c", TWO_PAGES, MAXK, f"{at}/other", paper, cwd=f"{at}/copy",
                    env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": BUILD})

    dead = two_pages("")
    check(dead.returncode == 0, f"the links of two pages {dead.stderr[:300]}")
    check(dead.stdout == "2 index.html: theorist.html#nowhere: no such anchor\n", "a dead anchor is named, nothing else")
    check("theorist.html: ../maxk.pdf: no such page" in two_pages("../maxk.pdf").stdout, "the paper, where it is not, is named")
    write(f"{at}/maxk.pdf", "")
    check("maxk.pdf" not in two_pages("../maxk.pdf").stdout, "where it is, it is not")
    check('<a href="../maxk.pdf">the paper</a>' in read(f"{at}/other/theorist.html"), "it is linked")


for program, package in (("pandoc", "pandoc"), ("chromium", "chromium")):
    if not shutil.which(program):
        check(False, f"{program} is not there: package {package}, which make check-long installs")
        finish()
with folder() as at:
    at = os.path.realpath(at)
    site = f"{at}/manual"
    made = done(sys.executable, f"{BUILD}/manual.py", MAXK, site)
    check(made.returncode == 0, f"the manual is built, without a dead link {made.stderr[:300]}")
    page = {os.path.basename(path)[:-5]: read(path) for path in glob.glob(f"{site}/*.html")}
    index = read(f"{site}/search_index.js")
    none({"index", "tour", "install", "theorist", "python", "practitioner", "developer", "reference_glossary"} - set(page),
         "a page for each kind of user")
    check_reference(page)
    check_functions(page, index)
    check_module(page)
    check_theorems(page)
    check_anchors(page)
    check(not re.search(r'(src|<link [^>]*href)="https?:', page["index"]), "nothing comes from the network")
    check('"theorist","certified-bounds",' in index, "the search index leads to a section")
    check_widths(site, page)
    said = compared(TOP)
    check(said.returncode == 0, f"the tables of experiments/notes are made from what is there {said.stderr[:300]}")
    check_index()
    check_edits(f"{at}/changed")
    check_dead_links(at)
finish()
