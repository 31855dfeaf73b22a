/* Sources: where the rewards of arms come from. A kind of source is one file sources/<name>.c with `const struct
 * mk_source_type mk_source_<name>` and one line in sources/list.def; an experiment file chooses it by a key of
 * `problem`.
 *
 * Nobody asks a problem what kind it is. Callers use what is there (mk_problem_dist, mk_problem_searches), ask for the
 * one fact below that they depend on, or call one of the functions of the source. Where a source cannot do something,
 * the message names its key. */
#ifndef MAXK_SIM_PROBLEM_SOURCE_H
#define MAXK_SIM_PROBLEM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"

struct mk_problem;

struct mk_source_type {
    const char *key; /* in `problem` of experiment files: what its arms are, in messages too */

    /* Facts about all problems of this source. */
    bool known;     /* the rewards of an arm are i.i.d. and their distribution is known: exact L and U, certificates */
    bool moving;    /* the distribution of a reward is known and depends on how often its arm was pulled */
    bool recorded;  /* the rewards are finite recorded sequences, and each repetition has its own */
    bool evaluated; /* the rewards are found by evaluating configurations, which may take long */
    bool record_tape; /* the record engine can play it */

    /* Digest of the rewards that lie outside the experiment file, which a run that is resumed must find unchanged, and
     * what the digest is called; NULL: the file says all. Errors: MK_ENOMEM. */
    const char *fingerprint_name;
    int (*fingerprint)(const struct mk_problem *p, uint64_t *digest);

    /* Room for the arms, whose number is there, of a problem; freed by mk_problem_free. NULL: made by its reader. */
    int (*make_room)(struct mk_problem *p, size_t n_instances, struct mk_error *err);

    /* As mk_problem_arm_support. Errors: MK_ENOMEM. */
    int (*support)(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                   struct mk_error *err);

    /* E[M(T)] of an arm, and the median of M(T); NULL: known from recorded rewards alone. Errors: MK_ENUM, MK_ENOMEM.
     */
    int (*expected_max)(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err);
    int (*median_max)(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err);

    /* out[i] = reward of pull first + i of the arm (first >= 1), i < n, from its stream, which has given the earlier
     * ones; NULL: rewards are not drawn. Errors: MK_ENOMEM. */
    int (*sample)(const struct mk_problem *p, size_t arm, struct mk_pcg64 *rng, uint64_t first, size_t n, double *out);
};

size_t mk_source_type_count(void);
const struct mk_source_type *mk_source_type_at(size_t i);

/* The range of all rewards of recorded sequences, or of searches whose rewards are there. */
int mk_source_series_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high,
                             struct mk_error *err);

#define SOURCE(name) extern const struct mk_source_type mk_source_##name;
#include "sim/problem/sources/list.def"
#undef SOURCE

#endif
