/* The nodes of sim/base/yaml_tree.h, without libyaml. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/grow.h"
#include "sim/base/yaml_tree.h"

struct mk_node *mk_node_new(enum mk_node_kind kind, int flow)
{
    struct mk_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->flow = flow;
    return node;
}

struct mk_node *mk_node_scalar(const char *text, size_t length)
{
    struct mk_node *node = mk_node_new(MK_NODE_SCALAR, 0);
    if (!node) return NULL;
    node->text = strndup(text, length);
    node->length = length;
    if (node->text) return node;
    mk_node_free(node);
    return NULL;
}

struct mk_node *mk_node_text(const char *text)
{
    return mk_node_scalar(text, strlen(text));
}

void mk_node_free(struct mk_node *node)
{
    if (!node) return;
    for (size_t i = 0; i < node->n; i++) mk_node_free(node->child[i]);
    free(node->child);
    free(node->key);
    free(node->text);
    free(node);
}

struct mk_node *mk_node_add(struct mk_node *parent, const char *key, struct mk_node *child)
{
    if (!child) return NULL;
    if (!parent) goto fail;
    if (!MK_GROW(parent->child, parent->n, 1)) goto fail;
    char *own = key ? strdup(key) : NULL;
    if (key && !own) goto fail;
    if (key) { /* one that was taken from another mapping has a key */
        free(child->key);
        child->key = own;
    }
    parent->child[parent->n++] = child;
    return child;
fail:
    mk_node_free(child);
    return NULL;
}

struct mk_node *mk_node_copy(const struct mk_node *node)
{
    struct mk_node *copy =
        node->kind == MK_NODE_SCALAR ? mk_node_scalar(node->text, node->length) : mk_node_new(node->kind, node->flow);
    if (!copy) return NULL;
    copy->quoted = node->quoted;
    copy->where = node->where;
    for (size_t i = 0; i < node->n; i++) {
        if (!mk_node_add(copy, node->child[i]->key, mk_node_copy(node->child[i]))) {
            mk_node_free(copy);
            return NULL;
        }
    }
    return copy;
}

struct mk_node *mk_node_get(const struct mk_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != MK_NODE_MAPPING) return NULL;
    for (size_t i = 0; i < mapping->n; i++)
        if (strcmp(mapping->child[i]->key, key) == 0) return mapping->child[i];
    return NULL;
}

struct mk_node *mk_node_take(struct mk_node *mapping, const char *key)
{
    struct mk_node *taken = mk_node_get(mapping, key);
    for (size_t i = 0, n = 0; taken && i < mapping->n; i++)
        if (mapping->child[i] != taken) mapping->child[n++] = mapping->child[i];
    if (taken) mapping->n--;
    return taken;
}

const char *mk_node_describe(const struct mk_node *node, char out[MK_CLIP_ROOM])
{
    if (node->kind == MK_NODE_LIST) return node->n ? "a list" : "an empty list";
    if (node->kind == MK_NODE_MAPPING) return "a mapping";
    if (!node->length) return node->quoted ? "an empty text" : "nothing";
    if (!node->quoted) return mk_clip(node->text, out);
    char shortened[MK_CLIP_ROOM];
    snprintf(out, MK_CLIP_ROOM, "\"%s\"", mk_clip(node->text, shortened));
    return out;
}
