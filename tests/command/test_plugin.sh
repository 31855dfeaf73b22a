# Policies of one's own from a shared object: the example of experiments/plugin, the checks of check_plugin, what a result
# says about them, and that opening a result loads nothing.
. tests/support/lib.sh
compile() { # SOURCE OUT
    ${CC:-gcc} -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -I. -o "$2" "$1" -lm
}
check "the example compiles" compile experiments/plugin/epsilon_max.c "$dir/epsilon_max.so"
check "it passes" into "$dir/passed" "$maxk" check_plugin "$dir/epsilon_max.so"
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
refused "no such file" '^maxk run: --plugin: plugins: ./none.so: cannot be read: No such file or directory$' \
    "$maxk" run e.yaml --plugin ./none.so -o x.h5
for size in 100 5000 12000; do # code past the end would be a bus error
    head -c $size epsilon_max.so >cut.so
    refused "a shared object of $size bytes that was cut" '^maxk run: --plugin: plugins: .*/cut.so: ends too early' \
        "$maxk" run e.yaml --plugin ./cut.so -o x.h5
done
refused "a device" '^maxk run: --plugin: plugins: /dev/zero: not a regular file' "$maxk" run e.yaml --plugin /dev/zero -o x.h5
refused "not a shared object" '^maxk run: --plugin: plugins: .*e.yaml: ' "$maxk" run e.yaml --plugin ./e.yaml -o x.h5
refused "a parameter out of range" 'epsilon: expected a number' \
    "$maxk" run e.yaml --plugin ./epsilon_max.so -s policies.0.epsilon=2 -o x.h5
refused "the same plugin twice" 'there is a policy of this name' \
    "$maxk" run e.yaml --plugin ./epsilon_max.so --plugin ./epsilon_max.so -o x.h5
echo 'int nothing;' >nothing.c
broken() { # NAME PATTERN SED: the example, changed like this, is rejected
    sed "$3" "$top/experiments/plugin/epsilon_max.c" >"$1.c"
    (cd "$top" && compile "$dir/$1.c" "$dir/$1.so") 2>"$1.said" || fail "$1 compiles" "$(first_lines "$1.said")"
    refused "$1" "$2" "$maxk" check_plugin "$1.so"
}
(cd "$top" && compile "$dir/nothing.c" "$dir/nothing.so")
refused "a shared object without policies" 'not a plugin of maxk' "$maxk" check_plugin nothing.so
broken taken 'there is a policy of this name' 's/\.name = "epsilon_max"/.name = "max_ucb"/'
broken arm 'select: expected an arm below' 's/return best;/return best + (t == 300);/'
broken past 'state_size: a byte' 's/size_t k = 0; k < s->arms; k++) e->max/size_t k = 0; k <= s->arms; k++) e->max/'
broken unset 'a second run selects other arms' 's/e->max\[k\] = -INFINITY/(void)e/; s/t <= s->arms/t < 1/'
broken horizon 'depend on the horizon' 's/if (t <= s->arms)/if (t > s->horizon \/ 2) return 0;\n    if (t <= s->arms)/'
broken flags 'flags: expected' 's/MK_POLICY_RANDOMISED,$/MK_POLICY_ORACLE,/'
broken functions 'expected functions' 's/^    \.update = update,/    .update = 0 * sizeof(update) ? update : NULL,/'

# ---- shapes of MaxUCB's bonus ----
(cd "$top" && compile experiments/plugin/bonus_shapes.c "$dir/bonus_shapes.so") || fail "the shapes compile"
shapes=$top/experiments/plugin/power_shapes.yaml
check "they pass" into passed "$maxk" check_plugin ./bonus_shapes.so
check "all of them" one_line passed '25 checks passed$'
check "log t with exponent 2" "$maxk" run "$shapes" --plugin ./bonus_shapes.so -q -o same.h5 -s 'horizons=[50, 2000]' \
    -s keep=pulls -s 'policies=[{name: max_ucb, scale: global_max}, {name: max_ucb_shape}]'
check "is max_ucb" h5diff same.h5 same.h5 /policies/max_ucb/pulls /policies/max_ucb_shape/pulls
(sed 's/return bonus_of(s, level_at(s, t), (double)n);/return 1.001 * bonus_of(s, level_at(s, t), (double)n);/' \
    "$top/experiments/plugin/bonus_shapes.c" >wrong.c && cd "$top" &&
    compile "$dir/wrong.c" "$dir/wrong.so") || fail "another bonus compiles"
refused "a bonus that is not the one it selects by" 'bonus: round [0-9]*: the arm that is pulled has the index' \
    "$maxk" check_plugin ./wrong.so
sed 's/return bonus_of(s, level_at(s, t), (double)n);/return bonus_of(s, level_at(s, t), (double)n) * (n > 50 ? 2 : 1);/' \
    "$top/experiments/plugin/bonus_shapes.c" >rises.c
(cd "$top" && compile "$dir/rises.c" "$dir/rises.so") || fail "a bonus that rises with the pulls compiles"
refused "a bonus that rises with the pulls" 'the bonus of the policy rises with the pulls \(round ' \
    "$maxk" certify "$shapes" --plugin ./rises.so -s 'policies=[{name: max_ucb_shape, scale: none}]' --horizons 1000
# Certified without code of its own; a mean outside by 4.5 standard errors: 7e-6 each, 15 of them.
shape='{name: max_ucb_shape, scale: none, exponent: 1, alpha: 0.1}, {name: max_ucb_shape, scale: none, rise: log_log, alpha: 0.3,
    label: log log}, {name: max_ucb_horizon, alpha: 1}'
for action in "certify --refinement 0.2 --csv" "run -q -o shapes.h5"; do
    # shellcheck disable=SC2086
    "$maxk" ${action%% *} "$shapes" --plugin ./bonus_shapes.so -s "policies=[$shape]" -s 'horizons=[200]' -s replications=4000 \
        ${action#* } >"${action%% *}.csv"
done
"$maxk" summary shapes.h5 --csv --show policy,arm,mean_pulls,se_pulls >means.csv
check "the bands of further shapes hold what is simulated" awk -F, '
    NR == FNR {low[$1 "," $4] = $6; high[$1 "," $4] = $7; next}
    FNR > 1 {n++; key = $1 "," $2; bad += !($3 + 4.5 * $4 >= low[key] && $3 - 4.5 * $4 <= high[key]); tight += high[key] < 180}
    END {print n, bad, tight; exit n != 15 || bad || tight < 12}' certify.csv means.csv
for setting in '0.3 log t log log t: .3*l*log(l): 2' '0.5 log t, exponent 1: .5*l: 1' '0.5 log t, exponent 3: .5*l: 3' \
    '0.72 log T over K: .72*log(80): 2'; do
    IFS=: read -r label level exponent <<<"$setting"
    check "a trace of $label" into trace "$maxk" trace "$shapes" --plugin ./bonus_shapes.so --policy "$label" -s 'horizons=[400]'
    check "chooses by its formula" awk -F, "NR == 1 {next}
        {l = log(\$1); want = \$1 - 1; most = -9}
        \$1 > 5 {for (k = 0; k < 5; k++) {x = m[k] / best + ($level / n[k]) ^ $exponent; if (x > most) {most = x; want = k}}}
        {bad += want != \$2; n[\$2]++; if (\$3 > m[\$2]) m[\$2] = \$3; best = \$4}
        END {exit bad || NR != 401}" trace
done

# ---- reward families ----
family=$top/experiments/plugin/kumaraswamy.c
(cd "$top" && compile "$family" "$dir/kumaraswamy.so") || fail "the example of a family compiles"
check "it passes" into passed "$maxk" check_plugin ./kumaraswamy.so
check "and says so" one_line passed '^kumaraswamy: .*; 7 checks passed$'
check "with other parameters" into passed "$maxk" check_plugin ./kumaraswamy.so --arm '{family: kumaraswamy, a: 0.3, b: 7}' \
    --arm '{family: kumaraswamy, a: 20, b: 0.4, shift: 1, label: moved}'
check "each" has passed '^moved: .*; 7 checks passed$'
check "with rewards below 0" into passed "$maxk" check_plugin ./kumaraswamy.so \
    --arm '{family: kumaraswamy, a: 2, b: 3, shift: -5}'
cp "$top/experiments/plugin/kumaraswamy.yaml" k.yaml
check "it runs" "$maxk" run k.yaml --plugin ./kumaraswamy.so -s replications=40 -q -j2 -o k.h5
check "with one thread" "$maxk" run k.yaml --plugin ./kumaraswamy.so -s replications=40 -q -j1 -o k1.h5
check "the same" same k.h5 k1.h5
# E[M(100)] of Kumaraswamy(2, 3): the integral of 1 - F(x)^100 over 0 to 1 by Simpson's rule, to 10^-14
expected=$(awk 'BEGIN {
    steps = 20000
    for (i = 0; i <= steps; i++)
        sum += (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * (1 - (1 - (1 - (i / steps) ^ 2) ^ 3) ^ 100)
    printf "%.17g", sum / 3 / steps}')
"$maxk" gap k.yaml --plugin ./kumaraswamy.so --horizons 100 --csv >gap.csv
check "its expected maximum is right" awk -F, -v want="$expected" 'NR == 2 {exit !($5 - want < 1e-9 && want - $5 < 1e-9)}' gap.csv
for i in 1 2; do "$maxk" run k.yaml --plugin ./kumaraswamy.so -s replications=40 -q --shard $i/2 -o $i.kpart; done
refused "merging parts evaluates arms" 'of a plugin that is not loaded' "$maxk" merge 1.kpart 2.kpart -o km.h5
check "with the plugin they are merged" "$maxk" merge 1.kpart 2.kpart -o km.h5 --plugin ./kumaraswamy.so
check "to the whole" same k.h5 km.h5
# A candidate of bayes_max may be of the plugin, too.
cat >candidates.yaml <<E
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: kumaraswamy, a: 2, b: 3}]}
policies:
  - {name: bayes_max, label: own}
  - {name: bayes_max, label: given, candidates: [{family: uniform, lo: 0, hi: 1}, {family: kumaraswamy, a: 2, b: 3}]}
horizons: [50]
replications: 20
E
check "candidates of a plugin" "$maxk" run candidates.yaml --plugin ./kumaraswamy.so -q -o candidates.h5
mv kumaraswamy.so kept.so
"$maxk" summary candidates.h5 --show policy,arm,mean_pulls,mean_max --csv >candidates.csv
check "play as those that are the arms" awk -F, '{p = $1; $1 = ""; seen[$0] = seen[$0] p}
    END {for (row in seen) n += seen[row] == "owngiven"; exit n != 2}' candidates.csv
for command in "summary k.h5" "info k.h5" "figures k.h5 -o fk" "report k.h5 -o k.html"; do
    # shellcheck disable=SC2086
    check "$command needs no plugin" "$maxk" $command
done
refused "bounds need the arms" 'of a plugin that is not loaded' "$maxk" bounds k.h5
mv kept.so kumaraswamy.so
for command in "bounds k.h5" "lu k.h5" "certify k.h5 --horizons 100" "survival k.h5" "figures k.yaml -o fk"; do
    # shellcheck disable=SC2086
    check "$command with the plugin" "$maxk" $command --plugin ./kumaraswamy.so
done
# ---- one plugin of several ----
cat >several.yaml <<E
plugins: [kumaraswamy.so, bonus_shapes.so, epsilon_max.so]
problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: kumaraswamy, a: 2, b: 3}]}
horizons: [50]
replications: 4
policies: [max_ucb, {name: max_ucb_shape, scale: none, alpha: 0.1}, epsilon_max]
E
"$maxk" run several.yaml -q -o several.h5
for i in 1 2; do "$maxk" run several.yaml -q --shard $i/2 -o $i.spart; done
mkdir elsewhere
mv kumaraswamy.so bonus_shapes.so elsewhere
own_family=elsewhere/kumaraswamy.so
for file in several.h5 several.yaml; do
    check "certify $file with the family" into alone "$maxk" certify $file --refinement 0.2 --plugin $own_family
    check "omits the policies of others" has alone '^max_ucb_shape, epsilon_max are omitted: .* not loaded \(--plugin FILE.so\)$'
    check "with the family and a policy" into one "$maxk" certify $file --refinement 0.2 --plugin elsewhere/bonus_shapes.so \
        --plugin $own_family
    check "omits the other" has one '^epsilon_max is omitted: .* not loaded \(--plugin FILE.so\)$'
    check "and certifies this one" has one '^max_ucb_shape  *several '
    refused "$file without the family" '^several.*: family: kumaraswamy is of a plugin that is not loaded' \
        "$maxk" certify $file --plugin elsewhere/bonus_shapes.so
done
check "bounds with the family" "$maxk" bounds several.h5 --plugin $own_family
refused "bounds with one more" 'other.so .digest [0-9a-f]{16}. is not among the plugins that made this result' \
    "$maxk" bounds several.h5 --plugin $own_family --plugin ./other.so
check "parts with the family, from another place" "$maxk" merge 1.spart 2.spart -o merged_several.h5 --plugin $own_family
check "are merged to the whole" same several.h5 merged_several.h5
mv elsewhere/*.so .
sed 's/a \* b/b * a/' "$family" >"$dir/recompiled.c"
(cd "$top" && ${CC:-gcc} -std=c11 -O0 -shared -fPIC -I. -o "$dir/recompiled.so" "$dir/recompiled.c" -lm)
for command in "bounds k.h5" "lu k.h5" "rate k.h5"; do
    # shellcheck disable=SC2086
    refused "$command with another plugin" '^k.h5: --plugin: .*recompiled.so .digest [0-9a-f]{16}. is not the plugin that' \
        "$maxk" $command --plugin ./recompiled.so
done
sed '/^plugins/d; s/kumaraswamy, a: [^}]*}/uniform, lo: 0, hi: 1}/' k.yaml >none.yaml
check "a result without plugins" "$maxk" run none.yaml -s 'problem={arms: [{family: uniform, lo: 0, hi: 1}]}' \
    -s replications=4 -q -o none.h5
refused "has no place for one" 'is not among the plugins' "$maxk" lu none.h5 --plugin ./kumaraswamy.so
refused "a family without the plugin" "unknown family 'kumaraswamy'" "$maxk" run k.yaml -o x.h5
broken_family() { # NAME PATTERN SED
    sed "$3" "$family" >"$1.c"
    (cd "$top" && compile "$dir/$1.c" "$dir/$1.so") 2>"$1.said" || fail "$1 compiles" "$(first_lines "$1.said")"
    refused "$1" "$2" "$maxk" check_plugin "$1.so"
}
broken_family family_taken 'there is a family of this name' 's/\.name = "kumaraswamy"/.name = "beta"/'
broken_family family_flags 'flags: expected' 's/    \.params = params,/    .flags = MK_DIST_SLOW, .params = params,/'
broken_family ends 'inverse: expected the upper end' 's/upper <= 0) return 1/upper <= 0) return 0.999/'
broken_family falls 'expected P.X >= x. \+ P.X < x. = 1' 's/: exp(log_survival/: 0.99 * exp(log_survival/'
broken_family inverse 'inverse: tail probability' 's/log1p(-lower) : log/1e-9 + log1p(-lower) : log/'
broken_family inverse_near 'inverse: tail probability' 's/return pow(-expm1/return (1 - 1e-6) * pow(-expm1/'
broken_family density 'density: expected the slope' 's/: a \* b/: 1.01 * a * b/'
broken_family draws 'sample: 20000 draws' 's/out\[i\] = inverse(d, u, 1 - u)/out[i] = inverse(d, u * u, 1 - u * u)/'
broken_family split 'sample: other draws' 's/for (size_t i = 0; i < n/mk_uniform(rng);\n    for (size_t i = 0; i < n/'
broken_family split_of_hundreds 'sample: other draws' \
    's/for (size_t i = 0; i < n/if (n > 99 \&\& n < 1000) mk_uniform(rng);\n    for (size_t i = 0; i < n/'
top_of='static double top(const struct mk_dist *d, double n) { (void)d; return n \/ (n + 2); }'
broken_family maximum 'expected_max: expected' \
    "s/^static void support/$top_of\nstatic void support/
     s/    \.support = support,/    .support = support, .expected_max = top,/"
never='static const char *never(struct mk_dist *d, int *p) { (void)d; *p = 0; return "expected another"; }'
broken_family parameters 'a: .* --arm' \
    "s/^static void support/$never\nstatic void support/; s/^    \.params = params,/    .prepare = never, .params = params,/"
cd "$top" || exit 1
finish
