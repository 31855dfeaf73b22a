# Every example in README.md: ```yaml blocks that start with `# FILE` are saved, ```sh blocks are run line by line, in a
# copy of the checkout's layout. `make TARGET` lines are checked to be targets: they run this test or need minutes.
set -u
top=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/main" && cd "$dir/main" || exit 1
ln -s "$top/experiments" experiments
ln -s "$(cd "$(dirname "${MAXK:-$top/build/maxk}")" 2>/dev/null && pwd || echo "$top/build")" build
bad=0
awk -v dir="$dir" '
    /^```(sh|yaml)$/ { kind = substr($0, 4); block++; file = dir "/" sprintf("%03d", block) "." kind; next }
    /^```/ { kind = ""; next }
    kind != "" { print > file }' "$top/README.md"
for block in "$dir"/*.sh "$dir"/*.yaml; do [ -e "$block" ] && echo "$block"; done | sort | while read -r block; do
    case $block in
    *.yaml)
        name=$(sed -n '1s/^# \([A-Za-z0-9_.-]*\.yaml\)$/\1/p' "$block")
        if [ -n "$name" ]; then cp "$block" "$name"; echo "ok README saves $name"; else echo "not ok a yaml block of the README has no file name"; fi ;;
    *.sh)
        while IFS= read -r line; do
            case $line in
            '' | '#'*) continue ;;
            make*)
                target=$(echo "$line" | awk '{for (i = 2; i <= NF; i++) if ($i !~ /=/) {print $i; exit}}')
                if grep -qE "^${target:-all}:" "$top/Makefile"; then echo "ok README: $line (a target)"; else echo "not ok README: $line is no target"; fi ;;
            *)
                if timeout 120 bash -c "$line" >out 2>&1; then echo "ok README: $line"; else echo "not ok README: $line: $(tail -n 1 out)"; fi ;;
            esac
        done <"$block" ;;
    esac
done >"$dir/log"
if build/maxk list policies --markdown | while IFS= read -r row; do
    grep -qxF -- "$row" "$top/README.md" || { echo "$row"; exit 1; }; done >"$dir/row"
then echo "ok README has the table of policies that the program prints" >>"$dir/log"
else echo "not ok README lacks this row of \`maxk list policies --markdown\`: $(cat "$dir/row")" >>"$dir/log"; fi
cat "$dir/log"
grep -q '^not ok' "$dir/log" && bad=1
exit $bad
