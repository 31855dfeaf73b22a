# The form of the sources: clang-format with the repository's .clang-format has nothing to change, and no line of a script
# is longer than 130 columns.
. tests/support/lib.sh
need clang-format-14 clang-format-14

sources() { find sim policies distributions analysis tests -name '*.[ch]'; }
scripts() { find sim tests experiments -name '*.sh' -o -name '*.py'; echo Makefile; }
formatted() { clang-format-14 --dry-run -Werror "$@"; }
long_lines() { awk 'length > 130 {print FILENAME ":" FNR ": " length " columns"; bad = 1} END {exit !bad}' "$@"; }

mapfile -t files < <(sources)
check "there are sources to look at (${#files[@]})" [ ${#files[@]} -gt 300 ]
check "they are formatted; \`make format\` formats them" formatted "${files[@]}"
cp .clang-format "$dir/"
printf 'int f(void) {return 1;}\n' >"$dir/bad.c"
check "a source that is not is noticed" not formatted "$dir/bad.c"

mapfile -t files < <(scripts)
check "there are scripts to look at (${#files[@]})" [ ${#files[@]} -gt 50 ]
check "no line of theirs is longer than 130 columns" not long_lines "${files[@]}"
printf '%131s\n' x >"$dir/long.sh"
check "a longer one is noticed" long_lines "$dir/long.sh"
finish
