/* The memory that there is, for refusing what cannot fit before it is begun. */
#ifndef MAXK_SIM_MEMORY_H
#define MAXK_SIM_MEMORY_H

#include <stddef.h>

/* Bytes: the least of the machine's memory, the limit on the process (RLIMIT_AS) and the limit of its control group. */
double mk_memory(void);

/* "3.2 GB". */
const char *mk_memory_text(double bytes, char *out, size_t room);

#endif
