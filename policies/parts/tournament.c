#include "policies/parts/tournament.h"

#include <math.h>
#include <string.h>

#include "policies/parts/argmax.h"
#include "sim/base/clones.h"

/* Nobody reads the floating-point flags or the errno of a square root here; minding them would keep loops with
 * comparisons or roots scalar. No result changes. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-trapping-math", "no-math-errno")
#endif

/* Error bound of rounded indices and of the arithmetic of certificates, relative to the sums of magnitudes with which
 * they are compared: two roundings per index, a handful per certificate. */
static const double rounding = 0x1p-49;

/* The tolerance for ties in mk_near, with rounding added. */
static const double wider = 1.05;

/* Rounding of the end of an interval, which is a quotient of certified numbers. */
static const double end_rounding = 0x1p-48;

/* Below `min` rounding errors are no longer relative, above `max` sums may overflow: nothing is certified there. */
static const double min = 1e-290, max = 1e150;

/* Work in approximate nanoseconds: of a block, of a node above the blocks, and of an arm in a scan. */
static const double block_work = 16, node_work = 6, scan_work = 0.7;

enum { REST = 32, MOST_PAIRS = MK_TOURNAMENT_BLOCK + MK_TOURNAMENT_LEVELS };

/* ---- certificates ---- */

static inline double value(const struct mk_tournament *t, double a, double b, int curved)
{
    return curved ? a + t->s * b + t->r * sqrt(b) : a + t->s * b;
}

/* Pairs to be certified: winner, loser, whether the winner has to be strictly ahead, and the answer. A block has one
 * for each of its arms, the nodes above it one each. */
struct pairs {
    double winner_a[MOST_PAIRS], winner_b[MOST_PAIRS], loser_a[MOST_PAIRS], loser_b[MOST_PAIRS], strict[MOST_PAIRS];
    double from[MOST_PAIRS], to[MOST_PAIRS]; /* empty where from > to */
};

/* For which s, the present one included, the winner beats the loser for certain: v_w >= v_o, and by more than what
 * counts as a tie where strict. All n pairs take the same operations, so that compilers make vectors of them.
 *
 * That is so where A + s B >= 0. Of curves, A + s B + c sqrt(s) with c of the sign of B, but for rounding: where B < 0,
 * sqrt(s) is below its tangent at the present s, which makes a line again; otherwise no smaller s is certain. */
static inline __attribute__((always_inline)) void certify(const struct mk_tournament *t, struct pairs *p, size_t n,
                                                          int curved)
{
    const double apart = wider * t->share + rounding, s = t->s, root_s = sqrt(s);
    const double bend = curved ? 1 / sqrt(t->curve) : 0, tangent = 0.5 / (root_s + min);
    for (size_t i = 0; i < n; i++) {
        const double wa = p->winner_a[i], wb = p->winner_b[i], oa = p->loser_a[i], ob = p->loser_b[i];
        const double strict = p->strict[i], size_a = fabs(wa) + fabs(oa), size_b = wb + ob;
        const double off = strict * apart + (1 - strict) * rounding;
        double A = wa - oa - strict * apart * size_a - min, B = wb - ob - off * (curved ? 2 : 1) * size_b;
        if (curved) {
            const double root_w = sqrt(wb), root_o = sqrt(ob);
            double c = bend * (root_w - root_o - off * (root_w + root_o));
            c = (c < 0) == (B < 0) ? c : 0;
            A += c * 0.5 * root_s;
            B += c * tangent;
        }
        const double at = -A / B;
        const int always = ((wa == oa) & (wb == ob)) | ((strict == 0) & (wa >= oa) & (wb >= ob)) |
                           ((wa == INFINITY) & (oa < max) & (ob < max));
        const int sure = (A + s * B >= 0) & (size_a + size_b < max);
        double from = (B >= 0) & (A < 0) ? at * (1 + end_rounding) + min : 0;
        double to = B < 0 ? at * (1 - end_rounding) - min : INFINITY;
        if (curved) from = B >= 0 ? s : from;
        from = sure ? from : INFINITY;
        p->from[i] = always ? 0 : from;
        p->to[i] = always ? INFINITY : to;
    }
}

MK_CLONES static void certify_lines(const struct mk_tournament *t, struct pairs *p, size_t n)
{
    certify(t, p, n, 0);
}

MK_CLONES static void certify_curves(const struct mk_tournament *t, struct pairs *p, size_t n)
{
    certify(t, p, n, 1);
}

static void certify_pairs(const struct mk_tournament *t, struct pairs *p, size_t n)
{
    if (t->curve != 0)
        certify_curves(t, p, n);
    else
        certify_lines(t, p, n);
}

static inline bool holds(const struct mk_tournament_node *n, double s)
{
    return s >= n->from && s <= n->to;
}

/* ---- playing ---- */

/* Who has won below a node. */
struct contender {
    double a, b, v; /* its line, and its index at the present s */
    uint32_t arm, equal;
};

static inline struct contender winner_of(const struct mk_tournament *t, const struct mk_tournament_node *n, int curved)
{
    return (struct contender){n->a, n->b, value(t, n->a, n->b, curved), n->winner, n->equal};
}

/* The arms of block j play; pairs 0 … MK_TOURNAMENT_BLOCK - 1 are theirs, arms that are not there being the winner. */
static inline __attribute__((always_inline)) struct contender play_block(const struct mk_tournament *t, size_t j,
                                                                         struct pairs *p, int curved)
{
    static const double before[2 * MK_TOURNAMENT_BLOCK] = {1, 1, 1, 1, 1, 1, 1, 1}; /* the winner, and after it */
    const size_t start = j * MK_TOURNAMENT_BLOCK, left = t->arms - start;
    const size_t n = left < MK_TOURNAMENT_BLOCK ? left : MK_TOURNAMENT_BLOCK;
    size_t w = 0;
    double top = -INFINITY;
    memcpy(p->loser_a, t->a + start, n * sizeof *t->a);
    memset(p->loser_b, 0, MK_TOURNAMENT_BLOCK * sizeof *p->loser_b);
    if (t->b) memcpy(p->loser_b, t->b + start, n * sizeof *t->b);
    for (size_t i = 0; i < n; i++) {
        const double v = value(t, p->loser_a[i], p->loser_b[i], curved);
        w = v > top ? i : w;
        top = v > top ? v : top;
    }
    const double a = p->loser_a[w], b = p->loser_b[w];
    for (size_t i = n; i < MK_TOURNAMENT_BLOCK; i++) p->loser_a[i] = a, p->loser_b[i] = b;
    for (size_t i = 0; i < MK_TOURNAMENT_BLOCK; i++) p->winner_a[i] = a, p->winner_b[i] = b;
    memcpy(p->strict, t->random ? before : before + MK_TOURNAMENT_BLOCK - w, MK_TOURNAMENT_BLOCK * sizeof *before);
    uint32_t equal = 1;
    if (t->random) {
        equal = 0;
        for (size_t i = 0; i < n; i++) equal += p->loser_a[i] == a && p->loser_b[i] == b;
    }
    return (struct contender){a, b, value(t, a, b, curved), (uint32_t)(start + w), equal};
}

/* One against another to the right of it (`here_left`) or to the left; pair i. Returns the winner. */
static inline struct contender play_pair(const struct mk_tournament *t, struct contender here, struct contender there,
                                         int here_left, struct pairs *p, size_t i)
{
    const double v_left = here_left ? here.v : there.v, v_right = here_left ? there.v : here.v;
    const int to_right = !(v_left >= v_right) && v_right > -INFINITY; /* a NaN never wins */
    const struct contender w = to_right == here_left ? there : here, o = to_right == here_left ? here : there;
    const uint32_t equal = w.equal + (w.a == o.a && w.b == o.b ? o.equal : 0);
    p->winner_a[i] = w.a;
    p->winner_b[i] = w.b;
    p->loser_a[i] = o.a;
    p->loser_b[i] = o.b;
    p->strict[i] = t->random || to_right;
    return (struct contender){w.a, w.b, w.v, w.arm, equal};
}

static inline void set_node(struct mk_tournament_node *node, const struct contender *c, double from, double to)
{
    node->a = c->a;
    node->b = c->b;
    node->from = from;
    node->to = to;
    node->winner = c->arm;
    node->equal = c->equal;
}

static inline double later(double x, double y)
{
    return x > y ? x : y;
}

static inline double sooner(double x, double y)
{
    return x < y ? x : y;
}

static inline void set_block(struct mk_tournament_node *node, const struct contender *c, const struct pairs *p)
{
    double from = p->from[0], to = p->to[0];
    for (size_t i = 1; i < MK_TOURNAMENT_BLOCK; i++) {
        from = later(from, p->from[i]);
        to = sooner(to, p->to[i]);
    }
    set_node(node, c, from, to);
}

static inline void keep_node(const struct mk_tournament *t, size_t level, size_t j)
{
    if (__builtin_expect(t->undo != NULL, 0)) mk_undo_keep(t->undo, &t->level[level][j], sizeof *t->level[level]);
}

static void play_block_at(struct mk_tournament *t, size_t j)
{
    struct pairs p;
    keep_node(t, 0, j);
    const struct contender c = t->curve != 0 ? play_block(t, j, &p, 1) : play_block(t, j, &p, 0);
    certify_pairs(t, &p, MK_TOURNAMENT_BLOCK);
    set_block(&t->level[0][j], &c, &p);
    t->debt += block_work;
}

/* Node j of a level above the blocks. */
static void play_node(struct mk_tournament *t, size_t level, size_t j)
{
    const struct mk_tournament_node *left = &t->level[level - 1][2 * j], *right = left + 1;
    const int curved = t->curve != 0;
    t->debt += node_work;
    keep_node(t, level, j);
    if (2 * j + 1 == t->count[level - 1]) {
        t->level[level][j] = *left;
        return;
    }
    struct pairs p;
    const struct contender c = play_pair(t, winner_of(t, left, curved), winner_of(t, right, curved), 1, &p, 0);
    certify_pairs(t, &p, 1);
    set_node(&t->level[level][j], &c, later(p.from[0], later(left->from, right->from)),
             sooner(p.to[0], sooner(left->to, right->to)));
}

/* The block of an arm and the nodes above it, certified together. */
static inline __attribute__((always_inline)) void play_path(struct mk_tournament *t, size_t block, int curved)
{
    struct pairs p;
    struct contender at[MK_TOURNAMENT_LEVELS];
    size_t n = MK_TOURNAMENT_BLOCK;
    struct contender here = at[0] = play_block(t, block, &p, curved);
    for (size_t level = 1, j = block; level < t->levels; level++, j /= 2) {
        if ((j ^ 1) != t->count[level - 1]) {
            const struct contender rival = winner_of(t, &t->level[level - 1][j ^ 1], curved);
            here = play_pair(t, here, rival, !(j & 1), &p, n++);
        }
        at[level] = here;
    }
    certify_pairs(t, &p, n);
    keep_node(t, 0, block);
    set_block(&t->level[0][block], &at[0], &p);
    n = MK_TOURNAMENT_BLOCK;
    double from = t->level[0][block].from, to = t->level[0][block].to;
    for (size_t level = 1, j = block; level < t->levels; level++, j /= 2) {
        if ((j ^ 1) != t->count[level - 1]) {
            const struct mk_tournament_node *rival = &t->level[level - 1][j ^ 1];
            from = later(from, later(rival->from, p.from[n]));
            to = sooner(to, sooner(rival->to, p.to[n]));
            n++;
        }
        keep_node(t, level, j / 2);
        set_node(&t->level[level][j / 2], &at[level], from, to);
    }
    t->debt += block_work + node_work * (double)(t->levels - 1);
}

static void build(struct mk_tournament *t)
{
    for (size_t j = 0; j < t->count[0]; j++) play_block_at(t, j);
    for (size_t level = 1; level < t->levels; level++)
        for (size_t j = 0; j < t->count[level]; j++) play_node(t, level, j);
    t->top = t->level[t->levels - 1];
}

/* Replays what no longer holds at the current s. */
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
            if (!(value(t, left->a, left->b, t->curve != 0) >= bar)) j++;
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

static bool pays(const struct mk_setup *s)
{
    return s->arms >= (s->tournament_from ? s->tournament_from : MK_TOURNAMENT_FROM);
}

size_t mk_tournament_bytes(const struct mk_setup *s)
{
    size_t nodes = 0, n = (s->arms + MK_TOURNAMENT_BLOCK - 1) / MK_TOURNAMENT_BLOCK;
    if (!pays(s)) return 0;
    for (; n > 1; n = (n + 1) / 2) nodes += n;
    return (nodes + 1) * sizeof(struct mk_tournament_node);
}

void mk_tournament_init(struct mk_tournament *t, void *memory, const struct mk_setup *s,
                        const struct mk_tournament_rules *rules)
{
    struct mk_tournament_node *node = memory;
    *t = (struct mk_tournament){.used = pays(s),
                                .arms = s->arms,
                                .a = rules->a,
                                .b = rules->b,
                                .curve = rules->curve,
                                .share = rules->share,
                                .random = rules->random_ties};
    size_t n = (s->arms + MK_TOURNAMENT_BLOCK - 1) / MK_TOURNAMENT_BLOCK;
    for (; t->used; n = (n + 1) / 2) {
        t->level[t->levels] = node;
        t->count[t->levels++] = n;
        node += n;
        if (n == 1) return;
    }
}

void mk_tournament_replay(struct mk_tournament *t, size_t arm)
{
    if (t->curve != 0)
        play_path(t, arm / MK_TOURNAMENT_BLOCK, 1);
    else
        play_path(t, arm / MK_TOURNAMENT_BLOCK, 0);
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
    if (t->rest > 0 || !(s >= 0 && s <= max)) {
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
    int after; /* comes after the arm */
};

/* Rival number i of an arm: the others of its block, then the siblings of the nodes on its path to the top. Returns 0
 * past the last; `there` is 0 if that one is missing. */
static inline bool rival_at(const struct mk_tournament *t, size_t arm, size_t i, struct rival *r, int *there)
{
    const size_t block = arm / MK_TOURNAMENT_BLOCK;
    if (i < MK_TOURNAMENT_BLOCK) {
        const size_t j = block * MK_TOURNAMENT_BLOCK + i;
        *there = j != arm && j < t->arms;
        if (*there) *r = (struct rival){t->a[j], t->b ? t->b[j] : 0, 0, INFINITY, j > arm};
        return true;
    }
    const size_t level = i - MK_TOURNAMENT_BLOCK, j = (block >> level) ^ 1;
    if (level + 1 >= t->levels) return false;
    *there = j < t->count[level];
    if (!*there) return true;
    const struct mk_tournament_node *n = &t->level[level][j];
    *r = (struct rival){n->a, n->b, n->from, n->to, (int)(j & 1)};
    return true;
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
