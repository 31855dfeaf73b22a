"""The paper (analysis/theory/paper) and those who cite it: the k-th theorem has the label thm:k, every reference and every
measured number of the text is there, and theorems that headers, sources, documents, help and man page cite are in it."""
import glob
import os
import re
import subprocess
import sys
from fractions import Fraction

sys.path.insert(0, "tests/support")
from lib import check, finish, run

PAPER = "analysis/theory/paper"
KINDS = ("theorem", "lemma", "proposition", "corollary")
# A number that is not part of another one, such as 4.2.
CITED = re.compile(r"\b(theorem|lemma|proposition|corollar)(?:y|ies|s)?[\s*~]+((?:\d+(?:, | and | to |–)?)+)(?!\.?\d)", re.I)
SECTION = re.compile(r"\b(\w+\.h)`?, sections? \d+|\bsections? \d+ (?:of|in) `?(?:analysis/theory/)?(\w+\.h)")
STATED = re.compile(r"\bTHEOREM (\d+) \(([^)]*)\)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def paper():
    """The text, without comments, in the order of \\input."""
    text = re.sub(r"(?<!\\)%.*", "", read(f"{PAPER}/maxk.tex"))
    generated = set()

    def part(match):
        path = f"{PAPER}/{match[1]}.tex"
        if os.path.exists(path):
            return re.sub(r"(?<!\\)%.*", "", read(path))
        generated.add(match[1])
        return ""
    while "\\input{" in text:
        text = re.sub(r"\\input\{(\w+)\}", part, text)
    return text, generated


def statements(text):
    """{kind: [(title, label or None), …]} in their order."""
    found = {kind: [] for kind in KINDS}
    for kind, title, label in re.findall(r"\\begin\{(%s)\}(?:\[([^]]*)\])?(?:\\label\{([^}]*)\})?" % "|".join(KINDS), text):
        found[kind].append((title, label))
    return found


def missing(text, counts):
    """Citations of statements that are not there. "to" and a dash span numbers."""
    wrong = []
    for kind, numbers in CITED.findall(text):
        kind = "corollary" if kind.lower() == "corollar" else kind.lower()
        if any(int(n) > counts[kind] or int(n) == 0 for n in re.findall(r"\d+", numbers)):
            wrong.append(f"{kind} {numbers}")
    return wrong


def astray(text):
    """Headers of analysis/theory of which a section is cited: they have none, but for theorems and propositions."""
    return [header or other for header, other in SECTION.findall(re.sub(r"\s+\*?\s*", " ", text))
            if os.path.exists(f"analysis/theory/{header or other}")]


def misquoted(text, titles):
    """Theorems stated with another title than the paper's."""
    return [f"{n} ({title})" for n, title in STATED.findall(text)
            if int(n) > len(titles) or " ".join(title.replace("*", " ").split()).lower() != titles[int(n) - 1].lower()]


TEXT, GENERATED = paper()
FOUND = statements(TEXT)
COUNTS = {kind: len(found) for kind, found in FOUND.items()}
TITLES = [title for title, _ in FOUND["theorem"]]

check([label for _, label in FOUND["theorem"]] == [f"thm:{k + 1}" for k in range(COUNTS["theorem"])] and COUNTS["theorem"] > 11,
      f"the k-th theorem of {COUNTS['theorem']} has the label thm:k")
check(all(title for found in FOUND.values() for title, _ in found), "every statement has a title")
# Headers, sources and help cite these by their numbers, which LaTeX counts.
order = {"proposition": ["prop:" + name for name in ("rising", "clock", "windows", "typical", "chunks", "convergence",
                                                     "scaled-above", "scaled-below", "scaled-walk", "rounding")],
         "lemma": ["lem:crossing", "lem:walks"]}
for kind, names in order.items():
    check([label for _, label in FOUND[kind]] == names, f"every {kind} has the number by which it is cited: {FOUND[kind]}")
algorithms = re.findall(r"\\begin\{algorithm\}.*?\\label\{([^}]*)\}", TEXT, re.S)
check(algorithms == ["alg:passage", "alg:tail", "alg:walk"], f"and every algorithm: {algorithms}")
proofs = TEXT.count("\\begin{proof}")
check(proofs >= sum(COUNTS.values()), f"{proofs} proofs of {sum(COUNTS.values())} statements")
labels = re.findall(r"\\label\{([^}]*)\}", TEXT)
references = {name for names in re.findall(r"\\(?:eq)?ref\{([^}]*)\}", TEXT) for name in names.split(",")}
check(len(labels) == len(set(labels)), "no label is there twice")
check(references <= set(labels), f"{len(references)} references lead somewhere {sorted(references - set(labels))}")
cited = set(",".join(re.findall(r"\\cite[pt](?:\[[^]]*\])?\{([^}]*)\}", TEXT)).split(","))
entries = set(re.findall(r"@\w+\{([^,]+),", read(f"{PAPER}/references.bib")))
check(cited == entries, f"the bibliography has what is cited {sorted(cited ^ entries)}")

# What was measured is written by tables.py.
script = read(f"{PAPER}/tables.py")
macros = set(re.findall(r"\\(n[A-Z][A-Za-z]+|paper[a-z]+)\b", TEXT))
wanting = {name for name in macros if name not in script and not re.fullmatch(r"n(Low|High)(First|Pulls)", name)}
check(len(macros) > 20 and not wanting, f"{len(macros)} measured numbers are written by tables.py {sorted(wanting)}")
wanting = {name for name in GENERATED if f"{name}.tex" not in script}
check(len(GENERATED) >= 8 and not wanting, f"so are {len(GENERATED)} tables, figures and lists of numbers {sorted(wanting)}")

# The example that E[N_1(9)] decreases when a constant arm 1 grows, exactly. Arms 1 and 2 are constant, arm 3 is a coin.
BONUS = dict(zip(range(4, 10), (0, 4, 40, 40, 100, 150)))


def mean_pulls(first):
    def pull(t, counts, tops):
        if t == 10:
            return Fraction(counts[0])
        index = [top + Fraction(BONUS[t], n * n) for top, n in zip(tops, counts)]
        k = index.index(max(index))
        assert index.count(max(index)) == 1
        counts = counts[:k] + (counts[k] + 1,) + counts[k + 1:]
        later = [pull(t + 1, counts, tops[:2] + (max(tops[2], x),)) for x in ((1, 21) if k == 2 else (1,))]
        return sum(later) / len(later)
    return sum(pull(4, (1, 1, 1), (first, 7, x)) for x in (1, 21)) / 2


check((mean_pulls(2), mean_pulls(5)) == (Fraction(5, 2), Fraction(9, 4)) and "\\ee[N_1(9)]=5/2" in TEXT and
      "\\ee[N_1(9)]=9/4" in TEXT, f"three i.i.d. arms: E[N_1(9)] is {mean_pulls(2)} with 2, and {mean_pulls(5)} with 5")

# Who cites it.
sources = sorted(path for at in ("analysis", "sim", "policies", "distributions") for end in ("c", "h", "def", "md", "py")
                 for path in glob.glob(f"{at}/**/*.{end}", recursive=True))
sources += ["README.md", "CONTRIBUTING.md", *sorted(glob.glob("experiments/**/*.md", recursive=True))]
wrong = {path: found for path in sources if (found := missing(read(path), COUNTS))}
check(not wrong, f"{len(sources)} sources and documents cite what is there {wrong}")
wrong = {path: found for path in sources if (found := astray(read(path)))}
check(not wrong, f"and no sections of headers {wrong}")
headers = sorted(glob.glob("analysis/theory/**/*.h", recursive=True))
stated = {int(n) for path in headers for n, _ in STATED.findall(read(path))}
check(stated == set(range(1, COUNTS["theorem"] + 1)), f"headers state every theorem {sorted(stated)}")
wrong = {path: found for path in headers if (found := misquoted(read(path), TITLES))}
check(not wrong, f"by its title {wrong}")
for page in (("certify", "--help"), ("bounds", "--help"), ("rate", "--help"), ("--help=man",), ("describe", "max_ucb")):
    text = run(*page)
    check(CITED.search(text) and not missing(text, COUNTS), f"{' '.join(page)}: cites what is there {missing(text, COUNTS)}")
check("Certified bounds for MaxUCB" in read("CITATION.cff"), "CITATION.cff names the paper")

# The search behind the open question of Example 1, a small part of it; all of it in tests/long/test_paper.sh.
said = subprocess.run([sys.executable, "experiments/monotone.py", "60", "400"], capture_output=True, text=True, check=True).stdout
check("E[N_1(9)] = 2.5 with rewards 2, 2.25 with rewards 5" in said, "the search sees that E[N_1] falls in the paper's example")
found = re.findall(r": (\d+) games, (\d+) pairs, E\[N_1\(T\)\] rises in (\d+), falls in (\d+)$", said, re.M)
check([(n, f) for n, _, _, f in found] == [("60", "0"), ("400", "0")] and all(int(r) > int(p) / 3 for _, p, r, _ in found),
      f"and that it rises, never falls, in games of MaxUCB: {found}")

# The checks notice what they are for.
check(missing("by Theorem 40", COUNTS) and missing("Theorems 1, 2 and 41", COUNTS) and missing("Lemma\n * 9", COUNTS),
      "a theorem that is not there is noticed")
check(not missing("Theorem 4.2, Proposition 4.1, Lemma 3.3, Theorems 1 to 3", COUNTS), "those of other papers are not meant")
check(astray("growth.h, section 3") and astray("section 3 of\n * growth.h") and not astray("Li et al. 2018, section 5.3"),
      "so is a section of a header")
check(misquoted("THEOREM 6 (Three arms).", TITLES) and not misquoted("THEOREM 6 (Two\n * arms).", TITLES),
      "a wrong title is noticed")
finish()
