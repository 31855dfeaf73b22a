/* maxk gap: E[M(T)], the best arm and the gaps per horizon; the horizons at which the best arm changes. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/arm_choice.h"
#include "analysis/arms/gaps.h"
#include "sim/base/number.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/store/problem_input.h"

static int print_gaps(const struct mk_problem *p, const struct mk_truth *f, const uint64_t *horizon,
                      struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    double *upper = malloc(p->n_arms * sizeof *upper);
    struct mk_arm_gap *order = malloc(p->n_arms * sizeof *order);
    int code = upper && order ? MK_OK : mk_fail_memory(err, "gaps");
    if (!code)
        code = mk_table_begin(&t, stdout, style, "instance,horizon,arm,arm_label,expected_max,optimal,gap,gap_endpoint",
                              err);
    for (size_t i = 0; !code && i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        mk_gap_uppers(p, i, upper);
        const bool some = style.form == MK_TABLE_ALIGNED && in->n_arms > MK_MANY_ARMS;
        for (size_t h = 0; h < f->n_horizons; h++) {
            const size_t n = some ? mk_arms_by_gap(f, i, h, order) : in->n_arms;
            for (size_t k = 0; k < n; k++) {
                if (some && !mk_arm_is_listed(k + 1, n)) continue;
                size_t arm = some ? order[k].arm : in->arm[k], best = mk_truth_best(f, i, h),
                       at = mk_truth_at(f, i, h, arm);
                mk_table_text(t, in->name);
                mk_table_count(t, horizon[h]);
                mk_table_count(t, arm);
                mk_table_text(t, p->arm_label[arm]);
                mk_table_real(t, f->expected_max[at]);
                mk_table_real(t, best == SIZE_MAX ? NAN : arm == best);
                mk_table_real(t, f->gap[at]);
                mk_table_real(t, best == SIZE_MAX ? NAN : mk_gap_endpoint(upper, best, arm));
            }
        }
    }
    code = mk_table_finish(t, code, err);
    free(upper);
    free(order);
    return code;
}

static int print_crossings(const struct mk_problem *p, uint64_t last, struct mk_error *err)
{
    struct mk_crossing *c = NULL;
    size_t n = 0;
    if (p->kind != MK_SYNTHETIC) return MK_OK;
    int code = mk_gap_crossings(p, last, &c, &n, err);
    if (code) return code;
    printf(n ? "\nThe best arm changes up to T = %g:\n" : "\nThe best arm is the same at every T up to %g.\n",
           (double)last);
    for (size_t i = 0; i < n; i++)
        printf("  from T = %llu on: %s instead of %s\n", (unsigned long long)c[i].horizon, p->arm_label[c[i].after],
               p->arm_label[c[i].before]);
    free(c);
    return MK_OK;
}

static int gap(const char *path, struct mk_input_options *in, const struct mk_counts *asked, uint64_t last,
               struct mk_table_style style, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    int code = mk_input_open(&e, "gap", path, in, MK_NEED_PROBLEM, err);
    if (code) return code;
    size_t n = asked->n ? asked->n : e->n_horizons;
    const uint64_t *horizon = asked->n ? asked->value : e->horizon;
    uint64_t shortest = n == 0 && e->problem->kind == MK_TRAJECTORIES ? mk_problem_shortest(e->problem) : 0;
    if (shortest > 0) {
        horizon = &shortest;
        n = 1;
    }
    if (n == 0) code = mk_fail(err, MK_EINPUT, "maxk gap: --horizons: missing, and %s has none", path);
    if (!code) code = mk_truth_partial(&f, e->problem, horizon, n, e->replications, err);
    if (f) {
        struct mk_error why;
        int printed = print_gaps(e->problem, f, horizon, style, &why);
        if (printed) code = mk_fail(err, printed, "%s", why.text);
    }
    if (!code && !style.form) code = print_crossings(e->problem, last, err);
    mk_truth_free(f);
    mk_experiment_free(e);
    return code;
}

int mk_cmd_gap(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "gap", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
        "Prints the exact expected maximum E[M(T)] of every arm (for recorded rewards the average over the "
        "repetitions), the best arm at each horizon, the suboptimality gap E[M*(T)] - E[M(T)] (Definition 3.1 of Balef "
        "et al. 2025; undefined between two infinite E[M(T)], of which the one with the larger median of M(T) is taken "
        "as "
        "the best) and the gap between upper end points (undefined where one is infinite). Where the E[M(T)] of an arm "
        "cannot be computed, the best arm and the gaps are left out, the others are printed, and the command fails "
        "with "
        "the reason. Without --csv also the horizons at which the best arm changes; of more than 100 arms the table then "
        "lists those of rank 1 to 10, 20, 50, 100 … by gap, in that order, and the last.",
        1, 1};
    struct mk_input_options in = MK_INPUT_DEFAULTS;
    struct mk_counts horizons = {0, NULL};
    uint64_t last = 1000000000000;
    struct mk_table_style style = MK_TABLE_PLAIN;
    const struct mk_option options[] = {
        {"horizons", 0, MK_OPT_COUNTS, &horizons, "T,T,…", NULL, 1, MK_EXACT_MAX,
         "horizons (default: those of the file; for recorded rewards without any, the length of the shortest series)"},
        {"until", 0, MK_OPT_COUNT, &last, "T", NULL, 1, MK_EXACT_MAX,
         "look for changes of the best arm up to this horizon (default: 1e12)"},
        MK_TABLE_OPTIONS(style),
        MK_INPUT_OPTIONS(in),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) code = gap(operand[0], &in, &horizons, last, style, err);
    free(horizons.value);
    return code;
}
