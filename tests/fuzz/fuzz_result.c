/* Result files, changed in structure and content, through every command that reads them.
 *
 * An input is a program: a byte that chooses one of three results (single replications and rare events; summaries;
 * recorded rewards), a byte that chooses the command, then changes, each a byte for its kind, a byte for the object
 * that it concerns, and arguments. (Bytes of HDF5's own structures are left alone: the library is responsible for
 * those, and test_store.c changes bytes at random places.) An input that begins as HDF5 files do is taken as the file
 * itself. */
#include <hdf5.h>
#include <math.h>
#include <string.h>

#include "analysis/answers/figures/result_view.h"
#include "sim/program/command/command.h"
#include "sim/run/engine/rare.h"
#include "sim/run/store/result.h"
#include "tests/fuzz/fuzz.h"

/* ---- the results ---- */

enum { KINDS = 3, MOST_OBJECTS = 400, NAME_ROOM = 120, MOST_CHANGES = 32 };

struct original {
    unsigned char *bytes;
    size_t n, objects;
    char (*name)[NAME_ROOM]; /* [objects] paths in the file, in the order of names */
};

static struct original originals[KINDS];
static const char *scratch;

static const char arms[] = "problem: {arms: [{family: power, a: 3, s: 1.01}, "
                           "{family: uniform, lo: 0, hi: 0.9, label: \"b, \\\"c\\\"\"}]}\n";
static const char run[] = "horizons: [10, 14, 20, 28, 40]\nreplications: 4\n"
                          "claims: [{name: c, of: pulls, at_most: alpha * log(T) + U}]\n";

static void write_text(const char *name, const char *a, const char *b, const char *c)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *f = fopen(path, "w");
    FUZZ_MUST(f && fprintf(f, "%s%s%s", a, b, c) > 0 && fclose(f) == 0);
}

static void write_recorded(void)
{
    char path[160];
    snprintf(path, sizeof path, "%s/d.csv", scratch);
    FILE *f = fopen(path, "w");
    FUZZ_MUST(f);
    fprintf(f, "instance,arm,repetition,iteration,reward\n");
    for (int row = 0; row < 2 * 3 * 4 * 12; row++)
        fprintf(f, "i%d,a%d,%d,%d,0.%04d\n", row / 144, row / 48 % 3, row / 12 % 4, row % 12, row * 7919 % 10000);
    FUZZ_MUST(fclose(f) == 0);
}

static herr_t note(hid_t file, const char *name, const H5O_info_t *info, void *data)
{
    struct original *o = data;
    (void)file;
    (void)info;
    FUZZ_MUST(o->objects < MOST_OBJECTS && strlen(name) < NAME_ROOM);
    strcpy(o->name[o->objects++], name);
    return 0;
}

static void keep_result(struct original *o, const char *path)
{
    o->bytes = fuzz_read(path, &o->n);
    o->name = calloc(MOST_OBJECTS, sizeof *o->name);
    FUZZ_MUST(o->name);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    FUZZ_MUST(file >= 0 && H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note, o, H5O_INFO_BASIC) >= 0);
    H5Fclose(file);
}

static void make_result(struct original *o, const char *yaml)
{
    char from[160], to[160];
    snprintf(from, sizeof from, "%s/%s", scratch, yaml);
    snprintf(to, sizeof to, "%s/r.h5", scratch);
    FUZZ_MUST(fuzz_command(mk_cmd_run, (const char *[]){"run", from, "-q", "-j", "1", "-o", to, "--force", NULL}));
    keep_result(o, to);
}

void fuzz_result_start(void)
{
    scratch = fuzz_folder();
    setenv("PATH", scratch, 1);
    write_recorded();
    write_text("a.yaml", arms, run, "policies: [{name: max_ucb, alpha: [0.1, 0.5]}]\nrare_events: 20\n");
    write_text("b.yaml", arms, run, "policies: [{name: max_ucb}, {name: oracle}]\nkeep: summary\n");
    char where[100];
    snprintf(where, sizeof where, "problem: {trajectories: %s/d.csv}\n", scratch);
    write_text("c.yaml", where, "policies: [{name: max_ucb}, {name: uniform}]\n", "horizons: [3, 4, 6, 9, 12]\n");
    make_result(&originals[0], "a.yaml");
    make_result(&originals[1], "b.yaml");
    make_result(&originals[2], "c.yaml");
}

/* ---- programs ---- */

struct program {
    const unsigned char *at, *end;
    const struct original *o;
    hid_t file;
};

static unsigned take(struct program *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static const char *take_object(struct program *p)
{
    return p->o->name[take(p) % p->o->objects];
}

/* A number likely to cause trouble, or any number. */
static uint64_t take_number(struct program *p)
{
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       3,
                                       6,
                                       7,
                                       10,
                                       255,
                                       256,
                                       (uint64_t)1 << 20,
                                       (uint64_t)1 << 31,
                                       (uint64_t)1 << 32,
                                       (uint64_t)1 << 53,
                                       (uint64_t)1 << 62,
                                       (uint64_t)1 << 63,
                                       UINT64_MAX};
    uint64_t x = 0;
    unsigned which = take(p);
    if (which < sizeof special / sizeof *special) return special[which];
    for (int i = 0; i < 8; i++) x = x << 8 | take(p);
    return x;
}

static double take_real(struct program *p)
{
    static const double special[] = {0, -0.0, 1, -1, 0.5, 1e-320, 1e308, -1e308, INFINITY, -INFINITY, NAN, 1e10};
    double x;
    unsigned which = take(p);
    if (which < sizeof special / sizeof *special) return special[which];
    uint64_t bits = take_number(p);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* New type; closed by the caller. */
static hid_t take_type(struct program *p)
{
    hid_t type = -1;
    hsize_t two = 2;
    switch (take(p) % 14) {
    case 0: return H5Tcopy(H5T_IEEE_F64LE);
    case 1: return H5Tcopy(H5T_STD_U64LE);
    case 2: return H5Tcopy(H5T_STD_I64LE);
    case 3: return H5Tcopy(H5T_IEEE_F32BE);
    case 4: return H5Tcopy(H5T_STD_I8LE);
    case 5: return H5Tcopy(H5T_STD_U16BE);
    case 6:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    case 7:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, 1 + take(p));
        return type;
    case 8:
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, "x", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(type, "n", 8, H5T_NATIVE_UINT64);
        return type;
    case 9: return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &two);
    case 10: return H5Tvlen_create(H5T_NATIVE_DOUBLE);
    case 11: return H5Tcreate(H5T_OPAQUE, 8);
    case 12: return H5Tenum_create(H5T_NATIVE_INT64);
    default: return H5Tcopy(H5T_STD_REF_OBJ);
    }
}

/* New space of 0 to 4 dimensions; closed by the caller. *rank and size[] receive them. */
static hid_t take_space(struct program *p, int *rank, hsize_t *size)
{
    *rank = (int)(take(p) % 5);
    for (int i = 0; i < *rank; i++) size[i] = take_number(p);
    return *rank ? H5Screate_simple(*rank, size, NULL) : H5Screate(take(p) % 4 ? H5S_SCALAR : H5S_NULL);
}

static void change_values(struct program *p, const char *name)
{
    hid_t dataset = H5Dopen2(p->file, name, H5P_DEFAULT), type = dataset < 0 ? -1 : H5Dget_type(dataset);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    hssize_t n = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    uint64_t first = take_number(p);
    unsigned count = 1 + take(p) % 16;
    double real = take_real(p);
    uint64_t number = take_number(p);
    if (n > 0 && n < 100000 && (class == H5T_FLOAT || class == H5T_INTEGER)) {
        union {
            double real;
            uint64_t number;
        } *value = malloc((size_t)n * sizeof *value);
        hid_t memory = class == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64;
        if (value && H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0) {
            for (unsigned i = 0; i < count; i++) {
                size_t at = (size_t)((first + i) % (uint64_t)n);
                if (class == H5T_FLOAT)
                    value[at].real = real;
                else
                    value[at].number = number;
            }
            H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
        }
        free(value);
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
}

static void replace_dataset(struct program *p, const char *name)
{
    int rank;
    hsize_t size[4] = {0}, chunk[4] = {1, 1, 1, 1};
    hid_t type = take_type(p), space = take_space(p, &rank, size), create = H5Pcreate(H5P_DATASET_CREATE);
    if (take(p) % 2 && rank) {
        for (int i = 0; i < rank; i++) chunk[i] = size[i] && size[i] < 64 ? size[i] : 64;
        H5Pset_chunk(create, rank, chunk);
        H5Pset_deflate(create, 1);
    }
    H5Pset_alloc_time(create, H5D_ALLOC_TIME_LATE);
    H5Ldelete(p->file, name, H5P_DEFAULT);
    hid_t dataset =
        type < 0 || space < 0 ? -1 : H5Dcreate2(p->file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (dataset >= 0) H5Dclose(dataset);
    H5Pclose(create);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
}

/* The attribute by its number, if the object has so many. */
static int take_attribute(struct program *p, hid_t object, char *name, size_t room)
{
    static const char *const known[] = {"format", "format_version", "texts", "index", "name", "units"};
    unsigned which = take(p);
    if (which < 6) return snprintf(name, room, "%s", known[which]) > 0;
    return H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, which - 6, name, room, H5P_DEFAULT) > 0;
}

/* By another name: HDF5 1.10 crashes in H5Adelete when it moves the attributes that are left into the object's header.
 */
static void drop_attribute(hid_t object, const char *name)
{
    char gone[32];
    for (int i = 0; i < 100; i++) {
        snprintf(gone, sizeof gone, "gone %d", i);
        if (H5Aexists(object, gone) > 0) continue;
        H5Arename(object, name, gone);
        return;
    }
}

static void change_attribute(struct program *p, hid_t object, int replace)
{
    char name[64];
    int rank;
    hsize_t size[4] = {0};
    if (!take_attribute(p, object, name, sizeof name)) return;
    drop_attribute(object, name);
    if (!replace) return;
    hid_t type = take_type(p), space = take_space(p, &rank, size), attribute = -1;
    if (type >= 0 && space >= 0) attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    uint64_t number = take_number(p);
    if (attribute >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == H5T_INTEGER)
        H5Awrite(attribute, H5T_NATIVE_UINT64, &number);
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
}

/* Replaces n bytes of the texts, from a text of a given number on, by bytes of the program; or cuts them there. */
static void change_texts(struct program *p, hid_t object)
{
    hsize_t n = 0;
    if (H5Aexists(object, "texts") <= 0) return;
    hid_t attribute = H5Aopen(object, "texts", H5P_DEFAULT), space = H5Aget_space(attribute);
    H5Sget_simple_extent_dims(space, &n, NULL);
    H5Sclose(space);
    unsigned text = take(p), remove = take(p), insert = take(p) % 64;
    unsigned char *bytes = calloc((size_t)n + insert + 1, 1);
    FUZZ_MUST(bytes);
    if (H5Aread(attribute, H5T_NATIVE_UINT8, bytes) < 0) n = 0;
    H5Aclose(attribute);
    size_t at = 0;
    for (unsigned i = 0; i < text && at < n; at++) i += !bytes[at];
    if (at + remove > n) remove = (unsigned)(n - at);
    if (remove == 255) n = at; /* the rest */
    memmove(bytes + at + insert, bytes + at + (remove == 255 ? 0 : remove),
            (size_t)n - at - (remove == 255 ? 0 : remove));
    for (unsigned i = 0; i < insert; i++) bytes[at + i] = (unsigned char)take(p);
    n = n - (remove == 255 ? 0 : remove) + insert;
    drop_attribute(object, "texts");
    if (n) {
        space = H5Screate_simple(1, &n, NULL);
        attribute = H5Acreate2(object, "texts", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute >= 0) {
            H5Awrite(attribute, H5T_NATIVE_UINT8, bytes);
            H5Aclose(attribute);
        }
        H5Sclose(space);
    }
    free(bytes);
}

static void change(struct program *p)
{
    unsigned kind = take(p) % 12;
    const char *name = kind == 6 ? (take(p) % 2 ? "provenance/volatile" : "provenance") : take_object(p);
    hid_t object = -1;
    switch (kind) {
    case 0: H5Ldelete(p->file, name, H5P_DEFAULT); return;
    case 1:
    case 2: change_values(p, name); return;
    case 3: replace_dataset(p, name); return;
    case 7: H5Lmove(p->file, name, p->file, take_object(p), H5P_DEFAULT, H5P_DEFAULT); return;
    case 8:
        H5Ldelete(p->file, name, H5P_DEFAULT);
        H5Lcreate_soft(take_object(p), p->file, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    case 9:
        H5Ldelete(p->file, name, H5P_DEFAULT);
        H5Lcreate_hard(p->file, take_object(p), p->file, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    case 10:
        H5Ldelete(p->file, name, H5P_DEFAULT);
        H5Lcreate_external("elsewhere.h5", "/", p->file, name, H5P_DEFAULT, H5P_DEFAULT); /* see check_closed */
        return;
    case 11:
        object = H5Gcreate2(p->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (object >= 0) H5Gclose(object);
        return;
    default: break;
    }
    if (kind == 5 && take(p) % 2) name = "/";
    object = H5Oopen(p->file, name, H5P_DEFAULT);
    if (object < 0) return;
    if (kind == 6)
        change_texts(p, object);
    else
        change_attribute(p, object, kind == 5);
    H5Oclose(object);
}

/* ---- reading ---- */

static void add_length(void *context, const char *key, const char *value)
{
    *(size_t *)context += strlen(key) + strlen(value);
}

static void read_all(const char *path)
{
    struct mk_result *r = NULL;
    struct mk_error err = {0, ""};
    size_t length = 0;
    if (!fuzz_outcome(mk_result_open(&r, path, &err), &err)) {
        FUZZ_MUST(strncmp(err.text, path, strlen(path)) == 0);
        return;
    }
    const struct mk_result_info *i = mk_result_info(r);
    int code = mk_result_provenance(r, add_length, &length, &err);
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        struct mk_rare *rare = NULL;
        code = mk_result_rare(r, p, &rare, &err);
        FUZZ_MUST(code || !rare || i->n_instances == 1);
        mk_rare_free(rare);
    }
    fuzz_outcome(code, &err);
    mk_result_free(r);
}

/* Every figure up to its script: fuzz_result_start has hidden gnuplot. */
static void figures(const char *path)
{
    struct mk_result_view s;
    struct mk_error err = {0, ""};
    if (!fuzz_outcome(mk_result_view_open(&s, path, NULL, &err), &err)) return;
    s.to.folder = scratch;
    for (size_t i = 0; i < mk_result_figure_count(); i++) {
        if (!mk_result_figure_at(i)->applies(&s)) continue;
        int code = mk_result_figure_at(i)->draw(&s, &err);
        if (code != MK_EFAIL) fuzz_outcome(code, &err);
    }
    mk_result_view_close(&s);
}

static void command(unsigned which, const char *path)
{
    char folder[160];
    snprintf(folder, sizeof folder, "%s/csv", scratch);
    const struct {
        int (*run)(int argc, char **argv, struct mk_error *err);
        const char *argument[7];
    } commands[] = {
        {mk_cmd_table, {"info"}},
        {mk_cmd_table, {"info", "--experiment"}},
        {mk_cmd_table, {"summary"}},
        {mk_cmd_table, {"summary", "--csv"}},
        {mk_cmd_table, {"bounds", "--lu", "plugin", "--samples", "50"}},
        {mk_cmd_table, {"bounds", "--csv", "--lu", "trimmed"}},
        {mk_cmd_table, {"rank", "--resamples", "3"}},
        {mk_cmd_table, {"rank", "--resamples", "3", "--layout", "beside"}},
        {mk_cmd_table, {"rank", "--resamples", "3", "--layout", "choice"}},
        {mk_cmd_table, {"rate", "--samples", "3"}},
        {mk_cmd_table, {"exceed", "--above", "0.5"}},
        {mk_cmd_export, {"export", "--csv", folder}},
    };
    enum { COMMANDS = sizeof commands / sizeof *commands };
    const char *argument[9] = {NULL};
    if (which % (COMMANDS + 1) == COMMANDS) {
        figures(path);
        return;
    }
    int n = 0;
    for (const char *const *a = commands[which % (COMMANDS + 1)].argument; *a; a++) argument[n++] = *a;
    argument[n] = path;
    fuzz_command(commands[which % (COMMANDS + 1)].run, argument);
}

/* HDF5 wants a real path. */
static const char *save(const void *bytes, size_t n)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/input.h5", scratch);
    fuzz_write(path, bytes, n);
    return path;
}

/* Objects left open would affect the next input. (HDF5 1.10 makes a new file of an empty one that it opens for writing
 * through an external link; if that cannot be closed, as with /dev/null, the object remains, with pointers to freed
 * memory.) */
static void check_closed(const char *after)
{
    ssize_t open = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    if (open) fprintf(stderr, "%zd objects stay open after %s\n", open, after);
    FUZZ_MUST(open == 0);
}

void fuzz_result(const unsigned char *data, size_t n)
{
    struct program p = {data, data + n, NULL, -1};
    if (n >= 4 && memcmp(data, "\211HDF", 4) == 0) {
        read_all(save(data, n));
        check_closed("reading");
        return;
    }
    p.o = &originals[take(&p) % KINDS];
    unsigned which = take(&p);
    const char *path = save(p.o->bytes, p.o->n);
    p.file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    FUZZ_MUST(p.file >= 0);
    for (int i = 0; p.at < p.end && i < MOST_CHANGES; i++) change(&p);
    FUZZ_MUST(H5Fclose(p.file) >= 0);
    check_closed("the changes");
    read_all(path);
    check_closed("reading");
    command(which, path);
    check_closed("the command");
}
