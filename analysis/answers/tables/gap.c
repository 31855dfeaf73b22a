/* E[M(T)], the best arm and the gaps per horizon; the horizons at which the best arm changes. */
#include <math.h>
#include <stdlib.h>

#include "analysis/answers/tables/result_tables.h"
#include "analysis/compare/arms/arm_choice.h"
#include "analysis/compare/arms/gaps.h"
#include "sim/base/error.h"
#include "sim/base/number.h"

struct gap_options {
    struct mk_amounts horizons;
    uint64_t until;
};

#define COLUMNS(X)                                                                                                     \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                                 \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(ARM_LABEL, "arm_label", TEXT, "", "label of the arm")                                                            \
    X(EXPECTED_MAX, "expected_max", REAL, "rewards",                                                                   \
      "E[M(T)], the expected largest of T rewards; for recorded rewards the average over the repetitions")             \
    X(OPTIMAL, "optimal", FLAG, "", "whether the arm is the best one at this horizon")                                 \
    X(GAP, "gap", REAL, "rewards", "suboptimality gap E[M*(T)] - E[M(T)] (Definition 3.1 of Balef et al. 2025)")       \
    X(GAP_ENDPOINT, "gap_endpoint", REAL, "rewards",                                                                   \
      "difference of the upper end points of the best arm and of this one")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("expected maxima and gaps", columns, NULL);

static void add_gap_row(struct mk_table *t, const struct mk_problem *p, const struct mk_truth *f, size_t instance,
                        size_t h, size_t arm, const double *upper, uint64_t horizon)
{
    const size_t best = mk_truth_best(f, instance, h), at = mk_truth_at(f, instance, h, arm);
    mk_table_set_text(t, INSTANCE, p->instance[instance].name);
    mk_table_set_number(t, HORIZON, mk_horizon_amount(p->cost_parts, horizon));
    mk_table_set_count(t, ARM, arm);
    mk_table_set_text(t, ARM_LABEL, p->arm_label[arm]);
    mk_table_set_real(t, EXPECTED_MAX, f->expected_max[at]);
    if (best == SIZE_MAX)
        mk_table_set_missing(t, OPTIMAL);
    else
        mk_table_set_flag(t, OPTIMAL, arm == best);
    mk_table_set_real(t, GAP, f->gap[at]);
    mk_table_set_real(t, GAP_ENDPOINT, best == SIZE_MAX ? NAN : mk_gap_endpoint(upper, best, arm));
    mk_table_end_row(t);
}

/* Of many arms people see those of some ranks by gap. The rows of one cell begin at `first`. */
static void list_some(struct mk_table *t, const struct mk_instance *in, const struct mk_arm_gap *order, size_t n,
                      size_t first)
{
    for (size_t k = 0; k < n; k++) {
        size_t position = 0;
        while (in->arm[position] != order[k].arm) position++;
        if (mk_arm_is_listed(k + 1, n)) mk_table_list_row(t, first + position);
    }
}

static int add_rows(struct mk_table *t, const struct mk_problem *p, const struct mk_truth *f, const uint64_t *horizon,
                    struct mk_error *err)
{
    double *upper = malloc(p->n_arms * sizeof *upper);
    struct mk_arm_gap *order = malloc(p->n_arms * sizeof *order);
    int code = upper && order ? MK_OK : mk_fail_memory(err, "gaps");
    bool many = false;
    for (size_t i = 0; i < p->n_instances; i++) many |= p->instance[i].n_arms > MK_MANY_ARMS;
    for (size_t i = 0; !code && i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        mk_gap_uppers(p, i, upper);
        for (size_t h = 0; h < f->n_horizons; h++) {
            const size_t first = mk_table_rows(t);
            for (size_t k = 0; k < in->n_arms; k++) add_gap_row(t, p, f, i, h, in->arm[k], upper, horizon[h]);
            if (in->n_arms > MK_MANY_ARMS)
                list_some(t, in, order, mk_arms_by_gap(f, i, h, order), first);
            else
                for (size_t k = 0; many && k < in->n_arms; k++) mk_table_list_row(t, first + k);
        }
    }
    free(upper);
    free(order);
    return code;
}

static int note_crossings(struct mk_table *t, const struct mk_problem *p, uint64_t last, struct mk_error *err)
{
    struct mk_crossing *c = NULL;
    size_t n = 0;
    if (!p->source->known || p->by_cost) return MK_OK;
    int code = mk_gap_crossings(p, last, &c, &n, err);
    if (code) return code;
    mk_table_add_note(t, n ? "The best arm changes up to T = %g:" : "The best arm is the same at every T up to %g.",
                      (double)last);
    for (size_t i = 0; i < n; i++)
        mk_table_extend_note(t, "\n  from T = %llu on: %s instead of %s", (unsigned long long)c[i].horizon,
                             p->arm_label[c[i].after], p->arm_label[c[i].before]);
    free(c);
    return MK_OK;
}

/* The horizons of --horizons, which costs of the experiment may exceed or fall between. */
static int read_horizons(const struct mk_amounts *o, struct mk_experiment *e, struct mk_error *err)
{
    struct mk_problem *p = e->problem;
    const double parts = mk_decimal_parts(o->value, o->n);
    if (!(parts > 0) || (!p->by_cost && parts > 1))
        return mk_fail(err, MK_EINPUT, "maxk gap: --horizons: expected %s (see maxk gap --help)",
                       p->by_cost ? "costs with at most six decimals" : "whole numbers");
    uint64_t *horizon = malloc(o->n * sizeof *horizon);
    if (!horizon) return mk_fail_memory(err, "gaps");
    for (size_t h = 0; h < o->n; h++) horizon[h] = (uint64_t)round(o->value[h] * parts);
    free(e->horizon);
    e->horizon = horizon;
    e->n_horizons = o->n;
    if (!p->by_cost) return MK_OK;
    p->cost_parts = parts;
    return mk_problem_check_costs(p, horizon[0], horizon[o->n - 1], e->replications, err);
}

static int fill(struct mk_table *t, const struct mk_experiment *e, const struct mk_table_call *call,
                struct mk_error *err)
{
    const struct gap_options *o = call->options;
    struct mk_truth *f = NULL;
    struct mk_error why = {0, ""};
    size_t n = e->n_horizons;
    const uint64_t *horizon = e->horizon;
    const uint64_t shortest = n == 0 ? mk_problem_shortest(e->problem) : UINT64_MAX;
    if (shortest > 0 && shortest < UINT64_MAX) {
        horizon = &shortest;
        n = 1;
    }
    if (n == 0) return mk_fail(err, MK_EINPUT, "maxk gap: --horizons: missing, and %s has none", call->input[0]);
    int code = mk_truth_partial(&f, e->problem, horizon, n, e->replications, &why);
    if (!f) return mk_fail(err, code, "%s", why.text);
    if (code) mk_table_fail(t, &why); /* what is known is shown */
    const bool complete = !code;
    mk_table_take_horizons(t, e->problem->by_cost, e->problem->cost_parts);
    code = add_rows(t, e->problem, f, horizon, err);
    if (!code && complete && call->further) code = note_crossings(t, e->problem, o->until, err);
    mk_truth_free(f);
    return code;
}

static int make_gap(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    const struct gap_options *o = call->options;
    int code = mk_table_open(&e, &mk_table_gap, call, err);
    if (!code && o->horizons.n) code = read_horizons(&o->horizons, e, err);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) mk_table_warn_gaps(t, e->problem);
    if (!code) code = fill(t, e, call, err);
    mk_experiment_free(e);
    return mk_table_made(out, t, code, err);
}

static const struct gap_options defaults = {.until = 1000000000000};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct gap_options, horizons, "horizons", 0, MK_OPT_AMOUNTS, "T,T,…", NULL, 1e-6, MK_EXACT_MAX,
                    "horizons (default: those of the file; for recorded rewards without any, the length of the "
                    "shortest series)"),
    MK_TABLE_OPTION(struct gap_options, until, "until", 0, MK_OPT_COUNT, "T", NULL, 1, MK_EXACT_MAX,
                    "look for changes of the best arm up to this horizon (default: 1e12)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_gap = {
    .usage =
        {"gap", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
         "Prints which arm is best at each horizon T and how far the others are behind. E[M(T)] is the expected "
         "largest reward of T pulls of an arm; it is exact for known arms, and the average over the repetitions for "
         "recorded rewards.\n\n  expected_max  E[M(T)]\n  optimal  1 for the best arm, which has the largest "
         "E[M(T)]; of two infinite ones that with the larger median of M(T)\n  gap  E[M*(T)] - E[M(T)] from the best "
         "arm (Definition 3.1 of Balef et al. 2025); undefined between two infinite ones\n  gap_endpoint  the "
         "difference of the upper end points; undefined where one is infinite\n\nBelow the table are the horizons at "
         "which the best arm changes (of horizons in pulls; not with --csv). Of more than 100 arms the table has those of rank 1 to 10, "
         "20, 50, 100 … by gap, in that order, and the last; --csv has all.\n\nIf the E[M(T)] of an arm cannot be "
         "computed, the others are printed without best arm and gaps, and the command fails with the reason.",
         1, 1},
    .group = "Arms and recorded rewards",
    .summary = "expected maxima, best arms and suboptimality gaps per horizon",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema),
    .inapplicable = mk_table_always,
    .counts_trials = true,
    .make = make_gap};
