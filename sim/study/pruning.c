#include "sim/study/pruning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/run/experiment/file_keys.h"
#include "sim/study/tune.h"

/* ---- the key ---- */

static int read_asha(struct mk_pruning *p, const struct mk_node *node, struct mk_node *to, struct mk_error *err)
{
    int code = MK_READ_KEY(node, MK_TUNE_PRUNING, "eta", &p->eta, to, err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_PRUNING, "min_step", &p->min_step, to, err);
    if (code || p->min_step < p->max_step) return code;
    const struct mk_node *at = mk_node_get(node, "min_step");
    return mk_fail_at(err, at ? at->where : node->where, "min_step", "expected less than max_step, %llu",
                      (unsigned long long)p->max_step);
}

static int read_median(struct mk_pruning *p, const struct mk_node *node, struct mk_node *to, struct mk_error *err)
{
    int code = MK_READ_KEY(node, MK_TUNE_PRUNING, "startup_trials", &p->startup_trials, to, err);
    return code ? code : MK_READ_KEY(node, MK_TUNE_PRUNING, "warmup_steps", &p->warmup_steps, to, err);
}

/* MK_EINPUT: a key that only the other rule has. */
static int check_rule(const struct mk_pruning *p, const struct mk_node *node, struct mk_error *err)
{
    static const struct {
        const char *key;
        enum mk_pruning_rule of;
    } only[] = {{"eta", MK_PRUNING_ASHA},
                {"min_step", MK_PRUNING_ASHA},
                {"startup_trials", MK_PRUNING_MEDIAN},
                {"warmup_steps", MK_PRUNING_MEDIAN}};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        const struct mk_node *at = mk_node_get(node, only[i].key);
        if (at && only[i].of != p->rule)
            return mk_fail_at(err, at->where, only[i].key, "a key of the rule %s alone",
                              only[i].of == MK_PRUNING_ASHA ? "asha" : "median");
    }
    return MK_OK;
}

/* MK_EINPUT: trials of the file are no evaluations that could be ended. */
static int check_trials(const struct mk_tune *t, const struct mk_node *node, struct mk_error *err)
{
    if (t->on.n)
        return mk_fail_at(err, node->where, "pruning",
                          "of a run on one of several `instances` there are no values to compare; expected either");
    for (size_t k = 0; k < t->n_arms; k++) {
        const struct mk_optimizer_type *type = mk_tune_optimizer(t, k)->type;
        if (type->flags & MK_OPTIMIZER_FIDELITY)
            return mk_fail_at(err, node->where, "pruning",
                              "%s evaluates in part by a schedule of its own; expected an optimiser that does not",
                              type->name);
    }
    return MK_OK;
}

int mk_pruning_read(struct mk_tune *t, const struct mk_node *root, struct mk_node *to, struct mk_error *err)
{
    const struct mk_node *node = mk_node_get(root, "pruning");
    struct mk_pruning *out = &t->pruning;
    if (!node || (node->kind == MK_NODE_SCALAR && !node->length)) return MK_OK; /* --set pruning= */
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(err, node->where, "pruning", "expected a mapping such as {rule: asha, max_step: 81}");
    struct mk_node *resolved = mk_node_add(to, "pruning", mk_node_new(MK_NODE_MAPPING, 1));
    int code = resolved ? mk_check_file_keys(node, MK_TUNE_PRUNING, err) : mk_fail_memory(err, "the tune file");
    if (!code) code = MK_READ_KEY(node, MK_TUNE_PRUNING, "rule", &out->rule, resolved, err);
    if (!code) code = check_rule(out, node, err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_PRUNING, "max_step", &out->max_step, resolved, err);
    if (!code) code = MK_READ_KEY(node, MK_TUNE_PRUNING, "compare", &out->all_arms, resolved, err);
    if (!code) code = (out->rule == MK_PRUNING_ASHA ? read_asha : read_median)(out, node, resolved, err);
    if (!code) code = check_trials(t, node, err);
    out->on = !code;
    return code;
}

/* ---- values by step ---- */

struct entry {
    double value; /* the larger the better */
    size_t trial;
};

/* The values at a step: of asha at a rung. */
struct level {
    uint64_t step;
    size_t n;
    struct entry *entry; /* [n] the best first */
};

/* Of an arm, or of all. */
struct levels {
    size_t n;
    struct level *level;    /* [n] steps ascend */
    size_t n_whole, *whole; /* the numbers of whole evaluations */
};

struct mk_pruner {
    struct mk_pruning how;
    double sign;
    size_t n;
    struct levels *of; /* [n] */
};

int mk_pruner_new(struct mk_pruner **out, const struct mk_pruning *how, size_t n_arms, bool maximize,
                  struct mk_error *err)
{
    struct mk_pruner *p = *out = calloc(1, sizeof *p);
    if (!p) return mk_fail_memory(err, "reports");
    p->how = *how;
    p->sign = maximize ? 1 : -1;
    p->n = how->all_arms ? 1 : n_arms;
    p->of = calloc(p->n ? p->n : 1, sizeof *p->of);
    if (p->of) return MK_OK;
    mk_pruner_free(p);
    *out = NULL;
    return mk_fail_memory(err, "reports");
}

void mk_pruner_free(struct mk_pruner *p)
{
    if (!p) return;
    for (size_t k = 0; p->of && k < p->n; k++) {
        for (size_t i = 0; i < p->of[k].n; i++) free(p->of[k].level[i].entry);
        free(p->of[k].level);
        free(p->of[k].whole);
    }
    free(p->of);
    free(p);
}

static struct levels *levels_of(const struct mk_pruner *p, size_t arm)
{
    return &p->of[p->how.all_arms ? 0 : arm];
}

/* The first level at `step` or later. */
static size_t place_of_step(const struct levels *l, uint64_t step)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->level[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NULL: nothing is known at this step. */
static const struct level *find_level(const struct levels *l, uint64_t step)
{
    const size_t at = place_of_step(l, step);
    return at < l->n && l->level[at].step == step ? &l->level[at] : NULL;
}

static int add_value(struct levels *l, uint64_t step, size_t trial, double value, struct mk_error *err)
{
    const size_t at = place_of_step(l, step);
    if (at == l->n || l->level[at].step != step) {
        if (!MK_GROW(l->level, l->n, 1)) return mk_fail_memory(err, "reports");
        memmove(l->level + at + 1, l->level + at, (l->n++ - at) * sizeof *l->level);
        l->level[at] = (struct level){.step = step};
    }
    struct level *to = &l->level[at];
    if (!MK_GROW(to->entry, to->n, 1)) return mk_fail_memory(err, "reports");
    size_t low = 0, high = to->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (to->entry[middle].value >= value)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(to->entry + low + 1, to->entry + low, (to->n++ - low) * sizeof *to->entry);
    to->entry[low] = (struct entry){value, trial};
    return MK_OK;
}

/* How many values at the step are of trials below `limit`, and how many of these are better than `value`. */
static size_t count_known(const struct level *at, size_t limit, double value, size_t *better)
{
    size_t n = 0;
    *better = 0;
    for (size_t i = 0; at && i < at->n; i++) {
        n += at->entry[i].trial < limit;
        *better += at->entry[i].trial < limit && at->entry[i].value > value;
    }
    return n;
}

/* The value at place i, from 0, of those that count, the best first. */
static double value_at(const struct level *at, size_t limit, size_t i)
{
    size_t k = 0;
    while (at->entry[k].trial >= limit || i-- > 0) k++;
    return at->entry[k].value;
}

/* ---- asha ---- */

static bool is_promoted(const struct mk_pruner *p, const struct level *rung, double value, size_t limit)
{
    size_t better, n = count_known(rung, limit, value, &better) + 1, best = n / (size_t)p->how.eta;
    return better < (best ? best : 1);
}

/* The first rung after the step; 0: there are no more. */
static uint64_t next_rung(const struct mk_pruning *how, uint64_t step)
{
    uint64_t rung = how->min_step;
    while (rung <= step && rung < how->max_step) rung *= how->eta;
    return rung < how->max_step ? rung : 0;
}

/* The first rung that a report reaches and does not pass; 0: there is none. */
static uint64_t failed_rung(const struct mk_pruner *p, size_t arm, uint64_t before, uint64_t step, double value,
                            size_t limit)
{
    if (step >= p->how.max_step) return 0;
    for (uint64_t rung; (rung = next_rung(&p->how, before)) && rung <= step; before = rung)
        if (!is_promoted(p, find_level(levels_of(p, arm), rung), value, limit)) return rung;
    return 0;
}

/* ---- median ---- */

static bool is_below_median(const struct mk_pruner *p, size_t arm, const struct mk_reports *so_far,
                            struct mk_report now, size_t limit)
{
    const struct levels *l = levels_of(p, arm);
    const struct level *at = find_level(l, now.step);
    double best = p->sign * now.value;
    size_t better, whole = 0;
    if (now.step < p->how.warmup_steps || now.step >= p->how.max_step) return false;
    for (size_t i = 0; i < l->n_whole; i++) whole += l->whole[i] < limit;
    if (!whole || whole < p->how.startup_trials) return false;
    for (size_t i = 0; i < so_far->n; i++) best = fmax(best, p->sign * so_far->report[i].value);
    const size_t n = count_known(at, limit, best, &better);
    if (!n) return false;
    return best < 0.5 * (value_at(at, limit, n / 2) + value_at(at, limit, (n - 1) / 2));
}

/* ---- both ---- */

bool mk_pruner_decide(const struct mk_pruner *p, size_t arm, const struct mk_reports *so_far, struct mk_report now,
                      size_t limit)
{
    if (p->how.rule == MK_PRUNING_MEDIAN) return is_below_median(p, arm, so_far, now, limit);
    return failed_rung(p, arm, mk_last_step(so_far), now.step, p->sign * now.value, limit) > 0;
}

int mk_pruner_add(struct mk_pruner *p, size_t arm, size_t trial, const struct mk_reports *so_far, struct mk_report now,
                  size_t limit, struct mk_error *err)
{
    if (p->how.rule == MK_PRUNING_MEDIAN) return MK_OK;
    uint64_t before = mk_last_step(so_far), rung;
    const double value = p->sign * now.value;
    const uint64_t failed = failed_rung(p, arm, before, now.step, value, limit);
    int code = MK_OK;
    for (; !code && (rung = next_rung(&p->how, before)) && rung <= now.step && (!failed || rung <= failed);
         before = rung)
        code = add_value(levels_of(p, arm), rung, trial, value, err);
    return code;
}

int mk_pruner_add_whole(struct mk_pruner *p, size_t arm, size_t trial, const struct mk_reports *so_far,
                        struct mk_error *err)
{
    struct levels *l = levels_of(p, arm);
    if (p->how.rule == MK_PRUNING_ASHA) return MK_OK;
    if (!MK_GROW(l->whole, l->n_whole, 1)) return mk_fail_memory(err, "reports");
    l->whole[l->n_whole++] = trial;
    int code = MK_OK;
    for (size_t i = 0; i < so_far->n && !code; i++)
        code = add_value(l, so_far->report[i].step, trial, p->sign * so_far->report[i].value, err);
    return code;
}
