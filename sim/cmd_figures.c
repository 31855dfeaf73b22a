/* maxk figures: every figure that a result, experiment or CSV file allows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figure.h"
#include "analysis/gallery.h"
#include "analysis/plot_text.h"
#include "analysis/pool.h"
#include "sim/command.h"
#include "sim/options.h"
#include "sim/replace.h"

enum { PREFIX_ROOM = 128 };

static void print_path(void *context, const char *path)
{
    ++*(size_t *)context;
    printf("%s\n", path);
    fflush(stdout);
}

/* The name of a file without folders and ending. */
static void stem(const char *path, char *out, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, room, "%s", slash ? slash + 1 : path);
    static const char *const ending[] = {".gz", ".h5", ".csv", ".yaml", ".yml"};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        size_t n = strlen(out), m = strlen(ending[i]);
        if (n > m && strcmp(out + n - m, ending[i]) == 0) out[n - m] = '\0';
    }
}

static int is_used(char (*used)[PREFIX_ROOM], size_t n, const char *prefix)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(used[i], prefix) == 0) return 1;
    return 0;
}

/* Files of one experiment name must not overwrite each other's figures: the later ones go by their file name, then by
 * a number. */
static void settle_prefix(char *prefix, const char *path, char (*used)[PREFIX_ROOM], size_t at)
{
    char plain[PREFIX_ROOM - 24];
    if (is_used(used, at, prefix)) {
        stem(path, plain, sizeof plain);
        mk_file_name_part(plain, prefix, PREFIX_ROOM);
        snprintf(plain, sizeof plain, "%.*s", (int)sizeof plain - 1, prefix);
        if (is_used(used, at, prefix)) snprintf(prefix, PREFIX_ROOM, "%s_%zu", plain, at + 1);
    }
    snprintf(used[at], PREFIX_ROOM, "%s", prefix);
}

/* What is asked for, and how far it is. */
struct work {
    const char *folder;
    enum mk_plot_format format;
    char (*used)[PREFIX_ROOM];
    size_t drawn;
};

static int draw_result(struct work *w, const char *path, size_t at, struct mk_error *err)
{
    struct mk_study s;
    int code = mk_study_open(&s, path, err);
    if (code) return code;
    if (s.missing[0]) fprintf(stderr, "%s: no figures of the arms themselves: %s\n", path, s.missing);
    settle_prefix(s.prefix, path, w->used, at);
    s.folder = w->folder;
    s.format = w->format;
    s.drawn = print_path;
    s.context = &w->drawn;
    code = mk_study_draw(&s, err);
    mk_study_close(&s);
    return code;
}

static int draw_problem(struct work *w, const char *path, size_t at, struct mk_error *err)
{
    struct mk_gallery g;
    int code = mk_gallery_open(&g, path, err);
    if (code) return code;
    settle_prefix(g.prefix, path, w->used, at);
    g.folder = w->folder;
    g.format = w->format;
    g.drawn = print_path;
    g.context = &w->drawn;
    code = mk_gallery_draw(&g, err);
    mk_gallery_close(&g);
    return code;
}

int mk_cmd_figures(int argc, char **argv, struct mk_error *err)
{
    struct work w = {"results/figures", MK_PLOT_PNG, NULL, 0};
    int format = MK_PLOT_PNG;
    const struct mk_option options[] = {
        {"out", 'o', MK_OPT_TEXT, &w.folder, "DIR", NULL, 0, -1, "where figures go (default: results/figures)"},
        {"format", 'f', MK_OPT_CHOICE, &format, "NAME", MK_PLOT_FORMATS, 0, -1, "kind of picture (default: png)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"figures", "RESULT.h5|EXPERIMENT.yaml|FILE.csv[.gz]…",
                                   "Draws every figure that the files allow, and prints the path of each. Of a result "
                                   "file: shares of pulls, regrets,\n"
                                   "bounds, sweeps. Of an experiment or CSV file, without running it: of known arms "
                                   "survival functions, the ratio\n"
                                   "G(b - eps)/eps and L and U by four estimators; of recorded rewards, normalised per "
                                   "instance and repetition, average\n"
                                   "survival functions per rank with five time segments, gaps, L and U per rank, "
                                   "skewness and drift. Beside every\n"
                                   "picture stay its data (.dat, columns of numbers) and its script (.gp: `gnuplot "
                                   "NAME.gp` in that folder draws it\n"
                                   "again). Names begin with the experiment's name; of several files with one name, "
                                   "the later ones' begin with the\n"
                                   "file's.",
                                   1, SIZE_MAX};
    char **operand;
    size_t n = 0;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    w.format = (enum mk_plot_format)format;
    w.used = calloc(n, sizeof *w.used);
    code = w.used ? mk_make_folder(w.folder, err) : mk_fail_memory(err, "figures");
    for (size_t i = 0; i < n && !code; i++)
        code = mk_pool_is_csv(operand[i]) || mk_pool_is_yaml(operand[i]) ? draw_problem(&w, operand[i], i, err)
                                                                         : draw_result(&w, operand[i], i, err);
    free(w.used);
    if (!code && !w.drawn) fprintf(stderr, "maxk figures: nothing to draw\n");
    return code;
}
