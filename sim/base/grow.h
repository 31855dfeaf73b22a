/* Arrays to which items are appended. Their capacity is not stored: it follows from the number of items. */
#ifndef MAXK_SIM_BASE_GROW_H
#define MAXK_SIM_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` items after the n that `array`, a pointer, has, which is then not NULL; false: out of memory, or a
 * size that overflows, and the array is as before. All of its memory comes from here: the smallest power of two of
 * items, from 4 on, that holds n, or more, so that appending takes linear time. Items may be dropped from its end; an
 * array that is emptied and filled again keeps its memory where n is the largest number that it has had. Evaluates its
 * arguments more than once. */
#define MK_GROW(array, n, more) MK_GROW_SIZED(array, n, more, sizeof *(array))

/* The same for items of `size` bytes. */
#define MK_GROW_SIZED(array, n, more, size) (((array) && mk_has_room(n, more)) || mk_grow(&(array), n, more, size))

static inline size_t mk_room(size_t n)
{
    return n > 4 ? (size_t)1 << (64 - __builtin_clzll(n - 1)) : 4;
}

static inline bool mk_has_room(size_t n, size_t more)
{
    return more <= PTRDIFF_MAX - n && mk_room(n + more) == mk_room(n);
}

static inline bool mk_grow(void *array, size_t n, size_t more, size_t size)
{
    void *old, *grown;
    size_t bytes;
    memcpy(&old, array, sizeof old);
    if (more > PTRDIFF_MAX - n || __builtin_mul_overflow(mk_room(n + more), size, &bytes)) return false;
    if (!(grown = realloc(old, bytes))) return false;
    memcpy(array, &grown, sizeof grown);
    return true;
}

#endif
