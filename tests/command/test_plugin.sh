# Policies of one's own from a shared object: the example of experiments/plugin, the checks of check-plugin, what a result
# says about them, and that opening a result loads nothing.
. tests/support/lib.sh
compile() { # SOURCE OUT
    ${CC:-gcc} -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -I. -o "$2" "$1"
}
check "the example compiles" compile experiments/plugin/epsilon_max.c "$dir/epsilon_max.so"
check "it passes" into "$dir/passed" "$maxk" check-plugin "$dir/epsilon_max.so"
check "and says so" one_line "$dir/passed" '^epsilon_max: .*; 25 checks passed$'
cp experiments/plugin/epsilon_max.yaml "$dir/e.yaml"

# ---- runs ----
cd "$dir" || exit 1
check "it runs" "$maxk" run e.yaml --plugin ./epsilon_max.so -s replications=40 -q -j2 -o two.h5
check "with one thread" "$maxk" run e.yaml --plugin "$dir/epsilon_max.so" -s replications=40 -q -j1 -o one.h5
check "the same" same one.h5 two.h5
sed "1i plugins: [epsilon_max.so]" e.yaml >key.yaml
check "the key" "$maxk" run key.yaml -s name=e -s replications=40 -q -o key.h5
check "gives the same numbers" h5diff one.h5 key.h5 /policies
"$maxk" run e.yaml --plugin ./epsilon_max.so -s replications=40 -o one.h5 --resume >again 2>&1
check "an equal run is complete" has again 'complete, nothing to do'
check "a trace" into trace "$maxk" trace e.yaml --plugin ./epsilon_max.so --policy 'epsilon_max epsilon=0.1'
check "of every round" equal "$(wc -l <trace)" 1001
"$maxk" summary one.h5 --csv >summary.csv
# With epsilon e, 1000 rounds and 3 arms, at least (1000 - 3) e / 3 pulls of every arm are expected, and that many or nearly:
# the mean over 40 runs lies 5 standard errors (0.9 pulls each) above 26 = 0.8 of it but in one of 10^6 runs of this test.
check "it explores" awk -F, '$1 == "epsilon_max epsilon=0.1" && $3 == 1000 {n++; bad = bad || $8 < 26 || $8 > 990}
    END {exit bad || n != 3}' summary.csv

for i in 1 2; do check "shard $i" "$maxk" run e.yaml --plugin ./epsilon_max.so -s replications=40 -q --shard $i/2 -o $i.part; done
check "are merged, without the plugin" "$maxk" merge 1.part 2.part -o merged.h5
check "to the whole" same one.h5 merged.h5

# ---- provenance ----
"$maxk" info one.h5 --experiment >resolved.yaml
digest=$(sed -n 's/.*digest: *"\{0,1\}\([0-9a-f]\{16\}\).*/\1/p' resolved.yaml)
check "the result has its digest ($digest)" equal "${#digest}" 16
check "with it the resolved experiment runs again" "$maxk" run resolved.yaml -q -o three.h5
check "to the same numbers" h5diff one.h5 three.h5 /policies
sed 's/0\.1, 0, 1, NULL/0.2, 0, 1, NULL/' "$top/experiments/plugin/epsilon_max.c" >other.c
check "another version of it compiles" eval "cd '$top' && compile '$dir/other.c' '$dir/other.so'"
cd "$dir" || exit 1
mv epsilon_max.so kept.so
cp other.so epsilon_max.so
refused "a plugin that has changed" 'digest: expected [0-9a-f]{16}, that of the file, got ' "$maxk" run resolved.yaml -o four.h5
rm epsilon_max.so
for command in "summary one.h5" "info one.h5" "bounds one.h5" "gap one.h5" "lu one.h5" "rank one.h5" "figures one.h5 -o f"; do
    # shellcheck disable=SC2086
    check "$command needs no plugin" "$maxk" $command
done
mv kept.so epsilon_max.so

# ---- wrong input ----
refused "without the plugin" "unknown policy 'epsilon_max'" "$maxk" run e.yaml -o x.h5
refused "no such file" 'plugins: ' "$maxk" run e.yaml --plugin ./none.so -o x.h5
refused "not a shared object" 'plugins: ' "$maxk" run e.yaml --plugin ./e.yaml -o x.h5
refused "a parameter out of range" 'epsilon: expected a number' \
    "$maxk" run e.yaml --plugin ./epsilon_max.so -s policies.0.epsilon=2 -o x.h5
refused "the same plugin twice" 'there is a policy of this name' \
    "$maxk" run e.yaml --plugin ./epsilon_max.so --plugin ./epsilon_max.so -o x.h5
echo 'int nothing;' >nothing.c
broken() { # NAME PATTERN SED: the example, changed like this, is rejected
    sed "$3" "$top/experiments/plugin/epsilon_max.c" >"$1.c"
    (cd "$top" && compile "$dir/$1.c" "$dir/$1.so") 2>"$1.said" || fail "$1 compiles" "$(first_lines "$1.said")"
    refused "$1" "$2" "$maxk" check-plugin "$1.so"
}
(cd "$top" && compile "$dir/nothing.c" "$dir/nothing.so")
refused "a shared object without policies" 'not a plugin of maxk' "$maxk" check-plugin nothing.so
broken taken 'there is a policy of this name' 's/\.name = "epsilon_max"/.name = "max_ucb"/'
broken arm 'select: expected an arm below' 's/return best;/return best + (t == 300);/'
broken past 'state_size: a byte' 's/size_t k = 0; k < s->arms; k++) e->max/size_t k = 0; k <= s->arms; k++) e->max/'
broken unset 'a second run selects other arms' 's/e->max\[k\] = -INFINITY/(void)e/; s/t <= s->arms/t < 1/'
broken horizon 'depend on the horizon' 's/if (t <= s->arms)/if (t > s->horizon \/ 2) return 0;\n    if (t <= s->arms)/'
broken flags 'flags: expected' 's/MK_POLICY_RANDOMISED,$/MK_POLICY_ORACLE,/'
broken functions 'expected functions' 's/^    \.update = update,/    .update = 0 * sizeof(update) ? update : NULL,/'
cd "$top" || exit 1
finish
