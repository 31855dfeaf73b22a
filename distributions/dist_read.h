/* A distribution from a mapping, as in experiment files, for readers that know neither plugins nor files: a family of
 * the registry, its parameters, and the keys truncate, clip, factor and shift. */
#ifndef MAXK_DISTRIBUTIONS_DIST_READ_H
#define MAXK_DISTRIBUTIONS_DIST_READ_H

#include "distributions/dist.h"
#include "sim/base/yaml_tree.h"

/* `key`: that of the list which the mapping is an item of, for messages. Free with mk_dist_free. MK_EINPUT: with the
 * place of what is wrong. */
int mk_dist_read(struct mk_dist **out, const struct mk_node *node, const char *key, struct mk_error *err);

#endif
