/* maxk figures: every figure that a result, experiment or CSV file allows. */
#include <ctype.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/answers/figures/across_arms.h"
#include "analysis/answers/figures/problem_view.h"
#include "analysis/answers/figures/result_view.h"
#include "analysis/answers/tables/table_input.h"
#include "analysis/theory/certificates/certificate_store.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory.h"
#include "sim/program/command/command.h"
#include "sim/program/command/experiments_folder.h"
#include "sim/program/command/options.h"
#include "sim/program/command/progress_line.h"
#include "sim/run/durable/durable_run.h"

enum { PATH_ROOM = 4200 };

/* Next to the experiment files. */
static const char usual_published[] = "data/reference_e4.csv";

enum kind { PROBLEM, RESULT };

/* A figure of the paper. */
static const struct paper {
    const char *name;
    enum kind kind;
    const char *experiment, *only, *shows;
} papers[] = {
#define PAPER(name, kind, experiment, figures, shows) {name, kind, experiment, figures, shows},
#include "analysis/answers/figures/paper_figures.def"
#undef PAPER
};
enum { PAPERS = sizeof papers / sizeof *papers };

static void print_path(void *context, const char *path)
{
    ++*(size_t *)context;
    printf("%s\n", path);
    fflush(stdout);
}

static bool is_used(char (*used)[MK_PREFIX_ROOM], size_t n, const char *prefix)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(used[i], prefix) == 0) return true;
    return false;
}

/* Files with the same experiment name must not overwrite each other's figures: later ones are named after their file,
 * then by a number. */
static void settle_prefix(char *prefix, const char *path, char (*used)[MK_PREFIX_ROOM], size_t at)
{
    char plain[MK_PREFIX_ROOM - 24];
    if (is_used(used, at, prefix)) {
        mk_file_name_part(mk_file_stem(path, plain, sizeof plain), prefix, MK_PREFIX_ROOM);
        snprintf(plain, sizeof plain, "%.*s", (int)sizeof plain - 1, prefix);
        if (is_used(used, at, prefix)) snprintf(prefix, MK_PREFIX_ROOM, "%s_%zu", plain, at + 1);
    }
    snprintf(used[at], MK_PREFIX_ROOM, "%s", prefix);
}

/* What was requested, and the progress. */
struct figure_job {
    const char *folder, *experiments;
    enum mk_plot_format format;
    struct mk_published *published;
    struct mk_input_options in;
    struct mk_texts policies, without;
    const char *among;
    struct mk_texts named; /* by --only */
    char *only;            /* the same, separated by blanks; NULL: all */
    size_t n_omitted;
    char **omitted; /* a line for each of them and each file of which it cannot be drawn */
    struct mk_picture picture;
    struct mk_sampling sampling;
    char (*used)[MK_PREFIX_ROOM]; /* prefixes so far; NULL for figures of the paper */
    size_t drawn;
};

/* paper: NULL, or which of its figures this is; their numbers are prefixes of file names. */
static void choose(struct figure_job *w, const char *path, const struct paper *paper, size_t at,
                   struct mk_figure_output *d)
{
    if (paper)
        snprintf(d->prefix, sizeof d->prefix, "figure_%s", paper->name);
    else
        settle_prefix(d->prefix, path, w->used, at);
    d->only = paper ? paper->only : w->only;
    d->picture = w->picture;
    d->folder = w->folder;
    d->format = w->format;
    d->drawn = print_path;
    d->context = &w->drawn;
}

/* ---- figures of --only that are not drawn ---- */

/* Keeps that a figure is not drawn of the file `path`: `shows` has what it needs after its last semicolon. */
static int omit(struct figure_job *w, const char *path, const char *figure, const char *shows, struct mk_error *err)
{
    const char *const needs = strrchr(shows, ';');
    char *joined = NULL;
    if (!MK_GROW(w->omitted, w->n_omitted, 1) || asprintf(&joined, "%s: no figure %s%s%s", path, figure,
                                                          needs ? ", which needs" : "", needs ? needs + 1 : "") < 0)
        return mk_fail_memory(err, "figures");
    w->omitted[w->n_omitted++] = joined;
    return MK_OK;
}

static int omit_of_result(struct figure_job *w, const char *path, const struct mk_result_view *s, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < w->named.n && !code; i++) {
        const struct mk_result_figure *const f = mk_result_figure_find(w->named.text[i]);
        if (!f || !f->applies(s))
            code = omit(w, path, w->named.text[i], f ? f->shows : "; an experiment or CSV file", err);
    }
    return code;
}

static int omit_of_problem(struct figure_job *w, const char *path, const struct mk_problem_view *g,
                           struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < w->named.n && !code; i++) {
        const struct mk_problem_figure *const f = mk_problem_figure_find(w->named.text[i]);
        if (!f || !f->applies(g)) code = omit(w, path, w->named.text[i], f ? f->shows : "; a result file", err);
    }
    return code;
}

/* Says what was omitted, or fails with it if nothing was drawn at all. */
static int tell_omitted(struct figure_job *w, struct mk_error *err)
{
    char all[MK_ERROR_TEXT - 64] = "";
    if (!w->drawn && !w->n_omitted)
        return mk_fail(err, MK_EINPUT, "maxk figures: nothing to draw (see maxk list figures)");
    for (size_t i = 0; i < w->n_omitted; i++) {
        const size_t used = strlen(all);
        if (w->drawn)
            fprintf(stderr, "%s\n", w->omitted[i]);
        else
            snprintf(all + used, sizeof all - used, "%s%s", i ? "; " : "", w->omitted[i]);
    }
    return w->drawn ? MK_OK : mk_fail(err, MK_EINPUT, "maxk figures: nothing to draw: %s", all);
}

/* ---- figures of files ---- */

static int draw_result(struct figure_job *w, const char *path, const struct paper *paper, size_t at,
                       struct mk_error *err)
{
    struct mk_result_view s;
    struct mk_progress_line line = {"certified bounds", 0, ""};
    struct mk_progress progress = {.report = mk_progress_line(), .context = &line};
    struct mk_error why;
    char spread[512];
    const struct mk_policy_selection chosen = {w->policies.text, w->without.text, w->policies.n,
                                               w->without.n,     w->among,        "figures"};
    int code = mk_result_view_open(&s, path, paper ? NULL : &chosen, err);
    if (code) return code;
    mk_view_describe_parts(&s, spread, sizeof spread);
    if (spread[0]) fprintf(stderr, "%s: %s\n", path, spread);
    if (s.missing[0]) fprintf(stderr, "%s: no figures of the arms themselves: %s\n", path, s.missing);
    choose(w, path, paper, at, &s.to);
    s.published = w->published;
    s.progress = &progress;
    s.sampling = w->sampling;
    if (*mk_certificate_store_note(s.certificates)) fprintf(stderr, "%s\n", mk_certificate_store_note(s.certificates));
    code = omit_of_result(w, path, &s, err);
    if (!code) code = mk_result_view_draw(&s, err);
    if (mk_certificate_store_save(s.certificates, &why)) /* no failure of the figures */
        fprintf(stderr, "%s: certificates are not kept\n", why.text);
    mk_result_view_close(&s);
    return code;
}

static int draw_problem(struct figure_job *w, const char *path, const struct paper *paper, size_t at,
                        struct mk_error *err)
{
    struct mk_problem_view g;
    int code = mk_problem_view_open(&g, path, w->in.sets.text, w->in.sets.n, err);
    if (code) return code;
    mk_input_print_gaps(stderr, g.problem);
    choose(w, path, paper, at, &g.to);
    code = omit_of_problem(w, path, &g, err);
    if (!code) code = mk_problem_view_draw(&g, err);
    mk_problem_view_close(&g);
    return code;
}

static int draw_files(struct figure_job *w, char *const *file, size_t n, struct mk_error *err)
{
    w->used = calloc(n, sizeof *w->used);
    int code = w->used ? MK_OK : mk_fail_memory(err, "figures");
    for (size_t i = 0; i < n && !code; i++) {
        code = mk_standard_input_keep(file[i], err);
        if (code) break;
        const bool problem = mk_input_is_csv(file[i]) || mk_input_is_yaml(file[i]) || mk_trajectory_in_array(file[i]);
        code = (problem ? draw_problem : draw_result)(w, file[i], NULL, i, err);
    }
    free(w->used);
    return code;
}

static int draw_across(struct figure_job *w, char *const *file, size_t n, struct mk_error *err)
{
    struct mk_figure_output to = {
        .folder = w->folder, .format = w->format, .picture = w->picture, .drawn = print_path, .context = &w->drawn};
    return mk_across_arms_draw(file, n, &to, err);
}

/* ---- figures of the paper ---- */

/* The result of an experiment file, from an earlier run of the same or a new one. */
static int run_experiment(const char *file, const char *result, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_run_report done = {0};
    struct mk_mpi ranks;
    struct mk_durable_options c = {.path = result,
                                   .resume = 1,
                                   .threads = omp_get_max_threads(),
                                   .ranks = &ranks,
                                   .command_line = "maxk figures --paper"};
    int code = mk_mpi_start(&ranks, err);
    if (code) return code;
    code = mk_experiment_read(&e, file, NULL, 0, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    if (!code) code = mk_durable_run(e, &c, &done, err);
    if (!code && done.replaced[0]) fprintf(stderr, "%s; moved to %s.previous\n", done.replaced, result);
    if (!code && !done.already_complete) fprintf(stderr, "%s: run in %.1f s\n", result, done.seconds);
    mk_experiment_free(e);
    return mk_mpi_end(&ranks, code, err, mk_command_fail);
}

static int draw_paper(struct figure_job *w, const struct paper *p, struct mk_error *err)
{
    char file[PATH_ROOM], result[PATH_ROOM];
    snprintf(file, sizeof file, "%s/%s.yaml", w->experiments, p->experiment);
    snprintf(result, sizeof result, "results/%s.h5", p->experiment);
    printf("Figure %s: %s\n", p->name, p->shows);
    if (p->kind == PROBLEM) return draw_problem(w, file, p, 0, err);
    int code = run_experiment(file, result, err);
    return code ? code : draw_result(w, result, p, 0, err);
}

static const struct paper *find_paper(const char *name)
{
    for (size_t i = 0; i < PAPERS; i++)
        if (strcmp(papers[i].name, name) == 0) return &papers[i];
    return NULL;
}

static int check_names(char *const *name, size_t n, struct mk_error *err)
{
    const char *known[PAPERS];
    char list[256], hint[MK_CLIP_ROOM];
    for (size_t i = 0; i < PAPERS; i++) known[i] = papers[i].name;
    for (size_t i = 0; i < n; i++)
        if (!find_paper(name[i]))
            return mk_fail(err, MK_EINPUT, "maxk figures: --paper: %.40s: no such figure; allowed: %s (%s)", name[i],
                           mk_join(known, PAPERS, list, sizeof list),
                           mk_hint(mk_nearest(name[i], known, PAPERS), "maxk list figures says what they show", hint));
    return MK_OK;
}

static int draw_papers(struct figure_job *w, char *const *name, size_t n, struct mk_error *err)
{
    int code = mk_make_folder("results", err);
    for (size_t i = 0; i < (n ? n : PAPERS) && !code; i++)
        code = draw_paper(w, n ? find_paper(name[i]) : &papers[i], err);
    return code;
}

/* Runs of the paper's authors, drawn over those of the result; a file that was not requested may be missing. */
static int read_published(struct figure_job *w, const char *path, int paper, struct mk_error *err)
{
    if (!path && !paper) return MK_OK;
    char usual[PATH_ROOM];
    snprintf(usual, sizeof usual, "%s/%s", w->experiments, usual_published);
    if (!path && access(usual, R_OK)) {
        fprintf(stderr, "%s not found: figures have no published numbers (see --published)\n", usual);
        return MK_OK;
    }
    return mk_published_read(&w->published, path ? path : usual, err);
}

/* ---- how pictures look: --size, --title, --font ---- */

static const double centimetres = 2.54; /* of an inch */
static const double one_column = 8.6, two_columns = 17.8;

/* Their texts; NULL: not given. */
struct picture_options {
    const char *size, *title, *font;
    char family[64]; /* of `font` */
};

/* A length with or without a unit as inches; of no characters: 0. */
static bool read_length(const char *text, size_t length, double *out)
{
    static const struct {
        const char *name;
        double inches;
    } unit[] = {{"in", 1}, {"cm", 1 / centimetres}, {"mm", 0.1 / centimetres}};
    double of = 1;
    *out = 0;
    if (!length) return true;
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (length > 2 && memcmp(text + length - 2, unit[i].name, 2) == 0) {
            of = unit[i].inches;
            length -= 2;
            break;
        }
    if (!mk_parse_real(text, length, out)) return false;
    *out *= of;
    return *out >= 1 && *out <= 100;
}

static bool read_size(const char *text, struct mk_picture *out)
{
    if (strcmp(text, "one-column") == 0 || strcmp(text, "two-columns") == 0) {
        out->width = (text[0] == 't' ? two_columns : one_column) / centimetres;
        return true;
    }
    const char *const by = strchr(text, 'x');
    return by && text[1] && read_length(text, (size_t)(by - text), &out->width) &&
           read_length(by + 1, strlen(by + 1), &out->height);
}

static bool read_font(struct picture_options *o, struct mk_picture *out)
{
    const char *const comma = strrchr(o->font, ',');
    const size_t name = comma ? (size_t)(comma - o->font) : strlen(o->font);
    if (name >= sizeof o->family || (comma ? !name && !comma[1] : !name)) return false;
    for (size_t i = 0; i < name; i++)
        if (!isalnum((unsigned char)o->font[i]) && !strchr(" -.:_", o->font[i])) return false;
    snprintf(o->family, sizeof o->family, "%.*s", (int)name, o->font);
    if (name) out->font = o->family;
    return !comma ||
           (mk_parse_real(comma + 1, strlen(comma + 1), &out->letters) && out->letters >= 4 && out->letters <= 40);
}

/* What they say of pictures in this format; out points into `o`. */
static int read_picture(struct picture_options *o, enum mk_plot_format format, struct mk_picture *out,
                        struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    *out = (struct mk_picture){0};
    if (o->size && !read_size(o->size, out))
        return mk_fail(
            err, MK_EINPUT,
            "maxk figures: --size: expected WIDTHxHEIGHT, WIDTHx or xHEIGHT in inches (or with in, cm, mm), each from 1 to 100 "
            "inches, one-column or two-columns, got '%s'",
            mk_clip(o->size, clip));
    if (o->title) out->title = strcmp(o->title, "none") == 0 ? "" : o->title;
    if (!o->font) return MK_OK;
    if (format == MK_PLOT_TEX)
        return mk_fail(
            err, MK_EINPUT,
            "maxk figures: --font: expected --format png, svg or pdf, got tex, whose texts have the font of the "
            "document");
    if (!read_font(o, out))
        return mk_fail(
            err, MK_EINPUT,
            "maxk figures: --font: expected NAME, NAME,SIZE or ,SIZE: a name of ASCII letters, digits, spaces "
            "and -.:_, a size from 4 to 40 points, got '%s'",
            mk_clip(o->font, clip));
    return MK_OK;
}

/* ---- options ---- */

static int join_only(const struct mk_texts *only, char **out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < only->n; i++) {
        char *joined = NULL;
        if (!mk_result_figure_find(only->text[i]) && !mk_problem_figure_find(only->text[i]))
            return mk_fail(err, MK_EINPUT, "maxk figures: --only: no figure '%s' (maxk list figures names them)",
                           mk_clip(only->text[i], clip));
        if (asprintf(&joined, "%s%s%s", *out ? *out : "", *out ? " " : "", only->text[i]) < 0)
            return mk_fail_memory(err, "figures");
        free(*out);
        *out = joined;
    }
    return MK_OK;
}

static const char about[] =
    "Draws every figure that the files allow and prints the path of each.\n\n  result file  shares of pulls, regrets, "
    "bounds, sweeps\n  known arms  survival functions, the ratio G(b - eps)/eps, and L and U by four estimators\n  "
    "moving arms  mean rewards\n  recorded arms  average survival functions per rank with five time segments, gaps, L "
    "and U per rank, skewness and drift; the rewards are normalised per instance and repetition\n\nArms are those of "
    "an experiment or CSV file; the experiment is not run. Names of pictures begin with the name of the experiment. If "
    "several files share one, the names of the later ones begin with the name of the file.\n\nEach picture is "
    "accompanied by its data (.dat, columns of numbers) and its script (.gp). `gnuplot NAME.gp` in that folder draws "
    "the picture again. Format tex writes NAME.tex, to \\input into a LaTeX document, and NAME.pdf, which NAME.tex "
    "includes.\n\n--paper draws the figures of Balef et al. 2025 that synthetic arms allow. The results are read from "
    "results/<experiment>.h5, which is created if it does not exist. Without operands all figures are drawn, otherwise "
    "those named:\n\n"
#define PAPER(name, kind, experiment, figures, shows) "  " name "  " shows "\n"
#include "analysis/answers/figures/paper_figures.def"
#undef PAPER
    ;

static int check_across(const struct figure_job *w, bool paper, struct mk_error *err)
{
    if (paper) return mk_fail(err, MK_EINPUT, "maxk figures: --across: expected result files, not --paper");
    if (w->policies.n || w->without.n || w->among || w->only)
        return mk_fail(err, MK_EINPUT,
                       "maxk figures: --across shows all policies: expected no choice of them or of kinds");
    return MK_OK;
}

int mk_cmd_figures(int argc, char **argv, struct mk_error *err)
{
    char room[MK_PATH_ROOM];
    struct figure_job w = {
        .folder = NULL, .experiments = mk_experiments_folder(room), .format = MK_PLOT_PNG, .in = MK_INPUT_DEFAULTS};
    size_t first_set = 0;
    const char *published = NULL;
    struct picture_options picture = {0};
    int format = MK_PLOT_PNG, paper = 0, across = 0;
    const struct mk_option options[] = {
        {"out", 'o', MK_OPT_TEXT, &w.folder, "DIR", NULL, 0, -1,
         "folder for the figures (default: results/figures; with --paper results/figures/paper)"},
        {"format", 'f', MK_OPT_CHOICE, &format, "NAME", MK_PLOT_FORMATS, 0, -1,
         "format of the pictures (default: png)"},
        {"across", 0, MK_OPT_FLAG, &across, NULL, NULL, 0, -1,
         "draw the results of one experiment together: regret at the largest horizon against the number of arms, and "
         "against a swept parameter for each number; results with equally many arms are averaged"},
        {"paper", 0, MK_OPT_FLAG, &paper, NULL, NULL, 0, -1, "draw figures of the paper; operands are their numbers"},
        {"experiments", 0, MK_OPT_TEXT, &w.experiments, "DIR", NULL, 0, -1,
         "folder of the experiment files for --paper (default: experiments, or those installed)"},
        {"published", 0, MK_OPT_TEXT, &published, "FILE.csv", NULL, 0, -1,
         "published runs to draw over one's own (default with --paper: data/reference_e4.csv next to the experiment "
         "files)"},
        {"policy", 0, MK_OPT_TEXTS, &w.policies, "POLICY", NULL, 1, 0,
         "of results: show only this policy, and rank only those shown; may be repeated"},
        {"without", 0, MK_OPT_TEXTS, &w.without, "POLICY", NULL, 1, 0,
         "of results: leave out a policy; may be repeated"},
        {"among", 0, MK_OPT_TEXT, &w.among, "NAME", NULL, 1, 0,
         "of results: show only policies of this name, such as max_ucb"},
        {"only", 0, MK_OPT_TEXTS, &w.named, "FIGURE", NULL, 1, 0,
         "only this figure, as `maxk list figures` names them; may be repeated; one that a file does not allow is named on "
         "standard error"},
        {"samples", 0, MK_OPT_COUNT, &w.sampling.samples, "R", NULL, 2, 1e9,
         "of results: next to certified bounds, show bounds with confidence from this many replications of each policy (maxk "
         "certify --samples)"},
        {"confidence", 0, MK_OPT_REAL, &w.sampling.confidence, "LEVEL", NULL, 0.01, 0.999999,
         "of all bounds of --samples together (default: 0.999)"},
        {"size", 0, MK_OPT_TEXT, &picture.size, "WxH", NULL, 1, 0,
         "width and height of the pictures in inches, such as 7x3, or with units, 8.6cmx50mm; one alone: Wx or xH; or "
         "one-column (8.6 cm wide) or two-columns (17.8 cm) (default: each figure's own, for a column of 3.5 inches)"},
        {"title", 0, MK_OPT_TEXT, &picture.title, "TEXT", NULL, 1, 0,
         "one title in place of the lines above a figure; none: nothing (default: each figure's own; with tex without "
         "the subtitle, which belongs in the caption)"},
        {"font", 0, MK_OPT_TEXT, &picture.font, "NAME[,SIZE]", NULL, 1, 0,
         "font of png, svg and pdf and the size of letters in points (default: DejaVu Sans,8); texts of tex have the "
         "font of the document"},
        MK_INPUT_OPTIONS(w.in),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"figures", "RESULT.h5|EXPERIMENT.yaml|FILE.csv[.gz]… | --paper [NUMBER…]", about, 0,
                                   SIZE_MAX};
    char **operand;
    size_t n = 0;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    if (!n && !paper)
        return mk_fail(err, MK_EINPUT, "maxk figures: expected a file or --paper (see maxk figures --help)");
    w.format = (enum mk_plot_format)format;
    code = mk_sampling_complete(&w.sampling, "figures", err);
    if (!code) code = read_picture(&picture, w.format, &w.picture, err);
    if (!code) code = join_only(&w.named, &w.only, err);
    const int sets = mk_input_sets("figures", &w.in, &first_set, err);
    if (!code) code = sets;
    if (!w.folder) w.folder = paper ? "results/figures/paper" : "results/figures";
    if (!code && across) code = check_across(&w, paper, err);
    if (!code && paper) code = check_names(operand, n, err);
    if (!code) code = read_published(&w, published, paper, err);
    if (!code) code = mk_make_folder(w.folder, err);
    if (!code)
        code = paper    ? draw_papers(&w, operand, n, err)
               : across ? draw_across(&w, operand, n, err)
                        : draw_files(&w, operand, n, err);
    mk_published_free(w.published);
    mk_input_sets_free(&w.in, first_set);
    free(w.policies.text);
    free(w.without.text);
    if (!code) code = tell_omitted(&w, err);
    free(w.named.text);
    free(w.only);
    mk_free_texts(w.omitted, w.n_omitted);
    return code;
}
