/* Published statements and tables, each checked by an experiment of its own. */
#include <inttypes.h>
#include <omp.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/claims/claim.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

struct claims_options {
    int list;
    uint64_t replications, seed, threads; /* replications 0: each claim's own; threads 0: all cores */
    const char *folder;                   /* where experiments are written; NULL: they are not */
};

#define COLUMNS(X)                                                                                                     \
    X(CLAIM, "claim", TEXT, "", "name of the claim")                                                                   \
    X(SOURCE, "source", TEXT, "", "paper, theorem or table")                                                           \
    X(WHERE, "where", TEXT, "", "where it was checked: arms, horizon and the like")                                    \
    X(QUANTITY, "quantity", TEXT, "", "what was observed")                                                             \
    X(RELATION, "relation", TEXT, "", "<=, >= or =: how observed is claimed to stand to expected")                     \
    X(EXPECTED, "expected", REAL, "as observed", "what the claim says")                                                \
    X(OBSERVED, "observed", REAL, "that of the quantity", "what was found")                                            \
    X(CI_LOW, "ci_low", REAL, "as observed", "lower end of its 95 % interval where it was simulated")                  \
    X(CI_HIGH, "ci_high", REAL, "as observed", "upper end of the interval")                                            \
    X(VERDICT, "verdict", TEXT, "", "holds, violated, vacuous, inconclusive or not-applicable")                        \
    X(NOTE, "note", TEXT, "", "what explains the verdict; may be empty")                                               \
    X(EXPERIMENT, "experiment", TEXT, "", "with --experiments: file of the row's experiment")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {
    {WHERE, "", NULL},  {QUANTITY, "", NULL}, {RELATION, "", NULL}, {EXPECTED, "", NULL}, {OBSERVED, "", NULL},
    {CI_LOW, "", NULL}, {CI_HIGH, "", NULL},  {VERDICT, "", NULL},  {NOTE, "", NULL},     MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("published claims checked", columns, view);

#define LIST_COLUMNS(X)                                                                                                \
    X(L_CLAIM, "claim", TEXT, "", "name of the claim")                                                                 \
    X(L_SOURCE, "source", TEXT, "", "paper, theorem or table")                                                         \
    X(L_STATEMENT, "statement", TEXT, "", "what is claimed")                                                           \
    X(L_METHOD, "method", TEXT, "", "how it is checked, and what a verdict means")
MK_TABLE_COLUMNS(list_columns, LIST_COLUMNS);
static const struct mk_table_schema list_schema = MK_TABLE_SCHEMA("the claims (--list)", list_columns, NULL);

struct making {
    struct mk_table *table;
    uint64_t counts[MK_VERDICTS];
};

static void add_claims_row(void *to, const struct mk_claim *claim, const struct mk_claim_row *row)
{
    struct making *w = to;
    struct mk_table *t = w->table;
    w->counts[row->verdict]++;
    mk_table_list_row(t, mk_table_rows(t));
    mk_table_set_text(t, CLAIM, claim->name);
    mk_table_set_text(t, SOURCE, claim->source);
    mk_table_set_text(t, WHERE, row->where);
    mk_table_set_text(t, QUANTITY, row->quantity);
    mk_table_set_text(t, RELATION, mk_relation_sign(row->relation));
    mk_table_set_real(t, EXPECTED, row->expected);
    mk_table_set_real(t, OBSERVED, row->observed);
    mk_table_set_real(t, CI_LOW, row->low);
    mk_table_set_real(t, CI_HIGH, row->high);
    mk_table_set_text(t, VERDICT, mk_verdict_name(row->verdict));
    mk_table_set_text(t, NOTE, row->note);
    mk_table_set_text(t, EXPERIMENT, row->experiment);
    mk_table_end_row(t);
}

static void note_counts(struct making *w)
{
    mk_table_add_note(w->table, "%s", "");
    for (int v = 0; v < MK_VERDICTS; v++)
        mk_table_extend_note(w->table, "%s%" PRIu64 " %s", v ? ", " : "", w->counts[v],
                             mk_verdict_name((enum mk_verdict)v));
}

/* The claim of this name, NULL: all. */
static int check_claims(struct making *w, const struct mk_claim *only, const struct mk_table_call *call,
                        struct mk_error *err)
{
    const struct claims_options *o = call->options;
    const struct mk_claim_options how = {o->replications, o->seed, o->threads ? (int)o->threads : omp_get_max_threads(),
                                         o->folder};
    struct mk_progress progress = {.report = call->report, .context = &(struct mk_progress_line){"claims", 0, NULL}};
    int code = o->folder ? mk_make_folder(o->folder, err) : MK_OK;
    if (!code) code = mk_table_new(&w->table, &schema, err);
    if (!code && !o->folder) mk_table_drop_column(w->table, EXPERIMENT);
    if (!code) code = mk_table_check_shown(w->table, call->style, err);
    mk_progress_start(&progress, 0, only ? 1 : mk_claim_count());
    for (size_t i = 0; !code && i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        if (only && c != only) continue;
        struct mk_claim_report to = {.claim = c, .options = how, .row = add_claims_row, .to = w};
        mk_table_begin_group(w->table, "%s: %s\n  %s\n  %s", c->name, c->source, c->statement, c->method);
        code = mk_claim_check(&to, err);
        mk_progress_step(&progress, 1);
    }
    if (!code) note_counts(w);
    return code;
}

static int list(struct mk_table **out, struct mk_error *err)
{
    int code = mk_table_new(out, &list_schema, err);
    for (size_t i = 0; !code && i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        mk_table_set_text(*out, L_CLAIM, c->name);
        mk_table_set_text(*out, L_SOURCE, c->source);
        mk_table_set_text(*out, L_STATEMENT, c->statement);
        mk_table_set_text(*out, L_METHOD, c->method);
        mk_table_end_row(*out);
    }
    return code;
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

static int make_claims(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct claims_options *o = call->options;
    const struct mk_claim *only = call->n_inputs ? mk_claim_find(call->input[0]) : NULL;
    struct making w = {NULL, {0}};
    if (call->n_inputs && !only) return no_such_claim(call->input[0], err);
    const int code = o->list ? list(&w.table, err) : check_claims(&w, only, call, err);
    return mk_table_made(out, w.table, code, err);
}

static const struct claims_options defaults = {.seed = 42};
#define OPTION(field, ...) MK_TABLE_OPTION(struct claims_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(list, "list", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
           "print what each claim states and how it is checked, "
           "without checking it"),
    OPTION(replications, "replications", 0, MK_OPT_COUNT, "N", NULL, 2, 1e9,
           "replications of every simulation (default: each claim's own)"),
    OPTION(seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 1, 0, "seed of the simulations (default: 42)"),
    OPTION(folder, "experiments", 0, MK_OPT_TEXT, "DIR", NULL, 1, 0,
           "also write every experiment as a file into this folder; the column `experiment` of --csv names it"),
    OPTION(threads, "threads", 'j', MK_OPT_COUNT, "N", NULL, 1, 4096, "number of threads (default: all cores)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_claims = {
    .usage = {"claims", "[NAME]",
              "Checks published statements and tables, all of them or only NAME, each by an experiment of its own. A "
              "row has the value that is claimed, the value that was found, its 95 % confidence interval if it was "
              "simulated, and a verdict:\n\n  holds  what was found agrees with the claim\n  violated  what was found "
              "contradicts the claim. This is a finding, not a failure of the command\n  inconclusive  the simulation "
              "does not decide\n  vacuous  the claim is a bound that nothing could exceed\n  not-applicable  the "
              "assumptions of the claim are not met\n\n`maxk claims --list` says what each claim states and how it is "
              "checked. For bounds on a result of your own, use `maxk bounds`.",
              0, 1},
    .group = "Theory against simulation",
    .summary = "check published statements and tables, each with its own experiment",
    MK_TABLE_TAKES(options, defaults),
    .names = claim_name,
    MK_TABLE_SHOWS(&schema, &list_schema),
    .make = make_claims};
