/* A file is replaced at once and whole, or stays what it was; records are appended whole or not at all; folders are
 * made. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sim/base/atomic_file.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"
#include "tests/support/synced.h"

static struct scratch scratch;

static const char *at(const char *name, char out[256])
{
    snprintf(out, 256, "%s/%s", scratch.dir, name);
    return out;
}

static bool holds(const char *path, const char *want)
{
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    return file && n == strlen(want) && strcmp(text, want) == 0;
}

/* Files in the folder whose names begin so. */
static int count(const char *prefix)
{
    int n = 0;
    DIR *dir = opendir(scratch.dir);
    for (struct dirent *entry; dir && (entry = readdir(dir));) n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    if (dir) closedir(dir);
    return n;
}

static void check_replace(void)
{
    struct mk_error err = {0, ""};
    struct mk_atomic_file r = {0};
    FILE *file = NULL;
    char path[256];
    at("kept", path);
    scratch_write(&scratch, "kept", "old", 3);
    int code = mk_atomic_file_open(&r, &file, path, &err);
    if (!code) fputs("new", file);
    CHECK(!code && holds(path, "old") && count("kept.tmp.") == 1, "the old file stays while the new one is written %s",
          err.text);
    synced.n = 0;
    code = mk_atomic_file_close(&r, file, code, &err);
    CHECK(!code && holds(path, "new") && count("kept.tmp.") == 0, "then the new one is in its place, alone");
    CHECK(synced.n == 2 && synced_is(0, path) && synced_is(1, scratch.dir), "on the disk, and so is its name");
    char moved[256];
    synced.n = 0;
    CHECK(!mk_move_synced(path, at("moved", moved), &err) && holds(moved, "new") && count("kept") == 0 &&
              synced.n == 2 && synced_is(0, moved) && synced_is(1, scratch.dir),
          "a file that is moved, too %s", err.text);
    REQUIRE(rename(moved, path) == 0, "back");

    code = mk_atomic_file_open(&r, &file, path, &err);
    if (!code) fputs("half", file);
    code = mk_atomic_file_close(&r, code ? NULL : file, MK_EIO, &err);
    CHECK(code == MK_EIO && holds(path, "new") && count("kept.tmp.") == 0,
          "after an error the earlier file stays and the temporary one goes");

    code = mk_atomic_file_begin(&r, path, &err);
    mk_atomic_file_drop(&r);
    CHECK(!code && holds(path, "new") && count("kept") == 1, "dropped: nothing has changed");
    mk_atomic_file_drop(&r);
    CHECK(count("kept") == 1, "dropping nothing does nothing");
}

/* Links planted under the names that earlier versions used are not followed. */
static void check_planted_link(void)
{
    struct mk_atomic_file r;
    struct mk_error err = {0, ""};
    char path[300], link[400], victim[300];
    at("linked", path);
    scratch_write(&scratch, "victim", "precious", 8);
    at("victim", victim);
    snprintf(link, sizeof link, "%s.tmp.%ld", path, (long)getpid());
    REQUIRE(symlink(victim, link) == 0, "a link");
    int code = mk_atomic_file_begin(&r, path, &err);
    struct stat status;
    CHECK(!code && lstat(r.temp, &status) == 0 && S_ISREG(status.st_mode) && holds(victim, "precious"),
          "a planted link is not followed %s", err.text);
    mk_atomic_file_drop(&r);
    unlink(link);
}

/* Begins to write a file and is killed, or lives until it is to end; its pid. */
static pid_t write_and_stay(const char *path, bool lives, int *release)
{
    int begun[2], ends[2];
    char byte = 0;
    REQUIRE(pipe(begun) == 0 && pipe(ends) == 0, "pipes");
    const pid_t pid = fork();
    REQUIRE(pid >= 0, "a process");
    if (pid == 0) {
        struct mk_atomic_file r;
        struct mk_error err;
        const bool good = mk_atomic_file_begin(&r, path, &err) == 0;
        close(ends[1]);
        if (good && write(begun[1], &byte, 1) == 1 && lives && read(ends[0], &byte, 1)) abort();
        raise(SIGKILL);
    }
    close(begun[1]);
    close(ends[0]);
    REQUIRE(read(begun[0], &byte, 1) == 1, "it has begun");
    close(begun[0]);
    *release = ends[1];
    if (!lives) waitpid(pid, NULL, 0);
    return pid;
}

/* What processes that were killed have left is removed by the next one, and nothing else. */
static void check_leftovers(void)
{
    struct mk_atomic_file r;
    struct mk_error err = {0, ""};
    char path[256], name[300];
    int release[2];
    at("left", path);
    const pid_t alive = write_and_stay(path, true, &release[0]);
    CHECK(count("left.tmp.") == 1, "one is being written");
    write_and_stay(path, false, &release[1]);
    CHECK(count("left.tmp.") == 2, "one was left, the other is kept");
    write_and_stay(at("left2", name), false, &release[1]);
    int code = mk_atomic_file_begin(&r, path, &err);
    REQUIRE(!code, "%s", err.text);
    snprintf(name, sizeof name, "left.tmp.%ld.", (long)alive);
    CHECK(count("left.tmp.") == 2 && count(name) == 1, "one that is written is kept, what was left is not");
    CHECK(count("left2.tmp.") == 1, "nor are those of other files");
    const char *digits = strrchr(r.temp, '.') + 1; /* those of another machine */
    char other[400];
    snprintf(other, sizeof other, "%s.tmp.999999999.%c%s", path, *digits == '0' ? '1' : '0', digits + 1);
    close(open(other, O_CREAT | O_WRONLY, 0600));
    snprintf(name, sizeof name, "%s.tmp.999999999.%s", path, digits);
    close(open(name, O_CREAT | O_WRONLY, 0600));
    snprintf(name, sizeof name, "%s.tmp.999999999.%s.csv", path, digits);
    close(open(name, O_CREAT | O_WRONLY, 0600));
    mk_atomic_file_collect(path);
    CHECK(access(other, F_OK) == 0, "a process of another machine may have this number");
    CHECK(access(name, F_OK) == 0 && count("left.tmp.999999999") == 2, "only temporary names count");
    mk_atomic_file_drop(&r);
    close(release[0]);
    waitpid(alive, NULL, 0);
    mk_atomic_file_collect(path);
    CHECK(count("left.tmp.") == 2, "then it is one that was left");
    unlink(other);
    unlink(name);
}

/* Of files that belong together the earlier ones are given back. */
static void check_restore(void)
{
    struct mk_atomic_file kept, r;
    struct mk_error err = {0, ""};
    FILE *file;
    char path[256];
    at("both", path);
    scratch_write(&scratch, "both", "old", 3);
    for (int given_back = 0; given_back < 2; given_back++) {
        int code = mk_atomic_file_keep(&kept, path, &err);
        if (!code) code = mk_atomic_file_open(&r, &file, path, &err);
        if (!code) fputs(given_back ? "newer" : "new", file);
        if (!code) code = mk_atomic_file_close(&r, file, code, &err);
        REQUIRE(!code && holds(path, given_back ? "newer" : "new"), "%s", err.text);
        if (given_back) mk_atomic_file_restore(&kept);
        mk_atomic_file_drop(&kept);
        CHECK(holds(path, "new") && count("both") == 1, "%s", given_back ? "it is there again" : "it is replaced");
    }
    CHECK(!mk_atomic_file_keep(&kept, path, &err), "%s", err.text);
    mk_atomic_file_restore(&kept);
    mk_atomic_file_drop(&kept);
    CHECK(holds(path, "new") && count("both") == 1, "a file that was not replaced");
    CHECK(!mk_atomic_file_keep(&kept, at("neither", path), &err), "%s", err.text);
    mk_atomic_file_restore(&kept);
    mk_atomic_file_drop(&kept);
    CHECK(count("neither") == 0, "without a file nothing is kept");
}

static void refuse(const char *path, const char *what)
{
    struct mk_error err = {0, ""};
    struct mk_atomic_file r = {0};
    int code = mk_atomic_file_check(path, &err), begun = mk_atomic_file_begin(&r, path, &err);
    mk_atomic_file_drop(&r);
    CHECK(code == MK_EINPUT && begun == MK_EINPUT && strncmp(err.text, path, strlen(path)) == 0 &&
              strstr(err.text, "cannot be written"),
          "%s is refused: %s", what, err.text);
}

static void check_refusals(void)
{
    char path[256];
    struct mk_error err = {0, ""};
    struct mk_atomic_file r = {0};
    refuse(scratch.dir, "a folder");
    refuse("", "an empty path");
    refuse("/dev/full", "a device");
    CHECK(mk_atomic_file_begin(&r, at("none/file", path), &err) == MK_EINPUT, "a file in no folder is refused: %s",
          err.text);
    mk_atomic_file_drop(&r);
}

static void check_folders(void)
{
    struct mk_error err = {0, ""};
    struct stat status;
    char path[256], above[256];
    scratch_write(&scratch, "plain", "x", 1);
    int code = mk_make_folder(at("a/b/c", path), &err);
    CHECK(!code && stat(path, &status) == 0 && S_ISDIR(status.st_mode), "folders above are made too %s", err.text);
    CHECK(mk_make_folder(path, &err) == MK_OK, "a folder that exists is left alone");
    CHECK(mk_make_folder(at("plain", path), &err) == MK_EINPUT &&
              mk_make_folder(at("plain/b", path), &err) == MK_EINPUT,
          "a file in the way is refused: %s", err.text);
    synced.n = 0;
    CHECK(!mk_make_folder(at("s", path), &err) && synced.n == 0, "nothing is synced");
    rmdir(path);
    char outer[256];
    at("s", outer);
    CHECK(!mk_make_folder_synced(at("s/t", path), &err) && synced.n == 2 && synced_is(0, scratch.dir) &&
              synced_is(1, outer),
          "or the names of both folders: %zu syncs", synced.n);
    synced.n = 0;
    CHECK(!mk_make_folder_synced(path, &err) && synced.n == 0, "once");
    rmdir(path);
    rmdir(outer);
    synced.fsync_fails = true;
    CHECK(mk_make_folder_synced(outer, &err) == MK_EIO && strstr(err.text, "write failed"), "%s", err.text);
    rmdir(outer);
    rmdir(at("a/b/c", above));
    rmdir(at("a/b", above));
    rmdir(at("a", above));
}

static void check_append(void)
{
    struct mk_error err = {0, ""};
    char path[256];
    struct mk_append_file f = {.path = path, .fd = open(at("journal", path), O_RDWR | O_CREAT, 0600)};
    struct rlimit before, small;
    REQUIRE(f.fd >= 0 && getrlimit(RLIMIT_FSIZE, &before) == 0, "a file");
    CHECK(!mk_append(&f, "one ", 4, &err) && !mk_append(&f, "two ", 4, &err) && f.end == 8 && holds(path, "one two "),
          "records one after another %s", err.text);
    synced.n = 0;
    CHECK(!mk_append_sync(&f, 1e9, &err) && synced.n == 0, "not synced before it is time");
    CHECK(!mk_append_sync(&f, 1e-9, &err) && synced.n == 1 && synced_is(0, path), "but after that");
    CHECK(!mk_append_sync(&f, 1e-9, &err) && synced.n == 1, "once");
    CHECK(!mk_append_sync(&f, 0, &err) && synced.n == 2, "or at once");

    small = before;
    small.rlim_cur = 10; /* the disk is full after half a record */
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0, "a limit");
    CHECK(mk_append(&f, "four ", 5, &err) == MK_EIO && strstr(err.text, "write failed") && f.end == 8 &&
              holds(path, "one two "),
          "nothing of a record that is too large: %s", err.text);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0, "no limit");
    CHECK(!mk_append(&f, "5 ", 2, &err) && holds(path, "one two 5 "), "the next one is appended to what was whole");
    CHECK(!mk_append_cut(&f, 4, &err) && !mk_append(&f, "6 ", 2, &err) && holds(path, "one 6 "),
          "what follows is dropped");

    synced.pwrite_fails = synced.ftruncate_fails = true; /* half a record stays */
    CHECK(mk_append(&f, "half a record ", 14, &err) == MK_EIO && holds(path, "one 6 half a "), "%s", err.text);
    synced.ftruncate_fails = true;
    CHECK(mk_append(&f, "7 ", 2, &err) == MK_EIO && f.end == 6, "nothing is written as long as it is there");
    CHECK(!mk_append(&f, "7 ", 2, &err) && holds(path, "one 6 7 "), "then it goes first %s", err.text);
    synced.ftruncate_fails = true;
    CHECK(mk_append_cut(&f, 6, &err) == MK_EIO && holds(path, "one 6 7 ") && !mk_append_sync(&f, 1e-9, &err) &&
              holds(path, "one 6 "),
          "and before a sync");

    CHECK(!mk_append(&f, "8 ", 2, &err) && !mk_append_sync(&f, 0, &err), "%s", err.text);
    REQUIRE(!mk_append(&f, "9 ", 2, &err), "%s", err.text);
    synced.fsync_fails = true;
    CHECK(mk_append_sync(&f, 0, &err) == MK_EIO && f.dirty, "a sync fails: %s", err.text);
    synced.n = synced.written = 0;
    CHECK(!mk_append_sync(&f, 1e-9, &err) && synced.n == 1 && synced.written == 2 && holds(path, "one 6 8 9 "),
          "what it was to sync is written again, %zu bytes", synced.written);
    synced.written = 0;
    CHECK(!mk_append_sync(&f, 0, &err) && synced.written == 0, "once");
    REQUIRE(!mk_append_cut(&f, 2, &err), "%s", err.text);
    synced.fsync_fails = true;
    CHECK(mk_append_sync(&f, 0, &err) == MK_EIO, "after a cut: %s", err.text);
    synced.written = 0;
    CHECK(!mk_append(&f, "x ", 2, &err) && !mk_append_sync(&f, 0, &err) && synced.written == 4 && holds(path, "onx "),
          "as what came after it, %zu bytes", synced.written);
    close(f.fd);
}

int main(void)
{
    scratch_make(&scratch);
    check_replace();
    check_planted_link();
    check_leftovers();
    check_restore();
    check_refusals();
    check_append();
    check_folders();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
