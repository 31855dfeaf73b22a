/* Recorded rewards as an array in an HDF5 file (netCDF-4 files are such files):
 *
 *     /reward       [instance, arm, repetition, iteration] numbers; NaN: there is none
 *     /cost         the same of the costs of the pulls, > 0 wherever there is a reward; or none at all
 *     /test_reward  the same of test scores, NaN: not known; or /test_loss, their negatives; or none at all
 *     /instance     [instance] names, texts or whole numbers; without it 0, 1, …
 *     /arm          [arm] the same
 *
 * NaN at the end of a series: it is shorter; all of it: the series is missing; within it: a hole, as in
 * sim/problem/trajectory.h, whose rules hold. */
#include "sim/problem/trajectory_rows.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/problem/hdf5_file.h"

enum { AXES = 4, LONGEST_NAME = 100 };

static const char *const axes[AXES] = {"instance", "arm", "repetition", "iteration"};

/* As sim/run/store does: quiet, and without HDF5's own visit to open files at exit. */
static void start(void)
{
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

bool mk_trajectory_is_array(const char *path)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char start[sizeof signature];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(start, 1, sizeof start, f) : 0;
    if (f) fclose(f);
    return n == sizeof start && memcmp(start, signature, n) == 0;
}

bool mk_trajectory_in_array(const char *path)
{
    if (!mk_trajectory_is_array(path)) return false;
    start();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool there = file >= 0 && H5Lexists(file, "reward", H5P_DEFAULT) > 0;
    if (file >= 0) H5Fclose(file);
    return there;
}

/* ---- reading ---- */

struct array {
    const char *path;
    size_t *arm;                /* [size[1]] its number in rows->arms once it has a series, else SIZE_MAX */
    hid_t file, set[MK_VALUES]; /* -1: there is none */
    const char *name[MK_VALUES];
    hsize_t size[AXES];
    struct mk_error *err;
};

static int fail(const struct array *a, const char *set, const char *problem)
{
    return mk_fail(a->err, MK_EINPUT, "%s: %s: %s", a->path, set, problem);
}

static int open_file(struct array *a)
{
    start();
    a->file = H5Fopen(a->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (a->file < 0) return mk_fail(a->err, MK_EINPUT, "%s: cannot be read: no undamaged HDF5 file", a->path);
    if (H5Lexists(a->file, "reward", H5P_DEFAULT) > 0) return MK_OK;
    return fail(a, "reward", "missing; expected recorded rewards in a dataset of this name");
}

/* The dataset of this name, if there is one; size <- that of its axes. */
static int open_set(struct array *a, const char *name, hid_t *set, hsize_t size[AXES])
{
    if (H5Lexists(a->file, name, H5P_DEFAULT) <= 0) return MK_OK;
    *set = H5Dopen2(a->file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(*set), type = H5Dget_type(*set);
    const H5T_class_t class = H5Tget_class(type);
    const bool good = H5Sget_simple_extent_ndims(space) == AXES && (class == H5T_FLOAT || class == H5T_INTEGER) &&
                      H5Sget_simple_extent_dims(space, size, NULL) == AXES;
    H5Tclose(type);
    H5Sclose(space);
    return good ? MK_OK : fail(a, name, "expected numbers [instance, arm, repetition, iteration]");
}

/* That of costs or test scores, which has to be as large as that of rewards. */
static int open_further(struct array *a, int v, const char *name)
{
    hsize_t size[AXES];
    a->name[v] = name;
    int code = open_set(a, name, &a->set[v], size);
    if (!code && a->set[v] >= 0 && memcmp(size, a->size, sizeof size) != 0)
        code = fail(a, name, "expected as many instances, arms, repetitions and iterations as reward has");
    return code;
}

static int open_sets(struct array *a)
{
    int code = open_file(a);
    a->name[MK_VALUE_REWARD] = "reward";
    if (!code) code = open_set(a, "reward", &a->set[MK_VALUE_REWARD], a->size);
    for (int i = 0; i < AXES && !code; i++)
        if (a->size[i] < 1 || a->size[i] > (i < 2 ? (hsize_t)MK_MOST_ARMS : (hsize_t)1 << 40))
            code = fail(a, "reward", "expected at least one and at most 10^6 instances and arms");
    if (!code) code = open_further(a, MK_VALUE_COST, "cost");
    if (!code) code = open_further(a, MK_VALUE_TEST, "test_reward");
    if (!code && a->set[MK_VALUE_TEST] < 0) code = open_further(a, MK_VALUE_TEST, "test_loss");
    return code;
}

/* Texts of a dataset into name[n][LONGEST_NAME + 2], of which the last byte tells whether one is too long. */
static bool read_texts(hid_t set, hid_t type, size_t n, char *name)
{
    const size_t room = LONGEST_NAME + 2;
    const hid_t as = H5Tcopy(H5T_C_S1);
    bool good;
    if (H5Tis_variable_str(type) > 0) {
        char **text = calloc(n, sizeof *text);
        H5Tset_size(as, H5T_VARIABLE);
        H5Tset_cset(as, H5Tget_cset(type));
        const hid_t space = H5Dget_space(set);
        good = text && H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
        for (size_t i = 0; good && i < n; i++) snprintf(name + i * room, room, "%s", text[i] ? text[i] : "");
        if (good) H5Dvlen_reclaim(as, space, H5P_DEFAULT, text);
        H5Sclose(space);
        free(text);
    } else {
        H5Tset_size(as, room);
        H5Tset_cset(as, H5Tget_cset(type));
        good = H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0;
    }
    H5Tclose(as);
    return good;
}

static bool read_numbers(hid_t set, size_t n, char *name)
{
    int64_t *value = malloc(n * sizeof *value);
    const bool good = value && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    for (size_t i = 0; good && i < n; i++)
        snprintf(name + i * (LONGEST_NAME + 2), LONGEST_NAME + 2, "%" PRId64, value[i]);
    free(value);
    return good;
}

/* *out: [size] names of an axis, each LONGEST_NAME + 2 bytes. */
static int read_names(const struct array *a, int axis, char **out)
{
    const size_t n = (size_t)a->size[axis], room = LONGEST_NAME + 2;
    char *name = calloc(n, room);
    *out = name;
    if (!name) return mk_fail_memory(a->err, "names");
    if (H5Lexists(a->file, axes[axis], H5P_DEFAULT) <= 0) {
        for (size_t i = 0; i < n; i++) snprintf(name + i * room, room, "%zu", i);
        return MK_OK;
    }
    const hid_t set = H5Dopen2(a->file, axes[axis], H5P_DEFAULT), space = H5Dget_space(set), type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    hsize_t size = 0;
    bool good = H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
                size == n && (class == H5T_STRING || class == H5T_INTEGER);
    if (good) good = class == H5T_STRING ? read_texts(set, type, n, name) : read_numbers(set, n, name);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    if (!good) return fail(a, axes[axis], "expected one name for each, texts or whole numbers");
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(name + i * room);
        if (!length || length > LONGEST_NAME || !mk_text_printable(name + i * room, length))
            return fail(a, axes[axis], "expected names of 1 to 100 bytes of UTF-8 without control characters");
    }
    return MK_OK;
}

static bool is_wanted(const struct mk_trajectory_options *o, const char *name)
{
    for (size_t i = 0; o->instance && i < o->n_instances; i++)
        if (strcmp(o->instance[i], name) == 0) return true;
    return !o->instance;
}

/* Where every reward, and its cost, is in range; at: indices of the series. */
static int check_series(const struct array *a, double *const value[MK_VALUES], size_t from, size_t n,
                        const size_t at[3])
{
    for (size_t t = from; t < n; t++) {
        const double reward = value[MK_VALUE_REWARD][t], cost = value[MK_VALUE_COST] ? value[MK_VALUE_COST][t] : 1;
        const double test = value[MK_VALUE_TEST] ? value[MK_VALUE_TEST][t] : NAN;
        if (isnan(reward)) continue;
        if (!(fabs(reward) <= MK_MOST_REWARD))
            return mk_fail(a->err, MK_EINPUT,
                           "%s: reward[%zu, %zu, %zu, %zu]: expected a number from %s, or NaN, got %g", a->path, at[0],
                           at[1], at[2], t, MK_REWARD_RANGE, reward);
        if (!(cost > 0 && cost < INFINITY))
            return mk_fail(a->err, MK_EINPUT, "%s: cost[%zu, %zu, %zu, %zu]: expected a number > 0, got %g", a->path,
                           at[0], at[1], at[2], t, cost);
        if (fabs(test) > MK_MOST_REWARD)
            return mk_fail(a->err, MK_EINPUT, "%s: %s[%zu, %zu, %zu, %zu]: expected a number from %s, or NaN, got %g",
                           a->path, a->name[MK_VALUE_TEST], at[0], at[1], at[2], t, MK_REWARD_RANGE, test);
    }
    return MK_OK;
}

/* One series from its values, of which the rewards may be NaN; *s is empty where there is none. */
static int gather_series(const struct array *a, struct mk_gathered *s, double *const value[MK_VALUES],
                         const size_t at[3])
{
    const double *reward = value[MK_VALUE_REWARD];
    size_t n = (size_t)a->size[3], from = 0;
    while (n && isnan(reward[n - 1])) n--;
    while (from < n && isnan(reward[from])) from++;
    int code = check_series(a, value, from, n, at);
    if (code) return code;
    size_t whole = from;
    while (whole < n && !isnan(reward[whole])) whole++;
    s->first = from;
    s->n = s->held = s->room = whole - from;
    if (!s->n) return MK_OK;
    s->loose = whole < n ? malloc((n - whole) * sizeof *s->loose) : NULL;
    if (whole < n && !s->loose) return mk_fail_memory(a->err, "recorded rewards");
    for (size_t v = 0; v < MK_VALUES; v++) {
        if (!value[v]) continue;
        s->value[v] = malloc(s->n * sizeof *s->value[v]);
        if (!s->value[v]) return mk_fail_memory(a->err, "recorded rewards");
        memcpy(s->value[v], value[v] + from, s->n * sizeof *value[v]);
    }
    for (size_t t = whole; t < n; t++) {
        if (isnan(reward[t])) continue;
        struct mk_loose *row = &s->loose[s->n_loose++];
        *row = (struct mk_loose){.iteration = t};
        for (size_t v = 0; v < MK_VALUES; v++) row->value[v] = value[v] ? value[v][t] : 0;
    }
    return MK_OK;
}

static int add_name(const struct array *a, struct mk_string_table *to, int axis, const char *name, size_t *at)
{
    int added;
    *at = mk_string_table_add(to, name, strlen(name), &added);
    if (*at == SIZE_MAX) return mk_fail_memory(a->err, "names");
    return added ? MK_OK : fail(a, axes[axis], "expected distinct names");
}

/* All series of an instance; value[v][arm, repetition, iteration]. */
static int gather_instance(const struct array *a, struct mk_rows *rows, size_t instance, size_t i,
                           double *const value[MK_VALUES], const char *arms)
{
    const size_t repetitions = (size_t)a->size[2], length = (size_t)a->size[3], before = rows->n;
    if (!MK_GROW(rows->series, rows->n, (size_t)a->size[1] * repetitions)) return mk_fail_memory(a->err, "series");
    for (size_t k = 0; k < a->size[1]; k++) {
        for (size_t r = 0; r < repetitions; r++) {
            struct mk_gathered *s = &rows->series[rows->n];
            double *of[MK_VALUES];
            for (size_t v = 0; v < MK_VALUES; v++) of[v] = value[v] ? value[v] + (k * repetitions + r) * length : NULL;
            *s = (struct mk_gathered){.instance = instance, .repetition = r};
            int code = gather_series(a, s, of, (const size_t[]){i, k, r});
            if (s->n && a->arm[k] == SIZE_MAX && !code)
                code = add_name(a, &rows->arms, 1, arms + k * (LONGEST_NAME + 2), &a->arm[k]);
            s->arm = a->arm[k];
            rows->n += s->value[MK_VALUE_REWARD] || s->loose;
            rows->taken += s->n;
            for (size_t v = 0; v < MK_VALUES; v++) rows->bytes += value[v] ? s->n * sizeof(double) : 0;
            if (code) return code;
        }
    }
    if (rows->n == before)
        return mk_fail(a->err, MK_EINPUT, "%s: reward[%zu]: every reward is NaN; expected at least one number", a->path,
                       i);
    return rows->bytes > rows->memory ? mk_rows_to_scratch(rows, (double)(i + 1) / (double)a->size[0], a->err) : MK_OK;
}

static int read_set(const struct array *a, int v, size_t i, double *value)
{
    const hsize_t start[AXES] = {i, 0, 0, 0}, count[AXES] = {1, a->size[1], a->size[2], a->size[3]};
    const hid_t from = H5Dget_space(a->set[v]), to = H5Screate_simple(AXES, count, NULL);
    const bool good = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(a->set[v], H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, value) >= 0;
    H5Sclose(from);
    H5Sclose(to);
    return good ? MK_OK : fail(a, a->name[v], "cannot be read");
}

static int read_instance(const struct array *a, size_t i, double *const value[MK_VALUES])
{
    const size_t n = (size_t)(a->size[1] * a->size[2] * a->size[3]);
    int code = MK_OK;
    for (int v = 0; v < MK_VALUES && !code; v++)
        if (value[v]) code = read_set(a, v, i, value[v]);
    const bool losses = value[MK_VALUE_TEST] && strcmp(a->name[MK_VALUE_TEST], "test_loss") == 0;
    for (size_t j = 0; losses && !code && j < n; j++) value[MK_VALUE_TEST][j] = 0 - value[MK_VALUE_TEST][j];
    return code;
}

/* Room for the values of an instance; NULL of those that there are not. */
static int make_room(const struct array *a, struct mk_rows *rows, double *value[MK_VALUES])
{
    for (size_t v = 0; v < MK_VALUES; v++) {
        rows->has[v] = a->set[v] >= 0;
        if (!rows->has[v]) continue;
        value[v] = malloc((size_t)(a->size[1] * a->size[2] * a->size[3]) * sizeof *value[v]);
        if (!value[v]) return mk_fail_memory(a->err, "recorded rewards");
    }
    return MK_OK;
}

static int gather(struct array *a, struct mk_rows *rows, const struct mk_trajectory_options *o,
                  struct mk_string_table *skipped, char *name[2])
{
    const size_t room = LONGEST_NAME + 2;
    char number[32];
    size_t at;
    int code = open_sets(a);
    for (int axis = 0; axis < 2 && !code; axis++) code = read_names(a, axis, &name[axis]);
    if (code) return code;
    double *value[MK_VALUES] = {NULL};
    code = make_room(a, rows, value);
    a->arm = malloc((size_t)a->size[1] * sizeof *a->arm);
    if (!code && !a->arm) code = mk_fail_memory(a->err, "recorded rewards");
    for (size_t k = 0; k < a->size[1] && !code; k++) a->arm[k] = SIZE_MAX;
    for (size_t r = 0; r < a->size[2] && !code; r++) {
        snprintf(number, sizeof number, "%zu", r);
        code = add_name(a, &rows->repetitions, 2, number, &at);
    }
    for (size_t i = 0; i < a->size[0] && !code; i++) {
        const bool wanted = is_wanted(o, name[0] + i * room);
        code = add_name(a, wanted ? &rows->instances : skipped, 0, name[0] + i * room, &at);
        if (!code && wanted) code = read_instance(a, i, value);
        if (!code && wanted) code = gather_instance(a, rows, at, i, value, name[1]);
    }
    for (size_t v = 0; v < MK_VALUES; v++) free(value[v]);
    free(a->arm);
    return code;
}

int mk_trajectory_array_gather(struct mk_rows *rows, const struct mk_trajectory_options *options,
                               struct mk_string_table *skipped, struct mk_error *err)
{
    struct array a = {.path = rows->path, .file = -1, .set = {-1, -1, -1}, .err = err};
    char *name[2] = {NULL, NULL};
    int code = gather(&a, rows, options, skipped, name);
    free(name[0]);
    free(name[1]);
    for (size_t v = 0; v < MK_VALUES; v++)
        if (a.set[v] >= 0) H5Dclose(a.set[v]);
    if (a.file >= 0) H5Fclose(a.file);
    return code;
}

/* ---- writing ---- What is not yet on the disk is written by mk_hdf5_sync, as long as its dataset is open: that says
 * what fails, and H5Dclose may not. */

static bool write_names(hid_t file, int axis, size_t n, const char *const *name, hid_t *set)
{
    const hsize_t size = n;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    *set = H5Dcreate2(file, axes[axis], type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = *set >= 0 && H5Dwrite(*set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool write_values(hid_t file, const char *name, hid_t space, const double *value, hid_t *set)
{
    if (!value) return true;
    *set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return *set >= 0 && H5Dwrite(*set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
}

int mk_recorded_write(const char *path, const struct mk_recorded_arrays *values, const size_t size[4],
                      const char *const *instance, const char *const *arm, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const hsize_t dims[AXES] = {size[0], size[1], size[2], size[3]};
    struct mk_atomic_file place;
    struct mk_error why;
    int code = mk_atomic_file_begin(&place, path, &why);
    if (code) return mk_fail(err, code == MK_EINPUT ? MK_EIO : code, "%s", why.text);
    start();
    errno = 0;
    const hid_t file = H5Fcreate(place.temp, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(AXES, dims, NULL);
    hid_t set[] = {-1, -1, -1, -1, -1};
    bool good = file >= 0;
    if (good) {
        good = write_values(file, "reward", space, values->reward, &set[0]) &&
               write_values(file, "cost", space, values->cost, &set[1]) &&
               write_values(file, "test_reward", space, values->test_reward, &set[2]) &&
               (!instance || write_names(file, 0, size[0], instance, &set[3])) &&
               (!arm || write_names(file, 1, size[1], arm, &set[4])) && !mk_hdf5_sync(file);
        if (!good) {
            code = mk_fail(err, MK_EIO, "%s: write failed: %s", path, errno ? strerror(errno) : "HDF5 error");
            mk_hdf5_abandon(file);
        }
        for (size_t i = 0; i < sizeof set / sizeof *set; i++)
            if (set[i] >= 0) H5Dclose(set[i]);
        good = H5Fclose(file) >= 0 && good;
    }
    H5Sclose(space);
    if (!good && !code) code = mk_fail(err, MK_EIO, "%s: cannot be written", path);
    if (!code) code = mk_atomic_file_commit(&place, err);
    mk_atomic_file_drop(&place);
    return code;
}

int mk_rewards_write(const char *path, const double *reward, const size_t size[4], const char *const *instance,
                     const char *const *arm, struct mk_error *err)
{
    return mk_recorded_write(path, &(struct mk_recorded_arrays){.reward = reward}, size, instance, arm, err);
}
