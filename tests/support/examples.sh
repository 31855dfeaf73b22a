# The examples of a document, run in a folder of their own that looks like the checkout. For tests, after lib.sh:
# `examples DOCUMENT`.
#   ```yaml, first line `# FILE`    is saved under that name; so is a program: `/* FILE */` in C, `// FILE` in C++,
#                                   `# FILE` in R and, where Python has one, in Python
#   ```sh                           is run line by line; of `make TARGET` only the target is looked for: it needs minutes
#   ```python                       is run with the packages of `make python-deps` alone (tests/support/few_packages.py)
#   ```output                       is what the example before, in ```sh its last line, prints (tests/support/shown.py)
#   <!-- file PATH -->, then ```    the file begins so
#   <!-- installed -->, then ```sh  is for people who have installed maxk, <!-- checkout --> for those who have not
#   <!-- long -->, then ```        is run by a test of its own in tests/long
# If `slow` is set, as in tests/long/test_documents.sh, numbers in the prose of README.md are what the commands of
# tests/reference/numbers/README.txt print (tests/support/prose_numbers.py), and those of any other document with such a file.
# With `installed` set to the PREFIX of an installation, the folder is empty and build/maxk is the installed program, which
# is in PATH as well; what is for a checkout is left out then, in place of what is for the installed program.
installed= slow= left_out=

# DOCUMENT: its blocks as $dir/blocks/NNN.KIND; the path of a `file` block is in NNN.path.
split_blocks() {
    rm -rf "$dir/blocks"
    mkdir "$dir/blocks"
    awk -v to="$dir/blocks/" '
        /^<!-- (installed|checkout|long) -->$/ { next_kind = $2; next }
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

run_lines() { # DOCUMENT BLOCK
    local line
    while IFS= read -r line <&3; do run_line "$1" "$line"; done 3<"$2"
}

# DOCUMENT BLOCK: as one script, after the `export` lines of earlier ones, as if they were typed into one terminal.
run_script() {
    cat exports "$2" >script
    if timeout -k 10 200 bash -e script >printed 2>err; then pass "$1: $(tail -n 1 "$2")"
    else fail "$1: $(tail -n 1 "$2")" "$(tail -n 1 err)"; fi
    grep '^export ' "$2" >>exports
}

run_python() { # FILE
    local module=$top/sim/python library
    library=$(dirname "$maxk")/libmaxk.so
    [ -z "$installed" ] || { module=$installed/lib/python3/dist-packages; library=$installed/lib/libmaxk.so; }
    LD_PRELOAD=$(preload) ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$module:$top/tests/support MAXK_LIBRARY=$library \
        timeout -k 10 200 /usr/bin/python3 -m few_packages "$python_packages" "$1" >printed
}

begins() { # FILE BLOCK
    head -n "$(wc -l <"$2")" "$top/$1" | cmp - "$2"
}

file_name() { # BLOCK: that of its first line
    sed -nE '1s!^(#|//|/\*) ([A-Za-z0-9_]+\.[a-zA-Z]+)( \*/)?$!\2!p' "$1"
}

example() { # DOCUMENT BLOCK
    local name
    name=$(file_name "$2")
    [ -z "$name" ] || { cp "$2" "$name"; pass "$1 saves $name"; }
    case $2 in
    *.yaml) [ -n "$name" ] || fail "$1: a yaml block has no file name" ;;
    *.sh) left_out=; run_lines "$@" ;;
    *.checkout) left_out=$installed; [ -n "$installed" ] || run_lines "$@" ;;
    *.installed) left_out=1; [ -z "$installed" ] || { left_out=; run_script "$1" "$2"; } ;;
    *.python) left_out=; check "$1: its Python example runs" run_python "${name:-$2}" ;;
    *.output) [ -n "$left_out" ] ||
        check "$1: the output shown is what is printed" python "$top/tests/support/shown.py" "$2" printed ;;
    *.file) check "$1: $(cat "${2%.file}.path") begins as shown" begins "$(cat "${2%.file}.path")" "$2" ;;
    esac
}

examples() { # DOCUMENT
    local block numbers=$top/tests/reference/numbers/$(tr / _ <<<"${1%.md}").txt
    split_blocks "$1"
    rm -rf "$dir/copy" && mkdir -p "$dir/copy/results" && cd "$dir/copy" || return 1
    if [ -n "$installed" ]; then ln -s "$installed/bin" build
    else ln -s "$top"/{experiments,analysis,distributions,policies,sim} . && ln -s "$(dirname "$maxk")" build; fi
    : >printed
    : >exports
    for block in "$dir"/blocks/*; do example "$1" "$block"; done
    if [ -n "$slow" ] && [ -e "$numbers" ]; then
        python "$top/tests/support/prose_numbers.py" "$top/$1" "$numbers" || bad=1
    fi
    cd "$top" || return 1
}
python_packages=$(sed -n 's/^DEPS_PYTHON = //p' Makefile)
