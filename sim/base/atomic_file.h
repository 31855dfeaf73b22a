/* Files that the end of the process at any moment leaves whole: one that is present is complete, since it is written
 * under a temporary name next to its place, synced, then renamed; a journal consists of whole records. */
#ifndef MAXK_SIM_BASE_ATOMIC_FILE_H
#define MAXK_SIM_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "sim/api/maxk/error.h"

/* Zero-filled: nothing to do. */
struct mk_atomic_file {
    char *path, *temp; /* temp = path.tmp.<pid>.<any>; NULL once committed or dropped */
};

/* MK_EINPUT `PATH: cannot be written: …` where PATH is empty, or something other than a regular file. */
int mk_atomic_file_check(const char *path, struct mk_error *err);

/* Syncs the folder of a file or folder, so that its name there is on the disk. MK_EIO. */
int mk_sync_place(const char *path, struct mk_error *err);

/* Removes temporary files for `path` of processes of this machine that are gone. mk_atomic_file_begin does so. */
void mk_atomic_file_collect(const char *path);

/* Syncs the file `from`, renames it to `to` and syncs the directory. */
int mk_move_synced(const char *from, const char *to, struct mk_error *err);

/* Creates the empty temporary file. MK_EINPUT `PATH: cannot be written: …` where that is impossible, or where PATH is
 * something other than a regular file. An earlier PATH is left unchanged until mk_atomic_file_commit. */
int mk_atomic_file_begin(struct mk_atomic_file *r, const char *path, struct mk_error *err);

/* Syncs the temporary file (closed by now), renames it to path and syncs the directory. */
int mk_atomic_file_commit(struct mk_atomic_file *r, struct mk_error *err);

/* Removes the temporary file unless committed; frees the names. */
void mk_atomic_file_drop(struct mk_atomic_file *r);

/* Begin, and open for writing text. */
int mk_atomic_file_open(struct mk_atomic_file *r, FILE **file, const char *path, struct mk_error *err);

/* Closes a file that was written to. MK_EIO: this, or earlier writing, failed. */
int mk_close_written(FILE *file, const char *path, struct mk_error *err);

/* Close *file, then commit when code is MK_OK, else drop. Returns the first error; where that is MK_EIO and writing to
 * *file failed, the path is put before its text. */
int mk_atomic_file_close(struct mk_atomic_file *r, FILE *file, int code, struct mk_error *err);

/* For files that belong together and are replaced one after another: gives the one at `path` a second name, under which
 * it can be restored until mk_atomic_file_drop. Without a file, or where there are no second names, nothing is kept. */
int mk_atomic_file_keep(struct mk_atomic_file *r, const char *path, struct mk_error *err);
void mk_atomic_file_restore(struct mk_atomic_file *r);

/* A file to which records are appended. One that is cut off is recognised when it is read. */
struct mk_append_file {
    char *path; /* for messages */
    int fd;
    off_t end;     /* of the whole records */
    bool dirty;    /* some of them may not be on the disk */
    double synced; /* when they last were */
    bool torn;     /* after `end` there may be more, which is dropped before anything else is written */
    bool unsure;   /* the last sync failed */
    off_t on_disk; /* how much of the file was there when it was last synced */
};

/* All three: MK_EIO `PATH: write failed: …`, and the file may be written to again. Appends a record, all of it or
 * nothing. */
int mk_append(struct mk_append_file *f, const void *record, size_t n, struct mk_error *err);

/* Drops what follows `end`: now or, after an error, before anything else is written. */
int mk_append_cut(struct mk_append_file *f, off_t end, struct mk_error *err);

/* Syncs it, for `seconds` > 0 only when there is something to sync and the last sync was as long ago. */
int mk_append_sync(struct mk_append_file *f, double seconds, struct mk_error *err);

/* Opens a file for reading and writing, which is created if it is missing, and locks it until it is closed; opens it
 * again if its last owner has removed it meanwhile. flags: further ones of open(2). Returns -1 with errno: EWOULDBLOCK
 * when it was another process's for `patience` seconds. Without file-system locks there is no protection from a second
 * process, but continuing does no harm. */
int mk_open_locked(const char *path, int flags, double patience);

/* Closes such a file. A forked process does not have it: there it is closed at once, and the lock stays its parent's.
 */
void mk_close_locked(int fd);

/* Creates a folder and its parents where they do not exist. MK_EINPUT where that is impossible. */
int mk_make_folder(const char *folder, struct mk_error *err);

/* Removes all that is in a folder; what links point to stays. MK_EINPUT where that is impossible. */
int mk_empty_folder(const char *folder, struct mk_error *err);

/* The same as mk_make_folder, and the names of those that are new are on the disk. */
int mk_make_folder_synced(const char *folder, struct mk_error *err);

/* Where a file of this name is or would be written: the end of symbolic links; malloc'ed, NULL: no memory. */
char *mk_follow_links(const char *path);

/* ---- what a signal that ends the process would leave behind: files and empty folders ---- */

/* Notes a path, which must stay where it is in memory until it is forgotten; this file does so with its own. Of more
 * than a few dozen at a time the further ones are not noted. */
void mk_leftover_note(const char *path);

/* `path`: the same pointer; one that was not noted, or NULL, does nothing. */
void mk_leftover_forget(const char *path);

/* Removes what is noted, files before folders; safe in a signal handler. */
void mk_leftover_remove(void);

#endif
