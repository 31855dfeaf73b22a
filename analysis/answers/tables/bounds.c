/* Theorem 4.2 and Proposition 4.1 of Balef et al. 2025 against the simulated pulls and regret. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/result_tables.h"
#include "analysis/compare/arms/arm_choice.h"
#include "analysis/compare/arms/race.h"
#include "analysis/compare/bound_cells.h"
#include "sim/base/error.h"

enum { ALL = MK_BOUND_VARIANTS, PROPOSITION, CLAIMS, ANY_POLICY }; /* after the variants among the choices */
enum { REGIMES = MK_REGIME_P_ABOVE_1 + 2, VERDICT_KINDS = MK_VERDICT_NOT_APPLICABLE + 1 };
enum { BY_KIND = -1 /* no --lu: mk_bound_lu_estimator */, DKW = MK_LU_PLUGIN + 1 /* bounds around plugin */ };

static const double confidence = 0.95; /* of L and U together */

struct bounds_options {
    int brief, variant, lu, upper;
    double refinement;
    const char *policy;
    uint64_t samples, seed;
    struct mk_texts plugins;
};

#define COLUMNS(X)                                                                                                     \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0; none where the bound is on the regret")                       \
    X(ALPHA, "alpha", REAL, "", "alpha of the policy")                                                                 \
    X(L_OPT, "L_opt", REAL, "1 / unit", "L of the best arm")                                                           \
    X(U, "U", REAL, "1 / unit", "U of the arm")                                                                        \
    X(GAP, "gap", REAL, "unit", "gap of the arm")                                                                      \
    X(P, "p", REAL, "", "p = 2 L_opt alpha sqrt(gap) of Theorem 4.2")                                                  \
    X(REGIME, "regime", TEXT, "", "whether p is below, at or above 1; of claims at_most or at_least")                  \
    X(VARIANT, "variant", TEXT, "", "form of the bound, or the name of the claim")                                     \
    X(BOUND, "bound", REAL, "pulls", "the bound; of a regret in rewards")                                              \
    X(OBSERVED, "mean_pulls", REAL, "pulls", "mean pulls of the arm; of a bound on the regret the regret, in rewards") \
    X(CI_LOW, "ci_low", REAL, "pulls", "lower end of the 95 % interval of that mean")                                  \
    X(CI_HIGH, "ci_high", REAL, "pulls", "upper end of the interval")                                                  \
    X(RATIO, "ratio", REAL, "", "bound / mean_pulls")                                                                  \
    X(VERDICT, "verdict", TEXT, "", "holds, violated, vacuous, inconclusive or not-applicable")                        \
    X(UNIT, "unit", REAL, "rewards", "what L_opt, U and gap are measured in, of policies that scale rewards")          \
    X(L_LOW, "L_low", REAL, "1 / unit", "with --lu dkw: lower confidence bound of L_opt")                              \
    X(L_HIGH, "L_high", REAL, "1 / unit", "upper confidence bound of L_opt")                                           \
    X(U_LOW, "U_low", REAL, "1 / unit", "lower confidence bound of U")                                                 \
    X(U_HIGH, "U_high", REAL, "1 / unit", "upper confidence bound of U")                                               \
    X(BOUND_LOW, "bound_low", REAL, "pulls", "smallest bound for L_opt and U between these")                           \
    X(BOUND_HIGH, "bound_high", REAL, "pulls", "largest bound for L_opt and U between these")                          \
    X(LOWER, "lower", REAL, "pulls", "crossing, of two arms, and any_policy: E[N_i(T)] is at least this")
MK_PLACED_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("bounds against simulation", columns, NULL);

/* What people see of its rows, in tables of their own. */
static const struct mk_table_schema pulls_seen = MK_TABLE_SCHEMA("bounds on pulls, as printed", columns, NULL);
static const struct mk_table_schema claims_seen = MK_TABLE_SCHEMA("claims, as printed", columns, NULL);

#define COUNT_COLUMNS(X)                                                                                               \
    X(N_BOUND, "bound", TEXT, "", "form of the bound")                                                                 \
    X(N_REGIME, "regime", TEXT, "", "whether p is below, at or above 1; none: it is undefined")                        \
    X(N_ROWS, "rows", COUNT, "", "policies, instances, horizons and arms")                                             \
    X(N_HOLDS, "holds", COUNT, "", "where the bound is not exceeded")                                                  \
    X(N_VIOLATED, "violated", COUNT, "", "where the interval of the mean lies above the bound or below lower")         \
    X(N_VACUOUS, "vacuous", COUNT, "", "where the bound is T or more")                                                 \
    X(N_INCONCLUSIVE, "inconclusive", COUNT, "", "where the data do not decide")                                       \
    X(N_NOT_APPLICABLE, "not-applicable", COUNT, "", "where the bound says nothing of the policy or the arms")
MK_TABLE_COLUMNS(count_columns, COUNT_COLUMNS);
static const struct mk_table_schema count_schema =
    MK_TABLE_SCHEMA("verdicts on the bounds of pulls", count_columns, NULL);

#define REGRET_COLUMNS(X)                                                                                              \
    X(R_REGRET, "regret", REAL, "rewards", "E[M*(T)] minus the mean of the largest reward")                            \
    X(R_LOW, "ci_low", REAL, "rewards", "lower end of the 95 % interval of the regret")                                \
    X(R_HIGH, "ci_high", REAL, "rewards", "upper end of the interval")                                                 \
    X(R_BOUND, "bound", REAL, "rewards", "right side of Proposition 4.1")                                              \
    X(R_BOUND_LOW, "bound_low", REAL, "rewards", "lower end of its 95 % interval")                                     \
    X(R_BOUND_HIGH, "bound_high", REAL, "rewards", "upper end of that interval")                                       \
    X(R_VERDICT, "verdict", TEXT, "", "holds, violated, vacuous, inconclusive or not-applicable")                      \
    X(R_UNIT, "unit", REAL, "rewards", "the unit of the policy")
MK_PLACED_COLUMNS(regret_columns, REGRET_COLUMNS);
static const struct mk_table_schema regret_schema = MK_TABLE_SCHEMA("Proposition 4.1", regret_columns, NULL);

struct bounds {
    const struct bounds_options *o;
    struct mk_bound_cells cells;
    const struct mk_result_info *info; /* of cells */
    const struct mk_experiment *e;     /* of cells */
    size_t wanted;                     /* position of the requested policy */
    bool *hidden;                      /* [arm] people do not see it at the present instance and horizon */
    struct mk_arm_gap *order;          /* [arm] room */
    struct mk_table *to;               /* of the next rows; NULL: they are only counted */
    bool people;                       /* they are for people */
    uint64_t counts[MK_BOUND_VARIANTS][REGIMES][VERDICT_KINDS]; /* the last regime: none, not applicable */
};

/* ---- which policies and arms ---- */

/* Whether the requested bounds are about this policy. */
static bool is_covered(const struct bounds *w, size_t policy)
{
    return mk_result_policy_has(w->info, policy,
                                w->o->variant == MK_BOUND_CROSSING || w->o->variant == ANY_POLICY
                                    ? MK_POLICY_RISING_BONUS
                                    : MK_POLICY_THEOREM_4_2);
}

/* The policies shown: the requested one; else those that the theorem is about, or all if there are none. */
static bool is_shown(const struct bounds *w, size_t policy)
{
    if (w->o->policy) return policy == w->wanted;
    if (is_covered(w, policy)) return true;
    for (size_t i = 0; i < w->info->n_policies; i++)
        if (is_covered(w, i)) return false;
    return true;
}

/* A table for people lists some of many arms. */
static void choose_arms(struct bounds *w, struct mk_cell_index at)
{
    memset(w->hidden, 0, w->info->n_arms * sizeof *w->hidden);
    if (!w->people || w->e->problem->instance[at.instance].n_arms <= MK_MANY_ARMS) return;
    const size_t n = mk_arms_by_gap(w->info->truth, at.instance, at.horizon, w->order);
    for (size_t k = 0; k < n; k++) w->hidden[w->order[k].arm] = !mk_arm_is_listed(k + 1, n);
}

/* ---- rows ---- */

static void set_check(struct mk_table *t, double bound, double observed, double low, double high)
{
    mk_table_set_real(t, BOUND, bound);
    mk_table_set_real(t, OBSERVED, observed);
    mk_table_set_real(t, CI_LOW, low);
    mk_table_set_real(t, CI_HIGH, high);
    mk_table_set_real(t, RATIO, bound / observed);
}

/* Confidence bounds and a bound from below, which claims and Proposition 4.1 do not have. */
static void set_span(struct mk_table *t, const struct mk_theorem_cell *c)
{
    mk_table_set_real(t, L_LOW, c ? c->span.L_low : NAN);
    mk_table_set_real(t, L_HIGH, c ? c->span.L_high : NAN);
    mk_table_set_real(t, U_LOW, c ? c->span.U_low : NAN);
    mk_table_set_real(t, U_HIGH, c ? c->span.U_high : NAN);
    mk_table_set_real(t, BOUND_LOW, c ? c->bound_low : NAN);
    mk_table_set_real(t, BOUND_HIGH, c ? c->bound_high : NAN);
    mk_table_set_real(t, LOWER, c ? c->lower : NAN);
}

/* What rows about bounds begin with. */
static void set_input(struct bounds *w, struct mk_cell_index at, uint64_t arm, double alpha, double L, double u,
                      double gap)
{
    mk_table_set_place(w->to, w->info, at);
    mk_table_set_count(w->to, ARM, arm);
    mk_table_set_real(w->to, ALPHA, alpha);
    mk_table_set_real(w->to, L_OPT, L);
    mk_table_set_real(w->to, U, u);
    mk_table_set_real(w->to, GAP, gap);
}

/* And what they end with; span: as of set_span. */
static void end_bound(struct mk_table *t, const char *variant, enum mk_verdict verdict, double unit,
                      const struct mk_theorem_cell *span)
{
    mk_table_set_text(t, VARIANT, variant);
    mk_table_set_text(t, VERDICT, mk_verdict_name(verdict));
    mk_table_set_real(t, UNIT, unit);
    set_span(t, span);
    mk_table_end_row(t);
}

static void count_verdict(void *context, struct mk_cell_index at, const struct mk_theorem_cell *c)
{
    struct bounds *w = context;
    (void)at;
    w->counts[c->variant][isnan(c->bound.p) ? REGIMES - 1 : (int)c->bound.regime][c->verdict]++;
}

/* A row of Theorem 4.2, for people also counted. */
static void add_bound(void *context, struct mk_cell_index at, const struct mk_theorem_cell *c)
{
    struct bounds *w = context;
    struct mk_table *t = w->to;
    const bool no_p = isnan(c->bound.p);
    if (w->people) count_verdict(w, at, c);
    if (w->hidden[c->arm]) return;
    set_input(w, at, c->arm, c->in.alpha, c->in.L, c->in.U, c->bound.gap);
    mk_table_set_real(t, P, c->bound.p);
    mk_table_set_text(t, REGIME, no_p ? "" : mk_bound_regime_name(c->bound.regime));
    set_check(t, c->bound.value, c->mean, c->low, c->high);
    end_bound(t, mk_bound_variant_name(c->variant), c->verdict, c->unit, c);
}

static int add_theorem(struct bounds *w, struct mk_cell_index at, struct mk_error *err)
{
    return mk_bound_theorem(&w->cells, at, w->o->variant, w->to ? add_bound : count_verdict, w, err);
}

/* A row of Proposition 4.1: for people with both intervals; else in the columns of the theorem, where mean_pulls and
 * its interval are the regret's. */
static int add_regret(struct bounds *w, struct mk_cell_index at, struct mk_error *err)
{
    struct mk_regret_check c;
    struct mk_table *t = w->to;
    int code = mk_bound_regret(&w->cells, at, &c, err);
    if (code) return code;
    mk_table_set_place(t, w->info, at);
    if (w->people) {
        mk_table_set_real(t, R_REGRET, c.regret);
        mk_table_set_real(t, R_LOW, c.regret_low);
        mk_table_set_real(t, R_HIGH, c.regret_high);
        mk_table_set_real(t, R_BOUND, c.bound);
        mk_table_set_real(t, R_BOUND_LOW, c.bound_low);
        mk_table_set_real(t, R_BOUND_HIGH, c.bound_high);
    } else {
        for (size_t column = ARM; column <= P; column++) mk_table_set_missing(t, column);
        mk_table_set_text(t, REGIME, "");
        mk_table_set_text(t, VARIANT, "proposition_4.1");
        set_check(t, c.bound, c.regret, c.regret_low, c.regret_high);
        set_span(t, NULL);
    }
    mk_table_set_text(t, w->people ? R_VERDICT : VERDICT, mk_verdict_name(c.verdict));
    mk_table_set_real(t, w->people ? R_UNIT : UNIT, mk_bound_reward_unit(&w->cells, at.policy, at.instance).unit);
    mk_table_end_row(t);
    return MK_OK;
}

/* The columns of Theorem 4.2 for a claim of the experiment; regret: without an arm, its interval in the columns of the
 * pulls. */
static void add_claim(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *c)
{
    struct bounds *w = context;
    struct mk_table *t = w->to;
    const bool of_pulls = c->claim->of == MK_USER_CLAIM_PULLS;
    if (of_pulls && w->hidden[c->arm]) return;
    set_input(w, at, of_pulls ? c->arm : MK_COUNT_MISSING, c->alpha, c->L, c->U, c->gap);
    mk_table_set_missing(t, P);
    mk_table_set_text(t, REGIME, c->claim->at_least ? "at_least" : "at_most");
    set_check(t, c->bound, c->observed, c->low, c->high);
    end_bound(t, c->claim->name, c->verdict, c->unit, NULL);
}

/* What no policy can stay below, in the column of bounds from below. L_opt is the arm's own L here. */
static void add_lower(void *context, struct mk_cell_index at, const struct mk_theorem_cell *c)
{
    struct bounds *w = context;
    struct mk_table *t = w->to;
    if (w->hidden[c->arm]) return;
    set_input(w, at, c->arm, c->in.alpha, c->in.L, c->in.U, c->bound.gap);
    mk_table_set_missing(t, P);
    mk_table_set_text(t, REGIME, "at_least");
    set_check(t, NAN, c->mean, c->low, c->high);
    end_bound(t, "any_policy", c->verdict, c->unit, c);
}

static int add_any_policy(struct bounds *w, struct mk_cell_index at, struct mk_error *err)
{
    return mk_bound_every_policy(&w->cells, at, add_lower, w, err);
}

static int add_claims(struct bounds *w, struct mk_cell_index at, struct mk_error *err)
{
    return mk_bound_user_claims(&w->cells, at, add_claim, w, err);
}

/* ---- tables ---- */

typedef int each_cell(struct bounds *w, struct mk_cell_index at, struct mk_error *err);

/* Rows of `add` into `to` for every shown (or every) policy, instance and horizon. */
static int add_rows(struct bounds *w, struct mk_table *to, bool every_policy, each_cell *add, struct mk_error *err)
{
    int code = MK_OK;
    w->to = to;
    for (size_t p = 0; !code && p < w->info->n_policies; p++) {
        if (!(every_policy && !w->o->policy) && !is_shown(w, p)) continue;
        for (size_t i = 0; !code && i < w->info->n_instances; i++)
            for (size_t h = 0; !code && h < w->info->n_horizons; h++) {
                const struct mk_cell_index at = {p, i, h};
                choose_arms(w, at);
                code = add(w, at, err);
            }
    }
    return code;
}

/* Whether some row may have a bound from below. */
static bool has_lower(const struct bounds *w)
{
    if (w->o->variant == ANY_POLICY) return true;
    if (w->o->variant != ALL && w->o->variant != MK_BOUND_CROSSING) return false;
    for (size_t i = 0; i < w->info->n_instances; i++)
        if (w->e->problem->instance[i].n_arms == 2) return true;
    return false;
}

/* A table in the columns of the theorem. */
static int new_theorem(struct mk_table **t, const struct mk_table_schema *as, const struct bounds *w,
                       struct mk_error *err)
{
    int code = mk_table_new(t, as, err);
    if (!code) code = mk_table_add_swept(*t, w->info, "alpha", err);
    if (code) return code;
    mk_table_round(*t, BOUND, MK_ROUND_UP);
    mk_table_round(*t, BOUND_LOW, MK_ROUND_DOWN);
    mk_table_round(*t, BOUND_HIGH, MK_ROUND_UP);
    mk_table_round(*t, LOWER, MK_ROUND_DOWN);
    if (w->people && !has_lower(w)) mk_table_drop_column(*t, LOWER);
    for (size_t column = L_LOW; column <= BOUND_HIGH; column++)
        if (!w->cells.dkw || w->o->variant == PROPOSITION) mk_table_drop_column(*t, column);
    return MK_OK;
}

/* All rows, for programs. */
static int fill(struct mk_table *t, struct bounds *w, struct mk_error *err)
{
    const int variant = w->o->variant;
    if (variant == PROPOSITION) return add_rows(w, t, true, add_regret, err);
    if (variant == CLAIMS) return add_rows(w, t, true, add_claims, err);
    if (variant == ANY_POLICY) return add_rows(w, t, false, add_any_policy, err);
    int code = w->o->brief ? MK_OK : add_rows(w, t, false, add_theorem, err);
    return code || variant != ALL ? code : add_rows(w, t, true, add_claims, err);
}

/* ---- for people ---- */

static bool has_unbounded(const struct bounds *w)
{
    for (size_t k = 0; k < w->info->n_arms; k++)
        if (isinf(w->info->truth->support_high[k])) return true;
    return false;
}

static void add_notes(struct mk_table *t, const struct bounds *w)
{
    mk_table_add_note(
        t,
        "L_opt and U: %s over the range of eps, b the %s upper end point. p = 2 L_opt alpha sqrt(gap); figure_e5 "
        "uses gap in\nplace of its root. p>1: the printed first term is negative, since it bounds a sum of t^-p for "
        "p < 1 only; p=1: its\nlimit form 1 + log T. A bound of T or more is vacuous. Intervals: 95 %% confidence "
        "intervals of the mean.\nTwo steps of the published proof need care: eq. 31 uses G_i(E[M_i(T)] - C) <= U_i "
        "C where Lemma 3.3 gives\nU_i (C + b_i - E[M_i(T)]), which the variant endpoint repairs; and the numbers of "
        "pulls n_1(t), n_i(t) are random,\nyet no union over their values is taken. Mean pulls may be dominated by "
        "rare runs that lock the best arm out:\n`maxk summary` also prints medians.\ncrossing: computed from the "
        "distributions of all arms by `maxk certify`, grids refined until that takes %g %% off\nat most, or to the fourth grid; explicit: a closed form in L_opt and "
        "the gap of the upper end points.\nBoth are proved, for the mean, and neither uses U.",
        mk_lu_estimator_name(w->cells.estimator), w->cells.options.upper == MK_UPPER_GLOBAL ? "instance's" : "arm's",
        100 * w->cells.refinement);
    for (size_t i = 0; i < w->info->n_policies; i++)
        if (is_shown(w, i) && is_covered(w, i) && mk_result_parameter(w->info, i, "scale") != 0)
            mk_table_extend_note(
                t,
                "\n%s scales its rewards by what it has seen; the bound takes the limit of that map (unit) as fixed.",
                w->info->policy[i]);
    if (has_unbounded(w))
        mk_table_extend_note(
            t, "\nnot-applicable: an arm has no finite upper end point, which all of these bounds but crossing need.");
    if (w->cells.dkw)
        mk_table_extend_note(
            t,
            "\ndkw: L and U lie in [L_low, L_high] and [U_low, U_high], both with probability %g%s; the verdict is "
            "the one that every\nbound in [bound_low, bound_high] gives, else inconclusive.",
            confidence,
            w->e->problem->source->known ? "" : ", provided that the range and b were not chosen from the data");
    if (w->o->brief) mk_table_extend_note(t, "\n");
}

/* How often each variant got each verdict, by regime. */
static void add_counts(struct mk_table *t, const struct bounds *w)
{
    for (int v = 0; v < MK_BOUND_VARIANTS; v++)
        for (int r = 0; r < REGIMES; r++) {
            uint64_t rows = 0;
            for (int verdict = 0; verdict < VERDICT_KINDS; verdict++) rows += w->counts[v][r][verdict];
            if (rows == 0) continue;
            mk_table_set_text(t, N_BOUND, mk_bound_variant_name((enum mk_bound_variant)v));
            mk_table_set_text(t, N_REGIME, r == REGIMES - 1 ? "none" : mk_bound_regime_name((enum mk_bound_regime)r));
            mk_table_set_count(t, N_ROWS, rows);
            for (int k = 0; k < VERDICT_KINDS; k++) mk_table_set_count(t, N_HOLDS + (size_t)k, w->counts[v][r][k]);
            mk_table_end_row(t);
        }
}

static int append_theorem(struct mk_table *all, struct bounds *w, struct mk_error *err)
{
    static const char caption[] =
        "Theorem 4.2 of Balef et al. 2025 and bounds that are proved: pulls of suboptimal arms\n";
    struct mk_table *rows = NULL, *counts = NULL;
    int code = w->o->brief ? MK_OK : new_theorem(&rows, &pulls_seen, w, err);
    mk_table_append(all, rows);
    if (!code) code = add_rows(w, rows, false, add_theorem, err);
    if (!code) code = mk_table_new(&counts, &count_schema, err);
    if (code) return code;
    mk_table_append(all, counts);
    mk_table_set_caption(rows ? rows : counts, "%s", caption);
    add_counts(counts, w);
    add_notes(counts, w);
    return MK_OK;
}

static int append_proposition(struct mk_table *all, struct bounds *w, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &regret_schema, err);
    mk_table_append(all, t);
    if (!code) code = mk_table_add_swept(t, w->info, NULL, err);
    if (code) return code;
    mk_table_set_caption(t,
                         "Proposition 4.1: regret R(T) <= max_k b_k / T times the pulls of other arms (non-negative, "
                         "bounded rewards)\n");
    return add_rows(w, t, true, add_regret, err);
}

static int append_claims(struct mk_table *all, struct bounds *w, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = new_theorem(&t, &claims_seen, w, err);
    if (code) return code;
    mk_table_append(all, t);
    mk_table_set_caption(t, "%sClaims of the experiment\n\n", w->o->variant == CLAIMS ? "\n" : "");
    for (size_t i = 0; i < w->e->n_claims; i++) {
        const struct mk_user_claim *c = &w->e->claim[i];
        mk_table_extend_caption(t, "  %s: %s %s %s\n", c->name, c->of == MK_USER_CLAIM_PULLS ? "N_i(T)" : "R(T)",
                                c->at_least ? ">=" : "<=", c->formula);
    }
    return add_rows(w, t, true, add_claims, err);
}

static int append_any_policy(struct mk_table *all, struct bounds *w, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = new_theorem(&t, &pulls_seen, w, err);
    if (code) return code;
    mk_table_append(all, t);
    mk_table_set_caption(t, "What no policy can stay below (Theorem 12 of the paper)\n");
    for (size_t column = P; column <= BOUND; column++) mk_table_drop_column(t, column);
    mk_table_drop_column(t, RATIO);
    mk_table_add_note(
        t, "lower: any policy that locks the arm out as rarely as is proved of this one has at least so many mean "
           "pulls. Locked out is an arm\nwith fewer than T / 2 pulls where it is the best: where some of its rewards "
           "lie beyond all other arms. L_opt and U are those of the arm\nitself, gap is the gap of the end points. "
           "vacuous: nothing is proved of its lock-outs. `maxk frontier` compares with those simulated.");
    return add_rows(w, t, false, add_any_policy, err);
}

/* What people see in place of the rows for programs. */
static int append_all(struct mk_table *all, struct bounds *w, struct mk_error *err)
{
    const int variant = w->o->variant;
    int code = MK_OK;
    w->people = true;
    mk_table_hide(all);
    if (variant == ANY_POLICY) return append_any_policy(all, w, err);
    if (variant != PROPOSITION && variant != CLAIMS) code = append_theorem(all, w, err);
    if (!code && !w->o->brief && variant != CLAIMS) code = append_proposition(all, w, err);
    if (code || w->o->brief || (variant != CLAIMS && (variant != ALL || w->e->n_claims == 0))) return code;
    return append_claims(all, w, err);
}

/* ---- the result ---- */

/* Certified bounds of everything that will be shown. */
static int certify(struct bounds *w, mk_progress_report *report, struct mk_error *err)
{
    const bool claims = w->o->variant == CLAIMS || (w->o->variant == ALL && !w->o->brief);
    const bool theorem = w->o->variant < PROPOSITION;
    struct mk_progress progress = {.report = report, .context = &(struct mk_progress_line){"certified bounds", 0, ""}};
    bool *of = malloc(2 * w->info->n_policies * sizeof *of);
    if (!of) return mk_fail_memory(err, "bounds");
    for (size_t p = 0; p < w->info->n_policies; p++) {
        of[p] = theorem && is_shown(w, p);
        of[w->info->n_policies + p] = claims && (!w->o->policy || is_shown(w, p));
    }
    int code = mk_bound_cells_certify(&w->cells, w->o->variant, of, of + w->info->n_policies, &progress, err);
    free(of);
    return code;
}

static void set_cells(struct mk_bound_cells *c, const struct bounds_options *o)
{
    c->options = mk_bound_lu_options();
    c->options.upper = (enum mk_lu_upper)o->upper;
    c->options.samples = o->samples;
    c->options.seed = o->seed;
    c->refinement = o->refinement;
    c->confidence = confidence;
    c->dkw = o->lu == DKW;
    /* L of one arm and U of another, each with half of the error. */
    if (c->dkw) c->options.confidence = 1 - (1 - confidence) / 2;
}

/* The experiment of the result, with plugins of the options. */
static int open_experiment(struct mk_experiment **e, struct bounds *w, mk_progress_report *report, struct mk_error *err)
{
    int code = mk_result_check_choosing(w->info, err);
    if (!code && w->o->policy)
        code = mk_result_find_policy(w->info, "maxk bounds: --policy", w->o->policy, &w->wanted, err);
    if (!code) code = mk_input_of_result(w->cells.result, &w->o->plugins, e, err);
    if (!code) code = mk_input_run_searches_with(*e, report, err);
    if (!code) code = mk_problem_by_pulls((*e)->problem, "bounds are", err);
    return code ? code : mk_problem_same_distribution((*e)->problem, "Theorem 4.2 and Proposition 4.1 are", err);
}

static int find_cells(struct bounds *w, struct mk_table *t, const char *path, const struct mk_table_call *call,
                      struct mk_error *err)
{
    struct mk_bound_cells *c = &w->cells;
    w->hidden = calloc(w->info->n_arms + 1, sizeof *w->hidden);
    w->order = malloc((w->info->n_arms + 1) * sizeof *w->order);
    if (!w->hidden || !w->order) return mk_fail_memory(err, "bounds");
    c->e = w->e;
    c->estimator = w->o->lu == BY_KIND ? mk_bound_lu_estimator(w->e->problem)
                   : c->dkw            ? MK_LU_PLUGIN
                                       : (enum mk_lu_estimator)w->o->lu;
    int code = mk_bound_cells_fill(c, err);
    if (!code) code = mk_table_certificates_open(&c->certificates, t, path, err);
    return code ? code : certify(w, call->report, err);
}

static int make_bounds(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct bounds w = {.o = call->options};
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    set_cells(&w.cells, w.o);
    w.cells.result = call->result;
    int code = call->result ? MK_OK : mk_result_open(&w.cells.result, call->input[0], err);
    if (code) return code;
    w.cells.info = w.info = mk_result_info(w.cells.result);
    code = open_experiment(&e, &w, call->report, err);
    w.e = e;
    if (!code) code = new_theorem(&t, &schema, &w, err);
    if (!code) code = find_cells(&w, t, call->input[0], call, err);
    if (!code) code = fill(t, &w, err);
    if (!code && call->further) code = append_all(t, &w, err);
    free(w.hidden);
    free(w.order);
    if (t) mk_table_certificates_close(w.cells.certificates, t);
    mk_bound_cells_clear(&w.cells);
    mk_experiment_free(e);
    if (!call->result) mk_result_free(w.cells.result);
    return mk_table_made(out, t, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    const char *const why = mk_table_choosing(r);
    return why ? why : mk_table_same_distribution(r);
}

static const struct bounds_options defaults = {
    .variant = ALL, .lu = BY_KIND, .refinement = MK_TABLE_REFINEMENT, .samples = 10000, .seed = 42};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct bounds_options, brief, "brief", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                    "only count the verdicts of Theorem 4.2"),
    MK_TABLE_OPTION(struct bounds_options, variant, "variant", 0, MK_OPT_CHOICE, "NAME",
                    "printed|sum|endpoint|figure_e5|crossing|explicit|all|proposition|claims|any_policy", 1, 0,
                    "form of the bound (default: all, which any_policy is not among)"),
    MK_TABLE_OPTION(struct bounds_options, lu, "lu", 0, MK_OPT_CHOICE, "NAME", "exact|trimmed|plugin|dkw", 1, 0,
                    "estimator of L and U (default: exact; plugin for recorded rewards); dkw: confidence bounds on "
                    "them"),
    MK_TABLE_OPTION(struct bounds_options, upper, "upper", 0, MK_OPT_CHOICE, "END", "own|global", 1, 0,
                    "upper end point b in L and U: the arm's own or the largest of the instance (default: own)"),
    MK_TABLE_OPTION(struct bounds_options, refinement, "refinement", 0, MK_OPT_REAL, "SHARE", NULL, 1e-4, 1,
                    "crossing: as in `maxk certify` (default: 0.2)"),
    MK_TABLE_OPTION(struct bounds_options, policy, "policy", 0, MK_OPT_TEXT, "LABEL", NULL, 1, 0, "only this policy"),
    MK_TABLE_OPTION(struct bounds_options, samples, "samples", 'n', MK_OPT_COUNT, "N", NULL, 1, 1e8,
                    "number of draws from each known distribution for the estimator plugin (default: 10000)"),
    MK_TABLE_OPTION(struct bounds_options, seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 1, 0,
                    "seed of the draws (default: 42)"),
    MK_TABLE_OPTION(struct bounds_options, plugins, "plugin", 0, MK_OPT_TEXTS, "FILE.so", NULL, 0, -1,
                    "load policies or families of your own (in place of the key `plugins`); may be repeated"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_bounds = {
    .usage =
        {"bounds", "RESULT.h5",
         "Compares bounds on the pulls and the regret of MaxUCB with what was simulated, and gives a verdict on "
         "each. The bounds are\n\n  printed, sum, endpoint, figure_e5  four readings of Theorem 4.2 of Balef et al. "
         "2025, for every suboptimal arm\n  crossing  a proved bound on the mean, computed from the distributions of "
         "all arms as by `maxk certify` (Theorems 1 and 6 of the paper that its help names); for two arms also from "
         "below, in the column lower; for max_ucb_burn_in with --variant crossing\n  explicit  a proved closed form "
         "in L_opt and the gap of the upper end points (Theorem 8)\n  any_policy  with --variant any_policy: the "
         "mean pulls that no policy can stay below which locks the arm out as rarely as is proved of this one "
         "(Theorem 12)\n  proposition  Proposition 4.1 of Balef et al. 2025 on the regret, for every policy; with "
         "--csv only by --variant proposition, with the regret in the columns mean_pulls, ci_low and "
         "ci_high\n\nRecorded arms stand for independent draws of their pooled rewards. The verdicts are\n\n  holds  "
         "the bound is not exceeded\n  violated  the 95 % confidence interval of the mean lies above the bound or "
         "below lower\n  vacuous  the bound is T or more\n  inconclusive  the data do not decide\n  not-applicable  "
         "an upper end point is infinite, or the policy is not max_ucb (shown only on request, or when there is no "
         "max_ucb policy)\n\nWith --lu dkw, L and U are confidence bounds that hold together with 95 %, shown in six "
         "further columns. The verdict is then the one that all values between them give, and crossing holds for "
         "every distribution within the bands of recorded arms.\n\nClaims of the experiment file (key `claims`) "
         "follow for every policy, with the name of the claim in the column variant and at_most or at_least in the "
         "column regime. A claim about regret has no arm.\n\nOf more than 100 arms, the tables list those of rank 1 "
         "to 10, 20, 50, 100 … by gap and the last, and crossing, which compares all pairs, only with --variant "
         "crossing. Verdicts count all arms, and --csv prints all.\n\nThe column unit is the difference of rewards "
         "that L_opt, U and gap take for 1, so that verdicts do not depend on the unit of the rewards where a policy "
         "scales them itself. It is 1 for scale: none, the largest upper end point of the arms for scale: "
         "global_max, and their range over scale_hi - scale_lo for scale: minmax, where rewards count from the "
         "smallest lower end point (in Proposition 4.1 too). Without a finite end point rows are not-applicable. "
         "Claims are evaluated in that unit; bounds on a regret are shown in the unit of the rewards.",
         1, 1},
    .group = "Theory against simulation",
    .summary = "compare the bounds on pulls and regret with what was simulated",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&schema, &count_schema, &regret_schema),
    .inapplicable = inapplicable,
    .make = make_bounds};
