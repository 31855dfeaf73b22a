# What the code knows in one place: constants, facts about the items of a registry, the enumerators of parameter tables.
. tests/support/lib.sh
code() { find sim policies distributions analysis -name '*.[ch]'; }
items() { cat policies/list.def distributions/list.def sim/search/optimizers/list.def sim/search/objectives/list.def |
    sed -n 's/^[A-Z]*(\([a-z0-9_]*\)).*/\1/p' | paste -sd '|'; }

# FILE:LINE:TEXT of all lines of the code, without comments.
code | xargs awk '
    FNR == 1 { inside = 0 }
    { text = $0; gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text) }
    inside { if (!match(text, /\*\//)) next; text = substr(text, RSTART + 2); inside = 0 }
    match(text, /\/\*/) { text = substr(text, 1, RSTART - 1); inside = 1 }
    text ~ /[^ ]/ { print FILENAME ":" FNR ":" text }' >"$dir/lines"
check "there is code ($(wc -l <"$dir/lines") lines)" [ "$(wc -l <"$dir/lines")" -gt 30000 ]

# PATTERN FILE…: the files of the code with such a line are these.
only_in() {
    local pattern=$1
    shift
    equal "$(grep -E -- "$pattern" "$dir/lines" | cut -d: -f1 | sort -u | tr '\n' ' ')" "$(printf '%s ' "$@")"
}
check "2^53 is MK_EXACT_MAX" only_in '0x1p53|9007199254740992|9e15|<< 53' sim/base/number.h
check "the 97.5 % quantile of the normal distribution is MK_NORMAL_95" only_in '\b1\.9(6|599[0-9]*)\b' sim/base/statistics.h
check "i*(T) is found by one function" only_in 'optimal_arm\[' sim/problem/ground_truth.c sim/problem/problem.h \
    sim/run/store/store_layout.c sim/run/store/store_read.c

# A policy, family, optimiser or objective has its facts in its struct: no code asks for its name.
by_name() { xargs grep -nE "str(case)?cmp\([^;)]*\"($(items))\"\)"; }
check "there are items ($(items | tr '|' '\n' | wc -l))" [ "$(items | tr '|' '\n' | wc -l)" -gt 60 ]
check "nothing compares with the name of one" not eval 'code | by_name'
echo 'if (strcmp(type->name, "max_ucb") == 0) return;' >"$dir/bad.c"
check "what does is noticed" eval 'echo "$dir/bad.c" | by_name'

# MK_PARAMS_ARE ties every table of parameters to the enum of its positions.
tables() { xargs awk '/^(static )?const struct mk_param [a-z_]*\[\] = / {open = FILENAME ":" FNR} /^MK_PARAMS_ARE\(/ {open = ""}
    open != "" && /^};/ {waits = open; open = ""; next} waits != "" {if ($0 !~ /^MK_PARAMS_ARE/) print waits; waits = ""}'; }
none() { [ -z "$("$@")" ] || { "$@"; return 1; }; }
loose() { code | tables; }
check "every table of parameters is tied to its enum" none loose
printf 'static const struct mk_param params[] = {\n    MK_PARAMS_END,\n};\n\nint x;\n' >"$dir/bad.c"
check "a loose one is noticed" equal "$(echo "$dir/bad.c" | tables)" "$dir/bad.c:1"
check "the tables end by MK_PARAMS_END" only_in 'NULL, MK_REAL, 0, 0' sim/base/param.h

# A function of one file carries its noun, by which grep, ctags and a back trace tell it from those of other files.
plain='^static [a-z_ *]*\b(init|check|make|add_row|between)\('
check "no function is called init, check, make, add_row or between alone" not grep -rqE --include=*.c "$plain" \
    sim policies distributions analysis
echo 'static int make(struct mk_table **out)' >"$dir/bad.c"
check "one that is would be noticed" grep -qE "$plain" "$dir/bad.c"
finish
