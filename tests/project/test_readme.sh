# The documents: every example runs, every output shown is what the program prints, every generated table is current, every
# link leads somewhere. In README.md and the folders' READMEs, each in a folder of its own that looks like the checkout:
#   ```yaml, first line `# FILE`    is saved under that name
#   ```sh                           is run line by line; of `make TARGET` only the target is looked for: it needs minutes
#   ```python                       is run
#   <!-- output -->, then ```       every line of it is printed by the example before
#   <!-- file PATH -->, then ```    the file begins so
#   <!-- numbers … -->              numbers in the prose are what commands print (tests/support/prose_numbers.py)
# The C program is compiled by test_install.sh.
. tests/support/lib.sh
documents=$(find . -name '*.md' ! -path './build*' ! -path './results/*' | sed 's#^\./##' | sort)

# DOCUMENT: its blocks as $dir/blocks/NNN.KIND; the path of a `file` block is in NNN.path.
split_blocks() {
    rm -rf "$dir/blocks"
    mkdir "$dir/blocks"
    awk -v to="$dir/blocks/" '
        /^<!-- output -->$/ { next_kind = "output"; next }
        /^<!-- file [^ ]+ -->$/ { next_kind = "file"; path = $3; next }
        /^```/ && kind == "" {
            kind = next_kind ? next_kind : substr($0, 4)
            if (kind == "") kind = "plain"
            file = sprintf("%s%03d.%s", to, ++n, kind)
            printf "" > file
            if (next_kind == "file") print path > sprintf("%s%03d.path", to, n)
            next_kind = ""
            next
        }
        /^```/ { close(file); kind = ""; next }
        kind != "" { print > file }' "$1"
}

run_line() { # DOCUMENT LINE: what it prints is added to ./printed
    local target
    case $2 in
    '' | '#'*) return ;;
    make*)
        target=$(echo "$2" | awk '{for (i = 2; i <= NF; i++) if ($i !~ /=/) {print $i; exit}}')
        check "$1: $2 (a target)" grep -qE "^${target:-all}:" "$top/Makefile" "$top/.packaging/install.mk" ;;
    *)
        if timeout -k 10 200 bash -c "$2" >printed 2>err; then pass "$1: $2"; else fail "$1: $2" "$(tail -n 1 err)"; fi ;;
    esac
}

run_python() { # FILE
    LD_PRELOAD=$(preload) ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$top/sim/python MAXK_LIBRARY=$(dirname "$maxk")/libmaxk.so \
        timeout -k 10 200 /usr/bin/python3 "$1"
}

all_printed() { # BLOCK
    local line
    while IFS= read -r line; do
        [ -z "$line" ] || grep -qxF -- "$line" printed || { echo "not printed: $line"; return 1; }
    done <"$1"
}

begins() { # FILE BLOCK
    head -n "$(wc -l <"$2")" "$top/$1" | cmp - "$2"
}

examples() { # DOCUMENT
    local block line name
    split_blocks "$1"
    rm -rf "$dir/copy" && mkdir -p "$dir/copy/results" && cd "$dir/copy" || return 1
    ln -s "$top/experiments" experiments
    ln -s "$(dirname "$maxk")" build
    : >printed
    for block in "$dir"/blocks/*; do
        case $block in
        *.yaml)
            name=$(sed -n '1s/^# \([A-Za-z0-9_.-]*\.yaml\)$/\1/p' "$block")
            if [ -n "$name" ]; then cp "$block" "$name"; pass "$1 saves $name"
            else fail "$1: a yaml block has no file name"; fi ;;
        *.sh)
            while IFS= read -r line <&3; do run_line "$1" "$line"; done 3<"$block" ;;
        *.python) check "$1: its Python example runs" run_python "$block" ;;
        *.output) check "$1: the output shown is what is printed" all_printed "$block" ;;
        *.file) check "$1: $(cat "${block%.file}.path") begins as shown" begins "$(cat "${block%.file}.path")" "$block" ;;
        esac
    done
    if grep -q '^<!-- numbers$' "$top/$1"; then
        MAXK=$maxk python "$top/tests/support/prose_numbers.py" "$top/$1" || bad=1
    fi
    cd "$top" || return 1
}

links_lead_somewhere() {
    local document link dead=0
    for document in $documents; do
        for link in $(grep -oE '\]\([^)# ]+|src="[^"]+"' "$document" | sed -E 's/^\]\(|^src="|"$//g' | grep -vE '^https?:'); do
            [ -e "$(dirname "$document")/$link" ] || { echo "$document: $link"; dead=1; }
        done
    done
    return $dead
}

for document in $documents; do
    if grep -qE '^```(sh|yaml|python)' "$document"; then examples "$document"; fi
done
check "links and pictures lead to files" links_lead_somewhere
check "generated tables are what the program prints" sim/build/docs.sh "$maxk" --check
finish
