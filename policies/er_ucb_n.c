/* ER-UCB-N, the extreme-region UCB for rewards that rise with the pulls (Hu et al. 2021):
 *
 *     I_t = argmax_i  gamma (g(b1 T + b0) + sqrt(s2 / theta)) + D(t) + sqrt((D(n) + 1) sqrt(alpha log t / (2 n))),
 *     D(x) = x s / sqrt(A) + s sqrt(1/n + mean(j)^2 / A),  A = sum_j (j - mean(j))^2,  j = 1 … n,
 *
 * each arm twice first, in round-robin order. b1, b0: least squares of w_j = g^-1(x_j) on j;
 * s2 = mean (x_j - g(b1 j + b0))^2; g(y) = 2 / (1 + exp(-axis y)) - 1, g^-1(x) = log((1+x) / |1-x|) / axis, the
 * quotient kept within 2^-53 … 2^53.
 * Rewards must lie inside (-1, 1): scale minmax to [.01, .99] by default, as in the published AutoML runs.
 *
 * The published pull sequences are reproduced by b1 = 0, b0 = mean(w), that is without any trend (slope: zero); the
 * default is the regression (slope: fitted).
 *
 * g^-1 does not follow affine maps. When the range of all rewards grows by a factor 1 + d while its lower end is fixed,
 * y becomes y - e (y - lo), e = d / (1 + d), and
 *     log((1+y)/(1-y))  becomes  log((1+y)/(1-y)) + sum_k ((-v)^k - u^k) e^k / k,   u = (y-lo)/(1+y), v = (y-lo)/(1-y),
 * so the sums of w_j are kept as polynomials in e around the map of their last full computation, which is repeated when
 * max(u, v) e would exceed 1/20: up to there the omitted terms are below 1e-12. Arms with at most 256 rewards are
 * recomputed at once, as are all after other changes of the map and with maps that reach -1 or 1.
 * Residuals need all old rewards whenever line or map moves: beyond 256 rewards they follow
 * policies/parts/line_residuals.h, recomputed whenever the line has moved by the size of a residual or the smallest
 * reward has changed. Cost per pull O(K), amortised over at most 256 values of g, and 256 K values of g^-1 where the
 * range has grown; memory at most 32 bytes per pull, 1.7 kB per arm.
 * per_cost, this project's (policies/parts/pull_costs.h): root counts pulls so in sqrt(alpha log t / (2 n)); ratio has
 * its round in D(t) and log t, and its horizon in g. */
#include "policies/parts/argmax.h"
#include "policies/parts/history.h"
#include "policies/parts/line_residuals.h"
#include "policies/parts/moments.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/reward_scaling.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { ALPHA, THETA, GAMMA, AXIS, SLOPE, SCALE, SCALE_LO, SCALE_HI, TIES, PER_COST, PARAMS };
enum { FITTED, ZERO };
enum { DIRECT = 256, BLOCK = 16, TERMS = 8 };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, MK_OPEN_HI, 1, 0, INFINITY, NULL, "exploration"},
    {"theta", MK_REAL, MK_OPEN_LO, 0.01, 0, 1, NULL, "probability bound of the extreme region"},
    {"gamma", MK_REAL, MK_OPEN_HI, 20, 0, INFINITY, NULL, "weight of exploitation"},
    {"axis", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0.025, 0, INFINITY, NULL, "scale of the sigmoid's axis"},
    {"slope", MK_CHOICE, 0, FITTED, 0, 0, "fitted|zero", "trend of an arm: fitted by least squares, or none"},
    MK_SCALING_PARAMS_FROM(MK_SCALE_MINMAX, 0.01, 0.99),
    MK_TIES_PARAM,
    MK_PER_COST_PARAM("none|root|ratio"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* One arm. */
struct curve {
    struct mk_history rewards;          /* raw */
    struct mk_moments raw;              /* of the same */
    double range;                       /* of the map of the last full computation */
    double w[TERMS + 1], jw[TERMS + 1]; /* over j of w_j and j w_j: coefficients of e^k */
    double sum_w, sum_jw;               /* the same for the current map */
    double b0, b1;
    double residuals;              /* sum of squares */
    struct mk_line_residuals path; /* of the first path_n rewards, 0: none; */
    size_t path_n;                 /* its s is 1 where the range is path_range */
    double path_range;
    double constant, per_round, bonus; /* index = constant + per_round t + bonus (log t)^(1/4) */
};

struct er_ucb_n {
    const struct mk_setup *setup;
    struct mk_scaling scaling;
    struct mk_arena arena;
    double most_e;       /* largest e for which the polynomials hold; 0: none */
    struct curve *curve; /* [K] */
    double *index;       /* [K] for the current round */
    struct mk_pull_costs costs;
};

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct er_ucb_n) + s->arms * (sizeof(struct curve) + sizeof(double)) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]) + mk_history_bytes(s->arms, (size_t)s->horizon);
}

static void init_er_ucb_n(void *state, const struct mk_setup *s)
{
    struct er_ucb_n *e = state;
    e->setup = s;
    e->curve = (struct curve *)(e + 1);
    memset(e->curve, 0, s->arms * sizeof *e->curve);
    e->index = (double *)(e->curve + s->arms);
    const enum mk_per_cost per_cost = (enum mk_per_cost)s->par[PER_COST];
    mk_pull_costs_init(&e->costs, e->index + s->arms, s, per_cost);
    char *memory = (char *)(e->index + s->arms) + mk_pull_costs_bytes(s, per_cost);
    e->arena = (struct mk_arena){memory, (char *)state + state_size(s), NULL};
    mk_scaling_init(&e->scaling, s->par + SCALE);
    const double lo = s->par[SCALE_LO], hi = s->par[SCALE_HI];
    e->most_e = s->par[SCALE] == MK_SCALE_MINMAX && lo > -1 && hi < 1 ? fmin(1 + lo, 1 - hi) / (20 * (hi - lo)) : 0;
}

static void set_index(const struct er_ucb_n *e, struct curve *c);

static size_t select_costly(struct er_ucb_n *e, uint64_t t)
{
    const struct mk_setup *s = e->setup;
    for (size_t i = 0; i < s->arms; i++) {
        struct curve *c = &e->curve[i];
        const uint64_t n = c->rewards.n;
        set_index(e, c);
        e->index[i] = c->constant + c->per_round * mk_pull_costs_round(&e->costs, i, n, (double)t) +
                      c->bonus * sqrt(sqrt(mk_pull_costs_log(&e->costs, i, n, t, 0)));
    }
    return mk_argmax_near(e->index, s->arms, s->par[TIES] != 0, s->rng);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct er_ucb_n *e = state;
    const struct mk_setup *s = e->setup;
    if (t <= 2 * (uint64_t)s->arms) return (size_t)((t - 1) % s->arms);
    if (mk_pull_costs_count(&e->costs)) return select_costly(e, t);
    const double log4 = sqrt(sqrt(mk_log(s, t)));
    for (size_t i = 0; i < s->arms; i++) {
        const struct curve *c = &e->curve[i];
        e->index[i] = c->constant + c->per_round * (double)t + c->bonus * log4;
    }
    return mk_argmax_near(e->index, s->arms, s->par[TIES] != 0, s->rng);
}

static double sigmoid(double y, double axis)
{
    return 2 / (1 + exp(-axis * y)) - 1;
}

static double sigmoid_inverse(double x, double axis)
{
    const double least = 0x1p-53;
    double odds = (1 + x) / fabs(1 - x);
    odds = odds > least ? odds : least;
    return log(odds < 1 / least ? odds : 1 / least) / axis;
}

/* Sum of (x_j - g(b1 j + b0))^2 over all j. On equidistant points exp(-axis (b1 j + b0)) is a geometric sequence; it is
 * restarted every BLOCK terms, which bounds its rounding error. */
static double direct_residuals(const struct er_ucb_n *e, const struct curve *c)
{
    const double axis = e->setup->par[AXIS], ratio = exp(-axis * c->b1);
    double sum = 0;
    for (size_t start = 1; start <= c->rewards.n; start += BLOCK) {
        const size_t end = start + BLOCK <= c->rewards.n + 1 ? start + BLOCK : c->rewards.n + 1;
        double power = exp(-axis * (c->b1 * (double)start + c->b0));
        for (size_t j = start; j < end; j++, power *= ratio) {
            double r = mk_scaling_value(&e->scaling, c->rewards.x[j - 1]) - (2 / (1 + power) - 1);
            sum += r * r;
        }
    }
    return sum;
}

/* sum_j (j - mean(j))^2 */
static double spread_of_pulls(double n)
{
    return n * (n * n - 1) / 12;
}

static void add_to_path(const struct er_ucb_n *e, struct curve *c, size_t j)
{
    struct mk_scaling then = e->scaling;
    then.range = c->path_range;
    /* scale none and global_max: rewards unscaled */
    const double low = then.scale == MK_SCALE_MINMAX ? then.lo : 0;
    mk_line_residuals_add(&c->path, (double)j, low, mk_scaling_value(&then, c->rewards.x[j - 1]) - low);
}

/* g(b1 j + b0) = tanh(axis (b1 j + b0) / 2) */
static double path_residuals(const struct er_ucb_n *e, struct curve *c)
{
    const double half = e->setup->par[AXIS] / 2, a = half * c->b0, b = half * c->b1, n = (double)c->rewards.n;
    double sum;
    if (c->path_n) {
        while (c->path_n < c->rewards.n) add_to_path(e, c, ++c->path_n);
        if (mk_line_residuals_at(&c->path, a, b, c->path_range / e->scaling.range, n, &sum)) return sum;
    }
    mk_line_residuals_start(&c->path, a, b, n);
    c->path_range = e->scaling.range;
    for (c->path_n = 0; c->path_n < c->rewards.n;) add_to_path(e, c, ++c->path_n);
    mk_line_residuals_judge(&c->path, n);
    return c->path.constant;
}

/* The line from the sums, then the residuals. */
static void fit(const struct er_ucb_n *e, struct curve *c)
{
    const double n = (double)c->rewards.n, mid = (n + 1) / 2;
    if (c->rewards.n < 2) return;
    if (e->setup->par[SLOPE] == ZERO) {
        c->b1 = 0;
        c->b0 = c->sum_w / n;
        double sd = mk_scaling_length(&e->scaling, mk_moments_population_sd(&c->raw));
        double off =
            mk_scaling_sum(&e->scaling, c->raw.mean.high, c->raw.mean.low) - sigmoid(c->b0, e->setup->par[AXIS]);
        c->residuals = n * (sd * sd + off * off);
        return;
    }
    c->b1 = (c->sum_jw - mid * c->sum_w) / spread_of_pulls(n);
    c->b0 = c->sum_w / n - c->b1 * mid;
    c->residuals = c->rewards.n <= DIRECT ? direct_residuals(e, c) : path_residuals(e, c);
}

static void set_index(const struct er_ucb_n *e, struct curve *c)
{
    const struct mk_setup *s = e->setup;
    const double n = (double)c->rewards.n, mid = (n + 1) / 2, a = spread_of_pulls(n);
    if (c->rewards.n < 2) return;
    double sd = sqrt(c->residuals / n), still = sd * sqrt(1 / n + mid * mid / a);
    const size_t arm = (size_t)(c - e->curve);
    const double horizon = mk_pull_costs_horizon(&e->costs, arm, c->rewards.n);
    double end = sigmoid(c->b1 * horizon + c->b0, s->par[AXIS]);
    c->per_round = sd / sqrt(a);
    c->constant = s->par[GAMMA] * (end + sd / sqrt(s->par[THETA])) + still;
    c->bonus = sqrt((c->per_round * n + still + 1) *
                    sqrt(s->par[ALPHA] / (2 * mk_pull_costs_pulls(&e->costs, arm, c->rewards.n))));
}

static void add_to_sums(const struct er_ucb_n *e, struct curve *c, size_t j)
{
    const double axis = e->setup->par[AXIS], lo = e->setup->par[SCALE_LO];
    struct mk_scaling then = e->scaling;
    then.range = c->range;
    const double y = mk_scaling_value(&then, c->rewards.x[j - 1]), w = sigmoid_inverse(y, axis);
    c->w[0] += w;
    c->jw[0] += (double)j * w;
    if (e->most_e == 0) return;
    const double u = (y - lo) / (1 + y), v = (y - lo) / (y - 1);
    double uk = u, vk = v;
    for (int k = 1; k <= TERMS; k++, uk *= u, vk *= v) {
        double term = (vk - uk) / (k * axis);
        c->w[k] += term;
        c->jw[k] += (double)j * term;
    }
}

static void sums_now(const struct er_ucb_n *e, struct curve *c)
{
    const double moved = 1 - c->range / e->scaling.range;
    c->sum_w = c->sum_jw = 0;
    for (int k = moved == 0 ? 0 : TERMS; k >= 0; k--) {
        c->sum_w = c->sum_w * moved + c->w[k];
        c->sum_jw = c->sum_jw * moved + c->jw[k];
    }
}

static void compute_anew(const struct er_ucb_n *e, struct curve *c)
{
    c->range = e->scaling.range;
    memset(c->w, 0, sizeof c->w);
    memset(c->jw, 0, sizeof c->jw);
    for (size_t j = 1; j <= c->rewards.n; j++) add_to_sums(e, c, j);
    sums_now(e, c);
    fit(e, c);
}

/* After the map has changed from `before`; `pulled`: the arm has a new reward. */
static void follow_map(const struct er_ucb_n *e, struct curve *c, const struct mk_scaling *before, int pulled)
{
    const double moved = 1 - c->range / e->scaling.range;
    if (e->scaling.smallest != before->smallest) c->path_n = 0;
    if (c->rewards.n <= DIRECT || e->scaling.smallest != before->smallest || !(moved >= 0 && moved <= e->most_e)) {
        compute_anew(e, c);
        return;
    }
    if (pulled) add_to_sums(e, c, c->rewards.n);
    sums_now(e, c);
    fit(e, c);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct er_ucb_n *e = state;
    struct curve *c = &e->curve[arm];
    const struct mk_scaling before = e->scaling;
    mk_history_add(&c->rewards, &e->arena, reward);
    mk_moments_add(&c->raw, reward);
    mk_pull_costs_pay(&e->costs, arm, c->rewards.n);
    mk_scaling_see(&e->scaling, reward);
    if (!mk_scaling_moved(&before, &e->scaling)) {
        if (c->rewards.n == 1) c->range = e->scaling.range;
        add_to_sums(e, c, c->rewards.n);
        sums_now(e, c);
        fit(e, c);
        set_index(e, c);
        return;
    }
    for (size_t i = 0; i < e->setup->arms; i++) {
        follow_map(e, &e->curve[i], &before, i == arm);
        set_index(e, &e->curve[i]);
    }
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_er_ucb_n = {
    .name = "er_ucb_n",
    .summary = "ER-UCB for rising rewards: extreme region of a fitted sigmoid at T",
    .formula = "argmax_i gamma (g(b1 T + b0) + sqrt(s2/theta)) + D(t) + sqrt((D(n_i)+1) sqrt(alpha log t/(2 n_i)))",
    .reference = "Hu et al. 2021 (ER-UCB-N); parameters from Balef et al. 2025, Table D.5",
    .departures = "published AutoML runs: slope=zero",
    .cost = "O(K)",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_er_ucb_n,
    .select = select_arm,
    .update = update,
    .play = play,
};
