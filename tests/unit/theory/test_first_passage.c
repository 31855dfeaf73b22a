/* First passages of record processes: against 50 digits, closed forms, and simulated record processes. */
#include "analysis/theory/certificates/first_passage.h"

#include "tests/support/check.h"

/* The barrier of the lemma with K = 3: x + c_T (1/m^2 - 1/s^2) for s >= m, x - c_(s+m+2) (1/s^2 - 1/m^2) below. */
struct lemma {
    double x, alpha, m, horizon;
};

static double lemma_level(const void *of, uint64_t count, enum mk_side side)
{
    const struct lemma *l = of;
    (void)side;
    double s = (double)count, t = s >= l->m ? l->horizon : s + l->m + 2, root = l->alpha * log(t);
    return l->x + root * root * (1 / (l->m * l->m) - 1 / (s * s));
}

static double flat_level(const void *of, uint64_t count, enum mk_side side)
{
    (void)count;
    (void)side;
    return *(const double *)of;
}

static struct mk_dist *make(const char *family, double parameter)
{
    struct mk_dist *d = NULL;
    struct mk_error err;
    int code = family[0] == 'p'   ? mk_dist_make(&d, family, &err, parameter, 1.0)
               : family[0] == 'e' ? mk_dist_make(&d, family, &err, NAN, parameter)
                                  : mk_dist_make(&d, family, &err, parameter);
    CHECK(code == MK_OK, "%s %g", family, parameter);
    return d;
}

static struct mk_passage *passage(void)
{
    struct mk_passage *p = NULL;
    struct mk_error err;
    CHECK(mk_passage_new(&p, &err) == MK_OK, "work space");
    return p;
}

/* mpmath, 50 digits: sum of d_s = F(g_s)^s - sum_{r<s} d_r F(g_s)^(s-r) over all s (tests/reference/certificate.py). */
static const struct {
    const char *family;
    double parameter, x, alpha;
    unsigned m, horizon;
    double p;
} known[] = {
    {"power", 4, 0.97, 0.5, 30, 200, 0.24353926564166503},
    {"power", 4, 0.97, 0.5, 5, 60, 1.0},
    {"power", 1, 0.6, 0.5, 40, 120, 0.044647550844548999},
    {"power", 0.5, 0.3, 0.2, 25, 80, 0.22768050831742161},
    {"exponential", 0.2, 0.9, 0.3, 20, 100, 0.97830588866227806},
    {"exponential", 0.5, 0.4, 1, 12, 90, 0.0068743127632707899},
    {"power", 4, 0.9, 2, 150, 400, 3.4028412047327059e-12},
};

static void test_known(void)
{
    struct mk_passage *p = passage();
    size_t blocks = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = make(known[i].family, known[i].parameter);
        const struct mk_known_cdf f = {.dist = d};
        const struct lemma l = {known[i].x, known[i].alpha, known[i].m, known[i].horizon};
        const struct mk_barrier g = {lemma_level, &l, 1, known[i].horizon - known[i].m - 2};
        const double want = known[i].p;
        for (double tolerance = 0.2; tolerance > 1e-9; tolerance /= 10) {
            double above = mk_passage_probability(p, &f, &g, tolerance, MK_FROM_ABOVE);
            blocks += p->n;
            CHECK(above >= want && above <= want * (1 + tolerance + 1e-8), "case %zu, tolerance %g: %.15g from above",
                  i, tolerance, above / want - 1);
            double below = mk_passage_probability(p, &f, &g, tolerance, MK_FROM_BELOW);
            CHECK(below <= want && below >= want * (1 - tolerance - 1e-8), "case %zu, tolerance %g: %.15g from below",
                  i, tolerance, below / want - 1);
        }
        mk_dist_free(d);
    }
    /* Work is quadratic in the blocks: no more of them than the tolerance asks for. */
    CHECK(blocks < 3200, "%zu blocks for all cases and tolerances", blocks);
    mk_passage_free(p);
}

/* The recursion alone, over times whose distances equal, double and repeat sums of earlier times, against
 * d_b = F_b^t_b - sum_{a<b} d_a F_b^(t_b - t_a) in long double. */
static void test_solve(void)
{
    static const uint64_t time[] = {1, 2, 5, 8, 21, 50, 51, 52, 155};
    enum { TIMES = sizeof time / sizeof *time };
    struct mk_passage *p = passage();
    long double mass[TIMES], survive = 1;
    p->n = TIMES;
    for (size_t b = 0; b < TIMES; b++) {
        p->time[b] = time[b];
        p->rate[b] = 1.5 / (double)(b + 1);
        mass[b] = expl(-(long double)p->rate[b] * time[b]);
        for (size_t a = 0; a < b; a++) mass[b] -= mass[a] * expl(-(long double)p->rate[b] * (time[b] - time[a]));
        survive -= mass[b];
    }
    mk_passage_solve(p, MK_FROM_ABOVE);
    for (size_t b = 0; b < TIMES; b++)
        CHECK_CLOSE(p->mass[b], (double)mass[b], 1e-11, "first passage at time %g", (double)time[b]);
    CHECK_CLOSE(p->survive, (double)survive, 1e-11, "no passage at any of the times");
    mk_passage_free(p);
}

/* A flat barrier is passed by the first reward or not at all. */
static void test_flat(void)
{
    struct mk_passage *p = passage();
    struct mk_dist *d = make("bernoulli", 0.01), *e = make("power", 3);
    const struct mk_known_cdf coin = {.dist = d}, power = {.dist = e};
    double at = 0.5, below = -0.5, top = 1;
    struct mk_barrier g = {flat_level, &at, 1, 1000000000000};
    CHECK_CLOSE(mk_passage_probability(p, &coin, &g, 0.1, MK_FROM_ABOVE), 0.99, 1e-10, "a coin at 1/2, from above");
    CHECK_CLOSE(mk_passage_probability(p, &power, &g, 0.1, MK_FROM_ABOVE), 0.125, 1e-10, "a power arm at 1/2");
    CHECK(p->n < 100, "10^12 rewards in %zu blocks", p->n);
    CHECK_CLOSE(p->survive, 0.875, 1e-10, "and what does not pass");
    g.of = &below;
    CHECK(mk_passage_probability(p, &coin, &g, 0.1, MK_FROM_ABOVE) == 0 && p->survive == 1, "out of reach");
    g.of = &top;
    CHECK_CLOSE(mk_passage_probability(p, &coin, &g, 0.1, MK_FROM_ABOVE), 1, 1e-10, "certain");
    CHECK(mk_passage_probability(p, &coin, &g, 0.1, MK_FROM_BELOW) <= 1, "certain, from below");
    g.first = 7;
    g.last = 7;
    g.of = &at;
    CHECK_CLOSE(mk_passage_probability(p, &power, &g, 0.1, MK_FROM_BELOW), ldexp(1, -21), 1e-10, "a single count");
    mk_dist_free(d);
    mk_dist_free(e);
    mk_passage_free(p);
}

/* A band around F moves it both ways, and never out of [0, 1]. */
static void test_band(void)
{
    struct mk_dist *d = make("power", 1);
    const struct mk_known_cdf f = {.dist = d, .band = 0.1};
    CHECK_CLOSE(exp(-mk_cdf_rate(&f, 0.5, MK_FROM_ABOVE)), 0.6, 1e-11, "F + band");
    CHECK_CLOSE(exp(-mk_cdf_rate(&f, 0.5, MK_FROM_BELOW)), 0.4, 1e-11, "F - band");
    CHECK_CLOSE(exp(-mk_cdf_rate(&f, -INFINITY, MK_FROM_ABOVE)), 0.1, 1e-11, "band below everything");
    CHECK(mk_cdf_rate(&f, 0.95, MK_FROM_ABOVE) == 0 && isinf(mk_cdf_rate(&f, 0.05, MK_FROM_BELOW)), "0 and 1");
    CHECK_CLOSE(exp(-mk_cdf_rate(&f, 2, MK_FROM_BELOW)), 0.9, 1e-11, "above the upper end");
    const struct mk_known_cdf exact = {.dist = d};
    CHECK(mk_cdf_rate(&exact, INFINITY, MK_FROM_BELOW) == 0 && isinf(mk_cdf_rate(&exact, -INFINITY, MK_FROM_ABOVE)),
          "P(X <= x) is 1 and 0 at infinity");
    mk_dist_free(d);
}

/* Simulated record processes: share of paths that pass, 40,000 each; 5 cases at 4.5 standard errors: false alarms 3e-5.
 */
static void test_simulated(void)
{
    enum { PATHS = 40000 };
    struct mk_passage *p = passage();
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "first passages"));
    for (size_t i = 0; i < 6; i++) {
        if (known[i].p == 1) continue;
        struct mk_dist *d = make(known[i].family, known[i].parameter);
        const struct mk_known_cdf f = {.dist = d};
        const struct lemma l = {known[i].x, known[i].alpha, known[i].m, known[i].horizon};
        const uint64_t last = known[i].horizon - known[i].m - 2;
        const struct mk_barrier g = {lemma_level, &l, 1, last};
        double passed = 0, reward;
        for (int path = 0; path < PATHS; path++) {
            double most = -INFINITY;
            for (uint64_t s = 1; s <= last; s++) {
                d->type->sample(d, &rng, 1, &reward);
                most = fmax(most, reward);
                if (most > lemma_level(&l, s, MK_FROM_ABOVE)) continue;
                passed++;
                break;
            }
        }
        double share = passed / PATHS, want = mk_passage_probability(p, &f, &g, 1e-4, MK_FROM_ABOVE);
        double z = (share - want) / sqrt(want * (1 - want) / PATHS);
        CHECK(fabs(z) < 4.5, "case %zu: %g simulated, %g computed (z = %.2f)", i, share, want, z);
        mk_dist_free(d);
    }
    mk_passage_free(p);
}

int main(void)
{
    test_known();
    test_solve();
    test_flat();
    test_band();
    test_simulated();
    return CHECK_EXIT;
}
