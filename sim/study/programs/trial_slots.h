/* Trials running at the same time: a slot for every worker, each with a program for one trial, or a persistent program
 * that answers a line of JSON for a line of JSON:
 *
 *     {"trial": 17, "arm": "rbf", "seed": 5, "fidelity": 1, "directory": "…/17", "folder": "…/9", "config": {"C": 1.5}}
 *     {"value": 0.93}    or    {"error": "why"}
 *
 * Lines of its output that do not begin with a brace are ignored. With the key `pruning` it may report values while it
 * runs, and each report is answered before the next one:
 *
 *     {"trial": 17, "step": 9, "value": 0.87}
 *     {"trial": 17, "stop": false}
 *
 * A program for one trial prints lines `9 0.87` instead. The folder of a trial, FOLDER/NUMBER, has
 * config.json, the command, and what the program printed. */
#ifndef MAXK_SIM_STUDY_PROGRAMS_TRIAL_SLOTS_H
#define MAXK_SIM_STUDY_PROGRAMS_TRIAL_SLOTS_H

#include "sim/study/tune_state.h"

struct mk_trial_slots;
/* drop: the folder of a trial that succeeds is removed, unless its program has left files there. What a program leaves
 * behind that kills its guard is ended, too: all children of this process are taken for programs of trials. */
int mk_trial_slots_new(struct mk_trial_slots **out, const struct mk_tune *t, const char *folder, bool drop,
                       struct mk_error *err);

/* Trial `number` has reported a value: *stop = whether it has to end. */
typedef int mk_trial_report(void *to, size_t number, struct mk_report now, bool *stop, struct mk_error *err);

/* Reports of programs are taken by this function, which is called while mk_trial_slots_wait waits. The outcome of a
 * trial that had to end is MK_TRIAL_PRUNED, without a value. */
void mk_trial_slots_listen(struct mk_trial_slots *s, mk_trial_report *report, void *to);

/* Ends all programs, and waits for them. */
void mk_trial_slots_free(struct mk_trial_slots *s);

size_t mk_trial_slots_busy(const struct mk_trial_slots *s);
bool mk_trial_slots_has_room(const struct mk_trial_slots *s);

/* Starts trial `number`; there is room. A program that cannot be started is a failed trial. MK_EFAIL, MK_EIO: no
 * process or file could be made. */
int mk_trial_slots_start(struct mk_trial_slots *s, size_t number, const struct mk_trial *trial, struct mk_error *err);

/* Waits at most `seconds` for a trial to end: its number, SIZE_MAX: none has. */
int mk_trial_slots_wait(struct mk_trial_slots *s, double seconds, size_t *number, struct mk_trial_outcome *out,
                        struct mk_error *err);

#endif
