#include "sim/store/store_quantiles.h"

#include <omp.h>
#include <stdlib.h>

#include "sim/base/statistics.h"

enum { GROUP_BYTES = 4 << 20, SORT_BYTES = 256 << 20 };

struct room { /* of one thread, [replications] each */
    uint64_t *key, *scratch;
    double *sorted;
};

struct mk_sorter {
    size_t n, arms, chunk_rows, cells;
    size_t rows; /* loaded, at most n */
    struct mk_slots *slots;
    struct mk_chunk *chunk; /* [cells][chunks][2] */
    uint64_t *pulls;        /* [cells][n][arms] */
    double *max_reward;     /* [cells][n] */
    int threads;
    struct room *room; /* [threads] */
};

size_t mk_sorter_bytes(uint64_t replications, size_t arms, int threads, size_t *cells, int *rooms)
{
    const size_t cell = (size_t)replications * (arms + 1) * sizeof(uint64_t);
    const size_t room = (size_t)replications * 3 * sizeof(uint64_t);
    size_t n = GROUP_BYTES * (size_t)threads / cell, m = SORT_BYTES / room;
    if (n < 1) n = 1;
    if (m < 1) m = 1;
    if (*cells > n) *cells = n;
    *rooms = m < (size_t)threads ? (int)m : threads;
    return *cells * cell + (size_t)*rooms * room;
}

struct mk_sorter *mk_sorter_new(uint64_t replications, size_t arms, uint64_t chunk_rows, struct mk_slots *slots,
                                size_t *cells)
{
    struct mk_sorter *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->n = (size_t)replications;
    s->arms = arms;
    s->chunk_rows = (size_t)chunk_rows;
    const size_t n_chunks = (s->n - 1) / s->chunk_rows + 1;
    mk_sorter_bytes(replications, arms, slots->threads, cells, &s->threads);
    s->cells = *cells;
    s->slots = slots;
    s->chunk = malloc(s->cells * n_chunks * 2 * sizeof *s->chunk);
    s->pulls = malloc(s->cells * s->n * arms * sizeof *s->pulls);
    s->max_reward = malloc(s->cells * s->n * sizeof *s->max_reward);
    s->room = calloc((size_t)s->threads, sizeof *s->room);
    bool good = s->chunk && s->pulls && s->max_reward && s->room;
    for (int i = 0; good && i < s->threads; i++) {
        s->room[i] = (struct room){malloc(s->n * sizeof(uint64_t)), malloc(s->n * sizeof(uint64_t)),
                                   malloc(s->n * sizeof(double))};
        good = s->room[i].key && s->room[i].scratch && s->room[i].sorted;
    }
    if (good) return s;
    mk_sorter_free(s);
    return NULL;
}

void mk_sorter_free(struct mk_sorter *s)
{
    if (!s) return;
    for (int i = 0; s->room && i < s->threads; i++) {
        free(s->room[i].key);
        free(s->room[i].scratch);
        free(s->room[i].sorted);
    }
    free(s->room);
    free(s->chunk);
    free(s->pulls);
    free(s->max_reward);
    free(s);
}

int mk_sorter_load(struct mk_sorter *s, const struct mk_stored_cell *cell, size_t n, uint64_t rows)
{
    s->rows = (size_t)rows;
    size_t chunks = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t row = 0; row < s->rows; row += s->chunk_rows) {
            const size_t left = s->rows - row, used = left < s->chunk_rows ? left : s->chunk_rows;
            const struct mk_chunk max = {cell[i].max_reward,
                                         {cell[i].instance, cell[i].horizon, row},
                                         s->chunk_rows,
                                         used,
                                         &s->max_reward[i * s->n + row]};
            s->chunk[chunks++] = max;
            if (cell[i].pulls < 0) continue;
            s->chunk[chunks] = max;
            s->chunk[chunks].dataset = cell[i].pulls;
            s->chunk[chunks].values *= s->arms;
            s->chunk[chunks].used *= s->arms;
            s->chunk[chunks++].at = &s->pulls[(i * s->n + row) * s->arms];
        }
    return mk_chunks_read(s->slots, s->chunk, chunks);
}

static const double *sort_maxima(const struct mk_sorter *s, struct room *r, size_t cell)
{
    for (size_t i = 0; i < s->rows; i++) r->key[i] = mk_ordered_bits(s->max_reward[cell * s->n + i]);
    mk_sort_bits(r->key, r->scratch, s->rows);
    for (size_t i = 0; i < s->rows; i++) r->sorted[i] = mk_ordered_value(r->key[i]);
    return r->sorted;
}

static const double *sort_pulls(const struct mk_sorter *s, struct room *r, size_t cell, size_t arm)
{
    for (size_t i = 0; i < s->rows; i++) r->key[i] = s->pulls[(cell * s->n + i) * s->arms + arm];
    mk_sort_bits(r->key, r->scratch, s->rows);
    for (size_t i = 0; i < s->rows; i++) r->sorted[i] = (double)r->key[i];
    return r->sorted;
}

const double *mk_sorter_maxima(struct mk_sorter *s, size_t i)
{
    return sort_maxima(s, &s->room[0], i);
}

void mk_sorter_quantiles(struct mk_sorter *s, struct mk_cell *const *cell, size_t n, double q, double *at_q)
{
    const size_t columns = s->arms + 1; /* the arms' pulls, the maxima */
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1) if (n * columns * s->rows >= MK_MANY_VALUES)
    for (size_t c = 0; c < n * columns; c++) {
        struct room *r = &s->room[omp_get_thread_num()];
        const size_t i = c / columns, arm = c % columns;
        const int of_max = arm == s->arms;
        const double *sorted = of_max ? sort_maxima(s, r, i) : sort_pulls(s, r, i, arm);
        for (size_t j = 0; j < MK_QUANTILES; j++)
            *(of_max ? &cell[i]->quantile_max[j] : &cell[i]->quantile_pulls[j * s->arms + arm]) =
                mk_quantile_sorted(sorted, s->rows, mk_quantile_levels[j]);
        if (of_max) at_q[i] = mk_quantile_sorted(sorted, s->rows, q);
    }
}
