# The documents: every quick example of the README runs, every generated table is current, every link leads somewhere. The
# other examples run in tests/long/test_documents.sh, and those of the tutorials, installed, in test_installed_pages.sh.
. tests/support/lib.sh
. tests/support/examples.sh
documents=$(find . -name '*.md' ! -path './build*' ! -path './results/*' | sed 's#^\./##' | sort)

links_lead_somewhere() {
    local document link dead=0
    for document in $documents; do
        for link in $(grep -oE '\]\([^)# ]+|src="[^"]+"' "$document" | sed -E 's/^\]\(|^src="|"$//g' | grep -vE '^https?:'); do
            [ -e "$(dirname "$document")/$link" ] || { echo "$document: $link"; dead=1; }
        done
    done
    return $dead
}

examples README.md
shown() { # SHOWN PRINTED: texts
    printf "%b" "$1" >"$dir/shown" && printf "%b" "$2" >"$dir/printed"
    python tests/support/shown.py "$dir/shown" "$dir/printed"
}
check "output may be shown in part" shown 'a\n…\nb\n' 'a\nx\n\ny\nb\n'
check "but not without saying so" not shown 'a\nb\n' 'a\nx\nb\n'
check "nor in another order" not shown '…\nb\na\n…\n' 'a\nb\n'
check "nor with another number" not shown 'a 1\n…\n' 'a 2\nb\n'
check "the packages for Python that are named are those of make python-deps" \
    has experiments/manual/install.md "^apt-get install -y --no-install-recommends $python_packages\$"
check "links and pictures lead to files" links_lead_somewhere
check "generated tables are what the program prints" experiments/manual/build/docs.sh "$maxk" --check
finish
