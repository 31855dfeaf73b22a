/* The functions of a registry, a table of what there is of one kind: NAME_count, NAME_at (NULL past the end) and
 * NAME_find (NULL: no item has the name). `list`: the table; `item`: a pointer to its row i. */
#ifndef MAXK_SIM_BASE_REGISTRY_H
#define MAXK_SIM_BASE_REGISTRY_H

#include <stddef.h>
#include <string.h>

#define MK_REGISTRY(NAME, type, list, item)                                                                            \
    size_t NAME##_count(void)                                                                                          \
    {                                                                                                                  \
        return sizeof(list) / sizeof *(list);                                                                          \
    }                                                                                                                  \
    const struct type *NAME##_at(size_t i)                                                                             \
    {                                                                                                                  \
        return i < NAME##_count() ? (item) : NULL;                                                                     \
    }

#define MK_REGISTRY_BY_NAME(NAME, type, list, item)                                                                    \
    MK_REGISTRY(NAME, type, list, item)                                                                                \
    const struct type *NAME##_find(const char *name)                                                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < NAME##_count(); i++)                                                                    \
            if (strcmp((item)->name, name) == 0) return (item);                                                        \
        return NULL;                                                                                                   \
    }

#endif
