/* Recorded runs with gaps: what the rules of enum mk_missing and enum mk_ends_early drop or add. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/system_memory.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory_rows.h"

static bool is_complete(const struct mk_problem *p, size_t instance, size_t k)
{
    for (uint64_t r = 0; r < p->replications; r++)
        if (!mk_problem_series(p, instance, k, r)->length) return false;
    return true;
}

/* ---- repetitions ---- */

/* series[n * old] becomes series[n * kept], in place. */
static void keep_columns(struct mk_series *series, size_t n, const char *keep, size_t old)
{
    size_t to = 0;
    for (size_t i = 0; i < n * old; i++) {
        if (keep[i % old])
            series[to++] = series[i];
        else
            mk_series_clear(&series[i]);
    }
    if (to < n * old) memset(series + to, 0, (n * old - to) * sizeof *series);
}

static int drop_repetitions(struct mk_problem *p, struct mk_error *err)
{
    size_t old = (size_t)p->replications, kept = 0;
    char *keep = malloc(old + 1);
    if (!keep) return mk_fail_memory(err, "repetitions");
    memset(keep, 1, old);
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t k = 0; k < p->instance[i].n_arms; k++)
            for (size_t r = 0; r < old; r++) keep[r] &= mk_problem_series(p, i, k, r)->length > 0;
    for (size_t r = 0; r < old; r++) kept += (size_t)keep[r];
    if (kept) {
        for (size_t i = 0; i < p->n_instances; i++) {
            keep_columns(p->instance[i].series, p->instance[i].n_arms, keep, old);
            if (p->n_baselines) keep_columns(p->instance[i].baseline, p->n_baselines, keep, old);
        }
        for (size_t r = 0, to = 0; r < old; r++)
            if (keep[r]) p->repetition[to++] = p->repetition[r];
        p->replications = kept;
    }
    free(keep);
    if (kept) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: missing: no repetition is complete for every arm of every instance", p->file);
}

/* ---- arms ---- */

static int drop_arms(struct mk_problem *p, struct mk_error *err)
{
    size_t R = (size_t)p->replications;
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < p->n_instances; i++) {
        struct mk_instance *in = &p->instance[i];
        size_t to = 0, all = in->n_arms;
        for (size_t k = 0; k < all; k++) {
            int keep = is_complete(p, i, k);
            for (size_t r = 0; r < R; r++) {
                struct mk_series s = in->series[k * R + r];
                in->series[k * R + r] = (struct mk_series){0};
                if (keep)
                    in->series[to * R + r] = s;
                else
                    mk_series_clear(&s);
            }
            if (keep) in->arm[to++] = in->arm[k];
        }
        in->n_arms = to;
        if (!to)
            return mk_fail(err, MK_EINPUT, "%s: missing: no arm of instance %s has all repetitions", p->file,
                           mk_clip(in->name, clip));
    }
    return MK_OK;
}

int mk_rows_drop(struct mk_problem *p, enum mk_missing rule, struct mk_error *err)
{
    return rule == MK_MISSING_DROP_ARM ? drop_arms(p, err) : drop_repetitions(p, err);
}

/* ---- ends ---- */

static void lengthen(double *to, const double *from, size_t length, size_t horizon, enum mk_ends_early rule)
{
    memcpy(to, from, length * sizeof *to);
    for (size_t n = length; n < horizon; n++) to[n] = rule == MK_ENDS_HOLD ? to[length - 1] : to[n - length];
}

/* Room for the longer series: in the temporary file, from *at on, if the problem has one. */
static double *room_for(double **at, size_t horizon)
{
    if (!*at) return malloc(horizon * sizeof **at);
    double *to = *at;
    *at += horizon;
    return to;
}

static int extend_series(struct mk_series *s, double *at[2], size_t horizon, enum mk_ends_early rule,
                         struct mk_error *err)
{
    struct mk_series longer = {.length = horizon, .line = s->line, .mapped = at[0] != NULL};
    longer.reward = room_for(&at[0], horizon);
    longer.cost = s->cost ? room_for(&at[1], horizon) : NULL;
    if (!longer.reward || (s->cost && !longer.cost)) {
        mk_series_clear(&longer);
        return mk_fail_memory(err, "recorded rewards");
    }
    lengthen(longer.reward, s->reward, s->length, horizon, rule);
    if (s->cost) lengthen(longer.cost, s->cost, s->length, horizon, rule);
    mk_series_clear(s);
    *s = longer;
    return MK_OK;
}

/* Rewards, and costs if there are any, of every series at the length of `horizon`. */
static double extended_bytes(const struct mk_problem *p, uint64_t horizon)
{
    double values = 0;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++)
            values += (double)horizon * (p->instance[i].series[j].cost ? 2 : 1);
    return values * sizeof(double);
}

static int check_memory(const struct mk_problem *p, uint64_t horizon, struct mk_error *err)
{
    char needed[MK_SIZE_ROOM], available[MK_SIZE_ROOM];
    double bytes = extended_bytes(p, horizon);
    if (bytes <= mk_system_memory()) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: recorded rewards extended to T = %" PRIu64 " need %s of memory, but only %s are available",
                   p->file, horizon, mk_size_text(bytes, needed), mk_size_text(mk_system_memory(), available));
}

int mk_trajectory_extend(struct mk_problem *p, uint64_t horizon, enum mk_ends_early rule, struct mk_error *err)
{
    double *at[2] = {NULL, NULL};
    size_t n_short = 0;
    int code = MK_OK;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++)
            n_short += p->instance[i].series[j].length < horizon;
    if (n_short && !p->spill[0]) code = check_memory(p, horizon, err);
    for (int c = 0; c < 2 && !code && n_short; c++)
        if (p->spill[c]) code = mk_scratch_alloc(p->spill[c], n_short * (size_t)horizon, &at[c], err);
    for (size_t i = 0; i < p->n_instances && n_short; i++) {
        for (size_t j = 0; !code && j < p->instance[i].n_arms * (size_t)p->replications; j++)
            if (p->instance[i].series[j].length < horizon)
                code = extend_series(&p->instance[i].series[j], at, (size_t)horizon, rule, err);
        mk_problem_release(p, i);
    }
    return code;
}
