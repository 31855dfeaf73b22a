/* Shared by objectives on measured configurations: their parameters, and their rows of a CSV file with columns
 * instance, arm, reward and one for every hyperparameter, evaluated once and for all. The file is read once for all
 * objectives. */
#ifndef MAXK_SIM_SEARCH_OBJECTIVES_PARTS_MEASURED_H
#define MAXK_SIM_SEARCH_OBJECTIVES_PARTS_MEASURED_H

#include "sim/search/objectives/objective.h"

enum { MK_MEASURED_FILE, MK_MEASURED_INSTANCE, MK_MEASURED_ARM, MK_MEASURED_PARAMETERS };
#define MK_MEASURED_PARAMS                                                                                             \
    {"file", MK_FILE, MK_REQUIRED, 0, 0, 0, NULL, "measured configurations"},                                          \
        {"instance", MK_TEXT, MK_OPTIONAL, 0, 0, 0, NULL, "instance in the file (default: the name of the instance)"}, \
    {                                                                                                                  \
        "arm", MK_TEXT, MK_REQUIRED, 0, 0, 0, NULL, "arm in the file"                                                  \
    }

/* Only these. */
extern const struct mk_param mk_measured_params[];

/* A space for the rows of the objective: columns that are not empty throughout. With at most 20 different numbers a
 * column is ordinal; with more it is a range, of whole numbers if all are whole, logarithmic if all are positive and
 * spread more evenly so; other columns are categorical. A column that is empty in some rows is conditional on a
 * categorical column that determines this, if there is one. MK_EINPUT with the place in the CSV file. */
int mk_measured_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err);

/* Configurations v[n][o->space->n] and rewards of the objective's rows, both from malloc. MK_EINPUT: a cell is not a
 * value of its hyperparameter. */
struct mk_measured {
    size_t n;
    double *v, *reward;
};
int mk_measured_read(const struct mk_objective *o, struct mk_measured *out, struct mk_error *err);

#endif
