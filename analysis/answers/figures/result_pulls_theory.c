/* Pulls of MaxUCB on recorded runs against theory (Balef et al. 2025, Appendix E.2 and Figure E.5): means over
 * instances of the pulls of the arm of every rank in E[M(T)], and of the first term of Theorem 4.2,
 *
 *     T^(1-p) / (1-p),    p = 2 L alpha sqrt(Delta_i),
 *
 * the published figure having Delta_i in place of its root. Both are defined for p < 1 only; other arms are omitted
 * from their means. The proof's sum of t^-p, which that term bounds, is defined for every p. Rewards are normalised to
 * [0, 1] per instance and repetition; L is the plug-in estimate from the optimal arm's pooled rewards, b the largest of
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_max_ucb.h"
#include "analysis/compare/arms/lu_arm.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

enum { OBSERVED, ROOT, PLOTTED, SUM, CURVES };

static bool applies(const struct mk_result_view *s)
{
    return s->recorded && !s->info->by_cost && s->recorded->problem->n_arms == s->info->n_arms &&
           s->recorded->problem->n_instances == s->info->n_instances && s->info->n_instances > 1;
}

/* Common to all policies. */
struct theory {
    struct mk_truth *truth; /* of the normalised rewards at the largest horizon */
    double *L;              /* [instance] of its optimal arm */
    struct mk_arm_gap *arm; /* [arm] of one instance, from the best to the worst */
};

static void clear_theory(struct theory *t)
{
    mk_truth_free(t->truth);
    free(t->L);
    free(t->arm);
}

static int find_theory(struct theory *t, const struct mk_result_view *s, struct mk_error *err)
{
    const struct mk_problem *p = s->recorded->problem;
    const struct mk_lu_options options = {.confidence = 0.95, .samples = 1, .runs = 1, .resamples = 1};
    t->L = malloc((p->n_instances + 1) * sizeof *t->L);
    t->arm = malloc((p->n_arms + 1) * sizeof *t->arm);
    int code = t->L && t->arm ? MK_OK : mk_fail_memory(err, "figure");
    if (!code)
        code = mk_truth_new(&t->truth, p, &s->info->horizon[s->info->n_horizons - 1], 1, s->info->replications, err);
    for (size_t i = 0; i < p->n_instances && !code; i++) {
        struct mk_pooled_rewards *pool = NULL;
        struct mk_lu_row row;
        size_t best = 0;
        while (p->instance[i].arm[best] != mk_truth_best(t->truth, i, 0)) best++;
        code = mk_pooled_rewards_new(&pool, p, i, 0, 0, MK_LU_STREAM, err);
        if (!code) code = mk_lu_arm(p, i, best, pool, MK_LU_PLUGIN, &options, &row, err);
        if (!code) t->L[i] = row.lu.L;
        mk_pooled_rewards_free(pool);
    }
    return code;
}

/* The arms of an instance from the optimal one, which others may tie with, to the worst; returns their number. */
static size_t order_arms(struct theory *t, size_t instance)
{
    const size_t n = mk_arms_by_gap(t->truth, instance, 0, t->arm);
    size_t at = 0;
    while (t->arm[at].arm != mk_truth_best(t->truth, instance, 0)) at++;
    const struct mk_arm_gap best = t->arm[at];
    memmove(t->arm + 1, t->arm, at * sizeof *t->arm);
    t->arm[0] = best;
    return n;
}

static void add_theory(const struct theory *t, size_t instance, double gap, double alpha, uint64_t horizon,
                       struct mk_real_moments *at)
{
    const double used[CURVES] = {[ROOT] = sqrt(gap), [PLOTTED] = gap, [SUM] = gap};
    for (int c = ROOT; c < CURVES; c++) {
        struct mk_bound_input in = {alpha, t->L[instance], 0, used[c], NAN, horizon, NAN};
        struct mk_bound b = mk_bound_evaluate(c == SUM ? MK_BOUND_SUM : MK_BOUND_FIGURE_E5, &in);
        if (!isnan(b.value) && (c == SUM || b.regime == MK_REGIME_P_BELOW_1)) mk_real_moments_add(&at[c], b.value);
    }
}

/* moments[rank][CURVES] */
static int gather(const struct mk_result_view *s, struct theory *t, size_t policy, struct mk_real_moments *moments,
                  struct mk_error *err)
{
    const struct mk_problem *p = s->recorded->problem;
    const size_t h = s->info->n_horizons - 1;
    const double alpha = mk_result_parameter(s->info, policy, "alpha");
    for (size_t i = 0; i < p->n_instances; i++) {
        struct mk_cell *cell = NULL;
        int code = mk_result_cell(s->result, policy, i, h, &cell, err);
        if (code) return code;
        size_t n = order_arms(t, i);
        for (size_t k = 0; k < n; k++) {
            mk_real_moments_add(&moments[k * CURVES + OBSERVED], cell->mean_pulls[t->arm[k].arm]);
            if (k) add_theory(t, i, t->arm[k].gap, alpha, s->info->horizon[h], &moments[k * CURVES]);
        }
        mk_cell_free(cell);
    }
    return MK_OK;
}

static int add_curves(const struct mk_result_view *s, const struct mk_real_moments *moments, struct mk_plot *p,
                      struct mk_error *err)
{
    static const char *const label[CURVES] = {"observed", "first term, root of gap", "first term as plotted, gap",
                                              "sum of t^-p, root of gap"};
    for (int c = 0; c < CURVES; c++) {
        struct mk_curve *to = mk_plot_add(p, label[c], s->info->n_arms, 1);
        if (!to) return mk_fail_memory(err, "figure");
        to->style = MK_CURVE_LINE_POINTS;
        for (size_t k = 0; k < to->n; k++) {
            const struct mk_real_moments *m = &moments[k * CURVES + (size_t)c];
            if (c != OBSERVED && !k) continue;
            mk_curve_set(to, k, (double)k + 1, (struct mk_mean){mk_real_moments_mean(m), mk_spread_error(&m->spread)},
                         MK_MEASURES);
        }
    }
    return MK_OK;
}

static int draw_policy(const struct mk_result_view *s, struct theory *t, size_t policy, struct mk_error *err)
{
    struct mk_plot p;
    char label[MK_POLICY_NAME_ROOM];
    struct mk_real_moments *moments = calloc(s->info->n_arms * CURVES + 1, sizeof *moments);
    int code = moments ? gather(s, t, policy, moments, err) : mk_fail_memory(err, "figure");
    char counted[MK_COUNTED_ROOM];
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "pulls against Theorem 4.2, α = %g, T = %s, mean over %s with 95 %% band",
             mk_result_parameter(s->info, policy, "alpha"),
             mk_plot_horizon(s->info->horizon[s->info->n_horizons - 1]).text,
             mk_counted(s->info->n_instances, "instance", NULL, counted));
    if (!code) code = add_curves(s, moments, &p, err);
    mk_plot_axes(&p, "rank of the arm by E[M(T)]", "pulls");
    p.x.whole = 1;
    p.y.log = 1;
    free(moments);
    mk_result_view_policy_name(s, policy, label, sizeof label);
    return mk_result_view_finish(s, &p, "pulls_theory", label, code, err);
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose(s, mk_result_view_is_max_ucb, policy);
    struct theory t = {NULL, NULL, NULL};
    int code = find_theory(&t, s, err);
    for (size_t i = 0; i < n && !code; i++) code = draw_policy(s, &t, policy[i], err);
    clear_theory(&t);
    return code;
}

const struct mk_result_figure mk_result_figure_pulls_theory = {
    "pulls_theory", "pulls of max_ucb per rank of the arm against the first term of Theorem 4.2; recorded runs",
    applies, draw};
