# What the current major version promises is there (experiments/manual/compatibility.md): commands, options, parameters, keys,
# columns, datasets, functions, structures, names in Python, as tests/reference/interface.txt lists them.
. tests/support/lib.sh
promised=$dir/promised now=$dir/now
grep -v '^#' tests/reference/interface.txt | LC_ALL=C sort >"$promised"
check "what users rest on can be listed" env "MAXK=$maxk" /usr/bin/python3 tests/support/interface.py
LC_ALL=C sort "$dir/log" >"$now"
check "the promise has more than 2000 lines" [ "$(wc -l <"$promised")" -gt 2000 ]
check "nothing that is promised is gone" equal "$(LC_ALL=C comm -23 "$promised" "$now")" ""
structures() { sed -n 's/^header struct \(mk_[a-z_]*\): .*/\1/p' "$promised" | sort -u | sed 's/.*/^header struct &:/'; }
check "no promised structure has a further field" \
    equal "$(grep -f <(structures) "$now" | LC_ALL=C comm -13 "$promised" -)" ""
major=$("$maxk" --version | sed 's/^maxk \([0-9]*\)\..*/\1/')
check "it is the promise of this major version" grep -q "^# maxk $major\\." tests/reference/interface.txt

# Results of version 1.0.0 are read, and the experiments in them give the same numbers; tables may have further columns.
old=tests/reference/version_1
keeps() { # OLD.csv NEW.csv: every column of the old one, with its cells
    /usr/bin/python3 - "$1" "$2" <<'END'
import csv, sys
old, new = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
sys.exit(not old or len(old) != len(new) or any(was[name] != now.get(name) for was, now in zip(old, new) for name in was))
END
}
for kind in run tune; do
    gunzip -c "$old/$kind.h5.gz" >"$dir/$kind.h5"
    "$maxk" summary "$dir/$kind.h5" --csv >"$dir/$kind.summary.csv"
    check "a result of version 1.0.0, $kind" keeps "$old/$kind.summary.csv" "$dir/$kind.summary.csv"
    "$maxk" "$kind" "$old/$kind.yaml" -q -o "$dir/new_$kind.h5"
    "$maxk" summary "$dir/new_$kind.h5" --csv >"$dir/new.csv"
    check "its numbers now" keeps "$old/$kind.summary.csv" "$dir/new.csv"
done
check "its trials" keeps "$old/tune.trials.csv" "$dir/new_tune.csv"

[ -d .git ] || [ -f .git ] || { skip "the checklist of a release, outside a repository"; finish; }
# The checklist of a release notices what is not ready, in a clone that is.
git clone -q . "$dir/clone" && cd "$dir/clone" && mkdir build && ln -s "$maxk" build/maxk || exit 1
export MAXK=$maxk
git config user.name nobody && git config user.email nobody@maxk.invalid
version=$("$maxk" --version | cut -d' ' -f2)
today=2000-01-02
export GIT_COMMITTER_DATE="${today}T12:00:00Z"
ready() {
    cp -r "$top"/sim/api "$top"/sim/python sim/
    sed -i "0,/^## .*/s//## [$version] - $today/" CHANGELOG.md
    sed -i "/^date-released:/d; s/^version:.*/&\ndate-released: $today/" CITATION.cff
    { grep '^#' tests/reference/interface.txt; cat "$now"; } >interface && mv interface tests/reference/interface.txt
    git add -A && git commit -qm ready
}
fails() { ! .packaging/release.sh --checks >/dev/null 2>"$dir/said" && grep -q -- "$1" "$dir/said"; } # WORDS
refused() { # WORDS COMMAND…: after the command, committed, the checks fail with these words; undone
    local words=$1
    shift
    "$@" && git commit -qam changed && fails "$words" && git reset -q --hard HEAD~1
}
ready
check "a release that is ready" .packaging/release.sh --checks
check "a section without a date" refused "CHANGELOG.md: expected" sed -i "s/ - $today/ - Unreleased/" CHANGELOG.md
check "another version" refused "CITATION.cff: expected 'version" sed -i 's/^version:.*/version: 0.1.0/' CITATION.cff
check "another date" refused "date-released" sed -i 's/^date-released:.*/date-released: 2000-01-03/' CITATION.cff
check "a date before the last commit" refused "the date of the last commit" \
    sed -i "s/$today/2000-01-01/" CHANGELOG.md CITATION.cff
check "a Debian changelog of another version" refused ".packaging/changelog" sed -i '1s/(.*)/(0.1.0)/' .packaging/changelog
check "something that the promise lacks" refused "interface.txt lacks" sed -i '$d' tests/reference/interface.txt
git tag "v$version" HEAD~1
check "a version that was released" fails "released once"
git tag -d "v$version" >/dev/null
echo >>README.md
check "a change that is not committed" fails "not committed"
finish
