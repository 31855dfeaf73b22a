#!/usr/bin/env bash
# The checklist of a release: the first line that is not true ends it with exit code 1 and says what to do. Then it writes the
# tarball, the wheel, the Debian packages, the manual and the paper into OUT, with SHA256SUMS. `make release` runs it.
# usage: release.sh [--checks | OUT] (from the top of the source); --checks: all but .ci/run and what is written
set -euo pipefail
out=${1:---checks}
no() { echo "release: $*" >&2; exit 1; }
version=$(awk '/define MAXK_VERSION_M|define MAXK_VERSION_P/ {printf "%s%s", sep, $3; sep = "."}' sim/api/maxk/maxk.h)

[ -z "$(git status --porcelain)" ] || no "there are changes that are not committed: git status"
heading=$(grep -m 1 '^## ' CHANGELOG.md)
[[ $heading =~ ^'## ['"$version"'] - '([0-9]{4}-[0-9]{2}-[0-9]{2})$ ]] ||
    no "CHANGELOG.md: expected '## [$version] - YYYY-MM-DD' as its first section, got '$heading'"
date=${BASH_REMATCH[1]}
[ "$date" = "$(git log -1 --format=%cs)" ] ||
    no "CHANGELOG.md: expected $(git log -1 --format=%cs), the date of the last commit, as that of $version, got $date"
grep -qx "version: $version" CITATION.cff || no "CITATION.cff: expected 'version: $version'"
grep -qx "date-released: $date" CITATION.cff || no "CITATION.cff: expected 'date-released: $date', the date of CHANGELOG.md"
head -n 1 .packaging/changelog | grep -qF "($version)" || no ".packaging/changelog: expected ($version) in its first line"
tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || git rev-parse HEAD)
[ "$tagged" = "$(git rev-parse HEAD)" ] || no "the tag v$version is on another commit: a version is released once"
/usr/bin/python3 tests/support/interface.py | cmp -s - <(grep -v '^#' tests/reference/interface.txt) ||
    no "tests/reference/interface.txt lacks what is new (and what a major version drops): \`make interface\` writes it"
echo "release: the checks of version $version hold"
[ "$out" != --checks ] || exit 0

.ci/run
mkdir -p "$out"
make dist wheel paper deb manual
cp build/maxk-"$version".tar.gz build/wheel/*.whl build/deb/*.deb "$out/"
cp build/paper/maxk.pdf "$out/maxk-$version-paper.pdf"
tar -czf "$out/maxk-$version-manual.tar.gz" -C build manual paper/maxk.pdf
(cd "$out" && sha256sum ./*.tar.gz ./*.whl ./*.deb ./*.pdf >SHA256SUMS)
echo "release: $out holds version $version; what is left: git tag -a v$version -m 'maxk $version'"
