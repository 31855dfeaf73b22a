#include "sim/command/tables/concavity_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "analysis/arms/concavity.h"
#include "sim/base/statistics.h"

enum { CONCAVE, SMOOTH, LOOSE, BOUND, DEPARTURE, MEASURES };

/* A mean curve this close to a concave one, relative to its rise, counts as concave. */
static const double close_enough = 0.05;

struct over_arms {
    struct mk_real_moments of[MEASURES];
};

static void add_row(struct mk_table_printer *t, const struct mk_problem *p, size_t instance, size_t k,
                    const struct mk_concavity *c, struct over_arms *all)
{
    const double value[MEASURES] = {c->concave, c->smooth, c->loose, 1 - c->bound_fails, c->departure};
    const size_t arm = p->instance[instance].arm[k];
    mk_table_text(t, p->instance[instance].name);
    mk_table_count(t, arm);
    mk_table_text(t, p->arm_label[arm]);
    mk_table_count(t, c->curves);
    for (size_t m = 0; m < MEASURES; m++) {
        mk_table_real(t, value[m]);
        mk_real_moments_add(&all->of[m], value[m]);
    }
}

static int print_arms(const struct mk_problem *p, uint64_t C, struct mk_table_style style, struct over_arms *all,
                      struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_table_begin(
        &t, stdout, style, "instance,arm,arm_label,curves,concave,concave_smoothed,eq_15,bound_holds,departure", err);
    for (size_t i = 0; i < p->n_instances && !code; i++)
        for (size_t k = 0; k < p->instance[i].n_arms && !code; k++) {
            struct mk_concavity c;
            code = mk_concavity_of(&c, p, i, k, C, err);
            if (!code) add_row(t, p, i, k, &c, all);
        }
    return mk_table_finish(t, code, err);
}

/* An assumption that is to hold without exception: whether the smallest share is 1. */
static const char *strict(const struct mk_real_moments *m)
{
    return m->min >= 1 ? "holds" : "violated";
}

static const char *bounded(double low, double high, double most)
{
    return high <= most ? "holds" : low > most ? "violated" : "inconclusive";
}

static int print_assumptions(const struct over_arms *all, uint64_t C, struct mk_error *err)
{
    static const char *const text[MEASURES] = {
        "every curve is concave (Assumption 1): share of curves",
        "the growth rate of eq. 10 never grows: share of curves",
        "loose concavity, eq. 15: share of rounds",
        "the upper bound of y(T) holds: share of rounds",
        "mean curves are concave up to 5 % of their rise: departure",
    };
    struct mk_table_printer *t = NULL;
    printf(
        "\nOver all arms, C = %llu: mean and 95 %% interval of Student, arms as the sample. The first four are assumed "
        "to hold without\nexception.\n",
        (unsigned long long)C);
    int code = mk_table_begin(&t, stdout, MK_TABLE_PLAIN, "assumption,arms,mean,low,high,verdict", err);
    for (size_t m = 0; m < MEASURES && !code; m++) {
        const struct mk_real_moments *of = &all->of[m];
        const double mean = mk_real_moments_mean(of), n = (double)of->spread.n;
        const double half = n > 1 ? gsl_cdf_tdist_Qinv(0.025, n - 1) * mk_spread_error(&of->spread) : NAN;
        mk_table_text(t, text[m]);
        mk_table_count(t, of->spread.n);
        mk_table_format(t, "%.4f", mean);
        mk_table_format(t, "%.4f", mean - half);
        mk_table_format(t, "%.4f", mean + half);
        mk_table_text(t, m == DEPARTURE ? bounded(mean - half, mean + half, close_enough) : strict(of));
    }
    return mk_table_finish(t, code, err);
}

int mk_print_concavity(const struct mk_problem *p, uint64_t C, struct mk_table_style style, struct mk_error *err)
{
    struct over_arms all;
    memset(&all, 0, sizeof all);
    int code = print_arms(p, C, style, &all, err);
    return code || style.form != MK_TABLE_ALIGNED ? code : print_assumptions(&all, C, err);
}
