#include "policies/parts/rising_elimination.h"

#include <math.h>

size_t mk_rising_bytes(const struct mk_setup *s)
{
    return sizeof(struct mk_rising) + s->arms * (sizeof(size_t) + 2 * sizeof(double)) +
           mk_best_growth_bytes(s->arms, s->par[MK_RISING_C]);
}

void mk_rising_init(struct mk_rising *r, const struct mk_setup *s, int published)
{
    r->setup = s;
    r->published = published;
    r->candidate = (size_t *)(r + 1);
    r->left = (double *)(r->candidate + s->arms);
    r->upper = r->left + s->arms;
    mk_best_growth_init(&r->growth, r->upper + s->arms, s->arms, s->par[MK_RISING_C]);
    mk_scaling_init(&r->scaling, s->par + MK_RISING_SCALE);
    for (size_t i = 0; i < s->arms; i++) r->candidate[i] = i;
    r->candidates = s->arms;
    r->position = 0;
}

static double value(const struct mk_rising *r, double x)
{
    return r->published ? mk_affine_value(&r->map, x) : mk_scaling_value(&r->scaling, x);
}

static double upper_end(const struct mk_rising *r, size_t i)
{
    const double cap = r->setup->par[MK_RISING_CAP], c = r->setup->par[MK_RISING_C];
    double y = value(r, r->growth.best[i]), past = -1;
    if (mk_best_growth_known(&r->growth, i))
        past = value(r, mk_best_growth_past(&r->growth, i));
    else if (!r->published)
        return cap;
    double u = y + (y - past) / c * r->left[i];
    return u < cap ? u : cap;
}

/* i drops others if its turn comes before it is dropped itself; of those i, the two largest l_i decide about all j. */
static void eliminate(struct mk_rising *r)
{
    const size_t n = r->candidates, *arm = r->candidate;
    size_t best = 0;
    double largest = -INFINITY, second = -INFINITY;
    r->map = mk_scaling_affine(&r->scaling);
    for (size_t a = 0; a < n; a++) r->upper[arm[a]] = upper_end(r, arm[a]);
    for (size_t a = 0; a < n; a++) {
        if (largest >= r->upper[arm[a]]) continue;
        double lower = value(r, r->growth.best[arm[a]]), less = lower < largest ? lower : largest;
        second = less > second ? less : second;
        best = lower > largest ? a : best;
        largest = lower > largest ? lower : largest;
    }
    for (size_t a = 0; a < n; a++)
        if ((a == best ? second : largest) >= r->upper[arm[a]]) r->left[arm[a]] = -1;
    r->candidates = 0;
    for (size_t a = 0; a < n; a++)
        if (r->left[arm[a]] >= 0) r->candidate[r->candidates++] = r->candidate[a];
}

void mk_rising_end_pass(struct mk_rising *r, double (*left_of)(const void *context, size_t arm), const void *context)
{
    r->position = 0;
    if (r->candidates == 1) return;
    if (r->published)
        for (size_t a = 0; a < r->candidates; a++) r->left[r->candidate[a]] = left_of(context, r->candidate[a]);
    eliminate(r);
}
