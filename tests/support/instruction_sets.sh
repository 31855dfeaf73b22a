# For the tests that compare the bits of results on different processors: two experiments with every policy and family in
# $dir, calculate and equal_results. Set $replications first.
tail="policies: [$("$maxk" list policies | awk '{printf "%s%s", s, $1; s = ", "}')]
horizons: [7, 9, 13, 21, 34, 55, 89, 144, 300]"
cat >"$dir/blocks.yaml" <<END
name: blocks
problem:
  arms:
    - {family: power, a: 3, s: 1.01}
    - {family: gaussian, mu: 0.1, sigma: 0.2}
    - {family: pareto, shape: 2.5, scale: 0.1}
    - {family: exponential, rate: 3}
    - {family: uniform, lo: 0, hi: 1}
    - {family: lognormal, mu: -1, sigma: 0.5}
    - {family: bernoulli, p: 0.3}
$tail
END
cat >"$dir/others.yaml" <<END
name: others
problem:
  arms:
    - {family: truncated_gaussian, mu: 0.4, sigma: 0.3, lo: 0, hi: 1}
    - {family: negative_exponential, mean: 0.3}
    - {family: beta, a: 2, b: 0.7}
    - {family: generalized_normal, mu: 0, scale: 0.4, beta: 1.7}
    - {family: weibull, shape: 1.3, scale: 0.5}
    - {family: gev, location: 0, scale: 0.1, shape: -0.3}
    - {family: generalized_pareto, location: 0, scale: 0.1, shape: -0.2}
$tail
END
kinds="blocks others record"

# calculate NAME COMMAND...: results and tables of the program started by the command.
calculate() {
    local name=$1 kind; shift
    for kind in blocks others; do
        "$@" "$maxk" run "$dir/$kind.yaml" -q -o "$dir/$name.$kind.h5" -s replications=$replications &&
            "$@" "$maxk" lu "$dir/$kind.yaml" --runs 50 >"$dir/$name.$kind.lu" || return 1
    done
    "$@" "$maxk" run "$dir/others.yaml" --engine record -q -o "$dir/$name.record.h5" -s replications=$replications \
        -s policies=[max_ucb,greedy] -s horizons=[10,100,1000,10000,1000000000] &&
        "$@" "$maxk" bounds "$dir/$name.record.h5" --policy max_ucb --refinement 0.9 >"$dir/$name.bounds"
}
equal_results() {
    for kind in $kinds; do
        same "$dir/$1.$kind.h5" "$dir/$2.$kind.h5" || return
    done
    for kind in blocks.lu others.lu bounds; do
        [ -s "$dir/$1.$kind" ] && diff "$dir/$1.$kind" "$dir/$2.$kind" || return
    done
}
