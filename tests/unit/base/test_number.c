/* Decimal numbers against strtod and strtold, which are correctly rounded in glibc. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"
#include "tests/support/check.h"

static void check_numbers(void)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "1",
                                       "+1.5",
                                       ".5",
                                       "5.",
                                       "1e6",
                                       "1E-3",
                                       "123456789012345678",
                                       "0.1",
                                       "9007199254740993",
                                       "18446744073709551617",
                                       "1e22",
                                       "1e23",
                                       "1.7976931348623157e308",
                                       "5e-324",
                                       "2e-324",
                                       "0.000000000000000000000001",
                                       "179769313486231570000000000000000000000e270",
                                       "0.30000000000000004",
                                       "00012.50",
                                       "1e0000000003",
                                       "3.14159265358979323846"};
    static const char *const bad[] = {"",      "-",  ".",  "e5",    "1e",   "1e+", "0x10", "inf",   "nan",
                                      "1_000", " 1", "1 ", "1e999", "1..2", "--1", "1,5",  "1e5.5", "١"};
    int wrong = 0;
    double x = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int ok = mk_parse_real(good[i], strlen(good[i]), &x) && x == strtod(good[i], NULL);
        if (!ok) printf("# %s gives %.17g\n", good[i], x);
        wrong += !ok;
    }
    CHECK(wrong == 0, "%zu numbers as strtod reads them", sizeof good / sizeof *good);
    mk_parse_real("-0", 2, &x);
    CHECK(signbit(x), "-0 keeps its sign");
    for (size_t i = 0, n = sizeof bad / sizeof *bad; i < n; i++) wrong += mk_parse_real(bad[i], strlen(bad[i]), &x);
    CHECK(wrong == 0, "%zu texts are no numbers", sizeof bad / sizeof *bad);
    unsigned long long state = 1;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        snprintf(text, sizeof text, "%.*g", 1 + (int)(state >> 60),
                 ldexp((double)(state >> 11), (int)(state >> 20 & 63) - 80));
        wrong += !mk_parse_real(text, strlen(text), &x) || x != strtod(text, NULL);
    }
    CHECK(wrong == 0, "200000 numbers of 1 to 16 digits as strtod reads them");
}

static void check_exact(void)
{
    static const struct {
        const char *text;
        double x;
        int exact;
    } cases[] = {{"9007199254740992", 0x1p53, 1},
                 {"9007199254740993", 0x1p53, 0},
                 {"9007199254740993", 0x1p53 + 2, 0},
                 {"9007199254740994", 0x1p53 + 2, 1},
                 {"9.007199254740992e15", 0x1p53, 1},
                 {"1e22", 1e22, 1},
                 {"7", 7, 1},
                 {"7.000000000000000001", 7, 0},
                 {"-3", -3, 1}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        wrong += (mk_is_exact(cases[i].text, strlen(cases[i].text), cases[i].x) != 0) != cases[i].exact;
    CHECK(wrong == 0, "whole numbers next to 2^53 and others: which texts mean the number itself");
    char longer[2000];
    memset(longer, '1', sizeof longer);
    double x = 0.5;
    CHECK(!mk_parse_real(longer, sizeof longer, &x) && x == 0.5 && !mk_is_exact(longer, sizeof longer, 1),
          "2000 digits are no number, and the result is left alone");
}

int main(void)
{
    check_numbers();
    check_exact();
    return CHECK_EXIT;
}
