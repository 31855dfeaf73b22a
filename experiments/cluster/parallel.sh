#!/bin/sh
# Shards without a queue, with GNU parallel (Debian package parallel), here or over ssh:
#
#   experiments/cluster/parallel.sh 8 experiments/e4_power.yaml -s replications=100000
#   PARALLEL='--sshlogin node1,node2 --workdir .' experiments/cluster/parallel.sh 8 ...   (a shared directory)
#
# Repeat the command to resume. JOBS: how many at a time (default: 2).
set -eu
n=$1; shift
seq "$n" | parallel --jobs "${JOBS:-2}" --quote build/maxk run "$@" --shard "{}/$n" --threads 1 --resume
