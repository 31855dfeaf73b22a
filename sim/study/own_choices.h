/* A policy and optimisers of the caller's own (struct mk_study_own), which choose outside what the policy and the
 * optimisers of the tune file would choose. */
#ifndef MAXK_SIM_STUDY_OWN_CHOICES_H
#define MAXK_SIM_STUDY_OWN_CHOICES_H

#include <stdbool.h>

#include "sim/api/maxk/study.h"
#include "sim/study/tune.h"

/* Whether the study has all that its tune file names; MK_EINPUT: who can continue it. */
int mk_own_check(const struct mk_study_own *own, const struct mk_tune *t, struct mk_error *err);

/* The study begins from its first trial. */
int mk_own_restart(const struct mk_study_own *own, struct mk_error *err);

/* The arm of the next trial, which is asked for once, also where the trial then cannot be made. */
struct mk_own_arm {
    bool is_known;
    size_t arm;
};

/* The next arm; known: that of the trial which is repeated, SIZE_MAX: it is new. MK_EINPUT: there is none. */
int mk_own_ask_arm(const struct mk_study_own *own, const struct mk_tune *t, struct mk_own_arm *next, size_t known,
                   size_t *arm, struct mk_error *err);
int mk_own_tell_arm(const struct mk_study_own *own, size_t arm, double reward, struct mk_error *err);

/* The next configuration of an arm into v; known: as above, NULL: it is new. MK_EINPUT: there is none, or it is not in
 * the space. */
int mk_own_ask(const struct mk_study_own *own, const struct mk_tune *t, size_t arm, const double *known, double *v,
               struct mk_error *err);
int mk_own_tell(const struct mk_study_own *own, const struct mk_tune *t, size_t arm, const double *v, double reward,
                struct mk_error *err);

#endif
