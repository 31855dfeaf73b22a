/* Measures against T, one curve per policy:
 *   best_share    N_{i*}(T) / T
 *   regret        R(T) = max_k E[M_k(T)] - E[best reward up to T] (Balef et al. 2025, eq. 4)
 *   proxy_regret PER(T) (Baudry et al. 2022), if the run has an oracle policy
 *   best_reward   mean of the largest reward up to T */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_max_ucb.h"
#include "sim/base/error.h"
#include "sim/run/engine/rare.h"

enum { MAX_BESIDE_SWEEP = 8 };

/* The policies that a figure shows. */
struct choice {
    const struct mk_sweep *sweep; /* coloured by their parameter; NULL: none */
    const char *shown;            /* [policy] 1 = listed in the legend */
    const int *look;              /* [policy]; NULL: by their order */
    const char *detail;
};

/* The look of a policy: the one chosen for it, or the number of policies shown before it. */
static int look_of(const struct choice *choice, size_t policy)
{
    int before = 0;
    for (size_t i = 0; i < policy; i++) before += choice->shown[i] != 0;
    return choice->look && choice->shown[policy] ? choice->look[policy] : before;
}

static bool has_interval(const struct mk_result_view *s, enum mk_measure m)
{
    for (size_t i = 0; i < s->info->n_policies * s->info->n_horizons; i++)
        if (isfinite(s->mean[m][i].se)) return true;
    return false;
}

/* The oracle's own regret is 0 up to chance; on a log axis its noise would determine the scale. */
static bool left_out(const struct mk_result_view *s, enum mk_measure m, size_t policy)
{
    return m == MK_MEASURE_REGRET && mk_result_policy_has(s->info, policy, MK_POLICY_ORACLE);
}

/* look: the number of the policy in all figures of a file, so that it keeps its colour. */
static int add_policy(const struct mk_result_view *s, enum mk_measure m, size_t policy, double colour, int look,
                      struct mk_plot *p, struct mk_error *err)
{
    if (left_out(s, m, policy)) return MK_OK;
    struct mk_curve *c = mk_plot_add(p, s->info->policy[policy], s->info->n_horizons, has_interval(s, m));
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE_POINTS;
    c->colour = colour;
    c->look = look;
    for (size_t h = 0; h < c->n; h++) mk_curve_set(c, h, s->horizon[h], mk_result_view_mean(s, m, policy, h), m);
    return MK_OK;
}

/* The policy whose alpha a claim uses: the first max_ucb that it covers, else the first policy; n_policies = none. */
static size_t claimed_policy(const struct mk_result_view *s, const struct mk_user_claim *claim)
{
    const size_t n = s->info->n_policies;
    size_t first = n;
    for (size_t i = n; i-- > 0;)
        if (s->info->policy_type[i] && mk_user_claim_covers(claim, s->info->policy[i])) first = i;
    for (size_t i = first; i < n; i++)
        if (mk_result_view_is_max_ucb(s, i) && mk_user_claim_covers(claim, s->info->policy[i])) return i;
    return first;
}

/* Claims of the experiment on regret: one curve each. */
static int add_claims(const struct mk_result_view *s, enum mk_measure m, struct mk_plot *p, struct mk_error *err)
{
    const struct mk_experiment *e = s->experiment;
    if (m != MK_MEASURE_REGRET || !e || !e->problem->source->known) return MK_OK;
    for (size_t i = 0; i < e->n_claims; i++) {
        size_t policy = claimed_policy(s, &e->claim[i]);
        if (e->claim[i].of != MK_USER_CLAIM_REGRET || policy == s->info->n_policies) continue;
        struct mk_curve *c = mk_plot_add(p, e->claim[i].name, s->info->n_horizons, 0);
        if (!c) return mk_fail_memory(err, "figure");
        c->look = 4;
        for (size_t h = 0; h < c->n; h++) {
            c->x[h] = s->horizon[h];
            int code =
                mk_result_view_claim(s, &e->claim[i], policy, mk_truth_best(s->info->truth, 0, h), h, &c->y[h], err);
            if (code) return code;
        }
    }
    return MK_OK;
}

/* The regret of the rare-event estimator, if the run has it: it captures what the plain mean misses at large T. */
static int add_rare(const struct mk_result_view *s, enum mk_measure m, size_t policy, int look, struct mk_plot *p,
                    struct mk_error *err)
{
    char label[MK_PLOT_TEXT];
    struct mk_rare *rare = NULL;
    if (m != MK_MEASURE_REGRET || s->info->n_instances > 1) return MK_OK;
    int code = mk_result_rare(s->result, policy, &rare, err);
    if (code || !rare) return code;
    snprintf(label, sizeof label, "%s, rare events", s->info->policy[policy]);
    struct mk_curve *c = mk_plot_add(p, label, s->info->n_horizons, 1);
    if (c) {
        c->style = MK_CURVE_LINE_POINTS;
        c->look = look;
        for (size_t h = 0; h < c->n; h++)
            mk_curve_set(c, h, s->horizon[h], (struct mk_mean){rare->regret[h], rare->se_regret[h]}, m);
    }
    mk_rare_free(rare);
    return c ? MK_OK : mk_fail_memory(err, "figure");
}

/* Published runs of the same experiment and policy, if given. `named`: listed in the legend. */
static int add_published(const struct mk_result_view *s, enum mk_measure m, size_t policy, int look, int *named,
                         struct mk_plot *p, struct mk_error *err)
{
    const struct mk_result_info *info = s->info;
    struct mk_curve *c = NULL;
    if (m != MK_MEASURE_BEST_SHARE && m != MK_MEASURE_PROXY_REGRET) return MK_OK;
    for (size_t h = 0; h < info->n_horizons; h++) {
        const struct mk_published_row *row =
            mk_published_find(s->published, info->name, info->policy[policy], info->horizon[h]);
        if (!row) continue;
        if (!c)
            c = mk_plot_add(p, *named ? "" : "published runs (rings)", info->n_horizons, m == MK_MEASURE_BEST_SHARE);
        if (!c) return mk_fail_memory(err, "figure");
        struct mk_mean mean = {row->proxy_regret, NAN};
        if (m == MK_MEASURE_BEST_SHARE)
            mean = (struct mk_mean){row->optimal_pulls / s->horizon[h], row->se_optimal_pulls / s->horizon[h]};
        c->style = MK_CURVE_RINGS;
        c->look = look;
        *named = 1;
        mk_curve_set(c, h, s->horizon[h], mean, m);
    }
    return MK_OK;
}

static int compose_curves(const struct mk_result_view *s, enum mk_measure m, const struct choice *choice,
                          struct mk_plot *p, struct mk_error *err)
{
    int code = MK_OK, named = 0;
    size_t curves = choice->sweep ? choice->sweep->n : 0;
    for (size_t i = 0; i < s->info->n_policies; i++) curves += choice->shown[i] && !left_out(s, m, i);
    mk_result_view_plot(s, p, has_interval(s, m) && mk_plot_shows_bands(curves) ? "mean and 95 %% band" : NULL);
    mk_result_view_horizon_axis(s, &p->x);
    snprintf(p->y.label, sizeof p->y.label, "%s", mk_measure_label(m));
    for (size_t i = 0; choice->sweep && i < choice->sweep->n && !code; i++)
        code = add_policy(s, m, choice->sweep->policy[i], choice->sweep->value[i], -1, p, err);
    for (size_t i = 0; i < s->info->n_policies && !code; i++)
        if (choice->shown[i]) code = add_policy(s, m, i, NAN, look_of(choice, i), p, err);
    const int policies = look_of(choice, s->info->n_policies);
    for (size_t i = 0; i < s->info->n_policies && !code; i++)
        if (choice->shown[i]) code = add_rare(s, m, i, policies + look_of(choice, i), p, err);
    if (!code) code = add_claims(s, m, p, err);
    for (size_t i = 0; i < s->info->n_policies && !code; i++)
        if (choice->shown[i]) code = add_published(s, m, i, look_of(choice, i), &named, p, err);
    if (choice->sweep) mk_plot_sweep_scale(p, choice->sweep);
    mk_plot_choose_log(p, m);
    return code;
}

static int draw_curves(const struct mk_result_view *s, enum mk_measure m, const struct choice *choice,
                       struct mk_error *err)
{
    struct mk_plot p;
    int code = compose_curves(s, m, choice, &p, err);
    return mk_result_view_finish(s, &p, mk_measure_name(m), choice->detail, code, err);
}

struct drawing {
    const struct mk_result_view *s;
    enum mk_measure m;
};

static int compose_part(const void *context, const struct mk_view_part *part, struct mk_plot *p, struct mk_error *err)
{
    const struct drawing *of = context;
    return compose_curves(of->s, of->m, &(struct choice){NULL, part->keep, part->look, part->detail}, p, err);
}

/* One horizon: a row per policy. */
static int draw_rows(const struct mk_result_view *s, enum mk_measure m, struct mk_error *err)
{
    struct mk_plot p;
    const char **row = calloc(s->info->n_policies, sizeof *row);
    int interval = has_interval(s, m), n = 0;
    if (!row) return mk_fail_memory(err, "figure");
    mk_result_view_plot(s, &p, "T = %s%s", mk_plot_amount(mk_result_amount(s->info, 0)).text,
                        interval ? ", mean and 95 % interval" : "");
    snprintf(p.x.label, sizeof p.x.label, "%s", mk_measure_label(m));
    struct mk_curve *c = mk_plot_add(&p, "", s->info->n_policies, interval);
    int code = c ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; i < s->info->n_policies && !code; i++) {
        if (left_out(s, m, i)) continue;
        struct mk_mean mean = mk_result_view_mean(s, m, i, 0);
        mk_curve_set(c, (size_t)n, mean.mean, mean, m);
        c->y[n] = n;
        row[n++] = s->info->policy[i];
    }
    p.row = row;
    p.n_rows = (size_t)n;
    if (c) c->style = MK_CURVE_ROWS;
    code = mk_result_view_finish(s, &p, mk_measure_name(m), "", code, err);
    free(row);
    return code;
}

/* Every sweep in a figure of its own, in colours of its parameter, next to a few others. */
static int draw_sweeps(const struct mk_result_view *s, enum mk_measure m, const struct mk_view_part *part, size_t n,
                       struct mk_error *err)
{
    char *shown = calloc(s->info->n_policies + 1, 1), detail[MK_PLOT_TEXT];
    int code = shown ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t w = 0; w < s->n_sweeps && !code; w++) {
        size_t beside = 0;
        for (size_t i = 0; i < s->info->n_policies; i++) beside += n == 1 && part[0].keep[i];
        for (size_t i = 0; i < s->info->n_policies; i++) {
            const bool reference = mk_result_policy_has(s->info, i, MK_POLICY_ORACLE);
            shown[i] = beside && beside <= MAX_BESIDE_SWEEP ? part[0].keep[i] : (char)reference;
        }
        for (size_t v = 0; v < s->n_sweeps; v++)
            for (size_t i = 0; i < s->sweep[v].n; i++) shown[s->sweep[v].policy[i]] = 0;
        mk_sweep_detail(s, w, detail, sizeof detail);
        code = draw_curves(s, m, &(struct choice){&s->sweep[w], shown, NULL, detail}, err);
    }
    free(shown);
    return code;
}

static int draw_measure(const struct mk_result_view *s, enum mk_measure m, struct mk_error *err)
{
    struct mk_view_part *part = NULL;
    size_t n = 0;
    if (s->info->n_horizons == 1) return draw_rows(s, m, err);
    if (s->info->n_policies <= MK_PLOT_LEGEND_MAX) {
        char all[MK_PLOT_LEGEND_MAX];
        memset(all, 1, sizeof all);
        return draw_curves(s, m, &(struct choice){NULL, all, NULL, ""}, err);
    }
    int code = mk_view_parts(s, &part, &n, err);
    if (!code) code = draw_sweeps(s, m, part, n, err);
    if (!code) code = mk_view_draw_parts(s, part, n, compose_part, &(struct drawing){s, m}, mk_measure_name(m), err);
    mk_view_parts_free(part, n);
    return code;
}

#define MEASURE(name, m, shows)                                                                                        \
    static bool name##_applies(const struct mk_result_view *s)                                                         \
    {                                                                                                                  \
        return mk_result_view_has(s, m);                                                                               \
    }                                                                                                                  \
    static int name##_draw(const struct mk_result_view *s, struct mk_error *err)                                       \
    {                                                                                                                  \
        return draw_measure(s, m, err);                                                                                \
    }                                                                                                                  \
    const struct mk_result_figure mk_result_figure_##name = {#name, shows, name##_applies, name##_draw};

MEASURE(best_share, MK_MEASURE_BEST_SHARE, "share of pulls on the best arm against T")
MEASURE(regret, MK_MEASURE_REGRET, "regret R(T) against T (Balef et al. 2025, eq. 4)")
MEASURE(proxy_regret, MK_MEASURE_PROXY_REGRET,
        "proxy empirical regret PER(T) against T (Baudry et al. 2022); an oracle in the run")
MEASURE(best_reward, MK_MEASURE_BEST_REWARD, "mean of the largest reward against T")
