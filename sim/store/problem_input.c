#include "sim/store/problem_input.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "sim/run/run_searches.h"
#include "sim/store/result.h"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool mk_input_is_csv(const char *path)
{
    return ends_with(path, ".csv") || ends_with(path, ".csv.gz");
}

bool mk_input_is_yaml(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".yml");
}

bool mk_input_is_result(const char *path)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[sizeof signature];
    FILE *from = fopen(path, "rb");
    bool same = from && fread(head, 1, sizeof head, from) == sizeof head && memcmp(head, signature, sizeof head) == 0;
    if (from) fclose(from);
    return same || ends_with(path, ".h5");
}

int mk_problem_input_open(struct mk_experiment **out, const char *path, unsigned need, struct mk_error *err)
{
    if (mk_input_is_csv(path)) return mk_experiment_from_csv(out, path, err);
    struct mk_result *r = NULL;
    struct mk_experiment *e = NULL;
    int code = MK_OK;
    if (mk_input_is_result(path)) {
        code = mk_result_open(&r, path, err);
        if (code) return code;
        const char *text = mk_result_info(r)->resolved;
        code = mk_experiment_parse(&e, path, text, strlen(text), need, err);
        mk_result_free(r);
    } else {
        code = mk_experiment_read(&e, path, NULL, 0, need, err);
    }
    if (!code) code = mk_run_searches(e, omp_get_max_threads(), NULL, err);
    if (code)
        mk_experiment_free(e);
    else
        *out = e;
    return code;
}
