#include "sim/program/command/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/error.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/program/command/experiments_folder.h"
#include "sim/program/command/help.h"

enum { MAX_OPTIONS = 32, HELP = 1000 };

static const char *several(const char *const *name, size_t n, char *out, size_t room)
{
    size_t at = (size_t)snprintf(out, room, "several options begin with this:");
    for (size_t i = 0; i < n && at < room; i++)
        at += (size_t)snprintf(out + at, room - at, "%s --%s", i ? "," : "", name[i]);
    return out;
}

/* An argument that getopt_long does not know: a long option, perhaps with a value, or a letter. */
static int fail_unknown(struct mk_error *err, const struct mk_usage *u, const struct mk_option *options,
                        const char *argument)
{
    const char *names[MAX_OPTIONS + 1], *alike[MAX_OPTIONS], *problem = "no such option";
    char word[64], text[128], all[400];
    size_t n = 0, like = 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    if (strncmp(word, "--", 2) == 0) {
        for (; options && options[n].name && n < MAX_OPTIONS; n++) {
            names[n] = options[n].name;
            if (strstr(names[n], word + 2) == names[n]) alike[like++] = names[n];
        }
        names[n++] = "help";
        const char *nearest = mk_nearest(word + 2, names, n);
        if (like > 1)
            problem = several(alike, like, all, sizeof all);
        else if (nearest && snprintf(text, sizeof text, "no such option, did you mean --%s?", nearest) > 0)
            problem = text;
    }
    return mk_option_fail(u->command, word, problem, err);
}

/* --help[=FORM] */
static int help(const struct mk_help *h, const char *form, struct mk_error *err)
{
    int position = form ? mk_choice_find(MK_HELP_FORMS, form) : MK_HELP_TEXT;
    if (position < 0) return mk_option_fail_choice(h->usage->command, "--help", MK_HELP_FORMS, form, err);
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

/* Published experiments and their data become their paths, which live as long as the arguments. */
static void find_published(char **operand, size_t n, bool experiments)
{
    for (size_t i = 0; i < n; i++) {
        char *path = mk_find_operand(operand[i], experiments);
        if (path) operand[i] = path;
    }
}

/* An output that is an operand would replace what it is made from. */
static int check_output(const struct mk_usage *u, const struct mk_option *options, char **operand, size_t n,
                        struct mk_error *err)
{
    struct stat to, from;
    for (; options && options->name; options++) {
        if (strcmp(options->name, "output") != 0) continue;
        const char *path = *(const char **)options->to;
        if (!path || stat(path, &to)) return MK_OK;
        for (size_t i = 0; i < n; i++)
            if (!stat(operand[i], &from) && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
                return mk_option_fail(u->command, "--output", "expected another file than the operand", err);
    }
    return MK_OK;
}

/* The value of an option, or of a later one of its name which has it among its choices. */
static int read_value(const char *command, const struct mk_option *first, const char *text, struct mk_error *err)
{
    char all[256], name[64];
    size_t n = 0;
    if (first->kind == MK_OPT_CHOICE && strcmp(text, "aligned") == 0 && mk_choice_find(first->choices, text) < 0)
        text = "text"; /* as version 1.0.0 called this form of tables */
    if (!mk_option_next(first)) return mk_option_read(command, first, text, err);
    for (const struct mk_option *o = first; o; o = mk_option_next(o)) {
        if (mk_choice_find(o->choices, text) >= 0) return mk_option_read(command, o, text, err);
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? "|" : "", o->choices);
    }
    snprintf(name, sizeof name, "--%s", first->name);
    return mk_option_fail_choice(command, name, all, text, err);
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
            return got == ':' ? mk_option_fail(u->command, argument, "needs a value", err)
                              : fail_unknown(err, u, options, argument);
        }
        size_t which = got > HELP ? (size_t)(got - HELP - 1) : 0;
        if (got <= HELP)
            while (options[which].letter != got) which++;
        int code = read_value(u->command, &options[which], optarg, err);
        if (code) return code;
    }
    *operands = argv + optind;
    *n_operands = (size_t)(argc - optind);
    const char *const expected = u->operands ? u->operands : "…";
    for (size_t i = 0; i < *n_operands; i++)
        if (!*(*operands)[i]) return mk_fail(err, MK_EINPUT, "maxk %s: '': expected %s", u->command, expected);
    if (*n_operands < u->min_operands) return mk_option_fail(u->command, "missing operand", expected, err);
    if (*n_operands > u->max_operands) {
        char clip[MK_CLIP_ROOM];
        return mk_option_fail(u->command, "unexpected operand", mk_clip((*operands)[u->max_operands], clip), err);
    }
    find_published(*operands, *n_operands, u->operands && strstr(u->operands, ".yaml"));
    return check_output(u, options, *operands, *n_operands, err);
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
