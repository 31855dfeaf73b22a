/* Measured configurations: a CSV file with columns instance, arm, reward and one for every hyperparameter, evaluated
 * once and for all. */
#ifndef MAXK_DISTRIBUTIONS_OBJECTIVES_PARTS_MEASUREMENTS_H
#define MAXK_DISTRIBUTIONS_OBJECTIVES_PARTS_MEASUREMENTS_H

#include "distributions/objectives/objective.h"
#include "sim/base/string_table.h"

struct mk_measurements {
    char *path;
    size_t n_columns;
    char **column; /* [n_columns] hyperparameters, in the order of the file */
    size_t n;
    uint32_t *instance, *arm; /* [n] numbers in the tables below */
    double *reward;           /* [n] */
    uint32_t *cell;           /* [n][n_columns] numbers in `cells`; 0 is the empty cell */
    struct mk_string_table instances, arms, cells;
};

/* The file, read once for all objectives. MK_EINPUT with the place in the CSV file. */
int mk_measurements_open(struct mk_objective_files *files, const char *path, const struct mk_measurements **out,
                         struct mk_error *err);
void mk_measurements_free(struct mk_measurements *m);

/* The rows of an instance and an arm, from malloc; without an arm (NULL) of all arms. MK_EINPUT if there are none. */
int mk_measurements_select(const struct mk_measurements *m, const char *instance, const char *arm, size_t **row,
                           size_t *n, struct mk_error *err);

/* A space for these rows: columns that are not empty throughout. With at most 20 different numbers a column is ordinal;
 * with more it is a range, of whole numbers if all are whole, logarithmic if all are positive and the largest is at
 * least 100 times the smallest; other columns are categorical. A column that is empty in some rows is conditional on a
 * categorical column that determines this, if there is one. */
int mk_measurements_space(const struct mk_measurements *m, const size_t *row, size_t n, struct mk_space **out,
                          struct mk_error *err);

/* The rows as configurations v[n][s->n], from malloc. MK_EINPUT: a cell is not a value of its hyperparameter. */
int mk_measurements_values(const struct mk_measurements *m, const size_t *row, size_t n, const struct mk_space *s,
                           double **v, struct mk_error *err);

#endif
