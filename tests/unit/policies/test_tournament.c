/* The tournament (policies/parts/tournament.h) against a scan of the same rounded indices, which is its definition:
 * the same arm in every round and the same numbers drawn, over random problems made to tie and nearly tie; and its
 * answers about an arm's rivals against a scan of all of them. */
#include <stdlib.h>
#include <string.h>

#include "policies/parts/argmax.h"
#include "policies/parts/tournament.h"
#include "tests/support/check.h"

enum { ARMS = 200, KINDS = 11, PATHS = 9 };

static const char *const kind_name[KINDS] = {
    "spread out",    "counts", "few values",          "equal lines", "crossing at a point", "ulps apart", "near ties",
    "infinite ones", "tiny",   "nearly tied bonuses", "huge"};

/* One problem: lines and the s of every round. */
struct problem {
    struct mk_pcg64 g;
    size_t arms;
    int kind, path, flat;
    double a[ARMS], b[ARMS];
    double s, curve; /* of the round; curve 0: lines */
    double share;    /* of ties, 0: equal ones */
    int random;
};

static double uniform(struct problem *p)
{
    return mk_uniform(&p->g);
}

static uint64_t below(struct problem *p, uint64_t n)
{
    return mk_uniform_below(&p->g, n);
}

static double ulps(double x, int n)
{
    for (; n > 0; n--) x = nextafter(x, INFINITY);
    for (; n < 0; n++) x = nextafter(x, -INFINITY);
    return x;
}

/* 1 / n^2 or 1 / sqrt(n), as in indices. */
static double bonus(struct problem *p, double most)
{
    double n = 1 + (double)below(p, (uint64_t)most);
    return p->share != 0 ? 1 / sqrt(n) : 1 / (n * n);
}

static void draw_arm(struct problem *p, size_t i)
{
    double *a = &p->a[i], *b = &p->b[i];
    int step = (int)below(p, 9) - 4;
    *b = bonus(p, 20);
    switch (p->kind) {
    case 0: *a = uniform(p), *b = uniform(p); break;
    case 1: *a = pow(uniform(p), 0.3), *b = bonus(p, 1000); break;
    case 2: *a = floor(4 * uniform(p)) / 4; break;
    case 3: *a = 1, *b = bonus(p, 3); break;
    case 4: /* near (p->curve or 3, 2) all lines cross */
        *a = 2 - 3 * *b;
        *a = ulps(*a, step);
        break;
    case 5: *a = ulps(0.7, step), *b = ulps(0.25, (int)below(p, 5)); break;
    case 6:
        *a = 5 + 1e-13 * (double)step * (1 + 0.1 * uniform(p)), *b = below(p, 2) ? 0.1 : 0.1 + 1e-13 * uniform(p);
        break;
    case 7: *a = below(p, 3) ? uniform(p) : INFINITY; break;
    case 8: *a = below(p, 2) ? 1e-300 * uniform(p) : 0, *b = 1e-300 * uniform(p); break;
    case 9: *a = 0, *b = 1 + 0.25 * p->share * (double)step; break;
    default: *a = (uniform(p) - 0.5) * (below(p, 2) ? 1e200 : 1e308), *b = bonus(p, 1e6); break;
    }
    if (p->kind != 4 && p->kind != 7 && below(p, 8) == 0) *a = -*a;
    if (p->flat) *b = 0;
}

static double next_s(struct problem *p, uint64_t t)
{
    double u = uniform(p), log_t = log((double)t + 1);
    switch (p->path) {
    case 0: return 0.25 * log_t * log_t;
    case 1: return 9 / (1 + (double)t);
    case 2: return 3;
    case 3: return 3 + 1e-15 * (double)((int)below(p, 9) - 4);
    case 4: return p->s * (below(p, 20) ? 1 + 1e-4 * u : 0.5 + u) + 1e-9;
    case 5: return 10 * u;
    case 6: return 0.017 * pow(log_t, 4);                                     /* power 2 of the logarithm */
    case 7: return 1e-4 * pow(log_t, 20);                                     /* power 10 */
    default: return below(p, 9) ? log_t : below(p, 2) ? 0 : pow(10, 320 * u); /* sometimes infinite */
    }
}

struct scanned {
    const struct problem *p;
    double r;
};

static double index_of(const void *context, size_t i)
{
    const struct scanned *q = context;
    double line = q->p->a[i] + q->p->s * q->p->b[i];
    return q->p->curve != 0 ? line + q->r * sqrt(q->p->b[i]) : line;
}

static size_t scan(const struct problem *p, struct mk_pcg64 *rng)
{
    struct scanned q = {p, p->curve != 0 ? sqrt(p->s / p->curve) : 0};
    return p->share != 0 ? mk_argmax_near_of(&q, p->arms, index_of, p->share, p->random, rng)
                         : mk_argmax_of(&q, p->arms, index_of, p->random, rng);
}

static void start(struct problem *p, uint64_t seed, int kind)
{
    memset(p, 0, sizeof *p);
    mk_pcg64_seed(&p->g, seed, 77);
    p->arms = 1 + below(p, below(p, 3) ? 40 : ARMS);
    p->kind = kind;
    p->path = (int)below(p, PATHS);
    p->share = below(p, 2) ? p->path % 2 ? mk_near_index : mk_near_mean : 0;
    p->random = (int)below(p, 2);
    p->flat = below(p, 8) == 0;
    p->curve = !p->flat && below(p, 4) == 0 ? below(p, 4) == 0 ? 1 : pow(uniform(p), 3) : 0;
    p->s = 1;
    for (size_t i = 0; i < p->arms; i++) draw_arm(p, i);
}

static void *open(struct mk_tournament *t, const struct problem *p)
{
    const struct mk_setup setup = {.arms = p->arms, .tournament_from = 1};
    const struct mk_tournament_rules rules = {p->a, p->flat ? NULL : p->b, p->curve, p->share, p->random};
    void *nodes = malloc(mk_tournament_bytes(&setup));
    if (!nodes) exit(1);
    mk_tournament_init(t, nodes, &setup, &rules);
    return nodes;
}

/* Usually the chosen arm gets a new line; sometimes several arms do. */
static void change(struct problem *p, struct mk_tournament *t, size_t arm)
{
    if (below(p, 16) == 0) arm = below(p, p->arms);
    if (below(p, 8) != 0) {
        draw_arm(p, arm);
        mk_tournament_changed(t, arm);
    }
    if (below(p, 200) != 0) return;
    for (size_t i = 0; i < p->arms; i++) draw_arm(p, i);
    mk_tournament_forget(t);
}

/* Rounds until the two differ, 0: never. */
static uint64_t first_difference(struct problem *p, uint64_t rounds)
{
    struct mk_tournament t;
    struct mk_pcg64 ours, theirs;
    void *nodes = open(&t, p);
    uint64_t bad = 0;
    mk_pcg64_seed(&ours, 5, 6);
    theirs = ours;
    for (uint64_t i = 1; i <= rounds && !bad; i++) {
        p->s = next_s(p, i);
        size_t arm = mk_tournament_best(&t, p->s, &ours);
        if (arm != scan(p, &theirs) || memcmp(&ours, &theirs, sizeof ours) != 0) bad = i;
        change(p, &t, arm);
    }
    free(nodes);
    return bad;
}

static void same_arms(uint64_t problems)
{
    static struct problem p;
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t bad = 0, differences = 0;
        for (uint64_t seed = 0; seed < problems; seed++) {
            start(&p, seed * KINDS + (uint64_t)kind, kind);
            if (!first_difference(&p, 60 + 40 * (seed % 7))) continue;
            if (!differences++) bad = seed;
        }
        CHECK(differences == 0, "%s: the arms of a scan in %d random problems (%d differ, first %d)", kind_name[kind],
              (int)problems, (int)differences, (int)bad);
    }
}

/* ---- rivals ---- */

struct tally {
    int wrong, said, could;
};

static void look_at_rivals(struct problem *p, const struct mk_tournament *t, size_t arm, struct tally *tally)
{
    const double level = p->a[arm] + 0.3 * uniform(p);
    const struct mk_tournament_rivals known = mk_tournament_rivals(t, arm, level);
    const int ahead = known.until > p->s && known.until < INFINITY, or_equal = (int)below(p, 2);
    const double s = ahead && below(p, 2) ? known.until * (1 - 1e-12) : p->s * (1 + uniform(p));
    const int said = mk_tournament_below(t, arm, s, level, or_equal);
    double best = -INFINITY;
    int truly = 1, reached = 0, steeper = 0;
    for (size_t j = 0; j < p->arms; j++) {
        const double now = p->a[j] + p->s * p->b[j], then = p->a[j] + s * p->b[j];
        if (j == arm) continue;
        best = now > best ? now : best;
        truly &= then < level || (or_equal && j > arm && then == level);
        reached |= ahead && s <= known.until && !(then < level);
        steeper |= then > known.best + (s - p->s) * known.steep + 1e-12;
    }
    tally->wrong +=
        (said && !truly) || reached || (ahead && s < known.until && steeper) || (t->top && best != known.best);
    tally->could += ahead && s > p->s && s < known.until;
    tally->said += ahead && s > p->s && s < known.until && said;
}

static void rivals(int problems)
{
    static struct problem p;
    struct tally tally = {0, 0, 0};
    for (int seed = 0; seed < problems; seed++) {
        struct mk_tournament t;
        start(&p, 1000000 + (uint64_t)seed, seed % 2);
        if (p.flat) continue;
        p.curve = 0;
        p.share = 0;
        p.random = 0;
        p.path = 0;
        void *nodes = open(&t, &p);
        for (uint64_t i = 1; i < 100; i++) {
            p.s = next_s(&p, i);
            size_t arm = mk_tournament_best(&t, p.s, NULL);
            look_at_rivals(&p, &t, arm, &tally);
            change(&p, &t, arm);
        }
        free(nodes);
    }
    CHECK(tally.wrong == 0 && tally.said == tally.could && tally.said > 10 * problems,
          "rivals: what is said holds for all of them, up to the s said in %d of %d cases (%d wrong)", tally.said,
          tally.could, tally.wrong);
}

int main(int argc, char **argv)
{
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    same_arms(3000 * (uint64_t)times);
    rivals(1000 * times);
    return CHECK_EXIT;
}
