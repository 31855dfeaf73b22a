/* A distribution from a mapping, as in experiment files: a family, its parameters, and the keys truncate, clip, shift
 * and factor. What only some callers know, such as families of plugins and files, they say in a struct of functions. */
#ifndef MAXK_DISTRIBUTIONS_DIST_READ_H
#define MAXK_DISTRIBUTIONS_DIST_READ_H

#include "distributions/dist.h"
#include "sim/base/yaml_tree.h"

/* Zero-filled but for `key`: the families of the registry, and no files. */
struct mk_dist_reader {
    const char *key;           /* of the list that the mapping is an item of, for messages */
    int levels;                /* of distributions within each other, at most; 0: as many as there are */
    const char *const *others; /* [n_others] further keys of the mapping, not of its parts, which are read elsewhere */
    size_t n_others;
    const void *of; /* of these functions: */
    /* Family k beside those of the registry, from 0; NULL: there are no more. */
    const struct mk_dist_type *(*family_at)(const void *of, size_t k);
    /* More to say of a family that is unknown than what is allowed: an error, otherwise MK_OK. */
    int (*unknown)(const void *of, const struct mk_node *family, struct mk_error *err);
    /* The numbers of a column of a file, malloc'ed, for families that take them in place of a list; both nodes are also
     * added to `to`. NULL: such parameters are not allowed. */
    int (*numbers_of)(const void *of, const struct mk_node *file, const struct mk_node *column, double **value,
                      size_t *n, struct mk_node *to, struct mk_error *err);
};

/* `to`: a mapping, to which all that was read is added, defaults filled in; NULL: nowhere. Free with mk_dist_free.
 * MK_EINPUT: with the place of what is wrong; *out is unchanged after errors. */
int mk_dist_read(struct mk_dist **out, const struct mk_dist_reader *reader, const struct mk_node *node,
                 struct mk_node *to, struct mk_error *err);

#endif
