#!/bin/sh
# Tunes programs: which compressor, at which level, makes a file smallest?
#
# Run: experiments/examples/tune_program.sh   (MAXK says which program, build/maxk unless it is set)
set -eu
maxk=${MAXK:-build/maxk}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/compress.yaml" <<'END'
command: [sh, -c, "{program} -{level} < LICENSE | wc -c"]
metric: {last_number: true, maximize: false}  # bytes
arms:
  - {label: gzip, space: {program: {constant: gzip}, level: {integer: [1, 9]}}}
  - {label: bzip2, space: {program: {constant: bzip2}, level: {integer: [1, 9]}}}
policy: {name: max_ucb, alpha: 0.5, scale: minmax}
budget: {evaluations: 12}
workers: 2
END
"$maxk" tune "$folder/compress.yaml" -q -o "$folder/compress.h5" >"$folder/log"
grep -E "^(metric|command):" "$folder/compress.best.yaml"
