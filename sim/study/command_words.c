#include "sim/study/command_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/base/yaml_values.h"
#include "sim/study/shell_quotes.h"

static const char *const trial_names[] = {"arm",    "trial", "seed",     "fidelity", "config", "directory",
                                          "folder", "bound", "instance", "here",     "args"};
enum { TRIAL_NAMES = sizeof trial_names / sizeof *trial_names, OF_RUN = 8, NAME_ROOM = 256 }; /* two are of the run */

/* ---- placeholders ---- */

enum piece { PIECE_END, PIECE_TEXT, PIECE_NAME, PIECE_BAD };

/* The next piece of a template at *at, which moves on: a character or the name of a placeholder. */
static enum piece next_piece(const char **at, char name[NAME_ROOM])
{
    const char *c = *at;
    if (!*c) return PIECE_END;
    if ((*c == '{' && c[1] == '{') || (*c == '}' && c[1] == '}')) {
        name[0] = *c;
        *at = c + 2;
        return PIECE_TEXT;
    }
    if (*c == '}') return PIECE_BAD;
    if (*c != '{') {
        name[0] = *c;
        *at = c + 1;
        return PIECE_TEXT;
    }
    const char *end = strchr(c, '}');
    if (!end || end == c + 1 || end - c > NAME_ROOM) return PIECE_BAD;
    memcpy(name, c + 1, (size_t)(end - c - 1));
    name[end - c - 1] = 0;
    *at = end + 1;
    return PIECE_NAME;
}

/* Appends how braces are written to a message about a placeholder. */
static int hint_at_braces(struct mk_error *err)
{
    const size_t n = err ? strlen(err->text) : 0;
    if (err) snprintf(err->text + n, sizeof err->text - n, "; {{ and }} are braces");
    return MK_EINPUT;
}

static int check_pieces(const char *word, const char *const *names, size_t n, bool whole_args, struct mk_where where,
                        const char *key, struct mk_error *err)
{
    char name[NAME_ROOM], clip[MK_CLIP_ROOM];
    const char *at = word;
    for (enum piece p; (p = next_piece(&at, name)) != PIECE_END;) {
        if (p == PIECE_BAD)
            return mk_fail_at(err, where, key, "expected {NAME}, or {{ and }} for braces, got '%s'",
                              mk_clip(word, clip));
        if (p == PIECE_TEXT) continue;
        size_t i = 0;
        while (i < n && strcmp(names[i], name) != 0) i++;
        if (i == n) {
            mk_fail_word(err, where, key, name, "placeholder", "", names, n);
            return hint_at_braces(err);
        }
        if (whole_args && strcmp(name, "args") == 0 && strcmp(word, "{args}") != 0)
            return mk_fail_at(err, where, key, "expected {args} as a word of its own, got '%s'", mk_clip(word, clip));
    }
    return MK_OK;
}

/* A word is dropped where a hyperparameter that it names is inactive: it must not have the value of another one. */
static int check_dropped(const char *word, const struct mk_space *space, struct mk_where where, const char *key,
                         struct mk_error *err)
{
    char name[NAME_ROOM], clip[MK_CLIP_ROOM], other[MK_CLIP_ROOM], all[MK_CLIP_ROOM];
    size_t first = SIZE_MAX;
    const char *at = word;
    for (enum piece p; (p = next_piece(&at, name)) != PIECE_END;) {
        const size_t i = p == PIECE_NAME ? mk_space_find(space, name) : SIZE_MAX;
        if (i == SIZE_MAX) continue;
        if (first == SIZE_MAX) first = i;
        if (mk_space_active_together(space, i, first)) continue;
        const size_t often = space->hyper[i].n_when ? first : i, seldom = often == i ? first : i;
        return mk_fail_at(
            err, where, key,
            "'%s' would be dropped with the value of %s where %s is inactive; expected words of their own, "
            "{args}, {config}, or `shell`, in which only %s is empty then",
            mk_clip(word, all), mk_clip(space->hyper[often].name, clip), mk_clip(space->hyper[seldom].name, other),
            other);
    }
    return MK_OK;
}

static int check_word(const char *word, const struct mk_space *space, bool shell, struct mk_where where,
                      const char *key, struct mk_error *err)
{
    const size_t own = space ? space->n : 0;
    const char **names = malloc((own + TRIAL_NAMES) * sizeof *names);
    if (!names) return mk_fail_memory(err, "a command");
    for (size_t i = 0; i < own; i++) names[i] = space->hyper[i].name;
    for (size_t i = 0; i < TRIAL_NAMES; i++) names[own + i] = trial_names[i];
    const size_t from = space ? 0 : OF_RUN, n = space ? own + TRIAL_NAMES : 2;
    int code = check_pieces(word, names + from, n, !shell, where, key, err);
    free(names);
    return code || shell || !space ? code : check_dropped(word, space, where, key, err);
}

/* Whether a word holds the name between these two texts. */
static bool holds(const struct mk_command_words *c, const char *before, const char *name, const char *after)
{
    char text[NAME_ROOM + 3];
    snprintf(text, sizeof text, "%s%s%s", before, name, after);
    return mk_command_has(c, text);
}

static bool has_value_of(const struct mk_command_words *c, const char *name)
{
    return holds(c, "{", name, "}");
}

/* A shell text must not name a hyperparameter as its own variables are named: $NAME would be empty, and ${NAME} the
 * placeholder after a $. It may set or read such a variable itself. */
static int check_variables(const struct mk_command_words *c, const struct mk_space *space, struct mk_where where,
                           struct mk_error *err)
{
    static const char word_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *const text = c->word[0];
    char name[NAME_ROOM], clip[MK_CLIP_ROOM];
    for (const char *at = text; (at = strchr(at, '$')); at += strspn(at, "$")) {
        const bool braces = at[1] == '{', is_escaped = at > text && at[-1] == '\\';
        const size_t length = strspn(at + 1 + braces, word_bytes);
        if (is_escaped || length >= NAME_ROOM || (braces && at[2 + length] != '}')) continue;
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1 + braces);
        if (mk_space_find(space, name) == SIZE_MAX) continue;
        if (braces || !(has_value_of(c, name) || holds(c, "", name, "=") || mk_command_has(c, "MAXK_")))
            return mk_fail_at(err, where, "shell",
                              "'$%s%s%s' is a variable of the shell; expected {%s}, the value of %s", braces ? "{" : "",
                              mk_clip(name, clip), braces ? "}" : "", clip, clip);
    }
    return MK_OK;
}

int mk_command_check(const struct mk_command_words *c, const struct mk_space *space, struct mk_where where,
                     const char *key, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < c->n && !code; i++) code = check_word(c->word[i], space, c->shell, where, key, err);
    return code || !c->shell || !space ? code : check_variables(c, space, where, err);
}

bool mk_command_has(const struct mk_command_words *c, const char *placeholder)
{
    for (size_t i = 0; i < c->n; i++)
        if (strstr(c->word[i], placeholder)) return true;
    return false;
}

int mk_command_check_arg(const char *word, struct mk_where where, struct mk_error *err)
{
    static const char *const names[] = {"name", "last", "value"};
    return check_pieces(word, names, 3, false, where, "args", err);
}

/* ---- expansion ---- */

/* Words under construction. */
struct words {
    size_t n;
    char **word;
    bool failed;
};

static void add_word(struct words *w, char *word)
{
    if (!MK_GROW(w->word, w->n, 2)) {
        free(word);
        word = NULL;
    }
    if (!word) {
        w->failed = true;
        return;
    }
    w->word[w->n++] = word;
    w->word[w->n] = NULL;
}

/* Its words, or NULL where one of them is missing. */
static char **finish_words(const struct words *w)
{
    if (!w->failed) return w->word;
    mk_command_free(w->word);
    return NULL;
}

/* The expansion of a template: a word, or a shell text whose values are parameters. */
struct expansion {
    FILE *to;
    struct words *parameters; /* of a shell text; NULL: a word */
    struct mk_shell_quotes quotes;
};

static void put_character(struct expansion *x, char c)
{
    putc(c, x->to);
    if (x->parameters) mk_shell_quotes_next(&x->quotes, c);
}

static void put_value(struct expansion *x, const char *text)
{
    if (!x->parameters) {
        fputs(text, x->to);
        return;
    }
    add_word(x->parameters, strdup(text));
    mk_shell_put_parameter(x->to, &x->quotes, x->parameters->n, !*text);
}

/* What follows the last dot of the name of a hyperparameter: a conditional one of a nested space is parent.choice.name.
 */
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot[1] ? dot + 1 : name;
}

/* The word of `args` for hyperparameter i. */
static void put_arg(FILE *to, const char *template, const struct mk_trial_words *w, size_t i)
{
    char name[NAME_ROOM], room[MK_HYPER_TEXT];
    const char *at = template;
    for (enum piece p; (p = next_piece(&at, name)) != PIECE_END && p != PIECE_BAD;) {
        if (p == PIECE_TEXT)
            putc(name[0], to);
        else
            fputs(strcmp(name, "name") == 0   ? w->space->hyper[i].name
                  : strcmp(name, "last") == 0 ? last_part(w->space->hyper[i].name)
                                              : mk_hyper_text(&w->space->hyper[i], w->v[i], room),
                  to);
    }
}

/* A word of `args`, malloc'ed. */
static char *arg_text(const char *template, const struct mk_trial_words *w, size_t i)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    put_arg(to, template, w, i);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* All words of {args}: into `out` as they are, or into a shell text. */
static void put_args(const struct mk_command_words *c, const struct mk_trial_words *w, struct words *out,
                     struct expansion *x)
{
    bool between = false;
    for (size_t i = 0; i < w->space->n; i++) {
        if (isnan(w->v[i])) continue;
        for (size_t a = 0; a < c->n_args; a++) {
            char *text = arg_text(c->arg[a], w, i);
            if (text && !*text && c->n_args == 1) { /* an option that is not given */
                free(text);
                continue;
            }
            if (out) {
                add_word(out, text);
                continue;
            }
            if (between) putc(' ', x->to);
            put_value(x, text ? text : "");
            x->parameters->failed |= !text;
            free(text);
            between = true;
        }
    }
}

/* The text of a placeholder of the trial; room for numbers. */
static const char *trial_text(const char *name, const struct mk_trial_words *w, char room[40])
{
    if (strcmp(name, "arm") == 0) return w->arm;
    if (strcmp(name, "config") == 0) return w->config;
    if (strcmp(name, "directory") == 0) return w->directory;
    if (strcmp(name, "folder") == 0) return w->folder;
    if (strcmp(name, "here") == 0) return w->here;
    if (strcmp(name, "instance") == 0) return w->instance;
    if (strcmp(name, "fidelity") == 0) return mk_format_real(w->fidelity, room, 40);
    if (strcmp(name, "bound") == 0) return mk_format_real(w->bound, room, 40);
    snprintf(room, 40, "%" PRIu64, strcmp(name, "seed") == 0 ? w->seed : w->trial);
    return room;
}

/* The text of a template, malloc'ed. *dropped: it names an inactive hyperparameter, or is empty with the value of one.
 */
static char *expand(const struct mk_command_words *c, const char *template, const struct mk_trial_words *w,
                    struct words *parameters, bool *dropped)
{
    char name[NAME_ROOM], room[40], *text = NULL;
    size_t size = 0;
    const char *at = template;
    bool has_value = false;
    struct expansion x = {.to = open_memstream(&text, &size), .parameters = parameters};
    if (!x.to) return NULL;
    for (enum piece p; (p = next_piece(&at, name)) != PIECE_END && p != PIECE_BAD;) {
        const size_t i = p == PIECE_NAME && w->space ? mk_space_find(w->space, name) : SIZE_MAX;
        if (p == PIECE_TEXT)
            put_character(&x, name[0]);
        else if (i != SIZE_MAX && isnan(w->v[i])) {
            *dropped = true;
            put_value(&x, "");
        } else if (i != SIZE_MAX) {
            put_value(&x, mk_hyper_text(&w->space->hyper[i], w->v[i], room));
            has_value = true;
        } else if (strcmp(name, "args") == 0)
            put_args(c, w, NULL, &x);
        else
            put_value(&x, trial_text(name, w, room));
    }
    if (fclose(x.to) == 0) {
        *dropped |= has_value && !*text;
        return text;
    }
    free(text);
    return NULL;
}

/* sh -c TEXT sh VALUE… */
static void add_shell(struct words *out, const struct mk_command_words *c, const struct mk_trial_words *w)
{
    struct words parameters = {0};
    bool dropped = false;
    char *text = expand(c, c->word[0], w, &parameters, &dropped);
    add_word(out, strdup("/bin/sh"));
    add_word(out, strdup("-c"));
    add_word(out, text);
    if (parameters.n) add_word(out, strdup("sh"));
    for (size_t i = 0; i < parameters.n; i++) add_word(out, parameters.word[i]);
    out->failed |= parameters.failed;
    free(parameters.word);
}

char **mk_command_argv(const struct mk_command_words *c, const struct mk_trial_words *w)
{
    struct words out = {0};
    if (c->shell) add_shell(&out, c, w);
    for (size_t i = 0; i < c->n && !c->shell; i++) {
        bool dropped = false;
        if (strcmp(c->word[i], "{args}") == 0 && mk_space_find(w->space, "args") == SIZE_MAX) {
            put_args(c, w, &out, NULL);
            continue;
        }
        char *text = expand(c, c->word[i], w, NULL, &dropped);
        if (dropped)
            free(text);
        else
            add_word(&out, text);
    }
    return finish_words(&out);
}

void mk_trial_folder(const struct mk_trial *trial, const char *directory, char out[MK_TRIAL_PATH_ROOM])
{
    const char *slash = strrchr(directory, '/');
    const int parent = slash ? (int)(slash - directory) + 1 : 0;
    if (trial->origin == SIZE_MAX)
        snprintf(out, MK_TRIAL_PATH_ROOM, "%s", directory);
    else
        snprintf(out, MK_TRIAL_PATH_ROOM, "%.*s%zu", parent, directory, trial->origin + 1);
}

struct mk_trial_words mk_trial_words(const struct mk_tune *t, const struct mk_trial *trial, size_t number,
                                     const char *directory, const char *config)
{
    struct mk_trial_words words = {.arm = t->arm[trial->arm].label,
                                   .instance = trial->on ? trial->on->path : t->instance,
                                   .here = t->here,
                                   .directory = directory,
                                   .config = config,
                                   .trial = number + 1,
                                   .seed = trial->seed,
                                   .fidelity = trial->fidelity,
                                   .bound = trial->bound,
                                   .space = trial->space,
                                   .v = trial->v};
    mk_trial_folder(trial, directory, words.folder);
    return words;
}

char **mk_trial_argv(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *directory)
{
    char *config = NULL;
    if (asprintf(&config, "%s/config.json", directory) < 0) return NULL;
    const struct mk_trial_words words = mk_trial_words(t, trial, number, directory, config);
    char **argv = mk_command_argv(t->arm[trial->arm].command, &words);
    free(config);
    return argv;
}

static void __attribute__((format(printf, 2, 3))) add_printed(struct words *to, const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0) text = NULL;
    va_end(ap);
    add_word(to, text);
}

static void add_variables(struct words *to, const struct mk_trial_words *w)
{
    add_printed(to, "MAXK_TRIAL=%" PRIu64, w->trial);
    add_printed(to, "MAXK_ARM=%s", w->arm);
    add_printed(to, "MAXK_SEED=%" PRIu64, w->seed);
    add_printed(to, "MAXK_CONFIG=%s", w->config);
    add_printed(to, "MAXK_DIRECTORY=%s", w->directory);
    add_printed(to, "MAXK_FOLDER=%s", w->folder);
    add_printed(to, "MAXK_INSTANCE=%s", w->instance);
}

char **mk_trial_variables(const struct mk_trial_words *w)
{
    struct words out = {0};
    add_variables(&out, w);
    return finish_words(&out);
}

static bool decides(const struct mk_space *space, size_t parent)
{
    bool any = false;
    for (size_t i = 0; i < space->n; i++)
        for (size_t w = 0; w < space->hyper[i].n_when; w++) any |= space->hyper[i].when[w].of == parent;
    return any;
}

/* Whether the words name one of the variables, or lack a hyperparameter, which the program then finds by them. */
static bool needs_variables(const struct mk_command_words *c, const struct mk_space *space)
{
    bool needs = false;
    for (size_t i = 0; i < space->n && !needs; i++) needs = !has_value_of(c, space->hyper[i].name);
    return mk_command_has(c, "MAXK_") || (needs && !mk_command_has(c, "{args}") && !mk_command_has(c, "{config}"));
}

size_t mk_command_lacks(const struct mk_command_words *c, const struct mk_space *space, char *out, size_t room)
{
    enum { NAMED = 16 };
    const char *name[NAMED];
    size_t n = 0;
    if (!needs_variables(c, space) || mk_command_has(c, "MAXK_")) return 0;
    for (size_t i = 0; i < space->n; i++) {
        if (has_value_of(c, space->hyper[i].name) || decides(space, i)) continue;
        if (n < NAMED) name[n] = space->hyper[i].name;
        n++;
    }
    mk_join(name, n < NAMED ? n : NAMED, out, room);
    return n;
}

char *mk_trial_command(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *directory)
{
    char *config = NULL, *text = NULL;
    if (asprintf(&config, "%s/config.json", directory) < 0) return NULL;
    const struct mk_trial_words words = mk_trial_words(t, trial, number, directory, config);
    const struct mk_command_words *command = t->arm[trial->arm].command;
    char **argv = mk_command_argv(command, &words);
    struct words out = {0};
    if (needs_variables(command, trial->space)) {
        add_word(&out, strdup("env"));
        add_variables(&out, &words);
    }
    for (size_t i = 0; argv && argv[i]; i++) add_word(&out, strdup(argv[i]));
    char **all = argv ? finish_words(&out) : NULL;
    if (!argv) mk_command_free(out.word);
    if (all) text = mk_command_text(all);
    mk_command_free(all);
    mk_command_free(argv);
    free(config);
    return text;
}

void mk_command_free(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++) free(argv[i]);
    free(argv);
}
