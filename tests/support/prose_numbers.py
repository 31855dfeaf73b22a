"""Every number in the prose of a document is what a command prints, or is named as one that rests on none. Run in the folder in
which the document's examples have run: prose_numbers.py DOCUMENT LIST.

The list has one on a line; lines that begin with blanks continue the one before, and those that begin with # are comments:

    at most 2,292: $ COMMAND     its output has exactly the numbers of the phrase, in their order
    : $ COMMAND                  makes what later commands read
    Theorem 4.2: a name          rests on no command; why

A phrase stands in the prose word for word, line ends aside; one with a command once. Prose is all but code, tables that the
program prints, pictures (their descriptions are prose) and addresses. A number is a word with digits and no letters, or a word
such as five."""
import re
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
from lib import check, finish

WORDS = {w: i for i, w in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)}
WORDS.update((w, 10 * i) for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2))
WORDS.update(hundred=100, thousand=1000, million=1e6)
PUNCTUATION = ".,;:!?()[]*\"'"
FAILED = "exit code"


def bare(word):
    """It without the punctuation around it; the point of .5 belongs to the number."""
    inner = word.strip(PUNCTUATION)
    return "." + inner if inner[:1].isdigit() and word[:word.find(inner)].endswith(".") else inner


def value(word):
    """The number that a word is, or None."""
    word = bare(word)
    if word.lower() in WORDS:
        return float(WORDS[word.lower()])
    digits = re.sub(r"(?<=\d),(?=\d{3})", "", word.rstrip("%")).replace("^", "**")
    if not re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?(\*\*\d+)?", digits):
        return float("nan") if re.search(r"\d", word) and not re.search(r"[^\W\d_]", word) else None
    base, _, power = digits.partition("**")
    return float(base) ** (float(power) if power else 1)


def values(text):
    return [v for v in map(value, text.split()) if v is not None]


def prose(document):
    """Its text on one line."""
    text = re.sub(r"^<!-- docs:.*?^<!-- /docs -->$", " ", document, flags=re.M | re.S)
    text = re.sub(r"^```.*?^```$", " ", text, flags=re.M | re.S)
    text = re.sub(r"^<!--.*?-->$", " ", text, flags=re.M | re.S)
    text = re.sub(r"<img [^>]*alt=\"([^\"]*)\">", r"\1", text)
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "`", text))
    return " ".join(text.split())


def phrases(listing):
    """[(phrase, what)]"""
    lines = re.sub(r"\n +", " ", re.sub(r"^#.*\n", "", listing, flags=re.M)).splitlines()
    return [(phrase, what) for phrase, _, what in (line.partition(": ") for line in lines if line)]


def problems(document, listed, output):
    """What is wrong, one text each. output(command): what it prints."""
    text = prose(document)
    covered = [False] * len(text)
    for phrase, what in listed:
        printed = output(what[1:].strip()) if what.startswith("$") else ""
        if printed.startswith(FAILED):
            yield f"'{what}': {printed}"
        if not phrase:
            continue
        at = [m.start() for m in re.finditer(r"(?<!\w)" + re.escape(phrase) + r"(?!\w)", text)]
        if not at or not what or what.startswith("$") and len(at) > 1:
            yield f"'{phrase}' is {len(at)} times in the prose, with '{what}'"
        for start in at:
            covered[start:start + len(phrase)] = [True] * len(phrase)
        if what.startswith("$") and values(printed) != values(phrase):
            yield f"'{phrase}': its command prints '{printed.strip()[:200]}'"
    for m in re.finditer(r"\S+", text):
        start = m.start() + m[0].find(bare(m[0]))
        if value(m[0]) is not None and not all(covered[start:start + len(bare(m[0]))]):
            yield f"no command for the number in '{text[max(0, m.start() - 30):m.end() + 20]}'"


def changed(document, listed):
    """(what, document, list) with each number that rests on a command changed, in the document or in both."""
    for phrase, what in listed:
        for word in (w for w in phrase.split() if what.startswith("$") and value(w) is not None):
            other = phrase.replace(word, re.sub(r"\d", lambda d: str((int(d[0]) + 1) % 10), word, count=1) if bare(
                word).lower() not in WORDS else "eleven", 1)
            spaced = r"(?<!\w)" + re.escape(phrase).replace(r"\ ", r"\s+") + r"(?!\w)"
            in_prose = re.sub(spaced, lambda _: other, document)
            yield f"{phrase} -> {other}", in_prose, listed
            yield f"{phrase} -> {other}, as listed", in_prose, [(other if p == phrase else p, w) for p, w in listed]


if __name__ == "__main__":
    name, seen = sys.argv[1], {}
    with open(name) as f:
        document = f.read()
    with open(sys.argv[2]) as f:
        listed = phrases(f.read())

    def output(command):
        if command not in seen:
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
            seen[command] = done.stdout if done.returncode == 0 else f"{FAILED} {done.returncode}: {done.stderr}"
        return seen[command]

    check([value(word) for word in (".5,", "(.85", "2,292.", "10^12;", "at", "80%")] == [.5, .85, 2292, 1e12, None, 80],
          "numbers are read as they are written")
    found = list(problems(document, listed, output))
    for problem in found:
        check(False, f"{name}: {problem}")
    check(not found, f"{name}: {len(listed)} phrases with numbers, {len(seen)} commands")
    missed = [what for what, other, others in changed(document, listed)
              if other == document or not list(problems(other, others, output))]
    check(seen and not missed, f"a changed number is noticed{''.join(': ' + m for m in missed[:3])}")
    more = document.replace("\n\n", "\n\nIt takes 17 seconds.\n\n", 1)
    check(any("17 seconds" in p for p in problems(more, listed, output)), "so is one without a command")
    finish()
