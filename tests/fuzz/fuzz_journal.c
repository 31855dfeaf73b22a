/* Journals, changed byte by byte, through `run --resume` and `merge`.
 *
 * An input is a program: a byte that chooses one of three journals (a whole run, record by record; either of two
 * shards), a byte that chooses what reads it, a byte whose lowest bit says that checksums are corrected at the end, and
 * changes. An input that begins as journals do is taken as the journal itself. Without right checksums a journal is
 * either refused or gives the result of a run that was never interrupted. */
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "sim/program/command/command.h"
#include "sim/run/engine/rare.h"
#include "sim/run/store/journal.h"
#include "tests/fuzz/fuzz.h"

enum { ORIGINALS = 3, MOST_BYTES = 1 << 16, MOST_CHANGES = 32 };
enum {
    HEAD = 88,
    HEAD_CRC = 12,
    HEAD_TEXT = 16,
    RECORD = 40,
    RECORD_CRC = 4,
    RECORD_STORED = 32
}; /* sim/run/store/journal.c */

struct bytes {
    unsigned char *at;
    size_t n;
};

static struct bytes originals[ORIGINALS], wanted;
static char experiment[100], result[100], journal[100], part[2][100], part_journal[100];

/* ---- the journals ---- */

/* Every unit as a record of its own. */
static int one_by_one(void *to, const struct mk_block *b, struct mk_error *err)
{
    const struct mk_journal_head *h = mk_journal_head(to);
    uint64_t *pulls = calloc(h->cells * h->arms, sizeof *pulls);
    double *value = calloc(2 * h->cells, sizeof *value), *weight = value + h->cells;
    int code = MK_OK;
    FUZZ_MUST(pulls && value);
    for (uint64_t u = 0; !code && u < b->n_units; u++) {
        for (uint64_t c = 0; c < h->cells; c++) {
            uint64_t at = c * b->n_units + u;
            memcpy(pulls + c * h->arms, b->pulls + at * h->arms, h->arms * sizeof *pulls);
            value[c] = b->max_reward[at];
            if (b->weight) weight[c] = b->weight[at];
        }
        code = mk_journal_append(to,
                                 &(struct mk_block){.first_unit = b->first_unit + u,
                                                    .n_units = 1,
                                                    .pulls = pulls,
                                                    .max_reward = value,
                                                    .weight = b->weight ? weight : NULL},
                                 err);
    }
    free(value);
    free(pulls);
    return code;
}

/* The journal of a whole run, from that of the only shard of one. */
static void split(const char *from)
{
    struct mk_journal *whole = NULL, *units = NULL;
    struct mk_error err = {0, ""};
    FUZZ_MUST(mk_journal_read(&whole, from, &err) == MK_OK);
    struct mk_journal_head head = *mk_journal_head(whole);
    head.shard = (struct mk_shard){0, 0};
    FUZZ_MUST(mk_journal_open(&units, journal, result, &head, MK_JOURNAL_ANEW, &err) == MK_OK);
    FUZZ_MUST(mk_journal_replay(whole, 2, one_by_one, units, &err) == MK_OK && mk_journal_next(units) == head.end_unit);
    mk_journal_free(units);
    mk_journal_free(whole);
}

static int run(const char *shard, const char *to)
{
    return fuzz_command(mk_cmd_run, (const char *[]){"run", experiment, "-q", "-j", "1", "--resume", "-o", to,
                                                     shard ? "--shard" : NULL, shard, NULL});
}

static int merge(void)
{
    return fuzz_command(mk_cmd_merge, (const char *[]){"merge", part[0], part[1], "-o", result, NULL});
}

/* The numbers of the result, one after another. */
static struct bytes numbers(void)
{
    struct mk_result *r = NULL;
    struct mk_error err = {0, ""};
    size_t at = 0;
    FUZZ_MUST(mk_result_open(&r, result, &err) == MK_OK);
    const struct mk_result_info *i = mk_result_info(r);
    size_t cell = (size_t)i->replications * (i->n_arms + 1) * sizeof(uint64_t);
    struct bytes b = {calloc(i->n_policies * i->n_horizons, cell), i->n_policies * i->n_horizons * cell};
    FUZZ_MUST(b.at && i->n_instances == 1);
    for (size_t p = 0; p < i->n_policies; p++) {
        for (size_t h = 0; h < i->n_horizons; h++, at += cell) {
            uint64_t *pulls = (uint64_t *)(void *)(b.at + at);
            double *largest = (double *)(pulls + i->replications * i->n_arms);
            FUZZ_MUST(mk_result_raw(r, p, 0, h, pulls, largest, &err) == MK_OK);
        }
    }
    mk_result_free(r);
    return b;
}

static void remove_files(void)
{
    const char *const files[] = {result, journal, part[0], part[1], part_journal};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(files[i]);
}

void fuzz_journal_start(void)
{
    static const char text[] = "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.9}]}\n"
                               "policies: [{name: max_ucb, alpha: [0.1, 0.5]}]\n"
                               "horizons: [10, 40, 160]\nreplications: 4\nrare_events: 3\n";
    const char *scratch = fuzz_folder();
    snprintf(experiment, sizeof experiment, "%s/e.yaml", scratch);
    snprintf(result, sizeof result, "%s/r.h5", scratch);
    snprintf(journal, sizeof journal, "%s/r.h5.journal", scratch);
    for (int i = 0; i < 2; i++) snprintf(part[i], sizeof part[i], "%s/%d.part", scratch, i + 1);
    snprintf(part_journal, sizeof part_journal, "%s/1.part.journal", scratch);
    fuzz_write(experiment, text, sizeof text - 1);
    FUZZ_MUST(run("1/1", part[0]));
    split(part[0]);
    originals[0].at = fuzz_read(journal, &originals[0].n);
    FUZZ_MUST(run(NULL, result));
    wanted = numbers();
    remove_files();
    FUZZ_MUST(run("1/2", part[0]) && run("2/2", part[1]));
    for (int i = 0; i < 2; i++) originals[1 + i].at = fuzz_read(part[i], &originals[1 + i].n);
}

/* ---- programs ---- */

struct program {
    const unsigned char *at, *end;
};

static unsigned take(struct program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

/* A place in the journal: any, or a number of the head or of a record. */
static size_t take_place(struct program *p, const struct bytes *b)
{
    unsigned which = take(p), high = take(p), at = high << 8 | take(p);
    if (which < HEAD / 8) return which * 8 < b->n ? which * 8 : b->n;
    if (b->n <= HEAD || which > 200) return at % (b->n + 1);
    uint64_t text;
    memcpy(&text, b->at + HEAD_TEXT, sizeof text);
    size_t place = HEAD + (size_t)(text % MOST_BYTES) + (which - HEAD / 8) % (RECORD / 8) * 8;
    return place < b->n ? place : b->n;
}

static void put(struct bytes *b, size_t at, const void *bytes, size_t n)
{
    if (n > b->n - at) n = b->n - at;
    memcpy(b->at + at, bytes, n);
}

static void change(struct program *p, struct bytes *b)
{
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       8,
                                       (uint64_t)1 << 16,
                                       (uint64_t)1 << 31,
                                       (uint64_t)1 << 32,
                                       ((uint64_t)1 << 32) - 1,
                                       (uint64_t)1 << 53,
                                       (uint64_t)1 << 61,
                                       (uint64_t)1 << 63,
                                       UINT64_MAX};
    unsigned kind = take(p) % 6;
    size_t at = take_place(p, b), n = take(p);
    unsigned char byte = (unsigned char)n;
    uint64_t number;
    switch (kind) {
    case 0: put(b, at, &byte, 1); break;
    case 1: put(b, at, &special[n % (sizeof special / sizeof *special)], sizeof *special); break;
    case 2:
        if (b->n - at < sizeof number) return;
        memcpy(&number, b->at + at, sizeof number);
        number += n < 128 ? n : n - UINT64_C(256);
        put(b, at, &number, sizeof number);
        break;
    case 3: b->n = at; break;
    case 4: /* take out */
        if (n > b->n - at) n = b->n - at;
        memmove(b->at + at, b->at + at + n, b->n - at - n);
        b->n -= n;
        break;
    default: /* twice */
        if (n > b->n - at) n = b->n - at;
        if (b->n + n > MOST_BYTES) return;
        memmove(b->at + at + n, b->at + at, b->n - at);
        b->n += n;
    }
}

static void repair(struct bytes *b)
{
    uint64_t length;
    if (b->n < HEAD) return;
    memcpy(&length, b->at + HEAD_TEXT, sizeof length);
    if (length > b->n - HEAD) return;
    size_t at = HEAD + (size_t)length;
    uint32_t crc = (uint32_t)crc32_z(0, b->at + HEAD_TEXT, at - HEAD_TEXT);
    memcpy(b->at + HEAD_CRC, &crc, sizeof crc);
    while (b->n - at >= RECORD) {
        memcpy(&length, b->at + at + RECORD_STORED, sizeof length);
        if (length > b->n - at - RECORD) return;
        crc = (uint32_t)crc32_z(0, b->at + at + RECORD_CRC + 4, RECORD - RECORD_CRC - 4 + (size_t)length);
        memcpy(b->at + at + RECORD_CRC, &crc, sizeof crc);
        at += RECORD + (size_t)length;
    }
}

static int read_back(unsigned how, const struct bytes *b)
{
    remove_files();
    switch (how % 3) {
    case 0: fuzz_write(journal, b->at, b->n); return run(NULL, result);
    case 1:
        fuzz_write(part_journal, b->at, b->n);
        fuzz_write(part[1], originals[2].at, originals[2].n);
        return run("1/2", part[0]) && merge();
    default:
        fuzz_write(part[0], b->at, b->n);
        fuzz_write(part[1], originals[2].at, originals[2].n);
        return merge();
    }
}

void fuzz_journal(const unsigned char *data, size_t n)
{
    static unsigned char bytes[MOST_BYTES];
    struct program p = {data, data + n};
    struct bytes b = {bytes, 0};
    unsigned how = 0, repaired = 0;
    if (n >= 8 && n <= MOST_BYTES && memcmp(data, "maxkjrn", 7) == 0) {
        b.n = n;
        memcpy(bytes, data, n);
    } else {
        const struct bytes *o = &originals[take(&p) % ORIGINALS];
        FUZZ_MUST(o->n <= MOST_BYTES);
        b.n = o->n;
        memcpy(bytes, o->at, o->n);
        how = take(&p);
        repaired = take(&p) & 1;
        for (int i = 0; p.at < p.end && i < MOST_CHANGES; i++) change(&p, &b);
        if (repaired) repair(&b);
    }
    if (!read_back(how, &b) || repaired) return;
    struct bytes got = numbers();
    FUZZ_MUST(got.n == wanted.n && memcmp(got.at, wanted.at, got.n) == 0);
    free(got.at);
}
