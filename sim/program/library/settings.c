#include "sim/program/library/settings.h"

#include <string.h>

#include "sim/base/error.h"

int mk_settings_copy(void *to, size_t size, size_t first, const void *from, const char *name, struct mk_error *err)
{
    const unsigned char *byte = from;
    size_t given;
    memcpy(&given, from, sizeof given);
    if (given < first)
        return mk_fail(err, MK_EINPUT, "size: expected sizeof(struct %s), which is %zu, got %zu", name, size, given);
    for (size_t i = size; i < given; i++)
        if (byte[i])
            return mk_fail(err, MK_EINPUT, "struct %s has a setting that this version of the library does not have",
                           name);
    memset(to, 0, size);
    memcpy(to, from, given < size ? given : size);
    return MK_OK;
}
