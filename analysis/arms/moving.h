/* Distribution functions of an arm whose rewards depend on its own pulls (sim/problem/process.h), as first passages
 * need them. */
#ifndef MAXK_ANALYSIS_ARMS_MOVING_H
#define MAXK_ANALYSIS_ARMS_MOVING_H

#include "analysis/theory/first_passage.h"
#include "sim/problem/process.h"

enum { MK_MOVING_LONGEST = 100000 }; /* pulls over which parameters may drift; the cost is proportional to them */

struct mk_moving_arm {
    struct mk_moving moving;
    const struct mk_process *process; /* borrowed */
    struct mk_dist *noise;            /* of a curve: normal with mean 0; NULL: none */
    size_t n;                         /* of a drift: distributions until the parameters stay as they are */
    struct mk_dist **dist;            /* [n] of pulls 1 … n */
};

/* Errors: MK_EINPUT for a drift over more pulls than above, MK_ENOMEM. */
int mk_moving_arm_new(struct mk_moving_arm **out, const struct mk_process *process, struct mk_error *err);
void mk_moving_arm_free(struct mk_moving_arm *a);

#endif
