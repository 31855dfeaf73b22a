/* Values of a YAML tree as numbers, words, texts, paths. Every error reads `file:line:column: key: …`. */
#ifndef MAXK_SIM_BASE_YAML_VALUES_H
#define MAXK_SIM_BASE_YAML_VALUES_H

#include <stdio.h>

#include "sim/base/param.h"
#include "sim/base/yaml_tree.h"

enum {
    MK_MOST_VALUES = 10000, /* of a range, of the horizons, of the policies after sweeps */
    MK_MOST_TEXT = 4096     /* bytes of a title, a source, a path */
};

/* `name` is not one of the words: "unknown WHAT 'name' for OF (did you mean …?); allowed: …"; of: "" for none. */
int mk_fail_word(struct mk_error *err, struct mk_where where, const char *key, const char *name, const char *what,
                 const char *of, const char *const *word, size_t n);

/* The same of the text of a node; of one that is no text, or an empty one, "expected a name, got …; allowed: …". */
int mk_fail_name(struct mk_error *err, const struct mk_node *node, const char *key, const char *what,
                 const char *const *word, size_t n);

/* The node must be a mapping with only these keys. */
int mk_check_keys(const struct mk_node *node, const char *what, const char *const *allowed, size_t n,
                  struct mk_error *err);

/* The node must be a list of at least one item. */
int mk_check_list(const struct mk_node *node, const char *key, const char *what, struct mk_error *err);

/* A list of mappings: each item is read by `read`, which gets its mapping in the list that is added to `to`. */
typedef int (*mk_read_item)(void *reading, const struct mk_node *item, size_t at, struct mk_node *to);
int mk_read_items(const struct mk_node *list, const char *what, bool flow, mk_read_item read, void *reading,
                  struct mk_node *to, struct mk_error *err);

/* A value of parameter p (MK_REAL, MK_INTEGER, MK_CHOICE); infinities only where `infinite` is set. */
int mk_read_param(const struct mk_node *node, const struct mk_param *p, int infinite, double *out,
                  struct mk_error *err);

/* A scalar's text, not empty, at most MK_MOST_TEXT bytes; control characters become blanks, trailing blanks are
 * dropped. malloc'ed. */
int mk_read_text(const struct mk_node *node, const char *key, char **out, struct mk_error *err);

/* [lo, hi], which may be infinite, added to the mapping `to` under its key. */
int mk_read_pair(const struct mk_node *node, double value[2], struct mk_node *to, struct mk_error *err);

struct mk_values {
    size_t n;
    double *value; /* owned */
};

/* One value, a list of values, or {from, to, step} (numbers only): from + i * step rounded to 12 digits. */
int mk_read_values(const struct mk_node *node, const struct mk_param *p, struct mk_values *out, struct mk_error *err);

/* The path of a file that exists: as given, else in `directory` (with a slash at the end, or ""), else installed with
 * the program (mk_installed_experiment). malloc'ed. */
int mk_find_file(const char *directory, const struct mk_node *node, const char *key, char **out, struct mk_error *err);

/* mk_node_add of a number; 0 when out of memory. */
bool mk_add_real(struct mk_node *parent, const char *key, double x);
bool mk_add_text(struct mk_node *parent, const char *key, const char *text);

/* Whether a scalar without quotes is a text, and neither a number nor true, false or null. */
bool mk_reads_as_text(const char *text);

/* A scalar as JSON: a text in quotes if is_text or if it reads as one, else the number, true, false or null. */
void mk_put_json_scalar(FILE *to, const char *text, bool is_text);

/* The same of all parameters that are not NaN, value[i] of params[i]. */
bool mk_add_params(struct mk_node *mapping, const struct mk_param *params, const double *value);

/* Names of coordinates: 1 to 100 bytes of UTF-8 without control characters; `file_name`: also usable as the name of a
 * group (no slash, not "." or ".."). NULL, or a description of what is allowed. */
const char *mk_label_problem(const char *label, int file_name);

#endif
