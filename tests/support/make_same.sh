#!/bin/sh
# make with the warnings and sanitizers that $MAXK was built with, so that only new files are compiled.
set -u
flags=$(cat "$(dirname "${MAXK:-build/maxk}")/flags")
sanitizers=$(echo "$flags" | sed -n 's/.*-fsanitize=\([^ ]*\).*/\1/p')
case $flags in *' -Werror'*) werror=1 ;; *) werror= ;; esac
exec make "WERROR=$werror" ${sanitizers:+"SAN=$sanitizers"} "$@"
