/* Memory of blocks, and where the rows of an entry lie in one. */
#include <string.h>

#include "sim/run/engine/block.h"
#include "sim/run/engine/run.h"
#include "tests/support/check.h"

enum { ENTRIES = 3, HORIZONS = 4, UNITS = 5, ARMS = 2 };

static const struct mk_block_size plain = {.cells = ENTRIES * HORIZONS, .arms = ARMS},
                                  weighted = {.cells = ENTRIES * HORIZONS, .arms = ARMS, .weights = true},
                                  searched = {.cells = ENTRIES * HORIZONS, .arms = ARMS, .row = 7},
                                  huge = {.cells = UINT64_C(1) << 20, .arms = 1};

static void check_memory(void)
{
    struct mk_error err = {0, ""};
    struct mk_block b;
    int code = mk_block_new(&b, &plain, UNITS, &err);
    CHECK(!code && b.pulls && b.max_reward && !b.weight && b.n_units == 0, "a block without weights");
    mk_block_clear(&b);
    CHECK(!b.pulls && !b.max_reward, "cleared");
    code = mk_block_new(&b, &weighted, UNITS, &err);
    CHECK(!code && b.weight && !b.row, "a block with weights");
    mk_block_clear(&b);
    code = mk_block_new(&b, &searched, UNITS, &err);
    CHECK(!code && b.row && !b.weight, "a block with the rewards of searches");
    mk_block_clear(&b);
    mk_block_clear(&b);
    code = mk_block_new(&b, &huge, UINT64_C(1) << 38, &err);
    CHECK(code == MK_ENOMEM && !b.pulls && !b.max_reward && strstr(err.text, "block"), "a block beyond all memory: %s",
          err.text);
}

/* Every number of every unit has a place of its own: [entry][horizon][unit][arm] and [entry][horizon][unit]. */
static void check_rows(void)
{
    struct mk_problem problem = {.n_arms = ARMS};
    const struct mk_experiment e = {.problem = &problem, .n_entries = ENTRIES, .n_horizons = HORIZONS};
    struct mk_error err = {0, ""};
    struct mk_block b;
    size_t wrong = 0;
    if (mk_block_new(&b, &plain, UNITS, &err)) return;
    b.n_units = UNITS;
    for (size_t p = 0; p < ENTRIES; p++)
        for (uint64_t at = 0; at < UNITS; at++) {
            const struct mk_play_rows rows = mk_block_rows(&b, &e, p, at);
            for (size_t h = 0; h < HORIZONS; h++) {
                const size_t cell = (p * HORIZONS + h) * UNITS + (size_t)at;
                wrong += rows.pulls + h * rows.pulls_stride != b.pulls + cell * ARMS;
                wrong += rows.max_reward + h * rows.max_stride != b.max_reward + cell;
            }
        }
    CHECK(wrong == 0, "rows of %d entries and %d units lie where the block has them", ENTRIES, UNITS);
    mk_block_clear(&b);
}

/* Three units each of instances that have 1, 3 and 2 repetitions: units 0, 3, 4, 5, 6 and 7 are played. */
static void check_played(void)
{
    struct mk_instance instance[] = {{.replications = 1}, {.replications = 3}, {.replications = 2}};
    struct mk_problem problem = {.source = &mk_source_trajectories, .n_instances = 3, .instance = instance};
    const struct mk_experiment e = {.problem = &problem, .replications = 3};
    static const uint64_t cases[][3] = {{0, 9, 6}, {0, 1, 1}, {0, 3, 1}, {1, 3, 0},
                                        {2, 7, 4}, {3, 6, 3}, {5, 9, 3}, {8, 9, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(mk_run_played(&e, cases[i][0], cases[i][1]) == cases[i][2], "of units %d to %d %d are played",
              (int)cases[i][0], (int)cases[i][1] - 1, (int)cases[i][2]);
}

int main(void)
{
    check_memory();
    check_played();
    check_rows();
    return CHECK_EXIT;
}
