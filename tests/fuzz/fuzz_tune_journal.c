/* Journals of tuning runs. An input that begins with `!` is its lines without their checksums, which are added, so that
 * changes get past them; any other is the journal as it is. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <zlib.h>

#include "sim/study/tune_file.h"
#include "sim/study/tune_journal.h"
#include "tests/fuzz/fuzz.h"

static char path[100];

void fuzz_tune_journal_start(void)
{
    snprintf(path, sizeof path, "%s/journal", fuzz_folder());
}

static void write_checked(const char *text, size_t n)
{
    FILE *to = fopen(path, "wb");
    FUZZ_MUST(to);
    for (const char *end = text + n; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t length = stop ? (size_t)(stop - text) : (size_t)(end - text);
        fwrite(text, 1, length, to);
        fprintf(to, " %08lx%s", crc32(crc32(0, NULL, 0), (const unsigned char *)text, (uInt)length), stop ? "\n" : "");
        text += length + (stop != NULL);
    }
    FUZZ_MUST(fclose(to) == 0);
}

/* The events of the file, read: their number, SIZE_MAX where it is refused. */
static size_t read_events(void)
{
    struct mk_tune_journal *j = NULL;
    struct mk_error err = {0, ""};
    if (!fuzz_outcome(mk_tune_journal_open(&j, path, false, &err), &err)) return SIZE_MAX;
    const size_t n = j->n;
    size_t results = 0, successes = 0;
    bool other_budget;
    for (size_t i = 0; i < n; i++) {
        const struct mk_tune_event *e = &j->event[i];
        if (e->kind == MK_EVENT_ADD) FUZZ_MUST(e->configuration);
        if (e->kind == MK_EVENT_REPORT) FUZZ_MUST(e->report.step >= 1 && isfinite(e->report.value));
        if (e->kind != MK_EVENT_END) continue;
        FUZZ_MUST(e->outcome.status < MK_TRIAL_STATUSES && strlen(e->outcome.why) < MK_WHY_ROOM);
        results++;
        successes += !mk_trial_failed(e->outcome.status);
    }
    FUZZ_MUST(results == j->results && successes == j->successes);
    fuzz_outcome(mk_tune_file_compare(j->file.path, j->resolved, "policy: max_ucb\n", &other_budget, &err), &err);
    mk_tune_journal_free(j);
    return n;
}

void fuzz_tune_journal(const unsigned char *data, size_t n)
{
    if (n && data[0] == '!')
        write_checked((const char *)data + 1, n - 1);
    else
        fuzz_write(path, data, n);
    const size_t events = read_events();
    if (events != SIZE_MAX) FUZZ_MUST(read_events() == events); /* a line cut off is dropped once */
}
