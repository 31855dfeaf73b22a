#!/bin/sh
# Prints revision.h: what this binary was built from and with. usage: revision.sh CC FLAGS
set -u
# In a tarball (`make dist`), which is not a checkout, revision.txt holds what git would say.
read -r revision date <.packaging/revision.txt
case $revision in
\$*)
    revision=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
    date=$(git log -1 --format=%cs 2>/dev/null) ;;
*) revision=$(echo "$revision" | cut -c 1-12) ;;
esac
compiler=$("$1" --version 2>/dev/null | head -n 1)
cat <<C
#define MK_REVISION "$revision"
#define MK_DATE "$date"
#define MK_COMPILER "$compiler"
#define MK_FLAGS "$2"
C
