#include "sim/base/yaml_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"

/* ---- parsing ---- */

struct parse {
    yaml_parser_t yaml;
    const char *name; /* owned by the tree */
    int numbered;     /* places have line and column (not in an override's value) */
    const char *text;
    size_t nodes;
    struct mk_error *err;
};

static struct mk_where place(const struct parse *p, yaml_mark_t mark)
{
    if (!p->numbered) return (struct mk_where){p->name, 0, 0};
    return (struct mk_where){p->name, mark.line + 1, mark.column + 1};
}

static int fail_yaml(const struct parse *p)
{
    const yaml_parser_t *y = &p->yaml;
    if (y->error == YAML_MEMORY_ERROR) return mk_fail_memory(p->err, "YAML text");
    const char *problem = y->problem ? y->problem : "not YAML";
    struct mk_where where = place(p, y->problem_mark);
    if (y->error == YAML_READER_ERROR && p->numbered) /* of a character that is not allowed there is only the offset */
        where = mk_where_after((struct mk_where){p->name, 1, 1}, p->text, p->text + y->problem_offset);
    if (y->error == YAML_SCANNER_ERROR && *y->buffer.pointer == '\t')
        return mk_fail_at(p->err, where, NULL, "a tab character; YAML allows only spaces here");
    if (y->context) return mk_fail_at(p->err, where, NULL, "%s %s", problem, y->context);
    return mk_fail_at(p->err, where, NULL, "%s", problem);
}

static int next_event(struct parse *p, yaml_event_t *event)
{
    return yaml_parser_parse(&p->yaml, event) ? MK_OK : fail_yaml(p);
}

static int fail_event(const struct parse *p, const yaml_event_t *event, const char *problem)
{
    return mk_fail_at(p->err, place(p, event->start_mark), NULL, "%s", problem);
}

/* Anchors and tags are rejected here for every kind of node. */
static int check_properties(const struct parse *p, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    case YAML_ALIAS_EVENT: return fail_event(p, event, "aliases (*name) are not supported; write the value out");
    default: break;
    }
    if (anchor) return fail_event(p, event, "anchors (&name) are not supported; write the value out");
    if (tag) return fail_event(p, event, "tags (!name) are not supported");
    return MK_OK;
}

static int parse_node(struct parse *p, yaml_event_t *event, int depth, struct mk_node **out);

static int add_child(struct parse *p, struct mk_node *parent, const char *key, struct mk_where key_where,
                     struct mk_node *child)
{
    if (!mk_node_add(parent, key, child)) return mk_fail_memory(p->err, "YAML text");
    child->key_where = key_where;
    return MK_OK;
}

static int parse_list(struct parse *p, struct mk_node *list, int depth)
{
    for (;;) {
        yaml_event_t event;
        int code = next_event(p, &event);
        if (code) return code;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return MK_OK;
        }
        struct mk_node *child = NULL;
        code = parse_node(p, &event, depth + 1, &child);
        if (!code) code = add_child(p, list, NULL, child->where, child);
        if (code) return code;
    }
}

static int check_key(const struct parse *p, const struct mk_node *mapping, const yaml_event_t *event)
{
    char clip[MK_CLIP_ROOM];
    int code = check_properties(p, event);
    if (code) return code;
    if (event->type != YAML_SCALAR_EVENT) return fail_event(p, event, "expected a plain word as key");
    const char *key = (const char *)event->data.scalar.value;
    if (strlen(key) != event->data.scalar.length) return fail_event(p, event, "key contains NUL");
    const struct mk_node *first = mk_node_get(mapping, key);
    struct mk_where where = place(p, event->start_mark);
    if (first && p->numbered)
        return mk_fail_at(p->err, where, mk_clip(key, clip), "duplicate key, first in line %zu", first->key_where.line);
    if (first) return mk_fail_at(p->err, where, mk_clip(key, clip), "duplicate key");
    if (mapping->n >= MK_YAML_KEYS)
        return mk_fail_at(p->err, where, NULL, "more than %d keys in one mapping", MK_YAML_KEYS);
    return MK_OK;
}

static int parse_mapping(struct parse *p, struct mk_node *mapping, int depth)
{
    for (;;) {
        yaml_event_t event;
        int code = next_event(p, &event);
        if (code) return code;
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return MK_OK;
        }
        code = check_key(p, mapping, &event);
        struct mk_where key_where = place(p, event.start_mark);
        char *key = NULL;
        if (!code && !(key = strdup((const char *)event.data.scalar.value))) code = mk_fail_memory(p->err, "YAML text");
        yaml_event_delete(&event);
        struct mk_node *child = NULL;
        if (!code) code = next_event(p, &event);
        if (!code) code = parse_node(p, &event, depth + 1, &child);
        if (!code) code = add_child(p, mapping, key, key_where, child);
        free(key);
        if (code) return code;
    }
}

static struct mk_node *node_from_event(const yaml_event_t *event)
{
    if (event->type == YAML_SEQUENCE_START_EVENT) return mk_node_new(MK_NODE_LIST, 1);
    if (event->type == YAML_MAPPING_START_EVENT) return mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_node *node = mk_node_scalar((const char *)event->data.scalar.value, event->data.scalar.length);
    if (node) node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return node;
}

/* Takes ownership of the event. */
static int parse_node(struct parse *p, yaml_event_t *event, int depth, struct mk_node **out)
{
    struct mk_node *node = NULL;
    int code = check_properties(p, event);
    if (!code && depth > MK_YAML_DEPTH)
        code = mk_fail_at(p->err, place(p, event->start_mark), NULL, "nested more than %d levels deep", MK_YAML_DEPTH);
    if (!code && ++p->nodes > MK_YAML_NODES)
        code = mk_fail_at(p->err, place(p, event->start_mark), NULL, "more than %d values", MK_YAML_NODES);
    if (!code && event->type == YAML_SCALAR_EVENT && memchr(event->data.scalar.value, 0, event->data.scalar.length))
        code = fail_event(p, event, "text contains NUL");
    if (!code && !(node = node_from_event(event))) code = mk_fail_memory(p->err, "YAML text");
    if (!code) {
        node->where = place(p, event->start_mark);
        if (node->kind == MK_NODE_LIST) code = parse_list(p, node, depth);
        if (node->kind == MK_NODE_MAPPING) code = parse_mapping(p, node, depth);
    }
    yaml_event_delete(event);
    if (code)
        mk_node_free(node);
    else
        *out = node;
    return code;
}

/* stream start, document start, node, document end, stream end; *out stays NULL for empty text. */
static int parse_stream(struct parse *p, struct mk_node **out)
{
    yaml_event_t event;
    int code;
    for (;;) {
        code = next_event(p, &event);
        if (code) return code;
        yaml_event_type_t type = event.type;
        if (type == YAML_DOCUMENT_START_EVENT && *out) {
            code = fail_event(p, &event, "a second document (---) starts here; only one is allowed");
            yaml_event_delete(&event);
            return code;
        }
        if (type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT || type == YAML_DOCUMENT_END_EVENT) {
            yaml_event_delete(&event);
        } else if (type == YAML_STREAM_END_EVENT || type == YAML_NO_EVENT) {
            yaml_event_delete(&event);
            return MK_OK;
        } else {
            code = parse_node(p, &event, 1, out);
            if (code) return code;
        }
    }
}

/* `name` must outlive the nodes. Empty text gives an empty scalar. */
static int parse_text(struct mk_node **out, const char *name, int numbered, const char *text, size_t length,
                      struct mk_error *err)
{
    struct mk_where start = {name, numbered ? 1 : 0, numbered ? 1 : 0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (length > MK_YAML_BYTES) return mk_fail_at(err, start, NULL, "larger than %d MiB", MK_YAML_BYTES >> 20);
    struct parse p = {.name = name, .numbered = numbered, .text = text, .err = err};
    if (!yaml_parser_initialize(&p.yaml)) return mk_fail_memory(err, "YAML text");
    yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, length);
    struct mk_node *root = NULL;
    int code = parse_stream(&p, &root);
    yaml_parser_delete(&p.yaml);
    if (!code && !root) {
        root = mk_node_text("");
        if (!root) return mk_fail_memory(err, "YAML text");
        root->where = start;
    }
    if (code)
        mk_node_free(root);
    else
        *out = root;
    return code;
}

/* ---- trees ---- */

/* Keeps a copy of a file name for the places that refer to it. */
static const char *keep_file(struct mk_tree *tree, const char *name)
{
    if (!MK_GROW(tree->file, tree->n_files, 1)) return NULL;
    char *copy = strdup(name);
    if (copy) tree->file[tree->n_files++] = copy;
    return copy;
}

int mk_tree_parse(struct mk_tree **out, const char *name, const char *text, size_t length, struct mk_error *err)
{
    struct mk_tree *tree = calloc(1, sizeof *tree);
    const char *kept = tree ? keep_file(tree, name) : NULL;
    int code = kept ? parse_text(&tree->root, kept, 1, text, length, err) : mk_fail_memory(err, "YAML text");
    if (code)
        mk_tree_free(tree);
    else
        *out = tree;
    return code;
}

void mk_tree_free(struct mk_tree *tree)
{
    if (!tree) return;
    mk_node_free(tree->root);
    for (size_t i = 0; i < tree->n_files; i++) free(tree->file[i]);
    free(tree->file);
    free(tree);
}

enum { AT_ONCE = 1 << 16 };

/* The whole file, or more than MK_YAML_BYTES of a larger one, so that it is noticed. */
static int read_all(const char *path, char **out, size_t *length, struct mk_error *err)
{
    char *text = NULL;
    size_t n = 0;
    int code = MK_OK;
    FILE *file = fopen(mk_readable_path(path), "rb");
    if (!file) return mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", path, strerror(errno));
    while (n <= MK_YAML_BYTES) {
        if (!MK_GROW(text, n, AT_ONCE)) {
            code = mk_fail_memory(err, path);
            goto out;
        }
        size_t got = fread(text + n, 1, AT_ONCE, file);
        n += got;
        if (!got) break;
    }
    if (ferror(file))
        code = mk_fail(err, errno == EISDIR ? MK_EINPUT : MK_EIO, "%s: cannot be read: %s", path, strerror(errno));
    else if (n >= 4 && memcmp(text, "\x89HDF", 4) == 0)
        code = mk_fail(err, MK_EINPUT,
                       "%s: an HDF5 file, such as the result of a run; expected an experiment (YAML text)", path);
out:
    fclose(file);
    if (code) {
        free(text);
    } else {
        *out = text;
        *length = n;
    }
    return code;
}

int mk_tree_read(struct mk_tree **out, const char *path, struct mk_error *err)
{
    char *text = NULL;
    size_t length = 0;
    int code = read_all(path, &text, &length, err);
    if (!code) code = mk_tree_parse(out, path, text, length, err);
    free(text);
    return code;
}

/* ---- overrides ---- */

struct setting {
    struct mk_where where; /* --set path=… */
    struct mk_node *value;
    struct mk_error *err;
};

static void replace(struct setting *s, struct mk_node *parent, size_t i)
{
    struct mk_node *old = parent->child[i];
    s->value->key = old->key;
    s->value->key_where = s->where;
    old->key = NULL;
    mk_node_free(old);
    parent->child[i] = s->value;
    s->value = NULL;
}

/* Position of the item of a list that a path part names, or -1 with the error. */
static long find_item(struct setting *s, const struct mk_node *list, const char *part)
{
    char clip[MK_CLIP_ROOM];
    size_t digits = strspn(part, "0123456789");
    size_t i = digits && digits < 10 && !part[digits] ? strtoul(part, NULL, 10) : list->n;
    if (i < list->n) return (long)i;
    if (list->n)
        mk_fail_at(s->err, s->where, mk_clip(part, clip), "no such item of the list; allowed: 0 to %zu", list->n - 1);
    else
        mk_fail_at(s->err, s->where, mk_clip(part, clip), "the list is empty");
    return -1;
}

/* One step along the path: goes down to *at, or, for the last part, puts the value in its place. */
static int set_step(struct setting *s, struct mk_node **at, const char *part, int last)
{
    char clip[MK_CLIP_ROOM];
    struct mk_node *node = *at;
    size_t i = 0;
    if (!*part) return mk_fail_at(s->err, s->where, NULL, "empty part in the path; expected KEY.KEY=VALUE");
    if (node->kind == MK_NODE_SCALAR)
        return mk_fail_at(s->err, s->where, mk_clip(part, clip),
                          "no such key: the path before it leads to a single value");
    if (node->kind == MK_NODE_LIST) {
        long item = find_item(s, node, part);
        if (item < 0) return MK_EINPUT;
        i = (size_t)item;
    } else {
        while (i < node->n && strcmp(node->child[i]->key, part) != 0) i++;
        if (i == node->n && !last) return mk_fail_at(s->err, s->where, mk_clip(part, clip), "no such key");
        if (i == node->n) {
            struct mk_node *value = s->value;
            s->value = NULL;
            if (!mk_node_add(node, part, value)) return mk_fail_memory(s->err, "an override");
            value->key_where = s->where;
            return MK_OK;
        }
    }
    if (last)
        replace(s, node, i);
    else
        *at = node->child[i];
    return MK_OK;
}

int mk_tree_set(struct mk_tree *tree, const char *assignment, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    const char *option = strncmp(assignment, "--", 2) == 0 ? strchr(assignment, ' ') : NULL;
    const char *key = option ? option + 1 : assignment, *equals = strchr(key, '=');
    if (!equals || equals == key)
        return mk_fail(err, MK_EINPUT, "--set: expected KEY=VALUE, got '%s'", mk_clip(assignment, clip));
    struct setting s = {.err = err};
    char *name = NULL, *path = strndup(key, (size_t)(equals - key));
    if (path && (option ? asprintf(&name, "%.*s", (int)(option - assignment), assignment)
                        : asprintf(&name, "--set %s=…", path)) < 0)
        name = NULL;
    s.where.file = name ? keep_file(tree, name) : NULL;
    int code = s.where.file ? parse_text(&s.value, s.where.file, 0, equals + 1, strlen(equals + 1), err)
                            : mk_fail_memory(err, "an override");
    struct mk_node *at = tree->root;
    for (char *part = path; !code && part;) {
        char *dot = strchr(part, '.');
        if (dot) *dot = 0;
        code = set_step(&s, &at, part, !dot);
        part = dot ? dot + 1 : NULL;
    }
    mk_node_free(s.value);
    free(name);
    free(path);
    return code;
}

/* ---- emitting ---- */

static bool emit_text(yaml_emitter_t *emitter, const char *text, int quoted)
{
    yaml_event_t event;
    yaml_scalar_style_t style = quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE;
    return yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1,
                                        style) &&
           yaml_emitter_emit(emitter, &event);
}

static bool emit_node(yaml_emitter_t *emitter, const struct mk_node *node)
{
    yaml_event_t event;
    const bool is_list = node->kind == MK_NODE_LIST;
    if (node->kind == MK_NODE_SCALAR) return emit_text(emitter, node->text, node->quoted);
    const int begun =
        is_list ? yaml_sequence_start_event_initialize(
                      &event, NULL, NULL, 1, node->flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE)
                : yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                                      node->flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    if (!begun || !yaml_emitter_emit(emitter, &event)) return false;
    for (size_t i = 0; i < node->n; i++) {
        if (!is_list && !emit_text(emitter, node->child[i]->key, 0)) return false;
        if (!emit_node(emitter, node->child[i])) return false;
    }
    const int ended = is_list ? yaml_sequence_end_event_initialize(&event) : yaml_mapping_end_event_initialize(&event);
    return ended && yaml_emitter_emit(emitter, &event);
}

char *mk_node_emit(const struct mk_node *node)
{
    char *text = NULL;
    size_t size;
    yaml_emitter_t emitter;
    yaml_event_t event;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    bool good = yaml_emitter_initialize(&emitter);
    if (good) {
        yaml_emitter_set_output_file(&emitter, to);
        yaml_emitter_set_encoding(&emitter, YAML_UTF8_ENCODING);
        yaml_emitter_set_unicode(&emitter, 1);
        yaml_emitter_set_width(&emitter, -1);
        good = yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) && yaml_emitter_emit(&emitter, &event) &&
               yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) &&
               yaml_emitter_emit(&emitter, &event) && emit_node(&emitter, node) &&
               yaml_document_end_event_initialize(&event, 1) && yaml_emitter_emit(&emitter, &event) &&
               yaml_stream_end_event_initialize(&event) && yaml_emitter_emit(&emitter, &event);
        yaml_emitter_delete(&emitter);
    }
    if (fclose(to) == 0 && good) return text;
    free(text);
    return NULL;
}

char *mk_node_line(struct mk_node *node, bool good)
{
    char *text = good ? mk_node_emit(node) : NULL;
    mk_node_free(node);
    if (text) text[strcspn(text, "\n")] = 0;
    return text;
}
