/* The memory that there is: against /proc/meminfo, under a limit, and as a process grows. */
#include <stdlib.h>
#include <sys/resource.h>

#include "sim/base/system_memory.h"
#include "tests/support/check.h"

static double total(void)
{
    char line[200];
    double kb = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    REQUIRE(file, "/proc/meminfo");
    while (!kb && fgets(line, sizeof line, file))
        if (sscanf(line, "MemTotal: %lf kB", &kb) != 1) kb = 0;
    fclose(file);
    return kb * 1024;
}

int main(void)
{
    const double there = mk_system_memory(), machine = total();
    CHECK(there > 1e7 && there <= machine * 1.0001, "%.3g bytes, the machine has %.3g", there, machine);
    struct rlimit before;
    REQUIRE(!getrlimit(RLIMIT_AS, &before), "the limit");
    const rlim_t least = (rlim_t)(there / 2);
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){least, before.rlim_max}) == 0 && mk_system_memory() == (double)least,
          "a limit on the process is what there is");
    setrlimit(RLIMIT_AS, &before);
    CHECK(mk_system_memory() == there, "without it there is as much as before");

    enum { MORE = 64 << 20 };
    const double held = mk_process_memory();
    volatile char *block = malloc(MORE);
    REQUIRE(block, "64 MB");
    for (size_t i = 0; i < MORE; i += 1024) block[i] = 1;
    const double grown = mk_process_memory() - held;
    CHECK(held > 1e5 && grown > 0.9 * MORE && grown < 1.5 * MORE, "64 MB more are held: %.3g bytes", grown);
    free((char *)block);
    return CHECK_EXIT;
}
