/* Test harness: every CHECK prints one line `ok …` or `not ok …`; tests/support/run.sh counts them. */
#ifndef MAXK_TESTS_SUPPORT_CHECK_H
#define MAXK_TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static int check_failed;

/* condition, then a printf description of what was checked. */
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        int ok_ = (condition) != 0;                                                                                    \
        if (!ok_) check_failed = 1;                                                                                    \
        printf(ok_ ? "ok " : "not ok ");                                                                               \
        printf(__VA_ARGS__);                                                                                           \
        if (!ok_) printf(" [%s:%d]", __FILE__, __LINE__);                                                              \
        printf("\n");                                                                                                  \
        fflush(stdout);                                                                                                \
    } while (0)

/* |got - want| <= rel * max(|want|, tiny) */
#define CHECK_CLOSE(got, want, rel, ...)                                                                               \
    do {                                                                                                               \
        double got_ = (got), want_ = (want);                                                                           \
        int ok_ = got_ == want_ || fabs(got_ - want_) <= (rel)*fmax(fabs(want_), 1e-300);                              \
        if (!ok_) check_failed = 1;                                                                                    \
        printf(ok_ ? "ok " : "not ok ");                                                                               \
        printf(__VA_ARGS__);                                                                                           \
        if (!ok_) printf(": got %.17g, want %.17g [%s:%d]", got_, want_, __FILE__, __LINE__);                          \
        printf("\n");                                                                                                  \
        fflush(stdout);                                                                                                \
    } while (0)

/* What the rest of the test needs: memory, a file to read, an object. Quiet when it is there, the end when it is not.
 */
#define REQUIRE(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("not ok ");                                                                                         \
            printf(__VA_ARGS__);                                                                                       \
            printf(": needed by the rest of the test [%s:%d]\n", __FILE__, __LINE__);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define SKIP(...) (printf("skip "), printf(__VA_ARGS__), printf("\n"))

/* main ends with: return CHECK_EXIT; */
#define CHECK_EXIT (check_failed ? 1 : 0)

#endif
