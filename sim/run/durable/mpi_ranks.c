#include "sim/run/durable/mpi_ranks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/run/engine/run.h"

static bool started_by_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

#ifndef MAXK_MPI

int mk_mpi_start(struct mk_mpi *r, struct mk_error *err)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    *r = (struct mk_mpi){0, 1, 1, 0};
    if (started_by_launcher() && size && strtol(size, NULL, 10) > 1)
        return mk_fail(err, MK_EINPUT, "mpirun: this maxk was built without MPI; build it with `make MPI=1`");
    return MK_OK;
}

int mk_mpi_agree(struct mk_mpi *r, int code, struct mk_error *err)
{
    (void)r;
    (void)err;
    return code;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): with MPI it is written */
void mk_mpi_share(const struct mk_mpi *r, uint64_t *value, int n)
{
    (void)r;
    (void)value;
    (void)n;
}

void mk_mpi_send(const struct mk_mpi *r, const struct mk_block *b, const struct mk_block_size *size)
{
    (void)r;
    (void)b;
    (void)size;
}

int mk_mpi_receive(const struct mk_mpi *r, int from, struct mk_block *b, const struct mk_block_size *size,
                   struct mk_error *err)
{
    (void)r;
    (void)b;
    (void)size;
    return mk_fail(err, MK_EFAIL, "rank %d does not exist", from);
}

int mk_mpi_end(const struct mk_mpi *r, int code, struct mk_error *err,
               void (*say)(int code, const struct mk_error *err))
{
    (void)r;
    (void)err;
    (void)say;
    return code;
}

#else

#include <mpi.h>

enum { TAG_HEAD, TAG_PULLS, TAG_MAX, TAG_WEIGHT, TAG_ROW };

/* Header of a block, or sent instead of one. */
struct report {
    int64_t code;
    uint64_t first_unit, n_units;
    char host[64], text[MK_ERROR_TEXT];
};

static void fill_report(struct report *p, int code, const struct mk_error *err)
{
    memset(p, 0, sizeof *p);
    p->code = code;
    if (gethostname(p->host, sizeof p->host - 1)) strcpy(p->host, "unknown");
    if (err && code) memcpy(p->text, err->text, sizeof p->text);
}

static int fail_from(struct mk_error *err, int rank, const struct report *p)
{
    return mk_fail(err, (int)p->code, "rank %d (%.60s): %.900s", rank, p->host,
                   p->text[0] ? p->text : mk_code_text((int)p->code));
}

int mk_mpi_start(struct mk_mpi *r, struct mk_error *err)
{
    MPI_Comm here;
    *r = (struct mk_mpi){0, 1, 1, 0};
    if (!started_by_launcher()) return MK_OK;
    int level; /* only this thread makes calls */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level))
        return mk_fail(err, MK_EFAIL, "MPI cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &r->here);
    MPI_Comm_free(&here);
    if (r->rank && !freopen("/dev/null", "w", stdout)) return mk_fail(err, MK_EIO, "/dev/null: cannot be written");
    return MK_OK;
}

static bool active(void)
{
    int on = 0;
    MPI_Initialized(&on);
    return on;
}

/* Waits without keeping a processor busy: there may be more ranks than processors. With `stops`, a signal ends the
 * wait; rank 0 then ends all ranks, and the request with them.
 * Sends wait for rank 0: their memory is in use. */
static int finish(MPI_Request *request, int stops)
{
    static const struct timespec pause = {0, 200000};
    int done = 0;
    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return MK_OK;
        if (stops && mk_run_stopped()) return MK_ESTOPPED;
        nanosleep(&pause, NULL);
    }
}

int mk_mpi_agree(struct mk_mpi *r, int code, struct mk_error *err)
{
    if (!active()) return code;
    int mine = code ? r->rank : r->count, first;
    struct report p;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == r->count) return MK_OK;
    r->over = 1;
    fill_report(&p, code, err);
    MPI_Bcast(&p, (int)sizeof p, MPI_BYTE, first, MPI_COMM_WORLD);
    if (first && r->rank == 0) fail_from(err, first, &p);
    return (int)p.code;
}

void mk_mpi_share(const struct mk_mpi *r, uint64_t *value, int n)
{
    (void)r;
    if (active()) MPI_Bcast(value, n, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

/* The arrays of a block, in the order in which they are sent; at: NULL where it has none. */
enum { ARRAYS = 4 };
struct array {
    void *at;
    uint64_t n;
    MPI_Datatype type;
    int tag;
};

static void arrays_of(const struct mk_block *b, const struct mk_block_size *size, struct array out[ARRAYS])
{
    const uint64_t cells = b->n_units * size->cells;
    out[0] = (struct array){b->pulls, cells * size->arms, MPI_UINT64_T, TAG_PULLS};
    out[1] = (struct array){b->max_reward, cells, MPI_DOUBLE, TAG_MAX};
    out[2] = (struct array){b->row, b->n_units * size->row, MPI_DOUBLE, TAG_ROW};
    out[3] = (struct array){b->weight, cells, MPI_DOUBLE, TAG_WEIGHT};
}

/* To rank 0. */
static void send(const void *at, uint64_t n, MPI_Datatype type, int tag)
{
    MPI_Request request;
    MPI_Isend(at, (int)n, type, 0, tag, MPI_COMM_WORLD, &request);
    finish(&request, 0);
}

static int receive(int from, void *at, uint64_t n, MPI_Datatype type, int tag, struct mk_error *err)
{
    MPI_Request request;
    MPI_Irecv(at, (int)n, type, from, tag, MPI_COMM_WORLD, &request);
    return finish(&request, 1) ? mk_run_end_stopped(err) : MK_OK;
}

void mk_mpi_send(const struct mk_mpi *r, const struct mk_block *b, const struct mk_block_size *size)
{
    struct array a[ARRAYS];
    struct report p;
    (void)r;
    fill_report(&p, MK_OK, NULL);
    p.first_unit = b->first_unit;
    p.n_units = b->n_units;
    send(&p, sizeof p, MPI_BYTE, TAG_HEAD);
    arrays_of(b, size, a);
    for (int i = 0; i < ARRAYS; i++)
        if (a[i].at) send(a[i].at, a[i].n, a[i].type, a[i].tag);
}

int mk_mpi_receive(const struct mk_mpi *r, int from, struct mk_block *b, const struct mk_block_size *size,
                   struct mk_error *err)
{
    struct array a[ARRAYS];
    struct report p;
    (void)r;
    int code = receive(from, &p, sizeof p, MPI_BYTE, TAG_HEAD, err);
    if (code) return code;
    if (p.code) return fail_from(err, from, &p);
    if (p.n_units > b->n_units) return mk_fail(err, MK_EFAIL, "rank %d (%.60s): sent too large a block", from, p.host);
    b->first_unit = p.first_unit;
    b->n_units = p.n_units;
    arrays_of(b, size, a);
    for (int i = 0; i < ARRAYS && !code; i++)
        if (a[i].at) code = receive(from, a[i].at, a[i].n, a[i].type, a[i].tag, err);
    return code;
}

int mk_mpi_end(const struct mk_mpi *r, int code, struct mk_error *err,
               void (*say)(int code, const struct mk_error *err))
{
    struct report p;
    if (!active()) return code;
    if (r->rank) {
        /* Rank 0 reads it while waiting for a block; it then ends this process as well. */
        fill_report(&p, code, err);
        if (code && !r->over) send(&p, sizeof p, MPI_BYTE, TAG_HEAD);
        MPI_Finalize();
        return MK_OK;
    }
    if (code && r->count > 1 && !r->over) {
        say(code, err);
        MPI_Abort(MPI_COMM_WORLD, mk_exit_status(code));
    }
    MPI_Finalize();
    return code;
}

#endif
