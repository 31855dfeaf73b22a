# Folder and list agree, and adding a policy, a distribution, an optimiser or an objective takes its file and one line.
set -u
bad=0
check() { if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi; }

agree() { # folder macro symbol-prefix
    listed=$(sed -n "s/^$2(\([a-z0-9_]*\)).*/\1/p" "$1/list.def" | sort)
    defined=$(grep -l "^const struct $3_type mk_" "$1"/*.c | sed 's#.*/##; s#\.c$##' | sort)
    [ -n "$listed" ] && [ "$listed" = "$defined" ]
    check $? "$1: every file with a registry entry is in list.def and the reverse ($(echo "$listed" | wc -l) items)"
}
agree policies POLICY mk_policy
agree distributions FAMILY mk_dist
agree policies/optimizers OPTIMIZER mk_optimizer
agree distributions/objectives OBJECTIVE mk_objective

# A new one of each in a copy of the tree: two files each, nothing else (the documents are generated). With the times of
# files, so that only what depends on the lists is compiled.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=$PWD
build=$(realpath "$(dirname "${MAXK:-build/maxk}")")
cp -a Makefile sim policies distributions analysis tests "$dir/"
b=$(basename "$build")
mkdir "$dir/$b"
cp -a "$build"/{obj,gen,flags,mpi,libmaxk-objects.a,maxk} "$dir/$b/"
sed -e 's/mk_policy_uniform/mk_policy_second_arm/; s/"uniform"/"second_arm"/' policies/uniform.c >"$dir/policies/second_arm.c"
echo 'POLICY(second_arm)' >>"$dir/policies/list.def"
sed -e 's/mk_dist_uniform/mk_dist_flat/; s/"uniform"/"flat"/' distributions/uniform.c >"$dir/distributions/flat.c"
echo 'FAMILY(flat)' >>"$dir/distributions/list.def"
sed -e 's/mk_optimizer_grid/mk_optimizer_raster/; s/"grid"/"raster"/' policies/optimizers/grid.c >"$dir/policies/optimizers/raster.c"
echo 'OPTIMIZER(raster)' >>"$dir/policies/optimizers/list.def"
sed -e 's/mk_objective_branin/mk_objective_hill/; s/"branin"/"hill"/' distributions/objectives/branin.c >"$dir/distributions/objectives/hill.c"
echo 'OBJECTIVE(hill)' >>"$dir/distributions/objectives/list.def"
(cd "$dir" && git init -q . 2>/dev/null; MAXK=$build/maxk "$here/tests/support/make_same.sh" "BUILD=$b" "$b/maxk" >log 2>&1)
check $? "a tree with a new policy, family, optimiser and objective builds" || cat "$dir/log"
"$dir/$b/maxk" list policies | grep -q '^second_arm ' && "$dir/$b/maxk" describe second_arm | grep -q '^second_arm: '
check $? "the new policy is listed and described"
"$dir/$b/maxk" list distributions | grep -q '^flat '
check $? "the new family is listed"
"$dir/$b/maxk" list optimizers | grep -q '^raster ' && "$dir/$b/maxk" describe raster | grep -q '^raster: optimiser'
check $? "the new optimiser is listed and described"
"$dir/$b/maxk" list objectives | grep -q '^hill ' && "$dir/$b/maxk" describe hill | grep -q '^hill: objective'
check $? "the new objective is listed and described"
(cd "$dir" && ! sim/build/docs.sh "$b/maxk" --check >stale && [ "$(grep -c 'README.md is out of date: run `make docs`' stale)" -eq 4 ] &&
    sim/build/docs.sh "$b/maxk" >/dev/null && sim/build/docs.sh "$b/maxk" --check && grep -q '^| `second_arm` |' policies/README.md) >"$dir/log"
check $? "the documents ask for \`make docs\`, which brings them up to date $(tail -n 1 "$dir/log")"
cat >"$dir/e.yaml" <<'YAML'
name: two_files
problem: {arms: [{family: flat, lo: 0, hi: 1}, {family: flat, lo: 0, hi: 2}]}
policies: [{name: second_arm}]
horizons: [10]
replications: 3
YAML
"$dir/$b/maxk" run "$dir/e.yaml" -o "$dir/e.h5" -q && "$dir/$b/maxk" summary "$dir/e.h5" --csv | grep -q '^second_arm,two_files,10,3,1,.*,1,5,0,'
check $? "an experiment with both runs"
exit $bad
