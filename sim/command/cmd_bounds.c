/* maxk bounds: Theorem 4.2 and Proposition 4.1 of Balef et al. 2025 against the simulated pulls and regret. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arms/arm_choice.h"
#include "analysis/arms/race.h"
#include "analysis/results/bound_cells.h"
#include "analysis/theory/bounds.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/command/kept_certificates.h"
#include "sim/command/options.h"
#include "sim/store/result.h"

enum { ALL = MK_BOUND_VARIANTS, PROPOSITION, CLAIMS }; /* after the variants among the choices */
enum { REGIMES = MK_REGIME_P_ABOVE_1 + 2, VERDICTS = MK_VERDICT_NOT_APPLICABLE + 1 };
enum { BY_KIND = -1 };           /* --lu not given: mk_bound_lu_estimator */
enum { DKW = MK_LU_PLUGIN + 1 }; /* after the estimators among the choices: bounds around plugin */

static const double confidence = 0.95; /* of L and U together */

struct bounds_report {
    struct mk_bound_cells cells;
    const struct mk_result_info *info; /* of cells */
    const struct mk_experiment *e;     /* of cells */
    struct mk_table_style style;
    struct mk_texts plugins;
    int lu, variant, brief;
    const char *policy;       /* requested label, or NULL */
    size_t wanted;            /* its position */
    bool *hidden;             /* [arm] not listed at the present instance and horizon */
    struct mk_arm_gap *order; /* [arm] room */
    struct mk_table_printer *table;
    uint64_t counts[MK_BOUND_VARIANTS][REGIMES][VERDICTS]; /* the last regime: none, not applicable */
};

/* Whether the bounds asked for are about this policy. */
static bool is_covered(const struct bounds_report *w, size_t policy)
{
    return mk_result_policy_has(w->info, policy,
                                w->variant == MK_BOUND_CROSSING ? MK_POLICY_RISING_BONUS : MK_POLICY_THEOREM_4_2);
}

/* The policies shown: the requested one; else those that the theorem is about, or all if there are none. */
static bool is_shown(const struct bounds_report *w, size_t policy)
{
    if (w->policy) return policy == w->wanted;
    if (is_covered(w, policy)) return true;
    for (size_t i = 0; i < w->info->n_policies; i++)
        if (is_covered(w, i)) return false;
    return true;
}

/* A row of Theorem 4.2, which is also counted. */
static void print_bound(void *context, struct mk_cell_index at, const struct mk_theorem_cell *c)
{
    struct bounds_report *w = context;
    struct mk_table_printer *t = w->table;
    const int no_p = isnan(c->bound.p);
    w->counts[c->variant][no_p ? REGIMES - 1 : (int)c->bound.regime][c->verdict]++;
    if (w->brief || w->hidden[c->arm]) return;
    mk_table_text(t, w->info->policy[at.policy]);
    mk_table_text(t, w->info->instance[at.instance]);
    mk_table_count(t, c->in.horizon);
    mk_table_count(t, c->arm);
    const double input[] = {c->in.alpha, c->in.L, c->in.U, c->bound.gap, c->bound.p};
    for (size_t i = 0; i < sizeof input / sizeof *input; i++) mk_table_real(t, input[i]);
    mk_table_text(t, no_p ? "" : mk_bound_regime_name(c->bound.regime));
    mk_table_text(t, mk_bound_variant_name(c->variant));
    const double value[] = {c->bound.value, c->mean, c->low, c->high, c->bound.value / c->mean};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
    mk_table_text(t, mk_verdict_name(c->verdict));
    mk_table_real(t, c->unit);
    const double further[] = {c->span.L_low,  c->span.L_high, c->span.U_low,
                              c->span.U_high, c->bound_low,   c->bound_high};
    for (size_t i = 0; w->cells.dkw && i < sizeof further / sizeof *further; i++) mk_table_real(t, further[i]);
}

/* A table for people lists some of many arms. */
static void choose_arms(struct bounds_report *w, struct mk_cell_index at)
{
    if (w->style.form || w->e->problem->instance[at.instance].n_arms <= MK_MANY_ARMS) return;
    const size_t n = mk_arms_by_gap(w->info->truth, at.instance, at.horizon, w->order);
    for (size_t k = 0; k < n; k++) w->hidden[w->order[k].arm] = !mk_arm_is_listed(k + 1, n);
}

static int print_theorem(struct bounds_report *w, struct mk_cell_index at, struct mk_error *err)
{
    return mk_bound_theorem(&w->cells, at, w->variant, print_bound, w, err);
}

/* A row of Proposition 4.1. As CSV among the theorem's columns: mean_pulls and its interval are the regret's. */
static int print_proposition(struct bounds_report *w, struct mk_cell_index at, struct mk_error *err)
{
    struct mk_regret_check c;
    struct mk_table_printer *t = w->table;
    int code = mk_bound_regret(&w->cells, at, &c, err);
    if (code) return code;
    mk_table_text(t, w->info->policy[at.policy]);
    mk_table_text(t, w->info->instance[at.instance]);
    mk_table_count(t, w->info->horizon[at.horizon]);
    if (w->style.form) {
        for (int empty = 0; empty < 6; empty++) mk_table_real(t, NAN);
        mk_table_text(t, "");
        mk_table_text(t, "proposition_4.1");
    }
    const double plain[] = {c.regret, c.regret_low, c.regret_high, c.bound, c.bound_low, c.bound_high};
    const double csv[] = {c.bound, c.regret, c.regret_low, c.regret_high, c.bound / c.regret};
    const double *value = w->style.form ? csv : plain;
    const size_t n = w->style.form ? sizeof csv / sizeof *csv : sizeof plain / sizeof *plain;
    for (size_t i = 0; i < n; i++) mk_table_real(t, value[i]);
    mk_table_text(t, mk_verdict_name(c.verdict));
    mk_table_real(t, mk_bound_reward_unit(&w->cells, at.policy, at.instance).unit);
    return MK_OK;
}

/* The columns of Theorem 4.2 for a claim of the experiment; regret: without an arm, its interval in the columns of the
 * pulls. */
static void print_claim(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *c)
{
    struct bounds_report *w = context;
    struct mk_table_printer *t = w->table;
    if (c->claim->of == MK_USER_CLAIM_PULLS && w->hidden[c->arm]) return;
    mk_table_text(t, w->info->policy[at.policy]);
    mk_table_text(t, w->info->instance[at.instance]);
    mk_table_count(t, w->info->horizon[at.horizon]);
    if (c->claim->of == MK_USER_CLAIM_PULLS)
        mk_table_count(t, c->arm);
    else
        mk_table_real(t, NAN);
    const double value[] = {c->alpha, c->L, c->U, c->gap, NAN};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
    mk_table_text(t, c->claim->at_least ? "at_least" : "at_most");
    mk_table_text(t, c->claim->name);
    const double result[] = {c->bound, c->observed, c->low, c->high, c->bound / c->observed};
    for (size_t i = 0; i < sizeof result / sizeof *result; i++) mk_table_real(t, result[i]);
    mk_table_text(t, mk_verdict_name(c->verdict));
    mk_table_real(t, c->unit);
    for (int further = 0; w->cells.dkw && further < 6; further++) mk_table_real(t, NAN);
}

static int print_claims(struct bounds_report *w, struct mk_cell_index at, struct mk_error *err)
{
    return mk_bound_user_claims(&w->cells, at, print_claim, w, err);
}

/* One table: `print` for every shown (or every) policy, instance and horizon. */
static int each_place(struct bounds_report *w, int every_policy,
                      int (*print)(struct bounds_report *, struct mk_cell_index, struct mk_error *),
                      struct mk_error *err)
{
    int code = MK_OK;
    for (size_t p = 0; !code && p < w->info->n_policies; p++) {
        int all = every_policy && !w->policy;
        if (!all && !is_shown(w, p)) continue;
        for (size_t i = 0; !code && i < w->info->n_instances; i++)
            for (size_t h = 0; !code && h < w->info->n_horizons; h++) {
                const struct mk_cell_index at = {p, i, h};
                choose_arms(w, at);
                code = print(w, at, err);
            }
    }
    return code;
}

/* claims: those of the experiment follow, for every policy. */
static int print_table(struct bounds_report *w, const char *columns, int every_policy, int claims,
                       int (*print)(struct bounds_report *, struct mk_cell_index, struct mk_error *),
                       struct mk_error *err)
{
    int code = mk_table_begin(&w->table, stdout, w->style, columns, err);
    if (!code) code = each_place(w, every_policy, print, err);
    if (!code && claims) code = each_place(w, 1, print_claims, err);
    code = mk_table_finish(w->table, code, err);
    w->table = NULL;
    return code;
}

static bool has_unbounded(const struct bounds_report *w)
{
    for (size_t k = 0; k < w->info->n_arms; k++)
        if (isinf(w->info->truth->support_high[k])) return true;
    return false;
}

static void print_notes(const struct bounds_report *w)
{
    printf(
        "\nL_opt and U: %s over the range of eps, b the %s upper end point. p = 2 L_opt alpha sqrt(gap); figure_e5 "
        "uses gap in\nplace of its root. p>1: the printed first term is negative, since it bounds a sum of t^-p for "
        "p < 1 only; p=1: its\nlimit form 1 + log T. A bound of T or more is vacuous. Intervals: 95 %% confidence "
        "intervals of the mean.\nTwo steps of the published proof need care: eq. 31 uses G_i(E[M_i(T)] - C) <= U_i "
        "C where Lemma 3.3 gives\nU_i (C + b_i - E[M_i(T)]), which the variant endpoint repairs; and the numbers of "
        "pulls n_1(t), n_i(t) are random,\nyet no union over their values is taken. Mean pulls may be dominated by "
        "rare runs that lock the best arm out:\n`maxk summary` also prints medians.\ncrossing: computed from the "
        "distributions of all arms by `maxk certify`, grids refined until that takes %g %% off\nat most, or to the fourth grid; explicit: a closed form in L_opt and "
        "the gap of the upper end points.\nBoth are proved, for the mean, and neither uses U.\n",
        mk_lu_estimator_name(w->cells.estimator), w->cells.options.upper == MK_UPPER_GLOBAL ? "instance's" : "arm's",
        100 * w->cells.refinement);
    for (size_t i = 0; i < w->info->n_policies; i++)
        if (is_shown(w, i) && is_covered(w, i) && mk_result_parameter(w->info, i, "scale") != 0)
            printf(
                "%s scales its rewards by what it has seen; the bound takes the limit of that map (unit) as fixed.\n",
                w->info->policy[i]);
    if (has_unbounded(w))
        printf("not-applicable: an arm has no finite upper end point, which all of these bounds but crossing need.\n");
    if (w->cells.dkw)
        printf("dkw: L and U lie in [L_low, L_high] and [U_low, U_high], both with probability %g%s; the verdict is "
               "the one that every\nbound in [bound_low, bound_high] gives, else inconclusive.\n",
               confidence,
               mk_problem_has(w->e->problem, MK_HAS_DISTRIBUTIONS)
                   ? ""
                   : ", provided that the range and b were not chosen from the data");
}

/* How often each variant got each verdict, by regime. */
static int print_counts(struct bounds_report *w, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_table_begin(&t, stdout, w->style,
                              "bound,regime,rows,holds,violated,vacuous,inconclusive,not-applicable", err);
    if (code) return code;
    for (int v = 0; v < MK_BOUND_VARIANTS; v++)
        for (int r = 0; r < REGIMES; r++) {
            uint64_t rows = 0;
            for (int verdict = 0; verdict < VERDICTS; verdict++) rows += w->counts[v][r][verdict];
            if (rows == 0) continue;
            mk_table_text(t, mk_bound_variant_name((enum mk_bound_variant)v));
            mk_table_text(t, r == REGIMES - 1 ? "none" : mk_bound_regime_name((enum mk_bound_regime)r));
            mk_table_count(t, rows);
            for (int verdict = 0; verdict < VERDICTS; verdict++) mk_table_count(t, w->counts[v][r][verdict]);
        }
    return mk_table_finish(t, MK_OK, err);
}

static int print_all(struct bounds_report *w, struct mk_error *err)
{
#define THEOREM                                                                                                        \
    "policy,instance,horizon,arm,alpha,L_opt,U,gap,p,regime,variant,bound,mean_pulls,ci_low,ci_high,ratio,verdict,"    \
    "unit"
    static const char usual[] = THEOREM, between[] = THEOREM ",L_low,L_high,U_low,U_high,bound_low,bound_high";
    const char *theorem = w->cells.dkw && w->variant != PROPOSITION ? between : usual;
    int code = MK_OK;
    if (w->style.form && w->variant == PROPOSITION) return print_table(w, theorem, 1, 0, print_proposition, err);
    if (w->style.form && w->variant == CLAIMS) return print_table(w, theorem, 1, 0, print_claims, err);
    if (w->style.form) return print_table(w, theorem, 0, w->variant == ALL, print_theorem, err);
    if (w->variant != PROPOSITION && w->variant != CLAIMS) {
        printf("Theorem 4.2 of Balef et al. 2025 and bounds that are proved: pulls of suboptimal arms\n\n");
        code = w->brief ? each_place(w, 0, print_theorem, err) : print_table(w, theorem, 0, 0, print_theorem, err);
        if (!w->brief) printf("\n");
        if (!w->brief) w->style.show = NULL; /* of the first table */
        if (!code) code = print_counts(w, err);
        if (!code) print_notes(w);
        printf("\n");
    }
    if (!code && !w->brief && w->variant != CLAIMS) {
        printf("Proposition 4.1: regret R(T) <= max_k b_k / T times the pulls of other arms (non-negative, bounded "
               "rewards)\n\n");
        code = print_table(w, "policy,instance,horizon,regret,ci_low,ci_high,bound,bound_low,bound_high,verdict,unit",
                           1, 0, print_proposition, err);
    }
    if (code || w->brief || (w->variant != CLAIMS && (w->variant != ALL || w->e->n_claims == 0))) return code;
    printf("\nClaims of the experiment\n\n");
    for (size_t i = 0; i < w->e->n_claims; i++)
        printf("  %s: %s %s %s\n", w->e->claim[i].name, w->e->claim[i].of == MK_USER_CLAIM_PULLS ? "N_i(T)" : "R(T)",
               w->e->claim[i].at_least ? ">=" : "<=", w->e->claim[i].formula);
    printf("\n");
    return print_table(w, theorem, 1, 0, print_claims, err);
}

/* Certified bounds of everything that print_all will show. */
static int certify(struct bounds_report *w, struct mk_error *err)
{
    const bool claims = w->variant == CLAIMS || (w->variant == ALL && !w->brief);
    const bool theorem = w->variant != PROPOSITION && w->variant != CLAIMS;
    struct mk_kept_certificates_progress progress;
    bool *of = malloc(2 * w->info->n_policies * sizeof *of);
    if (!of) return mk_fail_memory(err, "bounds");
    for (size_t p = 0; p < w->info->n_policies; p++) {
        of[p] = theorem && is_shown(w, p);
        of[w->info->n_policies + p] = claims && (!w->policy || is_shown(w, p));
    }
    int code = mk_bound_cells_certify(&w->cells, w->variant, of, of + w->info->n_policies,
                                      mk_kept_certificates_progress(&progress), err);
    mk_progress_line_clear();
    free(of);
    return code;
}

static int bounds(const char *path, struct bounds_report *w, struct mk_error *err)
{
    struct mk_bound_cells *c = &w->cells;
    struct mk_experiment *e = NULL;
    int code = mk_result_open(&c->result, path, err);
    if (code) return code;
    c->info = w->info = mk_result_info(c->result);
    code = mk_result_check_choosing(w->info, err);
    if (!code && w->policy) code = mk_result_find_policy(w->info, "maxk bounds: --policy", w->policy, &w->wanted, err);
    if (!code) code = mk_input_of_result(c->result, &w->plugins, &e, err);
    if (!code) code = mk_input_run_searches(e, err);
    if (!code) code = mk_problem_same_distribution(e->problem, "Theorem 4.2 and Proposition 4.1 are", err);
    w->hidden = calloc(w->info->n_arms + 1, sizeof *w->hidden);
    w->order = malloc((w->info->n_arms + 1) * sizeof *w->order);
    if (!code && !(w->hidden && w->order)) code = mk_fail_memory(err, "bounds");
    if (code) goto out;
    c->e = w->e = e;
    c->dkw = w->lu == DKW;
    c->estimator = w->lu == BY_KIND ? mk_bound_lu_estimator(e->problem)
                   : c->dkw         ? MK_LU_PLUGIN
                                    : (enum mk_lu_estimator)w->lu;
    code = mk_bound_cells_fill(c, err);
    if (!code) code = mk_kept_certificates_open(&c->certificates, path, err);
    if (!code) code = certify(w, err);
    if (!code) code = print_all(w, err);
out:
    free(w->hidden);
    free(w->order);
    mk_kept_certificates_close(c->certificates);
    mk_bound_cells_clear(c);
    mk_experiment_free(e);
    mk_result_free(c->result);
    return code;
}

int mk_cmd_bounds(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "bounds", "RESULT.h5",
        "Compares bounds with what was simulated: of Balef et al. 2025, Theorem 4.2 for every suboptimal arm of "
        "every max_ucb policy and Proposition 4.1 for every policy; beside Theorem 4.2, two bounds on the mean that "
        "are proved: crossing, computed from the distributions of all arms as by `maxk certify` (of max_ucb_burn_in "
        "too, with --variant crossing), and explicit, a closed form in L_opt and the gap of the upper end points. "
        "Recorded arms stand for independent draws of their pooled rewards. The verdicts are\n\n  holds  the bound is "
        "not "
        "exceeded\n  violated  the 95 % confidence interval of the mean lies above the bound\n  vacuous  the bound is "
        "T or more\n  inconclusive  the data do not decide\n  not-applicable  an infinite upper end point, or a policy "
        "other than max_ucb (shown only on request, or when there is no max_ucb policy)\n\nOf more than 100 arms "
        "the tables list those of rank 1 to 10, 20, 50, 100 … by gap and the last, and crossing, which compares all pairs, only with --variant crossing; verdicts count them all, and --csv "
        "prints them.\n\nWith --csv, Proposition "
        "4.1 is printed only by --variant proposition, with its regret in the columns mean_pulls, ci_low and ci_high. "
        "With --lu dkw the bounds are taken over simultaneous confidence bounds of L and U (95 % for both together), "
        "which six further columns show; the verdict is the one that all of them give; crossing then holds for every "
        "distribution within the bands of recorded arms.\n\nClaims of the experiment "
        "file (key `claims`) follow the theorem for every policy: the name of the claim in the column variant, at_most "
        "or at_least in the column regime; a claim about regret has no arm.\n\nThe column unit is the difference of "
        "rewards that L_opt, U and gap take for 1, so that verdicts do not depend on the unit in which rewards are "
        "written where a policy scales them itself. It is 1 for policies with scale: none; with scale: global_max the "
        "largest upper end point of the instance's arms; with scale: minmax their range over scale_hi - scale_lo, and "
        "rewards count from the smallest lower end point, in Proposition 4.1 too. Without a finite end point rows are "
        "not-applicable. Claims are evaluated in that unit; bounds on a regret are shown in that of the rewards.",
        1, 1};
    struct bounds_report w = {
        .cells = {.options = mk_bound_lu_options(), .refinement = MK_TABLE_REFINEMENT, .confidence = confidence},
        .lu = BY_KIND,
        .variant = ALL};
    uint64_t samples = w.cells.options.samples, seed = w.cells.options.seed;
    int upper = 0;
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(w.style),
        {"brief", 0, MK_OPT_FLAG, &w.brief, NULL, NULL, 1, 0, "only count the verdicts of Theorem 4.2"},
        {"variant", 0, MK_OPT_CHOICE, &w.variant, "NAME",
         "printed|sum|endpoint|figure_e5|crossing|explicit|all|proposition|claims", 1, 0,
         "form of the bound (default: all)"},
        {"lu", 0, MK_OPT_CHOICE, &w.lu, "NAME", "exact|trimmed|plugin|dkw", 1, 0,
         "estimator of L and U (default: exact; plugin for recorded rewards); dkw: confidence bounds on them"},
        {"upper", 0, MK_OPT_CHOICE, &upper, "END", "own|global", 1, 0,
         "upper end point b in L and U: the arm's own or the largest of the instance (default: own)"},
        {"refinement", 0, MK_OPT_REAL, &w.cells.refinement, "SHARE", NULL, 1e-4, 1,
         "crossing: as in `maxk certify` (default: 0.2)"},
        {"policy", 0, MK_OPT_TEXT, &w.policy, "LABEL", NULL, 1, 0, "only this policy"},
        {"samples", 'n', MK_OPT_COUNT, &samples, "N", NULL, 1, 1e8,
         "draws per synthetic arm for plugin (default: 10000)"},
        {"seed", 0, MK_OPT_COUNT, &seed, "N", NULL, 1, 0, "seed of the draws (default: 42)"},
        MK_PLUGIN_OPTION(&w.plugins),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    w.cells.options.upper = (enum mk_lu_upper)upper;
    w.cells.options.samples = samples;
    w.cells.options.seed = seed;
    /* L of one arm and U of another, each with half of the error. */
    if (w.lu == DKW) w.cells.options.confidence = 1 - (1 - confidence) / 2;
    return bounds(operand[0], &w, err);
}
