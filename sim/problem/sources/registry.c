#include "sim/base/registry.h"
#include "sim/problem/source.h"

static const struct mk_source_type *const types[] = {
#define SOURCE(name) &mk_source_##name,
#include "sim/problem/sources/list.def"
#undef SOURCE
};

MK_REGISTRY(mk_source_type, mk_source_type, types, types[i])
