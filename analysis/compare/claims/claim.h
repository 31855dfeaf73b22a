/* Claims: published statements and tables, each checked by a small experiment of its own.
 *
 * A claim is a const struct mk_claim in a file claim_<name>.c (related ones share one), and a line in claims.def. Its
 * check emits rows: where it was checked, what the claim says (`expected`), what was found (`observed`, with a 95 %
 * interval if it was simulated) and a verdict:
 *
 *     holds, violated   the interval lies on one side; a single number is compared up to rounding
 *     inconclusive      the interval straddles what is claimed
 *     vacuous           the bound is at least the largest value that the quantity can have
 *     not-applicable    an assumption of the claim does not hold there
 *
 * Published tables: `expected` is the published number; the claim's `method` says what counts as agreement.
 * Everything is a function of (claim, options): the same rows for any number of threads. */
#ifndef MAXK_ANALYSIS_COMPARE_CLAIMS_CLAIM_H
#define MAXK_ANALYSIS_COMPARE_CLAIMS_CLAIM_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/theory/bounds.h"
#include "sim/api/maxk/error.h"

enum { MK_CLAIM_PATH = 512 };

enum mk_relation { MK_AT_MOST, MK_AT_LEAST, MK_EQUALS };

struct mk_claim_row {
    char where[256];                      /* arms, horizon, … */
    char quantity[96];                    /* what `observed` is */
    enum mk_relation relation;            /* of observed to expected */
    double expected, observed, low, high; /* NaN = not available */
    enum mk_verdict verdict;
    const char *note;               /* static text, or "" */
    char experiment[MK_CLAIM_PATH]; /* file that the row's experiment was written to, or "" */
};

struct mk_claim;

struct mk_claim_options {
    uint64_t replications; /* 0: each claim's own number */
    uint64_t seed;
    int threads;        /* >= 1 */
    const char *folder; /* experiments are written there as files, <claim>_1.yaml …; NULL: they are not written */
};

/* What a check writes to. */
struct mk_claim_report {
    const struct mk_claim *claim;
    struct mk_claim_options options;
    void (*row)(void *to, const struct mk_claim *claim, const struct mk_claim_row *row);
    void *to;
    size_t n_experiments;           /* so far */
    char experiment[MK_CLAIM_PATH]; /* the last one's file, or "" */
};

struct mk_claim {
    const char *name;      /* [a-z0-9_]+ */
    const char *source;    /* paper, theorem or table */
    const char *statement; /* plain text */
    const char *method;    /* how it is checked, and what a verdict means here */
    size_t n;              /* parts of the check, i = 0 … n - 1, such as one for every problem */
    int (*check)(struct mk_claim_report *r, size_t i, struct mk_error *err);
};

/* Registry (from claims.def, in its order). */
size_t mk_claim_count(void);
const struct mk_claim *mk_claim_at(size_t i);
const struct mk_claim *mk_claim_find(const char *name);

/* Makes all parts of the report's claim, in their order, up to the first error. */
int mk_claim_check(struct mk_claim_report *r, struct mk_error *err);

const char *mk_relation_sign(enum mk_relation r); /* "<=", ">=", "=" */

/* ---- for checks ---- */

void mk_claim_emit(struct mk_claim_report *r, const struct mk_claim_row *row);

/* A row with texts by printf and no interval, verdict not-applicable. */
struct mk_claim_row mk_claim_row_start(enum mk_relation relation, const char *quantity, const char *where, ...)
    __attribute__((format(printf, 3, 4)));

/* The verdict of a row whose interval [low, high] is known; NaN ends = inconclusive. */
enum mk_verdict mk_claim_judge(const struct mk_claim_row *row);

/* The verdict of exact numbers: low = high = observed, with a relative slack for rounding. */
enum mk_verdict mk_claim_judge_exact(const struct mk_claim_row *row, double slack);

/* The verdict on an interval [low, high] of what is claimed to lie in [least, most]: holds inside, violated outside. */
enum mk_verdict mk_claim_judge_within(const struct mk_claim_row *row, double least, double most);

/* The verdict and note of a row about a limit. holds: its interval overlaps the neighbourhood of the expected value;
 * inconclusive: outside, but nearer to it than `before`, observed at a smaller T; else violated. */
void mk_claim_judge_limit(struct mk_claim_row *row, double before, double tolerance);

/* Replications that a claim uses: the option's, or its own. */
static inline uint64_t mk_claim_replications(const struct mk_claim_report *r, uint64_t own)
{
    return r->options.replications ? r->options.replications : own;
}

#endif
