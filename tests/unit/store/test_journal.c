/* The head of a journal, byte by byte: which ones are read. Checksums are right in all of them. */
#include <string.h>

#include <zlib.h>

#include "sim/run/store/journal.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"
#include "tests/support/synced.h"

/* The layout of journal.h: everything after `crc` has that checksum. */
struct head {
    char magic[8];
    uint32_t order, crc;
    uint64_t text_bytes, shard, shards, first_unit, end_unit, all_units, plain_units, cells, arms, row;
};

static const struct head whole = {.magic = "maxkjrn3",
                                  .order = 0x01020304,
                                  .shard = 2,
                                  .shards = 3,
                                  .first_unit = 10,
                                  .end_unit = 20,
                                  .all_units = 30,
                                  .plain_units = 30,
                                  .cells = 4,
                                  .arms = 5};
enum { LONG = 300000 }; /* pages of its own: what follows a text in memory is zero */
static const char texts[] = "name: a\0engines\0data\0program";

static bool is_read(struct scratch *s, struct head h, const char *text, size_t n)
{
    static char bytes[sizeof h + LONG];
    struct mk_journal *j = NULL;
    struct mk_error err = {0, ""};
    const size_t skip = offsetof(struct head, text_bytes);
    h.text_bytes = n;
    h.crc = (uint32_t)crc32_z(crc32_z(0, (const Bytef *)&h + skip, sizeof h - skip), (const Bytef *)text, n);
    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h, text, n);
    const int code = mk_journal_read(&j, scratch_write(s, "j", bytes, sizeof h + n), &err);
    const bool same = !code && mk_journal_next(j) == h.first_unit && mk_journal_head(j)->arms == h.arms &&
                      strcmp(mk_journal_head(j)->identity.program, "program") == 0;
    mk_journal_free(j);
    CHECK(same || (code == MK_EINPUT && strstr(err.text, "or damaged")), "read, or rejected: %s", err.text);
    return same;
}

static void check_heads(struct scratch *s)
{
    struct head h[] = {whole, whole, whole, whole, whole, whole, whole, whole};
    const char *const what[] = {"all_units",
                                "first_unit",
                                "end_unit",
                                "plain_units",
                                "shard beyond the last",
                                "too many shards",
                                "no cells",
                                "more cells times arms than fit"};
    h[0].all_units = 33;
    h[1].first_unit = 9;
    h[2].end_unit = 21;
    h[3].plain_units = 31;
    h[4].shard = 4, h[4].first_unit = 30, h[4].end_unit = 40;
    h[5].shard = 1, h[5].shards = h[5].all_units = MK_MOST_SHARDS + 1, h[5].first_unit = 0, h[5].end_unit = 1;
    h[6].cells = 0;
    h[7].cells = h[7].arms = UINT64_C(1) << 31;
    CHECK(is_read(s, whole, texts, sizeof texts), "a head");
    struct head last = whole, most = h[5];
    last.shard = 3, last.first_unit = 20, last.end_unit = 30;
    most.shards = most.all_units = MK_MOST_SHARDS;
    CHECK(is_read(s, last, texts, sizeof texts) && is_read(s, most, texts, sizeof texts), "the last shard, the most");
    for (size_t i = 0; i < sizeof h / sizeof *h; i++)
        CHECK(!is_read(s, h[i], texts, sizeof texts), "rejected: %s", what[i]);
    CHECK(!is_read(s, whole, texts, sizeof texts - 1), "rejected: no zero at the end");
    CHECK(!is_read(s, whole, texts, sizeof texts - sizeof "program"), "rejected: three texts");
    static char longer[LONG];
    memset(longer, 'x', LONG - 1);
    longer[5] = longer[9] = 0;
    CHECK(!is_read(s, whole, longer, LONG), "rejected: three long texts");
    CHECK(!is_read(s, whole, "name: a\0engines\0da\ta\0program", sizeof texts), "rejected: a control character");
}

static void check_sizes(void)
{
    const struct mk_journal_head a = {.all_units = 30, .plain_units = 20, .cells = 4, .arms = 5, .row = 1};
    struct mk_journal_head other[] = {a, a, a, a, a, a};
    other[1].all_units = 29;
    other[2].plain_units = 19;
    other[3].cells = 5;
    other[4].arms = 4;
    other[5].row = 0;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        CHECK(mk_journal_same_sizes(&a, &other[i]) == (i == 0), "sizes %s", i ? "that differ in one number" : "alike");
}

/* It is on the disk when it is begun, when that is asked for, and before it has the name of a part. */
static void check_synced(const struct scratch *s)
{
    static char program[] = "program", engines[] = "engines", data[] = "data", text[] = "name: a";
    const struct mk_journal_head head = {
        .end_unit = 20,
        .all_units = 20,
        .plain_units = 20,
        .shard = {1, 1},
        .cells = 4,
        .arms = 5,
        .identity = {.experiment = text, .engines = engines, .data = data, .program = program}};
    struct mk_journal *j = NULL;
    struct mk_error err = {0, ""};
    char path[300], part[300];
    snprintf(path, sizeof path, "%s/r.journal", s->dir);
    snprintf(part, sizeof part, "%s/r.part", s->dir);
    synced.n = 0;
    int code = mk_journal_open(&j, path, "r.h5", &head, MK_JOURNAL_NEW, &err);
    CHECK(!code && synced.n == 2 && synced_is(0, path) && synced_is(1, s->dir), "the head and the name: %zu syncs %s",
          synced.n, err.text);
    synced.n = 0;
    if (!code) code = mk_journal_publish(j, part, &err);
    CHECK(!code && synced.n == 2 && synced_is(0, part) && synced_is(1, s->dir), "a part: %zu syncs", synced.n);
    mk_journal_free(j);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_heads(&s);
    check_sizes();
    check_synced(&s);
    scratch_remove(&s);
    return CHECK_EXIT;
}
