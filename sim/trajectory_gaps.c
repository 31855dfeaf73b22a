/* Recorded runs with holes: what the rules of enum mk_missing and enum mk_ends_early leave out or add. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memory.h"
#include "sim/text.h"
#include "sim/trajectory_rows.h"

static int is_complete(const struct mk_problem *p, size_t instance, size_t k)
{
    for (uint64_t r = 0; r < p->replications; r++)
        if (!mk_problem_series(p, instance, k, r)->length) return 0;
    return 1;
}

static void free_series(struct mk_series *s)
{
    free(s->reward);
    free(s->cost);
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
            free_series(&series[i]);
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
                    free_series(&s);
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

/* value[0 … from-1] lengthened to `to` values; MK_OK also for NULL. */
static int lengthen(double **value, size_t from, size_t to, enum mk_ends_early rule, struct mk_error *err)
{
    if (!*value) return MK_OK;
    double *grown = realloc(*value, to * sizeof *grown);
    if (!grown) return mk_fail_memory(err, "recorded rewards");
    for (size_t n = from; n < to; n++) grown[n] = grown[rule == MK_ENDS_HOLD ? from - 1 : n - from];
    *value = grown;
    return MK_OK;
}

/* Rewards, and costs where there are any, of every series at the length of `horizon`. */
static double extended_bytes(const struct mk_problem *p, uint64_t horizon)
{
    double values = 0;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++)
            values += (double)horizon * (p->instance[i].series[j].cost ? 2 : 1);
    return values * sizeof(double);
}

int mk_trajectory_extend(struct mk_problem *p, uint64_t horizon, enum mk_ends_early rule, struct mk_error *err)
{
    char needed[32], there[32];
    double bytes = extended_bytes(p, horizon);
    if (bytes > mk_memory())
        return mk_fail(err, MK_EINPUT, "%s: recorded rewards lengthened to T = %" PRIu64 " need %s of memory and there is %s",
                       p->file, horizon, mk_memory_text(bytes, needed, sizeof needed),
                       mk_memory_text(mk_memory(), there, sizeof there));
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++) {
            struct mk_series *s = &p->instance[i].series[j];
            if (s->length >= horizon) continue;
            int code = lengthen(&s->reward, s->length, horizon, rule, err);
            if (!code) code = lengthen(&s->cost, s->length, horizon, rule, err);
            if (code) return code;
            s->length = s->room = horizon;
        }
    return MK_OK;
}
