"""What the current major version promises is there (experiments/manual/compatibility.md): the core of the interface as
tests/reference/interface.txt lists it, and the provisional names, unless CHANGELOG.md says that they are gone. Results of version
1.0.0 are read. The checklist of a release notices what is not ready."""
import gzip
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, rows, run, skip, write

TOP = os.getcwd()
TODAY = "2000-01-02"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def done(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def broken(promised, now, changes):
    """Lines that are gone although they must not be: of the core all, of the provisional ones those whose names the list of
    changes does not have in backticks. A provisional line may move into the core."""
    gone = promised - now - {line.replace("core ", "provisional ", 1) for line in now}
    return sorted(line for line in gone if line.startswith("core ") or f"`{line.split()[2]}`" not in changes)


def check_broken():
    """The comparison notices what it is for."""
    now, changes = {"core policy ucb", "core key seed"}, "Removed: `rank.wins` says nothing."
    for line, words in (("core family beta", "a family"), ("provisional column rank.ties COUNT", "a column without a word"),
                        ("core column rank.wins COUNT", "what was core, though announced")):
        check(broken(now | {line}, now, changes) == [line], f"it is noticed that {words} is gone")
    check(not broken(now | {"provisional column rank.wins COUNT", "provisional key seed"}, now, changes),
          "a provisional name may go when CHANGELOG.md says so, and may become core")


def check_promise():
    """Returns what there is now, as interface.py lists it."""
    listed = done(sys.executable, "tests/support/interface.py", env={**os.environ, "MAXK": MAXK})
    check(listed.returncode == 0, f"what users rest on can be listed {listed.stderr[:300]}")
    promise = read("tests/reference/interface.txt").splitlines()
    promised, now = {line for line in promise if not line.startswith("#")}, set(listed.stdout.splitlines())
    check(len(promised) > 2000, f"the promise has {len(promised)} lines")
    gone = broken(promised, now, read("CHANGELOG.md"))
    check(not gone, f"nothing that is promised is gone {gone[:5]}")
    fixed = {m[1] for m in (re.match(r"core header struct (mk_[a-z_]*): ", line) for line in promised) if m}
    fixed -= {name for name in fixed if f"core header struct {name}: size_t size" in promised}  # these can grow
    more = sorted(line for line in now - promised if (m := re.match(r"core header struct (\w+):", line)) and m[1] in fixed)
    check(len(fixed) > 5 and not more, f"no promised structure without a size has a further field {more[:5]}")
    major = re.match(r"maxk (\d+)\.", run("--version"))[1]
    check(any(line.startswith(f"# maxk {major}.") for line in promise), f"it is the promise of version {major}")
    return listed.stdout


def keeps(old, text):
    """Every column of a table of version 1.0.0, with its cells; there may be further ones."""
    was, now = rows(read(old)), rows(text)
    return was and len(was) == len(now) and all(b.get(name) == a[name] for a, b in zip(was, now) for name in a)


def check_results(at):
    """Results of version 1.0.0 are read, and the experiments in them give the same numbers."""
    old = "tests/reference/version_1"
    for kind in ("run", "tune"):
        with gzip.open(f"{old}/{kind}.h5.gz") as packed, open(f"{at}/{kind}.h5", "wb") as result:
            shutil.copyfileobj(packed, result)
        wanted = f"{old}/{kind}.summary.csv"
        check(keeps(wanted, run("summary", f"{at}/{kind}.h5", "--csv")), f"a result of version 1.0.0, {kind}")
        run(kind, f"{old}/{kind}.yaml", "-q", "-o", f"{at}/new_{kind}.h5")
        check(keeps(wanted, run("summary", f"{at}/new_{kind}.h5", "--csv")), "its numbers now")
    check(keeps(f"{old}/tune.trials.csv", read(f"{at}/new_tune.csv")), "its trials")


class Clone:
    """A clone of the repository that is ready for a release, and what its checklist says."""

    def __init__(self, at, now):
        self.at, self.environment = at, {**os.environ, "MAXK": MAXK, "GIT_COMMITTER_DATE": f"{TODAY}T12:00:00Z"}
        subprocess.run(["git", "clone", "-q", ".", at], check=True)
        os.mkdir(f"{at}/build")
        os.symlink(MAXK, f"{at}/build/maxk")
        self.git("config", "user.name", "nobody")
        self.git("config", "user.email", "nobody@maxk.invalid")
        self.version = run("--version").split()[1]
        for part in ("api", "python"):
            shutil.copytree(f"{TOP}/sim/{part}", f"{at}/sim/{part}", dirs_exist_ok=True)
        self.edit(r"^## .*", f"## [{self.version}] - {TODAY}", "CHANGELOG.md")
        self.edit(r"^date-released:.*\n", "", "CITATION.cff")
        self.edit(r"^version:.*", rf"\g<0>\ndate-released: {TODAY}", "CITATION.cff")
        head = [line for line in read("tests/reference/interface.txt").splitlines(True) if line.startswith("#")]
        write(f"{at}/tests/reference/interface.txt", "".join(head) + now)
        self.git("add", "-A")
        self.git("commit", "-qm", "ready")

    def git(self, *arguments):
        subprocess.run(["git", *arguments], check=True, cwd=self.at, env=self.environment, stdout=subprocess.DEVNULL)

    def edit(self, pattern, by, *files):
        """The first match in each file."""
        for file in files:
            text = read(f"{self.at}/{file}")
            write(f"{self.at}/{file}", re.sub(pattern, by, text, count=1, flags=re.M))

    def checklist(self):
        return done(".packaging/release.sh", "--checks", cwd=self.at, env=self.environment)

    def fails(self, text, words):
        said = self.checklist()
        check(said.returncode and words in said.stderr, f"{text}: {said.stderr.strip()[-200:]}")

    def refused(self, text, words, pattern, by, *files):
        """After an edit that is committed the checklist fails with these words; undone."""
        self.edit(pattern, by, *files)
        self.git("commit", "-qam", "changed")
        self.fails(text, words)
        self.git("reset", "-q", "--hard", "HEAD~1")


def check_release(clone):
    ready = clone.checklist()
    check(ready.returncode == 0, f"a release that is ready {ready.stderr[:300]}")
    clone.refused("a section without a date", "CHANGELOG.md: expected", f" - {TODAY}", " - Unreleased", "CHANGELOG.md")
    clone.refused("another version", "CITATION.cff: expected 'version", "^version:.*", "version: 0.1.0", "CITATION.cff")
    clone.refused("another date", "date-released", "^date-released:.*", "date-released: 2000-01-03", "CITATION.cff")
    clone.refused("a date before the last commit", "the date of the last commit", TODAY, "2000-01-01", "CHANGELOG.md",
                  "CITATION.cff")
    clone.refused("a Debian changelog of another version", ".packaging/changelog", r"\(.*\)", "(0.1.0)", ".packaging/changelog")
    clone.refused("something that the promise lacks", "interface.txt lacks", r"^.*\n\Z", "", "tests/reference/interface.txt")
    clone.git("tag", f"v{clone.version}", "HEAD~1")
    clone.fails("a version that was released", "released once")
    clone.git("tag", "-d", f"v{clone.version}")
    with open(f"{clone.at}/README.md", "a") as page:
        page.write("\n")
    clone.fails("a change that is not committed", "not committed")


with folder() as at:
    check_broken()
    now = check_promise()
    check_results(at)
    if os.path.exists(".git"):
        check_release(Clone(f"{at}/clone", now))
    else:
        skip("the checklist of a release, outside a repository")
finish()
