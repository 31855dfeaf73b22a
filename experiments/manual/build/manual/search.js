// The search box. A section is found when it has a word of the question; those with more and rarer words come first, a word in a
// heading counts more than one in the text, and most of all the whole question in a heading. What explains comes before a note on
// an experiment that fits about as well, and first come the questions that the first page answers. No server is needed.
const box = document.getElementById("search"), found = document.getElementById("found"), menu = document.getElementById("menu");
if (window.matchMedia("(max-width: 50rem)").matches) menu.removeAttribute("open");

const FIRST = 20, EXCERPT = 180, NOTE = 0.75, QUESTION = 1.5;
const STOP = new Set(("a about all an and any are as at be between by can could do does for from get has have how i if in into is it its"
    + " make many may me mine much my no not of on or our s should so that the their them there these they this to use using want"
    + " was we what when where which who why will with would you your").split(" "));
let sections = null;

// Endings are taken off, so that a question about installing finds "installed" and "installation".
function stem(word) {
    const short = word.replace(/(ations?|ies|ied|ing|ate|ed|es|s|e|y)$/, "");
    return short.length >= 3 && !/[_\d]/.test(word) ? short : word;
}

function wordsOf(query) {
    const all = query.toLowerCase().match(/c\+\+|[\p{L}\p{N}_]+/gu) || [];
    const telling = all.filter(word => !STOP.has(word));
    return [...new Set((telling.length ? telling : all).map(stem))];
}

function prepare() {
    sections = searchIndex.map(([page, anchor, title, heading, text, question]) => ({page, anchor, title, heading, text, question,
        lowTitle: title.toLowerCase(), lowHeading: (question ? text : heading).toLowerCase(), lowText: text.toLowerCase()}));
    sections.typical = sections.reduce((sum, s) => sum + s.text.length, 0) / sections.length;
}

// How often a word of a text, or a part of a name such as mk_policy_save, begins with this; of one or two letters, how often it is
// a word.
function count(text, word) {
    const apart = at => at < 0 || at >= text.length || /[^\p{L}\p{N}]/u.test(text[at]);
    let n = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
        n += apart(at - 1) && (word.length > 2 || apart(at + word.length));
    return n;
}

// 0 … 1: the more of the heading the word is, the more.
function share(heading, word) {
    return count(heading, word) ? 0.5 + 0.5 * Math.min(1, word.length / heading.length) : 0;
}

function weight(section, word) {
    const n = count(section.lowText, word), length = section.text.length / sections.typical;
    return 6 * share(section.lowHeading, word) + 4 * share(section.lowTitle, word) * (section.heading === section.title ? 2 : 1)
        + (n ? 2 * n / (n + 0.5 + length) : 0);
}

// A section, and questions that lead to it, are one result.
function firstOfItsPlace() {
    const places = new Set();
    return ({section: {page, anchor}}) => places.size < places.add(page + "#" + anchor).size;
}

function results(query) {
    const words = wordsOf(query), whole = query.trim().toLowerCase();
    if (!words.length) return null;
    if (!sections) prepare();
    const weights = words.map(word => sections.map(section => weight(section, word)));
    const rarity = weights.map(w => Math.log(1 + sections.length / (1 + w.filter(Boolean).length)));
    return sections.map((section, i) => {
        const have = words.filter((_, k) => weights[k][i]).length;
        const said = section.lowHeading.includes(whole) || section.question && section.heading.toLowerCase().includes(whole);
        return {section, words, value: (said ? 2 : 1) * (have / words.length) ** 2
            * (section.question ? QUESTION : section.page.startsWith("note_") ? NOTE : 1) * words.reduce((sum, _, k) => sum + rarity[k] * weights[k][i], 0)};
    }).filter(hit => hit.value).sort((a, b) => b.value - a.value).filter(firstOfItsPlace());
}

function element(tag, ...children) {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
}

// A part of the text around the first word of the question, with all of them marked.
function excerpt({section, words}) {
    const places = words.map(word => section.lowText.indexOf(word)).filter(at => at >= 0);
    let at = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
    if (at) at = section.text.indexOf(" ", at) + 1;
    const end = section.text.indexOf(" ", at + EXCERPT), part = section.text.slice(at, end < 0 ? undefined : end);
    const pieces = part.split(new RegExp(`((?:${words.join("|").replaceAll("+", "\\+")})[\\p{L}\\p{N}]*)`, "iu"));
    return element("small", at ? "… " : "", ...pieces.map((piece, k) => k % 2 ? element("mark", piece) : piece),
        end < 0 ? "" : " …");
}

function link(hit) {
    const {page, anchor, title, heading} = hit.section, made = element("a", element("strong", heading || title),
        heading && heading !== title ? " · " + title : "", excerpt(hit));
    made.href = page + ".html" + (anchor ? "#" + anchor : "");
    made.addEventListener("click", () => { found.hidden = true; });
    return made;
}

function show(most) {
    const hits = results(box.value);
    found.replaceChildren();
    found.hidden = hits === null;
    if (!hits) return;
    found.append(element("p", hits.length === 1 ? "1 section" : hits.length ? `${hits.length} sections` : "No section has any of these words."),
        ...hits.slice(0, most).map(link));
    if (hits.length <= most) return;
    const more = element("button", `Show ${Math.min(FIRST, hits.length - most)} more`);
    more.type = "button";
    more.addEventListener("click", event => { event.stopPropagation(); show(most + FIRST); });
    found.append(more);
}

box.addEventListener("input", () => show(FIRST));
box.addEventListener("focus", () => { if (box.value && found.hidden) show(FIRST); });
box.form.addEventListener("submit", event => {
    event.preventDefault();
    const first = found.querySelector("a");
    if (first) location.href = first.href;
});
document.addEventListener("keydown", event => {
    if (event.key === "Escape") found.hidden = true;
    else if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
});
document.addEventListener("click", event => { if (!found.contains(event.target) && event.target !== box) found.hidden = true; });
const asked = new URLSearchParams(location.search).get("q");
if (asked) { box.value = asked; show(FIRST); }
