# make dist and make deb: the same bytes twice; the tarball builds; the packages satisfy lintian, can be installed on this
# system as far as their dependencies go, and what they hold runs from where dpkg unpacks it.
. tests/support/lib.sh
need lintian lintian
need dpkg-shlibdeps dpkg-dev
ordinary_build_only "packages"

# ---- the tarball ----
version=$("$maxk" --version | cut -d' ' -f2)
tarball=maxk-$version.tar.gz
check "make dist" make --no-print-directory BUILD="$dir/a" dist
git clone -q . "$dir/clone" && check "in a clone" make --no-print-directory -C "$dir/clone" dist
check "is the same tarball" cmp "$dir/a/$tarball" "$dir/clone/build/$tarball"
tar -xzf "$dir/a/$tarball" -C "$dir"
# With the objects that are there: make compiles what includes a file that is missing or another than in the checkout, and what
# has the revision.
mkdir "$dir/maxk-$version/build"
cp -r "$build"/{flags,gen,obj} "$dir/maxk-$version/build"
python - "$dir/maxk-$version" "$top" <<'END'
import filecmp
import glob
import os
import sys
os.chdir(sys.argv[1])


def same(path):
    return path.startswith(("/", "build/")) or os.path.exists(path) and filecmp.cmp(path, f"{sys.argv[2]}/{path}", shallow=False)


for file in glob.glob("build/obj/**/*.d", recursive=True):
    with open(file) as made_of:
        names = made_of.read().replace("\\\n", " ").split("\n")[0].split(": ")[1].split()
    if not all(map(same, names)):
        os.remove(file[:-1] + "o")
END
find "$dir/maxk-$version/build" -exec touch -d "$(date)" {} +
build_tarball() { (cd "$dir/maxk-$version" && MAXK=$maxk tests/support/make_same.sh -j2 all); }
check "it builds" build_tarball
check "with the libraries" there "$dir/maxk-$version"/build/libmaxk{,-policy}.{a,so}
check "and knows its revision" equal "$("$dir/maxk-$version/build/maxk" --version)" \
    "maxk $version ($(git rev-parse HEAD | cut -c 1-12))"

# ---- the packages ----
export SOURCE_DATE_EPOCH=1700000000
# Pages of the manual that pandoc has made once are not made again, and xz does not try hard.
need pandoc pandoc
mkdir "$dir/bin" "$dir/pages"
cat >"$dir/bin/pandoc" <<END
#!/bin/bash -e
set -o pipefail
page=$dir/pages/\$\$
(echo "\$*" && cat) >"\$page"
kept=$dir/pages/\$(sha256sum "\$page" | cut -c 1-64)
if [ ! -e "\$kept" ]; then sed 1d "\$page" | $(command -v pandoc) "\$@" >"\$page.html" && mv "\$page.html" "\$kept"; fi
cat "\$kept"
END
chmod +x "$dir/bin/pandoc"
for to in one two; do
    check "make deb, $to" env "PATH=$dir/bin:$PATH" DPKG_DEB_COMPRESSOR_LEVEL=0 .packaging/deb.sh "$build" "$version" "$dir/$to"
done
packages=$(cd "$dir/one" && echo *.deb)
check "six packages: $packages" equal "$(wc -w <<<"$packages")" 6
check "the same bytes twice" diff -r "$dir/one" "$dir/two"
check "lintian finds no errors and no warnings" lintian --allow-root --fail-on error,warning "$dir"/one/*.deb
check "lintian has printed nothing" equal "$(grep -E '^[EW]:' "$dir/log")" ""
check "they can be installed on this system" apt-get install --simulate -o Debug::NoLocking=1 "$dir"/one/*.deb
root=$dir/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} && touch "$root/var/lib/dpkg/status"
check "dpkg unpacks them side by side" \
    dpkg --root="$root" --log="$dir/dpkg.log" --force-depends --force-not-root --unpack "$dir"/one/*.deb
libdir=$root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
mkdir "$dir/work" && cd "$dir/work" || exit 1
check "an experiment is found by name" "$root/usr/bin/maxk" run e4_power -s replications=5 -q
check "and gives its result" there results/e4_power.h5
check "recorded runs are there too" "$root/usr/bin/maxk" survey "$root/usr/share/maxk/experiments/data/example.csv"
check "figures of the paper" "$root/usr/bin/maxk" figures --paper C.2
check "are drawn" there results/figures/paper/figure_C.2_lu.png
check "every experiment is listed with its data" into list "$root/usr/bin/maxk" list experiments
check "without a complaint" lacks list 'checkout|yaml +\('
python_finds() {
    env -u MAXK LD_LIBRARY_PATH="$libdir" PATH="$root/usr/bin:$PATH" PYTHONPATH="$root/usr/lib/python3/dist-packages" \
        /usr/bin/python3 -c "
import maxk
result = maxk.run('e4_power', overrides={'replications': 3})
assert len(result.summary()) == 330, result
assert maxk._library.program() == '$root/usr/bin/maxk', maxk._library.program()"
}
check "the Python module runs it" python_finds
check "its tutorial" env -u MAXK LD_LIBRARY_PATH="$libdir" PATH="$root/usr/bin:$PATH" MPLCONFIGDIR="$dir" \
    PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 "$root/usr/share/doc/python3-maxk/examples/tutorial.py"
check "draws its figure" there tutorial.png
cp "$top/tests/support/example_library.c" example.c
check "a C program compiles against libmaxk-dev" ${CC:-gcc} -std=c11 -o example example.c -I"$root/usr/include/maxk" \
    -L"$libdir" -lmaxk -lm
check "and runs with libmaxk1" env LD_LIBRARY_PATH="$libdir" ./example "$dir/work"
cp "$top/tests/support/example_policy.c" policy.c
check "another against libmaxk-policy-dev" \
    ${CC:-gcc} -std=c11 -o policy policy.c -I"$root/usr/include/maxk" -L"$libdir" -lmaxk-policy
check "and runs with libmaxk-policy1" env LD_LIBRARY_PATH="$libdir" ./policy
cd "$top" || exit 1
finish
