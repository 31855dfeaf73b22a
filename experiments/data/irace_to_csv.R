# The experiments of a log file of irace (irace.Rdata, versions 1 to 4) as CSV, which `maxk import` reads:
#   Rscript experiments/data/irace_to_csv.R irace.Rdata irace.csv && maxk import irace.csv --arm algorithm -o runs.csv
# A row for each experiment, in the order in which they were made: its number, the instance, the configuration, its value, which
# irace minimises, its time, and the parameters of the configuration.
arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: Rscript irace_to_csv.R irace.Rdata OUT.csv")
load(arguments[1])
# Version 1 calls the object tunerResults and configurations candidates; version 4 keeps the log with its state.
found <- if (exists("iraceResults")) iraceResults else if (exists("tunerResults")) tunerResults else stop("no log of irace")
version <- if (is.null(found$irace_version)) found$irace.version else found$irace_version
log <- if (is.null(found$experimentLog)) found$state$experiment_log else found$experimentLog
all <- if (is.null(found$allConfigurations)) found$allCandidates else found$allConfigurations
if (is.null(log) || is.null(all) || is.null(found$experiments))
  stop("expected a log of irace 1 to 4 with its experiments, got one of version ", if (is.null(version)) "unknown" else version)
log <- as.data.frame(log)
names(log)[names(log) == "candidate"] <- "configuration"
all <- as.data.frame(all)
at <- function(number, names) if (is.null(names)) number else match(as.character(number), names)
values <- found$experiments
value <- values[cbind(at(log$instance, rownames(values)), at(log$configuration, colnames(values)))]
parameters <- all[match(log$configuration, all$.ID.), !(names(all) %in% c(".ID.", ".PARENT.", ".WEIGHT.")), drop = FALSE]
names(parameters) <- paste0("params.", names(parameters))
time <- if (is.null(log$time)) NA else log$time
experiments <- data.frame(irace_experiment = seq_len(nrow(log)), irace_instance = log$instance, configuration = log$configuration,
                          value = value, time = time)
write.csv(cbind(experiments, parameters), arguments[2], row.names = FALSE, na = "")
