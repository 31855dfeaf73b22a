/* Schedules of successive rejects. Known answers from exact rational arithmetic (Python's fractions, the functions
 * rounds and published_rounds of tests/reference/rising_best_arm.py). */
#include "policies/parts/reject_schedule.h"

#include "tests/support/check.h"

static double rounds(size_t arms, uint64_t horizon, size_t phase)
{
    struct mk_reject_schedule s;
    mk_reject_schedule_init(&s, arms, horizon);
    return mk_reject_rounds(&s, phase);
}

/* All 65,428 phases with K <= 12, K < T <= 1000. */
static void check_all(void)
{
    uint64_t exact = 0, published = 0, differ = 0, n = 0;
    for (size_t arms = 2; arms <= 12; arms++)
        for (uint64_t horizon = arms + 1; horizon <= 1000; horizon++) {
            struct mk_reject_schedule s;
            mk_reject_schedule_init(&s, arms, horizon);
            for (size_t j = 1; j < arms; j++, n++) {
                double a = mk_reject_rounds(&s, j), b = mk_reject_published(&s, j);
                exact += (uint64_t)a;
                published += (uint64_t)b;
                differ += a != b;
            }
        }
    CHECK(n == 65428 && exact == 3976180 && published == 3976482, "all N_j add up to %lld and %lld", (long long)exact,
          (long long)published);
    CHECK(differ == 302, "the published program's roundings change %d of them", (int)differ);
}

int main(void)
{
    struct mk_reject_schedule s;
    /* Quotients that are whole numbers and were taken for one more. */
    const size_t whole[][4] = {{6, 357, 1, 30}, {6, 357, 4, 60}, {6, 708, 1, 60},
                               {5, 112, 2, 15}, {5, 540, 1, 60}, {5, 968, 1, 108}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        CHECK(rounds(whole[i][0], whole[i][1], whole[i][2]) == (double)whole[i][3], "K = %zu, T = %zu: N_%zu = %zu",
              whole[i][0], whole[i][1], whole[i][2], whole[i][3]);
    mk_reject_schedule_init(&s, 4, 80);
    CHECK(mk_reject_rounds(&s, 1) == 12 && mk_reject_published(&s, 1) == 13,
          "K = 4, T = 80: 12, the published program has 13");
    check_all();
    CHECK(rounds(40, 1000000, 1) == 6617, "K = 40, T = 1000000: N_1 = 6617");
    CHECK(rounds(40, 1000000000000, 39) == 132326135981, "K = 40, T = 1000000000000: N_39 = 132326135981");
    CHECK(rounds(41, 12345, 7) == 93, "K = 41, T = 12345: N_7 = 93");
    CHECK(rounds(60, 1000000000, 30) == 7717480, "K = 60, T = 1000000000: N_30 = 7717480");
    CHECK(rounds(1000, 10000000, 999) == 715700, "K = 1000, T = 10000000: N_999 = 715700");
    CHECK(rounds(5, 100, 0) == 0, "N_0 = 0");
    CHECK(rounds(5, 3, 1) <= 0 && rounds(5, 5, 4) == 0, "T <= K: nothing");
    return CHECK_EXIT;
}
