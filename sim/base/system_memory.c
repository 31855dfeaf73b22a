#include "sim/base/system_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Limit of the control group as seen from within a container: version 2, then 1. "max" and a missing file: no limit. */
static double group_limit(double bytes)
{
    static const char *const path[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        char text[64] = "";
        FILE *file = fopen(path[i], "r");
        if (!file) continue;
        const double limit = fgets(text, sizeof text, file) ? strtod(text, NULL) : 0;
        fclose(file);
        if (limit > 0 && limit < bytes) return limit;
    }
    return bytes;
}

double mk_process_memory(void)
{
    char text[128] = "";
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    const char *resident = fgets(text, sizeof text, file) ? strchr(text, ' ') : NULL; /* the second number */
    if (resident) pages = strtod(resident, NULL);
    fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

double mk_system_memory(void)
{
    struct rlimit limit;
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < bytes)
        bytes = (double)limit.rlim_cur;
    return group_limit(bytes);
}
