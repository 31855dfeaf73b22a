#include "analysis/page/page_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/page/page_answers.h"
#include "analysis/tables/table_type.h"
#include "sim/base/error.h"

enum { OPEN_ROWS = 40, MOST_ROWS = 1000 };

/* In the order of the page. */
static const struct page_table {
    const char *name, *heading, *about;
    const char *option; /* NULL: none */
    bool of_horizon;    /* the value of the option is the largest horizon */
    /* A sentence above it; NULL: none. */
    int (*answer)(char said[MK_ANSWER_ROOM], const struct mk_table *t, const char *path,
                  const struct mk_result_info *info, struct mk_error *err);
} page_tables[] = {
    {"rank", "Ranks at the largest horizon",
     "Average ranks over the instances, wins, ties and losses against the baseline, and tests.", "horizon", true,
     mk_answer_ranks},
    {"bounds", "Verdicts", "How often the forms of Theorem 4.2 hold, are violated, or say nothing.", "brief", false,
     mk_answer_bounds},
    {"summary", "Summary at the largest horizon",
     "Pulls of the best arm, largest reward, regret and proxy regret of every policy, with standard errors.", "horizon",
     true, NULL},
    {"gap", "Arms at the largest horizon", "Expected maxima of the arms, and how far they are from the best.",
     "horizons", true, NULL},
    {"trials", "Trials", "Every trial of the study: configuration, loss, seconds, and why it failed.", NULL, false,
     NULL},
};
static const struct page_table importance = {
    "importance",
    "Importance of hyperparameters",
    "How much of the variance of the metric over its search space a hyperparameter of an arm explains alone.",
    NULL,
    false,
    NULL};
enum { PAGE_TABLES = sizeof page_tables / sizeof *page_tables };

/* Tables that do not apply, and why. */
#define COLUMNS(X)                                                                                                     \
    X(TABLE, "table", TEXT, "", "table, as in `maxk list tables`")                                                     \
    X(REASON, "reason", TEXT, "", "why it does not apply to this result")
enum { COLUMNS(MK_COLUMN_ENUMERATOR) };
static const struct mk_column columns[] = {COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_table_schema left_out_schema = MK_TABLE_SCHEMA("tables that do not apply", columns, NULL);

static void leave_out(struct mk_table *to, const char *name, const char *reason)
{
    mk_table_set_text(to, TABLE, name);
    mk_table_set_text(to, REASON, reason);
    mk_table_end_row(to);
}

static int make(struct mk_table **out, const struct page_table *p, const char *path, uint64_t horizon,
                struct mk_error *err)
{
    char text[64];
    const char *option = text;
    if (p->of_horizon) snprintf(text, sizeof text, "%s=%" PRIu64, p->option, horizon);
    if (!p->of_horizon) option = p->option;
    return mk_table_make(out, p->name, &path, 1, &option, option != NULL, err);
}

static int show(struct mk_page *page, const struct page_table *p, const struct mk_table *t, const char *path,
                const struct mk_result_info *info, struct mk_error *err)
{
    char words[96], whole[96], said[MK_ANSWER_ROOM] = "";
    const size_t rows = mk_table_seen_rows(mk_table_seen(t));
    const bool folded = rows > OPEN_ROWS;
    const struct mk_table_html how = {.label = p->heading, .most_rows = MOST_ROWS, .whole = whole};
    snprintf(whole, sizeof whole,
             mk_table_type_find(p->name)->group ? "maxk %s prints all" : "maxk export --tables writes all", p->name);
    snprintf(words, sizeof words, "%s: %zu rows", p->heading, rows);
    int code = p->answer ? p->answer(said, t, path, info, err) : MK_OK;
    if (code) return code;
    mk_page_heading(page, 3, p->heading);
    if (*said) mk_page_paragraph(page, said);
    mk_page_paragraph(page, p->about);
    if (folded) mk_page_fold_begin(page, words);
    code = mk_page_table(page, t, &how, err);
    if (folded) mk_page_fold_end(page);
    return code;
}

static int show_left_out(struct mk_page *page, struct mk_table *t, struct mk_error *err)
{
    int code = mk_table_check(t, err);
    if (code || !mk_table_rows(t)) return code;
    mk_page_fold_begin(page, "Tables that do not apply");
    code = mk_page_table(page, t, &(struct mk_table_html){0}, err);
    mk_page_fold_end(page);
    return code;
}

int mk_page_add_tables(struct mk_page *page, const char *path, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_table *left_out = NULL;
    int code = mk_table_new(&left_out, &left_out_schema, err);
    for (size_t k = 0; !code && k < PAGE_TABLES; k++) {
        const struct page_table *p = &page_tables[k];
        struct mk_table *t = NULL;
        struct mk_error why = {0, ""};
        const char *reason = mk_table_inapplicable(mk_table_type_find(p->name), r);
        int made = reason ? MK_EINPUT : make(&t, p, path, i->horizon[i->n_horizons - 1], &why);
        if (made == MK_ENOMEM)
            code = mk_fail_memory(err, "a table");
        else if (made)
            leave_out(left_out, p->name, reason ? reason : why.text);
        else
            code = show(page, p, t, path, i, err);
        mk_table_free(t);
    }
    if (!code) code = show_left_out(page, left_out, err);
    mk_table_free(left_out);
    return code;
}

int mk_page_add_importance(struct mk_page *page, const char *path, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = make(&t, &importance, path, 0, err);
    if (!code) code = show(page, &importance, t, path, NULL, err);
    mk_table_free(t);
    return code;
}
