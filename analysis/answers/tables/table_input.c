#include "analysis/answers/tables/table_input.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/run/engine/run_searches.h"
#include "sim/run/store/problem_input.h"

enum { SHOWN_GAPS = 5 };

static int no_memory(struct mk_error *err)
{
    return mk_fail_memory(err, "options");
}

/* Appends text, which it takes over. */
static int add_set(struct mk_texts *sets, char *text, struct mk_error *err)
{
    if (!text || !MK_GROW(sets->text, sets->n, 1)) {
        free(text);
        return no_memory(err);
    }
    sets->text[sets->n++] = text;
    return MK_OK;
}

static int add_word(struct mk_texts *sets, const char *key, const char *choices, int at, struct mk_error *err)
{
    char word[32], *text = NULL;
    if (at < 0) return MK_OK;
    if (asprintf(&text, "problem.%s=%s", key, mk_choice_word(choices, at, word, sizeof word)) < 0)
        return no_memory(err);
    return add_set(sets, text, err);
}

static void put_quoted(FILE *to, const char *text, size_t length)
{
    fputc('"', to);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\') fputc('\\', to);
        fputc(text[i], to);
    }
    fputc('"', to);
}

/* "instance=dataset,arm=classifier" as --columns problem.columns={"instance": "dataset", …}. */
static int add_columns(struct mk_texts *sets, const char *command, const char *list, struct mk_error *err)
{
    char *text = NULL, clip[MK_CLIP_ROOM];
    size_t size = 0;
    if (!list) return MK_OK;
    FILE *to = open_memstream(&text, &size);
    if (!to) return no_memory(err);
    fputs("--columns problem.columns={", to);
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        if (!equals || equals == at || equals + 1 == at + length) {
            fclose(to);
            free(text);
            return mk_fail(err, MK_EINPUT,
                           "maxk %s: --columns: expected NAME=COLUMN,… such as instance=dataset,reward=accuracy; got "
                           "'%s' (see maxk %s --help)",
                           command, mk_clip(list, clip), command);
        }
        put_quoted(to, at, (size_t)(equals - at));
        fputs(": ", to);
        put_quoted(to, equals + 1, (size_t)(at + length - equals - 1));
        at += length;
        if (*at) fputs(*++at ? ", " : "", to);
    }
    fputc('}', to);
    if (fclose(to)) {
        free(text);
        return no_memory(err);
    }
    return add_set(sets, text, err);
}

int mk_input_sets(const char *command, struct mk_input_options *in, size_t *first, struct mk_error *err)
{
    int code = mk_plugins_add(&in->plugins, &in->sets, &in->loaded, err);
    *first = in->sets.n;
    if (!code) code = add_columns(&in->sets, command, in->columns, err);
    if (!code) code = add_word(&in->sets, "missing", MK_MISSING_CHOICES, in->missing, err);
    if (!code) code = add_word(&in->sets, "holes", MK_HOLES_CHOICES, in->holes, err);
    if (!code) code = add_word(&in->sets, "ends_early", MK_ENDS_CHOICES, in->ends_early, err);
    return code;
}

void mk_input_sets_free(struct mk_input_options *in, size_t first)
{
    for (size_t i = first; i < in->sets.n; i++) free((char *)in->sets.text[i]);
    free((void *)in->sets.text);
    free((void *)in->plugins.text);
    free(in->loaded);
    in->sets = in->plugins = (struct mk_texts){0};
    in->loaded = NULL;
}

/* "--plugin plugins=['a', 'b']": in quotes, where a quote is written twice. malloc'ed; NULL: out of memory. */
static char *plugins_override(const struct mk_texts *plugins)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f) return NULL;
    fputs("--plugin plugins=[", f);
    for (size_t i = 0; i < plugins->n; i++) {
        fputs(i ? ", '" : "'", f);
        for (const char *c = plugins->text[i]; *c; c++) fputs(*c == '\'' ? "''" : (char[]){*c, 0}, f);
        fputc('\'', f);
    }
    fputc(']', f);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

int mk_plugins_add(const struct mk_texts *plugins, struct mk_texts *sets, char **text, struct mk_error *err)
{
    if (!plugins->n) return MK_OK;
    *text = plugins_override(plugins);
    if (!*text || !MK_GROW(sets->text, sets->n, 1)) return mk_fail_memory(err, "options");
    memmove(sets->text + 1, sets->text, sets->n * sizeof *sets->text);
    sets->text[0] = *text;
    sets->n++;
    return MK_OK;
}

int mk_input_run_searches_with(struct mk_experiment *e, mk_progress_report *report, struct mk_error *err)
{
    struct mk_progress progress = {.report = report, .context = &(struct mk_progress_line){e->name, 1, "evaluations"}};
    return mk_run_searches(e, omp_get_max_threads(), &progress, err);
}

int mk_input_load(struct mk_experiment **out, const char *command, const char *path, struct mk_result *r,
                  struct mk_input_options *in, unsigned need, mk_progress_report *report, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    size_t first;
    int code = mk_input_sets(command, in, &first, err);
    if (!code && r)
        code = mk_problem_input_of_result(&e, r, in->sets.text, in->sets.n, need, err);
    else if (!code)
        code = mk_problem_input_read(&e, path, in->sets.text, in->sets.n, need, err);
    if (!code) code = mk_input_run_searches_with(e, report, err);
    mk_input_sets_free(in, first);
    if (code)
        mk_experiment_free(e);
    else
        *out = e;
    return code;
}

int mk_input_of_result(struct mk_result *r, const struct mk_texts *plugins, struct mk_experiment **out,
                       struct mk_error *err)
{
    struct mk_texts sets = {0, NULL};
    char *loaded = NULL;
    int code = mk_plugins_add(plugins, &sets, &loaded, err);
    if (!code) code = mk_result_experiment(r, &(struct mk_overrides){sets.text, sets.n}, out, err);
    free((void *)sets.text);
    free(loaded);
    return code;
}

char *mk_input_gaps(const struct mk_problem *p)
{
    char *text = mk_problem_gaps(p), *next = text, *shown = NULL;
    size_t n = 0, length;
    FILE *to = open_memstream(&shown, &length);
    for (char *line = text; to && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (n++ < SHOWN_GAPS) fprintf(to, "%s: %.*s\n", p->file, (int)(next - line), line);
        next += *next == '\n';
    }
    if (to && n > SHOWN_GAPS)
        fprintf(to, "%s: and %zu more such lines (all are in the result: maxk info)\n", p->file, n - SHOWN_GAPS);
    if (to) fclose(to);
    free(text);
    return shown;
}

void mk_input_print_gaps(FILE *to, const struct mk_problem *p)
{
    char *text = mk_input_gaps(p);
    if (text) fputs(text, to);
    free(text);
}

int mk_input_find_instance(const char *command, const struct mk_problem *p, const char *name, size_t *at,
                           struct mk_error *err)
{
    uint64_t number;
    *at = 0;
    if (!name) return MK_OK;
    for (; *at < p->n_instances; ++*at)
        if (strcmp(p->instance[*at].name, name) == 0) return MK_OK;
    if (mk_parse_count(name, &number) && number < p->n_instances) {
        *at = (size_t)number;
        return MK_OK;
    }
    return mk_fail(err, MK_EINPUT,
                   "maxk %s: --instance: expected the name of an instance or a number from 0 to %zu, got '%s'", command,
                   p->n_instances - 1, name);
}
