/* Reading a result file for figures: parameters, sweeps, means. */
#include "analysis/answers/figures/result_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/arms/survey.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/text.h"

enum { SWEEP_MIN = 3 };

/* ---- sweeps ---- */

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool differ_only_in(const struct mk_result_view *s, size_t a, size_t b, size_t param)
{
    if (s->info->policy_type[a] != s->info->policy_type[b]) return false;
    const double *pa = s->info->policy_value[a], *pb = s->info->policy_value[b];
    for (size_t i = 0; i < MK_MAX_PARAMS; i++)
        if (i != param && !same(pa[i], pb[i])) return false;
    return pa[param] != pb[param];
}

static double value_of(const struct mk_result_view *s, size_t policy, size_t param)
{
    return s->info->policy_value[policy][param];
}

/* Policies of the sweep of `param` through `anchor` that are not `taken`, in ascending order, each value once. member
 * has room for all policies. */
static size_t gather(const struct mk_result_view *s, size_t anchor, size_t param, const char *taken, size_t *member)
{
    size_t n = 0;
    if (!isfinite(value_of(s, anchor, param))) return 0;
    for (size_t i = 0; i < s->info->n_policies; i++) {
        if (taken[i] || !(i == anchor || differ_only_in(s, anchor, i, param))) continue;
        double value = value_of(s, i, param);
        if (!isfinite(value)) continue;
        size_t at = n;
        while (at > 0 && value_of(s, member[at - 1], param) > value) at--;
        if (at > 0 && value_of(s, member[at - 1], param) == value) continue;
        memmove(member + at + 1, member + at, (n - at) * sizeof *member);
        member[at] = i;
        n++;
    }
    return n;
}

static bool add_sweep(struct mk_result_view *s, size_t param, const size_t *member, size_t n, char *taken)
{
    if (!MK_GROW(s->sweep, s->n_sweeps, 1)) return false;
    struct mk_sweep *w = &s->sweep[s->n_sweeps++];
    *w = (struct mk_sweep){s->info->policy_type[member[0]], param, n, malloc(n * sizeof *w->policy),
                           malloc(n * sizeof *w->value)};
    if (!w->policy || !w->value) return false;
    for (size_t i = 0; i < n; i++) {
        w->policy[i] = member[i];
        w->value[i] = value_of(s, member[i], param);
        taken[member[i]] = 1;
    }
    return true;
}

/* Repeatedly takes the largest sweep among the remaining policies: every policy belongs to at most one sweep. */
static int find_sweeps(struct mk_result_view *s, struct mk_error *err)
{
    const size_t n = s->info->n_policies;
    char *taken = calloc(n + 1, 1);
    size_t *member = malloc((n + 1) * sizeof *member);
    bool good = taken && member;
    for (size_t best = n; good && best >= SWEEP_MIN;) {
        size_t at = 0, param = 0;
        best = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t p = 0;
                 s->info->policy_type[i] && !taken[i] && p < mk_param_count(s->info->policy_type[i]->params); p++) {
                if (s->info->policy_type[i]->params[p].kind != MK_REAL &&
                    s->info->policy_type[i]->params[p].kind != MK_INTEGER)
                    continue;
                size_t size = gather(s, i, p, taken, member);
                if (size <= best) continue;
                best = size;
                at = i;
                param = p;
            }
        if (best < SWEEP_MIN) break;
        gather(s, at, param, taken, member);
        good = add_sweep(s, param, member, best, taken);
    }
    free(taken);
    free(member);
    return good ? MK_OK : mk_fail_memory(err, "figures");
}

/* ---- means ---- */

/* Means over instances of means over replications: the average, and the error of an average of independent means. */
struct sum {
    double mean, variance;
};

static void add(struct sum *to, double mean, double se)
{
    to->mean += mean;
    to->variance += se * se;
}

static int read_means(struct mk_result_view *s, size_t policy, size_t h, struct mk_error *err)
{
    const struct mk_result_info *info = s->info;
    const struct mk_truth *f = info->truth;
    struct sum sum[MK_MEASURES] = {{0, 0}};
    const double n = (double)info->n_instances;
    for (size_t i = 0; i < info->n_instances; i++) {
        struct mk_cell *cell = NULL;
        int code = mk_result_cell(s->result, policy, i, h, &cell, err);
        if (code) return code;
        const size_t best = mk_truth_best(f, i, h);
        const double T = mk_cell_rounds(info, h, cell);
        add(&sum[MK_MEASURE_BEST_SHARE], cell->mean_pulls[best] / T, cell->se_pulls[best] / T);
        add(&sum[MK_MEASURE_REGRET], f->expected_max[mk_truth_at(f, i, h, best)] - cell->mean_max, cell->se_max);
        add(&sum[MK_MEASURE_PROXY_REGRET], cell->proxy_regret, NAN);
        add(&sum[MK_MEASURE_BEST_REWARD], cell->mean_max, cell->se_max);
        mk_cell_free(cell);
    }
    for (int m = 0; m < MK_MEASURES; m++)
        s->mean[m][policy * info->n_horizons + h] = (struct mk_mean){sum[m].mean / n, sqrt(sum[m].variance) / n};
    return MK_OK;
}

bool mk_result_view_has(const struct mk_result_view *s, enum mk_measure m)
{
    for (size_t i = 0; i < s->info->n_policies * s->info->n_horizons; i++)
        if (isfinite(s->mean[m][i].mean)) return true;
    return false;
}

/* ---- kinds of policies ---- */

bool mk_result_view_is_max_ucb(const struct mk_result_view *s, size_t policy)
{
    return mk_result_policy_has(s->info, policy, MK_POLICY_THEOREM_4_2) &&
           mk_result_parameter(s->info, policy, "alpha") > 0;
}

bool mk_result_view_is_certified(const struct mk_result_view *s, size_t policy)
{
    return mk_result_policy_has(s->info, policy, MK_POLICY_RISING_BONUS) &&
           mk_result_parameter(s->info, policy, "alpha") > 0;
}

bool mk_result_view_has_any(const struct mk_result_view *s, mk_result_view_covers *covers)
{
    bool covered = 0;
    if (!s->experiment || !s->experiment->problem->source->known || s->info->n_arms < 2) return false;
    if (s->info->by_cost) return false; /* bounds are about pulls */
    for (size_t k = 0; k < s->info->n_arms; k++)
        if (!isfinite(s->info->truth->support_high[k]) || !isfinite(s->info->truth->support_low[k])) return false;
    for (size_t i = 0; i < s->info->n_policies; i++) covered |= covers(s, i);
    return covered;
}

/* ---- the whole ---- */

static int allocate(struct mk_result_view *s, struct mk_error *err)
{
    const size_t n = s->info->n_policies, cells = n * s->info->n_horizons + 1;
    s->horizon = calloc(s->info->n_horizons + 1, sizeof *s->horizon);
    bool good = s->horizon != NULL;
    for (int m = 0; m < MK_MEASURES; m++) {
        s->mean[m] = calloc(cells, sizeof *s->mean[m]);
        good = good && s->mean[m];
    }
    return good ? MK_OK : mk_fail_memory(err, "figures");
}

static bool is_synthetic(const struct mk_result_info *info)
{
    return info->n_arms > 0 && info->family[0][0] != '\0';
}

/* The arms of a problem. If the file of rewards no longer exists, the other figures are still drawn. */
static int read_arms(struct mk_result_view *s, struct mk_experiment **to, struct mk_error *err)
{
    int code = mk_result_experiment(s->result, NULL, to, err);
    if (code != MK_EINPUT) return code;
    snprintf(s->missing, sizeof s->missing, "%s", err->text);
    return MK_OK;
}

static bool has_bound(const struct mk_result_view *s)
{
    for (size_t i = 0; i < s->info->n_policies; i++)
        if (mk_result_view_is_max_ucb(s, i)) return true;
    return false;
}

static int choose(struct mk_result *r, const struct mk_policy_selection *chosen, struct mk_error *err)
{
    const struct mk_result_info *info = mk_result_info(r);
    char *keep = malloc(info->n_policies);
    int code = keep ? mk_policy_selection_apply(chosen, info, keep, err) : mk_fail_memory(err, "figures");
    if (!code) mk_result_select(r, keep);
    free(keep);
    return code;
}

static int begin(struct mk_result_view *s, struct mk_error *err)
{
    mk_file_name_part(s->info->name, s->to.prefix, sizeof s->to.prefix);
    int code = allocate(s, err);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++) s->horizon[h] = mk_result_amount(s->info, h);
    return code ? code : find_sweeps(s, err);
}

int mk_result_view_of(struct mk_result_view *s, struct mk_result *r, struct mk_error *err)
{
    *s = (struct mk_result_view){.result = r, .info = mk_result_info(r), .borrowed = true};
    const int code = begin(s, err);
    if (code) mk_result_view_close(s);
    return code;
}

int mk_result_view_open(struct mk_result_view *s, const char *path, const struct mk_policy_selection *chosen,
                        struct mk_error *err)
{
    struct mk_result *r = NULL;
    memset(s, 0, sizeof *s);
    int code = mk_result_open(&r, path, err);
    if (code) return code;
    code = chosen ? choose(r, chosen, err) : MK_OK;
    if (!code) code = mk_result_view_whole(s, r, err);
    s->borrowed = false;
    if (code) mk_result_free(r);
    return code;
}

int mk_result_view_whole(struct mk_result_view *s, struct mk_result *r, struct mk_error *err)
{
    *s = (struct mk_result_view){.result = r, .info = mk_result_info(r), .borrowed = true};
    int code = begin(s, err);
    for (size_t i = 0; i < s->info->n_policies; i++)
        for (size_t h = 0; h < s->info->n_horizons && !code; h++) code = read_means(s, i, h, err);
    if (!code && is_synthetic(s->info)) code = read_arms(s, &s->experiment, err);
    /* Searches would have to be run again. */
    const bool has_file = !s->experiment || s->experiment->problem->source->recorded;
    if (!code && has_file && s->info->truth->recorded && has_bound(s)) code = read_arms(s, &s->recorded, err);
    if (!code && s->recorded) mk_problem_normalise(s->recorded->problem);
    if (!code && mk_result_view_has_any(s, mk_result_view_is_certified))
        code = mk_race_arms_new(&s->arms, s->experiment->problem, 0, 0, err);
    if (!code) code = mk_certificate_store_open(&s->certificates, s->info->path, err);
    if (code) mk_result_view_close(s);
    return code;
}

void mk_result_view_close(struct mk_result_view *s)
{
    for (size_t i = 0; i < s->n_sweeps; i++) {
        free(s->sweep[i].policy);
        free(s->sweep[i].value);
    }
    free(s->sweep);
    for (int m = 0; m < MK_MEASURES; m++) free(s->mean[m]);
    free(s->horizon);
    mk_certificate_store_free(s->certificates);
    mk_race_arms_free(s->arms);
    mk_experiment_free(s->experiment);
    mk_experiment_free(s->recorded);
    if (!s->borrowed) mk_result_free(s->result);
    memset(s, 0, sizeof *s);
}
