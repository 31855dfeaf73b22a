/* The state of a policy outside a simulation, and its value as words that may leave the process.
 *
 * A state is one block of plain data, but it may hold pointers into itself and to what it was made with. A word that is
 * the address of a byte of these is taken for a pointer, and written as what it points into and how far. No number
 * comes near: as a whole number an address is some 10^14, a count that no policy reaches, and as a double some 10^-310.
 * A state holds no other pointers, and none to functions and constants: tests/project/test_policy_library.sh takes
 * every policy of the registry from one process to another. */
#ifndef MAXK_POLICIES_ASK_TELL_POLICY_STATE_H
#define MAXK_POLICIES_ASK_TELL_POLICY_STATE_H

#include "policies/parts/undo.h"
#include "policies/policy.h"
#include "sim/api/maxk/error.h"

struct mk_policy_state {
    const struct mk_policy_type *type;
    uint64_t seed;
    struct mk_setup setup; /* setup.horizon: rounds that there is room for */
    struct mk_pcg64 rng;
    double par[MK_MAX_PARAMS];
    double *cost;   /* [setup.arms] as given */
    double *paid;   /* [setup.arms] the same, or what the pull has cost whose result comes next; setup.cost */
    uint64_t *word; /* [words] the block, 64-byte aligned */
    size_t words;
};

/* A new state before its first round, in *out; of *like only type, seed, setup.arms, setup.horizon, par and cost (NULL:
 * 1 for every arm) are read, which are copied. MK_ENOMEM. Free with mk_policy_state_free. */
int mk_policy_state_new(struct mk_policy_state **out, const struct mk_policy_state *like, struct mk_error *err);
void mk_policy_state_free(struct mk_policy_state *s);

/* An independent state of the same value. */
int mk_policy_state_copy(struct mk_policy_state **out, const struct mk_policy_state *from, struct mk_error *err);

/* Before rounds that mk_undo_all will take back: keeps what no single arm has, with arm K before the first select, and
 * what the reward of an arm changes, before each update. `more`: room for what the caller will keep before the next
 * call. MK_ENOMEM. */
int mk_policy_state_keep(struct mk_policy_state *s, size_t arm, double reward, struct mk_undo *undo, size_t more,
                         struct mk_error *err);

/* Whether the state of this policy has the same size for every horizon. */
bool mk_policy_state_is_bounded(const struct mk_policy_state *s);

/* The value of the state as [mk_policy_state_length] words without addresses; and back, into a state that was made from
 * equal settings. MK_EINPUT: these words are not those of such a state. */
size_t mk_policy_state_length(const struct mk_policy_state *s);
void mk_policy_state_store(const struct mk_policy_state *s, uint64_t *to);
int mk_policy_state_restore(struct mk_policy_state *s, const uint64_t *from, struct mk_error *err);

#endif
