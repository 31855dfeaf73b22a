/* YAML text as a small tree in which every node knows its place.
 *
 * Read with libyaml's event interface. Rejected, with the place: duplicate keys, keys that are not scalars, anchors,
 * aliases, tags, a second document, and input beyond the limits below. Scalars stay text: readers decide what is a
 * number. The tree owns its nodes; places borrow their file name from it. */
#ifndef MAXK_SIM_BASE_YAML_TREE_H
#define MAXK_SIM_BASE_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/api/maxk/error.h"
#include "sim/base/text.h"
#include "sim/base/where.h"

enum {
    MK_YAML_DEPTH = 64,       /* nesting */
    MK_YAML_BYTES = 64 << 20, /* size of the text */
    MK_YAML_NODES = 4000000,  /* nodes of the tree */
    MK_YAML_KEYS = 1000       /* keys of one mapping */
};

enum mk_node_kind { MK_NODE_SCALAR, MK_NODE_LIST, MK_NODE_MAPPING };

struct mk_node {
    enum mk_node_kind kind;
    int quoted;                /* scalar in quotes or a block scalar: text, never a number */
    int flow;                  /* emitted as [a, b] or {a: b} */
    char *key;                 /* in a mapping, else NULL */
    char *text;                /* scalars: never NULL, "" for an empty value */
    size_t length;             /* of text; no NUL inside */
    struct mk_where where;     /* of the value */
    struct mk_where key_where; /* of the key, in a mapping */
    size_t n;
    struct mk_node **child; /* [n] owned */
};

struct mk_tree {
    struct mk_node *root; /* never NULL after a successful parse */
    size_t n_files;
    char **file; /* owned names that places refer to */
};

/* Parse text[0 … length-1] (UTF-8, a byte order mark is allowed). `name` is for messages. */
int mk_tree_parse(struct mk_tree **out, const char *name, const char *text, size_t length, struct mk_error *err);

/* The same for the content of a file; "cannot be read" is MK_EINPUT. */
int mk_tree_read(struct mk_tree **out, const char *path, struct mk_error *err);

void mk_tree_free(struct mk_tree *tree);

/* Applies "dotted.path=YAML value". Whole numbers in the path count the items of a list from 0. An existing value is
 * replaced; a missing last key of a mapping is added. Nodes set this way report their place as "--set
 * dotted.path=…"; those of "--option dotted.path=YAML value", which the program makes of another option, as that. */
int mk_tree_set(struct mk_tree *tree, const char *assignment, struct mk_error *err);

/* Child with this key, or NULL (also when the node is not a mapping). */
struct mk_node *mk_node_get(const struct mk_node *mapping, const char *key);

/* The same, removed from the mapping. */
struct mk_node *mk_node_take(struct mk_node *mapping, const char *key);

/* Create nodes: NULL when out of memory. mk_node_add appends `child` (NULL passes through) and returns it; when it
 * fails the child is freed. `key` is copied; NULL for lists. */
struct mk_node *mk_node_new(enum mk_node_kind kind, int flow);
struct mk_node *mk_node_scalar(const char *text, size_t length);
struct mk_node *mk_node_text(const char *text);
struct mk_node *mk_node_copy(const struct mk_node *node);
struct mk_node *mk_node_add(struct mk_node *parent, const char *key, struct mk_node *child);
void mk_node_free(struct mk_node *node);

/* YAML text of a node, malloc'ed, ending in a newline; NULL when out of memory. */
char *mk_node_emit(const struct mk_node *node);

/* The same in one line without the newline, of a node that is freed; NULL also when it is not `good`: it could not be
 * built. */
char *mk_node_line(struct mk_node *node, bool good);

/* A node's value for a message: its clipped text, "a list", "a mapping", "nothing". */
const char *mk_node_describe(const struct mk_node *node, char out[MK_CLIP_ROOM]);

#endif
