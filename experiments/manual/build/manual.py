"""The manual as a static site: `manual.py MAXK OUT [PAPER]` (`make manual`). Its pages are those of experiments/manual, the
READMEs, and reference pages that the program writes from its registries (`maxk list`, `maxk describe`, `--help`), the Python
module's docstrings, the public headers and the theorems of the paper. PAPER is the path of the paper from OUT, such as
../maxk.pdf: what links to its source then links to it. Needs pandoc, no network; the pages, with their search, can be read from
files. A link or an anchor that leads nowhere is an error: exit code 1."""
import ast
import concurrent.futures
import glob
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import urllib.parse

GROUPS = [  # (title, [page: the document that it is made of, or the name of a reference page])
    ("Start", [f"experiments/manual/{page}.md" for page in ("index", "tour", "install")]),
    ("Tutorials", [f"experiments/manual/{user}.md" for user in ("theorist", "python", "practitioner", "developer")]),
    ("Guides", ["experiments/manual/experiment_files.md", "experiments/manual/recorded_runs.md", "experiments/manual/searches.md",
                "experiments/manual/bounds.md", "experiments/manual/comparing.md", "experiments/manual/tuning.md",
                "experiments/manual/executors.md", "experiments/manual/other_languages.md",
                "analysis/README.md", "sim/python/README.md", "sim/README.md", "experiments/cluster/README.md",
                "experiments/examples/README.md", "experiments/data/README.md", "experiments/manual/compatibility.md",
                "CONTRIBUTING.md", "experiments/manual/decisions.md"]),
    ("Reference", ["commands", "keys", "tables", "policies", "families", "optimizers", "objectives", "curves", "figures",
                   "claims", "imports", "experiments", "python_api", "c_api", "theorems", "glossary"]),
    ("Background", ["policies/README.md", "distributions/README.md", "sim/search/optimizers/README.md",
                    "sim/search/objectives/README.md", "sim/program/bench/README.md", "CHANGELOG.md"]),
]
PAPER = "analysis/theory/paper/maxk.tex"
SHORT = 20  # characters of a table's cell up to which it is one line
# A line that only entries of this registry have in `maxk describe`.
MARKS = {"policies": r"^kind: ", "families": r"^E\[M\(n\)\]: ", "optimizers": r"^\w+: optimiser, ",
         "objectives": r"^\w+: objective, ", "curves": r"^\w+: curve "}
WORDY = 60  # from which it needs a wide column
HERE = os.path.dirname(os.path.abspath(__file__)) + "/manual"


def document(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Program:
    """What maxk says about itself, as Markdown."""

    def __init__(self, maxk):
        self.maxk = maxk

    def __call__(self, *arguments):
        return subprocess.run([self.maxk, *arguments], capture_output=True, text=True, check=True).stdout

    def names(self, what):
        return [line.split()[0] for line in self("list", what).splitlines()]

    def text(self, *arguments):
        return f"```description\n{self(*arguments).rstrip()}\n```"

    def described(self, title, what):
        return "\n\n".join([f"# {title}", self("list", what, "--markdown"),
                            *(f"## {name}\n\n{self.description(name, what)}" for name in self.names(what))])

    def description(self, name, what):
        """What maxk describe says of a name: of entries of several registries that share it, the one of this registry."""
        entries = re.split(rf"(?m)^(?={name}: )", self("describe", name))[1:]
        found = [entry for entry in entries if re.search(MARKS[what], entry, re.M)]
        return f"```description\n{found[0].rstrip()}\n```"

    def listed(self, title, what):
        return f"# {title}\n\n{self('list', what, '--markdown')}"

    def commands(self):
        return "\n\n".join([self.listed("Commands", "commands"),
                            *(f"## maxk {name}\n\n{self.text(name, '--help')}" for name in self.names("commands"))])

    def keys(self):
        return "\n\n".join(["# Keys", *(f"## {title}\n\n{self('list', what, '--markdown')}" for title, what in (
            ("Experiment files", "keys"), ("Tune files", "tunekeys"), ("Search spaces", "spacekeys")))])

    def tables(self):
        return "\n\n".join([self.listed("Tables and their columns", "tables"), *(
            f"## Table {name}\n\n{self('list', 'columns', name, '--markdown')}" for name in self.names("tables"))])


def signature(node):
    text = ast.unparse(node.args)
    return re.sub(r"^(self|cls)(, )?", "", text)


def docstring(node):
    """Lines such as `policy: only this policy` are a list."""
    return re.sub(r"^(\w+): ", r"- `\1`: ", ast.get_docstring(node) or "", flags=re.M)


def call(name, node):
    return f"```python\n{name}({signature(node)})\n```"


def methods(node, classes):
    """Of a class and of those of the module that it is derived from, {name: function}."""
    out = {}
    for base in node.bases:
        if getattr(base, "id", "") in classes:
            out |= methods(classes[base.id], classes)
    return out | {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}


def described_class(module, node, classes):
    own = methods(node, classes)
    yield f"## {module}.{node.name}"
    if "__init__" in own:
        yield call(node.name, own["__init__"])
    yield docstring(node)
    for name, m in own.items():
        if not name.startswith("_") and docstring(m):
            is_property = any(getattr(d, "id", "") == "property" for d in m.decorator_list)
            yield f"### {node.name}.{name}"
            yield f"```python\n{name}\n```" if is_property else call(name, m)
            yield docstring(m)


def python_api():
    """Public classes, methods and functions of the module, from its source. A function `_name` is public as `name`."""
    folder = "sim/python/maxk/"
    package = ast.parse(document(folder + "__init__.py"))
    public = next(ast.literal_eval(n.value) for n in package.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    files = sorted(f for f in os.listdir(folder) if f.endswith(".py") and f != "__init__.py")
    nodes = [(f, n) for f in files for n in ast.parse(document(folder + f)).body
             if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
    classes = {n.name: n for _, n in nodes if isinstance(n, ast.ClassDef)}
    out = ["# Python API", docstring(package)]
    for file, node in nodes:
        name, module = node.name.removeprefix("_"), "maxk.sklearn" if file == "sklearn.py" else "maxk"
        private = node.name != name and (module != "maxk" or isinstance(node, ast.ClassDef))
        if private or module == "maxk" and name not in public:
            continue
        if isinstance(node, ast.ClassDef):
            out += described_class(module, node, classes)
        else:
            out += [f"## {module}.{name}", call(name, node), docstring(node)]
    return "\n\n".join(out)


def c_prose(comment, names):
    """The text of a comment as a paragraph; what it names is linked."""
    text = html.escape(" ".join(re.sub(r"^ ?\* ?", "", comment.strip("/* \n"), flags=re.M).split()), quote=False)
    return "<p>" + re.sub(r"\b[a-zA-Z_]\w+\b", lambda m: f'<a href="#{m[0]}"><code>{m[0]}</code></a>' if m[0] in names else m[0],
                          text) + "</p>"


def c_names(code):
    """What a declaration declares: functions, structures and enumerations, or else macros and constants."""
    code = re.sub(r'/\*.*?\*/|^MK_DEPRECATED\("\w+"\)\s', "", code, flags=re.S | re.M)
    types = re.findall(r"^((?:struct|enum) \w+)(?= \{)", code, re.M)
    return (types + re.findall(r"^[a-z].*?\b(mk_\w+)\(", code, re.M)
            or re.findall(r"^(struct \w+);", code, re.M)
            or list(dict.fromkeys(re.findall(r"^#define (\w+)", code, re.M)))  # one, in two cases
            or re.findall(r"^enum \{ (\w+)", code, re.M))


def c_items(name):
    """The opening comment of a public header, and its declarations: [(comment, code, names)]."""
    text = document(f"sim/api/maxk/{name}.h")
    opening = re.match(r"/\*(.*?)\*/\n", text, re.S)
    code = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text[opening.end():], flags=re.S)
    code = re.sub(r"^#(ifndef|define) \w+_H$\n|^#include.*\n", "", code, flags=re.M)
    code = re.sub(r"\n#endif\s*\Z", "", code)
    parts = [re.match(r"(/\*.*?\*/)?(.*)", part, re.S) for part in re.split(r"\n{2,}", code.strip())]
    return opening[1], [(m[1] or "", m[2].strip(), c_names(m[2])) for m in parts]


def c_api():
    """The public headers: what each declares, with its comment, under an anchor of its own."""
    out = ["# C API", "Every public header, as it is installed; `#include <maxk.h>` includes them all."]
    headers = {name: c_items(name) for name in ("maxk", "policy", "study", "table", "bounds", "error")}
    names = {n for _, items in headers.values() for _, _, declared in items for n in declared}
    for name, (opening, items) in headers.items():
        out += [f"## {name}.h", textwrap.dedent(re.sub(r"^ \* ?", "", " * " + opening.strip(), flags=re.M))]
        for comment, code, declared in items:
            section = re.fullmatch(r"/\* ---- (.*?)(: (.*))? ---- \*/", comment, re.S)
            if section:
                out += [f"### {section[1][0].upper()}{section[1][1:]}", c_prose(section[3] or "", names)]
                continue
            if declared:
                out.append("#### " + ", ".join(f'<code id="{n.replace(" ", "-")}">{n}</code>' for n in declared))
            out += [c_prose(comment, names) if comment else "", f"```c\n{code}\n```" if code else ""]
    return "\n\n".join(part for part in out if part)


def stated(n):
    """Theorem n as a header of analysis/theory states it, and the header."""
    for path in sorted(glob.glob("analysis/theory/**/*.h", recursive=True)):
        comment = re.sub(r"^ \*/? ?", "", document(path).partition("*/")[0], flags=re.M)
        found = re.search(rf"THEOREM {n} \([^)]*\)\.\s+(.*?)(?=\n\n(?:\d+\. )?[A-Z][A-Z]|\Z)", comment, re.S)
        if found:
            return found[1].rstrip(), path
    raise ValueError(f"no header of analysis/theory states Theorem {n}")


def header_part(part):
    """A part of a header's comment: a formula, which is indented, or a paragraph."""
    if all(line.startswith("    ") for line in part.splitlines()):
        return f"```description\n{textwrap.dedent(part)}\n```"
    return f"<p>{html.escape(' '.join(part.split()), quote=False)}</p>"


def theorems():
    """What the paper proves: its theorems, as headers state them, and the titles of its propositions."""
    text = re.sub(r"\\input\{(\w+)\}", lambda m: document(f"{os.path.dirname(PAPER)}/{m[1]}.tex")
                  if os.path.exists(f"{os.path.dirname(PAPER)}/{m[1]}.tex") else "", document(PAPER))
    titles = {kind: re.findall(r"\\begin\{%s\}\[([^]]*)\]" % kind, text) for kind in ("theorem", "proposition")}
    out = ["# Theorems of the paper",
           f"[*Certified bounds for MaxUCB*](/{PAPER}) has the theorems that `maxk certify`, `bounds` and `rate` rest on, with "
           "all proofs. Here they are as headers state them, which have the notation as well and are installed in `share/maxk`."]
    for n, title in enumerate(titles["theorem"], 1):
        statement, path = stated(n)
        out += [f"## Theorem {n} ({title})", *map(header_part, re.split(r"\n{2,}", statement)), f"`{path}`"]
    out += ["## Propositions", "| | |\n|---|---|\n" + "\n".join(
        f"| Proposition {n} | {title} |" for n, title in enumerate(titles["proposition"], 1))]
    return "\n\n".join(out)


def glossary():
    return "# Glossary\n" + re.search(r"^## Glossary\n(.*?)(?=^## )", document("CONTRIBUTING.md"), re.M | re.S)[1]


def pages(maxk):
    """{name of the page: (source path or None, Markdown)}"""
    program = Program(maxk)
    reference = {
        "commands": program.commands, "keys": program.keys, "tables": program.tables,
        "policies": lambda: program.described("Policies and their parameters", "policies"),
        "families": lambda: program.described("Families and their parameters", "families"),
        "optimizers": lambda: program.described("Optimisers and their parameters", "optimizers"),
        "objectives": lambda: program.described("Objectives and their parameters", "objectives"),
        "curves": lambda: program.described("Curves of rising arms", "curves"),
        "figures": lambda: program.listed("Figures", "figures"),
        "claims": lambda: program.listed("Published claims", "claims"),
        "imports": lambda: program.listed("Kinds of files that maxk import reads", "imports"),
        "experiments": lambda: program.listed("Published experiments", "experiments"),
        "python_api": python_api, "c_api": c_api, "theorems": theorems, "glossary": glossary,
    }
    out = {}
    for _, sources in GROUPS + [("", notes())]:
        for source in sources:
            if source in reference:
                out["reference_" + source] = (None, reference[source]())
            else:
                out[page_name(source)] = (source, document(source))
    return out


def notes():
    """The index of the experiments, and the pages next to it."""
    folder = "experiments/notes"
    return ["experiments/README.md"] + sorted(f"{folder}/{f}" for f in os.listdir(folder) if f.endswith(".md"))


def page_name(source):
    """experiments/manual/theorist.md: theorist; policies/README.md: policies; experiments/notes/x.md: note_x."""
    if source == "experiments/manual/index.md":
        return "index"
    stem = source[:-3].removesuffix("/README")
    if source.startswith("experiments/notes/"):
        return "note_" + os.path.basename(stem)
    return os.path.basename(stem) if source.startswith("experiments/manual/") else stem.lower().replace("/", "_")


class Page:
    def __init__(self, name, source, text):
        self.name, self.source = name, source
        text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.M | re.S)
        self.title = re.search(r"^# (.*)$", text, re.M)[1]
        self.text = text


def menu(titles, current):
    out = []
    for title, sources in GROUPS + [("Experiments", notes())]:
        names = [page_name(s) if s.endswith(".md") else "reference_" + s for s in sources]
        out.append(f"<h2>{title}</h2><ul>" + "".join(
            f'<li><a href="{n}.html"{" aria-current=page" if n == current else ""}>{html.escape(titles[n])}</a></li>'
            for n in names) + "</ul>")
    return "\n".join(out)


def relinked(page, text, names, out, paper):
    """Links of a document, whose targets are files of the source, as links of the site; pictures are copied. What is not part of
    the site is named by its path; /PATH is one from the top."""
    folder = os.path.dirname(page.source or "")

    def target(link):
        path, _, anchor = link.partition("#")
        full = os.path.normpath(os.path.join(folder, urllib.parse.unquote(path)).lstrip("/")) if path else page.source
        readme = full if full and full.endswith(".md") else f"{full}/README.md".removeprefix("./")
        return full, names.get(readme), anchor

    def anchor_tag(match):
        link, inner = html.unescape(match[1]), match[2]
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return match[0]
        full, name, anchor = target(link)
        if full == PAPER and paper:
            return f'<a href="{paper}">{inner}</a>'
        if name:
            return f'<a href="{name}.html{"#" + anchor if anchor else ""}">{inner}</a>'
        where = f"<code>{html.escape(full)}</code>"
        return inner if full in re.sub("<[^>]*>", "", inner) else f'{inner} ({where})'

    def picture(match):
        link = match[2]
        if re.match(r"[a-z]+:", link):
            return match[0]
        full = os.path.normpath(os.path.join(folder, link))
        shutil.copy(full, os.path.join(out, "figures"))
        return f'{match[1]}figures/{os.path.basename(full)}"'

    text = re.sub(r'<a\s[^>]*?href="([^"]*)"[^>]*>(.*?)</a>', anchor_tag, text, flags=re.S)
    return re.sub(r'(<img\s[^>]*?src=")([^"]*)"', picture, text)


class Sections(html.parser.HTMLParser):
    """Sections of a body: [anchor, heading, text, further anchors of the heading, which are what it names]; and all anchors and
    links."""

    def __init__(self, body):
        super().__init__()
        self.sections, self.anchors, self.links, self.heading = [["", "", "", []]], set(), [], False
        self.feed(body)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.anchors.add(attrs["id"])
            if self.heading:
                self.sections[-1][3].append(attrs["id"])
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag == "img":
            self.links.append(attrs["src"])
        if re.fullmatch("h[1-6]", tag):
            self.sections.append([attrs.get("id", ""), "", "", []])
            self.heading = True

    def handle_endtag(self, tag):
        self.heading &= not re.fullmatch("h[1-6]", tag)

    def handle_data(self, data):
        self.sections[-1][1 if self.heading else 2] += data


def broken_at_slashes(match):
    """A path, or alternatives, where lines may end; nothing in a tag changes."""
    return re.sub(r"(?<=[\w\])])([/|])(?=[\w.\-])(?![^<]*>)", r"\1<wbr>", match[0])


def whole_options(code):
    """Code in which no line ends within an option such as --set."""
    return re.sub(r"(?<![\w\-<&/])(--?[a-z][\w\-]*)(?![^<]*>)", r'<span class="option">\1</span>', code)


def table_cell(match):
    """A cell with the class that says how narrow it may become."""
    length = len(html.unescape(re.sub("<[^>]*>", "", match[2])).strip())
    kind = "short" if length <= SHORT else "long" if length <= WORDY else "wordy"
    return f'<td{match[1]} class="{kind}">{match[2]}</td>'


def narrow(text):
    """A page that can be read on a telephone: what is not in a block of code may be broken at slashes, but for short cells."""
    parts = re.split(r"(<pre.*?</pre>)", text, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"<code>[^<]*</code>", broken_at_slashes, parts[i])
        parts[i] = re.sub(r"<code>.*?</code>", lambda code: whole_options(code[0]), parts[i], flags=re.S)
        parts[i] = re.sub(r"<td[^>]*>[^<]*</td>", broken_at_slashes, parts[i])
        parts[i] = re.sub(r"<td([^>]*)>(.*?)</td>", table_cell, parts[i], flags=re.S)
        parts[i] = re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', parts[i], flags=re.S)
    for i in range(1, len(parts), 2):
        if parts[i].startswith('<pre class="sh">'):
            parts[i] = whole_options(parts[i])
    return "".join(parts)


def body(page):
    command = ["pandoc", "-f", "gfm", "-t", "html5", "--wrap=none", "--columns=10000", "--no-highlight"]
    done = subprocess.run(command, input=page.text, capture_output=True, text=True, check=True).stdout
    done = re.sub(r'<h4 id="[^"]*"><code id=', "<h4><code id=", done)  # its names have anchors
    return re.sub(r"<colgroup>.*?</colgroup>\n?", "", done, flags=re.S)


def contents(sections):
    entries = [(a, h) for a, h, *_ in sections[2:] if a]
    return "" if len(entries) < 3 else '<nav id="contents"><details><summary>On this page</summary><ul>' + "".join(
        f'<li><a href="#{a}">{html.escape(h)}</a></li>' for a, h in entries) + "</ul></details></nav>"


def questions(text):
    """[(page, anchor, question, what answers it)] of tables whose rows have a question and a link."""
    rows = re.findall(r'<tr[^>]*>\s*<td[^>]*>([^<]*)</td>\s*<td[^>]*><a href="([^"#]*)\.html#?([^"]*)">([^<]*)</a>', text)
    return [(page, urllib.parse.unquote(anchor), html.unescape(question), html.unescape(answer))
            for question, page, anchor, answer in rows]


def dead_links(sections, out):
    for name, found in sections.items():
        for link in found.links:
            if re.match(r"(https?|mailto):", link):
                continue
            path, _, anchor = link.partition("#")
            other = path[:-5] if path.endswith(".html") else "" if path else name
            if path and not os.path.exists(os.path.join(out, path)) and other not in sections:
                yield f"{name}.html: {link}: no such page"
            elif anchor and (other not in sections or urllib.parse.unquote(anchor) not in sections[other].anchors):
                yield f"{name}.html: {link}: no such anchor"


def build(maxk, out, paper=None):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out + "/figures")
    made = [Page(name, *rest) for name, rest in pages(maxk).items()]
    names = {p.source: p.name for p in made if p.source}
    titles = {p.name: p.title.replace("`", "") for p in made}
    template = document(HERE + "/page.html")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bodies = dict(zip(titles, pool.map(body, made)))
    sections, index, answered = {}, [], []
    for page in made:
        text = narrow(relinked(page, bodies[page.name], names, out, paper))
        if page.name == "index":
            answered = questions(text)
        found = sections[page.name] = Sections(text)
        for anchor, heading, words, names_in_heading in found.sections:
            entries = [(n, n.replace("-", " ")) for n in names_in_heading] or [(anchor, heading)] * bool(heading or words.strip())
            index += [[page.name, a, titles[page.name], h, " ".join(words.split())] for a, h in entries]
        head, end, rest = text.partition("</h1>")
        parts = {"title": html.escape(titles[page.name]), "menu": menu(titles, page.name),
                 "body": head + end + contents(found.sections) + rest}
        with open(f"{out}/{page.name}.html", "w", encoding="utf-8") as f:
            f.write(re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m[1]], template))
    index = [entry for entry in index if entry[0] != "index" or not any(question in entry[4] for _, _, question, _ in answered)]
    index += [[page, anchor or next(a for a, *_ in sections[page].sections if a), titles[page], answer, question, 1]
              for page, anchor, question, answer in answered if page in titles]
    with open(out + "/search_index.js", "w", encoding="utf-8") as f:
        f.write("const searchIndex = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")
    for name in ("style.css", "search.js"):
        shutil.copy(f"{HERE}/{name}", out)
    return list(dead_links(sections, out)), len(made)


if __name__ == "__main__":
    dead, number = build(*sys.argv[1:4])
    for link in dead:
        print(link, file=sys.stderr)
    if not dead:
        print(f"  manual {sys.argv[2]}/index.html ({number} pages)")
    sys.exit(bool(dead))
