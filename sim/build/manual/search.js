// The search box: sections that have every word, those with the words in their headings first. No server is needed.
const box = document.getElementById("search"), found = document.getElementById("found"), menu = document.getElementById("menu");
if (window.matchMedia("(max-width: 50rem)").matches) menu.removeAttribute("open");

function score(entry, words) {
    const heading = entry[3].toLowerCase(), title = entry[2].toLowerCase(), text = entry[4].toLowerCase();
    let sum = 0;
    for (const word of words) {
        const here = (heading === word ? 100 : heading.includes(word) ? 20 : 0) + (title.includes(word) ? 5 : 0)
            + Math.min(text.split(word).length - 1, 4);
        if (!here) return 0;
        sum += here;
    }
    return sum;
}

function results(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return null;
    return searchIndex.map(entry => ({entry, value: score(entry, words), word: words[0]})).filter(hit => hit.value)
        .sort((a, b) => b.value - a.value).slice(0, 20);
}

function line(tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
}

function show() {
    const hits = results(box.value);
    found.replaceChildren();
    found.hidden = hits === null;
    if (hits && !hits.length) found.append(line("p", "Nothing is found."));
    for (const {entry: [page, anchor, title, heading, text], word} of hits || []) {
        const link = document.createElement("a"), at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
        link.href = page + ".html" + (anchor ? "#" + anchor : "");
        link.append(line("strong", heading || title), heading && heading !== title ? " · " + title : "",
            line("small", text.slice(at, at + 180)));
        link.addEventListener("click", () => { found.hidden = true; });
        found.append(link);
    }
}

box.addEventListener("input", show);
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
if (location.search.startsWith("?q=")) { box.value = decodeURIComponent(location.search.slice(3)); show(); }
