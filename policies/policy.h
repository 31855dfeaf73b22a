/* Bandit policies: what every policy provides.
 *
 * A policy is one .c file with one const struct mk_policy_type, and one line in list.def. It sees rewards only through
 * update: it has no pointer to arms, so it cannot cheat (the oracle receives its arm through a flag). Rewards are
 * maximised; rounds t count from 1; ties go to the lowest index unless an option says otherwise. State is plain data:
 * the engine allocates state_size bytes (64-byte aligned, not cleared) once per thread and calls init before every
 * replication; nothing is allocated during a replication. */
#ifndef MAXK_POLICIES_POLICY_H
#define MAXK_POLICIES_POLICY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/param.h"
#include "sim/base/pcg64.h"

struct mk_candidates;

/* What a policy may know before the first round. */
struct mk_setup {
    size_t arms;       /* K >= 1 */
    uint64_t horizon;  /* T: the horizon of this run (needs_horizon), else the largest one */
    const double *par; /* parameter values, in the order of the type's params */
    const double *log; /* log[t] for t = 1 … log_len - 1 (log[0] = 0) */
    uint64_t log_len;
    struct mk_pcg64 *rng; /* the policy's own stream, a function of (seed, problem, replication, policy name) */
    size_t best_arm;      /* i*(T), only for MK_POLICY_ORACLE; arms otherwise */
    const double *cost;   /* [arms] mean cost of a pull, all 1 unless the experiment gives costs */
    /* [arms] → cost of each successive pull of the arm, if costs were recorded pull by pull; otherwise NULL. A policy
     * counts its pulls and reads the entries of pulls already made, in update: it learns costs as it goes, and policies
     * that ignore costs cost the loop nothing. */
    const double *const *pull_cost;
    /* [arms] how often an arm of this label was the best one on other instances (sim/run/engine/label_shares.h), 1 for
     * an arm as good as any other; NULL: not known. */
    const double *label_share;
    /* The parameter MK_PARTS of a policy that has one (distributions/candidates.h), or, of mk_policy_by_runs, all
     * recorded instances; NULL: not given. */
    const struct mk_candidates *candidates;
    /* Number of arms from which an index policy keeps a tournament (policies/parts/tournament.h) instead of scanning
     * all of them in every round; 0: where that is faster. The arms chosen are the same. */
    size_t tournament_from;
    size_t instance; /* the number of the recorded instance that is played, for candidates of mk_policy_by_runs */
};

static inline double mk_log(const struct mk_setup *s, uint64_t t)
{
    return t < s->log_len ? s->log[t] : log((double)t);
}

enum mk_policy_kind { MK_EXTREME, MK_CASH, MK_CLASSIC };

enum {
    MK_POLICY_NEEDS_HORIZON = 1, /* run once per horizon; otherwise anytime: run once, read at every horizon */
    MK_POLICY_RANDOMISED = 2,    /* draws from its own stream */
    MK_POLICY_ORACLE = 4,        /* receives i*(T) */
    MK_POLICY_RANDOM_TIES = 8,   /* draws from its own stream only with ties: random, which is not its default */
    MK_POLICY_THEOREM_4_2 = 16,  /* max_ucb: with power 1 the policy of Theorem 4.2; its rare events are analysed */
    MK_POLICY_BURN_IN = 32,      /* forgets its first rewards */
    MK_POLICY_BASELINE = 64,     /* others are compared with it by default */
    MK_POLICY_RECORDED = 128,    /* a combined search read from a file: it chooses no arms */
    MK_POLICY_RISING_BONUS =
        256, /* max_i + (alpha (log u)^power / n)^2, u rising with the round: has certified bounds */
    MK_POLICY_FALLING_BONUS = 512, /* `bonus` falls with the round */
    MK_POLICY_COMBINED = 1024      /* one optimiser on the joint space of all arms */
};

struct mk_play;
struct mk_record_play;
struct mk_undo;

struct mk_policy_type {
    const char *name;       /* as in experiment files, [a-z0-9_]+ */
    const char *summary;    /* one line */
    const char *formula;    /* the rule in the paper's notation, plain text */
    const char *reference;  /* paper, equation or algorithm number */
    const char *departures; /* departures from the reference and the options that undo them; "" if there are none */
    const char *cost;       /* cost per pull, e.g. "O(K)" */
    enum mk_policy_kind kind;
    unsigned flags;
    const struct mk_param *params; /* may be NULL */

    /* Relations between parameters other than scale_lo and scale_hi; NULL = nothing to check. Returns NULL, or the
     * problem and what is allowed. */
    const char *(*check)(const double *par);

    /* Bytes of state for this setup; a function of arms, horizon and par alone. */
    size_t (*state_size)(const struct mk_setup *s);

    /* Start of a replication. *s outlives the replication and may be kept by pointer. */
    void (*init)(void *state, const struct mk_setup *s);

    size_t (*select)(void *state, uint64_t t);                          /* the arm of round t, 0 … K-1 */
    void (*update)(void *state, size_t arm, double reward, uint64_t t); /* its reward; never NaN */

    /* Plays a stretch of rounds: always defined by MK_POLICY_PLAY(play, select, update) (or
     * MK_POLICY_PLAY_STAYING) from policies/play/per_pull_loop.h, which compiles the shared loop with this policy's
     * functions inlined. A policy with a budget of its own may make fewer pulls than there are rounds
     * (rising_bandit_cost). */
    void (*play)(void *state, struct mk_play *play, uint64_t first, uint64_t last);

    /* The same from records alone (policies/play/record_loop.h); NULL: the policy has no such form. On the same tape it
     * chooses the same arms, except for policies that draw their counts at random, for which it holds in
     * distribution. */
    void (*play_records)(void *state, struct mk_record_play *play, uint64_t first, uint64_t last);

    /* Why these parameter values do not allow play_records (static text), or NULL; a NULL pointer: all allow it. */
    const char *(*no_records)(const double *par);

    /* B(t, n) >= 0 of a policy that, once every arm has been pulled in rounds 1 … K, pulls an arm i with the largest
     * M_i
     * + R B(t, n_i) in round t: M_i is its largest reward, n_i >= 1 its pulls, R the factor that a parameter `scale`
     * asks for (policies/parts/reward_scaling.h), without it 1; ties may be broken in any way. The policy then has
     * certified bounds (analysis/theory/certificates/certificate.h, (B1) to (B3)), for which B must not rise with n,
     * and, for s < m, B(t, s) - B(t, m) and B must not fall with t (MK_POLICY_FALLING_BONUS: not rise). To a few units
     * in the last place. Only arms, horizon and par of the setup are set. NaN where these parameter values do not make
     * it such a policy; a NULL pointer: none do. */
    double (*bonus)(const struct mk_setup *s, uint64_t t, uint64_t n);

    /* Whether these parameter values make an anytime policy need the horizon; a NULL pointer: none do. Of policies
     * with MK_POLICY_NEEDS_HORIZON all do. */
    bool (*needs_horizon)(const double *par);

    /* Before rounds that will be taken back: hands all that they change to mk_undo_keep (policies/parts/undo.h). First
     * of all it is called with arm = K, for what no single arm has; then before each update, for what `reward` changes
     * of `arm` and of others. The policy's own stream is kept elsewhere. NULL: the whole state is kept, which takes as
     * long as copying it. */
    void (*keep)(void *state, size_t arm, double reward, struct mk_undo *undo);

    /* Why the policy cannot be played with this setup, of which arms, par and candidates are set, or NULL; "key: the
     * problem, what is allowed" (static text). A NULL pointer: it always can. */
    const char *(*refuses)(const struct mk_setup *s);
};

/* Registry (from list.def, in its order). */
size_t mk_policy_type_count(void);
const struct mk_policy_type *mk_policy_type_at(size_t i);
const struct mk_policy_type *mk_policy_type_find(const char *name);

/* Relations between these values: NULL, or the problem and what is allowed (static text). */
const char *mk_policy_problem(const struct mk_policy_type *p, const double *par);

/* Whether these values let costs of pulls (per_cost) or labels (label_prior) change the bonus of an index policy, for
 * which no bound is known. */
bool mk_policy_per_cost(const struct mk_policy_type *p, const double *par);
bool mk_policy_by_label(const struct mk_policy_type *p, const double *par);

/* Whether they let the candidates be recorded instances (recorded). */
bool mk_policy_by_runs(const struct mk_policy_type *p, const double *par);

/* The parameter of mk_policy_by_label or mk_policy_by_runs, by which it needs recorded runs of other instances; NULL:
 * it needs none. */
const char *mk_policy_needs_others(const struct mk_policy_type *p, const double *par);

/* Those of MK_POLICY_THEOREM_4_2, _RISING_BONUS and _FALLING_BONUS that these values leave. */
unsigned mk_policy_bonus_flags(const struct mk_policy_type *p, const double *par);

/* Whether it is run once per horizon with these values. */
bool mk_policy_needs_horizon(const struct mk_policy_type *p, const double *par);

const char *mk_policy_kind_name(enum mk_policy_kind kind);

/* "randomised", "ties=random" (with that option only) or "deterministic". */
const char *mk_policy_randomness(const struct mk_policy_type *p);

#endif
