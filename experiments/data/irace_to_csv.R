# The experiments of a log file of irace (irace.Rdata, versions 3.x) as CSV, which `maxk import` reads:
#   Rscript experiments/data/irace_to_csv.R irace.Rdata irace.csv && maxk import irace.csv --arm algorithm -o runs.csv
# A row for each experiment, in the order in which they were made: its number, the instance, the configuration, its value, which
# irace minimises, its time, and the parameters of the configuration.
arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: Rscript irace_to_csv.R irace.Rdata OUT.csv")
load(arguments[1])
log <- as.data.frame(iraceResults$experimentLog)
all <- iraceResults$allConfigurations
parameters <- all[match(log$configuration, all$.ID.), !(names(all) %in% c(".ID.", ".PARENT.")), drop = FALSE]
names(parameters) <- paste0("params.", names(parameters))
value <- iraceResults$experiments[cbind(log$instance, log$configuration)]
time <- if (is.null(log$time)) NA else log$time
experiments <- data.frame(irace_experiment = seq_len(nrow(log)), irace_instance = log$instance, configuration = log$configuration,
                          value = value, time = time)
write.csv(cbind(experiments, parameters), arguments[2], row.names = FALSE, na = "")
