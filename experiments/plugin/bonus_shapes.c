/* MaxUCB with further shapes of the bonus, against which experiments/README.md, "The power of the bonus", compares
 * `power`; this project's.
 *
 *     I_t = argmax_i  max_i / M + (alpha L(t) / n_i)^exponent,   each arm once first,
 *
 * with M the largest reward so far (as max_ucb with scale: global_max; not divided unless M > 0). L(t) is
 *
 *     max_ucb_shape    log t (rise: log), or log t * log log t (rise: log_log; 0 up to t = 2)
 *     max_ucb_horizon  log(T / K), the same in every round; the horizon T is known
 *
 * Compiled and loaded as epsilon_max.c is. Where alpha is the same, all exponents have the bonus 1 at the same n_i. */
#include "policies/plugin.h"

enum { ALPHA, EXPONENT, RISE, SHAPE_PARAMS };
enum { HORIZON_PARAMS = RISE };

#define ALPHA_AND_EXPONENT                                                                                             \
    {"alpha", MK_REAL, 0, 0.5, 0, 1e100, NULL, "exploration"},                                                         \
    {                                                                                                                  \
        "exponent", MK_REAL, 0, 2, 0.1, 10, NULL, "of the bonus"                                                       \
    }

static const struct mk_param shape_params[] = {
    ALPHA_AND_EXPONENT,
    {"rise", MK_CHOICE, 0, 0, 0, 0, "log|log_log", "what rises with the round t: log t, or log t * log log t"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(shape_params, SHAPE_PARAMS);

static const struct mk_param horizon_params[] = {ALPHA_AND_EXPONENT, MK_PARAMS_END};
MK_PARAMS_ARE(horizon_params, HORIZON_PARAMS);

struct arm {
    double max, n;
};

struct state {
    const struct mk_setup *setup;
    double largest;   /* reward of all arms */
    struct arm arm[]; /* [arms] */
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct state) + s->arms * sizeof(struct arm);
}

static void init(void *state, const struct mk_setup *s)
{
    struct state *b = state;
    b->setup = s;
    b->largest = -INFINITY;
    for (size_t k = 0; k < s->arms; k++) b->arm[k] = (struct arm){-INFINITY, 0};
}

/* The arm with the largest index, the lowest of those that tie; level: alpha L(t). */
static size_t largest_index(const struct state *b, double level)
{
    const double exponent = b->setup->par[EXPONENT], unit = b->largest > 0 ? b->largest : 1;
    double most = -INFINITY;
    size_t best = 0;
    for (size_t k = 0; k < b->setup->arms; k++) {
        const double x = level / b->arm[k].n;
        const double index = b->arm[k].max / unit + (exponent == 2 ? x * x : pow(x, exponent));
        if (index > most) {
            most = index;
            best = k;
        }
    }
    return best;
}

static size_t select_rising(void *state, uint64_t t)
{
    const struct state *b = state;
    const struct mk_setup *s = b->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    const double log_t = mk_log(s, t);
    return largest_index(b, s->par[ALPHA] * (s->par[RISE] == 0 ? log_t : log_t * fmax(0, log(log_t))));
}

static size_t select_constant(void *state, uint64_t t)
{
    const struct state *b = state;
    const struct mk_setup *s = b->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    return largest_index(b, s->par[ALPHA] * log((double)s->horizon / (double)s->arms));
}

static void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct state *b = state;
    (void)t;
    b->arm[arm].n++;
    b->arm[arm].max = fmax(b->arm[arm].max, reward);
    b->largest = fmax(b->largest, reward);
}

static const struct mk_policy_type max_ucb_shape = {
    .name = "max_ucb_shape",
    .summary = "MaxUCB with another exponent, or another rise with t, of its bonus",
    .formula = "argmax_i max_i + (alpha L(t) / n_i)^exponent, each arm once first",
    .reference = "this project, after Balef et al. 2025, Algorithm 1",
    .departures = "",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .params = shape_params,
    .state_size = state_size,
    .init = init,
    .select = select_rising,
    .update = update,
};

static const struct mk_policy_type max_ucb_horizon = {
    .name = "max_ucb_horizon",
    .summary = "MaxUCB with log(T / K) in the place of log t",
    .formula = "argmax_i max_i + (alpha log(T / K) / n_i)^exponent, each arm once first",
    .reference = "this project, after Balef et al. 2025, Algorithm 1",
    .departures = "",
    .cost = "O(K)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = horizon_params,
    .state_size = state_size,
    .init = init,
    .select = select_constant,
    .update = update,
};

MK_PLUGIN(&max_ucb_shape, &max_ucb_horizon)
