/* Li et al. 2020, Theorem 1, Corollary 1 and Theorem 2: Rising Bandits on deterministic curves r_k(n) in [0, 1]. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/formulas.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

enum { MAX_ARMS = 5, WINDOW = 7, HORIZONS = 3 };
enum curve {
    EXPONENTIAL, /* b (1 - e^(-n/s)) */
    RATIONAL,    /* b n / (n + s) */
    STAIR,       /* the exponential one in steps of m pulls: not concave */
    LOOSE /* exponential minus d (T - n) / T w(n mod C), w periodic: not concave, yet eq. 15 holds with equality */
};

struct arm {
    enum curve kind;
    double b, s, d; /* d: depth of LOOSE, steps m of STAIR */
};

static const struct instance {
    const char *name;
    size_t arms;
    struct arm arm[MAX_ARMS];
    int concave;
    uint64_t C;
} instances[] = {
    {"three exponential arms", 3, {{EXPONENTIAL, .9, 20, 0}, {EXPONENTIAL, .7, 10, 0}, {EXPONENTIAL, .5, 5, 0}}, 1, 1},
    {"a slow best arm", 3, {{EXPONENTIAL, .95, 60, 0}, {EXPONENTIAL, .85, 8, 0}, {EXPONENTIAL, .8, 5, 0}}, 1, 1},
    {"rational arms",
     4,
     {{RATIONAL, .95, 10, 0}, {RATIONAL, .8, 5, 0}, {RATIONAL, .75, 3, 0}, {RATIONAL, .6, 2, 0}},
     1,
     1},
    {"five arms",
     5,
     {{EXPONENTIAL, .9, 10, 0},
      {EXPONENTIAL, .6, 10, 0},
      {EXPONENTIAL, .5, 8, 0},
      {RATIONAL, .5, 4, 0},
      {RATIONAL, .4, 2, 0}},
     1,
     1},
    {"loosely concave arms", 3, {{LOOSE, .9, 20, .05}, {LOOSE, .7, 10, .02}, {LOOSE, .5, 5, .02}}, 0, WINDOW},
    {"loosely concave arms, C = 1", 3, {{LOOSE, .9, 20, .05}, {LOOSE, .7, 10, .02}, {LOOSE, .5, 5, .02}}, 0, 1},
    {"a best arm in steps of 20",
     3,
     {{STAIR, .9, 60, 20}, {EXPONENTIAL, .7, 10, 0}, {EXPONENTIAL, .5, 5, 0}},
     0,
     WINDOW},
};

static const uint64_t horizons[HORIZONS] = {60, 200, 1000};

/* Rewards y[arm][n - 1] and the concave curves r above them. */
struct curves {
    const struct instance *in;
    uint64_t T;
    double *y[MAX_ARMS], *r[MAX_ARMS];
    size_t best;
    double most; /* largest reward of the policy */
    int kept;    /* the best arm is among those of the last K pulls */
};

static double concave(const struct arm *a, double n)
{
    return a->kind == RATIONAL ? a->b * n / (n + a->s) : -a->b * expm1(-n / a->s);
}

static double reward(const struct arm *a, double n, double T)
{
    /* the wiggle within C pulls; small enough for the curve to remain increasing where it is steep */
    double wiggle = (1 + sin(2 * M_PI * n / WINDOW)) / 2;
    if (a->kind == STAIR) return concave(a, a->d * floor((n - 1) / a->d) + 1);
    return concave(a, n) - (a->kind == LOOSE ? a->d * (T - n) / T * wiggle * fmin(1, concave(a, 1) / a->d) : 0);
}

static int make_curves(struct curves *w, struct mk_error *err)
{
    for (size_t k = 0; k < w->in->arms; k++) {
        w->y[k] = malloc(w->T * sizeof(double));
        w->r[k] = malloc(w->T * sizeof(double));
        if (!w->y[k] || !w->r[k]) return mk_fail_memory(err, "curves");
        for (uint64_t n = 1; n <= w->T; n++) {
            w->r[k][n - 1] = concave(&w->in->arm[k], (double)n);
            w->y[k][n - 1] = reward(&w->in->arm[k], (double)n, (double)w->T);
        }
    }
    return MK_OK;
}

/* Plays rising_bandit (growth over C pulls, rewards unscaled) on the curves y. */
static int play(struct curves *w, struct mk_error *err)
{
    const struct mk_policy_type *type = mk_policy_type_find("rising_bandit");
    double par[MK_MAX_PARAMS], cost[MAX_ARMS] = {1, 1, 1, 1, 1};
    uint64_t pulls[MAX_ARMS] = {0}, last_pull = 0;
    void *state = NULL;
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "C")] = (double)w->in->C;
    par[mk_param_find(type->params, "scale")] = 0; /* none */
    struct mk_setup setup = {.arms = w->in->arms, .horizon = w->T, .par = par, .best_arm = w->in->arms, .cost = cost};
    if (posix_memalign(&state, 64, type->state_size(&setup))) return mk_fail_memory(err, "a policy");
    type->init(state, &setup);
    w->most = 0;
    for (uint64_t t = 1; t <= w->T; t++) {
        size_t arm = type->select(state, t);
        double x = w->y[arm][pulls[arm]++];
        type->update(state, arm, x, t);
        w->most = fmax(w->most, x);
        if (arm == w->best) last_pull = t;
    }
    w->kept = last_pull + w->in->arms > w->T;
    free(state);
    return MK_OK;
}

/* The curves as recorded rewards, and the experiment that replays them: as files in the report's folder. */
static int write_files(struct mk_claim_report *r, const struct curves *w, struct mk_error *err)
{
    char text[512], path[MK_CLAIM_PATH + 64];
    const size_t number = r->n_experiments + 1;
    if (!r->options.folder) return MK_OK;
    snprintf(text, sizeof text,
             "name: rising_bandits_%zu\ntitle: %s\nproblem:\n  trajectories: rising_bandits_%zu.csv\n"
             "policies:\n  - {name: rising_bandit, C: %llu, scale: none}\n  - {name: uniform}\nhorizons: [%llu]\n",
             number, w->in->name, number, (unsigned long long)w->in->C, (unsigned long long)w->T);
    int code = mk_claim_write(r, text, err);
    if (code) return code;
    snprintf(path, sizeof path, "%s/rising_bandits_%zu.csv", r->options.folder, number);
    FILE *to = fopen(path, "w");
    if (!to) return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", path, strerror(errno));
    fputs("instance,arm,repetition,iteration,reward\n", to);
    for (size_t k = 0; k < w->in->arms; k++)
        for (uint64_t n = 0; n < w->T; n++) /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): made for all arms */
            fprintf(to, "curves,arm %zu,0,%llu,%.17g\n", k, (unsigned long long)n, w->y[k][n]);
    return mk_close_written(to, path, err);
}

static void emit(struct mk_claim_report *r, struct mk_claim_row *row, int applies, const char *why)
{
    row->verdict = applies ? mk_claim_judge_exact(row, 1e-12) : MK_VERDICT_NOT_APPLICABLE;
    if (!applies) row->note = why;
    mk_claim_emit(r, row);
}

static void emit_all(struct mk_claim_report *r, const struct curves *w)
{
    const struct instance *in = w->in;
    const double *const *y = (const double *const *)w->y;
    const uint64_t gamma = mk_rising_gamma(y, in->arms, w->best, in->C, w->T);
    const double regret = w->y[w->best][w->T - 1] - w->most;
    int loose = 1;
    for (size_t k = 0; k < in->arms; k++) loose &= mk_rising_is_loose(w->r[k], w->y[k], in->C, w->T);
#define WHERE                                                                                                          \
    "%s, T = %llu, C = %llu, gamma = %llu", in->name, (unsigned long long)w->T, (unsigned long long)in->C,             \
        (unsigned long long)gamma
    struct mk_claim_row row = mk_claim_row_start(MK_AT_MOST, "Theorem 1: R(T)", WHERE);
    row.expected = mk_rising_regret(w->y[w->best], in->arms, gamma, w->T);
    row.observed = regret;
    emit(r, &row, in->concave, "the rewards are not concave");
    row = mk_claim_row_start(MK_AT_MOST, "Corollary 1: R(T) (expected: that of round robin)", WHERE);
    row.expected = mk_rising_uniform_regret(y, in->arms, w->best, w->T);
    row.observed = regret;
    emit(r, &row, in->concave && gamma * in->arms <= w->T,
         in->concave ? "gamma(T) > T/K" : "the rewards are not concave");
    row = mk_claim_row_start(MK_EQUALS, "Theorem 2: the best arm is kept (up to its turn in the last K pulls)", WHERE);
    row.expected = 1;
    row.observed = w->kept;
    if (!w->kept) row.note = "dropped once it could no longer win: the algorithm has T - t pulls left, the proof T - n";
    emit(r, &row, loose, "eq. 15 does not hold");
#undef WHERE
}

/* Every instance at every horizon. */
static int check_rising_bandits(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    const struct instance *in = &instances[i / HORIZONS];
    const uint64_t T = horizons[i % HORIZONS];
    struct curves w = {.in = in, .T = T};
    int code = make_curves(&w, err);
    for (size_t k = 1; !code && k < in->arms; k++)
        if (w.y[k][T - 1] > w.y[w.best][T - 1]) w.best = k;
    if (!code) code = write_files(r, &w, err);
    if (!code) code = play(&w, err);
    if (!code) emit_all(r, &w);
    for (size_t k = 0; k < in->arms; k++) {
        free(w.y[k]);
        free(w.r[k]);
    }
    return code;
}

const struct mk_claim mk_claim_rising_bandits = {
    .name = "rising_bandits",
    .source = "Li et al. 2020, Theorem 1, Corollary 1, Theorem 2",
    .statement = "R(T) <= r(T) - r(T - (K-1) gamma(T)); no worse than round robin if gamma(T) <= T/K; the best arm is "
                 "kept if Delta(t)/Delta(t-C) <= (T-t)/(T-t+C)",
    .method = "deterministic curves: both sides are exact. gamma(T) from its definition [eq. 11]; growth over C pulls; "
              "rewards unscaled",
    .n = sizeof instances / sizeof *instances * HORIZONS,
    .check = check_rising_bandits,
};
