/* A bound compared with the observed value over two parameters of an experiment, and the figure of it: a map of
 * log10(bound / observed) with the line p = 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot_map.h"
#include "analysis/answers/figures/plot/plot_text.h"
#include "analysis/answers/tables/bound_options.h"
#include "analysis/answers/tables/table_type.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

/* What the y axis shows for the second key. */
enum map_axis { MAP_KEY, MAP_L, MAP_GAP };
#define MAP_AXES "key|L|gap"

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
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = {
    .title = "a bound over two keys",
    .column = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .empty_counts = true,
};

static void add_map_row(struct mk_table *t, const struct mk_bound_map *m, size_t at)
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

/* ---- the figure ---- */

/* The value on the y axis for the second key's k-th value. */
static double shown_y(const struct mk_bound_map *m, int along, size_t k)
{
    const struct mk_bound_search_cell *c = &m->cell[k];
    return along == MAP_L ? c->L : along == MAP_GAP ? c->gap : m->y[k];
}

/* y ascending, with the values that belong to it. */
static int fill(const struct mk_bound_map *m, int along, double *y, double *colour, double *p, struct mk_error *err)
{
    const size_t nx = m->points[0], ny = m->points[1];
    const bool reversed = shown_y(m, along, 0) > shown_y(m, along, ny - 1);
    for (size_t k = 0; k < ny; k++) {
        const size_t from = reversed ? ny - 1 - k : k;
        y[k] = shown_y(m, along, from);
        if (!(y[k] > 0) || (k && !(y[k] > y[k - 1])))
            return mk_fail(
                err, MK_EINPUT,
                "maxk map: --y: the values are not above 0, or do not rise or fall strictly along %s; choose another "
                "of key, L, gap",
                m->range[1].key);
        for (size_t i = 0; i < nx; i++) {
            colour[i * ny + k] = mk_bound_map_looseness(m, &m->cell[i * ny + from]);
            p[i * ny + k] = m->cell[i * ny + from].p;
        }
    }
    if (!(m->x[0] > 0))
        return mk_fail(err, MK_EINPUT, "maxk map: --vary: %s: expected values above 0 along x", m->range[0].key);
    return MK_OK;
}

/* "alpha" of "policies.0.alpha", "arm 1, a" of "problem.arms.1.a". */
static void axis_label(const char *key, char *out, size_t room)
{
    static const char arms[] = "problem.arms.";
    const int of_arm = strncmp(key, arms, sizeof arms - 1) == 0;
    const char *arm = of_arm ? key + sizeof arms - 1 : key, *dot = strrchr(key, '.');
    size_t digits = strspn(arm, "0123456789");
    if (of_arm && digits && arm[digits] == '.')
        snprintf(out, room, "arm %.*s, %s", (int)digits, arm, arm + digits + 1);
    else
        snprintf(out, room, "%s", dot ? dot + 1 : key);
}

/* The title and the labels. */
static void add_texts(struct mk_plot *plot, const struct mk_bound_map *m, int along, const char *stem)
{
    mk_text_clean(stem, 0, plot->title, sizeof plot->title);
    snprintf(plot->subtitle, sizeof plot->subtitle,
             "bound '%s' (at most T), worst arm and horizon, %llu replications; below 0: exceeded",
             mk_bound_search_target_name(&m->search), (unsigned long long)m->search.replications);
    axis_label(m->range[0].key, plot->x.label, sizeof plot->x.label);
    if (along == MAP_KEY)
        axis_label(m->range[1].key, plot->y.label, sizeof plot->y.label);
    else
        snprintf(plot->y.label, sizeof plot->y.label, "%s", along == MAP_L ? "L of the best arm" : "gap of the arm");
    snprintf(plot->colour.label, sizeof plot->colour.label, "log₁₀(bound / observed)");
}

/* MK_EINPUT: --y is not positive and strictly monotone along the second key, or the first key is not positive. */
static int draw_map(struct mk_table *t, const struct mk_bound_map *m, const struct map_options *o, struct mk_error *err)
{
    const size_t nx = m->points[0], ny = m->points[1];
    double *y = malloc((ny + 2 * nx * ny) * sizeof *y), *colour = y ? y + ny : NULL, *p = y ? colour + nx * ny : NULL;
    struct mk_plot plot;
    char name[MK_PLOT_TEXT], stem[MK_PLOT_TEXT];
    const char *slash = strrchr(m->search.path, '/');
    mk_plot_init(&plot);
    int code = y ? fill(m, o->along, y, colour, p, err) : mk_fail_memory(err, "a map");
    if (!code) code = mk_make_folder(o->folder, err);
    if (!code) code = mk_plot_map(&plot, m->x, nx, y, ny, colour, err);
    if (!code) code = mk_plot_map_line(&plot, "p = 1", m->x, nx, y, ny, p, 1, err);
    snprintf(stem, sizeof stem, "%.200s", slash ? slash + 1 : m->search.path);
    *strchrnul(stem, '.') = '\0';
    add_texts(&plot, m, o->along, stem);
    mk_file_name_part(stem, name, sizeof name - 8);
    strcat(name, "_map");
    if (!code) code = mk_plot_draw(&plot, o->folder, name, (enum mk_plot_format)o->format, err);
    if (!code) mk_table_add_note(t, "%s/%s.%s", o->folder, name, mk_plot_suffix((enum mk_plot_format)o->format));
    mk_plot_clear(&plot);
    free(y);
    return code;
}

/* ---- the whole ---- */

static int make_map(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct map_options *o = call->options;
    struct mk_bound_map m = {.points = {(size_t)o->points[0], (size_t)o->points[1]}};
    struct mk_table *t = NULL;
    struct mk_error why = {0, ""};
    struct mk_progress progress = {.report = call->report, .context = &(struct mk_progress_line){"map", 0, NULL}};
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
        for (size_t at = 0; at < m.points[0] * m.points[1]; at++) add_map_row(t, &m, at);
        if (draw_map(t, &m, o, &why)) mk_table_fail(t, &why); /* the points are shown */
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
                    "a key of the file and its range; must be given twice, first for x, then for y"),
    MK_BOUND_OPTIONS(struct map_options, bound),
    MK_TABLE_OPTION(struct map_options, along, "y", 0, MK_OPT_CHOICE, "NAME", MAP_AXES, 1, 0,
                    "what the y axis shows: the value of the second key, or L_opt or the gap that results from it "
                    "(default: key)"),
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

const struct mk_table_type mk_table_map = {
    .usage =
        {"map", "EXPERIMENT.yaml",
         "Shows where in a plane of two keys of an experiment a bound is tight and where it is loose or fails. Each "
         "point of a grid is simulated, one row is printed for it, and a map of log10(bound / observed) is drawn, with "
         "the line p = 1 of Theorem 4.2. A point stands for the worst of all policies, horizons and suboptimal arms of "
         "the file.\n\nThe bounds are those of `maxk search`, whose help lists them. The column unit is what L_opt, "
         "gap and p are measured in, as in `maxk bounds`.\n\nThis example varies alpha and the L of an arm, which is w "
         "/ (1 + w) for the weights [w, 1]:\n\n  maxk map experiments/map_alpha_l.yaml -v policies.0.alpha=0.05:20 "
         "\\\n      -v problem.arms.0.weights.0=0.03:10 --y L",
         1, 1},
    .group = "Theory against simulation",
    .summary = "map, over two parameters, the ratio of a bound to the observed value",
    MK_TABLE_TAKES(options, defaults),
    .printing_last = true,
    .has_policies = true,
    MK_TABLE_SHOWS(&schema),
    .make = make_map};
