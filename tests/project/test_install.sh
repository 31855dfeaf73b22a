# make install into a DESTDIR: its contents, programs outside the tree that use it, and make uninstall.
set -u
maxk=${MAXK:-build/maxk}
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
at=$dir/root/opt/maxk
make --no-print-directory "BUILD=$(dirname "$maxk")" "DESTDIR=$dir/root" PREFIX=/opt/maxk install-files >"$dir/log" 2>&1
check $? "make install into a DESTDIR: $(tail -n 1 "$dir/log")"
missing=
for f in bin/maxk lib/libmaxk.a lib/pkgconfig/maxk.pc include/maxk/maxk.h share/man/man1/maxk.1 share/maxk/experiments/e4_power.yaml \
    share/maxk/experiments/data/example.csv share/maxk/experiments/data/pmlb_rs_main.csv.gz \
    share/bash-completion/completions/maxk share/zsh/site-functions/_maxk share/fish/vendor_completions.d/maxk.fish; do
    [ -s "$at/$f" ] || missing="$missing $f"
done
[ -z "$missing" ]
check $? "everything is in its place$missing"
[ "$(cd "$at/include" && find . -type f | sort | tr '\n' ' ')" = "./maxk/bounds.h ./maxk/error.h ./maxk/maxk.h " ] && grep -q "^prefix=/opt/maxk$" "$at/lib/pkgconfig/maxk.pc"
check $? "one folder with three headers, and a prefix without DESTDIR"
(cd "$dir" && mkdir work && cd work && "$at/bin/maxk" run "$at/share/maxk/experiments/e4_power.yaml" -s replications=2 -q && [ -s results/e4_power.h5 ])
check $? "the installed program runs an installed experiment"
(cd "$dir/work" && "$at/bin/maxk" list experiments >list && [ "$(wc -l <list)" -eq "$(ls "$at"/share/maxk/experiments/*.yaml | wc -l)" ] &&
    ! grep -E 'yaml +\(' list && "$at/bin/maxk" figures --paper C.2 && [ -s results/figures/paper/figure_C.2_lu.png ]) >"$dir/log" 2>&1
check $? "it lists the installed experiments, every one with its data, and draws from them: $(tail -n 1 "$dir/log")"

export PKG_CONFIG_PATH=$at/lib/pkgconfig
flags="$(pkg-config --define-prefix --static --cflags --libs maxk)"
check $? "pkg-config --static --cflags --libs maxk"
same=
ldd "$maxk" | grep -q libasan && same="$same -fsanitize=address,undefined"
nm "$maxk" | grep -q __gcov_ && same="$same --coverage"
cp tests/support/example_library.c "$dir/example.c"
cp "$dir/example.c" "$dir/example.cc"
warn="-Wall -Wextra -pedantic -Werror"
(cd "$dir" && ${CC:-gcc} -std=c11 $warn -o as_c example.c $same $flags) >"$dir/log" 2>&1
check $? "a C11 program without extensions compiles against it $(head -n 3 "$dir/log" | tr '\n' ' ')"
(cd "$dir" && g++ -std=c++17 $warn -o as_cpp example.cc $same $flags) >"$dir/log" 2>&1
check $? "the same as C++ $(head -n 3 "$dir/log" | tr '\n' ' ')"
for program in as_c as_cpp; do
    mkdir "$dir/$program.d"
    "$dir/$program" "$dir/$program.d" >"$dir/log" 2>&1
    code=$?
    grep -E '^(not )?ok ' "$dir/log" | sed "s/libmaxk:/libmaxk ($program):/"
    check $code "$program ends with 0: $(grep -vE '^(not )?ok ' "$dir/log" | tail -n 1)"
done
printf '#include <maxk.h>\nint main(void) { return MK_OK; }\n' >"$dir/strict.c"
(cd "$dir" && ${CC:-gcc} -std=c11 $warn -Wconversion -Wshadow -Wstrict-prototypes -c strict.c $flags && cp strict.c strict.cc &&
    g++ -std=c++11 $warn -Wconversion -c strict.cc $flags) >"$dir/log" 2>&1
check $? "the header by itself passes stricter warnings $(head -n 3 "$dir/log" | tr '\n' ' ')"

# The README's program.
awk '/^```c$/ {on = 1; next} /^```/ {on = 0} on' README.md >"$dir/readme.c"
(cd "$dir" && ${CC:-gcc} -std=c11 $warn -o readme readme.c $same $flags && ./readme) >"$dir/log" 2>&1
check $? "README: the program that uses libmaxk compiles and runs: $(tail -n 1 "$dir/log")"

make --no-print-directory "DESTDIR=$dir/root" PREFIX=/opt/maxk uninstall >/dev/null 2>&1
[ -z "$(find "$dir/root" -type f)" ]
check $? "make uninstall leaves no file: $(find "$dir/root" -type f | head -n 1)"
exit $bad
