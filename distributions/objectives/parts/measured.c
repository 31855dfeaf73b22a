#include "distributions/objectives/parts/measured.h"

#include <stdlib.h>

#include "sim/base/error.h"

const struct mk_param mk_measured_params[] = {
    MK_MEASURED_PARAMS,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(mk_measured_params, MK_MEASURED_PARAMETERS);

static int find_rows(const struct mk_objective *o, struct mk_objective_files *files, const struct mk_measurements **m,
                     size_t **row, size_t *n, struct mk_error *err)
{
    if (!o->text[MK_MEASURED_INSTANCE]) return mk_fail(err, MK_EINPUT, "instance: missing; expected a name");
    int code = mk_measurements_open(files, o->text[MK_MEASURED_FILE], m, err);
    return code ? code
                : mk_measurements_select(*m, o->text[MK_MEASURED_INSTANCE], o->text[MK_MEASURED_ARM], row, n, err);
}

int mk_measured_space(const struct mk_objective *o, struct mk_objective_files *files, struct mk_space **out,
                      struct mk_error *err)
{
    const struct mk_measurements *m;
    size_t *row, n;
    int code = find_rows(o, files, &m, &row, &n, err);
    if (code) return code;
    code = mk_measurements_space(m, row, n, out, err);
    free(row);
    return code;
}

int mk_measured_read(const struct mk_objective *o, struct mk_objective_files *files, const struct mk_space *s,
                     struct mk_measured *out, struct mk_error *err)
{
    const struct mk_measurements *m;
    size_t *row;
    int code = find_rows(o, files, &m, &row, &out->n, err);
    if (code) return code;
    out->reward = malloc(out->n * sizeof *out->reward);
    code = out->reward ? mk_measurements_values(m, row, out->n, s, &out->v, err) : mk_fail_memory(err, "a table");
    for (size_t i = 0; i < out->n && !code; i++) out->reward[i] = m->reward[row[i]];
    if (code) free(out->reward);
    free(row);
    return code;
}
