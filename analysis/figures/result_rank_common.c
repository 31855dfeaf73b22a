/* Shared by the figures of comparisons. */
#include "analysis/figures/result_rank.h"

#include <math.h>

const char *mk_standing_name(enum mk_standing_measure m)
{
    return m == MK_STANDING_RANK ? "rank" : "loss";
}

const char *mk_standing_label(enum mk_standing_measure m)
{
    return m == MK_STANDING_RANK ? "average rank" : "normalised loss";
}

bool mk_policy_group_has(const struct mk_policy_group *g, enum mk_standing_measure m)
{
    return m == MK_STANDING_RANK || g->view->info->truth->recorded != NULL;
}
