/* Distributions are built from a specification (parameters are checked, wrappers must be in order), tabulated and
 * freed. */
#include "distributions/dist.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/parts/quantiles.h"
#include "distributions/parts/tools.h"
#include "sim/base/error.h"

void mk_dist_free(struct mk_dist *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->n_parts; i++) mk_dist_free(d->part[i]);
    free(d->part);
    free(d->values);
    free(d->table);
    mk_quantiles_free(d->quantiles);
    free(d);
}

static int check_number(const struct mk_param *p, double x, struct mk_error *err)
{
    char range[160], text[32];
    if (isnan(x)) {
        if (p->flags & MK_OPTIONAL) return MK_OK;
        return mk_fail(err, MK_EINPUT, "missing; expected %s", mk_param_range(p, range, sizeof range));
    }
    if (mk_param_allows(p, x)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "expected %s, got %s", mk_param_range(p, range, sizeof range),
                   mk_param_format(p, x, text, sizeof text));
}

static int check_list(const struct mk_param *p, const struct mk_dist_spec *spec, struct mk_error *err)
{
    if (spec->n_values == 0 && (p->flags & MK_REQUIRED))
        return mk_fail(err, MK_EINPUT, "missing; expected a list of numbers");
    for (size_t i = 0; i < spec->n_values; i++)
        if (!isfinite(spec->values[i]))
            return mk_fail(err, MK_EINPUT, "expected finite numbers, entry %zu is %g", i + 1, spec->values[i]);
    return MK_OK;
}

static size_t position(const struct mk_dist_type *type)
{
    size_t i = 0;
    while (i < mk_dist_type_count() && mk_dist_type_at(i) != type) i++;
    return i;
}

/* Wrappers have one part, the arm, and apply in the order of the registry;
 * other parts come from an MK_PARTS parameter. */
static int check_parts(const struct mk_dist_spec *spec, struct mk_error *err)
{
    const struct mk_dist_type *type = spec->type;
    if (!(type->flags & MK_DIST_WRAPPER)) {
        for (size_t i = 0; type->params[i].name; i++)
            if (type->params[i].kind == MK_PARTS) return MK_OK;
        return spec->n_parts == 0 ? MK_OK : mk_fail(err, MK_EINPUT, "%s does not take components", type->name);
    }
    if (spec->n_parts != 1) return mk_fail(err, MK_EINPUT, "%s applies to exactly one arm", type->name);
    const struct mk_dist_type *inner = spec->parts[0]->type;
    if ((inner->flags & MK_DIST_WRAPPER) && position(inner) >= position(type))
        return mk_fail(err, MK_EINPUT,
                       "%s cannot be applied after %s: the order is truncated, clipped, affine, each once", type->name,
                       inner->name);
    return MK_OK;
}

static int check_spec(const struct mk_dist_spec *spec, int *param, struct mk_error *err)
{
    const struct mk_param *p = spec->type->params;
    for (int i = 0; p[i].name; i++) {
        int code = MK_OK;
        *param = i;
        if (mk_param_is_number(&p[i]))
            code = check_number(&p[i], spec->v[i], err);
        else if (p[i].kind == MK_LIST)
            code = check_list(&p[i], spec, err);
        else if (p[i].kind == MK_PARTS && spec->n_parts == 0)
            code = mk_fail(err, MK_EINPUT, "missing; expected a list of arms");
        if (code) return code;
    }
    *param = -1;
    return check_parts(spec, err);
}

/* A copy of the arrays and numbers of the specification, without the parts. */
static struct mk_dist *copy_spec(const struct mk_dist_spec *spec)
{
    struct mk_dist *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->type = spec->type;
    for (size_t i = 0; i < MK_MAX_PARAMS; i++) d->v[i] = NAN;
    for (size_t i = 0; spec->type->params[i].name; i++)
        if (mk_param_is_number(&spec->type->params[i])) d->v[i] = spec->v[i];
    if (spec->n_values) d->values = malloc(spec->n_values * sizeof *d->values);
    if (spec->n_parts) d->part = malloc(spec->n_parts * sizeof(struct mk_dist *));
    if ((spec->n_values && !d->values) || (spec->n_parts && !d->part)) {
        mk_dist_free(d);
        return NULL;
    }
    if (spec->n_values) memcpy(d->values, spec->values, spec->n_values * sizeof *d->values);
    d->n_values = spec->n_values;
    return d;
}

int mk_dist_new(struct mk_dist **out, const struct mk_dist_spec *spec, int *param, struct mk_error *err)
{
    int ignored = -1, *blame = param ? param : &ignored;
    int code = check_spec(spec, blame, err);
    if (code) return code;
    struct mk_dist *d = copy_spec(spec);
    if (!d) return mk_fail_memory(err, "an arm");
    if (spec->n_parts) memcpy(d->part, spec->parts, spec->n_parts * sizeof(struct mk_dist *));
    d->n_parts = spec->n_parts;
    const char *wrong = spec->type->prepare ? spec->type->prepare(d, blame) : NULL;
    if (!wrong) {
        *blame = -1;
        *out = d;
        return MK_OK;
    }
    d->n_parts = 0; /* they still belong to the caller */
    mk_dist_free(d);
    if (wrong == mk_dist_no_memory) return mk_fail_memory(err, "an arm");
    return mk_fail(err, MK_EINPUT, "%s", wrong);
}

/* Prefixes a message with its place. */
static int name_param(const struct mk_dist_type *type, int param, struct mk_error *err)
{
    if (!err) return MK_EINPUT;
    char text[MK_ERROR_TEXT];
    memcpy(text, err->text, sizeof text);
    const char *key = param < 0 ? "" : type->params[param].name;
    return mk_fail(err, MK_EINPUT, "%s%s%s: %s", type->name, *key ? " " : "", key, text);
}

int mk_dist_make(struct mk_dist **out, const char *family, struct mk_error *err, ...)
{
    struct mk_dist_spec spec = {.type = mk_dist_type_find(family)};
    if (!spec.type) return mk_fail(err, MK_EINPUT, "unknown family '%s'", family);
    mk_param_defaults(spec.type->params, spec.v);
    va_list ap;
    va_start(ap, err);
    for (size_t i = 0; i < mk_param_count(spec.type->params); i++) {
        double x = va_arg(ap, double);
        if (!isnan(x)) spec.v[i] = x;
    }
    va_end(ap);
    int param, code = mk_dist_new(out, &spec, &param, err);
    return code == MK_EINPUT ? name_param(spec.type, param, err) : code;
}

int mk_dist_wrap(struct mk_dist **d, const char *wrapper, double first, double second, int *param, struct mk_error *err)
{
    struct mk_dist_spec spec = {.type = mk_dist_type_find(wrapper), .n_parts = 1, .parts = d};
    if (!spec.type || !(spec.type->flags & MK_DIST_WRAPPER))
        return mk_fail(err, MK_EINPUT, "unknown wrapper '%s'", wrapper);
    spec.v[0] = first;
    spec.v[1] = second;
    return mk_dist_new(d, &spec, param, err);
}

/* A wrapper is as slow as its part. */
static bool is_slow(const struct mk_dist *d)
{
    return d->type->flags & MK_DIST_WRAPPER ? is_slow(d->part[0]) : (d->type->flags & MK_DIST_SLOW) != 0;
}

int mk_dist_tabulate(struct mk_dist *d, struct mk_error *err)
{
    for (size_t i = 0; i < d->n_parts; i++) {
        int code = mk_dist_tabulate(d->part[i], err);
        if (code) return code;
    }
    if (d->quantiles || !(d->type->flags & MK_DIST_INVERTS) || !is_slow(d)) return MK_OK;
    d->quantiles = mk_quantiles_new(d);
    return d->quantiles ? MK_OK : mk_fail_memory(err, "the quantiles of an arm");
}
