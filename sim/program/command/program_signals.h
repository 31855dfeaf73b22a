/* How commands end early. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_PROGRAM_SIGNALS_H
#define MAXK_SIM_PROGRAM_COMMAND_PROGRAM_SIGNALS_H

/* SIGINT, SIGTERM and SIGHUP, unless they are ignored, remove temporary files and end the process as they do without a
 * handler: for all commands that say nothing else. */
void mk_end_on_signals(void);

/* For commands that keep what is finished: SIGINT and SIGTERM stop the run (mk_run_stop), which says what is kept. If
 * it does not see the request within two seconds, since a single step takes longer, or when asked again after one, the
 * process ends as mk_end_on_signals says; journals lose nothing then. */
void mk_stop_on_signals(void);

/* The same for commands that run programs, which the stopped run then ends; SIGHUP too, unless nohup ignores it, and a
 * persistent program that has ended is an error of writing to it, not a SIGPIPE. */
void mk_stop_programs_on_signals(void);

#endif
