/* The contents of a result, and the claims of its experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/result_tables.h"
#include "analysis/compare/bound_cells.h"
#include "analysis/compare/user_claims.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/run/engine/rare.h"

/* ---- numbers as people see them ---- */

/* "mean ± standard error", the error with two significant digits and the mean with as many decimals. A mean without an
 * error has two decimals, or as many as it needs if two would misrepresent it. Where there is no number or no error,
 * people see what programs get. */
static void see_mean(struct mk_table *t, size_t column, double mean, double error)
{
    int decimals = 2;
    if (!isfinite(mean) || !isfinite(error)) return;
    if (error > 0) decimals = 1 - (int)floor(log10(error));
    if (decimals < 0) decimals = 0;
    if (decimals > 15 || fabs(mean) >= 1e15 || (error == 0 && fabs(mean - rint(100 * mean) / 100) > 1e-9 * fabs(mean)))
        mk_table_set_seen(t, column, false, false, "%.6g ± %.2g", mean, error);
    else
        mk_table_set_seen(t, column, false, false, "%.*f ± %.*f", decimals, mean, decimals, error);
}

static void see_share(struct mk_table *t, size_t column, double share)
{
    if (isfinite(share))
        mk_table_set_seen(t, column, false, false, "%.2f %%", 100 * share);
    else
        mk_table_set_seen(t, column, false, false, "-");
}

/* ---- the table ---- */

#define COLUMNS(X)                                                                                                     \
    MK_PLACE_COLUMNS(X)                                                                                                \
    X(REPLICATIONS, "replications", COUNT, "", "replications of the instance")                                         \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(ARM_LABEL, "arm_label", TEXT, "", "label of the arm")                                                            \
    X(OPTIMAL, "optimal", FLAG, "", "whether the arm is the best one at this horizon")                                 \
    X(MEAN_PULLS, "mean_pulls", REAL, "pulls", "mean of N_i(T), the pulls of the arm")                                 \
    X(SE_PULLS, "se_pulls", REAL, "pulls", "its standard error over the replications")                                 \
    X(MEAN_MAX, "mean_max", REAL, "rewards", "mean of the largest reward of the policy, of all arms")                  \
    X(SE_MAX, "se_max", REAL, "rewards", "its standard error over the replications")                                   \
    X(MEDIAN_MAX, "median_max", REAL, "rewards", "median of the largest reward over the replications")                 \
    X(EXPECTED_MAX, "expected_max", REAL, "rewards", "E[M_i(T)], the expected largest of T rewards of the arm")        \
    X(GAP, "gap", REAL, "rewards", "suboptimality gap of the arm, E[M*(T)] - E[M_i(T)]")                               \
    X(REGRET, "regret", REAL, "rewards", "E[M*(T)] minus the mean of the largest reward of the policy")                \
    X(PROXY_REGRET, "proxy_regret", REAL, "",                                                                          \
      "proxy empirical regret PER(T) of Baudry et al. 2022, with an oracle in the run")                                \
    X(PULL_SHARE, "share", REAL, "",                                                                                   \
      "mean_pulls as a share of the horizon; where horizons are costs, of the pulls that were made")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{POLICY, "", NULL},       {INSTANCE, "", NULL},   {HORIZON, "", NULL},
                                            {ARM_LABEL, "", NULL},    {MEAN_PULLS, "", NULL}, {PULL_SHARE, "", NULL},
                                            {MEAN_MAX, "", NULL},     {MEDIAN_MAX, "", NULL}, {REGRET, "", NULL},
                                            {PROXY_REGRET, "", NULL}, MK_TABLE_VIEW_END};

static const struct mk_table_schema schema = MK_TABLE_SCHEMA("means of a result", columns, view);

/* ---- claims ---- */

#define CLAIM_COLUMNS(X)                                                                                               \
    X(CLAIM, "claim", TEXT, "", "name of the claim")                                                                   \
    X(CLAIM_POLICY, "policy", TEXT, "", "label of the policy")                                                         \
    X(CLAIM_INSTANCE, "instance", TEXT, "", "instance of the problem")                                                 \
    X(CLAIM_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                           \
    X(CLAIM_OF, "of", TEXT, "", "what the claim is about: R(T), the regret, or N, the pulls of an arm")                \
    X(CLAIM_ARM, "arm", COUNT, "", "the arm of N, from 0")                                                             \
    X(OBSERVED, "observed", REAL, "pulls or rewards", "what was simulated")                                            \
    X(RELATION, "relation", TEXT, "", "what is claimed: observed <= bound or observed >= bound")                       \
    X(BOUND, "bound", REAL, "pulls or rewards", "value of the formula")                                                \
    X(VERDICT, "verdict", TEXT, "", "holds, violated, vacuous, inconclusive or not-applicable")
MK_TABLE_COLUMNS(claim_columns, CLAIM_COLUMNS);
static const struct mk_table_view claim_view[] = {
    {CLAIM, "", NULL},    {CLAIM_POLICY, "", NULL}, {CLAIM_INSTANCE, "", NULL}, {CLAIM_HORIZON, "", NULL},
    {CLAIM_OF, "", NULL}, {OBSERVED, "", NULL},     {RELATION, "", NULL},       {BOUND, "", NULL},
    {VERDICT, "", NULL},  MK_TABLE_VIEW_END};

static const struct mk_table_schema claim_schema =
    MK_TABLE_SCHEMA("claims of the experiment", claim_columns, claim_view);

/* The claims of the experiment, evaluated cell by cell. */
struct claims {
    struct mk_bound_cells cells;
    struct mk_experiment *e;         /* NULL: there are none, or they cannot be evaluated */
    struct mk_user_claim_cell *cell; /* [claim][arm]; claim NULL: it does not apply there */
    size_t first;                    /* of two columns per claim */
    struct mk_table *table;          /* of their own */
};

/* The claims of all policies. */
static int certify(struct mk_bound_cells *cells, mk_progress_report *report, struct mk_error *err)
{
    struct mk_progress progress = {.report = report, .context = &(struct mk_progress_line){"certified bounds", 0, ""}};
    return mk_bound_cells_certify(cells, MK_BOUND_VARIANTS, NULL, NULL, &progress, err);
}

/* The bound and the verdict of every claim. */
static void add_claim_columns(struct claims *c, struct mk_table *t)
{
    c->first = mk_table_columns(t);
    for (size_t i = 0; i < c->e->n_claims; i++)
        for (int verdict = 0; verdict < 2; verdict++) {
            char name[128];
            snprintf(name, sizeof name, "%s: %s", verdict ? "verdict" : "claim", c->e->claim[i].name);
            for (char *at = name; *at; at++)
                if (*at == ',') *at = ';';
            mk_table_add_column(t, name, verdict ? MK_COLUMN_TEXT : MK_COLUMN_REAL, "",
                                verdict ? "verdict of the claim of this name" : "bound of the claim of this name");
        }
}

static int open_claims(struct claims *c, struct mk_result *r, struct mk_table *t, mk_progress_report *report,
                       struct mk_error *err)
{
    struct mk_error why = {0, ""};
    c->cells = (struct mk_bound_cells){
        .result = r, .info = mk_result_info(r), .options = mk_bound_lu_options(), .refinement = MK_TABLE_REFINEMENT};
    if (!strstr(c->cells.info->resolved, "claims:")) return MK_OK;
    if (mk_result_experiment(r, NULL, &c->e, &why) || mk_problem_same_distribution(c->e->problem, "claims are", &why))
        mk_table_add_warning(t, "maxk summary: claims are left out: %s", why.text);
    if (why.code || c->e->n_claims == 0) {
        mk_experiment_free(c->e);
        c->e = NULL;
        return MK_OK;
    }
    int code = mk_input_run_searches_with(c->e, report, err);
    if (code) return code;
    c->cells.e = c->e;
    c->cells.estimator = mk_bound_lu_estimator(c->e->problem);
    code = mk_bound_cells_fill(&c->cells, err);
    if (!code) code = mk_table_certificates_open(&c->cells.certificates, t, c->cells.info->path, err);
    if (!code) code = certify(&c->cells, report, err);
    if (code) return code;
    add_claim_columns(c, t);
    c->cell = calloc(c->e->n_claims * c->e->problem->n_arms, sizeof *c->cell);
    return c->cell ? MK_OK : mk_fail_memory(err, "claims");
}

static void close_claims(struct claims *c, struct mk_table *t)
{
    mk_table_certificates_close(c->cells.certificates, t);
    mk_bound_cells_clear(&c->cells);
    free(c->cell);
    mk_experiment_free(c->e);
}

static void add_claim(struct claims *c, struct mk_cell_index at, const struct mk_user_claim_cell *cell)
{
    const bool pulls = cell->claim->of == MK_USER_CLAIM_PULLS;
    mk_table_set_text(c->table, CLAIM, cell->claim->name);
    mk_table_set_text(c->table, CLAIM_POLICY, c->cells.info->policy[at.policy]);
    mk_table_set_text(c->table, CLAIM_INSTANCE, c->cells.info->instance[at.instance]);
    mk_table_set_count(c->table, CLAIM_HORIZON, c->cells.info->horizon[at.horizon]);
    mk_table_set_text(c->table, CLAIM_OF, pulls ? "N" : "R(T)");
    if (pulls) mk_table_set_seen(c->table, CLAIM_OF, false, false, "N of arm %zu", cell->arm);
    mk_table_set_count(c->table, CLAIM_ARM, pulls ? cell->arm : MK_COUNT_MISSING);
    mk_table_set_real(c->table, OBSERVED, cell->observed);
    mk_table_set_text(c->table, RELATION, cell->claim->at_least ? ">=" : "<=");
    mk_table_set_real(c->table, BOUND, cell->bound);
    if (isfinite(cell->bound) && mk_user_claim_is_certified(cell->claim)) { /* what is shown may not claim more */
        const enum mk_table_rounding outwards = cell->claim->at_least ? MK_ROUND_DOWN : MK_ROUND_UP;
        char bound[MK_CELL_ROOM];
        mk_table_set_seen(c->table, BOUND, false, false, "%s",
                          mk_format_rounded(cell->bound, "%.6g", outwards, bound, sizeof bound));
    }
    mk_table_set_text(c->table, VERDICT, mk_verdict_name(cell->verdict));
    mk_table_end_row(c->table);
}

static void keep_cell(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *cell)
{
    struct claims *c = context;
    const size_t claim = (size_t)(cell->claim - c->e->claim), arms = c->e->problem->n_arms;
    for (size_t k = 0; k < arms; k++) /* a claim of the regret is about all arms */
        if (k == cell->arm || cell->claim->of == MK_USER_CLAIM_REGRET) c->cell[claim * arms + k] = *cell;
    if (c->table) add_claim(c, at, cell);
}

static void set_claims(const struct claims *c, struct mk_table *t, size_t arm)
{
    for (size_t i = 0; c->e && i < c->e->n_claims; i++) {
        const struct mk_user_claim_cell *cell = &c->cell[i * c->e->problem->n_arms + arm];
        mk_table_set_real(t, c->first + 2 * i, cell->claim ? cell->bound : NAN);
        mk_table_set_text(t, c->first + 2 * i + 1, cell->claim ? mk_verdict_name(cell->verdict) : NULL);
    }
}

/* ---- rare events ---- */

#define RARE_COLUMNS(X)                                                                                                \
    X(RARE_POLICY, "policy", TEXT, "", "label of the policy")                                                          \
    X(RARE_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                            \
    X(RARE_ARM, "arm_label", TEXT, "", "label of the arm other than the best with the largest mean")                   \
    X(RARE_PULLS, "mean_pulls", REAL, "pulls", "weighted mean of its pulls")                                           \
    X(RARE_SE, "se_pulls", REAL, "pulls", "standard error of that mean")                                               \
    X(SHARE, "lock_out_share", REAL, "", "probability of a lock-out of the best arm")                                  \
    X(SHARE_LOW, "lock_out_low", REAL, "", "lower end of its 95 % interval")                                           \
    X(SHARE_HIGH, "lock_out_high", REAL, "", "upper end of the interval")                                              \
    X(LOCK_OUTS, "lock_outs", REAL, "", "effective number of lock-outs")                                               \
    X(RARE_REGRET, "regret", REAL, "rewards", "weighted mean of the regret")                                           \
    X(RARE_REGRET_SE, "se_regret", REAL, "rewards", "its standard error")                                              \
    X(RARE_ERROR, "relative_error", REAL, "", "se_pulls / mean_pulls")
MK_TABLE_COLUMNS(rare_columns, RARE_COLUMNS);
static const struct mk_table_view rare_view[] = {
    {RARE_POLICY, "", NULL}, {RARE_HORIZON, "", NULL}, {RARE_ARM, "", NULL},
    {RARE_PULLS, "", NULL},  {RARE_ERROR, "", NULL},   {SHARE, "", NULL},
    {LOCK_OUTS, "", "%.0f"}, {RARE_REGRET, "", NULL},  MK_TABLE_VIEW_END};

static const struct mk_table_schema rare_schema =
    MK_TABLE_SCHEMA("rare events, weighted replications", rare_columns, rare_view);

/* The arm with the largest mean of those other than the best one. */
static size_t most_pulled(const struct mk_rare *rare, size_t h, size_t best)
{
    size_t most = best == 0 && rare->n_arms > 1;
    for (size_t k = 0; k < rare->n_arms; k++)
        if (k != best && rare->mean_pulls[h * rare->n_arms + k] > rare->mean_pulls[h * rare->n_arms + most]) most = k;
    return most;
}

static void add_rare(struct mk_table *t, const struct mk_result_info *i, size_t policy, size_t h,
                     const struct mk_rare *rare)
{
    size_t arm = most_pulled(rare, h, mk_truth_best(i->truth, 0, h)), at = h * i->n_arms + arm;
    double low, high;
    mk_rare_lock_out_interval(rare, h, &low, &high);
    mk_table_set_text(t, RARE_POLICY, i->policy[policy]);
    mk_table_set_count(t, RARE_HORIZON, i->horizon[h]);
    mk_table_set_text(t, RARE_ARM, i->arm_label[arm]);
    mk_table_set_real(t, RARE_PULLS, rare->mean_pulls[at]);
    see_mean(t, RARE_PULLS, rare->mean_pulls[at], rare->se_pulls[at]);
    mk_table_set_real(t, RARE_SE, rare->se_pulls[at]);
    mk_table_set_real(t, RARE_ERROR, rare->se_pulls[at] / rare->mean_pulls[at]);
    see_share(t, RARE_ERROR, rare->se_pulls[at] / rare->mean_pulls[at]);
    mk_table_set_real(t, SHARE, rare->lock_out_share[h]);
    if (rare->lock_outs[h] > 0)
        mk_table_set_seen(t, SHARE, false, false, "%.4g [%.3g, %.3g]", rare->lock_out_share[h], low, high);
    else
        mk_table_set_seen(t, SHARE, false, false, "none seen");
    mk_table_set_real(t, SHARE_LOW, low);
    mk_table_set_real(t, SHARE_HIGH, high);
    mk_table_set_real(t, LOCK_OUTS, rare->lock_outs[h]);
    mk_table_set_real(t, RARE_REGRET, rare->regret[h]);
    if (isfinite(rare->se_regret[h]))
        mk_table_set_seen(t, RARE_REGRET, false, false, "%.4g ± %.2g", rare->regret[h], rare->se_regret[h]);
    mk_table_set_real(t, RARE_REGRET_SE, rare->se_regret[h]);
    mk_table_end_row(t);
}

static int append_rare(struct mk_table *to, struct mk_result *r, const struct mk_selection *s, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_table *t = NULL;
    int code = MK_OK;
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        struct mk_rare *rare = NULL;
        if (!mk_selection_has_policy(s, i, p)) continue;
        code = mk_result_rare(r, p, &rare, err);
        if (!code && rare && !t) {
            code = mk_table_new(&t, &rare_schema, err);
            if (!code) code = mk_table_add_swept(t, i, NULL, err);
            if (!code)
                mk_table_set_caption(
                    t,
                    "Rare events, weighted replications: the arm other than the best one with the largest mean, lock-"
                    "outs of the best arm with a 95 %% interval and the effective number of them");
            mk_table_append(to, t);
        }
        for (size_t h = 0; !code && rare && h < i->n_horizons; h++)
            if (mk_selection_has(s, i, (struct mk_cell_index){p, 0, h})) add_rare(t, i, p, h, rare);
        mk_rare_free(rare);
    }
    return code;
}

/* ---- rows ---- */

enum { MANY_HORIZONS = 12 };

struct rows {
    struct mk_table *table;
    struct mk_result *r;
    struct claims claims;
    double *incumbent; /* [replication] of the cell */
    size_t incumbents; /* column of their mean, which the standard error follows */
    size_t repeated;   /* column of pulls past the recorded ends */
    bool seen;         /* by people, too */
    bool every;        /* horizon is seen */
};

/* Of many horizons people see the largest one, and of the others the last up to a half, a quarter, … of it. */
static bool is_seen(const struct rows *rows, const struct mk_result_info *i, size_t h)
{
    const size_t last = i->n_horizons - 1;
    if (rows->every || h == last) return rows->seen;
    for (uint64_t up_to = i->horizon[last] / 2; up_to >= i->horizon[h]; up_to /= 2)
        if (up_to < i->horizon[h + 1]) return rows->seen;
    return false;
}

/* Mean and standard error of the values without noise or test scores, where the result has them. */
static int find_incumbents(const struct rows *rows, const struct mk_result_info *i, struct mk_cell_index at,
                           struct mk_real_moments *m, struct mk_error *err)
{
    *m = (struct mk_real_moments){0};
    if (!i->has_incumbents) return MK_OK;
    int code = mk_result_incumbents(rows->r, at.policy, at.instance, at.horizon, rows->incumbent, err);
    for (uint64_t n = 0; n < i->own_replications[at.instance] && !code; n++) mk_real_moments_add(m, rows->incumbent[n]);
    return code;
}

static int find_claims(struct claims *c, struct mk_cell_index at, struct mk_error *err)
{
    if (!c->e) return MK_OK;
    memset(c->cell, 0, c->e->n_claims * c->e->problem->n_arms * sizeof *c->cell);
    return mk_bound_user_claims(&c->cells, at, keep_cell, c, err);
}

/* People see the row of the best arm alone. */
static void see_best(const struct rows *rows, const struct mk_cell *c, size_t best, double rounds)
{
    see_mean(rows->table, MEAN_PULLS, c->mean_pulls[best], c->se_pulls[best]);
    see_share(rows->table, PULL_SHARE, c->mean_pulls[best] / rounds);
    see_mean(rows->table, MEAN_MAX, c->mean_max, c->se_max);
}

static int add_cell(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                    struct mk_error *err)
{
    struct rows *rows = context;
    struct mk_table *t = rows->table;
    struct mk_real_moments incumbents;
    const size_t best = mk_truth_best(i->truth, at.instance, at.horizon);
    const double rounds = mk_cell_rounds(i, at.horizon, c);
    int code = find_incumbents(rows, i, at, &incumbents, err);
    if (!code) code = find_claims(&rows->claims, at, err);
    for (size_t k = 0; !code && k < i->n_arms; k++) {
        const size_t cell = mk_truth_at(i->truth, at.instance, at.horizon, k);
        if (!mk_cell_has_arm(i, c, k)) continue;
        mk_table_set_place(t, i, at);
        mk_table_set_count(t, REPLICATIONS, i->own_replications[at.instance]);
        mk_table_set_count(t, ARM, k);
        mk_table_set_text(t, ARM_LABEL, i->arm_label[k]);
        mk_table_set_flag(t, OPTIMAL, k == best);
        mk_table_set_real(t, MEAN_PULLS, c->mean_pulls[k]);
        mk_table_set_real(t, SE_PULLS, c->se_pulls[k]);
        mk_table_set_real(t, MEAN_MAX, c->mean_max);
        mk_table_set_real(t, SE_MAX, c->se_max);
        mk_table_set_real(t, MEDIAN_MAX, mk_cell_quantile_max(i, c, 0.5));
        mk_table_set_real(t, EXPECTED_MAX, i->truth->expected_max[cell]);
        mk_table_set_real(t, GAP, i->truth->gap[cell]);
        mk_table_set_real(t, REGRET, mk_cell_regret(i, at, c));
        mk_table_set_real(t, PROXY_REGRET, c->proxy_regret);
        mk_table_set_real(t, PULL_SHARE, c->mean_pulls[k] / rounds);
        set_claims(&rows->claims, t, k);
        if (i->has_incumbents) {
            mk_table_set_real(t, rows->incumbents, mk_real_moments_mean(&incumbents));
            mk_table_set_real(t, rows->incumbents + 1, mk_spread_error(&incumbents.spread));
            mk_table_set_real(t, rows->incumbents + 2, c->mean_max - mk_real_moments_mean(&incumbents));
        }
        if (i->has_repeated) mk_table_set_real(t, rows->repeated, c->mean_repeated);
        if (k == best && is_seen(rows, i, at.horizon)) {
            see_best(rows, c, k, rounds);
            if (i->has_incumbents)
                see_mean(t, rows->incumbents, mk_real_moments_mean(&incumbents), mk_spread_error(&incumbents.spread));
            mk_table_list_row(t, mk_table_rows(t));
        }
        mk_table_end_row(t);
    }
    return code;
}

static void add_incumbent_columns(struct rows *rows)
{
    rows->incumbents =
        mk_table_add_column(rows->table, "mean_incumbent", MK_COLUMN_REAL, "rewards",
                            "mean value without noise, or test score, of the configuration with the largest reward");
    mk_table_add_column(rows->table, "se_incumbent", MK_COLUMN_REAL, "rewards",
                        "its standard error over the replications");
    const size_t optimism =
        mk_table_add_column(rows->table, "optimism", MK_COLUMN_REAL, "rewards",
                            "mean_max - mean_incumbent: how much better the chosen configurations look than they are");
    mk_table_show_column(rows->table, rows->incumbents, "mean_incumbent");
    mk_table_show_column(rows->table, optimism, "optimism");
}

/* What horizons are, if not pulls, and the share of pulls past the recorded ends at the largest one. */
static int note_repeated(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    char text[MK_REPEATED_ROOM];
    double share;
    if (i->by_cost) mk_table_add_note(t, "%s", mk_cost_horizons_text);
    int code = mk_result_repeated_share(r, NULL, i->n_horizons - 1, &share, err);
    if (!code && share > 0) mk_table_add_note(t, "%s.", mk_repeated_text(i->horizon[i->n_horizons - 1], share, text));
    return code;
}

static int fill(struct rows *rows, const struct mk_table_call *call, const struct mk_selection *s, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(rows->r);
    int code = call->stored ? MK_OK : open_claims(&rows->claims, rows->r, rows->table, call->report, err);
    if (!code && i->has_incumbents) add_incumbent_columns(rows);
    if (!code && i->has_repeated)
        rows->repeated = mk_table_add_column(rows->table, "mean_repeated", MK_COLUMN_REAL, "pulls",
                                             "mean of the pulls past the recorded ends (ends_early)");
    if (!code) code = mk_table_add_swept(rows->table, i, NULL, err);
    if (!code && call->stream) code = mk_table_stream(rows->table, call->stream, call->style, err);
    if (!code && call->further && rows->claims.e) {
        code = mk_table_new(&rows->claims.table, &claim_schema, err);
        if (!code) code = mk_table_add_swept(rows->claims.table, i, NULL, err);
        if (!code) mk_table_set_caption(rows->claims.table, "Claims of the experiment");
        mk_table_append(rows->table, rows->claims.table);
    }
    rows->every = s->horizon > 0 || i->n_horizons <= MANY_HORIZONS;
    if (!code) code = mk_result_each_cell(rows->r, s, add_cell, rows, err);
    if (!rows->every)
        mk_table_add_note(rows->table, "Not all of its %zu horizons: --horizon T shows one of them, --csv has all.",
                          i->n_horizons);
    if (!i->has_pulls) /* MK_HISTOGRAM_BITS bits of two quantiles */
        mk_table_add_note(rows->table, "keep: summary: medians are within 0.1 %% of their size, proxy regrets within "
                                       "0.2 %% of 1 - PER(T).");
    if (!code) code = note_repeated(rows->table, rows->r, err);
    if (!code && call->further) code = append_rare(rows->table, rows->r, s, err);
    return code;
}

static int make_summary(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct mk_selection *selection = call->options;
    struct rows rows = {.r = call->result, .seen = call->further};
    int code = rows.r ? MK_OK : mk_result_open(&rows.r, call->input[0], err);
    if (!code) code = mk_selection_check(selection, mk_result_info(rows.r), err);
    if (!code) code = mk_table_new(&rows.table, &schema, err);
    if (!code) {
        const struct mk_result_info *i = mk_result_info(rows.r);
        mk_table_take_horizons(rows.table, i->by_cost, i->cost_parts);
    }
    if (!code) rows.incumbent = malloc((mk_result_info(rows.r)->replications + 1) * sizeof(double));
    if (!code && !rows.incumbent) code = mk_fail_memory(err, "a table");
    if (!code) code = fill(&rows, call, selection, err);
    close_claims(&rows.claims, rows.table);
    free(rows.incumbent);
    if (!call->result) mk_result_free(rows.r);
    return mk_table_made(out, rows.table, code, err);
}

static const struct mk_selection defaults = {NULL, NULL, 0};
#define OPTION(field, ...) MK_TABLE_OPTION(struct mk_selection, field, #field, 0, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(policy, MK_OPT_TEXT, "LABEL", NULL, 1, 0, "only this policy"),
    OPTION(instance, MK_OPT_TEXT, "NAME", NULL, 1, 0, "only this instance"),
    OPTION(horizon, MK_OPT_AMOUNT, "T", NULL, 1e-6, MK_EXACT_MAX, "only this horizon"), MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_result_summary = {
    .usage =
        {"summary", "RESULT.h5",
         "Prints what a result contains, one row for each policy, instance and horizon:\n\n  mean_pulls, share  "
         "pulls of the best arm, mean ± standard error, and their share of the horizon\n  mean_max, median_max  the "
         "largest reward, its mean and median over the replications\n  regret  max_k E[M_k(T)] minus the mean of the "
         "largest reward\n  proxy_regret  PER(T) of Baudry et al. 2022, for runs with an oracle\n\nOf more than 12 "
         "horizons some are shown, each about half of the next. --csv prints one row for every arm and horizon, with "
         "all digits; undefined values are empty.\n\nClaims of the experiment file (key `claims`) follow as a table; "
         "with --csv each is two further columns, the bound and the verdict. Results of runs with rare_events end "
         "with weighted means, relative errors and shares of lock-outs.",
         1, 1},
    .group = "Results",
    .summary = "mean pulls, largest rewards and regret",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&schema, &claim_schema, &rare_schema),
    .inapplicable = mk_table_always,
    .exported = true,
    .make = make_summary};
