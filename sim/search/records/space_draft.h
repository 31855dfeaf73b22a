/* A search space while it is read from a file of another tool (space_file.h). */
#ifndef MAXK_SIM_SEARCH_RECORDS_SPACE_DRAFT_H
#define MAXK_SIM_SEARCH_RECORDS_SPACE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/api/maxk/error.h"
#include "sim/base/string_table.h"
#include "sim/base/yaml_tree.h"

/* A space while it is read; where: the line. */
struct mk_space_draft {
    const char *path;
    struct mk_node *root;         /* of the tune file: `space`, of a scenario what else it says */
    struct mk_node *space;        /* in root */
    struct mk_node *forbid;       /* in space; NULL: nothing is forbidden */
    struct mk_string_table notes; /* what is not expressed, sentences */
    size_t line;
    struct mk_error *err;
};

/* parameters.txt of irace, scenario.txt, ConfigSpace's JSON, PCS; text: the file, which is changed. */
int mk_space_read_irace(struct mk_space_draft *d, char *text);
int mk_space_read_scenario(struct mk_space_draft *d, char *text);
int mk_space_read_json(struct mk_space_draft *d, char *text, size_t length);
int mk_space_read_pcs(struct mk_space_draft *d, char *text);

int mk_draft_fail(const struct mk_space_draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mk_draft_note(struct mk_space_draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A hyperparameter of this form ("real", "categorical", …); the mapping, to which more may be added, NULL: no memory.
 */
struct mk_node *mk_draft_hyper(struct mk_space_draft *d, const char *name, const char *form, struct mk_node *value);

/* Adds conditions (a text such as `a == "x" & b > 2` or `a in {x, y}`) to a mapping; what has no form in a space of
 * maxk is noted: *good is false then, and `to` unchanged. */
int mk_draft_conditions(struct mk_space_draft *d, const char *text, struct mk_node *to, bool *good);

/* Adds a combination of relations that is forbidden, a text such as `(a + b > 4) & c == "x"`, after all
 * hyperparameters; what has no form in a space of maxk is not added: *good is false then. */
int mk_draft_forbid_relations(struct mk_space_draft *d, const char *text, bool *good);

/* Adds a combination that is forbidden; mapping: owned. */
int mk_draft_forbid(struct mk_space_draft *d, struct mk_node *mapping);

/* The text without blanks at its ends and without quotes around it; changes it. */
char *mk_draft_trim(char *text);
char *mk_draft_unquote(char *text);

/* Cuts the next item off a list at commas that are not within quotes or parentheses; NULL: there is none. */
char *mk_draft_item(char **list);

#endif
