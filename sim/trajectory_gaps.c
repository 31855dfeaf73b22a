/* Recorded runs with holes: what the rules of enum mk_missing and enum mk_ends_early leave out or add. */
#include <stdlib.h>
#include <string.h>

#include "sim/text.h"
#include "sim/trajectory_rows.h"

static int is_complete(const struct mk_problem *p, size_t instance, size_t k)
{
    for (uint64_t r = 0; r < p->replications; r++)
        if (!mk_problem_series(p, instance, k, r)->length) return 0;
    return 1;
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
            free(series[i].reward);
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
    return mk_fail(err, MK_EINPUT, "%s: missing: no repetition is there for every arm of every instance", p->file);
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
                    free(s.reward);
            }
            if (keep) in->arm[to++] = in->arm[k];
        }
        in->n_arms = to;
        if (!to)
            return mk_fail(err, MK_EINPUT, "%s: missing: instance %s has no arm with all repetitions", p->file,
                           mk_clip(in->name, clip));
    }
    return MK_OK;
}

int mk_rows_drop(struct mk_problem *p, enum mk_missing rule, struct mk_error *err)
{
    return rule == MK_MISSING_DROP_ARM ? drop_arms(p, err) : drop_repetitions(p, err);
}

/* ---- ends ---- */

int mk_trajectory_extend(struct mk_problem *p, uint64_t horizon, enum mk_ends_early rule, struct mk_error *err)
{
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++) {
            struct mk_series *s = &p->instance[i].series[j];
            if (s->length >= horizon) continue;
            double *grown = realloc(s->reward, horizon * sizeof *grown);
            if (!grown) return mk_fail_memory(err, "recorded rewards");
            s->reward = grown;
            s->room = horizon;
            for (size_t n = s->length; n < horizon; n++)
                grown[n] = rule == MK_ENDS_HOLD ? grown[s->length - 1] : grown[n - s->length];
            s->length = horizon;
        }
    return MK_OK;
}
