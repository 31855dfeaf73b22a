#!/bin/bash
# `make manual`: the site of the manual. Its links, anchors and pictures; that reference pages have what the registries have; the
# search index. The commands of its tutorials run in tests/long/test_documents.sh.
. tests/support/lib.sh
need pandoc pandoc
site=$dir/manual
check "the manual is built, without a dead link" python experiments/manual/build/manual.py "$maxk" "$site"
check "a page for each kind of user" \
    there "$site"/{index,tour,install,theorist,python,practitioner,developer,reference_glossary}.html
has_all() { # PAGE HEADINGS, one a line
    local page=$1 missing
    missing=$(grep -vxF -f <(sed -nE 's/^<h2[^>]*>(.*)<\/h2>$/\1/p' "$site/$page.html") <<<"$2")
    [ -n "$2" ] && equal "$missing" ""
}
names() { "$maxk" list "$1" | cut -d' ' -f1; }
for what in policies families optimizers objectives curves; do
    check "every one of the $what is described" has_all reference_$what "$(names $what)"
done
check "every command" has_all reference_commands "$(names commands | sed 's/^/maxk /')"
check "every table has its columns" has_all reference_tables "$(names tables | sed 's/^/Table /')"
for what in figures claims imports; do
    check "every one of the $what is listed" equal "$(for n in $(names $what); do
        grep -qF "<code>$n</code>" "$site/reference_$what.html" || echo "$n"; done)" ""
done
functions=$(cat sim/api/maxk/*.h | ${CC:-gcc} -fpreprocessed -dD -E -P - 2>/dev/null | grep -oE '\bmk_[a-z0-9_]+\(' |
    tr -d '(' | sort -u)
check "the library has $(wc -w <<<"$functions") public functions" [ "$(wc -w <<<"$functions")" -gt 90 ]
check "every one has an anchor" equal "$(for f in $functions; do
    grep -qF "<code id=\"$f\">" "$site/reference_c_api.html" || echo "$f"; done)" ""
check "which the search leads to" equal "$(for f in $functions; do
    grep -qF "[\"reference_c_api\",\"$f\"," "$site/search_index.js" || echo "$f"; done)" ""
check "no anchor is there twice" \
    equal "$(for f in "$site"/*.html; do grep -oE ' id="[^"]*"' "$f" | sort | uniq -d | sed "s#^#$f#"; done)" ""
check "every public name of the module" /usr/bin/python3 - "$site" <<'END'
import re
import sys
public = re.search(r"__all__ = \[(.*?)\]", open("sim/python/maxk/__init__.py").read(), re.S)[1]
page = open(sys.argv[1] + "/reference_python_api.html").read()
missing = [n for n in re.findall(r'"(\w+)"', public) if f">maxk.{n}</h2>" not in page]
print(missing)
helpers = [n for n in ("Real.described", "Categorical.words", "Integer.value_of") if n in page]
print(helpers)
sys.exit(bool(missing or helpers) or ">maxk.sklearn.CASHSearchCV</h2>" not in page)
END
check "nothing comes from the network" lacks "$site/index.html" '(src|<link [^>]*href)="https?:'
check "every theorem of the paper has a section" equal "$(grep -c '^<h2 id="theorem-' "$site/reference_theorems.html")" \
    "$(cat analysis/theory/paper/*.tex | grep -c '^.begin{theorem}')"
check "with its statement" has "$site/reference_theorems.html" '^<p>Let 1 = g_0 &lt; g_1 '
check "the search index leads to a section" has "$site/search_index.js" '"theorist","certified-bounds",'

# ---- tables of the notes ----
check "the tables of experiments/notes are made from what is there" python experiments/manual/build/notes.py --check
check "the index names every page" \
    equal "$(grep -oE 'notes/[a-z0-9_]+\.md' experiments/README.md | sort -u)" "$(cd experiments && ls notes/*.md)"
named=$(for page in experiments/notes/*.md; do
    [ "$page" = experiments/notes/published.md ] || sed '/^<!-- made from/,$d' "$page"
done)
without_page=$(for file in experiments/*.yaml experiments/*.sh; do
    name=${file#experiments/}
    grep -qE "\b${name//./\\.}\b|\`${name%.*}\`" <<<"$named" || echo "$name"
done)
check "every experiment has a page that names it" equal "$without_page" ""
mkdir -p "$dir/changed/tests"
cp -r experiments "$dir/changed/"
ln -s "$top/tests/reference" "$top/tests/validate" "$dir/changed/tests/"
cd "$dir/changed" || exit 1
echo '# a comment' >>experiments/many_arms.yaml
check "a comment of an experiment changes no table" python "$top/experiments/manual/build/notes.py" --check
echo 'seed: 2' >>experiments/many_arms.yaml
check "anything else does" exits 1 python "$top/experiments/manual/build/notes.py" --check
check "and the pages are named" has "$dir/err" 'notes/many_arms.md: made from other versions of experiments/many_arms.yaml: '
cp "$top/experiments/many_arms.yaml" experiments/
edited() { # SED FILE EXPRESSION: the edit changes the page, and the page is named
    sed -E "$2" "$top/experiments/notes/$1.md" >"experiments/notes/$1.md"
    cmp -s "$top/experiments/notes/$1.md" "experiments/notes/$1.md" && return 1
    python "$top/experiments/manual/build/notes.py" --check 2>"$dir/err" && return 1
    [ "$(grep -c "notes/$1.md:" "$dir/err")" = "$(wc -l <"$dir/err")" ] && cp "$top/experiments/notes/$1.md" experiments/notes/
}
check "an edited number of a table is named" edited many_arms '/^. .uniform/s/\.00002/.00003/'
check "an edited command of a table" edited many_arms 's/^note_table /note_table -w True /'
check "an edited row of a table of two results" edited decomposed 's/^\| 25 \| \.8652/| 25 | .8653/'
check "an edited row of a table that is quoted" edited budgets 's/^\| footnote 5/| footnote 6/'
check "a table without a comment" edited many_arms '/^<!-- table/,/^-->/d'
check "which is what is expected" has "$dir/err" 'expected a comment above the table '
check "a quotation of what nobody has published" edited budgets 's/(table as printed in Nguyen) 2024/\1 2034/'
check "and says so" has "$dir/err" 'expected a publication that '
cd "$top" || exit 1

# A dead anchor is noticed, in a site of two pages.
mkdir -p "$dir/copy/experiments"
cp -r experiments/manual "$dir/copy/experiments/"
cd "$dir/copy" || exit 1
echo '[a](theorist.md#nowhere) [b](theorist.md#an-experiment)' >>experiments/manual/index.md
two_pages() { # PAPER
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/experiments/manual/build python -c "
import sys
import manual
manual.GROUPS = [('Start', ['experiments/manual/index.md', 'experiments/manual/theorist.md'])]
manual.notes = list
dead, pages = manual.build('$maxk', '$dir/other', '$1')
print(pages, *dead)"
}
dead="index.html: theorist.html#nowhere: no such anchor"
check "the links of two pages" into "$dir/dead" two_pages ''
check "a dead anchor is named, nothing else" equal "$(cat "$dir/dead")" "2 $dead"
check "the paper, where it is not" into "$dir/dead" two_pages ../maxk.pdf
check "is named" has "$dir/dead" 'theorist\.html: \.\./maxk\.pdf: no such page'
touch "$dir/maxk.pdf"
check "where it is" into "$dir/dead" two_pages ../maxk.pdf
check "it is linked" has "$dir/other/theorist.html" '<a href="\.\./maxk\.pdf">the paper</a>'
cd "$top" || exit 1
finish
