#!/bin/bash
# Options and operands of every command, as --help lists them: errors are reported in one line, with exit code 2.
. tests/support/lib.sh
ulimit -t 20 # processor seconds of a case
failed=0 n=0
every=1
[ -z "$(preload)" ] || every=3 # a start of a program with sanitizers takes four times as long
case_of() { # PATTERN ARGUMENTS…: one of many cases that are reported together; starts only maxk
    local pattern=$1
    shift
    n=$((n + 1))
    [ $((n % every)) = 0 ] || return
    refuses "$pattern" "$maxk" "$@" && return
    failed=$((failed + 1))
    echo "# maxk $*: $wrong: $(head -c 300 "$dir/err" | tr '\n' '|')"
}
report() { # TEXT: of the cases since the last report
    check "$1: $((n - failed)) of $n cases" [ $failed -eq 0 -a $n -gt 20 ]
    failed=0 n=0
}

commands=$("$maxk" --help | awk '/^  [a-z]/ {print $1}')
declare -A usage options # by command: the first line of --help; its options that take a value, one a line
for c in $commands; do
    help=$("$maxk" "$c" --help)
    usage[$c]=${help%%$'\n'*}
    options[$c]=$(sed -n '/^options:/,$p' <<<"$help" | grep -oE -- '--[a-z]+ [A-Z][^ ]*')
done
for c in $commands; do
    case_of 'no such option' "$c" --no-such-option
    case_of 'no such option' "$c" -Z
    case_of '--no-such-option: no such option' "$c" one two three four five --no-such-option
done
case_of 'did you mean --threads' run --treads 2
case_of "did you mean 'record'" run --engine recrd
case_of 'several options begin' rank --re
case_of 'did you mean run' rnu
case_of 'did you mean max_ucb' describe MaxUCB
case_of 'did you mean gaussian' describe normal
case_of 'did you mean lemma_3_3' claims lemma33
case_of 'no such command' help nothing
case_of 'unexpected operand' help run rank
report "options that do not exist, of $(echo $commands | wc -w) commands"

same_help() { cmp -s <("$maxk" help "$1") <("$maxk" "$1" --help) && cmp -s <("$maxk" "$1" -h) <("$maxk" "$1" --help); }
narrow() { [ "$("$maxk" "$1" --help | wc -L)" -le 100 ]; }
# The lines of terms, "  term  text" before the options: texts begin in one column.
aligned() {
    ! "$maxk" "$1" --help | sed '/^options:/,$d' | grep -E '^  [^ ]+( [^ ]+)*  +[^ ]' | grep -vqE '^.{16}  [^ ]'
}
for c in $commands; do
    n=$((n + 3))
    same_help "$c" || failed=$((failed + 1))
    narrow "$c" || failed=$((failed + 1))
    aligned "$c" || failed=$((failed + 1))
done
report "help X, X -h and X --help are the same, within 100 columns, and terms have their texts in one column"
check "help is --help" cmp <("$maxk" help) <("$maxk" --help)
check "-V is --version" cmp <("$maxk" -V) <("$maxk" --version)

# Operands: those that need one say so. Any number of files is allowed for some.
for c in $commands; do
    case ${usage[$c]} in *"$c [option]"* | *'['*'[option]'*) continue ;; esac # none needed
    case_of 'missing|expected' "$c"
    case $c in best_set | compare | figures | import | merge | rank | report | sample_size) continue ;; esac
    case_of 'unexpected operand' "$c" a b c
done
report "missing and superfluous operands"

# Numbers: the placeholders of --help that denote one. Each option has its own range; texts that are not numbers are
# rejected by one parser, which is tested once in every command, and thoroughly in one.
for c in $commands; do
    first=1
    while read -r name kind; do
        values=nan
        case $kind in N | T | T\[*) values='nan 18446744073709551616' ;; X | P | S | LEVEL) ;; *) continue ;; esac
        [ $first ] && values="$values 0x10 -0x1"
        [ "$c" = rank ] && values="$values 0x10 1e400 -inf 1x 1e 1.5.2 --1 ٣"
        case $c$kind in rankN | rankT) values="$values -0" ;; esac
        for value in $values; do
            case_of "$name" "$c" no_such_file "$name=$value"
        done
        if [ $first ]; then
            case_of "$name" "$c" no_such_file "$name="
            case_of "needs a value" "$c" no_such_file "$name"
        fi
        first=
    done <<<"${options[$c]}"
done
report "options that are not numbers, or out of range"

# Words of which only some are allowed.
for c in $commands; do
    while read -r name kind; do
        case $kind in NAME | KIND | HOW | WHAT | END) ;; *) continue ;; esac
        # Names of files and of the user.
        case $c$name in *--instance | *--among | *--claim | *--hyperparameter | bench--only) continue ;; esac
        for value in '' 'a|b' $'two\n\e[31m'; do
            case_of "$name" "$c" no_such_file "$name=$value"
        done
    done <<<"${options[$c]}"
done
report "words that are not among the allowed ones"

# Files of the wrong kind.
printf 'x' >"$dir/text"
mkdir "$dir/folder"
for c in run summary bounds rank rate figures gap lu survival survey trace info exceed; do
    extra=
    [ "$c" = gap ] && extra=--horizons=10
    [ "$c" = exceed ] && extra=--above=0
    for file in "$dir/folder" "$dir/text" /dev/null $'two\nlines'; do
        case_of "^${file/$'\n'/ }:([0-9]+:[0-9]+:)? " "$c" "$file" $extra # the message begins with the place
    done
    case_of "^maxk $c: '': expected [A-Z]" "$c" '' $extra
done
report "files that are not there, empty, folders, of another kind"

# An output that is an operand.
ln -s text "$dir/link"
for c in $commands; do
    grep -q '^--output ' <<<"${options[$c]}" || continue
    for file in text folder/../text link; do
        case_of "^maxk $c: --output: expected another file" "$c" "$dir/text" --output "$dir/$file"
    done
done
check "the operand is left as it is" equal "$(cat "$dir/text")" x
report "outputs that are operands"
finish
