/* The record engine against the per-pull loop: the same pull counts on the same record tape (random problems, ties
 * included; in every second one the record engine chooses by a tournament), the same distribution on separate tapes,
 * and the published statistics of Appendix E.4. With an argument N the first part runs N random problems. Statistical
 * checks have fixed seeds; false-alarm rates are for an independent one. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/play/per_pull_loop.h"
#include "sim/run/engine/run.h"
#include "tests/support/check.h"
#include "tests/support/toy_arms.h"

enum { T_MAX = 10000 };

struct bench {
    double log_table[T_MAX + 1], cost[TOY_ARMS];
    struct mk_pcg64 policy_rng;
    uint64_t pulls[TOY_ARMS];
    struct mk_record_cursor at[TOY_ARMS];
    double *reward[TOY_ARMS]; /* [T_MAX] */
    size_t arm[TOY_ARMS];
};

static struct bench *bench_new(void)
{
    struct bench *b = calloc(1, sizeof *b);
    if (!b) exit(1);
    for (int t = 1; t <= T_MAX; t++) b->log_table[t] = log(t);
    for (size_t k = 0; k < TOY_ARMS; k++) {
        b->cost[k] = 1;
        b->arm[k] = k;
        b->reward[k] = malloc(T_MAX * sizeof(double));
        if (!b->reward[k]) exit(1);
    }
    return b;
}

static void bench_free(struct bench *b)
{
    for (size_t k = 0; k < TOY_ARMS; k++) free(b->reward[k]);
    free(b);
}

/* ---- on the same tape ---- */

static void random_arm(struct toy *w, size_t k, int kind, struct mk_pcg64 *g)
{
    double u = mk_uniform(g);
    switch (kind) {
    case 0: toy_curve_arm(w, k, 0, 0.9 + 0.1 * u, 1.0 / (double)(2 + mk_uniform_below(g, 5))); break;
    case 1: toy_curve_arm(w, k, 0, 1, -1 / (1 + u)); break;
    case 2: toy_curve_arm(w, k, -2, -u, -0.3); break;
    case 3: toy_steps_arm(w, k, 1 + mk_uniform_below(g, 8), 0, 0.125, 0); break;
    case 4: toy_steps_arm(w, k, 2, 0, 1, u); break;
    case 5: toy_curve_arm(w, k, 1, 1e-9 * u, 1); break;
    case 6: toy_clip_arm(w, k, u, 0.2, 0.9); break;
    case 7: toy_steps_arm(w, k, 2, 0, pow(10, 4 + (double)mk_uniform_below(g, 9)), u); break; /* bonuses are rounded */
    default: toy_steps_arm(w, k, 1, -1 + (double)mk_uniform_below(g, 2), 0, 0); break;
    }
}

/* Point masses at a largest reward that arms share, next to arms that come close to it. */
static void tied_arms(struct toy *w, size_t arms, struct mk_pcg64 *g)
{
    double top = pow(10, -3 + (double)mk_uniform_below(g, 16)); /* from 10^7 on bonuses are rounded early */
    for (size_t k = 0; k < arms; k++) {
        double u = mk_uniform(g);
        switch (mk_uniform_below(g, 6)) {
        case 0: toy_clip_arm(w, k, 0.1 + u, 0.2 * top, 0.9 * top); break;
        case 1: toy_steps_arm(w, k, 4, 0.6 * top, 0.1 * top, 0); break;
        case 2: toy_curve_arm(w, k, 0, (1 - pow(10, -6 * u)) * top, 0.3); break;
        default: toy_steps_arm(w, k, 2, 0, 0.9 * top, pow(u, 0.1)); break;
        }
    }
}

static void random_parameters(const struct mk_policy_type *type, struct mk_pcg64 *g, double *par)
{
    static const double alphas[] = {0, 1e-9, 0.1, 0.5, 1, 3, 30};
    mk_param_defaults(type->params, par);
    for (int i = 0; type->params && type->params[i].name; i++) {
        const struct mk_param *p = &type->params[i];
        uint64_t choices = 1;
        for (const char *c = p->kind == MK_CHOICE ? p->choices : ""; *c; c++) choices += *c == '|';
        if (p->kind == MK_CHOICE)
            par[i] = (double)mk_uniform_below(g, choices);
        else if (strcmp(p->name, "alpha") == 0)
            par[i] = mk_uniform_below(g, 2) ? alphas[mk_uniform_below(g, 7)] : 2 * mk_uniform(g);
        else if (p->kind == MK_INTEGER)
            par[i] = p->lo + (double)mk_uniform_below(g, mk_uniform_below(g, 4) ? 5 : 500);
    }
}

/* Rewards that have the records of the tape, after those taken one by one: between records the running maximum. */
static void rewards_of(struct toy *w, size_t k, int low, uint64_t skipped, uint64_t n, double *out)
{
    size_t hi = 0, lo = 0;
    double max = -INFINITY;
    for (uint64_t i = 0; i < skipped && i < n; i++) *out++ = mk_reward_tape_reward(w->tape, k, i);
    for (uint64_t i = 1; i + skipped <= n; i++) {
        const struct mk_record *fall = low ? mk_record_low(w->records, k, lo) : NULL;
        double x = max;
        if (fall && fall->n == i) {
            x = fall->x;
            lo++;
        }
        if (mk_record_high(w->records, k, hi)->n == i) x = max = mk_record_high(w->records, k, hi++)->x;
        *out++ = x;
    }
}

static bool is_scaled_by_range(const struct mk_policy_type *type, const double *par)
{
    int at = mk_param_find(type->params, "scale");
    return at >= 0 && par[at] == 2;
}

struct outcome {
    uint64_t pulls[TOY_ARMS], skipped;
    double best;
};

/* From records, in up to three stretches. */
static void by_records(const struct mk_policy_type *type, struct bench *b, struct mk_record_tape *records,
                       const struct mk_setup *s, void *state, struct mk_pcg64 cuts, struct outcome *out)
{
    struct mk_record_play play = {.records = &records->records, .pulls = b->pulls, .at = b->at};
    mk_pcg64_seed(s->rng, 9, 9);
    mk_record_play_start(&play, s->arms);
    type->init(state, s);
    uint64_t t = 1;
    for (int i = 0; i < 2 && t < s->horizon; i++) {
        uint64_t last = t + mk_uniform_below(&cuts, s->horizon - t);
        type->play_records(state, &play, t, last);
        t = last + 1;
    }
    type->play_records(state, &play, t, s->horizon);
    memcpy(out->pulls, b->pulls, s->arms * sizeof *b->pulls);
    out->best = play.best;
    out->skipped = records->records.skipped;
}

/* Round by round, select and update alone, looking at all arms. */
static void by_rounds(const struct mk_policy_type *type, struct bench *b, struct mk_reward_tape *tape,
                      const struct mk_setup *s, void *state, struct outcome *out)
{
    struct mk_play play = {.rewards = &tape->rewards, .pulls = b->pulls, .best = -INFINITY};
    struct mk_setup scan = *s;
    scan.tournament_from = SIZE_MAX;
    memset(b->pulls, 0, s->arms * sizeof *b->pulls);
    mk_pcg64_seed(s->rng, 9, 9);
    type->init(state, &scan);
    mk_play_rounds(state, &play, 1, s->horizon, type->select, type->update, NULL, NULL);
    memcpy(out->pulls, b->pulls, s->arms * sizeof *b->pulls);
    out->best = play.best;
}

static bool equal(const struct outcome *x, const struct outcome *y, size_t arms)
{
    return x->best == y->best && memcmp(x->pulls, y->pulls, arms * sizeof *x->pulls) == 0;
}

/* The same rewards as a recorded trajectory: read by the per-pull loop, and by the record engine off the data. */
static int same_on_data(const struct mk_policy_type *type, struct bench *b, struct toy *w, const struct mk_setup *s,
                        void *state, struct mk_pcg64 cuts, const struct outcome *records)
{
    struct mk_series series[TOY_ARMS];
    struct mk_instance in = {.name = w->name, .n_arms = s->arms, .arm = b->arm, .series = series};
    struct mk_problem p = {
        .source = &mk_source_trajectories, .n_instances = 1, .instance = &in, .n_arms = s->arms, .replications = 1};
    struct mk_reward_tape *tape = NULL;
    struct mk_record_tape *off_data = NULL;
    struct outcome rounds, data;
    for (size_t k = 0; k < s->arms; k++) {
        uint64_t length = records->pulls[k] + 1;
        if (length > T_MAX) length = T_MAX;
        rewards_of(w, k, is_scaled_by_range(type, s->par), records->skipped, length, b->reward[k]);
        series[k] = (struct mk_series){.reward = b->reward[k], .length = length};
    }
    if (mk_reward_tape_new(&tape, &p, 1, NULL) || mk_record_tape_new(&off_data, tape, NULL)) exit(1);
    mk_reward_tape_seek(tape, 0, 0);
    mk_record_tape_seek(off_data);
    by_rounds(type, b, tape, s, state, &rounds);
    by_records(type, b, off_data, s, state, cuts, &data);
    int same = equal(records, &rounds, s->arms) && equal(records, &data, s->arms) && !off_data->records.failed;
    mk_record_tape_free(off_data);
    mk_reward_tape_free(tape);
    return same;
}

static uint64_t random_horizon(struct mk_pcg64 *g, size_t arms)
{
    double span = log((double)T_MAX) - log((double)arms);
    return (uint64_t)((double)arms * exp(span * mk_uniform(g)));
}

static void same_tape(struct bench *b, const struct mk_policy_type *type, int problems)
{
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 21, 22);
    int same = 1, played = 0, first_bad = -1;
    for (int trial = 0; trial < problems; trial++) {
        struct toy w = {.name = ""};
        size_t arms = 1 + mk_uniform_below(&g, TOY_ARMS);
        int kind = (int)mk_uniform_below(&g, 12); /* 9: mixed; above: tied */
        for (size_t k = 0; k < arms && kind < 10; k++)
            random_arm(&w, k, kind < 9 ? kind : (int)mk_uniform_below(&g, 9), &g);
        if (kind > 9) tied_arms(&w, arms, &g);
        double par[MK_MAX_PARAMS];
        random_parameters(type, &g, par);
        struct mk_setup s = {.arms = arms,
                             .horizon = random_horizon(&g, arms),
                             .par = par,
                             .log = b->log_table,
                             .log_len = trial % 2 ? T_MAX + 1 : 100,
                             .rng = &b->policy_rng,
                             .best_arm = mk_uniform_below(&g, arms),
                             .cost = b->cost,
                             .tournament_from = trial % 2 ? 1 : SIZE_MAX};
        if (mk_policy_problem(type, par) || (type->no_records && type->no_records(par))) continue;
        void *state = aligned_alloc(64, (type->state_size(&s) + 127) & ~(size_t)63);
        struct outcome records;
        if (!state || !toy_open(&w, arms, (uint64_t)trial)) exit(1);
        toy_seek(&w, 0);
        by_records(type, b, w.records, &s, state, g, &records);
        int this_same = same_on_data(type, b, &w, &s, state, g, &records);
        if (!this_same && first_bad < 0) first_bad = trial;
        same &= this_same;
        played++;
        free(state);
        toy_close(&w);
    }
    CHECK(same && played > problems / 4,
          "%s: identical pull counts and maxima on %d random problems (first other one: %d)", type->name, played,
          first_bad);
}

/* ---- in distribution ---- */

static void power_arms(struct toy *w)
{
    static const double a[5] = {3, 4, 5, 5, 4}, s[5] = {1.01, 1.01, 1.01, 1.1, 1};
    for (size_t k = 0; k < 5; k++) toy_curve_arm(w, k, 0, pow(s[k], -a[k]), 1 / a[k]);
}

static void pareto_arms(struct toy *w)
{
    static const double shape[5] = {2.1, 2.3, 1.3, 1.1, 1.9};
    for (size_t k = 0; k < 5; k++) toy_curve_arm(w, k, 0, 1, -1 / shape[k]);
}

static void set(const struct mk_policy_type *type, double *par, const char *name, double value)
{
    par[mk_param_find(type->params, name)] = value;
}

/* N_i(T) and the largest reward of `n` replications, by either engine; values[arm or 5][horizon][replication]. */
static void sample(struct toy *w, struct bench *b, const struct mk_policy_type *type, const double *par, int records,
                   const uint64_t *T, size_t n_T, size_t n, double *values)
{
    struct mk_setup s = {.arms = 5,
                         .horizon = T[n_T - 1],
                         .par = par,
                         .log = b->log_table,
                         .log_len = T_MAX + 1,
                         .rng = &b->policy_rng,
                         .best_arm = 4,
                         .cost = b->cost};
    void *state = aligned_alloc(64, (type->state_size(&s) + 127) & ~(size_t)63);
    if (!state) exit(1);
    for (size_t r = 0; r < n; r++) {
        struct mk_play play = {.rewards = &w->tape->rewards, .pulls = b->pulls, .best = -INFINITY};
        struct mk_record_play jump = {.records = &w->records->records, .pulls = b->pulls, .at = b->at};
        toy_seek(w, r);
        mk_pcg64_seed(s.rng, r, 1);
        mk_record_play_start(&jump, 5);
        type->init(state, &s);
        for (size_t h = 0; h < n_T; h++) {
            uint64_t first = h ? T[h - 1] + 1 : 1;
            if (records)
                type->play_records(state, &jump, first, T[h]);
            else
                type->play(state, &play, first, T[h]);
            for (size_t k = 0; k < 5; k++) values[(k * n_T + h) * n + r] = (double)b->pulls[k];
            values[(5 * n_T + h) * n + r] = records ? jump.best : play.best;
        }
    }
    free(state);
}

static void same_law(struct bench *b, const char *policy, double scale, const char *what, size_t n)
{
    const uint64_t T[3] = {30, 300, 3000};
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    struct toy w = {.name = ""};
    double par[MK_MAX_PARAMS], *x = malloc(2 * 18 * n * sizeof *x), worst = 0;
    mk_param_defaults(type->params, par);
    if (scale > 0) set(type, par, "scale", scale);
    power_arms(&w);
    if (!x || !toy_open(&w, 5, 3)) exit(1);
    sample(&w, b, type, par, 0, T, 3, n, x);
    sample(&w, b, type, par, 1, T, 3, n, x + 18 * n);
    for (size_t i = 0; i < 18; i++) worst = fmax(worst, toy_ks(x + i * n, x + (18 + i) * n, n));
    CHECK(worst < 2.43,
          "%s: pull counts and maximum at T = 30, 300, 3000, %zu replications (KS %.2f, false alarms 3e-4)", what, n,
          worst);
    toy_close(&w);
    free(x);
}

/* ---- published statistics ---- */

static const char reference[] = "experiments/data/reference_e4.csv";

static void published_line(struct bench *b, char *line, int *cells, double *worst)
{
    char experiment[32], policy[32], *field[16], *rest = line;
    int n = 0;
    for (char *f; n < 16 && (f = strsep(&rest, ",")) != NULL;) field[n++] = f;
    if (n < 16 || strcmp(field[1], "max_ucb") != 0) return;
    snprintf(experiment, sizeof experiment, "%s", field[0]);
    snprintf(policy, sizeof policy, "%s", field[1]);
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    uint64_t T = strtoull(field[2], NULL, 10);
    enum { R = 20000 };
    struct toy w = {.name = ""};
    double par[MK_MAX_PARAMS], *x = malloc(6 * R * sizeof *x), mean[5], se[5];
    mk_param_defaults(type->params, par);
    set(type, par, "scale", 1);
    set(type, par, "ties", 1);
    set(type, par, "round_offset", -1);
    (strcmp(experiment, "e4_power") == 0 ? power_arms : pareto_arms)(&w);
    if (!x || !toy_open(&w, 5, 4)) exit(1);
    sample(&w, b, type, par, 1, &T, 1, R, x);
    char *m = field[14], *e = field[15];
    for (size_t k = 0; k < 5; k++) {
        double sum = 0, squares = 0;
        mean[k] = strtod(m, &m);
        se[k] = strtod(e, &e);
        for (size_t r = 0; r < R; r++) sum += x[k * R + r], squares += x[k * R + r] * x[k * R + r];
        double variance = squares / R - sum / R * sum / R;
        *worst = fmax(*worst, fabs(sum / R - mean[k]) / sqrt(se[k] * se[k] + variance / R));
        ++*cells;
    }
    toy_close(&w);
    free(x);
}

static void published(struct bench *b)
{
    FILE *f = fopen(reference, "r");
    CHECK(f != NULL, "%s is there", reference);
    if (!f) return;
    char line[1024];
    int cells = 0;
    double worst = 0;
    while (fgets(line, sizeof line, f)) published_line(b, line, &cells, &worst);
    fclose(f);
    CHECK(cells == 30 && worst < 4,
          "max_ucb as run in Appendix E.4: %d mean pull counts, largest |z| %.2f (false alarms 2e-3)", cells, worst);
}

/* ---- long horizons ---- */

static void long_horizons(struct bench *b)
{
    const uint64_t T[4] = {1000000, 1000000000, 1000000000000, MK_RECORD_LAST};
    const struct mk_policy_type *type = mk_policy_type_find("max_ucb");
    enum { R = 1000 };
    struct toy w = {.name = ""};
    double par[MK_MAX_PARAMS], *x = malloc(24 * R * sizeof *x);
    mk_param_defaults(type->params, par);
    power_arms(&w);
    if (!x || !toy_open(&w, 5, 6)) exit(1);
    sample(&w, b, type, par, 1, T, 4, R, x);
    int whole = 1;
    for (size_t h = 0; h < 4; h++)
        for (size_t r = 0; r < R; r++) {
            uint64_t sum = 0;
            for (size_t k = 0; k < 5; k++) sum += (uint64_t)x[(k * 4 + h) * R + r];
            whole &= sum == T[h];
        }
    CHECK(whole, "pull counts add up to T = 10^6, 10^9, 10^12 and 2^53");
    /* Means at 10^12 from an independent program: arm 2 62.21 +- .19, arm 3 22.935 +- .001 (200,000 replications). */
    static const double want[2] = {62.21, 22.935}, se[2] = {0.19, 0.001};
    for (size_t k = 2; k < 4; k++) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < R; r++) {
            double v = x[(k * 4 + 2) * R + r];
            sum += v, squares += v * v;
        }
        double own = (squares / R - sum / R * sum / R) / R,
               z = (sum / R - want[k - 2]) / sqrt(se[k - 2] * se[k - 2] + own);
        CHECK(fabs(z) < 4.5, "N_%zu(10^12) %.3f against %.3f (z = %.2f, false alarms 7e-6)", k, sum / R, want[k - 2],
              z);
    }
    toy_close(&w);
    free(x);
}

/* Counts of `random` at T = 10^12: mean T/K, variance T/K (1 - 1/K), covariance -T/K^2. */
static void random_counts(struct bench *b)
{
    const uint64_t T = 1000000000000;
    const struct mk_policy_type *type = mk_policy_type_find("random");
    enum { R = 2000 };
    struct toy w = {.name = ""};
    double *x = malloc(6 * R * sizeof *x), chi2 = 0, worst = 0, product = 0;
    power_arms(&w);
    if (!x || !toy_open(&w, 5, 6)) exit(1);
    sample(&w, b, type, NULL, 1, &T, 1, R, x);
    const double mean = 2e11, variance = 1.6e11;
    for (size_t k = 0; k < 5; k++) {
        double sum = 0;
        for (size_t r = 0; r < R; r++) {
            double d = x[k * R + r] - mean;
            sum += d;
            chi2 += d * d / (mean * R);
            if (k == 0) product += d * (x[R + r] - mean) / (variance * R);
        }
        worst = fmax(worst, fabs(sum) / sqrt(variance * R));
    }
    CHECK(worst < 4.5, "random at T = 10^12: means of the counts (largest |z| %.2f, false alarms 4e-5)", worst);
    /* sum of d^2 / mean is chi-square with 4 degrees of freedom per replication: mean 4, sd sqrt(8/R). */
    CHECK(fabs(chi2 - 4) < 4.5 * sqrt(8.0 / R), "their chi-square, on average %.3f against 4 (false alarms 7e-6)",
          chi2);
    CHECK(fabs(product + 0.25) < 4.5 * sqrt(1.1 / R), "their correlation %.3f against -0.25", product);
    toy_close(&w);
    free(x);
}

/* ---- choice of the engine ---- */

static void choice(void)
{
    struct mk_instance in = {.name = "x", .n_arms = 1};
    struct mk_problem p = {.source = &mk_source_arms, .n_instances = 1, .instance = &in, .n_arms = 1};
    struct mk_policy_entry entry[2] = {{.label = "m", .type = mk_policy_type_find("max_ucb")},
                                       {.label = "every reward"}};
    struct mk_policy_type plain = {.name = "plain"};
    uint64_t T[2] = {10, MK_RECORD_PAYS};
    struct mk_experiment e = {
        .problem = &p, .n_entries = 2, .entry = entry, .n_horizons = 2, .horizon = T, .replications = 1};
    struct mk_run_context c = {0};
    struct mk_error err = {0, ""};
    mk_param_defaults(entry[0].type->params, entry[0].par);
    entry[1].type = &plain;
    if (mk_run_context_init(&c, &e, NULL, &err)) exit(1);
    int ok = mk_run_choose(&c, MK_ENGINE_AUTO, &err) == MK_OK;
    CHECK(ok && !strcmp(mk_run_engine_name(&c, 0), "record") && !strcmp(mk_run_engine_name(&c, 1), "per-pull"),
          "auto: record where it pays and is allowed");
    e.n_horizons = 1;
    ok = mk_run_choose(&c, MK_ENGINE_AUTO, &err) == MK_OK;
    CHECK(ok && !strcmp(mk_run_engine_name(&c, 0), "per-pull"), "auto: per-pull at short horizons");
    ok = mk_run_choose(&c, MK_ENGINE_RECORD, &err) == MK_EINPUT && strstr(err.text, "every reward") != NULL;
    CHECK(ok, "record, where it is not allowed: %s", err.text);
    e.n_entries = 1;
    ok = mk_run_choose(&c, MK_ENGINE_RECORD, &err) == MK_OK && !strcmp(mk_run_engine_name(&c, 0), "record");
    CHECK(ok, "record, where it is");
    T[0] = MK_RECORD_LAST + 1;
    ok = mk_run_choose(&c, MK_ENGINE_RECORD, &err) == MK_EINPUT;
    CHECK(ok, "record, past 2^53: %s", err.text);
    mk_run_context_clear(&c);
}

int main(int argc, char **argv)
{
    int problems = argc > 1 ? atoi(argv[1]) : 0;
    struct bench *b = bench_new();
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *type = mk_policy_type_at(i);
        if (!type->play_records || strcmp(type->name, "random") == 0) continue;
        same_tape(b, type, problems ? problems : strcmp(type->name, "max_ucb") == 0 ? 8000 : 2000);
    }
    if (problems == 0) {
        same_law(b, "max_ucb", 0, "max_ucb", 8000);
        same_law(b, "max_ucb", 1, "max_ucb, scale global_max", 4000);
        same_law(b, "max_ucb", 2, "max_ucb, scale minmax", 4000);
        same_law(b, "max_ucb_burn_in", 0, "max_ucb_burn_in", 4000);
        same_law(b, "max_ucb_remaining", 0, "max_ucb_remaining", 4000);
        same_law(b, "max_ucb_horizon", 0, "max_ucb_horizon", 4000);
        same_law(b, "qomax_etc", 0, "qomax_etc", 4000);
        same_law(b, "greedy", 0, "greedy", 4000);
        same_law(b, "random", 0, "random", 4000);
        same_law(b, "uniform", 0, "uniform", 4000);
        published(b);
        long_horizons(b);
        random_counts(b);
        choice();
    }
    bench_free(b);
    return CHECK_EXIT;
}
