/* The key `plugins` of an experiment file. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/experiment/experiment_read.h"
#include "sim/experiment/plugins.h"

/* FILE, or {file: FILE, digest: DIGEST}. */
static int read_plugin(struct mk_loader *l, const struct mk_node *node, struct mk_node *list)
{
    const int mapping = node->kind == MK_NODE_MAPPING;
    const struct mk_node *file = mapping ? mk_node_get(node, "file") : node;
    const struct mk_node *wanted = mapping ? mk_node_get(node, "digest") : NULL;
    char digest[MK_DIGEST_ROOM] = "", clip[MK_CLIP_ROOM], *found = NULL, *whole = NULL;
    int code = mapping ? mk_check_file_keys(node, MK_IN_PLUGIN, l->err) : MK_OK;
    if (!code && !file) code = mk_fail_at(l->err, node->where, "file", "missing; expected the path of a shared object");
    if (!code && !(l->need & MK_LOAD_PLUGINS)) { /* as it was */
        code = mk_read_text(file, "plugins", &whole, l->err);
        if (!code && wanted) strncat(digest, wanted->text ? wanted->text : "", sizeof digest - 1);
    } else if (!code) {
        code = mk_find_file(l->directory, file, "plugins", &found, l->err);
        if (!code && !(whole = realpath(found, NULL))) code = mk_fail_memory(l->err, "plugins");
        if (!code) mk_file_digest(whole, digest);
        if (!code && wanted && (!wanted->text || strcmp(wanted->text, digest) != 0))
            code = mk_fail_at(l->err, wanted->where, "digest", "expected %s, that of the file, got %s", digest,
                              mk_clip(wanted->text ? wanted->text : "a list", clip));
        if (!code) code = mk_plugins_load(&l->e->plugins, whole, file->where, l->err);
    }
    if (!code) {
        struct mk_node *to = mk_node_add(list, NULL, mk_node_new(MK_NODE_MAPPING, 1));
        if (!to || !mk_add_text(to, "file", whole) || !mk_add_text(to, "digest", digest))
            code = mk_fail_memory(l->err, "plugins");
    }
    free(found);
    free(whole);
    return code;
}

int mk_read_plugins(struct mk_loader *l, const struct mk_node *plugins)
{
    if (!plugins) return MK_OK;
    int code = mk_check_list(plugins, "plugins", "shared object", l->err);
    if (code) return code;
    struct mk_node *list = mk_node_add(l->resolved, "plugins", mk_node_new(MK_NODE_LIST, 0));
    if (!list) return mk_fail_memory(l->err, "plugins");
    l->stand_ins = !(l->need & MK_LOAD_PLUGINS);
    for (size_t i = 0; !code && i < plugins->n; i++) code = read_plugin(l, plugins->child[i], list);
    return code;
}
