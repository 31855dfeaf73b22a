#include "sim/run/engine/block.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

int mk_block_new(struct mk_block *b, const struct mk_block_size *size, uint64_t units, struct mk_error *err)
{
    const uint64_t n = size->cells * units;
    *b = (struct mk_block){.pulls = malloc(n * size->arms * sizeof *b->pulls),
                           .max_reward = malloc(n * sizeof *b->max_reward),
                           .weight = size->weights ? malloc(n * sizeof *b->weight) : NULL,
                           .row = size->row ? malloc(units * size->row * sizeof *b->row) : NULL};
    if (b->pulls && b->max_reward && (b->weight || !size->weights) && (b->row || !size->row)) return MK_OK;
    mk_block_clear(b);
    return mk_fail_memory(err, "a block of results");
}

void mk_block_clear(struct mk_block *b)
{
    free(b->pulls);
    free(b->max_reward);
    free(b->weight);
    free(b->row);
    memset(b, 0, sizeof *b);
} /* NOLINT(clang-analyzer-unix.Malloc): blocks at a variable index of an array are taken for lost */
