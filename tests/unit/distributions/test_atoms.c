/* Point masses below the top of 200 random mixtures: tail probabilities, inverse survival function, draws. The places
 * of the masses are known independently of the program (tests/support/atom_arms.h). */
#include <stdbool.h>
#include <stdlib.h>

#include "sim/run/experiment/experiment.h"
#include "tests/support/atom_arms.h"
#include "tests/support/check.h"
#include "tests/support/dist_cases.h"

enum { ARMS = 200, DRAWS = 4000, POSITIONS = 40 };

struct tally {
    int arms, atoms, tails, quantiles, draws, counts;
};

/* Where G jumps it is constant up to the mass and right after it. */
static bool has_tails(const struct mk_dist *d, double x)
{
    const double after = nextafter(x, INFINITY), before = nextafter(x, -INFINITY);
    const double at = mk_dist_survival(d, x), above = mk_dist_above(d, x);
    return at > above && fabs(mk_dist_survival(d, after) - above) <= 1e-12 * (at - above) + 1e-15 &&
           fabs(mk_dist_survival(d, before) - at) <= 1e-12 * (at - above) + 1e-15 &&
           fabs(mk_dist_cdf(d, x) + above - 1) < 1e-14 && fabs(mk_dist_below(d, x) + at - 1) < 1e-14;
}

static bool quantiles_land(const struct mk_dist *d, double x)
{
    const double at = mk_dist_survival(d, x), above = mk_dist_above(d, x);
    int wrong = 0;
    for (int i = 1; i < POSITIONS; i++) wrong += mk_dist_inverse_survival(d, above + (at - above) * i / POSITIONS) != x;
    /* From the last position of the mass on to the first one of what follows, rounding apart. */
    wrong += mk_dist_inverse_survival(d, at - 1e-12 * at) != x && at - above > 1e-11 * at;
    wrong += mk_dist_inverse_survival(d, above + 1e-12 * at) != x && at - above > 1e-11 * at;
    return !wrong;
}

/* No draw next to the mass, and as many on it as it weighs, within five standard errors. */
static void look_at_draws(const struct mk_dist *d, double x, const double *draw, struct tally *t)
{
    const double p = mk_dist_survival(d, x) - mk_dist_above(d, x);
    int on = 0, beside = 0;
    for (int i = 0; i < DRAWS; i++) {
        on += draw[i] == x;
        beside += draw[i] != x && fabs(draw[i] - x) <= 1e-14 * fabs(x);
    }
    t->draws += beside > 0;
    t->counts += fabs(on - DRAWS * p) > 5 * sqrt(DRAWS * p * (1 - p)) + 3;
}

static void look_at_arm(const struct mk_dist *d, const struct atom_arm *a, struct mk_pcg64 *g, struct tally *t)
{
    static double draw[DRAWS];
    int seen = 0;
    d->type->sample(d, g, DRAWS, draw);
    for (size_t i = 0; i < a->n; i++) {
        const double x = a->atom[i], mass = mk_dist_survival(d, x) - mk_dist_above(d, x);
        if (!(mass > 1e-10)) continue;
        seen = 1;
        t->atoms++;
        t->tails += !has_tails(d, x);
        t->quantiles += !quantiles_land(d, x);
        look_at_draws(d, x, draw, t);
    }
    t->arms += seen;
}

/* Masses of about 1e-9 at decimal numbers, with as much above them, moved by a factor and a shift: rounding of the map
 * must not lose them, however small they are. */
static void check_rare_atoms(void)
{
    enum { CASES = 300 };
    struct mk_pcg64 g;
    int lost = 0;
    mk_pcg64_from_key(&g, mk_key_text(mk_key_start(), "rare atoms"));
    for (int i = 0; i < CASES; i++) {
        const double x = atom_arm_number(&g, 1, 9), factor = atom_arm_number(&g, 0.1, 3);
        const double shift = atom_arm_number(&g, -5, 5), mass = ldexp(1 + mk_uniform(&g), -30);
        struct mk_error err = {0, ""};
        struct mk_dist *part[] = {dist_simple("uniform", 0, 1, NAN, NAN), dist_simple("dirac", x, NAN, NAN, NAN),
                                  dist_simple("uniform", 9, 10, NAN, NAN)};
        struct mk_dist *d = dist_lists("mixture", 3, (double[]){1 - 2 * mass, mass, mass}, 3, part);
        REQUIRE(!mk_dist_wrap(&d, "affine", shift, factor, NULL, &err), "a rare mass: %s", err.text);
        const double at = shift + factor * x;
        lost += !(fabs(mk_dist_survival(d, at) / mass - 2) < 1e-6 && fabs(mk_dist_above(d, at) / mass - 1) < 1e-6 &&
                  mk_dist_inverse_survival(d, 1.5 * mass) == at);
        mk_dist_free(d);
    }
    CHECK(lost == 0, "%d of %d masses of 1e-9 are moved to another place", lost, CASES);
}

int main(void)
{
    struct mk_pcg64 g;
    struct tally t = {0, 0, 0, 0, 0, 0};
    mk_pcg64_seed(&g, 20, 54);
    for (int i = 0; i < ARMS; i++) {
        struct atom_arm a;
        struct mk_experiment *e = NULL;
        struct mk_error err = {0, ""};
        char text[ATOM_ARM_ROOM + 100];
        atom_arm_draw(&a, &g);
        int n = snprintf(text, sizeof text, "name: a\nproblem:\n  arms:\n    - %s\n", a.text);
        if (mk_experiment_parse(&e, "a", text, (size_t)n, MK_NEED_PROBLEM, &err)) { /* truncated away */
            printf("# %s: %s\n", a.text, err.text);
            continue;
        }
        const struct tally before = t;
        look_at_arm(e->problem->dist[0], &a, &g, &t);
        if (t.tails + t.quantiles + t.draws > before.tails + before.quantiles + before.draws) printf("# %s\n", a.text);
        mk_experiment_free(e);
    }
    CHECK(t.arms > 180 && t.atoms > 600, "%d of %d mixtures with point masses, %d of them", t.arms, ARMS, t.atoms);
    CHECK(!t.tails, "G jumps at the mass itself and nowhere next to it (%d wrong)", t.tails);
    CHECK(!t.quantiles, "the inverse survival function lands on the mass (%d wrong)", t.quantiles);
    CHECK(!t.draws, "no draw lies next to a mass (%d wrong)", t.draws);
    CHECK(!t.counts, "masses weigh what is drawn (%d beyond 5 standard errors)", t.counts);
    check_rare_atoms();
    return CHECK_EXIT;
}
