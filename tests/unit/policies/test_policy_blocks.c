/* The building blocks of policies against naive counterparts: sorted arrays, two-pass sums. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "policies/parts/argmax.h"
#include "policies/parts/moments.h"
#include "policies/parts/order_stat.h"
#include "policies/parts/quantile.h"
#include "policies/parts/rank_heap.h"
#include "policies/parts/reward_scaling.h"
#include "policies/parts/roulette.h"
#include "policies/parts/tail_quantiles.h"
#include "tests/support/check.h"

enum { SETS = 3, TOTAL = 9000 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kinds of sequences that stress different splits: random, rising, falling, few values, constant. */
static double reward_of(int kind, int i, struct mk_pcg64 *rng)
{
    switch (kind) {
    case 0: return mk_uniform(rng) - 0.5;
    case 1: return i;
    case 2: return -i;
    case 3: return (double)mk_uniform_below(rng, 7);
    default: return 1.5;
    }
}

static const char *const kinds[] = {"random", "rising", "falling", "tied", "constant"};

/* Every query on one set against its sorted copy. */
static int order_agrees(const struct mk_order_stat *o, size_t set, const double *sorted, size_t n)
{
    int good = o->set[set].n == n;
    for (size_t k = 0; k < n; k += 1 + n / 97) {
        good &= mk_order_stat_select(o, set, k) == sorted[k];
        size_t ge = n;
        while (ge > 0 && sorted[n - ge] < sorted[k]) ge--;
        good &= mk_order_stat_count_ge(o, set, sorted[k]) == ge;
        double top = 0;
        for (size_t i = k; i < n; i++) top += sorted[i];
        good &= fabs(mk_order_stat_sum_top(o, set, n - k) - top) <= 1e-12 * (double)n * (1 + fabs(top));
    }
    good &= mk_order_stat_count_ge(o, set, 1e9) == 0 && mk_order_stat_count_ge(o, set, -1e9) == n;
    return good;
}

/* As order_stat.h says: 33 bytes per value and a leaf of 520 per set. */
static void test_order_stat_bytes(void)
{
    CHECK(mk_order_stat_bytes(1, 10000000) < 330000000 && mk_order_stat_bytes(1000, 1000) < 1000 * 600,
          "order statistics: %zu bytes for 10^7 values, %zu for 1000 sets of one", mk_order_stat_bytes(1, 10000000),
          mk_order_stat_bytes(1000, 1000));
}

static void test_order_stat(int kind)
{
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 5, (mk_u128)kind);
    void *memory = malloc(mk_order_stat_bytes(SETS, TOTAL));
    double *kept = calloc(SETS * TOTAL, sizeof *kept), *sorted = calloc(TOTAL, sizeof *sorted);
    size_t n[SETS] = {0};
    struct mk_order_stat o;
    int good = memory && kept && sorted;
    if (good) {
        mk_order_stat_init(&o, memory, SETS, TOTAL);
        good &= mk_order_stat_count_ge(&o, 0, 0) == 0 && mk_order_stat_sum_top(&o, 0, 0) == 0;
        for (int i = 0; i < TOTAL; i++) {
            size_t set = i % 10 == 0 ? 0 : i % 3 == 0 ? 1 : 2;
            double x = reward_of(kind, i, &rng);
            mk_order_stat_insert(&o, set, x);
            kept[set * TOTAL + n[set]++] = x;
            if (i > 200 && i % 1777 != 0) continue;
            memcpy(sorted, kept + set * TOTAL, n[set] * sizeof *sorted);
            qsort(sorted, n[set], sizeof *sorted, ascending);
            good &= order_agrees(&o, set, sorted, n[set]);
        }
    }
    CHECK(good, "order_stat agrees with sorted arrays, %s values", kinds[kind]);
    free(memory);
    free(kept);
    free(sorted);
}

static double quantile_of(struct mk_rank_heap *h, double tau)
{
    double lo, hi, share = mk_rank_heap_around(h, tau, &lo, &hi);
    return mk_quantile_between(lo, hi, share);
}

/* Adds values, lets k move, and takes all of it back: returns whether every byte is as before. */
static bool taken_back(struct mk_rank_heap *h, struct mk_arena *arena, const char *memory, size_t bytes, int kind)
{
    const size_t room = 64 * bytes;
    struct mk_undo undo = {malloc(room), 0, room};
    struct mk_pcg64 rng;
    const struct mk_rank_heap before = *h;
    const struct mk_arena then = *arena;
    char *copy = malloc(bytes);
    REQUIRE(copy && undo.byte, "a copy of the memory");
    memcpy(copy, memory, bytes);
    mk_pcg64_seed(&rng, h->n, (mk_u128)kind);
    arena->undo = &undo;
    for (int i = 0; i < 60; i++) {
        mk_rank_heap_insert(h, arena, reward_of(kind, i, &rng), i % 2);
        if (i % 7 == 6) mk_rank_heap_set(h, 1 + mk_uniform_below(&rng, h->n));
    }
    mk_undo_all(&undo);
    *h = before;
    *arena = then;
    const bool same = !memcmp(copy, memory, bytes);
    free(copy);
    free(undo.byte);
    return same;
}

static void test_rank_heap(int kind)
{
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 6, (mk_u128)kind);
    size_t bytes = mk_rank_heap_bytes(SETS, TOTAL);
    char *memory = calloc(1, bytes);
    double *kept = calloc(SETS * TOTAL, sizeof *kept), *sorted = calloc(TOTAL, sizeof *sorted);
    size_t n[SETS] = {0};
    struct mk_rank_heap heap[SETS];
    memset(heap, 0, sizeof heap);
    struct mk_arena arena = {memory, memory + bytes, NULL};
    int good = memory && kept && sorted;
    for (int i = 0; good && i < TOTAL; i++) {
        size_t set = i % 10 == 0 ? 0 : i % 3 == 0 ? 1 : 2;
        double x = reward_of(kind, i, &rng);
        mk_rank_heap_insert(&heap[set], &arena, x, i % 5 == 0);
        kept[set * TOTAL + n[set]++] = x;
        size_t k = 1 + mk_uniform_below(&rng, n[set]);
        if (i % 3 == 0) mk_rank_heap_set(&heap[set], i % 2 ? k : (n[set] + 4) / 5);
        if (i > 200 && i % 97 != 0) continue;
        if (i < TOTAL / 2) good &= taken_back(&heap[set], &arena, memory, bytes, kind);
        memcpy(sorted, kept + set * TOTAL, n[set] * sizeof *sorted);
        qsort(sorted, n[set], sizeof *sorted, ascending);
        if (heap[set].upper) good &= mk_rank_heap_kth(&heap[set]) == sorted[n[set] - heap[set].upper];
        if (heap[set].upper < n[set]) good &= mk_rank_heap_next(&heap[set]) == sorted[n[set] - heap[set].upper - 1];
        double position = 0.95 * (double)(n[set] - 1);
        size_t j = (size_t)position;
        double want = j + 1 < n[set] ? sorted[j] + (position - (double)j) * (sorted[j + 1] - sorted[j]) : sorted[j];
        good &= fabs(quantile_of(&heap[set], 0.95) - want) <= 1e-12 * (1 + fabs(want));
    }
    CHECK(good, "rank_heap agrees with sorted arrays, all that is undone included, %s values", kinds[kind]);
    free(memory);
    free(kept);
    free(sorted);
}

enum { MANY = 1500, FIRST = 40 };

struct many {
    double value[MANY];
    uint64_t per_rise;
    size_t n; /* that are in the heap */
    struct mk_rank_heap heap;
    struct mk_arena arena;
    struct mk_pcg64 rng;
};

/* Position n (from 0) of the first n_values, ascending. */
static double ordered(const struct many *m, size_t n_values, size_t n)
{
    double sorted[MANY];
    memcpy(sorted, m->value, n_values * sizeof *sorted);
    qsort(sorted, n_values, sizeof *sorted, ascending);
    return sorted[n];
}

static size_t rank_of(const struct many *m, size_t n_values)
{
    return (n_values + m->per_rise - 1) / m->per_rise;
}

/* The k-th largest of the first n values, k = ceil(n / per_rise). */
static double kth_largest(const struct many *m, size_t n_values)
{
    return ordered(m, n_values, n_values - rank_of(m, n_values));
}

/* Whether `used` of `count` values are what has to be used: the k-th largest stays above the floor before the last of
 * them, and a piece that is not used up has reached the floor. */
static bool stops_rightly(const struct many *m, double floor, uint64_t used, uint64_t count)
{
    bool good = used == count || kth_largest(m, m->n + used) <= floor;
    for (uint64_t i = 1; i < used; i++) good &= kth_largest(m, m->n + i) > floor;
    return good;
}

/* The next piece of random size, with a floor at the share of the largest values or, if share is 0, none. */
static bool insert_piece(struct many *m, double share)
{
    const uint64_t count = 1 + mk_uniform_below(&m->rng, MANY - m->n < 200 ? MANY - m->n : 200);
    const double floor = share > 0 ? ordered(m, m->n, (size_t)((1 - share) * (double)m->n)) : -INFINITY;
    const bool above = mk_rank_heap_kth(&m->heap) > floor;
    const uint64_t used =
        mk_rank_heap_insert_many(&m->heap, &m->arena, m->value + m->n, count, m->per_rise, above ? floor : -9e9);
    const bool good = used >= 1 && used <= count && (above ? stops_rightly(m, floor, used, count) : used == count);
    m->n += used;
    return good && m->heap.n == m->n && m->heap.upper == rank_of(m, m->n) &&
           mk_rank_heap_kth(&m->heap) == kth_largest(m, m->n);
}

/* Many values at once, k = ceil(n / per_rise), in pieces of all sizes: all of them without a floor, and with one up to
 * the first value after which the k-th largest is not above it; against sorted arrays. */
static void test_rank_heap_many(int kind, uint64_t per_rise, double share)
{
    struct many m = {.per_rise = per_rise};
    const size_t bytes = mk_rank_heap_bytes(1, MANY);
    char *memory = malloc(bytes);
    bool good = true;
    REQUIRE(memory, "memory for a heap");
    m.arena = (struct mk_arena){memory, memory + bytes, NULL};
    mk_pcg64_seed(&m.rng, 8, (mk_u128)kind + 8 * per_rise);
    for (int i = 0; i < MANY; i++) m.value[i] = reward_of(kind, i, &m.rng);
    for (; m.n < FIRST; m.n++) mk_rank_heap_insert(&m.heap, &m.arena, m.value[m.n], m.n % per_rise == 0);
    while (good && m.n < MANY) good = insert_piece(&m, share);
    CHECK(good, "rank_heap, many at once, k = n / %g, floor at %g: %s values", (double)per_rise, share, kinds[kind]);
    free(memory);
}

/* numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], q) for q = .5, .95, .1 (NumPy 1.24): 3.5, 7.95, 1.0. */
static void test_quantile_known(void)
{
    static const double x[] = {3, 1, 4, 1, 5, 9, 2, 6};
    double memory[256];
    struct mk_arena arena = {(char *)memory, (char *)(memory + 256), NULL};
    struct mk_rank_heap heap;
    memset(&heap, 0, sizeof heap);
    for (size_t i = 0; i < 8; i++) mk_rank_heap_insert(&heap, &arena, x[i], 0);
    CHECK_CLOSE(quantile_of(&heap, 0.5), 3.5, 1e-15, "median of eight values");
    CHECK_CLOSE(quantile_of(&heap, 0.95), 7.95, 1e-15, "95 %% quantile of eight values");
    CHECK_CLOSE(quantile_of(&heap, 0.1), 1.0, 1e-15, "10 %% quantile of eight values");
    CHECK_CLOSE(quantile_of(&heap, 1.0), 9.0, 1e-15, "100 %% quantile of eight values");
}

static void test_argmax(void)
{
    static const double x[] = {1, NAN, 7, 7, -INFINITY, 7, NAN}, nans[] = {NAN, NAN, -1};
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 7, 7);
    CHECK(mk_argmax(x, 7, 0, &rng) == 2, "argmax: lowest of equal indices");
    CHECK(mk_argmax(nans, 3, 0, &rng) == 2 && mk_argmax(nans, 2, 1, &rng) == 0, "argmax: NaN never beats a number");
    int count[7] = {0};
    for (int i = 0; i < 30000; i++) count[mk_argmax(x, 7, 1, &rng)]++;
    /* Each of three arms 10000 expected, sd 81.6: six sd, false alarm below 1e-8. */
    CHECK(count[2] + count[3] + count[5] == 30000 && abs(count[2] - 10000) < 490 && abs(count[5] - 10000) < 490,
          "argmax: random ties are uniform over the largest (%d, %d, %d)", count[2], count[3], count[5]);
    CHECK(mk_nan_value(NAN, MK_NAN_ZERO) == 0 &&
              mk_nan_value(NAN, MK_NAN_MAXIMUM) > mk_nan_value(INFINITY, MK_NAN_ZERO),
          "argmax: NaN rules");
}

static void test_scaling(void)
{
    static const double minmax[] = {MK_SCALE_MINMAX, 0.01, 0.99}, global[] = {MK_SCALE_GLOBAL_MAX, 0, 1};
    struct mk_scaling s;
    mk_scaling_init(&s, minmax);
    mk_scaling_see(&s, -4);
    CHECK(mk_scaling_value(&s, -4) == 0.01, "minmax: a constant history goes to scale_lo");
    mk_scaling_see(&s, 6);
    CHECK_CLOSE(mk_scaling_value(&s, 1), 0.5, 1e-15, "minmax: the middle of [-4, 6]");
    CHECK_CLOSE(mk_scaling_value(&s, 6), 0.99, 1e-15, "minmax: the top");
    CHECK_CLOSE(mk_scaling_length(&s, 5), 0.49, 1e-15, "minmax: a length of half the range");
    mk_scaling_init(&s, global);
    mk_scaling_see(&s, -2);
    CHECK(mk_scaling_value(&s, -2) == -2, "global_max: unscaled while the maximum is not positive");
    mk_scaling_see(&s, 4);
    CHECK(mk_scaling_value(&s, -2) == -0.5, "global_max: divided by the maximum");
    size_t scaled = 0;
    for (size_t p = 0; p < mk_policy_type_count(); p++) {
        const struct mk_policy_type *type = mk_policy_type_at(p);
        const int hi = mk_param_find(type->params, "scale_hi");
        double par[MK_MAX_PARAMS];
        mk_param_defaults(type->params, par);
        if (hi < 0) continue;
        CHECK(!mk_policy_problem(type, par), "%s: the defaults go together", type->name);
        par[hi] = par[hi - 1];
        CHECK(mk_policy_problem(type, par), "%s: scale_hi must be above scale_lo", type->name);
        scaled++;
    }
    CHECK(scaled > 15, "%zu policies scale rewards", scaled);
}

static void test_moments(void)
{
    struct mk_moments m = {0}, equal = {0};
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 8, 8);
    double x[1000], mean = 0, m2 = 0;
    for (int i = 0; i < 1000; i++) mk_moments_add(&m, x[i] = 1e6 + mk_uniform(&rng));
    for (int i = 0; i < 1000; i++) mean += (x[i] - 1e6) / 1000;
    for (int i = 0; i < 1000; i++) m2 += (x[i] - 1e6 - mean) * (x[i] - 1e6 - mean);
    CHECK_CLOSE(mk_running_mean_above(&m.mean, 1e6), mean, 1e-14, "moments: mean of 1000 values around 1e6");
    CHECK_CLOSE(mk_moments_population_sd(&m), sqrt(m2 / 1000), 1e-13, "moments: standard deviation");
    for (int i = 0; i < 1000; i++) mk_moments_add(&equal, 0.1);
    CHECK(mk_moments_population_sd(&equal) == 0 && equal.mean.high == 0.1 && equal.mean.low == 0,
          "moments: equal values have variance 0 exactly");
}

/* The same 1000 values in other units: exact powers of two, whose squares are out of range. */
static void test_square_sums(void)
{
    const int power[] = {-1000, -420, -300, 300, 420, 1000};
    struct mk_moments usual = {0}, mixed = {0};
    struct mk_pcg64 rng;
    double x[1000];
    mk_pcg64_seed(&rng, 9, 8);
    for (int i = 0; i < 1000; i++) mk_moments_add(&usual, x[i] = mk_uniform(&rng));
    for (size_t k = 0; k < sizeof power / sizeof *power; k++) {
        struct mk_moments m = {0};
        for (int i = 0; i < 1000; i++) mk_moments_add(&m, ldexp(x[i], power[k]));
        CHECK_CLOSE(ldexp(mk_moments_population_sd(&m), -power[k]), mk_moments_population_sd(&usual), 1e-14,
                    "moments: standard deviation of rewards times 2^%d", power[k]);
    }
    /* Very small ones first, then a very large one: Python, statistics.pstdev of exact fractions. */
    for (int i = 0; i < 3; i++) mk_moments_add(&mixed, i * 1e-200);
    CHECK_CLOSE(mk_moments_population_sd(&mixed), 8.16496580927726e-201, 1e-14, "moments: 0, 1e-200, 2e-200");
    mk_moments_add(&mixed, 0.5);
    CHECK_CLOSE(mk_moments_population_sd(&mixed), 0.21650635094610965, 1e-14, "moments: and .5");
    mk_moments_add(&mixed, -1e100);
    CHECK_CLOSE(mk_moments_population_sd(&mixed), 4e99, 1e-14, "moments: and -1e100");
}

/* k / 1024 for k = 0 … 999 in some order, moved by 10^10: exact in binary. */
static void test_running_mean(void)
{
    struct mk_running_mean m = {0, 0}, constant = {0, 0};
    for (int n = 1; n <= 1000; n++) {
        mk_running_mean_add(&m, 1e10 + (n * 7919 % 1000) / 1024.0, 1 / (double)n);
        mk_running_mean_add(&constant, 0.3, 1 / (double)n);
    }
    CHECK_CLOSE(mk_running_mean_above(&m, 1e10), 499.5 / 1024, 1e-14, "a mean far from 0 has the digits of its spread");
    CHECK_CLOSE(mk_running_mean_below(&m, 1e10), -499.5 / 1024, 1e-14, "and so has the way to it");
    CHECK(constant.high == 0.3 && constant.low == 0, "the mean of a constant is exact");
}

/* t_{p,nu} (upper tail) and chi-square_{p,nu} (lower tail) from mpmath, 30 digits. */
static void test_tail_path(void)
{
    static const struct {
        double p, nu, t, x;
    } known[] = {{0.05, 3, 2.3533634348018239, 0.3518463177492714},
                 {0.001, 40, 3.3068777140858225, 17.916426535252026},
                 {0.3, 1, 0.72654252800536089, 0.14847186183254545}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double L = log(0.5 / known[i].p), worst = 0, t, x;
        /* Expanded a little below, at and above: the look-up is a continuation, not the exact solution. */
        for (int side = -1; side <= 1; side++) {
            struct mk_tail_quantiles path;
            double from = L + side * 0.95 * mk_tail_stretch(L * 0.97, 0.05);
            mk_tail_quantiles_clear(&path);
            mk_tail_quantiles_renew(&path, known[i].nu, from);
            mk_tail_quantiles_at(&path, known[i].nu, L, &t, &x);
            worst = fmax(worst, path.from == from ? 0 : INFINITY);
            worst = fmax(worst, fmax(fabs(t / known[i].t - 1), fabs(x / known[i].x - 1)));
        }
        CHECK(worst < 1e-11, "tail_path: p = %g, %g degrees of freedom: relative error %.1e", known[i].p, known[i].nu,
              worst);
    }
    /* Followed over n and t as a policy does, against GSL's inverse. */
    struct mk_tail_quantiles path;
    double worst = 0, t, x;
    mk_tail_quantiles_clear(&path);
    for (int n = 2; n < 3000; n++) {
        double L = log(n < 1000 ? 5.0 * n + 3 : 4003.0 + n);
        mk_tail_quantiles_at(&path, n - 1, L, &t, &x);
        worst = fmax(worst, fabs(x / gsl_cdf_chisq_Pinv(0.5 * exp(-L), n - 1) - 1));
        worst = fmax(worst, fabs(t / gsl_cdf_tdist_Qinv(0.5 * exp(-L), n - 1) - 1));
    }
    CHECK(worst < 1e-11, "tail_path: followed over 3000 pulls, relative error %.1e", worst);
}

/* Weights of arms far below the largest equal exp, also when that is subnormal or 0. */
static void test_roulette(void)
{
    enum { STEPS = 16000 };
    static double weight[STEPS];
    double total = 0;
    int good = 1;
    for (int i = 0; i < STEPS; i++) weight[i] = 5 - 0.05 * i;
    double sum = mk_roulette_exp(weight, STEPS);
    for (int i = 0; i < STEPS; i++) {
        double wanted = i ? exp(5 - 0.05 * i - 5.0) : 1.0;
        good &= weight[i] == wanted;
        total += wanted;
    }
    CHECK(good && sum == total && weight[14900] > 0 && weight[14950] == 0,
          "roulette: weights are exp of the distance to the largest, down to underflow");
    double far[3] = {-INFINITY, INFINITY, 1e300};
    CHECK(mk_roulette_exp(far, 3) == 1 && far[0] == 0 && far[1] == 1 && far[2] == 0, "roulette: infinite weights");
}

int main(void)
{
    test_order_stat_bytes();
    for (int kind = 0; kind < 5; kind++) {
        test_order_stat(kind);
        test_rank_heap(kind);
        for (uint64_t per_rise = 2; per_rise < 40; per_rise *= 4) {
            test_rank_heap_many(kind, per_rise, 0);
            test_rank_heap_many(kind, per_rise, 1.3 / (double)per_rise);
        }
    }
    test_quantile_known();
    test_argmax();
    test_scaling();
    test_roulette();
    test_moments();
    test_square_sums();
    test_running_mean();
    test_tail_path();
    return CHECK_EXIT;
}
