#include "sim/store/problem_input.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/run/run_searches.h"
#include "sim/store/result.h"

enum { HEAD = 4096 };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* The first bytes of a file, ended by a 0; their number. */
static size_t read_head(const char *path, char head[HEAD])
{
    FILE *from = fopen(mk_readable_path(path), "rb");
    size_t n = from ? fread(head, 1, HEAD - 1, from) : 0;
    if (from) fclose(from);
    head[n] = 0;
    return n;
}

static bool begins(const char *head, size_t n, const char *signature)
{
    const size_t m = strlen(signature);
    return n >= m && memcmp(head, signature, m) == 0;
}

bool mk_input_is_yaml(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".yml");
}

/* A line of column names has a separator, which lines of YAML rarely have, and no key. */
static bool looks_like_header(const char *line)
{
    const char *end = line + strcspn(line, "\r\n"), *separator = strpbrk(line, ",;\t"), *key = strstr(line, ": ");
    if (!separator || separator > end || strchr("#{[-%&", *line)) return false;
    return !(key && key < end) && end[-1] != ':';
}

bool mk_input_is_csv(const char *path)
{
    static const char *const suffix[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
    char head[HEAD];
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
        if (ends_with(path, suffix[i])) return true;
    if (mk_input_is_yaml(path) || mk_input_is_result(path)) return false;
    size_t n = read_head(path, head);
    const size_t skipped = begins(head, n, "\xef\xbb\xbf") ? 3 : 0;
    return begins(head, n, "\x1f\x8b") || (n && looks_like_header(head + skipped));
}

bool mk_input_is_result(const char *path)
{
    char head[HEAD];
    return begins(head, read_head(path, head), "\x89HDF\r\n\x1a\n") || ends_with(path, ".h5");
}

/* The experiment that a file of any kind describes, searches not yet run. */
static int open_any(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets, unsigned need,
                    struct mk_error *err)
{
    const bool plugins = n_sets && strncmp(sets[0], "plugins=", strlen("plugins=")) == 0;
    if (plugins) need |= MK_LOAD_PLUGINS;
    if (mk_input_is_csv(path)) return mk_experiment_from_csv(out, path, sets, n_sets, err);
    if (!mk_input_is_result(path)) return mk_experiment_read(out, path, sets, n_sets, need, err);
    if (n_sets > plugins)
        return mk_fail(err, MK_EINPUT,
                       "%s: --set, --columns and rules for gaps do not change a result; apply them to "
                       "its experiment or CSV file",
                       path);
    struct mk_result *r = NULL;
    int code = mk_result_open(&r, path, err);
    if (code) return code;
    const char *text = mk_result_info(r)->resolved;
    struct mk_experiment *e = NULL;
    code = mk_experiment_parse_with(&e, path, text, &(struct mk_overrides){sets, n_sets}, need, err);
    if (!code && plugins) code = mk_result_check_plugins(path, text, e, err);
    mk_result_free(r);
    if (code)
        mk_experiment_free(e);
    else
        *out = e;
    return code;
}

int mk_problem_input_read(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                          unsigned need, struct mk_error *err)
{
    int code = mk_standard_input_keep(path, err);
    return code ? code : open_any(out, path, sets, n_sets, need, err);
}

int mk_problem_input_open(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                          unsigned need, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    int code = mk_problem_input_read(&e, path, sets, n_sets, need, err);
    if (!code) code = mk_run_searches(e, omp_get_max_threads(), NULL, err);
    if (code)
        mk_experiment_free(e);
    else
        *out = e;
    return code;
}
