/* The reader of result files. For any content of the file, the outcome is a consistent result or one line of error:
 * every dataset is checked for type and shape when the file is opened, every number that serves as a position or a size
 * before it is used. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"
#include "sim/run/engine/rare.h"
#include "sim/run/store/cells.h"
#include "sim/run/store/journal.h"
#include "sim/run/store/store_util.h"

/* Sizes beyond these, or beyond what the file has bytes for, are damage. */
enum { MOST_POLICIES = 1000000, MOST_DEFLATED = 1032 /* what a deflated byte can hold */ };

/* The datasets of one policy that have been read last: cells are read one after another, and opening takes longer than
 * reading. */
struct open_cells {
    size_t policy;
    hid_t summary[MK_SUMMARY_FIELDS], raw[MK_RAW_FIELDS]; /* <= 0: not open */
};

struct mk_result {
    struct mk_result_info info;
    hid_t file;
    struct mk_dimensions axes;
    hid_t *policy; /* [policy] groups */
    struct open_cells open;
    hsize_t bytes; /* of the file */
    char *texts;   /* attribute of /provenance: zero-terminated, one after another */
    size_t texts_size;
    const char *next; /* the next text, NULL: none left */
};

/* MK_EINPUT `FILE: name: what`; name may be NULL. */
static int damaged(const struct mk_result *r, const char *name, const char *what, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "%s: %s%s%s", r->info.path, name ? name : "", name ? ": " : "", what);
}

static const char misfit[] = "missing, or not of the type and shape of a result";

/* ---- pieces ---- */

/* Copies of the next n texts into *to. */
static int take_texts(struct mk_result *r, size_t n, char ***to, struct mk_error *err)
{
    const char *end = r->texts + r->texts_size;
    *to = calloc(n, sizeof **to);
    if (!*to) return mk_fail_memory(err, r->info.path);
    for (size_t i = 0; i < n; i++) {
        if (r->next == end) return damaged(r, "/provenance", "missing texts", err);
        size_t length = strlen(r->next);
        if (!mk_text_printable(r->next, length))
            return damaged(r, "/provenance", "texts are not UTF-8 without control characters", err);
        (*to)[i] = strdup(r->next);
        if (!(*to)[i]) return mk_fail_memory(err, r->info.path);
        r->next += length + 1;
    }
    return MK_OK;
}

/* Reads a whole dataset of numbers; of texts (buffer NULL) only type and shape are checked. */
static int read_field(struct mk_result *r, hid_t group, const struct mk_field *f, void *buffer, struct mk_error *err)
{
    hid_t dataset = mk_h5_open(group, f, &r->axes);
    if (dataset < 0) return damaged(r, f->name, misfit, err);
    int status = buffer ? mk_h5_read(dataset, f, &r->axes, NULL, buffer) : 0;
    mk_h5_close(&dataset);
    return status ? damaged(r, f->name, "cannot be read", err) : MK_OK;
}

/* A group, or -1. */
static hid_t open_group(hid_t parent, const char *name)
{
    if (!mk_h5_is_there(parent, name)) return -1;
    return H5Gopen2(parent, name, H5P_DEFAULT);
}

/* ---- the file and its coordinates ---- */

static int open_texts(struct mk_result *r, struct mk_error *err)
{
    hid_t group = open_group(r->file, "provenance");
    if (group >= 0) r->texts = mk_h5_get_texts(group, &r->texts_size);
    mk_h5_close(&group);
    r->next = r->texts;
    if (!r->texts) return damaged(r, "/provenance", "attribute texts missing or damaged", err);
    if (strcmp(r->texts, MK_STORE_FORMAT) != 0) return damaged(r, NULL, "HDF5, but not a result of maxk", err);
    return MK_OK;
}

static int open_file(struct mk_result *r, struct mk_error *err)
{
    struct stat st;
    int64_t version = 0;
    int fd = open(r->info.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (fd < 0) return mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", r->info.path, strerror(errno));
    int failed = fstat(fd, &st);
    close(fd);
    if (failed || !S_ISREG(st.st_mode)) return damaged(r, NULL, "not a regular file", err);
    r->bytes = (hsize_t)st.st_size;
    if (H5Fis_hdf5(r->info.path) <= 0)
        return damaged(r, NULL,
                       mk_journal_is(r->info.path)
                           ? "a part or journal of a run; maxk merge combines parts into a result"
                       : mk_input_is_yaml(r->info.path) ? "an experiment; expected a result, which maxk run makes of it"
                                                        : "not an HDF5 file; expected a result of maxk run",
                       err);
    r->file = H5Fopen(r->info.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r->file < 0) return damaged(r, NULL, "damaged or truncated: HDF5 cannot open it", err);
    if (H5Aexists(r->file, "format") <= 0 || !mk_h5_get_index(r->file, "format_version", &version))
        return damaged(r, NULL, "HDF5, but not a result of maxk (no attributes format and format_version)", err);
    if (version != MK_STORE_VERSION)
        return mk_fail(err, MK_EINPUT, "%s: format_version is %" PRId64 ", this program reads %d", r->info.path,
                       version, MK_STORE_VERSION);
    return open_texts(r, err);
}

/* Length of the dataset of one axis, 0: no such dataset. */
static hsize_t axis_length(hid_t group, const char *name)
{
    hid_t dataset = -1, space = -1;
    hsize_t size = 0;
    if (!mk_h5_is_there(group, name)) return 0;
    dataset = H5Dopen2(group, name, H5P_DEFAULT);
    if (dataset < 0) return 0;
    space = H5Dget_space(dataset);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &size, NULL) != 1)
        size = 0;
    mk_h5_close(&space);
    mk_h5_close(&dataset);
    return size;
}

/* Summaries hold 8 bytes for every instance, horizon, arm and level of quantiles, coordinates 8 for every entry but
 * replications. */
static int check_sizes(struct mk_result *r, struct mk_error *err)
{
    const hsize_t *n = r->axes.size;
    hsize_t most = r->bytes / 8;
    for (size_t i = 0; i < MK_DIMENSION_COORDS; i++) {
        if (n[i] && n[i] <= (i == MK_DIMENSION_REPLICATION ? (uint64_t)MK_EXACT_MAX : most)) continue;
        return damaged(r, mk_coord_fields[i].name, n[i] ? "absurd size" : "coordinate missing or empty", err);
    }
    hsize_t cells = n[MK_DIMENSION_INSTANCE] * n[MK_DIMENSION_ARM]; /* used only where it cannot overflow */
    if (n[MK_DIMENSION_INSTANCE] > most / n[MK_DIMENSION_ARM] || cells > most / n[MK_DIMENSION_HORIZON] ||
        cells * n[MK_DIMENSION_HORIZON] > most / n[MK_DIMENSION_QUANTILE])
        return damaged(r, NULL, "absurd sizes", err);
    return MK_OK;
}

/* Costs with fractions are real numbers; they count parts of a unit. */
static int read_horizons(struct mk_result *r, hid_t group, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    hid_t dataset = mk_h5_open(group, &mk_cost_fraction_field, &r->axes);
    if (dataset < 0) return read_field(r, group, &mk_coord_fields[MK_DIMENSION_HORIZON], i->horizon, err);
    double *amount = malloc(i->n_horizons * sizeof *amount);
    int code = amount ? MK_OK : mk_fail_memory(err, i->path);
    if (!code && mk_h5_read(dataset, &mk_cost_fraction_field, &r->axes, NULL, amount))
        code = damaged(r, "horizon", "cannot be read", err);
    if (!code && !(i->cost_parts = mk_decimal_parts(amount, i->n_horizons)))
        code = damaged(r, "horizon", "not costs with at most six decimals", err);
    for (size_t h = 0; !code && h < i->n_horizons; h++) i->horizon[h] = (uint64_t)round(amount[h] * i->cost_parts);
    mk_h5_close(&dataset);
    free(amount);
    return code;
}

static int read_coords(struct mk_result *r, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    hid_t group = open_group(r->file, "coords");
    int code = MK_OK;
    if (group < 0) return damaged(r, "/coords", "missing", err);
    for (size_t a = 0; a < MK_DIMENSION_COORDS; a++) r->axes.size[a] = axis_length(group, mk_coord_fields[a].name);
    code = check_sizes(r, err);
    if (code) goto out;
    i->n_instances = (size_t)r->axes.size[MK_DIMENSION_INSTANCE];
    i->n_horizons = (size_t)r->axes.size[MK_DIMENSION_HORIZON];
    i->n_arms = (size_t)r->axes.size[MK_DIMENSION_ARM];
    i->n_quantiles = (size_t)r->axes.size[MK_DIMENSION_QUANTILE];
    i->replications = r->axes.size[MK_DIMENSION_REPLICATION];
    i->horizon = calloc(i->n_horizons, sizeof *i->horizon);
    i->quantile = calloc(i->n_quantiles, sizeof *i->quantile);
    if (!i->horizon || !i->quantile) {
        code = mk_fail_memory(err, i->path);
        goto out;
    }
    code = read_field(r, group, &mk_coord_fields[MK_DIMENSION_INSTANCE], NULL, err);
    if (!code) code = read_field(r, group, &mk_coord_fields[MK_DIMENSION_ARM], NULL, err);
    if (!code) code = read_horizons(r, group, err);
    if (!code) code = read_field(r, group, &mk_coord_fields[MK_DIMENSION_QUANTILE], i->quantile, err);
    for (size_t h = 0; !code && h < i->n_horizons; h++)
        if (!i->horizon[h] || i->horizon[h] > (uint64_t)MK_EXACT_MAX || (h && i->horizon[h] <= i->horizon[h - 1]))
            code = damaged(r, "horizon", "not ascending from 1 to 2^53", err);
    for (size_t q = 0; !code && q < i->n_quantiles; q++)
        if (!(i->quantile[q] >= 0 && i->quantile[q] <= 1) || (q && !(i->quantile[q] > i->quantile[q - 1])))
            code = damaged(r, "quantile", "not ascending from 0 to 1", err);
out:
    mk_h5_close(&group);
    return code;
}

/* ---- problem ---- */

/* Every instance has the best arm, gaps are >= 0 and undefined only for arms that an instance lacks or between infinite
 * E[M(T)] (0 there in older files). */
static bool facts_hold(const struct mk_truth *f)
{
    for (size_t k = 0; k < f->n_arms; k++)
        if (!(f->support_low[k] <= f->support_high[k])) return false;
    for (size_t row = 0; row < f->n_instances * f->n_horizons; row++) {
        const double *expected = f->expected_max + row * f->n_arms, *gap = f->gap + row * f->n_arms;
        if (isnan(expected[f->optimal_arm[row]])) return false;
        for (size_t k = 0; k < f->n_arms; k++)
            if ((expected[k] != INFINITY && isnan(gap[k]) != isnan(expected[k])) || gap[k] < 0) return false;
    }
    return true;
}

/* Those of every instance, where the file says that they differ. */
static int read_own_replications(struct mk_result *r, hid_t group, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    i->own_replications = malloc(i->n_instances * sizeof *i->own_replications);
    if (!i->own_replications) return mk_fail_memory(err, i->path);
    for (size_t n = 0; n < i->n_instances; n++) i->own_replications[n] = i->replications;
    if (H5Lexists(group, mk_own_replications_field.name, H5P_DEFAULT) <= 0) return MK_OK;
    int code = read_field(r, group, &mk_own_replications_field, i->own_replications, err);
    for (size_t n = 0; !code && n < i->n_instances; n++)
        if (!i->own_replications[n] || i->own_replications[n] > i->replications)
            code = damaged(r, mk_own_replications_field.name, "more or fewer than there can be", err);
    return code;
}

/* The facts of recorded runs, if the file has them. */
static int read_recorded(struct mk_result *r, hid_t group, struct mk_error *err)
{
    const hsize_t *size = r->axes.size;
    if (H5Lexists(group, mk_recorded_fields[0].name, H5P_DEFAULT) <= 0) return MK_OK;
    if (size[MK_DIMENSION_REPLICATION] > r->bytes / 8 / size[MK_DIMENSION_INSTANCE])
        return damaged(r, mk_recorded_fields[0].name, "absurd size", err);
    struct mk_recorded_truth *f =
        mk_recorded_truth_alloc((size_t)size[MK_DIMENSION_INSTANCE], size[MK_DIMENSION_REPLICATION]);
    if (!f) return mk_fail_memory(err, r->info.path);
    r->info.truth->recorded = f;
    void *const to[MK_RECORDED_FIELDS] = {f->best, f->least, f->first_median, f->shift};
    int code = MK_OK;
    for (size_t i = 0; !code && i < MK_RECORDED_FIELDS; i++)
        code = read_field(r, group, &mk_recorded_fields[i], to[i], err);
    return code;
}

static int read_problem(struct mk_result *r, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    hid_t group = open_group(r->file, "problem");
    int64_t *optimal = calloc(i->n_instances * i->n_horizons, sizeof *optimal);
    int code = group < 0 ? damaged(r, "/problem", "missing", err) : MK_OK;
    i->truth = mk_truth_alloc(i->n_instances, i->n_horizons, i->n_arms);
    if (!code && !(i->truth && optimal)) code = mk_fail_memory(err, i->path);
    if (code) goto out;
    void *const to[MK_PROBLEM_FIELDS] = {
        NULL,          NULL,   NULL, i->truth->support_low, i->truth->support_high, i->truth->expected_max,
        i->truth->gap, optimal};
    for (size_t f = 0; !code && f < MK_PROBLEM_FIELDS; f++)
        code = read_field(r, group, &mk_problem_fields[f], to[f], err);
    for (size_t c = 0; !code && c < i->n_instances * i->n_horizons; c++) {
        if (optimal[c] < 0 || (uint64_t)optimal[c] >= i->n_arms) code = damaged(r, "optimal_arm", "no such arm", err);
        i->truth->optimal_arm[c] = (size_t)optimal[c];
    }
    if (!code && !facts_hold(i->truth)) code = damaged(r, "/problem", "values that no problem can have", err);
    if (!code) code = read_own_replications(r, group, err);
    if (!code) code = read_recorded(r, group, err);
out:
    free(optimal);
    mk_h5_close(&group);
    return code;
}

/* ---- policies ---- */

/* Type and shape of every dataset of a set, without reading it. */
static int check_fields(struct mk_result *r, hid_t group, const struct mk_field *fields, size_t n, struct mk_error *err)
{
    for (size_t i = 0; i < n; i++) {
        hid_t dataset = mk_h5_open(group, &fields[i], &r->axes);
        if (dataset < 0) return damaged(r, fields[i].name, misfit, err);
        mk_h5_close(&dataset);
    }
    return MK_OK;
}

static int read_policy(struct mk_result *r, hid_t *group, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    hid_t summary = -1;
    int64_t at = -1;
    if (!mk_h5_get_index(*group, "index", &at) || at < 0 || (uint64_t)at >= i->n_policies || r->policy[at] >= 0)
        return damaged(r, "/policies", "attribute index missing, too large or repeated", err);
    r->policy[at] = *group;
    *group = -1;
    summary = open_group(r->policy[at], "summary");
    int code = summary < 0 ? damaged(r, "summary", "missing", err)
                           : check_fields(r, summary, mk_summary_fields, MK_FIELD_MEAN_REPEATED, err);
    const struct mk_field *repeated = &mk_summary_fields[MK_FIELD_MEAN_REPEATED];
    if (!code && H5Lexists(summary, repeated->name, H5P_DEFAULT) > 0) {
        i->has_repeated = true;
        code = check_fields(r, summary, repeated, 1, err);
    } else if (!code && i->has_repeated)
        code = damaged(r, repeated->name, "missing", err);
    mk_h5_close(&summary);
    return code;
}

/* Whether the file is large enough for 8 bytes per instance, horizon, replication and arm, deflated. */
static bool holds_replications(const struct mk_result *r)
{
    const hsize_t *n = r->axes.size;
    return n[MK_DIMENSION_REPLICATION] <=
           r->bytes / 8 * MOST_DEFLATED / (n[MK_DIMENSION_INSTANCE] * n[MK_DIMENSION_HORIZON] * n[MK_DIMENSION_ARM]);
}

/* The groups of policies, into the order of their attribute index. */
static int read_policies(struct mk_result *r, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    H5G_info_t about;
    hid_t policies = open_group(r->file, "policies"), group = -1;
    int code = MK_OK;
    if (policies < 0 || H5Gget_info(policies, &about) < 0 || !about.nlinks || about.nlinks > MOST_POLICIES) {
        code = damaged(r, "/policies", "missing or empty", err);
        goto out;
    }
    r->policy = malloc((size_t)about.nlinks * sizeof *r->policy);
    if (!r->policy) {
        code = mk_fail_memory(err, i->path);
        goto out;
    }
    i->n_policies = (size_t)about.nlinks;
    for (size_t p = 0; p < i->n_policies; p++) r->policy[p] = -1;
    for (hsize_t n = 0; !code && n < about.nlinks; n++) {
        H5L_info_t link;
        bool here = H5Lget_info_by_idx(policies, ".", H5_INDEX_NAME, H5_ITER_NATIVE, n, &link, H5P_DEFAULT) >= 0 &&
                    link.type == H5L_TYPE_HARD;
        group = here ? H5Oopen_by_idx(policies, ".", H5_INDEX_NAME, H5_ITER_NATIVE, n, H5P_DEFAULT) : -1;
        code = group < 0 || H5Iget_type(group) != H5I_GROUP ? damaged(r, "/policies", "damaged", err)
                                                            : read_policy(r, &group, err);
        mk_h5_close(&group);
    }
out:
    mk_h5_close(&policies);
    return code;
}

/* ---- texts ---- */

/* All texts but provenance, in the order of add_names in store_layout.c. */
static int read_names(struct mk_result *r, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    struct {
        size_t n;
        char ***to;
    } lists[] = {{i->n_instances, &i->instance},
                 {i->n_arms, &i->arm_label},
                 {i->n_arms, &i->family},
                 {i->n_arms, &i->parameters},
                 {i->n_policies, &i->policy},
                 {i->n_policies, &i->policy_name},
                 {i->n_policies, &i->policy_parameters},
                 {i->n_policies, &i->policy_engine}};
    char **root = NULL;
    int code = take_texts(r, 4, &root, err);
    if (!code) {
        i->name = root[1];
        i->title = root[2];
        i->source = root[3];
        free(root[0]);
        free(root);
    } else {
        mk_free_texts(root, 4);
    }
    for (size_t k = 0; !code && k < sizeof lists / sizeof *lists; k++)
        code = take_texts(r, lists[k].n, lists[k].to, err);
    return code;
}

/* Calls visit for the pairs from `at` to `end`; returns 0, or -1 when a value is missing. */
static int visit_pairs(const char *at, const char *end, const char *prefix,
                       void (*visit)(void *context, const char *key, const char *value), void *context)
{
    while (at < end) {
        char key[64];
        snprintf(key, sizeof key, "%s%s", prefix, at);
        at += strlen(at) + 1;
        if (at == end) return -1;
        visit(context, key, at);
        at += strlen(at) + 1;
    }
    return 0;
}

int mk_result_provenance(struct mk_result *r, void (*visit)(void *context, const char *key, const char *value),
                         void *context, struct mk_error *err)
{
    size_t size = 0;
    int status = visit_pairs(r->next, r->texts + r->texts_size, "", visit, context);
    hid_t provenance = open_group(r->file, "provenance");
    hid_t group = provenance < 0 ? -1 : open_group(provenance, "volatile");
    char *texts = group < 0 ? NULL : mk_h5_get_texts(group, &size);
    if (!texts || visit_pairs(texts, texts + size, "volatile/", visit, context)) status = -1;
    free(texts);
    mk_h5_close(&group);
    mk_h5_close(&provenance);
    return status ? damaged(r, "/provenance", "missing or damaged", err) : MK_OK;
}

/* Keeps the value of MK_EXPERIMENT_KEY. */
static void keep_resolved(void *context, const char *key, const char *value)
{
    char **resolved = context;
    if (!*resolved && strcmp(key, MK_EXPERIMENT_KEY) == 0) *resolved = strdup(value);
}

static int read_resolved(struct mk_result *r, struct mk_error *err)
{
    int code = mk_result_provenance(r, keep_resolved, &r->info.resolved, err);
    if (code) return code;
    if (r->info.resolved && mk_text_printable_lines(r->info.resolved)) return MK_OK;
    return damaged(r, "/provenance/" MK_EXPERIMENT_KEY, "missing, or not a text", err);
}

/* Whether all policies have this of single replications. */
static bool all_have(const struct mk_result *r, const struct mk_field *field)
{
    bool have = r->info.has_pulls;
    for (size_t p = 0; p < r->info.n_policies; p++) have &= H5Lexists(r->policy[p], field->name, H5P_DEFAULT) > 0;
    return have;
}

/* Single replications and their costs: of all policies, or of none if the experiment does not ask for them. */
static int read_keep(struct mk_result *r, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    int code = MK_OK;
    i->by_cost = strstr(i->resolved, "\nhorizon_unit: cost\n") != NULL;
    if (i->cost_parts > 1 && !i->by_cost) return damaged(r, "horizon", "fractions of pulls", err);
    i->has_pulls = strstr(i->resolved, "\nkeep: pulls\n") != NULL;
    for (size_t p = 0; p < i->n_policies; p++)
        i->has_pulls |= H5Lexists(r->policy[p], mk_raw_fields[MK_FIELD_PULLS].name, H5P_DEFAULT) > 0;
    if (i->has_pulls && !holds_replications(r)) return damaged(r, "replication", "absurd size", err);
    i->has_costs = all_have(r, &mk_raw_fields[MK_FIELD_COST]);
    i->has_incumbents = all_have(r, &mk_raw_fields[MK_FIELD_INCUMBENT]);
    for (size_t p = 0; !code && i->has_pulls && p < i->n_policies; p++) {
        code = check_fields(r, r->policy[p], mk_raw_fields, MK_FIELD_COST, err);
        if (!code && i->has_costs) code = check_fields(r, r->policy[p], &mk_raw_fields[MK_FIELD_COST], 1, err);
        if (!code && i->has_incumbents)
            code = check_fields(r, r->policy[p], &mk_raw_fields[MK_FIELD_INCUMBENT], 1, err);
        if (code == MK_EINPUT)
            code = damaged(r, i->policy[p],
                           "pulls or max_reward of its replications are missing or not of the shape of a result", err);
    }
    return code;
}

static double value_of(const struct mk_param *param, const struct mk_node *node)
{
    double x = NAN;
    if (!node) return param->flags & (MK_REQUIRED | MK_OPTIONAL) ? NAN : param->def;
    if (node->kind != MK_NODE_SCALAR) return NAN;
    if (param->kind != MK_CHOICE) {
        mk_parse_real(node->text, node->length, &x);
        return x;
    }
    int choice = mk_choice_find(param->choices, node->text);
    return choice < 0 ? NAN : (double)choice;
}

static int read_values(const struct mk_result_info *i, size_t policy, struct mk_error *err)
{
    const struct mk_policy_type *type = i->policy_type[policy];
    const char *text = i->policy_parameters[policy];
    struct mk_tree *tree = NULL;
    if (!type || !text[0]) return MK_OK;
    int code = mk_tree_parse(&tree, i->path, text, strlen(text), err);
    for (size_t k = 0; !code && k < mk_param_count(type->params); k++)
        i->policy_value[policy][k] = value_of(&type->params[k], mk_node_get(tree->root, type->params[k].name));
    if (!code) mk_tree_free(tree);
    return code;
}

/* policy_type and policy_value from names and parameters. */
static int read_types(struct mk_result_info *i, struct mk_error *err)
{
    int code = MK_OK;
    i->policy_type = calloc(i->n_policies + 1, sizeof *i->policy_type);
    i->policy_value = malloc((i->n_policies + 1) * sizeof *i->policy_value);
    if (!i->policy_type || !i->policy_value) return mk_fail_memory(err, i->path);
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        i->policy_type[p] = mk_policy_type_find(i->policy_name[p]);
        for (size_t k = 0; k < MK_MAX_PARAMS; k++) i->policy_value[p][k] = NAN;
        code = read_values(i, p, err);
    }
    return code;
}

/* Closes what is in r->open. */
static void close_cells(struct mk_result *r)
{
    for (size_t f = 0; f < MK_SUMMARY_FIELDS; f++) mk_h5_close(&r->open.summary[f]);
    for (size_t f = 0; f < MK_RAW_FIELDS; f++) mk_h5_close(&r->open.raw[f]);
}

/* ---- opening and closing ---- */

int mk_result_open(struct mk_result **out, const char *path, struct mk_error *err)
{
    struct mk_result *r = calloc(1, sizeof *r);
    int code = MK_OK;
    *out = NULL;
    if (!r) return mk_fail_memory(err, path);
    mk_h5_start();
    r->file = -1;
    r->info.path = strdup(path);
    code = r->info.path ? open_file(r, err) : mk_fail_memory(err, path);
    if (!code) code = read_coords(r, err);
    if (!code) code = read_problem(r, err);
    if (!code) code = read_policies(r, err);
    if (!code) code = read_names(r, err);
    if (!code) code = read_types(&r->info, err);
    if (!code) code = read_resolved(r, err);
    if (!code) code = read_keep(r, err);
    if (!code) {
        *out = r;
        r = NULL;
    }
    mk_result_free(r);
    return code;
}

void mk_result_free(struct mk_result *r)
{
    if (!r) return;
    struct mk_result_info *i = &r->info;
    close_cells(r);
    for (size_t p = 0; r->policy && p < i->n_policies; p++) mk_h5_close(&r->policy[p]);
    mk_h5_close(&r->file);
    mk_free_texts(i->policy, i->n_policies);
    mk_free_texts(i->policy_name, i->n_policies);
    mk_free_texts(i->policy_parameters, i->n_policies);
    mk_free_texts(i->policy_engine, i->n_policies);
    free(i->policy_type);
    free(i->policy_value);
    mk_free_texts(i->instance, i->n_instances);
    mk_free_texts(i->arm_label, i->n_arms);
    mk_free_texts(i->family, i->n_arms);
    mk_free_texts(i->parameters, i->n_arms);
    mk_truth_free(i->truth);
    free(i->own_replications);
    free(i->horizon);
    free(i->quantile);
    free(i->resolved);
    free(i->source);
    free(i->title);
    free(i->name);
    free(i->path);
    free(r->texts);
    free(r->policy);
    free(r);
}

const struct mk_result_info *mk_result_info(const struct mk_result *r)
{
    return &r->info;
}

/* ---- after opening: cells, single replications, rare-event estimates, a choice of policies ---- */

/* Reads a cell, or all of them (NULL), of a field of the summary, or else of the raw values. */
static int read_part(struct mk_result *r, size_t policy, bool summary, size_t field, const struct mk_dataset_cell *cell,
                     void *to, struct mk_error *err)
{
    const struct mk_field *f = summary ? &mk_summary_fields[field] : &mk_raw_fields[field];
    hid_t *dataset = summary ? &r->open.summary[field] : &r->open.raw[field];
    if (r->open.policy != policy) close_cells(r);
    r->open.policy = policy;
    if (*dataset <= 0) {
        hid_t group = summary ? open_group(r->policy[policy], "summary") : -1;
        *dataset = mk_h5_open(summary ? group : r->policy[policy], f, &r->axes);
        mk_h5_close(&group);
    }
    if (*dataset > 0 && !mk_h5_read(*dataset, f, &r->axes, cell, to)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: %s: %s: cannot be read", r->info.path, r->info.policy[policy], f->name);
}

static int check_cell(const struct mk_result *r, size_t policy, size_t instance, size_t horizon, struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    if (policy < i->n_policies && instance < i->n_instances && horizon < i->n_horizons) return MK_OK;
    return damaged(r, NULL, "no such policy, instance or horizon", err);
}

/* Means of pulls lie between 0 and T and are undefined only for arms that the instance lacks. */
static bool cell_holds(const struct mk_result *r, size_t instance, size_t horizon, const struct mk_cell *c)
{
    const struct mk_truth *f = r->info.truth;
    const double most = r->info.by_cost ? INFINITY : (double)r->info.horizon[horizon] * (1 + 1e-12);
    for (size_t k = 0; k < f->n_arms; k++) {
        int lacks = isnan(f->expected_max[mk_truth_at(f, instance, horizon, k)]);
        if (lacks ? !isnan(c->mean_pulls[k]) : !(c->mean_pulls[k] >= 0 && c->mean_pulls[k] <= most)) return false;
        if (c->se_pulls[k] < 0) return false;
    }
    return !(c->se_max < 0) && !(c->lock_out_share < 0 || c->lock_out_share > 1);
}

static int damaged_summary(const struct mk_result *r, size_t policy, struct mk_error *err)
{
    return damaged(r, r->info.policy[policy], "values that no summary can have", err);
}

static int damaged_pulls(const struct mk_result *r, size_t policy, struct mk_error *err)
{
    return damaged(r, r->info.policy[policy], "more pulls than the horizon", err);
}

int mk_result_cell(struct mk_result *r, size_t policy, size_t instance, size_t horizon, struct mk_cell **out,
                   struct mk_error *err)
{
    struct mk_cell *c = NULL;
    const struct mk_dataset_cell cell = {instance, horizon};
    int code = check_cell(r, policy, instance, horizon, err);
    *out = NULL;
    if (code) return code;
    c = mk_cell_new(r->info.n_arms, r->info.n_quantiles);
    if (!c) return mk_fail_memory(err, r->info.path);
    void *const to[MK_SUMMARY_FIELDS] = {c->mean_pulls,      c->se_pulls,       &c->mean_max,
                                         &c->se_max,         c->quantile_pulls, c->quantile_max,
                                         &c->lock_out_share, &c->proxy_regret,  &c->mean_repeated};
    const size_t n = r->info.has_repeated ? MK_SUMMARY_FIELDS : MK_FIELD_MEAN_REPEATED;
    c->mean_repeated = NAN;
    for (size_t f = 0; !code && f < n; f++) code = read_part(r, policy, true, f, &cell, to[f], err);
    if (!code && !cell_holds(r, instance, horizon, c)) code = damaged_summary(r, policy, err);
    if (code)
        mk_cell_free(c);
    else
        *out = c;
    return code;
}

/* The pulls of every replication sum to T at most, unless T is a cost. */
static bool pulls_hold(const struct mk_result_info *i, uint64_t most, const uint64_t *pulls)
{
    if (i->by_cost) return true;
    for (uint64_t n = 0; n < i->replications; n++) {
        uint64_t left = most;
        for (size_t k = 0; k < i->n_arms; left -= pulls[n * i->n_arms + k++])
            if (pulls[n * i->n_arms + k] > left) return false;
    }
    return true;
}

int mk_result_raw(struct mk_result *r, size_t policy, size_t instance, size_t horizon, uint64_t *pulls,
                  double *max_reward, struct mk_error *err)
{
    void *const to[MK_RAW_FIELDS] = {pulls, max_reward, NULL};
    const struct mk_dataset_cell cell = {instance, horizon};
    int code = check_cell(r, policy, instance, horizon, err);
    if (!code && !r->info.has_pulls)
        code = damaged(r, NULL, "contains no pulls of single replications (the experiment has keep: summary)", err);
    for (size_t f = 0; !code && f < MK_RAW_FIELDS; f++)
        if (to[f]) code = read_part(r, policy, false, f, &cell, to[f], err);
    if (!code && pulls && !pulls_hold(&r->info, r->info.horizon[horizon], pulls)) code = damaged_pulls(r, policy, err);
    return code;
}

/* Checks one cell of all of them. */
static int check_values(const struct mk_result *r, struct mk_cell_index at, const struct mk_policy_values *v,
                        struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    const size_t cell = at.instance * i->n_horizons + at.horizon;
    const struct mk_cell c = {.mean_pulls = v->mean_pulls + cell * i->n_arms,
                              .se_pulls = v->se_pulls + cell * i->n_arms,
                              .mean_max = v->mean_max[cell],
                              .se_max = v->se_max[cell]};
    if (!cell_holds(r, at.instance, at.horizon, &c)) return damaged_summary(r, at.policy, err);
    if (v->pulls && !pulls_hold(i, i->horizon[at.horizon], v->pulls + cell * i->replications * i->n_arms))
        return damaged_pulls(r, at.policy, err);
    return MK_OK;
}

int mk_result_policy_values(struct mk_result *r, size_t policy, const struct mk_policy_values *to, struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    void *const summary[] = {to->mean_pulls, to->se_pulls, to->mean_max, to->se_max}, *const raw[] = {to->pulls,
                                                                                                      to->max_reward};
    int code = check_cell(r, policy, 0, 0, err);
    for (size_t f = 0; !code && f <= MK_FIELD_SE_MAX; f++) code = read_part(r, policy, true, f, NULL, summary[f], err);
    for (size_t f = 0; !code && f <= MK_FIELD_MAX_REWARD; f++)
        if (raw[f]) code = read_part(r, policy, false, f, NULL, raw[f], err);
    for (size_t at = 0; !code && at < i->n_instances * i->n_horizons; at++)
        code = check_values(r, (struct mk_cell_index){policy, at / i->n_horizons, at % i->n_horizons}, to, err);
    return code;
}

/* One number of every replication; has: whether the file has them, `missing` what it lacks otherwise. */
static int read_reals(struct mk_result *r, struct mk_cell_index at, size_t field, bool has, const char *missing,
                      double *to, struct mk_error *err)
{
    const struct mk_dataset_cell cell = {at.instance, at.horizon};
    int code = check_cell(r, at.policy, at.instance, at.horizon, err);
    if (!code && !has) code = damaged(r, NULL, missing, err);
    return code ? code : read_part(r, at.policy, false, field, &cell, to, err);
}

int mk_result_costs(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *cost,
                    struct mk_error *err)
{
    return read_reals(r, (struct mk_cell_index){policy, instance, horizon}, MK_FIELD_COST, r->info.has_costs,
                      "contains no costs of pulls", cost, err);
}

int mk_result_incumbents(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *value,
                         struct mk_error *err)
{
    return read_reals(r, (struct mk_cell_index){policy, instance, horizon}, MK_FIELD_INCUMBENT, r->info.has_incumbents,
                      "contains no values without noise and no test scores", value, err);
}

int mk_result_rare(struct mk_result *r, size_t policy, struct mk_rare **out, struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    int code = check_cell(r, policy, 0, 0, err);
    *out = NULL;
    if (code || i->n_instances != 1 || H5Lexists(r->policy[policy], MK_RARE_GROUP, H5P_DEFAULT) <= 0) return code;
    struct mk_rare *rare = mk_rare_new(i->n_horizons, i->n_arms);
    if (!rare) return mk_fail_memory(err, i->path);
    if (mk_rare_load(r->policy[policy], &r->axes, rare)) {
        mk_rare_free(rare);
        return mk_fail(err, MK_EINPUT, "%s: %s: %s: %s", i->path, i->policy[policy], MK_RARE_GROUP, misfit);
    }
    *out = rare;
    return MK_OK;
}

void mk_result_select(struct mk_result *r, const char *keep)
{
    struct mk_result_info *i = &r->info;
    char **const texts[] = {i->policy, i->policy_name, i->policy_parameters, i->policy_engine};
    size_t to = 0;
    close_cells(r);
    for (size_t p = 0; p < i->n_policies; p++) {
        if (!keep[p]) {
            mk_h5_close(&r->policy[p]);
            for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) free(texts[t][p]);
            continue;
        }
        r->policy[to] = r->policy[p];
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) texts[t][to] = texts[t][p];
        i->policy_type[to] = i->policy_type[p];
        memmove(i->policy_value[to++], i->policy_value[p], sizeof *i->policy_value);
    }
    i->n_left_out += i->n_policies - to;
    i->n_policies = to;
}
