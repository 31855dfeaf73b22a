/* L and U by rank against those of the arms themselves: known arms by their upper ends, recorded ones by the survey. */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/arms/lu_ranks.h"
#include "sim/base/statistics.h"
#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static struct scratch scratch;

static const struct mk_lu_options options = {
    .confidence = 0.95, .samples = 100, .runs = 1, .resamples = 1, .seed = 1, .global_end = NAN};

/* Ends 1, 2, 2 and infinity: ranks 3, 1, 2 and 0. */
static void check_known(void)
{
    static const char text[] = "problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}, "
                               "{family: power, a: 2, s: 1, "
                               "factor: 2}, {family: exponential, mean: 1}]}\n";
    static const size_t rank[] = {3, 1, 2, 0};
    struct mk_error err = {0, ""};
    struct mk_experiment *e = NULL;
    struct mk_lu_ranks *r = NULL;
    int code = mk_experiment_parse(&e, "ranks", text, strlen(text), MK_NEED_PROBLEM, &err);
    if (!code) code = mk_lu_ranks_new(&r, e->problem, &err);
    CHECK(!code, "known arms %s", err.text);
    for (size_t k = 0; !code && k < 4; k++) {
        struct mk_lu_row row;
        code = mk_lu_arm(e->problem, 0, k, NULL, MK_LU_EXACT, &options, &row, &err);
        if (code) break;
        mk_lu_ranks_add(r, 0, k, &row);
        const struct mk_lu_rank got = mk_lu_ranks_get(r, MK_LU_EXACT, rank[k]);
        if (isnan(row.lu.L))
            CHECK(got.n == 0 && isnan(got.L.median), "arm %zu without an upper end is not counted", k);
        else
            CHECK(got.n == 1 && got.L.median == row.lu.L && got.L.least == row.lu.L && got.U.largest == row.lu.U &&
                      got.unlimited == 0 && got.constant == 0,
                  "arm %zu has rank %zu", k, rank[k]);
        CHECK(mk_lu_ranks_survey(r, 0, k) == NULL && mk_lu_ranks_get(r, MK_LU_TRIMMED, rank[k]).n == 0,
              "no survey, and nothing of other estimators");
    }
    mk_lu_ranks_free(r);
    mk_experiment_free(e);
}

/* Three instances, in each of which arm b is the best but the last, where a is constant at the top. */
static void check_recorded(void)
{
    char csv[8000] = "instance,arm,repetition,iteration,reward\n";
    struct mk_error err = {0, ""};
    struct mk_experiment *e = NULL;
    struct mk_lu_ranks *r = NULL;
    for (int i = 0, n = (int)strlen(csv); i < 3; i++)
        for (int t = 0; t < 20; t++) {
            double x = (t * 7 % 20 + 1) / 20.0;
            n += snprintf(csv + n, sizeof csv - (size_t)n, "i%d,a,0,%d,%.3f\ni%d,b,0,%d,%.3f\n", i, t,
                          i == 2 ? 2.0 : x * x, i, t, x + 0.05 + 0.1 * i);
        }
    int code = mk_experiment_from_csv(&e, scratch_write(&scratch, "r.csv", csv, strlen(csv)), NULL, 0, &err);
    if (!code) code = mk_lu_ranks_new(&r, e->problem, &err);
    CHECK(!code, "recorded arms %s", err.text);
    double L[2][3] = {{0}};
    for (size_t i = 0; !code && i < 3; i++) {
        struct mk_pooled_rewards *pool = NULL;
        code = mk_pooled_rewards_new(&pool, e->problem, i, 0, 1, MK_LU_STREAM, &err);
        for (size_t k = 0; !code && k < 2; k++) {
            struct mk_lu_row row;
            code = mk_lu_arm(e->problem, i, k, pool, MK_LU_PLUGIN, &options, &row, &err);
            const size_t rank = i == 2 ? k : 1 - k; /* a is position 0 */
            const struct mk_survey_arm *a = code ? NULL : mk_lu_ranks_survey(r, i, k);
            if (!code) mk_lu_ranks_add(r, i, k, &row);
            if (!code) L[rank][i] = row.lu.L;
            CHECK(a && a->position == k, "the survey of instance %zu, arm %zu", i, k);
        }
        mk_pooled_rewards_free(pool);
    }
    for (size_t rank = 0; !code && rank < 2; rank++) {
        const struct mk_lu_rank got = mk_lu_ranks_get(r, MK_LU_PLUGIN, rank);
        qsort(L[rank], 3, sizeof **L, mk_compare_reals);
        CHECK(got.n == 3 && got.L.least == L[rank][0] && got.L.median == L[rank][1] && got.L.largest == L[rank][2],
              "rank %zu: L from %g over %g to %g, wanted %g %g %g", rank, got.L.least, got.L.median, got.L.largest,
              L[rank][0], L[rank][1], L[rank][2]);
        CHECK(got.constant == (rank == 0) && got.unlimited == (rank == 0), "a constant arm ties at its end, U = inf");
    }
    mk_lu_ranks_free(r);
    mk_experiment_free(e);
}

int main(void)
{
    scratch_make(&scratch);
    check_known();
    check_recorded();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
