/* Available memory, so that a run that cannot fit is refused before it starts. */
#ifndef MAXK_SIM_BASE_SYSTEM_MEMORY_H
#define MAXK_SIM_BASE_SYSTEM_MEMORY_H

/* Bytes: the least of the machine's memory, the limit on the process (RLIMIT_AS) and the limit of its control group. */
double mk_system_memory(void);

/* Bytes that the process holds in memory; 0 where the system does not provide the number. */
double mk_process_memory(void);

#endif
