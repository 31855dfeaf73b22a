#!/bin/bash
# pip and mypy: the wheel in an empty virtual environment, without an index and without what the system has beyond glibc; the
# checkout.
. tests/support/lib.sh
ordinary_build_only "a wheel"
cat >"$dir/study.py" <<'END'
import sys
import maxk
def objective(trial):
    return trial.params["x"] if trial.arm == "a" else 0.5
study = maxk.Study({"a": {"x": maxk.Real(0, 1)}, "b": {}}, path="study", seed=1)
study.optimize(objective, 30)
policy = maxk.Policy("max_ucb", arms=3)
policy.update(policy.select(), 0.5)
rows = maxk.table("trials", study.path)
print(maxk.version(), study.best_arm, len(rows["trial"]), policy.best, maxk.__file__)
print("history:", policy.history())
try:
    maxk.Arm("power", a=3, s=1).sample(2, seed=1)
except maxk.Error as problem:
    print(problem)
maps = open("/proc/self/maps").read()
print("elsewhere:", sorted({line.split()[-1] for line in maps.splitlines() if ".so" in line and "/maxk/" not in line and any(
    name in line for name in ("hdf5", "yaml", "json-c", "sqlite", "curl"))}))
END
# A program in an environment of nothing but the folder. pip builds the library in the checkout: with the warnings that are there,
# since otherwise everything is compiled again, while other tests run the program.
clean() {
    (cd "$dir" && env -i "HOME=$dir" PATH=/usr/bin:/bin "WERROR=$(grep -o Werror "$top/$build/flags")" "$@")
}
check "make wheel" into "$dir/built" make --no-print-directory "BUILD=$build" wheel
wheel=$(tail -1 "$dir/built")
basename "$wheel" >"$dir/name"
check "its name says that it runs elsewhere" has "$dir/name" '^maxk-[0-9.]+-py3-none-manylinux_[0-9]+_[0-9]+_[a-z0-9_]+\.whl$'
sum=$(sha256sum <"$top/$wheel")
check "make wheel again" into "$dir/built" make --no-print-directory "BUILD=$build" wheel
check "has the same bytes" equal "$sum" "$(sha256sum <"$top/$wheel")"
check "an empty environment" /usr/bin/python3 -m venv "$dir/empty"
check "takes the wheel without an index" clean empty/bin/pip install -q --no-index "$top/$wheel"
check "a study there" into "$dir/out" clean empty/bin/python study.py
check "with thirty trials" has "$dir/out" '^[0-9.]+ a 30 0.5 .*/empty/lib/.*/site-packages/maxk/__init__.py$'
check "numpy is needed for arrays alone" has "$dir/out" '^numpy is not installed; arrays need it$'
check "and no library of the system" has "$dir/out" '^elsewhere: \[\]$'
check "an environment with the system's modules" /usr/bin/python3 -m venv --system-site-packages "$dir/system"
check "takes the checkout without an index" clean system/bin/pip install -q --no-index "$top/sim/python"
check "which gives arrays" into "$dir/out" clean system/bin/python -c "
import maxk, h5py
result = maxk.run({'problem': {'arms': [{'family': 'uniform', 'lo': 0, 'hi': 1}, {'family': 'power', 'a': 3, 's': 1.01}]},
    'policies': ['max_ucb'], 'horizons': [50], 'replications': 20})
print(result.max_reward.shape, h5py.File(result.path)['policies/max_ucb/max_reward'].shape, maxk.__file__)"
check "of its own library beside another HDF5" has "$dir/out" '^\(1, 1, 1, 20\) \(1, 1, 20\) .*/system/lib/.*/site-packages/maxk'
check "the module is typed: mypy --strict" mypy "--cache-dir=$dir/mypy" --config-file sim/python/pyproject.toml sim/python/maxk \
    sim/python/backend.py
cat >"$dir/typed.py" <<'PYTHON'
import maxk
result = maxk.open_result("x.h5")
result.rank(layout="pairs", seed=3, without=["a"])
maxk.table("rate", "x.h5", from_=1000)
result.rank(layuot="pairs")
result.rank(layout="pears")
maxk.table("survey", "x.csv", concav=3)
PYTHON
MYPYPATH=sim/python mypy "--cache-dir=$dir/mypy" --config-file sim/python/pyproject.toml "$dir/typed.py" >"$dir/out" 2>&1
wrong=$(sed -n 's/^.*typed.py:\([0-9]*\): error.*/\1/p' "$dir/out" | paste -sd ' ')
check "mypy finds options that there are not, and them alone" equal "$wrong" "5 6 7"
finish
