"""The library reads and prints numbers with a decimal point whatever locale its process has set: every function that reports
errors, thus reads or prints text, begins with the C locale; the tests of the C library pass in other locales, and what Python
computes is the same there. What the library calls back sees the locale of the process."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, python_environment, write
from locales import environments, passes

TESTS = ("library/test_library", "library/test_study", "library/test_policy_loop", "library/test_policy_results",
         "tables/test_tables")
SCRIPT = r'''
import locale, os, pickle, sys
import maxk
from maxk import Categorical, Integer, Real
directory = sys.argv[1]
DIGITS = [.91253517423481271, .87501234567890123, .12512345678901234, 1.25e-7]
def rows(name, head, lines):
    with open(os.path.join(directory, name), "w") as f:
        f.write("\n".join([head, *lines]) + "\n")
    return os.path.join(directory, name)
csv = rows("runs.csv", "instance,arm,repetition,iteration,reward",
           [f"IRIS,{'svI' if i < 2 else 'knn'},0,{i % 2 + 1},{x!r}" for i, x in enumerate(DIGITS)])
seen = set()
def note(*_):
    seen.add(locale.localeconv()["decimal_point"])
def shown(what, value):
    print(what, value.to_csv() if hasattr(value, "to_csv") else value.tolist() if hasattr(value, "tolist") else value)
shown("survey", maxk.table("survey", csv))
result = maxk.run({"problem": {"trajectories": csv}, "policies": [{"name": "max_ucb", "alpha": [.125, .5]}], "horizons": [2]},
                  overrides={"policies.0.power": 1.5}, progress=note)
shown("labels", list(result.policies))
shown("maxima", result.max_reward)
shown("summary", result.summary())
arms = [{"family": "power", "a": 2.5, "s": 1.02}, {"family": "uniform", "lo": 0, "hi": .93}]
for engine in ("per-pull", "record"):
    known = maxk.run({"problem": {"arms": arms}, "policies": ["max_ucb"], "horizons": [20], "replications": 3},
                     output=os.path.join(directory, engine + ".h5"), engine=engine, threads=2, progress=note, force=True)
    shown(engine, known.mean_max)
shown("bounds", known.bounds())
shown("array", maxk.run({"policies": ["uniform"], "horizons": [2]}, rewards=[[DIGITS[:2], DIGITS[2:]]]).max_reward)
arm = maxk.Arm("power", a=2.5, s=1.02)
shown("arm", [arm.described, arm.expected_max(10), arm.constants(), repr(arm)])
policy = maxk.Policy("max_ucb", arms=2, alpha=.25)
for x in DIGITS:
    policy.update(policy.select(), x)
other = pickle.loads(pickle.dumps(policy))
shown("policy", [other.to_text(), other.best, other.select()])
space = {"svI": {"C": Real(.001, 1000, log=True, step=None), "kInd": Categorical(["InIt", "1.5", 2.5]),
                 "d": Integer(1, 9, when={"kInd": "1.5"})}, "knn": {"x": Real(0, 1.5, step=.25)}}
def objective(trial):
    note()
    return trial.params.get("x", .5) / 3 + trial.seed / 2 ** 33, {"mem": trial.seed / 7}
for n, more in enumerate([{}, {"policy": {"name": "max_ucb", "alpha": .125}}, {"optimizer": "gp", "crash": .5},
                          {"combined": "rf"}, {"prior": csv and None}]):
    path = os.path.join(directory, f"study{n}.h5")
    made = {"n_trials": 24, "metrics": ["mem"], "subject_to": {"mem": {"at_most": 2.5e8}}, "seed": 3, "path": path} | more
    study = maxk.Study(space, force=True, **made)
    study.optimize(objective)
    study.close()
    study = maxk.Study(space, resume=True, **made)
    shown(n, study.trials_dataframe().drop(columns="seconds"))
    shown("files", open(path[:-3] + ".csv").read() + open(path[:-3] + ".best.yaml").read())
    if "combined" not in more:
        shown("what-if", study.simulate({"name": "max_ucb", "alpha": .25}))
        again = maxk.Study(space, metrics=["mem"])
        again.add_trials(study)
        shown("added", again.trials_dataframe().drop(columns="seconds"))
    study.report(os.path.join(directory, f"page{n}.html"))
    page = open(os.path.join(directory, f"page{n}.html")).read()
    print("page", len(page.split("<svg")), "best metric", page[page.find("Best metric"):][:60])
    study.close()
for wrong in (lambda: maxk.Study({"a": {"x": Real(0, 1, step=2.5)}}), lambda: maxk.Arm("power", a=-1.5, s=1),
              lambda: maxk.run("{problem: {arms: []}}"), lambda: maxk.table("survey", csv + ".none"),
              lambda: maxk.Policy("max_ucb", arms=2, alpha=-.5)):
    try:
        wrong()
    except maxk.Error as problem:
        print(problem)
print("point", sorted(seen), file=sys.stderr)
'''


def declared():
    """Functions of the public headers, and whether they report errors."""
    found = {}
    for path in glob.glob("sim/api/maxk/*.h"):
        text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
        text = re.sub(r"^MK_DEPRECATED[^;]*;", "", text, flags=re.M)  # these call those that they name
        for one in re.finditer(r"^[a-z][^;{}#]*?\b(mk_\w+)\(([^;{}]*)\);", text, re.M):
            found[one[1]] = "mk_error" in one[2]
    return found


def guarded():
    sources = [open(path).read() for top in ("sim", "policies", "analysis")
               for path in glob.glob(f"{top}/**/*.c", recursive=True)]
    names = [name for name, reports in declared().items() if reports]
    begins = r"^[a-z][^;{{}}\n]*\b{}\([^;{{}}]*\)\n{{\n    (?:MK_IN_C_LOCALE;|return ({})\()"  # or calls another of them
    lacks = [name for name in names if not any(re.search(begins.format(name, "|".join(names)), text, re.M) for text in sources)]
    check(len(names) > 30 and not lacks, f"all {len(names)} public functions that report errors have the C locale {lacks}")
    tests = "".join(open(path).read() for path in [*(f"tests/unit/{test}.c" for test in TESTS),
                                                   *glob.glob("sim/python/maxk/*.py")])
    unused = [name for name in names if not re.search(rf"\b{name}\b", tests)]
    check(not unused, f"and all are called in what follows {unused}")


def in_python(directory, environment):
    """What the script prints, and the decimal points that its callbacks have seen."""
    os.makedirs(directory)
    done = subprocess.run(["/usr/bin/python3", write(f"{directory}/script.py", SCRIPT), directory],
                          env={**environment, "PYTHONPATH": "sim/python"}, capture_output=True, text=True)
    seen = re.findall(r"^point (.*)$", done.stderr, re.M)
    check(done.returncode == 0 and len(seen) == 1, f"{directory[-5:]}: the script ends: {done.stderr.strip()[-500:]}")
    return done.stdout.replace(directory, "HERE"), seen


def main():
    guarded()
    with folder() as here:
        built = os.path.dirname(MAXK)
        first, point = in_python(f"{here}/C", python_environment())
        check(point == ["['.']"] and first.count("\n") > 300, "in the C locale: a decimal point")
        for name, environment in environments(here, python_environment()).items():
            for test in TESTS:
                passes(f"{name}: {test}", [f"{built}/tests/unit/{test}"], environment)
            printed, point = in_python(f"{here}/{name[:5]}", environment)
            check(point == ["[',']"], f"{name}: objectives and progress functions see the decimal comma: {point}")
            others = [pair for pair in zip(first.splitlines(), printed.splitlines()) if pair[0] != pair[1]]
            check(printed == first, f"{name}: Python prints the same as in the C locale {others[:2]}")
    finish()


main()
