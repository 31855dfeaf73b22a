/* Shared by writing and reading of result files: the table of every dataset, and HDF5 with errors as mk_error. Only
 * store_*.c include this header. HDF5 is not thread-safe: one thread at a time. */
#ifndef MAXK_SIM_RUN_STORE_STORE_UTIL_H
#define MAXK_SIM_RUN_STORE_STORE_UTIL_H

#include <hdf5.h>
#include <stdbool.h>

#include "sim/api/maxk/error.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/result.h"
#include "sim/run/store/store_chunk.h"

#define MK_STORE_FORMAT "maxk-results"
enum { MK_STORE_VERSION = 1 };

/* Axes of datasets, each one letter in struct mk_field, and a dimension scale under /coords or next to the dataset. */
enum mk_dimension {
    MK_DIMENSION_INSTANCE,
    MK_DIMENSION_HORIZON,
    MK_DIMENSION_REPLICATION,
    MK_DIMENSION_ARM,
    MK_DIMENSION_QUANTILE,
    MK_DIMENSION_COORDS,
    MK_DIMENSION_PULLS_BIN = MK_DIMENSION_COORDS,
    MK_DIMENSION_MAX_BIN,
    MK_DIMENSION_POLICY,
    MK_DIMENSION_TRIAL,
    MK_DIMENSIONS
};

/* An axis of a dataset that a scale is attached to: an element of the scale's REFERENCE_LIST. */
struct mk_scale_use {
    hobj_ref_t dataset;
    int dimension, zero; /* the rest of the element, so that equal files have equal bytes */
};

struct mk_scale_uses {
    struct mk_scale_use *at; /* [n], owned */
    size_t n;
};

struct mk_dimensions {
    hid_t scale[MK_DIMENSIONS];
    hsize_t size[MK_DIMENSIONS];
    struct mk_scale_uses *uses; /* [MK_DIMENSIONS], collected while datasets are created; NULL for reading */
};

enum mk_field_kind { MK_KIND_REAL, MK_KIND_COUNT, MK_KIND_INDEX, MK_KIND_TEXT };

struct mk_field {
    const char *name, *axes;
    enum mk_field_kind kind;
    const char *units, *description;
};

/* Every dataset with axes, group by group. */
extern const struct mk_field mk_coord_fields[MK_DIMENSION_COORDS];

/* In the place of the horizon's where horizons are costs, and where some are fractions. */
extern const struct mk_field mk_cost_horizon_field, mk_cost_fraction_field;

enum { MK_PROBLEM_FIELDS = 8 };
extern const struct mk_field mk_problem_fields[MK_PROBLEM_FIELDS];

/* Recorded runs whose instances differ in their replications have it. */
extern const struct mk_field mk_own_replications_field;

/* Recorded runs alone have these. */
enum { MK_RECORDED_FIELDS = 4 };
extern const struct mk_field mk_recorded_fields[MK_RECORDED_FIELDS];

/* The cost: of searches that evaluate in part, and where horizons are costs; the incumbent: of noisy searches. */
enum { MK_FIELD_PULLS, MK_FIELD_MAX_REWARD, MK_FIELD_COST, MK_FIELD_INCUMBENT, MK_RAW_FIELDS };
extern const struct mk_field mk_raw_fields[MK_RAW_FIELDS];

enum {
    MK_FIELD_MEAN_PULLS,
    MK_FIELD_SE_PULLS,
    MK_FIELD_MEAN_MAX,
    MK_FIELD_SE_MAX,
    MK_FIELD_QUANTILE_PULLS,
    MK_FIELD_QUANTILE_MAX,
    MK_FIELD_LOCK_OUT_SHARE,
    MK_FIELD_PROXY_REGRET,
    MK_FIELD_MEAN_REPEATED, /* only where rewards go on past the recorded end */
    MK_SUMMARY_FIELDS
};
extern const struct mk_field mk_summary_fields[MK_SUMMARY_FIELDS];

/* One set for pulls, one for max_reward; the first entry is the dimension scale of the bins. */
enum {
    MK_FIELD_BIN_LOW,
    MK_FIELD_BIN_HIGH,
    MK_FIELD_BIN_COUNT,
    MK_FIELD_BIN_FIRST,
    MK_FIELD_BIN_NUMBER,
    MK_HISTOGRAM_FIELDS
};

/* Before the first use of HDF5, and harmless later: its own printing off, its clean-up at exit off. */
void mk_h5_start(void);

/* Closes *id, of any kind, and sets it to -1; 0 and negative numbers are no identifiers. For a dataset that was
 * written, < 0 means that values which HDF5 still held could not be written. */
int mk_h5_close(hid_t *id);

/* New string type (variable length, UTF-8); close it. */
hid_t mk_h5_text_type(void);

/* Attributes of an object. < 0: failed. */
int mk_h5_put_text(hid_t object, const char *name, const char *value);
int mk_h5_put_index(hid_t object, const char *name, int64_t value);
/* 0 when there is no such whole number. */
bool mk_h5_get_index(hid_t object, const char *name, int64_t *value);

/* Texts of variable length lie in HDF5's global heap, which has no checksum and which the library reads without checks:
 * one wrong byte there can crash it. They are written for other programs; our reader takes its texts from the attribute
 * `texts` (of /provenance and of /provenance/volatile), plain bytes with a checksum: each text with its final 0. */
int mk_h5_put_texts(hid_t object, const char *bytes, size_t n);
/* malloc'ed, NULL when missing, not bytes, or without a 0 at the end. */
char *mk_h5_get_texts(hid_t object, size_t *n);

/* Key of the resolved experiment among the pairs (key, value) of provenance. */
#define MK_EXPERIMENT_KEY "experiment"

/* A group without times, < 0: failed. */
hid_t mk_h5_group(hid_t parent, const char *name);

/* Creates the dataset of a field with description, units, labels and its scales; the use of each scale is noted in
 * axes->uses. chunk[] (one per axis) or NULL, for fields of very many arms rows of a cell; `extends`: the first axis
 * may grow. Chunked data is shuffled, deflated and bypasses the chunk cache. */
hid_t mk_h5_create(hid_t group, const struct mk_field *f, const struct mk_dimensions *axes, const hsize_t *chunk,
                   int extends);

/* Attaching a scale by H5DSattach_scale rewrites the scale's list of users every time, quadratic in their number. So
 * uses are noted, and the lists written once and for all: those of scales `first` … `end` - 1. < 0: failed. */
int mk_h5_put_uses(const struct mk_dimensions *axes, size_t first, size_t end);
void mk_h5_free_uses(struct mk_scale_uses *uses);

/* Hard links in `group` to the scales of the axes named by letters: h5netcdf and xarray look for dimensions by name
 * in a group and those above it. */
int mk_h5_link(hid_t group, const struct mk_dimensions *axes, const char *letters);

/* A part of a dataset: one instance and horizon, everything along other axes. */
struct mk_dataset_cell {
    hsize_t instance, horizon;
};

/* Writes and reads a cell, or the whole dataset (NULL); values in C order with the native type of the field's kind.
 * < 0: failed. */
int mk_h5_write(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes,
                const struct mk_dataset_cell *cell, const void *from);
int mk_h5_read(hid_t dataset, const struct mk_field *f, const struct mk_dimensions *axes,
               const struct mk_dataset_cell *cell, void *to);

/* Creates the dataset of a field, as mk_h5_create with NULL, with these values. < 0: failed. */
int mk_h5_put(hid_t group, const struct mk_field *f, const struct mk_dimensions *axes, const void *values);

/* Lengthens a growing dataset of one axis from `old` by n values. */
int mk_h5_append(hid_t dataset, enum mk_field_kind kind, hsize_t old, hsize_t n, const void *buffer);

/* 1 when `name` exists in `parent` itself, not as a reference to another place or file. */
bool mk_h5_is_there(hid_t parent, const char *name);

/* Opens the dataset of a field; -1 unless it lies in this file and has the type of the field and the shape of
 * axes->size. */
hid_t mk_h5_open(hid_t group, const struct mk_field *f, const struct mk_dimensions *axes);

/* A cell with room for `arms` arms and the MK_QUANTILES levels or as many as given; NULL: no memory. */
struct mk_cell *mk_cell_new(size_t arms, size_t quantiles);

/* ---- store_layout.c: what is known of a new file before the first block, and its end; < 0: failed ---- */

/* Root attributes, /coords (into *axes, whose scales the caller closes), /problem, /provenance. */
int mk_layout_file(hid_t file, const struct mk_experiment *e, const struct mk_truth *f, const char *const *engine,
                   struct mk_dimensions *axes);

/* The group of one entry with its attributes; *group, 0 before, is the caller's to close. */
int mk_layout_policy(hid_t policies, const struct mk_policy_entry *entry, int64_t index, const char *engine,
                     hid_t *group);

int mk_layout_volatile(hid_t file, const struct mk_volatile *v);

/* ---- store_bins.c: the histograms of a policy; < 0: failed ---- */

struct mk_bins_out {
    hid_t id[2][MK_HISTOGRAM_FIELDS]; /* 0 before they are created */
    hsize_t n[2];                     /* bins written so far */
};
struct mk_histogram;
int mk_bins_create(struct mk_bins_out *out, hid_t summary, const struct mk_dimensions *of_file);
/* pulls[arms]; an empty one has no bins. */
int mk_bins_write(struct mk_bins_out *out, const struct mk_dimensions *axes, const struct mk_dataset_cell *cell,
                  const struct mk_histogram *pulls, size_t arms, const struct mk_histogram *max);

/* ---- store_rare.c: the rare-event estimates in the group of a policy; < 0: failed ---- */

#define MK_RARE_GROUP "rare"
struct mk_rare;
int mk_rare_store(hid_t policy, const struct mk_dimensions *axes, const struct mk_rare *r);
int mk_rare_load(hid_t policy, const struct mk_dimensions *axes, struct mk_rare *r);

#endif
