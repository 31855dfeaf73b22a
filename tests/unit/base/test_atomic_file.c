/* A file is replaced at once and whole, or stays what it was; records are appended whole or not at all; folders are
 * made. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

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
    close(f.fd);
}

int main(void)
{
    scratch_make(&scratch);
    check_replace();
    check_planted_link();
    check_refusals();
    check_append();
    check_folders();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
