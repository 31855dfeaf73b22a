/* What the model of an optimiser says along one hyperparameter: posterior and acquisition, or densities and their ratio
 * (Nguyen 2024, Figure 3.2). */
#include "analysis/answers/tables/acquisition.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/run/tape/reward_tape.h"

#define COLUMNS(X)                                                                                                          \
    X(KIND, "kind", TEXT, "",                                                                                               \
      "curve, trial, or proposal: what the optimiser proposes next; random proposal: it does not maximise the acquisition") \
    X(AT, "x", REAL, "", "value of the hyperparameter, where it is a number")                                               \
    X(VALUE, "value", TEXT, "", "value of the hyperparameter as text")                                                      \
    X(MEAN, "mean", REAL, "target", "mean of the model at the configuration (gp, rf)")                                      \
    X(SD, "sd", REAL, "target", "standard deviation of the model there")                                                    \
    X(GOOD, "good", REAL, "", "density of the good trials there (tpe), hyperparameters in the unit interval")               \
    X(OTHERS, "others", REAL, "", "density of the other trials there")                                                      \
    X(ACQUISITION, "acquisition", REAL, "",                                                                                 \
      "acquisition there, which the proposal maximises; of tpe the logarithm of good / others")                             \
    X(TARGET, "target", REAL, "target",                                                                                     \
      "of a trial: the value that the model is fitted to; of tpe 1 if it counts as good, otherwise 0")                      \
    X(REWARD, "reward", REAL, "rewards", "of a trial: its reward")                                                          \
    X(TRIAL, "trial", COUNT, "", "of a trial: its number in the search, from 1")                                            \
    X(CONFIGURATION, "configuration", TEXT, "", "the whole configuration")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("model of an optimiser", columns, NULL);

/* ---- rows ---- */

/* The columns of the numbers that the model has, the same in every row; returns the first of them. */
static size_t add_number_columns(struct mk_table *t, const struct mk_model_slice *s)
{
    const struct mk_model_view *m = &s->view;
    char name[128];
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < m->n_numbers; i++) {
        const size_t at = mk_table_add_column(t, m->number[i].name, MK_COLUMN_REAL, "", "of the model");
        first = first == SIZE_MAX ? at : first;
    }
    for (size_t j = 0; j < s->space->n; j++) {
        if (isnan(m->length[j])) continue;
        snprintf(name, sizeof name, "length_scale.%.100s", s->space->hyper[j].name);
        mk_table_add_column(t, name, MK_COLUMN_REAL, "", "of the model, the hyperparameter in the unit interval");
    }
    return first;
}

static void set_numbers(struct mk_table *t, const struct mk_model_slice *s, size_t first)
{
    const struct mk_model_view *m = &s->view;
    for (size_t i = 0; i < m->n_numbers; i++) mk_table_set_real(t, first++, m->number[i].value);
    for (size_t j = 0; j < s->space->n; j++)
        if (!isnan(m->length[j])) mk_table_set_real(t, first++, m->length[j]);
}

/* Trial i, or none. */
static void set_trial(struct mk_table *t, const struct mk_model_slice *s, size_t i, bool is_trial)
{
    mk_table_set_real(t, TARGET, is_trial ? s->view.target[i] : NAN);
    mk_table_set_real(t, REWARD, is_trial && i < s->trials->told ? s->trials->reward[i] : NAN);
    if (is_trial)
        mk_table_set_count(t, TRIAL, i + 1);
    else
        mk_table_set_missing(t, TRIAL);
}

/* Row i of the points, the trials and the proposal. */
static int add_slice_row(struct mk_table *t, const struct mk_model_slice *s, size_t i, size_t numbers,
                         struct mk_error *err)
{
    const struct mk_hyper *h = &s->space->hyper[s->hyper];
    const double *v = s->v + i * s->space->n, x = v[s->hyper];
    const struct mk_prediction *p = &s->view.at[i];
    char room[MK_HYPER_TEXT], *text = mk_space_configuration_text(s->space, v);
    if (!text) return mk_fail_memory(err, "a table");
    mk_table_set_text(t, KIND,
                      i < s->n            ? "curve"
                      : i + 1 < s->view.n ? "trial"
                      : s->view.drawn     ? "random proposal"
                                          : "proposal");
    mk_table_set_real(t, AT, mk_hyper_is_word(h) ? NAN : x);
    mk_table_set_text(t, VALUE, isnan(x) ? "" : mk_hyper_text(h, x, room));
    mk_table_set_real(t, MEAN, p->mean);
    mk_table_set_real(t, SD, p->sd);
    mk_table_set_real(t, GOOD, p->good);
    mk_table_set_real(t, OTHERS, p->others);
    mk_table_set_real(t, ACQUISITION, p->acquisition);
    set_trial(t, s, i - s->n, i >= s->n && i + 1 < s->view.n);
    mk_table_set_text(t, CONFIGURATION, text);
    set_numbers(t, s, numbers);
    mk_table_end_row(t);
    free(text);
    return MK_OK;
}

/* ---- the figure ---- */

enum { CURVE_LOOK, TRIAL_LOOK, PROPOSAL_LOOK, OTHERS_LOOK };

struct drawing {
    const struct mk_model_slice *s;
    struct mk_plot *plot; /* one panel */
    bool densities;
};

/* A curve over the points. */
static struct mk_curve *add_curve(const struct drawing *d, const char *label, int look, int interval)
{
    struct mk_curve *c = mk_plot_add(d->plot, label, d->s->n, interval);
    if (!c) return NULL;
    const bool words = mk_hyper_is_word(&d->s->space->hyper[d->s->hyper]);
    c->style = words ? MK_CURVE_POINTS : MK_CURVE_LINE;
    c->look = look;
    for (size_t i = 0; i < c->n; i++) c->x[i] = d->s->v[i * d->s->space->n + d->s->hyper];
    return c;
}

static bool add_mean(const struct drawing *d)
{
    struct mk_curve *c = add_curve(d, "mean ± 2 standard deviations", CURVE_LOOK, 1);
    for (size_t i = 0; c && i < c->n; i++) {
        const struct mk_prediction *p = &d->s->view.at[i];
        mk_curve_span(c, i, c->x[i], p->mean, p->mean - 2 * p->sd, p->mean + 2 * p->sd);
    }
    return c != NULL;
}

static bool add_densities(const struct drawing *d)
{
    struct mk_curve *good = add_curve(d, "density of good trials", CURVE_LOOK, 0);
    for (size_t i = 0; good && i < good->n; i++) good->y[i] = d->s->view.at[i].good;
    struct mk_curve *others = good ? add_curve(d, "density of the others", OTHERS_LOOK, 0) : NULL;
    for (size_t i = 0; others && i < others->n; i++) others->y[i] = d->s->view.at[i].others;
    return others != NULL;
}

/* Trials at their targets; where the model has densities, those with this target at 0. */
static bool add_trials(const struct drawing *d, const char *label, int look, double only)
{
    const struct mk_model_slice *s = d->s;
    struct mk_curve *c = mk_plot_add(d->plot, label, s->trials->n, 0);
    if (!c) return false;
    c->style = d->densities ? MK_CURVE_POINTS : MK_CURVE_RINGS;
    c->look = look;
    for (size_t i = 0; i < c->n; i++) {
        const double target = s->view.target[i];
        if (d->densities && target != only) continue;
        mk_curve_point(c, i, s->trials->v[i * s->space->n + s->hyper], d->densities ? 0 : target);
    }
    return true;
}

static bool add_proposal(const struct drawing *d, double y)
{
    const struct mk_model_slice *s = d->s;
    struct mk_curve *c = mk_plot_add(d->plot, s->view.drawn ? "next proposal, at random" : "next proposal", 1, 0);
    if (!c) return false;
    c->style = MK_CURVE_RINGS;
    c->look = PROPOSAL_LOOK;
    mk_curve_point(c, 0, s->v[(s->view.n - 1) * s->space->n + s->hyper], y);
    return true;
}

static double acquisition_at(const struct mk_model_slice *s, size_t i)
{
    return isfinite(s->view.at[i].acquisition) ? s->view.at[i].acquisition : NAN;
}

/* Logarithms of an expected improvement fall steeply where nothing can be gained: the lowest are below the panel. */
static void cut_off(struct mk_plot *p, const struct mk_curve *c)
{
    const double shown = 20;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        least = fmin(least, c->y[i]);
        most = fmax(most, c->y[i]);
    }
    if (least < most - shown) p->y.lo = most - shown;
}

static bool add_acquisition(const struct drawing *d)
{
    const struct mk_model_slice *s = d->s;
    struct mk_curve *c = add_curve(d, d->densities ? "log ratio of the densities" : "acquisition", CURVE_LOOK, 0);
    if (!c) return false;
    for (size_t i = 0; i < c->n; i++) c->y[i] = acquisition_at(s, i);
    cut_off(d->plot, c);
    return add_proposal(d, acquisition_at(s, s->view.n - 1));
}

static void name_axes(const struct mk_model_slice *s, struct mk_plot *p, const char *y)
{
    const struct mk_hyper *h = &s->space->hyper[s->hyper];
    char label[MK_PLOT_TEXT];
    mk_text_clean(h->name, 0, label, sizeof label);
    mk_plot_axes(p, label, y);
    p->x.log = h->log;
    if (!mk_hyper_is_word(h)) return;
    p->column = (const char *const *)h->word;
    p->n_columns = h->n_words;
    p->x.lo = -0.5;
    p->x.hi = (double)h->n_words - 0.5;
}

/* The model above, the acquisition below, on the same axis. */
static int draw(struct mk_table *t, const struct mk_model_slice *s, const char *optimizer, const char *arm,
                const struct mk_acquisition_request *r, struct mk_error *err)
{
    const bool densities = isnan(s->view.at[0].mean);
    char prefix[128], stem[300], name[320];
    int code = mk_make_folder(r->folder, err);
    if (code) return code;
    struct mk_panels *g = mk_panels_new(2, 1, 4.2, 2.2);
    if (!g) return mk_fail_memory(err, "a figure");
    struct drawing d = {s, &g->plot[0], densities};
    snprintf(stem, sizeof stem, "%.90s: %s after %zu evaluations", arm, optimizer, s->trials->n);
    mk_text_clean(stem, 0, g->title, sizeof g->title);
    bool good = densities ? add_densities(&d) && add_trials(&d, "good trials", CURVE_LOOK, 1) &&
                                add_trials(&d, "other trials", OTHERS_LOOK, 0)
                          : add_mean(&d) && add_trials(&d, "trials", TRIAL_LOOK, 0) &&
                                add_proposal(&d, s->view.at[s->view.n - 1].mean);
    d.plot = &g->plot[1];
    good = good && add_acquisition(&d);
    name_axes(s, &g->plot[0], densities ? "density" : "target");
    name_axes(s, &g->plot[1], densities ? "log (good / others)" : "acquisition");
    mk_plots_share_x(g->plot, 2);
    snprintf(stem, sizeof stem, "%.90s_%.90s", arm, s->space->hyper[s->hyper].name);
    mk_file_name_part(stem, prefix, sizeof prefix);
    snprintf(name, sizeof name, "%s_acquisition", prefix);
    code = good ? mk_panels_draw(g, r->folder, name, (enum mk_plot_format)r->format, err)
                : mk_fail_memory(err, "a figure");
    mk_panels_free(g);
    if (!code) mk_table_add_warning(t, "%s/%s.%s", r->folder, name, mk_plot_suffix((enum mk_plot_format)r->format));
    return code;
}

/* ---- of an optimiser ---- */

static int find_hyper(const char *place, const struct mk_space *s, const char *name, size_t *at, struct mk_error *err)
{
    char known[512] = "";
    size_t several = 0, only = 0;
    for (size_t i = 0, used = 0; i < s->n; i++) {
        if (s->hyper[i].levels == 1) continue;
        only = i;
        if (used + 110 < sizeof known)
            used +=
                (size_t)snprintf(known + used, sizeof known - used, "%s%.100s", several ? ", " : "", s->hyper[i].name);
        several++;
    }
    *at = name ? mk_space_find(s, name) : only;
    if (name ? *at < s->n && s->hyper[*at].levels > 1 : several == 1) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%shyperparameter: %s%.100s%s; those with several values are %s", place,
                   name ? "the arm varies none named '" : "missing", name ? name : "", name ? "'" : "",
                   several ? known : "none");
}

int mk_acquisition_table(struct mk_table **out, const char *place, const char *arm, struct mk_optimizer *o,
                         const struct mk_acquisition_request *r, struct mk_error *err)
{
    struct mk_model_slice s = {0};
    struct mk_table *t = NULL;
    size_t hyper;
    int code = find_hyper(place, o->ask.space, r->hyper, &hyper, err);
    if (!code) code = mk_model_slice_of(&s, o, hyper, (size_t)r->points, (enum mk_slice_through)r->through, err);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) {
        const size_t numbers = add_number_columns(t, &s);
        for (size_t i = 0; i < s.view.n && !code; i++) code = add_slice_row(t, &s, i, numbers, err);
    }
    if (!code && r->folder) code = draw(t, &s, o->type->name, arm, r, err);
    mk_model_slice_clear(&s);
    return mk_table_made(out, t, code, err);
}

/* ---- of an experiment ---- */

struct acquisition_options {
    const char *arm, *instance; /* NULL: not given */
    uint64_t evaluations, replication;
    struct mk_acquisition_request request;
};

static int find_arm(const struct mk_problem *p, const char *name, size_t *at, struct mk_error *err)
{
    uint64_t number;
    char known[512] = "";
    *at = 0;
    if (!name && p->n_arms == 1) return MK_OK;
    for (; name && *at < p->n_arms; ++*at)
        if (strcmp(p->arm_label[*at], name) == 0) return MK_OK;
    if (name && mk_parse_count(name, &number) && number < p->n_arms) {
        *at = (size_t)number;
        return MK_OK;
    }
    for (size_t i = 0, used = 0; i < p->n_arms && used + 110 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.100s", i ? ", " : "", p->arm_label[i]);
    return mk_fail(err, MK_EINPUT, "maxk acquisition: --arm: %s%.100s%s; the labels are %s",
                   name ? "no arm is labelled '" : "missing", name ? name : "", name ? "'" : "", known);
}

static int check_amounts(const struct mk_experiment *e, const struct acquisition_options *o, struct mk_error *err)
{
    if (o->replication >= e->replications)
        return mk_fail(err, MK_EINPUT,
                       "maxk acquisition: --replication: expected a number below the %llu replications of the "
                       "experiment, got %llu",
                       (unsigned long long)e->replications, (unsigned long long)o->replication);
    if (o->evaluations > e->problem->searches->budget)
        return mk_fail(err, MK_EINPUT,
                       "maxk acquisition: --evaluations: expected at most the %llu evaluations of each search (the "
                       "largest horizon), got %llu",
                       (unsigned long long)e->problem->searches->budget, (unsigned long long)o->evaluations);
    return MK_OK;
}

/* The search as `maxk run` and `maxk record` run it, up to some evaluations. */
static int run_search(struct mk_search_bench *b, const struct mk_experiment *e, const struct acquisition_options *o,
                      size_t instance, size_t arm, struct mk_error *err)
{
    struct mk_pull pull;
    int code = MK_OK;
    mk_search_bench_seek(b, instance, mk_reward_tape_key_of(e->problem, e->seed, instance, o->replication));
    for (uint64_t n = 0; n < o->evaluations && !code; n++) code = mk_search_pull(b, arm, &pull, err);
    return code;
}

static int make_of(struct mk_table **out, const struct mk_experiment *e, const struct acquisition_options *o,
                   struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    struct mk_search_bench *b = NULL;
    size_t instance = 0, arm = 0;
    if (!mk_problem_searches(p))
        return mk_fail(err, MK_EINPUT, "maxk acquisition: expected an experiment whose arms are searches");
    int code = mk_input_find_instance("acquisition", p, o->instance, &instance, err);
    if (!code) code = find_arm(p, o->arm, &arm, err);
    if (!code) code = check_amounts(e, o, err);
    if (!code) code = mk_search_bench_new(&b, p->searches, err);
    if (!code) code = run_search(b, e, o, instance, arm, err);
    if (!code)
        code = mk_acquisition_table(out, "maxk acquisition: --", p->arm_label[arm], mk_search_optimizer(b, arm),
                                    &o->request, err);
    mk_search_bench_free(b);
    return code;
}

static int make_acquisition(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    size_t first;
    int code = mk_input_sets("acquisition", call->in, &first, err);
    if (!code)
        code = mk_experiment_read(&e, call->input[0], call->in->sets.text, call->in->sets.n,
                                  MK_NEED_PROBLEM | MK_NEED_RUN | MK_LOAD_PLUGINS, err);
    mk_input_sets_free(call->in, first);
    if (!code) code = make_of(out, e, call->options, err);
    mk_experiment_free(e);
    return code;
}

static const struct acquisition_options defaults = {.evaluations = 20, .request = {.points = 201}};
#define OPTION(field, ...) MK_TABLE_OPTION(struct acquisition_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(arm, "arm", 'a', MK_OPT_TEXT, "A", NULL, 0, -1,
           "label of the arm, or its number from 0; required if there are several"),
    OPTION(evaluations, "evaluations", 'n', MK_OPT_COUNT, "N", NULL, 1, 1e6,
           "evaluations that the search has made (default: 20)"),
    OPTION(request.hyper, "hyperparameter", 'x', MK_OPT_TEXT, "NAME", NULL, 0, -1,
           "the hyperparameter along which the model is shown; required if several vary"),
    OPTION(request.through, "through", 0, MK_OPT_CHOICE, "WHICH", MK_SLICE_CHOICES, 1, 0,
           "the configuration that gives the other hyperparameters their values: the best trial or the next proposal "
           "(default: best)"),
    OPTION(request.points, "points", 0, MK_OPT_COUNT, "N", NULL, 2, MK_ACQUISITION_MOST_POINTS,
           "points of the curve (default: 201)"),
    OPTION(instance, "instance", 'i', MK_OPT_TEXT, "I", NULL, 0, -1,
           "name of the instance, or its number from 0 (default: the first one)"),
    OPTION(replication, "replication", 'r', MK_OPT_COUNT, "R", NULL, 0, MK_EXACT_MAX,
           "number of the replication, from 0 (default: 0)"),
    OPTION(request.folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 0, -1,
           "also draw the model and the acquisition into this folder"),
    OPTION(request.format, "picture", 0, MK_OPT_CHOICE, "FORMAT", MK_PLOT_FORMATS, 1, 0,
           "format of the figure (default: png)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_acquisition = {
    .usage =
        {"acquisition", "EXPERIMENT.yaml",
         "Prints what the optimiser of a search believes after some evaluations, along one hyperparameter: the model "
         "from which it makes its next proposal. The others have the values of the best trial. The search is the one "
         "that `maxk run` and `maxk record` run. The format is CSV unless another one is requested.\n\n  kind  curve: "
         "a point along the hyperparameter; trial: a configuration that was evaluated; proposal: the one that the "
         "optimiser proposes next; random proposal: the same, where it is one at random (rf, interleave)\n  mean, sd  posterior of gp, or mean and standard deviation over the trees of rf, on "
         "the scale of the target\n  good, others  the two densities of tpe\n  acquisition  what the proposal "
         "maximises, as far as it was searched: logarithm of the expected improvement unless the optimiser has another "
         "one; of tpe the logarithm of good / others\n  target  what the model is fitted to: of gp the reward, minus "
         "the mean of all and divided by their standard deviation; of rf minus the logarithm of the scaled cost; of "
         "tpe 1 for trials that count as good\n\nFurther columns at the end have the numbers of the model: of gp the "
         "largest target, the variance, the noise variance and the length scales, the hyperparameters in the unit "
         "interval. Optimisers other than gp, rf and tpe have no model that can be shown.",
         1, 1},
    .group = "Simulate",
    .summary = "what an optimiser believes: posterior, densities, acquisition",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    .as_data = true,
    MK_TABLE_SHOWS(&schema),
    .make = make_acquisition};
