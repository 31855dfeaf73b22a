# Folder and list agree, and adding a policy, a distribution, an optimiser, an objective or a table takes its file and one line.
. tests/support/lib.sh

agree() { # folder macro symbol-prefix: every file with a registry entry is in list.def and the reverse
    local listed defined
    listed=$(sed -n "s/^$2(\([a-z0-9_]*\)).*/\1/p" "$1/list.def" | sort)
    defined=$(grep -l "^const struct $3_type mk_" "$1"/*.c | sed 's#.*/##; s#\.c$##' | sort)
    [ -n "$listed" ] && equal "$(echo $listed)" "$(echo $defined)"
}
check "policies: files and list.def agree" agree policies POLICY mk_policy
check "distributions: files and list.def agree" agree distributions FAMILY mk_dist
check "optimisers: files and list.def agree" agree sim/search/optimizers OPTIMIZER mk_optimizer
check "objectives: files and list.def agree" agree sim/search/objectives OBJECTIVE mk_objective
check "sources: files and list.def agree" agree sim/problem/sources SOURCE mk_source
importers() {
    local listed defined
    listed=$(sed -n 's/^IMPORTER(\([a-z0-9_]*\)).*/\1/p' sim/search/records/list.def | sort)
    defined=$(grep -l '^const struct mk_importer mk_importer_' sim/search/records/*.c | sed 's#.*/##; s#\.c$##' | sort)
    [ -n "$listed" ] && equal "$(echo $listed)" "$(echo $defined)"
}
check "importers: files and list.def agree" importers
check "tables: files and list.def agree" agree analysis/answers/tables TABLE mk_table

# A new one of each in a copy of the tree: two files each, nothing else (the documents are generated). With the times of
# files, so that only what depends on the lists is compiled.
tree=$dir/tree
mkdir -p "$tree/$build"
cp -a .clang-format .packaging ./*.md Makefile sim policies distributions analysis tests experiments "$tree/"
cp -a "$build"/{obj,gen,flags,mpi,libmaxk-objects.a,maxk} "$tree/$build/"
cd "$tree" || exit 1
git init -q . 2>"$dir/log"
add() { # FOLDER KIND MACRO OLD NEW: a copy of OLD as NEW, and its line in the list
    sed -e "s/mk_$2_$4/mk_$2_$5/; s/\"$4\"/\"$5\"/" "$1/$4.c" >"$1/$5.c"
    echo "$3($5)" >>"$1/list.def"
}
add policies policy POLICY uniform second_arm
add distributions dist FAMILY uniform flat
add sim/search/optimizers optimizer OPTIMIZER grid raster
add sim/search/objectives objective OBJECTIVE branin hill
add analysis/answers/tables table TABLE survival tails
add sim/search/records importer IMPORTER mlflow tracker
changed() { # what the copy has more than or other than the checkout
    local folder
    for folder in sim policies distributions analysis tests; do diff -rq -x __pycache__ "$top/$folder" "$folder"; done
}
check "two files each were written or changed" equal "$(changed | wc -l)" 12
new=$tree/$build/maxk
check "the tree builds" env MAXK="$maxk" tests/support/make_same.sh "BUILD=$build" "$build/maxk"
shows() { "$new" "$1" "$2" | grep "^$3"; }
check "the new policy is listed" shows list policies 'second_arm '
check "and described" shows describe second_arm 'second_arm: '
check "the new family is listed" shows list families 'flat '
check "and described" shows describe flat 'flat: '
check "the new optimiser is listed" shows list optimizers 'raster '
check "and described" shows describe raster 'raster: optimiser'
check "the new objective is listed" shows list objectives 'hill '
check "and described" shows describe hill 'hill: objective'
check "the new table is listed" shows list tables 'tails '
shows_column() { "$new" list columns tails | grep '^ratio .*upper end point'; }
check "with its columns" shows_column
check "the new kind of file is an option" sh -c "'$new' import --help | grep -q 'tracker'"
cat >e.yaml <<'YAML'
name: two_files
problem: {arms: [{family: flat, lo: 0, hi: 1}, {family: flat, lo: 0, hi: 2}]}
policies: [{name: second_arm}]
horizons: [10]
replications: 3
YAML
check "an experiment with policy and family runs" "$new" run e.yaml -o e.h5 -q
as_original() { # the rows of the copy are those of the original
    equal "$("$new" tails e.yaml --points 3 --csv | tail -n +2)" "$("$new" survival e.yaml --points 3 --csv | tail -n +2)"
}
check "the new table is a command" as_original
has_row() { "$new" summary e.h5 --csv | grep '^second_arm,two_files,10,3,1,.*,1,5,0,'; }
check "and gives what the original gives" has_row

# What else make check wants is generated, and it says by what.
check "the documents are out of date" exits 1 experiments/manual/build/docs.sh "$new" --check
check "all six ask for \`make docs\`" equal "$(grep -c '\.md is out of date: run `make docs`' "$dir/out")" 6
check "\`make docs\`" experiments/manual/build/docs.sh "$new"
check "brings them up to date" experiments/manual/build/docs.sh "$new" --check
check "with a row of the policy" has policies/README.md '^\| `second_arm` \|'
# The tests that need to know every item ask for it by name.
asks() { # TEST MESSAGE
    MAXK=$maxk tests/support/make_same.sh "BUILD=$build" "$build/tests/unit/$1" && exits 1 "$build/tests/unit/$1" &&
        has "$dir/out" "^not ok $2"
}
check "the test of families asks for parameter sets" \
    asks distributions/test_distributions 'flat: 0 parameter sets in tests/support/dist_cases.h'
check "the test of record tapes asks for an arm" asks tape/test_record_tape 'flat is among them \(.* families_text '
finish
