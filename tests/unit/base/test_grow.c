/* Arrays that grow: what is appended stays, how much room there is for it, and sizes that overflow. */
#include <malloc.h>
#include <stdint.h>

#include "sim/base/grow.h"
#include "tests/support/check.h"

enum { MOST = 5000 };

/* Whether items are kept when `more` are appended at a time, how often memory moves or is asked for, and the room. */
static void append(size_t more)
{
    uint32_t *number = NULL;
    size_t n = 0, calls = 0, room = 0;
    bool kept = true, fits = true;
    while (n + more <= MOST) {
        calls += !number || !mk_has_room(n, more);
        REQUIRE(MK_GROW(number, n, more), "memory");
        room = malloc_usable_size(number) / sizeof *number;
        fits = fits && room >= n + more && room < 2 * (n + more) + 8;
        for (size_t i = 0; i < more; i++) number[n + i] = (uint32_t)(n + i);
        n += more;
    }
    for (size_t i = 0; i < n; i++) kept = kept && number[i] == i;
    CHECK(kept, "%zu numbers are kept, %zu at a time", n, more);
    CHECK(fits, "%zu at a time: there is room for them, and for fewer than twice as many", more);
    CHECK(calls <= 12, "%zu at a time: memory is requested %zu times, at most 12", more, calls);
    n -= n / 2;
    REQUIRE(MK_GROW(number, n, MOST), "memory");
    for (size_t i = 0; i < n; i++) kept = kept && number[i] == i;
    CHECK(kept && malloc_usable_size(number) >= (n + MOST) * sizeof *number, "appended again after some were dropped");
    free(number);
}

int main(void)
{
    const size_t some[] = {1, 2, 3, 7, 100, MOST};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) append(some[i]);

    double *array = NULL;
    CHECK(MK_GROW(array, 0, 0) && array, "an array of nothing is not NULL");
    double *const first = array;
    CHECK(MK_GROW(array, 0, 4) && array == first, "and has room for four");
    array[0] = 7;
    double *const before = array;
    const size_t large[] = {SIZE_MAX, SIZE_MAX - 1, PTRDIFF_MAX, PTRDIFF_MAX - 1, SIZE_MAX / 8};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        CHECK(!MK_GROW(array, 1, large[i]) && array == before && array[0] == 7,
              "%zu more: false, and the array is as before", large[i]);
    free(array);
    return CHECK_EXIT;
}
