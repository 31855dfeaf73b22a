/* A bound compared with the observed value over two parameters of an experiment. */
#include <stdlib.h>

#include "analysis/figures/bound_map_figure.h"
#include "analysis/tables/bound_options.h"
#include "analysis/tables/table_type.h"
#include "sim/base/error.h"

struct map_options {
    struct mk_bound_options bound;
    uint64_t points[2];
    int along, format;
    const char *folder;
};

#define COLUMNS(X)                                                                                                     \
    X(FIRST, "first key", REAL, "", "value of the first key; the column is named after it")                            \
    X(SECOND, "second key", REAL, "", "value of the second key; the column is named after it")                         \
    X(POLICY, "policy", TEXT, "", "label of the policy of the worst cell")                                             \
    X(HORIZON, "horizon", COUNT, "pulls", "its horizon T")                                                             \
    X(ARM, "arm", COUNT, "", "its arm, from 0; none where the claim is about the regret")                              \
    X(ALPHA, "alpha", REAL, "", "alpha of the policy")                                                                 \
    X(L_OPT, "L_opt", REAL, "1 / unit", "L of the best arm")                                                           \
    X(GAP, "gap", REAL, "unit", "gap of the arm")                                                                      \
    X(P, "p", REAL, "", "p = 2 L_opt alpha sqrt(gap) of Theorem 4.2")                                                  \
    X(BOUND, "bound", REAL, "as observed", "the bound")                                                                \
    X(OBSERVED, "observed", REAL, "pulls or rewards", "what was simulated: mean pulls of the arm, or regret")          \
    X(CI_LOW, "ci_low", REAL, "as observed", "lower end of the 95 % interval of what was simulated")                   \
    X(CI_HIGH, "ci_high", REAL, "as observed", "upper end of the interval")                                            \
    X(RATIO, "ratio", REAL, "", "bound / observed")                                                                    \
    X(VERDICT, "verdict", TEXT, "", "holds, violated, vacuous, inconclusive or not-applicable")                        \
    X(UNIT, "unit", REAL, "rewards", "what L_opt, gap and p are measured in, of policies that scale rewards")

enum { COLUMNS(MK_COLUMN_ENUMERATOR) };
static const struct mk_column columns[] = {COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_table_schema schema = {
    .title = "a bound over two keys",
    .column = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .empty_counts = true,
};

static void add_row(struct mk_table *t, const struct mk_bound_map *m, size_t at)
{
    const struct mk_bound_search_cell *c = &m->cell[at];
    mk_table_set_real(t, FIRST, m->x[at / m->points[1]]);
    mk_table_set_real(t, SECOND, m->y[at % m->points[1]]);
    mk_table_set_text(t, POLICY, c->policy);
    mk_table_set_count(t, HORIZON, c->horizon);
    mk_table_set_count(t, ARM, c->arm == MK_SEARCH_NO_ARM ? MK_COUNT_MISSING : c->arm);
    mk_table_set_real(t, ALPHA, c->alpha);
    mk_table_set_real(t, L_OPT, c->L);
    mk_table_set_real(t, GAP, c->gap);
    mk_table_set_real(t, P, c->p);
    mk_table_set_real(t, BOUND, c->bound);
    mk_table_set_real(t, OBSERVED, c->mean);
    mk_table_set_real(t, CI_LOW, c->low);
    mk_table_set_real(t, CI_HIGH, c->high);
    mk_table_set_real(t, RATIO, c->bound / c->mean);
    mk_table_set_text(t, VERDICT, mk_verdict_name(c->verdict));
    mk_table_set_real(t, UNIT, c->unit);
    mk_table_end_row(t);
}

static void draw(struct mk_table *t, const struct mk_bound_map *m, const struct map_options *o)
{
    struct mk_error why = {0, ""};
    char *path = NULL;
    if (mk_bound_map_draw(m, (enum mk_map_axis)o->along, o->folder, (enum mk_plot_format)o->format, &path, &why))
        mk_table_fail(t, &why); /* the points are shown */
    else
        mk_table_add_note(t, "%s", path);
    free(path);
}

static int make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct map_options *o = call->options;
    struct mk_bound_map m = {.points = {(size_t)o->points[0], (size_t)o->points[1]}};
    struct mk_table *t = NULL;
    struct mk_progress_line line = {"map", 0, NULL};
    struct mk_progress progress = {.report = call->report, .context = &line};
    if (o->bound.vary.n != 2)
        return mk_fail(err, MK_EINPUT, "maxk map: --vary: expected 2 ranges, for x and y, got %zu", o->bound.vary.n);
    int code = mk_bound_options_apply(&o->bound, "map", call->input[0], &m.search, m.range, err);
    if (code) return code;
    mk_progress_start(&progress, 0, m.points[0] * m.points[1]);
    m.search.progress = &progress;
    code = mk_table_new(&t, &schema, err);
    if (!code) code = mk_bound_add_swept(t, &m.search, err);
    if (!code) {
        mk_table_rename(t, FIRST, m.range[0].key);
        mk_table_rename(t, SECOND, m.range[1].key);
        code = mk_table_check_shown(t, call->style, err);
    }
    if (!code) code = mk_bound_map_evaluate(&m, err);
    if (!code) {
        for (size_t at = 0; at < m.points[0] * m.points[1]; at++) add_row(t, &m, at);
        draw(t, &m, o);
    }
    mk_bound_map_clear(&m);
    return mk_table_made(out, t, code, err);
}

static const struct map_options defaults = {.bound = {.variant = MK_BOUND_SUM, .replications = 500, .seed = 42},
                                            .points = {16, 12},
                                            .format = MK_PLOT_PNG,
                                            .folder = "results/figures"};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct map_options, bound.vary, "vary", 'v', MK_OPT_TEXTS, "KEY=LO:HI", NULL, 1, 0,
                    "a key of the file and its range; given twice: first x, then y"),
    MK_BOUND_OPTIONS(struct map_options, bound),
    MK_TABLE_OPTION(struct map_options, along, "y", 0, MK_OPT_CHOICE, "NAME", MK_MAP_AXES, 1, 0,
                    "what the y axis shows: the value of the second key, or the L or gap it leads to (default: key)"),
    MK_TABLE_OPTION(struct map_options, points[0], "columns", 0, MK_OPT_COUNT, "N", NULL, MK_BOUND_MAP_LEAST,
                    MK_BOUND_MAP_MOST, "points along x (default: 16)"),
    MK_TABLE_OPTION(struct map_options, points[1], "rows", 0, MK_OPT_COUNT, "N", NULL, MK_BOUND_MAP_LEAST,
                    MK_BOUND_MAP_MOST, "points along y (default: 12)"),
    MK_TABLE_OPTION(struct map_options, bound.replications, "replications", 0, MK_OPT_COUNT, "N", NULL, 2, 1e9,
                    "replications at each point (default: 500)"),
    MK_TABLE_OPTION(struct map_options, bound.seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 1, 0,
                    "seed of all points (default: 42)"),
    MK_TABLE_OPTION(struct map_options, folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 0, -1,
                    "folder for the figure (default: results/figures)"),
    MK_TABLE_OPTION(struct map_options, format, "format", 'f', MK_OPT_CHOICE, "NAME", MK_PLOT_FORMATS, 0, -1,
                    "format of the map that is drawn (default: png)"),
    MK_BOUND_THREADS(struct map_options, bound),
    MK_TABLE_OPTIONS_END};
static const struct mk_table_schema *const schemas[] = {&schema, NULL};

const struct mk_table_type mk_table_map = {
    .usage =
        {"map", "EXPERIMENT.yaml",
         "Compares a bound with what is observed on a grid over two keys of an experiment file, prints every point, and "
         "draws a map of log10(bound / observed) with the line p = 1: at each point the worst of all policies, horizons "
         "and suboptimal arms. The bounds are those of `maxk search`; the column unit (what L_opt, gap and p are "
         "measured in) is that of `maxk bounds`. Over alpha and L, with L = w / (1 + w) for "
         "weights [w, 1]:\n\n  maxk map experiments/map_alpha_l.yaml -v policies.0.alpha=0.05:20 \\\n      -v "
         "problem.arms.0.weights.0=0.03:10 --y L",
         1, 1},
    .group = "Theory against simulation",
    .summary = "map the ratio of a bound to what is observed over two parameters",
    .option = options,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .printing_last = true,
    .has_policies = true,
    .schema = schemas,
    .make = make};
