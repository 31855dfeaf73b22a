"""Random small studies are what they were given: in memory, in their files, after kills, and where others begin with them."""
import os
import sys

sys.path.insert(0, "tests/support")
from lib import check, enter, finish, folder, python_environment

enter(python_environment())
sys.path[:0] = [os.path.abspath("sim/python"), os.path.abspath("tests/support")]
from random_studies import check_programs, check_studies

with folder() as directory:
    os.chdir(directory)
    check_studies(check, range(20), kills=1)
    check_studies(check, range(100, 112), kills=1, instances=True)
    check_programs(check, range(4))
    os.chdir("/")
finish()
