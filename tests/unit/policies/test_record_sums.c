/* Sums of a running best over stretches, against direct sums over its values. */
#include "policies/parts/record_sums.h"

#include <stdlib.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { PULLS = 700 };

/* The largest error of sum and moment of 4000 stretches, relative to the direct ones. */
static double worst_error(const struct mk_record_sums *a, const double *y, struct mk_pcg64 *g)
{
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        uint64_t from = mk_uniform_below(g, PULLS), to = from + 1 + mk_uniform_below(g, PULLS - from);
        struct mk_stretch s = mk_record_sums_over(a, from, to);
        long double sum = 0, moment = 0;
        for (uint64_t t = from; t < to; t++) {
            sum += (long double)y[t] - y[from];
            moment += (long double)(t - from) * ((long double)y[t] - y[from]);
        }
        if (s.first != y[from] || s.last != y[to - 1] || s.pulls != (double)(to - from)) return INFINITY;
        worst = fmax(worst, fabs(s.sum - (double)sum) / fmax((double)sum, 1e-300));
        worst = fmax(worst, fabs(s.moment - (double)moment) / fmax((double)moment, 1e-300));
    }
    return worst;
}

static void check_curve(const char *name, double (*reward)(struct mk_pcg64 *g, int t))
{
    static double y[PULLS];
    struct mk_record_sums a = {0};
    struct mk_pcg64 g;
    const size_t bytes = mk_record_sums_bytes(1, PULLS);
    char *memory = malloc(bytes);
    struct mk_arena arena = {memory, memory + bytes, NULL};
    mk_pcg64_seed(&g, 7, 54);
    for (int t = 0; memory && t < PULLS; t++) {
        double x = reward(&g, t);
        mk_record_sums_add(&a, &arena, x);
        y[t] = t && y[t - 1] > x ? y[t - 1] : x;
    }
    double worst = memory ? worst_error(&a, y, &g) : INFINITY;
    CHECK(worst < 1e-14, "%s, %zu records: relative error %.1e of 4000 stretches", name, a.records, worst);
    free(memory);
}

static double uniform(struct mk_pcg64 *g, int t)
{
    return t >= 0 ? mk_uniform(g) : 0;
}

static double failed_first(struct mk_pcg64 *g, int t)
{
    return t < 2 ? -1e80 : 0.5 + mk_uniform(g) / 8 + t * 1e-4;
}

static double rising(struct mk_pcg64 *g, int t)
{
    return 1e6 + t + 0.5 * mk_uniform(g);
}

static double constant(struct mk_pcg64 *g, int t)
{
    return t < 300 ? 0.3 : 0.3 + 0 * mk_uniform(g);
}

int main(void)
{
    check_curve("independent rewards", uniform);
    check_curve("two failures first", failed_first);
    check_curve("a rising curve", rising);
    check_curve("a constant", constant);
    return CHECK_EXIT;
}
