# make paper: LaTeX has nothing to say, every theorem is on a page under its number, the same bytes again, and it is installed.
. tests/support/lib.sh
for c in pdflatex bibtex pdftotext gnuplot; do need $c "of DEPS_PAPER and poppler-utils"; done
paper=$dir/paper
build_paper() { make --no-print-directory "BUILD=$build" "PAPER=$paper" paper; }
check "make paper" build_paper
check "writes a PDF" there "$paper/maxk.pdf"

# Other warnings than of fonts in sizes that lmodern has scaled.
complaints() {
    grep -E '^(LaTeX|Package|Class).*Warning|undefined|multiply defined|^(Over|Under)full' "$1" |
        grep -v 'Font Warning: Font shape'
}
wide() { complaints "$1" | awk '!/^Overfull .hbox/ || substr($3, 2) + 0 > 2'; }
check "without a warning, and no line is more than 2 pt too wide" equal "$(wide "$paper/maxk.log")" ""
check "bibtex has nothing to say" lacks "$paper/maxk.blg" 'Warning|error'
pdftotext "$paper/maxk.pdf" "$dir/text"
tr '\n' ' ' <"$dir/text" >"$dir/line"
for k in {1..17}; do
    check "thm:$k is Theorem $k" has "$paper/maxk.aux" "newlabel\{thm:$k\}\{\{$k\}"
    check "which is on a page" has "$dir/line" "Theorem $k \("
done
check "no reference is open" lacks "$dir/text" '\?\?'
check "all three algorithms" equal "$(grep -oE '^Algorithm [0-9]+' "$dir/text" | sort -u | tr -d '[:alpha:]' | xargs)" "1 2 3"
check "and the tables" equal "$(grep -oiE '^Table [0-9]+\.' "$dir/text" | tr A-Z a-z | sort -u | wc -l)" 7

# "SMALL games, PAIRS pairs, … rises in RISES, falls in 0": the paper has these numbers with commas.
python3 experiments/monotone.py 76000 700000 >"$dir/monotone"
check "the search for a decrease finds none" [ "$(grep -c 'falls in 0$' "$dir/monotone")" = 2 ]
for number in $(sed -n 's/.*: \([0-9]*\) games, \([0-9]*\) pairs.* rises in \([0-9]*\), falls.*/\1 \2 \3/p' "$dir/monotone"); do
    comma=$(sed ':a;s/\B[0-9]\{3\}\>/,&/;ta' <<<"$number")
    check "the paper has its number $comma" has analysis/theory/paper/two_arms.tex "$comma"
done

cp "$paper/maxk.pdf" "$dir/first.pdf"
check "compiled again" analysis/theory/paper/latex.sh "$paper"
check "it is the same file" cmp "$paper/maxk.pdf" "$dir/first.pdf"

printf '\\begin{theorem}\\ref{thm:none}\\end{theorem}\n\n\\noindent\\rule{1.2\\hsize}{1pt}\n' >"$paper/moving.tex"
(cd "$paper" && TEXINPUTS=".:$top/analysis/theory/paper:" pdflatex -interaction=nonstopmode -halt-on-error maxk) >/dev/null 2>&1
for wrong in "Reference .thm:none' .* undefined" '^Overfull'; do
    check "it is noticed when there is /$wrong/" has <(wide "$paper/maxk.log") "$wrong"
done
rm "$paper/moving.tex"
cp "$dir/first.pdf" "$paper/maxk.pdf"

install_files() { make --no-print-directory "BUILD=$build" "PAPER=$paper" "DESTDIR=$dir/root" PREFIX=/opt/maxk "$@"; }
check "make install" install_files install-files
check "installs it" cmp "$dir/root/opt/maxk/share/doc/maxk/maxk.pdf" "$paper/maxk.pdf"
check "make uninstall" install_files uninstall
check "takes it away" equal "$(find "$dir/root" -name maxk.pdf)" ""
finish
