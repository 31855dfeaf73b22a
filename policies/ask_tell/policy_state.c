#include "policies/ask_tell/policy_state.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

enum { RNG_WORDS = sizeof(struct mk_pcg64) / sizeof(uint64_t), SHORT = 1 << 10, LONG = 1 << 20 };

void mk_policy_state_free(struct mk_policy_state *s)
{
    if (!s) return;
    free(s->cost);
    free(s->paid);
    free(s->word);
    free(s);
}

/* The block is cleared, so that what a policy leaves alone is the same in every copy. */
int mk_policy_state_new(struct mk_policy_state **out, const struct mk_policy_state *like, struct mk_error *err)
{
    struct mk_policy_state *s = calloc(1, sizeof *s);
    if (!s) return mk_fail_memory(err, "a policy");
    s->type = like->type;
    s->seed = like->seed;
    memcpy(s->par, like->par, sizeof s->par);
    s->setup = (struct mk_setup){.arms = like->setup.arms,
                                 .horizon = like->setup.horizon,
                                 .par = s->par,
                                 .rng = &s->rng,
                                 .best_arm = like->setup.arms,
                                 .candidates = like->setup.candidates};
    const size_t bytes = (s->type->state_size(&s->setup) + 64) & ~(size_t)63;
    s->words = bytes / sizeof *s->word;
    s->cost = malloc(s->setup.arms * sizeof *s->cost);
    s->paid = malloc(s->setup.arms * sizeof *s->paid);
    s->word = aligned_alloc(64, bytes);
    if (!s->cost || !s->paid || !s->word) {
        mk_policy_state_free(s);
        return mk_fail_memory(err, "the state of a policy");
    }
    for (size_t k = 0; k < s->setup.arms; k++) s->paid[k] = s->cost[k] = like->cost ? like->cost[k] : 1;
    s->setup.cost = s->paid;
    memset(s->word, 0, bytes);
    mk_pcg64_from_key(&s->rng, mk_key_text(mk_key_word(mk_key_text(mk_key_start(), "policy"), s->seed), s->type->name));
    s->type->init(s->word, &s->setup);
    *out = s;
    return MK_OK;
}

bool mk_policy_state_is_bounded(const struct mk_policy_state *s)
{
    struct mk_setup few = s->setup, many = s->setup;
    few.par = many.par = s->par;
    few.horizon = SHORT;
    many.horizon = LONG;
    return s->type->state_size(&few) == s->type->state_size(&many);
}

/* ---- undoing ---- */

static bool make_room(struct mk_undo *u, size_t bytes)
{
    if (u->byte && bytes <= u->room - u->used) return true;
    const size_t room = 2 * (u->used + bytes);
    unsigned char *byte = realloc(u->byte, room);
    if (!byte) return false;
    u->byte = byte;
    u->room = room;
    return true;
}

/* What is kept until the next call: at most every byte twice, piece by piece, none of them shorter than a word. */
int mk_policy_state_keep(struct mk_policy_state *s, size_t arm, double reward, struct mk_undo *undo, size_t more,
                         struct mk_error *err)
{
    const size_t bytes = s->words * sizeof *s->word, piece = sizeof(struct mk_undo_kept) / sizeof *s->word + 1;
    const bool start = arm == s->setup.arms, whole = !s->type->keep;
    const size_t room = (start ? sizeof s->rng + bytes + 2 * sizeof(struct mk_undo_kept) : 0) + more;
    if (!make_room(undo, whole ? room : room + 2 * piece * bytes)) return mk_fail_memory(err, "a policy");
    if (start) mk_undo_keep(undo, &s->rng, sizeof s->rng);
    if (!whole)
        s->type->keep(s->word, arm, reward, undo);
    else if (start)
        mk_undo_keep(undo, s->word, bytes);
    return MK_OK;
}

/* ---- words without addresses ---- */

/* What a state may point into. */
struct region {
    const void *start;
    size_t bytes;
};

enum { REGIONS = 5, REGION_SHIFT = 60 };

static void find_regions(const struct mk_policy_state *s, struct region region[REGIONS])
{
    region[0] = (struct region){s->word, s->words * sizeof *s->word};
    region[1] = (struct region){&s->setup, sizeof s->setup};
    region[2] = (struct region){&s->rng, sizeof s->rng};
    region[3] = (struct region){s->par, sizeof s->par};
    region[4] = (struct region){s->paid, s->setup.arms * sizeof *s->paid};
}

/* Behind the block a bit for every word says whether it is a pointer. */
static size_t bit_words(const struct mk_policy_state *s)
{
    return (s->words + 63) / 64;
}

size_t mk_policy_state_length(const struct mk_policy_state *s)
{
    return RNG_WORDS + s->words + bit_words(s);
}

/* Pointers may be to the end of the block. */
static bool is_pointer(const struct region *region, uint64_t word, uint64_t *place)
{
    for (uint64_t r = 0; r < REGIONS; r++) {
        const uint64_t offset = word - (uint64_t)(uintptr_t)region[r].start;
        *place = r << REGION_SHIFT | offset;
        if (offset < region[r].bytes + (r == 0)) return true;
    }
    return false;
}

void mk_policy_state_store(const struct mk_policy_state *s, uint64_t *to)
{
    struct region region[REGIONS];
    uint64_t place;
    uint64_t *bit = to + RNG_WORDS + s->words;
    find_regions(s, region);
    memcpy(to, &s->rng, sizeof s->rng);
    memset(bit, 0, bit_words(s) * sizeof *bit);
    for (size_t i = 0; i < s->words; i++) {
        const bool points = is_pointer(region, s->word[i], &place);
        to[RNG_WORDS + i] = points ? place : s->word[i];
        bit[i / 64] |= (uint64_t)points << i % 64;
    }
}

int mk_policy_state_restore(struct mk_policy_state *s, const uint64_t *from, struct mk_error *err)
{
    struct region region[REGIONS];
    const uint64_t *bit = from + RNG_WORDS + s->words;
    find_regions(s, region);
    memcpy(&s->rng, from, sizeof s->rng);
    for (size_t i = 0; i < s->words; i++) {
        const uint64_t word = from[RNG_WORDS + i], r = word >> REGION_SHIFT;
        const uint64_t offset = word & ((UINT64_C(1) << REGION_SHIFT) - 1);
        const bool points = bit[i / 64] >> i % 64 & 1;
        if (points && (r >= REGIONS || offset > region[r].bytes))
            return mk_fail(err, MK_EINPUT, "policy: state: word %zu does not belong to a state of %s", i,
                           s->type->name);
        s->word[i] = points ? (uint64_t)(uintptr_t)region[r].start + offset : word;
    }
    return MK_OK;
}

int mk_policy_state_copy(struct mk_policy_state **out, const struct mk_policy_state *from, struct mk_error *err)
{
    uint64_t *word = malloc(mk_policy_state_length(from) * sizeof *word);
    struct mk_policy_state *s = NULL;
    int code = word ? mk_policy_state_new(&s, from, err) : mk_fail_memory(err, "a policy");
    if (!code) {
        mk_policy_state_store(from, word);
        code = mk_policy_state_restore(s, word, err);
    }
    free(word);
    *out = s;
    return code;
}
