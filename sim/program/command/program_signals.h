/* How commands end early. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_PROGRAM_SIGNALS_H
#define MAXK_SIM_PROGRAM_COMMAND_PROGRAM_SIGNALS_H

/* In a handler: removes temporary files and ends the process as the signal does without a handler. */
void mk_end_by_signal(int number);

/* SIGINT, SIGTERM and SIGHUP, unless they are ignored, do that: for all commands that say nothing else. */
void mk_end_on_signals(void);

/* For commands that run programs: SIGINT, SIGTERM and, unless nohup ignores it, SIGHUP stop the run (mk_run_stop),
 * which then ends its programs; a persistent program that has ended is an error of writing to it, not a SIGPIPE. */
void mk_stop_programs_on_signals(void);

#endif
