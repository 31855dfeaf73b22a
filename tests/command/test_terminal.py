"""What maxk writes to a terminal: tables and progress fit its width. Tables as JSON say what they say as CSV. Results through
symbolic links."""
import fcntl, json, os, pty, re, struct, subprocess, sys, termios

sys.path.insert(0, "tests/support")
import lib
from lib import check, finish, folder, rows, run


def on_terminal(columns, *arguments):
    """Everything that maxk writes where both streams are a terminal of this width."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([lib.MAXK, *arguments], stdout=its, stderr=its, stdin=subprocess.DEVNULL, close_fds=True)
    os.close(its)
    out = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    process.wait(lib.LIMIT)
    os.close(ours)
    return out.decode()


EXPERIMENT = """
name: a_name_that_is_longer_than_a_narrow_terminal_is_wide
problem:
  arms:
    - {family: power, a: 3, s: 1.01, label: 'an arm, "first"'}
    - {family: power, a: 5, s: 1.1}
    - {family: uniform, lo: 0, hi: .9}
policies: [{name: max_ucb}, {name: uniform}, {name: oracle}]
horizons: [50, 1000, 20000]
replications: 300
"""

with folder() as d:
    yaml, h5 = f"{d}/e.yaml", f"{d}/e.h5"
    lib.write(yaml, EXPERIMENT)
    out = on_terminal(40, "run", yaml, "-o", h5)
    steps = [re.sub("\x1b.*", "", s) for s in out.split("\n")[0].split("\r") if s.strip()]
    check(os.path.exists(h5) and all(len(s) < 40 for s in steps), f"progress in 40 columns: {steps[:2]}")
    for command in (["summary", h5], ["bounds", h5], ["lu", yaml], ["gap", yaml], ["list", "policies"], ["info", h5]):
        # what a progress line shows is cleared before the table
        text = re.sub(r"[^\n]*\r\x1b\[K", "", on_terminal(80, *command)).replace("\r", "")
        plain = run(*command)
        table = [l for l in text.split("\n") if "  " in l.strip()]
        cells = lambda t: sorted(set(t.split()))
        widest = max(len(l) for l in table)
        check(cells(text) == cells(plain), f"{command[0]}: the same cells as in a file")
        limit = 80 if command[0] in ("summary", "bounds", "lu", "gap") else 10 ** 9
        check(widest <= limit, f"{command[0]}: {widest} columns of 80 (a file: {max(map(len, plain.splitlines()))})")
    out = on_terminal(80, "search", yaml, "-o", f"{d}/w.yaml", "--vary", "policies.0.alpha=0.1:1", "--evaluations", "20",
                      "--replications", "20000", "-s", "policies=[{name: max_ucb}]", "-s", "horizons=[200]")
    check("search" in out and "% " in out, f"search shows its progress: {out[:60]!r}")

    # A single replication of a search: its evaluations are counted.
    lib.write(f"{d}/s.yaml", "problem: {searches: [{repeat: 2, objective: {name: cash, arm: '{i}'}, optimizer: rf}]}\n"
              "combined: [{optimizer: rf}]\npolicies: [uniform]\nhorizons: [120]\nreplications: 1\n")
    for command in (["run", f"{d}/s.yaml", "-j", "1", "-o", f"{d}/s.h5"], ["record", f"{d}/s.yaml", "-o", f"{d}/s.csv"],
                    ["survey", f"{d}/s.yaml"]):
        shares = [float(x) for x in re.findall(r"([0-9.]+) %  [0-9]+:[0-9]+ left", on_terminal(80, *command))]
        check(shares == sorted(shares) and any(0 < s < 100 for s in shares) and shares[-1] == 100,
              f"{command[0]} shows the progress of one replication: {shares[:3]}")

    for command in (["summary", h5], ["bounds", h5], ["lu", yaml], ["gap", yaml], ["survival", yaml], ["claims", "--list"]):
        objects, table = json.loads(run(*command, "--json")), rows(run(*command, "--csv"))
        same = len(objects) == len(table) and all(list(o) == list(r) for o, r in zip(objects, table))
        for o, r in zip(objects, table):
            for key in o:
                value = o[key]
                same &= r[key] == "" if value is None else (value == r[key] if isinstance(value, str) else
                                                            lib.close(r[key], value, 0))
        check(same and len(table) > 0, f"{command[0]} --json: the {len(table)} rows of --csv")

    os.mkdir(f"{d}/scratch")
    os.symlink("scratch/real.h5", f"{d}/link.h5")
    run("run", yaml, "-o", f"{d}/link.h5", "-q")
    check(os.path.islink(f"{d}/link.h5") and os.listdir(f"{d}/scratch") == ["real.h5"], "-o through a symbolic link")
    run("run", yaml, "-s", "seed=2", "-o", f"{d}/link.h5", "-q")
    check(os.path.islink(f"{d}/link.h5") and sorted(os.listdir(f"{d}/scratch")) == ["real.h5", "real.h5.previous"],
          "an earlier result stays beside what the link leads to")
finish()
