#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "sim/base/text.h"

const struct fuzz_target fuzz_targets[FUZZ_TARGETS] = {
    {"experiment", 20, NULL, fuzz_experiment},
    {"csv", 2, NULL, fuzz_csv},
    {"claim", 20, NULL, fuzz_claim},
    {"result", 1, fuzz_result_start, fuzz_result},
    {"journal", 1, fuzz_journal_start, fuzz_journal},
    {"tune", 20, NULL, fuzz_tune},
    {"metric", 5, NULL, fuzz_metric},
    {"answer", 20, NULL, fuzz_answer},
    {"tune_journal", 5, fuzz_tune_journal_start, fuzz_tune_journal},
};

const struct fuzz_target *fuzz_find(const char *name)
{
    for (size_t i = 0; i < FUZZ_TARGETS; i++)
        if (strcmp(fuzz_targets[i].name, name) == 0) return &fuzz_targets[i];
    return NULL;
}

const char *fuzz_file(const void *data, size_t n)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
        FUZZ_MUST(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_MUST(ftruncate(fd, 0) == 0 && pwrite(fd, data, n, 0) == (ssize_t)n);
    return path;
}

int fuzz_outcome(int code, const struct mk_error *err)
{
    if (code == MK_OK) return 1;
    if (code != MK_EINPUT) fprintf(stderr, "code %d: %s\n", code, err->text);
    FUZZ_MUST(code == MK_EINPUT);
    FUZZ_MUST(err->text[0] && memchr(err->text, 0, sizeof err->text));
    if (!mk_text_printable(err->text, strlen(err->text))) fprintf(stderr, "message: %s\n", err->text);
    FUZZ_MUST(mk_text_printable(err->text, strlen(err->text)));
    return 0;
}

/* ---- a folder of real files ---- */

/* HDF5 makes a buffer of 1 MB for every conversion and gives it back, since it keeps no more; filling new pages took
 * half of the time of an input that writes a result. */
static void keep_buffers(void)
{
    FUZZ_MUST(H5set_free_list_limits(-1, -1, -1, -1, -1, -1) >= 0);
}

static char folder[64];
static pid_t owner; /* of the folder: children that end leave it to others */

static void remove_tree(const char *path)
{
    char inside[400];
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (unlink(inside)) remove_tree(inside);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

static void clean(void)
{
    if (getpid() == owner) remove_tree(folder);
}

const char *fuzz_folder(void)
{
    const char *in = getenv("MAXK_FUZZ_FOLDER");
    if (!in) in = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(folder, sizeof folder, "%.30s/maxk-fuzz-XXXXXX", in);
    FUZZ_MUST(mkdtemp(folder));
    owner = getpid();
    atexit(clean);
    keep_buffers();
    return folder;
}

void fuzz_write(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    FUZZ_MUST(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

unsigned char *fuzz_read(const char *path, size_t *n)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    FUZZ_MUST(f && stat(path, &st) == 0);
    *n = (size_t)st.st_size;
    unsigned char *bytes = malloc(*n + !*n);
    FUZZ_MUST(bytes && fread(bytes, 1, *n, f) == *n);
    fclose(f);
    return bytes;
}

int fuzz_command(int (*run)(int argc, char **argv, struct mk_error *err), const char *const *argument)
{
    char *argv[16];
    int argc = 0;
    struct mk_error err = {0, ""};
    for (; argument[argc]; argc++) argv[argc] = (char *)argument[argc];
    argv[argc] = NULL;
    return fuzz_outcome(run(argc, argv, &err), &err);
}
