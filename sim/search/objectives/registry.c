#include "sim/base/registry.h"
#include "sim/search/objectives/objective.h"

#define OBJECTIVE(name) extern const struct mk_objective_type mk_objective_##name;
#include "sim/search/objectives/list.def"
#undef OBJECTIVE

static const struct mk_objective_type *const types[] = {
#define OBJECTIVE(name) &mk_objective_##name,
#include "sim/search/objectives/list.def"
#undef OBJECTIVE
};

MK_REGISTRY_BY_NAME(mk_objective_type, mk_objective_type, types, types[i])
