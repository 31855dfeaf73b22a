/* maxk list: the contents of the registries. One source for help, README and man page. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/error.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/experiments_folder.h"
#include "sim/program/command/options.h"
#include "sim/run/experiment/experiment.h"
#include "sim/study/tune.h"

/* "policies|families|…": the names of the lists, after a bar. */
static const char bar_lists[] =
#define DESCRIBED(list, ...) "|" #list
#define LISTED DESCRIBED
#define OF_TABLE DESCRIBED
#define OF_PROGRAM DESCRIBED
#include "analysis/answers/tables/registries.def"
    ;
#define LISTS (bar_lists + 1)

static int only_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

/* ---- lists of the program alone ---- */

#define TEXT_COLUMN(id, name, about)                                                                                   \
    {                                                                                                                  \
        name, MK_COLUMN_TEXT, "", about                                                                                \
    }
static const struct mk_column experiment_columns[] = {TEXT_COLUMN(PATH, "experiment", "path of the file"),
                                                      TEXT_COLUMN(TITLE, "title", "its title"),
                                                      TEXT_COLUMN(SOURCE, "source", "what it repeats")};
static const struct mk_table_schema experiment_schema = {
    .title = "experiment files", .column = experiment_columns, .n_columns = 3, .bare = true};
static const struct mk_column command_columns[] = {TEXT_COLUMN(NAME, "command", "name of the command"),
                                                   TEXT_COLUMN(GROUP, "group", "its group"),
                                                   TEXT_COLUMN(SUMMARY, "what it does", "one line")};
static const struct mk_table_schema command_schema = {
    .title = "commands", .column = command_columns, .n_columns = 3, .bare = true, .is_markdown = true};

static void add_list_row(struct mk_table *t, const char *first, const char *second, const char *third)
{
    mk_table_set_text(t, 0, first);
    mk_table_set_text(t, 1, second);
    mk_table_set_text(t, 2, third);
    mk_table_end_row(t);
}

/* A file of maxk tune; false: it is none. */
static bool add_tune_file(struct mk_table *t, const char *path)
{
    struct mk_tune *tune = NULL;
    struct mk_error ignored;
    if (mk_tune_read(&tune, path, NULL, 0, &ignored)) return false;
    add_list_row(t, path, tune->title, tune->source);
    mk_tune_free(tune);
    return true;
}

/* A file that cannot be read has the reason in place of its title. */
static int add_experiment(struct mk_table *t, const char *path, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_error why;
    char reason[MK_ERROR_TEXT + 2];
    int code = mk_experiment_read(&e, path, NULL, 0, 0, &why);
    snprintf(reason, sizeof reason, "(%s)", code ? why.text : "");
    if (!code)
        add_list_row(t, path, e->title, e->source);
    else if (code == MK_EINPUT && !add_tune_file(t, path))
        add_list_row(t, path, reason, "");
    mk_experiment_free(e);
    return code && code != MK_EINPUT ? mk_fail(err, code, "%s", why.text) : MK_OK;
}

static int list_experiments(struct mk_table **out, struct mk_error *err)
{
    struct dirent **entry = NULL;
    char room[MK_PATH_ROOM], path[MK_PATH_ROOM + 256];
    const char *folder = mk_experiments_folder(room);
    int n = scandir(folder, &entry, only_yaml, alphasort);
    if (n < 0)
        return mk_fail(err, MK_EINPUT, "maxk list: %s: cannot be read: %s (and none were installed with the program)",
                       folder, strerror(errno));
    int code = mk_table_new(out, &experiment_schema, err);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (!code) code = add_experiment(*out, path, err);
        free(entry[i]);
    }
    free(entry);
    return code;
}

static int list_commands(struct mk_table **out, struct mk_error *err)
{
    struct mk_command all[MK_MOST_COMMANDS + 1];
    const size_t n = mk_commands(all);
    int code = mk_table_new(out, &command_schema, err);
    for (size_t i = 0; !code && i < n; i++) add_list_row(*out, all[i].name, all[i].group, all[i].summary);
    return code;
}

/* ---- */

static int no_such_list(const char *name, struct mk_error *err)
{
    char word[32], all[256], clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    const char *nearest = mk_choice_nearest(LISTS, name, word, sizeof word);
    return mk_fail(err, MK_EINPUT, "maxk list: expected one of %s; got '%s' (%s)",
                   mk_choice_list(LISTS, all, sizeof all), mk_clip(name, clip),
                   mk_hint(nearest, "see maxk list --help", hint));
}

static int make_list(struct mk_table **out, char **what, size_t n, struct mk_error *err)
{
    const struct mk_table_call call = {.input = (const char *const *)what, .n_inputs = n};
    if (mk_choice_find(LISTS, what[0]) < 0) return no_such_list(what[0], err);
    const struct {
        const char *name;
        int (*list)(struct mk_table **out, struct mk_error *err);
    } own[] = {
#define OF_PROGRAM(list, sentence) {#list, list_##list},
#include "analysis/answers/tables/registries.def"
    };
    size_t i = 0;
    while (i < sizeof own / sizeof *own && strcmp(what[0], own[i].name) != 0) i++;
    const bool is_own = i < sizeof own / sizeof *own;
    if (is_own && n > 1) return mk_option_fail("list", "unexpected operand", what[1], err);
    int code = is_own ? own[i].list(out, err) : mk_table_list.make(out, &call, err);
    return code ? code : mk_table_check(*out, err);
}

int mk_cmd_list(int argc, char **argv, struct mk_error *err)
{
    struct mk_table_style style = {.command = "list"};
    const struct mk_option options[] = {
        {"markdown", 0, MK_OPT_FLAG, &style.form, NULL, NULL, MK_TABLE_MARKDOWN, 0,
         "print a Markdown table (--format markdown)"},
        MK_TABLE_OPTIONS(style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"list", LISTS, "Prints one of these lists:\n"
#define DESCRIBED(list, one, heading, about, sentence) "\n  " #list "  " sentence
#define LISTED(list, sentence) "\n  " #list "  " sentence
#define OF_TABLE(list, operand, sentence) "\n  " #list " " operand "  " sentence
#define OF_PROGRAM LISTED
#include "analysis/answers/tables/registries.def"
                                   ,
                                   1, 2};
    char **what;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &what, &n, err);
    if (code) return code;
    if (strcmp(what[0], "distributions") == 0) what[0] = "families"; /* as earlier versions called them */
    struct mk_table *t = NULL;
    code = make_list(&t, what, n, err);
    if (!code) code = mk_table_print(t, stdout, style, err);
    mk_table_free(t);
    return code;
}
