#include "sim/study/trial_reports.h"

#include "sim/base/error.h"
#include "sim/base/grow.h"

/* The trials that this one is compared with: those that had ended when it began, or all. */
static size_t known_to(const struct mk_tune *t, size_t number)
{
    if (t->order == MK_ORDER_FINISH) return SIZE_MAX;
    return number + 1 > t->lag ? number + 1 - (size_t)t->lag : 0;
}

bool mk_tune_state_is_new(const struct mk_tune_state *s, size_t number, struct mk_report now)
{
    const struct mk_trial *t = &s->trial[number];
    return !t->stopped && now.step > mk_last_step(&t->reports);
}

bool mk_tune_state_decide(const struct mk_tune_state *s, size_t number, struct mk_report now)
{
    const struct mk_trial *t = &s->trial[number];
    return mk_pruner_decide(s->pruner, t->arm, &t->reports, now, known_to(s->t, number));
}

int mk_tune_state_report(struct mk_tune_state *s, size_t number, struct mk_report now, bool stop, struct mk_error *err)
{
    struct mk_trial *t = &s->trial[number];
    if (!MK_GROW(t->reports.report, t->reports.n, 1)) return mk_fail_memory(err, "reports");
    int code = mk_pruner_add(s->pruner, t->arm, number, &t->reports, now, known_to(s->t, number), err);
    if (code) return code;
    t->reports.report[t->reports.n++] = now;
    t->stopped = stop;
    return MK_OK;
}

void mk_trial_judge_stopped(const struct mk_trial *t, struct mk_trial_outcome *o)
{
    if (!t->stopped) return;
    o->status = MK_TRIAL_PRUNED;
    o->value = t->reports.report[t->reports.n - 1].value;
    *o->why = 0;
}

int mk_tune_state_end(struct mk_tune_state *s, size_t number, const struct mk_trial_outcome *o, struct mk_error *err)
{
    struct mk_trial *t = &s->trial[number];
    const bool whole = o->status == MK_TRIAL_OK || o->status == MK_TRIAL_INFEASIBLE;
    int code = s->pruner && whole ? mk_pruner_add_whole(s->pruner, t->arm, number, &t->reports, err) : MK_OK;
    if (code) return code;
    if (o->status == MK_TRIAL_PRUNED && t->reports.n)
        t->fidelity = (double)mk_last_step(&t->reports) / (double)s->t->pruning.max_step;
    t->done = true;
    t->running = false;
    t->outcome = *o;
    return MK_OK;
}
