#include "sim/search/optimizers/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"

void mk_trials_start(struct mk_trials *t, const struct mk_space *space)
{
    t->space = space;
    t->n = t->told = 0;
    t->worst = NAN;
}

void mk_trials_free(struct mk_trials *t)
{
    free(t->v);
    free(t->u);
    free(t->reward);
    free(t->cost);
    free(t->fidelity);
    free(t->row);
    free(t->digest);
    free(t->status);
    *t = (struct mk_trials){0};
}

int mk_trials_reserve(struct mk_trials *t, size_t n, struct mk_error *err)
{
    if (n <= t->room) return MK_OK;
    const size_t d = t->space->n, room = t->room, more = n - room;
    if (!MK_GROW(t->v, room * d, more * d) || !MK_GROW(t->u, room * d, more * d) || !MK_GROW(t->reward, room, more) ||
        !MK_GROW(t->cost, room, more) || !MK_GROW(t->fidelity, room, more) || !MK_GROW(t->row, room, more) ||
        !MK_GROW(t->digest, room, more) || !MK_GROW(t->status, room, more))
        return mk_fail_memory(err, "the trials of a search");
    t->room = n;
    return MK_OK;
}

void mk_trials_ask(struct mk_trials *t, double fidelity)
{
    const size_t d = t->space->n, at = t->n++;
    const double *v = t->v + at * d;
    mk_space_to_unit(t->space, v, t->u + at * d);
    t->reward[at] = NAN;
    t->cost[at] = 0;
    t->fidelity[at] = fidelity;
    t->row[at] = t->space->n_rows ? mk_space_row(t->space, v) : SIZE_MAX;
    t->digest[at] = mk_space_configuration_digest(t->space, v);
    t->status[at] = MK_TRIAL_OK;
}

void mk_trials_tell(struct mk_trials *t, double reward, double cost, enum mk_trial_status status)
{
    const size_t at = t->told++;
    t->cost[at] = cost;
    t->status[at] = (unsigned char)status;
    t->reward[at] = status == MK_TRIAL_OK ? reward : t->worst;
    if (status != MK_TRIAL_OK || reward >= t->worst) return;
    t->worst = reward;
    for (size_t i = 0; i < at; i++)
        if (t->status[i] != MK_TRIAL_OK) t->reward[i] = reward;
}

bool mk_trials_has(const struct mk_trials *t, const double *v)
{
    const uint64_t digest = mk_space_configuration_digest(t->space, v);
    for (size_t i = 0; i < t->n; i++)
        if (t->digest[i] == digest) return true;
    return false;
}

size_t mk_trials_open_rows(const struct mk_trials *t, size_t *open)
{
    const size_t rows = t->space->n_rows;
    size_t n = 0;
    for (size_t r = 0; r < rows; r++) open[r] = r;
    for (size_t i = 0; i < t->n; i++) open[t->row[i]] = SIZE_MAX;
    for (size_t r = 0; r < rows; r++)
        if (open[r] != SIZE_MAX) open[n++] = r;
    if (n) return n;
    for (size_t r = 0; r < rows; r++) open[r] = r;
    return rows;
}

bool mk_take_first(struct mk_ask *a, double *v)
{
    if (a->taken == a->n_first) return false;
    memcpy(v, a->first + a->taken++ * a->space->n, a->space->n * sizeof *v);
    return true;
}
