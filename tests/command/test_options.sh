# Options and operands of every command, as --help lists them: what is wrong is told in one line, with exit code 2.
set -u
maxk=${MAXK:-build/maxk}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
ulimit -t 20 # processor seconds of a case
refused() { # pattern, command…: quiet when right; starts nothing but maxk
    local pattern=$1 code lines; shift
    "$maxk" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    code=$?
    mapfile lines <"$dir/err"
    [ "$code" -eq 2 ] && [ ${#lines[@]} -eq 1 ] && [[ ${lines[0]} == *$'\n' && ${lines[0]} =~ $pattern ]] && [ ! -s "$dir/out" ] && return 0
    echo "# maxk $*: exit $code: $(head -c 300 "$dir/err" | tr '\n' '|')"
    return 1
}
report() { # failures, cases, text
    if [ "$1" -eq 0 ]; then echo "ok $3, $2 cases"; else echo "not ok $3: $1 of $2 cases"; bad=1; fi
}

commands=$("$maxk" --help | awk '/^  [a-z]/ {print $1}')
declare -A usage options # by command: the first line of --help; its options that take a value, one a line
for c in $commands; do
    help=$("$maxk" "$c" --help)
    usage[$c]=${help%%$'\n'*}
    options[$c]=$(sed -n '/^options:/,$p' <<<"$help" | grep -oE -- '--[a-z]+ [A-Z][^ ]*')
done
failed=0 n=0
for c in $commands; do
    refused 'no such option' "$c" --no-such-option || failed=$((failed + 1))
    refused 'no such option' "$c" -Z || failed=$((failed + 1))
    refused '.' "$c" one two three four five --no-such-option || failed=$((failed + 1))
    n=$((n + 3))
done
refused 'did you mean --threads' run --treads 2 || failed=$((failed + 1))
refused "did you mean 'record'" run --engine recrd || failed=$((failed + 1))
refused 'several options begin' rank --re || failed=$((failed + 1))
refused 'did you mean run' rnu || failed=$((failed + 1))
refused 'did you mean max_ucb' describe MaxUCB || failed=$((failed + 1))
refused 'did you mean gaussian' describe normal || failed=$((failed + 1))
refused 'did you mean lemma_3_3' claims lemma33 || failed=$((failed + 1))
refused 'no such command' help nothing || failed=$((failed + 1))
refused 'unexpected operand' help run rank || failed=$((failed + 1))
n=$((n + 9))
report $failed $n "options that do not exist, of $(echo $commands | wc -w) commands"

failed=0
for c in $commands; do
    cmp -s <("$maxk" help "$c") <("$maxk" "$c" --help) && cmp -s <("$maxk" "$c" -h) <("$maxk" "$c" --help) || failed=$((failed + 1))
    [ "$("$maxk" "$c" --help | wc -L)" -le 100 ] || failed=$((failed + 1))
done
cmp -s <("$maxk" help) <("$maxk" --help) && [ "$("$maxk" -V)" = "$("$maxk" --version)" ] || failed=$((failed + 1))
report $failed $(($(echo $commands | wc -w) + 1)) "help X, X -h and X --help are the same, within 100 columns; -V is --version"

# Operands: those that need one say so. Any number of files is allowed for figures and merge.
failed=0 n=0
for c in $commands; do
    case ${usage[$c]} in *"$c [option]"* | *'['*'[option]'*) continue ;; esac # none needed
    refused 'missing|expected' "$c" || failed=$((failed + 1))
    n=$((n + 1))
    case $c in figures | merge) continue ;; esac
    refused 'unexpected operand' "$c" a b c || failed=$((failed + 1))
    n=$((n + 1))
done
report $failed $n "missing and superfluous operands"

# Numbers: the placeholders of --help that stand for one. Ranges are an option's own; what is no number at all is told by
# one parser, which is tried once in every command, and thoroughly in one.
failed=0 n=0
for c in $commands; do
    first=1
    while read -r name kind; do
        values=nan
        case $kind in N | T | T\[*) values='nan 18446744073709551616' ;; X | P | S | LEVEL) ;; *) continue ;; esac
        [ $first ] && values="$values 0x10 -0x1"
        [ "$c" = rank ] && values="$values 0x10 1e400 -inf 1x 1e 1.5.2 --1 ٣"
        case $c$kind in rankN | rankT) values="$values -0" ;; esac
        for value in $values; do
            refused "$name" "$c" no_such_file "$name=$value" || failed=$((failed + 1))
            n=$((n + 1))
        done
        if [ $first ]; then
            refused "$name" "$c" no_such_file "$name=" || failed=$((failed + 1))
            refused "needs a value" "$c" no_such_file "$name" || failed=$((failed + 1))
            n=$((n + 2))
        fi
        first=
    done <<<"${options[$c]}"
done
report $failed $n "numbers that are none, or out of range"

# Words of which only some are allowed.
failed=0 n=0
for c in $commands; do
    while read -r name kind; do
        case $kind in NAME | KIND | HOW | WHAT | END) ;; *) continue ;; esac
        case $c$name in *--instance | *--among | *--claim | bench--only) continue ;; esac # names of files and of the user
        for value in '' 'a|b' $'two\n\e[31m'; do
            refused "$name" "$c" no_such_file "$name=$value" || failed=$((failed + 1))
            n=$((n + 1))
        done
    done <<<"${options[$c]}"
done
report $failed $n "words that are not among the allowed ones"

# Files that are none of the kind.
failed=0 n=0
printf 'x' >"$dir/text"
mkdir "$dir/folder"
for c in run summary bounds rank rate figures gap lu survival survey trace info exceed; do
    extra=
    [ "$c" = gap ] && extra=--horizons=10
    [ "$c" = exceed ] && extra=--above=0
    for file in "$dir/folder" "$dir/text" /dev/null $'two\nlines' ''; do
        refused '.' "$c" "$file" $extra || failed=$((failed + 1))
        n=$((n + 1))
    done
done
report $failed $n "files that are not there, empty, folders, of another kind"
exit $bad
