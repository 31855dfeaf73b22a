#include "policies/optimizers/parts/brackets.h"

#include <math.h>
#include <string.h>

size_t mk_brackets_size(uint64_t most)
{
    return sizeof(struct mk_brackets) + (size_t)most * sizeof(uint64_t);
}

void mk_brackets_init(struct mk_brackets *b, enum mk_reading reading)
{
    *b = (struct mk_brackets){.ends_early = reading == MK_READING_PRINTED};
}

static double value_of(const struct mk_trials *t, uint64_t i)
{
    return i < t->told && t->status[i] == MK_TRIAL_OK ? t->reward[i] : -INFINITY;
}

/* survivor[0 … keep-1] <- the best trials of the round, by insertion: `keep` is small where many are compared. */
static void select_best(struct mk_brackets *b, const struct mk_trials *t, uint64_t keep)
{
    uint64_t n = 0;
    for (uint64_t i = b->first; i < b->first + b->count; i++) {
        const double x = value_of(t, i);
        uint64_t lo = 0, hi = n;
        while (lo < hi) {
            const uint64_t middle = (lo + hi) / 2;
            if (value_of(t, b->survivor[middle]) >= x)
                lo = middle + 1;
            else
                hi = middle;
        }
        if (lo == keep) continue;
        n += n < keep;
        memmove(b->survivor + lo + 1, b->survivor + lo, (n - lo - 1) * sizeof *b->survivor);
        b->survivor[lo] = i;
    }
}

static void begin_round(struct mk_brackets *b, const struct mk_ask *a, double R, double eta)
{
    const double budget = mk_halving_budget(R, eta, b->s, b->k);
    b->count = mk_halving_left(b->n, eta, b->k);
    b->at = 0;
    b->first = a->trials->n;
    b->share = fmin(b->ends_early ? b->reached + budget / R : budget / R, 1);
}

void mk_brackets_open(struct mk_brackets *b, const struct mk_ask *a, uint64_t n, unsigned s, double R, double eta)
{
    b->n = n;
    b->s = s;
    b->k = 0;
    b->reached = 0;
    b->bracket++;
    begin_round(b, a, R, eta);
}

bool mk_brackets_advance(struct mk_brackets *b, const struct mk_ask *a, double R, double eta)
{
    if (b->at < b->count) return true;
    if (b->n == 0 || b->k + 1 >= b->s + !b->ends_early) return false;
    const uint64_t keep = mk_halving_left(b->n, eta, b->k + 1);
    if (keep == 0) return false;
    select_best(b, a->trials, keep);
    if (b->ends_early) b->reached = b->share;
    b->k++;
    begin_round(b, a, R, eta);
    return true;
}

bool mk_brackets_next(struct mk_brackets *b, struct mk_ask *a, double *v, double *fidelity)
{
    const size_t d = a->space->n;
    const uint64_t i = b->at++;
    *fidelity = b->share;
    a->paid = b->reached;
    if (b->k == 0) return false;
    memcpy(v, a->trials->v + b->survivor[i] * d, d * sizeof *v);
    return true;
}
