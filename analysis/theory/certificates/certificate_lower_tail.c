/* The lower bound: the sum over m. */
#include <omp.h>
#include <stdlib.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_path.h"
#include "sim/base/error.h"

enum { MOST_POINTS = 400, ROUNDS = 40 };
static const double lower_tolerance = 0.05; /* of first passages */

struct lower_grid {
    const struct mk_race *race;
    size_t arm;
    const size_t *rank;
    double tolerance;
    struct mk_factor_limits limits;
    size_t n, threads;
    struct mk_lower_point {
        uint64_t m;
        double tail;
        bool path;
    } point[MOST_POINTS];
    struct mk_lower_work **work;
};

static int by_m(const void *a, const void *b)
{
    uint64_t x = ((const struct mk_lower_point *)a)->m, y = ((const struct mk_lower_point *)b)->m;
    return (x > y) - (x < y);
}

/* Fills the points from `from` on, sorts, and lifts every tail to those of larger m. */
static void fill_points(struct lower_grid *g, size_t from)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)g->threads)
    for (size_t k = from; k < g->n; k++) {
        const struct mk_underdog u = {g->race, g->arm, g->rank, g->point[k].m, lower_tolerance, &g->limits};
        g->point[k].tail = mk_lower_probability(g->work[omp_get_thread_num()], &u, &g->point[k].path);
    }
    qsort(g->point, g->n, sizeof *g->point, by_m);
    for (size_t k = g->n - 1; k-- > 0;) {
        if (g->point[k].tail >= g->point[k + 1].tail) continue;
        g->point[k].tail = g->point[k + 1].tail;
        g->point[k].path = g->point[k + 1].path;
    }
}

/* Upper bound on what the block that ends at point k lacks: (P(N > m[k-1]) - P(N > m[k])) for every m between the
 * two. */
static double block_lack(const struct lower_grid *g, size_t k)
{
    const uint64_t before = k > 0 ? g->point[k - 1].m : 0;
    const double tail = k > 0 ? g->point[k - 1].tail : 1;
    return (double)(g->point[k].m - before - 1) * (tail - g->point[k].tail);
}

static double lower_sum(const struct lower_grid *g)
{
    double sum = 0;
    for (size_t k = 0; k < g->n; k++)
        sum += (double)(g->point[k].m - (k > 0 ? g->point[k - 1].m : 0)) * g->point[k].tail;
    return sum > 0 ? nextafter(1 + sum * (1 - 1e-12), 0) : 1;
}

/* Whether Theorem 17 gives more than half of it. */
static bool mostly_path(const struct lower_grid *g)
{
    double path = 0, others = 0;
    for (size_t k = 0; k < g->n; k++)
        *(g->point[k].path ? &path : &others) +=
            (double)(g->point[k].m - (k > 0 ? g->point[k - 1].m : 0)) * g->point[k].tail;
    return path > others;
}

static void split_blocks(struct lower_grid *g, double share)
{
    const size_t n = g->n;
    for (size_t k = 0; k < n && g->n < MOST_POINTS; k++) {
        uint64_t a = k > 0 ? g->point[k - 1].m : 0, b = g->point[k].m;
        if (b - a < 2 || block_lack(g, k) <= share) continue;
        uint64_t middle = b > 2 * a + 2 ? (uint64_t)(sqrt((double)a + 1) * sqrt((double)b)) : a + (b - a) / 2;
        g->point[g->n++].m = middle > a && middle < b ? middle : a + (b - a) / 2;
    }
}

static void refine(struct lower_grid *g)
{
    const uint64_t last = g->race->horizon - (uint64_t)g->race->arms;
    size_t done = 0;
    for (uint64_t m = 2; m<last; m = m> last / 4 ? last : 4 * m) g->point[g->n++].m = m;
    g->point[g->n++].m = last;
    for (int round = 0; round < ROUNDS && done < g->n; round++) {
        fill_points(g, done);
        done = g->n;
        double lack = 0, sum = lower_sum(g);
        for (size_t k = 0; k < g->n; k++) lack += block_lack(g, k);
        if (lack <= g->tolerance * sum) break;
        split_blocks(g, g->tolerance * sum / (1.5 * (double)g->n));
    }
}

static int copy_tail(struct mk_lower_tail *out, const struct lower_grid *g, struct mk_error *err)
{
    out->n = g->n;
    out->m = malloc(g->n * sizeof *out->m);
    out->tail = malloc(g->n * sizeof *out->tail);
    if (!out->m || !out->tail) {
        mk_lower_tail_clear(out);
        return mk_fail_memory(err, "the certificate");
    }
    for (size_t k = 0; k < g->n; k++) {
        out->m[k] = g->point[k].m;
        out->tail[k] = g->point[k].tail;
    }
    out->mean = lower_sum(g);
    out->path = mostly_path(g);
    return MK_OK;
}

int mk_lower_tail_new(struct mk_lower_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                      double tolerance, struct mk_error *err)
{
    struct lower_grid *g = calloc(1, sizeof *g);
    *out = (struct mk_lower_tail){0, NULL, NULL, 1, false};
    if (!g) return mk_fail_memory(err, "the certificate");
    if (race->horizon <= (uint64_t)race->arms) {
        free(g);
        return MK_OK;
    }
    *g = (struct lower_grid){.race = race, .arm = arm, .rank = rank, .tolerance = tolerance};
    mk_factor_limits(&g->limits, race, mk_lower_rare(race));
    g->threads = (size_t)omp_get_max_threads();
    g->work = calloc(g->threads, sizeof *g->work);
    int code = g->work ? MK_OK : mk_fail_memory(err, "the certificate");
    for (size_t k = 0; !code && k < g->threads; k++) code = mk_lower_work_new(&g->work[k], race->arms, err);
    for (size_t k = 0; !code && mk_path_applies(race) && k < g->threads; k++)
        code = mk_path_work_new(&g->work[k]->path, race, err);
    if (!code) refine(g);
    if (!code) code = copy_tail(out, g, err);
    for (size_t k = 0; g->work && k < g->threads; k++) mk_lower_work_free(g->work[k]);
    free(g->work);
    free(g);
    return code;
}

void mk_lower_tail_clear(struct mk_lower_tail *t)
{
    free(t->m);
    free(t->tail);
    *t = (struct mk_lower_tail){0, NULL, NULL, 0, false};
}
