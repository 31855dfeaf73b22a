/* The best that any policy can do on a small problem, exactly, and what its policies reach (analysis/theory/optimum.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/theory/optimum.h"
#include "distributions/candidates.h"
#include "distributions/dist.h"
#include "sim/base/error.h"

struct optimum_options {
    struct mk_counts horizons;
};

#define COLUMNS(X)                                                                                                     \
    X(HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                                 \
    X(POLICY, "policy", TEXT, "", "label of the policy, or who else plays")                                            \
    X(VALUE, "expected_max", REAL, "rewards", "its E[M(T)], the mean over all orders of the arms")                     \
    X(SHARE, "share", REAL, "", "(expected_max - that of uniform) / (that of the optimum - that of uniform)")          \
    X(LOSS, "loss", REAL, "rewards", "expected_max of the optimum minus its own")                                      \
    X(ABOUT, "about", TEXT, "", "what it knows, or why it has no exact value")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("the optimum", columns, NULL);

/* ---- the arms ---- */

static int add_value(struct mk_discrete_arms *a, double x)
{
    size_t i = 0;
    while (i < a->values && a->value[i] < x) i++;
    if (i < a->values && a->value[i] == x) return MK_OK;
    if (a->values == MK_OPTIMUM_VALUES) return MK_EINPUT;
    memmove(a->value + i + 1, a->value + i, (a->values - i) * sizeof *a->value);
    a->value[i] = x;
    a->values++;
    return MK_OK;
}

/* The values that the arm takes with positive probability, and whether there are no others. */
static bool take_values(struct mk_discrete_arms *a, const struct mk_dist *d)
{
    const size_t n = mk_dist_breaks(d, NULL);
    double low, high, sum = 0, *x = malloc((n + 2) * sizeof *x);
    bool all = x != NULL;
    if (!x) return false;
    mk_dist_breaks(d, x);
    mk_dist_support(d, &low, &high);
    x[n] = low;
    x[n + 1] = high;
    for (size_t i = 0; i < n + 2 && all; i++) {
        bool seen = !isfinite(x[i]);
        for (size_t j = 0; j < i; j++) seen |= x[j] == x[i];
        const double p = seen ? 0 : mk_dist_between(d, x[i], x[i]);
        sum += p;
        if (p > 0) all = !add_value(a, x[i]);
    }
    free(x);
    return all && fabs(sum - 1) < 1e-12;
}

static int read_arms(struct mk_discrete_arms *a, const struct mk_experiment *e, struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    *a = (struct mk_discrete_arms){.arms = p->n_arms};
    if (!p->source->known)
        return mk_fail(err, MK_EINPUT, "%s: problem: expected arms with known distributions", e->file);
    if (p->n_arms < 2 || p->n_arms > MK_OPTIMUM_ARMS)
        return mk_fail(err, MK_EINPUT, "%s: problem: expected 2 to %d arms, got %zu", e->file, MK_OPTIMUM_ARMS,
                       p->n_arms);
    for (size_t k = 0; k < p->n_arms; k++)
        if (!take_values(a, p->dist[k]))
            return mk_fail(err, MK_EINPUT,
                           "%s: %s: expected rewards with 2 to %d values over all arms, such as bernoulli, dirac "
                           "and empirical",
                           e->file, p->arm_label[k], MK_OPTIMUM_VALUES);
    if (a->values < 2) return mk_fail(err, MK_EINPUT, "%s: problem: all rewards are equal", e->file);
    for (size_t k = 0; k < p->n_arms; k++)
        for (size_t v = 0; v < a->values; v++) a->p[k][v] = mk_dist_between(p->dist[k], a->value[v], a->value[v]);
    return MK_OK;
}

/* ---- the policies ---- */

enum { MOST_STATE = 8192 }; /* bytes of a policy that is played */

enum { EVEN, BAYES_MAX, BAYES_NEXT, OWN }; /* the first policies of a game, before those of the file */

/* A policy of the file whose choices are a function of its bonus. */
struct player {
    const struct mk_policy_entry *entry;
    struct mk_setup setup;
};

struct game {
    const struct mk_experiment *e;
    struct mk_discrete_arms arms;
    size_t n; /* policies, OWN included */
    struct mk_count_policy policy[MK_OPTIMUM_POLICIES];
    struct player player[MK_OPTIMUM_POLICIES];
};

static double bonus_at(const struct mk_policy_entry *entry, const struct mk_setup *setup, uint64_t t, uint64_t n)
{
    const unsigned flags = mk_policy_bonus_flags(entry->type, entry->par);
    if (entry->type->bonus) return entry->type->bonus(setup, t, n);
    if (!(flags & MK_POLICY_RISING_BONUS) || entry->type->flags & MK_POLICY_BURN_IN) return NAN;
    const double root = mk_policy_entry_parameter(entry, "alpha") *
                        pow(log((double)t + mk_policy_entry_parameter(entry, "round_offset")),
                            mk_policy_entry_parameter(entry, "power")) /
                        (double)n;
    return root * root;
}

static double bonus_of(const void *of, uint64_t t, uint64_t n)
{
    const struct player *p = of;
    return bonus_at(p->entry, &p->setup, t, n);
}

/* A policy over candidates that are the arms: what it chooses depends on how often every arm has had every reward. */
static bool is_played(const struct mk_policy_entry *entry, const struct mk_setup *setup)
{
    return entry->candidates && entry->candidates->borrowed && entry->type->state_size(setup) <= MOST_STATE;
}

static size_t choose(const void *of, const struct mk_discrete_arms *a, uint64_t t, const uint64_t *count)
{
    const struct player *p = of;
    const struct mk_policy_type *type = p->entry->type;
    _Alignas(64) unsigned char state[MOST_STATE];
    uint64_t round = 0;
    type->init(state, &p->setup);
    for (size_t i = 0; i < a->arms; i++)
        for (size_t v = 0; v + 1 < a->values; v++)
            for (uint64_t n = 0; n < count[i * (a->values - 1) + v]; n++) type->update(state, i, a->value[v], ++round);
    return type->select(state, t);
}

/* Why a policy has no exact value here; NULL: it has. */
static const char *refusal(const struct mk_policy_entry *entry, const struct mk_setup *setup)
{
    if (is_played(entry, setup)) return NULL;
    if (isnan(bonus_at(entry, setup, 2, 1)))
        return "its choices are no function of largest rewards, pulls and the round";
    return mk_policy_entry_parameter(entry, "scale") > 0 ? "it scales rewards by what it has seen" : NULL;
}

/* The policies of a game of this length. */
static int list_policies(struct game *g, uint64_t horizon, struct mk_error *err)
{
    g->policy[EVEN] = (struct mk_count_policy){.rule = MK_COUNT_EVEN};
    g->policy[BAYES_MAX] = (struct mk_count_policy){.rule = MK_COUNT_BAYES_MAX};
    g->policy[BAYES_NEXT] = (struct mk_count_policy){.rule = MK_COUNT_BAYES_NEXT};
    g->n = OWN;
    for (size_t i = 0; i < g->e->n_entries; i++) {
        const struct mk_policy_entry *entry = &g->e->entry[i];
        const struct mk_setup setup = {
            .arms = g->arms.arms, .horizon = horizon, .par = entry->par, .candidates = entry->candidates};
        if (refusal(entry, &setup)) continue;
        if (g->n == MK_OPTIMUM_POLICIES)
            return mk_fail(err, MK_EINPUT, "%s: policies: expected at most %d with an exact value", g->e->file,
                           MK_OPTIMUM_POLICIES - OWN);
        struct player *p = &g->player[g->n];
        *p = (struct player){entry, setup};
        g->policy[g->n++] =
            (struct mk_count_policy){.rule = is_played(entry, &setup) ? MK_COUNT_PLAYED : MK_COUNT_BONUS,
                                     .random_ties = mk_policy_entry_parameter(entry, "ties") > 0,
                                     .bonus = bonus_of,
                                     .choose = choose,
                                     .of = p};
    }
    return MK_OK;
}

/* ---- rows ---- */

static void add_optimum_row(struct mk_table *t, uint64_t horizon, const char *policy, double value,
                            const struct mk_optimum *best, double even, const char *about)
{
    mk_table_set_count(t, HORIZON, horizon);
    mk_table_set_text(t, POLICY, policy);
    mk_table_set_real(t, VALUE, value);
    mk_table_set_real(t, SHARE, best->optimum > even ? (value - even) / (best->optimum - even) : NAN);
    mk_table_set_real(t, LOSS, best->optimum - value);
    mk_table_set_text(t, ABOUT, about);
    mk_table_end_row(t);
}

static void add_rows(struct mk_table *t, const struct game *g, uint64_t horizon, const struct mk_optimum *best,
                     const double *value)
{
    const double even = value[EVEN];
    size_t next = OWN;
    add_optimum_row(t, horizon, "clairvoyant", best->clairvoyant, best, even, "knows which arm is which");
    add_optimum_row(t, horizon, "best arm", best->best_arm, best, even, "knows which arm is best, and pulls no other");
    add_optimum_row(t, horizon, "optimum", best->optimum, best, even,
                    "no policy that knows the arms up to their order is better");
    add_optimum_row(t, horizon, "bayes_max", value[BAYES_MAX], best, even,
                    "largest posterior E[max of the remaining rounds] of an arm");
    add_optimum_row(t, horizon, "bayes_next", value[BAYES_NEXT], best, even,
                    "the same of the next round: expected improvement");
    for (size_t i = 0; i < g->e->n_entries; i++) {
        const struct mk_policy_entry *entry = &g->e->entry[i];
        const bool exact = next < g->n && g->player[next].entry == entry;
        const struct mk_setup setup = {
            .arms = g->arms.arms, .horizon = horizon, .par = entry->par, .candidates = entry->candidates};
        add_optimum_row(t, horizon, entry->label, exact ? value[next] : NAN, best, even,
                        exact ? "" : refusal(entry, &setup));
        next += exact;
    }
    add_optimum_row(t, horizon, "each in turn", even, best, even, "pulls an arm with the fewest pulls");
}

static int add_horizon(struct mk_table *t, struct game *g, uint64_t horizon, struct mk_error *err)
{
    struct mk_optimum best;
    double value[MK_OPTIMUM_POLICIES];
    if (horizon > MK_OPTIMUM_HORIZON)
        return mk_fail(err, MK_EINPUT, "%s: horizons: expected at most %d, got %llu", g->e->file, MK_OPTIMUM_HORIZON,
                       (unsigned long long)horizon);
    int code = list_policies(g, horizon, err);
    if (!code) code = mk_optimum_find(&best, value, &g->arms, horizon, g->policy, g->n, err);
    if (code) return code;
    add_rows(t, g, horizon, &best, value);
    mk_table_add_note(t, "T = %llu: %.0f states.", (unsigned long long)horizon, mk_optimum_states(&g->arms, horizon));
    return MK_OK;
}

static int make_optimum(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct optimum_options *o = call->options;
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    struct game *g = calloc(1, sizeof *g);
    int code = g ? mk_table_open(&e, &mk_table_optimum, call, err) : mk_fail_memory(err, "a game");
    if (!code) {
        g->e = e;
        code = mk_problem_by_pulls(e->problem, "optima are", err);
    }
    if (!code) code = read_arms(&g->arms, e, err);
    if (!code) code = mk_table_new(&t, &schema, err);
    const size_t n = code ? 0 : o->horizons.n ? o->horizons.n : e->n_horizons;
    if (!code && n == 0)
        code = mk_fail(err, MK_EINPUT, "maxk optimum: --horizons: missing, and %s has none", call->input[0]);
    for (size_t h = 0; h < n && !code; h++)
        code = add_horizon(t, g, o->horizons.n ? o->horizons.value[h] : e->horizon[h], err);
    mk_experiment_free(e);
    free(g);
    return mk_table_made(out, t, code, err);
}

static const struct optimum_options defaults = {{0}};
static const struct mk_table_option options[] = {MK_TABLE_OPTION(struct optimum_options, horizons, "horizons", 0,
                                                                 MK_OPT_COUNTS, "T,T,…", NULL, 1, MK_OPTIMUM_HORIZON,
                                                                 "horizons (default: those of the file)"),
                                                 MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_optimum = {
    .usage =
        {"optimum", "FILE.yaml|-",
         "Prints the largest E[M(T)] that any policy can have on a small problem, and the E[M(T)] of the policies of "
         "the file. The difference is what is left to gain. E[M(T)] is the expected largest reward of T pulls. Nothing "
         "is simulated; the values are exact.\n\n  expected_max  E[M(T)], the mean over all orders of the arms\n  "
         "share  (expected_max - that of each in turn) / (that of the optimum - that of each in turn)\n  loss  "
         "expected_max of the optimum minus that of this row\n  about  what the policy knows, or why it has no exact "
         "value\n\nEvery horizon has these rows next to the policies of the file:\n\n  clairvoyant  the best policy "
         "that knows which arm is which\n  best arm  a policy that knows which arm is the best, and pulls no other\n  "
         "optimum  the best policy that knows the arms up to their order (the Bayes optimum)\n  bayes_max  the policy "
         "that pulls the arm with the largest posterior mean of the maximum of all remaining rounds, as if all were "
         "spent on this arm\n  bayes_next  the same for the next round alone (expected improvement)\n  each in turn  "
         "the policy that pulls an arm with the fewest pulls\n\nThe arms have rewards with few values: bernoulli, "
         "dirac, empirical, and mixtures of these. The arms are known up to their order, and every order is as likely "
         "as any other. A policy begins with this knowledge, or with none.\n\nValues are computed by backward "
         "induction over how often each arm has given each value. A policy has a value if it chooses by largest "
         "rewards, numbers of pulls and the round: MaxUCB with any bonus, greedy, and policies of plugins with a "
         "bonus; bayes_max has one if its candidates are the arms, which is its default. Other policies, and those that scale rewards, are listed without a value.\n\nThe number of states "
         "grows fast: there are C(t + d - 1, d - 1) after t pulls, with d = K (S - 1) for K arms and S values. With K "
         "= 2 and S = 3, T = 50 takes a second. Up to 2e8 states are allowed.",
         1, 1},
    .group = "Theory against simulation",
    .summary = "exact values of the best possible and of given policies on a small problem",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema),
    .make = make_optimum};
