#include "analysis/compare/posterior.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/error.h"
#include "sim/base/pcg64.h"

/* One difference of a pair, in ascending order. Sums with it are in the worse region for the `worse` smallest
 * differences and in the better one for all but the `others` smallest. */
struct place {
    size_t weight, worse, others;
};

struct sorted {
    double z;
    size_t weight;
};

static int by_difference(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    return x->z != y->z ? (x->z > y->z) - (x->z < y->z) : (x->weight > y->weight) - (x->weight < y->weight);
}

/* As the difference grows, both ends move down. */
static void place_differences(const double *difference, size_t n, double region, struct sorted *z, struct place *to)
{
    size_t worse = n + 1, others = n + 1;
    z[0] = (struct sorted){0, 0};
    for (size_t i = 0; i < n; i++) z[i + 1] = (struct sorted){difference[i], i + 1};
    qsort(z, n + 1, sizeof *z, by_difference);
    for (size_t i = 0; i <= n; i++) {
        while (worse > 0 && !(z[i].z + z[worse - 1].z < -2 * region)) worse--;
        while (others > 0 && z[i].z + z[others - 1].z > 2 * region) others--;
        to[i] = (struct place){z[i].weight, worse, others};
    }
}

/* Weights with the sum 1, by normalising gamma variables of shapes 1/2 (half a squared normal one) and 1. */
static void draw_weights(struct mk_pcg64 *rng, size_t n, double *w)
{
    const double normal = gsl_cdf_ugaussian_Pinv(mk_uniform(rng));
    double sum = w[0] = normal * normal / 2;
    for (size_t i = 1; i <= n; i++) sum += w[i] = -log(mk_uniform(rng));
    for (size_t i = 0; i <= n; i++) w[i] /= sum;
}

/* Adds one draw; ties share it. up_to[n + 2]: scratch. */
static void add_draw(const struct place *at, const double *w, size_t n, double *up_to, struct mk_posterior *to)
{
    double worse = 0, better = 0;
    up_to[0] = 0;
    for (size_t i = 0; i <= n; i++) up_to[i + 1] = up_to[i] + w[at[i].weight];
    for (size_t i = 0; i <= n; i++) {
        worse += w[at[i].weight] * up_to[at[i].worse];
        better += w[at[i].weight] * (up_to[n + 1] - up_to[at[i].others]);
    }
    const double share[] = {better, up_to[n + 1] * up_to[n + 1] - better - worse, worse};
    const double largest = fmax(fmax(share[0], share[1]), share[2]);
    const int winners = (share[0] == largest) + (share[1] == largest) + (share[2] == largest);
    to->better += share[0] == largest ? 1.0 / winners : 0;
    to->equivalent += share[1] == largest ? 1.0 / winners : 0;
    to->worse += share[2] == largest ? 1.0 / winners : 0;
}

int mk_signed_rank_posteriors(const double *difference, size_t pairs, size_t n, double region, uint64_t seed,
                              struct mk_posterior *out, struct mk_error *err)
{
    struct place *place = malloc((pairs * (n + 1) + 1) * sizeof *place);
    struct sorted *z = malloc((n + 1) * sizeof *z);
    double *w = malloc((2 * n + 3) * sizeof *w);
    const bool good = place && z && w;
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_word(mk_key_start(), seed), "signed-rank posterior"));
    memset(out, 0, pairs * sizeof *out);
    for (size_t i = 0; i < pairs && good; i++) place_differences(difference + i * n, n, region, z, place + i * (n + 1));
    for (size_t draw = 0; draw < MK_POSTERIOR_DRAWS && good; draw++) {
        draw_weights(&rng, n, w);
        for (size_t i = 0; i < pairs; i++) add_draw(place + i * (n + 1), w, n, w + n + 1, &out[i]);
    }
    for (size_t i = 0; i < pairs; i++) {
        out[i].better /= MK_POSTERIOR_DRAWS;
        out[i].equivalent /= MK_POSTERIOR_DRAWS;
        out[i].worse /= MK_POSTERIOR_DRAWS;
    }
    free(place);
    free(z);
    free(w);
    return good ? MK_OK : mk_fail_memory(err, "posterior probabilities");
}
