/* Certified bounds against exact expectations: small instances of discrete rewards, in which every course of events is
 * enumerated, for three rules of ties and every scaling. Written from the head of certificate.h, not from the policy.
 * usage: test_enumeration [INSTANCES [SEED]] */
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificate.h"
#include "tests/support/check.h"

enum { ARMS = 4, VALUES = 4, MOST_COURSES = 100000 };
enum tie { LOWEST, HIGHEST, RANDOM, TIES };

struct instance {
    size_t arms, values[ARMS];
    double value[ARMS][VALUES]; /* each with the same probability */
    uint64_t horizon;
    double alpha, power, width;
    int64_t shift;
    enum mk_race_scale scale;
};

struct state {
    uint64_t pulls[ARMS];
    double most[ARMS], largest, smallest;
};

/* Index of the arm in round t, with R_t of the rewards so far. */
static double index_of(const struct instance *in, const struct state *s, size_t k, uint64_t t)
{
    const double n = (double)s->pulls[k], u = fmax(1, (double)t + (double)in->shift);
    const double root = in->alpha * pow(log(u), in->power);
    double factor = 1;
    if (in->scale == MK_RACE_BY_LARGEST) factor = s->largest;
    if (in->scale == MK_RACE_BY_RANGE) factor = (s->largest - s->smallest) / in->width;
    return s->most[k] + (factor > 0 ? factor : 1) * root * root / (n * n);
}

/* expected[k] += probability * E[N_k(T)] from the state before round t on. */
static void enumerate(const struct instance *in, enum tie tie, const struct state *s, uint64_t t, double probability,
                      double *expected)
{
    double index[ARMS], best = -INFINITY;
    size_t tied = 0, at = 0;
    if (t > in->horizon) {
        for (size_t k = 0; k < in->arms; k++) expected[k] += probability * (double)s->pulls[k];
        return;
    }
    for (size_t k = 0; k < in->arms; k++) {
        index[k] = t <= in->arms ? (k + 1 == t ? 1 : 0) : index_of(in, s, k, t);
        best = fmax(best, index[k]);
    }
    for (size_t k = 0; k < in->arms; k++) tied += index[k] == best;
    const size_t chosen = tie == HIGHEST ? tied - 1 : 0;
    for (size_t k = 0; k < in->arms; k++) {
        if (index[k] != best) continue;
        const bool taken = tie == RANDOM || at == chosen;
        at++;
        if (!taken) continue;
        for (size_t v = 0; v < in->values[k]; v++) {
            struct state next = *s;
            const double x = in->value[k][v];
            next.pulls[k]++;
            next.most[k] = fmax(next.most[k], x);
            next.largest = fmax(next.largest, x);
            next.smallest = fmin(next.smallest, x);
            enumerate(in, tie, &next, t + 1, probability / (double)in->values[k] / (tie == RANDOM ? (double)tied : 1),
                      expected);
        }
    }
}

static struct instance draw(struct mk_pcg64 *rng)
{
    static const double alphas[] = {0, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2};
    struct instance in = {.arms = 2 + (size_t)mk_uniform_below(rng, 3)};
    const double low = mk_uniform(rng) < 0.3 ? -0.5 : 0;
    double courses = 1, each = 0;
    for (size_t k = 0; k < in.arms; k++) {
        in.values[k] = 1 + (size_t)mk_uniform_below(rng, VALUES);
        for (size_t v = 0; v < in.values[k]; v++) in.value[k][v] = low + (double)mk_uniform_below(rng, 9) / 8;
        each = fmax(each, (double)in.values[k]);
    }
    in.horizon = in.arms;
    while (in.horizon < 12 && (courses = pow(each, (double)in.horizon + 1)) <= MOST_COURSES) in.horizon++;
    in.alpha = alphas[mk_uniform_below(rng, 8)];
    in.power = mk_uniform(rng) < 0.5 ? 1 : 1 + 2 * mk_uniform(rng);
    in.shift = (int64_t)mk_uniform_below(rng, 3) - 1;
    in.scale = (enum mk_race_scale)mk_uniform_below(rng, 3);
    in.width = mk_uniform(rng) < 0.5 ? 1 : 0.25;
    return in;
}

struct count {
    size_t bands, outside, narrow;
};

static void check_instance(const struct instance *in, size_t number, struct count *c)
{
    struct mk_error err = {0, ""};
    struct mk_dist *dist[ARMS] = {NULL};
    struct mk_known_cdf arm[ARMS];
    struct mk_certificate *bounds = NULL;
    for (size_t k = 0; k < in->arms; k++) {
        struct mk_dist_spec spec = {
            .type = mk_dist_type_find("empirical"), .n_values = in->values[k], .values = in->value[k]};
        int param;
        mk_param_defaults(spec.type->params, spec.v);
        REQUIRE(!mk_dist_new(&dist[k], &spec, &param, &err), "an arm: %s", err.text);
        arm[k] = (struct mk_known_cdf){dist[k], 0};
    }
    const struct mk_race race = {.arms = in->arms,
                                 .arm = arm,
                                 .horizon = in->horizon,
                                 .alpha = in->alpha,
                                 .power = in->power,
                                 .shift = in->shift,
                                 .scale = in->scale,
                                 .width = in->width};
    REQUIRE(!mk_certificate_new(&bounds, &race, MK_CERTIFIED_BAND, 0.1, &err), "bounds: %s", err.text);
    for (int tie = 0; tie < TIES; tie++) {
        double expected[ARMS] = {0};
        struct state start = {.largest = -INFINITY, .smallest = INFINITY};
        for (size_t k = 0; k < ARMS; k++) start.most[k] = -INFINITY;
        enumerate(in, (enum tie)tie, &start, 1, 1, expected);
        for (size_t k = 0; k < in->arms; k++) {
            const struct mk_certified_arm *b = &bounds->arm[k];
            const bool good = b->lower <= expected[k] + 1e-9 && expected[k] <= b->upper + 1e-9;
            if (!good)
                printf("# instance %zu, tie rule %d, arm %zu: %.9g is not within [%.9g, %.9g]\n", number, tie, k,
                       expected[k], b->lower, b->upper);
            c->bands++;
            c->outside += !good;
            c->narrow += b->upper < expected[k] * 1.1;
        }
    }
    mk_certificate_free(bounds);
    for (size_t k = 0; k < in->arms; k++) mk_dist_free(dist[k]);
}

int main(int argc, char **argv)
{
    const size_t instances = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
    struct count c = {0};
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, argc > 2 ? strtoul(argv[2], NULL, 10) : 1, 1);
    for (size_t i = 0; i < instances; i++) {
        const struct instance in = draw(&rng);
        check_instance(&in, i, &c);
    }
    CHECK(c.outside == 0, "%zu instances, %zu expectations: %zu outside of their certified bands", instances, c.bands,
          c.outside);
    CHECK(c.narrow > c.bands / 10, "%zu upper bounds are less than 10 %% above them", c.narrow);
    return CHECK_EXIT;
}
