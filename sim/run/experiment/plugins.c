#include "sim/run/experiment/plugins.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/plugin.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

struct stand_in {
    struct mk_policy_type type;
    char name[64], key[MK_MAX_PARAMS][64], word[MK_MAX_PARAMS][64];
    struct mk_param params[MK_MAX_PARAMS + 1];
};

struct mk_plugins {
    size_t n, n_stand_ins;
    void **handle;                 /* [n] of dlopen */
    const struct mk_plugin **list; /* [n] */
    struct stand_in **stand_in;    /* [n_stand_ins] */
};

void mk_plugins_free(struct mk_plugins *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->n; i++) dlclose(p->handle[i]);
    for (size_t i = 0; i < p->n_stand_ins; i++) free(p->stand_in[i]);
    free(p->handle);
    free(p->list);
    free(p->stand_in);
    free(p);
}

const struct mk_policy_type *mk_plugins_at(const struct mk_plugins *p, size_t k)
{
    for (size_t i = 0; p && i < p->n; i++)
        for (const struct mk_policy_type *const *type = p->list[i]->policy; *type; type++)
            if (k-- == 0) return *type;
    return NULL;
}

const struct mk_policy_type *mk_plugins_find(const struct mk_plugins *p, const char *name)
{
    const struct mk_policy_type *type;
    for (size_t k = 0; (type = mk_plugins_at(p, k)); k++)
        if (strcmp(type->name, name) == 0) return type;
    return NULL;
}

const struct mk_dist_type *mk_plugins_family_at(const struct mk_plugins *p, size_t k)
{
    for (size_t i = 0; p && i < p->n; i++)
        for (const struct mk_dist_type *const *type = p->list[i]->family; *type; type++)
            if (k-- == 0) return *type;
    return NULL;
}

const struct mk_dist_type *mk_plugins_find_family(const struct mk_plugins *p, const char *name)
{
    const struct mk_dist_type *type;
    for (size_t k = 0; (type = mk_plugins_family_at(p, k)); k++)
        if (strcmp(type->name, name) == 0) return type;
    return NULL;
}

static bool is_name(const char *name)
{
    return name && *name && strlen(name) <= 60 && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* What is wrong with the form of a family, or NULL. */
static const char *problem_of_family(const struct mk_plugins *p, const struct mk_dist_type *type)
{
    if (!is_name(type->name)) return "name: expected 1 to 60 of a-z, 0-9 and _";
    if (mk_dist_type_find(type->name) || mk_plugins_find_family(p, type->name))
        return "name: there is a family of this name";
    if (!type->summary || !type->formula || !type->reference)
        return "summary, formula, reference: expected texts, which may be empty";
    if (!type->params || !type->sample || !type->survival || !type->cdf || !type->inverse || !type->density ||
        !type->support)
        return "params, sample, survival, cdf, inverse, density, support: expected functions";
    if (type->flags & ~(unsigned)MK_DIST_ATOMS) return "flags: expected MK_DIST_ATOMS only";
    if (mk_param_count(type->params) > MK_MAX_PARAMS) return "params: too many";
    for (const struct mk_param *q = type->params; q->name; q++)
        if (!mk_param_is_number(q)) return "params: expected the kinds MK_REAL and MK_INTEGER";
    return NULL;
}

/* What is wrong with the form of a policy, or NULL. */
static const char *problem_of(const struct mk_plugins *p, const struct mk_policy_type *type)
{
    const unsigned allowed = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOMISED | MK_POLICY_RANDOM_TIES;
    if (!is_name(type->name)) return "name: expected 1 to 60 of a-z, 0-9 and _";
    if (mk_policy_type_find(type->name) || mk_plugins_find(p, type->name))
        return "name: there is a policy of this name";
    if (!type->summary || !type->formula || !type->reference || !type->departures || !type->cost)
        return "summary, formula, reference, departures, cost: expected texts, which may be empty";
    if (!type->state_size || !type->init || !type->select || !type->update)
        return "state_size, init, select, update: expected functions";
    if (type->play || type->play_records) return "play, play_records: expected NULL";
    if (type->flags & ~allowed) return "flags: expected MK_POLICY_NEEDS_HORIZON, _RANDOMISED, _RANDOM_TIES only";
    if (mk_param_count(type->params) > MK_MAX_PARAMS) return "params: too many";
    for (const struct mk_param *q = type->params; q && q->name; q++)
        if (q->kind != MK_REAL && q->kind != MK_INTEGER && q->kind != MK_CHOICE)
            return "params: expected the kinds MK_REAL, MK_INTEGER and MK_CHOICE";
    return NULL;
}

static int check_plugins(const struct mk_plugins *p, const struct mk_plugin *plugin, struct mk_where where,
                         const char *path, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], name[MK_CLIP_ROOM];
    if (!plugin)
        return mk_fail_at(err, where, "plugins", "%s: not a plugin of maxk (MK_PLUGIN of policies/plugin.h)",
                          mk_clip(path, clip));
    if (plugin->abi != MK_PLUGIN_ABI || plugin->type_size != sizeof(struct mk_policy_type) ||
        plugin->setup_size != sizeof(struct mk_setup) || plugin->param_size != sizeof(struct mk_param) ||
        plugin->family_size != sizeof(struct mk_dist_type) || plugin->dist_size != sizeof(struct mk_dist))
        return mk_fail_at(err, where, "plugins", "%s: compiled against headers of another version of maxk",
                          mk_clip(path, clip));
    for (const struct mk_policy_type *const *type = plugin->policy; *type; type++) {
        const char *problem = problem_of(p, *type);
        if (problem)
            return mk_fail_at(err, where, "plugins", "%s: policy %s: %s", mk_clip(path, clip),
                              (*type)->name ? mk_clip((*type)->name, name) : "without a name", problem);
    }
    for (const struct mk_dist_type *const *type = plugin->family; *type; type++) {
        const char *problem = problem_of_family(p, *type);
        if (problem)
            return mk_fail_at(err, where, "plugins", "%s: family %s: %s", mk_clip(path, clip),
                              (*type)->name ? mk_clip((*type)->name, name) : "without a name", problem);
    }
    return MK_OK;
}

static struct mk_plugins *begin(struct mk_plugins **plugins)
{
    if (!*plugins) *plugins = calloc(1, sizeof **plugins);
    return *plugins;
}

/* What is wrong with a shared object before it is mapped, NULL: nothing. Code that lies past the end of a file that was
 * cut would end the program when it is touched; a device has no end at all. */
static const char *problem_of_file(const char *path)
{
    enum { MOST_BYTES = 1 << 30 };
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    size_t size;
    const char *why;
    const int fd = mk_open_regular(path, MOST_BYTES, &size, &why);
    if (fd < 0) return why;
    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        why = "not an ELF file";
    for (size_t i = 0; !why && i < head.e_phnum; i++) {
        const off_t at = (off_t)(head.e_phoff + i * sizeof part);
        if (pread(fd, &part, sizeof part, at) != (ssize_t)sizeof part || part.p_offset > size ||
            part.p_filesz > size - part.p_offset)
            why = "ends too early";
    }
    close(fd);
    return why;
}

int mk_plugins_load(struct mk_plugins **plugins, const char *path, struct mk_where where, struct mk_error *err)
{
    struct mk_plugins *p = begin(plugins);
    if (!p || !MK_GROW(p->handle, p->n, 1) || !MK_GROW(p->list, p->n, 1)) return mk_fail_memory(err, "plugins");
    char *whole = realpath(path, NULL); /* with a slash: dlopen does not search */
    if (!whole) return mk_fail_at(err, where, "plugins", "%s: cannot be read: %s", path, strerror(errno));
    const char *problem = problem_of_file(whole);
    void *opened = problem ? NULL : dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    free(whole);
    if (problem) return mk_fail_at(err, where, "plugins", "%s: %s; expected a shared object", path, problem);
    if (!opened) return mk_fail_at(err, where, "plugins", "%s", dlerror());
    const struct mk_plugin *plugin = dlsym(opened, "mk_plugin");
    int code = check_plugins(p, plugin, where, path, err);
    if (code) {
        dlclose(opened);
        return code;
    }
    p->handle[p->n] = opened;
    p->list[p->n++] = plugin;
    return MK_OK;
}

/* A parameter that allows this value: a number, or the one word. */
static struct mk_param param_of(const char *key, const char *text)
{
    double x;
    const bool number = mk_parse_real(text, strlen(text), &x);
    const bool whole = number && !text[strspn(text, "-0123456789")];
    return (struct mk_param){.name = key,
                             .kind = whole    ? MK_INTEGER
                                     : number ? MK_REAL
                                              : MK_CHOICE,
                             .flags = MK_OPTIONAL,
                             .lo = -INFINITY,
                             .hi = INFINITY,
                             .choices = number ? NULL : text,
                             .help = ""};
}

const struct mk_policy_type *mk_plugins_stand_in(struct mk_plugins **plugins, const char *name,
                                                 const struct mk_node *entry)
{
    struct mk_plugins *p = begin(plugins);
    struct stand_in *one = p && MK_GROW(p->stand_in, p->n_stand_ins, 1) ? calloc(1, sizeof *one) : NULL;
    size_t n = 0;
    if (!one) return NULL;
    snprintf(one->name, sizeof one->name, "%s", name);
    for (size_t i = 0; entry->kind == MK_NODE_MAPPING && i < entry->n && n < MK_MAX_PARAMS; i++) {
        const struct mk_node *value = entry->child[i];
        if (strcmp(value->key, "name") == 0 || strcmp(value->key, "label") == 0 || value->kind != MK_NODE_SCALAR)
            continue;
        snprintf(one->key[n], sizeof one->key[n], "%s", value->key);
        snprintf(one->word[n], sizeof one->word[n], "%s", value->text);
        one->params[n] = param_of(one->key[n], one->word[n]);
        n++;
    }
    one->type = (struct mk_policy_type){.name = one->name,
                                        .summary = "a policy of a plugin that is not loaded",
                                        .formula = "",
                                        .reference = "",
                                        .departures = "",
                                        .cost = "",
                                        .kind = MK_EXTREME,
                                        .params = one->params};
    p->stand_in[p->n_stand_ins++] = one;
    return &one->type;
}
