"""Prints what programs, files and scripts of users rest on, one name per line, sorted: commands and their options, policies and
the like with their parameters, keys, tables and columns, figures, claims, datasets of results, functions and fields of the
public headers, names of the Python module. Each line begins with `core`, what stays within a major version, or
`provisional`, what a minor version may change (experiments/manual/compatibility.md). tests/reference/interface.txt has the lines
of the current version."""
import ast, glob, json, os, re, subprocess, sys, tempfile

MAXK = os.path.abspath(os.environ.get("MAXK", "build/maxk"))
lines = set()

CORE = {"command", "policy", "family", "key", "header", "function", "result", "python"}  # the rest is provisional


def run(*command):
    return subprocess.run([MAXK, *command], capture_output=True, text=True, check=True, timeout=60).stdout


def listed(what, *more):
    return json.loads(run("list", what, *more, "--json"))


def add(kind, *words, core=True):
    lines.add(" ".join(["core" if core and kind in CORE else "provisional", kind, *words]))


def commands():
    for row in listed("commands"):
        add("command", row["command"])
        for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", run(row["command"], "--help"), re.M):
            add("option", row["command"], option)


def registries():
    for what, kind in [("policies", "policy"), ("families", "family"), ("optimizers", "optimizer"),
                       ("objectives", "objective")]:
        for row in listed(what):
            name = list(row.values())[0]
            add(kind, name)
            described = "".join(run("describe", name).split("\nparameters:\n")[1:])
            for parameter, rest in re.findall(r"^  (\w+)  +(.*)$", described, re.M):
                add("parameter", f"{name}.{parameter}")
                for words in re.findall(r"one of ([\w, ]+)", rest):
                    for word in words.split(", "):
                        add("parameter", f"{name}.{parameter}={word}")
    for what in ("figures", "claims", "curves"):
        for row in listed(what):
            add(what[:-1], list(row.values())[0])
    for what in ("keys", "tunekeys", "spacekeys"):
        for row in listed(what):
            add("key", row["of"].replace(" ", "_"), row["key"])
    for row in listed("tables"):
        add("table", row["table"])
        for column in listed("columns", row["table"]):
            add("column", f"{row['table']}.{column['column']}", column["type"])
        for option in listed("options", row["table"]):
            add("table_option", f"{row['table']}.{option['option']}")


def headers():
    for path in sorted(glob.glob("sim/api/maxk/*.h")):
        command = ["gcc", "-fpreprocessed", "-dD", "-E", "-P", path]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        core = "This header is provisional" not in " ".join(open(path).read().split())
        former = {new: old for old, new in re.findall(r"^#define (mk_\w+) (mk_\w+)$", text, re.M)}  # of structs
        text = re.sub(r"^#.*\n", "", re.sub(r"\\\n", " ", text), flags=re.M)
        text = re.sub(r'MK_DEPRECATED\("\w+"\)', "", " ".join(text.split()))
        for kind, name, body in re.findall(r"(struct|enum) (\w+) \{([^}]*)\}", text):
            for part in body.split("," if kind == "enum" else ";"):
                if part.strip():
                    for known in {name, former.get(name, name)}:
                        member = part.split("=")[0] if kind == "enum" else part
                        add("header", kind, known + ":", member.strip(), core=core)
        for statement in re.sub(r"\{[^}]*\}", ";", text.replace('extern "C" {', "")).split(";"):
            if re.search(r"\bmk_\w+\(", statement) and "static inline" not in statement:
                add("function", statement.strip(), core=core)


def named(name):
    add("python", name, core=not name.startswith("maxk.sklearn"))


def signature(name, function):
    named(name)
    of = function.args
    for argument in of.posonlyargs + of.args + of.kwonlyargs:
        if argument.arg not in ("self", "cls"):
            named(f"{name}({argument.arg})")


def python():
    """Public functions, classes and methods, from the sources: of what __init__.py exports, and of maxk.sklearn."""
    exported = ast.parse(open("sim/python/maxk/__init__.py").read())
    public = next(ast.literal_eval(node.value) for node in exported.body
                  if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
    for path in sorted(glob.glob("sim/python/maxk/*.py")):
        module = "maxk.sklearn" if path.endswith("/sklearn.py") else "maxk"
        for node in ast.parse(open(path).read()).body:
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            if module == "maxk" and node.name not in public:
                continue
            name = f"{module}.{node.name}"
            named(name)
            if isinstance(node, ast.FunctionDef):
                signature(name, node)
                continue
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and (member.name == "__init__" or not member.name.startswith("_")):
                    signature(f"{name}.{member.name}", member)


EXPERIMENT = """name: promise
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: power, a: 2, s: 1}]}
policies: [{name: max_ucb, alpha: [0.3, 0.5]}, {name: oracle}]
horizons: [10, 20]
replications: 3
claims: [{name: small, of: pulls, at_most: 20}]
"""


def datasets():
    import h5py
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "promise")
        with open(path + ".yaml", "w") as file:
            file.write(EXPERIMENT)
        run("run", path + ".yaml", "-q", "-o", path + ".h5")
        with h5py.File(path + ".h5") as file:
            for name in file.attrs:
                add("result", "attribute", name)
            file.visititems(lambda name, item: add("result", "group" if isinstance(item, h5py.Group) else "dataset", "/" + name))


for part in (commands, registries, headers, python, datasets):
    part()
sys.stdout.write("".join(line + "\n" for line in sorted(lines)))
