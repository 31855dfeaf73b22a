#include "analysis/answers/page/page_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/arms/arm_choice.h"
#include "analysis/theory/bounds.h"
#include "policies/policy.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/problem/source.h"

/* ---- what a table says, as a sentence above it; empty where it says nothing in general ---- */

enum { ANSWER_ROOM = 2048, NAMED = 4 /* in a sentence; more are counted */ };

static void say(char said[ANSWER_ROOM], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char said[ANSWER_ROOM], const char *format, ...)
{
    const size_t used = strlen(said);
    va_list ap;
    va_start(ap, format);
    vsnprintf(said + used, ANSWER_ROOM - used, format, ap);
    va_end(ap);
}

struct pairs {
    const char *const *first, *const *second; /* [row] the better average rank first */
    const double *p;                          /* [row] adjusted */
    size_t rows;
};

/* The others of the best policy on this side of the level: "a, b and c", or "a, b, c, d and 7 others". */
static size_t add_others(char said[ANSWER_ROOM], const struct pairs *x, bool significant, const char *before)
{
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < x->rows; i++) n += strcmp(x->first[i], x->first[0]) == 0 && (x->p[i] < 0.05) == significant;
    const size_t shown = n <= NAMED + 1 ? n : NAMED;
    for (size_t i = 0; i < x->rows && seen < shown; i++) {
        if (strcmp(x->first[i], x->first[0]) != 0 || (x->p[i] < 0.05) != significant) continue;
        say(said, "%s%s", !seen ? before : seen + 1 == n ? " and " : ", ", x->second[i]);
        seen++;
    }
    if (shown < n) say(said, " and %zu others", n - shown);
    return n;
}

static void say_ranks(char said[ANSWER_ROOM], const struct mk_table *t, const struct mk_result_info *info)
{
    const struct pairs x = {mk_table_texts(t, mk_table_find(t, "policy")),
                            mk_table_texts(t, mk_table_find(t, "against")),
                            mk_table_reals(t, mk_table_find(t, "p_holm")), mk_table_rows(t)};
    if (!x.rows) return;
    say(said, "At T = %.15g %s has the best average rank", mk_result_amount(info, info->n_horizons - 1), x.first[0]);
    const size_t better = add_others(said, &x, true, "; it is significantly better than ");
    add_others(said, &x, false,
               better ? ", while it is undecided whether it is better than "
                      : "; it is undecided whether it is better than ");
    say(said, " (on %zu instances; Wilcoxon's signed-rank test, adjusted by Holm for all pairs, level 0.05).",
        info->n_instances);
}

/* Which policy has the best average rank at the largest horizon, among those that do not know the best arm in advance;
 * from which others it differs significantly (Wilcoxon's signed-rank test, adjusted by Holm for all pairs, level 0.05),
 * and from which it does not. `ranks` is not used: the tests are those of another layout. */
static int answer_ranks(char said[ANSWER_ROOM], const struct mk_table *ranks, struct mk_result *r, struct mk_error *err)
{
    (void)ranks;
    const struct mk_result_info *const info = mk_result_info(r);
    struct mk_table *t = NULL;
    struct mk_error why = {0, ""};
    size_t n = 0;
    bool whole = true;
    char **option = calloc(info->n_policies + 2, sizeof *option);
    if (!option) return mk_fail_memory(err, "a table");
    whole &= asprintf(&option[n++], "layout=pairs") >= 0;
    whole &= asprintf(&option[n++], "horizon=%.15g", mk_result_amount(info, info->n_horizons - 1)) >= 0;
    for (size_t i = 0; i < info->n_policies; i++)
        if (mk_result_policy_has(info, i, MK_POLICY_ORACLE))
            whole &= asprintf(&option[n++], "without=%s", info->policy[i]) >= 0;
    int code = whole ? mk_table_of_result(&t, "rank", r, (const char *const *)option, n, &why) : MK_ENOMEM;
    if (!code) say_ranks(said, t, info);
    mk_table_free(t);
    for (size_t i = 0; i < n; i++) free(option[i]);
    free(option);
    return code == MK_ENOMEM ? mk_fail_memory(err, "a table") : MK_OK;
}

/* How often the rows whose bound has this name have this verdict. */
static uint64_t count(const struct mk_table *t, const char *bound, const char *verdict)
{
    const char *const *name = mk_table_texts(t, mk_table_find(t, "bound"));
    const uint64_t *of = mk_table_counts(t, mk_table_find(t, verdict));
    uint64_t sum = 0;
    for (size_t i = 0; i < mk_table_rows(t); i++) sum += strcmp(name[i], bound) == 0 ? of[i] : 0;
    return sum;
}

/* Of a bound: how many cases there are, and how many have which verdict; returns how many are violated. */
static uint64_t say_verdicts(char said[ANSWER_ROOM], const struct mk_table *t, const char *bound, const char *what)
{
    char text[MK_VERDICT_COUNTS_ROOM];
    uint64_t of[MK_VERDICTS];
    for (int v = 0; v < MK_VERDICTS; v++) of[v] = count(t, bound, mk_verdict_name((enum mk_verdict)v));
    mk_verdict_counts_text(text, of);
    say(said, "%s: of %" PRIu64 " cases %s.", what, count(t, bound, "rows"), text);
    return of[MK_VERDICT_VIOLATED];
}

/* The verdicts on Theorem 4.2 as printed and on what is proved, and why a proved bound may be violated. */
static int answer_bounds(char said[ANSWER_ROOM], const struct mk_table *bounds, struct mk_result *r,
                         struct mk_error *err)
{
    (void)err;
    const struct mk_table *t = mk_table_seen(bounds);
    static const char *const proved[][2] = {
        {"crossing", " The bound that is computed (crossing), proved for independent rewards"},
        {"explicit", " The closed form (explicit), proved for independent rewards"}};
    uint64_t violated = 0;
    if (!count(t, "printed", "rows")) return MK_OK;
    say_verdicts(said, t, "printed", "Theorem 4.2 as printed");
    for (size_t i = 0; i < sizeof proved / sizeof *proved; i++)
        if (count(t, proved[i][0], "rows")) violated += say_verdicts(said, t, proved[i][0], proved[i][1]);
    say(said, " A case is a suboptimal arm at a horizon under a policy; a bound of T or more is vacuous.");
    const struct mk_source_type *source = violated ? mk_table_source(r) : NULL;
    if (source && source->recorded)
        say(said, " What is proved is violated where its hypothesis is: recorded rewards, replayed in their order, are "
                  "not independent draws of one distribution.");
    else if (violated)
        say(said,
            " What is proved is violated by 95 %% intervals in up to 2.5 %% of cases by chance, more often if the "
            "rewards of an arm are not independent draws.");
    return MK_OK;
}

/* Optimism of a policy: the mean over the instances. */
struct optimism {
    const char *policy;
    double mean;
};

/* The smallest and the largest one; NaN: none is known. */
static void find_optimism(const struct mk_table *t, size_t column, struct optimism *least, struct optimism *most)
{
    const char *const *policy = mk_table_texts(t, mk_table_find(t, "policy"));
    const unsigned char *optimal = mk_table_flags(t, mk_table_find(t, "optimal"));
    const double *optimism = mk_table_reals(t, column);
    const size_t rows = mk_table_rows(t);
    *least = *most = (struct optimism){NULL, NAN};
    for (size_t i = 0, next; i < rows; i = next) {
        struct mk_real_moments m = {0};
        for (next = i; next < rows && strcmp(policy[next], policy[i]) == 0; next++)
            if (optimal[next]) mk_real_moments_add(&m, optimism[next]); /* one of the rows of a cell */
        const struct optimism of = {policy[i], mk_real_moments_mean(&m)};
        if (isnan(of.mean)) continue;
        if (!(of.mean >= least->mean)) *least = of;
        if (!(of.mean <= most->mean)) *most = of;
    }
}

/* How much better the chosen configurations look than they are, where it is known. */
static int answer_summary(char said[ANSWER_ROOM], const struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    (void)err;
    const struct mk_source_type *source = mk_table_source(r);
    const size_t column = mk_table_find(t, "optimism");
    struct optimism least, most;
    if (column == SIZE_MAX) return MK_OK;
    find_optimism(t, column, &least, &most);
    if (!least.policy) return MK_OK;
    say(said,
        "The %s of the configurations with the largest rewards are lower than these (optimism), in the mean over the "
        "instances by %.4g under %s",
        source && source->recorded ? "test scores" : "values without noise", least.mean, least.policy);
    if (most.policy != least.policy)
        say(said, " (the smallest) to %.4g under %s (the largest)", most.mean, most.policy);
    say(said, ".");
    return MK_OK;
}

/* ---- tables on the page ---- */

static bool is_of_known_arms(const struct mk_source_type *source)
{
    return source->known;
}

static bool is_of_distributions(const struct mk_source_type *source)
{
    return source->known || source->moving;
}

static bool is_of_recorded_runs(const struct mk_source_type *source)
{
    return source->recorded;
}

/* In the order of the page. */
static const struct page_table {
    const char *name, *heading, *about;
    const char *show;                                /* of its columns; NULL: all that people see */
    const char *sampled;                             /* the same with replications of its own; NULL: it takes none */
    const char *option[2];                           /* "name=value", or "name=T": the largest horizon; NULL: none */
    bool in_pulls;                                   /* T is a number of pulls: left out where horizons are costs */
    bool (*of)(const struct mk_source_type *source); /* whether it is of such rewards; NULL: of all */
    bool of_few; /* left to its command for many arms: it takes seconds or minutes then */
    /* A sentence above it; NULL: none. */
    int (*answer)(char said[ANSWER_ROOM], const struct mk_table *t, struct mk_result *r, struct mk_error *err);
} page_tables[] = {
    {.name = "rank",
     .heading = "Ranks at the largest horizon",
     .about = "Average ranks over the instances, wins, ties and losses against the baseline, and tests.",
     .option = {"horizon=T"},
     .answer = answer_ranks},
    {.name = "bounds",
     .heading = "Verdicts",
     .about = "How often each form of Theorem 4.2 has which verdict.",
     .option = {"brief"},
     .answer = answer_bounds},
    {.name = "certify",
     .heading = "Certified bounds at the largest horizon",
     .about =
         "Bounds on pulls and regret that are proved for these arms, on coarse grids; `maxk certify` makes them narrower.",
     .show = "policy,instance,arm,lower,upper,q50,q90,q99,lock_out,regret_lower,regret_upper",
     .sampled = "policy,instance,arm,lower,upper,confident_lower,confident_upper,lock_out,regret_lower,regret_upper,"
                "confident_regret_lower,confident_regret_upper",
     .option = {"horizons=T", "refinement=0.2"},
     .in_pulls = true,
     .of = is_of_distributions,
     .of_few = true},
    {.name = "summary",
     .heading = "Summary at the largest horizon",
     .about = "Pulls of the best arm, largest reward, regret and proxy regret of every policy, with standard errors.",
     .option = {"horizon=T"},
     .answer = answer_summary},
    {.name = "gap",
     .heading = "Arms at the largest horizon",
     .about = "Expected maxima of the arms, and how far they are from the best.",
     .option = {"horizons=T"}},
    {.name = "lu",
     .heading = "L and U",
     .about = "The constants of Lemma 3.3, which bound the survival function of an arm near its upper end point.",
     .show = "instance,arm,label,L,eps_L,U,eps_U,note",
     .option = {"estimator=exact"},
     .of = is_of_known_arms,
     .of_few = true},
    {.name = "lu",
     .heading = "L and U",
     .about = "Estimates of the constants of Lemma 3.3, which bound the survival function of an arm near its upper end "
              "point, with confidence intervals.",
     .option = {"estimator=plugin"},
     .of = is_of_recorded_runs,
     .of_few = true},
    {.name = "survey",
     .heading = "Recorded rewards",
     .about = "Gaps, skewness and drift of the recorded rewards, normalised to [0, 1] per instance and repetition.",
     .of = is_of_recorded_runs},
    {.name = "trials",
     .heading = "Trials",
     .about = "Every trial of the study: configuration, loss, seconds, and why it failed."},
};
static const struct page_table importance_table = {
    .name = "importance",
    .heading = "Importance of hyperparameters",
    .about = "How much of the variance of the metric over its search space a hyperparameter of an arm explains alone."};
enum { PAGE_TABLES = sizeof page_tables / sizeof *page_tables };

static bool is_of(const struct page_table *p, struct mk_result *r)
{
    if (p->of_few && mk_result_info(r)->n_arms > MK_MANY_ARMS) return false;
    if (!p->of) return true;
    const struct mk_source_type *source = mk_table_source(r);
    return source && p->of(source);
}

/* Whether bounds with confidence are added. */
static bool is_sampled(const struct page_table *p, const struct mk_sampling *sampling)
{
    return p->sampled && sampling && sampling->samples;
}

static int make_table(struct mk_table **out, const struct page_table *p, struct mk_result *r,
                      const struct mk_sampling *sampling, struct mk_error *err)
{
    const struct mk_result_info *const info = mk_result_info(r);
    enum { GIVEN = sizeof p->option / sizeof *p->option, MOST = GIVEN + 2 };
    const char *option[MOST];
    char text[MOST][64];
    size_t n = 0;
    for (size_t i = 0; i < GIVEN && p->option[i]; i++) {
        const size_t name = strlen(p->option[i]) - 1;
        const bool of_horizon = strcmp(p->option[i] + name - 1, "=T") == 0;
        if (of_horizon && p->in_pulls && info->by_cost) continue;
        snprintf(text[n], sizeof text[n], "%.*s%.15g", (int)name, p->option[i],
                 mk_result_amount(info, info->n_horizons - 1));
        option[n] = of_horizon ? text[n] : p->option[i];
        n++;
    }
    if (is_sampled(p, sampling)) {
        snprintf(text[n], sizeof text[n], "samples=%" PRIu64, sampling->samples);
        option[n] = text[n];
        snprintf(text[n + 1], sizeof text[n + 1], "confidence=%.17g", sampling->confidence);
        option[n + 1] = text[n + 1];
        n += 2;
    }
    return mk_table_of_result(out, p->name, r, option, n, err);
}

static int show_table(struct mk_page *page, const struct page_table *p, const struct mk_table *t, struct mk_result *r,
                      const struct mk_sampling *sampling, struct mk_error *err)
{
    char whole[96], said[ANSWER_ROOM] = "";
    const struct mk_table_html how = {.label = p->heading,
                                      .open_rows = MK_PAGE_OPEN_ROWS,
                                      .most_rows = MK_PAGE_MOST_ROWS,
                                      .whole = whole,
                                      .show = is_sampled(p, sampling) ? p->sampled : p->show};
    snprintf(whole, sizeof whole,
             mk_table_type_find(p->name)->group ? "maxk %s prints all" : "maxk export --tables writes all", p->name);
    int code = p->answer ? p->answer(said, t, r, err) : MK_OK;
    if (code) return code;
    mk_page_heading(page, 3, p->heading);
    if (*said) mk_page_paragraph(page, said);
    mk_page_paragraph(page, p->about);
    if (is_sampled(p, sampling))
        mk_page_say(page,
                    "Columns that begin with confident_ are not proved: they hold with confidence %.10g, all of them "
                    "together, from %" PRIu64 " replications of each policy (Theorem 14).",
                    sampling->confidence, sampling->samples);
    return mk_page_table(page, t, &how, err);
}

/* ---- the others ---- */

#define FURTHER(X)                                                                                                     \
    X(F_TABLE, "table", TEXT, "", "table, as in `maxk list tables`")                                                   \
    X(F_SHOWS, "what it shows", TEXT, "", "one line")                                                                  \
    X(F_COMMAND, "command", TEXT, "", "command that prints it")
MK_TABLE_COLUMNS(further_columns, FURTHER);
static const struct mk_table_schema further_schema = MK_TABLE_SCHEMA("further tables", further_columns, NULL);

#define LEFT_OUT(X)                                                                                                    \
    X(L_TABLE, "table", TEXT, "", "table, as in `maxk list tables`")                                                   \
    X(L_REASON, "reason", TEXT, "", "why it does not apply to this result")
MK_TABLE_COLUMNS(left_out_columns, LEFT_OUT);
static const struct mk_table_schema left_out_schema =
    MK_TABLE_SCHEMA("tables that do not apply", left_out_columns, NULL);

static void leave_out(struct mk_table *to, const char *name, const char *reason)
{
    mk_table_set_text(to, L_TABLE, name);
    mk_table_set_text(to, L_REASON, reason);
    mk_table_end_row(to);
}

int mk_page_tables_show(struct mk_page *page, struct mk_result *r, const struct mk_sampling *sampling,
                        struct mk_table **left_out, struct mk_error *err)
{
    int code = mk_table_new(left_out, &left_out_schema, err);
    for (size_t k = 0; !code && k < PAGE_TABLES; k++) {
        const struct page_table *p = &page_tables[k];
        struct mk_table *t = NULL;
        struct mk_error why = {0, ""};
        if (!is_of(p, r) || mk_table_inapplicable(mk_table_type_find(p->name), r)) continue;
        const int made = make_table(&t, p, r, sampling, &why);
        if (made == MK_ENOMEM)
            code = mk_fail_memory(err, "a table");
        else if (made)
            leave_out(*left_out, p->name, why.text);
        else
            code = show_table(page, p, t, r, sampling, err);
        mk_table_free(t);
    }
    return code;
}

int mk_page_importance(struct mk_page *page, struct mk_result *r, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = make_table(&t, &importance_table, r, NULL, err);
    if (!code) code = show_table(page, &importance_table, t, r, NULL, err);
    mk_table_free(t);
    return code;
}

/* Whether the page shows the table, or has said why it cannot be made. */
static bool is_on_page(const char *name, struct mk_result *r, bool of_study)
{
    if (of_study) return strcmp(name, "trials") == 0 || strcmp(name, importance_table.name) == 0;
    for (size_t k = 0; k < PAGE_TABLES; k++)
        if (strcmp(page_tables[k].name, name) == 0 && is_of(&page_tables[k], r)) return true;
    return false;
}

/* "maxk exceed result.h5 --above X"; a part of a result is one of the files of maxk export. */
static int add_further(struct mk_table *to, const struct mk_table_type *type, const char *path, struct mk_error *err)
{
    const char *const prints[] = {"maxk", type->usage.command, path, NULL};
    const char *const writes[] = {"maxk", "export", path, "--csv", "DIR", NULL};
    char *command = mk_command_text((char *const *)(type->group ? prints : writes));
    if (!command) return mk_fail_memory(err, "a table");
    mk_table_set_text(to, F_TABLE, type->usage.command);
    mk_table_set_text(to, F_SHOWS, type->summary);
    mk_table_format_text(to, F_COMMAND, "%s%s%s", command, type->required ? " " : "",
                         type->required ? type->required : "");
    mk_table_end_row(to);
    free(command);
    return MK_OK;
}

/* A table without a heading of its own, folded under these words or, without any, open. */
static int show_list(struct mk_page *page, const char *words, struct mk_table *t, struct mk_error *err)
{
    int code = mk_table_check(t, err);
    if (code || !mk_table_rows(t)) return code;
    if (words) mk_page_fold_begin(page, words);
    code = mk_page_table(page, t, &(struct mk_table_html){0}, err);
    if (words) mk_page_fold_end(page);
    return code;
}

int mk_page_tables_further(struct mk_page *page, struct mk_result *r, bool of_study, struct mk_table *left_out,
                           struct mk_error *err)
{
    const struct mk_table_type *type;
    struct mk_table *commands = NULL, *files = NULL, *own = NULL;
    int code = mk_table_new(&commands, &further_schema, err);
    if (!code) code = mk_table_new(&files, &further_schema, err);
    if (!code && !left_out) code = mk_table_new(&own, &left_out_schema, err);
    if (own) left_out = own;
    for (size_t i = 0; !code && (type = mk_table_type_at(i)); i++) {
        const char *reason = mk_table_inapplicable(type, r);
        if (!type->inapplicable) continue;
        if (reason)
            leave_out(left_out, type->usage.command, reason);
        else if (!is_on_page(type->usage.command, r, of_study))
            code = add_further(type->group ? commands : files, type, mk_result_info(r)->path, err);
    }
    mk_page_heading(page, 3, "Further tables");
    mk_page_paragraph(page, "Commands that print what is not on this page:");
    if (!code) code = show_list(page, NULL, commands, err);
    if (!code) code = show_list(page, "What the result holds, as files", files, err);
    if (!code) code = show_list(page, "Tables that do not apply", left_out, err);
    mk_table_free(own);
    mk_table_free(files);
    mk_table_free(commands);
    return code;
}
