#include "policies/optimizers/parts/hyperband_brackets.h"

#include <math.h>

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
