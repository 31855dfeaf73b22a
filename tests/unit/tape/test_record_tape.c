/* Records drawn directly have the distribution of the records of drawn rewards; waits down to success probabilities of
 * 1e-300; determinism, limits, records read off data. Statistical checks have fixed seeds; their false-alarm rates are
 * for an independent seed. */
#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"
#include "tests/support/toy_arms.h"

enum { N = 20000, LONG = 400, KINDS = 8 };

static void add_arms(struct toy *w)
{
    toy_curve_arm(w, 0, 0, 1, 0.25);      /* power, bounded */
    toy_curve_arm(w, 1, 0, 1, -1 / 1.1);  /* Pareto */
    toy_curve_arm(w, 2, 5, -1, -0.5);     /* heavy lower tail */
    toy_steps_arm(w, 3, 2, 0, 1, 0.7);    /* Bernoulli(0.3) */
    toy_steps_arm(w, 4, 8, 0.1, 0.1, 0);  /* eight values */
    toy_clip_arm(w, 5, 0.5, 0.3, 0.99);   /* point masses at both ends */
    toy_steps_arm(w, 6, 1, 0.4, 0, 0);    /* constant */
    toy_clip_arm(w, 7, 0.01, -1, 0.9999); /* nearly all mass at the top */
}
static const char *const kind_name[KINDS] = {"power",        "Pareto",  "heavy lower tail", "Bernoulli",
                                             "eight values", "clipped", "constant",         "clipped at the top"};

/* Number of records among the first n pulls and the value of the last of them. */
static size_t up_to(struct mk_record_tape *records, size_t k, uint64_t n, int low, double *x)
{
    size_t i = 0;
    for (;; i++) {
        const struct mk_record *r = low ? mk_record_low(records, k, i) : mk_record_high(records, k, i);
        if (r->n > n) return i;
        *x = r->x;
    }
}

/* The same from rewards. */
static size_t from_rewards(struct mk_reward_tape *tape, size_t k, uint64_t n, int low, double *x)
{
    size_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        double reward = mk_reward_tape_reward(tape, k, i);
        if (i && !(low ? reward < *x : reward > *x)) continue;
        *x = reward;
        count++;
    }
    return count;
}

struct compared {
    double records[2][4][N], rewards[2][4][N]; /* after 7 and LONG pulls: maximum, minimum, numbers of records, range */
};

static void look(struct compared *c, struct mk_reward_tape *tape, struct mk_record_tape *records, size_t k, size_t r)
{
    const uint64_t at[2] = {7, LONG};
    for (int i = 0; i < 2; i++) {
        double hi = 0, lo = 0;
        c->records[i][2][r] = (double)up_to(records, k, at[i], 1, &lo) + 100 * (double)up_to(records, k, at[i], 0, &hi);
        c->records[i][0][r] = hi, c->records[i][1][r] = lo, c->records[i][3][r] = hi - lo;
        c->rewards[i][2][r] =
            (double)from_rewards(tape, k, at[i], 1, &lo) + 100 * (double)from_rewards(tape, k, at[i], 0, &hi);
        c->rewards[i][0][r] = hi, c->rewards[i][1][r] = lo, c->rewards[i][3][r] = hi - lo;
    }
}

/* Largest Kolmogorov-Smirnov statistic over arm k of n replications. */
static double compare(struct mk_reward_tape *tape, struct mk_record_tape *records, size_t k, size_t n)
{
    static struct compared c;
    double worst = 0;
    for (size_t r = 0; r < n; r++) {
        mk_reward_tape_seek(tape, 0, r);
        mk_record_tape_seek(records);
        look(&c, tape, records, k, r);
    }
    for (int i = 0; i < 2; i++)
        for (int s = 0; s < 4; s++) worst = fmax(worst, toy_ks(c.records[i][s], c.rewards[i][s], n));
    return worst;
}

static void check_distributions(void)
{
    static struct toy w;
    add_arms(&w);
    if (!toy_open(&w, KINDS, 5)) exit(1);
    for (size_t k = 0; k < KINDS; k++) {
        double worst = compare(w.tape, w.records, k, N);
        /* 64 statistics, each above 2.43 with probability at most 1.5e-5: one false alarm in 1000 seeds. */
        CHECK(worst < 2.43, "%s: maximum, minimum, range and numbers of records after 7 and %d pulls (KS %.2f)",
              kind_name[k], LONG, worst);
    }
    toy_close(&w);
}

/* The families of the registry, with wrappers and mixtures, as an experiment file gives them. */
static const char families_text[] =
    "name: families\nproblem:\n  arms:\n"
    "    - {family: power, a: 3, s: 1.01}\n"
    "    - {family: truncated_gaussian, mu: 0.75, sigma: 0.2, lo: 0, hi: 1}\n"
    "    - {family: gaussian, mu: 1, sigma: 2}\n"
    "    - {family: pareto, shape: 1.1, scale: 1}\n"
    "    - {family: exponential, mean: 2.9}\n"
    "    - {family: negative_exponential, rate: 1}\n"
    "    - {family: uniform, lo: -1, hi: 2}\n"
    "    - {family: beta, a: 2, b: 3}\n"
    "    - {family: lognormal, mu: 1, sigma: 4}\n"
    "    - {family: generalized_normal, beta: 0.4, mu: 0, scale: 1}\n"
    "    - {family: weibull, shape: 0.7, scale: 2}\n"
    "    - {family: gev, shape: -0.3, location: 0, scale: 1}\n"
    "    - {family: generalized_pareto, shape: 0.5, location: 0, scale: 1}\n"
    "    - {family: skew_normal, shape: -20, location: 0.9, scale: 0.1}\n"
    "    - {family: bernoulli, p: 0.02}\n"
    "    - {family: dirac, x: 0.5}\n"
    "    - {family: empirical, values: [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]}\n"
    "    - {family: mixture, weights: [0.8, 0.2], components: [{family: dirac, x: 0}, {family: pareto, shape: 1.1}]}\n"
    "    - {family: gaussian, mu: 0, sigma: 1, clip: [-0.5, 1.5]}\n"
    "    - {family: exponential, mean: 1, truncate: [0.5, 3], shift: 1, factor: 2}\n";

static void families(void)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    struct mk_reward_tape *tape = NULL;
    struct mk_record_tape *records = NULL;
    int code = mk_experiment_parse(&e, "families", families_text, strlen(families_text), MK_NEED_PROBLEM, &err);
    CHECK(code == MK_OK, "arms of all families %s", err.text);
    if (code || mk_reward_tape_new(&tape, e->problem, 3, NULL) || mk_record_tape_new(&records, tape, NULL)) exit(1);
    double worst = 0;
    char name[64] = "";
    for (size_t k = 0; k < e->problem->n_arms; k++) {
        double ks = compare(tape, records, k, N / 10);
        if (!(ks <= worst)) snprintf(name, sizeof name, "%s", e->problem->dist[k]->type->name);
        worst = fmax(worst, ks);
    }
    for (size_t i = 0; i < mk_dist_type_count(); i++) {
        const struct mk_dist_type *type = mk_dist_type_at(i);
        int there = (type->flags & MK_DIST_WRAPPER) != 0;
        for (size_t k = 0; k < e->problem->n_arms; k++) there |= e->problem->dist[k]->type == type;
        CHECK(there, "%s is among them (a new family needs an arm in families_text of this file)", type->name);
    }
    CHECK(worst < 2.72, "records of %zu registered arms against rewards (largest KS %.2f, %s; false alarms 1e-4)",
          e->problem->n_arms, worst, name);
    mk_record_tape_free(records);
    mk_reward_tape_free(tape);
    mk_experiment_free(e);
}

static void waits(void)
{
    static const double s[] = {0.9, 0.5, 0.03, 1e-3};
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 11, 13);
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        double count[6] = {0}, chi2 = 0;
        for (int r = 0; r < N; r++) { /* classes: W = 1, 2, 3, up to the quartile beyond, …, the rest */
            double u = pow(1 - s[i], mk_record_wait(&g, s[i]) - 1); /* P(W >= w): uniform, rounded up to the steps */
            count[(int)fmin(5, floor(6 * (1 - u)))]++;
        }
        for (int c = 0; c < 6; c++) { /* P(class) by summing the geometric distribution itself */
            double p = 0, tail = 1;
            for (int w = 1; tail > 1e-14; w++, tail *= 1 - s[i])
                if ((int)fmin(5, floor(6 * (1 - pow(1 - s[i], w - 1)))) == c) p += tail * s[i];
            if (p > 0) chi2 += (count[c] - N * p) * (count[c] - N * p) / (N * p);
        }
        CHECK(chi2 < 35.9,
              "geometric waits, s = %g (chi-square %.1f, at most 5 degrees of freedom, false alarms < 1e-6)", s[i],
              chi2);
    }
    static const double tiny[] = {1e-8, 1e-17, 1e-100, 1e-300};
    for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++) {
        double x[N], largest = 0;
        for (int r = 0; r < N; r++) x[r] = -expm1(-tiny[i] * mk_record_wait(&g, tiny[i]));
        qsort(x, N, sizeof *x, toy_compare);
        for (int r = 0; r < N; r++)
            largest = fmax(largest, fmax(fabs(x[r] - r / (double)N), fabs(x[r] - (r + 1) / (double)N)));
        CHECK(largest * sqrt(N) < 2.43, "s * wait is exponential, s = %g (KS, false alarms 1.5e-5)", tiny[i]);
    }
    double wait = mk_record_wait(&g, 1);
    CHECK(wait == 1, "certain success: wait 1");
}

/* No stream is known that starts with a given word, so small uniforms are examined where they occur. */
static void dense(void)
{
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 17, 19);
    int small = 0, coarse = 0;
    for (int i = 0; i < 30000000; i++) {
        double u = mk_uniform_dense(&g);
        if (u >= 0x1p-21) continue;
        small++;
        coarse += u * 0x1p53 == floor(u * 0x1p53) + 0.5;
    }
    /* 30e6 2^-21 = 14.3 expected; at most 45 with probability 1 - 1e-9, at least 1 with 1 - 6e-7. */
    CHECK(small > 0 && small < 45 && coarse == 0, "uniforms below 2^-21 (%d met) have more bits than the grid of 2^-53",
          small);
}

static void order(void)
{
    static struct toy w;
    add_arms(&w);
    if (!toy_open(&w, KINDS, 5)) exit(1);
    int rising = 1, same = 1, ended = 1;
    double total = 0, square = 0;
    enum { M = 4000 };
    for (uint64_t r = 0; r < M; r++) {
        toy_seek(&w, r);
        double x = 0, first[KINDS], again[KINDS];
        for (size_t k = 0; k < KINDS; k++) {
            double count = (double)up_to(w.records, k, MK_RECORD_LAST, 0, &x);
            first[k] = x + count;
            if (k == 1) total += count, square += count * count;
            for (size_t i = 0; (double)i + 1 < count; i++) {
                struct mk_record p = *mk_record_high(w.records, k, i), q = *mk_record_high(w.records, k, i + 1);
                rising &= p.n < q.n && p.x < q.x && p.s > q.s && q.s >= 0;
            }
            ended &= mk_record_high(w.records, k, (size_t)count)->n == MK_RECORD_NEVER;
            ended &= mk_record_high(w.records, k, (size_t)count + 100)->n == MK_RECORD_NEVER;
        }
        toy_seek(&w, r + 1);
        up_to(w.records, 0, 50, 0, &x);
        toy_seek(&w, r); /* other order, low records first, in small steps */
        for (size_t k = KINDS; k-- > 0;) {
            up_to(w.records, k, 100, 1, &x);
            for (uint64_t n = 1; n <= MK_RECORD_LAST; n *= 2) again[k] = (double)up_to(w.records, k, n, 0, &x);
            again[k] += x;
            same &= again[k] == first[k];
        }
    }
    CHECK(rising, "pull numbers and values rise strictly and the tails fall, for %d tapes of %d kinds of arms", M,
          KINDS);
    CHECK(same, "a tape does not depend on the order in which it is read");
    CHECK(ended, "no record beyond 2^53 pulls");
    /* Renyi 1962: n draws of a continuous distribution have sum_{j<=n} 1/j records on average, variance sum 1/j -
     * 1/j^2; for
     * n = 2^53: 37.3140 and 35.6691 (mpmath harmonic). |z| < 4.5: false alarms 7e-6. */
    double z = (total / M - 37.3140) / sqrt(35.6691 / M);
    CHECK(fabs(z) < 4.5, "mean number of records in 2^53 pulls (z = %.2f)", z);
    double variance = square / M - total / M * total / M;
    CHECK(fabs(variance / 35.6691 - 1) < 4.5 * sqrt(2.0 / M) * 1.1, "its variance (%.2f against 35.67)", variance);
    toy_close(&w);
}

static void data(void)
{
    double reward[2][6] = {{1, 1, 3, 2, 3, 4}, {0, -1, -1, -2, 5, 5}};
    struct mk_series series[2] = {{.reward = reward[0], .length = 6}, {.reward = reward[1], .length = 6}};
    size_t arm[2] = {0, 1};
    struct mk_instance in = {.name = "x", .n_arms = 2, .arm = arm, .series = series};
    struct mk_problem p = {
        .source = &mk_source_trajectories, .n_instances = 1, .instance = &in, .n_arms = 2, .replications = 1};
    struct mk_reward_tape *tape = NULL;
    struct mk_record_tape *records = NULL;
    if (mk_reward_tape_new(&tape, &p, 1, NULL) || mk_record_tape_new(&records, tape, NULL)) exit(1);
    mk_reward_tape_seek(tape, 0, 0);
    mk_record_tape_seek(records);
    const uint64_t high[2][4] = {{1, 3, 6, MK_RECORD_NEVER}, {1, 5, MK_RECORD_NEVER, MK_RECORD_NEVER}};
    const uint64_t low[2][4] = {{1, MK_RECORD_NEVER, MK_RECORD_NEVER, MK_RECORD_NEVER}, {1, 2, 4, MK_RECORD_NEVER}};
    int same = 1;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 4; i++)
            same &= mk_record_high(records, k, i)->n == high[k][i] && mk_record_low(records, k, i)->n == low[k][i];
    CHECK(same && mk_record_high(records, 0, 2)->x == 4 && mk_record_low(records, 1, 2)->x == -2,
          "records read off data");
    uint64_t pulls[2];
    struct mk_record_cursor at[2];
    struct mk_record_play play = {.records = &records->records, .pulls = pulls, .at = at};
    mk_record_play_start(&play, 2);
    mk_record_pull_all(&play, 0, 6);
    CHECK(pulls[0] == 6 && at[0].max == 4 && play.best == 4 && !records->records.failed,
          "all of a trajectory can be played");
    mk_record_pull_all(&play, 0, 1);
    CHECK(records->records.failed, "a pull past its end is a failure");
    mk_record_tape_free(records);
    mk_reward_tape_free(tape);
}

int main(void)
{
    waits();
    dense();
    check_distributions();
    families();
    order();
    data();
    return CHECK_EXIT;
}
