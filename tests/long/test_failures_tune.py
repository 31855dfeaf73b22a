"""As test_failures.py, of what starts programs of the user's own and of commands that take long: tune, tune --resume and record
end with one line and exit code 1 or 2 or with the right trials, and --resume then completes them; certify, map and report end
like the commands there. Every 80th call."""
import filecmp
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from failures import Injector, gnuplot_in_its_place
from lib import check, finish, folder, write

ARMS = """arms: [{label: a, space: {x: {real: [0, 1]}, n: {integer: [1, 9]}}},
  {label: b, space: {x: {real: [0, 1]}, w: {categorical: [u, v]}}}]
"""
BOTH = f"policy: max_ucb\nbudget: {{evaluations: 6}}\nlag: 2\nretries: 1\nseed: 3\n{ARMS}"
FILES = {
    "command.yaml": """command: [sh, -c,
  "echo 'loss: 0.5' >{directory}/m; echo 'loss: {x} (of {arm})' >>{directory}/m; test {trial} != 2"]
metric: {regex: "loss: ([^ ]+)", maximize: false, file: m}
optimizer: {name: tpe, init: 2}
timeout: 60
reevaluate: 2
""" + BOTH,
    "words.yaml": """shell: 'test {arm} = a || exit 3; echo "the loss is" "{x}"'
metric: {last_number: true, maximize: false}
optimizer: random
crash: {value: 2}
""" + BOTH,
    "served.yaml": """worker: [sh, "{here}/served.sh"]
metric: {json: loss.0, maximize: false}
combined: {optimizer: {name: rf, init: 2}}
limits: {cpu: 60}
budget: {evaluations: 6}
""" + ARMS,
    "served.sh": """while read -r line; do
    number=${line#*: } x=${line##*\\"x\\": }
    [ "${number%%,*}" = 3 ] && exit 1
    echo "{\\"trial\\": ${number%%,*}, \\"loss\\": [${x%%[,\\}]*}]}"
done
""",
    "arms.yaml": """problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 3, s: 1.01}]}
policies: [{name: max_ucb, alpha: 0.5}, {name: random}]
horizons: [50]
replications: 5
""",
}


class Sweeps:
    """Sweeps in the folder `work`; the files of `begin` are there before each run."""

    def __init__(self, at, work, begin):
        self.at, self.work, self.begin, self.tried, self.refused = at, work, begin, 0, 0

    def begun(self):
        clear(f"{self.work}/out.*")
        for path in glob.glob(f"{self.begin}/*"):
            copy(path, self.work)

    def run(self, *arguments):
        return self.at.program(*arguments, cwd=self.work)

    def sweep(self, kind, text, command, fresh=()):
        """Calls of a command; the options `fresh` do not go with --resume."""
        at = self.at
        at.start()
        self.begun()
        done = self.run(*command, *fresh)
        if not check(done.returncode == 0, f"{text} runs {done.stderr.decode()[:300]}"):
            return
        shutil.copy(f"{self.work}/out.csv", f"{self.work}/wanted")
        self.begun()
        calls = at.counted(kind, text, *command, *fresh, cwd=self.work)
        for number in at.chosen(calls):
            self.fail(kind, number, text, command, fresh)
        check(at.errors == 0 and calls > 50,
              f"{text}: {at.tried} of {calls} {kind} calls fail, one at a time ({at.refused} with an error)")
        self.tried += at.tried
        self.refused += at.refused

    def fail(self, kind, number, text, command, fresh):
        at, result, what = self.at, f"{self.work}/out.h5", f"{text}: call {number}"
        self.begun()
        earlier = read(result)
        done = at.failing(kind, number, what, *command, *fresh, cwd=self.work)
        if done.returncode:
            if read(result) != earlier and self.run("info", "out.h5").returncode:
                at.wrong(what, "the earlier result is damaged")
            again = self.run(*command, "--resume")
            if again.returncode:
                at.wrong(f"{what}: {done.stderr.decode()[:300]}: resume", again.stderr.decode()[:300])
        if not (os.path.exists(f"{self.work}/out.csv") and
                filecmp.cmp(f"{self.work}/out.csv", f"{self.work}/wanted", shallow=False)):
            at.wrong(what, f"other trials, exit code {done.returncode}: {done.stderr.decode()[:300]}")


def clear(pattern):
    for path in glob.glob(pattern):
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def copy(path, to):
    if os.path.isdir(path):
        shutil.copytree(path, f"{to}/{os.path.basename(path)}")
    else:
        shutil.copy(path, to)


def read(path):
    """None: it is not there."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()


def sweep_tuning(at, work, begin, kind):
    s = Sweeps(at, work, begin)
    for name in ("command", "words", "served"):
        s.sweep(kind, f"tune, {name}.yaml", ["tune", f"{name}.yaml", "-q", "-o", "out.h5"])
    s.sweep(kind, "record", ["record", "served.yaml", "-o", "out.csv"])
    clear(f"{work}/out.*")
    done = s.run("tune", "command.yaml", "-q", "-s", "budget.evaluations=2", "-o", "out.h5")
    check(done.returncode == 0, f"a run to be extended {done.stderr.decode()[:300]}")
    for path in glob.glob(f"{work}/out.*"):
        copy(path, begin)
    for option in ("--resume", "--force"):
        s.sweep(kind, f"tune {option}", ["tune", "command.yaml", "-q", "-o", "out.h5"], [option])
    check(s.refused > s.tried // 4, f"more than a quarter of {s.tried} failing {kind} calls end with an error ({s.refused})")
    clear(f"{begin}/*")


def sweep_commands(at, work, path, kind):
    at.start()
    step = at.step if kind == "memory" else (at.step + 9) // 10  # storage: of which these have few
    at.each(kind, "certify", "arms.yaml", cwd=work, step=step)
    at.each(kind, "report", "arms.h5", "-o", "page.html", cwd=work, step=step)
    at.each(kind, "map", "arms.yaml", "-v", "policies.0.alpha=0.1:1", "-v", "problem.arms.1.a=2:4", "--columns", "2", "--rows",
            "2", "--replications", "5", "-o", "pictures", cwd=work, path=path, step=step)
    check(at.errors == 0 and 0 < at.tried and at.refused > at.tried // 3,
          f"certify, report, map: {at.tried} of {at.all} {kind} calls fail, one at a time ({at.refused} times with an error)")


with folder() as d:
    at, work, begin = Injector(d, step=80), f"{d}/work", f"{d}/begin"
    os.mkdir(work)
    os.mkdir(begin)
    for name, text in FILES.items():
        write(f"{work}/{name}", text)
    path = gnuplot_in_its_place(f"{d}/bin")
    done = at.program("run", "arms.yaml", "-q", "-o", "arms.h5", cwd=work)
    check(done.returncode == 0, f"a result for report {done.stderr.decode()[:300]}")
    for kind in ("memory", "storage"):
        sweep_tuning(at, work, begin, kind)
        sweep_commands(at, work, path, kind)
finish()
