#include "sim/search/optimizers/optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/search/optimizers/parts/untried.h"

void mk_optimizer_free(struct mk_optimizer *o)
{
    if (!o) return;
    if (o->ask.bench) o->type->bench_free(o->ask.bench);
    free(o->ask.bench);
    mk_trials_free(&o->trials);
    free(o->first);
    free(o->state);
    free(o);
}

int mk_optimizer_new(struct mk_optimizer **out, const struct mk_optimizer_type *type, const double *par,
                     const struct mk_space *space, uint64_t budget, struct mk_error *err)
{
    int code = type->fits ? type->fits(par, space, budget, err) : MK_OK;
    if (code) return code;
    struct mk_optimizer *o = calloc(1, sizeof *o);
    if (!o) return mk_fail_memory(err, "an optimiser");
    o->type = type;
    o->ask.space = space;
    o->ask.par = par;
    o->ask.budget = budget;
    o->ask.trials = &o->trials;
    const size_t bytes = type->state_size ? type->state_size(par, space, budget) : 0;
    o->state = malloc(bytes ? bytes : 1);
    if (type->bench_size) o->ask.bench = calloc(1, type->bench_size);
    if (!o->state || (type->bench_size && !o->ask.bench)) {
        mk_optimizer_free(o);
        return mk_fail_memory(err, "an optimiser");
    }
    *out = o;
    return MK_OK;
}

void mk_optimizer_give(struct mk_optimizer *o, const double *v, size_t n)
{
    o->given = v;
    o->n_given = n;
}

int mk_optimizer_enqueue(struct mk_optimizer *o, const double *v, struct mk_error *err)
{
    const size_t d = o->ask.space->n, n = o->ask.n_first;
    if (!MK_GROW(o->first, n * d, d)) return mk_fail_memory(err, "configurations to be tried first");
    memcpy(o->first + n * d, v, d * sizeof *v);
    o->ask.first = o->first;
    o->ask.n_first = n + 1;
    return MK_OK;
}

size_t mk_optimizer_instances(const struct mk_optimizer_type *type, const double *par)
{
    const int at = type->flags & MK_OPTIMIZER_INSTANCES ? mk_param_find(type->params, "instances") : -1;
    return at < 0 ? 0 : (size_t)par[at];
}

int mk_optimizer_start(struct mk_optimizer *o, struct mk_key key, struct mk_error *err)
{
    mk_trials_start(&o->trials, o->ask.space);
    o->ask.key = key;
    o->served = o->ask.taken = 0;
    return o->type->init ? o->type->init(o->state, &o->ask, err) : MK_OK;
}

static int take_given(struct mk_optimizer *o, double *v, struct mk_error *err)
{
    const struct mk_space *s = o->ask.space;
    memcpy(v, o->given + o->served++ * s->n, s->n * sizeof *v);
    return s->n_rows ? mk_take_nearest_row(&o->ask, v, err) : MK_OK;
}

/* The next configuration: one to be tried first, given by a prior, or its own. */
static int propose(struct mk_optimizer *o, double *v, double *share, struct mk_error *err)
{
    const bool has_schedule = o->type->flags & MK_OPTIMIZER_FIDELITY;
    if (!has_schedule && mk_take_first(&o->ask, v)) return MK_OK;
    if (o->served < o->n_given) return take_given(o, v, err);
    if (!o->type->state_size && mk_take_known(&o->ask, v)) return MK_OK;
    return o->type->ask(o->state, &o->ask, v, share, err);
}

static bool plans(const struct mk_optimizer *o, uint64_t budget)
{
    return o->type->plans && o->type->plans(o->ask.par, o->ask.space, budget);
}

bool mk_optimizer_plans(const struct mk_optimizer *o)
{
    return plans(o, o->ask.budget);
}

bool mk_optimizer_extend(struct mk_optimizer *o, uint64_t budget)
{
    const struct mk_optimizer_type *type = o->type;
    if (plans(o, budget < o->ask.budget ? budget : o->ask.budget)) return false;
    if (budget <= o->ask.budget) return true;
    if (type->state_size &&
        type->state_size(o->ask.par, o->ask.space, budget) != type->state_size(o->ask.par, o->ask.space, o->ask.budget))
        return false;
    o->ask.budget = budget;
    return true;
}

int mk_optimizer_ask(struct mk_optimizer *o, const double **v, double *fidelity, struct mk_error *err)
{
    const size_t d = o->ask.space->n;
    double share = 1;
    if (o->trials.n >= o->ask.budget)
        return mk_fail(err, MK_EFAIL, "%s: more than %llu configurations requested", o->type->name,
                       (unsigned long long)o->ask.budget);
    /* The memory of the future configuration serves as scratch. */
    int code = mk_trials_reserve(&o->trials, o->trials.n + 1, err);
    double *next = code ? NULL : o->trials.v + o->trials.n * d;
    o->ask.paid = 0;
    mk_pcg64_from_key(&o->ask.rng, mk_key_word(o->ask.key, o->trials.n));
    if (!code) code = propose(o, next, &share, err);
    if (code) return code;
    mk_trials_ask(&o->trials, share);
    *v = next;
    *fidelity = share;
    return MK_OK;
}

static int check_view(const struct mk_optimizer *o, struct mk_error *err)
{
    const struct mk_ask *a = &o->ask;
    if (!o->type->view)
        return mk_fail(err, MK_EINPUT, "%s: it has no model that can be shown; gp, rf and tpe have", o->type->name);
    if (a->taken < a->n_first || o->served < o->n_given)
        return mk_fail(err, MK_EINPUT, "%s: its next configuration is one that was to be tried first", o->type->name);
    return MK_OK;
}

int mk_optimizer_view(struct mk_optimizer *o, double *v, struct mk_model_view *m, struct mk_error *err)
{
    const struct mk_optimizer_type *type = o->type;
    int code = check_view(o, err);
    if (code) return code;
    const size_t bytes = type->state_size ? type->state_size(o->ask.par, o->ask.space, o->ask.budget) : 0;
    void *state = malloc(bytes ? bytes : 1);
    struct mk_ask ask = o->ask; /* copies: what the search does next must not depend on it */
    double share = 1;
    if (!state) return mk_fail_memory(err, "an optimiser");
    memcpy(state, o->state, bytes);
    mk_pcg64_from_key(&ask.rng, mk_key_word(ask.key, o->trials.n));
    const struct mk_pcg64 rng = ask.rng;
    code = type->ask(state, &ask, v, &share, err);
    ask.rng = rng;
    m->drawn = false;
    m->n_numbers = 0;
    for (size_t i = 0; i < ask.space->n; i++) m->length[i] = NAN;
    if (!code) code = type->view(state, &ask, m, err);
    free(state);
    return code;
}

/* Whether a proposal is chosen again though it is known: the first ones, and then fewer and fewer. */
static bool is_checked(uint64_t n)
{
    enum { ALL_BELOW = 16 };
    return n < ALL_BELOW || (n & (n - 1)) == 0;
}

int mk_optimizer_ask_again(struct mk_optimizer *o, const double *known, const double **v, double *fidelity,
                           struct mk_error *err)
{
    o->ask.known = is_checked(o->trials.n) ? NULL : known;
    int code = mk_optimizer_ask(o, v, fidelity, err);
    o->ask.known = NULL;
    return code;
}

void mk_optimizer_replace(struct mk_optimizer *o, const double *v)
{
    const size_t d = o->ask.space->n;
    memcpy(o->trials.v + (o->trials.n - 1) * d, v, d * sizeof *v);
}

int mk_optimizer_add(struct mk_optimizer *o, const double *v, struct mk_error *err)
{
    const size_t d = o->ask.space->n;
    int code = mk_trials_reserve(&o->trials, o->trials.n + 1, err);
    if (code) return code;
    memcpy(o->trials.v + o->trials.n * d, v, d * sizeof *v);
    mk_trials_ask(&o->trials, 1);
    return MK_OK;
}

void mk_optimizer_tell(struct mk_optimizer *o, double reward, double cost, enum mk_trial_status status)
{
    mk_trials_tell(&o->trials, reward, cost, status);
}
