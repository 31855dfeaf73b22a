# What libmaxk.a and libmaxk.so do to a program that links them: nothing but their public functions appear, exp, log and
# GSL stay the program's own, nothing is printed, and the results are those of maxk bit for bit. And that all versions are one.
. tests/support/lib.sh
need h5diff hdf5-tools
archive=$(dirname "$maxk")/libmaxk.a
shared=$(dirname "$maxk")/libmaxk.so
inst=$dir/inst
check "make install" make --no-print-directory "BUILD=$(dirname "$maxk")" PREFIX="$inst" MANUAL= install-files

# ---- symbols ----
declared=$(${CC:-gcc} -E -P sim/api/maxk/maxk.h | grep -v inline | grep -oE 'mk_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
defined=$(nm -g --defined-only "$archive" | awk 'NF == 3 {print $3}' | sort -u)
nm -u "$archive" | awk 'NF == 2 {print $2}' | sort -u >"$dir/undefined"
nm -D --defined-only "$(${CC:-gcc} -print-file-name=libm.so.6)" | awk '{sub(/@.*/, "", $NF); print $NF}' | sort -u >"$dir/libm"
comm -12 "$dir/undefined" "$dir/libm" >"$dir/of_libm"
# Functions of the C library whose result IEEE 754 or their definition fixes to the last bit.
exact="ceil copysign fabs floor fmax fmin fmod frexp ldexp llrint llround lrint lround modf nan nearbyint nextafter rint round
scalbn sqrt trunc"
not() { ! "$@"; }
at_least() { [ "$(echo "$2" | wc -w)" -ge "$1" ]; }
check "the public headers declare functions" at_least 30 "$declared"
check "they, and nothing else, are global in libmaxk.a" diff <(echo "$declared") <(echo "$defined")
# The first symbol is the name of the version that all others have.
exported=$(nm -D --defined-only "$shared" | awk '$2 == "T" {sub(/@@MAXK_1$/, "", $3); print $3}' | sort -u)
check "they, and nothing else, are exported by libmaxk.so" diff <(echo "$declared") <(echo "$exported")
check "and it defines nothing else but their version" \
    equal "$(nm -D --defined-only "$shared" | awk '$2 != "T" {print $2, $3}')" "A MAXK_1"
readelf -d "$shared" >"$dir/dynamic"
check "its soname has the first part of the version" has "$dir/dynamic" 'SONAME.*\[libmaxk\.so\.1\]'
check "it needs no relocation of code" lacks "$dir/dynamic" TEXTREL
check "of libm it takes some functions" at_least 5 "$(cat "$dir/of_libm")"
check "and only those whose last bit is fixed" not grep -vxF "$(echo "$exact" | tr -s ' \n' '\n')" "$dir/of_libm"
# GSL's own error handler, which the library turns off, prints and aborts: so the library's objects without it are looked at.
speaks() {
    nm -u "$(dirname "$maxk")/libmaxk-objects.a" | awk 'NF == 2 {print $2}' |
        grep -xE 'stderr|v?printf|puts|putchar|perror|abort|_?exit'
}
check "its objects neither print nor end the program" not speaks
check "GSL is inside, none of it undefined" not grep -q '^gsl_\|^cblas_' "$dir/undefined"

# ---- a program that links it ----
export PKG_CONFIG_PATH=$inst/lib/pkgconfig
same=
ldd "$maxk" | grep -q libasan && same="$same -fsanitize=address,undefined"
nm "$maxk" | grep -q __gcov_ && same="$same --coverage"
cat >"$dir/e.yaml" <<'YAML'
name: host
problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: truncated_gaussian, mu: 0.5, sigma: 0.2, lo: 0, hi: 1}
    - {family: beta, a: 2, b: 3}
    - {family: weibull, shape: 2, scale: 0.4, truncate: [0, 1]}
policies: [{name: max_ucb, alpha: [0.1, 1]}, {name: exp3}, {name: thompson_gaussian}, {name: quantile_bayes_ucb}, {name: oracle}]
horizons: [30, 300]
replications: 20
YAML
check "maxk runs the same experiment" "$maxk" run "$dir/e.yaml" -o "$dir/maxk.h5" -q
link_with() { # LIBRARY
    # shellcheck disable=SC2046
    ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -o "$dir/host" tests/support/example_host.c $same \
        $(pkg-config --static --cflags --libs maxk | sed "s/-lmaxk/-l:$1/") $(pkg-config --cflags --libs gsl) \
        -Wl,-rpath,"$inst/lib"
}
says() { grep -qxE -- "$1" "$dir/found" || { cat "$dir/found"; return 1; }; }
for library in libmaxk.a libmaxk.so; do
    check "$library: a program with its own GSL links it" link_with $library
    rm -f "$dir"/host.h5*
    "$dir/host" "$dir/e.yaml" "$dir/host.h5" >"$dir/found" 2>"$dir/said"
    code=$?
    check "$library: it runs" [ $code -eq 0 ]
    check "$library: the library prints nothing" [ ! -s "$dir/said" ]
    check "$library: its exp is its own" says 'exp libm\..*'
    check "$library: its log is its own" says 'log libm\..*'
    check "$library: its GSL is its own" says 'gsl_sf_gamma libgsl\..*'
    check "$library: its GSL keeps its error handler" says 'handler default'
    check "$library: the first result replaces nothing" says "note ''"
    check "$library: an earlier result of another run is kept, and the error text says so" \
        says "note '.*host\.h5.*seed.*host\.h5\.previous'"
    for group in problem policies coords; do
        check "$library: results have the same bits: /$group" h5diff "$dir/host.h5" "$dir/maxk.h5" "/$group"
    done
done

# ---- one version ----
version=$(sed -n 's/^mk_version //p' "$dir/found")
check "the header's version is mk_version's ($version)" says "header $version"
check "maxk --version" grep -qxE "maxk $version \(.+\)" <("$maxk" --version)
check "pkg-config --modversion" [ "$(pkg-config --modversion maxk)" = "$version" ]
check "CITATION.cff" grep -qx "version: $version" CITATION.cff
check "CHANGELOG.md" grep -qE "^## \[$version\]" CHANGELOG.md
check "pkg-config compares it" pkg-config --atleast-version=1.0 maxk
finish
