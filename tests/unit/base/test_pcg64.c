/* PCG64: published vectors, jump-ahead, uniforms, streams keyed by content. With arguments `dump STATE SEQ N` it writes
 * N raw outputs to standard output, for the comparison with the C++ library (test_pcg64_oracle.sh). */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"

static void dump(uint64_t state, uint64_t seq, uint64_t n)
{
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, state, seq);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = mk_pcg64_next(&g);
        fwrite(&x, sizeof x, 1, stdout);
    }
}

/* First outputs of pcg64 seeded with (42, 54): pcg-c, test-high/expected/check-pcg64.out, round 1. */
static void published_vectors(void)
{
    static const uint64_t want[6] = {0x86b1da1d72062b68, 0x1304aa46c9853d39, 0xa3670e9e0dd50358,
                                     0xf9090e529a7dae00, 0xc85b9fd837996f2c, 0x606121f8e3919196};
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 42, 54);
    int same = 1;
    for (int i = 0; i < 6; i++) same &= mk_pcg64_next(&g) == want[i];
    CHECK(same, "the six published outputs for seed (42, 54)");
}

static void jump_ahead(void)
{
    static const uint64_t steps[] = {0, 1, 2, 63, 1000, 999999};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct mk_pcg64 a, b;
        mk_pcg64_seed(&a, 7, 11);
        b = a;
        for (uint64_t k = 0; k < steps[i]; k++) mk_pcg64_next(&a);
        mk_pcg64_advance(&b, steps[i]);
        int forward = a.state == b.state;
        mk_pcg64_advance(&b, -(mk_u128)steps[i]);
        struct mk_pcg64 c;
        mk_pcg64_seed(&c, 7, 11);
        CHECK(forward && b.state == c.state, "jump %llu ahead and back", (unsigned long long)steps[i]);
    }
    /* Two long jumps equal one: 2^100 + 2^90. */
    struct mk_pcg64 a, b;
    mk_pcg64_seed(&a, 1, 2);
    b = a;
    mk_pcg64_advance(&a, (mk_u128)1 << 100);
    mk_pcg64_advance(&a, (mk_u128)1 << 90);
    mk_pcg64_advance(&b, ((mk_u128)1 << 100) + ((mk_u128)1 << 90));
    CHECK(a.state == b.state, "jumps of 2^100 and 2^90 add up");
}

static void uniforms(void)
{
    CHECK(mk_uniform_from(0) == 0x1p-54, "the smallest uniform is 2^-54");
    CHECK(mk_uniform_from(UINT64_MAX) == 1 - 0x1p-53, "the largest uniform is 1 - 2^-53");
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 3, 5);
    enum { N = 1000000 };
    double sum = 0, squares = 0, least = 1, largest = 0;
    for (int i = 0; i < N; i++) {
        double u = mk_uniform(&g);
        sum += u;
        squares += u * u;
        least = u < least ? u : least;
        largest = u > largest ? u : largest;
    }
    CHECK(least > 0 && largest < 1, "10^6 uniforms inside (0,1)");
    /* Two-sided |z| < 4.5: false-alarm rate 7e-6 each. */
    CHECK(fabs(sum / N - 0.5) < 4.5 * sqrt(1.0 / 12 / N), "mean of 10^6 uniforms");
    CHECK(fabs(squares / N - 1.0 / 3) < 4.5 * sqrt(4.0 / 45 / N), "second moment of 10^6 uniforms");

    uint64_t count[7] = {0};
    for (int i = 0; i < 700000; i++) count[mk_uniform_below(&g, 7)]++;
    double chi2 = 0;
    for (int i = 0; i < 7; i++) chi2 += ((double)count[i] - 1e5) * ((double)count[i] - 1e5) / 1e5;
    CHECK(chi2 < 38.3, "uniform on 0 … 6 (chi-square, 6 degrees of freedom, false-alarm rate 1e-6)");
    int below = 1;
    for (int i = 0; i < 1000; i++)
        below &= mk_uniform_below(&g, 1) == 0 && mk_uniform_below(&g, 3ULL << 62) < 3ULL << 62;
    CHECK(below, "uniform below 1 and below 3 * 2^62");
}

/* z of the number of differing bits in n pairs of outputs: 64 n fair coins if the streams are unrelated. */
static double hamming_z(struct mk_pcg64 *a, struct mk_pcg64 *b, int n)
{
    double differing = 0;
    for (int i = 0; i < n; i++) differing += __builtin_popcountll(mk_pcg64_next(a) ^ mk_pcg64_next(b));
    return (differing - 32.0 * n) / (4 * sqrt(n));
}

static void neighbouring_keys(void)
{
    enum { N = 20000, PAIRS = 128 };
    double worst = 0, sum2 = 0;
    int pairs = 0;
    for (int bit = 0; bit < 64; bit++)
        for (int word = 0; word < 2; word++, pairs++) { /* (seed, replication) differing in one bit */
            struct mk_pcg64 a, b;
            uint64_t one = 1ULL << bit;
            mk_pcg64_from_key(&a, mk_key_word(mk_key_word(mk_key_start(), 42), 17));
            mk_pcg64_from_key(&b,
                              mk_key_word(mk_key_word(mk_key_start(), 42 ^ (word ? one : 0)), 17 ^ (word ? 0 : one)));
            double z = hamming_z(&a, &b, N);
            worst = fmax(worst, fabs(z));
            sum2 += z * z;
        }
    /* Under independence P(max of 128 |z| > 5) < 8e-5; the sum of squares is chi-square with 128 degrees of freedom,
     * outside 64 … 214 with probability below 3e-6. */
    CHECK(pairs == PAIRS && worst < 5, "keys differing in one bit: largest |z| of bit agreement %.2f", worst);
    CHECK(sum2 > 64 && sum2 < 214, "keys differing in one bit: sum of z^2 %.0f for %d pairs", sum2, PAIRS);

    /* Why raw stream numbers are not used: increments that differ in a high bit give visibly related outputs. */
    struct mk_pcg64 a, b;
    mk_pcg64_seed(&a, 42, 1);
    mk_pcg64_seed(&b, 42, ((mk_u128)1 << 126) + 1);
    double z = hamming_z(&a, &b, N);
    CHECK(fabs(z) > 5, "raw neighbouring stream numbers are correlated (z = %.1f)", z);
}

static void keys(void)
{
    struct mk_key ab = mk_key_text(mk_key_text(mk_key_start(), "a"), "b");
    struct mk_key ba = mk_key_text(mk_key_text(mk_key_start(), "b"), "a");
    struct mk_key joined = mk_key_text(mk_key_start(), "ab");
    struct mk_key split = mk_key_text(mk_key_text(mk_key_start(), ""), "ab");
    CHECK(memcmp(&ab, &ba, sizeof ab) != 0 && memcmp(&ab, &joined, sizeof ab) != 0 &&
              memcmp(&joined, &split, sizeof ab) != 0,
          "order and boundaries of texts matter");
    struct mk_key again = mk_key_text(mk_key_text(mk_key_start(), "a"), "b");
    CHECK(memcmp(&ab, &again, sizeof ab) == 0, "equal content gives equal keys");
}

static void gsl_wrapper(void)
{
    gsl_rng *r = gsl_rng_alloc(mk_gsl_rng_pcg64);
    gsl_rng_set(r, 42);
    struct mk_pcg64 g;
    mk_pcg64_from_key(&g, mk_key_word(mk_key_start(), 42));
    int same = 1;
    for (int i = 0; i < 1000; i++) same &= gsl_rng_uniform(r) == mk_uniform(&g);
    CHECK(same, "gsl_rng_uniform gives the same 53-bit uniforms");
    memcpy(gsl_rng_state(r), &g, sizeof g);
    CHECK(gsl_rng_uniform(r) == mk_uniform(&g), "an existing stream can be copied into a gsl_rng");
    double x[20000];
    for (int i = 0; i < 20000; i++) x[i] = gsl_ran_gaussian_ziggurat(r, 2.0);
    CHECK(fabs(gsl_stats_mean(x, 1, 20000)) < 4.5 * 2 / sqrt(20000), "gsl_ran_gaussian over the wrapper");
    gsl_rng_free(r);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "dump") == 0) {
        dump(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
        return 0;
    }
    published_vectors();
    jump_ahead();
    uniforms();
    neighbouring_keys();
    keys();
    gsl_wrapper();
    return CHECK_EXIT;
}
