#!/bin/bash
# The tables of those notes on experiments that are quick to make (QUICK_NOTES of the Makefile) are what the program prints now.
# That no file they are made from has changed is asked by tests/long/test_manual_site.py, for all pages.
. tests/support/lib.sh
pages=$(sed -n 's/^QUICK_NOTES = //p' Makefile)
check "there are quick pages" [ -n "$pages" ]
for page in $pages; do
    check "the tables of $page are what is printed" \
        into "$dir/told" python experiments/manual/build/notes.py --compare "$maxk" "$page"
    check "all of them were made" equal "$(cat "$dir/told")" ""
done

# Another number is noticed.
mkdir "$dir/other"
cp -r experiments "$dir/other/"
ln -s "$top/sim" "$dir/other/"
cd "$dir/other" || exit 1
sed -i '/^| .*[0-9]/s/3/4/' experiments/notes/lu.md
check "an edited table is noticed" exits 1 python experiments/manual/build/notes.py --compare "$maxk" lu
check "and named" grep -q '^experiments/notes/lu.md:[0-9]*: printed otherwise now: ' "$dir/out"
cd "$top" || exit 1
finish
