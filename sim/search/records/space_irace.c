/* parameters.txt and scenario.txt of irace 2 to 4 (readParameters, readScenario):
 *
 *     name  "switch"  type  (domain)  [| condition]      types c, o, i, r, with "i,log" and "r,log"
 *     [forbidden]  conditions, one a line
 *     [global]  digits = 4
 *
 * scenario.txt has lines `key = value`. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/base/yaml_values.h"
#include "sim/search/records/importer.h"
#include "sim/search/records/space_draft.h"

enum { ROOM = 1000 };

/* Ends the line at a comment. */
static void drop_comment(char *line)
{
    char quote = 0;
    for (char *c = line; *c; c++) {
        if (quote)
            quote = *c == quote ? 0 : quote;
        else if (*c == '"' || *c == '\'')
            quote = *c;
        else if (*c == '#')
            *c = 0;
        if (!*c) return;
    }
}

/* The next line without its comment; NULL: none. */
static char *next_line(struct mk_space_draft *d, char **rest)
{
    char *line = *rest;
    if (!line) return NULL;
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    *rest = end ? end + 1 : NULL;
    d->line++;
    drop_comment(line);
    return mk_draft_trim(line);
}

/* ---- parameters ---- */

/* The parts of a line; they point into it. */
struct line {
    char *name, *flag, *type, *domain, *condition;
};

/* Cuts a word, or what is in quotes. */
static char *cut_word(char **at)
{
    char *c = mk_draft_trim(*at), *end;
    if (*c == '"' || *c == '\'') {
        end = strchr(c + 1, *c);
        c++;
    } else {
        end = c + strcspn(c, " \t(");
    }
    if (!end || !*end) return NULL;
    if (*end == '(') { /* the domain follows at once: the word is the character before */
        memmove(c - 1, c, (size_t)(end - c));
        end[-1] = 0;
        *at = end;
        return c - 1;
    }
    *end = 0;
    *at = end + 1;
    return c;
}

static char *matching(char *open)
{
    char quote = 0;
    int depth = 0;
    for (char *c = open; *c; c++) {
        if (quote) {
            quote = *c == quote ? 0 : quote;
            continue;
        }
        if (*c == '"' || *c == '\'') quote = *c;
        depth += (*c == '(') - (*c == ')');
        if (!depth) return c;
    }
    return NULL;
}

static int cut_line(struct mk_space_draft *d, char *text, struct line *l)
{
    *l = (struct line){NULL};
    char *at = text;
    l->name = cut_word(&at);
    l->flag = l->name ? cut_word(&at) : NULL;
    char *open = l->flag ? strchr(at, '(') : NULL, *close = open ? matching(open) : NULL;
    if (!close) return mk_draft_fail(d, "expected name \"switch\" type (domain), got '%.80s'", text);
    *open = *close = 0;
    l->type = mk_draft_trim(at);
    l->domain = open + 1;
    char *rest = mk_draft_trim(close + 1);
    if (*rest == '|') l->condition = mk_draft_trim(rest + 1);
    return MK_OK;
}

/* The end of a range: a number, or a formula of other parameters. */
static int read_end(const struct mk_space_draft *d, const char *text, struct mk_node *to)
{
    return mk_node_add(to, NULL, mk_node_scalar(text, strlen(text))) ? MK_OK : mk_fail_memory(d->err, "a search space");
}

static int read_number(struct mk_space_draft *d, const struct line *l, struct mk_node **out)
{
    char *list = l->domain, *low = mk_draft_item(&list), *high = mk_draft_item(&list);
    struct mk_node *range = mk_node_new(MK_NODE_LIST, 1);
    int code = low && high && !mk_draft_item(&list) ? MK_OK : mk_draft_fail(d, "%s: expected (low, high)", l->name);
    if (!code) code = read_end(d, low, range);
    if (!code) code = read_end(d, high, range);
    if (code) {
        mk_node_free(range);
        return code;
    }
    *out = mk_draft_hyper(d, l->name, *l->type == 'i' ? "integer" : "real", range);
    if (*out && strstr(l->type, "log") && !mk_add_text(*out, "log", "true")) *out = NULL;
    return *out ? MK_OK : mk_fail_memory(d->err, "a search space");
}

static int read_words(struct mk_space_draft *d, const struct line *l, struct mk_node **out)
{
    struct mk_node *list = mk_node_new(MK_NODE_LIST, 1);
    bool good = list != NULL;
    char *items = l->domain;
    for (char *item; good && (item = mk_draft_item(&items));)
        good = mk_node_add(list, NULL, mk_node_text(item)) != NULL;
    if (good && list->n == 1) {
        struct mk_node *value = mk_node_text(list->child[0]->text);
        mk_node_free(list);
        *out = mk_draft_hyper(d, l->name, "constant", value);
    } else {
        *out = good ? mk_draft_hyper(d, l->name, *l->type == 'o' ? "ordinal" : "categorical", list) : NULL;
        if (!good) mk_node_free(list);
    }
    return *out ? MK_OK : mk_fail_memory(d->err, "a search space");
}

static int read_parameter(struct mk_space_draft *d, char *text, struct mk_node *flags)
{
    struct line l;
    struct mk_node *h = NULL;
    bool good = true;
    int code = cut_line(d, text, &l);
    if (code) return code;
    if (mk_node_get(d->space, l.name)) return mk_draft_fail(d, "%s: there twice", l.name);
    if (*l.type == 'i' || *l.type == 'r')
        code = read_number(d, &l, &h);
    else if (*l.type == 'c' || *l.type == 'o')
        code = read_words(d, &l, &h);
    else
        code = mk_draft_fail(d, "%s: expected the type c, o, i or r, with \",log\" after i and r, got '%.40s'", l.name,
                             l.type);
    if (!code && !mk_add_text(flags, l.name, l.flag)) code = mk_fail_memory(d->err, "a search space");
    if (code || !l.condition) return code;
    struct mk_node *when = mk_node_new(MK_NODE_MAPPING, 1);
    code = when ? mk_draft_conditions(d, l.condition, when, &good) : mk_fail_memory(d->err, "a condition");
    if (!code && good && when->n && !mk_node_add(h, "when", mk_node_copy(when)))
        code = mk_fail_memory(d->err, "a condition");
    if (!code && !good)
        code = mk_draft_note(d, "%s: the condition '%s' has no form here; it is always active", l.name, l.condition);
    mk_node_free(when);
    return code;
}

static int read_forbidden(struct mk_space_draft *d, char *text)
{
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1);
    bool good = true;
    int code = mapping ? mk_draft_conditions(d, text, mapping, &good) : mk_fail_memory(d->err, "a condition");
    if (!code && good && mapping->n) return mk_draft_forbid(d, mapping);
    if (!code) code = mk_draft_forbid_relations(d, text, &good);
    if (!code && !good) code = mk_draft_note(d, "'%s' has no form here; it is not forbidden", text);
    mk_node_free(mapping);
    return code;
}

/* How the words of a program are written where all switches are alike: "--{name}={value}". */
static int add_args(struct mk_space_draft *d, const struct mk_node *flags)
{
    char before[ROOM] = "", after[ROOM] = "";
    bool alike = flags->n > 0;
    for (size_t i = 0; i < flags->n && alike; i++) {
        const char *flag = flags->child[i]->text, *name = flags->child[i]->key, *at = strstr(flag, name);
        char own[2][ROOM] = {"", ""};
        alike = at && strlen(flag) < ROOM;
        if (!alike) break;
        snprintf(own[0], ROOM, "%.*s", (int)(at - flag), flag);
        snprintf(own[1], ROOM, "%s", at + strlen(name));
        if (i && (strcmp(own[0], before) != 0 || strcmp(own[1], after) != 0)) alike = false;
        memcpy(before, own[0], ROOM);
        memcpy(after, own[1], ROOM);
    }
    if (!alike)
        return mk_draft_note(
            d, "the switches differ; expected `command` with a word of its own for every parameter, such as "
               "\"--alpha={alpha}\", or a program that reads {config}");
    struct mk_node *args = mk_node_add(d->root, "args", mk_node_new(MK_NODE_LIST, 1));
    const bool apart = strcmp(after, " ") == 0;
    char word[2 * ROOM + 20];
    snprintf(word, sizeof word, "%s{name}%s%s", before, apart ? "" : after, apart ? "" : "{value}");
    const bool good = args && mk_node_add(args, NULL, mk_node_text(word)) &&
                      (!apart || mk_node_add(args, NULL, mk_node_text("{value}")));
    return good ? MK_OK : mk_fail_memory(d->err, "a search space");
}

int mk_space_read_irace(struct mk_space_draft *d, char *text)
{
    enum { PARAMETERS, FORBIDDEN, GLOBAL } section = PARAMETERS;
    struct mk_node *flags = mk_node_new(MK_NODE_MAPPING, 0);
    int code = flags ? MK_OK : mk_fail_memory(d->err, "a search space");
    d->line = 0;
    for (char *rest = text, *line; !code && (line = next_line(d, &rest));) {
        if (!*line) continue;
        if (strcmp(line, "[forbidden]") == 0)
            section = FORBIDDEN;
        else if (strcmp(line, "[global]") == 0)
            section = GLOBAL;
        else if (section == PARAMETERS)
            code = read_parameter(d, line, flags);
        else if (section == FORBIDDEN)
            code = read_forbidden(d, line);
        else
            code = mk_draft_note(d, "'%s' is left out", line);
    }
    if (!code) code = add_args(d, flags);
    mk_node_free(flags);
    return code;
}

/* ---- a scenario ---- */

/* The path of a file or folder that the scenario names, relative to its own folder; malloc'ed. */
static char *path_of(const struct mk_space_draft *d, const char *name)
{
    const char *slash = strrchr(d->path, '/');
    char *path = NULL;
    if (strncmp(name, "./", 2) == 0) name += 2;
    const int folder = slash && *name != '/' ? (int)(slash - d->path) + 1 : 0;
    return asprintf(&path, "%.*s%s", folder, d->path, name) < 0 ? NULL : path;
}

/* The instances of a list, a line each, in the folder `before`; or of a folder. */
static int add_instances(struct mk_space_draft *d, const char *key, const char *folder, const char *file)
{
    char *text = NULL, *path = *file ? path_of(d, file) : NULL;
    size_t n;
    if (!*file) {
        struct mk_node *to = *folder ? mk_node_add(d->root, key, mk_node_new(MK_NODE_MAPPING, 1)) : NULL;
        return !*folder || mk_add_text(to, "folder", folder) ? MK_OK : mk_fail_memory(d->err, "instances");
    }
    struct mk_node *list = mk_node_add(d->root, key, mk_node_new(MK_NODE_LIST, 0));
    int code = path && list ? mk_import_whole(path, &text, &n, d->err) : mk_fail_memory(d->err, "instances");
    for (char *rest = text, *line; !code && (line = next_line(d, &rest));) {
        char *name = NULL;
        if (!*line) continue;
        if (asprintf(&name, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] != '/' ? "/" : "",
                     mk_draft_unquote(line)) < 0)
            name = NULL;
        if (!name || !mk_node_add(list, NULL, mk_node_text(name))) code = mk_fail_memory(d->err, "instances");
        free(name);
    }
    free(text);
    free(path);
    return code;
}

/* One initial configuration. */
static int add_first(struct mk_space_draft *d, struct mk_node *list, const char *header, char *line)
{
    char *names = strdup(header), *save[2] = {NULL, NULL};
    struct mk_node *item = mk_node_add(list, NULL, mk_node_new(MK_NODE_MAPPING, 1));
    bool good = names && mk_add_text(item, "arm", "target");
    char *name = good ? strtok_r(names, " \t", &save[0]) : NULL, *value = good ? strtok_r(line, " \t", &save[1]) : NULL;
    for (; name && value && good; name = strtok_r(NULL, " \t", &save[0]), value = strtok_r(NULL, " \t", &save[1])) {
        name = mk_draft_unquote(name);
        value = mk_draft_unquote(value);
        const struct mk_node *h = mk_node_get(d->space, name);
        if (!h || mk_node_get(h, "constant") || strcmp(value, "NA") == 0) continue;
        good = mk_node_add(item, name, mk_node_scalar(value, strlen(value))) != NULL;
    }
    free(names);
    return good ? MK_OK : mk_fail_memory(d->err, "initial configurations");
}

/* The initial configurations, as those to be tried first: a line of names, and one for each of them. */
static int add_initial(struct mk_space_draft *d, const char *file)
{
    char *text = NULL, *path = path_of(d, file), *rest, *names = NULL;
    size_t n;
    int code = path ? mk_import_whole(path, &text, &n, d->err) : mk_fail_memory(d->err, "a file");
    struct mk_node *list = code ? NULL : mk_node_add(d->root, "first", mk_node_new(MK_NODE_LIST, 0));
    if (!code && !list) code = mk_fail_memory(d->err, "initial configurations");
    rest = text;
    for (char *line; !code && (line = next_line(d, &rest));) {
        if (!*line) continue;
        if (names)
            code = add_first(d, list, names, line);
        else
            names = line;
    }
    if (list && !list->n) mk_node_free(mk_node_take(d->root, "first"));
    free(text);
    free(path);
    return code;
}

static int read_parameters_of(struct mk_space_draft *d, const char *file)
{
    char *text = NULL, *path = path_of(d, file);
    const char *own = d->path;
    size_t n;
    int code = path ? mk_import_whole(path, &text, &n, d->err) : mk_fail_memory(d->err, "a file");
    d->path = path;
    if (!code) code = mk_space_read_irace(d, text);
    d->path = own;
    free(text);
    free(path);
    return code;
}

enum { PARAMETERS, RUNNER, TRAIN, TRAIN_FILE, TEST, TEST_FILE, BUDGET, INITIAL, SEED, KEYS };

static int use_scenario(struct mk_space_draft *d, char *const value[KEYS])
{
    struct mk_node *space = mk_node_take(d->root, "space"), *budget, *command;
    int code = MK_OK;
    if (*value[RUNNER]) {
        static const char *const words[] = {"{trial}", "1", "{seed}", "{instance}", "{args}"};
        command = mk_node_add(d->root, "command", mk_node_new(MK_NODE_LIST, 1));
        bool good = command && mk_node_add(command, NULL, mk_node_text(value[RUNNER]));
        for (size_t i = 0; i < sizeof words / sizeof *words && good; i++)
            good = mk_node_add(command, NULL, mk_node_text(words[i])) != NULL;
        struct mk_node *metric = mk_node_add(d->root, "metric", mk_node_new(MK_NODE_MAPPING, 1));
        if (!good || !mk_add_text(metric, "irace", "true")) code = mk_fail_memory(d->err, "a command");
    }
    if (!code) code = add_instances(d, "instances", value[TRAIN], value[TRAIN_FILE]);
    if (!code) code = add_instances(d, "test_instances", value[TEST], value[TEST_FILE]);
    if (!code && *value[BUDGET] && (budget = mk_node_add(d->root, "budget", mk_node_new(MK_NODE_MAPPING, 1))))
        mk_node_add(budget, "evaluations", mk_node_scalar(value[BUDGET], strlen(value[BUDGET])));
    if (!code && *value[SEED]) mk_node_add(d->root, "seed", mk_node_scalar(value[SEED], strlen(value[SEED])));
    if (!code && !(mk_add_text(d->root, "optimizer", "irace") && mk_add_text(d->root, "policy", "uniform")))
        code = mk_fail_memory(d->err, "a search space");
    struct mk_node *arms = mk_node_add(d->root, "arms", mk_node_new(MK_NODE_LIST, 0));
    struct mk_node *arm = mk_node_add(arms, NULL, mk_node_new(MK_NODE_MAPPING, 0));
    if (!code && !mk_add_text(arm, "label", "target")) code = mk_fail_memory(d->err, "a search space");
    d->space = mk_node_add(arm, "space", space);
    if (!code) code = d->space ? read_parameters_of(d, value[PARAMETERS]) : mk_fail_memory(d->err, "a search space");
    return code || !*value[INITIAL] ? code : add_initial(d, value[INITIAL]);
}

int mk_space_read_scenario(struct mk_space_draft *d, char *text)
{
    static const char *const keys[KEYS] = {"parameterFile",      "targetRunner",       "trainInstancesDir",
                                           "trainInstancesFile", "testInstancesDir",   "testInstancesFile",
                                           "maxExperiments",     "configurationsFile", "seed"};
    char nothing[] = "", parameters[] = "parameters.txt";
    char *value[KEYS] = {parameters, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
    int code = MK_OK;
    d->line = 0;
    for (char *rest = text, *line; !code && (line = next_line(d, &rest));) {
        char *equal = strchr(line, '=');
        if (!*line) continue;
        if (!equal) return mk_draft_fail(d, "expected key = value, got '%.80s'", line);
        *equal = 0;
        const char *key = mk_draft_trim(line);
        char *of = mk_draft_unquote(equal + 1);
        size_t k = 0;
        while (k < KEYS && strcmp(keys[k], key) != 0) k++;
        if (k < KEYS)
            value[k] = of;
        else
            code = mk_draft_note(d, "%s = %s is left out", key, of);
    }
    return code ? code : use_scenario(d, value);
}
