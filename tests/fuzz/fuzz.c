#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/text.h"

const struct fuzz_target fuzz_targets[FUZZ_TARGETS] = {
    {"experiment", NULL, fuzz_experiment},
    {"csv", NULL, fuzz_csv},
    {"claim", NULL, fuzz_claim},
    {"result", fuzz_result_start, fuzz_result},
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
