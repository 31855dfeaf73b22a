/* The memory that there is, for refusing what cannot fit before it is begun. */
#ifndef MAXK_SIM_BASE_SYSTEM_MEMORY_H
#define MAXK_SIM_BASE_SYSTEM_MEMORY_H

/* Bytes: the least of the machine's memory, the limit on the process (RLIMIT_AS) and the limit of its control group. */
double mk_system_memory(void);

/* Bytes that the process holds in memory; 0 where the system does not say. */
double mk_process_memory(void);

#endif
