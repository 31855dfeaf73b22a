/* The parts of a result file that are known before the first block: attributes, scales, problem, provenance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gsl/gsl_version.h>
#include <yaml.h>
#include <zlib.h>

#include "sim/base/revision.h"
#include "sim/base/statistics.h"
#include "sim/base/yaml_values.h"
#include "sim/run/store/store_util.h"
#include "sim/run/store/swept.h"

enum { SCALE_SLAB = 65536 };

enum { MOST_NUMBERED = 1000000 };

/* The numbers 0, 1, …. */
static int write_replications(hid_t dataset, const struct mk_dimensions *axes)
{
    const size_t n = (size_t)axes->size[MK_DIMENSION_REPLICATION];
    uint64_t *number = malloc(n * sizeof *number);
    for (size_t i = 0; number && i < n; i++) number[i] = i;
    int status = number ? mk_h5_write(dataset, &mk_coord_fields[MK_DIMENSION_REPLICATION], axes, NULL, number) : -1;
    free(number);
    return status;
}

static int write_coords(hid_t file, const struct mk_experiment *e, struct mk_dimensions *axes)
{
    const struct mk_problem *p = e->problem;
    hid_t group = mk_h5_group(file, "coords");
    const void *values[MK_DIMENSION_COORDS] = {NULL};
    const char **instances = calloc(p->n_instances, sizeof *instances);
    double *amount = malloc(e->n_horizons * sizeof *amount);
    int status = -1;
    if (group < 0 || !instances || !amount) goto out;
    for (size_t h = 0; h < e->n_horizons; h++) amount[h] = mk_horizon_amount(p->cost_parts, e->horizon[h]);
    for (size_t i = 0; i < p->n_instances; i++) instances[i] = p->instance[i].name;
    values[MK_DIMENSION_INSTANCE] = instances;
    values[MK_DIMENSION_HORIZON] = p->cost_parts > 1 ? (const void *)amount : e->horizon;
    values[MK_DIMENSION_ARM] = p->arm_label;
    values[MK_DIMENSION_QUANTILE] = mk_quantile_levels;
    const struct mk_field *horizon = p->cost_parts > 1 ? &mk_cost_fraction_field
                                     : p->by_cost      ? &mk_cost_horizon_field
                                                       : &mk_coord_fields[MK_DIMENSION_HORIZON];
    for (size_t i = 0; i < MK_DIMENSION_COORDS; i++) {
        hsize_t chunk = SCALE_SLAB;
        int large = axes->size[i] > SCALE_SLAB;
        const struct mk_field *field = i == MK_DIMENSION_HORIZON ? horizon : &mk_coord_fields[i];
        axes->scale[i] = mk_h5_create(group, field, axes, large ? &chunk : NULL, 0);
        if (axes->scale[i] < 0) goto out;
        /* Summaries have no axis of replications: if there are very many, the scale keeps its length and takes no
         * space. */
        if (!values[i] && e->keep == MK_KEEP_SUMMARY && axes->size[i] > MOST_NUMBERED) continue;
        if (values[i] ? mk_h5_write(axes->scale[i], field, axes, NULL, values[i])
                      : write_replications(axes->scale[i], axes))
            goto out;
    }
    status = mk_h5_link(file, axes, "ihraq");
out:
    free(instances);
    free(amount);
    mk_h5_close(&group);
    return status;
}

/* The family of an arm is that of what its wrappers (shift, truncate, …) act on. */
static const char *family_of(const struct mk_dist *d)
{
    while ((d->type->flags & MK_DIST_WRAPPER) && d->n_parts == 1) d = d->part[0];
    return d->type->name;
}

/* Family and parameters of arm k; "" for recorded rewards; of searches objective and optimiser. The parameters are
 * malloc'ed. */
static const char *arm_family(const struct mk_problem *p, size_t k)
{
    if (p->process) return mk_process_family(p->process[k]);
    if (p->searches) return (*mk_searches_objective(p->searches, 0, k))->type->name;
    return p->dist ? family_of(p->dist[k]) : "";
}

/* {optimizer: tpe, its parameters}. */
static char *search_text(const struct mk_searches *s, size_t k)
{
    const struct mk_optimizer_choice *o = &s->optimizer[k];
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1);
    return mk_node_line(mapping, mapping && mk_add_text(mapping, "optimizer", o->type->name) &&
                                     mk_add_params(mapping, o->type->params, o->par));
}

static char *arm_parameters(const struct mk_problem *p, size_t k)
{
    if (p->process) return mk_process_text(p->process[k]);
    if (p->searches) return search_text(p->searches, k);
    return p->dist ? mk_dist_text(p->dist[k]) : strdup("");
}

static int write_fields(hid_t group, const struct mk_field *field, size_t n, const struct mk_dimensions *axes,
                        const void *const *values)
{
    int status = 0;
    for (size_t i = 0; !status && i < n; i++) status = mk_h5_put(group, &field[i], axes, values[i]);
    return status;
}

static int write_recorded(hid_t group, const struct mk_dimensions *axes, const struct mk_recorded_truth *f)
{
    if (!f) return 0;
    const void *const values[MK_RECORDED_FIELDS] = {f->best, f->least, f->first_median, f->shift};
    return write_fields(group, mk_recorded_fields, MK_RECORDED_FIELDS, axes, values);
}

/* Nothing where all instances have as many. */
static int write_own_replications(hid_t group, const struct mk_experiment *e, const struct mk_dimensions *axes)
{
    const struct mk_problem *p = e->problem;
    bool even = true;
    uint64_t *own = malloc(p->n_instances * sizeof *own);
    if (!own) return -1;
    for (size_t i = 0; i < p->n_instances; i++) {
        own[i] = mk_problem_replications(p, i, e->replications);
        even &= own[i] == e->replications;
    }
    int status = even ? 0 : mk_h5_put(group, &mk_own_replications_field, axes, own);
    free(own);
    return status;
}

static int write_problem(hid_t file, const struct mk_experiment *e, const struct mk_truth *f,
                         const struct mk_dimensions *axes)
{
    const struct mk_problem *p = e->problem;
    size_t cells = f->n_instances * f->n_horizons;
    const char **family = calloc(p->n_arms, sizeof *family);
    char **parameters = calloc(p->n_arms, sizeof *parameters);
    int64_t *optimal = calloc(cells, sizeof *optimal);
    hid_t group = mk_h5_group(file, "problem");
    int status = -1;
    if (!family || !parameters || !optimal || group < 0) goto out;
    for (size_t k = 0; k < p->n_arms; k++) {
        family[k] = arm_family(p, k);
        parameters[k] = arm_parameters(p, k);
        if (!parameters[k]) goto out;
    }
    for (size_t i = 0; i < cells; i++) optimal[i] = (int64_t)f->optimal_arm[i];
    const void *const values[MK_PROBLEM_FIELDS] = {p->arm_label,    family,          parameters, f->support_low,
                                                   f->support_high, f->expected_max, f->gap,     optimal};
    status = write_fields(group, mk_problem_fields, MK_PROBLEM_FIELDS, axes, values) ||
                     write_recorded(group, axes, f->recorded) || write_own_replications(group, e, axes) ||
                     mk_h5_link(group, axes, f->recorded ? "ihra" : "iha")
                 ? -1
                 : 0;
out:
    mk_h5_close(&group);
    free(optimal);
    for (size_t k = 0; parameters && k < p->n_arms; k++) free(parameters[k]);
    free(parameters);
    free(family);
    return status;
}

static int write_texts(hid_t group, const struct mk_field *field, const struct mk_dimensions *axes, char **word)
{
    const size_t n = (size_t)axes->size[MK_DIMENSION_POLICY];
    const char **text = calloc(n, sizeof *text);
    if (!text) return -1;
    for (size_t p = 0; p < n; p++) text[p] = word[p] ? word[p] : "";
    int status = mk_h5_put(group, field, axes, text);
    free(text);
    return status;
}

/* The labels as a scale, and the values of every swept parameter along it. */
static int write_swept(hid_t group, struct mk_dimensions *axes, const char *const *label, const struct mk_swept *swept)
{
    static const struct mk_field labels = {"policy", "l", MK_KIND_TEXT, "1", "label of the policy"};
    hid_t *scale = &axes->scale[MK_DIMENSION_POLICY];
    *scale = mk_h5_create(group, &labels, axes, NULL, 0);
    int status = *scale < 0 ? -1 : mk_h5_write(*scale, &labels, axes, NULL, label);
    for (size_t i = 0; i < swept->n && !status; i++) {
        const struct mk_swept_parameter *of = &swept->parameter[i];
        struct mk_field field = {of->name, "l", MK_KIND_REAL, "1",
                                 "parameter of the policies; NaN, of texts empty: the policy has none of this name"};
        if (strcmp(of->name, labels.name) == 0) continue;
        if (!of->value) field.kind = MK_KIND_TEXT;
        status = of->value ? mk_h5_put(group, &field, axes, of->value) : write_texts(group, &field, axes, of->word);
    }
    if (!status) status = mk_h5_put_uses(axes, MK_DIMENSION_POLICY, MK_DIMENSIONS);
    mk_h5_close(scale);
    return status;
}

/* /parameters, for other programs: ours reads those of the policies. Nothing where nothing was swept. */
static int write_parameters(hid_t file, const struct mk_experiment *e)
{
    const size_t n = e->n_entries;
    const char **label = calloc(n, sizeof *label);
    struct mk_scale_uses uses[MK_DIMENSIONS] = {{0}};
    struct mk_dimensions axes = {.size = {[MK_DIMENSION_POLICY] = n}, .uses = uses};
    struct mk_swept swept = {0};
    hid_t group = -1;
    int status = label && !mk_swept_of(&swept, e, NULL) ? 0 : -1;
    for (size_t p = 0; !status && p < n; p++) label[p] = e->entry[p].label;
    if (!status && swept.n) {
        group = mk_h5_group(file, "parameters");
        status = group < 0 ? -1 : write_swept(group, &axes, label, &swept);
    }
    mk_h5_close(&group);
    mk_h5_free_uses(uses);
    mk_swept_clear(&swept);
    free(label);
    return status;
}

/* A scalar dataset with description and units (of a text: 1), in its object header, which HDF5 gives a checksum. */
static int put_scalar(hid_t group, const char *name, const char *units, const char *description, hid_t file_type,
                      hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR), create = H5Pcreate(H5P_DATASET_CREATE), dataset = -1;
    int status = -1;
    if (space < 0 || create < 0) goto out;
    if (H5Pset_obj_track_times(create, 0) < 0 || H5Pset_layout(create, H5D_COMPACT) < 0) goto out;
    dataset = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (dataset < 0 || mk_h5_put_text(dataset, "description", description)) goto out;
    if (mk_h5_put_text(dataset, "units", units)) goto out;
    status = H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0 ? -1 : 0;
out:
    if (mk_h5_close(&dataset)) status = -1;
    mk_h5_close(&create);
    mk_h5_close(&space);
    return status;
}

static int put_scalar_text(hid_t group, const char *name, const char *description, const char *text)
{
    hid_t type = mk_h5_text_type();
    int status = type < 0 ? -1 : put_scalar(group, name, "1", description, type, type, &text);
    mk_h5_close(&type);
    return status;
}

/* Adds a text to the attribute being collected in `all` (see mk_h5_put_texts). */
static void add_text(FILE *all, const char *text)
{
    fputs(text, all);
    fputc('\0', all);
}

/* A text of provenance: a dataset for other programs, and a pair for our own reader. */
static int put_item(hid_t group, FILE *all, const char *name, const char *description, const char *text)
{
    add_text(all, name);
    add_text(all, text);
    return put_scalar_text(group, name, description, text);
}

static int write_items(hid_t group, const struct mk_experiment *e, FILE *all)
{
    unsigned major, minor, release;
    char hdf5[48];
    if (H5get_libversion(&major, &minor, &release) < 0) return -1;
    snprintf(hdf5, sizeof hdf5, "%u.%u.%u", major, minor, release);
    const char *const items[][3] = {
        {MK_EXPERIMENT_KEY, "the experiment as run: defaults filled in, overrides applied, sweeps expanded (YAML)",
         e->resolved},
        {"revision", "revision of the program", MK_REVISION},
        {"compiler", "compiler that built the program", MK_COMPILER},
        {"flags", "compiler flags", MK_FLAGS},
        {"gsl", "version of the GNU Scientific Library", gsl_version},
        {"hdf5", "version of HDF5", hdf5},
        {"libyaml", "version of libyaml", yaml_get_version_string()},
        {"zlib", "version of zlib", zlibVersion()},
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (put_item(group, all, items[i][0], items[i][1], items[i][2])) return -1;
    char digest[MK_DIGEST_ROOM];
    if (mk_result_digest_text(e->problem, digest)) return -1;
    if (*digest && put_item(group, all, MK_RECORDED_KEY, "digest of the recorded runs", digest)) return -1;
    char *gaps = mk_problem_gaps(e->problem);
    int status =
        !gaps    ? -1
        : !*gaps ? 0
                 : put_item(group, all, MK_GAPS_KEY, "what rules for gaps in recorded runs dropped or filled in", gaps);
    free(gaps);
    return status;
}

/* Numbered texts, in the order in which the reader takes them (store_read.c). */
static int add_names(FILE *all, const struct mk_experiment *e, const char *const *engine)
{
    const struct mk_problem *p = e->problem;
    const char *const root[] = {MK_STORE_FORMAT, e->name, e->title, e->source};
    int status = 0;
    for (size_t i = 0; i < sizeof root / sizeof *root; i++) add_text(all, root[i]);
    for (size_t i = 0; i < p->n_instances; i++) add_text(all, p->instance[i].name);
    for (size_t k = 0; k < p->n_arms; k++) add_text(all, p->arm_label[k]);
    for (size_t k = 0; k < p->n_arms; k++) add_text(all, arm_family(p, k));
    for (size_t k = 0; !status && k < p->n_arms; k++) {
        char *parameters = arm_parameters(p, k);
        add_text(all, parameters ? parameters : "");
        if (!parameters) status = -1;
        free(parameters);
    }
    for (size_t i = 0; i < e->n_entries; i++) add_text(all, e->entry[i].label);
    for (size_t i = 0; i < e->n_entries; i++) add_text(all, e->entry[i].type->name);
    for (size_t i = 0; !status && i < e->n_entries; i++) {
        char *parameters = mk_policy_entry_parameters(&e->entry[i]);
        add_text(all, parameters ? parameters : "");
        if (!parameters) status = -1;
        free(parameters);
    }
    for (size_t i = 0; i < e->n_entries; i++) add_text(all, engine[i]);
    return status;
}

/* Finishes the collection and stores the attribute, if all went well so far. */
static int put_gathered(hid_t group, FILE *all, char **text, const size_t *size, int status)
{
    if (all && fclose(all)) status = -1;
    if (!status) status = mk_h5_put_texts(group, *text, *size);
    free(*text);
    return status;
}

static int write_provenance(hid_t file, const struct mk_experiment *e, const char *const *engine)
{
    hid_t group = mk_h5_group(file, "provenance");
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    int status = group < 0 || !all || add_names(all, e, engine) || write_items(group, e, all) ? -1 : 0;
    status = put_gathered(group, all, &text, &size, status);
    mk_h5_close(&group);
    return status;
}

int mk_layout_file(hid_t file, const struct mk_experiment *e, const struct mk_truth *f, const char *const *engine,
                   struct mk_dimensions *axes)
{
    axes->size[MK_DIMENSION_INSTANCE] = e->problem->n_instances;
    axes->size[MK_DIMENSION_HORIZON] = e->n_horizons;
    axes->size[MK_DIMENSION_REPLICATION] = e->replications;
    axes->size[MK_DIMENSION_ARM] = e->problem->n_arms;
    axes->size[MK_DIMENSION_QUANTILE] = MK_QUANTILES;
    if (mk_h5_put_text(file, "format", MK_STORE_FORMAT) || mk_h5_put_index(file, "format_version", MK_STORE_VERSION) ||
        mk_h5_put_text(file, "name", e->name) || mk_h5_put_text(file, "title", e->title) ||
        mk_h5_put_text(file, "source", e->source))
        return -1;
    return write_coords(file, e, axes) || write_problem(file, e, f, axes) || write_parameters(file, e) ||
                   write_provenance(file, e, engine)
               ? -1
               : 0;
}

/* A link name cannot hold a slash or be a lone dot: these are written %2F and %2E.
 * The attribute `label` has the text. */
static char *group_name(const char *label)
{
    if (strcmp(label, ".") == 0) return strdup("%2E");
    char *name = malloc(3 * strlen(label) + 1), *to = name;
    if (!name) return NULL;
    for (; *label; label++) {
        if (*label == '/') {
            memcpy(to, "%2F", 3);
            to += 3;
        } else {
            *to++ = *label;
        }
    }
    *to = '\0';
    return name;
}

int mk_layout_policy(hid_t policies, const struct mk_policy_entry *entry, int64_t index, const char *engine,
                     hid_t *group)
{
    char *name = group_name(entry->label), *parameters = mk_policy_entry_parameters(entry);
    if (name && parameters) *group = mk_h5_group(policies, name);
    int status = *group <= 0 || mk_h5_put_text(*group, "label", entry->label) ||
                         mk_h5_put_text(*group, "name", entry->type->name) ||
                         mk_h5_put_text(*group, "parameters", parameters) || mk_h5_put_text(*group, "engine", engine) ||
                         mk_h5_put_index(*group, "index", index)
                     ? -1
                     : 0;
    free(parameters);
    free(name);
    return status;
}

int mk_layout_volatile(hid_t file, const struct mk_volatile *v)
{
    hid_t group = mk_h5_group(file, "provenance/volatile");
    char host[256] = "", date[32] = "", threads[32], seconds[32], *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    time_t now = time(NULL);
    struct tm utc;
    int status = -1;
    if (group < 0 || !all) goto out;
    if (gethostname(host, sizeof host - 1)) strcpy(host, "unknown");
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(threads, sizeof threads, "%d", v->threads);
    const int64_t n_threads = v->threads;
    const char *const pairs[] = {"threads", threads, "seconds", mk_format_real(v->seconds, seconds, sizeof seconds)};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) add_text(all, pairs[i]);
    if (put_item(group, all, "host", "name of the machine", host) ||
        put_item(group, all, "date", "end of the run (UTC, ISO 8601)", date) ||
        put_item(group, all, "command_line", "as typed", v->command_line ? v->command_line : "") ||
        put_scalar(group, "threads", "1", "threads of the run", H5T_STD_I64LE, H5T_NATIVE_INT64, &n_threads) ||
        put_scalar(group, "seconds", "s", "wall time of the run", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &v->seconds))
        goto out;
    status = 0;
out:
    status = put_gathered(group, all, &text, &size, status);
    mk_h5_close(&group);
    return status;
}
