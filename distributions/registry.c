#include <string.h>

#include "distributions/dist.h"

#define FAMILY(name) extern const struct mk_dist_type mk_dist_##name;
#include "distributions/list.def"
#undef FAMILY

static const struct mk_dist_type *const types[] = {
#define FAMILY(name) &mk_dist_##name,
#include "distributions/list.def"
#undef FAMILY
    NULL,
};

size_t mk_dist_type_count(void)
{
    return sizeof types / sizeof *types - 1;
}

const struct mk_dist_type *mk_dist_type_at(size_t i)
{
    return i < mk_dist_type_count() ? types[i] : NULL;
}

const struct mk_dist_type *mk_dist_type_find(const char *name)
{
    for (size_t i = 0; types[i]; i++)
        if (strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}
