#include "sim/run/check_policy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/parts/reward_scaling.h"
#include "sim/base/error.h"

enum { MOST_ROUNDS = 400, GUARD = 256, GUARD_BYTE = 0xc3 };

enum kind { DISTINCT, TIED, CONSTANT, NEGATIVE, RISING, KINDS };

struct play {
    const struct mk_policy_type *type;
    const double *par;
    size_t arms;
    uint64_t horizon;
    enum kind kind;
    int fill; /* byte that the state is filled with before init */
};

static double reward_of(enum kind kind, size_t arm, uint64_t t)
{
    const double x = fmod(0.618033988749895 * (double)t + 0.3 * (double)arm, 1);
    switch (kind) {
    case TIED: return floor(4 * x);
    case CONSTANT: return 0.5;
    case NEGATIVE: return -100 * x;
    case RISING: return (double)t + x;
    default: return x;
    }
}

/* What an index policy with a bonus of round and pulls knows of its arms. */
struct index {
    double max, pulls;
};

static double parameter_of(const struct play *play, const char *name)
{
    const int i = mk_param_find(play->type->params, name);
    return i < 0 ? 0 : play->par[i];
}

/* The factor R of the bonus. */
static double factor_of(const struct play *play, double smallest, double largest)
{
    const enum mk_scale scale = (enum mk_scale)parameter_of(play, "scale");
    const double width = parameter_of(play, "scale_hi") - parameter_of(play, "scale_lo");
    const double factor = scale == MK_SCALE_NONE         ? 1
                          : scale == MK_SCALE_GLOBAL_MAX ? largest
                                                         : (largest - smallest) / width;
    return factor > 0 ? factor : 1;
}

/* Whether every arm that was pulled after the first K rounds had the largest index by the policy's `bonus`, up to
 * rounding. */
static int check_bonus(const struct play *play, const uint32_t *arm, struct mk_error *err)
{
    static const double rounding = 1e-9;
    const struct mk_policy_type *type = play->type;
    const struct mk_setup s = {.arms = play->arms, .horizon = play->horizon, .par = play->par};
    double smallest = INFINITY, largest = -INFINITY;
    if (!type->bonus || isnan(type->bonus(&s, play->horizon, 1))) return MK_OK;
    struct index *own = calloc(play->arms, sizeof *own);
    int code = own ? MK_OK : mk_fail_memory(err, "the state of a policy");
    for (uint64_t t = 1; !code && t <= play->horizon; t++) {
        const size_t k = arm[t - 1];
        if (t > play->arms) {
            const double factor = factor_of(play, smallest, largest);
            double best = -INFINITY, its = NAN, size = 0;
            for (size_t j = 0; j < play->arms; j++) {
                const double bonus = factor * type->bonus(&s, t, (uint64_t)own[j].pulls), index = own[j].max + bonus;
                best = fmax(best, index);
                size = fmax(size, fabs(own[j].max) + bonus);
                if (j == k) its = index;
            }
            if (!(its >= best - rounding * size))
                code = mk_fail(err, MK_EINPUT,
                               "%s: bonus: round %" PRIu64
                               ": the arm that is pulled has the index %g, another one %g (%zu arms)",
                               type->name, t, its, best, play->arms);
        }
        const double reward = reward_of(play->kind, k, t);
        own[k] = (struct index){own[k].pulls > 0 ? fmax(own[k].max, reward) : reward, own[k].pulls + 1};
        smallest = fmin(smallest, reward);
        largest = fmax(largest, reward);
    }
    free(own);
    return code;
}

/* The first n arms of a run that ends at play->horizon into arm[]; n <= horizon. */
static int run(const struct play *play, uint64_t n, uint32_t *arm, struct mk_error *err)
{
    const struct mk_policy_type *type = play->type;
    struct mk_pcg64 rng;
    double *cost = malloc(play->arms * sizeof *cost);
    const struct mk_setup s = {.arms = play->arms,
                               .horizon = play->horizon,
                               .par = play->par,
                               .rng = &rng,
                               .best_arm = play->arms,
                               .cost = cost};
    const size_t bytes = cost ? type->state_size(&s) : 0;
    unsigned char *state = cost ? aligned_alloc(64, (bytes + GUARD + 63) & ~(size_t)63) : NULL;
    int code = state ? MK_OK : mk_fail_memory(err, "the state of a policy");
    for (size_t k = 0; !code && k < play->arms; k++) cost[k] = 1;
    if (!code) {
        memset(state, play->fill, bytes);
        memset(state + bytes, GUARD_BYTE, GUARD);
        mk_pcg64_seed(&rng, 7, 54);
        type->init(state, &s);
    }
    for (uint64_t t = 1; !code && t <= n; t++) {
        const size_t k = type->select(state, t);
        if (k >= play->arms)
            code = mk_fail(err, MK_EINPUT, "%s: select: expected an arm below %zu, got %zu in round %" PRIu64,
                           type->name, play->arms, k, t);
        else
            type->update(state, k, reward_of(play->kind, k, t), t);
        arm[t - 1] = (uint32_t)k;
    }
    for (size_t i = 0; !code && i < GUARD; i++)
        if (state[bytes + i] != GUARD_BYTE)
            code = mk_fail(err, MK_EINPUT, "%s: state_size: a byte %zu past the end of %zu is written (%zu arms)",
                           type->name, i, bytes, play->arms);
    free(state);
    free(cost);
    return code;
}

static int compare(const struct play *first, const struct play *second, const char *problem, struct mk_error *err)
{
    uint32_t a[MOST_ROUNDS], b[MOST_ROUNDS];
    const uint64_t n = first->horizon;
    int code = run(first, n, a, err);
    if (!code && first->horizon == second->horizon) code = check_bonus(first, a, err);
    if (!code) code = run(second, n, b, err);
    for (uint64_t t = 0; !code && t < n; t++)
        if (a[t] != b[t])
            code = mk_fail(err, MK_EINPUT, "%s: %s (%zu arms, round %" PRIu64 ")", first->type->name, problem,
                           first->arms, t + 1);
    return code;
}

void mk_usual_parameters(const struct mk_param *params, double *par)
{
    mk_param_defaults(params, par);
    for (size_t i = 0; i < mk_param_count(params); i++) {
        const struct mk_param *p = &params[i];
        if (!(p->flags & MK_REQUIRED)) continue;
        par[i] = isfinite(p->lo) && isfinite(p->hi) ? (p->lo + p->hi) / 2
                 : isfinite(p->lo)                  ? p->lo + 1
                 : isfinite(p->hi)                  ? p->hi - 1
                                                    : 0;
        if (p->kind == MK_INTEGER) par[i] = floor(par[i]);
    }
}

int mk_check_policy(const struct mk_policy_type *type, size_t *plays, struct mk_error *err)
{
    static const size_t arms[] = {1, 2, 3, 17, 40};
    double par[MK_MAX_PARAMS];
    int code = MK_OK;
    mk_usual_parameters(type->params, par);
    *plays = 0;
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        for (int kind = 0; !code && kind < KINDS; kind++) {
            const struct play one = {type, par, arms[i], MOST_ROUNDS, (enum kind)kind, 0xa5};
            struct play other = one;
            other.fill = 0x5a;
            code = compare(&one, &other,
                           "a second run selects other arms: memory that init has not set, or a state elsewhere", err);
            other = one;
            other.horizon = 3 * MOST_ROUNDS;
            if (!code && !(type->flags & MK_POLICY_NEEDS_HORIZON))
                code = compare(&one, &other, "the first rounds depend on the horizon; expected MK_POLICY_NEEDS_HORIZON",
                               err);
            *plays += !code;
        }
    return code;
}
