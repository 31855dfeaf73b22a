#include "sim/base/registry.h"
#include "sim/search/optimizers/optimizer.h"

#define OPTIMIZER(name) extern const struct mk_optimizer_type mk_optimizer_##name;
#include "sim/search/optimizers/list.def"
#undef OPTIMIZER

static const struct mk_optimizer_type *const types[] = {
#define OPTIMIZER(name) &mk_optimizer_##name,
#include "sim/search/optimizers/list.def"
#undef OPTIMIZER
};

MK_REGISTRY_BY_NAME(mk_optimizer_type, mk_optimizer_type, types, types[i])
