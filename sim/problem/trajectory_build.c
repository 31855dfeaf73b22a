/* A problem of recorded runs from the rows of its file: they are checked, and the rules for holes, missing repetitions
 * and early ends are applied. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"
#include "sim/base/system_memory.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory_rows.h"

struct build {
    struct mk_rows *rows;
    struct mk_problem *problem;
    size_t *instance_place;   /* [instances] position in the problem */
    size_t *arm_place;        /* [arms] */
    size_t *repetition_place; /* [repetitions] in ascending order */
    enum mk_holes holes;
    struct mk_error *err;
};

static const char *arm_name(const struct mk_rows *rows, const struct mk_gathered *s)
{
    return s->is_baseline ? rows->baselines.text[s->arm] : rows->arms.text[s->arm];
}

static int fail_series(struct build *b, const struct mk_gathered *s, size_t line, const char *key, const char *problem,
                       uint64_t iteration)
{
    char instance[MK_CLIP_ROOM], arm[MK_CLIP_ROOM], repetition[MK_CLIP_ROOM];
    struct mk_where where = {b->rows->path, line, 0};
    return mk_fail_at(b->err, where, key,
                      "instance %s, arm %s, repetition %s %s %" PRIu64
                      "; expected all of 0 … n-1 (or, throughout the file, 1 … n), once each%s",
                      mk_clip(b->rows->instances.text[s->instance], instance), mk_clip(arm_name(b->rows, s), arm),
                      mk_clip(b->rows->repetitions.text[s->repetition], repetition), problem, iteration,
                      strstr(problem, "lacks") ? ", or a rule (problem.holes: repeat or close)" : "");
}

static int by_iteration(const void *a, const void *b)
{
    const struct mk_loose *x = a, *y = b;
    if (x->iteration != y->iteration) return x->iteration < y->iteration ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Checks sorted rows for duplicates and holes; *holes: iterations that are missing. */
static int find_holes(struct build *b, const struct mk_gathered *s, const struct mk_loose *all, size_t n, size_t *holes)
{
    *holes = 0;
    for (size_t i = 1; i < n; i++) {
        const uint64_t step = all[i].iteration - all[i - 1].iteration;
        if (step == 0) return fail_series(b, s, all[i].line, "iteration", "has duplicate iteration", all[i].iteration);
        if (step > 1 && b->holes == MK_HOLES_ERROR)
            return fail_series(b, s, all[i].line, "iteration", "lacks iteration", all[i - 1].iteration + 1);
        if (step - 1 > n) /* no series is mostly made up */
            return fail_series(b, s, all[i].line, "iteration", "lacks most iterations: more than it has from",
                               all[i - 1].iteration + 1);
        *holes += (size_t)(step - 1);
    }
    return MK_OK;
}

/* Rows that came out of order: all rows sorted, without duplicates, holes filled or closed. */
static int sort_rows(struct build *b, struct mk_gathered *s)
{
    const size_t n = s->n + s->n_loose;
    size_t holes, to = 0;
    double *value[MK_VALUES] = {NULL};
    struct mk_loose *all = malloc(n * sizeof *all);
    int code = all ? MK_OK : mk_fail_memory(b->err, "recorded rewards");
    if (code) goto out;
    /* The lines of rows that continued the series are not kept: none of them is the second of two equal iterations or
     * the first after a gap, apart from the series' first row. */
    for (size_t i = 0; i < s->n; i++) {
        all[i] = (struct mk_loose){.iteration = s->first + i, .line = i ? 0 : s->first_line};
        for (size_t v = 0; v < MK_VALUES; v++)
            if (s->value[v]) all[i].value[v] = s->value[v][i];
    }
    memcpy(all + s->n, s->loose, s->n_loose * sizeof *all);
    qsort(all, n, sizeof *all, by_iteration);
    code = find_holes(b, s, all, n, &holes);
    if (code) goto out;
    const size_t length = n + (b->holes == MK_HOLES_REPEAT ? holes : 0);
    for (size_t v = 0; v < MK_VALUES && !code; v++)
        if (b->rows->has[v] && !(value[v] = malloc(length * sizeof *value[v])))
            code = mk_fail_memory(b->err, "recorded rewards");
    if (code) goto out;
    for (size_t i = 0; i < n; i++) {
        const size_t end =
            b->holes == MK_HOLES_REPEAT && i + 1 < n ? (size_t)(all[i + 1].iteration - all[0].iteration) : to + 1;
        for (; to < end; to++)
            for (size_t v = 0; v < MK_VALUES; v++)
                if (value[v]) value[v][to] = all[i].value[v];
    }
    for (size_t v = 0; v < MK_VALUES; v++) {
        if (!s->mapped) free(s->value[v]);
        s->value[v] = value[v];
        value[v] = NULL;
    }
    s->mapped = 0;
    s->n = length;
    s->holes = holes;
    s->first = all[0].iteration;
out:
    free(all);
    for (size_t v = 0; v < MK_VALUES; v++) free(value[v]);
    return code;
}

static int sort_all_rows(struct build *b)
{
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; i < b->rows->n; i++) {
        struct mk_gathered *s = &b->rows->series[i];
        int code = s->n_loose ? sort_rows(b, s) : MK_OK;
        if (code) return code;
        if (s->first < base) base = s->first;
    }
    if (base > 1) base = 0;
    for (size_t i = 0; i < b->rows->n; i++) {
        struct mk_gathered *s = &b->rows->series[i];
        if (s->first == base) continue;
        if (b->holes != MK_HOLES_CLOSE) return fail_series(b, s, s->first_line, "iteration", "lacks iteration", base);
        s->holes += (size_t)(s->first - base);
    }
    return MK_OK;
}

/* Leaves out evaluations in part: the later ones move up, and the next whole one bears their costs. */
static int leave_out_parts(struct build *b)
{
    bool any = false;
    for (size_t i = 0; i < b->rows->n; i++) {
        struct mk_gathered *s = &b->rows->series[i];
        double *reward = s->value[MK_VALUE_REWARD], *cost = s->value[MK_VALUE_COST], *test = s->value[MK_VALUE_TEST];
        size_t to = 0;
        double owed = 0;
        for (size_t k = 0; k < s->n && s->in_part; k++) {
            if (cost) owed += cost[k];
            if (isnan(reward[k])) continue;
            if (cost) cost[to] = owed;
            if (test) test[to] = test[k];
            reward[to++] = reward[k];
            owed = 0;
        }
        if (s->in_part) s->n = to;
        any |= s->n > 0;
    }
    return any ? MK_OK
               : mk_fail(b->err, MK_EINPUT, "%s: fidelity: expected whole evaluations, of fidelity 1; there are none",
                         b->rows->path);
}

/* ---- names ---- */

struct named {
    const char *text;
    size_t id;
};

/* By value where both are whole numbers without leading zeros, otherwise byte by byte (numbers sort before names). */
static int by_name(const void *a, const void *b)
{
    const char *x = ((const struct named *)a)->text, *y = ((const struct named *)b)->text;
    size_t n = strspn(x, "0123456789"), m = strspn(y, "0123456789");
    int x_whole = !x[n] && (*x != '0' || n == 1), y_whole = !y[m] && (*y != '0' || m == 1);
    if (x_whole != y_whole) return x_whole ? -1 : 1;
    if (x_whole && n != m) return n < m ? -1 : 1;
    return strcmp(x, y);
}

/* place[id] = position of table's string id in sorted order. */
static int sort_names(struct build *b, const struct mk_string_table *table, size_t *place)
{
    struct named *name = malloc((table->n + 1) * sizeof *name);
    if (!name) return mk_fail_memory(b->err, "names");
    for (size_t i = 0; i < table->n; i++) name[i] = (struct named){table->text[i], i};
    qsort(name, table->n, sizeof *name, by_name);
    for (size_t i = 0; i < table->n; i++) place[name[i].id] = i;
    free(name);
    return MK_OK;
}

static int order_names(struct build *b, const struct mk_trajectory_options *o)
{
    const struct mk_rows *rows = b->rows;
    b->instance_place = calloc(rows->instances.n + 1, sizeof *b->instance_place);
    b->arm_place = malloc((rows->arms.n + 1) * sizeof *b->arm_place);
    b->repetition_place = calloc(rows->repetitions.n + 1, sizeof *b->repetition_place);
    if (!b->instance_place || !b->arm_place || !b->repetition_place) return mk_fail_memory(b->err, "names");
    for (size_t i = 0; i < rows->arms.n; i++) b->arm_place[i] = i;
    int code = o->order == MK_ARMS_SORTED ? sort_names(b, &rows->arms, b->arm_place) : MK_OK;
    if (!code) code = sort_names(b, &rows->repetitions, b->repetition_place);
    if (!code && !o->instance) code = sort_names(b, &rows->instances, b->instance_place);
    for (size_t i = 0; o->instance && i < o->n_instances; i++)
        b->instance_place[mk_string_table_find(&rows->instances, o->instance[i], strlen(o->instance[i]))] = i;
    return code;
}

/* Names, without the series. */
static int make_problem(struct build *b)
{
    const struct mk_rows *rows = b->rows;
    struct mk_problem *p = b->problem = calloc(1, sizeof *p);
    if (!p) return mk_fail_memory(b->err, "the problem");
    p->source = &mk_source_trajectories;
    p->n_instances = rows->instances.n;
    p->n_arms = rows->arms.n;
    p->n_baselines = rows->baselines.n;
    p->replications = p->n_repetitions = rows->repetitions.n;
    p->repetition_name = calloc(p->n_repetitions + 1, sizeof *p->repetition_name);
    p->file = strdup(rows->path);
    p->instance = calloc(p->n_instances + 1, sizeof *p->instance);
    p->arm_label = calloc(p->n_arms + 1, sizeof *p->arm_label);
    p->cost = calloc(p->n_arms + 1, sizeof *p->cost);
    p->baseline_label = calloc(p->n_baselines + 1, sizeof *p->baseline_label);
    bool good = p->file && p->repetition_name && p->instance && p->arm_label && p->cost && p->baseline_label;
    for (size_t i = 0; good && i < p->n_instances; i++)
        good = (p->instance[b->instance_place[i]].name = strdup(rows->instances.text[i])) != NULL;
    for (size_t i = 0; good && i < p->n_arms; i++) {
        p->cost[i] = 1;
        good = (p->arm_label[b->arm_place[i]] = strdup(rows->arms.text[i])) != NULL;
    }
    for (size_t i = 0; good && i < p->n_repetitions; i++)
        good = (p->repetition_name[b->repetition_place[i]] = strdup(rows->repetitions.text[i])) != NULL;
    for (size_t i = 0; good && i < p->n_baselines; i++)
        good = (p->baseline_label[i] = strdup(rows->baselines.text[i])) != NULL;
    return good ? MK_OK : mk_fail_memory(b->err, "the problem");
}

/* Which arms each instance has, and room for their series. position[instance][arm] = place among the
 * instance's arms. */
static int make_instances(struct build *b, size_t *position)
{
    const struct mk_rows *rows = b->rows;
    struct mk_problem *p = b->problem;
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < p->n_instances * p->n_arms; i++) position[i] = SIZE_MAX;
    for (size_t i = 0; i < rows->n; i++) {
        const struct mk_gathered *s = &rows->series[i];
        if (!s->is_baseline && s->n) position[b->instance_place[s->instance] * p->n_arms + b->arm_place[s->arm]] = 0;
    }
    for (size_t i = 0; i < p->n_instances; i++) {
        struct mk_instance *in = &p->instance[i];
        in->arm = calloc(p->n_arms + 1, sizeof *in->arm);
        if (!in->arm) return mk_fail_memory(b->err, "instances");
        for (size_t k = 0; k < p->n_arms; k++) {
            if (position[i * p->n_arms + k] == SIZE_MAX) continue;
            position[i * p->n_arms + k] = in->n_arms;
            in->arm[in->n_arms++] = k;
        }
        if (!in->n_arms)
            return mk_fail_at(b->err, (struct mk_where){rows->path, 0, 0}, NULL,
                              "instance %s has no arms with whole evaluations, only baselines (arm_index < 0) or "
                              "evaluations in part",
                              mk_clip(in->name, clip));
        in->series = calloc(in->n_arms * p->n_repetitions, sizeof *in->series);
        in->baseline = p->n_baselines ? calloc(p->n_baselines * p->n_repetitions, sizeof *in->baseline) : NULL;
        if (!in->series || (p->n_baselines && !in->baseline)) return mk_fail_memory(b->err, "instances");
    }
    return MK_OK;
}

/* ---- arms and repetitions with gaps: what the rules of enum mk_missing drop ---- */

/* Marks of one instance: which arms and which repetitions of the file it keeps. */
struct kept {
    bool *arm;        /* [n_arms] of the problem, by position in the instance */
    bool *repetition; /* [replications] */
    bool *any;        /* [replications] whether some arm of the instance has it */
};

/* Appends a line to what is known about gaps of an instance. */
__attribute__((format(printf, 3, 4))) static int note_gap(struct mk_instance *in, struct mk_error *err,
                                                          const char *format, ...)
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

/* Packs the items that are kept, `width` series each, to the left; returns their number. The rest is emptied. */
static size_t pack(struct mk_series *series, size_t n, size_t width, const bool *keep)
{
    size_t to = 0;
    for (size_t i = 0; i < n; to += keep[i++])
        for (size_t at = i * width, j = 0; j < width; at++, j++) {
            struct mk_series s = series[at];
            series[at] = (struct mk_series){0};
            if (keep[i])
                series[to * width + j] = s;
            else
                mk_series_clear(&s);
        }
    return to;
}

/* Arms that lack a repetition which another arm of the instance has. */
static int drop_arms(struct mk_problem *p, size_t instance, struct kept *keep, struct mk_error *err)
{
    struct mk_instance *in = &p->instance[instance];
    const size_t R = (size_t)p->replications;
    char clip[MK_CLIP_ROOM];
    size_t present = 0, to = 0;
    int code = MK_OK;
    for (size_t r = 0; r < R; r++) present += keep->any[r];
    for (size_t k = 0; k < in->n_arms && !code; k++) {
        size_t n = 0;
        for (size_t r = 0; r < R; r++) n += has(p, instance, k, r);
        keep->arm[k] = n == present;
        if (!keep->arm[k])
            code = note_gap(in, err, "arm %s dropped: it has %zu of %zu repetitions",
                            mk_clip(p->arm_label[in->arm[k]], clip), n, present);
    }
    if (code) return code;
    for (size_t k = 0; k < in->n_arms; k++)
        if (keep->arm[k]) in->arm[to++] = in->arm[k];
    in->n_arms = pack(in->series, in->n_arms, R, keep->arm);
    if (in->n_arms) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: missing: no arm of instance %s has all of its repetitions", p->file,
                   mk_clip(in->name, clip));
}

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
    return note_gap(in, err, "%zu of %zu repetitions dropped (%s%s): %s", dropped, all, list,
                    dropped > MOST_NAMED ? ", …" : "", why);
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
    for (size_t k = 0; k < in->n_arms; k++) pack(in->series + k * old, old, 1, keep->repetition);
    for (size_t b = 0; b < p->n_baselines; b++) pack(in->baseline + b * old, old, 1, keep->repetition);
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

/* common[replications] <- whether every arm of every instance has the repetition. */
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

/* Drops what the rule says, and gives every instance the repetitions that it keeps. */
static int drop_missing(struct mk_problem *p, enum mk_missing rule, struct mk_error *err)
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

/* ---- the problem ---- */

/* What a rule for holes did, per instance. */
static int note_holes(struct build *b)
{
    size_t *holes = calloc(b->problem->n_instances + 1, sizeof *holes);
    int code = holes ? MK_OK : mk_fail_memory(b->err, "instances");
    for (size_t i = 0; holes && i < b->rows->n; i++) {
        const struct mk_gathered *s = &b->rows->series[i];
        holes[b->instance_place[s->instance]] += s->holes;
    }
    for (size_t i = 0; !code && i < b->problem->n_instances; i++)
        if (holes[i])
            code = note_gap(&b->problem->instance[i], b->err, "%zu missing iterations %s", holes[i],
                            b->holes == MK_HOLES_REPEAT ? "filled with the reward before them"
                                                        : "closed: later rewards moved up");
    free(holes);
    return code;
}

/* What was left out of every instance, and whether the file lacks what would say so. */
static int note_parts(struct build *b)
{
    size_t *n = calloc(b->problem->n_instances + 1, sizeof *n);
    int code = n ? MK_OK : mk_fail_memory(b->err, "instances");
    for (size_t i = 0; n && i < b->rows->n; i++) {
        const struct mk_gathered *s = &b->rows->series[i];
        n[b->instance_place[s->instance]] += s->in_part;
    }
    for (size_t i = 0; !code && i < b->problem->n_instances; i++)
        if (n[i])
            code = note_gap(&b->problem->instance[i], b->err,
                            "%zu evaluations in part left out: a pull is a whole evaluation", n[i]);
    free(n);
    if (code || !b->rows->lacks_fidelity) return code;
    return note_gap(&b->problem->instance[0], b->err,
                    "no column fidelity, though an optimiser evaluates in part (an earlier version of maxk wrote the "
                    "file): losses of evaluations in part are the best whole ones of their arms so far");
}

static void move_series(struct build *b, const size_t *position)
{
    struct mk_problem *p = b->problem;
    for (size_t i = 0; i < b->rows->n; i++) {
        struct mk_gathered *s = &b->rows->series[i];
        struct mk_instance *in = &p->instance[b->instance_place[s->instance]];
        if (!s->n) continue; /* it stays with the rows */
        size_t place = b->repetition_place[s->repetition];
        size_t k =
            s->is_baseline ? s->arm : position[b->instance_place[s->instance] * p->n_arms + b->arm_place[s->arm]];
        struct mk_series *to = (s->is_baseline ? in->baseline : in->series) + k * (size_t)p->replications + place;
        *to = (struct mk_series){.reward = s->value[MK_VALUE_REWARD],
                                 .cost = s->value[MK_VALUE_COST],
                                 .worth = s->value[MK_VALUE_TEST],
                                 .length = s->n,
                                 .line = s->line,
                                 .mapped = s->mapped};
        for (size_t v = 0; v < MK_VALUES; v++) s->value[v] = NULL;
    }
    for (size_t v = 0; v < MK_VALUES; v++) {
        p->spill[v] = b->rows->spill[v];
        b->rows->spill[v] = NULL;
    }
    p->tests = b->rows->has[MK_VALUE_TEST];
}

static int check_repetitions(struct build *b)
{
    const struct mk_problem *p = b->problem;
    char instance[MK_CLIP_ROOM], arm[MK_CLIP_ROOM], repetition[MK_CLIP_ROOM];
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        for (size_t k = 0; k < in->n_arms; k++) {
            size_t missing = SIZE_MAX, line = 0;
            for (size_t r = 0; r < p->replications; r++) {
                const struct mk_series *s = mk_problem_series(p, i, k, r);
                if (!s->length && missing == SIZE_MAX) missing = r;
                if (s->line > line) line = s->line;
            }
            if (missing == SIZE_MAX) continue;
            return mk_fail_at(
                b->err, (struct mk_where){p->file, line, 0}, "repetition",
                "instance %s, arm %s lacks repetition %s; expected the same repetitions for every arm of every "
                "instance, or another rule (problem.missing: own, drop_repetition or drop_arm)",
                mk_clip(in->name, instance), mk_clip(p->arm_label[in->arm[k]], arm),
                mk_clip(p->repetition_name[missing], repetition));
        }
    }
    return MK_OK;
}

static void drop_baselines(struct mk_rows *rows)
{
    size_t to = 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct mk_gathered *s = &rows->series[i];
        if (!s->is_baseline) {
            rows->series[to++] = *s;
            continue;
        }
        mk_gathered_clear(s);
    }
    rows->n = to;
    mk_string_table_free(&rows->baselines);
}

int mk_rows_build(struct mk_problem **out, struct mk_rows *rows, const struct mk_trajectory_options *options,
                  struct mk_error *err)
{
    struct build b = {.rows = rows, .holes = options->holes, .err = err};
    size_t *position = NULL;
    if (options->baselines == MK_BASELINES_NONE) drop_baselines(rows);
    if (!rows->n)
        return mk_fail(err, MK_EINPUT,
                       "%s: no rewards; expected rows with a finite number in the column of the rewards", rows->path);
    int code = mk_rows_join(rows, err);
    if (!code) code = sort_all_rows(&b);
    if (!code) code = leave_out_parts(&b);
    if (!code) code = order_names(&b, options);
    if (!code) code = make_problem(&b);
    if (!code) {
        position = calloc(b.problem->n_instances * b.problem->n_arms + 1, sizeof *position);
        code = position ? make_instances(&b, position) : mk_fail_memory(err, "instances");
    }
    if (!code) {
        code = note_holes(&b);
        if (!code) code = note_parts(&b);
        move_series(&b, position);
        if (!code && options->missing == MK_MISSING_ERROR) code = check_repetitions(&b);
        if (!code) code = drop_missing(b.problem, options->missing, err);
    }
    if (code)
        mk_problem_free(b.problem);
    else
        *out = b.problem;
    free(position);
    free(b.instance_place);
    free(b.arm_place);
    free(b.repetition_place);
    return code;
}

/* Costs: the first pull of every arm is affordable at the first horizon, and no arm ends before the last one is spent.
 */
int mk_trajectory_check_costs(const struct mk_problem *p, uint64_t first, uint64_t last, uint64_t replications,
                              struct mk_error *err)
{
    char instance[MK_CLIP_ROOM], arm[MK_CLIP_ROOM], repetition[MK_CLIP_ROOM];
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        for (uint64_t r = 0; r < mk_problem_replications(p, i, replications); r++) {
            double once = 0;
            for (size_t k = 0; k < in->n_arms; k++) {
                const struct mk_series *s = mk_problem_series(p, i, k, r);
                struct mk_spent all = {0, 0};
                once += s->cost[0];
                for (size_t n = 0; n < s->length; n++) all = mk_spend(all, s->cost[n]);
                if (p->leaves || all.sum * (1 + 1e-12) >= mk_horizon_amount(p->cost_parts, last)) continue;
                return mk_fail_at(err, (struct mk_where){p->file, s->line, 0}, NULL,
                                  "instance %s, arm %s, repetition %s: expected iterations that cost at least %.15g "
                                  "(the largest horizon), got %.9g; use horizons up to %.6g or a rule "
                                  "(problem.ends_early: leave)",
                                  mk_clip(in->name, instance), mk_clip(p->arm_label[in->arm[k]], arm),
                                  mk_clip(p->repetition_name[in->repetition[r]], repetition),
                                  mk_horizon_amount(p->cost_parts, last), all.sum, mk_digits_below(all.sum, 6));
            }
            if (once <= mk_affordable(p, first)) continue;
            return mk_fail(
                err, MK_EINPUT,
                "%s: instance %s, repetition %s: expected horizons of at least %.6g, what the first pulls of "
                "all arms cost, got %.15g",
                p->file, mk_clip(in->name, instance), mk_clip(p->repetition_name[in->repetition[r]], repetition),
                mk_digits_above(once, 6), mk_horizon_amount(p->cost_parts, first));
        }
        mk_problem_release(p, i);
    }
    return MK_OK;
}

int mk_trajectory_check(const struct mk_problem *p, uint64_t horizon, uint64_t replications, struct mk_error *err)
{
    char instance[MK_CLIP_ROOM], arm[MK_CLIP_ROOM], repetition[MK_CLIP_ROOM];
    if (p->by_cost) return MK_OK; /* mk_trajectory_check_costs */
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        for (size_t k = 0; k < in->n_arms; k++) {
            for (uint64_t r = 0; r < mk_problem_replications(p, i, replications); r++) {
                const struct mk_series *s = mk_problem_series(p, i, k, r);
                if (s->length >= horizon) continue;
                return mk_fail_at(err, (struct mk_where){p->file, s->line, 0}, NULL,
                                  "instance %s, arm %s, repetition %s: expected at least %" PRIu64
                                  " iterations (the largest horizon), got %zu; use horizons up to %zu or a rule "
                                  "(problem.ends_early: hold, restart or leave)",
                                  mk_clip(in->name, instance), mk_clip(p->arm_label[in->arm[k]], arm),
                                  mk_clip(p->repetition_name[in->repetition[r]], repetition), horizon, s->length,
                                  s->length);
            }
        }
    }
    return MK_OK;
}

/* ---- series that end before the largest horizon ---- */

static void lengthen(double *to, const double *from, size_t length, size_t horizon, enum mk_ends_early rule)
{
    memcpy(to, from, length * sizeof *to);
    for (size_t n = length; n < horizon; n++) to[n] = rule == MK_ENDS_RESTART ? to[n - length] : to[length - 1];
}

/* Room for the longer series: in the temporary file, from *at on, if the problem has one. */
static double *room_for(double **at, size_t horizon)
{
    if (!*at) return malloc(horizon * sizeof **at);
    double *to = *at;
    *at += horizon;
    return to;
}

static int extend_series(struct mk_series *s, double *at[MK_VALUES], size_t horizon, enum mk_ends_early rule,
                         struct mk_error *err)
{
    const size_t repeated = horizon - mk_series_recorded(s);
    struct mk_series longer = {.length = horizon, .repeated = repeated, .line = s->line, .mapped = at[0] != NULL};
    longer.reward = room_for(&at[MK_VALUE_REWARD], horizon);
    longer.cost = s->cost ? room_for(&at[MK_VALUE_COST], horizon) : NULL;
    longer.worth = s->worth ? room_for(&at[MK_VALUE_TEST], horizon) : NULL;
    if (!longer.reward || (s->cost && !longer.cost) || (s->worth && !longer.worth)) {
        mk_series_clear(&longer);
        return mk_fail_memory(err, "recorded rewards");
    }
    lengthen(longer.reward, s->reward, s->length, horizon, rule);
    if (s->cost) lengthen(longer.cost, s->cost, s->length, horizon, rule);
    if (s->worth) lengthen(longer.worth, s->worth, s->length, horizon, rule);
    mk_series_clear(s);
    *s = longer;
    return MK_OK;
}

/* Those of repetitions that the instance does not have stay empty. */
static bool is_short(const struct mk_series *s, uint64_t horizon)
{
    return s->length > 0 && s->length < horizon;
}

/* The values of every series at the length of `horizon`. */
static double extended_bytes(const struct mk_problem *p, uint64_t horizon)
{
    double values = 0;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++)
            if (p->instance[i].series[j].length)
                values += (double)horizon * (1 + (p->instance[i].series[j].cost != NULL) + p->tests);
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
    double *at[MK_VALUES] = {NULL};
    size_t n_short = 0;
    int code = MK_OK;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t j = 0; j < p->instance[i].n_arms * (size_t)p->replications; j++)
            n_short += is_short(&p->instance[i].series[j], horizon);
    if (n_short && !p->spill[0]) code = check_memory(p, horizon, err);
    for (size_t c = 0; c < MK_VALUES && !code && n_short; c++)
        if (p->spill[c]) code = mk_scratch_alloc(p->spill[c], n_short * (size_t)horizon, &at[c], err);
    for (size_t i = 0; i < p->n_instances && n_short; i++) {
        for (size_t j = 0; !code && j < p->instance[i].n_arms * (size_t)p->replications; j++)
            if (is_short(&p->instance[i].series[j], horizon))
                code = extend_series(&p->instance[i].series[j], at, (size_t)horizon, rule, err);
        mk_problem_release(p, i);
    }
    p->leaves = !code && n_short && rule == MK_ENDS_LEAVE;
    return code;
}
