/* A table of distinct byte strings, numbered in the order of their first appearance. */
#ifndef MAXK_SIM_BASE_STRING_TABLE_H
#define MAXK_SIM_BASE_STRING_TABLE_H

#include <stddef.h>

struct mk_string_table {
    size_t n;       /* strings */
    char **text;    /* [n] owned, followed by a NUL */
    size_t *length; /* [n] */
    size_t slots;   /* a power of two */
    size_t *slot;   /* number + 1, 0 = free */
};

/* Start with a struct of zeros. The number of text[0 … length-1], which is added if new (then *added = 1, else 0; may
 * be NULL). SIZE_MAX when out of memory. */
size_t mk_string_table_add(struct mk_string_table *table, const void *text, size_t length, int *added);

/* The number of a string in the table, or SIZE_MAX. */
size_t mk_string_table_find(const struct mk_string_table *table, const void *text, size_t length);

/* Frees what the table owns, not the struct. */
void mk_string_table_free(struct mk_string_table *table);

#endif
