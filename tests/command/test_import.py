"""maxk import: what Optuna, SMAC3, HpBandSter, irace, MLflow and tables have recorded becomes recorded runs; what is assumed is
said; failed, pruned and missing values follow one rule. tests/long/test_import_tools.py has files that Optuna and irace write."""
import gzip
import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, refused, rows, run, write

# The tables of optuna/storages/_rdb/models.py, schema 12, that matter.
OPTUNA = """
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512));
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER, objective INTEGER);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8), datetime_start DATETIME,
                     datetime_complete DATETIME);
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT,
                           distribution_json TEXT);
CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT,
                           value_type VARCHAR(7));
"""
CHOICES = json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": ["svc", "rf"]}})
FLAGS = json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": [True, None]}})
INTEGERS = json.dumps({"name": "IntDistribution", "attributes": {"low": 1, "high": 9, "step": 1, "log": False}})
REALS = json.dumps({"name": "FloatDistribution", "attributes": {"low": 0.1, "high": 9, "step": None, "log": True}})
# number, state, value, classifier, C, depth, bootstrap
TRIALS = [(0, "COMPLETE", .5, "svc", 1.5, None, None), (1, "COMPLETE", .25, "rf", None, 3, True), (2, "FAIL", None, "rf", None,
                                                                                                   4, None),
          (3, "PRUNED", None, "svc", 2.5, None, None), (4, "RUNNING", None, "svc", 3.5, None, None),
          (5, "COMPLETE", .75, "svc", .125, None, None), (6, "FAIL", None, None, None, None, None),
          (7, "COMPLETE", float("inf"), "rf", None, 9, None)]


def optuna(path, directions=("MINIMIZE",), studies=("heart",)):
    base = sqlite3.connect(path)
    base.executescript(OPTUNA)
    for s, study in enumerate(studies):
        base.execute("INSERT INTO studies VALUES (?, ?)", (s, study))
        for k, direction in enumerate(directions):
            base.execute("INSERT INTO study_directions VALUES (?, ?, ?, ?)", (None, direction, s, k))
        for number, state, value, classifier, c, depth, bootstrap in TRIALS:
            at = base.execute("INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?)", (
                None, number, s, state, f"2024-01-01 00:00:{number:02}.0", f"2024-01-01 00:00:{number + 2:02}.5")).lastrowid
            if value is not None:
                infinite = value == float("inf")
                base.execute("INSERT INTO trial_values VALUES (?, ?, 0, ?, ?)", (
                    None, at, None if infinite else value, "INF_POS" if infinite else "FINITE"))
            given = [("classifier", ["svc", "rf"].index(classifier) if classifier else None, CHOICES), ("C", c, REALS),
                     ("depth", depth, INTEGERS), ("bootstrap", None if depth is None else 0 if bootstrap else 1, FLAGS)]
            for name, x, distribution in given:
                if x is not None:
                    base.execute("INSERT INTO trial_params VALUES (?, ?, ?, ?, ?)", (None, at, name, x, distribution))
    base.commit()
    base.close()


def read(path):
    return rows(open(path).read())


def series(table, value="loss"):
    """{(instance, arm, repetition): [(iteration, value, status, configuration)]}"""
    found = {}
    for r in table:
        found.setdefault((r["instance"], r["arm"], r["repetition"]), []).append(
            (int(r["iteration"]), float(r[value]), r["status"], json.loads(r["configuration"])))
    return found


def optuna_file():
    optuna("study.db")
    said = run("import", "study.db", "-o", "runs.csv")
    table = read("runs.csv")
    want = {("heart", "svc", "0"): [(1, .5, "ok", {"C": 1.5}), (2, .75, "pruned", {"C": 2.5}), (3, .75, "ok", {"C": .125})],
            ("heart", "rf", "0"): [(1, .25, "ok", {"depth": 3, "bootstrap": True}), (2, .75, "failed", {"depth": 4,
                                                                                                        "bootstrap": "null"}),
                                   (3, .75, "missing", {"depth": 9, "bootstrap": "null"})]}
    check(series(table) == want, "an SQLite file of Optuna: values, configurations, failures as the worst value")
    check(all(abs(float(r["cost"]) - 2.5) < 1e-4 for r in table), "costs are the seconds between start and end")
    for part in ("6 evaluations, 2 arms, 1 instance, 1 repetition; smaller losses are better", "arm: 'classifier'",
                 "kind: optuna",
                 "left out: 1 evaluation ", "1 failed, 1 pruned and 1 without a value"):
        check(part in said, f"what is said: {part}")
    survey = rows(run("survey", "runs.csv", "--csv"))
    check([(r["arm_label"], float(r["best"])) for r in survey] == [("rf", -.25), ("svc", -.5)] or
          [(r["arm_label"], r["n"]) for r in survey] == [("rf", "3"), ("svc", "3")], "the file is a recording of arms")
    dropped = series(rows(run("import", "study.db", "--failed", "drop", "--csv")))
    check({k: [v[:2] for v in s] for k, s in dropped.items()} ==
          {("heart", "svc", "0"): [(1, .5), (2, .75)], ("heart", "rf", "0"): [(1, .25)]}, "--failed drop: later ones move up")
    fixed = series(rows(run("import", "study.db", "--failed", "9.5", "--csv")))
    check([v[1] for v in fixed["heart", "svc", "0"]] == [.5, 9.5, .75], "--failed NUMBER")
    up = rows(run("import", "study.db", "--direction", "maximize", "--csv"))
    check([r["reward"] for r in up if r["status"] == "pruned"] == ["0.25"], "--direction: the worst value is the smallest")
    optuna("two.db", studies=("a", "b"))
    check({r["instance"] for r in rows(run("import", "two.db", "--csv"))} == {"a", "b"}, "studies are instances")
    check({r["instance"] for r in rows(run("import", "two.db", "--instance", "b", "--csv"))} == {"b"}, "one study of several")
    optuna("multi.db", directions=("MINIMIZE", "MAXIMIZE"))
    refused("several objectives", "study heart has 2 objectives", "import", "multi.db")
    refused("a study that is not there", "no study 'c'", "import", "two.db", "--instance", "c")
    refused("an arm that is not there", "no hyperparameter 'foo', there are: classifier, C, depth, bootstrap", "import",
            "study.db",
            "--arm", "foo")
    refused("a rule that is not there", "expected worst, drop or a number from -1e100 to 1e100, got 'best'", "import", "study.db",
            "--failed", "best")
    sqlite3.connect("other.db").executescript("CREATE TABLE x (y); INSERT INTO x VALUES (1);")
    refused("an SQLite file of something else", "other.db: not a study of Optuna: no such table", "import", "other.db")


def standard_input():
    write("piped.csv", "iteration,algorithm,loss\n1,svc,0.5\n1,rf,0.25\n2,svc,0.75\n2,rf,0.125\n")
    data = [{"config_id": k + 1, "cost": .5 - k / 4, "status": 1, "endtime": k} for k in range(2)]
    write("piped.json", json.dumps({"data": data, "configs": {"1": {"a": "svc"}, "2": {"a": "rf"}}}))
    optuna("piped.db")
    for path, kind, ways in (("piped.csv", "table", ("file", "pipe")), ("piped.json", "smac", ("file", "pipe")),
                             ("piped.db", "optuna", ("file",))):
        want = run("import", path, "--from", kind, "--csv")
        for how in ways:
            with open(path, "rb") as f:
                source = {"stdin": f} if how == "file" else {"input": f.read()}
                done = subprocess.run([MAXK, "import", "-", "--from", kind, "--csv"], capture_output=True, **source)
            check(done.stdout.decode() == want, f"{path} from standard input, a {how}: {done.stderr.decode().strip()[:200]}")


def optuna_table():
    write("trials.csv", "number,value,datetime_start,datetime_complete,duration,params_C,params_classifier,user_attrs_x,state\n"
          "1,0.25,2024-01-01 00:00:00,2024-01-01 00:00:01,0 days 00:01:01.500000,,rf,7,COMPLETE\n"
          "0,0.5,2024-01-01 00:00:00,2024-01-01 00:00:01,1 days 00:00:00,1.5,svc,7,COMPLETE\n"
          "2,,2024-01-01 00:00:00,2024-01-01 00:00:01,0 days 00:00:01,,rf,7,FAIL\n3,,,,,1.0,svc,,RUNNING\n")
    table = rows(run("import", "trials.csv", "--csv"))
    check(series(table) == {("all", "rf", "0"): [(1, .25, "ok", {}), (2, .5, "failed", {})], ("all", "svc", "0"): [(1, .5, "ok",
                                                                                                                    {"C": 1.5})]},
          "the CSV file of trials_dataframe")
    check([float(r["cost"]) for r in table] == [61.5, 1, 86400], "its durations are costs")
    check("direction: minimize, which is Optuna's default" in run("import", "trials.csv"), "the direction that it lacks is said")


# https://github.com/automl/SMAC3 smac/runhistory/runhistory.py: versions 1.4, 2.0 and 2.1.
CONFIGS = {"1": {"model": "svm", "C": 1.5}, "2": {"model": "mlp", "n": 7}, "3": {"model": "svm", "C": 2.5}}
RUNS = [(1, .5, 1.5, "SUCCESS", 10.), (2, .25, 2.5, "SUCCESS", 12.), (3, 1e9, 3.5, "CRASHED", 11.), (1, 7., 1., "RUNNING", 13.)]
STATUS = {"SUCCESS": 1, "CRASHED": 2, "RUNNING": 0}


def smac():
    v1 = [[[c, "d1", 0, 0.0], [cost, time, {"__enum__": "StatusType." + status}, end - time, end, {}]] for c, cost, time,
          status, end in RUNS]
    v2 = [[c, "d1", 0, None, cost, time, STATUS[status], end - time, end, {}] for c, cost, time, status, end in RUNS]
    v3 = [{"config_id": c, "instance": "d1", "seed": 0, "budget": None, "cost": cost, "time": time, "cpu_time": 0.,
           "status": STATUS[status],
           "starttime": end - time, "endtime": end, "additional_info": {}} for c, cost, time, status, end in RUNS]
    want = {("d1", "svm", "0"): [(1, .5, "ok", {"C": 1.5}), (2, .5, "failed", {"C": 2.5})], ("d1", "mlp", "0"): [(1, .25, "ok",
                                                                                                                  {"n": 7})]}
    for version, data in (("1.4", v1), ("2.0", v2), ("2.1", v3)):
        write("runhistory.json", json.dumps({"data": data, "configs": CONFIGS, "config_origins": {}}, indent=2))
        table = rows(run("import", "runhistory.json", "--csv"))
        check(series(table) == want and [float(r["cost"]) for r in table] == [1.5, 3.5, 2.5], f"a run history of SMAC3 {version}")
    low = [[1, None, 0, 3.0, .1, 1., 1, 0., 1., {}], [1, None, 0, 9.0, .5, 1., 1, 1., 2., {}], [2, None, 0, 9.0, .25, 1., 1, 1.,
                                                                                                3., {}]]
    write("budgets.json", json.dumps({"data": low, "configs": CONFIGS}))
    table = rows(run("import", "budgets.json", "--csv"))
    check([(r["arm"], r["loss"]) for r in table] == [("svm", "0.5"), ("mlp", "0.25")], "smaller budgets are left out")
    write("lost.json", json.dumps({"data": v2, "configs": {"1": CONFIGS["1"]}}))
    refused("a configuration that is not there", 'lost.json: data: item 2: "configs" has no configuration 2', "import",
            "lost.json")
    write("bad.json", '{"data":\n [1,2,}')
    refused("a file that is not JSON", "bad.json:2:7: not JSON: ", "import", "bad.json", "--from", "smac")
    write("empty.json", '{"data": [], "configs": {}}')
    refused("a history without runs", "empty.json: no finished evaluations", "import", "empty.json")


# https://github.com/automl/HpBandSter hpbandster/core/result.py: json_result_logger.
def hpbandster():
    os.makedirs("hb", exist_ok=True)
    write("hb/configs.json", "".join(json.dumps([[0, 0, i], c, {"model_based_pick": False}]) + "\n" for i, c in enumerate(
        ({"alg": "svc", "C": 1.5}, {"alg": "rf", "n": 5}, {"alg": "rf", "n": 7}))))
    lines = [([0, 0, 0], 1.0, 1.5, 2.5, {"loss": .5, "info": {}}, None), ([0, 0, 1], 9.0, 1.5, 3.5, {"loss": float("nan"),
                                                                                                     "info": {}}, None),
             ([0, 0, 2], 9.0, 1.5, 4.5, {"loss": .25, "info": {}}, None), ([0, 0, 0], 9.0, 1.5, 5.5, {"loss": .375, "info": {}},
                                                                           None),
             ([0, 0, 1], 9.0, 4.5, 6.5, None, "Traceback")]
    write("hb/results.json", "".join(json.dumps([i, budget, {"submitted": 1, "started": start, "finished": end}, result,
                                                 failure]) + "\n"
                                     for i, budget, start, end, result, failure in lines))
    table = rows(run("import", "hb/results.json", "--csv"))
    check(series(table) == {("all", "svc", "0"): [(1, .375, "ok", {"C": 1.5})],
                            ("all", "rf", "0"): [(1, .375, "failed", {"n": 5}), (2, .25, "ok", {"n": 7}), (3, .375, "failed",
                                                                                                           {"n": 5})]},
          "results of HpBandSter: the largest budget, NaN and exceptions fail")
    write("hb/results.json", "[[0,0,0], 1.0,\n")
    refused("a line that ends too early", "hb/results.json:1:", "import", "hb/results.json")


def tables():
    write("mlflow.csv",
          "run_id,experiment_id,status,artifact_uri,start_time,end_time,metrics.val_loss,params.model,params.lr,tags.x\n"
          "b,0,FINISHED,u,2024-03-02 10:00:00+00:00,,0.5,cnn,0.01,t\na,0,FINISHED,u,2024-03-01 10:00:00+00:00,,0.75,cnn,0.1,t\n"
          "c,0,FAILED,u,2024-03-03 10:00:00+00:00,,0.1,mlp,0.2,t\nd,0,FINISHED,u,2024-03-04 10:00:00+00:00,,0.25,mlp,0.3,t\n")
    said = run("import", "mlflow.csv")
    check(series(rows(run("import", "mlflow.csv", "--csv"))) == {
        ("all", "cnn", "0"): [(1, .75, "ok", {"lr": .1}), (2, .5, "ok", {"lr": .01})],
        ("all", "mlp", "0"): [(1, .75, "failed", {"lr": .2}), (2, .25, "ok", {"lr": .3})]}, "runs of MLflow in the order of time")
    check("direction: minimize, going by the name 'metrics.val_loss'" in said, "the direction by the name of the metric")
    write("wide.csv", "dataset;svm;rf;knn\nadult;0,91;0,95;\nheart;0,5;0,75;0,625\n")
    check({k: [v[:3] for v in s] for k, s in series(rows(run("import", "wide.csv", "--from", "wide", "--csv")),
                                                    "reward").items()} == {
        ("adult", "svm", "0"): [(1, .91, "ok")], ("adult", "rf", "0"): [(1, .95, "ok")], ("adult", "knn", "0"): [(1, .91,
                                                                                                                  "missing")],
        ("heart", "svm", "0"): [(1, .5, "ok")], ("heart", "rf", "0"): [(1, .75, "ok")], ("heart", "knn", "0"): [(1, .625, "ok")]},
        "a wide table with decimal commas, of which a cell is empty")
    check("arms: columns svm, rf, knn\n" in run("import", "wide.csv", "--from", "wide", "-o", "wide_runs.csv"),
          "which columns are arms")
    write("wider.csv", "dataset," + ",".join(f"a{i}" for i in range(11)) + "\nd" + ",0.5" * 11 + "\n")
    check("a6, a7 and 3 others\n" in run("import", "wider.csv", "--from", "wide", "-o", "wide_runs.csv"), "of many, some")
    write("long.csv",
          "data\tscheme\tfold\taccuracy\nd\tJ48\t2\t0.5\nd\tJ48\t10\tNaN\nd\tJ48\t1\t0.75\nd\tZeroR\t1\t?\nd\tZeroR\t2\t.25\n")
    long = ("import", "long.csv", "--from", "table", "--value", "accuracy", "--instance", "data", "--iteration", "fold")
    table = rows(run(*long, "--csv"))
    check(series(table, "reward") == {("d", "J48", "0"): [(1, .75, "ok", {}), (2, .5, "ok", {}), (3, .25, "missing", {})],
                                      ("d", "ZeroR", "0"): [(1, .25, "missing", {}), (2, .25, "ok", {})]},
          "a long table: orders are numbers, NaN and ? are missing")
    refused("a column that is not there", "--value: no column 'acc', there are: data, scheme, fold, accuracy", "import",
            "long.csv", "--from",
            "table", "--value", "acc")
    write("broken.csv", "arm,reward\na,0.5\nb,x5\n")
    refused("a cell that is not a number", "broken.csv:3:3: reward: expected a finite number, got x5", "import", "broken.csv",
            "--from", "table")
    refused("a file of no known kind", "of no kind that is recognised; say which with --from, one of: optuna", "import",
            "broken.csv")
    refused("a file that is not there", "nothing.csv: cannot be opened", "import", "nothing.csv")
    write("nothing.csv", "")
    refused("an empty file", "nothing.csv: empty file", "import", "nothing.csv")
    write("void.csv", "arm,reward\na,\nb,nan\n")
    refused("values that are all missing", "void.csv: instance all: no evaluation has a value", "import", "void.csv", "--from",
            "table",
            "--arm", "arm")


def elsewhere():
    """Other readers say what these files are, and what reads them."""
    hb = "[[0, 0, 0], 9.0, {}, {\"loss\": 1}, null]\n"
    tool = {"study.db": "studies of Optuna", "runhistory.json": "a run history of SMAC3", "hb.json": "results of HpBandSter",
            "log.Rdata": "experiments of irace", "flow.csv": "runs of MLflow"}
    write("hb.json", hb)
    with gzip.open("log.Rdata", "wb") as f:
        f.write(b"RDX3\nX\n\0\0\0")
    write("flow.csv", "run_id,status,metrics.a\n1,FINISHED,2\n")
    write("tune.yaml", "command: [echo, 1]\nmetric: {last_number: true, maximize: true}\npolicy: uniform\n"
          "budget: {evaluations: 1}\narms: [{label: a, space: {x: {real: [0, 1]}}}]\n")
    for name, what in tool.items():
        says = f"{name}: {what}"
        for command in (["survey"], ["run"], ["tune"], ["tune", "tune.yaml", "--add"], ["recommend", "--horizon", "2"]):
            done = subprocess.run([MAXK, *command, name], capture_output=True, text=True, check=False)
            check(done.returncode == 2 and says in done.stderr and f"`maxk import {name} -o RUNS.csv`" in done.stderr and
                  done.stderr.count("\n") == 1, f"{command[0]} {name}: {done.stderr.strip()}")
    refused("the log of irace",
            "log.Rdata: data of R; expected the CSV file that `Rscript experiments/data/irace_to_csv.R` makes",
            "import", "log.Rdata")
    refused("an experiment in JSON", "e.json:1:2: horizon: unknown key", "run", write("e.json", '{"horizon": [3]}\n'))


def nothing_lost():
    write("keep.csv", "before\n")
    refused("an import that fails", "no hyperparameter 'foo'", "import", "study.db", "--arm", "foo", "-o", "keep.csv")
    check(open("keep.csv").read() == "before\n", "leaves the earlier file alone")
    done = subprocess.run([MAXK, "import", "study.db", "-o", "/dev/full"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "cannot be written" in done.stderr, "a place that is no file is refused")


with folder() as d:
    os.chdir(d)
    optuna_file()
    optuna_table()
    smac()
    hpbandster()
    tables()
    elsewhere()
    nothing_lost()
    standard_input()
finish()
