# A result in R: maxk export writes everything that a result holds as CSV files.
#
# Run: Rscript experiments/examples/result.R   (MAXK says which program, build/maxk unless it is set)
maxk <- Sys.getenv("MAXK", "build/maxk")
folder <- tempfile()
result <- file.path(tempdir(), "toy.h5")
stopifnot(system2(maxk, c("run", "experiments/e4_power.yaml", "-q", "-s", "replications=100", "-o", result)) == 0,
          system2(maxk, c("export", result, "--csv", folder), stdout = FALSE) == 0)
summary <- read.csv(file.path(folder, "summary.csv"))
last <- summary[summary$horizon == max(summary$horizon) & summary$optimal == 1, ]
best <- last[last$policy != "oracle", ]
best <- best[which.max(best$mean_max), ]
cat(sprintf("%s: largest reward %.4f, %.0f %% of the pulls on the best arm\n", best$policy, best$mean_max,
            100 * best$mean_pulls / best$horizon))
