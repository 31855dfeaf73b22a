/* Arrays to which items are appended. Their capacity is not stored: it follows from the number of items. */
#ifndef MAXK_SIM_BASE_GROW_H
#define MAXK_SIM_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` items after the n that `array`, a pointer, has; false: out of memory, or a size that overflows, and
 * the array is as before. It is NULL while n is 0, and all of its memory comes from here: at least the smallest power
 * of two of items, from 4 on, that holds n, so that appending takes linear time. Items may be dropped from its end; an
 * array that is emptied and filled again keeps its memory where n is the largest number that it has had. */
#define MK_GROW(array, n, more) mk_grow(&(array), n, more, sizeof *(array))

static inline size_t mk_grown_room(size_t n)
{
    return n > 4 ? (size_t)1 << (64 - __builtin_clzll(n - 1)) : n ? 4 : 0;
}

static inline bool mk_grow(void *array, size_t n, size_t more, size_t size)
{
    void *at;
    size_t bytes;
    if (more > PTRDIFF_MAX - n) return false;
    const size_t room = mk_grown_room(n + more);
    if (room == mk_grown_room(n)) return true;
    memcpy(&at, array, sizeof at);
    if (__builtin_mul_overflow(room, size, &bytes) || !(at = realloc(at, bytes))) return false;
    memcpy(array, &at, sizeof at);
    return true;
}

#endif
