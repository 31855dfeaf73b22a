#include "sim/base/input_path.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.h"

enum { HEAD = 4096 };

bool mk_is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *mk_readable_path(const char *path)
{
    return mk_is_standard_input(path) ? "/dev/stdin" : path;
}

/* Everything from a descriptor; 0, or -1 with errno. */
static int copy_to(FILE *to, int from)
{
    char room[1 << 16];
    for (;;) {
        ssize_t got = read(from, room, sizeof room);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return (int)got;
        if (fwrite(room, 1, (size_t)got, to) != (size_t)got) return -1;
    }
}

/* The descriptor that a path means: of standard input, or /dev/fd/N, as a shell writes for <(…); -1: none. */
static int descriptor_of(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (mk_is_standard_input(path) || strcmp(path, "/dev/stdin") == 0) return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        const size_t n = strlen(folder[i]), length = strlen(path), digits = length > n ? length - n : 0;
        if (strncmp(path, folder[i], n) == 0 && digits && digits < 6 && strspn(path + n, "0123456789") == digits)
            return (int)strtol(path + n, NULL, 10);
    }
    return -1;
}

int mk_standard_input_keep(const char *path, struct mk_error *err)
{
    struct stat s;
    const int at = descriptor_of(path);
    if (at < 0 || (fstat(at, &s) == 0 && S_ISREG(s.st_mode))) return MK_OK;
    FILE *copy = tmpfile();
    bool good = copy && copy_to(copy, at) == 0 && fflush(copy) == 0 && dup2(fileno(copy), at) == at;
    int code = good ? MK_OK
                    : mk_fail(err, MK_EIO, "%s: cannot be kept: %s", at == STDIN_FILENO ? "standard input" : path,
                              strerror(errno));
    if (copy) fclose(copy);
    return code;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* The first bytes of a file, ended by a 0; their number. */
static size_t read_head(const char *path, char head[HEAD])
{
    FILE *from = fopen(mk_readable_path(path), "rb");
    size_t n = from ? fread(head, 1, HEAD - 1, from) : 0;
    if (from) fclose(from);
    head[n] = 0;
    return n;
}

static bool begins(const char *head, size_t n, const char *signature)
{
    const size_t m = strlen(signature);
    return n >= m && memcmp(head, signature, m) == 0;
}

bool mk_input_is_yaml(const char *path)
{
    return ends_with(path, ".yaml") || ends_with(path, ".yml");
}

/* A line of column names has a separator, which lines of YAML rarely have, and no key. */
static bool looks_like_header(const char *line)
{
    const char *end = line + strcspn(line, "\r\n"), *separator = strpbrk(line, ",;\t"), *key = strstr(line, ": ");
    if (!separator || separator > end || strchr("#{[-%&", *line)) return false;
    return !(key && key < end) && end[-1] != ':';
}

bool mk_input_is_csv(const char *path)
{
    static const char *const suffix[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
    char head[HEAD];
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
        if (ends_with(path, suffix[i])) return true;
    if (mk_input_is_yaml(path) || mk_input_is_result(path)) return false;
    size_t n = read_head(path, head);
    const size_t skipped = begins(head, n, "\xef\xbb\xbf") ? 3 : 0;
    return begins(head, n, "\x1f\x8b") || (n && looks_like_header(head + skipped));
}

bool mk_input_is_result(const char *path)
{
    char head[HEAD];
    return begins(head, read_head(path, head), "\x89HDF\r\n\x1a\n") || ends_with(path, ".h5");
}

/* Takes the last component off a path; what is left ends there. Returns the component, NULL: there is none. */
static const char *take_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    *slash = '\0';
    return slash + 1;
}

bool mk_own_file(char out[MK_PATH_ROOM])
{
    static const char mark;
    Dl_info info;
    const char *name = dladdr(&mark, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (name && strncmp(name, "/libmaxk", sizeof "/libmaxk" - 1) == 0)
        return snprintf(out, MK_PATH_ROOM, "%s", info.dli_fname) < MK_PATH_ROOM;
    ssize_t n = readlink("/proc/self/exe", out, MK_PATH_ROOM - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool mk_installed_path(char out[MK_PATH_ROOM], const char *path)
{
    if (!mk_own_file(out) || !take_last(out)) return false;
    for (int level = 0; level < 2; level++) {
        const char *folder = take_last(out);
        if (!folder) return false;
        if (strcmp(folder, "lib") != 0 && (level || strcmp(folder, "bin") != 0)) continue;
        size_t n = strlen(out);
        return snprintf(out + n, MK_PATH_ROOM - n, "/%s", path) < (int)(MK_PATH_ROOM - n) && access(out, R_OK) == 0;
    }
    return false;
}

bool mk_installed_experiment(char out[MK_PATH_ROOM], const char *path)
{
    char below[MK_PATH_ROOM];
    if (strncmp(path, "experiments/", sizeof "experiments/" - 1) != 0 || access(path, F_OK) == 0) return false;
    return snprintf(below, sizeof below, "share/maxk/%s", path) < (int)sizeof below && mk_installed_path(out, below);
}

int mk_open_regular(const char *path, size_t max, size_t *size, const char **why)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    *why = fd < 0 || fstat(fd, &st)   ? strerror(errno)
           : !S_ISREG(st.st_mode)     ? "not a regular file"
           : (size_t)st.st_size > max ? "too large"
                                      : NULL;
    if (!*why) {
        *size = (size_t)st.st_size;
        return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}
