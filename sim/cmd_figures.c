/* maxk figures: every figure that a result file allows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figure.h"
#include "analysis/plot_text.h"
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

/* The name of a result file without folders and .h5. */
static void stem(const char *path, char *out, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, room, "%s", slash ? slash + 1 : path);
    size_t n = strlen(out);
    if (n > 3 && strcmp(out + n - 3, ".h5") == 0) out[n - 3] = '\0';
}

static int is_used(char (*used)[PREFIX_ROOM], size_t n, const char *prefix)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(used[i], prefix) == 0) return 1;
    return 0;
}

/* Files of one experiment name must not overwrite each other's figures: the later ones go by their file name, then by
 * a number. */
static void settle_prefix(struct mk_study *s, const char *path, char (*used)[PREFIX_ROOM], size_t at)
{
    char plain[PREFIX_ROOM - 24];
    if (is_used(used, at, s->prefix)) {
        stem(path, plain, sizeof plain);
        mk_file_name_part(plain, s->prefix, sizeof s->prefix);
        snprintf(plain, sizeof plain, "%.*s", (int)sizeof plain - 1, s->prefix);
        if (is_used(used, at, s->prefix)) snprintf(s->prefix, sizeof s->prefix, "%s_%zu", plain, at + 1);
    }
    snprintf(used[at], PREFIX_ROOM, "%s", s->prefix);
}

int mk_cmd_figures(int argc, char **argv, struct mk_error *err)
{
    const char *folder = "results/figures";
    int format = MK_PLOT_PNG;
    const struct mk_option options[] = {
        {"out", 'o', MK_OPT_TEXT, &folder, "DIR", NULL, 0, -1, "where figures go (default: results/figures)"},
        {"format", 'f', MK_OPT_CHOICE, &format, "NAME", MK_PLOT_FORMATS, 0, -1, "kind of picture (default: png)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"figures", "RESULT.h5…",
                                   "Draws every figure that the content of the result files allows, and prints the "
                                   "path of each. Beside every picture\n"
                                   "stay its data (.dat, columns of numbers) and its script (.gp: `gnuplot NAME.gp` in "
                                   "that folder draws it again).\n"
                                   "Names begin with the experiment's name; of several files with one name, the later "
                                   "ones' begin with the file's.",
                                   1, SIZE_MAX};
    char **operand, (*used)[PREFIX_ROOM] = NULL;
    size_t n = 0, drawn = 0;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    used = calloc(n, sizeof *used);
    code = used ? mk_make_folder(folder, err) : mk_fail_memory(err, "figures");
    for (size_t i = 0; i < n && !code; i++) {
        struct mk_study s;
        code = mk_study_open(&s, operand[i], err);
        if (code) break;
        if (s.missing[0]) fprintf(stderr, "%s: no figures of the arms themselves: %s\n", operand[i], s.missing);
        settle_prefix(&s, operand[i], used, i);
        s.folder = folder;
        s.format = (enum mk_plot_format)format;
        s.drawn = print_path;
        s.context = &drawn;
        code = mk_study_draw(&s, err);
        mk_study_close(&s);
    }
    free(used);
    if (!code && !drawn) fprintf(stderr, "maxk figures: nothing to draw\n");
    return code;
}
