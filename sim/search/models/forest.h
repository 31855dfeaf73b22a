/* Forests of regression trees (Breiman 2001) that predict a mean and a variance, as SMAC uses them (Hutter, Hoos &
 * Leyton-Brown 2011): the mean over the trees, and the variance of their predictions, divided by their number.
 *
 * Trees are grown on bootstrap samples until a leaf is pure. A split x_f <= threshold minimises the sum of squares;
 * exact splits try the middle of every gap of every feature considered, random ones one threshold per feature, uniform
 * between its smallest and largest value (Geurts, Ernst & Wehenkel 2006). Features are considered in random order and
 * ties go to the first. Rules of scikit-learn's trees: values closer than 1e-7 are one value; sample counts are of
 * distinct samples. A tree treats words as numbers,
 * but those of mk_forest_fit_words. */
#ifndef MAXK_SIM_SEARCH_MODELS_FOREST_H
#define MAXK_SIM_SEARCH_MODELS_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/pool.h"

struct mk_forest_options {
    size_t trees;
    size_t features;            /* considered for a split, 1 … d */
    size_t min_split, min_leaf; /* smallest numbers of samples of a node that is split, of a leaf */
    bool bootstrap, random_splits;
    bool log_leaves; /* y is a logarithm: leaves hold log mean exp y */
};

struct mk_forest_node {
    double threshold; /* leaves: infinity; of words: where their set begins in goes_left */
    uint32_t feature;
    uint32_t left; /* of two neighbours: x_feature <= threshold, and the others; leaves: the leaf itself */
};

struct mk_forest {
    size_t d, n_trees;
    struct mk_forest_node *node; /* all trees; children count from the root of their tree */
    double *value;               /* predictions of leaves */
    size_t *root;                /* [n_trees] */
    size_t n_nodes, node_room;
    size_t *words;            /* [d] of mk_forest_fit_words, or NULL */
    unsigned char *goes_left; /* sets of words: 1 for those that go left */
    size_t n_left, left_room;
    struct mk_pool pool; /* scratch of the fit */
};

/* Grows a new forest; start with a struct of zeros, whose memory is reused. x by columns: feature j of sample i at
 * x[j * stride + i]; 1 <= n < 2^31, finite values. MK_ENOMEM. */
int mk_forest_fit(struct mk_forest *f, const struct mk_forest_options *o, const double *x, size_t stride, size_t d,
                  const double *y, size_t n, struct mk_pcg64 *rng, struct mk_error *err);

/* The same with exact splits where x_j is the position of one of words[j] words; 0: a number. A split of words divides
 * those of the node into two sets, of all such divisions the one with the smallest sum of squares, which divides them
 * in the order of their means (Fisher 1958). Words that the node has not seen go with its larger part. */
int mk_forest_fit_words(struct mk_forest *f, const struct mk_forest_options *o, const size_t *words, const double *x,
                        size_t stride, size_t d, const double *y, size_t n, struct mk_pcg64 *rng, struct mk_error *err);
void mk_forest_free(struct mk_forest *f);

/* Mean and variance for each of m points, x[i * d + j], of a forest of numbers. tree: [n_trees][m] gets the predictions
 * of every tree. */
void mk_forest_predict(const struct mk_forest *f, const double *x, size_t m, double *tree, double *mean,
                       double *variance);

/* The mean at one point. */
double mk_forest_mean(const struct mk_forest *f, const double *x);

#endif
