"""What maxk answers to every bad input of tests/reference/bad_input.txt is what tests/reference/messages.txt has: one line
and exit code 2, or what is noted there. A changed message is written there on purpose, by `make golden`."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/support")
import messages
from lib import MAXK, check, finish

found = messages.collect(MAXK)
with open(messages.REFERENCE, encoding="utf-8") as f:
    lines = f.read().split("\n")
reference = {case: text.strip() for case, text in zip(lines, lines[1:]) if case and case[0] != " "}
check(len(found) > 300 and len(dict(found)) == len(found), f"{len(found)} bad inputs, each once")
check([case for case, _ in found] == list(reference), "the reference has the same inputs (else: make golden)")
other = [(case, text) for case, text in found if reference.get(case) != text]
for case, text in other:
    print(f"# {case}\n#   now  {text}\n#   was  {reference.get(case)}")
check(not other, f"their messages are those of tests/reference/messages.txt, but for {len(other)} (on purpose? make golden)")
bad = [case for case, text in found if "\n" in text or text.startswith("exit") and not case.startswith("command env")]
check(not bad, f"each is one line, with exit code 2{''.join('; ' + c for c in bad)}")

# Standard input that cannot be read ends the program.
here = os.open("/", os.O_RDONLY)
got = subprocess.run([MAXK, "gap", "-"], stdin=here, capture_output=True, text=True, timeout=60)
check(got.returncode == 1 and got.stderr == "standard input: cannot be kept: Is a directory\n",
      f"a directory as standard input: {got.stderr.strip()}")
os.close(here)

# What is said of a result that gives way is UTF-8, long as it may be.
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/uniform.yaml", "w", encoding="utf-8") as f:
        f.write("problem: {arms: [{family: dirac, x: 0}]}\npolicies: [uniform]\nhorizons: [2]\nreplications: 1\n")
    for shift in range(3):
        path = "/".join([folder, "x" * (shift + 1)] + ["…" * 80] * 3)
        os.makedirs(path)
        for seed in (1, 2):
            got = subprocess.run([MAXK, "run", f.name, "-q", "-o", path + "/a.h5", "-s", f"seed={seed}"], capture_output=True)
        said = got.stderr.decode(errors="replace")
        check(got.returncode == 0 and "; moved to" in said and "\ufffd" not in said, f"an earlier result: {said.strip()[-40:]}")
finish()
