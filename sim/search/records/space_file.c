#include "sim/search/records/space_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/search/records/importer.h"
#include "sim/search/records/space_draft.h"
#include "sim/search/space/space_read.h"

static bool is_scenario(const char *text)
{
    static const char *const keys[] = {"trainInstances", "targetRunner", "parameterFile", "maxExperiments"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (const char *at = text; (at = strstr(at, keys[i])); at++) {
            const char *line = at;
            while (line > text && line[-1] != '\n' && isspace((unsigned char)line[-1])) line--;
            if ((line == text || line[-1] == '\n') && strchr(at, '=')) return true;
        }
    return false;
}

/* PCS has ranges in brackets, irace the type and a domain in parentheses. */
static bool is_pcs(char *text)
{
    for (char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const size_t n = strcspn(line, "#\n"), bracket = strcspn(line, "[{"), round = strcspn(line, "(\"'");
        if (line[strspn(line, " \t")] == '[') return false; /* a section of irace's parameters */
        if (bracket < n || round < n) return bracket < round;
    }
    return false;
}

/* The space must be one of maxk. */
static int check_space_file(const struct mk_space_draft *d)
{
    struct mk_node *copy = mk_node_copy(d->space);
    struct mk_space *space = NULL;
    struct mk_error why;
    if (!copy) return mk_fail_memory(d->err, "a search space");
    if (d->forbid && !mk_node_add(copy, "forbid", mk_node_copy(d->forbid))) {
        mk_node_free(copy);
        return mk_fail_memory(d->err, "a search space");
    }
    int code = mk_space_read(&space, copy, &why);
    if (!code) mk_space_free(space);
    mk_node_free(copy);
    return code ? mk_fail(d->err, code, "%s: %s", d->path, why.text) : MK_OK;
}

static int read_text(struct mk_space_draft *d, char *text, size_t length)
{
    if (text[strspn(text, " \t\r\n")] == '{') return mk_space_read_json(d, text, length);
    if (is_scenario(text)) return mk_space_read_scenario(d, text);
    return is_pcs(text) ? mk_space_read_pcs(d, text) : mk_space_read_irace(d, text);
}

int mk_space_file_read(char **out, struct mk_string_table *notes, const char *path, struct mk_error *err)
{
    struct mk_space_draft d = {.path = path, .root = mk_node_new(MK_NODE_MAPPING, 0), .line = 1, .err = err};
    char *text = NULL;
    size_t length = 0;
    d.space = mk_node_add(d.root, "space", mk_node_new(MK_NODE_MAPPING, 0));
    int code = d.space ? mk_import_whole(path, &text, &length, err) : mk_fail_memory(err, "a search space");
    if (!code && strlen(text) != length) code = mk_fail(err, MK_EINPUT, "%s: not a text", path);
    if (!code) code = read_text(&d, text, length);
    if (!code && !d.space->n) code = mk_fail(err, MK_EINPUT, "%s: no parameters", path);
    if (!code) code = check_space_file(&d);
    if (!code && d.forbid) { /* a key of the space, after the hyperparameters */
        struct mk_node *forbid = mk_node_take(d.root, "forbid");
        if (!mk_node_add(d.space, "forbid", forbid)) code = mk_fail_memory(err, "a search space");
    }
    if (!code && !(*out = mk_node_emit(d.root))) code = mk_fail_memory(err, "a search space");
    *notes = d.notes;
    mk_node_free(d.root);
    free(text);
    return code;
}
