/* The distributions that an arm may have: the parameter `candidates` of a policy, a list as that of a problem's arms.
 */
#ifndef MAXK_DISTRIBUTIONS_CANDIDATES_H
#define MAXK_DISTRIBUTIONS_CANDIDATES_H

#include "distributions/dist_read.h"
#include "sim/base/yaml_tree.h"

enum { MK_CANDIDATES = 64 };

/* One candidate; point masses if it has no others. */
struct mk_candidate_arm {
    struct mk_dist *dist; /* NULL: of recorded rewards */
    size_t n_values;      /* 0: not point masses alone */
    double *value, *cdf;  /* [n_values] ascending, P(X <= value); the last one is 1 */
    size_t n_breaks;
    double *breaks; /* [n_breaks] mk_dist_breaks_down, where there are not point masses alone */
};

/* Does not change after it was made, so that threads may share it. */
struct mk_candidates {
    size_t n;
    struct mk_candidate_arm *of;
    size_t arms;          /* K > 0: of[i * K + k] is arm k of recorded instance i; 0: any arm may have any of them */
    bool borrowed;        /* the distributions belong to another */
    struct mk_node *node; /* as given, defaults filled in; NULL: not given */
    size_t users;         /* counted by atomic operations */
};

/* From a list of distributions, 1 to MK_CANDIDATES; reader: what else they may be than families of the registry, NULL:
 * nothing. MK_EINPUT: with the place of what is wrong. */
int mk_candidates_read(struct mk_candidates **out, const struct mk_node *list, const struct mk_dist_reader *reader,
                       struct mk_error *err);

/* Of distributions that are kept by the caller until the last use; 1 <= n <= MK_CANDIDATES. MK_ENOMEM. */
int mk_candidates_borrow(struct mk_candidates **out, struct mk_dist *const *dist, size_t n, struct mk_error *err);

/* Recorded instances with `arms` arms each, filled by mk_candidate_of_rewards. MK_ENOMEM. */
int mk_candidates_of_runs(struct mk_candidates **out, size_t instances, size_t arms, struct mk_error *err);

/* Each of n >= 1 rewards, which are sorted, becomes a point mass of 1 / n. MK_ENOMEM. */
int mk_candidate_of_rewards(struct mk_candidate_arm *c, double *reward, size_t n, struct mk_error *err);

/* One more user of the same, which frees it as well; NULL passes through. */
struct mk_candidates *mk_candidates_share(struct mk_candidates *c);
void mk_candidates_free(struct mk_candidates *c);

/* "[{family: …}, …]", malloc'ed; NULL when out of memory. */
char *mk_candidates_text(const struct mk_candidates *c);

/* E[(M - best)^+] for the largest reward M of n >= 1 pulls, to 1e-6 (relative), exactly of point masses; in [0, inf].
 * Allocates nothing. */
double mk_candidate_gain(const struct mk_candidate_arm *c, double n, double best);

/* log of the likelihood of a reward under each candidate: of its probability if any candidate has it as a point mass,
 * else of its density. -inf: it cannot have it. */
void mk_candidates_likelihood(const struct mk_candidates *c, double reward, double *log_of);

/* Position of the parameter of kind MK_PARTS; -1: there is none. params may be NULL. */
int mk_candidates_parameter(const struct mk_param *params);

#endif
