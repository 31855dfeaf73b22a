/* What is certified: a race of the arms under MaxUCB or another policy with a bonus, and one side of the bounds of one
 * arm. Notation and theorems: certificate.h. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_RACE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_RACE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/theory/certificates/first_passage.h"
#include "policies/policy.h"

/* The policy's scaling of rewards: none, division by the largest one so far, or a map of all rewards so far to an
 * interval of the given width. The order of the indices is that of M_j(n_j) + R_t B(t, n_j) with R_t = 1, the largest
 * reward so far, or (largest - smallest reward so far) / width; 1 where that is not positive. */
enum mk_race_scale { MK_RACE_UNSCALED, MK_RACE_BY_LARGEST, MK_RACE_BY_RANGE };

/* Pulls of arms that a race of two leaves out (Theorem 16): before a round of its two arms these have had from `least`
 * to `most` pulls, and no round is later than `last`. All 0: there are no such arms. */
struct mk_race_others {
    uint64_t least, most, last;
};

struct mk_race {
    size_t arms;                    /* K >= 2 */
    const struct mk_known_cdf *arm; /* [arms] */
    uint64_t horizon;               /* T >= K */
    double alpha;                   /* >= 0 */
    double power;                   /* of the logarithm; 1 and less: 1 */
    int64_t shift;                  /* added to the round inside the logarithm, >= -1 */
    /* Another bonus, B(t, n) >= 0 with `setup`, for 2 <= t <= T, in the place of that of alpha, power and shift, which
     * meets (B1) to (B3); NULL: none. falling: B(t, n) and D_t(s, m) do not increase in t instead: two arms to which
     * Theorem 6 or 11 applies, and that alone. */
    double (*bonus)(const struct mk_setup *setup, uint64_t t, uint64_t n);
    struct mk_setup setup; /* arms, horizon and par alone */
    bool falling;
    enum mk_race_scale scale;
    double width;                 /* MK_RACE_BY_RANGE, > 0 */
    uint64_t before;              /* rewards that the scaling may have seen before the first round */
    struct mk_race_others others; /* of a part of another race alone */
};

/* Whether a bonus of the race's own meets (B1) to (B3), or if falling (B1) and the reverse of the others, in rounds and
 * at counts of a grid: all up to 16, then 8 in every octave. MK_EINPUT names the place where it does not. */
int mk_race_check_bonus(const struct mk_race *race, struct mk_error *err);

/* What a walk in favour of one arm says of V, the largest reward of T rounds and of the burn-in, for two arms (Theorem
 * 10). With these of both arms added, the integral of P(V <= x) over the range of rewards lies between them. Of more
 * arms those of the first one alone are bounds of E[V] (Theorem 15). NaN: not known. */
struct mk_certified_maximum {
    double min, max;
};

/* What a bound of E[N_i(T)] is given by: 1 <= N_i(T) <= T - K + 1 alone, a theorem, the bounds of all other arms, since
 * the pulls are T together, or playing a race without chance. Those of the mean of the largest reward and of the regret
 * are given by Theorem 7, 10 or 15, or by playing. */
enum mk_certified_by {
    MK_BY_COUNTING,
    MK_BY_THEOREM_1,
    MK_BY_THEOREMS_2_3,
    MK_BY_THEOREM_6,
    MK_BY_THEOREM_11,
    MK_BY_THEOREM_13,
    MK_BY_THEOREM_16,
    MK_BY_THEOREM_17,
    MK_BY_OTHER_ARMS,
    MK_BY_PLAY,
    MK_BY_THEOREM_7,
    MK_BY_THEOREM_10,
    MK_BY_THEOREM_15
};

/* What a certificate is made of: one side of the bounds of one arm, which does not depend on those of other arms. */
struct mk_certified_side {
    struct mk_certified_maximum maximum; /* from above */
    double mean;                         /* E[N_i(T)] is at most this, from above, or at least this, from below */
    double refinement;                   /* from above, as the tail: see mk_certified_arm */
    enum mk_certified_by by;             /* that gives the mean */
    size_t n;
    uint64_t *m;
    double *tail;
};

#define MK_NO_MAXIMUM ((struct mk_certified_maximum){NAN, NAN})
#define MK_NO_SIDE ((struct mk_certified_side){.maximum = MK_NO_MAXIMUM})

static inline void mk_certified_side_clear(struct mk_certified_side *s)
{
    free(s->m);
    free(s->tail);
    *s = MK_NO_SIDE;
}

#endif
