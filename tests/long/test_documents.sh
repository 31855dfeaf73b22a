# Every example of every document runs, every output shown is what the program prints, and every number in the prose of the
# README and of the tour is what a command prints (tests/support/examples.sh). Programs in C, C++ and R run in
# tests/long/test_installed_pages.sh.
. tests/support/lib.sh
. tests/support/examples.sh
slow=1
for document in $(find . -name '*.md' ! -path './build*' ! -path './results/*' | sed 's#^\./##' | sort); do
    if grep -qE '^```(sh|yaml|python)' "$document"; then examples "$document"; fi
done
finish
