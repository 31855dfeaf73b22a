#!/bin/sh
# Prints revision.h: what this binary was built from and with. usage: revision.sh CC FLAGS
set -u
revision=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
date=$(git log -1 --format=%cs 2>/dev/null)
compiler=$("$1" --version 2>/dev/null | head -n 1)
printf '#define MK_REVISION "%s"\n#define MK_DATE "%s"\n#define MK_COMPILER "%s"\n#define MK_FLAGS "%s"\n' "$revision" "$date" "$compiler" "$2"
