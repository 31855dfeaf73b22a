#include "sim/study/tune_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/study/command_words.h"

enum { LOOK_AHEAD = 2000 }; /* most trials of a search that are looked at for its first whole evaluation */

/* A result that depends on the configuration alone, so that races can drop what is worse. */
static double result_of(const struct mk_space *space, const double *v)
{
    struct mk_key key = mk_key_text(mk_key_start(), "plan");
    struct mk_pcg64 rng;
    for (size_t i = 0; i < space->n; i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        key = mk_key_word(key, bits);
    }
    mk_pcg64_from_key(&rng, key);
    return mk_uniform(&rng);
}

/* *first <- the number of the first trial, from 1, that is a whole evaluation of a search with a schedule which is
 * planned for this budget; LOOK_AHEAD + 1: none of the first LOOK_AHEAD is, or of
 * those that the search has a plan for. */
static int first_whole(const struct mk_optimizer_choice *choice, const struct mk_space *space, uint64_t budget,
                       uint64_t *first, struct mk_error *err)
{
    struct mk_optimizer *o = NULL;
    const double *v;
    double fidelity = 0;
    *first = LOOK_AHEAD + 1;
    uint64_t most = budget < LOOK_AHEAD ? LOOK_AHEAD : budget;
    int code = mk_optimizer_new(&o, choice->type, choice->par, space, most, err);
    if (!code && mk_optimizer_plans(o)) { /* then what it does depends on the budget, after which there is no trial */
        mk_optimizer_free(o);
        o = NULL;
        code = mk_optimizer_new(&o, choice->type, choice->par, space, most = budget, err);
    }
    if (!code) o->ask.by_instance = true;
    if (!code) code = mk_optimizer_start(o, mk_key_text(mk_key_start(), "plan"), err);
    for (uint64_t i = 1; !code && i < *first && i <= most; i++) {
        code = mk_optimizer_ask(o, &v, &fidelity, err);
        if (code) break;
        if (fidelity == 1) *first = i;
        mk_optimizer_tell(o, result_of(space, v), fidelity, MK_TRIAL_OK);
    }
    mk_optimizer_free(o);
    return code;
}

static int first_of_arm(const struct mk_tune *t, size_t k, uint64_t *first, struct mk_error *err)
{
    *first = 1;
    if (t->on.n) *first = mk_tune_races(t, k) ? 1 : t->runs; /* a race need not go through all instances */
    if (t->on.n || !mk_tune_in_part(t, k)) return MK_OK;
    return first_whole(mk_tune_optimizer(t, k), t->policy ? t->arm[k].space : t->joint, t->horizon, first, err);
}

/* The configurations before the model of a search. */
static double initial_size(const struct mk_optimizer_choice *choice, const struct mk_space *space, uint64_t budget)
{
    if (choice->type->initial) return choice->type->initial(choice->par, space, budget);
    const int init = mk_param_find(choice->type->params, "init");
    return init < 0 || isnan(choice->par[init]) ? 0 : choice->par[init];
}

static void note_initial_designs(const struct mk_tune *t, char note[MK_PLAN_NOTE_ROOM])
{
    double all = 0;
    for (size_t k = 0; k < t->n_arms && t->policy; k++)
        all += initial_size(&t->arm[k].optimizer, t->arm[k].space, t->horizon);
    if (!t->policy) all = initial_size(&t->combined, t->joint, t->horizon);
    if (all > 0 && all >= (double)t->evaluations)
        snprintf(note, MK_PLAN_NOTE_ROOM,
                 "%s: budget: %" PRIu64
                 " trials are no more than the initial designs (init: %g in all): where they are "
                 "not complete, configurations are chosen without a model",
                 t->file, t->evaluations, all);
}

int mk_tune_limit_to_configurations(struct mk_tune *t, struct mk_error *err)
{
    double all = 0;
    if (!t->policy || t->on.n || t->prior || t->open_budget)
        return mk_fail(err, MK_EINPUT, "leave: expected a policy, budget: evaluations:, no instances and no prior");
    for (size_t k = 0; k < t->n_arms; k++) {
        const struct mk_space *space = t->arm[k].space;
        t->arm[k].configurations = mk_tune_in_part(t, k) || space->n_rows ? INFINITY : mk_space_count(space);
        all += t->arm[k].configurations;
    }
    if (all < (double)t->evaluations) t->evaluations = t->horizon = (uint64_t)all;
    t->configurations = all;
    return MK_OK;
}

/* Where there are fewer configurations than trials, some are evaluated several times. */
static void note_small_spaces(const struct mk_tune *t, char note[MK_PLAN_NOTE_ROOM])
{
    double all = 0;
    for (size_t k = 0; k < t->n_arms; k++) {
        if (mk_tune_in_part(t, k) || !t->arm[k].space->n) return; /* these are meant to be evaluated more than once */
        all += mk_space_count(t->arm[k].space);
    }
    if (all < (double)t->evaluations)
        snprintf(note, MK_PLAN_NOTE_ROOM,
                 "%s: budget: %" PRIu64 " trials are more than the %.15g configurations that the spaces have: some are "
                 "evaluated more than once, which tells nothing new of a program without randomness",
                 t->file, t->evaluations, all);
}

static void note_unnamed(const struct mk_tune *t, char note[MK_PLAN_NOTE_ROOM])
{
    char clip[MK_CLIP_ROOM], names[120];
    for (size_t k = 0; k < t->n_arms && !*note; k++) {
        const struct mk_command_words *c = t->arm[k].command;
        const size_t lacks = c ? mk_command_lacks(c, t->arm[k].space, names, sizeof names) : 0;
        if (lacks)
            snprintf(
                note, MK_PLAN_NOTE_ROOM,
                "%s: command: that of arm '%s' has neither {args} nor {config}, nor a word for %s: its program ignores %s, "
                "unless it reads the file that MAXK_CONFIG names",
                t->file, mk_clip(t->arm[k].label, clip), names,
                lacks == 1 ? "this hyperparameter" : "these hyperparameters");
    }
}

static int too_few(const struct mk_tune *t, size_t k, uint64_t first, struct mk_error *err)
{
    const struct mk_optimizer_type *type = mk_tune_optimizer(t, k)->type;
    char clip[MK_CLIP_ROOM], when[80] = "";
    if (first <= LOOK_AHEAD) snprintf(when, sizeof when, ", at the earliest trial %" PRIu64, first);
    return mk_fail(err, MK_EINPUT,
                   "%s: budget: evaluations: %" PRIu64
                   " trials end before the first whole evaluation of %s%s of '%s'; expected more trials, or %s",
                   t->file, t->evaluations, type->name, when, mk_clip(t->arm[k].label, clip),
                   t->on.n                                        ? "a smaller instances_per_trial"
                   : mk_param_find(type->params, "instances") < 0 ? "a smaller R"
                                                                  : "fewer instances");
}

int mk_tune_check_plan(const struct mk_tune *t, char note[MK_PLAN_NOTE_ROOM], struct mk_error *err)
{
    uint64_t least = UINT64_MAX, least_of = 0, all = 0, first;
    size_t late = t->n_arms;
    *note = 0;
    note_unnamed(t, note);
    if (t->open_budget) return MK_OK;
    for (size_t k = 0; k < t->n_arms; k++) {
        int code = first_of_arm(t, k, &first, err);
        if (code) return code;
        all += first;
        if (first > 1 && late == t->n_arms) late = k;
        if (first < least) {
            least = first;
            least_of = k;
        }
    }
    if (least > t->evaluations) return too_few(t, least_of, least, err);
    if (!*note && t->policy && late < t->n_arms && all > t->evaluations)
        snprintf(note, MK_PLAN_NOTE_ROOM,
                 "%s: budget: %" PRIu64 " trials do not suffice for a first whole evaluation in every arm, which takes "
                 "at least %" PRIu64 "; an arm without one cannot be the best",
                 t->file, t->evaluations, all);
    if (!*note) note_initial_designs(t, note);
    if (!*note) note_small_spaces(t, note);
    return MK_OK;
}
