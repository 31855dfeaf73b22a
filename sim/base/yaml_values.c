#include "sim/base/yaml_values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

int mk_fail_word(struct mk_error *err, struct mk_where where, const char *key, const char *name, const char *what,
                 const char *of, const char *const *word, size_t n)
{
    char all[700], clip[MK_CLIP_ROOM], key_clip[MK_CLIP_ROOM], meant[2 * MK_CLIP_ROOM] = "";
    const char *nearest = mk_nearest(name, word, n);
    if (nearest) snprintf(meant, sizeof meant, " (did you mean '%s'?)", nearest);
    mk_join(word, n, all, sizeof all);
    return mk_fail_at(err, where, mk_clip(key, key_clip), "unknown %s '%s'%s%s%s; allowed: %s", what,
                      mk_clip(name, clip), *of ? " for " : "", of, meant, all);
}

int mk_fail_name(struct mk_error *err, const struct mk_node *node, const char *key, const char *what,
                 const char *const *word, size_t n)
{
    char all[700], clip[MK_CLIP_ROOM];
    if (node->kind == MK_NODE_SCALAR && node->length)
        return mk_fail_word(err, node->where, key, node->text, what, "", word, n);
    return mk_fail_at(err, node->where, key, "expected a name, got %s; allowed: %s", mk_node_describe(node, clip),
                      mk_join(word, n, all, sizeof all));
}

int mk_check_keys(const struct mk_node *node, const char *what, const char *const *allowed, size_t n,
                  struct mk_error *err)
{
    char all[700], clip[MK_CLIP_ROOM];
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(err, node->where, node->key, "expected a mapping with the keys %s; got %s",
                          mk_join(allowed, n, all, sizeof all), mk_node_describe(node, clip));
    for (size_t i = 0; i < node->n; i++) {
        const char *key = node->child[i]->key;
        size_t j = 0;
        while (j < n && strcmp(allowed[j], key) != 0) j++;
        if (j < n) continue;
        return mk_fail_word(err, node->child[i]->key_where, key, key, "key", what, allowed, n);
    }
    return MK_OK;
}

int mk_check_list(const struct mk_node *node, const char *key, const char *what, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    if (node->kind == MK_NODE_LIST && node->n) return MK_OK;
    return mk_fail_at(err, node->where, key, "expected a list of at least one %s, got %s", what,
                      mk_node_describe(node, clip));
}

static int fail_value(const struct mk_node *node, const struct mk_param *p, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], range[256];
    return mk_fail_at(err, node->where, p->name, "expected %s%s got %s", mk_param_range(p, range, sizeof range),
                      p->kind == MK_CHOICE ? ";" : ",", mk_node_describe(node, clip));
}

static bool parse_infinite(const char *text, double *out)
{
    const char *word = text + (*text == '-' || *text == '+');
    if (*word == '.') word++;
    if (strcasecmp(word, "inf") != 0) return false;
    *out = *text == '-' ? -INFINITY : INFINITY;
    return true;
}

/* true for yes, and so on: other words of YAML for the same two. */
static int find_boolean(const char *choices, const char *text)
{
    static const char *const word[][2] = {{"false", "no"}, {"true", "yes"}};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            if (strcmp(text, word[i][j]) == 0) return mk_choice_find(choices, word[i][!j]);
    return -1;
}

int mk_read_param(const struct mk_node *node, const struct mk_param *p, int infinite, double *out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    double x;
    if (node->kind != MK_NODE_SCALAR) return fail_value(node, p, err);
    if (p->kind == MK_CHOICE) {
        int at = mk_choice_find(p->choices, node->text);
        if (at < 0 && !node->quoted) at = find_boolean(p->choices, node->text);
        if (at < 0) return fail_value(node, p, err);
        *out = at;
        return MK_OK;
    }
    if (node->quoted || (!mk_parse_real(node->text, node->length, &x) && !parse_infinite(node->text, &x)))
        return fail_value(node, p, err);
    if (isinf(x) && !infinite)
        return mk_fail_at(err, node->where, p->name, "expected a finite number, got %s", mk_node_describe(node, clip));
    if (!mk_param_allows(p, x)) return fail_value(node, p, err);
    /* 2^53 + 1 is not representable as a double: it must not pass as its neighbour 2^53. */
    if (p->kind == MK_INTEGER && isfinite(x) && !mk_is_exact(node->text, node->length, x))
        return fail_value(node, p, err);
    *out = x;
    return MK_OK;
}

int mk_read_text(const struct mk_node *node, const char *key, char **out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    if (node->kind != MK_NODE_SCALAR)
        return mk_fail_at(err, node->where, key, "expected a text, got %s", mk_node_describe(node, clip));
    if (node->length > MK_MOST_TEXT)
        return mk_fail_at(err, node->where, key, "expected at most %d bytes, got %zu", MK_MOST_TEXT, node->length);
    char *copy = strdup(node->text);
    if (!copy) return mk_fail_memory(err, key);
    size_t n = strlen(copy);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f) copy[i] = ' ';
    while (n && copy[n - 1] == ' ') copy[--n] = 0;
    if (!n || !mk_text_printable(copy, n)) {
        free(copy);
        return mk_fail_at(err, node->where, key, "expected a text in UTF-8 without control characters, got %s",
                          mk_node_describe(node, clip));
    }
    *out = copy;
    return MK_OK;
}

int mk_read_items(const struct mk_node *list, const char *what, bool flow, mk_read_item read, void *reading,
                  struct mk_node *to, struct mk_error *err)
{
    int code = mk_check_list(list, list->key, what, err);
    if (code) return code;
    struct mk_node *resolved = mk_node_add(to, list->key, mk_node_new(MK_NODE_LIST, flow));
    for (size_t i = 0; resolved && !code && i < list->n; i++) {
        struct mk_node *item = mk_node_add(resolved, NULL, mk_node_new(MK_NODE_MAPPING, 1));
        code = item ? read(reading, list->child[i], i, item) : mk_fail_memory(err, list->key);
    }
    return resolved ? code : mk_fail_memory(err, list->key);
}

int mk_read_pair(const struct mk_node *node, double value[2], struct mk_node *to, struct mk_error *err)
{
    const struct mk_param end = {node->key, MK_REAL, 0, 0, -INFINITY, INFINITY, NULL, NULL};
    char clip[MK_CLIP_ROOM];
    if (node->kind != MK_NODE_LIST || node->n != 2)
        return mk_fail_at(err, node->where, node->key, "expected [lo, hi], got %s", mk_node_describe(node, clip));
    int code = mk_read_param(node->child[0], &end, 1, &value[0], err);
    if (!code) code = mk_read_param(node->child[1], &end, 1, &value[1], err);
    if (code) return code;
    struct mk_node *list = mk_node_add(to, node->key, mk_node_new(MK_NODE_LIST, 1));
    const bool good = mk_add_real(list, NULL, value[0]) && mk_add_real(list, NULL, value[1]);
    return good ? MK_OK : mk_fail_memory(err, node->key);
}

/* x to 12 significant digits of the range's size: 0 + 3 * 0.1 is 0.3, and -0.3 + 3 * 0.1 is 0. */
static double round_step(double x, double size)
{
    char text[40];
    if (fabs(x) < 1e-12 * size) return 0;
    snprintf(text, sizeof text, "%.12g", x);
    return strtod(text, NULL);
}

static int read_range(const struct mk_node *node, const struct mk_param *p, struct mk_values *out, struct mk_error *err)
{
    static const char *const keys[] = {"from", "to", "step"};
    static const struct mk_param number[] = {{"from", MK_REAL, MK_OPEN_HI, 0, -INFINITY, INFINITY, NULL, NULL},
                                             {"to", MK_REAL, MK_OPEN_HI, 0, -INFINITY, INFINITY, NULL, NULL},
                                             {"step", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, 0, INFINITY, NULL, NULL}};
    char range[256], what[64], text[32];
    double x[3] = {0, 0, 0};
    snprintf(what, sizeof what, "a range of %.40s", p->name);
    int code = mk_check_keys(node, what, keys, 3, err);
    for (int i = 0; !code && i < 3; i++) {
        const struct mk_node *at = mk_node_get(node, keys[i]);
        code = at ? mk_read_param(at, &number[i], 0, &x[i], err)
                  : mk_fail_at(err, node->where, p->name, "missing %s; expected {from: …, to: …, step: …}", keys[i]);
    }
    if (code) return code;
    if (x[1] < x[0]) return mk_fail_at(err, node->where, p->name, "to is below from; expected from <= to");
    double steps = floor((x[1] - x[0]) / x[2] * (1 + 1e-12) + 1e-9);
    if (!(steps < MK_MOST_VALUES))
        return mk_fail_at(err, node->where, p->name, "more than %d values in a range", MK_MOST_VALUES);
    out->n = (size_t)steps + 1;
    out->value = malloc(out->n * sizeof *out->value);
    if (!out->value) return mk_fail_memory(err, p->name);
    for (size_t i = 0; i < out->n; i++) {
        double value = x[0] + (double)i * x[2];
        out->value[i] = p->kind == MK_INTEGER ? value : round_step(value, fmax(fabs(x[0]), fabs(x[1])));
        if (mk_param_allows(p, out->value[i])) continue;
        return mk_fail_at(err, node->where, p->name, "expected %s, but the range contains %s",
                          mk_param_range(p, range, sizeof range), mk_format_real(out->value[i], text, sizeof text));
    }
    return MK_OK;
}

int mk_read_values(const struct mk_node *node, const struct mk_param *p, struct mk_values *out, struct mk_error *err)
{
    *out = (struct mk_values){0, NULL};
    int code = MK_OK;
    if (node->kind == MK_NODE_MAPPING && p->kind != MK_CHOICE) {
        code = read_range(node, p, out, err);
    } else {
        int is_list = node->kind == MK_NODE_LIST;
        if (is_list) code = mk_check_list(node, p->name, "value", err);
        if (code) return code;
        out->n = is_list ? node->n : 1;
        out->value = malloc(out->n * sizeof *out->value);
        if (!out->value) return mk_fail_memory(err, p->name);
        for (size_t i = 0; !code && i < out->n; i++)
            code = mk_read_param(is_list ? node->child[i] : node, p, 0, &out->value[i], err);
    }
    if (code) {
        free(out->value);
        *out = (struct mk_values){0, NULL};
    }
    return code;
}

int mk_find_file(const char *directory, const struct mk_node *node, const char *key, char **out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], installed[MK_PATH_ROOM];
    char *path = NULL, *found = NULL;
    int code = mk_read_text(node, key, &path, err);
    if (code) return code;
    if (access(mk_readable_path(path), R_OK) == 0) {
        *out = path;
        return MK_OK;
    }
    int reason = errno, bytes = 0;
    if (*path != '/' && *directory) bytes = asprintf(&found, "%s%s", directory, path);
    if (bytes >= 0 && (!found || access(found, R_OK) != 0) && mk_installed_experiment(installed, path)) {
        free(found);
        bytes = asprintf(&found, "%s", installed);
    }
    if (bytes < 0)
        code = mk_fail_memory(err, key);
    else if (!found || access(found, R_OK) != 0)
        code = mk_fail_at(err, node->where, key, "%s: cannot be read: %s", mk_clip(path, clip), strerror(reason));
    free(path);
    if (code && bytes >= 0) free(found);
    if (!code) *out = found;
    return code;
}

/* ---- plain scalars that are no texts (YAML 1.2, core schema) ---- */

/* true, false or null as in JSON; NULL: another text. */
static const char *json_word(const char *text)
{
    static const char *const word[][5] = {
        {"true", "true", "True", "TRUE"}, {"false", "false", "False", "FALSE"}, {"null", "null", "Null", "NULL", "~"}};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        for (size_t j = 1; j < 5 && word[i][j]; j++)
            if (strcmp(text, word[i][j]) == 0) return word[i][0];
    return NULL;
}

bool mk_reads_as_text(const char *text)
{
    double x;
    return !json_word(text) && !mk_parse_real(text, strlen(text), &x);
}

/* Whether JSON has the number as it is written: neither +1 nor 01, .5 or 1. */
static bool is_json_number(const char *text)
{
    const char *at = text + (*text == '-');
    if (*at == '0' ? isdigit((unsigned char)at[1]) : !isdigit((unsigned char)*at)) return false;
    const char *point = strchr(at, '.');
    return !point || isdigit((unsigned char)point[1]);
}

void mk_put_json_scalar(FILE *to, const char *text, bool is_text)
{
    char room[40];
    double x;
    const char *word = json_word(text);
    if (!is_text && word)
        fputs(word, to);
    else if (!is_text && mk_parse_real(text, strlen(text), &x))
        fputs(is_json_number(text) ? text : mk_format_real(x, room, sizeof room), to);
    else
        mk_put_json_text(to, text);
}

bool mk_add_text(struct mk_node *parent, const char *key, const char *text)
{
    return mk_node_add(parent, key, mk_node_text(text)) != NULL;
}

bool mk_add_real(struct mk_node *parent, const char *key, double x)
{
    char text[32];
    return mk_add_text(parent, key, mk_format_real(x, text, sizeof text));
}

bool mk_add_params(struct mk_node *mapping, const struct mk_param *params, const double *value)
{
    char text[64];
    for (size_t i = 0; i < mk_param_count(params); i++) {
        if (isnan(value[i])) continue;
        if (!mk_add_text(mapping, params[i].name, mk_param_format(&params[i], value[i], text, sizeof text)))
            return false;
    }
    return true;
}

const char *mk_label_problem(const char *label, int file_name)
{
    size_t n = strlen(label);
    if (n < 1 || n > 100 || !mk_text_printable(label, n)) return "1 to 100 bytes of UTF-8 without control characters";
    if (file_name && (strchr(label, '/') || strcmp(label, ".") == 0 || strcmp(label, "..") == 0))
        return "a text without slash that is neither . nor ..";
    return NULL;
}
