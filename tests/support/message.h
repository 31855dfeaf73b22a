/* What a test may ask of an error message: its place, exactly, and one stable word. Whole messages are compared with
 * tests/reference/messages.txt alone. */
#ifndef MAXK_TESTS_SUPPORT_MESSAGE_H
#define MAXK_TESTS_SUPPORT_MESSAGE_H

#include <stdbool.h>
#include <string.h>

/* want: "PLACE~WORD": the text begins with PLACE, and WORD follows somewhere. Without `~`: it begins with `want`. */
static inline bool message_says(const char *text, const char *want)
{
    const char *mark = strchr(want, '~');
    size_t place = mark ? (size_t)(mark - want) : strlen(want);
    return strncmp(text, want, place) == 0 && (!mark || strstr(text + place, mark + 1));
}

#endif
