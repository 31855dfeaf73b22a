#include "sim/study/metric.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "distributions/dist.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

/* ---- numbers in text ---- */

/* The bytes of the number that begins at text (NaN and infinities as programs print them), or 0: all that could belong
 * to it must. */
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
    const size_t n = strspn(text, "0123456789.eE+-");
    return n && mk_parse_real(text, n, out) ? n : 0;
}

/* Whether a word is a number, or "nan" or "inf", apart from what is written around numbers. */
static bool is_number(char *word, double *out)
{
    static const char before[] = "([{<\"'`:=*$", after[] = ")]}>\"'`,;:!%*";
    char *equals = strrchr(word, '='), *colon = strrchr(word, ':');
    if (equals && equals[1]) word = equals + 1;
    if (colon && colon[1] && colon > word) word = colon + 1;
    word += strspn(word, before);
    size_t n = strlen(word);
    while (n && strchr(after, word[n - 1])) n--;
    word[n] = 0;
    if (n && number_at(word, out) == n) return true;
    if (n > 1 && word[n - 1] == '.') word[--n] = 0; /* of a sentence */
    return n && number_at(word, out) == n;
}

/* The last word that has a digit or is nan or inf; overwrites the text, and uses `copy`, which has its size. False:
 * there is none (*word NULL), or it is not a number. */
static bool last_number(char *text, char *copy, const char **word, double *out)
{
    static const char blank[] = " \t\r\n\v\f";
    *word = NULL;
    for (size_t end = strlen(text), at; end; end = at) {
        while (end && strchr(blank, text[end - 1])) end--;
        for (at = end; at && !strchr(blank, text[at - 1]);) at--;
        text[end] = 0;
        if (at == end) break;
        const bool has_digit = text[at + strcspn(text + at, "0123456789")] != 0;
        const bool good = is_number(strcpy(copy, text + at), out);
        if (!has_digit && !good) continue;
        *word = text + at;
        return good;
    }
    return false;
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

/* ---- reports ---- */

static int check_report(double step, double value, struct mk_report *out, struct mk_error *err)
{
    if (!(step >= 1 && step <= MK_PRUNING_MOST_STEPS && step == floor(step)))
        return mk_fail(err, MK_EINPUT, "the program reports step %.12g; expected a whole number from 1 to %d", step,
                       MK_PRUNING_MOST_STEPS);
    *out = (struct mk_report){(uint64_t)step, value};
    return check_value(value, err);
}

bool mk_metric_report(const char *line, size_t length, struct mk_report *out, int *code, struct mk_error *err)
{
    enum { LONGEST = 80 };
    static const char blank[] = " \t\r";
    char text[LONGEST + 1];
    double step, value;
    *code = MK_OK;
    while (length && strchr(blank, line[length - 1])) length--;
    while (length && strchr(blank, *line)) line++, length--;
    if (!length || length > LONGEST || memchr(line, 0, length)) return false;
    memcpy(text, line, length);
    text[length] = 0;
    const size_t digits = strspn(text, "0123456789"), blanks = strspn(text + digits, blank);
    if (!digits || !blanks || number_at(text + digits + blanks, &value) != length - digits - blanks ||
        !mk_parse_real(text, digits, &step))
        return false;
    *code = check_report(step, value, out, err);
    return true;
}

/* ---- files ---- */

/* Opens a regular file; *from = the position `most` bytes before its end, 0 if it is shorter. MK_EINPUT: it is not
 * there, or nothing that can be read; MK_EIO: the machine failed. */
static int open_end(const char *path, off_t most, int *fd, off_t *from, struct mk_error *err)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd >= 0 && fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *from = st.st_size > most ? st.st_size - most : 0;
        return MK_OK;
    }
    const int why = errno;
    const bool opened = *fd >= 0;
    if (opened) close(*fd);
    if (!opened && mk_is_error_of_machine(why)) return mk_fail(err, MK_EIO, "%s: %s", path, strerror(why));
    return mk_fail(err, MK_EINPUT, "%s: %s", path, opened ? "not a regular file" : strerror(why));
}

/* *out <- the end of a file, at most MK_METRIC_TAIL bytes, from the beginning of a word on (a longer word: "…");
 * malloc'ed. */
static int read_tail(const char *path, char **out, struct mk_error *err)
{
    int fd;
    off_t from;
    *out = NULL;
    int code = open_end(path, MK_METRIC_TAIL, &fd, &from, err);
    if (code) return code;
    char *text = malloc(MK_METRIC_TAIL + 1);
    if (!text) {
        close(fd);
        return mk_fail_memory(err, "the metric");
    }
    ssize_t n = 0, got = 0;
    while (n < MK_METRIC_TAIL && (got = pread(fd, text + n, (size_t)(MK_METRIC_TAIL - n), from + n)) > 0) n += got;
    const int why = errno;
    close(fd);
    if (got < 0) {
        free(text);
        return mk_fail(err, MK_EIO, "%s: %s", path, strerror(why));
    }
    for (ssize_t i = 0; i < n; i++)
        if (!text[i]) text[i] = ' ';
    text[n] = 0;
    if (from) {
        const size_t cut = strcspn(text, " \t\r\n");
        memmove(text, text + cut, (size_t)n - cut + 1);
        if (!text[strspn(text, " \t\r\n")]) strcpy(text, "…"); /* it is not empty */
    }
    *out = text;
    return MK_OK;
}

const char *mk_last_line(const char *path, char *out, size_t room)
{
    struct mk_error ignored;
    char *text, *end, *line;
    snprintf(out, room, "%s", "");
    if (read_tail(path, &text, &ignored)) return out;
    for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); end--) continue;
    *end = 0;
    line = strrchr(text, '\n');
    snprintf(out, room, "%s", line ? line + 1 : text);
    mk_text_one_line(out);
    free(text);
    return out;
}

/* ---- JSON ---- */

/* A quote ' outside of strings, which json-c takes for one of a key, even where it is strict. */
static bool has_other_quote(const char *text, size_t length)
{
    bool within = false;
    for (size_t i = 0; i < length; i++) {
        if (within && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            within = !within;
        else if (text[i] == '\'' && !within)
            return true;
    }
    return false;
}

/* *out <- an object of JSON, to be put; of repeated keys the last one counts. */
static int parse_object(const char *text, size_t length, json_object **out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    struct json_tokener *tokener = length < INT_MAX ? json_tokener_new() : NULL;
    *out = NULL;
    if (!tokener) return mk_fail_memory(err, "the JSON");
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    *out = json_tokener_parse_ex(tokener, text, (int)length);
    const bool good = *out && json_tokener_get_error(tokener) == json_tokener_success &&
                      json_object_is_type(*out, json_type_object) && !memchr(text, 0, length) &&
                      !has_other_quote(text, length);
    json_tokener_free(tokener);
    if (good) return MK_OK;
    json_object_put(*out);
    *out = NULL;
    return mk_fail(err, MK_EINPUT, "expected a JSON object, got '%s'", mk_clip_bytes(text, length, clip));
}

/* What is at a dotted path, which is overwritten; whole numbers count the items of lists. False: nothing is. */
static bool find_path(json_object *at, char *path, json_object **out)
{
    while (*path) {
        const char *key = path;
        bool found = false;
        path += strcspn(path, ".");
        if (*path) *path++ = 0;
        if (json_object_is_type(at, json_type_array)) {
            const size_t i = strtoul(key, NULL, 10);
            found = isdigit((unsigned char)*key) && i < json_object_array_length(at);
            if (found) at = json_object_array_get_idx(at, i);
        } else if (json_object_is_type(at, json_type_object)) {
            found = json_object_object_get_ex(at, key, &at);
        }
        if (!found) return false;
    }
    *out = at;
    return true;
}

/* A number, or a string that is one. */
static bool number_of(json_object *at, double *value)
{
    switch (json_object_get_type(at)) {
    case json_type_double: *value = json_object_get_double(at); return true;
    case json_type_int: /* larger ones are cut off */
        *value = json_object_get_double(at);
        return json_object_get_int64(at) != INT64_MAX && json_object_get_int64(at) != INT64_MIN;
    case json_type_string: {
        const char *text = json_object_get_string(at);
        const size_t n = (size_t)json_object_get_string_len(at); /* with bytes 0 */
        return n && number_at(text, value) == n;
    }
    default: return false;
    }
}

static const char *text_of(json_object *at, char clip[MK_CLIP_ROOM])
{
    return mk_clip(json_object_is_type(at, json_type_string)
                       ? json_object_get_string(at)
                       : json_object_to_json_string_ext(at, JSON_C_TO_STRING_PLAIN),
                   clip);
}

static int object_value(json_object *object, const char *path, double *value, struct mk_error *err)
{
    char clip[2][MK_CLIP_ROOM];
    json_object *at;
    if (json_object_object_get_ex(object, "error", &at)) return mk_fail(err, MK_EINPUT, "%s", text_of(at, clip[0]));
    char *keys = strdup(path);
    if (!keys) return mk_fail_memory(err, "the metric");
    const bool found = find_path(object, keys, &at);
    free(keys);
    if (!found) return mk_fail(err, MK_EINPUT, "no '%s' in the JSON object", mk_clip(path, clip[0]));
    if (!number_of(at, value))
        return mk_fail(err, MK_EINPUT, "'%s' is not a number: %s", mk_clip(path, clip[0]), text_of(at, clip[1]));
    return check_value(*value, err);
}

static int json_value(const char *text, size_t length, const char *path, double *value, struct mk_error *err)
{
    json_object *object;
    int code = parse_object(text, length, &object, err);
    if (!code) code = object_value(object, path, value, err);
    json_object_put(object);
    return code;
}

/* An answer is to this trial. */
static int check_trial(const struct mk_metric *m, json_object *object, size_t trial, struct mk_error *err)
{
    json_object *named;
    char clip[MK_CLIP_ROOM];
    double number = 0;
    if (!json_object_object_get_ex(object, "trial", &named))
        return m->unnamed
                   ? MK_OK
                   : mk_fail(err, MK_EINPUT, "the answer has no \"trial\": expected that of the request, %zu", trial);
    if (number_of(named, &number) && number == (double)trial) return MK_OK;
    return mk_fail(err, MK_EINPUT, "the answer is to trial %s", text_of(named, clip));
}

int mk_metric_of_answer(const struct mk_metric *m, const char *line, size_t length, size_t trial, double *value,
                        bool *bad, struct mk_error *err)
{
    json_object *object;
    int code = parse_object(line, length, &object, err);
    if (!code) code = check_trial(m, object, trial, err);
    *bad = code == MK_EINPUT;
    *value = 0;
    if (!code) {
        const char *path = m->source == MK_METRIC_JSON ? m->pattern : "value";
        code = object_value(object, path, value, err);
        *bad = code == MK_EINPUT && !json_object_object_get_ex(object, "error", NULL) && isfinite(*value);
    }
    json_object_put(object);
    return code;
}

bool mk_metric_report_of_answer(const struct mk_metric *m, const char *line, size_t length, size_t trial,
                                struct mk_report *out, bool *bad, int *code, struct mk_error *err)
{
    json_object *object, *at = NULL;
    double step, value = NAN;
    *bad = false;
    *code = parse_object(line, length, &object, err);
    const bool is_report = !*code && json_object_object_get_ex(object, "step", &at);
    if (!*code && is_report) {
        *code = check_trial(m, object, trial, err);
        *bad = *code == MK_EINPUT;
        if (!*code && !number_of(at, &step)) step = NAN;
        if (!*code) *code = object_value(object, m->source == MK_METRIC_JSON ? m->pattern : "value", &value, err);
        if (!*code) *code = check_report(step, value, out, err);
    }
    json_object_put(object);
    return is_report || *code == MK_ENOMEM;
}

int mk_metrics_of_answer(const struct mk_further_metric *m, size_t n, const char *line, size_t length, double *out,
                         struct mk_error *err)
{
    json_object *object;
    if (!n) return MK_OK;
    int code = parse_object(line, length, &object, err);
    for (size_t i = 0; i < n && !code; i++) {
        code = object_value(object, m[i].from.source == MK_METRIC_JSON ? m[i].from.pattern : m[i].name, &out[i], err);
        if (code) out[i] = NAN;
        if (code == MK_EINPUT) code = MK_OK;
    }
    json_object_put(object);
    return code;
}

/* ---- line by line ---- */

/* Takes one line (without its end, at most MK_METRIC_LINE bytes); a longer one comes in pieces. */
typedef void take_line(void *to, const char *line, size_t length);

/* The lines of the last MK_METRIC_MOST bytes of a file. */
static int each_line(const char *path, take_line *take, void *to, struct mk_error *err)
{
    int fd;
    off_t from;
    int code = open_end(path, MK_METRIC_MOST, &fd, &from, err);
    if (code) return code;
    FILE *file = lseek(fd, from, SEEK_SET) < 0 ? NULL : fdopen(fd, "r");
    char *line = malloc(MK_METRIC_LINE + 2);
    if (!file || !line) {
        if (file)
            fclose(file);
        else
            close(fd);
        free(line);
        return mk_fail_memory(err, "the metric");
    }
    for (bool whole = from == 0; fgets(line, MK_METRIC_LINE + 2, file); whole = true) {
        size_t n = strlen(line);
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
        if (whole) take(to, line, n);
    }
    if (ferror(file)) code = mk_fail(err, MK_EIO, "%s: %s", path, strerror(errno));
    fclose(file);
    free(line);
    return code;
}

struct last_match {
    regex_t pattern;
    bool found, cut; /* cut: the previous piece did not end its line */
    bool no_memory;
    double value;
    char why[2 * MK_CLIP_ROOM + 64]; /* it is not a number */
};

static bool is_in(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool is_digit(char c)
{
    return is_in(c, "0123456789");
}

/* Whether the number that ends before `end` continues there: digits, also after a separator, an exponent, hexadecimal
 * digits. */
static bool continues_after(const char *end)
{
    if (is_in(*end, "xX")) return isxdigit((unsigned char)end[1]);
    if (is_in(*end, "eEdDpP")) return is_digit(end[1 + is_in(end[1], "+-")]);
    return is_digit(*end) || (is_in(*end, ".,'_") && is_digit(end[1]));
}

/* Whether the number that begins at line + at begins before it: digits, a sign, a point, or as continues_after. */
static bool begins_before(const char *line, size_t at)
{
    static const char minus[] = "\xe2\x88\x92", begin[] = " \t=:([{<\"',;|+-";
    if (at >= 3 && memcmp(line + at - 3, minus, 3) == 0) return true;
    if (!at) return false;
    const char last = line[at - 1];
    const bool free_before = at == 1 || is_in(line[at - 2], begin);
    const size_t sign = is_in(last, "+-");
    if (is_digit(last) || (at > 1 && is_in(last, ".,'_") && is_digit(line[at - 2]))) return true;
    if (at > 1 + sign && is_in(line[at - 1 - sign], "eEdDpPxX") && is_in(line[at - 2 - sign], "0123456789."))
        return true;
    return (last == '.' && free_before) || (sign && free_before && (at < 2 || !is_in(line[at - 2], "+-")));
}

/* Whether a number in a line is a part of a longer word: of a number, or of letters that the pattern does not name. */
static bool is_part(const char *line, const regmatch_t *match, const regmatch_t *number)
{
    const size_t from = (size_t)number->rm_so;
    const char *end = line + number->rm_eo;
    if (begins_before(line, from) || continues_after(end)) return true;
    return (number->rm_so == match->rm_so && from && isalpha((unsigned char)line[from - 1])) ||
           (number->rm_eo == match->rm_eo && isalpha((unsigned char)*end));
}

/* The number in a match, or why there is none. */
static void take_match(struct last_match *m, const char *line, size_t length, const regmatch_t *match,
                       const regmatch_t *number)
{
    static const char blank[] = " \t\r\n\v\f";
    char part[MK_CLIP_ROOM], word[MK_CLIP_ROOM];
    snprintf(m->why, sizeof m->why, "%s", number->rm_so < 0 ? "the group of the regular expression is empty" : "");
    if (*m->why) return;
    const size_t n = (size_t)(number->rm_eo - number->rm_so);
    size_t from = (size_t)number->rm_so, to = (size_t)number->rm_eo;
    char *copy = strndup(line + from, n);
    m->no_memory |= !copy;
    const bool good = copy && n && number_at(copy, &m->value) == n;
    free(copy);
    mk_clip_bytes(line + from, n, part);
    if (!good) {
        snprintf(m->why, sizeof m->why, "'%s' is not a number", part);
    } else if (is_part(line, match, number) || (!from && m->cut) || (to == length && length > MK_METRIC_LINE)) {
        while (from && !is_in(line[from - 1], blank)) from--;
        while (to < length && !is_in(line[to], blank)) to++;
        snprintf(m->why, sizeof m->why, "'%s' is only a part of '%s'", part,
                 mk_clip_bytes(line + from, to - from, word));
    }
}

/* The last match in the line counts. */
static void match_line(void *to, const char *line, size_t length)
{
    struct last_match *m = to;
    regmatch_t at[2];
    for (size_t from = 0; from <= length;) {
        at[0] = (regmatch_t){(regoff_t)from, (regoff_t)length};
        if (regexec(&m->pattern, line, 2, at, REG_STARTEND)) break;
        m->found = true;
        take_match(m, line, length, &at[0], m->pattern.re_nsub ? &at[1] : &at[0]);
        from = (size_t)at[0].rm_eo + (at[0].rm_eo == at[0].rm_so);
    }
    m->cut = length > MK_METRIC_LINE;
}

static int regex_value(const struct mk_metric *m, const char *path, double *value, struct mk_error *err)
{
    struct last_match found = {.found = false};
    char clip[MK_CLIP_ROOM];
    if (regcomp(&found.pattern, m->pattern, REG_EXTENDED)) return mk_fail_memory(err, "a regular expression");
    int code = each_line(path, match_line, &found, err);
    regfree(&found.pattern);
    if (!code && found.no_memory) code = mk_fail_memory(err, "the metric");
    if (code) return code;
    if (!found.found) return mk_fail(err, MK_EINPUT, "no line of the output matches '%s'", mk_clip(m->pattern, clip));
    if (*found.why) return mk_fail(err, MK_EINPUT, "%s", found.why);
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
    bool no_memory;
};

static void keep_line(void *to, const char *line, size_t length)
{
    struct last_line *l = to;
    const size_t skip = strspn(line, " \t"), n = strlen(l->begin);
    if (strncmp(line + skip, l->begin, n) != 0) return;
    char *copy = strndup(line + skip, length - skip);
    l->no_memory |= !copy;
    if (!copy) return;
    free(l->text);
    l->text = copy;
    l->length = length - skip;
}

static int json_file(const struct mk_metric *m, const char *path, double *value, struct mk_error *err)
{
    struct last_line l = {.begin = "{"};
    int code = each_line(path, keep_line, &l, err);
    if (!code && l.no_memory) code = mk_fail_memory(err, "the metric");
    if (!code && l.text) code = json_value(l.text, l.length, m->pattern, value, err);
    const bool has_line = l.text != NULL;
    free(l.text);
    struct mk_error ignored;
    char *whole = NULL; /* an object on several lines */
    if (code && code != MK_EINPUT) return code;
    const int tail = code || !has_line ? read_tail(path, &whole, &ignored) : MK_OK;
    if (tail) return code && tail == MK_EINPUT ? code : mk_fail(err, tail, "%s", ignored.text);
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
    char *text, clip[MK_CLIP_ROOM];
    bool has_cost = false;
    int code = read_tail(path, &text, err);
    if (code) return code;
    for (char *save = NULL, *item = strtok_r(text, ";\n", &save); item; item = strtok_r(NULL, ";\n", &save)) {
        item += strspn(item, " \t\r");
        if (strncmp(item, "cost=", 5) == 0) {
            const size_t n = number_at(item + 5, value);
            has_cost = n && !item[5 + n + strspn(item + 5 + n, " \t\r")];
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
    char *text, clip[MK_CLIP_ROOM];
    double time;
    int code = read_tail(path, &text, err);
    if (code) return code;
    const char *at = text + strspn(text, " \t\r\n");
    size_t n = number_at(at, value);
    const char *rest = at + n + strspn(at + n, " \t\r\n");
    size_t second = *rest ? number_at(rest, &time) : 0;
    rest += second + strspn(rest + second, " \t\r\n");
    code = n && !*rest ? check_value(*value, err)
                       : mk_fail(err, MK_EINPUT, "expected one number (and a time), got '%s'", mk_clip(at, clip));
    free(text);
    return code;
}

static int number_value(const char *path, double *value, struct mk_error *err)
{
    char *text, clip[MK_CLIP_ROOM];
    const char *word;
    int code = read_tail(path, &text, err);
    if (code) return code;
    char *copy = strdup(text);
    const bool empty = !text[strspn(text, " \t\r\n")], found = copy && last_number(text, copy, &word, value);
    if (!copy)
        code = mk_fail_memory(err, "the metric");
    else if (found)
        code = check_value(*value, err);
    else if (word)
        code = mk_fail(err, MK_EINPUT, "expected a number at the end of the output, got '%s'", mk_clip(word, clip));
    else
        code = mk_fail(err, MK_EINPUT, empty ? "the program printed nothing" : "no number at the end of the output");
    free(copy);
    free(text);
    return code;
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
    case MK_METRIC_REPORTED: /* there is nothing to read */
    case MK_METRIC_SECONDS:
    case MK_METRIC_LAST_NUMBER: break;
    }
    return number_value(path, value, err);
}
