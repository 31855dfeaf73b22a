/* A distribution of an experiment file, as an arm, a part of another one or a draw: with families of plugins and
 * columns of files. */
#include <math.h>
#include <stdlib.h>

#include "distributions/dist_read.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/run/experiment/experiment_read.h"
#include "sim/run/experiment/plugins.h"

enum { MOST_KEYS = 8 }; /* of an arm */

static const struct mk_dist_type *family_at(const void *of, size_t k)
{
    const struct mk_loader *l = of;
    return mk_plugins_family_at(l->e->plugins, k);
}

static int unknown_family(const void *of, const struct mk_node *family, struct mk_error *err)
{
    const struct mk_loader *l = of;
    char clip[MK_CLIP_ROOM];
    if (!l->stand_ins) return MK_OK;
    return mk_fail_at(
        err, family->where, "family",
        "%s is of a plugin that is not loaded; gap, lu, survival, certify, bounds, rate and merge take --plugin FILE.so",
        family->kind == MK_NODE_SCALAR ? mk_clip(family->text, clip) : mk_node_describe(family, clip));
}

static int numbers_of(const void *of, const struct mk_node *file, const struct mk_node *column, double **value,
                      size_t *n, struct mk_node *to, struct mk_error *err)
{
    const struct mk_loader *l = of;
    char *path = NULL, *name = NULL;
    int code = mk_find_file(l->directory, file, file->key, &path, err);
    if (!code) code = mk_read_text(column, column->key, &name, err);
    if (!code) code = mk_csv_column(path, name, value, n, err);
    if (!code && !(mk_add_text(to, file->key, path) && mk_add_text(to, column->key, name)))
        code = mk_fail_memory(err, "arms");
    free(path);
    free(name);
    return code;
}

struct mk_dist_reader mk_distribution_reader(const struct mk_loader *l)
{
    return (struct mk_dist_reader){
        .key = "arms", .of = l, .family_at = family_at, .unknown = unknown_family, .numbers_of = numbers_of};
}

int mk_read_distribution(struct mk_loader *l, const struct mk_node *node, int is_arm, struct mk_dist **out,
                         struct mk_node *to)
{
    const struct mk_param *key;
    const char *of_arm[MOST_KEYS];
    size_t n = 0;
    while (is_arm && n < MOST_KEYS && (key = mk_file_key_at(MK_IN_ARM, n))) of_arm[n++] = key->name;
    struct mk_dist_reader reader = mk_distribution_reader(l);
    reader.others = of_arm;
    reader.n_others = n;
    return mk_dist_read(out, &reader, node, to, l->err);
}

/* The reward of an end: of the support, or of the draws, which are positions of 2^-54 and more apart from 0 and 1. */
static double extreme(const struct mk_loader *l, const struct mk_dist *d, int upper)
{
    double lo, hi;
    mk_dist_support(d, &lo, &hi);
    double end = upper ? hi : lo;
    if (isfinite(end)) return end;
    return l->need & MK_NEED_RUN ? mk_dist_inverse_survival(d, upper ? 0x1p-54 : 1 - 0x1p-53) : 0;
}

int mk_check_rewards(struct mk_loader *l, const struct mk_node *node, const struct mk_dist *d)
{
    for (int upper = 0; upper < 2; upper++) {
        double end = extreme(l, d, upper);
        if (fabs(end) <= MK_MOST_REWARD) continue;
        return mk_fail_at(l->err, node->where, d->type->name,
                          "expected rewards from " MK_REWARD_RANGE ", but they reach %g", end);
    }
    return MK_OK;
}
