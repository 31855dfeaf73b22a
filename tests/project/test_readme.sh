#!/bin/bash
# Every example in README.md: ```yaml blocks that start with `# FILE` are saved, ```sh blocks are run line by line, in a
# copy of the checkout's layout. `make TARGET` lines are checked to be targets: they run this test or need minutes.
. tests/support/lib.sh
mkdir "$dir/main" "$dir/blocks" && cd "$dir/main" || exit 1
ln -s "$top/experiments" experiments
ln -s "$(dirname "$maxk")" build

save() { # a yaml block
    local name
    name=$(sed -n '1s/^# \([A-Za-z0-9_.-]*\.yaml\)$/\1/p' "$1")
    check "README: a yaml block has a file name" [ -n "$name" ] && cp "$1" "$name"
}
run_line() {
    case $1 in
    '' | '#'*) ;;
    make*)
        local target
        target=$(echo "$1" | awk '{for (i = 2; i <= NF; i++) if ($i !~ /=/) {print $i; exit}}')
        check "README: $1 (a target)" has "$top/Makefile" "^${target:-all}:"
        ;;
    *) check "README: $1" timeout 120 bash -c "$1" ;;
    esac
}
awk -v dir="$dir/blocks" '
    /^```(sh|yaml)$/ { kind = substr($0, 4); block++; file = dir "/" sprintf("%03d", block) "." kind; next }
    /^```/ { kind = ""; next }
    kind != "" { print > file }' "$top/README.md"
check "README has examples" [ "$(ls "$dir/blocks" | wc -l)" -gt 3 ]
for block in "$dir"/blocks/*; do
    case $block in
    *.yaml) save "$block" ;;
    *) while IFS= read -r line <&3; do run_line "$line"; done 3<"$block" ;;
    esac
done

check "the table of policies" into "$dir/table" "$maxk" list policies --markdown
check "README has every row of it (make docs writes it)" equal "$(grep -vxF -f "$top/README.md" "$dir/table")" ""
finish
