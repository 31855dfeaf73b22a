#include "sim/run/store/run_identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/base/revision.h"

enum { SHOWN = 3, LINE_SHOWN = 60 };

static char *engine_lines(char *const *label, const char *const *engine, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (size_t i = 0; i < n; i++) fprintf(to, "engine of %s: %s\n", label[i], engine[i]);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}

static int check_run_identity(struct mk_identity *id, struct mk_error *err)
{
    if (id->experiment && id->engines && id->data && id->program) return MK_OK;
    mk_identity_clear(id);
    return mk_fail_memory(err, "the identity of the run");
}

int mk_identity_of_run(struct mk_identity *id, const struct mk_run_context *c, struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    char **label = calloc(e->n_entries, sizeof *label);
    const char **engine = calloc(e->n_entries, sizeof *engine);
    char data[64] = "";
    memset(id, 0, sizeof *id);
    for (size_t i = 0; label && engine && i < e->n_entries; i++) {
        label[i] = e->entry[i].label;
        engine[i] = mk_run_engine_name(c, i);
    }
    const struct mk_source_type *source = e->problem->source;
    uint64_t digest = 0;
    const int code = source->fingerprint ? source->fingerprint(e->problem, &digest) : MK_OK;
    if (source->fingerprint)
        snprintf(data, sizeof data, "%s: %016llx\n", source->fingerprint_name, (unsigned long long)digest);
    id->experiment = strdup(e->resolved);
    id->engines = label && engine ? engine_lines(label, engine, e->n_entries) : NULL;
    id->data = code ? NULL : strdup(data);
    id->program = strdup("program: " MK_REVISION "\n");
    free(label);
    free(engine);
    return check_run_identity(id, err);
}

int mk_identity_of_result(struct mk_identity *id, const struct mk_result_info *info, struct mk_error *err)
{
    id->experiment = strdup(info->resolved);
    id->engines = engine_lines(info->policy, (const char *const *)info->policy_engine, info->n_policies);
    id->data = strdup("");
    id->program = strdup("");
    return check_run_identity(id, err);
}

int mk_identity_copy(struct mk_identity *to, const struct mk_identity *from, struct mk_error *err)
{
    to->experiment = strdup(from->experiment);
    to->engines = strdup(from->engines);
    to->data = strdup(from->data);
    to->program = strdup(from->program);
    return check_run_identity(to, err);
}

void mk_identity_clear(struct mk_identity *id)
{
    free(id->experiment);
    free(id->engines);
    free(id->data);
    free(id->program);
    memset(id, 0, sizeof *id);
}

/* ---- differences ---- */

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_length(line);
    return *line ? line + 1 : line;
}

static bool has_line(const char *text, const char *line)
{
    size_t n = line_length(line);
    for (; *text; text = next_line(text))
        if (line_length(text) == n && memcmp(text, line, n) == 0) return true;
    return false;
}

/* Lines of `a` that `b` lacks, SHOWN at most, after the word; items of a list after its key. Returns whether there are
 * any. */
static bool add_missing(FILE *to, const char *word, const char *a, const char *b)
{
    const char *key = "";
    int shown = 0;
    for (; *a; a = next_line(a)) {
        const size_t blanks = strspn(a, " ");
        const bool is_item = strncmp(a + blanks, "- ", 2) == 0;
        if (!is_item) key = a + blanks;
        if (has_line(b, a)) continue;
        if (shown++ == SHOWN) {
            fputs(", …", to);
            break;
        }
        const size_t n = line_length(a), indent = blanks + (is_item ? 2 : 0);
        const bool cut = n - indent > LINE_SHOWN;
        fputs(shown > 1 ? ", " : word, to);
        if (is_item) fprintf(to, "%.*s ", (int)line_length(key), key);
        fprintf(to, "%.*s%s", cut ? LINE_SHOWN : (int)(n - indent), a + indent, cut ? "…" : "");
    }
    return shown > 0;
}

bool mk_identity_same(const struct mk_identity *old, const struct mk_identity *new, char *text, size_t room)
{
    const char *const pairs[][2] = {{old->experiment, new->experiment},
                                    {old->engines, new->engines},
                                    {old->data, new->data},
                                    {old->program, new->program}};
    bool same = true;
    memset(text, 0, room);
    FILE *to = fmemopen(text, room, "w");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!*pairs[i][0] || !*pairs[i][1] || strcmp(pairs[i][0], pairs[i][1]) == 0) continue;
        if (to && same) {
            bool extra = add_missing(to, "", pairs[i][0], pairs[i][1]);
            add_missing(to, extra ? ", not " : "without ", pairs[i][1], pairs[i][0]);
        }
        same = false;
    }
    if (to) fclose(to);
    text[room - 1] = '\0';
    if (!same && text[0] == '\0') snprintf(text, room, "the order of lines");
    return same;
}
