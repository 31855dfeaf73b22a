/* Blocks of simulated units: how results travel from the engines to the store. */
#ifndef MAXK_SIM_RUN_ENGINE_BLOCK_H
#define MAXK_SIM_RUN_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

/* A block of simulated units. A unit is one (instance, replication): unit = instance * replications + replication; the
 * rare-event replications (sim/run/engine/rare.h), which have weights, come after these. Arms are positions in
 * problem->arm_label; arms that an instance lacks have 0 pulls. */
struct mk_block {
    uint64_t first_unit, n_units;
    uint64_t *pulls;    /* [entry][horizon][unit][arm] */
    double *max_reward; /* [entry][horizon][unit] */
    double *weight;     /* [entry][horizon][unit], or NULL */
    double *row;        /* [unit][…] rewards and costs of all searches (mk_problem_row), or NULL */
};

/* Numbers of a block for every unit. */
struct mk_block_size {
    uint64_t cells, arms; /* entries times horizons; of the problem */
    uint64_t row;         /* numbers of all searches (mk_problem_row); 0: none */
    bool weights;
};

/* Memory for that many units. Clear it even after an error. */
int mk_block_new(struct mk_block *b, const struct mk_block_size *size, uint64_t units, struct mk_error *err);
void mk_block_clear(struct mk_block *b);

/* Receives finished blocks in order, each while the next one is simulated, always on the calling thread; non-zero stops
 * the run with that code. */
typedef int (*mk_block_sink)(void *to, const struct mk_block *block, struct mk_error *err);

#endif
