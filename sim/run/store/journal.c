#include "sim/run/store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/text.h"

/* The last bytes encode the byte order. */
struct start {
    char magic[8];
    uint32_t order, crc; /* crc: of everything after it */
    uint64_t text_bytes; /* of the identity: four zero-terminated texts after this struct */
    uint64_t number[9];  /* the others of struct mk_journal_head, in its order */
};
_Static_assert(offsetof(struct mk_journal_head, identity) == sizeof((struct start){0}.number),
               "the identity is the last member, after nine numbers");

struct record {
    uint32_t magic, crc; /* crc: of everything after it */
    uint64_t first_unit, n_units, raw, stored;
};

static const char magic[8] = "maxkjrn3";
enum { ORDER = 0x01020304, RECORD = 0x4b4c4201, TEXTS = 4 };
#define MOST_TEXT ((uint64_t)64 << 20)
#define MOST_RAW ((uint64_t)4 << 30)
#define REPLAY_BYTES ((uint64_t)32 << 20)
static const double sync_every = 1.0; /* seconds */

struct bytes {
    unsigned char *at;
    size_t room;
};

struct mk_journal {
    struct mk_append_file file;
    char *result;
    struct mk_journal_head head;
    char *text; /* head.identity points into it */
    uint64_t next;
    off_t start;         /* of the records */
    struct bytes buffer; /* one deflated record */
};

void mk_shard_units(struct mk_shard s, uint64_t all, uint64_t *first, uint64_t *end)
{
    mk_u128 wide = all;
    if (!s.of) s = (struct mk_shard){1, 1};
    *first = (uint64_t)(wide * (s.index - 1) / s.of);
    *end = (uint64_t)(wide * s.index / s.of);
}

bool mk_journal_same_sizes(const struct mk_journal_head *a, const struct mk_journal_head *b)
{
    return a->all_units == b->all_units && a->plain_units == b->plain_units && a->cells == b->cells &&
           a->arms == b->arms && a->row == b->row;
}

/* ---- bytes ---- */

/* 0 when n bytes were read. */
static int read_all(int fd, off_t from, void *bytes, size_t n)
{
    char *to = bytes;
    while (n) {
        ssize_t done = pread(fd, to, n, from);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        to += done;
        from += done;
        n -= (size_t)done;
    }
    return 0;
}

static uint32_t crc_of(const void *head, size_t skip, size_t size, const void *rest, size_t n)
{
    uLong crc = crc32_z(0, (const unsigned char *)head + skip, size - skip);
    return (uint32_t)crc32_z(crc, rest, n);
}

static int grow(struct bytes *b, size_t room, struct mk_error *err)
{
    if (room <= b->room) return MK_OK;
    unsigned char *at = realloc(b->at, room);
    if (!at) return mk_fail_memory(err, "a block of the journal");
    b->at = at;
    b->room = room;
    return MK_OK;
}

/* Doubles and counts of a unit: pulls, largest reward and, of a rare-event replication, the weight, for every cell;
 * otherwise the rewards of searches. */
static uint64_t values_of_unit(const struct mk_journal *j, uint64_t unit)
{
    const bool is_plain = unit < j->head.plain_units;
    return j->head.cells * (j->head.arms + 1 + !is_plain) + (is_plain ? j->head.row : 0);
}

/* ---- header ---- */

static const size_t after_crc = offsetof(struct start, crc) + sizeof(uint32_t);

static int write_head(struct mk_journal *j, const struct mk_journal_head *h, struct mk_error *err)
{
    const char *const texts[TEXTS] = {h->identity.experiment, h->identity.engines, h->identity.data,
                                      h->identity.program};
    struct start s = {.order = ORDER};
    memcpy(s.magic, magic, sizeof s.magic);
    memcpy(s.number, h, sizeof s.number);
    for (int i = 0; i < TEXTS; i++) s.text_bytes += strlen(texts[i]) + 1;
    char *text = malloc(s.text_bytes), *to = text;
    if (!text) return mk_fail_memory(err, "the head of the journal");
    for (int i = 0; i < TEXTS; i++) to = stpcpy(to, texts[i]) + 1;
    s.crc = crc_of(&s, after_crc, sizeof s, text, s.text_bytes);
    int code = mk_append_cut(&j->file, 0, err);
    if (!code) code = mk_append(&j->file, &s, sizeof s, err);
    if (!code) code = mk_append(&j->file, text, s.text_bytes, err);
    free(text);
    return code;
}

/* 1: read. 0: no complete head. MK_ENOMEM. */
static int read_head(struct mk_journal *j, struct mk_error *err)
{
    struct start s;
    struct mk_journal_head *h = &j->head;
    if (read_all(j->file.fd, 0, &s, sizeof s) || memcmp(s.magic, magic, sizeof magic) != 0 || s.order != ORDER ||
        s.text_bytes < TEXTS || s.text_bytes > MOST_TEXT)
        return 0;
    free(j->text);
    j->text = malloc(s.text_bytes);
    if (!j->text) return mk_fail_memory(err, "the head of the journal");
    if (read_all(j->file.fd, sizeof s, j->text, s.text_bytes) ||
        s.crc != crc_of(&s, after_crc, sizeof s, j->text, s.text_bytes) || j->text[s.text_bytes - 1])
        return 0;
    char **const texts[TEXTS] = {&h->identity.experiment, &h->identity.engines, &h->identity.data,
                                 &h->identity.program};
    char *at = j->text;
    for (int i = 0; i < TEXTS; i++) {
        if (at >= j->text + s.text_bytes) return 0;
        if (!mk_text_printable_lines(at)) return 0;
        *texts[i] = at;
        at += strlen(at) + 1;
    }
    memcpy(h, s.number, sizeof s.number);
    j->next = h->first_unit;
    j->start = j->file.end = (off_t)(sizeof s + s.text_bytes);
    uint64_t first, end;
    if (h->shard.of > MK_MOST_SHARDS || h->shard.index > h->shard.of || !h->shard.index != !h->shard.of) return 0;
    mk_shard_units(h->shard, h->all_units, &first, &end);
    /* Sizes that can be multiplied without overflow; those of a run are far smaller. */
    return h->first_unit == first && h->end_unit == end && h->plain_units <= h->all_units && h->cells && h->arms &&
           h->cells < MOST_RAW && h->arms < MOST_RAW && h->cells * h->arms < MOST_RAW && h->row < MOST_RAW;
}

/* ---- records ---- */

/* Reads the record at `at`, deflated, into *to. 1: complete. 0: none, or truncated. MK_ENOMEM. */
static int read_record(const struct mk_journal *j, off_t at, uint64_t next, struct record *r, struct bytes *to,
                       struct mk_error *err)
{
    const size_t skip = offsetof(struct record, crc) + sizeof r->crc;
    if (read_all(j->file.fd, at, r, sizeof *r) || r->magic != RECORD || r->first_unit != next || !r->n_units ||
        r->n_units > j->head.end_unit - next || r->raw > MOST_RAW || r->n_units > MOST_RAW ||
        r->raw / sizeof(uint64_t) / r->n_units != values_of_unit(j, next) ||
        r->raw != r->n_units * values_of_unit(j, next) * sizeof(uint64_t) ||
        (next < j->head.plain_units && r->n_units > j->head.plain_units - next) ||
        r->stored > compressBound(r->raw) + 64)
        return 0;
    int code = grow(to, r->stored, err);
    if (code) return code;
    if (read_all(j->file.fd, at + (off_t)sizeof *r, to->at, r->stored)) return 0;
    return r->crc == crc_of(r, skip, sizeof *r, to->at, r->stored);
}

/* Finds the end of the complete records. */
static int scan(struct mk_journal *j, struct mk_error *err)
{
    struct record r;
    int more = 1;
    while (j->next < j->head.end_unit && (more = read_record(j, j->file.end, j->next, &r, &j->buffer, err)) > 0) {
        j->next += r.n_units;
        j->file.end += (off_t)(sizeof r + r.stored);
    }
    return more < 0 ? more : MK_OK;
}

/* The arrays of a block, in the order of the file. */
enum { ARRAYS = 3 };
struct array {
    unsigned char *at;
    uint64_t bytes;
};

static int arrays_of(const struct mk_journal *j, const struct mk_block *b, struct array a[ARRAYS])
{
    uint64_t cells = b->n_units * j->head.cells;
    a[0] = (struct array){(unsigned char *)b->pulls, cells * j->head.arms * sizeof *b->pulls};
    a[1] = (struct array){(unsigned char *)b->max_reward, cells * sizeof *b->max_reward};
    if (b->first_unit >= j->head.plain_units)
        a[2] = (struct array){(unsigned char *)b->weight, cells * sizeof *b->weight};
    else if (j->head.row)
        a[2] = (struct array){(unsigned char *)b->row, b->n_units * j->head.row * sizeof *b->row};
    else
        return ARRAYS - 1;
    return ARRAYS;
}

/* Deflates the arrays one after another into j->buffer, leaving room for the record header. Most of the gain is runs of
 * zero bytes. */
static int deflate_block(struct mk_journal *j, const struct mk_block *b, struct record *r, struct mk_error *err)
{
    struct array a[ARRAYS];
    int n = arrays_of(j, b, a), status = Z_OK;
    z_stream z = {0};
    r->raw = b->n_units * values_of_unit(j, b->first_unit) * sizeof(uint64_t);
    if (r->raw > MOST_RAW - 1) return mk_fail(err, MK_EFAIL, "%s: a block is too large", j->file.path);
    int code = grow(&j->buffer, sizeof *r + compressBound(r->raw) + 64, err);
    if (code) return code;
    if (deflateInit2(&z, 1, Z_DEFLATED, 15, 9, Z_RLE) != Z_OK) return mk_fail_memory(err, "a block of the journal");
    z.next_out = j->buffer.at + sizeof *r;
    z.avail_out = (uInt)(j->buffer.room - sizeof *r);
    for (int i = 0; i < n && status == Z_OK && z.avail_in == 0; i++) {
        z.next_in = a[i].at;
        z.avail_in = (uInt)a[i].bytes;
        status = deflate(&z, i + 1 < n ? Z_NO_FLUSH : Z_FINISH);
    }
    r->stored = z.total_out;
    deflateEnd(&z);
    return status == Z_STREAM_END ? MK_OK : mk_fail(err, MK_EFAIL, "%s: a block could not be deflated", j->file.path);
}

/* A record being processed while a journal is replayed. */
struct slot {
    struct record r;
    struct bytes deflated;
    struct mk_block block;
    uint64_t room; /* of the block, in units */
};

/* MK_OK, MK_ENOMEM or, if the record is damaged, MK_EINPUT. */
static int inflate_block(const struct mk_journal *j, struct slot *s)
{
    struct array a[ARRAYS];
    s->block.first_unit = s->r.first_unit;
    s->block.n_units = s->r.n_units;
    int n = arrays_of(j, &s->block, a), status = Z_OK;
    z_stream z = {.next_in = s->deflated.at, .avail_in = (uInt)s->r.stored};
    if (inflateInit(&z) != Z_OK) return MK_ENOMEM;
    for (int i = 0; i < n && status == Z_OK && z.avail_out == 0; i++) {
        z.next_out = a[i].at;
        z.avail_out = (uInt)a[i].bytes;
        status = inflate(&z, i + 1 < n ? Z_SYNC_FLUSH : Z_FINISH);
    }
    bool complete = status == Z_STREAM_END && z.avail_out == 0;
    inflateEnd(&z);
    return complete ? MK_OK : MK_EINPUT;
}

int mk_journal_append(struct mk_journal *j, const struct mk_block *b, struct mk_error *err)
{
    struct record r = {RECORD, 0, b->first_unit, b->n_units, 0, 0};
    const size_t skip = offsetof(struct record, crc) + sizeof r.crc;
    if (b->first_unit != j->next || b->n_units > j->head.end_unit - j->next)
        return mk_fail(err, MK_EFAIL, "%s: block of units out of order", j->file.path);
    int code = deflate_block(j, b, &r, err);
    if (code) return code;
    r.crc = crc_of(&r, skip, sizeof r, j->buffer.at + sizeof r, r.stored);
    memcpy(j->buffer.at, &r, sizeof r);
    code = mk_append(&j->file, j->buffer.at, sizeof r + r.stored, err);
    if (code) return code;
    j->next += r.n_units;
    return mk_append_sync(&j->file, sync_every, err);
}

/* Memory for blocks of n units. */
static int make_room(const struct mk_journal *j, struct slot *s, uint64_t n, struct mk_error *err)
{
    if (n <= s->room) return MK_OK;
    s->room = n;
    mk_block_clear(&s->block);
    const struct mk_block_size size = {j->head.cells, j->head.arms, j->head.row,
                                       j->head.plain_units < j->head.end_unit};
    return mk_block_new(&s->block, &size, n, err);
}

/* Reads the records at *at, *next … into slots: one at least, and no more than REPLAY_BYTES of blocks. */
static int read_some(const struct mk_journal *j, off_t *at, uint64_t *next, struct slot *slot, int slots, int *n,
                     struct mk_error *err)
{
    uint64_t bytes = 0;
    for (*n = 0; *n < slots && *next < j->next; ++*n) {
        struct slot *s = &slot[*n];
        int found = read_record(j, *at, *next, &s->r, &s->deflated, err);
        if (found < 0) return found;
        if (!found) return mk_fail(err, MK_EIO, "%s: changed while it was read, or unreadable", j->file.path);
        bytes += s->r.raw;
        if (*n && bytes > REPLAY_BYTES) break; /* read again next time */
        int code = make_room(j, s, s->r.n_units, err);
        if (code) return code;
        *next += s->r.n_units;
        *at += (off_t)(sizeof s->r + s->r.stored);
    }
    return MK_OK;
}

double mk_journal_replayed(double bytes, int threads)
{
    const double most = floor((double)REPLAY_BYTES / bytes);
    return most < 1 ? 1 : most < threads ? most : threads;
}

int mk_journal_replay(const struct mk_journal *j, int threads, mk_block_sink sink, void *to, struct mk_error *err)
{
    struct slot *slot = calloc((size_t)threads, sizeof *slot);
    uint64_t next = j->head.first_unit;
    off_t at = j->start;
    int code = slot ? MK_OK : mk_fail_memory(err, "a block of the journal");
    while (!code && next < j->next) {
        int n = 0, worst = 0;
        code = read_some(j, &at, &next, slot, threads, &n, err);
        if (code) break;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(min : worst) if (n > 1)
        for (int i = 0; i < n; i++) {
            int status = inflate_block(j, &slot[i]);
            if (status < worst) worst = status;
        }
        if (worst == MK_ENOMEM)
            code = mk_fail_memory(err, "a block of the journal");
        else if (worst)
            code = mk_fail(err, worst, "%s: damaged", j->file.path);
        for (int i = 0; i < n && !code; i++) code = sink(to, &slot[i].block, err);
    }
    for (int i = 0; slot && i < threads; i++) {
        mk_block_clear(&slot[i].block);
        free(slot[i].deflated.at);
    }
    free(slot);
    return code;
}

/* ---- files ---- */

static struct mk_journal *new_journal(const char *path, const char *result, struct mk_error *err)
{
    struct mk_journal *j = calloc(1, sizeof *j);
    if (j) {
        j->file.fd = -1;
        j->file.path = strdup(path);
        j->result = strdup(result);
    }
    if (j && j->file.path && j->result) return j;
    mk_journal_free(j);
    mk_fail_memory(err, "the journal");
    return NULL;
}

static int open_locked(struct mk_journal *j, struct mk_error *err)
{
    struct stat st;
    j->file.fd = mk_open_locked(j->file.path, 0, 0);
    if (j->file.fd < 0 && errno == EWOULDBLOCK)
        return mk_fail(err, MK_EINPUT, "%s: in use by another process", j->result);
    if (j->file.fd < 0) return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", j->result, strerror(errno));
    if (fstat(j->file.fd, &st)) return mk_fail(err, MK_EINPUT, "%s: %s", j->file.path, strerror(errno));
    return S_ISREG(st.st_mode) ? MK_OK : mk_fail(err, MK_EINPUT, "%s: not a regular file", j->file.path);
}

/* A new journal, empty or with only a truncated head, contains no more than a prefix of the magic number. */
static bool begins_like_one(int fd)
{
    char bytes[sizeof magic];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    return n >= 0 && memcmp(bytes, magic, (size_t)n) == 0;
}

static int compare(const struct mk_journal *j, const struct mk_journal_head *want, struct mk_error *err)
{
    const struct mk_journal_head *h = &j->head;
    char text[800];
    if (h->shard.index != want->shard.index || h->shard.of != want->shard.of)
        return mk_fail(
            err, MK_EINPUT,
            "%s: belongs to another shard or to the whole run; choose another --output, or start over with --force",
            j->file.path);
    if (!mk_identity_same(&h->identity, &want->identity, text, sizeof text))
        return mk_fail(err, MK_EINPUT,
                       "%s: belongs to another run (%s); choose another --output, or start over with --force",
                       j->file.path, text);
    if (!mk_journal_same_sizes(h, want))
        return mk_fail(err, MK_EINPUT, "%s: is damaged; choose another --output, or start over with --force",
                       j->file.path);
    return MK_OK;
}

int mk_journal_open(struct mk_journal **out, const char *path, const char *result, const struct mk_journal_head *want,
                    enum mk_journal_mode mode, struct mk_error *err)
{
    struct mk_journal *j = *out = new_journal(path, result, err);
    int code = j ? open_locked(j, err) : MK_ENOMEM;
    if (code) goto out;
    int has_head = read_head(j, err);
    code = has_head < 0 ? has_head : MK_OK;
    if (!code && !has_head && !begins_like_one(j->file.fd))
        code = mk_fail(err, MK_EINPUT, "%s: not a journal of maxk; choose another --output, or remove the file", path);
    if (!code && has_head) code = scan(j, err);
    if (code) goto out;
    if (has_head && mode == MK_JOURNAL_RESUME) {
        code = compare(j, want, err);
        if (!code) code = mk_append_cut(&j->file, j->file.end, err);
    } else if (has_head && mode == MK_JOURNAL_NEW && j->next > j->head.first_unit) {
        code = mk_fail(err, MK_EINPUT,
                       "%s: contains %llu of %llu replications of an interrupted run; continue with --resume, or start "
                       "over with --force",
                       path, (unsigned long long)(j->next - j->head.first_unit),
                       (unsigned long long)(j->head.end_unit - j->head.first_unit));
    } else {
        code = write_head(j, want, err);
        if (!code) code = read_head(j, err) > 0 ? MK_OK : mk_fail(err, MK_EIO, "%s: cannot be read back", path);
        if (!code) code = mk_append_sync(&j->file, 0, err);
        if (!code) code = mk_sync_place(path, err);
        if (code && !has_head) mk_journal_remove(j);
    }
out:
    if (code) {
        mk_journal_free(j);
        *out = NULL;
    }
    return code;
}

int mk_journal_read(struct mk_journal **out, const char *path, struct mk_error *err)
{
    struct mk_journal *j = *out = new_journal(path, path, err);
    int code = MK_OK;
    if (!j) return MK_ENOMEM;
    const char *why;
    size_t size;
    j->file.fd = mk_open_regular(path, SIZE_MAX, &size, &why);
    if (j->file.fd < 0) {
        code = mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", path, why);
    } else {
        int has_head = read_head(j, err);
        if (has_head < 0) code = has_head;
        if (!has_head) code = mk_fail(err, MK_EINPUT, "%s: not a part written by maxk run --shard, or damaged", path);
    }
    if (!code) code = scan(j, err);
    if (code) {
        mk_journal_free(j);
        *out = NULL;
    }
    return code;
}

bool mk_journal_is(const char *path)
{
    char bytes[sizeof magic];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    bool is = read_all(fd, 0, bytes, sizeof bytes) == 0 && memcmp(bytes, magic, sizeof magic) == 0;
    close(fd);
    return is;
}

const struct mk_journal_head *mk_journal_head(const struct mk_journal *j)
{
    return &j->head;
}

uint64_t mk_journal_next(const struct mk_journal *j)
{
    return j->next;
}

int mk_journal_publish(struct mk_journal *j, const char *path, struct mk_error *err)
{
    return mk_move_synced(j->file.path, path, err);
}

void mk_journal_remove(struct mk_journal *j)
{
    unlink(j->file.path);
}

void mk_journal_free(struct mk_journal *j)
{
    if (!j) return;
    if (j->file.fd >= 0) mk_close_locked(j->file.fd);
    free(j->file.path);
    free(j->result);
    free(j->text);
    free(j->buffer.at);
    free(j);
}
