"""Result files as other programs see them (h5py, xarray, h5dump, h5diff) and the commands that read them."""
import ctypes, os, re, shutil, struct, subprocess, sys, tempfile

import h5netcdf, h5py, xarray
import numpy as np

sys.path.insert(0, "tests/support")
from lib import MAXK, check, finish, refused, rows

writer = os.path.join(os.path.dirname(MAXK), "tests/unit/store/test_store")


def run(*arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


directory = tempfile.mkdtemp(prefix="maxk_result_", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
pulls, again, summary, single = (os.path.join(directory, n + ".h5") for n in ("pulls", "again", "summary", "single"))
check(run(writer, "write", directory).returncode == 0, "fixture files written")

DIMS = {
    "problem": {"arm_label": "a", "family": "a", "parameters": "a", "support_low": "a", "support_high": "a",
                "expected_max": "iha", "gap": "iha", "optimal_arm": "ih"},
    "policies/max_ucb": {"pulls": "ihra", "max_reward": "ihr"},
    "policies/max_ucb/summary": {"mean_pulls": "iha", "se_pulls": "iha", "mean_max": "ih", "se_max": "ih",
                                 "quantile_pulls": "ihqa", "quantile_max": "ihq", "lock_out_share": "ih",
                                 "proxy_regret": "ih"},
}
NAME = {"i": "instance", "h": "horizon", "r": "replication", "a": "arm", "q": "quantile"}


def check_h5py():
    f = h5py.File(pulls, "r")
    check(dict(f.attrs) == {"format": "maxk-results", "format_version": 1, "name": "fixture",
                            "title": "A made-up run, für tests", "source": ""}, "h5py: root attributes")
    check(list(f["coords/instance"].asstr()) == ["first", "second"] and list(f["coords/horizon"]) == [9, 100, 10**12]
          and list(f["coords/arm"].asstr())[1] == "zweiter Ärm" and list(f["coords/replication"]) == list(range(300)),
          "h5py: coordinates")
    check(all(h5py.h5ds.is_scale(f["coords"][n].id) for n in NAME.values()), "h5py: coordinates are dimension scales")
    wrong = []
    for group, fields in DIMS.items():
        for name, letters in fields.items():
            dims = f[group][name].dims
            labels = [d.label for d in dims]
            scales = [d[0].name.split("/")[-1] for d in dims]
            want = [NAME[c] for c in letters]
            if labels != want or scales != want:
                wrong.append((group, name, labels, scales))
    check(not wrong, f"h5py: every dataset has named scales {wrong}")
    with h5py.File(summary, "r") as g:  # HDF5 Dimension Scale Specification: both directions say the same
        uses, lists = set(), set()

        def gather(name, item):
            if "DIMENSION_LIST" in item.attrs:
                uses.update((item.id.__hash__(), i, d[0].id.__hash__()) for i, d in enumerate(item.dims) if len(d))
            lists.update((g[user].id.__hash__(), int(i), item.id.__hash__())
                         for user, i in item.attrs.get("REFERENCE_LIST", ()))

        g.visititems(gather)
        check(uses == lists and len(uses) > 30, f"h5py: scales list the {len(uses)} axes that they are attached to")
    bare = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and not (item.attrs.get("description") and item.attrs.get("units")):
            bare.append(name)

    for path in (pulls, summary):
        with h5py.File(path, "r") as g:
            g.visititems(visit)
    check(not bare, f"h5py: every dataset has description and units {bare}")
    attributes = f["policies/max_ucb"].attrs
    check(attributes["name"] == "max_ucb" and attributes["engine"] == "record" and attributes["index"] == 0
          and attributes["parameters"].startswith("{") and "a/b" == f["policies/a%2Fb"].attrs["label"],
          "h5py: attributes of policies")
    check(f["policies/max_ucb/pulls"].dtype == np.uint64
          and f["policies/max_ucb/pulls"].compression == "gzip" and f["policies/max_ucb/pulls"].shuffle
          and f["problem/optimal_arm"].dtype == np.int64, "h5py: types and filters")
    check(f["provenance/experiment"][()].decode().startswith("name: fixture")
          and all(len(f["provenance"][k][()]) for k in ("revision", "compiler", "gsl", "hdf5", "libyaml", "zlib"))
          and f["provenance/volatile/threads"][()] == 2, "h5py: provenance")

    # the summary again with NumPy
    n, s = f["policies/a%2Fb/pulls"][0].astype(float), f["policies/a%2Fb/summary"]
    levels = f["coords/quantile"][:]
    close = lambda a, b: np.allclose(a, b, rtol=1e-12, atol=0)
    check(close(s["mean_pulls"][0], n.mean(1)) and close(s["se_pulls"][0], n.std(1, ddof=1) / np.sqrt(n.shape[1])),
          "means and standard errors agree with NumPy")
    check(np.array_equal(s["quantile_pulls"][0], np.quantile(n, levels, axis=1).transpose(1, 0, 2)),
          "quantiles equal NumPy's")
    m = f["policies/a%2Fb/max_reward"][:]
    check(np.array_equal(s["quantile_max"][:], np.quantile(m, levels, axis=2).transpose(1, 2, 0)),
          "quantiles of the maxima equal NumPy's")
    oracle = f["policies/oracle/max_reward"][:, -1]
    per = np.empty(m.shape[:2])
    for i in range(m.shape[0]):  # theory.md, PER(T)
        q = np.mean(oracle[i] <= oracle[i].mean())
        best = np.quantile(oracle[i], q)
        per[i] = (best - np.quantile(m[i], q, axis=1)) / best
    check(close(s["proxy_regret"][:], per), "proxy regret agrees with NumPy")
    f.close()

    # keep: summary with more distinct values than bins: the histogram against the values themselves
    with h5py.File(summary, "r") as g:
        h = g["policies/max_ucb/summary/histograms"]
        check({"instance", "horizon", "arm"} <= set(h), "histograms have their coordinates beside them")
        first, number = h["pulls_first_bin"][:], h["pulls_bins"][:]
        counts = [h["pulls_bin_count"][a:a + b].sum() for a, b in zip(first[number > 0], number[number > 0])]
        check(set(counts) == {5000} and number[1, 0, 1] == 0, "histograms hold every replication, missing arms none")
        at, length = h["max_first_bin"][0, 0], h["max_bins"][0, 0]
        low, high = h["max_bin"][at:at + length], h["max_bin_high"][at:at + length]
        check(np.all(low[1:] > high[:-1]) and np.all(high - low <= 2**-10 * np.abs(high)) and length > 100,
              "bins are disjoint and narrow")


EXPERIMENT = """name: k
problem: {arms: [{family: pareto, shape: 2.1}, {family: uniform, lo: 0, hi: 3}, {family: pareto, shape: 2.2}]}
policies: [{name: max_ucb, alpha: [0.1, 2000]}, {name: oracle}]
horizons: [300, 100000]
replications: 2500
"""


def check_summary_errors():
    """keep: summary against the values themselves (keep: pulls of the same seed): what the documents promise."""
    yaml = os.path.join(directory, "keep.yaml")
    with open(yaml, "w") as f:
        f.write(EXPERIMENT)
    exact, short = (os.path.join(directory, n) for n in ("exact.h5", "short.h5"))
    start = (MAXK, "run", yaml, "--engine", "record", "-q", "-o")
    check(run(*start, exact).returncode == 0 and run(*start, short, "-s", "keep=summary").returncode == 0, "runs of both kinds")
    worst = {"quantile_pulls": 0, "quantile_max": 0, "proxy_regret": 0}
    small, ends, equal = 0, 0, True
    with h5py.File(exact, "r") as a, h5py.File(short, "r") as b:
        for policy in a["policies"]:
            x, y = (f["policies"][policy]["summary"] for f in (a, b))
            for name in worst:
                want, got = x[name][:], y[name][:]
                error = np.abs(got - want) / (1 - want if name == "proxy_regret" else np.maximum(np.abs(want), 1e-300))
                worst[name] = max(worst[name], error.max())
                if name == "quantile_pulls":
                    small = max(small, error[want < 2048].max())
            ends = max(ends, *(np.abs(y[n][:][:, :, [0, -1]] - x[n][:][:, :, [0, -1]]).max()
                               for n in ("quantile_pulls", "quantile_max")))
            equal &= all(np.array_equal(x[n][:], y[n][:])
                         for n in ("mean_pulls", "se_pulls", "mean_max", "se_max", "lock_out_share"))
    check(equal and ends == 0, "keep: summary: means, errors, lock-outs, least and largest values are exact")
    check(small == 0, "keep: summary: quantiles of pulls below 2048 are exact")
    check(0 < worst["quantile_pulls"] < 1e-3 and 0 < worst["quantile_max"] < 1e-3,
          f"keep: summary: quantiles are within 0.1 % {worst}")
    check(0 < worst["proxy_regret"] < 2e-3, "keep: summary: proxy regret is within 0.2 % of 1 - PER")


def check_many_arms():
    """Values per arm are compressed where there are many, and read as what they are."""
    yaml, h5 = (os.path.join(directory, "arms" + end) for end in (".yaml", ".h5"))
    with open(yaml, "w") as f:
        f.write("name: arms\nproblem: {arms: [{repeat: 5000, family: uniform, lo: 0, hi: {uniform: [0.5, 1]}}]}\n"
                "policies: [{name: uniform}]\nhorizons: [5000, 12345]\nreplications: 3\nkeep: summary\n")
    check(run(MAXK, "run", yaml, "-o", h5, "-q").returncode == 0, "5000 arms")
    with h5py.File(h5) as f:
        s = f["policies/uniform/summary"]
        check(np.array_equal(s["mean_pulls"][0], [np.ones(5000), np.full(5000, 2) + (np.arange(5000) < 2345)])
              and np.array_equal(s["quantile_pulls"][0], np.broadcast_to(s["mean_pulls"][0][:, None], (2, 13, 5000))),
              "5000 arms: pulls of round robin")
        stored = {n: s[n].id.get_storage_size() / s[n][()].nbytes for n in ("mean_pulls", "quantile_pulls", "se_pulls")}
        check(max(stored.values()) < 0.05, f"5000 arms: pulls are compressed {stored}")
    check(len(rows(run(MAXK, "summary", "--csv", h5).stdout)) == 10000, "5000 arms: summary")


def check_many_horizons():
    """People see few of many horizons: the largest one, and the last up to a half, a quarter, … of it."""
    yaml, h5 = (os.path.join(directory, "long" + end) for end in (".yaml", ".h5"))
    with open(yaml, "w") as f:
        f.write("name: long\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}]}\n"
                f"policies: [{{name: uniform}}]\nhorizons: {[*range(3, 40, 3), 100]}\nreplications: 3\n")
    check(run(MAXK, "run", yaml, "-o", h5, "-q").returncode == 0, "14 horizons")
    seen = [int(line.split()[2]) for line in run(MAXK, "summary", h5).stdout.splitlines() if line.startswith("uniform")]
    check(seen == [3, 6, 12, 24, 39, 100], f"some of them are seen: {seen}")
    check("has all" in run(MAXK, "summary", h5).stdout and len(rows(run(MAXK, "summary", "--csv", h5).stdout)) == 28,
          "which is said; --csv has all")
    check(" 33 " in run(MAXK, "summary", h5, "--horizon", "33").stdout, "one that is asked for is seen")


def check_xarray():
    wrong = []
    for group, fields in DIMS.items():
        with xarray.open_dataset(pulls, group=group, engine="h5netcdf") as ds:
            for name, letters in fields.items():
                if ds[name].dims != tuple(NAME[c] for c in letters):
                    wrong.append((group, name, ds[name].dims))
    check(not wrong, f"xarray: named dimensions {wrong}")
    opened = 0
    for path in (pulls, summary, single):
        for group in ("/", "coords", "problem", "provenance", "provenance/volatile", "policies/oracle",
                      "policies/a%2Fb/summary") + (("policies/oracle/summary/histograms",) if path == summary else ()):
            with xarray.open_dataset(path, group=group, engine="h5netcdf") as ds:
                ds.load()
                opened += 1
    check(opened == 22, "xarray: every group opens")
    with xarray.open_dataset(pulls, group="policies/max_ucb", engine="h5netcdf") as ds:
        cell = ds.pulls.sel(instance="second", horizon=100)
        check(cell.shape == (300, 3) and np.all(cell.sum("arm") == 100), "xarray: selection by coordinate")


def check_tools():
    check(run("h5dump", pulls).returncode == 0 and run("h5dump", "-H", summary).returncode == 0, "h5dump reads the files")
    diff = run("h5diff", "--exclude-path", "/provenance/volatile", pulls, again)
    check(diff.returncode == 0 and not diff.stdout, "h5diff: equal runs in blocks of other sizes are equal files")
    check(run("h5diff", pulls, single).returncode == 1, "h5diff: other runs differ")


HEADER = ("policy,instance,horizon,replications,arm,arm_label,optimal,mean_pulls,se_pulls,mean_max,se_max,median_max,"
          "expected_max,gap,regret,proxy_regret,share")


def check_commands():
    out = run(MAXK, "summary", "--csv", pulls)
    table = rows(out.stdout)
    check(out.returncode == 0 and out.stdout.split("\n")[0] == HEADER, "summary --csv: header")
    check(len(table) == 3 * 3 * (3 + 2), "summary --csv: a row for every arm that an instance has")
    check(table[0]["arm_label"] == 'arm, the "first"' and table[0]["optimal"] == "1" and table[0]["gap"] == "0"
          and table[0]["replications"] == "300", "summary --csv: quoting, optimal, gap")
    check(all(abs(float(r["regret"]) - (float(r["expected_max"]) + float(r["gap"]) - float(r["mean_max"]))) < 1e-12
              for r in table), "summary --csv: regret = max_k E[M_k(T)] - mean_max")
    seen = [(x, e) for x, e in re.findall(r"([\d.]+) ± ([\d.]+)", run(MAXK, "summary", pulls).stdout)]
    check(len(seen) > 5 and all(len(x.partition(".")[2]) == len(e.partition(".")[2]) for x, e in seen) and
          all(len(e.replace(".", "").lstrip("0")) == 2 for _, e in seen if 0 < float(e) < 9),
          f"errors have two significant digits, means as many decimals: {seen[:3]}")
    lone = rows(run(MAXK, "summary", "--csv", single).stdout)
    check(all(r["se_pulls"] == "" and r["se_max"] == "" and r["mean_max"] for r in lone), "undefined cells are empty")
    chosen = rows(run(MAXK, "summary", "--csv", pulls, "--policy", "a/b", "--instance", "second", "--horizon", "1e12").stdout)
    check(len(chosen) == 2 and {r["horizon"] for r in chosen} == {"1000000000000"}, "summary: filters")
    check(chosen == [r for r in table if (r["policy"], r["instance"], r["horizon"]) == ("a/b", "second", "1000000000000")],
          "summary: filters change no number")
    human = run(MAXK, "summary", pulls).stdout.split("\n")
    check(len(human) == 20 and all("±" in line for line in human[1:-1]) and "zweiter" not in human[0],
          "summary: one line per policy, instance and horizon")
    for option in ("--policy", "--instance"):
        refused(f"summary {option} nothing", "nothing", "summary", pulls, option, "nothing")
    refused("summary --horizon 10", "10", "summary", pulls, "--horizon", "10")

    info = run(MAXK, "info", pulls)
    check(info.returncode == 0 and all(t in info.stdout for t in ("fixture", "{alpha: 0.5", "per-pull", "volatile/host",
                                                                  "zweiter Ärm", "libyaml")), "info")
    check(run(MAXK, "info", "--experiment", pulls).stdout == "name: fixture\nreplications: 5\n", "info --experiment")
    for command in ("summary", "info", "export"):
        extra = ("--csv", os.path.join(directory, "none")) if command == "export" else ()
        for path in (__file__, "/nonexistent.h5", directory):
            line = refused(command, path + ": ", command, path, *extra)
            check(line.startswith(path), f"{command}: the line begins with the place")
        check(run(MAXK, command, "--help").returncode == 0, f"{command}: --help")
        refused(f"{command} without a file", f"maxk {command}", command)


def check_export():
    to = os.path.join(directory, "csv")
    check(run(MAXK, "export", pulls, "--csv", to).returncode == 0 and run(MAXK, "export", pulls, "--csv", to).returncode == 0,
          "export, twice into the same directory")
    names = {"summary", "cells", "quantile_pulls", "quantile_max", "problem", "policies", "horizons", "provenance", "pulls",
             "max_reward"}
    check(set(os.listdir(to)) == {n + ".csv" for n in names} | {"experiment.yaml"}, "export: the files, and no others")
    read = lambda name: rows(open(os.path.join(to, name), newline="").read())
    check(open(os.path.join(to, "summary.csv")).read() == run(MAXK, "summary", "--csv", pulls).stdout, "export: summary.csv")
    long = read("pulls.csv")
    check(list(long[0]) == ["policy", "instance", "horizon", "replication", "arm", "pulls"]
          and len(long) == 3 * 3 * 300 * (3 + 2), "export: pulls.csv")
    total = {}
    for r in long:
        key = (r["policy"], r["instance"], r["horizon"], r["replication"])
        total[key] = total.get(key, 0) + int(r["pulls"])
    check(all(int(k[2]) == v for k, v in total.items()) and len(total) == 3 * 2 * 3 * 300, "export: pulls sum to the horizon")
    check(len(read("max_reward.csv")) == 3 * 2 * 3 * 300 and len(read("problem.csv")) == 3 * (3 + 2)
          and len(read("cells.csv")) == 18 and len(read("quantile_max.csv")) == 18 * 13
          and [r["horizon"] for r in read("horizons.csv")] == ["9", "100", "1000000000000"]
          and "volatile/date" in {r["key"] for r in read("provenance.csv")}, "export: the other files")
    to = os.path.join(directory, "short")
    check(run(MAXK, "export", summary, "--csv", to).returncode == 0 and "pulls.csv" not in os.listdir(to)
          and "cells.csv" in os.listdir(to), "export of keep: summary")
    # The fixture's experiment has no problem, so that what reads it again is left out, with the reason.
    more = run(MAXK, "export", summary, "--csv", to, "--tables")
    computed = set(os.listdir(to)) - {n + ".csv" for n in names} - {"experiment.yaml"}
    check(more.returncode == 0 and "gap.csv" not in computed and "gap: left out: " in more.stderr,
          f"export --tables: {more.stderr}")
    known = os.path.join(directory, "known.yaml")
    open(known, "w").write("problem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n"
                           "policies: [uniform]\nhorizons: [5]\nreplications: 2\n")
    run(MAXK, "run", known, "-o", f"{directory}/known.h5", "-q")
    more = run(MAXK, "export", f"{directory}/known.h5", "--json", f"{directory}/all", "--tables")
    there = set(os.listdir(f"{directory}/all"))
    check(more.returncode == 0 and {"gap.json", "lu.json", "survival.json", "cells.json"} <= there and "survey.json" not in there
          and open(f"{directory}/all/gap.json").read() == run(MAXK, "gap", known, "--json").stdout,
          f"export --tables: what applies, and not what does not: {sorted(there)} {more.stderr}")
    check("exceed: left out: it needs --above X" in more.stderr.splitlines() and "exceed.json" not in there,
          f"export --tables: a table that needs an option is named: {more.stderr}")
    refused("export into nowhere", "/dev/null/deep: cannot be created", "export", pulls, "--csv", "/dev/null/deep")
    refused("export without --csv", "--csv", "export", pulls)


def check_damage():
    """A changed bit of a number is an error to every program that reads the number."""
    with h5py.File(pulls, "r") as f:
        group = f["policies/max_ucb/summary"]
        first = {name: group[name][()].tobytes() for name in ("mean_pulls", "se_pulls", "mean_max")}
    with open(pulls, "rb") as f:
        whole = f.read()
    for name, data in first.items():
        at = whole.find(data[:64])
        check(at > 0 and whole.find(data[:64], at + 1) < 0, f"the bytes of {name} are found")
        damaged = bytearray(whole)
        damaged[at + 5] ^= 4
        bad = os.path.join(directory, "bad.h5")
        with open(bad, "wb") as f:
            f.write(damaged)
        done = run(MAXK, "summary", bad, "--csv")
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and "bad.h5" in done.stderr,
              f"a changed bit of {name}: exit code {done.returncode}: {done.stderr.strip()}")
        try:
            with h5py.File(bad, "r") as f:
                f[f"policies/max_ucb/summary/{name}"][()]
            check(False, f"h5py reads a changed {name}")
        except OSError:
            check(True, f"h5py refuses a changed {name}")


def opens_of(path, *arguments):
    """How often a command opens the file. Closing is watched too, since equal events in succession are merged (inotify(7))."""
    in_open, in_close, libc = 0x20, 0x10, ctypes.CDLL(None)
    events = libc.inotify_init1(os.O_NONBLOCK)
    libc.inotify_add_watch(events, path.encode(), in_open | in_close)
    done = subprocess.Popen([MAXK, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    n = 0
    while True:
        ended = done.poll() is not None
        try:
            n += sum(mask == in_open for _, mask, _, _ in struct.iter_unpack("iIII", os.read(events, 65536)))
        except BlockingIOError:
            if ended:
                break
    os.close(events)
    return n if done.returncode == 0 else None


def check_opened_once():
    """Its mode and its signature are looked at, and it is opened: all tables and figures of a page are of that one object."""
    page = os.path.join(directory, "page.html")
    n = opens_of(pulls, "report", pulls, "-o", page)
    check(n is not None and 0 < n <= 3, f"report opens its result once ({n} times by name)")
    n = opens_of(pulls, "report", pulls, "--without", "max_ucb", "-o", page)
    check(n is not None and n > 3, f"and again where figures are of other policies than tables ({n})")


try:
    check_opened_once()
    check_h5py()
    check_damage()
    check_summary_errors()
    check_many_arms()
    check_many_horizons()
    check_xarray()
    check_tools()
    check_commands()
    check_export()
finally:
    shutil.rmtree(directory)
finish()
