#include "sim/study/shell_quotes.h"

#include <string.h>

static void enter(struct mk_shell_quotes *s, char end)
{
    if (s->depth + 1 < MK_SHELL_DEPTH) s->depth++;
    s->level[s->depth].quote = 0;
    s->level[s->depth].end = end;
}

/* A character outside of single quotes and comments that is not escaped. */
static void read_plain(struct mk_shell_quotes *s, char c)
{
    char *quote = &s->level[s->depth].quote;
    const bool bare = !*quote;
    const char end = s->depth ? s->level[s->depth].end : 0;
    if (c == '\\')
        s->escaped = true;
    else if (c == '"')
        *quote = bare ? '"' : 0;
    else if (c == '\'' && bare)
        *quote = '\'';
    else if (c == '#' && bare && (!s->last || strchr(" \t\n;|&(", s->last)))
        s->comment = true;
    else if (c == '(' && (s->last == '$' || (bare && end == ')')))
        enter(s, ')');
    else if (end && bare && c == end)
        s->depth--;
    else if (c == '`')
        enter(s, '`');
}

void mk_shell_quotes_next(struct mk_shell_quotes *s, char c)
{
    if (s->comment)
        s->comment = c != '\n';
    else if (s->escaped)
        s->escaped = false;
    else if (s->level[s->depth].quote != '\'')
        read_plain(s, c);
    else if (c == '\'')
        s->level[s->depth].quote = 0;
    s->last = c;
}

void mk_shell_put_parameter(FILE *to, const struct mk_shell_quotes *s, size_t number, bool no_word)
{
    static const char *const around[][2] = {{"\"", "\""}, {"", ""}, {"'\"", "\"'"}};
    const char quote = s->level[s->depth].quote;
    const char *const *with = around[quote == '"' || (!quote && no_word) ? 1 : quote ? 2 : 0];
    fprintf(to, "%s${%zu}%s", with[0], number, with[1]);
}
