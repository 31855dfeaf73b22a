/* Pulls of every suboptimal arm against Theorem 4.2 (Balef et al. 2025), T on the x axis: max_ucb on arms that are
 * bounded above; and the certified bounds as a band. Bounds are evaluated at the run's horizons, where i* and the gaps
 * are known; horizons with p > 1 are shaded.
 *
 * Bounds with confidence, from replications of their own (Theorem 14), are a second band, where they are asked for.
 *
 * bands: policies with a power above 1, and others next to them in one picture, their means within their certified
 * bands. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_max_ucb.h"
#include "analysis/theory/bounds.h"
#include "sim/base/error.h"

enum { LABEL_ROOM = 64 };

/* Names the band of bounds with confidence, or removes it from the n curves where there are no replications; returns
 * how many there are then. */
static size_t name_confident(const struct mk_result_view *s, struct mk_pulls_curve *curve, size_t n,
                             char label[LABEL_ROOM])
{
    size_t at = 0;
    while (curve[at].shows != MK_PULLS_CONFIDENT) at++;
    snprintf(label, LABEL_ROOM, "with confidence %.10g", s->sampling.confidence);
    curve[at].label = label;
    if (s->sampling.samples) return n;
    memmove(curve + at, curve + at + 1, (n - at - 1) * sizeof *curve);
    return n - 1;
}

/* Adds the number of replications behind that band to the subtitle. */
static void note_sampling(const struct mk_result_view *s, struct mk_plot *p)
{
    char counted[MK_COUNTED_ROOM];
    if (s->sampling.samples)
        mk_plot_append(p, ", confidence from %s", mk_counted(s->sampling.samples, "replication", NULL, counted));
}

static bool applies(const struct mk_result_view *s)
{
    return mk_result_view_has_any(s, mk_result_view_is_max_ucb) && s->info->n_horizons > 1;
}

/* The point of an arm that is bounded by Theorem 4.2 there, in the regime p > 1. */
static bool is_above(const struct mk_pulls_point *at)
{
    return at->in.horizon && mk_bound_evaluate(MK_BOUND_PRINTED, &at->in).regime == MK_REGIME_P_ABOVE_1;
}

/* Horizons with p > 1: from halfway (on the log axis) to the neighbour without to halfway to the next such one. */
static int shade_regime(const struct mk_result_view *s, struct mk_plot *p, const struct mk_pulls_point *point,
                        struct mk_error *err)
{
    const size_t n = s->info->n_horizons;
    struct mk_axis_range x = mk_plot_range_x(p), y = mk_plot_range_y(p);
    size_t runs = 0;
    for (size_t h = 0; h < n; h++) runs += is_above(&point[h]) && (h == 0 || !is_above(&point[h - 1]));
    struct mk_curve *c = runs ? mk_plot_add(p, "p > 1", runs, 1) : NULL;
    if (!c) return runs ? mk_fail_memory(err, "figure") : MK_OK;
    c->style = MK_CURVE_BOXES;
    c->look = 4;
    c->width = 0.1;
    c->faint = 0.6;
    for (size_t h = 0, run = 0; h < n; h++) {
        if (!is_above(&point[h])) continue;
        if (h == 0 || !is_above(&point[h - 1])) c->x[run] = h == 0 ? x.lo : sqrt(s->horizon[h - 1] * s->horizon[h]);
        c->y[run] = y.lo;
        c->hi[run] = y.hi;
        c->lo[run] = h + 1 == n ? x.hi : sqrt(s->horizon[h] * s->horizon[h + 1]);
        if (h + 1 < n && !is_above(&point[h + 1])) run++;
    }
    p->x.lo = x.lo;
    p->x.hi = x.hi;
    p->y.lo = y.lo;
    p->y.hi = y.hi;
    return MK_OK;
}

/* Curves over the horizons have all of them in the data, also where there is nothing to show. */
static void set_axes(const struct mk_result_view *s, struct mk_plot *p)
{
    for (size_t i = 0; i < p->n_curves; i++)
        for (size_t h = 0; h < s->info->n_horizons; h++) p->curve[i].x[h] = s->horizon[h];
    mk_result_view_horizon_axis(s, &p->x);
    snprintf(p->y.label, sizeof p->y.label, "pulls of the arm up to T");
    p->y.log = 1;
}

/* point[horizon] of one policy and arm. */
static int draw_bounds(const struct mk_result_view *s, struct mk_pulls_point *point, size_t n, struct mk_error *err)
{
    char confident[LABEL_ROOM];
    struct mk_pulls_curve curves[] = {{MK_PULLS_CERTIFIED, "certified, from below and above", -1},
                                      {MK_PULLS_CONFIDENT, NULL, -1},
                                      {MK_PULLS_MEAN, "mean, 95 % band", -1},
                                      {MK_PULLS_MEDIAN, "median", -1},
                                      {MK_BOUND_PRINTED, "Theorem 4.2 as printed", -1},
                                      {MK_BOUND_SUM, "Theorem 4.2, proof's sum", -1},
                                      {MK_BOUND_ENDPOINT, "Theorem 4.2, end points", -1},
                                      {MK_PULLS_ALL, "all T pulls", -1}};
    struct mk_plot p;
    char label[MK_POLICY_NAME_ROOM], detail[MK_POLICY_NAME_ROOM + 40], end[64];
    double exponent = NAN; /* p at the last horizon */
    mk_result_view_start(s, &p);
    const size_t shown = name_confident(s, curves, sizeof curves / sizeof *curves, confident);
    int code = mk_result_view_add_pulls(s, &p, MK_CURVE_LINE_POINTS, curves, shown, point, n, err);
    if (!code) code = mk_result_view_add_claims(s, &p, point, n, -1, err);
    for (size_t h = 0; h < n && !code; h++)
        if (point[h].in.horizon) exponent = mk_bound_evaluate(MK_BOUND_PRINTED, &point[h].in).p;
    snprintf(end, sizeof end, ", p = %.3g at T = %s", exponent, mk_plot_horizon(s->info->horizon[n - 1]).text);
    mk_result_view_bound_subtitle(s, &p, point->policy, s->info->arm_label[point->arm], end);
    note_sampling(s, &p);
    set_axes(s, &p);
    if (!code) code = shade_regime(s, &p, point, err);
    mk_result_view_policy_name(s, point->policy, label, sizeof label);
    snprintf(detail, sizeof detail, "%s_arm%zu", label, point->arm);
    return mk_result_view_finish(s, &p, "bounds", detail, code, err);
}

/* sampled[policy] <- arrays over the horizons, of replications whose bounds hold together for all policies of the view.
 * certified[policy][horizon]. */
static int sample(const struct mk_result_view *s, const size_t *policy, size_t n,
                  struct mk_certificate *const *certified, struct mk_sampled_bound **sampled, struct mk_error *err)
{
    const size_t horizons = s->info->n_horizons;
    double quantities = 0;
    int code = MK_OK;
    for (size_t i = 0; i < s->info->n_policies; i++)
        if (mk_result_view_is_certified(s, i)) quantities += (double)horizons * (double)(s->info->n_arms + 1);
    for (size_t i = 0; i < n && !code; i++) {
        const struct mk_sampled_race race = {
            s->experiment,
            &s->experiment->entry[mk_experiment_find_policy(s->experiment, s->info->policy[policy[i]])],
            s->arms,
            s->info->horizon,
            horizons,
            certified + i * horizons,
            mk_sampled_design(s->sampling.samples, quantities, s->sampling.confidence)};
        if (s->sampling.samples && certified[i * horizons]) code = mk_sampled_race_new(&sampled[i], &race, err);
    }
    return code;
}

/* Calls draw_arm for every arm that gets a figure, with point[policy][horizon] of these policies. */
static int draw_arms(const struct mk_result_view *s, const size_t *policy, size_t n,
                     int (*draw_arm)(const struct mk_result_view *s, struct mk_pulls_point *point, size_t n,
                                     struct mk_error *err),
                     struct mk_error *err)
{
    const size_t horizons = s->info->n_horizons, points = n * horizons;
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    struct mk_pulls_point *point = calloc(points, sizeof *point);
    struct mk_certificate **certified = calloc(points, sizeof *certified);
    struct mk_sampled_bound **sampled = calloc(n + 1, sizeof *sampled);
    int code = arm && point && certified && sampled ? MK_OK : mk_fail_memory(err, "figure");
    if (!code && s->info->n_arms <= MK_MANY_ARMS)
        code = mk_result_view_certify_ahead(s, policy, n, 0, MK_CERTIFIED_BAND, err);
    for (size_t i = 0; !code && i < points; i++) {
        const size_t h = i % horizons;
        code = mk_result_view_certify(s, policy[i / horizons], h, &certified[i], err);
        point[i] = (struct mk_pulls_point){
            .x = s->horizon[h], .policy = policy[i / horizons], .horizon = h, .certified = certified[i]};
    }
    if (!code) code = sample(s, policy, n, certified, sampled, err);
    for (size_t i = 0; !code && i < points; i++)
        if (sampled[i / horizons]) point[i].sampled = &sampled[i / horizons][i % horizons];
    const size_t arms = code ? 0 : mk_result_view_choose_arms(s, arm);
    for (size_t k = 0; !code && k < arms; k++) {
        for (size_t i = 0; i < points; i++) point[i].arm = arm[k].arm;
        code = draw_arm(s, point, points, err);
    }
    for (size_t i = 0; certified && i < points; i++) mk_certificate_free(certified[i]);
    for (size_t i = 0; sampled && i < n; i++) mk_sampled_race_free(sampled[i], horizons);
    free(sampled);
    free(certified);
    free(point);
    free(arm);
    return code;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose(s, mk_result_view_is_max_ucb, policy);
    int code = MK_OK;
    for (size_t i = 0; !code && i < n; i++) code = draw_arms(s, &policy[i], 1, draw_bounds, err);
    return code;
}

const struct mk_result_figure mk_result_figure_bounds = {
    "bounds",
    "pulls of every suboptimal arm (of five where there are more than 100), the certified band and the forms of Theorem 4.2 against T; max_ucb on bounded arms",
    applies, draw};

/* Policies of which `bands` is drawn: all that have certified bounds, if they are few and one has a power above 1, for
 * which there are no other bounds. */
static size_t choose_bands(const struct mk_result_view *s, size_t policy[MK_SHOWN_POLICIES])
{
    size_t n = 0;
    bool above_1 = 0;
    for (size_t i = 0; i < s->info->n_policies; i++) {
        if (!mk_result_view_is_certified(s, i)) continue;
        if (n < MK_SHOWN_POLICIES) policy[n] = i;
        above_1 |= mk_result_parameter(s->info, i, "power") > 1;
        n++;
    }
    return n <= MK_SHOWN_POLICIES && above_1 ? n : 0;
}

static bool applies_bands(const struct mk_result_view *s)
{
    size_t policy[MK_SHOWN_POLICIES];
    return mk_result_view_has_any(s, mk_result_view_is_certified) && s->info->n_horizons > 1 &&
           s->info->n_arms <= MK_MANY_ARMS && choose_bands(s, policy) > 0;
}

/* The curves of one policy. */
static int add_bands(const struct mk_result_view *s, struct mk_plot *p, struct mk_pulls_point *point,
                     struct mk_error *err)
{
    char confident[LABEL_ROOM];
    struct mk_pulls_curve curve[] = {{MK_PULLS_CERTIFIED, "certified", -1},
                                     {MK_PULLS_CONFIDENT, NULL, -1},
                                     {MK_PULLS_MEAN, "mean, 95 % band", -1},
                                     {MK_BOUND_PRINTED, "Theorem 4.2 as printed", -1}};
    enum { CURVES = sizeof curve / sizeof *curve };
    const size_t n = name_confident(s, curve, CURVES, confident) - !mk_result_view_is_max_ucb(s, point->policy);
    char label[CURVES][MK_PLOT_TEXT];
    for (size_t i = 0; i < n; i++) {
        snprintf(label[i], sizeof label[i], "%.100s: %s", s->info->policy[point->policy], curve[i].label);
        curve[i].label = label[i];
    }
    return mk_result_view_add_pulls(s, p, MK_CURVE_LINE_POINTS, curve, n, point, s->info->n_horizons, err);
}

/* point[policy][horizon] of one arm. */
static int draw_bands_of(const struct mk_result_view *s, struct mk_pulls_point *point, size_t n, struct mk_error *err)
{
    struct mk_plot p;
    char detail[40];
    int code = MK_OK;
    mk_result_view_start(s, &p);
    for (size_t i = 0; i < n && !code; i += s->info->n_horizons) code = add_bands(s, &p, &point[i], err);
    snprintf(p.subtitle, sizeof p.subtitle, "%s", s->info->arm_label[point->arm]);
    note_sampling(s, &p);
    set_axes(s, &p);
    snprintf(detail, sizeof detail, "arm%zu", point->arm);
    return mk_result_view_finish(s, &p, "bands", detail, code, err);
}

static int draw_bands(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES];
    return draw_arms(s, policy, choose_bands(s, policy), draw_bands_of, err);
}

const struct mk_result_figure mk_result_figure_bands = {
    "bands",
    "pulls of every suboptimal arm and certified bands of up to three max_ucb policies, one of them with a power above 1; bounded arms",
    applies_bands, draw_bands};
