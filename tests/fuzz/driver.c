/* maxk-fuzz TARGET: inputs from afl-fuzz, in memory and many to a process; maxk-fuzz TARGET FILE…: these inputs. */
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "tests/fuzz/fuzz.h"

#ifdef __AFL_FUZZ_TESTCASE_LEN
__AFL_FUZZ_INIT();
enum { INPUTS_TO_A_PROCESS = 2000 };

static void from_fuzzer(const struct fuzz_target *target)
{
    __AFL_INIT();
    const unsigned char *data = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(INPUTS_TO_A_PROCESS)) target->one(data, (size_t)__AFL_FUZZ_TESTCASE_LEN);
}
#endif

static int from_file(const struct fuzz_target *target, const char *path)
{
    static unsigned char data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t n = fread(data, 1, sizeof data, file);
    fclose(file);
    target->one(data, n);
    return 0;
}

int main(int argc, char **argv)
{
    const struct fuzz_target *target = argc > 1 ? fuzz_find(argv[1]) : NULL;
    if (!target) {
        fprintf(stderr, "usage: maxk-fuzz experiment|csv|claim|result|journal [FILE…]\n");
        return 2;
    }
    gsl_set_error_handler_off();
    if (!freopen("/dev/null", "w", stdout)) return 1;
    if (target->start) target->start();
#ifdef __AFL_FUZZ_TESTCASE_LEN
    if (argc == 2) from_fuzzer(target);
#endif
    int failed = 0;
    for (int i = 2; i < argc; i++) failed |= from_file(target, argv[i]);
    return failed;
}
