/* Building search spaces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/search/space/formula.h"

enum { LONGEST_NAME = 100, TRIALS = 1000 };

static int no_memory(struct mk_error *err)
{
    return mk_fail_memory(err, "a search space");
}

int mk_space_new(struct mk_space **out, struct mk_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? MK_OK : no_memory(err);
}

static void free_hyper(struct mk_hyper *h)
{
    free(h->name);
    for (size_t i = 0; h->word && i < h->n_words; i++) free(h->word[i]);
    free(h->word);
    free(h->is_text);
    for (int end = 0; end < 2; end++)
        if (h->bound[end]) {
            mk_formula_clear(h->bound[end]);
            free(h->bound[end]);
        }
    mk_clauses_free(h->when, h->n_when);
}

void mk_space_free(struct mk_space *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) free_hyper(&s->hyper[i]);
    for (size_t i = 0; i < s->n_forbidden; i++) mk_forbidden_clear(&s->forbidden[i]);
    free(s->hyper);
    free(s->order);
    free(s->forbidden);
    free(s->bounded);
    free(s->row);
    free(s->row_key);
    free(s->arm_row);
    free(s);
}

/* ---- hyperparameters ---- */

static int check_name(const struct mk_space *s, const char *name, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    size_t n = strlen(name);
    if (n < 1 || !mk_text_printable(name, n))
        return mk_fail(err, MK_EINPUT,
                       "expected UTF-8 text without control characters as the name of a hyperparameter");
    if (mk_space_find(s, name) != SIZE_MAX)
        return mk_fail(err, MK_EINPUT, "two hyperparameters have the name '%s'", mk_clip(name, clip));
    return MK_OK;
}

static int check_number(struct mk_hyper *h, struct mk_error *err)
{
    char lo[32], hi[32], step[32];
    mk_format_real(h->lo, lo, sizeof lo);
    mk_format_real(h->hi, hi, sizeof hi);
    if (!isfinite(h->lo) || !isfinite(h->hi) || !isfinite(h->hi - h->lo))
        return mk_fail(err, MK_EINPUT, "expected a finite range, got %s to %s", lo, hi);
    if (!(h->lo < h->hi)) return mk_fail(err, MK_EINPUT, "expected low < high, got %s to %s", lo, hi);
    if (h->kind == MK_HYPER_INTEGER && !(fabs(h->lo) <= MK_EXACT_MAX && fabs(h->hi) <= MK_EXACT_MAX))
        return mk_fail(err, MK_EINPUT, "expected whole numbers within 2^53");
    if (h->log && !(h->lo > 0))
        return mk_fail(err, MK_EINPUT, "expected a range above 0 for a logarithmic scale, got %s to %s", lo, hi);
    if (h->log && h->step > (h->kind == MK_HYPER_INTEGER))
        return mk_fail(err, MK_EINPUT, "a logarithmic scale cannot have a step");
    if (h->step > h->hi - h->lo)
        return mk_fail(err, MK_EINPUT, "the step %s is wider than the range from %s to %s",
                       mk_format_real(h->step, step, sizeof step), lo, hi);
    return MK_OK;
}

/* The power of ten by which lo and step are whole numbers, and hi one that a double holds; 0: none. */
static double decimal_scale(const struct mk_hyper *h)
{
    const double most = fmax(fabs(h->lo), fabs(h->hi));
    for (double scale = 1; scale <= 1e15 && most * scale < MK_EXACT_MAX; scale *= 10)
        if (rint(h->lo * scale) / scale == h->lo && rint(h->step * scale) / scale == h->step) return scale;
    return 0;
}

static void derive_number(struct mk_hyper *h)
{
    h->levels = INFINITY;
    if (h->step > 0) {
        h->levels = floor((h->hi - h->lo) / h->step * (1 + 1e-12) + 1e-9) + 1;
        if (h->kind == MK_HYPER_REAL) h->scale = decimal_scale(h);
        if (!h->log) h->hi = mk_hyper_at_level(h, h->levels - 1);
    }
    const double half = h->log && h->step > 0 ? 0.5 : 0;
    h->a = h->log ? log(h->lo - half) : h->lo;
    h->b = h->log ? log(h->hi + half) : h->hi;
    if (isnan(h->def)) h->def = mk_hyper_value(h, 0.5);
}

static int copy_words(struct mk_hyper *to, const struct mk_hyper *from, struct mk_error *err)
{
    to->word = calloc(from->n_words, sizeof *to->word);
    if (!to->word) return no_memory(err);
    for (; to->n_words < from->n_words; to->n_words++)
        if (!(to->word[to->n_words] = strdup(from->word[to->n_words]))) return no_memory(err);
    if (from->is_text && !(to->is_text = malloc(from->n_words * sizeof *to->is_text))) return no_memory(err);
    if (from->is_text) memcpy(to->is_text, from->is_text, from->n_words * sizeof *to->is_text);
    to->lo = 0;
    to->hi = (double)to->n_words - 1;
    to->step = 1;
    to->levels = (double)to->n_words;
    if (isnan(to->def)) to->def = 0;
    return MK_OK;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int check_words(const struct mk_hyper *h, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    if (!h->n_words) return mk_fail(err, MK_EINPUT, "expected at least one value");
    if (h->n_words > MK_SPACE_MOST_WORDS)
        return mk_fail(err, MK_EINPUT, "expected at most %d values, got %zu", MK_SPACE_MOST_WORDS, h->n_words);
    char **sorted = malloc(h->n_words * sizeof *sorted);
    if (!sorted) return no_memory(err);
    memcpy(sorted, h->word, h->n_words * sizeof *sorted);
    qsort(sorted, h->n_words, sizeof *sorted, compare_words);
    int code = MK_OK;
    for (size_t i = 0; !code && i + 1 < h->n_words; i++)
        if (strcmp(sorted[i], sorted[i + 1]) == 0)
            code = mk_fail(err, MK_EINPUT, "duplicate value '%s'", mk_clip(sorted[i], clip));
    free(sorted);
    return code;
}

static int check_default(const struct mk_hyper *h, struct mk_error *err)
{
    char range[256], text[MK_HYPER_TEXT];
    double level = (h->def - h->lo) / h->step;
    bool inside = h->def >= h->lo && h->def <= h->hi;
    if (inside && (!(h->step > 0) || fabs(level - rint(level)) < 1e-9)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "expected %s as default, got %s", mk_hyper_range(h, range, sizeof range),
                   mk_format_real(h->def, text, sizeof text));
}

int mk_space_add(struct mk_space *s, const struct mk_hyper *h, struct mk_error *err)
{
    if (s->n == MK_SPACE_MOST) return mk_fail(err, MK_EINPUT, "more than %d hyperparameters", MK_SPACE_MOST);
    int code = check_name(s, h->name, err);
    if (!code && !MK_GROW(s->hyper, s->n, 1)) code = no_memory(err);
    if (code) return code;
    struct mk_hyper *to = &s->hyper[s->n];
    *to = *h;
    to->name = strdup(h->name);
    to->word = NULL;
    to->is_text = NULL;
    to->when = NULL;
    to->bound[0] = to->bound[1] = NULL;
    to->n_words = to->n_when = 0;
    to->stated = !isnan(h->def);
    if (!to->name) {
        code = no_memory(err);
    } else if (h->kind <= MK_HYPER_INTEGER) {
        if (h->kind == MK_HYPER_INTEGER && !(to->step > 0)) to->step = 1;
        code = check_number(to, err);
        if (!code) derive_number(to);
    } else {
        code = check_words(h, err);
        if (!code) code = copy_words(to, h, err);
    }
    if (!code) code = check_default(to, err);
    if (code)
        free_hyper(to);
    else
        s->n++;
    return code;
}

int mk_space_add_real(struct mk_space *s, const char *name, double lo, double hi, struct mk_error *err)
{
    char copy[LONGEST_NAME + 1];
    snprintf(copy, sizeof copy, "%s", name);
    struct mk_hyper h = {.name = copy, .kind = MK_HYPER_REAL, .lo = lo, .hi = hi, .def = NAN};
    return mk_space_add(s, &h, err);
}

/* ---- clauses ---- */

int mk_space_condition(struct mk_space *s, size_t i, struct mk_clause *clause, struct mk_error *err)
{
    struct mk_hyper *h = &s->hyper[i];
    char clip[MK_CLIP_ROOM];
    int code = MK_GROW(h->when, h->n_when, 1) ? MK_OK : no_memory(err);
    for (size_t c = 0; !code && c < h->n_when; c++)
        if (h->when[c].of == clause->of)
            code = mk_fail(err, MK_EINPUT, "two conditions on %s", mk_clip(s->hyper[clause->of].name, clip));
    if (code)
        free(clause->value);
    else
        h->when[h->n_when++] = *clause;
    clause->value = NULL;
    return code;
}

int mk_space_require(struct mk_space *s, size_t i, size_t of, double value, struct mk_error *err)
{
    struct mk_clause clause = {.of = of, .n_values = 1, .value = malloc(sizeof *clause.value)};
    if (!clause.value) return no_memory(err);
    *clause.value = value;
    return mk_space_condition(s, i, &clause, err);
}

int mk_space_forbid_all(struct mk_space *s, struct mk_forbidden *f, struct mk_error *err)
{
    if (!MK_GROW(s->forbidden, s->n_forbidden, 1)) {
        mk_forbidden_clear(f);
        return no_memory(err);
    }
    s->forbidden[s->n_forbidden++] = *f;
    return MK_OK;
}

int mk_space_forbid(struct mk_space *s, size_t n, struct mk_clause *clause, struct mk_error *err)
{
    struct mk_forbidden f = {.n = n, .clause = clause};
    return mk_space_forbid_all(s, &f, err);
}

/* ---- ends of ranges that depend on others ---- */

int mk_space_bound(struct mk_space *s, size_t i, int end, struct mk_formula *f, struct mk_error *err)
{
    struct mk_hyper *h = &s->hyper[i];
    struct mk_formula *copy = malloc(sizeof *copy);
    const bool is_new = !h->bound[0] && !h->bound[1];
    if (!copy || (is_new && !MK_GROW(s->bounded, s->n_bounded, 1))) {
        free(copy);
        mk_formula_clear(f);
        return no_memory(err);
    }
    *copy = *f;
    h->bound[end] = copy;
    if (is_new) s->bounded[s->n_bounded++] = i;
    return MK_OK;
}

int mk_space_set_range(struct mk_space *s, size_t i, double lo, double hi, double def, struct mk_error *err)
{
    struct mk_hyper *h = &s->hyper[i];
    const bool whole = h->kind == MK_HYPER_INTEGER;
    h->lo = whole ? ceil(lo) : lo;
    h->hi = whole ? floor(hi) : hi;
    h->def = def;
    h->stated = !isnan(def);
    int code = check_number(h, err);
    if (code) return code;
    derive_number(h);
    return check_default(h, err);
}

/* An end of the range of h in a configuration: its value next to it, within the widest range. */
static double end_at(const struct mk_hyper *h, int end, const double *v)
{
    double x = h->bound[end] ? mk_formula_value(h->bound[end], v) : NAN;
    if (isnan(x)) return end ? h->hi : h->lo;
    x = fmin(fmax(x, h->lo), h->hi);
    if (!(h->step > 0)) return x;
    const double level = (x - h->lo) / h->step;
    return mk_hyper_at_level(h, end ? floor(level * (1 + 1e-12)) : ceil(level * (1 - 1e-12)));
}

/* Defaults that are not stated are in the middle of what the defaults of the others leave. */
static void center_defaults(struct mk_space *s)
{
    double v[MK_SPACE_MOST];
    for (size_t pass = 0; pass < s->n_bounded; pass++) /* one may depend on another */
        for (size_t i = 0; i < s->n_bounded; i++) {
            struct mk_hyper *h = &s->hyper[s->bounded[i]];
            if (h->stated) continue;
            mk_space_default(s, v);
            const double from = mk_hyper_unit(h, end_at(h, 0, v)), to = mk_hyper_unit(h, end_at(h, 1, v));
            h->def = mk_hyper_value(h, (from + to) / 2);
        }
}

/* A copy whose hyperparameter is `by` positions later. */
static int copy_clause(struct mk_clause *to, const struct mk_clause *from, size_t by, struct mk_error *err)
{
    *to = *from;
    to->of += by;
    to->value = NULL;
    if (!from->n_values) return MK_OK;
    to->value = malloc(from->n_values * sizeof *to->value);
    if (!to->value) return no_memory(err);
    memcpy(to->value, from->value, from->n_values * sizeof *to->value);
    return MK_OK;
}

static int append_hyper(struct mk_space *s, const struct mk_hyper *h, const char *prefix, size_t by,
                        struct mk_error *err)
{
    struct mk_hyper copy = *h;
    struct mk_clause clause;
    if (asprintf(&copy.name, "%s%s", prefix, h->name) < 0) return no_memory(err);
    int code = mk_space_add(s, &copy, err);
    free(copy.name);
    for (size_t c = 0; !code && c < h->n_when; c++) {
        code = copy_clause(&clause, &h->when[c], by, err);
        if (!code) code = mk_space_condition(s, s->n - 1, &clause, err);
    }
    return code;
}

/* A copy of one of space `of`, whose hyperparameters are `by` positions later. */
static int copy_forbidden(struct mk_forbidden *to, const struct mk_forbidden *from, size_t by,
                          const struct mk_space *of, struct mk_error *err)
{
    int code = (!from->n || MK_GROW(to->clause, 0, from->n)) &&
                       (!from->n_relations || MK_GROW(to->relation, 0, from->n_relations))
                   ? MK_OK
                   : no_memory(err);
    for (; !code && to->n < from->n; to->n += !code)
        code = copy_clause(&to->clause[to->n], &from->clause[to->n], by, err);
    for (; !code && to->n_relations < from->n_relations; to->n_relations += !code)
        code = mk_hyper_relation_copy(&to->relation[to->n_relations], &from->relation[to->n_relations], by, of, err);
    if (code) mk_forbidden_clear(to);
    return code;
}

/* Copies the hyperparameters of `from`, whose names get a prefix, with their conditions and forbidden combinations to
 * the end of s. They are active only when the first hyperparameter of s is word `word`. Rows are not copied. */
static int append(struct mk_space *s, const struct mk_space *from, const char *prefix, size_t word,
                  struct mk_error *err)
{
    const size_t by = s->n;
    int code = MK_OK;
    for (size_t i = 0; !code && i < from->n; i++) {
        code = append_hyper(s, &from->hyper[i], prefix, by, err);
        if (!code) code = mk_space_require(s, by + i, 0, (double)word, err);
    }
    for (size_t i = 0; !code && i < from->n_forbidden; i++) {
        struct mk_forbidden copy = {0};
        code = copy_forbidden(&copy, &from->forbidden[i], by, from, err);
        if (!code) code = mk_space_forbid_all(s, &copy, err);
    }
    for (size_t i = 0; !code && i < 2 * from->n_bounded; i++) {
        const size_t at = from->bounded[i / 2];
        const struct mk_formula *bound = from->hyper[at].bound[i % 2];
        struct mk_formula copy;
        if (!bound) continue;
        code = mk_formula_copy(&copy, bound, by, from, err);
        if (!code) code = mk_space_bound(s, by + at, (int)(i % 2), &copy, err);
    }
    return code;
}

/* ---- the whole ---- */

/* Hyperparameters whose conditions name only placed ones are placed, in the order of the space, until all are. */
static int sort_by_conditions(struct mk_space *s, size_t *blame, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    bool *placed = calloc(s->n + 1, sizeof *placed);
    s->order = malloc((s->n + 1) * sizeof *s->order);
    if (!placed || !s->order) {
        free(placed);
        return no_memory(err);
    }
    size_t n = 0, before = SIZE_MAX;
    while (n < s->n && n != before) {
        before = n;
        for (size_t i = 0; i < s->n; i++) {
            bool ready = !placed[i];
            for (size_t c = 0; ready && c < s->hyper[i].n_when; c++) ready = placed[s->hyper[i].when[c].of];
            if (!ready) continue;
            placed[i] = true;
            s->order[n++] = i;
        }
    }
    int code = MK_OK;
    for (size_t i = 0; !code && i < s->n; i++)
        if (!placed[i]) {
            *blame = i;
            code = mk_fail(err, MK_EINPUT, "the conditions of %s are circular", mk_clip(s->hyper[i].name, clip));
        }
    free(placed);
    return code;
}

/* Whether at least one in 1000 draws is allowed; false alarms have probability below 0.4 for a share of exactly 1 in
 * 1000 and below 5e-5 from 1 in 100 on. */
static int check_forbidden(const struct mk_space *s, struct mk_error *err)
{
    struct mk_pcg64 rng;
    size_t allowed = 0;
    double *v = malloc((s->n + 1) * sizeof *v), *u = malloc((s->n + 1) * sizeof *u);
    int code = v && u ? MK_OK : no_memory(err);
    if (!code) mk_space_default(s, v);
    if (!code && !mk_space_allows(s, v))
        code = mk_fail(err, MK_EINPUT,
                       "the default configuration is forbidden; expected `default` of a hyperparameter that allows it");
    mk_pcg64_seed(&rng, 1, 1);
    for (size_t trial = 0; !code && !allowed && trial < TRIALS; trial++) {
        for (size_t i = 0; i < s->n; i++) u[i] = mk_uniform(&rng);
        mk_space_from_unit(s, u, v);
        allowed += mk_space_allows(s, v);
    }
    if (!code && !allowed) code = mk_fail(err, MK_EINPUT, "none of %d random configurations is allowed", TRIALS);
    free(v);
    free(u);
    return code;
}

int mk_space_finish(struct mk_space *s, size_t *blame, struct mk_error *err)
{
    *blame = SIZE_MAX;
    int code = sort_by_conditions(s, blame, err);
    if (!code) center_defaults(s);
    return code || !mk_space_forbids(s) ? code : check_forbidden(s, err);
}

int mk_space_done(struct mk_space *s, int code, struct mk_space **out, struct mk_error *err)
{
    size_t blame;
    if (!code) code = mk_space_finish(s, &blame, err);
    if (code)
        mk_space_free(s);
    else
        *out = s;
    return code;
}

static int compare_keys(const void *a, const void *b)
{
    const struct mk_row_key *x = a, *y = b;
    if (x->digest != y->digest) return x->digest < y->digest ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

int mk_space_restrict(struct mk_space *s, double *row, size_t n, struct mk_error *err)
{
    s->row_key = malloc(n * sizeof *s->row_key);
    if (!s->row_key) {
        free(row);
        return no_memory(err);
    }
    s->row = row;
    s->n_rows = n;
    for (size_t i = 0; i < n; i++)
        s->row_key[i] = (struct mk_row_key){mk_space_configuration_digest(s, row + i * s->n), i};
    qsort(s->row_key, n, sizeof *s->row_key, compare_keys);
    return MK_OK;
}

/* The rows of all arms, one after the other. */
static int join_rows(struct mk_space *joint, const struct mk_space *const *arm, size_t n, const size_t *first,
                     struct mk_error *err)
{
    size_t total = 0, with = 0, at = 0;
    for (size_t k = 0; k < n; k++) {
        total += arm[k]->n_rows;
        with += arm[k]->n_rows > 0;
    }
    if (!with) return MK_OK;
    if (with < n)
        return mk_fail(err, MK_EINPUT,
                       "some arms have measured configurations only and others do not: they have no "
                       "joint space");
    joint->arm_row = malloc((n + 1) * sizeof *joint->arm_row);
    double *row = joint->arm_row ? malloc(total * joint->n * sizeof *row) : NULL;
    if (!row) return no_memory(err);
    joint->n_arms = n;
    joint->arm_row[n] = total;
    for (size_t i = 0; i < total * joint->n; i++) row[i] = NAN;
    for (size_t k = 0; k < n; k++) {
        joint->arm_row[k] = at;
        for (size_t i = 0; i < arm[k]->n_rows; i++, at++) {
            row[at * joint->n] = (double)k;
            memcpy(row + at * joint->n + first[k], arm[k]->row + i * arm[k]->n, arm[k]->n * sizeof *row);
        }
    }
    return mk_space_restrict(joint, row, total, err);
}

int mk_space_join(struct mk_space **out, const struct mk_space *const *arm, const char *const *label, size_t n,
                  size_t *first, struct mk_error *err)
{
    struct mk_space *s = NULL;
    size_t blame;
    struct mk_hyper root = {.name = (char[]){"arm"},
                            .kind = MK_HYPER_CATEGORICAL,
                            .choice = true,
                            .n_words = n,
                            .word = malloc(n * sizeof *root.word),
                            .def = NAN};
    int code = root.word ? mk_space_new(&s, err) : no_memory(err);
    for (size_t k = 0; !code && k < n; k++)
        root.word[k] = (char *)(uintptr_t)label[k]; /* NOLINT(performance-no-int-to-ptr) */
    if (!code) code = mk_space_add(s, &root, err);
    for (size_t k = 0; !code && k < n; k++) {
        char *prefix = NULL;
        if (asprintf(&prefix, "arm.%s.", label[k]) < 0) code = no_memory(err);
        first[k] = s->n;
        if (!code) code = append(s, arm[k], prefix, k, err);
        free(prefix);
    }
    if (!code) code = mk_space_finish(s, &blame, err);
    if (!code) code = join_rows(s, arm, n, first, err);
    free(root.word);
    if (code)
        mk_space_free(s);
    else
        *out = s;
    return code;
}
