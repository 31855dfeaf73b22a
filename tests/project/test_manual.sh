# The man page and the completions of bash, zsh and fish, as the program writes them from its tables.
set -u
maxk=$(realpath "${MAXK:-build/maxk}")
top=$PWD
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# ---- the page ----
"$maxk" --help=man >"$dir/maxk.1"
check $? "maxk --help=man ends well"
if command -v groff >/dev/null; then
    groff -ww -man -Tutf8 "$dir/maxk.1" >"$dir/page" 2>"$dir/warnings"
    [ ! -s "$dir/warnings" ] && [ "$(wc -l <"$dir/page")" -gt 300 ]
    check $? "groff -ww renders the page without a warning $(head -n 1 "$dir/warnings")"
else
    echo "skip groff is not there"
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$dir/maxk.1" >"$dir/warnings" 2>&1
    check $? "mandoc finds nothing at the level of warnings $(head -n 1 "$dir/warnings")"
else
    echo "skip mandoc is not there"
fi
plain() { sed -e 's/\\-/-/g; s/\\f[BIR]//g' "$dir/maxk.1"; }
missing=
for c in $(sed -n 's/^COMMAND(\([a-z]*\).*/\1/p' sim/command/commands.def); do
    plain | grep -q "^\.SS maxk $c " || missing="$missing $c"
    for o in $("$maxk" "$c" --help | sed -nE 's/^  (-.,|   ) --([a-z-]+).*/\2/p' | grep -vx help | sort -u); do
        plain | sed -n "/^\.SS maxk $c /,/^\.S/p" | grep -qE -- "--$o( |\$)" || missing="$missing $c:--$o"
    done
done
[ -z "$missing" ]
check $? "every command and every option is on the page$missing"
missing=
for n in $("$maxk" list policies | cut -d' ' -f1) $("$maxk" list distributions | cut -d' ' -f1) $("$maxk" list curves | cut -d' ' -f1) $("$maxk" list optimizers | cut -d' ' -f1) $("$maxk" list objectives | cut -d' ' -f1); do
    plain | grep -qx "$n" || missing="$missing $n"
done
[ -z "$missing" ]
check $? "every policy, family, curve, optimiser and objective is on the page$missing"
printf 'name: e\nnothing: 1\n' >"$dir/e.yaml"
missing=
for k in $("$maxk" run "$dir/e.yaml" 2>&1 | sed 's/.*allowed: //; s/,//g'); do plain | grep -qx "$k" || missing="$missing $k"; done
[ -z "$missing" ] && plain | grep -qx rare_events
check $? "every key that an experiment may have is on the page$missing"
for s in NAME SYNOPSIS DESCRIPTION COMMANDS "EXPERIMENT FILES" "EXIT STATUS" FILES ENVIRONMENT EXAMPLES "SEE ALSO"; do
    grep -qx ".SH $s" "$dir/maxk.1" || missing="$missing $s"
done
[ -z "$missing" ]
check $? "the page has its sections$missing"
mkdir "$dir/work" && ln -s "$top/experiments" "$dir/work/experiments"
(cd "$dir/work" && plain | sed -n '/^\.SH EXAMPLES/,/^\.fi/p' | grep '^maxk ' | sed "s#^maxk#$maxk#" >lines && [ "$(wc -l <lines)" -gt 8 ] &&
    timeout 120 bash -e lines) >"$dir/log" 2>&1
check $? "the examples of the page run: $(tail -n 1 "$dir/log")"
"$maxk" --help=tex >/dev/null 2>"$dir/log"
[ $? -eq 2 ] && [ "$(wc -l <"$dir/log")" -eq 1 ] && { "$maxk" run --help=tex 2>"$dir/log"; [ $? -eq 2 ]; }
check $? "another form of help is refused: $(cat "$dir/log")"

# ---- bash ----
"$maxk" --help=bash >"$dir/maxk.bash"
. "$dir/maxk.bash"
complete -p maxk >/dev/null
check $? "bash: the script defines a completion of maxk"
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _maxk; }
gives() { # wanted words, then the command line
    local wanted=$1 got; shift
    complete_words "$@"
    got=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | tr '\n' ' ')
    if [ "${got% }" = "$wanted" ]; then echo "ok bash: $* gives $wanted"; else echo "not ok bash: $* gives $got, wanted $wanted"; bad=1; fi
}
gives "rank rate run" maxk r
gives "--help --version" maxk -
gives "--engine" maxk run --e
gives "auto per-pull record" maxk run --engine ""
gives "per-pull" maxk run x.yaml --engine p
gives "per-pull" maxk run --engine = p
gives "auto per-pull record" maxk run --engine =
gives "pdf png svg" maxk figures --format ""
gives "claims commands curves distributions experiments figures keys objectives optimizers policies" maxk list ""
gives "qomax_etc qomax_sda" maxk describe qo
gives "generalized_pareto" maxk describe generalized_p
gives "lemma_3_3 lemma_a1" maxk claims lemma
gives "exact" maxk lu e.yaml --estimator e
gives "w1 w2" maxk bench --only w
gives "" maxk run --threads ""
gives "" maxk nothing ""
complete_words maxk describe ""
[ "${#COMPREPLY[@]}" -ge "$("$maxk" list policies | wc -l)" ]
check $? "bash: describe offers every policy (${#COMPREPLY[@]} names)"
touch "$dir/a.yaml" "$dir/a.csv.gz" "$dir/a.h5" "$dir/a.txt" "$dir/b c.yaml"; mkdir "$dir/a.d"
cd "$dir" || exit 1
gives "a.d a.yaml" maxk run a
gives "b c.yaml" maxk run b
gives "a.csv.gz a.d a.h5 a.yaml" maxk lu a
gives "a.d a.h5" maxk summary a
gives "a.d" maxk figures a.h5 --out a
gives "a.csv.gz a.d a.h5 a.txt a.yaml" maxk merge a
cd "$top" || exit 1
missing=
for c in $(sed -n 's/^COMMAND(\([a-z]*\).*/\1/p' sim/command/commands.def); do
    complete_words maxk "$c" -
    for o in $("$maxk" "$c" --help | sed -nE 's/^  (-.,|   ) --([a-z-]+).*/\2/p'); do
        printf '%s\n' "${COMPREPLY[@]}" | grep -qx -- "--$o" || missing="$missing $c:--$o"
    done
done
[ -z "$missing" ]
check $? "bash: every option of every command is offered$missing"

# ---- zsh, fish ----
"$maxk" --help=zsh >"$dir/_maxk" && [ "$(grep -cE '^    [a-z]+\)$' "$dir/_maxk")" -eq "$(grep -c ^COMMAND sim/command/commands.def)" ]
check $? "zsh: a part for every command"
"$maxk" --help=fish >"$dir/maxk.fish" && grep -q "__fish_seen_subcommand_from run' -l engine -d '.*' -x -a 'auto per-pull record'" "$dir/maxk.fish"
check $? "fish: the values of run --engine"
if command -v zsh >/dev/null; then zsh -n "$dir/_maxk"; check $? "zsh reads its script"; else echo "skip zsh is not there"; fi
if command -v fish >/dev/null; then
    [ "$(fish -c "source $dir/maxk.fish; complete -C 'maxk run x.yaml --engine p' | cut -f1; complete -C 'maxk describe qomax_s' | cut -f1" | tr '\n' ' ')" = "per-pull qomax_sda " ]
    check $? "fish completes a value and a name"
else echo "skip fish is not there"; fi
exit $bad
