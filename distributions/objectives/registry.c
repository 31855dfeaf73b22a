#include <string.h>

#include "distributions/objectives/objective.h"

#define OBJECTIVE(name) extern const struct mk_objective_type mk_objective_##name;
#include "distributions/objectives/list.def"
#undef OBJECTIVE

static const struct mk_objective_type *const types[] = {
#define OBJECTIVE(name) &mk_objective_##name,
#include "distributions/objectives/list.def"
#undef OBJECTIVE
};

size_t mk_objective_type_count(void)
{
    return sizeof types / sizeof *types;
}

const struct mk_objective_type *mk_objective_type_at(size_t i)
{
    return i < mk_objective_type_count() ? types[i] : NULL;
}

const struct mk_objective_type *mk_objective_type_find(const char *name)
{
    for (size_t i = 0; i < mk_objective_type_count(); i++)
        if (strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}
