#include <string.h>

#include "policies/optimizers/optimizer.h"

#define OPTIMIZER(name) extern const struct mk_optimizer_type mk_optimizer_##name;
#include "policies/optimizers/list.def"
#undef OPTIMIZER

static const struct mk_optimizer_type *const types[] = {
#define OPTIMIZER(name) &mk_optimizer_##name,
#include "policies/optimizers/list.def"
#undef OPTIMIZER
};

size_t mk_optimizer_type_count(void)
{
    return sizeof types / sizeof *types;
}

const struct mk_optimizer_type *mk_optimizer_type_at(size_t i)
{
    return i < mk_optimizer_type_count() ? types[i] : NULL;
}

const struct mk_optimizer_type *mk_optimizer_type_find(const char *name)
{
    for (size_t i = 0; i < mk_optimizer_type_count(); i++)
        if (strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}
