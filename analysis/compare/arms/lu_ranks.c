#include "analysis/compare/arms/lu_ranks.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

/* What is kept of one estimator and rank. */
struct kept {
    size_t n, unlimited, constant;
    double *L, *U; /* [instance] */
};

struct mk_lu_ranks {
    const struct mk_problem *p;
    struct mk_survey *survey; /* recorded rewards; NULL otherwise */
    struct kept *kept;        /* [estimator][rank] */
    size_t *rank;             /* [instance][position of the arm] */
};

static struct kept *kept_at(const struct mk_lu_ranks *r, enum mk_lu_estimator estimator, size_t rank)
{
    return &r->kept[(size_t)estimator * r->p->n_arms + rank];
}

void mk_lu_ranks_free(struct mk_lu_ranks *r)
{
    if (!r) return;
    for (size_t i = 0; r->kept && i < MK_LU_ESTIMATORS * r->p->n_arms; i++) {
        free(r->kept[i].L);
        free(r->kept[i].U);
    }
    free(r->kept);
    free(r->rank);
    mk_survey_free(r->survey);
    free(r);
}

static int allocate(struct mk_lu_ranks *r, struct mk_error *err)
{
    const size_t n = MK_LU_ESTIMATORS * r->p->n_arms;
    r->kept = calloc(n, sizeof *r->kept);
    r->rank = calloc(r->p->n_instances * r->p->n_arms, sizeof *r->rank);
    if (!r->kept || !r->rank) return mk_fail_memory(err, "the summary");
    for (size_t i = 0; i < n; i++) {
        r->kept[i].L = malloc(r->p->n_instances * sizeof(double));
        r->kept[i].U = malloc(r->p->n_instances * sizeof(double));
        if (!r->kept[i].L || !r->kept[i].U) return mk_fail_memory(err, "the summary");
    }
    return MK_OK;
}

/* An arm of known distribution. */
struct known {
    double high;
    size_t position;
};

static int by_upper_end(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    if (a->high != b->high) return a->high > b->high ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int rank_arms(const struct mk_lu_ranks *r, struct mk_error *err)
{
    struct known *arm = malloc(r->p->n_arms * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "the summary");
    for (size_t i = 0; i < r->p->n_instances; i++) {
        const size_t n = r->p->instance[i].n_arms;
        size_t *rank = r->rank + i * r->p->n_arms;
        double low;
        for (size_t k = 0; k < n; k++) {
            arm[k].position = r->survey ? mk_survey_at(r->survey, i, k)->position : k;
            if (!r->survey) mk_problem_arm_support(r->p, i, k, &low, &arm[k].high);
        }
        if (!r->survey) qsort(arm, n, sizeof *arm, by_upper_end);
        for (size_t k = 0; k < n; k++) rank[arm[k].position] = k;
    }
    free(arm);
    return MK_OK;
}

int mk_lu_ranks_new(struct mk_lu_ranks **out, const struct mk_problem *p, struct mk_error *err)
{
    struct mk_lu_ranks *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) return mk_fail_memory(err, "the summary");
    r->p = p;
    int code = allocate(r, err);
    if (!code && p->source->recorded) code = mk_survey_new(&r->survey, p, err);
    if (!code) code = rank_arms(r, err);
    if (code)
        mk_lu_ranks_free(r);
    else
        *out = r;
    return code;
}

static size_t rank_of(const struct mk_lu_ranks *r, size_t instance, size_t k)
{
    return r->rank[instance * r->p->n_arms + k];
}

const struct mk_survey_arm *mk_lu_ranks_survey(const struct mk_lu_ranks *r, size_t instance, size_t k)
{
    return r->survey ? mk_survey_at(r->survey, instance, rank_of(r, instance, k)) : NULL;
}

void mk_lu_ranks_add(struct mk_lu_ranks *r, size_t instance, size_t k, const struct mk_lu_row *row)
{
    const struct mk_survey_arm *a = mk_lu_ranks_survey(r, instance, k);
    struct kept *to = kept_at(r, row->estimator, rank_of(r, instance, k));
    if (isnan(row->lu.L) || isnan(row->lu.U)) return;
    to->unlimited += isinf(row->lu.U) != 0;
    to->constant += a && a->ties == a->n;
    to->L[to->n] = row->lu.L;
    to->U[to->n++] = row->lu.U;
}

/* Sorts. Interpolation at a half, without the difference of two infinite values. */
static struct mk_lu_rank_end summarise(double *x, size_t n)
{
    mk_sort_values(x, n);
    return (struct mk_lu_rank_end){n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2, x[0], x[n - 1]};
}

struct mk_lu_rank mk_lu_ranks_get(struct mk_lu_ranks *r, enum mk_lu_estimator estimator, size_t rank)
{
    const struct mk_lu_rank_end none = {NAN, NAN, NAN};
    const struct kept *k = kept_at(r, estimator, rank);
    if (!k->n) return (struct mk_lu_rank){0, 0, 0, none, none};
    return (struct mk_lu_rank){k->n, k->unlimited, k->constant, summarise(k->L, k->n), summarise(k->U, k->n)};
}
