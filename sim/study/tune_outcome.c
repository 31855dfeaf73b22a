/* What came out of a trial: its cost, and whether it violates a constraint. */
#include <math.h>
#include <stdio.h>

#include "sim/base/text.h"
#include "sim/study/tune_state.h"

double mk_outcome_cost(const struct mk_tune *t, const struct mk_trial_outcome *o)
{
    const double cost = t->cost == SIZE_MAX ? 1 : mk_outcome_metric(o, t->cost);
    return cost > 0 ? cost : NAN;
}

/* Whether x lies beyond a bound; NaN does not. */
static bool excludes(const struct mk_constraint *c, double x)
{
    return x < c->at_least || x > c->at_most;
}

bool mk_outcome_is_infeasible(const struct mk_tune *t, const struct mk_trial_outcome *o)
{
    bool bad = false;
    for (size_t i = 0; i < t->n_constraints; i++)
        bad |= excludes(&t->constraint[i], mk_outcome_metric(o, t->constraint[i].metric));
    return bad;
}

/* Why the outcome violates a constraint; false: it does not. */
static bool violates(const struct mk_tune *t, const struct mk_constraint *c, const struct mk_trial_outcome *o,
                     char why[MK_WHY_ROOM])
{
    const double x = mk_outcome_metric(o, c->metric);
    char clip[MK_CLIP_ROOM];
    if (!isnan(x) && !excludes(c, x)) return false;
    mk_clip(t->further[c->metric].name, clip);
    if (isnan(x))
        snprintf(why, MK_WHY_ROOM, "subject_to: %s is missing", clip);
    else
        snprintf(why, MK_WHY_ROOM, "subject_to: %s is %g; expected at %s %g", clip, x,
                 x > c->at_most ? "most" : "least", x > c->at_most ? c->at_most : c->at_least);
    return true;
}

void mk_outcome_judge(const struct mk_tune *t, struct mk_trial_outcome *o)
{
    for (; o->n_metrics < t->n_metrics; o->n_metrics++) o->metric[o->n_metrics] = NAN;
    for (size_t i = 0; i < t->n_metrics; i++)
        if (t->further[i].from.source == MK_METRIC_SECONDS) o->metric[i] = o->seconds;
    if (o->status == MK_TRIAL_OK && isnan(mk_outcome_cost(t, o))) {
        snprintf(o->why, sizeof o->why, "cost: expected a number > 0, got %g", mk_outcome_metric(o, t->cost));
        o->status = MK_TRIAL_CRASHED;
        o->value = NAN;
    }
    for (size_t i = 0; i < t->n_constraints && o->status == MK_TRIAL_OK; i++)
        if (violates(t, &t->constraint[i], o, o->why)) o->status = MK_TRIAL_INFEASIBLE;
}
