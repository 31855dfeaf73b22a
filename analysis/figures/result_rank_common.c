/* Shared by the figures of comparisons. */
#include "analysis/figures/result_rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void mk_policy_group_tell(const struct mk_policy_group *g, struct mk_plot *p)
{
    const size_t all = g->view->info->n_policies + g->view->info->n_left_out, used = strlen(p->subtitle);
    if (g->scores->n_policies < all)
        snprintf(p->subtitle + used, sizeof p->subtitle - used, "; among %zu of %zu policies", g->scores->n_policies,
                 all);
}
