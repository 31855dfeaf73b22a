#include "analysis/page/result_page.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/figures/result_view.h"
#include "analysis/page/page_tables.h"
#include "analysis/page/report_document.h"
#include "analysis/page/report_page.h"
#include "analysis/page/study_page.h"
#include "analysis/plot/plot_text.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/scratch_file.h"
#include "sim/base/text.h"

enum { PATH_ROOM = 4200 };

struct report {
    const struct mk_result_page *of;
    struct mk_page page;
    char folder[1024]; /* of pictures, temporary */
    struct mk_progress progress;
    struct mk_error *err;
    char caption[512];
    bool is_titled; /* results have headings of their own */
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
    s->to.drawn = add_picture;
    s->to.context = w;
    mk_page_heading(&w->page, 3, "Figures");
    char told[512];
    mk_view_tell_parts(s, told, sizeof told);
    if (told[0]) mk_page_paragraph(&w->page, told);
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
    char line[1024], text[4][MK_COUNTED_ROOM];
    if (i->source[0]) mk_page_paragraph(&w->page, i->source);
    uint64_t least = i->replications;
    for (size_t n = 0; n < i->n_instances; n++)
        if (i->own_replications[n] < least) least = i->own_replications[n];
    snprintf(line, sizeof line, "%s on %s with %s; %s%s%s; T up to %" PRIu64 ".",
             mk_counted(i->n_policies, "policy", "policies", text[0]),
             mk_counted(i->n_instances, "instance", NULL, text[1]), mk_counted(i->n_arms, "arm", NULL, text[2]),
             least < i->replications ? "up to " : "", mk_counted(i->replications, "replication", NULL, text[3]),
             i->n_instances > 1 ? " of each instance" : "", i->horizon[i->n_horizons - 1]);
    mk_page_paragraph(&w->page, line);
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

static void warn(const struct report *w, const char *text, const char *after)
{
    char line[MK_ERROR_TEXT + 64];
    snprintf(line, sizeof line, "%s%s", text, after);
    if (*text && w->of->warn) w->of->warn(line);
}

static int add_tables(struct report *w, struct mk_result_view *s, const char *path)
{
    add_facts(w, s->info);
    int code = mk_page_add_tables(&w->page, path, s->result, w->err);
    warn(w, mk_certificate_store_note(s->certificates), "");
    return code ? code : add_figures(w, s, false);
}

/* A tuned program: its best configuration first; what theory says of the policy on these few trials is left out. *tune
 * <- its tune file, malloc'ed. */
static int add_study(struct report *w, struct mk_result_view *s, const char *path, char **tune)
{
    struct mk_study_files study;
    int code = mk_study_files_read(&study, path, w->err);
    if (code) return code;
    code = mk_page_study_best(&w->page, &study, w->err);
    if (!code) code = add_figures(w, s, true);
    if (!code) code = mk_page_add_importance(&w->page, path, w->err);
    if (!code) code = mk_page_study_arms(&w->page, &study, w->err);
    if (!code) code = mk_page_study_what_if(&w->page, &study, w->err);
    if (!code) code = mk_page_study_trials(&w->page, &study, w->err);
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

static int add_result(struct report *w, const char *path)
{
    struct mk_result_view s;
    struct mk_error why = {0, ""};
    char file[PATH_ROOM + 32], *tune = NULL;
    int code = mk_result_view_open(&s, path, &w->of->chosen, w->err);
    if (code) return code;
    const bool is_study = mk_study_files_there(path);
    char *heading = w->is_titled ? title_of(s.info, is_study) : NULL;
    if (heading) mk_page_heading(&w->page, 2, heading);
    free(heading);
    snprintf(file, sizeof file, "Result file: %s", path);
    mk_page_paragraph(&w->page, file);
    code = is_study ? add_study(w, &s, path, &tune) : add_tables(w, &s, path);
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
    if (!code) code = mk_report_document(&w->page, tree->root, w->err);
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
    for (size_t i = 0; i < r->n && !code; i++)
        code = is_document(r->path[i]) ? add_document(w, r->path[i]) : add_result(w, r->path[i]);
    return code;
}

/* *title <- that of the caller; of the only result, which then needs no heading of its own; or a general one. */
static int choose_title(struct report *w, char **title)
{
    const struct mk_result_page *r = w->of;
    struct mk_result *result = NULL;
    int code = MK_OK;
    w->is_titled = r->title || r->n > 1 || is_document(r->path[0]);
    if (!w->is_titled) code = mk_result_open(&result, r->path[0], w->err);
    if (code) return code;
    *title = r->title       ? strdup(r->title)
             : w->is_titled ? strdup("Results of maxk")
                            : title_of(mk_result_info(result), mk_study_files_there(r->path[0]));
    mk_result_free(result);
    return *title ? MK_OK : mk_fail_memory(w->err, "the report");
}

int mk_result_page_write(const struct mk_result_page *r, const char *out, size_t *pictures, struct mk_error *err)
{
    struct report w = {.of = r, .err = err};
    struct mk_atomic_file place;
    FILE *to = NULL;
    int code = mk_scratch_folder(w.folder, sizeof w.folder, "report", err);
    if (code) return code;
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
    }
    rmdir(w.folder);
    *pictures = w.page.pictures;
    return code;
}
