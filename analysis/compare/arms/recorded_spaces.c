#include "analysis/compare/arms/recorded_spaces.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/string_table.h"
#include "sim/base/yaml_values.h"
#include "sim/search/space/space.h"

enum { ABSENT = UINT32_MAX };
static const double log_factor = 10; /* of ranges on a log scale */

/* What was tried of one hyperparameter. */
struct tried {
    struct mk_string_table words; /* its values as texts */
    bool text;                    /* some of them in quotes: not a number */
    uint32_t *value;              /* [n of the arm] number of the word of every configuration, or ABSENT */
    size_t n;                     /* configurations that have it */
    bool fits;                    /* a space can have it */
    size_t parent;                /* where some lack it: the hyperparameter that tells when it is there */
};

struct arm {
    struct mk_string_table names;
    size_t n_hyper;
    struct tried *hyper; /* [n_hyper] in the order of the names */
    size_t n;            /* configurations */
};

/* ---- reading ---- */

static int no_memory(struct mk_error *err)
{
    return mk_fail_memory(err, "search spaces");
}

/* A hyperparameter that no earlier configuration has. */
static bool add_hyper(struct arm *a)
{
    if (!MK_GROW(a->hyper, a->n_hyper, 1)) return false;
    struct tried *h = &a->hyper[a->n_hyper++];
    *h = (struct tried){.value = NULL};
    if (!MK_GROW(h->value, 0, a->n + 1)) return false;
    for (size_t i = 0; i <= a->n; i++) h->value[i] = ABSENT;
    return true;
}

/* What JSON and Python write for an inactive hyperparameter. */
static bool is_nothing(const struct mk_node *value)
{
    return value->kind != MK_NODE_SCALAR ||
           (!value->quoted && (strcmp(value->text, "null") == 0 || strcmp(value->text, "None") == 0 || !value->length));
}

static bool take_value(struct arm *a, const struct mk_node *value)
{
    int added;
    const size_t at = mk_string_table_add(&a->names, value->key, strlen(value->key), &added);
    if (at == SIZE_MAX || (added && !add_hyper(a))) return false;
    struct tried *h = &a->hyper[at];
    const size_t word = mk_string_table_add(&h->words, value->text, value->length, NULL);
    if (word == SIZE_MAX) return false;
    h->value[a->n] = (uint32_t)word;
    h->text |= value->quoted != 0;
    h->n++;
    return true;
}

static int take_configuration(struct arm *a, const struct mk_csv *csv, size_t column, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    struct mk_error why;
    const struct mk_csv_cell *cell = &csv->cell[column];
    int code = mk_tree_parse(&tree, "configuration", cell->text, cell->length, &why);
    if (!code && tree->root->kind != MK_NODE_MAPPING) {
        mk_tree_free(tree);
        return mk_fail_at(err, mk_csv_where(csv, column), "configuration",
                          "expected a mapping of hyperparameters and values");
    }
    if (code == MK_EINPUT) return mk_fail_at(err, mk_csv_where(csv, column), "configuration", "%s", why.text);
    if (code) return mk_fail(err, code, "%s", why.text);
    bool good = true;
    for (size_t i = 0; good && i < a->n_hyper; i++)
        if ((good = MK_GROW(a->hyper[i].value, a->n, 1))) a->hyper[i].value[a->n] = ABSENT;
    for (size_t i = 0; good && i < tree->root->n; i++)
        good = is_nothing(tree->root->child[i]) || take_value(a, tree->root->child[i]);
    a->n++;
    mk_tree_free(tree);
    return good ? MK_OK : no_memory(err);
}

/* The arm of the current row; SIZE_MAX: it is not of an arm of the problem. */
static size_t arm_of(const struct mk_string_table *labels, const struct mk_csv *csv, int arm, int index)
{
    const struct mk_csv_cell *name = &csv->cell[arm];
    if (index >= 0 && csv->cell[index].length && csv->cell[index].text[0] == '-') return SIZE_MAX; /* combined */
    return mk_string_table_find(labels, name->text, name->length);
}

/* The position of a column by its name in the experiment's `columns`, or its usual one; negative: there is none. */
static int find_column(const struct mk_csv *csv, const struct mk_node *resolved, const char *name)
{
    const struct mk_node *columns = mk_node_get(mk_node_get(resolved, "problem"), "columns");
    const struct mk_node *given = mk_node_get(columns, name);
    return mk_csv_find(csv, given ? given->text : name);
}

static int read_rows(struct arm *arm, const struct mk_experiment *e, const struct mk_node *resolved,
                     struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    struct mk_error ignored;
    if (mk_csv_open(&csv, e->problem->file, &ignored)) return MK_OK; /* an array in HDF5 */
    const int index = find_column(csv, resolved, "arm_index"), configuration = mk_csv_find(csv, "configuration");
    int label = find_column(csv, resolved, "arm"), code = MK_OK;
    struct mk_string_table labels = {0};
    if (label < 0) label = find_column(csv, resolved, "classifier");
    for (size_t k = 0; k < e->problem->n_arms && !code; k++) /* distinct */
        if (mk_string_table_add(&labels, e->problem->arm_label[k], strlen(e->problem->arm_label[k]), NULL) == SIZE_MAX)
            code = no_memory(err);
    while (configuration >= 0 && label >= 0 && !code && !(code = mk_csv_next(csv, err))) {
        const size_t k = arm_of(&labels, csv, label, index);
        if (k != SIZE_MAX && csv->cell[configuration].length)
            code = take_configuration(&arm[k], csv, (size_t)configuration, err);
    }
    mk_string_table_free(&labels);
    mk_csv_close(csv);
    return code == MK_CSV_END ? MK_OK : code;
}

/* ---- a hyperparameter ---- */

static double number(const struct tried *h, size_t word)
{
    double x;
    return mk_parse_real(h->words.text[word], h->words.length[word], &x) ? x : NAN;
}

static bool is_numeric(const struct tried *h)
{
    for (size_t i = 0; i < h->words.n; i++)
        if (isnan(number(h, i))) return false;
    return !h->text;
}

/* x to two digits, not below it (up) or not above it. */
static double outwards(double x, bool up)
{
    const double y = mk_round_digits(x, 2);
    const double unit = x != 0 ? pow(10, floor(log10(fabs(x))) - 1) : 0;
    return y == x || (y > x) == up ? y : mk_round_digits(y + (up ? unit : -unit), 2);
}

/* Whether the values have the larger likelihood under the log-uniform distribution on their range. */
static bool is_log(const struct arm *a, const struct tried *h, double low, double high)
{
    double sum = 0;
    if (!(low > 0) || high / low < log_factor) return false;
    for (size_t i = 0; i < a->n; i++) sum += h->value[i] == ABSENT ? 0 : log(number(h, h->value[i]));
    return sum / (double)h->n < log((high - low) / log(high / low));
}

static bool put_range(struct mk_node *to, const struct arm *a, const struct tried *h)
{
    double low = INFINITY, high = -INFINITY;
    bool whole = true;
    for (size_t i = 0; i < h->words.n; i++) {
        const double x = number(h, i);
        low = fmin(low, x);
        high = fmax(high, x);
        whole &= x == floor(x);
    }
    if (low == high) return mk_add_real(to, "constant", low);
    const bool on_log = is_log(a, h, low, high);
    struct mk_node *list = mk_node_add(to, whole ? "integer" : "real", mk_node_new(MK_NODE_LIST, 1));
    return list && mk_add_real(list, NULL, whole ? low : outwards(low, false)) &&
           mk_add_real(list, NULL, whole ? high : outwards(high, true)) && (!on_log || mk_add_text(to, "log", "true"));
}

static bool put_word(struct mk_node *to, const char *key, const char *text)
{
    struct mk_node *word = mk_node_text(text);
    if (word && !*text) word->quoted = 1;
    return mk_node_add(to, key, word) != NULL;
}

static bool put_words(struct mk_node *to, const struct tried *h)
{
    if (h->words.n == 1) return put_word(to, "constant", h->words.text[0]);
    struct mk_node *list = mk_node_add(to, "categorical", mk_node_new(MK_NODE_LIST, 1));
    bool good = list != NULL;
    for (size_t i = 0; good && i < h->words.n; i++) good = put_word(list, NULL, h->words.text[i]);
    return good;
}

/* ---- conditions ---- */

/* Whether the value of hyperparameter p, where it has one, tells when h is there; with[w]: it is there for word w. */
static bool tells(const struct arm *a, const struct tried *h, const struct tried *p, bool *with)
{
    bool *without = calloc(p->words.n, sizeof *without), good = without != NULL;
    memset(with, 0, p->words.n * sizeof *with);
    for (size_t i = 0; good && i < a->n; i++) {
        const bool there = h->value[i] != ABSENT;
        if (p->value[i] == ABSENT)
            good = !there;
        else
            (there ? with : without)[p->value[i]] = true;
    }
    for (size_t w = 0; good && w < p->words.n; w++) good = with[w] != without[w];
    free(without);
    return good;
}

/* The parent of hyperparameter `at`: the first categorical one that tells, of those that are always there or, failing
 * that, come before it; n_hyper: none. */
static size_t find_parent(const struct arm *a, size_t at, bool always, bool *with)
{
    for (size_t i = 0; i < (always ? a->n_hyper : at); i++) {
        const struct tried *p = &a->hyper[i];
        if (p->fits && (p->n == a->n) == always && p->words.n > 1 && !is_numeric(p) && tells(a, &a->hyper[at], p, with))
            return i;
    }
    return always ? find_parent(a, at, false, with) : a->n_hyper;
}

/* Which hyperparameters a space can have. */
static void find_possible(const struct arm *a, bool *with)
{
    for (size_t i = 0; i < a->n_hyper; i++) {
        struct tried *h = &a->hyper[i];
        h->fits = (is_numeric(h) || h->words.n <= MK_SPACE_MOST_WORDS) && !mk_label_problem(a->names.text[i], 0) &&
                  strcmp(a->names.text[i], "forbid") != 0;
    }
    for (size_t i = 0; i < a->n_hyper; i++) {
        struct tried *h = &a->hyper[i];
        if (h->n == a->n || !h->fits) continue;
        h->parent = find_parent(a, i, true, with);
        h->fits = h->parent < a->n_hyper;
    }
}

static bool put_condition(struct mk_node *to, const struct arm *a, const struct tried *h, bool *with)
{
    const struct tried *p = &a->hyper[h->parent];
    struct mk_node *when = mk_node_add(to, "when", mk_node_new(MK_NODE_MAPPING, 1));
    struct mk_node *list = when ? mk_node_add(when, a->names.text[h->parent], mk_node_new(MK_NODE_LIST, 1)) : NULL;
    bool good = list && tells(a, h, p, with);
    for (size_t w = 0; good && w < p->words.n; w++)
        if (with[w]) good = put_word(list, NULL, p->words.text[w]);
    return good;
}

/* ---- a space ---- */

static bool put_hyper(struct mk_node *space, const struct arm *a, size_t at, bool *with)
{
    const struct tried *h = &a->hyper[at];
    struct mk_node *to = mk_node_add(space, a->names.text[at], mk_node_new(MK_NODE_MAPPING, 1));
    return to && (is_numeric(h) ? put_range(to, a, h) : put_words(to, h)) &&
           (h->n == a->n || put_condition(to, a, h, with));
}

static struct mk_node *space_of(const struct arm *a, const char *label, FILE *left_out)
{
    size_t most = 1;
    for (size_t i = 0; i < a->n_hyper; i++) most = a->hyper[i].words.n > most ? a->hyper[i].words.n : most;
    bool *with = malloc(most * sizeof *with), good = with != NULL;
    struct mk_node *space = good ? mk_node_new(MK_NODE_MAPPING, 1) : NULL;
    if (good) find_possible(a, with);
    for (size_t i = 0; space && good && i < a->n_hyper; i++)
        if (a->hyper[i].fits)
            good = put_hyper(space, a, i, with);
        else
            fprintf(left_out, "%s%s of %s", ftell(left_out) ? ", " : "", a->names.text[i], label);
    free(with);
    if (good) return space;
    mk_node_free(space);
    return NULL;
}

static void free_arms(struct arm *arm, size_t n)
{
    for (size_t k = 0; arm && k < n; k++) {
        for (size_t i = 0; i < arm[k].n_hyper; i++) {
            mk_string_table_free(&arm[k].hyper[i].words);
            free(arm[k].hyper[i].value);
        }
        mk_string_table_free(&arm[k].names);
        free(arm[k].hyper);
    }
    free(arm);
}

int mk_recorded_spaces(const struct mk_experiment *e, struct mk_node **space, char **left_out, struct mk_error *err)
{
    const size_t n = e->problem->n_arms;
    struct arm *arm = calloc(n, sizeof *arm);
    struct mk_tree *resolved = NULL;
    size_t length;
    FILE *to = open_memstream(left_out, &length);
    for (size_t k = 0; k < n; k++) space[k] = NULL;
    int code = arm && to ? mk_tree_parse(&resolved, e->file, e->resolved, strlen(e->resolved), err) : no_memory(err);
    if (!code) code = read_rows(arm, e, resolved->root, err);
    for (size_t k = 0; k < n && !code; k++)
        if (arm[k].n && !(space[k] = space_of(&arm[k], e->problem->arm_label[k], to))) code = no_memory(err);
    if (to && fclose(to) && !code) code = no_memory(err);
    mk_tree_free(resolved);
    free_arms(arm, n);
    return code;
}
