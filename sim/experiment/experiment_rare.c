/* Which experiments can have rare-event estimates (sim/run/rare.h). */
#include <math.h>
#include <stdio.h>

#include "sim/experiment/experiment_read.h"
#include "sim/tape/record_tape.h"

const char *mk_rare_refusal(const struct mk_experiment *e, char *text, size_t room)
{
    const struct mk_problem *p = e->problem;
    if (!mk_problem_has(p, MK_HAS_DISTRIBUTIONS))
        return "expected arms whose rewards are drawn from known distributions";
    for (size_t k = 0; k < p->n_arms; k++) {
        double lo, hi;
        mk_dist_support(p->dist[k], &lo, &hi);
        if (isfinite(hi) && !mk_dist_has_atoms(p->dist[k])) continue;
        snprintf(text, room, "expected arms with a finite upper end point and without point masses, but arm %zu %s", k,
                 isfinite(hi) ? "has point masses" : "has no finite upper end point");
        return text;
    }
    for (size_t i = 0; i < e->n_entries; i++) {
        const struct mk_policy_entry *entry = &e->entry[i];
        if ((entry->type->flags & MK_POLICY_THEOREM_4_2) && mk_policy_entry_parameter(entry, "scale") == 0) continue;
        snprintf(text, room, "expected only max_ucb with scale: none, got policy %s", entry->label);
        return text;
    }
    if (e->n_horizons && e->horizon[e->n_horizons - 1] > MK_RECORD_LAST) return "expected horizons up to 2^53";
    return NULL;
}
