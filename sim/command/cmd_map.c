/* maxk map: a bound compared with the observed value over two parameters of an experiment. */
#include <ctype.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/claims/bound_search.h"
#include "analysis/plot/plot_map.h"
#include "analysis/plot/plot_text.h"
#include "sim/base/atomic_file.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/progress_line.h"

enum { LEAST_POINTS = 2, MOST_POINTS = 200 };
enum along { ALONG_KEY, ALONG_L, ALONG_GAP };

struct bound_map {
    struct mk_bound_search s;
    struct mk_bound_search_range range[2];
    uint64_t points[2];
    int along; /* what the y axis shows for the second key */
    const char *folder;
    struct mk_table_style style;
    int format;
    double *x, *y;                     /* [points[0]], [points[1]]: values of the keys */
    struct mk_bound_search_cell *cell; /* [points[0]][points[1]] */
};

/* ---- the points ---- */

static int evaluate_all(struct bound_map *w, struct mk_error *err)
{
    const size_t nx = (size_t)w->points[0], ny = (size_t)w->points[1];
    w->x = malloc(nx * sizeof *w->x);
    w->y = malloc(ny * sizeof *w->y);
    w->cell = calloc(nx * ny, sizeof *w->cell);
    if (!w->x || !w->y || !w->cell) return mk_fail_memory(err, "a map");
    for (size_t i = 0; i < nx; i++) w->x[i] = mk_bound_search_place(&w->range[0], (double)i / (double)(nx - 1));
    for (size_t k = 0; k < ny; k++) w->y[k] = mk_bound_search_place(&w->range[1], (double)k / (double)(ny - 1));
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++) {
            int code = mk_bound_search_point(&w->s, (const double[]){w->x[i], w->y[k]}, &w->cell[i * ny + k], err);
            if (code) return code;
        }
    return MK_OK;
}

static int print_table(const struct bound_map *w, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    char *columns = NULL;
    if (asprintf(&columns,
                 "%s,%s,policy,horizon,arm,alpha,L_opt,gap,p,bound,observed,ci_low,ci_high,ratio,verdict,unit",
                 w->range[0].key, w->range[1].key) < 0)
        return mk_fail_memory(err, "a table");
    int code = mk_table_begin(&t, stdout, w->style, columns, err);
    free(columns);
    for (size_t at = 0; !code && at < w->points[0] * w->points[1]; at++) {
        const struct mk_bound_search_cell *c = &w->cell[at];
        mk_table_real(t, w->x[at / w->points[1]]);
        mk_table_real(t, w->y[at % w->points[1]]);
        mk_table_text(t, c->policy);
        mk_table_count(t, c->horizon);
        if (c->arm == MK_SEARCH_NO_ARM)
            mk_table_text(t, "");
        else
            mk_table_count(t, c->arm);
        const double value[] = {c->alpha, c->L, c->gap, c->p, c->bound, c->mean, c->low, c->high, c->bound / c->mean};
        for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
        mk_table_text(t, mk_verdict_name(c->verdict));
        mk_table_real(t, c->unit);
    }
    return mk_table_finish(t, code, err);
}

/* ---- the figure ---- */

/* The value on the y axis for the second key's k-th value. */
static double shown_y(const struct bound_map *w, size_t k)
{
    const struct mk_bound_search_cell *c = &w->cell[k];
    return w->along == ALONG_L ? c->L : w->along == ALONG_GAP ? c->gap : w->y[k];
}

/* log10(bound / observed), above 0 where the bound holds, the bound capped at the largest possible value. */
static double looseness(const struct bound_map *w, const struct mk_bound_search_cell *c)
{
    if (w->s.target == MK_SEARCH_THEOREM && c->bound > 0) return log10(fmin(c->bound, (double)c->horizon) / c->mean);
    return isfinite(c->ratio) && c->ratio > 0 ? -log10(c->ratio) : NAN;
}

/* y ascending, with the values that belong to it. */
static int fill(const struct bound_map *w, double *y, double *colour, double *p, struct mk_error *err)
{
    const size_t nx = (size_t)w->points[0], ny = (size_t)w->points[1];
    const bool reversed = shown_y(w, 0) > shown_y(w, ny - 1);
    for (size_t k = 0; k < ny; k++) {
        const size_t from = reversed ? ny - 1 - k : k;
        y[k] = shown_y(w, from);
        if (!(y[k] > 0) || (k && !(y[k] > y[k - 1])))
            return mk_fail(err, MK_EINPUT,
                           "maxk map: --y: not positive and strictly monotone along %s; choose another of key, L, gap",
                           w->range[1].key);
        for (size_t i = 0; i < nx; i++) {
            colour[i * ny + k] = looseness(w, &w->cell[i * ny + from]);
            p[i * ny + k] = w->cell[i * ny + from].p;
        }
    }
    if (!(w->x[0] > 0))
        return mk_fail(err, MK_EINPUT, "maxk map: --vary: %s: expected values above 0 along x", w->range[0].key);
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

static int draw(const struct bound_map *w, struct mk_error *err)
{
    const size_t nx = (size_t)w->points[0], ny = (size_t)w->points[1];
    double *y = malloc((ny + 2 * nx * ny) * sizeof *y), *colour = y ? y + ny : NULL, *p = y ? colour + nx * ny : NULL;
    struct mk_plot plot;
    char name[MK_PLOT_TEXT], stem[MK_PLOT_TEXT];
    const char *slash = strrchr(w->s.path, '/');
    mk_plot_init(&plot);
    int code = y ? fill(w, y, colour, p, err) : mk_fail_memory(err, "a map");
    if (!code) code = mk_make_folder(w->folder, err);
    if (!code) code = mk_plot_map(&plot, w->x, nx, y, ny, colour, err);
    if (!code) code = mk_plot_map_line(&plot, "p = 1", w->x, nx, y, ny, p, 1, err);
    snprintf(stem, sizeof stem, "%.200s", slash ? slash + 1 : w->s.path);
    *strchrnul(stem, '.') = '\0';
    mk_text_clean(stem, 0, plot.title, sizeof plot.title);
    snprintf(plot.subtitle, sizeof plot.subtitle,
             "bound '%s' (at most T), worst arm and horizon, %llu replications; below 0: exceeded",
             mk_bound_search_target_name(&w->s), (unsigned long long)w->s.replications);
    axis_label(w->range[0].key, plot.x.label, sizeof plot.x.label);
    if (w->along == ALONG_KEY)
        axis_label(w->range[1].key, plot.y.label, sizeof plot.y.label);
    else
        snprintf(plot.y.label, sizeof plot.y.label, "%s", w->along == ALONG_L ? "L of the best arm" : "gap of the arm");
    snprintf(plot.colour.label, sizeof plot.colour.label, "log₁₀(bound / observed)");
    mk_file_name_part(stem, name, sizeof name - 8);
    strcat(name, "_map");
    if (!code) code = mk_plot_draw(&plot, w->folder, name, (enum mk_plot_format)w->format, err);
    if (!code && !w->style.form)
        printf("\n%s/%s.%s\n", w->folder, name, mk_plot_suffix((enum mk_plot_format)w->format));
    mk_plot_clear(&plot);
    free(y);
    return code;
}

static int map(struct bound_map *w, const struct mk_texts *vary, struct mk_error *err)
{
    if (vary->n != 2)
        return mk_fail(err, MK_EINPUT, "maxk map: --vary: expected 2 ranges, for x and y, got %zu", vary->n);
    int code = MK_OK;
    for (size_t i = 0; i < 2 && !code; i++)
        code = mk_bound_search_range_parse(vary->text[i], "maxk map: --vary", &w->range[i], err);
    if (code) return code;
    w->s.n = 2;
    w->s.range = w->range;
    struct mk_progress_line line = {"map", 0, NULL};
    struct mk_progress progress = {.report = mk_progress_line(), .context = &line};
    mk_progress_start(&progress, 0, w->points[0] * w->points[1]);
    w->s.progress = &progress;
    code = evaluate_all(w, err);
    mk_progress_line_clear();
    if (!code) code = print_table(w, err);
    if (!code) code = draw(w, err);
    free(w->x);
    free(w->y);
    free(w->cell);
    return code;
}

int mk_cmd_map(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "map", "EXPERIMENT.yaml",
        "Compares a bound with what is observed on a grid over two keys of an experiment file, prints every point, and "
        "draws a map of log10(bound / observed) with the line p = 1: at each point the worst of all policies, horizons "
        "and suboptimal arms. The bounds are those of `maxk search`; the column unit (what L_opt, gap and p are "
        "measured in) is that of `maxk bounds`. Over alpha and L, with L = w / (1 + w) for "
        "weights [w, 1]:\n\n  maxk map experiments/map_alpha_l.yaml -v policies.0.alpha=0.05:20 \\\n      -v "
        "problem.arms.0.weights.0=0.03:10 --y L",
        1, 1};
    struct mk_texts vary = {0, NULL}, sets = {0, NULL};
    struct bound_map w = {
        .s = {.replications = 500, .seed = 42}, .points = {16, 12}, .folder = "results/figures", .format = MK_PLOT_PNG};
    uint64_t threads = (uint64_t)omp_get_max_threads();
    const char *claim = NULL;
    int variant = MK_BOUND_SUM;
    const struct mk_option options[] = {
        {"vary", 'v', MK_OPT_TEXTS, &vary, "KEY=LO:HI", NULL, 1, 0,
         "a key of the file and its range; given twice: first x, then y"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 1, 0, "override a key; may be repeated"},
        {"variant", 0, MK_OPT_CHOICE, &variant, "NAME", "printed|sum|endpoint|figure_e5|crossing|explicit|proposition",
         1, 0, "form of the bound (default: sum)"},
        {"claim", 0, MK_OPT_TEXT, &claim, "NAME", NULL, 1, 0, "instead of a bound: a claim of the file (key `claims`)"},
        {"y", 0, MK_OPT_CHOICE, &w.along, "NAME", "key|L|gap", 1, 0,
         "what the y axis shows: the value of the second key, or the L or gap it leads to (default: key)"},
        {"columns", 0, MK_OPT_COUNT, &w.points[0], "N", NULL, LEAST_POINTS, MOST_POINTS,
         "points along x (default: 16)"},
        {"rows", 0, MK_OPT_COUNT, &w.points[1], "N", NULL, LEAST_POINTS, MOST_POINTS, "points along y (default: 12)"},
        {"replications", 0, MK_OPT_COUNT, &w.s.replications, "N", NULL, 2, 1e9,
         "replications at each point (default: 500)"},
        {"seed", 0, MK_OPT_COUNT, &w.s.seed, "N", NULL, 1, 0, "seed of all points (default: 42)"},
        {"out", 'o', MK_OPT_TEXT, &w.folder, "DIR", NULL, 0, -1, "folder for the figure (default: results/figures)"},
        {"format", 'f', MK_OPT_CHOICE, &w.format, "NAME", MK_PLOT_FORMATS, 0, -1,
         "format of the picture (default: png)"},
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096, "number of threads (default: all cores)"},
        MK_TABLE_OPTIONS(w.style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) {
        w.s.path = operand[0];
        w.s.n_sets = sets.n;
        w.s.sets = sets.text;
        w.s.threads = (int)threads;
        mk_bound_search_set_target(&w.s, variant, claim);
        code = map(&w, &vary, err);
    }
    free(vary.text);
    free(sets.text);
    return code;
}
