# Used by every shell test: `. tests/support/lib.sh` in its first lines (bash, started in the checkout), `finish` in its
# last one. A test that stops before `finish` has failed, regardless of its exit code.
#
# Sets $top (the checkout), $maxk (the program, as an absolute path), $build (the folder it was built in, relative to
# $top) and $dir (a temporary folder, removed at the end). Checks take the text first, then the command; of a command
# that fails the output is quoted.
set -u
top=$PWD
maxk=$(realpath "${MAXK:-build/maxk}")
build=$(realpath --relative-to="$top" "$(dirname "$maxk")")
dir=$(mktemp -d) || exit 1
bad=0
finished=

# A test that has more to clean up than $dir defines clean_up.
leave() {
    local code=$?
    if declare -F clean_up >/dev/null; then clean_up; fi
    cd "$top" && rm -rf "$dir"
    [ $finished ] && exit $bad
    echo "not ok $(basename "$0") stopped before its end (exit code $code)"
    exit 1
}
trap leave EXIT
finish() {
    finished=1
    exit $bad
}

pass() { echo "ok $1"; }
fail() { # TEXT [REASON]
    echo "not ok $1${2:+: $2}"
    bad=1
}
skip() { echo "skip $1"; }
# The rest of the test needs a program that `make deps-check` installs.
need() { # COMMAND PACKAGE
    command -v "$1" >/dev/null || { fail "$1 is not there" "package $2, which make deps-check installs"; finish; }
}

first_lines() { # FILE…: for messages
    local file
    for file in "$@"; do [ ! -f "$file" ] || head -n 3 "$file"; done | cut -c 1-300 | tr '\n' ' '
}

# The command ends with exit code 0. What it printed is in $dir/log until the next check.
check() { # TEXT COMMAND…
    local text=$1 code=0
    shift
    "$@" >"$dir/log" 2>&1 || code=$?
    if [ $code -eq 0 ]; then pass "$text"; else fail "$text" "$(first_lines "$dir/log")"; fi
    return $code
}

# Rejected input: exit code 2, exactly one line on standard error that matches the extended regular expression, nothing
# on standard output, and `unharmed` if the test defines it. refuses is quiet and leaves the problem in $wrong; it
# starts no process other than the command. The message is in $dir/err.
refuses() { # PATTERN COMMAND…
    local pattern=$1 code lines
    shift
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    code=$?
    mapfile lines <"$dir/err"
    wrong=
    if [ $code -ne 2 ]; then wrong="exit code $code, wanted 2"
    elif [ ${#lines[@]} -ne 1 ] || [[ ${lines[0]} != *$'\n' ]]; then wrong="${#lines[@]} lines, wanted one"
    elif [[ ! ${lines[0]%$'\n'} =~ $pattern ]]; then wrong="the line does not match /$pattern/"
    elif [ -s "$dir/out" ]; then wrong="something on standard output"
    elif declare -F unharmed >/dev/null && ! unharmed; then wrong="harm was done"
    fi
    [ -z "$wrong" ]
}
refused() { # TEXT PATTERN COMMAND…
    local text=$1
    shift
    if refuses "$@"; then pass "$text: $(sed "s#$dir/##g" "$dir/err")"
    else fail "$text" "$wrong: $(first_lines "$dir/err" "$dir/out")"; fi
}

# ---- conditions, for check ----

not() { ! "$@"; }
equal() { # GOT WANTED
    [ "$1" = "$2" ] || { echo "got $1, wanted $2"; return 1; }
}
there() { # FILE…: each is there and not empty
    local file
    for file in "$@"; do [ -s "$file" ] || { echo "$file is missing or empty"; return 1; }; done
}
has() { # FILE PATTERN: a line matches
    grep -qE -- "$2" "$1" || { echo "no line like /$2/ in $1: $(first_lines "$1")"; return 1; }
}
lacks() { # FILE PATTERN: the file is there, and no line matches
    [ -f "$1" ] && ! grep -E -- "$2" "$1"
}
one_line() { # FILE PATTERN: one line, which matches
    [ "$(wc -l <"$1")" -eq 1 ] && grep -qE -- "$2" "$1" || { echo "wanted one line like /$2/: $(first_lines "$1")"; return 1; }
}
exits() { # CODE COMMAND…; standard error is in $dir/err, standard output in $dir/out
    local want=$1 code=0
    shift
    "$@" >"$dir/out" 2>"$dir/err" || code=$?
    [ $code -eq "$want" ] || { echo "exit code $code, wanted $want: $(first_lines "$dir/err")"; return 1; }
}
into() { # FILE COMMAND…
    local file=$1
    shift
    "$@" >"$file"
}
python() { /usr/bin/python3 "$@"; }
preload() { # what Python must load first to load libmaxk.so: the sanitizers that it is built with, if any
    ldd "$(dirname "$maxk")/libmaxk.so" | awk '/lib[au]+b?san/ {print $3}' | xargs
}
ordinary_build_only() { # WHY: ends a test that says nothing more about a build with sanitizers
    [ -n "$(preload)" ] || return 0
    skip "in the ordinary build only: $1"
    finish
}

# Two result files are equal except for volatile facts (date, host, threads); h5diff prints what it cannot compare and
# then ends with 0. differ: they differ in more than the provenance, and nothing went wrong.
same() { # FILE FILE
    local found
    there "$1" "$2" || return
    found=$(h5diff --exclude-path /provenance/volatile "$1" "$2" 2>&1) && [ -z "$found" ] ||
        { echo "$found" | head -n 3; return 1; }
}
differ() { # FILE FILE
    there "$1" "$2" && exits 1 h5diff --exclude-path /provenance "$1" "$2"
}
