/* Files that are read into memory as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/search/records/importer.h"

int mk_import_whole(const char *path, char **out, size_t *length, struct mk_error *err)
{
    enum { CHUNK = 1 << 20 };
    gzFile from = gzopen(mk_readable_path(path), "rb");
    char *text = NULL;
    size_t n = 0, room = 0;
    int got = 1;
    if (!from)
        return errno ? mk_fail(err, MK_EINPUT, "%s: cannot be opened: %s", path, strerror(errno))
                     : mk_fail_memory(err, "the file");
    while (got > 0) {
        if (room - n < CHUNK + 1) {
            char *grown = realloc(text, room = 2 * room + CHUNK + 1);
            if (!grown) break;
            text = grown;
        }
        errno = 0;
        got = gzread(from, text + n, CHUNK);
        if (got > 0) n += (size_t)got;
    }
    const int why = errno;
    int state = Z_OK;
    gzerror(from, &state);
    gzclose(from);
    if (got == 0 && state == Z_BUF_ERROR) got = -1;
    if (got == 0) {
        text[n] = 0;
        *out = text;
        *length = n;
        return n ? MK_OK : (free(text), mk_fail(err, MK_EINPUT, "%s: empty file", path));
    }
    free(text);
    return got > 0 ? mk_fail_memory(err, path)
                   : mk_fail(err, why ? MK_EIO : MK_EINPUT, "%s: cannot be read: %s", path,
                             why ? strerror(why) : "damaged gzip data");
}
