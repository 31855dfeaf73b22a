/* One tuner at a time for a folder of trials: a lock on the file FOLDER.lock beside it, since the folder itself is
 * moved when a complete run makes way for another. It is held until it is given back or the process ends. */
#ifndef MAXK_SIM_STUDY_FOLDER_LOCK_H
#define MAXK_SIM_STUDY_FOLDER_LOCK_H

#include "sim/api/maxk/error.h"

struct mk_folder_lock {
    int fd; /* -1: none */
    char *path;
};

/* MK_EINPUT: another process has the lock, or the file cannot be made. *lock is to be given to mk_folder_unlock in
 * either case. */
int mk_folder_lock(struct mk_folder_lock *lock, const char *folder, struct mk_error *err);
void mk_folder_unlock(struct mk_folder_lock *lock);

#endif
