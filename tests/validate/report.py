"""The reports: CSV, Markdown, one self-contained page."""
import csv
import json
import os

from jobs import run
from rows import COLUMNS, VERDICTS, counted, number


def write_csv(path, results):
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        for _, found in results:
            out.writerows(found["rows"])


def cells_of(r):
    interval = f"{number(r['ci_low'])} … {number(r['ci_high'])}" if str(r["ci_low"]) != "" else ""
    return [r["where"], r["quantity"], f"{r['relation']} {number(r['expected'])}".strip(), number(r["observed"]), interval,
            r["verdict"], os.path.basename(r["experiment"]), r["note"]]


HEAD = ["where", "quantity", "expected", "observed", "95 % interval", "verdict", "experiment", "note"]
MOST_ROWS = 40
ABOUT = ("A violated claim is a finding: the published statement does not hold as printed, and the note says where it fails. "
         "Reproductions must hold. The experiments of every row are files, in experiments/ or in validation/experiments/ "
         "next to this report.")


def write_md(path, results, facts):
    def table(head, body):
        yield "| " + " | ".join(head) + " |"
        yield "|" + "---|" * len(head)
        for line in body:
            yield "| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |"

    lines = ["# Validation", "", *facts, "", ABOUT, ""]
    lines += table(["claim or reproduction", "source", "rows", *VERDICTS, "seconds"],
                   [[f"[{j.name}](#{j.name})", j.source, len(f["rows"]) or f["broken"] or "figures only",
                     *counted(f["rows"]), f.get("seconds", "")] for j, f in results])
    for job, found in results:
        lines += ["", f"## {job.name}", "", f"{job.title}. {job.source}.", "", job.text, "",
                  f"To run only this: `{job.again}`", ""]
        for figure in found["figures"]:
            lines += [f"![{os.path.basename(figure)}]({os.path.relpath(figure, os.path.dirname(path) or '.')})", ""]
        shown = found["rows"]
        if len(shown) > MOST_ROWS:
            shown = [r for r in shown if r["verdict"] != "holds"][:MOST_ROWS]
            lines += [f"{len(found['rows'])} rows, all in validation.csv; here those that do not hold.", ""]
        if shown:
            lines += table(HEAD, map(cells_of, shown))
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def write_html(path, results, facts, maxk):
    """The page, by `maxk report`."""
    index = [["claim or reproduction", "source", "rows", *VERDICTS]]
    parts = [*({"text": f} for f in facts), {"text": ABOUT}, {"table": index}]
    for job, found in results:
        index.append([job.name, job.source, str(len(found["rows"]) or found["broken"] or "figures only"),
                      *(str(n or "") for n in counted(found["rows"]))])
        parts += [{"heading": job.name}, {"text": f"{job.title}. {job.source}."}, {"text": job.text},
                  {"text": f"To run only this: {job.again}"}]
        if found["broken"]:
            parts.append({"text": f"Not done: {found['broken']}"})
        if found["figures"]:
            many = len(found["figures"]) > 4
            parts.append({"pictures": found["figures"], **({"folded": f"{len(found['figures'])} figures"} if many else {})})
        if found["rows"]:
            many = len(found["rows"]) > MOST_ROWS
            parts.append({"table": [HEAD, *([str(c) for c in cells_of(r)] for r in found["rows"])],
                          **({"folded": f"{len(found['rows'])} rows"} if many else {})})
    source = path.removesuffix(".html") + ".json"
    with open(source, "w") as f:
        json.dump({"parts": parts}, f)
    try:
        run([maxk, "report", source, "-o", path, "--title", "Validation of maxk"])
    finally:
        os.remove(source)
