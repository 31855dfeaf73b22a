/* How commands that run programs end early. */
#ifndef MAXK_SIM_COMMAND_PROGRAM_SIGNALS_H
#define MAXK_SIM_COMMAND_PROGRAM_SIGNALS_H

/* SIGINT, SIGTERM and SIGHUP stop the run (mk_run_stop), which then ends its programs; a persistent program that has
 * ended is an error of writing to it, not a SIGPIPE. */
void mk_stop_programs_on_signals(void);

#endif
