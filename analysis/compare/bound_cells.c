#include "analysis/compare/bound_cells.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/arms/arm_choice.h"
#include "analysis/compare/arms/gaps.h"
#include "analysis/compare/arms/race.h"
#include "analysis/compare/user_claims.h"
#include "analysis/theory/every_policy.h"
#include "sim/base/error.h"
#include "sim/base/number.h"

struct mk_lu_options mk_bound_lu_options(void)
{
    return (struct mk_lu_options){.confidence = 0.95, .runs = 1, .resamples = 1, .samples = 10000, .seed = 42};
}

enum mk_lu_estimator mk_bound_lu_estimator(const struct mk_problem *p)
{
    return p->source->known ? MK_LU_EXACT : MK_LU_PLUGIN;
}

/* ---- constants ---- */

/* For a known arm: the band's coverage requires an upper end point and a range fixed before the draws. */
static void dkw_of_known(const struct mk_bound_cells *c, size_t instance, size_t k,
                         const struct mk_pooled_rewards *pool, struct mk_lu_row *row)
{
    const struct mk_problem *p = c->e->problem;
    const size_t arm = p->instance[instance].arm[k];
    const double upper =
        c->options.upper == MK_UPPER_GLOBAL ? c->options.global_end : c->upper[instance * p->n_arms + arm];
    if (!isfinite(upper)) return;
    struct mk_eps_range range = mk_eps_range_trimmed(p->dist[arm], upper);
    mk_lu_plugin(pool->sorted[k], pool->n[k], upper, range, &row->lu);
    mk_lu_band(pool->sorted[k], pool->n[k], upper, range, c->options.confidence, &row->interval);
}

/* L, U and the support of one arm. */
static int find_arm(struct mk_bound_cells *c, size_t instance, size_t k, const struct mk_pooled_rewards *pool,
                    struct mk_error *err)
{
    const struct mk_problem *p = c->e->problem;
    struct mk_lu_row row;
    size_t at = instance * p->n_arms + p->instance[instance].arm[k];
    mk_problem_arm_support(p, instance, k, &c->lower[at], &c->upper[at]);
    int code = mk_lu_arm(p, instance, k, pool, c->estimator, &c->options, &row, err);
    if (code) return code;
    if (c->dkw && pool && p->source->known) dkw_of_known(c, instance, k, pool, &row);
    c->constants[at] = row.lu;
    c->interval[at] = row.interval;
    /* A sample of an unbounded arm has a largest value, but the arm has not. */
    if (!isfinite(c->upper[at])) {
        c->constants[at].L = c->constants[at].U = NAN;
        c->interval[at] = (struct mk_lu_interval){NAN, NAN, NAN, NAN};
    }
    return MK_OK;
}

/* For every arm of an instance: a search takes most of a millisecond each, so all threads share them; recorded rewards
 * are read by one thread. The error is that of the first arm with an error. */
static int find_constants(struct mk_bound_cells *c, size_t instance, struct mk_error *err)
{
    const struct mk_problem *p = c->e->problem;
    const size_t n = p->instance[instance].n_arms;
    struct mk_pooled_rewards *pool = NULL;
    size_t failed = n;
    int code = MK_OK;
    if (c->estimator == MK_LU_PLUGIN)
        code = mk_pooled_rewards_new(&pool, p, instance, c->options.samples, c->options.seed, MK_LU_STREAM, err);
    if (code) return code;
    c->options.global_end = mk_lu_global_end(p, instance);
#pragma omp parallel for schedule(dynamic, 1) if (p->source->known)
    for (size_t k = 0; k < n; k++) {
        MK_IN_C_LOCALE;
        struct mk_error its;
        int its_code = find_arm(c, instance, k, pool, &its);
        if (!its_code) continue;
#pragma omp critical(mk_bound_arms)
        if (k < failed) {
            failed = k;
            code = its_code;
            *err = its;
        }
    }
    mk_pooled_rewards_free(pool);
    return code;
}

int mk_bound_cells_fill(struct mk_bound_cells *c, struct mk_error *err)
{
    const struct mk_problem *p = c->e->problem;
    const size_t room = p->n_instances * p->n_arms;
    c->constants = calloc(room, sizeof *c->constants);
    c->interval = calloc(room, sizeof *c->interval);
    c->upper = calloc(room, sizeof *c->upper);
    c->lower = calloc(room, sizeof *c->lower);
    c->arms = calloc(p->n_instances, sizeof *c->arms);
    bool all = c->constants && c->interval && c->upper && c->lower && c->arms;
    int code = all ? MK_OK : mk_fail_memory(err, "constants");
    for (size_t i = 0; !code && i < p->n_instances; i++) code = find_constants(c, i, err);
    return code;
}

void mk_bound_cells_clear(struct mk_bound_cells *c)
{
    free(c->constants);
    free(c->interval);
    free(c->upper);
    free(c->lower);
    for (size_t i = 0; c->arms && i < c->e->problem->n_instances; i++) mk_race_arms_free(c->arms[i]);
    free(c->arms);
    c->arms = NULL;
    c->constants = NULL;
    c->interval = NULL;
    c->upper = c->lower = NULL;
}

/* ---- cells ---- */

struct mk_reward_unit mk_bound_reward_unit(const struct mk_bound_cells *c, size_t policy, size_t instance)
{
    const struct mk_policy_entry *entry = &c->e->entry[mk_experiment_find_policy(c->e, c->info->policy[policy])];
    const struct mk_instance *in = &c->e->problem->instance[instance];
    const size_t first = instance * c->info->n_arms;
    return mk_reward_unit(entry->type, entry->par, c->lower + first, c->upper + first, in->arm, in->n_arms);
}

/* ---- certified bounds ---- */

/* Whether a claim on this policy names certified_upper. */
static bool some_certified(const struct mk_bound_cells *c, const char *policy)
{
    bool some = false;
    for (size_t i = 0; i < c->e->n_claims; i++)
        some |= mk_user_claim_covers(&c->e->claim[i], policy) && mk_user_claim_is_certified(&c->e->claim[i]);
    return some;
}

static bool needs_crossing(const struct mk_bound_cells *c, size_t instance, int variant)
{
    return variant == MK_BOUND_CROSSING ||
           (variant == MK_BOUND_VARIANTS && c->e->problem->instance[instance].n_arms <= MK_MANY_ARMS);
}

/* The bounds of the suboptimal arms at a place, from above, and from below where that costs nothing more. false: the
 * policy has none. */
static bool task_of(const struct mk_bound_cells *c, struct mk_cell_index at, struct mk_certify_task *task)
{
    const struct mk_instance *in = &c->e->problem->instance[at.instance];
    const size_t best = mk_truth_best(c->info->truth, at.instance, at.horizon);
    *task = (struct mk_certify_task){.entry = &c->e->entry[at.policy],
                                     .arms = c->arms[at.instance],
                                     .horizon = c->info->horizon[at.horizon],
                                     .sides = MK_CERTIFIED_UPPER,
                                     .refinement = c->refinement,
                                     .without = MK_EVERY_ARM};
    if (mk_certify_converges(task)) task->sides = MK_CERTIFIED_BAND;
    for (size_t k = 0; task->sides == MK_CERTIFIED_UPPER && k < in->n_arms; k++)
        if (in->arm[k] == best) task->without = (int64_t)k;
    return !mk_certify_refusal(task->entry, c->e->problem, at.instance);
}

static int open_arms(const struct mk_bound_cells *c, size_t instance, struct mk_error *err)
{
    const struct mk_problem *p = c->e->problem;
    const double confidence = c->dkw && p->source->recorded ? c->confidence : 0;
    return c->arms[instance] ? MK_OK : mk_race_arms_new(&c->arms[instance], p, instance, confidence, err);
}

struct band {
    double lower, upper; /* NaN: no bound */
};

/* [arm] of the problem, owned by the caller. */
static int certify(const struct mk_bound_cells *c, struct mk_cell_index at, struct band **band, struct mk_error *err)
{
    const struct mk_problem *p = c->e->problem;
    const struct mk_instance *in = &p->instance[at.instance];
    struct mk_certificate *found = NULL;
    struct mk_certify_task task;
    *band = malloc(p->n_arms * sizeof **band);
    if (!*band) return mk_fail_memory(err, "bounds");
    for (size_t k = 0; k < p->n_arms; k++) (*band)[k] = (struct band){NAN, NAN};
    if (mk_certify_refusal(&c->e->entry[at.policy], p, at.instance)) return MK_OK;
    int code = open_arms(c, at.instance, err);
    if (!code && task_of(c, at, &task)) code = mk_certify_kept(&found, c->certificates, &task, err);
    for (size_t k = 0; found && k < in->n_arms; k++)
        (*band)[in->arm[k]] =
            (struct band){task.sides == MK_CERTIFIED_BAND ? found->arm[k].lower : NAN, found->arm[k].upper};
    mk_certificate_free(found);
    return code;
}

int mk_bound_cells_certify(struct mk_bound_cells *c, int variant, const bool *theorem, const bool *claims,
                           struct mk_progress *progress, struct mk_error *err)
{
    const size_t instances = c->info->n_instances, horizons = c->info->n_horizons;
    struct mk_certify_task *task = malloc((c->info->n_policies * instances * horizons + 1) * sizeof *task);
    int code = task ? MK_OK : mk_fail_memory(err, "bounds");
    size_t n = 0;
    for (size_t p = 0; !code && p < c->info->n_policies; p++) {
        const bool claimed = (!claims || claims[p]) && some_certified(c, c->info->policy[p]);
        for (size_t i = 0; !code && i < instances; i++) {
            if (!(theorem && theorem[p] && needs_crossing(c, i, variant)) && !claimed) continue;
            if (mk_certify_refusal(&c->e->entry[p], c->e->problem, i)) continue;
            code = open_arms(c, i, err);
            for (size_t h = 0; !code && h < horizons; h++) n += task_of(c, (struct mk_cell_index){p, i, h}, &task[n]);
        }
    }
    if (!code) code = mk_certify_ahead(c->certificates, task, n, progress, err);
    free(task);
    return code;
}

/* ---- the bounds of a place ---- */

static void weigh(const struct mk_bound_cells *c, struct mk_theorem_cell *cell)
{
    const double most = (double)cell->in.horizon;
    cell->bound = mk_bound_evaluate(cell->variant, &cell->in);
    cell->bound_low = cell->bound_high = NAN;
    if (c->dkw) {
        mk_bound_range(cell->variant, &cell->in, &cell->span, &cell->bound_low, &cell->bound_high);
        cell->verdict = mk_bound_verdict_between(cell->bound_low, cell->bound_high, most, cell->low, cell->high);
    } else {
        cell->verdict = mk_bound_verdict(cell->bound.value, most, cell->low, cell->high);
    }
    if (cell->high < cell->lower) cell->verdict = MK_VERDICT_VIOLATED;
}

int mk_bound_theorem(const struct mk_bound_cells *c, struct mk_cell_index at, int variant,
                     void (*visit)(void *context, struct mk_cell_index at, const struct mk_theorem_cell *cell),
                     void *context, struct mk_error *err)
{
    const struct mk_instance *in = &c->e->problem->instance[at.instance];
    const struct mk_truth *f = c->info->truth;
    const size_t first = at.instance * c->info->n_arms, best = mk_truth_best(f, at.instance, at.horizon);
    const struct mk_reward_unit unit = mk_bound_reward_unit(c, at.policy, at.instance);
    const struct mk_lu_interval *of_best = &c->interval[first + best];
    const double alpha = mk_result_policy_has(c->info, at.policy, MK_POLICY_THEOREM_4_2)
                             ? mk_result_parameter(c->info, at.policy, "alpha")
                             : NAN;
    struct mk_cell *from = NULL;
    struct band *certified = NULL;
    int code = mk_result_cell(c->result, at.policy, at.instance, at.horizon, &from, err);
    if (!code && needs_crossing(c, at.instance, variant)) code = certify(c, at, &certified, err);
    for (size_t k = 0; !code && k < in->n_arms; k++) {
        const size_t arm = in->arm[k];
        const struct mk_lu_interval *of_arm = &c->interval[first + arm];
        if (arm == best) continue;
        struct mk_theorem_cell cell = {.arm = arm,
                                       .in = {.alpha = alpha,
                                              .L = c->constants[first + best].L,
                                              .U = c->constants[first + arm].U,
                                              .gap = f->gap[mk_truth_at(f, at.instance, at.horizon, arm)],
                                              .gap_endpoint = mk_gap_endpoint(c->upper + first, best, arm),
                                              .horizon = c->info->horizon[at.horizon],
                                              .certified = certified ? certified[arm].upper : NAN},
                                       .span = {of_best->L_low, of_best->L_high, of_arm->U_low, of_arm->U_high},
                                       .unit = unit.unit,
                                       .mean = from->mean_pulls[arm]};
        mk_reward_unit_of_input(&unit, &cell.in);
        mk_reward_unit_of_span(&unit, &cell.span);
        mk_mean_interval(cell.mean, from->se_pulls[arm], c->info->own_replications[at.instance], &cell.low, &cell.high);
        for (int v = 0; v < MK_BOUND_VARIANTS; v++) {
            if (variant != MK_BOUND_VARIANTS && variant != v) continue;
            if (v == MK_BOUND_CROSSING && !certified) continue;
            cell.variant = (enum mk_bound_variant)v;
            cell.lower = v == MK_BOUND_CROSSING ? certified[arm].lower : NAN;
            weigh(c, &cell);
            visit(context, at, &cell);
        }
    }
    mk_cell_free(from);
    free(certified);
    return code;
}

static double every_policy(const struct mk_bound_cells *c, struct mk_cell_index at, size_t k)
{
    const struct mk_instance *in = &c->e->problem->instance[at.instance];
    const double *upper = c->upper + at.instance * c->info->n_arms;
    struct mk_seldom_pulled arm = {.arm = &c->arms[at.instance]->arm[k],
                                   .own_end = upper[in->arm[k]],
                                   .L = (1 - 1e-7) * c->constants[at.instance * c->info->n_arms + in->arm[k]].L,
                                   .end = -INFINITY,
                                   .arms = in->n_arms,
                                   .horizon = c->info->horizon[at.horizon],
                                   .alpha = mk_result_parameter(c->info, at.policy, "alpha"),
                                   .power = mk_result_parameter(c->info, at.policy, "power"),
                                   .shift = mk_result_parameter(c->info, at.policy, "round_offset")};
    for (size_t j = 0; j < in->n_arms; j++)
        if (j != k) arm.end = fmax(arm.end, upper[in->arm[j]]);
    if (!mk_result_policy_has(c->info, at.policy, MK_POLICY_RISING_BONUS) ||
        mk_result_policy_has(c->info, at.policy, MK_POLICY_BURN_IN) ||
        mk_result_parameter(c->info, at.policy, "scale") != 0 || !isfinite(arm.end) || !(arm.own_end < arm.end))
        return NAN;
    return mk_every_policy_as_max_ucb(&arm);
}

int mk_bound_every_policy(struct mk_bound_cells *c, struct mk_cell_index at,
                          void (*visit)(void *context, struct mk_cell_index at, const struct mk_theorem_cell *cell),
                          void *context, struct mk_error *err)
{
    const struct mk_instance *in = &c->e->problem->instance[at.instance];
    const size_t first = at.instance * c->info->n_arms, best = mk_truth_best(c->info->truth, at.instance, at.horizon);
    struct mk_cell *from = NULL;
    int code = open_arms(c, at.instance, err);
    if (!code) code = mk_result_cell(c->result, at.policy, at.instance, at.horizon, &from, err);
    for (size_t k = 0; !code && k < in->n_arms; k++) {
        const size_t arm = in->arm[k];
        if (arm == best) continue;
        struct mk_theorem_cell cell = {
            .arm = arm,
            .in = {.alpha = mk_result_parameter(c->info, at.policy, "alpha"),
                   .L = c->constants[first + arm].L,
                   .U = c->constants[first + arm].U},
            .bound = {mk_gap_endpoint(c->upper + first, best, arm), NAN, NAN, MK_REGIME_P_BELOW_1},
            .lower = every_policy(c, at, k),
            .bound_low = NAN,
            .bound_high = NAN,
            .unit = 1,
            .mean = from->mean_pulls[arm]};
        mk_mean_interval(cell.mean, from->se_pulls[arm], c->info->own_replications[at.instance], &cell.low, &cell.high);
        cell.verdict = isnan(cell.lower)        ? MK_VERDICT_NOT_APPLICABLE
                       : cell.lower == 0        ? MK_VERDICT_VACUOUS
                       : cell.high < cell.lower ? MK_VERDICT_VIOLATED
                       : cell.low >= cell.lower ? MK_VERDICT_HOLDS
                                                : MK_VERDICT_INCONCLUSIVE;
        visit(context, at, &cell);
    }
    mk_cell_free(from);
    return code;
}

int mk_bound_regret(const struct mk_bound_cells *c, struct mk_cell_index at, struct mk_regret_check *out,
                    struct mk_error *err)
{
    const struct mk_truth *f = c->info->truth;
    const struct mk_reward_unit unit = mk_bound_reward_unit(c, at.policy, at.instance);
    size_t best = mk_truth_best(f, at.instance, at.horizon);
    struct mk_cell *cell = NULL;
    int code = mk_result_cell(c->result, at.policy, at.instance, at.horizon, &cell, err);
    if (code) return code;
    struct mk_regret_input input = {.expected_max = f->expected_max[mk_truth_at(f, at.instance, at.horizon, best)],
                                    .mean_max = cell->mean_max,
                                    .se_max = cell->se_max,
                                    .optimal_pulls = cell->mean_pulls[best],
                                    .se_optimal = cell->se_pulls[best],
                                    .horizon = c->info->horizon[at.horizon],
                                    .replications = c->info->own_replications[at.instance]};
    mk_reward_unit_of_regret(&unit, &input);
    mk_regret_check(&input, out);
    mk_cell_free(cell);
    return MK_OK;
}

static void visit_regret(const struct mk_regret_check *regret, const struct mk_user_claim_place *place,
                         struct mk_user_claim_cell *cell)
{
    cell->arm = place->arm;
    cell->U = cell->gap = NAN;
    cell->bound = mk_user_claim_bound(cell->claim, place);
    cell->observed = regret->regret;
    cell->low = regret->regret_low;
    cell->high = regret->regret_high;
    cell->verdict = mk_user_claim_verdict(cell->claim, cell->bound, -INFINITY, INFINITY, cell->low, cell->high);
}

static void visit_pulls(const struct mk_bound_cells *c, struct mk_cell_index at, const struct mk_cell *from, size_t arm,
                        struct mk_user_claim_place *place, struct mk_user_claim_cell *cell)
{
    const struct mk_truth *f = c->info->truth;
    place->arm = cell->arm = arm;
    place->U = c->constants[at.instance * c->info->n_arms + arm].U;
    cell->U = place->U * place->measure.unit;
    cell->gap = f->gap[mk_truth_at(f, at.instance, at.horizon, arm)] / place->measure.unit;
    cell->bound = mk_user_claim_bound(cell->claim, place);
    cell->observed = from->mean_pulls[arm];
    mk_mean_interval(cell->observed, from->se_pulls[arm], c->info->own_replications[at.instance], &cell->low,
                     &cell->high);
    cell->verdict = mk_user_claim_verdict(cell->claim, cell->bound, 0, (double)place->horizon, cell->low, cell->high);
}

int mk_bound_user_claims(const struct mk_bound_cells *c, struct mk_cell_index at,
                         void (*visit)(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *cell),
                         void *context, struct mk_error *err)
{
    const struct mk_instance *in = &c->e->problem->instance[at.instance];
    const struct mk_truth *f = c->info->truth;
    const size_t first = at.instance * c->info->n_arms, best = mk_truth_best(f, at.instance, at.horizon);
    struct mk_user_claim_place place = {.truth = f,
                                        .instance = in,
                                        .instance_at = at.instance,
                                        .horizon_at = at.horizon,
                                        .horizon = c->info->horizon[at.horizon],
                                        .upper = c->upper + first,
                                        .alpha = mk_result_parameter(c->info, at.policy, "alpha"),
                                        .L = c->constants[first + best].L,
                                        .measure = mk_bound_reward_unit(c, at.policy, at.instance)};
    struct mk_regret_check regret;
    struct mk_cell *from = NULL;
    struct band *certified = NULL;
    int code = mk_bound_regret(c, at, &regret, err);
    if (!code) code = mk_result_cell(c->result, at.policy, at.instance, at.horizon, &from, err);
    if (!code && some_certified(c, c->info->policy[at.policy])) code = certify(c, at, &certified, err);
    for (size_t i = 0; !code && i < c->e->n_claims; i++) {
        struct mk_user_claim_cell cell = {.claim = &c->e->claim[i],
                                          .alpha = place.alpha,
                                          .L = place.L * place.measure.unit,
                                          .unit = place.measure.unit};
        if (!mk_user_claim_covers(cell.claim, c->info->policy[at.policy])) continue;
        if (cell.claim->of == MK_USER_CLAIM_REGRET) {
            place.arm = best;
            place.U = NAN;
            visit_regret(&regret, &place, &cell);
            visit(context, at, &cell);
        }
        for (size_t k = 0; cell.claim->of == MK_USER_CLAIM_PULLS && k < in->n_arms; k++) {
            if (in->arm[k] == best) continue;
            place.certified = certified ? certified[in->arm[k]].upper : NAN;
            visit_pulls(c, at, from, in->arm[k], &place, &cell);
            visit(context, at, &cell);
        }
    }
    mk_cell_free(from);
    free(certified);
    return code;
}
