/* maxk search: the parameters at which a bound is closest to failing, or fails most. */
#include <errno.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/claims/bound_search.h"
#include "sim/base/table_printer.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/progress_line.h"

static const char *ratio_name(const struct mk_bound_search_result *r)
{
    return r->inverted ? "bound/observed" : "observed/bound";
}

static int write_experiment(const char *path, const struct mk_bound_search *s, const struct mk_bound_search_result *r,
                            struct mk_error *err)
{
    FILE *to = fopen(path, "w");
    if (!to) return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", path, strerror(errno));
    fprintf(to,
            "# Worst case of '%s' found by maxk search from %s: T = %llu, %s = %.6g.\n# maxk run FILE -o OUT.h5 "
            "--engine %s && maxk bounds OUT.h5 --variant %s\n%s",
            mk_bound_search_target_name(s), s->path, (unsigned long long)r->confirmed.horizon, ratio_name(r),
            r->confirmed.ratio, r->engine == MK_ENGINE_RECORD ? "record" : "auto",
            s->target == MK_SEARCH_CLAIM ? "claims" : mk_bound_search_target_name(s), r->resolved);
    int failed = ferror(to);
    return fclose(to) || failed ? mk_fail(err, MK_EIO, "%s: write failed", path) : MK_OK;
}

static void print_cell(struct mk_table_printer *t, const char *what, const struct mk_bound_search_cell *c)
{
    mk_table_text(t, what);
    mk_table_text(t, c->policy);
    mk_table_count(t, c->horizon);
    if (c->arm == MK_SEARCH_NO_ARM)
        mk_table_text(t, "");
    else
        mk_table_count(t, c->arm);
    const double value[] = {c->alpha, c->gap, c->p, c->bound, c->mean, c->low, c->high, c->ratio};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
    mk_table_text(t, mk_verdict_name(c->verdict));
    mk_table_real(t, c->unit);
}

/* Programs get the point that was found too, one column per key that was varied. malloc'ed; NULL: out of memory. */
static char *cell_columns(const struct mk_bound_search *s, const struct mk_bound_search_result *r, bool keys)
{
    char *columns = NULL;
    size_t length;
    FILE *to = open_memstream(&columns, &length);
    if (!to) return NULL;
    fprintf(to, "stage,policy,horizon,arm,alpha,gap,p,bound,%s,ci_low,ci_high,%s,verdict,unit",
            r->confirmed.arm == MK_SEARCH_NO_ARM ? "regret" : "mean_pulls", ratio_name(r));
    for (size_t i = 0; keys && i < s->n; i++) fprintf(to, ",%s", s->range[i].key);
    if (fclose(to) == 0) return columns;
    free(columns);
    return NULL;
}

static int report(const struct mk_bound_search *s, const struct mk_bound_search_result *r, const char *out,
                  struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    char evaluations[MK_COUNTED_ROOM];
    if (!style.form) {
        const bool form = s->target == MK_SEARCH_THEOREM && s->variant < MK_BOUND_CROSSING;
        printf("%s%s%s: the largest %s after %s", form ? "Theorem 4.2 (" : "",
               s->target == MK_SEARCH_PROPOSITION ? "Proposition 4.1" : mk_bound_search_target_name(s), form ? ")" : "",
               ratio_name(r), mk_counted(r->evaluations, "evaluation", NULL, evaluations));
        if (r->refused) printf(", %llu of them rejected", (unsigned long long)r->refused);
        printf("\n\n");
        for (size_t i = 0; i < s->n; i++)
            printf("  %s = %.10g  (%g to %g)\n", s->range[i].key, r->x[i], s->range[i].lo, s->range[i].hi);
        printf("\n");
    }
    char *columns = cell_columns(s, r, style.form != MK_TABLE_ALIGNED);
    int code = columns ? mk_table_begin(&t, stdout, style, columns, err) : mk_fail_memory(err, "a table");
    free(columns);
    if (code) return code;
    for (int confirmed = 0; confirmed < 2; confirmed++) {
        print_cell(t, confirmed ? "confirmed" : "searched", confirmed ? &r->confirmed : &r->searched);
        for (size_t i = 0; style.form != MK_TABLE_ALIGNED && i < s->n; i++) mk_table_real(t, r->x[i]);
    }
    code = mk_table_finish(t, MK_OK, err);
    if (!code && !style.form)
        printf("\nconfirmed: %llu replications with independent random numbers; the searched value is biased "
               "upwards.\nTo reproduce: %s\n",
               (unsigned long long)s->confirm, out);
    return code;
}

static int search(struct mk_bound_search *s, const struct mk_texts *vary, const char *out, struct mk_table_style style,
                  struct mk_error *err)
{
    struct mk_bound_search_range range[MK_SEARCH_DIMENSIONS];
    struct mk_bound_search_result r = {0};
    if (vary->n < 1 || vary->n > MK_SEARCH_DIMENSIONS)
        return mk_fail(err, MK_EINPUT, "maxk search: --vary: expected 1 to %d ranges, got %zu", MK_SEARCH_DIMENSIONS,
                       vary->n);
    for (size_t i = 0; i < vary->n; i++) {
        int code = mk_bound_search_range_parse(vary->text[i], "maxk search: --vary", &range[i], err);
        if (code) return code;
    }
    s->n = vary->n;
    s->range = range;
    struct mk_progress_line line = {"search", 0, NULL};
    struct mk_progress progress = {.report = mk_progress_line(), .context = &line};
    mk_progress_start(&progress, 0, s->evaluations);
    s->progress = &progress;
    int code = mk_bound_search_run(s, &r, err);
    s->progress = NULL;
    mk_progress_line_clear();
    if (!code) code = write_experiment(out, s, &r, err);
    if (!code) code = report(s, &r, out, style, err);
    s->range = NULL;
    free(r.resolved);
    return code;
}

int mk_cmd_search(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "search", "EXPERIMENT.yaml",
        "Looks for the worst case of a bound: the values of the given keys, within their ranges, at which observed "
        "over bound is largest (for a lower bound: bound over observed), over all policies, horizons and suboptimal "
        "arms of the file. The bound is a form of Theorem 4.2 of Balef et al. 2025 or one of those that `maxk "
        "bounds` sets beside it, explicit and crossing (policies: max_ucb; for crossing max_ucb_burn_in too), "
        "Proposition 4.1 (any policies), or with --claim one of the claims of the file. --loosest looks for the "
        "largest bound over observed instead. Keys are dotted paths counted from 0:\n\n  "
        "-v policies.0.alpha=0.1:2 -v problem.arms.1.a=2:8\n\nA quasi-random scan is followed by Nelder-Mead simplex "
        "searches from its best points, all on the same random numbers, on the record engine where the policies allow "
        "it. The worst point is confirmed on fresh random numbers and written as an experiment file. The column unit "
        "is that of `maxk bounds`: what gap and p are measured in.",
        1, 1};
    struct mk_texts vary = {0, NULL}, sets = {0, NULL};
    struct mk_bound_search s = {.evaluations = 150, .replications = 500, .confirm = 10000, .seed = 42};
    uint64_t threads = (uint64_t)omp_get_max_threads();
    const char *out = "worst_case.yaml", *claim = NULL;
    struct mk_table_style style = MK_TABLE_PLAIN;
    int loosest = 0, variant = MK_BOUND_SUM;
    const struct mk_option options[] = {
        {"vary", 'v', MK_OPT_TEXTS, &vary, "KEY=LO:HI", NULL, 1, 0, "a key of the file and its range; may be repeated"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 1, 0, "override a key; may be repeated"},
        {"variant", 0, MK_OPT_CHOICE, &variant, "NAME", "printed|sum|endpoint|figure_e5|crossing|explicit|proposition",
         1, 0, "form of the bound (default: sum)"},
        {"claim", 0, MK_OPT_TEXT, &claim, "NAME", NULL, 1, 0, "instead of a bound: a claim of the file (key `claims`)"},
        {"loosest", 0, MK_OPT_FLAG, &loosest, NULL, NULL, 1, 0, "look for where the bound says least"},
        {"evaluations", 0, MK_OPT_COUNT, &s.evaluations, "N", NULL, 1, 1e7, "points to evaluate (default: 150)"},
        {"replications", 0, MK_OPT_COUNT, &s.replications, "N", NULL, 2, 1e9,
         "replications at each point (default: 500)"},
        {"confirm", 0, MK_OPT_COUNT, &s.confirm, "N", NULL, 2, 1e9, "replications at the worst point (default: 10000)"},
        {"seed", 0, MK_OPT_COUNT, &s.seed, "N", NULL, 1, 0, "seed of the search; the next one confirms (default: 42)"},
        {"output", 'o', MK_OPT_TEXT, &out, "FILE.yaml", NULL, 1, 0,
         "experiment file to write (default: worst_case.yaml)"},
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096, "number of threads (default: all cores)"},
        MK_TABLE_OPTIONS(style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) {
        s.path = operand[0];
        s.n_sets = sets.n;
        s.sets = sets.text;
        mk_bound_search_set_target(&s, variant, claim);
        s.threads = (int)threads;
        s.loosest = loosest != 0;
        code = search(&s, &vary, out, style, err);
    }
    free(vary.text);
    free(sets.text);
    return code;
}
