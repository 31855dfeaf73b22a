#include "sim/program/command/command.h"

#include <stdio.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"

/* Without a group: of a table, which has it. */
static const struct mk_command own[] = {
#define COMMAND(name, group, summary) {#name, group, summary, mk_cmd_##name},
#define TABLE(name) {#name, NULL, NULL, mk_cmd_table},
#include "sim/program/command/commands.def"
#undef TABLE
#undef COMMAND
};

enum { OWN = sizeof own / sizeof *own };

static const char *const groups[] = {
    "Simulate", "Results", "Theory against simulation", "Arms and recorded rewards", "Registries", "Performance"};

static bool has(const struct mk_command *all, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) return true;
    return false;
}

size_t mk_commands(struct mk_command all[MK_MOST_COMMANDS + 1])
{
    const struct mk_table_type *t;
    size_t n = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (size_t i = 0; i < OWN; i++) {
            t = own[i].group ? NULL : mk_table_type_find(own[i].name);
            const char *group = t ? t->group : own[i].group, *summary = t ? t->summary : own[i].summary;
            if (strcmp(group, groups[g]) == 0) all[n++] = (struct mk_command){own[i].name, group, summary, own[i].run};
        }
        for (size_t i = 0; n < MK_MOST_COMMANDS && (t = mk_table_type_at(i)); i++)
            if (t->group && strcmp(t->group, groups[g]) == 0 && !has(own, OWN, t->usage.command))
                all[n++] = (struct mk_command){t->usage.command, t->group, t->summary, mk_cmd_table};
    }
    memset(&all[n], 0, sizeof all[n]);
    return n;
}

void mk_command_fail(int code, const struct mk_error *err)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", err->text[0] ? err->text : mk_code_text(code));
    fflush(stderr);
}
