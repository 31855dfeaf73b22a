/* Shared by objectives on measured configurations: their parameters, and finding their rows. */
#ifndef MAXK_DISTRIBUTIONS_OBJECTIVES_PARTS_MEASURED_H
#define MAXK_DISTRIBUTIONS_OBJECTIVES_PARTS_MEASURED_H

#include "distributions/objectives/parts/measurements.h"

enum { MK_MEASURED_FILE, MK_MEASURED_INSTANCE, MK_MEASURED_ARM, MK_MEASURED_PARAMETERS };
#define MK_MEASURED_PARAMS                                                                                             \
    {"file", MK_FILE, MK_REQUIRED, 0, 0, 0, NULL, "measured configurations"},                                          \
        {"instance", MK_TEXT, MK_OPTIONAL, 0, 0, 0, NULL, "instance in the file (default: the name of the instance)"}, \
    {                                                                                                                  \
        "arm", MK_TEXT, MK_REQUIRED, 0, 0, 0, NULL, "arm in the file"                                                  \
    }

/* Only these. */
extern const struct mk_param mk_measured_params[];

/* The space derived from the rows (parts/measurements.h). */
int mk_measured_space(const struct mk_objective *o, struct mk_objective_files *files, struct mk_space **out,
                      struct mk_error *err);

/* Configurations v[n][s->n] and rewards of the objective's rows, both from malloc. */
struct mk_measured {
    size_t n;
    double *v, *reward;
};
int mk_measured_read(const struct mk_objective *o, struct mk_objective_files *files, const struct mk_space *s,
                     struct mk_measured *out, struct mk_error *err);

#endif
