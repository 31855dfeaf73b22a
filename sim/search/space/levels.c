/* All configurations of spaces whose levels are finitely many, one after another. */
#include <math.h>

#include "sim/search/space/space.h"

/* Inactive values become NaN, active ones that are NaN the first level. */
static void settle(const struct mk_space *s, double *v)
{
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = s->order[i];
        if (!mk_space_active(s, v, at))
            v[at] = NAN;
        else if (isnan(v[at]))
            v[at] = mk_hyper_at_level(&s->hyper[at], 0);
    }
}

/* Positions from the level that changes in every step to that which changes last: hyperparameters change before those
 * that their conditions name. */
static void find_digits(const struct mk_space *s, size_t digit[MK_SPACE_MOST])
{
    size_t n = 0;
    for (size_t i = s->n; i-- > 0;)
        if (s->hyper[s->order[i]].n_when) digit[n++] = s->order[i];
    for (size_t i = 0; i < s->n; i++)
        if (!s->hyper[i].n_when) digit[n++] = i;
}

bool mk_space_step(const struct mk_space *s, double *v)
{
    size_t digit[MK_SPACE_MOST];
    bool carry = true;
    find_digits(s, digit);
    for (size_t i = 0; i < s->n && carry; i++) {
        const struct mk_hyper *h = &s->hyper[digit[i]];
        if (isnan(v[digit[i]])) continue;
        const double level = mk_hyper_level(h, v[digit[i]]) + 1;
        carry = level >= h->levels;
        v[digit[i]] = mk_hyper_at_level(h, carry ? 0 : level);
    }
    settle(s, v);
    return !carry;
}

double mk_space_count(const struct mk_space *s)
{
    double v[MK_SPACE_MOST], all = 1, n = 0;
    bool depends = mk_space_forbids(s);
    for (size_t i = 0; i < s->n; i++) {
        all *= s->hyper[i].levels;
        depends |= s->hyper[i].n_when > 0;
        v[i] = NAN;
    }
    if (s->n_rows) return (double)s->n_rows;
    if (!depends || isinf(all)) return all;
    settle(s, v);
    size_t looked = 0;
    do {
        if (++looked > MK_SPACE_MOST_COUNTED) return INFINITY;
        n += mk_space_allows(s, v);
    } while (mk_space_step(s, v));
    return n;
}
