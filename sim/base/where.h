/* Places in inputs. */
#ifndef MAXK_SIM_BASE_WHERE_H
#define MAXK_SIM_BASE_WHERE_H

#include <stddef.h>

/* A place in an input: line and column count from 1; 0 means unknown and is left out. */
struct mk_where {
    const char *file;
    size_t line, column;
};

/* The place of `to` in a text of UTF-8, of which *from has the place `where`. Columns count characters. */
static inline struct mk_where mk_where_after(struct mk_where where, const char *from, const char *to)
{
    for (; from < to; from++) {
        if (*from == '\n') {
            where.line++;
            where.column = 1;
        } else if (((unsigned char)*from & 0xc0) != 0x80) {
            where.column++;
        }
    }
    return where;
}

#endif
