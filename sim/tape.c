#include "sim/tape.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_BLOCK = 32, LARGEST_BLOCK = 512 };

int mk_tape_new(struct mk_tape **out, const struct mk_problem *problem, uint64_t seed, struct mk_error *err)
{
    struct mk_tape *tape = calloc(1, sizeof *tape);
    if (tape) tape->arm = calloc(problem->n_arms, sizeof *tape->arm);
    if (!tape || !tape->arm) {
        mk_tape_free(tape);
        return mk_fail_memory(err, "the reward tape");
    }
    tape->problem = problem;
    tape->seed = seed;
    *out = tape;
    return MK_OK;
}

void mk_tape_free(struct mk_tape *tape)
{
    if (!tape) return;
    for (size_t k = 0; tape->arm && k < tape->problem->n_arms; k++) free(tape->arm[k].own);
    free(tape->arm);
    free(tape);
}

struct mk_key mk_tape_key(const struct mk_tape *tape)
{
    struct mk_key key = mk_key_word(mk_key_start(), tape->seed);
    key = mk_key_text(key, tape->problem->instance[tape->instance].name);
    return mk_key_word(key, tape->replication);
}

void mk_tape_seek(struct mk_tape *tape, size_t instance, uint64_t replication)
{
    const struct mk_problem *p = tape->problem;
    tape->instance = instance;
    tape->replication = replication;
    tape->failed = 0;
    if (p->kind == MK_TRAJECTORIES) {
        for (size_t k = 0; k < p->instance[instance].n_arms; k++) {
            const struct mk_series *series = mk_problem_series(p, instance, k, replication);
            tape->arm[k].reward = series->reward;
            tape->arm[k].filled = series->length;
        }
        return;
    }
    struct mk_key key = mk_tape_key(tape);
    for (size_t k = 0; k < p->n_arms; k++) {
        tape->arm[k].reward = tape->arm[k].own;
        tape->arm[k].filled = 0;
        mk_pcg64_from_key(&tape->arm[k].rng, mk_key_word(key, k));
    }
}

/* The next `block` rewards of arm k; 0 when out of memory. */
static int draw(const struct mk_problem *p, size_t k, struct mk_tape_arm *a, uint64_t block)
{
    if (p->kind == MK_PROCESSES)
        return mk_process_sample(p->process[k], &a->rng, a->filled + 1, block, a->own + a->filled) == MK_OK;
    p->dist[k]->type->sample(p->dist[k], &a->rng, block, a->own + a->filled);
    return 1;
}

double mk_tape_extend(struct mk_tape *tape, size_t k, uint64_t n)
{
    struct mk_tape_arm *a = &tape->arm[k];
    if (tape->problem->kind == MK_TRAJECTORIES) {
        tape->failed = 1;
        return NAN;
    }
    while (n >= a->filled) {
        /* A block as long as what is there: few draws are wasted on arms that are left early. */
        uint64_t block = a->filled < FIRST_BLOCK ? FIRST_BLOCK : a->filled < LARGEST_BLOCK ? a->filled : LARGEST_BLOCK;
        if (a->filled + block > a->room) {
            uint64_t room = 2 * (a->filled + block);
            double *grown = realloc(a->own, room * sizeof *grown);
            if (!grown) {
                tape->failed = 1;
                return NAN;
            }
            a->own = grown;
            a->room = room;
            a->reward = grown;
        }
        if (!draw(tape->problem, k, a, block)) {
            tape->failed = 1;
            return NAN;
        }
        a->filled += block;
    }
    return a->reward[n];
}
