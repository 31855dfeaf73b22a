"""The readers of experiment files, tune files and search spaces read no key that `maxk list keys`, `tunekeys` and `spacekeys`
lack. Whether every key that these list is read is tested by tests/unit/experiment/test_file_keys.c."""
import csv
import glob
import re
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish

listed = set()
for what in "keys", "tunekeys", "spacekeys":
    text = subprocess.run([MAXK, "list", what, "--csv"], capture_output=True, text=True, check=True).stdout
    listed |= {row[0] for row in csv.reader(text.splitlines())}

places = 0
for path in sorted(glob.glob("sim/run/experiment/*.c") + glob.glob("sim/study/read_*.c") + ["sim/search/space/space_read.c"]):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    keys = re.findall(r'\b(?:mk_node_get|MK_READ_KEY|mk_need_file_key|mk_fail_missing)\([^;"]*?"(\w+)"', text)
    places += len(keys)
    unknown = sorted(set(keys) - listed)
    check(not unknown, f"{path}: {len(keys)} keys are read, all of them listed{''.join('; ' + key for key in unknown)}")
check(places > 100, f"{places} places read a key")
finish()
