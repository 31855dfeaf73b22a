"""Two hundred random small studies, as in tests/command/test_random_studies.py, whose sessions are killed three times."""
import os
import sys

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment

enter(python_environment())
sys.path[:0] = [os.path.abspath("sim/python"), os.path.abspath("tests/support")]
from random_studies import check_programs, check_studies

with folder() as directory:
    os.chdir(directory)
    check_studies(check, range(100, 300), kills=3)
    check_programs(check, range(100, 140))
    os.chdir("/")
finish()
