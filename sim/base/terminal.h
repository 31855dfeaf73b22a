/* The terminal that a stream writes to. */
#ifndef MAXK_SIM_BASE_TERMINAL_H
#define MAXK_SIM_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Its columns; 80 where it does not say; 0 where the stream is no terminal. */
size_t mk_terminal_width(FILE *stream);

#endif
