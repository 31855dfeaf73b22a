#include "sim/base/registry.h"
#include "distributions/dist.h"

#define FAMILY(name) extern const struct mk_dist_type mk_dist_##name;
#include "distributions/list.def"
#undef FAMILY

static const struct mk_dist_type *const types[] = {
#define FAMILY(name) &mk_dist_##name,
#include "distributions/list.def"
#undef FAMILY
};

MK_REGISTRY_BY_NAME(mk_dist_type, mk_dist_type, types, types[i])
