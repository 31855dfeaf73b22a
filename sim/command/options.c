#include "sim/command/options.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/command/experiments_folder.h"
#include "sim/command/help.h"

enum { MAX_OPTIONS = 32, HELP = 1000 };

bool mk_parse_count(const char *text, uint64_t *out)
{
    const char *c = text, *power = strchr(text, '^');
    double x, exponent = 1;
    if (!isdigit((unsigned char)*c) && *c != '.') return false;
    if (strspn(c, "0123456789") == strlen(c)) { /* plain digits: exact to 2^64 - 1 */
        uint64_t value = 0;
        for (; *c; c++) {
            uint64_t digit = (uint64_t)(*c - '0');
            if (value > (UINT64_MAX - digit) / 10) return false;
            value = value * 10 + digit;
        }
        *out = value;
        return true;
    }
    if (!mk_parse_real(c, power ? (size_t)(power - c) : strlen(c), &x)) return false;
    if (power && !mk_parse_real(power + 1, strlen(power + 1), &exponent)) return false;
    x = pow(x, exponent);
    if (!(x >= 0) || x > MK_EXACT_MAX || x != floor(x)) return false;
    *out = (uint64_t)x;
    return true;
}

static int fail(struct mk_error *err, const struct mk_usage *u, const char *option, const char *problem)
{
    return mk_fail(err, MK_EINPUT, "maxk %s: %s: %s (see maxk %s --help)", u->command, option, problem, u->command);
}

/* long double: 2^53 + 1 must not pass as 2^53. */
static bool outside(const struct mk_option *o, long double x)
{
    return o->hi >= o->lo && !(x >= o->lo && x <= o->hi);
}

static int fail_range(struct mk_error *err, const struct mk_usage *u, const struct mk_option *o, const char *text)
{
    char name[64], problem[256], lo[32], hi[32], clip[MK_CLIP_ROOM];
    const char *what = o->kind == MK_OPT_REAL ? "a number" : "a whole number";
    snprintf(name, sizeof name, "--%s", o->name);
    if (o->hi >= o->lo)
        snprintf(problem, sizeof problem, "expected %s from %s to %s, got '%s'", what,
                 mk_format_real(o->lo, lo, sizeof lo), mk_format_real(o->hi, hi, sizeof hi), mk_clip(text, clip));
    else
        snprintf(problem, sizeof problem, "expected %s, got '%s'", what, mk_clip(text, clip));
    return fail(err, u, name, problem);
}

static int fail_choice(struct mk_error *err, const struct mk_usage *u, const char *option, const char *choices,
                       const char *text)
{
    char word[64], all[256], clip[MK_CLIP_ROOM], problem[512];
    const char *nearest = mk_choice_nearest(choices, text, word, sizeof word);
    snprintf(problem, sizeof problem, "expected one of %s; got '%s'%s%s%s", mk_choice_list(choices, all, sizeof all),
             mk_clip(text, clip), nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return fail(err, u, option, problem);
}

/* An argument that getopt_long does not know: a long option, perhaps with a value, or a letter. */
static int fail_unknown(struct mk_error *err, const struct mk_usage *u, const struct mk_option *options,
                        const char *argument)
{
    const char *names[MAX_OPTIONS + 1], *problem = "no such option";
    char word[64], text[128];
    size_t n = 0, like = 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    if (strncmp(word, "--", 2) == 0) {
        for (; options && options[n].name && n < MAX_OPTIONS; n++) {
            names[n] = options[n].name;
            like += strncmp(names[n], word + 2, strlen(word + 2)) == 0;
        }
        names[n++] = "help";
        const char *nearest = mk_nearest(word + 2, names, n);
        if (like > 1)
            problem = "several options begin like this";
        else if (nearest && snprintf(text, sizeof text, "no such option, did you mean --%s?", nearest) > 0)
            problem = text;
    }
    return fail(err, u, word, problem);
}

static int store_counts(const struct mk_usage *u, const struct mk_option *o, const char *text, struct mk_error *err)
{
    struct mk_counts *counts = o->to;
    counts->n = 0;
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        char one[64];
        snprintf(one, sizeof one, "%.*s", comma ? (int)(comma - at) : (int)strlen(at), at);
        uint64_t value;
        if (!mk_parse_count(one, &value) || outside(o, (long double)value)) return fail_range(err, u, o, one);
        uint64_t *grown = realloc(counts->value, (counts->n + 1) * sizeof *grown);
        if (!grown) return mk_fail_memory(err, "options");
        counts->value = grown;
        counts->value[counts->n++] = value;
        at = comma ? comma + 1 : NULL;
    }
    qsort(counts->value, counts->n, sizeof *counts->value, mk_compare_counts);
    return MK_OK;
}

static int store(const struct mk_usage *u, const struct mk_option *o, const char *text, struct mk_error *err)
{
    char name[64];
    switch (o->kind) {
    case MK_OPT_FLAG: *(int *)o->to = o->lo > 1 ? (int)o->lo : 1; return MK_OK;
    case MK_OPT_TEXT: *(const char **)o->to = text; return MK_OK;
    case MK_OPT_TEXTS: {
        struct mk_texts *texts = o->to;
        const char **grown = realloc(texts->text, (texts->n + 1) * sizeof *grown);
        if (!grown) return mk_fail_memory(err, "options");
        texts->text = grown;
        texts->text[texts->n++] = text;
        return MK_OK;
    }
    case MK_OPT_COUNT: {
        uint64_t value;
        if (!mk_parse_count(text, &value) || outside(o, (long double)value)) return fail_range(err, u, o, text);
        *(uint64_t *)o->to = value;
        return MK_OK;
    }
    case MK_OPT_REAL: {
        double value;
        if (!mk_parse_real(text, strlen(text), &value) || outside(o, value)) return fail_range(err, u, o, text);
        *(double *)o->to = value;
        return MK_OK;
    }
    case MK_OPT_CHOICE: {
        int position = mk_choice_find(o->choices, text);
        if (position < 0) {
            snprintf(name, sizeof name, "--%s", o->name);
            return fail_choice(err, u, name, o->choices, text);
        }
        *(int *)o->to = position;
        return MK_OK;
    }
    case MK_OPT_COUNTS: return store_counts(u, o, text, err);
    }
    return MK_OK;
}

/* --help[=FORM] */
static int help(const struct mk_help *h, const char *form, struct mk_error *err)
{
    int position = form ? mk_choice_find(MK_HELP_FORMS, form) : MK_HELP_TEXT;
    if (position < 0) return fail_choice(err, h->usage, "--help", MK_HELP_FORMS, form);
    mk_help_command((enum mk_help_form)position, h, stdout);
    return MK_HELP_SHOWN;
}

/* The tables of getopt_long: an option's value is HELP + 1 + its position, or its letter; that of help HELP or 'h'. */
static void getopt_tables(const struct mk_option *options, struct option *longs, char *shorts)
{
    size_t n = 0;
    *shorts++ = ':';
    for (; options && options[n].name && n < MAX_OPTIONS; n++) {
        longs[n].name = options[n].name;
        longs[n].has_arg = options[n].kind == MK_OPT_FLAG ? no_argument : required_argument;
        longs[n].val = HELP + 1 + (int)n;
        if (!options[n].letter) continue;
        *shorts++ = options[n].letter;
        if (options[n].kind != MK_OPT_FLAG) *shorts++ = ':';
    }
    *shorts++ = 'h';
    *shorts = 0;
    longs[n].name = "help";
    longs[n].has_arg = optional_argument;
    longs[n].val = HELP;
}

/* Names of published experiments become their paths, which live as long as the arguments. */
static void find_experiments(char **operand, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *path = mk_experiment_by_name(operand[i]);
        if (path) operand[i] = path;
    }
}

int mk_options_parse_named(const struct mk_usage *u, const struct mk_option *options, mk_name_at *names, int argc,
                           char **argv, char ***operands, size_t *n_operands, struct mk_error *err)
{
    const struct mk_help about = {u, options, names};
    struct option longs[MAX_OPTIONS + 2];
    char shorts[2 * MAX_OPTIONS + 3];
    memset(longs, 0, sizeof longs);
    getopt_tables(options, longs, shorts);
    opterr = 0;
    optind = 0;
    for (;;) {
        int got = getopt_long(argc, argv, shorts, longs, NULL);
        if (got == -1) break;
        if (got == HELP || got == 'h') return help(&about, got == HELP ? optarg : NULL, err);
        if (got == '?' || got == ':') {
            char letter[3] = {'-', (char)optopt, 0};
            int is_letter = optopt > 0 && optopt < HELP; /* long options have values from HELP on, unknown ones 0 */
            const char *argument = is_letter ? letter : argv[optind - 1];
            return got == ':' ? fail(err, u, argument, "needs a value") : fail_unknown(err, u, options, argument);
        }
        size_t which = got > HELP ? (size_t)(got - HELP - 1) : 0;
        if (got <= HELP)
            while (options[which].letter != got) which++;
        int code = store(u, &options[which], optarg, err);
        if (code) return code;
    }
    *operands = argv + optind;
    *n_operands = (size_t)(argc - optind);
    if (*n_operands < u->min_operands) return fail(err, u, "missing operand", u->operands ? u->operands : "…");
    if (*n_operands > u->max_operands) {
        char clip[MK_CLIP_ROOM];
        return fail(err, u, "unexpected operand", mk_clip((*operands)[u->max_operands], clip));
    }
    if (u->operands && strstr(u->operands, ".yaml")) find_experiments(*operands, *n_operands);
    return MK_OK;
}

int mk_options_parse(const struct mk_usage *u, const struct mk_option *options, int argc, char **argv, char ***operands,
                     size_t *n_operands, struct mk_error *err)
{
    return mk_options_parse_named(u, options, NULL, argc, argv, operands, n_operands, err);
}

char *mk_command_line(int argc, char **argv)
{
    size_t room = sizeof "maxk";
    for (int i = 0; i < argc; i++) room += strlen(argv[i]) + 1;
    char *line = malloc(room);
    if (!line) return NULL;
    char *at = stpcpy(line, "maxk");
    for (int i = 0; i < argc; i++) {
        *at++ = ' ';
        at = stpcpy(at, argv[i]);
    }
    return line;
}

/* "plugins=['a', 'b']": in quotes, where a quote is written twice. malloc'ed; NULL: out of memory. */
static char *plugins_override(const struct mk_texts *plugins)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f) return NULL;
    fputs("plugins=[", f);
    for (size_t i = 0; i < plugins->n; i++) {
        fputs(i ? ", '" : "'", f);
        for (const char *c = plugins->text[i]; *c; c++) fputs(*c == '\'' ? "''" : (char[]){*c, 0}, f);
        fputc('\'', f);
    }
    fputc(']', f);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

int mk_plugins_add(const struct mk_texts *plugins, struct mk_texts *sets, char **text, struct mk_error *err)
{
    const char **grown = realloc(sets->text, (sets->n + 1) * sizeof *grown);
    if (grown) sets->text = grown;
    if (!plugins->n) return MK_OK;
    *text = plugins_override(plugins);
    if (!grown || !*text) return mk_fail_memory(err, "options");
    memmove(grown + 1, grown, sets->n * sizeof *grown);
    grown[0] = *text;
    sets->n++;
    return MK_OK;
}
