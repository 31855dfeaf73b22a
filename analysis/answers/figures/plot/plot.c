#include "analysis/answers/figures/plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/param.h"

enum { PATH_ROOM = 4096, MOST_FILES = 4 };

static const struct mk_axis plain_axis = {"", 0, NAN, NAN, NULL, 0, 0};

void mk_plot_init(struct mk_plot *p)
{
    memset(p, 0, sizeof *p);
    p->x = p->y = p->colour = plain_axis;
}

void mk_plot_clear(struct mk_plot *p)
{
    for (size_t i = 0; i < p->n_curves; i++) free(p->curve[i].x);
    free(p->curve);
    free(p->note);
    free(p->cell);
    mk_plot_init(p);
}

void mk_plot_axes(struct mk_plot *p, const char *x, const char *y)
{
    snprintf(p->x.label, sizeof p->x.label, "%s", x);
    snprintf(p->y.label, sizeof p->y.label, "%s", y);
}

bool mk_plot_note(struct mk_plot *p, double x, double y, int side, const char *text)
{
    if (!MK_GROW(p->note, p->n_notes, 1)) return false;
    struct mk_note *note = &p->note[p->n_notes++];
    *note = (struct mk_note){.x = x, .y = y, .side = side};
    mk_text_clean(text, 0, note->text, sizeof note->text);
    return true;
}

double *mk_plot_cells(struct mk_plot *p, const char *const *row, size_t n_rows, const char *const *column,
                      size_t n_columns)
{
    p->cell = malloc((n_rows * n_columns + 1) * sizeof *p->cell);
    if (!p->cell) return NULL;
    for (size_t i = 0; i < n_rows * n_columns; i++) p->cell[i] = NAN;
    p->row = row;
    p->n_rows = n_rows;
    p->column = column;
    p->n_columns = n_columns;
    return p->cell;
}

struct mk_curve *mk_plot_add(struct mk_plot *p, const char *label, size_t n, int interval)
{
    if (!MK_GROW(p->curve, p->n_curves, 1)) return NULL;
    size_t columns = interval ? 4 : 2;
    double *values = malloc((columns * n + 1) * sizeof *values);
    if (!values) return NULL;
    for (size_t i = 0; i < columns * n; i++) values[i] = NAN;
    struct mk_curve *c = &p->curve[p->n_curves++];
    *c = (struct mk_curve){"", MK_CURVE_LINE, n, values, values + n, NULL, NULL, NAN, -1, 0, 0};
    if (interval) {
        c->lo = values + 2 * n;
        c->hi = values + 3 * n;
    }
    mk_text_clean(label, 0, c->label, sizeof c->label);
    return c;
}

static void write_value(FILE *to, double x)
{
    char text[32];
    fputs(isfinite(x) ? mk_format_real(x, text, sizeof text) : "NaN", to);
}

static void write_cells(const struct mk_plot *p, FILE *to)
{
    char text[MK_PLOT_TEXT];
    fputs("\n# column row value\n", to);
    for (size_t i = 0; i < p->n_rows; i++) {
        mk_text_clean(p->row[i], 0, text, sizeof text);
        fprintf(to, "# row %zu: %s\n", i, text);
        for (size_t j = 0; j < p->n_columns; j++) {
            fprintf(to, "%zu %zu ", j, i);
            write_value(to, p->cell[i * p->n_columns + j]);
            fputc('\n', to);
        }
    }
}

static void write_heading(const char *title, const char *subtitle, FILE *to)
{
    char text[2 * MK_PLOT_TEXT];
    mk_text_clean(title, 0, text, sizeof text);
    fprintf(to, "# %s\n", text);
    mk_text_clean(subtitle, 0, text, sizeof text);
    fprintf(to, "# %s\n", text);
}

static void write_data(const struct mk_plot *p, FILE *to)
{
    write_heading(p->title, p->subtitle, to);
    fprintf(to, "# x: %s\n# y: %s\n", p->x.label, p->y.label);
    for (size_t i = 0; i < p->n_notes; i++)
        fprintf(to, "# text at %.6g %.6g: %s\n", p->note[i].x, p->note[i].y, p->note[i].text);
    if (p->cell) write_cells(p, to);
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        fprintf(to, "%s# curve %zu: %s\n# x y%s\n", i ? "\n\n" : "\n", i, c->label, c->lo ? " lo hi" : "");
        const double *const column[] = {c->x, c->y, c->lo, c->hi};
        const size_t columns = c->lo ? 4 : 2, rows = c->n ? c->n : 1; /* gnuplot does not count a block without rows */
        for (size_t k = 0; k < rows; k++)
            for (size_t j = 0; j < columns; j++) {
                write_value(to, k < c->n ? column[j][k] : NAN);
                fputc(j + 1 < columns ? ' ' : '\n', to);
            }
    }
}

static void write_panels_data(const struct mk_panels *g, FILE *to)
{
    write_heading(g->title, g->subtitle, to);
    for (size_t i = 0, curves = 0; i < g->rows * g->columns; i++) {
        if (g->plot[i].n_curves == 0) continue;
        fputs(curves ? "\n\n" : "\n", to);
        write_data(&g->plot[i], to);
        curves += g->plot[i].n_curves;
    }
}

/* One of the two is set. */
struct sheet {
    const struct mk_plot *plot;
    const struct mk_panels *panels;
};

static int write_file(const struct sheet *s, const char *name, enum mk_plot_format format, const char *path, int data,
                      struct mk_error *err)
{
    FILE *to = fopen(path, "w");
    if (!to) return mk_fail(err, MK_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (s->plot && data)
        write_data(s->plot, to);
    else if (s->plot)
        mk_plot_write_script(s->plot, name, format, to);
    else if (data)
        write_panels_data(s->panels, to);
    else
        mk_panels_write_script(s->panels, name, format, to);
    return mk_close_written(to, path, err);
}

static bool any_visible(const struct mk_plot *p)
{
    struct mk_axis_range x = mk_plot_range_x(p), y = mk_plot_range_y(p);
    for (size_t i = 0; i < p->n_curves; i++)
        if (mk_curve_visible(&p->curve[i], x, y)) return true;
    for (size_t i = 0; p->cell && i < p->n_rows * p->n_columns; i++)
        if (isfinite(p->cell[i])) return true;
    return false;
}

static int draw(const struct sheet *s, const char *folder, const char *name, enum mk_plot_format format,
                struct mk_error *err)
{
    const char *const suffix[MOST_FILES] = {"dat", "gp", mk_plot_suffix(format), "pdf"};
    const int files = format == MK_PLOT_TEX ? 4 : 3;
    char scratch[PATH_ROOM], from[MOST_FILES][PATH_ROOM + 300], to[PATH_ROOM + 300], script[300];
    struct stat made;
    int visible = s->plot && any_visible(s->plot);
    for (size_t i = 0; s->panels && i < s->panels->rows * s->panels->columns; i++)
        visible |= any_visible(&s->panels->plot[i]);
    if (!visible) return mk_fail(err, MK_EFAIL, "figure %s: no point can be drawn", name);
    if ((size_t)snprintf(scratch, sizeof scratch, "%s/.figure-XXXXXX", folder) >= sizeof scratch || strlen(name) > 200)
        return mk_fail(err, MK_EINPUT, "%s/%s: path too long", folder, name);
    if (!mkdtemp(scratch)) return mk_fail(err, MK_EIO, "%s: cannot be written to: %s", folder, strerror(errno));
    mk_leftover_note(scratch);
    for (int i = 0; i < files; i++) {
        snprintf(from[i], sizeof from[i], "%s/%s.%s", scratch, name, suffix[i]);
        mk_leftover_note(from[i]);
    }
    int code = write_file(s, name, format, from[0], 1, err);
    if (!code) code = write_file(s, name, format, from[1], 0, err);
    if (code) goto out;
    snprintf(script, sizeof script, "%s.gp", name);
    code = mk_gnuplot_run(scratch, script, err);
    if (code) goto out;
    for (int i = 2; i < files && !code; i++)
        if (stat(from[i], &made) || made.st_size == 0)
            code = mk_fail(err, MK_EFAIL, "gnuplot: %s: nothing was drawn", script);
    for (int i = 0; i < files && !code; i++) {
        snprintf(to, sizeof to, "%s/%s.%s", folder, name, suffix[i]);
        if (rename(from[i], to)) code = mk_fail(err, MK_EIO, "%s: cannot be written: %s", to, strerror(errno));
    }
out:
    for (int i = 0; i < files; i++) {
        unlink(from[i]);
        mk_leftover_forget(from[i]);
    }
    rmdir(scratch);
    mk_leftover_forget(scratch);
    return code;
}

int mk_plot_draw(const struct mk_plot *p, const char *folder, const char *name, enum mk_plot_format format,
                 struct mk_error *err)
{
    return draw(&(struct sheet){p, NULL}, folder, name, format, err);
}

struct mk_panels *mk_panels_new(size_t rows, size_t columns, double width, double height)
{
    struct mk_panels *panels = calloc(1, sizeof *panels);
    if (!panels) return NULL;
    *panels = (struct mk_panels){.rows = rows,
                                 .columns = columns,
                                 .width = width,
                                 .height = height,
                                 .plot = calloc(rows * columns, sizeof *panels->plot)};
    if (!panels->plot) {
        free(panels);
        return NULL;
    }
    for (size_t i = 0; i < rows * columns; i++) mk_plot_init(&panels->plot[i]);
    return panels;
}

void mk_panels_free(struct mk_panels *panels)
{
    if (!panels) return;
    for (size_t i = 0; i < panels->rows * panels->columns; i++) mk_plot_clear(&panels->plot[i]);
    free(panels->plot);
    free(panels);
}

int mk_panels_draw(const struct mk_panels *g, const char *folder, const char *name, enum mk_plot_format format,
                   struct mk_error *err)
{
    return draw(&(struct sheet){NULL, g}, folder, name, format, err);
}
