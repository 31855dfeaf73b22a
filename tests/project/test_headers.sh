# Headers: each compiles on its own, without what another file included before it, and all of them in one translation unit, in
# either order, so that no two give one name two meanings.
. tests/support/lib.sh
flags=$(cat "$build/flags")
more="-Itests/support -Werror -Wno-unused-function -fsyntax-only"
find sim policies distributions analysis tests -name '*.h' | sort >"$dir/headers"

compiles() { # FILE
    $flags $more "$1"
}
alone() { # HEADER: prints those that fail
    printf '#include "%s"\nextern int nothing;\n' "$1" | $flags $more -x c - 2>&1 | grep -m 1 error
}
export -f alone
export flags more
each_alone() { # FILE with their names
    xargs -P 2 -I{} bash -c 'alone {}' <"$1" >"$dir/errors"
    [ ! -s "$dir/errors" ] || { cat "$dir/errors"; return 1; }
}

check "there are headers to look at ($(wc -l <"$dir/headers"))" [ "$(wc -l <"$dir/headers")" -gt 150 ]
check "each compiles alone" each_alone "$dir/headers"
sed 's/.*/#include "&"/' "$dir/headers" >"$dir/all.c"
check "all compile in one translation unit" compiles "$dir/all.c"
tac "$dir/all.c" >"$dir/reversed.c"
check "and in the opposite order" compiles "$dir/reversed.c"

# The checks notice what they are for.
echo 'size_t f(void);' >"$dir/needy.h"
echo "$dir/needy.h" >"$dir/one"
check "a header that needs another first is noticed" not each_alone "$dir/one"
(cat "$dir/all.c"; echo 'struct mk_error {int other;};') >"$dir/twice.c"
check "a name with two meanings is noticed" not compiles "$dir/twice.c"
finish
