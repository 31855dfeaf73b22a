"""The reports: CSV, Markdown, one self-contained page."""
import base64
import csv
import html
import os

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


STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:1150px;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;font-size:13px;margin:.6em 0}td,th{border-bottom:1px solid #ddd;padding:.2em .6em;text-align:left;
vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}th{background:#f3f3f3;position:sticky;top:0}
img{max-width:100%;border:1px solid #ddd;margin:.4em 0}h2{margin-top:2em;border-top:2px solid #444;padding-top:.4em}
.holds{color:#1b7837}.violated{color:#c51b2b;font-weight:bold}.vacuous,.not-applicable{color:#777}.inconclusive{color:#8a6508}
summary{cursor:pointer;color:#234}a{color:#174ea6}"""


def data_uri(path):
    kind = {"svg": "image/svg+xml", "png": "image/png"}[path.rsplit(".", 1)[1]]
    with open(path, "rb") as f:
        return f"data:{kind};base64,{base64.b64encode(f.read()).decode()}"


def write_html(path, results, facts):
    e = html.escape
    out = ["<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>maxk: validation</title>"
           f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head><body><h1>Validation</h1>",
           *[f"<p>{e(f)}</p>" for f in facts],
           f"<p>{e(ABOUT)}</p>",
           "<table><tr><th>claim or reproduction</th><th>source</th><th>rows</th>",
           *[f"<th>{v}</th>" for v in VERDICTS], "</tr>"]
    for job, found in results:
        rows = len(found["rows"]) or found["broken"] or "figures only"
        out.append(f"<tr><td><a href='#{job.name}'>{e(job.name)}</a></td><td>{e(job.source)}</td><td class='n'>{e(str(rows))}"
                   "</td>" + "".join(f"<td class='n {v if n else ''}'>{n or ''}</td>"
                                     for v, n in zip(VERDICTS, counted(found["rows"]))) + "</tr>")
    out.append("</table>")
    for job, found in results:
        out.append(f"<h2 id='{job.name}'>{e(job.name)}</h2><p><b>{e(job.title)}</b>. {e(job.source)}.</p><p>{e(job.text)}</p>"
                   f"<p>To run only this: <code>{e(job.again)}</code></p>")
        if found["broken"]:
            out.append(f"<p class='inconclusive'>Not done: {e(found['broken'])}</p>")
        many = len(found["figures"]) > 4
        if many:
            out.append(f"<details><summary>{len(found['figures'])} figures</summary>")
        out += [f"<img alt='{e(os.path.basename(f))}' src='{data_uri(f)}'>" for f in found["figures"]]
        if many:
            out.append("</details>")
        if found["rows"]:
            out.append(f"<details{' open' if len(found['rows']) <= MOST_ROWS else ''}><summary>{len(found['rows'])} rows"
                       "</summary><table><tr>" + "".join(f"<th>{h}</th>" for h in HEAD) + "</tr>")
            for r in found["rows"]:
                cells = cells_of(r)
                out.append("<tr>" + "".join(
                    f"<td class='{c if n == 5 else 'n' if 2 <= n <= 4 else ''}'>{e(str(c))}</td>"
                    for n, c in enumerate(cells)) + "</tr>")
            out.append("</table></details>")
    out.append("</body></html>")
    with open(path, "w") as f:
        f.write("\n".join(out))
