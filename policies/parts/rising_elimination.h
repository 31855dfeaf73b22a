/* The elimination that Rising Bandits and its cost-aware variant share (Li et al. 2020, Algorithm 1).
 *
 * Candidates are pulled once each per pass; with y the running best and w = (y(n) - y(n-C)) / C, an arm's final reward
 * lies between l = y and u = min(cap, y + w * left), `left` being the pulls it could still get. After a pass candidate
 * j is dropped when some candidate i has l_i >= u_j, in index order of i, then j. y and w follow the map of
 * policies/parts/reward_scaling.h, so they are kept raw and mapped when the bounds are compared.
 * variant paper: `left` as of the arm's own pull; u = cap while n <= C, there being no growth rate yet.
 * variant published (the MaxUCB authors' program): `left` as of the last pull of the pass; y(n-C) = -1 while n <= C;
 * the map with that program's roundings, because l_i = u_j can hold but for them. Cost O(K) per pull, amortised: the
 * comparison of all pairs comes once per pass. */
#ifndef MAXK_POLICIES_PARTS_RISING_ELIMINATION_H
#define MAXK_POLICIES_PARTS_RISING_ELIMINATION_H

#include "policies/parts/best_growth.h"
#include "policies/parts/reward_scaling.h"
#include "policies/policy.h"

enum { MK_RISING_C, MK_RISING_CAP, MK_RISING_SCALE, MK_RISING_PARAMS_END = MK_RISING_SCALE + 3 };

#define MK_RISING_PARAMS                                                                                               \
    MK_GROWTH_PARAM(7), {"cap", MK_REAL, 0, 1, -INFINITY, INFINITY, NULL, "upper bound on (scaled) rewards"},          \
        MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0.01, 0.99)

struct mk_rising {
    const struct mk_setup *setup;
    struct mk_best_growth growth;
    struct mk_scaling scaling;
    struct mk_affine map; /* published: of the elimination going on */
    int published;
    size_t candidates, position; /* position in the pass */
    size_t *candidate;           /* [K] ascending */
    double *left;                /* [K] pulls that arm i could still get, as of its last pull; -1 once dropped */
    double *upper;               /* [K] u_i of the elimination going on */
};

static inline const char *mk_rising_check(const double *par)
{
    return mk_scaling_check(par + MK_RISING_SCALE);
}

static inline size_t mk_rising_bytes(const struct mk_setup *s)
{
    return sizeof(struct mk_rising) + s->arms * (sizeof(size_t) + 2 * sizeof(double)) +
           mk_best_growth_bytes(s->arms, s->par[MK_RISING_C]);
}

static inline void mk_rising_init(struct mk_rising *r, const struct mk_setup *s, int published)
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

static inline size_t mk_rising_select(const struct mk_rising *r)
{
    return r->candidate[r->position];
}

static inline double mk_rising_value(const struct mk_rising *r, double x)
{
    return r->published ? mk_affine_value(&r->map, x) : mk_scaling_value(&r->scaling, x);
}

static inline double mk_rising_upper(const struct mk_rising *r, size_t i)
{
    const double cap = r->setup->par[MK_RISING_CAP], c = r->setup->par[MK_RISING_C];
    double y = mk_rising_value(r, r->growth.best[i]), past = -1;
    if (mk_best_growth_known(&r->growth, i))
        past = mk_rising_value(r, mk_best_growth_past(&r->growth, i));
    else if (!r->published)
        return cap;
    double u = y + (y - past) / c * r->left[i];
    return u < cap ? u : cap;
}

static inline void mk_rising_eliminate(struct mk_rising *r)
{
    const size_t n = r->candidates, *arm = r->candidate;
    r->map = mk_scaling_affine(&r->scaling);
    for (size_t a = 0; a < n; a++) r->upper[arm[a]] = mk_rising_upper(r, arm[a]);
    for (size_t a = 0; a < n; a++) {
        if (r->left[arm[a]] < 0) continue;
        double lower = mk_rising_value(r, r->growth.best[arm[a]]);
        for (size_t b = 0; b < n; b++)
            if (b != a && lower >= r->upper[arm[b]]) r->left[arm[b]] = -1;
    }
    r->candidates = 0;
    for (size_t a = 0; a < n; a++)
        if (r->left[arm[a]] >= 0) r->candidate[r->candidates++] = r->candidate[a];
}

/* After a pull of the arm just selected. left_of(context, arm): pulls that it could still get now, >= 0. */
static inline void mk_rising_update(struct mk_rising *r, size_t arm, double reward,
                                    double (*left_of)(const void *context, size_t arm), const void *context)
{
    mk_best_growth_add(&r->growth, arm, reward);
    mk_scaling_see(&r->scaling, reward);
    r->left[arm] = left_of(context, arm);
    if (++r->position < r->candidates) return;
    r->position = 0;
    if (r->candidates == 1) return;
    if (r->published)
        for (size_t a = 0; a < r->candidates; a++) r->left[r->candidate[a]] = left_of(context, r->candidate[a]);
    mk_rising_eliminate(r);
}

#endif
