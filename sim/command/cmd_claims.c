/* maxk claims: published statements and tables, each checked by an experiment of its own. */
#include <omp.h>
#include <stdio.h>

#include "analysis/claims/claim.h"
#include "sim/base/atomic_file.h"
#include "sim/base/table_printer.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"

enum { VERDICTS = MK_VERDICT_NOT_APPLICABLE + 1 };

struct claims_report {
    struct mk_table_printer *table;
    struct mk_table_style style;
    int traced; /* traced: a column says where the row's experiment is */
    uint64_t counts[VERDICTS];
};

static void add_row(void *to, const struct mk_claim *claim, const struct mk_claim_row *row)
{
    struct claims_report *w = to;
    struct mk_table_printer *t = w->table;
    w->counts[row->verdict]++;
    if (w->style.form) {
        mk_table_text(t, claim->name);
        mk_table_text(t, claim->source);
    }
    mk_table_text(t, row->where);
    mk_table_text(t, row->quantity);
    mk_table_text(t, mk_relation_sign(row->relation));
    const double value[] = {row->expected, row->observed, row->low, row->high};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
    mk_table_text(t, mk_verdict_name(row->verdict));
    mk_table_text(t, row->note);
    if (w->traced) mk_table_text(t, row->experiment);
}

#define COLUMNS "where,quantity,relation,expected,observed,ci_low,ci_high,verdict,note"

static int check(const struct mk_claim *claim, const struct mk_claim_options *options, struct claims_report *w,
                 struct mk_error *err)
{
    struct mk_claim_report report = {.claim = claim, .options = *options, .row = add_row, .to = w};
    int code = MK_OK;
    if (!w->style.form) {
        printf("%s: %s\n  %s\n  %s\n\n", claim->name, claim->source, claim->statement, claim->method);
        code = mk_table_begin(&w->table, stdout, w->style, COLUMNS, err);
        if (code) return code;
    }
    code = claim->check(&report, err);
    if (w->style.form) return code;
    code = mk_table_finish(w->table, code, err);
    printf("\n");
    return code;
}

static int check_all(const char *name, const struct mk_claim_options *options, struct claims_report *w,
                     struct mk_error *err)
{
    int code = MK_OK;
    if (w->style.form)
        code = mk_table_begin(&w->table, stdout, w->style,
                              w->traced ? "claim,source," COLUMNS ",experiment" : "claim,source," COLUMNS, err);
    for (size_t i = 0; !code && i < mk_claim_count(); i++)
        if (!name || mk_claim_at(i) == mk_claim_find(name)) code = check(mk_claim_at(i), options, w, err);
    if (w->style.form) return mk_table_finish(w->table, code, err);
    for (int v = 0; !code && v < VERDICTS; v++)
        printf("%s%llu %s", v ? ", " : "", (unsigned long long)w->counts[v], mk_verdict_name((enum mk_verdict)v));
    if (!code) printf("\n");
    return code;
}

static int list(struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_table_begin(&t, stdout, style, "claim,source,statement,method", err);
    if (code) return code;
    for (size_t i = 0; i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        mk_table_text(t, c->name);
        mk_table_text(t, c->source);
        mk_table_text(t, c->statement);
        mk_table_text(t, c->method);
    }
    return mk_table_finish(t, MK_OK, err);
}

static const char *claim_name(size_t i)
{
    return i < mk_claim_count() ? mk_claim_at(i)->name : NULL;
}

static int no_such_claim(const char *name, struct mk_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    size_t n = 0;
    for (; n < MOST && claim_name(n); n++) names[n] = claim_name(n);
    return mk_fail(err, MK_EINPUT, "maxk claims: %s: no such claim (%s)", mk_clip(name, clip),
                   mk_hint(mk_nearest(name, names, n), "see maxk claims --list", hint));
}

int mk_cmd_claims(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "claims", "[NAME]",
        "Checks published statements and tables, all of them or NAME, each by an experiment of its own: what is "
        "claimed next to what was found, with a 95 % confidence interval where it was simulated, and a verdict (holds, "
        "violated, inconclusive, vacuous, not-applicable). Bounds for a result file of your own are printed by `maxk "
        "bounds`. A violated row is a finding, not a failure of this command.",
        0, 1};
    const char *folder = NULL;
    struct claims_report w = {.style = MK_TABLE_PLAIN};
    uint64_t replications = 0, seed = 42, threads = (uint64_t)omp_get_max_threads();
    int only_list = 0;
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(w.style),
        {"list", 0, MK_OPT_FLAG, &only_list, NULL, NULL, 1, 0, "list the claims without checking them"},
        {"replications", 0, MK_OPT_COUNT, &replications, "N", NULL, 2, 1e9,
         "replications of every simulation (default: each claim's own)"},
        {"seed", 0, MK_OPT_COUNT, &seed, "N", NULL, 1, 0, "seed of the simulations (default: 42)"},
        {"experiments", 0, MK_OPT_TEXT, &folder, "DIR", NULL, 1, 0,
         "also write every experiment as a file into this folder; the column `experiment` of --csv names it"},
        {"threads", 'j', MK_OPT_COUNT, &threads, "N", NULL, 1, 4096, "number of threads (default: all cores)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse_named(&usage, options, claim_name, argc, argv, &operand, &n, err);
    if (code) return code;
    if (n && !mk_claim_find(operand[0])) return no_such_claim(operand[0], err);
    if (only_list) return list(w.style, err);
    const struct mk_claim_options o = {replications, seed, (int)threads, folder};
    w.traced = w.style.form && folder;
    code = folder ? mk_make_folder(folder, err) : MK_OK;
    if (code) return code;
    return check_all(n ? operand[0] : NULL, &o, &w, err);
}
