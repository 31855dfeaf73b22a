#!/bin/bash
# What the manual says to people who have installed maxk: `make install PREFIX=$HOME/maxk`, then the tutorials in an empty folder,
# and the programs in C, C++ and R as their pages compile and run them (tests/support/examples.sh).
. tests/support/lib.sh
if [ -n "$(preload)" ] || nm "$maxk" | grep -q __gcov_; then
    skip "programs that are linked with libraries of this build need its sanitizers or counters"
    finish
fi
. tests/support/examples.sh
need Rscript r-base-core
export HOME=$dir/home
installed=$HOME/maxk
check "make install" make --no-print-directory "BUILD=$build" PREFIX="$installed" MANUAL= install-files
PATH=$installed/bin:$PATH
for page in theorist python practitioner developer other_languages; do examples "experiments/manual/$page.md"; done

cd "$dir/copy" || exit 1
said() { "$@" 2>said; }
check "installed data are found" said maxk survey experiments/data/example.csv
check "which is said" one_line said "^maxk: experiments/data/example.csv: not in this folder; reading $installed/share/maxk/"
printf 'problem: {trajectories: experiments/data/pmlb_fixture.csv}\npolicies: [uniform]\nhorizons: [10]\n' >own.yaml
check "so are those of an experiment of one's own" maxk run own.yaml -q
check "whose result says where they were" has <(h5dump -d /provenance/experiment results/own.h5) \
    "trajectories: $installed/share/maxk/experiments/data/pmlb_fixture.csv"
mkdir -p experiments/data
printf 'instance,arm,repetition,iteration,reward\ni,a,0,0,1\ni,b,0,0,2\n' >experiments/data/example.csv
check "a file of this folder comes first" into survey maxk survey experiments/data/example.csv --csv
check "and only that is read" has survey '^i,1,1,b,'
check "a folder of this name hides no published experiment" maxk run e4_power -s replications=2 -q
refused "a file that is in neither" "^experiments/data/none.csv: .*cannot be read" maxk survey experiments/data/none.csv
cd "$top" || exit 1
finish
