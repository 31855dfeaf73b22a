"""Line coverage of the library, from the counts of a build with --coverage (make coverage).

usage: coverage.py BUILD LEAST [--uncovered]
Prints one row per folder and the total, and of every file below LEAST percent its share (with --uncovered the lines too).
Ends with 1 when the total is below LEAST percent. A line counts once, however many objects hold it (inline functions of
headers). Commands and the benchmark are no part of the library and have a row of their own."""
import json
import os
import subprocess
import sys

FOLDERS = ["sim", "policies", "distributions", "analysis"]


def folder_of(path):
    """The row that a source file belongs to; None: of none."""
    folder = os.path.dirname(path)
    if folder.startswith(("sim/program/command", "sim/program/bench")):
        return "commands"
    return folder if folder.split("/")[0] in FOLDERS else None


def executed(build):
    """{file: {line: times executed}}."""
    notes = [os.path.abspath(os.path.join(at, name)) for folder in FOLDERS
             for at, _, names in os.walk(os.path.join(build, "obj", folder)) for name in names if name.endswith(".gcno")]
    if not notes:
        sys.exit(f"{build}: no build with --coverage (make coverage)")
    out = subprocess.run(["gcov", "--json-format", "--stdout", *sorted(notes)], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    lines = {}
    for document in out.splitlines():
        for file in json.loads(document)["files"]:
            if folder_of(file["file"]) is None:
                continue
            counts = lines.setdefault(file["file"], {})
            for line in file["lines"]:
                counts[line["line_number"]] = counts.get(line["line_number"], 0) + line["count"]
    return lines


def runs(numbers):
    """[1, 2, 3, 7] as "1-3 7"."""
    parts = []
    for n in sorted(numbers):
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    build, least, detail = sys.argv[1], float(sys.argv[2]), "--uncovered" in sys.argv
    lines = executed(build)
    rows = {folder: [0, 0] for folder in FOLDERS + ["commands"]}
    for path, counts in sorted(lines.items()):
        done = sum(1 for n in counts.values() if n)
        rows[folder_of(path)][0] += done
        rows[folder_of(path)][1] += len(counts)
        share = 100 * done / len(counts)
        if share < least or detail:
            missing = ": " + runs(n for n, times in counts.items() if not times) if detail else ""
            print(f"  {path:34} {share:5.1f} % of {len(counts)} lines{missing}")
    done, total = (sum(rows[folder][i] for folder in FOLDERS) for i in (0, 1))
    print("line coverage")
    for name, (a, b) in [*rows.items(), ("library", (done, total))]:
        print(f"  {name:14} {a:6} of {b:6} lines {100 * a / max(b, 1):6.2f} %")
    if 100 * done < least * total:
        sys.exit(f"the library's line coverage is below {least:g} %")


main()
