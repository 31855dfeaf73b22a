#include "sim/policy/policy_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/digest.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/problem/problem.h"

static const char head[] = "maxk policy 1";

enum { WORDS_OF_LINE = 8 };

/* Where a state can be read: its layout is that of this version, size of a pointer and order of bytes. */
static void machine(char out[64])
{
    snprintf(out, 64, "%d.%d.%d-%zu-%s", MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR, MAXK_VERSION_PATCH, 8 * sizeof(void *),
             __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big");
}

static uint64_t sum_of(const struct mk_policy_saved *s)
{
    struct mk_digest d = MK_DIGEST_START;
    mk_digest_add(&d, s->n);
    mk_digest_add(&d, s->selected);
    mk_digest_add_real(&d, s->best);
    for (size_t i = 0; i < s->words; i++) mk_digest_add(&d, s->word[i]);
    return d.lane[0];
}

static void write_state(FILE *f, const struct mk_policy_saved *s)
{
    char text[64];
    machine(text);
    fprintf(f, "selected %zu\nstate %s %zu\n", s->selected, text, s->words);
    for (size_t i = 0; i < s->words; i++)
        fprintf(f, "%" PRIx64 "%c", s->word[i], (i + 1) % WORDS_OF_LINE && i + 1 < s->words ? ' ' : '\n');
    fprintf(f, "sum %016" PRIx64 "\n", sum_of(s));
}

char *mk_policy_saved_write(const struct mk_policy_saved *s)
{
    char *text = NULL, number[32];
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f) return NULL;
    fprintf(f, "%s\n%s\narms %zu\nhorizon %" PRIu64 "\nseed %" PRIu64 "\n", head, s->policy, s->arms,
            s->options.horizon, s->options.seed);
    if (s->options.cost) fputs("cost", f);
    for (size_t k = 0; s->options.cost && k < s->arms; k++)
        fprintf(f, " %s", mk_format_real(s->options.cost[k], number, sizeof number));
    fprintf(f, "%srounds %" PRIu64 "\n", s->options.cost ? "\n" : "", s->n);
    if (s->options.bounded) {
        fprintf(f, "best %s\n", mk_format_real(s->best, number, sizeof number));
        write_state(f, s);
    }
    for (uint64_t i = 0; !s->options.bounded && i < s->n; i++)
        fprintf(f, "%zu %s\n", s->round[i].arm, mk_format_real(s->round[i].reward, number, sizeof number));
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

/* ---- reading ---- */

struct reader {
    const char *at; /* in the line */
    size_t line;
    struct mk_error *err;
};

static int fail(const struct reader *r, const char *key, const char *expected)
{
    char clip[MK_CLIP_ROOM];
    return mk_fail_at(r->err, (struct mk_where){"policy", r->line, 0}, key, "expected %s, got '%s'", expected,
                      mk_clip_bytes(r->at, strcspn(r->at, "\n"), clip));
}

static int skip(struct reader *r, const char *text)
{
    const size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0) return fail(r, text, "this word");
    r->at += n;
    return MK_OK;
}

static int end_line(struct reader *r)
{
    if (*r->at != '\n') return fail(r, "line", "its end");
    r->at++;
    r->line++;
    return MK_OK;
}

static int read_count(struct reader *r, const char *key, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    const size_t n = strspn(r->at, "0123456789");
    bool good = n > 0;
    for (size_t i = 0; good && i < n; i++) {
        const uint64_t digit = (uint64_t)(r->at[i] - '0');
        good = value <= (UINT64_MAX - digit) / 10;
        value = 10 * value + digit;
    }
    if (!good || value < least || value > most) return fail(r, key, "a whole number in range");
    r->at += n;
    *out = value;
    return MK_OK;
}

static int read_real(struct reader *r, const char *key, double *out)
{
    const size_t n = strcspn(r->at, " \n");
    if (!mk_parse_real(r->at, n, out) || fabs(*out) > MK_MOST_REWARD)
        return fail(r, key, "a number from " MK_REWARD_RANGE);
    r->at += n;
    return MK_OK;
}

/* A line "key number". */
static int read_field(struct reader *r, const char *key, uint64_t least, uint64_t most, uint64_t *out)
{
    int code = skip(r, key);
    if (!code) code = skip(r, " ");
    if (!code) code = read_count(r, key, least, most, out);
    return code ? code : end_line(r);
}

static int read_cost(struct reader *r, size_t arms, double **cost)
{
    int code = skip(r, "cost");
    if (!code && !(*cost = malloc(arms * sizeof **cost))) code = mk_fail_memory(r->err, "costs");
    for (size_t k = 0; !code && k < arms; k++) {
        code = skip(r, " ");
        if (!code) code = read_real(r, "cost", &(*cost)[k]);
    }
    return code ? code : end_line(r);
}

/* The line `best`, whether it is there: then the policy is bounded. */
static int read_best(struct reader *r, struct mk_policy_saved *out)
{
    out->options.bounded = strncmp(r->at, "best ", 5) == 0;
    if (!out->options.bounded) return MK_OK;
    r->at += 5;
    int code = read_real(r, "best", &out->best);
    return code ? code : end_line(r);
}

static int read_word(struct reader *r, const char *key, uint64_t *out)
{
    const size_t n = strspn(r->at, "0123456789abcdef");
    if (n < 1 || n > 16) return fail(r, key, "a hexadecimal number of 64 bits");
    *out = strtoull(r->at, NULL, 16);
    r->at += n;
    return MK_OK;
}

static int read_state(struct reader *r, struct mk_policy_saved *out)
{
    char text[64];
    uint64_t selected = 0, words = 0, sum = 0;
    const uint64_t most = strlen(r->at) / 2 + 1;
    machine(text);
    int code = read_field(r, "selected", 0, out->arms, &selected);
    if (!code) code = skip(r, "state ");
    if (!code && (strncmp(r->at, text, strlen(text)) != 0 || r->at[strlen(text)] != ' ')) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " (this version and machine)");
        return fail(r, "state", text);
    }
    r->at += code ? 0 : strlen(text) + 1;
    if (!code) code = read_count(r, "state", 1, most, &words);
    if (!code) code = end_line(r);
    if (!code && !(out->word = malloc(words * sizeof *out->word))) code = mk_fail_memory(r->err, "a policy");
    for (uint64_t i = 0; i < words && !code; i++) {
        code = read_word(r, "state", &out->word[i]);
        if (!code) code = (i + 1) % WORDS_OF_LINE && i + 1 < words ? skip(r, " ") : end_line(r);
    }
    out->selected = (size_t)selected;
    out->words = (size_t)words;
    if (!code) code = skip(r, "sum ");
    const struct reader at_sum = *r;
    if (!code) code = read_word(r, "sum", &sum);
    if (!code && sum != sum_of(out)) code = fail(&at_sum, "sum", "that of an undamaged state");
    if (!code) code = end_line(r);
    return !code && *r->at ? fail(r, "sum", "the end") : code;
}

/* `most`: rounds that a text of this length can hold. */
static int read_rounds(struct reader *r, struct mk_policy_saved *out, uint64_t most)
{
    const uint64_t last = out->options.horizon ? out->options.horizon : (uint64_t)MK_EXACT_MAX;
    int code = read_field(r, "rounds", 0, last, &out->n);
    if (!code) code = read_best(r, out);
    if (code || out->options.bounded) return code ? code : read_state(r, out);
    if (out->n > most) {
        r->line--;
        return fail(r, "rounds", "as many lines");
    }
    out->round = malloc((out->n + 1) * sizeof *out->round);
    if (!out->round) return mk_fail_memory(r->err, "the rounds of a policy");
    for (uint64_t i = 0, arm = 0; !code && i < out->n; i++) {
        code = read_count(r, "arm", 0, out->arms - 1, &arm);
        if (!code) code = skip(r, " ");
        if (!code) code = read_real(r, "reward", &out->round[i].reward);
        if (!code) code = end_line(r);
        out->round[i].arm = (size_t)arm;
    }
    if (!code && *r->at) code = fail(r, "rounds", "the end");
    return code;
}

static int read_settings(struct reader *r, struct mk_policy_saved *out, char **policy)
{
    uint64_t arms = 0;
    int code = skip(r, head);
    if (!code) code = end_line(r);
    const size_t n = strcspn(r->at, "\n");
    if (!code && !(*policy = strndup(r->at, n))) code = mk_fail_memory(r->err, "a policy");
    if (!code) {
        r->at += n;
        code = end_line(r);
    }
    if (!code) code = read_field(r, "arms", 1, MK_MOST_ARMS, &arms);
    if (!code) code = read_field(r, "horizon", 0, (uint64_t)MK_EXACT_MAX, &out->options.horizon);
    if (!code) code = read_field(r, "seed", 0, UINT64_MAX, &out->options.seed);
    out->arms = (size_t)arms;
    return code;
}

int mk_policy_saved_read(struct mk_policy_saved *out, const char *text, char **policy, double **cost,
                         struct mk_error *err)
{
    struct reader r = {text, 1, err};
    *out = (struct mk_policy_saved){0};
    int code = read_settings(&r, out, policy);
    if (!code && strncmp(r.at, "cost", 4) == 0) code = read_cost(&r, out->arms, cost);
    if (!code) code = read_rounds(&r, out, strlen(r.at));
    out->policy = *policy;
    out->options.cost = *cost;
    if (!code) return MK_OK;
    free(out->round);
    free(out->word);
    out->round = NULL;
    out->word = NULL;
    return code;
}
