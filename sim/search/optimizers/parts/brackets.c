#include "sim/search/optimizers/parts/brackets.h"

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

/* ---- Hyperband ---- */

enum { MOST_CONFIGURATIONS = 10000000 }; /* of a bracket */

static struct mk_hyperband_rule rule_of(const double *par)
{
    return (struct mk_hyperband_rule){par[MK_HYPERBAND_R], par[MK_HYPERBAND_ETA],
                                      (enum mk_rounding)par[MK_HYPERBAND_ROUNDING],
                                      (enum mk_reading)par[MK_HYPERBAND_READING], par[MK_HYPERBAND_B]};
}

/* The largest bracket; 0: none has a round. */
static uint64_t largest(const double *par)
{
    const struct mk_hyperband_rule rule = rule_of(par);
    uint64_t most = 0, n;
    unsigned s;
    for (unsigned r = 0; r <= mk_floor_log(rule.R, rule.eta); r++)
        if (mk_hyperband_bracket(&rule, r, &n, &s) && n > most) most = n;
    return most;
}

const char *mk_hyperband_check(const double *par)
{
    if (par[MK_HYPERBAND_READING] == MK_READING_SOURCE)
        return isnan(par[MK_HYPERBAND_B]) ? NULL : "B: has an effect only with reading: printed";
    if (isnan(par[MK_HYPERBAND_B])) return "reading: printed computes the brackets from B, which is missing";
    const uint64_t most = largest(par);
    if (!most) return "reading: printed: with these R, eta and B no bracket has a round";
    return most > MOST_CONFIGURATIONS ? "B: expected brackets of at most 10^7 configurations" : NULL;
}

size_t mk_hyperband_state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)space;
    (void)budget;
    return mk_brackets_size(largest(par));
}

int mk_hyperband_init(void *state, const struct mk_ask *a, struct mk_error *err)
{
    (void)err;
    mk_brackets_init(state, (enum mk_reading)a->par[MK_HYPERBAND_READING]);
    return MK_OK;
}

bool mk_hyperband_next(struct mk_brackets *b, struct mk_ask *a, double *v, double *fidelity)
{
    const struct mk_hyperband_rule rule = rule_of(a->par);
    const unsigned most = mk_floor_log(rule.R, rule.eta);
    if (!mk_brackets_advance(b, a, rule.R, rule.eta)) {
        uint64_t n;
        unsigned s;
        while (!mk_hyperband_bracket(&rule, most - (unsigned)(b->bracket % (most + 1)), &n, &s)) b->bracket++;
        mk_brackets_open(b, a, n, s, rule.R, rule.eta);
    }
    return mk_brackets_next(b, a, v, fidelity);
}
