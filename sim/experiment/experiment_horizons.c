#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"
#include "sim/experiment/experiment_read.h"

/* round(from 10^(i / per_decade)) up to `to`; neighbours that round to the same number are merged later. */
static int log_spaced(const struct mk_node *node, struct mk_values *out, struct mk_error *err)
{
    static const char *const keys[] = {"from", "to", "per_decade"};
    double x[3] = {0, 0, 0};
    int code = mk_check_file_keys(node, MK_IN_HORIZONS, err);
    for (int i = 0; !code && i < 3; i++) {
        code = mk_node_get(node, keys[i]) ? mk_read_file_key(node, MK_IN_HORIZONS, keys[i], &x[i], NULL, err)
                                          : mk_fail_at(err, node->where, "horizons",
                                                       "missing %s; expected {from: …, to: …, per_decade: …}", keys[i]);
    }
    if (code) return code;
    if (x[1] < x[0]) return mk_fail_at(err, node->where, "horizons", "to is below from; expected from <= to");
    out->n = (size_t)floor(x[2] * log10(x[1] / x[0]) + 1e-9) + 1;
    out->value = malloc(out->n * sizeof *out->value);
    if (!out->value) return mk_fail_memory(err, "horizons");
    for (size_t i = 0; i < out->n; i++) out->value[i] = fmin(round(x[0] * pow(10, (double)i / x[2])), x[1]);
    return MK_OK;
}

int mk_read_horizons(struct mk_loader *l, const struct mk_node *node)
{
    struct mk_experiment *e = l->e;
    struct mk_values values = {0, NULL};
    int code = mk_node_get(node, "per_decade")
                   ? log_spaced(node, &values, l->err)
                   : mk_read_values(node, mk_file_key(MK_IN_EXPERIMENT, "horizons"), &values, l->err);
    if (code) return code;
    if (values.n > MK_MOST_VALUES) {
        free(values.value);
        return mk_fail_at(l->err, node->where, "horizons", "more than %d horizons", MK_MOST_VALUES);
    }
    e->horizon = malloc(values.n * sizeof *e->horizon);
    if (!e->horizon) {
        free(values.value);
        return mk_fail_memory(l->err, "horizons");
    }
    for (size_t i = 0; i < values.n; i++) e->horizon[i] = (uint64_t)values.value[i];
    qsort(e->horizon, values.n, sizeof *e->horizon, mk_compare_counts);
    for (size_t i = 0; i < values.n; i++)
        if (!i || e->horizon[i] != e->horizon[e->n_horizons - 1]) e->horizon[e->n_horizons++] = e->horizon[i];
    free(values.value);
    return MK_OK;
}
