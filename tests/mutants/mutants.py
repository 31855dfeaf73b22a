"""make mutants: which changes of the code do the tests not notice?

All of sim, policies, distributions and analysis but printing and plotting. Changes one operator, constant or condition or
deletes one statement at a time in a copy of the sources (build/mutants), builds it, and runs the tests of that part of the code
until one fails: the mutant is killed. The others survive. Those in equivalent.txt are known to change nothing that a test could
see; each says why. A survivor is a test to be written or a line for that file. Exit status 1 when fewer than 90 % of the mutants
that are not equivalents are killed.

Two passes: all mutants with the tests that take less than SLOW seconds, then those that are left with the others. Which
tests come first is learned (build/mutants/learned.json): those that are quick and have killed mutants of the same file. A test
that takes longer than CAP times its usual time has noticed the mutant.

Mutants are drawn at random by --seed over all places, so that another seed looks elsewhere. No places: lines that only
pass errors on or allocate memory, since tests/long/test_failures.py lets these calls fail in turn; text;
preprocessor lines; room (constants of an enum); tolerances and limits (constants below 1e-5 or from 1e5), which may well
be others.

With --only PATH:LINE… every mutant of these lines."""
import argparse
import concurrent.futures
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
UNIT, COMMAND = "build/tests/unit/", "tests/command/"
SLOW, CAP = 8, 5
LEARNED = "build/mutants/learned.json"



def units(folder):
    """The C tests of a folder."""
    names = sorted(os.listdir(os.path.join("tests/unit", folder)))
    return [f"{folder}/{n[:-2]}" for n in names if n.startswith("test_") and n.endswith(".c")]


# What tests which files: the longest prefix of a file counts.
POLICY_TESTS = ["policies/test_policy_traces_extreme", "policies/test_policy_traces_cash", "policies/test_policy_generic",
                "policies/test_policy_pulls", "policies/test_record_sums", "policies/test_reject_schedule",
                "policies/test_line_residuals", "policies/test_tournament", "policies/test_policy_blocks",
                "policies/test_policy_e4_extreme", "policies/test_record_ties", "engine/test_engines_agree",
                "theory/test_rising_bandits", "engine/test_record_engine", "test_rising_best_arm.py", "test_numerics.py",
                "test_units.py", "test_recorded_reference.py", "test_e4_reference.py"]
DISTRIBUTION_TESTS = units("distributions") + ["theory/test_lu", "engine/test_atom_engines"]
RUN_TESTS = units("engine") + ["test_threads.sh", "test_resume.sh", "test_units.py"]
THEORY_TESTS = ([t for t in units("theory") if "certificate_exact" not in t] +
                ["claims/test_claims", "test_bounds_values.py", "test_rate.sh", "test_survey.py", "test_user_claims.py"])
SPACE_TESTS = ["space/test_space", "optimizers/test_untried", "optimizers/test_optimizers", "experiment/test_experiment",
               "test_tune.py"]
SEARCH_TESTS = ["search/test_search", "engine/test_run_searches", "optimizers/test_optimizers", "test_searches.sh",
                "test_search_costs.py", "test_prior.py"]
OPTIMIZER_TESTS = units("optimizers") + SEARCH_TESTS + ["test_incumbent.py"]
STORE_TESTS = units("store") + ["test_resume.sh", "test_result.py", "test_foreign_result.py", "test_messages.py"]
TABLE_TESTS = units("tables") + units("table") + units("arms") + ["test_python.py"]
TUNE_TESTS = units("programs") + ["test_tune.py", "test_tune_record.py"]
COMMAND_TESTS = ["test_options.sh", "test_messages.py", "test_terminal.py", "test_bad_input.sh"]
TESTS = {
    "policies/": POLICY_TESTS,
    "distributions/": DISTRIBUTION_TESTS,
    "analysis/theory/": THEORY_TESTS,
    "analysis/theory/certificates/": ([t for t in units("theory") if "certif" in t] +
                               ["theory/test_first_passage", "theory/test_certificate_exact", "test_certify.py"]),
    "analysis/theory/certificates/certificate_store": ["theory/test_certificate_store", "test_kept_certificates.py"],
    "analysis/theory/lu": ["theory/test_lu", "theory/test_bounds", "claims/test_claims"],
    "analysis/theory/growth": ["theory/test_growth", "compare/test_growth_fit", "test_rate.sh", "test_user_claims.py"],
    "analysis/compare/importance": ["test_report.sh"],
    "analysis/compare/what_if": ["test_report.sh", "test_tune.py"],
    "analysis/compare/": ["compare/test_reward_unit", "compare/test_growth_fit", "theory/test_growth", "test_bounds_values.py",
                          "test_rate.sh", "test_user_claims.py", "test_units.py"],
    "analysis/compare/advice": ["test_recommend.py"],
    "analysis/compare/policy_choice": ["test_recommend.py"],
    "analysis/compare/replay": ["test_recommend.py"],
    "analysis/compare/": units("compare") + ["models/test_significance", "test_rank.py"],
    "analysis/compare/arms/": units("arms") + ["test_survey.py", "test_bounds_values.py", "test_certify.py"],
    "analysis/answers/tables/": [*TABLE_TESTS, "test_survey.py", "test_rank.py", "test_messages.py"],
    "analysis/answers/tables/bound": [*TABLE_TESTS, "test_bounds_values.py", "test_user_claims.py", "test_kept_certificates.py"],
    "analysis/answers/tables/certify": [*TABLE_TESTS, "test_certify.py", "test_kept_certificates.py"],
    "analysis/answers/tables/claims": [*TABLE_TESTS, "test_claims.py", "test_user_claims.py"],
    "analysis/answers/tables/exceed": [*TABLE_TESTS, "test_foreign_result.py", "test_hu2019.py"],
    "analysis/answers/tables/import": [*TABLE_TESTS, "test_import.py"],
    "analysis/answers/tables/info": [*TABLE_TESTS, "test_result.py", "test_kept_certificates.py", "test_process.sh",
                                     "test_tune.py"],
    "analysis/answers/tables/list": [*TABLE_TESTS, "test_claims.py", "test_process.sh"],
    "analysis/answers/tables/map": [*TABLE_TESTS, "test_map.py", "test_units.py"],
    "analysis/answers/tables/rank": [*TABLE_TESTS, "test_rank.py", "test_incumbent.py", "test_survey.py"],
    "analysis/answers/tables/rate": [*TABLE_TESTS, "compare/test_growth_fit", "test_rate.sh"],
    "analysis/answers/tables/importance": [*TABLE_TESTS, "test_report.sh"],
    "analysis/answers/tables/recommend": [*TABLE_TESTS, "test_recommend.py"],
    "analysis/answers/tables/result_": [*TABLE_TESTS, "test_result.py", "test_units.py", "test_incumbent.py", "test_rank.py",
                                "test_searches.sh", "test_certify.py", "test_kept_certificates.py"],
    "analysis/answers/tables/schedule": [*TABLE_TESTS, "test_schedule.sh"],
    "analysis/answers/tables/search": [*TABLE_TESTS, "test_search.py"],
    "analysis/answers/tables/table_input": [*TABLE_TESTS, "test_figure_choice.sh", "test_survey.py", "test_rank.py"],
    "analysis/answers/tables/trace": [*TABLE_TESTS, "test_plugin.sh", "test_process.sh", "test_python.py"],
    "analysis/answers/tables/trials": [*TABLE_TESTS, "test_tune.py"],
    "analysis/answers/page/": ["test_pages.py", "test_report.sh", "test_hostile_text.sh", "test_instances.py"],
    "analysis/compare/claims/": ["claims/test_claims", "test_claims.py", "test_search.py"],
    "sim/run/tape/": ["tape/test_record_tape", "engine/test_run_searches"] + POLICY_TESTS[3:4] + RUN_TESTS +
                 ["test_e4_reference.py"],
    "sim/run/engine/": RUN_TESTS,
    "sim/run/engine/run_searches": ["engine/test_run_searches", "search/test_search", "test_searches.sh"],
    "sim/run/engine/check_": ["test_plugin.sh"],
    "sim/problem/traj": ["problem/test_trajectory", "problem/test_ground_truth", "test_messages.py", "test_rank.py",
                         "test_result.py", "test_survey.py"],
    "sim/problem/problem": ["engine/test_run_searches", "search/test_search", "problem/test_trajectory", "test_searches.sh",
                            "test_result.py", "test_rank.py"],
    "sim/problem/": ["problem/test_ground_truth", "problem/test_process", "problem/test_trajectory", "arms/test_gaps",
                     "test_process.sh", "test_result.py", "test_rank.py"],
    "sim/base/": units("base") + ["test_messages.py", "test_result.py"],
    "sim/base/input_path": units("base") + ["store/test_problem_input", "test_messages.py"],
    "sim/base/order.c": ["base/test_order", "base/test_extrema", "theory/test_lu"],
    "sim/search/space/": SPACE_TESTS,
    "sim/search/plan/": ["plan/test_plan", "optimizers/test_halving", "optimizers/test_race_model", "test_schedule.sh"],
    "sim/search/models/": units("models") + ["optimizers/test_optimizers", "test_rank.py"],
    "sim/search/": SEARCH_TESTS,
    "sim/search/optimizers/": OPTIMIZER_TESTS,
    "sim/search/objectives/": ["objectives/test_objectives", "space/test_space", *SEARCH_TESTS],
    "sim/run/experiment/plugins": ["test_plugin.sh"],
    "sim/run/experiment/": ["experiment/test_experiment", "experiment/test_experiment_damage", "engine/test_run_searches",
                        "test_messages.py", "test_units.py", "test_process.sh", "test_user_claims.py", "test_plugin.sh"],
    "sim/run/store/": STORE_TESTS,
    "sim/run/durable/": [*units("durable"), *STORE_TESTS, "test_shards.sh", "test_mpi.sh"],
    "sim/api/": units("library") + ["test_python.py"],
    "sim/program/library/": units("library") + ["test_python.py"],
    "sim/base/table/": units("table") + units("tables") + ["test_messages.py", "test_python.py"],
    "sim/base/table/table_print": units("table") + units("tables") + ["test_messages.py", "test_python.py", "test_report.sh"],
    "sim/search/records/": ["test_import.py", "test_import_rows.py"],
    "policies/ask_tell/": ["library/test_policy_loop", "test_python.py"],
    "sim/study/": [*TUNE_TESTS, "test_leaving_arms.py", "test_order_of_writes.py", "library/test_study",
                   "library/test_policy_loop", "test_python.py", "test_python_study.py", "test_failed_writes.py"],
    "sim/study/programs/": [*TUNE_TESTS, "test_instances.py", "test_pruning.py", "test_signals.py", "test_failed_writes.py"],
    "sim/program/command/": COMMAND_TESTS,
    "sim/program/command/cmd_check_plugin": ["test_plugin.sh", *COMMAND_TESTS],
    "sim/program/command/cmd_export": ["test_rate.sh", "test_result.py", *COMMAND_TESTS],
    "sim/program/command/cmd_merge": ["test_shards.sh", *COMMAND_TESTS],
    "sim/program/command/cmd_record": ["test_tune_record.py", "test_searches.sh", *COMMAND_TESTS],
    "sim/program/command/cmd_run": ["test_resume.sh", "test_threads.sh", "test_shards.sh", *COMMAND_TESTS],
    "sim/program/command/cmd_tune": [*TUNE_TESTS, *COMMAND_TESTS],
}
EVERY = ["test_printed_tables.py"]  # looks at all of them
# Printing and plotting, which tests look at as a whole; bench only measures; headers without code of their own have no places.
NOT_COVERED = ("sim/program/command/help", "sim/program/command/cmd_describe",
               "sim/program/command/cmd_bench", "sim/program/command/cmd_figures", "sim/program/command/progress",
               "sim/program/bench/", "sim/base/progress",
               "sim/base/table", "analysis/answers/figures/plot/", "analysis/answers/figures/",
               "analysis/answers/figures/bonus_figure")
NEEDS = {"test_result.py": "build/tests/unit/store/test_store", "test_python.py": "build/libmaxk.so",
         "test_python_study.py": "build/libmaxk.so", "test_failed_writes.py": "build/libmaxk.so"}  # besides the program
PERTURB = {UNIT + "durable/test_memory_estimate": {}}  # what is written counts there
ROOMS = ("sim/", "policies/", "distributions/", "analysis/")

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*",
         "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
OPERATOR = re.compile(r"(?<= )(" + "|".join(re.escape(s) for s in sorted(SWAPS, key=len, reverse=True)) + r")(?= )")
CONSTANT = re.compile(r"(?<![\w.])(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)(?![\w.])")
STATEMENT = re.compile(r"(?!\w+[ *]+\**\w|(?:return|break|continue|goto|else|case|default|for|while|if|do)\b|\(void\))"
                       r"[\w*(].*(?:=|\)|\+\+|--)[^=]*;$")
BEFORE_A_STATEMENT = re.compile(r"(?:[;{}):]|\belse)$")
RELEASES = re.compile(r"free\(|close\(|_put\(|unlink\(|munmap\(|omp_unset_lock|va_end")
CONDITION = re.compile(r"\bif \((?=.*\)(?: \S.*;)?\s*\{?\s*$)")
PASSES_ERRORS = re.compile(r"\bcode\b|\berr\b|alloc|sizeof|mk_fail|memory|_Static_assert|aligned|\bgood\b|\bfailed\b|^\s*enum \{")


def code_of(text):
    """The text with comments, strings and preprocessor lines blanked out, of the same length."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def other_constant(text):
    if not re.search(r"[.e]", text):
        return str(int(text) + 1)
    return repr(float(text) * 1.5) if 1e-5 <= float(text) < 1e5 else None


def other_condition(line, at):
    """if (x) … as if (!(x)) …"""
    depth, start = 0, line.index("(", at)
    for end in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        if depth == 0:
            return line[:start] + "(!" + line[start:end + 1] + ")" + line[end + 1:]
    return None


class Mutant:
    def __init__(self, path, number, before, after):
        self.path, self.number, self.before, self.after = path, number, before, after
        self.passed = set()  # tests that have not noticed it

    def key(self):
        return self.path, self.before.strip(), self.after.strip()

    def __str__(self):
        return f"{self.path}:{self.number}: {self.before.strip()}  ->  {self.after.strip()}"


def mutants_of(path):
    with open(path) as f:
        text = f.read()
    out, before = [], ""
    for n, (line, code) in enumerate(zip(text.split("\n"), code_of(text).split("\n")), 1):
        begins, before = BEFORE_A_STATEMENT.search(before), code.rstrip() or before
        if PASSES_ERRORS.search(code):
            continue
        spots = [(m.start(), m.end(), SWAPS[m.group()]) for m in OPERATOR.finditer(code)]
        spots += [(m.start(), m.end(), other_constant(m.group())) for m in CONSTANT.finditer(code)]
        out += [Mutant(path, n, line, line[:a] + new + line[b:]) for a, b, new in spots if new is not None]
        out += [Mutant(path, n, line, new) for m in CONDITION.finditer(code) if (new := other_condition(line, m.start()))]
        if begins and STATEMENT.match(code.strip()) and not RELEASES.search(code):
            out.append(Mutant(path, n, line, ";"))
    return out


def tests_of(path):
    """Of a file of ROOMS; none: it is not covered. A new folder has to be named in TESTS or in NOT_COVERED."""
    if not path.startswith(ROOMS) or path.startswith(NOT_COVERED):
        return []
    prefix = max((p for p in TESTS if path.startswith(p)), key=len, default=None)
    return [*TESTS[prefix], *EVERY] if prefix else sys.exit(f"{path}: name its tests in TESTS of tests/mutants/mutants.py")


def equivalents():
    """path, line, changed line -> the reason; a block of four lines each, blocks apart by an empty one."""
    with open(os.path.join(HERE, "equivalent.txt")) as f:
        text = "\n".join(line for line in f.read().split("\n") if not line.startswith("#"))
    blocks = [b.strip("\n").split("\n") for b in re.split(r"\n\s*\n", text) if b.strip()]
    return {tuple(part.strip() for part in b[:3]): b[3].strip() for b in blocks}


def copy_tree(to):
    """The files of the repository that differ, with their times, so that make builds what has changed."""
    files = subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    for name in filter(os.path.isfile, files):
        there = os.path.join(to, name)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        with open(name, "rb") as a:
            mine = a.read()
        if not os.path.exists(there) or open(there, "rb").read() != mine:
            shutil.copy(name, there)
    for folder, _, names in os.walk(to):
        for path in (os.path.relpath(os.path.join(folder, n), to) for n in names):
            if not path.startswith("build/") and path not in files:
                os.remove(os.path.join(to, path))


def run(tree, command, seconds, to):
    """Exit status; None: took longer."""
    p = subprocess.Popen(command, cwd=tree, stdout=to, stderr=subprocess.STDOUT, start_new_session=True,
                         env={**os.environ, "MAXK": os.path.join(tree, "build/maxk"), "MAKEFLAGS": "", **PERTURB.get(
                             command[0], {"MALLOC_PERTURB_": "128"})})  # memory that nobody wrote reads as 1.4e306
    try:
        return p.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        return None


def make(tree, target, log):
    return run(tree, ["make", "-s", "WARN=-w", *target.split()], 3600, log)


def command_of(test):
    if "/" in test:
        return UNIT + test, [UNIT + test]
    return f"build/maxk {NEEDS.get(test, '')}", ["/usr/bin/python3" if test.endswith(".py") else "bash", COMMAND + test]


class Learned:
    """Seconds that tests take when they pass; how often they have killed a mutant of a file."""

    def __init__(self, patience):
        self.seconds, self.kills, self.fails, self.lock = {}, {}, set(), threading.Lock()
        self.patience = patience
        if os.path.exists(LEARNED):
            with open(LEARNED) as f:
                self.seconds, self.kills = json.load(f)

    def of(self, test):
        return self.seconds.get(test, 1 if "/" in test else 20)

    def order(self, path, tests):
        kills = self.kills.get(path, {})
        return sorted(tests, key=lambda t: (self.of(t) + 0.5) / (1 + 4 * kills.get(t, 0)))

    def limit(self, test, most):
        return self.patience * max(20, CAP * self.seconds[test]) if test in self.seconds else most

    def add(self, path, test, killed, seconds):
        with self.lock:
            if killed:
                of_file = self.kills.setdefault(path, {})
                of_file[test] = of_file.get(test, 0) + 1
            else:  # at best, since other programs may run at the same time
                self.seconds[test] = min(seconds, self.seconds.get(test, seconds))
            with open(LEARNED, "w") as f:
                json.dump([self.seconds, self.kills], f, indent=1)


def trusted(tree, tests, learned, most, log):
    """Those that pass on the sources as they are: only their failures say something."""
    for test in tests:
        if test in learned.seconds or test in learned.fails:
            continue
        target, command = command_of(test)
        start = time.time()
        if make(tree, target, log) == 0 and run(tree, command, most, log) == 0:
            learned.add(None, test, False, time.time() - start)
        else:
            learned.fails.add(test)
            print(f"     {test} fails without any change and is left out: see {tree}.log", flush=True)
    return [t for t in tests if t in learned.seconds]


def try_mutant(tree, m, tests, learned, most, log):
    """'killed by …', 'survived', 'did not build'"""
    tests = learned.order(m.path, trusted(tree, tests, learned, most, log))
    path = os.path.join(tree, m.path)
    with open(path) as f:
        lines = f.read().split("\n")
    original, lines[m.number - 1] = list(lines), m.after
    try:
        with open(path, "w") as f:
            f.write("\n".join(lines))
        for test in tests:
            target, command = command_of(test)
            if make(tree, target, log):
                return "did not build"
            start = time.time()
            status = run(tree, command, learned.limit(test, most), log)
            learned.add(m.path, test, status != 0, time.time() - start)
            if status != 0:
                return f"killed by {test}" + (" (took too long)" if status is None else "")
            m.passed.add(test)
        return "survived"
    finally:
        with open(path, "w") as f:
            f.write("\n".join(original))


def make_trees(jobs):
    """Copies of the sources, built, one for every job."""
    trees, first = queue.Queue(), os.path.abspath("build/mutants/tree1")
    os.makedirs(first, exist_ok=True)
    copy_tree(first)
    with open(first + ".log", "w") as log:
        if make(first, "all", log):
            sys.exit(f"the sources do not build: see {first}.log")
    trees.put(first)
    for j in range(2, jobs + 1):
        tree = os.path.abspath(f"build/mutants/tree{j}")
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(first, tree, symlinks=True)  # with their times
        trees.put(tree)
    return trees


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300, help="for a test whose usual time is not known")
    parser.add_argument("--patience", type=float, default=1, help="factor of all limits of time, for a machine that is busy")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--under", default="", help="only files whose path begins so")
    parser.add_argument("--only", metavar="PATH:LINE", nargs="+", help="all mutants of these lines")
    parser.add_argument("--pick", metavar="N", type=int, nargs="+", help="only those with these numbers of the list")
    parser.add_argument("--list", action="store_true", help="only list them")
    o = parser.parse_args()
    files = subprocess.run(["git", "ls-files", "*.c", "*.h"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    places = [m for path in files if tests_of(path) and path.startswith(o.under) for m in mutants_of(path)]
    if o.only:
        chosen = [m for m in places if f"{m.path}:{m.number}" in o.only]
    else:
        chosen = random.Random(o.seed).sample(places, min(o.number, len(places)))
    print(f"{len(chosen)} of {len(places)} mutants", flush=True)
    if o.list:
        print(*chosen, sep="\n")
        return 0
    tally, learned, trees = {"killed": 0, "survived": 0, "equivalent": 0, "did": 0}, Learned(o.patience), make_trees(o.jobs)

    def work(numbered, slow):
        n, m = numbered
        start, tree = time.time(), trees.get()
        tests = [t for t in tests_of(m.path) if t not in m.passed and (slow or learned.of(t) < SLOW)]
        reason = equivalents().get(m.key())  # read again: a run of hours may be explained while it runs
        with open(tree + ".log", "w") as log:
            result = f"equivalent: {reason}" if reason else try_mutant(tree, m, tests, learned, o.seconds, log)
        trees.put(tree)
        left = result == "survived"
        if slow or not left:
            tally[result.split()[0].rstrip(":")] += 1
        so_far = " the quick tests" if left and not slow else ""
        print(f"{n:4} {m}\n     {result}{so_far} ({time.time() - start:.0f} s)", flush=True)
        return numbered if left else None

    left = [(n, m) for n, m in enumerate(chosen, 1) if not o.pick or n in o.pick]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for slow in (False, True):
            left = [m for m in pool.map(work, left, [slow] * len(left)) if m]
    built = tally["killed"] + tally["survived"]
    print(f"{tally['killed']} of {built} killed, {tally['survived']} survived, {tally['equivalent']} known equivalents, "
          f"{tally['did']} did not build")
    return 0 if tally["killed"] >= 0.9 * built else 1


if __name__ == "__main__":
    sys.exit(main())
