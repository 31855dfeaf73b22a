#include "sim/study/policy_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/problem/problem.h"

static const char head[] = "maxk policy 1";

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
    for (uint64_t i = 0; i < s->n; i++)
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

/* `most`: rounds that a text of this length can hold. */
static int read_rounds(struct reader *r, struct mk_policy_saved *out, uint64_t most)
{
    int code = read_field(r, "rounds", 0, out->options.horizon ? out->options.horizon : most, &out->n);
    if (code) return code;
    if (out->n > most) return fail(r, "rounds", "as many lines");
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
    out->round = NULL;
    return code;
}
