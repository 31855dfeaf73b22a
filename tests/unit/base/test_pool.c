/* Scratch memory: aligned pieces, reuse, and what is freed may be freed and used again. */
#include <stdint.h>
#include <string.h>

#include "sim/base/pool.h"
#include "tests/support/check.h"

static void fill(struct mk_pool *p, size_t n)
{
    struct mk_error err = {0, ""};
    REQUIRE(!mk_pool_reserve(p, mk_pool_bytes(3, 1) + mk_pool_bytes(n, sizeof(double)), "a test", &err), "%s",
            err.text);
    char *small = mk_pool_take(p, 3, 1);
    double *large = mk_pool_take(p, n, sizeof *large);
    memset(small, 1, 3);
    for (size_t i = 0; i < n; i++) large[i] = (double)i;
    CHECK((uintptr_t)small % MK_POOL_ALIGNMENT == 0 && (uintptr_t)large % MK_POOL_ALIGNMENT == 0 && small[2] == 1 &&
              (n == 0 || large[n - 1] == (double)(n - 1)),
          "3 bytes and %zu numbers, apart and aligned", n);
}

int main(void)
{
    struct mk_pool p = {0};
    CHECK(mk_pool_bytes(0, 8) == 0 && mk_pool_bytes(1, 1) == 64 && mk_pool_bytes(8, 8) == 64 &&
              mk_pool_bytes(9, 8) == 128,
          "multiples of 64 bytes");
    mk_pool_free(&p);
    fill(&p, 10);
    char *block = p.block;
    fill(&p, 10);
    CHECK(p.block == block, "the same block serves again");
    fill(&p, 10000);
    mk_pool_free(&p);
    mk_pool_free(&p);
    CHECK(!p.block && p.room == 0, "freed twice");
    fill(&p, 0);
    mk_pool_free(&p);
    return CHECK_EXIT;
}
