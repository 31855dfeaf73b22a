#include "sim/base/string_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/grow.h"
#include "sim/base/hash.h"

/* FNV-1a over 8 bytes at a time, with a final mix (of MurmurHash3). */
static uint64_t hash(const unsigned char *text, size_t length)
{
    uint64_t h = MK_HASH_START ^ length;
    while (length) {
        uint64_t word = 0;
        size_t n = length < 8 ? length : 8;
        memcpy(&word, text, n);
        h = mk_hash_add(h, word);
        h ^= h >> 32;
        text += n;
        length -= n;
    }
    h = (h ^ (h >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ (h >> 33);
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t find_slot(const struct mk_string_table *t, const void *text, size_t length)
{
    size_t i = (size_t)hash(text, length) & (t->slots - 1);
    while (t->slot[i]) {
        size_t id = t->slot[i] - 1;
        if (t->length[id] == length && memcmp(t->text[id], text, length) == 0) break;
        i = (i + 1) & (t->slots - 1);
    }
    return i;
}

static bool double_slots(struct mk_string_table *t)
{
    size_t slots = t->slots ? 2 * t->slots : 64;
    size_t *slot = calloc(slots, sizeof *slot);
    if (!slot) return false;
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    for (size_t i = 0; i < t->n; i++) slot[find_slot(t, t->text[i], t->length[i])] = i + 1;
    return true;
}

size_t mk_string_table_add(struct mk_string_table *t, const void *text, size_t length, int *added)
{
    if (added) *added = 0;
    if (2 * t->n == t->slots && !double_slots(t)) return SIZE_MAX;
    size_t i = find_slot(t, text, length);
    if (t->slot[i]) return t->slot[i] - 1;
    char *copy = MK_GROW(t->text, t->n, 1) && MK_GROW(t->length, t->n, 1) ? malloc(length + 1) : NULL;
    if (!copy) return SIZE_MAX;
    memcpy(copy, text, length);
    copy[length] = 0;
    t->text[t->n] = copy;
    t->length[t->n] = length;
    t->slot[i] = ++t->n;
    if (added) *added = 1;
    return t->n - 1;
}

size_t mk_string_table_find(const struct mk_string_table *t, const void *text, size_t length)
{
    if (!t->slots) return SIZE_MAX;
    size_t i = find_slot(t, text, length);
    return t->slot[i] ? t->slot[i] - 1 : SIZE_MAX;
}

void mk_string_table_free(struct mk_string_table *t)
{
    for (size_t i = 0; i < t->n; i++) free(t->text[i]);
    free(t->text);
    free(t->length);
    free(t->slot);
    *t = (struct mk_string_table){0};
}
