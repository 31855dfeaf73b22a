/* The outcome of the evaluation of a configuration. */
#ifndef MAXK_SIM_SEARCH_SPACE_TRIAL_STATUS_H
#define MAXK_SIM_SEARCH_SPACE_TRIAL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* INFEASIBLE: it has a value, and violates a constraint. PRUNED: it was ended early, with the value that it had. */
enum mk_trial_status {
    MK_TRIAL_OK,
    MK_TRIAL_CRASHED,
    MK_TRIAL_TIMED_OUT,
    MK_TRIAL_INFEASIBLE,
    MK_TRIAL_PRUNED,
    MK_TRIAL_STATUSES
};

static inline bool mk_trial_failed(enum mk_trial_status status)
{
    return status == MK_TRIAL_CRASHED || status == MK_TRIAL_TIMED_OUT;
}

/* The words of files. Files of other programs have others for what failed, which are read as failed. */
static const char *const mk_trial_status_word[] = {"ok", "failed", "timed out", "infeasible", "pruned"};

static inline enum mk_trial_status mk_trial_status_of(const char *text, size_t length)
{
    for (enum mk_trial_status s = MK_TRIAL_OK; s < MK_TRIAL_STATUSES; s++)
        if (strlen(mk_trial_status_word[s]) == length && memcmp(mk_trial_status_word[s], text, length) == 0) return s;
    return MK_TRIAL_CRASHED;
}

#endif
