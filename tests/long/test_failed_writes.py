"""tests/command/test_failed_writes.py with every call that writes."""
import os
import runpy

os.environ.setdefault("MAXK_INJECT_STEP", "1")
runpy.run_path("tests/command/test_failed_writes.py", run_name="__main__")
