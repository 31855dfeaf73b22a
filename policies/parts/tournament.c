#include "policies/parts/tournament.h"

#include <math.h>

#include "policies/parts/argmax.h"

/* Units in the last place that rounded indices and the arithmetic of certificates may be off by, relative to the sums
 * of magnitudes they are compared with: two roundings per index, a handful per certificate. */
static const double rounding = 0x1p-49;

/* Of what counts as a tie in mk_near: rounding on top. */
static const double wider = 1.05;

/* Rounding of the end of an interval, which is a quotient of numbers that are certain. */
static const double end_rounding = 0x1p-48;

/* Below `least` rounding errors are no longer relative, above `most` sums may overflow: nothing is certified there. */
static const double least = 1e-290, most = 1e150;

/* Work in nanoseconds or so: of a block, of a node above the blocks, and of an arm in a scan. */
static const double block_work = 16, node_work = 6, scan_work = 0.7;

enum { REST = 32 };

struct line {
    double a, b;
};

/* Empty where from > to. */
struct interval {
    double from, to;
};

/* ---- certificates ---- */

static inline double value(const struct mk_tournament *t, double a, double b, int curved)
{
    return curved ? a + t->s * b + t->r * sqrt(b) : a + t->s * b;
}

/* Where A + s B + c sqrt(s) changes sign; A and B differ in sign, c has that of B. */
static inline double crossing(double A, double B, double c, int curved)
{
    if (!curved) return -A / B;
    double root = 2 * fabs(A) / (fabs(c) + sqrt(c * c + 4 * fabs(A) * fabs(B)));
    return root * root;
}

/* For which s, the present one included, w beats o for certain: v_w >= v_o, and by more than what counts as a tie where
 * `strict`. */
static inline struct interval certify(const struct mk_tournament *t, struct line w, struct line o, int strict,
                                      int curved)
{
    const double da = w.a - o.a, db = w.b - o.b, size_a = fabs(w.a) + fabs(o.a), size_b = w.b + o.b;
    const double apart = wider * t->share + rounding;
    const double A = da - (strict ? apart : 0) * size_a - least;
    const double B = db - (strict ? apart : rounding) * (curved ? 2 : 1) * size_b;
    double c = 0, now = A + t->s * B;
    if (curved) {
        double root_w = sqrt(w.b), root_o = sqrt(o.b);
        c = (root_w - root_o - (strict ? apart : rounding) * (root_w + root_o)) / sqrt(t->curve);
        c = (c < 0) == (B < 0) ? c : 0;
        now += c * sqrt(t->s);
    }
    const double at = crossing(A, B, c, curved);
    const int always = (w.a == o.a && w.b == o.b) || (!strict && w.a >= o.a && w.b >= o.b) ||
                       (w.a == INFINITY && o.a < most && o.b < most);
    const int sure = now >= 0 && size_a + size_b < most;
    struct interval i = {B >= 0 && A < 0 ? at * (1 + end_rounding) + least : 0,
                         B < 0 ? at * (1 - end_rounding) - least : INFINITY};
    i.from = sure ? i.from : INFINITY;
    return always ? (struct interval){0, INFINITY} : i;
}

static inline int holds(const struct mk_tournament_node *n, double s)
{
    return s >= n->from && s <= n->to;
}

/* ---- playing ---- */

/* n <= MK_TOURNAMENT_BLOCK arms. */
static inline __attribute__((always_inline)) void play_block(const struct mk_tournament *t,
                                                             struct mk_tournament_node *node, size_t start, size_t n,
                                                             const double *a, const double *b, int curved)
{
    size_t w = 0;
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double v = value(t, a[i], b[i], curved);
        w = v > top ? i : w;
        top = v > top ? v : top;
    }
    const struct line winner = {a[w], b[w]};
    double from = 0, to = INFINITY;
    uint32_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        struct interval k = certify(t, winner, (struct line){a[i], b[i]}, t->random || i < w, curved);
        from = k.from > from ? k.from : from;
        to = k.to < to ? k.to : to;
        equal += a[i] == winner.a && b[i] == winner.b;
    }
    *node = (struct mk_tournament_node){winner.a, winner.b, from, to, (uint32_t)(start + w), equal};
}

static void play_block_at(struct mk_tournament *t, size_t j)
{
    static const double zeros[MK_TOURNAMENT_BLOCK] = {0};
    const size_t start = j * MK_TOURNAMENT_BLOCK, left = t->arms - start;
    const double *a = t->a + start, *b = t->b ? t->b + start : zeros;
    struct mk_tournament_node *node = &t->level[0][j];
    t->debt += block_work;
    if (t->curve != 0)
        play_block(t, node, start, left < MK_TOURNAMENT_BLOCK ? left : MK_TOURNAMENT_BLOCK, a, b, 1);
    else if (left >= MK_TOURNAMENT_BLOCK)
        play_block(t, node, start, MK_TOURNAMENT_BLOCK, a, b, 0);
    else
        play_block(t, node, start, left, a, b, 0);
}

static inline __attribute__((always_inline)) void play_pair(const struct mk_tournament *t,
                                                            struct mk_tournament_node *node,
                                                            const struct mk_tournament_node *left, int curved)
{
    const struct mk_tournament_node *right = left + 1;
    const int to_right = value(t, right->a, right->b, curved) > value(t, left->a, left->b, curved);
    const struct mk_tournament_node *w = to_right ? right : left, *o = to_right ? left : right;
    struct interval k = certify(t, (struct line){w->a, w->b}, (struct line){o->a, o->b}, t->random || to_right, curved);
    double from = left->from > right->from ? left->from : right->from, to = left->to < right->to ? left->to : right->to;
    uint32_t equal = w->equal + (left->a == right->a && left->b == right->b ? o->equal : 0);
    *node =
        (struct mk_tournament_node){w->a, w->b, k.from > from ? k.from : from, k.to < to ? k.to : to, w->winner, equal};
}

/* Node j of a level above the blocks. */
static void play_node(struct mk_tournament *t, size_t level, size_t j)
{
    const struct mk_tournament_node *left = &t->level[level - 1][2 * j];
    t->debt += node_work;
    if (2 * j + 1 == t->count[level - 1])
        t->level[level][j] = *left;
    else if (t->curve != 0)
        play_pair(t, &t->level[level][j], left, 1);
    else
        play_pair(t, &t->level[level][j], left, 0);
}

static void build(struct mk_tournament *t)
{
    for (size_t j = 0; j < t->count[0]; j++) play_block_at(t, j);
    for (size_t level = 1; level < t->levels; level++)
        for (size_t j = 0; j < t->count[level]; j++) play_node(t, level, j);
    t->top = t->level[t->levels - 1];
}

/* Plays anew what does not hold at the present s. */
static void refresh(struct mk_tournament *t, size_t level, size_t j)
{
    if (holds(&t->level[level][j], t->s)) return;
    if (level == 0) {
        play_block_at(t, j);
        return;
    }
    refresh(t, level - 1, 2 * j);
    if (2 * j + 1 < t->count[level - 1]) refresh(t, level - 1, 2 * j + 1);
    play_node(t, level, j);
}

/* ---- ties ---- */

static inline double index_of(const void *context, size_t i)
{
    const struct mk_tournament *t = context;
    return value(t, t->a[i], t->b ? t->b[i] : 0, t->curve != 0);
}

static size_t scan(const struct mk_tournament *t, struct mk_pcg64 *rng)
{
    if (t->share != 0) return mk_argmax_near_of(t, t->arms, index_of, t->share, t->random, rng);
    return mk_argmax_of(t, t->arms, index_of, t->random, rng);
}

static size_t block_end(const struct mk_tournament *t, size_t j)
{
    size_t end = (j + 1) * MK_TOURNAMENT_BLOCK;
    return end < t->arms ? end : t->arms;
}

/* Arms below the node whose index is at least `bar`. */
static uint32_t count_tied(const struct mk_tournament *t, size_t level, size_t j, double bar)
{
    const struct mk_tournament_node *node = &t->level[level][j];
    uint32_t tied = 0;
    if (!(value(t, node->a, node->b, t->curve != 0) >= bar)) return 0;
    if (holds(node, t->s)) return node->equal;
    if (level > 0) {
        tied = count_tied(t, level - 1, 2 * j, bar);
        if (2 * j + 1 < t->count[level - 1]) tied += count_tied(t, level - 1, 2 * j + 1, bar);
        return tied;
    }
    for (size_t i = j * MK_TOURNAMENT_BLOCK; i < block_end(t, j); i++) tied += index_of(t, i) >= bar;
    return tied;
}

/* Arm number `skip` (from 0) of those whose index is at least `bar`; skip 0 does not count them. */
static size_t tied_arm(const struct mk_tournament *t, double bar, uint64_t skip)
{
    size_t j = 0;
    for (size_t level = t->levels - 1; level-- > 0;) {
        const struct mk_tournament_node *left = &t->level[level][2 * j];
        j = 2 * j;
        if (j + 1 == t->count[level]) continue;
        if (skip == 0) {
            j += !(value(t, left->a, left->b, t->curve != 0) >= bar);
            continue;
        }
        uint32_t tied = count_tied(t, level, j, bar);
        if (skip < tied) continue;
        skip -= tied;
        j++;
    }
    for (size_t i = j * MK_TOURNAMENT_BLOCK;; i++)
        if (index_of(t, i) >= bar && skip-- == 0) return i;
}

/* ---- the interface ---- */

size_t mk_tournament_bytes(const struct mk_setup *s)
{
    size_t nodes = 0, n = (s->arms + MK_TOURNAMENT_BLOCK - 1) / MK_TOURNAMENT_BLOCK;
    if (!mk_tournament_pays(s)) return 0;
    for (; n > 1; n = (n + 1) / 2) nodes += n;
    return (nodes + 1) * sizeof(struct mk_tournament_node);
}

void mk_tournament_init(struct mk_tournament *t, void *memory, const struct mk_setup *s,
                        const struct mk_tournament_rules *rules)
{
    struct mk_tournament_node *node = memory;
    *t = (struct mk_tournament){.arms = s->arms,
                                .a = rules->a,
                                .b = rules->b,
                                .curve = rules->curve,
                                .share = rules->share,
                                .random = rules->random_ties};
    size_t n = (s->arms + MK_TOURNAMENT_BLOCK - 1) / MK_TOURNAMENT_BLOCK;
    for (;; n = (n + 1) / 2) {
        t->level[t->levels] = node;
        t->count[t->levels++] = n;
        node += n;
        if (n == 1) return;
    }
}

void mk_tournament_forget(struct mk_tournament *t)
{
    t->top = NULL;
}

void mk_tournament_changed(struct mk_tournament *t, size_t arm)
{
    if (!t->top) return;
    size_t j = arm / MK_TOURNAMENT_BLOCK;
    play_block_at(t, j);
    for (size_t level = 1; level < t->levels; level++) {
        j /= 2;
        play_node(t, level, j);
    }
}

size_t mk_tournament_best(struct mk_tournament *t, double s, struct mk_pcg64 *rng)
{
    const int moved = s != t->s;
    t->s = s;
    t->r = t->curve != 0 ? sqrt(s / t->curve) : 0;
    t->debt = fmax(0, t->debt - scan_work * (double)t->arms);
    if (t->debt > 10 * scan_work * (double)t->arms) {
        t->debt = 0;
        t->rest = REST;
        t->top = NULL;
    }
    if (t->rest > 0 || !(s >= 0 && s <= most)) {
        t->rest -= t->rest > 0;
        t->top = NULL;
        return scan(t, rng);
    }
    if (!t->top)
        build(t);
    else if (moved)
        refresh(t, t->levels - 1, 0);
    const struct mk_tournament_node *top = t->top;
    if (!t->random && (t->share == 0 || holds(top, s))) return top->winner;
    const double largest = value(t, top->a, top->b, t->curve != 0),
                 bar = t->share != 0 ? mk_near(largest, t->share) : largest;
    const uint32_t tied = t->random ? count_tied(t, t->levels - 1, 0, bar) : 1;
    return tied_arm(t, bar, tied > 1 ? mk_uniform_below(rng, tied) : 0);
}

/* ---- rivals ---- */

/* A rival, or a node of rivals with its interval. */
struct rival {
    double a, b, from, to;
    int after; /* stands after the arm */
};

/* Rival number i of an arm: the others of its block, then the nodes beside its path to the top. Returns 0 past the
 * last; `there` is 0 where that one is missing. */
static inline int rival_at(const struct mk_tournament *t, size_t arm, size_t i, struct rival *r, int *there)
{
    const size_t block = arm / MK_TOURNAMENT_BLOCK;
    if (i < MK_TOURNAMENT_BLOCK) {
        const size_t j = block * MK_TOURNAMENT_BLOCK + i;
        *there = j != arm && j < t->arms;
        if (*there) *r = (struct rival){t->a[j], t->b ? t->b[j] : 0, 0, INFINITY, j > arm};
        return 1;
    }
    const size_t level = i - MK_TOURNAMENT_BLOCK, j = (block >> level) ^ 1;
    if (level + 1 >= t->levels) return 0;
    *there = j < t->count[level];
    if (!*there) return 1;
    const struct mk_tournament_node *n = &t->level[level][j];
    *r = (struct rival){n->a, n->b, n->from, n->to, (int)(j & 1)};
    return 1;
}

struct mk_tournament_rivals mk_tournament_rivals(const struct mk_tournament *t, size_t arm, double level)
{
    struct mk_tournament_rivals known = {-INFINITY, 0, t->top ? INFINITY : -INFINITY};
    struct rival r;
    int there;
    for (size_t i = 0; t->top && rival_at(t, arm, i, &r, &there); i++) {
        if (!there) continue;
        const double v = r.a + t->s * r.b, reaches = (level - r.a) / r.b;
        known.best = v > known.best ? v : known.best;
        known.steep = r.b > known.steep ? r.b : known.steep;
        known.until = r.to < known.until ? r.to : known.until;
        known.until = reaches < known.until ? reaches : known.until;
        if (r.from > r.to) known.until = -INFINITY;
    }
    return known;
}

int mk_tournament_below(const struct mk_tournament *t, size_t arm, double s, double level, int or_equal)
{
    struct rival r;
    int there, below = t->top != NULL;
    for (size_t i = 0; below && rival_at(t, arm, i, &r, &there); i++) {
        if (!there) continue;
        const double v = r.a + s * r.b;
        below = s >= r.from && s <= r.to && (v < level || (or_equal && r.after && v == level));
    }
    return below;
}
