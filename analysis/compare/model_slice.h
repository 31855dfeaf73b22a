/* What the model of an optimiser says along one hyperparameter, the others being fixed: at points of a curve, at the
 * configurations tried so far and at the next proposal. */
#ifndef MAXK_ANALYSIS_COMPARE_MODEL_SLICE_H
#define MAXK_ANALYSIS_COMPARE_MODEL_SLICE_H

#include "sim/search/optimizers/optimizer.h"

/* The configuration from which the curve takes the other hyperparameters: that of the trial with the largest reward, or
 * the proposal. */
enum mk_slice_through { MK_SLICE_BEST, MK_SLICE_PROPOSAL };
#define MK_SLICE_CHOICES "best|proposal"

struct mk_model_slice {
    const struct mk_space *space;
    const struct mk_trials *trials; /* of the search: valid until it goes on */
    size_t hyper;                   /* the hyperparameter */
    size_t n;                       /* points of the curve, ascending; words in their order */
    double *through;                /* [space->n] the configuration that the curve goes through */
    struct mk_model_view view;      /* at the points, the trials, and last the proposal: n + trials->n + 1 */
    double *v;                      /* view.v */
};

/* points: those of the curve, at least 2; of a hyperparameter with fewer values all of these. Configurations that the
 * space does not allow are left out. MK_EINPUT: as mk_optimizer_view says, or the configuration that the curve would go
 * through does not have the hyperparameter. Clear it in any case. The search is unchanged. */
int mk_model_slice_of(struct mk_model_slice *s, struct mk_optimizer *o, size_t hyper, size_t points,
                      enum mk_slice_through through, struct mk_error *err);
void mk_model_slice_clear(struct mk_model_slice *s);

#endif
