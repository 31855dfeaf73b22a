/* The figure of a tuning run, NAME_tune: largest reward so far against trials and, of every arm, against the seconds
 * that its programs have run; trials of every arm against all trials. */
#ifndef MAXK_SIM_TUNE_TUNE_FIGURES_H
#define MAXK_SIM_TUNE_TUNE_FIGURES_H

#include "analysis/plot/figure_output.h"
#include "sim/study/tune_state.h"

int mk_tune_draw(const struct mk_tune *t, const struct mk_tune_state *s, const struct mk_figure_output *to,
                 struct mk_error *err);

#endif
