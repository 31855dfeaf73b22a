"""make validate: every claim and every published number against simulation, one row each.

Writes validation.md, validation.csv and validation.html (one self-contained page) into --out (default results/). The
work is divided into jobs; the results of a finished job are kept in OUT/validation/<job>.json together with a
fingerprint of its inputs (the program, these scripts, its experiment files), so that an interrupted run resumes where it
stopped and a changed program starts from the beginning. Exit status 1 when a reproduction of published runs (the jobs
marked `reproduces`) or a job itself fails; a violated claim is a finding, not a failure.

Needs Python 3 and its standard library, gnuplot for the figures, and what audit.py and lower.py name."""
import argparse
import os
import sys
import time

sys.dont_write_bytecode = True
import audit
import certificates
import lower
import options
from jobs import Bench, run
from report import write_csv, write_html, write_md
from rows import VERDICTS, counted


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--maxk", default=os.environ.get("MAXK", "build/maxk"))
    p.add_argument("--out", default="results", help="folder of the reports")
    p.add_argument("--replications", type=int, default=0, help="of every simulation but E.4's (default: each one's own)")
    p.add_argument("--e4-replications", type=int, default=20000)
    p.add_argument("--instances", type=int, default=1000, help="of the job certificates")
    p.add_argument("--only", action="append", help="this job only; may be repeated")
    o = p.parse_args()
    bench = Bench(o)
    start, results, failed = time.time(), [], 0
    for job in [*bench.jobs(), *certificates.jobs(bench), *audit.jobs(o.maxk), *lower.jobs(), *options.jobs()]:
        if o.only and job.name not in o.only:
            continue
        found = bench.do(job)
        results.append((job, found))
        bad = found["broken"] or (job.reproduces and any(r["verdict"] == "violated" for r in found["rows"]))
        failed += bool(bad)
        what = found["broken"] or ", ".join(
            f"{n} {v}" for v, n in zip(VERDICTS, counted(found["rows"])) if n) or f"{len(found['figures'])} figures"
        print(f"{'FAILED ' if bad else ''}{job.name}: {what} ({'kept' if found['cached'] else str(found['seconds']) + ' s'})",
              flush=True)
    rows = [r for _, f in results for r in f["rows"]]
    facts = [f"{run([o.maxk, '--version']).strip()}, {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, "
             f"{sum(f.get('seconds', 0) for _, f in results):.0f} s of work.",
             f"{len(rows)} rows: " + ", ".join(f"{n} {v}" for v, n in zip(VERDICTS, counted(rows))) + "."]
    base = os.path.join(o.out, "validation")
    write_csv(base + ".csv", results)
    write_md(base + ".md", results, facts)
    write_html(base + ".html", results, facts, o.maxk)
    print(f"{facts[1]} {base}.md, .csv, .html ({time.time() - start:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
