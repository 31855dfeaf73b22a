/* A worked example of a user-written policy: epsilon_max plays the arm with the largest reward so far, and with
 * probability epsilon any arm, each arm once first.
 *
 *     gcc -O2 -shared -fPIC -I"$(pkg-config --variable=plugindir maxk)" epsilon_max.c -o epsilon_max.so
 *     maxk check_plugin ./epsilon_max.so
 *     maxk run epsilon_max.yaml --plugin ./epsilon_max.so
 *
 * In the checkout, -I. takes the place of -I"…". Needs libgsl-dev for its headers. */
#include "policies/plugin.h"

enum { EPSILON, PARAMS };

static const struct mk_param params[] = {
    {"epsilon", MK_REAL, 0, 0.1, 0, 1, NULL, "probability of a random arm"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* One state per thread; nothing is allocated while it plays. */
struct state {
    const struct mk_setup *setup;
    double max[]; /* [arms] largest reward so far */
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct state) + s->arms * sizeof(double);
}

/* The state is not cleared: everything is set here. */
static void init(void *state, const struct mk_setup *s)
{
    struct state *e = state;
    e->setup = s;
    for (size_t k = 0; k < s->arms; k++) e->max[k] = -INFINITY;
}

static size_t select_arm(void *state, uint64_t t)
{
    const struct state *e = state;
    const struct mk_setup *s = e->setup;
    size_t best = 0;
    if (t <= s->arms) return (size_t)(t - 1);
    if (mk_uniform(s->rng) < s->par[EPSILON]) return (size_t)(mk_uniform(s->rng) * (double)s->arms);
    for (size_t k = 1; k < s->arms; k++)
        if (e->max[k] > e->max[best]) best = k;
    return best;
}

static void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct state *e = state;
    (void)t;
    if (reward > e->max[arm]) e->max[arm] = reward;
}

static const struct mk_policy_type epsilon_max = {
    .name = "epsilon_max",
    .summary = "the arm with the largest reward so far, with probability epsilon any arm",
    .formula = "argmax_i max_i with probability 1 - epsilon, each arm once first",
    .reference = "an example",
    .departures = "",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
};

MK_PLUGIN(&epsilon_max)
