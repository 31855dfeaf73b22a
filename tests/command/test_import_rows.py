"""maxk import, row by row: small files of every kind with two instances, repetitions, costs, failures, evaluations that have not
ended and both directions, and what they become, worked out by hand. Formats as in test_import.py."""
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, folder, refused, run, write
from optuna_tables import TABLES


def distribution(kind, **attributes):
    return json.dumps({"name": kind + "Distribution", "attributes": attributes})


ALGORITHMS, REALS, INTEGERS = distribution("Categorical", choices=["p", "q"]), distribution("Float"), distribution("Int")


def database(path, studies, trials, changes=""):
    """studies: [(name, direction)]; trials: [(study, number, state, value, seconds or None, {name: (value, distribution)})], in
    an order of their own."""
    if os.path.exists(path):
        os.remove(path)
    base = sqlite3.connect(path)
    base.executescript(TABLES)
    for s, (name, direction) in enumerate(studies):
        base.execute("INSERT INTO studies VALUES (?, ?)", (s, name))
        base.execute("INSERT INTO study_directions VALUES (NULL, ?, ?, 0)", (direction, s))
    for study, number, state, value, seconds, parameters in trials:
        end = None if seconds is None else f"2024-01-01 10:00:{seconds:02}"
        at = base.execute("INSERT INTO trials VALUES (NULL, ?, ?, ?, '2024-01-01 10:00:00', ?)", (number, study, state,
                                                                                                  end)).lastrowid
        if value is not None:
            base.execute("INSERT INTO trial_values VALUES (NULL, ?, 0, ?, 'FINITE')", (at, value))
        for name, (x, how) in parameters.items():
            base.execute("INSERT INTO trial_params VALUES (NULL, ?, ?, ?, ?)", (at, name, x, how))
    base.executescript(changes)
    base.commit()
    base.close()


def becomes(text, want, *arguments, say=(), unsaid=()):
    """The rows of `maxk import arguments`, as they are printed, and what is said about them."""
    run("import", *arguments, "-o", "out.csv")
    found = open("out.csv").read()
    check(found == want, f"{text}" + ("" if found == want else f": got\n{found}expected\n{want}"))
    said = run("import", *arguments)
    for part in say:
        check(part in said, f"{text}: says {part!r}" + ("" if part in said else f", not\n{said}"))
    for part in unsaid:
        check(part not in said, f"{text}: does not say {part!r}")


def optuna():
    p, q = {"a": (0, ALGORITHMS)}, {"a": (1, ALGORITHMS)}
    trials = [(1, 1, "COMPLETE", .5, 3, {**p, "x": (2, INTEGERS)}), (1, 0, "COMPLETE", .25, 4, {**p, "x": (2.5, REALS)}),
              (0, 2, "FAIL", None, 2, {**q, "x": (1, REALS)}), (0, 1, "COMPLETE", .125, 1, q), (0, 0, "COMPLETE", .75, 5, p),
              (0, 3, "RUNNING", None, None, p), (0, 4, "WAITING", None, None, {}), (1, 2, "PRUNED", .875, 6, {**q, "x": (7,
              INTEGERS)}),
              (0, 5, "COMPLETE", .0625, 7, {**q, "x": (1, REALS)})]
    for word, column, worst in (("MAXIMIZE", "reward", (.0625, .25)), ("MINIMIZE", "loss", (.75, .5))):
        database("s.db", [("one", word), ("two", word)], trials)
        a, b = worst
        becomes(f"a database of two studies, {word}",
                f"instance,arm,repetition,iteration,{column},cost,status,configuration\n"
                "one,p,0,1,0.75,5,ok,{}\none,q,0,1,0.125,1,ok,{}\n"
                f'one,q,0,2,{a},2,failed,"{{""x"":1.0}}"\n'
                'one,q,0,3,0.0625,7,ok,"{""x"":1.0}"\n'
                'two,p,0,1,0.25,4,ok,"{""x"":2.5}"\ntwo,p,0,2,0.5,3,ok,"{""x"":2}"\n'
                f'two,q,0,1,{b},6,pruned,"{{""x"":7}}"\n', "s.db",
                say=("left out: 2 evaluations that had not ended", "of 7 evaluations 1 failed, 1 pruned and 0 without a value",
                     "1 evaluation of a configuration that its series has had before", "instances: the studies\n",
                     "series of 1 to 3 evaluations: horizons above 1 need"), unsaid=("direction:",))
    with gzip.open("s.db.gz", "wb") as f:
        f.write(open("s.db", "rb").read())
    check(run("import", "s.db.gz", "--csv") == run("import", "s.db", "--csv"), "a database may be gzip")
    becomes("the studies as arms", "instance,arm,repetition,iteration,loss,cost,status,configuration\n"
            'all,two,0,1,0.25,4,ok,"{""a"":""p"",""x"":2.5}"\nall,two,0,2,0.5,3,ok,"{""a"":""p"",""x"":2}"\n'
            'all,two,0,3,0.5,6,pruned,"{""a"":""q"",""x"":7}"\n', "s.db", "--arm", "study", "--instance", "two",
            say=("arms: the studies",), unsaid=("instances: the studies", "left out"))
    check(run("import", "s.db", "--arm", "study", "--csv").count("\nall,one,0,") == 4, "all studies as arms, of one instance")
    becomes("one name for all", "instance,arm,repetition,iteration,loss,cost,status,configuration\n"
            'two,boost,0,1,0.25,4,ok,"{""a"":""p"",""x"":2.5}"\ntwo,boost,0,2,0.5,3,ok,"{""a"":""p"",""x"":2}"\n'
            'two,boost,0,3,0.5,6,pruned,"{""a"":""q"",""x"":7}"\n', "s.db", "--arm-name", "boost", "--instance", "two")
    refused("two names for arms", "maxk import: --arm-name: cannot be combined with --arm", "import", "s.db", "--arm-name",
            "x", "--arm",
            "a")
    refused("a column of a file without columns", "s.db: --value: names a column, and this file is no table", "import", "s.db",
            "--value", "x")
    database("up.db", [("one", "MAXIMIZE"), ("two", "MINIMIZE")], trials)
    refused("two directions", "up.db: study two has another direction than those before it", "import", "up.db")
    becomes("one of them alone", "instance,arm,repetition,iteration,reward,cost,status,configuration\n"
            "one,p,0,1,0.75,5,ok,{}\none,q,0,1,0.125,1,ok,{}\n"
            'one,q,0,2,0.0625,7,ok,"{""x"":1.0}"\n', "up.db", "--instance", "one", "--failed", "drop",
            say=("of 4 evaluations 1 failed, 0 pruned and 0 without a value: left out",))
    database("many.db", [("s", "MINIMIZE")], [(0, n, "COMPLETE", n, 1, {**p, f"h{n}": (n, INTEGERS)}) for n in range(20000)])
    start = time.time()
    run("import", "many.db", "--arm", "a", "-o", "many.csv")
    check(time.time() - start < 20, "a database without indexes: time in proportion to the trials")


def damaged_databases():
    p = {"a": (0, ALGORITHMS)}
    one = [(0, 0, "COMPLETE", .5, 1, p), (0, 1, "COMPLETE", .25, 1, {"a": (1, ALGORITHMS)})]
    view = ("DROP TABLE studies; CREATE VIEW studies AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
            "SELECT x AS study_id, 'n' AS study_name FROM c;")

    def choices(text):
        return f"UPDATE trial_params SET distribution_json = '{text}'"

    for what, change, says in (
        ("a value that is a text", "UPDATE trial_values SET value = 'n/a' WHERE trial_id = 2",
        "trial_id 2: value: expected a number, "
         "got 'n/a'"), ("a hyperparameter that is a text", "UPDATE trial_params SET param_value = 'u'",
         "trial_id 1: a: expected a "
                        "number, got 'u'"), ("a missing number", "UPDATE trials SET number = NULL",
                        "number: expected a number, got ''"),
        ("choices that are no list", choices('{"name": "CategoricalDistribution", "attributes": {"choices": {"a": 1}}}'),
         "trial_id 1: a: distribution_json: expected a name and, of a categorical one, a list of choices"),
        ("attributes that are no mapping", choices('{"name": "CategoricalDistribution", "attributes": [1]}'),
        "a list of choices"),
        ("a name that is no text", choices('{"name": 5, "attributes": {}}'), "expected a name"),
        ("a distribution that is no JSON", choices('{"name": '), "distribution_json:1:10: not JSON: it ends too early"),
        ("a distribution that is a list", choices("[]"), "expected a name"),
        ("no distribution", "UPDATE trial_params SET distribution_json = NULL", "not JSON"),
        ("a choice that is not there", "UPDATE trial_params SET param_value = 2", "2 is not the place of a choice"),
        ("a choice before the first", "UPDATE trial_params SET param_value = -1", "-1 is not the place of a choice"),
        ("half a choice", "UPDATE trial_params SET param_value = .5", "0.5 is not the place of a choice"),
        ("an unknown state", "UPDATE trials SET state = 'ODD'", "trial_id 1: state: expected one of Optuna, got 'ODD'"),
        ("an unknown direction", "UPDATE study_directions SET direction = 'NOT_SET'",
        "expected the direction MAXIMIZE or MINIMIZE"),
        ("two values of a trial", "INSERT INTO trial_values VALUES (NULL, 2, 0, 1, 'FINITE')", "trial_id 2 has several values"),
        ("no studies", "DELETE FROM studies", "no studies"), ("a view without end", view,
        "not a study of Optuna: studies is no table but a view or virtual"),
        ("a table that is not there", "DROP TABLE trial_params", "not a study of Optuna: no such table: trial_params")):
        database("bad.db", [("s", "MINIMIZE")], one, change)
        refused(what, says, "import", "bad.db")
    database("x.db", [("s", "MINIMIZE")], one)
    want = run("import", "x.db", "--csv")
    os.rename("x.db", "file:x.db")
    check(run("import", "file:x.db", "--csv") == want, "a file whose name begins as an address does")
    os.rename("file:x.db", "x.db")
    done = subprocess.run([MAXK, "import", "-", "--csv"], input=open("x.db", "rb").read(), capture_output=True)
    check(done.stdout.decode() == want, f"a database by a pipe: {done.stderr.decode()}")
    done = subprocess.run(["bash", "-c", f"{MAXK} import <(cat x.db) --csv"], capture_output=True, text=True)
    check(done.stdout == want, f"a database by <(…): {done.stderr}")
    os.mkfifo("fifo")
    refused("a named pipe", "fifo: a pipe or a device, which cannot be read twice; say maxk import - < fifo", "import", "fifo")
    base = sqlite3.connect("x.db", isolation_level=None)
    base.execute("BEGIN EXCLUSIVE")
    refused("a database that is written", "x.db: locked by a program that writes it; try again when it has finished",
            "import", "x.db")
    base.close()
    base = sqlite3.connect("x.db")
    base.execute("PRAGMA journal_mode=wal")
    base.close()
    os.makedirs("closed", exist_ok=True)
    os.rename("x.db", "closed/x.db")
    os.chmod("closed/x.db", 0o444)
    os.chmod("closed", 0o555)
    nobody = ["setpriv", "--reuid", "65534", "--clear-groups"] if os.getuid() == 0 else []
    os.chmod(".", 0o755)
    done = subprocess.run([*nobody, MAXK, "import", "closed/x.db", "--csv"], capture_output=True, text=True)
    os.chmod("closed", 0o755)
    check(done.stdout == want, f"a folder that cannot be written: {done.stderr}")


CONFIGS = {"1": {"m": "s", "C": 1.50}, "2": {"m": "t", "n": 7, "flag": True, "none": None}, "3": {"m": "s", "C": [1,
        "\u00e4\"\n"]}}


def smac():
    """Instances, seeds, budgets, costs, a failure and what still runs, as versions 2.1, 2.0 and 1.4 write them."""
    runs = [(1, "i", 0, 3., 1.5, "SUCCESS", 9), (1, "j", 0, 5., 2.5, "SUCCESS", 8), (1, "i", 1, 4., 3.5, "SUCCESS", 7),
            (2, "i", 0, 1e9, 4.5, "CRASHED", 6), (3, "i", 0, 2., 5.5, "SUCCESS", 5), (2, "j", 0, 7., 1., "RUNNING", 4),
            (2, "j", 0, 6., 6.5, "SUCCESS", 3), (3, "j", 0, 1e308, 7.5, "SUCCESS", 2), (2, "j", 1, 0., 8.5, "TIMEOUT", 1)]
    number = {"RUNNING": 0, "SUCCESS": 1, "CRASHED": 2, "TIMEOUT": 3}
    want = ("instance,arm,repetition,iteration,loss,cost,status,configuration\n"
            'i,s,0,1,2,5.5,ok,"{""C"":[1,""ä\\""\\u000a""]}"\ni,s,0,2,4,3.5,ok,"{""C"":1.5}"\ni,s,0,3,3,1.5,ok,"{""C"":1.5}"\n'
            'i,t,0,1,4,4.5,failed,"{""n"":7,""flag"":true,""none"":null}"\n'
            'j,s,0,1,6,7.5,missing,"{""C"":[1,""ä\\""\\u000a""]}"\nj,s,0,2,5,2.5,ok,"{""C"":1.5}"\n'
            'j,t,0,1,6,8.5,failed,"{""n"":7,""flag"":true,""none"":null}"\n'
            'j,t,0,2,6,6.5,ok,"{""n"":7,""flag"":true,""none"":null}"\n')
    forms = {
        "mappings": [dict(config_id=c, instance=i, seed=s, budget=None, cost=v, time=t, status=number[w], endtime=e)
                     for c, i, s, v, t, w, e in runs],
        "lists": [[c, i, s, None, v, t, number[w], 0., e, {}] for c, i, s, v, t, w, e in runs],
        "pairs": [[[c, i, s, 0.], [v, t, {"__enum__": "StatusType." + w}, 0., e, {}]] for c, i, s, v, t, w, e in runs],
        "words": [[c, i, s, None, [v], t, "StatusType." + w, 0., e, {}] for c, i, s, v, t, w, e in runs]}
    for form, data in forms.items():
        write("h.json", json.dumps({"data": data, "configs": CONFIGS}))
        becomes(f"a run history, {form}", want, "h.json",
                say=("left out: 1 evaluation that had not ended", "of 8 evaluations 2 failed, 0 pruned and 1 without a value",
                     "1 value beyond -1e100 to 1e100: missing", "2 evaluations of a configuration that its series has had before",
                     "direction: minimize, as SMAC3 does"))
    for what, change, says in (("an unknown state", {"status": "ODD"}, "data: item 1: status: expected one of SMAC3, got ODD"),
                               ("no state", {"status": None}, "status: expected one of SMAC3, got null"),
                               ("a cost that is a text", {"cost": "n/a"}, "data: item 1: cost: expected a number, got n/a"),
                               ("two objectives", {"cost": [1, 2]},
                               "data: item 1: cost: expected a number, got several objectives"),
                               ("a strange configuration", {"config_id": 9}, '"configs" has no configuration 9'),
                               ("no configuration", {"config_id": None}, '"configs" has no configuration null')):
        write("h.json", json.dumps({"data": [{**forms["mappings"][0], **change}], "configs": CONFIGS}))
        refused(what, "h.json: data: item 1: " + says.replace("data: item 1: ", ""), "import", "h.json")
    write("h.json", json.dumps({"data": {}, "configs": CONFIGS}))
    refused("data that are no list", 'h.json: expected a list "data" and a mapping "configs"', "import", "h.json", "--from",
            "smac")
    low = [[1, "i", 0, 1., .5, 1., 1, 0., 1., {}], [1, "i", 0, 9., .75, 2., 1, 0., 2., {}], [2, "i", 0, 9., 1., 3., 2, 0.,
            None, {}],
           [2, "i", 0, 3., .25, 4., 1, 0., 4., {}]]
    write("h.json", json.dumps({"data": low, "configs": CONFIGS}))
    becomes("budgets", "instance,arm,repetition,iteration,loss,cost,status,configuration\n"
            'i,s,0,1,0.75,2,ok,"{""C"":1.5}"\n'
            'i,t,0,1,0.75,3,failed,"{""n"":7,""flag"":true,""none"":null}"\n', "h.json",
            say=("left out: 2 evaluations with budgets below the largest, 9",))
    becomes("a run history whose file names the instance", "instance,arm,repetition,iteration,loss,cost,status,configuration\n"
            'h.json,s,0,1,0.75,2,ok,"{""C"":1.5}"\n'
            'h.json,t,0,1,0.75,3,failed,"{""n"":7,""flag"":true,""none"":null}"\n', "h.json", "--instance", "file")
    for name, of_file in (("value", "instance"), ("cost", "instance"), ("iteration", "repetition"), ("instance", "repetition")):
        refused(f"{name}: no column next to {of_file}: the file", f"h.json: --{name}: names a column, and this file is no table",
                "import", "h.json", f"--{name}", "x", f"--{of_file}", "file")


def json_texts():
    """The reader of JSON: what is refused, and where."""
    for text, says in (('{"data": [', ":1:11: not JSON: it ends too early"), ('{"data": [1 2]}',
            ":1:13: not JSON: expected , or ]"),
                       ('{"data": 1 "x": 2}', ":1:12: not JSON: expected , or }"), ('{"data" 1}', ":1:9: not JSON: expected :"),
                       ('{"data": 1, x}', ":1:13: not JSON: expected a name in quotes"), ('{"data": 01}',
                       ":1:10: not JSON: expected a "
                                                                                          "value"),
                       ('{"data": 1.}', ":1:10: not JSON: expected a value"), ('{"data": 1e}', "expected a value"),
                       ('{"data": -}', "expected a value"), ('{"data": "\\q"}', "expected an escaped character"),
                       ('{"data": "\\u12g4"}', "expected an escaped character"), ('{"data": "\\u0000"}',
                       "expected an escaped character"),
                       ('{"data": 1}\n x', ":2:2: not JSON: text after its end"), ('{"data": "a',
                       ":1:12: not JSON: it ends too early"),
                       ("true", 't.json: expected a list "data" and a mapping "configs"'),
                       ('{"data": ' + "[" * 200, ":1:109: not JSON: nested too deeply"), ('{"data": nul}', "expected a value")):
        write("t.json", text)
        refused(f"JSON {text[:20]!r}", "t.json" + says if says.startswith(":") else says, "import", "t.json", "--from", "smac")
    with open("t.json", "wb") as f:
        f.write(b'{"data": "\xff"}')
    refused("JSON that is not UTF-8", "t.json:1:11: not JSON: expected UTF-8", "import", "t.json", "--from", "smac")
    odd = ('{"data": [{"config_id": "a", "cost": -1.5e-1, "status": 1}, {"config_id": "b", "cost": Infinity, "status": 1},\r\n'
           '{"config_id": "c", "cost": NaN, "status": 1}, {"config_id": "a", "cost": 2E+1, "status": 1}], "configs": {'
           '"a": {"m": "\\u00e9\\ud83d\\ude00\\ud800\\/\\t", "r": 1e400, "z": -0.10, "big": 123456789012345678901, "n": -7}, '
           '"b": {"m": "b", "e": [], "f": {}, "l": [true, false, null]}, "c": {"m": "b", "i": -Infinity, "m2": {"k": [0]}}}}')
    write("t.json", odd.replace("\\t", ""))
    becomes("numbers, words and characters of JSON", "instance,arm,repetition,iteration,loss,status,configuration\n"
            'all,é😀\ufffd/,0,1,-0.15,ok,"{""r"":1e400,""z"":-0.10,""big"":123456789012345678901,""n"":-7}"\n'
            'all,é😀\ufffd/,0,2,20,ok,"{""r"":1e400,""z"":-0.10,""big"":123456789012345678901,""n"":-7}"\n'
            'all,b,0,1,20,missing,"{""e"":[],""f"":{},""l"":[true,false,null]}"\n'
            'all,b,0,2,20,missing,"{""i"":-Infinity,""m2"":{""k"":[0]}}"\n', "t.json")
    write("t.json", odd)
    refused("a name that no other command takes",
            "t.json: arm: expected a name of 1 to 100 bytes of UTF-8 without control characters",
            "import", "t.json")


def hpbandster():
    os.makedirs("hb", exist_ok=True)
    configs = "".join(json.dumps([[0, 0, i], c, {}]) + "\n" for i, c in enumerate(({"a": "p", "x": 1.5}, {"a": "q"}, {"a": "p"})))
    write("hb/configs.json", configs)

    def line(i, budget, start, end, result):
        return json.dumps([[0, 0, i], budget, {"started": start, "finished": end}, result, None]) + "\n"

    lines = [line(0, 9., 1, 8, {"loss": .5}), line(0, 9., 2, 6, {"loss": .75}), line(1, 9., 3, 5, None), line(1, 3., 0, 1,
            {"loss": 9}),
             line(2, 9., 4, 7, {"loss": .25}), line(7, 9., 1, 2, {"loss": 0}), line(1, 9., 1, 4, {"loss": float("inf")})]
    write("hb/results.json", "".join(lines))
    rest = ('all,p,0,1,0.75,4,ok,"{""x"":1.5}"\nall,p,0,2,0.25,3,ok,{}\nall,p,0,3,0.5,7,ok,"{""x"":1.5}"\n'
            "all,q,0,1,0.75,3,failed,{}\nall,q,0,2,0.75,2,failed,{}\n")
    head = "instance,arm,repetition,iteration,loss,cost,status,configuration\n"
    becomes("a log of HpBandSter", head + rest, "hb/results.json",
            say=("left out: 1 evaluation without a configuration in configs.json",
                    "left out: 1 evaluation with budgets below the "
                 "largest, 9"), unsaid=("ends too early",))
    os.mkdir("again")
    write("again/configs.json", configs)
    write("again/results.json", "".join(lines))
    said = run("import", "hb/results.json", "again/results.json")
    check("left out: 2 evaluations without a configuration in configs.json" in said, f"what two files left out is added: {said}")
    write("hb/results.json", "".join(lines) + lines[0][:30])
    write("hb/configs.json", configs + "[[0,")
    becomes("cut last lines", head + rest, "hb/results.json",
            say=("left out: the last line of results.json, which ends too early", "left out: the last line of configs.json"))
    write("hb/results.json", lines[0] + lines[1][:30] + "\n" + lines[2])
    refused("a damaged line before the last", "hb/results.json:2:", "import", "hb/results.json")
    write("hb/results.json", lines[0] + lines[1][:30] + "\n")
    refused("a damaged last line with an end", "hb/results.json:2:", "import", "hb/results.json")
    write("hb/results.json", lines[0] + "[[0, 0, 0]]\n")
    refused("a line without a budget", "hb/results.json:2:1: expected a list that begins with a configuration", "import",
            "hb/results.json")
    write("hb/results.json", line(0, 9., 1, 8, {"loss": "n/a"}))
    refused("a loss that is a text", "hb/results.json: result 1: loss: expected a number", "import", "hb/results.json")
    write("hb/results.json", lines[0] + lines[0])
    write("hb/configs.json", "[[0, 0, 0], 5]\n")
    refused("a configuration that is no mapping", "hb/configs.json: configuration [0,0,0]: expected a mapping", "import",
            "hb/results.json")


def tables():
    head = "instance,arm,repetition,iteration,"
    write("v.csv", "cost,time,status,seed,alg\n116.4,0.5,SUCCESS,42,a\n224.9,0.7,StatusType.SUCCESS,42,b\n1e9,0.1,CRASHED,42,b\n"
          "90.1,0.4,,42,a\n1,1,running,1,a\n")
    becomes("the column of the values is no cost", head + "loss,status,configuration\n"
            'all,a,0,1,116.4,ok,"{""time"":0.5,""seed"":42}"\nall,a,0,2,90.1,ok,"{""time"":0.4,""seed"":42}"\n'
            'all,b,0,1,224.9,ok,"{""time"":0.7,""seed"":42}"\nall,b,0,2,224.9,failed,"{""time"":0.1,""seed"":42}"\n', "v.csv",
            "--from",
            "table", "--value", "cost", "--arm", "alg", say=("direction: minimize, going by the name 'cost'",
                                                             "left out: 1 evaluation that had not ended"), unsaid=("costs are",))
    becomes("a column of costs that an option names", head + "reward,cost,status,configuration\n"
            'all,a,0,1,116.4,0.5,ok,"{""seed"":42}"\nall,a,0,2,90.1,0.4,ok,"{""seed"":42}"\n'
            'all,b,0,1,224.9,0.7,ok,"{""seed"":42}"\nall,b,0,2,90.1,0.1,failed,"{""seed"":42}"\n', "v.csv", "--from", "table",
            "--value", "cost", "--arm", "alg", "--cost", "time", "--direction", "maximize")
    becomes("the state as the arm is no state", head + "loss,status,configuration\n"
            'all,A,0,1,1,ok,"{""x"":2}"\nall,ok,0,1,2,ok,"{""x"":3}"\n', write("s.csv", "status,loss,x\nA,1,2\nok,2,3\n"),
            "--from",
            "table", "--arm", "status")
    refused("a state that is none", "s.csv:2:1: status: expected a state such as complete, failed, pruned or running, got 'A'",
            "import", "s.csv", "--from", "table", "--arm-name", "x")
    write("l.csv", "rep;data;t;alg;reward;secs;x;y\n1;d;2;p;0,5;1;1.0;1,5\n1;d;1;q;-0,25;2;0x1;\n0;d;3;p;NaN;3;1e5;u\n"
          "0;e;10;p;0;4;-3;v\n1;d;10;p;0,125;5;+1;w\n0;e;9;p;inf;0;2;\"a\"\"b\"\n0;e;8;p;1e101;1;2;z\n")
    want = ('d,p,1,1,0.5,ok,"{""x"":1.0,""y"":1.5}"\nd,p,1,2,0.125,ok,"{""x"":1.0,""y"":""w""}"\n'
            'd,p,0,1,-0.25,missing,"{""x"":1e5,""y"":""u""}"\nd,q,1,1,-0.25,ok,"{""x"":""0x1""}"\n'
            'e,p,0,1,0,missing,"{""x"":2,""y"":""z""}"\ne,p,0,2,0,missing,"{""x"":2,""y"":""a\\""b""}"\n'
            'e,p,0,3,0,ok,"{""x"":-3,""y"":""v""}"\n')
    becomes("a long table with two instances and repetitions", head + "reward,status,configuration\n" + want, "l.csv", "--from",
            "table", "--arm", "alg", "--instance", "data", "--repetition", "rep", "--iteration", "t", "--cost", "secs",
            say=("costs are left out: 1 of 7 evaluations have none", "iterations: by column 't'",
                 "of 7 evaluations 0 failed, 0 pruned and 3 without a value: they count as the worst value of their instance",
                 "1 value beyond", "direction: maximize, going by the name 'reward'"))
    becomes("a number for failures", head + "reward,status,configuration\n" + want.replace("1,-0.25,missing", "1,-9,missing")
            .replace(",0,missing", ",-9,missing"), "l.csv", "--from",
            "table", "--arm", "alg", "--instance", "data", "--repetition", "rep", "--iteration", "t", "--cost", "secs",
            "--failed", "-9",
            say=("they count as the option says",))
    becomes("times order evaluations, equal ones by their place", head + "loss,status,configuration\n"
            'all,p,0,1,3,ok,{}\nall,p,0,2,1,ok,{}\nall,p,0,3,4,ok,{}\nall,p,0,4,2,ok,{}\n',
            write("t.csv", "alg,when,loss\np,2024-01-02,1\np,2024-01-10,2\np,2023-01-01,3\np,2024-01-02,4\n"), "--from", "table",
            "--iteration", "when")
    write("w.csv", "data\trep\titeration\tp\tq\nd\t0\t2\t0.5\t1\nd\t0\t1\t0.25\tnull\ne\t0\t1\t3\t2\n")
    becomes("a wide table", head + "reward,status,configuration\nd,p,0,1,0.25,ok,{}\nd,p,0,2,0.5,ok,{}\nd,q,0,1,0.25,missing,{}\n"
            "d,q,0,2,1,ok,{}\ne,p,0,1,3,ok,{}\ne,q,0,1,2,ok,{}\n", "w.csv", "--from", "wide", "--repetition", "rep",
            say=("arms: columns p, q\n", "instances: column 'data', whose cells are not numbers",
                    "direction: maximize, larger values "
                 "are better"))
    refused("an arm of a wide table", "w.csv: --arm: a wide table has no column that names the arm", "import", "w.csv", "--from",
            "wide", "--arm", "p")
    for name, text, says, arguments in (
        ("two arms of one name", "d,a,a\nx,1,2\n", "d.csv:1: a: duplicate column", ["wide"]),
        ("two hyperparameters of one name", "alg,loss,x,x\np,1,2,3\n", "d.csv:1: x: duplicate column", ["table"]),
        ("two columns that differ in case", "alg,Cost,COST,loss\np,1,2,3\n", "d.csv:1: cost: duplicate column", ["table"]),
        ("an instance without a name", 'alg,instance,loss\np,"",1\nq,a,2\n', "d.csv: instance: expected a name of 1 to 100 bytes",
         ["table"]), ("a long name", f"alg,loss\n{'p' * 101},1\nq,2\n", "d.csv: arm: expected a name of 1 to 100 bytes",
                 ["table"]),
        ("half a repetition", "alg,repetition,loss\np,1.5,1\nq,1,2\n",
        "d.csv: repetition: expected a name or a whole number >= 0",
         ["table"]), ("a repetition below 0", "alg,repetition,loss\np,-1,1\nq,1,2\n", "repetition: expected a name or a whole",
                      ["table"]),
        ("a rule that is no reward", "alg,loss\np,1\nq,2\n",
        "--failed: expected worst, drop or a number from -1e100 to 1e100, got "
         "'1e101'", ["table", "--failed", "1e101"]),
        ("no arm", "loss,x\n1,2\n2,3\n",
        "--arm: missing; expected the hyperparameter that names the algorithm, one of: x; or file or "
         "--arm-name NAME", ["table"]), ("no hyperparameters", "loss\n1\n", "the evaluations have no hyperparameters",
         ["table"])):
        write("d.csv", text)
        refused(name, says, "import", "d.csv", "--from", *arguments)
    check(run("import", write("one.csv", f"alg,loss\n{'p' * 100},1\n"), "--from", "table", "--csv").count("ppp,0,1,1,ok"),
            "one word")


def known_tables():
    head = "instance,arm,repetition,iteration,"
    write("o.csv", "number,value,params_alg,params_x,state\n1,0.5,a,0.0,COMPLETE\n0,0.6,b,0.1,TrialState.COMPLETE\n"
          "2,0.7,a,0.20,PRUNED\n3,,a,1,RUNNING\n4,0.8,b,1,FAIL\n")
    becomes("trials_dataframe() without dates", head + "loss,status,configuration\n"
            'all,a,0,1,0.5,ok,"{""x"":0.0}"\nall,a,0,2,0.6,pruned,"{""x"":0.20}"\n'
            'all,b,0,1,0.6,ok,"{""x"":0.1}"\nall,b,0,2,0.6,failed,"{""x"":1}"\n', "o.csv",
            say=("kind: optuna", "left out: 1 evaluation that had not ended", "iterations: by column 'number'",
                 "of 4 evaluations 1 failed, 1 pruned and 0 without a value"))
    write("m.csv", "run_id,status,start_time,metrics.acc,metrics.loss,params.model,params.lr,tags.x\n"
          "a,FINISHED,2024-03-02,0.5,1,cnn,0.01,t\nb,FINISHED,2024-03-01,0.75,2,mlp,0.10,t\nc,KILLED,2024-03-03,9,3,mlp,1,t\n"
          "d,RUNNING,2024-03-04,9,3,mlp,1,t\ne,FINISHED,2024-03-01,0.25,,cnn,2,t\n")
    becomes("runs of MLflow", head + "reward,status,configuration\n"
            'all,cnn,0,1,0.25,ok,"{""lr"":2}"\nall,cnn,0,2,0.5,ok,"{""lr"":0.01}"\nall,mlp,0,1,0.75,ok,"{""lr"":0.10}"\n'
            'all,mlp,0,2,0.25,failed,"{""lr"":1}"\n', "m.csv", "--value", "metrics.acc",
            say=("left out: 1 evaluation that had not ended", "iterations: by column 'start_time'"))
    refused("two metrics of MLflow", "m.csv: --value: missing; expected the column of the values", "import", "m.csv")
    write("u.csv", "Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,model,lr,acc\n"
          '"2024-03-02 10:00:00","2.5s","a","n1","LOCAL","t.py","u","FINISHED","cnn","\'-0.01","\'-0.5"\n'
          '"2024-03-01 10:00:00","1.5min","b","n2","LOCAL","t.py","u","FINISHED","mlp","0.1","0.75"\n'
          '"2024-03-03 10:00:00","20ms","c","n3","LOCAL","t.py","u","FAILED","cnn","0.2",""\n'
          '"2024-03-03 10:00:00","","d","n3","LOCAL","t.py","u","RUNNING","cnn","0.2",""\n'
          '"2024-03-04 10:00:00","2.0h","e","n3","LOCAL","t.py","u","FINISHED","\'@x","0.2","1"\n')
    becomes("what the page of MLflow downloads", head + "reward,cost,status,configuration\n"
            'all,cnn,0,1,-0.5,2.5,ok,"{""lr"":-0.01}"\nall,cnn,0,2,-0.5,0.02,failed,"{""lr"":0.2}"\n'
            'all,mlp,0,1,0.75,90,ok,"{""lr"":0.1}"\nall,@x,0,1,1,7200,ok,"{""lr"":0.2}"\n', "u.csv",
            "--value", "acc", say=("kind: mlflow", "the page of MLflow does not tell them from metrics",
                                   "left out: 1 evaluation that had not ended"))
    refused("its metric has to be named", "u.csv: --value: missing; expected the column of the values", "import", "u.csv")
    write("i.csv",
            "irace_experiment,irace_instance,configuration,value,time,params.alg,params.x\n3,1,1,5,1.5,as,0.5\n1,1,2,4,2.5,mm,\n"
          "2,2,2,3,3.5,mm,\n4,2,1,,4.5,as,0.5\n")
    becomes("experiments of irace", head + "loss,cost,status,configuration\n"
            '1,as,0,1,5,1.5,ok,"{""x"":0.5}"\n1,mm,0,1,4,2.5,ok,{}\n2,as,0,1,3,4.5,missing,"{""x"":0.5}"\n2,mm,0,1,3,3.5,ok,{}\n',
            "i.csv", "--instance", "irace_instance", say=("kind: irace", "direction: minimize, as irace does"))


def several_files():
    head = "instance,arm,repetition,iteration,loss,status,configuration\n"
    os.makedirs("f/g", exist_ok=True)
    write("f/a.csv", "instance,loss,k,x\nd,1,u,1\ne,2,v,2\nd,3,u,3\n")
    write("f/b.csv", "instance,loss,k,x\nd,4,u,1\nd,5,u,4\n")
    write("f/g/a.csv", "instance,loss,k,x\ne,6,v,1\n")
    becomes("files are arms", head + 'd,a,0,1,1,ok,"{""k"":""u"",""x"":1}"\nd,a,0,2,3,ok,"{""k"":""u"",""x"":3}"\n'
            'd,b,0,1,4,ok,"{""k"":""u"",""x"":1}"\nd,b,0,2,5,ok,"{""k"":""u"",""x"":4}"\ne,a,0,1,2,ok,"{""k"":""v"",""x"":2}"\n',
            "f/a.csv", "f/b.csv", "--from", "table", "--arm", "file", say=("arms: the files",
            "2 files: series that several have go on", "series of 1 to 2 evaluations: horizons above 1 need"))
    write("f/late.csv", "loss,k\n1,u\n2,v\n3,v\n")
    check("series of 1 to 2 evaluations: horizons above 1 need" in run("import", "f/late.csv", "--from", "table", "--arm", "k"),
          "the shortest series need not be the last one")
    becomes("files are repetitions", head + 'd,u,a,1,1,ok,"{""x"":1}"\nd,u,a,2,3,ok,"{""x"":3}"\nd,u,b,1,4,ok,"{""x"":1}"\n'
            'd,u,b,2,5,ok,"{""x"":4}"\ne,v,a,1,2,ok,"{""x"":2}"\n', "f/a.csv", "f/b.csv", "--from", "table", "--arm", "k",
            "--repetition",
            "file")
    becomes("files are instances", head + 'b,u,0,1,4,ok,"{""instance"":""d"",""x"":1}"\n'
            'b,u,0,2,5,ok,"{""instance"":""d"",""x"":4}"\na,u,0,1,1,ok,"{""instance"":""d"",""x"":1}"\n'
            'a,u,0,2,3,ok,"{""instance"":""d"",""x"":3}"\na,v,0,1,2,ok,"{""instance"":""e"",""x"":2}"\n', "f/b.csv",
            "f/a.csv", "--from",
            "table", "--arm", "k", "--instance", "file")
    becomes("series go on from file to file",
            head + 'd,u,0,1,4,ok,"{""x"":1}"\nd,u,0,2,5,ok,"{""x"":4}"\nd,u,0,3,1,ok,"{""x"":1}"\n'
            'd,u,0,4,3,ok,"{""x"":3}"\ne,v,0,1,2,ok,"{""x"":2}"\n', "f/b.csv", "f/a.csv", "--from", "table", "--arm", "k",
            say=("1 evaluation of a configuration that its series has had before",
                 "series of 1 to 4 evaluations: horizons above 1 need"))
    check("\nd,f/a.csv,0,1,1," in run("import", "f/a.csv", "f/g/a.csv", "--from", "table", "--arm", "file", "--csv"),
          "names that are the same are paths")
    refused("a file twice", "f/a.csv: given twice", "import", "f/a.csv", "f/a.csv", "--from", "table", "--arm", "file")
    write("f/up.csv", "reward,k\n1,u\n")
    refused("directions that differ",
            "f/up.csv: --direction: missing; larger values are better here, and not in the files before it",
            "import", "f/a.csv", "f/up.csv", "--from", "table", "--arm", "file")
    write("f/w.csv", "instance,iteration,p\nd,2,1\nd,1,2\n")
    write("f/v.csv", "instance,iteration,q\nd,9,3\nd,8,4\n")
    becomes("wide tables of several arms", "instance,arm,repetition,iteration,reward,status,configuration\n"
            "d,p,0,1,2,ok,{}\nd,p,0,2,1,ok,{}\nd,q,0,1,4,ok,{}\nd,q,0,2,3,ok,{}\n", "f/w.csv", "f/v.csv", "--from", "wide")
    write("f/number.csv", "number,value,params_k,state\n0,1,u,COMPLETE\n")
    write("f/run.csv", "run_id,status,metrics.loss,params.k\n0,FINISHED,2,v\n")
    becomes("files of several kinds", head + "all,u,0,1,1,ok,{}\nall,v,0,1,2,ok,{}\n", "f/number.csv", "f/run.csv",
            say=("kind: optuna", "kind: mlflow"))
    write("file.csv", "loss,file\n1,u\n2,v\n")
    becomes("a column that is called file", head + "all,u,0,1,1,ok,{}\nall,v,0,1,2,ok,{}\n", "file.csv", "--from", "table",
            "--arm",
            "file")


def benchmark():
    """results.csv of the AutoML benchmark: two tasks, two frameworks, folds out of order, a failure, a missing duration."""
    write("amlb.csv", "id,task,framework,constraint,fold,type,result,metric,duration,info,auc\n"
          "t/1,adult,flaml,1h8c,1,binary,0.9,auc,30,,0.9\nt/1,adult,flaml,1h8c,0,binary,0.8,auc,20,,0.8\n"
          "t/1,adult,TPOT,1h8c,0,binary,,auc,40,Error: no memory,\nt/1,adult,TPOT,1h8c,1,binary,0.7,auc,10,,0.7\n"
          "t/2,car,flaml,1h8c,0,multiclass,-0.5,neg_logloss,15,,\nt/2,car,TPOT,1h8c,0,multiclass,,neg_logloss,5,,\n")
    becomes("results of the AutoML benchmark", "instance,arm,repetition,iteration,reward,cost,status,configuration\n"
            "adult,flaml,0,1,0.8,20,ok,{}\nadult,flaml,0,2,0.9,30,ok,{}\n"
            "adult,TPOT,0,1,0.7,40,failed,{}\nadult,TPOT,0,2,0.7,10,ok,{}\n"
            "car,flaml,0,1,-0.5,15,ok,{}\ncar,TPOT,0,1,-0.5,5,missing,{}\n", "amlb.csv",
            say=("kind: amlb", "direction: maximize, as the benchmark scores",
                 "of 6 evaluations 1 failed, 0 pruned and 1 without a value"))
    becomes("folds as repetitions, without failures", "instance,arm,repetition,iteration,reward,cost,status,configuration\n"
            "adult,flaml,1,1,0.9,30,ok,{}\nadult,flaml,0,1,0.8,20,ok,{}\nadult,TPOT,1,1,0.7,10,ok,{}\n"
            "car,flaml,0,1,-0.5,15,ok,{}\n", "amlb.csv", "--repetition", "fold", "--failed", "drop")


def ray():
    """result.json of Ray Tune: two data sets as files, reports before the last, a value that is not one, a repetition."""
    def report(trial, at, iteration, value, config):
        return json.dumps({"val": {"acc": value}, "loss": 1.5, "trial_id": trial, "training_iteration": iteration,
                           "time_total_s": 2.0 * iteration, "timestamp": at, "config": config}) + "\n"
    p, q = {"model": "p", "lr": 0.5}, {"model": "q", "depth": 3}
    write("one.json", report("a", 10, 1, .25, p) + report("b", 11, 1, .5, q) + report("a", 12, 2, .75, p) + "\n"
          + report("c", 9, 1, .125, p))
    write("two.json", report("d", 1, 1, float("nan"), q) + report("e", 2, 3, .0625, p) + report("f", 3, 1, .375, q))
    for word, column, worst in (("maximize", "reward", .0625), ("minimize", "loss", .375)):
        becomes(f"reports of Ray Tune, {word}", f"instance,arm,repetition,iteration,{column},cost,status,configuration\n"
                'one.json,q,0,1,0.5,2,ok,"{""depth"":3}"\n'
                'one.json,p,0,1,0.125,2,ok,"{""lr"":0.5}"\none.json,p,0,2,0.75,4,ok,"{""lr"":0.5}"\n'
                f'two.json,q,0,1,{worst},2,missing,"{{""depth"":3}}"\n'
                'two.json,q,0,2,0.375,2,ok,"{""depth"":3}"\ntwo.json,p,0,1,0.0625,6,ok,"{""lr"":0.5}"\n', "one.json", "two.json",
                "--value", "val/acc", "--direction", word, "--instance", "file",
                say=("kind: ray", "left out: 1 report of a trial before its last one",
                     "of 6 evaluations 0 failed, 0 pruned and 1 without a value", "2 evaluations of a configuration that its"))
    refused("Ray Tune: no metric", "one.json: --value: missing; expected the metric, such as one of: loss", "import", "one.json")
    refused("Ray Tune: another one", "one.json: --value: not in any report", "import", "one.json", "--value", "acc")
    refused("Ray Tune: no direction", "one.json: --direction: missing", "import", "one.json", "--value", "loss")
    write("bad.json", report("a", 1, 1, .5, p) + '{"trial_id": ')
    refused("Ray Tune: cut off", "bad.json:2", "import", "bad.json", "--value", "loss", "--direction", "minimize")


def flat(x, name=""):
    """As Ray Tune writes nested metrics into progress.csv."""
    parts = [flat(y, name + key + "/") if isinstance(y, dict) else {name + key: y} for key, y in x.items()]
    return {key: y for part in parts for key, y in part.items()}


def ray_folders():
    """Folders as Ray Tune writes them: trials with result.json or progress.csv, with and without an error, one that had not
    ended, and reports without a configuration."""
    def trial(name, config, reports, kinds=("json", "csv"), error=False, has_config=True):
        os.makedirs(f"exp/{name}")
        write(f"exp/{name}/params.json", json.dumps(config, indent=2, sort_keys=True))
        if "json" in kinds:
            write(f"exp/{name}/result.json", "".join(json.dumps({**r, "config": config} if has_config else r) + "\n"
                                                     for r in reports))
        if "csv" in kinds and reports:
            rows = [flat(r) for r in reports]
            write(f"exp/{name}/progress.csv", "\r\n".join(",".join(map(str, r)) for r in [list(rows[0])] + [list(r.values())
                                                                                                       for r in rows]) + "\r\n")
        if error:
            write(f"exp/{name}/error.txt", "Traceback (most recent call last):\n")

    def report(number, iteration, at, loss, acc, done=False):
        return {"loss": loss, "val": {"acc": acc}, "trial_id": f"7{number}e1_0000{number}", "training_iteration": iteration,
                "time_total_s": 1.5 * iteration, "timestamp": at, "done": done, "date": "2024-01-01_10-00-00"}
    trial("a", {"model": "p", "lr": .5}, [report(0, 1, 10, 1., .125), report(0, 2, 20, .5, .25)])
    trial("b", {"model": "q", "depth": 3}, [report(1, 1, 5, .75, .375)], ("csv",))
    trial("c", {"model": "q", "depth": 4}, [report(2, 1, 6, .25, .5)], error=True)
    trial("d", {"model": "p", "lr": .25}, [report(3, 1, 7, .125, .625, True)], ("json",), error=True, has_config=False)
    head = "instance,arm,repetition,iteration,%s,cost,status,configuration\n"
    whole = (head % "loss" + 'all,p,0,1,0.125,1.5,ok,"{""lr"":0.25}"\nall,p,0,2,0.5,3,ok,"{""lr"":0.5}"\n'
             'all,q,0,1,0.75,1.5,ok,"{""depth"":3}"\nall,q,0,2,0.75,1.5,failed,"{""depth"":4}"\n')
    minimize, earlier = ("--value", "loss", "--direction", "minimize"), "left out: 1 report of a trial before its last one"
    becomes("an experiment of Ray Tune", whole, "exp", *minimize, say=("kind: ray", earlier, "of 4 evaluations 1 failed"))
    becomes("a trial given again", whole, "exp", "exp/a/result.json", "exp/b/progress.csv", *minimize,
            say=("left out: 2 trials that had been read before", "left out: 2 reports of a trial before its last one"))
    becomes("a trial given twice", head % "loss" + 'all,p,0,1,0.125,1.5,ok,"{""lr"":0.25}"\n', "exp/d", "exp/d/result.json",
            *minimize, say=("left out: 1 trial that had been read before",), unsaid=("duplicate",))
    for name in ("exp/a", "exp/a/progress.csv"):
        becomes(f"{name} of Ray Tune", head % "reward" + 'all,p,0,1,0.25,3,ok,"{""lr"":0.5}"\n', name, "--value", "val/acc",
                "--direction", "maximize", say=("kind: ray", earlier))
    trial("e", {"model": "p", "lr": 1}, [], error=True)
    trial("f", {"model": "p", "lr": 2}, [])
    os.mkdir("exp/checkpoints")
    write("exp/experiment_state-2024-01-01_10-00-00.json", "{}")
    becomes("trials without a report", whole.replace(",cost", "").replace(",1.5", "").replace(",3,ok", ",ok").replace(
        'all,q,0,1', 'all,p,0,3,0.75,failed,"{""lr"":1}"\nall,q,0,1'), "exp", *minimize,
            say=("left out: 1 evaluation that had not ended", "of 5 evaluations 2 failed", "costs are left out: 1 of 5"))
    refused("a folder of nothing", "exp/checkpoints: expected the folder of a trial or of an experiment of Ray Tune", "import",
            "exp/checkpoints", *minimize)
    refused("a trial without the metric", "exp/a/result.json: --value: not in any report; expected the metric, such as one of: "
            "loss", "import", "exp", "--value", "acc", "--direction", "minimize")
    for kind, loss in (("json", float("nan")), ("json", None), ("csv", float("nan"))):
        trial("g", {"model": "q", "depth": 9}, [report(6, 1, 30, loss, .5, True)], (kind,))
        becomes(f"a trial whose only report has {loss} for the metric, {kind}",
                head % "loss" + 'all,p,0,1,0.125,1.5,ok,"{""lr"":0.25}"\nall,q,0,1,0.125,1.5,missing,"{""depth"":9}"\n', "exp/d",
                "exp/g", *minimize, say=("of 2 evaluations 0 failed, 0 pruned and 1 without a value",))
        shutil.rmtree("exp/g")
    os.remove("exp/b/params.json")
    refused("progress.csv without params.json", "exp/b/progress.csv: a report without", "import", "exp/b", *minimize)
    refused("a folder as an experiment", "exp: cannot be read", "run", "exp")


def objectives():
    """A study of two objectives, of opposite directions."""
    p, q = {"a": (0, ALGORITHMS)}, {"a": (1, ALGORITHMS)}
    database("two.db", [("s", "MAXIMIZE")], [(0, 0, "COMPLETE", .25, 3, p), (0, 1, "COMPLETE", .5, 4, q),
                                             (0, 2, "FAIL", None, 5, p)],
             "INSERT INTO study_directions VALUES (NULL, 'MINIMIZE', 0, 1);"
             "INSERT INTO trial_values SELECT NULL, trial_id, 1, 10 * value, 'FINITE' FROM trial_values;")
    refused("two objectives", "study s has 2 objectives; expected one, or --objective N", "import", "two.db")
    refused("a third one", "--objective: expected 1 to 2, got 3", "import", "two.db", "--objective", "3")
    for n, column, scale, worst in ((1, "reward", 1, .25), (2, "loss", 10, 5)):
        becomes(f"objective {n}", f"instance,arm,repetition,iteration,{column},cost,status,configuration\n"
                f"s,p,0,1,{.25 * scale},3,ok,{{}}\ns,p,0,2,{worst},5,failed,{{}}\ns,q,0,1,{.5 * scale:g},4,ok,{{}}\n", "two.db",
                "--objective", str(n))


def many():
    """Names, hyperparameters and trials by the ten thousand: time in proportion to them."""
    n = 100000
    write("names.csv", "instance,alg,loss\n" + "".join(f"i{i},a{i},{i}\n" for i in range(n)))
    write("hyper.json", json.dumps({"data": [[i, None, 0, None, 1., 1., 1 + i % 2, 0., i, {}] for i in range(n)],
                                    "configs": {str(i): {"alg": "pq"[i % 2 * (i % 4 // 2)], f"h{i}": "w"} for i in range(n)}}))
    for path, kind in (("names.csv", "table"), ("hyper.json", "smac")):
        start = time.time()
        out = run("import", path, "--from", kind, "--arm", "alg", "--csv")
        check(out.count("\n") == n + 1 and time.time() - start < 20, f"{path}: {n} names within seconds")


with folder() as d:
    os.chdir(d)
    optuna()
    damaged_databases()
    smac()
    json_texts()
    hpbandster()
    tables()
    known_tables()
    several_files()
    benchmark()
    ray()
    ray_folders()
    objectives()
    many()
finish()
