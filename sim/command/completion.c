/* Completion of command lines for bash, zsh and fish: commands, options, enumerated values, names of
 * registries, files. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "sim/command/help.h"

/* What may be written in one place: a value of an option, or an operand. */
struct place {
    enum { ANYTHING, WORDS, NAMES, FILES, FOLDERS } kind; /* FILES: with the endings in `text`; all if it has none */
    const char *text; /* "a|b|c", or a placeholder such as "FILE.csv[.gz]|RESULT.h5" */
    mk_name_at *names;
    const struct mk_option *option; /* of which it is a value; NULL: none */
};

/* Copies the ending (".h5") at or after *at, which moves past it; 0: no more. */
static bool next_ending(const char **at, char out[16])
{
    for (const char *c = *at; *c; c++) {
        size_t n = 0;
        if (*c != '.' || !islower((unsigned char)c[1])) continue;
        while (n < 15 && isalnum((unsigned char)c[n + 1])) n++;
        snprintf(out, 16, "%.*s", (int)n, c + 1);
        *at = c + 1 + n;
        return true;
    }
    return false;
}

static struct place place_of_value(const struct mk_option *o)
{
    char ending[16];
    const char *at = o->arg ? o->arg : "";
    if (o->choices) return (struct place){WORDS, o->choices, NULL, o};
    if (strcmp(at, "DIR") == 0) return (struct place){FOLDERS, "", NULL, NULL};
    return next_ending(&at, ending) ? (struct place){FILES, o->arg, NULL, NULL}
                                    : (struct place){ANYTHING, "", NULL, NULL};
}

static struct place place_of_operand(const struct mk_help *h)
{
    char ending[16];
    const char *text = h->usage->operands, *at = text;
    if (!text) return (struct place){ANYTHING, "", NULL, NULL};
    if (h->names) return (struct place){NAMES, "", h->names, NULL};
    if (!next_ending(&at, ending) && strchr(text, '|')) return (struct place){WORDS, text, NULL, NULL};
    return (struct place){FILES, text, NULL, NULL};
}

static void put_words(FILE *to, const char *text)
{
    for (; *text; text++) fputc(*text == '|' ? ' ' : *text, to);
}

/* The words of a place, or the endings of its files, separated by blanks; each ending preceded by `before`. */
static void put_list(FILE *to, const struct place *p, const char *before)
{
    const char *at = p->text, *separator = "";
    char ending[16];
    if (p->kind == WORDS) put_words(to, p->text);
    const struct mk_option *o = p->option ? mk_option_next(p->option) : NULL;
    for (; o; o = mk_option_next(o)) {
        fputc(' ', to);
        put_words(to, o->choices);
    }
    for (size_t i = 0; p->kind == NAMES && p->names(i); i++) fprintf(to, "%s%s", i ? " " : "", p->names(i));
    while (p->kind == FILES && next_ending(&at, ending)) {
        fprintf(to, "%s%s%s", separator, before, ending);
        separator = " ";
    }
}

/* Text within single quotes of a shell; `escape`: characters that get a backslash. */
static void put_quoted(FILE *to, const char *text, const char *quote, const char *escape)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, to);
            continue;
        }
        if (strchr(escape, *text)) fputc('\\', to);
        fputc(*text, to);
    }
}

/* ---- bash ---- */

static void bash_place(FILE *to, const struct place *p)
{
    static const char *const kind[] = {"", "words", "words", "files", "folders"};
    fprintf(to, "kind=%s list='", kind[p->kind]);
    put_list(to, p, "");
    fputs("' ;;\n", to);
}

static void bash_command(const struct mk_help *h, FILE *to)
{
    struct place operand = place_of_operand(h);
    fprintf(to, "    %s)\n        options='", h->usage->command);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        if (mk_option_is_later(h->options, o)) continue;
        if (o->letter) fprintf(to, "-%c ", o->letter);
        fprintf(to, "--%s ", o->name);
    }
    fputs("--help'\n        case $previous in\n", to);
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        struct place value = place_of_value(o);
        if (o->kind == MK_OPT_FLAG || mk_option_is_later(h->options, o)) continue;
        fputs("        ", to);
        if (o->letter) fprintf(to, "-%c | ", o->letter);
        fprintf(to, "--%s) options= ", o->name);
        bash_place(to, &value);
    }
    fputs("        *) ", to);
    bash_place(to, &operand);
    fputs("        esac ;;\n", to);
}

static void bash_begin(const struct mk_command *commands, FILE *to)
{
    fputs("# Completion of maxk for bash, written by `maxk --help=bash`.\n_maxk()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options='' kind='' list='' "
          "command=''\n"
          "    if [[ $word == = ]]; then word=''\n"
          "    elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
          "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
          "    case $command in\n    '') options='--help --version' kind=words list='",
          to);
    for (; commands->name; commands++) fprintf(to, "%s%s", commands->name, commands[1].name ? " " : "");
    fputs("' ;;\n", to);
}

static void bash_end(FILE *to)
{
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then kind=words list=$options; fi\n"
          "    COMPREPLY=()\n"
          "    case $kind in\n"
          "    words) mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$word\") ;;\n"
          "    files | folders)\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(\n"
          "            compgen -d -- \"$word\"\n"
          "            for ending in $list; do compgen -f -X \"!*.$ending\" -- \"$word\"; done\n"
          "            if [[ $kind == files && -z $list ]]; then compgen -f -- \"$word\"; fi\n"
          "        ) ;;\n"
          "    esac\n}\ncomplete -F _maxk maxk\n",
          to);
}

/* ---- zsh ---- */

static void zsh_place(FILE *to, const char *message, const struct place *p)
{
    fputc(':', to);
    put_quoted(to, message, "'\\''", ":[]");
    fputc(':', to);
    if (p->kind == WORDS || p->kind == NAMES) {
        fputc('(', to);
        put_list(to, p, "");
        fputc(')', to);
    } else if (p->kind == FILES) {
        char ending[16];
        const char *at = p->text;
        int some = next_ending(&at, ending);
        fputs(some ? "_files -g \"" : "_files", to);
        put_list(to, p, "*.");
        if (some) fputc('"', to);
    } else if (p->kind == FOLDERS) {
        fputs("_files -/", to);
    }
}

static void zsh_option(FILE *to, const struct mk_option *o)
{
    int flag = o->kind == MK_OPT_FLAG;
    struct place value = place_of_value(o);
    fputs(" \\\n            ", to);
    if (o->kind == MK_OPT_TEXTS)
        fputs("'*'", to);
    else if (o->letter)
        fprintf(to, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter)
        fprintf(to, "{-%c%s,--%s%s}'[", o->letter, flag ? "" : "+", o->name, flag ? "" : "=");
    else
        fprintf(to, "'--%s%s[", o->name, flag ? "" : "=");
    put_quoted(to, o->help, "'\\''", "[]");
    fputc(']', to);
    if (!flag) zsh_place(to, o->arg ? o->arg : o->name, &value);
    fputc('\'', to);
}

static void zsh_command(const struct mk_help *h, FILE *to)
{
    struct place operand = place_of_operand(h);
    fprintf(to, "    %s)\n        _arguments -S '--help[print help]'", h->usage->command);
    for (const struct mk_option *o = h->options; o && o->name; o++)
        if (!mk_option_is_later(h->options, o)) zsh_option(to, o);
    if (h->usage->operands) {
        fputs(h->usage->max_operands > 1 ? " \\\n            '*" : " \\\n            '1", to);
        zsh_place(to, h->usage->operands, &operand);
        fputc('\'', to);
    }
    fputs(" ;;\n", to);
}

static void zsh_begin(const struct mk_command *commands, FILE *to)
{
    fputs("#compdef maxk\n# Completion of maxk for zsh, written by `maxk --help=zsh`.\n_maxk()\n{\n"
          "    local -a commands\n    commands=(\n",
          to);
    for (; commands->name; commands++) {
        fprintf(to, "        '%s:", commands->name);
        put_quoted(to, commands->summary, "'\\''", ":");
        fputs("'\n", to);
    }
    fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
          "    shift words\n    ((CURRENT--))\n    case $words[1] in\n",
          to);
}

/* ---- fish ---- */

static void fish_place(FILE *to, const struct place *p)
{
    if (p->kind == WORDS || p->kind == NAMES || p->kind == FOLDERS) fputs(" -a '", to);
    if (p->kind == FOLDERS)
        fputs("(__fish_complete_directories)", to);
    else if (p->kind == FILES)
        fputs(" -F", to);
    else
        put_list(to, p, "");
    if (p->kind == WORDS || p->kind == NAMES || p->kind == FOLDERS) fputs("'", to);
    fputc('\n', to);
}

static void fish_command(const struct mk_help *h, FILE *to)
{
    struct place operand = place_of_operand(h);
    const char *command = h->usage->command;
    for (const struct mk_option *o = h->options; o && o->name; o++) {
        struct place value = place_of_value(o);
        if (mk_option_is_later(h->options, o)) continue;
        fprintf(to, "complete -c maxk -n '__fish_seen_subcommand_from %s' -l %s", command, o->name);
        if (o->letter) fprintf(to, " -s %c", o->letter);
        fputs(" -d '", to);
        put_quoted(to, o->help, "\\'", "\\");
        fputs(o->kind == MK_OPT_FLAG ? "'" : value.kind == WORDS ? "' -x" : "' -r", to);
        fish_place(to, &value);
    }
    if (!h->usage->operands) return;
    fprintf(to, "complete -c maxk -n '__fish_seen_subcommand_from %s'", command);
    fish_place(to, &operand);
}

static void fish_begin(const struct mk_command *commands, FILE *to)
{
    fputs("# Completion of maxk for fish, written by `maxk --help=fish`.\ncomplete -c maxk -f\n", to);
    for (; commands->name; commands++) {
        fprintf(to, "complete -c maxk -n __fish_use_subcommand -a %s -d '", commands->name);
        put_quoted(to, commands->summary, "\\'", "\\");
        fputs("'\n", to);
    }
}

/* ---- every shell ---- */

void mk_completion_begin(enum mk_help_form shell, const struct mk_command *commands, FILE *to)
{
    if (shell == MK_HELP_BASH) bash_begin(commands, to);
    if (shell == MK_HELP_ZSH) zsh_begin(commands, to);
    if (shell == MK_HELP_FISH) fish_begin(commands, to);
}

void mk_completion_command(enum mk_help_form shell, const struct mk_help *h, FILE *to)
{
    if (shell == MK_HELP_BASH) bash_command(h, to);
    if (shell == MK_HELP_ZSH) zsh_command(h, to);
    if (shell == MK_HELP_FISH) fish_command(h, to);
}

void mk_completion_end(enum mk_help_form shell, FILE *to)
{
    if (shell == MK_HELP_BASH) bash_end(to);
    if (shell == MK_HELP_ZSH) fputs("    esac\n}\n_maxk \"$@\"\n", to);
}
