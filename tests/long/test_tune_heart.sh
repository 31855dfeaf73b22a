#!/bin/bash
# experiments/tune_heart.yaml, which trains real programs: 200 trials of seven classifiers within a minute, time-outs
# among them, and the best of them again by the command line that is written for it.
. tests/support/lib.sh
need svm-train libsvm-tools
need liblinear-train liblinear-tools

check "runs" into "$dir/out" timeout -k 10 60 "$maxk" tune experiments/tune_heart.yaml -o "$dir/heart.h5" -s workers=2
check "200 trials" equal "$(tail -n +2 "$dir/heart.csv" | wc -l)" 200
check "as a recording of seven arms" into "$dir/survey" "$maxk" survey "$dir/heart.csv" --csv
check "of which all were pulled" equal "$(tail -n +2 "$dir/survey" | wc -l)" 7
check "some were stopped by the time limit" has "$dir/heart.csv" ',timed out,'
check "the best accuracy is that of its command line" python - "$dir/heart.best.yaml" <<'PY'
import re, subprocess, sys
best = open(sys.argv[1]).read()
value = float(re.search(r"^metric: (.*)$", best, re.M).group(1))
out = subprocess.run(re.search(r"^command: (.*)$", best, re.M).group(1), shell=True, capture_output=True, text=True).stdout
assert value > 80 and float(re.findall(r"([0-9.]+)%", out)[-1]) == value, (value, out[-200:])
PY
finish
