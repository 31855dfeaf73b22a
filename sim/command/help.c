#include "sim/command/help.h"

#include "sim/base/param.h"

/* Characters of UTF-8 text. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void text_row(FILE *to, const char *left, const char *help, const char *choices)
{
    enum { COLUMN = 34 };
    int pad = width(left) < COLUMN ? (int)(COLUMN - width(left)) : 0;
    fprintf(to, "%s%*s %s%s%s%s\n", left, pad, "", help, choices ? " (" : "", choices ? choices : "",
            choices ? ")" : "");
}

static void text_command(const struct mk_help *h, FILE *to)
{
    const struct mk_usage *u = h->usage;
    fprintf(to, "usage: maxk %s%s%s [option]…\n\n%s\n\noptions:\n", u->command, u->operands ? " " : "",
            u->operands ? u->operands : "", u->text);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        char left[96], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        text_row(to, left, o->help, o->choices);
    }
    text_row(to, "      --help[=FORM]", "print this help, or what the man page or a shell needs of it", MK_HELP_FORMS);
}

void mk_help_command(enum mk_help_form form, const struct mk_help *h, FILE *to)
{
    switch (form) {
    case MK_HELP_TEXT: text_command(h, to); break;
    case MK_HELP_MAN: mk_manual_command(h, to); break;
    case MK_HELP_BASH:
    case MK_HELP_ZSH:
    case MK_HELP_FISH: mk_completion_command(form, h, to); break;
    }
}

static void text_program(const struct mk_command *commands, FILE *to)
{
    fprintf(to,
            "maxk: a laboratory for max-K-armed bandits\n\nusage: maxk COMMAND [operand]… [option]…\n\ncommands:\n");
    for (; commands->name; commands++) fprintf(to, "  %-10s %s\n", commands->name, commands->summary);
    fprintf(to, "\n`maxk COMMAND --help` describes one command, `maxk --help=man` prints the man page and\n"
                "`maxk --help=bash`, `=zsh`, `=fish` what these shells need to complete command lines;\n"
                "`maxk --version` prints the version.\n");
}

int mk_help_program(enum mk_help_form form, const struct mk_command *commands, FILE *to, struct mk_error *err)
{
    char word[16], option[32];
    if (form == MK_HELP_TEXT) {
        text_program(commands, to);
        return MK_OK;
    }
    snprintf(option, sizeof option, "--help=%s", mk_choice_word(MK_HELP_FORMS, (int)form, word, sizeof word));
    if (form == MK_HELP_MAN)
        mk_manual_begin(to);
    else
        mk_completion_begin(form, commands, to);
    for (const struct mk_command *c = commands; c->name; c++) {
        char name[32];
        snprintf(name, sizeof name, "%s", c->name);
        char *argv[] = {name, option, NULL};
        int code = c->run(2, argv, err);
        if (code < 0) return code;
    }
    if (form == MK_HELP_MAN)
        mk_manual_end(to);
    else
        mk_completion_end(form, to);
    return MK_OK;
}
