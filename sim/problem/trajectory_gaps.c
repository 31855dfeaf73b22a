/* Recorded runs with gaps: what the rules of enum mk_missing and enum mk_ends_early drop or add. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/system_memory.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory_rows.h"

/* Marks of one instance: which arms and which repetitions of the file it keeps. */
struct kept {
    bool *arm;        /* [n_arms] of the problem, by position in the instance */
    bool *repetition; /* [replications] */
    bool *any;        /* [replications] whether some arm of the instance has it */
};

int mk_instance_note(struct mk_instance *in, struct mk_error *err, const char *format, ...)
{
    char *text = NULL, *both = NULL;
    va_list list;
    va_start(list, format);
    int n = vasprintf(&text, format, list);
    va_end(list);
    if (n < 0) return mk_fail_memory(err, "instances");
    n = asprintf(&both, "%s%s%s", in->gaps ? in->gaps : "", in->gaps ? "\n" : "", text);
    free(text);
    if (n < 0) return mk_fail_memory(err, "instances");
    free(in->gaps);
    in->gaps = both;
    return MK_OK;
}

static bool has(const struct mk_problem *p, size_t instance, size_t k, size_t r)
{
    return mk_problem_series(p, instance, k, r)->length > 0;
}

/* ---- arms ---- */

/* Arms that lack a repetition which another arm of the instance has. */
static int drop_arms(struct mk_problem *p, size_t instance, struct kept *keep, struct mk_error *err)
{
    struct mk_instance *in = &p->instance[instance];
    const size_t R = (size_t)p->replications;
    char clip[MK_CLIP_ROOM];
    size_t to = 0, present = 0;
    int code = MK_OK;
    for (size_t r = 0; r < R; r++) present += keep->any[r];
    for (size_t k = 0; k < in->n_arms && !code; k++) {
        size_t n = 0;
        for (size_t r = 0; r < R; r++) n += has(p, instance, k, r);
        keep->arm[k] = n == present;
        if (!keep->arm[k])
            code = mk_instance_note(in, err, "arm %s dropped: it has %zu of %zu repetitions",
                                    mk_clip(p->arm_label[in->arm[k]], clip), n, present);
    }
    const size_t all = in->n_arms;
    for (size_t k = 0; k < all && !code; k++) {
        for (size_t r = 0; r < R; r++) {
            struct mk_series s = in->series[k * R + r];
            in->series[k * R + r] = (struct mk_series){0};
            if (keep->arm[k])
                in->series[to * R + r] = s;
            else
                mk_series_clear(&s);
        }
        if (keep->arm[k]) in->arm[to++] = in->arm[k];
    }
    if (code) return code;
    in->n_arms = to;
    if (to) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: missing: no arm of instance %s has all of its repetitions", p->file,
                   mk_clip(in->name, clip));
}

/* ---- repetitions ---- */

enum { MOST_NAMED = 8 };

static int note_dropped(const struct mk_problem *p, struct mk_instance *in, const struct kept *keep, const char *why,
                        struct mk_error *err)
{
    char list[MOST_NAMED * MK_CLIP_ROOM + 16] = "", clip[MK_CLIP_ROOM];
    size_t dropped = 0, all = 0, at = 0;
    for (size_t r = 0; r < p->replications; r++) {
        all += keep->any[r];
        if (!keep->any[r] || keep->repetition[r]) continue;
        if (dropped++ < MOST_NAMED)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "",
                                   mk_clip(p->repetition_name[r], clip));
    }
    if (!dropped) return MK_OK;
    return mk_instance_note(in, err, "%zu of %zu repetitions dropped (%s%s): %s", dropped, all, list,
                            dropped > MOST_NAMED ? ", …" : "", why);
}

/* Packs the kept columns of series[n * old] to the left. */
static void keep_columns(struct mk_series *series, size_t n, const bool *keep, size_t old)
{
    for (size_t row = 0; row < n; row++) {
        size_t to = 0;
        for (size_t r = 0; r < old; r++) {
            struct mk_series s = series[row * old + r];
            series[row * old + r] = (struct mk_series){0};
            if (keep[r])
                series[row * old + to++] = s;
            else
                mk_series_clear(&s);
        }
    }
}

/* The instance keeps these repetitions. */
static int settle_instance(struct mk_problem *p, size_t instance, const struct kept *keep, struct mk_error *err)
{
    struct mk_instance *in = &p->instance[instance];
    const size_t old = (size_t)p->replications;
    in->repetition = malloc((old + 1) * sizeof *in->repetition);
    if (!in->repetition) return mk_fail_memory(err, "repetitions");
    for (size_t r = 0; r < old; r++)
        if (keep->repetition[r]) in->repetition[in->replications++] = r;
    keep_columns(in->series, in->n_arms, keep->repetition, old);
    if (p->n_baselines) keep_columns(in->baseline, p->n_baselines, keep->repetition, old);
    return MK_OK;
}

/* series[n * old] becomes series[n * most], in place; the columns from `most` on are empty. */
static void narrow(struct mk_series *series, size_t n, size_t old, size_t most)
{
    for (size_t row = 1; row < n; row++) memmove(series + row * most, series + row * old, most * sizeof *series);
}

static void narrow_all(struct mk_problem *p)
{
    size_t most = 0, old = (size_t)p->replications;
    for (size_t i = 0; i < p->n_instances; i++)
        if (p->instance[i].replications > most) most = (size_t)p->instance[i].replications;
    for (size_t i = 0; i < p->n_instances && most < old; i++) {
        narrow(p->instance[i].series, p->instance[i].n_arms, old, most);
        if (p->n_baselines) narrow(p->instance[i].baseline, p->n_baselines, old, most);
    }
    p->replications = most;
}

static void mark(const struct mk_problem *p, size_t instance, struct kept *keep)
{
    const size_t R = (size_t)p->replications;
    for (size_t r = 0; r < R; r++) {
        keep->any[r] = false;
        keep->repetition[r] = true;
        for (size_t k = 0; k < p->instance[instance].n_arms; k++) {
            keep->any[r] |= has(p, instance, k, r);
            keep->repetition[r] &= has(p, instance, k, r);
        }
    }
}

/* Of all instances those repetitions that every arm of every instance has: common[replications]. */
static bool find_common(const struct mk_problem *p, struct kept *keep, bool *common)
{
    const size_t R = (size_t)p->replications;
    bool any = false;
    for (size_t r = 0; r < R; r++) common[r] = true;
    for (size_t i = 0; i < p->n_instances; i++) {
        mark(p, i, keep);
        for (size_t r = 0; r < R; r++) common[r] &= keep->repetition[r];
    }
    for (size_t r = 0; r < R; r++) any |= common[r];
    return any;
}

static int drop(struct mk_problem *p, size_t instance, enum mk_missing rule, const bool *common, struct kept *keep,
                struct mk_error *err)
{
    struct mk_instance *in = &p->instance[instance];
    char clip[MK_CLIP_ROOM];
    mark(p, instance, keep);
    int code = rule == MK_MISSING_DROP_ARM ? drop_arms(p, instance, keep, err) : MK_OK;
    if (code) return code;
    if (rule == MK_MISSING_DROP_ARM) mark(p, instance, keep);
    if (rule == MK_MISSING_DROP_REPETITION) memcpy(keep->repetition, common, (size_t)p->replications * sizeof *common);
    code = note_dropped(p, in, keep,
                        rule == MK_MISSING_DROP_REPETITION ? "not every arm of every instance has them"
                                                           : "not every arm of the instance has them",
                        err);
    if (!code) code = settle_instance(p, instance, keep, err);
    if (code || in->replications) return code;
    return mk_fail(err, MK_EINPUT,
                   "%s: missing: instance %s has no repetition with all of its arms; use missing: drop_arm", p->file,
                   mk_clip(in->name, clip));
}

int mk_rows_drop(struct mk_problem *p, enum mk_missing rule, struct mk_error *err)
{
    const size_t R = (size_t)p->replications;
    struct kept keep = {malloc((p->n_arms + 1) * sizeof(bool)), malloc((R + 1) * sizeof(bool)),
                        malloc((R + 1) * sizeof(bool))};
    bool *common = malloc((R + 1) * sizeof *common);
    int code = keep.arm && keep.repetition && keep.any && common ? MK_OK : mk_fail_memory(err, "repetitions");
    if (!code && rule == MK_MISSING_DROP_REPETITION && !find_common(p, &keep, common))
        code = mk_fail(err, MK_EINPUT,
                       "%s: missing: no repetition is complete for every arm of every instance; use "
                       "missing: own",
                       p->file);
    for (size_t i = 0; i < p->n_instances && !code; i++) code = drop(p, i, rule, common, &keep, err);
    if (!code) narrow_all(p);
    free(keep.arm);
    free(keep.repetition);
    free(keep.any);
    free(common);
    return code;
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
    const size_t repeated = horizon - mk_series_recorded(s);
    struct mk_series longer = {.length = horizon, .repeated = repeated, .line = s->line, .mapped = at[0] != NULL};
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

/* Those of repetitions that the instance does not have stay empty. */
static bool is_short(const struct mk_series *s, uint64_t horizon)
{
    return s->length > 0 && s->length < horizon;
}

/* Rewards, and costs if there are any, of every series at the length of `horizon`. */
static double extended_bytes(const struct mk_problem *p, uint64_t horizon)
{
    double values = 0;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++)
            if (p->instance[i].series[j].length) values += (double)horizon * (p->instance[i].series[j].cost ? 2 : 1);
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
            n_short += is_short(&p->instance[i].series[j], horizon);
    if (n_short && !p->spill[0]) code = check_memory(p, horizon, err);
    for (int c = 0; c < 2 && !code && n_short; c++)
        if (p->spill[c]) code = mk_scratch_alloc(p->spill[c], n_short * (size_t)horizon, &at[c], err);
    for (size_t i = 0; i < p->n_instances && n_short; i++) {
        for (size_t j = 0; !code && j < p->instance[i].n_arms * (size_t)p->replications; j++)
            if (is_short(&p->instance[i].series[j], horizon))
                code = extend_series(&p->instance[i].series[j], at, (size_t)horizon, rule, err);
        mk_problem_release(p, i);
    }
    return code;
}
