#include "policies/ask_tell/policy_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/digest.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
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

/* The largest reward; 0: none. */
static double best_of(const struct mk_policy_saved *s)
{
    double best = NAN;
    for (size_t k = 0; k < s->arms; k++) best = fmax(best, s->best[k]);
    return isnan(best) ? 0 : best;
}

static uint64_t sum_of(const struct mk_policy_saved *s)
{
    struct mk_digest d = MK_DIGEST_START;
    mk_digest_add(&d, s->n);
    mk_digest_add(&d, s->selected);
    for (size_t k = 0; k < s->arms; k++) {
        mk_digest_add_real(&d, isnan(s->worst[k]) ? INFINITY : s->worst[k]);
        mk_digest_add_real(&d, isnan(s->best[k]) ? INFINITY : s->best[k]);
    }
    for (size_t i = 0; i < s->n_waiting; i++) {
        mk_digest_add(&d, s->waiting[i].arm);
        mk_digest_add(&d, s->waiting[i].failed);
        mk_digest_add_real(&d, isnan(s->waiting[i].reward) ? INFINITY : s->waiting[i].reward);
    }
    for (size_t i = 0; i < s->words; i++) mk_digest_add(&d, s->word[i]);
    return d.lane[0];
}

static void write_real(FILE *f, double x)
{
    char number[32];
    fprintf(f, " %s", isnan(x) ? "-" : mk_format_real(x, number, sizeof number));
}

static void write_result(FILE *f, const struct mk_policy_round *r)
{
    fprintf(f, "%" PRIu32, r->arm);
    if (!isnan(r->reward)) write_real(f, r->reward);
    if (r->failed) fputs(" failed", f);
    if (r->cost > 0) fputs(" cost", f);
    if (r->cost > 0) write_real(f, r->cost);
    fputc('\n', f);
}

static void write_state(FILE *f, const struct mk_policy_saved *s)
{
    char text[64];
    machine(text);
    fputs("best", f);
    write_real(f, best_of(s));
    fputs("\nrewards", f);
    for (size_t k = 0; k < s->arms; k++) {
        write_real(f, s->worst[k]);
        write_real(f, s->best[k]);
    }
    fputc('\n', f);
    fprintf(f, "selected %zu\nstate %s %zu\n", s->selected, text, s->words);
    for (size_t i = 0; i < s->words; i++)
        fprintf(f, "%" PRIx64 "%c", s->word[i], (i + 1) % WORDS_OF_LINE && i + 1 < s->words ? ' ' : '\n');
    fprintf(f, "sum %016" PRIx64 "\n", sum_of(s));
}

char *mk_policy_saved_write(const struct mk_policy_saved *s)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f) return NULL;
    fprintf(f, "%s\n%s\narms %zu\nhorizon %" PRIu64 "\nseed %" PRIu64 "\n", head, s->policy, s->arms,
            s->options.horizon, s->options.seed);
    if (s->options.cost) fputs("cost", f);
    for (size_t k = 0; s->options.cost && k < s->arms; k++) write_real(f, s->options.cost[k]);
    if (s->options.cost) fputc('\n', f);
    if (s->n_waiting) fprintf(f, "waiting %zu\n", s->n_waiting);
    for (size_t i = 0; i < s->n_waiting; i++) write_result(f, &s->waiting[i]);
    fprintf(f, "rounds %" PRIu64 "\n", s->n);
    if (s->options.bounded) write_state(f, s);
    for (uint64_t i = 0; !s->options.bounded && i < s->n; i++) write_result(f, &s->round[i]);
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

/* A real number, "-" for none. */
static int read_some_real(struct reader *r, const char *key, double *out)
{
    int code = skip(r, " ");
    const bool none = !code && r->at[0] == '-' && strchr(" \n", r->at[1]);
    *out = NAN;
    if (code || !none) return code ? code : read_real(r, key, out);
    r->at++;
    return MK_OK;
}

/* The line `best`, whether it is there: then the policy is bounded, and the rewards of its arms follow. */
static int read_best(struct reader *r, struct mk_policy_saved *out)
{
    double best = 0;
    out->options.bounded = strncmp(r->at, "best ", 5) == 0;
    if (!out->options.bounded) return MK_OK;
    const struct reader at_best = {r->at + 5, r->line, r->err};
    r->at += 5;
    int code = read_real(r, "best", &best);
    if (!code) code = end_line(r);
    if (!code) code = skip(r, "rewards");
    out->best = malloc(out->arms * sizeof *out->best);
    out->worst = malloc(out->arms * sizeof *out->worst);
    if (!code && !(out->best && out->worst)) code = mk_fail_memory(r->err, "a policy");
    for (size_t k = 0; k < out->arms && !code; k++) {
        code = read_some_real(r, "rewards", &out->worst[k]);
        if (!code) code = read_some_real(r, "rewards", &out->best[k]);
    }
    if (!code) code = end_line(r);
    return code || best == best_of(out) ? code : fail(&at_best, "best", "the largest of the rewards");
}

/* One result; waits: it may be a failure without a value. */
static int read_result(struct reader *r, const struct mk_policy_saved *s, bool waits, struct mk_policy_round *out)
{
    uint64_t arm = 0;
    int code = read_count(r, "arm", 0, s->arms - 1, &arm);
    *out = (struct mk_policy_round){.arm = (uint32_t)arm, .reward = NAN};
    const bool has_value = !waits || strncmp(r->at, " failed", 7) != 0;
    if (!code && has_value) code = skip(r, " ");
    if (!code && has_value) code = read_real(r, "reward", &out->reward);
    out->failed = !code && *r->at == ' ' && strncmp(r->at, " cost ", 6) != 0;
    if (out->failed) code = skip(r, " failed");
    if (!code && *r->at == ' ') {
        code = skip(r, " cost ");
        const struct reader at_cost = *r;
        if (!code) code = read_real(r, "cost", &out->cost);
        if (!code && !(out->cost > 0)) code = fail(&at_cost, "cost", "a number > 0");
    }
    return code ? code : end_line(r);
}

/* As many results as a text of this length can hold. */
static int read_results(struct reader *r, const struct mk_policy_saved *s, uint64_t n, bool waits,
                        struct mk_policy_round **out)
{
    if (n > strlen(r->at)) {
        r->line--;
        return fail(r, waits ? "waiting" : "rounds", "as many lines");
    }
    if (!MK_GROW(*out, 0, n)) return mk_fail_memory(r->err, "the results of a policy");
    int code = MK_OK;
    for (uint64_t i = 0; !code && i < n; i++) code = read_result(r, s, waits, &(*out)[i]);
    return code;
}

static int read_waiting(struct reader *r, struct mk_policy_saved *out)
{
    uint64_t n = 0;
    if (strncmp(r->at, "waiting ", 8) != 0) return MK_OK;
    int code = read_field(r, "waiting", 1, (uint64_t)MK_EXACT_MAX, &n);
    if (!code) code = read_results(r, out, n, true, &out->waiting);
    out->n_waiting = (size_t)n;
    return code;
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

static int read_rounds(struct reader *r, struct mk_policy_saved *out)
{
    const uint64_t last = out->options.horizon ? out->options.horizon : (uint64_t)MK_EXACT_MAX;
    int code = read_field(r, "rounds", 0, last, &out->n);
    if (!code) code = read_best(r, out);
    if (code || out->options.bounded) return code ? code : read_state(r, out);
    code = read_results(r, out, out->n, false, &out->round);
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
    if (!code) code = read_waiting(&r, out);
    if (!code) code = read_rounds(&r, out);
    out->options.cost = *cost;
    return code;
}

void mk_policy_saved_clear(struct mk_policy_saved *s)
{
    free(s->waiting);
    free(s->best);
    free(s->worst);
    free(s->word);
}
