# Data sets of the R packages mlbench (Debian: r-cran-mlbench), MASS (r-cran-mass), carData (r-cran-cardata) and datasets as CSV
# files of numbers for sklearn_costs.py: factors become a column for each of their levels, ordered ones and those of two levels
# a single one; rows with missing values are dropped. The target is the last column.
#   Rscript sklearn_costs.R FOLDER
folder <- commandArgs(TRUE)[1]
take <- function(package, name) { e <- new.env(); data(list = name, package = package, envir = e); get(name, e) }

save <- function(name, x, target, drop = c()) {
  x <- as.data.frame(x)[, setdiff(names(x), drop)]
  x <- x[complete.cases(x), ]
  inputs <- x[, setdiff(names(x), target), drop = FALSE]
  columns <- lapply(inputs, function(v) {
    if (is.character(v)) v <- factor(v)
    v <- if (is.factor(v)) droplevels(v) else v
    if (is.factor(v) && !is.ordered(v) && nlevels(v) > 2) sapply(levels(v), function(l) as.numeric(v == l)) else as.numeric(v)
  })
  y <- x[[target]]
  values <- cbind(do.call(cbind, columns), if (is.factor(y)) as.numeric(droplevels(y)) - 1 else as.numeric(y))
  colnames(values) <- c(paste0("x", seq_len(ncol(values) - 1)), "y")
  write.csv(values, file.path(folder, paste0(name, ".csv")), row.names = FALSE)
}

mlbench <- function(name, target, as, ...) save(as, take("mlbench", name), target, ...)
mlbench("Glass", "Type", "glass")
mlbench("Ionosphere", "Class", "ionosphere")
mlbench("PimaIndiansDiabetes", "diabetes", "pima")
mlbench("Sonar", "Class", "sonar")
mlbench("Vehicle", "Class", "vehicle")
mlbench("Vowel", "Class", "vowel")
mlbench("Satellite", "classes", "satellite")
mlbench("LetterRecognition", "lettr", "letter")
mlbench("DNA", "Class", "dna")
mlbench("Soybean", "Class", "soybean")
votes <- take("mlbench", "HouseVotes84") # a vote that is missing lies between yes and no
votes[, -1] <- lapply(votes[, -1], function(v) ifelse(is.na(v), 0.5, as.numeric(v) - 1))
save("votes", votes, "Class")

mlbench("Ozone", "V4", "ozone", c("V1", "V2", "V3", "V9")) # the day, and a column that is often missing
mlbench("Servo", "Class", "servo")
save("cpus", take("MASS", "cpus"), "perf", c("name", "estperf"))
save("nlschools", take("MASS", "nlschools"), "lang", "class")
save("salaries", take("carData", "Salaries"), "salary")
save("slid", take("carData", "SLID"), "wages")
save("wong", take("carData", "Wong"), "piq", "id")
save("mroz", take("carData", "Mroz"), "lwg")
save("chicks", take("datasets", "ChickWeight"), "weight", "Chick")
save("earthquakes", take("datasets", "quakes"), "mag")
save("attenuation", take("datasets", "attenu"), "accel", c("event", "station"))
