/* maxk report: results on one page: what was run, tables, figures, verdicts, settings, provenance. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/figures/result_view.h"
#include "analysis/plot/plot_text.h"
#include "analysis/plot/report_page.h"
#include "sim/base/atomic_file.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/kept_certificates.h"
#include "sim/command/options.h"
#include "sim/command/progress_line.h"
#include "sim/command/tables/report_document.h"

enum { PATH_ROOM = 4200, MOST_ARGUMENTS = 8, MOST_LINES = 120 };

struct report {
    struct mk_page page;
    char folder[64]; /* of pictures, temporary */
    struct mk_texts policies, without;
    const char *among, *title;
    struct mk_progress progress;
    struct mk_error *err;
    char caption[512];
    int code;
};

/* ---- tables ---- */

/* What `maxk arguments…` prints; NULL where it fails: a table that does not apply. */
static char *table_of(char *const *arguments)
{
    char *text = NULL, room[1 << 14];
    size_t size = 0, got;
    int status = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    FILE *out = tmpfile();
    if (!out || posix_spawn_file_actions_init(&actions)) {
        if (out) fclose(out);
        return NULL;
    }
    bool good = !posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
                !posix_spawn_file_actions_adddup2(&actions, fileno(out), 1) &&
                !posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) &&
                !posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (good && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    FILE *to = good ? open_memstream(&text, &size) : NULL;
    rewind(out);
    while (to && (got = fread(room, 1, sizeof room, out)) > 0) fwrite(room, 1, got, to);
    fclose(out);
    if (!to || fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Cuts after MOST_LINES lines; returns how many there were. */
static size_t cut(char *text)
{
    size_t lines = 0;
    char *end = NULL;
    for (char *c = text; *c; c++) {
        lines += *c == '\n';
        if (*c == '\n' && lines == MOST_LINES) end = c + 1;
    }
    if (end && lines > MOST_LINES) *end = 0;
    return lines;
}

/* folded: the words in place of the table until it is opened; NULL: it is open. */
static void add_table(struct report *w, const char *heading, const char *about, const char *path, const char *first,
                      const char *option, const char *value, const char *folded)
{
    char note[PATH_ROOM + 128];
    char *arguments[MOST_ARGUMENTS] = {(char[]){"maxk"}, (char *)first, (char *)path, (char *)option, (char *)value};
    char *text = table_of(arguments);
    if (text && *text) {
        mk_page_heading(&w->page, 3, heading);
        mk_page_paragraph(&w->page, about);
        const size_t lines = cut(text);
        mk_page_verbatim(&w->page, folded, text);
        snprintf(note, sizeof note, "%zu of %zu lines; `maxk %s` prints all.", (size_t)MOST_LINES, lines, first);
        if (lines > MOST_LINES) mk_page_paragraph(&w->page, note);
    }
    free(text);
}

static void add_tables(struct report *w, const char *path, const struct mk_result_info *i)
{
    char last[32];
    snprintf(last, sizeof last, "%" PRIu64, i->horizon[i->n_horizons - 1]);
    if (i->n_instances > 1 && i->n_policies > 1 && i->has_pulls) {
        add_table(w, "Ranks at the largest horizon",
                  "Average ranks over the instances, wins, ties and losses against the baseline, and tests.", path,
                  "rank", "--horizon", last, NULL);
    }
    add_table(w, "Verdicts", "How often the forms of Theorem 4.2 hold, are violated, or say nothing.", path, "bounds",
              "--brief", NULL, NULL);
    add_table(w, "Summary at the largest horizon",
              "Pulls of the best arm, largest reward, regret and proxy regret of every policy, with standard errors.",
              path, "summary", "--horizon", last, i->n_instances > 1 ? "Every policy on every instance" : NULL);
}

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

static int add_figures(struct report *w, struct mk_result_view *s)
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
        s->to.only = figure->name;
        /* what it needs follows a semicolon */
        snprintf(w->caption, sizeof w->caption, "%.*s", (int)strcspn(figure->shows, ";"), figure->shows);
        code = mk_result_view_draw(s, w->err);
        if (!code) code = w->code;
        mk_progress_step(&w->progress, 1);
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

static int add_settings(struct report *w, struct mk_result_view *s)
{
    char *text = NULL;
    size_t size = 0;
    mk_page_heading(&w->page, 3, "Settings and provenance");
    mk_page_verbatim(&w->page, "The experiment as it was run", s->info->resolved);
    FILE *to = open_memstream(&text, &size);
    int code = to ? mk_result_provenance(s->result, add_item, to, w->err) : mk_fail_memory(w->err, "the report");
    if (to && fclose(to) && !code) code = mk_fail_memory(w->err, "the report");
    if (!code) mk_page_verbatim(&w->page, "Program, libraries, machine, command", text);
    free(text);
    return code;
}

static int add_result(struct report *w, const char *path)
{
    struct mk_result_view s;
    char heading[PATH_ROOM + 64];
    const struct mk_policy_selection chosen = {w->policies.text, w->without.text, w->policies.n, w->without.n,
                                               w->among};
    int code = mk_result_view_open(&s, path, &chosen, w->err);
    if (code) return code;
    snprintf(heading, sizeof heading, "%s", s.info->title[0] ? s.info->title : s.info->name);
    mk_page_heading(&w->page, 2, heading);
    mk_page_paragraph(&w->page, path);
    add_facts(w, s.info);
    add_tables(w, path, s.info);
    mk_kept_certificates_tell(s.certificates);
    code = add_figures(w, &s);
    mk_kept_certificates_save(s.certificates);
    if (!code) code = add_settings(w, &s);
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

static int write_report(struct report *w, char *const *path, size_t n, const char *out, struct mk_error *err)
{
    struct mk_atomic_file place;
    FILE *to = NULL;
    struct mk_progress_line line = {"report", 0, NULL};
    snprintf(w->folder, sizeof w->folder, "/tmp/maxk-report-XXXXXX");
    if (!mkdtemp(w->folder)) return mk_fail(err, MK_EIO, "%s: cannot be created: %s", w->folder, strerror(errno));
    int code = mk_atomic_file_open(&place, &to, out, err);
    if (!code) {
        w->progress = (struct mk_progress){.report = mk_progress_line(), .context = &line};
        mk_progress_start(&w->progress, 0, n * mk_result_figure_count());
        mk_page_begin(&w->page, to, w->title ? w->title : n > 1 ? "Results of maxk" : "Result of maxk");
        for (size_t i = 0; i < n && !code; i++)
            code = is_document(path[i]) ? add_document(w, path[i]) : add_result(w, path[i]);
        mk_page_end(&w->page);
        mk_progress_line_clear();
        if (code)
            fclose(to), mk_atomic_file_drop(&place);
        else
            code = mk_atomic_file_close(&place, to, code, err);
    }
    rmdir(w->folder);
    if (!code) printf("%s: %zu figures\n", out, w->page.pictures);
    return code;
}

int mk_cmd_report(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "report", "RESULT.h5|DOCUMENT.json…",
        "Writes results on one HTML page that needs nothing else: what was run, summary and ranks at the largest "
        "horizon, verdicts, every figure with its caption (inline SVG), the experiment and the provenance. `maxk "
        "figures` draws the same figures as files. A document of your own (JSON or YAML) stands on the page in its place "
        "among the results: {parts: [{heading: TEXT}, {text: TEXT}, {code: TEXT}, {pictures: [FILE.svg, …]}, {table: "
        "[[HEAD, …], [CELL, …], …], folded: WORDS}]}; `folded` hides pictures or a table until it is opened.",
        1, SIZE_MAX};
    struct report w = {.err = err};
    const char *out = "report.html";
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &out, "FILE.html", NULL, 1, 0, "file to write (default: report.html)"},
        {"title", 0, MK_OPT_TEXT, &w.title, "TEXT", NULL, 1, 0, "title of the page (default: Results of maxk)"},
        {"policy", 0, MK_OPT_TEXTS, &w.policies, "POLICY", NULL, 1, 0, "figures: only this policy and others named so"},
        {"without", 0, MK_OPT_TEXTS, &w.without, "POLICY", NULL, 1, 0, "figures: leave out a policy; may be repeated"},
        {"among", 0, MK_OPT_TEXT, &w.among, "NAME", NULL, 1, 0, "figures: only the policies of this name"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) code = write_report(&w, operand, n, out, err);
    free(w.policies.text);
    free(w.without.text);
    return code;
}
