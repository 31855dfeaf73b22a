# 10^6 outputs of PCG64 against the reference C++ library, for several seeds.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if ! g++ -O1 -o "$dir/oracle" tests/reference/pcg64_oracle.cpp 2>"$dir/log"; then
    grep -q pcg_random.hpp "$dir/log" && { echo "skip libpcg-cpp-dev is not installed"; exit 0; }
    echo "not ok the oracle does not compile"; cat "$dir/log"; exit 1
fi
mine=$(dirname "${MAXK:-build/maxk}")/tests/unit/base/test_pcg64
for seed in "42 54" "0 0" "18446744073709551615 1" "123456789 987654321"; do
    # shellcheck disable=SC2086
    "$dir/oracle" $seed 1000000 >"$dir/a"; "$mine" dump $seed 1000000 >"$dir/b"
    if [ "$(stat -c %s "$dir/a")" -eq 8000000 ] && cmp -s "$dir/a" "$dir/b"; then
        echo "ok 10^6 outputs equal the C++ library's for seed ($seed)"
    else
        echo "not ok outputs differ from the C++ library's for seed ($seed)"
    fi
done
