#include "sim/run/store/problem_input.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/problem/trajectory.h"
#include "sim/run/engine/run_searches.h"

int mk_problem_input_of_result(struct mk_experiment **out, struct mk_result *r, const char *const *sets, size_t n_sets,
                               unsigned need, struct mk_error *err)
{
    const struct mk_result_info *const i = mk_result_info(r);
    const bool plugins = n_sets && strncmp(sets[0], "--plugin ", strlen("--plugin ")) == 0;
    if (n_sets > plugins)
        return mk_fail(err, MK_EINPUT,
                       "%s: --set, --columns and rules for gaps do not change a result; apply them to "
                       "its experiment or CSV file",
                       i->path);
    return mk_result_parse(r, &(struct mk_overrides){sets, n_sets}, need, out, err);
}

/* The experiment that a file of any kind describes, searches not yet run. */
static int open_any(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets, unsigned need,
                    struct mk_error *err)
{
    if (mk_input_is_csv(path) || mk_trajectory_in_array(path))
        return mk_experiment_from_csv(out, path, sets, n_sets, err);
    if (!mk_input_is_result(path)) return mk_experiment_read(out, path, sets, n_sets, need, err);
    struct mk_result *r = NULL;
    int code = mk_result_open(&r, path, err);
    if (code) return code;
    code = mk_problem_input_of_result(out, r, sets, n_sets, need, err);
    mk_result_free(r);
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
