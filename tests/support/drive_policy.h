/* Drives one policy through select and update in tests, outside the engine. */
#ifndef MAXK_TESTS_SUPPORT_DRIVE_POLICY_H
#define MAXK_TESTS_SUPPORT_DRIVE_POLICY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "sim/base/number.h"

struct drive {
    const struct mk_policy_type *type;
    struct mk_setup setup;
    struct mk_pcg64 rng;
    double par[MK_MAX_PARAMS];
    double *cost;
    void *state;
};

/* "key=value key=value"; returns 0, or -1 with the offending item printed. */
static inline int drive_settings(struct drive *d, const char *text)
{
    char item[128];
    const int curves = mk_param_find(d->type->params, "curves");
    mk_param_defaults(d->type->params, d->par);
    if (curves >= 0) d->par[curves] = 8; /* the default takes 100 microseconds a round */
    for (int used = 0; sscanf(text, " %127s%n", item, &used) == 1; text += used) {
        char *value = strchr(item, '=');
        if (value) *value++ = 0;
        int i = value ? mk_param_find(d->type->params, item) : -1;
        if (i < 0) return printf("# no parameter %s of %s\n", item, d->type->name), -1;
        const struct mk_param *p = &d->type->params[i];
        if (p->kind == MK_CHOICE) d->par[i] = mk_choice_find(p->choices, value);
        const bool is_one = p->kind == MK_CHOICE ? d->par[i] >= 0 : mk_parse_real(value, strlen(value), &d->par[i]);
        if (!is_one || (p->kind != MK_CHOICE && !mk_param_allows(p, d->par[i])))
            return printf("# %s=%s is not allowed\n", item, value), -1;
    }
    const char *wrong = mk_policy_problem(d->type, d->par);
    return wrong ? printf("# %s: %s\n", d->type->name, wrong), -1 : 0;
}

/* Start a replication; the policy's stream is seeded with (seed, 54). */
static inline void drive_start(struct drive *d, uint64_t seed)
{
    mk_pcg64_seed(&d->rng, seed, 54);
    d->type->init(d->state, &d->setup);
}

static inline void drive_close(struct drive *d)
{
    free(d->state);
    free(d->cost);
}

static inline int drive_open(struct drive *d, const char *name, const char *settings, size_t arms, uint64_t horizon)
{
    memset(d, 0, sizeof *d);
    d->type = mk_policy_type_find(name);
    if (!d->type) return printf("# no policy %s\n", name), -1;
    if (drive_settings(d, settings)) return -1;
    d->setup = (struct mk_setup){.arms = arms, .horizon = horizon, .par = d->par, .rng = &d->rng};
    d->setup.best_arm = d->type->flags & MK_POLICY_ORACLE ? arms - 1 : arms;
    d->cost = malloc(arms * sizeof *d->cost);
    for (size_t i = 0; d->cost && i < arms; i++) d->cost[i] = 1;
    d->setup.cost = d->cost;
    /* No slack and not cleared: the sanitizers see every byte too many, tests see what init forgets. */
    size_t bytes = d->type->state_size(&d->setup);
    if (posix_memalign(&d->state, 64, bytes ? bytes : 1)) d->state = NULL;
    if (!d->state || !d->cost) return printf("# out of memory\n"), drive_close(d), -1;
    memset(d->state, 0xa5, bytes);
    return 0;
}

/* A policy as mk_policy_new reads it, with what it must be given. */
static inline const char *drive_text(const struct mk_policy_type *type, char *out, size_t room)
{
    const char *name = type->name;
    bool arms = false;
    for (const struct mk_param *p = type->params; p && p->name; p++) arms |= p->kind == MK_PARTS;
    snprintf(out, room, "{name: %s%s%s}", name, mk_param_find(type->params, "curves") < 0 ? "" : ", curves: 8",
             arms ? ", candidates: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: -1, hi: 2}]" : "");
    return out;
}

/* Arm of round t. Feed it with d->type->update. */
static inline size_t drive_select(struct drive *d, uint64_t t)
{
    return d->type->select(d->state, t);
}

#endif
