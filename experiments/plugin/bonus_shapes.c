/* MaxUCB with further shapes of the bonus, with which experiments/notes/power.md compares `power`; this project's.
 *
 *     I_t = argmax_i  max_i / M + (alpha L(t) / n_i)^exponent,   each arm once first,
 *
 * with M the largest reward so far (scale: global_max; not divided unless M > 0), or without it (scale: none), and L(t)
 * = log t (rise: log) or log t * log log t (rise: log_log; 0 up to t = 2). Because it has `bonus`, `maxk certify` knows
 * it.
 *
 * Compiled and loaded as epsilon_max.c is. Where alpha is the same, all exponents have the bonus 1 at the same n_i. */
#include "policies/plugin.h"

enum { ALPHA, EXPONENT, RISE, SCALE, PARAMS };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, 0, 0.5, 0, 1e100, NULL, "exploration"},
    {"exponent", MK_REAL, 0, 2, 0.1, 10, NULL, "of the bonus"},
    {"rise", MK_CHOICE, 0, 0, 0, 0, "log|log_log", "what rises with the round t: log t, or log t * log log t"},
    {"scale", MK_CHOICE, 0, 1, 0, 0, "none|global_max",
     "division of rewards by the largest one so far once that is > 0"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

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

/* alpha L(t) */
static double level_at(const struct mk_setup *s, uint64_t t)
{
    const double log_t = mk_log(s, t);
    return s->par[ALPHA] * (s->par[RISE] == 0 ? log_t : log_t * fmax(0, log(log_t)));
}

static double bonus_of(const struct mk_setup *s, double level, double n)
{
    const double x = level / n, exponent = s->par[EXPONENT];
    return exponent == 2 ? x * x : pow(x, exponent);
}

static double bonus(const struct mk_setup *s, uint64_t t, uint64_t n)
{
    return bonus_of(s, level_at(s, t), (double)n);
}

/* The lowest of the arms with the largest index. */
static size_t select_arm(void *state, uint64_t t)
{
    const struct state *b = state;
    const struct mk_setup *s = b->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    const double level = level_at(s, t), unit = s->par[SCALE] != 0 && b->largest > 0 ? b->largest : 1;
    double most = -INFINITY;
    size_t best = 0;
    for (size_t k = 0; k < s->arms; k++) {
        const double index = b->arm[k].max / unit + bonus_of(s, level, b->arm[k].n);
        if (index > most) {
            most = index;
            best = k;
        }
    }
    return best;
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
    .params = params,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .bonus = bonus,
};

MK_PLUGIN(&max_ucb_shape)
