#include "sim/program/library/settings.h"

#include <string.h>

#include "sim/base/error.h"

int mk_settings_copy(void *to, size_t size, const void *from, const char *name, struct mk_error *err)
{
    const unsigned char *byte = from;
    size_t given;
    memcpy(&given, from, sizeof given);
    if (given < size)
        return mk_fail(err, MK_EINPUT, "size: expected sizeof(struct %s), which is %zu, got %zu", name, size, given);
    for (size_t i = size; i < given; i++)
        if (byte[i])
            return mk_fail(err, MK_EINPUT, "struct %s has a setting that this version of the library does not have",
                           name);
    memcpy(to, from, size);
    return MK_OK;
}
