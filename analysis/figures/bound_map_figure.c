#include "analysis/figures/bound_map_figure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plot/plot_map.h"
#include "analysis/plot/plot_text.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

struct picture {
    const struct mk_bound_map *m;
    enum mk_map_axis along;
    const char *folder;
    enum mk_plot_format format;
    char **path;
};

/* The value on the y axis for the second key's k-th value. */
static double shown_y(const struct picture *w, size_t k)
{
    const struct mk_bound_search_cell *c = &w->m->cell[k];
    return w->along == MK_MAP_L ? c->L : w->along == MK_MAP_GAP ? c->gap : w->m->y[k];
}

/* y ascending, with the values that belong to it. */
static int fill(const struct picture *w, double *y, double *colour, double *p, struct mk_error *err)
{
    const size_t nx = w->m->points[0], ny = w->m->points[1];
    const bool reversed = shown_y(w, 0) > shown_y(w, ny - 1);
    for (size_t k = 0; k < ny; k++) {
        const size_t from = reversed ? ny - 1 - k : k;
        y[k] = shown_y(w, from);
        if (!(y[k] > 0) || (k && !(y[k] > y[k - 1])))
            return mk_fail(err, MK_EINPUT,
                           "maxk map: --y: not positive and strictly monotone along %s; choose another of key, L, gap",
                           w->m->range[1].key);
        for (size_t i = 0; i < nx; i++) {
            colour[i * ny + k] = mk_bound_map_looseness(w->m, &w->m->cell[i * ny + from]);
            p[i * ny + k] = w->m->cell[i * ny + from].p;
        }
    }
    if (!(w->m->x[0] > 0))
        return mk_fail(err, MK_EINPUT, "maxk map: --vary: %s: expected values above 0 along x", w->m->range[0].key);
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

static int draw(const struct picture *w, struct mk_error *err)
{
    const size_t nx = w->m->points[0], ny = w->m->points[1];
    double *y = malloc((ny + 2 * nx * ny) * sizeof *y), *colour = y ? y + ny : NULL, *p = y ? colour + nx * ny : NULL;
    struct mk_plot plot;
    char name[MK_PLOT_TEXT], stem[MK_PLOT_TEXT];
    const char *slash = strrchr(w->m->search.path, '/');
    mk_plot_init(&plot);
    int code = y ? fill(w, y, colour, p, err) : mk_fail_memory(err, "a map");
    if (!code) code = mk_make_folder(w->folder, err);
    if (!code) code = mk_plot_map(&plot, w->m->x, nx, y, ny, colour, err);
    if (!code) code = mk_plot_map_line(&plot, "p = 1", w->m->x, nx, y, ny, p, 1, err);
    snprintf(stem, sizeof stem, "%.200s", slash ? slash + 1 : w->m->search.path);
    *strchrnul(stem, '.') = '\0';
    mk_text_clean(stem, 0, plot.title, sizeof plot.title);
    snprintf(plot.subtitle, sizeof plot.subtitle,
             "bound '%s' (at most T), worst arm and horizon, %llu replications; below 0: exceeded",
             mk_bound_search_target_name(&w->m->search), (unsigned long long)w->m->search.replications);
    axis_label(w->m->range[0].key, plot.x.label, sizeof plot.x.label);
    if (w->along == MK_MAP_KEY)
        axis_label(w->m->range[1].key, plot.y.label, sizeof plot.y.label);
    else
        snprintf(plot.y.label, sizeof plot.y.label, "%s",
                 w->along == MK_MAP_L ? "L of the best arm" : "gap of the arm");
    snprintf(plot.colour.label, sizeof plot.colour.label, "log₁₀(bound / observed)");
    mk_file_name_part(stem, name, sizeof name - 8);
    strcat(name, "_map");
    if (!code) code = mk_plot_draw(&plot, w->folder, name, w->format, err);
    if (!code && asprintf(w->path, "%s/%s.%s", w->folder, name, mk_plot_suffix(w->format)) < 0)
        code = mk_fail_memory(err, "a map");
    mk_plot_clear(&plot);
    free(y);
    return code;
}

int mk_bound_map_draw(const struct mk_bound_map *m, enum mk_map_axis along, const char *folder,
                      enum mk_plot_format format, char **path, struct mk_error *err)
{
    const struct picture w = {m, along, folder, format, path};
    *path = NULL;
    return draw(&w, err);
}
