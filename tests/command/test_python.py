"""The Python module: the numbers of the program, arms, policies, arrays of rewards, errors, interruption, the tutorial."""
import copy
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, "tests/support")
from lib import MAXK, check, close, enter, finish, folder, python_environment, raises, rows, run, write

ENVIRONMENT = python_environment()
enter(ENVIRONMENT)

sys.path.insert(0, "sim/python")
import numpy as np
import pandas
import h5py
import xarray

import maxk

TEXT = """name: python
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.9}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5]}, exp3, oracle]
horizons: [20, 200]
replications: 40
"""
MAPPING = {
    "name": "python",
    "problem": {"arms": [{"family": "power", "a": 3, "s": np.float64(1.01)}, {"family": "uniform", "lo": 0, "hi": 0.9}]},
    "policies": [{"name": "max_ucb", "alpha": np.array([0.1, 0.5])}, "exp3", "oracle"],
    "horizons": (20, np.int64(200)),
    "replications": 40,
}
# Hours of work.
ENDLESS = {**MAPPING, "horizons": [200000], "replications": 100000}


def in_process(path):
    """The tables of the library, without the program."""
    program, os.environ["MAXK"], search, os.environ["PATH"] = os.environ.get("MAXK"), "/nonexistent", os.environ["PATH"], ""
    try:
        made = {name: maxk.table(name, path) for name in ("gap", "lu", "survival", "survey")}
        raises(maxk.InputError, "an option that there is not", "did you mean horizons?", maxk.table, "gap", path, horizon=3)
        raises(maxk.InputError, "a command without a table", "no such table", maxk.table, "describe", "max_ucb")
    finally:
        os.environ["PATH"] = search
        os.environ["MAXK"] = program or ""
    check(set(made) <= set(maxk.tables()), "tables of the library are named")
    for name, table in made.items():
        text = rows(run(name, path, "--csv"))
        same = all((cell == "" and (value is None or value != value or value == ""))
                   or str(cell) == str(value) or (cell != "" and float(cell) == float(value))
                   for column in table.columns for cell, value in zip((row[column] for row in text), table[column]))
        check(list(table.columns) == list(text[0]) and len(table) == len(text) > 0 and same,
              f"{name}: made in this process, the cells of maxk {name} --csv")
    check(all(list(maxk.columns(name)) == list(table.columns) and all(maxk.columns(name).values())
              for name, table in made.items()),
          "maxk.columns has a meaning for every column")
    check(maxk.columns("gap")["gap"].endswith("(rewards)") and maxk.columns("gap")["gap"] in maxk.Result.gap_table.__doc__
          and maxk.columns("lu", 1) and not maxk.columns("gapp"), "with its unit, and methods of results list them")
    plan = maxk.table("schedule", "hyperband", "R=9", "eta=3")
    check(plan.configurations.tolist()[:3] == [9, 3, 1], "tables of several inputs")
    check(made["survival"].x.dtype == float and made["gap"].optimal.dtype == bool and made["lu"].arm.dtype.kind == "u",
          "columns have their types")


def check_swept():
    """Swept parameters are columns of tables by policy and coordinates."""
    policies = [{"name": "max_ucb", "alpha": [0.1, 0.5], "power": [1, 1.5]}, {"name": "max_ucb", "ties": "random", "label": "r"},
                "random"]
    result = maxk.run({**MAPPING, "policies": policies, "horizons": [10, 20, 40, 80, 160]})
    made = {name: maxk.table(name, result.path) for name in ("summary", "cells", "pulls", "policies", "rate", "bounds", "rank")}
    for name, table in made.items():
        wanted = {"alpha", "power", "parameter_ties" if name == "rank" else "ties"} - set(maxk.columns(name))
        check(set(table.columns[-len(wanted):]) == wanted, f"{name}: swept parameters are the last columns")
    half = result.summary().query("alpha == 0.5")
    check(set(half.policy) == {"max_ucb alpha=0.5 power=1", "max_ucb alpha=0.5 power=1.5", "r"}
          and set(half.query("power == 1.5").policy) == {"max_ucb alpha=0.5 power=1.5"}, "rows by parameters")
    ties = made["policies"].ties.tolist()
    check(ties == ["lowest"] * 4 + ["random", None] and made["policies"].alpha.isna().tolist() == [False] * 5 + [True],
          f"missing where a policy has none: {ties}")
    data = result.to_xarray()
    check(data.alpha.dims == ("policy",) and data.where(data.power == 1.5, drop=True).policy.size == 2
          and "ties" in data.coords, "coordinates")
    stored = xarray.open_dataset(result.path, group="parameters", engine="h5netcdf")
    check(stored.alpha.dims == ("policy",) and np.array_equal(stored.alpha, data.alpha, equal_nan=True)
          and stored.policy.values.tolist() == result.policies and stored.ties.values[-1] == "", "datasets in the file")
    plain = maxk.run({**MAPPING, "policies": ["random", {"name": "max_ucb", "alpha": 0.1}]})
    with h5py.File(plain.path) as f:
        check("parameters" not in f and list(plain.summary().columns) == list(maxk.columns("summary")), "nothing was swept")


def check_runs(d):
    path = write(f"{d}/python.yaml", TEXT)
    run("run", path, "-o", f"{d}/program.h5", "-q")
    wanted = maxk.open_result(f"{d}/program.h5")
    for name, experiment in (("path", path), ("text", TEXT), ("mapping", MAPPING)):
        for threads in (1, 2):
            got = maxk.run(experiment, threads=threads)
            check(np.array_equal(got.pulls, wanted.pulls) and np.array_equal(got.max_reward, wanted.max_reward)
                  and got.policies == wanted.policies, f"{name}, {threads} threads: the numbers of the program")
    cells, pulls = maxk.table("cells", f"{d}/program.h5"), maxk.table("pulls", f"{d}/program.h5")
    check(np.array_equal(cells.mean_max, wanted.mean_max.ravel()) and np.array_equal(pulls.pulls, wanted.pulls.ravel())
          and list(cells.columns) == [*maxk.columns("cells"), "alpha"], "tables of what a result holds")
    info = dict(zip(*maxk.table("info", f"{d}/program.h5").to_numpy().T))
    check(info["name"] == "python" and info["horizons"] == "2: 20 200" and info["policies"] == "4"
          and any("max_ucb" in line for line in maxk.table("info", f"{d}/program.h5", experiment=True).line), f"info: {info}")
    check(wanted.pulls.shape == (4, 1, 2, 40, 2) and list(wanted.horizons) == [20, 200] and wanted.instances == ["python"],
          f"shapes: {wanted!r}")
    check(np.array_equal(wanted.pulls.sum(-1), np.broadcast_to([[20], [200]], (4, 1, 2, 40))), "pulls add up to the horizons")
    other = maxk.run(TEXT, overrides={"seed": 2, "policies.0.alpha": 1}, engine="per-pull")
    check(other.policies[0] == "max_ucb" and len(other.policies) == 3, "overrides")
    data = wanted.to_xarray()
    check(data.max_reward.dims == ("policy", "instance", "horizon", "replication")
          and close(data.mean_max.sel(policy="exp3", horizon=200).item(), wanted.max_reward[2, 0, 1].mean())
          and data.gap.dims == ("instance", "horizon", "arm"), "xarray, with labels")
    check_swept()
    summary = maxk.run(MAPPING, overrides={"keep": "summary"})
    check(summary.pulls is None and np.array_equal(summary.mean_pulls, wanted.mean_pulls)
          and "pulls" not in summary.to_xarray(), "keep: summary")
    kept = maxk.run(MAPPING, output=f"{d}/kept.h5")
    path = maxk.run(MAPPING).path
    lasting = str(path)
    check(len(maxk.table("summary", path)) == 16 and len(maxk.table("summary", maxk.run(MAPPING).path)) == 16
          and len(maxk.table("summary", maxk.run(MAPPING))) == 16 and len(maxk.open_result(kept).policies) == 4,
          "the path of a temporary result keeps its file, and a result stands for its path")
    del path
    check(kept.path.exists() and os.path.getsize(kept) > 0 and not os.path.exists(os.path.dirname(lasting)),
          "an output stays, a temporary file goes with its result and its path")
    check_folder(d)
    return wanted


def check_folder(d):
    """Files stay where they are when the current folder is another one."""
    here, rewards = os.getcwd(), np.random.default_rng(3).random((2, 3, 4, 12))
    os.makedirs(f"{d}/one/data")
    os.makedirs(f"{d}/two")
    os.chdir(f"{d}/one")
    try:
        write("data/runs.csv", "instance,arm,repetition,iteration,reward\n" + "".join(
            f"one,{k},0,{n},{(0.37 * n + 0.1 * k) % 1}\n" for k in range(2) for n in range(9)))
        write("replay.yaml", "problem: {trajectories: data/runs.csv}\npolicies: [uniform]\nhorizons: [6]\n")
        results = [maxk.run({"policies": ["uniform"], "horizons": [6]}, rewards=rewards, output="own.h5"),
                   maxk.run("replay.yaml", output=b"replay.h5"), maxk.open_result("own.h5"), maxk.open_result("replay.h5")]
        os.chdir(f"{d}/two")
        tables = [(len(result.summary()), len(result.lu()), len(result.gap_table())) for result in results]
        check(len(set(tables)) == 2 and min(map(min, tables)) > 0 and os.listdir(".") == []
              and all(result.path.is_absolute() for result in results), f"tables after a change of the folder: {tables}")
    finally:
        os.chdir(here)


# Tables that the library makes of a result, and the options to make them with.
IN_PROCESS = {"certify": {"refinement": 0.2}, "exceed": {"above": 0.5}, "summary": {}, "rate": {"resamples": 10}}


def check_signatures(result):
    """Methods have the options of the registries; `import inspect` and editors see them."""
    import inspect
    shown = inspect.signature(maxk.Result.rank).parameters
    options = [row["option"] for row in rows(run("list", "options", "rank", "--csv"))]
    check([name for name in shown if name != "self"] == [name.replace("-", "_") for name in options] + ["further"]
          and shown["baseline"].kind == inspect.Parameter.KEYWORD_ONLY and "'pairs'" in str(shown["layout"]).replace('"', "'"),
          "the signature of rank")
    check("resamples: bootstrap resamples (default: 1000)" in maxk.Result.rank.__doc__ and "p_sign" in maxk.Result.rank.__doc__,
          "its options and columns")
    for name in ("from_", "from"):
        raises(maxk.InputError, f"{name}: an option that is a word of Python", "expected at least 5 horizons",
               lambda: result.rate(**{name: 100}))
    raises(maxk.InputError, "options of no table", "expected one of info", run_list, "options", "rnk")


def run_list(*words):
    maxk.table("list", *words)


def check_notebook(result):
    """What notebooks show of a result."""
    import html
    import matplotlib.pyplot
    html_rows = [[html.unescape(cell) for cell in re.findall("<td>(.*?)</td>", row)]
                 for row in re.findall("<tr>(.*?)</tr>", result._repr_html_())][1:]
    last = result.summary(horizon=200).query("optimal == 1")
    wanted = [[r.policy, f"{r.mean_max:.6g}", f"{r.regret:.3g}", f"{r.mean_pulls / 200:.3g}"] for r in last.itertuples()]
    check(html_rows == wanted, f"_repr_html_: the numbers of summary: {html_rows}")
    strange = maxk.run({**MAPPING, "policies": [{"name": "max_ucb", "label": "<b>&"}, "uniform"]})
    check("&lt;b&gt;&amp;" in strange._repr_html_() and "<b>" not in strange._repr_html_(), "labels are escaped")
    for quantity, values in (("regret", result.summary().query("optimal == 1").regret),
                             ("mean_max", result.mean_max.ravel()), ("best_share", None)):
        drawn = np.array([container[0].get_ydata() for container in result.plot(quantity).containers], float).ravel()
        if values is None:
            values = result.summary().query("optimal == 1").eval("mean_pulls / horizon")
        check(drawn.shape == (8,) and np.allclose(drawn, np.asarray(values, float), rtol=1e-12, atol=1e-12),
              f"plot: {quantity}")
    raises(maxk.InputError, "plot of something else", "quantity: expected one of regret, mean_max", result.plot, "pulls")
    # Arm c, the best of instance i, is not there in instance j. In each instance the arms have equal shares of T = 6 and 12.
    rewards = [("i", "a", .5), ("i", "b", .25), ("i", "c", .75), ("j", "a", .5), ("j", "b", .25)]
    columns = dict(zip(("instance", "arm", "reward"), map(list, zip(*(r for r in rewards for _ in range(12))))))
    lacks = maxk.run({"policies": ["uniform"], "horizons": [6, 12]}, rewards=columns)
    for quantity, share in (("best_share", (1 / 3 + 1 / 2) / 2), ("regret", 0), ("mean_max", (.75 + .5) / 2)):
        drawn = np.array(lacks.plot(quantity).containers[0][0].get_ydata(), float)
        check(np.allclose(drawn, [share] * 2, atol=1e-12), f"plot: {quantity} where an instance lacks an arm: {drawn}")
    check("<td>0.417</td>" in lacks._repr_html_(), "and the share that a notebook shows")
    errors = [container[2][0].get_segments() for container in maxk.run({**MAPPING, "policies": [
        "uniform", {"name": "max_ucb", "alpha": 0.1}]}).plot("mean_max").containers]
    check(len(errors) == 2 and not np.allclose(np.diff(errors[0], axis=1)[:, 0, 1], np.diff(errors[1], axis=1)[:, 0, 1]),
          "each policy has its own standard error")
    for direction, best in (("maximize", [2, 2, 5, 5]), ("minimize", [2, 1, 1, 1])):
        study = maxk.Study({"a": {}, "b": {}}, direction=direction, policy="uniform")
        study.optimize(lambda trial: [2, 1, 5, 3][trial.number], 4)
        check([list(line.get_ydata()) for line in study.plot().lines][2:] == [best], f"the best so far, {direction}")
    check(result.bounds(brief=False, variant="sum").equals(result.bounds(variant="sum")), "an option that is False")
    matplotlib.pyplot.close("all")


def check_in_process():
    result = maxk.run(MAPPING, overrides={"horizons": [20, 50, 100, 150, 200]})
    for name, options in IN_PROCESS.items():
        table = maxk.table(name, result.path, **options)
        text = rows(run(name, str(result.path), "--csv", *(f"--{key}={value}" for key, value in options.items())))
        check(name in maxk.tables() and len(table) == len(text) > 0 and list(table.columns) == list(text[0]) and
              set(maxk.columns(name)) <= set(table.columns), f"{name}: columns and rows of maxk {name} --csv")
        for column in table.columns:
            want = [row[column] for row in text]
            check(all((w == "") if (v is None or v != v) else float(w) == float(v) if w and not isinstance(v, str) else w == v
                      for v, w in zip(table[column], want)), f"{name}: {column}: {want[:3]} {list(table[column][:3])}")


def said_in(tables, printed):
    """Captions, notes and captions of groups are printed; what is left of the text without them."""
    for piece in (piece for t in tables for piece in (t.attrs["caption"], *t.attrs["notes"], *dict(t.attrs["groups"]).keys())):
        check(piece in printed, f"printed: {piece[:60]}")
        printed = printed.replace(piece, "", 1)
    return [line for line in printed.splitlines() if line.strip()]


def check_further(result):
    """Everything that a command prints is in one of the tables of its answer."""
    tables = result.bounds(further=True)
    names = [t.attrs["title"] for t in tables]
    check(names == ["bounds against simulation", "bounds on pulls, as printed", "verdicts on the bounds of pulls",
                    "Proposition 4.1"], f"bounds: its tables: {names}")
    left = said_in(tables, run("bounds", str(result.path)))
    check(len(left) == sum(len(t) + 1 for t in tables[1:]), f"bounds: all else that is printed are rows and heads: {left[:2]}")
    rows, counts = tables[0], tables[2]
    wanted = rows[rows.variant == "sum"].verdict.value_counts()
    counted = counts[counts.bound == "sum"][["holds", "violated", "vacuous"]].sum()
    check(counted.sum() > 0 and all(counted[k] == wanted.get(k, 0) for k in counted.index), f"counts of the rows: {counted}")
    check(tables[0].equals(result.bounds()) and maxk.table("bounds", result, further=True)[2].equals(counts),
          "the first is that without them")
    for t in tables:
        check(set(t.attrs["columns"]) == set(t.columns) and t.attrs["title"], "every column has a meaning")
    swept = result.summary().attrs["columns"].keys() - maxk.columns("summary")
    check(result.lu().attrs["columns"] == maxk.columns("lu") and swept == {"alpha"}, "that of maxk.columns, and of swept ones")
    made = [result.lu(further=True)[1] for _ in range(20)]  # each outlives the first of its list
    check(all(t.equals(made[0]) for t in made) and list(made[0]["rank"]) == sorted(made[0]["rank"]) and len(made[0]) > 2
          and maxk.columns("lu", 1).keys() == set(made[0].columns), "L and U by rank")
    groups = result.rank(horizon=[20, 200]).attrs["groups"]
    table = result.rank(horizon=[20, 200])
    check([set(table.iloc[rows].horizon) for _, rows in groups] == [{20}, {200}] and
          groups[1][0].startswith("T = 200:") and sum(len(rows) for _, rows in groups) == len(table), f"groups: {groups}")
    raises(maxk.InputError, "further is a flag", "further: expected True or False", result.lu, further="2")


def check_trace():
    """A replication pull by pull is that of a run."""
    with folder() as d:
        path = write(f"{d}/trace.yaml", TEXT)
        result = maxk.run(path, engine="per-pull")
        trace = maxk.table("trace", path, policy="exp3", replication=3, horizon=200)
        check(list(trace.t) == list(range(1, 201)) and trace.running_max.iloc[-1] == result.max_reward[2, 0, 1, 3] and
              list(np.bincount(trace.arm.astype(int), minlength=2)) == list(result.pulls[2, 0, 1, 3]) and
              np.array_equal(trace.reward.cummax(), trace.running_max), f"trace: the replication of a run: {trace.tail(1)}")


def check_tables(result):
    check_in_process()
    check_trace()
    check_further(result)
    check_notebook(result)
    check_signatures(result)
    for name in ("summary", "bounds", "rank", "lu", "certify"):
        options = {"refinement": 0.1} if name == "certify" else {}  # coarse: a build with sanitizers takes minutes for 0.02
        table = getattr(result, name)(**options)
        text = rows(run(name, str(result.path), "--csv", *(f"--{key}={value}" for key, value in options.items())))
        check(isinstance(table, pandas.DataFrame) and list(table.columns) == list(text[0]) and len(table) == len(text) > 0,
              f"{name}: the rows of maxk {name} --csv")
        printed = run(name, str(result.path), *(f"--{key}={value}" for key, value in options.items()))
        said = table.attrs
        check(said["caption"] in printed and all(note in printed for note in said["notes"]) and said["warnings"] == [],
              f"{name}: what is printed above and below the rows: {said}")
        check(name != "certify" or any(note.startswith("exp3, oracle are omitted: the index") for note in said["notes"]),
              f"{name}: notes")
    runs = "experiments/data/pmlb_fixture.csv"
    said, printed = maxk.table("recommend", runs, horizon=50).attrs, run("recommend", runs, "--horizon=50")
    check(said["caption"].startswith("4 instances, horizon 50") and len(said["notes"]) > 2 and
          all(line in printed for line in (said["caption"], *said["notes"])), f"recommend: what it recommends: {said}")
    table = result.summary(policy="exp3", horizon=200)
    check(set(table.policy) == {"exp3"} and close(table.mean_max[0], result.mean_max[2, 0, 1], 0), "options of a table")
    check(set(result.rank(horizon=[20, 200], without=["exp3", "oracle"]).policy) == {"max_ucb alpha=0.1", "max_ucb alpha=0.5"},
          "options with several values")
    raises(maxk.InputError, "an unknown option", "polcy: no such option", result.summary, polcy="x")
    raises(maxk.InputError, "an unknown command", "no such table (did you mean summary?)", maxk.table, "summry")
    raises(maxk.InputError, "a form of text", "json: the table comes as columns", result.rank, json=True)
    raises(maxk.InputError, "a command that makes a result", "tune: makes a result", maxk.table, "tune", "x.yaml")
    without = subprocess.run([sys.executable, "-c", "import sys; sys.modules['pandas'] = None\n"
                              f"import maxk\nt = maxk.open_result({str(result.path)!r}).summary()\n"
                              "print(t['horizon'].dtype, t['mean_max'].dtype, t['policy'][0], t.attrs['title'])"],
                             capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "sim/python"})
    check(without.stdout == "uint64 float64 max_ucb alpha=0.1 means of a result\n",
          f"without pandas, columns: {without.stdout}{without.stderr[-200:]}")


def check_arms():
    arm = maxk.Arm("power", a=3, s=1.01)
    # X = U^(1/a) / s^a: quantiles q^(1/3) / s^3, E[M(n)] = n / (n + 1/3) / s^3, L = s^3 (at eps = b), U = 3 s^3.
    b = 1.01**-3
    x = np.array([[0.2, 0.5], [0.8, 1]])
    check(np.allclose(arm.sf(x), np.clip(1 - (x / b)**3, 0, 1), rtol=1e-14) and arm.sf(0.5).__class__ is float, "sf")
    check(np.allclose(arm.ppf([0, 0.3, 1]), b * np.cbrt([0, 0.3, 1]), rtol=1e-14), "ppf")
    check(np.allclose(arm.isf(1e-12), b * (1 - 1e-12 / 3), rtol=1e-15), "isf")
    check(np.allclose(arm.expected_max([1, 10, 1e6]), b * np.array([0.75, 30 / 31, 3e6 / (3e6 + 1)]), rtol=1e-12), "expected_max")
    check(close(arm.support()[1], b) and close(arm.constants()[0], 1 / b) and close(arm.constants()[1], 3 / b), "L and U")
    draws = arm.sample(100000, seed=3)
    # 5 standard errors: a false alarm in 2 * 10^6 such tests.
    check(abs(draws.mean() - 0.75 * b) < 5 * draws.std() / 100000**0.5, "sample")
    check(np.array_equal(draws, arm.sample(100000, seed=3)) and not np.array_equal(draws, arm.sample(100000, seed=4)), "seeds")
    two = [maxk.Arm("uniform", lo=0, hi=1).sample(4000) for _ in range(2)]
    # The correlation of independent draws is below 6 / sqrt(4000): a false alarm in 10^9 such tests.
    check(abs(np.corrcoef(two)[0, 1]) < 6 / 4000**0.5 and not np.array_equal(arm.sample(9), arm.sample(9)),
          "draws of arms are independent, and new with every call")
    ours, same = np.random.default_rng(7), np.random.default_rng(7)
    first = arm.sample(9, rng=7)
    check(np.array_equal(arm.sample(9, rng=ours), first) and np.array_equal(arm.sample(9, rng=same), first)
          and not np.array_equal(arm.sample(9, rng=ours), first), "a numpy generator goes on")
    raises(maxk.InputError, "two sources", "seed, rng: expected one", arm.sample, 3, seed=1, rng=1)
    check(maxk.Arm("pareto", shape=2).support() == (1, np.inf), "an infinite end point")
    truncated = pickle.loads(pickle.dumps(maxk.Arm("weibull", shape=2, scale=0.4, truncate=[0, 1])))
    check(truncated.support() == (0, 1) and "truncate=[0, 1]" in repr(truncated), f"wrappers, pickle: {truncated!r}")
    raises(maxk.InputError, "no such family", "did you mean 'power'", maxk.Arm, "powr", a=3)
    raises(maxk.InputError, "no such parameter", "alpha", maxk.Arm, "power", alpha=3)
    raises(ValueError, "p outside", "p: ", arm.isf, 1.5)
    check("power" in maxk.families() and "max_ucb" in maxk.policies() and maxk.__version__ in run("--version"), "registries")


def check_described_arms():
    """Arms stand where experiments describe arms."""
    arms = [{"family": "power", "a": 3, "s": 1.01}, {"family": "uniform", "lo": 0, "hi": 0.95}]
    mapped = {**MAPPING, "problem": {"arms": arms}}
    objects = {**MAPPING, "problem": {"arms": [maxk.Arm(**arm) for arm in arms]}}
    mixture = maxk.Arm("mixture", components=[maxk.Arm(**arm) for arm in arms], weights=[1, 3])
    check(np.array_equal(maxk.run(mapped).max_reward, maxk.run(objects).max_reward)
          and np.array_equal(maxk.run(MAPPING, overrides={"problem": {"arms": arms}}).max_reward,
                             maxk.run(MAPPING, overrides={"problem.arms": objects["problem"]["arms"]}).max_reward)
          and mixture.sf(0.9) == maxk.Arm("mixture", components=arms, weights=[1, 3]).sf(0.9),
          "Arm in an experiment and in a mixture")


def check_policies(d):
    """Every deterministic policy chooses the arms that `maxk trace` shows for the same recorded rewards."""
    rng = np.random.default_rng(5)
    rewards = rng.beta([[2], [5], [9]], 3, size=(3, 120))
    names = [name for name in maxk.policies() if name != "bayes_max"]  # whose candidates recorded runs do not give
    squared = {f"{name} squared": {"name": name, "alpha": 0.05, "power": 2} for name in ("max_ucb", "max_ucb_burn_in",
                                                                                        "max_ucb_remaining")}
    lines = ["instance,arm,repetition,iteration,reward"]
    lines += [f"one,{k},0,{n},{x!r}" for k in range(3) for n, x in enumerate(rewards[k].tolist())]
    write(f"{d}/one.csv", "\n".join(lines) + "\n")
    experiment = write(f"{d}/trace.yaml", "problem: {trajectories: one.csv}\n"
                                          f"policies: [{', '.join(names)}, " + ", ".join(
                                              f"{{name: {p['name']}, alpha: 0.05, power: 2, label: {label}}}"
                                              for label, p in squared.items()) + "]\nhorizons: [120]\n")
    same, others = [], []
    for name in [*names, *squared]:
        if name == "oracle":
            continue
        trace = rows(run("trace", experiment, "--policy", name))
        parameters = {key: x for key, x in squared.get(name, {}).items() if key != "name"}
        policy = maxk.Policy(name.removesuffix(" squared"), arms=3, horizon=120, **parameters)
        pulls = [0, 0, 0]
        for row in trace:
            arm = policy.select()
            if arm != int(row["arm"]):
                break
            policy.update(arm, rewards[arm, pulls[arm]])
            pulls[arm] += 1
        (same if policy.rounds == len(trace) == 120 else others).append(name)
    check(set(squared) <= set(same), "with power 2, too")
    random = [name for name in others if "deterministic" not in run("describe", name)]
    check(len(same) >= 15 and random == others, f"arms as in maxk trace: {', '.join(same)}; at random: {', '.join(random)}")


def check_policy_objects():
    policy = maxk.Policy("thompson_gaussian", 4, seed=3)
    rng = np.random.default_rng(2)
    for _ in range(50):
        policy.update(policy.select(), rng.random())
    others = [policy.copy(), copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy)),
              maxk.Policy.from_text(policy.to_text())]
    chosen = []
    for one in [policy, *others]:
        arms = []
        for t in range(50):
            arms.append(one.select())
            one.update(arms[-1], t / 50)
        chosen.append(arms)
    check(all(arms == chosen[0] for arms in chosen) and len(set(chosen[0])) > 1, "copies continue as the policy itself")
    arms, rewards = policy.history()
    check(len(arms) == policy.rounds == 100 and policy.best == rewards.max() and list(arms[50:]) == chosen[0], repr(policy))
    raises(maxk.InputError, "another arm", "selected arm", policy.update, (policy.select() + 1) % 4, 1.0)
    raises(maxk.InputError, "not a number", "reward: ", policy.update, policy.select(), float("nan"))
    for arm in (-1, 4, 2**64, 0.7, "0", None, True, np.True_):
        raises(maxk.InputError, f"arm {arm!r}", f"arm: expected a whole number from 0 to 3, got {arm!r}", policy.update, arm, 0.5)
    for arms in (2**64 + 3, -1, 0, 2.5, "3", True, False, np.True_, None, [3], float("nan")):
        raises(maxk.InputError, f"{arms!r} arms", f"arms: expected a whole number from 1 to {2**63 - 1}, got {arms!r}",
               maxk.Policy, "uniform", arms)
    for key, value in (("seed", -1), ("seed", 2**64), ("seed", 0.5), ("horizon", 2**64 + 9), ("horizon", -1), ("horizon", 0)):
        raises(maxk.InputError, f"{key} {value!r}", f"{key}: expected a whole number", maxk.Policy, "uniform", 3, **{key: value})
    raises(maxk.InputError, "more arms than there may be", "arms: ", maxk.Policy, "uniform", 2**40)
    for n, seed, key in ((-1, 0, "n"), (2.5, 0, "n"), (2**64 + 1, 0, "n"), (3, -1, "seed"), (3, 2**64, "seed")):
        raises(maxk.InputError, f"sample({n}, {seed})", f"{key}: expected a whole number",
               maxk.Arm("uniform", lo=0, hi=1).sample, n, seed)
    raises(maxk.InputError, "threads", "threads: expected a whole number", maxk.run, TEXT, threads=2**32 + 1)
    check(maxk.Policy("uniform", np.int64(3), seed=np.uint64(2**64 - 1), horizon=10.0).arms == 3, "numpy's numbers, and 10.0")
    raises(maxk.InputError, "no horizon", "horizon: missing", maxk.Policy, "successive_halving", 3)
    raises(maxk.InputError, "the oracle", "best arm", maxk.Policy, "oracle", 3)
    raises(maxk.InputError, "damaged text", "policy:1: ", maxk.Policy.from_text, "nothing")
    raises(ValueError, "costs", "cost: ", maxk.Policy, "max_ucb", 3, cost=[1, 2])
    plain, bounded = maxk.Policy("max_ucb", 3), maxk.Policy("max_ucb", 3, bounded=True)
    check(bounded.best == -np.inf, "no reward yet")
    for t in range(400):
        arm = bounded.select()
        if arm != plain.select():
            check(False, f"a bounded policy selects the same arm in round {t + 1}")
        reward = (0.7 * t + 0.1 * arm) % 1
        plain.update(arm, reward)
        bounded.update(arm, reward)
        bounded = pickle.loads(pickle.dumps(bounded)) if t % 100 == 99 else bounded
    check(bounded.rounds == 400 and bounded.best == plain.best and len(bounded.to_text()) < len(plain.to_text()) / 2,
          "its text is short")
    raises(maxk.InputError, "no history", "history: a bounded policy keeps no rounds", bounded.history)
    raises(maxk.InputError, "it grows", "grows with the rounds", maxk.Policy, "quantile_ucb", 3, bounded=True)


def in_flight(policy, n, lag, reward_of, order):
    """Arms of n pulls with as many in flight as may be, reported in the order of `order` within each batch."""
    arms, flying, pulls = [], [], [0] * policy.arms
    while len(arms) < n or flying:
        while len(arms) < n and (not flying or flying[0][0].number > len(arms) - lag):
            pull = policy.ask()
            flying.append((pull, reward_of(pull.arm, pulls[pull.arm])))
            pulls[pull.arm] += 1
            arms.append(pull.arm)
        oldest, others = flying[0], order(flying[1:])
        told = [*others[:1], oldest] if order is not list else [oldest]
        for pull, reward in told:
            policy.tell(pull, reward)
        flying = [one for one in flying if one not in told]
        policy = pickle.loads(pickle.dumps(policy)) if len(arms) % 7 == 0 else policy.copy()
    return arms, policy


def check_flight():
    """Several pulls in flight: one at a time is select and update; more choose as a study does, in any order of ends."""
    def reward_of(arm, pull):
        return (0.7548776662 * pull + 0.3 * arm) % 1 * (0.6 + 0.2 * arm)

    for name in ("max_ucb", "thompson_gaussian", "qomax_sda"):
        plain, pulls = maxk.Policy(name, 3, horizon=60, seed=2), [0] * 3
        for _ in range(60):
            arm = plain.select()
            plain.update(arm, reward_of(arm, pulls[arm]))
            pulls[arm] += 1
        arms, policy = in_flight(maxk.Policy(name, 3, horizon=60, seed=2), 60, 1, reward_of, list)
        same = arms == plain.history()[0].tolist() == policy.history()[0].tolist()
        check(same and policy.rounds == 60 and policy.best == plain.best, f"{name}: one in flight is select and update")
        by_order = [in_flight(maxk.Policy(name, 3, horizon=60, seed=2, lag=4), 60, 4, reward_of, order)[0]
                    for order in (list, lambda others: others[::-1])]
        check(by_order[0] == by_order[1] and by_order[0] != arms and len(set(by_order[0])) == 3, f"{name}: in any order of ends")
    study = maxk.Study(arms={f"a{k}": {"x": maxk.Real(0, 1)} for k in range(3)}, policy={"name": "max_ucb", "alpha": 0.5},
                       optimizer="random", lag=4, seed=0)
    flying, pulls, chosen = [], {}, []
    while len(chosen) < 60:
        flying.append(study.ask())
        chosen.append(int(flying[-1].arm[1:]))
        if len(flying) == 4:
            trial = flying.pop(0)
            k = int(trial.arm[1:])
            study.tell(trial, reward_of(k, pulls.setdefault(k, 0)))
            pulls[k] += 1
    check(chosen == in_flight(maxk.Policy("max_ucb", 3, alpha=0.5, lag=4), 60, 4, reward_of, list)[0], f"as a study: {chosen}")
    policy = maxk.Policy("max_ucb", 3, lag=2, horizon=4)
    first, second = policy.ask(), policy.ask()
    raises(maxk.InputError, "a third in flight", "ask: pull 0 has no reward yet; expected all but the last 2", policy.ask)
    raises(maxk.InputError, "select meanwhile", "select: 2 pulls of ask() are in flight", policy.select)
    raises(maxk.InputError, "text meanwhile", "to_text: 2 pulls", policy.to_text)
    raises(maxk.InputError, "another pull", "is not in flight", policy.tell, maxk.Pull(7, 0), 0.5)
    raises(maxk.InputError, "not a reward", "tell: reward: ", policy.tell, first, float("nan"))
    policy.tell(first, 0.5)
    raises(maxk.InputError, "reported twice", "is not in flight", policy.tell, first, 0.5)
    raises(maxk.InputError, "no lag", "lag: expected a whole number", maxk.Policy, "max_ucb", 3, lag=0)
    one = maxk.Policy("uniform", 2, lag=2)
    pull = one.ask()
    raises(maxk.InputError, "a reward that is too small", "expected a number within", one.tell, pull, -1e200)
    other = one.copy()
    one.tell(pull, 0.5)
    check((one.rounds, one.best, other.rounds, other.best) == (1, 0.5, 0, -np.inf), "a copy has pulls in flight of its own")
    other.tell(pull, 0.25)
    check(other.best == 0.25 and one.best == 0.5, "and results of its own")
    policy.tell(second, 0.25)
    for _ in range(2):
        policy.tell(policy.ask(), 0.75)
    check(policy.rounds == 4 and policy.best == 0.75 and policy.history()[1].tolist() == [0.5, 0.25, 0.75, 0.75], "its rewards")
    raises(maxk.InputError, "beyond the horizon", "ask: all 4 pulls of its horizon", policy.ask)


def check_results():
    """Results that were not asked for, and failed pulls: by the rule, one at a time and in flight as in a study."""
    policy, known = maxk.Policy("max_ucb", 3), [(2, 0.5), (0, 0.25), (2, 0.75), (1, 0.125)]
    for arm, reward in known:
        policy.add(arm, reward)
    check(policy.rounds == 4 and policy.best == 0.75 and sorted(zip(*(x.tolist() for x in policy.history()))) == sorted(known),
          "earlier results are there at once")
    plain, left = maxk.Policy("max_ucb", 3), list(known)
    while (arm := plain.select()) in [k for k, _ in left]:
        at = [k for k, _ in left].index(arm)
        plain.update(*left.pop(at))
    check(policy.select() == arm and policy.copy().select() == arm, "and used when the policy selects their arms")
    policy, values = maxk.Policy("max_ucb", 3), []
    for reward in (None, None, 0.5, 0.25, None, 0.75, None, 0.875, None):
        arm = policy.select()
        policy.fail(arm) if reward is None else policy.update(arm, reward)
        values.append(reward)
        policy = pickle.loads(pickle.dumps(policy))
    rewards = policy.history()[1]
    check(policy.rounds == 9 and np.isnan(rewards).sum() == 5 and policy.best == 0.875
          and sorted(rewards[~np.isnan(rewards)]) == [0.25, 0.5, 0.75, 0.875], f"failures are rounds without a reward: {rewards}")
    lag, trials = 4, 80
    study = maxk.Study(arms={f"a{k}": {"x": maxk.Real(0, 1)} for k in range(3)}, policy={"name": "max_ucb", "alpha": 0.5},
                       optimizer="random", lag=lag, seed=0)
    policy, flying, arms, chosen = maxk.Policy("max_ucb", 3, alpha=0.5, lag=lag), [], [], []
    for n in range(trials):
        flying.append((study.ask(), policy.ask(), n))
        arms.append(int(flying[-1][0].arm[1:]))
        chosen.append(flying[-1][1].arm)
        if len(flying) == lag:
            trial, pull, at = flying.pop(0)
            reward = (0.7548776662 * at + 0.3 * pull.arm) % 1
            failed = at < 6 or at % 3 == 0
            study.tell(trial, None if failed else reward, failed=failed)
            policy.tell(pull, None if failed else reward, failed=failed)
            policy = pickle.loads(pickle.dumps(policy)) if at % 5 == 0 else policy.copy()
    check(chosen == arms and len(set(chosen)) == 3, f"failures in flight: the arms of a study: {chosen}")
    raises(maxk.InputError, "nothing reported", "add: expected either a reward or failed=True", policy.add, 0)
    raises(maxk.InputError, "both", "tell: expected either", policy.tell, flying[0][1], 0.5, failed=True)
    raises(maxk.InputError, "not a reward", "add: reward: expected a number within", policy.add, 0, np.nan)
    raises(maxk.InputError, "no such arm", "arm: expected a whole number from 0 to 2", policy.add, 3, 0.5)
    raises(maxk.InputError, "failed without a pull", "fail without a selected arm", maxk.Policy("max_ucb", 3).fail, 0)
    rng = np.random.default_rng(4)
    first, again, other = (maxk.Policy("random", 50, seed=seed).select() for seed in (np.random.default_rng(4), rng, rng))
    check(first == again != other, "a generator of numpy draws the seed, and goes on")


def check_threads():
    """Threads that share a policy, in a process of its own, which a crash would end."""
    done = subprocess.run([sys.executable, "-c", """
import sys, threading
import maxk
sys.setswitchinterval(1e-6)
policy, told = maxk.Policy("max_median", arms=50), []
def work():
    mine = 0
    for i in range(10000):
        try:
            policy.update(policy.select(), i % 7)
            mine += 1
        except maxk.InputError:  # another thread came between
            pass
        if i % 1000 == 0:
            policy.copy().to_text()
    told.append(mine)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(policy.rounds == sum(told) == len(policy.history()[0]) > 0)
"""], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "sim/python"})
    check(done.returncode == 0 and done.stdout == "True\n", f"threads share a policy: {done.returncode} {done.stderr[-200:]}")


def check_rewards(d):
    rewards = np.random.default_rng(4).random((4, 3, 5, 30))
    experiment = {"policies": ["max_ucb", "uniform"], "horizons": [6, 30]}
    result = maxk.run(experiment, rewards=rewards)
    each = rewards.max(-1).mean(-1)  # [instance, arm] E[M(30)]
    check(np.allclose(result.expected_max[:, 1], each, rtol=1e-15) and result.instances == ["0", "1", "2", "3"]
          and result.replications == 5, "an array: expected maxima of its series")
    check(np.array_equal(result.max_reward[1, :, 0], rewards[..., :2].max((1, 3))), "uniform sees its first rewards, bit for bit")
    table = result.summary()
    exact = np.array([table[f"{q}_{w}"] for q in ("mean", "se") for w in ("pulls", "max")])
    shape = (*result.mean_pulls.shape,)
    wanted = [np.broadcast_to(a if a.ndim == 4 else a[..., None], shape).ravel()
              for a in (result.mean_pulls, result.mean_max, result.se_pulls, result.se_max)]
    check(np.array_equal(exact, wanted, equal_nan=True), "tables keep every bit of the arrays")
    named = xarray.DataArray(rewards.transpose(3, 1, 2, 0), dims=("iteration", "arm", "repetition", "instance"),
                             coords={"arm": ["z", "y", "x"], "instance": list("dcba")})
    labelled = maxk.run(experiment, rewards=named, output=f"{d}/rewards.h5")
    check(labelled.arms == ["z", "y", "x"] and labelled.instances == list("dcba")
          and np.array_equal(labelled.max_reward, result.max_reward) and len(labelled.lu()) > 0, "a DataArray, with its names")
    again = maxk.open_result(f"{d}/rewards.h5")
    check(len(again.lu()) > 0 and len(again.gap_table()) > 0, "its file keeps what tables need")
    in_process(f"{d}/rewards.h5")
    from_xarray = xarray.DataArray(rewards, dims=("instance", "arm", "repetition", "iteration"), name="reward",
                                   coords={"instance": list("wxyz"), "arm": ["k", "l", "m"]})
    from_xarray.to_netcdf(f"{d}/rewards.nc", engine="h5netcdf")
    replayed = maxk.run({**experiment, "problem": {"trajectories": f"{d}/rewards.nc", "arm_order": "file"}})
    check(replayed.instances == list("wxyz") and replayed.arms == ["k", "l", "m"] and
          np.array_equal(replayed.max_reward, result.max_reward), "xarray's own file (netCDF-4) is read")
    uneven = rewards.copy()
    uneven[0, 0, 0, 20:] = np.nan
    raises(maxk.InputError, "a short series", "ends_early", maxk.run, experiment, rewards=uneven)
    check(maxk.run(experiment, rewards=uneven, overrides={"problem.ends_early": "hold"}).replications == 5, "with a rule")
    masked = np.ma.masked_array(rewards, np.isnan(uneven))
    raises(maxk.InputError, "masked values are missing", "ends_early", maxk.run, experiment, rewards=masked)
    held = maxk.run(experiment, rewards=masked, overrides={"problem.ends_early": "hold"})
    check(np.array_equal(held.expected_max, maxk.run(experiment, rewards=uneven, overrides={"problem.ends_early": "hold"})
                         .expected_max), "a mask and NaN are the same")
    uneven[0, 0, 0, 3] = np.nan
    raises(maxk.InputError, "a hole", "rewards[0, 0, 0, 3]: missing", maxk.run, experiment, rewards=uneven)
    closed = maxk.run({**experiment, "horizons": [19]}, rewards=uneven, overrides={"problem.holes": "close"})
    moved = np.concatenate((rewards[0, 0, 0, :3], rewards[0, 0, 0, 4:20]))
    series = np.concatenate(([moved.max()], rewards[0, 0, 1:, :19].max(-1)))
    check(close(closed.expected_max[0, 0, 0], series.mean()), "with a rule for holes, later rewards move up")
    ruled = maxk.run({**experiment, "horizons": [19], "problem": {"holes": "close"}}, rewards=uneven)
    check(np.array_equal(ruled.max_reward, closed.max_reward), "the rule may be that of a mapping's problem")
    endless = rewards.copy()
    endless[1, 2, 3, 4] = np.inf
    raises(maxk.InputError, "infinity", "rewards[1, 2, 3, 4]: expected a finite", maxk.run, experiment, rewards=endless)
    for part in (rewards[0], rewards[0, :, 0]):
        small = maxk.run({**experiment, "replications": 1}, rewards=part)
        check(small.instances == ["0"] and np.array_equal(small.max_reward[0, 0, :, 0], result.max_reward[0, 0, :, 0]),
              f"{part.ndim} dimensions: those of one instance")
    raises(ValueError, "one dimension", "got 1 dimensions", maxk.run, experiment, rewards=rewards[0, 0, 0])
    raises(maxk.InputError, "a message names no file that is gone", "rewards: instance 0, arm 0, repetition 0", maxk.run,
           {**experiment, "horizons": [40]}, rewards=rewards)
    raises(maxk.InputError, "an instance without rewards", "rewards: reward[1]: every reward is NaN", maxk.run, experiment,
           rewards=np.where(np.arange(4)[:, None, None, None] == 1, np.nan, rewards))
    raises(ValueError, "too few names", "arms: expected 3", maxk.run, experiment, rewards=rewards, arms=["a"])
    raises(ValueError, "names without rewards", "rewards", maxk.run, TEXT, arms=["a", "b"])
    place = [axis.ravel() for axis in np.indices(rewards.shape)]
    long = pandas.DataFrame({"loss": -rewards.ravel(), "instance": place[0], "arm": place[1], "repetition": place[2],
                             "iteration": place[3] + 1, "other": "x"})
    for columns, text in ((long, "a data frame"), (dict(long.drop(columns="iteration")), "a mapping, rows in order")):
        check(np.array_equal(maxk.run(experiment, rewards=columns).max_reward, result.max_reward),
              f"columns in long form: {text}")
    raises(maxk.InputError, "columns without values", "one of reward and loss", maxk.run, experiment, rewards={"arm": [1, 2]})
    raises(maxk.InputError, "columns with names of axes", "columns bring their own", maxk.run, experiment, rewards=long,
           arms=["a"])
    raises(maxk.InputError, "columns of several lengths", "of one length", maxk.run, experiment,
           rewards={"arm": [1, 2], "reward": [1.0]})
    write(f"{d}/wide.csv", "svm;rf\n" + "".join(f"{a};{b}\n".replace(".", ",") for a, b in rewards[0, :2, 0].T))
    imported = maxk.read_wide(f"{d}/wide.csv")
    replayed = maxk.run({**experiment, "replications": 1}, rewards=imported)
    check(replayed.arms == ["svm", "rf"] and close(replayed.expected_max[0, 1, 1], rewards[0, 1, 0].max()),
          "maxk.read_wide is replayed")
    raises(maxk.InputError, "a direction that is none", "expected maximize or minimize", maxk.read_runs, f"{d}/wide.csv",
           direction="up")
    raises(maxk.InputError, "a file of another kind", "column", maxk.read_optuna, f"{d}/wide.csv")


def check_processes(d):
    """Results in other processes; runs and results within progress; a fork while a run goes on."""
    rewards = np.random.default_rng(5).random((2, 3, 4, 12))
    result = maxk.run({"policies": ["max_ucb"], "horizons": [6]}, rewards=rewards)
    table, sent, path = result.lu(), pickle.dumps(result), str(result.path)
    check(str(pickle.loads(sent).path) == path, "a result that is still there shares its folder")
    del result
    check(not os.path.exists(path), "a temporary folder goes with its result")
    back = pickle.loads(sent)
    check(back.lu().equals(table) and len(back.summary()) == 6, "a result that was sent has its tables, those of its rewards too")
    inner = []

    def nested(done, total):
        if not inner:
            inner.append(maxk.run(TEXT))
            inner.append(maxk.open_result(inner[0].path))
    many = {**MAPPING, "replications": 3000}
    one = maxk.run(TEXT)
    ranks = one.rank()  # with OpenMP's threads, which a forked process does not have
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if one.rank().equals(ranks) else 1)
    check(os.waitpid(child, 0)[1] == 0, "a forked process has tables, as multiprocessing asks for them")
    page = one.report(one.path.with_suffix(".html"), "A page of its own").read_text()
    check("<title>A page of its own</title>" in page and "max_ucb" in page, "a result as a page")
    outer, alone = maxk.run(many, progress=nested, threads=2), maxk.run(TEXT)
    check(np.array_equal(inner[1].pulls, alone.pulls) and np.array_equal(outer.pulls, maxk.run(many).pulls),
          "progress may run an experiment and open its result")
    code = f"""
import os, sys, threading, time
import maxk
from numpy import array
text = {TEXT!r}
begun = threading.Event()
long = threading.Thread(target=lambda: maxk.run({ENDLESS!r}, threads=1, progress=lambda *_: begun.set()), daemon=True)
long.start()
if not begun.wait(30):
    os._exit(3)
child = os.fork()
if child == 0:
    os._exit(0 if maxk.run(text).replications == 40 else 1)
for _ in range(300):
    got, status = os.waitpid(child, os.WNOHANG)
    if got:
        os._exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.1)
os.kill(child, 9)
os._exit(2)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90,
                          env={**os.environ, "PYTHONPATH": "sim/python"})
    check(done.returncode == 0, f"a process forked during a run can run experiments: {done.returncode} {done.stderr[-200:]}")


def check_speed(d):
    """A result of many cells opens about as fast as h5py reads it: .9 to 2 times, with 40 times when names were looked up for
    every cell."""
    import h5py
    path = f"{d}/cells.h5"
    maxk.run({"policies": ["max_ucb", "ucb", "greedy", "uniform", "random", "exp3"], "horizons": list(range(5, 105, 5))},
             rewards=np.random.default_rng(6).random((30, 3, 5, 100)), output=path)

    def by_h5py():
        with h5py.File(path) as f:
            for policy in f["policies"].values():
                for field in (policy[name] for name in ("pulls", "max_reward")):
                    field[()]
                for field in (policy["summary"][name] for name in ("mean_pulls", "se_pulls", "mean_max", "se_max")):
                    field[()]

    def seconds(function):
        begin = time.process_time()
        function()
        return time.process_time() - begin
    pairs = [(seconds(lambda: maxk.open_result(path)), seconds(by_h5py)) for _ in range(5)]
    ours, theirs = (min(side) for side in zip(*pairs))
    check(ours < 8 * theirs, f"a result of 3,600 cells opens in {ours:.3f} s, h5py reads it in {theirs:.3f} s")


def check_library(d):
    """Which library is loaded: that of the checkout or of the prefix, never one that lies in another parent folder."""
    def loaded(module):
        environment = {key: value for key, value in os.environ.items() if key != "MAXK_LIBRARY"}
        done = subprocess.run([sys.executable, "-c", "import maxk; print(maxk._library.path)"], capture_output=True, text=True,
                              cwd=d, env={**environment, "PYTHONPATH": os.path.dirname(module)})
        return done.stdout.strip() or done.stderr.strip().splitlines()[-1]

    def place(folder):
        os.makedirs(folder, exist_ok=True)
        return shutil.copy(os.environ["MAXK_LIBRARY"], f"{folder}/libmaxk.so.1")

    d = os.path.realpath(d)
    checkout, prefix = f"{d}/planted/checkout", f"{d}/planted/prefix"
    modules = [f"{checkout}/sim/python/maxk", f"{prefix}/lib/python3/dist-packages/maxk"]
    for module in modules:
        shutil.copytree("sim/python/maxk", module)
    for name in ("Makefile", "sim/api/maxk/maxk.h"):
        os.makedirs(os.path.dirname(f"{checkout}/{name}"), exist_ok=True)
        shutil.copy(name, f"{checkout}/{name}")
    for folder in (d, f"{d}/planted", f"{d}/planted/build", checkout, f"{checkout}/sim", prefix, f"{prefix}/build"):
        place(folder)
    for module in modules:
        check(not loaded(module).startswith(d), f"a planted library is not loaded: {loaded(module)}")
    own = [place(f"{checkout}/build"), place(f"{prefix}/lib")]
    check([loaded(module) for module in modules] == own, "the library of the checkout, of the prefix")
    os.remove(f"{checkout}/Makefile")
    check(not loaded(modules[0]).startswith(d), "build/ of what is not a checkout")


def check_without_numpy(result):
    """Numbers of arms and runs without numpy; arrays say that it is missing."""
    script = """import sys
sys.modules["numpy"] = None
import maxk
arm, text = maxk.Arm("uniform", lo=0, hi=1), sys.argv[1]
print(arm.sf(0.25), arm.isf(1), arm.ppf(0.5), arm.expected_max(3))
result = maxk.run(text)
print(result.mean_pulls, list(result.rank()["policy"]))
for what in (lambda: arm.sample(3), lambda: arm.sf([0.5]), lambda: arm.isf(-1)):
    try:
        what()
    except maxk.Error as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", script, TEXT], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": "sim/python"})
    expected = ["0.75 0.0 0.5 0.75", f"{result.mean_pulls.tolist()} {list(result.rank()['policy'])}",
                *["numpy is not installed; arrays need it"] * 2, "p: expected a number from 0 to 1"]
    check(done.stdout.splitlines() == expected, f"without numpy: {done.stdout} {done.stderr}")


def check_kinds():
    """Whatever is of another kind than it should be is an InputError that names it, in one line."""
    policy, flight, study, arm = (maxk.Policy("uniform", arms=2), maxk.Policy("uniform", arms=2, lag=3),
                                  maxk.Study({"a": {"x": maxk.Real(0, 1)}}, n_trials=30), maxk.Arm("uniform", lo=0, hi=1))
    result, trial = maxk.run(TEXT), study.ask()
    few, rewards = {"policies": ["uniform"], "horizons": [3]}, np.ones((2, 3))
    words, ragged, surrogate = [["a", "b"], ["c", "d"]], [[1, 2], [3]], "\ud800"
    table = pandas.DataFrame({"a": [1, 2], "b": [3, 4]})

    def optimize(**options):
        return lambda: study.optimize(options.pop("objective", lambda trial: 1), options.pop("n", 1), **options)

    def replay(rewards=rewards, **options):
        return lambda: maxk.run(few, rewards=rewards, **options)
    for name, function, *arguments in (
            ("path: expected", maxk.open_result, 3), ("path: expected", maxk.open_result, "\ud900.h5"),
            ("path: expected a path without NUL", maxk.open_result, "a\0b"), ("experiment: expected", maxk.run, 3),
            ("experiment: expected a text in UTF-8", maxk.run, f"{{name: {surrogate}}}"),
            ("engine: expected", lambda: maxk.run(TEXT, engine=3)), ("progress: expected", lambda: maxk.run(TEXT, progress=3)),
            ("overrides: expected", lambda: maxk.run(TEXT, overrides="x")),
            ("force: expected", lambda: maxk.run(TEXT, force="x")),
            ("overrides: expected", lambda: maxk.run(TEXT, overrides=[("seed", 1)])),
            ("threads: expected", lambda: maxk.run(TEXT, threads=True)), ("output: expected", lambda: maxk.run(TEXT, output=3)),
            ("rewards: expected", replay(words)), ("rewards: expected", replay(ragged)), ("rewards: expected", replay([ragged])),
            ("rewards: expected", replay(rewards * 1j)), ("rewards: expected", replay(object())),
            ("reward: expected", replay({"arm": ["a"], "reward": ["b"]})),
            ("reward: expected", replay({"arm": [1], "reward": [1j]})),
            ("arm: expected", replay({"arm": [1, [2]], "reward": [1.0, 2.0]})),
            ("arm: expected", replay({"arm": None, "reward": [1.0]})), ("arms: expected", replay(arms=3)),
            ("arms: expected", replay(arms="ab")), ("instances: expected", replay(instances=3)),
            ("table: expected", maxk.table, None), ("table: expected", maxk.table, 3, "x"), ("table: expected", maxk.columns, 3),
            ("number: expected", maxk.columns, "gap", "x"), ("operand: expected", maxk.table, "survey", 3),
            ("option: expected", lambda: maxk.table("gap", "x", set=surrogate)),
            ("title: expected", result.report, "page.html", 3),
            ("ax: expected", result.plot, "regret", 3), ("quantity: expected", result.plot, table),
            ("arms: expected", maxk.Policy, "uniform", True), ("arms: expected", maxk.Policy, "uniform", table),
            ("name: expected a text in UTF-8", maxk.Policy, surrogate, 3),
            ("cost: expected", lambda: maxk.Policy("uniform", 1, cost=3)),
            ("cost: expected", lambda: maxk.Policy("uniform", 2, cost="ab")),
            ("cost: expected", lambda: maxk.Policy("uniform", arms=1, cost=[None])),
            ("reward: expected", policy.update, policy.select(), "much"),
            ("reward: expected", policy.update, policy.select(), 1j),
            ("text: expected", maxk.Policy.from_text, 3), ("text: expected", maxk.Policy.from_text, surrogate),
            ("tell: (0, 0) is not in flight", flight.tell, (0, 0), 0.5), ("tell: 3 is not in flight", flight.tell, 3, 0.5),
            ("tell: [] is not in flight", flight.tell, [], 0.5),
            ("bounded: expected", lambda: maxk.Policy("uniform", 2, bounded="x")),
            ("x: expected", arm.sf, "x"), ("x: expected", arm.sf, 1j), ("x: expected", arm.sf, ragged),
            ("n: expected", arm.expected_max, "x"), ("rng: expected", lambda: arm.sample(3, rng="x")),
            ("rng: expected", lambda: arm.sample(3, rng=-1)), ("family: expected a text in UTF-8", maxk.Arm, surrogate),
            ("path: expected", study.save, 3), ("path: expected", lambda: maxk.Study({"a": {}}, path=3)),
            ("resume: expected", lambda: maxk.Study({"a": {}}, resume="x")), ("arms: expected", maxk.Study, table),
            ("arms: expected a text in UTF-8", maxk.Study, {surrogate: {}}),
            ("seed: expected", lambda: maxk.Study({"a": {}}, seed="x")),
            ("add_trials: expected", study.add_trials, 3), ("add_trials: expected", study.add_trials, {"a": 3}),
            ("add_trials: result 0: expected", study.add_trials, [3]),
            ("add_trials: result 1: expected", study.add_trials, [trial, {"params": {"x": 0.5}, "value": 1}]),
            ("add_trials: result 0: params: expected", study.add_trials, [{"arm": "a", "params": 3, "value": 1}]),
            ("add_trials: result 0: value: expected", study.add_trials, [{"arm": "a", "params": {"x": 0.5}, "value": "x"}]),
            ("value: expected", study.tell, trial, "x"), ("value: expected", study.tell, trial, 1j),
            ("trial: expected", study.tell, "x", 1),
            ("why: expected", study.fail, trial, 3), ("seconds: expected", lambda: study.tell(trial, 1, seconds="x")),
            ("callbacks: expected", optimize(callbacks=3)), ("callbacks: expected", optimize(callbacks=[3])),
            ("objective: expected", optimize(objective=3)), ("executor: expected", optimize(executor=3)),
            ("timeout: expected", optimize(timeout="soon")), ("timeout: expected", optimize(timeout=float("nan"))),
            ("timeout: expected", optimize(timeout=-1)), ("progress: expected", optimize(progress="yes")),
            ("n_trials: expected", optimize(n="x")), ("n_trials: expected", optimize(n=True)), ("ax: expected", study.plot, 3),
            ("direction: expected", lambda: maxk.Study({"a": {}}, direction=table))):
        raises(maxk.InputError, f"{name} of another kind", name, function, *arguments)
    raises(maxk.Error, "more draws than there is memory for", "n: not enough memory", arm.sample, 10 ** 18)
    study.tell(trial, 0.5)
    raises(maxk.InputError, "a title of another kind", "title: expected", study.report, "page.html", 3)
    seen = []
    study.optimize(lambda trial: 1.0, 3, callbacks=lambda study, trial: seen.append(trial.number))
    check(seen == [1, 2, 3] and [t.status for t in study.trials] == ["ok"] * 4, "a single callback; nothing else was asked for")
    generated = maxk.run({**MAPPING, "seed": np.random.default_rng(2)})
    drawn = int(re.search(r"^seed: (\d+)$", "\n".join(maxk.table("info", generated, experiment=True).line), re.M)[1])
    check(np.array_equal(maxk.run(MAPPING, overrides={"seed": drawn}).pulls, generated.pulls) and drawn > 100,
          f"a generator of numpy draws the seed of an experiment: {drawn}")


def check_errors(d):
    raises(maxk.InputError, "an unknown key", "experiment:1:2: ", maxk.run, "{nme: x}")
    raises(maxk.InputError, "no such file", "nothing.yaml", maxk.run, f"{d}/nothing.yaml")
    raises(maxk.InputError, "no such engine", "engine: ", maxk.run, TEXT, engine="fast")
    raises(maxk.InputError, "not a result", "none.h5", maxk.open_result, f"{d}/none.h5")
    check_kinds()
    os.makedirs(f"{d}/folders/maxk")
    done = subprocess.run([sys.executable, "-c", "import maxk; print(maxk._library.program())"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": "sim/python", "MAXK": f"{d}/folders", "PATH": os.path.dirname(MAXK)})
    check(done.stdout and os.path.isfile(done.stdout.strip()), f"a folder is not the program: {done.stdout}{done.stderr[-200:]}")
    error = pickle.loads(pickle.dumps(maxk.InputError("text", -1)))
    check(error.code == -1 and str(error) == "text", "errors can be sent to other processes")


def check_stop(d):
    seen = []
    check(maxk.run(TEXT, progress=lambda done, total: seen.append((done, total))) and seen[-1] == (40, 40), f"progress: {seen}")

    def enough(done, total):
        raise StopIteration("enough")
    raises(StopIteration, "an exception in progress stops the run", "enough", maxk.run, ENDLESS, progress=enough)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with SIGINT ignored
    begin = time.monotonic()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        maxk.run(ENDLESS, output=f"{d}/stopped.h5")
        check(False, "interrupted: it ended")
    except KeyboardInterrupt:
        check(time.monotonic() - begin < 20 and not os.path.exists(f"{d}/stopped.h5"),
              f"KeyboardInterrupt stops a run, after {time.monotonic() - begin:.1f} s")
    check(maxk.run(TEXT).replications == 40, "the next run is complete")


def check_tutorial(d):
    done = subprocess.run([sys.executable, "sim/python/tutorial.py", f"{d}/tutorial.png"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": "sim/python", "MPLCONFIGDIR": d})
    check(done.returncode == 0 and os.path.getsize(f"{d}/tutorial.png") > 20000, f"the tutorial: {done.stderr[-300:]}")
    import matplotlib.image
    picture = matplotlib.image.imread(f"{d}/tutorial.png")
    check(picture.shape[:2] == (540, 1800) and (picture[..., :3] < 0.9).any(-1).mean() > 0.02, "draws its figure")


with folder() as d:
    result = check_runs(d)
    check_tables(result)
    check_without_numpy(result)
    check_arms()
    check_described_arms()
    check_policies(d)
    check_policy_objects()
    check_flight()
    check_results()
    check_threads()
    check_rewards(d)
    check_processes(d)
    check_speed(d)
    check_errors(d)
    check_library(d)
    check_stop(d)
    check_tutorial(d)
finish()
