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
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/store/journal.h"
#include "sim/store/problem_input.h"
#include "sim/store/store_result.h"

/* Sizes beyond these, or beyond what the file has bytes for, are damage. */
enum { MOST_POLICIES = 1000000, MOST_DEFLATED = 1032 /* what a deflated byte can hold */ };

int mk_result_damaged(const struct mk_result *r, const char *name, const char *what, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "%s: %s%s%s", r->info.path, name ? name : "", name ? ": " : "", what);
}

static const char misfit[] = MK_RESULT_MISFIT;

/* ---- pieces ---- */

/* Copies of the next n texts into *to. */
static int take_texts(struct mk_result *r, size_t n, char ***to, struct mk_error *err)
{
    const char *end = r->texts + r->texts_size;
    *to = calloc(n, sizeof **to);
    if (!*to) return mk_fail_memory(err, r->info.path);
    for (size_t i = 0; i < n; i++) {
        if (r->next == end) return mk_result_damaged(r, "/provenance", "missing texts", err);
        size_t length = strlen(r->next);
        if (!mk_text_printable(r->next, length))
            return mk_result_damaged(r, "/provenance", "texts are not UTF-8 without control characters", err);
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
    if (dataset < 0) return mk_result_damaged(r, f->name, misfit, err);
    int status = buffer ? mk_h5_read(dataset, f, &r->axes,
                                     &(struct mk_dataset_part){MK_EVERYWHERE, MK_EVERYWHERE, 0,
                                                               r->axes.size[MK_DIMENSION_REPLICATION]},
                                     buffer)
                        : 0;
    mk_h5_close(&dataset);
    return status ? mk_result_damaged(r, f->name, "cannot be read", err) : MK_OK;
}

hid_t mk_result_group(hid_t parent, const char *name)
{
    if (!mk_h5_is_there(parent, name)) return -1;
    return H5Gopen2(parent, name, H5P_DEFAULT);
}

/* ---- the file and its coordinates ---- */

static int open_texts(struct mk_result *r, struct mk_error *err)
{
    hid_t group = mk_result_group(r->file, "provenance");
    if (group >= 0) r->texts = mk_h5_get_texts(group, &r->texts_size);
    mk_h5_close(&group);
    r->next = r->texts;
    if (!r->texts) return mk_result_damaged(r, "/provenance", "attribute texts missing or damaged", err);
    if (strcmp(r->texts, MK_STORE_FORMAT) != 0)
        return mk_result_damaged(r, NULL, "HDF5, but not a result of maxk", err);
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
    if (failed || !S_ISREG(st.st_mode)) return mk_result_damaged(r, NULL, "not a regular file", err);
    r->bytes = (hsize_t)st.st_size;
    if (mk_journal_is(r->info.path))
        return mk_result_damaged(r, NULL, "a part or journal of a run; maxk merge combines parts into a result", err);
    if (H5Fis_hdf5(r->info.path) <= 0)
        return mk_result_damaged(r, NULL,
                                 mk_input_is_yaml(r->info.path)
                                     ? "an experiment; expected a result, which maxk run makes of it"
                                     : "not an HDF5 file; expected a result of maxk run",
                                 err);
    r->file = H5Fopen(r->info.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r->file < 0) return mk_result_damaged(r, NULL, "damaged or truncated: HDF5 cannot open it", err);
    if (H5Aexists(r->file, "format") <= 0 || !mk_h5_get_index(r->file, "format_version", &version))
        return mk_result_damaged(r, NULL, "HDF5, but not a result of maxk (no attributes format and format_version)",
                                 err);
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
        return mk_result_damaged(r, mk_coord_fields[i].name, n[i] ? "absurd size" : "coordinate missing or empty", err);
    }
    hsize_t cells = n[MK_DIMENSION_INSTANCE] * n[MK_DIMENSION_ARM]; /* used only where it cannot overflow */
    if (n[MK_DIMENSION_INSTANCE] > most / n[MK_DIMENSION_ARM] || cells > most / n[MK_DIMENSION_HORIZON] ||
        cells * n[MK_DIMENSION_HORIZON] > most / n[MK_DIMENSION_QUANTILE])
        return mk_result_damaged(r, NULL, "absurd sizes", err);
    return MK_OK;
}

static int read_coords(struct mk_result *r, struct mk_error *err)
{
    struct mk_result_info *i = &r->info;
    hid_t group = mk_result_group(r->file, "coords");
    int code = MK_OK;
    if (group < 0) return mk_result_damaged(r, "/coords", "missing", err);
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
    if (!code) code = read_field(r, group, &mk_coord_fields[MK_DIMENSION_HORIZON], i->horizon, err);
    if (!code) code = read_field(r, group, &mk_coord_fields[MK_DIMENSION_QUANTILE], i->quantile, err);
    for (size_t h = 0; !code && h < i->n_horizons; h++)
        if (!i->horizon[h] || i->horizon[h] > (uint64_t)MK_EXACT_MAX || (h && i->horizon[h] <= i->horizon[h - 1]))
            code = mk_result_damaged(r, "horizon", "not ascending from 1 to 2^53", err);
    for (size_t q = 0; !code && q < i->n_quantiles; q++)
        if (!(i->quantile[q] >= 0 && i->quantile[q] <= 1) || (q && !(i->quantile[q] > i->quantile[q - 1])))
            code = mk_result_damaged(r, "quantile", "not ascending from 0 to 1", err);
out:
    mk_h5_close(&group);
    return code;
}

/* ---- problem ---- */

static int new_facts(struct mk_result_info *i, struct mk_error *err)
{
    size_t rows = i->n_instances * i->n_horizons, cells = rows * i->n_arms;
    struct mk_truth *f = i->truth = calloc(1, sizeof *f);
    if (!f) return mk_fail_memory(err, i->path);
    f->n_instances = i->n_instances;
    f->n_horizons = i->n_horizons;
    f->n_arms = i->n_arms;
    f->expected_max = calloc(cells, sizeof *f->expected_max);
    f->gap = calloc(cells, sizeof *f->gap);
    f->optimal_arm = calloc(rows, sizeof *f->optimal_arm);
    f->support_low = calloc(i->n_arms, sizeof *f->support_low);
    f->support_high = calloc(i->n_arms, sizeof *f->support_high);
    if (!f->expected_max || !f->gap || !f->optimal_arm || !f->support_low || !f->support_high)
        return mk_fail_memory(err, i->path);
    return MK_OK;
}

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
            code = mk_result_damaged(r, mk_own_replications_field.name, "more or fewer than there can be", err);
    return code;
}

/* The facts of recorded runs, if the file has them. */
static int read_recorded(struct mk_result *r, hid_t group, struct mk_error *err)
{
    const hsize_t *size = r->axes.size;
    if (H5Lexists(group, mk_recorded_fields[0].name, H5P_DEFAULT) <= 0) return MK_OK;
    if (size[MK_DIMENSION_REPLICATION] > r->bytes / 8 / size[MK_DIMENSION_INSTANCE])
        return mk_result_damaged(r, mk_recorded_fields[0].name, "absurd size", err);
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
    hid_t group = mk_result_group(r->file, "problem");
    int64_t *optimal = NULL;
    int code = group < 0 ? mk_result_damaged(r, "/problem", "missing", err) : new_facts(i, err);
    if (code) goto out;
    optimal = calloc(i->n_instances * i->n_horizons, sizeof *optimal);
    if (!optimal) {
        code = mk_fail_memory(err, i->path);
        goto out;
    }
    void *const to[MK_PROBLEM_FIELDS] = {
        NULL,          NULL,   NULL, i->truth->support_low, i->truth->support_high, i->truth->expected_max,
        i->truth->gap, optimal};
    for (size_t f = 0; !code && f < MK_PROBLEM_FIELDS; f++)
        code = read_field(r, group, &mk_problem_fields[f], to[f], err);
    for (size_t c = 0; !code && c < i->n_instances * i->n_horizons; c++) {
        if (optimal[c] < 0 || (uint64_t)optimal[c] >= i->n_arms)
            code = mk_result_damaged(r, "optimal_arm", "no such arm", err);
        i->truth->optimal_arm[c] = (size_t)optimal[c];
    }
    if (!code && !facts_hold(i->truth)) code = mk_result_damaged(r, "/problem", "values that no problem can have", err);
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
        if (dataset < 0) return mk_result_damaged(r, fields[i].name, misfit, err);
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
        return mk_result_damaged(r, "/policies", "attribute index missing, too large or repeated", err);
    r->policy[at] = *group;
    *group = -1;
    summary = mk_result_group(r->policy[at], "summary");
    int code = summary < 0 ? mk_result_damaged(r, "summary", "missing", err)
                           : check_fields(r, summary, mk_summary_fields, MK_FIELD_MEAN_REPEATED, err);
    const struct mk_field *repeated = &mk_summary_fields[MK_FIELD_MEAN_REPEATED];
    if (!code && H5Lexists(summary, repeated->name, H5P_DEFAULT) > 0) {
        i->has_repeated = true;
        code = check_fields(r, summary, repeated, 1, err);
    } else if (!code && i->has_repeated)
        code = mk_result_damaged(r, repeated->name, "missing", err);
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
    hid_t policies = mk_result_group(r->file, "policies"), group = -1;
    int code = MK_OK;
    if (policies < 0 || H5Gget_info(policies, &about) < 0 || !about.nlinks || about.nlinks > MOST_POLICIES) {
        code = mk_result_damaged(r, "/policies", "missing or empty", err);
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
        code = group < 0 || H5Iget_type(group) != H5I_GROUP ? mk_result_damaged(r, "/policies", "damaged", err)
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
    hid_t provenance = mk_result_group(r->file, "provenance");
    hid_t group = provenance < 0 ? -1 : mk_result_group(provenance, "volatile");
    char *texts = group < 0 ? NULL : mk_h5_get_texts(group, &size);
    if (!texts || visit_pairs(texts, texts + size, "volatile/", visit, context)) status = -1;
    free(texts);
    mk_h5_close(&group);
    mk_h5_close(&provenance);
    return status ? mk_result_damaged(r, "/provenance", "missing or damaged", err) : MK_OK;
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
    return mk_result_damaged(r, "/provenance/" MK_EXPERIMENT_KEY, "missing, or not a text", err);
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
    i->has_pulls = strstr(i->resolved, "\nkeep: pulls\n") != NULL;
    for (size_t p = 0; p < i->n_policies; p++)
        i->has_pulls |= H5Lexists(r->policy[p], mk_raw_fields[MK_FIELD_PULLS].name, H5P_DEFAULT) > 0;
    if (i->has_pulls && !holds_replications(r)) return mk_result_damaged(r, "replication", "absurd size", err);
    i->has_costs = all_have(r, &mk_raw_fields[MK_FIELD_COST]);
    i->has_incumbents = all_have(r, &mk_raw_fields[MK_FIELD_INCUMBENT]);
    for (size_t p = 0; !code && i->has_pulls && p < i->n_policies; p++) {
        code = check_fields(r, r->policy[p], mk_raw_fields, MK_FIELD_COST, err);
        if (!code && i->has_costs) code = check_fields(r, r->policy[p], &mk_raw_fields[MK_FIELD_COST], 1, err);
        if (!code && i->has_incumbents)
            code = check_fields(r, r->policy[p], &mk_raw_fields[MK_FIELD_INCUMBENT], 1, err);
        if (code == MK_EINPUT)
            code = mk_result_damaged(
                r, i->policy[p], "pulls or max_reward of its replications are missing or not of the shape of a result",
                err);
    }
    return code;
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
    if (!code) code = mk_result_policies_read(&r->info, err);
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
    mk_result_close_cells(r);
    for (size_t p = 0; r->policy && p < i->n_policies; p++) mk_h5_close(&r->policy[p]);
    mk_h5_close(&r->file);
    mk_result_policies_clear(i);
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
