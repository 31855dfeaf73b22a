/* JSON of other tools, which may hold NaN and Infinity as Python writes them. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/input_path.h"
#include "sim/base/text.h"
#include "sim/import/importer.h"

int mk_import_json_text(const char *path, size_t line, const char *text, size_t length, json_object **out,
                        struct mk_error *err)
{
    struct json_tokener *tokener = length < INT_MAX ? json_tokener_new() : NULL;
    *out = NULL;
    if (!tokener) return mk_fail_memory(err, "the JSON");
    json_tokener_set_flags(tokener, JSON_TOKENER_VALIDATE_UTF8);
    *out = json_tokener_parse_ex(tokener, text, (int)length);
    const enum json_tokener_error state = json_tokener_get_error(tokener);
    const size_t end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    const size_t rest = end <= length ? strspn(text + end, " \t\r\n") : 0;
    if (*out && state == json_tokener_success && end + rest >= length) return MK_OK;
    json_object_put(*out);
    *out = NULL;
    struct mk_where where = {path, line ? line : 1, 1};
    for (size_t i = 0; i < end && i < length; i++) {
        where.column++;
        if (text[i] == '\n') where.line++, where.column = 1;
    }
    return mk_fail_at(err, where, NULL, "not JSON: %s",
                      state == json_tokener_continue  ? "it ends too early"
                      : state == json_tokener_success ? "text after its end"
                                                      : json_tokener_error_desc(state));
}

int mk_import_json(const char *path, json_object **out, struct mk_error *err)
{
    FILE *from = fopen(mk_readable_path(path), "rb");
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    if (!from) return mk_fail(err, MK_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    errno = 0;
    const ssize_t got = getdelim(&text, &length, 0, from);
    const int why = errno, failed = ferror(from);
    fclose(from);
    int code = MK_OK;
    if (got < 0)
        code = why == ENOMEM ? mk_fail_memory(err, path)
               : failed      ? mk_fail(err, MK_EIO, "%s: cannot be read: %s", path, strerror(why))
                             : mk_fail(err, MK_EINPUT, "%s: empty file", path);
    else
        code = mk_import_json_text(path, 0, text, (size_t)got, out, err);
    free(text);
    return code;
}

double mk_import_real(json_object *x)
{
    return json_object_is_type(x, json_type_double) || json_object_is_type(x, json_type_int) ? json_object_get_double(x)
                                                                                             : NAN;
}

json_object *mk_import_member(json_object *x, const char *name)
{
    json_object *found = NULL;
    return json_object_is_type(x, json_type_object) && json_object_object_get_ex(x, name, &found) ? found : NULL;
}

json_object *mk_import_item(json_object *x, size_t i)
{
    return json_object_is_type(x, json_type_array) && i < json_object_array_length(x) ? json_object_array_get_idx(x, i)
                                                                                      : NULL;
}
