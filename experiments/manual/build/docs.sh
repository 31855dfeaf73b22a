#!/bin/sh
# Writes into the documents what the program and the tests know, between the lines `<!-- docs: SOURCE -->` and
# `<!-- /docs -->`. SOURCE: `maxk list NAME`, the table of `maxk list NAME --markdown`; `file PATH`, the file as it is.
# signatures.py writes the tables and their options into the Python module.
# usage: docs.sh MAXK            writes them
#        docs.sh MAXK --check    writes nothing, names every document that is out of date; exit code 1 if there is one
set -u
maxk=$1
mode=${2:-}
bad=0
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
for document in $(find . -name '*.md' ! -path './build*' ! -path './results/*' | sort); do
    grep -q '^<!-- docs: ' "$document" || continue
    awk -v maxk="$maxk" '
        function fail(what) { print FILENAME ":" FNR ": " what > "/dev/stderr"; bad = 1; exit 1 }
        function copy(from, is_command,    line, n) {
            while ((is_command ? (from | getline line) : (getline line < from)) > 0) { print line; n++ }
            if (close(from) != 0 || !n) fail("no output of " from)
        }
        /^<!-- docs: / {
            if (inside) fail("a part begins inside another")
            print
            inside = 1
            source = $0
            sub(/^<!-- docs: /, "", source)
            sub(/ -->$/, "", source)
            if (source ~ /^maxk list [a-z]+$/) { sub(/^maxk/, maxk, source); print ""; copy(source " --markdown", 1); print "" }
            else if (sub(/^file /, "", source)) { print ""; print "```"; copy(source, 0); print "```"; print "" }
            else fail("unknown source: " source)
            next
        }
        /^<!-- \/docs -->$/ { if (!inside) fail("a part ends that has not begun"); inside = 0 }
        !inside { print }
        END { if (!bad && inside) fail("a part does not end") }' "$document" >"$new" || exit 1
    cmp -s "$new" "$document" && continue
    if [ "$mode" = --check ]; then
        first=$(diff "$document" "$new" | grep '^[<>]' | head -n 1 | cut -c 1-100)
        echo "${document#./} is out of date: run \`make docs\` ($first)"
        bad=1
    else
        cat "$new" >"$document"
        echo "  docs ${document#./}"
    fi
done
/usr/bin/python3 experiments/manual/build/signatures.py "$maxk" $mode || bad=1
exit $bad
