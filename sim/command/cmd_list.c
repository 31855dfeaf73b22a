/* maxk list: the contents of the registries. One source for help, README and man page. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/experiments_folder.h"
#include "sim/command/options.h"
#include "sim/command/tables/list_tables.h"
#include "sim/experiment/experiment.h"
#include "sim/tune/tune.h"

#define LISTS MK_LIST_TABLES "|experiments"

static int only_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

/* A file of maxk tune; false: it is none. */
static bool list_tune_file(const char *path)
{
    struct mk_tune *t = NULL;
    struct mk_error ignored;
    if (mk_tune_read(&t, path, NULL, 0, &ignored)) return false;
    printf("%-36s %s%s%s%s\n", path, t->title, *t->source ? " [" : "", t->source, *t->source ? "]" : "");
    mk_tune_free(t);
    return true;
}

static int list_experiments(struct mk_error *err)
{
    struct dirent **entry = NULL;
    char room[MK_FOLDER_ROOM];
    const char *folder = mk_experiments_folder(room);
    int n = scandir(folder, &entry, only_yaml, alphasort);
    if (n < 0)
        return mk_fail(err, MK_EINPUT, "maxk list: %s: cannot be read: %s (and none were installed with the program)",
                       folder, strerror(errno));
    int code = MK_OK;
    for (int i = 0; i < n; i++) {
        char path[MK_FOLDER_ROOM + 256];
        struct mk_experiment *e = NULL;
        struct mk_error why;
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        int read = code ? code : mk_experiment_read(&e, path, NULL, 0, 0, &why);
        if (read == MK_OK)
            printf("%-36s %s%s%s%s\n", path, e->title, *e->source ? " [" : "", e->source, *e->source ? "]" : "");
        else if (read == MK_EINPUT && !list_tune_file(path))
            printf("%-36s (%s)\n", path, why.text);
        else if (read != MK_EINPUT && !code)
            code = mk_fail(err, read, "%s", why.text);
        mk_experiment_free(e);
        free(entry[i]);
    }
    free(entry);
    return code;
}

static int no_such_list(const char *name, struct mk_error *err)
{
    char word[32], all[160], clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    const char *nearest = mk_choice_nearest(LISTS, name, word, sizeof word);
    return mk_fail(err, MK_EINPUT, "maxk list: expected one of %s; got '%s' (%s)",
                   mk_choice_list(LISTS, all, sizeof all), mk_clip(name, clip),
                   mk_hint(nearest, "see maxk list --help", hint));
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
        "figures, the published claims or the experiment files (which have no other form than text).",
        1, 1};
    char **what;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &what, &n, err);
    if (code) return code;
    if (strcmp(what[0], "experiments") == 0) return list_experiments(err);
    if (mk_choice_find(MK_LIST_TABLES, what[0]) < 0) return no_such_list(what[0], err);
    return mk_list_table(what[0], markdown, style, err);
}
