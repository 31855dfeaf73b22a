/* DACOpt (Nguyen, Kononova, Menzel, Sendhoff & Bäck 2022, IEEE Access 10, and its program): the arms are sub-spaces of
 * a search space, and each is searched by Bayesian optimisation.
 *
 * The contest by the highest value (compare: best, and rank, mean or median of all rewards): n0 pulls of each of the K
 * arms; then ever fewer arms, ceil(k / eta) of k, each floor(left / rounds / arms) more pulls, and the last one all
 * that are left (sim/search/plan/dacopt.h). Arms whose value equals that of the last one kept, at `digits` decimals,
 * are kept too, unless that would keep all: then those equal to it go.
 *
 * The contest by tests (compare: friedman): n0 pulls of each, then one of each survivor and round. After each round,
 * Friedman's test, of two arms Wilcoxon's, of the blocks [largest of the first n0, later rewards …] at level alpha; if
 * it rejects, an arm goes whose average rank is below the best by z = difference / sqrt(k (k + 1) / (6 n)) with a
 * p-value below alpha after Holm's correction. ranks: plain follows the program, whose z is the difference itself.
 *
 * Within a round each arm has its pulls in succession. Cost per pull O(1), at the end of a round O(K log K) (rank,
 * median and friedman: O(n log n) of the n rewards so far); memory 40 bytes per arm, for those three also 48 per pull.
 */
#include <gsl/gsl_cdf.h>

#include "policies/parts/history.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"
#include "sim/base/statistics.h"
#include "sim/search/models/significance.h"
#include "sim/search/plan/dacopt.h"

enum { N0, ETA, COMPARE, SHARE, DIGITS, ALPHA, RANKS, PARAMS };
enum { BEST, RANK, MEAN, MEDIAN, FRIEDMAN };
enum { STANDARD, PLAIN };

static const struct mk_param params[] = {
    {"n0", MK_INTEGER, 0, 10, 1, 1e9, NULL, "pulls of every arm in the first round; at most T / K"},
    {"eta", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 3, 1, INFINITY, NULL, "one in eta arms survives a round"},
    {"compare", MK_CHOICE, 0, BEST, 0, 0, "best|rank|mean|median|friedman", "statistic that decides which"},
    MK_DACOPT_SHARE_PARAM,
    {"digits", MK_INTEGER, 0, 5, 0, 15, NULL, "decimals at which values count as equal"},
    {"alpha", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0.05, 0, 1, NULL, "level of the tests"},
    {"ranks", MK_CHOICE, 0, STANDARD, 0, 0, "standard|plain",
     "friedman: differences of average ranks over their standard error, or as they are"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct contest {
    const struct mk_setup *setup;
    size_t arms;        /* that are left */
    size_t at;          /* position of the arm whose turn it is */
    uint64_t step;      /* pulls of each arm in this round */
    uint64_t turn;      /* of which the arm at `at` has had so many */
    uint64_t n0, round; /* rounds that are over */
    struct mk_arena arena;
    size_t *arm;                /* [K] ascending */
    double *best, *sum;         /* [K] by arm */
    uint64_t *pulls;            /* [K] */
    double *value;              /* [K] by position: the statistic */
    double *p;                  /* [K] by position */
    size_t *order;              /* [K] scratch */
    struct mk_history *history; /* [K] by arm; NULL: not needed */
    double *scratch;            /* numbers of all rewards so far */
    void *tests;                /* scratch memory of the tests */
};

static bool keeps_history(const struct mk_setup *s)
{
    return s->par[COMPARE] == RANK || s->par[COMPARE] >= MEDIAN;
}

static size_t scratch_length(const struct mk_setup *s)
{
    return (size_t)s->horizon + 2 * s->arms;
}

static size_t test_bytes(const struct mk_setup *s)
{
    const size_t pairs = mk_wilcoxon_bytes((size_t)s->horizon), holm = mk_holm_bytes(s->arms);
    return pairs > holm ? pairs : holm;
}

static size_t state_size(const struct mk_setup *s)
{
    const size_t of_arm = 2 * sizeof(size_t) + 4 * sizeof(double) + sizeof(uint64_t);
    size_t bytes = sizeof(struct contest) + s->arms * of_arm;
    if (keeps_history(s))
        bytes += s->arms * sizeof(struct mk_history) + scratch_length(s) * sizeof(double) +
                 mk_history_bytes(s->arms, (size_t)s->horizon);
    return bytes + (s->par[COMPARE] == FRIEDMAN ? test_bytes(s) : 0);
}

static void init_dacopt(void *state, const struct mk_setup *s)
{
    struct contest *c = state;
    const uint64_t most = s->horizon / s->arms ? s->horizon / s->arms : 1;
    *c = (struct contest){.setup = s, .arms = s->arms};
    c->n0 = s->par[N0] < (double)most ? (uint64_t)s->par[N0] : most;
    c->step = s->arms == 1 ? s->horizon : c->n0;
    c->arm = (size_t *)(c + 1);
    c->order = c->arm + s->arms;
    c->pulls = (uint64_t *)(c->order + s->arms);
    c->best = (double *)(c->pulls + s->arms);
    c->sum = c->best + s->arms;
    c->value = c->sum + s->arms;
    c->p = c->value + s->arms;
    for (size_t i = 0; i < s->arms; i++) {
        c->arm[i] = i;
        c->best[i] = -INFINITY;
        c->sum[i] = 0;
        c->pulls[i] = 0;
    }
    if (!keeps_history(s)) return;
    c->history = (struct mk_history *)(c->p + s->arms);
    memset(c->history, 0, s->arms * sizeof *c->history);
    c->scratch = (double *)(c->history + s->arms);
    char *memory = (char *)(c->scratch + scratch_length(s));
    c->arena = (struct mk_arena){memory, memory + mk_history_bytes(s->arms, (size_t)s->horizon), NULL};
    c->tests = c->arena.end;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct contest *c = state;
    return c->arm[c->at];
}

/* ---- statistics ---- */

/* Reward i of the arm at a position; of a block of the tests, the 0th is the largest of the first n0. */
static double reward_at(const struct contest *c, size_t position, size_t i, bool of_block)
{
    const double *x = c->history[c->arm[position]].x;
    if (!of_block) return x[i];
    if (i) return x[c->n0 + i - 1];
    double most = x[0];
    for (size_t j = 1; j < c->n0; j++) most = fmax(most, x[j]);
    return most;
}

/* rank[n][arms], 1 for the largest reward of a row. */
static void rank_rows(struct contest *c, size_t n, bool of_block, double *rank)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < c->arms; a++) c->value[a] = reward_at(c, a, i, of_block);
        mk_rank_values(c->value, c->arms, 0, rank + i * c->arms, c->order);
    }
}

static double median(struct contest *c, const struct mk_history *h)
{
    memcpy(c->scratch, h->x, h->n * sizeof *c->scratch);
    mk_sort_values(c->scratch, h->n);
    return mk_quantile_sorted(c->scratch, h->n, 0.5);
}

/* value[position], larger is better. */
static void set_values(struct contest *c)
{
    const int compare = (int)c->setup->par[COMPARE];
    if (compare == RANK) {
        const size_t n = c->history[c->arm[0]].n;
        rank_rows(c, n, false, c->scratch);
        for (size_t a = 0; a < c->arms; a++) {
            c->value[a] = 0;
            for (size_t i = 0; i < n; i++) c->value[a] -= c->scratch[i * c->arms + a] / (double)n;
        }
        return;
    }
    for (size_t a = 0; a < c->arms; a++) {
        const size_t k = c->arm[a];
        c->value[a] = compare == BEST   ? c->best[k]
                      : compare == MEAN ? c->sum[k] / (double)c->pulls[k]
                                        : median(c, &c->history[k]);
    }
}

/* ---- the end of a round ---- */

/* Keeps the arms with keep[position] != 0. */
static void keep_arms(struct contest *c, const double *keep)
{
    size_t kept = 0;
    for (size_t a = 0; a < c->arms; a++)
        if (keep[a] != 0) c->arm[kept++] = c->arm[a];
    c->arms = kept;
}

static double rounded(const struct contest *c, double x)
{
    const double unit = pow(10, c->setup->par[DIGITS]), up = nearbyint(x * unit) / unit;
    return isfinite(up) ? up : x;
}

/* The best ceil(k / eta) and those equal to the last of them. */
static void keep_highest(struct contest *c)
{
    const size_t wanted = mk_dacopt_next(c->arms, c->setup->par[ETA]);
    size_t kept = 0, above = 0;
    set_values(c);
    mk_rank_values(c->value, c->arms, 0, c->p, c->order);
    const double last = rounded(c, c->value[c->order[wanted - 1]]);
    for (size_t a = 0; a < c->arms; a++) {
        kept += rounded(c, c->value[a]) >= last;
        above += rounded(c, c->value[a]) > last;
    }
    /* one: it is the first; all: the equal ones go; all equal: the first ones stay */
    const bool first_only = wanted == 1 || (kept == c->arms && !above), only_above = kept == c->arms && above;
    for (size_t r = 0; r < c->arms; r++) {
        const size_t a = c->order[r];
        const double x = rounded(c, c->value[a]);
        c->p[a] = first_only ? r < wanted : only_above ? x > last : x >= last;
    }
    keep_arms(c, c->p);
}

/* Whether the blocks differ. mean[position] <- average ranks. */
static bool differ(struct contest *c, size_t n, double *mean)
{
    struct mk_friedman f;
    struct mk_wilcoxon w = {.p_two_sided = 1};
    double *rank = c->scratch;
    rank_rows(c, n, true, rank);
    mk_friedman_test(rank, n, c->arms, mean, &f);
    if (c->arms == 2) {
        for (size_t i = 0; i < n; i++) rank[i] = reward_at(c, 0, i, true) - reward_at(c, 1, i, true);
        mk_wilcoxon_in(c->tests, rank, n, MK_ZEROS_DROP, 0, &w);
    }
    return (c->arms == 2 ? w.p_two_sided : f.p_ties) <= c->setup->par[ALPHA];
}

static void keep_undefeated(struct contest *c)
{
    const size_t n = (size_t)c->round + 1;
    const double k = (double)c->arms;
    const double unit = c->setup->par[RANKS] == PLAIN ? 1 : sqrt(k * (k + 1) / (6 * (double)n));
    double *mean = c->value;
    size_t best = 0;
    if (!differ(c, n, c->p)) return;
    memcpy(mean, c->p, c->arms * sizeof *mean); /* `value` was scratch memory of the ranking */
    for (size_t a = 1; a < c->arms; a++)
        if (mean[a] < mean[best]) best = a;
    for (size_t a = 0; a < c->arms; a++)
        c->p[a] = a == best ? NAN : 2 * gsl_cdf_ugaussian_Q((mean[a] - mean[best]) / unit);
    mk_holm_in(c->tests, c->p, c->arms, c->p);
    for (size_t a = 0; a < c->arms; a++) c->p[a] = a == best || c->p[a] >= c->setup->par[ALPHA];
    keep_arms(c, c->p);
}

static void end_round(struct contest *c, uint64_t t)
{
    const struct mk_setup *s = c->setup;
    const uint64_t left = s->horizon > t ? s->horizon - t : 1;
    c->at = 0;
    if (s->par[COMPARE] == FRIEDMAN) {
        if (c->round && c->arms > 1) keep_undefeated(c);
        c->step = c->arms == 1 ? left : 1;
    } else {
        do {
            const unsigned rounds = mk_dacopt_rounds(c->arms, s->par[ETA]);
            keep_highest(c);
            c->step = mk_dacopt_share(left, rounds, c->arms, (enum mk_dacopt_share)s->par[SHARE]);
        } while (c->step == 0);
    }
    c->round++;
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct contest *c = state;
    c->best[arm] = fmax(c->best[arm], reward);
    c->sum[arm] += reward;
    c->pulls[arm]++;
    if (c->history) mk_history_add(&c->history[arm], &c->arena, reward);
    if (++c->turn < c->step) return;
    c->turn = 0;
    if (++c->at == c->arms && c->arms > 1)
        end_round(c, t);
    else if (c->at == c->arms)
        c->at = 0;
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_dacopt = {
    .name = "dacopt",
    .summary = "DACOpt's contest of sub-spaces, by value or by tests",
    .formula =
        "n0 pulls of each arm; then the best ceil(k / eta) of k arms have floor(left / rounds / arms) more pulls "
        "each, the last one all that are left; compare=friedman: one pull of each survivor and round, and arms "
        "go that Friedman's test and Holm's correction find worse than the best",
    .reference = "Nguyen et al. 2022 (IEEE Access 10) and its program",
    .departures =
        "the tests divide differences of average ranks by "
        "their standard error: ranks=plain restores the program; their first block is the largest of the first n0 "
        "rewards, where the program takes the largest of all but the last n - n_init_sample; arms that equal "
        "the last one kept, at `digits` decimals, are kept too, unless that would keep all",
    .cost = "O(1), O(K log K) per round (tests, ranks, medians: O(t log t))",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .state_size = state_size,
    .init = init_dacopt,
    .select = select_arm,
    .update = update,
    .play = play,
};
