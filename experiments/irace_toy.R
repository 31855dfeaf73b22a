# irace on the function of irace_toy.py: Rscript irace_toy.R FOLDER BUDGET SEED reads FOLDER/instances.csv and writes winner.csv
# and check.csv there, values of the function for irace_toy.py to compare.
suppressMessages(library(irace))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
budget <- as.integer(arguments[2])
seed <- as.integer(arguments[3])
train <- read.csv(file.path(folder, "instances.csv"))
algorithm <- c(as = 0.12, mmas = 0.03, eas = 0.08, ras = 0.05, acs = 0.02)
search <- c("0" = 0.25, "1" = 0.06, "2" = 0.03, "3" = 0)

gap <- function(p, i) {
  i <- train[i, ]
  found <- algorithm[[p$algorithm]] * i$algorithm + search[[p$localsearch]] +
    0.02 * (p$alpha - i$alpha)^2 + 0.003 * (p$beta - i$beta)^2 +
    0.02 * (log(p$rho) - i$rho)^2 + 0.02 * (log(p$ants) - i$ants)^2
  for (name in c("q0", "rasrank", "elitistants"))
    if (!is.na(p[[name]])) found <- found + 0.15 * (p[[name]] / c(q0 = 1, rasrank = 100, elitistants = 750)[[name]] - i$own)^2
  if (!is.na(p$nnls)) found <- found + 0.02 * abs(p$nnls - 20) / 30 + (if (p$dlb == "0") 0.02 else 0)
  found
}

runner <- function(experiment, scenario) {
  set.seed((experiment$seed + 7919 * as.numeric(experiment$id.configuration)) %% 2147483647)
  i <- as.integer(experiment$id.instance)
  list(cost = train$size[i] * (1 + gap(experiment$configuration, i) + 0.05 * rnorm(1)))
}

parameters <- readParameters(text = '
algorithm    "" c (as,mmas,eas,ras,acs)
localsearch  "" c (0, 1, 2, 3)
alpha        "" r (0.00, 5.00)
beta         "" r (0.00, 10.00)
rho          "" r (0.01, 1.00)
ants         "" i,log (5, 100)
q0           "" r (0.0, 1.0)  | algorithm == "acs"
rasrank      "" i (1, 100)    | algorithm == "ras"
elitistants  "" i (1, 750)    | algorithm == "eas"
nnls         "" i (5, 50)     | localsearch %in% c("1", "2", "3")
dlb          "" c (0, 1)      | localsearch %in% c("1", "2", "3")
')
scenario <- defaultScenario(list(targetRunner = runner, instances = seq_len(nrow(train)), maxExperiments = budget, seed = seed,
                                 logFile = "", execDir = folder))
best <- irace(scenario, parameters)
write.csv(removeConfigurationsMetaData(best[1, ]), file.path(folder, "winner.csv"), row.names = FALSE)
some <- removeConfigurationsMetaData(best)
instance <- rep(seq_len(10), length.out = nrow(some))
some$instance <- instance - 1
some$gap <- sapply(seq_len(nrow(some)), function(k) sprintf("%.17g", gap(some[k, ], instance[k])))
write.csv(some, file.path(folder, "check.csv"), row.names = FALSE)
