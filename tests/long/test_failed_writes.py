"""tests/command/test_failed_writes.py with calls from every place that writes."""
import os
import runpy

os.environ.setdefault("MAXK_INJECT_STEP", "0")
runpy.run_path("tests/command/test_failed_writes.py", run_name="__main__")
