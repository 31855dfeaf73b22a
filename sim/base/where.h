/* Places in inputs. */
#ifndef MAXK_SIM_BASE_WHERE_H
#define MAXK_SIM_BASE_WHERE_H

#include <stddef.h>

/* A place in an input: line and column count from 1; 0 means unknown and is left out. */
struct mk_where {
    const char *file;
    size_t line, column;
};

#endif
