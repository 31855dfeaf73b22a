/* Configurations of a space that have not been tried, of spaces whose levels are finitely many. */
#ifndef MAXK_SIM_STUDY_UNTRIED_H
#define MAXK_SIM_STUDY_UNTRIED_H

#include <stdbool.h>

#include "sim/base/pcg64.h"
#include "sim/base/string_table.h"
#include "sim/search/space/space.h"

/* If `asked` is among those tried: v <- one that is not, the next one after a random place in the order of
 * mk_space_step, and true. tried: digests of configurations (mk_space_configuration_digest), of which there must be
 * more than these. */
bool mk_another_untried(const struct mk_space *space, const struct mk_string_table *tried, struct mk_key key,
                        const double *asked, double *v);

#endif
