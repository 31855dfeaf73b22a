/* Plans: how a rule divides its budget into brackets and rounds before anything is known of the configurations. */
#ifndef MAXK_SIM_SEARCH_PLAN_PLAN_H
#define MAXK_SIM_SEARCH_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/param.h"

struct mk_plan_round {
    uint64_t bracket, round; /* from 0; as the source counts brackets */
    uint64_t configurations;
    double budget;  /* spent on each of them in this round */
    double reached; /* what each has been evaluated on when the round ends: `budget`, or more where it is resumed */
};

/* Start with a struct of zeros. */
struct mk_plan {
    size_t n;
    struct mk_plan_round *round;
};

void mk_plan_free(struct mk_plan *p);

/* The sum of configurations times budget. */
double mk_plan_total(const struct mk_plan *p);

struct mk_plan_type {
    const char *name;      /* as in `maxk schedule` */
    const char *summary;   /* one line */
    const char *formula;   /* plain text */
    const char *reference; /* its source */
    const struct mk_param *params;
    /* Relations between parameters; NULL = nothing to check. Returns NULL or what is wrong and what is allowed. */
    const char *(*check)(const double *par);
    /* Adds the rounds to *out. MK_EINPUT where the budget does not suffice; a text without a place. */
    int (*make)(const double *par, struct mk_plan *out, struct mk_error *err);
};

/* All of them; NULL past the end. */
size_t mk_plan_type_count(void);
const struct mk_plan_type *mk_plan_type_at(size_t i);
const struct mk_plan_type *mk_plan_type_find(const char *name);

#endif
