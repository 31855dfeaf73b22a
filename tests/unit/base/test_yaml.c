/* YAML text to a tree and back, places, refusals, overrides. Expected texts are written by hand from the YAML 1.1
 * specification and the places counted in the text; columns count characters from 1. */
#include <string.h>

#include "sim/base/yaml_tree.h"
#include "tests/support/check.h"
#include "tests/support/message.h"
#include "tests/support/scratch.h"

static void check_good(void)
{
    const char *text = "\xef\xbb\xbf# comment\n"
                       "name: é x   # rest\n"
                       "list:\n"
                       "  - {a: 1, b: [x, 'y z', \"\\u00e9\"]}\n"
                       "  - |\n"
                       "    two\n"
                       "    lines\n"
                       "empty:\n";
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    int code = mk_tree_parse(&tree, "f.yaml", text, strlen(text), &err);
    CHECK(code == MK_OK, "a file with a byte order mark, comments, block and flow style parses %s", err.text);
    REQUIRE(!code, "a tree");
    const struct mk_node *list = mk_node_get(tree->root, "list"), *b = mk_node_get(list->child[0], "b");
    CHECK(tree->root->n == 3 && strcmp(mk_node_get(tree->root, "name")->text, "é x") == 0, "plain text");
    CHECK(list->n == 2 && b->n == 3, "lists");
    CHECK(!b->child[0]->quoted && b->child[1]->quoted && strcmp(b->child[2]->text, "é") == 0, "quotes and escapes");
    CHECK(strcmp(list->child[1]->text, "two\nlines\n") == 0 && list->child[1]->quoted, "block text");
    CHECK(mk_node_get(tree->root, "empty")->length == 0, "empty value");
    CHECK(mk_node_get(tree->root, "none") == NULL, "no such key");
    CHECK(b->where.line == 4 && b->where.column == 15 && b->key_where.column == 12, "place of value and key");
    CHECK(b->child[1]->where.column == 19 && strcmp(b->where.file, "f.yaml") == 0, "place of an item");
    const char *want = "name: é x\nlist:\n- {a: 1, b: [x, \"y z\", \"é\"]}\n- \"two\\nlines\\n\"\nempty:\n";
    tree->root->flow = 0;
    tree->root->child[1]->flow = 0;
    char *emitted = mk_node_emit(tree->root);
    if (emitted && strcmp(emitted, want) != 0) printf("# %s", emitted);
    CHECK(emitted && strcmp(emitted, want) == 0, "emission in block and flow style");
    struct mk_tree *again = NULL;
    code = mk_tree_parse(&again, "again", emitted, strlen(emitted), &err);
    if (!code) again->root->flow = again->root->child[1]->flow = 0;
    char *twice = code ? NULL : mk_node_emit(again->root);
    CHECK(twice && strcmp(twice, emitted) == 0, "what is emitted reads back");
    free(twice);
    free(emitted);
    mk_tree_free(again);
    mk_tree_free(tree);
}

/* Scalars that YAML would read as something else survive emission. */
static void check_scalars(void)
{
    static const char *const hard[] = {"",       " lead",    "trail ", "a: b", "a #b", "- x", "[x",       "{x}",  "*a",
                                       "&a",     "!t",       "%x",     "@x",   "`x",   "'",   "\"",       "\\",   "a,b",
                                       "tab\tx", "\x01",     "é→𝔸",    "---",  "...",  "? x", "x\ny\n\n", "null", "~",
                                       "a\rb",   "\xc2\x85", "|",      ">",    ":",    "1e6", "yes",      "=",    "<<"};
    int wrong = 0;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        for (int flow = 0; flow < 2; flow++) {
            struct mk_node *root = mk_node_new(MK_NODE_MAPPING, flow);
            struct mk_tree *tree = NULL;
            struct mk_error err = {0, ""};
            mk_node_add(root, "k", mk_node_text(hard[i]));
            mk_node_add(mk_node_add(root, "l", mk_node_new(MK_NODE_LIST, 1)), NULL, mk_node_text(hard[i]));
            char *text = mk_node_emit(root);
            int code = mk_tree_parse(&tree, "t", text, strlen(text), &err);
            int bad = code || strcmp(tree->root->child[0]->text, hard[i]) != 0 ||
                      strcmp(tree->root->child[1]->child[0]->text, hard[i]) != 0;
            if (bad) printf("# scalar %zu flow %d: %s %s\n", i, flow, text, err.text);
            wrong += bad;
            free(text);
            mk_tree_free(tree);
            mk_node_free(root);
        }
    }
    CHECK(wrong == 0, "%zu awkward scalars survive emission", sizeof hard / sizeof *hard);
}

static void refuse(const char *text, size_t length, const char *want)
{
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    int code = mk_tree_parse(&tree, "f", text, length, &err);
    int same = code == MK_EINPUT && message_says(err.text, want);
    CHECK(same, "refused: %s%s%s", want, same ? "" : " GOT ", same ? "" : err.text);
    if (!code) mk_tree_free(tree);
}

static void check_refusals(void)
{
    static const char *const cases[][2] = {
        {"a: 1\nb: 2\na: 3\n", "f:3:1: a: ~line 1"},
        {"é: {b: 1, b: 2}\n", "f:1:11: b: ~line 1"},
        {"a: &x 1\n", "f:1:4: ~anchors"},
        {"a: 1\nb: *x\n", "f:2:4: ~aliases"},
        {"a: !!int 1\n", "f:1:4: ~tags"},
        {"a: !x {b: 1}\n", "f:1:4: ~tags"},
        {"a: &x [1]\n", "f:1:4: ~anchors"},
        {"&k a: 1\n", "f:1:1: ~anchors"},
        {"[1, 2]: 3\n", "f:1:1: ~plain word"},
        {"{? {a: 1} : 3}\n", "f:1:4: ~plain word"},
        {"a: 1\n---\nb: 2\n", "f:2:1: ~second document"},
        {"a: [1, 2\nb: 3\n", "f:2:2: did not find expected ',' or ']' while parsing a flow sequence"},
        {"a: {b: 1\n", "f:2:1: did not find expected ',' or '}' while parsing a flow mapping"},
        {"a: b: c\n", "f:1:5: mapping values are not allowed in this context"},
        {"a:\n\t- b\n", "f:2:1: a tab character; YAML allows only spaces here"},
        {"a: 'x\n", "f:2:1: found unexpected end of stream while scanning a quoted scalar"},
        {"a: 1\nbé\x01: 2\n", "f:2:3: control characters are not allowed"},
        {"a: \xff\n", "f:1:4: invalid leading UTF-8 octet"},
        {"a: \xc3(\n", "f:1:5: invalid trailing UTF-8 octet"},
        {"a: \"x\\0y\"\n", "f:1:4: ~NUL"},
        {"\"x\\0y\": 1\n", "f:1:1: ~NUL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuse(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    char deep[256];
    memset(deep, '[', 100);
    deep[100] = 0;
    refuse(deep, 100, "f:1:65: ~nested");
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    snprintf(deep, sizeof deep, "%.*s%.*s", 64, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 64,
             "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    CHECK(mk_tree_parse(&tree, "f", deep, strlen(deep), &err) == MK_OK, "64 deep is allowed");
    mk_tree_free(tree);
}

static void check_limits(void)
{
    char *text = malloc(MK_YAML_BYTES + 2);
    char *keys = malloc(20000);
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    size_t n = 0;
    REQUIRE(text && keys, "64 MB");
    for (int i = 0; i <= MK_YAML_KEYS; i++) n += (size_t)sprintf(keys + n, "k%d: 1\n", i);
    refuse(keys, n, "f:1001:1: ~more than 1000");
    memset(text, ' ', MK_YAML_BYTES + 1);
    text[0] = 'x';
    refuse(text, MK_YAML_BYTES + 1, "f:1:1: ~larger");
    memset(keys, '{', 20000);
    CHECK(mk_tree_parse(&tree, "f", keys, 20000, &err) == MK_EINPUT, "20000 braces: %s", err.text);
    free(keys);
    free(text);
    CHECK(mk_tree_parse(&tree, "f", "", 0, &err) == MK_OK && tree->root->kind == MK_NODE_SCALAR &&
              tree->root->length == 0,
          "an empty text is an empty scalar");
    mk_tree_free(tree);
}

static void check_files(struct scratch *s)
{
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    const char *path = scratch_write(s, "x.yaml", "a: 1\nb: [\n", 10);
    char want[400];
    CHECK(mk_tree_read(&tree, path, &err) == MK_EINPUT, "a broken file is refused");
    snprintf(want, sizeof want, "%s:3:1: did not find expected node content while parsing a flow node", path);
    CHECK(strcmp(err.text, want) == 0, "its message: %s", err.text);
    snprintf(want, sizeof want, "%s/none: cannot be read: No such file or directory", s->dir);
    char none[100];
    snprintf(none, sizeof none, "%s/none", s->dir);
    CHECK(mk_tree_read(&tree, none, &err) == MK_EINPUT && strcmp(err.text, want) == 0, "no such file");
    snprintf(want, sizeof want, "%s: cannot be read: Is a directory", s->dir);
    CHECK(mk_tree_read(&tree, s->dir, &err) == MK_EINPUT && strcmp(err.text, want) == 0, "a directory: %s", err.text);
    path = scratch_write(s, "y.yaml", "a: 1\n", 5);
    CHECK(mk_tree_read(&tree, path, &err) == MK_OK, "a file reads");
    CHECK(strcmp(mk_node_get(tree->root, "a")->text, "1") == 0, "its content");
    mk_tree_free(tree);
}

static void check_set(const char *assignment, const char *want)
{
    const char *text = "{a: 1, l: [{b: 2}, [3, 4]], e: []}";
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    if (mk_tree_parse(&tree, "f", text, strlen(text), &err)) exit(1);
    int code = mk_tree_set(tree, assignment, &err);
    char *emitted = code ? NULL : mk_node_emit(tree->root);
    if (emitted) emitted[strcspn(emitted, "\n")] = 0;
    const char *got = code ? err.text : emitted;
    CHECK(code ? message_says(got, want) : strcmp(got, want) == 0, "%s gives %s", assignment, got);
    free(emitted);
    mk_tree_free(tree);
}

static void check_overrides(void)
{
    check_set("a=7", "{a: 7, l: [{b: 2}, [3, 4]], e: []}");
    check_set("a={x: [1, 2]}", "{a: {x: [1, 2]}, l: [{b: 2}, [3, 4]], e: []}");
    check_set("new=x=y", "{a: 1, l: [{b: 2}, [3, 4]], e: [], new: x=y}");
    check_set("l.0.b=", "{a: 1, l: [{b: ''}, [3, 4]], e: []}");
    check_set("l.0.c='1'", "{a: 1, l: [{b: 2, c: \"1\"}, [3, 4]], e: []}");
    check_set("l.1.1=9", "{a: 1, l: [{b: 2}, [3, 9]], e: []}");
    check_set("l.1=9", "{a: 1, l: [{b: 2}, 9], e: []}");
    check_set("l.2=9", "--set l.2=…: 2: ~no such item");
    check_set("l.-1=9", "--set l.-1=…: -1: ~no such item");
    check_set("l.x=9", "--set l.x=…: x: ~no such item");
    check_set("e.0=9", "--set e.0=…: 0: ~empty");
    check_set("x.y=9", "--set x.y=…: x: ~no such key");
    check_set("a.y=9", "--set a.y=…: y: ~before it");
    check_set("a..y=9", "--set a..y=…: ~empty part");
    check_set("=9", "--set: ~got '=9'");
    check_set("a", "--set: ~got 'a'");
    check_set("a=[1", "--set a=…: ~flow sequence");
    check_set("a={b: 1, b: 2}", "--set a=…: b: ~duplicate");
    check_set("a=*x", "--set a=…: ~aliases");
    struct mk_tree *tree = NULL;
    struct mk_error err = {0, ""};
    if (mk_tree_parse(&tree, "f", "a: [1]", 6, &err)) exit(1);
    mk_tree_set(tree, "a.0=5", &err);
    const struct mk_node *node = mk_node_get(tree->root, "a")->child[0];
    CHECK(strcmp(node->where.file, "--set a.0=…") == 0 && node->where.line == 0, "place of a value that was set");
    CHECK(mk_node_get(tree->root, "a")->where.line == 1, "place of the mapping around it");
    mk_tree_free(tree);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_good();
    check_scalars();
    check_refusals();
    check_limits();
    check_files(&s);
    check_overrides();
    scratch_remove(&s);
    return CHECK_EXIT;
}
