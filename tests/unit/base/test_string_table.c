/* Distinct byte strings keep the numbers of their coming, through every growth of the table. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/string_table.h"
#include "tests/support/check.h"

enum { MANY = 5000 };

static size_t name_of(size_t i, char *out, size_t room)
{
    return (size_t)snprintf(out, room, "arm %zu of %zu", i * 7919 % MANY, i % 3);
}

static void check_many(void)
{
    struct mk_string_table t = {0};
    size_t wrong = 0;
    char name[64];
    for (size_t i = 0; i < MANY; i++) {
        int added;
        size_t n = name_of(i, name, sizeof name);
        wrong += mk_string_table_add(&t, name, n, &added) != i || !added;
    }
    CHECK(wrong == 0 && t.n == MANY, "%d strings are numbered as they come", MANY);
    for (size_t i = 0; i < MANY; i++) {
        int added;
        size_t n = name_of(i, name, sizeof name);
        wrong += mk_string_table_add(&t, name, n, &added) != i || added || mk_string_table_find(&t, name, n) != i;
        wrong += t.length[i] != n || strcmp(t.text[i], name) != 0;
    }
    CHECK(wrong == 0 && t.n == MANY, "added once more they keep their numbers, and are not new");
    CHECK(mk_string_table_find(&t, "arm", 3) == SIZE_MAX, "a beginning of several strings is none of them");
    mk_string_table_free(&t);
}

static void check_bytes(void)
{
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"", 0}, {"a", 1}, {"a\0", 2}, {"a\0b", 3}, {"a\0c", 3}, {"aaaaaaaa", 8}, {"aaaaaaaaa", 9}, {"ä", 2}};
    struct mk_string_table t = {0};
    size_t n = sizeof cases / sizeof *cases, wrong = 0;
    CHECK(mk_string_table_find(&t, "a", 1) == SIZE_MAX, "an empty table has no string");
    for (size_t i = 0; i < n; i++) wrong += mk_string_table_add(&t, cases[i].text, cases[i].length, NULL) != i;
    for (size_t i = 0; i < n; i++)
        wrong += mk_string_table_find(&t, cases[i].text, cases[i].length) != i ||
                 memcmp(t.text[i], cases[i].text, cases[i].length + 1) != 0;
    CHECK(wrong == 0, "the empty string, NUL bytes and lengths about 8 are distinct");
    mk_string_table_free(&t);
}

int main(void)
{
    check_many();
    check_bytes();
    return CHECK_EXIT;
}
