#include "sim/problem/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/problem/trajectory_rows.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/records/import.h"

/* Columns that determine the series of a row, then those with its data. -1: not in the file. ARM is arm or arm_index,
 * REWARD is reward or loss, TEST test_reward or test_loss. */
enum {
    INSTANCE,
    ARM,
    REPETITION,
    CLASSIFIER,
    OPTIMIZER,
    KEYS,
    ITERATION = KEYS,
    REWARD,
    COST,
    FIDELITY,
    TEST,
    COLUMNS
};
enum { LONGEST_NAME = 100 };
enum { FIRST_ROOM = 16, LEAST_MEMORY = 256 }; /* rewards of a new series; bytes of rewards in memory for every series */

struct reader {
    struct mk_csv *csv;
    const struct mk_trajectory_options *options;
    int column[COLUMNS];
    bool indexed, losses; /* ARM is arm_index; REWARD is loss */
    bool test_losses;     /* TEST is test_loss */
    bool stands_in;       /* REWARD has values for evaluations in part, which are not left out */
    struct mk_rows *rows;
    struct mk_string_table skipped; /* instances that were not requested */
    struct mk_string_table keys;    /* (instance, arm, baseline?, repetition) of every series */
    /* The loss form with classifiers: mk_gathered.arm is a number in pairs until settle_pairs. */
    struct mk_string_table classifiers;
    struct mk_string_table pairs;   /* (classifier, arm_index), two doubles */
    struct mk_string_table indexes; /* (instance, arm_index); its classifier in classifier_of */
    struct mk_string_table firsts;  /* (instance, classifier); its first arm_index in first_of */
    double *classifier_of, *first_of;
    struct mk_string_table several; /* classifiers that have several arm_index within some instance */
    struct {
        char *text;
        size_t length, room;
    } last[KEYS]; /* key cells of the previous row */
    int has_last;
    size_t current; /* series of that row, SIZE_MAX: skipped */
    struct mk_error *err;
};

const char *const mk_column_names[MK_COLUMNS] = {"instance",  "arm",         "arm_index", "repetition", "classifier",
                                                 "optimizer", "iteration",   "reward",    "loss",       "cost",
                                                 "fidelity",  "test_reward", "test_loss"};

/* As maxk tune and record write further metrics of these names. */
static const char *const metric_names[MK_COLUMNS] = {
    [MK_COLUMN_TEST_REWARD] = "metrics.test_reward", [MK_COLUMN_TEST_LOSS] = "metrics.test_loss"};

static const char *column_name(const struct reader *r, enum mk_recorded_column what)
{
    const char *own = mk_column_names[what], *metric = metric_names[what];
    if (r->options->column[what]) return r->options->column[what];
    return metric && mk_csv_find(r->csv, own) == -1 && mk_csv_find(r->csv, metric) != -1 ? metric : own;
}

/* Chooses between two columns of which one is enough: the one that the options name, or that is there; of two the
 * preferred one. */
static enum mk_recorded_column choose(const struct reader *r, enum mk_recorded_column preferred,
                                      enum mk_recorded_column other)
{
    const char *const *named = r->options->column;
    if (!named[preferred] != !named[other]) return named[preferred] ? preferred : other;
    return mk_csv_find(r->csv, column_name(r, preferred)) == -1 && mk_csv_find(r->csv, column_name(r, other)) != -1
               ? other
               : preferred;
}

/* What is missing, what was found instead, and how to say which column is which. */
static int fail_columns(struct reader *r, const char *missing)
{
    char names[256], alternative[64] = "";
    if (strstr(missing, "arm")) strcpy(alternative, "; arm_index does for arm");
    if (strstr(missing, "reward")) strcat(alternative, *alternative ? ", loss for reward" : "; loss does for reward");
    return mk_fail_at(r->err, (struct mk_where){r->csv->path, 1, 0}, NULL,
                      "no column for %s; the file has %s (separator: %s)%s; say which one is which with columns: {%s: "
                      "COLUMN, …} in the problem or --columns",
                      missing, mk_csv_columns_text(r->csv, names, sizeof names),
                      mk_csv_separator_name(r->csv->separator), alternative, mk_column_names[MK_COLUMN_ARM]);
}

static int find_columns(struct reader *r)
{
    const enum mk_recorded_column reward = choose(r, MK_COLUMN_REWARD, MK_COLUMN_LOSS);
    r->losses = reward == MK_COLUMN_LOSS;
    const enum mk_recorded_column arm =
        r->losses ? choose(r, MK_COLUMN_ARM_INDEX, MK_COLUMN_ARM) : choose(r, MK_COLUMN_ARM, MK_COLUMN_ARM_INDEX);
    r->indexed = arm == MK_COLUMN_ARM_INDEX;
    const enum mk_recorded_column test = r->losses ? choose(r, MK_COLUMN_TEST_LOSS, MK_COLUMN_TEST_REWARD)
                                                   : choose(r, MK_COLUMN_TEST_REWARD, MK_COLUMN_TEST_LOSS);
    r->test_losses = test == MK_COLUMN_TEST_LOSS;
    const enum mk_recorded_column source[COLUMNS] = {
        MK_COLUMN_INSTANCE,  arm,    MK_COLUMN_REPETITION, MK_COLUMN_CLASSIFIER, MK_COLUMN_OPTIMIZER,
        MK_COLUMN_ITERATION, reward, MK_COLUMN_COST,       MK_COLUMN_FIDELITY,   test};
    char missing[128] = "";
    for (int i = 0; i < COLUMNS; i++) {
        const enum mk_recorded_column what = source[i];
        const bool label = i == CLASSIFIER || i == OPTIMIZER, optional = label || i >= COST;
        r->column[i] = label && !r->indexed ? -1 : mk_csv_find(r->csv, column_name(r, what));
        if (r->column[i] == -2)
            return mk_fail_at(r->err, (struct mk_where){r->csv->path, 1, 0}, column_name(r, what), "duplicate column");
        if (r->column[i] != -1 || (optional && !r->options->column[what]) || (label && !r->indexed)) continue;
        snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s%s", *missing ? ", " : "",
                 r->options->column[what]      ? r->options->column[what]
                 : what == MK_COLUMN_ARM_INDEX ? "arm"
                 : what == MK_COLUMN_LOSS      ? "reward"
                                               : mk_column_names[what]);
    }
    const char *name = column_name(r, reward); /* these have what stands in for evaluations in part */
    if (strcmp(name, MK_LOSS_SEEN) == 0 || strcmp(name, MK_LOSS_SHOWN) == 0) r->column[FIDELITY] = -1;
    r->stands_in = r->column[FIDELITY] < 0 && mk_csv_find(r->csv, mk_column_names[MK_COLUMN_FIDELITY]) >= 0;
    return *missing ? fail_columns(r, missing) : MK_OK;
}

static int fail_cell(struct reader *r, int column, const char *expected)
{
    size_t at = (size_t)r->column[column];
    char clip[MK_CLIP_ROOM];
    const struct mk_csv_cell *cell = &r->csv->cell[at];
    return mk_fail_at(r->err, mk_csv_where(r->csv, at), r->csv->column[at], "expected %s, got %s", expected,
                      cell->length ? mk_clip_bytes(cell->text, cell->length, clip) : "an empty cell");
}

/* Below 2^53, not up to it: as a double 2^53 + 1 would be indistinguishable from it. */
static int whole_cell(struct reader *r, int column, double least, double *out)
{
    int code = mk_csv_number(r->csv, (size_t)r->column[column], out, r->err);
    if (code) return code;
    if (*out >= least && *out < MK_EXACT_MAX && *out == (double)(int64_t)*out) return MK_OK;
    return fail_cell(r, column, least < 0 ? "a whole number" : "a whole number >= 0");
}

static const struct mk_csv_cell *cell_of(const struct reader *r, int column)
{
    return r->column[column] < 0 ? NULL : &r->csv->cell[r->column[column]];
}

static int check_name(struct reader *r, int column)
{
    const struct mk_csv_cell *cell = cell_of(r, column);
    if (cell->length && cell->length <= LONGEST_NAME && mk_text_printable(cell->text, cell->length)) return MK_OK;
    return fail_cell(r, column, "a name of 1 to 100 bytes of UTF-8 without control characters");
}

/* Number of the current row's instance, SIZE_MAX when it was not requested. */
static int find_instance(struct reader *r, size_t *out)
{
    const struct mk_csv_cell *cell = cell_of(r, INSTANCE);
    *out = mk_string_table_find(&r->rows->instances, cell->text, cell->length);
    if (*out != SIZE_MAX || mk_string_table_find(&r->skipped, cell->text, cell->length) != SIZE_MAX) return MK_OK;
    int code = check_name(r, INSTANCE);
    if (code) return code;
    int wanted = !r->options->instance;
    for (size_t i = 0; !wanted && i < r->options->n_instances; i++) {
        const char *name = r->options->instance[i];
        wanted = strlen(name) == cell->length && memcmp(name, cell->text, cell->length) == 0;
    }
    if (wanted && r->rows->instances.n == MK_MOST_INSTANCES)
        return mk_fail(r->err, MK_EINPUT, "%s: more than %d instances", r->rows->path, MK_MOST_INSTANCES);
    struct mk_string_table *to = wanted ? &r->rows->instances : &r->skipped;
    size_t id = mk_string_table_add(to, cell->text, cell->length, NULL);
    if (id == SIZE_MAX) return mk_fail_memory(r->err, "instances");
    if (wanted) *out = id;
    return MK_OK;
}

static int intern_arm(struct reader *r, struct mk_string_table *table, const char *text, size_t length, size_t *out)
{
    *out = mk_string_table_add(table, text, length, NULL);
    if (*out == SIZE_MAX) return mk_fail_memory(r->err, "arms");
    return *out < MK_MOST_ARMS ? MK_OK
                               : mk_fail(r->err, MK_EINPUT, "%s: more than %d arms", r->rows->path, MK_MOST_ARMS);
}

/* table[key] = value the first time; *kept = the value of the first time. */
static int keep_first(struct reader *r, struct mk_string_table *table, double **of, const double key[2], double value,
                      double *kept)
{
    int added;
    size_t at = mk_string_table_add(table, key, 2 * sizeof *key, &added);
    if (at == SIZE_MAX) return mk_fail_memory(r->err, "arms");
    if (added && !MK_GROW(*of, at, 1)) return mk_fail_memory(r->err, "arms");
    if (added) (*of)[at] = value;
    *kept = (*of)[at];
    return MK_OK;
}

/* Number of the pair (classifier, arm_index) of the current row. */
static int find_pair(struct reader *r, size_t instance, double index, size_t *pair)
{
    const struct mk_csv_cell *name = cell_of(r, CLASSIFIER);
    double known, first;
    size_t classifier;
    int code = check_name(r, CLASSIFIER);
    if (!code) code = intern_arm(r, &r->classifiers, name->text, name->length, &classifier);
    if (code) return code;
    const double by_index[2] = {(double)instance, index + 0.0}; /* no -0 */
    const double by_classifier[2] = {(double)instance, (double)classifier};
    const double both[2] = {(double)classifier, index + 0.0};
    code = keep_first(r, &r->indexes, &r->classifier_of, by_index, (double)classifier, &known);
    if (!code && known != (double)classifier)
        return fail_cell(r, CLASSIFIER, "the classifier of the earlier rows with this instance and arm_index");
    if (!code) code = keep_first(r, &r->firsts, &r->first_of, by_classifier, index, &first);
    if (!code && first != index && mk_string_table_add(&r->several, name->text, name->length, NULL) == SIZE_MAX)
        code = mk_fail_memory(r->err, "arms");
    if (code) return code;
    *pair = mk_string_table_add(&r->pairs, both, sizeof both, NULL);
    return *pair == SIZE_MAX ? mk_fail_memory(r->err, "arms") : MK_OK;
}

/* Pairs become arms: one for every classifier, or for every pair of those that have several arm_index. */
static int settle_pairs(struct reader *r)
{
    struct mk_rows *rows = r->rows;
    char label[2 * LONGEST_NAME], clip[MK_CLIP_ROOM];
    size_t *arm = malloc((r->pairs.n + 1) * sizeof *arm), *owner = malloc((r->pairs.n + 1) * sizeof *owner);
    int code = arm && owner ? MK_OK : mk_fail_memory(r->err, "arms");
    for (size_t i = 0; i < r->pairs.n && !code; i++) {
        double pair[2];
        memcpy(pair, r->pairs.text[i], sizeof pair);
        const char *name = r->classifiers.text[(size_t)pair[0]];
        int several = mk_string_table_find(&r->several, name, strlen(name)) != SIZE_MAX, added;
        if (several)
            snprintf(label, sizeof label, "%s (%.0f)", name, pair[1]);
        else
            snprintf(label, sizeof label, "%s", name);
        arm[i] = mk_string_table_add(&rows->arms, label, strlen(label), &added);
        if (arm[i] == SIZE_MAX)
            code = mk_fail_memory(r->err, "arms");
        else if (added)
            owner[arm[i]] = (size_t)pair[0];
        else if (several || owner[arm[i]] != (size_t)pair[0])
            code =
                mk_fail(r->err, MK_EINPUT, "%s: two arms would have the label '%s'", rows->path, mk_clip(label, clip));
    }
    for (size_t i = 0; i < rows->n && !code && r->pairs.n; i++)
        if (!rows->series[i].is_baseline) rows->series[i].arm = arm[rows->series[i].arm];
    free(arm);
    free(owner);
    return code;
}

static int find_indexed_arm(struct reader *r, size_t instance, size_t *arm, int *is_baseline)
{
    double index;
    char label[2 * LONGEST_NAME];
    const struct mk_csv_cell *name = cell_of(r, CLASSIFIER);
    int code = whole_cell(r, ARM, -MK_EXACT_MAX, &index);
    if (code) return code;
    *is_baseline = index < 0;
    if (index >= 0 && name) return find_pair(r, instance, index, arm);
    int from = CLASSIFIER;
    if (cell_of(r, OPTIMIZER) && cell_of(r, OPTIMIZER)->length) {
        from = OPTIMIZER;
        name = cell_of(r, OPTIMIZER);
    }
    if (index >= 0) {
        snprintf(label, sizeof label, "%.0f", index);
    } else if (name && name->length) {
        code = check_name(r, from);
        if (code) return code;
        snprintf(label, sizeof label, "%.*s (%.0f)", (int)name->length, name->text, index);
    } else {
        snprintf(label, sizeof label, "baseline (%.0f)", index);
    }
    return intern_arm(r, *is_baseline ? &r->rows->baselines : &r->rows->arms, label, strlen(label), arm);
}

static int find_arm(struct reader *r, size_t instance, size_t *arm, int *is_baseline)
{
    if (r->indexed) return find_indexed_arm(r, instance, arm, is_baseline);
    const struct mk_csv_cell *cell = cell_of(r, ARM);
    int code = check_name(r, ARM);
    *is_baseline = 0;
    return code ? code : intern_arm(r, &r->rows->arms, cell->text, cell->length, arm);
}

/* Repetitions are whole numbers or names; 1 and 1.0 are the same. */
static int find_repetition(struct reader *r, size_t *repetition)
{
    const struct mk_csv_cell *cell = cell_of(r, REPETITION);
    char number[32];
    double value;
    const char *text = cell->text;
    size_t length = cell->length;
    int code = MK_OK;
    if (mk_parse_real(cell->text, cell->length, &value)) {
        code = whole_cell(r, REPETITION, 0, &value);
        text = number;
        length = (size_t)snprintf(number, sizeof number, "%.0f", value);
    } else {
        code = check_name(r, REPETITION);
    }
    if (code) return code;
    *repetition = mk_string_table_add(&r->rows->repetitions, text, length, NULL);
    return *repetition == SIZE_MAX ? mk_fail_memory(r->err, "repetitions") : MK_OK;
}

/* Whether the row is of an optimiser that evaluates in part, and no column says which rows are. */
static bool lacks_fidelity(const struct reader *r)
{
    const struct mk_csv_cell *cell = cell_of(r, OPTIMIZER);
    char name[LONGEST_NAME + 1];
    if (r->column[FIDELITY] >= 0 || r->stands_in || !cell || cell->length > LONGEST_NAME) return false;
    snprintf(name, sizeof name, "%.*s", (int)cell->length, cell->text);
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    return type && type->flags & MK_OPTIMIZER_FIDELITY;
}

/* Sets r->current to the series of the current row. */
static int find_series(struct reader *r)
{
    struct mk_rows *rows = r->rows;
    size_t instance, arm = 0;
    int is_baseline = 0, added = 0;
    size_t repetition;
    r->current = SIZE_MAX;
    int code = find_instance(r, &instance);
    if (code || instance == SIZE_MAX) return code;
    code = find_arm(r, instance, &arm, &is_baseline);
    if (!code) code = find_repetition(r, &repetition);
    if (code) return code;
    uint64_t key[4] = {instance, arm, (uint64_t)is_baseline, repetition};
    size_t id = mk_string_table_add(&r->keys, key, sizeof key, &added);
    if (id == SIZE_MAX) return mk_fail_memory(r->err, "series");
    if (added) {
        rows->lacks_fidelity |= lacks_fidelity(r);
        if (!MK_GROW(rows->series, rows->n, 1)) return mk_fail_memory(r->err, "series");
        rows->series[rows->n++] = (struct mk_gathered){.instance = instance,
                                                       .arm = arm,
                                                       .is_baseline = is_baseline,
                                                       .repetition = repetition,
                                                       .first_line = r->csv->line};
    }
    r->current = id;
    return MK_OK;
}

/* 1 when the row belongs to the same series as the previous row. */
static bool same_series(const struct reader *r)
{
    if (!r->has_last) return false;
    for (int i = 0; i < KEYS; i++) {
        const struct mk_csv_cell *cell = cell_of(r, i);
        if (!cell) continue;
        if (cell->length != r->last[i].length || memcmp(cell->text, r->last[i].text, cell->length) != 0) return false;
    }
    return true;
}

static int remember_keys(struct reader *r)
{
    r->has_last = 0;
    for (int i = 0; i < KEYS; i++) {
        const struct mk_csv_cell *cell = cell_of(r, i);
        if (!cell) continue;
        if (cell->length >= r->last[i].room) {
            const size_t room = r->last[i].room, more = cell->length + 1 - room;
            if (!MK_GROW(r->last[i].text, room, more)) return mk_fail_memory(r->err, "a row");
            r->last[i].room += more;
        }
        memcpy(r->last[i].text, cell->text, cell->length);
        r->last[i].length = cell->length;
    }
    r->has_last = 1;
    return MK_OK;
}

static int grow(struct reader *r, struct mk_gathered *s)
{
    const size_t room = s->room ? 2 * s->room : FIRST_ROOM;
    for (size_t v = 0; v < MK_VALUES; v++) {
        if (!r->rows->has[v]) continue;
        double *value = realloc(s->value[v], room * sizeof *value);
        if (!value) return mk_fail_memory(r->err, "recorded rewards");
        s->value[v] = value;
        r->rows->bytes += (room - s->room) * sizeof *value;
    }
    s->room = room;
    return MK_OK;
}

static int make_room(struct reader *r, struct mk_gathered *s)
{
    size_t memory = r->rows->memory, least = LEAST_MEMORY * r->rows->n;
    if (r->rows->bytes > (memory > least ? memory : least)) {
        int code = mk_rows_to_scratch(r->rows, mk_csv_share(r->csv), r->err);
        if (code) return code;
    }
    return s->held == s->room ? grow(r, s) : MK_OK;
}

static int append(struct reader *r, struct mk_gathered *s, struct mk_loose row)
{
    if (!s->n) s->first = row.iteration;
    s->line = row.line;
    if (row.iteration == s->first + s->n) {
        int code = s->held == s->room ? make_room(r, s) : MK_OK;
        if (code) return code;
        for (size_t v = 0; v < MK_VALUES; v++)
            if (r->rows->has[v]) s->value[v][s->held] = row.value[v];
        s->held++;
        s->n++;
        r->rows->taken++;
        return MK_OK;
    }
    if (!MK_GROW(s->loose, s->n_loose, 1)) return mk_fail_memory(r->err, "recorded rewards");
    s->loose[s->n_loose++] = row;
    return MK_OK;
}

static int read_cost(struct reader *r, double *cost)
{
    *cost = 1;
    if (r->column[COST] < 0) return MK_OK;
    int code = mk_csv_number(r->csv, (size_t)r->column[COST], cost, r->err);
    return code || *cost > 0 ? code : fail_cell(r, COST, "a number > 0");
}

/* NaN where the cell is empty. */
static int read_test(struct reader *r, double *test)
{
    *test = NAN;
    if (r->column[TEST] < 0 || mk_csv_is_missing(r->csv, (size_t)r->column[TEST])) return MK_OK;
    int code = mk_csv_number(r->csv, (size_t)r->column[TEST], test, r->err);
    if (!code && !(fabs(*test) <= MK_MOST_REWARD)) code = fail_cell(r, TEST, "a number from " MK_REWARD_RANGE);
    if (r->test_losses) *test = 0 - *test;
    return code;
}

static int read_fidelity(struct reader *r, double *fidelity)
{
    *fidelity = 1;
    if (r->column[FIDELITY] < 0) return MK_OK;
    int code = mk_csv_number(r->csv, (size_t)r->column[FIDELITY], fidelity, r->err);
    return code || *fidelity > 0 ? code : fail_cell(r, FIDELITY, "a number > 0");
}

/* A row without a reward is as if it were not there, as NaN is in HDF5. */
static int take_row(struct reader *r)
{
    double iteration, reward, cost, fidelity, test;
    int code = MK_OK;
    if (mk_csv_is_missing(r->csv, (size_t)r->column[REWARD])) return MK_OK;
    if (!same_series(r)) {
        code = find_series(r);
        if (!code) code = remember_keys(r);
    }
    if (code || r->current == SIZE_MAX) return code;
    code = whole_cell(r, ITERATION, 0, &iteration);
    if (!code) code = mk_csv_number(r->csv, (size_t)r->column[REWARD], &reward, r->err);
    if (!code && !(fabs(reward) <= MK_MOST_REWARD)) code = fail_cell(r, REWARD, "a number from " MK_REWARD_RANGE);
    if (!code) code = read_cost(r, &cost);
    if (!code) code = read_fidelity(r, &fidelity);
    if (!code) code = read_test(r, &test);
    if (code) return code;
    /* 0 - loss instead of -loss: a loss of 0 is a reward of 0, not of -0. */
    struct mk_loose row = {(uint64_t)iteration, {r->losses ? 0 - reward : reward, cost, test}, r->csv->line};
    struct mk_gathered *s = &r->rows->series[r->current];
    if (fidelity < 1) {
        row.value[MK_VALUE_REWARD] = NAN;
        s->in_part++;
    }
    return append(r, s, row);
}

static void free_rows(struct mk_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) mk_gathered_clear(&rows->series[i]);
    free(rows->series);
    for (size_t v = 0; v < MK_VALUES; v++) mk_scratch_free(rows->spill[v]);
    mk_string_table_free(&rows->instances);
    mk_string_table_free(&rows->arms);
    mk_string_table_free(&rows->baselines);
    mk_string_table_free(&rows->repetitions);
}

static int check_selection(const struct reader *r, size_t *unknown)
{
    const struct mk_trajectory_options *o = r->options;
    const struct mk_string_table *table[2] = {&r->rows->instances, &r->skipped};
    const char *name[20];
    char clip[MK_CLIP_ROOM], all[400];
    size_t n = 0;
    for (size_t i = 0; o->instance && i < o->n_instances; i++) {
        if (mk_string_table_find(table[0], o->instance[i], strlen(o->instance[i])) != SIZE_MAX) continue;
        *unknown = i;
        for (int t = 0; t < 2; t++)
            for (size_t k = 0; k < table[t]->n && n < sizeof name / sizeof *name; k++) name[n++] = table[t]->text[k];
        return mk_fail(r->err, MK_EINPUT, "%s: no instance '%s'; allowed: %s%s", r->rows->path,
                       mk_clip(o->instance[i], clip), mk_join(name, n, all, sizeof all),
                       n < table[0]->n + table[1]->n ? ", …" : "");
    }
    return MK_OK;
}

static int read_csv(struct reader *r, const char *path)
{
    int code = mk_csv_open(&r->csv, path, r->err);
    if (!code) code = find_columns(r);
    if (code) {
        mk_csv_close(r->csv);
        return mk_import_instead(code, path, r->err);
    }
    r->rows->has[MK_VALUE_COST] = r->column[COST] >= 0;
    r->rows->has[MK_VALUE_TEST] = r->column[TEST] >= 0;
    while (!code && (code = mk_csv_next(r->csv, r->err)) == MK_OK) code = take_row(r);
    mk_csv_close(r->csv);
    return code == MK_CSV_END ? MK_OK : code;
}

int mk_trajectory_read(struct mk_problem **out, const char *path, const struct mk_trajectory_options *options,
                       size_t *unknown, struct mk_error *err)
{
    struct mk_rows rows = {.path = path,
                           .has = {[MK_VALUE_REWARD] = true},
                           .memory = options->memory ? options->memory : MK_TRAJECTORY_MEMORY};
    struct reader r = {.options = options, .rows = &rows, .current = SIZE_MAX, .err = err};
    *unknown = SIZE_MAX;
    int code =
        mk_trajectory_is_array(path) ? mk_trajectory_array_gather(&rows, options, &r.skipped, err) : read_csv(&r, path);
    if (!code) code = check_selection(&r, unknown);
    if (!code) code = settle_pairs(&r);
    if (!code) code = mk_rows_build(out, &rows, options, err);
    if (!code) (*out)->losses = r.losses, (*out)->of_searches = r.indexed;
    mk_string_table_free(&r.skipped);
    mk_string_table_free(&r.keys);
    mk_string_table_free(&r.classifiers);
    mk_string_table_free(&r.pairs);
    mk_string_table_free(&r.indexes);
    mk_string_table_free(&r.firsts);
    mk_string_table_free(&r.several);
    free(r.classifier_of);
    free(r.first_of);
    for (int i = 0; i < KEYS; i++) free(r.last[i].text);
    free_rows(&rows);
    return code;
}
