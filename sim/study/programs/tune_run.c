#include "sim/study/programs/tune_run.h"

#include <math.h>

#include "sim/base/error.h"
#include "sim/run/engine/run.h"
#include "sim/study/programs/trial_slots.h"
#include "sim/study/tuning.h"

struct running {
    struct mk_tuning *of;
    const struct mk_tune_options *how;
    struct mk_trial_slots *slots;
    bool out_of_time;
};

static void show(const struct running *r, size_t number, const struct mk_reevaluation *again)
{
    const struct mk_tune_view view = {r->of, mk_trial_slots_busy(r->slots), again};
    if (r->how->seen) r->how->seen(r->how->context, &view, number);
}

static int fill_slots(struct running *r, struct mk_error *err)
{
    size_t number = 0;
    int code = MK_OK;
    while (!code && number != SIZE_MAX && mk_trial_slots_has_room(r->slots)) {
        code = mk_tuning_next(r->of, &number, err);
        if (!code && number != SIZE_MAX)
            code = mk_trial_slots_start(r->slots, number, &r->of->state->trial[number], err);
    }
    return code;
}

static int stopped(const struct running *r, struct mk_error *err)
{
    const size_t added = r->of->all - (size_t)r->of->evaluations;
    const int code = mk_run_end_stopped(err);
    return mk_fail(
        err, code,
        "stopped on request; the results of %zu of %zu trials (%zu of them failures) are kept in %s, continue "
        "with --resume",
        r->of->ended - added, r->of->all - added, r->of->failed, r->how->files.folder);
}

/* Re-evaluations, whose numbers follow those of the trials, run to their end: their reports change nothing. */
static int take_report(void *running, size_t number, struct mk_report now, bool *stop, struct mk_error *err)
{
    struct running *r = running;
    *stop = false;
    return number < r->of->state->n ? mk_tuning_report(r->of, number, now.step, now.value, stop, err) : MK_OK;
}

static int open_slots(struct running *r, struct mk_error *err)
{
    const struct mk_tune *t = r->of->t;
    int code = mk_trial_slots_new(&r->slots, t, r->how->files.folder, r->how->drop, err);
    if (!code && t->pruning.on) mk_trial_slots_listen(r->slots, take_report, r);
    return code;
}

/* Whether there are trials left. A budget that has no number of trials is doubled when they are used up, unless an
 * optimiser would then have chosen other ones. */
static bool has_trials(struct running *r)
{
    struct mk_error ignored;
    if (r->of->ended < r->of->all || !r->of->t->open_budget) return r->of->ended < r->of->all;
    return r->of->evaluations <= MK_TUNE_MOST_EVALUATIONS / 2 &&
           mk_tuning_extend(r->of, 2 * r->of->evaluations, &ignored) == MK_OK;
}

static int loop(struct running *r, struct mk_error *err)
{
    struct mk_trial_outcome outcome;
    size_t number;
    int code = MK_OK;
    while (!code && has_trials(r)) {
        if (mk_run_stopped()) return stopped(r, err);
        const double left = r->of->t->seconds - mk_tuning_elapsed(r->of);
        if (left <= 0) {
            r->out_of_time = true;
            return MK_OK;
        }
        code = fill_slots(r, err);
        if (!code) code = mk_trial_slots_wait(r->slots, fmin(left, 0.2), &number, &outcome, err);
        if (!code && number != SIZE_MAX) code = mk_tuning_end(r->of, number, &outcome, err);
        if (!code) code = mk_tune_journal_sync(r->of->journal, err);
        if (!code) show(r, number, NULL);
    }
    return code;
}

/* Starts re-evaluations of the best trial as long as there is room: numbers go on after those of the trials. */
static int fill_again(struct running *r, size_t best, size_t n, size_t *started, struct mk_error *err)
{
    const size_t first = r->of->state->n;
    int code = MK_OK;
    for (; !code && *started < n && mk_trial_slots_has_room(r->slots); ++*started) {
        const struct mk_reevaluation *again = &r->of->state->again[*started];
        struct mk_trial trial = r->of->state->trial[best];
        trial.seed = again->seed;
        trial.on = again->on;
        trial.origin = SIZE_MAX; /* from its beginning */
        trial.fresh = true;
        trial.bound = r->of->t->bound;
        if (!again->on && again->instance) trial.fidelity = (double)again->instance / (double)trial.instance;
        if (!again->done) code = mk_trial_slots_start(r->slots, first + *started, &trial, err);
    }
    return code;
}

/* Evaluates the best configuration again, as often as the file says; the budget does not count it. */
static int reevaluate(struct running *r, struct mk_error *err)
{
    const size_t best = r->of->state->best, first = r->of->state->n, n = mk_tune_evaluations_after(r->of->t);
    struct mk_trial_outcome outcome;
    size_t started = 0, number;
    int code = mk_tune_state_reevaluate(r->of->state, best, n, err);
    if (!code) code = open_slots(r, err);
    while (!code && (started < n || mk_trial_slots_busy(r->slots))) {
        if (mk_run_stopped())
            return mk_fail(err, mk_run_end_stopped(err),
                           "stopped on request; all %zu results are kept in %s, continue with --resume", r->of->ended,
                           r->how->files.folder);
        code = fill_again(r, best, n, &started, err);
        if (!code) code = mk_trial_slots_wait(r->slots, 0.2, &number, &outcome, err);
        if (code || number == SIZE_MAX) continue;
        code = mk_tuning_again(r->of, number - first, &outcome, err);
        if (!code) show(r, best, &r->of->state->again[number - first]);
    }
    return code;
}

int mk_tune_run(struct mk_tuning *r, const struct mk_tune *t, const struct mk_tune_options *how, bool *out_of_time,
                struct mk_error *err)
{
    struct running now = {.of = r, .how = how};
    int code = mk_tuning_open(r, t, &how->files, err);
    if (!code) code = open_slots(&now, err);
    if (!code) code = loop(&now, err);
    mk_trial_slots_free(now.slots);
    now.slots = NULL;
    if (!code) code = mk_tuning_tell_all(r, err);
    if (!code && mk_tune_evaluations_after(t)) code = reevaluate(&now, err);
    mk_trial_slots_free(now.slots);
    *out_of_time = now.out_of_time;
    return code ? mk_tune_run_end(r, code, err) : MK_OK;
}

int mk_tune_run_end(struct mk_tuning *r, int code, struct mk_error *err)
{
    if (!code) code = mk_tune_journal_done(r->journal, err);
    mk_tuning_close(r, code);
    if (!code) return MK_OK;
    mk_tune_state_free(r->state);
    r->state = NULL;
    return code;
}
