#include "sim/tune/metric.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "distributions/dist.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"

/* ---- numbers in text ---- */

/* The bytes of the number that begins at text (NaN and infinities as programs print them), or 0. */
static size_t number_at(const char *text, double *out)
{
    static const char *const words[] = {"nan", "infinity", "inf"};
    const size_t sign = *text == '-' || *text == '+';
    for (size_t i = 0; i < 3; i++) {
        const size_t n = strlen(words[i]);
        if (strncasecmp(text + sign, words[i], n) != 0 || isalnum((unsigned char)text[sign + n])) continue;
        *out = i ? (*text == '-' ? -INFINITY : INFINITY) : NAN;
        return sign + n;
    }
    size_t n = strspn(text, "0123456789.eE+-");
    if (n > 64) n = 64;
    for (; n; n--)
        if (mk_parse_real(text, n, out)) return n;
    return 0;
}

/* Whether a number may begin after this character: not within a word or a version. */
static bool separates(char c)
{
    return !isalnum((unsigned char)c) && c != '_' && c != '.';
}

/* The last number of a text. */
static bool last_number(const char *text, double *out)
{
    bool found = false;
    double x;
    for (const char *at = text; *at;) {
        const bool may =
            at == text || separates(at[-1]) || (at[-1] == '.' && (at == text + 1 || !isalnum((unsigned char)at[-2])));
        const size_t n = may ? number_at(at, &x) : 0;
        if (n && !isalpha((unsigned char)at[n]) && at[n] != '_') {
            *out = x;
            found = true;
        }
        at += n ? n : 1;
    }
    return found;
}

/* Value `v` is allowed: finite and within the range of rewards. */
static int check_value(double v, struct mk_error *err)
{
    if (isnan(v)) return mk_fail(err, MK_EINPUT, "the metric is nan");
    if (isinf(v)) return mk_fail(err, MK_EINPUT, "the metric is infinite");
    if (fabs(v) > MK_MOST_REWARD)
        return mk_fail(err, MK_EINPUT, "the metric is %g; expected a number from " MK_REWARD_RANGE, v);
    return MK_OK;
}

/* ---- files ---- */

/* The end of a file, at most MK_METRIC_TAIL bytes, from the beginning of a word on (a longer word: "…"); malloc'ed. */
static char *read_tail(const char *path, struct mk_error *err)
{
    char *text = malloc(MK_METRIC_TAIL + 1);
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (!text || fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        const int why = errno;
        if (fd >= 0) close(fd);
        free(text);
        mk_fail(err, MK_EINPUT, "%s: %s", path,
                !text    ? "out of memory"
                : fd < 0 ? strerror(why)
                         : "not a regular file");
        return NULL;
    }
    const off_t from = st.st_size > MK_METRIC_TAIL ? st.st_size - MK_METRIC_TAIL : 0;
    ssize_t n = 0, got = 0;
    while (n < MK_METRIC_TAIL && (got = pread(fd, text + n, (size_t)(MK_METRIC_TAIL - n), from + n)) > 0) n += got;
    close(fd);
    for (ssize_t i = 0; i < n; i++)
        if (!text[i]) text[i] = ' ';
    text[n] = 0;
    if (from) {
        const size_t cut = strcspn(text, " \t\r\n");
        memmove(text, text + cut, (size_t)n - cut + 1);
        if (!text[strspn(text, " \t\r\n")]) strcpy(text, "…"); /* it is not empty */
    }
    return text;
}

const char *mk_last_line(const char *path, char *out, size_t room)
{
    struct mk_error ignored;
    char *text = read_tail(path, &ignored), *end, *line;
    snprintf(out, room, "%s", "");
    if (!text) return out;
    for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); end--) continue;
    *end = 0;
    line = strrchr(text, '\n');
    snprintf(out, room, "%s", line ? line + 1 : text);
    mk_text_one_line(out);
    free(text);
    return out;
}

/* ---- JSON ---- */

/* The node at a dotted path; whole numbers count the items of lists. */
static const struct mk_node *find_path(const struct mk_node *node, const char *path)
{
    while (node && *path) {
        const size_t n = strcspn(path, ".");
        char *key = strndup(path, n);
        if (!key) return NULL;
        const size_t at = strtoul(key, NULL, 10);
        node = node->kind == MK_NODE_LIST ? (at < node->n && isdigit((unsigned char)*key) ? node->child[at] : NULL)
                                          : mk_node_get(node, key);
        free(key);
        path += n + (path[n] == '.');
    }
    return node;
}

static int json_value(const char *text, size_t length, const char *path, double *value, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    struct mk_error why;
    char clip[2][MK_CLIP_ROOM];
    if (mk_tree_parse(&tree, "the JSON", text, length, &why))
        return mk_fail(err, MK_EINPUT, "expected a JSON object, got '%s'", mk_clip_bytes(text, length, clip[0]));
    const struct mk_node *at = find_path(tree->root, path), *error = mk_node_get(tree->root, "error");
    int code = MK_OK;
    if (error)
        code = mk_fail(err, MK_EINPUT, "%s", mk_node_describe(error, clip[0]));
    else if (!at)
        code = mk_fail(err, MK_EINPUT, "no '%s' in the JSON object", mk_clip(path, clip[0]));
    else if (at->kind != MK_NODE_SCALAR || number_at(at->text, value) != at->length || !at->length)
        code =
            mk_fail(err, MK_EINPUT, "'%s' is not a number: %s", mk_clip(path, clip[0]), mk_node_describe(at, clip[1]));
    mk_tree_free(tree);
    return code ? code : check_value(*value, err);
}

int mk_metric_of_answer(const struct mk_metric *m, const char *line, size_t length, double *value, struct mk_error *err)
{
    return json_value(line, length, m->source == MK_METRIC_JSON ? m->pattern : "value", value, err);
}

/* ---- line by line ---- */

/* Takes one line (without its end, at most MK_METRIC_LINE bytes); a longer one comes in pieces. */
typedef void take_line(void *to, const char *line, size_t length);

static int each_line(const char *path, take_line *take, void *to, struct mk_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    char *line = malloc(MK_METRIC_LINE + 2);
    if (!file || !line) {
        const int why = errno;
        if (file)
            fclose(file);
        else if (fd >= 0)
            close(fd);
        free(line);
        return mk_fail(err, MK_EINPUT, "%s: %s", path, strerror(why));
    }
    while (fgets(line, MK_METRIC_LINE + 2, file)) {
        size_t n = strlen(line);
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
        take(to, line, n);
    }
    fclose(file);
    free(line);
    return MK_OK;
}

struct last_match {
    regex_t pattern;
    bool found;
    double value;
    char text[MK_CLIP_ROOM]; /* of what was found */
};

static void match_line(void *to, const char *line, size_t length)
{
    struct last_match *m = to;
    regmatch_t at[2];
    (void)length;
    if (regexec(&m->pattern, line, 2, at, 0)) return;
    const regmatch_t *part = m->pattern.re_nsub ? &at[1] : &at[0];
    m->found = true;
    m->value = NAN;
    if (part->rm_so < 0) return;
    const size_t n = (size_t)(part->rm_eo - part->rm_so);
    mk_clip_bytes(line + part->rm_so, n, m->text);
    char *copy = strndup(line + part->rm_so, n);
    double x;
    if (copy && n && number_at(copy, &x) == n)
        m->value = x;
    else
        m->found = false;
    free(copy);
}

static int regex_value(const struct mk_metric *m, const char *path, double *value, struct mk_error *err)
{
    struct last_match found = {.found = false};
    char clip[MK_CLIP_ROOM];
    if (regcomp(&found.pattern, m->pattern, REG_EXTENDED)) return mk_fail_memory(err, "a regular expression");
    int code = each_line(path, match_line, &found, err);
    regfree(&found.pattern);
    if (code) return code;
    if (!found.found && *found.text) return mk_fail(err, MK_EINPUT, "'%s' is not a number", found.text);
    if (!found.found) return mk_fail(err, MK_EINPUT, "no line of the output matches '%s'", mk_clip(m->pattern, clip));
    *value = found.value;
    return check_value(*value, err);
}

int mk_metric_check(const struct mk_metric *m, struct mk_error *err)
{
    regex_t pattern;
    char why[160], clip[MK_CLIP_ROOM];
    if (m->source != MK_METRIC_REGEX) return MK_OK;
    const int failed = regcomp(&pattern, m->pattern, REG_EXTENDED);
    if (!failed) {
        regfree(&pattern);
        return MK_OK;
    }
    regerror(failed, &pattern, why, sizeof why);
    return mk_fail(err, MK_EINPUT, "expected a POSIX extended regular expression, got '%s' (%s)",
                   mk_clip(m->pattern, clip), why);
}

/* The last line that begins like this. */
struct last_line {
    const char *begin;
    char *text; /* malloc'ed */
    size_t length;
};

static void keep_line(void *to, const char *line, size_t length)
{
    struct last_line *l = to;
    const size_t skip = strspn(line, " \t"), n = strlen(l->begin);
    if (strncmp(line + skip, l->begin, n) != 0) return;
    char *copy = strndup(line + skip, length - skip);
    if (!copy) return;
    free(l->text);
    l->text = copy;
    l->length = length - skip;
}

static int json_file(const struct mk_metric *m, const char *path, double *value, struct mk_error *err)
{
    struct last_line l = {"{", NULL, 0};
    int code = each_line(path, keep_line, &l, err);
    if (!code && l.text) code = json_value(l.text, l.length, m->pattern, value, err);
    const bool has_line = l.text != NULL;
    free(l.text);
    struct mk_error ignored;
    char *whole = code || !has_line ? read_tail(path, &ignored) : NULL; /* an object on several lines */
    if (!whole) return code;
    if (!json_value(whole, strlen(whole), m->pattern, value, has_line ? &ignored : err))
        code = MK_OK;
    else if (!has_line)
        code = MK_EINPUT;
    free(whole);
    return code;
}

/* "cost=0.5; runtime=0.1; status=SUCCESS", in any order, as SMAC3 reads it. */
static int smac_value(const char *path, double *value, enum mk_trial_status *status, struct mk_error *err)
{
    char *text = read_tail(path, err), clip[MK_CLIP_ROOM];
    if (!text) return MK_EINPUT;
    bool has_cost = false;
    int code = MK_OK;
    for (char *save = NULL, *item = strtok_r(text, ";\n", &save); item; item = strtok_r(NULL, ";\n", &save)) {
        item += strspn(item, " \t\r");
        if (strncmp(item, "cost=", 5) == 0) {
            has_cost = number_at(item + 5, value) > 0;
        } else if (strncmp(item, "status=", 7) == 0) {
            item[7 + strcspn(item + 7, " \t\r")] = 0;
            if (strcmp(item + 7, "TIMEOUT") == 0)
                *status = MK_TRIAL_TIMED_OUT;
            else if (strcmp(item + 7, "SUCCESS") == 0)
                *status = MK_TRIAL_OK;
            else
                *status = MK_TRIAL_CRASHED;
            if (*status != MK_TRIAL_OK)
                code = mk_fail(err, MK_EINPUT, "the program reports status=%s", mk_clip(item + 7, clip));
        }
    }
    free(text);
    if (code) return code;
    if (!has_cost) return mk_fail(err, MK_EINPUT, "no 'cost=NUMBER' in the output");
    return check_value(*value, err);
}

/* "cost" or "cost time" and nothing else, as a target runner of irace prints it. */
static int irace_value(const char *path, double *value, struct mk_error *err)
{
    char *text = read_tail(path, err), clip[MK_CLIP_ROOM];
    double time;
    if (!text) return MK_EINPUT;
    const char *at = text + strspn(text, " \t\r\n");
    size_t n = number_at(at, value);
    const char *rest = at + n + strspn(at + n, " \t\r\n");
    size_t second = *rest ? number_at(rest, &time) : 0;
    rest += second + strspn(rest + second, " \t\r\n");
    int code = n && !*rest ? check_value(*value, err)
                           : mk_fail(err, MK_EINPUT, "expected one number (and a time), got '%s'", mk_clip(at, clip));
    free(text);
    return code;
}

static int number_value(const char *path, double *value, struct mk_error *err)
{
    char *text = read_tail(path, err);
    if (!text) return MK_EINPUT;
    const bool found = last_number(text, value), empty = !text[strspn(text, " \t\r\n")];
    free(text);
    if (!found)
        return mk_fail(err, MK_EINPUT, empty ? "the program printed nothing" : "no number at the end of the output");
    return check_value(*value, err);
}

int mk_metric_read(const struct mk_metric *m, const char *path, double *value, enum mk_trial_status *status,
                   struct mk_error *err)
{
    *status = MK_TRIAL_OK;
    *value = NAN;
    switch (m->source) {
    case MK_METRIC_JSON: return json_file(m, path, value, err);
    case MK_METRIC_REGEX: return regex_value(m, path, value, err);
    case MK_METRIC_SMAC: return smac_value(path, value, status, err);
    case MK_METRIC_IRACE: return irace_value(path, value, err);
    case MK_METRIC_LAST_NUMBER: break;
    }
    return number_value(path, value, err);
}
