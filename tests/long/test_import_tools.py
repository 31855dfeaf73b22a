"""maxk import of files that the tools themselves write: Optuna's SQLite file and table of trials, a log file of irace."""
import csv
import os
import subprocess
import sys

sys.path.insert(0, "tests/support")
from lib import check, finish, folder, rows, run, write

OPTUNA = """
import optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)

def objective(trial):
    classifier = trial.suggest_categorical("classifier", ["svc", "rf"])
    if trial.number == 3:
        raise ValueError
    if trial.number == 4:
        trial.report(1.0, 1)
        raise optuna.TrialPruned()
    if classifier == "svc":
        return trial.suggest_float("C", 1e-3, 1e3, log=True)
    return trial.suggest_int("depth", 1, 9) + (trial.suggest_categorical("bootstrap", [True, False, None]) is True)

study = optuna.create_study(storage="sqlite:///study.db", study_name="heart", sampler=optuna.samplers.TPESampler(seed=3))
study.optimize(objective, n_trials=40, catch=(ValueError,))
study.trials_dataframe().to_csv("trials.csv", index=False)
done = [t for t in study.trials if t.state.name == "COMPLETE"]  # what pruned trials reported is of a part of the evaluation
worst = max(t.value for t in done)
with open("want.csv", "w") as f:
    f.write("arm,value\\n")
    for t in study.trials:
        f.write(f"{t.params['classifier']},{t.value if t in done else worst!r}\\n")
"""
IRACE = """
library(irace)
parameters <- readParameters(text = 'algorithm "" c (a, b)\\nx "" r (0, 1)\\n')
run <- function(experiment, scenario) {
  configuration <- experiment$configuration
  list(cost = (configuration$x - 0.3)^2 + (configuration$algorithm == "b") + experiment$id.instance / 100)
}
scenario <- list(targetRunner = run, instances = 1:10, maxExperiments = 120, seed = 1, logFile = "irace.Rdata")
invisible(capture.output(irace(scenario = scenario, parameters = parameters)))
load("irace.Rdata")
write.csv(iraceResults$experimentLog, "log.csv", row.names = FALSE)
write.csv(iraceResults$experiments, "experiments.csv", row.names = FALSE)
"""
script = os.path.abspath("experiments/data/irace_to_csv.R")


def optuna():
    write("optuna_study.py", OPTUNA)
    subprocess.run(["/usr/bin/python3", "optuna_study.py"], check=True, capture_output=True)
    want = {}
    for r in csv.DictReader(open("want.csv")):
        want.setdefault(r["arm"], []).append(float(r["value"]))
    for file in ("study.db", "trials.csv"):
        found = {}
        for r in rows(run("import", file, "--csv")):
            found.setdefault(r["arm"], []).append(float(r["loss"]))
        check(found == want and len(want) == 2, f"{file}: every trial of Optuna, by arm and in order")


def irace():
    write("irace_run.R", IRACE)
    subprocess.run(["Rscript", "irace_run.R"], check=True, capture_output=True)
    subprocess.run(["Rscript", script, "irace.Rdata", "irace.csv"], check=True, capture_output=True)
    table = rows(run("import", "irace.csv", "--csv"))
    log, values = rows(open("log.csv").read()), rows(open("experiments.csv").read())
    want = sorted(float(values[int(r["instance"]) - 1][r["configuration"]]) for r in log)
    check(sorted(float(r["loss"]) for r in table) == want and len(want) > 60, f"all {len(want)} experiments of irace")
    worst = {arm: max(float(r["loss"]) for r in table if r["arm"] == arm) for arm in "ab"}
    best = {arm: min(float(r["loss"]) for r in table if r["arm"] == arm) for arm in "ab"}
    check(best["b"] > 1 > worst["a"], "its parameter `algorithm` names the arm")


# Logs with the structure of those of irace 4, which has its experiments in its state, and of irace 1, which had other names.
IRACE_4 = """
all <- data.frame(.ID. = 1:2, algorithm = c("as", "mmas"), alpha = c(0.5, NA), .PARENT. = NA)
values <- matrix(c(3, 2, 4, 1), 2, dimnames = list(1:2, 1:2))
iraceResults <- list(irace_version = "4.4.0", allConfigurations = all, experiments = values, state = list(
  experiment_log = data.frame(iteration = 1, instance = c(1, 1, 2, 2), configuration = c(1, 2, 1, 2), cost = c(3, 4, 2, 1),
                              time = c(0.5, 1, 1.5, 2))))
save(iraceResults, file = "irace4.Rdata")
tunerResults <- list(irace.version = "1.07", allCandidates = all, experiments = values, experimentLog = data.frame(
  iteration = 1, instance = c(1, 1, 2, 2), candidate = c(1, 2, 1, 2), time = c(0.5, 1, 1.5, 2)))
rm(iraceResults)
save(tunerResults, file = "irace1.Rdata")
"""


def other_versions():
    write("versions.R", IRACE_4)
    subprocess.run(["Rscript", "versions.R"], check=True, capture_output=True)
    for version in (4, 1):
        done = subprocess.run(["Rscript", script, f"irace{version}.Rdata", "one.csv"], capture_output=True, text=True)
        check(done.returncode == 0, f"the log of irace {version}: {done.stderr[-200:]}")
        table = rows(run("import", "one.csv", "--arm", "algorithm", "--instance", "irace_instance", "--csv"))
        found = sorted((r["arm"], r["instance"], float(r["loss"]), float(r["cost"])) for r in table)
        check(found == [("as", "1", 3, 0.5), ("as", "2", 2, 1.5), ("mmas", "1", 4, 1), ("mmas", "2", 1, 2)],
              f"its values: {found}")


with folder() as d:
    os.chdir(d)
    other_versions()
    optuna()
    irace()
finish()
