#include "analysis/answers/figures/published.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"

enum { EXPERIMENT, POLICY, HORIZON, PULLS, SE_PULLS, PROXY, COLUMNS };

struct mk_published {
    size_t n;
    struct mk_published_row *row;
};

static int find_columns(const struct mk_csv *csv, size_t at[COLUMNS], struct mk_error *err)
{
    static const char *const name[COLUMNS] = {"experiment",         "policy",           "horizon",
                                              "mean_optimal_pulls", "se_optimal_pulls", "proxy_empirical_regret"};
    for (int i = 0; i < COLUMNS; i++) {
        int found = mk_csv_find(csv, name[i]);
        if (found < 0)
            return mk_fail(err, MK_EINPUT, "%s:1: %s: expected exactly one column of this name", csv->path, name[i]);
        at[i] = (size_t)found;
    }
    return MK_OK;
}

static int add_published_row(struct mk_published *p, const struct mk_csv *csv, const size_t at[COLUMNS],
                             struct mk_error *err)
{
    if (!MK_GROW(p->row, p->n, 1)) return mk_fail_memory(err, "published numbers");
    struct mk_published_row *r = &p->row[p->n];
    double *const number[COLUMNS] = {[HORIZON] = &r->horizon,
                                     [PULLS] = &r->optimal_pulls,
                                     [SE_PULLS] = &r->se_optimal_pulls,
                                     [PROXY] = &r->proxy_regret};
    for (int i = HORIZON; i < COLUMNS; i++) {
        int code = mk_csv_number(csv, at[i], number[i], err);
        if (code) return code;
    }
    const struct mk_csv_cell *e = &csv->cell[at[EXPERIMENT]], *policy = &csv->cell[at[POLICY]];
    r->experiment = strndup(e->text, e->length);
    r->policy = strndup(policy->text, policy->length);
    p->n++;
    return r->experiment && r->policy ? MK_OK : mk_fail_memory(err, "published numbers");
}

int mk_published_read(struct mk_published **out, const char *path, struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    size_t at[COLUMNS];
    *out = NULL;
    int code = mk_csv_open(&csv, path, err);
    if (code) return code;
    struct mk_published *p = calloc(1, sizeof *p);
    code = p ? find_columns(csv, at, err) : mk_fail_memory(err, "published numbers");
    while (!code && (code = mk_csv_next(csv, err)) == MK_OK) code = add_published_row(p, csv, at, err);
    mk_csv_close(csv);
    if (code == MK_CSV_END)
        *out = p;
    else
        mk_published_free(p);
    return code == MK_CSV_END ? MK_OK : code;
}

void mk_published_free(struct mk_published *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->n; i++) {
        free(p->row[i].experiment);
        free(p->row[i].policy);
    }
    free(p->row);
    free(p);
}

const struct mk_published_row *mk_published_find(const struct mk_published *p, const char *experiment,
                                                 const char *policy, uint64_t horizon)
{
    for (size_t i = 0; p && i < p->n; i++)
        if (p->row[i].horizon == (double)horizon && strcmp(p->row[i].experiment, experiment) == 0 &&
            strcmp(p->row[i].policy, policy) == 0)
            return &p->row[i];
    return NULL;
}
