#!/bin/sh
# Compiles the paper into OUT/maxk.pdf, from the .tex files next to this script and what tables.py has written into OUT.
# usage: latex.sh OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
export TEXINPUTS=".:$here:" BIBINPUTS="$here:"
compile() {
    pdflatex -interaction=nonstopmode -halt-on-error maxk >maxk.out.txt 2>&1 ||
        { grep -A 8 '^!' maxk.out.txt | head -n 20 >&2; rm -f maxk.pdf; exit 1; }
}
compile
bibtex -terse maxk
compile
compile
for again in 1 2 3; do # labels on pages that have moved
    ! grep -q 'Rerun to get' maxk.log || compile
done
