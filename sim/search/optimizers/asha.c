/* Asynchronous successive halving (Li, Jamieson, Rostamizadeh, Gonina, Ben-tzur, Hardt, Recht, Talwalkar, "A System for
 * Massively Parallel Hyperparameter Tuning", MLSys 2020, Algorithm 2). Rung k = 0 … s, s = floor(log_eta R), evaluates
 * on max(1, floor(R eta^(k - s))) of R. From the highest rung below s down: of its n results, the best among the best
 * floor(n / eta) that has not been promoted runs on the next rung; where no rung has one, a new configuration begins.
 * So nothing waits for a rung to be complete, and a configuration may be promoted when later ones turn out to be worse.
 *
 * Failed evaluations count among the n and are not promoted; of equal results the earlier is better. The early-stopping
 * rate of the paper is 0. Cost per ask O(d + n log_eta R); memory 1 byte per evaluation of the budget. */
#include <math.h>
#include <string.h>

#include "sim/search/optimizers/optimizer.h"
#include "sim/search/plan/halving.h"

enum { WHOLE, ETA, PARAMS };

static const struct mk_param params[] = {
    {"R", MK_REAL, 0, 81, 1, 1e6, NULL, "budget of a whole evaluation, in units of the smallest (folds, iterations)"},
    {"eta", MK_REAL, MK_OPEN_LO, 3, 1, 1000, NULL, "one in eta goes on"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct asha {
    uint64_t n; /* [n] follow: whether a trial has been promoted */
};

static unsigned char *promoted(struct asha *state)
{
    return (unsigned char *)(state + 1);
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)par;
    (void)space;
    return sizeof(struct asha) + (size_t)budget;
}

static int init_asha(void *state, const struct mk_ask *a, struct mk_error *err)
{
    struct asha *s = state;
    (void)err;
    s->n = a->budget;
    memset(promoted(s), 0, (size_t)s->n);
    return MK_OK;
}

/* The part of a whole evaluation that a rung is. */
static double share_of(const double *par, unsigned rungs, unsigned k)
{
    return mk_halving_budget(par[WHOLE], par[ETA], rungs, k) / par[WHOLE];
}

/* The trial on this rung that is promoted next; SIZE_MAX: none. */
static size_t find_next(struct asha *s, const struct mk_ask *a, double share)
{
    const struct mk_trials *t = a->trials;
    size_t n = 0, better = 0, best = SIZE_MAX;
    for (size_t i = 0; i < t->told; i++) {
        if (t->fidelity[i] != share) continue;
        n++;
        if (t->status[i] != MK_TRIAL_OK || i >= s->n || promoted(s)[i]) continue;
        if (best == SIZE_MAX || t->reward[i] > t->reward[best]) best = i;
    }
    if (best == SIZE_MAX) return best;
    for (size_t i = 0; i < t->told; i++)
        better += t->fidelity[i] == share && t->status[i] == MK_TRIAL_OK &&
                  (t->reward[i] > t->reward[best] || (i < best && t->reward[i] == t->reward[best]));
    return (double)better < floor((double)n / a->par[ETA]) ? best : SIZE_MAX;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct asha *s = state;
    const size_t d = a->space->n;
    const unsigned rungs = mk_floor_log(a->par[WHOLE], a->par[ETA]);
    (void)err;
    for (unsigned k = rungs; k-- > 0;) {
        const size_t next = find_next(s, a, share_of(a->par, rungs, k));
        if (next == SIZE_MAX) continue;
        promoted(s)[next] = 1;
        memcpy(v, a->trials->v + next * d, d * sizeof *v);
        *fidelity = share_of(a->par, rungs, k + 1);
        return MK_OK;
    }
    *fidelity = share_of(a->par, rungs, 0);
    if (!mk_take_first(a, v)) mk_space_sample(a->space, &a->rng, v);
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_asha = {
    .name = "asha",
    .summary =
        "asynchronous successive halving, which promotes a configuration once it is among the best 1/eta of a rung",
    .formula =
        "rung k = 0 … s, s = floor(log_eta R), on max(1, floor(R eta^(k - s))) of R; from the highest rung down, "
        "the best configuration among the best floor(n / eta) of its rung's n results that was not promoted goes "
        "to the next rung; if there is none, a new one is drawn",
    .reference = "Li et al. 2020 (MLSys), Algorithm 2, with early-stopping rate 0",
    .departures = "budgets are rounded down to whole units; failed configurations count in n and are not promoted",
    .cost = "O(d + n log R)",
    .flags = MK_OPTIMIZER_FIDELITY,
    .params = params,
    .state_size = state_size,
    .init = init_asha,
    .ask = ask,
};
