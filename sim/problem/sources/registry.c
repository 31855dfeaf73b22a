#include "sim/problem/source.h"

static const struct mk_source_type *const types[] = {
#define SOURCE(name) &mk_source_##name,
#include "sim/problem/sources/list.def"
#undef SOURCE
};

size_t mk_source_type_count(void)
{
    return sizeof types / sizeof *types;
}

const struct mk_source_type *mk_source_type_at(size_t i)
{
    return i < mk_source_type_count() ? types[i] : NULL;
}
