#include "sim/run/tape/reward_tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/error.h"

enum {
    FIRST_BLOCK = 32,
    SMALL_BLOCK = 8,
    SMALL_FROM = 4096,
    LARGEST_BLOCK = 512,
    LEAST_LIMIT = 1 << 17,
    MAPPED = 1 << 14
};

/* An arm's buffer may exceed the policy's pulls by this factor before it is dropped. */
static const double excess = 1.25, slack = 1.4;

/* ---- memory of an arm ---- */

static void release(struct mk_reward_tape_arm *a)
{
    if (a->room >= MAPPED)
        munmap(a->own, a->room * sizeof *a->own);
    else
        free(a->own);
}

/* Room for `room` rewards, of which the first a->seen->filled are kept; 0: out of memory. From MAPPED on an array has
 * pages of its own: they move without being copied and are returned when it shrinks; malloc promises neither.
 */
static bool resize(struct mk_reward_tape_arm *a, uint64_t room)
{
    const size_t old = a->room * sizeof(double), bytes = room * sizeof(double);
    const int was_mapped = a->room >= MAPPED, mapped = room >= MAPPED;
    double *to;
    if (mapped) {
        to = was_mapped ? mremap(a->own, old, bytes, MREMAP_MAYMOVE)
                        : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (to == MAP_FAILED) to = NULL;
    } else {
        to = was_mapped ? malloc(bytes) : realloc(a->own, bytes);
    }
    if (!to) return false;
    if (was_mapped != mapped) {
        if (a->seen->filled) memcpy(to, a->own, a->seen->filled * sizeof *to);
        release(a);
    }
    a->own = to;
    a->seen->reward = to;
    a->room = room;
    return true;
}

/* ---- the tape ---- */

/* Rewards drawn at first: of many arms most are pulled a few times only. */
static uint64_t first_block(double arms)
{
    return arms < SMALL_FROM ? FIRST_BLOCK : SMALL_BLOCK;
}

/* Costs have a fixed place: policies read them as they pull. */
static bool reserve_costs(struct mk_reward_tape *tape)
{
    const struct mk_problem *p = tape->problem;
    bool good = true;
    for (size_t k = 0; tape->bench && k < p->n_arms && good; k++) {
        struct mk_reward_tape_arm *a = &tape->arm[k];
        const size_t bytes = p->searches->budget * sizeof(double);
        if (p->searches->in_part) good = (a->cost = malloc(bytes)) != NULL;
        if (p->searches->noisy && good) good = (a->noise_free = malloc(bytes)) != NULL;
    }
    return good;
}

void mk_reward_tape_free(struct mk_reward_tape *tape)
{
    if (!tape) return;
    for (size_t k = 0; tape->arm && k < tape->problem->n_arms; k++) {
        release(&tape->arm[k]);
        free(tape->arm[k].cost);
        free(tape->arm[k].noise_free);
    }
    free(tape->arm);
    free(tape->rewards.arm);
    mk_search_bench_free(tape->bench);
    free(tape);
}

struct mk_key mk_reward_tape_key_of(const struct mk_problem *p, uint64_t seed, size_t instance, uint64_t replication)
{
    struct mk_key key = mk_key_word(mk_key_start(), seed);
    key = mk_key_text(key, p->instance[instance].name);
    return mk_key_word(key, replication);
}

struct mk_key mk_reward_tape_key(const struct mk_reward_tape *tape)
{
    return mk_reward_tape_key_of(tape->problem, tape->seed, tape->instance, tape->replication);
}

/* n pulls of an arm draw max(first_block, 2 n) rewards at most, and n + LARGEST_BLOCK. */
double mk_reward_tape_need(double T, double arms)
{
    return (double)first_block(arms) * fmin(T, arms) + T + fmin(T, LARGEST_BLOCK * arms);
}

double mk_reward_tape_most(double T, double arms)
{
    return fmax(slack * mk_reward_tape_need(T, arms), LEAST_LIMIT);
}

void mk_reward_tape_limit(struct mk_reward_tape *tape, uint64_t most, const uint64_t *pulls)
{
    tape->most = tape->look = most;
    tape->pulls = pulls;
}

/* key: of the tape. */
static void restart(struct mk_reward_tape *tape, size_t k, struct mk_key key)
{
    struct mk_reward_tape_arm *a = &tape->arm[k];
    a->seen->reward = a->own;
    a->seen->filled = 0;
    mk_pcg64_from_key(&a->rng, mk_key_word(key, k));
}

/* Reduces the memory of arm k to what is filled. */
static void shrink(struct mk_reward_tape *tape, size_t k)
{
    struct mk_reward_tape_arm *a = &tape->arm[k];
    const uint64_t room = a->seen->filled < tape->first ? tape->first : a->seen->filled;
    if (a->written <= room || !resize(a, room)) return;
    tape->written -= a->written - room;
    a->written = room;
}

/* Drops rewards that the current policy no longer needs and those of earlier replications. */
static void make_room(struct mk_reward_tape *tape)
{
    const struct mk_key key = mk_reward_tape_key(tape);
    for (size_t k = 0; k < tape->problem->n_arms; k++) {
        const double kept = excess * (double)tape->pulls[k];
        if ((double)tape->rewards.arm[k].filled > kept + (double)tape->first) restart(tape, k, key);
        shrink(tape, k);
    }
    tape->look = tape->written + tape->most / 16 > tape->most ? tape->written + tape->most / 16 : tape->most;
}

void mk_reward_tape_seek(struct mk_reward_tape *tape, size_t instance, uint64_t replication)
{
    const struct mk_problem *p = tape->problem;
    tape->instance = instance;
    tape->replication = replication;
    tape->rewards.failed = 0;
    if (p->source->recorded) {
        for (size_t k = 0; k < p->instance[instance].n_arms; k++) {
            const struct mk_series *series = mk_problem_series(p, instance, k, replication);
            tape->rewards.arm[k].reward = series->reward;
            tape->rewards.arm[k].filled = series->length;
        }
        return;
    }
    const struct mk_key key = mk_reward_tape_key(tape);
    tape->look = tape->most;
    if (tape->bench) mk_search_bench_seek(tape->bench, instance, key);
    for (size_t k = 0; k < p->n_arms; k++) restart(tape, k, key);
}

/* One evaluation at a time, and none of them is forgotten: they may take long. */
static double search(struct mk_reward_tape *tape, size_t k, uint64_t n)
{
    struct mk_reward_tape_arm *a = &tape->arm[k];
    struct mk_pull pull;
    tape->rewards.failed |= !a->own && !resize(a, tape->problem->searches->budget);
    while (n >= a->seen->filled && !tape->rewards.failed) {
        tape->rewards.failed = mk_search_pull(tape->bench, k, &pull, &tape->why) != MK_OK;
        if (tape->rewards.failed) break;
        if (a->cost) a->cost[a->seen->filled] = tape->problem->cost[k] * pull.cost;
        if (a->noise_free) a->noise_free[a->seen->filled] = pull.noise_free;
        a->own[a->seen->filled++] = pull.reward;
        mk_reward_tape_evaluated(tape);
    }
    return tape->rewards.failed ? NAN : a->seen->reward[n];
}

bool mk_reward_tape_finish(struct mk_reward_tape *tape, bool (*stopped)(void), double *row)
{
    const uint64_t length = tape->problem->searches->budget;
    for (size_t k = 0; k < tape->problem->n_arms; k++, row += length) {
        for (uint64_t n = tape->rewards.arm[k].filled; n < length && !tape->rewards.failed; n++) {
            if (stopped()) return false;
            search(tape, k, n);
        }
        if (tape->rewards.failed) return false;
        memcpy(row, tape->rewards.arm[k].reward, length * sizeof *row);
        if (tape->arm[k].cost)
            memcpy(row + mk_problem_evaluations(tape->problem), tape->arm[k].cost, length * sizeof *row);
        if (tape->arm[k].noise_free)
            memcpy(row + mk_problem_noise_free_at(tape->problem), tape->arm[k].noise_free, length * sizeof *row);
    }
    return true;
}

static double extend(struct mk_rewards *rewards, size_t k, uint64_t n)
{
    struct mk_reward_tape *tape = (struct mk_reward_tape *)rewards; /* its first member */
    struct mk_reward_tape_arm *a = &tape->arm[k];
    if (tape->bench) return search(tape, k, n);
    if (!tape->problem->source->sample) { /* the end of a recorded sequence */
        tape->rewards.failed = 1;
        return NAN;
    }
    while (n >= a->seen->filled) {
        /* A block as long as what exists: few draws are wasted on arms that are abandoned early. */
        uint64_t block = a->seen->filled < tape->first     ? tape->first
                         : a->seen->filled < LARGEST_BLOCK ? a->seen->filled
                                                           : LARGEST_BLOCK;
        if (a->seen->filled + block > a->written && tape->written + block > tape->look) {
            make_room(tape);
            if (a->seen->filled == 0) continue;
        }
        if (a->seen->filled + block > a->room) {
            /* Unwritten parts take no memory where an array has pages of its own; small arrays have none. */
            uint64_t room = a->seen->filled < LARGEST_BLOCK ? a->seen->filled + block : 2 * (a->seen->filled + block);
            if (!resize(a, room)) {
                tape->rewards.failed = 1;
                return NAN;
            }
        }
        if (tape->problem->source->sample(tape->problem, k, &a->rng, a->seen->filled + 1, block,
                                          a->own + a->seen->filled)) {
            tape->rewards.failed = 1;
            return NAN;
        }
        a->seen->filled += block;
        if (a->seen->filled > a->written) {
            tape->written += a->seen->filled - a->written;
            a->written = a->seen->filled;
        }
    }
    return a->seen->reward[n];
}

int mk_reward_tape_new(struct mk_reward_tape **out, const struct mk_problem *problem, uint64_t seed,
                       struct mk_error *err)
{
    struct mk_reward_tape *tape = calloc(1, sizeof *tape);
    if (!tape) return mk_fail_memory(err, "the reward tape");
    tape->problem = problem;
    tape->rewards = (struct mk_rewards){calloc(problem->n_arms, sizeof *tape->rewards.arm), extend, 0};
    tape->arm = calloc(problem->n_arms, sizeof *tape->arm);
    if (!tape->rewards.arm || !tape->arm) {
        mk_reward_tape_free(tape);
        return mk_fail_memory(err, "the reward tape");
    }
    for (size_t k = 0; k < problem->n_arms; k++) tape->arm[k].seen = &tape->rewards.arm[k];
    tape->first = first_block((double)problem->n_arms);
    tape->seed = seed;
    tape->most = tape->look = UINT64_MAX;
    int code = MK_OK;
    const struct mk_searches *searches = mk_problem_searches(problem);
    if (searches) code = mk_search_bench_new(&tape->bench, searches, err);
    if (!code && !reserve_costs(tape)) code = mk_fail_memory(err, "the reward tape");
    if (code)
        mk_reward_tape_free(tape);
    else
        *out = tape;
    return code;
}
