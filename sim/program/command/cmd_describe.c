/* maxk describe: one entry of a registry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/registries.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"

/* Entry *i of all that can be described, and its registry, in which *i is then its position; NULL past the end. */
static const struct mk_registry *find_entry(size_t *i, struct mk_registry_entry *e)
{
    for (const struct mk_registry *r = mk_registries; r->list; r++) {
        if (!r->describe) continue;
        if (r->entry(*i, e)) return r;
        for (size_t n = 0; r->entry(n, e); n++) --*i;
    }
    return NULL;
}

static const char *described(size_t i)
{
    struct mk_registry_entry e;
    return find_entry(&i, &e) ? e.name : NULL;
}

static const char *summary_at(size_t i)
{
    struct mk_registry_entry e;
    return find_entry(&i, &e) ? e.summary : "";
}

/* "policy, reward family or plan" */
static const char *kinds(char *out, size_t room)
{
    const struct mk_registry *last = mk_registries;
    size_t used = 0;
    for (const struct mk_registry *r = mk_registries; r->list; r++)
        if (r->describe) last = r;
    for (const struct mk_registry *r = mk_registries; r <= last && used < room; r++)
        if (r->describe)
            used += (size_t)snprintf(out + used, room - used, "%s%s", !used ? "" : r == last ? " or " : ", ", r->one);
    return out;
}

/* A name like it, or else the shortest summary that has the word: `normal` for the family gaussian. */
static int no_such_name(const char *name, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM], all[256];
    size_t n = 0, shortest = SIZE_MAX;
    while (described(n)) n++;
    const char **names = malloc(n * sizeof *names);
    if (!names) return mk_fail_memory(err, "names");
    for (size_t i = 0; i < n; i++) names[i] = described(i);
    const char *nearest = mk_nearest(name, names, n);
    for (size_t i = 0; !nearest && strlen(name) >= 4 && i < n; i++)
        if (strcasestr(summary_at(i), name) &&
            (shortest == SIZE_MAX || strlen(summary_at(i)) < strlen(summary_at(shortest))))
            shortest = i;
    if (!nearest && shortest != SIZE_MAX) nearest = names[shortest];
    free(names);
    return mk_fail(err, MK_EINPUT, "maxk describe: %s: no such %s (%s)", mk_clip(name, clip), kinds(all, sizeof all),
                   mk_hint(nearest, "see maxk list --help", hint));
}

int mk_cmd_describe(int argc, char **argv, struct mk_error *err)
{
    char all[256], text[512];
    snprintf(
        text, sizeof text,
        "Describes an entry of a registry, a %s: formula, source, parameters with their defaults and ranges, known "
        "departures from the publication.",
        kinds(all, sizeof all));
    const struct mk_usage usage = {"describe", "NAME", text, 1, 1};
    struct mk_registry_entry e;
    char **name;
    size_t n, found = 0;
    int code = mk_options_parse_named(&usage, NULL, described, argc, argv, &name, &n, err);
    if (code) return code;
    for (size_t i = 0; described(i); i++) {
        if (strcmp(described(i), name[0]) != 0) continue;
        size_t at = i;
        const struct mk_registry *r = find_entry(&at, &e);
        if (found++) printf("\n");
        r->describe(at, stdout);
    }
    return found ? MK_OK : no_such_name(name[0], err);
}
