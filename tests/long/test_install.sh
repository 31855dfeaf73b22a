#!/bin/bash
# make install into a DESTDIR: what is there, programs outside the tree that use it, and make uninstall.
. tests/support/lib.sh
at=$dir/root/opt/maxk
mkdir "$dir/paper"
echo '%PDF' >"$dir/paper/maxk.pdf"
check "make install into a DESTDIR" \
    make --no-print-directory "BUILD=$build" "PAPER=$dir/paper" "DESTDIR=$dir/root" PREFIX=/opt/maxk install-files
check "the paper is next to the manual" there "$at/share/doc/maxk/maxk.pdf"
check "which links to it" has "$at/share/doc/maxk/manual/theorist.html" '<a href="\.\./maxk\.pdf">the paper</a>'
check "everything is in its place" there "$at"/{bin/maxk,lib/libmaxk.{a,so,so.1},lib/pkgconfig/maxk.pc,include/maxk/maxk.h} \
    "$at"/share/{man/man1/maxk.1,maxk/experiments/e4_power.yaml,bash-completion/completions/maxk} \
    "$at"/share/maxk/analysis/theory/certificates/certificate{,_walk}.h \
    "$at"/share/maxk/experiments/data/{example.csv,pmlb_rs_main.csv.gz} \
    "$at"/share/{zsh/site-functions/_maxk,fish/vendor_completions.d/maxk.fish}
check "one folder with the headers" equal "$(cd "$at/include" && find . -type f ! -path './maxk/plugin/*' | sort | xargs)" \
    "./maxk/bounds.h ./maxk/error.h ./maxk/maxk.h ./maxk/missing.h ./maxk/policy.h ./maxk/study.h ./maxk/table.h"
check "a prefix without DESTDIR" has "$at/lib/pkgconfig/maxk.pc" "^prefix=/opt/maxk$"
installed_runs() {
    mkdir "$dir/work" && cd "$dir/work" && "$at/bin/maxk" run e4_power -s replications=2 -q &&
        there results/e4_power.h5
}
check "the installed program runs an installed experiment by name" installed_runs
check "it lists the installed experiments" into list "$at/bin/maxk" list experiments
check "its help names the manual" into help "$at/bin/maxk" --help
check "which is there" there "$(sed -n 's#^The manual.*: file://##p' help)"
check "all of them" equal "$(wc -l <list)" "$(ls "$at"/share/maxk/experiments/*.yaml | wc -l)"
check "every one with its data" lacks list 'yaml +\('
check "other commands find them too" into gap "$at/bin/maxk" gap e4_power --csv
check "an experiment that is not there" exits 2 "$at/bin/maxk" run e4_powers
check "is a file that cannot be read" one_line "$dir/err" '^e4_powers: cannot be read: '
check "it draws from them" "$at/bin/maxk" figures --paper C.2
check "the requested figure" there results/figures/paper/figure_C.2_lu.png
cited() { # what people read names headers with proofs
    { "$maxk" --help=man && "$maxk" claims --list && cat "$at"/include/maxk/*.h; } | tr -d '\\' |
        grep -oE 'analysis/theory/[a-z_0-9]+\.h' | sort -u
}
check "headers with proofs are cited" [ -n "$(cited)" ]
check "and installed" there $(cited | sed "s#^#$at/share/maxk/#")
module=$at/lib/python3/dist-packages
check "the Python module is installed" there "$module"/maxk/__init__.py "$at/share/maxk/python/tutorial.py"
imported() { # the installed module finds the installed library and program
    env -u MAXK_LIBRARY -u MAXK PYTHONPATH="$module" LD_PRELOAD="$(preload)" ASAN_OPTIONS=detect_leaks=0 /usr/bin/python3 -c "
import maxk
result = maxk.open_result('results/e4_power.h5')
maxk.run('e4_power', overrides={'replications': 1})
print(maxk._library.path, maxk._library.program(), len(result.summary()))"
}
check "it is imported" into imported imported
check "with the installed library and program" equal "$(cat imported)" "$at/lib/libmaxk.so.1 $at/bin/maxk 330"
cd "$top" || exit 1

export PKG_CONFIG_PATH=$at/lib/pkgconfig
plugin_headers=$(pkg-config --define-prefix --variable=plugindir maxk)
check "a policy of one's own compiles against the installed headers" ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -shared -fPIC \
    -I"$plugin_headers" -o "$dir/epsilon_max.so" "$at/share/maxk/experiments/plugin/epsilon_max.c"
check "and passes the checks" "$at/bin/maxk" check_plugin "$dir/epsilon_max.so"
check "pkg-config --cflags --libs maxk" into "$dir/flags" pkg-config --define-prefix --cflags --libs maxk
flags="$(cat "$dir/flags") -lm -Wl,-rpath,$at/lib"
check "pkg-config --static --cflags --libs maxk" into "$dir/flags" pkg-config --define-prefix --static --cflags --libs maxk
static=$(sed 's/-lmaxk/-l:libmaxk.a/' "$dir/flags")
same=
ldd "$maxk" | grep -q libasan && same="$same -fsanitize=address,undefined"
nm "$maxk" | grep -q __gcov_ && same="$same --coverage"
cp tests/support/example_library.c "$dir/example.c"
cp "$dir/example.c" "$dir/example.cc"
warn="-Wall -Wextra -pedantic -Werror"
printf '#include <maxk.h>\nint main(void) { return MK_OK; }\n' >"$dir/strict.c"
cp "$dir/strict.c" "$dir/strict.cc"
printf '#include <maxk/%s.h>\n' maxk policy study table >"$dir/prefixed.c"
cd "$dir" || exit 1
check "a C11 program without extensions compiles against it" ${CC:-gcc} -std=c11 $warn -o as_c example.c $same $flags
check "the same as C++" g++ -std=c++17 $warn -o as_cpp example.cc $same $flags
check "the same with the archive" ${CC:-gcc} -std=c11 $warn -o as_static example.c $same $static
ldd as_static >needed
check "which needs no shared libmaxk" lacks needed libmaxk
for program in as_c as_cpp as_static; do
    mkdir $program.d
    check "$program ends with 0" into $program.out ./$program $program.d
    check "$program has checked something" has $program.out '^ok '
    grep -E '^(not )?ok ' $program.out | sed "s/libmaxk:/libmaxk ($program):/"
done
check "the header by itself passes stricter warnings" \
    ${CC:-gcc} -std=c11 $warn -Wconversion -Wshadow -Wstrict-prototypes -c strict.c $flags
check "headers are also found as maxk/…" ${CC:-gcc} -std=c11 $warn -c prefixed.c $flags
check "also as C++" g++ -std=c++11 $warn -Wconversion -c strict.cc $flags

cd "$top" || exit 1
check "make uninstall" make --no-print-directory "DESTDIR=$dir/root" PREFIX=/opt/maxk uninstall
check "leaves no file" equal "$(find "$dir/root" -type f)" ""
for v in PREFIX DESTDIR LIBDIR; do # without quotes "make uninstall" would remove what the first word names
    mkdir -p "$dir/a"
    for target in install-files uninstall; do
        check "$v with a blank: make $target" exits 2 make --no-print-directory "PREFIX=$dir/other" "$v=$dir/a b" $target
        check "says so" has "$dir/err" "$v: expected a path without blanks"
    done
    check "and removes nothing" there "$dir/a"
done
check "a relative prefix" make --no-print-directory "BUILD=$build" MANUAL= \
    "PREFIX=$(realpath -m --relative-to=. "$dir/relative")" install-files
check "is one of the working directory" there "$dir/relative/bin/maxk" "$dir/relative/share/maxk/experiments/e4_power.yaml"
finish
