#include "analysis/page/page_answers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "sim/base/error.h"

enum { NAMED = 4 /* in a sentence; more are counted */ };

static void add(char said[MK_ANSWER_ROOM], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char said[MK_ANSWER_ROOM], const char *format, ...)
{
    const size_t used = strlen(said);
    va_list ap;
    va_start(ap, format);
    vsnprintf(said + used, MK_ANSWER_ROOM - used, format, ap);
    va_end(ap);
}

/* ---- ranks ---- */

struct pairs {
    const char *const *first, *const *second; /* [row] the better average rank first */
    const double *p;                          /* [row] adjusted */
    size_t rows;
};

/* The others of the best policy on this side of the level: "a, b and c", or "a, b, c, d and 7 others". */
static size_t add_others(char said[MK_ANSWER_ROOM], const struct pairs *x, bool significant, const char *before)
{
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < x->rows; i++) n += strcmp(x->first[i], x->first[0]) == 0 && (x->p[i] < 0.05) == significant;
    const size_t shown = n <= NAMED + 1 ? n : NAMED;
    for (size_t i = 0; i < x->rows && seen < shown; i++) {
        if (strcmp(x->first[i], x->first[0]) != 0 || (x->p[i] < 0.05) != significant) continue;
        add(said, "%s%s", !seen ? before : seen + 1 == n ? " and " : ", ", x->second[i]);
        seen++;
    }
    if (shown < n) add(said, " and %zu others", n - shown);
    return n;
}

static void say_ranks(char said[MK_ANSWER_ROOM], const struct mk_table *t, const struct mk_result_info *info)
{
    const struct pairs x = {mk_table_texts(t, mk_table_find(t, "policy")),
                            mk_table_texts(t, mk_table_find(t, "against")),
                            mk_table_reals(t, mk_table_find(t, "p_holm")), mk_table_rows(t)};
    if (!x.rows) return;
    add(said, "At T = %" PRIu64 " %s has the best average rank", info->horizon[info->n_horizons - 1], x.first[0]);
    const size_t better = add_others(said, &x, true, "; it is significantly better than ");
    add_others(said, &x, false,
               better ? ", while it is undecided whether it is better than "
                      : "; it is undecided whether it is better than ");
    add(said, " (on %zu instances; Wilcoxon's signed-rank test, adjusted by Holm for all pairs, level 0.05).",
        info->n_instances);
}

int mk_answer_ranks(char said[MK_ANSWER_ROOM], const struct mk_table *ranks, const char *path,
                    const struct mk_result_info *info, struct mk_error *err)
{
    (void)ranks;
    struct mk_table *t = NULL;
    struct mk_error why = {0, ""};
    size_t n = 0;
    bool whole = true;
    char **option = calloc(info->n_policies + 2, sizeof *option);
    *said = 0;
    if (!option) return mk_fail_memory(err, "a table");
    whole &= asprintf(&option[n++], "layout=pairs") >= 0;
    whole &= asprintf(&option[n++], "horizon=%" PRIu64, info->horizon[info->n_horizons - 1]) >= 0;
    for (size_t i = 0; i < info->n_policies; i++)
        if (mk_result_policy_has(info, i, MK_POLICY_ORACLE))
            whole &= asprintf(&option[n++], "without=%s", info->policy[i]) >= 0;
    int code = whole ? mk_table_make(&t, "rank", &path, 1, (const char *const *)option, n, &why) : MK_ENOMEM;
    if (!code) say_ranks(said, t, info);
    mk_table_free(t);
    for (size_t i = 0; i < n; i++) free(option[i]);
    free(option);
    return code == MK_ENOMEM ? mk_fail_memory(err, "a table") : MK_OK;
}

/* ---- bounds ---- */

/* Of the rows whose bound has this name: how many there are, and how many have this verdict. */
static uint64_t count(const struct mk_table *t, const char *bound, const char *verdict)
{
    const char *const *name = mk_table_texts(t, mk_table_find(t, "bound"));
    const uint64_t *of = mk_table_counts(t, mk_table_find(t, verdict));
    uint64_t sum = 0;
    for (size_t i = 0; i < mk_table_rows(t); i++) sum += strcmp(name[i], bound) == 0 ? of[i] : 0;
    return sum;
}

int mk_answer_bounds(char said[MK_ANSWER_ROOM], const struct mk_table *bounds, const char *path,
                     const struct mk_result_info *info, struct mk_error *err)
{
    (void)path, (void)info, (void)err;
    const struct mk_table *t = mk_table_seen(bounds);
    static const char *const proved[][2] = {{"crossing", "The bound that is computed (crossing)"},
                                            {"explicit", "The closed form (explicit)"}};
    *said = 0;
    if (!count(t, "printed", "rows")) return MK_OK;
    add(said,
        "Theorem 4.2 as printed holds in %" PRIu64 " of %" PRIu64
        " cases (a suboptimal arm at a horizon under a policy), is "
        "violated in %" PRIu64 ", and says nothing, being T or more, in %" PRIu64 ".",
        count(t, "printed", "holds"), count(t, "printed", "rows"), count(t, "printed", "violated"),
        count(t, "printed", "vacuous"));
    for (size_t i = 0; i < sizeof proved / sizeof *proved; i++)
        if (count(t, proved[i][0], "rows"))
            add(said, " %s, proved for independent rewards, holds in %" PRIu64 " and says nothing in %" PRIu64 ".",
                proved[i][1], count(t, proved[i][0], "holds"), count(t, proved[i][0], "vacuous"));
    return MK_OK;
}
