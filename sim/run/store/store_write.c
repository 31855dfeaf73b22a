/* The writer of result files.
 *
 * Units come in the order of instances, so only one instance is open at a time: its moments (and with keep: summary its
 * histograms) are accumulated as blocks come in, and its part of every dataset is written when its last replication has
 * arrived. Cells (entry, horizon) are independent of each other and each sees its replications in order, so the result
 * is the same for any number of threads and any block size; pulls and max_reward are regrouped into whole chunks, so
 * that even the layout of the file is the same. With keep: pulls quantiles come from the stored values, a few cells in
 * memory at a time. Chunks are packed and cells sorted by several threads; only the calling one enters HDF5. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/table/table.h"
#include "sim/problem/hdf5_file.h"
#include "sim/run/experiment/combined_search.h"
#include "sim/run/store/store_util.h"

/* ---- quantiles over replications from the stored pulls and maxima, a group of cells at a time, by several threads
 * ---- */

enum { GROUP_BYTES = 4 << 20, SORT_BYTES = 256 << 20 };

/* Where the values of a cell are: datasets [instance][horizon][replication][arm] and [instance][horizon][replication]
 * in chunks of one instance and horizon, chunk_rows replications and all arms. pulls < 0: maxima alone. */
struct stored_cell {
    hid_t pulls, max_reward;
    hsize_t instance, horizon;
};

struct sorter {
    size_t n, arms, chunk_rows, cells;
    size_t rows; /* loaded, at most n */
    struct mk_slots *slots;
    struct mk_chunk *chunk; /* [cells][chunks][2] */
    uint64_t *pulls;        /* [cells][n][arms] */
    double *max_reward;     /* [cells][n] */
    int threads;
    uint64_t *key;  /* [threads][2][n] values to be sorted, and room for sorting them */
    double *sorted; /* [threads][n] */
};

/* Approximate bytes: 8 for every value of the cells loaded at a time (4 MiB per thread, or one cell; at most *cells),
 * and 24 for every replication and sorting thread (*rooms: at most `threads`, 256 MiB in total or one). */
static size_t sorter_bytes(uint64_t replications, size_t arms, int threads, size_t *cells, int *rooms)
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

static void sorter_free(struct sorter *s)
{
    if (!s) return;
    free(s->key);
    free(s->sorted);
    free(s->chunk);
    free(s->pulls);
    free(s->max_reward);
    free(s);
}

/* *cells: the number of cells; on return the number loaded at a time, >= 1. slots must outlive it. NULL: out of
 * memory. */
static struct sorter *sorter_new(uint64_t replications, size_t arms, uint64_t chunk_rows, struct mk_slots *slots,
                                 size_t *cells)
{
    struct sorter *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->n = (size_t)replications;
    s->arms = arms;
    s->chunk_rows = (size_t)chunk_rows;
    const size_t n_chunks = (s->n - 1) / s->chunk_rows + 1;
    sorter_bytes(replications, arms, slots->threads, cells, &s->threads);
    s->cells = *cells;
    s->slots = slots;
    s->chunk = malloc(s->cells * n_chunks * 2 * sizeof *s->chunk);
    s->pulls = malloc(s->cells * s->n * arms * sizeof *s->pulls);
    s->max_reward = malloc(s->cells * s->n * sizeof *s->max_reward);
    s->key = malloc((size_t)s->threads * 2 * s->n * sizeof *s->key);
    s->sorted = malloc((size_t)s->threads * s->n * sizeof *s->sorted);
    if (s->chunk && s->pulls && s->max_reward && s->key && s->sorted) return s;
    sorter_free(s);
    return NULL;
}

/* Reads the first `rows` replications of n <= *cells cells. < 0: failed. */
static int sorter_load(struct sorter *s, const struct stored_cell *cell, size_t n, uint64_t rows)
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

/* The pulls of an arm in a loaded cell, or its maxima (arm == s->arms), in ascending order, [rows]; valid until the
 * thread sorts again. */
static const double *sort_values(const struct sorter *s, int thread, size_t cell, size_t arm)
{
    uint64_t *key = s->key + (size_t)thread * 2 * s->n;
    double *sorted = s->sorted + (size_t)thread * s->n;
    const bool of_max = arm == s->arms;
    for (size_t i = 0, at = cell * s->n; i < s->rows; i++, at++)
        key[i] = of_max ? mk_ordered_bits(s->max_reward[at]) : s->pulls[at * s->arms + arm];
    mk_sort_bits(key, key + s->n, s->rows);
    for (size_t i = 0; i < s->rows; i++) sorted[i] = of_max ? mk_ordered_value(key[i]) : (double)key[i];
    return sorted;
}

/* Fills in, of the n loaded cells, quantile_pulls and quantile_max at mk_quantile_levels, and at_q[i]: Q_q of the
 * maxima. */
static void sorter_quantiles(struct sorter *s, struct mk_cell *const *cell, size_t n, double q, double *at_q)
{
    const size_t columns = s->arms + 1; /* the arms' pulls, the maxima */
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1) if (n * columns * s->rows >= MK_MANY_VALUES)
    for (size_t c = 0; c < n * columns; c++) {
        const size_t i = c / columns, arm = c % columns;
        const int of_max = arm == s->arms;
        const double *sorted = sort_values(s, omp_get_thread_num(), i, arm);
        for (size_t j = 0; j < MK_QUANTILES; j++)
            *(of_max ? &cell[i]->quantile_max[j] : &cell[i]->quantile_pulls[j * s->arms + arm]) =
                mk_quantile_sorted(sorted, s->rows, mk_quantile_levels[j]);
        if (of_max) at_q[i] = mk_quantile_sorted(sorted, s->rows, q);
    }
}

/* ---- the writer ---- */

enum {
    CHUNK_VALUES = 32768,      /* of one chunk of pulls, about */
    BUFFERED_VALUES = 8388608, /* of all open chunks, at most (but MIN_ROWS each) */
    MIN_ROWS = 64
};

/* Accumulated for one (entry, horizon) of the open instance. */
struct tally {
    struct mk_count_moments *pulls; /* [arm] */
    struct mk_real_moments max;
    uint64_t locked_out, repeated;
    struct mk_histogram *pulls_bins; /* [arm], keep: summary */
    struct mk_histogram max_bins;
};

struct policy_out {
    hid_t raw[MK_RAW_FIELDS], summary[MK_SUMMARY_FIELDS];
    struct mk_bins_out bins; /* keep: summary */
    hid_t group;
};

struct mk_writer {
    const struct mk_experiment *e;
    const struct mk_truth *truth;
    struct mk_atomic_file place;
    hid_t file;
    struct mk_dimensions axes;
    struct mk_scale_uses uses[MK_DIMENSIONS]; /* axes.uses; those of bins: of the policy being created */
    size_t n_policies, n_instances, n_horizons, n_arms;
    uint64_t replications, next_unit;
    int keep_pulls, threads;
    bool has_raw[MK_RAW_FIELDS];
    size_t n_summary;          /* fields of the summary */
    struct policy_out *policy; /* [entry] */
    struct tally *tally;       /* [entry][horizon] */
    size_t oracle;             /* entry, n_policies: none */
    uint64_t chunk_rows;
    uint64_t *row_pulls;             /* [entry][horizon][chunk_rows][arm] */
    double *row_real[MK_RAW_FIELDS]; /* [entry][horizon][chunk_rows] of the other fields, or NULL */
    struct mk_chunk *chunk;          /* [entry][horizon][fields that there are], the open ones */
    struct mk_slots slots;
    struct sorter *sorter;
    size_t n_cells;             /* finished at a time */
    struct mk_cell **cell;      /* [n_cells] */
    double *at_q;               /* [n_cells], Q_q of the maxima */
    struct stored_cell *stored; /* [n_cells], keep: pulls */
};

/* `PATH: write failed: …` with errno's text when it is about storage (callers clear errno first), else `what`.
 * MK_EIO. */
static int write_failed(struct mk_error *err, const char *path, const char *what)
{
    switch (errno) { /* HDF5 leaves errno of write(2); others are by-products */
    case ENOSPC:
    case EFBIG:
    case EDQUOT:
    case EROFS:
    case EIO: what = strerror(errno); break;
    default: break;
    }
    return mk_fail(err, MK_EIO, "%s: write failed: %s", path, what);
}

/* ---- opening ---- */

/* Rows of a chunk: a function of the experiment's sizes only. */
static uint64_t chunk_rows(const struct mk_experiment *e)
{
    uint64_t rows = CHUNK_VALUES / e->problem->n_arms;
    uint64_t most = BUFFERED_VALUES / (e->n_entries * e->n_horizons * (e->problem->n_arms + 1));
    if (rows > most) rows = most;
    if (rows < MIN_ROWS) rows = MIN_ROWS;
    return rows < e->replications ? rows : e->replications;
}

double mk_writer_rows_bytes(const struct mk_experiment *e, int threads)
{
    const size_t arms = e->problem->n_arms, rows = (size_t)chunk_rows(e);
    size_t cells = e->n_entries * e->n_horizons, slots;
    int rooms;
    const double gathered = (double)cells * (double)rows * (double)(arms + 1) * sizeof(uint64_t);
    return gathered + (double)mk_slots_bytes(rows * arms, threads, &slots) +
           (double)sorter_bytes(e->replications, arms, threads, &cells, &rooms);
}

/* Memory for keep: pulls. */
static int allocate_rows(struct mk_writer *w, size_t cells)
{
    w->chunk_rows = chunk_rows(w->e);
    w->row_pulls = calloc(cells * w->chunk_rows * w->n_arms, sizeof *w->row_pulls);
    w->chunk = calloc(cells * MK_RAW_FIELDS, sizeof *w->chunk);
    if (!w->row_pulls || !w->chunk) return -1;
    for (size_t f = MK_FIELD_MAX_REWARD; f < MK_RAW_FIELDS; f++)
        if (w->has_raw[f] && !(w->row_real[f] = calloc(cells * w->chunk_rows, sizeof *w->row_real[f]))) return -1;
    if (mk_slots_new(&w->slots, (size_t)w->chunk_rows * w->n_arms, w->threads)) return -1;
    w->n_cells = cells;
    w->sorter = sorter_new(w->replications, w->n_arms, w->chunk_rows, &w->slots, &w->n_cells);
    w->stored = calloc(w->n_cells, sizeof *w->stored);
    return w->sorter && w->stored ? 0 : -1;
}

static int allocate(struct mk_writer *w)
{
    size_t cells = w->n_policies * w->n_horizons;
    w->policy = calloc(w->n_policies, sizeof *w->policy);
    w->tally = calloc(cells, sizeof *w->tally);
    if (!w->policy || !w->tally) return -1;
    for (size_t c = 0; c < cells; c++) {
        if (!(w->tally[c].pulls = calloc(w->n_arms, sizeof *w->tally[c].pulls))) return -1;
        if (w->keep_pulls) continue;
        if (!(w->tally[c].pulls_bins = calloc(w->n_arms, sizeof *w->tally[c].pulls_bins))) return -1;
        for (size_t k = 0; k < w->n_arms; k++) mk_histogram_init(&w->tally[c].pulls_bins[k], 1);
        mk_histogram_init(&w->tally[c].max_bins, 0);
    }
    w->n_cells = 1;
    if (w->keep_pulls && allocate_rows(w, cells)) return -1;
    w->cell = calloc(w->n_cells, sizeof *w->cell);
    w->at_q = calloc(w->n_cells, sizeof *w->at_q);
    if (!w->cell || !w->at_q) return -1;
    for (size_t i = 0; i < w->n_cells; i++) {
        if (!(w->cell[i] = mk_cell_new(w->n_arms, MK_QUANTILES))) return -1;
    }
    return 0;
}

/* Latest common format: object headers and chunk indices carry checksums, and attributes (the scales' lists of datasets
 * to which they are attached) may exceed 64 KiB. Readable from HDF5 1.10 on. */
static int create_file(struct mk_writer *w)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    if (access >= 0 && create >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_obj_track_times(create, 0) >= 0)
        w->file = H5Fcreate(w->place.temp, H5F_ACC_TRUNC, create, access);
    mk_h5_close(&create);
    mk_h5_close(&access);
    return w->file <= 0 ? -1 : 0;
}

static int create_summary(struct mk_writer *w, hid_t group, hid_t *summary)
{
    for (size_t i = 0; i < w->n_summary; i++)
        if ((summary[i] = mk_h5_create(group, &mk_summary_fields[i], &w->axes, NULL, 0)) < 0) return -1;
    return 0;
}

static int create_raw(struct mk_writer *w, hid_t group, hid_t *raw)
{
    const hsize_t chunk[] = {1, 1, w->chunk_rows, w->n_arms};
    for (size_t i = 0; i < MK_RAW_FIELDS; i++)
        if (w->has_raw[i] && (raw[i] = mk_h5_create(group, &mk_raw_fields[i], &w->axes, chunk, 0)) < 0) return -1;
    return 0;
}

static int create_policy(struct mk_writer *w, hid_t policies, size_t p, const char *engine)
{
    struct policy_out *out = &w->policy[p];
    if (mk_layout_policy(policies, &w->e->entry[p], (int64_t)p, engine, &out->group)) return -1;
    hid_t summary = mk_h5_group(out->group, "summary");
    int status = summary < 0 || mk_h5_link(out->group, &w->axes, "ihra") || mk_h5_link(summary, &w->axes, "ihaq") ||
                         create_summary(w, summary, out->summary)
                     ? -1
                     : 0;
    if (!status)
        status = w->keep_pulls ? create_raw(w, out->group, out->raw) : mk_bins_create(&out->bins, summary, &w->axes);
    mk_h5_close(&summary);
    return status;
}

static int create_policies(struct mk_writer *w, const char *const *engine, struct mk_error *err)
{
    hid_t policies = mk_h5_group(w->file, "policies");
    int code = MK_OK;
    if (policies < 0) code = write_failed(err, w->place.path, "the group of policies could not be created");
    for (size_t p = 0; !code && p < w->n_policies; p++) {
        char what[256];
        snprintf(what, sizeof what, "policy '%.100s' could not be created", w->e->entry[p].label);
        if (create_policy(w, policies, p, engine[p])) code = write_failed(err, w->place.path, what);
    }
    mk_h5_close(&policies);
    return code;
}

int mk_writer_open(struct mk_writer **out, const char *path, const struct mk_experiment *e, const struct mk_truth *f,
                   const char *const *engine, int threads, struct mk_error *err)
{
    struct mk_writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w) return mk_fail_memory(err, "the writer");
    mk_h5_start();
    w->axes.uses = w->uses;
    w->e = e;
    w->truth = f;
    w->n_policies = e->n_entries;
    w->n_instances = e->problem->n_instances;
    w->n_horizons = e->n_horizons;
    w->n_arms = e->problem->n_arms;
    w->replications = e->replications;
    w->keep_pulls = e->keep == MK_KEEP_PULLS;
    w->has_raw[MK_FIELD_PULLS] = w->has_raw[MK_FIELD_MAX_REWARD] = true;
    w->has_raw[MK_FIELD_COST] = mk_problem_in_part(e->problem) || e->problem->by_cost;
    w->has_raw[MK_FIELD_INCUMBENT] = mk_problem_has_incumbents(e->problem);
    w->n_summary = mk_problem_repeats(e->problem) ? MK_SUMMARY_FIELDS : MK_FIELD_MEAN_REPEATED;
    w->threads = threads;
    for (w->oracle = 0; w->oracle < e->n_entries; w->oracle++)
        if (e->entry[w->oracle].type->flags & MK_POLICY_ORACLE) break;
    int code = mk_atomic_file_begin(&w->place, path, err);
    if (!code && allocate(w)) code = mk_fail_memory(err, "the writer");
    errno = 0;
    if (!code && (create_file(w) || mk_layout_file(w->file, e, f, engine, &w->axes)))
        code = write_failed(err, path, "the file could not be created");
    if (!code) code = create_policies(w, engine, err);
    if (code)
        mk_writer_free(w);
    else
        *out = w;
    return code;
}

/* ---- accumulating ---- */

/* `n` units of a block from position `from`, all of one instance. */
struct stretch {
    const struct mk_block *block;
    uint64_t from, n, instance, row; /* row: replication of the first */
};

static uint64_t own_replications(const struct mk_writer *w, size_t instance)
{
    return mk_problem_replications(w->e->problem, instance, w->replications);
}

static uint64_t sum_of(const uint64_t *pulls, size_t arms)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < arms; k++) sum += pulls[k];
    return sum;
}

/* Adds a stretch to the cell (p, h); returns 0 or MK_ENOMEM. */
static int tally_cell(struct mk_writer *w, size_t p, size_t h, const struct stretch *s)
{
    struct tally *t = &w->tally[p * w->n_horizons + h];
    uint64_t first = (p * w->n_horizons + h) * s->block->n_units + s->from, horizon = w->e->horizon[h];
    const bool by_cost = w->e->problem->by_cost;
    const uint64_t own = own_replications(w, (size_t)s->instance);
    const uint64_t end = s->row >= own ? first : first + (own - s->row < s->n ? own - s->row : s->n);
    size_t best = mk_truth_best(w->truth, s->instance, h);
    for (uint64_t u = first; u < end; u++) {
        const uint64_t *pulls = &s->block->pulls[u * w->n_arms];
        double max = s->block->max_reward[u];
        for (size_t k = 0; k < w->n_arms; k++) {
            mk_count_moments_add(&t->pulls[k], pulls[k]);
            if (t->pulls_bins && mk_histogram_add(&t->pulls_bins[k], (double)pulls[k])) return MK_ENOMEM;
        }
        mk_real_moments_add(&t->max, max);
        if (t->pulls_bins && mk_histogram_add(&t->max_bins, max)) return MK_ENOMEM;
        if (by_cost) horizon = sum_of(pulls, w->n_arms);
        t->locked_out += pulls[best] < horizon / 2 + horizon % 2; /* 2 N < T */
        if (w->n_summary > MK_FIELD_MEAN_REPEATED && !mk_is_combined_search(w->e->entry[p].type))
            t->repeated += mk_problem_repeated(w->e->problem, (size_t)s->instance, s->row + (u - first), pulls);
    }
    return MK_OK;
}

static int tally_stretch(struct mk_writer *w, const struct stretch *s)
{
    size_t cells = w->n_policies * w->n_horizons;
    int failed = 0;
    /* An instance may have one replication, and there may be a million of them. */
#pragma omp parallel for num_threads(w->threads) schedule(static)                                                      \
    reduction(|                                                                                                        \
              : failed) if (cells * s->n * w->n_arms >= MK_MANY_VALUES)
    for (size_t c = 0; c < cells; c++) failed |= tally_cell(w, c / w->n_horizons, c % w->n_horizons, s) != 0;
    return failed;
}

static void reset_tallies(struct mk_writer *w)
{
    for (size_t c = 0; c < w->n_policies * w->n_horizons; c++) {
        struct tally *t = &w->tally[c];
        memset(t->pulls, 0, w->n_arms * sizeof *t->pulls);
        memset(&t->max, 0, sizeof t->max);
        t->locked_out = t->repeated = 0;
        if (!t->pulls_bins) continue;
        for (size_t k = 0; k < w->n_arms; k++) mk_histogram_clear(&t->pulls_bins[k]);
        mk_histogram_clear(&t->max_bins);
    }
}

/* ---- raw values ---- */

/* Writes the open chunk of every cell, rows of the instance up to `end` (exclusive); the rest is filled up. */
static int flush_rows(struct mk_writer *w, uint64_t instance, uint64_t end)
{
    const size_t cells = w->n_policies * w->n_horizons, room = (size_t)w->chunk_rows;
    const size_t rows = (size_t)((end - 1) % w->chunk_rows + 1);
    size_t n = 0;
    for (size_t c = 0; c < cells; c++) {
        uint64_t *pulls = &w->row_pulls[c * room * w->n_arms];
        const hsize_t offset[] = {instance, c % w->n_horizons, end - rows};
        memset(pulls + rows * w->n_arms, 0, (room - rows) * w->n_arms * sizeof *pulls);
        for (size_t f = 0; f < MK_RAW_FIELDS; f++) {
            if (!w->has_raw[f]) continue;
            struct mk_chunk *chunk = &w->chunk[n++];
            double *real = w->row_real[f] ? &w->row_real[f][c * room] : NULL;
            for (size_t i = rows; real && i < room; i++) real[i] = NAN;
            *chunk = real ? (struct mk_chunk){.values = room, .at = real}
                          : (struct mk_chunk){.values = room * w->n_arms, .at = pulls};
            chunk->dataset = w->policy[c / w->n_horizons].raw[f];
            memcpy(chunk->offset, offset, sizeof offset);
        }
    }
    return mk_chunks_write(&w->slots, w->chunk, n);
}

/* What unit `from` of a block cost in cell c, or what its configuration with the largest reward is worth
 * (MK_FIELD_INCUMBENT). */
static double cost_or_incumbent(const struct mk_writer *w, const struct stretch *s, size_t field, size_t c,
                                uint64_t from, uint64_t replication)
{
    const struct mk_policy_entry *entry = &w->e->entry[c / w->n_horizons];
    const bool is_cost = field == MK_FIELD_COST;
    if (entry->type == &mk_combined_search_live || mk_is_combined_search(entry->type))
        return (is_cost ? mk_problem_combined_spent : mk_problem_combined_incumbent)(
            w->e->problem, (size_t)s->instance, replication, (size_t)entry->par[0], w->e->horizon[c % w->n_horizons]);
    return (is_cost ? mk_problem_spent : mk_problem_incumbent)(w->e->problem, (size_t)s->instance, replication,
                                                               &s->block->pulls[from * w->n_arms]);
}

static int store_rows(struct mk_writer *w, const struct stretch *s)
{
    for (uint64_t done = 0, take; done < s->n; done += take) {
        uint64_t row = s->row + done, slot = row % w->chunk_rows;
        take = s->n - done < w->chunk_rows - slot ? s->n - done : w->chunk_rows - slot;
        for (size_t c = 0; c < w->n_policies * w->n_horizons; c++) {
            uint64_t to = c * w->chunk_rows + slot, from = c * s->block->n_units + s->from + done;
            memcpy(&w->row_pulls[to * w->n_arms], &s->block->pulls[from * w->n_arms],
                   take * w->n_arms * sizeof *w->row_pulls);
            memcpy(&w->row_real[MK_FIELD_MAX_REWARD][to], &s->block->max_reward[from], take * sizeof(double));
            for (size_t f = MK_FIELD_COST; f < MK_RAW_FIELDS; f++)
                for (uint64_t i = 0; w->has_raw[f] && i < take; i++)
                    w->row_real[f][to + i] = cost_or_incumbent(w, s, f, c, from + i, row + i);
        }
        uint64_t end = row + take;
        if ((end % w->chunk_rows == 0 || end == w->replications) && flush_rows(w, s->instance, end)) return -1;
    }
    return 0;
}

/* ---- finishing an instance ---- */

static bool has_arm(const struct mk_writer *w, size_t instance, size_t arm)
{
    const struct mk_instance *in = &w->e->problem->instance[instance];
    if (in->n_arms == w->n_arms) return true; /* of 10^5 arms a search for each would take seconds */
    for (size_t k = 0; k < in->n_arms; k++)
        if (in->arm[k] == arm) return true;
    return false;
}

/* q of PER(T): the share of the oracle's maxima at the largest horizon that are at most their mean; and Q_q of them. */
static int oracle_reference(struct mk_writer *w, size_t instance, double *q, double *value)
{
    size_t h = w->n_horizons - 1;
    const struct tally *t = &w->tally[w->oracle * w->n_horizons + h];
    double mean = mk_real_moments_mean(&t->max);
    if (w->keep_pulls) {
        const struct stored_cell stored = {-1, w->policy[w->oracle].raw[MK_FIELD_MAX_REWARD], instance, h};
        if (sorter_load(w->sorter, &stored, 1, own_replications(w, instance))) return -1;
        const double *sorted = sort_values(w->sorter, 0, 0, w->n_arms);
        *q = mk_share_sorted(sorted, (size_t)own_replications(w, instance), mean);
        *value = mk_quantile_sorted(sorted, (size_t)own_replications(w, instance), *q);
    } else {
        *q = mk_histogram_share(&t->max_bins, mean);
        *value = mk_histogram_quantile(&t->max_bins, *q);
    }
    return 0;
}

/* Fills the quantiles of w->cell[0 ... n-1], cells from `first` on, and w->at_q. */
static int cell_quantiles(struct mk_writer *w, size_t instance, size_t first, size_t n, double q)
{
    const double *level = mk_quantile_levels;
    if (w->keep_pulls) {
        for (size_t i = 0; i < n; i++) {
            const hid_t *raw = w->policy[(first + i) / w->n_horizons].raw;
            w->stored[i] = (struct stored_cell){raw[MK_FIELD_PULLS], raw[MK_FIELD_MAX_REWARD], instance,
                                                (first + i) % w->n_horizons};
        }
        if (sorter_load(w->sorter, w->stored, n, own_replications(w, instance))) return -1;
        sorter_quantiles(w->sorter, w->cell, n, q, w->at_q);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct tally *t = &w->tally[first + i];
        struct mk_cell *c = w->cell[i];
        for (size_t j = 0; j < MK_QUANTILES; j++) {
            for (size_t k = 0; k < w->n_arms; k++)
                c->quantile_pulls[j * w->n_arms + k] = mk_histogram_quantile(&t->pulls_bins[k], level[j]);
            c->quantile_max[j] = mk_histogram_quantile(&t->max_bins, level[j]);
        }
        w->at_q[i] = mk_histogram_quantile(&t->max_bins, q);
    }
    return 0;
}

static void cell_moments(const struct mk_writer *w, size_t p, size_t instance, size_t h, struct mk_cell *c)
{
    const struct tally *t = &w->tally[p * w->n_horizons + h];
    for (size_t k = 0; k < w->n_arms; k++) {
        c->mean_pulls[k] = mk_count_moments_mean(&t->pulls[k]);
        c->se_pulls[k] = mk_spread_error(&t->pulls[k].spread);
    }
    c->mean_max = mk_real_moments_mean(&t->max);
    c->se_max = mk_spread_error(&t->max.spread);
    const double own = mk_is_combined_search(w->e->entry[p].type) ? NAN : (double)own_replications(w, instance);
    c->lock_out_share = (double)t->locked_out / own;
    c->mean_repeated = (double)t->repeated / own;
}

/* Arms that the instance lacks have no statistics. */
static void blank_missing_arms(const struct mk_writer *w, size_t instance, struct mk_cell *c)
{
    for (size_t k = 0; k < w->n_arms; k++) {
        if (has_arm(w, instance, k)) continue;
        c->mean_pulls[k] = c->se_pulls[k] = NAN;
        for (size_t j = 0; j < MK_QUANTILES; j++) c->quantile_pulls[j * w->n_arms + k] = NAN;
    }
}

static int write_cell(struct mk_writer *w, size_t p, size_t instance, size_t h, const struct mk_cell *c)
{
    const void *const values[MK_SUMMARY_FIELDS] = {c->mean_pulls,      c->se_pulls,       &c->mean_max,
                                                   &c->se_max,         c->quantile_pulls, c->quantile_max,
                                                   &c->lock_out_share, &c->proxy_regret,  &c->mean_repeated};
    const struct mk_dataset_cell cell = {instance, h};
    for (size_t i = 0; i < w->n_summary; i++)
        if (mk_h5_write(w->policy[p].summary[i], &mk_summary_fields[i], &w->axes, &cell, values[i])) return -1;
    return 0;
}

static int write_bins(struct mk_writer *w, size_t p, size_t instance, size_t h)
{
    struct tally *t = &w->tally[p * w->n_horizons + h];
    const struct mk_dataset_cell cell = {instance, h};
    for (size_t k = 0; k < w->n_arms; k++)
        if (!has_arm(w, instance, k)) mk_histogram_clear(&t->pulls_bins[k]);
    return mk_bins_write(&w->policy[p].bins, &w->axes, &cell, t->pulls_bins, w->n_arms, &t->max_bins);
}

static void seal(struct mk_writer *w)
{
    for (size_t c = 0; c < w->n_policies * w->n_horizons; c++) {
        for (size_t k = 0; k < w->n_arms; k++) mk_histogram_seal(&w->tally[c].pulls_bins[k]);
        mk_histogram_seal(&w->tally[c].max_bins);
    }
}

static int finish_instance(struct mk_writer *w, size_t instance)
{
    const size_t cells = w->n_policies * w->n_horizons;
    double q = NAN, oracle = NAN;
    bool known = w->oracle < w->n_policies;
    if (!w->keep_pulls) seal(w);
    if (known && oracle_reference(w, instance, &q, &oracle)) return -1;
    for (size_t first = 0, n; first < cells; first += n) {
        n = cells - first < w->n_cells ? cells - first : w->n_cells;
        if (cell_quantiles(w, instance, first, n, known ? q : 0)) return -1;
        for (size_t i = 0; i < n; i++) {
            const size_t p = (first + i) / w->n_horizons, h = (first + i) % w->n_horizons;
            cell_moments(w, p, instance, h, w->cell[i]);
            w->cell[i]->proxy_regret = known ? mk_proxy_regret(oracle, w->at_q[i]) : NAN;
            blank_missing_arms(w, instance, w->cell[i]);
            if (write_cell(w, p, instance, h, w->cell[i])) return -1;
            if (!w->keep_pulls && write_bins(w, p, instance, h)) return -1;
        }
    }
    reset_tallies(w);
    return 0;
}

/* ---- the trials of a study: /trials, with the column `trial` as a scale ---- */

/* Creates the dataset of a column and writes it. scale: the dataset, which stays open; NULL: it is closed. */
static int put_column(hid_t group, const struct mk_dimensions *axes, const struct mk_table *t, size_t column,
                      hid_t *scale)
{
    static const enum mk_field_kind kinds[] = {
        [MK_COLUMN_TEXT] = MK_KIND_TEXT, [MK_COLUMN_COUNT] = MK_KIND_COUNT, [MK_COLUMN_REAL] = MK_KIND_REAL};
    const struct mk_column *c = mk_table_column(t, column);
    const struct mk_field field = {c->name, "t", kinds[c->type], *c->unit ? c->unit : "1", c->about};
    const void *values = c->type == MK_COLUMN_TEXT    ? (const void *)mk_table_texts(t, column)
                         : c->type == MK_COLUMN_COUNT ? (const void *)mk_table_counts(t, column)
                                                      : (const void *)mk_table_reals(t, column);
    if (!scale) return mk_h5_put(group, &field, axes, values);
    *scale = mk_h5_create(group, &field, axes, NULL, 0);
    return *scale < 0 ? -1 : mk_h5_write(*scale, &field, axes, NULL, values);
}

static int store_trials(hid_t file, const struct mk_table *t)
{
    struct mk_scale_uses uses[MK_DIMENSIONS] = {{0}};
    struct mk_dimensions axes = {.size = {[MK_DIMENSION_TRIAL] = mk_table_rows(t)}, .uses = uses};
    const size_t trial = mk_table_find(t, "trial");
    hid_t group = mk_h5_group(file, "trials"), *scale = &axes.scale[MK_DIMENSION_TRIAL];
    int status = group < 0 ? -1 : put_column(group, &axes, t, trial, scale);
    for (size_t i = 0; i < mk_table_columns(t) && !status; i++)
        if (i != trial) status = put_column(group, &axes, t, i, NULL);
    if (!status) status = mk_h5_put_uses(&axes, MK_DIMENSION_TRIAL, MK_DIMENSIONS);
    mk_h5_close(scale);
    mk_h5_close(&group);
    mk_h5_free_uses(uses);
    return status;
}

/* ---- blocks and the end ---- */

int mk_writer_block(struct mk_writer *w, const struct mk_block *b, struct mk_error *err)
{
    uint64_t all = w->n_instances * w->replications;
    if (b->first_unit != w->next_unit || b->n_units > all - w->next_unit)
        return mk_fail(err, MK_EFAIL, "%s: block of units out of order", w->place.path);
    errno = 0;
    for (uint64_t done = 0; done < b->n_units;) {
        struct stretch s = {b, done, 0, w->next_unit / w->replications, w->next_unit % w->replications};
        s.n = w->replications - s.row;
        if (s.n > b->n_units - done) s.n = b->n_units - done;
        if (tally_stretch(w, &s)) return mk_fail_memory(err, "histograms");
        if (w->keep_pulls && store_rows(w, &s)) return write_failed(err, w->place.path, "HDF5 error");
        done += s.n;
        w->next_unit += s.n;
        if (s.row + s.n == w->replications && finish_instance(w, (size_t)s.instance))
            return write_failed(err, w->place.path, "HDF5 error");
    }
    return MK_OK;
}

int mk_writer_rare(struct mk_writer *w, size_t entry, const struct mk_rare *r, struct mk_error *err)
{
    errno = 0;
    return mk_rare_store(w->policy[entry].group, &w->axes, r) ? write_failed(err, w->place.path, "HDF5 error") : MK_OK;
}

int mk_writer_trials(struct mk_writer *w, const struct mk_table *trials, struct mk_error *err)
{
    errno = 0;
    return store_trials(w->file, trials) ? write_failed(err, w->place.path, "HDF5 error") : MK_OK;
}

static int close_datasets(struct mk_writer *w)
{
    int failed = 0;
    for (size_t p = 0; w->policy && p < w->n_policies; p++) {
        struct policy_out *out = &w->policy[p];
        for (size_t i = 0; i < MK_RAW_FIELDS; i++) failed |= mk_h5_close(&out->raw[i]);
        for (size_t i = 0; i < MK_SUMMARY_FIELDS; i++) failed |= mk_h5_close(&out->summary[i]);
        for (size_t s = 0; s < 2; s++)
            for (size_t i = 0; i < MK_HISTOGRAM_FIELDS; i++) failed |= mk_h5_close(&out->bins.id[s][i]);
        failed |= mk_h5_close(&out->group);
    }
    for (size_t i = 0; i < MK_DIMENSION_COORDS; i++) failed |= mk_h5_close(&w->axes.scale[i]);
    return failed;
}

int mk_writer_commit(struct mk_writer *w, const struct mk_volatile *v, struct mk_error *err)
{
    if (w->next_unit != w->n_instances * w->replications)
        return mk_fail(err, MK_EFAIL, "%s: units are missing at the end of the run", w->place.path);
    errno = 0;
    if (mk_layout_volatile(w->file, v) || mk_h5_put_uses(&w->axes, 0, MK_DIMENSION_COORDS) || mk_hdf5_sync(w->file) ||
        close_datasets(w))
        return write_failed(err, w->place.path, "HDF5 error");
    herr_t closed = H5Fclose(w->file);
    w->file = -1; /* gone even if closing failed */
    if (closed < 0) return write_failed(err, w->place.path, "HDF5 error");
    return mk_atomic_file_commit(&w->place, err);
}

void mk_writer_free(struct mk_writer *w)
{
    if (!w) return;
    mk_hdf5_abandon(w->file);
    close_datasets(w);
    mk_h5_close(&w->file);
    mk_atomic_file_drop(&w->place);
    for (size_t c = 0; w->tally && c < w->n_policies * w->n_horizons; c++) {
        struct tally *t = &w->tally[c];
        for (size_t k = 0; t->pulls_bins && k < w->n_arms; k++) mk_histogram_free(&t->pulls_bins[k]);
        mk_histogram_free(&t->max_bins);
        free(t->pulls_bins);
        free(t->pulls);
    }
    free(w->tally);
    free(w->policy);
    mk_h5_free_uses(w->uses);
    for (size_t i = 0; w->cell && i < w->n_cells; i++) mk_cell_free(w->cell[i]);
    free(w->cell);
    free(w->at_q);
    free(w->stored);
    free(w->row_pulls);
    for (size_t f = 0; f < MK_RAW_FIELDS; f++) free(w->row_real[f]);
    free(w->chunk);
    mk_slots_free(&w->slots);
    sorter_free(w->sorter);
    free(w);
}
