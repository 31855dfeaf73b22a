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
check "the packages for Python that are named are those of make python-deps" \
    has experiments/manual/install.md "^apt-get install -y --no-install-recommends $python_packages\$"
check "links and pictures lead to files" links_lead_somewhere
check "generated tables are what the program prints" experiments/manual/build/docs.sh "$maxk" --check
finish
