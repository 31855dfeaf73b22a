#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
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
static int settle(struct build *b, struct mk_gathered *s)
{
    const size_t n = s->n + s->n_loose;
    size_t holes, to = 0;
    double *reward = NULL, *cost = NULL;
    struct mk_loose *all = malloc(n * sizeof *all);
    int code = all ? MK_OK : mk_fail_memory(b->err, "recorded rewards");
    if (code) goto out;
    /* The lines of rows that continued the series are not kept: none of them is the second of two equal iterations or
     * the first after a gap, apart from the series' first row. */
    for (size_t i = 0; i < s->n; i++)
        all[i] = (struct mk_loose){s->first + i, s->reward[i], s->cost ? s->cost[i] : 1, i ? 0 : s->first_line};
    memcpy(all + s->n, s->loose, s->n_loose * sizeof *all);
    qsort(all, n, sizeof *all, by_iteration);
    code = find_holes(b, s, all, n, &holes);
    if (code) goto out;
    const size_t length = n + (b->holes == MK_HOLES_REPEAT ? holes : 0);
    reward = malloc(length * sizeof *reward);
    cost = s->cost ? malloc(length * sizeof *cost) : NULL;
    if (!reward || (s->cost && !cost)) {
        code = mk_fail_memory(b->err, "recorded rewards");
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t end =
            b->holes == MK_HOLES_REPEAT && i + 1 < n ? (size_t)(all[i + 1].iteration - all[0].iteration) : to + 1;
        for (; to < end; to++) {
            reward[to] = all[i].reward;
            if (cost) cost[to] = all[i].cost;
        }
    }
    if (!s->mapped) {
        free(s->reward);
        free(s->cost);
    }
    s->mapped = 0;
    s->reward = reward;
    s->cost = cost;
    s->n = length;
    s->holes = holes;
    s->first = all[0].iteration;
    reward = cost = NULL;
out:
    free(all);
    free(reward);
    free(cost);
    return code;
}

static int settle_all(struct build *b)
{
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; i < b->rows->n; i++) {
        struct mk_gathered *s = &b->rows->series[i];
        int code = s->n_loose ? settle(b, s) : MK_OK;
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
        if (!s->is_baseline) position[b->instance_place[s->instance] * p->n_arms + b->arm_place[s->arm]] = 0;
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
                              "instance %s has no arms, only baselines (arm_index < 0)", mk_clip(in->name, clip));
        in->series = calloc(in->n_arms * p->n_repetitions, sizeof *in->series);
        in->baseline = p->n_baselines ? calloc(p->n_baselines * p->n_repetitions, sizeof *in->baseline) : NULL;
        if (!in->series || (p->n_baselines && !in->baseline)) return mk_fail_memory(b->err, "instances");
    }
    return MK_OK;
}

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
            code = mk_instance_note(&b->problem->instance[i], b->err, "%zu missing iterations %s", holes[i],
                                    b->holes == MK_HOLES_REPEAT ? "filled with the reward before them"
                                                                : "closed: later rewards moved up");
    free(holes);
    return code;
}

static void move_series(struct build *b, const size_t *position)
{
    struct mk_problem *p = b->problem;
    for (size_t i = 0; i < b->rows->n; i++) {
        struct mk_gathered *s = &b->rows->series[i];
        struct mk_instance *in = &p->instance[b->instance_place[s->instance]];
        size_t place = b->repetition_place[s->repetition];
        size_t k =
            s->is_baseline ? s->arm : position[b->instance_place[s->instance] * p->n_arms + b->arm_place[s->arm]];
        struct mk_series *to = (s->is_baseline ? in->baseline : in->series) + k * (size_t)p->replications + place;
        *to = (struct mk_series){
            .reward = s->reward, .cost = s->cost, .length = s->n, .line = s->line, .mapped = s->mapped};
        s->reward = s->cost = NULL;
    }
    p->spill[0] = b->rows->rewards;
    p->spill[1] = b->rows->costs;
    b->rows->rewards = b->rows->costs = NULL;
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
    if (!rows->n) return mk_fail(err, MK_EINPUT, "%s: no rewards", rows->path);
    int code = mk_rows_join(rows, err);
    if (!code) code = settle_all(&b);
    if (!code) code = order_names(&b, options);
    if (!code) code = make_problem(&b);
    if (!code) {
        position = calloc(b.problem->n_instances * b.problem->n_arms + 1, sizeof *position);
        code = position ? make_instances(&b, position) : mk_fail_memory(err, "instances");
    }
    if (!code) {
        code = note_holes(&b);
        move_series(&b, position);
        if (!code && options->missing == MK_MISSING_ERROR) code = check_repetitions(&b);
        if (!code) code = mk_rows_drop(b.problem, options->missing, err);
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

int mk_trajectory_check(const struct mk_problem *p, uint64_t horizon, uint64_t replications, struct mk_error *err)
{
    char instance[MK_CLIP_ROOM], arm[MK_CLIP_ROOM], repetition[MK_CLIP_ROOM];
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        for (size_t k = 0; k < in->n_arms; k++) {
            for (uint64_t r = 0; r < mk_problem_replications(p, i, replications); r++) {
                const struct mk_series *s = mk_problem_series(p, i, k, r);
                if (s->length >= horizon) continue;
                return mk_fail_at(err, (struct mk_where){p->file, s->line, 0}, NULL,
                                  "instance %s, arm %s, repetition %s: expected at least %" PRIu64
                                  " iterations (the largest horizon), got %zu; use horizons up to %zu or a rule "
                                  "(problem.ends_early: hold or restart)",
                                  mk_clip(in->name, instance), mk_clip(p->arm_label[in->arm[k]], arm),
                                  mk_clip(p->repetition_name[in->repetition[r]], repetition), horizon, s->length,
                                  s->length);
            }
        }
    }
    return MK_OK;
}
