/* maxk list: the contents of the registries. One source for help, README and man page. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tables/table_type.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/experiments_folder.h"
#include "sim/command/options.h"
#include "sim/command/tables/list_tables.h"
#include "sim/experiment/experiment.h"
#include "sim/tune/tune.h"

#define LISTS MK_LIST_TABLES "|columns|experiments"

static int only_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static void add_row(struct mk_table_printer *t, const char *path, const char *title, const char *source)
{
    mk_table_text(t, path);
    mk_table_text(t, title);
    mk_table_text(t, source);
}

/* A file of maxk tune; false: it is none. */
static bool add_tune_file(struct mk_table_printer *t, const char *path)
{
    struct mk_tune *tune = NULL;
    struct mk_error ignored;
    if (mk_tune_read(&tune, path, NULL, 0, &ignored)) return false;
    add_row(t, path, tune->title, tune->source);
    mk_tune_free(tune);
    return true;
}

/* A file that cannot be read has the reason in place of its title. */
static int add_experiment(struct mk_table_printer *t, const char *path, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_error why;
    char reason[MK_ERROR_TEXT + 2];
    int code = mk_experiment_read(&e, path, NULL, 0, 0, &why);
    snprintf(reason, sizeof reason, "(%s)", code ? why.text : "");
    if (!code)
        add_row(t, path, e->title, e->source);
    else if (code == MK_EINPUT && !add_tune_file(t, path))
        add_row(t, path, reason, "");
    mk_experiment_free(e);
    return code && code != MK_EINPUT ? mk_fail(err, code, "%s", why.text) : MK_OK;
}

static int list_experiments(struct mk_table_style style, struct mk_error *err)
{
    struct dirent **entry = NULL;
    struct mk_table_printer *t = NULL;
    char room[MK_FOLDER_ROOM], path[MK_FOLDER_ROOM + 256];
    const char *folder = mk_experiments_folder(room);
    int n = scandir(folder, &entry, only_yaml, alphasort);
    if (n < 0)
        return mk_fail(err, MK_EINPUT, "maxk list: %s: cannot be read: %s (and none were installed with the program)",
                       folder, strerror(errno));
    int code = mk_table_begin(&t, stdout, style, "experiment,title,source", err);
    if (t && style.form == MK_TABLE_ALIGNED) mk_table_hide_names(t);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (!code) code = add_experiment(t, path, err);
        free(entry[i]);
    }
    free(entry);
    return mk_table_finish(t, code, err);
}

static int no_such_list(const char *name, struct mk_error *err)
{
    char word[32], all[160], clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    const char *nearest = mk_choice_nearest(LISTS, name, word, sizeof word);
    return mk_fail(err, MK_EINPUT, "maxk list: expected one of %s; got '%s' (%s)",
                   mk_choice_list(LISTS, all, sizeof all), mk_clip(name, clip),
                   mk_hint(nearest, "see maxk list --help", hint));
}

static int no_such_columns(const char *table, struct mk_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char all[512], clip[MK_CLIP_ROOM];
    size_t n = 0;
    for (; n < MOST && mk_table_name(n); n++) names[n] = mk_table_name(n);
    return mk_fail(err, MK_EINPUT, "maxk list: columns: expected one of %s; got '%s' (see maxk list --help)",
                   mk_join(names, n, all, sizeof all), mk_clip(table, clip));
}

int mk_cmd_list(int argc, char **argv, struct mk_error *err)
{
    int markdown = 0;
    struct mk_table_style style = MK_TABLE_PLAIN;
    const struct mk_option options[] = {
        {"markdown", 0, MK_OPT_FLAG, &markdown, NULL, NULL, 0, -1, "print a Markdown table"},
        MK_TABLE_OPTIONS(style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "list", LISTS,
        "Lists the policies, the reward families, the curves of rising arms, the optimisers and "
        "the objectives of searches, the keys of experiment files, the commands, the "
        "figures, the published claims, the tables, the columns of one (maxk list columns TABLE) with their units and meanings, or the experiment files.",
        1, 2};
    char **what;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &what, &n, err);
    if (code) return code;
    if (n > 1 && strcmp(what[0], "columns") != 0) return mk_option_fail("list", "unexpected operand", what[1], err);
    if (strcmp(what[0], "distributions") == 0) what[0] = "families"; /* as earlier versions called them */
    if (strcmp(what[0], "experiments") == 0) {
        if (markdown) style.form = MK_TABLE_MARKDOWN;
        return list_experiments(style, err);
    }
    if (strcmp(what[0], "columns") == 0)
        return n < 2 || !mk_table_type_find(what[1]) ? no_such_columns(n < 2 ? "" : what[1], err)
                                                     : mk_list_columns(what[1], markdown, style, err);
    if (mk_choice_find(MK_LIST_TABLES, what[0]) < 0) return no_such_list(what[0], err);
    return mk_list_table(what[0], markdown, style, err);
}
