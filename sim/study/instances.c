#include "sim/study/instances.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/pcg64.h"
#include "sim/base/text.h"
#include "sim/base/yaml_values.h"
#include "sim/run/experiment/file_keys.h"

void mk_instances_clear(struct mk_instance_list *i)
{
    for (size_t k = 0; k < i->n; k++) {
        free(i->of[k].name);
        free(i->of[k].path);
    }
    free(i->of);
    *i = (struct mk_instance_list){0};
}

enum { LONGEST_NAME = 4000 };
static const char a_name[] = "1 to 4000 bytes of UTF-8 without control characters";

static bool is_name(const char *text)
{
    const size_t n = strlen(text);
    return n >= 1 && n <= LONGEST_NAME && mk_text_printable(text, n);
}

static bool append(struct mk_instance_list *to, char *name)
{
    if (!name || !MK_GROW(to->of, to->n, 1)) {
        free(name);
        return false;
    }
    to->of[to->n++] = (struct mk_named_instance){name, NULL};
    return true;
}

/* ---- a list ---- */

static int read_list(struct mk_instance_list *out, const struct mk_node *list, const char *key, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    int code = mk_check_list(list, key, "instance", err);
    for (size_t i = 0; i < list->n && !code; i++) {
        const struct mk_node *at = list->child[i];
        if (at->kind != MK_NODE_SCALAR || !is_name(at->text))
            code = mk_fail_at(err, at->where, key, "expected %s, got %s", a_name, mk_node_describe(at, clip));
        else if (!append(out, strdup(at->text)))
            code = mk_fail_memory(err, "instances");
    }
    return code;
}

/* Whether all are files of this folder, "": of the working directory. */
static bool are_there(const struct mk_instance_list *of, const char *folder)
{
    bool all = true;
    for (size_t i = 0; i < of->n && all; i++) {
        char *path = NULL;
        all = asprintf(&path, "%s%s", folder, of->of[i].name) >= 0;
        all = all && access(path, F_OK) == 0;
        free(path);
    }
    return all;
}

/* Sets the paths: in the folder of the tune file, where they are files of it and not of the working directory. */
static int find_paths(struct mk_instance_list *of, const char *directory, struct mk_error *err)
{
    const bool there = *directory && !are_there(of, "") && are_there(of, directory);
    for (size_t i = 0; i < of->n; i++)
        if (asprintf(&of->of[i].path, "%s%s", there ? directory : "", of->of[i].name) < 0) {
            of->of[i].path = NULL;
            return mk_fail_memory(err, "instances");
        }
    return MK_OK;
}

/* ---- a folder ---- */

static int by_name(const void *a, const void *b)
{
    const struct mk_named_instance *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* The folder as it can be opened: what the file says, or this within the folder of the tune file. */
static DIR *open_folder(const char *folder, const char *directory)
{
    char *path = NULL;
    DIR *found = opendir(folder);
    const int why = errno;
    if (!found && *folder != '/' && *directory && asprintf(&path, "%s%s", directory, folder) >= 0) {
        found = opendir(path);
        free(path);
    }
    errno = why;
    return found;
}

static bool is_file(DIR *folder, const char *name)
{
    struct stat st;
    return fstatat(dirfd(folder), name, &st, 0) == 0 && S_ISREG(st.st_mode);
}

/* The files that match, by name. */
static int list_files(struct mk_instance_list *out, DIR *from, const char *folder, const char *pattern,
                      struct mk_error *err)
{
    const size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    for (struct dirent *entry; (entry = readdir(from));) {
        char *name = NULL;
        if (fnmatch(pattern, entry->d_name, FNM_PERIOD) || !is_file(from, entry->d_name)) continue;
        if (asprintf(&name, "%s%s%s", folder, slash, entry->d_name) < 0) name = NULL;
        if (!append(out, name)) return mk_fail_memory(err, "instances");
    }
    if (out->n) qsort(out->of, out->n, sizeof *out->of, by_name);
    return MK_OK;
}

static int read_folder(struct mk_instance_list *out, const struct mk_node *node, const char *directory,
                       struct mk_error *err)
{
    char *folder = NULL, *pattern = NULL, clip[2][MK_CLIP_ROOM];
    int code = mk_check_file_keys(node, MK_TUNE_INSTANCES, err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_INSTANCES, "folder", &folder, NULL, err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_INSTANCES, "pattern", &pattern, NULL, err);
    DIR *from = code ? NULL : open_folder(folder, directory);
    if (!code && !from)
        code = mk_fail_at(err, mk_node_get(node, "folder")->where, "folder", "%s: cannot be read: %s",
                          mk_clip(folder, clip[0]), strerror(errno));
    if (!code) code = list_files(out, from, folder, pattern ? pattern : "*", err);
    if (!code && !out->n)
        code = mk_fail_at(err, node->where, "instances", "%s: expected files that match '%s', found none",
                          mk_clip(folder, clip[0]), mk_clip(pattern ? pattern : "*", clip[1]));
    for (size_t i = 0; i < out->n && !code; i++) {
        if (!is_name(out->of[i].name))
            code = mk_fail_at(err, node->where, "instances", "'%s': expected %s as the name of a file",
                              mk_clip(out->of[i].name, clip[0]), a_name);
    }
    if (from) closedir(from);
    free(folder);
    free(pattern);
    return code;
}

/* ---- both ---- */

static bool resolve(const struct mk_instance_list *of, const char *key, struct mk_node *to)
{
    struct mk_node *list = mk_node_add(to, key, mk_node_new(MK_NODE_LIST, 1));
    bool good = list != NULL;
    for (size_t i = 0; i < of->n && good; i++) good = mk_node_add(list, NULL, mk_node_text(of->of[i].name)) != NULL;
    return good;
}

static int check_distinct(const struct mk_instance_list *of, const struct mk_node *node, const char *key,
                          struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    struct mk_named_instance *sorted = malloc((of->n + 1) * sizeof *sorted);
    if (!sorted) return mk_fail_memory(err, "instances");
    memcpy(sorted, of->of, of->n * sizeof *sorted);
    qsort(sorted, of->n, sizeof *sorted, by_name);
    int code = MK_OK;
    for (size_t i = 1; i < of->n && !code; i++)
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            code = mk_fail_at(err, node->where, key, "'%s' is there twice; expected distinct instances",
                              mk_clip(sorted[i].name, clip));
    free(sorted);
    return code;
}

/* Reads the key of a tune file, a list of names or a folder with a pattern, which is looked for in the folder
 * `directory` of the file, too, and writes the names to the resolved mapping `to`. Without the key there are none. */
static int read_key(struct mk_instance_list *out, const struct mk_node *root, const char *key, const char *directory,
                    struct mk_node *to, struct mk_error *err)
{
    const struct mk_node *node = mk_node_get(root, key);
    *out = (struct mk_instance_list){0};
    if (!node) return MK_OK;
    int code = node->kind == MK_NODE_MAPPING ? read_folder(out, node, directory, err) : read_list(out, node, key, err);
    if (!code) code = find_paths(out, directory, err);
    if (!code) code = check_distinct(out, node, key, err);
    return code || resolve(out, key, to) ? code : mk_fail_memory(err, "instances");
}

/* MK_EINPUT: an instance of `test`, at this node, is one that trials run on. */
static int check_test(const struct mk_instance_list *test, const struct mk_instance_list *on,
                      const struct mk_node *node, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < test->n; i++)
        for (size_t k = 0; k < on->n; k++)
            if (strcmp(test->of[i].name, on->of[k].name) == 0)
                return mk_fail_at(err, node->where, "test_instances",
                                  "'%s' is among `instances`, too; expected ones that no trial runs on",
                                  mk_clip(on->of[k].name, clip));
    return MK_OK;
}

/* The order in which configurations run on n instances; malloc'ed, NULL: no memory. */
static size_t *draw_order(size_t n, uint64_t seed)
{
    size_t *order = malloc((n + 1) * sizeof *order);
    struct mk_pcg64 rng;
    if (!order) return NULL;
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_text(mk_key_start(), "instances"), seed));
    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)mk_uniform_below(&rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

int mk_instances_read_all(struct mk_tune *t, const struct mk_node *root, const char *directory, struct mk_node *to,
                          struct mk_error *err)
{
    const struct mk_node *test = mk_node_get(root, "test_instances"), *runs = mk_node_get(root, "instances_per_trial");
    uint64_t wanted = 0;
    int code = read_key(&t->on, root, "instances", directory, to, err);
    if (!code) code = read_key(&t->test, root, "test_instances", directory, to, err);
    if (!code) code = check_test(&t->test, &t->on, test, err);
    if (!code && (test || runs) && !t->on.n)
        code = mk_fail_at(err, (test ? test : runs)->where, test ? "test_instances" : "instances_per_trial",
                          "has an effect only with `instances`, which is missing");
    if (!code && runs) code = MK_READ_KEY(root, MK_TUNE_FILE, "instances_per_trial", &wanted, to, err);
    t->runs = runs ? (size_t)wanted : t->on.n;
    if (!code && !(t->sequence = draw_order(t->on.n, t->seed))) code = mk_fail_memory(err, "instances");
    return code;
}
