/* maxk survey: recorded rewards as Section 3 and Appendices C.1, C.3, E.3 of Balef et al. 2025 describe them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/survey.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/command/tables/concavity_table.h"

#define COLUMNS "instance,rank,arm,arm_label,n,best,mean_best,gap,mean,sd,skewness,shift,shift_noise,ties"

static int print_arms(const struct mk_survey *s, struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_table_begin(&t, stdout, style, COLUMNS, err);
    if (code) return code;
    for (size_t i = 0; i < s->p->n_instances; i++)
        for (size_t r = 0; r < s->p->instance[i].n_arms; r++) {
            const struct mk_survey_arm *a = mk_survey_at(s, i, r);
            const double value[] = {a->best, a->mean_best, a->gap,   a->mean,
                                    a->sd,   a->skewness,  a->shift, a->shift_noise};
            mk_table_text(t, s->p->instance[i].name);
            mk_table_count(t, r + 1);
            mk_table_count(t, a->arm);
            mk_table_text(t, s->p->arm_label[a->arm]);
            mk_table_count(t, a->n);
            for (size_t v = 0; v < sizeof value / sizeof *value; v++) mk_table_real(t, value[v]);
            mk_table_count(t, a->ties);
        }
    return mk_table_finish(t, MK_OK, err);
}

static void print_rank(struct mk_table_printer *t, size_t rank, const struct mk_survey_rank *r)
{
    mk_table_count(t, rank + 1);
    mk_table_count(t, r->instances);
    mk_table_real(t, r->gap);
    mk_table_real(t, r->skewness);
    mk_table_real(t, r->shift);
    mk_table_count(t, r->left_skewed);
    mk_table_count(t, r->near_constant);
    mk_table_real(t, r->lu.L);
    mk_table_real(t, r->lu.U);
}

static int print_ranks(const struct mk_survey *s, size_t flat, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    size_t left_skewed = 0, all = 0;
    printf("\nBy rank (1 = largest mean over the repetitions of the largest reward); L and U of the survival function "
           "averaged over\nthe instances, over its trimmed range, with b its largest value:\n");
    int code =
        mk_table_begin(&t, stdout, MK_TABLE_PLAIN,
                       "rank,instances,median gap,median skewness,median shift,left-skewed,near-constant,L,U", err);
    for (size_t rank = 0; !code && rank < s->n_ranks; rank++) {
        struct mk_survey_rank r;
        code = mk_survey_rank_new(s, rank, &r, err);
        if (code) break;
        print_rank(t, rank, &r);
        left_skewed += r.left_skewed;
        all += r.instances;
    }
    code = mk_table_finish(t, code, err);
    if (code) return code;
    printf("\n%zu of %zu arms are left-skewed.\n", left_skewed, all);
    if (flat) printf("%zu repetitions have the same reward everywhere; it became 1.\n", flat);
    return MK_OK;
}

int mk_cmd_survey(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "survey", "FILE.csv[.gz]|FILE.yaml|RESULT.h5|-",
        "Describes recorded rewards, normalised to [0, 1] per instance and repetition: one row per instance and arm, "
        "the best first (by the mean over the repetitions of the largest reward), then, without --csv, a summary by "
        "rank.\n\n  gap  suboptimality gap to the best arm\n  skewness  third standardised moment\n  shift  largest "
        "change of the mean over all repetitions between adjacent blocks of 10 pulls\n  shift_noise  standard error of "
        "one such change without drift\n  ties  number of rewards that equal the largest\n\nNear-constant means sd < "
        "0.001. `maxk figures` draws all of this.\n\nWith --concave C: are best-so-far curves y(t) concave, as Rising "
        "Bandits assume (Li et al. 2020)?\n\n  concave  share of the curves, one per repetition, whose growth never "
        "increases\n  concave_smoothed  the same of the growth rate over C pulls (eq. 10)\n  eq_15  share of the rounds "
        "at which loose concavity (eq. 15) holds for the least concave curve above y\n  bound_holds  share of the "
        "rounds at which the upper bound of y(T) from that growth rate is one\n  departure  of the mean curve from "
        "the least concave curve above it, relative to its rise",
        1, 1};
    struct mk_table_style style = MK_TABLE_PLAIN;
    int raw = 0;
    uint64_t concave = 0;
    struct mk_input_options in = MK_INPUT_DEFAULTS;
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(style),
        {"concave", 0, MK_OPT_COUNT, &concave, "C", NULL, 1, 1e9,
         "the concavity of best-so-far curves, growth averaged over C pulls"},
        {"raw", 0, MK_OPT_FLAG, &raw, NULL, NULL, 1, 0, "do not normalise the rewards"},
        MK_INPUT_OPTIONS(in),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    struct mk_experiment *e = NULL;
    struct mk_survey *s = NULL;
    char **operand;
    size_t n, flat = 0;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    code = mk_input_open(&e, "survey", operand[0], &in, MK_NEED_PROBLEM, err);
    if (!code && !raw && e->problem->kind == MK_TRAJECTORIES) flat = mk_problem_normalise(e->problem);
    if (!code) code = mk_survey_new(&s, e->problem, err);
    if (!code && concave) {
        code = mk_print_concavity(e->problem, concave, style, err);
    } else {
        if (!code) code = print_arms(s, style, err);
        if (!code && !style.form) code = print_ranks(s, flat, err);
    }
    mk_survey_free(s);
    mk_experiment_free(e);
    return code;
}
