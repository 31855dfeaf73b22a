#include "sim/plan/plan.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"

enum { MOST_ROUNDS = 1000000 };

void mk_plan_free(struct mk_plan *p)
{
    free(p->round);
    *p = (struct mk_plan){0};
}

int mk_plan_add(struct mk_plan *p, struct mk_plan_round round, struct mk_error *err)
{
    if (p->n == MOST_ROUNDS) return mk_fail(err, MK_EINPUT, "a plan of more than %d rounds", MOST_ROUNDS);
    if (!MK_GROW(p->round, p->n, 1)) return mk_fail_memory(err, "a plan");
    p->round[p->n++] = round;
    return MK_OK;
}

double mk_plan_total(const struct mk_plan *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += (double)p->round[i].configurations * p->round[i].budget;
    return sum;
}

void mk_plan_cut(struct mk_plan *p, double budget)
{
    double left = budget * (1 + 1e-12);
    for (size_t i = 0; i < p->n; i++) {
        struct mk_plan_round *r = &p->round[i];
        const double fit = floor(left / r->budget);
        left -= (double)r->configurations * r->budget;
        if (fit >= (double)r->configurations) continue;
        r->configurations = (uint64_t)fit;
        p->n = i + (fit > 0);
        return;
    }
}
