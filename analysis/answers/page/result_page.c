/* The page of `maxk report`: results with their facts, tables, figures and settings; studies; documents. */
#include "analysis/answers/page/result_page.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/answers/figures/result_view.h"
#include "analysis/answers/page/page_tables.h"
#include "analysis/answers/page/report_page.h"
#include "analysis/answers/page/study_page.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/scratch_file.h"
#include "sim/base/table/table.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"
#include "sim/base/yaml_values.h"

/* ---- documents ---- */

static const char *text_of(const struct mk_node *node)
{
    return node && node->kind == MK_NODE_SCALAR ? node->text : "";
}

/* Whether a cell is a heading of the document. */
static bool is_heading(const void *context, const char *text)
{
    const struct mk_node *parts = context;
    for (size_t i = 0; i < parts->n; i++)
        if (*text && strcmp(text_of(mk_node_get(parts->child[i], "heading")), text) == 0) return true;
    return false;
}

/* The first row holds the heads. */
static int read_part_table(struct mk_table **out, const struct mk_node *rows, struct mk_error *err)
{
    static const struct mk_table_schema schema = {.title = "a table"};
    const struct mk_node *head = rows->n ? rows->child[0] : NULL;
    int code = mk_check_list(rows, "table", "row", err);
    if (!code) code = mk_check_list(head, "table", "cell", err);
    if (!code) code = mk_table_new(out, &schema, err);
    if (code) return code;
    for (size_t k = 0; k < head->n; k++) mk_table_add_column(*out, text_of(head->child[k]), MK_COLUMN_TEXT, "", "");
    for (size_t i = 1; i < rows->n; i++) {
        const struct mk_node *row = rows->child[i];
        code = mk_check_list(row, "table", "cell", err);
        if (code) return code;
        if (row->n != head->n)
            return mk_fail_at(err, row->where, "table", "expected %zu cells as in its first row, got %zu", head->n,
                              row->n);
        for (size_t k = 0; k < row->n; k++) mk_table_set_text(*out, k, text_of(row->child[k]));
        mk_table_end_row(*out);
    }
    return mk_table_check(*out, err);
}

static int add_part_table(struct mk_page *page, const struct mk_node *rows, const struct mk_node *parts,
                          struct mk_error *err)
{
    const struct mk_table_html how = {.links = is_heading, .context = parts};
    struct mk_table *t = NULL;
    int code = read_part_table(&t, rows, err);
    if (!code) code = mk_page_table(page, t, &how, err);
    mk_table_free(t);
    return code;
}

static int add_part_pictures(struct mk_page *page, const struct mk_node *files, struct mk_error *err)
{
    char name[MK_CLIP_ROOM];
    int code = mk_check_list(files, "pictures", "file", err);
    if (!code) mk_page_pictures_begin(page);
    for (size_t i = 0; i < files->n && !code; i++) {
        const char *path = text_of(files->child[i]);
        code = mk_page_picture(page, path, mk_file_stem(path, name, sizeof name), err);
    }
    if (!code) mk_page_pictures_end(page);
    return code;
}

static int add_part(struct mk_page *page, const struct mk_node *part, const struct mk_node *parts, struct mk_error *err)
{
    static const char *const keys[] = {"heading", "text", "code", "pictures", "table", "folded"};
    int code = mk_check_keys(part, "a part", keys, sizeof keys / sizeof *keys, err);
    if (code) return code;
    const struct mk_node *heading = mk_node_get(part, "heading"), *text = mk_node_get(part, "text");
    const struct mk_node *verbatim = mk_node_get(part, "code"), *pictures = mk_node_get(part, "pictures");
    const struct mk_node *table = mk_node_get(part, "table"), *folded = mk_node_get(part, "folded");
    if (heading) mk_page_heading(page, 2, text_of(heading));
    if (text) mk_page_paragraph(page, text_of(text));
    if (verbatim) mk_page_verbatim(page, NULL, text_of(verbatim));
    if (folded) mk_page_fold_begin(page, text_of(folded));
    if (pictures) code = add_part_pictures(page, pictures, err);
    if (table && !code) code = add_part_table(page, table, parts, err);
    if (folded) mk_page_fold_end(page);
    return code;
}

/* A YAML (or JSON) file {parts: [PART, …]}, as tests/validate/report.py writes it. Adds the parts in their order; every
 * part is a mapping with one of the keys
 *
 *   heading   a text
 *   text      a paragraph
 *   code      a text as it is
 *   pictures  a list of SVG files, relative to the working directory; named after their files
 *   table     a list of rows, the first of them the heads of the columns; cells that are a heading of the document link
 *             to it, and verdicts have their colours
 *
 * and, for pictures and tables, `folded`: the words in place of them until they are opened. MK_EINPUT: another form;
 * MK_EIO: a picture cannot be read. */
static int add_parts(struct mk_page *page, const struct mk_node *document, struct mk_error *err)
{
    static const char *const keys[] = {"parts"};
    const struct mk_node *parts = mk_node_get(document, "parts");
    int code = parts ? mk_check_keys(document, "a document", keys, 1, err)
                     : mk_fail_at(err, document->where, "parts",
                                  "missing; expected a list, or in the place of the document a result, which maxk run "
                                  "makes of an experiment and maxk tune of a study");
    if (!code) code = mk_check_list(parts, "parts", "part", err);
    for (size_t i = 0; parts && i < parts->n && !code; i++) code = add_part(page, parts->child[i], parts, err);
    return code;
}

enum { PATH_ROOM = 4200 };

struct report {
    const struct mk_result_page *of;
    struct mk_page page;
    char folder[1024]; /* of pictures, temporary */
    struct mk_progress progress;
    struct mk_error *err;
    char caption[512];
    struct mk_result *result; /* that is open; NULL: none */
    bool is_titled;           /* results have headings of their own */
    int code;
};

/* ---- figures ---- */

static void add_picture(void *context, const char *path)
{
    struct report *w = context;
    if (!w->code) w->code = mk_page_picture(&w->page, path, w->caption, w->err);
    char other[PATH_ROOM];
    static const char *const suffix[] = {"svg", "gp", "dat"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        snprintf(other, sizeof other, "%.*s.%s", (int)(dot - path), path, suffix[i]);
        unlink(other);
    }
}

/* Those of studies, or the others. */
static int add_figures(struct report *w, struct mk_result_view *s, bool of_study)
{
    int code = MK_OK;
    s->to.folder = w->folder;
    s->to.format = MK_PLOT_SVG;
    s->sampling = w->of->sampling;
    s->to.drawn = add_picture;
    s->to.context = w;
    s->to.apart = of_study;
    mk_page_heading(&w->page, 3, "Figures");
    char spread[512];
    mk_view_describe_parts(s, spread, sizeof spread);
    if (spread[0]) mk_page_paragraph(&w->page, spread);
    mk_page_pictures_begin(&w->page);
    for (size_t i = 0; i < mk_result_figure_count() && !code; i++) {
        const struct mk_result_figure *figure = mk_result_figure_at(i);
        mk_progress_step(&w->progress, 1);
        if (of_study != (mk_name_listed("tune slices", figure->name))) continue;
        s->to.only = figure->name;
        /* what it needs follows a semicolon */
        snprintf(w->caption, sizeof w->caption, "%.*s", (int)strcspn(figure->shows, ";"), figure->shows);
        *w->caption = (char)toupper((unsigned char)*w->caption);
        code = mk_result_view_draw(s, w->err);
        if (!code) code = w->code;
    }
    mk_page_pictures_end(&w->page);
    return code;
}

/* ---- facts ---- */

static void add_item(void *context, const char *key, const char *value)
{
    if (strcmp(key, "experiment") != 0) fprintf(context, "%-24s%s\n", key, value);
}

static void add_facts(struct report *w, const struct mk_result_info *i)
{
    char text[4][MK_COUNTED_ROOM];
    if (i->source[0]) mk_page_paragraph(&w->page, i->source);
    uint64_t least = i->replications;
    for (size_t n = 0; n < i->n_instances; n++)
        if (i->own_replications[n] < least) least = i->own_replications[n];
    mk_page_say(&w->page, "%s on %s with %s; %s%s%s; T up to %s%.15g.",
                mk_counted(i->n_policies, "policy", "policies", text[0]),
                mk_counted(i->n_instances, "instance", NULL, text[1]), mk_counted(i->n_arms, "arm", NULL, text[2]),
                least < i->replications ? "up to " : "", mk_counted(i->replications, "replication", NULL, text[3]),
                i->n_instances > 1 ? " of each instance" : "", i->by_cost ? "a cost of " : "",
                mk_result_amount(i, i->n_horizons - 1));
}

/* tune: the tune file of a study, or NULL. */
static int add_settings(struct report *w, struct mk_result_view *s, const char *tune)
{
    char *text = NULL;
    size_t size = 0;
    mk_page_heading(&w->page, 3, "Settings and provenance");
    if (tune) mk_page_verbatim(&w->page, "The tune file as it was run", tune);
    mk_page_verbatim(&w->page, tune ? "Its trials as an experiment on recorded runs" : "The experiment as it was run",
                     s->info->resolved);
    FILE *to = open_memstream(&text, &size);
    int code = to ? mk_result_provenance(s->result, add_item, to, w->err) : mk_fail_memory(w->err, "the report");
    if (to && fclose(to) && !code) code = mk_fail_memory(w->err, "the report");
    if (!code) mk_page_verbatim(&w->page, "Program, libraries, machine, command", text);
    free(text);
    return code;
}

/* ---- a result, a document, the page ---- */

static void warn(const struct report *w, const char *text, const char *after)
{
    char line[MK_ERROR_TEXT + 64];
    snprintf(line, sizeof line, "%s%s", text, after);
    if (*text && w->of->warn) w->of->warn(line);
}

/* With those that the tables have kept, many of which the figures need. */
static int reopen_certificates(struct mk_result_view *s, struct mk_error *err)
{
    struct mk_certificate_store *again = NULL;
    const int code = mk_certificate_store_open(&again, s->info->path, err);
    if (code) return code;
    mk_certificate_store_free(s->certificates);
    s->certificates = again;
    return MK_OK;
}

/* r: the result with all of its policies. */
static int add_experiment(struct report *w, struct mk_result_view *s, struct mk_result *r)
{
    struct mk_table *left_out = NULL;
    add_facts(w, s->info);
    int code = mk_page_tables_show(&w->page, r, &w->of->sampling, &left_out, w->err);
    if (!code) code = reopen_certificates(s, w->err);
    warn(w, mk_certificate_store_note(s->certificates), "");
    if (!code) code = add_figures(w, s, false);
    if (!code) code = mk_page_tables_further(&w->page, r, false, left_out, w->err);
    mk_table_free(left_out);
    return code;
}

/* A tuned program: its best configuration first; what theory says of the policy on these few trials is left out. *tune
 * <- its tune file, malloc'ed. */
static int add_study(struct report *w, struct mk_result_view *s, struct mk_result *r, char **tune)
{
    struct mk_study_files study;
    int code = mk_study_files_read(&study, s->info->path, w->err);
    if (code) return code;
    code = mk_page_study_best(&w->page, &study, w->err);
    if (!code) code = add_figures(w, s, true);
    if (!code) code = mk_page_importance(&w->page, r, w->err);
    if (!code) code = mk_page_study_trials(&w->page, &study, w->err);
    if (!code) code = mk_page_tables_further(&w->page, r, true, NULL, w->err);
    if (!code && !(*tune = mk_node_emit(study.tune->root))) code = mk_fail_memory(w->err, "the report");
    mk_study_files_clear(&study);
    return code;
}

/* The title of a result: its own, or its name; malloc'ed, NULL: out of memory. */
static char *title_of(const struct mk_result_info *i, bool is_study)
{
    const bool own = i->title[0] && !(is_study && strncmp(i->title, MK_TRIALS_TITLE, sizeof MK_TRIALS_TITLE - 1) == 0);
    return strdup(own ? i->title : i->name);
}

/* whole: the result with all of its policies. */
static int add_result(struct report *w, struct mk_result *whole)
{
    const char *const path = mk_result_info(whole)->path;
    const struct mk_policy_selection *const c = &w->of->chosen;
    struct mk_result_view s;
    struct mk_error why = {0, ""};
    char *tune = NULL;
    int code = c->n_policies || c->n_without || c->among ? mk_result_view_open(&s, path, c, w->err)
                                                         : mk_result_view_whole(&s, whole, w->err);
    if (code) return code;
    const bool is_study = mk_study_files_there(path);
    char *heading = w->is_titled ? title_of(s.info, is_study) : NULL;
    if (heading) mk_page_heading(&w->page, 2, heading);
    free(heading);
    mk_page_say(&w->page, "Result file: %s", path);
    code = is_study ? add_study(w, &s, whole, &tune) : add_experiment(w, &s, whole);
    if (mk_certificate_store_save(s.certificates, &why)) warn(w, why.text, ": certificates are not kept");
    if (!code) code = add_settings(w, &s, tune);
    free(tune);
    mk_result_view_close(&s);
    return code;
}

static bool is_document(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".json") == 0);
}

static int add_document(struct report *w, const char *path)
{
    struct mk_tree *tree = NULL;
    int code = mk_tree_read(&tree, path, w->err);
    if (!code) code = add_parts(&w->page, tree->root, w->err);
    mk_tree_free(tree);
    return code;
}

static int add_all(struct report *w)
{
    const struct mk_result_page *r = w->of;
    struct mk_progress_line line = {"report", 0, NULL};
    int code = MK_OK;
    w->progress = (struct mk_progress){.report = r->report, .context = &line};
    mk_progress_start(&w->progress, 0, r->n * mk_result_figure_count());
    for (size_t i = 0; i < r->n && !code; i++) {
        const bool document = is_document(r->path[i]);
        if (!document && !w->result) code = mk_result_open(&w->result, r->path[i], w->err);
        if (!code) code = document ? add_document(w, r->path[i]) : add_result(w, w->result);
        mk_result_free(w->result);
        w->result = NULL;
    }
    return code;
}

/* *title <- that of the caller; of the only result, which is opened for it and then needs no heading of its own; or a
 * general one. */
static int choose_title(struct report *w, char **title)
{
    const struct mk_result_page *r = w->of;
    int code = MK_OK;
    w->is_titled = r->title || r->n > 1 || is_document(r->path[0]);
    if (!w->is_titled) code = mk_result_open(&w->result, r->path[0], w->err);
    if (code) return code;
    *title = r->title       ? strdup(r->title)
             : w->is_titled ? strdup("Results of maxk")
                            : title_of(mk_result_info(w->result), mk_study_files_there(r->path[0]));
    return *title ? MK_OK : mk_fail_memory(w->err, "the report");
}

int mk_result_page_write(const struct mk_result_page *r, const char *out, size_t *pictures, struct mk_error *err)
{
    struct report w = {.of = r, .err = err};
    struct mk_atomic_file place;
    FILE *to = NULL;
    int code = mk_scratch_folder(w.folder, sizeof w.folder, "report", err);
    if (code) return code;
    mk_leftover_note(w.folder);
    code = mk_atomic_file_open(&place, &to, out, err);
    if (!code) {
        char *title = NULL;
        code = choose_title(&w, &title);
        if (!code) code = mk_page_begin(&w.page, to, title, !w.is_titled, err);
        if (!code && r->reload) mk_page_reload(&w.page, r->reload);
        if (!code) code = add_all(&w);
        code = mk_page_end(&w.page, code, err);
        code = mk_atomic_file_close(&place, to, code, err);
        free(title);
        mk_result_free(w.result);
    }
    rmdir(w.folder);
    mk_leftover_forget(w.folder);
    *pictures = w.page.pictures;
    return code;
}
