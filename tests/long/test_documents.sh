# Every example of every document runs, every output shown is what the program prints, and every number in the prose of the
# README and of the tour is what a command prints (tests/support/examples.sh). Programs in C, C++ and R run in
# tests/project/test_installed_pages.sh.
. tests/support/lib.sh
. tests/support/examples.sh
slow=1
# What the numbers of the prose print is run there, with more options, and not here as well. Certified bounds are kept between
# documents, as they are between commands: the README and the tour look at the same runs.
mkdir "$dir/certificates"
eval "$(declare -f run_line | sed '1s/run_line/run_line_itself/')"
run_line() { # DOCUMENT LINE
    if [ -n "$2" ] && grep -qF -- ": \$ $2 --csv" "$top/$1"; then
        pass "$1: $2 (with its numbers)"
        return
    fi
    cp "$dir"/certificates/* results 2>/dev/null
    run_line_itself "$@"
    cp results/*.certificates "$dir/certificates" 2>/dev/null
}
for document in $(find . -name '*.md' ! -path './build*' ! -path './results/*' | sed 's#^\./##' | sort); do
    if grep -qE '^```(sh|yaml|python)' "$document"; then examples "$document"; fi
done
finish
