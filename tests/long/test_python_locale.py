"""The tests of the Python module in locales with a decimal comma."""
import sys

sys.path.insert(0, "tests/support")
from lib import finish, folder, ordinary_build_only, python_environment
from locales import environments, passes

ordinary_build_only("the library does the same there")
with folder() as here:
    for locale, environment in environments(here, python_environment()).items():
        for test in ("python", "python_study"):
            passes(f"{locale}: test_{test}", ["/usr/bin/python3", f"tests/command/test_{test}.py"], environment)
finish()
