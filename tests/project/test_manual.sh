#!/bin/bash
# The man page and the completions of bash, zsh and fish, as the program writes them from its tables.
. tests/support/lib.sh
commands=$("$maxk" list commands | awk '{print $1}')
check "there are commands" [ "$(wc -w <<<"$commands")" -gt 15 ]
none_missing() { # WANTED PRESENT, one a line each
    equal "$(grep -vxF -f <(echo "$2") <<<"$1")" ""
}

# ---- the page ----
check "maxk --help=man" into "$dir/maxk.1" "$maxk" --help=man
need groff groff-base
groff -ww -man -Tutf8 "$dir/maxk.1" >"$dir/page" 2>"$dir/warnings"
check "groff -ww renders the page without a warning" equal "$(cat "$dir/warnings")" ""
check "all of it" [ "$(wc -l <"$dir/page")" -gt 300 ]
need mandoc mandoc
check "mandoc finds nothing at the level of warnings" mandoc -T lint -W warning "$dir/maxk.1"
plain() { sed -e 's/\\-/-/g; s/\\f[BIR]//g' "$dir/maxk.1"; }
long_options() { # COMMAND: as its --help has them
    "$maxk" "$1" --help | sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p' | grep -vx -- --help | sort -u
}
check "commands have options" [ "$(for c in $commands; do long_options $c; done | wc -l)" -gt 100 ]
for c in $commands; do
    check "$c is on the page" has <(plain) "^\.SS maxk $c "
    plain | sed -n "/^\.SS maxk $c /,/^\.S/p" >"$dir/part"
    check "with its options" none_missing "$(long_options $c)" "$(grep -oE -- '--[a-z-]+' "$dir/part")"
done
printf 'name: e\nnothing: 1\n' >"$dir/e.yaml"
keys=$("$maxk" run "$dir/e.yaml" 2>&1 | sed 's/.*allowed: //' | tr -d , | tr ' ' '\n')
check "keys of an experiment" has <(echo "$keys") '^rare_events$'
check "every one is on the page" none_missing "$keys" "$(plain)"
check "with range and default" has <("$maxk" list keys) '^cost .*; a number > 0 \(default: 1\)$'
printf 'nothing: 1\n' >"$dir/t.yaml"
keys=$("$maxk" tune "$dir/t.yaml" 2>&1 | sed 's/.*allowed: //' | tr -d , | tr ' ' '\n')
check "keys of a tune file" has <(echo "$keys") '^reevaluate$'
check "every one is on the page" none_missing "$keys" "$(plain)"
check "and listed" none_missing "$keys" "$("$maxk" list tunekeys | cut -d' ' -f1)"
check "with range and default" has <("$maxk" list tunekeys) '^lag .*; a whole number >= 1 and <= 1024 \(default: 8\)$'
check "keys of spaces" equal "$("$maxk" list spacekeys | grep -c hyperparameter)" 6
for s in NAME SYNOPSIS DESCRIPTION COMMANDS "EXPERIMENT FILES" "TUNE FILES" "SEARCH SPACES" "RECORDED RUNS" \
    "LONG RUNS" "RESULT FILES" LIMITS "EXIT STATUS" FILES ENVIRONMENT EXAMPLES "SEE ALSO"; do
    check "the page has the section $s" has "$dir/maxk.1" "^\.SH $s$"
done
mkdir "$dir/work" && ln -s "$top/experiments" "$dir/work/experiments"
plain | sed -n '/^\.SH EXAMPLES/,/^\.fi/p' | grep '^maxk ' | sed "s#^maxk#$maxk#" >"$dir/work/lines"
check "the page has examples" [ "$(wc -l <"$dir/work/lines")" -gt 8 ]
cd "$dir/work" || exit 1
check "they run" timeout -k 10 120 bash -e lines
cd "$top" || exit 1
refused "another form of help" tex "$maxk" --help=tex
refused "of a command" tex "$maxk" run --help=tex

# ---- bash ----
"$maxk" --help=bash >"$dir/maxk.bash"
. "$dir/maxk.bash"
check "bash: the script defines a completion of maxk" complete -p maxk
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _maxk; }
gives() { # wanted words, then the command line
    local wanted=$1 got
    shift
    complete_words "$@"
    got=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | tr '\n' ' ')
    check "bash: $* gives $wanted" equal "${got% }" "$wanted"
}
gives "rank rate recommend record report run" maxk r
gives "--help --version" maxk -
gives "--engine" maxk run --e
gives "auto per-pull record" maxk run --engine ""
gives "per-pull" maxk run x.yaml --engine p
gives "per-pull" maxk run --engine = p
gives "auto per-pull record" maxk run --engine =
gives "pdf png svg tex" maxk figures --format ""
gives "csv html json latex markdown text" maxk rank -f ""
gives "csv html json latex markdown pdf png svg tex text" maxk certify --format ""
gives "optimizers options" maxk list op
gives "qomax_etc qomax_sda" maxk describe qo
gives "generalized_pareto" maxk describe generalized_p
gives "lemma_3_3 lemma_a1" maxk claims lemma
gives "exact" maxk lu e.yaml --estimator e
gives "w1 w2" maxk bench --only w
gives "" maxk run --threads ""
gives "" maxk nothing ""
complete_words maxk describe ""
check "bash: describe offers every policy" \
    none_missing "$("$maxk" list policies | cut -d' ' -f1)" "$(printf '%s\n' "${COMPREPLY[@]}" | tr -d ' ')"
touch "$dir/a.yaml" "$dir/a.csv.gz" "$dir/a.h5" "$dir/a.txt" "$dir/b c.yaml"; mkdir "$dir/a.d"
cd "$dir" || exit 1
gives "a.d a.yaml" maxk run a
gives "b c.yaml" maxk run b
gives "a.csv.gz a.d a.h5 a.yaml" maxk lu a
gives "a.d a.h5" maxk summary a
gives "a.d" maxk figures a.h5 --out a
gives "a.csv.gz a.d a.h5 a.txt a.yaml" maxk merge a
cd "$top" || exit 1
for c in $commands; do
    complete_words maxk "$c" -
    check "bash: every option of $c is offered" \
        none_missing "$(long_options $c)" "$(printf '%s\n' "${COMPREPLY[@]}" | tr -d ' ')"
done

# ---- zsh, fish ----
check "maxk --help=zsh" into "$dir/_maxk" "$maxk" --help=zsh
check "zsh: a part for every command" equal "$(grep -cE '^    [a-z_]+\)$' "$dir/_maxk")" "$(wc -w <<<"$commands")"
need zsh zsh
check "zsh reads its script" zsh -n "$dir/_maxk"
check "maxk --help=fish" into "$dir/maxk.fish" "$maxk" --help=fish
check "fish: the values of run --engine" \
    has "$dir/maxk.fish" "__fish_seen_subcommand_from run' -l engine -d '.*' -x -a 'auto per-pull record'"
need fish fish
completed() { fish -c "source $dir/maxk.fish; complete -C '$1' | cut -f1"; }
check "fish completes a value" equal "$(completed 'maxk run x.yaml --engine p')" per-pull
check "and a name" equal "$(completed 'maxk describe qomax_s')" qomax_sda
finish
