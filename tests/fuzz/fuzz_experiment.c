/* Experiment files. Lines `-s key=value` at the beginning are overrides, the rest is the YAML. What was read must read
 * back from its resolved text to the same resolved text. */
#include <string.h>

#include "sim/base/yaml_tree.h"
#include "sim/run/experiment/experiment.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_SETS = 8, OVERRIDE = 3 /* "-s " */ };

static void read_back(const struct mk_experiment *e)
{
    struct mk_experiment *again = NULL;
    struct mk_error err = {0, ""};
    int code = mk_experiment_parse(&again, "again", e->resolved, strlen(e->resolved), 0, &err);
    if (code) fprintf(stderr, "%s\n%s\n", err.text, e->resolved);
    FUZZ_MUST(code == MK_OK);
    if (strcmp(again->resolved, e->resolved) != 0) fprintf(stderr, "%s\n---\n%s\n", e->resolved, again->resolved);
    FUZZ_MUST(strcmp(again->resolved, e->resolved) == 0);
    mk_experiment_free(again);
}

static void check(const struct mk_experiment *e)
{
    for (size_t i = 0; i < e->n_entries; i++) {
        char *text = mk_policy_entry_parameters(&e->entry[i]);
        FUZZ_MUST(text);
        free(text);
    }
    for (size_t h = 0; h < e->n_horizons; h++)
        FUZZ_MUST(e->horizon[h] >= 1 && e->horizon[h] <= (uint64_t)1 << 53 &&
                  (!h || e->horizon[h] > e->horizon[h - 1]));
    FUZZ_MUST(e->replications >= 1);
    read_back(e);
}

void fuzz_experiment(const unsigned char *data, size_t n)
{
    const char *set[MOST_SETS];
    size_t sets = 0, at = 0;
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    char *text = calloc(n + 1, 1);
    FUZZ_MUST(text);
    memcpy(text, data, n);
    while (sets < MOST_SETS && strncmp(text + at, "-s ", OVERRIDE) == 0) {
        char *end = memchr(text + at, '\n', n - at);
        if (!end) break;
        *end = 0;
        set[sets++] = text + at + OVERRIDE;
        at = (size_t)(end - text) + 1;
    }
    const char *path = fuzz_file(text + at, n - at);
    if (fuzz_outcome(mk_experiment_read(&e, path, set, sets, 0, &err), &err)) {
        check(e);
        mk_experiment_free(e);
    }
    free(text);
}
