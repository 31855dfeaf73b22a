# What libmaxk.a does to a program that links it: nothing but its public functions appear, exp, log and GSL stay the
# program's own, nothing is printed, and the results are those of maxk bit for bit. And that all versions are one.
. tests/support/lib.sh
need h5diff hdf5-tools
archive=$(dirname "$maxk")/libmaxk.a
inst=$dir/inst
check "make install" make --no-print-directory "BUILD=$(dirname "$maxk")" PREFIX="$inst" install-files

# ---- symbols ----
declared=$(${CC:-gcc} -E -P sim/api/maxk/maxk.h | grep -v inline | grep -oE 'mk_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
# .gomp_…: the locks of OpenMP's named critical sections, which the OpenMP runtime shares by name.
defined=$(nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^\.gomp_/ {print $3}' | sort -u)
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
build() {
    # shellcheck disable=SC2046
    ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -o "$dir/host" tests/support/example_host.c $same \
        $(pkg-config --static --cflags --libs maxk) $(pkg-config --cflags --libs gsl)
}
check "a program with its own GSL links it" build
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
"$dir/host" "$dir/e.yaml" "$dir/host.h5" >"$dir/found" 2>"$dir/said"
code=$?
check "it runs" [ $code -eq 0 ]
check "the library prints nothing" [ ! -s "$dir/said" ]
says() { grep -qxE -- "$1" "$dir/found" || { cat "$dir/found"; return 1; }; }
check "its exp is its own" says 'exp libm\..*'
check "its log is its own" says 'log libm\..*'
check "its GSL is its own" says 'gsl_sf_gamma libgsl\..*'
check "its GSL keeps its error handler" says 'handler default'
check "the first result replaces nothing" says "note ''"
check "an earlier result of another run is kept, and the error text says so" says "note '.*host\.h5.*seed.*host\.h5\.previous'"
check "maxk runs the same experiment" "$maxk" run "$dir/e.yaml" -o "$dir/maxk.h5" -q
for group in problem policies coords; do
    check "results have the same bits: /$group" h5diff "$dir/host.h5" "$dir/maxk.h5" "/$group"
done

# ---- one version ----
version=$(sed -n 's/^mk_version //p' "$dir/found")
check "the header's version is mk_version's ($version)" says "header $version"
check "maxk --version" grep -qxE "maxk $version \(.+\)" <("$maxk" --version)
check "pkg-config --modversion" [ "$(pkg-config --modversion maxk)" = "$version" ]
check "CITATION.cff" grep -qx "version: $version" CITATION.cff
check "CHANGELOG.md" grep -qE "^## \[$version\]" CHANGELOG.md
check "pkg-config compares it" pkg-config --atleast-version=0.9 maxk
finish
