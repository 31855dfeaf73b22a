/* Certified bounds on the pulls of MaxUCB, and on its regret over the parameters of its bonus. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/bonus_figure.h"
#include "analysis/answers/tables/result_tables.h"
#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/arms/sampled_race.h"
#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"

struct certify_options {
    int best_alpha, best_bonus, by;
    int format;
    const char *folder; /* of the figure; NULL: none */
    const char *policy; /* requested label, or NULL */
    struct mk_counts horizons;
    double refinement, confidence; /* refinement: NaN, the default of what is shown */
    uint64_t samples;              /* of bounds with confidence; 0: none */
};

#define BOUND_COLUMNS(X)                                                                                               \
    X(POLICY, "policy", TEXT, "", "label of the policy")                                                               \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                                 \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(ALPHA, "alpha", REAL, "", "alpha of the policy")                                                                 \
    X(LOWER, "lower", REAL, "pulls", "E[N_i(T)], the mean number of pulls of the arm, is at least this")               \
    X(UPPER, "upper", REAL, "pulls", "E[N_i(T)] is at most this")                                                      \
    X(REFINEMENT, "refinement", REAL, "", "what a refinement of the grids takes off upper, relative to it")            \
    X(Q50, "q50", COUNT, "pulls", "the median of N_i(T) is at most this")                                              \
    X(Q90, "q90", COUNT, "pulls", "the 90 % quantile of N_i(T) is at most this")                                       \
    X(Q99, "q99", COUNT, "pulls", "the 99 % quantile of N_i(T) is at most this")                                       \
    X(LOCK_OUT, "lock_out", REAL, "", "P(N_i(T) > T/2) is at most this")                                               \
    X(REGRET_LOWER, "regret_lower", REAL, "rewards", "the regret R(T) is at least this")                               \
    X(REGRET_UPPER, "regret_upper", REAL, "rewards", "the regret R(T) is at most this")                                \
    X(MAX_LOWER, "max_lower", REAL, "rewards", "the mean of the largest reward of all arms is at least this")          \
    X(MAX_UPPER, "max_upper", REAL, "rewards", "the mean of the largest reward of all arms is at most this")           \
    X(LOWER_BY, "lower_by", TEXT, "", "what gives lower: theorems of the paper, counting, other arms, play")           \
    X(UPPER_BY, "upper_by", TEXT, "", "what gives upper: a theorem of the paper, counting, other arms, play")
/* The last columns of both tables. */
#define BY_COLUMNS(X)                                                                                                  \
    X(REGRET_LOWER_BY, "regret_lower_by", TEXT, "", "what gives regret_lower: a theorem of the paper, play")           \
    X(REGRET_UPPER_BY, "regret_upper_by", TEXT, "", "what gives regret_upper: a theorem of the paper, play")           \
    X(MAX_LOWER_BY, "max_lower_by", TEXT, "", "what gives max_lower: a theorem of the paper, play")                    \
    X(MAX_UPPER_BY, "max_upper_by", TEXT, "", "what gives max_upper: a theorem of the paper, play")
#define BAND_COLUMNS(X) BOUND_COLUMNS(X) BY_COLUMNS(X)
MK_TABLE_COLUMNS(band_columns, BAND_COLUMNS);
static const struct mk_table_schema band_schema = MK_TABLE_SCHEMA("certified bounds on pulls", band_columns, NULL);

/* With --samples. The columns above are there too, those up to upper_by with the same names for their places, the
 * others from SAMPLED_BY on. */
#define SAMPLED_ONLY(X)                                                                                                \
    X(MEAN_PULLS, "mean_pulls", REAL, "pulls", "mean pulls of the arm in the replications of --samples")               \
    X(C_LOWER, "confident_lower", REAL, "pulls", "with confidence, not proved: E[N_i(T)] is at least this")            \
    X(C_UPPER, "confident_upper", REAL, "pulls", "with confidence: E[N_i(T)] is at most this")                         \
    X(C_REGRET_LOWER, "confident_regret_lower", REAL, "rewards", "with confidence: the regret R(T) is at least this")  \
    X(C_REGRET_UPPER, "confident_regret_upper", REAL, "rewards", "with confidence: the regret R(T) is at most this")   \
    X(C_MAX_LOWER, "confident_max_lower", REAL, "rewards",                                                             \
      "with confidence: the mean of the largest reward is at least this")                                              \
    X(C_MAX_UPPER, "confident_max_upper", REAL, "rewards",                                                             \
      "with confidence: the mean of the largest reward is at most this")                                               \
    X(MEAN_MAX, "mean_max", REAL, "rewards", "mean of the largest reward in the replications")
enum { AFTER_BOUNDS = UPPER_BY, SAMPLED_ONLY(MK_COLUMN_ENUMERATOR) SAMPLED_BY };
static const struct mk_column sampled_columns[] = {
    BOUND_COLUMNS(MK_COLUMN_DESCRIPTOR) SAMPLED_ONLY(MK_COLUMN_DESCRIPTOR) BY_COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_table_schema sampled_schema =
    MK_TABLE_SCHEMA("bounds on pulls, proved and with confidence", sampled_columns, NULL);

#define ALPHA_COLUMNS(X)                                                                                               \
    X(A_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(A_INSTANCE, "instance", TEXT, "", "instance of the problem")                                                     \
    X(A_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                               \
    X(A_ALPHA, "alpha", REAL, "", "alpha in the place of the policy's own")                                            \
    X(A_REGRET, "regret", REAL, "rewards", "the regret R(T) is at most this")                                          \
    X(A_PROPOSITION, "proposition_4_1", REAL, "rewards",                                                               \
      "what Proposition 4.1 of Balef et al. 2025 makes of the certified pulls")                                        \
    X(A_BEST, "best", COUNT, "", "1 at the smallest bound on the regret, else 0")                                      \
    X(A_REFINEMENT, "refinement", REAL, "",                                                                            \
      "what every other point of the grid takes off the certified pulls of an arm, the largest of all arms")
MK_TABLE_COLUMNS(alpha_columns, ALPHA_COLUMNS);
static const struct mk_table_schema alpha_schema = MK_TABLE_SCHEMA("certified regret over alpha", alpha_columns, NULL);

#define BONUS_COLUMNS(X)                                                                                               \
    X(B_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(B_INSTANCE, "instance", TEXT, "", "instance of the problem")                                                     \
    X(B_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                               \
    X(B_ALPHA, "alpha", REAL, "", "alpha in the place of the policy's own")                                            \
    X(B_POWER, "power", REAL, "", "power of the logarithm in the place of the policy's own")                           \
    X(B_REGRET, "regret", REAL, "rewards", "the regret R(T) is at most this")                                          \
    X(B_PULLS, "pulls", REAL, "pulls", "the mean number of pulls of all arms but the best one is at most this")        \
    X(B_REFINEMENT, "refinement", REAL, "",                                                                            \
      "what every other point of the grid takes off the certified pulls of an arm, the largest of all arms")           \
    X(B_RATIO, "ratio", REAL, "", "the bound (--by) relative to the smallest one at this horizon")                     \
    X(B_WORST, "worst_ratio", REAL, "", "the largest ratio of the pair over the horizons")                             \
    X(B_BEST, "best", FLAG, "", "whether the bound is the smallest one at this horizon")                               \
    X(B_COMPROMISE, "compromise", FLAG, "", "whether the pair has the smallest worst_ratio")                           \
    X(B_EFFICIENT, "efficient", FLAG, "",                                                                              \
      "whether no other pair is at least as good at every horizon and better at one of them")
MK_TABLE_COLUMNS(bonus_columns, BONUS_COLUMNS);
static const struct mk_table_schema bonus_schema =
    MK_TABLE_SCHEMA("certified regret over alpha and power", bonus_columns, NULL);

struct work {
    const struct certify_options *o;
    const struct mk_experiment *e;
    const char *path;
    const uint64_t *horizon;
    size_t n_horizons;
    double refinement;
    struct mk_table *table;
    struct mk_progress *progress;
    struct mk_certificate_store *store;
    struct mk_sampled_design design; /* samples 0: none */
};

/* ---- policies ---- */

/* Bounds over other parameters are those of the shared grid, which Theorem 6 does not have. */
static bool is_certified(const struct work *w, const struct mk_policy_entry *entry, size_t instance)
{
    if ((w->o->best_alpha || w->o->best_bonus) &&
        (!(entry->type->flags & MK_POLICY_RISING_BONUS) || w->e->problem->source->moving))
        return false;
    return !mk_certify_refusal(entry, w->e->problem, instance);
}

static bool is_certified_anywhere(const struct work *w, const struct mk_policy_entry *entry)
{
    for (size_t i = 0; i < w->e->problem->n_instances; i++)
        if (is_certified(w, entry, i)) return true;
    return false;
}

static bool is_shown(const struct work *w, const struct mk_policy_entry *entry, size_t instance)
{
    return (!w->o->policy || strcmp(entry->label, w->o->policy) == 0) && is_certified(w, entry, instance);
}

static const char *refusal_of(const struct work *w, const struct mk_policy_entry *entry)
{
    const char *why = NULL;
    for (size_t i = 0; i < w->e->problem->n_instances && !why; i++) why = mk_certify_refusal(entry, w->e->problem, i);
    return why ? why : "alpha and power are chosen for max_ucb and max_ucb_burn_in on arms that stay the same";
}

static bool is_known_for(const struct mk_policy_type *type)
{
    return type && (type->bonus || (type->flags & MK_POLICY_RISING_BONUS));
}

static int fail_uncertified(const struct work *w, struct mk_error *err)
{
    enum { MOST = 16 };
    const char *name[MOST];
    char names[128];
    size_t n = 0;
    for (size_t i = 0; i < mk_policy_type_count() && n < MOST; i++) {
        const struct mk_policy_type *type = mk_policy_type_at(i);
        if (is_known_for(type)) name[n++] = type->name;
    }
    return mk_fail(err, MK_EINPUT, "%s: no policy with certified bounds (%s: %s); allowed: %s", w->path,
                   w->e->entry[0].label, refusal_of(w, &w->e->entry[0]), mk_join(name, n, names, sizeof names));
}

/* Errors where nothing is to be shown. */
static int check_policies(const struct work *w, struct mk_error *err)
{
    const struct mk_policy_entry *asked = NULL;
    char clip[MK_CLIP_ROOM];
    for (size_t p = 0; p < w->e->n_entries; p++) {
        for (size_t i = 0; i < w->e->problem->n_instances; i++)
            if (is_shown(w, &w->e->entry[p], i)) return MK_OK;
        if (w->o->policy && strcmp(w->e->entry[p].label, w->o->policy) == 0) asked = &w->e->entry[p];
    }
    if (asked)
        return mk_fail(err, MK_EINPUT, "maxk certify: --policy: %s has no certified bounds: %s", w->o->policy,
                       refusal_of(w, asked));
    if (w->o->policy)
        return mk_fail(err, MK_EINPUT, "maxk certify: --policy: %s: no policy '%s'", w->path,
                       mk_clip(w->o->policy, clip));
    return fail_uncertified(w, err);
}

static int check_certify(struct work *w, struct mk_error *err)
{
    if (w->n_horizons == 0)
        return mk_fail(err, MK_EINPUT, "maxk certify: --horizons: missing, and %s has none", w->path);
    if (mk_problem_is_searched(w->e->problem))
        return mk_fail(err, MK_EINPUT,
                       "%s: problem: searches: certified bounds need independent rewards, and those of a search depend "
                       "on its earlier ones; allowed: arms, processes, trajectories",
                       w->path);
    int code = check_policies(w, err);
    if (code) return code;
    const bool recorded = w->e->problem->source->recorded;
    if (w->o->samples && recorded)
        return mk_fail(err, MK_EINPUT,
                       "maxk certify: --samples: for arms and processes only, the rewards of %s are recorded", w->path);
    if (w->o->confidence > 0 && !recorded && !w->o->samples)
        return mk_fail(err, MK_EINPUT,
                       "maxk certify: --confidence: without --samples for recorded rewards only, the arms of %s are "
                       "known",
                       w->path);
    return MK_OK;
}

/* ---- the band ---- */

static const char *const bound_source[] = {[MK_BY_COUNTING] = "counting",          [MK_BY_THEOREM_1] = "theorem 1",
                                           [MK_BY_THEOREMS_2_3] = "theorems 2, 3", [MK_BY_THEOREM_6] = "theorem 6",
                                           [MK_BY_THEOREM_11] = "theorem 11",      [MK_BY_THEOREM_13] = "theorem 13",
                                           [MK_BY_OTHER_ARMS] = "other arms",      [MK_BY_PLAY] = "play",
                                           [MK_BY_THEOREM_7] = "theorem 7",        [MK_BY_THEOREM_10] = "theorem 10",
                                           [MK_BY_THEOREM_15] = "theorem 15",      [MK_BY_THEOREM_16] = "theorem 16",
                                           [MK_BY_THEOREM_17] = "theorem 17"};

/* A bound of the regret or of the mean of the largest reward, and in its column what gives it, if it is known. */
static void set_bound(struct mk_table *t, size_t column, double bound, size_t by_column, enum mk_certified_by by)
{
    mk_table_set_real(t, column, bound);
    mk_table_set_text(t, by_column, isnan(bound) ? "" : bound_source[by]);
}

/* by: the place of the first column of BY_COLUMNS. */
static void add_arm(struct mk_table *t, const struct mk_policy_entry *entry, const struct mk_instance *in, size_t k,
                    uint64_t horizon, const struct mk_certified_arm *arm, const struct mk_certified_regret *regret,
                    size_t by)
{
    mk_table_set_text(t, POLICY, entry->label);
    mk_table_set_text(t, INSTANCE, in->name);
    mk_table_set_count(t, HORIZON, horizon);
    mk_table_set_count(t, ARM, in->arm[k]);
    mk_table_set_real(t, ALPHA, mk_policy_entry_parameter(entry, "alpha"));
    mk_table_set_real(t, LOWER, arm->lower);
    mk_table_set_real(t, UPPER, arm->upper);
    mk_table_set_real(t, REFINEMENT, arm->refinement);
    for (size_t q = 0; q < MK_CERTIFIED_QUANTILES; q++) mk_table_set_count(t, Q50 + q, arm->quantile[q]);
    mk_table_set_real(t, LOCK_OUT, arm->lock_out);
    set_bound(t, REGRET_LOWER, regret->regret_lower, by, regret->regret_lower_by);
    set_bound(t, REGRET_UPPER, regret->regret, by + REGRET_UPPER_BY - REGRET_LOWER_BY, regret->regret_by);
    set_bound(t, MAX_LOWER, regret->maximum_lower, by + MAX_LOWER_BY - REGRET_LOWER_BY, regret->maximum_lower_by);
    set_bound(t, MAX_UPPER, regret->maximum_upper, by + MAX_UPPER_BY - REGRET_LOWER_BY, regret->maximum_upper_by);
    mk_table_set_text(t, LOWER_BY, bound_source[arm->lower_by]);
    mk_table_set_text(t, UPPER_BY, bound_source[arm->upper_by]);
}

/* The columns of a sample; what is proved holds with any confidence. */
static void add_sampled(struct mk_table *t, size_t k, const struct mk_sampled_bound *b,
                        const struct mk_certified_regret *proved, const struct mk_certified_regret *likely)
{
    mk_table_set_real(t, MEAN_PULLS, b->mean[k]);
    mk_table_set_real(t, MEAN_MAX, b->mean_max);
    mk_table_set_real(t, C_LOWER, b->lower[k]);
    mk_table_set_real(t, C_UPPER, b->upper[k]);
    mk_table_set_real(t, C_REGRET_LOWER, fmax(proved->regret_lower, likely->regret_lower));
    mk_table_set_real(t, C_REGRET_UPPER, fmin(proved->regret, likely->regret));
    mk_table_set_real(t, C_MAX_LOWER, fmax(proved->maximum_lower, likely->maximum_lower));
    mk_table_set_real(t, C_MAX_UPPER, fmin(proved->maximum_upper, likely->maximum_upper));
}

/* Bands that Theorem 6 could make narrower are not as narrow as asked where the grids would get too large. */
static void note_width(struct work *w, const struct mk_certify_task *task, const struct mk_certificate *c)
{
    const struct mk_certified_arm *arm =
        c->arms == 2 && c->arm[0].lower + c->arm[0].upper > (double)task->horizon ? &c->arm[1] : &c->arm[0];
    const double width = (arm->upper - arm->lower) / arm->lower;
    if (!mk_certify_converges(task) || !(width > 1.1 * w->refinement)) return;
    mk_table_add_note(
        w->table,
        "%s: the band of the arm with fewer pulls at T = %g is %.2g %% wide, not %.2g %%: finer grids "
        "would take more time than this --refinement allows (a smaller one allows more), or too much memory",
        task->entry->label, (double)task->horizon, 100 * width, 100 * w->refinement);
}

/* The rows of one horizon; sampled: NULL, or what the replications say. */
static int add_rows(struct work *w, const struct mk_certify_task *task, const struct mk_instance *in,
                    const struct mk_certificate *c, const struct mk_sampled_bound *sampled, struct mk_error *err)
{
    struct mk_certified_regret regret = MK_NO_REGRET, likely = MK_NO_REGRET;
    const struct mk_race_arms *arms = task->arms;
    int code = mk_certified_regret(&regret, c, arms->arm, task->horizon, err);
    if (!code && sampled)
        code = mk_regret_of_maximum(&likely, sampled->max_lower, sampled->max_upper, arms->arm, arms->n, task->horizon,
                                    err);
    for (size_t k = 0; !code && k < c->arms; k++) {
        add_arm(w->table, task->entry, in, k, task->horizon, &c->arm[k], &regret,
                sampled ? SAMPLED_BY : REGRET_LOWER_BY);
        if (sampled) add_sampled(w->table, k, sampled, &regret, &likely);
        mk_table_end_row(w->table);
    }
    if (!code) note_width(w, task, c);
    return code;
}

static int add_band_rows(struct work *w, const struct mk_certify_task *task, const struct mk_instance *in,
                         struct mk_certificate **proved, struct mk_error *err)
{
    const struct mk_sampled_race race = {w->e, task->entry, task->arms, w->horizon, w->n_horizons, proved, w->design};
    struct mk_sampled_bound *sampled = NULL;
    int code = mk_certify_ahead(w->store, task, w->n_horizons, w->progress, err);
    for (size_t h = 0; !code && h < w->n_horizons; h++) code = mk_certify_kept(&proved[h], w->store, &task[h], err);
    if (!code && w->design.samples) code = mk_sampled_race_new(&sampled, &race, err);
    for (size_t h = 0; !code && h < w->n_horizons; h++)
        code = add_rows(w, &task[h], in, proved[h], sampled ? &sampled[h] : NULL, err);
    mk_sampled_race_free(sampled, w->n_horizons);
    return code;
}

static int add_band(struct work *w, const struct mk_policy_entry *entry, const struct mk_instance *in,
                    const struct mk_race_arms *arms, struct mk_error *err)
{
    struct mk_certify_task *task = malloc((w->n_horizons + 1) * sizeof *task);
    struct mk_certificate **proved = calloc(w->n_horizons + 1, sizeof *proved);
    int code = task && proved ? MK_OK : mk_fail_memory(err, "certificates");
    for (size_t h = 0; !code && h < w->n_horizons; h++)
        task[h] = (struct mk_certify_task){entry, arms, w->horizon[h], MK_CERTIFIED_BAND, w->refinement, MK_EVERY_ARM};
    if (!code) code = add_band_rows(w, task, in, proved, err);
    for (size_t h = 0; proved && h < w->n_horizons; h++) mk_certificate_free(proved[h]);
    free(proved);
    free(task);
    return code;
}

/* ---- the parameters of the bonus ---- */

static int add_alphas(struct work *w, const struct mk_bonus_scan *s, const struct mk_instance *in, uint64_t horizon,
                      struct mk_error *err)
{
    struct mk_bonus_bound at[MK_MOST_ALPHAS];
    size_t n, best = 0;
    int code = mk_scan_alphas(s, horizon, at, &n, &best, err);
    for (size_t k = 0; !code && k < n; k++) {
        mk_table_set_text(w->table, A_POLICY, s->entry->label);
        mk_table_set_text(w->table, A_INSTANCE, in->name);
        mk_table_set_count(w->table, A_HORIZON, horizon);
        mk_table_set_real(w->table, A_ALPHA, at[k].alpha);
        mk_table_set_real(w->table, A_REGRET, at[k].bound.regret);
        mk_table_set_real(w->table, A_PROPOSITION, at[k].bound.proposition_4_1);
        mk_table_set_count(w->table, A_BEST, k == best);
        mk_table_set_real(w->table, A_REFINEMENT, at[k].refinement);
        mk_table_end_row(w->table);
    }
    return code;
}

static void add_pair(struct work *w, const struct mk_bonus_scan *s, const struct mk_instance *in,
                     const struct mk_bonus_pairs *p, size_t h, size_t i)
{
    const struct mk_bonus_bound *at = &p->at[h * p->n + i], *best = &p->at[h * p->n + p->best[h]];
    const enum mk_bonus_measure by = (enum mk_bonus_measure)w->o->by;
    const double least = mk_bonus_value(best, by), value = mk_bonus_value(at, by);
    mk_table_set_text(w->table, B_POLICY, s->entry->label);
    mk_table_set_text(w->table, B_INSTANCE, in->name);
    mk_table_set_count(w->table, B_HORIZON, w->horizon[h]);
    mk_table_set_real(w->table, B_ALPHA, at->alpha);
    mk_table_set_real(w->table, B_POWER, at->power);
    mk_table_set_real(w->table, B_REGRET, at->bound.regret);
    mk_table_set_real(w->table, B_PULLS, at->bound.pulls);
    mk_table_set_real(w->table, B_REFINEMENT, at->refinement);
    mk_table_set_real(w->table, B_RATIO, value > least ? value / least : 1);
    mk_table_set_real(w->table, B_WORST, p->worst[i]);
    mk_table_set_flag(w->table, B_BEST, i == p->best[h]);
    mk_table_set_flag(w->table, B_COMPROMISE, i == p->compromise);
    mk_table_set_flag(w->table, B_EFFICIENT, p->efficient[i]);
    if (p->efficient[i] || i == p->compromise) mk_table_list_row(w->table, mk_table_rows(w->table));
    mk_table_end_row(w->table);
}

static void note_pairs(struct work *w, const struct mk_bonus_scan *s, const struct mk_instance *in,
                       const struct mk_bonus_pairs *p)
{
    const struct mk_bonus_bound *both = &p->at[p->compromise];
    char worst[MK_CELL_ROOM];
    for (size_t h = 0; h < p->horizons; h++) {
        const struct mk_bonus_bound *best = &p->at[p->best[h]];
        mk_table_add_note(w->table, "%s, %s: best at T = %g is alpha = %.3g with power = %.3g", s->entry->label,
                          in->name, (double)w->horizon[h], best->alpha, best->power);
    }
    if (p->horizons < 2) return;
    mk_format_rounded(p->worst[p->compromise], "%.3g", MK_ROUND_UP, worst, sizeof worst);
    mk_table_add_note(
        w->table, "%s, %s: for all these horizons alpha = %.3g with power = %.3g, at most %s times the smallest bound",
        s->entry->label, in->name, both->alpha, both->power, worst);
}

static void draw(struct work *w, const struct mk_bonus_scan *s, const struct mk_instance *in,
                 const struct mk_bonus_pairs *p)
{
    const struct mk_bonus_figure figure = {p, w->horizon, (enum mk_bonus_measure)w->o->by, s->entry->label, in->name};
    struct mk_error why = {0, ""};
    char *path = NULL;
    if (mk_bonus_figure_draw(&figure, w->o->folder, (enum mk_plot_format)w->o->format, &path, &why))
        mk_table_fail(w->table, &why); /* the bounds are shown */
    else
        mk_table_add_note(w->table, "%s", path);
    free(path);
}

static int add_bonuses(struct work *w, const struct mk_bonus_scan *s, const struct mk_instance *in,
                       struct mk_error *err)
{
    struct mk_bonus_pairs p;
    struct mk_error why = {0, ""};
    int code = mk_scan_bonuses(s, w->horizon, w->n_horizons, (enum mk_bonus_measure)w->o->by, &p, &why);
    if (code == MK_EINPUT) return mk_fail(err, code, "maxk certify: --best-bonus: %s", why.text);
    if (code) return mk_fail(err, code, "%s", why.text);
    for (size_t h = 0; h < p.horizons; h++)
        for (size_t i = 0; i < p.n; i++) add_pair(w, s, in, &p, h, i);
    note_pairs(w, s, in, &p);
    if (w->o->folder) draw(w, s, in, &p);
    mk_bonus_pairs_clear(&p);
    return MK_OK;
}

/* ---- all places ---- */

static int add_place(struct work *w, const struct mk_policy_entry *entry, size_t instance, struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    const struct mk_instance *in = &p->instance[instance];
    struct mk_race_arms *arms = NULL;
    int code = mk_race_arms_new(&arms, p, instance, w->o->confidence, err);
    const struct mk_bonus_scan scan = {w->store, entry, arms, w->refinement, w->progress};
    if (code)
        return code;
    else if (w->o->best_bonus)
        code = add_bonuses(w, &scan, in, err);
    else if (w->o->best_alpha)
        for (size_t h = 0; !code && h < w->n_horizons; h++) code = add_alphas(w, &scan, in, w->horizon[h], err);
    else
        code = add_band(w, entry, in, arms, err);
    mk_race_arms_free(arms);
    return code;
}

static const struct mk_table_schema *schema_of(const struct certify_options *o)
{
    return o->best_bonus ? &bonus_schema : o->best_alpha ? &alpha_schema : o->samples ? &sampled_schema : &band_schema;
}

static void round_outwards(struct mk_table *t, const struct certify_options *o)
{
    if (o->best_bonus) {
        mk_table_round(t, B_REGRET, MK_ROUND_UP);
        mk_table_round(t, B_PULLS, MK_ROUND_UP);
    } else if (o->best_alpha) {
        mk_table_round(t, A_REGRET, MK_ROUND_UP);
        mk_table_round(t, A_PROPOSITION, MK_ROUND_UP);
    } else {
        mk_table_round(t, LOWER, MK_ROUND_DOWN);
        mk_table_round(t, UPPER, MK_ROUND_UP);
        mk_table_round(t, LOCK_OUT, MK_ROUND_UP);
        mk_table_round(t, REGRET_LOWER, MK_ROUND_DOWN);
        mk_table_round(t, REGRET_UPPER, MK_ROUND_UP);
        mk_table_round(t, MAX_LOWER, MK_ROUND_DOWN);
        mk_table_round(t, MAX_UPPER, MK_ROUND_UP);
    }
    if (schema_of(o) != &sampled_schema) return;
    for (size_t c = C_LOWER; c <= C_MAX_UPPER; c++)
        mk_table_round(t, c, (c - C_LOWER) % 2 ? MK_ROUND_UP : MK_ROUND_DOWN);
}

static bool is_omitted_for(const struct work *w, size_t p, const char *reason)
{
    const struct mk_policy_entry *entry = &w->e->entry[p];
    return !is_certified_anywhere(w, entry) && strcmp(refusal_of(w, entry), reason) == 0;
}

/* One note for all policies that are omitted for the reason of entry `first`, unless an earlier one has made it. */
static void note_omitted(struct work *w, size_t first)
{
    const char *const reason = refusal_of(w, &w->e->entry[first]);
    bool several = false;
    for (size_t p = 0; p < first; p++)
        if (is_omitted_for(w, p, reason)) return;
    mk_table_add_note(w->table, "%s", w->e->entry[first].label);
    for (size_t p = first + 1; p < w->e->n_entries; p++) {
        if (!is_omitted_for(w, p, reason)) continue;
        mk_table_extend_note(w->table, ", %s", w->e->entry[p].label);
        several = true;
    }
    mk_table_extend_note(w->table, " %s omitted: %s", several ? "are" : "is", reason);
}

static int fill(struct work *w, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t p = 0; !code && p < w->e->n_entries; p++)
        for (size_t i = 0; !code && i < w->e->problem->n_instances; i++)
            if (is_shown(w, &w->e->entry[p], i)) code = add_place(w, &w->e->entry[p], i, err);
    for (size_t p = 0; !code && !w->o->policy && p < w->e->n_entries; p++)
        if (!is_certified_anywhere(w, &w->e->entry[p])) note_omitted(w, p);
    return code;
}

/* All quantities of the table hold together: of every policy, instance and horizon the pulls of each arm and the mean
 * of the largest reward, from which the regret follows. */
static void plan_samples(struct work *w)
{
    const double confidence = w->o->confidence > 0 ? w->o->confidence : MK_USUAL_CONFIDENCE;
    double quantities = 0;
    for (size_t p = 0; p < w->e->n_entries; p++)
        for (size_t i = 0; i < w->e->problem->n_instances; i++)
            if (is_shown(w, &w->e->entry[p], i))
                quantities += (double)w->n_horizons * (double)(w->e->problem->instance[i].n_arms + 1);
    w->design = mk_sampled_design(w->o->samples, quantities, confidence);
    mk_table_add_note(w->table,
                      "confident_…: with confidence %.10g, not proved: from %" PRIu64
                      " replications of each policy; all "
                      "%.0f intervals of this table hold together with this probability (Theorem 14)",
                      confidence, w->o->samples, quantities);
}

static int check_samples(const struct certify_options *o, struct mk_error *err)
{
    if (o->samples && (o->best_alpha || o->best_bonus))
        return mk_fail(err, MK_EINPUT, "maxk certify: --samples: not together with --best-alpha and --best-bonus");
    return MK_OK;
}

static int make_certify(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct certify_options *o = call->options;
    struct mk_progress progress = {.report = call->report,
                                   .context = &(struct mk_progress_line){"certified bounds", 0, ""}};
    struct work w = {.o = o, .path = call->input[0], .progress = &progress};
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    if (o->best_alpha && o->best_bonus)
        return mk_fail(err, MK_EINPUT, "maxk certify: --best-bonus: cannot be combined with --best-alpha");
    if (o->folder && !o->best_bonus)
        return mk_fail(err, MK_EINPUT, "maxk certify: --out: has an effect only with --best-bonus");
    if (o->format != MK_PLOT_PNG && !o->folder)
        return mk_fail(err, MK_EINPUT, "maxk certify: --format: a format of pictures; has an effect only with --out");
    if (o->by && !o->best_bonus)
        return mk_fail(err, MK_EINPUT, "maxk certify: --by: has an effect only with --best-bonus");
    w.refinement = !isnan(o->refinement) ? o->refinement : o->best_alpha || o->best_bonus ? MK_TABLE_REFINEMENT : 0.02;
    int code = check_samples(o, err);
    if (!code) code = mk_table_open(&e, &mk_table_certify, call, err);
    if (code) return code;
    w.e = e;
    w.horizon = o->horizons.n ? o->horizons.value : e->horizon;
    w.n_horizons = o->horizons.n ? o->horizons.n : e->n_horizons;
    code = check_certify(&w, err);
    if (!code) code = mk_table_new(&t, schema_of(o), err);
    w.table = t;
    if (!code)
        code = mk_table_add_swept_of(t, e, (const char *const[]){"alpha"}, !o->best_alpha && !o->best_bonus, err);
    if (!code) code = mk_table_check_shown(t, call->style, err);
    if (!code) {
        round_outwards(t, o);
        mk_table_warn_gaps(t, e->problem);
        code = mk_table_certificates_open(&w.store, t, call->result || mk_input_is_result(w.path) ? w.path : NULL, err);
    }
    if (!code && o->samples) plan_samples(&w);
    if (!code) code = fill(&w, err);
    mk_table_certificates_close(w.store, t);
    mk_experiment_free(e);
    return mk_table_made(out, t, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    const struct mk_result_info *i = mk_result_info(r);
    for (size_t p = 0; p < i->n_policies; p++)
        if (is_known_for(i->policy_type[p])) return NULL;
    return "it has no policy with certified bounds (maxk certify --help)";
}

static const struct certify_options defaults = {.refinement = NAN, .format = MK_PLOT_PNG};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct certify_options, best_alpha, "best-alpha", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                    "print certified bounds on the regret over alpha, and where they are smallest"),
    MK_TABLE_OPTION(struct certify_options, best_bonus, "best-bonus", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                    "print certified bounds on the regret over alpha and power, and where they are smallest"),
    MK_TABLE_OPTION(struct certify_options, by, "by", 0, MK_OPT_CHOICE, "NAME", "regret|pulls", 1, 0,
                    "what --best-bonus compares: bounds on the regret, or on the pulls of all arms but the best one "
                    "(default: regret)"),
    MK_TABLE_OPTION(struct certify_options, folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 0, -1,
                    "draw the trade-off that --best-bonus finds into this folder"),
    MK_TABLE_OPTION(struct certify_options, format, "format", 'f', MK_OPT_CHOICE, "NAME", MK_PLOT_FORMATS, 0, -1,
                    "format of the picture that --out draws (default: png)"),
    MK_TABLE_OPTION(struct certify_options, policy, "policy", 0, MK_OPT_TEXT, "LABEL", NULL, 1, 0, "only this policy"),
    MK_TABLE_OPTION(struct certify_options, horizons, "horizons", 0, MK_OPT_COUNTS, "T,T,…", NULL, 1, MK_EXACT_MAX,
                    "horizons (default: those of the file)"),
    MK_TABLE_OPTION(struct certify_options, refinement, "refinement", 0, MK_OPT_REAL, "SHARE", NULL, 1e-4, 1,
                    "refine the grids until a refinement changes upper by at most this share (default: 0.02; with "
                    "--best-alpha and --best-bonus 0.2)"),
    MK_TABLE_OPTION(
        struct certify_options, confidence, "confidence", 0, MK_OPT_REAL, "LEVEL", NULL, 0.01, 0.999999,
        "for recorded rewards: bounds for the distributions that the rewards were drawn from, with this "
        "confidence (default: bounds for the empirical distributions); with --samples that of its bounds (default: 0.999)"),
    MK_TABLE_OPTION(struct certify_options, samples, "samples", 0, MK_OPT_COUNT, "R", NULL, 2, 1e9,
                    "add bounds with confidence from this many replications of each policy"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_certify = {
    .usage =
        {"certify", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
         "Prints a lower and an upper bound on the expected pulls E[N_i(T)] of each arm under MaxUCB. The bounds are "
         "proved for the given arms, alpha and horizon. Nothing is simulated: they are computed from the "
         "distributions of the arms.\n\n  lower, upper  bounds on the expected pulls of the arm\n  q50, q90, q99  "
         "upper bounds on quantiles of the pulls\n  lock_out  upper bound on P(N_i(T) > T/2)\n  lower_by, upper_by, regret_lower_by, …  what gives a bound\n  regret_lower, "
         "regret_upper, max_lower, max_upper  bounds on the regret and on the mean of the largest reward, the same "
         "for all arms of a policy; empty if the largest mean is infinite, and with --confidence\n  refinement  what "
         "the last refinement of the grids has taken off upper, relative to it (where Theorem 6 or 11 gives upper: "
         "an estimate of what another one would; Theorem 16: that of Theorem 1). It is not the error of the bound, and it is 0 where two grids "
         "agree. The bounds hold at any refinement, since the grids err to the safe side only\n\nWith two arms, both "
         "bounds converge to E[N_i(T)] as the grids are refined, until their difference relative to E[N_i(T)] is "
         "--refinement. This takes seconds at 0.02 and up to a minute at 0.005. The rewards may be used as they are, "
         "be divided by the largest one (scale global_max; if a first reward may be negative, the bounds need not converge), or be scaled by their range "
         "(minmax, where the difference is five to ten times as large for the same time). A note says so if the "
         "difference is more than 1.1 times what was wanted; a smaller --refinement then allows larger "
         "grids.\n\nPolicies: max_ucb and max_ucb_burn_in with any parameters, max_ucb_horizon, greedy (statistic "
         "max), with two arms as above max_ucb_remaining, and every policy of a plugin whose `bonus` meets the "
         "hypotheses of policies/policy.h. For three arms and more, scale global_max and minmax are bounded by the "
         "extremes of the scale, which is loose at small horizons.\n\nRewards: arms and processes are bounded as "
         "they are. trajectories are bounded as independent draws of each arm's pooled rewards, not as the replayed "
         "sequences; with --confidence, the bounds hold for all distributions in a confidence band "
         "(Dvoretzky-Kiefer-Wolfowitz-Massart). searches have no bounds, since rewards depend on earlier "
         "ones.\n\nThe theorems are proved in the paper \"Certified bounds for MaxUCB\" (`make paper`; installed as "
         "share/doc/maxk/maxk.pdf) and stated in analysis/theory/certificates/certificate.h (in share/maxk): from "
         "above Theorem 1, from below Theorems 2 and 3, two arms Theorem 6 (minmax: 11), three and more Theorems 16 and 17, with the same bonus in all rounds (greedy, max_ucb_horizon) Theorem 13 from both sides, regret and largest reward "
         "Theorem 7 (two arms: 10; the same bonus in all rounds: 15), moving arms Theorem 9, scaled rewards Propositions 7 to 9.\n\n--samples R adds bounds with confidence, which are not proved: each policy plays R replications of its own, whose seeds differ from those of maxk run (Maurer and Pontil 2009, Theorem 14). All of them hold together with the probability --confidence. Do not choose the seed by the result.\n\n--best-alpha "
         "prints instead, for every such policy, upper bounds on its regret for alpha from 0.01 to 10, from the "
         "certified pulls of all arms, and best = 1 at the smallest bound; next to it what Proposition 4.1 of Balef "
         "et al. 2025 makes of the same pulls. The alpha with the smallest bound need not be the one with the "
         "smallest regret. All alpha share one grid of pulls; bounds that differ by less than 2 % may differ because "
         "of it. refinement is what every other point of that grid has taken off the pulls of an arm, the largest of "
         "all arms.\n\n--best-bonus does the same for pairs of alpha and power of the bonus (alpha (log t)^power / "
         "n)^2 at all horizons, with power from 1 to 3. best marks the smallest bound at a horizon, compromise the "
         "pair that exceeds the smallest bounds of all horizons by the smallest factor (worst_ratio), efficient the "
         "pairs of which no other is at least as good at every horizon and better at one. Only these rows are "
         "printed as text; CSV and JSON have "
         "all.",
         1, 1},
    .group = "Theory against simulation",
    .summary = "bounds on the pulls of MaxUCB that are proved to hold",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    .has_policies = true,
    MK_TABLE_SHOWS(&band_schema, &sampled_schema, &alpha_schema, &bonus_schema),
    .inapplicable = inapplicable,
    .costly = true,
    .make = make_certify};
