# One call of the program that can fail does (tests/support/inject.c): what tests/long/test_failures.sh and
# tests/long/test_failures_tune.sh share, sourced after lib.sh. The outcome is to be one line and exit code 1 or 2, or the right
# output; never a crash or a leak. Every MAXK_INJECT_STEP-th call of a run and every second of these of other commands, starting
# from a different one in every sweep.
# A sanitizer replaces malloc; coverage allocates at the end without checking the result.
if ldd "$maxk" | grep -q asan || grep -q __gcov_exit "$maxk"; then
    skip "failures are injected in the ordinary build only"
    finish
fi
check "make maxk-shared" tests/support/make_same.sh -s maxk-shared || finish
maxk=$(dirname "$maxk")/shared/maxk
step=${MAXK_INJECT_STEP:-16}
begin=0
check "tests/support/inject.c compiles" ${CC:-gcc} -D_GNU_SOURCE -O1 -shared -fPIC -o "$dir/inject.so" \
    tests/support/inject.c -ldl || finish
nothing_lost() { # a message; reads the report of the last run
    local calls=0 lost=-1 from=
    [ -s "$dir/report" ] && read -r calls lost from <"$dir/report"
    rm -f "$dir/report"
    [ "$lost" -eq 0 ] && return
    echo "# $1: $lost blocks are not freed, the first of $(addr2line -e "$maxk" "$from" 2>/dev/null)"
    return 1
}
# The program with one failing call; standard error is in $dir/err.
failing() { # KIND, number of the call, arguments
    local kind=$1 at=$2
    shift 2
    timeout -k 10 60 env INJECT=$kind INJECT_AT=$at INJECT_REPORT="$dir/report" LD_PRELOAD="$dir/inject.so" \
        "$maxk" "$@" 2>"$dir/err"
}
# Ended with exit code 1 or 2 and one line.
told() { # exit code, what was done
    [ $1 -le 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && return
    echo "# $2: exit $1: $(head -c 300 "$dir/err" | tr '\n' ' ')"
    return 1
}
wrong() { # what was done, how it ended
    echo "# $1: $2"
    errors=$((errors + 1))
}
# Any other command, in the folder $dir/work: its output, if it succeeds, is that without failures.
each() { # kind, command and its arguments
    local kind=$1 calls lost from code
    shift
    (cd "$dir/work" && "$maxk" "$@") >"$dir/wanted" 2>"$dir/err" || { fail "$* runs" "$(head -n 1 "$dir/err")"; return; }
    (cd "$dir/work" && INJECT=$kind INJECT_REPORT=$dir/report LD_PRELOAD=$dir/inject.so "$maxk" "$@") >"$dir/got" 2>/dev/null
    read -r calls lost from <"$dir/report"
    [ "$calls" -gt 0 ] || fail "$* has $kind calls"
    begin=$((begin % step + 1))
    for at in $(seq $begin $((step > 1 ? 2 * step : 1)) "$calls"); do
        tried=$((tried + 1))
        (cd "$dir/work" && failing $kind $at "$@") >"$dir/got"
        code=$?
        nothing_lost "$1: $kind call $at" || errors=$((errors + 1))
        if [ $code -eq 0 ]; then
            cmp -s "$dir/wanted" "$dir/got" || wrong "$*: $kind call $at" "exit 0 and other output"
        else
            refused=$((refused + 1))
            told $code "$*: $kind call $at" || errors=$((errors + 1))
        fi
    done
    all=$((all + calls))
}
gnuplot_in_its_place() { # which is not what fails here: makes the files that the script names
    cat <<'SH'
#!/bin/sh
sed -n "s/^set output ['\"]\(.*\)['\"].*/\1/p" "$2" | while read -r f; do echo drawn >"$f"; done
SH
}
