#include "sim/run/store/store_util.h"

#include <hdf5_hl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/grow.h"

enum {
    COMPRESSED_FROM = 4096, /* arms */
    COMPRESSED_SLAB = 65536 /* arms in a chunk */,
    PLAIN_CHUNK = 8192
};

static const char axis_letters[] = "ihraqpmlt";

const struct mk_field mk_coord_fields[MK_DIMENSION_COORDS] = {
    {"instance", "i", MK_KIND_TEXT, "1", "name of the problem instance"},
    {"horizon", "h", MK_KIND_COUNT, "pulls", "T: number of pulls made so far, over all arms"},
    {"replication", "r", MK_KIND_COUNT, "1",
     "number of the replication, from 0; every policy meets the same random numbers"},
    {"arm", "a", MK_KIND_TEXT, "1", "label of the arm; arms are numbered from 0 in this order"},
    {"quantile", "q", MK_KIND_REAL, "1", "level p of a quantile over replications"},
};

const struct mk_field mk_cost_horizon_field = {"horizon", "h", MK_KIND_COUNT, "cost",
                                               "T: what pulls may cost, over all arms"};

const struct mk_field mk_cost_fraction_field = {"horizon", "h", MK_KIND_REAL, "cost",
                                                "T: what pulls may cost, over all arms"};

const struct mk_field mk_problem_fields[MK_PROBLEM_FIELDS] = {
    {"arm_label", "a", MK_KIND_TEXT, "1", "label of the arm"},
    {"family", "a", MK_KIND_TEXT, "1", "reward family; empty for recorded trajectories"},
    {"parameters", "a", MK_KIND_TEXT, "1", "distribution of the arm (YAML); empty for recorded trajectories"},
    {"support_low", "a", MK_KIND_REAL, "reward",
     "lower end point of the support; smallest recorded reward of trajectories"},
    {"support_high", "a", MK_KIND_REAL, "reward",
     "upper end point of the support; largest recorded reward of trajectories"},
    {"expected_max", "iha", MK_KIND_REAL, "reward",
     "E[M_k(T)]: expected maximum of T rewards; NaN: the instance has no such arm"},
    {"gap", "iha", MK_KIND_REAL, "reward", "Delta_k(T) = max_j E[M_j(T)] - E[M_k(T)]"},
    {"optimal_arm", "ih", MK_KIND_INDEX, "1", "i*(T): number of the arm with the largest E[M_k(T)], from 0"},
};

const struct mk_field mk_own_replications_field = {"replications", "i", MK_KIND_COUNT, "replications",
                                                   "replications of each instance; the others are NaN, or 0 pulls"};

const struct mk_field mk_recorded_fields[MK_RECORDED_FIELDS] = {
    {"best_possible", "ir", MK_KIND_REAL, "reward",
     "largest recorded reward of all arms and combined searches up to T"},
    {"least_reward", "ir", MK_KIND_REAL, "reward", "smallest recorded reward of all arms up to the largest horizon"},
    {"first_median", "ir", MK_KIND_REAL, "reward", "median of the arms' first recorded rewards"},
    {"shift", "i", MK_KIND_REAL, "1", "largest relative rise of the best arm's maxima over 20 parts of its run"},
};

const struct mk_field mk_raw_fields[MK_RAW_FIELDS] = {
    {"pulls", "ihra", MK_KIND_COUNT, "pulls", "N_k(T): pulls of each arm up to T"},
    {"max_reward", "ihr", MK_KIND_REAL, "reward", "largest reward up to T"},
    {"cost", "ihr", MK_KIND_REAL, "whole evaluations", "cost of the pulls made up to T"},
    {"incumbent", "ihr", MK_KIND_REAL, "reward",
     "value without noise (noisy searches) or test score (recorded runs) of the configuration with the largest reward"},
};

const struct mk_field mk_summary_fields[MK_SUMMARY_FIELDS] = {
    {"mean_pulls", "iha", MK_KIND_REAL, "pulls", "mean of N_k(T) over replications; NaN: the instance has no such arm"},
    {"se_pulls", "iha", MK_KIND_REAL, "pulls", "standard error of mean_pulls (n - 1); NaN for one replication"},
    {"mean_max", "ih", MK_KIND_REAL, "reward", "mean of the largest reward up to T"},
    {"se_max", "ih", MK_KIND_REAL, "reward", "standard error of mean_max (n - 1); NaN for one replication"},
    {"quantile_pulls", "ihqa", MK_KIND_REAL, "pulls",
     "quantiles of N_k(T) over replications (type 7; keep: summary: order statistics within 0.1 %)"},
    {"quantile_max", "ihq", MK_KIND_REAL, "reward",
     "quantiles of the largest reward up to T (type 7; keep: summary: order statistics within 0.1 %)"},
    {"lock_out_share", "ih", MK_KIND_REAL, "1",
     "share of replications in which the optimal arm got fewer than T/2 pulls"},
    {"proxy_regret", "ih", MK_KIND_REAL, "1",
     "PER(T) of Baudry et al. 2022, unclipped; NaN without an oracle; keep: summary: within 0.2 % of 1 - PER(T)"},
    {"mean_repeated", "ih", MK_KIND_REAL, "pulls",
     "mean of the pulls up to T past the recorded ends of their series, answered by ends_early"},
};

static const char *const axis_names[MK_DIMENSIONS] = {"instance",  "horizon", "replication", "arm",  "quantile",
                                                      "pulls_bin", "max_bin", "policy",      "trial"};

/* The axis of a letter. */
static enum mk_dimension dimension_of(char letter)
{
    return (enum mk_dimension)(strchr(axis_letters, letter) - axis_letters);
}

void mk_h5_start(void)
{
    H5dont_atexit(); /* otherwise, at exit, it would visit a file whose closing failed once more, and crash */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int mk_h5_close(hid_t *id)
{
    int failed = *id > 0 && H5Idec_ref(*id) < 0;
    *id = -1;
    return failed ? -1 : 0;
}

hid_t mk_h5_text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) mk_h5_close(&type);
    return type;
}

/* Type in memory or in the file; close it. */
static hid_t field_type(enum mk_field_kind kind, int in_file)
{
    switch (kind) {
    case MK_KIND_REAL: return H5Tcopy(in_file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE);
    case MK_KIND_COUNT: return H5Tcopy(in_file ? H5T_STD_U64LE : H5T_NATIVE_UINT64);
    case MK_KIND_INDEX: return H5Tcopy(in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64);
    case MK_KIND_TEXT: break;
    }
    return mk_h5_text_type();
}

/* Closes `space`. */
static int write_attribute(hid_t object, const char *name, hid_t space, hid_t file_type, hid_t memory_type,
                           const void *value)
{
    hid_t attribute = -1;
    int status = -1;
    if (space < 0) goto out;
    attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) goto out;
    status = H5Awrite(attribute, memory_type, value) < 0 ? -1 : 0;
out:
    mk_h5_close(&attribute);
    mk_h5_close(&space);
    return status;
}

static int put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    return write_attribute(object, name, H5Screate(H5S_SCALAR), file_type, memory_type, value);
}

int mk_h5_put_text(hid_t object, const char *name, const char *value)
{
    hid_t type = mk_h5_text_type();
    int status = type < 0 ? -1 : put_attribute(object, name, type, type, &value);
    mk_h5_close(&type);
    return status;
}

int mk_h5_put_index(hid_t object, const char *name, int64_t value)
{
    return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

/* Opens an attribute that holds one whole number, or (one = 0) a row of bytes; *n is their number. */
static hid_t open_attribute(hid_t object, const char *name, int one, size_t *n)
{
    hid_t attribute = -1, space = -1, type = -1;
    hsize_t size = 1;
    bool good = 0;
    if (H5Aexists(object, name) <= 0) return -1;
    attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return -1;
    space = H5Aget_space(attribute);
    type = H5Aget_type(attribute);
    if (space < 0 || type < 0) goto out;
    good = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_ndims(space) == !one;
    if (good && !one) good = H5Tget_size(type) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1;
    *n = (size_t)size;
out:
    mk_h5_close(&space);
    mk_h5_close(&type);
    if (!good) mk_h5_close(&attribute);
    return attribute;
}

bool mk_h5_get_index(hid_t object, const char *name, int64_t *value)
{
    size_t n;
    hid_t attribute = open_attribute(object, name, 1, &n);
    bool found = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    mk_h5_close(&attribute);
    return found;
}

static const char texts_name[] = "texts";

/* A row of n values whose type in memory equals that in the file. */
static int put_list(hid_t object, const char *name, hid_t type, hsize_t n, const void *values)
{
    return write_attribute(object, name, H5Screate_simple(1, &n, NULL), type, type, values);
}

int mk_h5_put_texts(hid_t object, const char *bytes, size_t n)
{
    return put_list(object, texts_name, H5T_STD_U8LE, n, bytes);
}

char *mk_h5_get_texts(hid_t object, size_t *n)
{
    hid_t attribute = open_attribute(object, texts_name, 0, n);
    char *bytes = attribute < 0 || !*n ? NULL : calloc(*n, 1);
    if (bytes && (H5Aread(attribute, H5T_NATIVE_UINT8, bytes) < 0 || bytes[*n - 1])) {
        free(bytes);
        bytes = NULL;
    }
    mk_h5_close(&attribute);
    return bytes;
}

hid_t mk_h5_group(hid_t parent, const char *name)
{
    hid_t group = -1, links = H5Pcreate(H5P_LINK_CREATE), create = H5Pcreate(H5P_GROUP_CREATE);
    if (links < 0 || create < 0) goto out;
    if (H5Pset_char_encoding(links, H5T_CSET_UTF8) < 0 || H5Pset_obj_track_times(create, 0) < 0) goto out;
    group = H5Gcreate2(parent, name, links, create, H5P_DEFAULT);
out:
    mk_h5_close(&create);
    mk_h5_close(&links);
    return group;
}

/* Creation properties of a dataset. Compressed chunks have that of zlib, others get one of their own (Fletcher's), so
 * that readers of any kind notice a damage. */
static hid_t create_properties(enum mk_field_kind kind, int rank, const hsize_t *chunk, bool compressed)
{
    static const double nothing = NAN;
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (create < 0) return -1;
    int failed = H5Pset_obj_track_times(create, 0) < 0;
    if (kind == MK_KIND_REAL) failed = failed || H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &nothing) < 0;
    if (chunk) failed = failed || H5Pset_chunk(create, rank, chunk) < 0;
    if (chunk && compressed)
        failed = failed || H5Pset_shuffle(create) < 0 || H5Pset_deflate(create, 1) < 0;
    else if (chunk)
        failed = failed || H5Pset_fletcher32(create) < 0;
    if (failed) mk_h5_close(&create);
    return create;
}

/* ---- scales: the attributes of the HDF5 Dimension Scale Specification, as H5DSattach_scale leaves them ---- */

static int note_use(struct mk_scale_uses *u, hobj_ref_t dataset, int dimension)
{
    if (!MK_GROW(u->at, u->n, 1)) return -1;
    u->at[u->n++] = (struct mk_scale_use){dataset, dimension, 0};
    return 0;
}

/* Labels and scales of every axis. */
static int attach(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes)
{
    hobj_ref_t self, scale[MK_MAX_RANK];
    hvl_t list[MK_MAX_RANK];
    hid_t type = -1;
    int rank = (int)strlen(f->axes), status = -1;
    if (H5Rcreate(&self, dataset, ".", H5R_OBJECT, -1) < 0) return -1;
    for (int i = 0; i < rank; i++) {
        enum mk_dimension axis = dimension_of(f->axes[i]);
        if (H5DSset_label(dataset, (unsigned)i, axis_names[axis]) < 0) return -1;
        if (H5Rcreate(&scale[i], axes->scale[axis], ".", H5R_OBJECT, -1) < 0) return -1;
        if (note_use(&axes->uses[axis], self, i)) return -1;
        list[i] = (hvl_t){1, &scale[i]};
    }
    type = H5Tvlen_create(H5T_STD_REF_OBJ);
    if (type >= 0) status = put_list(dataset, "DIMENSION_LIST", type, (hsize_t)rank, list);
    mk_h5_close(&type);
    return status;
}

int mk_h5_put_uses(const struct mk_dimensions *axes, size_t first, size_t end)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct mk_scale_use));
    int status = type < 0 || H5Tinsert(type, "dataset", HOFFSET(struct mk_scale_use, dataset), H5T_STD_REF_OBJ) < 0 ||
                         H5Tinsert(type, "dimension", HOFFSET(struct mk_scale_use, dimension), H5T_NATIVE_INT) < 0
                     ? -1
                     : 0;
    for (size_t i = first; i < end && !status; i++) {
        const struct mk_scale_uses *u = &axes->uses[i];
        if (u->n) status = put_list(axes->scale[i], "REFERENCE_LIST", type, u->n, u->at);
    }
    mk_h5_close(&type);
    return status;
}

void mk_h5_free_uses(struct mk_scale_uses *uses)
{
    for (size_t i = 0; i < MK_DIMENSIONS; i++) free(uses[i].at);
}

int mk_h5_link(hid_t group, const struct mk_dimensions *axes, const char *letters)
{
    for (; *letters; letters++) {
        enum mk_dimension axis = dimension_of(*letters);
        if (H5Lcreate_hard(axes->scale[axis], ".", group, mk_coord_fields[axis].name, H5P_DEFAULT, H5P_DEFAULT) < 0)
            return -1;
    }
    return 0;
}

/* Chunks of a dataset of values per arm: rows of one cell each, since cells are read and written whole. Returns whether
 * there are enough arms to compress them; of many arms, most have few and equal pulls. */
static bool arm_chunks(const struct mk_field *f, const struct mk_dimensions *axes, hsize_t *chunk)
{
    const size_t last = strlen(f->axes) - 1;
    const hsize_t arms = axes->size[MK_DIMENSION_ARM];
    if (f->axes[last] != 'a' || f->kind == MK_KIND_TEXT || arms < COMPRESSED_FROM) return false;
    for (size_t axis = 0; axis < last; axis++) chunk[axis] = 1;
    chunk[last] = arms < COMPRESSED_SLAB ? arms : COMPRESSED_SLAB;
    return true;
}

/* Chunks of the other datasets of numbers, which are small and written in the order of their axes: whole rows of the
 * last axes as far as they have no more than PLAIN_CHUNK values. */
static bool plain_chunks(const struct mk_field *f, const struct mk_dimensions *axes, hsize_t *chunk)
{
    hsize_t room = PLAIN_CHUNK;
    for (size_t axis = strlen(f->axes); axis-- > 0;) {
        const hsize_t size = axes->size[dimension_of(f->axes[axis])];
        if (size == 0) return false;
        chunk[axis] = size < room ? size : room;
        room = room / chunk[axis] > 1 ? room / chunk[axis] : 1;
    }
    return f->kind != MK_KIND_TEXT && *f->axes;
}

hid_t mk_h5_create(hid_t group, const struct mk_field *f, const struct mk_dimensions *axes, const hsize_t *chunk,
                   int extends)
{
    hid_t dataset = -1, space = -1, create = -1, access = -1, type = -1;
    hsize_t size[MK_MAX_RANK], most[MK_MAX_RANK], of_arms[MK_MAX_RANK];
    int rank = (int)strlen(f->axes), status = -1;
    if (!chunk && rank > 0 && arm_chunks(f, axes, of_arms)) chunk = of_arms;
    const bool compressed = chunk != NULL;
    if (!chunk && plain_chunks(f, axes, of_arms)) chunk = of_arms;
    int is_scale = rank == 1 && strcmp(f->name, axis_names[dimension_of(*f->axes)]) == 0;
    for (int i = 0; i < rank; i++) most[i] = size[i] = axes->size[dimension_of(f->axes[i])];
    if (extends) most[0] = H5S_UNLIMITED;
    space = H5Screate_simple(rank, size, most);
    create = create_properties(f->kind, rank, chunk, compressed);
    access = H5Pcreate(H5P_DATASET_ACCESS);
    type = field_type(f->kind, 1);
    if (space < 0 || create < 0 || access < 0 || type < 0) goto out;
    if (compressed && !extends && H5Pset_chunk_cache(access, 0, 0, 1.0) < 0) goto out;
    dataset = H5Dcreate2(group, f->name, type, space, H5P_DEFAULT, create, access);
    if (dataset < 0) goto out;
    if (mk_h5_put_text(dataset, "description", f->description) || mk_h5_put_text(dataset, "units", f->units)) goto out;
    status = is_scale ? H5DSset_scale(dataset, f->name) : attach(dataset, f, axes);
out:
    mk_h5_close(&type);
    mk_h5_close(&access);
    mk_h5_close(&create);
    mk_h5_close(&space);
    if (status < 0) mk_h5_close(&dataset);
    return dataset;
}

/* Opens *type, *file_space with the cell selected, and *memory_space. */
static int select_cell(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes,
                       const struct mk_dataset_cell *cell, hid_t *type, hid_t *file_space, hid_t *memory_space)
{
    hsize_t start[MK_MAX_RANK] = {0}, count[MK_MAX_RANK] = {0};
    int rank = (int)strlen(f->axes);
    for (int i = 0; i < rank; i++) {
        const enum mk_dimension axis = dimension_of(f->axes[i]);
        const bool one = cell && (axis == MK_DIMENSION_INSTANCE || axis == MK_DIMENSION_HORIZON);
        if (one) start[i] = axis == MK_DIMENSION_INSTANCE ? cell->instance : cell->horizon;
        count[i] = one ? 1 : axes->size[axis];
    }
    *type = field_type(f->kind, 0);
    *file_space = H5Dget_space(dataset);
    *memory_space = H5Screate_simple(rank, count, NULL);
    if (*type < 0 || *file_space < 0 || *memory_space < 0) return -1;
    return H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ? -1 : 0;
}

/* Writes `from`, or else reads into `to`. */
static int transfer(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes,
                    const struct mk_dataset_cell *cell, const void *from, void *to)
{
    hid_t type = -1, file = -1, memory = -1;
    int status = select_cell(dataset, f, axes, cell, &type, &file, &memory);
    if (!status)
        status = (from ? H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, from)
                       : H5Dread(dataset, type, memory, file, H5P_DEFAULT, to)) < 0
                     ? -1
                     : 0;
    mk_h5_close(&memory);
    mk_h5_close(&file);
    mk_h5_close(&type);
    return status;
}

int mk_h5_write(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes,
                const struct mk_dataset_cell *cell, const void *from)
{
    return transfer(dataset, f, axes, cell, from, NULL);
}

int mk_h5_read(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes,
               const struct mk_dataset_cell *cell, void *to)
{
    return transfer(dataset, f, axes, cell, NULL, to);
}

int mk_h5_put(hid_t group, const struct mk_field *f, const struct mk_dimensions *axes, const void *values)
{
    hid_t dataset = mk_h5_create(group, f, axes, NULL, 0);
    int status = dataset < 0 ? -1 : mk_h5_write(dataset, f, axes, NULL, values);
    return mk_h5_close(&dataset) ? -1 : status;
}

int mk_h5_append(hid_t dataset, enum mk_field_kind kind, hsize_t old, hsize_t n, const void *buffer)
{
    hid_t type = -1, file = -1, memory = -1;
    hsize_t size = old + n;
    int status = -1;
    if (!n) return 0;
    if (H5Dset_extent(dataset, &size) < 0) goto out;
    type = field_type(kind, 0);
    file = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &n, NULL);
    if (type < 0 || file < 0 || memory < 0) goto out;
    if (H5Sselect_hyperslab(file, H5S_SELECT_SET, &old, NULL, &n, NULL) < 0) goto out;
    status = H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, buffer) < 0 ? -1 : 0;
out:
    mk_h5_close(&memory);
    mk_h5_close(&file);
    mk_h5_close(&type);
    return status;
}

static bool type_fits(hid_t type, enum mk_field_kind kind)
{
    H5T_class_t class = H5Tget_class(type);
    switch (kind) {
    case MK_KIND_REAL: return class == H5T_FLOAT;
    case MK_KIND_COUNT:
    case MK_KIND_INDEX: return class == H5T_INTEGER;
    case MK_KIND_TEXT: return class == H5T_STRING && H5Tis_variable_str(type) > 0;
    }
    return false;
}

bool mk_h5_is_there(hid_t parent, const char *name)
{
    H5L_info_t link;
    return H5Lexists(parent, name, H5P_DEFAULT) > 0 && H5Lget_info(parent, name, &link, H5P_DEFAULT) >= 0 &&
           link.type == H5L_TYPE_HARD;
}

/* HDF5 can take values from files named by a dataset: a result has none of these. */
static bool lies_here(hid_t dataset)
{
    hid_t create = H5Dget_create_plist(dataset);
    bool here = create >= 0 && H5Pget_layout(create) != H5D_VIRTUAL && H5Pget_external_count(create) == 0;
    mk_h5_close(&create);
    return here;
}

hid_t mk_h5_open(hid_t group, const struct mk_field *f, const struct mk_dimensions *axes)
{
    hid_t dataset = -1, space = -1, type = -1;
    hsize_t size[H5S_MAX_RANK];
    int rank = (int)strlen(f->axes), good = 0;
    if (!mk_h5_is_there(group, f->name)) return -1;
    dataset = H5Dopen2(group, f->name, H5P_DEFAULT);
    if (dataset < 0) return -1;
    space = H5Dget_space(dataset);
    type = H5Dget_type(dataset);
    if (space < 0 || type < 0) goto out;
    good = H5Sget_simple_extent_dims(space, size, NULL) == rank && type_fits(type, f->kind) && lies_here(dataset);
    for (int i = 0; good && i < rank; i++) good = size[i] == axes->size[dimension_of(f->axes[i])];
out:
    mk_h5_close(&type);
    mk_h5_close(&space);
    if (!good) mk_h5_close(&dataset);
    return dataset;
}

struct mk_cell *mk_cell_new(size_t arms, size_t quantiles)
{
    struct mk_cell *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->mean_pulls = calloc(arms, sizeof *c->mean_pulls);
    c->se_pulls = calloc(arms, sizeof *c->se_pulls);
    c->quantile_pulls = calloc(arms * quantiles, sizeof *c->quantile_pulls);
    c->quantile_max = calloc(quantiles, sizeof *c->quantile_max);
    if (!c->mean_pulls || !c->se_pulls || !c->quantile_pulls || !c->quantile_max) {
        mk_cell_free(c);
        return NULL;
    }
    return c;
}

void mk_cell_free(struct mk_cell *c)
{
    if (!c) return;
    free(c->mean_pulls);
    free(c->se_pulls);
    free(c->quantile_pulls);
    free(c->quantile_max);
    free(c);
}
