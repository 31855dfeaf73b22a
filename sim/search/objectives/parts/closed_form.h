/* Closed forms of several numbers: their spaces, and the parameter `dimensions`. */
#ifndef MAXK_SIM_SEARCH_OBJECTIVES_PARTS_CLOSED_FORM_H
#define MAXK_SIM_SEARCH_OBJECTIVES_PARTS_CLOSED_FORM_H

#include <math.h>

#include "sim/search/objectives/objective.h"

enum { MK_MOST_DIMENSIONS = 100 };

#define MK_DIMENSIONS_PARAM(least)                                                                                     \
    {                                                                                                                  \
        "dimensions", MK_INTEGER, 0, 2, least, MK_MOST_DIMENSIONS, NULL, "inputs x1, x2, …"                          \
    }

/* The space of two inputs x and y, or of x1 … xn in the same range and with the same default (NaN: its middle). */
int mk_plane_space(double x_lo, double x_hi, double y_lo, double y_hi, struct mk_space **out, struct mk_error *err);
int mk_box_space(size_t n, double lo, double hi, double def, struct mk_space **out, struct mk_error *err);

#endif
