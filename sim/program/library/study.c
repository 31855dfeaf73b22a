/* sim/api/maxk/study.h. */
#include "sim/api/maxk/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/acquisition.h"
#include "analysis/compare/recorded_trials.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"
#include "sim/program/library/settings.h"
#include "sim/run/engine/run.h"
#include "sim/search/space/space_read.h"
#include "sim/study/command_words.h"
#include "sim/study/study_files.h"
#include "sim/study/tune_result.h"
#include "sim/study/tuning.h"

struct mk_study {
    struct mk_tune *t;
    struct mk_tuning r;
    struct mk_tuning_options how;
    char *result, *folder; /* NULL: in memory */
    double *asked;         /* [n_asked] when trials of this session were asked for */
    size_t n_asked;
    char *configuration; /* of the trial last looked at */
};

/* ---- beginning ---- */

static int check_result(const char *path, struct mk_error *err)
{
    const size_t n = strlen(path);
    if (n < 4 || strcmp(path + n - 3, ".h5") != 0)
        return mk_fail(err, MK_EINPUT, "study: result: expected a name that ends in .h5, got '%.80s'", path);
    return mk_atomic_file_check(path, err);
}

/* In *err, of a success. */
static int say_what_is_kept(const struct mk_study *s, struct mk_error *err)
{
    if (err) *err = (struct mk_error){0};
    return *s->r.previous
               ? mk_fail(err, MK_OK, "%.900s: an earlier result; kept as %.900s%s", s->result, s->result, s->r.previous)
               : MK_OK;
}

static bool resumes(enum mk_study_start start)
{
    return start == MK_STUDY_START_RESUMED || start == MK_STUDY_START_REPAIRED;
}

int mk_study_open(struct mk_study **out, const char *text, const struct mk_study_settings *settings,
                  struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_study_settings own = {0};
    *out = NULL;
    int code = settings ? mk_settings_copy(&own, sizeof own, offsetof(struct mk_study_settings, own), settings,
                                           "mk_study_settings", err)
                        : MK_OK;
    if (code) return code;
    if ((unsigned)own.start > MK_STUDY_START_OVER)
        return mk_fail(err, MK_EINPUT, "study: start: expected a value of enum mk_study_start, got %d", (int)own.start);
    struct mk_study *s = *out = calloc(1, sizeof *s);
    if (!s) return mk_fail_memory(err, "a study");
    if (own.result) {
        s->result = strdup(own.result);
        s->folder = mk_trials_path(own.result, ".trials");
        code = s->result && s->folder ? check_result(s->result, err) : mk_fail_memory(err, "a study");
    }
    s->how = (struct mk_tuning_options){.folder = s->folder,
                                        .resume = resumes(own.start),
                                        .force = own.start == MK_STUDY_START_OVER,
                                        .repair = own.start == MK_STUDY_START_REPAIRED,
                                        .own = own.own,
                                        .result = s->result};
    if (resumes(own.start)) mk_run_stop_reset();
    if (!code) code = mk_tune_parse_study(&s->t, "study", text, err);
    if (!code) code = mk_tuning_open(&s->r, s->t, &s->how, err);
    if (!code) {
        const size_t again = s->r.state->n_again, tests = s->t->test.n; /* of an earlier session */
        if (again > tests + s->t->reevaluate) s->t->reevaluate = again - tests;
        return say_what_is_kept(s, err);
    }
    mk_study_free(s);
    *out = NULL;
    return code;
}

void mk_study_free(struct mk_study *s)
{
    MK_IN_C_LOCALE;
    if (!s) return;
    if (s->t) {
        mk_tuning_close(&s->r, MK_OK);
        mk_tune_state_free(s->r.state);
    }
    mk_tune_free(s->t);
    free(s->result);
    free(s->folder);
    free(s->asked);
    free(s->configuration);
    free(s);
}

/* ---- trials ---- */

/* Notes when a trial was asked for. */
static int start_clock(struct mk_study *s, size_t number, struct mk_error *err)
{
    if (number >= s->n_asked) {
        if (!MK_GROW(s->asked, s->n_asked, number + 1 - s->n_asked)) return mk_fail_memory(err, "trials");
        s->n_asked = number + 1;
    }
    s->asked[number] = mk_seconds();
    return MK_OK;
}

int mk_study_ask(struct mk_study *s, size_t *number, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    int code = mk_tuning_next(&s->r, number, err);
    if (!code && *number == SIZE_MAX && s->r.state->n >= s->r.all)
        return mk_fail(err, MK_EINPUT, "study: all %" PRIu64 " trials of its budget have been asked for",
                       s->r.evaluations);
    return code || *number == SIZE_MAX ? code : start_clock(s, *number, err);
}

void mk_study_give_up(struct mk_study *s)
{
    mk_tuning_give_up_all(&s->r);
}

void mk_study_give_up_trial(struct mk_study *s, size_t number)
{
    mk_tuning_give_up(&s->r, number);
}

/* MK_EINPUT: it is not a trial that was asked for and has no result. */
static int check_running(const struct mk_study *s, size_t number, struct mk_error *err)
{
    if (number < s->r.state->n && number < s->n_asked && !s->r.state->trial[number].done) return MK_OK;
    return mk_fail(err, MK_EINPUT, "study: trial %zu: expected one that was asked for and has no result", number);
}

static int end_trial(struct mk_study *s, size_t number, struct mk_trial_outcome *o, double seconds,
                     struct mk_error *err)
{
    int code = check_running(s, number, err);
    if (code) return code;
    o->seconds = seconds >= 0 ? seconds : mk_seconds() - s->asked[number];
    return mk_tuning_end(&s->r, number, o, err);
}

int mk_study_tell(struct mk_study *s, size_t number, double value, double seconds, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return mk_study_tell_metrics(s, number, value, NULL, seconds, err);
}

static void set_metrics(struct mk_trial_outcome *o, const double *metric, size_t n)
{
    o->n_metrics = n;
    for (size_t i = 0; i < n; i++) o->metric[i] = isfinite(metric[i]) ? metric[i] : NAN;
}

/* A run that takes as long as its bound counts as this time or, if its configuration cannot survive then, has failed.
 */
static void judge_time(const struct mk_tune *t, double bound, struct mk_trial_outcome *o)
{
    if (!(bound > 0) || !(o->value >= bound)) return;
    if (bound < t->bound) {
        o->status = MK_TRIAL_TIMED_OUT;
        o->value = NAN;
        snprintf(o->why, sizeof o->why, "took %.3g s or longer, with which its configuration cannot survive (bound)",
                 bound);
    } else {
        o->value = t->bound;
    }
}

int mk_study_tell_metrics(struct mk_study *s, size_t number, double value, const double *metric, double seconds,
                          struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_trial_outcome o = {.status = MK_TRIAL_OK, .value = value};
    if (metric) set_metrics(&o, metric, s->t->n_named);
    const bool stopped = number < s->r.state->n && s->r.state->trial[number].stopped; /* with the value of its report */
    if (!stopped && !(fabs(mk_tune_reward(s->t, value)) <= MK_MOST_REWARD))
        return mk_fail(err, MK_EINPUT, "study: trial %zu: expected a finite value up to 1e100 in size, got %g", number,
                       value);
    if (!stopped && number < s->r.state->n) judge_time(s->t, s->r.state->trial[number].bound, &o);
    return end_trial(s, number, &o, seconds, err);
}

static void set_why(struct mk_trial_outcome *o, const char *why)
{
    snprintf(o->why, sizeof o->why, "%s", why ? why : "");
    mk_text_one_line(o->why);
}

static int fail(struct mk_study *s, size_t number, enum mk_trial_status status, const char *why, double seconds,
                struct mk_error *err)
{
    struct mk_trial_outcome o = {.status = status, .value = NAN};
    set_why(&o, why);
    return end_trial(s, number, &o, seconds, err);
}

int mk_study_fail(struct mk_study *s, size_t number, const char *why, double seconds, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return fail(s, number, MK_TRIAL_CRASHED, why, seconds, err);
}

int mk_study_time_out(struct mk_study *s, size_t number, const char *why, double seconds, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return fail(s, number, MK_TRIAL_TIMED_OUT, why, seconds, err);
}

int mk_study_report(struct mk_study *s, size_t number, uint64_t step, double value, int *stop, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    bool stops = false;
    int code = check_running(s, number, err);
    if (code) return code;
    if (step < 1 || step > MK_PRUNING_MOST_STEPS)
        return mk_fail(err, MK_EINPUT, "study: trial %zu: expected a step from 1 to %d, got %" PRIu64, number,
                       MK_PRUNING_MOST_STEPS, step);
    if (!(fabs(mk_tune_reward(s->t, value)) <= MK_MOST_REWARD))
        return mk_fail(err, MK_EINPUT, "study: trial %zu: expected a finite value up to 1e100 in size, got %g", number,
                       value);
    code = mk_tuning_report(&s->r, number, step, value, &stops, err);
    *stop = stops;
    return code;
}

int mk_study_reported(const struct mk_study *s, size_t number, size_t i, uint64_t *step, double *value)
{
    if (number >= s->r.state->n || i >= s->r.state->trial[number].reports.n) return 0;
    const struct mk_report *r = &s->r.state->trial[number].reports.report[i];
    *step = r->step;
    *value = r->value;
    return 1;
}

uint64_t mk_study_step(const struct mk_study *s, size_t number)
{
    return number < s->r.state->n ? mk_last_step(&s->r.state->trial[number].reports) : 0;
}

size_t mk_study_origin(const struct mk_study *s, size_t number)
{
    const size_t origin = number < s->r.state->n ? s->r.state->trial[number].origin : SIZE_MAX;
    return origin == SIZE_MAX ? number : origin;
}

int mk_study_is_new(const struct mk_study *s, size_t number)
{
    return number < s->r.state->n && s->r.state->trial[number].fresh;
}

int mk_study_add(struct mk_study *s, const struct mk_study_result *result, size_t n, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return mk_study_add_metrics(s, result, NULL, n, err);
}

/* An earlier result, of `place` in messages. */
static int read_added(struct mk_added_trial *a, const struct mk_tune *t, const struct mk_study_result *result,
                      const char *place, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    a->arm = mk_tune_find_arm(t, result->arm, strlen(result->arm));
    a->where.file = "earlier results";
    a->outcome.value = result->value;
    if (a->arm == t->n_arms)
        return mk_fail(err, MK_EINPUT, "%s: arm: expected the label of an arm, got '%s'", place,
                       mk_clip(result->arm, clip));
    if (!(fabs(mk_tune_reward(t, result->value)) <= MK_MOST_REWARD))
        return mk_fail(err, MK_EINPUT, "%s: expected a finite value up to 1e100 in size, got %g", place, result->value);
    const struct mk_space *space = t->arm[a->arm].space;
    a->v = malloc((space->n + 1) * sizeof *a->v);
    if (!a->v) return mk_fail_memory(err, "earlier results");
    return mk_space_read_configuration(space, place, result->configuration, strlen(result->configuration), a->v, err);
}

int mk_study_add_metrics(struct mk_study *s, const struct mk_study_result *result, const double *metric, size_t n,
                         struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_added_trial *a = calloc(n ? n : 1, sizeof *a);
    char place[64];
    size_t kept = 0;
    int code = a ? MK_OK : mk_fail_memory(err, "earlier results");
    for (size_t i = 0; i < n && !code; i++) {
        struct mk_added_trial *one = &a[kept];
        snprintf(place, sizeof place, "result %zu", i);
        if (metric) set_metrics(&one->outcome, metric + i * s->t->n_named, s->t->n_named);
        if (mk_outcome_is_infeasible(s->t, &one->outcome)) continue;
        kept++;
        code = read_added(one, s->t, &result[i], place, err);
    }
    if (!code) code = mk_tuning_add(&s->r, a, kept, err);
    for (size_t i = 0; i < kept; i++) free(a[i].v);
    free(a);
    return code;
}

int mk_study_enqueue(struct mk_study *s, const char *arm, const char *configuration, int *enqueued,
                     struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const size_t k = mk_tune_find_arm(s->t, arm, strlen(arm));
    double v[MK_SPACE_MOST];
    bool added = false;
    char clip[MK_CLIP_ROOM];
    if (k == s->t->n_arms)
        return mk_fail(err, MK_EINPUT, "enqueue: arm: expected the label of an arm, got '%s'", mk_clip(arm, clip));
    int code = mk_tune_complete_configuration(s->t, k, "enqueue", configuration, v, err);
    if (!code) code = mk_tuning_enqueue(&s->r, k, v, &added, err);
    if (enqueued) *enqueued = added;
    return code;
}

int mk_study_extend(struct mk_study *s, uint64_t trials, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    if (trials < 1 || trials > MK_TUNE_MOST_EVALUATIONS)
        return mk_fail(err, MK_EINPUT, "study: expected 1 to %d trials, got %" PRIu64, MK_TUNE_MOST_EVALUATIONS,
                       trials);
    return mk_tuning_extend(&s->r, trials, err);
}

/* ---- what there is ---- */

static char *configuration_of(const struct mk_trial *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    mk_put_json_configuration(to, t->space, t->v);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

static enum mk_study_status status_of(bool done, const struct mk_trial_outcome *o)
{
    static const enum mk_study_status status[] = {MK_STUDY_OK, MK_STUDY_FAILED, MK_STUDY_TIMED_OUT, MK_STUDY_INFEASIBLE,
                                                  MK_STUDY_PRUNED};
    return done ? status[o->status] : MK_STUDY_RUNNING;
}

int mk_study_trial(struct mk_study *s, size_t number, struct mk_study_trial *trial, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    if (number >= s->r.state->n) return mk_fail(err, MK_EINPUT, "study: there is no trial %zu", number);
    const struct mk_trial *t = &s->r.state->trial[number];
    free(s->configuration);
    s->configuration = configuration_of(t);
    if (!s->configuration) return mk_fail_memory(err, "a trial");
    *trial = (struct mk_study_trial){.arm = t->arm,
                                     .arm_label = s->t->arm[t->arm].label,
                                     .configuration = s->configuration,
                                     .seed = t->seed,
                                     .fidelity = t->fidelity,
                                     .status = status_of(t->done, &t->outcome),
                                     .added = t->added,
                                     .value = t->done ? t->outcome.value : NAN,
                                     .seconds = t->done && !t->added ? t->outcome.seconds : NAN,
                                     .why = t->outcome.why};
    return MK_OK;
}

const char *mk_study_metric_name(const struct mk_study *s, size_t i)
{
    return i < s->t->n_named ? s->t->further[i].name : NULL;
}

double mk_study_metric(const struct mk_study *s, size_t number, size_t i)
{
    const bool known = number < s->r.state->n && i < s->t->n_named;
    return known ? mk_outcome_metric(&s->r.state->trial[number].outcome, i) : NAN;
}

int mk_study_is_first(const struct mk_study *s, size_t number)
{
    return number < s->r.state->n && s->r.state->trial[number].first;
}

size_t mk_study_trials(const struct mk_study *s)
{
    return s->r.state->n;
}

size_t mk_study_added(const struct mk_study *s)
{
    return s->r.all - (size_t)s->r.evaluations;
}

size_t mk_study_waiting(const struct mk_study *s)
{
    return mk_tuning_waiting(&s->r);
}

size_t mk_study_results(const struct mk_study *s)
{
    return s->r.ended;
}

uint64_t mk_study_budget(const struct mk_study *s)
{
    return s->r.evaluations;
}

uint64_t mk_study_lag(const struct mk_study *s)
{
    return s->t->lag;
}

size_t mk_study_best(const struct mk_study *s)
{
    size_t best = MK_NONE;
    double most = -INFINITY;
    if (s->t->on.n) {
        mk_tune_state_refresh(s->r.state, s->r.ended);
        return s->r.state->best;
    }
    for (size_t i = 0; i < s->r.state->n; i++) {
        const double reward = mk_tune_reward(s->t, mk_tune_state_whole(s->r.state, i));
        if (!(reward > most)) continue;
        most = reward;
        best = i;
    }
    return best;
}

double mk_study_whole(const struct mk_study *s, size_t number)
{
    mk_tune_state_refresh(s->r.state, s->r.ended);
    return number < s->r.state->n ? mk_tune_state_whole(s->r.state, number) : NAN;
}

size_t mk_study_repeats(const struct mk_study *s)
{
    struct mk_error ignored;
    size_t n;
    return mk_tune_state_repeats(s->r.state, &n, &ignored) ? 0 : n;
}

size_t mk_study_instance(const struct mk_study *s, size_t number)
{
    return number < s->r.state->n ? s->r.state->trial[number].instance : 0;
}

const char *mk_study_instance_name(const struct mk_study *s, size_t number)
{
    const struct mk_named_instance *on = number < s->r.state->n ? s->r.state->trial[number].on : NULL;
    return on ? on->name : NULL;
}

double mk_study_bound(const struct mk_study *s, size_t number)
{
    const double bound = number < s->r.state->n ? s->r.state->trial[number].bound : 0;
    return bound > 0 ? bound : INFINITY;
}

/* ---- the best configuration again ---- */

int mk_study_reevaluate(struct mk_study *s, size_t times, size_t *n, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const size_t best = mk_study_best(s);
    if (best == MK_NONE) return mk_fail(err, MK_EFAIL, "study: no trial has succeeded");
    if (times > MK_TUNE_MOST_EVALUATIONS)
        return mk_fail(err, MK_EINPUT, "study: expected up to %d re-evaluations, got %zu", MK_TUNE_MOST_EVALUATIONS,
                       times);
    int code = mk_tune_state_reevaluate(s->r.state, best, s->t->test.n + times, err);
    if (code) return code;
    if (times > s->t->reevaluate) s->t->reevaluate = times;
    *n = best == s->r.state->again_of ? s->r.state->n_again : 0;
    return MK_OK;
}

int mk_study_again(const struct mk_study *s, size_t i, struct mk_study_again *out, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const struct mk_tune_state *state = s->r.state;
    if (i >= state->n_again) return mk_fail(err, MK_EINPUT, "study: there is no re-evaluation %zu", i);
    const struct mk_reevaluation *again = &state->again[i];
    const struct mk_trial *of = &state->trial[state->again_of];
    const bool in_part = !again->on && again->instance;
    *out = (struct mk_study_again){.trial = state->again_of,
                                   .instance = again->on ? again->on->name : NULL,
                                   .test = again->test,
                                   .seed = again->seed,
                                   .fidelity = in_part ? (double)again->instance / (double)of->instance : 1,
                                   .status = status_of(again->done, &again->outcome),
                                   .value = again->done ? again->outcome.value : NAN,
                                   .seconds = again->done ? again->outcome.seconds : NAN,
                                   .why = again->outcome.why};
    return MK_OK;
}

int mk_study_tell_again(struct mk_study *s, size_t i, double value, const char *why, double seconds,
                        struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_trial_outcome o = {.status = MK_TRIAL_OK, .value = value, .seconds = seconds};
    if (i >= s->r.state->n_again || s->r.state->again[i].done)
        return mk_fail(err, MK_EINPUT, "study: re-evaluation %zu: expected one without a result", i);
    if (!(fabs(mk_tune_reward(s->t, value)) <= MK_MOST_REWARD)) {
        o.status = MK_TRIAL_CRASHED;
        o.value = NAN;
        set_why(&o, why);
    }
    judge_time(s->t, s->t->bound, &o);
    return mk_tuning_again(&s->r, i, &o, err);
}

int mk_study_save(struct mk_study *s, const char *path, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const struct mk_volatile v = {"a study of libmaxk", (int)s->t->workers, mk_tuning_elapsed(&s->r)};
    struct mk_tune_state *results = NULL;
    if (!path) path = s->result;
    if (!path) return mk_fail(err, MK_EINPUT, "study: in memory; expected a path to save it to");
    if (mk_study_best(s) == MK_NONE)
        return mk_fail(err, MK_EFAIL, "study: no trial has succeeded%s",
                       s->r.infeasible ? " and satisfies subject_to" : "");
    int code = check_result(path, err);
    if (!code) code = mk_tune_state_results(&results, s->r.state, err);
    if (!code) code = mk_tune_write(results, path, path, &v, err);
    mk_tune_state_free(results);
    return code || path != s->result ? code : mk_tune_journal_done(s->r.journal, err);
}

int mk_study_table(const struct mk_study *s, struct mk_table **out, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_tune_state *results = NULL;
    *out = NULL;
    int code = mk_tune_state_results(&results, s->r.state, err);
    if (!code) code = mk_tune_trials_table(out, results, err);
    mk_tune_state_free(results);
    return code;
}

int mk_study_what_if(const struct mk_study *s, struct mk_table **out, const char *const *policy, size_t n,
                     struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_tune_state *results = NULL;
    struct mk_recorded_trials r = {0};
    *out = NULL;
    int code = mk_tune_state_results(&results, s->r.state, err);
    if (!code) code = mk_recorded_trials_of(&r, results, err);
    if (!code) code = mk_what_if_table(out, &r, policy, n, err);
    mk_recorded_trials_clear(&r);
    mk_tune_state_free(results);
    return code;
}

int mk_study_acquisition(struct mk_study *s, struct mk_table **out, const char *arm, const char *hyperparameter,
                         size_t points, int through, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const struct mk_acquisition_request r = {.hyper = hyperparameter, .points = points, .through = through};
    const size_t k = mk_tune_find_arm(s->t, arm, strlen(arm));
    char clip[MK_CLIP_ROOM];
    *out = NULL;
    if (k == s->t->n_arms)
        return mk_fail(err, MK_EINPUT, "acquisition: arm: expected the label of an arm, got '%s'", mk_clip(arm, clip));
    if (s->t->arm[k].own_optimizer)
        return mk_fail(err, MK_EINPUT, "acquisition: the model of an optimiser of your own is not known");
    if (points < 2 || points > MK_ACQUISITION_MOST_POINTS || through < 0 || through > MK_SLICE_PROPOSAL)
        return mk_fail(err, MK_EINPUT, "acquisition: expected 2 to %d points, and through from 0 to 1",
                       MK_ACQUISITION_MOST_POINTS);
    const int code = mk_tuning_tell(&s->r, err);
    return code ? code
                : mk_acquisition_table(out, "acquisition: ", arm, mk_tune_state_optimizer(s->r.state, k), &r, err);
}
