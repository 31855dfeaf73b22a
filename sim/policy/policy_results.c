#include "sim/policy/policy_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"

int mk_policy_results_init(struct mk_policy_results *r, size_t arms, struct mk_error *err)
{
    *r = (struct mk_policy_results){.arms = arms, .worst_of_all = NAN, .best_of_all = -INFINITY};
    r->best = malloc(arms * sizeof *r->best);
    r->worst = malloc(arms * sizeof *r->worst);
    r->first = malloc(arms * sizeof *r->first);
    r->last = malloc(arms * sizeof *r->last);
    if (!r->best || !r->worst || !r->first || !r->last) return mk_fail_memory(err, "the results of a policy");
    for (size_t k = 0; k < arms; k++) {
        r->best[k] = r->worst[k] = NAN;
        r->first[k] = r->last[k] = SIZE_MAX;
    }
    return MK_OK;
}

int mk_policy_results_copy(struct mk_policy_results *to, const struct mk_policy_results *from, struct mk_error *err)
{
    const size_t arms = from->arms;
    int code = mk_policy_results_init(to, arms, err);
    if (!code && !MK_GROW(to->item, 0, from->n)) code = mk_fail_memory(err, "the results of a policy");
    if (code) return code;
    memcpy(to->best, from->best, arms * sizeof *to->best);
    memcpy(to->worst, from->worst, arms * sizeof *to->worst);
    memcpy(to->first, from->first, arms * sizeof *to->first);
    memcpy(to->last, from->last, arms * sizeof *to->last);
    if (from->n) memcpy(to->item, from->item, from->n * sizeof *to->item);
    to->worst_of_all = from->worst_of_all;
    to->best_of_all = from->best_of_all;
    to->n = from->n;
    to->gone = from->gone;
    return MK_OK;
}

void mk_policy_results_clear(struct mk_policy_results *r)
{
    free(r->best);
    free(r->worst);
    free(r->item);
    free(r->first);
    free(r->last);
}

/* ---- what is known ---- */

bool mk_policy_results_is_empty(const struct mk_policy_results *r)
{
    return isnan(r->worst_of_all);
}

/* Comparisons with NaN are false. */
void mk_policy_results_note(struct mk_policy_results *r, const struct mk_policy_round *of)
{
    if (of->failed) return;
    if (!(of->reward <= r->best[of->arm])) r->best[of->arm] = of->reward;
    if (!(of->reward >= r->worst[of->arm])) r->worst[of->arm] = of->reward;
    if (!(of->reward >= r->worst_of_all)) r->worst_of_all = of->reward;
    if (of->reward > r->best_of_all) r->best_of_all = of->reward;
}

double mk_policy_results_failure(const struct mk_policy_results *r, size_t k)
{
    return isnan(r->worst[k]) ? r->worst_of_all : r->worst[k];
}

double mk_policy_results_stand_in(const struct mk_policy_results *r, size_t k)
{
    return !isnan(r->best[k]) ? r->best[k] : !isnan(r->worst_of_all) ? r->worst_of_all : 0;
}

/* ---- what waits ---- */

static void append(struct mk_policy_results *r, size_t at)
{
    const size_t k = r->item[at].of.arm, before = r->last[k];
    r->item[at].next = SIZE_MAX;
    *(before == SIZE_MAX ? &r->first[k] : &r->item[before].next) = at;
    r->last[k] = at;
}

static void relink(struct mk_policy_results *r)
{
    for (size_t k = 0; k < r->arms; k++) r->first[k] = r->last[k] = SIZE_MAX;
    for (size_t i = 0; i < r->n; i++)
        if (!r->item[i].gone) append(r, i);
}

/* Drops those that have been used. */
static void compact(struct mk_policy_results *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (!r->item[i].gone) r->item[n++] = r->item[i];
    r->n = n;
    r->gone = 0;
    relink(r);
}

int mk_policy_results_push(struct mk_policy_results *r, struct mk_policy_round of, struct mk_error *err)
{
    if (r->gone > r->arms && 2 * r->gone > r->n) compact(r);
    if (!MK_GROW(r->item, r->n, 1)) return mk_fail_memory(err, "the results of a policy");
    r->item[r->n] = (struct mk_waiting){.of = of};
    append(r, r->n++);
    return MK_OK;
}

bool mk_policy_results_has(const struct mk_policy_results *r, size_t k)
{
    return r->first[k] != SIZE_MAX;
}

bool mk_policy_results_take(struct mk_policy_results *r, size_t k, struct mk_policy_round *of)
{
    if (!mk_policy_results_has(r, k)) return false;
    struct mk_waiting *w = &r->item[r->first[k]];
    *of = w->of;
    r->first[k] = w->next;
    if (w->next == SIZE_MAX) r->last[k] = SIZE_MAX;
    w->gone = !isnan(of->reward);
    r->gone += w->gone;
    if (!w->gone) of->reward = 0;
    return true;
}

void mk_policy_results_restart(struct mk_policy_results *r, double failure)
{
    for (size_t i = 0; i < r->n; i++)
        if (isnan(r->item[i].of.reward)) r->item[i].of.reward = failure;
    relink(r);
}

size_t mk_policy_results_n(const struct mk_policy_results *r)
{
    return r->n - r->gone;
}

void mk_policy_results_list(const struct mk_policy_results *r, struct mk_policy_round *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->item[i].gone) *out++ = r->item[i].of;
}

struct mk_policy_round mk_policy_results_at(const struct mk_policy_results *r, size_t i)
{
    size_t at = r->gone ? 0 : i;
    for (size_t left = r->gone ? i : 0; left || r->item[at].gone; at++) left -= !r->item[at].gone;
    return r->item[at].of;
}
