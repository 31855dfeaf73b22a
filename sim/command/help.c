#include "sim/command/help.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sim/base/param.h"
#include "sim/command/experiments_folder.h"

enum { WIDEST = 100, NARROWEST = 40, ITEM_COLUMN = 18, OPTION_COLUMN = 28 };

/* Columns of UTF-8 text. */
static size_t width(const char *text, size_t bytes)
{
    size_t n = 0;
    for (; bytes; text++, bytes--) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Width of the lines to print: that of the terminal, within limits of readability. */
static size_t line_width(FILE *to)
{
    struct winsize size = {0};
    if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col) return WIDEST;
    return size.ws_col > WIDEST ? WIDEST : size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

/* Prints text[0 … n-1] from column `at` on, broken between words; further lines begin at column `indent`. */
static void put_wrapped(FILE *to, const char *text, size_t n, size_t at, size_t indent)
{
    const size_t right = line_width(to);
    int first = 1;
    for (const char *end = text + n; text < end; first = 0) {
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        size_t word = blank ? (size_t)(blank - text) : (size_t)(end - text), columns = width(text, word);
        if (!first && at + 1 + columns > right) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', to);
            at++;
        }
        fwrite(text, 1, word, to);
        at += columns;
        text += word + (blank != NULL);
    }
    fputc('\n', to);
}

size_t mk_usage_term(const char *line, size_t n)
{
    if (n < 3 || line[0] != ' ' || line[1] != ' ' || line[2] == ' ') return 0;
    for (size_t i = 2; i + 2 < n; i++)
        if (line[i] == ' ' && line[i + 1] == ' ') return i;
    return 0;
}

/* Two columns: `left`, and a text from `column` on, which starts on the next line when `left` is too long. */
static void put_row(FILE *to, const char *left, size_t left_bytes, const char *text, size_t bytes, size_t column)
{
    size_t columns = width(left, left_bytes);
    fwrite(left, 1, left_bytes, to);
    if (columns + 2 > column) {
        fputc('\n', to);
        columns = 0;
    }
    fprintf(to, "%*s", (int)(column - columns), "");
    put_wrapped(to, text, bytes, column, column);
}

/* The texts of sim/table/option.h. */
static void put_text(FILE *to, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), term = mk_usage_term(text, n);
        if (term)
            put_row(to, text, term, text + term + 2, n - term - 2, ITEM_COLUMN);
        else if (*text == ' ' || !n)
            fprintf(to, "%.*s\n", (int)n, text);
        else
            put_wrapped(to, text, n, 0, 0);
        text += n + (text[n] == '\n');
    }
}

/* The help text of an option; its choices come before the default, in the same parentheses. */
static void put_option(FILE *to, const char *left, const char *help, const char *choices)
{
    static const char by_default[] = " (default: ";
    char text[1024], list[256] = "";
    const char *end = choices ? strstr(help, by_default) : NULL;
    int before = end ? (int)(end - help) : (int)strlen(help);
    if (choices) mk_choice_list(choices, list, sizeof list);
    int n = snprintf(text, sizeof text, "%.*s%s%s%s%s", before, help, choices ? " (one of " : "", list,
                     end       ? "; "
                     : choices ? ")"
                               : "",
                     end ? end + 2 : "");
    put_row(to, left, strlen(left), text, n < (int)sizeof text ? (size_t)n : sizeof text - 1, OPTION_COLUMN);
}

/* A line that is too long is broken after a '|' of the operands. */
static void put_usage(FILE *to, const struct mk_usage *u)
{
    static const char options[] = "[option]…";
    const char *part = u->operands ? u->operands : "";
    const size_t indent = strlen("usage: maxk  ") + strlen(u->command), right = line_width(to) - sizeof options;
    size_t at = indent;
    fprintf(to, "usage: maxk %s ", u->command);
    while (*part) {
        const size_t name = strcspn(part, "|"), n = name + (part[name] == '|'), columns = width(part, n);
        if (at > indent && at + columns > right) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
        }
        fwrite(part, 1, n, to);
        at += columns;
        part += n;
    }
    fprintf(to, "%s%s\n\n", u->operands ? " " : "", options);
}

static void text_command(const struct mk_help *h, FILE *to)
{
    const struct mk_usage *u = h->usage;
    put_usage(to, u);
    put_text(to, u->text);
    fputs("\noptions:\n", to);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        char left[96], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        put_option(to, left, o->help, o->choices);
    }
    put_option(to, "  -h, --help[=FORM]", "print this help, or its form for the man page or for a shell's completion",
               MK_HELP_FORMS);
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
    const char *group = "";
    char room[MK_PATH_ROOM];
    const char *page = mk_manual_page(room);
    fputs("maxk: a laboratory for max-K-armed (extreme) bandits\n\nusage: maxk COMMAND [operand]… [option]…\n", to);
    for (; commands->name; commands++) {
        if (strcmp(group, commands->group) != 0) fprintf(to, "\n%s:\n", commands->group);
        group = commands->group;
        fprintf(to, "  %-12s %s\n", commands->name, commands->summary);
    }
    fputs("\n`maxk help COMMAND` (or `maxk COMMAND --help`) describes one command. `maxk --help=man` prints the\n"
          "man page; `maxk --help=bash`, `=zsh` and `=fish` print completion scripts for these shells.\n"
          "`maxk --version` prints the version.\n",
          to);
    if (page)
        fprintf(to, "The manual, with tutorials and a search box: file://%s\n", page);
    else
        fputs("The manual, with tutorials and a search box: `make manual` in the source.\n", to);
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
