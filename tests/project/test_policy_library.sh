# libmaxk-policy: it needs the C library alone, has the functions of policy.h and no others, and the programs of
# experiments/manual/other_languages.md do what the page says: every policy goes on in another process where it was.
. tests/support/lib.sh
ordinary_build_only "a library of a build with sanitizers needs theirs"
build=$(dirname "$maxk")
shared=$build/libmaxk-policy.so
declared=$(${CC:-gcc} -E -P sim/api/maxk/policy.h | grep -v inline | grep -oE 'mk_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
check "policy.h declares functions" [ "$(wc -w <<<"$declared")" -ge 14 ]
check "they, and nothing else, are in libmaxk-policy.so" \
    equal "$(nm -D --defined-only "$shared" | awk '$2 == "T" {sub(/@@MAXK_1$/, "", $3); print $3}' | sort -u)" "$declared"
check "and in libmaxk-policy.a" equal "$(nm -g --defined-only "$build/libmaxk-policy.a" | awk 'NF == 3 {print $3}' | sort -u)" \
    "$declared"
needed=$(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libgcov' | sort | xargs)
check "it needs the C library alone" equal "$needed" "libc.so.6 libm.so.6"
check "its soname has the first part of the version" has <(readelf -d "$shared") 'SONAME.*\[libmaxk-policy\.so\.1\]'
takes() { nm -u "$build/libmaxk-policy.a" | grep -E ' (GOMP|omp|H5|yaml|json|sqlite3|gz|gsl|cblas|pthread)_?'; }
not() { ! "$@"; }
check "nothing of other libraries is undefined in the archive" not takes

inst=$dir/inst
check "make install" make --no-print-directory "BUILD=$build" PREFIX="$inst" MANUAL= install-files
export PKG_CONFIG_PATH=$inst/lib/pkgconfig LD_LIBRARY_PATH=$inst/lib
flags=$(pkg-config --cflags --libs maxk-policy)
same=
nm "$maxk" | grep -q __gcov_ && same=--coverage
block() { # LANGUAGE: the code of the page in it
    awk -v start="^\`\`\`$1\$" '$0 ~ start {on = 1; next} /^```$/ {on = 0} on' "$top/experiments/manual/other_languages.md"
}
cp tests/support/example_policy.c "$dir" && cd "$dir" || exit 1
block cpp >service.cpp
block c >maxk_r.c
block r >loop.R
warn="-Wall -Wextra -Wpedantic -Werror"
check "the program in C++ compiles" g++ -std=c++17 $warn -o service service.cpp $same $flags
check "one in C with the archive" ${CC:-gcc} -std=c11 $warn -o example example_policy.c $same \
    $(pkg-config --static --cflags --libs maxk-policy | sed 's/-lmaxk-policy/-l:libmaxk-policy.a/')
check "and runs" ./example
check "which needs no shared libmaxk-policy" not grep maxk <(ldd example)
goes_on() { # POLICY: 200 rounds in two processes are those in one
    local horizon=0
    rm -f one two
    ./service "$1" 0 0 one >log 2>&1 || horizon=400
    [ $horizon = 0 ] || grep -q "horizon: missing" log || return 1
    rm -f one
    ./service "$1" 200 $horizon one >whole && ./service "$1" 100 $horizon two >parts && ./service "$1" 100 $horizon two >>parts &&
        cmp whole parts && cmp one two && [ "$(sort -u whole | wc -l)" -ge 1 ] && [ "$(wc -l <whole)" = 200 ]
}
count=0
for policy in $("$maxk" list policies | awk '{print $1}'); do
    [ "$policy" = oracle ] && continue
    whole=$policy
    [ "$policy" = bayes_max ] && whole="{name: $policy, candidates: [{family: beta, a: 2, b: 1}, {family: beta, a: 1, b: 1}]}"
    check "$policy goes on in another process" goes_on "$whole"
    count=$((count + 1))
done
check "all policies did ($count)" [ $count -ge 30 ]
goes_on "{name: max_ucb, alpha: 0.5}"
size=$(stat -c %s two)
./service "" 20000 0 two >log
check "a saved text does not grow with the rounds" [ "$(stat -c %s two)" -lt $((size + 100)) ]
sed -i 's/^state 1/state 2/' two
check "another version refuses it" not ./service "" 1 0 two
cd "$top" || exit 1
check "the page has a part for R" [ -s "$dir/loop.R" ]
need Rscript r-base-core
cd "$dir" || exit 1
check "the part between R and the library compiles" ${CC:-gcc} $warn -shared -fPIC -o maxk_r.so maxk_r.c $same $flags
check "the loop in R runs" into counts Rscript --vanilla loop.R
check "300 rounds, most of them with the arm of the largest rewards" \
    awk '{exit !(NF == 3 && $1 + $2 + $3 == 300 && $1 > 0 && $2 > 0 && $3 > 0)}' counts
finish
