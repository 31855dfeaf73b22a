/* The journal of a tuning run: one line for every trial asked and every result, in the order in which the run saw them,
 * each with a checksum. It is written before the next question, so that no end of the process loses a result, and
 * synced at most 0.3 s later, so that a power cut loses no more. A run is resumed by repeating what is in it. A line
 * that the end of the process has cut off is dropped.
 *
 *     maxk tune 1
 *     = line of the resolved tune file …
 *     add 0 VALUE DIGEST {configuration}
 *     first ARM DIGEST {configuration}
 *     ask ARM DIGEST {configuration}
 *     report TRIAL STEP VALUE STOP
 *     metrics VALUE …
 *     end TRIAL STATUS VALUE SECONDS ELAPSED WHY
 *     again INDEX TRIAL STATUS VALUE SECONDS ELAPSED WHY
 *     done
 *
 * each followed by a blank and a CRC-32 in hexadecimal digits; trials count from 1, re-evaluations of a trial (again)
 * from 0. Further metrics are on a line before that of their trial. STOP: 1 if the rule of `pruning` ended the trial.
 */
#ifndef MAXK_SIM_STUDY_TUNE_JOURNAL_H
#define MAXK_SIM_STUDY_TUNE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/atomic_file.h"
#include "sim/study/tune_state.h"

/* One line after the head, as read. */
enum mk_tune_event_kind { MK_EVENT_ADD, MK_EVENT_FIRST, MK_EVENT_ASK, MK_EVENT_REPORT, MK_EVENT_END, MK_EVENT_AGAIN };
struct mk_tune_event {
    enum mk_tune_event_kind kind;
    size_t line;                     /* from 1 */
    off_t end;                       /* of its line in the file */
    size_t arm;                      /* ADD, FIRST, ASK */
    uint64_t digest;                 /* ADD, FIRST, ASK */
    char *configuration;             /* ADD, FIRST, ASK: owned, YAML; of ASK NULL: it is not there */
    size_t trial;                    /* REPORT, END, AGAIN: from 0 */
    struct mk_report report;         /* REPORT */
    bool stop;                       /* REPORT: the trial was to end with it */
    size_t index;                    /* AGAIN */
    double elapsed;                  /* END, AGAIN: seconds of the run until then, over all its sessions */
    struct mk_trial_outcome outcome; /* of ADD the value and metrics */
};

/* To be read; changed by the functions below alone. */
struct mk_tune_journal {
    struct mk_append_file file;
    bool is_file;                 /* not in memory */
    off_t head;                   /* end of the tune file in it */
    char *resolved;               /* the tune file that it is of; NULL: it is empty */
    size_t n, results;            /* events found when it was last read, the results among them */
    struct mk_tune_event *event;  /* [n] */
    size_t successes;             /* of the results, those of this session too */
    bool complete;                /* it ends with the run's end */
    size_t damaged;               /* the first line that is damaged, from 1; 0: none */
    char *aside;                  /* where the damaged journal is kept; NULL: it was not repaired */
    struct mk_trial_outcome next; /* metrics of the next event while lines are read */
};

/* READ: MK_EINPUT when it is damaged. RESTART: the caller will restart it, and what it holds, damaged or not, is not
 * read. REPAIR: a damaged one ends before its first damaged line; as it was it is kept as PATH.damaged, .damaged.2, ….
 */
enum mk_tune_journal_way { MK_JOURNAL_READ, MK_JOURNAL_RESTART, MK_JOURNAL_REPAIR };

/* Opens `path`, which is created; what it holds is read. MK_EINPUT when it is no journal. path NULL: an empty journal
 * in memory, "the study" in messages. */
int mk_tune_journal_open(struct mk_tune_journal **out, const char *path, enum mk_tune_journal_way way,
                         struct mk_error *err);
void mk_tune_journal_free(struct mk_tune_journal *j);

/* Event i cannot be: that is damage, too, of which the message says `what`. MK_EINPUT. */
int mk_tune_journal_impossible(struct mk_tune_journal *j, size_t i, const char *what, struct mk_error *err);

/* Ends the journal before the event that was found to be impossible, as REPAIR does. */
int mk_tune_journal_repair(struct mk_tune_journal *j, struct mk_error *err);

/* Reads again what it holds, with the lines of this session. */
int mk_tune_journal_reread(struct mk_tune_journal *j, struct mk_error *err);

/* Drops everything and begins with this tune file. */
int mk_tune_journal_restart(struct mk_tune_journal *j, const char *resolved, struct mk_error *err);

/* After an error of these there is nothing of the line, the journal is as before, and it may be tried again. */
int mk_tune_journal_add(struct mk_tune_journal *j, const struct mk_trial *t, struct mk_error *err);
int mk_tune_journal_first(struct mk_tune_journal *j, const struct mk_space *space, size_t arm, const double *v,
                          struct mk_error *err);
int mk_tune_journal_ask(struct mk_tune_journal *j, const struct mk_trial *t, struct mk_error *err);
int mk_tune_journal_report(struct mk_tune_journal *j, size_t trial, struct mk_report now, bool stop,
                           struct mk_error *err);
int mk_tune_journal_end(struct mk_tune_journal *j, size_t trial, const struct mk_trial_outcome *o, double elapsed,
                        struct mk_error *err);

/* The end of a re-evaluation. */
int mk_tune_journal_again(struct mk_tune_journal *j, size_t trial, size_t index, const struct mk_trial_outcome *o,
                          double elapsed, struct mk_error *err);

/* Drops what was appended after the journal ended at file.end = `end`: now or before the next line. */
void mk_tune_journal_undo(struct mk_tune_journal *j, off_t end);

/* Syncs what is due; to be called while waiting. */
int mk_tune_journal_sync(struct mk_tune_journal *j, struct mk_error *err);

/* The run's end, synced. */
int mk_tune_journal_done(struct mk_tune_journal *j, struct mk_error *err);

#endif
